/* A learned TUCD: BUCL's threshold predicted for each kernel from what the baseline shows of it, and judged by what
 * the prediction costs.
 *
 * Rows are launches. The target is the fixed TUCD that is fastest (of equals the largest: the least bypassing).
 * Features come from one run of the baseline. Every family of learn/ is cross-validated with whole benchmarks left
 * out, and compared with one constant chosen on the training part, with BUCL's 5, and with BUCL-Dyn, all by regret:
 * the share of the best fixed TUCD's speedup that is lost. Evaluation benchmarks [THESIS Tab. 5.4] are in no
 * training part: the family that did best is then fitted to all other rows and judged on them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_regret.h"
#include "studies/repro/repro_own.h"

/* A statement about a group; where nothing of it was measured, a deviation says so. */
#define BUCL_CHECK(report, value, holds, ...) \
    do { \
        if (isnan(value)) repro_deviation(report, "not measured: " __VA_ARGS__); \
        else repro_check(report, holds, __VA_ARGS__); \
    } while (0)

enum { TUCDS_MAX = 32, FEATURES = 8 };
static const char *const feature_names[FEATURES] = {"intercept",     "divergent_loads", "log_degree", "hit_coherent",
                                                    "hit_divergent", "reuse_divergent", "aml",        "load_share"};

struct learn {
    const struct repro_data *data;
    size_t points[TUCDS_MAX]; /* of the spec, by rising TUCD */
    unsigned tucds[TUCDS_MAX];
    size_t n_tucds, dyn;
    size_t *rows, n, n_test; /* benchmarks of the data: n to learn from, then n_test evaluation launches */
    double *x, *y;           /* x: row by row; the columns of what is learned from, one after another */
    double *columns;
    const char **groups;
};

/* ---- rows ---- */

static double observed(const struct repro_data *data, size_t b, const char *counter, bool is_divergent)
{
    static const char *const groups[] = {"1", "2", "3_10", "11_20", "21_32"};
    double sum = 0;
    for (size_t g = is_divergent ? 2 : 0; g < (is_divergent ? 5u : 2u); g++) {
        char name[48];
        snprintf(name, sizeof name, "%s_%s", counter, groups[g]);
        sum += repro_mech_value(data, b, 0, "divergence", name);
    }
    return sum;
}

static void features_of(const struct repro_data *data, size_t b, double *x)
{
    const double few = observed(data, b, "loads", false), many = observed(data, b, "loads", true);
    const double requests = observed(data, b, "requests", false) + observed(data, b, "requests", true);
    x[0] = 1;
    x[1] = regret_share(many, few + many);
    x[2] = log2(fmax(1, regret_share(requests, few + many)));
    x[3] = regret_share(observed(data, b, "hits", false), observed(data, b, "looked", false));
    x[4] = regret_share(observed(data, b, "hits", true), observed(data, b, "looked", true));
    x[5] = regret_share(observed(data, b, "reused", true), observed(data, b, "looked", true));
    x[6] = repro_value(data, b, 0, "aml_cycles") / 1000;
    x[7] = regret_share(repro_value(data, b, 0, "global_loads"), repro_value(data, b, 0, "warp_insts"));
}

static double speedup_at(const struct learn *l, size_t row, size_t k)
{
    return repro_speedup(l->data, l->rows[row], l->points[k]);
}

static size_t best_of(const struct learn *l, size_t row)
{
    size_t best = 0;
    for (size_t k = 1; k < l->n_tucds; k++)
        if (speedup_at(l, row, k) >= speedup_at(l, row, best)) best = k;
    return best;
}

/* The simulated TUCD nearest to a prediction; of equals the smaller. */
static size_t nearest(const struct learn *l, double tucd)
{
    size_t best = 0;
    for (size_t k = 1; k < l->n_tucds; k++)
        if (fabs(l->tucds[k] - tucd) < fabs(l->tucds[best] - tucd)) best = k;
    return best;
}

static double regret(const struct learn *l, size_t row, double speedup)
{
    return 1 - speedup / speedup_at(l, row, best_of(l, row));
}

static void find_points(struct learn *l)
{
    for (size_t p = 0; p < l->data->n_points && l->n_tucds < TUCDS_MAX; p++)
        if (strncmp(l->data->points[p], "TUCD ", 5) == 0) {
            l->points[l->n_tucds] = p;
            l->tucds[l->n_tucds++] = (unsigned)strtoul(l->data->points[p] + 5, NULL, 10);
        }
    l->dyn = repro_point(l->data, "BUCL-Dyn");
}

static bool make_rows(struct learn *l)
{
    const size_t n = l->data->n;
    l->rows = calloc(n + 1, sizeof *l->rows);
    l->x = calloc(n * FEATURES + 1, sizeof *l->x);
    l->y = calloc(n + 1, sizeof *l->y);
    l->columns = calloc(n * FEATURES + 1, sizeof *l->columns);
    l->groups = calloc(n + 1, sizeof *l->groups);
    if (!l->rows || !l->x || !l->y || !l->columns || !l->groups) return false;
    for (int is_test = 0; is_test < 2; is_test++)
        for (size_t b = 0; b < n; b++) {
            const bool is_evaluation = l->data->benchmarks[b].workload->set == WORKLOAD_EVALUATION;
            const size_t row = l->n + l->n_test;
            if (is_evaluation != is_test || !(repro_value(l->data, b, 0, "global_loads") > 0)) continue;
            l->rows[row] = b;
            l->groups[row] = l->data->benchmarks[b].workload->name;
            features_of(l->data, b, l->x + row * FEATURES);
            l->y[row] = l->tucds[best_of(l, row)];
            if (is_test) l->n_test++;
            else l->n++;
        }
    for (size_t i = 0; i < l->n; i++)
        for (size_t f = 0; f < FEATURES; f++) l->columns[f * l->n + i] = l->x[i * FEATURES + f];
    return true;
}

static void learn_fini(struct learn *l)
{
    free(l->rows);
    free(l->x);
    free(l->y);
    free(l->columns);
    free(l->groups);
}

/* ---- what is compared ---- */

static double mean_regret(const struct learn *l, size_t from, size_t n, const double *losses)
{
    return regret_mean(l->groups + from, losses + from, n);
}

/* The constant with the least mean regret over the rows that are not of `group` (NULL: over all to learn from). */
static size_t best_constant(const struct learn *l, const char *group)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t k = 0; k < l->n_tucds; k++) {
        double sum = 0;
        for (size_t i = 0; i < l->n; i++)
            if (!group || strcmp(l->groups[i], group) != 0) sum += regret(l, i, speedup_at(l, i, k));
        if (sum < least) least = sum, best = k;
    }
    return best;
}

struct rule {
    const char *title;
    double learned, tested;
};

static void rules_without_learning(const struct learn *l, double *losses, struct rule *out)
{
    const size_t five = nearest(l, 5), n = l->n + l->n_test;
    for (size_t i = 0; i < n; i++) losses[i] = regret(l, i, repro_speedup(l->data, l->rows[i], l->dyn));
    out[0] = (struct rule){"BUCL-Dyn", mean_regret(l, 0, l->n, losses), mean_regret(l, l->n, l->n_test, losses)};
    for (size_t i = 0; i < n; i++) losses[i] = regret(l, i, speedup_at(l, i, five));
    out[1] = (struct rule){"TUCD 5", mean_regret(l, 0, l->n, losses), mean_regret(l, l->n, l->n_test, losses)};
    for (size_t i = 0; i < n; i++)
        losses[i] = regret(l, i, speedup_at(l, i, best_constant(l, i < l->n ? l->groups[i] : NULL)));
    out[2] = (struct rule){"one constant", mean_regret(l, 0, l->n, losses), mean_regret(l, l->n, l->n_test, losses)};
    for (size_t i = 0; i < n; i++) losses[i] = regret(l, i, 1);
    out[3] = (struct rule){"no BUCL", mean_regret(l, 0, l->n, losses), mean_regret(l, l->n, l->n_test, losses)};
}

static int try_family(const struct learn *l, const struct family *family, const struct groups *groups,
                      const struct folds *folds, double *losses, struct rule *out, double *spearman, struct error *err)
{
    const struct glm_data data = {
        .n = l->n, .k = FEATURES, .x = l->columns, .y = l->y, .names = feature_names, .source = "launches"};
    struct family_settings settings;
    struct cv_result cv;
    struct predictor *all = NULL;
    family_defaults(family, &settings);
    if (regret_cross_validate(&cv, family, &data, groups, folds, err) < 0) return -1;
    for (size_t i = 0; i < l->n; i++) losses[i] = regret(l, i, speedup_at(l, i, nearest(l, cv.predicted[i])));
    out->title = family->name;
    out->learned = mean_regret(l, 0, l->n, losses);
    *spearman = metric_spearman(l->y, cv.predicted, NULL, l->n);
    cv_result_fini(&cv);
    if (tune_settings(&settings, family, &data, groups, family->axes, family->n_axes, 0, LOSS_ABSOLUTE, 1, err) < 0 ||
        predictor_fit(&all, family, &data, &settings, err) < 0)
        return -1;
    for (size_t i = l->n; i < l->n + l->n_test; i++)
        losses[i] = regret(l, i, speedup_at(l, i, nearest(l, predictor_predict(all, l->x + i * FEATURES, 0))));
    out->tested = mean_regret(l, l->n, l->n_test, losses);
    predictor_free(all);
    return 0;
}

static void rule_rows(const struct rule *rule, struct repro_report *report)
{
    repro_row(report, NAN, rule->learned, "%", "regret, %s", rule->title);
    repro_row(report, NAN, rule->tested, "%", "regret on evaluation benchmarks, %s", rule->title);
}

/* Whether the best family's losses differ from BUCL-Dyn's by more than chance over benchmarks. `losses`: 2 n, the
 * family's first. */
static void judge(const struct learn *l, const struct groups *groups, double *losses, const char *family,
                  struct repro_report *report)
{
    struct paired paired;
    for (size_t i = 0; i < l->n; i++) losses[l->n + i] = regret(l, i, repro_speedup(l->data, l->rows[i], l->dyn));
    if (!regret_compare(&paired, groups, losses, l->n, report)) return;
    repro_row(report, NAN, 100 * paired.difference, "%", "regret by row, %s less BUCL-Dyn", family);
    repro_row(report, NAN, 100 * paired.low, "%", "its 95 %% interval from");
    repro_row(report, NAN, 100 * paired.high, "%", "to");
    repro_row(report, NAN, paired.p_groups, "1", "probability if benchmarks' signs were chance");
}

static void compare(struct learn *l, struct repro_report *report)
{
    struct rule rules[4], best = {NULL, NAN, NAN};
    struct groups groups;
    struct folds folds = {0};
    struct error err;
    double *losses = calloc(l->n + l->n_test + 1, sizeof *losses), *least = calloc(2 * l->n + 1, sizeof *least);
    report->out_of_memory |= !losses || !least;
    if (!losses || !least || groups_init(&groups, l->groups, l->n, &err) < 0) goto done;
    rules_without_learning(l, losses, rules);
    for (size_t i = 0; i < COUNT_OF(rules); i++) rule_rows(&rules[i], report);
    if (folds_leave_one_group_out(&folds, &groups, &err) < 0)
        repro_deviation(report, "not cross-validated: %s", err.text);
    for (size_t f = 0; f < n_families && folds.n_folds; f++) {
        struct rule rule;
        double spearman;
        if (try_family(l, families[f], &groups, &folds, losses, &rule, &spearman, &err) < 0) {
            repro_deviation(report, "family %s could not be fitted to every fold: %.200s", families[f]->name, err.text);
            continue;
        }
        rule_rows(&rule, report);
        if (isfinite(spearman)) repro_row(report, NAN, spearman, "1", "rank correlation of TUCD, %s", rule.title);
        if (best.title && rule.learned >= best.learned) continue;
        best = rule;
        memcpy(least, losses, l->n * sizeof *least);
    }
    if (best.title) judge(l, &groups, least, best.title, report);
    BUCL_CHECK(report, best.learned, best.learned < rules[0].learned,
               "the best learned TUCD (%s) loses less than BUCL-Dyn on benchmarks not seen",
               best.title ? best.title : "none");
    BUCL_CHECK(report, best.learned, best.learned < rules[1].learned, "it loses less than the fixed TUCD of 5 there");
    BUCL_CHECK(report, best.learned, best.learned < rules[2].learned,
               "it loses less than the best constant of the training part there");
    BUCL_CHECK(report, best.tested, best.tested < rules[0].tested,
               "fitted to all of them, it loses less than BUCL-Dyn on the evaluation benchmarks");
    folds_fini(&folds);
    groups_fini(&groups);
done:
    free(least);
    free(losses);
}

static void report_learn(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    struct learn l = {.data = data};
    (void)study;
    find_points(&l);
    if (!make_rows(&l)) {
        report->out_of_memory = true;
    } else {
        repro_row(report, NAN, (double)l.n, "launches", "to learn from, cross-validated");
        repro_row(report, NAN, (double)l.n_test, "launches", "of evaluation benchmarks, only judged on");
        if (l.n > 0) compare(&l, report);
        else repro_deviation(report, "not measured: there is no launch to learn from");
        repro_deviation(report,
                        "the paper has no learned TUCD; regret is to the best of %zu fixed values, means are over "
                        "benchmarks; features of whole runs of the baseline",
                        l.n_tucds);
    }
    learn_fini(&l);
}
const struct repro_study repro_bucl_learn = {.id = "bucl-learn",
                                             .title = "TUCD learned from features, by regret",
                                             .source = "ours, on BUCL IV.B",
                                             .mean = MEAN_ARITHMETIC,
                                             .spec = "bucl/learn.yaml",
                                             .report = report_learn};
