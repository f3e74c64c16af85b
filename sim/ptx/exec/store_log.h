/* Stores to an allocation that the thread only writes, in their order: that takes the place of copies of its pages
 * (exec/shadow.h). */
#ifndef PTX_STORE_LOG_H
#define PTX_STORE_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_LOG_MOST ((size_t)256 << 20) /* bytes of a log */
#define STORE_LANES 32u

/* A store of a warp. Of lanes side by side there is one offset; else one a lane. The values stand behind the offsets,
 * those of lane l from l * bytes on. */
struct store_entry {
    uint32_t mask; /* lanes; all of them in a row */
    uint16_t bytes, n_offsets;
    uint32_t offsets[]; /* in the allocation */
};
struct store_chunk {
    struct store_chunk *next;
    size_t used, size;
    uint64_t bytes[]; /* entries */
};
struct store_log {
    struct store_chunk *first, *last; /* last: where entries are added; those behind it are empty */
    size_t used;                      /* bytes of all entries */
};

static inline size_t store_offsets(bool is_row) { return is_row ? 2 : STORE_LANES; } /* a row's has room for 8 bytes */
static inline size_t store_head(bool is_row) { return sizeof(struct store_entry) + 4 * store_offsets(is_row); }
static inline const unsigned char *store_values(const struct store_entry *e)
{
    return (const unsigned char *)e + store_head(e->n_offsets == 1);
}

/* Entries from the first on. */
struct store_place {
    const struct store_chunk *chunk;
    size_t at;
};
static inline struct store_place store_log_begin(const struct store_log *log)
{
    return (struct store_place){log->first, 0};
}
static inline const struct store_entry *store_log_next(const struct store_log *log, struct store_place *p)
{
    while (p->chunk && p->at == p->chunk->used) {
        p->chunk = p->chunk == log->last ? NULL : p->chunk->next;
        p->at = 0;
    }
    if (!p->chunk) return NULL;
    const struct store_entry *e = (const struct store_entry *)(const void *)((const char *)p->chunk->bytes + p->at);
    p->at += store_head(e->n_offsets == 1) + (size_t)STORE_LANES * e->bytes;
    return e;
}

/* Where the values of the lanes are to be put, `bytes` each; NULL: there is no memory. Addresses are at most 4 GiB
 * behind lo. is_row: the lanes stand side by side, and all of them store. */
unsigned char *store_log_add(struct store_log *log, uint64_t lo, bool is_row, uint32_t mask, uint32_t bytes,
                             const uint64_t addresses[STORE_LANES]);
void store_log_clear(struct store_log *log); /* keeps its memory */
void store_log_fini(struct store_log *log);
/* Whose turn a page is where several threads share the pages: page n is that of the share of[n % STORE_PAGES]. */
#define STORE_PAGES 256u
#define STORE_PAGE 4096u
struct store_shares {
    uint8_t of[STORE_PAGES];
};
/* Performs the stores to pages of one share, `host` being where the allocation begins. */
void store_log_apply(const struct store_log *log, unsigned char *host, const struct store_shares *shares,
                     unsigned share);
#endif
