/* Load-store unit: a queue of memory instructions, in order. Its head sends one line request a cycle to L1; a request that
 * fails to reserve something blocks the queue and is tried again, unless a mechanism sends it around L1. Shared memory takes
 * one cycle a bank-conflict pass. A mechanism that orders requests stands between the queue and L1:
 *
 *   queue --one a cycle--> (request_order) --one a cycle--> (pipeline of a late lookup) --> L1 */
#include "address.h"
#include "sm.h"

static struct load_event load_event(const struct sm *sm, uint32_t index, uint32_t degree, cycle_t now)
{
    const struct load *load = &sm->loads[index];
    return (struct load_event){.sm = sm->sm, .slot = load->warp, .uid = sm->warps[load->warp].uid, .pc = load->inst->pc, .load = index,
                               .degree = degree, .now = now};
}

void lsu_enter(struct sm *sm, struct warp *w, const struct plan_step *step, bool may_pollute, cycle_t now)
{
    const struct plan_inst *inst = &sm->plan->insts[step->inst];
    const uint32_t width = sm->params->lsu.pipeline_width;
    const uint32_t at = sm->queue_head + sm->queue_count++;
    struct lsu_entry *e = &sm->queue[at < width ? at : at - width];
    *e = (struct lsu_entry){.step = step, .warp = (uint8_t)(w - sm->warps), .may_pollute = may_pollute};
    w->outstanding++;
    for (uint32_t i = 0; i < inst->n_dst; i++) w->score[inst->regs[i]] = SCORE_PENDING;
    e->load = sm->free_loads[--sm->n_free_loads];
    if (sm->queue_count == width || !sm->n_free_loads) lsu_note_room(sm);
    const bool by_part = step->action == ACT_LOAD || step->action == ACT_TEXTURE || (step->action == ACT_ATOMIC && inst->wants_result) ||
                         (step->action == ACT_CONST && sm->plan->caches_constants);
    sm->loads[e->load] = (struct load){.inst = inst, .remaining = by_part ? step->n : 1, .warp = e->warp};
    if (step->action != ACT_LOAD) return;
    const struct hooks *hooks = sm->hooks;
    if (!(hooks->load_route.n + hooks->on_load.n + hooks->on_load_done.n)) return;
    const struct load_event event = load_event(sm, e->load, step->n, now);
    sm->loads[e->load].is_told = 1;
    hook_on_load(hooks, &event);
    const enum route route = inst->is_global_load ? hook_load_route(hooks, &event) : ROUTE_L1; /* L1 may hold the only copy of local memory */
    e->bypass = route == ROUTE_BYPASS || route == ROUTE_BYPASS_LINE ? (uint8_t)route : 0;
}

/* The last part of a load is known to be there at `load->ready`. */
static void load_complete(struct sm *sm, uint32_t index, cycle_t now)
{
    struct load *load = &sm->loads[index];
    struct warp *w = &sm->warps[load->warp];
    for (uint32_t i = 0; i < load->inst->n_dst; i++) w->score[load->inst->regs[i]] = SCORE(load->ready, 1);
    sm->free_loads[sm->n_free_loads++] = (uint16_t)index;
    if (sm->n_free_loads == 1) lsu_note_room(sm);
    if (load->is_told && sm->hooks->on_load_done.n) {
        const struct load_event event = load_event(sm, index, 0, load->ready);
        hook_on_load_done(sm->hooks, &event);
    }
    struct scheduler *s = &sm->schedulers[w->scheduler];
    if (load->inst->n_dst && !w->is_finished && !(s->ready >> w->pos & 1)) warp_loaded(sm, s, w, now);
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
        fetch_fill(sm, reply->token);
        return;
    }
    if (reply->kind == REQUEST_BYPASS) {
        load_part(sm, l1_bypassed(&sm->l1, reply, now), now, now);
        return;
    }
    if (reply->kind == REQUEST_CONST || reply->kind == REQUEST_TEXTURE) {
        const uint32_t *targets, n = read_only_fill(reply->kind == REQUEST_CONST ? &sm->constants : &sm->textures, reply->token, &targets);
        sm->l1.stats.read_only_fills++;
        for (uint32_t i = 0; i < n; i++) load_part(sm, targets[i], now, now);
        return;
    }
    sm->l1.stats.l1d_other_replies++;
    if (reply->kind == REQUEST_WRITEBACK) {
        sm->l1.writebacks_done++;
        return;
    }
    if (reply->kind == REQUEST_ATOMIC) load_part(sm, reply->token, now, now);
    else warp_answered(sm, &sm->warps[reply->token], now);
}

static void tell_access(struct sm *sm, const struct line_access *a, enum l1_outcome outcome, cycle_t now)
{
    const struct access_event event = {
        .sm = sm->sm, .slot = a->warp, .uid = sm->warps[a->warp].uid, .line = REQUEST_LINE(a->request), .pc = sm->loads[a->load].inst->pc,
        .load = a->load, .degree = a->degree, .may_pollute = a->may_pollute, .outcome = outcome == L1_HIT ? ACCESS_HIT : outcome == L1_MERGED ? ACCESS_MERGED : ACCESS_MISS,
        .insts = sm->stats.warp_insts, .now = now, .ask_at = &sm->ask_at,
    };
    hook_on_access(sm->hooks, &event);
}

static enum l1_outcome bypass(struct sm *sm, const struct line_access *a, enum route route, cycle_t now)
{
    const uint32_t sectors = route == ROUTE_BYPASS_LINE ? (1u << sm->params->l1.line_bytes / 32) - 1 : REQUEST_SECTORS(a->request);
    return l1_bypass(&sm->l1, REQUEST_LINE(a->request), sectors, a->load, now);
}

/* L1 cannot take this load of global memory: a mechanism may send it around. */
static enum l1_outcome ask_bypass(struct sm *sm, const struct line_access *a, enum l1_outcome outcome, cycle_t now)
{
    const struct fail_event event = {
        .sm = sm->sm, .slot = a->warp, .uid = sm->warps[a->warp].uid, .line = REQUEST_LINE(a->request), .pc = sm->loads[a->load].inst->pc,
        .degree = a->degree, .bank = address_l2(sm->params, REQUEST_LINE(a->request)).bank, .cause = (enum fail_cause)(outcome - L1_FAIL_LINE),
        .has_room = request_fifo_has_room(&sm->l1.to_xbar) && !bypasses_full(&sm->l1.bypasses), .now = now, .ask_at = &sm->ask_at,
    };
    const enum route route = hook_on_reservation_fail(sm->hooks, &event);
    if (!event.has_room || route < ROUTE_BYPASS) return outcome;
    return bypass(sm, a, route, now);
}

static struct l1_access l1_access(const struct sm *sm, const struct line_access *a)
{
    return (struct l1_access){.line = REQUEST_LINE(a->request), .sectors = REQUEST_SECTORS(a->request), .warp = sm->warps[a->warp].uid,
                              .pc = sm->loads[a->load].inst->pc, .load = a->load, .may_pollute = a->may_pollute};
}

/* Looks L1 up. Returns L1_FAIL_* if it must be tried again. `data_at`: when a hit's data is there. */
static enum l1_outcome try_access(struct sm *sm, const struct line_access *a, cycle_t data_at, cycle_t now)
{
    struct warp *w = &sm->warps[a->warp];
    enum l1_outcome outcome;
    if (a->action == ACT_LOAD && sm->params->ideal.perfect_l1) {
        l1_perfect_load(&sm->l1);
        load_part(sm, a->load, now, now);
        return L1_HIT;
    }
    if (a->action == ACT_LOAD) {
        if (a->bypass) return bypass(sm, a, (enum route)a->bypass, now);
        const struct l1_access access = l1_access(sm, a);
        outcome = l1_load(&sm->l1, &access, now);
        if (sm->hooks->on_access.n && outcome <= L1_MISS) tell_access(sm, a, outcome, now);
        if (outcome == L1_HIT) load_part(sm, a->load, data_at, now);
        return outcome;
    }
    const enum request_kind kind = a->action == ACT_ATOMIC ? REQUEST_ATOMIC : REQUEST_WRITE;
    if (kind == REQUEST_WRITE && sm->params->l1.local_stores != LOCAL_THROUGH && line_is_local(REQUEST_LINE(a->request)))
        outcome = l1_store_local(&sm->l1, REQUEST_LINE(a->request), REQUEST_SECTORS(a->request), w->uid, a->warp, now);
    else
        outcome = l1_send(&sm->l1, kind, REQUEST_LINE(a->request), REQUEST_SECTORS(a->request), a->wants_result ? a->load : a->warp,
                          a->wants_result, now);
    if (outcome == L1_SENT && !a->wants_result) w->outstanding++; /* until its acknowledgement */
    if (outcome <= L1_SENT && a->is_last && !a->wants_result) load_part(sm, a->load, now, now);
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
    const uint32_t width = sm->params->lsu.pipeline_width;
    if (++sm->queue_head == width) sm->queue_head = 0;
    if (sm->queue_count-- == width) lsu_note_room(sm);
}

static bool is_queue_full(const struct sm *sm) { return sm->lsu_cause == &sm->l1.stats.l1d_fail_queue_cycles; }

/* The access at the door of L1 has failed, nothing has happened that lets it in, and no mechanism can change what it is or send it
 * elsewhere: it fails again. */
static bool is_shut(struct sm *sm)
{
    if (!sm->lsu_cause || sm->stuck_since != l1_progress(&sm->l1, is_queue_full(sm)) || sm->hooks->request_order.call || sm->hooks->on_reservation_fail.n)
        return false;
    ++*sm->lsu_cause;
    return true;
}

/* An access at the door of L1: true if it went through, else its failure is charged and it stays. */
static bool enter_l1(struct sm *sm, struct line_access *a, uint8_t *has_failed, cycle_t data_at, cycle_t now)
{
    enum l1_outcome outcome = try_access(sm, a, data_at, now);
    if (outcome >= L1_FAIL_LINE && sm->hooks->on_reservation_fail.n && a->action == ACT_LOAD && !a->bypass && sm->loads[a->load].inst->is_global_load)
        outcome = ask_bypass(sm, a, outcome, now);
    if (outcome >= L1_FAIL_LINE) {
        sm->l1.stats.l1d_reservation_fails += !*has_failed;
        *has_failed = 1;
        sm->lsu_cause = fail_counter(&sm->l1.stats, outcome);
        sm->stuck_since = l1_progress(&sm->l1, is_queue_full(sm));
        ++*sm->lsu_cause;
        return false;
    }
    sm->lsu_cause = NULL;
    *has_failed = 0;
    sm->stats.line_requests++;
    return true;
}

static struct line_access next_access(const struct sm *sm, const struct lsu_entry *e)
{
    const struct plan_step *step = e->step;
    return (struct line_access){.request = sm->plan->requests[step->first + e->done], .load = e->load, .warp = e->warp, .action = step->action,
                           .may_pollute = e->may_pollute, .is_last = e->done + 1u == step->n,
                           .bypass = e->bypass, .degree = step->n, .wants_result = step->action == ACT_ATOMIC && sm->plan->insts[step->inst].wants_result};
}

/* The end of the pipeline: its head looks up, or blocks it. */
static void tick_pipe(struct sm *sm, cycle_t now)
{
    for (uint32_t i = 0; i < sm->params->l1.banks && sm->pipe_count; i++) {
        struct line_access *head = &sm->pipe[sm->pipe_head];
        if (head->at > now || is_shut(sm) || !enter_l1(sm, head, &head->has_failed, now, now)) return;
        if (++sm->pipe_head == sm->pipe_size) sm->pipe_head = 0;
        sm->pipe_count--;
    }
}

static bool pipe_has_room(const struct sm *sm) { return sm->pipe_count < sm->pipe_size; }

static void enter_pipe(struct sm *sm, const struct line_access *a, cycle_t now)
{
    const uint32_t at = sm->pipe_head + sm->pipe_count++;
    struct line_access *stage = &sm->pipe[at < sm->pipe_size ? at : at - sm->pipe_size];
    *stage = *a;
    stage->at = now + sm->params->l1.hit_latency;
}

/* The unit that orders requests: what it names next goes to L1, or waits at its door. As many a cycle as L1 has banks. */
static void tick_order(struct sm *sm, cycle_t now)
{
    const struct order_ops *order = sm->hooks->request_order.call;
    void *self = sm->hooks->request_order.self;
    for (uint32_t i = 0; i < sm->params->l1.banks && order->count(self, sm->sm); i++, order->take(self, sm->sm)) {
        struct line_access *a = order->peek(self, sm->sm);
        if (!sm->params->l1.late_lookup) {
            if (!enter_l1(sm, a, &a->has_failed, now + sm->params->l1.hit_latency, now)) return;
        } else if (pipe_has_room(sm)) {
            enter_pipe(sm, a, now);
        } else {
            return;
        }
    }
}

uint32_t lsu_ordered(const struct sm *sm)
{
    return sm->hooks->request_order.call ? sm->hooks->request_order.call->count(sm->hooks->request_order.self, sm->sm) : 0;
}

static bool order_has_room(const struct sm *sm, const struct lsu_entry *e)
{
    return sm->hooks->request_order.call->has_room(sm->hooks->request_order.self, sm->sm, e->warp);
}

/* The head instruction's next line request; false if it has to wait. */
static bool tick_line(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    struct line_access a = next_access(sm, e);
    const bool is_last = a.is_last;
    if (sm->hooks->request_order.call) {
        if (!order_has_room(sm, e)) return false;
        sm->hooks->request_order.call->push(sm->hooks->request_order.self, sm->sm, &a, now);
    } else if (sm->params->l1.late_lookup) {
        if (!pipe_has_room(sm)) return false;
        enter_pipe(sm, &a, now);
    } else if (!enter_l1(sm, &a, &e->has_failed, now + sm->params->l1.hit_latency, now)) {
        return false;
    }
    e->done++;
    if (is_last) pop(sm);
    return true;
}

/* The banks a request needs; *cycles: how long, if one of them holds several of its chunks. */
static uint32_t banks_of(const struct l1_params *p, plan_request request, uint32_t *cycles)
{
    uint32_t uses[8] = {0}, banks = 0, last = UINT32_MAX;
    *cycles = 1;
    for (uint32_t left = REQUEST_SECTORS(request); left; left &= left - 1) {
        const uint32_t chunk = (REQUEST_LINE(request) * p->line_bytes + 32 * (uint32_t)__builtin_ctz(left)) / p->bank_bytes, bank = chunk & (p->banks - 1);
        if (chunk == last) continue;
        last = chunk;
        banks |= 1u << bank;
        if (++uses[bank] > *cycles) *cycles = uses[bank];
    }
    return banks;
}

/* Requests of the head instruction go together as long as each finds its banks free. */
static void tick_banks(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    uint32_t busy = 0, cycles = 1;
    while (cycles == 1) {
        const bool is_last = e->done + 1u == e->step->n;
        const uint32_t banks = banks_of(&sm->params->l1, sm->plan->requests[e->step->first + e->done], &cycles);
        if (busy & banks || (busy && cycles > 1) || !tick_line(sm, e, now)) return;
        if (!busy) sm->stats.lsu_busy_cycles += cycles;
        busy |= banks;
        if (is_last) break;
    }
    if (cycles > 1) sm->lsu_busy = now + cycles;
}

static void tick_lines(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    if (!sm->params->l1.late_lookup && is_shut(sm)) return;
    if (sm->params->l1.banks > 1) tick_banks(sm, e, now);
    else sm->stats.lsu_busy_cycles += tick_line(sm, e, now);
}

/* Constants and textures: a line request a cycle. One that must wait is tried again in every cycle. */
static void tick_read_only(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const bool is_const = e->step->action == ACT_CONST;
    const uint32_t line = REQUEST_LINE(sm->plan->requests[e->step->first + e->done]), load = e->load;
    const enum l1_outcome outcome = read_only_load(is_const ? &sm->constants : &sm->textures, &sm->l1, line, load);
    if (outcome >= L1_FAIL_LINE) return;
    sm->stats.lsu_busy_cycles++;
    if (++e->done == e->step->n) pop(sm);
    if (outcome == L1_HIT) load_part(sm, load, now + (is_const ? sm->params->lsu.const_latency : sm->params->lsu.tex_latency), now);
}

static void tick_other(struct sm *sm, const struct lsu_entry *e, cycle_t now)
{
    const bool is_shared = e->step->action == ACT_SHARED;
    const uint32_t passes = is_shared ? e->step->n : 1;
    const uint32_t latency = is_shared ? sm->params->lsu.shared_latency : sm->params->lsu.const_latency, index = e->load;
    sm->lsu_busy = now + passes;
    sm->stats.lsu_busy_cycles += passes;
    sm->stats.shared_passes += is_shared ? passes : 0;
    pop(sm);
    load_part(sm, index, now + passes - 1 + latency, now);
}

void lsu_tick(struct sm *sm, cycle_t now)
{
    tick_pipe(sm, now);
    if (sm->hooks->request_order.call) tick_order(sm, now);
    if (!sm->queue_count || sm->lsu_busy > now) return;
    struct lsu_entry *e = &sm->queue[sm->queue_head];
    if (e->step->action < ACT_SHARED) tick_lines(sm, e, now);
    else if (e->step->action == ACT_TEXTURE || (e->step->action == ACT_CONST && sm->plan->caches_constants)) tick_read_only(sm, e, now);
    else tick_other(sm, e, now);
}

/* Whether the queue's head can do something by itself. A door that is stuck opens when others free something. */
static bool can_feed(const struct sm *sm, bool is_stuck)
{
    const struct lsu_entry *e = &sm->queue[sm->queue_head];
    if (e->step->action >= ACT_SHARED) return sm->hooks->request_order.call || sm->params->l1.late_lookup || !is_stuck;
    if (sm->hooks->request_order.call) return order_has_room(sm, e);
    return sm->params->l1.late_lookup ? pipe_has_room(sm) : !is_stuck;
}

cycle_t lsu_next_event(const struct sm *sm, cycle_t now)
{
    const bool is_stuck = sm->lsu_cause != NULL;
    cycle_t next = NEVER;
    if (sm->pipe_count && !is_stuck) next = sm->pipe[sm->pipe_head].at > now ? sm->pipe[sm->pipe_head].at : now + 1;
    if (sm->hooks->request_order.call && lsu_ordered(sm) && (sm->params->l1.late_lookup ? pipe_has_room(sm) : !is_stuck)) return now + 1;
    if (sm->queue_count && can_feed(sm, is_stuck)) {
        const cycle_t at = sm->lsu_busy > now + 1 ? sm->lsu_busy : now + 1;
        if (at < next) next = at;
    }
    return next;
}

/* A load or store that goes to L1 as it is, in an L1 of one bank: looked up without changing anything. */
static enum l1_outcome foresee(struct sm *sm, const struct lsu_entry *e)
{
    const plan_request request = sm->plan->requests[e->step->first + e->done];
    if (e->step->action == ACT_LOAD) {
        const struct l1_access access = {.line = REQUEST_LINE(request), .sectors = REQUEST_SECTORS(request), .may_pollute = e->may_pollute};
        return e->bypass || sm->params->ideal.perfect_l1 ? L1_HIT : l1_load_fails(&sm->l1, &access);
    }
    const bool may_stay = e->step->action == ACT_STORE && sm->params->l1.local_stores != LOCAL_THROUGH && line_is_local(REQUEST_LINE(request));
    return may_stay || request_fifo_has_room(&sm->l1.to_xbar) ? L1_HIT : L1_FAIL_QUEUE;
}

bool lsu_foresees_failure(struct sm *sm, cycle_t now)
{
    if (sm->lsu_cause || !sm->queue_count || sm->lsu_busy > now + 1 || sm->params->l1.late_lookup || sm->params->l1.banks > 1 ||
        sm->hooks->request_order.call || sm->hooks->on_reservation_fail.n)
        return false;
    const struct lsu_entry *e = &sm->queue[sm->queue_head];
    if (e->step->action >= ACT_SHARED) return false;
    const enum l1_outcome outcome = foresee(sm, e);
    if (outcome < L1_FAIL_LINE) return false;
    sm->lsu_cause = fail_counter(&sm->l1.stats, outcome);
    sm->stuck_since = l1_progress(&sm->l1, is_queue_full(sm));
    sm->is_foreseen = true;
    return true;
}

void lsu_settle(struct sm *sm, cycle_t gap)
{
    sm->is_foreseen = false;
    if (!gap) {
        sm->lsu_cause = NULL;
        return;
    }
    struct lsu_entry *e = &sm->queue[sm->queue_head];
    sm->l1.stats.l1d_reservation_fails += !e->has_failed;
    e->has_failed = 1;
}
