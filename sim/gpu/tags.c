#include "tags.h"

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

void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways, uint32_t line_bytes, bool is_sectored)
{
    const uint32_t stride = keys_room(ways);
    const size_t n = (size_t)sets * stride, before = arena->used;
    *t = (struct tags){.sets = sets, .ways = ways, .stride = stride, .is_mapped = ways >= TAGS_MAPPED, .is_sectored = is_sectored, .all = (uint8_t)((1u << line_bytes / 32) - 1)};
    t->block = t->keys = ARENA_TAKE(arena, uint32_t, n);
    t->ages = ARENA_TAKE(arena, int32_t, t->is_mapped ? 0 : n);
    t->lines = ARENA_TAKE(arena, struct tag_line, n);
    for (size_t i = 0; t->keys && i < n; i++) t->keys[i] = NO_LINE;
    for (size_t i = 0; t->keys && !t->is_mapped && i < n; i++)
        t->ages[i] = i % stride < ways ? AGE_REPLACEABLE | (int32_t)(i % stride) : INT32_MAX;
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
    if (t->keys[i] != NO_LINE) line_map_remove(&t->map, t->keys[i]);
    if (line != NO_LINE) line_map_add(&t->map, line, i);
}

static struct tag_line *oldest(struct tags *t, uint32_t set)
{
    for (uint32_t i = t->oldest[set]; i != END; i = t->newer[i])
        if (!t->lines[i].pending) return &t->lines[i];
    return NULL;
}

#ifdef __SSE2__
static __m128i lesser(__m128i a, __m128i b)
{
    const __m128i is_less = _mm_cmplt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(is_less, a), _mm_andnot_si128(is_less, b));
}
#endif

/* Of n ages, a multiple of four. */
static int32_t least_age(const int32_t *ages, uint32_t n)
{
#ifdef __SSE2__
    __m128i least = _mm_loadu_si128((const __m128i *)(const void *)ages);
    for (uint32_t i = 4; i < n; i += 4) least = lesser(least, _mm_loadu_si128((const __m128i *)(const void *)(ages + i)));
    least = lesser(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(1, 0, 3, 2)));
    least = lesser(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(least);
#else
    int32_t least = ages[0];
    for (uint32_t i = 1; i < n; i++) least = ages[i] < least ? ages[i] : least;
    return least;
#endif
}

struct tag_line *tags_victim(struct tags *t, uint32_t set)
{
    if (t->is_mapped) return oldest(t, set);
    const size_t first = (size_t)set * t->stride;
    const int32_t age = least_age(t->ages + first, t->stride);
    return age < 0 ? t->lines + first + (age & (AGE_STAMP - 1)) : NULL; /* something is pending of all of them */
}

bool tags_has_victim(struct tags *t, uint32_t set)
{
    if (t->is_mapped) return oldest(t, set) != NULL;
    const int32_t *ages = t->ages + (size_t)set * t->stride;
    int32_t all = 0; /* negative as soon as one is */
    for (uint32_t i = 0; i < t->stride; i += 4) all |= ages[i] | ages[i + 1] | ages[i + 2] | ages[i + 3];
    return all < 0;
}

void tags_renumber(struct tags *t)
{
    const int32_t stamp_bits = ~(AGE_REPLACEABLE | (AGE_STAMP - 1));
    for (uint32_t set = 0; set < t->sets; set++) {
        int32_t *ages = t->ages + (size_t)set * t->stride;
        for (int32_t rank = AGE_STAMP; rank <= (int32_t)t->ways * AGE_STAMP; rank += AGE_STAMP) { /* goes to the least stamp not below it */
            int32_t *next = NULL;
            for (uint32_t w = 0; w < t->ways; w++) {
                const int32_t stamp = ages[w] & stamp_bits;
                if (stamp >= rank && (!next || stamp < (*next & stamp_bits))) next = ages + w;
            }
            if (next) *next = (*next & ~stamp_bits) | rank;
        }
    }
    t->stamp = t->ways * AGE_STAMP;
}
