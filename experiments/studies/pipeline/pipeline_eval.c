/* Runs the hardware inference engine with the model, and turns runs into the figures of each benchmark. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/lab.h"

json_t *pipeline_errors(const struct pipeline *p, bool is_beside)
{
    double sum[2][2] = {{0}};
    json_int_t n = 0;
    for (size_t i = p->n_training; i < p->n_profiles; i++) {
        const struct profile *q = &p->profiles[i];
        const uint32_t W = q->plan.warps_per_scheduler, scale = p->spec->dataset.scale;
        if (!q->launch->is_profiled || q->target >= q->n_runs) continue;
        const struct warp_tuple t = q->runs[q->target].at;
        const double target[2] = {warps_scale(t.N, W, scale), warps_scale(t.p, W, scale)};
        const double guess[2] = {warps_scale(is_beside ? q->beside.N : q->predicted_N, W, scale),
                                 warps_scale(is_beside ? q->beside.p : q->predicted_p, W, scale)};
        for (int k = 0; k < 2; k++) {
            sum[k][0] += fabs(guess[k] - target[k]) / target[k];
            sum[k][1] += fabs(guess[k] - target[k]) / warps_range(scale, W);
        }
        n++;
    }
    const double each = n ? 1.0 / (double)n : 0;
    return json_pack("{s:I,s:{s:o,s:o},s:{s:o,s:o}}", "launches", n, "N", "over_target", json_figure(sum[0][0] * each),
                     "over_scale", json_figure(sum[0][1] * each), "p", "over_target", json_figure(sum[1][0] * each),
                     "over_scale", json_figure(sum[1][1] * each));
}

int pipeline_engine_job(const struct pipeline *p, const struct profile *q, struct run_job *job, struct error *err)
{
    const struct mech_type *type = mech_find("poise");
    job->launch = q->launch;
    job->params = p->params;
    job->limits.no_skip = p->options->no_skip;
    if (!type) return error_set(err, ERR_RUN, "this build has no mechanism 'poise'");
    if (mech_new(&job->stack[0], type, err) < 0) return -1;
    job->n_stack = 1;
    return mech_set(&job->stack[0], "model", p->model_path, err) < 0 ? -1 : pipeline_with(p, job, err);
}

void pipeline_take_engine(struct profile *q, const struct run_result *result, double weight)
{
    struct tuples_run tuples;
    measure_stats(&q->poise, result->stats);
    q->poise = measure_scaled(&q->poise, weight);
    tuples_run_of(&tuples, result->mechs);
    tuples_run_add(&q->poise_tuples, &tuples, weight);
}

static int run_engine(struct pipeline *p, struct error *err)
{
    const size_t n = p->n_profiles - p->n_training;
    struct run_job *jobs = calloc(n + 1, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    int result = 0;
    size_t n_jobs = 0;
    for (size_t i = 0; i < n && result == 0; i++)
        result = pipeline_engine_job(p, &p->profiles[p->n_training + i], &jobs[n_jobs++], err);
    if (result == 0) result = pipeline_jobs(p, "Poise", jobs, n, err);
    for (size_t i = 0; i < n && result == 0; i++)
        pipeline_take_engine(&p->profiles[p->n_training + i], &jobs[i].result, 1);
    for (size_t i = 0; i < n_jobs; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

int pipeline_total(struct benchmark *b, struct error *err)
{
    struct launch_runs *launches = calloc(b->n, sizeof *launches);
    if (!launches) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", b->n);
    for (size_t i = 0; i < b->n; i++) {
        const struct profile *q = &b->profiles[i];
        const uint32_t W = q->plan.warps_per_scheduler;
        const struct tuple_run *gto = profile_at(q, W, W, NULL); /* of a sample it may still be missing */
        launches[i] = (struct launch_runs){.W = W, .gto = gto ? gto->m : (struct measure){0}, .poise = q->poise};
        tuples_run_add(&b->tuples, &q->poise_tuples, 1);
        if (!q->launch->is_profiled) continue;
        launches[i].points = q->runs;
        launches[i].n_points = q->n_runs;
    }
    policy_totals(launches, b->n, b->totals);
    tuples_run_means(&b->tuples, &b->totals[POLICY_poise].N, &b->totals[POLICY_poise].p);
    free(launches);
    return 0;
}

int pipeline_write_model(struct pipeline *p, struct error *err)
{
    /* The model file says how well it predicts unseen kernels; it is the engine's input, so it is written first. */
    p->validation = pipeline_errors(p, false);
    return model_write(&p->model, p->training, p->validation, p->model_path, err);
}

int pipeline_evaluate(struct pipeline *p, struct error *err)
{
    if (pipeline_write_model(p, err) < 0 || run_engine(p, err) < 0) return -1;
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
        if (pipeline_total(&p->benchmarks[i], err) < 0) return -1;
    return contenders_run(p, err);
}
