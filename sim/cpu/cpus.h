/* The CPU cores of a machine: ports of the crossbars behind those of the SMs, a clock of their own, and programs. A
 * machine without cores has none of this: struct gpu.cpus is NULL. */
#ifndef CPU_CPUS_H
#define CPU_CPUS_H
#include "cpu/core.h"
#include "machine/machine.h"

enum { CPUS_MAX = 8 };
struct cpus {
    uint64_t period;       /* base ticks of a CPU cycle */
    uint64_t due_time;     /* base tick in which a core is due; NEVER_TIME: only others can wake one */
    uint32_t n, running;   /* cores; those that have a program: the first */
    bool without_gpu;      /* the kernel is not launched */
    uint64_t gpu_runs;     /* how often the kernel has come to its end */
    cycle_t gpu_first_end; /* core cycle */
    struct cpu_core cores[CPUS_MAX];
};
/* In the arena, where the machine has cores; NULL otherwise. */
struct cpus *cpus_layout(struct gpu *gpu, const struct gpu_params *params, struct arena *arena);
/* Before the first cycle: which programs run, on the first cores. */
void cpus_start(struct gpu *gpu, const struct gpu_cpu_programs *programs);
/* The next base tick in which the machine has something to do. */
static inline uint64_t cpus_next_time(const struct gpu *gpu, uint64_t time)
{
    return gpu->cpus->due_time < time ? gpu->cpus->due_time : time;
}
/* After the other domains' base tick `time`. A kernel that has ended before the programs have is launched again. */
void cpus_tick(struct gpu *gpu, uint64_t time);
void cpus_go_on(struct gpu *gpu, uint64_t time); /* as gpu_go_on */
bool cpus_done(const struct gpu *gpu);           /* each program has come to its end once, and the kernel */
bool cpus_asleep(const struct gpu *gpu);         /* no core will do anything by itself */
uint64_t cpus_insts(const struct gpu *gpu);
void cpus_finish(struct gpu *gpu, cycle_t end); /* core cycle; last sums into stats */

/* gpu.c: a packet from or to a core's port. */
HOT struct request cpus_take_request(struct gpu *gpu, uint32_t port);
HOT void cpus_reply(struct gpu *gpu, uint32_t port, const struct reply *reply, cycle_t left_at);
#endif
