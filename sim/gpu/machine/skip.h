/* Units out of step, skip.c: what gpu.c asks of it, and what it asks of channel.c. */
#ifndef GPU_SKIP_H
#define GPU_SKIP_H
#include "machine/network.h"

/* How far this run may go out of step. `is_seen`: somebody looks at SMs between cycles (a timeline, a watcher);
 * `is_watched`: at DRAM as well; `limit`: the core cycle at which the run stops or somebody looks at all of it. */
void skip_plan(struct gpu *g, bool is_seen, bool is_watched, cycle_t limit);
/* After a bank's tick: its channel sees what has come into the queue to it, and whether the bank waits for room there.
 * It is visited in the cycle in which it has something to do, or later if nobody can see that. */
HOT void skip_show_channel(struct gpu *g, const struct l2 *bank);
/* Ticks the channel for all cycles before `end`. */
HOT void skip_run_channel(struct gpu *g, struct dram *d, cycle_t end);
/* The same for whoever looks at what the channel has taken or sent before cycle `end`. */
static inline void skip_bring_up(struct gpu *g, struct dram *d, cycle_t end)
{
    if (d->wake < end) skip_run_channel(g, d, end);
}
/* So far no reply can arrive at any SM that is not on its link already. */
HOT cycle_t skip_quiet_horizon(const struct gpu *g, cycle_t now);
/* Of its miss queue an SM that runs ahead sees too much, what leaves it meanwhile: it must have room for all that a
 * cycle may send. */
static inline bool skip_sends_freely(const struct sm *sm)
{
    return sm->l1.to_xbar.count + sm->most_sent <= sm->l1.to_xbar.capacity && sm->lsu_cause != L1_QUEUE_FAIL;
}
/* The SM does something by itself before its next reply, and nobody need see it at once. */
static inline bool skip_may_run_ahead(const struct sm *sm)
{
    return sm->wake < reply_fifo_ready_at(&sm->replies) && skip_sends_freely(sm) && sm->may_run_ahead;
}
/* After its tick of cycle `now`, such an SM goes on alone as far as nothing can reach it. */
HOT void skip_run_ahead(struct gpu *g, uint32_t i, struct sm *sm, cycle_t quiet, cycle_t now);

/* The machine comes to such an SM in the cycles in which it has sent something or finished a CTA: it is in `now`. */
void skip_come_again(struct gpu *g, uint32_t i, const struct sm *sm, cycle_t now);

static ALWAYS_INLINE void skip_tick_bank(struct gpu *g, struct l2 *l2, cycle_t now, cycle_t dram_next)
{
    if (l2_may_lack_room(l2)) skip_bring_up(g, &g->channels[l2->channel], dram_next);
    const uint32_t to_dram = l2->to_dram.count; /* the channel has taken what it takes: what is more, the bank sends */
    l2->offered_at = dram_next;
    l2_tick(l2, now);
    if (l2->to_dram.count != to_dram && g->shares->hooks.l2_miss_route.call) units_divert(g, l2);
    skip_show_channel(g, l2);
}

/* channel.c */
HOT void gpu_tick_channel(struct gpu *g, struct dram *d, cycle_t now);
/* ideal.c: what an SM, or the banks at a channel, have asked for, in the same cycle. */
void ideal_answer(struct gpu *g, struct sm *sm, cycle_t now);
void ideal_drain(struct gpu *g, struct dram *d);
/* SMs and banks of L2 may sleep over cycles in which they would only fail. */
void skip_let_sleep(struct gpu *g);
/* Shows the others what the SM has done in cycle `now`. Returns whether a CTA has finished. */
static inline bool skip_publish(struct gpu *g, uint32_t i, struct sm *sm, cycle_t now)
{
    network_see(g, i, &sm->l1.to_xbar, now + 1);
    if (sm->unpublished && sm->last_tick <= now) sm->unpublished = 0;
    return sm->cta_finished && !sm->unpublished;
}

/* apart.c: units of a kind that do not meet within a cycle are ticked side by side, before the domain has its turn,
 * which finds them ticked. */
void apart_tick(struct gpu *g, enum domain d, cycle_t now);
/* A unit that is visited has not been ticked yet; without skipping all are visited. */
static inline bool apart_finds_due(const struct gpu *g, cycle_t wake, cycle_t last_tick, cycle_t now)
{
    return wake <= now || (g->no_skip && last_tick != now);
}
/* Which units of a run the crew ticks: of those that it may, those with which the run goes fastest. That is tried again
 * and again, as launches have phases and the host has other work; what the run gives is the same. */
enum apart_mode { APART_NONE, APART_SMS, APART_MEMORY /* banks of L2, channels of DRAM */, APART_BOTH, APART_MODES };
enum { APART_ROUNDS = 3, APART_TRIALS = APART_MODES * APART_ROUNDS };
struct apart {
    struct crew *crew;
    bool may[APART_MODES], always, is_new; /* is_new: the mode has just begun */
    uint32_t left;                         /* ticks of the machine until the clock is looked at */
    uint32_t ticks;                        /* of this step: */
    uint32_t step; /* of a trial, or APART_TRIALS: the best of the last one is kept for a while */
    double began, took[APART_MODES][APART_ROUNDS]; /* seconds of a tick */
};
/* False: the crew may tick nothing. */
bool apart_begin(struct apart *a, struct gpu *g, struct crew *crew, const struct mech_spec *stack,
                 const struct gpu_limits *limits);
void apart_look(struct apart *a, struct gpu *g); /* when nothing is left */
void apart_end(struct gpu *g);

#endif
