/* Hooks: where a mechanism may speak, and how the answers of a stack combine.                     [DESIGN §3.4]
 *
 * A hook is a row, of one of these kinds:
 *   ASK_MASK   a set of warps, published when something changed and combined with AND (all must agree)
 *   ASK_ROUTE  a question about one access; the first mechanism of the stack that has an opinion decides
 *   OWNER      one mechanism of a stack may have it; it is a unit of its own between two others
 *   TIMER      the mechanism is called at a cycle of its own choosing, per SM
 *   TELL_*     the mechanism is told what happened; a hook that nobody listens to costs one test of a count
 *
 * Warps are bits by age within their scheduler: bit 0 is the oldest unfinished warp (older CTA first, then warp id).
 * [MECHANISMS 'Warp age, N and p'] A mask that depends on time or on what was told says when it must be asked again:
 * mask_again(ask_at, cycle). The SM asks all masks of its schedulers then, and wakes for it, so that skipping cycles
 * changes nothing.
 *
 * A mechanism may also own a unit that is ticked in every core cycle (`unit`), and then move things between SMs (struct
 * machine_ports). L2's hooks are rows of l2_hooks.h. Further hook points of the design (may_allocate, ...) get their
 * rows with the first mechanism that needs them. */
#ifndef POISE_SYS_HOOKS_H
#define POISE_SYS_HOOKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/features.h"
#include "poise/mech.h"
#include "poise/sys/l2_hooks.h"

struct warp_set {
    uint32_t sm, scheduler, n; /* n unfinished warps, bits 0..n-1 */
    uint32_t ended;            /* warps of the scheduler that have ended in this launch */
    uint64_t waiting;          /* at a barrier or fence, or only waiting for their last accesses */
    const uint8_t *slots;      /* n: the warp slot of each */
    uint64_t now;
    uint64_t *ask_at; /* may be lowered */
};
static inline void mask_again(uint64_t *ask_at, uint64_t cycle)
{
    if (cycle < *ask_at) *ask_at = cycle;
}
/* A warp began or ended. `uid` is launch-unique (CTA times warps a CTA + warp); slots are used again. */
struct warp_event {
    uint32_t sm, scheduler, slot, uid;
    uint64_t now;
    uint64_t *ask_at;
};
struct machine_ports;
enum access_outcome { ACCESS_HIT, ACCESS_MERGED, ACCESS_MISS };
/* A load's line request that went through L1 (tries that failed to reserve something are not told). */
struct access_event {
    uint32_t sm, slot, uid, line, pc;
    uint32_t load, degree; /* as of its load_event */
    enum access_outcome outcome;
    bool may_pollute; /* a miss without it reserves no line */
    uint8_t sectors;  /* of 32 bytes, that the load touches */
    uint32_t chunks;  /* of its line, the same: as in struct miss */
    uint64_t insts;   /* warp instructions this SM has issued */
    uint64_t now;
    uint64_t *ask_at;
    const struct machine_ports *machine; /* to look at other L1s: nothing that changes them */
};
/* A valid L1 line that goes: replaced by another, or (by_store) invalidated by a store (write-evict), an atomic, or
 * a load that L2 must serve. A fill is told likewise; a miss without the pollute bit fills no line. */
struct line_event {
    uint32_t sm, line;
    uint32_t allocator, last_use_warp; /* launch-unique warps that brought it and that touched it last */
    uint32_t pc;                       /* of the load that brought it */
    bool by_store;
    uint64_t now;
    uint64_t *ask_at;
};
/* A load from memory that enters the load-store unit, or whose last part has arrived. */
struct load_event {
    uint32_t sm, slot, uid, pc;
    uint32_t load;   /* which of the SM's loads in flight; numbers are used again */
    uint32_t degree; /* line requests after coalescing: its degree of un-coalescing */
    uint64_t now;    /* when done: the cycle at which its registers can be read */
};
/* A global load's line request that L1 cannot take in this cycle. It is asked again in every cycle in which the SM
 * ticks until it has gone: when something it may wait for is freed, when a line of the miss queue is, and at
 * `ask_at`. */
enum fail_cause { FAIL_LINE, FAIL_MSHR, FAIL_MERGE, FAIL_QUEUE };
struct fail_event {
    uint32_t sm, slot, uid, line, pc, degree;
    uint32_t bank; /* of L2: where a bypass would go */
    enum fail_cause cause;
    bool has_room; /* the request queue to the crossbar could take it */
    uint64_t now;
    uint64_t *ask_at;
};
/* What a load brings that fills no line of L1: the sectors that it touches, or the whole line. Mechanisms that
 * have loads bypass L1 or clear pollute bits have it as a parameter, and this is its row. The simulator that the
 * thesis and BUCL name widens a request to a line only where a line of L1 is taken for it.
 * [experiments/DEVIATIONS.md] */
enum load_fetch { FETCH_SECTORS, FETCH_LINE };
#define FETCH_PARAM(P, source) \
    P(ENUM, fetch, FETCH_SECTORS, 0, 1, "sectors|line", source, \
      "what a load brings that fills no line of L1: the sectors it touches, or the line")
/* mech_type.fetch of a mechanism whose parameters are `struct tag`. */
#define FETCH_OF(tag) \
    static enum load_fetch tag##_fetch(const void *params) \
    { \
        return (enum load_fetch)((const struct tag *)params)->fetch; \
    }
/* A bypass brings what its fetch says. */
enum route { ROUTE_ANY /* no opinion */, ROUTE_L1 /* or wait for it */, ROUTE_BYPASS, ROUTE_BYPASS_LINE };
static inline enum route route_bypass(enum load_fetch fetch)
{
    return fetch == FETCH_LINE ? ROUTE_BYPASS_LINE : ROUTE_BYPASS;
}
/* A unit that takes line requests from the coalescer and hands them to L1 in an order of its own, in order for each
 * warp. Everything is per SM. `peek` names the request at the port of L1 and must name it again until it is taken. */
struct line_access;
struct order_ops {
    bool (*is_on)(const void *self); /* asked once, after init */
    bool (*has_room)(const void *self, uint32_t sm, uint32_t slot);
    void (*push)(void *self, uint32_t sm, const struct line_access *access, uint64_t now);
    struct line_access *(*peek)(void *self, uint32_t sm);
    void (*take)(void *self, uint32_t sm);
    uint32_t (*count)(const void *self, uint32_t sm);
};
/* A load's miss of global memory on its way from L1 to L2. Its MSHR is taken, and its line reserved if it may pollute:
 * both wait for it wherever it goes, and what comes back for it names `token`. */
struct miss {
    uint32_t line;
    uint32_t chunks; /* of it, that are asked for: sectors of 32 bytes, or what L1 stores lines in
                      * (mech_env.l1_chunk_bytes) */
    uint16_t token;
    uint8_t op : 6; /* what its instruction asks of the caches */
};
struct miss_event {
    uint32_t sm;
    struct miss miss; /* has_room: its token is not known yet */
    uint64_t now;     /* take alone */
    const struct machine_ports *machine;
};
/* The way of misses: to L2, or into a network of the mechanism's own. */
struct miss_ops {
    /* L1 can send nothing to L2 now: would the mechanism take this miss? Changes nothing. An access that waits is tried
     * again when L1 can send, or when machine_ports.has_room says so. */
    bool (*has_room)(const void *self, const struct miss_event *what);
    /* Takes it, or returns false: it goes to L2. What it takes it must give back in the end, by deliver_fill or
     * resume_to_l2. If has_room was true just before, it takes it. */
    bool (*take)(void *self, const struct miss_event *what);
};
/* A read of L2's of global memory on its way to DRAM: L2 waits for it by `token`. */
struct l2_fetch {
    uint32_t line;
    uint16_t token, bank;
    uint8_t sectors; /* of 32 bytes */
};
/* Where L2 fetches from: DRAM, or the mechanism. It is asked after l2_on_access has told of the request that missed. */
struct l2_fetch_ops {
    /* Takes it, or returns false: it goes to DRAM. What it takes it must give back, by answer_l2 or fetch_from_dram,
     * from its unit, which is ticked in core cycle `now` next. */
    bool (*take)(void *self, const struct l2_fetch *fetch, uint64_t now);
};
/* A line request of an atomic of global memory, in a line of L2. Its warp, or with a result its load, waits for it by
 * `token`. */
struct atomic {
    uint32_t line;
    uint16_t token;
    uint8_t sectors; /* the 32-byte sectors that it touches */
    bool wants_result;
    uint32_t uid, pc; /* launch-unique warp, and its instruction */
};
struct atomic_event {
    uint32_t sm;
    struct atomic atomic;
    uint64_t now;
};
/* What a mechanism that performs atomics itself asks of L2 for an SM: to read sectors of a line, or to write them. */
struct atomic_data {
    uint32_t line;
    uint16_t token; /* the mechanism's */
    uint8_t sectors;
    bool is_write;
};
/* Where atomics are performed: at L2, or by the mechanism, which then takes all of them. What L1 has of the line
 * goes. */
struct atomic_ops {
    /* One may come now; else the access waits, and is tried again when machine_ports.has_room says so. Changes
     * nothing. */
    bool (*has_room)(const void *self, uint32_t sm);
    void (*take)(void *self, const struct atomic_event *what); /* given back by atomic_done when it is performed */
    /* L2 has answered what ask_l2 sent: data has come, or has been written. */
    void (*answered)(void *self, uint32_t sm, uint32_t token, bool is_write, uint64_t now);
};
/* A line that a mechanism wants in an SM's L1 before a load asks for it. */
struct prefetch {
    uint32_t line;
    uint32_t uid, pc; /* launch-unique warp whose access led to it, and its load: the line counts as brought by them */
    uint32_t chunks;  /* of the line, as access_event has them, and */
    uint8_t sectors;  /* its sectors: an L1 of whole lines fetches all of it */
    uint16_t keep_mshrs; /* that loads find free */
};
enum prefetch_outcome {
    PREFETCH_SENT,
    PREFETCH_PRESENT,
    PREFETCH_PENDING /* a miss waits for the line */,
    PREFETCH_NO_ROOM
};
/* What a unit may do to the SMs, for the cycle in which it is ticked. */
enum snoop { SNOOP_ABSENT, SNOOP_PENDING /* something of it is on its way: no copy */, SNOOP_PRESENT };
struct machine_ports {
    void *machine;
    /* Whether an SM's L1 holds these chunks of a line. Touches neither the order of replacement nor any counter. */
    enum snoop (*snoop)(const void *machine, uint32_t sm, uint32_t line, uint32_t chunks);
    /* As an access of the SM's own would, makes the line, which it holds, the most recent. */
    void (*touch)(void *machine, uint32_t sm, uint32_t line);
    /* L1's access port is busy in this cycle: the SM's load-store unit has to wait. */
    void (*steal_port)(void *machine, uint32_t sm, uint64_t now);
    /* The data of a miss reaches L1 as if it came from L2. */
    void (*deliver_fill)(void *machine, uint32_t sm, const struct miss *miss, uint64_t now);
    /* The miss goes to L2 after all, with its MSHR and its line; false: L1's miss queue is full. */
    bool (*resume_to_l2)(void *machine, uint32_t sm, const struct miss *miss, uint64_t now);
    /* Asks for a line that no load waits for: L1 reserves a line and an MSHR for it, as for a miss that may pollute. A
     * load that asks for the line meanwhile merges. PREFETCH_NO_ROOM: nothing has changed. */
    enum prefetch_outcome (*prefetch)(void *machine, uint32_t sm, const struct prefetch *what, uint64_t now);
    /* What L2 fetches has come, as if from DRAM. */
    void (*answer_l2)(void *machine, const struct l2_fetch *fetch, uint64_t now);
    /* L2 fetches it from DRAM after all; false: the bank's miss queue is full. */
    bool (*fetch_from_dram)(void *machine, const struct l2_fetch *fetch, uint64_t now);
    /* What an atomic's mechanism needs of L2 takes the SM's miss queue; false: that is full. */
    bool (*ask_l2)(void *machine, uint32_t sm, const struct atomic_data *data, uint64_t now);
    /* An atomic is performed, and its result can be read. */
    void (*atomic_done)(void *machine, uint32_t sm, const struct atomic *atomic, uint64_t now);
    /* miss_ops.has_room or atomic_ops.has_room may say more than before: an access that waits for room is tried
     * again. */
    void (*has_room)(void *machine, uint32_t sm, uint64_t now);
    /* Thread instructions that all SMs have executed since the launch began. */
    uint64_t (*thread_insts)(const void *machine);
};
/* A unit of the mechanism's own. It lives in the core's clock domain and is ticked before the SMs; what they send it
 * in cycle t it sees in t + 1. No SM runs ahead of the others while there is one. What it counts at the end is
 * mech_type.end's part. */
struct unit_ops {
    void (*tick)(void *self, const struct machine_ports *machine, uint64_t now);
    /* After cycle `now`, the SMs' part included: the first cycle after it in which a tick could change anything;
     * UNIT_NEVER: none unless a miss comes. NULL: ticked in every cycle. */
    uint64_t (*next_event)(const void *self, uint64_t now);
    bool (*idle)(const void *self);                          /* nothing is on its way */
    void (*dump)(const void *self, char *text, size_t size); /* one line for the watchdog */
    /* Cycles that what stands in it may wait although all is well, as timers and long ways have it; NULL: few. */
    uint64_t (*longest_wait)(const void *self);
};
#define UNIT_NEVER UINT64_MAX
/* The input buffer of an L2 bank (a memory sub-partition) since the launch began, in its own clock: entries taken
 * and entries there are, both times cycles. */
struct buffer_gauge {
    uint64_t taken, total;
};
/* Shared resources since the launch began: busy and available cycles (or flits) of each. A reply network that is never
 * busy (xbar.kind=ideal) has no busy flits. */
enum gauge { GAUGE_L2_PORT, GAUGE_REPLY_XBAR, GAUGE_DRAM_BUS, N_GAUGES };
struct gauges {
    uint64_t busy[N_GAUGES], total[N_GAUGES];
};
/* What a mechanism may read of an SM. Counters count from the start of the launch. */
struct sm_view {
    uint32_t sm;
    struct feature_counters counters;
    uint64_t l1_merges; /* L1 load accesses that joined a pending miss: no hits in the counters */
    void *machine;
    void (*gauges)(void *machine, struct gauges *out);              /* changes nothing that anybody else sees */
    void (*buffers)(const void *machine, struct buffer_gauge *out); /* one an L2 bank */
    void (*l2_ask_again)(void *machine);                            /* the answers to L2's hooks have changed */
    /* L1s with l1.tsc_mode=told fetch whole lines, or what accesses touch, from l1.tsc_delay cycles after `now` on. */
    void (*fetch_lines)(void *machine, bool whole, uint64_t now);
    /* This SM's elastic, streaming L1 is emptied, and has so many ways from now on (0: all; otherwise the nearest
     * that its lines can be shared out by). Returns how many it has; 0: it is another L1, and nothing is done. */
    uint32_t (*set_ways)(void *machine, uint32_t sm, uint32_t ways, uint64_t now);
};
/* What a mechanism learns when it is put into a machine. */
struct mech_env {
    uint32_t sms, schedulers, W;         /* W: warps per scheduler that occupancy and grid allow */
    uint32_t l1_mshrs;                   /* misses that one L1 can wait for */
    uint32_t l1_chunk_bytes;             /* what its misses ask for is counted in */
    uint64_t thread_insts;               /* of the launch, where a mechanism of the stack owns a unit; else 0 */
    uint32_t l2_banks, l2_sets, l2_ways; /* sets of a bank; ways of a set */
    uint32_t l2_frames;                  /* places of lines in all banks, see l2_hooks.h */
    uint32_t l1_line_bytes;              /* of a line of access_event */
    uint32_t line_bytes;                 /* of one of L2 */
    uint64_t first_line;                 /* line `n` of a request begins at byte (first_line + n) * line_bytes */
    uint32_t warps;                      /* of the launch */
    uint64_t warp_insts;                 /* of the launch */
    uint32_t kernel;   /* which one is launched, as the address of its first instruction tells kernels apart */
    size_t carried_at; /* bytes from `self` to what mech_type.carried asked for */
    uint64_t now;      /* the cycle from which on it is there; warps that are running are told as started then */
    struct gpu_timeline *timeline; /* for timeline.h; NULL when nobody records */
};

#define MECH_HOOKS(ASK_MASK, TIMER, TELL, ASK_ROUTE, OWNER) \
    ASK_MASK(warp_may_issue)          /* which warps may be scheduled at all */ \
    ASK_MASK(warp_may_load)           /* which warps may issue a global load */ \
    ASK_MASK(warp_may_pollute)        /* whose loads may reserve an L1 line; latched when the load enters the LSU */ \
    TIMER(epoch)                      /* returns the next cycle at which to be called, and may change the masks */ \
    TELL(warp_start, warp_event)      /* before the masks are asked for it */ \
    TELL(warp_exit, warp_event)       /* its last access has been answered */ \
    TELL(on_access, access_event)     /* L1 load access */ \
    TELL(on_fill, line_event)         /* L1 line filled */ \
    TELL(on_evict, line_event)        /* L1 line lost; before its successor is reserved */ \
    TELL(on_load, load_event)         /* a load enters the load-store unit */ \
    TELL(on_load_done, load_event)    /* its last part has arrived */ \
    ASK_ROUTE(load_route, load_event) /* a global load that may hit in L1 enters: there, or all of it bypasses L1 */ \
    ASK_ROUTE(on_reservation_fail, fail_event) /* wait, or bypass L1 */ \
    OWNER(request_order, order_ops)            /* in which order line requests reach L1 */ \
    OWNER(atomic_route, atomic_ops)            /* where atomics are performed */ \
    OWNER(l2_miss_route, l2_fetch_ops)         /* where L2 fetches from */ \
    OWNER(miss_route, miss_ops)                /* where a load's miss of global memory goes */

#define OPS_MASK(hook) uint64_t (*hook)(void *self, const struct warp_set *set);
#define OPS_TIMER(hook) uint64_t (*hook)(void *self, const struct sm_view *sm, uint64_t now);
#define OPS_TELL(hook, event) void (*hook)(void *self, const struct event *what);
#define OPS_ROUTE(hook, event) enum route (*hook)(void *self, const struct event *what);
#define OPS_OWNER(hook, ops) const struct ops *hook;
struct mech_type {
    const char *name, *title, *source;
    struct param_table params;
    struct stat_table stats;
    const struct ratio_row *ratios;
    size_t n_ratios;
    size_t state_size, per_sm_size;
    /* Bytes that it keeps from launch to launch where a program's launches find L2 as the last left it (--carry-l2):
     * about lines and banks of L2, or about kernels. They lie behind the others and begin as zeros. NULL: none. */
    size_t (*carried)(const void *params, const struct mech_env *env);
    /* self: state_size bytes, then sms * per_sm_size bytes, zeroed. May read files; afterwards nothing is allocated. */
    int (*init)(void *self, const void *params, const struct mech_env *env, struct error *err);
    /* What it kept has been put in its place, after init and before the first cycle. NULL: nothing follows from it. */
    void (*resume)(void *self);
    /* self has been copied elsewhere, with all it holds: pointers into itself are set anew. NULL: it has none. */
    void (*moved)(void *self);
    /* Checks combinations of parameters before a run; NULL if any are fine. */
    int (*check)(const void *params, struct error *err);
    /* The launch has ended at `now`: last sums into stats. */
    void (*end)(void *self, uint64_t now);
    /* The hardware that it takes; returns how many rows (at most MECH_COSTS_MAX). NULL: not worked out. */
    size_t (*cost)(const void *params, const struct mech_env *env, struct mech_cost *out);
    /* What it does that takes energy; returns how many rows (at most MECH_EVENTS_MAX). NULL: it looks nothing up. */
    size_t (*events)(const void *params, const struct mech_env *env, struct mech_event *out);
    /* What must pass before it does something, and until it does so again, with these parameters; returns how many rows
     * (at most MECH_WAITS_MAX). NULL: it acts from the first cycle on and has no periods. */
    size_t (*waits)(const void *params, struct mech_wait *out);
    /* What it does with these parameters, and the counters that say so; returns how many rows (at most MECH_ACTS_MAX).
     * NULL: one of its own counters above 0 says that it did something. */
    size_t (*acts)(const void *params, struct mech_act *out);
    /* What a miss without the pollute bit fetches, of a mechanism that clears the bit (warp_may_pollute): asked
     * once. */
    enum load_fetch (*fetch)(const void *params);
    /* The stats struct inside self (NULL if there are none). */
    const void *(*stats_of)(const void *self);
    /* A list or a matrix that rows cannot hold, for the run's JSON: a new reference. NULL: none. */
    struct json_t *(*detail)(const void *self);
    /* The replacement policy of L2 (cache/replacement_NAME.c) on which it builds, where l2.replacement says nothing;
     * one of that name is that policy, and nothing else can be under it. NULL: any. */
    const char *l2_replacement;
    /* What its hooks of SMs change belongs to the SM that they name, but in `epoch`: other threads may tick other SMs
     * in that cycle (poise sim --threads). Cycles with an epoch are ticked by one thread. False: all are. */
    bool keeps_sms_apart;
    const struct unit_ops *unit;                                    /* NULL: it owns none */
    MECH_HOOKS(OPS_MASK, OPS_TIMER, OPS_TELL, OPS_ROUTE, OPS_OWNER) /* NULL where the mechanism has nothing to say */
    MECH_L2_HOOKS(L2_OPS, L2_OPS, L2_OPS)
};

#define LINE_MASK(hook) \
    struct { \
        struct { \
            uint64_t (*ask)(void *, const struct warp_set *); \
            void *self; \
        } at[MECH_STACK_MAX]; \
        unsigned n; \
    } hook;
#define LINE_TIMER(hook) \
    struct { \
        struct { \
            uint64_t (*call)(void *, const struct sm_view *, uint64_t); \
            void *self; \
        } at[MECH_STACK_MAX]; \
        unsigned n; \
    } hook;
#define LINE_TELL(hook, event) \
    struct { \
        struct { \
            void (*tell)(void *, const struct event *); \
            void *self; \
        } at[MECH_STACK_MAX]; \
        unsigned n; \
    } hook;
#define LINE_ROUTE(hook, event) \
    struct { \
        struct { \
            enum route (*ask)(void *, const struct event *); \
            void *self; \
        } at[MECH_STACK_MAX]; \
        unsigned n; \
    } hook;
#define LINE_OWNER(hook, ops) \
    struct { \
        const struct ops *call; \
        void *self; \
    } hook;
struct hooks {
    void *machine; /* for the gauges */
    void (*gauges)(void *machine, struct gauges *out);
    void (*buffers)(const void *machine, struct buffer_gauge *out);
    struct machine_ports ports;
    void (*l2_ask_again)(void *machine);
    void (*fetch_lines)(void *machine, bool whole, uint64_t now);
    uint32_t (*set_ways)(void *machine, uint32_t sm, uint32_t ways, uint64_t now);
    struct l2_hooks l2;
    const char *l2_replacement; /* that of the stack, or NULL */
    enum load_fetch fetch;      /* of misses that reserve no line, in an L1 that fetches whole lines */
    MECH_HOOKS(LINE_MASK, LINE_TIMER, LINE_TELL, LINE_ROUTE, LINE_OWNER)
};
void hooks_attach(struct hooks *hooks, const struct mech_type *type, void *self);
/* Nobody is told anything, called at a time, or asked about an access: all a stack may say is which warps go, and
 * that depends on their SM alone. */
static inline bool hooks_are_quiet(const struct hooks *h)
{
#define QUIET_MASK(hook)
#define QUIET(hook, ...) &&h->hook.n == 0
#define QUIET_OWNER(hook, ops) &&!h->hook.call
    return true MECH_HOOKS(QUIET_MASK, QUIET, QUIET, QUIET, QUIET_OWNER);
#undef QUIET_MASK
#undef QUIET
#undef QUIET_OWNER
}
/* SMs may be ticked at the same time: it says so, or has nothing to say to SMs but in epochs. */
static inline bool mech_keeps_sms_apart(const struct mech_type *type)
{
#define HAS(hook, ...) || type->hook
#define HAS_TIMER(hook)
    return type->keeps_sms_apart || !(type->unit MECH_HOOKS(HAS, HAS_TIMER, HAS, HAS, HAS));
#undef HAS
#undef HAS_TIMER
}
/* A stack in which two mechanisms claim a hook of one owner, or say differently what misses that reserve no line fetch,
 * is refused with both names. */
int hooks_check(const struct mech_spec *stack, unsigned n, struct error *err);
/* What such misses fetch under a stack that hooks_check takes. */
enum load_fetch hooks_fetch(const struct mech_spec *stack, unsigned n);

#define CALL_MASK(hook) \
    static inline uint64_t hook_##hook(const struct hooks *h, const struct warp_set *set) \
    { \
        uint64_t mask = set->n < 64 ? (1ull << set->n) - 1 : ~0ull; \
        for (unsigned i = 0; i < h->hook.n; i++) mask &= h->hook.at[i].ask(h->hook.at[i].self, set); \
        return mask; \
    }
#define CALL_TIMER(hook)
#define CALL_TELL(hook, event) \
    static inline void hook_##hook(const struct hooks *h, const struct event *what) \
    { \
        for (unsigned i = 0; i < h->hook.n; i++) h->hook.at[i].tell(h->hook.at[i].self, what); \
    }
#define CALL_ROUTE(hook, event) \
    static inline enum route hook_##hook(const struct hooks *h, const struct event *what) \
    { \
        enum route route = ROUTE_ANY; \
        for (unsigned i = 0; i < h->hook.n && route == ROUTE_ANY; i++) \
            route = h->hook.at[i].ask(h->hook.at[i].self, what); \
        return route; \
    }
#define CALL_OWNER(hook, ops)
MECH_HOOKS(CALL_MASK, CALL_TIMER, CALL_TELL, CALL_ROUTE, CALL_OWNER)

/* The first n warps by rank: age order, those that wait last. `literal`: waiting warps keep their rank. */
static inline uint64_t warp_rank_mask(const struct warp_set *set, uint32_t n, bool literal)
{
    const uint64_t live = set->n < 64 ? (1ull << set->n) - 1 : ~0ull;
    if (n >= set->n) return live;
    uint64_t from = literal ? live : live & ~set->waiting, mask = 0;
    for (; n && from; n--, from &= from - 1) mask |= from & -from;
    for (from = live & ~mask; n && from; n--, from &= from - 1) mask |= from & -from;
    return mask;
}
#endif
