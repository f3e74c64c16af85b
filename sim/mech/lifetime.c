/* Insertion into a shared last-level cache by a rule that is learned: how long a new line is kept depends on who asks.
 *
 * Two features of a requester, a CPU program or the GPU as a whole, each over the last period:
 *   reuse   of its lines in sampled sets, where all lines begin alike, the share that was hit again
 *   load    its accesses, of all that it and the busiest other requester made
 * With
 *   score = reuse - base - slope * load
 * below 0 its lines begin as BRRIP's, otherwise as SRRIP's. What is learned is `base` and `slope`: `poise repro tech-9`
 * chooses them on mixes whose programs and kernel are not those that it is judged on. TAP-RRIP's ratio of accesses is
 * the rule of load alone. A requester that the last period has not seen in sampled sets begins as SRRIP has it.
 * [assumed; TECHNIQUES 5.1 for what to look at] */
#include "rrip.h"

#define LIFETIME_PARAMS(P) \
    P(F64, base, 0.2, -1, 2, "1", "assumed", "reuse from which on lines are kept, of a requester without load") \
    P(F64, slope, 0.2, -1, 2, "1", "assumed", "by how much more, of one with all the load") \
    P(U32, period, 200000, 1000, 1000000000, "cycles", "assumed", "over which the features are counted") \
    P(U32, sampled_sets, 32, 1, 65536, "sets", "assumed", "sets in which all lines begin as SRRIP's") \
    P(U32, throttle, 32, 1, 65536, "insertions", "Jaleel et al., ISCA 2010", \
      "of lines that begin as BRRIP's one in so many has the value 2, the others 3")
PARAM_STRUCT(lifetime_params, LIFETIME_PARAMS);
#define ROW(...) PARAM_ROW_OF(lifetime_params, __VA_ARGS__)
static const struct param_row lifetime_rows[] = {LIFETIME_PARAMS(ROW)};
#undef ROW
#define LIFETIME_STATS(S) \
    RRIP_STATS(S) \
    S(STAT_SUM, periods, "periods", "periods") \
    S(STAT_SUM, gpu_short, "periods", "of these, periods after which the GPU's lines began as BRRIP's") \
    S(STAT_SUM, cpu_short, "periods", "the same of CPU programs, summed over them")
STAT_STRUCT(lifetime_stats, LIFETIME_STATS);
#define ROW(...) STAT_ROW_OF(lifetime_stats, __VA_ARGS__)
static const struct stat_row lifetime_stat_rows[] = {LIFETIME_STATS(ROW)};
#undef ROW

enum { CLASS_GPU, CLASS_CPU, CLASSES = CLASS_CPU + 8 };
/* Of a frame. */
struct lifetime_line {
    uint8_t owner; /* class and one of a sampled line; 0: not sampled, or known to be used again */
};
struct lifetime {
    struct lifetime_stats stats;
    struct lifetime_params params;
    uint64_t accesses[CLASSES], inserted[CLASSES], reused[CLASSES]; /* of this period; the latter of sampled sets */
    uint64_t began;
    uint32_t sets, distance, n_sampled, count;
    bool is_short[CLASSES];
    size_t lines_at;
    uint8_t next_owner; /* of the line that is inserted */
};

static struct lifetime_line *lines_of(void *self)
{
    return (struct lifetime_line *)(void *)((char *)self + ((struct lifetime *)self)->lines_at);
}

static size_t lifetime_carried(const void *params, const struct mech_env *env)
{
    (void)params;
    return (size_t)env->l2_frames * sizeof(struct lifetime_line);
}

static int lifetime_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct lifetime *h = self;
    const uint32_t all = env->l2_banks * env->l2_sets;
    (void)err;
    h->params = *(const struct lifetime_params *)params;
    h->sets = env->l2_sets;
    h->n_sampled = h->params.sampled_sets < all ? h->params.sampled_sets : all ? all : 1;
    h->distance = all ? all / h->n_sampled : 1;
    h->lines_at = env->carried_at;
    h->began = env->now;
    return 0;
}

static uint32_t class_of(const struct l2_request *r)
{
    return r->from == L2_FROM_CPU ? CLASS_CPU + r->requester % (CLASSES - CLASS_CPU) : CLASS_GPU;
}

static bool is_sampled(const struct lifetime *h, const struct l2_request *r)
{
    const uint32_t place = r->bank * h->sets + r->set;
    return place % h->distance == 0 && place / h->distance < h->n_sampled;
}

static enum l2_insertion lifetime_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct lifetime *h = self;
    const uint32_t class = class_of(r);
    const bool samples = is_sampled(h, r);
    const uint8_t value =
        !samples && h->is_short[class] ? rrip_bimodal(&h->count, h->params.throttle) : (uint8_t)RRIP_LONG;
    (void)set;
    h->next_owner = samples ? (uint8_t)(class + 1) : 0;
    h->inserted[class] += samples;
    ++*(value == RRIP_LONG ? &h->stats.inserted_long : &h->stats.inserted_distant);
    return rrip_insertion(value);
}

static void lifetime_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct lifetime *h = self;
    h->accesses[class_of(r)]++;
    if (access->outcome == L2_MISSED) lines_of(self)[access->frame].owner = h->next_owner;
    if (access->outcome != L2_HIT) return;
    struct lifetime_line *line = &lines_of(self)[access->frame];
    if (line->owner) h->reused[line->owner - 1]++;
    line->owner = 0; /* counted once */
}

static double load_of(const struct lifetime *h, uint32_t class)
{
    uint64_t busiest = 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        if (c != class && h->accesses[c] > busiest) busiest = h->accesses[c];
    return (double)h->accesses[class] / (double)(h->accesses[class] + busiest + 1);
}

static void decide(struct lifetime *h)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        const double reuse = h->inserted[c] ? (double)h->reused[c] / (double)h->inserted[c] : 1;
        const double score = reuse - h->params.base - h->params.slope * load_of(h, c);
        h->is_short[c] = h->inserted[c] && score < 0;
        *(c == CLASS_GPU ? &h->stats.gpu_short : &h->stats.cpu_short) += h->is_short[c];
    }
    for (uint32_t c = 0; c < CLASSES; c++) h->accesses[c] = h->inserted[c] = h->reused[c] = 0;
    h->stats.periods++;
}

static uint64_t lifetime_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct lifetime *h = self;
    if (sm->sm) return UINT64_MAX;
    if (now > h->began) decide(h);
    return now + h->params.period;
}

static const void *lifetime_stats_of(const void *self) { return &((const struct lifetime *)self)->stats; }

static size_t lifetime_waits(const void *params, struct mech_wait *out)
{
    const struct lifetime_params *p = params;
    out[0] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    return 1;
}

/* The owner of a line is kept in sampled sets; features are of the GPU and one CPU program. */
static size_t lifetime_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct lifetime_params *p = params;
    const uint32_t sets = env->l2_banks * env->l2_sets, sampled = p->sampled_sets < sets ? p->sampled_sets : sets;
    out[0] = rrip_cost(env);
    out[1] =
        (struct mech_cost){"owners of sampled lines, four bits each", 0, 4ull * sampled * env->l2_ways, STORAGE_ARRAY};
    out[2] = (struct mech_cost){"accesses, insertions and reuses, of 32 bits", 0, 2 * 3 * 32, STORAGE_REGISTER};
    return 3;
}

const struct mech_type mech_lifetime = {
    .name = "lifetime",
    .title = "L2 insertion by a learned rule of each requester's reuse and load",
    .source = "own; features of TECHNIQUES 5.1",
    .cost = lifetime_cost,
    .params = {"lifetime", lifetime_rows, COUNT_OF(lifetime_rows), sizeof(struct lifetime_params)},
    .stats = {"lifetime", lifetime_stat_rows, COUNT_OF(lifetime_stat_rows), sizeof(struct lifetime_stats)},
    .state_size = sizeof(struct lifetime),
    .carried = lifetime_carried,
    .waits = lifetime_waits,
    .init = lifetime_init,
    .stats_of = lifetime_stats_of,
    .epoch = lifetime_epoch,
    .l2_replacement = "srrip",
    .l2_insert = lifetime_insert,
    .l2_on_access = lifetime_on_access,
};
