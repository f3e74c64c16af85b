/* The whole machine: units, the network, clocks. Only gpu.c and network.c, which move messages between neighbours, see
 * all of it. Everything a run changes lies in one arena, so that a snapshot is a copy. */
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H
#include "net/clock.h"
#include "memory/dram.h"
#include "cache/l2.h"
#include "core/sm.h"
#include "core/waiting.h"
#include "machine/crew.h"
#include "net/net.h"

struct mech_instance {
    const struct mech_type *type;
    void *self;
    size_t carried_at, carried_bytes; /* what it keeps between launches: behind `self`, and how much */
};
/* A launch, the SMs that run its CTAs and the mechanisms that decide for these. Mostly one launch has the whole
 * machine; of two side by side (poise/gpu.h) each has its SMs, and L2 and DRAM are shared. Mechanisms know the SMs of
 * their own launch alone, by numbers from 0 on. */
struct share {
    const struct plan *plan;
    uint32_t first_sm, n_sms;
    uint32_t n_ctas, next_cta, ctas_done; /* CTAs resident: next_cta - ctas_done */
    uint32_t passed_over;                 /* CTAs that never run: they count as begun and as done */
    cycle_t end; /* side by side: the core cycle after that in which its last CTA finished; NEVER: it has not */
    struct hooks hooks;
    struct mech_instance mechs[MECH_STACK_MAX];
    uint32_t n_mechs;
};
enum { SHARES_MAX = 2 };
/* What a share is given. */
struct launched {
    const struct plan *plan;
    const struct mech_spec *stack;
    unsigned n_stack;
    bool is_same_program; /* as the launch before: global memory of one address is one line of L2 */
};
struct gpu {
    struct clocks clocks;
    struct sm *sms;
    struct l2 *banks;
    struct dram *channels;
    const struct net_type *net;
    struct ports requests, replies;                                  /* of the network */
    struct wheel sm_agenda[AGENDA_WORDS], bank_agenda[AGENDA_WORDS]; /* who is due, by their wake */
    struct xbar_stats xbar_stats;
    const struct gpu_params *params;
    struct address_map map;
    /* What L2 asks and units of mechanisms have is the first share's: only a launch that has the machine to itself may
     * have such mechanisms. */
    struct share shares[SHARES_MAX];
    uint32_t n_shares;
    size_t machine_bytes;     /* of the arena: the same for every stack; what mechanisms need lies behind */
    uint32_t banks_a_channel; /* of L2 */
    uint32_t n_units;         /* of mechanisms, */
    cycle_t units_wake;       /* and the cycle in which one of them is due */
    struct sleeper units;     /* all of them */
    cycle_t resident_since, full_cycles;
    uint32_t request_link_cycles, reply_link_cycles; /* crossbar cycles on the wires, from l2.round_trip_cycles */
    uint32_t cpu_ports; /* the network's first port of CPU cores at the banks' side, or 0: they share those of SMs */
    uint32_t cpu_request_link_cycles, cpu_reply_link_cycles; /* of CPU cores, whose wires may be their own */
    uint64_t dram_delay_ticks;                               /* from dram.extra_cycles */
    uint32_t dram_added_cycles;                              /* DRAM cycles, from dram.added_cycles */
    uint32_t dram_lag, dram_lag_max;             /* DRAM cycles that a channel may stay behind, and at most */
    uint32_t l2_alone_cycles, dram_alone_cycles; /* core cycles of an uncongested L2 hit, and what DRAM adds */
    uint32_t ahead_cycles;                       /* so far an SM knows its replies: no other will arrive until
                                                      * then */
    uint32_t alone_cycles;                       /* the same for one without a request on its way */
    cycle_t ahead_until;                         /* no SM runs ahead to this cycle; 0: none runs ahead at all */
    struct crew *sm_crew, *memory_crew;          /* who ticks SMs, and banks and channels; NULL: the run's own thread */
    bool is_apart;                               /* there is one of them */
    bool no_skip, answers_at_once;               /* answers_at_once: an idealised memory */
    struct cpus *cpus;                           /* NULL: there are no CPU cores (cpus.h) */
    struct gpu_timeline *timeline;               /* NULL: nobody records */
    struct gpu_atomic_order *atomics;            /* NULL: nobody notes their order */
    struct waiting *waiting;                     /* NULL: no warp waits for counted writes */
    uint64_t atomics_done;                       /* by mechanisms, in L2's place */
};
/* A kind of unit, as who sees them all knows it: unit_list.def says what its functions do. */
struct unit_type {
    const char *name;
    enum domain domain;
    uint32_t (*count)(const struct gpu *);
    cycle_t (*next)(const struct gpu *, uint32_t i);
    bool (*idle)(const struct gpu *, uint32_t i);
    void (*dump)(const struct gpu *, uint32_t i, char *text, size_t size);
    void (*finish)(struct gpu *, uint32_t i, cycle_t end, struct gpu_stats *stats);
};
extern const struct unit_type gpu_units[];
extern const uint32_t n_gpu_units;
void gpu_join(struct gpu *gpu); /* gpu.c: who is at the ends of which queue */
/* Lays the machine out in the arena and initialises it; with an empty arena it only measures. */
struct gpu *gpu_layout(struct arena *arena, const struct plan *plan, const struct gpu_params *params,
                       const struct mech_spec *stack, unsigned n_stack, bool no_skip);
/* The same for n launches side by side. */
struct gpu *gpu_layout_shares(struct arena *arena, const struct launched launched[], uint32_t n,
                              const struct gpu_params *params, bool no_skip);
int gpu_start(struct gpu *gpu, const struct launched launched[], struct error *err); /* mechanisms, first CTAs */
/* The same with what another machine has of the launch, which is drained (handover.c); caches are empty. */
int gpu_start_from(struct gpu *gpu, struct gpu *from, const struct mech_spec *stack, unsigned n_stack,
                   struct error *err);
/* dispatch.c: which SM runs which launch's CTAs */
uint32_t share_first_sm(const struct gpu_params *params, uint32_t share, uint32_t n_shares);
bool gpu_ctas_done(const struct gpu *gpu);                                        /* of all launches */
cycle_t share_end(const struct gpu *gpu, const struct share *share, cycle_t end); /* of a run that ends at `end` */
void gpu_dispatch_ctas(struct gpu *gpu, cycle_t now);  /* to the SMs that can hold one more */
void gpu_replace_ctas(struct gpu *gpu, cycle_t now);   /* the same after CTAs have finished, which it counts */
void gpu_meter_resident(struct gpu *gpu, cycle_t now); /* before the number of resident CTAs changes */
/* The next base tick in which something can happen; NEVER when nothing ever will. */
static inline uint64_t gpu_next_time(const struct gpu *gpu) { return clocks_next_time(&gpu->clocks); }
HOT void gpu_tick_at(struct gpu *gpu, uint64_t time); /* runs that base tick */
/* Brings DRAM, which stays behind the other domains, to where it is after base tick `time`. */
void gpu_catch_up(struct gpu *gpu, uint64_t time);
/* Before a run goes on at base tick `time`, up to which all is done: no_skip and dram_lag may be other than when it
 * stopped, as a snapshot may come from a run that skips or from one that ticks every cycle. */
void gpu_go_on(struct gpu *gpu, uint64_t time);
bool gpu_tick(struct gpu *gpu); /* both; false when nothing ever will happen */
/* No unit will do anything by itself: a run that skips cycles would find nothing due any more. */
bool gpu_is_asleep(const struct gpu *gpu);
/* What L1s wrote back on their own account has arrived, and what they asked for has come. */
bool gpu_is_drained(const struct gpu *gpu);
static inline bool gpu_done(const struct gpu *gpu) { return gpu_ctas_done(gpu) && gpu_is_drained(gpu); }
void gpu_finish(struct gpu *gpu, cycle_t end, struct gpu_stats *stats);
struct stats_elsewhere gpu_elsewhere(const struct gpu *gpu); /* what mechanisms do in L2's place */
void gpu_dump(const struct gpu *gpu, char *text, size_t size);

/* handover.c: one machine goes on with the launch of another. Every core cycle before `now` has been ticked. */
/* whether a machine of these parameters could go on with what one of those has begun */
int handover_check(const struct plan *from, const struct gpu_params *of, const struct plan *to,
                   const struct gpu_params *params, struct error *err);
bool handover_keeps_l1(const struct gpu_params *a, const struct gpu_params *b); /* L1s of one that the other can keep */
void gpu_hold(struct gpu *gpu, cycle_t now);                                    /* no warp issues any more */
bool gpu_is_drained_at(const struct gpu *gpu, cycle_t now); /* what they have issued is done, to DRAM's writes */
bool gpu_empty_l1s(struct gpu *gpu, cycle_t now); /* what L1s alone hold leaves for L2; false: not all has yet */
void gpu_take_over(struct gpu *gpu, const struct gpu *from); /* warps and CTAs, before the first tick */

/* units.c: units that mechanisms own, and what they may do to the machine. */
struct machine_ports units_ports(struct gpu *gpu);
void units_tick(struct gpu *gpu, cycle_t now);    /* before the SMs of this cycle */
cycle_t units_plan(struct gpu *gpu, cycle_t now); /* after them: the cycle in which one is due next, or NEVER */
bool units_idle(const struct gpu *gpu);           /* nothing is on its way in any */
/* After a bank's tick, in which it sent something to DRAM: the mechanism may take what it fetches. */
void units_divert(struct gpu *gpu, struct l2 *bank);

/* atomics.c: from now on the order of atomics is noted. An error where a request is not a line of an instruction. */
int atomics_note(struct gpu *gpu, struct gpu_atomic_order *order, struct error *err);
/* An SM performs one itself. */
void atomics_performed(struct gpu *gpu, const struct atomic *atomic);

/* stack.c: mechanisms on the machine. What they need lies behind the machine in the arena. */
/* which mechanisms, and how large they are */
void stack_set(struct gpu *gpu, struct share *share, const struct mech_spec *stack, unsigned n_stack);
void stack_place(struct gpu *gpu,
                 struct arena *arena); /* the types in the shares' mechs, with memory not yet initialised */
/* Puts another stack in place of the present one from core cycle `now` on; everything before it has been ticked. The
 * arena has room. */
int stack_switch(struct gpu *gpu, struct arena *arena, const struct mech_spec *stack, unsigned n_stack, cycle_t now,
                 struct error *err);
/* After a copy of the arena: an order that the stack's mechanism does not use is not asked. */
void stack_use_order(struct gpu *gpu);
/* Bytes of the arena with this stack. */
size_t stack_bytes(const struct gpu *gpu, const struct mech_spec *stack, unsigned n_stack);

/* move.c: a copy of the arena `from` lies in `to`; every pointer into the one becomes a pointer into the other.
 * `fixed`: offsets of those that are the same in every run of this layout. */
struct moves {
    uint32_t *words;
    size_t n;
};
int moves_new(struct moves *out, const struct plan *plan, const struct gpu_params *params, struct error *err);
void moves_free(struct moves *moves);
void gpu_move(struct arena *to, const char *from, const struct moves *fixed);
#endif
