/* poise sim --stats gpgpusim: the names and lines that scripts written for GPGPU-Sim and Accel-Sim look for. Their
 * meanings are kept: L1D accesses and misses count stores (which always miss there), a reservation fail is counted
 * in every cycle that it lasts, and what begins with gpu_tot_, L1D_, L2_, Total_core_ or averagemflatency is
 * cumulative over the kernels so far. */
#include <stdlib.h>
#include "poise/csv.h"
#include "cli/sim_print.h"

/* A name there, and the statistics of ours that add up to it; one that begins with a minus sign is taken off. */
struct line {
    const char *name, *parts[6];
};
#define L1_FAILS "l1d_fail_line_cycles", "l1d_fail_mshr_cycles", "l1d_fail_merge_cycles", "l1d_fail_queue_cycles"
#define CORE "Total_core_cache_stats_breakdown"
#define FAIL "Total_core_cache_fail_stats_breakdown"
static const struct line l1_lines[] = {
    {"L1D_total_cache_accesses", {"l1d_load_accesses", "l1d_stores", "l1d_atomics"}},
    {"L1D_total_cache_misses", {"l1d_misses", "l1d_stores", "l1d_atomics"}},
    {"L1D_total_cache_pending_hits", {"l1d_mshr_merges"}},
    {"L1D_total_cache_reservation_fails", {L1_FAILS}},
};
static const struct line outcome_lines[] = {
    {CORE "[GLOBAL_ACC_R][HIT]", {"l1d_load_hits"}},
    {CORE "[GLOBAL_ACC_R][HIT_RESERVED]", {"l1d_mshr_merges"}},
    {CORE "[GLOBAL_ACC_R][MISS]", {"l1d_misses", "-l1d_sector_misses"}},
    {CORE "[GLOBAL_ACC_R][RESERVATION_FAIL]", {L1_FAILS}},
    {CORE "[GLOBAL_ACC_R][SECTOR_MISS]", {"l1d_sector_misses"}},
    {CORE "[GLOBAL_ACC_R][MSHR_HIT]", {"l1d_mshr_merges"}},
    {CORE "[GLOBAL_ACC_W][HIT]", {NULL}},
    {CORE "[GLOBAL_ACC_W][MISS]", {"l1d_stores"}},
    {FAIL "[GLOBAL_ACC_R][LINE_ALLOC_FAIL]", {"l1d_fail_line_cycles"}},
    {FAIL "[GLOBAL_ACC_R][MISS_QUEUE_FULL]", {"l1d_fail_queue_cycles"}},
    {FAIL "[GLOBAL_ACC_R][MSHR_ENRTY_FAIL]", {"l1d_fail_mshr_cycles"}},
    {FAIL "[GLOBAL_ACC_R][MSHR_MERGE_ENRTY_FAIL]", {"l1d_fail_merge_cycles"}},
    {CORE "[LOCAL_ACC_W][HIT]", {"l1d_local_stores_kept"}},
    {CORE "[L1_WRBK_ACC][MISS]", {"l1d_writebacks"}},
    {CORE "[CONST_ACC_R][HIT]", {"const_accesses", "-const_misses"}},
    {CORE "[CONST_ACC_R][MISS]", {"const_misses"}},
    {CORE "[TEXTURE_ACC_R][HIT]", {"tex_accesses", "-tex_misses"}},
    {CORE "[TEXTURE_ACC_R][MISS]", {"tex_misses"}},
    {CORE "[INST_ACC_R][HIT]", {"fetches"}},
    {CORE "[INST_ACC_R][MISS]", {"l1i_misses"}},
};
static const struct line l2_lines[] = {
    {"L2_total_cache_accesses", {"l2_accesses"}},
    {"L2_total_cache_misses", {"l2_misses"}},
    {"L2_total_cache_pending_hits", {"l2_mshr_merges"}},
    {"L2_total_cache_reservation_fails", {"l2_stall_line_cycles", "l2_stall_mshr_cycles", "l2_stall_dram_cycles"}},
    {"L2_cache_stats_breakdown[ALL][HIT]", {"l2_hits"}},
    {"L2_cache_stats_breakdown[ALL][HIT_RESERVED]", {"l2_mshr_merges"}},
    {"L2_cache_stats_breakdown[ALL][MISS]", {"l2_misses", "-l2_sector_misses"}},
    {"L2_cache_stats_breakdown[ALL][SECTOR_MISS]", {"l2_sector_misses"}},
};

static double sum_of(const struct line *line, const struct gpu_stats *stats)
{
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(line->parts) && line->parts[i]; i++) {
        const bool is_off = line->parts[i][0] == '-';
        sum += (is_off ? -1 : 1) * gpu_stats_value(stats, line->parts[i] + is_off);
    }
    return sum;
}

static void print_lines(const struct line *lines, size_t n, const char *indent, const struct gpu_stats *stats)
{
    for (size_t i = 0; i < n; i++) printf("%s%s = %.0f\n", indent, lines[i].name, sum_of(&lines[i], stats));
}

static void print_rate(const char *name, const struct line *lines, const struct gpu_stats *stats)
{
    const double accesses = sum_of(&lines[0], stats), misses = sum_of(&lines[1], stats);
    printf("\t%s = %.4f\n", name, accesses > 0 ? misses / accesses : 0);
}

static void print_cumulative(const struct gpu_stats *s)
{
    const double cycles = gpu_stats_value(s, "core_cycles"), insts = gpu_stats_value(s, "thread_insts");
    printf("gpu_tot_sim_cycle = %.0f\ngpu_tot_sim_insn = %.0f\ngpu_tot_ipc = %12.4f\ngpu_tot_issued_cta = %.0f\n",
           cycles, insts, cycles > 0 ? insts / cycles : 0, gpu_stats_value(s, "ctas"));
    printf("L1D_cache:\n");
    print_lines(l1_lines, COUNT_OF(l1_lines), "\t", s);
    print_rate("L1D_total_cache_miss_rate", l1_lines, s);
    printf("Total_core_cache_stats:\n");
    print_lines(outcome_lines, COUNT_OF(outcome_lines), "\t", s);
    printf("averagemflatency = %.0f\n", gpu_stats_value(s, "aml_cycles"));
    printf("========= L2 cache stats =========\n");
    print_lines(l2_lines, COUNT_OF(l2_lines), "", s);
    print_rate("L2_total_cache_miss_rate", l2_lines, s);
    printf("total dram reads = %.0f\ntotal dram writes = %.0f\n\n", gpu_stats_value(s, "dram_reads"),
           gpu_stats_value(s, "dram_writes"));
}

int sim_print_gpgpusim(const struct run_job *jobs, size_t n, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct gpu_stats *s = jobs[i].result.stats;
        struct gpu_stats *so_far = sim_total(jobs, i + 1);
        if (!so_far) return error_set(err, ERR_MEMORY, "out of memory for statistics");
        printf("kernel_name = %s\nkernel_launch_uid = %zu\n", jobs[i].launch->kernel, i + 1);
        printf("gpu_sim_cycle = %.0f\ngpu_sim_insn = %.0f\ngpu_ipc = %12.4f\n", gpu_stats_value(s, "core_cycles"),
               gpu_stats_value(s, "thread_insts"), gpu_stats_value(s, "ipc"));
        print_cumulative(so_far);
        free(so_far);
    }
    return 0;
}
