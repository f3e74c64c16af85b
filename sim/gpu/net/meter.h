/* Occupancy of a queue over its usage lifetime: cycles spent at each quarter of its capacity while it holds
 * anything. [THESIS Fig. 3.4] Exact whether or not idle cycles are skipped: every change is entered with the cycle
 * it happened in. */
#ifndef GPU_METER_H
#define GPU_METER_H
#include "net/msg.h"

enum { METER_BINS = 5 }; /* up to 25, 50, 75 %, below full, full */
struct meter {
    cycle_t since;
    uint32_t count, capacity;
    uint64_t bins[METER_BINS];
    uint64_t area; /* entries times cycles; what stands on the link in front of a full queue is not in it */
};
/* Charges what it has held since the last charge. */
static inline void meter_charge(struct meter *m, cycle_t at)
{
    if (m->count) {
        const uint32_t bin = m->count >= m->capacity          ? 4
                             : m->count * 4 > m->capacity * 3 ? 3
                             : m->count * 4 > m->capacity * 2 ? 2
                                                              : m->count * 4 > m->capacity;
        m->bins[bin] += at - m->since;
        m->area += (uint64_t)(at - m->since) * (m->count < m->capacity ? m->count : m->capacity);
    }
    m->since = at;
}
static inline bool meter_is_full(const struct meter *m, uint32_t count) { return count >= m->capacity; }
/* While it stays full, nothing need be charged. */
static inline void meter_set(struct meter *m, uint32_t count, cycle_t at)
{
    if (!meter_is_full(m, m->count) || !meter_is_full(m, count)) meter_charge(m, at);
    m->count = count;
}
#endif
