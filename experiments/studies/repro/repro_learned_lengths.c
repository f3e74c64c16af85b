/* How long the launches last that learning is judged by, under GTO alone, and whether that is as long as
 * datasets/FAMILIES.md asks. Sealed launches are measured too, since nobody would otherwise know before the evaluation:
 * of these the cycles are all that is told, each is a line in the file of evaluations, and no store ever sees the runs.
 *  */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/sweep.h"
#include "studies/repro/repro_looks.h"
#include "studies/repro/repro_own.h"

enum { CYCLES_MIN = 1000000, WARP_INSTS_MAX = 24000000 };
static const double T_period = 200000; /* [THESIS Tab. 5.5] cycles between two decisions of an engine */

static bool is_asked(const struct workload *w, const struct repro_options *o)
{
    for (size_t i = 0; i < o->n_kernels; i++)
        if (strcmp(o->kernels[i], w->name) == 0) return true;
    return o->n_kernels == 0;
}

static int check_names(const struct registry *registry, const struct repro_options *o, struct error *err)
{
    const struct workload *w;
    for (size_t i = 0; i < o->n_kernels; i++) {
        if (registry_find(registry, o->kernels[i], &w, err) < 0) return -1;
        if (w->split == SPLIT_NONE)
            return error_set(err, ERR_INPUT, "%s is in no split of datasets/FAMILIES.md", w->name);
    }
    return 0;
}

/* The profiled launches of one input; sealed workloads are opened only where the file of evaluations can be written. */
static int find_launches(const struct repro_options *o, const struct registry *registry, int size, struct launches *out,
                         struct error *err)
{
    struct lab_paths paths = o->paths;
    if (check_names(registry, o, err) < 0) return -1;
    for (size_t i = 0; i < registry->n; i++) {
        const struct workload *w = &registry->workloads[i];
        bool is_profiled = false;
        for (size_t k = 0; k < w->n_profiled; k++) is_profiled |= w->profiled[k].size == size;
        if (w->split == SPLIT_NONE || w->set == WORKLOAD_VARIANT || !is_profiled || !is_asked(w, o)) continue;
        if (w->split == SPLIT_SEALED && !o->is_dry && looks_writable(o, err) < 0) return -1;
        paths.opens_sealed = true;
        if (select_launches(out, registry, &paths, w->name, size, w->inputs, 1, NULL, 0, true, err) < 0) return -1;
    }
    return out->n ? 0 : error_set(err, ERR_INPUT, "no launch is profiled at size %s", workload_sizes[size]);
}

static int tell_launch(const struct repro_study *study, const struct repro_options *o, const struct run_job *job,
                       size_t *n_kept, struct repro_report *report, struct error *err)
{
    const struct launch *l = job->launch;
    if (job->result.err.code != ERR_NONE) {
        repro_cell(report, NAN, NAN, "k cycles", l->label, "GTO");
        repro_failed(report, job->result.err.text);
        return 0;
    }
    const double cycles = gpu_stats_value(job->result.stats, "core_cycles");
    const bool is_kept = cycles >= CYCLES_MIN && l->warp_insts <= WARP_INSTS_MAX;
    *n_kept += is_kept;
    report->n_runs++;
    repro_cell(report, NAN, (double)l->warp_insts / 1000, "k", l->label, "warp insts");
    repro_cell(report, NAN, cycles / 1000, "k cycles", l->label, "GTO");
    repro_cell(report, NAN, cycles / T_period, "periods", l->label, "engine periods");
    repro_cell(report, NAN, is_kept, "1", l->label, "long enough");
    if (l->workload->split != SPLIT_SEALED) return 0;
    return looks_add_length(study, o, l, (uint64_t)cycles, err);
}

static int tell(const struct repro_study *study, const struct repro_options *o, const struct run_job *jobs, size_t n,
                struct repro_report *report, struct error *err)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (tell_launch(study, o, &jobs[i], &n_kept, report, err) < 0) return -1;
    repro_row(report, NAN, (double)n, "1", "launches");
    repro_row(report, NAN, (double)n_kept, "1", "launches that are long enough");
    repro_check(report, n_kept == n, "every launch lasts %d cycles within %d M warp instructions (%zu of %zu)",
                CYCLES_MIN, WARP_INSTS_MAX / 1000000, n_kept, n);
    repro_deviation(report, "no paper has this set; a period of an engine is %g cycles", T_period);
    return report->out_of_memory ? error_set(err, ERR_MEMORY, "out of memory for the report") : 0;
}

static int run(const struct repro_study *study, const struct repro_options *o, const struct gpu_params *params,
               const struct launches *launches, struct repro_result *out, struct error *err)
{
    struct runner *runner = NULL;
    struct batch *batch = NULL;
    struct run_job *jobs = calloc(launches->n, sizeof *jobs);
    int result = jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", launches->n);
    for (size_t i = 0; result == 0 && i < launches->n; i++) {
        jobs[i].launch = &launches->items[i];
        jobs[i].params = params;
        jobs[i].n_stack = 1;
        result = mech_parse(&jobs[i].stack[0], "gto", err);
    }
    if (result == 0) result = runner_new(&runner, NULL, &o->runner, err); /* without a store */
    if (result == 0) result = batch_new(&batch, runner, jobs, launches->n, err);
    if (result == 0) result = o->is_dry ? batch_estimate(batch, &out->estimate, err) : batch_run(batch, study->id, err);
    if (result == 0 && !o->is_dry) result = tell(study, o, jobs, launches->n, &out->report, err);
    if (runner) out->totals = *runner_totals(runner);
    batch_free(batch);
    runner_free(runner);
    for (size_t i = 0; jobs && i < launches->n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

int repro_run_lengths(const struct repro_study *study, const struct repro_options *o, struct repro_result *out,
                      struct error *err)
{
    struct repro_spec spec;
    struct registry registry = {0};
    struct launches launches = {0};
    char path[1200];
    if (o->shard) return error_set(err, ERR_USAGE, "%s keeps no run in a store: --shard is not for it", study->id);
    if (o->config) return error_set(err, ERR_USAGE, "%s is of the machine of its rule: no --config", study->id);
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    if (repro_spec_load(&spec, path, o->paths.configs, NULL, err) < 0) return -1;
    snprintf(out->config, sizeof out->config, "%s", spec.config);
    out->has_report = !o->is_dry;
    int result = registry_load(&registry, o->paths.kernels, err);
    if (result == 0) result = find_launches(o, &registry, spec.scopes[o->mode].size, &launches, err);
    if (result == 0) result = run(study, o, spec.params[0], &launches, out, err);
    launches_fini(&launches);
    registry_fini(&registry);
    repro_spec_fini(&spec);
    if (result < 0) repro_result_fini(out);
    return result;
}

const struct repro_study repro_learned_lengths = {.id = "learned-lengths",
                                                  .title = "how long the launches last that learning is judged by",
                                                  .source = "this project",
                                                  .mean = MEAN_ARITHMETIC,
                                                  .spec = "learned/lengths.yaml"};
