/* What the parts of the load-store unit share: what enters its queue (lsu_enter.c), the stages that a line request
 * passes (lsu.c), of these the unit that orders them (order.c), the access port of L1 (l1_port.c), and the loads that
 * wait for their parts (loads.c). */
#ifndef GPU_LSU_H
#define GPU_LSU_H
#include "core/sm.h"

/* Further routes of a load: past L1, as its operator or scope asks, where a line that is there goes; where L1 is
 * perfect. */
enum { PAST_L1 = 254, HITS_AT_ONCE = 255 };

/* The place in a ring of `size`, at most once around. */
static inline uint32_t ring_at(uint32_t at, uint32_t size) { return at - (size & -(uint32_t)(at >= size)); }
/* Loads that are free are a list through themselves. */
static inline uint32_t load_take(struct sm *sm)
{
    const uint32_t index = sm->free_load;
    sm->free_load = (uint16_t)(index + 1 + sm->loads[index].remaining);
    sm->n_free_loads--;
    return index;
}
static inline void load_give(struct sm *sm, uint32_t index)
{
    sm->loads[index].remaining = (uint16_t)(sm->free_load - index - 1);
    sm->free_load = index;
    if (++sm->n_free_loads == 1) lsu_note_room(sm);
}
/* loads.c: a load that mechanisms are told of, and may have bypass L1. */
enum route load_tell(struct sm *sm, const struct plan_inst *inst, uint32_t index, uint32_t degree, cycle_t now);
/* The last part of a load is known to be there at `load->ready`. */
HOT void load_complete(struct sm *sm, uint32_t index, cycle_t now);
static inline void load_parts(struct sm *sm, uint32_t index, uint32_t n, cycle_t ready, cycle_t now)
{
    struct load *load = &sm->loads[index];
    if (ready > load->ready) load->ready = (uint32_t)ready;
    load->remaining = (uint16_t)(load->remaining - n);
    if (!load->remaining) load_complete(sm, index, now);
}
static inline void load_part(struct sm *sm, uint32_t index, cycle_t ready, cycle_t now)
{
    load_parts(sm, index, 1, ready, now);
}

/* l1_port.c: an access at the port of L1. True if it went through, else it stays. `data_at`: when a hit's data is
 * there. */
HOT bool l1_port_access(struct sm *sm, struct line_access *access, cycle_t data_at, cycle_t now);
/* The same of `n` requests of an instruction, for a sector each of a line. False: they must go one by one. */
HOT bool l1_port_access_apart(struct sm *sm, const struct line_access *access, uint32_t n, cycle_t now);
/* The port is blocked from cycle `from` on, until something may let in what fails this way. */
HOT void l1_port_block(struct sm *sm, struct line_access *access, enum l1_outcome outcome, cycle_t from);
/* Its operator, scope or mechanism would have it bypass L1, but it has come to local memory. */
static inline bool l1_port_keeps(const struct line_access *a)
{
    return a->route != HITS_AT_ONCE && line_is_local(a->access.line);
}

/* The head of the queue is of global memory on a machine that does not look L1 up for it. */
static inline bool lsu_bypasses_l1(const struct sm *sm, const struct lsu_entry *e)
{
    return sm->plan->skips_l1 && !line_is_local(e->head.access.line);
}
/* What stands between the queue and the port does not hold it up: it goes around that, or makes no line requests. */
static inline bool lsu_needs_no_room(const struct sm *sm, const struct lsu_entry *e)
{
    return e->head.action >= ACT_SHARED || lsu_bypasses_l1(sm, e);
}

/* The access at the port of L1 has failed, nothing has happened that lets it in, and no mechanism can change what it
 * is or send it elsewhere: it fails again. */
static inline bool l1_port_is_blocked(const struct sm *sm)
{
    return sm->lsu_cause && sm->stuck_since == l1_progress(&sm->l1, (enum l1_progress)sm->awaits) &&
           !(sm->stages & ORDERS_REQUESTS) && !sm->hooks->on_reservation_fail.n;
}

/* An access is stuck, and would have been tried again in cycle `now`, but the port was another SM's until `busy`. */
static inline bool was_stolen_from(const struct sm *sm, cycle_t busy, cycle_t now)
{
    return busy > now && busy != NEVER && !l1_port_is_blocked(sm);
}

/* ---- the queue ---- */

/* Whether the instruction is line requests: the rest is shared memory, and constants that always hit. */
static inline bool has_lines(const struct sm *sm, enum action action)
{
    return action < ACT_SHARED || action == ACT_TEXTURE || (action == ACT_CONST && sm->plan->caches_constants);
}
/* How long a constant access of so many addresses takes: they are served one after another. */
static inline uint32_t constant_cycles(const struct sm *sm, uint32_t addresses)
{
    const uint32_t each = sm->params->lsu.const_address_cycles;
    return addresses > 1 && each ? addresses * each : 1;
}
/* Sub-cores: the queue goes on when its head has come from its collector. */
static inline void wait_for_head(struct sm *sm)
{
    const cycle_t at = sm->queue[sm->queue_head].at;
    if (at == NEVER && sm->lsu_busy != NEVER) sm->lsu_resume = sm->lsu_busy;
    if (at > sm->lsu_busy) sm->lsu_busy = at;
}
/* lsu_enter.c: the head's line request, in a plan that names the chunks of L1. */
APART void name_chunks(const struct sm *sm, struct lsu_entry *e);
/* The next line request becomes the entry's head. */
static inline void next_request(const struct sm *sm, struct lsu_entry *e)
{
    const plan_request request = *e->next++;
    __builtin_prefetch(e->next + 16); /* a line of the host's cache further on: of this instruction if it is
                                       * divergent, else of the warp's next ones */
    e->head.access.line = REQUEST_LINE(request);
    e->head.access.sectors = REQUEST_SECTORS(request);
    e->head.is_last = e->left == 1;
    if (sm->stages & NAMES_CHUNKS) name_chunks(sm, e);
}

/* ---- the stages between the queue and L1: each takes a request, or has no room for it ---- */

/* The pipeline of a late lookup. */
static inline bool pipe_has_room(const struct sm *sm) { return sm->pipe_count < sm->pipe_size; }
/* An element of `n` requests, for which there is room. */
static inline void pipe_put(struct sm *sm, const struct line_access *a, uint32_t n, cycle_t now)
{
    struct line_access *stage = &sm->pipe[ring_at(sm->pipe_head + sm->pipe_elements++, sm->pipe_size)];
    if (!sm->pipe_count) sm->pipe_at = now + sm->l1.hit_latency;
    sm->pipe_count += n;
    if (sm->l1.tags.is_mapped) line_map_prefetch(&sm->l1.tags.map, a->access.line);
    *stage = *a;
    stage->at = now + sm->l1.hit_latency;
}
static inline bool pipe_take(struct sm *sm, const struct line_access *a, cycle_t now)
{
    if (!pipe_has_room(sm)) return false;
    pipe_put(sm, a, 1, now);
    return true;
}

/* Sub-cores: the access in this place of the queue can begin in cycle `at`. */
static inline void lsu_collected(struct sm *sm, uint32_t place, cycle_t at)
{
    sm->queue[place].at = at;
    if (place == sm->queue_head) sm->lsu_busy = at > sm->lsu_resume ? at : sm->lsu_resume;
}

/* order.c: the unit that orders requests. */
void order_tick(struct sm *sm, cycle_t now);
bool order_has_room(const struct sm *sm, const struct line_access *a);
bool order_take(struct sm *sm, const struct line_access *a, cycle_t now);
#endif
