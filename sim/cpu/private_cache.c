#include "cpu/private_cache.h"

#include <string.h>

void private_cache_init(struct private_cache *c, struct arena *arena, uint32_t bytes, uint32_t ways)
{
    const uint32_t lines = bytes / CPU_LINE_BYTES;
    *c = (struct private_cache){.sets = lines / ways, .n_ways = ways};
    c->ways = ARENA_TAKE(arena, struct private_way, lines);
    c->dirty = ARENA_TAKE(arena, uint8_t, lines);
}

/* Before the count of touches runs over, all ages of it become ranks again: that of a way among its set. */
static void renumber(struct private_cache *c)
{
    for (uint32_t s = 0; s < c->sets; s++) {
        struct private_way *set = &c->ways[s * c->n_ways];
        uint32_t ranks[64];
        for (uint32_t i = 0; i < c->n_ways; i++) {
            ranks[i] = set[i].used ? 1 : 0;
            for (uint32_t k = 0; k < c->n_ways && set[i].used; k++)
                ranks[i] += set[k].used && set[k].used < set[i].used;
        }
        for (uint32_t i = 0; i < c->n_ways; i++) set[i].used = ranks[i];
    }
    c->touches = c->n_ways;
}

static uint32_t next_touch(struct private_cache *c)
{
    if (c->touches == UINT32_MAX) renumber(c);
    return ++c->touches;
}

/* The way that holds the line, as its place among all, or CPU_NO_LINE. */
static uint32_t find(const struct private_cache *c, uint32_t line)
{
    const uint32_t first = (line & (c->sets - 1)) * c->n_ways;
    for (uint32_t i = first; i < first + c->n_ways; i++)
        if (c->ways[i].line == line && c->ways[i].used) return i;
    return CPU_NO_LINE;
}

bool private_cache_access(struct private_cache *c, uint32_t line, bool writes)
{
    const uint32_t i = find(c, line);
    if (i == CPU_NO_LINE) return false;
    c->ways[i].used = next_touch(c);
    c->dirty[i] |= writes;
    return true;
}

struct private_victim private_cache_insert(struct private_cache *c, uint32_t line, bool is_dirty)
{
    const uint32_t first = (line & (c->sets - 1)) * c->n_ways;
    uint32_t at = first;
    for (uint32_t i = first + 1; i < first + c->n_ways; i++)
        if (c->ways[i].used < c->ways[at].used) at = i;
    const struct private_victim victim = {c->ways[at].used ? c->ways[at].line : CPU_NO_LINE,
                                          c->ways[at].used && c->dirty[at]};
    c->ways[at] = (struct private_way){line, next_touch(c)};
    c->dirty[at] = is_dirty;
    return victim;
}
