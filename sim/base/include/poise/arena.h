/* One block of memory for everything a run owns. Two passes: measure with a NULL base, then lay out for real; the same
 * code does both, so the sizes cannot disagree. Offsets, not pointers, must be kept by state that is snapshot. */
#ifndef POISE_ARENA_H
#define POISE_ARENA_H
#include <stdbool.h>
#include <stddef.h>
#include "poise/error.h"

struct arena {
    char *base; /* NULL while measuring */
    size_t size, used;
    void *block;       /* what `base` lies in */
    size_t block_size; /* from the base on: at least `size` */
};

/* Aligned to `align` (a power of two), zeroed. Returns NULL while measuring or when the arena is full. */
void *arena_take(struct arena *arena, size_t count, size_t size, size_t align);
/* A thread keeps the largest block of up to 64 MB that it has freed, and takes it again. */
int arena_new(struct arena *arena, size_t size, struct error *err);
void arena_free(struct arena *arena);
/* For a program that is often run for a short time, early in it: from here on the heap grows in steps of 16 MB, the
 * first in large pages, and keeps what is freed. A fault for each small page was a third of the time of a command of
 * 0.1 s. */
void heap_set_up(void);
/* A table of at least one element that is read everywhere at once, in large pages if it is large: what is in it is
 * not set; zeroed. For free(); NULL without memory. */
void *table_take(size_t count, size_t size);
void *table_new(size_t count, size_t size);
/* An array that grows at its end, for free(): room for `need` items and for twice as many as before (*cap). One that
 * becomes large gets room in large pages of the host, of which only what is written is taken: to touch these for the
 * first time costs a third of what it costs in small ones. NULL without memory: the array is as it was. */
void *array_grow(void *array, size_t *cap, size_t need, size_t item);
/* The same where there is not room enough yet, of the array that *array_at points to; false without memory. */
bool array_reserve(void *array_at, size_t *cap, size_t need, size_t item);
#define ARENA_TAKE(arena, type, count) \
    ((type *)arena_take((arena), (count), sizeof(type), \
                        _Alignof(type) < 64 && sizeof(type) * (count) >= 64 ? 64 : _Alignof(type)))
#endif
