/* A learned throttler of the Cooperative Caching Network for each SM and window: whether the SM's misses of the next
 * window go through the network, predicted from the window before, and judged by what the prediction costs.
 *
 * A window is 1000 warp instructions of an SM (`sharing,window=1000`). Every launch runs with the network off, with
 * CCN-B and with CCN-RT; the same window of the same SM takes some cycles in each. A row is an SM's window, with the
 * features of the window before, as CCN-B's run saw it: how much other L1s held, misses, cycles. The target is how much
 * faster the network makes the window, in whole percent. The oracle takes the fastest run in each; regret is the share
 * of its speed that a choice loses. Choices of all SMs are as in the run: an SM that chose otherwise than the others
 * would meet another load, which these rows cannot say. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_regret.h"
#include "studies/repro/repro_own.h"

enum { FEATURES = 7, WINDOWS = 64, SMS = 2, WINDOWS_A_LAUNCH = 8, ROWS_A_LAUNCH = SMS * WINDOWS_A_LAUNCH };
static const char *const feature_names[FEATURES] = {
    "intercept", "mu_RC", "pending", "miss_rate", "misses_an_inst", "cycles_an_inst", "mu_RC_times_misses"};
static const int sms[SMS] = {0, 7};
enum { OFF, ON, RT, RUNS };
static const char *const runs[RUNS] = {"off", "CCN-B", "CCN-RT"};

/* One SM's windows of a run. */
struct window {
    double cycles, accesses, misses, reused, pending;
};
struct learn {
    size_t n;
    double *columns, *y;    /* the features' columns, one after another */
    double (*cycles)[RUNS]; /* of each row */
    double (*x)[FEATURES];
    const char **groups;
};

/* The windows of an SM, in order; returns how many have ended. */
static size_t read_windows(const json_t *rows, int sm, struct window out[WINDOWS])
{
    const json_t *row;
    size_t i, n = 0;
    json_array_foreach(rows, i, row) {
        if (json_integer_value(json_array_get(row, 0)) != sm || n == WINDOWS) continue;
        double v[5];
        for (size_t k = 0; k < COUNT_OF(v); k++) v[k] = (double)json_integer_value(json_array_get(row, k + 2));
        out[n++] = (struct window){v[0], v[1], v[2], v[3], v[4]};
    }
    return n;
}

static void features_of(const struct window *w, double *x)
{
    x[0] = 1;
    x[1] = regret_share(w->reused, w->misses);
    x[2] = regret_share(w->pending, w->misses);
    x[3] = regret_share(w->misses, w->accesses);
    x[4] = w->misses / 1000;
    x[5] = w->cycles / 1000;
    x[6] = x[1] * x[4];
}

/* Up to eight windows of an SM, evenly spaced, that all runs have. */
static void add_sm(struct learn *l, const struct repro_data *data, size_t b, int sm)
{
    struct window windows[RUNS][WINDOWS];
    size_t n = WINDOWS;
    for (size_t r = 0; r < RUNS; r++) {
        const json_t *rows = repro_mech_map(data, b, repro_point(data, runs[r]), "sharing", "windows");
        const size_t own = read_windows(rows, sm, windows[r]);
        if (own < n) n = own;
    }
    const size_t step = n > WINDOWS_A_LAUNCH ? (n - 1 + WINDOWS_A_LAUNCH - 1) / WINDOWS_A_LAUNCH : 1;
    for (size_t k = 1; k < n; k += step) {
        double *cycles = l->cycles[l->n];
        for (size_t r = 0; r < RUNS; r++) cycles[r] = windows[r][k].cycles;
        if (!(cycles[OFF] > 0 && cycles[ON] > 0 && cycles[RT] > 0) || windows[ON][k - 1].misses <= 0) continue;
        features_of(&windows[ON][k - 1], l->x[l->n]);
        l->y[l->n] = fmin(1000, round(100 * cycles[OFF] / cycles[ON]));
        l->groups[l->n++] = regret_group(&data->benchmarks[b]);
    }
}

static bool make_rows(struct learn *l, const struct repro_data *data)
{
    const size_t most = data->n * ROWS_A_LAUNCH + 1;
    l->columns = calloc(most * FEATURES, sizeof *l->columns);
    l->y = calloc(most, sizeof *l->y);
    l->cycles = calloc(most, sizeof *l->cycles);
    l->x = calloc(most, sizeof *l->x);
    l->groups = calloc(most, sizeof *l->groups);
    if (!l->columns || !l->y || !l->cycles || !l->x || !l->groups) return false;
    for (size_t b = 0; b < data->n; b++)
        for (size_t i = 0; i < SMS; i++) add_sm(l, data, b, sms[i]);
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t i = 0; i < l->n; i++) l->columns[f * l->n + i] = l->x[i][f];
    return true;
}

static void learn_fini(struct learn *l)
{
    free(l->columns);
    free(l->y);
    free(l->cycles);
    free(l->x);
    free(l->groups);
}

static double regret(const struct learn *l, size_t row, int run)
{
    const double *cycles = l->cycles[row];
    return 1 - fmin(fmin(cycles[OFF], cycles[ON]), cycles[RT]) / cycles[run];
}

static double lost_by(const void *study, size_t row, bool choice) { return regret(study, row, choice ? ON : OFF); }

static bool gains(const void *study, size_t row)
{
    const double *cycles = ((const struct learn *)study)->cycles[row];
    return cycles[ON] < cycles[OFF];
}

/* Rules that learn nothing, or one number; the regret of CCN-RT, whose losses it leaves. */
static double rules(const struct regret_choice *choice, double *losses, struct repro_report *report)
{
    const struct learn *l = choice->study;
    static const char *const labels[] = {"regret, without the network", "regret, CCN-B"};
    const double *mu = l->columns + l->n; /* mu_RC of the window before */
    for (int run = OFF; run <= ON; run++) {
        for (size_t i = 0; i < l->n; i++) losses[i] = regret(l, i, run);
        repro_row(report, NAN, regret_mean(l->groups, losses, l->n), "%", "%s", labels[run]);
    }
    for (size_t i = 0; i < l->n; i++) losses[i] = lost_by(l, i, mu[i] >= 0.05);
    repro_row(report, NAN, regret_mean(l->groups, losses, l->n), "%", "regret, H_min of 5 %% on the window before");
    for (size_t i = 0; i < l->n; i++) losses[i] = lost_by(l, i, mu[i] >= regret_threshold(choice, mu, l->groups[i]));
    repro_row(report, NAN, regret_mean(l->groups, losses, l->n), "%", "regret, a threshold of mu_RC, learned");
    for (size_t i = 0; i < l->n; i++) losses[i] = regret(l, i, RT);
    const double rt = regret_mean(l->groups, losses, l->n);
    repro_row(report, NAN, rt, "%", "regret, CCN-RT as it ran");
    return rt;
}

static void learn_and_compare(const struct learn *l, struct repro_report *report)
{
    const struct regret_choice choice = {l->groups, l->n, lost_by, gains, l};
    const struct glm_data data = {
        .n = l->n, .k = FEATURES, .x = l->columns, .y = l->y, .names = feature_names, .source = "windows"};
    regret_against_rules(&choice, &data, rules, "CCN-RT", "windows decided as hindsight would", ", window by window",
                         report);
}

static void report_windows(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    struct learn l = {0};
    (void)study;
    if (!make_rows(&l, data)) {
        report->out_of_memory = true;
    } else {
        double better = 0;
        for (size_t i = 0; i < l.n; i++) better += l.cycles[i][ON] < l.cycles[i][OFF];
        repro_row(report, NAN, (double)l.n, "windows", "of two SMs, up to eight of each launch");
        repro_row(report, NAN, 100 * better / (double)l.n, "%", "of these, faster through the network");
        if (l.n > 0) learn_and_compare(&l, report);
        else repro_deviation(report, "not measured: no window of an SM has ended in all runs");
        repro_deviation(report,
                        "the thesis has no learned throttler. Choices are judged on windows of runs in which all "
                        "SMs choose alike; the best of several families is chosen on the rows that it is "
                        "compared on");
    }
    learn_fini(&l);
}
const struct repro_study repro_ccn_windows = {.id = "ccn-windows",
                                              .title = "the network's use, learned for each SM and window, by regret",
                                              .source = "ours, on THESIS 4.4.4",
                                              .mean = MEAN_ARITHMETIC,
                                              .spec = "thesis-ch4/windows.yaml",
                                              .report = report_windows};
