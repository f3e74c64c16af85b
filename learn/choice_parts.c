#include "choice_parts.h"

#include <stdlib.h>

int choice_take(struct choice_taken *out, const struct response_data *d, const struct choice_columns *set,
                struct error *err)
{
    *out = (struct choice_taken){.data = *d,
                                 .x = malloc((d->n * set->n + 1) * sizeof *out->x),
                                 .names = malloc((set->n + 1) * sizeof *out->names)};
    if (!out->x || !out->names) {
        choice_taken_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    }
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < set->n; j++) out->x[i * set->n + j] = d->x[i * d->k + set->columns[j]];
    for (size_t j = 0; j < set->n; j++) out->names[j] = d->names[set->columns[j]];
    out->data.k = set->n, out->data.x = out->x, out->data.names = out->names;
    return 0;
}

void choice_taken_fini(struct choice_taken *taken)
{
    free(taken->x);
    free(taken->names);
    *taken = (struct choice_taken){.x = NULL};
}

int choice_single(size_t *out, const struct response_data *d, struct error *err)
{
    double most = 0, *values = calloc(d->n + 1, sizeof *values);
    if (!values) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    *out = d->m - 1;
    for (size_t j = 0; j < d->m; j++) {
        for (size_t i = 0; i < d->n; i++) values[i] = d->z[i * d->m + j];
        const double mean = response_group_mean(d, values, NULL);
        if (mean > most) most = mean, *out = j;
    }
    free(values);
    return 0;
}
