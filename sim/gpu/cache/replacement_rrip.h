/* What SRRIP, BRRIP and DRRIP share: a value of two bits a place, 0 for one that is expected soon to 3 for one that is
 * not; rank = 4 - value.                                                           [Jaleel et al., ISCA 2010]
 *
 *   hit       the value becomes 0 (hit priority); a request that waits for what is on its way is no hit
 *   victim    the first place with the value 3; if there is none all values rise by one until there is
 *   insertion SRRIP 2; BRRIP 3, and 2 once in 32 insertions; DRRIP the better of both
 *
 * Places that must stay are passed over; their values rise with the others', up to 3. */
#ifndef GPU_REPLACEMENT_RRIP_H
#define GPU_REPLACEMENT_RRIP_H
#include "cache/order.h"
#include "poise/sys/rrip.h"

static inline uint32_t rrip_bits(uint32_t places) { return 2 * places; }
static inline void rrip_set(struct order *o, uint32_t place, uint32_t value)
{
    order_set_rank(o, place, 1 + RRIP_DISTANT - value);
}
static inline void rrip_hit(struct order *o, uint32_t place) { rrip_set(o, place, RRIP_SOON); }
/* All values rise by what the place that goes lacks. */
static inline void rrip_evict(struct order *o, uint32_t place)
{
    const uint32_t first = order_first(o, place), raised = order_rank(o, place) - 1;
    for (uint32_t i = first; raised && i < first + o->places; i++) {
        const uint32_t rank = order_rank(o, i);
        if (rank) order_set_rank(o, i, rank > raised ? rank - raised : 1);
    }
}
/* `own`: the value that the policy gives. */
static inline void rrip_fill(struct order *o, uint32_t place, enum fill_as as, uint32_t own)
{
    const uint32_t values[] = {
        [FILL_OWN] = own, [FILL_FIRST] = RRIP_DISTANT, [FILL_LONG] = RRIP_LONG, [FILL_LAST] = RRIP_SOON};
    rrip_set(o, place, values[as]);
}
#endif
