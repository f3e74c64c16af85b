#include "cli/choice_columns.h"

#include <math.h>
#include <stdlib.h>
#include "workload/hint_columns.h"
#include "poise/quick_response.h"
#include "poise/trace.h"

#define C(name, doc) #name,
const char *const choice_column_names[N_CHOICE_COLUMNS] = {CHOICE_BEFORE(C) CHOICE_AFTER(C)};
#undef C

enum { CHOICE_SMS = 2, CHOICE_WORK = 30000 }; /* of the quick model: rates of all warps move little beyond */

/* The tuple N = p that is nearest to a number of warps, in doublings. */
static size_t diagonal(const struct hint_surface *s, double N)
{
    size_t best = s->n - 1;
    double least = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        const double away = fabs(log2(s->tuples[i].N / N));
        if (s->tuples[i].N == s->tuples[i].p && away < least) least = away, best = i;
    }
    return best;
}

static void take(double *out, const struct hint_surface *s)
{
    double all[N_HINT_COLUMNS], own[N_HINT_COLUMNS], most = -INFINITY;
    size_t top = s->n - 1;
    hint_columns(s, s->n - 1, all);
    out[CHOICE_l1_most] = 0;
    for (size_t i = 0; i < s->n; i++) {
        hint_columns(s, i, own);
        if (own[HINT_quick] > most) most = own[HINT_quick], top = i;
        out[CHOICE_l1_most] = fmax(out[CHOICE_l1_most], own[HINT_l1_hit]);
    }
    out[CHOICE_relief] = all[HINT_relief], out[CHOICE_best_share] = log2((double)s->tuples[top].N / s->W);
    hint_columns(s, 0, own), out[CHOICE_quick_one] = own[HINT_quick];
    hint_columns(s, diagonal(s, fmax(1, s->W / 4.0)), own), out[CHOICE_quick_few] = own[HINT_quick];
    out[CHOICE_l1_all] = all[HINT_l1_hit], out[CHOICE_l1_one] = all[HINT_l1_one], out[CHOICE_l2_all] = all[HINT_l2_hit];
    out[CHOICE_lines_all] = all[HINT_lines_all], out[CHOICE_dram_all] = all[HINT_dram_all];
    out[CHOICE_insts_all] = all[HINT_insts_all];
    out[CHOICE_lines_inst] = all[HINT_lines_inst], out[CHOICE_log2_W] = all[HINT_log2_W];
    out[CHOICE_log2_waves] = all[HINT_log2_waves];
}

int choice_columns_before(double out[N_CHOICE_COLUMNS], const struct launch *launch, const struct gpu_params *machine,
                          struct error *err)
{
    struct trace *trace;
    struct plan *plan = NULL;
    struct quick_response *s = calloc(1, sizeof *s);
    const struct quick_ask ask = {.sms = CHOICE_SMS, .work = CHOICE_WORK, .all = true};
    if (!s) return error_set(err, ERR_MEMORY, "out of memory");
    int failed = trace_open(&trace, launch->path, NULL, err);
    if (!failed) {
        failed = plan_new(&plan, trace, machine, err);
        if (!failed) failed = quick_response_new(s, NULL, plan, machine, &ask, err);
        plan_free(plan);
        trace_close(trace);
    }
    if (!failed) take(out, &(struct hint_surface){s->tuples, s->runs, s->n, s->W, s->waves});
    free(s);
    return failed;
}

double choice_trial_value(double ratio)
{
    return isfinite(ratio) ? fmin(fmax(ratio, CHOICE_FAILED), -CHOICE_FAILED) : CHOICE_FAILED;
}

static double value(const struct gpu_stats *s, const char *name)
{
    const double v = gpu_stats_value(s, name);
    return isfinite(v) ? v : 0;
}
static double part(const struct gpu_stats *s, const char *of, const char *all)
{
    const double by = value(s, all);
    return by > 0 ? value(s, of) / by : 0;
}

void choice_columns_after(double out[N_CHOICE_COLUMNS], const struct gpu_stats *s, uint32_t sms)
{
    const double cycles = fmax(1, value(s, "core_cycles"));
    out[CHOICE_w_l1_hit] = part(s, "l1d_load_hits", "l1d_load_accesses");
    out[CHOICE_w_intra] = part(s, "l1d_intra_warp_hits", "l1d_load_accesses");
    out[CHOICE_w_sectors] = log2(1 + part(s, "reply_flits", "l1d_fills"));
    out[CHOICE_w_again] = part(s, "l1d_sector_misses", "l1d_misses");
    out[CHOICE_w_evict] = part(s, "l1d_evictions", "l1d_fills");
    out[CHOICE_w_l2_hit] = part(s, "l2_hits", "l2_accesses");
    out[CHOICE_w_latency] = log2(1 + part(s, "miss_latency_sum", "l1d_fills"));
    out[CHOICE_w_store_evicts] = part(s, "l1d_store_evicts", "l1d_stores");
    out[CHOICE_w_spread] = log2(1 + part(s, "line_requests", "global_loads"));
    out[CHOICE_w_stores] = part(s, "l1d_stores", "line_requests");
    out[CHOICE_w_atomics] = part(s, "l1d_atomics", "line_requests");
    out[CHOICE_w_wait] = part(s, "stall_data_mem", "issue_slots");
    out[CHOICE_w_lsu] = part(s, "stall_str_mem", "issue_slots");
    out[CHOICE_w_issued] = part(s, "warp_insts", "issue_slots");
    const double dram = value(s, "dram_reads") + value(s, "dram_writes");
    out[CHOICE_w_writebacks] = dram > 0 ? value(s, "dram_writes") / dram : 0;
    out[CHOICE_w_full] =
        (value(s, "l1d_fail_line_cycles") + value(s, "l1d_fail_mshr_cycles") + value(s, "l1d_fail_queue_cycles")) /
        (cycles * fmax(1, sms));
    out[CHOICE_w_reply] = value(s, "reply_flits") / cycles;
    out[CHOICE_w_dram] = part(s, "dram_bus_cycles", "dram_pending_cycles");
}
