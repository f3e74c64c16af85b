/* FIFO: the place that was filled longest ago goes, whoever has used it since. */
#include "cache/order.h"
#include "poise/log2.h"

/* Which place comes next in turn. */
static uint32_t pointer_bits(uint32_t places) { return log2_ceil(places); }

static void hit(struct order *o, uint32_t place)
{
    (void)o;
    (void)place;
}

static void fill(struct order *o, uint32_t place, enum fill_as as)
{
    if (as == FILL_FIRST) order_set_rank(o, place, 1);
    else order_put_last(o, place);
}

const struct replacement_type replacement_fifo = {
    .name = "fifo", .set_bits = pointer_bits, .on_hit = hit, .on_fill = fill};
