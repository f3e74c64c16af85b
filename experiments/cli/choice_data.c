#include "cli/choice_data.h"

#include <stdlib.h>
#include <string.h>
#include "cli/choice_columns.h"

static int find(const struct table_column **out, const struct table_csv *t, const char *name, struct error *err)
{
    if ((*out = table_csv_find(t, name))) return 0;
    error_set(err, ERR_INPUT, "%s: no column '%s'", t->source, name);
    return error_at(err, t->source, 1, -1, "'poise choice table SPEC.yaml -o FILE.csv' writes such a table");
}

static int find_policies(struct choice_rows_read *r, const struct table_column **columns, struct error *err)
{
    const struct table_csv *t = &r->table;
    struct response_data *d = &r->data;
    for (size_t c = 0; c < t->n_columns; c++) {
        if (strncmp(t->columns[c].name, CHOICE_GAIN, strlen(CHOICE_GAIN)) != 0) continue;
        if (d->m + 1 == RESPONSE_POINTS_MAX)
            return error_set(err, ERR_INPUT, "%s: more than %d policies", t->source, RESPONSE_POINTS_MAX - 1);
        if (strlen(t->columns[c].name) >= CHOICE_TEXT_MAX)
            return error_set(err, ERR_INPUT, "%s: column %zu has too long a name", t->source, c + 1);
        columns[d->m] = &t->columns[c];
        r->policies[d->m++] = t->columns[c].name + strlen(CHOICE_GAIN);
    }
    if (d->m == 0) return error_set(err, ERR_INPUT, "%s: no column '%sNAME' of a policy", t->source, CHOICE_GAIN);
    r->policies[d->m++] = "gto: --mech gto";
    for (size_t j = 0; j < d->m; j++) r->tuples[j] = (struct response_tuple){(uint32_t)j + 1, 1};
    return 0;
}

/* Those of the launch, then the trials of each policy. */
static int find_columns(struct choice_rows_read *r, struct error *err)
{
    const struct table_csv *t = &r->table;
    struct response_data *d = &r->data;
    for (; d->k < N_CHOICE_COLUMNS; d->k++) {
        if (find(&r->columns[d->k], t, choice_column_names[d->k], err) < 0) return -1;
        r->names[d->k] = choice_column_names[d->k];
    }
    for (size_t c = 0; c < t->n_columns; c++) {
        if (strncmp(t->columns[c].name, CHOICE_TRIAL, strlen(CHOICE_TRIAL)) != 0) continue;
        const char *name = t->columns[c].name + strlen(CHOICE_TRIAL), *policy = r->policies[d->k - N_CHOICE_COLUMNS];
        if (d->k - N_CHOICE_COLUMNS + 1 == d->m || !choice_is_named(policy, name))
            return error_set(err, ERR_INPUT, "%s: column '%s': a trial of each policy, in their order, is needed",
                             t->source, t->columns[c].name);
        r->columns[d->k] = &t->columns[c];
        r->names[d->k++] = t->columns[c].name;
    }
    return 0;
}

static int take_row(struct choice_rows_read *r, const struct table_column **gains, size_t row, struct error *err)
{
    const struct table_column **x = r->columns;
    struct response_data *d = &r->data;
    double *own = r->numbers + d->n * d->k, *z = (double *)(uintptr_t)d->z + d->n * d->m;
    for (size_t j = 0; j < d->k; j++) {
        own[j] = x[j]->values[row];
        if (own[j] != own[j])
            return error_set(err, ERR_INPUT, "%s:%ld: %s: '%s' is no number", r->table.source, r->table.lines[row],
                             x[j]->name, x[j]->texts[row]);
    }
    for (size_t j = 0; j + 1 < d->m; j++) {
        z[j] = gains[j]->values[row];
        if (z[j] == z[j]) continue;
        if (!table_is_missing(gains[j]->texts[row]))
            return error_set(err, ERR_INPUT, "%s:%ld: %s: '%s' is no number", r->table.source, r->table.lines[row],
                             gains[j]->name, gains[j]->texts[row]);
        z[j] = CHOICE_FAILED;
    }
    z[d->m - 1] = 0;
    r->rows[d->n++] = row;
    return 0;
}

static int take_rows(struct choice_rows_read *r, const char *part, uint64_t min_cycles, struct error *err)
{
    const struct table_csv *t = &r->table;
    const struct table_column *gains[RESPONSE_POINTS_MAX], *parts, *family, *window, *trial, *cycles;
    struct response_data *d = &r->data;
    if (find(&window, t, "window", err) < 0 || find(&trial, t, "trial", err) < 0 ||
        find(&cycles, t, "cycles", err) < 0 || find(&parts, t, "part", err) < 0 ||
        find(&family, t, "family", err) < 0 || find_policies(r, gains, err) < 0 || find_columns(r, err) < 0)
        return -1;
    const char **texts = calloc(t->n_rows + 1, sizeof *texts);
    r->numbers = calloc(t->n_rows * (d->k + d->m) + 1, sizeof *r->numbers);
    r->rows = calloc(t->n_rows + 1, sizeof *r->rows);
    int failed = texts && r->numbers && r->rows ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    d->x = r->numbers, d->z = r->numbers + t->n_rows * d->k;
    d->names = r->names, d->tuples = r->tuples;
    for (size_t i = 0; i < t->n_rows && !failed; i++) {
        if (strcmp(parts->texts[i], part) != 0 || !(cycles->values[i] >= (double)min_cycles)) continue;
        texts[d->n] = family->texts[i];
        failed = take_row(r, gains, i, err);
    }
    if (!failed && d->n == 0)
        failed = error_set(err, ERR_INPUT, "%s: no row whose part is '%s' lasts so long", t->source, part);
    if (!failed) failed = groups_init(&r->families, texts, d->n, err);
    if (!failed) r->window = (uint64_t)window->values[r->rows[0]], r->trial = (uint64_t)trial->values[r->rows[0]];
    d->group = r->families.of, d->n_groups = r->families.n_groups;
    free(texts);
    return failed;
}

int choice_rows_read(struct choice_rows_read *out, const char *path, const char *part, uint64_t min_cycles,
                     struct error *err)
{
    *out = (struct choice_rows_read){.numbers = NULL};
    if (table_csv_read(&out->table, path, err) < 0) return -1;
    if (take_rows(out, part, min_cycles, err) == 0) return 0;
    choice_rows_fini(out);
    return -1;
}

void choice_rows_fini(struct choice_rows_read *r)
{
    free(r->numbers);
    free(r->rows);
    groups_fini(&r->families);
    table_csv_fini(&r->table);
}
