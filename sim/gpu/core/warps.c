/* Warps of a scheduler and of a CTA: which there are, what mechanisms let them do, and where they wait for another. */
#include "core/sm.h"

/* ---- of a scheduler ---- */

void scheduler_publish(struct sm *sm, uint32_t index, cycle_t now)
{
    struct scheduler *s = &sm->schedulers[index];
    const struct warp_set set = {.sm = sm->sm,
                                 .scheduler = index,
                                 .n = s->n,
                                 .ended = s->ended,
                                 .waiting = s->waiting,
                                 .slots = s->order,
                                 .now = now,
                                 .ask_at = &sm->ask_at};
    s->may_load = hook_warp_may_load(sm->hooks, &set);
    s->may_issue = hook_warp_may_issue(sm->hooks, &set) & ~s->waiting;
    s->may_pollute = hook_warp_may_pollute(sm->hooks, &set);
    scheduler_stale(s);
}

void scheduler_add(struct sm *sm, uint32_t index, uint32_t slot)
{
    struct scheduler *s = &sm->schedulers[index];
    const uint32_t pos = s->n++;
    scheduler_stale(s);
    s->live |= 1ull << pos;
    s->order[pos] = (uint8_t)slot;
    sm->warps[slot].scheduler = (uint8_t)index;
    sm->warps[slot].pos = (uint8_t)pos;
}

static uint64_t drop_bit(uint64_t mask, uint32_t pos)
{
    const uint64_t below = (1ull << pos) - 1;
    return (mask & below) | ((mask >> 1) & ~below);
}

static void scheduler_remove(struct sm *sm, uint32_t index, uint32_t pos)
{
    struct scheduler *s = &sm->schedulers[index];
    scheduler_stale(s);
    s->ready = drop_bit(s->ready, pos);
    s->waiting = drop_bit(s->waiting, pos);
    s->wait_mem = drop_bit(s->wait_mem, pos);
    s->wait_fetch = drop_bit(s->wait_fetch, pos);
    for (int i = 0; i < 2; i++) s->decoding[i] = drop_bit(s->decoding[i], pos);
    for (int u = 0; u < N_WANTS; u++) s->wants[u] = drop_bit(s->wants[u], pos);
    for (uint64_t left = s->wheel.busy; left; left &= left - 1) { /* it stands in none itself */
        uint64_t *slot = &s->wheel.bits[__builtin_ctzll(left)];
        *slot = drop_bit(*slot, pos);
    }
    s->far = drop_bit(s->far, pos);
    s->last = drop_bit(s->last, pos);
    s->n--;
    s->ended++;
    s->live = drop_bit(s->live, pos);
    for (uint32_t i = pos; i < s->n; i++) {
        s->order[i] = s->order[i + 1];
        sm->warps[s->order[i]].pos = (uint8_t)i;
    }
}

/* ---- of a CTA ---- */

struct warp_event warp_event(struct sm *sm, const struct warp *w, cycle_t now)
{
    return (struct warp_event){.sm = sm->sm,
                               .scheduler = w->scheduler,
                               .slot = (uint32_t)(w - sm->warps),
                               .uid = w->uid,
                               .now = now,
                               .ask_at = &sm->ask_at};
}

void warp_wait(struct sm *sm, struct warp *w, bool waiting, cycle_t now)
{
    struct scheduler *s = &sm->schedulers[w->scheduler];
    const uint64_t bit = 1ull << w->pos;
    s->waiting = waiting ? s->waiting | bit : s->waiting & ~bit;
    scheduler_publish(sm, w->scheduler, now);
}

static void release_barrier(struct sm *sm, uint32_t cta, uint32_t barrier, cycle_t now)
{
    sm->ctas[cta].arrived[barrier] = 0;
    for (uint32_t i = 0; i < sm->params->core.max_warps; i++) {
        struct warp *w = &sm->warps[i];
        if (!w->in_use || w->cta != cta || !w->at_barrier || w->barrier != barrier) continue;
        w->at_barrier = 0;
        if (w->is_finished) warp_maybe_exit(sm, w, now);
        else warp_wait(sm, w, false, now);
    }
}

void warp_barrier(struct sm *sm, struct warp *w, const struct plan_inst *inst, cycle_t now)
{
    struct cta *cta = &sm->ctas[w->cta];
    const uint32_t needed = inst->barrier_warps ? inst->barrier_warps : cta->live_warps;
    w->at_barrier = 1;
    w->barrier = inst->barrier;
    if (++cta->arrived[inst->barrier] >= needed) release_barrier(sm, w->cta, inst->barrier, now);
    else warp_wait(sm, w, true, now);
}

void warp_all_answered(struct sm *sm, struct warp *w, cycle_t now)
{
    if (w->at_fence) {
        w->at_fence = 0;
        warp_wait(sm, w, false, now);
    }
    if (w->is_finished) warp_maybe_exit(sm, w, now);
}

void warp_maybe_exit(struct sm *sm, struct warp *w, cycle_t now)
{
    struct scheduler *s = &sm->schedulers[w->scheduler];
    const uint64_t bit = 1ull << w->pos;
    scheduler_stale(s);
    s->ready &= ~bit;
    s->wait_mem &= ~bit;
    if (w->outstanding || w->at_barrier) {
        if (!(s->waiting & bit)) warp_wait(sm, w, true, now);
        return;
    }
    const uint32_t c = w->cta, scheduler = w->scheduler;
    if (sm->hooks->warp_exit.n) {
        const struct warp_event event = warp_event(sm, w, now);
        hook_warp_exit(sm->hooks, &event);
    }
    scheduler_remove(sm, scheduler, w->pos);
    w->in_use = 0;
    sm->stats.warps++;
    scheduler_publish(sm, scheduler, now);
    struct cta *cta = &sm->ctas[c];
    if (--cta->live_warps == 0) {
        cta->in_use = false;
        sm->n_ctas--;
        sm->stats.ctas++;
        sm->cta_finished = true;
        return;
    }
    for (uint32_t b = 0; b < MAX_BARRIERS; b++) /* those that wait may now be all there are */
        if (cta->arrived[b] && cta->arrived[b] >= cta->live_warps) release_barrier(sm, c, b, now);
}
