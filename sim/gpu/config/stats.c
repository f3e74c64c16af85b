#include "config/stats.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define ROW(...) STAT_ROW_OF(gpu_stats, __VA_ARGS__)
static const struct stat_row rows[] = {GPU_STATS(ROW)};
#undef ROW
const struct stat_table gpu_stat_table = {"gpu", rows, COUNT_OF(rows), sizeof(struct gpu_stats)};

#define ONE(kind, row, unit, doc) +1
enum {
    N_RUN = 0 RUN_STATS(ONE),
    N_CORE = 0 CORE_STATS(ONE),
    N_LSU = 0 LSU_STATS(ONE),
    N_L1 = 0 L1_ACCESS_STATS(ONE) L1_STATS(ONE),
    N_XBAR = 0 XBAR_STATS(ONE),
    N_L2 = 0 L2_STATS(ONE),
    N_DRAM = 0 DRAM_STATS(ONE)
};
#undef ONE
/* In the order of GPU_STATS. */
const struct gpu_stat_group gpu_stat_groups[] = {
    {"run", "the run as a whole", "sim/gpu/run/simulation.c", 0, N_RUN},
    {"core", "SMs and their schedulers, summed over SMs", "sim/gpu/core/scheduler.c", N_RUN, N_CORE},
    {"lsu", "load-store units, summed over SMs", "sim/gpu/core/lsu.c", N_RUN + N_CORE, N_LSU},
    {"l1", "L1 and read-only caches, summed over SMs", "sim/gpu/cache/l1.c", N_RUN + N_CORE + N_LSU, N_L1},
    {"xbar", "crossbars of requests and replies", "sim/gpu/machine/network.c", N_RUN + N_CORE + N_LSU + N_L1, N_XBAR},
    {"l2", "banks of L2, summed", "sim/gpu/cache/l2.c", N_RUN + N_CORE + N_LSU + N_L1 + N_XBAR, N_L2},
    {"dram", "channels of DRAM, summed", "sim/gpu/memory/dram.c", N_RUN + N_CORE + N_LSU + N_L1 + N_XBAR + N_L2,
     N_DRAM},
};
const size_t n_gpu_stat_groups = COUNT_OF(gpu_stat_groups);
_Static_assert(N_RUN + N_CORE + N_LSU + N_L1 + N_XBAR + N_L2 + N_DRAM == COUNT_OF(rows), "every counter is in a group");

static const struct stat_row *row_at(size_t offset)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].offset == offset) return &rows[i];
    return NULL;
}

void gpu_ratio_parts(const struct ratio_row *ratio, const struct stat_row **num, const struct stat_row **den)
{
    *num = row_at(ratio->num);
    *den = row_at(ratio->den);
}

const struct ratio_row gpu_ratio_rows[] = {
#define R(row, num, den, doc) {#row, doc, offsetof(struct gpu_stats, num), offsetof(struct gpu_stats, den)},
    GPU_RATIOS(R)
#undef R
};
const size_t n_gpu_ratio_rows = COUNT_OF(gpu_ratio_rows);

#define ADD(kind, row, unit, doc) into->row += from->row;
void stats_add_core(struct gpu_stats *into, const struct core_stats *from) { CORE_STATS(ADD) }
void stats_add_l1(struct gpu_stats *into, const struct l1_stats *from)
{
    L1_UNIT_STATS(ADD)
    into->l1d_load_accesses += l1_load_accesses(from);
}
void stats_add_xbar(struct gpu_stats *into, const struct xbar_stats *from) { XBAR_STATS(ADD) }
void stats_add_l2(struct gpu_stats *into, const struct l2_stats *from) { L2_STATS(ADD) }
void stats_add_dram(struct gpu_stats *into, const struct dram_stats *from) { DRAM_STATS(ADD) }
#undef ADD

static bool is_rare(const struct stat_row *row)
{
#define OFFSET(kind, row, unit, doc) offsetof(struct gpu_stats, row),
    static const size_t rare[] = {L1_RARE_STATS(OFFSET) CLASS_STATS(OFFSET)};
#undef OFFSET
    for (size_t i = 0; i < COUNT_OF(rare); i++)
        if (rare[i] == row->offset) return true;
    return false;
}

json_t *gpu_stats_json(const struct gpu_stats *stats)
{
    json_t *object = json_object(), *stalls = json_object();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (is_rare(&rows[i]) && !stats_get(&rows[i], stats)) continue;
        const bool is_stall = strncmp(rows[i].name, "stall_", 6) == 0;
        json_object_set_new(is_stall ? stalls : object, rows[i].name + (is_stall ? 6 : 0),
                            json_integer((json_int_t)stats_get(&rows[i], stats)));
    }
    for (size_t i = 0; i < n_gpu_ratio_rows; i++)
        json_object_set_new(object, gpu_ratio_rows[i].name, json_real(ratio_get(&gpu_ratio_rows[i], stats)));
    json_object_set_new(object, "stalls", stalls);
    return object;
}

const struct gpu_sum_row gpu_sum_rows[] = {
    {"l1d_hits_and_merges",
     "accesses",
     "L1 hits as profilers count them: loads that found their data present or on its way",
     {"l1d_load_hits", "l1d_mshr_merges"}},
};
const size_t n_gpu_sum_rows = COUNT_OF(gpu_sum_rows);

double gpu_stats_value(const struct gpu_stats *stats, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(rows[i].name, name) == 0) return (double)stats_get(&rows[i], stats);
    for (size_t i = 0; i < n_gpu_ratio_rows; i++)
        if (strcmp(gpu_ratio_rows[i].name, name) == 0) return ratio_get(&gpu_ratio_rows[i], stats);
    for (size_t i = 0; i < n_gpu_sum_rows; i++) {
        const struct gpu_sum_row *s = &gpu_sum_rows[i];
        if (strcmp(s->name, name) == 0)
            return gpu_stats_value(stats, s->terms[0]) + gpu_stats_value(stats, s->terms[1]);
    }
    return NAN;
}

void gpu_stats_features(const struct gpu_stats *s, struct feature_counters *out)
{
    *out = (struct feature_counters){
        .cycles = s->core_cycles,
        .insts = s->warp_insts,
        .loads = s->global_loads,
        .l1_accesses = s->l1d_load_accesses,
        .l1_hits = s->l1d_load_hits,
        .l1_intra_hits = s->l1d_intra_warp_hits,
        .miss_latency_sum = s->miss_latency_sum,
        .miss_count = s->l1d_fills,
    };
}

#define STALL_SUM(kind, row, unit, doc) +s->row
#define ONE(kind, row, unit, doc) +1
_Static_assert(CLASS_STATS(ONE) == TRACE_N_CLASSES, "every class of the trace has a counter");
#undef ONE
int stats_check(const struct gpu_stats *s, const struct stats_elsewhere *e, bool complete, struct error *err)
{
    struct gpu_stats requests = *s; /* as the network sees them */
    requests.l1d_misses += s->l1d_split_requests + s->l1d_asked_again + s->l1d_prefetches;
    s = &requests;
    const struct {
        const char *law;
        uint64_t left, right;
        bool always;
    } laws[] = {
        {"issue_slots = warp_insts + stalls", s->issue_slots, s->warp_insts STALL_STATS(STALL_SUM), true},
        {"thread_insts = those of every class", s->thread_insts, CLASS_STATS(STALL_SUM), true},
        {"line_requests = l1d_load_accesses + bypassed + stores + atomics + local stores kept", s->line_requests,
         s->l1d_load_accesses + s->l1d_bypassed + s->l1d_stores + s->l1d_atomics + s->l1d_local_stores_kept, true},
        {"l1d_misses + prefetches + bypassed + stores + atomics + writebacks + l1i, const and tex misses = "
         "request_packets "
         "+ fills from a mechanism's network + atomics that it performs - what it asks for them",
         s->l1d_misses + s->l1d_bypassed + s->l1d_stores + s->l1d_atomics + s->l1d_writebacks + s->l1i_misses +
             s->const_misses + s->tex_misses,
         s->request_packets + e->delivered + e->atomics_taken - e->atomic_packets, false},
        {"request_packets = l2_accesses", s->request_packets, s->l2_accesses, false},
        {"l2_accesses = hits + merges + misses", s->l2_accesses, s->l2_hits + s->l2_mshr_merges + s->l2_misses, true},
        {"l2_accesses = l2_responses", s->l2_accesses, s->l2_responses, false},
        {"l2_responses = reply_packets", s->l2_responses, s->reply_packets, false},
        {"reply_packets + fills from a mechanism's network = l1d_fills + other replies + l1i and read-only fills",
         s->reply_packets + e->delivered, s->l1d_fills + s->l1d_other_replies + s->l1i_fills + s->read_only_fills,
         false},
        {"l1d_fills = misses + prefetches + bypassed", s->l1d_fills, s->l1d_misses + s->l1d_bypassed, false},
    };
    for (size_t i = 0; i < COUNT_OF(laws); i++)
        if ((complete || laws[i].always) && laws[i].left != laws[i].right)
            return error_set(err, ERR_RUN,
                             "conservation broken: %s, but %" PRIu64 " and %" PRIu64 "; this is a bug of the simulator",
                             laws[i].law, laws[i].left, laws[i].right);
    return 0;
}
