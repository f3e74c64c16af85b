/* How far rows lie from a training set's features: by the spread of the whole set (Mahalanobis) and by the nearest row.
 * Features are standardised; groups of rows (families) weigh the same. Correlations are drawn towards 0, as far as
 * their own errors say with so many groups: with fewer groups than features their matrix could not be inverted.
 * [Schaefer, Strimmer 2005: shrinkage of correlations] */
#ifndef POISE_COVERAGE_H
#define POISE_COVERAGE_H
#include "poise/response.h"

struct coverage {
    size_t k, n_groups;                                            /* groups of the training set */
    double mean[RESPONSE_FEATURES_MAX], sd[RESPONSE_FEATURES_MAX]; /* sd of a constant feature: 1 */
    double shrinkage;                                              /* 0: correlations as they are, 1: none */
    /* lower Cholesky factor of the correlations, row-major */
    double factor[RESPONSE_FEATURES_MAX * RESPONSE_FEATURES_MAX];
};
/* Of the rows with in[row]; at least two groups are needed. */
int coverage_init(struct coverage *out, const struct response_data *data, const bool *in, struct error *err);
double coverage_mahalanobis(const struct coverage *c, const double *x);
/* Standard deviations to the nearest row with in[row] and another group than `without` (SIZE_MAX: any); its number in
 * *row (may be NULL). INFINITY where there is none. */
double coverage_nearest(const struct coverage *c, const struct response_data *data, const bool *in, const double *x,
                        size_t without, size_t *row);
/* What the training set's own rows have, the quantile q of each distance: Mahalanobis' to the set that they belong to,
 * the nearest row's to the other groups. */
struct coverage_own {
    double mahalanobis, nearest;
};
int coverage_own(struct coverage_own *out, const struct coverage *c, const struct response_data *data, const bool *in,
                 double q, struct error *err);
#endif
