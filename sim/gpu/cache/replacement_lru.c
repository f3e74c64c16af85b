/* LRU: the place that was used longest ago goes. Sets of many places keep a list instead of ages: `lru_list`. */
#include "cache/order.h"
#include "poise/log2.h"

/* An order of all places of a set. */
static uint32_t order_bits(uint32_t places) { return log2_ceil(places) * places; }

static void use(struct order *o, uint32_t place) { order_put_last(o, place); }

static void fill(struct order *o, uint32_t place, enum fill_as as)
{
    if (as == FILL_FIRST) order_set_rank(o, place, 1);
    else order_put_last(o, place);
}

const struct replacement_type replacement_lru = {.name = "lru",
                                                 .set_bits = order_bits,
                                                 .on_hit = use,
                                                 .on_wait = use,
                                                 .on_fill = fill,
                                                 .of_many = &replacement_lru_list};

/* ---- lru_list: free places stand at the old end ---- */

enum { END = NO_FRAME };

static void list_init(struct order *o, struct arena *arena)
{
    const size_t n = (size_t)o->sets * o->stride;
    o->newer = ARENA_TAKE(arena, uint32_t, n);
    o->older = ARENA_TAKE(arena, uint32_t, n);
    o->newest = ARENA_TAKE(arena, uint32_t, o->sets);
    o->oldest = ARENA_TAKE(arena, uint32_t, o->sets);
    for (uint32_t i = 0; o->oldest && i < n; i++) {
        o->older[i] = i % o->stride ? i - 1 : END;
        o->newer[i] = i % o->stride + 1 < o->places ? i + 1 : END;
    }
    for (uint32_t s = 0; o->oldest && s < o->sets; s++) {
        o->oldest[s] = s * o->stride;
        o->newest[s] = s * o->stride + o->places - 1;
    }
}

static void take_out(struct order *o, uint32_t i)
{
    const uint32_t set = i / o->stride, newer = o->newer[i], older = o->older[i];
    if (newer == END) o->newest[set] = older;
    else o->older[newer] = older;
    if (older == END) o->oldest[set] = newer;
    else o->newer[older] = newer;
}

static void list_use(struct order *o, uint32_t i)
{
    const uint32_t set = i / o->stride;
    order_set_rank(o, i, 1); /* it is not free */
    if (o->newest[set] == i) return;
    take_out(o, i);
    o->older[i] = o->newest[set];
    o->newer[i] = END;
    o->newer[o->newest[set]] = i;
    o->newest[set] = i;
}

static void list_free(struct order *o, uint32_t i)
{
    const uint32_t set = i / o->stride;
    if (o->oldest[set] == i) return;
    take_out(o, i);
    o->newer[i] = o->oldest[set];
    o->older[i] = END;
    o->older[o->oldest[set]] = i;
    o->oldest[set] = i;
}

static void list_fill(struct order *o, uint32_t i, enum fill_as as)
{
    list_use(o, i);
    if (as == FILL_FIRST) list_free(o, i);
}

static uint32_t list_find(const struct order *o, uint32_t set, order_may *may, const void *who)
{
    uint32_t i = o->oldest[set];
    while (i != END && (*order_age(o, i) & AGE_HELD || !may(who, i))) i = o->newer[i];
    return i; /* END is no place */
}

const struct replacement_type replacement_lru_list = {.name = "lru",
                                                      .set_bits = order_bits,
                                                      .init = list_init,
                                                      .on_hit = list_use,
                                                      .on_wait = list_use,
                                                      .on_fill = list_fill,
                                                      .on_free = list_free,
                                                      .find = list_find};
