/* An SM that hands its warps over to one of another machine: when nothing is on its way in it, and how the other one
 * begins with CTAs, barriers and positions in the trace as they are. */
#include "core/sm.h"

#include <string.h>

/* ---- what is on its way ---- */

static bool is_fetching(const struct sm *sm)
{
    for (uint32_t i = 0; i < sm->params->fetch.mshrs; i++)
        if (sm->fetch.misses[i].waiting) return true;
    return false;
}

/* Units that arithmetic or accesses hold. The load-store unit has room, or not. */
static bool has_busy_units(const struct sm *sm, cycle_t now)
{
    for (uint32_t i = 0; i < COUNT_OF(sm->free_at); i++)
        if (i / MAX_UNITS != UNIT_LSU && sm->free_at[i] != NEVER && sm->free_at[i] > now) return true;
    return sm->issued.kinds != 0;
}

/* Results that cannot be read yet, or accesses that are not answered. */
static bool has_pending_warps(const struct sm *sm, cycle_t now)
{
    for (uint32_t i = 0; i < sm->params->core.max_warps; i++) {
        const struct warp *w = &sm->warps[i];
        if (!w->in_use) continue;
        if (w->outstanding) return true;
        for (uint32_t r = 0; r < sm->plan->launch.n_regs; r++)
            if (w->score[r] >= SCORE_PENDING_UNIT || SCORE_CYCLE(w->score[r]) > now) return true;
    }
    return false;
}

bool sm_is_drained(const struct sm *sm, cycle_t now)
{
    const struct l1 *l1 = &sm->l1;
    if (sm->queue_count || sm->pipe_count || lsu_ordered(sm) || sm->in_flight || !reply_fifo_empty(&sm->replies))
        return false;
    if (l1->mshrs.used || l1->bypasses.used || l1->to_xbar.count || sm->constants.mshrs.used || sm->textures.mshrs.used)
        return false;
    return sm->n_free_loads == sm->params->lsu.pending_loads && !is_fetching(sm) && !has_busy_units(sm, now) &&
           !has_pending_warps(sm, now);
}

/* ---- what the other SM begins with ---- */

/* A cache that nothing is on its way to, of the same shape, holds what this one holds. */
static void copy_tags(struct tags *to, const struct tags *from)
{
    if (!from->bytes || to->bytes != from->bytes || to->org != from->org || to->order.type != from->order.type) return;
    memcpy(to->block, from->block, to->bytes);
    to->stamp = from->stamp;
    if (from->order.memory) to->order.memory->stamp = from->order.memory->stamp;
}

static void take_warp(struct sm *to, const struct sm *from, uint32_t slot)
{
    const struct warp *was = &from->warps[slot];
    struct warp *w = &to->warps[slot];
    uint32_t *score = w->score;
    memset(score, 0, to->plan->launch.n_regs * sizeof *score);
    *w = (struct warp){.next = to->plan->steps + (was->next - from->plan->steps),
                       .end = to->plan->steps + (was->end - from->plan->steps),
                       .score = score,
                       .uid = was->uid,
                       .cta = was->cta,
                       .in_use = 1,
                       .at_barrier = was->at_barrier,
                       .barrier = was->barrier,
                       .is_finished = was->is_finished};
}

/* In the order of age, so that each scheduler has the warps that it had. */
static void take_warps(struct sm *to, const struct sm *from)
{
    for (uint32_t i = 0; i < from->params->core.schedulers; i++) {
        const struct scheduler *was = &from->schedulers[i];
        struct scheduler *s = &to->schedulers[i];
        for (uint32_t pos = 0; pos < was->n; pos++) {
            take_warp(to, from, was->order[pos]);
            scheduler_add(to, i, was->order[pos]);
        }
        s->waiting = was->waiting;
        s->ended = was->ended;
        s->last = was->last;
    }
}

void sm_introduce(struct sm *sm, cycle_t now)
{
    uint64_t told = 0;
    if (!sm->hooks->warp_start.n) return;
    for (;;) {
        const struct warp *first = NULL;
        for (uint32_t i = 0; i < sm->params->core.max_warps; i++) {
            const struct warp *w = &sm->warps[i];
            if (w->in_use && !(told >> i & 1) && (!first || w->uid < first->uid)) first = w;
        }
        if (!first) return;
        told |= 1ull << (first - sm->warps);
        const struct warp_event event = warp_event(sm, first, now);
        hook_warp_start(sm->hooks, &event);
    }
}

/* Its next instruction is looked up and fetched anew. */
static void continue_warp(struct sm *sm, struct warp *w, cycle_t now)
{
    struct scheduler *s = &sm->schedulers[w->scheduler];
    if (w->next == w->end) return;
    warp_evaluate(sm, s, w, now + 1);
    if (!sm->params->fetch.ideal) fetch_want(sm, s, w);
}

void sm_take_over(struct sm *to, const struct sm *from, cycle_t now)
{
    memcpy(to->ctas, from->ctas, sizeof to->ctas);
    to->n_ctas = from->n_ctas;
    take_warps(to, from);
    copy_tags(&to->fetch.tags, &from->fetch.tags);
    copy_tags(&to->constants.tags, &from->constants.tags);
    copy_tags(&to->textures.tags, &from->textures.tags);
    sm_introduce(to, now);
    for (uint32_t i = 0; i < to->params->core.max_warps; i++)
        if (to->warps[i].in_use) continue_warp(to, &to->warps[i], now);
    for (uint32_t i = 0; i < to->params->core.schedulers; i++) scheduler_publish(to, i, now);
}
