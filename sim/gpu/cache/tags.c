#include "cache/org.h"

#include <assert.h>
#include <string.h>

/* Ways of the same place are alike in all sets. */
static void free_all(struct tags *t)
{
    const size_t fours = t->stride / 4;
    for (uint32_t way = 0; way < t->stride; way++) {
        struct tag_four *four = &t->fours[way / 4];
        four->keys[way % 4] = NO_LINE;
        four->ages[way % 4] = way < t->ways ? AGE_FREE | way % AGE_STAMP : AGE_NO_WAY;
    }
    for (size_t i = fours; i < t->sets * fours; i++) {
        memcpy(t->fours[i].keys, t->fours[i - fours].keys, sizeof t->fours[i].keys);
        memcpy(t->fours[i].ages, t->fours[i - fours].ages, sizeof t->fours[i].ages);
    }
}

void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways, uint32_t line_bytes,
               const struct org_type *org, const struct replacement_type *replacement)
{
    const uint32_t stride = keys_room(ways), all = (1u << line_bytes / SECTOR_BYTES) - 1;
    const size_t n = (size_t)sets * stride, before = arena->used;
    const bool is_mapped = ways >= TAGS_MAPPED;
    *t = (struct tags){.sets = sets,
                       .ways = ways,
                       .stride = stride,
                       .is_mapped = is_mapped,
                       .is_sectored = org->is_sectored,
                       .all = all,
                       .whole = org->is_sectored ? 0 : all,
                       .org = org,
                       .has_own_org = org->probe || org->reserve || org->fill || org->invalidate,
                       .has_own_chunks = org->chunk_bytes != SECTOR_BYTES,
                       .replacement = replacement ? replacement
                                      : is_mapped ? &replacement_lru_list
                                                  : &replacement_lru,
                       .chunk_bytes = org->chunk_bytes};
    assert(line_bytes / org->chunk_bytes <= 32 && (!t->has_own_chunks || (org->probe && org->fill)));
    t->is_special =
        is_mapped || t->has_own_org || t->has_own_chunks || org->takes_at_fill || t->replacement != &replacement_lru;
    t->stamp = AGE_FREE;
    t->block = t->fours = arena_take(arena, n / 4, sizeof *t->fours, 128);
    t->owners = ARENA_TAKE(arena, struct tag_owner, n);
    if (t->fours) free_all(t);
    if (t->is_mapped) line_map_init(&t->map, arena, (uint32_t)n);
    if (t->replacement->init) t->replacement->init(t, arena);
    t->bytes = arena->used - (t->block ? (size_t)((char *)t->block - arena->base) : before);
}

void tags_extend(struct tags *t, const struct arena *arena)
{
    if (t->block) t->bytes = arena->used - (size_t)((char *)t->block - arena->base);
}

void tags_map(struct tags *t, uint32_t i, uint32_t line)
{
    const uint32_t before = *tags_key(tags_line(t, i));
    if (before != NO_LINE) line_map_remove(&t->map, before);
    if (line != NO_LINE) line_map_add(&t->map, line, i);
}
