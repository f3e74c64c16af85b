/* Small synthetic launches for tests of the timing model: a few instructions, addresses of the test's choosing. */
#ifndef TEST_SYNTH_H
#define TEST_SYNTH_H
#include "rig.h"
#include "poise/gpu.h"
#include "poise/trace.h"

/* Registers of every synthetic kernel: r0..r7. The static code of all of them: */
enum synth_inst {
    SYNTH_ADD,    /* r1 = r0 */
    SYNTH_LOAD,   /* r0 = [r0]: each load waits for the one before */
    SYNTH_LOAD_2, /* r2 = [r3]: independent of the others */
    SYNTH_STORE,  /* [r3] = r1 */
    SYNTH_ATOMIC, /* r4 = atom.add [r3] */
    SYNTH_RED,    /* red.add [r3] */
    SYNTH_BARRIER,
    SYNTH_FENCE,
    SYNTH_SHARED, /* r5 = shared [r3] */
    SYNTH_USE_2,  /* r1 = r2 */
    SYNTH_DIV,    /* r6 = r1 / r1 */
    SYNTH_EXIT,
    SYNTH_LOCAL_LOAD,  /* r2 = local [r3] */
    SYNTH_LOCAL_STORE, /* local [r3] = r1 */
    SYNTH_CONST,       /* r2 = constant [r3] */
    SYNTH_TEXTURE,     /* r2 = texture [r3] */
    SYNTH_DP,          /* r6 = r6 + r1, double precision */
    SYNTH_LOAD_4,      /* r4 = [r3] */
    SYNTH_LOAD_5,      /* r5 = [r3] */
    SYNTH_LOAD_7,      /* r7 = [r3] */
    SYNTH_LOAD_OP,     /* r2 = [r3], with the launch's memory operator */
    SYNTH_STORE_OP,    /* [r3] = r1, likewise */
    SYNTH_BARRIER_1,   /* another than SYNTH_BARRIER */
    SYNTH_N
};
/* What SYNTH_LOAD_OP and SYNTH_STORE_OP ask of the caches. */
struct synth_operator {
    enum trace_cache_op cache_op;
    enum trace_scope scope;
    bool is_volatile;
    uint8_t bytes; /* of a lane; 0: 4 */
};
struct synth {
    struct trace_writer *writer;
    struct trace_warp_buffer *warps;
    uint32_t n_ctas, warps_per_cta;
};
void synth_begin(struct synth *s, uint32_t n_ctas, uint32_t warps_per_cta);
void synth_begin_operator(struct synth *s, uint32_t n_ctas, uint32_t warps_per_cta, struct synth_operator op);
void synth_cta(struct synth *s); /* begins the next CTA */
void synth_cta_end(struct synth *s);
void synth_op(struct synth *s, uint32_t warp, enum synth_inst inst, uint32_t mask);
/* Lane l at base + l * stride. */
void synth_access(struct synth *s, uint32_t warp, enum synth_inst inst, uint32_t mask, uint64_t base, int64_t stride);
struct trace *synth_end(struct synth *s);

/* Runs with parameters given as "l1.ways=8" strings (NULL-terminated) and one mechanism (NULL: none). */
struct synth_run {
    const char *preset; /* NULL: kepler32 */
    const char *const *set;
    const char *mech;
    bool no_skip;
    uint64_t max_cycles;
};
char *synth_run_json(const struct trace *trace, const struct synth_run *how); /* malloc'd text of the statistics */
/* with and without skipping cycles: asserts the same bytes, and returns them */
char *synth_run_both(const struct trace *trace, struct synth_run how);
double synth_value(const char *json, const char *name);
/* A launch with everything in it: divergent and coalesced loads, stores, atomics, barriers, fences, divides. */
struct trace *synth_mixture(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, uint32_t seed);
/* Loads and stores with and without an operator, of lines that the warps of an SM share. */
struct trace *synth_operators(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, struct synth_operator op);
/* Any instruction of any warp in any order, some warps without any; lanes, strides and how much is shared are drawn
 * too. */
struct trace *synth_any(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, uint32_t seed);
/* Every thread walks its own row of `columns` floats, again and again: the access pattern that thrashes. */
struct trace *synth_rows(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t columns, uint32_t passes);
/* Every warp loads lines of a pool that all share, in an order of its own, and now and then stores to one of them. */
struct trace *synth_shared(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, uint32_t lines, uint32_t seed);
/* One warp, one lane, n dependent loads `stride` bytes apart over `span` bytes. */
struct trace *synth_chase(uint32_t n, uint64_t stride, uint64_t span);
#endif
