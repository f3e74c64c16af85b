/* An elastic L1 whose associativity changes in flight: fully associative, or fewer ways, whichever the SM retires more
 * instructions with. [ELASTIC §7, which built it for direct mapped and fully associative and says no more]
 *
 *   begin +-- warmup --+-- window: all ways --+-- warmup --+-- window: `ways` --+-- the better of both .. -->
 *         +---------------------------------- period ----------------------------------------------------+ again
 *
 * Each SM tries and chooses for itself (assumed). A change empties its L1, as other bits of an address choose the set
 * then. Of equals all ways stay. */
#include "poise/sys/hooks.h"

#define ELASTIC_WAYS_PARAMS(P) \
    P(U32, ways, 1, 1, 1024, "ways", "ELASTIC §7", \
      "the other associativity: 1 is direct mapped; the nearest at most this that shares out the lines") \
    P(U32, warmup, 1000, 0, 100000000, "cycles", "assumed", "after a change, before instructions are counted") \
    P(U32, window, 4000, 100, 100000000, "cycles", "assumed", "in which they are") \
    P(U32, period, 200000, 0, 1000000000, "cycles", "assumed", "after which both are tried again; 0: once a launch")
PARAM_STRUCT(elastic_ways_params, ELASTIC_WAYS_PARAMS);
#define ROW(...) PARAM_ROW_OF(elastic_ways_params, __VA_ARGS__)
static const struct param_row elastic_ways_rows[] = {ELASTIC_WAYS_PARAMS(ROW)};
#undef ROW

#define ELASTIC_WAYS_STATS(S) \
    S(STAT_SUM, choices, "choices", "of an SM, after both associativities have been tried") \
    S(STAT_SUM, fewer, "choices", "of these, those of fewer ways") \
    S(STAT_SUM, changes, "changes", "of associativity, each of which empties an L1")
STAT_STRUCT(elastic_ways_stats, ELASTIC_WAYS_STATS);
#define ROW(...) STAT_ROW_OF(elastic_ways_stats, __VA_ARGS__)
static const struct stat_row elastic_ways_stat_rows[] = {ELASTIC_WAYS_STATS(ROW)};
#undef ROW

/* What an SM waits for: the end of what it does now. */
enum step { BEGINS, WARMS_ALL, COUNTS_ALL, WARMS_FEWER, COUNTS_FEWER, STAYS };
struct one_sm {
    enum step step;
    uint32_t ways; /* that its L1 has */
    uint64_t began, insts, with_all;
    struct elastic_ways_stats counted;
};
struct elastic_ways {
    struct elastic_ways_stats stats; /* of all SMs, at the end */
    struct elastic_ways_params params;
    uint32_t sms;
    struct one_sm of[]; /* one an SM */
};

static int elastic_ways_check(const void *params, struct error *err)
{
    const struct elastic_ways_params *p = params;
    const uint64_t tries = 2 * ((uint64_t)p->warmup + p->window);
    if (p->period && p->period <= tries)
        return error_set(err, ERR_INPUT, "elastic_ways: period = %u must be longer than 2 (warmup + window) = %llu",
                         p->period, (unsigned long long)tries);
    return 0;
}

static int elastic_ways_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct elastic_ways *m = self;
    (void)err;
    m->params = *(const struct elastic_ways_params *)params;
    m->sms = env->sms;
    return 0;
}

static void set_ways(struct one_sm *o, const struct sm_view *sm, uint32_t ways, uint64_t now)
{
    const uint32_t is = sm->set_ways(sm->machine, sm->sm, ways, now);
    o->counted.changes += o->ways && is != o->ways;
    o->ways = is;
}

/* Both have been tried. */
static uint64_t choose(const struct elastic_ways_params *p, struct one_sm *o, const struct sm_view *sm, uint64_t now)
{
    const bool is_fewer = sm->counters.insts - o->insts > o->with_all;
    o->step = STAYS;
    o->counted.choices++;
    o->counted.fewer += is_fewer;
    if (!is_fewer) set_ways(o, sm, 0, now);
    if (!p->period) return UINT64_MAX;
    return o->began + p->period > now ? o->began + p->period : now + 1;
}

static uint64_t elastic_ways_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct elastic_ways *m = self;
    const struct elastic_ways_params *p = &m->params;
    struct one_sm *o = &m->of[sm->sm];
    switch (o->step) {
    case BEGINS:
    case STAYS:
        o->began = now;
        set_ways(o, sm, 0, now);
        if (!o->ways) return UINT64_MAX; /* an L1 of another kind */
        o->step = WARMS_ALL;
        return now + p->warmup + !p->warmup;
    case WARMS_ALL:
    case WARMS_FEWER:
        o->insts = sm->counters.insts;
        o->step = o->step == WARMS_ALL ? COUNTS_ALL : COUNTS_FEWER;
        return now + p->window;
    case COUNTS_ALL:
        o->with_all = sm->counters.insts - o->insts;
        set_ways(o, sm, p->ways, now);
        o->step = WARMS_FEWER;
        return now + p->warmup + !p->warmup;
    default: return choose(p, o, sm, now);
    }
}

static void elastic_ways_end(void *self, uint64_t now)
{
    struct elastic_ways *m = self;
    (void)now;
    m->stats = (struct elastic_ways_stats){0};
    for (uint32_t i = 0; i < m->sms; i++) {
        m->stats.choices += m->of[i].counted.choices;
        m->stats.fewer += m->of[i].counted.fewer;
        m->stats.changes += m->of[i].counted.changes;
    }
}

static const void *elastic_ways_stats_of(const void *self) { return &((const struct elastic_ways *)self)->stats; }

static size_t elastic_ways_waits(const void *params, struct mech_wait *out)
{
    const struct elastic_ways_params *p = params;
    out[0] = (struct mech_wait){"2 (warmup + window)", 2 * ((uint64_t)p->warmup + p->window), WAIT_CYCLES};
    out[1] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    return 2;
}

/* The mode, and instructions of both windows. What masks an address's bits is not counted. */
static size_t elastic_ways_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    (void)env;
    out[0] = (struct mech_cost){"associativity, and instructions of two windows", 1 + 2 * 32, 0, STORAGE_REGISTER};
    return 1;
}

const struct mech_type mech_elastic_ways = {
    .name = "elastic_ways",
    .title = "associativity of an elastic L1 that changes in flight, by instructions retired",
    .source = "ELASTIC §7",
    .cost = elastic_ways_cost,
    .params = {"elastic_ways", elastic_ways_rows, COUNT_OF(elastic_ways_rows), sizeof(struct elastic_ways_params)},
    .stats = {"elastic_ways", elastic_ways_stat_rows, COUNT_OF(elastic_ways_stat_rows),
              sizeof(struct elastic_ways_stats)},
    .state_size = sizeof(struct elastic_ways),
    .per_sm_size = sizeof(struct one_sm),
    .check = elastic_ways_check,
    .init = elastic_ways_init,
    .end = elastic_ways_end,
    .stats_of = elastic_ways_stats_of,
    .waits = elastic_ways_waits,
    .epoch = elastic_ways_epoch,
};
