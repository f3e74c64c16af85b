/* Training rows: one profiled launch = one row of features and a target tuple.   [THESIS §5.5.3, §5.7.2, Tab. 5.5]
 * Filled from counters and profile points, admitted by thresholds, written as CSV for `poise train`. */
#ifndef POISE_DATASET_H
#define POISE_DATASET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/features.h"
#include "poise/table.h"

#define DATASET_FEATURES_MAX 64
#define DATASET_NAME_MAX 64
#define DATASET_TRACE_SIZE 40 /* holds a hash in hexadecimal */

struct dataset_row {
    char benchmark[DATASET_NAME_MAX], kernel[DATASET_NAME_MAX], trace[DATASET_TRACE_SIZE];
    uint32_t launch;
    uint32_t W;            /* warps per scheduler of this launch */
    uint32_t N, p;         /* the target, scaled (to `scale` warps per scheduler); 0: no point had all its neighbours */
    uint64_t cycles;       /* baseline (W, W) */
    double speedup, score; /* at the target */
    bool lacks_windows;    /* features were to come from the engine's windows, and the launch ended before them */
    double x[DATASET_FEATURES_MAX];
};

#define DATASET_PARAMS(P) \
    P(F64, w0, 1.0, 0, 1e6, "1", "THESIS Tab. 5.5", "score weight of the point itself") \
    P(F64, w1, 0.5, 0, 1e6, "1", "THESIS Tab. 5.5", "score weight of a neighbour in N or in p") \
    P(F64, w2, 0.25, 0, 1e6, "1", "THESIS Tab. 5.5", "score weight of a diagonal neighbour") \
    P(U32, scale, 24, 0, 1024, "warps", "THESIS 5.5.3", \
      "warps per scheduler that targets are scaled to; 0: not scaled") \
    P(F64, threshold_speedup, 0.015, 0, 100, "fraction", "THESIS Tab. 5.5", "least speedup at the target") \
    P(U64, threshold_cycles, 10000, 0, 1e15, "cycles", "THESIS Tab. 5.5", "least cycles at the baseline") \
    P(F64, threshold_hit_rate, 0, 0, 1, "fraction", "THESIS Tab. 5.5", "the L1 hit rate at (1, 1) must be above this") \
    P(F64, threshold_distance, 0, 0, 1, "fraction", "assumed", \
      "rows with every feature this close to an earlier row's are dropped; 0 keeps them")
PARAM_STRUCT(dataset_params, DATASET_PARAMS);
extern const struct param_table dataset_param_table;

/* why a row was not admitted; in this order, the first that holds */
#define DATASET_DROPS(D) \
    D(DROP_NONE, "used", "admitted") \
    D(DROP_TARGET, "no_target", "no point of the profile has all its neighbours") \
    D(DROP_WINDOWS, "no_windows", "the launch ended before the windows that its features come from") \
    D(DROP_CYCLES, "short", "fewer baseline cycles than the threshold") \
    D(DROP_SPEEDUP, "no_speedup", "less speedup at the target than the threshold") \
    D(DROP_HIT_RATE, "no_hits", "L1 hit rate at (1, 1) not above the threshold") \
    D(DROP_NOT_FINITE, "not_finite", "a feature is not a finite number") \
    D(DROP_DUPLICATE, "duplicate", "every feature within the threshold of an earlier row's")
enum dataset_drop {
#define D(drop, name, text) drop,
    DATASET_DROPS(D)
#undef D
        N_DATASET_DROPS
};
const char *dataset_drop_name(enum dataset_drop drop); /* "no_speedup" */
const char *dataset_drop_text(enum dataset_drop drop);
/* Why this row was dropped, with the threshold and what the row has: "speedup 1.0080 at the target, below 1.0150
 * (threshold_speedup)". Returns `text`. */
struct dataset_row;
struct dataset_params;
const char *dataset_drop_why(enum dataset_drop drop, const struct dataset_row *row, double hit_rate,
                             const struct dataset_params *params, char *text, size_t size);

struct dataset {
    char features[DATASET_FEATURES_MAX][DATASET_NAME_MAX];
    size_t n_features;
    struct dataset_row *rows;
    size_t n, capacity;
    size_t offered, dropped[N_DATASET_DROPS]; /* dropped[DROP_NONE] counts the rows used */
};
int dataset_init(struct dataset *dataset, const char *const *features, size_t n_features, struct error *err);
void dataset_fini(struct dataset *dataset);

/* Fills W, target, speedup, score and features of a row from a profile: `points` (with speedups over (W, W)), and
 * the counters of the runs at o = (W, W) and a = (1, 1). The caller fills names, launch, trace and cycles. */
void dataset_row_fill(struct dataset_row *row, const struct feature_row *const *features, size_t n_features,
                      const struct feature_counters *o, const struct feature_counters *a,
                      const struct profile_point *points, size_t n_points, uint32_t W,
                      const struct dataset_params *params, double *scores);
/* Adds the row unless a threshold drops it; *drop (may be NULL) says which. `hit_rate` is L1's at (1, 1). */
int dataset_offer(struct dataset *dataset, const struct dataset_row *row, double hit_rate,
                  const struct dataset_params *params, enum dataset_drop *drop, struct error *err);
int dataset_append(struct dataset *dataset, const struct dataset_row *row, struct error *err); /* without judging */

/* Columns: benchmark,kernel,launch,trace,W,N,p,cycles,speedup,score and the features; 17 digits. Written under a
 * temporary name and renamed. Names hold no comma, quote or line end: dataset_offer() refuses such. */
int dataset_write(const struct dataset *dataset, const char *path, struct error *err);
/* Columns of such a table that are no regressors, each list ended by NULL: outcomes and identities; words. */
extern const char *const dataset_outcome_columns[], *const dataset_word_columns[];
#endif
