/* A region: a basic block, or the rounds of a loop of one block behind each other, as operations on values. Each pass
 * takes a region and changes it; a value is written once. */
#ifndef GPU_SASS_IR_H
#define GPU_SASS_IR_H
#include <string.h>
#include "config/params.h"
#include "poise/trace.h"

enum {
    SASS_MEMBERS = 4,        /* accesses that one may stand for */
    SASS_NO_VALUE = 65535,   /* TRACE_NO_REG */
    SASS_LENGTH_MOST = 1024, /* of a block */
    SASS_UNROLL_MOST = 512,  /* instructions of all rounds of a loop */
    SASS_INSTANCES = 24      /* times that a region was executed, looked at before it is changed */
};
#define SASS_BEFORE UINT32_MAX
struct sass_op {
    struct trace_inst inst;        /* registers are values until sass_name() */
    const char *name;              /* of the PTX operation */
    uint16_t member[SASS_MEMBERS]; /* steps of the region that it stands for; lanes and address are of the first */
    uint8_t n_members;
    bool on_fma, is_gone;
};
struct sass_value {
    uint16_t reg, root; /* its register in the trace; the value from which it differs by a constant */
    uint32_t def;       /* operation; SASS_BEFORE: it was there before */
    uint32_t uses;      /* as sass_count_uses() found them last */
    bool stays;     /* its register keeps its name: it is read outside, or was there before, or is written in part */
    bool leaves;    /* it is read outside */
    uint8_t weight; /* registers that it takes */
};
/* One time that the region was executed. */
struct sass_instance {
    const struct trace_step *steps;
    const uint32_t **accesses; /* of each step, or NULL */
};
struct sass_region {
    uint32_t first, length, copies; /* instructions of the trace, times */
    struct sass_op *ops;
    uint32_t n_ops;
    struct sass_value *values;
    uint32_t n_values;
    size_t cap_ops, cap_values;
    struct sass_instance instances[SASS_INSTANCES];
    uint32_t n_instances;
    uint32_t code; /* where its operations begin in sass_code() */
};
/* What is known of the registers of a kernel. */
struct sass_registers {
    uint32_t n, *uses; /* n; by all instructions */
};

int sass_region_build(struct sass_region *r, const struct trace *trace, const struct sass_registers *registers,
                      struct error *err);
void sass_region_free(struct sass_region *r);
uint16_t sass_value_new(struct sass_region *r, uint16_t reg, uint32_t def);
/* Cycles after which a dependent instruction can follow, as a compiler assumes them: fixed latencies of Volta [Jia et
 * al.], and of loads the time of a hit. */
uint8_t sass_latency(const struct trace_inst *inst);
int sass_ops_room(struct sass_region *r, uint32_t more, struct error *err);
void sass_count_uses(struct sass_region *r);
void sass_drop_gone(struct sass_region *r);

/* The passes, in their order. */
void sass_fold(struct sass_region *r);               /* moves, offsets, addresses, pairs that are one instruction */
void sass_merge(struct sass_region *r, bool global); /* neighbouring accesses */
int sass_expand(struct sass_region *r, struct error *err); /* operations that are several instructions */
int sass_schedule(struct sass_region *r, uint32_t more_registers, struct error *err);
void sass_balance(struct sass_region *r); /* adds and moves between the pipes */
int sass_name(struct sass_region *r, uint32_t n_regs, uint32_t *most, struct error *err);

static inline bool sass_is(const char *name, const char *begins) { return strncmp(name, begins, strlen(begins)) == 0; }
static inline bool sass_orders(const struct trace_inst *i) /* nothing of memory crosses it */
{
    return i->cls == TRACE_BARRIER || i->cls == TRACE_FENCE || i->cls == TRACE_ATOMIC || (i->flags & TRACE_VOLATILE);
}
/* The source that is its address; -1: none is, or it cannot be told. */
int sass_address(const struct sass_op *op);
/* How many bytes behind the access a that of b lies, the same in all lanes; false: it does not. */
bool sass_apart(const uint32_t *a, const uint32_t *b, uint32_t mask, int64_t *bytes);
/* All lanes' addresses are multiples. */
bool sass_aligned(const uint32_t *access, uint32_t mask, uint32_t bytes);
#endif
