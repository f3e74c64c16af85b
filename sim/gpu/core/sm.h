/* A streaming multiprocessor: warps, schedulers, scoreboard, pipelines, load-store unit, L1.
 *
 *   CTAs --> warps --> schedulers --> SP / SFU units
 *                          |
 *                          +--> LSU queue --> coalesced line requests --> L1 --> to_xbar          replies --> fills
 *
 * A tick is reply, LSU, issue, in this order. Between ticks nothing changes: an SM that can do nothing sleeps until
 * `wake`, and the cycles slept are charged to the cause that held when it fell asleep. */
#ifndef GPU_SM_H
#define GPU_SM_H
#include "poise/sys/hooks.h"
#include "poise/wheel.h"
#include "cache/l1.h"
#include "core/subcore.h"
#include "plan/plan.h"
#include "cache/readonly.h"

enum {
    MAX_SCHEDULERS = 12, /* CORE_BITS of a word each */
    MAX_WARPS = 64,
    MAX_BARRIERS = 16,
    MAX_CTAS = 32,
    MAX_UNITS = 12
};
/* Scoreboard entry: twice the cycle at which the register can be read, plus one if memory writes it. */
#define SCORE(cycle, memory) ((uint32_t)((cycle)*2 + (memory)))
#define SCORE_PENDING UINT32_MAX
#define SCORE_PENDING_UNIT (UINT32_MAX - 1) /* the same of an arithmetic unit */
#define SCORE_CYCLE(score) ((score) >> 1)
#define MAX_CYCLE ((1ull << 31) - 4096)

struct warp {
    _Alignas(64) const struct plan_step *next; /* a warp is a line of the host's cache */
    const struct plan_step *end;
    const struct plan_inst *inst; /* of `next` */
    uint32_t *score;              /* one a trace register, one more that is always ready, and one that nobody reads */
    uint32_t uid;                 /* launch-unique: CTA times warps a CTA + warp */
    uint32_t outstanding;         /* accesses not yet answered */
    uint32_t ready_cycle;         /* when the next instruction's registers can be read, if known */
    uint8_t scheduler, pos, cta, in_use;
    uint8_t at_barrier, barrier, at_fence, is_finished, buffered; /* buffered: instructions fetched, or being so, and
                                                                   * not issued */
    uint8_t wants; /* the unit under whose bits it stands in its scheduler */
};
/* What a warp's next instruction wants: its unit, and besides, whether it is a global load. */
enum { WANTS_GLOBAL_LOAD = N_UNITS, N_WANTS };
/* Warps of a scheduler are bits by age. What every tick needs is in front. */
struct scheduler {
    _Alignas(64) cycle_t wake; /* the first cycle in which it could issue or learn something by itself; 0: something
                                * has changed since */
    cycle_t charged;           /* slots before this cycle are accounted for; those since are lost, */
    uint32_t cause;            /* and charged to the counter at this place of core_stats */
    uint64_t far;              /* warps whose cycle is beyond the wheel: they stand in its last slot */
    uint64_t last;             /* the warp that issued last, if it is still there */
    uint64_t ready;            /* registers of the next instruction can be read */
    uint64_t wait_mem;         /* not ready, for memory */
    uint64_t wants[N_WANTS];
    uint64_t wait_fetch;  /* whatever their registers, the next instruction is not there yet */
    uint64_t decoding[2]; /* of these, those whose instruction is there in the next even, or odd, cycle: two cycles
                           * after its fetch */
    uint64_t may_issue;   /* what the stack of mechanisms allows, without those that are waiting, */
    uint64_t may_load, may_pollute; /* and what it allows besides */
    uint64_t waiting;               /* at a barrier or fence, or finished but for its last accesses */
    uint64_t live;                  /* all of them */
    uint32_t n, ended;              /* unfinished warps; those that have ended */
    struct wheel_slots wheel;       /* warps that become ready at a known cycle */
    /* Sub-cores: when the issue register of a kind is free; NEVER: when it is emptied. Else what the SM has in free_at
     * is what counts. */
    cycle_t room_at[N_UNITS];
    uint8_t order[MAX_WARPS]; /* warp slot by age */
};
struct cta {
    uint32_t id, live_warps;
    uint32_t arrived[MAX_BARRIERS];
    bool in_use;
};
/* What the load-store unit has that the plain one has not (lsu.c): between its queue and L1 the pipeline of a late
 * lookup, and a mechanism's unit that orders requests; besides, chunks that are looked up in the plan, an L1 that may
 * be held up after an access, and one whose mode changes. In the pipeline, requests for sectors of a line that an
 * instruction makes in one cycle are one element, whose sectors part where they need not fare alike. */
enum lsu_stage {
    LATE_LOOKUP = 1,
    NAMES_CHUNKS = 2,
    HOLDS_UP = 4,
    CHANGES_MODE = 8,
    ORDERS_REQUESTS = 16,
    JOINS_SECTORS = 32
};
/* An instruction in the LSU queue: its next line request, which shares all but the line with the others. */
struct lsu_entry {
    _Alignas(64) struct line_access head;
    const plan_request *next; /* those after it */
    uint32_t left;            /* line requests not yet sent, the head included */
    cycle_t at;               /* sub-cores: when it comes from its collector; NEVER: it has none yet */
};
/* A load (or atomic with a result) whose data is not yet complete. */
struct load {
    const struct plan_inst *inst;
    uint32_t ready;        /* the latest of its parts, as cycle */
    uint16_t remaining;    /* parts not yet answered; of one that is free, how many lie between it and the one that is
                            * taken after it */
    uint8_t warp, is_told; /* is_told: mechanisms know of it */
};
/* Instruction fetch, fetch.c. */
struct fetch_miss {
    uint32_t line;
    uint64_t waiting;
}; /* warp slots; 0: free */
struct fetch {
    _Alignas(64) uint64_t hungry; /* warp slots whose buffer is empty and for which nothing is on its way; what a
                                   * fetch needs is a line of the host's cache */
    uint64_t served;              /* of these, those whose line has come since they asked for it */
    uint8_t last;                 /* warp slot whose turn it was */
    uint8_t inst_bytes, line_shift, width;
    uint8_t warps; /* that fetch in a cycle */
    bool always_hits;
    bool across_jumps;
    uint8_t recent_mask;
    uint32_t recent[4]; /* the lines used last, by their low bits: none is not the most recent of its set */
    const struct plan_inst *insts;
    struct tags tags;
    struct fetch_miss misses[16];
};
/* What every tick needs is in front. */
struct sm {
    const struct gpu_params *params;
    const struct plan *plan;
    const struct hooks *hooks;
    struct warp *warps; /* max_warps */
    cycle_t wake, last_tick;
    struct sleeper unit;         /* as its neighbours know it */
    uint64_t ask_at, next_epoch; /* when the mechanisms' masks must be asked again, and when one wants to be called */
    uint32_t lsu_cause; /* while the head access is stuck, the place in l1_stats of the reservation-fail counter to
                         * charge; else 0 */
    struct reply_fifo replies;
    uint32_t in_flight;  /* requests that have left and are not answered yet, */
    cycle_t quiet_until; /* and when the reply to the oldest of them may come at the earliest */
    uint32_t queue_head, queue_count, pipe_head, pipe_count, pipe_size; /* pipe_count: requests, */
    uint32_t pipe_elements;                                             /* in so many elements */
    uint32_t queue_requests; /* line requests of the queue that have not been sent */
    cycle_t failing_from; /* the access at the access port has failed in all cycles since, which are not yet charged */
    uint32_t stuck_since; /* l1_progress of `awaits` at its last attempt: until it moves, another one would fail the
                           * same way */
    bool uncounted;       /* that attempt was seen to fail before it was made, as the first of its access: counted
                           * when its cycle has passed */
    uint8_t awaits;       /* enum l1_progress */
    bool may_run_ahead;   /* it may be ticked early, for several cycles in a row (skip.c) */
    uint8_t most_sent;    /* requests that it may put into its miss queue in a cycle, and look ahead to in the next */
    /* Whether it may sleep over a cycle in which the access at L1's port would only fail: then the port is blocked
     * (skip.c). NULL: it tries. */
    bool (*sleeps_over)(struct sm *, cycle_t now);
    uint8_t stages; /* enum lsu_stage */
    uint8_t n_schedulers;
    bool is_plain;                    /* two schedulers that share their units, and issue one instruction each */
    bool is_divided;                  /* sub-cores, which issue one instruction each */
    bool cta_finished;                /* room for another CTA since the last dispatch */
    uint8_t unit_map[2][N_UNITS];     /* which units do the work of this kind; [1]: the load-store unit does */
    uint32_t n_free_loads, free_load; /* and the one that is taken next */
    cycle_t lsu_busy;
    struct lsu_entry *queue;  /* pipeline_width, a ring */
    cycle_t pipe_at;          /* when the pipeline's head may look L1 up; NEVER: it is empty */
    struct line_access *pipe; /* hit_latency stages in front of a late lookup, a ring */
    struct load *loads;
    struct collection *collection; /* if operands are collected, collect.h */
    /* The units of a kind, the first to be free first; NEVER: there is no more. LSU: 0 if it has room. */
    cycle_t free_at[N_UNITS * MAX_UNITS];
    struct sub_core *sub_cores; /* one a scheduler, or NULL */
    cycle_t collect_at;         /* sub-cores: the next cycle in which an issue register may be emptied */
    struct sub_order issued;    /* what waits in the issue registers of sub-cores */
    cycle_t lsu_resume;         /* when the load-store unit goes on once its queue's head has been collected */
    uint64_t second_issues;     /* instructions that issued beside another one of their warp: slots that are not there
                                 * otherwise */
    struct fetch fetch;
    struct class_timing timing[TRACE_N_CLASSES];
    struct core_stats stats;
    struct scheduler schedulers[MAX_SCHEDULERS];
    struct l1 l1;
    uint32_t sm, n_ctas;
    uint32_t unpublished; /* CTAs that have finished in `last_tick`, which the machine has not come to yet */
    struct read_only constants, textures;
    struct cta ctas[MAX_CTAS];
    uint64_t epoch_at[MECH_STACK_MAX]; /* of them, `next_epoch` is the first */
    const struct address_map *map;     /* the machine's */
    struct waiting *waiting;           /* the machine's, or NULL (core/waiting.h) */
};

void sm_init(struct sm *sm, const struct gpu_params *params, const struct plan *plan, const struct hooks *hooks,
             uint32_t index, uint32_t link_cycles, struct arena *arena);
bool sm_can_take_cta(const struct sm *sm);
void sm_take_cta(struct sm *sm, uint32_t cta, cycle_t now);
HOT void sm_tick(struct sm *sm, cycle_t now);
void sm_plan_epoch(struct sm *sm);          /* after a change of epoch_at */
void sm_charge(struct sm *sm, cycle_t now); /* brings all accounts up to the cycle before now */
bool sm_idle(const struct sm *sm);
void sm_dump(const struct sm *sm, char *text, size_t size); /* one line for the watchdog */
void sm_counters(const struct sm *sm, cycle_t now, struct feature_counters *out);
/* handover.c: every cycle before `now` has been ticked */
bool sm_is_drained(const struct sm *sm, cycle_t now); /* nothing that its warps have begun is on its way */
/* An SM of a machine that begins has the CTAs and warps of this one, which is drained. */
void sm_take_over(struct sm *to, const struct sm *from, cycle_t now);
void sm_introduce(struct sm *sm, cycle_t now); /* resident warps start for the mechanisms, in launch order */

/* scheduler.c */
HOT void scheduler_tick_plain(struct sm *sm, struct scheduler *s, cycle_t now);   /* of an SM that is_plain, */
HOT void scheduler_tick_divided(struct sm *sm, struct scheduler *s, cycle_t now); /* of one that is_divided, */
APART void scheduler_tick_any(struct sm *sm, struct scheduler *s, cycle_t now);   /* and of any */
/* Its slots before `now` have been lost for the reason that held all the while. */
static inline void scheduler_charge(struct sm *sm, struct scheduler *s, cycle_t now)
{
    *counter_at(&sm->stats, s->cause) += now - s->charged;
    s->charged = now;
}
/* Something has changed: wake and cause are worked out again. */
static inline void scheduler_stale(struct scheduler *s) { s->wake = 0; }
/* Looks up when the next instruction of its warp, which is there, can read its registers; earliest is the first
 * cycle it could issue in. */
HOT void warp_evaluate(struct sm *sm, struct scheduler *s, struct warp *warp, cycle_t earliest);
/* score.c. The same for a warp that is not ready, after a load of it has completed. */
HOT void warp_loaded(struct scheduler *s, struct warp *warp, cycle_t now);
/* When all results of an instruction can be read; few have more than one, and one that has none goes to a register
 * that nobody reads. */
APART void score_more(uint32_t *score, const struct plan_inst *inst, uint32_t value);
static inline void score_results(uint32_t *score, const struct plan_inst *inst, uint32_t value)
{
    score[inst->result] = value;
    if (inst->n_dst > 1) score_more(score, inst, value);
}
/* The first unit of a kind is busy until `until`. */
static inline void unit_take(cycle_t free_at[MAX_UNITS], cycle_t until)
{
    uint32_t i = 0;
    do { /* it goes behind those that are free before; mostly there are no more than two */
        const cycle_t next = free_at[i + 1];
        free_at[i] = next < until ? next : until;
        until = next < until ? until : next;
    } while (++i + 1 < MAX_UNITS && free_at[i + 1] != NEVER);
    free_at[i] = until;
}

/* An instruction of its warp has been fetched; it can issue two cycles later. */
static inline void scheduler_fetched(struct scheduler *s, const struct warp *w, cycle_t now)
{
    const cycle_t at = now + 2;
    s->decoding[now & 1] |= 1ull << w->pos;
    s->wheel.busy |= 1ull << at % WHEEL_SLOTS;
    s->wake = at < s->wake ? at : s->wake;
}

/* Sub-cores: an instruction issues in cycle `now` and stands in the issue register of its kind. `entry`: of an access,
 * its place in the load-store queue. */
_Static_assert(CORE_BITS *MAX_SCHEDULERS <= 64 && MAX_SCHEDULERS <= 1 << CORE_BITS, "sub-cores fit in a word");
static inline void sub_core_issue(struct sm *sm, const struct warp *w, const struct plan_inst *inst, uint32_t unit,
                                  uint32_t entry, cycle_t now)
{
    const uint32_t i = w->scheduler;
    sm->sub_cores[i].units[unit].waiting =
        (struct sub_waiting){.inst = inst, .uid = w->uid, .entry = (uint16_t)entry, .warp = (uint8_t)(w - sm->warps)};
    sub_order_enter(&sm->issued, unit, i);
    sm->schedulers[i].room_at[unit] = NEVER;
    if (sm->collect_at > now + 1) sm->collect_at = now + 1;
}

/* fetch.c */
void fetch_init(struct fetch *f, const struct gpu_params *params, const struct plan *plan, const struct tags *tags);
/* A warp of this scheduler has no instruction left. */
static inline void fetch_want(struct sm *sm, struct scheduler *s, const struct warp *w)
{
    sm->fetch.hungry |= 1ull << (w - sm->warps);
    s->wait_fetch |= 1ull << w->pos;
}
/* One that is not finished has issued; whether it was its last is not worth a branch. */
static inline void fetch_next(struct sm *sm, struct scheduler *s, struct warp *w)
{
    const uint64_t is_empty = --w->buffered == 0;
    sm->fetch.hungry |= is_empty << (w - sm->warps);
    s->wait_fetch |= is_empty << w->pos;
}
HOT void fetch_tick(struct sm *sm, cycle_t now);
void fetch_fill(struct sm *sm, uint32_t entry);
/* What was fetched two cycles ago can issue in this one; what was fetched in the last is still being decoded. */
static inline void fetch_arrive(struct scheduler *s, cycle_t now)
{
    s->wait_fetch &= ~s->decoding[now & 1];
    s->decoding[now & 1] = 0;
}

static inline cycle_t *units_of(struct sm *sm, uint32_t unit) { return &sm->free_at[unit * MAX_UNITS]; }
static inline cycle_t unit_free_at(const struct sm *sm, uint32_t unit) { return sm->free_at[unit * MAX_UNITS]; }

/* lsu.c, lsu_enter.c, loads.c */
/* Another instruction may enter the load-store unit: an access of more requests than it holds enters in parts, and
 * nothing enters behind it before its last part. */
static inline bool lsu_has_room(const struct sm *sm)
{
    const struct lsu_params *p = &sm->params->lsu;
    const bool has_place = !p->pending_requests || sm->queue_requests < p->pending_requests;
    return sm->queue_count < p->pipeline_width && has_place && sm->n_free_loads > 0;
}
/* An entry, a place of a request or a load has been taken or freed where that may have been the last. */
static inline void lsu_note_room(struct sm *sm)
{
    const cycle_t at = lsu_has_room(sm) ? 0 : NEVER;
    for (uint32_t i = 0; i < sm->params->core.schedulers && at < sm->free_at[UNIT_LSU * MAX_UNITS]; i++)
        if (sm->schedulers[i].ready & sm->schedulers[i].wants[UNIT_LSU]) scheduler_stale(&sm->schedulers[i]);
    sm->free_at[UNIT_LSU * MAX_UNITS] = at;
}
HOT void lsu_enter(struct sm *sm, struct warp *warp, const struct plan_step *step, bool may_pollute, cycle_t now);
static inline bool lsu_has_work(const struct sm *sm)
{
    return (sm->queue_count | sm->pipe_count | (sm->stages & ORDERS_REQUESTS)) != 0;
}
HOT void lsu_tick(struct sm *sm, cycle_t now);
/* Line requests in the unit that orders them, if there is one. */
static inline uint32_t lsu_ordered(const struct sm *sm)
{
    const struct order_ops *order = sm->hooks->request_order.call;
    return sm->stages & ORDERS_REQUESTS ? order->count(sm->hooks->request_order.self, sm->sm) : 0;
}
/* When the LSU can do something by itself. If nothing else wakes the SM in the next cycle and its head access is
 * seen to fail then, it need not be woken either. */
HOT cycle_t lsu_next_event(struct sm *sm, cycle_t now);
/* The access at the access port of L1 has failed in every cycle from `failing_from` to the one before now. */
static inline void lsu_charge(struct sm *sm, cycle_t now)
{
    const bool has_failed = now != sm->failing_from;
    *counter_at(&sm->l1.stats, sm->lsu_cause) += now - sm->failing_from;
    sm->failing_from = now;
    sm->l1.stats.l1d_reservation_fails += sm->uncounted & has_failed;
    sm->uncounted &= !has_failed;
}
HOT void lsu_reply(struct sm *sm, const struct reply *reply, cycle_t now);

/* warps.c */
void scheduler_add(struct sm *sm, uint32_t index, uint32_t slot);
void scheduler_publish(struct sm *sm, uint32_t index, cycle_t now); /* asks the mechanisms again */
struct warp_event warp_event(struct sm *sm, const struct warp *warp, cycle_t now);
void warp_wait(struct sm *sm, struct warp *warp, bool waiting, cycle_t now);
void warp_barrier(struct sm *sm, struct warp *warp, const struct plan_inst *inst, cycle_t now);
void warp_all_answered(struct sm *sm, struct warp *warp, cycle_t now);
/* One outstanding access fewer. */
static inline void warp_answered(struct sm *sm, struct warp *w, cycle_t now)
{
    if (--w->outstanding == 0 && (w->at_fence | w->is_finished)) warp_all_answered(sm, w, now);
}
void warp_maybe_exit(struct sm *sm, struct warp *warp, cycle_t now);
#endif
