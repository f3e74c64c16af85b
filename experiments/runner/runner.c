/* jobs -> keys -> the store's answers -> what is missing, longest first -> threads -> the store.
 * Traces are opened by the first run that needs them and closed behind the last one, plans with them. */
#include "poise/runner.h"

#include <jansson.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "poise/number.h"
#include "runner/crash.h"
#include "runner/runner_internal.h"
#include "runner/runner_ranks.h"

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
    if (warm_pool_new(&runner->warm, runner->pool, err) < 0) {
        runner_free(runner);
        return -1;
    }
    *out = runner;
    return 0;
}

void runner_free(struct runner *runner)
{
    if (!runner) return;
    warm_pool_free(runner->warm);
    plan_pool_free(runner->pool);
    run_notes_print(&runner->notes, runner->options.notes);
    run_notes_fini(&runner->notes);
    free(runner);
}

/* Every run, by the options or after several crashes. */
static bool runs_alone(const struct runner *runner)
{
    const struct runner_options *o = &runner->options;
    return o->timeout_s > 0 || o->memory_mib || crash_restarts() >= CRASH_RESTARTS_IN_PLACE;
}

bool runner_has_store(const struct runner *runner) { return runner->store != NULL; }
const struct runner_totals *runner_totals(const struct runner *runner) { return &runner->totals; }
unsigned runner_threads(const struct runner *runner)
{
    return runner->options.ranks ? ranks_threads(runner->options.ranks, runner->threads_asked)
                                 : runner->options.threads;
}

int run_jobs_shard(const char *shard, struct run_job *jobs, size_t *n, struct error *err)
{
    uint64_t part, of;
    if (!shard) return 0;
    const char *slash = whole_scan(shard, &part);
    if (!slash || *slash != '/' || !whole_parse(slash + 1, 1, UINT32_MAX, &of) || part < 1 || part > of)
        return error_set(err, ERR_USAGE, "--shard %s: I/N with 1 <= I <= N is needed, as in 1/4", shard);
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        if (i % of == part - 1) jobs[kept++] = jobs[i];
        else run_job_fini(&jobs[i]);
    }
    *n = kept;
    return 0;
}

/* ---- survey ---- */

static int survey_one(struct runner *runner, const struct launch *launch, const struct gpu_params *params,
                      struct store_plan *out, struct error *err)
{
    const struct plan *plan;
    struct plan_use use;
    if (plan_pool_take(runner->pool, launch, params, &use, &plan, err) < 0) return -1;
    *out = (struct store_plan){.warps_per_scheduler = plan_warps_per_scheduler(plan),
                               .warp_insts = plan_warp_insts(plan),
                               .line_requests = plan_line_requests(plan)};
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
        else if (found == STORE_REFUSED && runner->options.progress)
            fprintf(runner->options.progress,
                    "%s: the plan of %s does not match its checksum: it counts as missing and is made again\n",
                    store_path(runner->store), launches[i].label);
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
    if (result == 0 && runner->options.stop && *runner->options.stop)
        result = error_set(err, ERR_INTERRUPTED, "interrupted");
    for (size_t i = 0; i < n && runner->store && result == 0; i++) {
        char hash[HASH_TEXT_SIZE];
        hash_text(&launches[i].hash, hash);
        if (!is_known[i]) result = store_put_plan(runner->store, hash, config, &out[i], err);
    }
    plan_pool_trim(runner->pool);
    free(is_known);
    return result;
}

/* The plans are taken. */
static void simulate(struct runner *runner, struct run_job *job, const struct plan *plan, struct gpu_limits *limits,
                     struct gpu_carry *carry)
{
    struct run_result *r = &job->result;
    if (!carry && (job->is_isolated || runs_alone(runner))) {
        limits->threads = 0;
        run_isolated(job, plan, limits, &runner->options);
        return;
    }
    struct gpu_result g = {0};
    struct warm_use warm;
    const bool is_warm = limits->warmup_cycles && !carry;
    if (is_warm) limits->warm = warm_pool_take(runner->warm, job->launch, job->params, plan, limits, &warm);
    if (gpu_run_carry(&g, plan, job->params, job->stack, job->n_stack, limits, carry, &r->err) == 0) result_take(r, &g);
    gpu_result_free(&g);
    if (is_warm) warm_pool_give(runner->warm, &warm);
}

static void simulate_both(struct runner *runner, struct run_job *job, struct gpu_limits *limits)
{
    struct beside_plans plans;
    if (beside_plans_take(&plans, runner->pool, job, &job->result.err) < 0) return;
    struct gpu_beside beside = *limits->beside;
    beside.plan = plans.plans[1];
    limits->beside = &beside;
    simulate(runner, job, plans.plans[0], limits, NULL);
    beside_plans_give(&plans, runner->pool);
}

/* Each policy's machine has a plan; they may share one. */
static void simulate_phases(struct runner *runner, struct run_job *job, struct gpu_limits limits)
{
    struct gpu_phases phases = *limits.phases;
    struct gpu_phase items[GPU_PHASES_MAX];
    struct plan_use uses[GPU_PHASES_MAX];
    unsigned n = 0;
    int result = 0;
    for (; n < phases.n && result == 0; n += result == 0) {
        items[n] = phases.items[n];
        result = plan_pool_reserve(runner->pool, job->launch, 1, &job->result.err);
        if (result == 0)
            result =
                plan_pool_take(runner->pool, job->launch, items[n].params, &uses[n], &items[n].plan, &job->result.err);
    }
    phases.items = items;
    limits.phases = &phases;
    if (result == 0) simulate(runner, job, items->plan, &limits, NULL);
    while (n) plan_pool_give(runner->pool, &uses[--n]);
}

void runner_simulate(struct runner *runner, struct run_job *job, struct gpu_carry *carry)
{
    const struct plan *plan;
    struct plan_use use;
    struct gpu_limits limits = job->limits;
    const bool is_bound = job->bound_cycles && (!limits.max_cycles || job->bound_cycles < limits.max_cycles);
    if (is_bound) limits.max_cycles = job->bound_cycles;
    if (job->beside) {
        simulate_both(runner, job, &limits);
        return;
    }
    if (limits.phases) {
        simulate_phases(runner, job, limits);
        return;
    }
    if (plan_pool_take_from(runner->pool, job->launch, job->params, gpu_carry_counts_from(carry), &use, &plan,
                            &job->result.err) < 0)
        return;
    simulate(runner, job, plan, &limits, carry);
    plan_pool_give(runner->pool, &use);
}

/* The line that all launches of a program count from, so that what one leaves in L2 is what another finds there. */
static int common_first_line(uint64_t *first_line, struct runner *runner, const struct run_job *jobs, size_t n,
                             struct error *err)
{
    struct plan_lines *lines = calloc(n + 1, sizeof *lines);
    int result = lines ? 0 : error_set(err, ERR_MEMORY, "out of memory for the lines of launches");
    *first_line = 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct plan *plan;
        struct plan_use use;
        result = plan_pool_reserve(runner->pool, jobs[i].launch, 1, err);
        if (result == 0) result = plan_pool_take(runner->pool, jobs[i].launch, jobs[i].params, &use, &plan, err);
        if (result < 0) break;
        lines[i] = plan_lines(plan);
        plan_pool_give(runner->pool, &use);
    }
    if (result == 0 && n) result = plan_lines_join(first_line, lines, n, jobs[0].params, err);
    free(lines);
    return result;
}

/* One program's launches, one behind another. */
static int run_in_order(struct runner *runner, struct run_job *jobs, size_t n, uint64_t first_line, struct error *err)
{
    struct gpu_carry *carry = gpu_carry_new(jobs[0].params);
    if (!carry) return error_set(err, ERR_MEMORY, "out of memory for the L2 that launches carry over");
    const volatile sig_atomic_t *stop = runner->options.stop;
    int result = 0;
    gpu_carry_count_from(carry, first_line);
    for (size_t i = 0; i < n && result == 0; i++) {
        if (stop && *stop) result = error_set(err, ERR_INTERRUPTED, "interrupted");
        if (result == 0) result = plan_pool_reserve(runner->pool, jobs[i].launch, 1, err);
        if (result == 0) runner_simulate(runner, &jobs[i], carry);
        if (result == 0 && jobs[i].result.err.code != ERR_NONE) break;
        jobs[i].result.is_done = result == 0;
    }
    gpu_carry_free(carry);
    return result;
}

int runner_run_programs(struct runner *runner, struct run_job *jobs, size_t n, size_t n_programs, struct error *err)
{
    uint64_t first_line;
    int result = n && n_programs ? common_first_line(&first_line, runner, jobs, n, err) : 0;
    if (result == 0 && n) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(runner->options.threads) if (n_programs > 1)
        for (size_t i = 0; i < n_programs; i++) {
            struct error mine;
            if (run_in_order(runner, &jobs[i * n], n, first_line, &mine) < 0) {
#pragma omp critical(runner_state)
                if (result == 0) *err = mine, result = -1;
            }
        }
    }
    plan_pool_trim(runner->pool);
    for (size_t i = 0; i < n_programs && result == 0; i++) run_notes_add_program(&runner->notes, &jobs[i * n], n);
    return result;
}

int runner_run_program(struct runner *runner, struct run_job *jobs, size_t n, struct error *err)
{
    return runner_run_programs(runner, jobs, n, 1, err);
}
