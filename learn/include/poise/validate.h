/* Validation: folds that never split a group, cross-validation (nested for settings), metrics, resampling,
 * comparison of models. Everything random is seeded and follows from its arguments alone. */
#ifndef POISE_VALIDATE_H
#define POISE_VALIDATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/family.h"

/* splitmix64: small, seeded by any number, the same everywhere. */
struct random {
    uint64_t state;
};
uint64_t random_next(struct random *random);
size_t random_below(struct random *random, size_t n); /* unbiased; n > 0 */
double random_uniform(struct random *random);         /* 0 < u < 1 */
double random_normal(struct random *random);
void random_shuffle(struct random *random, size_t *items, size_t n);

/* of[row]; groups in order of appearance */
struct groups {
    size_t n, n_groups;
    size_t *of;
    char (*names)[MODEL_NAME_MAX];
};
/* texts NULL: every row is a group */
int groups_init(struct groups *out, const char *const *texts, size_t n, struct error *err);
void groups_fini(struct groups *groups);

struct folds {
    size_t n, n_folds;
    size_t *of;
    char (*names)[MODEL_NAME_MAX];
};
int folds_leave_one_group_out(struct folds *out, const struct groups *groups, struct error *err);
/* k folds of whole groups, shuffled, each group dealt to the fold with the fewest rows. Refused: fewer groups than
 * folds. */
int folds_of_groups(struct folds *out, const struct groups *groups, size_t k, uint64_t seed, struct error *err);
void folds_fini(struct folds *folds);

/* A copy of some rows and columns (either list may be NULL: all). */
struct glm_subset {
    struct glm_data data;
    double *memory;
    const char **names;
};
int glm_subset_init(struct glm_subset *out, const struct glm_data *data, const size_t *rows, size_t n,
                    const size_t *columns, size_t k, struct error *err);
void glm_subset_fini(struct glm_subset *subset);

/* How wrong: what tuning minimises and metrics report. */
enum loss_kind { LOSS_RELATIVE, LOSS_ABSOLUTE, LOSS_SQUARED }; /* |e| / max(y, 1), |e|, e^2 */
double loss_of(enum loss_kind kind, double y, double predicted);

struct cv_options {
    const struct family *family;
    struct family_settings settings;
    const struct family_axis *axes; /* searched inside each training part; n_axes 0: not at all */
    size_t n_axes, inner_folds;     /* 0: 5, or as many as there are groups */
    enum loss_kind loss;
    double level;          /* of prediction intervals; 0: 0.95 */
    size_t train_groups;   /* learning curves: at most so many training groups, chosen by seed; 0: all */
    double train_fraction; /* and this share of the rows of each; 0: all */
    uint64_t seed;
};
struct cv_result {
    size_t n, k, n_folds;
    double *predicted, *low, *high, *pit; /* of each row, held out; pit: the randomised probability of y, uniform if
                                           * calibrated */
    struct predictor **predictors;        /* of each fold */
    struct family_settings *chosen;       /* of each fold */
};
int cross_validate(struct cv_result *out, const struct glm_data *data, const struct groups *groups,
                   const struct folds *folds, const struct cv_options *options, struct error *err);
void cv_result_fini(struct cv_result *result);
/* Held-out predictions of the same predictors for altered columns (permuted, noisy). */
void cv_repredict(const struct cv_result *result, const struct folds *folds, const struct glm_data *altered,
                  double *predicted);
/* Settings with the least loss in grouped cross-validation over the grid; ties: the first. Without a second group:
 * unchanged. */
int tune_settings(struct family_settings *settings, const struct family *family, const struct glm_data *data,
                  const struct groups *groups, const struct family_axis *axes, size_t n_axes, size_t folds,
                  enum loss_kind loss, uint64_t seed, struct error *err);

/* Sets lambda to the one of 0 (maximum likelihood), 0.01, 0.03, 0.1 .. 10 with the least relative error, each group
 * left out once; ties: the smallest. Refused: a single group. */
int penalty_choose(struct glm_penalty *penalty, enum glm_family family, double theta, const struct glm_data *data,
                   const struct groups *groups, struct error *err);

/* Metrics over rows[0..n) (NULL: all n rows in order). */
double metric_relative(const double *y, const double *predicted, const size_t *rows, size_t n);
double metric_mae(const double *y, const double *predicted, const size_t *rows, size_t n);
/* ties: mean rank; NAN if constant */
double metric_spearman(const double *y, const double *predicted, const size_t *rows, size_t n);
double metric_mean(const double *values, const size_t *rows, size_t n);

/* Bootstrap intervals by percentiles. With BOOTSTRAP_GROUPS whole groups are drawn: rows of a group are alike, and
 * drawing them one by one would make every interval too short. Below BOOTSTRAP_GROUPS_MIN groups too few draws exist
 * and rows are drawn within their groups; where that changes nothing, as with one row a group, there are too few groups
 * for an interval, and it is NAN. */
#define BOOTSTRAP_GROUPS_MIN 6
struct bootstrap {
    const struct groups *groups;
    size_t replicates;
    double level;
    uint64_t seed;
};
bool bootstrap_draws_groups(const struct bootstrap *plan);
typedef double bootstrap_statistic(const size_t *rows, size_t n, void *context);
int bootstrap_interval(const struct bootstrap *plan, bootstrap_statistic *statistic, void *context, double interval[2],
                       struct error *err);

/* Two models on the same rows: mean difference of their losses, its interval, and the probability of so large a
 * difference if signs were chance: signs are flipped by group (by row where rows are drawn), all 2^n ways up to 16
 * units, else 20000 seeded ways. p_groups flips by group always: what may be said of groups not seen; with g groups
 * it cannot be below 2^(1 - g). */
struct paired {
    double difference, low, high, p, p_groups;
    size_t units;
};
int paired_compare(struct paired *out, const double *loss_a, const double *loss_b, const struct bootstrap *plan,
                   struct error *err);

/* Forward selection over columns by any loss. `forced` columns are in from the start; stops after `most` columns. */
typedef int subset_loss(const size_t *columns, size_t n, double *loss, void *context, struct error *err);
struct selection_step {
    size_t column, n;
    double loss;
}; /* column k: the start, forced columns alone */
int select_forward(struct selection_step *steps, size_t *n_steps, size_t k, const bool *forced, size_t most,
                   subset_loss *loss, void *context, struct error *err);

/* LASSO path of log y on the standardised columns (the constant is not penalised), by coordinate descent from the
 * largest penalty at which nothing is in, down to 1/1000 of it. */
struct lasso_point {
    double lambda;
    double *weights;
    size_t n_used;
}; /* k weights of raw columns */
int lasso_path(struct lasso_point *points, size_t n_points, const struct glm_data *data, struct error *err);
void lasso_fini(struct lasso_point *points, size_t n_points);
#endif
