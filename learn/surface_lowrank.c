/* Ridge regression of the first principal components of the surfaces.         [reduced-rank regression: ESL 3.7]
 * A few shapes describe most surfaces; what the features cannot say of the rest is left at the mean. The spread is the
 * standard deviation of what the components leave out and of the training residuals within them. */
#include <math.h>
#include <stdlib.h>
#include "surface_parts.h"

#define SETTINGS(P) \
    P(U32, rank, 4, 1, 55, "components", "assumed", "principal components of the surfaces") \
    P(F64, lambda, 0, 0, 1e9, "1", "assumed", \
      "penalty on squared weights of standardised features; 0: chosen by leaving groups out")
PARAM_STRUCT(lowrank_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(lowrank_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"lowrank", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct lowrank_settings)};
static const struct family_axis axes[] = {{"rank", 4, {"1", "2", "4", "8"}}};

struct lowrank_state {
    struct surface_scaler scaler;
    struct surface_basis basis;
    double *weights, residual[M_MAX];
};

static void measure_residuals(struct lowrank_state *state, const struct surface_rows *rows)
{
    double coefs[M_MAX], z[M_MAX];
    for (size_t i = 0; i < rows->n; i++) {
        surface_ridge_predict(state->weights, rows->k, state->basis.r, rows->x + i * rows->k, coefs);
        surface_basis_expand(&state->basis, coefs, z);
        for (size_t j = 0; j < rows->m; j++) {
            const double e = rows->z[i * rows->m + j] - z[j];
            state->residual[j] += rows->w[i] * e * e / (double)rows->n;
        }
    }
    for (size_t j = 0; j < rows->m; j++) state->residual[j] = sqrt(state->residual[j]);
}

static int lowrank_fit(void *opaque, const struct surface_data *data, const void *settings, struct error *err)
{
    struct lowrank_state *state = opaque;
    const struct lowrank_settings *p = settings;
    struct surface_rows rows;
    double lambda = p->lambda, *targets = NULL;
    if (surface_rows_init(&rows, data, err) < 0) return -1;
    state->scaler = rows.scaler;
    int failed = surface_basis_init(&state->basis, rows.z, rows.w, rows.n, rows.m, p->rank, err);
    const size_t r = state->basis.r;
    if (!failed) {
        targets = malloc(rows.n * r * sizeof *targets);
        state->weights = malloc((rows.k + 1) * r * sizeof *state->weights);
        if (!targets || !state->weights) failed = error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < rows.n && !failed; i++)
        surface_basis_project(&state->basis, rows.z + i * rows.m, targets + i * r);
    if (!failed && !(lambda > 0)) failed = surface_ridge_choose(&lambda, &rows, targets, r, err);
    if (!failed) failed = surface_ridge_solve(state->weights, &rows, targets, r, lambda, err);
    if (!failed) measure_residuals(state, &rows);
    free(targets);
    surface_rows_fini(&rows);
    return failed;
}

static void lowrank_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct lowrank_state *state = opaque;
    double own[K_MAX], coefs[M_MAX];
    surface_scaler_apply(&state->scaler, x, own);
    surface_ridge_predict(state->weights, state->scaler.k, state->basis.r, own, coefs);
    surface_basis_expand(&state->basis, coefs, mean);
    for (size_t j = 0; spread && j < state->basis.m; j++) spread[j] = state->residual[j];
}

static void lowrank_fini(void *opaque) { free(((struct lowrank_state *)opaque)->weights); }

const struct surface_family surface_lowrank = {.name = "lowrank",
                                               .title = "ridge regression of principal components",
                                               .source = "ESL 3.7 (reduced-rank regression)",
                                               .settings = &table,
                                               .axes = axes,
                                               .n_axes = COUNT_OF(axes),
                                               .state_size = sizeof(struct lowrank_state),
                                               .has_spread = true,
                                               .fit = lowrank_fit,
                                               .predict = lowrank_predict,
                                               .fini = lowrank_fini};
