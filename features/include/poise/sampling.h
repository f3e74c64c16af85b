/* Features of a sampling: rounds, one after another, in each of which groups of SMs run different warp tuples (N, p) at
 * the same time. What their counters say is turned into the inputs of a model of the response surface. Pure functions
 * of counters in integer arithmetic: the simulated engine and every offline prediction call them, so the two agree to
 * the bit. */
#ifndef POISE_SAMPLING_H
#define POISE_SAMPLING_H
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/features.h"

#define SAMPLING_GROUPS_MAX 8
#define SAMPLING_FEATURES_MAX 32
struct sampling {
    uint32_t W;  /* warps a scheduler that occupancy and grid allow */
    size_t n;    /* groups, 1 .. SAMPLING_GROUPS_MAX */
    size_t base; /* the baseline: the group with which the others are compared, (W, W) if it is sampled */
    struct feature_counters at[SAMPLING_GROUPS_MAX]; /* of each group, summed over its SMs; cycles are SM cycles */
};

/* The tuples of the groups, rounds apart by a slash: "2:2 4:1 / W:1 / W:W" has three rounds, and SMs are in two groups
 * in the first. Groups are numbered through. N or p of 0 stands for W; what is above W means W. */
struct sampling_tuples {
    size_t n, n_rounds, base;
    uint8_t N[SAMPLING_GROUPS_MAX], p[SAMPLING_GROUPS_MAX], round[SAMPLING_GROUPS_MAX];
};
/* Errors quote the text. The last W:W is the baseline, or the last tuple where none is W:W. A tuple in two rounds in
 * a row is sampled once it has settled: its first round is its warm-up. */
int sampling_tuples_parse(struct sampling_tuples *out, const char *text, struct error *err);

/* A feature is a row and, where it is of one group, the number of that group: "rate.3", "hit.0", "In". */
struct sampling_row {
    const char *name, *formula, *source;
    unsigned needs;                                           /* NEEDS_... of poise/features.h */
    int is_of_group;                                          /* 0: of the baseline group and W alone */
    int32_t (*value)(const struct sampling *s, size_t group); /* in 1/65536 */
};
extern const struct sampling_row sampling_rows[];
extern const size_t n_sampling_rows;
struct sampling_feature {
    const struct sampling_row *row;
    size_t group;
};

/* Rows for n names. Errors name the unknown feature or the group that is not sampled; `where` says whose list it is. */
int sampling_resolve(const char *const *names, size_t n, size_t n_groups, struct sampling_feature *out,
                     const char *where, struct error *err);
/* x[i] = value / 65536, exactly. */
void sampling_vector(const struct sampling_feature *features, size_t n, const struct sampling *s, float *x);

/* log2 of x in 1/65536, rounded down; 0 for x = 0. Shifts and a square a bit, as a small circuit makes it. */
int32_t log2_q16(uint64_t x);
#endif
