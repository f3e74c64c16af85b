/* Columns of the at-rest form in the making: an encoder is given warps in ascending order, as many at a time as there
 * are. */
#ifndef TRACE_ENCODER_H
#define TRACE_ENCODER_H
#include "column.h"
#include "internal.h"

enum encoder_parts { ENCODE_STEPS = 1, ENCODE_ACCESSES = 2, ENCODE_ALL = 3 };
struct predictor; /* atrest.h */
struct successor;

struct encoder {
    const struct trace *trace; /* its launch and its code; the rest may not be there yet */
    unsigned parts;            /* which columns are its own: enum encoder_parts */
    struct predictor *predictors;
    struct successor *after;
    ZSTD_CCtx *zstd;
    struct column_out columns[N_COLUMNS]; /* from SECTION_COLUMN_WARPS on */
    uint64_t n_warps, steps_was;          /* encoded so far; steps of the last of them */
};
/* Where the warps are. */
struct encoder_source {
    const struct trace_warp *warps;
    const struct trace_step *steps;
    const uint32_t *accesses, *guards;
};
/* -1: out of memory; encoder_fini is to be called in either case. */
int encoder_init(struct encoder *e, const struct trace *trace, unsigned parts);
void encoder_fini(struct encoder *e);
/* The warps up to `end` that were not encoded yet. Running out of memory shows in encoders_pack. */
void encoder_warps(struct encoder *e, const struct encoder_source *from, uint64_t end);
void encoder_end(struct encoder *e); /* after the last warp */
/* The container of a complete trace, from encoders whose parts are all of it. -1: out of memory. */
int encoders_pack(struct container_out *out, struct encoder *encoders, size_t n, const struct trace *trace);

/* ---- encoding while more is recorded (background.c) ---- */

struct background;
/* Starts as many threads as help, `threads` - 1 at most. NULL: none could be had, or they have no memory. */
struct background *background_start(const struct trace *trace, const struct encoder_source *from, unsigned threads);
/* `n_warps` of the trace are there. The arrays stay where they are until background_pause. */
void background_go_on(struct background *b, const struct encoder_source *from, uint64_t n_warps);
/* Waits until no thread reads the arrays; they may move then, until background_go_on. */
void background_pause(struct background *b);
/* Waits for the last warp. -1: out of memory. background_free is to be called after it. */
int background_pack(struct background *b, struct container_out *out, const struct trace *trace);
void background_free(struct background *b); /* accepts NULL; what is being encoded is given up */
#endif
