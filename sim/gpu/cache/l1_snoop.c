#include "cache/l1_snoop.h"

void l1_snoop_touch(struct l1 *l1, uint32_t line)
{
    struct tag_line *l = tags_find(&l1->tags, l1_set_of(l1, line), line);
    if (l) tags_touch(&l1->tags, l, l->last_use_warp);
}

bool l1_resume(struct l1 *l1, const struct miss *miss)
{
    const struct l1_access of = {.line = miss->line, .op = miss->op};
    if (!queue_has_room(l1, l1->chunked ? l1->chunked->chunk_lines : 1)) return false;
    if (l1->chunked) l1->stats.l1d_split_requests += l1_chunked_send(l1, &of, miss->chunks, miss->token) - 1;
    else send(l1, REQUEST_READ, &of, miss->chunks, miss->token, true);
    return true;
}

static int mshr_of(struct l1 *l1, uint32_t line)
{
    struct tag_line *l = tags_find(&l1->tags, l1_set_of(l1, line), line);
    return l && l->pending ? (int)*tags_mshr(l) : mshrs_find(&l1->mshrs, line);
}

/* A load's miss for which nobody waits, through a port of its own: it counts apart from the look-ups of loads, holds
 * none of them up, and the access that was looked up last may still wait for its set. */
enum prefetch_outcome l1_prefetch(struct l1 *l1, const struct prefetch *what, cycle_t now)
{
    const struct l1_access of = {.line = what->line,
                                 .warp = what->uid,
                                 .pc = what->pc,
                                 .sectors = what->sectors,
                                 .chunks = what->chunks,
                                 .may_pollute = true};
    const uint32_t wanted = l1->chunked ? l1_chunked_touched(l1, &of) : of.sectors;
    if (mshr_of(l1, what->line) >= 0) return PREFETCH_PENDING;
    if (l1->mshrs.n - l1->mshrs.used <= what->keep_mshrs) return PREFETCH_NO_ROOM;
    const uint32_t known_set = l1->known_set, held_up = l1->tags.held_up;
    const struct l1_stats before = l1->stats;
    enum prefetch_outcome outcome = PREFETCH_SENT;
    if (l1_snoop(l1, what->line, wanted) == SNOOP_PRESENT) outcome = PREFETCH_PRESENT;
    else if (l1_load(l1, &of, now) != L1_MISS) outcome = PREFETCH_NO_ROOM;
    else mshrs_at(&l1->mshrs, mshr_of(l1, what->line))->count = 0;
    l1->known = NO_LINE;
    l1->known_set = known_set;
    l1->tags.held_up = held_up;
    if (outcome != PREFETCH_SENT) return outcome;
    l1->stats.l1d_misses = before.l1d_misses;
    l1->stats.l1d_sector_misses = before.l1d_sector_misses;
    l1->stats.l1d_word_misses = before.l1d_word_misses;
    l1->stats.l1d_partial_misses = before.l1d_partial_misses;
    l1->stats.l1d_chunk_probes = before.l1d_chunk_probes;
    l1->stats.l1d_chunk_conflicts = before.l1d_chunk_conflicts;
    l1->stats.l1d_prefetches++;
    return outcome;
}

bool l1_ask(struct l1 *l1, const struct atomic_data *data)
{
    if (!queue_has_room(l1, 1)) return false;
    const enum request_kind kind = data->is_write ? REQUEST_ATOMIC_STORE : REQUEST_ATOMIC_FETCH;
    send(l1, kind, &(struct l1_access){.line = data->line}, data->sectors, data->token, true);
    l1->atomic_packets++;
    return true;
}

void l1_leave_atomic(struct l1 *l1, uint32_t line, cycle_t now)
{
    l1_discard(l1, line, now);
    l1->stats.l1d_atomics++;
    l1->atomics_taken++;
}
