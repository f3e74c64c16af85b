/* Gradient boosting of shallow trees on the principal components of the surfaces.            [Friedman 2001; ESL 10]
 * Each round fits one tree with an output a component to what is left, on a share of the groups drawn without
 * replacement, and adds a fraction of it. The spread is the standard deviation of the training residuals of each point.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "surface_parts.h"

#define SETTINGS(P) \
    P(U32, rounds, 100, 1, 10000, "trees", "assumed", "how many are added up") \
    P(U32, depth, 2, 1, 16, "splits", "ESL 10.11", "of a tree at most") \
    P(F64, rate, 0.1, 1e-6, 1, "fraction", "ESL 10.12", "of a tree that is added") \
    P(U32, rank, 6, 1, 55, "components", "assumed", "principal components of the surfaces") \
    P(U32, min_leaf, 3, 1, 100000, "rows", "assumed", "in a leaf at least") \
    P(F64, share, 0.7, 0.01, 1, "fraction", "ESL 10.12", "of the groups that a tree sees, one at least") \
    P(U32, seed, 1, 0, 4294967295, "1", "assumed", "of all draws")
PARAM_STRUCT(boost_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(boost_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"boost", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct boost_settings)};
static const struct family_axis axes[] = {{"rounds", 3, {"30", "100", "300"}}, {"depth", 2, {"2", "3"}}};

struct boost_state {
    struct surface_scaler scaler;
    struct surface_basis basis;
    size_t n;
    double rate, residual[M_MAX];
    struct tree *trees;
};

static void add_trees(const struct boost_state *state, const double *x, double *coefs)
{
    memset(coefs, 0, state->basis.r * sizeof *coefs);
    for (size_t t = 0; t < state->n; t++) {
        const double *step = tree_predict(&state->trees[t], x);
        for (size_t c = 0; c < state->basis.r; c++) coefs[c] += state->rate * step[c];
    }
}

/* Rows of the groups that a round sees, in the order of the data. */
static size_t draw_rows(const struct surface_rows *rows, double share, struct random *random, size_t *order,
                        size_t *out)
{
    const size_t groups = surface_rows_groups(rows, order);
    size_t n = 0;
    random_shuffle(random, order, groups);
    const size_t kept = (size_t)fmax(1, round(share * (double)groups));
    for (size_t i = 0; i < rows->n; i++)
        for (size_t g = 0; g < kept; g++)
            if (rows->group[i] == order[g]) {
                out[n++] = i;
                break;
            }
    return n;
}

static int boost_rounds(struct boost_state *state, const struct surface_rows *rows, double *left,
                        const struct boost_settings *p, struct error *err)
{
    const size_t r = state->basis.r;
    size_t *order = malloc((rows->n_groups + rows->n + 1) * sizeof *order), *drawn = order + rows->n_groups;
    struct random random = {p->seed};
    uint32_t *by_feature = malloc(rows->n * rows->k * sizeof *by_feature);
    const struct tree_data data = {rows->n, rows->k, r, rows->x, left, rows->w, by_feature};
    const struct tree_options options = {p->depth, p->min_leaf, 0, NULL};
    int failed = order && by_feature ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) failed = tree_sort(by_feature, rows->x, rows->n, rows->k, err);
    for (uint32_t t = 0; t < p->rounds && !failed; t++) {
        const size_t n = draw_rows(rows, p->share, &random, order, drawn);
        failed = tree_grow(&state->trees[t], &data, drawn, n, &options, err);
        if (failed) break;
        state->n++;
        for (size_t i = 0; i < rows->n; i++) {
            const double *step = tree_predict(&state->trees[t], rows->x + i * rows->k);
            for (size_t c = 0; c < r; c++) left[i * r + c] -= p->rate * step[c];
        }
    }
    free(order);
    free(by_feature);
    return failed;
}

static void measure_residuals(struct boost_state *state, const struct surface_rows *rows)
{
    double coefs[M_MAX], z[M_MAX];
    for (size_t i = 0; i < rows->n; i++) {
        add_trees(state, rows->x + i * rows->k, coefs);
        surface_basis_expand(&state->basis, coefs, z);
        for (size_t j = 0; j < rows->m; j++) {
            const double e = rows->z[i * rows->m + j] - z[j];
            state->residual[j] += rows->w[i] * e * e / (double)rows->n;
        }
    }
    for (size_t j = 0; j < rows->m; j++) state->residual[j] = sqrt(state->residual[j]);
}

static int boost_fit(void *opaque, const struct surface_data *data, const void *settings, struct error *err)
{
    struct boost_state *state = opaque;
    const struct boost_settings *p = settings;
    struct surface_rows rows;
    double *left = NULL;
    if (surface_rows_init(&rows, data, err) < 0) return -1;
    state->scaler = rows.scaler;
    state->rate = p->rate;
    int failed = surface_basis_init(&state->basis, rows.z, rows.w, rows.n, rows.m, p->rank, err);
    if (!failed) {
        left = malloc(rows.n * state->basis.r * sizeof *left);
        state->trees = calloc(p->rounds, sizeof *state->trees);
        if (!left || !state->trees) failed = error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < rows.n && !failed; i++)
        surface_basis_project(&state->basis, rows.z + i * rows.m, left + i * state->basis.r);
    if (!failed) failed = boost_rounds(state, &rows, left, p, err);
    if (!failed) measure_residuals(state, &rows);
    free(left);
    surface_rows_fini(&rows);
    return failed;
}

static void boost_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct boost_state *state = opaque;
    double own[K_MAX], coefs[M_MAX];
    surface_scaler_apply(&state->scaler, x, own);
    add_trees(state, own, coefs);
    surface_basis_expand(&state->basis, coefs, mean);
    for (size_t j = 0; spread && j < state->basis.m; j++) spread[j] = state->residual[j];
}

static void boost_fini(void *opaque)
{
    struct boost_state *state = opaque;
    for (size_t t = 0; t < state->n; t++) tree_fini(&state->trees[t]);
    free(state->trees);
}

const struct surface_family surface_boost = {.name = "boost",
                                             .title = "gradient boosted trees on principal components",
                                             .source = "Friedman 2001",
                                             .settings = &table,
                                             .axes = axes,
                                             .n_axes = COUNT_OF(axes),
                                             .state_size = sizeof(struct boost_state),
                                             .has_spread = true,
                                             .fit = boost_fit,
                                             .predict = boost_predict,
                                             .fini = boost_fini};
