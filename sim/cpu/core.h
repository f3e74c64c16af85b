/* A CPU core that runs a recorded access stream: what it takes to ask a shared cache when a real core would, and no
 * more.
 *
 *   stream --> dispatch (width a cycle) --> window (reorder buffer) --> retire (width a cycle, in order)
 *                  |  loads and stores, in program order
 *                  v
 *              L1 --> L2 --> MSHRs --> to_llc          from_llc --> fill L2 and L1, loads are ready
 *
 * An instruction without a load is done in the cycle after its dispatch. A load is done when its data is there:
 * l1_latency or l2_latency cycles after dispatch where it hits, the cycle of the reply where it misses; misses to a
 * line on its way wait for the same reply. Stores take a line for writing in the same way, but nothing waits for them
 * (a store buffer that is never full). A miss without a free MSHR, or without room on the way to the last-level cache,
 * waits at dispatch, and with it everything behind it. Dirty lines that leave L2 are written back. A line that arrives
 * waits at the reply port for room in to_llc for what it drives out; a port that is full is emptied all the same, and
 * what is driven out then waits in `victims` (two lines an MSHR): replies never wait for requests for ever.
 *
 * A recording does not say which registers an instruction reads. So every cpu.chain-th load is taken to need the
 * data of the load before it, and goes to the caches when that is there; other instructions are independent.
 * Not modelled: instruction fetches, branches taken wrongly, prefetchers, address translation, coherence (programs
 * share nothing), accesses over the end of a line (they count as one of the line of their first byte). */
#ifndef CPU_CORE_H
#define CPU_CORE_H
#include "config/params.h"
#include "cpu/private_cache.h"
#include "net/queue.h"
#include "poise/cpu_stream.h"

#define CPU_STATS(S) \
    S(STAT_SUM, cpu_cycles, "CPU cycles", "length of the run") \
    S(STAT_SUM, cpu_insts, "instructions", "instructions retired") \
    S(STAT_SUM, cpu_loads, "loads", "loads that went to the private L1") \
    S(STAT_SUM, cpu_stores, "stores", "stores that went to the private L1") \
    S(STAT_SUM, cpu_l1_hits, "accesses", "loads and stores that hit in the private L1") \
    S(STAT_SUM, cpu_l2_hits, "accesses", "loads and stores that hit in the private L2") \
    S(STAT_SUM, cpu_merges, "accesses", "loads and stores to a line that was on its way") \
    S(STAT_SUM, cpu_llc_reads, "lines", "lines of 64 bytes asked of the last-level cache") \
    S(STAT_SUM, cpu_llc_hits, "lines", "of these, found there") \
    S(STAT_SUM, cpu_writebacks, "lines", "dirty lines written back to the last-level cache") \
    S(STAT_SUM, cpu_fills, "lines", "lines that arrived") \
    S(STAT_SUM, cpu_latency_sum, "CPU cycles", "from asking for a line to its arrival, summed over lines") \
    S(STAT_SUM, cpu_stall_load_cycles, "CPU cycles", "nothing retired: the oldest instruction waits for its load") \
    S(STAT_SUM, cpu_stall_mshr_cycles, "CPU cycles", \
      "nothing dispatched: no free MSHR, or no way to the last-level cache") \
    S(STAT_SUM, cpu_stall_window_cycles, "CPU cycles", "nothing dispatched: the window, or its loads, are full")
STAT_STRUCT(cpu_stats, CPU_STATS);
extern const struct stat_table cpu_stat_table;

struct cpu_load {
    uint64_t inst; /* of the program, that it belongs to */
    cycle_t ready; /* its data is there; NEVER: not yet known */
    uint32_t line;
    bool is_issued; /* it has been to the caches */
};
struct cpu_mshr {
    uint32_t line;
    cycle_t since;
    bool in_use, is_written;
};

struct cpu_core {
    cycle_t wake, last_tick; /* the first cycle in which a tick could change anything */
    struct sleeper unit;     /* as its neighbours know it */
    const struct cpu_params *params;
    const struct cpu_stream *stream;
    uint32_t core, requester;         /* requester: its port of the crossbars, as a CPU */
    uint32_t line_sectors, base_line; /* sectors of 64 bytes; where its memory lies */
    uint32_t lines_shift;             /* LLC line = 64-byte line >> lines_shift */
    uint64_t position;                /* next access of the stream */
    uint64_t before; /* instructions to dispatch before the one that owns it; ~0: that one has been dispatched */
    uint64_t dispatched, retired, n_loads; /* of this time through the program */
    struct cpu_load *loads;                /* in program order, a ring of `window` */
    uint32_t first_load, load_count, issued_loads, mask;
    struct cpu_mshr *mshrs;
    uint32_t mshrs_used;
    uint8_t flits[2]; /* of a request, of a write-back */
    uint8_t stall;    /* enum cpu_stall, in the cycles since last_tick */
    bool retires_not; /* likewise */
    struct private_cache l1, l2;
    struct request_fifo to_llc, victims; /* victims: of lines that were taken without room in to_llc */
    struct reply_fifo from_llc;
    uint64_t runs;     /* how often the program has come to its end */
    cycle_t first_end; /* when it did so first */
    bool once;         /* it stays there; else it starts again, with what its caches hold */
    struct cpu_stats stats;
};
enum cpu_stall { CPU_STALL_NOT, CPU_STALL_WINDOW, CPU_STALL_MSHR };

/* Without an arena's memory it only measures. */
void cpu_core_init(struct cpu_core *core, const struct gpu_params *params, uint32_t index, uint32_t reply_link_cycles,
                   struct arena *arena);
void cpu_core_start(struct cpu_core *core, const struct cpu_stream *stream); /* the stream outlives the core */
void cpu_core_tick(struct cpu_core *core, cycle_t now);                      /* sets wake */
void cpu_core_finish(struct cpu_core *core, cycle_t end);                    /* last sums into stats */
void cpu_core_dump(const struct cpu_core *core, char *text, size_t size);
#endif
