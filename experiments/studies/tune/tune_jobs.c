/* The runs of a point, or of the baseline: its machine and its stack on every launch of a set. */
#include <math.h>
#include <stdlib.h>
#include "studies/tune/tune_internal.h"

int tune_jobs_new(struct tune_jobs *l, const struct tune_set *set, size_t n_points, struct error *err)
{
    *l = (struct tune_jobs){.jobs = calloc(n_points * set->launches.n + 1, sizeof *l->jobs),
                            .params = calloc(n_points + 1, sizeof *l->params)};
    return l->jobs && l->params ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu points", n_points);
}

void tune_jobs_fini(struct tune_jobs *l)
{
    for (size_t i = 0; l->jobs && i < l->n; i++) run_job_fini(&l->jobs[i]);
    for (size_t i = 0; l->params && i < l->n_params; i++) gpu_params_free(l->params[i]);
    free(l->jobs);
    free(l->params);
}

/* The first part of a launch: a share of the cycles that the baseline takes for all of it. */
static struct gpu_limits limits_of(const struct tune *t, const struct tune_set *set, size_t launch, unsigned rung)
{
    struct gpu_limits limits = t->limits;
    if (rung == 0) return limits;
    const double share = gpu_stats_value(set->base[0][launch].result.stats, "core_cycles") / pow(TUNE_ETA, rung);
    const uint64_t cycles = share < 500 ? 500 : (uint64_t)share;
    if (limits.max_cycles == 0 || cycles < limits.max_cycles) limits.max_cycles = cycles;
    return limits;
}

/* What a parameter is set to there; NULL: it does not exist, or keeps its own value. */
static const char *value_at(const struct tune *t, const struct tune_place *at, size_t axis)
{
    if (at->values) return at->values[axis];
    return tune_exists(t, *at->point, axis) ? axes_value(&t->axes, *at->point, axis) : NULL;
}

/* The machine of a point. Owned by the list. */
static struct gpu_params *add_machine(struct tune *t, struct tune_jobs *l, const struct tune_place *at,
                                      struct error *err)
{
    struct gpu_params *params = gpu_params_copy(t->params);
    if (!params) {
        error_set(err, ERR_MEMORY, "out of memory for a configuration");
        return NULL;
    }
    l->params[l->n_params++] = params;
    for (size_t a = 0; a < t->axes.n; a++) {
        const char *value = t->target[a] < 0 ? value_at(t, at, a) : NULL;
        if (value && gpu_params_set(params, t->key[a], value, err) < 0) return NULL;
    }
    return params;
}

/* Mechanisms that the point leaves out go; without any the baseline runs. */
static int leave_out(const struct tune *t, size_t point, struct run_job *job, struct error *err)
{
    unsigned n = 0;
    for (unsigned k = 0; k < job->n_stack; k++)
        if (tune_has_mech(t, point, k)) job->stack[n++] = job->stack[k];
        else mech_free(&job->stack[k]);
    job->n_stack = n;
    return n ? 0 : stack_copy(job->stack, &job->n_stack, &t->baseline, 1, err);
}

/* The stack at a point on every launch of the set. */
int tune_jobs_add(struct tune *t, const struct tune_set *set, struct tune_jobs *l, const struct tune_place *at,
                  unsigned rung, struct error *err)
{
    struct gpu_params *params = add_machine(t, l, at, err);
    if (!params) return -1;
    for (size_t i = 0; i < set->launches.n; i++) {
        struct run_job *job = &l->jobs[l->n++];
        job->launch = &set->launches.items[i];
        job->params = params;
        job->limits = limits_of(t, set, i, rung);
        if (stack_copy(job->stack, &job->n_stack, t->stack, t->n_stack, err) < 0) return -1;
        for (size_t a = 0; a < t->axes.n; a++) {
            const char *value = t->target[a] >= 0 && !tune_is_optional(t, a) ? value_at(t, at, a) : NULL;
            if (value && mech_set(&job->stack[t->target[a]], t->key[a], value, err) < 0) return -1;
        }
        if (tune_set_swl(t, set, i, job->stack, err) < 0 || (!at->values && leave_out(t, *at->point, job, err) < 0))
            return -1;
    }
    return 0;
}

int tune_jobs_add_baseline(struct tune *t, const struct tune_set *set, struct tune_jobs *l,
                           const struct gpu_params *machine, unsigned rung, struct error *err)
{
    for (size_t i = 0; i < set->launches.n; i++) {
        struct run_job *job = &l->jobs[l->n++];
        job->launch = &set->launches.items[i];
        job->params = machine;
        job->limits = limits_of(t, set, i, rung);
        if (stack_copy(job->stack, &job->n_stack, &t->baseline, 1, err) < 0) return -1;
    }
    return 0;
}
