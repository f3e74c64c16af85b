/* The oracle: the best warp tuple in each window, for which the launch is forked. [MECHANISMS 'Poise and its rivals']
 *
 *            +-- (1,1) ----- window -----+
 *   launch --+-- (2,1) ----- window -----+--> goes on from the end of the one with most instructions --> next window
 *            +-- ... 20 tuples ----------+
 *
 * No hardware could do this: every candidate runs the same window from the same state (sim/gpu/run/fork.c), and only
 * the best of them has been. It shows what is left above Static-Best when a launch has phases. It is greedy: a
 * window that is best by itself may leave caches and warps in a state that costs the next one more, so it is no
 * proven upper bound.
 *
 * Candidates: the triangle over 1, 2, 4, 8, 16 and W without (16,16), 20 tuples at W = 24 (fewer where W is small),
 * and one that may be given. Ties: the window that ends first, then the smaller tuple. Launches of at most
 * min_cycles under (W,W) are left alone: in one or two windows there is nothing to choose that Static-Best has not.
 * Its statistics are those of the launch as it went; what the candidates that lost took is counted apart (forks,
 * forked_insts). */
#include "oracle.h"
#include "timeline.h"

#define ROW(...) PARAM_ROW_OF(oracle_params, __VA_ARGS__)
static const struct param_row oracle_rows[] = {ORACLE_PARAMS(ROW)};
#undef ROW
FETCH_OF(oracle_params)
#define ROW(...) STAT_ROW_OF(oracle_stats, __VA_ARGS__)
static const struct stat_row oracle_stat_rows[] = {ORACLE_STATS(ROW)};
#undef ROW
static const struct ratio_row oracle_ratios[] = {TUPLE_RATIOS(oracle_stats)};

static void add(struct oracle *h, uint32_t N, uint32_t p)
{
    if (N > h->W || p > N) return;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->candidates[i].N == N && h->candidates[i].p == p) return;
    h->candidates[h->n++] = (struct tuple){N, p};
}

static int oracle_check(const void *params, struct error *err)
{
    const struct oracle_params *p = params;
    if (p->p > p->N) return error_set(err, ERR_INPUT, "oracle: p = %u exceeds N = %u", p->p, p->N);
    return 0;
}

static int oracle_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    static const uint32_t steps[] = {1, 2, 4, 8, 16, 64};
    struct oracle *h = self;
    if (oracle_check(params, err) < 0) return -1;
    h->params = *(const struct oracle_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        for (size_t k = 0; k <= i; k++) {
            const uint32_t N = steps[i] < h->W ? steps[i] : h->W, p = steps[k] < N ? steps[k] : N;
            if (!(N == 16 && p == 16 && h->W > 16)) add(h, N, p);
        }
    if (h->params.N) add(h, h->params.N, h->params.p ? h->params.p : h->params.N);
    h->now = (struct tuple){h->W, h->W};
    h->since = env->now;
    return 0;
}

static void account(struct oracle *h, uint64_t now)
{
    const uint64_t cycles = (now - h->since) * h->n_sms;
    TUPLE_ADD(&h->stats, h->now, cycles);
    h->since = now;
}

void oracle_set(struct oracle *h, struct tuple tuple, uint64_t now)
{
    account(h, now);
    h->stats.changes += h->stats.windows && (h->now.N != tuple.N || h->now.p != tuple.p);
    h->stats.windows++;
    h->now = tuple;
    for (uint32_t i = 0; i < h->n_sms; i++) timeline_state(h->timeline, i, now, "WINDOW", tuple.N, tuple.p);
}

static uint64_t oracle_may_issue(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, ((struct oracle *)self)->now.N, false);
}
static uint64_t oracle_may_pollute(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, ((struct oracle *)self)->now.p, false);
}
static void oracle_end(void *self, uint64_t now) { account(self, now); }
static const void *oracle_stats_of(const void *self) { return &((const struct oracle *)self)->stats; }

static size_t oracle_waits(const void *params, struct mech_wait *out)
{
    const struct oracle_params *p = params;
    out[0] = (struct mech_wait){"window", p->window, WAIT_CYCLES};
    out[1] = (struct mech_wait){"min_cycles", p->min_cycles, WAIT_CYCLES};
    return 2;
}

const struct mech_type mech_oracle = {
    .name = "oracle",
    .title = "the best warp tuple of each window, by forking the launch",
    .source = "this project",
    .params = {"oracle", oracle_rows, COUNT_OF(oracle_rows), sizeof(struct oracle_params)},
    .stats = {"oracle", oracle_stat_rows, COUNT_OF(oracle_stat_rows), sizeof(struct oracle_stats)},
    .ratios = oracle_ratios,
    .n_ratios = COUNT_OF(oracle_ratios),
    .state_size = sizeof(struct oracle),
    .waits = oracle_waits,
    .init = oracle_init,
    .check = oracle_check,
    .end = oracle_end,
    .fetch = oracle_params_fetch,
    .stats_of = oracle_stats_of,
    .warp_may_issue = oracle_may_issue,
    .warp_may_pollute = oracle_may_pollute,
};
