/* Warps that wait for writes of others (core.waiting=simulated). Each word that somebody waits for has a counter. It
 * goes up where a bank of L2 takes a write to it, where a mechanism performs an atomic, and for shared memory where the
 * write enters the SM's load-store unit, which is in order. A warp at the branch that ends a round of its loop goes on
 * when the counts are there; else it goes back to the first step of the round, and all that it does there again is
 * issued, fetched and asked of memory as ever. */
#ifndef GPU_WAITING_H
#define GPU_WAITING_H
#include "core/sm.h"

/* A counted write on its way: of global memory from its SM's access port to where it is performed. */
struct waiting_write {
    uint32_t next; /* of its SM's list: its number + 1, or 0 */
    uint32_t line; /* of its request */
    uint16_t token;
    bool has_left;
};
/* A warp that is going round: the wait that is not over + 1, or 0, and the first step of its round. */
struct waiting_warp {
    const struct plan_step *first; /* of the plan, not of the arena */
    uint32_t wait;
};
struct waiting {
    const struct plan *plan;
    uint64_t *counts;             /* of each word */
    struct waiting_write *writes; /* of each counted write */
    uint32_t *lists;              /* of each SM: the first of its writes on their way + 1, or 0 */
    uint32_t *entered;            /* of each SM and load number: the first write of the counted access in the LSU + 1 */
    struct waiting_warp *warps;   /* of each SM and slot */
    uint32_t sms, loads, slots;
    uint64_t repeated;  /* steps of rounds that warps have gone back over */
    uint64_t performed; /* counted writes outside of shared memory */
};

/* NULL where the plan has no waits. With an empty arena it only measures. */
struct waiting *waiting_layout(struct arena *arena, const struct plan *plan, const struct gpu_params *params);
/* The warp has issued the branch before w->next. */
void waiting_branch(struct sm *sm, struct warp *w);
/* A counted access is about to enter the load-store unit; returns it as a plain one, which it is from here on. */
struct plan_step waiting_enter(struct sm *sm, const struct plan_step *step);
/* A store or atomic has gone from the access port: to L2, or to the mechanism that performs atomics. */
void waiting_sent(struct sm *sm, const struct line_access *a, bool goes_to_l2);
/* What an SM asked for with this token is performed. `pc`: of its instruction, or ANY_PC. */
#define WAITING_ANY_PC UINT32_MAX
void waiting_performed(struct waiting *x, uint32_t sm, uint32_t token, uint32_t line, uint32_t pc);
/* Steps that warps have issued and will issue again: of `insts` these are no progress. */
uint64_t waiting_repeated(const struct waiting *x, const struct sm *sms);
/* Who waits for what, for the watchdog; how many warps do. */
uint32_t waiting_dump(const struct waiting *x, const struct sm *sms, char *text, size_t size);
#endif
