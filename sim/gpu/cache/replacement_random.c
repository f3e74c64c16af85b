/* Random: any place goes, each as likely as the others. The numbers are those of one sequence a cache, whatever else
 * the run does. */
#include "cache/order.h"

/* One generator serves all sets. */
static uint32_t no_bits(uint32_t places)
{
    (void)places;
    return 0;
}

static void hit(struct order *o, uint32_t place)
{
    (void)o;
    (void)place;
}

/* Whenever a line comes all are drawn anew, so that who goes next is known until then. */
static void fill(struct order *o, uint32_t place, enum fill_as as)
{
    const uint32_t first = order_first(o, place);
    order_set_rank(o, place, 1);
    for (uint32_t i = first; i < first + o->places; i++)
        if (order_rank(o, i)) order_set_rank(o, i, 2 + order_draw(o, RANK_MOST - 2));
    if (as == FILL_FIRST) order_set_rank(o, place, 1);
}

const struct replacement_type replacement_random = {
    .name = "random", .set_bits = no_bits, .on_hit = hit, .on_fill = fill};
