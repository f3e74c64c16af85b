/* The machine of a pipeline and the runs on it, which the stages that simulate share. */
#include <stdlib.h>
#include <string.h>
#include "poise/suite.h"
#include "studies/pipeline/pipeline_internal.h"

static int remember(struct pipeline *p, const struct run_job *job, struct error *err)
{
    if (p->n_unique == p->cap_unique) {
        const size_t capacity = p->cap_unique ? 2 * p->cap_unique : 1024;
        struct unique_run *unique = realloc(p->unique, capacity * sizeof *unique);
        if (!unique) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", capacity);
        p->unique = unique;
        p->cap_unique = capacity;
    }
    struct measure m;
    measure_stats(&m, job->result.stats);
    p->unique[p->n_unique++] = (struct unique_run){job->key, m.warp_insts, m.line_requests};
    return 0;
}

int pipeline_with(const struct pipeline *p, struct run_job *job, struct error *err)
{
    for (size_t i = 0; i < p->spec->n_with; i++, job->n_stack++)
        if (mech_parse(&job->stack[job->n_stack], p->spec->with[i], err) < 0) return -1;
    return 0;
}

int pipeline_take_jobs(struct pipeline *p, const struct run_job *jobs, size_t n, struct error *err)
{
    size_t failed = 0;
    const struct run_job *first = NULL;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].result.err.code != ERR_NONE && failed++ == 0) first = &jobs[i];
    if (first) {
        *err = first->result.err;
        return error_while(err, "%zu of %zu runs failed; the first, %s", failed, n, first->launch->label);
    }
    for (size_t i = 0; i < n; i++) {
        if (!jobs[i].result.stats) continue;
        if (!jobs[i].result.complete && !jobs[i].limits.max_cycles)
            return error_set(err, ERR_LIMIT, "%s: this run ended before the kernel did", jobs[i].launch->label);
        if (remember(p, &jobs[i], err) < 0) return -1;
    }
    return 0;
}

int pipeline_jobs(struct pipeline *p, const char *what, struct run_job *jobs, size_t n, struct error *err)
{
    return runner_run(p->runner, what, jobs, n, err) < 0 ? -1 : pipeline_take_jobs(p, jobs, n, err);
}

int pipeline_machine(struct pipeline *p, struct error *err)
{
    const struct pipeline_spec *s = p->spec;
    const bool is_whole = s->points.kind == POINTS_ALL;
    p->n_groups = s->n_training + (is_whole ? s->n_whole_training : 0);
    p->n_tables = s->n_profiles + (is_whole ? s->n_whole_profiles : 0);
    if (registry_load(&p->registry, p->options->paths.kernels, err) < 0 ||
        suite_cast_apply(p->options->paths.cast, &p->registry, err) < 0)
        return -1;
    if (!(p->params = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (gpu_params_load(p->params, s->config, p->options->paths.configs, err) < 0) return -1;
    for (size_t i = 0; i < s->n_set; i++)
        if (gpu_params_set(p->params, s->set[i][0], s->set[i][1], err) < 0) return error_while(err, "set");
    return gpu_params_check(p->params, err) < 0 ? -1 : config_hash(p->params, p->config, NULL, err);
}

void pipeline_fini(struct pipeline *p)
{
    for (size_t i = 0; i < p->n_profiles; i++) {
        free(p->profiles[i].runs);
        free(p->profiles[i].counters);
        free(p->profiles[i].scores);
    }
    for (size_t i = 0; i < p->n_benchmarks; i++)
        for (size_t c = 0; c < CONTENDERS_MAX; c++) json_decref(p->benchmarks[i].stats[c]);
    free(p->profiles);
    free(p->benchmarks);
    free(p->unique);
    launches_fini(&p->launches);
    registry_fini(&p->registry);
    gpu_params_free(p->params);
    dataset_fini(&p->dataset);
    json_decref(p->fit_N);
    json_decref(p->fit_p);
    json_decref(p->training);
    json_decref(p->validation);
    json_decref(p->response);
}
