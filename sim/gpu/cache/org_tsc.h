/* The tag-split cache. [TSC §3]
 *
 *   set:    | group: shared tag | chunk chunk chunk chunk | group .. |      tag of a line = line / sets
 *   chunk:  private tag, place in its line, valid, NRU bit                  = shared tag . private tag
 *
 * A chunk may stand anywhere in its set where its line's shared tag stands, so that a group holds chunks of several
 * lines and a line's chunks are in several groups. On a miss only what is missing takes room, of several lines at once
 * if need be; L1 writes nothing back.
 *
 * Room is taken in this order [MECHANISMS 'Cache organisations'; §3.3 leaves it open]: invalid chunks of matching
 * groups; an empty group; chunks of matching groups with NRU = 0; a group that does not match and has no chunk with NRU
 * = 1; chunks of matching groups with NRU = 1; of the groups that do not match, that with most chunks with NRU = 0. A
 * group that does not match goes as a whole. What is on its way, and what the access itself finds, never goes. Among
 * equals a number drawn from the seed, the set and a counter of the set decides. A chunk's NRU bit is set when it is
 * read and when it is reserved; when all chunks of a set have it, all lose it.
 *
 * NRU is the usual policy; another one (order.h) says by its ranks which chunk goes. With more than two ranks the same
 * rules read: an invalid chunk of a matching group; an empty group; the chunk of matching groups that goes first,
 * unless a group that does not match has no chunk that would go as late; the group whose last chunk goes first, among
 * such the one whose next to last does, and so on.
 *
 * Fine mode fetches what an access touches, coarse mode its whole line. TSC+ [§3.5]: some sets of SM 0 keep to one mode
 * and some to the other; each mode's misses times the packets they cause is its cost, and the cheaper one is that of
 * all other sets of the GPU, a delay later. In L2 likewise, with sampler sets in bank 0 and misses that ask DRAM. */
#ifndef GPU_ORG_TSC_H
#define GPU_ORG_TSC_H
#include "cache/org.h"
#include "config/params.h"

enum { TSC_SLOTS = 64, TSC_GROUPS = 32, TSC_CHANGES = 64 };
_Static_assert(TSC_CHANGES > 60, "there is at most one change of mode a cycle of l1.tsc_delay");
/* One for all L1s of a GPU and one for its L2: what the sampler sets of SM 0, or of bank 0, have found. Counters of
 * fine [0] and coarse mode [1]. */
struct tsc_duel {
    uint32_t misses[2], packets[2];
    uint32_t n_changes;      /* of the mode decided on, which begins as fine: the last ones are kept, */
    cycle_t at[TSC_CHANGES]; /* with the cycle in which they take effect */
};
struct tsc_set {
    uint64_t held;  /* slots with a chunk that is there or on its way */
    uint32_t draws; /* random numbers drawn */
    uint32_t shared[TSC_GROUPS];
    uint8_t way[TSC_SLOTS],
        chunk[TSC_SLOTS]; /* of a slot that holds: the line's frame in the set, and which chunk of the line */
};
/* What the parameters say, of L1's or of L2's. */
struct tsc_shape {
    uint32_t group_chunks, slots; /* chunks of a group and of a set */
    uint32_t banks;               /* of the cache: the lines of one are these apart */
    uint32_t private_bits, victims, nru_reset, seed;
    uint32_t mode, sampler_sets, age_at, delay;
    const struct replacement_type *replacement;
};
struct tsc {
    struct tsc_shape shape;
    struct order order; /* of slots */
    struct tsc_set *sets;
    struct tsc_duel *duel;
    uint8_t *roles; /* of the sets: enum tsc_role */
    uint32_t groups, group_chunks, slots;
    uint8_t tag_shift; /* line -> shared tag, among the lines of all banks */
    bool is_coarse;    /* followers, in this cycle */
};
enum tsc_role { TSC_FOLLOWS, TSC_SAMPLES_FINE, TSC_SAMPLES_COARSE };
extern const struct org_type org_tsc;
/* Chunks that a set has room for, which is also how many lines it may hold something of. */
uint32_t tsc_slots(const struct gpu_params *params);
/* The same of L2, whose lines are fetched from DRAM by the sectors asked for or whole. */
struct tsc_shape tsc_of_l2(const struct gpu_params *params);
/* Its memory; `tags` is otherwise ready, with shape.slots ways. `cache`: the SM or bank, of which 0 has sampler
 * sets. */
void tsc_init_as(struct tags *tags, const struct tsc_shape *shape, uint32_t cache, struct arena *arena);
/* That of L1; `tags` has tsc_slots() ways. */
void tsc_init(struct tags *tags, const struct gpu_params *params, uint32_t sm, struct arena *arena);
/* Another SM or bank takes the decisions of that with sampler sets. */
void tsc_follow(struct tags *tags, const struct tags *of_first);
/* From shape.delay cycles on accesses fetch whole lines, or what they touch. */
void tsc_decide(struct tags *of_sm_0, bool is_coarse, cycle_t now);
/* The next launch of a program begins with what the last one left: its counters, and its decision in effect. */
void tsc_resume(struct tsc_duel *duel, const struct tsc_duel *left);
/* A number below n: the draw-th of this set. */
static inline uint32_t tsc_draw(uint32_t seed, uint32_t set, uint32_t draw, uint32_t n)
{
    uint64_t x = ((uint64_t)seed << 32 | set) * 0x9e3779b97f4a7c15ull + draw;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull; /* the finaliser of SplitMix64 [Steele, Lea, Flood, OOPSLA 2014] */
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((x >> 32) * n >> 32);
}
#endif
