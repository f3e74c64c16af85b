#include "net/queue.h"

/* What is left of sleeper_wake(). */
void sleeper_wake_guarded(const struct sleeper *s, cycle_t at)
{
    clocks_hold(s->clocks);
    if (s->agenda) wheel_put(s->agenda, s->bit, at);
    clocks_poke(s->clocks, s->domain, at);
    clocks_release(s->clocks);
}

void queue_offer_guarded(const struct queue_ends *ends, const struct reply *r, cycle_t at)
{
    struct clocks *c = ends->ports->clocks;
    clocks_hold(c);
    ports_offer_from(ends->ports, ends->input, requester_index(r->requester), ends->giver->domain, at);
    clocks_release(c);
}
