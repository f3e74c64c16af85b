/* NB2, Poisson and log-linear least squares as families: glm_fit() underneath.
 *
 * The predictive distribution takes in what is not known of the weights: eta = x beta has variance v = x' cov x, and
 * the counts are averaged over eta with Gauss-Hermite nodes; least squares uses Student's t with the variance
 * sigma^2 + v. */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "count_cdf.h"
#include "special.h"
#include "state.h"

#define COUNT_MAX 1e18 /* the largest quantile */

struct glm_state {
    enum glm_family family;
    size_t k;
    double *weights, *covariance; /* k; k x k */
    double theta, sigma, df;
};

/* Gauss-Hermite for a standard normal, 9 nodes. */
static const double nodes[9] = {-4.512745863399783, -3.205429002856470, -2.076847978677830, -1.023255663789133, 0,
                                1.023255663789133,  2.076847978677830,  3.205429002856470,  4.512745863399783};
static const double node_weights[9] = {2.234584400774658e-05, 2.789141321231769e-03, 4.991640676521787e-02,
                                       2.440975028949394e-01, 4.063492063492063e-01, 2.440975028949394e-01,
                                       4.991640676521787e-02, 2.789141321231769e-03, 2.234584400774658e-05};

#define PENALTY_SETTINGS(P) \
    P(F64, penalty, 0, 0, 1e12, "1", "glm.h", "lambda of an elastic net; 0: maximum likelihood") \
    P(F64, mix, 0, 0, 1, "1", "glm.h", "share of the lasso in the penalty; 0: ridge")
#define NB2_SETTINGS(P) \
    P(F64, theta, 0, 0, 1e12, "1", "MECHANISMS: NB2", "dispersion held at this value; 0: fitted") \
    P(U32, max_iterations, 100, 1, 100000, "1", "assumed", "of each Newton iteration") \
    PENALTY_SETTINGS(P)
PARAM_STRUCT(nb2_settings, NB2_SETTINGS);
#define ROW(...) PARAM_ROW_OF(nb2_settings, __VA_ARGS__)
static const struct param_row nb2_rows[] = {NB2_SETTINGS(ROW)};
#undef ROW
static const struct param_table nb2_table = {"nb2", nb2_rows, COUNT_OF(nb2_rows), sizeof(struct nb2_settings)};
PARAM_STRUCT(poisson_settings, PENALTY_SETTINGS);
#define ROW(...) PARAM_ROW_OF(poisson_settings, __VA_ARGS__)
static const struct param_row poisson_rows[] = {PENALTY_SETTINGS(ROW)};
#undef ROW
static const struct param_table poisson_table = {"poisson", poisson_rows, COUNT_OF(poisson_rows),
                                                 sizeof(struct poisson_settings)};

static int fit_glm(struct glm_state *s, const struct glm_data *data, const struct glm_options *options,
                   struct error *err)
{
    struct glm_fit fit;
    if (glm_fit(&fit, data, options, err) < 0) return -1;
    s->family = options->family;
    s->k = data->k;
    s->theta = fit.theta;
    s->sigma = isfinite(fit.sigma) ? fit.sigma : 0;
    s->df = fit.df_residual;
    s->weights = calloc(data->k + 1, sizeof *s->weights);
    s->covariance = calloc(data->k * data->k + 1, sizeof *s->covariance);
    int failed = s->weights && s->covariance ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t j = 0; !failed && j < data->k; j++) {
        s->weights[j] = fit.coef[j].value;
        for (size_t l = 0; l < data->k; l++) {
            const double c = fit.covariance[j * data->k + l];
            s->covariance[j * data->k + l] = isfinite(c) ? c : 0;
        }
    }
    glm_fit_fini(&fit);
    return failed;
}

static int nb2_fit_family(void *state, const struct glm_data *data, const void *settings, struct error *err)
{
    const struct nb2_settings *p = settings;
    const struct glm_options options = {.family = GLM_NB2,
                                        .penalty = {p->penalty, p->mix},
                                        .theta = p->theta,
                                        .max_iterations = (int)p->max_iterations};
    return fit_glm(state, data, &options, err);
}
static int poisson_fit_family(void *state, const struct glm_data *data, const void *settings, struct error *err)
{
    const struct poisson_settings *p = settings;
    const struct glm_options options = {.family = GLM_POISSON, .penalty = {p->penalty, p->mix}};
    return fit_glm(state, data, &options, err);
}
static int ols_fit_family(void *state, const struct glm_data *data, const void *settings, struct error *err)
{
    (void)settings;
    return fit_glm(state, data, &(struct glm_options){.family = GLM_OLS}, err);
}

static double eta_of(const struct glm_state *s, const double *x, double offset)
{
    double eta = offset;
    for (size_t j = 0; j < s->k; j++) eta += s->weights[j] * x[j];
    return eta;
}

static double variance_of(const struct glm_state *s, const double *x)
{
    double v = 0;
    for (size_t j = 0; j < s->k; j++)
        for (size_t l = 0; l < s->k; l++) v += x[j] * s->covariance[j * s->k + l] * x[l];
    return v > 0 ? v : 0;
}

static double glm_predict(const void *state, const double *x, double offset) { return exp(eta_of(state, x, offset)); }

static double glm_cdf_at(const struct glm_state *s, double eta, double v, double y)
{
    if (s->family == GLM_OLS) {
        const double spread = sqrt(s->sigma * s->sigma + v);
        if (!(y > 0)) return 0;
        if (!(spread > 0) || !(s->df > 0)) return log(y) >= eta;
        return t_lower((log(y) - eta) / spread, s->df);
    }
    if (!(y >= 0)) return 0;
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(nodes); i++)
        sum += node_weights[i] * count_cdf(y, exp(eta + sqrt(v) * nodes[i]), s->theta);
    return fmin(sum, 1);
}

static double glm_cdf(const void *state, const double *x, double offset, double y)
{
    return glm_cdf_at(state, eta_of(state, x, offset), variance_of(state, x), y);
}

/* The least whole number whose probability reaches the one wanted. */
static double count_quantile(const struct glm_state *s, double eta, double v, double probability)
{
    double low = -1, high = fmax(1, ceil(exp(fmin(eta, 41))));
    while (glm_cdf_at(s, eta, v, high) < probability && high < COUNT_MAX) low = high, high *= 2;
    while (high - low > fmax(1, high * DBL_EPSILON)) { /* above 2^53 doubles are further apart */
        const double middle = floor((low + high) / 2);
        if (glm_cdf_at(s, eta, v, middle) >= probability) high = middle;
        else low = middle;
    }
    return high;
}

static double glm_quantile(const void *state, const double *x, double offset, double probability)
{
    const struct glm_state *s = state;
    const double eta = eta_of(s, x, offset), v = variance_of(s, x);
    if (s->family != GLM_OLS) return count_quantile(s, eta, v, probability);
    const double spread = sqrt(s->sigma * s->sigma + v);
    if (!(spread > 0) || !(s->df > 0)) return exp(eta);
    return exp(eta + spread * t_quantile(probability, s->df));
}

static void glm_save(const void *state, json_t *out)
{
    const struct glm_state *s = state;
    json_object_set_new(out, "family", json_string(glm_family_name(s->family)));
    state_put_list(out, "weights", s->weights, s->k);
    state_put_list(out, "covariance", s->covariance, s->k * s->k);
    state_put(out, "theta", s->theta);
    state_put(out, "sigma", s->sigma);
    state_put(out, "df", s->df);
}

static int glm_load(void *state, const json_t *in, size_t k, const char *file, struct error *err)
{
    struct glm_state *s = state;
    const char *family = json_string_value(json_object_get(in, "family"));
    s->k = k;
    if (!family) return error_set(err, ERR_INPUT, "%s: state.family: missing", file);
    if (glm_family_parse(&s->family, family, err) < 0) return error_while(err, "%s: state", file);
    if (state_get_list(&s->weights, in, "weights", k, file, err) < 0 ||
        state_get_list(&s->covariance, in, "covariance", k * k, file, err) < 0 ||
        state_get(&s->theta, in, "theta", file, err) < 0 || state_get(&s->sigma, in, "sigma", file, err) < 0 ||
        state_get(&s->df, in, "df", file, err) < 0)
        return -1;
    if (s->theta > 0 && s->sigma >= 0 && isfinite(s->df)) return 0;
    return error_set(err, ERR_INPUT, "%s: state: theta must be above 0, sigma not below", file);
}

static void glm_fini(void *state)
{
    struct glm_state *s = state;
    free(s->weights);
    free(s->covariance);
}

static const double *glm_weights(const void *state) { return ((const struct glm_state *)state)->weights; }

#define GLM_FAMILY \
    .state_size = sizeof(struct glm_state), .is_log_linear = true, .predict = glm_predict, .cdf = glm_cdf, \
    .quantile = glm_quantile, .save = glm_save, .load = glm_load, .fini = glm_fini, .weights = glm_weights
const struct family family_nb2 = {.name = "nb2",
                                  .text = "negative binomial (NB2), log link, maximum likelihood",
                                  .settings = &nb2_table,
                                  .is_discrete = true,
                                  .fit = nb2_fit_family,
                                  GLM_FAMILY};
const struct family family_poisson = {.name = "poisson",
                                      .text = "Poisson, log link, maximum likelihood",
                                      .settings = &poisson_table,
                                      .is_discrete = true,
                                      .fit = poisson_fit_family,
                                      GLM_FAMILY};
const struct family family_ols = {.name = "ols",
                                  .text = "least squares of the logarithm",
                                  .settings = &no_settings,
                                  .fit = ols_fit_family,
                                  GLM_FAMILY};
