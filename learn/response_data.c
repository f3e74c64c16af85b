/* Surfaces as data: checks, weights that make groups count alike, subsets, and the choice of a point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "response_parts.h"

static int check_sizes(const struct response_data *d, struct error *err)
{
    if (d->n == 0) return error_set(err, ERR_INPUT, "response surfaces: no rows");
    if (d->k < 1 || d->k > RESPONSE_FEATURES_MAX)
        return error_set(err, ERR_INPUT, "response surfaces: %zu features, must be 1 to %d", d->k,
                         RESPONSE_FEATURES_MAX);
    if (d->m < 1 || d->m > RESPONSE_POINTS_MAX)
        return error_set(err, ERR_INPUT, "response surfaces: %zu points, must be 1 to %d", d->m, RESPONSE_POINTS_MAX);
    for (size_t j = 0; j < d->m; j++) {
        const struct response_tuple t = d->tuples[j], before = j ? d->tuples[j - 1] : (struct response_tuple){0, 0};
        if (t.p < 1 || t.p > t.N || t.N < before.N || (t.N == before.N && t.p <= before.p))
            return error_set(
                err, ERR_INPUT,
                "response surfaces: point %zu is (%u, %u): tuples ascend by N, then by p, with 1 <= p <= N", j, t.N,
                t.p);
    }
    return 0;
}

int response_data_check(const struct response_data *d, struct error *err)
{
    bool has_weight = false;
    if (check_sizes(d, err) < 0) return -1;
    for (size_t i = 0; i < d->n; i++) {
        const double w = d->w ? d->w[i] : 1;
        for (size_t j = 0; j < d->k; j++)
            if (!isfinite(d->x[i * d->k + j]))
                return error_set(err, ERR_INPUT, "response surfaces: row %zu: feature '%s' is not finite", i + 1,
                                 d->names[j]);
        for (size_t j = 0; j < d->m; j++)
            if (!isfinite(d->z[i * d->m + j]))
                return error_set(err, ERR_INPUT, "response surfaces: row %zu: the value at (%u, %u) is not finite",
                                 i + 1, d->tuples[j].N, d->tuples[j].p);
        if (!(w >= 0) || !isfinite(w))
            return error_set(err, ERR_INPUT, "response surfaces: row %zu: weight %g, must be 0 or more", i + 1, w);
        if (d->group[i] >= d->n_groups)
            return error_set(err, ERR_INPUT, "response surfaces: row %zu: group %zu of %zu", i + 1, d->group[i],
                             d->n_groups);
        if (d->W && d->W[i] < 1)
            return error_set(err, ERR_INPUT, "response surfaces: row %zu: 0 warps per scheduler", i + 1);
        has_weight |= w > 0;
    }
    return has_weight ? 0 : error_set(err, ERR_INPUT, "response surfaces: no row has a weight above 0");
}

void response_weights(const struct response_data *d, double *weights)
{
    size_t groups = 0, rows = 0;
    for (size_t g = 0; g < d->n_groups; g++) {
        double sum = 0;
        for (size_t i = 0; i < d->n; i++)
            if (d->group[i] == g) sum += d->w ? d->w[i] : 1;
        groups += sum > 0;
        for (size_t i = 0; i < d->n; i++)
            if (d->group[i] == g) weights[i] = sum > 0 ? (d->w ? d->w[i] : 1) / sum : 0;
    }
    for (size_t i = 0; i < d->n; i++) rows += weights[i] > 0;
    for (size_t i = 0; i < d->n; i++) weights[i] *= (double)rows / (double)groups;
}

int response_data_hash(char text[HASH_TEXT_SIZE], const struct response_data *d, struct error *err)
{
    struct hasher *hasher = hasher_new();
    if (!hasher) return error_set(err, ERR_MEMORY, "out of memory");
    const uint64_t sizes[] = {d->n, d->k, d->m};
    hasher_add(hasher, sizes, sizeof sizes);
    hasher_add(hasher, d->x, d->n * d->k * sizeof *d->x);
    hasher_add(hasher, d->z, d->n * d->m * sizeof *d->z);
    for (size_t i = 0; i < d->n; i++) {
        const double w = d->w ? d->w[i] : 1;
        const uint64_t row[] = {d->group[i], d->W ? d->W[i] : 0};
        hasher_add(hasher, &w, sizeof w);
        hasher_add(hasher, row, sizeof row);
    }
    hasher_add(hasher, d->tuples, d->m * sizeof *d->tuples);
    for (size_t j = 0; j < d->k; j++) hasher_add(hasher, d->names[j], strlen(d->names[j]) + 1);
    const struct hash hash = hasher_finish(hasher);
    hash_text(&hash, text);
    return 0;
}

int response_subset_init(struct response_subset *out, const struct response_data *d, const size_t *rows, size_t n,
                         struct error *err)
{
    *out = (struct response_subset){.data = *d,
                                    .memory = malloc((n * (d->k + d->m + 1) + 1) * sizeof(double)),
                                    .group = malloc((n + 1) * sizeof(size_t)),
                                    .W = malloc((n + 1) * sizeof(uint32_t))};
    if (!out->memory || !out->group || !out->W) {
        response_subset_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for %zu surfaces", n);
    }
    double *x = out->memory, *z = x + n * d->k, *w = z + n * d->m;
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * d->k, d->x + rows[i] * d->k, d->k * sizeof *x);
        memcpy(z + i * d->m, d->z + rows[i] * d->m, d->m * sizeof *z);
        w[i] = d->w ? d->w[rows[i]] : 1;
        out->group[i] = d->group[rows[i]];
        out->W[i] = d->W ? d->W[rows[i]] : 0;
    }
    out->data.n = n, out->data.x = x, out->data.z = z, out->data.w = w;
    out->data.group = out->group;
    out->data.W = d->W ? out->W : NULL;
    return 0;
}

void response_subset_fini(struct response_subset *subset)
{
    free(subset->memory);
    free(subset->group);
    free(subset->W);
    memset(subset, 0, sizeof *subset);
}

size_t response_choose(const struct response_tuple *tuples, size_t m, const double *mean, const double *spread,
                       const struct response_rule *rule, uint32_t W)
{
    const uint32_t highest = tuples[m - 1].N;
    uint32_t top = highest; /* the first N that is at least W */
    for (size_t j = m; j-- > 0;)
        if (W > 0 && tuples[j].N >= W) top = tuples[j].N;
    size_t n = 0, best = m;
    while (n < m && tuples[n].N <= top) n++;
    const size_t everyone = W > highest ? m : n - 1;
    const double worth = everyone < m ? mean[everyone] : 0;
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        const double value = j == everyone ? mean[j] : mean[j] - (spread ? rule->caution * spread[j] : 0);
        if (best == m || value >= most) best = j, most = value;
    }
    return most - worth > rule->margin ? best : everyone;
}

double response_regret(const double *z, size_t m, size_t choice)
{
    double most = choice < m ? z[choice] : 0;
    const double own = most;
    for (size_t j = 0; j < m; j++) most = fmax(most, z[j]);
    return most - own;
}

double response_group_mean(const struct response_data *d, const double *values, double *by_group)
{
    double total = 0;
    size_t used = 0;
    for (size_t g = 0; g < d->n_groups; g++) {
        double sum = 0, weight = 0;
        for (size_t i = 0; i < d->n; i++) {
            const double w = d->group[i] == g ? d->w ? d->w[i] : 1 : 0;
            if (!(w > 0)) continue;
            sum += w * values[i];
            weight += w;
        }
        if (by_group) by_group[g] = weight > 0 ? sum / weight : NAN;
        if (!(weight > 0)) continue;
        total += sum / weight;
        used++;
    }
    return used ? total / (double)used : NAN;
}
