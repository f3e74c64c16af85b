/* The main job, stage by stage. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "runner/progress.h"

const char *pipeline_path(const struct pipeline *p, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", p->options->out_dir, name);
    return path;
}

static int remember(struct pipeline *p, const struct run_job *job, struct error *err)
{
    if (p->n_unique == p->cap_unique) {
        const size_t capacity = p->cap_unique ? 2 * p->cap_unique : 1024;
        struct unique_run *unique = realloc(p->unique, capacity * sizeof *unique);
        if (!unique) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", capacity);
        p->unique = unique;
        p->cap_unique = capacity;
    }
    struct measure m;
    measure_stats(&m, job->result.stats);
    p->unique[p->n_unique++] = (struct unique_run){job->key, m.warp_insts, m.line_requests};
    return 0;
}

int pipeline_with(const struct pipeline *p, struct run_job *job, struct error *err)
{
    for (size_t i = 0; i < p->spec->n_with; i++, job->n_stack++)
        if (mech_parse(&job->stack[job->n_stack], p->spec->with[i], err) < 0) return -1;
    return 0;
}

int pipeline_jobs(struct pipeline *p, const char *what, struct run_job *jobs, size_t n, struct error *err)
{
    if (runner_run(p->runner, what, jobs, n, err) < 0) return -1;
    size_t failed = 0;
    const struct run_job *first = NULL;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].result.err.code != ERR_NONE && failed++ == 0) first = &jobs[i];
    if (first) {
        *err = first->result.err;
        return error_while(err, "%zu of %zu runs failed; the first, %s", failed, n, first->launch->label);
    }
    for (size_t i = 0; i < n; i++) {
        if (!jobs[i].result.complete && !jobs[i].limits.max_cycles)
            return error_set(err, ERR_LIMIT, "%s: this run ended before the kernel did", jobs[i].launch->label);
        if (remember(p, &jobs[i], err) < 0) return -1;
    }
    return 0;
}

int pipeline_write_json(const struct pipeline *p, const char *name, json_t *json, struct error *err)
{
    char path[1200], *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL, *line = NULL;
    int result =
        text && asprintf(&line, "%s\n", text) >= 0 ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", name);
    if (result == 0) {
        result = file_write(pipeline_path(p, name, path, sizeof path), line, strlen(line), err);
        free(line);
    }
    free(text);
    json_decref(json);
    return result;
}

/* Host time of every run that the results rest on, whenever it was simulated. They stand sorted by key since
 * summary.json was written. */
static int core_seconds(const struct pipeline *p, double *out, struct error *err)
{
    *out = 0;
    for (size_t i = 0; i < p->n_unique; i++) {
        struct store_run run;
        char key[HASH_TEXT_SIZE];
        if (i && memcmp(&p->unique[i].key, &p->unique[i - 1].key, sizeof p->unique[i].key) == 0) continue;
        hash_text(&p->unique[i].key, key);
        const int found = store_get(p->store, key, &run, err);
        if (found < 0) return -1;
        if (found == 0) continue;
        *out += run.seconds;
        store_run_fini(&run);
    }
    return 0;
}

/* Times, threads and what was reused: everything that two identical runs may differ in. */
static int write_run_info(const struct pipeline *p, struct error *err)
{
    const struct runner_totals *t = runner_totals(p->runner);
    double seconds;
    if (core_seconds(p, &seconds, err) < 0) return -1;
    json_t *json = lab_json();
    json_object_set_new(json, "core_seconds", json_figure(seconds));
    json_object_set_new(json, "runs_simulated", json_integer((json_int_t)t->simulated));
    json_object_set_new(json, "runs_reused", json_integer((json_int_t)t->reused));
    json_object_set_new(json, "warp_insts_simulated", json_integer((json_int_t)t->warp_insts));
    json_object_set_new(json, "wall_s", json_figure(clock_s() - p->started));
    json_object_set_new(json, "threads", json_integer(runner_threads(p->runner)));
    json_object_set_new(json, "compiler", json_string(__VERSION__));
    return pipeline_write_json(p, "run_info.json", json, err);
}

int pipeline_machine(struct pipeline *p, struct error *err)
{
    const struct pipeline_spec *s = p->spec;
    const bool is_whole = s->points.kind == POINTS_ALL;
    p->n_groups = s->n_training + (is_whole ? s->n_whole_training : 0);
    p->n_tables = s->n_profiles + (is_whole ? s->n_whole_profiles : 0);
    if (registry_load(&p->registry, p->options->paths.kernels, err) < 0) return -1;
    if (!(p->params = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (gpu_params_load(p->params, s->config, p->options->paths.configs, err) < 0) return -1;
    for (size_t i = 0; i < s->n_set; i++)
        if (gpu_params_set(p->params, s->set[i][0], s->set[i][1], err) < 0) return error_while(err, "set");
    return gpu_params_check(p->params, err) < 0 ? -1 : config_hash(p->params, p->config, NULL, err);
}

static int open_all(struct pipeline *p, struct error *err)
{
    char path[1200];
    if (file_make_folders(p->options->out_dir, err) < 0 || pipeline_machine(p, err) < 0) return -1;
    pipeline_path(p, "model.json", p->model_path, sizeof p->model_path);
    if (strlen(p->model_path) >= PARAM_TEXT_MAX)
        return error_set(err, ERR_INPUT, "%s: this folder's path is too long", p->options->out_dir);
    pipeline_path(p, "store.sqlite", path, sizeof path);
    if (store_open(&p->store, p->options->store ? p->options->store : path, err) < 0) return -1;
    return runner_new(&p->runner, p->store, &p->options->runner, err);
}

void pipeline_fini(struct pipeline *p)
{
    for (size_t i = 0; i < p->n_profiles; i++) {
        free(p->profiles[i].runs);
        free(p->profiles[i].counters);
        free(p->profiles[i].scores);
    }
    for (size_t i = 0; i < p->n_benchmarks; i++)
        for (size_t c = 0; c < CONTENDERS_MAX; c++) json_decref(p->benchmarks[i].stats[c]);
    free(p->profiles);
    free(p->benchmarks);
    free(p->unique);
    launches_fini(&p->launches);
    registry_fini(&p->registry);
    gpu_params_free(p->params);
    dataset_fini(&p->dataset);
    json_decref(p->fit_N);
    json_decref(p->fit_p);
    json_decref(p->training);
    json_decref(p->validation);
    json_decref(p->surface);
}

static int close_all(struct pipeline *p, struct error *err)
{
    runner_free(p->runner);
    const int result = store_close(p->store, err);
    pipeline_fini(p);
    return result;
}

static int stages_behind_profiles(struct pipeline *p, struct error *err)
{
    int result = pipeline_train(p, err);
    if (result == 0) result = pipeline_surface(p, err);
    if (result == 0) result = pipeline_evaluate(p, err);
    if (result == 0) result = store_flush(p->store, err);
    return result == 0 ? pipeline_write(p, err) : -1;
}

/* Points that follow from other points' results cannot be dealt out beforehand. */
static int check_shard(const struct pipeline_spec *spec, const struct pipeline_options *options, struct error *err)
{
    if (!options->shard || spec->points.kind == POINTS_ALL) return 0;
    return error_set(err, ERR_USAGE, "--shard deals out whole grids: it needs --points all (poise repro: --mode full)");
}

int pipeline_run(const struct pipeline_spec *spec, const struct pipeline_options *options, struct error *err)
{
    struct pipeline p = {.spec = spec, .options = options, .started = clock_s()};
    struct error later;
    if (check_shard(spec, options, err) < 0) return -1;
    int result = open_all(&p, err);
    if (result == 0) result = pipeline_record(&p, err);
    if (result == 0) result = pipeline_profile(&p, err);
    if (result == 0 && !options->shard) result = stages_behind_profiles(&p, err);
    if (result == 0) result = write_run_info(&p, err);
    if (close_all(&p, &later) < 0 && result == 0) {
        *err = later;
        result = -1;
    }
    return result;
}

/* Runs of what follows the profiles, as many as there can be, at the rate that the store knows. */
static int add_later(const struct pipeline *p, struct runner_estimate *out, struct error *err)
{
    const struct pipeline_spec *s = p->spec;
    uint64_t insts = 0, profiled = 0;
    double per_inst = 0;
    for (size_t i = 0; i < p->n_profiles; i++) {
        profiled += p->profiles[i].launch->is_profiled;
        if (i >= p->n_training) insts += p->profiles[i].launch->warp_insts;
    }
    if (store_history(p->store, NULL, &per_inst, err) < 0) return -1;
    const size_t times = 1 + s->n_contenders;
    const double seconds = (double)(times * insts) * (per_inst > 0 ? per_inst : 3e-6);
    out->later = times * (p->n_profiles - p->n_training) + (s->windows ? profiled : 0);
    out->warp_insts += times * insts;
    out->cpu_s += seconds;
    out->wall_s += seconds / runner_threads(p->runner);
    out->threads = runner_threads(p->runner);
    out->is_measured = per_inst > 0;
    return 0;
}

int pipeline_estimate(const struct pipeline_spec *spec, const struct pipeline_options *options,
                      struct runner_estimate *out, struct error *err)
{
    struct pipeline p = {.spec = spec, .options = options};
    struct error later;
    uint64_t added;
    if (check_shard(spec, options, err) < 0) return -1;
    /* The tables' runs and what the launches' plans say go into a store that nobody keeps. */
    int result = pipeline_machine(&p, err);
    if (result == 0) result = store_open(&p.store, ":memory:", err);
    if (result == 0 && access(options->store, R_OK) == 0) result = store_merge(p.store, options->store, &added, err);
    if (result == 0) result = runner_new(&p.runner, p.store, &options->runner, err);
    if (result == 0) result = pipeline_record(&p, err);
    if (result == 0) result = pipeline_estimate_profile(&p, out, err);
    if (result == 0 && !options->shard) result = add_later(&p, out, err);
    if (close_all(&p, &later) < 0 && result == 0) *err = later, result = -1;
    return result;
}
