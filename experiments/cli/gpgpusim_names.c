#include "cli/gpgpusim_names.h"

#include <math.h>
#include <string.h>

#define L1_ACCESSES "l1d_load_accesses", "@l1d_stores", "@l1d_atomics"
#define L1_MISSES "l1d_misses", "@l1d_stores", "@l1d_atomics"
#define L1_FAILS "l1d_fail_line_cycles", "l1d_fail_mshr_cycles", "l1d_fail_merge_cycles", "l1d_fail_queue_cycles"
#define CORE "Total_core_cache_stats_breakdown"
#define FAIL "Total_core_cache_fail_stats_breakdown"
#define L2 "L2_cache_stats_breakdown"
static const struct gpgpusim_name names[] = {
    {"gpu_tot_sim_cycle", {"core_cycles"}, {NULL}, GPGPUSIM_RUN},
    {"gpu_tot_sim_insn", {"thread_insts"}, {NULL}, GPGPUSIM_RUN},
    {"gpu_tot_ipc", {"thread_insts"}, {"core_cycles"}, GPGPUSIM_RUN},
    {"gpu_tot_issued_cta", {"ctas"}, {NULL}, GPGPUSIM_RUN},
    {"gpgpu_n_tot_w_icount", {"warp_insts"}, {NULL}, GPGPUSIM_RUN},
    {"L1D_total_cache_accesses", {L1_ACCESSES}, {NULL}, GPGPUSIM_L1},
    {"L1D_total_cache_misses", {L1_MISSES}, {NULL}, GPGPUSIM_L1},
    {"L1D_total_cache_pending_hits", {"l1d_mshr_merges"}, {NULL}, GPGPUSIM_L1},
    {"L1D_total_cache_reservation_fails", {L1_FAILS}, {NULL}, GPGPUSIM_L1},
    {"L1D_total_cache_miss_rate", {L1_MISSES}, {L1_ACCESSES}, GPGPUSIM_L1},
    {CORE "[GLOBAL_ACC_R][HIT]", {"l1d_load_hits"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_R][HIT_RESERVED]", {"l1d_mshr_merges"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_R][MISS]", {"l1d_misses", "-l1d_sector_misses"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_R][RESERVATION_FAIL]", {L1_FAILS}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_R][SECTOR_MISS]", {"l1d_sector_misses"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_R][MSHR_HIT]", {"l1d_mshr_merges"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_W][HIT]", {NULL}, {NULL}, GPGPUSIM_CORE},
    {CORE "[GLOBAL_ACC_W][MISS]", {"@l1d_stores"}, {NULL}, GPGPUSIM_CORE},
    {FAIL "[GLOBAL_ACC_R][LINE_ALLOC_FAIL]", {"l1d_fail_line_cycles"}, {NULL}, GPGPUSIM_CORE},
    {FAIL "[GLOBAL_ACC_R][MISS_QUEUE_FULL]", {"l1d_fail_queue_cycles"}, {NULL}, GPGPUSIM_CORE},
    {FAIL "[GLOBAL_ACC_R][MSHR_ENRTY_FAIL]", {"l1d_fail_mshr_cycles"}, {NULL}, GPGPUSIM_CORE},
    {FAIL "[GLOBAL_ACC_R][MSHR_MERGE_ENRTY_FAIL]", {"l1d_fail_merge_cycles"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[LOCAL_ACC_W][HIT]", {"l1d_local_stores_kept"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[L1_WRBK_ACC][MISS]", {"l1d_writebacks"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[CONST_ACC_R][HIT]", {"const_accesses", "-const_misses"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[CONST_ACC_R][MISS]", {"const_misses"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[TEXTURE_ACC_R][HIT]", {"tex_accesses", "-tex_misses"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[TEXTURE_ACC_R][MISS]", {"tex_misses"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[INST_ACC_R][HIT]", {"fetches"}, {NULL}, GPGPUSIM_CORE},
    {CORE "[INST_ACC_R][MISS]", {"l1i_misses"}, {NULL}, GPGPUSIM_CORE},
    {"averagemflatency", {"miss_latency_sum"}, {"l1d_fills"}, GPGPUSIM_LATENCY},
    {"L2_total_cache_accesses", {"l2_accesses"}, {NULL}, GPGPUSIM_L2},
    {"L2_total_cache_misses", {"l2_misses"}, {NULL}, GPGPUSIM_L2},
    {"L2_total_cache_pending_hits", {"l2_mshr_merges"}, {NULL}, GPGPUSIM_L2},
    {"L2_total_cache_reservation_fails",
     {"l2_stall_line_cycles", "l2_stall_mshr_cycles", "l2_stall_dram_cycles"},
     {NULL},
     GPGPUSIM_L2},
    {L2 "[ALL][HIT]", {"l2_hits"}, {NULL}, GPGPUSIM_L2},
    {L2 "[ALL][HIT_RESERVED]", {"l2_mshr_merges"}, {NULL}, GPGPUSIM_L2},
    {L2 "[ALL][MISS]", {"l2_misses", "-l2_sector_misses"}, {NULL}, GPGPUSIM_L2},
    {L2 "[ALL][SECTOR_MISS]", {"l2_sector_misses"}, {NULL}, GPGPUSIM_L2},
    {"L2_total_cache_miss_rate", {"l2_misses"}, {"l2_accesses"}, GPGPUSIM_L2},
    {"total dram reads", {"dram_reads"}, {NULL}, GPGPUSIM_DRAM},
    {"total dram writes", {"dram_writes"}, {NULL}, GPGPUSIM_DRAM},
};

const struct gpgpusim_name *gpgpusim_names(size_t *n)
{
    *n = sizeof names / sizeof *names;
    return names;
}

const struct gpgpusim_name *gpgpusim_find(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) return &names[i];
    return NULL;
}

struct gpgpusim_terms gpgpusim_terms_of(const json_t *config)
{
    const json_t *dram = json_object_get(config, "dram");
    const double bytes =
        json_number_value(json_object_get(dram, "bus_bytes")) * json_number_value(json_object_get(dram, "burst"));
    return (struct gpgpusim_terms){.transfers = bytes > 0 ? 64 / bytes : 1,
                                   .skips_l1 =
                                       json_is_true(json_object_get(json_object_get(config, "l1"), "skip_global"))};
}

static double sum_of(const char *const *parts, size_t n, const struct gpgpusim_terms *terms, gpgpusim_stat *stat,
                     const void *stats)
{
    double sum = 0;
    for (size_t i = 0; i < n && parts[i]; i++) {
        const bool is_off = parts[i][0] == '-', is_l1 = parts[i][0] == '@';
        if (is_l1 && terms->skips_l1) continue;
        sum += (is_off ? -1 : 1) * stat(stats, parts[i] + (is_off || is_l1));
    }
    return sum;
}

void gpgpusim_add(struct gpgpusim_sums *to, const struct gpgpusim_name *name, const struct gpgpusim_terms *terms,
                  gpgpusim_stat *stat, const void *stats)
{
    to->parts += sum_of(name->parts, sizeof name->parts / sizeof *name->parts, terms, stat, stats);
    to->over += sum_of(name->over, sizeof name->over / sizeof *name->over, terms, stat, stats);
}

double gpgpusim_value(const struct gpgpusim_name *name, const struct gpgpusim_terms *terms, struct gpgpusim_sums sums)
{
    if (name->over[0]) return sums.over > 0 || isnan(sums.over) ? sums.parts / sums.over : 0;
    return name->group == GPGPUSIM_DRAM ? terms->transfers * sums.parts : sums.parts;
}
