/* Set duelling: some sets of L2 always use one of two policies, as many the other, and a saturating counter of their
 * misses chooses for all sets.                            [Qureshi et al., ISCA 2007; Jaleel et al., ISCA 2010] */
#ifndef MECH_DUEL_H
#define MECH_DUEL_H
#include <stdint.h>
#include "poise/sys/hooks.h"

enum duel_role { DUEL_FOLLOWS, DUEL_FIRST, DUEL_SECOND };
struct duel {
    uint32_t sets;           /* of all banks */
    uint32_t distance;       /* from one leader of a policy to the next; that of the other stands halfway */
    uint32_t counter, limit; /* misses of the first policy's leaders count up, those of the second's down */
};

/* `leaders` sets for each policy; fewer where L2 has less than twice as many sets. */
static inline struct duel duel_of(const struct mech_env *env, uint32_t leaders, uint32_t counter_bits)
{
    const uint32_t sets = env->l2_banks * env->l2_sets, most = sets / 2 ? sets / 2 : 1;
    const uint32_t n = leaders < most ? leaders : most, limit = (1u << counter_bits) - 1;
    return (struct duel){.sets = sets, .distance = sets / n, .counter = limit / 2 + 1, .limit = limit};
}

/* Sets count through the banks. */
static inline enum duel_role duel_role(const struct duel *d, const struct l2_request *r, uint32_t sets_a_bank)
{
    const uint32_t place = (r->bank * sets_a_bank + r->set) % d->distance;
    return place == 0 ? DUEL_FIRST : place == d->distance / 2 ? DUEL_SECOND : DUEL_FOLLOWS;
}

static inline void duel_miss(struct duel *d, enum duel_role role)
{
    if (role == DUEL_FIRST && d->counter < d->limit) d->counter++;
    if (role == DUEL_SECOND && d->counter > 0) d->counter--;
}

/* The policy of a set: the second where the counter is in its upper half. */
static inline bool duel_second(const struct duel *d, enum duel_role role)
{
    return role == DUEL_FOLLOWS ? d->counter > d->limit / 2 : role == DUEL_SECOND;
}
#endif
