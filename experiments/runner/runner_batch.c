/* A batch: jobs -> keys -> the store's answers -> what is missing, longest first -> threads or ranks -> the store.
 * Runs that are asked for twice are simulated once; the order in which they end decides nothing. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/crash.h"
#include "runner/runner_internal.h"
#include "runner/runner_ranks.h"

enum { WAIT_US = 5000 }; /* for what other processes have in hand */

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
        if (batch_ask_store(b, i, true, err) < 0) return -1;
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

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t) * (const void *const *)a, y = (uintptr_t) * (const void *const *)b;
    return (x > y) - (x < y);
}

/* The distinct ones of n pointers, in any order; how many there are. */
static size_t distinct(const void **items, size_t n)
{
    size_t kept = 0;
    qsort(items, n, sizeof *items, by_address);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || items[i] != items[i - 1]) items[kept++] = items[i];
    return kept;
}

/* The rows that `items` need and the store has not, or has not as they were written. A transaction begins with the
 * first: a batch whose rows are all there writes nothing. */
struct describer {
    struct store *store;
    bool has_begun;
};
static int begin_once(struct describer *d, struct error *err)
{
    const bool was = d->has_begun;
    d->has_begun = true;
    return was ? 0 : store_begin(d->store, err);
}

static int describe_config(struct describer *d, const struct gpu_params *params, struct error *err)
{
    char hash[HASH_TEXT_SIZE], *json;
    if (config_hash(params, hash, &json, err) < 0) return -1;
    int result = store_has_config(d->store, hash, err);
    if (result == 0 && (begin_once(d, err) < 0 || store_put_config(d->store, hash, json, err) < 0)) result = -1;
    free(json);
    return result < 0 ? -1 : 0;
}

static int describe_trace(struct describer *d, const struct launch *l, struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    hash_text(&l->hash, hash);
    const int has = store_has_trace(d->store, hash, err);
    if (has != 0) return has < 0 ? -1 : 0;
    return begin_once(d, err) < 0 ? -1 : describe_launch(d->store, l, err);
}

/* Every launch and configuration of the batch, also of runs that the store has: a row that was altered is written
 * again. */
static int describe(struct batch *b, struct error *err)
{
    struct describer d = {.store = b->runner->store};
    const void **items = d.store && b->n ? calloc(b->n, sizeof *items) : NULL;
    if (!d.store || b->n == 0) return 0;
    if (!items) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", b->n);
    int result = 0;
    for (size_t i = 0; i < b->n; i++) items[i] = b->jobs[i].launch;
    for (size_t i = 0, n = distinct(items, b->n); i < n && result == 0; i++) result = describe_trace(&d, items[i], err);
    for (size_t i = 0; i < b->n; i++) items[i] = b->jobs[i].params;
    for (size_t i = 0, n = distinct(items, b->n); i < n && result == 0; i++)
        result = describe_config(&d, items[i], err);
    free(items);
    return d.has_begun ? store_end(d.store, result, err) : result;
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

/* One thread of several. */
static void work(struct batch *b)
{
    enum turn turn;
    size_t k;
    crash_thread();
    while ((turn = batch_next(b, &k)) != TURN_OVER) {
        if (turn == TURN_RUN) run_one(b, b->missing[k]);
        else usleep(WAIT_US);
    }
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
        if (b->n_missing == 1) b->jobs[b->missing[0]].limits.threads = o->threads;
#pragma omp parallel num_threads(threads ? threads : 1)
        work(b);
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
        return error_at(err, NULL, 0, -1,
                        b->runner->store ? "the same command continues from here: finished runs are in the store"
                                         : "without a store nothing is kept: the same command begins again");
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
        b->ready = calloc(n + 1, sizeof *b->ready);
        b->elsewhere = calloc(n + 1, sizeof *b->elsewhere);
        b->seen = calloc(n + 1, sizeof *b->seen);
    }
    for (size_t i = 0; i < n; i++) run_result_fini(&jobs[i].result); /* of an earlier batch */
    if (!b || !b->same_as || !b->missing || !b->ready || !b->elsewhere || !b->seen)
        error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
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
    free(b->ready);
    free(b->elsewhere);
    free(b->seen);
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

/* From here on others see which runs are in this process's hands, and a crash of one of them is not the end. */
static int open_session(struct batch *b, struct error *err)
{
    if (!b->runner->store || b->n_missing == 0) return 0;
    if (store_session_begin(b->runner->store, err) < 0) return -1;
    if (!b->runner->options.ranks) crash_arm(true);
    return 0;
}

static int close_session(struct batch *b, struct error *err)
{
    if (!b->runner->store || b->n_missing == 0) return 0;
    if (!b->runner->options.ranks) crash_arm(false);
    return store_session_end(b->runner->store, err);
}

int batch_run(struct batch *b, const char *what, struct error *err)
{
    struct runner *runner = b->runner;
    const double started = clock_s();
    struct error later;
    int result = describe(b, err);
    for (size_t k = 0; k < b->n_missing && result == 0; k++)
        result = plan_pool_reserve(runner->pool, b->jobs[b->missing[k]].launch, 1, err);
    if (result == 0) result = open_session(b, err);
    if (result == 0) {
        for (size_t i = 0; i < b->n; i++) runner->totals.reused += b->same_as[i] == i && b->jobs[i].result.is_reused;
        progress_begin(&b->progress, runner->options.progress, runner->options.is_terminal, what, b->n_missing,
                       b->cost);
        result = execute(b, err);
        run_notes_add(&runner->notes, b->jobs, b->n);
        if (close_session(b, &later) < 0 && result == 0) *err = later, result = -1;
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
