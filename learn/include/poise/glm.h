/* Generalised linear models with a log link, by maximum likelihood:
 *   GLM_NB2      negative binomial, Var y = mu + mu^2 / theta; theta is fitted unless given. Its limit theta ->
 *                infinity is Poisson.
 *   GLM_POISSON  Var y = mu
 *   GLM_OLS      least squares of log y (log-linear); predictions exp(x beta) are medians, not means
 * Knows nothing of GPUs. One thread; same inputs, same bytes on one machine.
 *
 * Conventions, where statistics packages differ:
 *   weights      frequency (default): a row of weight 2 is that row twice, in every figure; whole numbers.
 *                precision: Var y is that of weight 1 divided by the weight (analytic or prior weights, as in R's
 *                glm and lm); a row stays one observation: n and the degrees of freedom count rows, and robust errors
 *                square the weighted score of a row
 *   se_expected  from the expected information, theta held fixed (R's summary); z and p use it
 *   se_joint     from the observed information of (beta, theta) together (statsmodels' discrete models)
 *   null         the model of an intercept (and the offset); null_deviance is taken at the full model's theta
 *   aic, bic     count theta as a parameter where it was fitted and is finite, and with a penalty effective parameters
 *   rank         of linearly dependent columns the first in order are kept; the others get weight 0 and is_aliased */
#ifndef POISE_GLM_H
#define POISE_GLM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/model.h"
struct json_t;

/* enum, name on the command line, what it is */
#define GLM_FAMILIES(F) \
    F(GLM_NB2, "nb2", "negative binomial (NB2)") \
    F(GLM_POISSON, "poisson", "Poisson") \
    F(GLM_OLS, "ols", "least squares of the logarithm")
enum glm_family {
#define F(family, name, text) family,
    GLM_FAMILIES(F)
#undef F
};
const char *glm_family_name(enum glm_family family);
int glm_family_parse(enum glm_family *out, const char *name, struct error *err);

/* enum, name, what a weight says */
#define GLM_WEIGHTS(W) \
    W(WEIGHTS_FREQUENCY, "frequency", "how often the row occurs") \
    W(WEIGHTS_PRECISION, "precision", "how precise the row is: its variance is divided by the weight")
enum glm_weights {
#define W(kind, name, text) kind,
    GLM_WEIGHTS(W)
#undef W
};
const char *glm_weights_name(enum glm_weights kind);
int glm_weights_parse(enum glm_weights *out, const char *name, struct error *err);

/* Borrowed arrays. */
struct glm_data {
    size_t n, k;     /* rows, columns */
    const double *x; /* column-major: column j is x[j * n ... j * n + n - 1] */
    const double *y;
    const double *offset;     /* added to x beta; may be NULL */
    const double *weight;     /* not negative; may be NULL */
    enum glm_weights weights; /* what they say */
    const char *const *names; /* of the k columns */
    const char *source;       /* what errors call the data, such as the file's name; may be NULL */
    const long *lines;        /* the line of each row in `source`; may be NULL */
};
/* Elastic net, as glmnet states it: minimised is -loglik / n + lambda ((1 - mix) / 2 |b|^2 + mix |b|_1), where n is the
 * sum of the weights and b the coefficients of the columns scaled to a standard deviation of 1. Constant columns are
 * not penalised. mix 0 is ridge, 1 the lasso. */
struct glm_penalty {
    double lambda, mix; /* lambda 0: maximum likelihood */
};
/* `none`, `ridge=LAMBDA`, `lasso=LAMBDA`, `elastic-net=LAMBDA[:MIX]` (mix 0.5 unless given). LAMBDA may be `cv`, where
 * `is_chosen` is not NULL: *is_chosen is then true and lambda 0. */
int glm_penalty_parse(struct glm_penalty *out, bool *is_chosen, const char *text, struct error *err);

struct glm_options {
    enum glm_family family;
    struct glm_penalty penalty; /* not for GLM_OLS: the family `ridge` has one of its own */
    double theta;               /* NB2: held at this value; 0: fitted */
    int max_iterations;         /* of each Newton iteration; 0: 100 */
};

struct glm_coef {
    char name[MODEL_NAME_MAX];
    double value, se_expected, se_joint, z, p; /* NAN but for the value, 0, where is_aliased */
    bool is_aliased, is_separated;             /* separated: on the way to infinity */
};
#define GLM_WARNINGS_MAX 16
#define GLM_STATUS_OK "ok"
#define GLM_STATUS_POISSON_LIMIT "poisson-limit: no overdispersion"
#define GLM_STATUS_SEPARATION "separation: the maximum is at infinity"
#define GLM_STATUS_NOT_CONVERGED "not converged"
struct glm_fit {
    enum glm_family family;
    struct glm_penalty penalty; /* errors then hold the penalty fixed, without its bias; z and p are NAN */
    bool has_offset;
    size_t n, k, rank;
    double effective;                 /* parameters of the mean: rank, or with a penalty the trace of the hat matrix */
    double observations, df_residual; /* rows, by their frequency; observations - effective */
    struct glm_coef *coef;            /* k */
    double theta;                     /* INFINITY for Poisson, OLS and at the Poisson limit */
    bool theta_is_fitted;
    double se_theta, se_theta_mu_fixed; /* joint; with the means held fixed (R's). NAN where theta was not fitted */
    double loglik, deviance, null_deviance, pearson, aic, bic;
    double loglik_null, theta_null; /* the null model with a theta of its own */
    double score_alpha_at_zero;     /* NB2: dl/d(1/theta) at the Poisson fit; not above 0: no overdispersion */
    double condition;               /* of the design with columns of length 1 */
    double sigma;                   /* OLS: residual standard deviation of log y */
    int iterations;
    bool converged;
    char status[MODEL_NAME_MAX];
    char warnings[GLM_WARNINGS_MAX][256];
    size_t n_warnings;
    double *mu;         /* n fitted means */
    double *covariance; /* k x k, of the weights, expected information, theta held; 0 where a column is aliased */
};
/* Refuses, naming the row (or line) and column: NaN and infinite values, targets that are negative or not whole
 * (OLS: not above 0), negative weights, fewer rows than columns, targets that are all 0. Everything else is fitted,
 * with warnings. */
int glm_fit(struct glm_fit *out, const struct glm_data *data, const struct glm_options *options, struct error *err);
void glm_fit_fini(struct glm_fit *fit);
/* Refuses an offset that is no logarithm of an exposure, as every family does before it fits; `data` needs n and
 * offset, and may have y. */
int glm_check_offset(const struct glm_data *data, struct error *err);

/* {coef[{name,value,se_expected,se_joint,z,p,aliased}],theta,se_theta,loglik,deviance,null_deviance,aic,bic,converged,
 * status,warnings[],...} */
struct json_t *glm_fit_json(const struct glm_fit *fit);
void glm_fit_print(const struct glm_fit *fit, FILE *out); /* the same as a table to read */
/* One output of a model file. Refused: more than MODEL_FEATURES_MAX columns, weights that are not finite in single
 * precision. */
int glm_fit_output(const struct glm_fit *fit, const char *name, struct model_output *out, struct error *err);
#endif
