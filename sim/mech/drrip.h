/* What DRRIP and TAP-RRIP share: the duel of SRRIP with BRRIP. */
#ifndef MECH_DRRIP_H
#define MECH_DRRIP_H
#include "rrip.h"

#define DRRIP_PARAMS(P) \
    P(U32, throttle, 32, 1, 65536, "insertions", "Jaleel et al., ISCA 2010", \
      "BRRIP: one insertion in so many has the value 2, the others 3") \
    P(U32, leaders, 32, 1, 65536, "sets", "Jaleel et al., ISCA 2010", "sets that always use SRRIP, and as many BRRIP") \
    P(U32, counter_bits, 10, 2, 30, "bits", "Jaleel et al., ISCA 2010", "length of the policy selector")
PARAM_STRUCT(drrip_params, DRRIP_PARAMS);
struct drrip {
    struct duel duel;
    uint32_t throttle, sets, count; /* sets of a bank; insertions since the last with the value 2 */
};
static inline void drrip_begin(struct drrip *d, const struct drrip_params *p, const struct mech_env *env)
{
    *d = (struct drrip){duel_of(env->l2_banks * env->l2_sets, p->leaders, p->counter_bits), p->throttle, env->l2_sets,
                        0};
}
/* The value with which a line begins; `bimodal`: by BRRIP whatever the duel says. A miss, so it counts in the duel. */
static inline uint8_t drrip_value(struct drrip *d, const struct l2_request *r, bool bimodal)
{
    const enum duel_role role = duel_role(&d->duel, r->bank * d->sets + r->set);
    duel_miss(&d->duel, role);
    return bimodal || duel_second(&d->duel, role) ? rrip_bimodal(&d->count, d->throttle) : (uint8_t)RRIP_LONG;
}
#endif
