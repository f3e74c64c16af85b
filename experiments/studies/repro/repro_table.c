/* Rows of benchmarks as a table: a line a benchmark, a column a value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/repro.h"

enum { COLUMN_WIDTH = 10, HEAD_LINES_MAX = 8 };

/* A column of the paper's values, of ours or of a suite's, under one title. */
enum of { COLUMN_OURS = OF_OURS, COLUMN_SUITE = OF_SUITE, COLUMN_PAPER };
static const char *const of_words[] = {"", "suite", "paper"};
struct column {
    const char *title, *unit;
    enum of of;
};
struct table {
    const struct repro_report *report;
    size_t *items, n_items; /* rows of the report in which a benchmark comes first */
    struct column *columns;
    size_t n_columns;
    bool has_units; /* that differ: they stand above the columns */
};

static const char *title_of(const struct repro_row *row) { return row->label + row->item + 1; }
static bool is_item(const struct repro_row *a, const struct repro_row *b)
{
    return a->item == b->item && memcmp(a->label, b->label, a->item) == 0;
}

static const struct repro_row *cell_of(const struct table *t, size_t item, const struct column *column)
{
    for (size_t i = t->items[item]; i < t->report->n_rows; i++) {
        const struct repro_row *row = &t->report->rows[i];
        if (row->item && is_item(row, &t->report->rows[t->items[item]]) && strcmp(title_of(row), column->title) == 0)
            return row;
    }
    return NULL;
}

static void add_column(struct table *t, const struct repro_row *row)
{
    bool is_paper = false, is_suite = false;
    for (size_t c = 0; c < t->n_columns; c++)
        if (strcmp(t->columns[c].title, title_of(row)) == 0) return;
    for (size_t i = 0; i < t->report->n_rows; i++) {
        const struct repro_row *other = &t->report->rows[i];
        if (!other->item || strcmp(title_of(other), title_of(row)) != 0) continue;
        is_paper |= isfinite(other->paper);
        is_suite |= isfinite(other->suite);
    }
    if (is_paper) t->columns[t->n_columns++] = (struct column){title_of(row), row->unit, COLUMN_PAPER};
    t->columns[t->n_columns++] = (struct column){title_of(row), row->unit, COLUMN_OURS};
    if (is_suite) t->columns[t->n_columns++] = (struct column){title_of(row), row->unit, COLUMN_SUITE};
    t->has_units |= strcmp(row->unit, t->columns[0].unit) != 0;
}

static bool make(struct table *t, const struct repro_report *report)
{
    *t = (struct table){.report = report,
                        .items = calloc(report->n_rows + 1, sizeof *t->items),
                        .columns = calloc(3 * report->n_rows + 1, sizeof *t->columns)};
    for (size_t i = 0; t->items && t->columns && i < report->n_rows; i++) {
        const struct repro_row *row = &report->rows[i];
        size_t k = 0;
        if (row->item == 0) continue;
        while (k < t->n_items && !is_item(&report->rows[t->items[k]], row)) k++;
        if (k == t->n_items) t->items[t->n_items++] = i;
        add_column(t, row);
    }
    return t->n_items > 0;
}

/* NAN: there is none; *words: what stands in its place. */
static double value_of(const struct table *t, size_t item, const struct column *column, const char **words)
{
    const struct repro_row *row = cell_of(t, item, column);
    const bool is_of_suite = row && strncmp(row->failed, "suite: ", 7) == 0;
    *words = row && *row->failed && column->of == (is_of_suite ? COLUMN_SUITE : COLUMN_OURS) ? "failed" : NULL;
    return !row ? NAN : column->of == COLUMN_PAPER ? row->paper : column->of == COLUMN_SUITE ? row->suite : row->ours;
}

/* Why runs failed, a line each. */
static void print_failed(const struct repro_report *report, const char *begin, FILE *out)
{
    bool is_first = true;
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct repro_row *row = &report->rows[i];
        if (!row->item || !*row->failed) continue;
        fprintf(out, "%s%s%.*s, %s, failed: %s\n", is_first ? "\n" : "", begin, (int)row->item, row->label,
                title_of(row), row->failed);
        is_first = false;
    }
}

/* ---- Markdown ---- */

static void print_text(const char *text, size_t n, FILE *out)
{
    for (size_t i = 0; i < n && text[i]; i++) {
        if (strchr("|<*_", text[i])) fputc('\\', out);
        fputc(text[i], out);
    }
}

static void print_markdown(const struct table *t, FILE *out)
{
    fputs("\n| |", out);
    for (size_t c = 0; c < t->n_columns; c++) {
        fputc(' ', out);
        print_text(t->columns[c].title, SIZE_MAX, out);
        if (strcmp(t->columns[c].unit, "1") != 0) fprintf(out, ", %s", t->columns[c].unit);
        if (t->columns[c].of != COLUMN_OURS) fprintf(out, ", %s", of_words[t->columns[c].of]);
        fputs(" |", out);
    }
    fputs("\n|---|", out);
    for (size_t c = 0; c < t->n_columns; c++) fputs("---|", out);
    fputc('\n', out);
    for (size_t i = 0; i < t->n_items; i++) {
        const struct repro_row *row = &t->report->rows[t->items[i]];
        fputs("| ", out);
        print_text(row->label, row->item, out);
        fputs(" |", out);
        for (size_t c = 0; c < t->n_columns; c++) {
            const char *words;
            const double value = value_of(t, i, &t->columns[c], &words);
            if (isfinite(value)) fprintf(out, " %.4g |", value);
            else fprintf(out, words ? " %s |" : "%s |", words ? words : "");
        }
        fputc('\n', out);
    }
}

/* ---- text ---- */

/* The title's words in lines of at most COLUMN_WIDTH - 1, broken at blanks and behind hyphens; longer words are cut. */
static size_t wrap(const struct table *t, const struct column *column, char lines[HEAD_LINES_MAX][COLUMN_WIDTH])
{
    char text[200];
    size_t n = 0, length = 0;
    snprintf(text, sizeof text, "%s%s%s%s%s", column->title, t->has_units && strcmp(column->unit, "1") != 0 ? " " : "",
             t->has_units && strcmp(column->unit, "1") != 0 ? column->unit : "", column->of == COLUMN_OURS ? "" : " ",
             of_words[column->of]);
    memset(lines, 0, HEAD_LINES_MAX * COLUMN_WIDTH);
    for (const char *at = text; *at;) {
        size_t word = strcspn(at, " -");
        const size_t step = word + (at[word] != 0), shown = at[word] == '-' ? word + 1 : word;
        if (length && length + shown + 1 > COLUMN_WIDTH - 1 && n + 1 < HEAD_LINES_MAX) n++, length = 0;
        if (length && at > text && at[-1] == ' ' && length + 1 < COLUMN_WIDTH) lines[n][length++] = ' ';
        for (size_t i = 0; i < shown && length + 1 < COLUMN_WIDTH; i++) lines[n][length++] = at[i];
        at += step;
    }
    return n + 1;
}

static void print_head(const struct table *t, size_t first, size_t end, int item_width, FILE *out)
{
    size_t most = 0;
    char lines[HEAD_LINES_MAX][COLUMN_WIDTH];
    for (size_t c = first; c < end; c++) {
        const size_t n = wrap(t, &t->columns[c], lines);
        if (n > most) most = n;
    }
    for (size_t l = 0; l < most; l++) {
        fprintf(out, "%-*s", item_width, "");
        for (size_t c = first; c < end; c++) {
            const size_t n = wrap(t, &t->columns[c], lines);
            /* the last lines stand side by side */
            fprintf(out, "%*s", COLUMN_WIDTH, l + n >= most ? lines[l + n - most] : "");
        }
        fputc('\n', out);
    }
}

static void print_part(const struct table *t, size_t first, size_t end, int item_width, FILE *out)
{
    fputc('\n', out);
    print_head(t, first, end, item_width, out);
    for (size_t i = 0; i < t->n_items; i++) {
        const struct repro_row *row = &t->report->rows[t->items[i]];
        fprintf(out, "%-*.*s", item_width, (int)row->item, row->label);
        for (size_t c = first; c < end; c++) {
            const char *words;
            const double value = value_of(t, i, &t->columns[c], &words);
            if (!isfinite(value)) fprintf(out, "%*s", COLUMN_WIDTH, words ? words : "-");
            else fprintf(out, fabs(value) < 0.005 && value != 0 ? "%*.2g" : "%*.2f", COLUMN_WIDTH, value);
        }
        fputc('\n', out);
    }
}

static void print_parts(const struct table *t, unsigned width, FILE *out)
{
    size_t longest = 8;
    for (size_t i = 0; i < t->n_items; i++)
        if (t->report->rows[t->items[i]].item > longest) longest = t->report->rows[t->items[i]].item;
    const size_t room = width > longest ? (width - longest) / COLUMN_WIDTH : 0,
                 n_parts = room ? (t->n_columns + room - 1) / room : t->n_columns;
    const size_t at_once = (t->n_columns + n_parts - 1) / n_parts; /* parts of one size */
    if (!t->has_units && strcmp(t->columns[0].unit, "1") != 0) fprintf(out, "\nIn %s:\n", t->columns[0].unit);
    for (size_t c = 0; c < t->n_columns; c += at_once)
        print_part(t, c, c + at_once < t->n_columns ? c + at_once : t->n_columns, (int)longest, out);
}

void repro_print_table(const struct repro_report *report, unsigned width, FILE *out)
{
    struct table t;
    const bool has_any = make(&t, report);
    if (has_any && width) print_parts(&t, width, out);
    else if (has_any) print_markdown(&t, out);
    print_failed(report, width ? "" : "- ", out);
    free(t.items);
    free(t.columns);
}
