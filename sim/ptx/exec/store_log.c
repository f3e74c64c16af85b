#include "exec/store_log.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_FIRST ((size_t)32 << 10)
#define CHUNK_MOST ((size_t)512 << 10)

/* A chunk with room for so many bytes behind the last that is in use. */
static struct store_chunk *more_room(struct store_log *log, size_t bytes)
{
    struct store_chunk *next = log->last ? log->last->next : log->first;
    if (!next) {
        const size_t size = log->last && log->last->size < CHUNK_MOST ? 2 * log->last->size
                            : log->last                               ? CHUNK_MOST
                                                                      : CHUNK_FIRST;
        if (log->used + bytes > STORE_LOG_MOST || !(next = malloc(sizeof *next + size))) return NULL;
        *next = (struct store_chunk){.size = size};
        if (log->last) log->last->next = next;
        else log->first = next;
    }
    log->last = next;
    return next;
}

unsigned char *store_log_add(struct store_log *log, uint64_t lo, bool is_row, uint32_t mask, uint32_t bytes,
                             const uint64_t addresses[STORE_LANES])
{
    const size_t head = store_head(is_row), size = head + (size_t)STORE_LANES * bytes;
    struct store_chunk *chunk = log->last;
    if ((!chunk || chunk->size - chunk->used < size) && !(chunk = more_room(log, size))) return NULL;
    struct store_entry *e = (struct store_entry *)(void *)((char *)chunk->bytes + chunk->used);
    chunk->used += size;
    log->used += size;
    e->mask = mask;
    e->bytes = (uint16_t)bytes;
    e->n_offsets = is_row ? 1 : STORE_LANES;
    if (is_row) e->offsets[0] = (uint32_t)(addresses[0] - lo);
    else
        for (uint32_t l = 0; l < STORE_LANES; l++) e->offsets[l] = (uint32_t)(addresses[l] - lo);
    return (unsigned char *)e + head;
}

void store_log_clear(struct store_log *log)
{
    for (struct store_chunk *c = log->first; c; c = c->next) c->used = 0;
    log->last = NULL;
    log->used = 0;
}

void store_log_fini(struct store_log *log)
{
    for (struct store_chunk *c = log->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *log = (struct store_log){0};
}

static void apply_row(const struct store_entry *e, unsigned char *host, const struct store_shares *shares,
                      unsigned share)
{
    const unsigned char *values = store_values(e);
    const uint64_t end = e->offsets[0] + (uint64_t)STORE_LANES * e->bytes;
    for (uint64_t at = e->offsets[0], next; at < end; at = next) {
        const uint64_t page = at / STORE_PAGE, page_end = (page + 1) * STORE_PAGE;
        next = page_end < end ? page_end : end;
        if (shares->of[page % STORE_PAGES] == share) memcpy(host + at, values + (at - e->offsets[0]), next - at);
    }
}

static void apply_lanes(const struct store_entry *e, unsigned char *host, const struct store_shares *shares,
                        unsigned share)
{
    const unsigned char *values = store_values(e);
    for (uint32_t left = e->mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), at = e->offsets[l];
        if (shares->of[at / STORE_PAGE % STORE_PAGES] != share) continue;
        if (e->bytes == 4) memcpy(host + at, values + l * 4, 4);
        else if (e->bytes == 8) memcpy(host + at, values + l * 8, 8);
        else memcpy(host + at, values + l * e->bytes, e->bytes);
    }
}

void store_log_apply(const struct store_log *log, unsigned char *host, const struct store_shares *shares,
                     unsigned share)
{
    struct store_place place = store_log_begin(log);
    for (const struct store_entry *e; (e = store_log_next(log, &place));)
        if (e->n_offsets == 1) apply_row(e, host, shares, share);
        else apply_lanes(e, host, shares, share);
}
