/* A plug-in with a replacement policy and a cache organisation:
 *
 *   cc -O2 -shared -fPIC caches.c -o caches.so $(pkg-config --cflags poise_gpu)
 *   poise sim --plugin ./caches.so --kernel mvt --set l2.replacement=lip --set l1.organisation=pairs */
#include <cache/org.h>
#include <poise/plugin.h>

/* LIP: LRU, but a new line goes first until it is hit. [Qureshi et al., ISCA 2007] */
static uint32_t lip_bits(uint32_t places)
{
    uint32_t bits = 0;
    while (1u << bits < places) bits++;
    return bits * places;
}

static void lip_hit(struct order *o, uint32_t place) { order_put_last(o, place); }

static void lip_fill(struct order *o, uint32_t place, enum fill_as as)
{
    if (as == FILL_OWN || as == FILL_FIRST) order_set_rank(o, place, 1);
    else order_put_last(o, place);
}

static const struct replacement_type lip = {
    .name = "lip", .set_bits = lip_bits, .on_hit = lip_hit, .on_fill = lip_fill};

/* Sectors that are fetched in pairs. */
static struct probe pairs_probe(const struct tags *t, struct tag_line *l, uint32_t sectors)
{
    const uint32_t even = (sectors | sectors >> 1) & 0x55555555u & t->all, wanted = (even | even << 1) & t->all,
                   there = l ? l->valid : 0, coming = l ? l->pending : 0;
    return (struct probe){l, sectors & ~there, wanted & ~there & ~coming};
}

static const struct org_type pairs = {
    .name = "pairs", .is_sectored = true, .chunk_bytes = SECTOR_BYTES, .probe = pairs_probe};

/* One that places chunks itself, and counts what it has placed: here a line's chunks stand in
 * the frame of the line, much as `sectored` has them. */
struct placed {
    uint64_t taken;
};

static void placed_init(struct tags *t, uint32_t lines, uint32_t chunks, struct arena *arena)
{
    (void)lines, (void)chunks;
    t->own = ARENA_TAKE(arena, struct placed, 1);
}

static bool placed_may_take(const struct tags *t, uint32_t set, uint32_t line, const struct tag_line *l, uint32_t read,
                            uint32_t chunks)
{
    (void)line, (void)read, (void)chunks;
    return l || tags_victim(t, set) != NO_FRAME;
}

static uint32_t placed_take(struct tags *t, uint32_t set, uint32_t line, struct tag_line *l, uint32_t read,
                            uint32_t chunks, org_gone *gone, void *self)
{
    (void)line, (void)read, (void)chunks;
    ((struct placed *)t->own)->taken++;
    if (l) return tags_index(t, l);
    const uint32_t frame = tags_victim(t, set);
    struct tag_line *victim = tags_line(t, frame);
    if (line_is_free(victim)) return frame;
    gone(self, victim);
    tags_evict(t, victim);
    tags_free(t, victim);
    return frame;
}

static const struct org_type placed = {.name = "placed",
                                       .is_sectored = true,
                                       .chunk_bytes = SECTOR_BYTES,
                                       .init = placed_init,
                                       .may_take = placed_may_take,
                                       .take = placed_take};

POISE_PLUGIN(.replacements = {&lip}, .organisations = {&pairs, &placed});
