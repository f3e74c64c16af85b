/* The access port of L1: one access at a time looks it up. One that fails to reserve something stays and is tried
 * again, unless a mechanism has it bypass L1. */
#include "plan/address.h"
#include "cache/l1_chunked.h"
#include "cache/l1_snoop.h"
#include "core/lsu.h"
#include "core/waiting.h"

static APART void tell_access(struct sm *sm, const struct line_access *a, enum l1_outcome outcome, cycle_t now)
{
    const struct access_event event = {
        .sm = sm->sm,
        .slot = a->warp,
        .uid = a->access.warp,
        .line = a->access.line,
        .pc = a->access.pc,
        .load = a->access.load,
        .degree = a->degree,
        .may_pollute = a->access.may_pollute,
        .sectors = a->access.sectors,
        .chunks = sm->l1.chunked ? l1_chunked_touched(&sm->l1, &a->access) : a->access.sectors,
        .outcome = outcome == L1_HIT      ? ACCESS_HIT
                   : outcome == L1_MERGED ? ACCESS_MERGED
                                          : ACCESS_MISS,
        .insts = sm->stats.warp_insts,
        .now = now,
        .ask_at = &sm->ask_at,
        .machine = &sm->hooks->ports,
    };
    hook_on_access(sm->hooks, &event);
}

static enum l1_outcome bypass(struct sm *sm, const struct line_access *a, enum route route, cycle_t now)
{
    const uint32_t sectors = route == ROUTE_BYPASS_LINE ? sm->l1.tags.all : a->access.sectors;
    return l1_bypass(&sm->l1, &a->access, sectors, a->route == PAST_L1, now);
}

/* L1 cannot take this load of global memory: a mechanism may have it bypass L1. */
static APART enum l1_outcome ask_bypass(struct sm *sm, const struct line_access *a, enum l1_outcome outcome,
                                        cycle_t now)
{
    const struct fail_event event = {
        .sm = sm->sm,
        .slot = a->warp,
        .uid = a->access.warp,
        .line = a->access.line,
        .pc = a->access.pc,
        .degree = a->degree,
        .bank = address_l2(sm->map, l1_sent_line(&sm->l1, a->access.line)).bank,
        .cause = (enum fail_cause)(outcome - L1_FAIL_LINE),
        .has_room = l1_may_bypass(&sm->l1),
        .now = now,
        .ask_at = &sm->ask_at,
    };
    const enum route route = hook_on_reservation_fail(sm->hooks, &event);
    if (!event.has_room || route < ROUTE_BYPASS) return outcome;
    return bypass(sm, a, route, now);
}

/* A mechanism performs atomics in L2's place. */
static APART enum l1_outcome route_atomic(struct sm *sm, const struct line_access *a, cycle_t now)
{
    const struct atomic_ops *ops = sm->hooks->atomic_route.call;
    void *self = sm->hooks->atomic_route.self;
    uint32_t line = a->access.line, sectors = a->access.sectors;
    l1_place(&sm->l1, &line, &sectors);
    const struct atomic_event event = {.sm = sm->sm,
                                       .now = now,
                                       .atomic = {.line = line,
                                                  .token = a->wants_result ? a->access.load : a->warp,
                                                  .sectors = (uint8_t)sectors,
                                                  .wants_result = a->wants_result,
                                                  .uid = a->access.warp,
                                                  .pc = a->access.pc}};
    if (!ops->has_room(self, sm->sm)) return L1_FAIL_QUEUE;
    l1_leave_atomic(&sm->l1, a->access.line, now);
    ops->take(self, &event);
    return L1_SENT;
}

/* A store or an atomic goes to L2, unless it is one of local memory that L1 keeps. */
static APART HOT enum l1_outcome try_store(struct sm *sm, const struct line_access *a, cycle_t now)
{
    const enum request_kind kind = a->action == ACT_ATOMIC ? REQUEST_ATOMIC : REQUEST_WRITE;
    enum l1_outcome outcome;
    if (kind == REQUEST_WRITE && sm->params->l1.local_stores != LOCAL_THROUGH && line_is_local(a->access.line))
        outcome = l1_store_local(&sm->l1, &a->access, a->warp, now);
    else if (kind == REQUEST_ATOMIC && sm->hooks->atomic_route.call) outcome = route_atomic(sm, a, now);
    else outcome = l1_send(&sm->l1, kind, &a->access, a->wants_result ? a->access.load : a->warp, a->wants_result, now);
    if (sm->waiting && outcome == L1_SENT) waiting_sent(sm, a, kind == REQUEST_WRITE || !sm->hooks->atomic_route.call);
    if (outcome == L1_SENT && !a->wants_result) sm->warps[a->warp].outstanding++; /* until its acknowledgement */
    if (outcome <= L1_SENT && a->is_last && !a->wants_result) load_part(sm, a->access.load, now, now);
    return outcome;
}

/* `data_at`: when a hit's data is there. */
static inline enum l1_outcome try_load(struct sm *sm, const struct line_access *a, cycle_t data_at, cycle_t now)
{
    const enum l1_outcome outcome = l1_load(&sm->l1, &a->access, now);
    if (sm->hooks->on_access.n && outcome <= L1_MISS) tell_access(sm, a, outcome, now);
    if (outcome == L1_HIT) load_part(sm, a->access.load, data_at, now);
    return outcome;
}

static APART enum l1_outcome try_bypass(struct sm *sm, const struct line_access *a, cycle_t data_at, cycle_t now)
{
    if (l1_port_keeps(a)) return try_load(sm, a, data_at, now);
    if (a->route != HITS_AT_ONCE) return bypass(sm, a, (enum route)a->route, now);
    l1_perfect_load(&sm->l1);
    load_part(sm, a->access.load, now, now);
    return L1_HIT;
}

/* What is no load through L1. */
static APART enum l1_outcome try_other(struct sm *sm, const struct line_access *a, cycle_t data_at, cycle_t now)
{
    return a->action == ACT_LOAD ? try_bypass(sm, a, data_at, now) : try_store(sm, a, now);
}

/* Looks L1 up. Returns L1_FAIL_* if it must be tried again. */
static inline enum l1_outcome try_access(struct sm *sm, const struct line_access *a, cycle_t data_at, cycle_t now)
{
    if (a->action != ACT_LOAD || a->route != ROUTE_L1) return try_other(sm, a, data_at, now);
    return try_load(sm, a, data_at, now);
}

static uint32_t fail_counter(enum l1_outcome outcome)
{
    switch (outcome) {
    case L1_FAIL_LINE: return COUNTER_PLACE(l1_stats, l1d_fail_line_cycles);
    case L1_FAIL_MSHR: return COUNTER_PLACE(l1_stats, l1d_fail_mshr_cycles);
    case L1_FAIL_MERGE: return COUNTER_PLACE(l1_stats, l1d_fail_merge_cycles);
    default: return L1_QUEUE_FAIL;
    }
}

/* An access is counted once, however often it fails. */
void l1_port_block(struct sm *sm, struct line_access *a, enum l1_outcome outcome, cycle_t from)
{
    sm->uncounted = !a->has_failed;
    a->has_failed = 1;
    sm->lsu_cause = fail_counter(outcome);
    sm->failing_from = from;
    sm->awaits = (uint8_t)l1_awaits(outcome);
    sm->stuck_since = l1_progress(&sm->l1, l1_awaits(outcome));
    request_fifo_await(&sm->l1.to_xbar, outcome == L1_FAIL_QUEUE || sm->hooks->on_reservation_fail.n);
}

/* A generic load may go to local memory, of which L1 may hold the only copy. */
static bool may_bypass(const struct sm *sm, const struct line_access *a)
{
    const bool is_through = a->action == ACT_LOAD && a->route == ROUTE_L1;
    return is_through && sm->loads[a->access.load].inst->is_global_load && !line_is_local(a->access.line);
}

/* An access that L1 cannot take: it may bypass it, else it is stuck. */
static APART HOT bool fail(struct sm *sm, struct line_access *a, enum l1_outcome outcome, cycle_t now)
{
    if (sm->hooks->on_reservation_fail.n && may_bypass(sm, a)) outcome = ask_bypass(sm, a, outcome, now);
    if (outcome < L1_FAIL_LINE) return true;
    if (sm->lsu_cause) lsu_charge(sm, now);
    a->has_failed = a->has_failed && !sm->uncounted;
    l1_port_block(sm, a, outcome, now);
    return false;
}

/* No mechanism has a say in a store: it fails for the cause that it failed for until what it awaits moves, whatever
 * else runs short meanwhile (a fetch may take the room that it found). Runs that skip do not ask it again before. */
static inline bool store_is_stuck(const struct sm *sm, const struct line_access *a)
{
    return a->has_failed && a->action == ACT_STORE && sm->lsu_cause && !(sm->stages & CHANGES_MODE) &&
           sm->stuck_since == l1_progress(&sm->l1, (enum l1_progress)sm->awaits);
}

static inline bool load_apart(struct sm *sm, const struct line_access *a, uint32_t n, cycle_t now)
{
    if (a->route != ROUTE_L1 || sm->hooks->on_access.n) return false;
    const enum l1_outcome outcome = sm->l1.type->load_apart(&sm->l1, &a->access, n, now);
    if (outcome == L1_APART) return false;
    if (outcome == L1_HIT) load_parts(sm, a->access.load, n, now, now);
    else sm->loads[a->access.load].remaining -= (uint16_t)(n - 1); /* the MSHR has them as one */
    return true;
}

static inline bool store_apart(struct sm *sm, const struct line_access *a, uint32_t n, cycle_t now)
{
    const bool is_plain = !sm->waiting && !line_is_local(a->access.line);
    if (!is_plain || l1_store_apart(&sm->l1, &a->access, n, a->warp, now) == L1_APART) return false;
    sm->warps[a->warp].outstanding += n; /* until their acknowledgements */
    if (a->is_last) load_part(sm, a->access.load, now, now);
    return true;
}

bool l1_port_access_apart(struct sm *sm, const struct line_access *a, uint32_t n, cycle_t now)
{
    if (sm->lsu_cause) return false;
    const bool went = a->action == ACT_LOAD    ? load_apart(sm, a, n, now)
                      : a->action == ACT_STORE ? store_apart(sm, a, n, now)
                                               : false;
    sm->l1.stats.line_requests += went ? n : 0;
    return went;
}

bool l1_port_access(struct sm *sm, struct line_access *a, cycle_t data_at, cycle_t now)
{
    if (store_is_stuck(sm, a)) return false;
    const enum l1_outcome outcome = try_access(sm, a, data_at, now);
    if (outcome >= L1_FAIL_LINE && !fail(sm, a, outcome, now)) return false;
    if (sm->lsu_cause) {
        lsu_charge(sm, now);
        request_fifo_await(&sm->l1.to_xbar, false);
    }
    sm->lsu_cause = 0;
    sm->uncounted = false;
    a->has_failed = 0;
    sm->l1.stats.line_requests++;
    return true;
}
