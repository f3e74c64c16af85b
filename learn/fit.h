/* One maximum-likelihood problem with a log link and Var y = mu + alpha mu^2 (alpha = 1 / theta; 0 is Poisson).
 * (private) glm.c validates and reports; poisson.c and nb2.c maximise; counts.c sums over what the counts contribute
 * to the likelihood. */
#ifndef POISE_LEARN_FIT_H
#define POISE_LEARN_FIT_H
#include <stdbool.h>
#include <stddef.h>
#include "wls.h"

/* What the likelihood needs of the targets alone: distinct values in order, the weight of all rows at each, and of all
 * rows at or above each. */
#define COUNTS_SMALL 4096.0 /* up to here sums over j < y lose less than 1e-11 of the likelihood */
struct counts {
    size_t n;
    double *value, *weight, *tail;
    bool is_large;               /* a count is above COUNTS_SMALL */
    double mean, log_factorials; /* sum w log y!, unless is_large */
};
int counts_init(struct counts *counts, const double *y, const double *weight, size_t n);
void counts_fini(struct counts *counts);
/* What the counts contribute to the log-likelihood beside the terms with a mean (point_update()): sum w [sum_{j<y}
 * log(1 + alpha j) - log y!], or, where one is large, sum w count_own(y). */
double counts_loglik(const struct counts *counts, double alpha);
void counts_derivatives(const struct counts *counts, double alpha, double d[2]); /* first and second, in alpha */

struct problem {
    size_t n, r;
    const double *const *columns; /* r pointers into the caller's design */
    const double *scales;         /* powers of two: column j is used as columns[j] * scales[j] */
    const double *y, *offset, *weight;
    const struct counts *counts;
    const double *ridge; /* r: curvature of a quadratic penalty on each scaled beta; NULL: none (penalty.h) */
    int max_iterations;
};
/* Where the maximisation stands. */
struct point {
    double *beta;     /* r, for the scaled columns */
    double *eta, *mu; /* n */
    double alpha, loglik;
    double penalty;                /* what is maximised is loglik - penalty */
    double decrement;              /* Newton's: distance to the maximum in standard errors, before the last step */
    double noise, noise_decrement; /* what rounding of eta may change: the log-likelihood; the decrement */
    int iterations;
    bool converged;
};
struct workspace {
    struct wls wls;
    struct point trial;
};
#define CONVERGED 1e-6 /* a decrement below this, and the step still taken: what is left is its square */
#define SLACK 1e-11    /* relative: what rounding may take from the likelihood near its maximum */
/* Both rules are free of the targets' scale: a step counts in standard errors, a loss against what rounding makes. */
static inline bool point_is_near(const struct point *point, double tolerance)
{
    return point->decrement < tolerance + point->noise_decrement;
}
bool point_is_worse(const struct point *trial, const struct point *than);

void point_update(const struct problem *problem, struct point *point); /* beta, alpha -> eta, mu, loglik, penalty */
void point_copy(const struct problem *problem, struct point *to, const struct point *from);
enum information { INFORMATION_EXPECTED, INFORMATION_OBSERVED };
/* Factors the weighted design at `point`: right-hand side 0 is the score of beta, 1 the information between beta and
 * alpha. A penalty adds a row for each column: to the score its slope, to the information its curvature. */
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
