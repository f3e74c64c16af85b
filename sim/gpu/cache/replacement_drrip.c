/* DRRIP: SRRIP or BRRIP, whichever misses less in its leader sets: 32 of each, or an eighth of the sets each where a
 * cache has few. Banks of L2 have one selector, each L1 its own.     [Jaleel et al., ISCA 2010; replacement_rrip.h] */
#include "cache/replacement_rrip.h"

/* The selector counts from its middle, so that memory that is all zeros is its beginning. */
static void fill(struct order *o, uint32_t place, enum fill_as as)
{
    const uint32_t an_eighth = o->all_sets / 8 ? o->all_sets / 8 : 1;
    struct duel d =
        duel_of(o->all_sets, an_eighth < RRIP_LEADERS ? an_eighth : RRIP_LEADERS, (uint32_t)RRIP_SELECTOR_BITS);
    const uint32_t middle = d.counter;
    d.counter += o->shared->selector;
    const enum duel_role role = duel_role(&d, o->first_set + place / o->stride);
    if (as == FILL_OWN) duel_miss(&d, role);
    const bool bimodal = as == FILL_OWN && duel_second(&d, role);
    o->shared->selector = d.counter - middle;
    rrip_fill(o, place, as, bimodal ? rrip_bimodal(&o->shared->count, RRIP_THROTTLE) : (uint32_t)RRIP_LONG);
}

const struct replacement_type replacement_drrip = {.name = "drrip",
                                                   .set_bits = rrip_bits,
                                                   .on_hit = rrip_hit,
                                                   .on_fill = fill,
                                                   .on_evict = rrip_evict,
                                                   .learns = true};
