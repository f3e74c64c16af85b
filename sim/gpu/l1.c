#include "l1.h"

void l1_init(struct l1 *l1, const struct gpu_params *params, uint32_t sm, struct arena *arena)
{
    static const struct hooks nobody;
    l1->hooks = &nobody; /* until the SM says otherwise */
    l1->params = &params->l1;
    l1->xbar = &params->xbar;
    l1->sm = sm;
    tags_init(&l1->tags, arena, params->l1.sets, params->l1.ways);
    mshrs_init(&l1->mshrs, arena, params->l1.mshrs, params->l1.mshr_merge);
    request_fifo_init(&l1->to_xbar, arena, params->l1.miss_queue);
}

/* Fermi's set index as measured by Nugteren et al., HPCA 2014. */
static uint32_t fermi_index(uint32_t line, uint32_t sets)
{
    const uint32_t upper = (line >> 6 & 7) | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;
    const uint32_t set = (line & 31) ^ upper;
    return sets == 64 ? set | (line >> 5 & 1) << 5 : set;
}

static uint32_t set_of(const struct l1 *l1, uint32_t line)
{
    if (l1->params->set_index == FERMI_INDEX) return fermi_index(line, l1->params->sets);
    return l1->params->set_index == HASH_INDEX ? hash_index(line, l1->params->sets) : line & (l1->params->sets - 1);
}

static void send(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token, bool wants_data)
{
    const uint32_t payload = request_reads_line(kind) ? 0 : 32 * (uint32_t)__builtin_popcount(sectors);
    const uint32_t bytes = l1->xbar->header_bytes + payload;
    const struct request request = {
        .line = line,
        .token = (uint16_t)token,
        .requester = (uint16_t)l1->sm,
        .kind = (uint8_t)kind,
        .sectors = (uint8_t)sectors,
        .wants_data = wants_data,
        .flits = packet_flits(l1->xbar, bytes, l1->xbar->request_flit_bytes),
    };
    request_fifo_push(&l1->to_xbar, request, 0); /* the crossbar may take it at once */
}

static struct line_event line_event(const struct l1 *l1, const struct tag_line *l, bool by_store, cycle_t now)
{
    return (struct line_event){.sm = l1->sm, .line = l->line, .allocator = l->allocator, .toucher = l->toucher, .pc = l->pc,
                               .by_store = by_store, .now = now, .ask_at = l1->ask_at};
}

static void tell_evict(const struct l1 *l1, const struct tag_line *l, bool by_store, cycle_t now)
{
    if (!l1->hooks->on_evict.n) return;
    const struct line_event event = line_event(l1, l, by_store, now);
    hook_on_evict(l1->hooks, &event);
}

/* A miss whose line is not on its way: needs a line (if it may pollute), an MSHR and room in the miss queue, in this order. */
static enum l1_outcome miss(struct l1 *l1, uint32_t set, uint32_t line, uint32_t warp, uint32_t pc, uint32_t load, bool may_pollute, cycle_t now)
{
    struct tag_line *frame = may_pollute ? tags_victim(&l1->tags, set) : NULL;
    if (may_pollute && !frame) return L1_FAIL_LINE;
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
    const int entry = mshrs_take(&l1->mshrs, line, load, frame, now);
    if (frame) {
        if (frame->state == LINE_VALID) {
            l1->stats.l1d_evictions++;
            tell_evict(l1, frame, false, now);
        }
        tags_reserve(&l1->tags, frame, line, warp, (uint32_t)entry);
        frame->pc = pc;
    }
    l1->stats.l1d_load_accesses++;
    l1->stats.l1d_misses++;
    l1->stats.l1d_no_allocate += !may_pollute;
    send(l1, REQUEST_READ, line, 15, (uint32_t)entry, true);
    return L1_MISS;
}

enum l1_outcome l1_load(struct l1 *l1, uint32_t line, uint32_t warp, uint32_t pc, uint32_t load, bool may_pollute, cycle_t now)
{
    const uint32_t set = set_of(l1, line);
    struct tag_line *l = tags_find(&l1->tags, set, line);
    if (l && l->state == LINE_VALID) {
        l1->stats.l1d_load_accesses++;
        l1->stats.l1d_load_hits++;
        l1->stats.l1d_intra_warp_hits += l->toucher == warp;
        l1->stats.l1d_own_fill_hits += l->allocator == warp;
        tags_touch(&l1->tags, l, warp);
        return L1_HIT;
    }
    const int pending = l ? l->mshr : mshrs_find(&l1->mshrs, line);
    if (pending < 0) return miss(l1, set, line, warp, pc, load, may_pollute, now);
    if (!mshrs_can_merge(&l1->mshrs, pending)) return L1_FAIL_MERGE;
    mshrs_merge(&l1->mshrs, pending, load);
    if (l) tags_touch(&l1->tags, l, warp);
    l1->stats.l1d_load_accesses++;
    l1->stats.l1d_mshr_merges++;
    return L1_MERGED;
}

enum l1_outcome l1_bypass(struct l1 *l1, uint32_t line, uint32_t sectors, uint32_t load, cycle_t now)
{
    if (!request_fifo_has_room(&l1->to_xbar) || bypasses_full(&l1->bypasses)) return L1_FAIL_QUEUE;
    send(l1, REQUEST_BYPASS, line, sectors, bypasses_take(&l1->bypasses, load, now), true);
    l1->stats.l1d_bypassed++;
    return L1_SENT;
}

enum l1_outcome l1_send(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token, bool wants_data,
                       cycle_t now)
{
    if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
    struct tag_line *l = tags_find(&l1->tags, set_of(l1, line), line);
    if (l && l->state == LINE_VALID) {
        tell_evict(l1, l, true, now);
        tags_invalidate(&l1->tags, l);
        l1->stats.l1d_store_evicts++;
    }
    if (kind == REQUEST_WRITE) l1->stats.l1d_stores++;
    else l1->stats.l1d_atomics++;
    send(l1, kind, line, sectors, token, wants_data);
    return L1_SENT;
}

bool l1_send_fetch(struct l1 *l1, uint32_t line, uint32_t token)
{
    if (!request_fifo_has_room(&l1->to_xbar)) return false;
    send(l1, REQUEST_FETCH, line, 15, token, true);
    return true;
}

static void count_latency(struct l1 *l1, const struct reply *reply, cycle_t latency)
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
    count_latency(l1, reply, now - was.since);
    return was.load;
}

uint32_t l1_fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    const int entry = reply->token;
    struct tag_line *frame = l1->mshrs.frames[entry];
    if (frame) frame->state = LINE_VALID;
    if (frame && l1->hooks->on_fill.n) {
        const struct line_event event = line_event(l1, frame, false, now);
        hook_on_fill(l1->hooks, &event);
    }
    count_latency(l1, reply, now - l1->mshrs.since[entry]);
    *targets = l1->mshrs.targets + (uint32_t)entry * l1->mshrs.merge;
    mshrs_free(&l1->mshrs, entry);
    return l1->mshrs.counts[entry];
}
