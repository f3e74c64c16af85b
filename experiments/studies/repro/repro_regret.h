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

/* The families of the benchmarks, whose rows are drawn together; one without a workload is its own. */
int repro_families(struct groups *out, const struct repro_data *data, struct error *err);
/* The 95 % interval of a statistic of rows, whose groups are drawn together: percentiles of a bootstrap; NAN where it
 * cannot be had. */
void repro_bootstrap(const struct groups *groups, bootstrap_statistic *statistic, void *context, double ci[2]);

/* A choice, in each row, between doing something and not doing it. */
struct regret_choice {
    const char *const *groups; /* n */
    size_t n;
    double (*loss)(const void *study, size_t row, bool choice);
    bool (*gains)(const void *study, size_t row); /* what hindsight chooses */
    const void *study;
};
/* The group that a launch's rows are of: its program. */
const char *regret_group(const struct repro_benchmark *b);
/* From which value of x (n values) on it should be chosen: that of ten which loses least over the rows but a
 * group's. */
double regret_threshold(const struct regret_choice *choice, const double *x, const char *but);
/* Rules of a study that learn nothing, or one number: a row of the report each. Returns the last one's regret in
 * percent and leaves its losses. */
typedef double regret_rules(const struct regret_choice *choice, double *losses, struct repro_report *report);
/* The rules, then every family of learn/, cross-validated with whole groups left out; data's targets are the speed that
 * the choice gives, in percent, and it is chosen above 100. A row of the report for the regret of each and one for how
 * often it chose as hindsight would (`decided` says of what); then the best one's losses beside those of the last rule,
 * which is `rival`. `where` ends the sentence of the check. */
void regret_against_rules(const struct regret_choice *choice, const struct glm_data *data, regret_rules *rules,
                          const char *rival, const char *decided, const char *where, struct repro_report *report);
#endif
