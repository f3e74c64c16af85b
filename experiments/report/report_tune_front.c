/* Tuning with several objectives, against its parts and against other methods. */
#include <math.h>
#include "report/report_internal.h"

const char *report_point_text(const json_t *params, char *text, size_t size)
{
    const json_t *value;
    size_t used = 0;
    *text = '\0';
    for (void *i = json_object_iter((json_t *)params); i && used + 60 < size;
         i = json_object_iter_next((json_t *)params, i)) {
        char number[40];
        value = json_object_iter_value(i);
        if (json_is_string(value)) snprintf(number, sizeof number, "%.30s", json_string_value(value));
        else
            report_format("number", json_is_boolean(value) ? json_is_true(value) : report_value(value), number,
                          sizeof number);
        used += (size_t)snprintf(text + used, size - used, "%s%.20s=%.30s", used ? " " : "", json_object_iter_key(i),
                                 number);
        if (used >= size) used = size - 1;
    }
    return text;
}

static const char *metric_at(const json_t *tune, size_t i)
{
    return report_string(json_array_get(json_object_get(tune, "objectives"), i), "metric");
}

static double value_at(const json_t *list, size_t i) { return report_value(json_array_get(list, i)); }

static bool is_on_front(const json_t *tune, const json_t *trial)
{
    const json_t *point;
    size_t i;
    json_array_foreach(json_object_get(tune, "front"), i, point)
        if (json_equal(json_object_get(point, "params"), json_object_get(trial, "params"))) return true;
    return false;
}

/* The first metric against another one. */
static void add_plane(json_t *section, const json_t *tune, size_t other)
{
    const json_t *trial;
    char id[60], title[200], text[240];
    size_t i;
    snprintf(id, sizeof id, "tune-front-%zu", other);
    snprintf(title, sizeof title, "%.60s and %.60s", metric_at(tune, 0), metric_at(tune, other));
    json_t *figure = report_scatter(section, id, title,
                                    "Every trial on the tuning set; on the front are those that no other beats in "
                                    "every metric.",
                                    metric_at(tune, 0), metric_at(tune, other), "number");
    for (int is_front = 0; is_front < 2; is_front++) /* the front lies over the others */
        json_array_foreach(json_object_get(tune, "trials"), i, trial) {
            const json_t *metrics = json_object_get(trial, "metrics");
            if (report_get(trial, "rung") != 0 || is_on_front(tune, trial) != is_front) continue;
            report_dot(figure, value_at(metrics, 0), value_at(metrics, other), is_front ? "front" : "others",
                       report_point_text(json_object_get(trial, "params"), text, sizeof text));
        }
}

void report_add_front(json_t *section, const json_t *tune)
{
    const json_t *front = json_object_get(tune, "front"), *point;
    const size_t n = json_array_size(json_object_get(tune, "objectives"));
    char head[200], text[240];
    size_t i;
    if (n < 2) return;
    for (size_t k = 1; k < n; k++) add_plane(section, tune, k);
    json_t *table = report_table(section, "tune-front", "The front");
    for (size_t k = 0; k < n; k++) report_column(table, metric_at(tune, k), "number");
    for (size_t k = 0; k < n; k++) {
        snprintf(head, sizeof head, "%.100s, held out", metric_at(tune, k));
        report_column(table, head, "number");
    }
    report_column(table, "point", "text");
    json_array_foreach(front, i, point) {
        json_t *row = report_row(table);
        for (size_t k = 0; k < n; k++) report_cell(row, value_at(json_object_get(point, "metrics"), k));
        for (size_t k = 0; k < n; k++) report_cell(row, value_at(json_object_get(point, "heldout"), k));
        report_cell_text(row, "%s", report_point_text(json_object_get(point, "params"), text, sizeof text));
    }
    report_note(section,
                "%zu points are on the front; they dominate %.3g of the box between the worst and the best of all "
                "trials.",
                json_array_size(front), report_get(tune, "hypervolume"));
}

void report_add_curves(json_t *section, const json_t *tune)
{
    const json_t *curves = json_object_get(tune, "curves"), *method;
    char caption[300];
    size_t i;
    if (!curves) return;
    snprintf(caption, sizeof caption, "The best value after each trial, mean of %.0f seeds of each method.",
             report_get(curves, "seeds"));
    json_t *figure = report_figure(section, "line", "tune-curves", "What the budget buys", caption);
    report_axis(figure, "x", "trial", "whole");
    report_axis(figure, "y", report_string(curves, "of"), "number");
    json_array_foreach(json_object_get(curves, "methods"), i, method) {
        json_t *x = json_array();
        for (size_t k = 0; k < json_array_size(json_object_get(method, "mean")); k++)
            json_array_append_new(x, json_integer((json_int_t)k + 1));
        report_series(figure, report_string(method, "method"), json_incref(json_object_get(method, "mean")));
        json_object_set_new(report_last_series(figure), "x", x);
        json_object_set_new(report_last_series(figure), "is_step", json_true());
    }
}

void report_add_apart(json_t *section, const json_t *tune)
{
    const json_t *apart = json_object_get(tune, "apart"), *part;
    char text[240];
    size_t i;
    if (!apart) return;
    json_t *table = report_table(section, "tune-apart", "Each mechanism tuned alone, and the stack tuned at once");
    report_column(table, "", "text");
    report_column(table, "tuning set", "number");
    report_column(table, "held-out set", "number");
    report_column(table, "best", "text");
    json_array_foreach(json_object_get(apart, "parts"), i, part) {
        json_t *row = report_row(table);
        report_cell_text(row, "%s alone", report_string(part, "name"));
        report_cell(row, report_get(part, "metric"));
        report_cell(row, NAN);
        report_cell_text(
            row, "%s", report_point_text(json_object_get(json_object_get(part, "best"), "params"), text, sizeof text));
    }
    static const char *const keys[] = {"together", "joint"}, *const titles[] = {"put together", "tuned at once"};
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        const json_t *of = json_object_get(apart, keys[k]);
        json_t *row = report_row(table);
        report_cell_text(row, "%s", titles[k]);
        report_cell(row, report_get(of, "train"));
        report_cell(row, report_get(of, "heldout"));
        report_cell_text(row, "%s",
                         json_object_get(of, "why")
                             ? report_string(of, "why")
                             : report_point_text(json_object_get(of, "params"), text, sizeof text));
    }
}
