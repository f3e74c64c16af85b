/* The Cooperative Caching Network on more SMs: one ring, rings apart, and rings that a global ring joins. [THESIS
 * §4.5.6] */
#include <math.h>
#include "studies/repro/repro_ccn.h"

enum { SIZES = 3, SHAPES = 4 };
static const char *const sizes[SIZES] = {"15 SMs", "32 SMs", "80 SMs"};
static const char *const shapes[SHAPES] = {"one ring", "rings apart", "rings joined", "ideal"};

static size_t base_of(const struct repro_data *data, size_t size) { return size ? repro_point(data, sizes[size]) : 0; }
static size_t point_of(const struct repro_data *data, size_t size, size_t shape)
{
    char name[REPRO_NAME_MAX];
    snprintf(name, sizeof name, "%s %s", sizes[size], shapes[shape]);
    return repro_point(data, name);
}

/* Against as many SMs without the network. */
static double gain(const struct repro_data *data, size_t b, size_t size, size_t shape)
{
    return 100 * (repro_value(data, b, point_of(data, size, shape), "ipc") /
                      repro_value(data, b, base_of(data, size), "ipc") -
                  1);
}

static double mean_gain(const struct repro_study *study, const struct repro_data *data, size_t size, size_t shape)
{
    double values[64];
    const size_t n = data->n < COUNT_OF(values) ? data->n : COUNT_OF(values);
    for (size_t b = 0; b < n; b++) values[b] = gain(data, b, size, shape);
    return repro_mean(study->mean, values, n);
}

/* A counter of the network over another, both summed over the benchmarks. */
static double over(const struct repro_data *data, size_t p, const char *counter, const char *by)
{
    double sum = 0, all = 0;
    for (size_t b = 0; b < data->n; b++) {
        const double value = repro_mech_value(data, b, p, "ccn", counter), n = repro_mech_value(data, b, p, "ccn", by);
        if (isnan(value) || isnan(n)) continue;
        sum += value;
        all += n;
    }
    return all > 0 ? sum / all : NAN;
}

static void report_scale(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double g[SIZES][SHAPES], overhead[SIZES][SHAPES];
    for (size_t s = 0; s < SIZES; s++)
        for (size_t k = 0; k < SHAPES; k++) {
            const size_t p = point_of(data, s, k);
            g[s][k] = mean_gain(study, data, s, k);
            repro_row(report, NAN, g[s][k], "%", "mean gain, %s, %s", sizes[s], shapes[k]);
            if (k == SHAPES - 1) continue;
            overhead[s][k] = over(data, p, "round_cycles", "returned");
            repro_row(report, NAN, 100 * over(data, p, "hits", "misses"), "%", "h_reuse, %s, %s", sizes[s], shapes[k]);
            repro_row(report, NAN, over(data, p, "hit_cycles", "hits"), "cycles", "l_reuse, %s, %s", sizes[s],
                      shapes[k]);
            repro_row(report, NAN, overhead[s][k], "cycles", "a round without a hit, %s, %s", sizes[s], shapes[k]);
        }
    for (size_t s = 0; s < SIZES; s++)
        repro_row(report, NAN, 100 * over(data, point_of(data, s, 2), "bridge_full", "entered"), "%",
                  "requests that found their bridge's table full, %s", sizes[s]);
    for (size_t b = 0; b < data->n; b++)
        for (size_t s = 0; s < SIZES; s++)
            for (size_t k = 0; k < SHAPES; k++)
                repro_cell(report, NAN, gain(data, b, s, k), "%", data->benchmarks[b].name, "%s %s", sizes[s],
                           shapes[k]);
    for (size_t s = 1; s < SIZES; s++) {
        repro_check(report, overhead[s][2] < overhead[s][0], "%s: a round without a hit is shorter with rings joined",
                    sizes[s]);
        repro_check(report, g[s][2] > g[s][0], "%s: rings joined gain more than one ring", sizes[s]);
        repro_check(report, g[s][2] > g[s][1], "%s: rings joined gain more than rings apart", sizes[s]);
    }
    repro_deviation(report, "the thesis names the hierarchy and measures none. 32 SMs are kepler32 and 80 volta80: "
                            "machines that differ in more than their SMs; small inputs leave many of 80 SMs idle");
}
const struct repro_study repro_ccn_scale = {"ccn-scale",
                                            "the network on 15, 32 and 80 SMs, with and without a hierarchy of rings",
                                            "THESIS 4.5.6",
                                            MEAN_ARITHMETIC,
                                            "thesis-ch4/scale.yaml",
                                            report_scale,
                                            NULL};
