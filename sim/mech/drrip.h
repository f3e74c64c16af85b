/* What DRRIP and TAP-RRIP share: the duel of SRRIP with BRRIP. */
#ifndef MECH_DRRIP_H
#define MECH_DRRIP_H
#include "rrip.h"

#define DRRIP_PARAMS(P) \
    P(U32, throttle, 32, 1, 65536, "insertions", "Jaleel et al., ISCA 2010", \
      "BRRIP: one insertion in so many has the value 2, the others 3", PUBLISHED("32")) \
    P(U32, leaders, 32, 1, 65536, "sets", "Jaleel et al., ISCA 2010", "sets that always use SRRIP, and as many BRRIP", \
      PUBLISHED("32")) \
    P(U32, counter_bits, 10, 2, 30, "bits", "Jaleel et al., ISCA 2010", "length of the policy selector", \
      PUBLISHED("10"))
PARAM_STRUCT(drrip_params, DRRIP_PARAMS);
struct drrip {
    struct duel duel;
    uint32_t throttle, sets, count; /* sets of a bank; insertions since the last with the value 2 */
    uint32_t first;                 /* leader sets begin so many sets before those of a duel with 0 */
};
static inline void drrip_begin(struct drrip *d, const struct drrip_params *p, const struct mech_env *env,
                               uint32_t first)
{
    *d = (struct drrip){duel_of(env->l2_banks * env->l2_sets, p->leaders, p->counter_bits), p->throttle, env->l2_sets,
                        0, first};
}
/* BRRIP's value, whatever the duel says. */
static inline uint8_t drrip_bimodal(struct drrip *d) { return rrip_bimodal(&d->count, d->throttle); }
/* A miss: it counts where its set is a leader, whose role this is. */
static inline enum duel_role drrip_miss(struct drrip *d, const struct l2_request *r)
{
    const enum duel_role role = duel_role(&d->duel, r->bank * d->sets + r->set + d->first);
    duel_miss(&d->duel, role);
    return role;
}
/* The value with which a line begins, a miss that counts. */
static inline uint8_t drrip_value(struct drrip *d, const struct l2_request *r)
{
    return duel_second(&d->duel, drrip_miss(d, r)) ? drrip_bimodal(d) : (uint8_t)RRIP_LONG;
}
#endif
