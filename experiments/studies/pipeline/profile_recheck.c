/* Does a change of the simulator touch a table of profiles? A seeded part of its rows is simulated again; where all
 * of them come out as they stand there, the table is of today's model version. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/pipeline.h"
#include "poise/validate.h"
#include "studies/pipeline/profile_store.h"

struct drawn {
    struct run_job *jobs;
    size_t *rows;
    size_t n;
};

static void drawn_fini(struct drawn *d)
{
    for (size_t i = 0; i < d->n; i++) run_job_fini(&d->jobs[i]);
    free(d->jobs);
    free(d->rows);
}

/* The rows of one launch that are simulated again: drawn by the seed and the trace, so that another table of the
 * launch has the same. */
static size_t draw_rows(const struct profile_launch *l, double share, uint64_t seed, size_t *out)
{
    struct random random = {seed ^ hash_checksum(l->trace, sizeof l->trace)};
    const size_t wanted = (size_t)ceil(share * (double)l->n);
    const size_t n = wanted > PROFILE_RECHECK_LEAST ? wanted : PROFILE_RECHECK_LEAST;
    for (size_t i = 0; i < l->n; i++) out[i] = l->first + i;
    random_shuffle(&random, out, l->n);
    return n < l->n ? n : l->n;
}

static int draw_jobs(struct drawn *out, const struct profile_table *t, const char *name,
                     const struct launches *launches, const struct gpu_params *params, double share, uint64_t seed,
                     struct error *err)
{
    size_t *const order = calloc(t->n_rows + 1, sizeof *order);
    out->jobs = calloc(t->n_rows + 1, sizeof *out->jobs);
    out->rows = calloc(t->n_rows + 1, sizeof *out->rows);
    int result = order && out->jobs && out->rows
                     ? 0
                     : error_set(err, ERR_MEMORY, "%s: out of memory for %zu runs", name, t->n_rows);
    for (size_t i = 0; i < t->n_launches && result == 0; i++) {
        const struct profile_launch *l = &t->launches[i];
        const struct launch *launch = profile_find_launch(launches, l);
        result = profile_check_trace(l, launch, name, err);
        const size_t n = result == 0 ? draw_rows(l, share, seed, order) : 0;
        for (size_t r = 0; r < n && result == 0; r++) {
            struct run_job *job = &out->jobs[out->n];
            result = profile_job(job, launch, params, t->rows[order[r]].at, t, err);
            out->rows[out->n++] = order[r]; /* also of a job that failed half way: it is freed with the others */
        }
    }
    free(order);
    return result;
}

static const struct profile_launch *launch_of(const struct profile_table *t, size_t row)
{
    size_t l = 0;
    while (row >= t->launches[l].first + t->launches[l].n) l++;
    return &t->launches[l];
}

/* Every counter that the table has of this row, against the run. */
static int compare(const struct profile_table *t, size_t row, const struct run_job *job, const char *name,
                   struct error *err)
{
    const struct profile_launch *l = launch_of(t, row);
    const struct warp_tuple at = t->rows[row].at;
    if (job->result.err.code != ERR_NONE) {
        *err = job->result.err;
        return error_while(err, "%s: %s, launch %u at (%u, %u)", name, l->workload, l->index, at.N, at.p);
    }
    for (size_t c = 0; c < t->n_counters; c++) {
        const uint64_t now = stats_get(t->counters[c], job->result.stats), then = t->values[row * t->n_counters + c];
        if (now == then) continue;
        error_set(err, ERR_INPUT,
                  "%s: %s, launch %u at (%u, %u): %s was %llu in model version %d and is %llu in version %d", name,
                  l->workload, l->index, at.N, at.p, t->counters[c]->name, (unsigned long long)then, t->model_version,
                  (unsigned long long)now, SIM_MODEL_VERSION);
        return error_at(
            err, name, 2, -1,
            "this table has to be made again: 'poise run SPEC --points all', then 'poise profile export SPEC'");
    }
    return 0;
}

int profile_recheck(struct profile_table *t, const char *name, const struct lab_paths *paths,
                    const struct launches *launches, const struct runner_options *options, double share, uint64_t seed,
                    size_t *n_checked, struct error *err)
{
    struct drawn drawn = {0};
    struct runner *runner = NULL;
    struct gpu_params *params = gpu_params_new();
    char hash[HASH_TEXT_SIZE];
    *n_checked = 0;
    int result = params ? profile_machine(params, t, name, paths, err)
                        : error_set(err, ERR_MEMORY, "%s: out of memory for a configuration", name);
    if (result == 0) result = config_hash(params, hash, NULL, err);
    if (result == 0) result = draw_jobs(&drawn, t, name, launches, params, share, seed, err);
    if (result == 0) result = runner_new(&runner, NULL, options, err);
    if (result == 0) result = runner_run(runner, name, drawn.jobs, drawn.n, err);
    for (size_t i = 0; i < drawn.n && result == 0; i++, (*n_checked)++)
        result = compare(t, drawn.rows[i], &drawn.jobs[i], name, err);
    if (result == 0) {
        t->model_version = SIM_MODEL_VERSION;
        memcpy(t->config_hash, hash, sizeof hash);
    }
    runner_free(runner);
    drawn_fini(&drawn);
    gpu_params_free(params);
    return result;
}
