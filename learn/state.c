/* Standardised columns, empirical distributions, and the numbers of a saved state. */
#include "state.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "design.h"

static const struct param_row no_rows[1];
const struct param_table no_settings = {"family", no_rows, 0, 1};

int scaling_init(struct scaling *s, const struct glm_data *data, struct error *err)
{
    memset(s, 0, sizeof *s);
    s->mean = calloc(2 * data->k + 1, sizeof *s->mean);
    if (!s->mean) return error_set(err, ERR_MEMORY, "out of memory");
    s->sd = s->mean + data->k;
    s->k = data->k;
    for (size_t j = 0; j < data->k; j++) {
        const double *x = data->x + j * data->n;
        double weights = 0, sum = 0, squares = 0, low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < data->n; i++) {
            const double w = weight_of(data, i);
            if (!(w > 0)) continue;
            weights += w, sum += w * x[i];
            low = fmin(low, x[i]), high = fmax(high, x[i]);
        }
        s->mean[j] = sum / weights;
        for (size_t i = 0; i < data->n; i++) squares += weight_of(data, i) * (x[i] - s->mean[j]) * (x[i] - s->mean[j]);
        s->sd[j] = high > low ? sqrt(squares / weights) : 0;
        if (!(high > low)) s->mean[j] = low; /* exactly, for a constant column */
        s->used += s->sd[j] > 0;
    }
    return 0;
}

void scaling_fini(struct scaling *s)
{
    free(s->mean);
    memset(s, 0, sizeof *s);
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

int residuals_init(struct residuals *r, const double *values, const double *copies, size_t n, bool is_log,
                   struct error *err)
{
    double(*pairs)[2] = malloc((n + 1) * sizeof *pairs);
    size_t used = 0;
    *r = (struct residuals){.is_log = is_log, .sorted = malloc((2 * n + 2) * sizeof *r->sorted)};
    if (!r->sorted || !pairs) {
        free(pairs);
        residuals_fini(r);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || (copies && !(copies[i] > 0))) continue;
        pairs[used][0] = values[i];
        pairs[used++][1] = copies ? copies[i] : 1;
    }
    qsort(pairs, used, sizeof *pairs, ascending);
    r->below = r->sorted + n + 1;
    r->below[0] = 0;
    for (size_t i = 0; i < used; i++) {
        r->sorted[i] = pairs[i][0];
        r->below[i + 1] = r->below[i] + pairs[i][1];
    }
    r->n = used;
    free(pairs);
    return 0;
}

void residuals_fini(struct residuals *r)
{
    free(r->sorted);
    memset(r, 0, sizeof *r);
}

double residuals_cdf(const struct residuals *r, double predicted, double y)
{
    if (r->n == 0) return y >= predicted;
    const double e = r->is_log ? (y > 0 && predicted > 0 ? log(y) - log(predicted) : -INFINITY) : y - predicted;
    if (e < r->sorted[0]) return 0;
    if (e >= r->sorted[r->n - 1]) return 1;
    size_t at = 0; /* the last position not above e */
    for (size_t low = 0, high = r->n; low < high;) {
        const size_t middle = (low + high) / 2;
        if (r->sorted[middle] <= e) at = middle, low = middle + 1;
        else high = middle;
    }
    const double part = (e - r->sorted[at]) / (r->sorted[at + 1] - r->sorted[at]);
    return (r->below[at + 1] + part) / (r->below[r->n] + 1);
}

double residuals_quantile(const struct residuals *r, double predicted, double probability)
{
    if (r->n == 0) return predicted;
    const double all = r->below[r->n], position = probability * (all + 1) - 1;
    const double inside = position < 0 ? 0 : position > all - 1 ? all - 1 : position;
    size_t at = 0; /* the last that begins at or before this position */
    for (size_t low = 0, high = r->n; low < high;) {
        const size_t middle = (low + high) / 2;
        if (r->below[middle] <= inside) at = middle, low = middle + 1;
        else high = middle;
    }
    const double past = inside - (r->below[at + 1] - 1); /* beyond its last copy: on the way to the next */
    const size_t next = at + 1 < r->n ? at + 1 : at;
    const double e = r->sorted[at] + fmax(0, past) * (r->sorted[next] - r->sorted[at]);
    return r->is_log ? predicted * exp(e) : predicted + e;
}

static int bad_row(const struct glm_data *data, size_t row, const char *what, double value, const char *why,
                   struct error *err)
{
    error_set(err, ERR_INPUT, "%s:%ld: %s is %.17g: %s", data->source ? data->source : "row",
              data->lines ? data->lines[row] : (long)row + 1, what, value, why);
    return error_at(err, data->source, data->lines ? data->lines[row] : 0, -1, NULL);
}

int state_check(const struct glm_data *data, bool is_positive, struct error *err)
{
    double weights = 0;
    if (data->n == 0 || data->k == 0)
        return error_set(err, ERR_INPUT, "%s: %zu rows and %zu columns: nothing to fit",
                         data->source ? data->source : "data", data->n, data->k);
    if (weights_check(data, err) < 0) return -1;
    for (size_t i = 0; i < data->n; i++) {
        const double y = data->y[i], w = weight_of(data, i);
        if (!isfinite(y)) return bad_row(data, i, "the target", y, "it must be a finite number", err);
        if (is_positive && !(y > 0))
            return bad_row(data, i, "the target", y, "its logarithm is needed: it must be above 0", err);
        weights += w;
        for (size_t j = 0; j < data->k; j++)
            if (!isfinite(data->x[j * data->n + i]))
                return bad_row(data, i, data->names[j], data->x[j * data->n + i], "it must be a finite number", err);
    }
    if (weights > 0) return glm_check_offset(data, err);
    return error_set(err, ERR_INPUT, "%s: every weight is 0", data->source ? data->source : "data");
}

json_t *state_number(double value)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

void state_put(json_t *object, const char *key, double value) { json_object_set_new(object, key, state_number(value)); }

void state_put_list(json_t *object, const char *key, const double *values, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(values[i]));
    json_object_set_new(object, key, list);
}

int state_get(double *out, const json_t *object, const char *key, const char *file, struct error *err)
{
    const json_t *item = json_object_get(object, key);
    const char *text = json_string_value(item);
    *out = text && strcmp(text, "inf") == 0 ? INFINITY : json_number_value(item);
    if (json_is_number(item) || (text && isinf(*out))) return 0;
    error_set(err, ERR_INPUT, "%s: state.%s: must be a number", file, key);
    return error_at(err, file, 0, -1, "write predictor files with 'poise train'");
}

int state_get_list(double **out, const json_t *object, const char *key, size_t n, const char *file, struct error *err)
{
    const json_t *list = json_object_get(object, key);
    *out = NULL;
    if (!json_is_array(list) || json_array_size(list) != n) {
        error_set(err, ERR_INPUT, "%s: state.%s: must be a list of %zu numbers, not %zu", file, key, n,
                  json_array_size(list));
        return error_at(err, file, 0, -1, "write predictor files with 'poise train'");
    }
    double *values = malloc((n + 1) * sizeof *values);
    if (!values) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        values[i] = json_number_value(item);
        if (json_is_number(item) && isfinite(values[i])) continue;
        free(values);
        return error_set(err, ERR_INPUT, "%s: state.%s[%zu]: must be a finite number", file, key, i);
    }
    *out = values;
    return 0;
}

size_t state_list_size(const json_t *object, const char *key) { return json_array_size(json_object_get(object, key)); }

void state_put_scaling(json_t *object, const struct scaling *s)
{
    state_put_list(object, "mean", s->mean, s->k);
    state_put_list(object, "sd", s->sd, s->k);
}

int state_get_scaling(struct scaling *out, const json_t *object, size_t k, const char *file, struct error *err)
{
    double *mean = NULL, *sd = NULL;
    memset(out, 0, sizeof *out);
    int failed =
        state_get_list(&mean, object, "mean", k, file, err) < 0 || state_get_list(&sd, object, "sd", k, file, err) < 0;
    if (!failed && !(out->mean = calloc(2 * k + 1, sizeof(double))))
        failed = error_set(err, ERR_MEMORY, "out of memory") < 0;
    if (!failed) {
        out->k = k;
        out->sd = out->mean + k;
        memcpy(out->mean, mean, k * sizeof(double));
        memcpy(out->sd, sd, k * sizeof(double));
        for (size_t j = 0; j < k; j++) out->used += sd[j] > 0;
    }
    free(mean);
    free(sd);
    return failed ? -1 : 0;
}

void state_put_residuals(json_t *object, const struct residuals *r)
{
    json_object_set_new(object, "residuals_of", json_string(r->is_log ? "log" : "target"));
    state_put_list(object, "residuals", r->sorted, r->n);
    if (r->n == 0 || !(r->below[r->n] > (double)r->n)) return;
    json_t *copies = json_array();
    for (size_t i = 0; i < r->n; i++) json_array_append_new(copies, json_real(r->below[i + 1] - r->below[i]));
    json_object_set_new(object, "residual_copies", copies);
}

int state_get_residuals(struct residuals *out, const json_t *object, const char *file, struct error *err)
{
    double *values;
    const char *of = json_string_value(json_object_get(object, "residuals_of"));
    const size_t n = state_list_size(object, "residuals");
    memset(out, 0, sizeof *out);
    if (!of || (strcmp(of, "log") != 0 && strcmp(of, "target") != 0))
        return error_set(err, ERR_INPUT, "%s: state.residuals_of: must be \"log\" or \"target\"", file);
    double *copies = NULL;
    if (state_get_list(&values, object, "residuals", n, file, err) < 0) return -1;
    int failed = 0;
    if (json_object_get(object, "residual_copies"))
        failed = state_get_list(&copies, object, "residual_copies", n, file, err);
    if (!failed) failed = residuals_init(out, values, copies, n, strcmp(of, "log") == 0, err);
    free(values);
    free(copies);
    return failed;
}
