/* Greedy-then-oldest issue (or loose round robin, or two-level) over age-ordered bit masks, and the scoreboard.
 * [THESIS Tab. 5.1]
 *
 * Registers carry the cycle at which they can be read, so arithmetic needs no write-back event: a warp whose next
 * instruction waits for a known cycle sits in a wheel; one that waits for memory is looked at again when the data
 * comes. */
#include "core/collect.h"
#include "core/score.h"
#include "core/waiting.h"

/* Those in the last slot whose cycle was beyond it are put in anew. Returns the others. */
__attribute__((noinline)) static uint64_t put_far(struct sm *sm, struct scheduler *s, uint64_t due, cycle_t now)
{
    uint64_t far = due & s->far;
    s->far &= ~due;
    for (; far; far &= far - 1) {
        const uint64_t bit = far & -far;
        const cycle_t at = sm->warps[s->order[__builtin_ctzll(far)]].ready_cycle;
        if (at <= now) continue;
        put_due(s, bit, at, now);
        due &= ~bit;
    }
    return due;
}

/* Warps whose cycle this is become ready; mostly there is one or none, which is not worth a branch. */
static inline void expire_due(struct sm *sm, struct scheduler *s, cycle_t now)
{
    uint64_t due = wheel_slots_take(&s->wheel, now);
    if (due & s->far) due = put_far(sm, s, due, now);
    s->ready |= due;
    s->wait_mem &= ~due;
}

/* Something for the load-store unit; what is counted is issued elsewhere. */
static bool is_access(uint32_t action) { return action - ACT_LOAD <= ACT_TEXTURE - ACT_LOAD; }

static uint32_t unit_wanted(const struct sm *sm, const struct plan_inst *inst, uint32_t action)
{
    return sm->unit_map[action - ACT_LOAD <= ACT_COUNTED_SHARED - ACT_LOAD][inst->unit];
}

static ALWAYS_INLINE void evaluate(struct sm *sm, struct scheduler *s, struct warp *w, cycle_t earliest)
{
    const struct plan_step *next = w->next;
    const struct plan_inst *inst = &sm->plan->insts[next->inst];
    const uint32_t pos = w->pos, wants = unit_wanted(sm, inst, next->action);
    const uint64_t bit = 1ull << pos;
    w->inst = inst;
    s->wants[w->wants] &= ~bit;
    s->wants[wants] |= bit;
    s->wants[WANTS_GLOBAL_LOAD] = (s->wants[WANTS_GLOBAL_LOAD] & ~bit) | (uint64_t)inst->is_global_load << pos;
    w->wants = (uint8_t)wants;
    place(s, w, bit, score_of(w, inst), earliest);
}

void warp_evaluate(struct sm *sm, struct scheduler *s, struct warp *w, cycle_t earliest)
{
    scheduler_stale(s);
    evaluate(sm, s, w, earliest);
}

/* What is known of an SM when its schedulers are compiled. */
enum issuer { OF_PLAIN, OF_DIVIDED, OF_ANY };

static inline void issue_to_sub_core(struct sm *sm, struct warp *w, const struct plan_inst *inst, cycle_t now)
{
    score_results(w->score, inst, SCORE_PENDING_UNIT);
    sub_core_issue(sm, w, inst, w->wants, 0, now);
}

static ALWAYS_INLINE void issue_arithmetic(struct sm *sm, struct warp *w, const struct plan_inst *inst, enum issuer of,
                                           cycle_t now)
{
    if (of == OF_DIVIDED || (of == OF_ANY && sm->sub_cores)) {
        issue_to_sub_core(sm, w, inst, now);
        return;
    }
    const struct class_timing timing = sm->timing[inst->cls];
    const uint32_t u = w->wants;
    cycle_t until = now + timing.interval, ready = now + timing.latency;
    if (sm->collection) {
        const bool takes_collector = u == UNIT_SP && sm->collection->n_collectors;
        const struct collected end =
            collect_operands(sm->collection, inst, (uint32_t)(w - sm->warps), timing.latency, takes_collector, now);
        if (end.issued > until) until = end.issued;
        ready = end.written;
    }
    unit_take(units_of(sm, u), until);
    score_results(w->score, inst, SCORE(ready, 0));
}

static void issue_access(struct sm *sm, const struct scheduler *s, struct warp *w, const struct plan_step *step,
                         const struct plan_inst *inst, cycle_t now)
{
    sm->stats.global_loads += inst->is_global_load;
    lsu_enter(sm, w, step, s->may_pollute >> w->pos & 1, now);
}

/* Whatever is neither arithmetic nor for the load-store unit; and for that, what somebody waits for. */
__attribute__((noinline)) static void issue_other(struct sm *sm, const struct scheduler *s, struct warp *w,
                                                  const struct plan_inst *inst, uint32_t action, cycle_t now)
{
    if (action - ACT_COUNTED_STORE <= ACT_COUNTED_SHARED - ACT_COUNTED_STORE) {
        const struct plan_step plain = waiting_enter(sm, w->next - 1);
        issue_access(sm, s, w, &plain, inst, now);
    }
    if (action == ACT_WAIT) {
        issue_arithmetic(sm, w, inst, OF_ANY, now);
        waiting_branch(sm, w);
    }
    if (action == ACT_BARRIER) warp_barrier(sm, w, inst, now);
    if (action == ACT_FENCE && w->outstanding) {
        w->at_fence = 1;
        warp_wait(sm, w, true, now);
    }
}

static ALWAYS_INLINE void issue(struct sm *sm, struct scheduler *s, struct warp *w, enum issuer of, cycle_t now)
{
    const struct plan_step *step = w->next++;
    const struct plan_inst *inst = w->inst;
    const uint64_t bit = 1ull << w->pos;
    s->last = bit;
    s->ready &= ~bit;
    sm->stats.thread_insts += step->lanes;
    *counter_at(&sm->stats, COUNTER_PLACE(core_stats, insts_int) + inst->cls) += step->lanes;
    if (w->next == w->end) w->is_finished = 1;
    if (step->action == ACT_ALU) issue_arithmetic(sm, w, inst, of, now);
    else if (is_access(step->action)) issue_access(sm, s, w, step, inst, now);
    else issue_other(sm, s, w, inst, step->action, now);
    if (w->is_finished) {
        warp_maybe_exit(sm, w, now);
        return;
    }
    evaluate(sm, s, w, now + 1);
    if (!sm->params->fetch.ideal) fetch_next(sm, s, w);
}

/* Warps that no mechanism holds back; what is not there yet is no load. */
static uint64_t allowed(const struct scheduler *s)
{
    return s->may_issue & (s->may_load | ~s->wants[WANTS_GLOBAL_LOAD] | s->wait_fetch);
}

/* The oldest `n` warps that wait for neither memory nor others. */
static uint64_t active_set(const struct scheduler *s, uint32_t n)
{
    uint64_t left = s->live & ~s->waiting & (~s->wait_mem | s->wait_fetch), set = 0;
    for (; n && left; n--, left &= left - 1) set |= left & -left;
    return set;
}

/* Greedy, then oldest. */
static uint32_t choose_greedy(const struct scheduler *s, uint64_t can)
{
    const uint64_t greedy = can & s->last;
    return (uint32_t)__builtin_ctzll(greedy ? greedy : can);
}

/* Round robin from the last. */
static inline uint32_t choose_after(const struct scheduler *s, uint64_t can)
{
    const uint64_t after = can & ~(s->last | (s->last - 1)); /* none if it is gone */
    return (uint32_t)__builtin_ctzll(after ? after : can);
}

/* Out of line, where greedy warps do not pay for it. */
__attribute__((noinline)) static uint32_t choose_in_turn(const struct sm *sm, const struct scheduler *s, uint64_t can)
{
    if (sm->params->core.scheduler == SCHEDULE_TWO_LEVEL) {
        const uint64_t active = can & active_set(s, sm->params->core.active_warps);
        if (active) can = active;
    }
    return choose_after(s, can);
}

/* Warps that could issue if their units had room; the load-store unit is asked for all at once. */
static uint64_t candidates(const struct sm *sm, const struct scheduler *s)
{
    const uint64_t is_full = (uint64_t)(int32_t)unit_free_at(sm, UNIT_LSU); /* 0 or all bits */
    return s->ready & s->may_issue & (s->may_load | ~s->wants[WANTS_GLOBAL_LOAD]) &
           ~(s->wait_fetch | (s->wants[UNIT_LSU] & is_full));
}

/* When what its warps issue finds room in such a unit. */
static ALWAYS_INLINE cycle_t room_at(const struct sm *sm, const struct scheduler *s, uint32_t unit, enum issuer of)
{
    const bool is_divided = of == OF_DIVIDED || (of == OF_ANY && sm->sub_cores);
    return is_divided ? s->room_at[unit] : unit_free_at(sm, unit);
}

/* Of the ready warps `can`, the first in order whose next instruction finds room in its unit; NULL if there is none. */
static ALWAYS_INLINE struct warp *choose_with_room(const struct sm *sm, const struct scheduler *s, enum issuer of,
                                                   uint64_t can, cycle_t now)
{
    while (can) {
        const uint32_t pos =
            sm->params->core.scheduler == SCHEDULE_GTO ? choose_greedy(s, can) : choose_in_turn(sm, s, can);
        struct warp *w = &sm->warps[s->order[pos]];
        if (room_at(sm, s, w->wants, of) <= now) return w;
        can &= ~s->wants[w->wants];
    }
    return NULL;
}

/* The first cycle in which a unit has room for one of the ready warps `can`. */
static cycle_t next_room(const struct sm *sm, const struct scheduler *s, uint64_t can)
{
    cycle_t next = NEVER;
    while (can) {
        const uint32_t u = sm->warps[s->order[__builtin_ctzll(can)]].wants;
        const cycle_t at = room_at(sm, s, u, OF_ANY);
        if (at < next) next = at;
        can &= ~s->wants[u];
    }
    return next;
}

/* The first cycle after `now` in which a warp becomes ready by itself. */
static cycle_t next_ready(const struct scheduler *s, cycle_t now)
{
    return s->wheel.busy ? wheel_next(s->wheel.busy, now + 1) : NEVER;
}

/* Why a slot is lost, where no unit has room for those that are ready. */
static uint32_t cause_of(const struct scheduler *s)
{
    const uint64_t free = s->live & allowed(s), fetched = free & ~s->wait_fetch, ready = fetched & s->ready;
    if (ready)
        return ready & s->wants[UNIT_LSU] ? COUNTER_PLACE(core_stats, stall_str_mem)
                                          : COUNTER_PLACE(core_stats, stall_str_alu);
    if (fetched & s->wait_mem) return COUNTER_PLACE(core_stats, stall_data_mem);
    if (free) return fetched ? COUNTER_PLACE(core_stats, stall_data_alu) : COUNTER_PLACE(core_stats, stall_fetch);
    if (s->live & ~s->waiting) return COUNTER_PLACE(core_stats, stall_throttled);
    return s->live ? COUNTER_PLACE(core_stats, stall_sync) : COUNTER_PLACE(core_stats, stall_idle);
}

/* Works out wake and cause for the cycles after `now`. `can`: those of its warps that wait for room in their units. */
static inline void plan(struct sm *sm, struct scheduler *s, uint64_t can, cycle_t now)
{
    const cycle_t at = next_ready(s, now), room_at = next_room(sm, s, can), next = room_at < at ? room_at : at;
    s->wake = next > now ? next : now + 1;
    s->cause = cause_of(s);
}

/* One that is due and cannot issue loses this slot already. Out of line: it needs many registers, which those that
 * issue would save for it. */
__attribute__((noinline)) HOT static void lose_slot(struct sm *sm, struct scheduler *s, uint64_t can, cycle_t now)
{
    plan(sm, s, can, now);
}

/* One that has issued mostly has something to do in the next cycle too. `issued`: to this unit; those that want a
 * sub-core's, whose issue register is full now, are looked at when that is emptied. */
static ALWAYS_INLINE void plan_on(struct sm *sm, struct scheduler *s, uint32_t issued, cycle_t now, enum issuer of)
{
    const bool is_full = of == OF_DIVIDED && s->room_at[issued] == NEVER;
    const uint64_t held = is_full ? s->wants[issued] : 0;
    const uint64_t is_due = (s->wheel.busy >> (now + 1) % WHEEL_SLOTS & 1) | (candidates(sm, s) & ~held);
    if (is_due) s->wake = now + 1;
    else plan(sm, s, 0, now);
}

/* The warp's next instruction goes out beside the one before it if it is there, can read its registers, and wants
 * another kind of unit that has room. [core.issue_width] */
APART static void issue_two(struct sm *sm, struct scheduler *s, struct warp *w, cycle_t now)
{
    const uint32_t first = w->wants;
    issue(sm, s, w, OF_ANY, now);
    if (!(s->last & candidates(sm, s)) || w->ready_cycle > now || w->wants == first ||
        room_at(sm, s, w->wants, OF_ANY) > now)
        return;
    sm->second_issues++;
    sm->stats.warp_insts++;
    issue(sm, s, w, OF_ANY, now);
}

/* One source, compiled for each kind of SM. */
static ALWAYS_INLINE void tick(struct sm *sm, struct scheduler *s, cycle_t now, enum issuer of)
{
    scheduler_charge(sm, s, now);
    expire_due(sm, s, now);
    fetch_arrive(s, now);
    const uint64_t can = candidates(sm, s);
    struct warp *w = choose_with_room(sm, s, of, can, now);
    if (!w) {
        lose_slot(sm, s, can, now);
        return;
    }
    s->charged = now + 1;
    sm->stats.warp_insts++;
    scheduler_stale(s);
    const uint32_t unit = w->wants;
    if (of != OF_ANY || sm->params->core.issue_width == 1) issue(sm, s, w, of, now);
    else issue_two(sm, s, w, now);
    plan_on(sm, s, unit, now, of);
}

void scheduler_tick_plain(struct sm *sm, struct scheduler *s, cycle_t now) { tick(sm, s, now, OF_PLAIN); }
void scheduler_tick_divided(struct sm *sm, struct scheduler *s, cycle_t now) { tick(sm, s, now, OF_DIVIDED); }
void scheduler_tick_any(struct sm *sm, struct scheduler *s, cycle_t now) { tick(sm, s, now, OF_ANY); }
