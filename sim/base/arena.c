#include "poise/arena.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE_PAGE = 2 << 20, ARENA_TABLE_MOST = 16 << 20 };
enum { ARRAY_LARGE = 256 << 10, ARRAY_ROOM = 8 << 20 };

void *arena_take(struct arena *arena, size_t count, size_t size, size_t align)
{
    const size_t at = (arena->used + align - 1) & ~(align - 1);
    arena->used = at + count * size;
    if (!arena->base || arena->used > arena->size) return NULL;
    return arena->base + at;
}

/* Whole pages, also of what lies around: a mapping of which only a part has the wish cannot be moved as one. */
static void ask_large_pages(void *block, size_t bytes)
{
    const size_t before = (uintptr_t)block % PAGE;
    madvise((char *)block - before, (before + bytes + PAGE - 1) / PAGE * PAGE, MADV_HUGEPAGE);
}

/* Many small accesses all over a block miss the host's table of translations, unless its pages are large. */
void *table_take(size_t count, size_t size)
{
    const bool is_large = count * size >= LARGE_PAGE / 2;
    const size_t page = is_large ? LARGE_PAGE : 1, bytes = (count * size + page - 1) / page * page;
    void *table;
    if (posix_memalign(&table, is_large ? LARGE_PAGE : 128, bytes) != 0) return NULL;
    if (is_large) ask_large_pages(table, bytes); /* where the system has none, nothing changes */
    return table;
}

void *table_new(size_t count, size_t size)
{
    void *table = table_take(count, size);
    return table ? memset(table, 0, count * size) : NULL;
}

/* Aligned room is in large pages from its beginning on, but has to be copied to grow. The largest arrays are in
 * mappings of their own, which the system moves without a copy. */
void *array_grow(void *array, size_t *cap, size_t need, size_t item)
{
    const size_t old = *cap * item;
    size_t bytes = (need > 2 * *cap ? need : 2 * *cap) * item;
    const bool copies = bytes >= ARRAY_LARGE && old <= ARRAY_ROOM;
    if (copies && bytes < ARRAY_ROOM) bytes = ARRAY_ROOM;
    void *more = !copies ? realloc(array, bytes) : bytes <= ARRAY_ROOM ? table_take(1, bytes) : malloc(bytes);
    if (!more) return NULL;
    if (bytes > ARRAY_ROOM) ask_large_pages(more, bytes);
    if (copies) {
        if (old) memcpy(more, array, old);
        free(array);
    }
    *cap = bytes / item;
    return more;
}

bool array_reserve(void *array_at, size_t *cap, size_t need, size_t item)
{
    void **at = array_at;
    if (need <= *cap) return true;
    void *more = array_grow(*at, cap, need, item);
    if (more) *at = more;
    return more != NULL;
}

/* What a run hardly touches of a large block (the MSHRs of a machine with a thousand an SM) need not be there: it
 * comes as zero pages. A smaller one comes from where the last run's was, in the host's caches. */
int arena_new(struct arena *arena, size_t size, struct error *err)
{
    const bool is_table = size <= ARENA_TABLE_MOST;
    *arena = (struct arena){.size = size, .block = is_table ? table_new(1, size) : calloc(1, size + PAGE)};
    if (!arena->block) return error_set(err, ERR_MEMORY, "cannot take %zu bytes for a run", size);
    arena->base = is_table ? arena->block : (char *)arena->block + (-(uintptr_t)arena->block & (PAGE - 1));
    return 0;
}

void arena_free(struct arena *arena)
{
    free(arena->block);
    *arena = (struct arena){0};
}

void arena_keep_freed(void)
{
#ifdef M_TRIM_THRESHOLD                          /* glibc's; other libraries have their own ways */
    mallopt(M_MMAP_THRESHOLD, ARENA_TABLE_MOST); /* above it lie the states of large machines, which are hardly
                                                  * touched: not cleared */
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}
