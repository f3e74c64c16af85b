/* Networks with one hidden layer from features to principal components of the surface, several of them averaged.
 *                                                                                               [ESL 11; L-BFGS:
 * Nocedal 1980] Each starts from a seed of its own; averaging takes out most of what depends on the start. The spread
 * is the standard deviation over the networks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "surface_parts.h"

#define SETTINGS(P) \
    P(U32, hidden, 12, 1, 256, "units", "assumed", "in the hidden layer") \
    P(U32, rank, 6, 1, 55, "components", "assumed", "principal components of the surfaces") \
    P(F64, decay, 0.01, 0, 1e6, "1", "ESL 11.5", "penalty on half the squared weights") \
    P(U32, members, 5, 1, 1000, "networks", "assumed", "starts from random weights that are averaged") \
    P(U32, iterations, 200, 1, 100000, "evaluations", "assumed", "of the loss in the training of one") \
    P(U32, seed, 1, 0, 4294967295, "1", "assumed", "of the starts")
PARAM_STRUCT(network_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(network_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"net", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct network_settings)};
static const struct family_axis axes[] = {{"decay", 4, {"0.001", "0.01", "0.1", "1"}}};
#define HIDDEN_MAX 256

struct network_state {
    struct surface_scaler scaler;
    struct surface_basis basis;
    struct mlp_shape shape;
    size_t n;
    double scale, *weights;
};

/* Targets divided by one scale, so that the decay means the same whatever the size of the surfaces. */
static int train_all(struct network_state *state, const struct surface_rows *rows, const double *targets,
                     const struct network_settings *p, struct error *err)
{
    const struct mlp_problem problem = {state->shape, rows->n, rows->x, targets, rows->w, p->decay};
    int failed = 0;
#pragma omp parallel for schedule(dynamic)
    for (size_t member = 0; member < state->n; member++) {
        struct error own = {0};
        double *weights = state->weights + member * mlp_size(&state->shape), loss;
        mlp_start(weights, &state->shape, (uint64_t)p->seed * 1000003 + member);
        if (mlp_train(weights, &loss, &problem, p->iterations, &own) == 0) continue;
#pragma omp critical(surface_network_error)
        {
            if (!failed) *err = own;
            failed = -1;
        }
    }
    return failed;
}

static int network_fit(void *opaque, const struct surface_data *data, const void *settings, struct error *err)
{
    struct network_state *state = opaque;
    const struct network_settings *p = settings;
    struct surface_rows rows;
    double *targets = NULL, variance = 0;
    if (surface_rows_init(&rows, data, err) < 0) return -1;
    state->scaler = rows.scaler;
    int failed = surface_basis_init(&state->basis, rows.z, rows.w, rows.n, rows.m, p->rank, err);
    if (!failed) {
        const size_t r = state->basis.r;
        state->shape = (struct mlp_shape){rows.k, p->hidden, r};
        for (size_t c = 0; c < r; c++) variance += state->basis.values[c];
        state->scale = variance > 0 ? sqrt(variance) : 1;
        state->n = p->members;
        targets = malloc(rows.n * r * sizeof *targets);
        state->weights = malloc(state->n * mlp_size(&state->shape) * sizeof *state->weights);
        if (!targets || !state->weights) failed = error_set(err, ERR_MEMORY, "out of memory");
        for (size_t i = 0; i < rows.n && !failed; i++) {
            surface_basis_project(&state->basis, rows.z + i * rows.m, targets + i * r);
            for (size_t c = 0; c < r; c++) targets[i * r + c] /= state->scale;
        }
    }
    if (!failed) failed = train_all(state, &rows, targets, p, err);
    free(targets);
    surface_rows_fini(&rows);
    return failed;
}

static void network_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct network_state *state = opaque;
    double own[K_MAX], hidden[HIDDEN_MAX], coefs[M_MAX], z[M_MAX], squares[M_MAX] = {0};
    surface_scaler_apply(&state->scaler, x, own);
    memset(mean, 0, state->basis.m * sizeof *mean);
    for (size_t member = 0; member < state->n; member++) {
        mlp_predict(state->weights + member * mlp_size(&state->shape), &state->shape, own, hidden, coefs);
        for (size_t c = 0; c < state->basis.r; c++) coefs[c] *= state->scale;
        surface_basis_expand(&state->basis, coefs, z);
        for (size_t j = 0; j < state->basis.m; j++)
            mean[j] += z[j] / (double)state->n, squares[j] += z[j] * z[j] / (double)state->n;
    }
    for (size_t j = 0; spread && j < state->basis.m; j++) spread[j] = sqrt(fmax(squares[j] - mean[j] * mean[j], 0));
}

static void network_fini(void *opaque) { free(((struct network_state *)opaque)->weights); }

const struct surface_family surface_network = {.name = "net",
                                               .title = "networks with one hidden layer",
                                               .source = "ESL 11; Nocedal 1980",
                                               .settings = &table,
                                               .axes = axes,
                                               .n_axes = COUNT_OF(axes),
                                               .state_size = sizeof(struct network_state),
                                               .has_spread = true,
                                               .fit = network_fit,
                                               .predict = network_predict,
                                               .fini = network_fini};
