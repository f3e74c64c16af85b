/* The Cooperative Caching Network on whole programs: their launches in order with L2 kept between them (ccn-programs),
 * or each launch cold (ccn-launches). Benchmarks are grouped by the reuse that is measured in the same runs, as the
 * thesis groups its own by Tab. 4.2 [THESIS Figs. 4.6 and 4.7], and by that table. */
#include <math.h>
#include "studies/repro/repro_ccn.h"

enum { B, RT, AS_PUBLISHED, IDEAL, POINTS };
static const char *const points[POINTS] = {"CCN-B", "CCN-RT", "CCN-RT as published", "ideal"};

struct group {
    const char *name;
    bool is_measured, is_high; /* by our mu_RC or the thesis's; above 10 or below 3 % */
    double paper[POINTS];
};
static const struct group groups[] = {{"mu_RC above 10 %", true, true, {14.5, 14.7, 14.7, 21.5}},
                                      {"mu_RC below 3 %", true, false, {-1.7, -0.1, -0.1, NAN}},
                                      {"above 10 % in Tab. 4.2", false, true, {14.5, 14.7, 14.7, 21.5}},
                                      {"below 3 % in Tab. 4.2", false, false, {-1.7, -0.1, -0.1, NAN}}};

static bool is_in(const struct group *g, const struct repro_data *data, size_t b)
{
    const double mu = g->is_measured ? ccn_reuse(data, b, repro_point(data, "sharing"))
                                     : ccn_published_reuse(data->benchmarks[b].name);
    return g->is_high ? mu > 10 : mu < 3; /* NAN: in neither */
}

static double traffic(const struct repro_data *data, size_t b, size_t p) { return ccn_change(data, b, p, ccn_packets); }

/* The mean of a value over a group, and the lowest. */
static double mean_of(const struct group *g, const struct repro_data *data, size_t p, ccn_value value, double *least)
{
    double values[64];
    size_t n = 0;
    *least = NAN;
    for (size_t b = 0; b < data->n && n < COUNT_OF(values); b++) {
        if (!is_in(g, data, b)) continue;
        values[n] = value(data, b, p);
        *least = fmin(*least, values[n++]);
    }
    return repro_mean(MEAN_ARITHMETIC, values, n);
}

static size_t size_of(const struct group *g, const struct repro_data *data)
{
    size_t n = 0;
    for (size_t b = 0; b < data->n; b++) n += is_in(g, data, b);
    return n;
}

static void report_groups(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double mean[COUNT_OF(groups)][POINTS], least[COUNT_OF(groups)][POINTS], lowest;
    const size_t seen = repro_point(data, "sharing");
    repro_row(report, 14, ccn_mean(study, data, seen, ccn_reuse), "%", "mean mu_RC");
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        repro_row(report, groups[g].is_high ? 13 : 11, (double)size_of(&groups[g], data), "benchmarks", "%s",
                  groups[g].name);
        for (size_t i = 0; i < POINTS; i++) {
            mean[g][i] = mean_of(&groups[g], data, repro_point(data, points[i]), ccn_gain, &least[g][i]);
            repro_row(report, groups[g].paper[i], mean[g][i], "%", "mean gain, %s, %s", points[i], groups[g].name);
        }
        if (groups[g].is_high)
            repro_row(report, -29, mean_of(&groups[g], data, repro_point(data, "CCN-RT"), traffic, &lowest), "%",
                      "requests to L2, CCN-RT, %s", groups[g].name);
        else
            for (size_t i = B; i <= RT; i++)
                repro_row(report, i == B ? -11.5 : -1.5, least[g][i], "%", "largest loss, %s, %s", points[i],
                          groups[g].name);
    }
    for (size_t b = 0; b < data->n; b++) {
        const char *name = data->benchmarks[b].name;
        repro_cell(report, ccn_published_reuse(name), ccn_reuse(data, b, seen), "%", name, "mu_RC");
        for (size_t i = 0; i < POINTS; i++)
            repro_cell(report, NAN, ccn_gain(data, b, repro_point(data, points[i])), "%", name, "%s", points[i]);
    }
    repro_check(report, mean[0][RT] > 0, "where L1s share by our measure, CCN-RT gains");
    repro_check(report, mean[0][RT] > mean[1][RT], "it gains more there than where they share little");
    repro_check(report, fabs(mean[1][RT]) < 1, "where they share little by our measure, CCN-RT is neutral (1 %%)");
    repro_check(report, least[1][RT] > least[1][B], "throttling takes most of the largest loss away");
    repro_check(report, mean[0][IDEAL] > mean[0][RT], "the ideal network gains more");
    repro_deviation(report,
                    "the thesis's groups have 13 and 11 benchmarks; 'as published' has t_S and t_P of 1 and 10 M "
                    "thread instructions, which in programs that run in order span their launches");
}

const struct repro_study repro_ccn_programs = {"ccn-programs",
                                               "the network where launches run in order and L2 is kept",
                                               "THESIS Figs. 4.6 to 4.8",
                                               MEAN_ARITHMETIC,
                                               "thesis-ch4/programs.yaml",
                                               report_groups,
                                               NULL};
const struct repro_study repro_ccn_launches = {"ccn-launches",
                                               "the network on the same launches, each cold",
                                               "THESIS Figs. 4.6 to 4.8",
                                               MEAN_ARITHMETIC,
                                               "thesis-ch4/programs.yaml",
                                               report_groups,
                                               NULL};
const struct repro_study repro_ccn_inputs = {"ccn-inputs",
                                             "the same with inputs nearer the thesis's size, where reuse differs most",
                                             "THESIS Tab. 4.2",
                                             MEAN_ARITHMETIC,
                                             "thesis-ch4/inputs.yaml",
                                             report_groups,
                                             NULL};
