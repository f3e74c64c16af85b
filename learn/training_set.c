/* Which columns of a table a regression takes. See the rule in poise/table_csv.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "poise/table.h"
#include "poise/table_csv.h"

/* Columns with a role of their own. */
static const char *const roles[] = {"offset", "weight", "group"};

static bool is_in(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0) return true;
    return false;
}

static bool is_listed(const char *name, const char *const *list)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

/* Begins as a number does: a sign or a currency, a digit. */
static bool looks_numeric(const char *text)
{
    text += strspn(text, " +-.,$<>~=");
    if (strncmp(text, "\xe2\x82\xac", 3) == 0 || strncmp(text, "\xc2\xa3", 2) == 0) text += text[0] == '\xe2' ? 3 : 2;
    return *text >= '0' && *text <= '9';
}

/* What to write instead of a cell that looks like a number and is none; "" where nothing can be said. */
static const char *number_hint(const char *text)
{
    const size_t digits = strspn(text, "+-0123456789");
    if (text[digits] == ',' && text[digits + 1] >= '0' && text[digits + 1] <= '9')
        return "a decimal comma? write a point, as in 2.5, and no separator of thousands";
    if (strchr(text, '%')) return "write the number without the percent sign";
    if (looks_numeric(text)) return "write the number alone, without a unit";
    return "";
}

/* A column that the rule leaves out, and why. */
static void note_left_out(const struct table_csv *table, const struct table_column *column, struct table_notes *notes)
{
    size_t numeric = 0, first = column->first_word;
    for (size_t i = 0; i < table->n_rows; i++) numeric += looks_numeric(column->texts[i]);
    if (column->words == 0) {
        table_note(notes, "column '%s' left out: every cell is empty", column->name);
        return;
    }
    const bool is_numeric = 2 * numeric > column->words;
    while (is_numeric && !looks_numeric(column->texts[first])) first++;
    const char *hint = is_numeric ? number_hint(column->texts[first]) : "";
    table_note(notes, "column '%.64s' left out: '%.48s' (line %ld) %s%s%s", column->name, column->texts[first],
               table->lines[first], is_numeric ? "looks like a number and is none" : "is a word", *hint ? ": " : "",
               hint);
}

/* A feature that is called like a role but for capitals. */
static void note_role(const struct table_column *column, struct table_notes *notes)
{
    for (size_t r = 0; r < COUNT_OF(roles); r++)
        if (strcasecmp(column->name, roles[r]) == 0)
            table_note(notes, "column '%s' is a feature: the column of that role is called '%s'", column->name,
                       roles[r]);
}

static int bad_cell(const struct table_csv *table, const struct table_column *column, size_t row, struct error *err)
{
    const char *text = column->texts[row];
    if (text[0] == '\0')
        error_set(err, ERR_INPUT, "%s:%ld: column '%s': the cell is empty", table->source, table->lines[row],
                  column->name);
    else
        error_set(err, ERR_INPUT, "%s:%ld: column '%s': '%.64s' is not a number", table->source, table->lines[row],
                  column->name, text);
    const char *hint = number_hint(text);
    return error_at(err, table->source, table->lines[row], -1, *hint ? hint : "every row needs a number here");
}

/* A column that must be numbers throughout. */
static int numbers_of(const struct table_csv *table, const struct table_column *column, struct error *err)
{
    for (size_t i = 0; i < table->n_rows; i++)
        if (column->texts[i][0] == '\0') return bad_cell(table, column, i, err);
    if (column->words) return bad_cell(table, column, column->first_word, err);
    return 0;
}

static int find_named(const struct table_csv *table, const char *name, const char *use, const struct table_column **out,
                      struct error *err)
{
    *out = table_csv_find(table, name);
    if (*out) return numbers_of(table, *out, err);
    const char *const *first = table->n_columns ? &table->columns[0].name : NULL;
    error_set(err, ERR_INPUT, "%s: no column '%s' for the %s%s", table->source, name, use,
              did_you_mean(name, first, table->n_columns, sizeof table->columns[0]).text);
    const bool is_one = table->n_columns == 1 && strpbrk(table->columns[0].name, ";\t");
    return error_at(err, table->source, 1, -1,
                    is_one ? "cells are separated by commas, not by semicolons or tabs"
                           : "the first line names the columns");
}

/* The columns in order, by name or by the rule; `n` counts them. `chosen` has room for all. */
static int choose(const struct table_csv *table, const struct training_choice *choice,
                  const struct table_column **chosen, size_t *n, struct error *err)
{
    *n = 0;
    if (choice->features) {
        for (size_t i = 0; i < choice->n_features; i++) {
            if (is_in(choice->features[i], choice->features, i))
                return error_set(err, ERR_USAGE, "feature '%s' is named twice", choice->features[i]);
            if (strcmp(choice->features[i], choice->target) == 0)
                return error_set(err, ERR_USAGE, "'%s' is the target: it cannot be a feature as well", choice->target);
            if (choice->add_intercept && strcmp(choice->features[i], "intercept") == 0 &&
                !table_csv_find(table, "intercept"))
                continue;
            if (find_named(table, choice->features[i], "features", &chosen[*n], err) < 0) return -1;
            ++*n;
        }
        return 0;
    }
    for (size_t j = 0; j < table->n_columns; j++) {
        const struct table_column *column = &table->columns[j];
        if (strcmp(column->name, choice->target) == 0 || is_listed(column->name, choice->roles.outcomes) ||
            is_in(column->name, roles, COUNT_OF(roles)))
            continue;
        if (is_listed(column->name, choice->roles.words)) continue;
        if (column->numbers == 0) { /* other words */
            note_left_out(table, column, choice->notes);
            continue;
        }
        if (column->words) return bad_cell(table, column, column->first_word, err); /* a slip, not a column of words */
        note_role(column, choice->notes);
        chosen[(*n)++] = column;
    }
    return 0;
}

static int optional(const struct table_csv *table, const struct training_choice *choice, const char *name,
                    const double **out, struct error *err)
{
    const struct table_column *column = strcmp(choice->target, name) == 0 ? NULL : table_csv_find(table, name);
    *out = column ? column->values : NULL;
    return column ? numbers_of(table, column, err) : 0;
}

/* Exposures as they are, where their logarithms belong: whole numbers above 0 that vary. Small ones can be fitted. */
static void note_offset(const struct table_csv *table, const double *offset, struct table_notes *notes)
{
    bool is_whole = offset != NULL, varies = false;
    for (size_t i = 0; is_whole && i < table->n_rows; i++) {
        is_whole = offset[i] >= 1 && offset[i] == floor(offset[i]);
        varies |= offset[i] != offset[0];
    }
    if (is_whole && varies)
        table_note(notes, "every offset is a whole number, and an offset is a logarithm: did you mean log(offset)?");
}

int training_set_init(struct training_set *out, const struct table_csv *table, const struct training_choice *choice,
                      struct error *err)
{
    const struct table_column *target, *group = table_csv_find(table, "group");
    const size_t rows = table->n_rows, room = table->n_columns + choice->n_features + 1;
    const struct table_column **chosen = malloc(room * sizeof *chosen);
    size_t n;
    memset(out, 0, sizeof *out);
    if (!chosen) return error_set(err, ERR_MEMORY, "out of memory");
    int failed = rows == 0 ? error_set(err, ERR_INPUT, "%s: no rows below the header", table->source) : 0;
    if (!failed) failed = find_named(table, choice->target, "target", &target, err);
    if (!failed) failed = choose(table, choice, chosen, &n, err);
    if (!failed) failed = optional(table, choice, "offset", &out->data.offset, err);
    if (!failed) note_offset(table, out->data.offset, choice->notes);
    if (!failed && !choice->is_repeated) failed = optional(table, choice, "weight", &out->data.weight, err);
    out->data.weights = choice->weights;
    if (!failed) {
        bool has_intercept = false;
        for (size_t j = 0; j < n; j++) has_intercept |= strcmp(chosen[j]->name, "intercept") == 0;
        const bool adds = choice->add_intercept && !has_intercept;
        const size_t k = n + adds;
        if (k == 0) {
            error_set(err, ERR_INPUT, "%s: no numeric column is left to regress on", table->source);
            failed = error_at(err, table->source, 1, -1, "name columns with --features, or add --intercept");
        } else {
            out->x = malloc(k * rows * sizeof *out->x);
            out->names = malloc(k * sizeof *out->names);
            if (!out->x || !out->names)
                failed = error_set(err, ERR_MEMORY, "out of memory for %zu x %zu values", rows, k);
        }
        for (size_t j = 0; !failed && j < k; j++) {
            out->names[j] = j < n ? chosen[j]->name : "intercept";
            for (size_t i = 0; i < rows; i++) out->x[j * rows + i] = j < n ? chosen[j]->values[i] : 1;
        }
        out->data.n = rows;
        out->data.k = k;
        out->data.x = out->x;
        out->data.y = target->values;
        out->data.names = out->names;
        out->data.source = table->source;
        out->data.lines = table->lines;
        out->groups = group ? (const char *const *)group->texts : NULL;
    }
    free(chosen);
    if (failed) training_set_fini(out);
    return failed;
}

void training_set_fini(struct training_set *set)
{
    free(set->x);
    free(set->names);
    memset(set, 0, sizeof *set);
}
