/* GSL's special functions and distributions with their outcome checked: NaN where GSL reports an error, never an abort.
 * (private) Underflow is no error: the result is 0. */
#ifndef POISE_LEARN_SPECIAL_H
#define POISE_LEARN_SPECIAL_H

double special_lngamma(double x);
double normal_upper(double z);       /* P(Z > z) */
double normal_quantile(double p);    /* z with P(Z <= z) = p */
double t_lower(double t, double df); /* P(T <= t) */
double t_upper(double t, double df);
double t_quantile(double p, double df);           /* t with P(T <= t) = p */
double chi_squared_upper(double x, double df);    /* P(X > x) */
double chi_squared_quantile(double p, double df); /* x with P(X <= x) = p */
#endif
