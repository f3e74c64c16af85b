/* The Sharing Tracker, about which THESIS §4.6.2 argues: off-chip traffic hardly falls where L1s share, so a directory
 * at L2 has little to save. */
#include <math.h>
#include "studies/repro/repro_ccn.h"

static double over(const struct repro_data *data, size_t b, size_t p, const char *base)
{
    return 100 * (repro_value(data, b, p, "ipc") / repro_value(data, b, repro_point(data, base), "ipc") - 1);
}
static double alone(const struct repro_data *data, size_t b, size_t p) { return over(data, b, p, "base"); }
static double on_quarter(const struct repro_data *data, size_t b, size_t p) { return over(data, b, p, "quarter L2"); }
static double on_banks(const struct repro_data *data, size_t b, size_t p) { return over(data, b, p, "2x banks"); }
static double on_ccn(const struct repro_data *data, size_t b, size_t p) { return over(data, b, p, "CCN-RT"); }
static double reads(const struct repro_data *data, size_t b, size_t p) { return repro_value(data, b, p, "dram_reads"); }
static double off_chip(const struct repro_data *data, size_t b, size_t p) { return ccn_change(data, b, p, reads); }

/* Percent of what L2 misses. */
static double share(const struct repro_data *data, size_t p, const char *counter)
{
    double sum = 0, misses = 0;
    for (size_t b = 0; b < data->n; b++) {
        const double value = repro_mech_value(data, b, p, "sharing_tracker", counter);
        if (isnan(value)) continue;
        sum += value;
        misses += repro_mech_value(data, b, p, "sharing_tracker", "misses");
    }
    return misses > 0 ? 100 * sum / misses : NAN;
}

static void report_tracker(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *point;
        ccn_value gain;
    } points[] = {{"tracker", alone},
                  {"quarter L2 tracker", on_quarter},
                  {"2x banks tracker", on_banks},
                  {"CCN-RT tracker", on_ccn}};
    double g[COUNT_OF(points)];
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        const size_t p = repro_point(data, points[i].point);
        g[i] = ccn_mean(study, data, p, points[i].gain);
        repro_row(report, NAN, g[i], "%", "what the tracker adds, %s", points[i].point);
        repro_row(report, NAN, share(data, p, "tracked"), "%", "L2 misses whose line another SM read last, %s",
                  points[i].point);
        repro_row(report, NAN, share(data, p, "hits"), "%", "L2 misses that an L1 answered, %s", points[i].point);
        for (size_t b = 0; b < data->n; b++)
            repro_cell(report, NAN, points[i].gain(data, b, p), "%", data->benchmarks[b].name, "%s", points[i].point);
    }
    static const char *const others[] = {"2x banks", "2x banks tracker", "CCN-RT", "CCN-RT tracker"};
    static const double published[] = {10.2, NAN, 14.7, NAN};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        repro_row(report, published[i], ccn_mean(study, data, repro_point(data, others[i]), ccn_gain), "%",
                  "mean gain, %s", others[i]);
    const size_t p = repro_point(data, "tracker");
    repro_row(report, NAN, ccn_mean(study, data, p, off_chip), "%", "change of DRAM reads, tracker");
    repro_check(report, share(data, p, "hits") < 5, "L1s hold little of what L2 misses");
    repro_check(report, fabs(g[0]) < 2, "so that a directory at L2 gains nothing to speak of");
    repro_check(report, ccn_mean(study, data, repro_point(data, "CCN-RT"), ccn_gain) > g[0],
                "the network gains more than the tracker");
    repro_deviation(report, "the thesis expects a loss, as the directory keeps L2 busier; ours takes no time of L2 or "
                            "the crossbars (ways of fixed latency), so its loss can only be what lost lines cost");
    repro_deviation(report, "a quarter of L2's sets: the L1s of 15 SMs then hold more than L2 does");
}
const struct repro_study repro_ccn_tracker = {"ccn-tracker",
                                              "a directory at L2 that fetches from L1s",
                                              "THESIS 4.6.2",
                                              MEAN_ARITHMETIC,
                                              "thesis-ch4/tracker.yaml",
                                              report_tracker,
                                              NULL};
