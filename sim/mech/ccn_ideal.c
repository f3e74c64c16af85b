/* Ideal cooperative caching: a miss that another L1 holds at that moment is answered from there after a fixed latency,
 * without a network, queues, or a cost for the other SM; all other misses go to L2 at once. [THESIS §4.3.2, §4.5.3]
 * With latency=0 the data is there in the next cycle. Clusters look among their own SMs only. [THESIS §4.6.3] */
#include "poise/sys/hooks.h"

#define CCN_IDEAL_PARAMS(P) \
    P(U32, latency, 0, 0, 10000, "core cycles", "THESIS Fig. 4.3", \
      "L1 miss to data of a remote hit; at least the next cycle") \
    P(U32, cluster, 0, 0, 256, "SMs", "THESIS 4.6.3", "SMs that share; 0: all of them")
PARAM_STRUCT(ccn_ideal_params, CCN_IDEAL_PARAMS);
#define ROW(...) PARAM_ROW_OF(ccn_ideal_params, __VA_ARGS__)
static const struct param_row ccn_ideal_rows[] = {CCN_IDEAL_PARAMS(ROW)};
#undef ROW

#define CCN_IDEAL_STATS(S) \
    S(STAT_SUM, misses, "misses", "load misses of global memory that were offered") \
    S(STAT_SUM, hits, "misses", "of these, answered by another L1") \
    S(STAT_SUM, full, "misses", "sent to L2 although another L1 holds them: too many are on their way to their SM")
STAT_STRUCT(ccn_ideal_stats, CCN_IDEAL_STATS);
#define ROW(...) STAT_ROW_OF(ccn_ideal_stats, __VA_ARGS__)
static const struct stat_row ccn_ideal_stat_rows[] = {CCN_IDEAL_STATS(ROW)};
#undef ROW
static const struct ratio_row ccn_ideal_ratios[] = {RATIO_ROW_OF(
    ccn_ideal_stats, h_reuse, hits, misses, "share of the misses that another L1 answered: h_reuse of THESIS Eq. 4.1")};

/* What is on its way to an SM, in order: all take as long. */
enum { ON_THEIR_WAY = 256 };
struct answer {
    struct miss miss;
    uint64_t at;
};
struct answers {
    uint32_t head, count;
    struct answer slots[ON_THEIR_WAY];
};
struct ccn_ideal {
    struct ccn_ideal_stats stats;
    struct ccn_ideal_params params;
    uint32_t n;
    uint64_t on_their_way;
    struct answers sms[];
};

static bool another_holds(const struct ccn_ideal *c, const struct miss_event *what)
{
    const uint32_t size = c->params.cluster ? c->params.cluster : c->n, first = what->sm / size * size;
    const uint32_t end = first + size < c->n ? first + size : c->n;
    const struct machine_ports *m = what->machine;
    for (uint32_t i = first; i < end; i++)
        if (i != what->sm && m->snoop(m->machine, i, what->miss.line, what->miss.chunks) == SNOOP_PRESENT) return true;
    return false;
}

static bool ideal_has_room(const void *self, const struct miss_event *what)
{
    const struct ccn_ideal *c = self;
    return c->sms[what->sm].count < ON_THEIR_WAY && another_holds(c, what);
}

static bool ideal_take(void *self, const struct miss_event *what)
{
    struct ccn_ideal *c = self;
    struct answers *a = &c->sms[what->sm];
    c->stats.misses++;
    if (!another_holds(c, what)) return false;
    c->stats.full += a->count == ON_THEIR_WAY;
    if (a->count == ON_THEIR_WAY) return false;
    const uint64_t latency = c->params.latency ? c->params.latency : 1;
    a->slots[(a->head + a->count++) % ON_THEIR_WAY] = (struct answer){what->miss, what->now + latency};
    c->on_their_way++;
    c->stats.hits++;
    return true;
}

/* In every cycle: an access that waits for room on its way to L2 has another way as soon as another L1 has the line. */
static void ideal_tick(void *self, const struct machine_ports *m, uint64_t now)
{
    struct ccn_ideal *c = self;
    for (uint32_t i = 0; i < c->n; i++) m->has_room(m->machine, i, now);
    for (uint32_t i = 0; c->on_their_way && i < c->n; i++) {
        struct answers *a = &c->sms[i];
        for (; a->count && a->slots[a->head].at <= now; a->head = (a->head + 1) % ON_THEIR_WAY) {
            m->deliver_fill(m->machine, i, &a->slots[a->head].miss, now);
            a->count--;
            c->on_their_way--;
        }
    }
}

static bool ideal_idle(const void *self) { return ((const struct ccn_ideal *)self)->on_their_way == 0; }

static void ideal_dump(const void *self, char *text, size_t size)
{
    snprintf(text, size, "ccn_ideal: %llu answers on their way",
             (unsigned long long)((const struct ccn_ideal *)self)->on_their_way);
}

static int ideal_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct ccn_ideal *c = self;
    (void)err;
    c->params = *(const struct ccn_ideal_params *)params;
    c->n = env->sms;
    return 0;
}

static const void *ideal_stats_of(const void *self) { return &((const struct ccn_ideal *)self)->stats; }

static const struct miss_ops ideal_misses = {ideal_has_room, ideal_take};
static const struct unit_ops ideal_unit = {.tick = ideal_tick, .idle = ideal_idle, .dump = ideal_dump};
static size_t ccn_ideal_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"cooperation", {"hits"}};
    return 1;
}

const struct mech_type mech_ccn_ideal = {
    .name = "ccn_ideal",
    .title = "cooperative caching without a network: remote hits after a fixed latency",
    .source = "THESIS 4.3.2, 4.5.3",
    .params = {"ccn_ideal", ccn_ideal_rows, COUNT_OF(ccn_ideal_rows), sizeof(struct ccn_ideal_params)},
    .stats = {"ccn_ideal", ccn_ideal_stat_rows, COUNT_OF(ccn_ideal_stat_rows), sizeof(struct ccn_ideal_stats)},
    .ratios = ccn_ideal_ratios,
    .n_ratios = COUNT_OF(ccn_ideal_ratios),
    .state_size = sizeof(struct ccn_ideal),
    .per_sm_size = sizeof(struct answers),
    .acts = ccn_ideal_acts,
    .init = ideal_init,
    .stats_of = ideal_stats_of,
    .miss_route = &ideal_misses,
    .unit = &ideal_unit,
};
