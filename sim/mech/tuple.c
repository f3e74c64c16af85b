/* A static warp tuple (N, p): the N oldest warps of a scheduler may issue, and the p oldest of these pollute: their
 * loads may reserve L1 lines. [THESIS §5.3.2, §5.6.3] The points of a profile are runs of this mechanism.
 *
 * N = 0 or p = 0 stands for "all". N above the warps there are is no limit. */
#include "poise/sys/admission.h"
#include "timeline.h"

#define TUPLE_PARAMS(P) \
    P(U32, N, 0, 0, 64, "warps", "THESIS 5.3.2", "warps per scheduler that may issue; 0 = all") \
    P(U32, p, 0, 0, 64, "warps", "THESIS 5.3.2", "of these, warps that may reserve L1 lines; 0 = N") \
    P(FLAG, literal_rank, 0, 0, 1, "flag", "MECHANISMS 'Warp age, N and p'", \
      "warps waiting at a barrier keep their rank") \
    ADMIT_PARAM(P) \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(tuple_params, TUPLE_PARAMS);
#define ROW(...) PARAM_ROW_OF(tuple_params, __VA_ARGS__)
static const struct param_row tuple_rows[] = {TUPLE_PARAMS(ROW)};
#undef ROW

FETCH_OF(tuple_params)

struct tuple {
    struct tuple_params params;
    struct admission admissions[]; /* one an SM */
};

static int tuple_check(const void *params, struct error *err)
{
    const struct tuple_params *t = params;
    if (t->N && t->p > t->N) return error_set(err, ERR_INPUT, "tuple: p = %u exceeds N = %u", t->p, t->N);
    return 0;
}

static int tuple_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct tuple *t = self;
    if (tuple_check(params, err) < 0) return -1;
    t->params = *(const struct tuple_params *)params;
    if (!t->params.N) t->params.N = 64;
    if (!t->params.p) t->params.p = t->params.N;
    const uint32_t N = t->params.N < env->W ? t->params.N : env->W, p = t->params.p < N ? t->params.p : N;
    for (uint32_t i = 0; i < env->sms; i++) {
        admission_init(&t->admissions[i], (enum admit)t->params.admit, env->W);
        timeline_state(env->timeline, i, env->now, "STATIC", N, p);
    }
    return 0;
}

static uint64_t tuple_may_issue(void *self, const struct warp_set *set)
{
    struct tuple *t = self;
    return admission_mask(&t->admissions[set->sm], set, t->params.N, t->params.literal_rank);
}

static uint64_t tuple_may_pollute(void *self, const struct warp_set *set)
{
    const struct tuple *t = self;
    return warp_rank_mask(set, t->params.p, t->params.literal_rank);
}

/* As the warp-tuple registers of THESIS 5.6.3. */
static size_t tuple_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    out[0] =
        (struct mech_cost){"N and p, monitor and pollute bits of the warps", 2 * (6 + env->warps), 0, STORAGE_REGISTER};
    return 1;
}

const struct mech_type mech_tuple = {
    .name = "tuple",
    .title = "static warp tuple (N, p)",
    .source = "THESIS 5.3.2",
    .cost = tuple_cost,
    .params = {"tuple", tuple_rows, COUNT_OF(tuple_rows), sizeof(struct tuple_params)},
    .stats = {.owner = "tuple"},
    .state_size = sizeof(struct tuple),
    .per_sm_size = sizeof(struct admission),
    .init = tuple_init,
    .check = tuple_check,
    .fetch = tuple_params_fetch,
    .keeps_sms_apart = true,
    .warp_may_issue = tuple_may_issue,
    .warp_may_pollute = tuple_may_pollute,
};
