/* The whole machine: units, crossbars, clocks. Only gpu.c, which moves messages between neighbours, sees all of it.
 * Everything a run changes lies in one arena, so that a snapshot is a copy. */
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H
#include "clock.h"
#include "dram.h"
#include "l2.h"
#include "sm.h"
#include "xbar.h"

struct mech_instance { const struct mech_type *type; void *self; };
struct gpu {
    struct clocks clocks;
    struct sm *sms;
    struct l2 *banks;
    struct dram *channels;
    struct xbar requests, replies;
    struct agenda sm_agenda, bank_agenda; /* who is due, by their wake */
    struct xbar_stats xbar_stats;
    const struct gpu_params *params;
    const struct plan *plan;
    struct hooks hooks;
    struct mech_instance mechs[MECH_STACK_MAX];
    uint32_t n_mechs, n_ctas, next_cta, ctas_done;
    cycle_t resident_since, full_cycles; /* CTAs resident: next_cta - ctas_done */
    uint32_t request_link_cycles, reply_link_cycles; /* crossbar cycles on the wires, from l2.round_trip_cycles */
    uint64_t dram_delay_ticks;                       /* from dram.extra_cycles */
    uint32_t l2_alone_cycles, dram_alone_cycles;     /* core cycles of an uncongested L2 hit, and what DRAM adds */
    bool no_skip;
    struct gpu_timeline *timeline; /* NULL: nobody records */
};
/* Lays the machine out in the arena and initialises it; with an empty arena it only measures. */
struct gpu *gpu_layout(struct arena *arena, const struct plan *plan, const struct gpu_params *params, const struct mech_spec *stack,
                       unsigned n_stack, bool no_skip);
int gpu_start(struct gpu *gpu, const struct mech_spec *stack, struct error *err); /* mechanisms, first CTAs */
/* The next base tick in which something can happen; NEVER when nothing ever will. */
uint64_t gpu_next_time(const struct gpu *gpu);
void gpu_tick_at(struct gpu *gpu, uint64_t time); /* runs that base tick */
bool gpu_tick(struct gpu *gpu);                   /* both; false when nothing ever will happen */
bool gpu_done(const struct gpu *gpu);
void gpu_finish(struct gpu *gpu, cycle_t end, struct gpu_stats *stats);
void gpu_dump(const struct gpu *gpu, char *text, size_t size);
/* Snapshot and restore: `copy` is as large as the arena. Restoring is into the same arena. */
void gpu_snapshot(const struct arena *arena, void *copy);
void gpu_restore(struct arena *arena, const void *copy);
#endif
