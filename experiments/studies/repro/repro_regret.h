/* What studies of learned choices share: rows are launches, groups their benchmarks, and a choice is judged by its
 * regret, the share of the best choice's speed that it loses. */
#ifndef REPRO_REGRET_H
#define REPRO_REGRET_H
#include "poise/repro.h"
#include "poise/validate.h"

/* a / b; 0 where b is not above 0: a feature of what did not happen. */
static inline double regret_share(double a, double b) { return b > 0 ? a / b : 0; }

/* The mean over groups of the mean of their rows' losses, in percent: rows of a group are alike. NAN: no rows. */
double regret_mean(const char *const *groups, const double *losses, size_t n);
/* The family's predictions for each fold of rows that it was not fitted to, by least absolute error. */
int regret_cross_validate(struct cv_result *out, const struct family *family, const struct glm_data *data,
                          const struct groups *groups, const struct folds *folds, struct error *err);
/* Whether two lists of n losses, the second behind the first, differ by more than chance over groups. False: they
 * cannot be compared, which the report says. */
bool regret_compare(struct paired *out, const struct groups *groups, const double *losses, size_t n,
                    struct repro_report *report);
#endif
