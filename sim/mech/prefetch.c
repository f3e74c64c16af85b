/* An L1 prefetcher: the next lines [SMITH82], or the next strides of a load, which a table of loads predicts [CHEN95],
 * one entry for each warp [LEE10].
 *
 *   load looks L1 up --> predicted lines --> queue of the SM --> L1: present, pending, or a miss that nobody waits for
 *
 * A queue looks L1 up once a cycle, before the SM's own accesses, through a port of its own. What finds no MSHR or no
 * room in the miss queue waits; what finds no room in the queue is dropped. Predictions end at a page, as the next page
 * of an address may lie anywhere.
 *
 * SMITH82: A. J. Smith, 'Cache Memories', ACM Computing Surveys 14(3). CHEN95: T.-F. Chen, J.-L. Baer, 'Effective
 * hardware-based data prefetching for high-performance processors', IEEE Transactions on Computers 44(5). LEE10: J.
 * Lee et al., 'Many-thread aware prefetching mechanisms for GPGPU applications', MICRO 2010. */
#include "poise/sys/hooks.h"
#include "cache/line_map.h"

enum kind { NEXT_LINE, STRIDE };
enum trigger { ON_MISS, ON_ACCESS };
enum { ENTRIES_MAX = 1024, QUEUE_MAX = 64, CERTAIN = 2 /* times in a row that a stride was seen */ };
#define PREFETCH_PARAMS(P) \
    P(ENUM, kind, NEXT_LINE, 0, 1, "next_line|stride", "SMITH82; CHEN95", "what is predicted from a load's line") \
    P(ENUM, on, ON_MISS, 0, 1, "miss|access", "SMITH82", "the look-ups of L1 that lead to prefetches") \
    P(U32, degree, 1, 1, 8, "lines", "assumed", "prefetches of one look-up") \
    P(U32, distance, 1, 1, 64, "lines or strides", "assumed", "from the line that was looked up to the first of them") \
    P(U32, entries, 256, 1, ENTRIES_MAX, "entries", "assumed", "of an SM's table of strides, found by load and warp") \
    P(U32, queue, 16, 1, QUEUE_MAX, "prefetches", "assumed", "that wait in an SM") \
    P(U32, keep_mshrs, 8, 0, 4096, "MSHRs", "assumed", "that prefetches leave to loads") \
    P(U32, page_kib, 64, 4, 2048, "KiB", "assumed", "no prefetch leaves the page of its look-up")
PARAM_STRUCT(prefetch_params, PREFETCH_PARAMS);
#define ROW(...) PARAM_ROW_OF(prefetch_params, __VA_ARGS__)
static const struct param_row prefetch_rows[] = {PREFETCH_PARAMS(ROW)};
#undef ROW

#define PREFETCH_STATS(S) \
    S(STAT_SUM, predicted, "prefetches", "lines predicted, in the page of their look-up") \
    S(STAT_SUM, queued_already, "prefetches", "of these, dropped because the line was in the queue") \
    S(STAT_SUM, queue_full, "prefetches", "of these, dropped because the queue was full") \
    S(STAT_SUM, present, "prefetches", "of these, dropped because L1 had the line") \
    S(STAT_SUM, pending, "prefetches", "of these, dropped because a miss waited for the line") \
    S(STAT_SUM, left, "prefetches", "of these, dropped because the SM's last warp had ended") \
    S(STAT_SUM, sent, "prefetches", "of these, sent to L2") \
    S(STAT_SUM, late, "prefetches", "of these, lines that a load asked for before they came") \
    S(STAT_SUM, useful, "prefetches", "of these, lines whose first load hit") \
    S(STAT_SUM, useless, "prefetches", "of these, lines that left L1 before a load asked for them") \
    S(STAT_SUM, lookups, "lookups", "lookups of L1 by the queues") \
    S(STAT_SUM, trained, "updates", "entries of the tables of strides written")
STAT_STRUCT(prefetch_stats, PREFETCH_STATS);
#define ROW(...) STAT_ROW_OF(prefetch_stats, __VA_ARGS__)
static const struct stat_row prefetch_stat_rows[] = {PREFETCH_STATS(ROW)};
#undef ROW
static const struct ratio_row prefetch_ratios[] = {
    RATIO_ROW_OF(prefetch_stats, accuracy, useful, sent, "share of the lines sent for whose first load hit"),
    RATIO_ROW_OF(prefetch_stats, late_share, late, sent, "share of them that a load asked for before they came")};

struct stride_entry {
    uint32_t pc, uid, line; /* line: of its last load's first request */
    int32_t stride;
    uint32_t load, left; /* requests of that load still to come */
    uint8_t seen;        /* times in a row that the stride was the same; 0: the entry is empty */
};
/* Lines that came or will come by a prefetch and that no load has asked for: in hardware a bit of each line. A full
 * map takes no more, which then count as neither useful nor useless. */
enum { UNUSED_SLOTS = 4096, UNUSED_MAX = 3072 };
struct sm_prefetcher {
    uint32_t warps, head, n;
    struct prefetch queue[QUEUE_MAX];
    struct stride_entry table[ENTRIES_MAX];
    uint32_t n_unused;
    struct line_slot unused[UNUSED_SLOTS];
};
struct prefetcher {
    struct prefetch_stats stats;
    struct prefetch_params params;
    uint32_t n_sms, queued;
    uint64_t first_byte, line_bytes, page_bytes;
    struct sm_prefetcher sms[];
};

/* ---- lines that nobody has asked for yet ---- */

static struct line_map unused_of(struct sm_prefetcher *s)
{
    return (struct line_map){.slots = s->unused, .mask = UNUSED_SLOTS - 1};
}

static void unused_add(struct sm_prefetcher *s, uint32_t line)
{
    struct line_map m = unused_of(s);
    if (line_map_find(&m, line) >= 0 || s->n_unused == UNUSED_MAX) return;
    line_map_add(&m, line, 0);
    s->n_unused++;
}

/* Whether it was there. */
static bool unused_remove(struct sm_prefetcher *s, uint32_t line)
{
    struct line_map m = unused_of(s);
    if (line_map_find(&m, line) < 0) return false;
    line_map_remove(&m, line);
    s->n_unused--;
    return true;
}

/* ---- predictions ---- */

static bool is_queued(const struct sm_prefetcher *s, uint32_t line)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->queue[(s->head + i) % QUEUE_MAX].line == line) return true;
    return false;
}

static uint64_t page_of(const struct prefetcher *p, uint64_t line)
{
    return (p->first_byte + line * p->line_bytes) / p->page_bytes;
}

static void predict(struct prefetcher *p, struct sm_prefetcher *s, const struct access_event *a, int32_t stride)
{
    for (uint32_t i = 0; i < p->params.degree; i++) {
        const int64_t line = a->line + (int64_t)stride * (p->params.distance + i);
        if (line < 0 || line > UINT32_MAX || page_of(p, (uint64_t)line) != page_of(p, a->line)) return;
        p->stats.predicted++;
        const bool is_there = is_queued(s, (uint32_t)line), is_full = s->n == p->params.queue;
        p->stats.queued_already += is_there;
        p->stats.queue_full += !is_there && is_full;
        if (is_there || is_full) continue;
        s->queue[(s->head + s->n++) % QUEUE_MAX] = (struct prefetch){.line = (uint32_t)line,
                                                                     .uid = a->uid,
                                                                     .pc = a->pc,
                                                                     .chunks = a->chunks,
                                                                     .sectors = a->sectors,
                                                                     .keep_mshrs = (uint16_t)p->params.keep_mshrs};
        p->queued++;
    }
}

/* The entry of the access's load, which learns from the first request of each of its executions that has left the line
 * of the one before; the others follow it by the same stride. */
static int32_t learn_stride(struct prefetcher *p, struct sm_prefetcher *s, const struct access_event *a)
{
    struct stride_entry *e = &s->table[((a->pc * 2654435761u >> 16) + a->uid) % p->params.entries];
    const bool is_its = e->seen && e->pc == a->pc && e->uid == a->uid;
    if (is_its && e->left && e->load == a->load) {
        e->left--;
        return e->seen >= CERTAIN ? e->stride : 0;
    }
    const int32_t stride = is_its ? (int32_t)(a->line - e->line) : 0;
    if (is_its && stride == 0) {
        e->load = a->load;
        e->left = a->degree - 1;
        return 0;
    }
    const uint8_t seen = !is_its || stride != e->stride ? 1 : e->seen < CERTAIN ? e->seen + 1 : CERTAIN;
    *e = (struct stride_entry){a->pc, a->uid, a->line, stride, a->load, a->degree - 1, seen};
    p->stats.trained++;
    return seen >= CERTAIN ? stride : 0;
}

static void prefetch_on_access(void *self, const struct access_event *a)
{
    struct prefetcher *p = self;
    struct sm_prefetcher *s = &p->sms[a->sm];
    if (a->outcome != ACCESS_MISS && unused_remove(s, a->line)) {
        p->stats.useful += a->outcome == ACCESS_HIT;
        p->stats.late += a->outcome == ACCESS_MERGED;
    }
    const int32_t stride = p->params.kind == STRIDE ? learn_stride(p, s, a) : 1;
    if (stride && (a->outcome == ACCESS_MISS || p->params.on == ON_ACCESS)) predict(p, s, a, stride);
}

static void prefetch_on_evict(void *self, const struct line_event *l)
{
    struct prefetcher *p = self;
    p->stats.useless += unused_remove(&p->sms[l->sm], l->line);
}

/* ---- the queue's end ---- */

static void prefetch_tick(void *self, const struct machine_ports *m, uint64_t now)
{
    struct prefetcher *p = self;
    for (uint32_t i = 0; p->queued && i < p->n_sms; i++) {
        struct sm_prefetcher *s = &p->sms[i];
        if (!s->n) continue;
        const enum prefetch_outcome outcome = m->prefetch(m->machine, i, &s->queue[s->head], now);
        p->stats.lookups++;
        p->stats.sent += outcome == PREFETCH_SENT;
        p->stats.present += outcome == PREFETCH_PRESENT;
        p->stats.pending += outcome == PREFETCH_PENDING;
        if (outcome == PREFETCH_NO_ROOM) continue;
        if (outcome == PREFETCH_SENT) unused_add(s, s->queue[s->head].line);
        s->head = (s->head + 1) % QUEUE_MAX;
        s->n--;
        p->queued--;
    }
}

static uint64_t prefetch_next_event(const void *self, uint64_t now)
{
    return ((const struct prefetcher *)self)->queued ? now + 1 : UNIT_NEVER;
}

static bool prefetch_idle(const void *self) { return ((const struct prefetcher *)self)->queued == 0; }

static void prefetch_dump(const void *self, char *text, size_t size)
{
    snprintf(text, size, "prefetch: %u lines queued", ((const struct prefetcher *)self)->queued);
}

static void prefetch_warp_start(void *self, const struct warp_event *event)
{
    ((struct prefetcher *)self)->sms[event->sm].warps++;
}

static void prefetch_warp_exit(void *self, const struct warp_event *event)
{
    struct prefetcher *p = self;
    struct sm_prefetcher *s = &p->sms[event->sm];
    if (--s->warps) return;
    p->stats.left += s->n;
    p->queued -= s->n;
    s->n = 0;
}

/* ---- the mechanism ---- */

static int prefetch_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct prefetcher *p = self;
    (void)err;
    p->params = *(const struct prefetch_params *)params;
    p->n_sms = env->sms;
    p->line_bytes = env->l1_line_bytes ? env->l1_line_bytes : 128;
    p->first_byte = env->first_line * env->line_bytes;
    p->page_bytes = p->params.page_kib * 1024ull;
    for (uint32_t i = 0; i < p->n_sms; i++)
        for (uint32_t k = 0; k < UNUSED_SLOTS; k++) p->sms[i].unused[k].line = NO_LINE;
    return 0;
}

static const void *prefetch_stats_of(const void *self) { return &((const struct prefetcher *)self)->stats; }

/* Lines of 128 bytes in 32 bits of address, 4 sectors, 8 bits of a load's address and 11 of a warp in the queue; in the
 * table the load's and the warp's tags, the line, a stride of 16 bits, requests left and how sure it is. */
static size_t prefetch_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct prefetch_params *p = params;
    (void)env;
    out[0] = (struct mech_cost){"queue entries: line 25, sectors 4, load 8, warp 11 bits", 48ull * p->queue, 0,
                                STORAGE_QUEUE};
    if (p->kind != STRIDE) return 1;
    out[1] = (struct mech_cost){"stride entries: load 8, warp 11, line 25, stride 16, requests 5, state 2 bits",
                                67ull * p->entries, 0, STORAGE_ARRAY};
    return 2;
}

static size_t prefetch_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    const struct prefetch_params *p = params;
    (void)env;
    out[0] = (struct mech_event){"a queue's entry is read", "lookups", 48, 48ull * p->queue};
    out[1] = (struct mech_event){"a stride is learnt", "trained", 2 * 67, 67ull * p->entries};
    return 2;
}

static const struct unit_ops prefetch_unit = {
    .tick = prefetch_tick, .next_event = prefetch_next_event, .idle = prefetch_idle, .dump = prefetch_dump};
const struct mech_type mech_prefetch = {
    .name = "prefetch",
    .title = "L1 prefetcher: next line, or stride of a load and warp",
    .source = "SMITH82, CHEN95, LEE10",
    .params = {"prefetch", prefetch_rows, COUNT_OF(prefetch_rows), sizeof(struct prefetch_params)},
    .stats = {"prefetch", prefetch_stat_rows, COUNT_OF(prefetch_stat_rows), sizeof(struct prefetch_stats)},
    .ratios = prefetch_ratios,
    .n_ratios = COUNT_OF(prefetch_ratios),
    .state_size = sizeof(struct prefetcher),
    .per_sm_size = sizeof(struct sm_prefetcher),
    .init = prefetch_init,
    .stats_of = prefetch_stats_of,
    .cost = prefetch_cost,
    .events = prefetch_events,
    .on_access = prefetch_on_access,
    .on_evict = prefetch_on_evict,
    .warp_start = prefetch_warp_start,
    .warp_exit = prefetch_warp_exit,
    .unit = &prefetch_unit,
};
