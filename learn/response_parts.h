/* What learners of response surfaces share: rows ready to learn from, standardised features, principal components,
 * trees, a small network.      (private) */
#ifndef POISE_RESPONSE_PARTS_H
#define POISE_RESPONSE_PARTS_H
#include "poise/response.h"
#include "poise/validate.h"

enum { K_MAX = RESPONSE_FEATURES_MAX, M_MAX = RESPONSE_POINTS_MAX };

/* Columns to mean 0 and variance 1 under the weights (population variance); a constant column becomes 0. */
struct response_scaler {
    size_t k;
    double mean[K_MAX], sd[K_MAX];
};
void response_scaler_init(struct response_scaler *scaler, const double *x, const double *w, size_t n, size_t k);
void response_scaler_apply(const struct response_scaler *scaler, const double *x, double *out);

/* Weighted mean surface and the first r principal components, rows of unit length, their largest entry positive. */
struct response_basis {
    size_t m, r;
    double mean[M_MAX], values[M_MAX], vectors[M_MAX * M_MAX];
};
/* values[i]: variance along component i. r above the number of components that vary is lowered to it (at least 1). */
int response_basis_init(struct response_basis *basis, const double *z, const double *w, size_t n, size_t m, size_t r,
                        struct error *err);
void response_basis_project(const struct response_basis *basis, const double *z, double *coefs); /* r coefficients */
void response_basis_expand(const struct response_basis *basis, const double *coefs, double *z);  /* m values */

/* Rows with weight, standardised, group-balanced. */
struct response_rows {
    size_t n, k, m;
    double *x, *z, *w; /* n x k standardised; n x m; n, mean 1 */
    size_t *group, n_groups;
    struct response_scaler scaler;
    double *memory;
};
int response_rows_init(struct response_rows *out, const struct response_data *data, struct error *err);
void response_rows_fini(struct response_rows *rows);
size_t response_rows_groups(const struct response_rows *rows,
                            size_t *groups); /* those that have rows, ascending; their number */

/* Minimises sum_i w_i |t_i - a - B x_i|^2 + lambda |B|^2 for r targets a row, with an intercept a that is not
 * penalised. out: (k + 1) x r, the intercepts last. */
int response_ridge_fit(double *out, const struct response_rows *rows, const double *targets, size_t r, double lambda,
                       struct error *err);

/* A regression tree with r outputs: axis-parallel splits that lower the weighted sum of squares most. */
struct tree_node {
    int32_t feature;
    uint32_t left, right, value;
    double threshold;
}; /* feature -1: a leaf; x <= threshold: left */
struct tree {
    size_t n_nodes, n_values, r;
    struct tree_node *nodes;
    double *values;
};
struct tree_data {
    size_t n, k, r;
    const double *x, *t, *w; /* x n x k, t n x r, w n */
    const uint32_t *order;   /* k x n, from tree_sort() */
};
int tree_sort(uint32_t *order, const double *x, size_t n, size_t k, struct error *err); /* rows by each feature */
struct tree_options {
    size_t max_depth, min_leaf, features;
    struct random *random;
}; /* features tried a split; k: all, in order */
int tree_grow(struct tree *out, const struct tree_data *data, const size_t *rows, size_t n,
              const struct tree_options *options, struct error *err);
const double *tree_predict(const struct tree *tree, const double *x); /* r values */
void tree_fini(struct tree *tree);

/* One hidden layer of rectified units, r linear outputs: y = W2 max(0, W1 x + b1) + b2.
 * weights: h x k, h, r x h, r in this order. Minimises sum_i w_i |y_i - t_i|^2 / (2 sum_i w_i) + decay / 2 (|W1|^2 +
 * |W2|^2). */
struct mlp_shape {
    size_t k, h, r;
};
static inline size_t mlp_size(const struct mlp_shape *s) { return s->h * (s->k + 1) + s->r * (s->h + 1); }
struct mlp_problem {
    struct mlp_shape shape;
    size_t n;
    const double *x, *t, *w;
    double decay;
};
void mlp_start(double *weights, const struct mlp_shape *shape, uint64_t seed);
double mlp_loss(const struct mlp_problem *problem, const double *weights, double *gradient, double *scratch);
static inline size_t mlp_scratch(const struct mlp_problem *p) { return p->n * (2 * p->shape.h + p->shape.r); }
int mlp_train(double *weights, double *loss, const struct mlp_problem *problem, size_t iterations, struct error *err);

/* Weighted means of a value over the rows of each group (by_group[n_groups], NAN without weight; may be NULL), and the
 * mean of these over the groups that have weight. */
double response_group_mean(const struct response_data *data, const double *values, double *by_group);

/* A teacher's surfaces at n points, and the search for the integer network that comes nearest to them. */
struct integer_problem {
    size_t n, k, m;
    const double *x, *t, *w; /* n x k raw features; n x m surfaces in units of z; n weights */
    uint32_t hidden, coefs, restarts, iterations, sweeps;
    uint64_t seed;
};
/* net: levels, n_levels and n_features are set by the caller, and scale and offset of the features; the rest is filled
 * in. *rms: weighted root mean square difference, in units of z. */
int integer_network_fit(struct response_net *net, double *rms, const struct integer_problem *problem,
                        struct error *err);
/* What integer_network_fit() works on. The basis is the integers' own; targets are coefficients in its units. */
struct integer_samples {
    size_t n, k, h, r;
    int8_t *q;                                            /* n x k */
    const double *w;                                      /* n */
    double *target;                                       /* n x r */
    double gram[RESPONSE_COEFS_MAX * RESPONSE_COEFS_MAX]; /* products of the basis: a difference d costs d' gram d */
};
/* Changes one integer of the layers at a time while the weighted cost over the samples falls, in at most `sweeps`
 * passes. */
int integer_network_descend(struct response_net *net, const struct integer_samples *samples, uint32_t sweeps,
                            struct error *err);

extern const struct response_family response_constant, response_ridge, response_gp, response_forest;
#endif
