/* The main job, stage by stage. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "runner/progress.h"

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
    runner_note_into(p->runner, json);
    return pipeline_write_json(p, "run_info.json", json, err);
}

static int open_all(struct pipeline *p, struct error *err)
{
    char path[1200];
    if (p->spec->says_surface) lab_note_old(p->options->runner.notes, "surface", "response");
    if (file_make_folders(p->options->out_dir, err) < 0 || pipeline_machine(p, err) < 0) return -1;
    pipeline_path(p, "model.json", p->model_path, sizeof p->model_path);
    if (strlen(p->model_path) >= PARAM_TEXT_MAX)
        return error_set(err, ERR_INPUT, "%s: this folder's path is too long", p->options->out_dir);
    pipeline_path(p, "store.sqlite", path, sizeof path);
    if (store_open(&p->store, p->options->store ? p->options->store : path, err) < 0) return -1;
    return runner_new(&p->runner, p->store, &p->options->runner, err);
}

static int close_all(struct pipeline *p, struct error *err)
{
    runner_free(p->runner);
    const int result = store_close(p->store, err);
    for (size_t i = 0; i < p->n_benchmarks; i++) benchmark_sample_free(p->benchmarks[i].sample);
    pipeline_fini(p);
    return result;
}

static int stages_behind_profiles(struct pipeline *p, struct error *err)
{
    int result = pipeline_train(p, err);
    if (result == 0) result = pipeline_response(p, err);
    if (result == 0) result = p->spec->is_sampled ? pipeline_evaluate_sampled(p, err) : pipeline_evaluate(p, err);
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
    const size_t times = 1 + s->is_sampled + s->n_contenders; /* of a sample: with all warps as well */
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
