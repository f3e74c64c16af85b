/* CPU cores beside the SMs, as the machine sees them: a kind of unit (unit_list.def), with ports of the network behind
 * those of the SMs, and programs that the run waits for. sim/cpu implements all of this on top of the machine, which
 * includes nothing from there. A machine without cores has none of it: struct gpu.cpus is NULL. */
#ifndef GPU_CPUS_H
#define GPU_CPUS_H
#include "machine/machine.h"

/* In the arena, where the machine has cores; NULL otherwise. */
struct cpus *cpus_layout(struct gpu *gpu, const struct gpu_params *params, struct arena *arena);
/* Before the first cycle: which programs run, on the first cores. */
void cpus_start(struct gpu *gpu, const struct gpu_cpu_programs *programs);
/* After base tick `time`: a kernel that has ended before the programs have is launched again. */
void cpus_launch_again(struct gpu *gpu, uint64_t time);
bool cpus_done(const struct gpu *gpu);         /* each program has come to its end once, and the kernel */
bool cpus_kernel_ended(const struct gpu *gpu); /* it has come to its end once */
uint64_t cpus_progress(const struct gpu *gpu); /* what programs that have not ended yet have done */
void cpus_result(const struct gpu *gpu, struct gpu_cpu_result *out);

/* The network: a packet from or to a core's port. `left_at`: the crossbar's cycle in which it arrives. */
HOT struct request cpus_take_request(struct gpu *gpu, uint32_t port);
HOT void cpus_reply(struct gpu *gpu, uint32_t port, const struct reply *reply, cycle_t left_at);

/* The unit: the functions of its row. They stand behind all other domains: what a core does is seen in the next base
 * tick. */
cycle_t cpus_tick(struct gpu *gpu, cycle_t now);
uint32_t cpus_count(const struct gpu *gpu); /* those that have a program */
cycle_t cpus_next(const struct gpu *gpu, uint32_t i);
bool cpus_idle(const struct gpu *gpu, uint32_t i);
void cpus_dump(const struct gpu *gpu, uint32_t i, char *text, size_t size);
void cpus_finish(struct gpu *gpu, uint32_t i, cycle_t end, struct gpu_stats *stats);
#endif
