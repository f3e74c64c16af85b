/* Between the queue and the access port of L1, on machines that have it: the unit that orders line requests, which a
 * mechanism brings. */
#include "core/lsu.h"

/* The unit that orders requests: what it names next goes to L1, or waits at its access port. As many a cycle as L1 has
 * banks. */
void order_tick(struct sm *sm, cycle_t now)
{
    const struct order_ops *order = sm->hooks->request_order.call;
    void *self = sm->hooks->request_order.self;
    for (uint32_t i = 0; i < sm->params->l1.banks && order->count(self, sm->sm); i++, order->take(self, sm->sm)) {
        struct line_access *a = order->peek(self, sm->sm);
        if (!sm->params->l1.late_lookup) {
            if (!l1_port_access(sm, a, now + sm->l1.hit_latency, now)) return;
        } else if (pipe_has_room(sm)) {
            enter_pipe(sm, a, now);
        } else {
            return;
        }
    }
}

uint32_t lsu_ordered(const struct sm *sm)
{
    const struct order_ops *order = sm->hooks->request_order.call;
    return sm->stages & ORDERS_REQUESTS ? order->count(sm->hooks->request_order.self, sm->sm) : 0;
}

bool order_has_room(const struct sm *sm, const struct lsu_entry *e)
{
    return sm->hooks->request_order.call->has_room(sm->hooks->request_order.self, sm->sm, e->head.warp);
}

/* The queue can go on as long as there is room; a port that is stuck opens when others free something. */
cycle_t order_next_event(const struct sm *sm, cycle_t now)
{
    const bool is_late = sm->params->l1.late_lookup;
    const bool is_stuck = sm->lsu_cause != 0 && !was_stolen_from(sm, sm->pipe_at, now);
    const struct lsu_entry *e = &sm->queue[sm->queue_head];
    cycle_t next = NEVER;
    if (sm->pipe_count && !is_stuck) next = sm->pipe_at > now ? sm->pipe_at : now + 1;
    if (next == now + 1) return next;
    if (lsu_ordered(sm) && (is_late ? pipe_has_room(sm) : !is_stuck)) return now + 1;
    if (!sm->queue_count) return next;
    if (!lsu_needs_no_room(sm, e) && !(sm->stages & ORDERS_REQUESTS ? order_has_room(sm, e) : pipe_has_room(sm)))
        return next;
    const cycle_t at = sm->lsu_busy > now + 1 ? sm->lsu_busy : now + 1;
    return at < next ? at : next;
}
