#include "tags.h"

enum { END = UINT32_MAX };

void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways, uint32_t line_bytes, bool is_sectored)
{
    const size_t n = (size_t)sets * ways, before = arena->used;
    *t = (struct tags){.sets = sets, .ways = ways, .is_mapped = ways >= TAGS_MAPPED, .is_sectored = is_sectored, .all = (uint8_t)((1u << line_bytes / 32) - 1)};
    t->block = t->keys = ARENA_TAKE(arena, uint32_t, n);
    t->lines = ARENA_TAKE(arena, struct tag_line, n);
    for (size_t i = 0; t->keys && i < n; i++) t->keys[i] = NO_LINE;
    if (t->is_mapped) {
        line_map_init(&t->map, arena, (uint32_t)n);
        t->newer = ARENA_TAKE(arena, uint32_t, n);
        t->older = ARENA_TAKE(arena, uint32_t, n);
        t->newest = ARENA_TAKE(arena, uint32_t, sets);
        t->oldest = ARENA_TAKE(arena, uint32_t, sets);
    }
    t->bytes = arena->used - (t->block ? (size_t)((char *)t->block - arena->base) : before);
    for (uint32_t i = 0; t->oldest && i < n; i++) {
        t->older[i] = i % ways ? i - 1 : END;
        t->newer[i] = i % ways + 1 < ways ? i + 1 : END;
    }
    for (uint32_t s = 0; t->oldest && s < sets; s++) {
        t->oldest[s] = s * ways;
        t->newest[s] = s * ways + ways - 1;
    }
}

static void take_out(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->ways, newer = t->newer[i], older = t->older[i];
    if (newer == END) t->newest[set] = older;
    else t->older[newer] = older;
    if (older == END) t->oldest[set] = newer;
    else t->newer[older] = newer;
}

void tags_move_newest(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->ways;
    if (t->newest[set] == i) return;
    take_out(t, i);
    t->older[i] = t->newest[set];
    t->newer[i] = END;
    t->newer[t->newest[set]] = i;
    t->newest[set] = i;
}

void tags_move_oldest(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->ways;
    if (t->oldest[set] == i) return;
    take_out(t, i);
    t->newer[i] = t->oldest[set];
    t->older[i] = END;
    t->older[t->oldest[set]] = i;
    t->oldest[set] = i;
}

struct tag_line *tags_oldest(struct tags *t, uint32_t set)
{
    for (uint32_t i = t->oldest[set]; i != END; i = t->newer[i])
        if (!t->lines[i].pending) return &t->lines[i];
    return NULL;
}
