/* Does a program's result hold when its atomics are performed in the order in which simulated runs performed them? The
 * program is executed once more, each simulated launch in the order of its run, and checks its own result. */
#ifndef POISE_ORDER_CHECK_H
#define POISE_ORDER_CHECK_H
#include "poise/gpu.h"
#include "poise/workload.h"

struct order_check {
    bool holds;        /* the program ended with status 0 */
    char said[320];    /* the end of what it printed, if it does not */
    uint64_t atomics;  /* line accesses by atomics that the runs performed */
    uint64_t in_order; /* of these, performed in their turn by the program */
    uint64_t left_out; /* of these, not: threads did not come to them, or not in their turn */
    uint64_t beyond;   /* accesses of the program that no run had, as where a lock is tried again */
};
/* `launches`: n launches of one workload at one size and input; `orders`: what the run of each noted. A result that
 * does not hold is no error. */
int order_check(struct order_check *out, const struct lab_paths *paths, const struct launch *const *launches,
                const struct gpu_atomic_order *const *orders, size_t n, struct error *err);
/* The same from the start: simulates all launches of the workload's first input at the size, each with cold caches. */
int order_check_workload(struct order_check *out, const struct lab_paths *paths, const struct workload *workload,
                         int size, const struct gpu_params *params, const struct mech_spec *stack, unsigned n_stack,
                         struct error *err);
#endif
