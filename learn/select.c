/* Which columns: forward selection by any loss, and the order in which the LASSO lets them in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"
#include "state.h"

#define SWEEPS 2000
#define SETTLED 1e-10

int select_forward(struct selection_step *steps, size_t *n_steps, size_t k, const bool *forced, size_t most,
                   subset_loss *loss, void *context, struct error *err)
{
    size_t *chosen = malloc((k + 1) * sizeof *chosen), n = 0;
    bool *is_in = calloc(k + 1, sizeof *is_in);
    int failed = chosen && is_in ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    *n_steps = 0;
    for (size_t j = 0; j < k && !failed; j++)
        if (forced && forced[j]) chosen[n++] = j, is_in[j] = true;
    if (!failed && n > 0) {
        steps[0] = (struct selection_step){.column = k, .n = n};
        failed = loss(chosen, n, &steps[0].loss, context, err);
        *n_steps = 1;
    }
    while (!failed && n < most && n < k) {
        struct selection_step best = {.column = k, .n = n + 1, .loss = INFINITY};
        for (size_t j = 0; j < k && !failed; j++) {
            double own;
            if (is_in[j]) continue;
            chosen[n] = j;
            failed = loss(chosen, n + 1, &own, context, err);
            if (!failed && own < best.loss) best.loss = own, best.column = j;
        }
        if (failed || best.column == k) break;
        chosen[n++] = best.column;
        is_in[best.column] = true;
        steps[(*n_steps)++] = best;
    }
    free(chosen);
    free(is_in);
    return failed;
}

struct lasso {
    size_t n, k, used;
    double *z, *y, *w, *b, *residual;
    size_t *column;
};

static double shrink(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0; }

/* minimise 1/2 mean w (y - z b)^2 + lambda sum |b|; columns have weighted variance 1, so each step is one division
 * less */
static void descend(struct lasso *l, double lambda)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double largest = 0;
        for (size_t c = 0; c < l->used; c++) {
            const double *z = l->z + c * l->n;
            double slope = 0;
            for (size_t i = 0; i < l->n; i++) slope += l->w[i] * z[i] * l->residual[i];
            const double next = shrink(slope + l->b[c], lambda), step = next - l->b[c];
            if (step == 0) continue;
            for (size_t i = 0; i < l->n; i++) l->residual[i] -= step * z[i];
            l->b[c] = next;
            largest = fmax(largest, fabs(step));
        }
        if (largest < SETTLED) return;
    }
}

static int lasso_init(struct lasso *l, const struct glm_data *data, const struct scaling *s, double *mean,
                      struct error *err)
{
    const size_t n = data->n;
    double weights = 0;
    *l = (struct lasso){.n = n, .k = data->k};
    l->z = calloc(n * (s->used + 3) + s->used + 1, sizeof *l->z);
    l->column = calloc(s->used + 1, sizeof *l->column);
    if (!l->z || !l->column) return error_set(err, ERR_MEMORY, "out of memory");
    l->y = l->z + n * s->used, l->w = l->y + n, l->residual = l->w + n, l->b = l->residual + n;
    for (size_t i = 0; i < n; i++) weights += weight_of(data, i);
    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        l->w[i] = weight_of(data, i) / weights;
        l->y[i] = log(data->y[i]) - offset_of(data, i);
        *mean += l->w[i] * l->y[i];
    }
    for (size_t i = 0; i < n; i++) l->residual[i] = l->y[i] - *mean;
    for (size_t j = 0; j < data->k; j++) {
        if (!(s->sd[j] > 0)) continue;
        for (size_t i = 0; i < n; i++) l->z[l->used * n + i] = scaling_value(s, j, data->x[j * n + i]);
        l->column[l->used++] = j;
    }
    return 0;
}

static void lasso_store(struct lasso_point *point, const struct lasso *l, const struct scaling *s, double mean)
{
    double base = mean;
    size_t constant = l->k;
    point->n_used = 0;
    for (size_t c = 0; c < l->used; c++) {
        const size_t j = l->column[c];
        point->weights[j] = l->b[c] / s->sd[j];
        base -= l->b[c] * s->mean[j] / s->sd[j];
        point->n_used += l->b[c] != 0;
    }
    for (size_t j = l->k; j-- > 0;)
        if (s->sd[j] == 0 && s->mean[j] != 0) constant = j;
    if (constant < l->k) point->weights[constant] = base / s->mean[constant];
}

int lasso_path(struct lasso_point *points, size_t n_points, const struct glm_data *data, struct error *err)
{
    struct scaling s = {0};
    struct lasso l = {0};
    double mean, top = 0;
    memset(points, 0, n_points * sizeof *points);
    int failed =
        state_check(data, true, err) < 0 || scaling_init(&s, data, err) < 0 || lasso_init(&l, data, &s, &mean, err) < 0
            ? -1
            : 0;
    for (size_t c = 0; c < l.used && !failed; c++) {
        double slope = 0;
        for (size_t i = 0; i < l.n; i++) slope += l.w[i] * l.z[c * l.n + i] * l.residual[i];
        top = fmax(top, fabs(slope));
    }
    for (size_t p = 0; p < n_points && !failed; p++) {
        points[p].lambda = top * pow(1e-3, n_points > 1 ? (double)p / (double)(n_points - 1) : 0);
        points[p].weights = calloc(data->k + 1, sizeof(double));
        if (!points[p].weights) failed = error_set(err, ERR_MEMORY, "out of memory");
        else descend(&l, points[p].lambda), lasso_store(&points[p], &l, &s, mean);
    }
    free(l.z);
    free(l.column);
    scaling_fini(&s);
    if (failed) lasso_fini(points, n_points);
    return failed;
}

void lasso_fini(struct lasso_point *points, size_t n_points)
{
    for (size_t p = 0; p < n_points; p++) free(points[p].weights);
    memset(points, 0, n_points * sizeof *points);
}
