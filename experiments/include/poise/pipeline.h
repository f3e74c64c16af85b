/* The main job: record, profile, extract features, train, evaluate, report.           [THESIS ch. 5, CONTRACTS]
 *
 *   schema: 1
 *   kind: pipeline
 *   name: quickstart
 *   size: small
 *   training: ["*"]            # globs over the registry's training set; others where they are named
 *   evaluation: ["*"]          # the same of the evaluation set. At size eval the lists are of the splits training and
 *                              # development (datasets/FAMILIES.md), and launches that are not profiled stay out
 *              {trace: a.ptrace, benchmark: a}, {program: ./a.out}      # in both lists: the user's own kernels, all
 *                              # of whose launches are profiled (poise/own_kernel.h). What stands in both lists is
 *                              # refused, traces and benchmarks alike
 *   config: kepler32
 *   set: {}                    # changes to the configuration
 *   with: bucl                # a mechanism or a list that every run has as well: a model for a machine that has them
 *   points: 20                 # a kernel, at most (coarse-to-fine); or all; or active: a tenth, chosen by a model;
 *                              # or lattice: 55 tuples, and those around the best
 *   profiles: [evaluation.csv] # tables of datasets/profiles (poise/profile_csv.h): their runs are not simulated again
 *   whole: {training: [gco-many], profiles: [training-many.csv]}      # what joins these two lists where points are all
 *   dataset: {threshold_cycles: 10000}       # score weights, scale, thresholds of training kernels [THESIS Tab. 5.5]
 *   features: [h_o, ...]       # default: those of Tab. 5.3
 *   features_from: runs        # or windows: what the engine itself samples at the start of a launch
 *   windows: true              # record these windows also where features come from runs, and report both predictions
 *   family: nb2                # or poisson
 *   model: models/x.json       # evaluate this model instead of training one
 *   beside: poise-thesis.json  # a shipped model (models/) whose offline predictions stand beside the trained one's
 *   retrain: [eta_o, ...]      # further models, each trained without one feature: model-without-eta_o.json
 *                              # [THESIS Fig. 5.14]
 *   response: {sampling: "4:1 / 2:2 / W:W", features: [rate.0, hit.2], learner: gp, after: [[4, 1]], hidden: 12,
 *       coefs: 4}
 *                              # learn response surfaces as well: a network for each family, which saw nothing of it;
 *                              # or {table: samplings.csv, learner: gp}: from samplings that were taken before
 *   sample: error=0.02         # launches that are not profiled: some of each program's are simulated, and results have
 *                              # intervals (experiments/sampling/README.md)
 *   contenders:                # further policies, run on every evaluation launch
 *     - {name: pcal_swl, title: PCAL-SWL, mech: ["pcal,N=@swl"]}
 *     - {name: gto_32k, set: {l1.sets: 64}}                       # mech: gto
 *     - {name: split, mech: ["tuple,N=0,p=1", locality], stats: locality}        # that mechanism's statistics go
 *                                                                                # into the summary
 *     - {name: poise_32k, mech: ["poise,model=@model"], set: {l1.sets: 64}, over: gto_32k}
 *
 * In a contender's mechanisms @swl stands for SWL's N of the benchmark, @swl_launch for the launch's own, @best_N
 * and @best_p for Static-Best's tuple of the launch (all W where a launch is not profiled), @predicted_N, @predicted_p,
 * @beside_N and @beside_p for what the model, or the one beside it, predicts from whole runs; an offset may follow each
 * of these numbers (@best_N+2, @best_N-1), and the sum is held within 1 and W. @model stands for the model's file,
 * @models for the folder of shipped models, @without:FEATURE for one of `retrain`, @response for the network that saw
 * nothing of the benchmark's family. `over` names the contender whose cycles are its baseline (otherwise GTO's on the
 * spec's configuration). */
#ifndef POISE_PIPELINE_H
#define POISE_PIPELINE_H
#include "poise/dataset.h"
#include "poise/glm.h"
#include "poise/mech.h"
#include "poise/own_kernel.h"
#include "poise/program_sample.h"
#include "poise/runner.h"
#include "poise/yaml.h"

#define CONTENDERS_MAX 40
struct contender {
    char name[64], title[64], over[64];
    char mech[MECH_STACK_MAX][256]; /* as given, with its @words */
    size_t n_mech;
    char set[8][2][64];
    size_t n_set;
    char stats[64];        /* the mechanism whose statistics the summary keeps; empty: none */
    bool is_profiled_only; /* launches that are not profiled run with all warps */
};
/* Learning a response surface from what the engine `learned` samples (pipeline_response.c). */
struct response_family;
struct response_spec {
    char sampling[128], learner[32]; /* sampling and table empty: none is learned */
    char table[64];                  /* of datasets/features/learned, learned from in place of launches sampled here */
    char engine[128];                /* further parameters of the engine that samples: "T_warmup=200,T_sample=500" */
    const struct response_family *family;
    char features[32][MODEL_NAME_MAX];
    size_t n_features, n_rounds;
    struct warp_tuple bases[8]; /* tuples that a launch ran at before a later sampling; the first one is always
                                 * learned from */
    size_t n_bases;
    uint32_t hidden, coefs; /* of the integer network */
    uint64_t min_cycles;    /* launches that last fewer under GTO are not learned from */
};
struct pipeline_spec {
    char name[128], config[512];
    int size;
    char training[32][64], evaluation[32][64];
    size_t n_training, n_evaluation;
    char file[512];        /* the spec's, and where the names stand in it: of evaluation, of training */
    int name_at[2][32][2]; /* line and column; 0: the name is of another list */
    struct own_kernel own[2][OWN_KERNELS_MAX]; /* of evaluation, of training */
    size_t n_own[2];
    size_t n_whole_training, n_whole_profiles; /* behind the n_training and n_profiles of their lists: `whole` */
    char set[64][2][64];                       /* name, value */
    size_t n_set;
    char with[MECH_STACK_MAX - 1][256];
    size_t n_with;
    struct points_way points;
    char profiles[16][64]; /* files */
    size_t n_profiles;
    struct dataset_params dataset;
    char features[MODEL_FEATURES_MAX][MODEL_NAME_MAX];
    size_t n_features;
    bool from_windows, windows;
    enum glm_family family;
    struct glm_penalty penalty; /* of both regressions */
    bool penalty_is_chosen;     /* its lambda, for each, by leaving each training benchmark out */
    char model[512];            /* empty: train one */
    char beside[64];            /* file of models/; empty: none */
    char retrain[MODEL_FEATURES_MAX][MODEL_NAME_MAX];
    size_t n_retrain;
    struct contender contenders[CONTENDERS_MAX];
    size_t n_contenders;
    struct response_spec response;
    bool is_sampled;
    struct sample_options sample;
    bool says_surface; /* the spec has an old name of `response` or of its word */
};
int pipeline_spec_load(struct pipeline_spec *out, const char *path, struct error *err);
/* "error=0.02,..", as the key `sample`. */
int pipeline_spec_sample(struct pipeline_spec *spec, const char *text, struct error *err);
int pipeline_spec_parse(struct pipeline_spec *out, const char *name, const char *text, size_t size, struct error *err);

struct pipeline_options {
    struct runner_options runner;
    struct lab_paths paths;
    const char *out_dir;
    const char *store; /* path; NULL: OUT/store.sqlite */
    bool no_skip;
    uint64_t cap;      /* of what is judged: each program's launches up to so many warp instructions; 0: all */
    const char *shard; /* "2/8": simulate this part of the whole grids and stop there; NULL: go through all stages */
    FILE *report;      /* the table; NULL: none */
};
/* Runs all of it and writes summary.json, run_info.json, model.json, profile.csv, dataset.csv and store.sqlite. */
int pipeline_run(const struct pipeline_spec *spec, const struct pipeline_options *options, struct error *err);
/* DIR/response-FAMILY.json of a pipeline's folder: the network that saw nothing of the family; NULL: DIR/response.json,
 * of all. Returns `path`. */
const char *pipeline_response_file(const char *dir, const char *family, char *path, size_t size);

/* What pipeline_run would have to simulate, by the store and the tables: the points of the first round that is not
 * all known, and at most how many runs follow. Simulates nothing and leaves the store as it is. */
int pipeline_estimate(const struct pipeline_spec *spec, const struct pipeline_options *options,
                      struct runner_estimate *out, struct error *err);
#endif
