/* What families share: standardised columns, distributions from residuals, numbers in JSON.      (private) */
#ifndef POISE_LEARN_STATE_H
#define POISE_LEARN_STATE_H
#include <stdbool.h>
#include <stddef.h>
#include "poise/family.h"

/* Columns to mean 0 and variance 1 (population variance, rows weighted). A constant column has sd 0 and becomes 0. */
struct scaling {
    size_t k, used;
    double *mean, *sd;
};
int scaling_init(struct scaling *scaling, const struct glm_data *data, struct error *err);
void scaling_fini(struct scaling *scaling);
static inline double scaling_value(const struct scaling *s, size_t column, double x)
{
    return s->sd[column] > 0 ? (x - s->mean[column]) / s->sd[column] : 0;
}

/* What a prediction misses by, from rows that the fit had not seen: its sorted values are the predictive
 * distribution. Additive, or of logarithms. Position i of n has probability i / (n + 1), as in conformal prediction. */
struct residuals {
    size_t n;               /* distinct places: values and how many */
    double *sorted, *below; /* n; n + 1: residuals before each, and all */
    bool is_log;
};
/* `copies`: how often each stands, NULL for once; values that are not finite are left out. */
int residuals_init(struct residuals *residuals, const double *values, const double *copies, size_t n, bool is_log,
                   struct error *err);
void residuals_fini(struct residuals *residuals);
double residuals_cdf(const struct residuals *residuals, double predicted, double y);
double residuals_quantile(const struct residuals *residuals, double predicted, double probability);

/* Checks that every family makes: finite columns, targets, weights, offsets; some weight above 0. */
int state_check(const struct glm_data *data, bool is_positive, struct error *err);
static inline double weight_of(const struct glm_data *data, size_t row) { return data->weight ? data->weight[row] : 1; }
/* A weight's two meanings: how many observations the row stands for, and how precise each is. Their product is the
 * weight in every sum. */
static inline double copies_of(const struct glm_data *data, size_t row)
{
    const double w = weight_of(data, row);
    return data->weights == WEIGHTS_FREQUENCY || w == 0 ? w : 1;
}
static inline double precision_of(const struct glm_data *data, size_t row)
{
    return data->weights == WEIGHTS_FREQUENCY ? 1 : weight_of(data, row);
}
static inline double offset_of(const struct glm_data *data, size_t row) { return data->offset ? data->offset[row] : 0; }

struct json_t *state_number(double value);
void state_put(struct json_t *object, const char *key, double value);
void state_put_list(struct json_t *object, const char *key, const double *values, size_t n);
int state_get(double *out, const struct json_t *object, const char *key, const char *file, struct error *err);
/* *out is malloc'd, n finite numbers. */
int state_get_list(double **out, const struct json_t *object, const char *key, size_t n, const char *file,
                   struct error *err);
size_t state_list_size(const struct json_t *object, const char *key);
void state_put_scaling(struct json_t *object, const struct scaling *scaling);
int state_get_scaling(struct scaling *out, const struct json_t *object, size_t k, const char *file, struct error *err);
void state_put_residuals(struct json_t *object, const struct residuals *residuals);
int state_get_residuals(struct residuals *out, const struct json_t *object, const char *file, struct error *err);

extern const struct family family_nb2, family_poisson, family_ols, family_ridge, family_svr, family_nusvr, family_knn,
    family_mean;
extern const struct param_table no_settings;
#endif
