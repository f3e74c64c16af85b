/* Tuning: what was tried, what it gave, and whether the best holds on what was not tuned on. */
#include "report/report_internal.h"

#include <math.h>
#include <string.h>

/* Points of full length only: those of other rungs saw the first part of each run, and are not comparable. */
static bool is_full(const json_t *trial) { return !(report_get(trial, "rung") > 0); }

static void add_progress(json_t *section, const json_t *tune)
{
    const json_t *trials = json_object_get(tune, "trials"), *trial;
    const double goal = report_tune_best(tune);
    double best = NAN, first = NAN;
    size_t i;
    json_t *figure = report_figure(section, "line", "tune-best", "Best so far",
                                   "The metric of each trial on the tuning set, and the best up to it.");
    json_t *x = json_array(), *y = json_array(), *at = json_array(), *all = json_array();
    json_array_foreach(trials, i, trial)
        if (is_full(trial) && isnan(first)) first = report_get(trial, "metric");
    const double sign = goal >= first ? 1 : -1; /* which way the search went */
    json_array_foreach(trials, i, trial) {
        const double metric = report_get(trial, "metric");
        if (!is_full(trial)) continue;
        if (isnan(best) || sign * metric > sign * best) best = metric;
        json_array_append_new(at, json_integer((json_int_t)i + 1));
        json_array_append_new(all, report_number(metric));
        json_array_append_new(x, json_integer((json_int_t)i + 1));
        json_array_append_new(y, report_number(best));
    }
    report_axis(figure, "x", "trial", "whole");
    report_axis(figure, "y", report_string(tune, "metric"), "number");
    report_series(figure, "best so far", y);
    json_object_set_new(report_last_series(figure), "x", x);
    json_object_set_new(report_last_series(figure), "is_step", json_true());
    report_series(figure, "trial", all);
    json_object_set_new(report_last_series(figure), "x", at);
    json_object_set_new(report_last_series(figure), "is_dots", json_true());
}

static void add_response(json_t *section, const json_t *tune, const char *parameter)
{
    const json_t *trials = json_object_get(tune, "trials"), *trial;
    char id[100], slug[80], title[120];
    size_t i;
    snprintf(id, sizeof id, "tune-response-%s", report_slug(parameter, slug, sizeof slug));
    snprintf(title, sizeof title, "Response to %.80s", parameter);
    json_t *figure =
        report_scatter(section, id, title, "Every trial; what spreads at one value is the other parameters.", parameter,
                       report_string(tune, "metric"), "number");
    json_array_foreach(trials, i, trial) {
        const json_t *params = json_object_get(trial, "params");
        char text[240];
        if (is_full(trial))
            report_dot(figure, report_get(params, parameter), report_get(trial, "metric"), "trial",
                       report_point_text(params, text, sizeof text));
    }
}

static void add_sensitivity(json_t *section, const json_t *tune)
{
    json_t *shares = json_object_get(tune, "sensitivity"), *labels = json_array(), *values = json_array();
    for (void *i = json_object_iter(shares); i; i = json_object_iter_next(shares, i)) {
        json_array_append_new(labels, json_string(json_object_iter_key(i)));
        json_array_append_new(values, report_number(report_value(json_object_iter_value(i))));
    }
    json_t *figure = report_figure(section, "points", "tune-sensitivity", "Sensitivity",
                                   "Share of the metric's variance that a parameter explains alone.");
    json_object_set_new(figure, "labels", labels);
    json_object_set_new(figure, "reference", json_real(0));
    report_axis(figure, "y", "share of the variance", "percent");
    report_series(figure, "share", values);
}

/* The points of the picture in figures, with the intervals of estimates. */
static void add_top(json_t *section, const json_t *top)
{
    static const char *const columns[][2] = {{"tuning set", "train"},          {"low", "train_low"},
                                             {"high", "train_high"},           {"held-out set", "heldout"},
                                             {"held out, low", "heldout_low"}, {"held out, high", "heldout_high"}};
    const json_t *item;
    size_t i;
    char text[240];
    json_t *table = report_table(section, "tune-top", "The best points on both sets");
    report_column(table, "point", "text");
    for (size_t k = 0; k < COUNT_OF(columns); k++) report_column(table, columns[k][0], "number");
    json_array_foreach(top, i, item) {
        json_t *row = report_row(table);
        report_cell_text(row, "%s", report_point_text(json_object_get(item, "params"), text, sizeof text));
        for (size_t k = 0; k < COUNT_OF(columns); k++) report_cell(row, report_get(item, columns[k][1]));
    }
}

static void add_held_out(json_t *section, const json_t *tune)
{
    const json_t *over = json_object_get(tune, "overfitting"), *top = json_object_get(over, "top"), *item;
    size_t i;
    if (json_array_size(top) == 0 || !isfinite(report_get(json_array_get(top, 0), "heldout"))) return;
    json_t *figure = report_scatter(section, "tune-held-out", "Training against held-out",
                                    "The best points of the tuning set on kernels that were not tuned on. The same "
                                    "order on both is what tuning hopes for.",
                                    "tuning set", "held-out set", "number");
    json_object_set_new(figure, "diagonal", json_true());
    json_array_foreach(top, i, item) {
        char text[240];
        report_dot(figure, report_get(item, "train"), report_get(item, "heldout"), i == 0 ? "best" : "others",
                   report_point_text(json_object_get(item, "params"), text, sizeof text));
    }
    if (isfinite(report_get(over, "rank_correlation")))
        report_note(section, "Rank correlation of the best points on the two sets: %.2f.",
                    report_get(over, "rank_correlation"));
    add_top(section, top);
}

static void add_compared_row(json_t *table, const char *what, const json_t *of, const char *key)
{
    json_t *row = report_row(table);
    report_cell_text(row, "%s", what);
    const char *const sets[] = {"train", "heldout"};
    char low[60], high[60];
    snprintf(low, sizeof low, "%s_low", key);
    snprintf(high, sizeof high, "%s_high", key);
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        const json_t *set = json_object_get(of, sets[i]);
        report_cell(row, report_get(set, key));
        report_cell(row, report_get(set, low));
        report_cell(row, report_get(set, high));
    }
}

/* "published: TUCD 5 of BUCL Tab. II". */
static void add_published_row(json_t *table, const json_t *published)
{
    char what[400];
    if (!json_is_object(published)) return;
    snprintf(what, sizeof what, "published%s: %.300s",
             json_is_true(json_object_get(published, "is_default")) ? ", the default" : "",
             report_string(published, "words"));
    add_compared_row(table, what, published, "metric");
}

/* What the best point is compared with, and the points that have a name. */
static void add_compared(json_t *section, const json_t *tune)
{
    const json_t *compared = json_object_get(tune, "compared"), *own = json_object_get(tune, "default");
    char text[240], what[300];
    if (!compared) return;
    const bool is_speedup = strcmp(report_string(tune, "metric"), "speedup") == 0;
    json_t *table = report_table(section, "tune-compared", "What the best is compared with");
    report_column(table, report_string(tune, "metric"), "text");
    static const char *const columns[] = {"tuning set",   "low",           "high",
                                          "held-out set", "held out, low", "held out, high"};
    for (size_t i = 0; i < COUNT_OF(columns); i++) report_column(table, columns[i], "number");
    add_compared_row(table, is_speedup ? "best, over the spec's machine" : "best", compared, "metric");
    if (is_speedup) add_compared_row(table, "best, over the best's machine", compared, "over_same_machine");
    add_compared_row(table, "the best's machine alone", compared, "same_machine_without");
    snprintf(what, sizeof what, "default: %s", report_point_text(json_object_get(own, "params"), text, sizeof text));
    add_compared_row(table, what, own, "metric");
    add_published_row(table, json_object_get(tune, "published"));
    report_note(section, "A machine alone is the machine under the baseline; that of the spec is what the metric "
                         "refers to. The default is what the stack and the spec's machine have by themselves; it and "
                         "what papers publish are always tried first.");
}

/* A figure of each group, with the interval of an estimate. */
static void add_folds_series(json_t *figure, const json_t *groups, const char *name, const char *key)
{
    const json_t *group;
    size_t i;
    char low[60], high[60];
    json_t *values = json_array(), *lows = json_array(), *highs = json_array();
    snprintf(low, sizeof low, "%s_low", key);
    snprintf(high, sizeof high, "%s_high", key);
    json_array_foreach(groups, i, group) {
        json_array_append_new(values, report_number(report_get(group, key)));
        json_array_append_new(lows, report_number(report_get(group, low)));
        json_array_append_new(highs, report_number(report_get(group, high)));
    }
    report_series(figure, name, values);
    report_intervals(figure, lows, highs);
}

static void add_folds_figure(json_t *section, const json_t *tune, const json_t *groups)
{
    const json_t *group;
    size_t i;
    json_t *labels = json_array(),
           *figure = report_figure(section, "points", "tune-out-of-fold", "Does the choice carry over?",
                                   "Each row was left out of a tuning, and the point found was judged on it. Where "
                                   "the others score much more than it does, the choice does not carry over.");
    json_array_foreach(groups, i, group) json_array_append_new(labels, json_string(report_string(group, "name")));
    json_object_set_new(figure, "labels", labels);
    report_axis(figure, "y", report_string(tune, "metric"), "number");
    if (strcmp(report_string(tune, "metric"), "speedup") == 0) json_object_set_new(figure, "reference", json_real(1));
    add_folds_series(figure, groups, "on the others", "train_metric");
    add_folds_series(figure, groups, "on it", "heldout_metric");
    add_folds_series(figure, groups, "default on it", "own_metric");
}

/* Each benchmark, or family, judged by a tuning without it: picture and table. */
static void add_folds(json_t *document, json_t *section, const json_t *tune)
{
    const json_t *folds = json_object_get(tune, "folds"), *groups = json_object_get(folds, "groups"), *group;
    size_t i;
    char text[240];
    if (json_array_size(groups) == 0) return;
    add_folds_figure(section, tune, groups);
    json_t *table = report_table(section, "tune-folds", "Tuned without one benchmark, judged on it");
    report_column(table, "left out", "text");
    report_column(table, "on the others", "number");
    report_column(table, "on it", "number");
    report_column(table, "default on it", "number");
    report_column(table, "best", "text");
    json_array_foreach(groups, i, group) {
        json_t *row = report_row(table);
        report_cell_text(row, "%s", report_string(group, "name"));
        report_cell(row, report_get(group, "train_metric"));
        report_cell(row, report_get(group, "heldout_metric"));
        report_cell(row, report_get(group, "own_metric"));
        report_cell_text(
            row, "%s", report_point_text(json_object_get(json_object_get(group, "best"), "params"), text, sizeof text));
    }
    json_t *all = report_row(table);
    report_cell_text(all, "all, each when left out");
    report_cell(all, NAN);
    report_cell(all, report_get(folds, "heldout_metric"));
    report_cell(all, report_get(folds, "own_metric"));
    report_cell_text(all, "%s", "");
    report_finding(document,
                   "Tuning %s: on benchmarks that the tuning had not seen the %s is %.4g%s; the best of all "
                   "together has %.4g.",
                   report_string(tune, "name"), report_string(tune, "metric"), report_get(folds, "heldout_metric"),
                   json_is_true(json_object_get(folds, "is_estimate")) ? " (an estimate)" : "", report_tune_best(tune));
}

/* Every parameter that exists at some trial, in the order in which they come up: a new object. */
static json_t *parameters_of(const json_t *tune)
{
    const json_t *trial;
    json_t *names = json_object();
    size_t i;
    json_object_update(names, json_object_get(json_object_get(tune, "best"), "params"));
    json_array_foreach(json_object_get(tune, "trials"), i, trial)
        json_object_update_missing(names, json_object_get(trial, "params"));
    return names;
}

static void add_trials(json_t *section, const json_t *tune, json_t *params)
{
    json_t *table = report_table(section, "tune-trials", "Trials"), *trial;
    size_t i;
    report_column(table, "trial", "whole");
    for (void *k = json_object_iter(params); k; k = json_object_iter_next(params, k))
        report_column(table, json_object_iter_key(k), "number");
    report_column(table, "rung", "whole");
    report_column(table, report_string(tune, "metric"), "number");
    report_column(table, "low", "number");
    report_column(table, "high", "number");
    json_array_foreach(json_object_get(tune, "trials"), i, trial) {
        json_t *row = report_row(table);
        report_cell(row, (double)i + 1);
        for (void *k = json_object_iter(params); k; k = json_object_iter_next(params, k)) {
            const json_t *value = json_object_get(json_object_get(trial, "params"), json_object_iter_key(k));
            if (json_is_string(value)) report_cell_text(row, "%s", json_string_value(value));
            else report_cell(row, report_value(value));
        }
        report_cell(row, report_get(trial, "rung"));
        report_cell(row, report_get(trial, "metric"));
        report_cell(row, report_get(trial, "metric_low"));
        report_cell(row, report_get(trial, "metric_high"));
    }
}

int report_add_tune(const struct report_context *c, struct error *err)
{
    const json_t *tune = c->input->tune;
    json_t *params;
    char best[240], text[700], held_out[40], estimated[120];
    (void)err;
    if (!tune) return 0;
    params = json_object_get(json_object_get(tune, "best"), "params");
    report_point_text(params, best, sizeof best);
    report_format("number", report_get(tune, "heldout_metric"), held_out, sizeof held_out);
    snprintf(text, sizeof text, "Best of %.0f points (%.0f runs): %s, with a %s of %.4g on the tuning set%s%s%s.",
             report_get(tune, "points"), report_get(tune, "runs"), best, report_string(tune, "metric"),
             report_tune_best(tune), report_tune_estimated(tune, estimated, sizeof estimated),
             *held_out ? " and on the held-out set " : "", held_out);
    json_t *section = report_open(c, "tune", "Tuning", text);
    add_progress(section, tune);
    report_add_tune_estimates(section, tune);
    params = parameters_of(tune);
    report_add_parallel(section, tune, params);
    report_add_front(section, tune);
    for (void *k = json_object_iter(params); k; k = json_object_iter_next(params, k))
        add_response(section, tune, json_object_iter_key(k));
    report_add_curves(section, tune);
    if (json_object_size(json_object_get(tune, "sensitivity"))) add_sensitivity(section, tune);
    add_held_out(section, tune);
    add_compared(section, tune);
    add_folds(c->document, section, tune);
    report_add_apart(section, tune);
    add_trials(section, tune, params);
    json_decref(params);
    report_finding(c->document, "Tuning %s: %s", report_string(tune, "name"), text);
    return 0;
}
