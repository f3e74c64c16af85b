/* A learned correction of a model's surface: for each point of each launch, what its value (ln speedup) lacks of the
 * measured one, from columns that the model itself gives. Ridge regression and trees, averaged. What counts is the
 * regret of the point that is chosen, as a mean over groups (families of programs) that were left out.
 *
 *   correction_fit()        one set of settings on all rows
 *   correction_validate()   each group left out; penalty and margin from leaving others out inside
 *   correction_train()      the same choice on all rows, and the fit
 *
 * Everything random is seeded; results are the same bytes at any number of threads. */
#ifndef POISE_CORRECTION_H
#define POISE_CORRECTION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/hash.h"
#include "poise/model.h"
#include "poise/response_net.h"
struct json_t;

enum { CORRECTION_TREES_MAX = 256 };
struct correction_data {
    size_t n, k, n_launches, n_groups; /* rows, columns (1 .. RESPONSE_FEATURES_MAX) */
    const double *x;                   /* n x k, row after row */
    const double *y;                   /* n: measured ln speedup */
    const size_t *launch;              /* n, ascending */
    const size_t *group;               /* of each launch */
    const bool *is_all;                /* n: the row of all warps, (W, W); its values are 0 */
    const char *const *names;          /* k columns */
    size_t base;                       /* the column that holds the model's own value */
};
struct correction_settings {
    double lambda; /* penalty on squared weights of standardised columns */
    double share;  /* of the trees; the rest is the regression's */
    double margin; /* what a point must be worth above all warps */
    uint32_t trees, depth, min_leaf;
    uint64_t seed;
};
extern const struct correction_settings correction_defaults;

struct correction_node {
    int32_t column; /* -1: a leaf */
    uint32_t left, right;
    float value; /* threshold, x <= value: left; or the leaf's */
};
struct correction_tree {
    size_t n;
    struct correction_node *nodes;
};
struct correction {
    char name[MODEL_NAME_MAX];
    unsigned model_version;
    size_t k, base, n_trees;
    char names[RESPONSE_FEATURES_MAX][MODEL_NAME_MAX];
    double mean[RESPONSE_FEATURES_MAX], sd[RESPONSE_FEATURES_MAX]; /* sd 0: a column that did not vary */
    double ridge[RESPONSE_FEATURES_MAX + 1];                       /* the intercept last */
    struct correction_tree *trees;
    struct correction_settings settings;
    double spread;             /* root mean square of what chosen points' values were off by, groups left out */
    struct json_t *training;   /* owned */
    struct json_t *validation; /* owned, or NULL */
};
void correction_fini(struct correction *c);
int correction_fit(struct correction *out, const struct correction_data *data,
                   const struct correction_settings *settings, struct error *err);
/* A corrected value: x holds the k columns. */
double correction_predict(const struct correction *c, const double *x);
/* The highest of n values, the first of equals; `all` where it is not above that one by more than the margin. */
size_t correction_choose(const double *values, size_t n, size_t all, double margin);

/* What choices bring, of launches whose group was left out. */
struct correction_score {
    double regret;         /* ln, mean over groups */
    double harmonic, best; /* harmonic means of speedups: chosen, and the best of the table */
    double part, log_part; /* (harmonic - 1) / (best - 1); ln harmonic / ln best */
    double worst;          /* least speedup of a launch */
    size_t n_below;        /* launches below 0.98 */
};
struct correction_validation {
    struct correction_score corrected, plain; /* plain: the model's own value, without a margin */
    struct correction_score with_margin;      /* the model's own value, with its error on other groups as the margin */
    double plain_margin;                      /* that error on all groups */
    double spread;
    size_t *chosen; /* row of each launch; owned */
};
void correction_validation_fini(struct correction_validation *v);
int correction_validate(struct correction_validation *out, const struct correction_data *data, struct error *err);
int correction_train(struct correction *out, const struct correction_data *data, struct error *err);

/* {"schema":1,"kind":"correction","name","model_version","features":[],"base","mean":[],"sd":[],"ridge":[],
 * "settings":{},"spread","trees":[{"column":[],"left":[],"right":[],"value":[]}],"training":{},"validation":{}} */
int correction_read(struct correction *out, const char *path, struct error *err);
int correction_parse(struct correction *out, const char *name, const char *text, size_t size, struct error *err);
int correction_write(const struct correction *c, const char *path, struct error *err);
#endif
