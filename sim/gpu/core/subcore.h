/* A sub-core: what one scheduler has for itself of a divided SM (core.sub_cores): issue registers, operand collectors,
 * register banks and units.
 *
 *   issue register of a kind --> collector (reads its registers) --> register of that kind --> unit --> write-back
 *                                one of a few, for every kind         one                       its     (a bank for
 *                                                                                               interval  a step)
 *
 * An instruction keeps its collector until its unit's register takes it, so a slow unit blocks the others. Issue
 * registers are emptied kind by kind, the oldest of a kind first over all sub-cores together: one that finds no
 * collector holds up those of its kind. [reference simulator, Volta] Which collector is free when, and all that
 * follows, is known once an instruction has one. A bank gives core.read_steps registers a cycle, less one where a
 * result is written. */
#ifndef GPU_SUBCORE_H
#define GPU_SUBCORE_H
#include "config/params.h"
#include "net/msg.h"
#include "plan/plan.h"

enum { SUB_BANKS = 32, SUB_COLLECTORS = 32, SUB_UNITS = 8, CORE_BITS = 4 };
/* Cycles times read_steps, and the step within the cycle. */
typedef uint64_t step_t;
/* What stands in an issue register. */
struct sub_waiting {
    const struct plan_inst *inst;
    uint32_t uid;   /* of its warp, which may be gone by the time */
    uint16_t entry; /* of the load-store queue */
    uint8_t warp;   /* slot */
};
struct sub_bank {
    _Alignas(32) step_t free; /* the first step in which it is not promised to a read */
    uint64_t writes;          /* cycles in which results are written, a bit each, of the 64 */
    cycle_t writes_from;      /* that begin here */
};
/* Of a kind. */
struct sub_unit {
    _Alignas(64) struct sub_waiting waiting; /* in its issue register */
    cycle_t free[SUB_UNITS], register_free;  /* free: in order */
    uint8_t n;
};
/* In lines of the host's cache: what is in front, a few banks, and a kind of unit. */
struct sub_core {
    bool is_even;       /* a power of two of banks and of steps */
    uint8_t step_shift; /* of a power of two of steps */
    uint8_t n_collectors, n_banks, n_steps, write_cycles;
    step_t collector_free[SUB_COLLECTORS]; /* the first steps in which they are free, in order; without any: 0 */
    struct sub_bank banks[SUB_BANKS];
    struct sub_unit units[N_UNITS];
};
_Static_assert(sizeof(struct sub_unit) == 64, "one line of the host's cache");
/* Of an SM: the sub-cores in whose issue registers an instruction of a kind waits, in the order of issue, the oldest
 * in the lowest bits. */
struct sub_order {
    uint32_t kinds; /* of which any waits: a bit each */
    uint8_t n[N_UNITS];
    uint64_t cores[N_UNITS];
};
struct sm;
/* Units of each kind on the whole SM, of which `lsu` load-store units. */
void unit_counts(const struct core_params *core, uint32_t lsu, uint32_t n[N_UNITS]);
void sub_core_init(struct sub_core *c, const struct core_params *core);
static inline void sub_order_enter(struct sub_order *o, uint32_t unit, uint32_t core)
{
    o->cores[unit] |= (uint64_t)core << CORE_BITS * o->n[unit]++;
    o->kinds |= 1u << unit;
}
/* Issue registers are emptied into collectors, before schedulers issue. */
HOT void sub_cores_tick(struct sm *sm, cycle_t now);
#endif
