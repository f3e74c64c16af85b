/* Least squares of log y - offset.     (private) */
#ifndef POISE_LEARN_OLS_H
#define POISE_LEARN_OLS_H
#include "fit.h"
/* beta into point->beta (scaled columns), eta, mu; residual sum of squares returned, NAN on failure. The factor
 * stays in work->wls. */
double ols_fit(const struct problem *problem, struct workspace *work, struct point *point);
#endif
