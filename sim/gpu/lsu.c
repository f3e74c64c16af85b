/* Load-store unit: a queue of memory instructions, in order. Its head sends one line request a cycle to L1; a request that
 * fails to reserve something blocks the queue and is tried again. Shared memory takes one cycle a bank-conflict pass. */
#include "sm.h"

bool lsu_has_room(const struct sm *sm)
{
    return sm->queue_count < sm->params->lsu.pipeline_width && sm->n_free_loads > 0;
}

void lsu_enter(struct sm *sm, struct warp *w, const struct plan_step *step, bool may_pollute, cycle_t now)
{
    const struct plan_inst *inst = &sm->plan->insts[step->inst];
    const uint32_t width = sm->params->lsu.pipeline_width;
    struct lsu_entry *e = &sm->queue[(sm->queue_head + sm->queue_count++) % width];
    (void)now;
    *e = (struct lsu_entry){.step = step, .warp = (uint8_t)(w - sm->warps), .may_pollute = may_pollute};
    w->outstanding++;
    for (uint32_t i = 0; i < inst->n_dst; i++) w->score[inst->regs[i]] = SCORE_PENDING;
    e->load = sm->free_loads[--sm->n_free_loads];
    const bool by_part = step->action == ACT_LOAD || (step->action == ACT_ATOMIC && inst->wants_result);
    sm->loads[e->load] = (struct load){.inst = inst, .remaining = by_part ? step->n : 1, .warp = e->warp};
}

/* The last part of a load is known to be there at `load->ready`. */
static void load_complete(struct sm *sm, uint32_t index, cycle_t now)
{
    struct load *load = &sm->loads[index];
    struct warp *w = &sm->warps[load->warp];
    for (uint32_t i = 0; i < load->inst->n_dst; i++) w->score[load->inst->regs[i]] = SCORE(load->ready, 1);
    sm->free_loads[sm->n_free_loads++] = (uint16_t)index;
    if (load->inst->n_dst && !w->is_finished && !(sm->schedulers[w->scheduler].ready >> w->pos & 1)) warp_evaluate(sm, w, now);
    warp_answered(sm, w, now);
}

static void load_part(struct sm *sm, uint32_t index, cycle_t ready, cycle_t now)
{
    struct load *load = &sm->loads[index];
    if (ready > load->ready) load->ready = (uint32_t)ready;
    if (--load->remaining == 0) load_complete(sm, index, now);
}

void lsu_reply(struct sm *sm, const struct reply *reply, cycle_t now)
{
    if (reply->kind == REQUEST_READ) {
        const uint32_t *targets, n = l1_fill(&sm->l1, reply, &targets, now);
        for (uint32_t i = 0; i < n; i++) load_part(sm, targets[i], now, now);
        return;
    }
    if (reply->kind == REQUEST_FETCH) {
        sm->stats.l1i_fills++;
        fetch_fill(sm, reply->token, now);
        return;
    }
    sm->l1.stats.l1d_other_replies++;
    if (reply->kind == REQUEST_ATOMIC) load_part(sm, reply->token, now, now);
    else warp_answered(sm, &sm->warps[reply->token], now);
}

/* One line request of the head instruction. Returns L1_FAIL_* if it must be tried again. */
static enum l1_outcome send_request(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const plan_request r = sm->plan->requests[e->step->first + e->done];
    struct warp *w = &sm->warps[e->warp];
    enum l1_outcome outcome;
    if (e->step->action == ACT_LOAD && sm->params->ideal.perfect_l1) {
        l1_perfect_load(&sm->l1);
        load_part(sm, e->load, now, now);
        return L1_HIT;
    }
    if (e->step->action == ACT_LOAD) {
        outcome = l1_load(&sm->l1, REQUEST_LINE(r), w->uid, e->load, e->may_pollute, now);
        if (outcome == L1_HIT) load_part(sm, e->load, now + sm->params->l1.hit_latency, now);
        return outcome;
    }
    const bool wants_result = e->step->action == ACT_ATOMIC && sm->plan->insts[e->step->inst].wants_result;
    const enum request_kind kind = e->step->action == ACT_ATOMIC ? REQUEST_ATOMIC : REQUEST_WRITE;
    outcome = l1_send(&sm->l1, kind, REQUEST_LINE(r), REQUEST_SECTORS(r), wants_result ? e->load : e->warp, wants_result, now);
    if (outcome == L1_SENT && !wants_result) w->outstanding++; /* until its acknowledgement */
    return outcome;
}

static uint64_t *fail_counter(struct l1_stats *stats, enum l1_outcome outcome)
{
    switch (outcome) {
    case L1_FAIL_LINE: return &stats->l1d_fail_line_cycles;
    case L1_FAIL_MSHR: return &stats->l1d_fail_mshr_cycles;
    case L1_FAIL_MERGE: return &stats->l1d_fail_merge_cycles;
    default: return &stats->l1d_fail_queue_cycles;
    }
}

static void pop(struct sm *sm)
{
    sm->queue_head = (sm->queue_head + 1) % sm->params->lsu.pipeline_width;
    sm->queue_count--;
}

static void tick_lines(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const struct plan_step *step = e->step;
    const uint32_t index = e->load; /* the entry may be reused once the last part is sent */
    const bool is_load = step->action == ACT_LOAD, last = e->done + 1u == step->n;
    const bool by_part = is_load || sm->plan->insts[step->inst].wants_result;
    const enum l1_outcome outcome = send_request(sm, e, now);
    if (outcome >= L1_FAIL_LINE) {
        sm->l1.stats.l1d_reservation_fails += !e->has_failed;
        e->has_failed = 1;
        sm->lsu_cause = fail_counter(&sm->l1.stats, outcome);
        ++*sm->lsu_cause;
        return;
    }
    sm->lsu_cause = NULL;
    sm->stats.lsu_busy_cycles++;
    sm->stats.line_requests++;
    e->has_failed = 0;
    e->done++;
    if (!last) return;
    pop(sm);
    if (!by_part) load_part(sm, index, now, now);
}

void lsu_tick(struct sm *sm, cycle_t now)
{
    if (!sm->queue_count || sm->lsu_busy > now) return;
    struct lsu_entry *e = &sm->queue[sm->queue_head];
    if (e->step->action != ACT_SHARED && e->step->action != ACT_CONST) {
        tick_lines(sm, e, now);
        return;
    }
    const bool is_shared = e->step->action == ACT_SHARED;
    const uint32_t passes = is_shared ? e->step->n : 1;
    const uint32_t latency = is_shared ? sm->params->lsu.shared_latency : sm->params->lsu.const_latency, index = e->load;
    sm->lsu_busy = now + passes;
    sm->stats.lsu_busy_cycles += passes;
    sm->stats.shared_passes += is_shared ? passes : 0;
    pop(sm);
    load_part(sm, index, now + passes - 1 + latency, now);
}
