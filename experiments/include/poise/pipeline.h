/* The main job: record, profile, extract features, train, evaluate, report.           [THESIS ch. 5, CONTRACTS]
 *
 *   schema: 1
 *   kind: pipeline
 *   name: quickstart
 *   size: small
 *   training: ["*"]            # globs over the registry's training set; a benchmark of the other set is refused
 *   evaluation: ["*"]
 *   config: kepler32
 *   set: {}                    # changes to the configuration
 *   points: 20                 # a kernel, at most; or all
 *   score_weights: [1, 0.5, 0.25]
 *   thresholds: {speedup: 1.015, cycles: 10000, hit_rate: 0}       # of training kernels [THESIS Tab. 5.5]
 *   features: [h_o, ...]       # default: those of Tab. 5.3
 *   family: nb2                # or poisson
 *   scale: 24                  # targets are scaled to so many warps per scheduler
 */
#ifndef POISE_PIPELINE_H
#define POISE_PIPELINE_H
#include "poise/glm.h"
#include "poise/runner.h"
#include "poise/yaml.h"

struct pipeline_spec {
    char name[128], config[512];
    int size;
    char training[32][64], evaluation[32][64];
    size_t n_training, n_evaluation;
    char set[64][2][64]; /* name, value */
    size_t n_set;
    uint32_t points; /* 0: all */
    double score_weights[3];
    double min_speedup, min_cycles, min_hit_rate; /* hit rate: strictly above */
    char features[MODEL_FEATURES_MAX][MODEL_NAME_MAX];
    size_t n_features;
    enum glm_family family;
    uint32_t scale;
};
int pipeline_spec_load(struct pipeline_spec *out, const char *path, struct error *err);
int pipeline_spec_parse(struct pipeline_spec *out, const char *name, const char *text, size_t size, struct error *err);

struct pipeline_options {
    struct runner_options runner;
    struct lab_paths paths;
    const char *out_dir;
    bool no_skip;
    FILE *report; /* the table; NULL: none */
};
/* Runs all of it and writes summary.json, run_info.json, model.json, profile.csv, dataset.csv and store.sqlite. */
int pipeline_run(const struct pipeline_spec *spec, const struct pipeline_options *options, struct error *err);

/* ---- the parts, for tests ---- */

/* A profiled launch turned into a training row, or the reason why not. */
#define DROP_REASONS(D) D(used, "") D(no_target, "no point has all its neighbours") D(speedup, "speedup at the target below the threshold") \
    D(cycles, "too few cycles at the baseline") D(hit_rate, "no L1 hits at (1, 1)")
enum drop_reason {
#define D(id, text) DROP_##id,
    DROP_REASONS(D)
#undef D
        N_DROP_REASONS
};
extern const char *const drop_names[N_DROP_REASONS];
struct profile_verdict {
    enum drop_reason reason;
    size_t target;     /* index of the target point; n if none */
    double *scores;    /* n, NAN where not scored; the caller's array */
};
/* points[i].speedup over the baseline; cycles and hit rate as measured at (W, W) and (1, 1). */
void profile_judge(struct profile_verdict *out, const struct pipeline_spec *spec, const struct profile_point *points, size_t n,
                   uint32_t W, uint64_t baseline_cycles, double hit_rate_at_one);

/* What the paper reports for these policies, and where. */
struct paper_row {
    const char *policy;
    double hmean;                 /* NAN where its text gives none */
    double l1d_hit_rate, aml_change;
    const char *source;
};
extern const struct paper_row paper_rows[];
extern const size_t n_paper_rows;
#endif
