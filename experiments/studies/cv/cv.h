/* poise cv: models on a data set of kernels, validated benchmark by benchmark.     (private to the lab)
 *   cv_spec.c    the YAML file
 *   cv_data.c    the table, its groups, each row's profile
 *   cv_score.c   a model on some columns: held-out predictions of every target, regrets, the figures of these
 *   cv_study.c   what changes when something is taken away, permuted, blurred, or searched for
 *   cv_report.c  JSON, the table to read, the files that reports draw from */
#ifndef POISE_CV_H
#define POISE_CV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/features.h"
#include "poise/table.h"
#include "poise/table_csv.h"
#include "poise/validate.h"
#include "poise/yaml.h"
struct json_t;

#define CV_MODELS_MAX 24
#define CV_COLUMNS_MAX 64
#define CV_TARGETS 2
#define CV_TOO_FEW_GROUPS "too few groups for an interval"

#define CV_PARAMS(P) \
    P(ENUM, kind, 0, 0, 1, "logo|kfold", "assumed", "leave one group out, or folds of whole groups") \
    P(U32, folds, 5, 2, 1000, "folds", "assumed", "of kfold") \
    P(U32, repeats, 1, 1, 1000, "1", "assumed", "times kfold is sampled again") \
    P(U32, inner_folds, 5, 2, 1000, "folds", "assumed", "of the search for settings inside each training part") \
    P(U32, seed, 1, 0, 4294967295, "1", "assumed", "of everything random") \
    P(U32, bootstrap, 1000, 0, 1000000, "draws", "assumed", "behind every interval; 0: none") \
    P(F64, level, 0.95, 0.5, 0.999, "fraction", "assumed", "of intervals") \
    P(U32, stride_N, 2, 0, 64, "warps", "THESIS Tab. 5.5", "first stride of the search over N") \
    P(U32, stride_p, 4, 0, 64, "warps", "THESIS Tab. 5.5", "first stride of the search over p") \
    P(U32, scale, 24, 0, 1024, "warps", "THESIS 5.5.3", \
      "warps per scheduler that the targets N and p are scaled to; 0: not scaled") \
    P(U32, permutations, 20, 1, 10000, "1", "assumed", "of a column, for its importance") \
    P(U32, most_features, 7, 1, 32, "columns", "THESIS Tab. 5.3", "that a selection may end with, the constant apart") \
    P(U32, lasso_points, 20, 2, 1000, "1", "assumed", "penalties along the path")
PARAM_STRUCT(cv_params, CV_PARAMS);
extern const struct param_table cv_param_table;

#define CV_STUDIES(S) \
    S(ablation) S(importance) S(learning_curve) S(noise) S(stability) S(selection) S(lasso) S(calibration)
enum cv_study {
#define S(id) CV_STUDY_##id,
    CV_STUDIES(S)
#undef S
        N_CV_STUDIES
};
extern const char *const cv_study_names[N_CV_STUDIES];

struct cv_model {
    char name[64];
    const struct family *family;
    struct family_settings settings;
    bool tunes;                 /* searches the family's grid inside each training part */
    struct family_axis axes[4]; /* values point into the spec's file */
    size_t n_axes;
};
struct cv_spec {
    char name[64], dataset[512], profile[512], group[64], targets[CV_TARGETS][64];
    size_t n_targets;
    char features[CV_COLUMNS_MAX][MODEL_NAME_MAX], candidates[CV_COLUMNS_MAX][MODEL_NAME_MAX];
    size_t n_features, n_candidates; /* 0: Tab. 5.3's where the table has them, else every numeric column; every
                                      * registered feature */
    struct cv_params params;
    enum glm_weights weights; /* what the column `weight` says */
    struct cv_model models[CV_MODELS_MAX];
    size_t n_models;
    bool studies[N_CV_STUDIES];
    struct yaml_file *file; /* owns texts of the axes */
};
int cv_spec_read(struct cv_spec *out, const char *path, struct error *err);
int cv_spec_parse(struct cv_spec *out, const char *name, const char *text, size_t size, struct error *err);
void cv_spec_fini(struct cv_spec *spec);

/* A data set ready for validation. */
struct cv_data {
    struct table_csv table;
    struct table_notes notes; /* what was left out of it */
    struct training_set set;  /* all columns that any model or study uses */
    const double *y[CV_TARGETS];
    struct groups groups;
    size_t n, n_targets;
    double scale;                                    /* of the targets; 0: not scaled, a row's own W is its range */
    const double *W;                                 /* of each row; NULL unless scale is 0 */
    size_t columns[CV_COLUMNS_MAX], n_columns;       /* of set: the models' */
    size_t candidates[CV_COLUMNS_MAX], n_candidates; /* of set: the selections' */
    bool has_profile, is_tuple;                      /* the targets are N and p */
    struct cv_launch {
        struct profile_point *points;
        size_t n;
        uint32_t W;
    } * launches; /* of each row */
    struct profile_point *points;
};
int cv_data_init(struct cv_data *out, const struct cv_spec *spec, struct error *err);
void cv_data_fini(struct cv_data *data);
bool cv_is_constant(const struct cv_data *data, size_t column);

/* A model's held-out predictions: m = repeats x n instances, instance i is row i mod n. */
struct cv_score {
    size_t m, repeats;
    const struct cv_data *data;
    double *y[CV_TARGETS], *predicted[CV_TARGETS], *low[CV_TARGETS], *high[CV_TARGETS], *pit[CV_TARGETS];
    double *regret, *regret_search, *speedup, *best; /* NULL without a profile */
    size_t exact, outside; /* lookups of tuples that were simulated; predictions of N and p outside 1 .. scale (0: W) */
    struct groups groups;  /* of the instances */
    struct folds *folds;   /* of each repeat */
    struct cv_result *results[CV_TARGETS]; /* of each repeat */
    double *memory;
};
/* `columns` of data->set; fraction and groups for learning curves (0: all). */
struct cv_task {
    const struct cv_model *model;
    const size_t *columns;
    size_t k;
    double train_fraction;
    size_t train_groups;
};
int cv_score_init(struct cv_score *out, const struct cv_data *data, const struct cv_params *params,
                  const struct cv_task *task, struct error *err);
void cv_score_fini(struct cv_score *score);
/* The predictors of `score` on altered columns (glm_data of the task's columns): new predictions and regrets. */
int cv_score_again(struct cv_score *out, const struct cv_score *score, const struct cv_params *params,
                   const struct glm_data *altered, struct error *err);

/* Figures of a score; rows of instances (NULL: all m). */
enum cv_metric {
    CV_ERROR_N,
    CV_ERROR_P,
    CV_SCALE_N,
    CV_SCALE_P,
    CV_MAE,
    CV_SPEARMAN,
    CV_REGRET,
    CV_REGRET_SEARCH,
    N_CV_METRICS
};
extern const char *const cv_metric_names[N_CV_METRICS];
bool cv_metric_exists(const struct cv_score *score, enum cv_metric metric);
double cv_metric_value(const struct cv_score *score, enum cv_metric metric, const size_t *rows, size_t m);
int cv_metric_interval(const struct cv_score *score, const struct cv_params *params, enum cv_metric metric,
                       double interval[2], struct error *err);
/* The loss that decides: regret where there is a profile, else the mean relative error of all targets. `losses`
 * holds m. */
void cv_losses(const struct cv_score *score, enum cv_metric metric, double *losses);
enum cv_metric cv_deciding(const struct cv_score *score);
double cv_decide(const struct cv_score *score);

int cv_study(enum cv_study study, const struct cv_spec *spec, const struct cv_data *data,
             const struct cv_score *reference, struct json_t **out, struct error *err);
int cv_study_selection(const struct cv_spec *spec, const struct cv_data *data, struct json_t **out, struct error *err);
int cv_study_lasso(const struct cv_spec *spec, const struct cv_data *data, struct json_t **out, struct error *err);

/* The whole: the object that `poise cv --json` prints; files into `out_dir` unless it is NULL. */
int cv_run(struct json_t **out, const struct cv_spec *spec, const char *out_dir, struct error *err);
void cv_print(const struct json_t *report, FILE *out);
/* Rows of a learning curve by the share of their training rows, or by their training groups: two tables. A new list. */
struct json_t *cv_learning_curve(const struct json_t *rows, bool by_groups);
#endif
