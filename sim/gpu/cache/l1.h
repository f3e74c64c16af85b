/* L1 data cache: hashed sets, LRU, write-evict, no write-allocate.
 * [THESIS Tab. 3.1, 5.1; Volta's and Pascal's: ELASTIC §2, §6]
 *
 *   LSU --access--> tags + MSHRs --request--> to_xbar (the miss queue)         replies --fill--> waiting loads
 *
 * An access either succeeds (hit, merge, miss) or fails to reserve something and changes nothing; the LSU tries
 * again. A streaming L1 has an MSHR for every line and takes lines only when data comes: nothing waits for a line. */
#ifndef GPU_L1_H
#define GPU_L1_H
#include "poise/sys/hooks.h"
#include "cache/bypass.h"
#include "net/queue.h"
#include "cache/mshr.h"
#include "cache/org.h"
#include "config/params.h"
#include "config/stats.h"

enum l1_outcome {
    L1_HIT,
    L1_MERGED,
    L1_MISS,
    L1_SENT,
    L1_FAIL_LINE,
    L1_FAIL_MSHR,
    L1_FAIL_MERGE,
    L1_FAIL_QUEUE,
    L1_APART /* sectors of a line must be looked up one by one */
};
/* What may let in an access that failed: a fill; a fill of its set, if every line of that is reserved; a fill or
 * room in the miss queue. */
enum l1_progress { L1_A_FILL, L1_A_FILL_OF_THE_SET, L1_A_FILL_OR_ROOM, L1_PROGRESSES };
static inline enum l1_progress l1_awaits(enum l1_outcome outcome)
{
    return outcome == L1_FAIL_LINE ? L1_A_FILL_OF_THE_SET : outcome == L1_FAIL_QUEUE ? L1_A_FILL_OR_ROOM : L1_A_FILL;
}
struct l1;
/* An organisation of L1, by what is asked of it. `load` and `fill` are l1_load() and l1_fill() below. `keep_store`: a
 * store that is written through has its line in L1 from then on, in place of another, unless all of the set are on
 * their way; what is on its way of its own line comes as it is asked for. L1_HIT, or what it could not reserve.
 * `load_apart` (or NULL): `n` requests of a load, a sector each, that come to their line in one cycle. All hit, or all
 * miss and nothing of them is on its way; else L1_APART, and nothing has changed. */
struct l1_type {
    enum l1_outcome (*load)(struct l1 *, const struct l1_access *, cycle_t now);
    enum l1_outcome (*load_apart)(struct l1 *, const struct l1_access *, uint32_t n, cycle_t now);
    enum l1_outcome (*load_fails)(struct l1 *, const struct l1_access *);
    uint32_t (*fill)(struct l1 *, const struct reply *, const uint32_t **targets, cycle_t now);
    enum l1_outcome (*keep_store)(struct l1 *, const struct l1_access *, cycle_t now);
};
/* Of ordinary lines, the plain one (l1_lines.h); of the same lines in any cache; streaming (l1_streaming.c); in chunks
 * that are not those of messages (l1_chunked.c). */
extern const struct l1_type l1_ordinary_lines, l1_lines, l1_streaming, l1_in_chunks;
/* The counter of accesses that find no room in the miss queue. */
enum { L1_QUEUE_FAIL = COUNTER_PLACE(l1_stats, l1d_fail_queue_cycles) };
/* In order of use: what an access and a fill need of all this stands in two lines of the host's cache, the miss
 * queue and what is sent in a third. */
struct l1 {
    _Alignas(64) const struct hooks *hooks;
    const struct l1_type *type;
    uint32_t progress[L1_PROGRESSES]; /* l1_progress; of room: that of a mechanism's own way */
    uint32_t known, known_set;        /* the line that was looked up last, or NO_LINE, and its set, */
    uint8_t set_index, tag_cycles;
    uint16_t hit_latency; /* the organisation's lookup in it */
    uint32_t known_frame; /* and where it was: it is there as long as that has its number; NO_FRAME: nowhere, and it
                           * comes by no other way than an access to it */
    struct mshrs mshrs;
    struct tags tags;
    _Alignas(64) struct request_fifo to_xbar;
    uint32_t sm, told_as;       /* as mechanisms know it, who count the SMs of their launch */
    uint32_t apart_from, apart; /* lines from this one on leave for L2 under numbers so much higher: of launches side
                                 * by side each has lines of its own there */
    uint8_t all_sectors;        /* of a line of L2 */
    uint8_t read_flits;         /* of a request without payload, */
    struct l1_stats stats;
    uint8_t flits[16];  /* and with these sectors */
    uint32_t *answered; /* targets of the last fill, where others still wait */
    const struct l1_params *params;
    uint64_t *ask_at;                       /* of the SM, for what the hooks tell */
    uint64_t writebacks_done;               /* of stats.l1d_writebacks, those acknowledged */
    uint64_t atomics_taken, atomic_packets; /* of stats.l1d_atomics, those that a mechanism performs; what it asks of
                                             * L2 */
    uint64_t delivered;                     /* of stats.l1d_fills, those that a mechanism's own network brought */
    struct l1_chunked *chunked;             /* NULL: it stores the sectors that messages bring */
    struct bypasses bypasses; /* part of the machine if the plan needs it, else of the mechanisms if one of them does */
};
/* How often it has come about: it counts up, and moves whenever what failed for want of it may go on. */
static inline uint32_t l1_progress(const struct l1 *l1, enum l1_progress what)
{
    return what == L1_A_FILL_OR_ROOM ? l1->progress[what] + l1->progress[L1_A_FILL] + request_fifo_taken(&l1->to_xbar)
                                     : l1->progress[what];
}
/* What L2 and DRAM call a line of L2. */
static inline uint32_t l1_sent_line(const struct l1 *l1, uint32_t line)
{
    return line >= l1->apart_from ? line + l1->apart : line;
}
/* shared_bytes: shared memory of the CTAs that an SM holds, which an adaptive L1 leaves to them. */
void l1_init(struct l1 *l1, const struct gpu_params *params, uint32_t shared_bytes, uint32_t sm, struct arena *arena);
/* An organisation whose mode is that of all SMs takes it from SM 0. */
void l1_follow(struct l1 *l1, const struct l1 *of_sm_0);
/* An elastic, streaming L1 is emptied and has so many ways from now on (0: all), or the nearest below that its lines
 * can be shared out by. Returns how many; 0: it is another L1. [ELASTIC §7] */
uint32_t l1_set_ways(struct l1 *l1, uint32_t ways, cycle_t now);
/* Lines that L1 alone holds are written back and go, as far as the miss queue has room; false: some are left. */
bool l1_write_all_back(struct l1 *l1, cycle_t now);
/* The mode of this cycle: what an access needs may have changed. */
static inline void l1_note(struct l1 *l1, cycle_t now)
{
    if (!l1->tags.org->note || !l1->tags.org->note(&l1->tags, now)) return;
    for (int i = 0; i < L1_PROGRESSES; i++) l1->progress[i]++;
}
/* The table of loads that bypass L1 is the machine's, as some do without a mechanism: `passes`, loads that L2 must
 * serve, and those that ask L2 again (l1_streaming.c). */
static inline bool l1_owns_bypasses(const struct gpu_params *params, bool passes)
{
    return passes || params->l1.tag_cycles;
}
/* Room for a load that bypasses L1. */
static inline bool l1_may_bypass(const struct l1 *l1)
{
    return request_fifo_has_room(&l1->to_xbar) && !bypasses_full(&l1->bypasses);
}
/* A load that bypasses L1 and brings `sectors`: needs room in the miss queue only. No MSHR, no merge, no fill. [BUCL
 * §IV.A] passes_l1: L2 must serve it. Then what is present of its line goes, as for a store; what is on its way
 * still comes. It must not be answered by a miss on its way either, as that may have read L2 before a store that the
 * load has to see: one that another thread of the CTA has synchronised with. [PTX ISA: memory consistency model,
 * causality order] */
enum l1_outcome l1_bypass(struct l1 *l1, const struct l1_access *access, uint32_t sectors, bool passes_l1, cycle_t now);
/* Its data has arrived: the load it belongs to. */
uint32_t l1_bypassed(struct l1 *l1, const struct reply *reply, cycle_t now);
/* PerfX: a load that hits at once. */
static inline void l1_perfect_load(struct l1 *l1) { l1->stats.l1d_load_hits++; }
/* A store (kind REQUEST_WRITE) or atomic; `token` comes back with the acknowledgement or result. */
HOT enum l1_outcome l1_send(struct l1 *l1, enum request_kind kind, const struct l1_access *access, uint32_t token,
                            bool wants_data, cycle_t now);
/* `n` stores of an instruction, a sector each of one line, in a cycle: all of them, or L1_APART and nothing has
 * changed. */
HOT enum l1_outcome l1_store_apart(struct l1 *l1, const struct l1_access *access, uint32_t n, uint32_t token,
                                   cycle_t now);
/* A store to local memory where L1 keeps it: L1_HIT if nothing is sent. */
enum l1_outcome l1_store_local(struct l1 *l1, const struct l1_access *access, uint32_t token, cycle_t now);
/* A line for a read-only cache (kind REQUEST_FETCH and after); false if the miss queue is full. */
bool l1_send_fetch(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t token);
HOT struct tag_line *l1_search(struct l1 *l1, uint32_t line);
/* The line if any of it is present or pending, else NULL. An access that fails, or is seen not to, is looked up
 * again: what was found is kept. */
static inline struct tag_line *l1_find(struct l1 *l1, uint32_t line)
{
    if (l1->known != line) return l1_search(l1, line);
    if (l1->known_frame == NO_FRAME) return NULL;
    struct tag_line *l = tags_line(&l1->tags, l1->known_frame);
    return *tags_key(l) == line ? l : l1_search(l1, line);
}
static inline enum l1_outcome l1_load(struct l1 *l1, const struct l1_access *access, cycle_t now)
{
    return l1->type->load(l1, access, now);
}
/* An instruction's requests for a line, a sector each, may be looked up at once: they wait for that together, and each
 * sector has a bank. */
static inline bool l1_joins_sectors(const struct l1 *l1)
{
    const struct tags *t = &l1->tags;
    const bool is_usual = l1->type->load_apart && t->is_sectored && !t->has_own_org && !t->has_own_chunks;
    const bool has_banks =
        l1->params->bank_bytes == SECTOR_BYTES && l1->params->banks * SECTOR_BYTES == l1->params->line_bytes;
    return is_usual && has_banks && l1->params->late_lookup;
}
/* What l1_load would return now, if that is L1_FAIL_*; else L1_HIT. Changes nothing, and needs no warp and no PC. */
static inline enum l1_outcome l1_load_fails(struct l1 *l1, const struct l1_access *access)
{
    return l1->type->load_fails(l1, access);
}
/* The next reply is this one: the host begins to fetch what it changes. Tokens of an L1 in chunks and of what goes
 * past L1 hold more than an MSHR's number. */
static inline void l1_expect_fill(const struct l1 *l1, const struct reply *reply)
{
    if (reply->kind == REQUEST_READ && reply->token < l1->mshrs.n)
        mshrs_prefetch_frame(&l1->mshrs, &l1->tags, (int)reply->token);
}
/* The reply to a miss. *targets points at the loads that now have their data; valid until the next access. */
static inline uint32_t l1_fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    l1->progress[L1_A_FILL]++;
    return l1->type->fill(l1, reply, targets, now);
}
#endif
