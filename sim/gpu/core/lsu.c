/* Load-store unit: memory instructions in order, in a queue. Its head sends line requests on, which pass the stages
 * that this machine has between the queue and L1:
 *
 *   queue --> (order) --> (pipe) --> access port --> L1      a request a cycle, or as many as L1 has banks
 *     |--> past them, what L1 is not looked up for: the miss queue
 *     |--> read-only caches: constants and textures, a request a cycle
 *     `--> shared memory, a cycle a bank-conflict pass; constants that always hit
 *
 *   order   a mechanism says which request goes next (order.c)
 *   pipe    hit_latency stages in front of a late lookup
 *   port    looks L1 up. A request that fails to reserve something stays there and is tried again, unless a mechanism
 *           has it bypass L1 (l1_port.c)
 *
 * In a cycle the last stage goes first. A stage that is not there hands on at once. */
#include "core/lsu.h"
#include "cache/l1_chunked.h"

/* Something stands between the queue and the access port. */
static inline bool stands_behind(const struct sm *sm) { return sm->stages & (LATE_LOOKUP | ORDERS_REQUESTS); }

/* ---- out of the queue ---- */

static inline void pop(struct sm *sm)
{
    const uint32_t width = sm->params->lsu.pipeline_width;
    const uint32_t left = sm->queue_count--;
    /* a queue that becomes empty begins anew in its first line of the host's cache */
    sm->queue_head = ring_at(sm->queue_head + 1, width) & -(uint32_t)(left > 1);
    if (left == width) lsu_note_room(sm);
    if (sm->sub_cores && left > 1) wait_for_head(sm);
}

/* Line requests of the head instruction have gone. */
static inline void pop_requests(struct sm *sm, uint32_t n)
{
    const uint32_t most = sm->params->lsu.pending_requests, were = sm->queue_requests;
    sm->queue_requests = were - n;
    if (were >= most && were - n < most) lsu_note_room(sm);
}

/* The head's line request has gone. */
static inline void go_on(struct sm *sm, struct lsu_entry *e)
{
    pop_requests(sm, 1);
    if (--e->left) next_request(sm, e);
    else pop(sm);
}

/* ---- queue: what is global or local memory ---- */

/* Past L1, from a queue that something stands behind: to the miss queue at once. What finds no room there is tried
 * again in every cycle; it does not stand at the access port, where local memory may. */
static APART bool pass_l1(struct sm *sm, struct line_access *a, cycle_t now)
{
    const bool has_room = a->action == ACT_LOAD ? l1_may_bypass(&sm->l1) : request_fifo_has_room(&sm->l1.to_xbar);
    return has_room && l1_port_access(sm, a, now, now);
}

/* The organisation of L1 has taken more cycles for what it has placed since. */
static APART void hold_up(struct sm *sm, cycle_t now)
{
    const cycle_t until = now + 1 + sm->l1.tags.held_up;
    if (sm->l1.tags.held_up && until > sm->lsu_busy) sm->lsu_busy = until;
    sm->l1.tags.held_up = 0;
}

/* The next stage takes the head's line request, or has no room for it. */
static inline bool send_on(struct sm *sm, struct line_access *a, cycle_t now)
{
    if (!stands_behind(sm)) return l1_port_access(sm, a, now + sm->l1.hit_latency, now);
    return sm->stages & ORDERS_REQUESTS ? order_take(sm, a, now) : pipe_take(sm, a, now);
}

static inline bool send_line(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    if (stands_behind(sm) && lsu_bypasses_l1(sm, e)) {
        if (!pass_l1(sm, &e->head, now)) return false;
    } else {
        if (!send_on(sm, &e->head, now)) return false;
        if (sm->stages & HOLDS_UP) hold_up(sm, now);
    }
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
static APART void send_to_banks(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    uint32_t busy = 0, cycles = 1;
    while (cycles == 1) {
        const bool is_last = e->head.is_last || lsu_bypasses_l1(sm, e);
        const uint32_t banks = banks_of(&sm->params->l1, &e->head.access, &cycles);
        if (busy & banks || (busy && cycles > 1) || !send_line(sm, e, now)) return;
        if (!busy) sm->l1.stats.lsu_busy_cycles += cycles;
        busy |= banks;
        if (is_last) break;
    }
    if (cycles > 1) sm->lsu_busy = now + cycles + still_held(sm, now);
}

/* The same for requests of a sector each, where each sector of a line has a bank: those for a line go on as one. */
static APART void send_sectors(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    struct l1_access *a = &e->head.access;
    const uint32_t were = sm->pipe_count, left = e->left;
    uint32_t busy = 0, room = sm->pipe_size - were;
    if (room > left) room = left;
    while (room && !(busy & a->sectors)) {
        uint32_t sectors = a->sectors, n = 1, next;
        for (; n < room && REQUEST_LINE(*e->next) == a->line; n++, sectors |= next, e->next++) {
            next = REQUEST_SECTORS(*e->next);
            if (next & busy || next <= sectors) break;
        }
        a->sectors = (uint8_t)sectors;
        e->head.is_last = n == e->left;
        pipe_put(sm, &e->head, n, now);
        busy |= sectors;
        room -= n;
        if (e->left -= n) next_request(sm, e);
    }
    if (left == e->left) return;
    sm->l1.stats.lsu_busy_cycles++;
    pop_requests(sm, left - e->left);
    if (!e->left) pop(sm);
}

/* ---- queue: what is not ---- */

/* Constants and textures: a line request a cycle. One that must wait is tried again in every cycle. */
static APART void send_to_read_only(struct sm *sm, struct lsu_entry *e, cycle_t now)
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
    go_on(sm, e);
    if (outcome == L1_HIT) {
        const uint32_t latency = is_const ? sm->params->lsu.const_latency : sm->params->lsu.tex_latency;
        load_part(sm, load, now + cycles - 1 + latency, now);
    }
}

/* Shared memory, and constants that always hit. */
static APART HOT void send_to_shared(struct sm *sm, const struct lsu_entry *e, cycle_t now)
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

/* ---- the stages ---- */

/* The head of the queue goes where it has to. */
static ALWAYS_INLINE void tick_queue(struct sm *sm, cycle_t now)
{
    struct lsu_entry *e = &sm->queue[sm->queue_head];
    if (e->head.action < ACT_SHARED) {
        if ((sm->stages & (JOINS_SECTORS | ORDERS_REQUESTS)) == JOINS_SECTORS) send_sectors(sm, e, now);
        else if (sm->params->l1.banks > 1) send_to_banks(sm, e, now);
        else if (send_line(sm, e, now)) sm->l1.stats.lsu_busy_cycles++;
    } else if (has_lines(sm, e->head.action)) {
        send_to_read_only(sm, e, now);
    } else {
        send_to_shared(sm, e, now);
    }
}

static inline void leave_pipe(struct sm *sm, uint32_t requests)
{
    sm->pipe_count -= requests;
    sm->pipe_head = ring_at(sm->pipe_head + 1, sm->pipe_size);
    sm->pipe_at = --sm->pipe_elements ? sm->pipe[sm->pipe_head].at : NEVER;
}

/* The head is requests for several sectors: they look up together, or the first of them alone. Returns how many have
 * gone, `most` at most. */
static APART uint32_t access_joined(struct sm *sm, struct line_access *a, uint32_t most, cycle_t now)
{
    const uint8_t sectors = a->access.sectors, others = sectors & (uint8_t)(sectors - 1), is_last = a->is_last;
    const uint32_t n = sector_count(sectors);
    if (n <= most && l1_port_access_apart(sm, a, n, now)) {
        leave_pipe(sm, n);
        return n;
    }
    a->access.sectors = sectors ^ others;
    a->is_last = 0;
    const bool went = l1_port_access(sm, a, now, now);
    a->access.sectors = went ? others : sectors;
    a->is_last = is_last;
    sm->pipe_count -= went;
    return went;
}

/* The end of the pipeline: its head looks up, or blocks it. As many requests a cycle as L1 has banks. */
static APART void tick_pipe(struct sm *sm, cycle_t now)
{
    const bool joins = sm->stages & JOINS_SECTORS;
    uint32_t left = sm->params->l1.banks;
    do {
        struct line_access *a = &sm->pipe[sm->pipe_head];
        if (joins && a->access.sectors & (a->access.sectors - 1)) {
            const uint32_t went = access_joined(sm, a, left, now);
            if (!went) return;
            left -= went;
        } else {
            if (!l1_port_access(sm, a, now, now)) return;
            leave_pipe(sm, 1);
            left--;
        }
    } while (left && sm->pipe_at <= now);
}

/* Those that stand behind the queue first, from the end; and the mode of this cycle, if L1 has one. */
static APART HOT void tick_staged(struct sm *sm, cycle_t now)
{
    if (sm->stages & CHANGES_MODE) l1_note(&sm->l1, now);
    if (sm->pipe_at <= now && !l1_port_is_blocked(sm)) tick_pipe(sm, now);
    if (sm->stages & ORDERS_REQUESTS) order_tick(sm, now);
    const bool is_open = stands_behind(sm) || !l1_port_is_blocked(sm);
    if (sm->queue_count && is_open && sm->lsu_busy <= now) tick_queue(sm, now);
}

void lsu_tick(struct sm *sm, cycle_t now)
{
    if (sm->stages) tick_staged(sm, now);
    else if (sm->queue_count && !l1_port_is_blocked(sm) && sm->lsu_busy <= now) tick_queue(sm, now);
}

/* ---- when there is something to do ---- */

/* The stages behind the queue go on as long as there is room before them; a port that is stuck opens when others free
 * something. */
static APART HOT cycle_t next_behind(const struct sm *sm, cycle_t now)
{
    const bool is_stuck = sm->lsu_cause && !was_stolen_from(sm, sm->pipe_at, now);
    const bool orders = sm->stages & ORDERS_REQUESTS;
    cycle_t next = is_stuck ? NEVER : sm->pipe_at;
    if (next <= now + 1) return now + 1;
    if (orders && lsu_ordered(sm) && (sm->stages & LATE_LOOKUP ? pipe_has_room(sm) : !is_stuck)) return now + 1;
    if (sm->queue_count && sm->lsu_busy < next) {
        const struct lsu_entry *head = &sm->queue[sm->queue_head];
        const bool has_room = orders ? order_has_room(sm, &head->head) : pipe_has_room(sm);
        if (has_room || lsu_needs_no_room(sm, head)) next = sm->lsu_busy;
    }
    return next > now ? next : now + 1;
}

cycle_t lsu_next_event(struct sm *sm, cycle_t now)
{
    if (sm->stages & CHANGES_MODE && sm->lsu_cause) return now + 1; /* what is stuck asks again when the mode changes */
    if (stands_behind(sm)) return next_behind(sm, now);
    if (!sm->queue_count) return NEVER;
    if (sm->lsu_cause) /* a port that is stuck opens when others free something */
        return was_stolen_from(sm, sm->lsu_busy, now) ? sm->lsu_busy : NEVER;
    if (sm->lsu_busy > now + 1) return sm->lsu_busy;
    const bool may_sleep = sm->sleeps_over && !(sm->stages & CHANGES_MODE); /* else what fails now may not then */
    return may_sleep && sm->sleeps_over(sm, now) ? NEVER : now + 1;
}
