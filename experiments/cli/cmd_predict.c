/* poise predict: from traces to features, a predicted warp tuple with its uncertainty, and the measured optimum
 * beside it. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/model_kind.h"
#include "cli/options.h"
#include "cli/sim_print.h"
#include "cli/tuple_map.h"
#include "poise/family.h"
#include "poise/lab.h"
#include "poise/points.h"
#include "poise/sweep.h"
#include "poise/tuple_model.h"

#define STORE_DEFAULT "results/predict.sqlite"
#define TAIL 0.05 /* the interval holds 90 % of the predictive distribution */

struct predict_options {
    const char *model, *config, *store, *size;
    struct texts set, kernel;
    uint64_t threads;
    bool measure, json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(predict_options, model, 'm', OPTION_TEXT, "FILE", "a model file: of regressions, or of a response surface"),
    OPTION(predict_options, measure, 0, OPTION_FLAG, NULL,
           "simulate every tuple: a map, the measured optimum, and what the prediction loses against it"),
    OPTION(predict_options, kernel, 'k', OPTION_TEXTS, "NAME",
           "a workload of 'poise kernels' or a program of a suite, in place of traces; may be repeated"),
    OPTION(predict_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full", .modes = "--kernel"),
    OPTION(predict_options, config, 0, OPTION_TEXT, "C",
           "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(predict_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter; may be repeated"),
    OPTION(predict_options, store, 0, OPTION_TEXT, "FILE",
           "take runs from this store and keep new ones there (with --measure by default " STORE_DEFAULT ")"),
    OPTION(predict_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(predict_options),
    OPTION(predict_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

struct predict {
    const struct predict_options *options;
    char mech[PARAM_TEXT_MAX + 16]; /* that runs the model */
    bool is_learned;                /* it samples while the kernel runs, so its tuple comes from a run */
    struct model model;
    struct tuple_model at_work;      /* what the hardware computes */
    struct predictor *predictors[2]; /* of N and p, the distribution around it; NULL: the file has no covariance, so
                                      * the weights' errors are unknown */
    struct registry registry;
    struct launches launches;
    struct gpu_params *params;
    struct store *store;
    struct runner *runner;
    struct store_plan *plans;
    struct run_job
        *jobs; /* first (W, W) and (1, 1) of each launch, then the tuples of all, then the learned engine's */
    size_t n_jobs, first_learned;
};
struct interval {
    double mean, median, low, high;
};

/* The distribution of a saved predictor with the output's weights, covariance and dispersion. */
static int make_predictor(struct predictor **out, const struct model_output *m, const char *file, struct error *err)
{
    if (!m->has_covariance) return 0;
    json_t *features = json_array(), *weights = json_array(), *covariance = json_array();
    for (size_t i = 0; i < m->n_features; i++) json_array_append_new(features, json_string(m->features[i]));
    for (size_t i = 0; i < m->n_features; i++) json_array_append_new(weights, json_real(m->weights[i]));
    for (size_t i = 0; i < m->n_features * m->n_features; i++)
        json_array_append_new(covariance, json_real(m->covariance[i]));
    json_t *theta = isfinite(m->theta) ? json_real(m->theta) : json_string("inf");
    json_t *root = json_pack("{s:i,s:s,s:s,s:o,s:{s:s,s:o,s:o,s:o,s:f,s:f}}", "schema", 1, "kind", "predictor",
                             "family", m->family, "features", features, "state", "family", m->family, "weights",
                             weights, "covariance", covariance, "theta", theta, "sigma", 0.0, "df", 1.0);
    char *text = root ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(root);
    const int result =
        text ? predictor_parse(out, file, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory");
    free(text);
    return result;
}

/* Of output k (0: N, 1: p), `raw` being its prediction. */
static struct interval interval_of(const struct predict *p, int k, float raw, const struct feature_counters *o,
                                   const struct feature_counters *a, uint32_t W)
{
    const size_t n = p->at_work.out[k].n;
    const double scale = warps_range(p->model.scale, W);
    struct interval i = {.mean = (double)raw * W / scale, .median = NAN, .low = NAN, .high = NAN};
    float x[MODEL_FEATURES_MAX];
    double wide[MODEL_FEATURES_MAX];
    if (!p->predictors[k]) return i;
    features_vector_f32(p->at_work.out[k].rows, n, o, a, x);
    for (size_t f = 0; f < n; f++) wide[f] = (double)x[f];
    double *const quantiles[] = {&i.low, &i.median, &i.high};
    static const double at[] = {TAIL, 0.5, 1 - TAIL};
    for (size_t q = 0; q < COUNT_OF(at); q++)
        *quantiles[q] = fmin(fmax(predictor_quantile(p->predictors[k], wide, 0, at[q]) * W / scale, 1), W);
    return i;
}

static int add_job(struct predict *p, size_t launch, struct warp_tuple at, struct error *err)
{
    struct run_job *job = &p->jobs[p->n_jobs];
    job->launch = &p->launches.items[launch];
    job->params = p->params;
    job->index = launch;
    if (run_job_tuple(job, at.N, at.p, err) < 0) return -1;
    p->n_jobs++;
    return 0;
}

static int make_jobs(struct predict *p, struct error *err)
{
    size_t room = 3 * p->launches.n;
    for (size_t i = 0; i < p->launches.n && p->options->measure; i++)
        room += points_grid_size(p->plans[i].warps_per_scheduler);
    if (!(p->jobs = calloc(room + 1, sizeof *p->jobs)))
        return error_set(err, ERR_MEMORY, "out of memory for %zu runs", room);
    for (size_t i = 0; i < p->launches.n; i++) {
        const uint16_t W = (uint16_t)p->plans[i].warps_per_scheduler;
        if (add_job(p, i, (struct warp_tuple){W, W}, err) < 0 || add_job(p, i, (struct warp_tuple){1, 1}, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < p->launches.n && p->options->measure; i++) {
        const size_t n = points_grid_size(p->plans[i].warps_per_scheduler);
        struct warp_tuple *grid = calloc(n, sizeof *grid);
        if (!grid) return error_set(err, ERR_MEMORY, "out of memory for %zu tuples", n);
        points_grid(p->plans[i].warps_per_scheduler, grid);
        int result = 0;
        for (size_t k = 0; k < n && result == 0; k++) result = add_job(p, i, grid[k], err);
        free(grid);
        if (result < 0) return -1;
    }
    p->first_learned = p->n_jobs;
    for (size_t i = 0; i < p->launches.n && p->is_learned; i++) {
        struct run_job *job = &p->jobs[p->n_jobs];
        *job = (struct run_job){.launch = &p->launches.items[i], .params = p->params, .index = i, .n_stack = 1};
        if (mech_parse(&job->stack[0], p->mech, err) < 0) return -1;
        p->n_jobs++;
    }
    return 0;
}

static uint64_t cycles_of(const struct run_job *job)
{
    struct measure m;
    measure_stats(&m, job->result.stats);
    return m.cycles;
}

/* Every tuple of a launch with its speed; the caller's. */
static struct tuple_speed *cells_of(const struct predict *p, size_t launch, size_t *n)
{
    const double base = (double)cycles_of(&p->jobs[2 * launch]);
    const uint32_t W = p->plans[launch].warps_per_scheduler;
    size_t at = 2 * p->launches.n;
    for (size_t i = 0; i < launch; i++) at += points_grid_size(p->plans[i].warps_per_scheduler);
    *n = points_grid_size(W);
    struct warp_tuple *grid = calloc(*n, sizeof *grid);
    struct tuple_speed *cells = calloc(*n, sizeof *cells);
    if (grid && cells) {
        points_grid(W, grid);
        for (size_t k = 0; k < *n; k++)
            cells[k] = (struct tuple_speed){grid[k], base / (double)cycles_of(&p->jobs[at + k])};
    } else {
        free(cells);
        cells = NULL;
        *n = 0;
    }
    free(grid);
    return cells;
}

/* The tuples of a launch: the fastest, and the predicted one's place. */
static void measured(const struct predict *p, size_t launch, uint32_t N, uint32_t pollute, json_t *row)
{
    size_t n, chosen = 0;
    struct tuple_speed *cells = cells_of(p, launch, &n);
    if (!cells) return;
    const size_t best = tuple_map_best(cells, n);
    for (size_t k = 0; k < n; k++)
        if (cells[k].at.N == N && cells[k].at.p == pollute) chosen = k;
    const double base = (double)cycles_of(&p->jobs[2 * launch]);
    json_object_set_new(row, "measured",
                        json_pack("{s:i,s:i,s:f,s:I}", "N", (int)cells[best].at.N, "p", (int)cells[best].at.p,
                                  "speedup", cells[best].speedup, "cycles",
                                  (json_int_t)llround(base / cells[best].speedup)));
    json_object_set_new(json_object_get(row, "predicted"), "speedup", json_real(cells[chosen].speedup));
    json_object_set_new(row, "regret", json_real(cells[best].speedup / cells[chosen].speedup - 1));
    json_object_set_new(row, "map", tuple_map_json(cells, n, p->plans[launch].warps_per_scheduler));
    free(cells);
}

static json_t *interval_json(const struct interval *i)
{
    if (!isfinite(i->low)) return json_pack("{s:f,s:n,s:n,s:n}", "mean", i->mean, "median", "low", "high");
    return json_pack("{s:f,s:f,s:f,s:f}", "mean", i->mean, "median", i->median, "low", i->low, "high", i->high);
}

/* What the engine of a response surface did on a launch: it sampled while the launch ran, predicted a tuple each time,
 * and searched from there. */
static json_t *learned_row(const struct predict *p, size_t launch)
{
    const struct launch *l = &p->launches.items[launch];
    const struct run_job *job = &p->jobs[p->first_learned + launch];
    const uint32_t W = p->plans[launch].warps_per_scheduler;
    const json_t *stats = json_object_get(json_array_get(job->result.mechs, 0), "stats");
    const double n = json_number_value(json_object_get(stats, "predictions")),
                 searches = json_number_value(json_object_get(stats, "searches"));
    static const char *const names[2][2] = {{"predicted_N", "predicted_p"}, {"corrected_N", "corrected_p"}};
    int tuple[2][2];
    char hash[40];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            const double of = k ? searches : n, sum = json_number_value(json_object_get(stats, names[k][i]));
            tuple[k][i] = of > 0 ? (int)lround(sum / of) : k ? tuple[0][i] : (int)W;
        }
    hash_text(&l->hash, hash);
    json_t *row =
        json_pack("{s:s,s:s,s:i,s:{},s:{s:i,s:i},s:{s:n,s:n,s:n},s:{s:I,s:I,s:{s:i,s:i},s:I,s:f}}", "kernel", l->kernel,
                  "trace", hash, "W", (int)W, "features", "predicted", "N", tuple[0][0], "p", tuple[0][1], "interval",
                  "probability", "N", "p", "engine", "predictions", (json_int_t)n, "searches", (json_int_t)searches,
                  "corrected", "N", tuple[1][0], "p", tuple[1][1], "cycles", (json_int_t)cycles_of(job), "speedup",
                  (double)cycles_of(&p->jobs[2 * launch]) / (double)cycles_of(job));
    if (p->options->measure) measured(p, launch, (uint32_t)tuple[0][0], (uint32_t)tuple[0][1], row);
    return row;
}

static json_t *row_of(const struct predict *p, size_t launch)
{
    const uint32_t W = p->plans[launch].warps_per_scheduler;
    const struct launch *l = &p->launches.items[launch];
    struct feature_counters o, a;
    char hash[40];
    json_t *features = json_object();
    gpu_stats_features(p->jobs[2 * launch].result.stats, &o);
    gpu_stats_features(p->jobs[2 * launch + 1].result.stats, &a);
    for (size_t f = 0; f < n_feature_rows; f++) {
        const double v = feature_rows[f].value(&o, &a);
        json_object_set_new(features, feature_rows[f].name, json_or_null(v));
    }
    const struct tuple_prediction t = tuple_model_predict(&p->at_work, &o, &a, W);
    const struct interval in_N = interval_of(p, 0, t.raw[0], &o, &a, W), in_p = interval_of(p, 1, t.raw[1], &o, &a, W);
    hash_text(&l->hash, hash);
    json_t *row = json_pack("{s:s,s:s,s:i,s:o,s:{s:i,s:i},s:{s:f,s:o,s:o}}", "kernel", l->kernel, "trace", hash, "W",
                            (int)W, "features", features, "predicted", "N", (int)t.N, "p", (int)t.p, "interval",
                            "probability", 1 - 2 * TAIL, "N", interval_json(&in_N), "p", interval_json(&in_p));
    if (p->options->measure) measured(p, launch, t.N, t.p, row);
    return row;
}

static void print_interval(const json_t *row, const char *name)
{
    const json_t *i = json_object_get(json_object_get(row, "interval"), name);
    if (!json_is_number(json_object_get(i, "low"))) {
        printf("  %s: mean %.1f, uncertainty unknown: the model file has no covariance\n", name,
               json_number_value(json_object_get(i, "mean")));
        return;
    }
    /* the mean of a log link may lie beyond all that a scheduler can hold: the quantiles do not */
    printf("  %s: 90 %% between %.1f and %.1f, median %.1f\n", name, json_number_value(json_object_get(i, "low")),
           json_number_value(json_object_get(i, "high")), json_number_value(json_object_get(i, "median")));
}

static void print_engine(const json_t *engine)
{
    const json_t *corrected = json_object_get(engine, "corrected");
    const double n = json_number_value(json_object_get(engine, "predictions"));
    if (n > 0)
        printf("  by the engine while the kernel ran, in %.0f sampling%s; after its search (%.0f, %.0f); %.3f times as "
               "fast as (W, W)\n",
               n, n > 1 ? "s" : "", json_number_value(json_object_get(corrected, "N")),
               json_number_value(json_object_get(corrected, "p")),
               json_number_value(json_object_get(engine, "speedup")));
    else puts("  the launch ended before the engine had sampled it: all warps ran");
}

static void print_map(const struct predict *p, size_t launch, const json_t *predicted)
{
    size_t n;
    struct tuple_speed *cells = cells_of(p, launch, &n);
    const struct warp_tuple at = {(uint32_t)json_integer_value(json_object_get(predicted, "N")),
                                  (uint32_t)json_integer_value(json_object_get(predicted, "p"))};
    tuple_map_print(cells, n, p->plans[launch].warps_per_scheduler, at, stdout);
    free(cells);
}

static void print_row(const struct predict *p, const json_t *row, size_t launch)
{
    const json_t *predicted = json_object_get(row, "predicted"), *best = json_object_get(row, "measured");
    printf("%s: up to %lld warps a scheduler\n", json_string_value(json_object_get(row, "kernel")),
           (long long)json_integer_value(json_object_get(row, "W")));
    if (!p->is_learned) fputs("  features:", stdout);
    for (size_t k = 0; k < p->at_work.out[0].n; k++) {
        const char *name = p->at_work.out[0].rows[k]->name;
        printf(" %s %.4g", name, json_number_value(json_object_get(json_object_get(row, "features"), name)));
    }
    printf("%s  predicted tuple (N, p) = (%lld, %lld)\n", p->is_learned ? "" : "\n",
           (long long)json_integer_value(json_object_get(predicted, "N")),
           (long long)json_integer_value(json_object_get(predicted, "p")));
    if (p->is_learned) {
        print_engine(json_object_get(row, "engine"));
    } else {
        print_interval(row, "N");
        print_interval(row, "p");
    }
    if (!best) return;
    printf("  measured optimum (%lld, %lld): %.3f times as fast as (W, W); the predicted tuple %.3f, %.1f %% more "
           "cycles than the optimum\n",
           (long long)json_integer_value(json_object_get(best, "N")),
           (long long)json_integer_value(json_object_get(best, "p")),
           json_number_value(json_object_get(best, "speedup")),
           json_number_value(json_object_get(predicted, "speedup")),
           100 * json_number_value(json_object_get(row, "regret")));
    print_map(p, launch, predicted);
}

static int print_all(const struct predict *p, struct error *err)
{
    for (size_t i = 0; i < p->n_jobs; i++)
        if (p->jobs[i].result.err.code != ERR_NONE) {
            *err = p->jobs[i].result.err;
            return error_while(err, "%s", p->jobs[i].launch->label);
        }
    json_t *list = json_array(), *row;
    size_t i;
    for (size_t k = 0; k < p->launches.n; k++)
        json_array_append_new(list, p->is_learned ? learned_row(p, k) : row_of(p, k));
    if (p->options->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "model", json_string(p->is_learned ? p->mech : p->model.name));
        json_object_set_new(out, "launches", list);
        return cli_print_json(out, err);
    }
    json_array_foreach(list, i, row) print_row(p, row, i);
    json_decref(list);
    return 0;
}

static int prepare(struct predict *p, struct cli *cli, const struct texts *files, struct error *err)
{
    const struct predict_options *o = p->options;
    struct runner_options options;
    if (model_mech(p->mech, sizeof p->mech, o->model, err) < 0 ||
        sim_config(&p->params, cli, o->config, &o->set, err) < 0)
        return -1;
    p->is_learned = model_mech_is_learned(p->mech);
    if (!p->is_learned &&
        (model_read(&p->model, o->model, err) < 0 || tuple_model_init(&p->at_work, &p->model, o->model, err) < 0))
        return -1;
    for (int k = 0; k < 2 && !p->is_learned; k++)
        if (make_predictor(&p->predictors[k], model_find(&p->model, k ? "p" : "N"), o->model, err) < 0) return -1;
    const struct texts none = {.n = 0};
    if (o->kernel.n && cli_launches(&p->launches, &p->registry, cli,
                                    &(struct kernel_choice){&o->kernel, &none, NULL, &none, o->size}, err) < 0)
        return -1;
    for (size_t i = 0; i < files->n; i++) {
        struct launch file;
        if (launch_from_file(&file, files->items[i], err) < 0 || launches_add(&p->launches, &file, err) < 0) return -1;
    }
    cli_runner_options(cli, &options, o->threads);
    const char *store = o->store ? o->store : o->measure ? STORE_DEFAULT : NULL;
    if ((store && cli_open_store(&p->store, store, err) < 0) || runner_new(&p->runner, p->store, &options, err) < 0)
        return -1;
    p->plans = calloc(p->launches.n + 1, sizeof *p->plans);
    return p->plans ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", p->launches.n);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    struct predict p = {.options = options};
    struct error later;
    if (!p.options->model || arguments->n + p.options->kernel.n == 0)
        return error_set(err, ERR_USAGE,
                         "poise predict needs --model FILE and traces, such as traces/*.ptrace of 'poise cuda "
                         "--trace-dir traces', or --kernel NAME");
    int result = prepare(&p, cli, arguments, err);
    if (result == 0) result = runner_survey(p.runner, p.launches.items, p.launches.n, p.params, p.plans, err);
    if (result == 0) result = make_jobs(&p, err);
    if (result == 0) result = runner_run(p.runner, "predict", p.jobs, p.n_jobs, err);
    if (result == 0) result = print_all(&p, err);
    runner_free(p.runner);
    if (store_close(p.store, &later) < 0 && result == 0) *err = later, result = -1;
    for (size_t i = 0; i < p.n_jobs; i++) run_job_fini(&p.jobs[i]);
    free(p.jobs);
    free(p.plans);
    for (int k = 0; k < 2; k++) predictor_free(p.predictors[k]);
    launches_fini(&p.launches);
    registry_fini(&p.registry);
    gpu_params_free(p.params);
    return result;
}

const struct command command_predict = {
    "predict",
    "a warp tuple for your own kernel: predicted, with its uncertainty, and measured",
    "(TRACE... | --kernel NAME) --model FILE [--measure]",
    "Example: poise cc kernel.cu -o kernel && poise cuda --trace-dir traces ./kernel && poise predict traces/*.ptrace "
    "--model MODEL.json --measure\n"
    "The interval comes from the covariance of the model's weights and its dispersion; models that 'poise run' and "
    "'poise train' write have both.\n"
    "A response surface (models/poise-best.json) has none: its engine samples the kernel while it runs, and its tuple "
    "comes from that run.\n"
    "With --measure an interrupted command continues: what is simulated is kept.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct predict_options),
    run};
