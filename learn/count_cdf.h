/* Cumulative probabilities of counts: NB2 with mean mu and dispersion theta, and its limit, the Poisson law.
 * (private) */
#ifndef POISE_LEARN_COUNT_CDF_H
#define POISE_LEARN_COUNT_CDF_H

/* P(Y <= k) for Var Y = mu + mu^2 / theta. k: any number, counted as its floor, below 0 gives 0; mu >= 0, infinite too;
 * theta > 0, INFINITY for Poisson. Always within [0, 1]; NaN where an argument is NaN. Errors, seen against sums of 50
 * digits: below 1e-13. */
double count_cdf(double k, double mu, double theta);
#endif
