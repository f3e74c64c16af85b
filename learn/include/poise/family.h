/* Models behind one interface: what validation, tuning and the command line see of a regression. A family is a row
 * of `families`: its settings (a table of knobs), how it is fitted, what a fitted one predicts (a value and a
 * distribution), how it is saved. tests/unit/learn/test_families.c holds every row to the same contract:
 *   weights      as poise/glm.h says; frequency: a row of weight 2 is that row twice, also in the distribution
 *   order        rows may come in any order, columns in any unit
 *   offset       added to the logarithm of the prediction: predict(x, offset + c) = exp(c) predict(x, offset)
 *   distribution cdf and quantile never decrease and belong together
 *   files        a saved and loaded predictor predicts the same bits
 * A predictor is never changed by predicting: any number of threads may share one. */
#ifndef POISE_FAMILY_H
#define POISE_FAMILY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/glm.h"
#include "poise/table.h"
struct json_t;

struct family_settings {
    double room[16];
};                   /* holds the parameter structure of any family */
struct family_axis { /* a setting worth searching over, and where */
    const char *setting;
    size_t n;
    const char *values[8];
};
struct family {
    const char *name, *text;
    const struct param_table *settings;
    const struct family_axis *axes; /* of the default grid search; n_axes may be 0 */
    size_t n_axes, state_size;
    bool is_discrete;   /* the distribution lives on whole numbers */
    bool is_log_linear; /* prediction = exp(offset + weights . x): the engine can evaluate it */
    int (*fit)(void *state, const struct glm_data *data, const void *settings, struct error *err);
    double (*predict)(const void *state, const double *x, double offset);
    double (*cdf)(const void *state, const double *x, double offset, double y); /* P(Y <= y) */
    double (*quantile)(const void *state, const double *x, double offset, double probability);
    void (*save)(const void *state, struct json_t *out);
    int (*load)(void *state, const struct json_t *in, size_t k, const char *file, struct error *err);
    void (*fini)(void *state);
    const double *(*weights)(const void *state); /* is_log_linear: of the raw columns */
};
extern const struct family *const families[];
extern const size_t n_families;
const struct family *family_find(const char *name); /* NULL if there is none */
int family_parse(const struct family **out, const char *name, struct error *err);
void family_defaults(const struct family *family, struct family_settings *settings);
int family_set(const struct family *family, struct family_settings *settings, const char *name, const char *text,
               struct error *err);
/* A setting that is a number, read and set. */
double family_number(const struct family *family, const struct family_settings *settings, const char *name);
int family_set_number(const struct family *family, struct family_settings *settings, const char *name, double value,
                      struct error *err);

struct predictor; /* a family, its settings, the columns' names, the state */
int predictor_fit(struct predictor **out, const struct family *family, const struct glm_data *data,
                  const struct family_settings *settings, struct error *err); /* settings may be NULL: defaults */
void predictor_free(struct predictor *predictor);                             /* accepts NULL */
const struct family *predictor_family(const struct predictor *predictor);
size_t predictor_columns(const struct predictor *predictor);
const char *predictor_column(const struct predictor *predictor, size_t column);
/* It was trained with an offset: a row to predict needs one, too. */
bool predictor_has_offset(const struct predictor *predictor);
const double *predictor_weights(const struct predictor *predictor); /* NULL unless the family is log-linear */
/* x holds one value for each column, in order. */
double predictor_predict(const struct predictor *predictor, const double *x, double offset);
double predictor_cdf(const struct predictor *predictor, const double *x, double offset, double y);
double predictor_quantile(const struct predictor *predictor, const double *x, double offset, double probability);

/* {"schema":1,"kind":"predictor","family","settings":{},"features":[],"offset":true (if trained with one),"state":{}};
 * doubles in 17 digits */
struct json_t *predictor_json(const struct predictor *predictor);
int predictor_parse(struct predictor **out, const char *name, const char *text, size_t size, struct error *err);
int predictor_read(struct predictor **out, const char *path, struct error *err);
int predictor_write(const struct predictor *predictor, const char *path, struct error *err);
/* A C header that compiles alone and whose `double predict(const double x[])` gives predictor_predict(), for another
 * program; `predict(x, offset)` where training had an offset. ERR_USAGE for knn, which has no form but its training
 * rows. */
int predictor_write_header(const struct predictor *predictor, FILE *out, struct error *err);
#endif
