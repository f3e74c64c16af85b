/* PCAL: priority-based cache allocation.   [THESIS §5.3.2, §5.7.3; MECHANISMS 'PCAL']
 *
 * N warps a scheduler may issue, p of these pollute, as in Poise, but found by search from a starting point: SWL's N
 * (PCAL-SWL), or the throttling that CCWS arrives at (dynamic PCAL). First SMs try different p in parallel and vote;
 * all SMs take the winner. Then N climbs by one while the shared resources are not full and each step gains enough.
 * The tuple stays until some SM loses more than a threshold: another vote and climb.
 *
 *   (CCWS) --> VOTE --> BASE --> CLIMB (N+1) --gains--> CLIMB ... --does not--> RUN --some SM drops--> VOTE
 *
 * What the papers at hand leave open, and what we chose (all `assumed`; values by `poise tune` on training kernels,
 * experiments/specs/thesis-ch5/pcal.yaml): every step is T_warmup cycles and then a window of T_sample, the same for
 * all SMs; the vote is the p with the most instructions summed over its SMs, ties to the smaller; each p has the
 * same number of voters, SMs left over keep p = N and do not vote; with more candidates than SMs, p is spaced
 * evenly; the climb compares instructions of the whole GPU; utilisation is the fullest of L2 data ports, reply
 * crossbar and DRAM buses since the last decision, read without delay; a settled SM is watched in windows of
 * T_monitor against the first of them, and has not dropped if it issued nothing; another vote starts at the starting
 * N (`again=stay`: where the climb has come to, which can only rise); CCWS's point is the mean number of warps a
 * scheduler that may load, over the second half of T_start. Cost: N and p 5 bits each, two 32-bit counters and a
 * pollute bit a warp in each SM (122 bits for 48 warps); one controller with 32 adders, 24 sums of 32 bits and 6
 * thresholds. The dynamic flavour adds CCWS's 23104 bits an SM. */
#include <string.h>
#include "ccws.h"
#include "poise/sys/admission.h"
#include "current_tuple.h"
#include "timeline.h"

#define PCAL_PARAMS(P) \
    P(ENUM, start, 0, 0, 1, "swl|ccws", "THESIS 5.7.3", "where the search starts: at N, or at what CCWS arrives at") \
    P(U32, N, 0, 0, 64, "warps", "THESIS 5.7.3", "start=swl: SWL's warps per scheduler; 0 = all") \
    P(U32, T_start, 20000, 2, 100000000, "cycles", "assumed", \
      "start=ccws: cycles under CCWS; its point is the mean of the second half") \
    P(U32, T_warmup, 1000, 0, 10000000, "cycles", "assumed; training kernels", \
      "cycles after a change of tuple before sampling") \
    P(U32, T_sample, 4000, 1, 10000000, "cycles", "assumed; training kernels", \
      "sampling duration, as a correction step of Poise") \
    P(U32, T_monitor, 10000, 1, 100000000, "cycles", "assumed", "window in which a settled SM's IPC is watched") \
    P(F64, utilisation, 0.9, 0, 1, "fraction", "assumed; training kernels", \
      "N climbs while the fullest shared resource is below this") \
    P(F64, gain, 0.02, 0, 100, "fraction", "assumed; training kernels", "speedup a step of N must bring") \
    P(F64, drop, 0.3, 0, 1, "fraction", "assumed; training kernels", \
      "loss of an SM's IPC that starts another vote; 1 = never") \
    P(ENUM, again, 0, 0, 1, "start|stay", "assumed; training kernels", \
      "N of another vote: the starting point's, or where the climb has come to") \
    ADMIT_PARAM(P) \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(pcal_params, PCAL_PARAMS);
#define ROW(...) PARAM_ROW_OF(pcal_params, __VA_ARGS__)
static const struct param_row pcal_rows[] = {PCAL_PARAMS(ROW)};
#undef ROW
FETCH_OF(pcal_params)

#define PCAL_STATS(S) \
    TUPLE_STATS(S) \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent voting and climbing") \
    S(STAT_SUM, start_N, "warps", "N at which the search started") \
    S(STAT_SUM, votes, "votes", "votes on p") \
    S(STAT_SUM, voted_p, "warps", "p voted for, summed over votes") \
    S(STAT_SUM, tries, "steps", "steps of N tried") \
    S(STAT_SUM, moves, "steps", "of these, steps kept") \
    S(STAT_SUM, full_stops, "climbs", "climbs that ended because a shared resource was full") \
    S(STAT_SUM, settles, "climbs", "climbs that ended") \
    S(STAT_SUM, settled_N, "warps", "N they ended at, summed") \
    S(STAT_SUM, settled_p, "warps", "p they ended at, summed") \
    S(STAT_SUM, drops, "drops", "votes called because an SM lost performance")
STAT_STRUCT(pcal_stats, PCAL_STATS);
#define ROW(...) STAT_ROW_OF(pcal_stats, __VA_ARGS__)
static const struct stat_row pcal_stat_rows[] = {PCAL_STATS(ROW)};
#undef ROW
static const struct ratio_row pcal_ratios[] = {
    TUPLE_RATIOS(pcal_stats), RATIO_ROW_OF(pcal_stats, mean_voted_p, voted_p, votes, "p voted for, mean"),
    RATIO_ROW_OF(pcal_stats, mean_settled_N, settled_N, settles, "N at the end of a climb, mean"),
    RATIO_ROW_OF(pcal_stats, mean_settled_p, settled_p, settles, "p at the end of a climb, mean")};

enum state { START, VOTE, BASE, CLIMB, RUN };
static const char *const state_names[] = {"CCWS", "VOTE", "BASE", "CLIMB", "RUN"};
struct unit {
    uint32_t p;
    uint64_t since;           /* p and N have been current since */
    uint64_t begin;           /* instructions at the start of the window */
    uint64_t insts, expected; /* in the window; and in the window that the climb ended with */
    struct ccws_sm ccws;      /* start=ccws */
    struct admission admission;
};
/* Shared by all SMs. A step begins at `begin`, samples from `sample` to `close`; at close + 1 the first SM decides
 * for all. */
struct pcal {
    struct pcal_stats stats;
    struct pcal_params params;
    struct ccws_params ccws;
    struct ccws_stats ccws_stats, ccws_half; /* half: at the middle of START */
    struct gpu_timeline *timeline;
    enum state state;
    uint32_t W, n_sms, schedulers, N, p;
    uint64_t start; /* the first cycle */
    uint64_t sample, close;
    uint64_t base;        /* instructions of the GPU in the window to beat */
    struct gauges gauges; /* at the last decision */
    struct unit units[];  /* one an SM */
};

static uint32_t candidates(const struct pcal *h) { return h->N < h->n_sms ? h->N : h->n_sms; }
/* The p that candidate k of c stands for: 1..N if there are enough SMs, else spaced evenly up to N. */
static uint32_t candidate_p(const struct pcal *h, uint32_t k)
{
    const uint32_t c = candidates(h);
    return ((k + 1) * h->N + c - 1) / c;
}
static uint32_t voters(const struct pcal *h) { return h->n_sms / candidates(h) * candidates(h); }

static uint32_t wanted_p(const struct pcal *h, uint32_t sm)
{
    if (h->state != VOTE) return h->p;
    return sm < voters(h) ? candidate_p(h, sm % candidates(h)) : h->N;
}

static void account(struct pcal *h, struct unit *u, uint64_t now)
{
    const uint64_t cycles = now - u->since;
    TUPLE_ADD(&h->stats, ((struct tuple){h->N, u->p}), cycles);
    if (h->state != RUN) h->stats.explore_cycles += cycles;
    u->since = now;
}

static void begin_step(struct pcal *h, enum state state, uint32_t N, uint32_t p, uint64_t now)
{
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
    h->state = state;
    h->N = N;
    h->p = p;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        h->units[i].p = wanted_p(h, i);
        timeline_state(h->timeline, i, now, state_names[state], N, h->units[i].p);
    }
    const uint64_t window = state == START ? h->params.T_start / 2
                            : state == RUN ? h->params.T_monitor
                                           : h->params.T_sample;
    h->sample = now + (state == START ? h->params.T_start / 2 : h->params.T_warmup);
    h->close = h->sample + window;
}

static void begin_vote(struct pcal *h, uint32_t N, uint64_t now)
{
    if (N > 1) begin_step(h, VOTE, N, N, now);
    else begin_step(h, BASE, 1, 1, now); /* nothing to vote on */
}

static void ccws_sums(struct pcal *h, uint64_t now)
{
    for (uint32_t i = 0; i < h->n_sms; i++) ccws_account(&h->units[i].ccws, &h->ccws_stats, now);
}

static uint32_t ccws_point(struct pcal *h, uint64_t now)
{
    ccws_sums(h, now);
    const uint64_t cycles = (h->ccws_stats.sm_cycles - h->ccws_half.sm_cycles) * h->schedulers;
    const uint64_t loadable = h->ccws_stats.loadable_cycles - h->ccws_half.loadable_cycles;
    const uint64_t N = cycles ? (loadable + cycles / 2) / cycles : h->W;
    return N < 1 ? 1 : N > h->W ? h->W : (uint32_t)N;
}

static uint32_t count_votes(const struct pcal *h)
{
    uint64_t most = 0;
    uint32_t p = candidate_p(h, 0);
    for (uint32_t k = 0; k < candidates(h); k++) {
        uint64_t sum = 0;
        for (uint32_t i = k; i < voters(h); i += candidates(h)) sum += h->units[i].insts;
        if (sum > most) {
            most = sum;
            p = candidate_p(h, k);
        }
    }
    return p;
}

static uint64_t total_insts(const struct pcal *h)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < h->n_sms; i++) sum += h->units[i].insts;
    return sum;
}

/* The fullest shared resource since the last decision. */
static double read_utilisation(struct pcal *h, const struct sm_view *view)
{
    struct gauges now;
    double most = 0;
    view->gauges(view->machine, &now);
    for (int i = 0; i < N_GAUGES; i++) {
        const uint64_t busy = now.busy[i] - h->gauges.busy[i], total = now.total[i] - h->gauges.total[i];
        if (total && (double)busy / (double)total > most) most = (double)busy / (double)total;
    }
    h->gauges = now;
    return most;
}

static void settle(struct pcal *h, uint32_t N, uint64_t now)
{
    h->stats.settles++;
    h->stats.settled_N += N;
    h->stats.settled_p += h->p;
    for (uint32_t i = 0; i < h->n_sms; i++) h->units[i].expected = 0; /* the first window of RUN says what to expect */
    begin_step(h, RUN, N, h->p, now);
}

static void climb(struct pcal *h, double utilisation, uint64_t now)
{
    const bool is_full = utilisation >= h->params.utilisation;
    if (h->N == h->W || is_full) {
        h->stats.full_stops += is_full;
        settle(h, h->N, now);
        return;
    }
    h->stats.tries++;
    begin_step(h, CLIMB, h->N + 1, h->p, now);
}

static bool some_sm_dropped(struct pcal *h)
{
    bool has_dropped = false;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        struct unit *u = &h->units[i];
        if (u->expected && u->insts && (double)u->insts < (double)u->expected * (1 - h->params.drop))
            has_dropped = true;
        if (!u->expected) u->expected = u->insts;
    }
    return has_dropped;
}

static void decide(struct pcal *h, const struct sm_view *view, uint64_t now)
{
    const double utilisation = read_utilisation(h, view);
    const uint64_t insts = total_insts(h);
    switch (h->state) {
    case START:
        h->stats.start_N = ccws_point(h, now);
        begin_vote(h, (uint32_t)h->stats.start_N, now);
        return;
    case VOTE:
        h->stats.votes++;
        h->p = count_votes(h);
        h->stats.voted_p += h->p;
        begin_step(h, BASE, h->N, h->p, now);
        return;
    case CLIMB:
        if ((double)insts < (double)h->base * (1 + h->params.gain)) {
            settle(h, h->N - 1, now);
            return;
        }
        h->stats.moves++;
        h->base = insts;
        climb(h, utilisation, now);
        return;
    case BASE:
        h->base = insts;
        climb(h, utilisation, now);
        return;
    case RUN:
        if (!some_sm_dropped(h)) {
            begin_step(h, RUN, h->N, h->p, now);
            h->sample = now; /* nothing changed: no warm-up */
            h->close = now + h->params.T_monitor;
            return;
        }
        h->stats.drops++;
        begin_vote(h, h->params.again ? h->N : (uint32_t)h->stats.start_N, now);
    }
}

static uint64_t pcal_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct pcal *h = self;
    struct unit *u = &h->units[sm->sm];
    if (now && now == h->start) sm->gauges(sm->machine, &h->gauges); /* not what the launch did before */
    if (now > h->close) decide(h, sm, now); /* the first SM for all: their windows closed a cycle ago */
    if (now == h->close) {
        u->insts = sm->counters.insts - u->begin;
        return now + 1;
    }
    if (now >= h->sample) {
        u->begin = sm->counters.insts;
        if (h->state == START && sm->sm == 0) {
            ccws_sums(h, now);
            h->ccws_half = h->ccws_stats;
        }
        return h->close;
    }
    return h->sample;
}

static int pcal_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct pcal *h = self;
    (void)err;
    h->params = *(const struct pcal_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->schedulers = env->schedulers;
    h->timeline = env->timeline;
    params_defaults(&mech_ccws.params, &h->ccws);
    const uint32_t N = h->params.N && h->params.N < h->W ? h->params.N : h->W;
    for (uint32_t i = 0; i < h->n_sms; i++) {
        h->units[i].since = env->now;
        admission_init(&h->units[i].admission, (enum admit)h->params.admit, env->W);
        h->units[i].ccws.is_late = env->now > 0;
    }
    h->start = env->now;
    if (h->params.start) {
        begin_step(h, START, h->W, h->W, env->now);
    } else {
        h->stats.start_N = N;
        begin_vote(h, N, env->now);
    }
    return 0;
}

static uint64_t pcal_may_issue(void *self, const struct warp_set *set)
{
    struct pcal *h = self;
    return admission_mask(&h->units[set->sm].admission, set, h->N, false);
}

static uint64_t pcal_may_pollute(void *self, const struct warp_set *set)
{
    return warp_rank_mask(set, ((struct pcal *)self)->units[set->sm].p, false);
}

static uint64_t pcal_may_load(void *self, const struct warp_set *set)
{
    struct pcal *h = self;
    if (h->state != START) return ~0ull;
    return ccws_by_age(set, ccws_may_load(&h->units[set->sm].ccws, &h->ccws, &h->ccws_stats, set->now, set->ask_at));
}

static void pcal_warp_start(void *self, const struct warp_event *event)
{
    struct pcal *h = self;
    if (h->state == START) ccws_start(&h->units[event->sm].ccws, event);
}

static void pcal_warp_exit(void *self, const struct warp_event *event)
{
    struct pcal *h = self;
    if (h->state == START) ccws_exit(&h->units[event->sm].ccws, &h->ccws_stats, event);
}

static void pcal_on_access(void *self, const struct access_event *event)
{
    struct pcal *h = self;
    if (h->state == START) ccws_access(&h->units[event->sm].ccws, &h->ccws, &h->ccws_stats, event);
}

static void pcal_on_evict(void *self, const struct line_event *event)
{
    struct pcal *h = self;
    if (h->state == START) ccws_evict(&h->units[event->sm].ccws, &h->ccws, &h->ccws_stats, event);
}

static void pcal_end(void *self, uint64_t now)
{
    struct pcal *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) account(h, &h->units[i], now);
}

static const void *pcal_stats_of(const void *self) { return &((const struct pcal *)self)->stats; }

static size_t pcal_waits(const void *params, struct mech_wait *out)
{
    const struct pcal_params *p = params;
    out[0] = (struct mech_wait){"T_warmup + T_sample", (uint64_t)p->T_warmup + p->T_sample, WAIT_CYCLES};
    out[1] = (struct mech_wait){"T_monitor", p->T_monitor, WAIT_CYCLES};
    out[2] = (struct mech_wait){"T_start", p->T_start, WAIT_CYCLES};
    return p->start ? 3 : 2; /* T_start is of start=ccws */
}

/* As the head of this file counts. */
static size_t pcal_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct pcal_params *p = params;
    out[0] = (struct mech_cost){"N, p, two counters, a pollute bit a warp", 10 + 64 + env->warps, 0, STORAGE_REGISTER};
    out[1] = (struct mech_cost){"the controller's sums and thresholds", 0, (24 + 6) * 32, STORAGE_REGISTER};
    if (p->start == 0) return 2;
    out[2] = (struct mech_cost){"CCWS, which begins the search: victim tags, owners, scores", 23104, 0, STORAGE_ARRAY};
    return 3;
}

const struct mech_type mech_pcal = {
    .name = "pcal",
    .title = "priority-based cache allocation",
    .source = "THESIS 5.3.2",
    .cost = pcal_cost,
    .params = {"pcal", pcal_rows, COUNT_OF(pcal_rows), sizeof(struct pcal_params)},
    .stats = {"pcal", pcal_stat_rows, COUNT_OF(pcal_stat_rows), sizeof(struct pcal_stats)},
    .ratios = pcal_ratios,
    .n_ratios = COUNT_OF(pcal_ratios),
    .state_size = sizeof(struct pcal),
    .per_sm_size = sizeof(struct unit),
    .waits = pcal_waits,
    .init = pcal_init,
    .end = pcal_end,
    .fetch = pcal_params_fetch,
    .stats_of = pcal_stats_of,
    .epoch = pcal_epoch,
    .warp_may_issue = pcal_may_issue,
    .warp_may_pollute = pcal_may_pollute,
    .warp_may_load = pcal_may_load,
    .warp_start = pcal_warp_start,
    .warp_exit = pcal_warp_exit,
    .on_access = pcal_on_access,
    .on_evict = pcal_on_evict,
};
