/* Learned: a response surface, of speedup over warp tuples (N, p), read from a few samples of the whole GPU, and
 * searched where the network may be wrong. Not from a paper: Poise samples (W,W) and (1,1) on every SM and each SM
 * decides alone [THESIS §5.6]; here one prediction serves the GPU, and a tuple is judged by all SMs running it.
 *
 *   WAIT      nothing is held back for T_wait cycles (0: no such step): launches that end meanwhile run as under GTO,
 *             since a sampling costs more than so short a launch can win back. The rate of its second half is a hasty
 *             view of (W,W): memory is still cold, but no tuple has been held back yet
 *   SAMPLE    the rounds of the model's sampling: all SMs at one tuple, or groups of SMs at several; their counters
 *             are the model's features
 *   RUN       all SMs at the best tuple, at first that of the best predicted speedup, window after window
 *   TRY       all SMs at another tuple for one window, between two of RUN: it is judged by its rate against the mean of
 *             theirs, so that a slow change of the program is not taken for its doing. A try follows whenever it pays
 *             (poise/response_search.h) if the launch is taken to last `horizon` times as long as it has lasted: often
 *             at first, then ever more seldom. `drops` windows in a row with a drop of IPC forget what was shown
 *
 * Every step is a warm-up and a window; that of TRY, and of RUN after it, is T_settle, for what ran before to drain. A
 * sampling has few warps first, since a flood of misses takes tens of thousands of cycles to drain. Rates are
 * instructions a cycle of the SMs that issued any. With observe=1 no model is needed: samplings are counted and all SMs
 * go back to one tuple in between, which is how training data are collected.
 *
 * A program launches its kernels again and again. Where its launches are simulated in order (--carry-l2), the last
 * `kernels` of them are known by their addresses, and a kernel's search goes on in its next launch where the last one
 * left it: with the wait, with the round that was cut, or from the first cycle on at the tuple believed to be best. A
 * launch is taken to last as long as the kernel's last one, and no step is begun that is longer; where that one was too
 * short for a try, the launch is a try as a whole (learned_kernels.h). */
#include <string.h>
#include "poise/sampling.h"
#include "poise/response_model.h"
#include "poise/response_search.h"
#include "poise/sys/hooks.h"
#include "in_force.h"
#include "steps.h"
#include "learned_hint.h"
#include "learned_kernels.h"
#include "learned_params.h"
#include "learned_parts.h"
#include "learned_stats.h"
#include "timeline.h"

#define ROW(...) PARAM_ROW_OF(learned_params, __VA_ARGS__)
static const struct param_row learned_rows[] = {LEARNED_PARAMS(ROW)};
#undef ROW
FETCH_OF(learned_params)

STAT_STRUCT(learned_stats, LEARNED_STATS);
#define ROW(...) STAT_ROW_OF(learned_stats, __VA_ARGS__)
static const struct stat_row learned_stat_rows[] = {LEARNED_STATS(ROW)};
#undef ROW
static const struct ratio_row learned_ratios[] = {
    IN_FORCE_RATIOS(learned_stats),
    RATIO_ROW_OF(learned_stats, mean_predicted_N, predicted_N, predictions, "N predicted, mean"),
    RATIO_ROW_OF(learned_stats, mean_predicted_p, predicted_p, predictions, "p predicted, mean"),
    RATIO_ROW_OF(learned_stats, mean_corrected_N, corrected_N, searches, "N after the search, mean"),
    RATIO_ROW_OF(learned_stats, mean_corrected_p, corrected_p, searches, "p after the search, mean")};

static const char *const state_names[] = {"WAIT", "SAMPLE", "TRY", "RUN", "HOLD"};
struct candidate {
    struct tuple at;
    double rate;
    int32_t log_rate; /* ln, 2^-16 */
};
/* A step begins, samples from `sample` to `close`; at close + 1 the first SM that is asked decides for all. */
struct learned {
    struct learned_stats stats;
    struct learned_params params;
    struct response_net net;
    struct sampling_feature features[SAMPLING_FEATURES_MAX];
    struct sampling_tuples tuples; /* of SAMPLE */
    struct gpu_timeline *timeline;
    enum state state;
    uint32_t W, n_sms, kernel;
    struct sampling_tuples starts; /* that a launch begins with */
    bool has_net;                  /* a model was given; false: only hints */
    enum hint_match hint;          /* which hint there is for the launch */
    uint64_t resident;             /* warps that the machine holds at a time */
    size_t memory_at;              /* struct kernel_memory, so many bytes from here */
    uint64_t sample, close, period_end;
    struct candidate candidates[GROUPS_MAX]; /* of the step */
    uint32_t n;                              /* groups of the step */
    struct search search;
    bool is_judging; /* the window of RUN after a try: `tried` is judged by it */
    struct candidate tried;
    int32_t before;           /* ln of the rate of RUN's last window */
    uint32_t windows, low;    /* of RUN; low: windows in a row that have lost `drop` */
    double expected;          /* RUN: rate of the first window */
    uint64_t began;           /* the launch's first cycle */
    uint64_t insts;           /* of the launch, in warps */
    uint32_t warps, exits;    /* of the launch, and those that have ended */
    struct tuple first_tuple; /* of the launch, on all SMs; {0}: they began at several */
    uint64_t others;          /* cycles of other tuples, on SM 0 */
    struct step_unit units[]; /* one an SM */
};

static struct tuple all_warps(const struct learned *h) { return (struct tuple){h->W, h->W}; }
/* The old rule; and training data are collected by it. */
static bool waits_at_all(const struct learned *h) { return h->params.observe || h->params.start == START_ALL; }
/* 0 stands for W */
static struct tuple clamped(const struct learned *h, uint32_t N, uint32_t p)
{
    if (N == 0 || N > h->W) N = h->W;
    if (p == 0 || p > N) p = N;
    return (struct tuple){N, p};
}

/* ---- steps ---- */

static void account(struct learned *h, struct step_unit *u, uint64_t now)
{
    const uint64_t cycles = now - u->since;
    IN_FORCE_ADD(&h->stats, u->now, cycles);
    if (u == h->units && !same(u->now, h->first_tuple)) h->others += cycles;
    if (h->state == SAMPLE || h->state == TRY) h->stats.explore_cycles += cycles;
    u->since = now;
}

static void begin_step(struct learned *h, enum state state, uint64_t now)
{
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
    if (now == h->began) h->first_tuple = h->n == 1 ? h->candidates[0].at : (struct tuple){0};
    h->state = state;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        struct step_unit *u = &h->units[i];
        u->group = i % h->n;
        u->now = h->candidates[u->group].at;
        timeline_state(h->timeline, i, now, state_names[state], u->now.N, u->now.p);
    }
    if (state == WAIT) {
        const uint64_t wait = waits_at_all(h) ? h->params.T_wait : h->params.T_start;
        h->sample = now + wait / 2;
        h->close = now + wait;
        return;
    }
    const bool settles = state == TRY || h->is_judging;
    h->sample = now + (settles ? h->params.T_settle : h->params.T_warmup);
    h->close = h->sample + (state == SAMPLE                  ? h->params.T_sample
                            : state == HOLD                  ? h->params.T_monitor
                            : state == RUN && !h->is_judging ? h->params.T_monitor
                                                             : h->params.T_try);
}

static void begin_alone(struct learned *h, enum state state, struct tuple t, uint64_t now)
{
    h->n = 1;
    h->candidates[0] = (struct candidate){.at = t};
    begin_step(h, state, now);
}

static void begin_round(struct learned *h, uint64_t now)
{
    h->n = 0;
    while (h->search.first + h->n < h->tuples.n && h->tuples.round[h->search.first + h->n] == h->search.round) {
        const uint32_t g = h->search.first + h->n;
        h->candidates[h->n++] = (struct candidate){.at = clamped(h, h->tuples.N[g], h->tuples.p[g])};
    }
    begin_step(h, SAMPLE, now);
}

static void begin_sampling(struct learned *h, uint64_t now)
{
    h->search.round = h->search.first = h->search.n_shown = 0;
    h->search.is_settled = h->is_judging = h->search.has_hasty = h->search.has_rival = false;
    h->search.seen = (struct sampling){.W = h->W, .n = h->tuples.n, .base = h->tuples.base};
    h->stats.samplings++;
    begin_round(h, now);
}

/* A sampling after all SMs have run one tuple: what they had of it is a view. */
static void begin_sampling_after(struct learned *h, struct candidate before, uint64_t now)
{
    begin_sampling(h, now);
    h->search.has_hasty = before.rate > 0;
    h->search.hasty = before.log_rate;
    h->search.hasty_at = before.at;
}

static void hold(struct learned *h, struct tuple t, uint64_t now)
{
    h->search.best = t;
    begin_alone(h, HOLD, t, now);
}

/* The fastest group's tuple goes on; all warps, unless it beats them by start_gain. */
static void end_wait(struct learned *h, uint64_t now)
{
    size_t best = 0;
    double base = 0;
    if (waits_at_all(h)) {
        begin_sampling_after(h, h->candidates[0], now);
        return;
    }
    for (size_t g = 0; g < h->n; g++) {
        if (h->candidates[g].rate > h->candidates[best].rate) best = g;
        if (same(h->candidates[g].at, all_warps(h))) base = h->candidates[g].rate;
    }
    const bool is_better = h->candidates[best].rate > base * (1 + h->params.start_gain);
    h->stats.all_faster += !is_better;
    hold(h, is_better ? h->candidates[best].at : all_warps(h), now);
}

/* What is left of the launch, as far as it shows (learned_parts.h). */
static uint64_t cycles_left(const struct learned *h, uint64_t now)
{
    const struct launch_progress p = {.elapsed = now - h->began,
                                      .lasted = h->search.lasted,
                                      .warps = h->warps,
                                      .ended = h->exits,
                                      .resident = h->resident};
    return progress_left(&p);
}

static uint64_t sampling_cycles(const struct learned *h)
{
    return h->tuples.n_rounds * ((uint64_t)h->params.T_warmup + h->params.T_sample);
}

/* A sampling pays where what is left is many times as long. Two warps leave nothing to choose from but (1, 1), and a
 * launch without loads has nothing to show. */
static bool sampling_pays(const struct learned *h, uint64_t left)
{
    return h->has_net && h->W > 2 && (double)left >= h->params.pays * (double)sampling_cycles(h);
}

static void end_hold(struct learned *h, uint64_t now)
{
    const struct candidate held = h->candidates[0];
    const bool loads = feature_In(&h->search.seen.at[0]) <= h->params.I_max;
    if (loads && sampling_pays(h, cycles_left(h, now))) {
        begin_sampling_after(h, held, now);
        return;
    }
    h->sample = now;
    h->close = now + h->params.T_monitor;
}

static void run_at_best(struct learned *h, uint64_t now)
{
    h->expected = 0;
    h->windows = h->low = 0;
    begin_alone(h, RUN, h->search.best, now);
}

/* ---- what a window has shown ---- */

static void measure(struct learned *h)
{
    struct feature_counters *groups = &h->search.seen.at[h->state == SAMPLE ? h->search.first : 0];
    for (uint32_t g = 0; g < h->n; g++) {
        step_sum(h->units, h->n_sms, g, &groups[g]);
        h->candidates[g].rate = step_rate(&groups[g]);
        h->candidates[g].log_rate = log_rate(groups[g].insts, groups[g].cycles);
    }
}

static void record(struct learned *h)
{
    if (h->stats.samplings != h->params.record) return;
    h->stats.recorded++;
#define C(field, doc) \
    h->stats.g0_##field = h->search.seen.at[0].field, h->stats.g1_##field = h->search.seen.at[1].field; \
    h->stats.g2_##field = h->search.seen.at[2].field, h->stats.g3_##field = h->search.seen.at[3].field; \
    h->stats.g4_##field = h->search.seen.at[4].field, h->stats.g5_##field = h->search.seen.at[5].field; \
    h->stats.g6_##field = h->search.seen.at[6].field, h->stats.g7_##field = h->search.seen.at[7].field;
    FEATURE_COUNTERS(C)
#undef C
}

/* ---- decisions ---- */

static struct tuple predicted(struct learned *h)
{
    float x[SAMPLING_FEATURES_MAX];
    sampling_vector(h->features, h->net.n_features, &h->search.seen, x);
    response_net_eval(&h->net, x, h->search.z);
    const struct response_tuple t = response_net_best(&h->net, h->search.z, h->W);
    h->stats.predictions++;
    h->stats.predicted_N += t.N;
    h->stats.predicted_p += t.p;
    return (struct tuple){t.N, t.p};
}

static void end_search(struct learned *h)
{
    if (!h->search.is_first) return;
    h->search.is_first = false;
    h->stats.searches++;
    h->stats.corrected_N += h->search.best.N;
    h->stats.corrected_p += h->search.best.p;
    h->stats.refuted += !same(h->search.best, h->search.prediction);
}

/* What the search would do next in a launch that is taken to last `left` tries. The tuple that it believes to be best is
 * taken over; true: it is another one than before. A hint is doubted by its own uncertainty, and a try has to promise
 * more than a share of that. */
static bool ask_search(struct learned *h, double left, struct response_step *step)
{
    struct search *s = &h->search;
    const struct response_prior prior = {s->is_hinted ? s->doubt : h->params.floor, s->is_hinted ? 0 : h->params.slope,
                                         h->params.reach_N, h->params.reach_p, h->params.noise};
    *step = response_search(&h->net, s->z, h->W, &prior, s->shown, s->n_shown, h->params.horizon * left);
    if (s->is_hinted && !(step->gain > h->params.sure * s->doubt)) step->pays = false;
    const struct tuple best = {s->shown[step->best].at.N, s->shown[step->best].at.p};
    const bool is_other = !same(best, s->best);
    h->stats.moves += is_other;
    s->best = best;
    return is_other;
}

/* A launch is taken to last as long as the kernel's last one; where there was none, long enough. */
static bool fits(const struct learned *h, uint64_t cycles)
{
    return h->search.lasted == 0 || h->search.lasted >= cycles;
}

/* A window of RUN, a try, and the window that judges it. */
static uint64_t try_cycles(const struct learned *h)
{
    return (uint64_t)h->params.T_monitor + 2 * ((uint64_t)h->params.T_settle + h->params.T_try);
}

/* The window of RUN that has just ended has loads, if a hint is there: without them a rate says nothing of a tuple. */
static bool may_try(const struct learned *h)
{
    return h->params.horizon > 0 && h->W > 2 &&
           !(h->search.is_hinted && feature_In(&h->search.seen.at[0]) > h->params.I_max);
}

static void begin_try(struct learned *h, struct tuple t, uint64_t now)
{
    h->stats.tries++;
    begin_alone(h, TRY, t, now);
}

/* A tuple is tried if that pays; otherwise all SMs run the best, or go on with it. What ran before is tried first where
 * it gave way to a hasty view. */
static void go_on(struct learned *h, uint64_t now)
{
    struct search *s = &h->search;
    struct response_step step;
    const struct tuple before = s->best;
    const uint64_t left = waits_at_all(h) ? s->ran + now - h->began : cycles_left(h, now);
    if (ask_search(h, (double)left / (double)(h->params.T_settle + h->params.T_try), &step)) {
        s->has_rival = s->shown[step.best].views == 0;
        s->rival = before;
        run_at_best(h, now);
        return;
    }
    if (may_try(h) && fits(h, try_cycles(h)) && (s->has_rival || step.pays)) {
        begin_try(h, s->has_rival ? s->rival : (struct tuple){step.next.N, step.next.p}, now);
        s->has_rival = false;
        return;
    }
    end_search(h);
    h->sample = now; /* nothing changes: no warm-up */
    h->close = now + h->params.T_monitor;
}

static void decide(struct learned *h, uint64_t now)
{
    h->search.best = h->search.prediction = predicted(h);
    h->search.is_first = true;
    h->stats.baselines += same(h->search.prediction, all_warps(h));
    search_show(&h->search, h->search.best, 0, 1);
    run_at_best(h, now);
}

static void stay_at(struct learned *h, struct tuple t, uint64_t now)
{
    h->search.best = t;
    h->stats.searches++;
    h->stats.corrected_N += t.N;
    h->stats.corrected_p += t.p;
    h->period_end = now + h->params.T_period;
    run_at_best(h, now);
}

static void end_sample(struct learned *h, uint64_t now)
{
    if (h->n == 1 && same(h->candidates[0].at, all_warps(h))) {
        h->search.has_hasty = true;
        h->search.hasty = h->candidates[0].log_rate;
        h->search.hasty_at = all_warps(h);
    }
    h->search.first += h->n;
    if (++h->search.round < h->tuples.n_rounds) {
        begin_round(h, now);
        return;
    }
    record(h);
    if (h->params.observe) {
        stay_at(h, clamped(h, h->params.base_N, h->params.base_p), now);
    } else if (feature_In(&h->search.seen.at[h->tuples.base]) > h->params.I_max) {
        h->stats.early_outs++;
        h->search.is_settled = true;
        stay_at(h, all_warps(h), now);
    } else {
        decide(h, now);
    }
}

static void end_try(struct learned *h, uint64_t now)
{
    if (h->search.tries_next) {
        h->search.tries_next = false;
        run_at_best(h, now);
        return;
    }
    h->tried = h->candidates[0];
    h->is_judging = true;
    begin_alone(h, RUN, h->search.best, now);
}

/* What the window of RUN says about the tuple that was tried before it, and about the wait or the sampling. */
static void judge(struct learned *h, int32_t rate)
{
    struct search *s = &h->search;
    if (h->is_judging)
        search_compare(s, h->tried.at, s->best, h->tried.log_rate - (int32_t)(((int64_t)h->before + rate) / 2));
    if (s->has_hasty && !same(s->best, s->hasty_at))
        search_show(s, s->hasty_at, search_rate(s, s->best) + s->hasty - rate, 0);
    h->is_judging = s->has_hasty = false;
    h->before = rate;
}

static void watch_window(struct learned *h, uint64_t now)
{
    if (h->params.observe && now >= h->period_end) {
        begin_sampling(h, now);
        return;
    }
    h->sample = now;
    h->close = now + h->params.T_monitor;
}

static void end_window(struct learned *h, uint64_t now)
{
    const struct candidate *seen = &h->candidates[0];
    if (h->params.observe || h->search.is_settled) {
        watch_window(h, now);
        return;
    }
    if (h->windows++ == 0) h->expected = seen->rate;
    h->low = seen->rate > 0 && seen->rate < h->expected * (1 - h->params.drop) ? h->low + 1 : 0;
    judge(h, seen->log_rate);
    if (h->low >= h->params.drops) {
        h->stats.drops++;
        h->search.n_shown = h->windows = h->low = 0;
        search_show(&h->search, h->search.best, 0, 1);
    }
    go_on(h, now);
}

static uint64_t learned_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    static void (*const end[])(struct learned *, uint64_t) = {end_wait, end_sample, end_try, end_window, end_hold};
    struct learned *h = self;
    if (now > h->close) { /* the first SM for all: their windows closed a cycle ago */
        measure(h);
        end[h->state](h, now);
    }
    return step_window(&h->units[sm->sm], &sm->counters, h->sample, h->close, now);
}

/* ---- from launch to launch ---- */

static struct kernel_memory *memory_of(struct learned *h) { return (struct kernel_memory *)((char *)h + h->memory_at); }

/* What the launch as a whole has shown decides about the next one. Launches too short for a try between two windows are
 * tries themselves, if that pays over as many launches as there have been. */
static void judge_launch(struct learned *h, uint64_t cycles)
{
    struct search *s = &h->search;
    s->tries_next = false;
    if (h->others > cycles / 4 || h->exits < h->warps || cycles == 0) return;
    search_show_launch(s, &(struct whole_launch){h->first_tuple, h->insts, cycles});
    if (!is_searching(h->state) || s->is_settled) return;
    struct response_step next;
    ask_search(h, (double)s->ran / (double)cycles, &next);
    s->tries_next = next.pays && h->params.horizon > 0 && !fits(h, try_cycles(h));
    s->next = (struct tuple){next.next.N, next.next.p};
}

static void remember(struct learned *h, uint64_t now)
{
    struct search *s = &h->search;
    s->lasted = now - h->began;
    s->ran += s->lasted;
    judge_launch(h, s->lasted);
    s->state = h->state == TRY ? RUN : h->state;
    if (h->hint == HINT_LAUNCH) return; /* the next launch has its own */
    struct kernel_memory *m = memory_of(h);
    *kernel_place(m, h->params.kernels, h->kernel, h->W) = (struct known_kernel){h->kernel, h->W, ++m->launches, *s};
}

/* A launch that is a try as a whole; if it lasts four times as long as the last one, it is none. */
static void try_launch(struct learned *h)
{
    begin_try(h, h->search.next, h->began);
    h->close = h->began + 4 * h->search.last.cycles;
}

/* start=all: launches of a kernel are waits until it has run for long enough. */
static void resume_old(struct learned *h)
{
    struct search *s = &h->search;
    if (s->ran < h->params.T_kernel || !fits(h, h->params.T_warmup + h->params.T_sample))
        begin_alone(h, WAIT, all_warps(h), h->began);
    else if (s->state == SAMPLE) begin_round(h, h->began);
    else begin_sampling(h, h->began);
}

/* A launch of which nothing is known. Tuples that W makes the same are one group. */
static void begin_start(struct learned *h)
{
    if (waits_at_all(h)) {
        if (h->params.T_wait) begin_alone(h, WAIT, all_warps(h), h->began);
        else begin_sampling(h, h->began);
        return;
    }
    h->n = 0;
    for (size_t g = h->params.start == START_CONSTANT ? h->starts.n - 1 : 0; g < h->starts.n && h->n < h->n_sms; g++) {
        const struct tuple t = clamped(h, h->starts.N[g], h->starts.p[g]);
        uint32_t before = 0;
        while (before < h->n && !same(h->candidates[before].at, t)) before++;
        if (before == h->n && (h->W > 2 || same(t, all_warps(h)))) h->candidates[h->n++] = (struct candidate){.at = t};
    }
    if (h->n < 2 || h->params.T_start == 0) hold(h, h->n ? h->candidates[h->n - 1].at : all_warps(h), h->began);
    else begin_step(h, WAIT, h->began);
}

/* The tuple of the hint runs from the first cycle on. */
static void begin_hinted(struct learned *h)
{
    struct search *s = &h->search;
    s->is_first = true;
    s->prediction = s->best;
    h->stats.hinted = 1;
    h->stats.hinted_by_kernel = h->hint == HINT_KERNEL;
    search_show(s, s->best, 0, 1);
    run_at_best(h, h->began);
}

/* Goes on where the kernel's last launch has ended. */
static void learned_resume(void *self)
{
    struct learned *h = self;
    struct search *s = &h->search;
    if (h->params.kernels == 0 || h->params.observe) return;
    const struct known_kernel *k = kernel_place(memory_of(h), h->params.kernels, h->kernel, h->W);
    if (!kernel_is(k, h->kernel, h->W) || h->hint == HINT_LAUNCH) return;
    *s = k->search;
    h->stats = (struct learned_stats){.resumed = 1, .hinted = h->stats.hinted};
    if (s->state == RUN && s->tries_next) try_launch(h);
    else if (s->state == RUN) run_at_best(h, h->began);
    else if (waits_at_all(h)) resume_old(h);
    else if (s->state == SAMPLE && sampling_pays(h, s->lasted)) begin_round(h, h->began);
    else if (s->state == WAIT) begin_start(h);
    else hold(h, s->best, h->began);
}

static size_t learned_carried(const void *params, const struct mech_env *env)
{
    const struct learned_params *p = params;
    (void)env;
    return p->kernels ? sizeof(struct kernel_memory) + p->kernels * sizeof(struct known_kernel) : 0;
}

/* ---- the mechanism ---- */

static int read_model(struct learned *h, struct error *err)
{
    const char *names[SAMPLING_FEATURES_MAX], *path = h->params.model.s;
    struct response_model model;
    if (!path[0] && !h->params.hint.s[0])
        return error_set(err, ERR_USAGE,
                         "learned: model=FILE is needed, e.g. --mech learned,model=models/poise-best.json");
    if (!path[0]) return 0;
    if (response_model_read(&model, path, err) < 0) return -1;
    for (size_t i = 0; i < model.net.n_features; i++) names[i] = model.features[i];
    h->net = model.net;
    h->has_net = true;
    int result = sampling_tuples_parse(&h->tuples, model.sampling, err);
    if (result < 0) error_while(err, "%s: sampling", path);
    else result = sampling_resolve(names, model.net.n_features, h->tuples.n, h->features, path, err);
    response_model_fini(&model);
    return result;
}

static int read_hint(struct learned *h, const struct mech_env *env, struct error *err)
{
    if (!h->params.hint.s[0]) return 0;
    if (!h->has_net) {
        h->net.n_levels = RESPONSE_LEVELS_MAX;
        memcpy(h->net.levels, response_levels, sizeof response_levels);
    }
    return learned_hint(&h->hint, &h->search, &h->net, h->params.hint.s, h->params.admit == ADMIT_GANG, env, err);
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

static int learned_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct learned *h = self;
    h->params = *(const struct learned_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    h->began = env->now;
    h->kernel = env->kernel;
    h->insts = env->warp_insts;
    h->warps = env->warps;
    h->resident = (uint64_t)env->sms * env->schedulers * env->W;
    h->memory_at = env->carried_at;
    if (h->params.observe) {
        if (sampling_tuples_parse(&h->tuples, h->params.sample.s[0] ? h->params.sample.s : "2:2 4:1 / W:1 / W:W", err) <
            0)
            return error_while(err, "learned: sample");
    } else if (read_model(h, err) < 0 || read_hint(h, env, err) < 0) {
        return error_while(err, "learned");
    }
    if (sampling_tuples_parse(&h->starts, h->params.starts.s[0] ? h->params.starts.s : "W:W 4:4 4:1 2:2", err) < 0)
        return error_while(err, "learned: starts");
    if (h->starts.n_rounds != 1) return error_set(err, ERR_USAGE, "learned: starts: one round of tuples, without '/'");
    const size_t groups = largest_round(&h->tuples);
    if (groups > env->sms)
        return error_set(err, ERR_USAGE, "learned: a round of %zu tuples needs as many SMs, this machine has %u",
                         groups, (unsigned)env->sms);
    steps_init(h->units, env, all_warps(h), (enum admit)h->params.admit);
    if (h->hint != HINT_NONE) begin_hinted(h);
    else begin_start(h);
    return 0;
}

static uint64_t learned_may_issue(void *self, const struct warp_set *set)
{
    return step_may_issue(((struct learned *)self)->units, set);
}

static uint64_t learned_may_pollute(void *self, const struct warp_set *set)
{
    return step_may_pollute(((struct learned *)self)->units, set);
}

static void learned_warp_exit(void *self, const struct warp_event *what)
{
    (void)what, __atomic_fetch_add(&((struct learned *)self)->exits, 1, __ATOMIC_RELAXED); /* read in epochs */
}

static void learned_end(void *self, uint64_t now)
{
    struct learned *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
    if (h->params.kernels && !h->params.observe) remember(h, now);
}

static const void *learned_stats_of(const void *self) { return &((const struct learned *)self)->stats; }

const struct mech_type mech_learned = {
    .name = "learned",
    .title = "a learned response surface, sampled by groups of SMs",
    .source = "this project",
    .params = {"learned", learned_rows, COUNT_OF(learned_rows), sizeof(struct learned_params)},
    .stats = {"learned", learned_stat_rows, COUNT_OF(learned_stat_rows), sizeof(struct learned_stats)},
    .ratios = learned_ratios,
    .n_ratios = COUNT_OF(learned_ratios),
    .state_size = sizeof(struct learned),
    .per_sm_size = sizeof(struct step_unit),
    .carried = learned_carried,
    .waits = learned_waits,
    .init = learned_init,
    .resume = learned_resume,
    .end = learned_end,
    .fetch = learned_params_fetch,
    .cost = learned_cost,
    .stats_of = learned_stats_of,
    .epoch = learned_epoch,
    .warp_exit = learned_warp_exit,
    .keeps_sms_apart = true,
    .warp_may_issue = learned_may_issue,
    .warp_may_pollute = learned_may_pollute,
};
