#include "cache/tags.h"

#include <string.h>

enum { END = UINT32_MAX };

static void init_list(struct tags *t, struct arena *arena, size_t n)
{
    t->newer = ARENA_TAKE(arena, uint32_t, n);
    t->older = ARENA_TAKE(arena, uint32_t, n);
    t->newest = ARENA_TAKE(arena, uint32_t, t->sets);
    t->oldest = ARENA_TAKE(arena, uint32_t, t->sets);
    for (uint32_t i = 0; t->oldest && i < n; i++) {
        t->older[i] = i % t->stride ? i - 1 : END;
        t->newer[i] = i % t->stride + 1 < t->ways ? i + 1 : END;
    }
    for (uint32_t s = 0; t->oldest && s < t->sets; s++) {
        t->oldest[s] = s * t->stride;
        t->newest[s] = s * t->stride + t->ways - 1;
    }
}

/* Ways of the same place are alike in all sets. */
static void free_all(struct tags *t)
{
    const size_t fours = t->stride / 4;
    for (uint32_t way = 0; way < t->stride; way++) {
        struct tag_four *four = &t->fours[way / 4];
        four->keys[way % 4] = NO_LINE;
        if (!t->is_mapped) four->ages[way % 4] = way < t->ways ? AGE_FREE | way : AGE_NO_WAY;
    }
    for (size_t i = fours; i < t->sets * fours; i++) {
        memcpy(t->fours[i].keys, t->fours[i - fours].keys, sizeof t->fours[i].keys);
        memcpy(t->fours[i].ages, t->fours[i - fours].ages, sizeof t->fours[i].ages);
    }
}

void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways, uint32_t line_bytes, bool is_sectored)
{
    const uint32_t stride = keys_room(ways);
    const size_t n = (size_t)sets * stride, before = arena->used;
    *t = (struct tags){.sets = sets, .ways = ways, .stride = stride, .is_mapped = ways >= TAGS_MAPPED, .is_sectored = is_sectored, .all = (uint8_t)((1u << line_bytes / 32) - 1)};
    t->stamp = AGE_FREE;
    t->block = t->fours = arena_take(arena, n / 4, sizeof *t->fours, 64);
    t->owners = ARENA_TAKE(arena, struct tag_owner, n);
    if (t->fours) free_all(t);
    if (t->is_mapped) {
        line_map_init(&t->map, arena, (uint32_t)n);
        init_list(t, arena, n);
    }
    t->bytes = arena->used - (t->block ? (size_t)((char *)t->block - arena->base) : before);
}

static void take_out(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->stride, newer = t->newer[i], older = t->older[i];
    if (newer == END) t->newest[set] = older;
    else t->older[newer] = older;
    if (older == END) t->oldest[set] = newer;
    else t->newer[older] = newer;
}

void tags_move_newest(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->stride;
    if (t->newest[set] == i) return;
    take_out(t, i);
    t->older[i] = t->newest[set];
    t->newer[i] = END;
    t->newer[t->newest[set]] = i;
    t->newest[set] = i;
}

void tags_move_oldest(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->stride;
    if (t->oldest[set] == i) return;
    take_out(t, i);
    t->newer[i] = t->oldest[set];
    t->older[i] = END;
    t->older[t->oldest[set]] = i;
    t->oldest[set] = i;
}

void tags_map(struct tags *t, uint32_t i, uint32_t line)
{
    const uint32_t before = *tags_key(tags_line(t, i));
    if (before != NO_LINE) line_map_remove(&t->map, before);
    if (line != NO_LINE) line_map_add(&t->map, line, i);
}

struct tag_line *tags_oldest(struct tags *t, uint32_t set)
{
    for (uint32_t i = t->oldest[set]; i != END; i = t->newer[i])
        if (!tags_line(t, i)->pending) return tags_line(t, i);
    return NULL;
}

/* The way of the set whose stamp is the least of those not below `rank`, or NULL. */
static uint32_t *next_age(struct tags *t, uint32_t set, uint32_t rank)
{
    const uint32_t stamp_bits = ~(uint32_t)(AGE_HELD | (AGE_STAMP - 1));
    uint32_t *next = NULL;
    for (uint32_t w = 0; w < t->ways; w++) {
        uint32_t *age = tags_age(tags_line(t, (size_t)set * t->stride + w));
        if ((*age & stamp_bits) >= rank && (!next || (*age & stamp_bits) < (*next & stamp_bits))) next = age;
    }
    return next;
}

void tags_renumber(struct tags *t)
{
    const uint32_t last = AGE_FREE + t->ways * AGE_STAMP;
    for (uint32_t set = 0; set < t->sets; set++)
        for (uint32_t rank = AGE_FREE + AGE_STAMP; rank <= last; rank += AGE_STAMP) {
            uint32_t *age = next_age(t, set, rank);
            if (age) *age = (*age & (AGE_HELD | (AGE_STAMP - 1))) | rank;
        }
    t->stamp = last;
}
