/* Points put together (studies/repro/repro_combinations.c): a triangle of interactions, and a line a combination. */
#include <math.h>
#include <string.h>
#include "report/report_internal.h"

/* A sign for what the interval says; none where it holds 0. */
static const char *sign_of(const char *class)
{
    static const struct {
        const char *class, *sign;
    } signs[] = {{"amplify", "+"}, {"substitutes", "\xe2\x88\x92"}, {"fight", "\xc3\x97"}, {"refused", "/"}};
    for (size_t i = 0; i < COUNT_OF(signs); i++)
        if (strcmp(signs[i].class, class) == 0) return signs[i].sign;
    return "";
}

static long index_of(const json_t *names, const json_t *name)
{
    const json_t *own;
    size_t i;
    json_array_foreach(names, i, own)
        if (json_equal(own, name)) return (long)i;
    return -1;
}

/* Rows from the second policy on, columns up to the last but one: the cells below the diagonal. */
static void add_triangle(json_t *section, const json_t *repro, const json_t *matrix, json_t *names)
{
    const size_t n = json_array_size(names);
    const json_t *item;
    json_t *rows = json_array(), *columns = json_array(), *values = json_array(), *signs = json_array();
    double most = 0;
    size_t i;
    char id[160], slug[100], title[300], caption[500];
    for (size_t r = 1; r < n; r++) {
        json_t *line = json_array(), *marks = json_array();
        for (size_t c = 0; c + 1 < n; c++)
            json_array_append_new(line, json_null()), json_array_append_new(marks, json_string(""));
        json_array_append(rows, json_array_get(names, r));
        json_array_append(columns, json_array_get(names, r - 1));
        json_array_append_new(values, line);
        json_array_append_new(signs, marks);
    }
    json_array_foreach(json_object_get(matrix, "combinations"), i, item) {
        const json_t *of = json_object_get(item, "of");
        const long a = index_of(names, json_array_get(of, 0)), b = index_of(names, json_array_get(of, 1));
        const double v = report_get(item, "interaction");
        if (json_array_size(of) != 2 || a < 0 || b < 0) continue;
        const size_t r = (size_t)(a > b ? a : b) - 1, c = (size_t)(a > b ? b : a);
        if (isfinite(v)) most = fmax(most, fabs(v)), json_array_set_new(json_array_get(values, r), c, json_real(v));
        json_array_set_new(json_array_get(signs, r), c, json_string(sign_of(report_string(item, "class"))));
    }
    snprintf(id, sizeof id, "repro-%s-triangle", report_slug(report_string(repro, "id"), slug, sizeof slug));
    snprintf(title, sizeof title, "%.60s: interactions", report_string(repro, "id"));
    snprintf(caption, sizeof caption,
             "The logarithm of the speedup together less the sum of those alone: blue is more, brown less, darkest "
             "%.2g. + more than both, \xe2\x88\x92 less than both and no slower than the better one, \xc3\x97 slower "
             "than the better one: where the 95 %% interval over families leaves 0 out. / no machine has both.",
             most);
    json_t *figure = report_figure(section, "matrix", id, title, caption);
    json_object_set_new(figure, "rows", rows);
    json_object_set_new(figure, "columns", columns);
    json_object_set_new(figure, "values", values);
    json_object_set_new(figure, "signs", signs);
    json_object_set_new(figure, "value", json_pack("{s:s,s:s}", "label", "interaction", "format", "number"));
    json_object_set_new(figure, "limit", json_real(most > 0 ? most : 1));
    json_object_set_new(figure, "is_square", json_true());
}

static void add_interval(json_t *row, const json_t *item, const char *value, const char *interval)
{
    const json_t *ci = json_object_get(item, interval);
    report_cell(row, report_get(item, value));
    report_cell(row, report_value(json_array_get(ci, 0)));
    report_cell(row, report_value(json_array_get(ci, 1)));
}

static void add_lines(json_t *section, const json_t *repro, const json_t *matrix)
{
    static const char *const heads[] = {"speedup", "energy", "interaction"};
    const json_t *item;
    char id[160], slug[100], text[200];
    size_t i;
    snprintf(id, sizeof id, "repro-%s-classes", report_slug(report_string(repro, "id"), slug, sizeof slug));
    json_t *table = report_table(section, id, "Policies put together");
    report_column(table, "together", "text");
    report_column(table, "class", "text");
    for (size_t k = 0; k < COUNT_OF(heads); k++) {
        report_column(table, heads[k], "number");
        snprintf(text, sizeof text, "%s, low", heads[k]), report_column(table, text, "number");
        snprintf(text, sizeof text, "%s, high", heads[k]), report_column(table, text, "number");
    }
    report_column(table, "goes with", "text");
    json_array_foreach(json_object_get(matrix, "combinations"), i, item) {
        const json_t *because = json_object_get(item, "because");
        json_t *row = report_row(table);
        report_cell_text(row, "%s", report_string(item, "name"));
        report_cell_text(row, "%s", report_string(item, "class"));
        add_interval(row, item, "speedup", "speedup_ci95");
        add_interval(row, item, "energy", "energy_ci95");
        add_interval(row, item, "interaction", "ci95");
        if (json_is_object(because))
            report_cell_text(row, "%s %+.3g (r %.2f)", report_string(because, "title"),
                             report_get(because, "interaction"), report_get(because, "correlation"));
        else report_cell_text(row, "%s", report_string(item, "why"));
    }
}

void report_add_combinations(json_t *section, const json_t *repro)
{
    const json_t *matrix = json_object_get(repro, "matrix"), *policy;
    json_t *names = json_array();
    size_t i;
    json_array_foreach(json_object_get(matrix, "policies"), i, policy)
        json_array_append(names, json_object_get(policy, "name"));
    if (json_array_size(names) > 1) {
        add_triangle(section, repro, matrix, names);
        add_lines(section, repro, matrix);
    }
    json_decref(names);
}
