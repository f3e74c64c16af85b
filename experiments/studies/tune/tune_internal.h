/* Shared by tune*.c. A point is a combination of the axes by its number: the first axis varies slowest. */
#ifndef POISE_TUNE_INTERNAL_H
#define POISE_TUNE_INTERNAL_H
#include "studies/sweep/metric.h"
#include "poise/program_sample.h"
#include "poise/tune.h"
#include "studies/sweep/sweep_axes.h"
#include "studies/sweep/sweep_kernels.h"
#include "studies/sweep/warp_limit.h"

enum tune_method {
#define M(id, doc) TUNE_##id,
    TUNE_METHODS(M)
#undef M
        N_TUNE_METHODS
};
enum { TUNE_RUNGS = 3, TUNE_ETA = 3, TUNE_TOP = 5, TUNE_OBJECTIVES_MAX = 4, WHENS_MAX = 32 };
/* What is made large or small. */
struct objective {
    char text[256];
    struct metric formula; /* unless it is `speedup` */
    bool is_min, is_speedup;
};
struct trial {
    size_t point;
    unsigned rung;                       /* 0: in full; k: the first 1/3^k of the baseline's cycles */
    double score;                        /* of the first objective: larger is better; NAN where a run failed */
    double metrics[TUNE_OBJECTIVES_MAX]; /* of each objective */
    double low, high;                    /* of an estimate of the first; NAN: it is exact */
};
/* A figure; low and high are the interval of an estimate, NAN where it is exact. */
struct tune_value {
    double value, low, high;
};
#define TUNE_NO_VALUE \
    (struct tune_value) { NAN, NAN, NAN }
/* Points that have a name: the stack's own values, and those that papers give. */
enum tune_named_point { TUNE_DEFAULT, TUNE_PUBLISHED, N_TUNE_NAMED };
extern const char *const tune_named_words[];
struct named_point {
    const char *values[AXES_MAX]; /* NULL: its own */
    bool has_values;              /* some value is published */
    bool is_there;                /* the published point: and differs from the default */
    bool is_on_grid;              /* then it is a trial */
    size_t point;                 /* of its levels; the first level where a value is none */
};
/* A set of launches with what the baseline did on each of them. */
struct tune_set {
    struct launches launches;
    struct run_job *base[TUNE_RUNGS]; /* the baseline's runs, one a launch; NULL until they are asked for */
    struct tune_samples *samples;     /* of a sampled tuning: each benchmark's program (tune_sample.c) */
    uint32_t *swl; /* of each launch: the warp limit that is best for its benchmark; NULL until it is asked for */
};
struct tune {
    struct yaml_file *file;
    char name[128];
    struct objective objectives[TUNE_OBJECTIVES_MAX];
    size_t n_objectives;
    int size;
    bool wants_regret, has_folds, folds_are_families;
    struct selections kernels, heldout;
    struct gpu_params *params;
    struct gpu_limits limits;
    struct mech_spec stack[MECH_STACK_MAX], baseline;
    unsigned n_stack;
    char swl_key[MECH_STACK_MAX][WARP_LIMIT_KEY]; /* the parameter of a mechanism that "@swl" stands at; empty: none */
    bool has_baseline;
    struct axes axes;
    int target[AXES_MAX];              /* the mechanism of the stack; -1: the machine */
    const char *key[AXES_MAX];         /* the parameter's name there */
    int presence[MECH_STACK_MAX];      /* the axis that says whether the mechanism is in the stack; -1: it is */
    struct condition whens[WHENS_MAX]; /* what must hold for a parameter to exist, and the parameter */
    size_t when_axis[WHENS_MAX], n_whens;
    struct condition conditions[CONDITIONS_MAX];
    size_t n_conditions;
    enum tune_method method;
    uint64_t budget, initial, seed;
    struct tune_set train, test;
    bool is_sampled, is_unchecked; /* trials are estimates; and the best point is left at its estimate */
    struct sample_options sampling;
    struct trial *trials;
    size_t n_trials, cap_trials, runs;
    struct named_point named[N_TUNE_NAMED];
    size_t *seeds, n_seeds; /* points that are tried before the method chooses */
    struct asker *asker;    /* somebody outside evaluates trials, by `outside`; NULL: they are simulated */
    int (*outside)(struct tune *t, const size_t *points, size_t n, unsigned rung, struct error *err);
    bool has_failed;      /* a run of some point */
    struct error failure; /* the first of these */
    struct runner *runner;
};
size_t point_level(const struct axes *axes, size_t point, size_t axis);
size_t point_at(const struct axes *axes, const double *x);                /* x in [0,1]^d: rounded to a level */
void point_coordinates(const struct axes *axes, size_t point, double *x); /* centres of the levels */
size_t point_with_level(const struct axes *axes, size_t point, size_t axis, size_t level);
bool tune_allows(const struct tune *t, size_t point);
/* Whether a parameter exists at a point: its mechanism is in the stack, and what `when` says holds. */
bool tune_exists(const struct tune *t, size_t point, size_t axis);
/* Whether its existence hangs on its own value, through others; and whether there is no point where it exists. */
bool tune_asks_itself(const struct tune *t, size_t axis);
bool tune_exists_nowhere(const struct tune *t, size_t axis);
bool tune_is_optional(const struct tune *t, size_t axis); /* it says whether its mechanism is in the stack */
bool tune_has_mech(const struct tune *t, size_t point, unsigned mech);
bool tune_is_on(const char *word);
/* The point that stands for all that differ from it in what does not exist. */
size_t tune_canonical(const struct tune *t, size_t point);
double tune_space_size(const struct tune *t); /* points that differ; of large spaces the whole product */
/* Whether two values of a parameter are one; NULL: what the stack, or the machine, has by itself. */
bool tune_is_same(const struct tune *t, size_t axis, const char *a, const char *b);
/* The point whose levels have these values, NULL for what the stack has by itself; `*missing`: else the first axis that
 * lacks its value. */
bool tune_point_with(const struct tune *t, const char *const *values, size_t *point, size_t *missing);
bool tune_own_point(const struct tune *t, size_t *point, size_t *missing); /* of nothing but the stack's own */
size_t tune_benchmarks(const struct tune_set *set);                        /* workloads and inputs */
/* nothing to do where no mechanism asks for it */
int tune_need_swl(struct tune *t, struct tune_set *set, struct error *err);
int tune_set_swl(const struct tune *t, const struct tune_set *set, size_t launch, struct mech_spec *stack,
                 struct error *err);
const struct trial *tune_find(const struct tune *t, size_t point, unsigned rung);
size_t tune_n_full(const struct tune *t);
const struct trial *tune_best(const struct tune *t); /* NULL where every run failed */
/* Adds trials for those points that have none yet. */
int tune_try(struct tune *t, const size_t *points, size_t n, unsigned rung, struct error *err);
/* Scores on a set, n_objectives of each point, without adding trials. `in_store_only`: *is_known says whether the store
 * has every run, and if not nothing is done. */
int tune_score(struct tune *t, struct tune_set *set, const size_t *points, size_t n, unsigned rung, bool in_store_only,
               bool *is_known, double *metrics, struct error *err);
/* A point on a set: the metric; the metric of the baseline on the point's machine; and for `speedup` the speed over
 * that baseline. NAN where a run failed. Estimates where the tuning is sampled, unless it is to be exact. */
struct tune_figures {
    struct tune_value metric, machine_alone, over_same_machine;
};
#define TUNE_NO_FIGURES \
    (struct tune_figures) { TUNE_NO_VALUE, TUNE_NO_VALUE, TUNE_NO_VALUE }
/* A point by its number, or by a value for each axis (NULL: its own), which need be no levels. */
struct tune_place {
    const size_t *point;
    const char *const *values;
};
int tune_figures(struct tune *t, struct tune_set *set, const struct tune_place *at, bool is_exact,
                 struct tune_figures *out, struct error *err);
/* KEY, and of an estimate KEY_low, KEY_high and is_estimate. */
void tune_set_value(struct json_t *out, const char *key, const struct tune_value *value);
/* Runs of points, one after another, each on every launch of a set. */
struct tune_jobs {
    struct run_job *jobs;
    size_t n;
    struct gpu_params **params;
    size_t n_params;
};
int tune_jobs_new(struct tune_jobs *l, const struct tune_set *set, size_t n_points, struct error *err);
int tune_jobs_add(struct tune *t, const struct tune_set *set, struct tune_jobs *l, const struct tune_place *at,
                  unsigned rung, struct error *err);
int tune_jobs_add_baseline(struct tune *t, const struct tune_set *set, struct tune_jobs *l,
                           const struct gpu_params *machine, unsigned rung, struct error *err);
void tune_jobs_fini(struct tune_jobs *l);
int tune_search(struct tune *t, struct error *err); /* points that have a name, the seeds, then the method */
int tune_add_trial(struct tune *t, size_t point, unsigned rung, const double *metrics, struct error *err);
/* The spec again, sampled as `of` is. */
int tune_load_again(struct tune **out, const struct tune *of, const char *path, const char *configs_dir,
                    struct error *err);

/* ---- estimates of whole programs (tune_sample.c) ---- */
int tune_check_sample(const struct tune *t, struct error *err); /* what a sampled tuning cannot do */
int tune_estimate(struct tune *t, struct tune_set *set, const size_t *points, size_t n, struct tune_value *out,
                  struct error *err);
int tune_estimate_figures(struct tune *t, struct tune_set *set, const struct tune_place *at, struct tune_figures *out,
                          struct error *err);
struct tune_value tune_trial_value(const struct trial *trial);
struct json_t *tune_sample_json(const struct tune *t);
void tune_samples_free(struct tune_samples *samples); /* accepts NULL */
struct json_t *tune_value_json(const char *text);     /* a number where it is one */
struct json_t *tune_params_json(const struct tune *t, size_t point);
int tune_report(struct tune *t, struct json_t **out, struct error *err);
/* A point by a value of every axis; where there is none, `why` says so. false: no value of that name, or too long. */
typedef bool tune_value_of(void *context, const char *name, char *text, size_t size);
int tune_point_of(const struct tune *t, tune_value_of *value_of, void *context, size_t *point, char *why, size_t size);
bool tune_value_of_json(void *object, const char *name, char *text, size_t size); /* of an object of parameters */
int tune_read_seeds(struct tune *t, const struct yaml_file *file, const struct yaml_node *list, struct error *err);

/* The launches that `from` is tuned on. */
int tune_take_launches(struct tune *to, const struct tune *from, struct error *err);
int tune_method_find(const char *name); /* -1: none */
const char *tune_method_name(enum tune_method method);
bool tune_method_takes(const struct tune *t, enum tune_method method); /* as many objectives as the spec has */

/* ---- points that have a name (tune_named.c) ---- */
void tune_find_named(struct tune *t); /* once, before any trial */
/* "default": {params{}, sources{}, is_trial} and "published": the same with words and is_default, or null. */
void tune_add_named(const struct tune *t, struct json_t *report);
const char *tune_name_of(const struct tune *t, size_t point); /* NULL: it has none */

/* ---- several objectives (tune_front.c) ---- */
/* Trials in full whose every objective is a number, and that no other such trial beats in one without losing in
 * another. */
size_t tune_front(const struct tune *t, const struct trial **out, size_t max);
/* What each trial scores for one random weighting of the objectives; larger is better [Knowles 2006, ParEGO]. */
void tune_scalarise(const struct tune *t, const double *weights, double *scores);
/* The share of the box from the worst to the best value of each objective that the points dominate; `lows` and `highs`
 * are that box, values count as smaller is better. */
double tune_hypervolume(const double (*points)[TUNE_OBJECTIVES_MAX], size_t n, size_t d, const double *lows,
                        const double *highs);
struct json_t *tune_metrics_json(const struct tune *t, const double *metrics); /* a list, one an objective */
/* "objectives", "front" and "hypervolume", with what the front does on the held-out set. */
int tune_add_front(struct tune *t, struct json_t *report, struct error *err);
/* Values of a trial as smaller is better. */
void tune_costs(const struct tune *t, const struct trial *trial, double out[TUNE_OBJECTIVES_MAX]);

/* A Gaussian process with a Matern 5/2 kernel, one length a dimension. `noise`: the share of the variance that is
 * not the surface's. */
#define GP_EXACT 1e-6 /* keeps the matrix positive, and no more */
struct gp;
int gp_fit(struct gp **out, const double *x, const double *y, size_t n, size_t d, double noise, struct error *err);
void gp_predict(const struct gp *gp, const double *x, double *mean, double *variance);
double gp_expected_improvement(const struct gp *gp, const double *x, double best);
void gp_free(struct gp *gp);
#endif
