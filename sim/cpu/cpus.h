/* The CPU cores of a machine: ports of the crossbars behind those of the SMs, a clock domain, and programs. A
 * machine without cores has none of this: struct gpu.cpus is NULL. */
#ifndef CPU_CPUS_H
#define CPU_CPUS_H
#include "cpu/core.h"
#include "machine/machine.h"

enum { CPUS_MAX = 8 };
struct cpus {
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
/* The domain's cycle: the cores that are due. They stand behind all other domains: what they do is seen in the next
 * base tick. */
cycle_t cpus_tick(struct gpu *gpu, cycle_t now);
/* After base tick `time`: a kernel that has ended before the programs have is launched again. */
void cpus_launch_again(struct gpu *gpu, uint64_t time);
bool cpus_done(const struct gpu *gpu); /* each program has come to its end once, and the kernel */

/* gpu.c: a packet from or to a core's port. */
HOT struct request cpus_take_request(struct gpu *gpu, uint32_t port);
HOT void cpus_reply(struct gpu *gpu, uint32_t port, const struct reply *reply, cycle_t left_at);
#endif
