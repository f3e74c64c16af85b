/* The scoreboard: when a warp's next instruction can read its registers, and where its scheduler keeps the warp until
 * then. */
#ifndef GPU_SCORE_H
#define GPU_SCORE_H
#include "core/sm.h"

/* Returns the cycle in which it is taken out again. */
static inline cycle_t put_due(struct scheduler *s, uint64_t bit, cycle_t at, cycle_t now)
{
    if (at - now >= WHEEL_SLOTS) {
        at = now + WHEEL_SLOTS - 1;
        s->far |= bit;
    }
    wheel_slots_put(&s->wheel, bit, at);
    return at;
}

static inline uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Few instructions have more than the usual registers or more than one result: out of line, and no loop for vectors
 * in hot code. */
APART uint32_t score_of_more(const uint32_t *score, const struct plan_inst *inst);
/* When the last of its registers can be read. */
static inline uint32_t score_of(const struct warp *w, const struct plan_inst *inst)
{
    const uint32_t *score = w->score;
    const uint16_t *regs = inst->regs;
    uint32_t latest = later(later(score[regs[0]], score[regs[1]]), later(score[regs[2]], score[regs[3]]));
    return inst->n_regs > PLAN_USUAL_REGS ? later(latest, score_of_more(score, inst)) : latest;
}

/* Among those that are ready, or will be, or wait for memory. Returns when its scheduler must look at it: 0 if it is
 * ready, NEVER if nobody knows yet. */
static inline cycle_t place(struct scheduler *s, struct warp *w, uint64_t bit, uint32_t score, cycle_t earliest)
{
    w->ready_cycle = SCORE_CYCLE(score);
    if (w->ready_cycle <= earliest) {
        s->ready |= bit;
        return 0;
    }
    if (score & 1) s->wait_mem |= bit;
    return w->ready_cycle != SCORE_CYCLE(SCORE_PENDING) ? put_due(s, bit, w->ready_cycle, earliest) : NEVER;
}
#endif
