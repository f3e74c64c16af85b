/* CSV reader: one pass over the bytes, cells copied to one block of text that the columns point into. */
#include "poise/table_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/table.h"
#include "poise/text.h"

#define COLUMNS_MAX 4096

struct reader {
    const char *name, *text;
    size_t size, at;
    long line;
    char *cell; /* the current cell, unquoted, in the table's pool: with its NUL never longer than in the file with
                 * its separator */
    size_t length;
    struct error *err;
};

static int bad(struct reader *r, long line, size_t column, const char *what, const char *hint)
{
    error_set(r->err, ERR_INPUT, "%s:%ld: column %zu: %s", r->name, line, column + 1, what);
    return error_at(r->err, r->name, line, (long)r->at, hint);
}

static bool at_line_end(const struct reader *r)
{
    return r->at >= r->size || r->text[r->at] == '\n' ||
           (r->text[r->at] == '\r' && r->at + 1 < r->size && r->text[r->at + 1] == '\n');
}

static void skip_line_end(struct reader *r)
{
    if (r->at < r->size && r->text[r->at] == '\r') r->at++;
    if (r->at < r->size && r->text[r->at] == '\n') r->at++;
    r->line++;
}

static int read_quoted(struct reader *r, size_t column)
{
    const long from = r->line;
    for (r->at++;; r->at++) {
        if (r->at >= r->size) return bad(r, from, column, "the quote is never closed", "end the cell with \"");
        const char c = r->text[r->at];
        if (c == '\n') r->line++;
        if (c == '"') {
            if (r->at + 1 >= r->size || r->text[r->at + 1] != '"') break;
            r->at++;
        }
        if (c == '\0') return bad(r, r->line, column, "a zero byte", "this is not a text file");
        r->cell[r->length++] = c;
    }
    r->at++;
    if (!at_line_end(r) && r->text[r->at] != ',')
        return bad(r, r->line, column, "text after the closing quote", "write \"\" for a quote within quotes");
    return 0;
}

/* Reads one cell into r->cell; stops at the comma or the line's end. */
static int read_cell(struct reader *r, size_t column)
{
    r->length = 0;
    if (r->at < r->size && r->text[r->at] == '"') {
        if (read_quoted(r, column) < 0) return -1;
    } else {
        for (; !at_line_end(r) && r->text[r->at] != ','; r->at++) {
            if (r->text[r->at] == '"')
                return bad(r, r->line, column, "a quote inside an unquoted cell", "quote the whole cell");
            if (r->text[r->at] == '\0') return bad(r, r->line, column, "a zero byte", "this is not a text file");
            r->cell[r->length++] = r->text[r->at];
        }
        while (r->length > 0 && r->cell[r->length - 1] == ' ') r->length--;
        size_t blanks = 0;
        while (blanks < r->length && r->cell[blanks] == ' ') blanks++;
        memmove(r->cell, r->cell + blanks, r->length - blanks);
        r->length -= blanks;
    }
    r->cell[r->length] = '\0';
    r->length = strlen(csv_unprotect(r->cell));
    return text_has_control(r->cell) ? bad(r, r->line, column, "a control character", "take it out") : 0;
}

/* A whole cell as a number: no hexadecimal, no trailing text. */
static bool is_number(const char *text, double *value)
{
    char *end;
    if (text[0] == '\0' || strpbrk(text, "xX(")) return false;
    *value = strtod(text, &end);
    return *end == '\0' && end != text;
}

/* Keeps the current cell; the next one goes behind it. */
static const char *keep_cell(struct reader *r)
{
    const char *cell = r->cell;
    r->cell += r->length + 1;
    return cell;
}

static int no_memory(struct reader *r) { return error_set(r->err, ERR_MEMORY, "%s: out of memory", r->name); }

static int read_header(struct reader *r, struct table_csv *table)
{
    r->at = text_byte_order_mark(r->text, r->size);
    if (r->at >= r->size) return bad(r, 1, 0, "the file is empty", "the first line names the columns");
    for (;;) {
        const size_t column = table->n_columns;
        char what[160];
        if (column == COLUMNS_MAX) return bad(r, r->line, column, "too many columns", NULL);
        if (read_cell(r, column) < 0) return -1;
        if (r->length == 0)
            return bad(r, r->line, column, "the column has no name", "the first line names the columns");
        snprintf(what, sizeof what, "the name '%.100s' is given twice", r->cell);
        if (table_csv_find(table, r->cell)) return bad(r, r->line, column, what, NULL);
        if ((column & (column - 1)) == 0) { /* grow at powers of two */
            struct table_column *grown = realloc(table->columns, (column ? 2 * column : 1) * sizeof *grown);
            if (!grown) return no_memory(r);
            table->columns = grown;
        }
        table->columns[table->n_columns++] = (struct table_column){.name = keep_cell(r)};
        if (at_line_end(r)) break;
        r->at++;
    }
    skip_line_end(r);
    return 0;
}

static int grow_rows(struct reader *r, struct table_csv *table)
{
    const size_t rows = table->n_rows, room = rows ? 2 * rows : 16;
    if (rows != 0 && (rows < 16 || (rows & (rows - 1)) != 0)) return 0;
    long *lines = realloc(table->lines, room * sizeof *lines);
    if (!lines) return no_memory(r);
    table->lines = lines;
    for (size_t j = 0; j < table->n_columns; j++) {
        struct table_column *column = &table->columns[j];
        double *values = realloc(column->values, room * sizeof *values);
        if (!values) return no_memory(r);
        column->values = values;
        const char **texts = realloc(column->texts, room * sizeof *texts);
        if (!texts) return no_memory(r);
        column->texts = texts;
    }
    return 0;
}

static int read_row(struct reader *r, struct table_csv *table)
{
    if (grow_rows(r, table) < 0) return -1;
    const size_t row = table->n_rows;
    table->lines[row] = r->line;
    table->n_rows++;
    for (size_t j = 0;; j++) {
        char what[96];
        snprintf(what, sizeof what, "the line has more cells than the header's %zu", table->n_columns);
        if (j == table->n_columns)
            return bad(r, r->line, j, what, "a comma inside a cell, such as a decimal comma, needs quotes or a point");
        struct table_column *column = &table->columns[j];
        if (read_cell(r, j) < 0) return -1;
        if (is_number(r->cell, &column->values[row])) {
            column->numbers++;
        } else {
            column->values[row] = NAN;
            if (r->length && column->words++ == 0) column->first_word = row;
        }
        column->texts[row] = keep_cell(r);
        if (at_line_end(r)) {
            snprintf(what, sizeof what, "the line ends after %zu of %zu cells", j + 1, table->n_columns);
            if (j + 1 < table->n_columns) return bad(r, r->line, j, what, "is the file cut off?");
            break;
        }
        r->at++;
    }
    skip_line_end(r);
    return 0;
}

int table_csv_parse(struct table_csv *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct reader r = {.name = name, .text = text, .size = size, .line = 1, .err = err};
    memset(out, 0, sizeof *out);
    r.cell = out->pool = malloc(size + 2);
    out->source = strdup(name);
    int failed = !out->pool || !out->source ? no_memory(&r) : read_header(&r, out);
    while (!failed && r.at < r.size) {
        if (at_line_end(&r)) skip_line_end(&r);
        else failed = read_row(&r, out);
    }
    if (failed) table_csv_fini(out);
    return failed;
}

int table_csv_read(struct table_csv *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int failed = table_csv_parse(out, path, text, size, err);
    free(text);
    return failed;
}

int table_csv_take(struct table_csv *table, const size_t *rows, size_t n, struct error *err)
{
    long *lines = malloc((n + 1) * sizeof *lines);
    int failed = lines ? 0 : -1;
    for (size_t i = 0; i < n && !failed; i++) lines[i] = table->lines[rows[i]];
    for (size_t j = 0; j < table->n_columns && !failed; j++) {
        struct table_column *column = &table->columns[j];
        double *values = malloc((n + 1) * sizeof *values);
        const char **texts = malloc((n + 1) * sizeof *texts);
        failed = values && texts ? 0 : -1;
        column->numbers = column->words = 0;
        for (size_t i = 0; i < n && !failed; i++) {
            double ignored;
            values[i] = column->values[rows[i]];
            texts[i] = column->texts[rows[i]];
            if (is_number(texts[i], &ignored)) column->numbers++;
            else if (texts[i][0] && column->words++ == 0) column->first_word = i;
        }
        free(failed ? values : column->values);
        free(failed ? texts : column->texts);
        if (!failed) column->values = values, column->texts = texts;
    }
    free(failed ? lines : table->lines);
    if (failed) return error_set(err, ERR_MEMORY, "%s: out of memory for %zu rows", table->source, n);
    table->lines = lines;
    table->n_rows = n;
    return 0;
}

void table_csv_fini(struct table_csv *table)
{
    for (size_t j = 0; j < table->n_columns; j++) {
        free(table->columns[j].texts);
        free(table->columns[j].values);
    }
    free(table->columns);
    free(table->lines);
    free(table->pool);
    free(table->source);
    memset(table, 0, sizeof *table);
}

const struct table_column *table_csv_find(const struct table_csv *table, const char *name)
{
    for (size_t j = 0; j < table->n_columns; j++)
        if (strcmp(table->columns[j].name, name) == 0) return &table->columns[j];
    return NULL;
}
