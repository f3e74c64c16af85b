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

static int take_row(struct choice_rows_read *r, const struct table_column **x, const struct table_column **gains,
                    size_t row, struct error *err)
{
    struct response_data *d = &r->data;
    double *own = r->numbers + d->n * (size_t)N_CHOICE_COLUMNS, *z = (double *)(uintptr_t)d->z + d->n * d->m;
    for (size_t j = 0; j < N_CHOICE_COLUMNS; j++) {
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

static int take_rows(struct choice_rows_read *r, const char *part, struct error *err)
{
    const struct table_csv *t = &r->table;
    const struct table_column *x[N_CHOICE_COLUMNS], *gains[RESPONSE_POINTS_MAX], *parts, *family;
    struct response_data *d = &r->data;
    if (find(&parts, t, "part", err) < 0 || find(&family, t, "family", err) < 0 || find_policies(r, gains, err) < 0)
        return -1;
    for (size_t j = 0; j < N_CHOICE_COLUMNS; j++) {
        if (find(&x[j], t, choice_column_names[j], err) < 0) return -1;
        r->names[j] = choice_column_names[j];
    }
    const char **texts = calloc(t->n_rows + 1, sizeof *texts);
    r->numbers = calloc(t->n_rows * (N_CHOICE_COLUMNS + d->m) + 1, sizeof *r->numbers);
    r->rows = calloc(t->n_rows + 1, sizeof *r->rows);
    int failed = texts && r->numbers && r->rows ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    d->k = N_CHOICE_COLUMNS, d->x = r->numbers, d->z = r->numbers + t->n_rows * N_CHOICE_COLUMNS;
    d->names = r->names, d->tuples = r->tuples;
    for (size_t i = 0; i < t->n_rows && !failed; i++) {
        if (strcmp(parts->texts[i], part) != 0) continue;
        texts[d->n] = family->texts[i];
        failed = take_row(r, x, gains, i, err);
    }
    if (!failed && d->n == 0) failed = error_set(err, ERR_INPUT, "%s: no row whose part is '%s'", t->source, part);
    if (!failed) failed = groups_init(&r->families, texts, d->n, err);
    d->group = r->families.of, d->n_groups = r->families.n_groups;
    free(texts);
    return failed;
}

int choice_rows_read(struct choice_rows_read *out, const char *path, const char *part, struct error *err)
{
    *out = (struct choice_rows_read){.numbers = NULL};
    if (table_csv_read(&out->table, path, err) < 0) return -1;
    if (take_rows(out, part, err) == 0) return 0;
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
