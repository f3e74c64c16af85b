/* A sub-core: what one scheduler has for itself of a divided SM (core.sub_cores): issue registers, operand collectors, register banks and units.
 *
 *   issue register of a kind --> collector (reads its registers) --> register of that kind --> unit --> write-back
 *                          one of a few, for every kind              one                  its interval     (a bank for a step)
 *
 * An instruction keeps its collector until its unit's register takes it, so a slow unit blocks the others; and issue registers are served in
 * one order, kind by kind and oldest first in all sub-cores together: one that finds no collector holds up those behind it.
 * [core.sub_cores: reference simulator, Volta] What happens when is known when an instruction issues, as it depends on none that follows. A bank
 * gives core.read_steps registers a cycle, less one where a result is written. */
#ifndef GPU_SUBCORE_H
#define GPU_SUBCORE_H
#include "config/params.h"
#include "net/msg.h"
#include "plan/plan.h"

enum { SUB_BANKS = 32, SUB_COLLECTORS = 32, SUB_UNITS = 8 };
/* Cycles times read_steps, and the step within the cycle. */
typedef uint64_t step_t;
struct sub_core {
    step_t collector_free[SUB_COLLECTORS];
    step_t bank_free[SUB_BANKS];   /* the first step in which a bank is not promised to a read */
    uint64_t writes[SUB_BANKS];    /* cycles in which results are written, a bit each, of the 64 */
    cycle_t writes_from[SUB_BANKS]; /* that begin here */
    cycle_t unit_free[N_UNITS][SUB_UNITS], register_free[N_UNITS];
    uint8_t n_units[N_UNITS], n_collectors, n_banks, n_steps;
};
/* What all sub-cores of an SM share: the steps in which the issue registers of each kind were last emptied. */
struct sub_core_order { step_t emptied[N_UNITS]; };
/* First cycles in which the issue register is free, the unit (of an access: the load-store unit) has the instruction, and its result can be read. */
struct sub_issue { cycle_t register_free, started, written; };

void sub_core_init(struct sub_core *c, const struct core_params *core);
/* An instruction that issues in cycle `now` to the units of kind `unit`: arithmetic, or an access, whose result is not written here. */
HOT struct sub_issue sub_core_issue(struct sub_core *c, struct sub_core_order *order, const struct plan_inst *inst, uint32_t warp, uint32_t unit,
                                    struct class_timing timing, cycle_t now);
#endif
