/* Re-reference interval prediction, what policies of caches and mechanisms of L2 share: values of lines, bimodal
 * insertion, and the duel of two policies. [Jaleel et al., ISCA 2010; Qureshi et al., ISCA 2007] */
#ifndef POISE_SYS_RRIP_H
#define POISE_SYS_RRIP_H
#include <stdbool.h>
#include <stdint.h>

/* Two bits a line: from one that is expected soon to one that is not. */
enum { RRIP_SOON = 0, RRIP_LONG = 2, RRIP_DISTANT = 3 };
enum { RRIP_THROTTLE = 32, RRIP_LEADERS = 32, RRIP_SELECTOR_BITS = 10 };

/* What bimodal insertion gives the next line: RRIP_LONG once in `throttle`. */
static inline uint8_t rrip_bimodal(uint32_t *count, uint32_t throttle)
{
    if (++*count < throttle) return RRIP_DISTANT;
    *count = 0;
    return RRIP_LONG;
}

/* Set duelling: some sets always use one of two policies, as many the other, and a saturating counter of their misses
 * chooses for all sets. */
enum duel_role { DUEL_FOLLOWS, DUEL_FIRST, DUEL_SECOND };
struct duel {
    uint32_t sets;           /* of all caches that share the counter */
    uint32_t distance;       /* from one leader of a policy to the next; that of the other stands halfway */
    uint32_t counter, limit; /* misses of the first policy's leaders count up, those of the second's down */
};

/* `leaders` sets for each policy; fewer where there are less than twice as many sets. */
static inline struct duel duel_of(uint32_t sets, uint32_t leaders, uint32_t counter_bits)
{
    const uint32_t most = sets / 2 ? sets / 2 : 1;
    const uint32_t n = leaders < most ? leaders : most, limit = (1u << counter_bits) - 1;
    return (struct duel){.sets = sets, .distance = sets / n, .counter = limit / 2 + 1, .limit = limit};
}

/* `set`: among those of all caches. */
static inline enum duel_role duel_role(const struct duel *d, uint32_t set)
{
    const uint32_t place = set % d->distance;
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
