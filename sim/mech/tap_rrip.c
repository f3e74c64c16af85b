/* TAP-RRIP: DRRIP that knows which lines are the GPU's.                 [TECHNIQUES 5.1.2; core_sampling.h, drrip.h]
 *
 * The GPU's lines are inserted by BRRIP where core sampling finds that caching does not help it, and where it accesses
 * L2 more often than the busiest CPU program; otherwise, and for CPU programs, the duel decides. Lines of the sampled
 * SMs begin with the value 3 and 0 (the survey says 'LRU and MRU insertion'; what these are among four values is ours).
 */
#include "core_sampling.h"
#include "drrip.h"

#define TAP_RRIP_PARAMS(P) \
    DRRIP_PARAMS(P) \
    CORE_SAMPLING_PARAMS(P)
PARAM_STRUCT(tap_rrip_params, TAP_RRIP_PARAMS);
#define ROW(...) PARAM_ROW_OF(tap_rrip_params, __VA_ARGS__)
static const struct param_row tap_rrip_rows[] = {TAP_RRIP_PARAMS(ROW)};
#undef ROW
#define TAP_RRIP_STATS(S) \
    RRIP_STATS(S) \
    S(STAT_SUM, periods, "periods", "periods of core sampling") \
    S(STAT_SUM, effective_periods, "periods", "of these, periods after which caching was found to help the GPU") \
    S(STAT_SUM, bimodal_periods, "periods", "periods after which the GPU's lines were inserted by BRRIP")
STAT_STRUCT(tap_rrip_stats, TAP_RRIP_STATS);
#define ROW(...) STAT_ROW_OF(tap_rrip_stats, __VA_ARGS__)
static const struct stat_row tap_rrip_stat_rows[] = {TAP_RRIP_STATS(ROW)};
#undef ROW
struct tap_rrip {
    struct tap_rrip_stats stats;
    struct tap_rrip_params params;
    struct drrip drrip;
    struct core_sampling sampling;
    bool is_bimodal; /* the GPU's lines */
};

static int tap_rrip_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct tap_rrip *h = self;
    (void)err;
    h->params = *(const struct tap_rrip_params *)params;
    const struct drrip_params drrip = {
        .throttle = h->params.throttle, .leaders = h->params.leaders, .counter_bits = h->params.counter_bits};
    drrip_begin(&h->drrip, &drrip, env);
    core_sampling_init(&h->sampling, env);
    return 0;
}

static enum l2_insertion tap_rrip_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct tap_rrip *h = self;
    const enum sampled sampled = core_sampling_of(&h->sampling, r);
    const uint8_t value = sampled == SAMPLED_OLDEST ? RRIP_DISTANT
                          : sampled == SAMPLED_NEWEST
                              ? RRIP_SOON
                              : drrip_value(&h->drrip, r, r->from != L2_FROM_CPU && h->is_bimodal);
    (void)set;
    h->stats.inserted_long += value == RRIP_LONG;
    h->stats.inserted_distant += value == RRIP_DISTANT;
    return rrip_insertion(value);
}

static void tap_rrip_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    (void)access;
    core_sampling_access(&((struct tap_rrip *)self)->sampling, r);
}

static uint64_t tap_rrip_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct tap_rrip *h = self;
    struct core_sampling *c = &h->sampling;
    if (sm->sm != c->from && sm->sm != c->until) return UINT64_MAX;
    if (now > c->began && core_sampling_view(c, sm)) {
        core_sampling_decide(c, h->params.significance);
        h->is_bimodal = !c->is_effective || c->ratio > 1;
        h->stats.periods++;
        h->stats.effective_periods += c->is_effective;
        h->stats.bimodal_periods += h->is_bimodal;
    }
    return now + h->params.period;
}

static const void *tap_rrip_stats_of(const void *self) { return &((const struct tap_rrip *)self)->stats; }

static size_t tap_rrip_waits(const void *params, struct mech_wait *out)
{
    const struct tap_rrip_params *p = params;
    out[0] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    return 1;
}

const struct mech_type mech_tap_rrip = {
    .name = "tap_rrip",
    .title = "L2 replacement by re-reference intervals, aware of the GPU's parallelism",
    .source = "TECHNIQUES 5.1.2",
    .params = {"tap_rrip", tap_rrip_rows, COUNT_OF(tap_rrip_rows), sizeof(struct tap_rrip_params)},
    .stats = {"tap_rrip", tap_rrip_stat_rows, COUNT_OF(tap_rrip_stat_rows), sizeof(struct tap_rrip_stats)},
    .state_size = sizeof(struct tap_rrip),
    .waits = tap_rrip_waits,
    .init = tap_rrip_init,
    .stats_of = tap_rrip_stats_of,
    .epoch = tap_rrip_epoch,
    .l2_replacement = "srrip",
    .l2_insert = tap_rrip_insert,
    .l2_on_access = tap_rrip_on_access,
};
