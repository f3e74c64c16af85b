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
    uint32_t unmeasured; /* where ages will be */
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
                       .chunk_bytes = org->chunk_bytes};
    assert(line_bytes / org->chunk_bytes <= 32 && (!t->has_own_chunks || (org->probe && org->fill)));
    t->is_special = is_mapped || t->has_own_org || t->has_own_chunks || org->takes_at_fill ||
                    (replacement && replacement != &replacement_lru);
    t->stamp = ORDER_BEGIN;
    t->block = t->fours = arena_take(arena, n / 4, sizeof *t->fours, 128);
    t->owners = ARENA_TAKE(arena, struct tag_owner, n);
    if (t->fours) free_all(t);
    if (t->is_mapped) line_map_init(&t->map, arena, (uint32_t)n);
    order_init(&t->order, arena, replacement ? replacement : &replacement_lru, sets, ways,
               t->fours ? t->fours->ages : &unmeasured, sizeof *t->fours / sizeof(uint32_t));
    t->bytes = arena->used - (t->block ? (size_t)((char *)t->block - arena->base) : before);
}

void tags_replace_by(struct tags *t, const struct replacement_type *type)
{
    const struct replacement_type *before = t->order.type;
    for (uint32_t i = 0; i < TAGS_ORDERS && tags_order(t, i); i++) order_change(tags_order(t, i), type);
    if (t->order.type != before) t->is_special = true;
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

struct chooser {
    const struct tags *tags;
    const uint64_t *stay;
    uint32_t first; /* of the set */
};

static bool may_go(const void *who, uint32_t frame)
{
    const struct chooser *c = who;
    const uint32_t way = frame - c->first;
    if (c->stay && c->stay[way / 64] >> way % 64 & 1) return false;
    return !tags_line(c->tags, frame)->pending;
}

uint32_t tags_victim_but(const struct tags *t, uint32_t set, const uint64_t *stay)
{
    const struct chooser who = {t, stay, set * t->stride};
    return order_find(&t->order, set, may_go, &who);
}

void lru_touch_slowly(struct tags *t, struct tag_line *l)
{
    t->order.memory->stamp = t->stamp;
    order_put_last(&t->order, tags_index(t, l));
    t->stamp = t->order.memory->stamp;
}
