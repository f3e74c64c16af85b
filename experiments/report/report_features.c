/* Features by kernel and how they go together, from dataset.csv. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/features.h"

enum { FEATURES_SHOWN_MAX = 40 };
struct columns {
    const struct table_column *items[FEATURES_SHOWN_MAX];
    size_t n;
};

static bool is_fixed_name(const char *name)
{
    static const char *const names[] = {"benchmark", "kernel",  "launch", "trace", "W",      "N",     "p",
                                        "cycles",    "speedup", "score",  "group", "weight", "offset"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static double correlation(const double *x, const double *y, size_t n)
{
    const double mx = report_mean(x, n), my = report_mean(y, n), sx = report_deviation_of(x, n),
                 sy = report_deviation_of(y, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mx) * (y[i] - my);
    return n > 1 && sx > 0 && sy > 0 ? sum / ((double)(n - 1) * sx * sy) : NAN;
}

static struct columns varying_columns(const struct table_csv *t, bool with_targets)
{
    struct columns out = {.n = 0};
    for (size_t c = 0; c < t->n_columns && out.n < FEATURES_SHOWN_MAX; c++) {
        const struct table_column *column = &t->columns[c];
        const bool is_target = strcmp(column->name, "N") == 0 || strcmp(column->name, "p") == 0;
        if (column->numbers != t->n_rows || (is_target ? !with_targets : is_fixed_name(column->name)) ||
            report_deviation_of(column->values, t->n_rows) == 0)
            continue;
        out.items[out.n++] = column;
    }
    return out;
}

static json_t *names_of(const struct columns *columns)
{
    json_t *list = json_array();
    for (size_t i = 0; i < columns->n; i++) json_array_append_new(list, json_string(columns->items[i]->name));
    return list;
}

/* The launch of a trace in the profile, or NULL. */
static const char *launch_of_trace(const struct table_csv *profile, const char *trace)
{
    for (size_t r = 0; *trace && r < profile->n_rows; r++)
        if (strcmp(report_cell_at(profile, "trace", r), trace) == 0) return report_cell_at(profile, "launch", r);
    return NULL;
}

const char *report_row_label(const struct report_input *input, size_t row, char *text, size_t size)
{
    const struct table_csv *t = &input->dataset;
    const char *trace = report_cell_at(t, "trace", row), *kernel = report_cell_at(t, "kernel", row),
               *launch = launch_of_trace(&input->profile, trace);
    const struct report_trace *known = input->has_store ? report_trace_find(&input->store, trace) : NULL;
    if (launch) snprintf(text, size, "%.60s %.60s", launch, kernel);
    else if (known && known->input >= 0)
        snprintf(text, size, "%.60s.%d/%u %.60s", known->workload, (int)known->input, (unsigned)known->launch, kernel);
    else
        snprintf(text, size, "%.60s %.60s %.10s", report_cell_at(t, "benchmark", row), kernel,
                 report_cell_at(t, "launch", row));
    return text;
}

static void add_features(json_t *section, const struct report_input *input, const struct columns *columns)
{
    const struct table_csv *t = &input->dataset;
    json_t *figure =
        report_figure(section, "matrix", "features", "Features by training row",
                      "Rows are workload.input/launch and the kernel. Colour: standard deviations from the feature's "
                      "mean over the rows. Rows of a benchmark that look alike teach the model little.");
    json_t *rows = json_array(), *values = json_array(), *raw = json_array();
    for (size_t r = 0; r < t->n_rows; r++) {
        char label[160];
        json_t *line = json_array(), *raw_line = json_array();
        json_array_append_new(rows, json_string(report_row_label(input, r, label, sizeof label)));
        for (size_t i = 0; i < columns->n; i++) {
            const double *x = columns->items[i]->values;
            json_array_append_new(
                line, report_number(
                          round(1e3 * (x[r] - report_mean(x, t->n_rows)) / report_deviation_of(x, t->n_rows)) / 1e3));
            json_array_append_new(raw_line, report_number(x[r]));
        }
        json_array_append_new(values, line);
        json_array_append_new(raw, raw_line);
    }
    json_object_set_new(figure, "rows", rows);
    json_object_set_new(figure, "columns", names_of(columns));
    json_object_set_new(figure, "values", values);
    json_object_set_new(figure, "raw", raw);
    json_object_set_new(figure, "value", json_pack("{s:s,s:s}", "label", "deviations", "format", "number"));
    json_object_set_new(figure, "limit", json_real(2.5));
}

static void add_correlations(json_t *section, const struct table_csv *t)
{
    const struct columns columns = varying_columns(t, true);
    json_t *figure = report_figure(section, "matrix", "correlations", "Correlations",
                                   "Pearson's, over the training rows, of the targets N and p and the features. "
                                   "Features that go together share their weight.");
    json_t *values = json_array();
    for (size_t i = 0; i < columns.n; i++) {
        json_t *line = json_array();
        for (size_t k = 0; k < columns.n; k++)
            json_array_append_new(line, report_number(round(1e3 * correlation(columns.items[i]->values,
                                                                              columns.items[k]->values, t->n_rows)) /
                                                      1e3));
        json_array_append_new(values, line);
    }
    json_object_set_new(figure, "rows", names_of(&columns));
    json_object_set_new(figure, "columns", names_of(&columns));
    json_object_set_new(figure, "values", values);
    json_object_set_new(figure, "value", json_pack("{s:s,s:s}", "label", "correlation", "format", "number"));
    json_object_set_new(figure, "limit", json_real(1));
    json_object_set_new(figure, "is_labelled", json_true());
}

static void add_table(json_t *section, const struct table_csv *t, const struct columns *columns)
{
    json_t *table = report_table(section, "feature-table", "What the features are");
    static const char *const heads[][2] = {{"feature", "text"}, {"formula", "text"},  {"in words", "text"},
                                           {"source", "text"},  {"mean", "number"},   {"deviation", "number"},
                                           {"least", "number"}, {"largest", "number"}};
    for (size_t i = 0; i < COUNT_OF(heads); i++) report_column(table, heads[i][0], heads[i][1]);
    for (size_t i = 0; i < columns->n; i++) {
        const struct feature_row *feature = feature_find(columns->items[i]->name);
        const double *x = columns->items[i]->values;
        double least = INFINITY, largest = -INFINITY;
        for (size_t r = 0; r < t->n_rows; r++) least = fmin(least, x[r]), largest = fmax(largest, x[r]);
        json_t *row = report_row(table);
        report_cell_text(row, "%s", columns->items[i]->name);
        report_cell_text(row, "%s", feature ? feature->formula : "");
        report_cell_text(row, "%s", feature ? feature->words : "");
        report_cell_text(row, "%s", feature ? feature->source : "");
        report_cell(row, report_mean(x, t->n_rows));
        report_cell(row, report_deviation_of(x, t->n_rows));
        report_cell(row, least);
        report_cell(row, largest);
    }
}

int report_add_features(const struct report_context *c, struct error *err)
{
    const struct table_csv *t = &c->input->dataset;
    (void)err;
    if (t->n_columns == 0 || t->n_rows < 2) return 0;
    const struct columns columns = varying_columns(t, false);
    if (columns.n == 0) return 0;
    json_t *section = report_open(c, "features", "Features",
                                  "What the model sees of a kernel: ratios of counters at two reference points, all "
                                  "warps (W, W) and one warp (1, 1).");
    add_features(section, c->input, &columns);
    add_correlations(section, t);
    add_table(section, t, &columns);
    report_note(section, "In formulas, o marks counters with all warps (W, W) and ' those with one warp a scheduler "
                         "(1, 1); h is L1 hits / accesses, m = 1 - h, "
                         "eta is hits on lines last touched by the same warp / accesses, L is AML, the mean cycles "
                         "from an L1 miss to its data, and I_n is compute "
                         "instructions for each global load.");
    return 0;
}
