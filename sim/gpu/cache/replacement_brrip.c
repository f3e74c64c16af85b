/* BRRIP: a new line is expected not to be used again, but for one insertion in 32, which keeps part of a working set
 * that does not fit.                                                 [Jaleel et al., ISCA 2010; replacement_rrip.h] */
#include "cache/replacement_rrip.h"

static void fill(struct order *o, uint32_t place, enum fill_as as)
{
    rrip_fill(o, place, as, as == FILL_OWN ? rrip_bimodal(&o->shared->count, RRIP_THROTTLE) : 0u);
}

const struct replacement_type replacement_brrip = {.name = "brrip",
                                                   .set_bits = rrip_bits,
                                                   .on_hit = rrip_hit,
                                                   .on_fill = fill,
                                                   .on_evict = rrip_evict,
                                                   .learns = true};
