/* Profiles -> training rows -> dataset.csv -> two regressions -> model.json.            [THESIS §5.5.3, §5.5.4, Tab. 5.5] */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pipeline_internal.h"
#include "poise/csv.h"
#include "poise/file.h"

#define D(id, text) #id,
const char *const drop_names[N_DROP_REASONS] = {DROP_REASONS(D)};
#undef D

void profile_judge(struct profile_verdict *out, const struct pipeline_spec *spec, const struct profile_point *points, size_t n,
                   uint32_t W, uint64_t baseline_cycles, double hit_rate_at_one)
{
    score_points(points, n, W, spec->score_weights, out->scores);
    out->target = score_target(points, out->scores, n);
    out->reason = out->target == n                                        ? DROP_no_target
                  : (double)baseline_cycles < spec->min_cycles            ? DROP_cycles
                  : points[out->target].speedup < spec->min_speedup       ? DROP_speedup
                  : !(hit_rate_at_one > spec->min_hit_rate)               ? DROP_hit_rate
                                                                          : DROP_used;
}

static void fill_features(struct pipeline *p)
{
    for (size_t i = 0; i < p->n_profiles; i++) {
        struct profile *q = &p->profiles[i];
        const struct feature_counters *o = NULL, *a = NULL;
        const uint32_t W = q->plan.warps_per_scheduler;
        if (!profile_at(q, W, W, &o) || !profile_at(q, 1, 1, &a)) continue;
        for (size_t f = 0; f < p->spec->n_features; f++) q->x[f] = feature_find(p->spec->features[f])->value(o, a);
    }
}

static struct profile_point target_point(const struct profile *q)
{
    const struct tuple_run *r = &q->runs[q->verdict.target], *baseline = profile_at(q, q->plan.warps_per_scheduler, q->plan.warps_per_scheduler, NULL);
    return (struct profile_point){r->at.N, r->at.p, (double)baseline->m.cycles / (double)r->m.cycles};
}

static void print_row(const struct pipeline *p, const struct profile *q, FILE *out)
{
    char hash[HASH_TEXT_SIZE], text[2][40];
    const uint32_t W = q->plan.warps_per_scheduler;
    const struct profile_point t = target_point(q);
    hash_text(&q->launch->hash, hash);
    fprintf(out, "%s,%s,%s,%s,%u,%llu,%s,%s,%u,%u", q->launch->kernel, q->workload->name, hash, q->launch->label, (unsigned)W,
            (unsigned long long)profile_at(q, W, W, NULL)->m.cycles, number_text(t.speedup, text[0], sizeof *text),
            number_text(q->verdict.scores[q->verdict.target], text[1], sizeof *text), (unsigned)warps_scale(t.N, W, p->spec->scale),
            (unsigned)warps_scale(t.p, W, p->spec->scale));
    for (size_t f = 0; f < p->spec->n_features; f++) fprintf(out, ",%s", number_text(q->x[f], text[0], sizeof *text));
    fputc('\n', out);
}

/* Writes dataset.csv: one row a kernel used for training. Its hash names the training set. */
static int write_dataset(const struct pipeline *p, char hash[HASH_TEXT_SIZE], struct error *err)
{
    char *text = NULL, path[1200];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for the data set");
    fprintf(out, "kernel,benchmark,trace,launch,W,cycles,speedup,score,N,p");
    for (size_t f = 0; f < p->spec->n_features; f++) fprintf(out, ",%s", p->spec->features[f]);
    fputc('\n', out);
    for (size_t i = 0; i < p->n_training; i++)
        if (p->profiles[i].verdict.reason == DROP_used) print_row(p, &p->profiles[i], out);
    fclose(out);
    const struct hash h = hash_bytes(text, size);
    hash_text(&h, hash);
    const int result = file_write(pipeline_path(p, "dataset.csv", path, sizeof path), text, size, err);
    free(text);
    return result;
}

static int fit_target(struct pipeline *p, const double *x, const double *y, size_t n, const char *target, json_t **json, struct error *err)
{
    const char *names[FEATURES_MAX];
    struct glm_fit fit;
    for (size_t f = 0; f < p->spec->n_features; f++) names[f] = p->spec->features[f];
    const struct glm_data data = {.n = n, .k = p->spec->n_features, .x = x, .y = y, .names = names, .source = "dataset.csv"};
    const struct glm_options options = {.family = p->spec->family};
    if (glm_fit(&fit, &data, &options, err) < 0) {
        error_while(err, "learning %s from %zu kernels", target, n);
        return error_at(err, NULL, 0, -1, "more training kernels, or fewer features in the spec (features: [...])");
    }
    *json = glm_fit_json(&fit);
    const int result = glm_fit_output(&fit, target, &p->model.outputs[p->model.n_outputs], err);
    if (result == 0) p->model.n_outputs++;
    glm_fit_fini(&fit);
    return result;
}

static int fit_model(struct pipeline *p, struct error *err)
{
    const size_t k = p->spec->n_features;
    size_t n = 0, row = 0;
    for (size_t i = 0; i < p->n_training; i++) n += p->profiles[i].verdict.reason == DROP_used;
    double *x = calloc(n * k + 1, sizeof *x), *y = calloc(2 * n + 1, sizeof *y);
    int result = x && y ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu training rows", n);
    for (size_t i = 0; i < p->n_training && result == 0; i++) {
        const struct profile *q = &p->profiles[i];
        if (q->verdict.reason != DROP_used) continue;
        const struct profile_point t = target_point(q);
        for (size_t f = 0; f < k; f++) x[f * n + row] = q->x[f];
        y[row] = warps_scale(t.N, q->plan.warps_per_scheduler, p->spec->scale);
        y[n + row] = warps_scale(t.p, q->plan.warps_per_scheduler, p->spec->scale);
        row++;
    }
    if (result == 0 && n == 0)
        result = error_set(err, ERR_RUN, "none of %zu training kernels passes the thresholds", p->n_training);
    snprintf(p->model.name, sizeof p->model.name, "%.63s", p->spec->name);
    p->model.scale = p->spec->scale;
    p->model.n_outputs = 0;
    if (result == 0) result = fit_target(p, x, y, n, "N", &p->fit_N, err);
    if (result == 0) result = fit_target(p, x, y + n, n, "p", &p->fit_p, err);
    free(x);
    free(y);
    return result;
}

static json_t *training_json(const struct pipeline *p, const char *hash)
{
    json_t *dropped = json_object(), *rows = json_object();
    json_int_t used = 0;
    for (int reason = DROP_used + 1; reason < N_DROP_REASONS; reason++) {
        json_int_t n = 0;
        for (size_t i = 0; i < p->n_training; i++) n += (int)p->profiles[i].verdict.reason == reason;
        json_object_set_new(dropped, drop_names[reason], json_integer(n));
    }
    for (size_t b = 0; b < p->n_training_benchmarks; b++) {
        json_int_t n = 0;
        for (size_t i = 0; i < p->benchmarks[b].n; i++) n += p->benchmarks[b].profiles[i].verdict.reason == DROP_used;
        json_object_set_new(rows, p->benchmarks[b].workload->name, json_integer(n));
        used += n;
    }
    return json_pack("{s:I,s:I,s:o,s:o,s:s,s:{s:o,s:o,s:o}}", "launches", (json_int_t)p->n_training, "used", used, "dropped", dropped,
                     "rows_per_benchmark", rows, "dataset", hash, "thresholds", "speedup", json_figure(p->spec->min_speedup), "cycles",
                     json_figure(p->spec->min_cycles), "hit_rate", json_figure(p->spec->min_hit_rate));
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
        warps_unscale(raw_N, raw_p, q->plan.warps_per_scheduler, (float)p->spec->scale, &q->predicted_N, &q->predicted_p);
    }
}

int pipeline_train(struct pipeline *p, struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    fill_features(p);
    if (write_dataset(p, hash, err) < 0 || fit_model(p, err) < 0) return -1;
    p->training = training_json(p, hash);
    predict(p);
    return 0;
}
