#include "core/subcore.h"

#include <string.h>

void sub_core_init(struct sub_core *c, const struct core_params *core)
{
    const uint32_t n = core->schedulers;
    const uint32_t units[N_UNITS] = {[UNIT_SP] = core->sp_units, [UNIT_SFU] = core->sfu_units, [UNIT_LSU] = n, [UNIT_INT] = core->int_units,
                                     [UNIT_DP] = core->dp_units, [UNIT_BRANCH] = core->branch_units};
    memset(c, 0, sizeof *c);
    for (uint32_t u = 0; u < N_UNITS; u++) c->n_units[u] = (uint8_t)(units[u] / n);
    c->n_collectors = (uint8_t)(core->collectors / n);
    c->n_banks = (uint8_t)(core->register_banks / n);
    c->n_steps = (uint8_t)core->read_steps;
}

static step_t later(step_t a, step_t b) { return a > b ? a : b; }

static uint32_t first_collector(const struct sub_core *c)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < c->n_collectors; i++)
        if (c->collector_free[i] < c->collector_free[first]) first = i;
    return first;
}

/* A result is written in cycle `at`; what lies further ahead than 64 cycles is not noted. */
static void note_write(struct sub_core *c, uint32_t bank, cycle_t at, cycle_t now)
{
    const cycle_t passed = now - c->writes_from[bank];
    c->writes[bank] = passed < 64 ? c->writes[bank] >> passed : 0;
    c->writes_from[bank] = now;
    if (at - now < 64) c->writes[bank] |= 1ull << (at - now);
}

static bool is_written(const struct sub_core *c, uint32_t bank, cycle_t at)
{
    const cycle_t ahead = at - c->writes_from[bank];
    return ahead < 64 && c->writes[bank] >> ahead & 1;
}

/* The step in which the bank gives a register, from `from` on: the first of a cycle is not there if a result is written. */
static step_t read_bank(struct sub_core *c, uint32_t bank, step_t from)
{
    step_t at = later(from, c->bank_free[bank]);
    while (at % c->n_steps == 0 && is_written(c, bank, (cycle_t)(at / c->n_steps))) at++;
    c->bank_free[bank] = at + 1;
    return at;
}

/* The step in which the last source has been read; a register that stands twice is read once. */
static step_t read_sources(struct sub_core *c, const struct plan_inst *inst, uint32_t warp, step_t collected)
{
    step_t last = collected;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        uint32_t k = inst->n_dst;
        while (inst->regs[k] != inst->regs[i]) k++;
        if (k == i) last = later(last, read_bank(c, (inst->regs[i] + warp) % c->n_banks, collected + 1));
    }
    return last;
}

/* Issue registers are served in this order of kinds: one waits for those before it, and for older ones of its own. */
static step_t emptied_before(const struct sub_core_order *order, uint32_t unit)
{
    static const uint8_t kinds[] = {UNIT_SP, UNIT_SFU, UNIT_LSU, UNIT_DP, UNIT_INT, UNIT_BRANCH};
    step_t last = 0;
    for (uint32_t i = 0;; i++) {
        last = later(last, order->emptied[kinds[i]]);
        if (kinds[i] == unit) return last;
    }
}

struct sub_issue sub_core_issue(struct sub_core *c, struct sub_core_order *order, const struct plan_inst *inst, uint32_t warp, uint32_t unit,
                                struct class_timing timing, cycle_t now)
{
    const uint32_t steps = c->n_steps, collector = first_collector(c);
    step_t collected = later((step_t)(now + 1) * steps, emptied_before(order, unit));
    if (c->n_collectors) collected = later(collected, c->collector_free[collector]);
    order->emptied[unit] = collected;
    const step_t read = read_sources(c, inst, warp, collected), left = later(read + 1, (step_t)c->register_free[unit] * steps);
    if (c->n_collectors) c->collector_free[collector] = left;
    uint32_t u = 0;
    for (uint32_t i = 1; i < c->n_units[unit]; i++)
        if (c->unit_free[unit][i] < c->unit_free[unit][u]) u = i;
    const cycle_t reached = (cycle_t)(left / steps) + 1, start = unit == UNIT_LSU || c->unit_free[unit][u] < reached ? reached : c->unit_free[unit][u];
    c->register_free[unit] = unit == UNIT_LSU ? reached - 1 : start;
    c->unit_free[unit][u] = start + timing.interval;
    const struct sub_issue end = {(cycle_t)(collected / steps), start, start + timing.latency + 2};
    for (uint32_t i = 0; i < inst->n_dst && unit != UNIT_LSU; i++) note_write(c, (inst->regs[i] + warp) % c->n_banks, end.written, now);
    return end;
}
