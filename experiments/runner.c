/* jobs -> keys -> the store's answers -> what is missing, longest first -> threads -> the store.
 * Traces are opened by the first run that needs them and closed behind the last one, plans with them. */
#include "poise/runner.h"

#include <jansson.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "runner_internal.h"
#include "runner_ranks.h"

int runner_new(struct runner **out, struct store *store, const struct runner_options *options, struct error *err)
{
    *out = NULL;
    struct runner *runner = calloc(1, sizeof *runner);
    if (!runner) return error_set(err, ERR_MEMORY, "out of memory for a runner");
    runner->store = store;
    runner->options = *options;
    runner->threads_asked = options->threads;
    if (runner->options.threads == 0) runner->options.threads = (unsigned)omp_get_num_procs();
    const size_t bytes_max = options->plan_bytes_max ? options->plan_bytes_max : (size_t)1 << 30;
    if (plan_pool_new(&runner->pool, options->decoded_dir, bytes_max, err) < 0) {
        free(runner);
        return -1;
    }
    *out = runner;
    return 0;
}

void runner_free(struct runner *runner)
{
    if (!runner) return;
    plan_pool_free(runner->pool);
    free(runner);
}

const struct runner_totals *runner_totals(const struct runner *runner) { return &runner->totals; }
unsigned runner_threads(const struct runner *runner)
{
    return runner->options.ranks ? ranks_threads(runner->options.ranks, runner->threads_asked) : runner->options.threads;
}

void run_job_fini(struct run_job *job)
{
    for (unsigned i = 0; i < job->n_stack; i++) mech_free(&job->stack[i]);
    job->n_stack = 0;
    free(job->result.stats);
    json_decref(job->result.mechs);
    memset(&job->result, 0, sizeof job->result);
}

char *stats_to_json(const struct gpu_stats *stats)
{
    json_t *json = stats_json(&gpu_stat_table, stats);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}

struct gpu_stats *stats_from_json(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    char *stats = json_is_object(json) ? calloc(1, gpu_stat_table.size) : NULL;
    for (size_t i = 0; stats && i < gpu_stat_table.n_rows; i++) {
        const struct stat_row *row = &gpu_stat_table.rows[i];
        *(uint64_t *)(void *)(stats + row->offset) = (uint64_t)json_integer_value(json_object_get(json, row->name));
    }
    json_decref(json);
    return (struct gpu_stats *)(void *)stats;
}

void measure_stats(struct measure *out, const struct gpu_stats *stats)
{
    struct feature_counters c;
    gpu_stats_features(stats, &c);
    *out = (struct measure){.cycles = (uint64_t)gpu_stats_value(stats, "core_cycles"), .warp_insts = c.insts,
                            .line_requests = (uint64_t)gpu_stats_value(stats, "line_requests"), .l1_accesses = c.l1_accesses, .l1_hits = c.l1_hits,
                            .latency_sum = c.miss_latency_sum, .latency_count = c.miss_count};
}

int config_hash(const struct gpu_params *params, char out[HASH_TEXT_SIZE], char **json, struct error *err)
{
    json_t *object = gpu_params_json(params);
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    const struct hash hash = hash_bytes(text, strlen(text));
    hash_text(&hash, out);
    if (json) *json = text;
    else free(text);
    return 0;
}

/* ---- survey ---- */

static int survey_one(struct runner *runner, const struct launch *launch, const struct gpu_params *params, struct store_plan *out,
                      struct error *err)
{
    const struct plan *plan;
    struct plan_use use;
    if (plan_pool_take(runner->pool, launch, params, &use, &plan, err) < 0) return -1;
    *out = (struct store_plan){plan_warps_per_scheduler(plan), plan_warp_insts(plan), plan_line_requests(plan)};
    plan_pool_give(runner->pool, &use);
    return 0;
}

int runner_survey(struct runner *runner, const struct launch *launches, size_t n, const struct gpu_params *params,
                  struct store_plan *out, struct error *err)
{
    char config[HASH_TEXT_SIZE];
    if (config_hash(params, config, NULL, err) < 0) return -1;
    bool *is_known = calloc(n + 1, sizeof *is_known);
    if (!is_known) return error_set(err, ERR_MEMORY, "out of memory");
    int result = 0;
    for (size_t i = 0; i < n && runner->store && result == 0; i++) {
        char hash[HASH_TEXT_SIZE];
        hash_text(&launches[i].hash, hash);
        const int found = store_get_plan(runner->store, hash, config, &out[i], err);
        is_known[i] = found == 1;
        if (found < 0) result = -1;
    }
    if (result == 0 && plan_pool_reserve(runner->pool, launches, n, err) < 0) result = -1;
    if (result == 0) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(runner->options.threads)
        for (size_t i = 0; i < n; i++) {
            struct error mine;
            if (is_known[i] || (runner->options.stop && *runner->options.stop)) continue;
            if (survey_one(runner, &launches[i], params, &out[i], &mine) < 0) {
#pragma omp critical(runner_state)
                if (result == 0) *err = mine, result = -1;
            }
        }
    }
    if (result == 0 && runner->options.stop && *runner->options.stop) result = error_set(err, ERR_INTERRUPTED, "interrupted");
    for (size_t i = 0; i < n && runner->store && result == 0; i++) {
        char hash[HASH_TEXT_SIZE];
        hash_text(&launches[i].hash, hash);
        if (!is_known[i]) result = store_put_plan(runner->store, hash, config, &out[i], err);
    }
    plan_pool_trim(runner->pool);
    free(is_known);
    return result;
}

/* ---- a batch ---- */

static char *limits_json(const struct gpu_limits *limits)
{
    char *text = NULL, insts[48] = "";
    if (limits->max_insts) snprintf(insts, sizeof insts, ",\"max_insts\":%llu", (unsigned long long)limits->max_insts);
    return asprintf(&text, "{\"max_cycles\":%llu%s}", (unsigned long long)limits->max_cycles, insts) < 0 ? NULL : text;
}

/* A deadlock is a property of the run and is kept; other failures (memory, files) are tried again. */
static bool is_final(const struct store_run *row) { return row->code == ERR_NONE || row->code == ERR_DEADLOCK; }

static int result_from_row(struct run_result *out, const struct store_run *row, struct error *err)
{
    *out = (struct run_result){.is_done = true, .is_reused = true, .complete = row->complete};
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

static int ask_store(struct batch *b, size_t i, struct error *err)
{
    char key[HASH_TEXT_SIZE];
    struct store_run row;
    hash_text(&b->jobs[i].key, key);
    const int found = b->runner->store ? store_get(b->runner->store, key, &row, err) : 0;
    if (found < 0) return -1;
    int result = 0;
    if (found && is_final(&row)) result = result_from_row(&b->jobs[i].result, &row, err);
    if (found) store_run_fini(&row);
    return result;
}

struct keyed { struct hash key; size_t index; };
static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    const int order = memcmp(&x->key, &y->key, sizeof x->key);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int find_same(struct batch *b, struct error *err)
{
    struct keyed *keys = calloc(b->n + 1, sizeof *keys);
    if (!keys) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", b->n);
    int result = 0;
    for (size_t i = 0; i < b->n && result == 0; i++) {
        struct run_job *job = &b->jobs[i];
        result = gpu_run_key(&job->key, &job->launch->hash, job->params, job->stack, job->n_stack, &job->limits, err);
        keys[i] = (struct keyed){job->key, i};
    }
    if (result == 0) qsort(keys, b->n, sizeof *keys, by_key);
    for (size_t i = 0, first = 0; i < b->n && result == 0; i++) {
        if (i == 0 || memcmp(&keys[i].key, &keys[i - 1].key, sizeof keys[i].key) != 0) first = keys[i].index;
        b->same_as[keys[i].index] = first;
    }
    free(keys);
    return result;
}

static int by_cost(const void *a, const void *b, void *jobs)
{
    const struct run_job *x = &((const struct run_job *)jobs)[*(const size_t *)a], *y = &((const struct run_job *)jobs)[*(const size_t *)b];
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
    if (find_same(b, err) < 0) return -1;
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
    double total = 0;
    for (size_t k = 0; k < b->n_missing; k++) {
        total += b->jobs[b->missing[k]].cost;
        if (plan_pool_reserve(runner->pool, b->jobs[b->missing[k]].launch, 1, err) < 0) return -1;
    }
    const struct runner_options *o = &runner->options;
    progress_begin(&b->progress, o->progress, o->is_terminal, "", b->n_missing, total);
    return 0;
}

static int describe(struct batch *b, struct error *err)
{
    const struct gpu_params *last = NULL;
    for (size_t k = 0; k < b->n_missing && b->runner->store; k++) {
        const struct run_job *job = &b->jobs[b->missing[k]];
        const struct launch *l = job->launch;
        struct store_trace row = {.input = l->input, .launch = l->index, .warp_insts = l->warp_insts};
        hash_text(&l->hash, row.hash);
        snprintf(row.workload, sizeof row.workload, "%s", l->workload ? l->workload->name : "");
        snprintf(row.kernel, sizeof row.kernel, "%s", l->kernel);
        snprintf(row.size, sizeof row.size, "%s", l->size >= 0 ? workload_sizes[l->size] : "");
        if (store_put_trace(b->runner->store, &row, err) < 0) return -1;
        if (job->params == last) continue;
        char hash[HASH_TEXT_SIZE], *json;
        if (config_hash(last = job->params, hash, &json, err) < 0) return -1;
        const int result = store_put_config(b->runner->store, hash, json, err);
        free(json);
        if (result < 0) return -1;
    }
    return 0;
}

void runner_simulate(struct runner *runner, struct run_job *job, struct gpu_carry *carry)
{
    const struct plan *plan;
    struct plan_use use;
    struct run_result *r = &job->result;
    if (plan_pool_take(runner->pool, job->launch, job->params, &use, &plan, &r->err) < 0) return;
    if (!carry && (runner->options.timeout_s > 0 || runner->options.memory_mib)) {
        run_isolated(job, plan, &runner->options);
        plan_pool_give(runner->pool, &use);
        return;
    }
    struct gpu_result g = {0};
    if (gpu_run_carry(&g, plan, job->params, job->stack, job->n_stack, &job->limits, carry, &r->err) == 0) result_take(r, &g);
    gpu_result_free(&g);
    plan_pool_give(runner->pool, &use);
}

static int keep(struct batch *b, const struct run_job *job, double seconds, struct error *err)
{
    struct runner *runner = b->runner;
    if (!runner->store) return 0;
    struct store_run row = {.complete = job->result.complete, .code = job->result.err.code, .seconds = seconds};
    hash_text(&job->key, row.key);
    hash_text(&job->launch->hash, row.trace);
    if (b->hashed != job->params) { /* many runs have one configuration, and its text is long */
        b->hashed = NULL;
        if (config_hash(job->params, b->hashed_text, NULL, err) < 0) return -1;
        b->hashed = job->params;
    }
    memcpy(row.config, b->hashed_text, sizeof row.config);
    char nothing[] = "{}";
    char *stats = job->result.stats ? stats_to_json(job->result.stats) : NULL;
    char *mechs = job->result.mechs ? json_dumps(job->result.mechs, JSON_COMPACT) : NULL, *limits = limits_json(&job->limits);
    row.stats = stats ? stats : nothing;
    row.mechs = mechs;
    row.limits = limits;
    row.message = (char *)(uintptr_t)(row.code != ERR_NONE ? job->result.err.text : "");
    const int result = store_put(runner->store, &row, err);
    free(stats);
    free(mechs);
    free(limits);
    return result;
}

void batch_finish(struct batch *b, size_t i, double seconds)
{
    struct run_job *job = &b->jobs[i];
#pragma omp critical(runner_state)
    {
        struct runner_totals *t = &b->runner->totals;
        const bool has_failed = job->result.err.code != ERR_NONE;
        const uint64_t insts = has_failed ? 0 : job->launch->warp_insts;
        job->result.is_done = true;
        t->simulated++;
        t->failed += has_failed;
        t->warp_insts += insts;
        if (!b->has_failed && keep(b, job, seconds, &b->fatal) < 0) b->has_failed = true;
        progress_step(&b->progress, job->cost, insts, has_failed);
    }
}

static void run_one(struct batch *b, size_t i)
{
    const double started = clock_s();
    memset(&b->jobs[i].result.err, 0, sizeof b->jobs[i].result.err);
    runner_simulate(b->runner, &b->jobs[i], NULL);
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

bool batch_is_stopped(const struct batch *b)
{
    bool stop = b->runner->options.stop && *b->runner->options.stop;
#pragma omp critical(runner_state)
    stop |= b->has_failed;
    return stop;
}

static int execute(struct batch *b, struct error *err)
{
    int result = 0;
    if (b->runner->options.ranks) {
        result = ranks_execute(b->runner->options.ranks, b, err);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(b->runner->options.threads)
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

int runner_estimate(struct runner *runner, struct run_job *jobs, size_t n, struct runner_estimate *out, struct error *err)
{
    struct batch b = {.runner = runner, .jobs = jobs, .n = n};
    *out = (struct runner_estimate){.runs = n};
    b.same_as = calloc(n + 1, sizeof *b.same_as);
    b.missing = calloc(n + 1, sizeof *b.missing);
    int result = b.same_as && b.missing ? prepare(&b, err) : error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    double rate = 0, longest = 0;
    if (result == 0 && runner->store) result = store_history(runner->store, NULL, &rate, err);
    for (size_t i = 0; i < n && result == 0; i++) {
        out->distinct += b.same_as[i] == i;
        out->stored += b.same_as[i] == i && jobs[i].result.is_done;
    }
    for (size_t k = 0; k < b.n_missing && result == 0; k++) {
        out->warp_insts += jobs[b.missing[k]].launch->warp_insts;
        if (jobs[b.missing[k]].cost > longest) longest = jobs[b.missing[k]].cost;
    }
    out->missing = b.n_missing;
    out->is_measured = rate > 0;
    out->cpu_s = b.progress.cost_total;
    out->wall_s = out->cpu_s / runner_threads(runner) > longest ? out->cpu_s / runner_threads(runner) : longest;
    for (size_t i = 0; i < n; i++) { /* runner_run fills in results anew */
        free(jobs[i].result.stats);
        json_decref(jobs[i].result.mechs);
        memset(&jobs[i].result, 0, sizeof jobs[i].result);
    }
    plan_pool_trim(runner->pool);
    free(b.same_as);
    free(b.missing);
    return result;
}

int runner_run(struct runner *runner, const char *what, struct run_job *jobs, size_t n, struct error *err)
{
    struct batch b = {.runner = runner, .jobs = jobs, .n = n};
    const double started = clock_s();
    b.same_as = calloc(n + 1, sizeof *b.same_as);
    b.missing = calloc(n + 1, sizeof *b.missing);
    int result = -1;
    if (!b.same_as || !b.missing) {
        error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    } else if (prepare(&b, err) == 0 && describe(&b, err) == 0) {
        b.progress.what = what;
        for (size_t i = 0; i < n; i++) runner->totals.reused += b.same_as[i] == i && jobs[i].result.is_reused;
        result = execute(&b, err);
    }
    plan_pool_trim(runner->pool);
    runner->totals.wall_s += clock_s() - started;
    free(b.same_as);
    free(b.missing);
    return result;
}

int runner_run_program(struct runner *runner, struct run_job *jobs, size_t n, struct error *err)
{
    struct gpu_carry *carry = n ? gpu_carry_new(jobs[0].params) : NULL;
    if (n && !carry) return error_set(err, ERR_MEMORY, "out of memory for the L2 that launches carry over");
    int result = 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        result = plan_pool_reserve(runner->pool, jobs[i].launch, 1, err);
        if (result == 0) runner_simulate(runner, &jobs[i], carry);
        if (result == 0 && jobs[i].result.err.code != ERR_NONE) break;
        jobs[i].result.is_done = result == 0;
    }
    plan_pool_trim(runner->pool);
    gpu_carry_free(carry);
    return result;
}
