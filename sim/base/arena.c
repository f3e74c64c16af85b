#include "poise/arena.h"

#include <stdint.h>
#include <stdlib.h>

void *arena_take(struct arena *arena, size_t count, size_t size, size_t align)
{
    const size_t at = (arena->used + align - 1) & ~(align - 1);
    arena->used = at + count * size;
    if (!arena->base || arena->used > arena->size) return NULL;
    return arena->base + at;
}

/* Not set to zero by hand: what a run never touches need not be there. */
int arena_new(struct arena *arena, size_t size, struct error *err)
{
    enum { PAGE = 4096 };
    *arena = (struct arena){.size = (size + PAGE - 1) / PAGE * PAGE};
    arena->block = calloc(1, arena->size + PAGE);
    if (!arena->block) return error_set(err, ERR_MEMORY, "cannot take %zu bytes for a run", size);
    arena->base = (char *)arena->block + (-(uintptr_t)arena->block & (PAGE - 1));
    return 0;
}

void arena_free(struct arena *arena)
{
    free(arena->block);
    *arena = (struct arena){0};
}
