#include "buffer_pool.h"

#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"

#define PIECE_LEAST ((size_t)64 << 10)
#define PIECE_MOST ((size_t)8 << 20)
#define PIECE_HEAD ((size_t)64) /* the pointer, and blocks begin with a line of the host's cache */

/* Of 2^k bytes: items have 4, 8 or 16, and there are 2^k of them. */
static unsigned power_of(size_t bytes) { return (unsigned)__builtin_ctzll(bytes); }

static void *take(struct buffer_pool *pool, size_t bytes)
{
    void **block = pool->free_ones[power_of(bytes)];
    if (block) {
        pool->free_ones[power_of(bytes)] = *block;
        return block;
    }
    if (pool->left < bytes) {
        size_t piece = pool->taken < PIECE_LEAST ? PIECE_LEAST : pool->taken < PIECE_MOST ? pool->taken : PIECE_MOST;
        if (piece < bytes + PIECE_HEAD) piece = bytes + PIECE_HEAD;
        void **more = table_take(1, piece);
        if (!more) return NULL;
        *more = pool->pieces;
        pool->pieces = more;
        pool->taken += piece;
        pool->at = (unsigned char *)more + PIECE_HEAD;
        pool->left = piece - PIECE_HEAD;
    }
    unsigned char *at = pool->at;
    pool->at += bytes;
    pool->left -= bytes;
    return at;
}

void buffer_pool_give(struct buffer_pool *pool, void *buffer, size_t bytes)
{
    void **block = buffer;
    if (!block) return;
    *block = pool->free_ones[power_of(bytes)];
    pool->free_ones[power_of(bytes)] = block;
}

void *buffer_pool_grow(struct buffer_pool *pool, void *buffer, size_t *cap, size_t n, size_t least, size_t item)
{
    const size_t want = *cap ? 2 * *cap : least;
    void *more = take(pool, want * item);
    if (!more) return NULL;
    if (n) memcpy(more, buffer, n * item);
    buffer_pool_give(pool, buffer, *cap * item);
    *cap = want;
    return more;
}

void buffer_pool_fini(struct buffer_pool *pool)
{
    for (void **piece = pool->pieces, **next; piece; piece = next) {
        next = *piece;
        free(piece);
    }
    *pool = (struct buffer_pool){0};
}
