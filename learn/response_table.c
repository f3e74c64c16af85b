/* Tables of samplings as data for learners of response surfaces. */
#include "poise/response_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fixed[] = {"launch", "trace", "family", "split", "sampling", "state", "W", "weight"};

static bool is_fixed(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        if (strcmp(fixed[i], name) == 0) return true;
    return false;
}

/* "z_4_1" -> (4, 1) */
static bool tuple_of(const char *name, struct response_tuple *out)
{
    unsigned N, p;
    char again[32];
    if (sscanf(name, "z_%2u_%2u", &N, &p) != 2) return false;
    snprintf(again, sizeof again, "z_%u_%u", N, p);
    *out = (struct response_tuple){N, p};
    return strcmp(again, name) == 0;
}

/* ---- columns ---- */

struct columns {
    const struct table_column *launch, *family, *split, *sampling, *state, *W, *weight;
    const struct table_column *x[RESPONSE_FEATURES_MAX], *z[RESPONSE_POINTS_MAX];
    struct response_tuple tuples[RESPONSE_POINTS_MAX];
    size_t k, m;
};

static int check_numbers(const struct table_csv *t, const struct table_column *c, struct error *err)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (!isfinite(c->values[i]))
            return error_set(err, ERR_INPUT, "%s:%ld: %s: '%s' is no number", t->source, t->lines[i], c->name,
                             c->texts[i]);
    return 0;
}

static int add_column(struct columns *c, const struct table_csv *t, const struct table_column *column,
                      struct error *err)
{
    struct response_tuple tuple;
    const bool is_point = tuple_of(column->name, &tuple);
    if (check_numbers(t, column, err) < 0) return -1;
    if (is_point && c->m < RESPONSE_POINTS_MAX) {
        c->tuples[c->m] = tuple;
        c->z[c->m++] = column;
    } else if (!is_point && c->k < RESPONSE_FEATURES_MAX) {
        c->x[c->k++] = column;
    } else {
        return error_set(err, ERR_INPUT, "%s: column '%s': at most %d features and %d tuples", t->source, column->name,
                         RESPONSE_FEATURES_MAX, RESPONSE_POINTS_MAX);
    }
    return 0;
}

static int find_columns(struct columns *c, const struct table_csv *t, struct error *err)
{
    const struct table_column *found[COUNT_OF(fixed)];
    *c = (struct columns){.k = 0};
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        if (!(found[i] = table_csv_find(t, fixed[i])))
            return error_set(err, ERR_INPUT, "%s: no column '%s': this is no table of samplings", t->source, fixed[i]);
    c->launch = found[0], c->family = found[2], c->split = found[3], c->sampling = found[4];
    c->state = found[5], c->W = found[6], c->weight = found[7];
    if (check_numbers(t, c->state, err) < 0 || check_numbers(t, c->W, err) < 0 || check_numbers(t, c->weight, err) < 0)
        return -1;
    for (size_t i = 0; i < t->n_columns; i++)
        if (!is_fixed(t->columns[i].name) && add_column(c, t, &t->columns[i], err) < 0) return -1;
    if (c->k == 0 || c->m == 0)
        return error_set(err, ERR_INPUT, "%s: no %s: this is no table of samplings", t->source,
                         c->k ? "column z_N_p" : "feature");
    return 0;
}

static int compare_columns(const struct columns *a, const struct columns *b, const struct table_csv *first,
                           const struct table_csv *t, struct error *err)
{
    bool is_same = a->k == b->k && a->m == b->m;
    for (size_t i = 0; is_same && i < a->k; i++) is_same = strcmp(a->x[i]->name, b->x[i]->name) == 0;
    for (size_t i = 0; is_same && i < a->m; i++) is_same = strcmp(a->z[i]->name, b->z[i]->name) == 0;
    return is_same
               ? 0
               : error_set(err, ERR_INPUT, "%s: other features or tuples than those of %s", t->source, first->source);
}

/* ---- rows ---- */

static int check_row(const struct response_table *out, const struct columns *c, const struct table_csv *t, size_t i,
                     struct error *err)
{
    const double W = c->W->values[i], state = c->state->values[i];
    if (!(W >= 1 && W <= RESPONSE_LEVEL_MAX && W == floor(W)))
        return error_set(err, ERR_INPUT, "%s:%ld: W: 1 to %d warps are possible", t->source, t->lines[i],
                         RESPONSE_LEVEL_MAX);
    if (!(state >= 0 && state < 1000 && state == floor(state)))
        return error_set(err, ERR_INPUT, "%s:%ld: state: a number from 0 to 999 is needed", t->source, t->lines[i]);
    if (table_is_missing(c->family->texts[i]) || strlen(c->family->texts[i]) >= MODEL_NAME_MAX)
        return error_set(err, ERR_INPUT, "%s:%ld: family: a name of 1 to %d bytes is needed", t->source, t->lines[i],
                         MODEL_NAME_MAX - 1);
    if (strcmp(c->sampling->texts[i], out->sampling) != 0)
        return error_set(err, ERR_INPUT, "%s:%ld: sampling '%s', but '%s' before: features are of different tuples",
                         t->source, t->lines[i], c->sampling->texts[i], out->sampling);
    return 0;
}

static int take_row(struct response_table *out, const struct columns *c, const struct table_csv *t, size_t file,
                    size_t i, struct error *err)
{
    const size_t n = out->data.n, k = c->k, m = c->m;
    double *x = out->numbers, *z = (double *)(uintptr_t)out->data.z, *w = (double *)(uintptr_t)out->data.w;
    if (!out->sampling) out->sampling = c->sampling->texts[i];
    if (check_row(out, c, t, i, err) < 0) return -1;
    for (size_t r = 0; r < n; r++)
        if (strcmp(out->launch[r], c->launch->texts[i]) == 0 && out->state[r] == (size_t)c->state->values[i])
            return error_set(err, ERR_INPUT, "%s:%ld: %s in state %zu for the second time", t->source, t->lines[i],
                             out->launch[r], out->state[r]);
    for (size_t j = 0; j < k; j++) x[n * k + j] = c->x[j]->values[i];
    for (size_t j = 0; j < m; j++) z[n * m + j] = c->z[j]->values[i];
    w[n] = c->weight->values[i];
    out->W[n] = (uint32_t)c->W->values[i];
    out->launch[n] = c->launch->texts[i];
    out->split[n] = c->split->texts[i];
    out->file[n] = file;
    out->state[n] = (size_t)c->state->values[i];
    out->data.n++;
    return 0;
}

static int make_room(struct response_table *out, const struct columns *c, size_t n, struct error *err)
{
    out->numbers = calloc(n * (c->k + c->m + 1) + 1, sizeof *out->numbers);
    out->launch = calloc(2 * n + 1, sizeof *out->launch);
    out->sizes = calloc(2 * n + 1, sizeof *out->sizes);
    out->W = calloc(n + 1, sizeof *out->W);
    out->tuples = calloc(c->m, sizeof *out->tuples);
    out->names = calloc(c->k, sizeof *out->names);
    if (!out->numbers || !out->launch || !out->sizes || !out->W || !out->tuples || !out->names)
        return error_set(err, ERR_MEMORY, "out of memory for %zu samplings", n);
    out->split = out->launch + n;
    out->file = out->sizes, out->state = out->sizes + n;
    memcpy(out->tuples, c->tuples, c->m * sizeof *out->tuples);
    for (size_t j = 0; j < c->k; j++) out->names[j] = c->x[j]->name;
    out->data = (struct response_data){.k = c->k,
                                       .m = c->m,
                                       .x = out->numbers,
                                       .z = out->numbers + n * c->k,
                                       .w = out->numbers + n * (c->k + c->m),
                                       .W = out->W,
                                       .tuples = out->tuples,
                                       .names = out->names};
    return 0;
}

static int take_files(struct response_table *out, struct error *err)
{
    struct columns *c = calloc(RESPONSE_TABLES_MAX, sizeof *c);
    size_t n = 0;
    int result = c ? 0 : error_set(err, ERR_MEMORY, "out of memory for tables of samplings");
    for (size_t f = 0; f < out->n_files && result == 0; f++) {
        result = find_columns(&c[f], &out->files[f], err);
        if (result == 0) result = compare_columns(&c[0], &c[f], &out->files[0], &out->files[f], err);
        n += out->files[f].n_rows;
    }
    const char **names = calloc(n + 1, sizeof *names);
    if (result == 0) result = names ? make_room(out, &c[0], n, err) : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t f = 0; f < out->n_files && result == 0; f++)
        for (size_t i = 0; i < out->files[f].n_rows && result == 0; i++) {
            names[out->data.n] = c[f].family->texts[i];
            result = take_row(out, &c[f], &out->files[f], f, i, err);
        }
    if (result == 0) result = groups_init(&out->families, names, out->data.n, err);
    free(names);
    free(c);
    if (result < 0) return -1;
    out->data.group = out->families.of;
    out->data.n_groups = out->families.n_groups;
    return response_data_check(&out->data, err) < 0 ? error_while(err, "%s", out->files[0].source) : 0;
}

static int finish(struct response_table *out, int result, struct error *err)
{
    if (result == 0) result = take_files(out, err);
    if (result < 0) response_table_fini(out);
    return result;
}

int response_table_read(struct response_table *out, const char *const *paths, size_t n, struct error *err)
{
    int result = 0;
    *out = (struct response_table){.n_files = 0};
    if (n == 0 || n > RESPONSE_TABLES_MAX)
        return error_set(err, ERR_USAGE, "1 to %d tables of samplings are needed", RESPONSE_TABLES_MAX);
    for (size_t i = 0; i < n && result == 0; i++) {
        result = table_csv_read(&out->files[i], paths[i], err);
        if (result == 0) out->n_files++;
    }
    return finish(out, result, err);
}

int response_table_parse(struct response_table *out, const char *name, const char *text, size_t size, struct error *err)
{
    *out = (struct response_table){.n_files = 0};
    const int result = table_csv_parse(&out->files[0], name, text, size, err);
    if (result == 0) out->n_files = 1;
    return finish(out, result, err);
}

void response_table_fini(struct response_table *t)
{
    for (size_t i = 0; i < t->n_files; i++) table_csv_fini(&t->files[i]);
    groups_fini(&t->families);
    free(t->numbers);
    free(t->launch);
    free(t->sizes);
    free(t->W);
    free(t->tuples);
    free(t->names);
    *t = (struct response_table){.n_files = 0};
}
