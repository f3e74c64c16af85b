/* A batch: jobs -> keys -> the store's answers -> what is missing, longest first -> threads or ranks -> the store.
 * Runs that are asked for twice are simulated once; the order in which they end decides nothing. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "runner/runner_internal.h"
#include "runner/runner_ranks.h"

/* A deadlock is a property of the run and is kept; other failures (memory, files) are tried again. */
static bool is_final(const struct store_run *row) { return row->code == ERR_NONE || row->code == ERR_DEADLOCK; }

static int result_from_row(struct run_result *out, const struct store_run *row, struct error *err)
{
    *out = (struct run_result){.is_done = true, .is_reused = true, .complete = row->complete};
    json_t *limits = json_loads(row->limits, 0, NULL);
    out->estimate = (struct gpu_estimate){json_number_value(json_object_get(limits, "estimated_cycles")),
                                          json_number_value(json_object_get(limits, "estimate_error"))};
    json_decref(limits);
    out->stats = stats_from_json(row->stats);
    out->mechs = json_loads(row->mechs, 0, NULL);
    if (!out->stats || !out->mechs) {
        free(out->stats);
        json_decref(out->mechs);
        *out = (struct run_result){0};
        return error_set(err, ERR_INPUT, "run %s: its row in the store cannot be read", row->key);
    }
    if (row->code != ERR_NONE) error_set(&out->err, row->code, "%s", row->message);
    return 0;
}

static int ask_for(struct batch *b, size_t i, const struct hash *key, struct error *err)
{
    char text[HASH_TEXT_SIZE];
    struct store_run row;
    hash_text(key, text);
    const int found = b->runner->store ? store_get(b->runner->store, text, &row, err) : 0;
    if (found < 0) return -1;
    if (found == 0 && b->runner->store && row.is_damaged && b->runner->options.progress)
        fprintf(b->runner->options.progress,
                "%s: run %s: its row does not match its checksum: it counts as missing and is simulated again\n",
                store_path(b->runner->store), text);
    int result = 0;
    if (found && is_final(&row) && (b->jobs[i].is_profile || !strstr(row.stats, "\"" STORE_PROFILE_ONLY "\"")))
        result = result_from_row(&b->jobs[i].result, &row, err);
    if (found) store_run_fini(&row);
    return result;
}

static int ask_store(struct batch *b, size_t i, struct error *err)
{
    struct run_job *job = &b->jobs[i];
    if (ask_for(b, i, &job->key, err) < 0) return -1;
    if (job->result.is_done || !job->bound_cycles) return 0;
    const struct hash key = bounded_key(job);
    if (ask_for(b, i, &key, err) < 0) return -1;
    job->result.is_bounded = job->result.is_done && !job->result.complete;
    return 0;
}

struct keyed {
    struct hash key;
    uint64_t bound;
    size_t index;
};
static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    const int order = memcmp(&x->key, &y->key, sizeof x->key);
    if (order || x->bound != y->bound) return order ? order : x->bound < y->bound ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The jobs' keys. Many runs have one configuration, and its text is long. */
static int find_keys(struct batch *b, struct error *err)
{
    const struct gpu_params *last = NULL;
    char *config = NULL;
    int result = 0;
    for (size_t i = 0; i < b->n && result == 0; i++) {
        struct run_job *job = &b->jobs[i];
        if (job->params != last) {
            free(config);
            config = gpu_key_config(last = job->params);
            if (!config) return error_set(err, ERR_MEMORY, "no memory for a run key");
        }
        result = gpu_run_key_with(&job->key, &job->launch->hash, config, job->stack, job->n_stack, &job->limits, err);
    }
    free(config);
    return result;
}

static int find_same(struct batch *b, struct error *err)
{
    struct keyed *keys = calloc(b->n + 1, sizeof *keys);
    if (!keys) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", b->n);
    for (size_t i = 0; i < b->n; i++) keys[i] = (struct keyed){b->jobs[i].key, b->jobs[i].bound_cycles, i};
    qsort(keys, b->n, sizeof *keys, by_key);
    for (size_t i = 0, first = 0; i < b->n; i++) {
        if (i == 0 || memcmp(&keys[i].key, &keys[i - 1].key, sizeof keys[i].key) != 0 ||
            keys[i].bound != keys[i - 1].bound)
            first = keys[i].index;
        b->same_as[keys[i].index] = first;
    }
    free(keys);
    return 0;
}

static int by_cost(const void *a, const void *b, void *jobs)
{
    const struct run_job *x = &((const struct run_job *)jobs)[*(const size_t *)a],
                         *y = &((const struct run_job *)jobs)[*(const size_t *)b];
    if (x->cost != y->cost) return x->cost < y->cost ? 1 : -1;
    /* Runs of one trace stay together, so that its plan can go when they are done. */
    const int order = memcmp(&x->launch->hash, &y->launch->hash, sizeof x->launch->hash);
    if (order) return order;
    return (*(const size_t *)a > *(const size_t *)b) - (*(const size_t *)a < *(const size_t *)b);
}

/* Seconds if the trace has a history; else instructions at a typical rate. */
static double estimate(struct runner *runner, const struct launch *launch)
{
    char hash[HASH_TEXT_SIZE];
    double per_inst = 0;
    struct error ignored;
    hash_text(&launch->hash, hash);
    if (runner->store && (store_history(runner->store, hash, &per_inst, &ignored) < 0 || per_inst <= 0))
        store_history(runner->store, NULL, &per_inst, &ignored);
    return (double)launch->warp_insts * (per_inst > 0 ? per_inst : 3e-6) + 1e-3;
}

static int prepare(struct batch *b, struct error *err)
{
    struct runner *runner = b->runner;
    if (find_keys(b, err) < 0 || find_same(b, err) < 0) return -1;
    const struct launch *last = NULL;
    double cost = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct run_job *job = &b->jobs[i];
        if (b->same_as[i] != i) continue;
        if (ask_store(b, i, err) < 0) return -1;
        if (job->result.is_done) continue;
        if (job->launch != last) cost = estimate(runner, last = job->launch);
        if (job->cost <= 0) job->cost = cost;
        b->missing[b->n_missing++] = i;
    }
    qsort_r(b->missing, b->n_missing, sizeof *b->missing, by_cost, b->jobs);
    for (size_t k = 0; k < b->n_missing; k++) b->cost += b->jobs[b->missing[k]].cost;
    return 0;
}

static int describe_launch(struct store *store, const struct launch *l, struct error *err)
{
    struct store_trace row = {.input = l->input, .launch = l->index, .warp_insts = l->warp_insts};
    hash_text(&l->hash, row.hash);
    snprintf(row.workload, sizeof row.workload, "%s", l->workload ? l->workload->name : "");
    snprintf(row.kernel, sizeof row.kernel, "%s", l->kernel);
    snprintf(row.size, sizeof row.size, "%s", l->size >= 0 ? workload_sizes[l->size] : "");
    return store_put_trace(store, &row, err);
}

/* Once a launch and once a configuration: their runs stand side by side. */
static int describe_all(struct batch *b, struct error *err)
{
    const struct gpu_params *last = NULL;
    const struct launch *l = NULL;
    for (size_t k = 0; k < b->n_missing; k++) {
        const struct run_job *job = &b->jobs[b->missing[k]];
        if (job->launch != l && describe_launch(b->runner->store, l = job->launch, err) < 0) return -1;
        if (job->params == last) continue;
        char hash[HASH_TEXT_SIZE], *json;
        if (config_hash(last = job->params, hash, &json, err) < 0) return -1;
        const int result = store_put_config(b->runner->store, hash, json, err);
        free(json);
        if (result < 0) return -1;
    }
    return 0;
}

static int describe(struct batch *b, struct error *err)
{
    struct store *store = b->runner->store;
    if (!store || b->n_missing == 0) return 0;
    if (store_begin(store, err) < 0) return -1;
    return store_end(store, describe_all(b, err), err);
}

static void run_one(struct batch *b, size_t i)
{
    const double started = clock_s(), cpu_started = thread_cpu_s();
    memset(&b->jobs[i].result.err, 0, sizeof b->jobs[i].result.err);
    runner_simulate(b->runner, &b->jobs[i], NULL);
    const double cpu_s = thread_cpu_s() - cpu_started;
#pragma omp atomic
    b->runner->totals.run_cpu_s += cpu_s;
    batch_finish(b, i, clock_s() - started);
}

static int copy_result(struct run_result *out, const struct run_result *from, struct error *err)
{
    *out = *from;
    out->mechs = json_incref(from->mechs);
    if (!from->stats) return 0;
    out->stats = malloc(gpu_stat_table.size);
    if (!out->stats) return error_set(err, ERR_MEMORY, "out of memory for statistics");
    memcpy(out->stats, from->stats, gpu_stat_table.size);
    return 0;
}

static int execute(struct batch *b, struct error *err)
{
    int result = 0;
    if (b->runner->options.ranks) {
        result = ranks_execute(b->runner->options.ranks, b, err);
    } else {
        const struct runner_options *o = &b->runner->options;
        const unsigned threads = b->n_missing < o->threads ? (unsigned)b->n_missing : o->threads;
        /* it may fork itself */
        if (b->n_missing == 1 && !(o->timeout_s > 0) && !o->memory_mib)
            b->jobs[b->missing[0]].limits.threads = o->threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads ? threads : 1)
        for (size_t k = 0; k < b->n_missing; k++)
            if (!batch_is_stopped(b)) run_one(b, b->missing[k]);
    }
    progress_end(&b->progress);
    if (result < 0) return -1;
    if (b->runner->store && store_flush(b->runner->store, err) < 0) return -1;
    if (b->has_failed) {
        *err = b->fatal;
        return -1;
    }
    for (size_t i = 0; i < b->n; i++)
        if (b->same_as[i] != i && b->jobs[b->same_as[i]].result.is_done &&
            copy_result(&b->jobs[i].result, &b->jobs[b->same_as[i]].result, err) < 0)
            return -1;
    if (b->runner->options.stop && *b->runner->options.stop) {
        error_set(err, ERR_INTERRUPTED, "interrupted: %zu of %zu runs were done", b->progress.done, b->n_missing);
        return error_at(err, NULL, 0, -1, "the same command goes on from here: finished runs are in the store");
    }
    return 0;
}

int batch_new(struct batch **out, struct runner *runner, struct run_job *jobs, size_t n, struct error *err)
{
    struct batch *b = calloc(1, sizeof *b);
    *out = NULL;
    if (b) {
        *b = (struct batch){.runner = runner, .jobs = jobs, .n = n};
        b->same_as = calloc(n + 1, sizeof *b->same_as);
        b->missing = calloc(n + 1, sizeof *b->missing);
    }
    for (size_t i = 0; i < n; i++) run_result_fini(&jobs[i].result); /* of an earlier batch */
    if (!b || !b->same_as || !b->missing) error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    else if (prepare(b, err) == 0) {
        *out = b;
        return 0;
    }
    batch_free(b);
    return -1;
}

void batch_free(struct batch *b)
{
    if (!b) return;
    free(b->same_as);
    free(b->missing);
    free(b);
}

int batch_estimate(const struct batch *b, struct runner_estimate *out, struct error *err)
{
    double rate = 0, longest = 0;
    const unsigned threads = runner_threads(b->runner);
    *out = (struct runner_estimate){.runs = b->n, .missing = b->n_missing, .cpu_s = b->cost, .threads = threads};
    if (b->runner->store && store_history(b->runner->store, NULL, &rate, err) < 0) return -1;
    for (size_t i = 0; i < b->n; i++) {
        out->distinct += b->same_as[i] == i;
        out->stored += b->same_as[i] == i && b->jobs[i].result.is_done;
    }
    for (size_t k = 0; k < b->n_missing; k++) {
        const struct run_job *job = &b->jobs[b->missing[k]];
        out->warp_insts += job->launch->warp_insts;
        if (job->cost > longest) longest = job->cost;
    }
    out->is_measured = rate > 0;
    out->wall_s = out->cpu_s / threads > longest ? out->cpu_s / threads : longest;
    return 0;
}

int batch_run(struct batch *b, const char *what, struct error *err)
{
    struct runner *runner = b->runner;
    const double started = clock_s();
    int result = describe(b, err);
    for (size_t k = 0; k < b->n_missing && result == 0; k++)
        result = plan_pool_reserve(runner->pool, b->jobs[b->missing[k]].launch, 1, err);
    if (result == 0) {
        for (size_t i = 0; i < b->n; i++) runner->totals.reused += b->same_as[i] == i && b->jobs[i].result.is_reused;
        progress_begin(&b->progress, runner->options.progress, runner->options.is_terminal, what, b->n_missing,
                       b->cost);
        result = execute(b, err);
        run_notes_add(&runner->notes, b->jobs, b->n);
    }
    runner->totals.warmups = warm_pool_made(runner->warm);
    warm_pool_clear(runner->warm);
    plan_pool_trim(runner->pool);
    runner->totals.wall_s += clock_s() - started;
    return result;
}

int runner_run(struct runner *runner, const char *what, struct run_job *jobs, size_t n, struct error *err)
{
    struct batch *b;
    if (batch_new(&b, runner, jobs, n, err) < 0) return -1;
    const int result = batch_run(b, what, err);
    batch_free(b);
    return result;
}
