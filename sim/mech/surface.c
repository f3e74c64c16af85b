/* Surface: a learned surface of speedup over warp tuples (N, p), read from a few samples of the whole GPU and then
 * followed by groups of SMs. Not from a paper: Poise samples (W,W) and (1,1) on every SM and each SM decides alone
 * [THESIS §5.6]; here one prediction serves the GPU, neighbours are measured by groups of SMs at the same time, and
 * what does not pay is undone.
 *
 *   SAMPLE    the rounds of the model's sampling: all SMs at one tuple, or groups of SMs at several; their counters
 *             are the model's features. One of the tuples is (W,W)
 *   TRY       all SMs at the tuple with the best predicted speedup, for long enough that the flood of (W,W) has
 *             drained. It stays unless (W,W) was faster by `veto` or another tuple of the sampling by `trust`. Where
 *             (W,W) is predicted to be best, or was faster, all SMs RUN at it
 *   PROBE     groups at the neighbours of the best tuple, at first `radius` levels of the lattice away; a neighbour
 *             that wins is the next centre, and where none does the distance halves
 *   RUN       all SMs at the best. Its first windows must keep what the best tuple before the probing gave, or that
 *             one comes back. `drops` windows in a row with a drop of IPC start again with SAMPLE, the period's end
 *             with PROBE; a period that ended at (W,W) is twice as long as the one before
 *
 * Every step is T_warmup cycles and a window of T_sample; a probing step has the shorter window T_probe. A sampling has
 * few warps first and (W,W) last, since a flood of misses takes tens of thousands of cycles to drain. Rates are
 * instructions a cycle of the SMs that issued any. With observe=1 no model is needed: samplings are counted and all SMs
 * go back to one tuple in between, which is how training data are collected. */
#include <string.h>
#include "poise/sampling.h"
#include "poise/surface_model.h"
#include "poise/sys/hooks.h"
#include "in_force.h"
#include "steps.h"
#include "timeline.h"

#define SURFACE_PARAMS(P) \
    P(TEXT, model, 0, 0, 0, "path", "this project", "model file of a speedup surface") \
    P(U32, T_warmup, 2000, 0, 10000000, "cycles", "assumed", "cycles after a change of tuple before sampling") \
    P(U32, T_sample, 5000, 1, 10000000, "cycles", "assumed", "sampling duration of a round or a try") \
    P(U32, T_settle, 15000, 0, 10000000, "cycles", "assumed", \
      "warm-up of a try: the flood of the sampling at (W,W) drains meanwhile") \
    P(F64, trust, 10, 0, 10, "fraction", "assumed", \
      "rate that a sampled tuple must have more than the predicted one to be preferred") \
    P(F64, veto, 0, 0, 1, "fraction", "assumed", \
      "rate that the predicted tuple may have less than (W,W) without being given up; 1 = it stays") \
    P(U32, T_probe, 4000, 1, 10000000, "cycles", "THESIS Tab. 5.5 (T_correct)", "sampling duration of a probing step") \
    P(U32, T_monitor, 20000, 1, 100000000, "cycles", "assumed", "window in which IPC is watched while a tuple runs") \
    P(U32, T_period, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", "cycles between searches") \
    P(U32, radius, 0, 0, 8, "points", "assumed", \
      "first distance of probed neighbours on the model's lattice; 0 = no probing") \
    P(U32, steps, 4, 0, 64, "steps", "assumed", "probing steps of a search at most") \
    P(F64, gain, 0.03, 0, 1, "fraction", "assumed", "IPC that a neighbour must have more to win") \
    P(F64, slack, 0.02, 0, 1, "fraction", "assumed", \
      "IPC that a probed tuple may lose against the one before; 1 = never goes back") \
    P(F64, drop, 0.3, 0, 1, "fraction", "assumed", "loss of IPC that begins another sampling; 1 = never") \
    P(U32, drops, 2, 1, 100, "windows", "assumed", "windows in a row that must have lost so much") \
    P(F64, I_max, 49, 0, 1e12, "instructions", "THESIS Tab. 5.5", \
      "compute instructions per load above which SMs stay at (W,W)") \
    P(FLAG, observe, 0, 0, 1, "flag", "assumed", "needs no model: samples, counts, and decides nothing") \
    P(TEXT, sample, 0, 0, 0, "tuples", "assumed", \
      "observe: sampling tuples, as in '2:2 4:1 / W:1 / W:W'; otherwise the model's") \
    P(U32, record, 1, 1, 1000, "1", "assumed", "observe: which sampling of the launch is counted") \
    P(U32, base_N, 0, 0, 64, "warps", "assumed", "observe: N between samplings; 0 = W") \
    P(U32, base_p, 0, 0, 64, "warps", "assumed", "observe: the same of p") \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(surface_params, SURFACE_PARAMS);
#define ROW(...) PARAM_ROW_OF(surface_params, __VA_ARGS__)
static const struct param_row surface_rows[] = {SURFACE_PARAMS(ROW)};
#undef ROW
FETCH_OF(surface_params)

#define GROUP_STATS(S, g) \
    S(STAT_SUM, g##_cycles, "SM cycles", "sampled by this group") \
    S(STAT_SUM, g##_insts, "warp instructions", "issued in this group's window") \
    S(STAT_SUM, g##_loads, "warp instructions", "global loads in this group's window") \
    S(STAT_SUM, g##_l1_accesses, "accesses", "L1 load accesses in this group's window") \
    S(STAT_SUM, g##_l1_hits, "accesses", "L1 load hits in this group's window") \
    S(STAT_SUM, g##_l1_intra_hits, "accesses", "intra-warp hits in this group's window") \
    S(STAT_SUM, g##_miss_latency_sum, "cycles", "latency of misses in this group's window") \
    S(STAT_SUM, g##_miss_count, "misses", "misses in this group's window")
#define SURFACE_STATS(S) \
    IN_FORCE_STATS(S) \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent sampling, trying and probing") \
    S(STAT_SUM, samplings, "steps", "samplings of the whole GPU") \
    S(STAT_SUM, recorded, "steps", "samplings whose counters stand below") \
    S(STAT_SUM, predictions, "predictions", "tuples predicted") \
    S(STAT_SUM, predicted_N, "warps", "N predicted, summed") \
    S(STAT_SUM, predicted_p, "warps", "p predicted, summed") \
    S(STAT_SUM, baselines, "predictions", "of these, predictions of (W,W)") \
    S(STAT_SUM, tries, "steps", "predicted tuples that were measured by all SMs") \
    S(STAT_SUM, refuted, "steps", "predicted tuples that a sampled one was preferred to") \
    S(STAT_SUM, probes, "steps", "steps in which neighbours were compared") \
    S(STAT_SUM, moves, "moves", "neighbours that won") \
    S(STAT_SUM, returns, "moves", "returns to the tuple before, which had done better") \
    S(STAT_SUM, searches, "searches", "searches that came to an end") \
    S(STAT_SUM, corrected_N, "warps", "N after the search, summed") \
    S(STAT_SUM, corrected_p, "warps", "p after the search, summed") \
    S(STAT_SUM, drops, "drops", "samplings begun by a drop of IPC") \
    S(STAT_SUM, early_outs, "searches", "searches left at (W,W) because I_n exceeded I_max") \
    GROUP_STATS(S, g0) \
    GROUP_STATS(S, g1) \
    GROUP_STATS(S, g2) GROUP_STATS(S, g3) GROUP_STATS(S, g4) GROUP_STATS(S, g5) GROUP_STATS(S, g6) GROUP_STATS(S, g7)
STAT_STRUCT(surface_stats, SURFACE_STATS);
#define ROW(...) STAT_ROW_OF(surface_stats, __VA_ARGS__)
static const struct stat_row surface_stat_rows[] = {SURFACE_STATS(ROW)};
#undef ROW
static const struct ratio_row surface_ratios[] = {
    IN_FORCE_RATIOS(surface_stats)
        RATIO_ROW_OF(surface_stats, mean_predicted_N, predicted_N, predictions, "N predicted, mean")
            RATIO_ROW_OF(surface_stats, mean_predicted_p, predicted_p, predictions, "p predicted, mean")
                RATIO_ROW_OF(surface_stats, mean_corrected_N, corrected_N, searches, "N after the search, mean")
                    RATIO_ROW_OF(surface_stats, mean_corrected_p, corrected_p, searches, "p after the search, mean")};

enum state { SAMPLE, TRY, PROBE, RUN };
static const char *const state_names[] = {"SAMPLE", "TRY", "PROBE", "RUN"};
enum { GROUPS_MAX = SAMPLING_GROUPS_MAX, KEEP_WINDOWS = 2 };
struct candidate {
    struct tuple at;
    double rate;
};
struct known {
    struct tuple at;
    double rate;
}; /* N = 0: none */
/* A step begins, samples from `sample` to `close`; at close + 1 the first SM that is asked decides for all. */
struct surface {
    struct surface_stats stats;
    struct surface_params params;
    struct surface_net net;
    struct sampling_feature features[SAMPLING_FEATURES_MAX];
    struct sampling_tuples tuples; /* of SAMPLE */
    struct gpu_timeline *timeline;
    enum state state;
    uint32_t W, n_sms;
    uint64_t sample, close, period, period_end;
    struct candidate candidates[GROUPS_MAX]; /* the first is the baseline in SAMPLE and the centre in PROBE */
    struct sampling seen;                    /* SAMPLE: the windows of all groups; otherwise the last step's */
    uint32_t n, turn;                        /* turn: which SMs make a group is shifted from step to step */
    uint32_t round, first;                   /* of SAMPLE: the round, and the number of its first group */
    struct tuple best;
    struct known shown[GROUPS_MAX + 1]; /* tuples that all SMs have run since the sampling began, with their rates */
    uint32_t n_shown;
    struct known tried;                        /* the tuple before probing, and its rate on all SMs */
    uint32_t stride, steps_left, windows, low; /* low: windows in a row that have lost `drop` */
    double expected, run_rate;                 /* RUN: rate of the first window; mean */
    struct step_unit units[];                  /* one an SM */
};

static struct tuple all_warps(const struct surface *h) { return (struct tuple){h->W, h->W}; }
/* 0 stands for W */
static struct tuple clamped(const struct surface *h, uint32_t N, uint32_t p)
{
    if (N == 0 || N > h->W) N = h->W;
    if (p == 0 || p > N) p = N;
    return (struct tuple){N, p};
}

/* ---- steps ---- */

static void account(struct surface *h, struct step_unit *u, uint64_t now)
{
    const uint64_t cycles = now - u->since;
    IN_FORCE_ADD(&h->stats, u->now, cycles);
    if (h->state != RUN) h->stats.explore_cycles += cycles;
    u->since = now;
}

static void begin_step(struct surface *h, enum state state, uint64_t now)
{
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
    h->state = state;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        struct step_unit *u = &h->units[i];
        u->group = (i + h->turn) % h->n;
        u->now = h->candidates[u->group].at;
        timeline_state(h->timeline, i, now, state_names[state], u->now.N, u->now.p);
    }
    h->sample = now + (state == TRY ? h->params.T_settle : h->params.T_warmup);
    h->close = h->sample + (state == RUN     ? h->params.T_monitor
                            : state == PROBE ? h->params.T_probe
                                             : h->params.T_sample);
}

static void begin_alone(struct surface *h, enum state state, struct tuple t, uint64_t now)
{
    h->n = 1;
    h->candidates[0] = (struct candidate){.at = t};
    begin_step(h, state, now);
}

static void begin_round(struct surface *h, uint64_t now)
{
    h->n = 0;
    while (h->first + h->n < h->tuples.n && h->tuples.round[h->first + h->n] == h->round) {
        const uint32_t g = h->first + h->n;
        h->candidates[h->n++] = (struct candidate){.at = clamped(h, h->tuples.N[g], h->tuples.p[g])};
    }
    begin_step(h, SAMPLE, now);
}

static void begin_sampling(struct surface *h, uint64_t now)
{
    h->round = h->first = h->n_shown = 0;
    h->seen = (struct sampling){.W = h->W, .n = h->tuples.n, .base = h->tuples.base};
    h->stats.samplings++;
    begin_round(h, now);
}

static void run_at_best(struct surface *h, uint64_t now)
{
    h->expected = h->run_rate = 0;
    h->windows = h->low = 0;
    begin_alone(h, RUN, h->best, now);
}

/* Where all warps are best there is nothing to gain by looking often. */
static void settle(struct surface *h, uint64_t now)
{
    h->stats.searches++;
    h->stats.corrected_N += h->best.N;
    h->stats.corrected_p += h->best.p;
    if (same(h->tried.at, h->best)) h->tried.at.N = 0;
    h->period = same(h->best, all_warps(h)) ? 2 * h->period : h->params.T_period;
    h->period_end = now + h->period;
    run_at_best(h, now);
}

/* ---- probing ---- */

static void add(struct surface *h, struct tuple t)
{
    if (h->n == GROUPS_MAX) return;
    for (uint32_t i = 0; i < h->n; i++)
        if (same(h->candidates[i].at, t)) return;
    h->candidates[h->n++] = (struct candidate){.at = t};
}

/* A value so many levels further along the model's lattice, clamped to its ends and to W. */
static uint32_t along(const struct surface *h, uint32_t value, int by)
{
    const struct surface_net *net = &h->net;
    int at = 0;
    while (at + 1 < (int)net->n_levels && net->levels[at + 1] <= value) at++;
    at = at + by < 0 ? 0 : at + by >= (int)net->n_levels ? (int)net->n_levels - 1 : at + by;
    return net->levels[at] < h->W ? net->levels[at] : h->W;
}

static void probe(struct surface *h, uint64_t now)
{
    static const int ways[][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {1, 1}};
    if (h->stride == 0 || h->steps_left == 0) {
        settle(h, now);
        return;
    }
    h->steps_left--;
    h->n = 0;
    add(h, h->best);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        const uint32_t N = along(h, h->best.N, ways[i][0] * (int)h->stride),
                       p = along(h, h->best.p, ways[i][1] * (int)h->stride);
        add(h, clamped(h, N, p));
    }
    h->turn++;
    h->stats.probes++;
    begin_step(h, PROBE, now);
}

static void begin_probing(struct surface *h, struct known before, uint64_t now)
{
    h->tried = before;
    h->stride = h->params.radius;
    h->steps_left = h->params.steps;
    probe(h, now);
}

/* ---- what a window has shown ---- */

static void measure(struct surface *h)
{
    struct feature_counters *groups = &h->seen.at[h->state == SAMPLE ? h->first : 0];
    for (uint32_t g = 0; g < h->n; g++) {
        step_sum(h->units, h->n_sms, g, &groups[g]);
        h->candidates[g].rate = step_rate(&groups[g]);
    }
}

static void record(struct surface *h)
{
    if (h->stats.samplings != h->params.record) return;
    h->stats.recorded++;
#define C(field, doc) \
    h->stats.g0_##field = h->seen.at[0].field, h->stats.g1_##field = h->seen.at[1].field; \
    h->stats.g2_##field = h->seen.at[2].field, h->stats.g3_##field = h->seen.at[3].field; \
    h->stats.g4_##field = h->seen.at[4].field, h->stats.g5_##field = h->seen.at[5].field; \
    h->stats.g6_##field = h->seen.at[6].field, h->stats.g7_##field = h->seen.at[7].field;
    FEATURE_COUNTERS(C)
#undef C
}

/* ---- decisions ---- */

static struct tuple predicted(struct surface *h)
{
    float x[SAMPLING_FEATURES_MAX];
    int32_t z[SURFACE_POINTS_MAX];
    sampling_vector(h->features, h->net.n_features, &h->seen, x);
    surface_net_eval(&h->net, x, z);
    const struct surface_tuple t = surface_net_best(&h->net, z, h->W);
    h->stats.predictions++;
    h->stats.predicted_N += t.N;
    h->stats.predicted_p += t.p;
    return (struct tuple){t.N, t.p};
}

static void settle_at_all(struct surface *h, uint64_t now)
{
    h->best = all_warps(h);
    h->tried = (struct known){0};
    settle(h, now);
}

/* At `t`, which all SMs have run, unless another tuple has shown a rate that is higher by `trust`, or (W,W) by `veto`.
 */
static void begin_at(struct surface *h, struct known t, uint64_t now)
{
    struct known top = t;
    for (uint32_t i = 0; i < h->n_shown; i++) {
        const struct known *other = &h->shown[i];
        const bool is_vetoed = same(other->at, all_warps(h)) && t.rate < other->rate * (1 - h->params.veto);
        if ((is_vetoed || other->rate > t.rate * (1 + h->params.trust)) && other->rate > top.rate) top = *other;
    }
    h->stats.refuted += !same(top.at, t.at);
    h->best = top.at;
    if (same(h->best, all_warps(h)))
        settle_at_all(h, now);
    else
        begin_probing(h, top, now);
}

static void decide(struct surface *h, uint64_t now)
{
    h->best = predicted(h);
    if (same(h->best, all_warps(h))) {
        h->stats.baselines++;
        settle_at_all(h, now);
        return;
    }
    h->stats.tries++;
    begin_alone(h, TRY, h->best, now);
}

/* A tuple that all SMs have run; its last rate counts. */
static void show(struct surface *h, struct candidate c)
{
    uint32_t i = 0;
    while (i < h->n_shown && !same(h->shown[i].at, c.at)) i++;
    h->shown[i] = (struct known){c.at, c.rate};
    if (i == h->n_shown) h->n_shown++;
}

static void end_sample(struct surface *h, uint64_t now)
{
    if (h->n == 1) show(h, h->candidates[0]);
    h->first += h->n;
    if (++h->round < h->tuples.n_rounds) {
        begin_round(h, now);
        return;
    }
    record(h);
    h->tried = (struct known){0};
    if (h->params.observe) {
        h->best = clamped(h, h->params.base_N, h->params.base_p);
        settle(h, now);
    } else if (feature_In(&h->seen.at[h->tuples.base]) > h->params.I_max) {
        h->stats.early_outs++;
        settle_at_all(h, now);
    } else {
        decide(h, now);
    }
}

static void end_try(struct surface *h, uint64_t now)
{
    show(h, h->candidates[0]);
    begin_at(h, (struct known){h->best, h->candidates[0].rate}, now);
}

static void end_probe(struct surface *h, uint64_t now)
{
    const struct candidate *c = h->candidates;
    uint32_t most = 0;
    for (uint32_t k = 1; k < h->n; k++)
        if (c[k].rate > c[0].rate * (1 + h->params.gain) && c[k].rate > c[most].rate) most = k;
    if (most) {
        h->stats.moves++;
        h->best = c[most].at;
    } else {
        h->stride /= 2;
    }
    probe(h, now);
}

static void end_window(struct surface *h, uint64_t now)
{
    const double rate = h->candidates[0].rate;
    h->low = rate > 0 && rate < h->expected * (1 - h->params.drop) ? h->low + 1 : 0;
    if (!h->params.observe && h->low >= h->params.drops) {
        h->stats.drops++;
        begin_sampling(h, now);
        return;
    }
    h->run_rate = (h->run_rate * h->windows + rate) / (h->windows + 1);
    if (h->windows++ == 0) h->expected = rate;
    if (h->windows == KEEP_WINDOWS && h->tried.at.N) {
        const struct known before = h->tried;
        h->tried.at.N = 0;
        if (h->run_rate < before.rate * (1 - h->params.slack)) {
            h->stats.returns++;
            h->best = before.at;
            run_at_best(h, now);
            return;
        }
    }
    if (now < h->period_end) {
        h->sample = now; /* nothing changed: no warm-up */
        h->close = now + h->params.T_monitor;
    } else if (h->params.observe || same(h->best, all_warps(h))) {
        begin_sampling(h, now);
    } else {
        begin_probing(h, (struct known){h->best, h->run_rate}, now);
    }
}

static uint64_t surface_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    static void (*const end[])(struct surface *, uint64_t) = {end_sample, end_try, end_probe, end_window};
    struct surface *h = self;
    if (now > h->close) { /* the first SM for all: their windows closed a cycle ago */
        measure(h);
        end[h->state](h, now);
    }
    return step_window(&h->units[sm->sm], &sm->counters, h->sample, h->close, now);
}

/* ---- the mechanism ---- */

static int read_model(struct surface *h, struct error *err)
{
    const char *names[SAMPLING_FEATURES_MAX], *path = h->params.model.s;
    struct surface_model model;
    if (!path[0])
        return error_set(err, ERR_USAGE,
                         "surface: model=FILE is needed, e.g. --mech surface,model=models/poise-best.json");
    if (surface_model_read(&model, path, err) < 0) return -1;
    for (size_t i = 0; i < model.net.n_features; i++) names[i] = model.features[i];
    h->net = model.net;
    int result = sampling_tuples_parse(&h->tuples, model.sampling, err);
    if (result < 0)
        error_while(err, "%s: sampling", path);
    else
        result = sampling_resolve(names, model.net.n_features, h->tuples.n, h->features, path, err);
    surface_model_fini(&model);
    return result;
}

static size_t largest_round(const struct sampling_tuples *t)
{
    size_t most = 0, n = 0;
    for (size_t i = 0; i < t->n; i++) {
        n = i && t->round[i] == t->round[i - 1] ? n + 1 : 1;
        if (n > most) most = n;
    }
    return most;
}

static int surface_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct surface *h = self;
    h->params = *(const struct surface_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    h->period = h->params.T_period;
    if (h->params.observe) {
        if (sampling_tuples_parse(&h->tuples, h->params.sample.s[0] ? h->params.sample.s : "2:2 4:1 / W:1 / W:W", err) <
            0)
            return error_while(err, "surface: sample");
    } else if (read_model(h, err) < 0) {
        return error_while(err, "surface");
    }
    const size_t groups = largest_round(&h->tuples);
    if (groups > env->sms)
        return error_set(err, ERR_USAGE, "surface: a round of %zu tuples needs as many SMs, this machine has %u",
                         groups, (unsigned)env->sms);
    for (uint32_t i = 0; i < h->n_sms; i++) h->units[i] = (struct step_unit){.now = all_warps(h), .since = env->now};
    begin_sampling(h, env->now);
    return 0;
}

static uint64_t surface_may_issue(void *self, const struct warp_set *set)
{
    return step_may_issue(((struct surface *)self)->units, set);
}

static uint64_t surface_may_pollute(void *self, const struct warp_set *set)
{
    return step_may_pollute(((struct surface *)self)->units, set);
}

static void surface_end(void *self, uint64_t now)
{
    struct surface *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
}

static const void *surface_stats_of(const void *self) { return &((const struct surface *)self)->stats; }

/* Counters of a window are as wide as Poise's [THESIS §5.7.9]; sums over SMs need 6 bits more; a tuple takes 10 bits, a
 * rate 16. The network's arithmetic runs on idle units, as Poise's does; it is counted at the most that a model may
 * take. */
static size_t surface_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    enum { TUPLE = 10, RATE = 16, COUNTER = FEATURE_COUNTER_BITS, SUM = COUNTER + 6 };
    size_t n = 0;
    (void)params, (void)env;
    out[n++] = (struct mech_cost){
        "instructions, loads, L1 accesses, hits, intra-warp hits, latency and count of misses of a window", 7 * COUNTER,
        0};
    out[n++] = (struct mech_cost){"tuple in force and group", TUPLE + 3, 0};
    out[n++] = (struct mech_cost){"the network, at most", 0, 8 * SURFACE_NET_BYTES_MAX};
    out[n++] = (struct mech_cost){"sums of a window over the SMs of each of 8 groups", 0, GROUPS_MAX * 8 * SUM};
    out[n++] = (struct mech_cost){"8 candidates and 9 tuples that all SMs have run, with their rates", 0,
                                  (2 * GROUPS_MAX + 1) * (TUPLE + RATE)};
    out[n++] = (struct mech_cost){"best tuple, the one before probing and its rate", 0, 2 * TUPLE + RATE};
    out[n++] =
        (struct mech_cost){"cycle of the step's sample and end, of the period's end, its length", 0, 4 * COUNTER};
    out[n++] =
        (struct mech_cost){"state, round, shift of the groups, stride, steps left, windows, first and mean rate of RUN",
                           0, 2 + 3 + 5 + 4 + 6 + 2 + 2 * RATE};
    return n;
}

const struct mech_type mech_surface = {
    .name = "surface",
    .title = "a learned speedup surface, sampled by groups of SMs",
    .source = "this project",
    .params = {"surface", surface_rows, COUNT_OF(surface_rows), sizeof(struct surface_params)},
    .stats = {"surface", surface_stat_rows, COUNT_OF(surface_stat_rows), sizeof(struct surface_stats)},
    .ratios = surface_ratios,
    .n_ratios = COUNT_OF(surface_ratios),
    .state_size = sizeof(struct surface),
    .per_sm_size = sizeof(struct step_unit),
    .init = surface_init,
    .end = surface_end,
    .fetch = surface_params_fetch,
    .cost = surface_cost,
    .stats_of = surface_stats_of,
    .epoch = surface_epoch,
    .warp_may_issue = surface_may_issue,
    .warp_may_pollute = surface_may_pollute,
};
