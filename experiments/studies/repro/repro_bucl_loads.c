/* Loads by their degree of un-coalescing: BUCL Figs. 2 to 5 and §III.D. */
#include <math.h>
#include <string.h>
#include "studies/repro/repro_bucl.h"

static const char *const groups[] = {"1", "2", "3_10", "11_20", "21_32"}, *const titles[] = {"1", "2", "3-10", "11-20",
                                                                                             "21-32"};
enum { GROUPS = 5, LAST = GROUPS - 1 };

/* A counter of the observer for a group of loads. */
static double of_group(const struct repro_data *data, size_t b, const char *counter, size_t group)
{
    char name[48];
    snprintf(name, sizeof name, "%s_%s", counter, groups[group]);
    return repro_mech_value(data, b, 0, "divergence", name);
}

static double share(const struct repro_data *data, size_t b, const char *counter, size_t from)
{
    double part = 0, whole = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        whole += of_group(data, b, counter, g);
        part += g >= from ? of_group(data, b, counter, g) : 0;
    }
    return whole > 0 ? 100 * part / whole : NAN;
}

static double quotient(const struct repro_data *data, size_t b, const char *num, const char *den, size_t group)
{
    const double d = of_group(data, b, den, group);
    return d > 0 ? of_group(data, b, num, group) / d : NAN;
}

/* ---- Fig. 2 ---- */

static void report_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    size_t right = 0, n = 0;
    (void)study;
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (b == data->n) continue;
        const double divergent = share(data, b, "loads", 2);
        const bool is_kmn = strcmp(bucl_benchmarks[i].label, "KMN") == 0;
        for (size_t g = 0; g < GROUPS; g++)
            repro_cell(report, is_kmn && g == LAST ? 50 : NAN,
                       share(data, b, "loads", g) - (g < LAST ? share(data, b, "loads", g + 1) : 0), "%",
                       bucl_benchmarks[i].label, "loads of %s requests", titles[g]);
        if (is_kmn) repro_row(report, 97, share(data, b, "requests", LAST), "%", "KMN requests of loads of 21-32");
        n++;
        right += (divergent > 10) == bucl_benchmarks[i].is_uncoalesced;
        if ((divergent > 10) != bucl_benchmarks[i].is_uncoalesced)
            repro_deviation(report, "%s: %.1f %% of its loads make more than two requests, the paper's group is '%s'",
                            bucl_benchmarks[i].label, divergent,
                            bucl_benchmarks[i].is_uncoalesced ? "un-coalesced" : "coherent");
    }
    const double all = n ? (double)n : NAN;
    BUCL_CHECK(report, all, right == n,
               "more than 10 %% of loads with a degree above 2 in just the un-coalesced group (%zu of %zu)", right, n);
    bucl_note(data, report);
}
const struct repro_study repro_bucl_2 = {
    "bucl-2", "loads by their degree of un-coalescing", "BUCL Fig. 2", MEAN_ARITHMETIC, "bucl/loads.yaml", report_2,
    NULL};

/* ---- Fig. 3 ---- */

static void report_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const double u = bucl_mean(data, study->mean, true, bucl_hit_rate, 0),
                 c = bucl_mean(data, study->mean, false, bucl_hit_rate, 0);
    double lowest = INFINITY, nw = NAN;
    repro_row(report, 18, u, "%", "un-coalesced, mean");
    repro_row(report, NAN, c, "%", "coherent, mean");
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (b == data->n) continue;
        const double rate = bucl_hit_rate(data, b, 0);
        repro_row(report, NAN, rate, "%", "%s", bucl_benchmarks[i].label);
        if (strcmp(bucl_benchmarks[i].label, "NW") == 0) nw = rate;
        else if (!bucl_benchmarks[i].is_uncoalesced) lowest = fmin(lowest, rate);
    }
    BUCL_CHECK(report, u + c, c > u, "coherent benchmarks hit more often than un-coalesced ones");
    BUCL_CHECK(report, nw + (isinf(lowest) ? NAN : 0), nw < lowest, "of coherent benchmarks NW hits least");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_3 = {
    "bucl-3", "L1D hit rates of the baseline", "BUCL Fig. 3", MEAN_ARITHMETIC, "bucl/loads.yaml", report_3, NULL};

/* ---- Fig. 4 ---- */

static void report_4(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    size_t more = 0;
    double whole = 0;
    for (size_t p = 1; p < data->n_points; p++) {
        const double u = 100 * (bucl_mean(data, study->mean, true, bucl_speedup, p) - 1),
                     c = 100 * (bucl_mean(data, study->mean, false, bucl_speedup, p) - 1);
        repro_row(report, NAN, u, "%", "un-coalesced gain, %s", data->points[p]);
        repro_row(report, NAN, c, "%", "coherent gain, %s", data->points[p]);
        whole += u + c;
        more += u > c;
    }
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        for (size_t p = 1; p < data->n_points && b < data->n; p++)
            repro_cell(report, NAN, 100 * (repro_speedup(data, b, p) - 1), "%", bucl_benchmarks[i].label, "gain, %s",
                       data->points[p]);
    }
    BUCL_CHECK(report, whole, more == data->n_points - 1,
               "un-coalesced benchmarks gain more from a larger L1 than coherent ones");
    repro_deviation(report, "the figure's values are not in its text, nor the sizes; ours grow the associativity");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_4 = {
    "bucl-4", "gain from a larger L1D", "BUCL Fig. 4", MEAN_GEOMETRIC, "bucl/capacity.yaml", report_4, NULL};

/* ---- Fig. 5 ---- */

/* One panel: a value for each group of a benchmark's loads, over that of group 1 if normalised. */
struct panel {
    const char *title, *num, *den, *unit;
    bool is_normalised;
};
struct told {
    const char *label, *title;
    size_t group;
    double value;
};

static void panel_rows(const struct repro_data *data, const struct panel *panel, const struct told *told, size_t n_told,
                       size_t *agree, size_t *n, bool is_rising, struct repro_report *report)
{
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (b == data->n) continue;
        const double first = quotient(data, b, panel->num, panel->den, 0), scale = panel->is_normalised ? first : 0.01;
        double last = NAN;
        for (size_t g = 0; g < GROUPS; g++) {
            const double value = quotient(data, b, panel->num, panel->den, g) / scale;
            double paper = NAN;
            for (size_t t = 0; t < n_told; t++)
                if (strcmp(told[t].label, bucl_benchmarks[i].label) == 0 && told[t].title == panel->title &&
                    told[t].group == g)
                    paper = told[t].value;
            if (isfinite(value) || !isnan(paper))
                repro_cell(report, paper, value, panel->unit, bucl_benchmarks[i].label, "%s, %s requests", panel->title,
                           titles[g]);
            if (g >= 2 && isfinite(value)) last = value;
        }
        if (isnan(last) || !isfinite(first / scale)) continue;
        ++*n;
        *agree += is_rising ? last > first / scale : last < first / scale;
    }
}

static void report_5(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct panel ahl = {"all-hit loads", "all_hit", "done", "%", false},
                              latency = {"latency", "latency", "done", "1", true},
                              reuse = {"block reuse", "reused", "looked", "1", true};
    static const char *const ahl_title = "all-hit loads", *const latency_title = "latency",
                             *const reuse_title = "block reuse";
    const struct told told[] = {{"KMN", ahl_title, 0, 23},         {"KMN", ahl_title, LAST, 0.2},
                                {"BFS", latency_title, LAST, 3.5}, {"PTF", latency_title, LAST, 13.6},
                                {"BFS", reuse_title, 3, 0.014},    {"BFS", reuse_title, LAST, 0.015}};
    size_t n[3] = {0}, agree[3] = {0};
    (void)study;
    struct panel panels[3] = {ahl, latency, reuse};
    panels[0].title = ahl_title;
    panels[1].title = latency_title;
    panels[2].title = reuse_title;
    for (size_t k = 0; k < 3; k++) panel_rows(data, &panels[k], told, COUNT_OF(told), &agree[k], &n[k], k == 1, report);
    BUCL_CHECK(report, n[0] ? 1.0 : NAN, agree[0] == n[0],
               "loads of the highest degree are all-hit less often than coalesced ones (%zu of %zu)", agree[0], n[0]);
    BUCL_CHECK(report, n[1] ? 1.0 : NAN, agree[1] == n[1], "they take longer (%zu of %zu)", agree[1], n[1]);
    BUCL_CHECK(report, n[2] ? 1.0 : NAN, agree[2] == n[2], "their blocks are reused less (%zu of %zu)", agree[2], n[2]);
    repro_deviation(report, "a block asked for is reused if a load asks for it again before it leaves L1, merges "
                            "included; the paper does not say");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_5 = {"bucl-5",
                                         "all-hit loads, latency and block reuse by degree",
                                         "BUCL Fig. 5",
                                         MEAN_ARITHMETIC,
                                         "bucl/loads.yaml",
                                         report_5,
                                         NULL};

/* ---- §III.D ---- */

static void report_partitions(const struct repro_study *study, const struct repro_data *data,
                              struct repro_report *report)
{
    size_t uneven = 0, unsteady = 0;
    (void)study;
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (b == data->n) continue;
        const double n = repro_mech_value(data, b, 0, "divergence", "buffer_periods"),
                     mean = repro_mech_value(data, b, 0, "divergence", "buffer_mean_sum");
        const double fullest = repro_mech_value(data, b, 0, "divergence", "buffer_fullest_sum") / mean,
                     change = repro_mech_value(data, b, 0, "divergence", "buffer_change_sum") / mean;
        repro_cell(report, NAN, mean / n / 1e4, "%", bucl_benchmarks[i].label, "utilisation, mean");
        repro_cell(report, NAN, repro_mech_value(data, b, 0, "divergence", "buffer_peak") / 1e4, "%",
                   bucl_benchmarks[i].label, "highest of a sub-partition");
        repro_cell(report, NAN, fullest, "1", bucl_benchmarks[i].label, "fullest sub-partition over the mean");
        repro_cell(report, NAN, change, "1", bucl_benchmarks[i].label, "change a period over the mean");
        uneven += fullest > 1.5;
        unsteady += change > 0.5;
    }
    repro_row(report, 1, (double)(uneven > 0), "1", "some benchmark is uneven (1 = yes)");
    repro_check(report, uneven > 0,
                "in some benchmarks the fullest sub-partition is used 1.5 times the mean or more (%zu of %zu)", uneven,
                data->n);
    repro_check(report, unsteady > 0,
                "in some its use changes by more than half the mean from one period to the next (%zu of %zu)", unsteady,
                data->n);
    repro_deviation(report, "the paper states both and gives no figures; the bounds of 1.5 and a half are ours");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_partitions = {"bucl-partitions",
                                                  "use of the memory sub-partitions' input buffers",
                                                  "BUCL III.D",
                                                  MEAN_ARITHMETIC,
                                                  "bucl/loads.yaml",
                                                  report_partitions,
                                                  NULL};
