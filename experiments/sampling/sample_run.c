/* Simulates what is drawn, and draws until the intervals are narrow enough. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "sampling/sample_internal.h"

static const struct error *failure_of(const struct program_sample *s, const struct run_job *jobs)
{
    for (size_t i = 0; i < s->n; i++)
        if (jobs[i].result.is_done && jobs[i].result.err.code != ERR_NONE) return &jobs[i].result.err;
    return NULL;
}

/* Launches that begin cold: ordinary runs. */
static int run_cold(struct program_sample *s, const char *what, struct run_job **wanted, size_t n, struct error *err)
{
    struct run_job *jobs = calloc(n + 1, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    for (size_t i = 0; i < n; i++) jobs[i] = *wanted[i];
    const int result = runner_run(s->runner, what, jobs, n, err);
    for (size_t i = 0; i < n; i++) *wanted[i] = jobs[i];
    free(jobs);
    return result;
}

/* Launches that find L2 as those before left it; no runs of their launches alone, so the store has no part in them. */
static int run_warm(struct program_sample *s, const struct run_job *jobs, struct run_job **wanted, size_t n,
                    struct error *err)
{
    bool *is_wanted = calloc(s->n + 1, sizeof *is_wanted);
    struct gpu_carry **carries = calloc(s->n + 1, sizeof *carries);
    int result = is_wanted && carries ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", s->n);
    const volatile sig_atomic_t *stop = s->runner->options.stop;
    for (size_t i = 0; i < n && result == 0; i++) is_wanted[(size_t)(wanted[i] - jobs) % s->n] = true;
    if (result == 0) result = sample_warm(s, is_wanted, carries, err);
    if (result == 0) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->runner->options.threads)
        for (size_t i = 0; i < n; i++) {
            struct run_job *job = wanted[i];
            struct gpu_carry *mine = gpu_carry_copy(carries[(size_t)(job - jobs) % s->n]);
            if (stop && *stop) {
                gpu_carry_free(mine);
                continue;
            }
            if (!mine) error_set(&job->result.err, ERR_MEMORY, "out of memory for the L2 that a launch finds");
            else if (plan_pool_reserve(s->runner->pool, job->launch, 1, &job->result.err) == 0)
                runner_simulate(s->runner, job, mine);
            job->result.is_done = true;
            gpu_carry_free(mine);
        }
    }
    if (result == 0 && stop && *stop) result = error_set(err, ERR_INTERRUPTED, "interrupted");
    for (size_t i = 0; carries && i < s->n; i++) gpu_carry_free(carries[i]);
    free(carries);
    free(is_wanted);
    return result;
}

/* Whatever is drawn and has no result yet; a policy that has failed somewhere is left alone. */
static int simulate(struct program_sample *s, const char *what, struct run_job *jobs, size_t n_policies,
                    struct error *err)
{
    struct run_job **wanted = calloc(s->n_units * n_policies + 1, sizeof *wanted);
    size_t n = 0;
    if (!wanted) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", s->n);
    for (size_t k = 0; k < n_policies; k++) {
        if (failure_of(s, &jobs[k * s->n])) continue;
        for (size_t u = 0; u < s->n_units; u++) {
            struct run_job *job = &jobs[k * s->n + s->units[u].first];
            if (!sample_unit_is_drawn(s, u)) continue;
            if (job->limits.sample > s->units[u].part && s->units[u].part > 0) run_result_fini(&job->result);
            if (job->result.is_done) continue;
            job->limits.sample = s->units[u].part;
            wanted[n++] = job;
        }
    }
    const int result = s->options.carry ? run_warm(s, jobs, wanted, n, err) : run_cold(s, what, wanted, n, err);
    free(wanted);
    return result;
}

static void fill_cycles(const struct program_sample *s, const struct run_job *jobs, double *out)
{
    for (size_t u = 0; u < s->n_units; u++) {
        const struct run_result *r = &jobs[s->units[u].first].result;
        out[u] =
            r->stats && sample_unit_is_drawn(s, u) ? s->units[u].weight * gpu_stats_value(r->stats, "core_cycles") : 0;
    }
}

/* With nothing left to estimate, launches that find L2 as those before left it run in order, as they do without a
 * sample. */
static int run_whole(struct program_sample *s, struct run_job *jobs, size_t n_policies, struct error *err)
{
    for (size_t k = 0; k < n_policies; k++) {
        if (failure_of(s, &jobs[k * s->n])) continue;
        for (size_t i = 0; i < s->n; i++) run_result_fini(&jobs[k * s->n + i].result);
        if (runner_run_program(s->runner, &jobs[k * s->n], s->n, err) < 0) return -1;
    }
    return 0;
}

/* Who stops where an interval is narrow stops a little too often where it is narrow by chance; and what launches that
 * are simulated in part add, of half of the error at most, joins it. */
static const double STOPS_AT = 0.9, STOPS_AT_WITH_PARTS = 0.75;

static double stops_at(const struct program_sample *s)
{
    return (s->has_parts ? STOPS_AT_WITH_PARTS : STOPS_AT) * s->options.error;
}

/* For the total of the first policy and the speedup of each other. */
static size_t draw_more(struct program_sample *s, const struct run_job *jobs, size_t n_policies)
{
    struct stratified before = s->drawn; /* all quantities decide by what has been simulated */
    size_t *most = malloc((s->strata.n_strata + 1) * sizeof *most), added = 0;
    size_t *drawn = malloc((s->strata.n_strata + 1) * sizeof *drawn);
    const size_t bytes = s->strata.n_strata * sizeof *drawn;
    if (most && drawn) {
        memcpy(most, s->drawn.drawn, bytes);
        fill_cycles(s, jobs, s->above);
        for (size_t k = 0; k < n_policies; k++) {
            if (failure_of(s, &jobs[k * s->n])) continue;
            memcpy(drawn, s->drawn.drawn, bytes);
            before.drawn = drawn;
            if (k) fill_cycles(s, &jobs[k * s->n], s->below);
            stratified_draw_more(&before, s->above, k ? s->below : NULL, stops_at(s));
            for (size_t h = 0; h < s->strata.n_strata; h++)
                if (drawn[h] > most[h]) added += drawn[h] - most[h], most[h] = drawn[h];
        }
        memcpy(s->drawn.drawn, most, bytes);
    }
    free(drawn);
    free(most);
    return added;
}

/* Little is saved where most has been simulated. */
static bool take_rest(struct program_sample *s)
{
    uint64_t done = 0, all = 0;
    for (size_t u = 0; u < s->n_units; u++) {
        all += s->counts[u].insts;
        if (sample_unit_is_drawn(s, u)) done += s->counts[u].insts;
    }
    if (stratified_is_whole(&s->drawn) || 4 * done <= 3 * all) return false;
    stratified_draw(&s->drawn, s->n_units);
    return true;
}

static int check_stacks(const struct program_sample *s, const struct run_job *jobs, size_t n_policies,
                        struct error *err)
{
    for (size_t k = 0; k < n_policies && s->options.carry; k++)
        for (unsigned m = 0; s->n && m < jobs[k * s->n].n_stack; m++)
            if (mech_carries(jobs[k * s->n].stack[m].type))
                return error_set(err, ERR_USAGE,
                                 "%s keeps what it knows from launch to launch, which a sample of launches does not "
                                 "have: leave out --sample or --carry-l2",
                                 mech_name(jobs[k * s->n].stack[m].type));
    return 0;
}

uint64_t sample_insts_of(const struct program_sample *s, const struct run_job *jobs, size_t u)
{
    const json_t *part = run_result_sampled(&jobs[s->units[u].first].result);
    return part ? (uint64_t)json_integer_value(json_object_get(json_object_get(part, "params"), "warp_insts"))
                : s->counts[u].insts;
}

int program_sample_run(struct program_sample *s, const char *what, struct run_job *jobs, size_t n_policies,
                       struct error *err)
{
    if (check_stacks(s, jobs, n_policies, err) < 0) return -1;
    stratified_begin(&s->drawn, s->is_coarse ? 2 : STRATIFIED_FIRST, s->is_coarse ? 0 : STRATIFIED_FREEDOM);
    do {
        if (stratified_is_whole(&s->drawn) && s->options.carry) {
            if (run_whole(s, jobs, n_policies, err) < 0) return -1;
            break;
        }
        if (simulate(s, what, jobs, n_policies, err) < 0) return -1;
    } while (draw_more(s, jobs, n_policies) || take_rest(s));
    plan_pool_trim(s->runner->pool);
    s->work.is_whole = stratified_is_whole(&s->drawn) && !s->has_parts;
    s->work.simulated = stratified_drawn(&s->drawn);
    s->work.warp_insts_simulated = 0;
    for (size_t u = 0; u < s->n_units; u++)
        if (sample_unit_is_drawn(s, u)) s->work.warp_insts_simulated += sample_insts_of(s, jobs, u);
    return 0;
}
