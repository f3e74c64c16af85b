/* A learned throttler of the Cooperative Caching Network: whether a launch's misses go through the network, predicted
 * from its sampling intervals, and judged by what the prediction costs.
 *
 * Rows are launches. The features come from a run in which every SM leaves the network when its sampling interval ends
 * (`samples`), so that they are what a throttler sees: how many of the interval's requests hit, what a hit and a round
 * take, how often the buffer is full, how many misses there are. The target is the speedup of CCN-B in whole percent.
 * Every family of learn/ is cross-validated with whole benchmarks left out. Where it predicts a gain, the launch runs
 * as CCN-B, else as `samples`: what the sampling costs is paid. Regret is the share of the oracle's speed that is lost;
 * the oracle knows for each launch whether the network on (CCN-B) or off (the base) is faster. CCN-RT, which decides
 * for each SM and period anew, may beat it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_regret.h"
#include "studies/repro/repro_own.h"

enum { FEATURES = 7 };
static const char *const feature_names[FEATURES] = {"intercept",   "hit_rate",  "hit_cycles",           "round_cycles",
                                                    "buffer_full", "miss_rate", "misses_an_instruction"};
struct learn {
    const struct repro_data *data;
    size_t on, rt, samples; /* points */
    size_t *rows, n;        /* benchmarks of the data */
    double *columns, *y;    /* the features' columns, one after another */
    const char **groups;
};

static void features_of(const struct learn *l, size_t b, double *x)
{
    const struct repro_data *d = l->data;
    const size_t p = l->samples;
    const double entered = repro_mech_value(d, b, p, "ccn", "entered"), hits = repro_mech_value(d, b, p, "ccn", "hits"),
                 returned = repro_mech_value(d, b, p, "ccn", "returned"),
                 full = repro_mech_value(d, b, p, "ccn", "buffer_full");
    x[0] = 1;
    x[1] = regret_share(hits, entered);
    x[2] = regret_share(repro_mech_value(d, b, p, "ccn", "hit_cycles"), hits) / 1000;
    x[3] = regret_share(repro_mech_value(d, b, p, "ccn", "round_cycles"), returned) / 1000;
    x[4] = regret_share(full, full + entered);
    x[5] = regret_share(repro_value(d, b, p, "l1d_misses"), repro_value(d, b, p, "l1d_load_accesses"));
    x[6] = regret_share(repro_value(d, b, p, "l1d_misses"), repro_value(d, b, p, "warp_insts"));
}

static double speed(const struct learn *l, size_t row, size_t point)
{
    return repro_speedup(l->data, l->rows[row], point);
}
static double regret(const struct learn *l, size_t row, double speedup)
{
    return 1 - speedup / fmax(1, speed(l, row, l->on));
}
static double lost_by(const void *study, size_t row, bool goes_on)
{
    const struct learn *l = study;
    return regret(l, row, speed(l, row, goes_on ? l->on : l->samples));
}
static bool gains(const void *study, size_t row) { return speed(study, row, ((const struct learn *)study)->on) > 1; }

static bool make_rows(struct learn *l)
{
    const size_t n = l->data->n;
    l->rows = calloc(n + 1, sizeof *l->rows);
    l->y = calloc(n + 1, sizeof *l->y);
    l->columns = calloc(n * FEATURES + 1, sizeof *l->columns);
    l->groups = calloc(n + 1, sizeof *l->groups);
    if (!l->rows || !l->y || !l->columns || !l->groups) return false;
    for (size_t b = 0; b < n; b++) {
        const double gain = repro_speedup(l->data, b, l->on);
        if (!(repro_mech_value(l->data, b, l->samples, "ccn", "entered") > 0) || !isfinite(gain)) continue;
        l->groups[l->n] = regret_group(&l->data->benchmarks[b]);
        l->y[l->n] = round(100 * gain);
        l->rows[l->n++] = b;
    }
    for (size_t i = 0; i < l->n; i++) {
        double x[FEATURES];
        features_of(l, l->rows[i], x);
        for (size_t f = 0; f < FEATURES; f++) l->columns[f * l->n + i] = x[f];
    }
    return true;
}

static void learn_fini(struct learn *l)
{
    free(l->rows);
    free(l->y);
    free(l->columns);
    free(l->groups);
}

static double mean_regret(const struct learn *l, const double *losses) { return regret_mean(l->groups, losses, l->n); }

/* Rules that learn nothing, or one number; the regret of CCN-RT, whose losses it leaves. */
static double rules(const struct regret_choice *choice, double *losses, struct repro_report *report)
{
    const struct learn *l = choice->study;
    const double *hit_rate = l->columns + l->n;
    for (size_t i = 0; i < l->n; i++) losses[i] = regret(l, i, 1);
    repro_row(report, NAN, mean_regret(l, losses), "%", "regret, without the network");
    for (size_t i = 0; i < l->n; i++) losses[i] = lost_by(l, i, true);
    repro_row(report, NAN, mean_regret(l, losses), "%", "regret, CCN-B");
    for (size_t i = 0; i < l->n; i++)
        losses[i] = lost_by(l, i, hit_rate[i] >= regret_threshold(choice, hit_rate, l->groups[i]));
    repro_row(report, NAN, mean_regret(l, losses), "%", "regret, one threshold of the hit rate, learned");
    for (size_t i = 0; i < l->n; i++) losses[i] = regret(l, i, speed(l, i, l->rt));
    const double rt = mean_regret(l, losses);
    repro_row(report, NAN, rt, "%", "regret, CCN-RT");
    return rt;
}

static void learn_and_compare(const struct learn *l, struct repro_report *report)
{
    const struct regret_choice choice = {l->groups, l->n, lost_by, gains, l};
    const struct glm_data data = {
        .n = l->n, .k = FEATURES, .x = l->columns, .y = l->y, .names = feature_names, .source = "launches"};
    regret_against_rules(&choice, &data, rules, "CCN-RT", "launches decided as the oracle does",
                         " on benchmarks not seen", report);
}

static void report_learned(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    struct learn l = {.data = data,
                      .on = repro_point(data, "CCN-B"),
                      .rt = repro_point(data, "CCN-RT"),
                      .samples = repro_point(data, "samples")};
    (void)study;
    if (!make_rows(&l)) {
        report->out_of_memory = true;
    } else {
        repro_row(report, NAN, (double)l.n, "launches", "cross-validated, whole benchmarks left out");
        if (l.n > 0) learn_and_compare(&l, report);
        else repro_deviation(report, "not measured: no launch sends a miss into the network");
        repro_deviation(report, "the thesis has no learned throttler. One decision a launch for all SMs, from its "
                                "sampling intervals; the best of several families is chosen on the rows that it is "
                                "compared on");
    }
    learn_fini(&l);
}
const struct repro_study repro_ccn_learned = {
    .id = "ccn-learned",
    .title = "whether to use the network, learned from sampling intervals, by regret",
    .source = "ours, on THESIS 4.4.4",
    .mean = MEAN_ARITHMETIC,
    .spec = "thesis-ch4/learned.yaml",
    .report = report_learned};
