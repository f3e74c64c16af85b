#include "cache/l1.h"

#include <string.h>

enum { SECTOR_BYTES = 32 };

/* An adaptive L1 has what shared memory leaves of the unified array. Shared memory gets the least of these sizes that holds the CTAs
 * of the launch. [CUDA C++ Programming Guide, compute capability 7.0: 0, 8, 16, 32, 64, 96 KB; ELASTIC §2] */
static uint32_t ways_of(const struct l1_params *p, uint32_t shared_bytes)
{
    static const uint32_t kilobytes[] = {0, 8, 16, 32, 64, 96};
    if (!p->unified_bytes) return p->ways;
    uint32_t i = 0;
    while (i + 1 < COUNT_OF(kilobytes) && kilobytes[i] * 1024 < shared_bytes) i++;
    const uint32_t way_bytes = p->sets * p->line_bytes, carved = kilobytes[i] * 1024;
    return p->unified_bytes > carved + way_bytes ? (p->unified_bytes - carved) / way_bytes : 1;
}

void l1_init(struct l1 *l1, const struct gpu_params *params, uint32_t shared_bytes, uint32_t sm, struct arena *arena)
{
    static const struct hooks nobody;
    const struct l1_params *p = &params->l1;
    const uint32_t ways = ways_of(p, shared_bytes), mshrs = p->streaming ? p->sets * ways : p->mshrs;
    l1->hooks = &nobody; /* until the SM says otherwise */
    l1->params = p;
    l1->set_index = (uint8_t)p->set_index;
    for (uint32_t sectors = 0; sectors < COUNT_OF(l1->flits); sectors++)
        l1->flits[sectors] = packet_flits(&params->xbar, params->xbar.header_bytes + SECTOR_BYTES * sector_count(sectors), params->xbar.request_flit_bytes);
    l1->read_flits = l1->flits[0];
    l1->sm = sm;
    l1->known = NO_LINE;
    tags_init(&l1->tags, arena, p->sets, ways, p->line_bytes, p->organisation == L1_SECTORED);
    mshrs_init(&l1->mshrs, arena, mshrs, p->mshr_merge, p->line_bytes / SECTOR_BYTES, true);
    l1->takes_at_fill = p->streaming;
    l1->answered = ARENA_TAKE(arena, uint32_t, p->mshr_merge);
    request_fifo_init(&l1->to_xbar, arena, p->miss_queue);
}

static inline uint32_t set_of(const struct l1 *l1, uint32_t line)
{
    if (l1->set_index == FERMI_INDEX) return fermi_index(line, l1->tags.sets);
    return l1->set_index == HASH_INDEX ? hash_index(line, l1->tags.sets) : line & (l1->tags.sets - 1);
}

struct tag_line *l1_search(struct l1 *l1, uint32_t line)
{
    l1->known = line;
    l1->known_set = set_of(l1, line);
    return l1->known_line = tags_find(&l1->tags, l1->known_set, line);
}

/* A miss takes a line: its own, or that of the MSHR it merges into, which does not change for its sake. */
static inline bool fills_line(const struct l1 *l1, const struct l1_access *a, int entry)
{
    if (entry < 0) return a->may_pollute;
    const struct mshr *m = mshrs_at(&l1->mshrs, entry);
    return l1->takes_at_fill ? m->fill_for != NO_WARP : m->frame != NULL;
}

/* The MSHR that waits for the line of an access that misses, or -1. In an L1 of whole lines a miss that fills none may ask for
 * the sectors it touches alone (hooks.h, `fetch`). */
static inline int waiting_entry(const struct l1 *l1, const struct l1_access *a, struct probe *p)
{
    const int entry = p->line && p->line->pending ? p->line->mshr : mshrs_find(&l1->mshrs, a->line);
    if (l1->hooks->fetch == FETCH_SECTORS && !fills_line(l1, a, entry)) {
        p->missing &= a->sectors;
        p->fetch &= a->sectors;
    }
    return entry;
}

/* Of `a` its line, and what its instruction asks of the caches; none is behind a line that L1 sends or fetches itself. */
static void send(struct l1 *l1, enum request_kind kind, const struct l1_access *a, uint32_t sectors, uint32_t token,
                 bool wants_data)
{
    const struct request request = {
        .line = a->line,
        .token = (uint16_t)token,
        .requester = (uint16_t)l1->sm,
        .kind = (uint8_t)kind,
        .sectors = (uint8_t)sectors,
        .wants_data = wants_data,
        .op = a->op,
        .flits = request_reads_line(kind) ? l1->read_flits : l1->flits[sectors & 15],
    };
    request_fifo_push(&l1->to_xbar, request, 0); /* the crossbar may take it at once */
}

static struct line_event line_event(const struct l1 *l1, const struct tag_line *l, bool by_store, cycle_t now)
{
    const struct tag_owner *owner = tags_owner(&l1->tags, l);
    return (struct line_event){.sm = l1->sm, .line = *tags_key(l), .allocator = owner->warp, .toucher = l->toucher, .pc = owner->pc,
                               .by_store = by_store, .now = now, .ask_at = l1->ask_at};
}

static APART void tell_evict(const struct l1 *l1, const struct tag_line *l, bool by_store, cycle_t now)
{
    const struct line_event event = line_event(l1, l, by_store, now);
    hook_on_evict(l1->hooks, &event);
}

static APART void write_back(struct l1 *l1, const struct tag_line *frame)
{
    l1->stats.l1d_writebacks++;
    send(l1, REQUEST_WRITEBACK, &(struct l1_access){.line = *tags_key(frame)}, frame->dirty, 0, false);
}

/* The victim goes; what it alone holds (local memory) goes to L2. The caller has seen that the miss queue has room. */
static inline void evict(struct l1 *l1, struct tag_line *frame, cycle_t now)
{
    if (frame->valid) {
        l1->stats.l1d_evictions++;
        if (l1->hooks->on_evict.n) tell_evict(l1, frame, false, now);
    }
    if (frame->dirty) write_back(l1, frame);
}

static bool queue_has_room(const struct l1 *l1, uint32_t n) { return l1->to_xbar.count + n <= l1->to_xbar.capacity; }

/* A miss on a line for which no MSHR waits needs a line (if it may pollute), an MSHR and room in the miss queue, in this order.
 * Which of them is not there, or L1_MISS; *frame: the line. */
static inline enum l1_outcome reserve(struct l1 *l1, const struct l1_access *a, const struct probe *p, struct tag_line **frame)
{
    const bool is_streaming = l1->takes_at_fill, takes_line = !is_streaming && !p->line && a->may_pollute;
    *frame = takes_line ? tags_victim(&l1->tags, l1->known_set) : is_streaming ? NULL : p->line;
    if (takes_line && !*frame) return L1_FAIL_LINE;
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return queue_has_room(l1, 1 + (*frame && *frame != p->line && (*frame)->dirty)) ? L1_MISS : L1_FAIL_QUEUE;
}

static inline enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, struct probe p, cycle_t now)
{
    struct tag_line *frame;
    const enum l1_outcome outcome = reserve(l1, a, &p, &frame);
    if (outcome != L1_MISS) return outcome;
    const int entry = mshrs_begin(&l1->mshrs, a->line, frame, a->load, p.missing, p.missing, p.fetch, now);
    l1->known = NO_LINE;
    if (l1->takes_at_fill) {
        struct mshr *m = mshrs_at(&l1->mshrs, entry);
        m->fill_for = a->may_pollute ? a->warp : NO_WARP;
        m->fill_pc = a->pc;
    }
    if (frame && frame != p.line) {
        evict(l1, frame, now);
        tags_reserve_for(&l1->tags, frame, a->line, a->warp, p.fetch, (uint32_t)entry);
        *tags_owner(&l1->tags, frame) = (struct tag_owner){a->warp, a->pc};
    } else if (frame) {
        org_await(&l1->tags, frame, p.fetch, (uint32_t)entry);
    }
    l1->stats.l1d_misses++;
    if (p.line) l1->stats.l1d_sector_misses++;
    if (!a->may_pollute) l1->stats.l1d_no_allocate++;
    send(l1, REQUEST_READ, a, p.fetch, (uint32_t)entry, true);
    return L1_MISS;
}

/* Other sectors than those on their way: they are asked for too, under the same MSHR. */
static APART enum l1_outcome miss_more(struct l1 *l1, int entry, const struct l1_access *a, struct probe p, cycle_t now)
{
    struct tag_line *frame = mshrs_at(&l1->mshrs, entry)->frame;
    if (!queue_has_room(l1, 1)) return L1_FAIL_QUEUE;
    mshrs_merge(&l1->mshrs, entry, a->load, p.missing, p.missing);
    mshrs_issue(&l1->mshrs, entry, p.fetch, now);
    if (frame) org_await(&l1->tags, frame, p.fetch, (uint32_t)entry);
    l1->stats.l1d_misses++;
    l1->stats.l1d_sector_misses++;
    if (!fills_line(l1, a, entry)) l1->stats.l1d_no_allocate++;
    send(l1, REQUEST_READ, a, p.fetch, (uint32_t)entry, true);
    return L1_MISS;
}

/* An MSHR waits for the line. */
static APART HOT enum l1_outcome merge(struct l1 *l1, int entry, const struct l1_access *a, struct probe p, cycle_t now)
{
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    p.fetch &= (uint8_t)~mshrs_at(&l1->mshrs, entry)->issued;
    if (p.fetch) return miss_more(l1, entry, a, p, now);
    mshrs_merge(&l1->mshrs, entry, a->load, p.missing, p.missing);
    if (p.line) tags_touch(&l1->tags, p.line, a->warp);
    l1->stats.l1d_mshr_merges++;
    return L1_MERGED;
}

enum l1_outcome l1_load_missing(struct l1 *l1, const struct l1_access *a, struct probe p, cycle_t now)
{
    const int entry = waiting_entry(l1, a, &p);
    return entry < 0 ? miss(l1, a, p, now) : merge(l1, entry, a, p, now);
}

enum l1_outcome l1_load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct probe p = org_probe_line(&l1->tags, l1_find(l1, a->line), a->sectors);
    struct tag_line *frame;
    if (!p.missing) return L1_HIT;
    const int entry = waiting_entry(l1, a, &p);
    if (entry < 0) {
        const enum l1_outcome outcome = reserve(l1, a, &p, &frame);
        return outcome == L1_MISS ? L1_HIT : outcome;
    }
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    return p.fetch & ~mshrs_at(&l1->mshrs, entry)->issued && !queue_has_room(l1, 1) ? L1_FAIL_QUEUE : L1_HIT;
}

static struct tag_line *find_present(struct l1 *l1, uint32_t line)
{
    struct tag_line *l = tags_find(&l1->tags, set_of(l1, line), line);
    return l && l->valid ? l : NULL;
}

/* What is present of the line goes. */
static void discard(struct l1 *l1, struct tag_line *l, cycle_t now)
{
    if (l1->hooks->on_evict.n) tell_evict(l1, l, true, now);
    org_invalidate(&l1->tags, l);
}

enum l1_outcome l1_bypass(struct l1 *l1, const struct l1_access *a, uint32_t sectors, bool passes_l1, cycle_t now)
{
    if (!l1_may_bypass(l1)) return L1_FAIL_QUEUE;
    struct tag_line *l = passes_l1 ? find_present(l1, a->line) : NULL;
    if (l) {
        discard(l1, l, now);
        l1->stats.l1d_load_evicts++;
    }
    send(l1, REQUEST_BYPASS, a, sectors, bypasses_take(&l1->bypasses, a->load, now), true);
    l1->stats.l1d_bypassed++;
    l1->stats.l1d_passed += passes_l1;
    return L1_SENT;
}

/* A store that an L1 written through keeps what it has of: all but those that are to be cached in L2 alone. */
static bool keeps_line(const struct l1 *l1, enum request_kind kind, const struct l1_access *a)
{
    const bool is_through = kind == REQUEST_WRITE && l1->params->write_hit == WRITE_THROUGH_L1;
    return is_through && MEMORY_OP_CACHE(a->op) != TRACE_CACHE_CG;
}

enum l1_outcome l1_send(struct l1 *l1, enum request_kind kind, const struct l1_access *a, uint32_t token,
                       bool wants_data, cycle_t now)
{
    if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
    struct tag_line *l = find_present(l1, a->line);
    if (l && keeps_line(l1, kind, a)) {
        tags_touch(&l1->tags, l, l->toucher);
    } else if (l) {
        discard(l1, l, now);
        l1->stats.l1d_store_evicts++;
    }
    if (kind == REQUEST_WRITE) l1->stats.l1d_stores++;
    else l1->stats.l1d_atomics++;
    send(l1, kind, a, a->sectors, token, wants_data);
    return L1_SENT;
}

enum l1_outcome l1_store_local(struct l1 *l1, const struct l1_access *a, uint32_t token, cycle_t now)
{
    const uint32_t line = a->line, sectors = a->sectors, warp = a->warp, set = set_of(l1, line);
    const struct probe p = org_probe(&l1->tags, set, line, sectors);
    struct tag_line *l = p.missing ? NULL : p.line;
    /* A store brings no data to what it leaves out: it makes a plain line valid only if it covers it. */
    const bool covers = l1->tags.is_sectored || sectors == l1->tags.all;
    if (!l && !p.line && covers && l1->params->local_stores == LOCAL_ALLOCATE && mshrs_find(&l1->mshrs, line) < 0) {
        l = tags_victim(&l1->tags, set);
        if (l && l->dirty && !request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
        if (l) {
            l1->known = NO_LINE;
            evict(l1, l, now);
            tags_reserve(&l1->tags, l, line, warp);
            tags_owner(&l1->tags, l)->warp = warp;
        }
    } else if (!l && p.line && covers && !p.line->pending && l1->params->local_stores == LOCAL_ALLOCATE) {
        l = p.line;
    }
    if (!l) {
        if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
        l1->stats.l1d_stores++;
        send(l1, REQUEST_WRITE, a, sectors, token, false);
        return L1_SENT;
    }
    l->valid = (l->valid | sectors) & SECTORS;
    l->dirty |= (uint8_t)sectors;
    tags_touch(&l1->tags, l, warp);
    l1->stats.l1d_local_stores_kept++;
    return L1_HIT;
}

bool l1_send_fetch(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t token)
{
    if (!request_fifo_has_room(&l1->to_xbar)) return false;
    send(l1, kind, &(struct l1_access){.line = line}, l1->tags.all, token, true);
    return true;
}

static void note_fill(struct l1 *l1)
{
    l1->progress[L1_A_FILL]++;
    l1->progress[L1_A_FILL_OR_ROOM]++;
}

static inline void count_latency(struct l1 *l1, const struct reply *reply, cycle_t latency)
{
    l1->stats.l1d_fills++;
    l1->stats.miss_latency_sum += latency;
    if (!(reply->flags & REPLY_L2_HIT)) return;
    l1->stats.l2_hit_latency_sum += latency;
    l1->stats.l2_hit_latency_count++;
}

uint32_t l1_bypassed(struct l1 *l1, const struct reply *reply, cycle_t now)
{
    const struct bypass was = bypasses_give(&l1->bypasses, reply->token);
    note_fill(l1);
    count_latency(l1, reply, now - was.since);
    return was.load;
}

/* Streaming: the line is taken now. NULL if none may be, or if the victim's write-back finds no room: the data is used and not kept. */
static APART struct tag_line *take_line(struct l1 *l1, int entry, cycle_t now)
{
    const struct mshr *m = mshrs_at(&l1->mshrs, entry);
    const uint32_t line = m->line, warp = m->fill_for, set = set_of(l1, line);
    struct tag_line *l = tags_find(&l1->tags, set, line);
    if (l || warp == NO_WARP) return l;
    l = tags_victim(&l1->tags, set);
    if (l->dirty && !request_fifo_has_room(&l1->to_xbar)) return NULL;
    l1->known = NO_LINE;
    evict(l1, l, now);
    tags_reserve(&l1->tags, l, line, warp);
    *tags_owner(&l1->tags, l) = (struct tag_owner){warp, m->fill_pc};
    return l;
}

/* Other sectors are still on their way: those that wait for them stay and move up. */
static APART uint32_t fill_some(struct l1 *l1, const struct reply *reply, const uint32_t **targets)
{
    struct mshrs *m = &l1->mshrs;
    const uint32_t n = mshrs_arrive(m, reply->token, reply->sectors);
    memcpy(l1->answered, mshr_targets(m, mshrs_at(m, reply->token)), n * sizeof **targets);
    *targets = l1->answered;
    mshrs_answered(m, reply->token, n);
    return n;
}

static APART void tell_fill(const struct l1 *l1, const struct tag_line *l, cycle_t now)
{
    const struct line_event event = line_event(l1, l, false, now);
    hook_on_fill(l1->hooks, &event);
}

uint32_t l1_fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct mshrs *m = &l1->mshrs;
    const int entry = reply->token;
    note_fill(l1);
    struct mshr *e = mshrs_at(m, entry);
    struct tag_line *frame = l1->takes_at_fill ? take_line(l1, entry, now) : e->frame;
    if (frame) {
        org_fill(&l1->tags, frame, reply->sectors);
        l1->progress[L1_A_FILL_OF_THE_SET] += tags_is_in(&l1->tags, frame, l1->known_set);
    }
    if (frame && l1->hooks->on_fill.n) tell_fill(l1, frame, now);
    count_latency(l1, reply, now - *mshrs_since(m, e, reply->sectors));
    if (e->issued & ~reply->sectors) return fill_some(l1, reply, targets);
    *targets = mshr_targets(m, e);
    mshrs_free(m, entry);
    return e->count;
}
