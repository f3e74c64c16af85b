/* What an L1 in chunks asks of L2, and what a reply brings.
 *
 * An L2 of whole lines looks only at how many sectors a read names: a read of chunks that are smaller than these names
 * as many as the chunks' bytes fill, as that is what comes back. Nothing is less than one packet of the network. [TSC
 * §3.2, §3.4, §5.4]
 *
 * A chunk that is larger than a line of L2 is asked for by a request for each of these, and is there when all have
 * come. */
#include "cache/l1_chunked.h"

void l1_chunked_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t l1_sectors = c->n_chunks * c->chunk_bytes / SECTOR_BYTES, in_line = *line & ((1u << c->down) - 1);
    *line >>= c->down;
    *sectors <<= in_line * l1_sectors;
    if (!c->up) return;
    const uint32_t of_part = l1_sectors >> c->up, part = (uint32_t)__builtin_ctz(*sectors) / of_part;
    *line = *line << c->up | part;
    *sectors >>= part * of_part;
}

uint32_t l1_chunked_requests(const struct l1 *l1, uint32_t chunks)
{
    const struct l1_chunked *c = l1->chunked;
    if (c->chunk_lines > 1 || (c->asks_apart && chunks != c->all))
        return (uint32_t)__builtin_popcount(chunks) * c->chunk_lines;
    const uint32_t first = (uint32_t)((1ull << c->part_chunks) - 1);
    uint32_t n = 0;
    for (uint32_t at = 0; at < c->n_chunks; at += c->part_chunks) n += (chunks >> at & first) != 0;
    return n;
}

/* As many sectors, of those that these chunks lie in, as their bytes fill. */
static uint32_t compact(const struct l1_chunked *c, uint32_t chunks, uint32_t sectors)
{
    uint32_t n = ((uint32_t)__builtin_popcount(chunks) * c->chunk_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, kept = 0;
    for (; n; n--, sectors &= sectors - 1) kept |= sectors & -sectors;
    return kept;
}

/* Where what is known of a request stands. */
static inline uint32_t of_token(const struct l1_chunked *c, uint32_t token)
{
    return (token & ((1u << CHUNK_TOKEN_SHIFT) - 1)) * c->n_chunks + (token >> CHUNK_TOKEN_SHIFT);
}

uint32_t l1_chunked_send(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t token)
{
    const struct l1_chunked *c = l1->chunked;
    uint32_t sectors = renamed(chunks, c->chunk_bytes, SECTOR_BYTES), n = 0;
    if (c->is_compact) sectors = compact(c, chunks, sectors);
    while (sectors) {
        struct l1_access of_l2 = *a;
        const uint32_t lowest = (uint32_t)__builtin_ctz(sectors), first = lowest / c->line_sectors * c->line_sectors,
                       in_line = sectors & ((1u << c->line_sectors) - 1) << first;
        uint32_t there = in_line;
        l1_chunked_place(l1, &of_l2.line, &there);
        send(l1, REQUEST_READ, &of_l2, there, token, true);
        sectors &= ~in_line;
        n++;
    }
    c->left[of_token(c, token)] = (uint8_t)(n - 1);
    return n;
}

void l1_chunked_ask(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t entry, cycle_t now)
{
    struct l1_chunked *c = l1->chunked;
    struct mshr *e = mshrs_at(&l1->mshrs, (int)entry);
    const bool apart = c->asks_apart && chunks != c->all;
    uint32_t n = 0;
    while (chunks) {
        const uint32_t lowest = (uint32_t)__builtin_ctz(chunks), first = lowest / c->part_chunks * c->part_chunks;
        const uint32_t part = apart ? chunks & -chunks : chunks & (uint32_t)(((1ull << c->part_chunks) - 1) << first);
        const uint32_t token = entry | lowest << CHUNK_TOKEN_SHIFT;
        c->fetched[entry * c->n_chunks + lowest] = part;
        c->left[entry * c->n_chunks + lowest] = 0;
        *mshrs_since(&l1->mshrs, e, part) = now;
        chunks &= ~part;
        const bool is_away = l1->hooks->miss_route.call && l1_leaves_otherwise(l1, a, part, token, now);
        n += is_away ? 1 : l1_chunked_send(l1, a, part, token);
    }
    l1->stats.l1d_split_requests += n - 1;
}

uint32_t l1_chunked_arrived(const struct l1 *l1, uint32_t token, int *entry)
{
    *entry = (int)(token & ((1u << CHUNK_TOKEN_SHIFT) - 1));
    return l1->chunked->fetched[of_token(l1->chunked, token)];
}

bool l1_chunked_is_whole(struct l1 *l1, uint32_t token)
{
    uint8_t *left = &l1->chunked->left[of_token(l1->chunked, token)];
    if (!*left) return true;
    --*left;
    return false;
}
