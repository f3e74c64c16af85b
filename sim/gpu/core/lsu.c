/* Load-store unit: a queue of memory instructions, in order. Its head sends one line request a cycle to L1; a
 * request that fails to reserve something blocks the queue and is tried again, unless a mechanism has it bypass L1.
 * Shared memory takes one cycle a bank-conflict pass. A mechanism that orders requests stands between the queue and L1:
 *
 *   queue --one a cycle--> (request_order) --one a cycle--> (pipeline of a late lookup) --> L1 */
#include "core/lsu.h"
#include "cache/l1_chunked.h"

/* ---- the queue from the schedulers ---- */

/* It is bounded by instructions, by their line requests and by loads (load_take): each way in and out tells the
 * schedulers itself whether another instruction may come. */

/* Sub-cores: the queue goes on when its head has come from its collector. */
static void wait_for_head(struct sm *sm)
{
    const cycle_t at = sm->queue[sm->queue_head].at;
    if (at == NEVER && sm->lsu_busy != NEVER) sm->lsu_resume = sm->lsu_busy;
    if (at > sm->lsu_busy) sm->lsu_busy = at;
}

/* The place of an instruction of so many line requests, whose load has been taken. */
static inline struct lsu_entry *push(struct sm *sm, uint32_t requests)
{
    struct lsu_entry *e = &sm->queue[ring_at(sm->queue_head + sm->queue_count++, sm->params->lsu.pipeline_width)];
    sm->queue_requests += requests;
    if (!lsu_has_room(sm)) lsu_note_room(sm);
    return e;
}

static inline void pop(struct sm *sm)
{
    const uint32_t width = sm->params->lsu.pipeline_width;
    const uint32_t left = sm->queue_count--;
    /* a queue that becomes empty begins anew in its first line of the host's cache */
    sm->queue_head = ring_at(sm->queue_head + 1, width) & -(uint32_t)(left > 1);
    if (left == width) lsu_note_room(sm);
    if (sm->sub_cores && left > 1) wait_for_head(sm);
}

/* A line request of the head instruction has gone. */
static inline void pop_request(struct sm *sm)
{
    if (sm->queue_requests-- == sm->params->lsu.pending_requests) lsu_note_room(sm);
}

/* ---- what enters ---- */

/* Whether the instruction is line requests: the rest is shared memory, and constants that always hit. */
static bool has_lines(const struct sm *sm, enum action action)
{
    return action < ACT_SHARED || action == ACT_TEXTURE || (action == ACT_CONST && sm->plan->caches_constants);
}

/* Of what is no load: each line request is a part that is waited for. */
static bool has_parts(const struct sm *sm, enum action action, bool wants_result)
{
    return action == ACT_TEXTURE || (action == ACT_ATOMIC && wants_result) ||
           (action == ACT_CONST && sm->plan->caches_constants);
}

/* The next line request becomes the entry's head. */
static void next_request(struct lsu_entry *e)
{
    const plan_request request = *e->next++;
    __builtin_prefetch(e->next + 16); /* a line of the host's cache further on: of this instruction if it is
                                       * divergent, else of the warp's next ones */
    e->head.access.line = REQUEST_LINE(request);
    e->head.access.sectors = REQUEST_SECTORS(request);
    e->head.is_last = e->left == 1;
}

/* The head's line request, in a plan that names the chunks of L1. */
static APART void name_chunks(const struct sm *sm, struct lsu_entry *e)
{
    const struct plan *plan = sm->plan;
    const size_t request = (size_t)(e->next - 1 - plan->requests);
    if (!(sm->stages & NAMES_CHUNKS)) return;
    e->head.access.chunks = plan->chunks[request];
    e->head.access.sectors = (uint8_t)masks_overlap(plan->chunks[request], plan->chunk_bytes, SECTOR_BYTES);
}

/* How long a constant access of so many addresses takes: they are served one after another. */
static uint32_t constant_cycles(const struct sm *sm, uint32_t addresses)
{
    const uint32_t each = sm->params->lsu.const_address_cycles;
    return addresses > 1 && each ? addresses * each : 1;
}

/* Its last line request takes what the others, a cycle each, leave of that. */
static uint8_t last_of_constant(const struct sm *sm, uint32_t addresses, uint32_t requests)
{
    const uint32_t cycles = constant_cycles(sm, addresses);
    return (uint8_t)(cycles > requests ? cycles - requests + 1 : 1);
}

/* What is no load. */
static APART HOT void enter_other(struct sm *sm, struct lsu_entry *e, const struct plan_inst *inst)
{
    const enum action action = (enum action)e->head.action;
    e->head.wants_result = action == ACT_ATOMIC && inst->wants_result;
    if (!has_parts(sm, action, e->head.wants_result)) sm->loads[e->head.access.load].remaining = 1;
    if (!has_lines(sm, action)) return;
    if (action == ACT_CONST) e->head.degree = last_of_constant(sm, e->head.degree, e->left);
    next_request(e);
    if (sm->stages) name_chunks(sm, e);
}

static APART void tell_load(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    struct line_access *a = &e->head;
    name_chunks(sm, e);
    if (!(sm->hooks->load_route.n + sm->hooks->on_load.n + sm->hooks->on_load_done.n)) return;
    const enum route route = load_tell(sm, sm->loads[a->access.load].inst, a->access.load, a->degree, now);
    if (a->route == ROUTE_L1) a->route = (uint8_t)route;
}

static APART void collect_access(struct sm *sm, struct lsu_entry *e, const struct warp *w, const struct plan_inst *inst,
                                 cycle_t now)
{
    e->at = NEVER;
    sub_core_issue(sm, w, inst, UNIT_LSU, (uint32_t)(e - sm->queue), now);
    if (sm->queue_count == 1) wait_for_head(sm);
}

void lsu_enter(struct sm *sm, struct warp *w, const struct plan_step *step, bool may_pollute, cycle_t now)
{
    const struct plan_inst *inst = &sm->plan->insts[step->inst];
    const uint32_t load = load_take(sm);
    struct lsu_entry *e = push(sm, has_lines(sm, (enum action)step->action) ? step->n : 0);
    const uint8_t slot = (uint8_t)(w - sm->warps);
    w->outstanding++;
    score_results(w->score, inst, SCORE_PENDING);
    if (sm->sub_cores) collect_access(sm, e, w, inst, now);
    sm->loads[load] = (struct load){.inst = inst, .remaining = step->n, .warp = slot};
    struct line_access *a = &e->head;
    a->access = (struct l1_access){.warp = w->uid, .pc = inst->pc, .load = (uint16_t)load, .op = inst->op};
    a->access.may_pollute = may_pollute;
    a->warp = slot;
    a->action = step->action;
    a->degree = step->degree;
    a->wants_result = a->has_failed = 0;
    a->route = ROUTE_L1;
    e->next = sm->plan->requests + step->first;
    e->left = step->n;
    if (step->action != ACT_LOAD) {
        enter_other(sm, e, inst);
        return;
    }
    next_request(e);
    if (inst->passes_l1) a->route = PAST_L1;
    else if (sm->params->ideal.perfect_l1) a->route = HITS_AT_ONCE;
    if (sm->hooks->load_route.n + sm->hooks->on_load.n + sm->hooks->on_load_done.n + sm->stages) tell_load(sm, e, now);
}

/* There is something between the queue and the access port. */
static inline bool is_staged(const struct sm *sm) { return sm->stages != 0; }

/* The end of the pipeline: its head looks up, or blocks it. As many a cycle as L1 has banks. */
static APART void tick_pipe(struct sm *sm, cycle_t now)
{
    uint32_t left = sm->params->l1.banks;
    do {
        if (!l1_port_access(sm, &sm->pipe[sm->pipe_head], now, now)) return;
        sm->pipe_head = ring_at(sm->pipe_head + 1, sm->pipe_size);
        sm->pipe_at = --sm->pipe_count ? sm->pipe[sm->pipe_head].at : NEVER;
    } while (--left && sm->pipe_at <= now);
}

/* The head instruction's line request has gone. */
static inline void go_on(struct sm *sm, struct lsu_entry *e)
{
    pop_request(sm);
    if (--e->left) next_request(e);
    else pop(sm);
}

static void go_on_staged(struct sm *sm, struct lsu_entry *e)
{
    const bool has_more = e->left > 1;
    go_on(sm, e);
    if (has_more) name_chunks(sm, e);
}

/* Global memory on a machine that does not look L1 up for it: to the miss queue at once, a request a cycle. What
 * finds no room there is tried again in every cycle; it does not stand at the access port, where local memory may. */
static APART bool tick_bypass(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const bool has_room = e->head.action == ACT_LOAD ? l1_may_bypass(&sm->l1) : request_fifo_has_room(&sm->l1.to_xbar);
    if (!has_room || !l1_port_access(sm, &e->head, now, now)) return false;
    go_on_staged(sm, e);
    return true;
}

/* The head instruction's next line request, with something between queue and access port; false if it has to wait. */
static bool tick_staged_line(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const bool waits_behind = sm->stages & (LATE_LOOKUP | ORDERS_REQUESTS); /* what L1 looks up does */
    if (waits_behind && lsu_bypasses_l1(sm, e)) return tick_bypass(sm, e, now);
    if (sm->stages & ORDERS_REQUESTS) {
        if (!order_has_room(sm, e)) return false;
        sm->hooks->request_order.call->push(sm->hooks->request_order.self, sm->sm, &e->head, now);
    } else if (sm->stages & LATE_LOOKUP) {
        if (!pipe_has_room(sm)) return false;
        enter_pipe(sm, &e->head, now);
    } else if (!l1_port_access(sm, &e->head, now + sm->l1.hit_latency, now)) {
        return false;
    }
    if (sm->l1.tags.held_up) {
        const cycle_t until = now + 1 + sm->l1.tags.held_up;
        if (until > sm->lsu_busy) sm->lsu_busy = until;
        sm->l1.tags.held_up = 0;
    }
    go_on_staged(sm, e);
    return true;
}

static inline bool tick_line(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const bool is_usual = sm->stages == LATE_LOOKUP && !lsu_bypasses_l1(sm, e); /* of those with stages */
    if (is_staged(sm) && !is_usual) return tick_staged_line(sm, e, now);
    if (is_usual ? !pipe_has_room(sm) : !l1_port_access(sm, &e->head, now + sm->l1.hit_latency, now)) return false;
    if (is_usual) enter_pipe(sm, &e->head, now);
    go_on(sm, e);
    return true;
}

APART static uint32_t banks_of_several(const struct l1_params *p, const struct l1_access *a, uint32_t *cycles)
{
    uint32_t uses[8] = {0}, banks = 0, last = UINT32_MAX, shift = (uint32_t)__builtin_ctz(p->bank_bytes);
    for (uint32_t left = a->sectors; left; left &= left - 1) {
        const uint32_t chunk = (a->line * p->line_bytes + SECTOR_BYTES * (uint32_t)__builtin_ctz(left)) >> shift,
                       bank = chunk & (p->banks - 1);
        if (chunk == last) continue;
        last = chunk;
        banks |= 1u << bank;
        if (++uses[bank] > *cycles) *cycles = uses[bank];
    }
    return banks;
}

/* The banks a request needs; *cycles: how long, if one of them holds several of its chunks. */
static inline uint32_t banks_of(const struct l1_params *p, const struct l1_access *a, uint32_t *cycles)
{
    *cycles = 1;
    if (a->sectors & (a->sectors - 1)) return banks_of_several(p, a, cycles);
    const uint32_t sector = (uint32_t)__builtin_ctz(a->sectors); /* mostly there is one */
    return 1u << (((a->line * p->line_bytes + SECTOR_BYTES * sector) >> __builtin_ctz(p->bank_bytes)) & (p->banks - 1));
}

/* Cycles after this one that an organisation holds L1 up for. */
static cycle_t still_held(const struct sm *sm, cycle_t now)
{
    return sm->stages & HOLDS_UP && sm->lsu_busy != NEVER && sm->lsu_busy > now + 1 ? sm->lsu_busy - now - 1 : 0;
}

/* Requests of the head instruction go together as long as each finds its banks free. */
static APART void tick_banks(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    uint32_t busy = 0, cycles = 1;
    while (cycles == 1) {
        const bool is_last = e->head.is_last || lsu_bypasses_l1(sm, e);
        const uint32_t banks = banks_of(&sm->params->l1, &e->head.access, &cycles);
        if (busy & banks || (busy && cycles > 1) || !tick_line(sm, e, now)) return;
        if (!busy) sm->l1.stats.lsu_busy_cycles += cycles;
        busy |= banks;
        if (is_last) break;
    }
    if (cycles > 1) sm->lsu_busy = now + cycles + still_held(sm, now);
}

/* Constants and textures: a line request a cycle. One that must wait is tried again in every cycle. */
static APART void tick_read_only(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    const bool is_const = e->head.action == ACT_CONST;
    const uint32_t load = e->head.access.load;
    uint32_t line = e->head.access.line, sectors = e->head.access.sectors;
    /* they hold lines of L2 */
    if (sm->params->l1.line_bytes > send_bytes(sm->params)) l1_chunked_place(&sm->l1, &line, &sectors);
    const enum l1_outcome outcome = read_only_load(is_const ? &sm->constants : &sm->textures, &sm->l1, line, load);
    if (outcome >= L1_FAIL_LINE) return;
    const uint32_t cycles = is_const && e->left == 1 ? e->head.degree : 1;
    sm->l1.stats.lsu_busy_cycles += cycles;
    if (cycles > 1) sm->lsu_busy = now + cycles;
    go_on_staged(sm, e);
    if (outcome == L1_HIT) {
        const uint32_t latency = is_const ? sm->params->lsu.const_latency : sm->params->lsu.tex_latency;
        load_part(sm, load, now + cycles - 1 + latency, now);
    }
}

static APART HOT void tick_other(struct sm *sm, const struct lsu_entry *e, cycle_t now)
{
    const bool is_shared = e->head.action == ACT_SHARED;
    const uint32_t passes = is_shared ? e->left : constant_cycles(sm, e->left);
    const uint32_t latency = is_shared ? sm->params->lsu.shared_latency : sm->params->lsu.const_latency,
                   index = e->head.access.load;
    sm->lsu_busy = now + passes;
    sm->l1.stats.lsu_busy_cycles += passes;
    sm->l1.stats.shared_passes += is_shared ? passes : 0;
    pop(sm);
    load_part(sm, index, now + passes - 1 + latency, now);
}

static inline void tick_queue(struct sm *sm, cycle_t now)
{
    struct lsu_entry *e = &sm->queue[sm->queue_head];
    if (e->head.action < ACT_SHARED) {
        if (sm->params->l1.banks > 1) tick_banks(sm, e, now);
        else if (tick_line(sm, e, now)) sm->l1.stats.lsu_busy_cycles++;
    } else if (has_lines(sm, e->head.action)) {
        tick_read_only(sm, e, now);
    } else {
        tick_other(sm, e, now);
    }
}

/* Behind the queue first. */
static APART HOT void tick_staged(struct sm *sm, cycle_t now)
{
    if (sm->stages & CHANGES_MODE) l1_note(&sm->l1, now);
    if (sm->pipe_at <= now && !l1_port_is_blocked(sm)) tick_pipe(sm, now);
    if (sm->stages & ORDERS_REQUESTS) order_tick(sm, now);
    const bool is_open = (sm->stages & (LATE_LOOKUP | ORDERS_REQUESTS)) || !l1_port_is_blocked(sm);
    if (sm->queue_count && is_open && sm->lsu_busy <= now) tick_queue(sm, now);
}

void lsu_tick(struct sm *sm, cycle_t now)
{
    if (is_staged(sm)) tick_staged(sm, now);
    else if (sm->queue_count && !l1_port_is_blocked(sm) && sm->lsu_busy <= now) tick_queue(sm, now);
}

/* The pipeline's head moves on or waits at the access port; the queue goes on while there is room. */
static cycle_t next_pipe_event(const struct sm *sm, cycle_t now)
{
    const struct lsu_entry *head = &sm->queue[sm->queue_head];
    cycle_t next = sm->lsu_cause && !was_stolen_from(sm, sm->pipe_at, now) ? NEVER : sm->pipe_at;
    if (sm->queue_count && next > now + 1 && (pipe_has_room(sm) || lsu_needs_no_room(sm, head)) && sm->lsu_busy < next)
        next = sm->lsu_busy;
    return next > now ? next : now + 1;
}

cycle_t lsu_next_event(struct sm *sm, cycle_t now)
{
    if (sm->stages & CHANGES_MODE && sm->lsu_cause) return now + 1; /* what is stuck asks again when the mode changes */
    if (sm->stages & ORDERS_REQUESTS) return order_next_event(sm, now);
    if (sm->stages & LATE_LOOKUP) return next_pipe_event(sm, now);
    if (!sm->queue_count) return NEVER;
    if (sm->lsu_cause) /* a port that is stuck opens when others free something */
        return was_stolen_from(sm, sm->lsu_busy, now) ? sm->lsu_busy : NEVER;
    if (sm->lsu_busy > now + 1) return sm->lsu_busy;
    const bool may_sleep = sm->sleeps_over && !(sm->stages & CHANGES_MODE); /* else what fails now may not then */
    return may_sleep && sm->sleeps_over(sm, now) ? NEVER : now + 1;
}
