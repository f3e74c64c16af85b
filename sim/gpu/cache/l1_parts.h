/* What the organisations of L1 (l1_lines.h, l1_streaming.c, l1_chunked.c) and all other accesses (l1.c) share: the way
 * to the miss queue, MSHRs that take another load or have been answered, and lines that come and go. */
#ifndef GPU_L1_PARTS_H
#define GPU_L1_PARTS_H
#include "cache/l1.h"

static inline uint32_t l1_set_of(const struct l1 *l1, uint32_t line)
{
    if (l1->set_index == FERMI_INDEX) return fermi_index(line, l1->tags.sets);
    if (l1->set_index == LINEAR_INDEX) return line & (l1->tags.sets - 1);
    return l1->set_index == HASH_INDEX ? hash_index(line, l1->tags.sets) : line % l1->tags.sets;
}

static inline bool queue_has_room(const struct l1 *l1, uint32_t n)
{
    return l1->to_xbar.count + n <= l1->to_xbar.capacity;
}

/* Of `a` its line, and what its instruction asks of the caches: nothing for a line that L1 sends or fetches itself. */
static inline void send(struct l1 *l1, enum request_kind kind, const struct l1_access *a, uint32_t sectors,
                        uint32_t token, bool wants_data)
{
    struct request *r = request_fifo_add(&l1->to_xbar, 0); /* the crossbar may take it at once */
    r->line = l1_sent_line(l1, a->line);
    r->token = (uint16_t)token;
    r->requester = requester_of(FROM_SM, l1->sm);
    r->kind = (uint8_t)kind;
    r->sectors = (uint8_t)sectors;
    r->flits = request_reads_line(kind) ? l1->read_flits : l1->flits[sectors & 15];
    r->wants_data = wants_data;
    r->op = a->op;
    r->bank = r->set = 0;
}

/* l1_parts.c: a mechanism may take misses into a network of its own. Whether it would take this one, while the miss
 * queue has no room for it, but for `writes` lines that are written back; whether it has taken it. */
APART bool l1_has_other_way(const struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t writes);
APART bool l1_leaves_otherwise(const struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t token,
                               cycle_t now);
/* Room for a miss, and for what is written back for it, on the way that it would take. */
static inline bool miss_has_room(const struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t writes)
{
    if (queue_has_room(l1, 1 + writes)) return true;
    return l1->hooks->miss_route.call && l1_has_other_way(l1, a, chunks, writes);
}
static inline void send_miss(struct l1 *l1, const struct l1_access *a, uint32_t sectors, uint32_t token, cycle_t now)
{
    if (l1->hooks->miss_route.call && l1_leaves_otherwise(l1, a, sectors, token, now)) return;
    send(l1, REQUEST_READ, a, sectors, token, true);
}

/* ---- what a miss needs ---- */

/* It waits and asks for no more than these. */
static inline void probe_less(struct probe *p, uint32_t sectors)
{
    p->missing &= sectors;
    p->fetch &= sectors;
}
/* On a line for which an MSHR waits: a place there, and room to ask for what is not on its way yet, which is what
 * *fetch becomes. Which of them is not there, L1_MERGED if nothing is asked for, or L1_MISS. */
static inline enum l1_outcome l1_reserve_more(const struct l1 *l1, const struct l1_access *a, int entry,
                                              uint32_t *fetch)
{
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    *fetch &= ~mshrs_at(&l1->mshrs, entry)->issued;
    if (!*fetch) return L1_MERGED;
    return miss_has_room(l1, a, *fetch, 0) ? L1_MISS : L1_FAIL_QUEUE;
}

/* ---- lines that come and go ---- */

/* l1_parts.c: mechanisms are told, and what a line alone holds goes to L2. */
APART void l1_tell_evict(const struct l1 *l1, const struct tag_line *line, bool by_store, cycle_t now);
APART void l1_tell_fill(const struct l1 *l1, const struct tag_line *line, cycle_t now);
struct tag_line *l1_find_present(struct l1 *l1, uint32_t line); /* if anything of it is there, else NULL */
void l1_lose(struct l1 *l1, struct tag_line *l, cycle_t now);   /* what is present of the line goes */
void l1_discard(struct l1 *l1, uint32_t line, cycle_t now); /* what a store or an atomic leaves of its line: nothing */
APART void l1_write_back(struct l1 *l1, const struct tag_line *line);
APART void l1_evict_others(struct l1 *l1, const uint32_t others[], uint32_t n, cycle_t now);

/* What is there of a line goes; what it alone holds (local memory) goes to L2. The caller has seen that the miss queue
 * has room. */
static inline void evict(struct l1 *l1, const struct tag_line *l, cycle_t now)
{
    l1->stats.l1d_evictions++;
    if (l1->hooks->on_evict.n) l1_tell_evict(l1, l, false, now);
    if (l->dirty) l1_write_back(l1, l);
}

static inline void make_room(struct l1 *l1, const struct room *room, const uint32_t others[], cycle_t now)
{
    const struct tag_line *l = tags_line(&l1->tags, room->frame);
    if (l->valid) evict(l1, l, now);
    if (tags_are_special(&l1->tags) && room->others) l1_evict_others(l1, others, room->others, now);
}

/* What has come goes into the frame of its line. */
static inline void l1_put(struct l1 *l1, uint32_t frame, uint32_t chunks, cycle_t now)
{
    struct tag_line *l = tags_line(&l1->tags, frame);
    org_fill(&l1->tags, l, chunks);
    l1->progress[L1_A_FILL_OF_THE_SET] += tags_is_in(&l1->tags, frame, l1->known_set);
    if (l1->hooks->on_fill.n) l1_tell_fill(l1, l, now);
}
/* What a store leaves of its line in an L1 of lines that takes one for it (l1.h, `keep_store`). */
enum l1_outcome l1_keep_store(struct l1 *l1, const struct l1_access *a, cycle_t now);

/* ---- who waits ---- */

/* l1_parts.c: other chunks than those that have come are still on their way. Loads that wait for them stay and move
 * up. */
APART uint32_t l1_answer_some(struct l1 *l1, int entry, uint32_t chunks, const uint32_t **targets);
/* The loads that now have all they wait for, and how many these are. */
static inline uint32_t l1_answer(struct l1 *l1, int entry, uint32_t chunks, const uint32_t **targets)
{
    struct mshr *e = mshrs_at(&l1->mshrs, entry);
    if (e->issued & ~chunks) return l1_answer_some(l1, entry, chunks, targets);
    *targets = mshr_targets(&l1->mshrs, e);
    mshrs_free(&l1->mshrs, entry);
    return e->count;
}

/* ---- what is counted ---- */

/* Of `n` requests of the warp, one after another. */
static inline void l1_count_hits(struct l1 *l1, const struct tag_line *l, uint32_t warp, uint32_t n)
{
    l1->stats.l1d_load_hits += n;
    l1->stats.l1d_intra_warp_hits += n - (l->last_use_warp != warp);
    l1->stats.l1d_own_fill_hits += tags_owner(&l1->tags, l)->warp == warp ? n : 0;
}
static inline void l1_count_miss(struct l1 *l1, bool has_line, bool fills_line)
{
    l1->stats.l1d_misses++;
    if (has_line) l1->stats.l1d_sector_misses++;
    if (!fills_line) l1->stats.l1d_no_allocate++;
}
static inline void count_latency(struct l1 *l1, const struct reply *reply, cycle_t latency)
{
    l1->stats.l1d_fills++;
    l1->stats.miss_latency_sum += latency;
    if (!(reply->flags & REPLY_L2_HIT)) return;
    l1->stats.l2_hit_latency_sum += latency;
    l1->stats.l2_hit_latency_count++;
}
#endif
