/* TAP-RRIP: DRRIP that knows which lines are the GPU's.                 [TECHNIQUES 5.1.2; core_sampling.h, drrip.h]
 *
 * The GPU's lines are inserted by BRRIP where core sampling finds that caching does not help it, and where it accesses
 * L2 more often than the busiest CPU program; otherwise, and for CPU programs, the duel decides. The survey speaks of
 * one application's duel. Here the GPU's misses and those of CPU programs have a duel each (`duel`), as threads have
 * in thread-aware DRRIP, with leader sets of their own; what BRRIP was forced upon tells nothing of the duel
 * (`forced_counts`). Lines of the sampled SMs begin with the value 3, the survey's 'LRU insertion', and 2, from where
 * SRRIP's begin; with 0 (`sampled_stay=newest`), its 'MRU insertion' to the letter, a line that nobody uses again stays
 * for longer than those of a CPU program that are used. */
#include "core_sampling.h"
#include "drrip.h"

#define TAP_RRIP_PARAMS(P) \
    DRRIP_PARAMS(P) \
    CORE_SAMPLING_PARAMS(P) \
    P(ENUM, duel, 1, 0, 2, "shared|class|program", "Jaleel et al., ISCA 2010, thread-aware DRRIP", \
      "who has a selector: all share one; the GPU, and all CPU programs; the GPU, and each CPU program") \
    P(FLAG, forced_counts, 0, 0, 1, "flag", "assumed", \
      "a miss of the GPU counts in the duel also where BRRIP is forced upon it") \
    P(ENUM, sampled_stay, 1, 0, 1, "newest|long", "assumed", \
      "with which value lines of the SM begin that is sampled for staying longest: 0; or 2, as SRRIP's") \
    P(F64, ratio, 1, 0, 1e9, "1", "TECHNIQUES 5.1.2", \
      "the GPU's accesses over those of the busiest CPU program above which BRRIP is forced, though caching helps it")
enum { DUEL_SHARED, DUEL_CLASS, DUEL_PROGRAM };
enum { STAY_NEWEST, STAY_LONG };
PARAM_STRUCT(tap_rrip_params, TAP_RRIP_PARAMS);
#define ROW(...) PARAM_ROW_OF(tap_rrip_params, __VA_ARGS__)
static const struct param_row tap_rrip_rows[] = {TAP_RRIP_PARAMS(ROW)};
#undef ROW
#define TAP_RRIP_STATS(S) \
    RRIP_STATS(S) \
    S(STAT_SUM, periods, "periods", "periods of core sampling") \
    S(STAT_SUM, effective_periods, "periods", "of these, periods after which caching was found to help the GPU") \
    S(STAT_SUM, bimodal_periods, "periods", "periods after which the GPU's lines were inserted by BRRIP") \
    S(STAT_PEAK, gpu_selector, "misses", "the GPU's policy selector at the end, or that of all; upper half: BRRIP") \
    S(STAT_PEAK, cpu_selector, "misses", "the same of CPU programs, or of the first of them")
STAT_STRUCT(tap_rrip_stats, TAP_RRIP_STATS);
#define ROW(...) STAT_ROW_OF(tap_rrip_stats, __VA_ARGS__)
static const struct stat_row tap_rrip_stat_rows[] = {TAP_RRIP_STATS(ROW)};
#undef ROW
struct tap_rrip {
    struct tap_rrip_stats stats;
    struct tap_rrip_params params;
    struct drrip duels[1 + CPU_CLASSES]; /* the GPU's, then those of CPU programs */
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
    for (uint32_t i = 0; i < COUNT_OF(h->duels); i++) drrip_begin(&h->duels[i], &drrip, env, i);
    core_sampling_init(&h->sampling, env);
    h->sampling.moves = h->params.moves;
    return 0;
}

static struct drrip *duel_for(struct tap_rrip *h, const struct l2_request *r)
{
    if (r->from != L2_FROM_CPU || h->params.duel == DUEL_SHARED) return &h->duels[0];
    return &h->duels[1 + (h->params.duel == DUEL_PROGRAM ? r->requester % CPU_CLASSES : 0)];
}

static uint8_t value_of(struct tap_rrip *h, const struct l2_request *r)
{
    const enum sampled sampled = core_sampling_of(&h->sampling, r);
    struct drrip *duel = duel_for(h, r);
    if (sampled == SAMPLED_OLDEST) return RRIP_DISTANT;
    if (sampled == SAMPLED_NEWEST) return h->params.sampled_stay == STAY_LONG ? RRIP_LONG : RRIP_SOON;
    if (r->from == L2_FROM_CPU || !h->is_bimodal) return drrip_value(duel, r);
    if (h->params.forced_counts) drrip_miss(duel, r);
    return drrip_bimodal(duel);
}

static enum l2_insertion tap_rrip_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct tap_rrip *h = self;
    const uint8_t value = value_of(h, r);
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
    if (!core_sampling_asks(c, sm->sm)) return UINT64_MAX;
    if (now > c->began && core_sampling_view(c, sm)) {
        core_sampling_decide(c, h->params.significance);
        h->is_bimodal = !c->is_effective || c->ratio > h->params.ratio;
        h->stats.periods++;
        h->stats.effective_periods += c->is_effective;
        h->stats.bimodal_periods += h->is_bimodal;
    }
    return now + h->params.period;
}

static void tap_rrip_end(void *self, uint64_t now)
{
    struct tap_rrip *h = self;
    (void)now;
    h->stats.gpu_selector = h->duels[0].duel.counter;
    h->stats.cpu_selector = h->duels[1].duel.counter;
}

static const void *tap_rrip_stats_of(const void *self) { return &((const struct tap_rrip *)self)->stats; }

static size_t tap_rrip_waits(const void *params, struct mech_wait *out)
{
    const struct tap_rrip_params *p = params;
    out[0] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    return 1;
}

/* Selectors are of the GPU and one CPU program. */
static size_t tap_rrip_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct tap_rrip_params *p = params;
    out[0] = rrip_cost(env);
    out[1] =
        (struct mech_cost){"policy selectors", 0, (p->duel == DUEL_SHARED ? 1 : 2) * p->counter_bits, STORAGE_REGISTER};
    out[2] = core_sampling_cost();
    return 3;
}

const struct mech_type mech_tap_rrip = {
    .name = "tap_rrip",
    .title = "L2 replacement by re-reference intervals, aware of the GPU's parallelism",
    .source = "TECHNIQUES 5.1.2",
    .cost = tap_rrip_cost,
    .params = {"tap_rrip", tap_rrip_rows, COUNT_OF(tap_rrip_rows), sizeof(struct tap_rrip_params)},
    .stats = {"tap_rrip", tap_rrip_stat_rows, COUNT_OF(tap_rrip_stat_rows), sizeof(struct tap_rrip_stats)},
    .state_size = sizeof(struct tap_rrip),
    .waits = tap_rrip_waits,
    .init = tap_rrip_init,
    .end = tap_rrip_end,
    .stats_of = tap_rrip_stats_of,
    .epoch = tap_rrip_epoch,
    .l2_replacement = "srrip",
    .l2_insert = tap_rrip_insert,
    .l2_on_access = tap_rrip_on_access,
};
