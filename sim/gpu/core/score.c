#include "core/score.h"

uint32_t score_of_more(const uint32_t *score, const struct plan_inst *inst)
{
    uint32_t latest = 0;
    for (uint32_t i = PLAN_USUAL_REGS; i < inst->n_regs; i++) latest = later(latest, score[inst->regs[i]]);
    return latest;
}

void score_more(uint32_t *score, const struct plan_inst *inst, uint32_t value)
{
    for (uint32_t i = 1; i < inst->n_dst; i++) score[inst->regs[i]] = value;
}

void warp_loaded(struct scheduler *s, struct warp *w, cycle_t now)
{
    const uint64_t bit = 1ull << w->pos;
    if (w->ready_cycle != SCORE_CYCLE(SCORE_PENDING)) return;
    const uint32_t score = score_of(w, w->inst);
    if (score >= SCORE_PENDING_UNIT) return;
    const uint64_t waited = s->wait_mem & bit;
    s->wait_mem &= ~bit;
    const cycle_t at = place(s, w, bit, score, now);
    if ((s->wait_mem & bit) != waited) scheduler_stale(s); /* slots are lost for another reason */
    else if (at < s->wake) s->wake = at;
}
