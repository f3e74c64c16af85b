/* SWL's warp limit for mechanisms that start from it, as an offline profile finds it: for each benchmark the limit
 * with which its launches take the fewest cycles together.
 * [THESIS §5.7.3] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "studies/tune/tune_internal.h"

static const uint32_t limits[] = {1, 2, 3, 4, 6, 8, 12, 24};

int tune_parse_mech(struct mech_spec *out, char key[32], const char *text, struct error *err)
{
    static const char word[] = "=@swl";
    char plain[512];
    const char *at = strstr(text, word), *from = at;
    *key = '\0';
    if (!at) return mech_parse(out, text, err);
    while (from > text && from[-1] != ',') from--;
    const char *after = at + sizeof word - 1;
    const size_t before = from > text ? (size_t)(from - 1 - text) : 0, length = (size_t)(at - from);
    if (before == 0 || length == 0 || length >= 32 || (*after && *after != ','))
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

static bool asks(const struct tune *t)
{
    for (unsigned k = 0; k < t->n_stack; k++)
        if (t->swl_key[k][0]) return true;
    return false;
}

static int add_job(const struct tune *t, struct run_job *job, const struct launch *launch, uint32_t limit,
                   struct error *err)
{
    char text[32];
    job->launch = launch;
    job->params = t->params;
    job->limits = t->limits;
    snprintf(text, sizeof text, "swl,N=%u", (unsigned)limit);
    if (mech_parse(&job->stack[0], text, err) < 0) return -1;
    job->n_stack = 1;
    return 0;
}

/* The limit with the fewest cycles over the launches of i's benchmark; jobs are by limit, then by launch. Ties go to
 * the smaller. */
static uint32_t best_limit(const struct tune_set *set, const struct run_job *jobs, size_t i)
{
    double least = INFINITY;
    uint32_t best = limits[COUNT_OF(limits) - 1];
    for (size_t k = 0; k < COUNT_OF(limits); k++) {
        double cycles = 0;
        for (size_t j = 0; j < set->launches.n; j++)
            if (tune_same_benchmark(&set->launches.items[i], &set->launches.items[j]))
                cycles += gpu_stats_value(jobs[k * set->launches.n + j].result.stats, "core_cycles");
        if (cycles < least) least = cycles, best = limits[k];
    }
    return best;
}

int tune_need_swl(struct tune *t, struct tune_set *set, struct error *err)
{
    const size_t n = set->launches.n;
    if (set->swl || !asks(t)) return 0;
    struct run_job *jobs = calloc(n * COUNT_OF(limits), sizeof *jobs);
    uint32_t *best = calloc(n, sizeof *best);
    int result = jobs && best ? 0 : error_set(err, ERR_MEMORY, "out of memory for warp limits");
    size_t n_jobs = 0;
    for (size_t k = 0; k < COUNT_OF(limits) && result == 0; k++)
        for (size_t i = 0; i < n && result == 0; i++)
            result = add_job(t, &jobs[n_jobs++], &set->launches.items[i], limits[k], err);
    t->runs += n_jobs;
    if (result == 0) result = runner_run(t->runner, t->name, jobs, n_jobs, err);
    for (size_t i = 0; i < n_jobs && result == 0; i++)
        if (jobs[i].result.err.code != ERR_NONE) {
            *err = jobs[i].result.err;
            result = error_while(err, "a warp limit on %s", jobs[i].launch->label);
        }
    for (size_t i = 0; i < n && result == 0; i++) best[i] = best_limit(set, jobs, i);
    for (size_t i = 0; i < n_jobs; i++) run_job_fini(&jobs[i]);
    free(jobs);
    if (result == 0) set->swl = best;
    else free(best);
    return result;
}

int tune_set_swl(const struct tune *t, const struct tune_set *set, size_t launch, struct mech_spec *stack,
                 struct error *err)
{
    char text[16];
    for (unsigned k = 0; k < t->n_stack; k++) {
        if (!t->swl_key[k][0]) continue;
        snprintf(text, sizeof text, "%u", (unsigned)set->swl[launch]);
        if (mech_set(&stack[k], t->swl_key[k], text, err) < 0) return -1;
    }
    return 0;
}
