#include "cli/sim_sample.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/sim_print.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"

/* The total of each counter that is a sum, and each ratio of such. */
static int estimates_json(json_t **out, const struct program_sample *s, const struct run_job *jobs, struct error *err)
{
    *out = json_object();
    for (size_t i = 0; i < gpu_stat_table.n_rows + n_gpu_ratio_rows; i++) {
        const bool is_ratio = i >= gpu_stat_table.n_rows;
        const char *name = is_ratio ? gpu_ratio_rows[i - gpu_stat_table.n_rows].name : gpu_stat_table.rows[i].name;
        struct stratified_estimate e;
        struct error none;
        if (!is_ratio && gpu_stat_table.rows[i].kind != STAT_SUM) continue;
        if (program_sample_stat(&e, s, jobs, name, &none) < 0) { /* a ratio of maxima */
            if (none.code == ERR_USAGE) continue;
            *err = none;
            json_decref(*out);
            return -1;
        }
        json_object_set_new(*out, name, program_sample_estimate_json(&e));
    }
    return 0;
}

/* Each launch that was simulated has its cluster beside it: sim_print_json prints them in the order of the jobs. */
static int print_json(const struct program_sample *s, const struct runner *runner, const struct gpu_params *params,
                      const struct run_job *all, const struct run_job *done, size_t n_done, struct error *err)
{
    const struct sample_work *w = program_sample_work(s);
    json_t *estimate, *sample = program_sample_work_json(s), *clusters = json_array();
    if (estimates_json(&estimate, s, all, err) < 0) {
        json_decref(sample);
        json_decref(clusters);
        return -1;
    }
    for (size_t i = 0; i < w->launches; i++)
        json_array_append_new(clusters, json_integer((json_int_t)program_sample_cluster(s, i)));
    json_object_set_new(sample, "cluster_of_launch", clusters);
    json_t *more =
        json_pack("{s:o,s:f,s:o}", "estimate", estimate, "share_of_work", sample_share_of_work(w), "sample", sample);
    return sim_print_json(params, runner, done, n_done, NULL, more, err);
}

static const char *const shown[] = {"core_cycles", "warp_insts",  "ipc",        "l1d_load_accesses", "l1d_hit_rate",
                                    "aml_cycles",  "l2_hit_rate", "dram_reads", "dram_writes"};

static int print_table(const struct program_sample *s, const struct run_job *jobs, struct error *err)
{
    const struct sample_work *w = program_sample_work(s);
    printf("%zu of %zu launches in %zu clusters, %" PRIu64 " of %" PRIu64 " warp instructions (%.1f %%), simulated%s\n",
           w->simulated, w->launches, w->clusters, w->warp_insts_simulated, w->warp_insts,
           100 * sample_share_of_work(w),
           w->is_whole ? ": the program is small or its launches differ, so all were and nothing is estimated" : "");
    printf("%-20s %16s %16s %16s %8s\n", "whole program", "estimate", "low (95 %)", "high", "+-");
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        struct stratified_estimate e;
        if (program_sample_stat(&e, s, jobs, shown[i], err) < 0) return -1;
        const int digits = e.value < 1000 ? 4 : 0;
        printf("%-20s %16.*f %16.*f %16.*f %6.2f %%\n", shown[i], digits, e.value, digits, e.low, digits, e.high,
               100 * stratified_error(&e));
    }
    return 0;
}

int sim_sample(struct runner *runner, const struct launches *launches, const struct gpu_params *params,
               struct run_job *jobs, const struct sample_options *options, bool json, struct error *err)
{
    struct program_sample *sample = NULL;
    struct run_job *done = calloc(launches->n + 1, sizeof *done);
    size_t n_done = 0;
    int result = done ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches->n);
    if (result == 0) result = program_sample_new(&sample, runner, launches, params, options, err);
    char name[200];
    if (result == 0)
        result = program_sample_run(sample, kernel_shown(launches->items[0].kernel, name, sizeof name), jobs, 1, err);
    for (size_t i = 0; i < launches->n && result == 0; i++) {
        if (!program_sample_has(sample, i)) continue;
        if (jobs[i].result.err.code != ERR_NONE) {
            *err = jobs[i].result.err;
            result = error_while(err, "%s", launches->items[i].label);
        }
        done[n_done++] = jobs[i]; /* borrowed */
    }
    if (result == 0)
        result = json ? print_json(sample, runner, params, jobs, done, n_done, err) : print_table(sample, jobs, err);
    program_sample_free(sample);
    free(done);
    return result;
}
