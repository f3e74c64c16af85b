/* Scout: a parallel search for the warp tuple, by groups of SMs, with or without a learned model. Not from a paper: Poise's
 * idea (sample, predict, correct) on PCAL's means (SMs that measure different points at the same time).
 *
 *   COARSE    SM i measures candidate i mod k of a coarse triangle, with (W,W) and (1,1) among them. The SMs at these two also give
 *             the features: the model's prediction costs no window of its own. [THESIS §5.6.1]
 *   REFINE    the best of COARSE, its neighbours at `stride`, and the prediction; then at half the stride, until it is 0
 *   RUN       all SMs at the best; watched in windows of T_monitor. A drop of IPC or the period's end begins again with COARSE, where
 *             the best is a candidate too. The first period is short, for a launch does not begin as it goes on (cold caches, warps
 *             in step); each further one is twice as long, up to T_period.
 *
 * Every step is T_warmup + T_sample cycles, whatever the number of candidates. Candidates are compared by the mean IPC of their
 * SMs. While SMs measure, they share the memory with those at other candidates: a candidate that needs little of it is seen in
 * worse company than it will have, which the refinement around the winner mends.
 * Cost: an instruction counter and a candidate a SM (32 + 2 x 6 bits), one table of 11 candidates with sums (12 + 37 bits) for all;
 * with a model Poise's 16 B of feature counters in two groups of SMs. For 32 SMs: 1408 + 539 bits, 244 B, and 512 B of counters. */
#include <string.h>
#include "hooks.h"
#include "in_force.h"
#include "poise/tuple_model.h"
#include "timeline.h"

#define SCOUT_PARAMS(P)                                                                                               \
    P(TEXT, model, 0, 0, 0, "path", "this project", "model file with outputs N and p; empty: search without one")     \
    P(U32, T_first, 40000, 1000, 100000000, "cycles", "assumed", "length of the first period; each further one is twice as long") \
    P(U32, T_period, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", "longest period")                          \
    P(U32, T_warmup, 2000, 0, 10000000, "cycles", "THESIS Tab. 5.5", "cycles after a change of tuple before sampling") \
    P(U32, T_sample, 4000, 1, 10000000, "cycles", "THESIS Tab. 5.5", "sampling duration, as a correction step of Poise") \
    P(U32, T_monitor, 10000, 1, 100000000, "cycles", "assumed", "window in which IPC is watched")                     \
    P(F64, drop, 0.3, 0, 1, "fraction", "assumed", "loss of IPC that begins the search again; 1 = never")             \
    P(U32, middle, 3, 2, 64, "warps", "assumed", "second step of the coarse triangle's axis; the first is 1")         \
    P(U32, wide, 8, 2, 64, "warps", "assumed", "third step; the last is W")                                           \
    P(U32, stride, 2, 0, 64, "warps", "THESIS Tab. 5.5", "first stride of the refinement; 0 = none")                  \
    P(F64, I_max, 49, 0, 1e12, "instructions", "THESIS Tab. 5.5", "compute instructions per load above which SMs stay at (W,W)")
PARAM_STRUCT(scout_params, SCOUT_PARAMS);
#define ROW(...) PARAM_ROW_OF(scout_params, __VA_ARGS__)
static const struct param_row scout_rows[] = {SCOUT_PARAMS(ROW)};
#undef ROW

#define SCOUT_STATS(S)                                                                                                \
    IN_FORCE_STATS(S)                                                                                                 \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent searching")                                                \
    S(STAT_SUM, predictions, "predictions", "tuples predicted")                                                       \
    S(STAT_SUM, predicted_N, "warps", "N predicted, summed")                                                          \
    S(STAT_SUM, predicted_p, "warps", "p predicted, summed")                                                          \
    S(STAT_SUM, predictions_won, "predictions", "predictions that were the best of their step")                       \
    S(STAT_SUM, searches, "searches", "searches that came to an end")                                                 \
    S(STAT_SUM, corrected_N, "warps", "N after the search, summed")                                                   \
    S(STAT_SUM, corrected_p, "warps", "p after the search, summed")                                                   \
    S(STAT_SUM, steps, "steps", "steps in which candidates were measured")                                            \
    S(STAT_SUM, drops, "drops", "searches begun by a drop of IPC")                                                    \
    S(STAT_SUM, early_outs, "searches", "searches left at (W,W) because I_n exceeded I_max")
STAT_STRUCT(scout_stats, SCOUT_STATS);
#define ROW(...) STAT_ROW_OF(scout_stats, __VA_ARGS__)
static const struct stat_row scout_stat_rows[] = {SCOUT_STATS(ROW)};
#undef ROW
static const struct ratio_row scout_ratios[] = {
    IN_FORCE_RATIOS(scout_stats)
    RATIO_ROW_OF(scout_stats, mean_predicted_N, predicted_N, predictions, "N predicted, mean")
    RATIO_ROW_OF(scout_stats, mean_predicted_p, predicted_p, predictions, "p predicted, mean")
    RATIO_ROW_OF(scout_stats, mean_corrected_N, corrected_N, searches, "N after the search, mean")
    RATIO_ROW_OF(scout_stats, mean_corrected_p, corrected_p, searches, "p after the search, mean")
};

enum state { COARSE, REFINE, RUN };
static const char *const state_names[] = {"COARSE", "REFINE", "RUN"};
enum { CANDIDATES_MAX = 11 };
struct unit {
    struct tuple now;
    uint64_t since;                  /* in force since */
    struct feature_counters begin, window;
};
/* A step begins, samples from `sample` to `close`; at close + 1 the first SM decides for all. */
struct scout {
    struct scout_stats stats;
    struct scout_params params;
    struct gpu_timeline *timeline;
    enum state state;
    uint32_t W, n_sms, stride, n;    /* n candidates */
    struct tuple candidates[CANDIDATES_MAX], best, predicted;
    bool has_prediction;
    uint64_t sample, close, period, period_end, expected; /* expected: instructions in a window of RUN; 0 before the first */
    struct model model;
    struct tuple_model at_work;      /* of the model, if there is one */
    struct unit units[];             /* one an SM */
};

/* ---- candidates ---- */

static void add(struct scout *h, int64_t N, int64_t p)
{
    const struct tuple t = {(uint32_t)N, (uint32_t)p};
    if (p < 1 || p > N || N > (int64_t)h->W || h->n == CANDIDATES_MAX) return;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->candidates[i].N == t.N && h->candidates[i].p == t.p) return;
    h->candidates[h->n++] = t;
}

/* The coarse triangle; (W,W) and (1,1) come first, so that they have the most SMs. */
static void coarse_candidates(struct scout *h)
{
    const uint32_t axis[] = {1, h->params.middle, h->params.wide, h->W};
    h->n = 0;
    add(h, h->W, h->W);
    add(h, 1, 1);
    if (h->best.N) add(h, h->best.N, h->best.p);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= i; k++) add(h, axis[i], axis[k]);
}

static void refine_candidates(struct scout *h)
{
    const int64_t s = h->stride;
    const struct tuple at = h->best;
    h->n = 0;
    add(h, at.N, at.p);
    if (h->has_prediction) add(h, h->predicted.N, h->predicted.p);
    for (int64_t dN = -s; dN <= s; dN += s)
        for (int64_t dp = -s; dp <= s; dp += s) add(h, at.N + dN, at.p + dp);
}

/* ---- steps ---- */

static void account(struct scout *h, struct unit *u, uint64_t now)
{
    const uint64_t cycles = now - u->since;
    IN_FORCE_ADD(&h->stats, u->now, cycles);
    if (h->state != RUN) h->stats.explore_cycles += cycles;
    u->since = now;
}

static void begin_step(struct scout *h, enum state state, uint64_t now)
{
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
    h->state = state;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        h->units[i].now = state == RUN ? h->best : h->candidates[i % h->n];
        timeline_state(h->timeline, i, now, state_names[state], h->units[i].now.N, h->units[i].now.p);
    }
    h->stats.steps += state != RUN;
    h->sample = now + h->params.T_warmup;
    h->close = h->sample + (state == RUN ? h->params.T_monitor : h->params.T_sample);
}

static void begin_search(struct scout *h, uint64_t now)
{
    h->has_prediction = false;
    h->stride = h->params.stride;
    h->period_end = now + h->period;
    h->period = 2 * h->period < h->params.T_period ? 2 * h->period : h->params.T_period;
    coarse_candidates(h);
    begin_step(h, COARSE, now);
}

static void settle(struct scout *h, uint64_t now)
{
    h->stats.searches++;
    h->stats.corrected_N += h->best.N;
    h->stats.corrected_p += h->best.p;
    h->expected = 0;
    begin_step(h, RUN, now);
}

static void refine(struct scout *h, uint64_t now)
{
    if (h->stride == 0) {
        settle(h, now);
        return;
    }
    refine_candidates(h);
    begin_step(h, REFINE, now);
}

/* ---- decisions ---- */

static struct feature_counters sum_of(const struct scout *h, uint32_t candidate)
{
    struct feature_counters sum = {0};
    for (uint32_t i = candidate; i < h->n_sms; i += h->n) {
#define C(field, doc) sum.field += h->units[i].window.field;
        FEATURE_COUNTERS(C)
#undef C
    }
    return sum;
}

/* The candidate whose SMs issue most; ties go to the earlier one. */
static void choose(struct scout *h)
{
    double most = -1;
    for (uint32_t k = 0; k < h->n && k < h->n_sms; k++) {
        const struct feature_counters sum = sum_of(h, k);
        const double ipc = (double)sum.insts / (double)sum.cycles;
        if (ipc > most) most = ipc, h->best = h->candidates[k];
    }
    h->stats.predictions_won += h->has_prediction && h->best.N == h->predicted.N && h->best.p == h->predicted.p;
}

static void predict(struct scout *h, const struct feature_counters *o, const struct feature_counters *a)
{
    const struct tuple_prediction t = tuple_model_predict(&h->at_work, o, a, h->W);
    h->predicted = (struct tuple){t.N, t.p};
    h->has_prediction = true;
    h->stats.predictions++;
    h->stats.predicted_N += h->predicted.N;
    h->stats.predicted_p += h->predicted.p;
}

static void end_coarse(struct scout *h, uint64_t now)
{
    const struct feature_counters o = sum_of(h, 0), a = sum_of(h, h->n > 1 ? 1 : 0);
    if (feature_In(&o) > h->params.I_max) {
        h->stats.early_outs++;
        h->best = (struct tuple){h->W, h->W};
        settle(h, now);
        return;
    }
    choose(h);
    if (h->params.model.s[0]) predict(h, &o, &a);
    refine(h, now);
}

static void end_refine(struct scout *h, uint64_t now)
{
    choose(h);
    h->stride /= 2;
    h->has_prediction = false;
    refine(h, now);
}

static void end_window(struct scout *h, uint64_t now)
{
    uint64_t insts = 0;
    for (uint32_t i = 0; i < h->n_sms; i++) insts += h->units[i].window.insts;
    if ((double)insts < (double)h->expected * (1 - h->params.drop)) {
        h->stats.drops++;
        begin_search(h, now);
    } else if (now >= h->period_end) {
        begin_search(h, now);
    } else {
        if (!h->expected) h->expected = insts;
        h->sample = now; /* nothing changed: no warm-up */
        h->close = now + h->params.T_monitor;
    }
}

static uint64_t scout_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    static void (*const end[])(struct scout *, uint64_t) = {end_coarse, end_refine, end_window};
    struct scout *h = self;
    struct unit *u = &h->units[sm->sm];
    if (now > h->close) end[h->state](h, now); /* the first SM for all: their windows closed a cycle ago */
    if (now == h->close) {
#define C(field, doc) u->window.field = sm->counters.field - u->begin.field;
        FEATURE_COUNTERS(C)
#undef C
        return now + 1;
    }
    if (now >= h->sample) {
        u->begin = sm->counters;
        return h->close;
    }
    return h->sample;
}

/* ---- the mechanism ---- */

static void scout_moved(void *self)
{
    struct scout *h = self;
    tuple_model_rebind(&h->at_work, &h->model);
}

static int scout_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct scout *h = self;
    h->params = *(const struct scout_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    const char *file = h->params.model.s;
    if (file[0] && (model_read(&h->model, file, err) < 0 || tuple_model_init(&h->at_work, &h->model, file, err) < 0)) return error_while(err, "scout");
    h->period = h->params.T_first < h->params.T_period ? h->params.T_first : h->params.T_period;
    for (uint32_t i = 0; i < h->n_sms; i++) h->units[i].since = env->now;
    begin_search(h, env->now);
    return 0;
}

static uint64_t scout_may_issue(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, ((struct scout *)self)->units[set->sm].now.N, false);
}

static uint64_t scout_may_pollute(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, ((struct scout *)self)->units[set->sm].now.p, false);
}

static void scout_end(void *self, uint64_t now)
{
    struct scout *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
}

static const void *scout_stats_of(const void *self) { return &((const struct scout *)self)->stats; }

const struct mech_type mech_scout = {
    .name = "scout", .title = "parallel search by groups of SMs, with or without a model", .source = "this project",
    .params = {"scout", scout_rows, COUNT_OF(scout_rows), sizeof(struct scout_params)},
    .stats = {"scout", scout_stat_rows, COUNT_OF(scout_stat_rows), sizeof(struct scout_stats)},
    .ratios = scout_ratios, .n_ratios = COUNT_OF(scout_ratios),
    .state_size = sizeof(struct scout), .per_sm_size = sizeof(struct unit),
    .init = scout_init, .moved = scout_moved, .end = scout_end, .stats_of = scout_stats_of, .epoch = scout_epoch,
    .warp_may_issue = scout_may_issue, .warp_may_pollute = scout_may_pollute,
};
