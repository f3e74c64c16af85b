/* The mean of the k nearest rows in standardised columns. Rows of frequency weight w count as w neighbours,
 * rows of precision w as one with weight w in the mean. Where several rows at one distance compete for the last places,
 * they share them, so that neither the order of rows nor the way repeated rows are written matters. With offsets:
 * sum w y / sum w exp(offset). The distribution is that of each row's error when it is left out. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "state.h"

#define KNN_SETTINGS(P) P(U32, k, 5, 1, 1000000, "rows", "assumed", "neighbours")
PARAM_STRUCT(knn_settings, KNN_SETTINGS);
#define ROW(...) PARAM_ROW_OF(knn_settings, __VA_ARGS__)
static const struct param_row rows[] = {KNN_SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"knn", rows, COUNT_OF(rows), sizeof(struct knn_settings)};
static const struct family_axis axes[] = {{"k", 6, {"1", "3", "5", "9", "15", "25"}}};

struct knn_state {
    struct scaling scaling;
    size_t n;
    double neighbours;
    double *z, *y, *weight, *precision, *exposure; /* n x columns; n each; weight: copies; exposure = exp(offset) */
    struct residuals residuals;
};

/* Distances sorted ascending, with the row. */
struct near {
    double distance;
    size_t row;
};
static int nearer(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* `without`: a row of which one copy is left out, or n. */
static double rate_at(const struct knn_state *s, const double *z, size_t without, struct near *near)
{
    const size_t k = s->scaling.k;
    for (size_t i = 0; i < s->n; i++) {
        double d = 0;
        for (size_t j = 0; j < k; j++) d += (z[j] - s->z[i * k + j]) * (z[j] - s->z[i * k + j]);
        near[i] = (struct near){d, i};
    }
    qsort(near, s->n, sizeof *near, nearer);
    double left = s->neighbours, sum = 0, exposure = 0;
    for (size_t i = 0, next; i < s->n && left > 0; i = next) {
        double weights = 0, y = 0, e = 0;
        for (next = i; next < s->n && near[next].distance <= near[i].distance * (1 + 1e-12); next++) {
            const size_t row = near[next].row;
            const double copies = s->weight[row] - (row == without ? 1 : 0), w = copies * s->precision[row];
            weights += copies, y += w * s->y[row], e += w * s->exposure[row];
        }
        if (!(weights > 0)) continue;
        const double share = weights > left ? left / weights : 1;
        sum += share * y, exposure += share * e;
        left -= share * weights;
    }
    return exposure > 0 ? sum / exposure : NAN;
}

static int knn_fit(void *opaque, const struct glm_data *data, const void *settings, struct error *err)
{
    struct knn_state *s = opaque;
    if (state_check(data, false, err) < 0 || scaling_init(&s->scaling, data, err) < 0) return -1;
    const size_t n = data->n, k = data->k;
    s->neighbours = ((const struct knn_settings *)settings)->k;
    s->z = malloc(n * k * sizeof *s->z);
    s->y = malloc(n * sizeof *s->y);
    s->weight = malloc(n * sizeof *s->weight);
    s->precision = malloc(n * sizeof *s->precision);
    s->exposure = malloc(n * sizeof *s->exposure);
    double *errors = malloc(n * sizeof *errors);
    struct near *near = malloc(n * sizeof *near);
    int failed = s->z && s->y && s->weight && s->precision && s->exposure && errors && near
                     ? 0
                     : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; !failed && i < n; i++) {
        if (!(copies_of(data, i) > 0)) continue;
        for (size_t j = 0; j < k; j++) s->z[s->n * k + j] = scaling_value(&s->scaling, j, data->x[j * n + i]);
        s->y[s->n] = data->y[i];
        s->weight[s->n] = copies_of(data, i);
        s->precision[s->n] = precision_of(data, i);
        s->exposure[s->n++] = exp(offset_of(data, i));
    }
    for (size_t i = 0; !failed && i < s->n; i++)
        errors[i] = sqrt(s->precision[i]) * (s->y[i] - s->exposure[i] * rate_at(s, s->z + i * k, i, near));
    if (!failed) failed = residuals_init(&s->residuals, errors, s->weight, s->n, false, err);
    free(errors);
    free(near);
    return failed;
}

static double knn_predict(const void *opaque, const double *x, double offset)
{
    const struct knn_state *s = opaque;
    double *z = malloc((s->scaling.k + 1) * sizeof *z);
    struct near *near = malloc((s->n + 1) * sizeof *near);
    double rate = NAN;
    if (z && near) {
        for (size_t j = 0; j < s->scaling.k; j++) z[j] = scaling_value(&s->scaling, j, x[j]);
        rate = rate_at(s, z, s->n, near);
    }
    free(z);
    free(near);
    return rate * exp(offset);
}
static double knn_cdf(const void *opaque, const double *x, double offset, double y)
{
    return residuals_cdf(&((const struct knn_state *)opaque)->residuals, knn_predict(opaque, x, offset), y);
}
static double knn_quantile(const void *opaque, const double *x, double offset, double probability)
{
    return residuals_quantile(&((const struct knn_state *)opaque)->residuals, knn_predict(opaque, x, offset),
                              probability);
}

static void knn_save(const void *opaque, json_t *out)
{
    const struct knn_state *s = opaque;
    state_put(out, "neighbours", s->neighbours);
    state_put_scaling(out, &s->scaling);
    state_put_list(out, "y", s->y, s->n);
    state_put_list(out, "weight", s->weight, s->n);
    bool is_weighted = false;
    for (size_t i = 0; i < s->n; i++) is_weighted |= s->precision[i] != 1;
    if (is_weighted) state_put_list(out, "precision", s->precision, s->n);
    state_put_list(out, "exposure", s->exposure, s->n);
    state_put_list(out, "rows", s->z, s->n * s->scaling.k);
    state_put_residuals(out, &s->residuals);
}

static int knn_load(void *opaque, const json_t *in, size_t k, const char *file, struct error *err)
{
    struct knn_state *s = opaque;
    s->n = state_list_size(in, "y");
    if (state_get(&s->neighbours, in, "neighbours", file, err) < 0 ||
        state_get_scaling(&s->scaling, in, k, file, err) < 0 || state_get_list(&s->y, in, "y", s->n, file, err) < 0 ||
        state_get_list(&s->weight, in, "weight", s->n, file, err) < 0 ||
        state_get_list(&s->exposure, in, "exposure", s->n, file, err) < 0 ||
        state_get_list(&s->z, in, "rows", s->n * k, file, err) < 0)
        return -1;
    if (json_object_get(in, "precision")) {
        if (state_get_list(&s->precision, in, "precision", s->n, file, err) < 0) return -1;
    } else {
        s->precision = malloc((s->n + 1) * sizeof *s->precision);
        if (!s->precision) return error_set(err, ERR_MEMORY, "out of memory");
        for (size_t i = 0; i < s->n; i++) s->precision[i] = 1;
    }
    return state_get_residuals(&s->residuals, in, file, err);
}

static void knn_fini(void *opaque)
{
    struct knn_state *s = opaque;
    scaling_fini(&s->scaling);
    residuals_fini(&s->residuals);
    free(s->z);
    free(s->y);
    free(s->weight);
    free(s->precision);
    free(s->exposure);
}

const struct family family_knn = {.name = "knn",
                                  .text = "k nearest neighbours",
                                  .settings = &table,
                                  .axes = axes,
                                  .n_axes = COUNT_OF(axes),
                                  .state_size = sizeof(struct knn_state),
                                  .fit = knn_fit,
                                  .predict = knn_predict,
                                  .cdf = knn_cdf,
                                  .quantile = knn_quantile,
                                  .save = knn_save,
                                  .load = knn_load,
                                  .fini = knn_fini};
