#include "cache/replacement.h"

uint32_t replacement_least(const struct tags *t, uint32_t set)
{
    const uint32_t first = set * t->stride;
    uint32_t least = NO_FRAME;
    for (uint32_t i = first; i < first + t->ways; i++) {
        const struct tag_line *l = tags_line(t, i);
        if (line_is_free(l)) return i;
        if (line_may_go(t, l) && (least == NO_FRAME || *tags_age(l) < *tags_age(tags_line(t, least)))) least = i;
    }
    return least;
}

/* ---- lru: ages, without a call ---- */

/* The way of the set whose stamp is the least of those not below `rank`, or NULL. */
static uint32_t *next_age(const struct tags *t, uint32_t set, uint32_t rank)
{
    const uint32_t stamp_bits = ~(uint32_t)(AGE_HELD | (AGE_STAMP - 1));
    uint32_t *next = NULL;
    for (uint32_t w = 0; w < t->ways; w++) {
        uint32_t *age = tags_age(tags_line(t, (size_t)set * t->stride + w));
        if ((*age & stamp_bits) >= rank && (!next || (*age & stamp_bits) < (*next & stamp_bits))) next = age;
    }
    return next;
}

/* Stamps have run out: the order within each set is kept, by small ones. */
static void renumber(struct tags *t)
{
    const uint32_t last = AGE_FREE + t->ways * AGE_STAMP;
    for (uint32_t set = 0; set < t->sets; set++)
        for (uint32_t rank = AGE_FREE + AGE_STAMP; rank <= last; rank += AGE_STAMP) {
            uint32_t *age = next_age(t, set, rank);
            if (age) *age = (*age & (AGE_HELD | (AGE_STAMP - 1))) | rank;
        }
    t->stamp = last;
}

void lru_touch_slowly(struct tags *t, struct tag_line *l)
{
    renumber(t);
    lru_touch(t, l);
}

const struct replacement_type replacement_lru = {
    .name = "lru", .on_hit = lru_touch, .on_insert = lru_touch, .victim = lru_victim};

/* ---- lru_list: free lines stand at the old end ---- */

enum { END = NO_FRAME };

static void list_init(struct tags *t, struct arena *arena)
{
    const size_t n = (size_t)t->sets * t->stride;
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

static void take_out(struct tags *t, uint32_t i)
{
    const uint32_t set = i / t->stride, newer = t->newer[i], older = t->older[i];
    if (newer == END) t->newest[set] = older;
    else t->older[newer] = older;
    if (older == END) t->oldest[set] = newer;
    else t->newer[older] = newer;
}

static void list_touch(struct tags *t, struct tag_line *l)
{
    const uint32_t i = tags_index(t, l), set = i / t->stride;
    if (t->newest[set] == i) return;
    take_out(t, i);
    t->older[i] = t->newest[set];
    t->newer[i] = END;
    t->newer[t->newest[set]] = i;
    t->newest[set] = i;
}

static void list_free(struct tags *t, struct tag_line *l)
{
    const uint32_t i = tags_index(t, l), set = i / t->stride;
    if (t->oldest[set] == i) return;
    take_out(t, i);
    t->newer[i] = t->oldest[set];
    t->older[i] = END;
    t->older[t->oldest[set]] = i;
    t->oldest[set] = i;
}

static uint32_t list_victim(const struct tags *t, uint32_t set)
{
    uint32_t i = t->oldest[set];
    while (i != END && tags_line(t, i)->pending) i = t->newer[i];
    return i; /* END is no frame */
}

const struct replacement_type replacement_lru_list = {.name = "lru_list",
                                                      .init = list_init,
                                                      .on_hit = list_touch,
                                                      .on_insert = list_touch,
                                                      .on_free = list_free,
                                                      .victim = list_victim};
