/* Tree PLRU: a binary tree over the places of a set, whose nodes each say which half goes first. What is used turns all
 * nodes on its path away from itself. A place's rank is what the nodes from the root to it say, a bit each, 1 where
 * they point to the other half: the place with no 1 is the one that the tree points to. */
#include "cache/order.h"
#include "poise/log2.h"

static uint32_t levels(const struct order *o) { return log2_ceil(o->places); }

/* A node for each place but one, of a tree that is full. */
static uint32_t tree_bits(uint32_t places)
{
    uint32_t leaves = 1;
    while (leaves < places) leaves *= 2;
    return leaves - 1;
}

/* All nodes on the way to `place` point away from it, or to it. */
static void turn(struct order *o, uint32_t place, bool away)
{
    const uint32_t first = order_first(o, place), way = place - first, depth = levels(o);
    for (uint32_t i = 0; i < o->places; i++) {
        const uint32_t rank = order_rank(o, first + i);
        if (!rank && i != way) continue;
        uint32_t path = rank ? rank - 1 : 0;
        for (uint32_t level = depth; level-- > 0;) { /* from the root, whose bit is the highest */
            const bool is_same = (i ^ way) >> level == 0, is_other = !is_same && (i ^ way) >> (level + 1) == 0;
            if (is_same) path = away ? path | 1u << level : path & ~(1u << level);
            if (is_other) path = away ? path & ~(1u << level) : path | 1u << level;
        }
        order_set_rank(o, first + i, path + 1);
    }
}

static void use(struct order *o, uint32_t place) { turn(o, place, true); }
static void fill(struct order *o, uint32_t place, enum fill_as as) { turn(o, place, as != FILL_FIRST); }

const struct replacement_type replacement_plru = {
    .name = "plru", .set_bits = tree_bits, .on_hit = use, .on_wait = use, .on_fill = fill};
