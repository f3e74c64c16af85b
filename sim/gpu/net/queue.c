#include "net/queue.h"

void queue_offer_guarded(const struct queue_ends *ends, const struct reply *r, cycle_t at)
{
    struct clocks *c = ends->ports->clocks;
    clocks_hold(c);
    ports_offer_from(ends->ports, ends->input, requester_index(r->requester), ends->giver->domain, at);
    clocks_release(c);
}
