/* A network with one hidden layer of rectified units, trained by L-BFGS (NLopt's); all rows at once, by
 * BLAS on one thread. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>
#include "poise/numerics.h"
#include "response_parts.h"

void mlp_start(double *weights, const struct mlp_shape *s, uint64_t seed)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + 12345};
    double *w1 = weights, *b1 = w1 + s->h * s->k, *w2 = b1 + s->h, *b2 = w2 + s->r * s->h;
    for (size_t i = 0; i < s->h * s->k; i++) w1[i] = sqrt(2.0 / (double)s->k) * random_normal(&random);
    for (size_t u = 0; u < s->h; u++) b1[u] = 0.5 * random_normal(&random);
    for (size_t i = 0; i < s->r * s->h; i++) w2[i] = 0.1 * random_normal(&random) / sqrt((double)s->h);
    memset(b2, 0, s->r * sizeof *b2);
}

/* Sums of the columns of n rows. */
static void add_columns(const double *rows, size_t n, size_t columns, double *out)
{
    memset(out, 0, columns * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < columns; c++) out[c] += rows[i * columns + c];
}

/* BLAS by its Fortran name: of CBLAS a program may have GSL's, which is several times slower. Column-major. */
extern void dgemm_(const char *a_is, const char *b_is, const int *rows, const int *columns, const int *inner,
                   const double *alpha, const double *a, const int *a_lead, const double *b, const int *b_lead,
                   const double *beta, double *c, const int *c_lead);

/* C (rows x columns) += A B of row-major matrices, 'T' where one is stored transposed; C begins at 0 where `clears`. */
struct product {
    char a_is, b_is;
    size_t rows, columns, inner;
};
static void multiply(const struct product *p, const double *a, const double *b, double *c, bool clears)
{
    const int rows = (int)p->rows, columns = (int)p->columns, inner = (int)p->inner;
    const int a_lead = p->a_is == 'T' ? rows : inner, b_lead = p->b_is == 'T' ? inner : columns;
    const double one = 1, beta = clears ? 0 : 1;
    /* row-major C = A B is column-major C' = B' A' */
    dgemm_(&p->b_is, &p->a_is, &columns, &rows, &inner, &one, b, &b_lead, a, &a_lead, &beta, c, &columns);
}

/* Hidden units and outputs of all rows. */
static void forward(const struct mlp_problem *p, const double *weights, double *hidden, double *out)
{
    const struct mlp_shape *s = &p->shape;
    const double *b1 = weights + s->h * s->k, *w2 = b1 + s->h, *b2 = w2 + s->r * s->h;
    for (size_t i = 0; i < p->n; i++) {
        memcpy(hidden + i * s->h, b1, s->h * sizeof *hidden);
        memcpy(out + i * s->r, b2, s->r * sizeof *out);
    }
    multiply(&(struct product){'N', 'T', p->n, s->h, s->k}, p->x, weights, hidden, false);
    for (size_t i = 0; i < p->n * s->h; i++) hidden[i] = hidden[i] > 0 ? hidden[i] : 0;
    multiply(&(struct product){'N', 'T', p->n, s->r, s->h}, hidden, w2, out, false);
}

/* e: weighted errors of all rows; by_hidden is overwritten. */
static void backward(const struct mlp_problem *p, const double *weights, const double *hidden, const double *e,
                     double *by_hidden, double *gradient)
{
    const struct mlp_shape *s = &p->shape;
    const double *w2 = weights + s->h * (s->k + 1);
    double *g_b1 = gradient + s->h * s->k, *g_w2 = g_b1 + s->h, *g_b2 = g_w2 + s->r * s->h;
    add_columns(e, p->n, s->r, g_b2);
    multiply(&(struct product){'T', 'N', s->r, s->h, p->n}, e, hidden, g_w2, true);
    multiply(&(struct product){'N', 'N', p->n, s->h, s->r}, e, w2, by_hidden, true);
    for (size_t i = 0; i < p->n * s->h; i++)
        if (!(hidden[i] > 0)) by_hidden[i] = 0;
    add_columns(by_hidden, p->n, s->h, g_b1);
    multiply(&(struct product){'T', 'N', s->h, s->k, p->n}, by_hidden, p->x, gradient, true);
}

double mlp_loss(const struct mlp_problem *p, const double *weights, double *gradient, double *scratch)
{
    const struct mlp_shape *s = &p->shape;
    double *hidden = scratch, *by_hidden = hidden + p->n * s->h, *e = by_hidden + p->n * s->h, sum = 0, total = 0;
    const size_t n_w1 = s->h * s->k, from_w2 = n_w1 + s->h, n_w2 = s->r * s->h;
    for (size_t i = 0; i < p->n; i++) total += p->w[i];
    forward(p, weights, hidden, e);
    for (size_t i = 0; i < p->n; i++) {
        const double share = p->w[i] / total;
        for (size_t c = i * s->r; c < (i + 1) * s->r; c++) {
            e[c] -= p->t[c];
            sum += 0.5 * share * e[c] * e[c];
            e[c] *= share;
        }
    }
    if (gradient) backward(p, weights, hidden, e, by_hidden, gradient);
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
    const size_t doubles = (n + 7) / 8 * 8 + (mlp_scratch(problem) + 7) / 8 * 8;
    double *memory = numerics_has_room() ? aligned_alloc(64, doubles * sizeof *memory) : NULL, value;
    nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, (unsigned)n);
    struct search state = {problem, memory + (n + 7) / 8 * 8, memory, INFINITY};
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
