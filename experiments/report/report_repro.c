/* Published figures: the paper's values beside ours; and the reference cases of poise validate. */
#include "report/report_internal.h"

#include <math.h>
#include <string.h>

/* Rows with a paper value, one figure for each unit: a pair a row. */
static void add_pairs(json_t *section, const json_t *repro, const char *unit, const char *slug, const char *title)
{
    const json_t *row;
    size_t i;
    char id[160], unit_slug[40], full[300];
    json_t *labels = json_array(), *paper = json_array(), *ours = json_array(), *low = json_array(),
           *high = json_array();
    json_array_foreach(json_object_get(repro, "rows"), i, row) {
        if (strcmp(report_string(row, "unit"), unit) != 0 || isnan(report_get(row, "paper"))) continue;
        json_array_append(labels, json_object_get(row, "label"));
        json_array_append_new(paper, report_number(report_get(row, "paper")));
        json_array_append_new(ours, report_number(report_get(row, "ours")));
        const json_t *estimate = json_object_get(row, "estimate");
        json_array_append_new(low, report_number(report_value(json_array_get(estimate, 0))));
        json_array_append_new(high, report_number(report_value(json_array_get(estimate, 1))));
    }
    snprintf(id, sizeof id, "repro-%s-%s", slug,
             *unit ? strcmp(unit, "%") == 0 ? "percent" : report_slug(unit, unit_slug, sizeof unit_slug) : "value");
    snprintf(full, sizeof full, "%.60s: %.200s", report_string(repro, "id"), title);
    json_t *figure = report_figure(section, "points", id, full, report_string(repro, "source"));
    json_object_set_new(figure, "labels", labels);
    json_object_set_new(figure, "connect", json_true());
    report_axis(figure, "y", strcmp(unit, "1") == 0 ? "" : unit, "number");
    report_series(figure, "paper", paper);
    report_series(figure, "ours", ours);
    json_object_set_new(report_last_series(figure), "is_ours", json_true());
    if (json_object_get(repro, "sample")) { /* estimates: with their intervals */
        json_object_set(report_last_series(figure), "low", low);
        json_object_set(report_last_series(figure), "high", high);
    }
    json_decref(low);
    json_decref(high);
}

/* ---- values of benchmarks ---- */

/* What a row is of its benchmark; NULL where the row stands alone. */
static const char *column_of(const json_t *row)
{
    const json_t *benchmark = json_object_get(row, "benchmark");
    const size_t n = json_string_length(benchmark);
    const char *label = report_string(row, "label");
    return n && strlen(label) > n ? label + n + 1 : NULL;
}

/* The benchmarks and the columns of a study's rows, each once, in their order: {benchmark: {column: row}} and
 * {column: row}. */
static void sort_rows(const json_t *repro, json_t *benchmarks, json_t *columns)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(repro, "rows"), i, row) {
        const char *column = column_of(row), *name = report_string(row, "benchmark");
        if (!column) continue;
        if (!json_object_get(benchmarks, name)) json_object_set_new(benchmarks, name, json_object());
        json_object_set(json_object_get(benchmarks, name), column, (json_t *)row);
        if (!json_object_get(columns, column)) json_object_set(columns, column, (json_t *)row);
    }
}

enum { SERIES_MAX = 12, CATEGORIES_MAX = 24 };

/* One figure a unit, where bars can still be told apart. */
static void add_bars(json_t *section, const json_t *repro, json_t *benchmarks, json_t *columns, const char *unit)
{
    const char *name, *column, *end = strcmp(unit, "%") == 0 ? "percent" : strcmp(unit, "1") == 0 ? "value" : unit;
    char id[200], slug[100], title[300], unit_slug[40];
    json_t *row, *of, *categories = json_array();
    size_t n = 0;
    json_object_foreach(columns, column, row) n += strcmp(report_string(row, "unit"), unit) == 0;
    if (n == 0 || n > SERIES_MAX || json_object_size(benchmarks) > CATEGORIES_MAX) {
        json_decref(categories);
        return;
    }
    snprintf(id, sizeof id, "repro-%s-each-%s", report_slug(report_string(repro, "id"), slug, sizeof slug),
             report_slug(end, unit_slug, sizeof unit_slug));
    snprintf(title, sizeof title, "%.60s: %.200s, each", report_string(repro, "id"), report_string(repro, "title"));
    json_t *figure = report_figure(section, "bars", id, title, report_string(repro, "source"));
    json_object_foreach(benchmarks, name, of) json_array_append_new(categories, json_string(name));
    json_object_set_new(figure, "categories", categories);
    json_object_foreach(columns, column, row) {
        json_t *values = json_array();
        if (strcmp(report_string(row, "unit"), unit) != 0) {
            json_decref(values);
            continue;
        }
        json_object_foreach(benchmarks, name, of)
            json_array_append_new(values, report_number(report_get(json_object_get(of, column), "ours")));
        report_series(figure, column, values);
    }
    report_axis(figure, "y", strcmp(unit, "1") == 0 ? "" : unit, "number");
    if (strcmp(unit, "x") == 0) json_object_set_new(figure, "reference", json_real(1));
}

/* A line a benchmark; the paper's value beside ours where there is one. */
static void add_table(json_t *section, const json_t *repro, json_t *benchmarks, json_t *columns)
{
    char id[160], slug[100], title[300], head[200];
    const char *name, *column;
    json_t *of, *row, *has_paper = json_object();
    snprintf(id, sizeof id, "repro-%s-table", report_slug(report_string(repro, "id"), slug, sizeof slug));
    snprintf(title, sizeof title, "%.60s: %.200s", report_string(repro, "id"), report_string(repro, "title"));
    json_t *table = report_table(section, id, title);
    report_column(table, "", "text");
    json_object_foreach(columns, column, row) {
        const char *unit = report_string(row, "unit");
        bool is_paper = false;
        json_object_foreach(benchmarks, name, of) is_paper |= !isnan(report_get(json_object_get(of, column), "paper"));
        snprintf(head, sizeof head, "%s%s%s", column, strcmp(unit, "1") == 0 ? "" : ", ",
                 strcmp(unit, "1") == 0 ? "" : unit);
        report_column(table, head, "number");
        snprintf(head, sizeof head, "%s, paper", column);
        if (is_paper) report_column(table, head, "number"), json_object_set_new(has_paper, column, json_true());
    }
    json_object_foreach(benchmarks, name, of) {
        json_t *line = report_row(table);
        report_cell_text(line, "%s", name);
        json_object_foreach(columns, column, row) {
            report_cell(line, report_get(json_object_get(of, column), "ours"));
            if (json_object_get(has_paper, column)) report_cell(line, report_get(json_object_get(of, column), "paper"));
        }
    }
    json_decref(has_paper);
}

static void add_benchmarks(json_t *section, const json_t *repro, bool is_figure)
{
    json_t *benchmarks = json_object(), *columns = json_object(), *units = json_object(), *row;
    const char *column, *unit;
    sort_rows(repro, benchmarks, columns);
    json_object_foreach(columns, column, row) json_object_set_new(units, report_string(row, "unit"), json_true());
    if (is_figure)
        json_object_foreach(units, unit, row) add_bars(section, repro, benchmarks, columns, unit);
    if (!is_figure && json_object_size(benchmarks)) add_table(section, repro, benchmarks, columns);
    json_decref(benchmarks);
    json_decref(columns);
    json_decref(units);
}

static void add_figures(json_t *section, const json_t *repro)
{
    const json_t *rows = json_object_get(repro, "rows"), *row;
    const char *units[16];
    char slug[100];
    size_t n = 0, i;
    report_slug(report_string(repro, "id"), slug, sizeof slug);
    json_array_foreach(rows, i, row) {
        bool is_known = isnan(report_get(row, "paper"));
        for (size_t k = 0; k < n; k++) is_known |= strcmp(units[k], report_string(row, "unit")) == 0;
        if (!is_known && n < COUNT_OF(units)) units[n++] = report_string(row, "unit");
    }
    for (size_t k = 0; k < n; k++) add_pairs(section, repro, units[k], slug, report_string(repro, "title"));
}

/* A benchmark's map: the last row on top, so that the diagonal runs as in a plot. */
static void add_map(json_t *section, const json_t *repro, const json_t *map)
{
    char id[200], slug[2][100], title[300], caption[300];
    const json_t *values = json_object_get(map, "values");
    const size_t n = json_array_size(values);
    const char *name = report_string(map, "benchmark");
    double most = 0;
    snprintf(id, sizeof id, "repro-%s-map-%s", report_slug(report_string(repro, "id"), slug[0], sizeof slug[0]),
             report_slug(name, slug[1], sizeof slug[1]));
    snprintf(title, sizeof title, "%.60s: %.60s", report_string(repro, "id"), name);
    json_t *figure = report_figure(section, "matrix", id, title, "");
    json_t *rows = json_array(), *columns = json_array(), *lines = json_array(), *cell;
    for (size_t i = 0; i < n; i++) {
        size_t c;
        json_array_append_new(columns, json_sprintf("%zu", i));
        json_array_append_new(rows, json_sprintf("%zu", n - 1 - i));
        json_array_append(lines, json_array_get(values, n - 1 - i));
        json_array_foreach(json_array_get(values, i), c, cell) most = fmax(most, json_number_value(cell));
    }
    snprintf(caption, sizeof caption, "%.80s: x, the %.60s; y, the %.60s. Darkest: %.3g %.10s.",
             report_string(map, "of"), report_string(map, "x"), report_string(map, "y"), most,
             report_string(map, "unit"));
    json_object_set_new(figure, "caption", json_string(caption));
    json_object_set_new(figure, "rows", rows);
    json_object_set_new(figure, "columns", columns);
    json_object_set_new(figure, "values", lines);
    json_object_set_new(figure, "value",
                        json_pack("{s:s,s:s}", "label", report_string(map, "unit"), "format", "number"));
    json_object_set_new(figure, "limit", json_real(most > 0 ? most : 1));
    json_object_set_new(figure, "is_square", json_true());
    json_object_set_new(figure, "size", json_string("small"));
}

static void add_maps(json_t *section, const json_t *repro)
{
    const json_t *map;
    size_t i;
    json_array_foreach(json_object_get(repro, "maps"), i, map) add_map(section, repro, map);
}

/* What a row of a study answers (poise/repro.h). */
static const char *const answers[] = {"direction", "order", "magnitude", "met"};

static void add_rows(json_t *table, const json_t *repro)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(repro, "rows"), i, item) {
        const double paper = report_get(item, "paper"), ours = report_get(item, "ours");
        if (column_of(item)) continue; /* in a table of its own */
        json_t *row = report_row(table);
        report_cell_text(row, "%s", report_string(repro, "id"));
        report_cell_text(row, "%s", report_string(item, "label"));
        report_cell(row, paper);
        report_cell(row, ours);
        report_cell(row, paper != 0 ? ours / paper : NAN);
        report_cell_text(row, "%s", report_string(item, "unit"));
        for (size_t k = 0; k < COUNT_OF(answers); k++) {
            const json_t *answer = json_object_get(item, answers[k]);
            report_cell_text(row, "%s", !json_is_boolean(answer) ? "" : json_is_true(answer) ? "yes" : "no");
        }
    }
}

static void add_checks(json_t *table, const json_t *repro)
{
    const json_t *check;
    size_t i;
    json_array_foreach(json_object_get(repro, "checks"), i, check) {
        json_t *row = report_row(table);
        report_cell_text(row, "%s", report_string(repro, "id"));
        report_cell_text(row, "%s", report_string(check, "text"));
        report_cell_text(row, "%s", json_is_true(json_object_get(check, "holds")) ? "yes" : "no");
    }
}

int report_add_repro(const struct report_context *c, struct error *err)
{
    json_t *repro, *text;
    size_t i, k, as_published = 0, statements = 0, held = 0;
    (void)err;
    const size_t n = json_array_size(c->input->repros);
    if (n == 0) return 0;
    json_t *section =
        report_open(c, "repro", "Paper beside ours",
                    "Every figure reproduced in this folder. Our means are over the benchmarks of this project, which "
                    "are not all of the papers'; what is known to differ is in the notes.");
    json_t *checks = report_table(section, "repro-checks", "What the papers state"),
           *rows = report_table(section, "repro-rows", "Means and single values");
    report_column(checks, "figure", "text");
    report_column(checks, "statement", "text");
    report_column(checks, "holds here", "text");
    report_column(rows, "figure", "text");
    report_column(rows, "row", "text");
    report_column(rows, "paper", "number");
    report_column(rows, "ours", "number");
    report_column(rows, "ours / paper", "ratio");
    report_column(rows, "unit", "text");
    for (k = 0; k < COUNT_OF(answers); k++) report_column(rows, answers[k], "text");
    json_array_foreach(c->input->repros, i, repro) {
        add_figures(section, repro);
        add_benchmarks(section, repro, true);
        add_maps(section, repro);
        report_add_combinations(section, repro);
        add_checks(checks, repro);
        add_rows(rows, repro);
        as_published += json_is_true(json_object_get(repro, "direction_ok"));
        report_note(section, "%s: %s; %s mode on %s, %s mean, %.0f runs.", report_string(repro, "id"),
                    report_string(repro, "title"), report_string(repro, "mode"), report_string(repro, "config"),
                    report_string(repro, "mean"), report_get(repro, "points"));
        json_array_foreach(json_object_get(repro, "deviations"), k, text)
            report_note(section, "%s: %s", report_string(repro, "id"),
                        json_string_value(text) ? json_string_value(text) : "");
    }
    json_array_foreach(c->input->repros, i, repro) add_benchmarks(section, repro, false);
    const json_t *row;
    json_array_foreach(json_object_get(checks, "rows"), i, row)
        statements++, held += strcmp(json_string_value(json_array_get(row, 2)), "yes") == 0;
    report_finding(c->document,
                   "Of %zu published figures reproduced, %zu go the published way in everything; of %zu statements "
                   "about them, %zu hold here.",
                   n, as_published, statements, held);
    return 0;
}

int report_add_validate(const struct report_context *c, struct error *err)
{
    const json_t *validate = c->input->validate, *item, *overall = json_object_get(validate, "overall");
    size_t i;
    (void)err;
    if (!validate || json_array_size(json_object_get(validate, "cases")) == 0) return 0;
    static const struct report_head heads[] = {{"case", "text", "name"},
                                               {"cycles", "whole", "cycles"},
                                               {"reference", "whole", "ref_cycles"},
                                               {"error", "percent", "error"},
                                               {"L1 hit rate, difference", "percent", "l1d_hit_rate_delta"},
                                               {"DRAM reads, error", "percent", "dram_reads_error"}};
    json_t *section = report_open(c, "validate", "Against the reference simulator",
                                  "Cases whose cycles a reference simulator has published or produced.");
    json_t *figure =
        report_scatter(section, "validate-cycles", "Cycles against the reference",
                       "On the diagonal both simulators agree.", "reference, cycles", "ours, cycles", "whole");
    json_object_set_new(figure, "diagonal", json_true());
    json_object_set_new(figure, "is_log", json_true());
    json_array_foreach(json_object_get(validate, "cases"), i, item)
        report_dot(figure, report_get(item, "ref_cycles"), report_get(item, "cycles"), "case",
                   report_string(item, "name"));
    report_table_of_list(section, "validate-cases", "Cases", json_object_get(validate, "cases"), heads,
                         COUNT_OF(heads));
    report_note(section, "Mean absolute error %.1f %%, Pearson %.4f, Kendall %.3f.", 100 * report_get(overall, "mape"),
                report_get(overall, "pearson"), report_get(overall, "kendall"));
    return 0;
}
