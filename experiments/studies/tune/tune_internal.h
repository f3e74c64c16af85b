/* Shared by tune*.c. A point is a combination of the axes by its number: the first axis varies slowest. */
#ifndef POISE_TUNE_INTERNAL_H
#define POISE_TUNE_INTERNAL_H
#include "studies/sweep/metric.h"
#include "poise/tune.h"
#include "studies/sweep/sweep_axes.h"
#include "studies/sweep/sweep_kernels.h"

enum tune_method {
#define M(id, doc) TUNE_##id,
    TUNE_METHODS(M)
#undef M
        N_TUNE_METHODS
};
enum { TUNE_RUNGS = 3, TUNE_ETA = 3, TUNE_TOP = 5 };
struct trial {
    size_t point;
    unsigned rung; /* 0: in full; k: the first 1/3^k of the baseline's cycles */
    double score;  /* larger is better; NAN where a run failed */
    double metric;
};
/* A set of launches with what the baseline did on each of them. */
struct tune_set {
    struct launches launches;
    unsigned have; /* bit k: the baseline at rung k is there */
    double *prefix_insts[TUNE_RUNGS], *prefix_cycles[TUNE_RUNGS];
    uint32_t *swl; /* of each launch: the warp limit that is best for its benchmark; NULL until it is asked for */
};
struct tune {
    struct yaml_file *file;
    char name[128], metric[256];
    struct metric formula; /* unless the metric is `speedup` */
    int size;
    bool is_min, wants_regret, has_folds;
    struct selections kernels, heldout;
    struct gpu_params *params;
    struct gpu_limits limits;
    struct mech_spec stack[MECH_STACK_MAX], baseline;
    unsigned n_stack;
    char swl_key[MECH_STACK_MAX][32]; /* the parameter of a mechanism that "@swl" stands at; empty: none */
    bool has_baseline;
    struct axes axes;
    int target[AXES_MAX];      /* the mechanism of the stack; -1: the machine */
    const char *key[AXES_MAX]; /* the parameter's name there */
    struct condition conditions[CONDITIONS_MAX];
    size_t n_conditions;
    enum tune_method method;
    uint64_t budget, initial, seed;
    struct tune_set train, test;
    struct trial *trials;
    size_t n_trials, cap_trials, runs;
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
bool tune_allows(const struct tune *t, size_t point);
/* The point whose levels are the values that the stack has by itself; `*missing`: else the first axis that lacks its
 * value. */
bool tune_own_point(const struct tune *t, size_t *point, size_t *missing);
size_t tune_benchmarks(const struct tune_set *set); /* workloads and inputs */
/* "pcal,N=@swl": the mechanism without the word, and where it stood in *key. */
int tune_parse_mech(struct mech_spec *out, char key[32], const char *text, struct error *err);
/* nothing to do where no mechanism asks for it */
int tune_need_swl(struct tune *t, struct tune_set *set, struct error *err);
int tune_set_swl(const struct tune *t, const struct tune_set *set, size_t launch, struct mech_spec *stack,
                 struct error *err);
/* Launches of one benchmark are of the same workload and input. */
static inline bool tune_same_benchmark(const struct launch *a, const struct launch *b)
{
    return a->workload == b->workload && a->input == b->input;
}
const struct trial *tune_find(const struct tune *t, size_t point, unsigned rung);
size_t tune_n_full(const struct tune *t);
const struct trial *tune_best(const struct tune *t); /* NULL where every run failed */
/* Adds trials for those points that have none yet. */
int tune_try(struct tune *t, const size_t *points, size_t n, unsigned rung, struct error *err);
/* Scores on a set, without adding trials. `in_store_only`: *is_known says whether the store has every run, and if
 * not nothing is done. */
int tune_score(struct tune *t, struct tune_set *set, const size_t *points, size_t n, unsigned rung, bool in_store_only,
               bool *is_known, double *metrics, struct error *err);
/* A point (NULL: the stack's own values on the spec's machine) on a set: the metric; the metric of the baseline on the
 * point's machine; and for `speedup` the speed over that baseline. NAN where a run failed. */
struct tune_figures {
    double metric, machine_alone, over_same_machine;
};
int tune_figures(struct tune *t, struct tune_set *set, const size_t *point, struct tune_figures *out,
                 struct error *err);
int tune_search(struct tune *t, struct error *err); /* the seeds, then the method */
int tune_add_trial(struct tune *t, size_t point, unsigned rung, double metric, struct error *err);
struct json_t *tune_params_json(const struct tune *t, size_t point);
int tune_report(struct tune *t, struct json_t **out, struct error *err);
/* A point by a value of every axis; where there is none, `why` says so. false: no value of that name, or too long. */
typedef bool tune_value_of(void *context, const char *name, char *text, size_t size);
int tune_point_of(const struct tune *t, tune_value_of *value_of, void *context, size_t *point, char *why, size_t size);
int tune_read_seeds(struct tune *t, const struct yaml_file *file, const struct yaml_node *list, struct error *err);

/* A Gaussian process with a Matern 5/2 kernel, one length a dimension. `noise`: the share of the variance that is
 * not the surface's. */
#define GP_EXACT 1e-6 /* keeps the matrix positive, and no more */
struct gp;
int gp_fit(struct gp **out, const double *x, const double *y, size_t n, size_t d, double noise, struct error *err);
void gp_predict(const struct gp *gp, const double *x, double *mean, double *variance);
double gp_expected_improvement(const struct gp *gp, const double *x, double best);
void gp_free(struct gp *gp);
#endif
