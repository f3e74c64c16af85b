/* What loads of each degree of un-coalescing do: an observer that changes nothing of a run.
 * [BUCL §III, Figs. 2, 5]
 *
 * Loads are grouped by the line requests that they coalesce into: 1, 2, 3-10, 11-20, 21 and more. Of each group:
 * loads, their requests, the hits of these, all-hit loads (every request hits), latency from issue to the last data,
 * and how many of the requested cache blocks are reused.
 *
 * What the paper leaves open, and what we chose: a block that a load asks for is reused if some load asks for it
 * again (a hit, or a merge while it is on its way) before it leaves L1; so each request of a block counts once as
 * asked for and at most once as reused. Requests that bypass L1 ask nothing of it. The unevenness of memory
 * sub-partitions [BUCL §III.D] is taken from the mean occupancy of their input buffers in periods: the mean over
 * sub-partitions, the fullest, and the change from a period to the next. */
#include <string.h>
#include "poise/sys/hooks.h"

#define DIVERGENCE_PARAMS(P) \
    P(U32, period, 1000, 1, 100000000, "cycles", "BUCL Tab. II", "period in which input buffers are looked at")
PARAM_STRUCT(divergence_params, DIVERGENCE_PARAMS);
#define ROW(...) PARAM_ROW_OF(divergence_params, __VA_ARGS__)
static const struct param_row divergence_rows[] = {DIVERGENCE_PARAMS(ROW)};
#undef ROW

/* In the order of struct group. */
#define GROUP_STATS(S, group, text) \
    S(STAT_SUM, loads_##group, "loads", "loads of " text) \
    S(STAT_SUM, requests_##group, "requests", "their line requests") \
    S(STAT_SUM, looked_##group, "requests", "of these, requests that looked L1 up") \
    S(STAT_SUM, hits_##group, "requests", "of these, hits") \
    S(STAT_SUM, reused_##group, "requests", "requests whose block was asked for again before it left L1") \
    S(STAT_SUM, done_##group, "loads", "loads that were answered") \
    S(STAT_SUM, all_hit_##group, "loads", "of these, loads all of whose requests hit") \
    S(STAT_SUM, latency_##group, "cycles", "issue to the last data, summed over the answered")
#define DIVERGENCE_STATS(S) \
    GROUP_STATS(S, 1, "1 request") \
    GROUP_STATS(S, 2, "2 requests") \
    GROUP_STATS(S, 3_10, "3 to 10 requests") \
    GROUP_STATS(S, 11_20, "11 to 20 requests") \
    GROUP_STATS(S, 21_32, "21 requests and more") \
    S(STAT_SUM, untracked, "requests", "requests whose block found no room in the observer's own table") \
    S(STAT_SUM, buffer_periods, "periods", "periods in which some input buffer held something") \
    S(STAT_SUM, buffer_mean_sum, "1e-6", \
      "occupancy, mean over the sub-partitions, summed over these periods, in millionths") \
    S(STAT_SUM, buffer_fullest_sum, "1e-6", "the fullest sub-partition's") \
    S(STAT_SUM, buffer_change_sum, "1e-6", "change from the period before, mean over the sub-partitions") \
    S(STAT_PEAK, buffer_peak, "1e-6", "the highest of all")
STAT_STRUCT(divergence_stats, DIVERGENCE_STATS);
#define ROW(...) STAT_ROW_OF(divergence_stats, __VA_ARGS__)
static const struct stat_row divergence_stat_rows[] = {DIVERGENCE_STATS(ROW)};
#undef ROW
#define GROUP_RATIOS(group) \
    RATIO_ROW_OF(divergence_stats, hit_rate_##group, hits_##group, looked_##group, "L1 hit rate of the group"), \
        RATIO_ROW_OF(divergence_stats, all_hit_rate_##group, all_hit_##group, done_##group, \
                     "all-hit loads over loads"), \
        RATIO_ROW_OF(divergence_stats, mean_latency_##group, latency_##group, done_##group, \
                     "issue to the last data, mean"), \
        RATIO_ROW_OF(divergence_stats, reuse_##group, reused_##group, looked_##group, \
                     "blocks reused over blocks asked for")
static const struct ratio_row divergence_ratios[] = {
    GROUP_RATIOS(1),
    GROUP_RATIOS(2),
    GROUP_RATIOS(3_10),
    GROUP_RATIOS(11_20),
    GROUP_RATIOS(21_32),
    RATIO_ROW_OF(divergence_stats, buffer_imbalance, buffer_fullest_sum, buffer_mean_sum,
                 "the fullest sub-partition over their mean"),
};

struct group {
    uint64_t loads, requests, looked, hits, reused, done, all_hit, latency;
};
enum { GROUPS = 5, LOADS = 4096, BLOCKS = 1 << 15, BLOCKS_MAX = BLOCKS / 4 * 3, BANKS = 128 };
_Static_assert(offsetof(struct divergence_stats, untracked) == GROUPS * sizeof(struct group),
               "rows of a group stand as its struct does");
struct flight {
    uint64_t since;
    uint8_t degree, hits;
};
struct block {
    uint32_t key;
    uint8_t group;
}; /* key: line + 1, 0 = free; group: of the last load that asked for it */
struct unit {
    struct flight flights[LOADS];
    struct block blocks[BLOCKS]; /* those in L1 or on their way to it, by hash, linear probing */
    uint32_t n_blocks;
};
struct divergence {
    struct divergence_stats stats;
    struct divergence_params params;
    uint32_t n_banks;
    uint64_t start; /* the first cycle */
    struct buffer_gauge last[BANKS];
    double occupancy[BANKS];
    struct unit sms[];
};

static int divergence_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct divergence *h = self;
    h->params = *(const struct divergence_params *)params;
    h->n_banks = env->l2_banks;
    h->start = env->now;
    return h->n_banks <= BANKS ? 0 : error_set(err, ERR_INPUT, "divergence: more than %d L2 banks", BANKS);
}

static uint8_t group_of(uint32_t degree)
{
    return degree <= 1 ? 0 : degree == 2 ? 1 : degree <= 10 ? 2 : degree <= 20 ? 3 : 4;
}
static struct group *group_at(struct divergence *h, uint8_t group) { return (struct group *)&h->stats + group; }

/* ---- blocks ---- */

static uint32_t home(uint32_t line) { return line * 2654435761u >> 17; }

/* The block's place, or the free one where it belongs. */
static struct block *find(struct unit *u, uint32_t line)
{
    uint32_t i = home(line);
    while (u->blocks[i].key && u->blocks[i].key != line + 1) i = (i + 1) % BLOCKS;
    return &u->blocks[i];
}

/* Closes the gap, so that no chain is broken. */
static void forget(struct unit *u, uint32_t line)
{
    struct block *gone = find(u, line);
    if (!gone->key) return;
    uint32_t gap = (uint32_t)(gone - u->blocks);
    for (uint32_t i = (gap + 1) % BLOCKS; u->blocks[i].key; i = (i + 1) % BLOCKS) {
        const uint32_t at = home(u->blocks[i].key - 1);
        if ((i - at) % BLOCKS < (i - gap) % BLOCKS) continue;
        u->blocks[gap] = u->blocks[i];
        gap = i;
    }
    u->blocks[gap] = (struct block){0};
    u->n_blocks--;
}

static void ask_for(struct divergence *h, struct unit *u, const struct access_event *event, uint8_t group)
{
    struct block *b = find(u, event->line);
    if (event->outcome == ACCESS_MISS) {
        if (!event->may_pollute) return;
        if (!b->key && u->n_blocks == BLOCKS_MAX) {
            h->stats.untracked++;
            return;
        }
        u->n_blocks += !b->key;
        *b = (struct block){event->line + 1, group};
        return;
    }
    if (!b->key) return;
    group_at(h, b->group)->reused++;
    b->group = group;
}

/* ---- what it is told ---- */

static void divergence_on_load(void *self, const struct load_event *event)
{
    struct divergence *h = self;
    struct group *g = group_at(h, group_of(event->degree));
    h->sms[event->sm].flights[event->load] = (struct flight){event->now, (uint8_t)event->degree, 0};
    g->loads++;
    g->requests += event->degree;
}

static void divergence_on_access(void *self, const struct access_event *event)
{
    struct divergence *h = self;
    struct unit *u = &h->sms[event->sm];
    const uint8_t group = group_of(event->degree);
    group_at(h, group)->looked++;
    group_at(h, group)->hits += event->outcome == ACCESS_HIT;
    u->flights[event->load].hits = (uint8_t)(u->flights[event->load].hits + (event->outcome == ACCESS_HIT));
    ask_for(h, u, event, group);
}

static void divergence_on_evict(void *self, const struct line_event *event)
{
    forget(&((struct divergence *)self)->sms[event->sm], event->line);
}

static void divergence_on_load_done(void *self, const struct load_event *event)
{
    struct divergence *h = self;
    const struct flight *f = &h->sms[event->sm].flights[event->load];
    struct group *g = group_at(h, group_of(f->degree));
    g->done++;
    g->all_hit += f->hits == f->degree;
    g->latency += event->now - f->since;
}

static uint64_t divergence_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct divergence *h = self;
    struct buffer_gauge buffers[BANKS];
    double sum = 0, fullest = 0, change = 0;
    if (sm->sm) return UINT64_MAX; /* one looks for all */
    if (!now) return h->params.period;
    sm->buffers(sm->machine, buffers);
    if (now == h->start) { /* put in while the launch runs */
        memcpy(h->last, buffers, h->n_banks * sizeof *buffers);
        return now + h->params.period;
    }
    for (uint32_t i = 0; i < h->n_banks; i++) {
        const uint64_t total = buffers[i].total - h->last[i].total;
        const double u = total ? (double)(buffers[i].taken - h->last[i].taken) / (double)total : 0;
        sum += u;
        change += u > h->occupancy[i] ? u - h->occupancy[i] : h->occupancy[i] - u;
        if (u > fullest) fullest = u;
        h->occupancy[i] = u;
        h->last[i] = buffers[i];
    }
    if (fullest > 0) {
        h->stats.buffer_periods++;
        h->stats.buffer_mean_sum += (uint64_t)(1e6 * sum / h->n_banks);
        h->stats.buffer_fullest_sum += (uint64_t)(1e6 * fullest);
        h->stats.buffer_change_sum += (uint64_t)(1e6 * change / h->n_banks);
        if ((uint64_t)(1e6 * fullest) > h->stats.buffer_peak) h->stats.buffer_peak = (uint64_t)(1e6 * fullest);
    }
    return now + h->params.period;
}

static const void *divergence_stats_of(const void *self) { return &((const struct divergence *)self)->stats; }

const struct mech_type mech_divergence = {
    .name = "divergence",
    .title = "observes loads by their degree of un-coalescing",
    .source = "BUCL III",
    .params = {"divergence", divergence_rows, COUNT_OF(divergence_rows), sizeof(struct divergence_params)},
    .stats = {"divergence", divergence_stat_rows, COUNT_OF(divergence_stat_rows), sizeof(struct divergence_stats)},
    .ratios = divergence_ratios,
    .n_ratios = COUNT_OF(divergence_ratios),
    .state_size = sizeof(struct divergence),
    .per_sm_size = sizeof(struct unit),
    .init = divergence_init,
    .stats_of = divergence_stats_of,
    .epoch = divergence_epoch,
    .on_access = divergence_on_access,
    .on_evict = divergence_on_evict,
    .on_load = divergence_on_load,
    .on_load_done = divergence_on_load_done,
};
