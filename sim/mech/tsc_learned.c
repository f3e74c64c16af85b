/* The mode of a tag-split cache by a learned rule: whether its misses fetch whole lines or the chunks touched is
 * decided from what SM 0 does in one window of fine mode, where TSC+ keeps sampler sets for ever.
 * [ours, for TSC §3.5]
 *
 *   window of SM 0 --> accesses, sectors touched, misses, misses spared --> weights . counts > 0: whole lines
 *
 * A miss would have been spared by whole lines if its line missed before in the window by other sectors alone: a table
 * of SPARED entries, indexed by the line number, remembers lines and the sectors asked for. The rule is four products
 * of a count and a whole number, and a sign. The defaults come from a ridge regression of the logarithm of the speed of
 * coarse over fine mode (`poise repro tsc-learned` fits it, and judges it on families of kernels left out). They keep
 * nearly every kernel in fine mode: where chunks are 32 bytes, whole lines gain 2 % at most on any of the 27 it was
 * fitted to, and lose up to 79 %. */
#include <math.h>
#include "poise/sys/hooks.h"

enum { SPARED = 256 };
#define TSC_LEARNED_PARAMS(P) \
    P(U32, warmup, 1000, 0, 100000000, "cycles", "assumed", "from the launch's begin to the window") \
    P(U32, window, 6000, 100, 100000000, "cycles", "assumed", "in which SM 0 is observed") \
    P(U32, period, 0, 0, 1000000000, "cycles", "assumed", \
      "after which a new window is observed, in fine mode; 0: one window a launch") \
    P(F64, w_accesses, -127, -32768, 32767, "1", "poise repro tsc-learned", \
      "weight of line requests (weights are whole numbers)") \
    P(F64, w_sectors, 30, -32768, 32767, "1", "poise repro tsc-learned", "weight of the 32-byte sectors they touch") \
    P(F64, w_misses, 5, -32768, 32767, "1", "poise repro tsc-learned", "weight of those that miss") \
    P(F64, w_spared, -26, -32768, 32767, "1", "poise repro tsc-learned", "weight of misses that whole lines spare")
PARAM_STRUCT(tsc_learned_params, TSC_LEARNED_PARAMS);
#define ROW(...) PARAM_ROW_OF(tsc_learned_params, __VA_ARGS__)
static const struct param_row tsc_learned_rows[] = {TSC_LEARNED_PARAMS(ROW)};
#undef ROW

/* Of all windows together. */
#define TSC_LEARNED_STATS(S) \
    S(STAT_SUM, windows, "windows", "windows of SM 0 that were observed to their end") \
    S(STAT_SUM, coarse_windows, "windows", "of these, those after which whole lines are fetched") \
    S(STAT_SUM, accesses, "requests", "in windows: line requests that looked L1 up") \
    S(STAT_SUM, sectors, "sectors", "in windows: sectors that they touched") \
    S(STAT_SUM, misses, "requests", "in windows: requests that missed") \
    S(STAT_SUM, spared, "requests", "in windows: misses that whole lines would have spared")
STAT_STRUCT(tsc_learned_stats, TSC_LEARNED_STATS);
#define ROW(...) STAT_ROW_OF(tsc_learned_stats, __VA_ARGS__)
static const struct stat_row tsc_learned_stat_rows[] = {TSC_LEARNED_STATS(ROW)};
#undef ROW

struct counts {
    uint64_t accesses, sectors, misses, spared;
};
struct asked {
    uint32_t key; /* line number + 1, 0 = free */
    uint8_t sectors;
};
struct tsc_learned {
    struct tsc_learned_stats stats;
    struct tsc_learned_params params;
    struct counts seen; /* in the window */
    struct asked table[SPARED];
    uint64_t begins, ends; /* the window: cycles */
};

static bool is_whole(double weight) { return weight == floor(weight); }

static int tsc_learned_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct tsc_learned *h = self;
    const struct tsc_learned_params *p = params;
    h->params = *p;
    h->begins = env->now + p->warmup;
    h->ends = h->begins + p->window;
    if (!is_whole(p->w_accesses) || !is_whole(p->w_sectors) || !is_whole(p->w_misses) || !is_whole(p->w_spared))
        return error_set(err, ERR_INPUT, "tsc_learned: w_accesses, w_sectors, w_misses and w_spared are whole numbers");
    if (p->period && p->period <= p->window)
        return error_set(err, ERR_INPUT, "tsc_learned: period = %u must be longer than window = %u", p->period,
                         p->window);
    return 0;
}

static void note_miss(struct tsc_learned *h, const struct access_event *event)
{
    struct asked *a = &h->table[event->line % SPARED];
    h->seen.misses++;
    if (a->key == event->line + 1) h->seen.spared += !(a->sectors & event->sectors);
    else *a = (struct asked){event->line + 1, 0};
    a->sectors |= event->sectors;
}

static void tsc_learned_on_access(void *self, const struct access_event *event)
{
    struct tsc_learned *h = self;
    if (event->sm || event->now < h->begins || event->now >= h->ends) return;
    h->seen.accesses++;
    h->seen.sectors += (uint32_t)__builtin_popcount(event->sectors);
    if (event->outcome == ACCESS_MISS) note_miss(h, event);
}

static bool wants_lines(const struct tsc_learned *h)
{
    const struct tsc_learned_params *p = &h->params;
    const struct counts *c = &h->seen;
    return (int64_t)p->w_accesses * (int64_t)c->accesses + (int64_t)p->w_sectors * (int64_t)c->sectors +
               (int64_t)p->w_misses * (int64_t)c->misses + (int64_t)p->w_spared * (int64_t)c->spared >
           0;
}

static void end_window(struct tsc_learned *h, const struct sm_view *sm, uint64_t now)
{
    const bool whole = wants_lines(h);
    h->stats.windows++;
    h->stats.coarse_windows += whole;
    h->stats.accesses += h->seen.accesses;
    h->stats.sectors += h->seen.sectors;
    h->stats.misses += h->seen.misses;
    h->stats.spared += h->seen.spared;
    sm->fetch_lines(sm->machine, whole, now);
    const uint64_t next = h->params.period ? h->begins + h->params.period : UINT64_MAX;
    h->begins = next;
    h->ends = h->params.period ? next + h->params.window : UINT64_MAX;
}

/* Called when a window begins and when it ends. */
static uint64_t tsc_learned_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct tsc_learned *h = self;
    if (sm->sm) return UINT64_MAX;
    if (now >= h->ends) end_window(h, sm, now);
    if (now < h->begins) return h->begins;
    h->seen = (struct counts){0};
    for (int i = 0; i < SPARED; i++) h->table[i] = (struct asked){0};
    sm->fetch_lines(sm->machine, false, now);
    return h->ends;
}

static const void *tsc_learned_stats_of(const void *self) { return &((const struct tsc_learned *)self)->stats; }

static size_t tsc_learned_waits(const void *params, struct mech_wait *out)
{
    const struct tsc_learned_params *p = params;
    out[0] = (struct mech_wait){"warmup + window", (uint64_t)p->warmup + p->window, WAIT_CYCLES};
    out[1] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    return 2;
}

/* SM 0 alone observes. */
static size_t tsc_learned_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    (void)env;
    out[0] = (struct mech_cost){"window's accesses, sectors, misses and spared misses, four weights of 16 bits", 0,
                                4 * (32 + 16), STORAGE_REGISTER};
    return 1;
}

const struct mech_type mech_tsc_learned = {
    .name = "tsc_learned",
    .title = "whole lines or chunks in a tag-split cache (l1.tsc_mode=told), by a learned rule over one window",
    .source = "ours, for TSC §3.5",
    .cost = tsc_learned_cost,
    .params = {"tsc_learned", tsc_learned_rows, COUNT_OF(tsc_learned_rows), sizeof(struct tsc_learned_params)},
    .stats = {"tsc_learned", tsc_learned_stat_rows, COUNT_OF(tsc_learned_stat_rows), sizeof(struct tsc_learned_stats)},
    .state_size = sizeof(struct tsc_learned),
    .stats_of = tsc_learned_stats_of,
    .waits = tsc_learned_waits,
    .init = tsc_learned_init,
    .on_access = tsc_learned_on_access,
    .epoch = tsc_learned_epoch,
};
