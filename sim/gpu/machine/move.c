/* The machine in another place. Pointers that the layout sets are found by comparing two layouts at different addresses: whatever differs by
 * their distance is one. Those that a run sets are few, and listed here by name. */
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

/* From a place of `size` bytes to another; NULL: pointers into it are forgotten. */
struct distance { const char *from; size_t size; char *to; };

static uintptr_t moved(const struct distance *d, uintptr_t word)
{
    const uintptr_t offset = word - (uintptr_t)d->from;
    if (offset >= d->size) return word;
    return d->to ? (uintptr_t)d->to + offset : 0;
}

static void move_cause(const struct distance *d, uint64_t **cause) { *cause = (uint64_t *)moved(d, (uintptr_t)*cause); }

/* Pointers that a run sets. */
static void move_set_by_run(const struct distance *d, struct gpu *g)
{
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        struct sm *sm = &g->sms[i];
        for (uint32_t k = 0; k < MAX_SCHEDULERS; k++) move_cause(d, &sm->schedulers[k].cause);
        move_cause(d, &sm->lsu_cause);
    }
    for (uint32_t i = 0; i < g->params->l2.banks; i++) move_cause(d, &g->banks[i].cause);
}

/* A machine laid out, but for pointers that a run sets and the layout begins: moved twice, they would go astray where two places overlap. */
static bool layout_at(struct arena *arena, const struct plan *plan, const struct gpu_params *params, struct error *err)
{
    gpu_layout(arena, plan, params, NULL, 0, false);
    if (arena_new(arena, arena->used, err) < 0 || !gpu_layout(arena, plan, params, NULL, 0, false)) return false;
    const struct distance away = {arena->base, arena->used, NULL};
    move_set_by_run(&away, (struct gpu *)(void *)arena->base);
    return true;
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
            if (offset >= a.used || word_at(b.base, i) - (uintptr_t)b.base != offset) continue; /* padding may differ as well */
            if (pass) out->words[out->n] = (uint32_t)i;
            out->n++;
        }
        if (pass == 0 && !(out->words = calloc(out->n + 1, sizeof *out->words))) result = error_set(err, ERR_MEMORY, "no memory to copy a run");
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
    for (size_t i = 0; i < fixed->n; i++) put_word(to->base, fixed->words[i], moved(&d, word_at(to->base, fixed->words[i])));
    move_set_by_run(&d, (struct gpu *)(void *)to->base);
}
