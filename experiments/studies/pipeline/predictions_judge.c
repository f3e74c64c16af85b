/* What given warp tuples are worth: each launch is run with its own, beside GTO, Static-Best, SWL and constants, as
 * policies of the main job are. Intervals are drawn over families of benchmarks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "poise/predictions.h"
#include "poise/validate.h"
#include "studies/pipeline/pipeline_internal.h"

/* Policies that are one tuple a launch: these are simulated, and may be Static-Best's as well. */
enum { GIVEN, CONSTANT_1, CONSTANT_2, CONSTANT_OTHERS, CONSTANT_BEST, N_GIVEN };
/* Of all policies, in the order of the answer: gto, those, static_best, swl, then --mech. */
enum { GTO = N_GIVEN, STATIC_BEST, SWL, MECHS };
enum { JUDGED_MAX = MECHS + 16 };
static const char *const names[MECHS] = {"predictions",   "constant_1", "constant_2",  "constant_others",
                                         "constant_best", "gto",        "static_best", "swl"};
static const int shown_order[MECHS] = {GTO,        GIVEN,      STATIC_BEST,     SWL,
                                       CONSTANT_1, CONSTANT_2, CONSTANT_OTHERS, CONSTANT_BEST};

struct judged {
    struct pipeline p;
    const struct predictions *predictions;
    const struct judge_options *options;
    struct warp_tuple *tuples[N_GIVEN]; /* of each launch */
    struct measure *runs[JUDGED_MAX];   /* of each policy and launch */
    struct warp_tuple *best;            /* Static-Best's */
    struct warp_tuple constant;         /* the best one in hindsight */
    size_t *row_of;                     /* launch -> row of the file */
    size_t n, n_policies, n_used;
    struct groups families; /* of benchmarks */
    double *speedups[JUDGED_MAX];
};

/* ---- runs ---- */

static int begin(struct judged *j, struct launches *launches, struct gpu_params *params, struct error *err)
{
    struct pipeline *p = &j->p;
    p->params = params;
    p->launches = *launches; /* borrowed */
    p->n_profiles = j->n = launches->n;
    p->n_tables = p->spec->n_profiles;
    p->profiles = calloc(j->n + 1, sizeof *p->profiles);
    p->benchmarks = calloc(j->n + 1, sizeof *p->benchmarks);
    j->best = calloc(j->n + 1, sizeof *j->best);
    j->row_of = calloc(j->n + 1, sizeof *j->row_of);
    bool is_out = !p->profiles || !p->benchmarks || !j->best || !j->row_of;
    for (int k = 0; k < N_GIVEN; k++) is_out |= !(j->tuples[k] = calloc(j->n + 1, sizeof *j->tuples[k]));
    for (size_t k = 0; k < j->n_policies; k++) {
        is_out |= !(j->runs[k] = calloc(j->n + 1, sizeof *j->runs[k]));
        is_out |= !(j->speedups[k] = calloc(j->n + 1, sizeof *j->speedups[k]));
    }
    if (is_out) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", j->n);
    for (size_t i = 0; i < j->n; i++) {
        struct profile *q = &p->profiles[i];
        struct benchmark *b = p->n_benchmarks ? &p->benchmarks[p->n_benchmarks - 1] : NULL;
        q->launch = &launches->items[i];
        q->workload = q->launch->workload;
        if (!b || b->workload != q->workload) {
            b = &p->benchmarks[p->n_benchmarks++];
            *b = (struct benchmark){.workload = q->workload, .profiles = q};
        }
        b->n++;
    }
    return config_hash(params, p->config, NULL, err);
}

/* The file is checked before anything is profiled. */
static int take_tuples(struct judged *j, struct error *err)
{
    struct store_plan *plans = calloc(j->n + 1, sizeof *plans);
    if (!plans) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", j->n);
    int result = runner_survey(j->p.runner, j->p.launches.items, j->n, j->p.params, plans, err);
    if (result == 0) result = predictions_match(j->predictions, &j->p.launches, plans, j->row_of, &j->n_used, err);
    for (size_t i = 0; i < j->n && result == 0; i++) {
        const struct prediction *r = &j->predictions->items[j->row_of[i]];
        j->tuples[GIVEN][i] = (struct warp_tuple){r->N, r->p};
    }
    free(plans);
    return result;
}

static void runs_of(const struct judged *j, size_t i, struct launch_runs *out)
{
    const struct profile *q = &j->p.profiles[i];
    const uint32_t W = q->plan.warps_per_scheduler;
    *out = (struct launch_runs){.W = W, .gto = profile_at(q, W, W, NULL)->m};
    if (!q->launch->is_profiled) return;
    out->points = q->runs;
    out->n_points = q->n_runs;
}

static struct warp_tuple within(struct warp_tuple at, uint32_t W)
{
    if (at.N == 0 || at.N > W) at.N = W;
    if (at.p == 0 || at.p > at.N) at.p = at.N;
    return at;
}

/* The constant that is best on all profiled launches, and for each family that which is best on the others. */
static int choose_constants(struct judged *j, struct error *err)
{
    struct launch_runs *all = calloc(j->n + 1, sizeof *all), *some = calloc(j->n + 1, sizeof *some);
    uint32_t *benchmark = calloc(2 * j->n + 1, sizeof *benchmark), *kept = benchmark + j->n;
    const int result =
        all && some && benchmark ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", j->n);
    for (size_t i = 0, b = 0; i < j->n && result == 0; i++) {
        runs_of(j, i, &all[i]);
        if (i && j->p.profiles[i].workload != j->p.profiles[i - 1].workload) b++;
        benchmark[i] = (uint32_t)b;
    }
    if (result == 0) j->constant = policy_constant(all, benchmark, j->n);
    for (size_t f = 0; f < j->families.n_groups && result == 0; f++) {
        size_t n = 0;
        for (size_t i = 0; i < j->n; i++)
            if (j->families.of[benchmark[i]] != f) some[n] = all[i], kept[n++] = benchmark[i];
        const struct warp_tuple at = policy_constant(some, kept, n);
        for (size_t i = 0; i < j->n; i++)
            if (j->families.of[benchmark[i]] == f) j->tuples[CONSTANT_OTHERS][i] = within(at, all[i].W);
    }
    for (size_t i = 0; i < j->n && result == 0; i++) {
        j->tuples[CONSTANT_1][i] = within((struct warp_tuple){1, 1}, all[i].W);
        j->tuples[CONSTANT_2][i] = within((struct warp_tuple){2, 2}, all[i].W);
        j->tuples[CONSTANT_BEST][i] = within(j->constant, all[i].W);
    }
    free(all), free(some), free(benchmark);
    return result;
}

static int make_job(const struct judged *j, struct run_job *job, size_t policy, size_t i, struct error *err)
{
    job->launch = j->p.profiles[i].launch;
    job->params = j->p.params;
    job->is_profile = policy < N_GIVEN;
    if (policy < N_GIVEN) return run_job_tuple(job, j->tuples[policy][i].N, j->tuples[policy][i].p, err);
    job->n_stack = 1;
    return mech_parse(&job->stack[0], j->options->mechs[policy - MECHS], err);
}

static int run_policies(struct judged *j, struct error *err)
{
    const size_t n_run = N_GIVEN + j->options->n_mechs;
    struct run_job *jobs = calloc(j->n * n_run + 1, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", j->n * n_run);
    int result = 0;
    for (size_t k = 0; k < n_run && result == 0; k++)
        for (size_t i = 0; i < j->n && result == 0; i++)
            result = make_job(j, &jobs[k * j->n + i], k < N_GIVEN ? k : k - N_GIVEN + MECHS, i, err);
    if (result == 0) result = pipeline_jobs(&j->p, "policies", jobs, j->n * n_run, err);
    for (size_t k = 0; k < n_run && result == 0; k++)
        for (size_t i = 0; i < j->n; i++)
            measure_stats(&j->runs[k < N_GIVEN ? k : k - N_GIVEN + MECHS][i], jobs[k * j->n + i].result.stats);
    for (size_t i = 0; i < j->n * n_run; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

/* Static-Best is the best tuple that was simulated, by the profile or for a policy here; SWL has one N a benchmark. */
static int find_best(struct judged *j, struct error *err)
{
    struct launch_runs *launches = calloc(j->n + 1, sizeof *launches);
    if (!launches) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", j->n);
    for (size_t i = 0; i < j->n; i++) {
        runs_of(j, i, &launches[i]);
        const struct tuple_run *best = launch_best(&launches[i]);
        const uint32_t W = launches[i].W;
        j->runs[GTO][i] = launches[i].gto;
        j->runs[STATIC_BEST][i] = best ? best->m : launches[i].gto;
        j->best[i] = best ? best->at : (struct warp_tuple){W, W};
        for (int k = 0; k < N_GIVEN; k++)
            if (j->runs[k][i].cycles < j->runs[STATIC_BEST][i].cycles)
                j->runs[STATIC_BEST][i] = j->runs[k][i], j->best[i] = j->tuples[k][i];
    }
    for (size_t b = 0; b < j->p.n_benchmarks; b++) {
        const size_t first = (size_t)(j->p.benchmarks[b].profiles - j->p.profiles), n = j->p.benchmarks[b].n;
        const uint32_t swl = policy_swl(&launches[first], n);
        for (size_t i = first; i < first + n; i++) {
            const struct tuple_run *r = swl && launches[i].n_points ? launch_diagonal(&launches[i], swl) : NULL;
            j->runs[SWL][i] = r ? r->m : launches[i].gto;
        }
    }
    free(launches);
    return 0;
}

static int run_all(struct judged *j, struct error *err)
{
    if (take_tuples(j, err) < 0 || pipeline_profile(&j->p, err) < 0) return -1;
    const char **texts = calloc(j->p.n_benchmarks + 1, sizeof *texts);
    if (!texts) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t b = 0; b < j->p.n_benchmarks; b++) texts[b] = workload_family(j->p.benchmarks[b].workload);
    const int result = groups_init(&j->families, texts, j->p.n_benchmarks, err);
    free(texts);
    if (result < 0 || choose_constants(j, err) < 0 || run_policies(j, err) < 0) return -1;
    return find_best(j, err);
}

/* ---- figures ---- */

static const char *name_of(const struct judged *j, size_t policy)
{
    return policy < MECHS ? names[policy] : j->options->names[policy - MECHS];
}
/* The policies in the order of the answer. */
static size_t nth(size_t k) { return k < MECHS ? (size_t)shown_order[k] : k; }

/* Of one family there are no others to choose a constant on. */
static bool is_left_out(const struct judged *j, size_t policy)
{
    return policy == CONSTANT_OTHERS && j->families.n_groups < 2;
}

struct drawn {
    const double *speedups, *best, *rival;
};
static double mean_at(const double *speedups, const size_t *rows, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += 1 / speedups[rows ? rows[i] : i];
    return (double)n / sum;
}
static double drawn_mean(const size_t *rows, size_t n, void *context)
{
    return mean_at(((const struct drawn *)context)->speedups, rows, n);
}
/* (HM - 1) / (HM of Static-Best - 1), or the difference of two of these. */
static double drawn_part(const size_t *rows, size_t n, void *context)
{
    const struct drawn *d = context;
    const double gain = mean_at(d->best, rows, n) - 1, part = (mean_at(d->speedups, rows, n) - 1) / gain;
    return d->rival ? part - (mean_at(d->rival, rows, n) - 1) / gain : part;
}

static json_t *interval(const struct judged *j, bootstrap_statistic *statistic, struct drawn *drawn)
{
    const struct bootstrap plan = {.groups = &j->families, .replicates = 2000, .level = 0.95, .seed = 1};
    struct error ignored;
    double ci[2] = {NAN, NAN};
    if (bootstrap_draws_groups(&plan) && bootstrap_interval(&plan, statistic, drawn, ci, &ignored) < 0)
        ci[0] = ci[1] = NAN;
    return isfinite(ci[0]) && isfinite(ci[1]) ? json_pack("[o,o]", json_figure(ci[0]), json_figure(ci[1]))
                                              : json_null();
}

static json_t *number(double v) { return isfinite(v) ? json_figure(v) : json_null(); }

/* The kernels as poise eval has them. */
static json_t *kernels_json(struct judged *j)
{
    json_t *list = json_array();
    for (size_t b = 0; b < j->p.n_benchmarks; b++) {
        const struct benchmark *mark = &j->p.benchmarks[b];
        const size_t first = (size_t)(mark->profiles - j->p.profiles);
        struct measure gto = {0};
        json_t *policies = json_array();
        for (size_t i = first; i < first + mark->n; i++) measure_add(&gto, &j->runs[GTO][i]);
        for (size_t k = 0; k < j->n_policies; k++) {
            const size_t policy = nth(k);
            struct measure m = {0};
            if (is_left_out(j, policy)) continue;
            for (size_t i = first; i < first + mark->n; i++) measure_add(&m, &j->runs[policy][i]);
            j->speedups[policy][b] = (double)gto.cycles / (double)m.cycles;
            json_array_append_new(policies,
                                  json_pack("{s:s,s:I,s:o,s:o,s:o}", "mech", name_of(j, policy), "cycles",
                                            (json_int_t)m.cycles, "speedup", json_figure(j->speedups[policy][b]),
                                            "l1d_hit_rate", json_figure(measure_hit_rate(&m)), "aml_cycles",
                                            json_figure(measure_aml_cycles(&m))));
        }
        json_array_append_new(list, json_pack("{s:s,s:s,s:I,s:o}", "name", mark->workload->name, "family",
                                              workload_family(mark->workload), "launches", (json_int_t)mark->n,
                                              "policies", policies));
    }
    return list;
}

static json_t *tuple_json(struct warp_tuple at) { return json_pack("{s:i,s:i}", "N", (int)at.N, "p", (int)at.p); }

/* Each launch: what was predicted, what is best, and what the difference costs. */
static json_t *launches_json(const struct judged *j, json_t **errors)
{
    json_t *list = json_array();
    double sum[2] = {0}, lost = 0;
    json_int_t n = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct profile *q = &j->p.profiles[i];
        const struct prediction *r = &j->predictions->items[j->row_of[i]];
        const double speedup = (double)j->runs[GTO][i].cycles / (double)j->runs[GIVEN][i].cycles,
                     best = (double)j->runs[GTO][i].cycles / (double)j->runs[STATIC_BEST][i].cycles;
        char hash[HASH_TEXT_SIZE];
        hash_text(&q->launch->hash, hash);
        json_t *top = tuple_json(j->best[i]);
        json_object_set_new(top, "speedup", json_figure(best));
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:I,s:i,s:i,s:i,s:I,s:o,s:o,s:o,s:b,s:I}", "benchmark",
                                        q->workload->name, "launch", q->launch->label, "trace", hash, "line",
                                        (json_int_t)r->line, "W", (int)q->plan.warps_per_scheduler, "N", (int)r->N, "p",
                                        (int)r->p, "cycles", (json_int_t)j->runs[GIVEN][i].cycles, "speedup",
                                        json_figure(speedup), "best", top, "regret", json_figure(1 - speedup / best),
                                        "is_profiled", q->launch->is_profiled, "points", (json_int_t)q->n_runs));
        if (!q->launch->is_profiled) continue;
        sum[0] += fabs((double)r->N - (double)j->best[i].N);
        sum[1] += fabs((double)r->p - (double)j->best[i].p);
        lost += 1 - speedup / best;
        n++;
    }
    const double each = n ? 1 / (double)n : NAN;
    *errors = json_pack("{s:I,s:o,s:o,s:o}", "launches", n, "N", number(sum[0] * each), "p", number(sum[1] * each),
                        "regret", number(lost * each));
    return list;
}

/* Means, parts of Static-Best's gain, and by how much the predictions are above each rival. */
static void add_means(const struct judged *j, json_t *out)
{
    const size_t n = j->p.n_benchmarks;
    json_t *hmean = json_object(), *part = json_object(), *ci = json_array(), *above = json_array();
    for (size_t k = 0; k < j->n_policies; k++) {
        const size_t policy = nth(k);
        const char *name = name_of(j, policy);
        struct drawn d = {j->speedups[policy], j->speedups[STATIC_BEST], NULL};
        if (is_left_out(j, policy)) continue;
        json_object_set_new(hmean, name, json_figure(mean_at(j->speedups[policy], NULL, n)));
        if (policy == GTO) continue;
        json_object_set_new(part, name, number(drawn_part(NULL, n, &d)));
        json_array_append_new(ci, json_pack("{s:s,s:o,s:o}", "mech", name, "hmean", interval(j, drawn_mean, &d), "part",
                                            interval(j, drawn_part, &d)));
        if (policy == GIVEN || policy == STATIC_BEST) continue;
        d = (struct drawn){j->speedups[GIVEN], j->speedups[STATIC_BEST], j->speedups[policy]};
        json_array_append_new(above, json_pack("{s:s,s:o,s:o}", "mech", name, "part", number(drawn_part(NULL, n, &d)),
                                               "ci95", interval(j, drawn_part, &d)));
    }
    json_object_set_new(out, "hmean", hmean);
    json_object_set_new(out, "part", part);
    json_object_set_new(out, "ci95", ci);
    json_object_set_new(out, "above", above);
    json_object_set_new(out, "families", json_integer((json_int_t)j->families.n_groups));
    if (j->families.n_groups < BOOTSTRAP_GROUPS_MIN)
        json_object_set_new(out, "why", json_string("too few families for an interval"));
}

static json_t *answer(struct judged *j)
{
    json_t *out = lab_json(), *errors;
    json_object_set_new(out, "predictions",
                        json_pack("{s:s,s:I,s:I}", "file", j->predictions->file, "rows", (json_int_t)j->predictions->n,
                                  "used", (json_int_t)j->n_used));
    json_object_set_new(out, "kernels", kernels_json(j));
    add_means(j, out);
    json_object_set_new(out, "constant", tuple_json(j->constant));
    json_object_set_new(out, "launches", launches_json(j, &errors));
    json_object_set_new(out, "errors", errors);
    json_object_set_new(out, "trained_on", json_array());
    return out;
}

static void fini(struct judged *j)
{
    j->p.launches = (struct launches){0}; /* the caller's, as the machine is */
    j->p.params = NULL;
    pipeline_fini(&j->p);
    groups_fini(&j->families);
    for (int k = 0; k < N_GIVEN; k++) free(j->tuples[k]);
    for (int k = 0; k < JUDGED_MAX; k++) free(j->runs[k]), free(j->speedups[k]);
    free(j->best), free(j->row_of);
}

int predictions_judge(json_t **out, const struct predictions *predictions, struct launches *launches,
                      struct gpu_params *params, const struct judge_options *options, struct error *err)
{
    static const char *const tables[] = {"evaluation.csv", "training.csv"};
    struct pipeline_spec *spec = calloc(1, sizeof *spec);
    struct judged *j = calloc(1, sizeof *j);
    struct pipeline_options p = {.runner = options->runner, .paths = *options->paths};
    struct store *own = NULL;
    struct error later;
    *out = NULL;
    int result = spec && j ? 0 : error_set(err, ERR_MEMORY, "out of memory for the predictions");
    if (result == 0 && options->n_mechs > JUDGED_MAX - MECHS)
        result = error_set(err, ERR_USAGE, "at most %d further policies", JUDGED_MAX - MECHS);
    if (result == 0) {
        spec->points = options->points;
        for (size_t i = 0; i < COUNT_OF(tables) && options->has_tables; i++)
            snprintf(spec->profiles[spec->n_profiles++], sizeof spec->profiles[0], "%s", tables[i]);
        *j = (struct judged){.predictions = predictions, .options = options, .n_policies = MECHS + options->n_mechs};
        j->p.spec = spec;
        j->p.options = &p;
        if (!options->store) result = store_open(&own, ":memory:", err);
        j->p.store = options->store ? options->store : own;
    }
    if (result == 0) result = runner_new(&j->p.runner, j->p.store, &p.runner, err);
    if (result == 0) result = begin(j, launches, params, err);
    if (result == 0) result = run_all(j, err);
    if (result == 0) *out = answer(j);
    if (j) {
        runner_free(j->p.runner);
        fini(j);
    }
    if (store_close(own, &later) < 0 && result == 0) *err = later, result = -1;
    free(spec);
    free(j);
    return result;
}
