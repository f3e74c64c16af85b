/* SWL: static wavefront limiting. Only the N oldest warps of a scheduler execute; all of these pollute (N = p), and
 * N is found by profiling. [THESIS §5.3.1, §5.7.3] The limit is on warps that execute, ranked by age, never by
 * slot. */
#include "poise/sys/admission.h"
#include "timeline.h"

#define SWL_PARAMS(P) \
    P(U32, N, 0, 0, 64, "warps", "THESIS 5.3.1", "warps per scheduler that may issue; 0 = all") \
    ADMIT_PARAM(P)
PARAM_STRUCT(swl_params, SWL_PARAMS);
#define ROW(...) PARAM_ROW_OF(swl_params, __VA_ARGS__)
static const struct param_row swl_rows[] = {SWL_PARAMS(ROW)};
#undef ROW

#define SWL_STATS(S) \
    S(STAT_SUM, sm_cycles, "SM cycles", "cycles times SMs") \
    S(STAT_SUM, N_cycles, "warp cycles", "current N, summed over cycles and SMs") \
    S(STAT_SUM, p_cycles, "warp cycles", "current p, which is N, summed over cycles and SMs")
STAT_STRUCT(swl_stats, SWL_STATS);
#define ROW(...) STAT_ROW_OF(swl_stats, __VA_ARGS__)
static const struct stat_row swl_stat_rows[] = {SWL_STATS(ROW)};
#undef ROW

struct swl {
    struct swl_stats stats;
    uint32_t N, n_sms; /* N of the W warps there are */
    uint64_t start;
    struct admission admissions[]; /* one an SM */
};

static int swl_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct swl *swl = self;
    const uint32_t N = ((const struct swl_params *)params)->N;
    (void)err;
    *swl = (struct swl){.N = N && N < env->W ? N : env->W, .n_sms = env->sms, .start = env->now};
    for (uint32_t i = 0; i < env->sms; i++) {
        admission_init(&swl->admissions[i], (enum admit)((const struct swl_params *)params)->admit, env->W);
        timeline_state(env->timeline, i, env->now, "SWL", swl->N, swl->N);
    }
    return 0;
}

static void swl_end(void *self, uint64_t now)
{
    struct swl *swl = self;
    swl->stats.sm_cycles = (now - swl->start) * swl->n_sms;
    swl->stats.N_cycles = swl->stats.p_cycles = swl->stats.sm_cycles * swl->N;
}

static const void *swl_stats_of(const void *self) { return &((const struct swl *)self)->stats; }

static uint64_t swl_may_issue(void *self, const struct warp_set *set)
{
    struct swl *swl = self;
    return admission_mask(&swl->admissions[set->sm], set, swl->N, false);
}

/* The limit, and which warps are within it. */
static size_t swl_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    out[0] =
        (struct mech_cost){"limit of a scheduler, a bit a warp that may issue", 6 + env->warps, 0, STORAGE_REGISTER};
    return 1;
}

const struct mech_type mech_swl = {
    .name = "swl",
    .title = "static wavefront limiting",
    .source = "THESIS 5.3.1",
    .cost = swl_cost,
    .params = {"swl", swl_rows, COUNT_OF(swl_rows), sizeof(struct swl_params)},
    .stats = {"swl", swl_stat_rows, COUNT_OF(swl_stat_rows), sizeof(struct swl_stats)},
    .state_size = sizeof(struct swl),
    .per_sm_size = sizeof(struct admission),
    .init = swl_init,
    .end = swl_end,
    .stats_of = swl_stats_of,
    .keeps_sms_apart = true,
    .warp_may_issue = swl_may_issue,
};
