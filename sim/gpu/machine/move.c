/* The machine in another place. Pointers that the layout sets are found by comparing two layouts at different
 * addresses: whatever differs by their distance is one. A run sets none: what it finds it keeps as an index (frames,
 * counters that are charged, requests). */
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

static uintptr_t word_at(const char *base, size_t i)
{
    uintptr_t word;
    memcpy(&word, base + i * sizeof word, sizeof word);
    return word;
}

static void put_word(char *base, size_t i, uintptr_t word) { memcpy(base + i * sizeof word, &word, sizeof word); }

/* From a place of `size` bytes to another. */
struct distance {
    const char *from;
    size_t size;
    char *to;
};

static uintptr_t moved(const struct distance *d, uintptr_t word)
{
    const uintptr_t offset = word - (uintptr_t)d->from;
    if (offset >= d->size) return word;
    return (uintptr_t)d->to + offset;
}

static bool layout_at(struct arena *arena, const struct plan *plan, const struct gpu_params *params, struct error *err)
{
    gpu_layout(arena, plan, params, NULL, 0, false);
    return arena_new(arena, arena->used, err) == 0 && gpu_layout(arena, plan, params, NULL, 0, false) != NULL;
}

int moves_new(struct moves *out, const struct plan *plan, const struct gpu_params *params, struct error *err)
{
    struct arena a = {0}, b = {0};
    int result = layout_at(&a, plan, params, err) && layout_at(&b, plan, params, err) ? 0 : -1;
    *out = (struct moves){0};
    for (int pass = 0; pass < 2 && result == 0; pass++) { /* count, then note */
        out->n = 0;
        for (size_t i = 0; i < a.used / sizeof(uintptr_t); i++) {
            const uintptr_t offset = word_at(a.base, i) - (uintptr_t)a.base;
            /* padding may differ as well */
            if (offset >= a.used || word_at(b.base, i) - (uintptr_t)b.base != offset) continue;
            if (pass) out->words[out->n] = (uint32_t)i;
            out->n++;
        }
        if (pass == 0 && !(out->words = calloc(out->n + 1, sizeof *out->words)))
            result = error_set(err, ERR_MEMORY, "no memory to copy a run");
    }
    arena_free(&a);
    arena_free(&b);
    return result;
}

void moves_free(struct moves *m)
{
    free(m->words);
    *m = (struct moves){0};
}

void gpu_move(struct arena *to, const char *from, const struct moves *fixed)
{
    const struct distance d = {from, to->used, to->base};
    if (from == to->base) return;
    for (size_t i = 0; i < fixed->n; i++)
        put_word(to->base, fixed->words[i], moved(&d, word_at(to->base, fixed->words[i])));
}
