/* Fine or coarse mode of a tag-split cache by a learned rule, and by set duelling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_own.h"
#include "studies/repro/repro_regret.h"

enum { FEATURES = 4, FINEST = 127 };
enum rule { ALWAYS_FINE, ALWAYS_COARSE, DUEL, LEFT_OUT, ENGINE, RULES };
static const char *const rules[RULES] = {"always fine", "always coarse", "TSC+", "learned, families left out",
                                         "the engine, fitted to these"};
static const char *const feature_names[FEATURES] = {"intercept", "sectors", "misses", "spared"};
struct learn {
    const struct repro_data *data;
    const char *machine;          /* "" or "wide ": what its points' names begin with */
    double sums[RULES], n_losses; /* over all machines */
    size_t rows[256], n;          /* benchmarks whose window saw accesses */
    double counts[256][FEATURES];
    double x[256 * FEATURES], y[256]; /* x: columns one after another; y: speed of coarse mode over that of fine */
    const char *groups[256];
};

static size_t point_of(const struct learn *l, const char *point)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", l->machine, point);
    return repro_point(l->data, name);
}

static void make_rows(struct learn *l, const struct repro_data *data)
{
    static const char *const counters[FEATURES] = {"accesses", "sectors", "misses", "spared"};
    l->data = data;
    l->n = 0;
    const size_t seen = point_of(l, "observed"), fine = point_of(l, "fine"), coarse = point_of(l, "coarse");
    for (size_t b = 0; b < data->n && l->n < COUNT_OF(l->rows); b++) {
        double *counts = l->counts[l->n];
        for (size_t f = 0; f < FEATURES; f++) counts[f] = repro_mech_value(data, b, seen, "tsc_learned", counters[f]);
        if (!(counts[0] > 0)) continue;
        const struct workload *w = data->benchmarks[b].workload;
        l->groups[l->n] = w && *w->family ? w->family : data->benchmarks[b].name;
        l->y[l->n] = repro_speedup(data, b, coarse) / repro_speedup(data, b, fine);
        l->rows[l->n++] = b;
    }
    for (size_t i = 0; i < l->n; i++)
        for (size_t f = 0; f < FEATURES; f++) l->x[f * l->n + i] = f ? l->counts[i][f] / l->counts[i][0] : 1;
}

static double speed(const struct learn *l, size_t i, const char *point)
{
    return repro_speedup(l->data, l->rows[i], point_of(l, point));
}

/* What is lost of the better mode's speed. */
static double loss(const struct learn *l, size_t i, double speed_of)
{
    return 1 - speed_of / fmax(speed(l, i, "fine"), speed(l, i, "coarse"));
}

/* [TSC Tab. 1] */
static bool is_the_papers(const struct learn *l, size_t i)
{
    static const char *const papers[] = {"bfs",   "cfd",   "kmn",     "mummer",        "particlefilter",
                                         "srad2", "spmv",  "b+tree",  "dwt2d",         "gaussian",
                                         "srad1", "histo", "stencil", "streamcluster", "mri-gridding"};
    for (size_t k = 0; k < COUNT_OF(papers); k++)
        if (strcmp(l->data->benchmarks[l->rows[i]].name, papers[k]) == 0) return true;
    return false;
}

/* Mean losses in percent, over all rows and over the paper's benchmarks. */
static double loss_rows(struct learn *l, const double *losses, enum rule rule, struct repro_report *report)
{
    double sum[2] = {0}, n[2] = {0};
    for (size_t i = 0; i < l->n; i++)
        for (int papers = 0; papers < 2; papers++) {
            if (papers && !is_the_papers(l, i)) continue;
            sum[papers] += losses[i];
            n[papers]++;
        }
    repro_row(report, NAN, 100 * sum[0] / n[0], "%", "%sregret, %s", l->machine, rules[rule]);
    repro_row(report, NAN, 100 * sum[1] / n[1], "%", "%sregret on the paper's benchmarks, %s", l->machine, rules[rule]);
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->data->benchmarks[l->rows[i]].name, "histo") == 0)
            repro_row(report, NAN, 100 * losses[i], "%", "%sregret on histo, %s", l->machine, rules[rule]);
    l->sums[rule] += sum[0];
    return sum[0] / n[0];
}

static double regret_of_point(struct learn *l, const char *point, enum rule rule, struct repro_report *report)
{
    double losses[256];
    for (size_t i = 0; i < l->n; i++) losses[i] = loss(l, i, speed(l, i, point));
    return loss_rows(l, losses, rule, report);
}

static double mode_loss(const struct learn *l, size_t i, bool is_coarse)
{
    return loss(l, i, speed(l, i, is_coarse ? "coarse" : "fine"));
}

/* Ridge regression with whole families left out; NAN: it could not be fitted. */
static double regret_left_out(struct learn *l, const struct glm_data *data, const struct groups *groups,
                              struct repro_report *report)
{
    const struct family *ridge = family_find("ridge");
    struct cv_result cv;
    struct folds folds = {0};
    struct error err;
    double losses[256];
    if (folds_leave_one_group_out(&folds, groups, &err) < 0 ||
        regret_cross_validate(&cv, ridge, data, groups, &folds, &err) < 0) {
        repro_deviation(report, "not cross-validated: %.200s", err.text);
        folds_fini(&folds);
        return NAN;
    }
    size_t right = 0;
    for (size_t i = 0; i < l->n; i++) {
        losses[i] = mode_loss(l, i, cv.predicted[i] > 1);
        right += losses[i] <= 0;
        repro_cell(report, NAN, 100 * (l->y[i] - 1), "%", l->data->benchmarks[l->rows[i]].name, "%scoarse over fine",
                   l->machine);
        repro_cell(report, NAN, 100 * (cv.predicted[i] - 1), "%", l->data->benchmarks[l->rows[i]].name,
                   "%spredicted, its family left out", l->machine);
    }
    repro_row(report, NAN, (double)right, "benchmarks", "%sof %zu, on which the rule left out takes the better mode",
              l->machine, l->n);
    cv_result_fini(&cv);
    folds_fini(&folds);
    return loss_rows(l, losses, LEFT_OUT, report);
}

/* The rule of all rows as whole numbers of eight bits, which is what sim/mech/tsc_learned.c computes. */
static void weights_of_all(const struct learn *l, const struct glm_data *data, const struct groups *groups,
                           struct repro_report *report)
{
    const struct family *ridge = family_find("ridge");
    struct family_settings settings;
    struct predictor *all = NULL;
    struct error err;
    double most = 0;
    long whole[FEATURES];
    size_t same = 0;
    family_defaults(ridge, &settings);
    if (tune_settings(&settings, ridge, data, groups, ridge->axes, ridge->n_axes, 0, LOSS_ABSOLUTE, 1, &err) < 0 ||
        predictor_fit(&all, ridge, data, &settings, &err) < 0) {
        repro_deviation(report, "not fitted to all benchmarks: %.200s", err.text);
        return;
    }
    double weights[FEATURES], zero[FEATURES] = {0};
    for (size_t f = 0; f < FEATURES; f++) {
        double one[FEATURES] = {0}; /* exp(b0) at 0; a column's weight is what a step of one multiplies it by */
        one[f] = 1;
        weights[f] = log(predictor_predict(all, one, 0) / predictor_predict(all, zero, 0));
    }
    weights[0] += log(predictor_predict(all, zero, 0));
    for (size_t f = 0; f < FEATURES; f++) most = fmax(most, fabs(weights[f]));
    for (size_t f = 0; f < FEATURES; f++) {
        whole[f] = lround(most > 0 ? weights[f] / most * FINEST : 0);
        repro_row(report, NAN, (double)whole[f], "1", "%sweight of %s, all benchmarks", l->machine,
                  f ? feature_names[f] : "accesses");
    }
    for (size_t i = 0; i < l->n; i++) {
        double x[FEATURES], sum = 0;
        for (size_t f = 0; f < FEATURES; f++) {
            x[f] = l->x[f * l->n + i];
            sum += (double)whole[f] * l->counts[i][f];
        }
        same += (sum > 0) == (predictor_predict(all, x, 0) > 1);
    }
    repro_row(report, NAN, (double)same, "benchmarks", "%sof %zu, on which whole numbers decide as the regression",
              l->machine, l->n);
    predictor_free(all);
}

/* One machine: its rules and their regrets. */
static void learn_machine(struct learn *l, const struct repro_data *data, struct repro_report *report)
{
    struct groups groups;
    struct error err;
    make_rows(l, data);
    repro_row(report, NAN, (double)l->n, "benchmarks", "%swith accesses in their window", l->machine);
    if (!l->n || groups_init(&groups, l->groups, l->n, &err) < 0) {
        repro_deviation(report, "%snot measured: no benchmark has accesses in its window", l->machine);
        return;
    }
    const struct glm_data rows = {
        .n = l->n, .k = FEATURES, .x = l->x, .y = l->y, .names = feature_names, .source = "windows of SM 0"};
    size_t gains = 0;
    for (size_t i = 0; i < l->n; i++) gains += l->y[i] > 1.01;
    repro_row(report, NAN, (double)gains, "benchmarks", "%sof %zu, on which coarse mode gains 1 %% or more", l->machine,
              l->n);
    const double fine = regret_of_point(l, "fine", ALWAYS_FINE, report),
                 coarse = regret_of_point(l, "coarse", ALWAYS_COARSE, report),
                 duel = regret_of_point(l, "duel", DUEL, report), left_out = regret_left_out(l, &rows, &groups, report),
                 engine = regret_of_point(l, "learned", ENGINE, report);
    weights_of_all(l, &rows, &groups, report);
    groups_fini(&groups);
    l->n_losses += (double)l->n;
    if (!isnan(left_out)) {
        repro_check(report, left_out < duel, "%son families not seen the learned rule loses less than set duelling",
                    l->machine);
        repro_check(report, left_out < fine && left_out < coarse, "%sit loses less there than either mode alone",
                    l->machine);
    }
    repro_check(report, engine < duel, "%ssimulated, with its window, it loses less than set duelling", l->machine);
}

static void report_learned(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static struct learn l;
    (void)study;
    l = (struct learn){.machine = ""};
    learn_machine(&l, data, report);
    l.machine = "wide ";
    learn_machine(&l, data, report);
    if (l.n_losses > 0) {
        for (int rule = 0; rule < RULES; rule++)
            repro_row(report, NAN, 100 * l.sums[rule] / l.n_losses, "%", "both machines, regret, %s", rules[rule]);
        repro_check(report, l.sums[LEFT_OUT] < l.sums[ALWAYS_FINE] && l.sums[LEFT_OUT] < l.sums[ALWAYS_COARSE],
                    "on both machines together the learned rule loses less than either mode alone");
    }
    repro_deviation(report,
                    "'wide' is the same machine with an L1 of 64 KB and with 128 bytes a cycle for replies and at "
                    "a bank's port: there a line costs no more cycles than a chunk, and coarse mode gains on "
                    "many more benchmarks. A machine has weights of its own, as Poise's models have");
    repro_deviation(report, "regret is what is lost of the better mode's speed; the rule left out is charged the speed "
                            "of the mode that it takes, not its window; the engine is simulated, window included, and "
                            "its weights have seen these benchmarks");
    repro_deviation(report, "12 benchmarks that are none of the paper's are here to learn from");
}
const struct repro_study repro_tsc_learned = {.id = "tsc-learned",
                                              .title = "Fine or coarse mode by a learned rule, and by set duelling",
                                              .source = "ours, on TSC §3.5",
                                              .mean = MEAN_ARITHMETIC,
                                              .spec = "tsc/learned.yaml",
                                              .report = report_learned};
