/* The steps of the mechanism `learned` (learned.c): how each begins, what it has shown, what comes next. */
#include "learned.h"

#include <math.h>
#include <string.h>
#include "timeline.h"

static const char *const state_names[] = {"WAIT", "SAMPLE", "TRY", "RUN", "HOLD"};

/* ---- steps ---- */

void learned_account(struct learned *h, struct step_unit *u, uint64_t now)
{
    const uint64_t cycles = now - u->since;
    TUPLE_ADD(&h->stats, u->now, cycles);
    if (u == h->units && !same(u->now, h->first_tuple)) h->others += cycles;
    if (h->state == SAMPLE || h->state == TRY) h->stats.explore_cycles += cycles;
    u->since = now;
}

void learned_begin_step(struct learned *h, enum state state, uint64_t now)
{
    for (uint32_t i = 0; i < h->n_sms; i++) learned_account(h, &h->units[i], now);
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

void learned_begin_alone(struct learned *h, enum state state, struct tuple t, uint64_t now)
{
    h->n = 1;
    h->candidates[0] = (struct candidate){.at = t};
    learned_begin_step(h, state, now);
}

void learned_begin_round(struct learned *h, uint64_t now)
{
    h->n = 0;
    while (h->search.first + h->n < h->tuples.n && h->tuples.round[h->search.first + h->n] == h->search.round) {
        const uint32_t g = h->search.first + h->n;
        h->candidates[h->n++] = (struct candidate){.at = clamped(h, h->tuples.N[g], h->tuples.p[g])};
    }
    learned_begin_step(h, SAMPLE, now);
}

void learned_begin_sampling(struct learned *h, uint64_t now)
{
    h->search.round = h->search.first = h->search.n_shown = 0;
    h->search.is_settled = h->is_judging = h->search.has_hasty = h->search.has_rival = false;
    h->search.seen = (struct sampling){.W = h->W, .n = h->tuples.n, .base = h->tuples.base};
    h->stats.samplings++;
    learned_begin_round(h, now);
}

/* A sampling after all SMs have run one tuple: what they had of it is a view. */
static void begin_sampling_after(struct learned *h, struct candidate before, uint64_t now)
{
    learned_begin_sampling(h, now);
    h->search.has_hasty = before.rate > 0;
    h->search.hasty = before.log_rate;
    h->search.hasty_at = before.at;
}

void learned_hold(struct learned *h, struct tuple t, uint64_t now)
{
    h->search.best = t;
    learned_begin_alone(h, HOLD, t, now);
}

static double hit_rate(const struct feature_counters *c)
{
    return c->l1_accesses ? (double)c->l1_hits / (double)c->l1_accesses : 0;
}

/* A warp has done about as much among fewer warps as among all, and has hit no more often: warps do not stand in each
 * other's way, and nothing shows that a sampling would find a better tuple. */
static bool all_are_wanted(const struct learned *h)
{
    enum { MORE_HITS = 20, MORE_WORK = 4 }; /* a 20th of the accesses, a quarter of the work */
    const struct feature_counters *seen = h->search.seen.at;
    size_t all = 0;
    while (all < h->n && !same(h->candidates[all].at, all_warps(h))) all++;
    if (all == h->n) return false;
    for (size_t g = 0; g < h->n; g++) {
        const double in_proportion = h->candidates[all].rate * h->candidates[g].at.N / h->W,
                     more = fabs(h->candidates[g].rate - in_proportion),
                     hits = hit_rate(&seen[g]) - hit_rate(&seen[all]);
        if (MORE_HITS * hits > 1 || MORE_WORK * more > in_proportion) return false;
    }
    return true;
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
    h->search.shows_nothing = h->n > 1 && all_are_wanted(h);
    h->stats.all_wanted += h->search.shows_nothing;
    learned_hold(h, is_better ? h->candidates[best].at : all_warps(h), now);
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
bool learned_sampling_pays(const struct learned *h, uint64_t left)
{
    const double pays = h->search.shows_nothing ? h->params.pays_blind : h->params.pays;
    return h->has_net && h->W > 2 && (double)left >= pays * (double)sampling_cycles(h);
}

static void end_hold(struct learned *h, uint64_t now)
{
    const struct candidate held = h->candidates[0];
    const bool loads = feature_In(&h->search.seen.at[0]) <= h->params.I_max;
    if (loads && learned_sampling_pays(h, cycles_left(h, now))) {
        begin_sampling_after(h, held, now);
        return;
    }
    h->sample = now;
    h->close = now + h->params.T_monitor;
}

void learned_run_at_best(struct learned *h, uint64_t now)
{
    h->expected = 0;
    h->windows = h->low = 0;
    learned_begin_alone(h, RUN, h->search.best, now);
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

/* What the search would do next in a launch that is taken to last `left` tries. The tuple that it believes to be
 * best is taken over; true: it is another one than before. A hint is doubted by its own uncertainty, and a try has
 * to promise more than a share of that. */
bool learned_ask_search(struct learned *h, double left, struct response_step *step)
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
bool learned_fits(const struct learned *h, uint64_t cycles)
{
    return h->search.lasted == 0 || h->search.lasted >= cycles;
}

/* A window of RUN, a try, and the window that judges it. */
uint64_t learned_try_cycles(const struct learned *h)
{
    return (uint64_t)h->params.T_monitor + 2 * ((uint64_t)h->params.T_settle + h->params.T_try);
}

/* The window of RUN that has just ended has loads, if a hint is there: without them a rate says nothing of a tuple. */
static bool may_try(const struct learned *h)
{
    return h->params.horizon > 0 && h->W > 2 &&
           !(h->search.is_hinted && feature_In(&h->search.seen.at[0]) > h->params.I_max);
}

void learned_begin_try(struct learned *h, struct tuple t, uint64_t now)
{
    h->stats.tries++;
    learned_begin_alone(h, TRY, t, now);
}

/* A tuple is tried if that pays; otherwise all SMs run the best, or go on with it. What ran before is tried first where
 * it gave way to a hasty view. */
static void go_on(struct learned *h, uint64_t now)
{
    struct search *s = &h->search;
    struct response_step step;
    const struct tuple before = s->best;
    const uint64_t left = waits_at_all(h) ? s->ran + now - h->began : cycles_left(h, now);
    if (learned_ask_search(h, (double)left / (double)(h->params.T_settle + h->params.T_try), &step)) {
        s->has_rival = s->shown[step.best].views == 0;
        s->rival = before;
        learned_run_at_best(h, now);
        return;
    }
    if (may_try(h) && learned_fits(h, learned_try_cycles(h)) && (s->has_rival || step.pays)) {
        learned_begin_try(h, s->has_rival ? s->rival : (struct tuple){step.next.N, step.next.p}, now);
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
    learned_run_at_best(h, now);
}

static void stay_at(struct learned *h, struct tuple t, uint64_t now)
{
    h->search.best = t;
    h->stats.searches++;
    h->stats.corrected_N += t.N;
    h->stats.corrected_p += t.p;
    h->period_end = now + h->params.T_period;
    learned_run_at_best(h, now);
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
        learned_begin_round(h, now);
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
        learned_run_at_best(h, now);
        return;
    }
    h->tried = h->candidates[0];
    h->is_judging = true;
    learned_begin_alone(h, RUN, h->search.best, now);
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
        learned_begin_sampling(h, now);
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

void learned_end_step(struct learned *h, uint64_t now)
{
    static void (*const end[])(struct learned *, uint64_t) = {end_wait, end_sample, end_try, end_window, end_hold};
    measure(h);
    end[h->state](h, now);
}
