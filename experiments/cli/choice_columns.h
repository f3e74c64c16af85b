/* What a learned choice of a policy sees of a launch: columns of the quick model, known before it runs, and counters of
 * the first cycles under the baseline (the window). Internal to the program. */
#ifndef POISE_CHOICE_COLUMNS_H
#define POISE_CHOICE_COLUMNS_H
#include "poise/gpu.h"
#include "poise/workload.h"

/* No column is a number of cycles, lines or bytes as such, so that a launch of another size has the same. */
#define CHOICE_BEFORE(C) \
    C(relief, "ln of the highest speedup over (W, W) among the quick model's tuples") \
    C(best_share, "log2 of that tuple's N / W") \
    C(quick_one, "ln of the speedup of (1, 1) by the quick model") \
    C(quick_few, "the same of N = p next to W / 4") \
    C(l1_all, "hit rate of L1, all warps, by the quick model") \
    C(l1_one, "the same at (1, 1)") \
    C(l1_most, "the highest of any tuple") \
    C(l2_all, "hit rate of L2, all warps, by the quick model") \
    C(lines_all, "accesses of L1 a cycle, all warps, by the quick model") \
    C(dram_all, "lines of DRAM a cycle, all warps, by the quick model") \
    C(insts_all, "instructions a cycle, all warps, by the quick model") \
    C(lines_inst, "log2 of accesses of L1 an instruction") \
    C(log2_W, "log2 of the warps of a scheduler") \
    C(log2_waves, "log2 of 1 + the launch's warps by those that are resident")
#define CHOICE_AFTER(C) \
    C(w_l1_hit, "window: hit rate of L1") \
    C(w_intra, "window: hits on lines that the same warp touched last, of all loads of L1") \
    C(w_sectors, "window: log2 of flits of the reply network a fill of L1: how much of a line is fetched") \
    C(w_again, "window: misses of L1 whose line is there or on its way, without the sector") \
    C(w_evict, "window: evictions of L1 a fill") \
    C(w_l2_hit, "window: hit rate of L2") \
    C(w_latency, "window: log2 of the mean latency of a miss of L1") \
    C(w_store_evicts, "window: stores that evict a line of L1, of all stores") \
    C(w_spread, "window: log2 of line requests a global load") \
    C(w_stores, "window: stores of a line request") \
    C(w_atomics, "window: atomics of a line request") \
    C(w_wait, "window: slots in which every warp waits for memory, of all") \
    C(w_lsu, "window: slots lost to the load-store unit, of all") \
    C(w_issued, "window: slots in which an instruction issued, of all") \
    C(w_writebacks, "window: bursts that DRAM writes, of all") \
    C(w_full, "window: cycles in which L1 found no MSHR, no line or no place in its miss queue, of SM cycles") \
    C(w_reply, "window: flits of the reply network a cycle") \
    C(w_dram, "window: cycles of DRAM's buses with data, of those with requests")
enum {
#define C(name, doc) CHOICE_##name,
    CHOICE_BEFORE(C) CHOICE_AFTER(C)
#undef C
        N_CHOICE_COLUMNS
};
extern const char *const choice_column_names[N_CHOICE_COLUMNS];

/* The columns that are known before the launch; -1: the quick model cannot run it. */
int choice_columns_before(double out[N_CHOICE_COLUMNS], const struct launch *launch, const struct gpu_params *machine,
                          struct error *err);
/* Those of the window, from its counters on a machine of so many SMs. */
void choice_columns_after(double out[N_CHOICE_COLUMNS], const struct gpu_stats *window, uint32_t sms);
/* What a failed run counts as: ln of a twentieth of the baseline's speed. */
#define CHOICE_FAILED (-3.0)
/* What a policy gained in its trial as a column: within what a policy can bring; a trial that failed is its least. */
double choice_trial_value(double ratio);
#endif
