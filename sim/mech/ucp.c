/* UCP: the ways of L2 are shared out by what each class of requesters would gain from them.
 *                                                                       [Qureshi, Patt, MICRO 2006; TECHNIQUES 5.1.1]
 * On a miss a class with fewer lines in the set than its quota takes a line of the others, else its own: that which the
 * replacement policy lets go first, usually the least recently used. Until the first partition all share the set. Ways
 * that no class gains from go round (the paper does not say where). A class that the last partition did not know has a
 * quota of one way. */
#include "ucp.h"
#include "poise/log2.h"

#define ROW(...) PARAM_ROW_OF(ucp_params, __VA_ARGS__)
static const struct param_row ucp_rows[] = {UCP_PARAMS(ROW)};
#undef ROW
#define ROW(...) STAT_ROW_OF(ucp_stats, __VA_ARGS__)
static const struct stat_row ucp_stat_rows[] = {UCP_STATS(ROW)};
#undef ROW

/* ---- what UCP and TAP-UCP share ---- */

static uint32_t sampled_of(const struct ucp_params *params, const struct mech_env *env)
{
    const uint32_t sets = env->l2_banks * env->l2_sets;
    return params->sampled_sets < sets ? params->sampled_sets : sets ? sets : 1;
}

static size_t tags_offset(const struct mech_env *env) { return ((size_t)env->l2_frames + 3) / 4 * 4; }

size_t ucp_bytes(const struct ucp_params *params, const struct mech_env *env)
{
    return tags_offset(env) + (size_t)UCP_CLASSES * sampled_of(params, env) * env->l2_ways * sizeof(uint32_t);
}

/* Of a class's monitor: tags of 24 bits, valid, order. */
static uint64_t monitor_bits(const struct ucp_params *params, const struct mech_env *env)
{
    return (uint64_t)sampled_of(params, env) * env->l2_ways * (25 + log2_ceil(env->l2_ways));
}

size_t ucp_costs(const struct ucp_params *params, const struct mech_env *env, struct mech_cost *out)
{
    const uint64_t classes = params->groups + 1;
    out[0] = (struct mech_cost){"monitors' tags, of the groups and a CPU core", 0, classes * monitor_bits(params, env),
                                STORAGE_ARRAY};
    out[1] =
        (struct mech_cost){"owner of each line of L2", 0, env->l2_frames * log2_ceil((uint32_t)classes), STORAGE_ARRAY};
    out[2] = (struct mech_cost){"hits by place, of 32 bits, and quotas", 0,
                                classes * env->l2_ways * 32 + classes * log2_ceil(env->l2_ways + 1), STORAGE_REGISTER};
    return 3;
}

size_t ucp_events(const struct ucp_params *params, const struct mech_env *env, struct mech_event *out)
{
    out[0] = (struct mech_event){"a monitor's set is looked up", "monitored",
                                 env->l2_ways * (25.0 + log2_ceil(env->l2_ways)), monitor_bits(params, env)};
    return 1;
}

size_t ucp_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"partitioning", {"taken_from_others"}};
    return 1;
}

void ucp_begin(struct ucp *u, const struct ucp_params *params, const struct mech_env *env)
{
    const uint32_t n = sampled_of(params, env), sets = env->l2_banks * env->l2_sets;
    *u = (struct ucp){.params = *params,
                      .sms = env->sms,
                      .ways = env->l2_ways,
                      .sets = env->l2_sets,
                      .n_sampled = n,
                      .distance = sets ? sets / n : 1,
                      .owners_at = env->carried_at,
                      .tags_at = env->carried_at + tags_offset(env)};
}

static uint32_t ucp_class(const struct ucp *u, const struct l2_request *r)
{
    if (r->from == L2_FROM_CPU) return u->params.groups + r->requester % CPU_CLASSES;
    return r->from == L2_FROM_SM ? r->requester * u->params.groups / u->sms % u->params.groups : 0;
}

/* The class's tags of a sampled set, newest first, as line + 1; 0: nothing yet. */
static void monitor(struct ucp *u, void *self, uint32_t class, uint32_t sampled, uint32_t line)
{
    uint32_t *tags =
        (uint32_t *)(void *)((char *)self + u->tags_at) + ((size_t) class * u->n_sampled + sampled) * u->ways;
    uint32_t at = 0;
    while (at < u->ways && tags[at] != line + 1) at++;
    if (at < u->ways) u->hits[class][at]++;
    else at = u->ways - 1;
    for (; at > 0; at--) tags[at] = tags[at - 1];
    tags[0] = line + 1;
}

void ucp_access(struct ucp *u, void *self, const struct l2_request *r, const struct l2_access *access,
                struct ucp_stats *stats)
{
    uint8_t *owners = (uint8_t *)self + u->owners_at;
    const uint32_t class = ucp_class(u, r), place = r->bank * u->sets + r->set;
    u->is_seen[class] = true;
    if (access->outcome == L2_MISSED) {
        stats->taken_from_others += owners[access->frame] && owners[access->frame] != class + 1;
        owners[access->frame] = (uint8_t)(class + 1);
    }
    if (place % u->distance || place / u->distance >= u->n_sampled) return;
    stats->monitored++;
    monitor(u, self, class, place / u->distance, r->line);
}

bool ucp_share(const struct ucp *u, const void *self, const struct l2_request *r, const struct l2_set *set)
{
    const uint8_t *owners = (const uint8_t *)self + u->owners_at;
    const uint32_t class = ucp_class(u, r);
    uint32_t has = 0;
    if (!u->has_partition) return true;
    for (uint32_t i = 0; i < set->n; i++)
        if (owners[set->ways[i].frame] == class + 1) has += set->ways[i].parts;
    const bool own = has >= (u->quota[class] ? u->quota[class] : 1) * set->parts;
    return (owners[set->ways[set->at].frame] == class + 1) == own;
}

/* The largest gain a way that up to `left` more ways bring, and with how many of them. */
static double best_step(const double utility[], uint32_t has, uint32_t left, uint32_t *ways)
{
    double best = -1;
    for (uint32_t w = 1; w <= left; w++) {
        const double gain = (utility[has + w] - utility[has]) / w;
        if (gain <= best) continue;
        best = gain;
        *ways = w;
    }
    return best;
}

void ucp_look_ahead(uint32_t n, uint32_t ways, const double utility[][L2_WAYS_MAX + 1], const bool takes_rest[],
                    uint32_t quota[])
{
    uint32_t left = ways > n ? ways - n : 0;
    for (uint32_t c = 0; c < n; c++) quota[c] = 1;
    while (left) {
        uint32_t winner = n, granted = 0;
        double best = 0;
        for (uint32_t c = 0; c < n; c++) {
            uint32_t step = 0;
            const double gain = best_step(utility[c], quota[c], left, &step);
            if (gain <= best) continue;
            best = gain;
            winner = c;
            granted = step;
        }
        for (uint32_t c = 0; winner == n && c < n; c++) /* nobody gains any more */
            if (takes_rest[c]) winner = c, granted = 1;
        for (uint32_t c = 0; best == 0 && c < n; c++)
            if (takes_rest[c] && (quota[c] < quota[winner] || (quota[c] == quota[winner] && c < winner))) winner = c;
        if (winner == n) return;
        quota[winner] += granted;
        left -= granted;
    }
}

void ucp_repartition(struct ucp *u, double gpu_divisor, bool gpu_counts, struct ucp_stats *stats)
{
    double utility[UCP_CLASSES][L2_WAYS_MAX + 1] = {{0}};
    uint32_t class[UCP_CLASSES], quota[UCP_CLASSES], n = 0;
    bool takes_rest[UCP_CLASSES];
    for (uint32_t c = 0; c < UCP_CLASSES; c++) {
        const bool is_gpu = c < u->params.groups;
        u->quota[c] = 0;
        for (uint32_t w = 0; w < u->ways && u->is_seen[c]; w++)
            utility[n][w + 1] = utility[n][w] + (!is_gpu      ? (double)u->hits[c][w]
                                                 : gpu_counts ? (double)u->hits[c][w] / gpu_divisor
                                                              : 0);
        for (uint32_t w = 0; w < u->ways; w++) u->hits[c][w] /= 2;
        takes_rest[n] = !is_gpu || gpu_counts;
        class[n] = c;
        n += u->is_seen[c];
        if (n == UCP_CLASSES) break;
    }
    u->has_partition = n > 1 && n <= u->ways;
    if (!u->has_partition) return;
    ucp_look_ahead(n, u->ways, utility, takes_rest, quota);
    for (uint32_t i = 0; i < n; i++) {
        u->quota[class[i]] = quota[i];
        *(class[i] < u -> params.groups ? &stats->gpu_ways : &stats->cpu_ways) += quota[i];
    }
    stats->repartitions++;
}

/* ---- the mechanism ---- */

struct ucp_policy {
    struct ucp_stats stats;
    struct ucp ucp;
    uint64_t began;
};

static size_t ucp_carried(const void *params, const struct mech_env *env) { return ucp_bytes(params, env); }

static int ucp_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    (void)err;
    ucp_begin(&((struct ucp_policy *)self)->ucp, params, env);
    ((struct ucp_policy *)self)->began = env->now;
    return 0;
}

static void ucp_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct ucp_policy *h = self;
    ucp_access(&h->ucp, self, r, access, &h->stats);
}

static bool ucp_l2_share(void *self, const struct l2_request *r, const struct l2_set *set)
{
    return ucp_share(&((struct ucp_policy *)self)->ucp, self, r, set);
}

static uint64_t ucp_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct ucp_policy *h = self;
    if (sm->sm) return UINT64_MAX;
    if (now > h->began) {
        ucp_repartition(&h->ucp, 1, true, &h->stats);
        sm->l2_ask_again(sm->machine);
    }
    return now + h->ucp.params.repartition;
}

static const void *ucp_stats_of(const void *self) { return &((const struct ucp_policy *)self)->stats; }

static size_t ucp_waits(const void *params, struct mech_wait *out)
{
    const struct ucp_params *p = params;
    out[0] = (struct mech_wait){"repartition", p->repartition, WAIT_CYCLES};
    return 1;
}

static size_t ucp_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    return ucp_costs(params, env, out);
}

static size_t ucp_own_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    return ucp_events(params, env, out);
}

const struct mech_type mech_ucp = {
    .name = "ucp",
    .title = "L2 partitioned by utility",
    .source = "Qureshi, Patt, MICRO 2006; TECHNIQUES 5.1.1",
    .cost = ucp_cost,
    .events = ucp_own_events,
    .params = {"ucp", ucp_rows, COUNT_OF(ucp_rows), sizeof(struct ucp_params)},
    .stats = {"ucp", ucp_stat_rows, COUNT_OF(ucp_stat_rows), sizeof(struct ucp_stats)},
    .state_size = sizeof(struct ucp_policy),
    .carried = ucp_carried,
    .waits = ucp_waits,
    .acts = ucp_acts,
    .init = ucp_init,
    .stats_of = ucp_stats_of,
    .epoch = ucp_epoch,
    .l2_share = ucp_l2_share,
    .l2_on_access = ucp_on_access,
};
