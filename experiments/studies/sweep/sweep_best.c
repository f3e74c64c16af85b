/* The best stack of each launch and configuration, without simulating to the end what provably loses.
 *
 * The core cycles of a run only grow. Once they pass those of a run of the same group (launch, configuration) that
 * is complete, the stack is not the best one, and the run stops: its row says `bound_cycles`, under a key of its
 * own. A stack that ties completes, so the best stack and its cycles are those of the whole grid.
 *
 * Runs go in rounds of 1, 1, 2, 4, 8, ... a group, and a round's bound is the best of the rounds before it: what is
 * simulated is the same at any number of threads and ranks. The first COVER runs spread over the group's stacks in
 * the order of the spec (van der Corput's sequence), later rounds take those next to the best so far, which are the
 * likeliest to tighten the bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/kernel_name.h"
#include "poise/file.h"
#include "poise/sweep.h"

enum { COVER = 8 };
struct group {
    size_t *left, n_left; /* jobs that have not been given out, by index */
    size_t n, done;
    size_t best;     /* job */
    uint64_t cycles; /* its; 0: none is complete yet */
    size_t first;
};

static uint64_t cycles_of(const struct run_job *job)
{
    const struct run_result *r = &job->result;
    if (r->estimate.cycles > 0 && r->err.code == ERR_NONE) return (uint64_t)llround(r->estimate.cycles);
    return r->stats && r->complete && r->err.code == ERR_NONE ? (uint64_t)gpu_stats_value(r->stats, "core_cycles") : 0;
}

/* Of several with the same cycles the first in the spec is the best. */
static void group_take(struct group *g, const struct run_job *jobs, size_t i)
{
    const uint64_t cycles = cycles_of(&jobs[i]);
    if (!cycles || (g->cycles && (cycles > g->cycles || (cycles == g->cycles && i > g->best)))) return;
    g->cycles = cycles;
    g->best = i;
}

/* Jobs of one group stand side by side, also in a shard. */
static size_t find_groups(struct group *groups, size_t *order, const struct run_job *jobs, size_t n, size_t n_stacks)
{
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || jobs[i].index / n_stacks != jobs[i - 1].index / n_stacks)
            groups[n_groups++] = (struct group){.left = order + i, .first = i};
        struct group *g = &groups[n_groups - 1];
        g->left[g->n_left++] = i;
        g->n++;
    }
    return n_groups;
}

static double van_der_corput(size_t i)
{
    double value = 0, part = 0.5;
    for (; i; i >>= 1, part /= 2) value += (double)(i & 1) * part;
    return value;
}

static size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* The next job of a group: the one that is left nearest to where it is wanted, the first of two. */
static size_t group_next(struct group *g, size_t given)
{
    const size_t wanted = g->first + (given < COVER || !g->cycles ? (size_t)(van_der_corput(given + 1) * (double)g->n)
                                                                  : g->best - g->first);
    size_t at = 0;
    for (size_t k = 1; k < g->n_left; k++)
        if (distance(g->left[k], wanted) < distance(g->left[at], wanted)) at = k;
    const size_t job = g->left[at];
    memmove(&g->left[at], &g->left[at + 1], (--g->n_left - at) * sizeof *g->left);
    return job;
}

/* As many as are done, so that a round is about as long as all before it. */
static size_t gather_round(struct group *groups, size_t n_groups, struct run_job *jobs, size_t *round)
{
    size_t n = 0;
    for (size_t i = 0; i < n_groups; i++) {
        struct group *g = &groups[i];
        const size_t wanted = g->done ? g->done : 1;
        for (size_t k = 0; k < wanted && g->n_left; k++) {
            round[n] = group_next(g, g->done + k);
            jobs[round[n++]].bound_cycles = g->cycles;
        }
        g->done = g->n - g->n_left;
    }
    return n;
}

static int run_round(struct runner *runner, const char *what, struct run_job *jobs, const size_t *round,
                     struct run_job *batch, size_t n, struct error *err)
{
    for (size_t k = 0; k < n; k++) batch[k] = jobs[round[k]];
    const int result = runner_run(runner, what, batch, n, err);
    for (size_t k = 0; k < n; k++) jobs[round[k]] = batch[k];
    return result;
}

int sweep_run_best(const struct sweep *sweep, struct runner *runner, struct run_job *jobs, size_t n, struct error *err)
{
    const size_t n_stacks = sweep_n_stacks(sweep);
    struct group *groups = calloc(n + 1, sizeof *groups);
    struct run_job *batch = calloc(n + 1, sizeof *batch);
    size_t *order = calloc(n + 1, sizeof *order), *round = calloc(n + 1, sizeof *round), n_groups = 0, size = 0;
    int result = groups && batch && order && round ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    for (size_t i = 0; i < n && result == 0; i++)
        if (jobs[i].limits.max_insts || jobs[i].limits.early_end > 0)
            result = error_set(err, ERR_USAGE, "--only-best needs whole runs: the spec's limits have %s",
                               jobs[i].limits.max_insts ? "max_insts" : "early_end");
    if (result == 0) n_groups = find_groups(groups, order, jobs, n, n_stacks);
    while (result == 0 && (size = gather_round(groups, n_groups, jobs, round)) > 0) {
        result = run_round(runner, sweep_name(sweep), jobs, round, batch, size, err);
        for (size_t g = 0, k = 0; result == 0 && g < n_groups; g++)
            for (; k < size && round[k] >= groups[g].first && round[k] < groups[g].first + groups[g].n; k++)
                group_take(&groups[g], jobs, round[k]);
    }
    free(groups);
    free(batch);
    free(order);
    free(round);
    return result;
}

int sweep_write_best(const struct sweep *sweep, const struct run_job *jobs, size_t n, const char *path,
                     struct error *err)
{
    char *text = NULL, hash[HASH_TEXT_SIZE];
    size_t size = 0;
    const size_t n_stacks = sweep_n_stacks(sweep), n_configs = sweep_n_configs(sweep);
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    fprintf(out, "kernel,launch,trace,config,mechs,core_cycles\n");
    for (size_t i = 0, end; i < n; i = end) {
        struct group g = {0};
        for (end = i; end < n && jobs[end].index / n_stacks == jobs[i].index / n_stacks; end++)
            group_take(&g, jobs, end);
        if (!g.cycles) continue; /* every run failed or reached a limit */
        const struct run_job *job = &jobs[g.best];
        hash_text(&job->launch->hash, hash);
        char kernel[200];
        csv_print(out, kernel_name(job->launch->kernel, kernel, sizeof kernel));
        csv_next(out, job->launch->label);
        csv_next(out, hash);
        csv_next(out, sweep_config_text(sweep, job->index / n_stacks % n_configs));
        csv_next(out, sweep_stack_text(sweep, job->index % n_stacks));
        fprintf(out, ",%llu\n", (unsigned long long)g.cycles);
    }
    const int result = file_write_stream(path, out, &text, &size, err);
    return result;
}
