/* Re-reference interval prediction, what its policies share: a value of two bits a line of L2, 0 for a line that is
 * expected soon to 3 for one that is not.                                        [Jaleel et al., ISCA 2010]
 *
 *   hit       the value becomes 0 (hit priority)
 *   victim    the first line, from way 0 on, with the value 3; if there is none all values rise by one until there is
 *   insertion the policy's own: SRRIP 2; BRRIP 3, and 2 once in 32 insertions; DRRIP the better of both
 *
 * Lines that must stay (on their way, or vetoed) are passed over; their values rise with the others', up to 3. */
#ifndef MECH_RRIP_H
#define MECH_RRIP_H
#include "poise/sys/hooks.h"

enum { RRIP_SOON = 0, RRIP_LONG = 2, RRIP_DISTANT = 3 };

/* The way that goes; changes nothing. */
static inline uint32_t rrip_victim(const uint8_t *values, const struct l2_set *set)
{
    uint32_t best = set->n;
    for (uint32_t i = 0; i < set->n; i++) {
        if (!set->ways[i].may_go) continue;
        if (best == set->n || values[set->ways[i].frame] > values[set->ways[best].frame]) best = i;
    }
    return best;
}

/* The line at `set->at` goes for one that begins with `value`. */
static inline void rrip_insert(uint8_t *values, const struct l2_set *set, uint8_t value)
{
    const uint32_t frame = set->ways[set->at].frame;
    const uint8_t raised = set->ways[set->at].is_free ? 0 : (uint8_t)(RRIP_DISTANT - values[frame]);
    for (uint32_t i = 0; i < set->n && raised; i++) {
        uint8_t *v = &values[set->ways[i].frame];
        *v = (uint8_t)(*v + raised < RRIP_DISTANT ? *v + raised : RRIP_DISTANT);
    }
    values[frame] = value;
}

/* What bimodal insertion gives the next line: RRIP_LONG once in `throttle`. */
static inline uint8_t rrip_bimodal(uint32_t *count, uint32_t throttle)
{
    if (++*count < throttle) return RRIP_DISTANT;
    *count = 0;
    return RRIP_LONG;
}

#define RRIP_STATS(S) \
    S(STAT_SUM, inserted_long, "lines", "lines that began with the value 2") \
    S(STAT_SUM, inserted_distant, "lines", "lines that began with the value 3")
#endif
