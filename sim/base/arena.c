#include "poise/arena.h"

#include <stdlib.h>
#include <string.h>

void *arena_take(struct arena *arena, size_t count, size_t size, size_t align)
{
    const size_t at = (arena->used + align - 1) & ~(align - 1);
    arena->used = at + count * size;
    if (!arena->base || arena->used > arena->size) return NULL;
    return arena->base + at;
}

int arena_new(struct arena *arena, size_t size, struct error *err)
{
    arena->size = (size + 4095) & ~(size_t)4095;
    arena->used = 0;
    arena->base = aligned_alloc(4096, arena->size ? arena->size : 4096);
    if (!arena->base) return error_set(err, ERR_MEMORY, "cannot take %zu bytes for a run", size);
    memset(arena->base, 0, arena->size);
    return 0;
}

void arena_free(struct arena *arena)
{
    free(arena->base);
    arena->base = NULL;
    arena->size = arena->used = 0;
}
