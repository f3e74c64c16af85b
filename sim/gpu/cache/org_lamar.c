#include "cache/org_lamar.h"

#include <string.h>

enum { HASHES = 2, FILTERS = 2 };
struct recent {
    uint32_t line, touched; /* nothing touched: free */
};
struct lamar {
    struct recent *recent;
    uint64_t *filters; /* FILTERS times n_words */
    uint32_t n_recent, n_words, n_bits, poor, epoch;
    uint32_t younger, entered; /* which filter lines go into, and how many have */
};

void lamar_init(struct tags *tags, const struct gpu_params *params, struct arena *arena)
{
    const struct l1_params *p = &params->l1;
    const uint32_t words = (p->lamar_bits + 63) / 64;
    struct recent *recent = ARENA_TAKE(arena, struct recent, p->lamar_lines);
    uint64_t *filters = ARENA_TAKE(arena, uint64_t, (size_t)FILTERS * words);
    struct lamar *l = ARENA_TAKE(arena, struct lamar, 1);
    if (l)
        *l = (struct lamar){.recent = recent,
                            .filters = filters,
                            .n_recent = p->lamar_lines,
                            .n_words = words,
                            .n_bits = p->lamar_bits,
                            .poor = p->lamar_poor,
                            .epoch = p->lamar_epoch};
    tags->own = l;
}

/* A line's tag and its touched sectors, of each; and the filters. */
uint64_t lamar_bits(const struct gpu_params *params, unsigned tag_bits)
{
    const struct l1_params *p = &params->l1;
    return p->lamar_lines * (uint64_t)(tag_bits + p->line_bytes / SECTOR_BYTES) + FILTERS * (uint64_t)p->lamar_bits;
}

/* The k-th bit of a line in a filter. */
static uint32_t bit_of(const struct lamar *l, uint32_t line, uint32_t k)
{
    static const uint32_t odd[HASHES] = {0x9e3779b1u, 0x85ebca77u};
    const uint32_t mixed = (line ^ line >> 15) * odd[k];
    return (mixed ^ mixed >> 16) % l->n_bits;
}

static bool is_in(const struct lamar *l, uint32_t filter, uint32_t line)
{
    const uint64_t *words = l->filters + (size_t)filter * l->n_words;
    bool is = true;
    for (uint32_t k = 0; k < HASHES; k++) {
        const uint32_t bit = bit_of(l, line, k);
        is &= words[bit / 64] >> bit % 64 & 1;
    }
    return is;
}

static void enter(struct lamar *l, uint32_t line)
{
    uint64_t *words = l->filters + (size_t)l->younger * l->n_words;
    for (uint32_t k = 0; k < HASHES; k++) {
        const uint32_t bit = bit_of(l, line, k);
        words[bit / 64] |= 1ull << bit % 64;
    }
    if (++l->entered < l->epoch) return;
    l->entered = 0;
    l->younger = !l->younger;
    memset(l->filters + (size_t)l->younger * l->n_words, 0, l->n_words * sizeof *words);
}

static bool lamar_fetches_line(const struct tags *tags, uint32_t line)
{
    const struct lamar *l = tags->own;
    return !is_in(l, 0, line) && !is_in(l, 1, line);
}

static void lamar_touched(struct tags *tags, uint32_t line, uint32_t chunks)
{
    struct lamar *l = tags->own;
    struct recent *r = &l->recent[line % l->n_recent];
    if (r->touched && r->line != line) {
        if ((uint32_t)__builtin_popcount(r->touched) <= l->poor) enter(l, r->line);
        r->touched = 0;
    }
    r->line = line;
    r->touched |= chunks;
}

const struct org_type org_lamar = {.name = "lamar",
                                   .is_sectored = true,
                                   .chunk_bytes = SECTOR_BYTES,
                                   .fetches_line = lamar_fetches_line,
                                   .touched = lamar_touched};
