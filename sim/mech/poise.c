/* Poise: the hardware inference engine.                                                   [THESIS §5.6, Tab. 5.5]
 *
 * Every T_period cycles an SM samples its features at (W,W) and at (1,1), evaluates the link functions of a trained
 * model in single precision, scales the result back from 24 to W warps, and then searches the neighbourhood of the
 * prediction, first in N, then in p: measure both neighbours at a stride, go to the better one, or halve the stride
 * where neither is better. What is left of the period runs at the tuple found. A kernel with more than I_max
 * instructions a load stays at (W,W). A window at (W,W) without a load has no I_n: an SM that is idle, or computes,
 * samples again at (W,W) until one has.
 *
 *   WARM_MAX -> SAMPLE_MAX -> WARM_ONE -> SAMPLE_ONE -> WARM_TRY <-> SAMPLE_TRY -> RUN --(end of period)--> WARM_MAX
 *
 * Seven states, one machine an SM; SMs decide on their own, or with whole_gpu=1 all of them run the tuples of one
 * machine, whose windows are the sums over SMs. Choices where the paper leaves room [MECHANISMS 'Correction']: the
 * objective is that SM's IPC over the window, the centre's sample is kept, neighbours outside 1 <= p <= N <= W lose,
 * ties stay, a neighbour that was the previous centre is not measured again. A period that ends during the search
 * starts over.
 *
 * Options that the thesis does not have, or that it leaves open, are off by default. Its search in N keeps p (§5.6.2),
 * and N below p is illegal: a prediction on the diagonal N = p can never lower N, and from (2, 2) the search does not
 * reach (1, 1).
 *   p_follows=1   a step in N to below p takes p along: the lower neighbour of (N, p) is (N - s, min(p, N - s))
 *   epsilon_d=S   a search in N and p together, (N - s, p - s) against (N + s, p + s), before those in N and in p
 *
 * Cost: the thesis counts 16 B of counters and two 3-bit state registers an SM, 536 B for 32 SMs (§5.7.9). The sums
 * and counts that Tab. 5.3's features are made of are seven counters, 920 B: poise_cost(). Neither counts monitor
 * and pollute bits, or the tuples, rates and cycles that the search remembers. */
#include <math.h>
#include <string.h>
#include "poise/sys/admission.h"
#include "current_tuple.h"
#include "poise/tuple_model.h"
#include "timeline.h"

#define POISE_PARAMS(P) \
    P(TEXT, model, 0, 0, 0, "path", "THESIS 5.6.1", "model file with outputs N and p") \
    P(U32, T_period, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", "inference period", PUBLISHED("200000")) \
    P(U32, T_warmup, 2000, 0, 10000000, "cycles", "THESIS Tab. 5.5", "cycles after a change of tuple before sampling", \
      PUBLISHED("2000")) \
    P(U32, T_feature, 10000, 1, 10000000, "cycles", "THESIS Tab. 5.5", "sampling duration of features", \
      PUBLISHED("10000")) \
    P(U32, T_correct, 4000, 1, 10000000, "cycles", "THESIS Tab. 5.5", "sampling duration of a correction step", \
      PUBLISHED("4000")) \
    P(F64, I_max, 49, 0, 1e12, "instructions", "THESIS Tab. 5.5", \
      "compute instructions per load above which the engine stays at (W,W)", PUBLISHED("49")) \
    P(U32, epsilon_N, 2, 0, 64, "warps", "THESIS Tab. 5.5", "first stride of the search in N; 0 = no correction", \
      PUBLISHED("2")) \
    P(U32, epsilon_p, 4, 0, 64, "warps", "THESIS Tab. 5.5", "first stride of the search in p; 0 = no correction", \
      PUBLISHED("4")) \
    P(FLAG, p_follows, 0, 0, 1, "flag", "assumed", \
      "a step of the search in N to below p lowers p with it; 0 = such a step is illegal [THESIS 5.6.2: p is kept]") \
    P(U32, epsilon_d, 0, 0, 64, "warps", "assumed", \
      "first stride of a search in N and p together, before those in N and in p; 0 = no such search [THESIS 5.6.2]") \
    P(U32, given_N, 0, 0, 64, "warps", "assumed", \
      "a prediction of N in place of the model's, for studies of what a better one would give; 0 = the model's") \
    P(U32, given_p, 0, 0, 64, "warps", "assumed", "the same of p; both or neither") \
    P(FLAG, whole_gpu, 0, 0, 1, "flag", "THESIS 5.7.9", \
      "one decision for all SMs, from the sums of their counters; 0 = each SM decides on its own") \
    P(FLAG, again, 0, 0, 1, "flag", "assumed", \
      "the search measures its centre again at each stride; 0 = it keeps the first sample [THESIS 5.6.2 is silent]") \
    P(FLAG, observe, 0, 0, 1, "flag", "MECHANISMS 'Training features'", \
      "needs no model: samples features, counts their windows, and stays at (W,W)") \
    ADMIT_PARAM(P) \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(poise_params, POISE_PARAMS);
#define ROW(...) PARAM_ROW_OF(poise_params, __VA_ARGS__)
static const struct param_row poise_rows[] = {POISE_PARAMS(ROW)};
#undef ROW
FETCH_OF(poise_params)

#define WINDOW_STATS(S, at, where) \
    S(STAT_SUM, at##_cycles, "SM cycles", "feature windows at " where) \
    S(STAT_SUM, at##_insts, "warp instructions", "issued in feature windows at " where) \
    S(STAT_SUM, at##_loads, "warp instructions", "global loads in feature windows at " where) \
    S(STAT_SUM, at##_l1_accesses, "accesses", "L1 load accesses in feature windows at " where) \
    S(STAT_SUM, at##_l1_hits, "accesses", "L1 load hits in feature windows at " where) \
    S(STAT_SUM, at##_l1_intra_hits, "accesses", "intra-warp hits in feature windows at " where) \
    S(STAT_SUM, at##_miss_latency_sum, "cycles", "latency of misses in feature windows at " where) \
    S(STAT_SUM, at##_miss_count, "misses", "misses in feature windows at " where)
#define POISE_STATS(S) \
    TUPLE_STATS(S) \
    S(STAT_SUM, predictions, "predictions", "tuples predicted") \
    S(STAT_SUM, predicted_N, "warps", "N predicted, summed") \
    S(STAT_SUM, predicted_p, "warps", "p predicted, summed") \
    S(STAT_SUM, searches, "searches", "corrections that ended within their period") \
    S(STAT_SUM, corrected_N, "warps", "N after correction, summed") \
    S(STAT_SUM, corrected_p, "warps", "p after correction, summed") \
    S(STAT_SUM, early_outs, "periods", "periods left at (W,W) because I_n exceeded I_max") \
    S(STAT_SUM, windows_without_loads, "windows", "windows at (W,W) without a load, sampled again") \
    S(STAT_SUM, tries, "samples", "points measured during correction") \
    S(STAT_SUM, moves, "moves", "steps the search took") \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent sampling and searching, windows without loads included") \
    S(STAT_SUM, windows, "windows", "pairs of feature windows that were completed") \
    WINDOW_STATS(S, max, "(W,W)") WINDOW_STATS(S, one, "(1,1)")
STAT_STRUCT(poise_stats, POISE_STATS);
#define ROW(...) STAT_ROW_OF(poise_stats, __VA_ARGS__)
static const struct stat_row poise_stat_rows[] = {POISE_STATS(ROW)};
#undef ROW
static const struct ratio_row poise_ratios[] = {
    TUPLE_RATIOS(poise_stats),
    RATIO_ROW_OF(poise_stats, mean_predicted_N, predicted_N, predictions, "N predicted, mean"),
    RATIO_ROW_OF(poise_stats, mean_predicted_p, predicted_p, predictions, "p predicted, mean"),
    RATIO_ROW_OF(poise_stats, mean_corrected_N, corrected_N, searches, "N after correction, mean"),
    RATIO_ROW_OF(poise_stats, mean_corrected_p, corrected_p, searches, "p after correction, mean")};

enum state { WARM_MAX, SAMPLE_MAX, WARM_ONE, SAMPLE_ONE, WARM_TRY, SAMPLE_TRY, RUN };
static const char *const state_names[] = {"WARM_MAX", "SAMPLE_MAX", "WARM_ONE", "SAMPLE_ONE",
                                          "WARM_TRY", "SAMPLE_TRY", "RUN"};
enum axis { AXIS_BOTH, AXIS_N, AXIS_P, N_AXES }; /* in the order in which they are searched */

/* One SM's state machine. */
struct engine {
    enum state state;
    uint64_t period_end, since; /* since: the first cycle of the current tuple */
    struct tuple now;           /* the current one */
    struct admission admission;
    struct feature_counters window; /* counters at the start of the window */
    struct feature_counters at_max, at_one;
    struct tuple centre;
    double centre_ipc;
    bool has_centre;
    enum axis axis;
    uint32_t stride;
    int side;      /* which neighbour is being measured: -1, +1, or 0 for the centre */
    double ipc[2]; /* of the lower and the upper neighbour; negative where it loses unmeasured */
    bool known[2];
    struct feature_counters seen; /* whole_gpu: the SM's counters when the window closed */
};
struct poise {
    struct poise_stats stats;
    struct poise_params params;
    uint32_t W, sms;
    uint64_t due; /* whole_gpu: when the window closes, for every SM */
    struct gpu_timeline *timeline;
    struct model model;
    struct tuple_model at_work;
    struct engine engines[]; /* one an SM; of whole_gpu the first decides */
};

static void poise_moved(void *self)
{
    struct poise *h = self;
    tuple_model_rebind(&h->at_work, &h->model);
}

static int poise_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct poise *h = self;
    h->params = *(const struct poise_params *)params;
    h->W = env->W;
    h->sms = env->sms;
    h->due = env->now;
    h->timeline = env->timeline;
    for (uint32_t i = 0; i < env->sms; i++) {
        h->engines[i] = (struct engine){.now = {env->W, env->W}, .since = env->now};
        admission_init(&h->engines[i].admission, (enum admit)h->params.admit, env->W);
    }
    if (h->params.observe) return 0;
    if (!h->params.given_N != !h->params.given_p)
        return error_set(err, ERR_USAGE, "poise: given_N and given_p stand together");
    if (!h->params.model.s[0])
        return error_set(err, ERR_USAGE,
                         "poise: model=FILE is needed, e.g. --mech poise,model=models/poise-thesis.json");
    if (model_read(&h->model, h->params.model.s, err) < 0 ||
        tuple_model_init(&h->at_work, &h->model, h->params.model.s, err) < 0)
        return error_while(err, "poise");
    return 0;
}

static void account(struct poise *h, struct engine *e, uint64_t now)
{
    const uint64_t cycles = (now - e->since) * (h->params.whole_gpu ? h->sms : 1);
    TUPLE_ADD(&h->stats, e->now, cycles);
    if (e->state != RUN) h->stats.explore_cycles += cycles;
    e->since = now;
}

/* Makes a tuple the current one and says when to come back. */
static uint64_t enter(struct poise *h, struct engine *e, enum state state, struct tuple tuple, uint64_t wait,
                      uint64_t now)
{
    account(h, e, now);
    e->state = state;
    e->now = tuple;
    const uint32_t first = (uint32_t)(e - h->engines), n = h->params.whole_gpu ? h->sms : 1;
    for (uint32_t i = first; i < first + n; i++)
        timeline_state(h->timeline, i, now, state_names[state], tuple.N, tuple.p);
    return now + wait < e->period_end ? now + wait : e->period_end;
}

static struct feature_counters since(const struct feature_counters *to, const struct feature_counters *from)
{
    struct feature_counters d;
#define C(field, doc) d.field = to->field - from->field;
    FEATURE_COUNTERS(C)
#undef C
    return d;
}

/* Both windows of a period into the statistics: the same counters as whole runs give, as the engine saw them. */
static void end_windows(struct poise *h, const struct engine *e)
{
    h->stats.windows++;
#define C(field, doc) h->stats.max_##field += e->at_max.field, h->stats.one_##field += e->at_one.field;
    FEATURE_COUNTERS(C)
#undef C
}

/* The point a stride to one side of the centre. False where it lies outside 1 <= p <= N <= W: it loses unmeasured. */
static bool neighbour(const struct poise *h, const struct engine *e, int side, struct tuple *out)
{
    const int64_t step = side * (int64_t)e->stride;
    const int64_t N = e->centre.N + (e->axis == AXIS_P ? 0 : step);
    int64_t p = e->centre.p + (e->axis == AXIS_N ? 0 : step);
    if (h->params.p_follows && e->axis == AXIS_N && p > N) p = N;
    if (p < 1 || p > N || N > (int64_t)h->W) return false;
    *out = (struct tuple){(uint32_t)N, (uint32_t)p};
    return true;
}

/* side: which neighbour `point` is, 0 for the centre */
static uint64_t try_point(struct poise *h, struct engine *e, int side, struct tuple point, uint64_t now)
{
    e->side = side;
    h->stats.tries++;
    return enter(h, e, WARM_TRY, point, h->params.T_warmup, now);
}

/* To the better neighbour, on `side`. The old centre is then the neighbour on the other side, and it is known; only
 * where p followed N the neighbour there is another point, which has to be measured. */
static void move(struct poise *h, struct engine *e, int side)
{
    const int to = side > 0;
    const struct tuple old = e->centre;
    const double old_ipc = e->centre_ipc;
    struct tuple back;
    neighbour(h, e, side, &e->centre);
    e->centre_ipc = e->ipc[to];
    e->known[to] = false;
    e->known[!to] = neighbour(h, e, -side, &back) && back.N == old.N && back.p == old.p;
    e->ipc[!to] = old_ipc;
    h->stats.moves++;
}

static uint32_t first_stride(const struct poise *h, enum axis axis)
{
    return axis == AXIS_BOTH ? h->params.epsilon_d : axis == AXIS_N ? h->params.epsilon_N : h->params.epsilon_p;
}

static uint64_t settle(struct poise *h, struct engine *e, uint64_t now)
{
    h->stats.searches++;
    h->stats.corrected_N += e->centre.N;
    h->stats.corrected_p += e->centre.p;
    return enter(h, e, RUN, e->centre, e->period_end - now, now);
}

/* The next thing the search needs: a sample, a move, a smaller stride, the other axis, or the end. [THESIS §5.6.2] */
static uint64_t search(struct poise *h, struct engine *e, uint64_t now)
{
    while (e->axis < N_AXES) {
        if (e->stride == 0) {
            e->axis++;
            e->stride = e->axis < N_AXES ? first_stride(h, e->axis) : 0;
            e->known[0] = e->known[1] = false;
            continue;
        }
        if (!e->has_centre) return try_point(h, e, 0, e->centre, now);
        for (int k = 0; k < 2; k++) {
            if (e->known[k]) continue;
            struct tuple point;
            if (neighbour(h, e, k ? 1 : -1, &point)) return try_point(h, e, k ? 1 : -1, point, now);
            e->known[k] = true;
            e->ipc[k] = -1;
        }
        const int best = e->ipc[1] > e->ipc[0]; /* ties: the smaller point */
        if (e->ipc[best] > e->centre_ipc) {
            move(h, e, best ? 1 : -1);
        } else {
            e->stride /= 2;
            e->known[0] = e->known[1] = false;
            e->has_centre = !h->params.again;
        }
    }
    return settle(h, e, now);
}

/* The model's, or the one that was given in its place. */
static struct tuple predicted_tuple(const struct poise *h, const struct engine *e)
{
    const uint32_t N = h->params.given_N < h->W ? h->params.given_N : h->W;
    if (N) return (struct tuple){N, h->params.given_p < N ? h->params.given_p : N};
    const struct tuple_prediction t = tuple_model_predict(&h->at_work, &e->at_max, &e->at_one, h->W);
    return (struct tuple){t.N, t.p};
}

static uint64_t begin_search(struct poise *h, struct engine *e, uint64_t now)
{
    e->centre = predicted_tuple(h, e);
    e->has_centre = false;
    e->axis = 0;
    e->stride = first_stride(h, e->axis);
    e->known[0] = e->known[1] = false;
    h->stats.predictions++;
    h->stats.predicted_N += e->centre.N;
    h->stats.predicted_p += e->centre.p;
    return search(h, e, now);
}

static uint64_t end_try(struct poise *h, struct engine *e, const struct feature_counters *window, uint64_t now)
{
    const double ipc = (double)window->insts / (double)window->cycles;
    if (e->side == 0) {
        e->centre_ipc = ipc;
        e->has_centre = true;
    } else {
        e->ipc[e->side > 0] = ipc;
        e->known[e->side > 0] = true;
    }
    return search(h, e, now);
}

static uint64_t begin_period(struct poise *h, struct engine *e, uint64_t now)
{
    e->period_end = now + h->params.T_period;
    return enter(h, e, WARM_MAX, (struct tuple){h->W, h->W}, h->params.T_warmup, now);
}

/* The window at (W,W) is over. I_n is of issued instructions and loads, so a window without a load has none and is
 * sampled again: an SM that idles is not compute-bound, and there is nothing to predict from. */
static uint64_t end_max(struct poise *h, struct engine *e, const struct sm_view *sm,
                        const struct feature_counters *window, uint64_t now)
{
    if (window->loads == 0) {
        h->stats.windows_without_loads++;
        e->window = sm->counters;
        return enter(h, e, SAMPLE_MAX, e->now, h->params.T_feature, now);
    }
    e->at_max = *window;
    if (feature_In(window) > h->params.I_max && !h->params.observe) {
        h->stats.early_outs++;
        return enter(h, e, RUN, e->now, e->period_end - now, now);
    }
    return enter(h, e, WARM_ONE, (struct tuple){1, 1}, h->params.T_warmup, now);
}

static uint64_t engine_epoch(struct poise *h, struct engine *e, const struct sm_view *sm, uint64_t now)
{
    if (now >= e->period_end) return begin_period(h, e, now);
    const struct feature_counters window = since(&sm->counters, &e->window);
    switch (e->state) {
    case WARM_MAX: e->window = sm->counters; return enter(h, e, SAMPLE_MAX, e->now, h->params.T_feature, now);
    case SAMPLE_MAX: return end_max(h, e, sm, &window, now);
    case WARM_ONE: e->window = sm->counters; return enter(h, e, SAMPLE_ONE, e->now, h->params.T_feature, now);
    case SAMPLE_ONE:
        e->at_one = window;
        end_windows(h, e);
        if (h->params.observe) return enter(h, e, RUN, (struct tuple){h->W, h->W}, e->period_end - now, now);
        return begin_search(h, e, now);
    case WARM_TRY: e->window = sm->counters; return enter(h, e, SAMPLE_TRY, e->now, h->params.T_correct, now);
    case SAMPLE_TRY: return end_try(h, e, &window, now);
    case RUN: break;
    }
    return e->period_end;
}

/* Each SM leaves its counters when the window closes. A cycle later the first of them decides for all, which are asked
 * again in that cycle. */
static uint64_t whole_gpu_epoch(struct poise *h, const struct sm_view *sm, uint64_t now)
{
    if (now > h->due) {
        struct sm_view all = {0};
        for (uint32_t i = 0; i < h->sms; i++) {
#define C(field, doc) all.counters.field += h->engines[i].seen.field;
            FEATURE_COUNTERS(C)
#undef C
        }
        h->due = engine_epoch(h, &h->engines[0], &all, now);
    }
    if (now < h->due) return h->due;
    h->engines[sm->sm].seen = sm->counters;
    return now + 1;
}

static uint64_t poise_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct poise *h = self;
    return h->params.whole_gpu ? whole_gpu_epoch(h, sm, now) : engine_epoch(h, &h->engines[sm->sm], sm, now);
}

static const struct engine *engine_of(const struct poise *h, uint32_t sm)
{
    return &h->engines[h->params.whole_gpu ? 0 : sm];
}

static uint64_t poise_may_issue(void *self, const struct warp_set *set)
{
    struct poise *h = self;
    return admission_mask(&h->engines[set->sm].admission, set, engine_of(h, set->sm)->now.N, false);
}

static uint64_t poise_may_pollute(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, engine_of(self, set->sm)->now.p, false);
}

static void poise_end(void *self, uint64_t now)
{
    struct poise *h = self;
    for (uint32_t i = 0; i < (h->params.whole_gpu ? 1 : h->sms); i++) account(h, &h->engines[i], now);
}

/* Of Tab. 5.3's features; another model's are in `poise model show`. */
static size_t poise_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct engine_storage s = features_engine_storage(poise_feature_names, N_POISE_FEATURES);
    (void)env;
    out[0] = (struct mech_cost){"counters that Tab. 5.3's features need", s.counter_bits, 0, STORAGE_REGISTER};
    if (params && ((const struct poise_params *)params)->whole_gpu) {
        out[1] = (struct mech_cost){"their sums over SMs, and one state machine [THESIS 5.7.9]", 0,
                                    s.counter_bits + s.counter_bits / FEATURE_COUNTER_BITS * 6 + s.state_bits,
                                    STORAGE_REGISTER};
        return 2;
    }
    out[1] = (struct mech_cost){"state registers; what the search remembers is not counted [THESIS 5.7.9]",
                                s.state_bits, 0, STORAGE_REGISTER};
    return 2;
}

static const void *poise_stats_of(const void *self) { return &((const struct poise *)self)->stats; }

static size_t poise_waits(const void *params, struct mech_wait *out)
{
    const struct poise_params *p = params;
    out[0] = (struct mech_wait){"T_warmup + T_feature", (uint64_t)p->T_warmup + p->T_feature, WAIT_CYCLES};
    out[1] = (struct mech_wait){"T_period", p->T_period, WAIT_CYCLES};
    /* a search whose steps are shorter than the features' sample needs no word of its own */
    out[2] = (struct mech_wait){"T_warmup + T_correct", (uint64_t)p->T_warmup + p->T_correct, WAIT_CYCLES};
    return !p->observe && (p->epsilon_N || p->epsilon_p || p->epsilon_d) && p->T_correct > p->T_feature ? 3 : 2;
}

static size_t poise_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"inference", {"predictions", "early_outs"}};
    return 1;
}

const struct mech_type mech_poise = {
    .name = "poise",
    .title = "Poise: the hardware inference engine",
    .source = "THESIS 5.6",
    .params = {"poise", poise_rows, COUNT_OF(poise_rows), sizeof(struct poise_params)},
    .stats = {"poise", poise_stat_rows, COUNT_OF(poise_stat_rows), sizeof(struct poise_stats)},
    .ratios = poise_ratios,
    .n_ratios = COUNT_OF(poise_ratios),
    .state_size = sizeof(struct poise),
    .per_sm_size = sizeof(struct engine),
    .waits = poise_waits,
    .acts = poise_acts,
    .init = poise_init,
    .moved = poise_moved,
    .fetch = poise_params_fetch,
    .end = poise_end,
    .cost = poise_cost,
    .stats_of = poise_stats_of,
    .epoch = poise_epoch,
    .keeps_sms_apart = true,
    .warp_may_issue = poise_may_issue,
    .warp_may_pollute = poise_may_pollute,
};
