/* Replacement: an order in which the places of a set go, and the policies that keep it. A place is whatever a cache
 * replaces as one: a line of a plain or sectored cache, a tag of decoupled sectors, a chunk of a tag-split cache, a
 * chunk or a line of Elastic-Cache. The same policies serve all of them, in L1, L2 and the read-only caches.
 *
 * Each place has an age: a word whose order says who goes first. The place with the least age goes, of those that may;
 * a policy is the rule by which ages change. It is a row of functions in a file of its own (replacement_NAME.c), and
 * has a line in config/replacement_list.h. README.md shows how to write one.
 *
 *   age:  held | rank: 1 .. RANK_MOST, or 0: the place is free | way: the lower one goes first among equal ranks
 *
 * `held` is a mark of lines that are on their way (tags.h). Ages are the bits of positive normal floats, whose order is
 * the same: of floats, every x86-64 has the minimum of four at once. */
#ifndef GPU_ORDER_H
#define GPU_ORDER_H
#include <stdbool.h>
#include <stdint.h>
#include "config/replacement_list.h"
#include "poise/arena.h"

#define NO_FRAME UINT32_MAX
enum { AGE_STAMP = 64, AGE_FREE = 0x00800000, AGE_HELD = 0x40000000, AGE_NO_WAY = 0x7f7fffff, STAMP_LAST = 0x3f7fffc0 };
enum {
    ORDER_BEGIN = AGE_FREE + AGE_STAMP,
    ORDER_AGED = 64,
    RANK_MOST = (STAMP_LAST - AGE_FREE) / AGE_STAMP
}; /* ways that ages tell apart; greatest rank */

/* Where a line begins that has come in place of another. A policy may have one rule for its own lines; whoever shares
 * out a cache may say something else for one (poise/sys/l2_hooks.h). */
enum fill_as { FILL_OWN, FILL_FIRST, FILL_LONG, FILL_LAST }; /* the policy's; goes first; soon; last, as if just hit */
enum on_reset { RESET_OTHERS, RESET_ALL };

/* What a policy keeps beside the ages. It lives on with the cache's lines. */
struct order_memory {
    uint32_t stamp; /* the last age given by use */
    uint32_t count; /* a policy's own */
    uint32_t selector;
    uint32_t draws;
};
struct replacement_type;
struct order {
    const struct replacement_type *type;
    uint32_t *ages;        /* of places, four by four, */
    uint32_t four;         /* each four so many words behind the last */
    uint32_t sets, stride; /* places of a set, to a multiple of four, */
    uint32_t places;       /* and those that are used */
    struct order_memory *memory;
    struct order_memory *shared;  /* of a policy that learns for several caches (banks of L2): that of the first */
    uint32_t first_set, all_sets; /* this cache's first set among those of all caches that share */
    uint8_t reset;                /* nru: enum on_reset */
    uint32_t *newer, *older, *newest, *oldest; /* lru_list: neighbours of places, and each set's ends */
};
typedef bool order_may(const void *who, uint32_t place);

struct replacement_type {
    const char *name;
    uint32_t (*set_bits)(uint32_t places); /* the memory that a set takes in hardware */
    void (*on_hit)(struct order *, uint32_t place);
    /* Used while what is asked of it is on its way, or has yet to be fetched. NULL: this says nothing. */
    void (*on_wait)(struct order *, uint32_t place);
    void (*on_fill)(struct order *, uint32_t place, enum fill_as); /* another line has come to the place */
    void (*on_evict)(struct order *, uint32_t place); /* optional: the policy has chosen it, and it goes now */
    void (*on_settled)(struct order *, uint32_t set); /* optional: all that one access uses has been told */
    /* Optional: the place to take, of those for which `may` says so, or NO_FRAME. Changes nothing. NULL: the least
     * age. */
    uint32_t (*find)(const struct order *, uint32_t set, order_may *may, const void *who);
    void (*on_free)(struct order *, uint32_t place); /* optional: nothing is there any more */
    void (*init)(struct order *, struct arena *);    /* optional: memory of its own */
    bool learns;                                     /* in order.shared: what one cache does the others see */
    const struct replacement_type *of_many;          /* optional: the same, for sets of more than ORDER_AGED places */
};
#define DECLARE(policy) extern const struct replacement_type replacement_##policy;
REPLACEMENTS(DECLARE)
#undef DECLARE
extern const struct replacement_type replacement_lru_list;
/* Of a parameter's value; 0, `usual`, is what the organisation has by itself. By name: NULL if there is none. */
const struct replacement_type *replacement_of(uint32_t parameter, const struct replacement_type *usual);
const struct replacement_type *replacement_named(const char *name);

/* ---- for whoever has places ---- */

/* Of `ages` within something else, or NULL: they are taken. All places are free. */
void order_init(struct order *o, struct arena *arena, const struct replacement_type *type, uint32_t sets,
                uint32_t places, uint32_t *ages, uint32_t four);
/* Another policy from now on: what is there counts as just used, in turn. */
void order_change(struct order *o, const struct replacement_type *type);
/* What the policy learns is that of the first cache of several. */
void order_follow(struct order *o, const struct order *first, uint32_t cache, uint32_t caches);
/* The place to take: a free one, else that which goes first; NO_FRAME if none may. */
uint32_t order_find(const struct order *o, uint32_t set, order_may *may, const void *who);

/* ---- for policies ---- */

static inline uint32_t *order_age(const struct order *o, uint32_t place)
{
    return o->ages + (size_t)(place / 4) * o->four + place % 4;
}
/* The first place of a place's set; the set's places are the next o->places. */
static inline uint32_t order_first(const struct order *o, uint32_t place) { return place / o->stride * o->stride; }
static inline uint32_t order_rank(const struct order *o, uint32_t place)
{
    return ((*order_age(o, place) & ~(uint32_t)AGE_HELD) - AGE_FREE) / AGE_STAMP;
}
static inline void order_set_rank(const struct order *o, uint32_t place, uint32_t rank)
{
    uint32_t *age = order_age(o, place);
    *age = (*age & (AGE_HELD | (AGE_STAMP - 1))) | (AGE_FREE + rank * AGE_STAMP);
}
/* The place is the last to go, of those that have been put last. */
void order_put_last(struct order *o, uint32_t place);
/* Which number follows: one of n, drawn. */
uint32_t order_draw(struct order *o, uint32_t n);

/* ---- what happens to a place ---- */

static inline void order_settle(struct order *o, uint32_t set)
{
    if (o->type->on_settled) o->type->on_settled(o, set);
}
static inline void order_hit(struct order *o, uint32_t place) { o->type->on_hit(o, place); }
static inline void order_wait(struct order *o, uint32_t place)
{
    if (o->type->on_wait) o->type->on_wait(o, place);
}
static inline void order_evict(struct order *o, uint32_t place)
{
    if (o->type->on_evict) o->type->on_evict(o, place);
}
static inline void order_fill(struct order *o, uint32_t place, enum fill_as as) { o->type->on_fill(o, place, as); }
static inline void order_free(struct order *o, uint32_t place)
{
    order_set_rank(o, place, 0);
    if (o->type->on_free) o->type->on_free(o, place);
}
#endif
