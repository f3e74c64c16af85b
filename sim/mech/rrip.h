/* Re-reference interval prediction, what its mechanisms share: the order is that of l2.replacement=srrip, brrip or
 * drrip (cache/replacement_rrip.h), in which they say where a new line of L2 begins. [Jaleel et al., ISCA 2010] */
#ifndef MECH_RRIP_H
#define MECH_RRIP_H
#include "poise/sys/hooks.h"
#include "poise/sys/rrip.h"

static inline enum l2_insertion rrip_insertion(uint8_t value)
{
    return value == RRIP_DISTANT ? L2_INSERT_OLDEST : value == RRIP_LONG ? L2_INSERT_LONG : L2_INSERT_NEWEST;
}

/* In place of the bits of LRU, which are not taken off. */
static inline struct mech_cost rrip_cost(const struct mech_env *env)
{
    return (struct mech_cost){"re-reference values of L2's lines, two bits each", 0, 2ull * env->l2_frames,
                              STORAGE_ARRAY};
}

#define RRIP_STATS(S) \
    S(STAT_SUM, inserted_long, "lines", "lines that began with the value 2") \
    S(STAT_SUM, inserted_distant, "lines", "lines that began with the value 3")
#endif
