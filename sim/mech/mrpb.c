/* MRPB: memory request prioritisation buffer, as the paper on BUCL compares with.
 * [BUCL §I, §V, §VI; MECHANISMS 'BUCL']
 *
 *   coalescer --> FIFO of warp 0 --+
 *             --> FIFO of warp 1 --+--> one request a cycle --> L1 --reservation fail--> bypass of L1
 *             --> ...              |
 *
 * Line requests wait in a FIFO for each warp. A drain policy picks a warp and stays with it until its FIFO is empty,
 * so that the requests of one warp reach L1 together and warps disturb each other less; requests of one warp keep
 * their order, so memory order does too. A load that L1 cannot take bypasses it until resources are free.
 * Reordering and bypassing are switched separately.
 *
 * What the papers at hand leave open, and what we chose (all `assumed`): FIFOs of 32, as many as one divergent load
 * has line requests (a load that is longer than its FIFO stays at the head of the load-store queue, which is in
 * order, and loads of other warps behind it come to no FIFO: nothing is reordered); the oldest warp first; a request
 * spends at least a cycle in its FIFO; a request that waits for L1's access port stays there; any stall bypasses, as
 * BUCL §V says of it (`bypass=line`: only a set without a line to replace); shared memory does not pass the FIFOs; a
 * load that bypasses L1 brings the sectors that it touches. Cost an SM (48 warps, FIFOs of 32): 1536 entries of
 * 25 + 4 + 9 bits (line, sectors, load) and 48 heads and counts of 6 bits each: 58944 bits or 7.2 KB, and a selector of
 * 48; with FIFOs of 8 it is 1.8 KB [TSC Tab. 3: 1.21 KB]. */
#include "net/msg.h"
#include "poise/sys/hooks.h"
#include "poise/log2.h"

#define MRPB_PARAMS(P) \
    P(FLAG, reorder, 1, 0, 1, "flag", "BUCL VI", "requests wait in a FIFO a warp") \
    P(ENUM, bypass, 2, 0, 2, "never|line|any", "BUCL V", \
      "loads that bypass L1: none; those that find every line of their set reserved; those that L1 cannot take") \
    P(U32, depth, 32, 1, 32, "requests", "assumed", "entries of a FIFO: a load of 32 lanes has up to 32 requests") \
    P(ENUM, drain, 0, 0, 2, "oldest|longest|rotate", "assumed", \
      "warp that is drained next: the oldest; that with most requests; in turn") \
    P(FLAG, greedy, 1, 0, 1, "flag", "assumed", \
      "a warp is drained until its FIFO is empty; else each request is picked again") \
    FETCH_PARAM(P, "assumed; GPGPU-Sim 3.2.2")
PARAM_STRUCT(mrpb_params, MRPB_PARAMS);
#define ROW(...) PARAM_ROW_OF(mrpb_params, __VA_ARGS__)
static const struct param_row mrpb_rows[] = {MRPB_PARAMS(ROW)};
#undef ROW

#define MRPB_STATS(S) \
    S(STAT_SUM, ordered, "requests", "requests that passed the FIFOs") \
    S(STAT_SUM, drains, "drains", "times another warp than the last was picked") \
    S(STAT_PEAK, peak, "requests", "most requests that waited in one SM") \
    S(STAT_SUM, bypassed_line, "requests", "loads that bypass L1 because every line of the set was reserved") \
    S(STAT_SUM, bypassed_mshr, "requests", "loads that bypass L1 because every MSHR was taken") \
    S(STAT_SUM, bypassed_merge, "requests", "loads that bypass L1 because the MSHR could not merge more")
STAT_STRUCT(mrpb_stats, MRPB_STATS);
#define ROW(...) STAT_ROW_OF(mrpb_stats, __VA_ARGS__)
static const struct stat_row mrpb_stat_rows[] = {MRPB_STATS(ROW)};
#undef ROW
static const struct ratio_row mrpb_ratios[] = {
    RATIO_ROW_OF(mrpb_stats, mean_drain, ordered, drains, "requests of one warp in a row, mean")};

enum { SLOTS = 64, DEPTH = 32, NO_SLOT = SLOTS };
enum { BYPASS_NEVER, BYPASS_LINE, BYPASS_ANY };
enum { DRAIN_OLDEST, DRAIN_LONGEST, DRAIN_ROTATE };
struct buffer { /* of an SM */
    struct line_access items[SLOTS][DEPTH];
    uint8_t head[SLOTS], count[SLOTS];
    uint32_t uid[SLOTS];
    uint64_t waiting; /* slots whose FIFO holds something */
    uint32_t n, current, last;
};
struct mrpb {
    struct mrpb_stats stats;
    struct mrpb_params params;
    struct buffer sms[];
};

static int mrpb_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct mrpb *h = self;
    (void)err;
    h->params = *(const struct mrpb_params *)params;
    for (uint32_t i = 0; i < env->sms; i++) h->sms[i].current = h->sms[i].last = NO_SLOT;
    return 0;
}

/* ---- the FIFOs ---- */

static bool mrpb_is_on(const void *self) { return ((const struct mrpb *)self)->params.reorder; }

static bool mrpb_has_room(const void *self, uint32_t sm, uint32_t slot)
{
    const struct mrpb *h = self;
    return h->sms[sm].count[slot] < h->params.depth;
}

static void mrpb_push(void *self, uint32_t sm, const struct line_access *access, uint64_t now)
{
    struct mrpb *h = self;
    struct buffer *b = &h->sms[sm];
    const uint32_t slot = access->warp;
    (void)now;
    b->items[slot][(b->head[slot] + b->count[slot]++) % DEPTH] = *access;
    b->waiting |= 1ull << slot;
    if (++b->n > h->stats.peak) h->stats.peak = b->n;
    h->stats.ordered++;
}

static uint32_t pick(const struct mrpb *h, const struct buffer *b)
{
    uint32_t best = NO_SLOT;
    if (h->params.drain == DRAIN_ROTATE) {
        const uint64_t after = b->last < SLOTS - 1 ? b->waiting & ~0ull << (b->last + 1) : 0;
        return (uint32_t)__builtin_ctzll(after ? after : b->waiting);
    }
    for (uint64_t left = b->waiting; left; left &= left - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const bool is_longer = best != NO_SLOT && h->params.drain == DRAIN_LONGEST && b->count[slot] != b->count[best];
        if (best == NO_SLOT || (is_longer ? b->count[slot] > b->count[best] : b->uid[slot] < b->uid[best])) best = slot;
    }
    return best;
}

static struct line_access *mrpb_peek(void *self, uint32_t sm)
{
    struct mrpb *h = self;
    struct buffer *b = &h->sms[sm];
    if (b->current == NO_SLOT) {
        b->current = pick(h, b);
        h->stats.drains += b->current != b->last;
        b->last = b->current;
    }
    return &b->items[b->current][b->head[b->current]];
}

static void mrpb_take(void *self, uint32_t sm)
{
    struct mrpb *h = self;
    struct buffer *b = &h->sms[sm];
    const uint32_t slot = b->current;
    b->head[slot] = (uint8_t)((b->head[slot] + 1) % DEPTH);
    b->n--;
    if (--b->count[slot] == 0) b->waiting &= ~(1ull << slot);
    if (!b->count[slot] || !h->params.greedy) b->current = NO_SLOT;
}

static uint32_t mrpb_count(const void *self, uint32_t sm) { return ((const struct mrpb *)self)->sms[sm].n; }

static const struct order_ops mrpb_order = {mrpb_is_on, mrpb_has_room, mrpb_push, mrpb_peek, mrpb_take, mrpb_count};

static void mrpb_warp_start(void *self, const struct warp_event *event)
{
    ((struct mrpb *)self)->sms[event->sm].uid[event->slot] = event->uid;
}

/* ---- bypass of L1 ---- */

static enum route mrpb_on_fail(void *self, const struct fail_event *event)
{
    struct mrpb *h = self;
    if (h->params.bypass == BYPASS_NEVER || (h->params.bypass == BYPASS_LINE && event->cause != FAIL_LINE))
        return ROUTE_ANY;
    if (event->has_room) {
        h->stats.bypassed_line += event->cause == FAIL_LINE;
        h->stats.bypassed_mshr += event->cause == FAIL_MSHR;
        h->stats.bypassed_merge += event->cause == FAIL_MERGE;
    }
    return route_bypass((enum load_fetch)h->params.fetch);
}

static const void *mrpb_stats_of(const void *self) { return &((const struct mrpb *)self)->stats; }

/* Line numbers of 128 bytes in 32 bits of address, 4 sectors, one of 512 loads; heads and counts of FIFOs of
 * `depth`. */
static size_t mrpb_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct mrpb_params *p = params;
    const uint64_t warps = (uint64_t)env->W * env->schedulers, bits = bit_width(p->depth);
    if (!p->reorder) return 0;
    out[0] =
        (struct mech_cost){"FIFO entries: line 25, sectors 4, load 9 bits", 38 * p->depth * warps, 0, STORAGE_QUEUE};
    out[1] = (struct mech_cost){"heads and counts of the FIFOs", 2 * bits * warps, 0, STORAGE_REGISTER};
    return 2;
}

static size_t mrpb_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    const struct mrpb_params *p = params;
    if (!p->reorder) return 0;
    out[0] = (struct mech_event){"a FIFO's entry is written and read", "ordered", 2 * 38,
                                 38ull * p->depth * env->W * env->schedulers};
    return 1;
}

static size_t mrpb_acts(const void *params, struct mech_act *out)
{
    const struct mrpb_params *p = params;
    size_t n = 0;
    if (p->reorder) out[n++] = (struct mech_act){"reordering", {"drains"}};
    if (p->bypass) out[n++] = (struct mech_act){"bypassing", {"bypassed_line", "bypassed_mshr", "bypassed_merge"}};
    return n;
}

const struct mech_type mech_mrpb = {
    .name = "mrpb",
    .title = "memory request prioritisation buffer",
    .source = "BUCL I, V",
    .params = {"mrpb", mrpb_rows, COUNT_OF(mrpb_rows), sizeof(struct mrpb_params)},
    .stats = {"mrpb", mrpb_stat_rows, COUNT_OF(mrpb_stat_rows), sizeof(struct mrpb_stats)},
    .ratios = mrpb_ratios,
    .n_ratios = COUNT_OF(mrpb_ratios),
    .state_size = sizeof(struct mrpb),
    .per_sm_size = sizeof(struct buffer),
    .acts = mrpb_acts,
    .init = mrpb_init,
    .stats_of = mrpb_stats_of,
    .cost = mrpb_cost,
    .events = mrpb_events,
    .warp_start = mrpb_warp_start,
    .request_order = &mrpb_order,
    .on_reservation_fail = mrpb_on_fail,
};
