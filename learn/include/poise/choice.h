/* A learned choice between policies: for each launch (a row) what each of m policies gains, ln(speedup), and which to
 * take by the row's columns. The last policy is the baseline, whose gain is 0 everywhere.
 *
 * Data are those of poise/response.h, with one point a policy. The learner of its own here is trees that part the rows
 * where the best policy of each part gains most (`response_policy`), not where gains are alike: what a wrong choice
 * costs is what counts [Zadrozny, Langford, Abe 2003; Bertsimas, Kallus 2020 on prescriptive trees]. One tree is a
 * decision table; several, of drawn groups, take the policy with the highest mean gain.
 *
 *   choice_validate()   learners beside the best single policy, each group left out
 *   choice_train()      settings chosen by leaving groups out, and the trees
 *   choice_policy()     which policy a model takes for a row
 *
 * Everything random is seeded; results are the same bytes at any number of threads. */
#ifndef POISE_CHOICE_H
#define POISE_CHOICE_H
#include <stdio.h>
#include "poise/response_validate.h"
struct json_t;

enum { CHOICE_TEXT_MAX = 512, CHOICE_TREES_MAX = 64, CHOICE_NODES_MAX = 1 << 12 };
struct choice_node {
    int32_t column; /* -1: a leaf */
    uint32_t left, right;
    float threshold; /* x <= threshold: left */
};
struct choice_tree {
    size_t n;
    struct choice_node *nodes;
    float *gains; /* n x m: the mean gains of a node's rows */
};
struct choice_trees {
    size_t n, m;
    struct choice_tree *trees;
};
/* Leaves hold at least min_groups groups; a tree of several sees groups drawn with replacement and tries a share of the
 * columns for each split. */
struct choice_settings {
    uint32_t trees, depth, min_groups, seed;
    double columns;
};
extern const struct choice_settings choice_settings_default;
void choice_trees_fini(struct choice_trees *trees);
int choice_trees_fit(struct choice_trees *out, const struct response_data *data, const struct choice_settings *settings,
                     struct error *err);
/* Mean gains of the trees, m values. */
void choice_trees_predict(const struct choice_trees *trees, const double *x, double *gains);
extern const struct response_family response_policy;

/* ---- validation ---- */

struct choice_score {
    const char *learner, *columns;
    double regret;               /* ln, mean over groups */
    double gain;                 /* ln speedup over the baseline, mean over groups */
    double closed, interval[2];  /* part of the best single policy's regret that is gone; 95 % over groups */
    double over, over_interval[2]; /* ln of its speedup over the best single policy, mean over groups */
    size_t n_worse;              /* groups on which it is slower than the best single policy by more than 2 % */
};
struct choice_columns {
    const char *name;
    const size_t *columns;
    size_t n;
};
struct choice_validation {
    struct choice_score *scores;
    size_t n, single; /* single: the best policy of all rows */
    double oracle;    /* ln speedup over the baseline, mean over groups */
    double *by_group; /* regret: n scores a group */
    size_t n_groups;
};
void choice_validation_fini(struct choice_validation *v);
/* The first score is the best single policy's (chosen on the other groups), the second the most frequent best one's;
 * then each learner on each set of columns. */
int choice_validate(struct choice_validation *out, const struct response_data *data, const struct choice_columns *sets,
                    size_t n_sets, uint64_t seed, struct error *err);
/* Of choices that were made elsewhere: one a row. `single` is the policy to compare with. */
int choice_score(struct choice_score *out, const struct response_data *data, const size_t *choice, size_t single,
                 uint64_t seed, struct error *err);
/* The policy with the highest mean gain over groups. */
size_t choice_single(const struct response_data *data);

/* ---- a model ---- */

struct choice_model {
    char name[MODEL_NAME_MAX];
    unsigned model_version;
    size_t k, m, single;
    char columns[RESPONSE_FEATURES_MAX][MODEL_NAME_MAX];
    char policies[RESPONSE_POINTS_MAX][CHOICE_TEXT_MAX]; /* "swl2: --mech swl,N=2" */
    struct choice_settings settings;
    struct choice_trees trees;
    struct json_t *training, *validation; /* owned */
};
void choice_model_fini(struct choice_model *model);
int choice_train(struct choice_model *out, const struct response_data *data, const char *const *policies, uint64_t seed,
                 struct error *err);
size_t choice_policy(const struct choice_model *model, const double *x, double *gains); /* gains: m values or NULL */

/* {"schema":1,"kind":"choice","name","model_version","columns":[],"policies":[],"single","settings":{},
 *  "trees":[{"column":[],"left":[],"right":[],"threshold":[],"gains":[[]]}],"training":{},"validation":{}} */
int choice_model_read(struct choice_model *out, const char *path, struct error *err);
int choice_model_parse(struct choice_model *out, const char *name, const char *text, size_t size, struct error *err);
int choice_model_write(const struct choice_model *model, const char *path, struct error *err);
/* A C header that stands alone: poise_choose(x) and the names of policies and columns. */
void choice_model_export(const struct choice_model *model, FILE *out);
#endif
