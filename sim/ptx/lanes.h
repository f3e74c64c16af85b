/* Lane functions: one operation over the 32 lanes of a warp. A register is 32 contiguous 4-byte or 8-byte elements (8- and
 * 16-bit values are zero-extended in 4 bytes); a predicate is one 32-bit mask. The same sources are compiled for the
 * baseline and for AVX2 + FMA, with identical results; lanes_find() picks the table that this processor can run. */
#ifndef PTX_LANES_H
#define PTX_LANES_H
#include <stdint.h>
#include "code.h"

/* Widths in bits of destination and sources; 0 = none. FLOAT operands take floating-point immediates. */
struct lane_op {
    const char *name; /* "add_b32" */
    lane_fn *fn;
    uint8_t n_src, width[5];
    uint8_t is_float; /* bit k: operand k */
};
struct compare_op {
    const char *name; /* "lt_s32" */
    compare_fn *fn;
    uint8_t width;
};

/* The tables, each ended by a NULL name: NAME_base and NAME_avx2. */
#define LANE_TABLES(X) X(lanes_int) X(lanes_logic) X(lanes_float) X(lanes_convert) X(lanes_half) X(lanes_video)
#define X(id) extern const struct lane_op id##_base[], id##_avx2[];
LANE_TABLES(X)
#undef X
extern const struct compare_op compares_base[], compares_avx2[];

#define MAX_LANE_OPS 2048 /* a power of two; more than twice the rows there are */
struct lane_index {
    const struct lane_op *slots[MAX_LANE_OPS];
    const struct compare_op *compares;
};
void lane_index_init(struct lane_index *index);
const struct lane_op *lane_find(const struct lane_index *index, const char *name);       /* NULL if there is none */
const struct compare_op *compare_find(const struct lane_index *index, const char *name); /* NULL if there is none */
#endif
