/* L2 lockdown over whole programs. [ELASTIC Fig. 17, §6C] */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "poise/repro.h"
#include "studies/repro/repro_own.h"

static const char *const algorithms[] = {"in flight", "profile", "decay", "relaxed"};
static const unsigned percentiles[] = {50, 90, 99};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms, THRESHOLDS = sizeof percentiles / sizeof *percentiles };

static size_t locked_point(const struct repro_data *data, size_t algorithm, size_t threshold)
{
    char name[64];
    snprintf(name, sizeof name, "%s p%u", algorithms[algorithm], percentiles[threshold]);
    return repro_point(data, name);
}

/* Instructions a second over those at another point, in percent. */
static double gain(const struct repro_data *data, size_t b, size_t point, const char *over)
{
    return 100 * (repro_speedup(data, b, point) / repro_speedup(data, b, repro_point(data, over)) - 1);
}

static double counted(const struct repro_data *data, size_t b, size_t point, const char *counter)
{
    return repro_mech_value(data, b, point, "lockdown", counter);
}

static size_t find(const struct repro_data *data, const char *name)
{
    size_t b = 0;
    while (b < data->n && strcmp(data->benchmarks[b].name, name) != 0) b++;
    return b;
}

/* The largest change by any algorithm at one threshold. */
static double most_change(const struct repro_data *data, size_t threshold)
{
    double most = 0;
    for (size_t b = 0; b < data->n; b++)
        for (size_t a = 0; a < ALGORITHMS; a++)
            most = fmax(most, fabs(gain(data, b, locked_point(data, a, threshold), "sector")));
    return most;
}

static double bypassed(const struct repro_data *data, size_t threshold)
{
    double sum = 0;
    for (size_t b = 0; b < data->n; b++)
        for (size_t a = 0; a < ALGORITHMS; a++) sum += counted(data, b, locked_point(data, a, threshold), "bypassed");
    return sum;
}

static void report_program(const struct repro_data *data, size_t b, struct repro_report *report)
{
    const char *name = data->benchmarks[b].name;
    for (size_t a = 0; a < ALGORITHMS; a++)
        for (size_t t = 0; t < THRESHOLDS; t++)
            repro_cell(report, NAN, gain(data, b, locked_point(data, a, t), "sector"), "%", name, "%s p%u",
                       algorithms[a], percentiles[t]);
    for (size_t t = 0; t < THRESHOLDS; t++) {
        const size_t p = locked_point(data, 0, t);
        repro_cell(report, NAN, counted(data, b, p, "threshold"), "accesses", name, "threshold p%u", percentiles[t]);
        repro_cell(report, NAN, counted(data, b, p, "locked"), "lines", name, "lines locked p%u", percentiles[t]);
        repro_cell(report, NAN, counted(data, b, p, "bypassed"), "accesses", name, "around L2 p%u", percentiles[t]);
    }
    repro_cell(report, NAN, gain(data, b, repro_point(data, "elastic"), "sector"), "%", name, "elastic L1");
    repro_cell(report, NAN, gain(data, b, repro_point(data, "elastic in flight p50"), "sector"), "%", name,
               "elastic L1, in flight p50");
}

static void report_17(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const size_t nw = find(data, "nw");
    (void)study;
    double best_with_elastic = -INFINITY;
    for (size_t b = 0; b < data->n; b++)
        best_with_elastic =
            fmax(best_with_elastic, gain(data, b, repro_point(data, "elastic in flight p50"), "elastic"));
    if (nw < data->n) {
        const double low = gain(data, nw, locked_point(data, 0, 0), "sector");
        repro_row(report, 2, low, "%", "nw, locked in flight at a low threshold (p50), over sector");
        repro_row(report, 2, gain(data, nw, locked_point(data, 0, 0), "relaxed p50"), "%", "the same over relaxed");
        repro_check(report, low > 0, "nw gains at a low threshold");
    }
    repro_row(report, 0, most_change(data, THRESHOLDS - 1), "%", "most that any program changes at the highest (p99)");
    repro_row(report, 0, bypassed(data, THRESHOLDS - 1), "accesses", "around L2 at p99, all programs and algorithms");
    repro_row(report, NAN, bypassed(data, 0), "accesses", "the same at p50");
    repro_row(report, 0, best_with_elastic, "%", "most that a program gains by locking beside an elastic L1");
    for (size_t b = 0; b < data->n; b++) report_program(data, b, report);
    repro_check(report, most_change(data, THRESHOLDS - 1) < 1, "at a high threshold nothing changes (1 %%)");
    repro_check(report, bypassed(data, THRESHOLDS - 1) == 0, "there no set is ever locked altogether");
    repro_check(report, best_with_elastic < 1, "beside an elastic L1 locking gains nothing (1 %%)");
    repro_deviation(report, "the figure has no numbers in the text, nor has the paper thresholds: here they are "
                            "percentiles of the counts of a profiling run of each program");
    repro_deviation(report, "a line is locked while its count is above the threshold; counts are of lines of 128 bytes "
                            "and live through a program's launches, as L2's lines do");
    repro_deviation(report, "the paper's run GPGPU-Sim 4 on Rodinia with its inputs, ours our own kernels and inputs");
}
const struct repro_study repro_elastic_17 = {.id = "elastic-17",
                                             .title = "L2 lockdown over its algorithms and thresholds",
                                             .source = "ELASTIC Fig. 17",
                                             .mean = MEAN_ARITHMETIC,
                                             .spec = "elastic/locked.yaml",
                                             .report = report_17,
                                             .runs_programs = true};
