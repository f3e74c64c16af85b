/* A network with one hidden layer of rectified units, trained by L-BFGS (NLopt's). Every sum runs in one order. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>
#include "surface_parts.h"

void mlp_start(double *weights, const struct mlp_shape *s, uint64_t seed)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + 12345};
    double *w1 = weights, *b1 = w1 + s->h * s->k, *w2 = b1 + s->h, *b2 = w2 + s->r * s->h;
    for (size_t i = 0; i < s->h * s->k; i++) w1[i] = sqrt(2.0 / (double)s->k) * random_normal(&random);
    for (size_t u = 0; u < s->h; u++) b1[u] = 0.5 * random_normal(&random);
    for (size_t i = 0; i < s->r * s->h; i++) w2[i] = 0.1 * random_normal(&random) / sqrt((double)s->h);
    memset(b2, 0, s->r * sizeof *b2);
}

void mlp_predict(const double *weights, const struct mlp_shape *s, const double *x, double *hidden, double *out)
{
    const double *b1 = weights + s->h * s->k, *w2 = b1 + s->h, *b2 = w2 + s->r * s->h;
    for (size_t u = 0; u < s->h; u++) {
        double sum = b1[u];
        for (size_t i = 0; i < s->k; i++) sum += weights[u * s->k + i] * x[i];
        hidden[u] = sum > 0 ? sum : 0;
    }
    for (size_t c = 0; c < s->r; c++) {
        out[c] = b2[c];
        for (size_t u = 0; u < s->h; u++) out[c] += w2[c * s->h + u] * hidden[u];
    }
}

/* One row's part of the gradient; e[r] is the weighted error of each output. */
static void back(const struct mlp_shape *s, const double *weights, const double *x, const double *hidden,
                 double *by_hidden, const double *e, double *gradient)
{
    const double *w2 = weights + s->h * (s->k + 1);
    double *g_b1 = gradient + s->h * s->k, *g_w2 = g_b1 + s->h, *g_b2 = g_w2 + s->r * s->h;
    memset(by_hidden, 0, s->h * sizeof *by_hidden);
    for (size_t c = 0; c < s->r; c++) {
        g_b2[c] += e[c];
        for (size_t u = 0; u < s->h; u++) {
            g_w2[c * s->h + u] += e[c] * hidden[u];
            by_hidden[u] += e[c] * w2[c * s->h + u];
        }
    }
    for (size_t u = 0; u < s->h; u++) {
        if (!(hidden[u] > 0)) continue;
        g_b1[u] += by_hidden[u];
        for (size_t i = 0; i < s->k; i++) gradient[u * s->k + i] += by_hidden[u] * x[i];
    }
}

double mlp_loss(const struct mlp_problem *p, const double *weights, double *gradient, double *scratch)
{
    const struct mlp_shape *s = &p->shape;
    double *hidden = scratch, *by_hidden = hidden + s->h, *e = by_hidden + s->h, sum = 0, total = 0;
    const size_t n_w1 = s->h * s->k, from_w2 = n_w1 + s->h, n_w2 = s->r * s->h;
    if (gradient) memset(gradient, 0, mlp_size(s) * sizeof *gradient);
    for (size_t i = 0; i < p->n; i++) total += p->w[i];
    for (size_t i = 0; i < p->n; i++) {
        const double share = p->w[i] / total;
        mlp_predict(weights, s, p->x + i * s->k, hidden, e);
        for (size_t c = 0; c < s->r; c++) {
            e[c] -= p->t[i * s->r + c];
            sum += 0.5 * share * e[c] * e[c];
            e[c] *= share;
        }
        if (gradient) back(s, weights, p->x + i * s->k, hidden, by_hidden, e, gradient);
    }
    for (size_t i = 0; i < n_w1 + n_w2; i++) {
        const size_t at = i < n_w1 ? i : from_w2 + i - n_w1;
        sum += 0.5 * p->decay * weights[at] * weights[at];
        if (gradient) gradient[at] += p->decay * weights[at];
    }
    return sum;
}

struct search {
    const struct mlp_problem *problem;
    double *scratch, *best, best_loss;
};
static double objective(unsigned n, const double *weights, double *gradient, void *opaque)
{
    struct search *search = opaque;
    const double loss = mlp_loss(search->problem, weights, gradient, search->scratch);
    if (!isfinite(loss)) return 1e30;
    if (loss < search->best_loss) {
        search->best_loss = loss;
        memcpy(search->best, weights, n * sizeof *weights);
    }
    return loss;
}

int mlp_train(double *weights, double *loss, const struct mlp_problem *problem, size_t iterations, struct error *err)
{
    const size_t n = mlp_size(&problem->shape);
    double *memory = malloc((n + mlp_scratch(&problem->shape)) * sizeof *memory), value;
    nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, (unsigned)n);
    struct search state = {problem, memory + n, memory, INFINITY};
    if (!memory || !search) {
        free(memory);
        nlopt_destroy(search);
        return error_set(err, ERR_MEMORY, "out of memory for a network of %zu weights", n);
    }
    nlopt_set_min_objective(search, objective, &state);
    nlopt_set_ftol_rel(search, 1e-8);
    nlopt_set_maxeval(search, (int)iterations);
    const nlopt_result result = nlopt_optimize(search, weights, &value); /* a search that fails keeps its best point */
    nlopt_destroy(search);
    if (isfinite(state.best_loss)) memcpy(weights, state.best, n * sizeof *weights);
    *loss = state.best_loss;
    free(memory);
    return result == NLOPT_OUT_OF_MEMORY ? error_set(err, ERR_MEMORY, "out of memory for a network of %zu weights", n)
                                         : 0;
}
