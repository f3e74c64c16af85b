/* A random forest whose leaves are surfaces.                                              [Breiman 2001; ESL 15]
 * Each tree has a seed of its own and is averaged in order, so that the forest is the same at any number of threads.
 * Whole groups may be drawn for a tree instead of rows: kernels of one family are alike, and a tree that saw half of a
 * family knows the other half. The spread is the standard deviation over trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "response_parts.h"

#define SETTINGS(P) \
    P(U32, trees, 200, 1, 10000, "trees", "assumed", "how many are averaged") \
    P(U32, depth, 0, 0, 64, "splits", "assumed", "of a tree at most; 0: no limit") \
    P(U32, min_leaf, 3, 1, 100000, "rows", "ESL 15.3", "in a leaf at least") \
    P(F64, features, 0.34, 0, 1, "fraction", "ESL 15.3", "of the features tried for a split, one at least") \
    P(U32, rank, 10, 1, 55, "components", "assumed", "principal components of the surfaces") \
    P(ENUM, bootstrap, 0, 0, 2, "groups|rows|none", "assumed", "what is drawn with replacement for a tree") \
    P(U32, seed, 1, 0, 4294967295, "1", "assumed", "of all draws")
PARAM_STRUCT(forest_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(forest_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"forest", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct forest_settings)};
static const struct family_axis axes[] = {{"min_leaf", 3, {"1", "3", "8"}}, {"features", 2, {"0.34", "1"}}};
enum draw { DRAW_GROUPS, DRAW_ROWS, DRAW_NONE };

struct forest_state {
    struct response_scaler scaler;
    struct response_basis basis;
    size_t n;
    struct tree *trees;
};

/* Rows of one tree into out; `groups` are those with rows. */
static size_t draw_rows(const struct response_rows *rows, enum draw draw, struct random *random, const size_t *groups,
                        size_t n_groups, size_t *out)
{
    size_t n = 0;
    for (size_t i = 0; draw != DRAW_GROUPS && i < rows->n; i++)
        out[n++] = draw == DRAW_ROWS ? random_below(random, rows->n) : i;
    for (size_t d = 0; draw == DRAW_GROUPS && d < n_groups; d++) {
        const size_t g = groups[random_below(random, n_groups)];
        for (size_t i = 0; i < rows->n; i++)
            if (rows->group[i] == g) out[n++] = i;
    }
    return n;
}

static int grow_one(struct tree *out, const struct response_rows *rows, const struct tree_data *data,
                    const struct forest_settings *p, size_t index, struct error *err)
{
    const size_t tried = (size_t)fmax(1, round(p->features * (double)rows->k));
    size_t *groups = malloc((rows->n_groups * (rows->n + 1) + rows->n) * sizeof *groups),
           *drawn = groups + rows->n_groups;
    if (!groups) return error_set(err, ERR_MEMORY, "out of memory for a tree");
    struct random random = {(uint64_t)p->seed * 0x9e3779b97f4a7c15u + index};
    random_next(&random);
    const struct tree_options options = {p->depth, p->min_leaf, tried, &random};
    const size_t n_groups = response_rows_groups(rows, groups);
    const size_t n = draw_rows(rows, (enum draw)p->bootstrap, &random, groups, n_groups, drawn);
    const int failed = tree_grow(out, data, drawn, n, &options, err);
    free(groups);
    return failed;
}

static int grow_all(struct forest_state *state, const struct response_rows *rows, const struct tree_data *data,
                    const struct forest_settings *p, struct error *err)
{
    int failed = 0;
    state->trees = calloc(p->trees, sizeof *state->trees);
    if (!state->trees) return error_set(err, ERR_MEMORY, "out of memory for %u trees", p->trees);
    state->n = p->trees;
#pragma omp parallel for schedule(dynamic)
    for (size_t t = 0; t < state->n; t++) {
        struct error own = {0};
        if (grow_one(&state->trees[t], rows, data, p, t, &own) == 0) continue;
#pragma omp critical(response_forest_error)
        {
            if (!failed) *err = own;
            failed = -1;
        }
    }
    return failed;
}

static int forest_fit(void *opaque, const struct response_data *data, const void *settings, struct error *err)
{
    struct forest_state *state = opaque;
    const struct forest_settings *p = settings;
    struct response_rows rows;
    if (response_rows_init(&rows, data, err) < 0) return -1;
    state->scaler = rows.scaler;
    double *targets = malloc(rows.n * rows.m * sizeof *targets);
    uint32_t *order = malloc(rows.n * rows.k * sizeof *order);
    int failed = targets && order ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) failed = response_basis_init(&state->basis, rows.z, rows.w, rows.n, rows.m, p->rank, err);
    if (!failed) failed = tree_sort(order, rows.x, rows.n, rows.k, err);
    if (!failed) {
        const size_t r = state->basis.r;
        const struct tree_data own = {rows.n, rows.k, r, rows.x, targets, rows.w, order};
        for (size_t i = 0; i < rows.n; i++) response_basis_project(&state->basis, rows.z + i * rows.m, targets + i * r);
        failed = grow_all(state, &rows, &own, p, err);
    }
    free(targets);
    free(order);
    response_rows_fini(&rows);
    return failed;
}

static void forest_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct forest_state *state = opaque;
    const size_t r = state->basis.r, m = state->basis.m;
    double own[K_MAX], coefs[M_MAX] = {0}, squares[M_MAX * M_MAX] = {0};
    response_scaler_apply(&state->scaler, x, own);
    for (size_t t = 0; t < state->n; t++) {
        const double *leaf = tree_predict(&state->trees[t], own);
        for (size_t c = 0; c < r; c++) coefs[c] += leaf[c] / (double)state->n;
    }
    response_basis_expand(&state->basis, coefs, mean);
    if (!spread) return;
    for (size_t t = 0; t < state->n; t++) { /* covariance of the components over trees */
        const double *leaf = tree_predict(&state->trees[t], own);
        for (size_t c = 0; c < r; c++)
            for (size_t b = 0; b < r; b++)
                squares[c * r + b] += (leaf[c] - coefs[c]) * (leaf[b] - coefs[b]) / (double)state->n;
    }
    for (size_t j = 0; j < m; j++) {
        double variance = 0;
        for (size_t c = 0; c < r; c++)
            for (size_t b = 0; b < r; b++)
                variance += squares[c * r + b] * state->basis.vectors[c * m + j] * state->basis.vectors[b * m + j];
        spread[j] = sqrt(fmax(variance, 0));
    }
}

static void forest_fini(void *opaque)
{
    struct forest_state *state = opaque;
    for (size_t t = 0; t < state->n; t++) tree_fini(&state->trees[t]);
    free(state->trees);
}

const struct response_family response_forest = {.name = "forest",
                                                .title = "random forest of surfaces",
                                                .source = "Breiman 2001",
                                                .settings = &table,
                                                .axes = axes,
                                                .n_axes = COUNT_OF(axes),
                                                .state_size = sizeof(struct forest_state),
                                                .has_spread = true,
                                                .fit = forest_fit,
                                                .predict = forest_predict,
                                                .fini = forest_fini};
