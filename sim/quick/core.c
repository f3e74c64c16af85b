/* SMs: CTAs, warps that issue in order when their registers are there, and schedulers that go from one issue to the
 * next. */
#include <string.h>
#include "quick.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* When the registers of the warp's next instruction are there. */
static uint64_t ready_at(const struct quick *q, const struct quick_warp *w, uint64_t now)
{
    if (w->step == w->end) return now;
    const struct plan_inst *inst = &q->plan->insts[w->step->inst];
    for (uint32_t i = 0; i < inst->n_regs; i++) now = later(now, w->regs[inst->regs[i]]);
    return now;
}

void quick_sm_clear(struct quick *q, struct quick_sm *sm)
{
    quick_l1_clear(&sm->l1, &q->m);
    memset(sm->schedulers, 0, sizeof sm->schedulers);
    memset(sm->units, 0, sizeof sm->units);
    admission_init(&sm->admission, q->limit.in_gangs ? ADMIT_GANG : ADMIT_EACH, plan_warps_per_scheduler(q->plan));
    memset(sm->entered, 0, sizeof sm->entered);
    sm->lsu = sm->insts = sm->end = 0;
    sm->ring = sm->age = 0;
    for (uint32_t i = 0; i < q->plan->ctas_per_sm; i++) sm->ctas[i].live = 0;
}

/* The CTA's warps that have any instructions. */
static void fill_slot(struct quick *q, struct quick_sm *sm, uint32_t slot, uint32_t cta, uint64_t now)
{
    const struct plan *plan = q->plan;
    const uint32_t n = plan->launch.warps_per_cta;
    struct quick_cta *at = &sm->ctas[slot];
    at->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t index = slot * n + i;
        const struct plan_warp *from = &plan->warps[(uint64_t)cta * n + i];
        struct quick_warp *w = &sm->warps[index];
        struct quick_scheduler *s = &sm->schedulers[sm->age++ % q->m.schedulers];
        if (!from->n_steps) continue;
        memset(w->regs, 0, (plan->launch.n_regs + 2) * sizeof *w->regs);
        w->step = plan->steps + from->first_step;
        w->end = w->step + from->n_steps;
        w->ready = now;
        w->state = QUICK_RUNS;
        w->slot = (uint8_t)slot;
        at->warps[at->n++] = (uint16_t)index;
        s->warps[s->n++] = (uint16_t)index;
        if (s->now > now) s->now = now;
    }
    at->live = at->n;
}

void quick_take_cta(struct quick *q, struct quick_sm *sm, uint32_t slot, uint64_t now)
{
    sm->ctas[slot].live = 0;
    while (!sm->ctas[slot].live && q->next_cta < q->n_ctas) fill_slot(q, sm, slot, q->ctas[q->next_cta++], now);
}

/* Those that wait at barrier b are all that live, or as many as it asks for: they go on. */
static void pass_barrier(struct quick *q, struct quick_sm *sm, const struct quick_cta *cta, uint32_t b, uint32_t asked,
                         uint64_t now)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < cta->n; i++) {
        const struct quick_warp *w = &sm->warps[cta->warps[i]];
        waiting += w->state == QUICK_AT_BARRIER && w->barrier == b;
    }
    if (!waiting || waiting < (asked && asked < cta->live ? asked : cta->live)) return;
    for (uint32_t i = 0; i < cta->n; i++) {
        struct quick_warp *w = &sm->warps[cta->warps[i]];
        if (w->state != QUICK_AT_BARRIER || w->barrier != b) continue;
        w->state = QUICK_RUNS;
        w->ready = ready_at(q, w, now + q->m.timing[TRACE_BARRIER].latency);
    }
    for (uint32_t k = 0; k < q->m.schedulers; k++)
        if (sm->schedulers[k].now > now + 1) sm->schedulers[k].now = now + 1;
}

static void end_warp(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint32_t index, uint64_t now)
{
    struct quick_warp *w = &sm->warps[index];
    struct quick_cta *cta = &sm->ctas[w->slot];
    uint32_t i = 0;
    while (s->warps[i] != index) i++;
    memmove(&s->warps[i], &s->warps[i + 1], (s->n - i - 1) * sizeof *s->warps);
    s->n--;
    s->ended++;
    s->last = UINT32_MAX;
    w->step = w->end = NULL;
    sm->end = later(sm->end, now);
    if (--cta->live) {
        for (uint32_t b = 0; b < 16; b++) pass_barrier(q, sm, cta, b, 0, now);
        return;
    }
    quick_take_cta(q, sm, w->slot, now + 1);
}

/* A unit of the class that is free first, for the instruction's interval. */
static uint64_t use_unit(const struct quick *q, struct quick_sm *sm, const struct plan_inst *inst, uint64_t now)
{
    const uint32_t unit = q->m.unit_of[inst->unit], interval = q->m.timing[inst->cls].interval;
    uint64_t *free = sm->units[unit], *first = free;
    for (uint32_t i = 1; i < q->m.unit_count[unit]; i++)
        if (free[i] < *first) first = &free[i];
    const uint64_t begin = later(now, *first);
    *first = begin + interval;
    return begin;
}

/* Global, local, constant and texture lines go through the load-store unit one after another. */
static uint64_t access_lines(struct quick *q, struct quick_sm *sm, const struct plan_inst *inst,
                             const struct plan_step *step, bool pollutes, uint64_t now)
{
    uint64_t t = later(now, sm->lsu), done = t;
    const plan_request *requests = q->plan->requests + step->first;
    for (uint32_t i = 0; i < step->n; i++) {
        uint64_t at = t;
        switch (step->action) {
        case ACT_STORE:
        case ACT_COUNTED_STORE: quick_store(&q->mem, &sm->l1, requests[i], &t); break;
        case ACT_ATOMIC:
        case ACT_COUNTED_ATOMIC: at = quick_atomic(&q->mem, &sm->l1, requests[i], &t); break;
        default: at = quick_load(&q->mem, &sm->l1, requests[i], pollutes, inst->passes_l1, &t); break;
        }
        done = later(done, at);
    }
    sm->lsu = t;
    sm->entered[sm->ring] = t;
    sm->ring = (sm->ring + 1) % q->m.max_lsu;
    return done;
}

static uint64_t result_at(struct quick *q, struct quick_sm *sm, const struct plan_inst *inst,
                          const struct plan_step *step, bool pollutes, uint64_t now)
{
    if (plan_step_has_lines(q->plan, step)) return access_lines(q, sm, inst, step, pollutes, now);
    switch (step->action) {
    case ACT_SHARED:
    case ACT_COUNTED_SHARED: sm->lsu = later(now, sm->lsu) + step->n; return sm->lsu - 1 + q->m.shared_latency;
    case ACT_CONST: return now + q->m.const_latency;
    default: return use_unit(q, sm, inst, now) + q->m.timing[inst->cls].latency;
    }
}

/* Issues the warp's next instruction. */
static void issue(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint32_t index, bool pollutes,
                  uint64_t now)
{
    struct quick_warp *w = &sm->warps[index];
    const struct plan_step *step = w->step++;
    const struct plan_inst *inst = &q->plan->insts[step->inst];
    sm->insts++;
    if (step->action == ACT_BARRIER) {
        w->state = QUICK_AT_BARRIER;
        w->barrier = inst->barrier;
        pass_barrier(q, sm, &sm->ctas[w->slot], inst->barrier, inst->barrier_warps, now);
    } else {
        const uint64_t done = result_at(q, sm, inst, step, pollutes, now);
        for (uint32_t i = 0; i < inst->n_dst; i++) w->regs[inst->regs[i]] = done;
        w->ready = ready_at(q, w, now + 1);
    }
    if (w->step == w->end) end_warp(q, sm, s, index, now);
}

/* The warp's instruction waits for a place in the load-store unit's queue until then. */
static uint64_t lsu_room(const struct quick *q, const struct quick_sm *sm, const struct quick_warp *w)
{
    return q->plan->insts[w->step->inst].is_memory ? sm->entered[sm->ring] : 0;
}

/* How many of the scheduler's warps may issue. A gang that ends lets others in as well. */
static uint32_t places(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint64_t now)
{
    if (!sm->admission.all) return q->limit.N;
    uint64_t ask_at = QUICK_NEVER;
    struct warp_set set = {
        .scheduler = (uint32_t)(s - sm->schedulers), .n = s->n, .ended = s->ended, .now = now, .ask_at = &ask_at};
    for (uint32_t i = 0; i < s->n; i++)
        set.waiting |= (uint64_t)(sm->warps[s->warps[i]].state == QUICK_AT_BARRIER) << i;
    const uint32_t n = admission_places(&sm->admission, &set, q->limit.N);
    for (uint32_t k = 0; k < q->m.schedulers && ask_at != QUICK_NEVER; k++)
        if (sm->schedulers[k].now > ask_at) sm->schedulers[k].now = ask_at;
    return n;
}

/* One issue of a scheduler; its next time. Ranks go to warps that do not wait at a barrier, oldest first; the warp that
 * issued last goes before others (greedy), or behind them (loose round robin). */
static uint64_t scheduler_turn(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint64_t now)
{
    uint64_t soonest = QUICK_NEVER;
    uint32_t rank = 0, pick = UINT32_MAX, pick_rank = 0, pick_order = UINT32_MAX;
    const uint32_t N = places(q, sm, s, now);
    for (uint32_t i = 0; i < s->n && rank < N; i++) {
        const struct quick_warp *w = &sm->warps[s->warps[i]];
        if (w->state == QUICK_AT_BARRIER) continue;
        const uint64_t at = later(w->ready, lsu_room(q, sm, w));
        if (at > now) {
            soonest = at < soonest ? at : soonest;
            rank++;
            continue;
        }
        const bool was_last = s->warps[i] == s->last;
        const uint32_t order = q->m.loose_round_robin
                                   ? (s->warps[i] + QUICK_WARPS * 4 - s->last - 1) % (QUICK_WARPS * 4)
                               : was_last ? 0
                                          : i + 1;
        if (order < pick_order) pick = s->warps[i], pick_rank = rank, pick_order = order;
        rank++;
        if (was_last && !q->m.loose_round_robin) break;
    }
    if (pick == UINT32_MAX) return soonest;
    s->last = pick;
    issue(q, sm, s, pick, pick_rank < q->limit.p, now);
    if (sm->admission.all) places(q, sm, s, now); /* a warp has ended, or waits */
    return now + 1;
}

uint64_t quick_turn(struct quick *q, struct quick_sm *sm, uint64_t now)
{
    uint64_t next = QUICK_NEVER;
    for (uint32_t i = 0; i < q->m.schedulers; i++) {
        struct quick_scheduler *s = &sm->schedulers[i];
        if (s->now > now || !s->n) continue;
        s->now = QUICK_NEVER; /* a CTA that comes, or a barrier that opens, sets it */
        const uint64_t at = scheduler_turn(q, sm, s, now);
        if (at < s->now) s->now = at;
    }
    for (uint32_t i = 0; i < q->m.schedulers; i++)
        if (sm->schedulers[i].n && sm->schedulers[i].now < next) next = sm->schedulers[i].now;
    return next > now ? next : now + 1;
}
