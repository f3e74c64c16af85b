/* TAP-UCP: UCP that knows which accesses are the GPU's.   [TECHNIQUES 5.1.1; core_sampling.h, ucp.h]
 *
 * Hits of the GPU's monitors count divided by the ratio of accesses; where core sampling finds that caching does not
 * help the GPU, CPU programs alone are considered and the GPU keeps one way. A period of sampling is one of
 * partitioning. */
#include "ucp.h"

#define TAP_UCP_PARAMS(P) \
    P(U32, groups, 1, 1, UCP_GROUPS, "groups", "assumed", "groups of SMs that get ways of their own") \
    P(U32, sampled_sets, 32, 1, 65536, "sets", "Qureshi, Patt, MICRO 2006", "sets that the monitors watch", \
      PUBLISHED("32")) \
    CORE_SAMPLING_PARAMS(P)
PARAM_STRUCT(tap_ucp_params, TAP_UCP_PARAMS);
#define ROW(...) PARAM_ROW_OF(tap_ucp_params, __VA_ARGS__)
static const struct param_row tap_ucp_rows[] = {TAP_UCP_PARAMS(ROW)};
#undef ROW
#define TAP_UCP_STATS(S) \
    UCP_STATS(S) \
    S(STAT_SUM, effective_periods, "periods", "periods after which caching was found to help the GPU")
STAT_STRUCT(tap_ucp_stats, TAP_UCP_STATS);
#define ROW(...) STAT_ROW_OF(tap_ucp_stats, __VA_ARGS__)
static const struct stat_row tap_ucp_stat_rows[] = {TAP_UCP_STATS(ROW)};
#undef ROW
struct tap_ucp {
    struct tap_ucp_stats stats;
    struct ucp_stats ucp_stats;
    struct tap_ucp_params params;
    struct ucp ucp;
    struct core_sampling sampling;
};

static struct ucp_params ucp_of(const struct tap_ucp_params *p)
{
    return (struct ucp_params){.groups = p->groups, .sampled_sets = p->sampled_sets, .repartition = p->period};
}

static size_t tap_ucp_carried(const void *params, const struct mech_env *env)
{
    const struct ucp_params ucp = ucp_of(params);
    return ucp_bytes(&ucp, env);
}

static int tap_ucp_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct tap_ucp *h = self;
    (void)err;
    h->params = *(const struct tap_ucp_params *)params;
    const struct ucp_params ucp = ucp_of(&h->params);
    ucp_begin(&h->ucp, &ucp, env);
    core_sampling_init(&h->sampling, env);
    h->sampling.moves = h->params.moves;
    return 0;
}

static void tap_ucp_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct tap_ucp *h = self;
    core_sampling_access(&h->sampling, r);
    ucp_access(&h->ucp, self, r, access, &h->ucp_stats);
}

static bool tap_ucp_share(void *self, const struct l2_request *r, const struct l2_set *set)
{
    return ucp_share(&((struct tap_ucp *)self)->ucp, self, r, set);
}

static enum l2_insertion tap_ucp_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    (void)set;
    return core_sampling_of(&((struct tap_ucp *)self)->sampling, r) == SAMPLED_OLDEST ? L2_INSERT_OLDEST
                                                                                      : L2_INSERT_USUAL;
}

static uint64_t tap_ucp_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct tap_ucp *h = self;
    struct core_sampling *c = &h->sampling;
    if (!core_sampling_asks(c, sm->sm)) return UINT64_MAX;
    if (now > c->began && core_sampling_view(c, sm)) {
        core_sampling_decide(c, h->params.significance);
        h->stats.effective_periods += c->is_effective;
        ucp_repartition(&h->ucp, c->ratio > 0 ? c->ratio : 1, c->is_effective, &h->ucp_stats);
        sm->l2_ask_again(sm->machine);
    }
    return now + h->params.period;
}

static void tap_ucp_end(void *self, uint64_t now)
{
    struct tap_ucp *h = self;
    (void)now;
#define TAKE(kind, row, unit, doc) h->stats.row = h->ucp_stats.row;
    UCP_STATS(TAKE)
#undef TAKE
}

static const void *tap_ucp_stats_of(const void *self) { return &((const struct tap_ucp *)self)->stats; }

static size_t tap_ucp_waits(const void *params, struct mech_wait *out)
{
    const struct tap_ucp_params *p = params;
    out[0] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    return 1;
}

static size_t tap_ucp_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct ucp_params ucp = ucp_of(params);
    const size_t n = ucp_costs(&ucp, env, out);
    out[n] = core_sampling_cost();
    return n + 1;
}

static size_t tap_ucp_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    const struct ucp_params ucp = ucp_of(params);
    return ucp_events(&ucp, env, out);
}

const struct mech_type mech_tap_ucp = {
    .name = "tap_ucp",
    .title = "L2 partitioned by utility, aware of the GPU's parallelism",
    .source = "TECHNIQUES 5.1.1",
    .cost = tap_ucp_cost,
    .events = tap_ucp_events,
    .params = {"tap_ucp", tap_ucp_rows, COUNT_OF(tap_ucp_rows), sizeof(struct tap_ucp_params)},
    .stats = {"tap_ucp", tap_ucp_stat_rows, COUNT_OF(tap_ucp_stat_rows), sizeof(struct tap_ucp_stats)},
    .state_size = sizeof(struct tap_ucp),
    .carried = tap_ucp_carried,
    .waits = tap_ucp_waits,
    .acts = ucp_acts,
    .init = tap_ucp_init,
    .end = tap_ucp_end,
    .stats_of = tap_ucp_stats_of,
    .epoch = tap_ucp_epoch,
    .l2_share = tap_ucp_share,
    .l2_insert = tap_ucp_insert,
    .l2_on_access = tap_ucp_on_access,
};
