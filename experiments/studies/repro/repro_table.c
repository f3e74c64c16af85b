/* Rows of benchmarks as a table: a line a benchmark, a column a value. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "poise/repro.h"
#include "poise/suite.h"
#include "poise/validate.h"

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

/* ---- whether a row has what the paper's has: direction, order and magnitude, and `met`, which is all three ---- */

/* What a value stands for: the gain in percent of a factor, else the value itself. */
static double gain_of(const struct repro_row *row, double value)
{
    return strcmp(row->unit, "x") == 0 ? 100 * (value - 1) : value;
}

/* Percentage points are what such a row is counted in. */
static bool is_in_points(const struct repro_row *row)
{
    return strcmp(row->unit, "x") == 0 || strcmp(row->unit, "%") == 0 || strcmp(row->unit, "points") == 0;
}

static double judged(const struct repro_row *row, enum repro_of of) { return of == OF_SUITE ? row->suite : row->ours; }

static bool is_asked(const struct repro_row *row, enum repro_of of)
{
    return isfinite(row->paper) && isfinite(judged(row, of));
}

static double band_points(const struct repro_row *row) { return row->points > 0 ? row->points : REPRO_POINTS_APART; }

int repro_row_direction(const struct repro_report *report, size_t row, enum repro_of of)
{
    const struct repro_row *r = &report->rows[row];
    if (!is_asked(r, of)) return -1;
    const double paper = gain_of(r, r->paper), ours = gain_of(r, judged(r, of));
    if (fpclassify(paper) == FP_ZERO) return fabs(ours) <= (is_in_points(r) ? band_points(r) : 0);
    return paper > 0 ? ours > 0 : ours < 0;
}

int repro_row_magnitude(const struct repro_report *report, size_t row, enum repro_of of)
{
    const struct repro_row *r = &report->rows[row];
    if (!is_asked(r, of)) return -1;
    const double paper = gain_of(r, r->paper), ours = gain_of(r, judged(r, of));
    const double within = r->within > 0 ? r->within : REPRO_WITHIN;
    if (is_in_points(r) && fabs(ours - paper) <= band_points(r) + 1e-9) return 1;
    if (!(paper * ours > 0)) return fpclassify(paper) == FP_ZERO && fpclassify(ours) == FP_ZERO;
    return fabs(ours) <= within * fabs(paper) + 1e-9 && fabs(paper) <= within * fabs(ours) + 1e-9;
}

/* The values of a column of the table of benchmarks are rivals, and so are rows that stand alone, of one unit; a study
 * that compares less says which rows belong together. */
static bool are_rivals(const struct repro_row *a, const struct repro_row *b)
{
    if (a == b || strcmp(a->unit, b->unit) != 0 || !a->item != !b->item) return false;
    if (a->item) return strcmp(a->label + a->item, b->label + b->item) == 0;
    return strcmp(a->rivals, b->rivals) == 0;
}

int repro_row_order(const struct repro_report *report, size_t row, enum repro_of of)
{
    const struct repro_row *r = &report->rows[row];
    if (!is_asked(r, of)) return -1;
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct repro_row *other = &report->rows[i];
        if (!are_rivals(r, other) || !is_asked(other, of)) continue;
        const double paper = r->paper - other->paper, ours = judged(r, of) - judged(other, of);
        if (fpclassify(paper) != FP_ZERO && !(paper * ours > 0)) return 0;
    }
    return 1;
}

int repro_row_met(const struct repro_report *report, size_t row, enum repro_of of)
{
    if (!isfinite(report->rows[row].paper)) return -1;
    return repro_row_direction(report, row, of) == 1 && repro_row_order(report, row, of) == 1 &&
           repro_row_magnitude(report, row, of) == 1;
}

struct repro_answers repro_answers(const struct repro_report *report, enum repro_of of)
{
    struct repro_answers a = {0};
    for (size_t i = 0; i < report->n_rows; i++) {
        if (!isfinite(report->rows[i].paper)) continue;
        a.rows++;
        a.measured += is_asked(&report->rows[i], of);
        a.direction += repro_row_direction(report, i, of) == 1;
        a.order += repro_row_order(report, i, of) == 1;
        a.magnitude += repro_row_magnitude(report, i, of) == 1;
        a.met += repro_row_met(report, i, of) == 1;
    }
    return a;
}

/* ---- what a report says of the programs of suites: each row's judgement, and what is missing ---- */

void repro_only(const struct suite_cast *only, char (*names)[64], size_t *n, size_t max)
{
    if (!only) return;
    *n = 0;
    for (size_t i = 0; i < only->n && *n < max; i++)
        if (*only->members[i].program) snprintf(names[(*n)++], 64, "%s", only->members[i].paper);
}

void repro_on_names(const struct repro_options *o, const char *between, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t i = 0; i < o->n_on && at < size; i++) {
        const char *slash = strrchr(o->on[i], '/');
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? between : "", slash ? slash + 1 : o->on[i]);
    }
}

/* Rows of the same column of the table of benchmarks, which have both values. */
static bool is_of_column(const struct repro_row *r, const struct repro_row *of)
{
    return r->item && of->item && isfinite(r->paper) && isfinite(r->suite) &&
           strcmp(r->label + r->item, of->label + of->item) == 0;
}

/* ---- what is told ---- */

/* Of the row's column, if the row is its first: how many of its rows are near the paper's, and the rank correlation. */
static bool column_at(const struct repro_report *r, size_t row, size_t *n, size_t *near, double *spearman)
{
    double *paper = calloc(2 * r->n_rows + 1, sizeof *paper), *suite = paper + r->n_rows;
    bool is_first = paper && is_of_column(&r->rows[row], &r->rows[row]);
    *n = *near = 0;
    for (size_t i = 0; is_first && i < r->n_rows; i++) {
        if (!is_of_column(&r->rows[i], &r->rows[row])) continue;
        is_first = i >= row;
        *near += repro_row_magnitude(r, i, OF_SUITE) == 1;
        paper[*n] = r->rows[i].paper;
        suite[(*n)++] = r->rows[i].suite;
    }
    *spearman = is_first && *n > 2 ? metric_spearman(paper, suite, NULL, *n) : NAN;
    free(paper);
    return is_first;
}

void repro_on_json(const struct repro_result *result, struct json_t *out)
{
    const struct repro_report *r = &result->report;
    json_t *programs = json_array(), *missing = json_array(), *columns = json_array(), *checks = json_array(),
           *deviations = json_array();
    for (size_t i = 0; i < result->cast->n; i++) {
        const struct cast_member *m = &result->cast->members[i];
        json_array_append_new(*m->program ? programs : missing,
                              json_pack("{s:s,s:s}", "name", m->paper, *m->program ? "program" : "why",
                                        *m->program ? m->program : m->why));
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        size_t n, near;
        double spearman;
        if (!column_at(r, i, &n, &near, &spearman)) continue;
        json_t *column = json_pack("{s:s,s:I,s:I}", "column", r->rows[i].label + r->rows[i].item + 1, "benchmarks",
                                   (json_int_t)n, "within_1.5", (json_int_t)near);
        json_object_set_new(column, "spearman", json_or_null(spearman));
        json_array_append_new(columns, column);
    }
    for (size_t i = 0; i < result->second.n_checks; i++)
        json_array_append_new(checks, json_pack("{s:s,s:b}", "text", result->second.checks[i].text, "holds",
                                                result->second.checks[i].holds));
    for (size_t i = 0; i < result->second.n_deviations; i++)
        json_array_append_new(deviations, json_string(result->second.deviations[i]));
    json_object_set_new(out, "on",
                        json_pack("{s:o,s:o,s:o,s:o,s:o}", "deviations", deviations, "programs", programs, "missing",
                                  missing, "columns", columns, "checks", checks));
}

void repro_on_print(const struct repro_result *result, FILE *out)
{
    const struct repro_report *r = &result->report;
    fprintf(out, "On the suite: %zu of %zu programs\n", result->cast->n_found, result->cast->n);
    for (size_t i = 0; i < result->cast->n; i++) {
        const struct cast_member *m = &result->cast->members[i];
        fprintf(out, "  %-16s %s%s\n", m->paper, *m->program ? "" : "missing: ", *m->program ? m->program : m->why);
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        size_t n, near;
        double spearman;
        if (!column_at(r, i, &n, &near, &spearman)) continue;
        fprintf(out, "  %s: %zu of %zu within a factor 1.5 of the paper's gain, or 2 points",
                r->rows[i].label + r->rows[i].item + 1, near, n);
        if (isfinite(spearman)) fprintf(out, ", rank correlation %.2f", spearman);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->second.n_deviations; i++) fprintf(out, "  %s\n", result->second.deviations[i]);
    for (size_t i = 0; i < result->second.n_checks; i++)
        fprintf(out, "  %-3s  %s\n", result->second.checks[i].holds ? "yes" : "no", result->second.checks[i].text);
}
