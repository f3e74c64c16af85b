/* Performance against a fixed L1 miss latency, whose curves are interpolated: THESIS Fig. 3.2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_own.h"

#define PLATEAU 0.95 /* of the best performance */
struct curve {
    double plateau, intercept;
};

/* Where the curve leaves its plateau and where it meets the baseline, by linear interpolation; NAN where it does not
 * within the range. */
static double crossing(const struct repro_data *data, size_t b, double level)
{
    for (size_t p = 2; p < data->n_points; p++) {
        const double x0 = repro_param(data, p - 1, "ideal", "latency_cycles"),
                     x1 = repro_param(data, p, "ideal", "latency_cycles");
        const double y0 = repro_speedup(data, b, p - 1), y1 = repro_speedup(data, b, p);
        if (y0 >= level && y1 < level) return x0 + (x1 - x0) * (y0 - level) / (y0 - y1);
    }
    return NAN;
}

static struct curve curve_of(const struct repro_data *data, size_t b)
{
    double best = 0;
    for (size_t p = 1; p < data->n_points; p++) best = fmax(best, repro_speedup(data, b, p));
    return (struct curve){.plateau = crossing(data, b, PLATEAU * best), .intercept = crossing(data, b, 1)};
}

/* What the text says of nn: 3.3 at 0 cycles, 3.03 at 250, and 1.9 times less 250 cycles on. */
static double published_at(const struct repro_data *data, size_t b, size_t p)
{
    const double cycles = repro_param(data, p, "ideal", "latency_cycles");
    if (strcmp(data->benchmarks[b].name, "nn") != 0) return NAN;
    return cycles == 0 ? 3.3 : cycles == 250 ? 3.03 : NAN;
}

static void nn_falls(const struct repro_data *data, struct repro_report *report)
{
    for (size_t b = 0; b < data->n; b++)
        if (strcmp(data->benchmarks[b].name, "nn") == 0)
            repro_row(report, 1.9,
                      repro_speedup(data, b, repro_point(data, "250 cycles")) /
                          repro_speedup(data, b, repro_point(data, "500 cycles")),
                      "x", "nn at 250 cycles over nn at 500");
}

static void report_3_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double *values = calloc(3 * data->n + 1, sizeof *values), *plateau = values + data->n,
           *intercept = plateau + data->n;
    double last = INFINITY;
    size_t beyond = 0, met = 0;
    bool falls = true;
    if (!values) {
        report->out_of_memory = true;
        return;
    }
    for (size_t b = 0; b < data->n; b++) {
        const struct curve c = curve_of(data, b);
        plateau[b] = c.plateau;
        intercept[b] = c.intercept;
        met += !isnan(c.intercept);
        beyond += !isnan(c.intercept) && c.plateau < c.intercept;
    }
    const double mean_intercept = repro_mean(study->mean, intercept, data->n);
    repro_row(report, 452, mean_intercept, "cycles", "mean latency at baseline performance");
    repro_row(report, NAN, repro_mean(study->mean, plateau, data->n), "cycles",
              "mean latency at the plateau's end (%g of best)", PLATEAU);
    for (size_t p = 1; p < data->n_points; p++) {
        for (size_t b = 0; b < data->n; b++) values[b] = repro_speedup(data, b, p);
        const double mean = repro_mean(study->mean, values, data->n);
        repro_row(report, NAN, mean, "x", "mean at %g cycles", repro_param(data, p, "ideal", "latency_cycles"));
        falls = falls && mean <= 1.02 * last;
        last = mean;
    }
    for (size_t b = 0; b < data->n; b++) {
        repro_cell(report, NAN, plateau[b], "cycles", data->benchmarks[b].name, "plateau's end");
        repro_cell(report, NAN, intercept[b], "cycles", data->benchmarks[b].name, "at baseline performance");
    }
    nn_falls(data, report);
    for (size_t b = 0; b < data->n; b++)
        for (size_t p = 1; p < data->n_points; p++)
            repro_cell(report, published_at(data, b, p), repro_speedup(data, b, p), "x", data->benchmarks[b].name,
                       "at %g cycles", repro_param(data, p, "ideal", "latency_cycles"));
    repro_check(report, falls, "performance falls as the L1 miss latency grows");
    repro_check(report, 2 * beyond > data->n, "the baseline lies beyond the plateau for most benchmarks (%zu of %zu)",
                beyond, data->n);
    repro_check(report,
                mean_intercept >
                    repro_param(data, 0, "l2", "round_trip_cycles") + repro_param(data, 0, "dram", "extra_cycles"),
                "the baseline's latency is above the uncongested L2 and DRAM latencies");
    repro_deviation(report,
                    "the paper's 452 is the AML of Fig. 3.1, which its Fig. 3.2 says the curves meet; %zu of %zu "
                    "curves meet the baseline within the sweep",
                    met, data->n);
    free(values);
}

const struct repro_study repro_thesis_3_2 = {.id = "thesis-3.2",
                                             .title = "performance against a fixed L1 miss latency",
                                             .source = "THESIS Fig. 3.2",
                                             .mean = MEAN_ARITHMETIC,
                                             .spec = "thesis-ch3/latency.yaml",
                                             .report = report_3_2};
