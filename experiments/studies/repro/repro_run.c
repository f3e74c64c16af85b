/* Runs a study's points over its workloads and sums the counters of each benchmark. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/repro.h"
#include "poise/suite.h"
#include "poise/sweep.h"
#include "studies/repro/repro_internal.h"
#include "studies/repro/figure.h"
#include "studies/repro/repro_sample.h"
#include "studies/repro/repro_sums.h"

/* ---- launches ---- */

static bool is_wanted(const struct repro_spec *spec, const struct workload *w, int size)
{
    for (size_t i = 0; i < spec->n_kernels; i++)
        if (workload_is_meant(w, spec->kernels[i], size)) return true;
    return false;
}

static int find_launches(const struct repro_spec *spec, const struct repro_scope *scope,
                         const struct registry *registry, const struct lab_paths *paths, struct launches *out,
                         struct error *err)
{
    for (size_t i = 0; i < registry->n; i++) {
        const struct workload *w = &registry->workloads[i];
        if (!is_wanted(spec, w, scope->size)) continue;
        const size_t n_inputs = scope->is_first_input && w->n_inputs ? 1 : w->n_inputs;
        if (select_launches(out, registry, paths, w->name, scope->size, w->inputs, n_inputs, NULL, 0,
                            scope->is_profiled_only, err) < 0)
            return -1;
    }
    return out->n
               ? 0
               : error_set(err, ERR_INPUT, "%s: its kernels name no launch of a workload in the registry", spec->name);
}

/* ---- runs ---- */

static int make_jobs(const struct repro_spec *spec, uint64_t max_cycles, const struct launches *launches, uint64_t cap,
                     const char *networks, const struct repro_prepared *prepared, struct run_job *jobs,
                     struct error *err)
{
    struct run_job *job = jobs;
    for (size_t l = 0; l < launches->n; l++)
        for (size_t p = 0; p < spec->n_points; p++, job++) {
            job->launch = &launches->items[l];
            job->params = spec->params[p];
            job->limits.max_cycles = max_cycles;
            job->limits.max_insts = launches_left(launches, l, cap);
            if (stack_copy(job->stack, &job->n_stack, spec->stacks[p], spec->n_stacks[p], err) < 0 ||
                repro_networks_fill(job, networks, err) < 0 || repro_prepare_job(prepared, spec, l, p, job, err) < 0)
                return -1;
        }
    return 0;
}

static void data_fini(struct repro_data *data)
{
    for (size_t i = 0; i < data->n + data->n_failed; i++)
        for (size_t p = 0; p < data->n_points; p++) {
            free(data->benchmarks[i].stats[p]);
            json_decref(data->benchmarks[i].mechs[p]);
        }
    free(data->benchmarks);
    free(data->refusals);
}

static struct repro_benchmark *benchmark_of(struct repro_data *data, const struct launch *launch, bool is_by_launch,
                                            struct error *err)
{
    const char *name = is_by_launch ? launch->label : launch->workload->name;
    for (size_t i = 0; i < data->n; i++)
        if (strcmp(data->benchmarks[i].name, name) == 0) return &data->benchmarks[i];
    struct repro_benchmark *b = &data->benchmarks[data->n++];
    b->name = name;
    b->workload = launch->workload;
    for (size_t p = 0; p < data->n_points; p++)
        if (!(b->mechs[p] = json_object()) || !(b->stats[p] = calloc(1, gpu_stat_table.size))) {
            error_set(err, ERR_MEMORY, "out of memory for counters");
            return NULL;
        }
    return b;
}

/* A benchmark of which a run failed has no figures: it goes behind the others, and means do not have it. */
static int set_failed_apart(struct repro_data *data, struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->n; i++) {
        struct repro_benchmark *b = &data->benchmarks[i];
        if (b->failed.code == ERR_NONE) {
            const struct repro_benchmark swap = data->benchmarks[kept];
            data->benchmarks[kept++] = *b;
            *b = swap;
            continue;
        }
        if (kept == 0 && i + 1 == data->n) *err = b->failed;
    }
    if (kept == 0) return err->code ? -1 : error_set(err, ERR_RUN, "no run succeeded");
    data->n_failed = data->n - kept;
    data->n = kept;
    return 0;
}

/* Each has its row, under the point that failed. */
static void tell_failed(const struct repro_data *data, struct repro_report *report)
{
    for (size_t i = data->n; i < data->n + data->n_failed; i++) {
        const struct repro_benchmark *b = &data->benchmarks[i];
        repro_cell(report, NAN, NAN, "1", b->name, "%s", data->points[b->failed_point]);
        repro_failed(report, b->failed.text);
    }
    if (data->n_failed)
        repro_deviation(report, "%zu of %zu %s failed: their rows say why, and means do not have them", data->n_failed,
                        data->n + data->n_failed, "benchmarks");
}

/* A run without figures fails its benchmark's row in words: one that failed, that of a program whose earlier launch
 * did, and one that a limit ended before anything was executed. */
static bool has_failed(struct repro_benchmark *b, const struct run_result *r, size_t point)
{
    const bool is_empty = r->stats && !r->complete && gpu_stats_value(r->stats, "warp_insts") == 0;
    if (r->err.code == ERR_NONE && r->stats && !is_empty) return false;
    if (b->failed.code) return true;
    b->failed_point = point;
    if (r->err.code != ERR_NONE) b->failed = r->err;
    else if (is_empty)
        error_set(&b->failed, ERR_LIMIT, "stopped by the limit after %.0f cycles, before any instruction was executed",
                  gpu_stats_value(r->stats, "core_cycles"));
    else error_set(&b->failed, ERR_RUN, "an earlier launch of the program failed");
    return true;
}

/* What a benchmark has not of points that are made of others fails no benchmark: the point is told among what cannot
 * be put together. */
static bool is_refused(struct repro_data *data, struct repro_benchmark *b, const struct run_result *r, size_t point)
{
    if (data->combined[point].n == 0) return false;
    if (!b->stats[point]) return true;
    struct repro_benchmark own = {.failed_point = point};
    if (!has_failed(&own, r, point)) return false;
    free(b->stats[point]);
    b->stats[point] = NULL;
    json_object_clear(b->mechs[point]);
    for (size_t i = 0; i < data->n_refusals; i++)
        if (memcmp(&data->refusals[i].of, &data->combined[point], sizeof data->combined[point]) == 0) return true;
    struct repro_refusal *refusal = &data->refusals[data->n_refusals++];
    refusal->of = data->combined[point];
    snprintf(refusal->name, sizeof refusal->name, "%s", data->points[point]);
    snprintf(refusal->why, sizeof refusal->why, "%.40s: %.*s", b->name,
             (int)(strcspn(own.failed.text, "\n") < 150 ? strcspn(own.failed.text, "\n") : 150), own.failed.text);
    return true;
}

/* `early`: the runs until from_cycle, or NULL. */
static int sum_up(const struct repro_spec *spec, const struct launches *launches, const struct run_job *jobs,
                  const struct run_job *early, bool is_sampled, struct repro_data *data, struct repro_report *report,
                  struct error *err)
{
    repro_spec_points(spec, data);
    data->combined = spec->combined;
    data->refusals = calloc(spec->n_refusals + spec->n_points, sizeof *data->refusals);
    data->n_refusals = spec->n_refusals;
    if (data->refusals) memcpy(data->refusals, spec->refusals, spec->n_refusals * sizeof *data->refusals);
    if (!data->refusals || !(data->benchmarks = calloc(launches->n, sizeof *data->benchmarks)))
        return error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches->n);
    for (size_t l = 0; l < launches->n; l++) {
        struct repro_benchmark *b = benchmark_of(data, &launches->items[l], spec->is_by_launch, err);
        if (!b) return -1;
        for (size_t p = 0; p < spec->n_points; p++) {
            const struct run_result *r = &jobs[l * spec->n_points + p].result;
            const struct run_result *before = early ? &early[l * spec->n_points + p].result : NULL;
            if (is_sampled && !r->stats && r->err.code == ERR_NONE) continue; /* it was left out */
            if (is_refused(data, b, r, p) || has_failed(b, r, p) || (before && has_failed(b, before, p))) continue;
            repro_add_run(b->stats[p], b->mechs[p], r, before);
            report->n_incomplete += !r->complete;
            report->n_runs++;
        }
    }
    return set_failed_apart(data, err);
}

static bool is_of_paper(const struct repro_spec *spec, const struct workload *w)
{
    for (size_t i = 0; i < spec->n_paper_kernels; i++)
        if (strcmp(spec->paper_kernels[i], w->name) == 0) return true;
    return false;
}

/* The paper's own programs come first, in their order. Returns how many; all, where the spec names none of these. */
static size_t set_others_apart(const struct repro_spec *spec, struct repro_data *data)
{
    size_t own = 0;
    for (size_t i = 0; i < data->n; i++) {
        const struct repro_benchmark b = data->benchmarks[i];
        if (!is_of_paper(spec, b.workload)) continue;
        memmove(&data->benchmarks[own + 1], &data->benchmarks[own], (i - own) * sizeof b);
        data->benchmarks[own++] = b;
    }
    return own ? own : data->n;
}

/* Means and statements are of the paper's programs; the others have a column of their own. */
static int report_each(const struct repro_study *study, const struct repro_spec *spec, struct repro_data *data,
                       struct repro_report *report, struct error *err)
{
    const size_t n = set_others_apart(spec, data);
    struct repro_data own = *data, others = *data;
    struct repro_report second = {0};
    own.n = n;
    others.benchmarks += n;
    others.n -= n;
    if (repro_report(study, &own, report, err) < 0) return -1;
    if (!others.n) return 0;
    const int result = repro_report(study, &others, &second, err);
    repro_add_others(report, &second);
    repro_deviation(report,
                    "means and statements are over %zu of the paper's %zu programs, 'others' over the %zu that "
                    "it has not",
                    n, spec->n_paper_kernels, others.n);
    repro_report_fini(&second);
    return result;
}

struct study_run {
    const struct repro_study *study;
    const struct repro_spec *spec;
};
static int report_again(void *context, struct repro_data *data, struct repro_report *out, struct error *err)
{
    const struct study_run *run = context;
    return report_each(run->study, run->spec, data, out, err);
}

/* Rows, with their intervals where the counters are estimates (sample: not NULL). */
static int report_rows(const struct repro_study *study, const struct repro_spec *spec, struct repro_sample *sample,
                       struct repro_data *data, struct repro_result *out, struct error *err)
{
    struct study_run run = {study, spec};
    if (sample) repro_sample_totals(sample, data);
    if (report_each(study, spec, data, &out->report, err) < 0) return -1;
    if (!sample) return 0;
    if (repro_sample_intervals(sample, data, &out->report, report_again, &run, err) < 0) return -1;
    if (!(out->sample = repro_sample_json(sample))) return error_set(err, ERR_MEMORY, "out of memory for the report");
    repro_deviation(&out->report,
                    "estimates from a sample of each program's launches, %.3g %% of the warp instructions: rows have "
                    "intervals of 95 %%, statements are checked on the estimates",
                    100 * json_number_value(json_object_get(out->sample, "share_of_work")));
    return 0;
}

/* What every reader of the figures has to know. */
static void note_scope(const struct repro_spec *spec, const struct repro_options *o, const struct repro_data *data,
                       struct repro_report *report)
{
    const struct repro_scope *scope = &spec->scopes[o->mode];
    repro_deviation(report, "workloads: %zu %s of %s; size %s, %s%s", data->n,
                    spec->is_by_launch ? "launches" : "benchmarks",
                    o->paths.cast ? "the suite" : "this tree, with our kernels and inputs", workload_sizes[scope->size],
                    scope->is_profiled_only ? "profiled launches" : "all launches",
                    scope->is_first_input ? " of the first input" : " of all inputs");
    if (report->n_incomplete && scope->max_cycles)
        repro_deviation(report,
                        "%zu of %zu runs stopped after %llu core cycles; speedups are ratios of instructions a second",
                        report->n_incomplete, report->n_runs, (unsigned long long)scope->max_cycles);
    if (scope->from_cycle)
        repro_deviation(report, "of each run that goes on after core cycle %llu what comes then: caches are warm",
                        (unsigned long long)scope->from_cycle);
    if (o->cap) repro_deviation(report, "of each program the first %llu warp instructions", (unsigned long long)o->cap);
    if (o->carries_l2) repro_deviation(report, "programs as a whole: launches in order, with L2 kept between them");
    if (o->config)
        repro_deviation(report, "configuration %s in place of the study's; points change it by the same ratios",
                        o->config);
    const size_t listed = spec->n_kept < COUNT_OF(spec->kept) ? spec->n_kept : COUNT_OF(spec->kept);
    for (size_t i = 0; i < listed; i++) repro_deviation(report, "%s", spec->kept[i]);
    if (listed < spec->n_kept)
        repro_deviation(report, "%zu more parameters are not in proportion either", spec->n_kept - listed);
}

static bool has_programs(const struct repro_study *study, const struct repro_options *o)
{
    return o->carries_l2 || study->runs_programs;
}

/* Some of the runs, for a store that is merged with others, or an estimate: nothing to report. */
static int run_part(const struct repro_study *study, const struct repro_options *o, struct runner *runner,
                    struct run_job *jobs, size_t *n, struct repro_result *out, struct error *err)
{
    struct batch *batch = NULL;
    if (has_programs(study, o) && o->shard)
        return error_set(err, ERR_USAGE, "%s runs whole programs: --shard goes with single launches", study->id);
    if (has_programs(study, o)) {
        out->estimate = (struct runner_estimate){.runs = *n, .distinct = *n, .missing = *n, .threads = 1};
        return 0;
    }
    if (run_jobs_shard(o->shard, jobs, n, err) < 0 || batch_new(&batch, runner, jobs, *n, err) < 0) return -1;
    const int result = o->is_dry ? batch_estimate(batch, &out->estimate, err) : batch_run(batch, study->id, err);
    batch_free(batch);
    return result;
}

/* Behind the runs those that end at from_cycle. */
static int make_all_jobs(const struct repro_study *study, const struct repro_spec *spec, const struct repro_options *o,
                         const struct launches *launches, const char *networks, const struct repro_prepared *prepared,
                         struct run_job *jobs, struct error *err)
{
    const struct repro_scope *scope = &spec->scopes[o->mode];
    if (make_jobs(spec, scope->max_cycles, launches, o->cap, networks, prepared, jobs, err) < 0) return -1;
    if (!scope->from_cycle) return 0;
    if (has_programs(study, o))
        return error_set(err, ERR_USAGE, "%s runs whole programs: from_cycle goes with single launches", study->id);
    return make_jobs(spec, scope->from_cycle, launches, o->cap, networks, prepared, jobs + launches->n * spec->n_points,
                     err);
}

static int run_and_report(const struct repro_study *study, const struct repro_spec *spec, const struct repro_options *o,
                          struct launches *launches, struct runner *runner, struct repro_result *out, struct error *err)
{
    const struct repro_scope *scope = &spec->scopes[o->mode];
    const size_t n_runs = launches->n * spec->n_points;
    size_t n = scope->from_cycle ? 2 * n_runs : n_runs;
    out->has_report = !o->shard && !o->is_dry;
    struct repro_data data = {0};
    char networks[600] = "";
    struct repro_prepared prepared = {0};
    const struct gpu_limits limits = {.max_cycles = scope->max_cycles};
    struct sample_options options;
    struct repro_sample *sample = NULL;
    struct run_job *jobs = calloc(n, sizeof *jobs);
    int result = jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    if (result == 0 && o->sample) result = sample_options_parse(&options, o->sample, err);
    if (result == 0 && out->has_report) result = repro_networks_make(spec, o, networks, sizeof networks, err);
    if (result == 0 && !o->is_dry)
        result = repro_prepare(&prepared, spec, launches, runner, &limits, o->store, !has_programs(study, o), err);
    if (result == 0) result = make_all_jobs(study, spec, o, launches, networks, &prepared, jobs, err);
    if (result == 0 && !out->has_report) result = run_part(study, o, runner, jobs, &n, out, err);
    if (result == 0 && out->has_report)
        result = o->sample                ? repro_sample_run(&sample, spec, launches, runner, &options, jobs, err)
                 : has_programs(study, o) ? repro_run_programs(runner, spec, o->store, jobs, launches->n, err)
                                          : runner_run(runner, study->id, jobs, n, err);
    if (result == 0 && out->has_report)
        result = sum_up(spec, launches, jobs, scope->from_cycle ? jobs + n_runs : NULL, sample != NULL, &data,
                        &out->report, err);
    if (result == 0 && out->has_report) result = report_rows(study, spec, sample, &data, out, err);
    if (result == 0 && out->has_report) {
        tell_failed(&data, &out->report);
        note_scope(spec, o, &data, &out->report);
        if (out->report.out_of_memory) result = error_set(err, ERR_MEMORY, "out of memory for the report");
    }
    data_fini(&data);
    repro_sample_free(sample);
    for (size_t i = 0; jobs && i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    repro_prepared_fini(&prepared);
    return result;
}

int repro_run(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
              struct error *err)
{
    struct repro_options with = *options, *o = &with;
    struct repro_spec spec;
    struct registry registry = {0};
    struct launches launches = {0};
    struct store *store = NULL;
    struct runner *runner = NULL;
    struct error later;
    char path[1800];
    int result = -1;
    *out = (struct repro_result){0};
    if (o->n_kernels && !study->is_of_lengths)
        return error_set(err, ERR_USAGE, "--kernel goes with learned-lengths: the kernels of %s are its spec's",
                         study->id);
    if (o->carries_l2 && (study->tell || study->has_mixes || study->has_pairs))
        return error_set(err, ERR_USAGE, "--carry-l2: %s runs its launches one by one", study->id);
    if (o->sample && repro_sample_check(study, o, err) < 0) return -1;
    if (study->tell) return repro_check_figure(study, NULL, err) < 0 ? -1 : repro_run_pipeline(study, o, out, err);
    if (study->has_mixes) return repro_run_mixes(study, o, out, err);
    if (study->is_of_lengths) return repro_run_lengths(study, o, out, err);
    if (study->has_pairs) return repro_run_pairs(study, o, out, err);
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    if (repro_spec_load(&spec, path, o->paths.configs, o->config, err) < 0) return -1;
    if (repro_check_figure(study, &spec, err) < 0 || repro_sample_choose(o, study, &spec, err) < 0) {
        repro_spec_fini(&spec);
        return -1;
    }
    snprintf(out->config, sizeof out->config, "%s", spec.config);
    repro_only(o->only, spec.kernels, &spec.n_kernels, COUNT_OF(spec.kernels));
    if (o->carries_l2) spec.scopes[o->mode].is_profiled_only = false;
    if (o->carries_l2 && o->cap) spec.scopes[o->mode].max_cycles = 0; /* the cap ends a program, and not each launch */
    if (registry_load(&registry, o->paths.kernels, err) < 0 || suite_cast_apply(o->paths.cast, &registry, err) < 0 ||
        find_launches(&spec, &spec.scopes[o->mode], &registry, &o->paths, &launches, err) < 0)
        goto done;
    launches_cap(&launches, o->cap);
    /* A dry run reads the store where there is one and makes none. */
    if (!o->is_dry ? store_open(&store, o->store, err) < 0
                   : access(o->store, R_OK) == 0 && store_open_read(&store, o->store, err) < 0)
        goto done;
    if (runner_new(&runner, store, &o->runner, err) < 0) goto done;
    result = run_and_report(study, &spec, o, &launches, runner, out, err);
    out->totals = *runner_totals(runner);
    out->notes = runner_notes(runner);
done:
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    launches_fini(&launches);
    registry_fini(&registry);
    repro_spec_fini(&spec);
    if (result < 0) repro_result_fini(out);
    return result;
}
