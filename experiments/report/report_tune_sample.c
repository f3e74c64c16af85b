/* A sampled tuning: its trials are estimates, and are drawn with their intervals. */
#include <math.h>
#include <stdlib.h>
#include "report/report_internal.h"

enum { TRIALS_DRAWN = 16 };

double report_tune_best(const json_t *tune)
{
    const double exact = report_get(tune, "train_metric");
    return isfinite(exact) ? exact : report_get(tune, "train_estimate");
}

const char *report_tune_estimated(const json_t *tune, char *text, size_t size)
{
    const double low = report_get(tune, "train_estimate_low"), high = report_get(tune, "train_estimate_high");
    *text = '\0';
    if (!isfinite(low)) return text;
    if (isfinite(report_get(tune, "train_metric")))
        snprintf(text, size, " (simulated; the estimate was %.4g, %.4g to %.4g)", report_get(tune, "train_estimate"),
                 low, high);
    else snprintf(text, size, " (an estimate; %.4g to %.4g)", low, high);
    return text;
}

struct ranked {
    size_t trial;
    double metric;
};
static int by_metric(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->metric != y->metric ? (x->metric < y->metric) - (x->metric > y->metric)
                                  : (x->trial > y->trial) - (x->trial < y->trial);
}

void report_add_tune_estimates(json_t *section, const json_t *tune)
{
    const json_t *trials = json_object_get(tune, "trials"), *sample = json_object_get(tune, "sample");
    struct ranked *ranked = calloc(json_array_size(trials) + 1, sizeof *ranked);
    size_t n = 0;
    char point[240], label[300];
    if (!sample || !ranked) return free(ranked);
    for (size_t i = 0; i < json_array_size(trials); i++)
        if (isfinite(report_get(json_array_get(trials, i), "metric")))
            ranked[n++] = (struct ranked){i, report_get(json_array_get(trials, i), "metric")};
    qsort(ranked, n, sizeof *ranked, by_metric);
    json_t *labels = json_array(), *values = json_array(), *lows = json_array(), *highs = json_array(),
           *exact = json_array();
    for (size_t i = 0; i < n && i < TRIALS_DRAWN; i++) {
        const json_t *trial = json_array_get(trials, ranked[i].trial);
        report_point_text(json_object_get(trial, "params"), point, sizeof point);
        snprintf(label, sizeof label, "%zu: %s", ranked[i].trial + 1, point);
        json_array_append_new(labels, json_string(label));
        json_array_append_new(values, report_number(ranked[i].metric));
        json_array_append_new(lows, report_number(report_get(trial, "metric_low")));
        json_array_append_new(highs, report_number(report_get(trial, "metric_high")));
        json_array_append_new(exact, report_number(i == 0 ? report_get(tune, "train_metric") : NAN));
    }
    free(ranked);
    json_t *figure = report_figure(section, "points", "tune-estimates", "The best trials, as estimated",
                                   "Estimates from a sample of each program's launches, with intervals of 95 %. Trials "
                                   "whose intervals overlap cannot be told apart. The best of them was then simulated "
                                   "whole where a second mark stands beside it.");
    json_object_set_new(figure, "labels", labels);
    report_axis(figure, "y", report_string(tune, "metric"), "number");
    json_object_set_new(figure, "reference", json_real(1));
    json_object_set_new(figure, "zero", json_false()); /* intervals are narrow */
    report_series(figure, "estimate", values);
    report_intervals(figure, lows, highs);
    if (isfinite(report_get(tune, "train_metric"))) report_series(figure, "simulated", exact);
    else json_decref(exact);
    report_note(section,
                "Trials are estimates from %.3g %% of their warp instructions, within %.3g %%; none of them is a "
                "run.",
                100 * report_get(sample, "share_of_work"), 100 * report_get(sample, "error"));
}
