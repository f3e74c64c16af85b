/* Memory for the buffers of warps that are recorded together: blocks of 2^k bytes, cut one behind the other from
 * larger and larger pieces, in large pages of the host. What has grown out of a block leaves it to others. */
#ifndef TRACE_BUFFER_POOL_H
#define TRACE_BUFFER_POOL_H
#include <stddef.h>
#include <stdint.h>

struct buffer_pool {
    unsigned char *at;
    size_t left, taken;  /* bytes of the piece in hand; of all */
    void *pieces;        /* each begins with a pointer to the one before it */
    void *free_ones[64]; /* by k; each begins with a pointer to the next */
};
/* A buffer of *cap items, the first n of which are in use, in twice as much memory, or, where there is none, in a block
 * of `least` items; 2^k bytes both. Returns NULL without memory, and nothing has changed. */
void *buffer_pool_grow(struct buffer_pool *pool, void *buffer, size_t *cap, size_t n, size_t least, size_t item);
void buffer_pool_give(struct buffer_pool *pool, void *buffer, size_t bytes); /* accepts NULL */
void buffer_pool_fini(struct buffer_pool *pool);
#endif
