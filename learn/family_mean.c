/* The mean of the training targets whatever the columns say: what every model has to beat. With offsets sum w y /
 * sum w exp(offset). */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "state.h"

struct mean_state {
    double rate;
    struct residuals residuals;
};

static int mean_fit(void *opaque, const struct glm_data *data, const void *settings, struct error *err)
{
    struct mean_state *s = opaque;
    double sum = 0, exposure = 0;
    (void)settings;
    if (state_check(data, false, err) < 0) return -1;
    double *errors = malloc(2 * data->n * sizeof *errors), *copies = errors + data->n;
    if (!errors) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < data->n; i++) {
        sum += weight_of(data, i) * data->y[i];
        exposure += weight_of(data, i) * exp(offset_of(data, i));
    }
    s->rate = sum / exposure;
    for (size_t i = 0; i < data->n; i++) { /* the error when one observation is left out, scaled to
                                              * that of weight 1 */
        const double w = precision_of(data, i), own = exp(offset_of(data, i)), rest = exposure - w * own;
        const bool is_used = copies_of(data, i) > 0 && rest > 0;
        errors[i] = is_used ? sqrt(w) * (data->y[i] - own * (sum - w * data->y[i]) / rest) : NAN;
        copies[i] = copies_of(data, i);
    }
    const int failed = residuals_init(&s->residuals, errors, copies, data->n, false, err);
    free(errors);
    return failed;
}

static double mean_predict(const void *opaque, const double *x, double offset)
{
    (void)x;
    return ((const struct mean_state *)opaque)->rate * exp(offset);
}
static double mean_cdf(const void *opaque, const double *x, double offset, double y)
{
    return residuals_cdf(&((const struct mean_state *)opaque)->residuals, mean_predict(opaque, x, offset), y);
}
static double mean_quantile(const void *opaque, const double *x, double offset, double probability)
{
    return residuals_quantile(&((const struct mean_state *)opaque)->residuals, mean_predict(opaque, x, offset),
                              probability);
}
static void mean_save(const void *opaque, json_t *out)
{
    state_put(out, "rate", ((const struct mean_state *)opaque)->rate);
    state_put_residuals(out, &((const struct mean_state *)opaque)->residuals);
}
static int mean_load(void *opaque, const json_t *in, size_t k, const char *file, struct error *err)
{
    struct mean_state *s = opaque;
    (void)k;
    return state_get(&s->rate, in, "rate", file, err) < 0 ? -1 : state_get_residuals(&s->residuals, in, file, err);
}
static void mean_fini(void *opaque) { residuals_fini(&((struct mean_state *)opaque)->residuals); }

const struct family family_mean = {.name = "mean",
                                   .text = "the mean of the training targets",
                                   .settings = &no_settings,
                                   .state_size = sizeof(struct mean_state),
                                   .fit = mean_fit,
                                   .predict = mean_predict,
                                   .cdf = mean_cdf,
                                   .quantile = mean_quantile,
                                   .save = mean_save,
                                   .load = mean_load,
                                   .fini = mean_fini};
