/* Every counter of the machine as a row. A unit owns a struct of its own rows and counts with `stats.x++`; a run's
 * statistics are the sum over units. */
#ifndef GPU_STATS_H
#define GPU_STATS_H
#include <stddef.h>
#include "poise/gpu.h"

#define RUN_STATS(S) \
    S(STAT_SUM, core_cycles, "core cycles", "length of the run") \
    S(STAT_SUM, full_cycles, "core cycles", \
      "cycles in which resident CTAs held at least 90 % of the warp slots that occupancy allows")

/* Per SM. Lost issue slots: every scheduler and cycle without an issue has exactly one cause. */
#define STALL_STATS(S) \
    S(STAT_SUM, stall_str_mem, "slots", "a warp was ready but the load-store unit could not take its instruction") \
    S(STAT_SUM, stall_str_alu, "slots", "a warp was ready but its arithmetic unit was busy") \
    S(STAT_SUM, stall_data_mem, "slots", "every warp that may issue waits for data; at least one for memory") \
    S(STAT_SUM, stall_fetch, "slots", "every warp that may issue waits for instructions") \
    S(STAT_SUM, stall_data_alu, "slots", "every warp that may issue waits for an arithmetic result") \
    S(STAT_SUM, stall_sync, "slots", "every warp waits at a barrier, a fence, or for its last accesses") \
    S(STAT_SUM, stall_throttled, "slots", "a mechanism lets no warp issue") \
    S(STAT_SUM, stall_idle, "slots", "the scheduler has no warp")
/* Of thread_insts: a row for each class of the trace, in its order. Printed where there are any. */
#define CLASS_STATS(S) \
    S(STAT_SUM, insts_int, "thread instructions", \
      "of thread_insts: integer, logic, move, compare, select and convert") \
    S(STAT_SUM, insts_int_mul, "thread instructions", "of thread_insts: integer multiply and multiply-add") \
    S(STAT_SUM, insts_int_div, "thread instructions", "of thread_insts: integer divide and remainder") \
    S(STAT_SUM, insts_fp, "thread instructions", "of thread_insts: single-precision add, compare and convert") \
    S(STAT_SUM, insts_fp_mul, "thread instructions", "of thread_insts: single-precision multiply and multiply-add") \
    S(STAT_SUM, insts_fp_div, "thread instructions", "of thread_insts: single-precision divide and square root") \
    S(STAT_SUM, insts_dp, "thread instructions", "of thread_insts: double-precision add, multiply and multiply-add") \
    S(STAT_SUM, insts_dp_div, "thread instructions", "of thread_insts: double-precision divide and square root") \
    S(STAT_SUM, insts_sfu, "thread instructions", "of thread_insts: approximate special functions") \
    S(STAT_SUM, insts_branch, "thread instructions", "of thread_insts: branches, calls and returns") \
    S(STAT_SUM, insts_barrier, "thread instructions", "of thread_insts: CTA barriers") \
    S(STAT_SUM, insts_fence, "thread instructions", "of thread_insts: memory fences") \
    S(STAT_SUM, insts_exit, "thread instructions", "of thread_insts: ends of threads") \
    S(STAT_SUM, insts_load, "thread instructions", "of thread_insts: loads of every space") \
    S(STAT_SUM, insts_store, "thread instructions", "of thread_insts: stores of every space") \
    S(STAT_SUM, insts_atomic, "thread instructions", "of thread_insts: atomics and reductions") \
    S(STAT_SUM, insts_tensor, "thread instructions", "of thread_insts: matrix multiply-accumulates") \
    S(STAT_SUM, insts_udp, "thread instructions", "of thread_insts: operations of uniform datapaths") \
    S(STAT_SUM, insts_texture, "thread instructions", "of thread_insts: texture accesses without addresses")
#define CORE_STATS(S) \
    S(STAT_SUM, warp_insts, "warp instructions", "warp instructions issued") \
    S(STAT_SUM, thread_insts, "thread instructions", "the same, times executing lanes") \
    S(STAT_SUM, issue_slots, "slots", "schedulers times core cycles") \
    S(STAT_SUM, ctas, "CTAs", "CTAs finished") \
    S(STAT_SUM, warps, "warps", "warps finished") \
    S(STAT_SUM, global_loads, "warp instructions", "global loads issued with at least one lane") \
    STALL_STATS(S) \
    S(STAT_SUM, fetches, "fetches", "instruction fetches that hit L1I") \
    S(STAT_SUM, l1i_misses, "misses", "instruction lines asked of L2") \
    S(STAT_SUM, l1i_fills, "fills", "instruction lines that arrived") \
    CLASS_STATS(S)
#define LSU_STATS(S) \
    S(STAT_SUM, lsu_busy_cycles, "cycles", "cycles in which the load-store unit did work") \
    S(STAT_SUM, shared_passes, "passes", "shared-memory accesses, bank conflicts included") \
    S(STAT_SUM, line_requests, "requests", "line requests that left the coalescer")
/* Every access is one of the next rows: hit, merged or missed. */
#define L1_ACCESS_STATS(S) \
    S(STAT_SUM, l1d_load_accesses, "accesses", "load accesses after coalescing that looked L1 up")
/* Of a machine that few have: printed only where there is something to say. */
#define L1_RARE_STATS(S) \
    S(STAT_SUM, l1d_split_requests, "requests", \
      "requests that misses sent beyond their first, as a line of L1 is larger than one of L2, or its chunks go " \
      "apart") \
    S(STAT_SUM, l1d_asked_again, "accesses", \
      "of the merges, those so close behind their miss that they asked L2 as well (l1.tag_cycles)") \
    S(STAT_SUM, l1d_prefetches, "lines", "lines that a mechanism asked L2 for before a load did; their fills count") \
    S(STAT_SUM, l1d_word_misses, "chunks", "of an elastic L1: chunks missed where a line has their common tag") \
    S(STAT_SUM, l1d_partial_misses, "accesses", "of an elastic L1: accesses to a whole line that found a part of it") \
    S(STAT_SUM, l1d_chunk_probes, "probes", "of an elastic L1: chunk tags looked up, a bank at a time") \
    S(STAT_SUM, l1d_chunk_conflicts, "cycles", \
      "of an elastic L1: cycles in which a chunk tag or a chunk waited for its bank")
#define L1_STATS(S) \
    S(STAT_SUM, l1d_load_hits, "accesses", "of these, accesses that found their data present") \
    S(STAT_SUM, l1d_intra_warp_hits, "accesses", "hits on a line last touched by the same warp") \
    S(STAT_SUM, l1d_own_fill_hits, "accesses", "hits on a line that the same warp allocated") \
    S(STAT_SUM, l1d_mshr_merges, "accesses", "load accesses merged into a pending miss") \
    S(STAT_SUM, l1d_misses, "accesses", "load accesses that sent a miss to L2") \
    S(STAT_SUM, l1d_sector_misses, "accesses", "of these, misses of sectors whose line is present or on its way") \
    L1_RARE_STATS(S) \
    S(STAT_SUM, l1d_no_allocate, "accesses", \
      "of these, misses that reserved no line: their warp, or that of the miss they joined, may not pollute") \
    S(STAT_SUM, l1d_bypassed, "accesses", "loads that bypassed L1") \
    S(STAT_SUM, l1d_passed, "accesses", "of these, loads that L2 must serve: .cg, .cv, volatile, wider than .cta") \
    S(STAT_SUM, l1d_load_evicts, "lines", "lines that such a load found in L1, which go") \
    S(STAT_SUM, l1d_stores, "accesses", "store accesses sent to L2") \
    S(STAT_SUM, l1d_store_evicts, "lines", "lines evicted by a store (write-evict)") \
    S(STAT_SUM, l1d_atomics, "accesses", "atomic accesses sent to L2") \
    S(STAT_SUM, l1d_evictions, "lines", "valid lines replaced") \
    S(STAT_SUM, l1d_local_stores_kept, "accesses", "stores to local memory that L1 keeps") \
    S(STAT_SUM, l1d_writebacks, "lines", "lines of local memory sent to L2 when they were replaced") \
    S(STAT_SUM, const_accesses, "accesses", "line requests that looked the constant cache up") \
    S(STAT_SUM, const_misses, "accesses", "of these, requests sent to L2") \
    S(STAT_SUM, tex_accesses, "accesses", "line requests that looked the texture cache up") \
    S(STAT_SUM, tex_misses, "accesses", "of these, requests sent to L2") \
    S(STAT_SUM, read_only_fills, "fills", "lines of constants and textures that arrived") \
    S(STAT_SUM, l1d_fills, "fills", "miss replies that arrived") \
    S(STAT_SUM, l1d_other_replies, "replies", "store acknowledgements and atomic results that arrived") \
    S(STAT_SUM, l1d_reservation_fails, "accesses", "accesses that failed to get a resource at least once") \
    S(STAT_SUM, l1d_fail_line_cycles, "cycles", "cycles lost because every line of the set was reserved") \
    S(STAT_SUM, l1d_fail_mshr_cycles, "cycles", "cycles lost because every MSHR was taken") \
    S(STAT_SUM, l1d_fail_merge_cycles, "cycles", "cycles lost because the MSHR could not merge more") \
    S(STAT_SUM, l1d_fail_queue_cycles, "cycles", "cycles lost because the miss queue was full") \
    S(STAT_SUM, miss_latency_sum, "core cycles", "L1 miss to data, summed over l1d_fills") \
    S(STAT_SUM, l2_hit_latency_sum, "core cycles", "the same over the misses that hit in L2") \
    S(STAT_SUM, l2_hit_latency_count, "fills", "misses that hit in L2")
#define XBAR_STATS(S) \
    S(STAT_SUM, request_packets, "packets", "packets through the request crossbar") \
    S(STAT_SUM, request_flits, "flits", "flits through the request crossbar") \
    S(STAT_SUM, reply_packets, "packets", "packets through the reply crossbar") \
    S(STAT_SUM, reply_flits, "flits", "flits through the reply crossbar")
#define L2_STATS(S) \
    S(STAT_SUM, l2_accesses, "accesses", "requests that looked L2 up") \
    S(STAT_SUM, l2_hits, "accesses", "of these, requests that found their line present") \
    S(STAT_SUM, l2_mshr_merges, "accesses", "requests merged into a pending miss") \
    S(STAT_SUM, l2_misses, "accesses", "requests that sent a miss to DRAM or allocated a fully written line") \
    S(STAT_SUM, l2_sector_misses, "accesses", "of these, misses of sectors whose line is present or on its way") \
    S(STAT_SUM, l2_allocate_reads, "lines", "lines fetched because a store missed") \
    S(STAT_SUM, l2_writebacks, "lines", "dirty lines sent to DRAM") \
    S(STAT_SUM, l2_dirty_lines_left, "lines", "dirty lines still in L2 when the run ended") \
    S(STAT_SUM, l2_responses, "responses", "responses and acknowledgements sent") \
    S(STAT_SUM, l2_port_cycles, "L2 cycles", "cycles in which a bank's data port was busy") \
    S(STAT_SUM, l2_stall_response_cycles, "L2 cycles", "cycles a bank's head request waited for the response queue") \
    S(STAT_SUM, l2_stall_port_cycles, "L2 cycles", "cycles it waited for the data port") \
    S(STAT_SUM, l2_stall_line_cycles, "L2 cycles", "cycles it waited because every line of the set was reserved") \
    S(STAT_SUM, l2_stall_mshr_cycles, "L2 cycles", "cycles it waited for an MSHR or a merge slot") \
    S(STAT_SUM, l2_stall_dram_cycles, "L2 cycles", "cycles it waited for the miss queue") \
    S(STAT_SUM, l2_access_queue_le25_cycles, "L2 cycles", \
      "cycles a bank's access queue held something and was up to a quarter full") \
    S(STAT_SUM, l2_access_queue_le50_cycles, "L2 cycles", \
      "cycles a bank's access queue held something and was up to half full") \
    S(STAT_SUM, l2_access_queue_le75_cycles, "L2 cycles", \
      "cycles a bank's access queue held something and was up to three quarters full") \
    S(STAT_SUM, l2_access_queue_lt100_cycles, "L2 cycles", \
      "cycles a bank's access queue held something and was over three quarters full") \
    S(STAT_SUM, l2_access_queue_full_cycles, "L2 cycles", "cycles a bank's access queue held something and was full")
#define DRAM_STATS(S) \
    S(STAT_SUM, dram_reads, "64-byte bursts", "read bursts") \
    S(STAT_SUM, dram_writes, "64-byte bursts", "write bursts") \
    S(STAT_SUM, dram_activates, "commands", "rows opened") \
    S(STAT_SUM, dram_row_hits, "lines", "line requests whose row was already open") \
    S(STAT_SUM, dram_bus_cycles, "DRAM cycles", "cycles in which a data bus moved data") \
    S(STAT_SUM, dram_pending_cycles, "DRAM cycles", "cycles a channel's scheduler had a request or its bus data") \
    S(STAT_SUM, dram_queue_le25_cycles, "DRAM cycles", \
      "cycles a channel's queue held something and was up to a quarter full") \
    S(STAT_SUM, dram_queue_le50_cycles, "DRAM cycles", \
      "cycles a channel's queue held something and was up to half full") \
    S(STAT_SUM, dram_queue_le75_cycles, "DRAM cycles", \
      "cycles a channel's queue held something and was up to three quarters full") \
    S(STAT_SUM, dram_queue_lt100_cycles, "DRAM cycles", \
      "cycles a channel's queue held something and was over three quarters full") \
    S(STAT_SUM, dram_queue_full_cycles, "DRAM cycles", "cycles a channel's queue held something and was full")

#define GPU_STATS(S) \
    RUN_STATS(S) CORE_STATS(S) LSU_STATS(S) L1_ACCESS_STATS(S) L1_STATS(S) XBAR_STATS(S) L2_STATS(S) DRAM_STATS(S)

STAT_STRUCT(core_stats, CORE_STATS);
#define L1_UNIT_STATS(S) LSU_STATS(S) L1_STATS(S)
STAT_STRUCT(l1_stats, L1_UNIT_STATS);
static inline uint64_t l1_load_accesses(const struct l1_stats *s)
{
    return s->l1d_load_hits + s->l1d_mshr_merges + s->l1d_misses;
}
STAT_STRUCT(xbar_stats, XBAR_STATS);
STAT_STRUCT(l2_stats, L2_STATS);
STAT_STRUCT(dram_stats, DRAM_STATS);
STAT_STRUCT(gpu_stats, GPU_STATS);

/* name, numerator, denominator, doc */
#define GPU_RATIOS(R) \
    R(ipc, thread_insts, core_cycles, "thread instructions a core cycle") \
    R(l1d_hit_rate, l1d_load_hits, l1d_load_accesses, "L1 load hits over load accesses; merges are not hits") \
    R(slots_held, full_cycles, core_cycles, "share of the time in which at least 90 % of the warp slots are held") \
    R(l2_hit_rate, l2_hits, l2_accesses, "L2 hits over accesses") \
    R(aml_cycles, miss_latency_sum, l1d_fills, "average memory latency: L1 miss to data, core cycles") \
    R(dram_efficiency, dram_bus_cycles, dram_pending_cycles, "data-bus cycles over cycles with requests pending") \
    R(l2_hit_latency_cycles, l2_hit_latency_sum, l2_hit_latency_count, "the same for misses that hit in L2")

/* A counter's place among those of its unit, for what names a counter in a run's state: never 0 for those that are
 * charged for cycles in which something waits. */
#define COUNTER_PLACE(stats, counter) (offsetof(struct stats, counter) / sizeof(uint64_t))
static inline uint64_t *counter_at(void *stats, uint32_t place) { return (uint64_t *)stats + place; }

/* Adds a unit's counters into the run's. */
void stats_add_core(struct gpu_stats *into, const struct core_stats *from);
void stats_add_l1(struct gpu_stats *into, const struct l1_stats *from);
void stats_add_xbar(struct gpu_stats *into, const struct xbar_stats *from);
void stats_add_l2(struct gpu_stats *into, const struct l2_stats *from);
void stats_add_dram(struct gpu_stats *into, const struct dram_stats *from);
/* What does not go to L2 as on the machine alone: fills of L1 that a mechanism's own network brought, atomics that a
 * mechanism performs in L2's place, and what it asks of L2 for them. */
struct stats_elsewhere {
    uint64_t delivered, atomics_taken, atomic_packets;
};
/* Conservation: what one unit sent, the next received; every issue slot is accounted for. Says which law broke. */
int stats_check(const struct gpu_stats *stats, const struct stats_elsewhere *elsewhere, bool complete,
                struct error *err);
#endif
