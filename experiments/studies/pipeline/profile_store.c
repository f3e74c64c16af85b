#include "studies/pipeline/profile_store.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"

int profile_job(struct run_job *job, const struct launch *launch, const struct gpu_params *params, struct warp_tuple at,
                const struct profile_table *t, struct error *err)
{
    *job = (struct run_job){.launch = launch, .params = params};
    if (run_job_tuple(job, at.N, at.p, err) < 0) return -1;
    for (size_t i = 0; i < t->n_with; i++, job->n_stack++)
        if (job->n_stack == MECH_STACK_MAX)
            return error_set(err, ERR_INPUT, "a stack of more than %d mechanisms", MECH_STACK_MAX);
        else if (mech_parse(&job->stack[job->n_stack], t->with[i], err) < 0) return -1;
    return gpu_run_key(&job->key, &launch->hash, params, job->stack, job->n_stack, &job->limits, err);
}

/* ---- out of a store ---- */

static int take_row(struct profile_table *t, const struct store_run *run, struct warp_tuple at, struct error *err)
{
    uint64_t values[PROFILE_COUNTERS_MAX];
    json_t *stats = json_loads(run->stats, 0, NULL);
    if (!json_is_object(stats)) {
        json_decref(stats);
        return error_set(err, ERR_INPUT, "run %s: its row in the store cannot be read", run->key);
    }
    for (size_t c = 0; c < t->n_counters; c++)
        values[c] = (uint64_t)json_integer_value(json_object_get(stats, t->counters[c]->name));
    json_decref(stats);
    const double ms = 1e3 * run->seconds;
    const struct profile_row row = {at, ms > 0 && ms < UINT32_MAX ? (uint32_t)(ms + 0.5) : 0};
    return profile_table_row(t, &row, values, err);
}

/* A job's run as a row, if the store has it complete. Returns 1 if so, 0 if not. */
static int take_point(struct profile_table *t, const struct run_job *job, struct warp_tuple at, struct store *store,
                      struct error *err)
{
    struct store_run run;
    char key[HASH_TEXT_SIZE];
    hash_text(&job->key, key);
    const int found = store_get(store, key, &run, err);
    if (found <= 0) return found;
    const bool is_whole = run.code == ERR_NONE && run.complete;
    const int result = is_whole ? take_row(t, &run, at, err) : 0;
    store_run_fini(&run);
    return result < 0 ? -1 : is_whole;
}

/* The rows of one launch, of one that is not profiled (W, W); it stands in the table only if there is one, with
 * `whole` if there are all. */
static int export_launch(struct profile_table *t, const struct launch *launch, const struct gpu_params *params,
                         struct store *store, bool whole, struct profile_count *count, struct error *err)
{
    struct profile_launch head = {.input = launch->input, .index = launch->index};
    struct warp_tuple grid[PROFILE_WARPS_MAX * (PROFILE_WARPS_MAX + 1) / 2];
    struct store_plan plan;
    snprintf(head.workload, sizeof head.workload, "%s", launch->workload->name);
    hash_text(&launch->hash, head.trace);
    const int known = store_get_plan(store, head.trace, t->config_hash, &plan, err);
    if (known == STORE_REFUSED) {
        error_set(err, ERR_INPUT, "%s: the plan of %s does not match its checksum", store_path(store), launch->label);
        return error_at(err, store_path(store), 0, -1, "'poise run SPEC' on this store writes it again");
    }
    if (known <= 0 || plan.warps_per_scheduler > PROFILE_WARPS_MAX) return known;
    const uint32_t W = head.W = plan.warps_per_scheduler;
    const size_t n = launch->is_profiled ? points_grid(W, grid) : 1, first = t->n_rows;
    if (!launch->is_profiled) grid[0] = (struct warp_tuple){W, W};
    if (profile_table_launch(t, &head, err) < 0) return -1;
    for (size_t i = 0; i < n; i++) {
        struct run_job job;
        int taken = profile_job(&job, launch, params, grid[i], t, err);
        if (taken == 0) taken = take_point(t, &job, grid[i], store, err);
        run_job_fini(&job);
        if (taken < 0) return -1;
    }
    const size_t rows = t->n_rows - first;
    const bool is_kept = whole ? rows == n : rows > 0;
    if (!is_kept) profile_table_drop_launch(t);
    count->partial += !is_kept && rows > 0;
    count->launches += is_kept;
    count->runs += is_kept ? rows : 0;
    count->missing += n - rows;
    return 0;
}

static void head_of(struct profile_table *t, const struct pipeline *p)
{
    const struct pipeline_spec *s = p->spec;
    t->model_version = SIM_MODEL_VERSION;
    t->has_W = true;
    snprintf(t->config, sizeof t->config, "%s", s->config);
    snprintf(t->size, sizeof t->size, "%s", workload_sizes[s->size]);
    memcpy(t->config_hash, p->config, sizeof t->config_hash);
    for (t->n_set = 0; t->n_set < s->n_set; t->n_set++)
        snprintf(t->set[t->n_set], sizeof *t->set, "%s=%s", s->set[t->n_set][0], s->set[t->n_set][1]);
    for (t->n_with = 0; t->n_with < s->n_with; t->n_with++)
        snprintf(t->with[t->n_with], sizeof *t->with, "%s", s->with[t->n_with]);
}

int profile_export(struct profile_table *out, const struct pipeline_spec *spec, const struct pipeline_options *options,
                   struct store *store, const char *const *kernels, size_t n_kernels, bool whole,
                   struct profile_count *count, struct error *err)
{
    struct pipeline p = {.spec = spec, .options = options};
    *count = (struct profile_count){0};
    int result = pipeline_machine(&p, err);
    if (result == 0) result = pipeline_record(&p, err);
    if (result == 0) head_of(out, &p);
    for (size_t i = 0; i < p.n_profiles && result == 0; i++) {
        const struct launch *launch = p.profiles[i].launch;
        bool is_wanted = n_kernels == 0;
        for (size_t k = 0; k < n_kernels; k++) is_wanted |= fnmatch(kernels[k], launch->workload->name, 0) == 0;
        if (is_wanted) result = export_launch(out, launch, p.params, store, whole, count, err);
    }
    if (result == 0 && count->runs == 0) {
        error_set(err, ERR_INPUT, "the store has no %s of the profiled launches of %s", whole ? "whole grid" : "point",
                  spec->name);
        result =
            error_at(err, NULL, 0, -1,
                     "'poise run SPEC --points all' simulates them; is it the spec's size, configuration and store?");
    }
    pipeline_fini(&p);
    return result;
}

/* ---- into a store ---- */

int profile_machine(struct gpu_params *params, const struct profile_table *t, const char *name,
                    const struct lab_paths *paths, struct error *err)
{
    if (gpu_params_load(params, t->config, paths->configs, err) < 0) return error_while(err, "%s", name);
    for (size_t i = 0; i < t->n_set; i++) {
        char dotted[128];
        const size_t n = strcspn(t->set[i], "=");
        snprintf(dotted, sizeof dotted, "%.*s", (int)n, t->set[i]);
        if (gpu_params_set(params, dotted, t->set[i] + n + 1, err) < 0) return error_while(err, "%s: set", name);
    }
    return gpu_params_check(params, err) < 0 ? error_while(err, "%s", name) : 0;
}

/* The same, refused where the table is of another version of the model or of another machine. */
static int machine_of_today(struct gpu_params *params, const struct profile_table *t, const char *name,
                            const struct lab_paths *paths, struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    if (t->model_version != SIM_MODEL_VERSION) {
        error_set(err, ERR_INPUT,
                  "%s: its runs are of version %d of the simulation model, this program simulates version %d", name,
                  t->model_version, SIM_MODEL_VERSION);
        return error_at(err, name, 2, -1,
                        "does the change touch these runs? 'poise profile recheck FILE'; if so, profile again: 'poise "
                        "run SPEC --points all', 'poise profile export SPEC'");
    }
    if (profile_machine(params, t, name, paths, err) < 0) return -1;
    if (config_hash(params, hash, NULL, err) < 0) return -1;
    if (strcmp(hash, t->config_hash) == 0) return 0;
    error_set(err, ERR_INPUT, "%s: its configuration has hash %s, %s here has %s", name, t->config_hash, t->config,
              hash);
    return error_at(err, name, 3, -1, "the preset has changed since, or is another file: profile again");
}

const struct launch *profile_find_launch(const struct launches *all, const struct profile_launch *l)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].workload && !all->items[i].workload->of_suite &&
            strcmp(all->items[i].workload->name, l->workload) == 0 && all->items[i].input == l->input &&
            all->items[i].index == l->index)
            return &all->items[i];
    return NULL;
}

/* A run's row without what the table has not: statistics of mechanisms, and most counters. */
static int put_row(struct store *store, const struct profile_table *t, size_t r, const struct run_job *job,
                   struct error *err)
{
    char nothing[] = "", limits[] = "{\"max_cycles\":0}";
    json_t *stats = json_object(), *mechs = json_array();
    for (size_t c = 0; c < t->n_counters; c++)
        json_object_set_new(stats, t->counters[c]->name, json_integer((json_int_t)t->values[r * t->n_counters + c]));
    if (!profile_table_is_whole(t) || t->n_with) json_object_set_new(stats, STORE_PROFILE_ONLY, json_integer(1));
    for (unsigned m = 0; m < job->n_stack; m++) {
        const struct mech_spec *spec = &job->stack[m];
        json_array_append_new(mechs, json_pack("{s:s,s:o,s:{}}", "name", mech_name(spec->type), "params",
                                               params_json(mech_params(spec->type), spec->params), "stats"));
    }
    struct store_run row = {.mechs = json_dumps(mechs, JSON_COMPACT),
                            .stats = json_dumps(stats, JSON_COMPACT),
                            .limits = limits,
                            .message = nothing,
                            .complete = true,
                            .seconds = 1e-3 * t->rows[r].ms};
    hash_text(&job->key, row.key);
    hash_text(&job->launch->hash, row.trace);
    memcpy(row.config, t->config_hash, sizeof row.config);
    const int result =
        row.mechs && row.stats ? store_put(store, &row, err) : error_set(err, ERR_MEMORY, "out of memory for a run");
    free(row.mechs);
    free(row.stats);
    json_decref(stats);
    json_decref(mechs);
    return result;
}

static int import_launch(struct store *store, const struct profile_table *t, const struct profile_launch *l,
                         const struct launch *launch, const struct gpu_params *params, struct profile_count *count,
                         struct error *err)
{
    struct store_trace trace = {.input = launch->input, .launch = launch->index, .warp_insts = launch->warp_insts};
    hash_text(&launch->hash, trace.hash);
    snprintf(trace.workload, sizeof trace.workload, "%s", launch->workload->name);
    snprintf(trace.kernel, sizeof trace.kernel, "%s", launch->kernel);
    snprintf(trace.size, sizeof trace.size, "%s", launch->size >= 0 ? workload_sizes[launch->size] : "");
    if (store_put_trace(store, &trace, err) < 0) return -1;
    for (size_t r = l->first; r < l->first + l->n; r++) {
        struct run_job job;
        struct store_run known;
        char key[HASH_TEXT_SIZE];
        int result = profile_job(&job, launch, params, t->rows[r].at, t, err);
        hash_text(&job.key, key);
        const int found = result == 0 ? store_get(store, key, &known, err) : -1;
        if (found > 0) store_run_fini(&known);
        if (found == 0) result = put_row(store, t, r, &job, err);
        run_job_fini(&job);
        if (found < 0 || result < 0) return -1;
        count->runs += found == 0;
    }
    count->launches++;
    return 0;
}

static bool is_stale(const struct profile_launch *l, const struct launch *launch)
{
    char hash[HASH_TEXT_SIZE];
    hash_text(&launch->hash, hash);
    return strcmp(hash, l->trace) != 0;
}

int profile_check_trace(const struct profile_launch *l, const struct launch *launch, const char *name,
                        struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    hash_text(&launch->hash, hash);
    if (!is_stale(l, launch)) return 0;
    error_set(err, ERR_INPUT, "%s: %s has trace %s here, the profile is of %s", name, launch->label, hash, l->trace);
    return error_at(err, name, 0, -1,
                    "the program, its input or the executor has changed since: profile this launch again");
}

int profile_import(struct store *store, const struct profile_table *t, const char *name, const struct lab_paths *paths,
                   const struct launches *launches, bool skips_stale, struct profile_count *count, struct error *err)
{
    struct gpu_params *params = gpu_params_new();
    char hash[HASH_TEXT_SIZE], *json = NULL;
    *count = (struct profile_count){0};
    int result = params ? machine_of_today(params, t, name, paths, err)
                        : error_set(err, ERR_MEMORY, "out of memory for a configuration");
    for (size_t l = 0; l < t->n_launches && result == 0; l++) { /* all or nothing: every trace is checked before the
                                                                 * first row */
        const struct launch *launch = profile_find_launch(launches, &t->launches[l]);
        if (launch && !skips_stale) result = profile_check_trace(&t->launches[l], launch, name, err);
    }
    if (result == 0) result = config_hash(params, hash, &json, err);
    if (result == 0) result = store_put_config(store, hash, json, err);
    for (size_t l = 0; l < t->n_launches && result == 0; l++) {
        const struct launch *launch = profile_find_launch(launches, &t->launches[l]);
        if (!launch) count->missing++;
        else if (is_stale(&t->launches[l], launch)) count->stale++;
        else result = import_launch(store, t, &t->launches[l], launch, params, count, err);
    }
    if (result == 0) result = store_flush(store, err);
    free(json);
    gpu_params_free(params);
    return result;
}

/* ---- launches of a table ---- */

struct program {
    const struct workload *workload;
    int32_t input;
    struct launches launches;
};

static int list_programs(struct program *out, size_t *n, const struct profile_table *t, const char *name,
                         const struct registry *registry, struct error *err)
{
    for (size_t l = 0; l < t->n_launches; l++) {
        const struct profile_launch *launch = &t->launches[l];
        struct program p = {.input = launch->input};
        if (registry_find(registry, launch->workload, &p.workload, err) < 0) return error_while(err, "%s", name);
        size_t k = 0;
        while (k < *n && !(out[k].workload == p.workload && out[k].input == p.input)) k++;
        if (k < *n) continue;
        size_t i = 0;
        while (i < p.workload->n_inputs && p.workload->inputs[i] != p.input) i++;
        if (i == p.workload->n_inputs)
            return error_set(err, ERR_INPUT, "%s: %s has no input %d", name, p.workload->name, (int)p.input);
        out[(*n)++] = p;
    }
    return 0;
}

int profile_launches(struct launches *out, const struct profile_table *t, const char *name,
                     const struct registry *registry, const struct lab_paths *paths, const struct runner_options *o,
                     struct error *err)
{
    struct program *programs = calloc(t->n_launches + 1, sizeof *programs);
    size_t n = 0;
    const int size = workload_size(t->size);
    int result = !programs  ? error_set(err, ERR_MEMORY, "out of memory for launches")
                 : size < 0 ? error_set(err, ERR_INPUT, "%s: size '%s': test, small, eval or full", name, t->size)
                            : list_programs(programs, &n, t, name, registry, err);
    if (result == 0) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads ? (int)o->threads : 2)
        for (size_t i = 0; i < n; i++) {
            struct error mine;
            if (o->stop && *o->stop) continue;
            const int failed =
                workload_launches(&programs[i].launches, paths, programs[i].workload, size, programs[i].input, &mine);
#pragma omp critical(profile_launches)
            if (failed && result == 0) *err = mine, result = -1;
        }
    }
    if (result == 0 && o->stop && *o->stop)
        result = error_set(err, ERR_INTERRUPTED, "interrupted while recording traces");
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < programs[i].launches.n && result == 0; k++)
            result = launches_add(out, &programs[i].launches.items[k], err);
        launches_fini(&programs[i].launches);
    }
    for (size_t l = 0; l < t->n_launches && result == 0; l++)
        if (!profile_find_launch(out, &t->launches[l]))
            result = error_set(err, ERR_INPUT, "%s: %s has no launch %u", name, t->launches[l].workload,
                               t->launches[l].index);
    free(programs);
    return result;
}
