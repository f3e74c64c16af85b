/* Instruction fetch: one warp a cycle, round robin over warps whose instruction buffer is empty; `width` instructions in a row
 * come from the L1 instruction cache and can issue two cycles later (fetch, decode, issue). A jump empties the buffer.
 *
 *   hungry warps --> L1I --hit--> decode --> instruction buffer of the warp
 *                     +--miss--> to_xbar --> L2 --> fill wakes every warp that waits for the line                           */
#include "sm.h"

/* Code lives above local memory in the plan's line numbers. */
static uint32_t code_line(const struct sm *sm, const struct warp *w)
{
    const uint32_t bytes = sm->plan->insts[w->next->inst].pc * sm->params->fetch.inst_bytes;
    return CODE_LINES + (bytes >> __builtin_ctz(sm->params->l1.line_bytes));
}

static uint32_t set_of(const struct sm *sm, uint32_t line)
{
    const uint32_t sets = sm->params->fetch.sets;
    return sets & (sets - 1) ? line % sets : line & (sets - 1);
}

/* What one fetch is good for: at most `width` instructions that follow each other, without a jump unless it may cross them. */
static uint32_t straight_run(const struct sm *sm, const struct warp *w)
{
    const struct plan_inst *insts = sm->plan->insts;
    const bool across_jumps = sm->params->fetch.across_jumps;
    uint32_t n = 1;
    while (n < sm->params->fetch.width && w->next + n < w->end && (across_jumps || insts[w->next[n].inst].pc == insts[w->next[n - 1].inst].pc + 1)) n++;
    return n;
}

/* What was fetched two cycles ago can issue in this one; what was fetched in the last stands in the other stage. */
void fetch_arrive(struct sm *sm, cycle_t now)
{
    struct fetched *f = &sm->fetch.decoding[now & 1];
    struct warp *w = &sm->warps[f->warp];
    struct scheduler *s = &sm->schedulers[w->scheduler];
    f->at = NEVER;
    w->buffered = (uint8_t)straight_run(sm, w);
    s->wait_fetch &= ~(1ull << w->pos);
    warp_evaluate(sm, s, w, now);
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

/* Whether the line is there. One that was found last is the most recent already. */
static bool find(struct sm *sm, uint32_t line)
{
    struct fetch *f = &sm->fetch;
    if (line == f->last_line) return true;
    struct tag_line *l = tags_find(&f->tags, set_of(sm, line), line);
    if (!l) return false;
    tags_touch(&f->tags, l, 0);
    f->last_line = line;
    return true;
}

void fetch_tick(struct sm *sm, cycle_t now)
{
    struct fetch *f = &sm->fetch;
    const uint64_t after = f->last < 63 ? f->hungry & (~0ull << (f->last + 1)) : 0;
    const uint32_t slot = (uint32_t)__builtin_ctzll(after ? after : f->hungry);
    const uint32_t line = code_line(sm, &sm->warps[slot]);
    f->last = slot;
    if (!find(sm, line)) {
        if (miss(sm, line, slot)) f->hungry &= ~(1ull << slot);
        return;
    }
    f->hungry &= ~(1ull << slot);
    f->decoding[now & 1] = (struct fetched){.at = now + 2, .warp = (uint8_t)slot};
    sm->stats.fetches++;
}

void fetch_fill(struct sm *sm, uint32_t entry)
{
    struct fetch_miss *m = &sm->fetch.misses[entry];
    const uint32_t set = set_of(sm, m->line);
    struct tag_line *victim = tags_victim(&sm->fetch.tags, set);
    tags_reserve(&sm->fetch.tags, victim, m->line, 0);
    victim->valid = sm->fetch.tags.all & SECTORS;
    sm->fetch.last_line = NO_LINE;
    sm->fetch.hungry |= m->waiting; /* they fetch again, and hit */
    m->waiting = 0;
}
