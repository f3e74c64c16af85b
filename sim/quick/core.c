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

#define NONE UINT32_MAX

/* What the warp's scheduler has to know of its next instruction, which may issue at `ready`. */
static void set_next(const struct quick *q, struct quick_scheduler *s, const struct quick_warp *w, uint64_t ready)
{
    const uint64_t bit = 1ull << w->place;
    s->ready[w->place] = ready;
    s->asleep |= bit;
    if (ready < s->wake) s->wake = ready;
    if (q->plan->insts[w->step->inst].is_memory) s->memory |= bit;
    else s->memory &= ~bit;
}

void quick_sm_clear(struct quick *q, struct quick_sm *sm)
{
    quick_l1_clear(&sm->l1, &q->m);
    memset(sm->schedulers, 0, sizeof sm->schedulers);
    for (uint32_t i = 0; i < QUICK_SCHEDULERS; i++)
        sm->schedulers[i].wake = QUICK_NEVER, sm->schedulers[i].ranks_N = NONE;
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
        w->state = QUICK_RUNS;
        w->slot = (uint8_t)slot;
        w->scheduler = (uint8_t)(s - sm->schedulers);
        w->place = (uint8_t)s->n;
        at->warps[at->n++] = (uint16_t)index;
        s->warps[s->n++] = (uint16_t)index;
        s->ranks_N = NONE;
        set_next(q, s, w, now);
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
        if (w->step == w->end) continue; /* the barrier was its last instruction */
        struct quick_scheduler *s = &sm->schedulers[w->scheduler];
        s->waiting &= ~(1ull << w->place);
        s->ranks_N = NONE;
        set_next(q, s, w, ready_at(q, w, now + q->m.timing[TRACE_BARRIER].latency));
    }
    for (uint32_t k = 0; k < q->m.schedulers; k++)
        if (sm->schedulers[k].now > now + 1) sm->schedulers[k].now = now + 1;
}

/* The bits above `place` move down by one. */
static uint64_t without(uint64_t set, uint32_t place)
{
    const uint64_t below = (1ull << place) - 1;
    return (set & below) | (set >> 1 & ~below);
}

static void leave(struct quick_sm *sm, struct quick_scheduler *s, uint32_t place)
{
    s->n--;
    for (uint32_t i = place; i < s->n; i++) {
        s->warps[i] = s->warps[i + 1];
        s->ready[i] = s->ready[i + 1];
        sm->warps[s->warps[i]].place = (uint8_t)i;
    }
    s->waiting = without(s->waiting, place);
    s->memory = without(s->memory, place);
    s->asleep = without(s->asleep, place);
    s->ranks_N = NONE;
    s->ended++;
    s->last = s->last_index = NONE;
}

static void end_warp(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint32_t index, uint64_t now)
{
    struct quick_warp *w = &sm->warps[index];
    struct quick_cta *cta = &sm->ctas[w->slot];
    leave(sm, s, w->place);
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
        s->waiting |= 1ull << w->place;
        s->ranks_N = NONE;
        pass_barrier(q, sm, &sm->ctas[w->slot], inst->barrier, inst->barrier_warps, now);
    } else {
        const uint64_t done = result_at(q, sm, inst, step, pollutes, now);
        for (uint32_t i = 0; i < inst->n_dst; i++) w->regs[inst->regs[i]] = done;
        if (w->step != w->end) set_next(q, s, w, ready_at(q, w, now + 1));
    }
    if (w->step == w->end) end_warp(q, sm, s, index, now);
}

/* How many of the scheduler's warps may issue. A gang that ends lets others in as well. */
static uint32_t places(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint64_t now)
{
    if (!sm->admission.all) return q->limit.N;
    uint64_t ask_at = QUICK_NEVER;
    struct warp_set set = {.scheduler = (uint32_t)(s - sm->schedulers),
                           .n = s->n,
                           .waiting = s->waiting,
                           .ended = s->ended,
                           .now = now,
                           .ask_at = &ask_at};
    const uint32_t n = admission_places(&sm->admission, &set, q->limit.N);
    for (uint32_t k = 0; k < q->m.schedulers && ask_at != QUICK_NEVER; k++)
        if (sm->schedulers[k].now > ask_at) sm->schedulers[k].now = ask_at;
    return n;
}

/* Ranks go to warps that do not wait at a barrier, oldest first: N of them may issue, and p of these pollute. They stay
 * until a warp comes, ends, or meets others at a barrier. */
static void rank_warps(struct quick_scheduler *s, struct quick_limit limit, uint32_t N)
{
    const uint64_t runs = (s->n < 64 ? (1ull << s->n) - 1 : UINT64_MAX) & ~s->waiting;
    uint64_t left = runs;
    uint32_t rank = 0;
    s->ranks_N = N;
    s->pollutes = runs;
    for (; left && rank < N; left &= left - 1, rank++)
        if (rank == limit.p) s->pollutes = runs & ~left;
    s->may_issue = runs & ~left;
    s->pollutes &= s->may_issue;
}

/* Registers of warps that slept are there. */
static void wake_warps(struct quick_scheduler *s, uint64_t now)
{
    s->wake = QUICK_NEVER;
    for (uint64_t left = s->asleep; left; left &= left - 1) {
        const uint64_t ready = s->ready[__builtin_ctzll(left)];
        if (ready <= now) s->asleep &= ~(left & -left);
        else if (ready < s->wake) s->wake = ready;
    }
}

/* Of warps that can issue the one whose turn it is, after the last one. */
static uint32_t in_turn(const struct quick_scheduler *s, uint64_t warps)
{
    uint32_t pick = NONE, least = UINT32_MAX;
    for (; warps; warps &= warps - 1) {
        const uint32_t place = (uint32_t)__builtin_ctzll(warps),
                       order = (s->warps[place] + QUICK_WARPS * 4 - s->last_index - 1) % (QUICK_WARPS * 4);
        if (order < least) pick = place, least = order;
    }
    return pick;
}

/* The place of the warp that issues now; greedily the last one before the oldest. NONE: no warp can before *soonest, or
 * some time after it. A memory instruction needs room in the load-store unit's queue. */
static uint32_t pick_warp(const struct quick *q, const struct quick_sm *sm, struct quick_scheduler *s, uint64_t now,
                          uint64_t *soonest)
{
    const uint64_t room = sm->entered[sm->ring], held = room > now ? s->memory : 0;
    const bool greedy = !q->m.loose_round_robin;
    if (greedy && s->last != NONE && (s->may_issue & ~held) >> s->last & 1 && s->ready[s->last] <= now) return s->last;
    if (s->wake <= now) wake_warps(s, now);
    const uint64_t can = s->may_issue & ~s->asleep & ~held;
    *soonest = s->may_issue & ~s->asleep & held && room < s->wake ? room : s->wake;
    if (!can) return NONE;
    return greedy ? (uint32_t)__builtin_ctzll(can) : in_turn(s, can);
}

/* One issue of a scheduler; its next time. */
static uint64_t scheduler_turn(struct quick *q, struct quick_sm *sm, struct quick_scheduler *s, uint64_t now)
{
    uint64_t soonest;
    const uint32_t N = places(q, sm, s, now);
    if (s->ranks_N != N) rank_warps(s, q->limit, N);
    const uint32_t place = pick_warp(q, sm, s, now, &soonest);
    if (place == NONE) return soonest;
    s->last = place;
    s->last_index = s->warps[place];
    issue(q, sm, s, s->last_index, s->pollutes >> place & 1, now);
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
