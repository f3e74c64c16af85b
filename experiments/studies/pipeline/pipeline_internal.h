/* What the stages of the pipeline pass on. Internal to poise_lab.
 *
 *   pipeline.c          the order of stages; run_info.json
 *   pipeline_jobs.c     the machine and the runs on it, for the stages that simulate
 *   pipeline_files.c    files, maps of parameters and look-ups, for every stage
 *   pipeline_record.c   workloads -> launches
 *   pipeline_profile.c  launches -> measured warp tuples
 *   pipeline_train.c    profiles -> dataset.csv -> model.json
 *   pipeline_response.c  profiles, samplings -> networks of response surfaces
 *   pipeline_eval.c     model -> engine's runs -> benchmarks' figures, offline prediction errors
 *   contenders.c        further policies on the evaluation launches
 *   pipeline_sample.c   the same two from a sample of the launches that are not profiled
 *   pipeline_report.c   summary.json, profile.csv, the table */
#ifndef POISE_PIPELINE_INTERNAL_H
#define POISE_PIPELINE_INTERNAL_H
#include <jansson.h>
#include "poise/pipeline.h"
#include "poise/profile_csv.h"

#define FEATURES_MAX MODEL_FEATURES_MAX

/* What a run says of its tuples, where its mechanism counts them: current (summed over cycles and SMs), predicted,
 * corrected. */
#define TUPLES_RUN(F) \
    F(sm_cycles) \
    F(N_cycles) \
    F(p_cycles) F(predictions) F(predicted_N) F(predicted_p) F(searches) F(corrected_N) F(corrected_p) F(explore_cycles)
struct tuples_run {
#define F(name) double name;
    TUPLES_RUN(F)
#undef F
};
/* A launch on its way through the stages. */
struct profile {
    const struct launch *launch;
    const struct workload *workload;
    struct store_plan plan;
    struct tuple_run *runs;            /* by order of simulation */
    struct feature_counters *counters; /* of each run */
    double *scores;
    size_t n_runs, cap_runs;
    size_t target;          /* index of the target point; n_runs if there is none (profiled launches) */
    enum dataset_drop drop; /* training launches: why it is no training row */
    char why[120];          /* the same with the threshold, as dataset_drop_why() has it */
    double x[FEATURES_MAX]; /* features in the spec's order */
    struct measure poise;   /* evaluation: the engine's run */
    struct tuples_run poise_tuples;
    uint32_t predicted_N, predicted_p;          /* offline, for W warps */
    double raw_N, raw_p;                        /* before unscaling: of `scale` warps (0: of W) */
    struct feature_counters window_o, window_a; /* the engine's first feature windows, summed over SMs; zero if it
                                                 * had none */
    uint32_t window_N, window_p;                /* predicted from these; 0 if there are none */
    struct warp_tuple beside, beside_window; /* the same of the model that the spec sets beside; 0 if there is none */
};
struct benchmark_sample;
struct benchmark {
    const struct workload *workload;
    struct profile *profiles; /* n of them, within pipeline.profiles */
    size_t n;
    struct policy_total totals[N_POLICIES];
    struct policy_total contenders[CONTENDERS_MAX];         /* speedup: over what the contender names */
    struct tuples_run tuples, their_tuples[CONTENDERS_MAX]; /* Poise's and theirs */
    json_t *stats[CONTENDERS_MAX];   /* of the mechanism that a contender names, summed over launches;
                                                     * or NULL */
    struct benchmark_sample *sample; /* NULL: all launches were simulated, and nothing is estimated */
};
struct unique_run {
    struct hash key;
    uint64_t warp_insts, line_requests;
};
struct pipeline {
    const struct pipeline_spec *spec;
    const struct pipeline_options *options;
    size_t n_groups, n_tables; /* of the spec's training and profiles: with `whole` where points are all */
    struct registry registry;
    struct gpu_params *params;
    char config[HASH_TEXT_SIZE];
    struct store *store;
    struct runner *runner;
    struct launches launches;
    struct profile *profiles; /* one a launch: training first, then evaluation */
    size_t n_profiles, n_training;
    struct benchmark *benchmarks; /* training first, then evaluation */
    size_t n_benchmarks, n_training_benchmarks;
    struct unique_run *unique; /* every run that the results rest on */
    size_t n_unique, cap_unique;
    struct dataset dataset;
    struct model model;
    json_t *fit_N, *fit_p, *training, *validation; /* for summary.json and model.json */
    json_t *response;                              /* regrets of the networks on families left out; NULL: none was
                                                    * learned */
    char model_path[1100];
    double started;
};

/* Registry and configuration: what the other stages stand on. */
int pipeline_machine(struct pipeline *p, struct error *err);
void pipeline_fini(struct pipeline *p); /* all but the store, the runner and samples */
int pipeline_record(struct pipeline *p, struct error *err);
int pipeline_profile(struct pipeline *p, struct error *err);
int pipeline_estimate_profile(struct pipeline *p, struct runner_estimate *out, struct error *err);
int pipeline_train(struct pipeline *p, struct error *err);
/* A model is trained, and with a penalty: it and the same one by maximum likelihood, which contenders may name. */
#define UNPENALISED_MODEL "model-unpenalised.json"
static inline bool pipeline_is_penalised(const struct pipeline_spec *spec)
{
    return !spec->model[0] && (spec->penalty_is_chosen || spec->penalty.lambda > 0);
}
int response_spec_read(struct response_spec *s, const struct yaml_file *file, const struct yaml_node *map,
                       struct error *err);
int pipeline_response(struct pipeline *p, struct error *err);
/* The network that saw nothing of the workload's family. Returns `path`. */
const char *pipeline_response_path(const struct pipeline *p, const struct workload *w, char *path, size_t size);
int pipeline_evaluate(struct pipeline *p, struct error *err);
/* Of pipeline_evaluate: the model's file; the engine's run of a launch, and what it gave; a benchmark's figures. */
int pipeline_write_model(struct pipeline *p, struct error *err);
int pipeline_engine_job(const struct pipeline *p, const struct profile *q, struct run_job *job, struct error *err);
void pipeline_take_engine(struct profile *q, const struct run_result *result, double weight);
int pipeline_total(struct benchmark *b, struct error *err);
/* As pipeline_evaluate; a launch that is not profiled counts for those that it stands for, or not at all. */
int pipeline_evaluate_sampled(struct pipeline *p, struct error *err);
void benchmark_sample_free(struct benchmark_sample *sample); /* accepts NULL */
/* What was simulated and the intervals, into summary.json and as a table. */
void pipeline_sample_into(const struct pipeline *p, json_t *summary);
void pipeline_sample_print(const struct pipeline *p, FILE *out);
/* Three sentences on what the table says; `hmean` holds the policies' mean speedups. */
void pipeline_explain(const struct pipeline *p, const double hmean[N_POLICIES], FILE *out);
int pipeline_write(struct pipeline *p, struct error *err);

/* Puts the spec's further mechanisms on the job's stack. */
int pipeline_with(const struct pipeline *p, struct run_job *job, struct error *err);
int pipeline_read_set(char (*set)[2][64], size_t max, size_t *n, const struct yaml_file *file,
                      const struct yaml_node *map, struct error *err);
/* Reads the spec's list of contenders. */
int contenders_read(struct pipeline_spec *spec, const struct yaml_file *file, const struct yaml_node *list,
                    struct error *err);
/* Runs them; fills in benchmarks' totals. SWL and Static-Best must be known. */
int contenders_run(struct pipeline *p, struct error *err);
/* Of contenders_run: what all launches share; the run of a launch, and what it gave; a benchmark's figures. */
struct contender_setup {
    struct gpu_params *params[CONTENDERS_MAX]; /* NULL: the pipeline's */
    struct warp_tuple train;
};
int contenders_begin(struct contender_setup *out, const struct pipeline *p, struct error *err);
void contenders_end(struct contender_setup *setup);
int contender_job(const struct pipeline *p, const struct contender_setup *setup, size_t c, const struct benchmark *b,
                  const struct profile *q, struct run_job *job, struct error *err);
void contender_take(const struct pipeline *p, struct benchmark *b, size_t c, const struct run_result *result,
                    double weight);
void contenders_total(const struct pipeline *p, struct benchmark *b);
/* The contender whose cycles are the baseline of c; -1: GTO's are. */
int contender_over(const struct pipeline_spec *spec, size_t c);
/* Mean over the profiled evaluation launches of |prediction - target| / target and / scale (0: W): the thesis does
 * not say which it means by "prediction error" [MECHANISMS definitions]. Predictions are those that the engine would
 * apply, of the model or of the one beside it. */
json_t *pipeline_errors(const struct pipeline *p, bool is_beside);
/* What the predicted tuples of profiled unseen launches lose of the best ones' speed in the mean, before any search; of
 * a tuple that was not simulated its nearest one tells (poise/regret.h). 0: no launch. */
double pipeline_mean_loss(const struct pipeline *p);
json_t *tuples_run_json(const struct tuples_run *tuples); /* means; NULL if the mechanism counts no tuples */
void tuples_run_of(struct tuples_run *out, const json_t *mechs);
void tuples_run_add(struct tuples_run *into, const struct tuples_run *from, double weight);
/* over cycles and SMs; 0 if the mechanism counts no tuples */
void tuples_run_means(const struct tuples_run *tuples, double *N, double *p);

/* Fails with the first failure in their order; remembers what the results rest on. Jobs without a result are passed
 * over. */
int pipeline_take_jobs(struct pipeline *p, const struct run_job *jobs, size_t n, struct error *err);
/* The run of a warp tuple; adds what it gave, or nothing where stats is NULL. */
int pipeline_tuple_job(const struct pipeline *p, struct run_job *job, const struct profile *q, struct warp_tuple at,
                       struct error *err);
int profile_add_run(struct profile *q, struct warp_tuple at, const struct gpu_stats *stats, double weight,
                    struct error *err);
/* Runs jobs and fails with the first failure in their order; remembers what the results rest on. */
int pipeline_jobs(struct pipeline *p, const char *what, struct run_job *jobs, size_t n, struct error *err);
/* OUT/name. Returns `path`. */
const char *pipeline_path(const struct pipeline *p, const char *name, char *path, size_t size);
int pipeline_write_json(const struct pipeline *p, const char *name, json_t *json, struct error *err); /* takes `json` */
const struct tuple_run *profile_at(const struct profile *profile, uint32_t N, uint32_t p,
                                   const struct feature_counters **counters);
size_t profile_points(const struct profile *profile, struct profile_point *out); /* speedups over (W, W) */
#endif
