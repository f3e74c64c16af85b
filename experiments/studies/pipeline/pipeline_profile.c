/* Measures warp tuples: in rounds, so that each round's points follow from the last one's results and from nothing
 * else. Launches that are not profiled are measured at (W, W) alone, which is GTO; of a sample, later and not all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "studies/pipeline/profile_store.h"

enum { WINDOW_CYCLES = 2 * (2000 + 10000) + 1 }; /* warmup and sampling at both points [THESIS Tab. 5.5] */

static int make_room(struct profile *profile, size_t n, struct error *err)
{
    if (profile->n_runs + n <= profile->cap_runs) return 0;
    const size_t capacity = profile->n_runs + n;
    struct tuple_run *runs = realloc(profile->runs, capacity * sizeof *runs);
    if (runs) profile->runs = runs;
    struct feature_counters *counters = realloc(profile->counters, capacity * sizeof *counters);
    if (counters) profile->counters = counters;
    double *scores = realloc(profile->scores, capacity * sizeof *scores);
    if (scores) profile->scores = scores;
    if (!runs || !counters || !scores) return error_set(err, ERR_MEMORY, "out of memory for %zu points", capacity);
    profile->cap_runs = capacity;
    return 0;
}

/* The points of a round; room for the whole grid. */
static int wanted(const struct pipeline *p, const struct profile *q, int round, struct warp_tuple *out, size_t *n,
                  struct error *err)
{
    const uint32_t W = q->plan.warps_per_scheduler;
    struct profile_point *known;
    *n = 0;
    if (!q->launch->is_profiled) {
        out[0] = (struct warp_tuple){W, W};
        *n = round == 0 && !p->spec->is_sampled;
        return 0;
    }
    if (!(known = calloc(q->n_runs + 1, sizeof *known))) return error_set(err, ERR_MEMORY, "out of memory for points");
    const size_t n_known = round ? profile_points(q, known) : 0;
    const int result = points_want(&p->spec->points, known, n_known, W, out, n, err);
    free(known);
    return result < 0 ? error_while(err, "%s", q->launch->label) : 0;
}

int pipeline_tuple_job(const struct pipeline *p, struct run_job *job, const struct profile *q, struct warp_tuple at,
                       struct error *err)
{
    job->launch = q->launch;
    job->params = p->params;
    job->is_profile = true;
    job->limits.no_skip = p->options->no_skip;
    return run_job_tuple(job, at.N, at.p, err) < 0 ? -1 : pipeline_with(p, job, err);
}

struct asked {
    struct profile *profile;
    struct warp_tuple at;
};

static int gather(struct pipeline *p, int round, struct asked **asked, struct run_job **jobs, size_t *n,
                  struct error *err)
{
    static const uint32_t W_MAX = 64;
    struct warp_tuple *want = calloc(points_grid_size(W_MAX), sizeof *want);
    size_t capacity = 0;
    int result = want ? 0 : error_set(err, ERR_MEMORY, "out of memory for points");
    for (size_t i = 0; i < p->n_profiles && result == 0; i++) {
        struct profile *q = &p->profiles[i];
        if (q->plan.warps_per_scheduler > W_MAX)
            result = error_set(err, ERR_RUN, "%s: %u warps per scheduler", q->launch->label,
                               (unsigned)q->plan.warps_per_scheduler);
        size_t n_want = 0;
        if (result == 0) result = wanted(p, q, round, want, &n_want, err);
        if (*n + n_want > capacity) {
            capacity = 2 * (*n + n_want);
            struct asked *a = realloc(*asked, capacity * sizeof *a);
            if (a) *asked = a;
            struct run_job *j = realloc(*jobs, capacity * sizeof *j);
            if (j) *jobs = j;
            if (!a || !j) result = error_set(err, ERR_MEMORY, "out of memory for %zu runs", capacity);
        }
        for (size_t k = 0; k < n_want && result == 0; k++) {
            (*asked)[*n] = (struct asked){q, want[k]};
            memset(&(*jobs)[*n], 0, sizeof **jobs);
            result = pipeline_tuple_job(p, &(*jobs)[(*n)++], q, want[k], err);
        }
    }
    free(want);
    return result;
}

int profile_add_run(struct profile *q, struct warp_tuple at, const struct gpu_stats *stats, double weight,
                    struct error *err)
{
    if (make_room(q, 1, err) < 0) return -1;
    struct tuple_run *run = &q->runs[q->n_runs];
    struct feature_counters *counters = &q->counters[q->n_runs++];
    *run = (struct tuple_run){.at = at};
    memset(counters, 0, sizeof *counters);
    if (!stats) return 0;
    measure_stats(&run->m, stats);
    run->m = measure_scaled(&run->m, weight);
    gpu_stats_features(stats, counters);
#define C(field, doc) counters->field = (uint64_t)llround(weight * (double)counters->field);
    FEATURE_COUNTERS(C)
#undef C
    return 0;
}

static int take_results(const struct asked *asked, const struct run_job *jobs, size_t n, struct error *err)
{
    for (size_t i = 0; i < n; i++)
        if (profile_add_run(asked[i].profile, asked[i].at, jobs[i].result.stats, 1, err) < 0) return -1;
    return 0;
}

static int one_round(struct pipeline *p, int round, size_t *n, struct error *err)
{
    struct asked *asked = NULL;
    struct run_job *jobs = NULL;
    char what[32];
    *n = 0;
    snprintf(what, sizeof what, round == 0 ? "profiling" : "profiling, round %d", round + 1);
    int result = gather(p, round, &asked, &jobs, n, err);
    if (result == 0) result = run_jobs_shard(p->options->shard, jobs, n, err);
    if (result == 0 && *n) result = pipeline_jobs(p, what, jobs, *n, err);
    if (result == 0 && !p->options->shard) result = take_results(asked, jobs, *n, err);
    for (size_t i = 0; i < *n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    free(asked);
    return result;
}

static int survey(struct pipeline *p, struct error *err)
{
    struct store_plan *plans = calloc(p->n_profiles + 1, sizeof *plans);
    if (!plans) return error_set(err, ERR_MEMORY, "out of memory for %zu plans", p->n_profiles);
    const int result = runner_survey(p->runner, p->launches.items, p->launches.n, p->params, plans, err);
    for (size_t i = 0; i < p->n_profiles; i++) p->profiles[i].plan = plans[i];
    free(plans);
    return result;
}

/* The windows that the engine samples at the start of a profiled launch: it only observes, and the run ends with
 * them. */
static int window_job(struct pipeline *p, struct run_job *job, const struct profile *q, struct error *err)
{
    job->launch = q->launch;
    job->params = p->params;
    job->limits = (struct gpu_limits){.no_skip = p->options->no_skip, .max_cycles = WINDOW_CYCLES};
    job->n_stack = 1;
    return mech_parse(&job->stack[0], "poise,observe=1", err) < 0 ? -1 : pipeline_with(p, job, err);
}

static void take_windows(struct profile *q, const json_t *mechs)
{
    const json_t *stats = json_object_get(json_array_get(mechs, 0), "stats");
#define C(field, doc) \
    q->window_o.field = (uint64_t)json_integer_value(json_object_get(stats, "max_" #field)); \
    q->window_a.field = (uint64_t)json_integer_value(json_object_get(stats, "one_" #field));
    FEATURE_COUNTERS(C)
#undef C
}

static int windows(struct pipeline *p, struct error *err)
{
    struct run_job *jobs = calloc(p->n_profiles + 1, sizeof *jobs);
    size_t n = 0;
    int result = jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", p->n_profiles);
    for (size_t i = 0; i < p->n_profiles && result == 0; i++) {
        if (!p->profiles[i].launch->is_profiled) continue;
        jobs[n].index = i;
        result = window_job(p, &jobs[n++], &p->profiles[i], err);
    }
    if (result == 0) result = pipeline_jobs(p, "feature windows", jobs, n, err);
    for (size_t i = 0; i < n && result == 0; i++) take_windows(&p->profiles[jobs[i].index], jobs[i].result.mechs);
    for (size_t i = 0; i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

/* The spec's tables, one after another: another model's or configuration's is passed over. `each` returns -1 to
 * stop. */
static int each_table(struct pipeline *p,
                      int (*each)(struct pipeline *, const struct profile_table *, size_t, const char *, bool, void *,
                                  struct error *),
                      void *data, struct error *err)
{
    for (size_t i = 0; i < p->n_tables; i++) {
        char folder[600], path[700];
        struct profile_table table;
        lab_profiles(folder, sizeof folder, p->options->paths.configs);
        snprintf(path, sizeof path, "%s/%s", folder, p->spec->profiles[i]);
        if (profile_table_read(&table, path, err) < 0) return -1;
        const bool fits = table.model_version == SIM_MODEL_VERSION && strcmp(table.config_hash, p->config) == 0 &&
                          table.n_with == p->spec->n_with;
        const int result = each(p, &table, i, path, fits, data, err);
        profile_table_fini(&table);
        if (result < 0) return -1;
    }
    return 0;
}

static int take_table(struct pipeline *p, const struct profile_table *table, size_t index, const char *path, bool fits,
                      void *data, struct error *err)
{
    struct profile_count count = {0};
    FILE *out = p->options->runner.progress;
    (void)data;
    if (fits && profile_import(p->store, table, path, &p->options->paths, &p->launches, true, &count, err) < 0)
        return -1;
    if (out && (!fits || count.stale))
        fprintf(out, "%s: %zu of %zu launches are of another model, configuration or trace: simulated here\n",
                p->spec->profiles[index], fits ? count.stale : table->n_launches, table->n_launches);
    return 0;
}

/* What the tables have of these launches. A table of another model, configuration or trace only helps nobody: its
 * points are simulated. */
static int take_tables(struct pipeline *p, struct error *err) { return each_table(p, take_table, NULL, err); }

/* Rounds as pipeline_profile goes, up to the first with a run that is missing. */
static int estimate_round(struct pipeline *p, int round, size_t *n, struct runner_estimate *out, struct error *err)
{
    struct asked *asked = NULL;
    struct run_job *jobs = NULL;
    struct batch *batch = NULL;
    struct runner_estimate e = {0};
    *n = 0;
    int result = gather(p, round, &asked, &jobs, n, err);
    if (result == 0) result = run_jobs_shard(p->options->shard, jobs, n, err);
    if (result == 0 && *n) result = batch_new(&batch, p->runner, jobs, *n, err);
    if (result == 0 && *n) result = batch_estimate(batch, &e, err);
    const bool goes_on = result == 0 && *n && e.missing == 0 && !p->options->shard;
    if (goes_on)
        result = batch_run(batch, "known points", err); /* simulates nothing: launches of one trace get
                                                         * their results */
    if (goes_on && result == 0) result = take_results(asked, jobs, *n, err);
    if (result == 0 && *n) {
        out->runs += e.runs, out->distinct += e.distinct, out->stored += e.stored, out->missing += e.missing;
        out->warp_insts += e.warp_insts, out->cpu_s += e.cpu_s, out->wall_s += e.wall_s;
        out->is_measured = e.is_measured;
        out->threads = e.threads;
    }
    batch_free(batch);
    for (size_t i = 0; i < *n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    free(asked);
    return result;
}

int pipeline_estimate_profile(struct pipeline *p, struct runner_estimate *out, struct error *err)
{
    *out = (struct runner_estimate){0};
    if (take_tables(p, err) < 0 || survey(p, err) < 0) return -1;
    size_t n = 1;
    for (int round = 0; n > 0 && out->missing == 0; round++) {
        if (estimate_round(p, round, &n, out, err) < 0) return -1;
        if (p->options->shard) break;
    }
    return 0;
}

int pipeline_profile(struct pipeline *p, struct error *err)
{
    if (take_tables(p, err) < 0 || survey(p, err) < 0) return -1;
    size_t n = 1;
    for (int round = 0; n > 0; round++) {
        if (one_round(p, round, &n, err) < 0) return -1;
        if (p->options->shard) return 0;
    }
    return p->spec->windows ? windows(p, err) : 0;
}
