/* L1 as others see it: looked up for another SM, misses that leave it another way than to L2 and may come back,
 * and atomics that are performed elsewhere than at L2. */
#ifndef GPU_L1_SNOOP_H
#define GPU_L1_SNOOP_H
#include "cache/l1_chunked.h"

/* Whether these chunks of a line are there. Touches neither the order of replacement nor any counter. */
static inline enum snoop l1_snoop(const struct l1 *l1, uint32_t line, uint32_t chunks)
{
    struct tag_line *l = tags_find(&l1->tags, l1_set_of(l1, line), line);
    if (!l) return mshrs_find(&l1->mshrs, line) < 0 ? SNOOP_ABSENT : SNOOP_PENDING;
    if (!(l1->chunked ? chunks & ~l->valid : org_probe(&l1->tags, l, chunks).missing)) return SNOOP_PRESENT;
    return l->pending ? SNOOP_PENDING : SNOOP_ABSENT;
}
/* Makes a line that is there the most recent. */
void l1_snoop_touch(struct l1 *l1, uint32_t line);
/* A miss that had left another way goes to L2; false if the miss queue is full. */
bool l1_resume(struct l1 *l1, const struct miss *miss);
/* A line that no load waits for is asked for, with an MSHR and room of its own. */
enum prefetch_outcome l1_prefetch(struct l1 *l1, const struct prefetch *what, cycle_t now);
/* What a mechanism that performs atomics needs of L2; false if the miss queue is full. */
bool l1_ask(struct l1 *l1, const struct atomic_data *data);
/* An atomic that such a mechanism takes: what is present of its line goes. */
void l1_leave_atomic(struct l1 *l1, uint32_t line, cycle_t now);
#endif
