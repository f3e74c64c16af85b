/* Ladder: the warp tuple found from below by groups of SMs that run different tuples at the same time. Not from a
 * paper: Poise's two dimensions [THESIS §5.3.2], PCAL's voting SMs and its eye on shared resources [THESIS §5.3.3],
 * and no profile.
 *
 *   WAIT      all SMs at (1,1) while hardly a load hits and memory is busy: caches are cold, nothing can be compared
 *   CLIMB     half of the SMs at a rung N = p, half at the next one; up as long as the upper half wins; if it does not
 *             win at a first rung above 1, down as long as the lower half does
 *   REFINE    `voters` SMs at each neighbour of the best tuple, the others at the best
 *   DUEL      the neighbour that won against the best, half of the SMs each; then REFINE around the winner, at half the
 *             stride after a loss
 *   RUN       all SMs at the best. After two windows it must have kept what the best tuple before it gave, or that one
 *             comes back and this one is not tried again. A drop of IPC starts again with CLIMB, the period's end with
 *             REFINE; each period is twice as long as the one before, up to T_period.
 *
 * A launch starts with few warps: at a few warps a scheduler a kernel that wants many loses little in a few thousand
 * cycles, while many warps at a kernel that wants few fill the memory with misses that all SMs then wait for, and no
 * SM's measurement says anything. For the same reason an SM is flattered where its own tuple is greedier than those of
 * the other SMs. Three corrections:
 *   - a tuple that misses more an instruction than the best must win by `price` times the share of its misses that
 *     is new;
 *   - if all SMs at it would fill L2's ports or the reply network beyond `full`, its rate is cut to what would fit;
 *   - where they are full already, throughput goes by misses an instruction: the neighbours are compared as if they
 *     were alone.
 *
 * Every step is T_warmup cycles and a window. Rates are instructions a cycle of the SMs that issued any. */
#include <string.h>
#include "poise/sys/hooks.h"
#include "current_tuple.h"
#include "steps.h"
#include "timeline.h"

#define LADDER_PARAMS(P) \
    P(U32, T_warmup, 1000, 0, 10000000, "cycles", "training benchmark", \
      "cycles after a change of tuple before sampling") \
    P(U32, T_sample, 2000, 1, 10000000, "cycles", "training benchmark", \
      "sampling duration of a step of the first search") \
    P(U32, later, 2, 1, 100, "windows", "training benchmark", "T_sample is so many times as long in later searches") \
    P(U32, T_monitor, 5000, 1, 100000000, "cycles", "training benchmark", "window in which IPC is watched") \
    P(U32, T_first, 10000, 1000, 100000000, "cycles", "training benchmark", \
      "length of the first period; each further one is twice as long") \
    P(U32, T_period, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", "longest period") \
    P(U32, voters, 2, 1, 64, "SMs", "training benchmark", "SMs that measure a neighbour") \
    P(U32, steps, 6, 0, 64, "steps", "training benchmark", "refinements of a search at most; 0 = none") \
    P(F64, gain, 0.03, 0, 1, "fraction", "training benchmark", "IPC that a tuple must have more to win") \
    P(F64, price, 0.2, 0, 10, "fraction", "training benchmark", \
      "and more, times the share of its misses an instruction that is new") \
    P(F64, full, 0.93, 0, 100, "fraction", "training benchmark", \
      "utilisation at which L2's ports or the reply network count as full; 100 = never") \
    P(F64, slack, 0.03, 0, 1, "fraction", "training benchmark", \
      "IPC that a new best may lose against the one before; 1 = never goes back") \
    P(F64, cold, 0.1, 0, 1, "fraction", "training benchmark", \
      "hit rate below which caches count as cold; 0 = no waiting") \
    P(U32, patience, 8, 0, 1000, "windows", "training benchmark", "windows of waiting at most") \
    P(U32, first, 2, 1, 64, "warps", "training benchmark", "first rung") \
    P(F64, linear, 1.7, 1, 100, "ratio", "training benchmark", \
      "speedup of a rung after which the next is twice, not 1.5 times, as high") \
    P(F64, drop, 0.3, 0, 1, "fraction", "PCAL's, assumed", \
      "loss of the fastest SM's IPC that begins another search; 1 = never") \
    P(F64, I_max, 49, 0, 1e12, "instructions", "THESIS Tab. 5.5", \
      "compute instructions per load above which SMs stay at (W,W)") \
    ADMIT_PARAM(P) \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(ladder_params, LADDER_PARAMS);
#define ROW(...) PARAM_ROW_OF(ladder_params, __VA_ARGS__)
static const struct param_row ladder_rows[] = {LADDER_PARAMS(ROW)};
#undef ROW
FETCH_OF(ladder_params)

#define LADDER_STATS(S) \
    TUPLE_STATS(S) \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent searching") \
    S(STAT_SUM, waits, "windows", "windows of waiting for warm caches") \
    S(STAT_SUM, rungs, "steps", "pairs of rungs compared") \
    S(STAT_SUM, refinements, "steps", "steps in which neighbours were compared") \
    S(STAT_SUM, duels, "steps", "neighbours that won there and were measured by half of the SMs") \
    S(STAT_SUM, moves, "moves", "of these, neighbours that won again") \
    S(STAT_SUM, relieved, "moves", "moves to fewer misses because shared resources were full") \
    S(STAT_SUM, returns, "moves", "returns to the tuple before, which had done better") \
    S(STAT_SUM, searches, "searches", "searches that came to an end") \
    S(STAT_SUM, corrected_N, "warps", "N after the search, summed") \
    S(STAT_SUM, corrected_p, "warps", "p after the search, summed") \
    S(STAT_SUM, drops, "drops", "searches begun by a drop of IPC") \
    S(STAT_SUM, early_outs, "searches", "searches left at (W,W) because I_n exceeded I_max")
STAT_STRUCT(ladder_stats, LADDER_STATS);
#define ROW(...) STAT_ROW_OF(ladder_stats, __VA_ARGS__)
static const struct stat_row ladder_stat_rows[] = {LADDER_STATS(ROW)};
#undef ROW
static const struct ratio_row ladder_ratios[] = {
    TUPLE_RATIOS(ladder_stats),
    RATIO_ROW_OF(ladder_stats, mean_corrected_N, corrected_N, searches, "N after the search, mean"),
    RATIO_ROW_OF(ladder_stats, mean_corrected_p, corrected_p, searches, "p after the search, mean")};

enum state { WAIT, CLIMB, REFINE, DUEL, RUN };
static const char *const state_names[] = {"WAIT", "CLIMB", "REFINE", "DUEL", "RUN"};
enum { CANDIDATES_MAX = 8, BARRED_MAX = 4, CHECK_WINDOWS = 2 };
/* What the SMs at a tuple did in a window. `need`: L1 misses an instruction; `score`: the corrected rate that is
 * compared. */
struct candidate {
    struct tuple at;
    double rate, need, score;
};
struct known {
    struct tuple at;
    double rate;
}; /* N = 0: none */
/* A step begins, samples from `sample` to `close`; at close + 1 the first SM decides for all. */
struct ladder {
    struct ladder_stats stats;
    struct ladder_params params;
    struct gpu_timeline *timeline;
    enum state state;
    uint32_t W, n_sms;
    uint64_t sample, close, period, period_end;
    struct candidate candidates[CANDIDATES_MAX]; /* the first is the best so far, or the lower rung */
    uint32_t n, turn;                            /* turn: which SMs vote is shifted from step to step */
    struct tuple best;
    /* of the last window */
    struct gauges gauges;
    double shared, memory, hit_rate, In; /* utilisation of L2 ports and reply network; of DRAM too */
    uint64_t fastest;                    /* instructions of the SM that issued most */
    /* of the search */
    uint32_t rung, start, waited, stride, steps_left; /* start: the rung at which the climb began */
    bool is_linear, is_descent;
    struct known below; /* the rung below and its rate beside the present one */
    struct known last;  /* the best before the last move, and its rate then */
    struct known top;   /* the best rate that the greater part of the SMs has shown, and where */
    /* of RUN */
    struct known other; /* what the current tuple must keep up with */
    struct tuple barred[BARRED_MAX];
    uint32_t n_barred, windows;
    uint64_t expected;        /* `fastest` of the first window */
    double run_rate;          /* mean over windows */
    struct step_unit units[]; /* one an SM */
};

/* ---- candidates ---- */

static void add(struct ladder *h, int64_t N, int64_t p)
{
    if (p > N) p = N;
    if (p < 1 || N > (int64_t)h->W || h->n == CANDIDATES_MAX) return;
    const struct tuple t = {(uint32_t)N, (uint32_t)p};
    for (uint32_t i = 0; i < h->n; i++)
        if (same(h->candidates[i].at, t)) return;
    h->candidates[h->n++] = (struct candidate){.at = t};
}

/* Half and half in CLIMB and DUEL, a few voters a neighbour in REFINE; if those were more than half, SMs are dealt
 * out evenly. */
static uint32_t candidate_of(const struct ladder *h, uint32_t sm)
{
    const uint32_t voters = (h->n - 1) * h->params.voters, at = (sm + h->n_sms - h->turn % h->n_sms) % h->n_sms;
    if (h->state == RUN || h->n == 1) return 0;
    if (h->state != REFINE) return sm % h->n;
    if (2 * voters > h->n_sms) return at % h->n;
    return at < voters ? 1 + at % (h->n - 1) : 0;
}

static void bar(struct ladder *h, struct tuple t) { h->barred[h->n_barred++ % BARRED_MAX] = t; }

static bool is_barred(const struct ladder *h, struct tuple t)
{
    for (uint32_t i = 0; i < BARRED_MAX; i++)
        if (same(h->barred[i], t)) return true;
    return false;
}

/* ---- steps ---- */

static void account(struct ladder *h, struct step_unit *u, uint64_t now)
{
    const uint64_t cycles = now - u->since;
    TUPLE_ADD(&h->stats, u->now, cycles);
    if (h->state != RUN) h->stats.explore_cycles += cycles;
    u->since = now;
}

static void begin_step(struct ladder *h, enum state state, uint64_t now)
{
    const uint64_t sample = (uint64_t)h->params.T_sample * (h->stats.searches ? h->params.later : 1);
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
    h->state = state;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        struct step_unit *u = &h->units[i];
        u->group = candidate_of(h, i);
        u->now = h->candidates[u->group].at;
        timeline_state(h->timeline, i, now, state_names[state], u->now.N, u->now.p);
    }
    h->sample = now + h->params.T_warmup;
    h->close = h->sample + (state == RUN ? h->params.T_monitor : sample);
}

static void begin_alone(struct ladder *h, enum state state, struct tuple t, uint64_t now)
{
    h->n = 0;
    add(h, t.N, t.p);
    begin_step(h, state, now);
}

static void climb(struct ladder *h, uint64_t now)
{
    const uint32_t next =
        h->is_linear || h->is_descent || h->rung == h->start ? 2 * h->rung : h->rung + (h->rung + 1) / 2;
    h->n = 0;
    add(h, h->rung, h->rung);
    add(h, next < h->W ? next : h->W, h->W);
    h->stats.rungs++;
    begin_step(h, CLIMB, now);
}

static void begin_search(struct ladder *h, uint64_t now)
{
    h->steps_left = h->params.steps;
    h->rung = h->start = h->params.first < h->W ? h->params.first : h->W;
    h->waited = 0;
    h->is_linear = h->is_descent = false;
    h->below = h->last = h->top = h->other = (struct known){0};
    h->n_barred = 0;
    memset(h->barred, 0, sizeof h->barred);
    climb(h, now);
}

static void run_at_best(struct ladder *h, uint64_t now)
{
    h->expected = 0;
    h->windows = 0;
    h->run_rate = 0;
    begin_alone(h, RUN, h->best, now);
}

static void settle(struct ladder *h, uint64_t now)
{
    h->stats.searches++;
    h->stats.corrected_N += h->best.N;
    h->stats.corrected_p += h->best.p;
    h->period_end = now + h->period;
    h->period = 2 * h->period < h->params.T_period ? 2 * h->period : h->params.T_period;
    h->other = h->top.at.N && !same(h->top.at, h->best) ? h->top : (struct known){0};
    run_at_best(h, now);
}

static void refine(struct ladder *h, uint64_t now)
{
    const int64_t s = h->stride, N = h->best.N, p = h->best.p;
    if (h->stride == 0 || h->steps_left == 0) {
        settle(h, now);
        return;
    }
    h->steps_left--;
    h->n = 0;
    add(h, N, p);
    add(h, N + s, p + s);
    add(h, N > s ? N - s : 1, p);
    add(h, N, p - s);
    add(h, N + s, p);
    if (p < N) add(h, N, p + s);
    if (p < N && N > s) add(h, N - s, p - s);
    h->turn += 2 * h->params.voters + 1;
    h->stats.refinements++;
    begin_step(h, REFINE, now);
}

/* `top` is what RUN has shown of the best, if it has been seen for long enough. */
static void begin_refine(struct ladder *h, uint64_t now)
{
    h->steps_left = h->params.steps;
    h->stride = h->best.N >= 4 ? h->best.N / 4 : 1;
    h->top = h->state == RUN && h->windows >= CHECK_WINDOWS ? (struct known){h->best, h->run_rate} : (struct known){0};
    refine(h, now);
}

/* ---- what a window has shown ---- */

static void read_gauges(struct ladder *h, const struct sm_view *view)
{
    struct gauges now;
    double busy[N_GAUGES];
    view->gauges(view->machine, &now);
    for (int i = 0; i < N_GAUGES; i++) {
        const uint64_t total = now.total[i] - h->gauges.total[i];
        busy[i] = total ? (double)(now.busy[i] - h->gauges.busy[i]) / (double)total : 0;
    }
    h->shared = busy[GAUGE_L2_PORT] > busy[GAUGE_REPLY_XBAR] ? busy[GAUGE_L2_PORT] : busy[GAUGE_REPLY_XBAR];
    h->memory = busy[GAUGE_DRAM_BUS] > h->shared ? busy[GAUGE_DRAM_BUS] : h->shared;
    h->gauges = now;
}

static void correct(const struct ladder *h, double traffic, struct candidate *c)
{
    const double need = h->candidates[0].need, all = traffic > 0 ? h->shared * c->rate * c->need / traffic : 0;
    if (need <= 0 || c->need <= 0) return;
    if (h->state == REFINE && h->shared >= h->params.full) c->score *= need / c->need;
    else if (c->need > need) {
        c->score /= 1 + h->params.price * (1 - need / c->need);
        if (all > h->params.full) c->score *= h->params.full / all;
    }
}

static void measure(struct ladder *h)
{
    struct feature_counters gpu = {0};
    h->fastest = 0;
    for (uint32_t i = 0; i < h->n_sms; i++)
        if (h->units[i].window.insts > h->fastest) h->fastest = h->units[i].window.insts;
    for (uint32_t k = 0; k < h->n; k++) {
        struct feature_counters sum;
        step_sum(h->units, h->n_sms, k, &sum);
#define C(field, doc) gpu.field += sum.field;
        FEATURE_COUNTERS(C)
#undef C
        struct candidate *c = &h->candidates[k];
        c->rate = c->score = step_rate(&sum);
        c->need = sum.insts ? (double)(sum.l1_accesses - sum.l1_hits) / (double)sum.insts : 0;
    }
    h->hit_rate = gpu.l1_accesses ? (double)gpu.l1_hits / (double)gpu.l1_accesses : 1;
    h->In = feature_In(&gpu);
    for (uint32_t k = 1; k < h->n; k++)
        correct(h, gpu.cycles ? (double)(gpu.l1_accesses - gpu.l1_hits) / (double)gpu.cycles : 0, &h->candidates[k]);
}

/* ---- decisions ---- */

static bool wins(const struct ladder *h, uint32_t k)
{
    return h->candidates[k].score > h->candidates[0].rate * (1 + h->params.gain);
}

/* Where memory is busy as well, caches are cold or thrashed, and neither is better with more warps. */
static void wait_for_warmth(struct ladder *h, uint64_t now)
{
    h->stats.waits++;
    if (h->memory >= 0.9) h->rung = h->start = 1;
    begin_alone(h, WAIT, (struct tuple){h->rung, h->rung}, now);
}

static void end_wait(struct ladder *h, uint64_t now)
{
    if (h->hit_rate < h->params.cold && h->memory >= 0.9 && h->waited++ < h->params.patience) {
        wait_for_warmth(h, now);
        return;
    }
    h->waited = h->params.patience;
    climb(h, now);
}

static void end_climb(struct ladder *h, uint64_t now)
{
    const struct candidate *low = &h->candidates[0], *high = &h->candidates[1];
    const bool is_full = h->shared >= h->params.full, is_up = h->n > 1 && !is_full && wins(h, 1);
    if (h->In > h->params.I_max) {
        h->stats.early_outs++;
        h->best = (struct tuple){h->W, h->W};
        settle(h, now);
    } else if (!h->is_descent && h->rung == h->start && h->hit_rate < h->params.cold &&
               h->waited < h->params.patience) {
        h->waited++;
        wait_for_warmth(h, now);
    } else if (h->is_descent && is_up) {
        h->best = high->at;
        begin_refine(h, now);
    } else if (h->rung > 1 && !is_up && (h->is_descent || h->rung == h->start)) {
        h->is_descent = true;
        h->rung /= 2;
        climb(h, now);
    } else if (is_up && high->score > h->below.rate) {
        h->below = (struct known){low->at, low->rate};
        h->rung = high->at.N;
        h->is_linear = high->rate > h->params.linear * low->rate;
        climb(h, now);
    } else {
        h->best = is_full && h->below.at.N ? h->below.at : low->at;
        h->last = is_full ? (struct known){0} : h->below;
        begin_refine(h, now);
    }
}

static void end_refine(struct ladder *h, uint64_t now)
{
    struct candidate *c = h->candidates;
    uint32_t most = 0;
    if (c[0].rate > h->top.rate) h->top = (struct known){h->best, c[0].rate};
    if (h->last.at.N && c[0].rate < h->last.rate) { /* the last move has brought nothing */
        h->best = h->last.at;
        h->last.at.N = 0;
        settle(h, now);
        return;
    }
    h->last.at.N = 0;
    for (uint32_t k = 1; k < h->n; k++)
        if (wins(h, k) && c[k].score > c[most].score && !is_barred(h, c[k].at)) most = k;
    if (most && h->shared >= h->params.full && c[most].need < c[0].need) {
        h->stats.relieved++;
        h->top = (struct known){h->best, c[0].rate};
        h->best = c[most].at;
        settle(h, now);
    } else if (most) {
        h->stats.duels++;
        c[1] = c[most];
        h->n = 2;
        begin_step(h, DUEL, now);
    } else {
        h->stride /= 2;
        refine(h, now);
    }
}

static void end_duel(struct ladder *h, uint64_t now)
{
    if (wins(h, 1)) {
        h->stats.moves++;
        h->last = (struct known){h->best, h->top.rate};
        if (!same(h->top.at, h->best)) h->last.rate = h->candidates[0].rate;
        h->best = h->candidates[1].at;
    } else {
        h->stride /= 2;
    }
    refine(h, now);
}

/* The current tuple against the one before it: true if that one comes back. */
static bool has_to_return(struct ladder *h)
{
    const struct known now = {h->best, h->run_rate};
    if (h->windows != CHECK_WINDOWS || !h->other.at.N) return false;
    if (h->run_rate < h->other.rate * (1 - h->params.slack)) {
        h->stats.returns++;
        bar(h, h->best);
        h->best = h->other.at;
        h->other = now;
        return true;
    }
    bar(h, h->other.at);
    h->other.at.N = 0;
    return false;
}

static void end_window(struct ladder *h, uint64_t now)
{
    if (h->fastest && (double)h->fastest < (double)h->expected * (1 - h->params.drop)) {
        h->stats.drops++;
        begin_search(h, now);
        return;
    }
    h->run_rate = (h->run_rate * h->windows + h->candidates[0].rate) / (h->windows + 1);
    h->windows++;
    if (!h->expected) h->expected = h->fastest;
    if (has_to_return(h)) {
        run_at_best(h, now);
    } else if (now < h->period_end || h->In > h->params.I_max) {
        h->sample = now; /* nothing changed: no warm-up */
        h->close = now + h->params.T_monitor;
    } else if (h->hit_rate < h->params.cold && h->memory >= 0.9 && h->best.N > 1) {
        begin_search(h, now); /* it thrashes, and neighbours would too */
    } else {
        begin_refine(h, now);
    }
}

static uint64_t ladder_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    static void (*const end[])(struct ladder *, uint64_t) = {end_wait, end_climb, end_refine, end_duel, end_window};
    struct ladder *h = self;
    if (now > h->close) { /* the first SM for all: their windows closed a cycle ago */
        read_gauges(h, sm);
        measure(h);
        end[h->state](h, now);
    }
    return step_window(&h->units[sm->sm], &sm->counters, h->sample, h->close, now);
}

/* ---- the mechanism ---- */

static int ladder_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct ladder *h = self;
    (void)err;
    h->params = *(const struct ladder_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    for (uint32_t i = 0; i < env->sms; i++) admission_init(&h->units[i].admission, (enum admit)h->params.admit, env->W);
    h->period = h->params.T_first < h->params.T_period ? h->params.T_first : h->params.T_period;
    begin_search(h, 0);
    return 0;
}

static uint64_t ladder_may_issue(void *self, const struct warp_set *set)
{
    return step_may_issue(((struct ladder *)self)->units, set);
}

static uint64_t ladder_may_pollute(void *self, const struct warp_set *set)
{
    return step_may_pollute(((struct ladder *)self)->units, set);
}

static void ladder_end(void *self, uint64_t now)
{
    struct ladder *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
}

static const void *ladder_stats_of(const void *self) { return &((const struct ladder *)self)->stats; }

/* Counters of a window are as wide as Poise's [THESIS §5.7.9]; sums over SMs need 6 bits more; rates and needs are
 * kept in 16 bits, a tuple in 10, a candidate's number in 3. The pollute bit a warp is not counted, as there. */
static size_t ladder_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    (void)env;
    enum { TUPLE = 10, RATE = 16, COUNTER = FEATURE_COUNTER_BITS, SUM = COUNTER + 6 };
    size_t n = 0;
    out[n++] =
        (struct mech_cost){"instructions, loads, L1 accesses and hits of a window", 4 * COUNTER, 0, STORAGE_REGISTER};
    out[n++] = (struct mech_cost){"current tuple and the candidate it is", TUPLE + 3, 0, STORAGE_REGISTER};
    out[n++] = (struct mech_cost){"sums over the SMs of a candidate and over all", 0, 8 * SUM, STORAGE_REGISTER};
    out[n++] =
        (struct mech_cost){"8 candidates: tuple, rate, need", 0, CANDIDATES_MAX * (TUPLE + 2 * RATE), STORAGE_REGISTER};
    out[n++] = (struct mech_cost){"four tuples with their rates, one without", 0, 4 * (TUPLE + RATE) + TUPLE,
                                  STORAGE_REGISTER};
    out[n++] = (struct mech_cost){"barred tuples", 0, BARRED_MAX * TUPLE + 2, STORAGE_REGISTER};
    out[n++] =
        (struct mech_cost){"busy cycles of L2 ports, reply network and DRAM buses", 0, 3 * COUNTER, STORAGE_REGISTER};
    out[n++] = (struct mech_cost){"cycle of the step's sample and end, of the period's end, its length", 0, 4 * COUNTER,
                                  STORAGE_REGISTER};
    out[n++] = (struct mech_cost){
        "state, stride, rung, rung of the start, shift of the voters, small counters, mean and first window of RUN", 0,
        4 + 5 * 6 + 4 * 4 + RATE + COUNTER, STORAGE_REGISTER};
    return n;
}

static size_t ladder_waits(const void *params, struct mech_wait *out)
{
    const struct ladder_params *p = params;
    out[0] = (struct mech_wait){"T_warmup + T_sample", (uint64_t)p->T_warmup + p->T_sample, WAIT_CYCLES};
    out[1] = (struct mech_wait){"T_monitor", p->T_monitor, WAIT_CYCLES};
    out[2] = (struct mech_wait){"T_first", p->T_first, WAIT_CYCLES};
    out[3] = (struct mech_wait){"T_period", p->T_period, WAIT_CYCLES};
    return 4;
}

const struct mech_type mech_ladder = {
    .name = "ladder",
    .title = "rungs of warp tuples climbed by groups of SMs, then neighbours",
    .source = "this project",
    .params = {"ladder", ladder_rows, COUNT_OF(ladder_rows), sizeof(struct ladder_params)},
    .stats = {"ladder", ladder_stat_rows, COUNT_OF(ladder_stat_rows), sizeof(struct ladder_stats)},
    .ratios = ladder_ratios,
    .n_ratios = COUNT_OF(ladder_ratios),
    .state_size = sizeof(struct ladder),
    .per_sm_size = sizeof(struct step_unit),
    .waits = ladder_waits,
    .init = ladder_init,
    .end = ladder_end,
    .fetch = ladder_params_fetch,
    .cost = ladder_cost,
    .stats_of = ladder_stats_of,
    .epoch = ladder_epoch,
    .keeps_sms_apart = true,
    .warp_may_issue = ladder_may_issue,
    .warp_may_pollute = ladder_may_pollute,
};
