/* Groups of rows that belong together (kernels of one benchmark), folds made of whole groups, copies of part of the
 * data. */
#include <stdlib.h>
#include <string.h>
#include "poise/table_csv.h"
#include "poise/validate.h"

int groups_init(struct groups *out, const char *const *texts, size_t n, struct error *err)
{
    *out = (struct groups){.n = n, .of = calloc(n + 1, sizeof *out->of), .names = calloc(n + 1, sizeof *out->names)};
    if (!out->of || !out->names) {
        groups_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for the groups of %zu rows", n);
    }
    for (size_t i = 0; i < n; i++) {
        size_t g = texts ? 0 : i;
        if (texts && table_is_missing(texts[i])) {
            groups_fini(out);
            error_set(err, ERR_INPUT, "row %zu: the group is '%s': a missing name is no group", i + 1, texts[i]);
            return error_at(err, NULL, 0, -1, "name it, or leave the row out (table_csv_drop_missing)");
        }
        char name[MODEL_NAME_MAX];
        if (texts) snprintf(name, sizeof name, "%.*s", MODEL_NAME_MAX - 1, texts[i]);
        else snprintf(name, sizeof name, "row %zu", i + 1);
        while (texts && g < out->n_groups && strcmp(out->names[g], name) != 0) g++;
        if (g == out->n_groups) memcpy(out->names[out->n_groups++], name, sizeof name);
        out->of[i] = g;
    }
    return 0;
}

void groups_fini(struct groups *groups)
{
    free(groups->of);
    free(groups->names);
    memset(groups, 0, sizeof *groups);
}

static int folds_init(struct folds *out, size_t n, size_t k, struct error *err)
{
    *out = (struct folds){
        .n = n, .n_folds = k, .of = calloc(n + 1, sizeof *out->of), .names = calloc(k + 1, sizeof *out->names)};
    if (out->of && out->names) return 0;
    folds_fini(out);
    return error_set(err, ERR_MEMORY, "out of memory for the folds of %zu rows", n);
}

void folds_fini(struct folds *folds)
{
    free(folds->of);
    free(folds->names);
    memset(folds, 0, sizeof *folds);
}

static int too_few(size_t groups, size_t k, struct error *err)
{
    error_set(err, ERR_INPUT, "%zu groups do not make %zu folds", groups, k);
    return error_at(err, NULL, 0, -1, "a group is never split: use fewer folds, or data of more benchmarks");
}

int folds_leave_one_group_out(struct folds *out, const struct groups *groups, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (groups->n_groups < 2) return too_few(groups->n_groups, 2, err);
    if (folds_init(out, groups->n, groups->n_groups, err) < 0) return -1;
    memcpy(out->of, groups->of, groups->n * sizeof *out->of);
    memcpy(out->names, groups->names, groups->n_groups * sizeof *out->names);
    return 0;
}

int folds_of_groups(struct folds *out, const struct groups *groups, size_t k, uint64_t seed, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (k < 2 || groups->n_groups < k) return too_few(groups->n_groups, k, err);
    if (folds_init(out, groups->n, k, err) < 0) return -1;
    struct random random = {seed};
    const size_t n = groups->n_groups;
    size_t *order = calloc(3 * n + k, sizeof *order), *rows = order + n, *fold = rows + n, *filled = fold + n;
    if (!order) {
        folds_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t g = 0; g < n; g++) order[g] = g;
    for (size_t i = 0; i < groups->n; i++) rows[groups->of[i]]++;
    random_shuffle(&random, order, n);
    for (size_t g = 1; g < n; g++) /* large groups first; equal ones stay shuffled */
        for (size_t j = g; j > 0 && rows[order[j]] > rows[order[j - 1]]; j--) {
            const size_t swap = order[j];
            order[j] = order[j - 1], order[j - 1] = swap;
        }
    for (size_t g = 0; g < n; g++) {
        size_t least = 0;
        for (size_t f = 1; f < k; f++)
            if (filled[f] < filled[least]) least = f;
        fold[order[g]] = least;
        filled[least] += rows[order[g]];
    }
    for (size_t i = 0; i < groups->n; i++) out->of[i] = fold[groups->of[i]];
    for (size_t f = 0; f < k; f++) snprintf(out->names[f], sizeof out->names[f], "fold %zu", f + 1);
    free(order);
    return 0;
}

int glm_subset_init(struct glm_subset *out, const struct glm_data *data, const size_t *rows, size_t n,
                    const size_t *columns, size_t k, struct error *err)
{
    if (!rows) n = data->n;
    if (!columns) k = data->k;
    memset(out, 0, sizeof *out);
    out->memory = malloc((n * (k + 3) + 1) * sizeof *out->memory);
    out->names = malloc((k + 1) * sizeof *out->names);
    if (!out->memory || !out->names) {
        glm_subset_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for %zu x %zu values", n, k);
    }
    double *y = out->memory + n * k, *offset = y + n, *weight = offset + n;
    for (size_t j = 0; j < k; j++) {
        const size_t from = columns ? columns[j] : j;
        out->names[j] = data->names[from];
        for (size_t i = 0; i < n; i++) out->memory[j * n + i] = data->x[from * data->n + (rows ? rows[i] : i)];
    }
    for (size_t i = 0; i < n; i++) {
        const size_t from = rows ? rows[i] : i;
        y[i] = data->y[from];
        offset[i] = data->offset ? data->offset[from] : 0;
        weight[i] = data->weight ? data->weight[from] : 1;
    }
    out->data = (struct glm_data){.n = n,
                                  .k = k,
                                  .x = out->memory,
                                  .y = y,
                                  .offset = data->offset ? offset : NULL,
                                  .weight = data->weight ? weight : NULL,
                                  .weights = data->weights,
                                  .names = out->names,
                                  .source = data->source};
    return 0;
}

void glm_subset_fini(struct glm_subset *subset)
{
    free(subset->memory);
    free(subset->names);
    memset(subset, 0, sizeof *subset);
}
