/* Profiles -> training rows -> dataset.csv -> two regressions -> model.json.   [THESIS §5.5.3, §5.5.4, Tab. 5.5] */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/tuple_model.h"
#include "poise/validate.h"

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
        if (p->spec->from_windows) {
            row.lacks_windows = q->window_a.cycles == 0;
            o = &q->window_o;
            a = &q->window_a;
        }
        dataset_row_fill(&row, features, p->spec->n_features, o, a, points, n, W, &p->spec->dataset, q->scores);
        q->target = score_target(points, q->scores, n);
        memcpy(q->x, row.x, p->spec->n_features * sizeof *q->x);
        free(points);
        if (q->workload->set == WORKLOAD_TRAINING &&
            dataset_offer(&p->dataset, &row, measure_hit_rate(&one->m), &p->spec->dataset, &q->drop, err) < 0)
            return error_while(err, "%s", q->launch->label);
        if (q->drop != DROP_NONE)
            dataset_drop_why(q->drop, &row, measure_hit_rate(&one->m), &p->spec->dataset, q->why, sizeof q->why);
    }
    return 0;
}

/* Both targets of the training rows by column: k features of n rows, N, p. */
struct columns {
    size_t n, k;
    double *x, *N, *p;
    const char *names[FEATURES_MAX];
};

/* No row is left: how many fell to which reason. */
static int refuse_empty(const struct pipeline *p, struct error *err)
{
    char reasons[400] = "", first[300] = "";
    for (size_t i = 0; i < p->n_profiles && !*first; i++)
        if (*p->profiles[i].why)
            snprintf(first, sizeof first, "the first, %.100s: %s", p->profiles[i].launch->label, p->profiles[i].why);
    for (int drop = DROP_NONE + 1; drop < N_DATASET_DROPS; drop++) {
        const size_t n = p->dataset.dropped[drop], used = strlen(reasons);
        if (n)
            snprintf(reasons + used, sizeof reasons - used, "%s%zu: %s", used ? "; " : "", n,
                     dataset_drop_text((enum dataset_drop)drop));
    }
    error_set(err, ERR_RUN, "none of %zu training kernels passes the thresholds (%s)", p->n_training, reasons);
    return *first ? error_at(err, NULL, 0, -1, first) : -1;
}

/* `without`: a feature to leave out, or NULL. */
static int columns_init(struct columns *c, const struct pipeline *p, const char *without, struct error *err)
{
    *c = (struct columns){.n = p->dataset.n};
    if (c->n == 0) return refuse_empty(p, err);
    if (!(c->x = calloc(c->n * (p->spec->n_features + 2), sizeof *c->x)))
        return error_set(err, ERR_MEMORY, "out of memory for %zu training rows", c->n);
    c->N = c->x + c->n * p->spec->n_features;
    c->p = c->N + c->n;
    for (size_t f = 0; f < p->spec->n_features; f++) {
        if (without && strcmp(p->spec->features[f], without) == 0) continue;
        for (size_t i = 0; i < c->n; i++) c->x[c->k * c->n + i] = p->dataset.rows[i].x[f];
        c->names[c->k++] = p->spec->features[f];
    }
    for (size_t i = 0; i < c->n; i++) {
        c->N[i] = p->dataset.rows[i].N;
        c->p[i] = p->dataset.rows[i].p;
    }
    return 0;
}

static int choose_penalty(const struct pipeline *p, struct glm_options *options, const struct glm_data *data,
                          struct error *err)
{
    struct groups groups;
    const char **texts = calloc(data->n + 1, sizeof *texts);
    if (!texts) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < data->n; i++) texts[i] = p->dataset.rows[i].benchmark;
    int failed = groups_init(&groups, texts, data->n, err);
    if (!failed) {
        failed = penalty_choose(&options->penalty, options->family, options->theta, data, &groups, err);
        groups_fini(&groups);
    }
    free(texts);
    return failed;
}

static int fit_target(const struct pipeline *p, const struct columns *c, const double *y, bool penalised,
                      const char *target, struct model *model, json_t **json, struct error *err)
{
    struct glm_fit fit;
    const size_t n = c->n;
    const struct glm_data data = {.n = n, .k = c->k, .x = c->x, .y = y, .names = c->names, .source = "dataset.csv"};
    struct glm_options options = {.family = p->spec->family};
    if (penalised) options.penalty = p->spec->penalty;
    if (penalised && p->spec->penalty_is_chosen && choose_penalty(p, &options, &data, err) < 0)
        return error_while(err, "choosing the penalty of %s", target);
    if (glm_fit(&fit, &data, &options, err) < 0) {
        error_while(err, "learning %s from %zu kernels", target, n);
        return error_at(err, NULL, 0, -1,
                        "profile more training kernels, or name fewer features in the spec (features: [...])");
    }
    if (json) *json = glm_fit_json(&fit);
    const int result = glm_fit_output(&fit, target, &model->outputs[model->n_outputs], err);
    if (result == 0) model->n_outputs++;
    glm_fit_fini(&fit);
    return result;
}

static int fit_model(const struct pipeline *p, const char *without, bool penalised, struct model *model, json_t **fit_N,
                     json_t **fit_p, struct error *err)
{
    struct columns c;
    int result = columns_init(&c, p, without, err);
    if (without) snprintf(model->name, sizeof model->name, "%.30s without %.20s", p->spec->name, without);
    else snprintf(model->name, sizeof model->name, "%.63s", p->spec->name);
    model->scale = p->spec->dataset.scale;
    model->model_version = SIM_MODEL_VERSION;
    if (result == 0) result = fit_target(p, &c, c.N, penalised, "N", model, fit_N, err);
    if (result == 0) result = fit_target(p, &c, c.p, penalised, "p", model, fit_p, err);
    free(c.x);
    return result;
}

/* The models of the ablation: one feature left out of each. [THESIS Fig. 5.14] */
static int retrain(struct pipeline *p, struct error *err)
{
    for (size_t i = 0; i < p->spec->n_retrain; i++) {
        struct model model = {0};
        char file[128], path[1200];
        snprintf(file, sizeof file, "model-without-%s.json", p->spec->retrain[i]);
        if (fit_model(p, p->spec->retrain[i], true, &model, NULL, NULL, err) < 0 ||
            model_write(&model, p->training, NULL, pipeline_path(p, file, path, sizeof path), err) < 0)
            return error_while(err, "without %s", p->spec->retrain[i]);
    }
    return 0;
}

/* The model that a penalty is compared with: the same regression by maximum likelihood. */
static int train_unpenalised(struct pipeline *p, struct error *err)
{
    struct model model = {0};
    char path[1200];
    if (!pipeline_is_penalised(p->spec)) return 0;
    if (fit_model(p, NULL, false, &model, NULL, NULL, err) < 0 ||
        model_write(&model, p->training, NULL, pipeline_path(p, UNPENALISED_MODEL, path, sizeof path), err) < 0)
        return error_while(err, "without a penalty");
    return 0;
}

static json_t *training_json(const struct pipeline *p, const char *hash)
{
    json_t *dropped = json_object(), *rows = json_object();
    for (int drop = DROP_NONE + 1; drop < N_DATASET_DROPS; drop++)
        json_object_set_new(dropped, dataset_drop_name((enum dataset_drop)drop),
                            json_integer((json_int_t)p->dataset.dropped[drop]));
    for (size_t b = 0; b < p->n_training_benchmarks; b++) {
        json_int_t n = 0;
        for (size_t i = 0; i < p->benchmarks[b].n; i++) n += p->benchmarks[b].profiles[i].drop == DROP_NONE;
        json_object_set_new(rows, p->benchmarks[b].workload->name, json_integer(n));
    }
    return json_pack("{s:I,s:I,s:o,s:o,s:s,s:o}", "launches", (json_int_t)p->n_training, "used",
                     (json_int_t)p->dataset.n, "dropped", dropped, "rows_per_benchmark", rows, "dataset", hash,
                     "params", params_json(&dataset_param_table, &p->spec->dataset));
}

/* The offline predictions for a launch, by the arithmetic of the engine: from its runs, and from its windows (0 if
 * it has none). */
static struct tuple_prediction predict_launch(const struct pipeline *p, const struct profile *q,
                                              const struct tuple_model *model, struct tuple_prediction *seen)
{
    const uint32_t W = q->plan.warps_per_scheduler;
    const struct feature_counters *o = NULL, *a = NULL;
    profile_at(q, W, W, &o);
    profile_at(q, 1, 1, &a);
    *seen = (struct tuple_prediction){0};
    if (q->window_a.cycles) *seen = tuple_model_predict(model, &q->window_o, &q->window_a, W);
    return p->spec->from_windows && q->window_a.cycles ? *seen : tuple_model_predict(model, o, a, W);
}

static int predict(struct pipeline *p, struct error *err)
{
    struct tuple_model model;
    if (tuple_model_init(&model, &p->model, p->spec->model[0] ? p->spec->model : p->model.name, err) < 0) return -1;
    for (size_t i = 0; i < p->n_profiles; i++) {
        struct profile *q = &p->profiles[i];
        struct tuple_prediction seen;
        if (!q->launch->is_profiled) continue;
        const struct tuple_prediction t = predict_launch(p, q, &model, &seen);
        q->raw_N = (double)t.raw[0];
        q->raw_p = (double)t.raw[1];
        q->predicted_N = t.N;
        q->predicted_p = t.p;
        q->window_N = seen.N;
        q->window_p = seen.p;
    }
    return 0;
}

static int predict_beside(struct pipeline *p, struct error *err)
{
    struct model file;
    struct tuple_model model;
    char folder[600], path[700];
    if (!p->spec->beside[0]) return 0;
    lab_models(folder, sizeof folder, p->options->paths.configs);
    snprintf(path, sizeof path, "%s/%s", folder, p->spec->beside);
    if (model_read(&file, path, err) < 0 || tuple_model_init(&model, &file, path, err) < 0)
        return error_while(err, "beside");
    for (size_t i = 0; i < p->n_profiles; i++) {
        struct profile *q = &p->profiles[i];
        struct tuple_prediction seen;
        if (!q->launch->is_profiled) continue;
        const struct tuple_prediction t = predict_launch(p, q, &model, &seen);
        q->beside = (struct warp_tuple){t.N, t.p};
        q->beside_window = (struct warp_tuple){seen.N, seen.p};
    }
    return 0;
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
    if (p->spec->model[0]) {
        if (model_read(&p->model, p->spec->model, err) < 0) return -1;
    } else if (fit_model(p, NULL, true, &p->model, &p->fit_N, &p->fit_p, err) < 0) {
        return -1;
    }
    if (!(p->training = training_json(p, hash)))
        return error_set(err, ERR_MEMORY, "out of memory for the training's summary");
    return retrain(p, err) < 0 || train_unpenalised(p, err) < 0 || predict(p, err) < 0 ? -1 : predict_beside(p, err);
}
