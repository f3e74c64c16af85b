#include "poise/arena.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sanitizer/asan_interface.h>

enum { PAGE = 4096, LARGE_PAGE = 2 << 20, ARENA_CLEARED_MOST = 16 << 20, ARENA_KEPT_MOST = 64 << 20 };
enum { HEAP_FIRST = 512 << 10, HEAP_STEP = 16 << 20, HEAP_KEPT_MOST = 512 << 20 };
#ifndef __has_feature /* gcc 12 says it by a macro, clang by a feature */
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { ARRAY_LARGE = 8 << 20, ARRAY_ROOM = 8 << 20 }; /* room is dear: its shadow is written, in small pages */
#else
enum { ARRAY_LARGE = 256 << 10, ARRAY_ROOM = 8 << 20 };
#endif

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

void heap_set_up(void)
{
    mallopt(M_MMAP_THRESHOLD, ARENA_CLEARED_MOST); /* above it, pages that are zero already */
    mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_MOST);
    mallopt(M_TOP_PAD, HEAP_STEP);
    char *first = malloc(HEAP_FIRST); /* more than a heap begins with: it grows by a step now */
    const uintptr_t begin = (uintptr_t)first, end = (uintptr_t)sbrk(0);
    if (first && begin < end)
        ask_large_pages(first, end - begin); /* not where an allocator of another kind is linked */
    free(first);
}

/* Many small accesses all over a block miss the host's table of translations, unless its pages are large. */
void *table_take(size_t count, size_t size)
{
    const bool is_large = count * size >= LARGE_PAGE / 4;
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

/* The block of a thread's last run is kept for its next one: to take pages from the system and to give them back costs
 * more than to clear them, and many times more in a virtual machine. Nobody may touch a kept block. */
static pthread_key_t kept_key;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;
static bool has_kept;

static void block_free(const struct arena *of)
{
    ASAN_UNPOISON_MEMORY_REGION(of->base, of->block_size);
    free(of->block);
}

static void kept_free(void *kept)
{
    block_free(kept);
    free(kept);
}

static void kept_begin(void) { has_kept = pthread_key_create(&kept_key, kept_free) == 0; }

static struct arena *kept_of_thread(void)
{
    pthread_once(&kept_once, kept_begin);
    return has_kept ? pthread_getspecific(kept_key) : NULL;
}

/* The kept block, cleared, if it is large enough. */
static bool kept_take(struct arena *out, size_t size)
{
    struct arena *kept = kept_of_thread();
    if (!kept || kept->block_size < size) return false;
    *out = *kept;
    *kept = (struct arena){0};
    ASAN_UNPOISON_MEMORY_REGION(out->base, out->block_size);
    memset(out->base, 0, size);
    return true;
}

/* Keeps the larger one of this block and of what is kept. */
static void keep(struct arena block)
{
    struct arena *kept = kept_of_thread();
    if (has_kept && !kept) {
        kept = calloc(1, sizeof *kept);
        if (kept && pthread_setspecific(kept_key, kept) != 0) {
            free(kept);
            kept = NULL;
        }
    }
    if (kept && kept->block_size < block.block_size) {
        const struct arena smaller = *kept;
        *kept = block;
        block = smaller;
        ASAN_POISON_MEMORY_REGION(kept->base, kept->block_size);
    }
    block_free(&block);
}

/* A large block comes from the system as zero pages, of which a run may touch few (the MSHRs of a machine with a
 * thousand an SM). */
static void block_new(struct arena *out, size_t size)
{
    if (size <= ARENA_CLEARED_MOST) {
        out->base = out->block = table_new(1, size);
    } else if ((out->block = calloc(1, size + LARGE_PAGE))) {
        out->base = (char *)out->block + (-(uintptr_t)out->block & (LARGE_PAGE - 1));
        if (size <= ARENA_KEPT_MOST) ask_large_pages(out->base, size);
    }
    out->block_size = out->block ? size : 0;
}

int arena_new(struct arena *arena, size_t size, struct error *err)
{
    *arena = (struct arena){0};
    if (size > ARENA_KEPT_MOST || !kept_take(arena, size)) block_new(arena, size);
    if (!arena->block) return error_set(err, ERR_MEMORY, "cannot take %zu bytes for a run", size);
    arena->size = size;
    arena->used = 0;
    return 0;
}

void arena_free(struct arena *arena)
{
    if (arena->block_size <= ARENA_KEPT_MOST) keep(*arena);
    else free(arena->block);
    *arena = (struct arena){0};
}
