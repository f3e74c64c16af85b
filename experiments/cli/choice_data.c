#include "cli/choice_data.h"

#include <math.h>
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
    const char *problem;
    size_t which;
    for (size_t c = 0; c < t->n_columns; c++) {
        if (strncmp(t->columns[c].name, CHOICE_GAIN, strlen(CHOICE_GAIN)) != 0) continue;
        if (d->m + 1 == RESPONSE_POINTS_MAX)
            return error_set(err, ERR_INPUT, "%s: more than %d policies", t->source, RESPONSE_POINTS_MAX - 1);
        if (choice_is_named(t->columns[c].name + strlen(CHOICE_GAIN), "gto"))
            return error_set(err, ERR_INPUT, "%s: column '%s': gto is the baseline", t->source, t->columns[c].name);
        if (strlen(t->columns[c].name) >= CHOICE_TEXT_MAX)
            return error_set(err, ERR_INPUT, "%s: column %zu has too long a name", t->source, c + 1);
        columns[d->m] = &t->columns[c];
        r->policies[d->m++] = t->columns[c].name + strlen(CHOICE_GAIN);
    }
    if (d->m == 0) return error_set(err, ERR_INPUT, "%s: no column '%sNAME' of a policy", t->source, CHOICE_GAIN);
    if ((problem = choice_policies_problem(r->policies, d->m, &which)))
        return error_set(err, ERR_INPUT, "%s: column '%s': the policy %s", t->source, columns[which]->name, problem);
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

/* What the table says at a row that it must not say there. */
static int wrong(const struct choice_rows_read *r, const struct table_column *c, size_t row, const char *needed,
                 struct error *err)
{
    error_set(err, ERR_INPUT, "%s:%ld: %s: '%s', where %s is needed", r->table.source, r->table.lines[row], c->name,
              c->texts[row], needed);
    return error_at(err, r->table.source, r->table.lines[row], -1, NULL);
}

/* Rates and logarithms, of columns and of gains. */
#define MOST 1e6
static int number(double *out, const struct choice_rows_read *r, const struct table_column *c, size_t row,
                  struct error *err)
{
    *out = c->values[row];
    return fabs(*out) <= MOST ? 0 : wrong(r, c, row, "a number from -1e6 to 1e6", err);
}

static int take_row(struct choice_rows_read *r, const struct table_column **gains, size_t row, struct error *err)
{
    struct response_data *d = &r->data;
    double *own = r->numbers + d->n * d->k, *z = (double *)(uintptr_t)d->z + d->n * d->m;
    for (size_t j = 0; j < d->k; j++)
        if (number(&own[j], r, r->columns[j], row, err) < 0) return -1;
    for (size_t j = 0; j + 1 < d->m; j++) {
        if (table_is_missing(gains[j]->texts[row])) z[j] = CHOICE_FAILED;
        else if (number(&z[j], r, gains[j], row, err) < 0) return -1;
    }
    z[d->m - 1] = 0;
    r->rows[d->n++] = row;
    return 0;
}

/* The columns that say of what a row is. */
struct of_rows {
    const struct table_column *launch, *family, *part, *cycles, *window, *trial;
};
static int find_of_rows(struct of_rows *of, const struct table_csv *t, struct error *err)
{
    return find(&of->window, t, "window", err) < 0 || find(&of->trial, t, "trial", err) < 0 ||
                   find(&of->cycles, t, "cycles", err) < 0 || find(&of->part, t, "part", err) < 0 ||
                   find(&of->family, t, "family", err) < 0 || find(&of->launch, t, "launch", err) < 0
               ? -1
               : 0;
}

static int check_row(const struct choice_rows_read *r, const struct of_rows *of, size_t row, struct error *err)
{
    const struct table_column *const whole[] = {of->window, of->trial};
    for (size_t c = 0; c < 2; c++) {
        const double value = whole[c]->values[row];
        if (!(value >= 1 && value <= INT32_MAX && value == floor(value)))
            return wrong(r, whole[c], row, "a whole number of core cycles from 1", err);
        if (value != whole[c]->values[0]) return wrong(r, whole[c], row, "the same in all rows", err);
    }
    if (!(of->cycles->values[row] >= 0)) return wrong(r, of->cycles, row, "a number of core cycles", err);
    if (table_is_missing(of->family->texts[row])) return wrong(r, of->family, row, "a name", err);
    if (strcmp(of->part->texts[row], "training") != 0 && strcmp(of->part->texts[row], "sealed") != 0)
        return wrong(r, of->part, row, "'training' or 'sealed'", err);
    for (size_t k = 0; k < row; k++) {
        if (strcmp(of->launch->texts[k], of->launch->texts[row]) == 0)
            return wrong(r, of->launch, row, "a launch that no row before it has", err);
        if (strcmp(of->family->texts[k], of->family->texts[row]) == 0 &&
            strcmp(of->part->texts[k], of->part->texts[row]) != 0)
            return wrong(r, of->part, row, "the part of the other rows of this family", err);
    }
    return 0;
}

static int take_rows(struct choice_rows_read *r, const char *part, uint64_t min_cycles, struct error *err)
{
    const struct table_csv *t = &r->table;
    const struct table_column *gains[RESPONSE_POINTS_MAX];
    struct response_data *d = &r->data;
    struct of_rows of;
    if (find_of_rows(&of, t, err) < 0 || find_policies(r, gains, err) < 0 || find_columns(r, err) < 0) return -1;
    const char **texts = calloc(t->n_rows + 1, sizeof *texts);
    r->numbers = calloc(t->n_rows * (d->k + d->m + 1) + 1, sizeof *r->numbers);
    r->rows = calloc(t->n_rows + 1, sizeof *r->rows);
    int failed = texts && r->numbers && r->rows ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    d->x = r->numbers, d->z = r->numbers + t->n_rows * d->k;
    d->names = r->names, d->tuples = r->tuples;
    double *cycles = r->numbers + t->n_rows * (d->k + d->m);
    r->cycles = cycles;
    for (size_t i = 0; i < t->n_rows && !failed; i++) {
        failed = check_row(r, &of, i, err);
        if (failed || strcmp(of.part->texts[i], part) != 0 || of.cycles->values[i] < (double)min_cycles) continue;
        texts[d->n] = of.family->texts[i], cycles[d->n] = of.cycles->values[i];
        failed = take_row(r, gains, i, err);
    }
    if (!failed && d->n == 0)
        failed = error_set(err, ERR_INPUT, "%s: no row whose part is '%s' lasts so long", t->source, part);
    if (!failed) failed = groups_init(&r->families, texts, d->n, err);
    if (!failed) r->window = (uint64_t)of.window->values[0], r->trial = (uint64_t)of.trial->values[0];
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
