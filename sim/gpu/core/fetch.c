/* Instruction fetch: one warp a cycle, round robin over warps whose instruction buffer is empty; `width`
 * instructions in a row come from the L1 instruction cache and can issue two cycles later (fetch, decode, issue). A
 * jump empties the buffer. `warps` of a cycle can fetch on machines that say so.
 *
 *   hungry warps --> L1I --hit--> decode --> instruction buffer of the warp
 *                     +--miss--> to_xbar --> L2 --> fill serves every warp that waits for the line, each in its turn
 *
 * A line that has come serves those who asked for it even if another line replaces it before their turn: where replies
 * come faster than turns, warps would else take each other's lines for ever. */
#include "core/sm.h"

void fetch_init(struct fetch *f, const struct gpu_params *params, const struct plan *plan, const struct tags *tags)
{
    const struct fetch_params *p = &params->fetch;
    f->tags = *tags;
    f->recent_mask =
        !p->sets || p->sets & (p->sets - 1)
            ? 0
            : (uint8_t)((p->sets < sizeof f->recent / sizeof *f->recent ? p->sets
                                                                        : sizeof f->recent / sizeof *f->recent) -
                        1);
    f->insts = plan->insts;
    f->inst_bytes = (uint8_t)p->inst_bytes;
    f->line_shift = (uint8_t)__builtin_ctz(l2_line_bytes(params));
    f->width = (uint8_t)p->width;
    f->warps = (uint8_t)p->warps;
    f->always_hits = p->sets == 0;
    f->across_jumps = p->across_jumps;
}

/* Code lives above local memory in the plan's line numbers. */
static inline uint32_t code_line(const struct fetch *f, const struct warp *w)
{
    return CODE_LINES + (w->inst->pc * f->inst_bytes >> f->line_shift);
}

static uint32_t set_of(const struct fetch *f, uint32_t line)
{
    const uint32_t sets = f->tags.sets;
    return sets & (sets - 1) ? line % sets : line & (sets - 1);
}

/* What one fetch is good for: at most `width` instructions that follow each other, without a jump unless it may
 * cross them. */
static inline uint32_t straight_run(const struct fetch *f, const struct warp *w)
{
    const ptrdiff_t left = w->end - w->next;
    const uint32_t most = left < (ptrdiff_t)f->width ? (uint32_t)left : f->width;
    uint32_t n = f->across_jumps ? most : 1;
    while (n < most && f->insts[w->next[n].inst].pc == w->inst->pc + n) n++;
    return n;
}

static struct fetch_miss *pending_line(struct sm *sm, uint32_t line)
{
    for (uint32_t i = 0; i < sm->params->fetch.mshrs; i++)
        if (sm->fetch.misses[i].waiting && sm->fetch.misses[i].line == line) return &sm->fetch.misses[i];
    return NULL;
}

static bool miss(struct sm *sm, uint32_t line, uint32_t warp)
{
    struct fetch_miss *m = pending_line(sm, line);
    if (m) {
        m->waiting |= 1ull << warp;
        return true;
    }
    for (uint32_t i = 0; i < sm->params->fetch.mshrs; i++) {
        m = &sm->fetch.misses[i];
        if (m->waiting) continue;
        if (!l1_send_fetch(&sm->l1, REQUEST_FETCH, line, i)) return false;
        *m = (struct fetch_miss){line, 1ull << warp};
        sm->stats.l1i_misses++;
        return true;
    }
    return false;
}

/* The fetch of this cycle has found its line. */
static inline void decode(struct sm *sm, uint32_t slot, cycle_t now)
{
    struct fetch *f = &sm->fetch;
    struct warp *w = &sm->warps[slot];
    w->buffered = (uint8_t)straight_run(f, w);
    f->hungry &= ~(1ull << slot);
    f->served &= ~(1ull << slot);
    scheduler_fetched(&sm->schedulers[w->scheduler], w, now);
    sm->stats.fetches++;
}

/* A line that is not the most recent of its set. */
__attribute__((noinline)) static void look_up(struct sm *sm, uint32_t line, uint32_t slot, cycle_t now)
{
    struct fetch *f = &sm->fetch;
    struct tag_line *l = tags_find(&f->tags, set_of(f, line), line);
    if (!l && f->served >> slot & 1) { /* another fill has taken its place since */
        decode(sm, slot, now);
        return;
    }
    if (!l) {
        if (miss(sm, line, slot)) f->hungry &= ~(1ull << slot);
        return;
    }
    tags_touch(&f->tags, l, 0);
    f->recent[line & f->recent_mask] = line;
    decode(sm, slot, now);
}

static inline void fetch_one(struct sm *sm, cycle_t now)
{
    struct fetch *f = &sm->fetch;
    const uint64_t after = f->hungry & -2ull << f->last;
    const uint32_t slot = (uint32_t)__builtin_ctzll(after ? after : f->hungry);
    const uint32_t line = code_line(f, &sm->warps[slot]);
    f->last = (uint8_t)slot;
    if (f->always_hits || f->recent[line & f->recent_mask] == line) decode(sm, slot, now);
    else look_up(sm, line, slot, now);
}

/* Fetch and decode stand side by side as often as warps fetch: all but the last are decoded in the same cycle. */
static APART void fetch_all(struct sm *sm, cycle_t now)
{
    for (uint32_t left = sm->fetch.warps; left && sm->fetch.hungry; left--) fetch_one(sm, left > 1 ? now - 1 : now);
}

void fetch_tick(struct sm *sm, cycle_t now)
{
    if (sm->fetch.warps > 1) fetch_all(sm, now);
    else fetch_one(sm, now);
}

void fetch_fill(struct sm *sm, uint32_t entry)
{
    struct fetch *f = &sm->fetch;
    struct fetch_miss *m = &f->misses[entry];
    org_take_whole(&f->tags, set_of(f, m->line), m->line);
    f->recent[m->line & f->recent_mask] = m->line;
    f->hungry |= m->waiting; /* they fetch again, and have it whatever replaces it until then */
    f->served |= m->waiting;
    m->waiting = 0;
}
