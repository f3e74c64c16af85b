/* L1 data cache: hashed sets, LRU, write-evict, no write-allocate.     [THESIS Tab. 3.1, 5.1; Volta's and Pascal's: ELASTIC §2, §6]
 *
 *   LSU --access--> tags + MSHRs --request--> to_xbar (the miss queue)         replies --fill--> waiting loads
 *
 * An access either succeeds (hit, merge, miss) or fails to reserve something and changes nothing; the LSU tries again.
 * A streaming L1 has an MSHR for every line and takes lines only when data comes: nothing waits for a line. */
#ifndef GPU_L1_H
#define GPU_L1_H
#include "../mech/hooks.h"
#include "bypass.h"
#include "fifo.h"
#include "mshr.h"
#include "org.h"
#include "params.h"
#include "stats.h"

enum l1_outcome { L1_HIT, L1_MERGED, L1_MISS, L1_SENT, L1_FAIL_LINE, L1_FAIL_MSHR, L1_FAIL_MERGE, L1_FAIL_QUEUE };
/* What may let in an access that failed: a fill; a fill of its set, if every line of that is reserved; a fill or room in the miss queue. */
enum l1_progress { L1_A_FILL, L1_A_FILL_OF_THE_SET, L1_A_FILL_OR_ROOM, L1_PROGRESSES };
static inline enum l1_progress l1_awaits(enum l1_outcome outcome)
{
    return outcome == L1_FAIL_LINE ? L1_A_FILL_OF_THE_SET : outcome == L1_FAIL_QUEUE ? L1_A_FILL_OR_ROOM : L1_A_FILL;
}
/* In order of use: what an access and a fill need of all this stands in two lines of the host's cache, the miss queue and the counters of hits in
 * a third, those of misses and of fills in one each. */
struct l1 {
    _Alignas(64) const struct l1_params *params;
    const struct hooks *hooks;
    uint32_t progress[L1_PROGRESSES]; /* how often each has come about */
    uint32_t absent, absent_set; /* a line of which nothing was there or on its way when it was last looked up, and its set; or NO_LINE */
    uint32_t sm;
    struct mshrs mshrs;
    struct tags tags;
    uint8_t flits[16];  /* of a request with these sectors as payload */
    uint32_t *answered; /* targets of the last fill, where others still wait */
    _Alignas(64) struct request_fifo to_xbar;
    struct l1_stats stats;
    uint64_t *ask_at;   /* of the SM, for what the hooks tell */
    uint64_t writebacks_done; /* of stats.l1d_writebacks, those acknowledged */
    struct bypasses bypasses; /* laid out with the mechanisms, if any of them needs it */
};
/* The head of the miss queue leaves. */
static inline struct request l1_take(struct l1 *l1)
{
    l1->progress[L1_A_FILL_OR_ROOM]++;
    return request_fifo_pop(&l1->to_xbar);
}
/* shared_bytes: shared memory of the CTAs that an SM holds, which an adaptive L1 leaves to them. */
void l1_init(struct l1 *l1, const struct gpu_params *params, uint32_t shared_bytes, uint32_t sm, struct arena *arena);
HOT enum l1_outcome l1_load(struct l1 *l1, const struct l1_access *access, cycle_t now);
/* What l1_load would return now, if that is L1_FAIL_*; else L1_HIT. Changes nothing; does not ask who and where from. */
HOT enum l1_outcome l1_load_fails(struct l1 *l1, const struct l1_access *access);
/* A load around L1: needs room in the miss queue only. No MSHR, no merge, no fill. [BUCL §IV.A] */
enum l1_outcome l1_bypass(struct l1 *l1, uint32_t line, uint32_t sectors, uint32_t load, cycle_t now);
/* Its data has arrived: the load it belongs to. */
uint32_t l1_bypassed(struct l1 *l1, const struct reply *reply, cycle_t now);
/* PerfX: a load that hits at once. */
static inline void l1_perfect_load(struct l1 *l1)
{
    l1->stats.l1d_load_hits++;
}
/* A store (kind REQUEST_WRITE) or atomic; `token` comes back with the acknowledgement or result. */
HOT enum l1_outcome l1_send(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token, bool wants_data,
                       cycle_t now);
/* A store to local memory where L1 keeps it: L1_HIT if nothing is sent. */
enum l1_outcome l1_store_local(struct l1 *l1, uint32_t line, uint32_t sectors, uint32_t warp, uint32_t token, cycle_t now);
/* A line for a read-only cache (kind REQUEST_FETCH and after); false if the miss queue is full. */
bool l1_send_fetch(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t token);
/* The reply to a miss. *targets points at the loads that now have their data; valid until the next access. */
HOT uint32_t l1_fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now);
#endif
