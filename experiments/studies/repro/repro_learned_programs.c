/* The learned policy on whole programs: their launches in order with L2 kept, most of them too short to be sampled.
 * What it gains over GTO, whether it harms, and what rivals and constants do to the same programs.
 *
 *   intervals   95 %, percentiles of a bootstrap over families: programs of a family are drawn together */
#include <math.h>
#include <stdlib.h>
#include "studies/repro/repro_regret.h"
#include "studies/repro/repro_own.h"

enum { POINTS = 7 };
static const char *const points[POINTS] = {"learned",        "each launch anew", "ladder",        "published weights",
                                           "constant (1,1)", "constant (4,1)",   "constant (8,8)"};

/* Speedups over GTO of the programs, by point; those of `rival` NULL: the mean stands alone. */
struct drawn {
    const double *speedups, *rival;
};

static double mean_of_drawn(const size_t *rows, size_t n, void *context)
{
    const struct drawn *d = context;
    double time = 0, rival = 0;
    for (size_t i = 0; i < n; i++) {
        time += 1 / d->speedups[rows[i]];
        rival += d->rival ? 1 / d->rival[rows[i]] : 0;
    }
    return d->rival ? rival / time : (double)n / time;
}

static void interval_row(const struct groups *groups, struct drawn *d, double ours, const char *label, double ci[2],
                         struct repro_report *report)
{
    repro_bootstrap(groups, mean_of_drawn, d, ci);
    repro_row(report, NAN, ours, "x", "%s", label);
    repro_interval(report, ci);
}

static void tell_harm(const struct repro_data *data, const double *speedups, const char *point,
                      struct repro_report *report)
{
    double least = INFINITY;
    size_t below = 0;
    for (size_t b = 0; b < data->n; b++) {
        least = fmin(least, speedups[b]);
        below += speedups[b] < 0.98;
    }
    repro_row(report, NAN, (double)below, "programs", "%s, below 0.98 of GTO", point);
    repro_row(report, NAN, least, "x", "%s, worst program over GTO", point);
    if (point != points[0]) return;
    repro_check(report, below == 0, "it costs no program more than 2 %% of GTO's speed (%zu do, least %.2f)", below,
                least);
}

static void tell_all(const struct repro_data *data, const struct groups *groups, double *speedups,
                     struct repro_report *report)
{
    double mean[POINTS], ci[2];
    char label[64];
    for (size_t i = 0; i < POINTS; i++) {
        double *own = speedups + i * data->n;
        const size_t point = repro_point(data, points[i]);
        for (size_t b = 0; b < data->n; b++) own[b] = repro_speedup(data, b, point);
        mean[i] = repro_mean(MEAN_HARMONIC, own, data->n);
        struct drawn d = {own, NULL};
        interval_row(groups, &d, mean[i], points[i], ci, report);
        tell_harm(data, own, points[i], report);
    }
    for (size_t i = 1; i < POINTS; i++) {
        struct drawn d = {speedups, speedups + i * data->n};
        snprintf(label, sizeof label, "learned over %s", points[i]);
        interval_row(groups, &d, mean[0] / mean[i], label, ci, report);
        repro_check(report, ci[0] > 1, "the learned policy is faster than %s, the interval above 1 (%.2f to %.2f)",
                    points[i], ci[0], ci[1]);
    }
    for (size_t b = 0; b < data->n; b++) {
        const char *name = data->benchmarks[b].name;
        repro_cell(report, NAN, repro_value(data, b, 0, "core_cycles") / 1000, "k cycles", name, "GTO");
        for (size_t i = 0; i < POINTS; i++)
            repro_cell(report, NAN, speedups[i * data->n + b], "x", name, "%s", points[i]);
    }
}

static void report_programs(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double *speedups = calloc(data->n + 1, POINTS * sizeof *speedups);
    const char **names = calloc(data->n + 1, sizeof *names);
    struct groups groups;
    struct error err;
    (void)study;
    for (size_t b = 0; names && b < data->n; b++) names[b] = workload_family(data->benchmarks[b].workload);
    if (!speedups || !names || groups_init(&groups, names, data->n, &err) < 0) {
        report->out_of_memory = true;
    } else {
        report->n_families = groups.n_groups;
        tell_all(data, &groups, speedups, report);
        groups_fini(&groups);
        repro_deviation(report,
                        "no paper has this set; networks have learned from launches at size eval of other families");
    }
    free(speedups);
    free(names);
}

const struct repro_study repro_learned_programs = {.id = "learned-programs",
                                                   .title = "the learned policy on whole programs, launches in order",
                                                   .source = "this project",
                                                   .mean = MEAN_HARMONIC,
                                                   .spec = "learned/programs.yaml",
                                                   .report = report_programs,
                                                   .runs_programs = true};
