/* log P(Y = y) of NB2 and of Poisson (alpha = 0), without cancellation for any count and dispersion.     (private)
 *
 *   log P(Y = y) = own(y, alpha) - half_deviance(y, mu, alpha)                                        [Loader 2000]
 *
 * `own` is what the count alone contributes, the largest log P(Y = y) over all means. No term is larger than the
 * result: the textbook form adds terms of the size y log y, which leave no digit of a count of 1e13. */
#ifndef POISE_LEARN_COUNT_TERMS_H
#define POISE_LEARN_COUNT_TERMS_H

#define HALF_LOG_2PI 0.918938533204672741780329736406

double count_half_deviance(double y, double mu, double alpha); /* y >= 0 */
double count_own(double y, double alpha);
/* First and second derivative in alpha, the mean held: of `own`, and of minus the half deviance. */
void count_own_derivatives(double y, double alpha, double d[2]);
void count_deviance_derivatives(double y, double mu, double alpha, double d[2]);
#endif
