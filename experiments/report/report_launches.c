/* Profiled launches: their simulated warp tuples, and what was scored, predicted and corrected on them. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/model.h"
#include "store/run_columns.h"

enum { LEAST_POINTS = 3 }; /* a map of fewer shows nothing */

static struct report_launch *add_launch(struct report_launches *out)
{
    struct report_launch *items =
        out->n & (out->n - 1) ? out->items : realloc(out->items, (out->n ? 2 * out->n : 1) * sizeof *items);
    if (!items) return NULL;
    out->items = items;
    struct report_launch *launch = &items[out->n++];
    *launch = (struct report_launch){
        .target = {NAN, NAN}, .predicted = {NAN, NAN}, .engine_predicted = {NAN, NAN}, .corrected = {NAN, NAN}};
    return launch;
}

static struct report_point *add_point(struct report_launch *launch, double N, double p)
{
    struct report_point *points = launch->n & (launch->n - 1)
                                      ? launch->points
                                      : realloc(launch->points, (launch->n ? 2 * launch->n : 1) * sizeof *points);
    if (!points) return NULL;
    launch->points = points;
    points[launch->n] = (struct report_point){.N = N, .p = p, .speedup = NAN, .score = NAN};
    return &points[launch->n++];
}

const struct report_point *report_best(const struct report_launch *launch)
{
    const struct report_point *best = NULL;
    for (size_t i = 0; i < launch->n; i++) {
        const struct report_point *q = &launch->points[i];
        if (isnan(q->speedup)) continue;
        if (!best || q->speedup > best->speedup ||
            (q->speedup == best->speedup && (q->N < best->N || (q->N == best->N && q->p < best->p))))
            best = q;
    }
    return best;
}

/* ---- from profile.csv, with the store's counters where there is one ---- */

/* The run behind a row of the profile: results of other versions may be in the same store, so the cycles must agree. */
static const struct report_run *run_of(const struct report_input *input, const char *trace, double N, double p,
                                       double cycles)
{
    size_t n;
    const struct report_run *runs = report_runs_of(&input->store, trace, &n);
    for (size_t i = 0; i < n; i++)
        if (runs[i].is_tuple && runs[i].N == N && runs[i].p == p && runs[i].metrics[METRIC_core_cycles] == cycles)
            return &runs[i];
    return NULL;
}

static const json_t *summary_row(const json_t *summary, const char *benchmark, const char *launch, bool *is_evaluated)
{
    const json_t *b, *row;
    size_t i, k;
    *is_evaluated = false;
    json_array_foreach(json_object_get(summary, "benchmarks"), i, b) {
        if (strcmp(report_string(b, "name"), benchmark) != 0) continue;
        *is_evaluated = true;
        json_array_foreach(json_object_get(b, "profiled"), k, row)
            if (strcmp(report_string(row, "launch"), launch) == 0) return row;
    }
    return NULL;
}

static void take_pair(const json_t *pair, double out[2])
{
    for (size_t i = 0; i < 2; i++) {
        out[i] = report_value(json_array_get(pair, i));
        if (out[i] == 0) out[i] = NAN; /* no target */
    }
}

/* A training launch has no row in the summary: its target is the best score, its prediction the model's on its row
 * of the data set. */
static void training_marks(const struct report_input *input, struct report_launch *launch, const struct model *model)
{
    double best = -INFINITY;
    for (size_t i = 0; i < launch->n; i++) {
        if (!(launch->points[i].score > best)) continue;
        best = launch->points[i].score;
        launch->target[0] = launch->points[i].N;
        launch->target[1] = launch->points[i].p;
    }
    const struct model_output *N = model ? model_find(model, "N") : NULL, *p = model ? model_find(model, "p") : NULL;
    for (size_t row = 0; N && p && row < input->dataset.n_rows; row++) {
        float x[MODEL_FEATURES_MAX], y[MODEL_FEATURES_MAX];
        uint32_t n_at, p_at;
        if (strcmp(report_cell_at(&input->dataset, "trace", row), launch->trace) != 0) continue;
        for (size_t f = 0; f < N->n_features; f++) x[f] = (float)report_number_at(&input->dataset, N->features[f], row);
        for (size_t f = 0; f < p->n_features; f++) y[f] = (float)report_number_at(&input->dataset, p->features[f], row);
        warps_unscale(model_predict_f32(N, x), model_predict_f32(p, y), launch->W, (float)model->scale, &n_at, &p_at);
        launch->predicted[0] = n_at;
        launch->predicted[1] = p_at;
        return;
    }
}

/* What the engine did in the launch's Poise run: its mechanism's statistics. */
static void engine_marks(struct report_launch *launch)
{
    json_t *mechs = json_loads(launch->poise->params, 0, NULL), *mech;
    size_t i;
    json_array_foreach(mechs, i, mech) {
        const json_t *stats = json_object_get(mech, "stats");
        if (strcmp(report_string(mech, "name"), "poise") != 0) continue;
        if (report_get(stats, "predictions") > 0)
            launch->engine_predicted[0] = report_get(stats, "mean_predicted_N"),
            launch->engine_predicted[1] = report_get(stats, "mean_predicted_p");
        if (report_get(stats, "searches") > 0)
            launch->corrected[0] = report_get(stats, "mean_corrected_N"),
            launch->corrected[1] = report_get(stats, "mean_corrected_p");
    }
    json_decref(mechs);
}

/* Under the trained model alone: a store has the engine's other uses as well (ablated models, recording of windows,
 * stacks). */
static bool is_the_models(const struct report_run *run)
{
    json_t *mechs = json_loads(run->params, 0, NULL);
    const json_t *params = json_object_get(json_array_get(mechs, 0), "params");
    const char *model = report_string(params, "model"), *slash = strrchr(model, '/');
    const bool is = run->is_poise && json_array_size(mechs) == 1 &&
                    strcmp(slash ? slash + 1 : model, "model.json") == 0 &&
                    !json_is_true(json_object_get(params, "observe"));
    json_decref(mechs);
    return is;
}

static void find_poise(const struct report_input *input, struct report_launch *launch)
{
    size_t n, found = 0;
    const struct report_run *runs = report_runs_of(&input->store, launch->trace, &n);
    for (size_t i = 0; i < n; i++)
        if (is_the_models(&runs[i]) && (!*launch->config || strcmp(runs[i].config, launch->config) == 0) &&
            found++ == 0)
            launch->poise = &runs[i];
    launch->is_ambiguous = found > 1;
    if (found > 1) launch->poise = NULL;
    if (launch->poise) engine_marks(launch);
}

static void finish_launch(const struct report_input *input, struct report_launch *launch, const struct model *model)
{
    bool is_evaluated;
    for (size_t i = 0; i < launch->n; i++)
        if (launch->points[i].N > launch->W) launch->W = (uint32_t)launch->points[i].N;
    for (size_t i = 0; i < launch->n && !*launch->config; i++)
        if (launch->points[i].run) snprintf(launch->config, sizeof launch->config, "%s", launch->points[i].run->config);
    launch->summary = summary_row(input->summary, launch->benchmark, launch->launch, &is_evaluated);
    launch->is_training = input->summary && !is_evaluated;
    if (launch->summary) {
        take_pair(json_object_get(launch->summary, "target"), launch->target);
        take_pair(json_object_get(launch->summary, "predicted"), launch->predicted);
    } else {
        training_marks(input, launch, model);
    }
    find_poise(input, launch);
}

static int from_profile(struct report_launches *out, const struct report_input *input, struct error *err)
{
    const struct table_csv *t = &input->profile;
    struct report_launch *launch = NULL;
    for (size_t row = 0; row < t->n_rows; row++) {
        const char *benchmark = report_cell_at(t, "benchmark", row), *name = report_cell_at(t, "launch", row),
                   *trace = report_cell_at(t, "trace", row);
        if (!launch || strcmp(launch->benchmark, benchmark) != 0 || strcmp(launch->launch, name) != 0 ||
            strcmp(launch->trace, trace) != 0) {
            launch = add_launch(out);
            if (!launch) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", out->n);
            snprintf(launch->benchmark, sizeof launch->benchmark, "%s", benchmark);
            snprintf(launch->launch, sizeof launch->launch, "%s", name);
            snprintf(launch->trace, sizeof launch->trace, "%s", trace);
        }
        struct report_point *q = add_point(launch, report_number_at(t, "N", row), report_number_at(t, "p", row));
        if (!q) return error_set(err, ERR_MEMORY, "out of memory for %zu points", t->n_rows);
        q->speedup = report_number_at(t, "speedup", row);
        q->score = report_number_at(t, "score", row);
        q->run = run_of(input, trace, q->N, q->p, report_number_at(t, "cycles", row));
    }
    return 0;
}

/* ---- from a store alone: sweeps of warp tuples ---- */

static int add_from_store(struct report_launches *out, const struct report_input *input, const struct report_run *runs,
                          size_t n, struct error *err)
{
    double base = NAN, W = 0;
    size_t points = 0;
    const struct report_run *all_warps = NULL;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(runs[i].mech, "gto") == 0) base = (all_warps = &runs[i])->metrics[METRIC_core_cycles];
        points += runs[i].is_tuple && strcmp(runs[i].mech, "tuple") == 0;
        if (runs[i].is_tuple && runs[i].N == runs[i].p && runs[i].N > W) W = runs[i].N;
    }
    for (size_t i = 0; i < n && isnan(base); i++)
        if (runs[i].is_tuple && runs[i].N == W && runs[i].p == W) base = runs[i].metrics[METRIC_core_cycles];
    if (points < LEAST_POINTS || isnan(base)) return 0;
    const struct report_trace *trace = report_trace_find(&input->store, runs[0].trace);
    struct report_launch *launch = add_launch(out);
    if (!launch) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", out->n);
    snprintf(launch->benchmark, sizeof launch->benchmark, "%.63s", trace ? trace->workload : "trace");
    if (trace && trace->input >= 0)
        snprintf(launch->launch, sizeof launch->launch, "%.60s.%d/%u", trace->workload, (int)trace->input,
                 (unsigned)trace->launch);
    else if (trace)
        snprintf(launch->launch, sizeof launch->launch, "%.60s/%u", trace->workload, (unsigned)trace->launch);
    else snprintf(launch->launch, sizeof launch->launch, "%s", runs[0].trace);
    snprintf(launch->trace, sizeof launch->trace, "%s", runs[0].trace);
    snprintf(launch->config, sizeof launch->config, "%s", runs[0].config);
    launch->all_warps = all_warps;
    launch->W = report_warps_of(&input->store, runs[0].trace, runs[0].config);
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].is_tuple || strcmp(runs[i].mech, "tuple") != 0 || runs[i].N == 0) continue;
        struct report_point *q = add_point(launch, runs[i].N, runs[i].p);
        if (!q) return error_set(err, ERR_MEMORY, "out of memory for points");
        q->run = &runs[i];
        q->speedup = base / runs[i].metrics[METRIC_core_cycles];
    }
    return 0;
}

static int from_store(struct report_launches *out, const struct report_input *input, struct error *err)
{
    const struct report_runs *all = &input->store;
    for (size_t i = 0, end; i < all->n; i = end) {
        for (end = i + 1; end < all->n && strcmp(all->runs[end].trace, all->runs[i].trace) == 0 &&
                          strcmp(all->runs[end].config, all->runs[i].config) == 0;)
            end++;
        if (add_from_store(out, input, &all->runs[i], end - i, err) < 0) return -1;
    }
    return 0;
}

bool report_has_machines(const struct report_launches *launches) { return launches->n && *launches->items[0].machine; }

static void name_machines(struct report_launches *out, const struct report_input *input)
{
    bool is_one = true;
    for (size_t i = 1; i < out->n; i++) is_one &= strcmp(out->items[i].config, out->items[0].config) == 0;
    for (size_t i = 0; i < out->n && !is_one; i++) {
        struct report_launch *l = &out->items[i];
        if (*l->config) run_columns_label(input->machines, l->config, l->machine, sizeof l->machine);
        else snprintf(l->machine, sizeof l->machine, "no machine known");
    }
}

int report_launches_init(struct report_launches *out, const struct report_input *input, struct error *err)
{
    struct model model;
    char *text = input->model ? json_dumps(input->model, 0) : NULL;
    const int parsed = text ? model_parse(&model, "model.json", text, strlen(text), err) : -1;
    free(text);
    *out = (struct report_launches){0};
    if (input->model && parsed < 0) return error_while(err, "%s", input->path);
    const int result = input->profile.n_columns ? from_profile(out, input, err) : from_store(out, input, err);
    for (size_t i = 0; i < out->n; i++) finish_launch(input, &out->items[i], parsed == 0 ? &model : NULL);
    name_machines(out, input);
    return result;
}

void report_launches_fini(struct report_launches *launches)
{
    for (size_t i = 0; i < launches->n; i++) free(launches->items[i].points);
    free(launches->items);
}
