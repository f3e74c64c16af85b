#include "cache/order.h"

static const struct replacement_type *of_size(const struct replacement_type *type, uint32_t places)
{
    return places > ORDER_AGED && type->of_many ? type->of_many : type;
}

static void free_all(const struct order *o)
{
    for (uint32_t i = 0; i < o->sets * o->stride; i++) {
        const uint32_t way = i % o->stride;
        *order_age(o, i) = way < o->places ? AGE_FREE | way % AGE_STAMP : AGE_NO_WAY;
    }
}

void order_init(struct order *o, struct arena *arena, const struct replacement_type *type, uint32_t sets,
                uint32_t places, uint32_t *ages, uint32_t four)
{
    const uint32_t stride = (places + 3) / 4 * 4;
    *o = (struct order){.type = of_size(type, places),
                        .ages = ages,
                        .four = ages ? four : 4,
                        .sets = sets,
                        .stride = stride,
                        .places = places,
                        .all_sets = sets};
    if (!ages) {
        o->ages = arena_take(arena, (size_t)sets * stride, sizeof *ages, 16);
        if (o->ages) free_all(o);
    }
    o->shared = o->memory = ARENA_TAKE(arena, struct order_memory, 1);
    if (o->memory) o->memory->stamp = ORDER_BEGIN;
    if (o->type->init) o->type->init(o, arena);
}

void order_change(struct order *o, const struct replacement_type *type)
{
    type = of_size(type, o->places);
    if (o->type == type) return;
    o->type = type;
    *o->memory = (struct order_memory){.stamp = ORDER_BEGIN};
    for (uint32_t i = 0; i < o->sets * o->stride; i++) {
        if (i % o->stride >= o->places || !order_rank(o, i)) continue;
        order_set_rank(o, i, 1);
        order_hit(o, i);
    }
    for (uint32_t set = 0; set < o->sets; set++) order_settle(o, set);
}

void order_follow(struct order *o, const struct order *first, uint32_t cache, uint32_t caches)
{
    o->shared = first->memory;
    o->first_set = cache * o->sets;
    o->all_sets = caches * o->sets;
}

static uint32_t least_rank(const struct order *o, uint32_t set, order_may *may, const void *who)
{
    const uint32_t first = set * o->stride;
    uint32_t best = NO_FRAME, least = UINT32_MAX;
    for (uint32_t i = first; i < first + o->places; i++) {
        const uint32_t rank = order_rank(o, i);
        if (rank >= least || !may(who, i)) continue;
        best = i;
        least = rank;
    }
    return best;
}

uint32_t order_find(const struct order *o, uint32_t set, order_may *may, const void *who)
{
    return o->type->find ? o->type->find(o, set, may, who) : least_rank(o, set, may, who);
}

/* Ranks have run out: the order within each set is kept, by small ones. That of what goes first is 1. */
static void renumber(const struct order *o)
{
    for (uint32_t set = 0; set < o->sets; set++) {
        const uint32_t first = set * o->stride;
        for (uint32_t rank = 2; rank <= o->places + 1; rank++) {
            uint32_t next = NO_FRAME;
            for (uint32_t i = first; i < first + o->places; i++)
                if (order_rank(o, i) >= rank && (next == NO_FRAME || order_rank(o, i) < order_rank(o, next))) next = i;
            if (next == NO_FRAME) break;
            order_set_rank(o, next, rank);
        }
    }
    o->memory->stamp = ORDER_BEGIN + o->places * AGE_STAMP;
}

void order_put_last(struct order *o, uint32_t place)
{
    struct order_memory *m = o->memory;
    if (m->stamp == STAMP_LAST) renumber(o);
    m->stamp += AGE_STAMP;
    order_set_rank(o, place, (m->stamp - AGE_FREE) / AGE_STAMP);
}

/* SplitMix64's finaliser of a counter. [Steele, Lea, Flood, OOPSLA 2014] */
uint32_t order_draw(struct order *o, uint32_t n)
{
    uint64_t x = ++o->memory->draws * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((x >> 32) * n >> 32);
}
