/* Which rows of a table count, and how often. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "poise/table.h"
#include "poise/table_csv.h"

#define REPEATED_MAX 1e6

void table_note(struct table_notes *notes, const char *format, ...)
{
    if (!notes || notes->n == TABLE_NOTES_MAX) return;
    char *text = notes->texts[notes->n];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof notes->texts[0], format, args);
    va_end(args);
    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->texts[i], text) == 0) return; /* once is enough */
    notes->n++;
}

int table_csv_repeat(struct table_csv *table, const char *column, struct error *err)
{
    const struct table_column *c = table_csv_find(table, column);
    double total = 0;
    size_t n = 0;
    for (size_t i = 0; c && i < table->n_rows; i++) {
        const double w = c->values[i];
        if (!(w >= 0 && w == floor(w) && isfinite(w))) {
            error_set(err, ERR_INPUT, "%s:%ld: column '%s': %.64s: a frequency weight is a whole number of rows",
                      table->source, table->lines[i], column, c->texts[i][0] ? c->texts[i] : "an empty cell");
            return error_at(err, table->source, table->lines[i], -1,
                            "for weights that a row's variance is divided by, say so: weights precision");
        }
        total += w;
    }
    if (!c) return 0;
    if (total > REPEATED_MAX)
        return error_set(err, ERR_INPUT, "%s: %g rows, each as often as column '%s' says: at most %g", table->source,
                         total, column, REPEATED_MAX);
    size_t *rows = malloc(((size_t)total + 1) * sizeof *rows);
    if (!rows) return error_set(err, ERR_MEMORY, "%s: out of memory for %g rows", table->source, total);
    for (size_t i = 0; i < table->n_rows; i++)
        for (double copy = 0; copy < c->values[i]; copy++) rows[n++] = i;
    const int failed = table_csv_take(table, rows, n, err);
    free(rows);
    return failed;
}

/* What tables write for a value that is not there. */
bool table_is_missing(const char *text)
{
    static const char *const words[] = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", ".", "?"};
    while (*text == ' ' || *text == '\t') text++;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasecmp(text, words[i]) == 0) return true;
    return false;
}

int table_csv_drop_missing(struct table_csv *table, const char *column, struct table_notes *notes, struct error *err)
{
    const struct table_column *c = table_csv_find(table, column);
    char lines[96] = "";
    size_t n = 0, missing = 0, used = 0, *rows = c ? malloc((table->n_rows + 1) * sizeof *rows) : NULL;
    if (!c) return 0;
    if (!rows) return error_set(err, ERR_MEMORY, "%s: out of memory", table->source);
    for (size_t i = 0; i < table->n_rows; i++) {
        if (!table_is_missing(c->texts[i])) {
            rows[n++] = i;
            continue;
        }
        if (missing++ < 6)
            used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%ld", used ? ", " : "", table->lines[i]);
        else if (missing == 7) snprintf(lines + used, sizeof lines - used, ", ..");
    }
    int failed = 0;
    if (missing > 0 && n == 0) {
        error_set(err, ERR_INPUT, "%s: column '%s' is empty or NA in every row: no group is left", table->source,
                  column);
        failed = error_at(err, table->source, table->lines[0], -1, "name the groups, or drop the column");
    } else if (missing > 0) {
        table_note(notes, "%zu %s left out (line %s): '%s' is empty or NA there, and a group needs a name", missing,
                   missing == 1 ? "row" : "rows", lines, column);
        failed = table_csv_take(table, rows, n, err);
    }
    free(rows);
    return failed;
}
