/* Learners of response surfaces: from features to a whole surface z_j = ln(gain) over m tuples, of which the best point
 * is taken. What counts is the regret of that point, max_j z_j - z_chosen, as a mean over groups (families of kernels)
 * of which the learner saw nothing. Every group weighs the same, however many rows it has.
 *
 *   response_fit()       one family on all rows            response_predict()   mean and spread of a surface
 *   response_choose()    the point to take
 * poise/response_validate.h has nested validation, poise/response_distil.h makes an integer network of any fitted
 * family.
 *
 * A predictor is never changed by predicting: any number of threads may share one. Everything random is seeded, and
 * results are the same bytes at any number of threads. */
#ifndef POISE_RESPONSE_H
#define POISE_RESPONSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/family.h"
#include "poise/hash.h"
#include "poise/response_net.h"

struct response_data {
    size_t n, k, m;      /* rows, features (1..RESPONSE_FEATURES_MAX), points (1..RESPONSE_POINTS_MAX) */
    const double *x;     /* n x k, row after row */
    const double *z;     /* n x m, row after row: ln(cycles with all warps / cycles at the tuple) */
    const double *w;     /* n weights within a group, 0 or more; NULL: 1 each */
    const size_t *group; /* n, each below n_groups */
    size_t n_groups;
    const uint32_t *W; /* n warps per scheduler, what tuples are clamped to; NULL: tuples stand as they are */
    const struct response_tuple *tuples; /* m, ascending by N, then by p */
    const char *const *names;            /* k feature names */
};
/* Names the row and column of a value that is not finite, a group or weight out of range, tuples that do not ascend. */
int response_data_check(const struct response_data *data, struct error *err);
/* Row weights with which every group that has any weight counts the same. They sum to the rows that have weight. */
void response_weights(const struct response_data *data, double *weights);
/* The content hash of x, z, w, group, W, tuples and names: what a model file tells of its training set. */
int response_data_hash(char text[HASH_TEXT_SIZE], const struct response_data *data, struct error *err);
/* Copies of some rows; group numbers stay. fini with response_subset_fini(). */
struct response_subset {
    struct response_data data;
    double *memory;
    size_t *group;
    uint32_t *W;
};
int response_subset_init(struct response_subset *out, const struct response_data *data, const size_t *rows, size_t n,
                         struct error *err);
void response_subset_fini(struct response_subset *subset);

/* How a point is chosen from a predicted surface. */
struct response_rule {
    double caution; /* points are valued at mean - caution * spread */
    double margin;  /* what a point must be worth above all warps, in units of z */
};
/* The point to take among the tuples that a launch with W warps knows (W 0: all): the most valuable one, ties to larger
 * N, then to larger p. Where its value does not exceed that of all warps, (W, W), by more than the margin: the point of
 * (W, W), or m where W is above every tuple; that one's value is its mean without caution, or 0. Same rule as
 * response_net_best(). `spread` may be NULL: 0. */
size_t response_choose(const struct response_tuple *tuples, size_t m, const double *mean, const double *spread,
                       const struct response_rule *rule, uint32_t W);
/* What a choice loses on a true surface: max_j z_j - z_choice; choice m is worth 0. */
double response_regret(const double *z, size_t m, size_t choice);

/* One contract for all families. */
struct response_family {
    const char *name, *title, *source;
    const struct param_table *settings;
    const struct family_axis *axes; /* what nested validation searches by default */
    size_t n_axes, state_size;
    bool has_spread; /* false: spreads are 0 */
    int (*fit)(void *state, const struct response_data *data, const void *settings, struct error *err);
    void (*predict)(const void *state, const double *x, double *mean, double *spread); /* spread may be NULL */
    void (*fini)(void *state); /* also after a fit that failed; the state began as zeros */
};
extern const struct response_family *const response_families[];
extern const size_t n_response_families;
const struct response_family *response_family_find(const char *name); /* NULL if there is none */
int response_family_parse(const struct response_family **out, const char *name, struct error *err);
void response_defaults(const struct response_family *family, struct family_settings *settings);
int response_set(const struct response_family *family, struct family_settings *settings, const char *name,
                 const char *text, struct error *err);

struct response_predictor;
/* settings NULL: defaults. Rows of weight 0 are not learned from. */
int response_fit(struct response_predictor **out, const struct response_family *family,
                 const struct response_data *data, const struct family_settings *settings, struct error *err);
void response_predictor_free(struct response_predictor *predictor); /* accepts NULL */
/* x[k] -> mean[m] and spread[m] (may be NULL), one standard deviation of what the prediction may be off by. */
void response_predict(const struct response_predictor *predictor, const double *x, double *mean, double *spread);
#endif
