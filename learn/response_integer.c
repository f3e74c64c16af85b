/* A network in integers that comes near given surfaces: a shared basis, one hidden layer in double precision on the
 * quantised features, then each layer in turn rounded to integers.
 *   basis         principal components of the surfaces, each scaled until its largest entry is 127; targets of the
 *                 layers are the coefficients that fit best on these integers
 *   first layer   each unit scaled until its largest weight is 127 (a rectified unit may be scaled freely)
 *   second layer  fitted anew, by weighted least squares, to what the integers of the first layer give
 *   both          improved one integer at a time (response_descend.c) */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lapack.h"
#include "poise/numerics.h"
#include "response_parts.h"

#define UNIT (double)(1 << RESPONSE_FRACTION_BITS)
#define BIAS_SAFE (double)(RESPONSE_BIAS_MAX / 2) /* leaves room for what later steps add */

static int8_t to_byte(double v) { return (int8_t)fmax(-127, fmin(127, rint(v))); }

static void round_mean_and_basis(struct response_net *net, const struct response_basis *b)
{
    double most = 0;
    for (size_t j = 0; j < b->m; j++) most = fmax(most, fabs(b->mean[j]) * UNIT);
    while (net->mean_shift < RESPONSE_MEAN_SHIFT_MAX && most > 127 * ldexp(1, net->mean_shift)) net->mean_shift++;
    for (size_t j = 0; j < b->m; j++) net->mean[j] = to_byte(ldexp(b->mean[j] * UNIT, -net->mean_shift));
    for (size_t c = 0; c < b->r; c++) {
        const double *vector = b->vectors + c * b->m;
        most = 0;
        for (size_t j = 0; j < b->m; j++) most = fmax(most, fabs(vector[j]));
        for (size_t j = 0; j < b->m; j++) net->basis[c][j] = to_byte(127 * vector[j] / most);
    }
}

/* Coefficients on the integer basis that come nearest to each surface, and the basis' products. */
static int find_targets(struct integer_samples *s, const struct response_net *net, const struct integer_problem *p,
                        struct error *err)
{
    const size_t r = s->r, m = p->m;
    double factor[RESPONSE_COEFS_MAX * RESPONSE_COEFS_MAX];
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b < r; b++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++) sum += net->basis[a][j] * net->basis[b][j];
            s->gram[a * r + b] = factor[a * r + b] = sum;
        }
    for (size_t i = 0; i < s->n; i++)
        for (size_t c = 0; c < r; c++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++)
                sum += net->basis[c][j] * (p->t[i * m + j] * UNIT - ldexp(net->mean[j], net->mean_shift));
            s->target[i * r + c] = sum;
        }
    return lapack()->dposv(LAPACK_COL_MAJOR, 'U', (lapack_int)r, (lapack_int)s->n, factor, (lapack_int)r, s->target,
                           (lapack_int)r) == 0
               ? 0
               : error_set(err, ERR_RUN, "the components of the surfaces depend on each other in 8 bits: use fewer");
}

/* The best of some starts, in double precision, on q / 127 and targets[c] / scale[c]. */
static int train(double *weights, const struct mlp_problem *problem, const struct integer_problem *p, struct error *err)
{
    const size_t size = mlp_size(&problem->shape);
    double *all = malloc(p->restarts * (size + 1) * sizeof *all), *losses = all + p->restarts * size;
    int failed = all ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (failed) return failed;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t start = 0; start < p->restarts; start++) {
        struct error own = {0};
        mlp_start(all + start * size, &problem->shape, p->seed * 7919 + start);
        if (mlp_train(all + start * size, &losses[start], problem, p->iterations, &own) == 0) continue;
#pragma omp critical(response_integer_error)
        {
            if (!failed) *err = own;
            failed = -1;
        }
    }
    size_t best = 0;
    for (size_t start = 1; !failed && start < p->restarts; start++)
        if (losses[start] < losses[best]) best = start;
    memcpy(weights, all + best * size, size * sizeof *weights);
    free(all);
    return failed;
}

static int32_t sum_of_unit(const struct response_net *net, const struct integer_samples *s, size_t u, size_t i)
{
    int32_t a = net->b1[u];
    for (size_t j = 0; j < s->k; j++) a += net->w1[u][j] * s->q[i * s->k + j];
    return a;
}

static void round_first_layer(struct response_net *net, const struct integer_samples *s, const double *weights)
{
    for (size_t u = 0; u < s->h; u++) {
        const double *w1 = weights + u * s->k, b1 = weights[s->h * s->k + u];
        double most = fabs(b1) / (BIAS_SAFE / 127);
        for (size_t j = 0; j < s->k; j++) most = fmax(most, fabs(w1[j]) / 127);
        int32_t highest = 0;
        if (most > 0) net->b1[u] = (int32_t)rint(127 * b1 / most);
        for (size_t j = 0; j < s->k && most > 0; j++) net->w1[u][j] = to_byte(w1[j] / most);
        for (size_t i = 0; i < s->n; i++) {
            const int32_t a = sum_of_unit(net, s, u, i);
            if (a > highest) highest = a;
        }
        while (net->shift1[u] < RESPONSE_SHIFT_MAX && highest >> net->shift1[u] > 255) net->shift1[u]++;
    }
}

/* Weighted least squares of the targets on what the hidden units give, with a little ridge for units that stay 0. */
static int round_second_layer(struct response_net *net, const struct integer_samples *s, struct error *err)
{
    const size_t q = s->h + 1, r = s->r;
    double gram[(RESPONSE_HIDDEN_MAX + 1) * (RESPONSE_HIDDEN_MAX + 1)] = {0};
    double product[(RESPONSE_HIDDEN_MAX + 1) * RESPONSE_COEFS_MAX] = {0};
    for (size_t i = 0; i < s->n; i++) {
        double h[RESPONSE_HIDDEN_MAX + 1];
        for (size_t u = 0; u < s->h; u++) {
            const int32_t a = sum_of_unit(net, s, u, i), v = a > 0 ? a >> net->shift1[u] : 0;
            h[u] = v > 255 ? 255 : v;
        }
        h[s->h] = 1;
        for (size_t b = 0; b < q; b++) {
            for (size_t a = 0; a <= b; a++) gram[a + b * q] += s->w[i] * h[a] * h[b];
            for (size_t c = 0; c < r; c++) product[b + c * q] += s->w[i] * h[b] * s->target[i * r + c];
        }
    }
    for (size_t b = 0; b < q; b++) gram[b + b * q] += 1e-4 * gram[b + b * q] + 1e-6;
    if (lapack()->dposv(LAPACK_COL_MAJOR, 'U', (lapack_int)q, (lapack_int)r, gram, (lapack_int)q, product,
                        (lapack_int)q) != 0)
        return error_set(err, ERR_RUN, "the second layer of the network could not be fitted");
    for (size_t c = 0; c < r; c++) {
        const double *w = product + c * q;
        double most = fabs(w[s->h]) * 127 / BIAS_SAFE;
        for (size_t u = 0; u < s->h; u++) most = fmax(most, fabs(w[u]));
        unsigned shift = 0;
        while (shift < RESPONSE_SHIFT_MAX && ldexp(most, (int)shift + 1) <= 127) shift++;
        net->shift2[c] = (uint8_t)shift;
        for (size_t u = 0; u < s->h; u++) net->w2[c][u] = to_byte(ldexp(w[u], (int)shift));
        const double half = shift ? ldexp(0.5, (int)shift) : 0; /* so that the shift rounds to nearest */
        net->b2[c] = (int32_t)rint(fmax(-BIAS_SAFE, fmin(BIAS_SAFE, ldexp(w[s->h], (int)shift))) + half);
    }
    return 0;
}

static int fit_layers(struct response_net *net, const struct integer_samples *s, const struct integer_problem *p,
                      struct error *err)
{
    const struct mlp_shape shape = {s->k, s->h, s->r};
    double *memory = malloc((s->n * (s->k + s->r) + mlp_size(&shape)) * sizeof *memory), variance = 0, total = 0;
    double *x = memory, *t = x + s->n * s->k, *weights = t + s->n * s->r;
    if (!memory) return error_set(err, ERR_MEMORY, "out of memory for %zu samples", s->n);
    for (size_t i = 0; i < s->n * s->k; i++) x[i] = s->q[i] / 127.0;
    for (size_t i = 0; i < s->n; i++) {
        total += s->w[i];
        for (size_t c = 0; c < s->r; c++) {
            t[i * s->r + c] = s->target[i * s->r + c] * sqrt(s->gram[c * s->r + c]);
            variance += s->w[i] * t[i * s->r + c] * t[i * s->r + c];
        }
    }
    const double scale = variance > 0 ? sqrt(variance / total) : 1;
    for (size_t i = 0; i < s->n * s->r; i++) t[i] /= scale;
    const struct mlp_problem problem = {shape, s->n, x, t, s->w, 1e-6};
    int failed = train(weights, &problem, p, err);
    if (!failed) {
        round_first_layer(net, s, weights);
        failed = round_second_layer(net, s, err);
    }
    free(memory);
    return failed;
}

static double measure(const struct response_net *net, const struct integer_samples *s, const struct integer_problem *p)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < s->n; i++) {
        int32_t z[RESPONSE_POINTS_MAX];
        response_net_eval_quantised(net, s->q + i * s->k, z);
        total += s->w[i] * (double)p->m;
        for (size_t j = 0; j < p->m; j++) {
            const double e = z[j] / UNIT - p->t[i * p->m + j];
            sum += s->w[i] * e * e;
        }
    }
    return sqrt(sum / total);
}

int integer_network_fit(struct response_net *net, double *rms, const struct integer_problem *p, struct error *err)
{
    struct response_basis *basis = malloc(sizeof *basis);
    if (!basis || !numerics_has_room()) {
        free(basis);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    struct integer_samples s = {.n = p->n, .k = p->k, .h = p->hidden, .w = p->w, .q = malloc(p->n * p->k)};
    int failed = response_basis_init(basis, p->t, p->w, p->n, p->m, p->coefs, err);
    if (!failed) {
        s.r = basis->r;
        s.target = malloc(p->n * s.r * sizeof *s.target);
        if (!s.q || !s.target) failed = error_set(err, ERR_MEMORY, "out of memory for %zu samples", p->n);
    }
    if (!failed) {
        net->n_hidden = p->hidden;
        net->n_coefs = (uint32_t)s.r;
        for (size_t i = 0; i < p->n; i++) {
            float x[RESPONSE_FEATURES_MAX];
            for (size_t j = 0; j < p->k; j++) x[j] = (float)p->x[i * p->k + j];
            response_net_quantise(net, x, s.q + i * p->k);
        }
        round_mean_and_basis(net, basis);
        failed = find_targets(&s, net, p, err);
    }
    if (!failed) failed = fit_layers(net, &s, p, err);
    if (!failed) failed = integer_network_descend(net, &s, p->sweeps, err);
    if (!failed) failed = response_net_check(net, err);
    if (!failed) *rms = measure(net, &s, p);
    free(s.q);
    free(s.target);
    free(basis);
    return failed;
}
