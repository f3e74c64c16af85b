/* CCWS: cache-conscious wavefront scheduling, the dynamic one.   [THESIS §5.3.1, §5.7.3; MECHANISMS 'CCWS']
 *
 * Lines that L1 evicts are remembered in a victim tag array of the warp that brought them. A warp that misses on a
 * line it had lost this way lost locality: its score is incremented by LLDS = VTA hits x K_throttle x cutoff /
 * instructions issued, and decays by one a cycle to the base. Warps are stacked by score, highest first; those past
 * the cutoff, warps x base score, may not issue loads. So the warps that lose most keep the cache to themselves
 * until they have what they need.
 *
 * What the papers at hand leave open, and what we chose: VTA hits and instructions are the SM's, since the launch
 * began; the increment is LLDS (`on_hit=set`: the score becomes LLDS, as other accounts have it); a score has no
 * upper limit (option `cap`); a warp may load if the sum of the scores above it and its own is within the cutoff,
 * and the first always may; equal scores stand by age; every unfinished warp of the SM counts, waiting or not; a
 * miss merged into a pending one is no probe; a hit takes the tag out; lines invalidated by stores are no victims; a
 * line belongs to the launch-unique warp that allocated it, and is forgotten if that has ended; a score counts from
 * the cycle after its access; both schedulers of an SM share one stack. Cost an SM (48 warps, 128 lines): victim
 * tags 48 x 16 x (24 tag + 1 valid + 3 LRU) = 21504 bits, owners of L1 lines 128 x 6, scores 48 x 16, two 32-bit
 * counters: 23104 bits or 2.8 KB, and a sorter of 48. */
#include "ccws.h"
#include "poise/mech.h"
#include "timeline.h"
#include <string.h>
#include "poise/log2.h"

#define ROW(...) PARAM_ROW_OF(ccws_params, __VA_ARGS__)
static const struct param_row ccws_rows[] = {CCWS_PARAMS(ROW)};
#undef ROW
#define ROW(...) STAT_ROW_OF(ccws_stats, __VA_ARGS__)
static const struct stat_row ccws_stat_rows[] = {CCWS_STATS(ROW)};
#undef ROW
static const struct ratio_row ccws_ratios[] = {
    RATIO_ROW_OF(ccws_stats, mean_warps, warp_cycles, sm_cycles, "unfinished warps of an SM, mean"),
    RATIO_ROW_OF(ccws_stats, mean_loadable, loadable_cycles, sm_cycles, "of these, warps that may issue loads, mean"),
    RATIO_ROW_OF(ccws_stats, vta_hit_rate, vta_hits, vta_probes, "victim-tag hits over probes")};

/* ---- victim tags ---- */

static uint32_t *vta_set(struct ccws_warp *w, const struct ccws_params *params, uint32_t line)
{
    return w->tags + line % (params->vta_entries / params->vta_ways) * params->vta_ways;
}

static void move_to_front(uint32_t *tags, uint32_t way, uint32_t tag)
{
    memmove(tags + 1, tags, way * sizeof *tags);
    tags[0] = tag;
}

static void vta_insert(struct ccws_warp *w, const struct ccws_params *params, uint32_t line)
{
    uint32_t *tags = vta_set(w, params, line), way = 0;
    while (way + 1 < params->vta_ways && tags[way] != line + 1) way++;
    move_to_front(tags, way, line + 1);
}

static bool vta_take(struct ccws_warp *w, const struct ccws_params *params, uint32_t line)
{
    uint32_t *tags = vta_set(w, params, line);
    for (uint32_t way = 0; way < params->vta_ways; way++) {
        if (tags[way] != line + 1) continue;
        memmove(tags + way, tags + way + 1, (params->vta_ways - way - 1) * sizeof *tags);
        tags[params->vta_ways - 1] = 0;
        return true;
    }
    return false;
}

static int slot_of(const struct ccws_sm *c, uint32_t uid)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->warps[c->order[i]].uid == uid) return c->order[i];
    return CCWS_NO_WARP;
}

/* ---- the stack of scores ---- */

static uint64_t above_base(const struct ccws_warp *w, uint64_t now) { return w->until > now ? w->until - now : 0; }

static bool stands_before(const struct ccws_warp *a, const struct ccws_warp *b, uint64_t now)
{
    const uint64_t x = above_base(a, now), y = above_base(b, now);
    return x != y ? x > y : a->uid < b->uid;
}

/* Nearly sorted already: insertion. */
static void sort(struct ccws_sm *c, uint64_t now)
{
    for (uint32_t i = 1; i < c->n; i++) {
        const uint8_t slot = c->order[i];
        uint32_t k = i;
        for (; k > 0 && stands_before(&c->warps[slot], &c->warps[c->order[k - 1]], now); k--)
            c->order[k] = c->order[k - 1];
        c->order[k] = slot;
    }
}

void ccws_account(struct ccws_sm *c, struct ccws_stats *stats, uint64_t now)
{
    const uint64_t cycles = now - c->since;
    c->since = now;
    if (!c->n) return;
    stats->sm_cycles += cycles;
    stats->warp_cycles += cycles * c->n;
    stats->loadable_cycles += cycles * (uint32_t)__builtin_popcountll(c->may_load);
}

/* Decides who may load, and returns the next cycle at which decay alone changes that. Until a warp reaches the base the
 * order stays, and the sum up to the first warp past the cutoff shrinks by one a cycle for each warp still decaying. */
static uint64_t decide(struct ccws_sm *c, const struct ccws_params *params, uint64_t now)
{
    const uint64_t cutoff = (uint64_t)c->n * params->base_score;
    uint64_t sum = 0, slots = 0, next = UINT64_MAX, decaying = 0;
    sort(c, now);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct ccws_warp *w = &c->warps[c->order[i]];
        const uint64_t above = above_base(w, now);
        sum += params->base_score + above;
        if (above) {
            decaying++;
            if (now + above < next) next = now + above;
        }
        if (sum <= cutoff || i == 0) {
            slots |= 1ull << c->order[i];
            continue;
        }
        /* a sum past the cutoff has a warp above base */
        const uint64_t cycles = (sum - cutoff + decaying - 1) / decaying;
        if (now + cycles < next) next = now + cycles;
        break;
    }
    c->may_load = slots;
    return next;
}

uint64_t ccws_may_load(struct ccws_sm *c, const struct ccws_params *params, struct ccws_stats *stats, uint64_t now,
                       uint64_t *ask_at)
{
    if (c->is_stale || now >= c->decided_at) {
        const uint64_t old = c->may_load;
        ccws_account(c, stats, now);
        c->decided_at = decide(c, params, now);
        c->is_stale = false;
        stats->decisions++;
        stats->changes += c->may_load != old;
    }
    mask_again(ask_at, c->decided_at);
    return c->may_load;
}

/* ---- what it is told ---- */

void ccws_start(struct ccws_sm *c, const struct warp_event *event)
{
    memset(&c->warps[event->slot], 0, sizeof c->warps[event->slot]);
    c->warps[event->slot].uid = event->uid;
    if (!c->n) c->since = event->now;
    c->order[c->n++] = (uint8_t)event->slot;
    c->is_stale = true;
    mask_again(event->ask_at, event->now + 1);
}

void ccws_exit(struct ccws_sm *c, struct ccws_stats *stats, const struct warp_event *event)
{
    ccws_account(c, stats, event->now);
    uint32_t i = 0;
    while (c->order[i] != event->slot) i++;
    memmove(c->order + i, c->order + i + 1, c->n - i - 1);
    c->n--;
    c->may_load &= ~(1ull << event->slot);
    c->is_stale = true;
    mask_again(event->ask_at, event->now + 1);
}

void ccws_evict(struct ccws_sm *c, const struct ccws_params *params, struct ccws_stats *stats,
                const struct line_event *event)
{
    if (event->by_store) return;
    const int slot = slot_of(c, event->allocator);
    if (slot == CCWS_NO_WARP) {
        stats->orphans++;
        return;
    }
    stats->victims++;
    vta_insert(&c->warps[slot], params, event->line);
}

void ccws_access(struct ccws_sm *c, const struct ccws_params *params, struct ccws_stats *stats,
                 const struct access_event *event)
{
    struct ccws_warp *w = &c->warps[event->slot];
    if (c->is_late) c->insts_before = event->insts;
    c->is_late = false;
    if (event->outcome != ACCESS_MISS) return;
    stats->vta_probes++;
    if (!vta_take(w, params, event->line)) return;
    stats->vta_hits++;
    c->hits++;
    const uint64_t cutoff = (uint64_t)c->n * params->base_score, from = event->now + 1;
    const uint64_t insts = event->insts - c->insts_before;
    uint64_t score = c->hits * params->K_throttle * cutoff / (insts ? insts : 1);
    if (params->on_hit == CCWS_ADD) score += params->base_score + above_base(w, from);
    if (params->cap && score > cutoff) score = cutoff;
    w->until = score > params->base_score ? from + score - params->base_score : 0;
    if (score > stats->peak_score) stats->peak_score = score;
    c->is_stale = true;
    mask_again(event->ask_at, from);
}

static int ccws_check(const void *params, struct error *err)
{
    const struct ccws_params *p = params;
    if (p->vta_entries % p->vta_ways)
        return error_set(err, ERR_INPUT, "ccws: %u victim tags are no multiple of %u ways", p->vta_entries,
                         p->vta_ways);
    return 0;
}

/* ---- the mechanism ---- */

struct ccws {
    struct ccws_stats stats;
    struct ccws_params params;
    struct gpu_timeline *timeline;
    uint32_t n_sms;
    struct ccws_sm sms[];
};

static int ccws_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct ccws *h = self;
    h->params = *(const struct ccws_params *)params;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    for (uint32_t i = 0; i < env->sms; i++) h->sms[i].is_late = env->now > 0;
    return ccws_check(params, err);
}

static uint64_t ccws_warp_may_load(void *self, const struct warp_set *set)
{
    struct ccws *h = self;
    struct ccws_sm *c = &h->sms[set->sm];
    const uint64_t before = c->may_load, slots = ccws_may_load(c, &h->params, &h->stats, set->now, set->ask_at);
    if (h->timeline && __builtin_popcountll(before) != __builtin_popcountll(slots))
        timeline_loadable(h->timeline, set->sm, set->now, (uint32_t)__builtin_popcountll(slots));
    return ccws_by_age(set, slots);
}

static void ccws_warp_start(void *self, const struct warp_event *event)
{
    ccws_start(&((struct ccws *)self)->sms[event->sm], event);
}

static void ccws_warp_exit(void *self, const struct warp_event *event)
{
    struct ccws *h = self;
    ccws_exit(&h->sms[event->sm], &h->stats, event);
}

static void ccws_on_access(void *self, const struct access_event *event)
{
    struct ccws *h = self;
    ccws_access(&h->sms[event->sm], &h->params, &h->stats, event);
}

static void ccws_on_evict(void *self, const struct line_event *event)
{
    struct ccws *h = self;
    ccws_evict(&h->sms[event->sm], &h->params, &h->stats, event);
}

static void ccws_end(void *self, uint64_t now)
{
    struct ccws *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) ccws_account(&h->sms[i], &h->stats, now);
}

static const void *ccws_stats_of(const void *self) { return &((const struct ccws *)self)->stats; }

/* As the head of this file counts. */
static size_t ccws_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct ccws_params *p = params;
    const uint64_t vta = p->vta_entries, warps = env->warps, lines = 128; /* of 16 KB */
    const uint32_t order = log2_ceil(p->vta_ways), id = log2_ceil((uint32_t)warps);
    out[0] = (struct mech_cost){"victim tags: tag 24, valid, order", warps * vta * (25 + order), 0, STORAGE_ARRAY};
    out[1] = (struct mech_cost){"owners of lines of a 16 KB L1", lines * id, 0, STORAGE_ARRAY};
    out[2] = (struct mech_cost){"scores of 16 bits, two counters", warps * 16 + 64, 0, STORAGE_REGISTER};
    return 3;
}

static size_t ccws_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    const struct ccws_params *p = params;
    const uint32_t entry = 25 + log2_ceil(p->vta_ways);
    const uint64_t array = (uint64_t)env->warps * p->vta_entries * entry;
    out[0] = (struct mech_event){"a warp's victim tags are looked up", "vta_probes", p->vta_ways * entry, array};
    out[1] = (struct mech_event){"a victim tag is written", "victims", entry, array};
    return 2;
}

static size_t ccws_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"throttling", {"changes"}};
    return 1;
}

const struct mech_type mech_ccws = {
    .name = "ccws",
    .title = "cache-conscious wavefront scheduling",
    .source = "THESIS 5.3.1",
    .cost = ccws_cost,
    .events = ccws_events,
    .params = {"ccws", ccws_rows, COUNT_OF(ccws_rows), sizeof(struct ccws_params)},
    .stats = {"ccws", ccws_stat_rows, COUNT_OF(ccws_stat_rows), sizeof(struct ccws_stats)},
    .ratios = ccws_ratios,
    .n_ratios = COUNT_OF(ccws_ratios),
    .state_size = sizeof(struct ccws),
    .per_sm_size = sizeof(struct ccws_sm),
    .acts = ccws_acts,
    .init = ccws_init,
    .check = ccws_check,
    .end = ccws_end,
    .stats_of = ccws_stats_of,
    .warp_may_load = ccws_warp_may_load,
    .warp_start = ccws_warp_start,
    .warp_exit = ccws_warp_exit,
    .on_access = ccws_on_access,
    .on_evict = ccws_on_evict,
};
