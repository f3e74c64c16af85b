/* Everything a statistician expects beside the weights of a fit: intervals, tests, influence, residuals.
 * Conventions where packages differ:
 *   low, high            Wald, from se_expected; theta's from the error of log theta
 *   profile_low, _high   where twice the log-likelihood has fallen by chi-squared's quantile, theta held (R's
 *                        confint)
 *   se_hc0, se_cluster   sandwich errors: rows independent; rows of a group dependent (no small-sample factor);
 *                        infinite where the weight is (separation)
 *   vif                  from the covariance of the weights (R's car); vif_design from the columns alone, about
 *                        their means
 *   lr, lr_p             likelihood ratio of the model without the column, theta fitted again
 *   effect               average marginal effect: mean of mu times the weight, error by the delta method
 *   Cameron-Trivedi      on the Poisson fit, one-sided: z of NB1, and alpha and t of NB2 by regression without
 *                        intercept; Dean's score
 *   hat, cooks, rstandard, rstudent, dffits   R's for glm, dispersion 1 (OLS: sigma squared)
 *   quantile residuals   randomised by `seed`, standard normal if the model is right */
#ifndef POISE_GLM_REPORT_H
#define POISE_GLM_REPORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/glm.h"

#define ROOTOGRAM_BINS 61 /* counts 0 .. 60 */
struct glm_report_coef {
    double low, high, profile_low, profile_high, se_hc0, se_cluster, vif, vif_design, lr, lr_p, effect, se_effect;
};
struct glm_report_row {
    double eta, mu, response, pearson, deviance, working, hat, cooks, rstandard, rstudent, dffits, quantile;
    double copies; /* observations that the row stands for: its frequency weight; all else is of one of them */
};
struct glm_report {
    double level;
    struct glm_report_coef *coef; /* k */
    struct glm_report_row *rows;  /* n */
    size_t n, k;
    double observations;
    double theta_low, theta_high;
    double mcfadden, dispersion; /* Pearson's chi-squared over the degrees of freedom left */
    double lr_null, lr_null_df, lr_null_p, lr_poisson, lr_poisson_p; /* NB2 against Poisson: half chi-squared of one */
    double nb1_z, nb1_p, nb1_alpha, nb2_alpha, nb2_t, nb2_p, dean, dean_p;
    double deviance_quantiles[5]; /* least, quartiles, largest of the deviance residuals */
    size_t n_bins;
    double observed[ROOTOGRAM_BINS], expected[ROOTOGRAM_BINS];
};
struct glm_report_options {
    double level;              /* 0: 0.95 */
    bool profile;              /* profile intervals and likelihood ratios: a fit each */
    const char *const *groups; /* of the rows, for se_cluster; may be NULL */
    uint64_t seed;
};
int glm_report_init(struct glm_report *out, const struct glm_fit *fit, const struct glm_data *data,
                    const struct glm_options *options, const struct glm_report_options *want, struct error *err);
void glm_report_fini(struct glm_report *report);
/* glm_fit_json() with the report's keys added; glm_fit_print() followed by the report. */
struct json_t *glm_report_json(const struct glm_report *report, const struct glm_fit *fit);
void glm_report_print(const struct glm_report *report, const struct glm_fit *fit, FILE *out);
void glm_report_coef_csv(const struct glm_report *report, const struct glm_fit *fit, FILE *out);
void glm_report_rows_csv(const struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                         FILE *out);
#endif
