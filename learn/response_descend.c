/* The last step of distillation: integers of a network are changed one at a time while it comes nearer to its targets.
 * Sums before each shift are kept for every sample, so that trying a change costs a pass over the samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "response_parts.h"

struct descent {
    struct response_net *net;
    const struct integer_samples *s;
    int32_t *a, *h, *sum;      /* n x hidden before and after the rectifier; n x r before the shift */
    int32_t *a_new, *h_new;    /* n each: the unit that a change touches */
    double *costs, *costs_new; /* n each */
    double cost;
};

static int32_t activation(int32_t a, unsigned shift)
{
    const int32_t v = a > 0 ? a >> shift : 0;
    return v > 255 ? 255 : v;
}
static int32_t coefficient(int32_t sum, unsigned shift)
{
    const int32_t v = sum >= 0 ? sum >> shift : ~(~sum >> shift);
    return v > 32767 ? 32767 : v < -32767 ? -32767 : v;
}

/* Cost of sample i with its sums before the shift. */
static double cost_of(const struct descent *d, size_t i, const int32_t *sum)
{
    const size_t r = d->s->r;
    double e[RESPONSE_COEFS_MAX], cost = 0;
    for (size_t c = 0; c < r; c++) e[c] = (double)coefficient(sum[c], d->net->shift2[c]) - d->s->target[i * r + c];
    for (size_t c = 0; c < r; c++) {
        double others = 0;
        for (size_t b = 0; b < c; b++) others += e[b] * d->s->gram[c * r + b];
        cost += e[c] * (2 * others + e[c] * d->s->gram[c * r + c]);
    }
    return d->s->w[i] * cost;
}

static void start(struct descent *d)
{
    const size_t k = d->s->k, h = d->s->h, r = d->s->r;
    d->cost = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        for (size_t u = 0; u < h; u++) {
            int32_t a = d->net->b1[u];
            for (size_t j = 0; j < k; j++) a += d->net->w1[u][j] * d->s->q[i * k + j];
            d->a[i * h + u] = a;
            d->h[i * h + u] = activation(a, d->net->shift1[u]);
        }
        for (size_t c = 0; c < r; c++) {
            d->sum[i * r + c] = d->net->b2[c];
            for (size_t u = 0; u < h; u++) d->sum[i * r + c] += d->net->w2[c][u] * d->h[i * h + u];
        }
        d->cost += d->costs[i] = cost_of(d, i, d->sum + i * r);
    }
}

/* Weight `feature` of unit u (feature k: its bias) grows by `step`; kept if the cost falls. */
static bool try_first_layer(struct descent *d, size_t u, size_t feature, int32_t step)
{
    const size_t k = d->s->k, h = d->s->h, r = d->s->r;
    double cost = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const int32_t was = d->h[i * h + u];
        d->a_new[i] = d->a[i * h + u] + step * (feature < k ? d->s->q[i * k + feature] : 1);
        d->h_new[i] = activation(d->a_new[i], d->net->shift1[u]);
        d->costs_new[i] = d->costs[i];
        if (d->h_new[i] != was) {
            int32_t sum[RESPONSE_COEFS_MAX];
            for (size_t c = 0; c < r; c++) sum[c] = d->sum[i * r + c] + d->net->w2[c][u] * (d->h_new[i] - was);
            d->costs_new[i] = cost_of(d, i, sum);
        }
        cost += d->costs_new[i];
        if (cost >= d->cost) return false;
    }
    for (size_t i = 0; i < d->s->n; i++) {
        for (size_t c = 0; c < r; c++) d->sum[i * r + c] += d->net->w2[c][u] * (d->h_new[i] - d->h[i * h + u]);
        d->a[i * h + u] = d->a_new[i];
        d->h[i * h + u] = d->h_new[i];
        d->costs[i] = d->costs_new[i];
    }
    if (feature < k) d->net->w1[u][feature] = (int8_t)(d->net->w1[u][feature] + step);
    else d->net->b1[u] += step;
    d->cost = cost;
    return true;
}

/* Weight of unit u in coefficient c (u = hidden: its bias) grows by `step`; kept if the cost falls. */
static bool try_second_layer(struct descent *d, size_t c, size_t u, int32_t step)
{
    const size_t h = d->s->h, r = d->s->r;
    double cost = 0;
    for (size_t i = 0; i < d->s->n; i++) {
        const int32_t more = step * (u < h ? d->h[i * h + u] : 1);
        d->costs_new[i] = d->costs[i];
        if (more != 0) {
            int32_t sum[RESPONSE_COEFS_MAX];
            memcpy(sum, d->sum + i * r, r * sizeof *sum);
            sum[c] += more;
            d->costs_new[i] = cost_of(d, i, sum);
        }
        cost += d->costs_new[i];
        if (cost >= d->cost) return false;
    }
    for (size_t i = 0; i < d->s->n; i++) {
        d->sum[i * r + c] += step * (u < h ? d->h[i * h + u] : 1);
        d->costs[i] = d->costs_new[i];
    }
    if (u < h) d->net->w2[c][u] = (int8_t)(d->net->w2[c][u] + step);
    else d->net->b2[c] += step;
    d->cost = cost;
    return true;
}

static bool is_weight(int32_t v) { return v >= -127 && v <= 127; }
static bool is_bias(int32_t v) { return v >= -RESPONSE_BIAS_MAX && v <= RESPONSE_BIAS_MAX; }
static const int32_t weight_steps[] = {1, -1, 3, -3, 12, -12};

static bool sweep_first_layer(struct descent *d)
{
    bool is_better = false;
    for (size_t u = 0; u < d->s->h; u++)
        for (size_t f = 0; f <= d->s->k; f++)
            for (size_t s = 0; s < COUNT_OF(weight_steps); s++) {
                const int32_t step =
                    weight_steps[s] * (f < d->s->k ? 1 : 1 << (d->net->shift1[u] > 2 ? d->net->shift1[u] - 2 : 0));
                const bool is_legal = f < d->s->k ? is_weight(d->net->w1[u][f] + step) : is_bias(d->net->b1[u] + step);
                if (is_legal && try_first_layer(d, u, f, step)) is_better = true;
            }
    return is_better;
}

static bool sweep_second_layer(struct descent *d)
{
    bool is_better = false;
    for (size_t c = 0; c < d->s->r; c++)
        for (size_t u = 0; u <= d->s->h; u++)
            for (size_t s = 0; s < COUNT_OF(weight_steps); s++) {
                const int32_t step = weight_steps[s] * (u < d->s->h ? 1 : 1 << d->net->shift2[c]);
                const bool is_legal = u < d->s->h ? is_weight(d->net->w2[c][u] + step) : is_bias(d->net->b2[c] + step);
                if (is_legal && try_second_layer(d, c, u, step)) is_better = true;
            }
    return is_better;
}

int integer_network_descend(struct response_net *net, const struct integer_samples *s, uint32_t sweeps,
                            struct error *err)
{
    int32_t *memory = malloc(s->n * (2 * s->h + s->r + 2) * sizeof *memory);
    double *costs = malloc(2 * s->n * sizeof *costs);
    if (!memory || !costs) {
        free(memory);
        free(costs);
        return error_set(err, ERR_MEMORY, "out of memory for %zu samples", s->n);
    }
    struct descent d = {.net = net, .s = s, .a = memory, .costs = costs, .costs_new = costs + s->n};
    d.h = d.a + s->n * s->h, d.sum = d.h + s->n * s->h, d.a_new = d.sum + s->n * s->r, d.h_new = d.a_new + s->n;
    start(&d);
    bool is_better = true;
    for (uint32_t sweep = 0; sweep < sweeps && is_better; sweep++) {
        is_better = sweep_second_layer(&d);
        is_better |= sweep_first_layer(&d);
    }
    free(memory);
    free(costs);
    return 0;
}
