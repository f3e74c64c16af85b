/* DRRIP: SRRIP or BRRIP, whichever misses less in its leader sets. l2.replacement=drrip with parameters and counters.
 *                                                                                 [Jaleel et al., ISCA 2010; rrip.h] */
#include "drrip.h"

#define DRRIP_STATS(S) \
    RRIP_STATS(S) \
    S(STAT_PEAK, selector, "misses", "the policy selector at the end: in its upper half BRRIP wins")
#define ROW(...) PARAM_ROW_OF(drrip_params, __VA_ARGS__)
static const struct param_row drrip_rows[] = {DRRIP_PARAMS(ROW)};
#undef ROW
STAT_STRUCT(drrip_stats, DRRIP_STATS);
#define ROW(...) STAT_ROW_OF(drrip_stats, __VA_ARGS__)
static const struct stat_row drrip_stat_rows[] = {DRRIP_STATS(ROW)};
#undef ROW
struct drrip_policy {
    struct drrip_stats stats;
    struct drrip drrip;
};

static int drrip_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    (void)err;
    drrip_begin(&((struct drrip_policy *)self)->drrip, params, env, 0);
    return 0;
}

static enum l2_insertion drrip_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct drrip_policy *h = self;
    const uint8_t value = drrip_value(&h->drrip, r);
    (void)set;
    ++*(value == RRIP_LONG ? &h->stats.inserted_long : &h->stats.inserted_distant);
    return rrip_insertion(value);
}

static void drrip_end(void *self, uint64_t now)
{
    struct drrip_policy *h = self;
    (void)now;
    h->stats.selector = h->drrip.duel.counter;
}

static const void *drrip_stats_of(const void *self) { return &((const struct drrip_policy *)self)->stats; }

static size_t drrip_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct drrip_params *p = params;
    out[0] = rrip_cost(env);
    out[1] = (struct mech_cost){"policy selector", 0, p->counter_bits, STORAGE_REGISTER};
    return 2;
}

const struct mech_type mech_drrip = {
    .name = "drrip",
    .title = "L2 replacement by dynamic re-reference interval prediction",
    .source = "Jaleel et al., ISCA 2010; TECHNIQUES 5.1.2",
    .cost = drrip_cost,
    .params = {"drrip", drrip_rows, COUNT_OF(drrip_rows), sizeof(struct drrip_params)},
    .stats = {"drrip", drrip_stat_rows, COUNT_OF(drrip_stat_rows), sizeof(struct drrip_stats)},
    .state_size = sizeof(struct drrip_policy),
    .init = drrip_init,
    .end = drrip_end,
    .stats_of = drrip_stats_of,
    .l2_replacement = "drrip",
    .l2_insert = drrip_insert,
};
