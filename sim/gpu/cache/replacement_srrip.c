/* SRRIP: a new line is expected to be used again only after a long interval, until a hit proves otherwise.
 *                                                                    [Jaleel et al., ISCA 2010; replacement_rrip.h] */
#include "cache/replacement_rrip.h"

static void fill(struct order *o, uint32_t place, enum fill_as as) { rrip_fill(o, place, as, RRIP_LONG); }

const struct replacement_type replacement_srrip = {
    .name = "srrip", .set_bits = rrip_bits, .on_hit = rrip_hit, .on_fill = fill, .on_evict = rrip_evict};
