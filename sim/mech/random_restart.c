/* Random-restart search: hill climbing over warp tuples from random points, a rival without any model.
 * [MECHANISMS 'Poise and its rivals']
 *
 *   RESTART (random tuple) --> CLIMB: a random neighbour --better--> CLIMB from there
 *        ^                                               --none is--> the climb has ended
 *        +---------------------------------------------------------------+
 *                                                                        +--after the last climb--> RUN
 *
 * RUN is at the best tuple seen, until the period ends.
 *
 * Restarts are the textbook's answer to a search that local optima trap [THESIS §5.3.3], and the sampling that they
 * cost is what a prediction saves. Each SM searches for itself with the windows of Poise's correction, so that the
 * two differ in where they start.
 *
 * The thesis has no such rival and gives no figures; what we chose (all `assumed`): tuples are uniform over the
 * triangle 1 <= p <= N <= W; neighbours are one stride away along N or along p, tried in random order, the first
 * that is better is taken; a measurement is the SM's IPC over T_sample after T_warmup, and is not repeated; at most
 * `restarts` climbs and `budget` of the period are spent; ties stay; every SM has its own random numbers
 * (xorshift64*), from the seed and its index, so runs repeat. Cost an SM: two 32-bit counters, the best and the
 * present tuple and its IPC, 64 bits of random state, a cycle counter: 240 bits, and monitor and pollute bits as
 * Poise's. */
#include "poise/sys/admission.h"
#include "current_tuple.h"
#include "timeline.h"

#define RANDOM_RESTART_PARAMS(P) \
    P(U32, T_period, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", "the search starts again so often") \
    P(U32, T_warmup, 2000, 0, 10000000, "cycles", "THESIS Tab. 5.5", "cycles after a change of tuple before sampling") \
    P(U32, T_sample, 4000, 1, 10000000, "cycles", "THESIS Tab. 5.5", \
      "sampling duration, as a correction step of Poise") \
    P(U32, restarts, 4, 1, 1000, "climbs", "assumed", "climbs of a period, each from a random tuple") \
    P(F64, budget, 0.5, 0, 1, "fraction", "assumed", "of a period that may go into the search") \
    P(U32, stride, 2, 1, 64, "warps", "THESIS Tab. 5.5", \
      "distance of neighbours along N and p; Poise's first stride of N") \
    P(U32, seed, 1, 0, 4294967295, "seed", "assumed", "of the random numbers") \
    ADMIT_PARAM(P) \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(random_restart_params, RANDOM_RESTART_PARAMS);
#define ROW(...) PARAM_ROW_OF(random_restart_params, __VA_ARGS__)
static const struct param_row random_restart_rows[] = {RANDOM_RESTART_PARAMS(ROW)};
#undef ROW
FETCH_OF(random_restart_params)

#define RANDOM_RESTART_STATS(S) \
    TUPLE_STATS(S) \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent searching") \
    S(STAT_SUM, climbs, "climbs", "climbs begun") \
    S(STAT_SUM, tops, "climbs", "of these, climbs that came to a local optimum") \
    S(STAT_SUM, tries, "samples", "tuples measured") \
    S(STAT_SUM, moves, "moves", "steps to a better neighbour") \
    S(STAT_SUM, settles, "searches", "searches that came to an end") \
    S(STAT_SUM, settled_N, "warps", "N they ended at, summed") \
    S(STAT_SUM, settled_p, "warps", "p they ended at, summed")
STAT_STRUCT(random_restart_stats, RANDOM_RESTART_STATS);
#define ROW(...) STAT_ROW_OF(random_restart_stats, __VA_ARGS__)
static const struct stat_row random_restart_stat_rows[] = {RANDOM_RESTART_STATS(ROW)};
#undef ROW
static const struct ratio_row random_restart_ratios[] = {
    TUPLE_RATIOS(random_restart_stats),
    RATIO_ROW_OF(random_restart_stats, mean_settled_N, settled_N, settles, "N at the end of a search, mean"),
    RATIO_ROW_OF(random_restart_stats, mean_settled_p, settled_p, settles, "p at the end of a search, mean")};

enum state { RESTART, CLIMB, RUN };
static const char *const state_names[] = {"RESTART", "CLIMB", "RUN"};
enum { N_SIDES = 4 }; /* N up, N down, p up, p down */
/* One SM's search. */
struct search {
    enum state state;
    struct tuple now, at, best; /* the current one; where the climb has come to; the best of the period */
    double at_ipc, best_ipc;
    struct admission admission;
    uint64_t since;                /* `now` has been current since */
    uint64_t period_end, last_try; /* no measurement begins after last_try */
    uint64_t random, insts;        /* insts: at the start of the sample */
    uint32_t climbs_left;
    uint8_t untried; /* sides of `at` */
    bool is_sampling;
};
struct random_restart {
    struct random_restart_stats stats;
    struct random_restart_params params;
    struct gpu_timeline *timeline;
    uint32_t W, n_sms;
    struct search searches[]; /* one an SM */
};

/* ---- random numbers ---- */

static uint32_t draw(struct search *s, uint32_t n) /* 0 .. n - 1 */
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return (uint32_t)((s->random * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

/* Never 0, and unlike for neighbouring SMs and seeds. */
static uint64_t random_start(uint32_t seed, uint32_t sm)
{
    uint64_t z = ((uint64_t)seed << 32 | sm) + 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) | 1;
}

static struct tuple random_tuple(const struct random_restart *h, struct search *s)
{
    uint32_t k = draw(s, h->W * (h->W + 1) / 2), N = 1;
    while (k >= N) k -= N++;
    return (struct tuple){N, k + 1};
}

/* ---- steps ---- */

static void account(struct random_restart *h, struct search *s, uint64_t now)
{
    const uint64_t cycles = now - s->since;
    TUPLE_ADD(&h->stats, s->now, cycles);
    if (s->state != RUN) h->stats.explore_cycles += cycles;
    s->since = now;
}

static void enter(struct random_restart *h, struct search *s, enum state state, struct tuple tuple, uint64_t now)
{
    account(h, s, now);
    s->state = state;
    s->now = tuple;
    s->is_sampling = false;
    timeline_state(h->timeline, (uint32_t)(s - h->searches), now, state_names[state], tuple.N, tuple.p);
}

static uint64_t measure(struct random_restart *h, struct search *s, enum state state, struct tuple tuple, uint64_t now)
{
    h->stats.tries++;
    enter(h, s, state, tuple, now);
    return now + h->params.T_warmup;
}

static uint64_t settle(struct random_restart *h, struct search *s, uint64_t now)
{
    h->stats.settles++;
    h->stats.settled_N += s->best.N;
    h->stats.settled_p += s->best.p;
    enter(h, s, RUN, s->best, now);
    return s->period_end;
}

static uint64_t restart(struct random_restart *h, struct search *s, uint64_t now)
{
    s->climbs_left--;
    s->at_ipc = -1;
    h->stats.climbs++;
    return measure(h, s, RESTART, random_tuple(h, s), now);
}

static bool neighbour(const struct random_restart *h, const struct search *s, uint32_t side, struct tuple *out)
{
    const int64_t step = (side & 1) ? -(int64_t)h->params.stride : (int64_t)h->params.stride;
    const int64_t N = s->at.N + (side < 2 ? step : 0), p = s->at.p + (side < 2 ? 0 : step);
    if (p < 1 || p > N || N > (int64_t)h->W) return false;
    *out = (struct tuple){(uint32_t)N, (uint32_t)p};
    return true;
}

/* The next tuple to measure, or the end of the search. */
static uint64_t next(struct random_restart *h, struct search *s, uint64_t now)
{
    if (now > s->last_try) return settle(h, s, now);
    while (s->untried) {
        struct tuple tuple;
        uint32_t k = draw(s, (uint32_t)__builtin_popcount(s->untried)), side = 0;
        for (;; side++)
            if (s->untried >> side & 1 && k-- == 0) break;
        s->untried &= (uint8_t) ~(1u << side);
        if (neighbour(h, s, side, &tuple)) return measure(h, s, CLIMB, tuple, now);
    }
    h->stats.tops++;
    return s->climbs_left ? restart(h, s, now) : settle(h, s, now);
}

static uint64_t end_sample(struct random_restart *h, struct search *s, uint64_t insts, uint64_t now)
{
    const double ipc = (double)(insts - s->insts) / h->params.T_sample;
    if (ipc > s->best_ipc) {
        s->best_ipc = ipc;
        s->best = s->now;
    }
    if (ipc > s->at_ipc) {
        h->stats.moves += s->state == CLIMB;
        s->at_ipc = ipc;
        s->at = s->now;
        s->untried = (1u << N_SIDES) - 1;
    }
    return next(h, s, now);
}

static uint64_t begin_period(struct random_restart *h, struct search *s, uint64_t now)
{
    const uint64_t spent = (uint64_t)(h->params.budget * h->params.T_period),
                   one = (uint64_t)h->params.T_warmup + h->params.T_sample;
    s->period_end = now + h->params.T_period;
    s->last_try = now + (spent > one ? spent - one : 0);
    s->best_ipc = -1;
    s->climbs_left = h->params.restarts;
    return restart(h, s, now);
}

static uint64_t random_restart_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct random_restart *h = self;
    struct search *s = &h->searches[sm->sm];
    if (now >= s->period_end) return begin_period(h, s, now);
    if (s->state == RUN) return s->period_end;
    if (s->is_sampling) return end_sample(h, s, sm->counters.insts, now);
    s->is_sampling = true;
    s->insts = sm->counters.insts;
    return now + h->params.T_sample;
}

/* ---- the mechanism ---- */

static int random_restart_check(const void *params, struct error *err)
{
    const struct random_restart_params *p = params;
    if ((uint64_t)p->T_warmup + p->T_sample <= p->T_period) return 0;
    return error_set(err, ERR_INPUT,
                     "random_restart: one measurement (T_warmup + T_sample) takes longer than a period of %u cycles",
                     p->T_period);
}

static int random_restart_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct random_restart *h = self;
    if (random_restart_check(params, err) < 0) return -1;
    h->params = *(const struct random_restart_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    for (uint32_t i = 0; i < env->sms; i++) {
        h->searches[i] =
            (struct search){.now = {env->W, env->W}, .since = env->now, .random = random_start(h->params.seed, i)};
        admission_init(&h->searches[i].admission, (enum admit)h->params.admit, env->W);
    }
    return 0;
}

static uint64_t random_restart_may_issue(void *self, const struct warp_set *set)
{
    struct search *s = &((struct random_restart *)self)->searches[set->sm];
    return admission_mask(&s->admission, set, s->now.N, false);
}

static uint64_t random_restart_may_pollute(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, ((struct random_restart *)self)->searches[set->sm].now.p, false);
}

static void random_restart_end(void *self, uint64_t now)
{
    struct random_restart *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->searches[i], now);
}

static const void *random_restart_stats_of(const void *self) { return &((const struct random_restart *)self)->stats; }

static size_t random_restart_waits(const void *params, struct mech_wait *out)
{
    const struct random_restart_params *p = params;
    out[0] = (struct mech_wait){"T_warmup + T_sample", (uint64_t)p->T_warmup + p->T_sample, WAIT_CYCLES};
    out[1] = (struct mech_wait){"T_period", p->T_period, WAIT_CYCLES};
    return 2;
}

/* As the head of this file counts. */
static size_t random_restart_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    out[0] = (struct mech_cost){"counters, tuples and their IPC, random state", 240, 0, STORAGE_REGISTER};
    out[1] = (struct mech_cost){"monitor and pollute bits of the warps", 2 * env->warps, 0, STORAGE_REGISTER};
    return 2;
}

const struct mech_type mech_random_restart = {
    .name = "random_restart",
    .title = "hill climbing from random warp tuples",
    .source = "this project",
    .cost = random_restart_cost,
    .params = {"random_restart", random_restart_rows, COUNT_OF(random_restart_rows),
               sizeof(struct random_restart_params)},
    .stats = {"random_restart", random_restart_stat_rows, COUNT_OF(random_restart_stat_rows),
              sizeof(struct random_restart_stats)},
    .ratios = random_restart_ratios,
    .n_ratios = COUNT_OF(random_restart_ratios),
    .state_size = sizeof(struct random_restart),
    .per_sm_size = sizeof(struct search),
    .waits = random_restart_waits,
    .init = random_restart_init,
    .check = random_restart_check,
    .end = random_restart_end,
    .fetch = random_restart_params_fetch,
    .stats_of = random_restart_stats_of,
    .epoch = random_restart_epoch,
    .keeps_sms_apart = true,
    .warp_may_issue = random_restart_may_issue,
    .warp_may_pollute = random_restart_may_pollute,
};
