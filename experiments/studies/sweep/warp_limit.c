#include "studies/sweep/warp_limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t tried[] = {1, 2, 3, 4, 6, 8, 12, 24};

int warp_limit_parse(struct mech_spec *out, char key[WARP_LIMIT_KEY], const char *text, struct error *err)
{
    static const char word[] = "=@swl";
    char plain[512];
    const char *at = strstr(text, word), *from = at;
    *key = '\0';
    if (!at) return mech_parse(out, text, err);
    while (from > text && from[-1] != ',') from--;
    const char *after = at + sizeof word - 1;
    const size_t before = from > text ? (size_t)(from - 1 - text) : 0, length = (size_t)(at - from);
    if (before == 0 || length == 0 || length >= WARP_LIMIT_KEY || (*after && *after != ','))
        return error_set(err, ERR_INPUT, "'%s': @swl stands for the value of one parameter, as in pcal,N=@swl", text);
    if ((size_t)snprintf(plain, sizeof plain, "%.*s%s", (int)before, text, after) >= sizeof plain)
        return error_set(err, ERR_INPUT, "'%.40s...' is too long", text);
    if (mech_parse(out, plain, err) < 0) return -1;
    memcpy(key, from, length);
    key[length] = '\0';
    if (mech_set(out, key, "1", err) == 0) return 0;
    mech_free(out);
    return -1;
}

static int make_job(struct run_job *job, const struct launch *launch, const struct gpu_params *params,
                    const struct gpu_limits *limits, uint32_t limit, struct error *err)
{
    char text[32];
    job->launch = launch;
    job->params = params;
    job->limits = *limits;
    snprintf(text, sizeof text, "swl,N=%u", (unsigned)limit);
    if (mech_parse(&job->stack[0], text, err) < 0) return -1;
    job->n_stack = 1;
    return 0;
}

/* Jobs are by limit, then by launch. Runs that a limit on cycles ended are compared by what they executed. */
static uint32_t best_of(const struct launches *launches, const struct run_job *jobs, size_t i)
{
    double least = INFINITY;
    uint32_t best = tried[COUNT_OF(tried) - 1];
    for (size_t k = 0; k < COUNT_OF(tried); k++) {
        double cycles = 0, insts = 0;
        for (size_t j = 0; j < launches->n; j++) {
            const struct gpu_stats *stats = jobs[k * launches->n + j].result.stats;
            if (!is_same_benchmark(&launches->items[i], &launches->items[j])) continue;
            cycles += gpu_stats_value(stats, "core_cycles");
            insts += gpu_stats_value(stats, "warp_insts");
        }
        if (cycles / insts < least) least = cycles / insts, best = tried[k];
    }
    return best;
}

int warp_limits_find(uint32_t *out, struct runner *runner, const char *what, const struct launches *launches,
                     const struct gpu_params *params, const struct gpu_limits *limits, size_t *runs, struct error *err)
{
    const size_t n = launches->n;
    struct run_job *jobs = calloc(n * COUNT_OF(tried) + 1, sizeof *jobs);
    int result = jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for warp limits");
    size_t n_jobs = 0;
    for (size_t k = 0; k < COUNT_OF(tried) && result == 0; k++)
        for (size_t i = 0; i < n && result == 0; i++)
            result = make_job(&jobs[n_jobs++], &launches->items[i], params, limits, tried[k], err);
    *runs += n_jobs;
    if (result == 0) result = runner_run(runner, what, jobs, n_jobs, err);
    for (size_t i = 0; i < n_jobs && result == 0; i++)
        if (jobs[i].result.err.code != ERR_NONE) {
            *err = jobs[i].result.err;
            result = error_while(err, "a warp limit on %s", jobs[i].launch->label);
        }
    for (size_t i = 0; i < n && result == 0; i++) out[i] = best_of(launches, jobs, i);
    for (size_t i = 0; i < n_jobs; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

int warp_limit_set(struct mech_spec *stack, const char keys[][WARP_LIMIT_KEY], unsigned n, uint32_t limit,
                   struct error *err)
{
    char text[16];
    snprintf(text, sizeof text, "%u", (unsigned)limit);
    for (unsigned k = 0; k < n; k++)
        if (keys[k][0] && mech_set(&stack[k], keys[k], text, err) < 0) return -1;
    return 0;
}
