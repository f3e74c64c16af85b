/* The static code of a trace that has none: the distinct instruction lines, in the order of their PCs. */
#ifndef ACCELSIM_STATICS_H
#define ACCELSIM_STATICS_H
#include "accelsim_internal.h"

struct static_line {
    struct trace_inst inst; /* name: offset of the shape in `shapes` until statics_finish */
    uint64_t pc;
    uint32_t shape, shape_length, opcode, opcode_length; /* in `shapes` */
    uint32_t index;                                      /* after statics_finish: place in the code */
    uint32_t guess;                                      /* what followed last time */
    uint32_t next;                                       /* same bucket */
    bool is_leader, is_pair;                             /* LDGSTS: the second record is dropped */
    uint8_t memory;                                      /* enum sass_memory, resolved */
};
struct statics {
    struct static_line *lines;
    uint32_t n, capacity, max, *buckets, n_buckets;
    char *shapes;
    size_t n_shapes, shapes_capacity;
    uint32_t last; /* line looked up last; UINT32_MAX at the start of a warp */
};
int statics_init(struct statics *s, uint32_t max, struct error *err);
void statics_fini(struct statics *s);
void statics_start_warp(struct statics *s);
/* The entry of an instruction line: with `grow` a new one is made. Its class, space and registers are filled. */
int statics_find(struct static_line **out, struct statics *s, const struct sass_line *line,
                 const struct accelsim_header *header, bool grow, const struct text_source *source, struct error *err);
/* Orders the code by PC, numbers basic blocks; code and strings are the caller's to free(). */
int statics_finish(struct statics *s, struct trace_inst **code, char **strings, size_t *n_strings, uint32_t *n_regs,
                   struct error *err);
#endif
