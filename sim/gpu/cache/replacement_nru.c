/* NRU: a bit a place says whether it has been used recently; a place without the bit goes, the first one of them. When
 * all of a set have it, all lose it but those just used, or all [TSC §3.3; l1.tsc_nru_reset]. */
#include "cache/order.h"

enum { OLD = 1, RECENT, JUST_USED };

static uint32_t bit_a_place(uint32_t places) { return places; }

static void use(struct order *o, uint32_t place) { order_set_rank(o, place, JUST_USED); }

static void fill(struct order *o, uint32_t place, enum fill_as as)
{
    order_set_rank(o, place, as == FILL_FIRST ? OLD : JUST_USED);
}

static void settle(struct order *o, uint32_t set)
{
    const uint32_t first = set * o->stride;
    uint32_t old = 0;
    for (uint32_t i = first; i < first + o->places; i++) old += order_rank(o, i) == OLD;
    for (uint32_t i = first; i < first + o->places; i++) {
        const uint32_t rank = order_rank(o, i);
        if (rank == 0) continue;
        if (old) order_set_rank(o, i, rank == OLD ? OLD : RECENT);
        else order_set_rank(o, i, rank == JUST_USED && o->reset == RESET_OTHERS ? RECENT : OLD);
    }
}

const struct replacement_type replacement_nru = {
    .name = "nru", .set_bits = bit_a_place, .on_hit = use, .on_wait = use, .on_fill = fill, .on_settled = settle};
