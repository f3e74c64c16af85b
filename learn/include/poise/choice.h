/* A learned choice between policies: for each launch (a row) what each of m policies gains, ln(speedup), and which to
 * take by the row's columns. The last policy is the baseline, whose gain is 0 everywhere. Data are those of
 * poise/response.h with one point a policy; what a wrong choice costs is what counts, so the measure is the regret.
 *
 *   choice_validate()   learners beside the best single policy, each group (family of programs) left out
 *   choice_train()      a model: for each policy a linear function of the columns, by ridge regression of the gains,
 *                       of which the highest is taken
 *   choice_train_few()  the same of a few policies, by trials of them alone
 *   choice_policy()     which policy a model takes for a row
 *
 * `response_policy` is a family of trees that part the rows where the best policy of each part gains most, not where
 * gains are alike [Bertsimas, Kallus 2020: prescriptive trees]. A tree of depth 1 is the simplest rule, one threshold.
 *
 * Everything random is seeded; results are the same bytes at any number of threads. */
#ifndef POISE_CHOICE_H
#define POISE_CHOICE_H
#include <stdio.h>
#include <string.h>
#include "poise/response_validate.h"
struct json_t;

enum { CHOICE_COLUMNS_MAX = 96, CHOICE_TEXT_MAX = 512 };
extern const struct response_family response_policy;

/* ---- validation ---- */

/* Kernels of these lengths: core cycles of all launches together under the baseline. */
enum { CHOICE_LENGTHS = 4 };
extern const double choice_lengths[CHOICE_LENGTHS];
struct choice_score {
    const char *learner, *columns;
    double regret;                 /* ln, mean over groups */
    double gain;                   /* ln speedup over the baseline, mean over groups */
    double closed, interval[2];    /* part of the best single policy's regret that is gone; 95 % over groups */
    double over, over_interval[2]; /* ln of its speedup over the best single policy, mean over groups */
    size_t n_worse;                /* groups on which it is slower than the best single policy by more than 2 % */
    /* Policies tried before the choice (0: none), and `closed` of kernels of each length with the trials' cost. */
    size_t tried;
    double net[CHOICE_LENGTHS], net_interval[CHOICE_LENGTHS][2];
};
struct choice_columns {
    const char *name;
    const size_t *columns;
    size_t n;
    bool are_trials; /* column j says what policy j gained in a trial: the highest may be taken as it is */
};
/* Trials before a choice, one policy after the other. What a trial executes counts, and none lasts longer than a launch
 * of its row. Launches of a kernel are taken to be alike, and to change the policy is taken to cost nothing. */
struct choice_trials {
    const struct choice_columns *set;
    double cycles;       /* core cycles of a trial */
    const double *lasts; /* n: core cycles of each row's launch under the baseline */
    const size_t *tried; /* n policies; NULL: all. With a stride, n of each group, so many apart */
    size_t n, stride;
};
/* ln of the speedup over the baseline of a kernel of this length, whose launches are as in the row: trials, then the
 * policy that was chosen. Shorter kernels end within their trials. */
double choice_net(const struct response_data *data, const struct choice_trials *trials, size_t row, size_t choice,
                  double length);
/* The policies whose best one gains most in the mean over groups, taken one by one, so that fewer are the first of
 * more; the first is the best single policy. n is at most m. */
int choice_shortlist(size_t *out, size_t n, const struct response_data *data, struct error *err);

struct choice_validation {
    struct choice_score *scores;
    size_t n, single; /* single: the best policy of all rows */
    double oracle;    /* ln speedup over the baseline, mean over groups */
};
void choice_validation_fini(struct choice_validation *v);
/* The first score is the best single policy's (chosen on the other groups), the second the most frequent best one's;
 * then each learner on each set of columns. A set has at most RESPONSE_FEATURES_MAX columns. With `trials` (or NULL)
 * there follow trials of 2 to CHOICE_FEW_MAX policies alone, a shortlist of the other groups. */
enum { CHOICE_FEW_MAX = 8 };
int choice_validate(struct choice_validation *out, const struct response_data *data, const struct choice_columns *sets,
                    size_t n_sets, const struct choice_trials *trials, uint64_t seed, struct error *err);
/* Of choices that were made elsewhere, one a row, beside the one policy `single`; trials: before each, or NULL. */
int choice_score(struct choice_score *out, const struct response_data *data, const size_t *choice, size_t single,
                 const struct choice_trials *trials, uint64_t seed, struct error *err);

/* ---- a model ---- */

/* A policy is a text "NAME: options of poise sim", as "swl2: --mech swl,N=2". */
enum { CHOICE_NAME_MAX = 32 }; /* bytes of a name with its end */
/* What is wrong with policies, of which *which is; NULL: each is such a text, and names differ. */
const char *choice_policies_problem(const char *const *policies, size_t n, size_t *which);
static inline int choice_name_bytes(const char *policy) { return (int)strcspn(policy, ":"); }
static inline bool choice_is_named(const char *policy, const char *name)
{
    const size_t n = strlen(name);
    return strcspn(policy, ":") == n && strncmp(policy, name, n) == 0;
}

struct choice_model {
    char name[MODEL_NAME_MAX];
    unsigned model_version;
    size_t k, m, single;    /* single: the best single policy of the training groups */
    uint64_t window, trial; /* core cycles of the baseline, and of each policy, that its columns look at; 0: none */
    char columns[RESPONSE_FEATURES_MAX][MODEL_NAME_MAX];
    char policies[RESPONSE_POINTS_MAX][CHOICE_TEXT_MAX];
    double weights[RESPONSE_POINTS_MAX][RESPONSE_FEATURES_MAX + 1]; /* of each policy; the constant last */
    struct json_t *training, *validation;                           /* owned, or NULL */
};
void choice_model_fini(struct choice_model *model);
int choice_train(struct choice_model *out, const struct response_data *data, const char *const *policies,
                 const struct choice_columns *set, struct error *err);
/* Of a shortlist of 2 to m policies, by columns of their trials. Gains are over the first of the shortlist: to add the
 * same to all columns changes nothing, so that trials may be compared with any of the policies. */
int choice_train_few(struct choice_model *out, const struct response_data *data, const char *const *policies,
                     const struct choice_columns *trials, size_t n, struct error *err);
size_t choice_policy(const struct choice_model *model, const double *x, double *gains); /* gains: m values or NULL */

/* {"schema":1,"kind":"choice","name","model_version","window","trial","columns":[],"policies":[],"single",
 *  "weights":[[]],"training":{},"validation":{}} */
int choice_model_read(struct choice_model *out, const char *path, struct error *err);
int choice_model_parse(struct choice_model *out, const char *name, const char *text, size_t size, struct error *err);
int choice_model_write(const struct choice_model *model, const char *path, struct error *err);
/* A C header that stands alone: poise_choose(x) and the names of columns and policies. */
void choice_model_export(const struct choice_model *model, FILE *out);
#endif
