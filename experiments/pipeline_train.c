/* Profiles -> training rows -> dataset.csv -> two regressions -> model.json.            [THESIS §5.5.3, §5.5.4, Tab. 5.5] */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pipeline_internal.h"
#include "poise/file.h"

static void fill_row(struct dataset_row *row, const struct profile *q, uint64_t cycles)
{
    memset(row, 0, sizeof *row);
    snprintf(row->benchmark, sizeof row->benchmark, "%.63s", q->workload->benchmark);
    snprintf(row->kernel, sizeof row->kernel, "%.63s", q->launch->kernel);
    hash_text(&q->launch->hash, row->trace);
    row->launch = q->launch->index;
    row->cycles = cycles;
}

/* Features, scores and target of every profiled launch; rows of the training launches. */
static int make_rows(struct pipeline *p, const struct feature_row *const *features, struct error *err)
{
    for (size_t i = 0; i < p->n_profiles; i++) {
        struct profile *q = &p->profiles[i];
        const uint32_t W = q->plan.warps_per_scheduler;
        const struct feature_counters *o = NULL, *a = NULL;
        const struct tuple_run *baseline = profile_at(q, W, W, &o), *one = profile_at(q, 1, 1, &a);
        if (!q->launch->is_profiled) continue;
        struct profile_point *points = calloc(q->n_runs + 1, sizeof *points);
        struct dataset_row row;
        if (!points) return error_set(err, ERR_MEMORY, "out of memory for %zu points", q->n_runs);
        const size_t n = profile_points(q, points);
        fill_row(&row, q, baseline->m.cycles);
        dataset_row_fill(&row, features, p->spec->n_features, o, a, points, n, W, &p->spec->dataset, q->scores);
        q->target = score_target(points, q->scores, n);
        memcpy(q->x, row.x, p->spec->n_features * sizeof *q->x);
        free(points);
        if (q->workload->set == WORKLOAD_TRAINING &&
            dataset_offer(&p->dataset, &row, measure_hit_rate(&one->m), &p->spec->dataset, &q->drop, err) < 0)
            return error_while(err, "%s", q->launch->label);
    }
    return 0;
}

static int fit_target(struct pipeline *p, const double *x, const double *y, const char *target, json_t **json, struct error *err)
{
    const char *names[FEATURES_MAX];
    struct glm_fit fit;
    const size_t n = p->dataset.n;
    for (size_t f = 0; f < p->spec->n_features; f++) names[f] = p->spec->features[f];
    const struct glm_data data = {.n = n, .k = p->spec->n_features, .x = x, .y = y, .names = names, .source = "dataset.csv"};
    const struct glm_options options = {.family = p->spec->family};
    if (glm_fit(&fit, &data, &options, err) < 0) {
        error_while(err, "learning %s from %zu kernels", target, n);
        return error_at(err, NULL, 0, -1, "profile more training kernels, or name fewer features in the spec (features: [...])");
    }
    *json = glm_fit_json(&fit);
    const int result = glm_fit_output(&fit, target, &p->model.outputs[p->model.n_outputs], err);
    if (result == 0) p->model.n_outputs++;
    glm_fit_fini(&fit);
    return result;
}

static int fit_model(struct pipeline *p, struct error *err)
{
    const size_t k = p->spec->n_features, n = p->dataset.n;
    double *x = calloc(n * k + 1, sizeof *x), *y = calloc(2 * n + 1, sizeof *y);
    int result = x && y ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu training rows", n);
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct dataset_row *row = &p->dataset.rows[i];
        for (size_t f = 0; f < k; f++) x[f * n + i] = row->x[f];
        y[i] = row->N;
        y[n + i] = row->p;
    }
    if (result == 0 && n == 0) result = error_set(err, ERR_RUN, "none of %zu training kernels passes the thresholds", p->n_training);
    snprintf(p->model.name, sizeof p->model.name, "%.63s", p->spec->name);
    p->model.scale = p->spec->dataset.scale;
    if (result == 0) result = fit_target(p, x, y, "N", &p->fit_N, err);
    if (result == 0) result = fit_target(p, x, y + n, "p", &p->fit_p, err);
    free(x);
    free(y);
    return result;
}

static json_t *training_json(const struct pipeline *p, const char *hash)
{
    json_t *dropped = json_object(), *rows = json_object();
    for (int drop = DROP_NONE + 1; drop < N_DATASET_DROPS; drop++)
        json_object_set_new(dropped, dataset_drop_name((enum dataset_drop)drop), json_integer((json_int_t)p->dataset.dropped[drop]));
    for (size_t b = 0; b < p->n_training_benchmarks; b++) {
        json_int_t n = 0;
        for (size_t i = 0; i < p->benchmarks[b].n; i++) n += p->benchmarks[b].profiles[i].drop == DROP_NONE;
        json_object_set_new(rows, p->benchmarks[b].workload->name, json_integer(n));
    }
    return json_pack("{s:I,s:I,s:o,s:o,s:s,s:o}", "launches", (json_int_t)p->n_training, "used", (json_int_t)p->dataset.n, "dropped", dropped,
                     "rows_per_benchmark", rows, "dataset", hash, "params", params_json(&dataset_param_table, &p->spec->dataset));
}

/* The offline prediction, by the arithmetic of the engine. */
static void predict(struct pipeline *p)
{
    const struct model_output *N = model_find(&p->model, "N"), *pol = model_find(&p->model, "p");
    for (size_t i = 0; i < p->n_profiles; i++) {
        struct profile *q = &p->profiles[i];
        float x[FEATURES_MAX];
        if (!q->launch->is_profiled) continue;
        for (size_t f = 0; f < p->spec->n_features; f++) x[f] = (float)q->x[f];
        const float raw_N = model_predict_f32(N, x), raw_p = model_predict_f32(pol, x);
        q->raw_N = (double)raw_N;
        q->raw_p = (double)raw_p;
        warps_unscale(raw_N, raw_p, q->plan.warps_per_scheduler, (float)p->spec->dataset.scale, &q->predicted_N, &q->predicted_p);
    }
}

int pipeline_train(struct pipeline *p, struct error *err)
{
    const char *names[FEATURES_MAX];
    const struct feature_row *features[FEATURES_MAX];
    char path[1200], hash[HASH_TEXT_SIZE], *text;
    size_t size;
    for (size_t f = 0; f < p->spec->n_features; f++) features[f] = feature_find(names[f] = p->spec->features[f]);
    if (dataset_init(&p->dataset, names, p->spec->n_features, err) < 0 || make_rows(p, features, err) < 0) return -1;
    pipeline_path(p, "dataset.csv", path, sizeof path);
    if (dataset_write(&p->dataset, path, err) < 0 || file_read(&text, &size, path, err) < 0) return -1;
    const struct hash h = hash_bytes(text, size);
    free(text);
    hash_text(&h, hash);
    if (fit_model(p, err) < 0) return -1;
    p->training = training_json(p, hash);
    predict(p);
    return 0;
}
