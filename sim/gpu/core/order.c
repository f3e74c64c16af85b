/* The unit that orders line requests between the queue and L1, on machines to which a mechanism brings it. */
#include "core/lsu.h"

/* What it names next goes to L1, or waits there for room. As many a cycle as L1 has banks. */
void order_tick(struct sm *sm, cycle_t now)
{
    const struct order_ops *order = sm->hooks->request_order.call;
    void *self = sm->hooks->request_order.self;
    for (uint32_t i = 0; i < sm->params->l1.banks && order->count(self, sm->sm); i++, order->take(self, sm->sm)) {
        struct line_access *a = order->peek(self, sm->sm);
        const bool goes =
            sm->stages & LATE_LOOKUP ? pipe_take(sm, a, now) : l1_port_access(sm, a, now + sm->l1.hit_latency, now);
        if (!goes) return;
    }
}

bool order_has_room(const struct sm *sm, const struct line_access *a)
{
    return sm->hooks->request_order.call->has_room(sm->hooks->request_order.self, sm->sm, a->warp);
}

bool order_take(struct sm *sm, const struct line_access *a, cycle_t now)
{
    if (!order_has_room(sm, a)) return false;
    sm->hooks->request_order.call->push(sm->hooks->request_order.self, sm->sm, a, now);
    return true;
}
