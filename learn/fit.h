/* One maximum-likelihood problem with a log link and Var y = mu + alpha mu^2 (alpha = 1 / theta; 0 is Poisson).
 * (private) glm.c validates and reports; poisson.c and nb2.c maximise; counts.c sums over what the counts contribute
 * to the likelihood. */
#ifndef POISE_LEARN_FIT_H
#define POISE_LEARN_FIT_H
#include <stdbool.h>
#include <stddef.h>
#include "wls.h"

/* What the likelihood needs of the targets alone: distinct values in order, and the weight of all rows at or above
 * each. Sums over j < y of every row become one pass over j: stable down to alpha = 0 and cheap for any number of
 * rows. */
struct counts {
    size_t n;
    double *value, *tail;
    double log_factorials; /* sum w log y! */
};
int counts_init(struct counts *counts, const double *y, const double *weight, size_t n);
void counts_fini(struct counts *counts);
/* sum w sum_{j<y} log(1 + alpha j), and its first and second derivative in alpha */
void counts_sums(const struct counts *counts, double alpha, double sums[3]);
double counts_log_sum(const struct counts *counts, double alpha); /* sums[0] alone */

struct problem {
    size_t n, r;
    const double *const *columns; /* r pointers into the caller's design */
    const double *scales;         /* powers of two: column j is used as columns[j] * scales[j] */
    const double *y, *offset, *weight;
    const struct counts *counts;
    int max_iterations;
};
/* Where the maximisation stands. */
struct point {
    double *beta;     /* r, for the scaled columns */
    double *eta, *mu; /* n */
    double alpha, loglik;
    double decrement; /* Newton's: distance to the maximum in standard errors, before the last step */
    int iterations;
    bool converged;
};
struct workspace {
    struct wls wls;
    struct point trial;
};
#define CONVERGED 1e-6 /* a decrement below this, and the step still taken: what is left is its square */

void point_update(const struct problem *problem, struct point *point); /* beta, alpha -> eta, mu, loglik */
void point_copy(const struct problem *problem, struct point *to, const struct point *from);
enum information { INFORMATION_EXPECTED, INFORMATION_OBSERVED };
/* Factors the weighted design at `point`: right-hand side 0 is the score of beta, 1 the information between beta and
 * alpha. */
bool point_factor(const struct problem *problem, const struct point *point, enum information kind, struct wls *wls);

/* Maximises over beta with alpha held at point->alpha, by iteratively reweighted least squares. */
void irls(const struct problem *problem, struct workspace *work, struct point *point, double tolerance);
/* alpha = 0, from a weighted regression on the logarithms. */
void poisson_fit(const struct problem *problem, struct workspace *work, struct point *point);
double poisson_score_alpha(const struct problem *problem, const struct point *point); /* dl/dalpha at alpha = 0 */
/* From a Poisson fit with a score above 0. False: alpha went to 0, and `point` is as it was. */
bool nb2_fit(const struct problem *problem, struct workspace *work, struct point *point);
/* The joint steps alone, from a beta and alpha that are near already. */
bool nb2_polish(const struct problem *problem, struct workspace *work, struct point *point);
/* First and second derivative of the log-likelihood in alpha, the means held fixed. */
void nb2_alpha_derivatives(const struct problem *problem, const struct point *point, double d[2]);
double nb2_deviance(const struct problem *problem, const struct point *point);
double nb2_pearson(const struct problem *problem, const struct point *point);
#endif
