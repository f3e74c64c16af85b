/* What is written of evaluations of sealed workloads. */
#include "studies/repro/repro_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/sweep.h"
#include "studies/repro/figure.h"

/* Open at its end. */
static FILE *open_looks(const struct repro_options *o, struct error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/../../datasets/sealed.csv", o->paths.configs);
    FILE *out = access(path, W_OK) == 0 ? fopen(path, "a") : NULL;
    if (out) return out;
    error_set(err, ERR_IO, "%s: the file of evaluations of sealed workloads is not here or cannot be written", path);
    error_at(err, NULL, 0, -1, "run this study in a checkout of the project, and commit the file afterwards");
    return NULL;
}

static int close_looks(FILE *out, struct error *err)
{
    return fclose(out) == 0 ? 0 : error_set(err, ERR_IO, "the file of evaluations could not be written");
}

int looks_writable(const struct repro_options *o, struct error *err)
{
    FILE *out = open_looks(o, err);
    return out ? close_looks(out, err) : -1;
}

/* A model names what it learned from ("training": {"families"}), and the families that its own judgement left out in
 * turn. */
static bool has_seen(const json_t *model, const char *family)
{
    size_t i;
    const json_t *name, *training = json_object_get(model, "training"),
                        *validation = json_object_get(model, "validation");
    json_array_foreach(json_object_get(training, "families"), i, name)
        if (json_is_string(name) && strcmp(json_string_value(name), family) == 0) return true;
    return json_object_get(json_object_get(validation, "log_regret_by_family"), family) != NULL;
}

static int check_model(const struct registry *registry, const struct pipeline_spec *spec, const char *path,
                       struct error *err)
{
    const struct workload *w;
    int result = 0;
    json_t *model = file_read_json(path, err);
    if (!model) return -1;
    for (size_t i = 0; i < spec->n_evaluation && result == 0; i++) {
        result = registry_find(registry, spec->evaluation[i], &w, err);
        if (result < 0 || !has_seen(model, w->family)) continue;
        result =
            error_set(err, ERR_INPUT, "%s has learned from family %s, which is sealed (%s)", path, w->family, w->name);
        error_at(
            err, NULL, 0, -1,
            "an evaluation of sealed workloads judges a model by families that it never saw: datasets/FAMILIES.md");
    }
    json_decref(model);
    return result;
}

static int check_models(const struct repro_options *o, const struct registry *registry,
                        const struct pipeline_spec *spec, struct error *err)
{
    static const char word[] = "@models";
    char dir[600], path[1200];
    int result = 0;
    lab_models(dir, sizeof dir, o->paths.configs);
    for (size_t i = 0; i < spec->n_contenders; i++)
        for (size_t m = 0; m < spec->contenders[i].n_mech && result == 0; m++) {
            const char *at = strstr(spec->contenders[i].mech[m], word);
            if (!at) continue;
            at += strlen(word);
            snprintf(path, sizeof path, "%s%.*s", dir, (int)strcspn(at, ","), at);
            result = check_model(registry, spec, path, err);
        }
    return result;
}

static int check_sealed(const struct registry *registry, const struct pipeline_spec *spec, struct error *err)
{
    for (size_t i = 0; i < spec->n_evaluation; i++) {
        const struct workload *w;
        if (registry_find(registry, spec->evaluation[i], &w, err) < 0) return -1;
        if (w->split == SPLIT_SEALED) continue;
        error_set(err, ERR_INPUT,
                  "learned-sealed: %s is not sealed any more: datasets/sealed.csv has what was seen of it", w->name);
        return error_at(
            err, NULL, 0, -1,
            "another evaluation needs other families: name them in datasets/FAMILIES.md, seal their programs in "
            "datasets/kernels/list.yaml, and list these in the study's spec");
    }
    return 0;
}

int looks_check(const struct repro_options *o, const struct pipeline_spec *spec, struct error *err)
{
    struct registry registry;
    if (registry_load(&registry, o->paths.kernels, err) < 0) return -1;
    int result = check_sealed(&registry, spec, err);
    if (result == 0) result = check_models(o, &registry, spec, err);
    registry_fini(&registry);
    return result;
}

/* A line up to and with its figure: date,study,program,model_version,figure. */
static void print_head(FILE *out, const struct repro_study *study, const char *figure)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime_r(&now, &utc));
    fprintf(out, "%s,%s,%s,%d", date, study->id, POISE_VERSION, SIM_MODEL_VERSION);
    csv_next(out, figure);
}

int looks_begin(const struct repro_study *study, const struct repro_options *o, struct error *err)
{
    FILE *out = open_looks(o, err);
    if (!out) return -1;
    print_head(out, study, "begun");
    fputs(",,,,\n", out);
    return close_looks(out, err);
}

int looks_end(const struct repro_study *study, const struct repro_options *o, const struct repro_report *report,
              struct error *err)
{
    FILE *out = open_looks(o, err);
    if (!out) return -1;
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct repro_row *row = &report->rows[i];
        print_head(out, study, row->label);
        fprintf(out, ",%.3f,", row->ours);
        if (row->has_ci) fprintf(out, "%.3f,%.3f", row->ci95[0], row->ci95[1]);
        else fputc(',', out);
        csv_next(out, row->unit);
        fputc('\n', out);
    }
    return close_looks(out, err);
}

/* A line with the date for a launch of which its length alone was measured. */
static int looks_add_length(const struct repro_study *study, const struct repro_options *o, const struct launch *launch,
                            uint64_t core_cycles, struct error *err)
{
    char figure[300];
    FILE *out = open_looks(o, err);
    if (!out) return -1;
    snprintf(figure, sizeof figure, "%s at size %s under GTO", launch->label, workload_sizes[launch->size]);
    print_head(out, study, figure);
    fprintf(out, ",%" PRIu64 ",,,cycles\n", core_cycles);
    return close_looks(out, err);
}

bool repro_opens_sealed(const struct repro_study *study)
{
    return strcmp(study->id, "learned-sealed") == 0 || strcmp(study->id, "learned-lengths") == 0;
}

/* ---- learned-lengths: how long the launches last that learning is judged by, under GTO alone. Of sealed launches
 * the cycles are all that is told ---- */

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

/* Launches are the figure's benchmarks. */
static int tell(const struct repro_study *study, const struct repro_options *o, const struct run_job *jobs, size_t n,
                struct repro_report *report, struct error *err)
{
    struct repro_data data = {.points = {"base"}, .n_points = 1, .params = {jobs[0].params}, .n = n};
    data.benchmarks = calloc(n + 1, sizeof *data.benchmarks);
    int result = data.benchmarks ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", n);
    for (size_t i = 0; i < n && result == 0; i++) {
        struct repro_benchmark *b = &data.benchmarks[i];
        const struct run_result *run = &jobs[i].result;
        b->name = jobs[i].launch->label;
        b->workload = jobs[i].launch->workload;
        b->stats[0] = run->err.code == ERR_NONE ? run->stats : NULL;
        b->mechs[0] = b->stats[0] ? json_object() : json_pack("{s:s}", "failed", run->err.text);
        report->n_runs += b->stats[0] != NULL;
        if (b->stats[0] && b->workload->split == SPLIT_SEALED)
            result =
                looks_add_length(study, o, jobs[i].launch, (uint64_t)gpu_stats_value(run->stats, "core_cycles"), err);
    }
    if (result == 0) result = repro_report(study, &data, report, err);
    for (size_t i = 0; i < n && data.benchmarks; i++) json_decref(data.benchmarks[i].mechs[0]);
    free(data.benchmarks);
    return result == 0 && report->out_of_memory ? error_set(err, ERR_MEMORY, "out of memory for the report") : result;
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
    int result = repro_refuse_keys(&spec, study->id, err);
    if (result == 0) result = repro_check_figure(study, &spec, err);
    if (result == 0) result = registry_load(&registry, o->paths.kernels, err);
    if (result == 0) result = find_launches(o, &registry, spec.scopes[o->mode].size, &launches, err);
    if (result == 0) result = run(study, o, spec.params[0], &launches, out, err);
    launches_fini(&launches);
    registry_fini(&registry);
    repro_spec_fini(&spec);
    if (result < 0) repro_result_fini(out);
    return result;
}
