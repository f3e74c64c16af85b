/* Training rows: thresholds with a counted reason for each drop. */
#include "poise/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW(...) PARAM_ROW_OF(dataset_params, __VA_ARGS__)
static const struct param_row param_rows[] = {DATASET_PARAMS(ROW)};
#undef ROW
const struct param_table dataset_param_table = {"dataset", param_rows, COUNT_OF(param_rows),
                                                sizeof(struct dataset_params)};

static const struct {
    const char *name, *text;
} drops[] = {
#define D(drop, name, text) {name, text},
    DATASET_DROPS(D)
#undef D
};
const char *dataset_drop_name(enum dataset_drop drop) { return drops[drop].name; }
const char *dataset_drop_text(enum dataset_drop drop) { return drops[drop].text; }

const char *dataset_drop_why(enum dataset_drop drop, const struct dataset_row *row, double hit_rate,
                             const struct dataset_params *params, char *text, size_t size)
{
    switch (drop) {
    case DROP_CYCLES:
        snprintf(text, size, "%" PRIu64 " baseline cycles, below %" PRIu64 " (threshold_cycles)", row->cycles,
                 (uint64_t)params->threshold_cycles);
        break;
    case DROP_SPEEDUP:
        snprintf(text, size, "speedup %.4f at the target, below %.4f (threshold_speedup)", row->speedup,
                 1 + params->threshold_speedup);
        break;
    case DROP_HIT_RATE:
        snprintf(text, size, "L1 hit rate %.4f at (1, 1), not above %.4f (threshold_hit_rate)", hit_rate,
                 params->threshold_hit_rate);
        break;
    case DROP_DUPLICATE:
        snprintf(text, size, "every feature within %.4g of an earlier row's (threshold_distance)",
                 params->threshold_distance);
        break;
    default: snprintf(text, size, "%s", dataset_drop_text(drop));
    }
    return text;
}

int dataset_init(struct dataset *dataset, const char *const *features, size_t n_features, struct error *err)
{
    memset(dataset, 0, sizeof *dataset);
    if (n_features > DATASET_FEATURES_MAX)
        return error_set(err, ERR_INPUT, "%zu features, at most %d", n_features, DATASET_FEATURES_MAX);
    for (size_t i = 0; i < n_features; i++) {
        if (strlen(features[i]) >= DATASET_NAME_MAX)
            return error_set(err, ERR_INPUT, "feature '%.80s': the name is longer than %d bytes", features[i],
                             DATASET_NAME_MAX - 1);
        snprintf(dataset->features[i], DATASET_NAME_MAX, "%s", features[i]);
    }
    dataset->n_features = n_features;
    return 0;
}

void dataset_fini(struct dataset *dataset)
{
    free(dataset->rows);
    memset(dataset, 0, sizeof *dataset);
}

void dataset_row_fill(struct dataset_row *row, const struct feature_row *const *features, size_t n_features,
                      const struct feature_counters *o, const struct feature_counters *a,
                      const struct profile_point *points, size_t n_points, uint32_t W,
                      const struct dataset_params *params, double *scores)
{
    const double w[3] = {params->w0, params->w1, params->w2};
    score_points(points, n_points, W, w, scores);
    const size_t target = score_target(points, scores, n_points);
    row->W = W;
    row->N = row->p = 0;
    row->speedup = row->score = NAN;
    if (target < n_points) {
        row->N = warps_scale(points[target].N, W, params->scale);
        row->p = warps_scale(points[target].p, W, params->scale);
        row->speedup = points[target].speedup;
        row->score = scores[target];
    }
    for (size_t i = 0; i < n_features && i < DATASET_FEATURES_MAX; i++) row->x[i] = features[i]->value(o, a);
}

/* Every feature within `distance` of the larger magnitude. */
static bool is_near(const struct dataset *dataset, const struct dataset_row *a, const struct dataset_row *b,
                    double distance)
{
    for (size_t i = 0; i < dataset->n_features; i++)
        if (fabs(a->x[i] - b->x[i]) > distance * fmax(fabs(a->x[i]), fabs(b->x[i]))) return false;
    return true;
}

static enum dataset_drop judge(const struct dataset *dataset, const struct dataset_row *row, double hit_rate,
                               const struct dataset_params *params)
{
    if (row->N == 0 || row->p == 0) return DROP_TARGET;
    if (row->lacks_windows) return DROP_WINDOWS;
    if (row->cycles < params->threshold_cycles) return DROP_CYCLES;
    /* a hair of slack, so that 1.015 written as 1 + 0.015 passes */
    if (!(row->speedup >= 1 + params->threshold_speedup - 1e-12)) return DROP_SPEEDUP;
    if (!(hit_rate > params->threshold_hit_rate)) return DROP_HIT_RATE;
    for (size_t i = 0; i < dataset->n_features; i++)
        if (!isfinite(row->x[i])) return DROP_NOT_FINITE;
    for (size_t i = 0; params->threshold_distance > 0 && i < dataset->n; i++)
        if (is_near(dataset, &dataset->rows[i], row, params->threshold_distance)) return DROP_DUPLICATE;
    return DROP_NONE;
}

int dataset_append(struct dataset *dataset, const struct dataset_row *row, struct error *err)
{
    if (dataset->n == dataset->capacity) {
        const size_t capacity = dataset->capacity ? 2 * dataset->capacity : 64;
        struct dataset_row *rows = realloc(dataset->rows, capacity * sizeof *rows);
        if (!rows) return error_set(err, ERR_MEMORY, "out of memory for %zu dataset rows", capacity);
        dataset->rows = rows;
        dataset->capacity = capacity;
    }
    dataset->rows[dataset->n++] = *row;
    return 0;
}

int dataset_offer(struct dataset *dataset, const struct dataset_row *row, double hit_rate,
                  const struct dataset_params *params, enum dataset_drop *drop, struct error *err)
{
    const char *const texts[] = {row->benchmark, row->kernel, row->trace};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i][0] == '\0' || strpbrk(texts[i], "\r\n"))
            return error_set(err, ERR_INPUT, "dataset row %s/%s: a name is empty or holds a line end", row->benchmark,
                             row->kernel);
    const enum dataset_drop reason = judge(dataset, row, hit_rate, params);
    if (drop) *drop = reason;
    if (reason == DROP_NONE && dataset_append(dataset, row, err) < 0) return -1;
    dataset->offered++;
    dataset->dropped[reason]++;
    return 0;
}
