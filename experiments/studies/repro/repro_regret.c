#include "studies/repro/repro_regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double regret_mean(const char *const *groups, const double *losses, size_t n)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        double own = 0, rows = 0;
        bool is_first = true;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(groups[i], groups[k]) != 0) continue;
            is_first &= k >= i;
            own += losses[k];
            rows++;
        }
        if (is_first) sum += own / rows, count++;
    }
    return count > 0 ? 100 * sum / count : NAN;
}

int regret_cross_validate(struct cv_result *out, const struct family *family, const struct glm_data *data,
                          const struct groups *groups, const struct folds *folds, struct error *err)
{
    struct cv_options options = {
        .family = family, .axes = family->axes, .n_axes = family->n_axes, .loss = LOSS_ABSOLUTE, .seed = 1};
    family_defaults(family, &options.settings);
    return cross_validate(out, data, groups, folds, &options, err);
}

bool regret_compare(struct paired *out, const struct groups *groups, const double *losses, size_t n,
                    struct repro_report *report)
{
    const struct bootstrap plan = {.groups = groups, .replicates = 2000, .level = 0.95, .seed = 1};
    struct error err;
    if (paired_compare(out, losses, losses + n, &plan, &err) == 0) return true;
    repro_deviation(report, "not compared row by row: %.200s", err.text);
    return false;
}

/* ---- a choice ---- */

const char *regret_group(const struct repro_benchmark *b)
{
    const char *name = b->workload ? b->workload->name : b->name;
    return strcmp(name, "srad2") == 0 ? "srad1" : name; /* one program's */
}

double regret_threshold(const struct regret_choice *choice, const double *x, const char *but)
{
    static const double tried[] = {0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 2};
    double best = tried[0], least = INFINITY;
    for (size_t t = 0; t < COUNT_OF(tried); t++) {
        double sum = 0;
        for (size_t i = 0; i < choice->n; i++)
            if (strcmp(choice->groups[i], but) != 0) sum += choice->loss(choice->study, i, x[i] >= tried[t]);
        if (sum < least) least = sum, best = tried[t];
    }
    return best;
}

/* What the family's choices lose in each row, and the share of them that are hindsight's. */
static int try_family(const struct regret_choice *choice, const struct family *family, const struct groups *groups,
                      const struct glm_data *data, const struct folds *folds, double *losses, double *agree,
                      struct error *err)
{
    struct cv_result cv;
    if (regret_cross_validate(&cv, family, data, groups, folds, err) < 0) return -1;
    *agree = 0;
    for (size_t i = 0; i < choice->n; i++) {
        const bool chosen = cv.predicted[i] > 100;
        losses[i] = choice->loss(choice->study, i, chosen);
        *agree += (chosen == choice->gains(choice->study, i)) / (double)choice->n;
    }
    cv_result_fini(&cv);
    return 0;
}

/* Whether a family's losses differ from the rival's, which stand behind them, by more than chance over benchmarks. */
static void judge(const struct regret_choice *choice, const struct groups *groups, const double *losses,
                  const char *family, const char *rival, struct repro_report *report)
{
    struct paired paired;
    if (!regret_compare(&paired, groups, losses, choice->n, report)) return;
    const double ci[2] = {100 * paired.low, 100 * paired.high};
    repro_row(report, NAN, 100 * paired.difference, "%", "regret by row, %s less %s", family, rival);
    repro_interval(report, ci);
    repro_row(report, NAN, paired.p_groups, "1", "probability if benchmarks' signs were chance");
}

int repro_families(struct groups *out, const struct repro_data *data, struct error *err)
{
    const char **names = calloc(data->n + 1, sizeof *names);
    if (!names) return error_set(err, ERR_MEMORY, "out of memory for the families of %zu benchmarks", data->n);
    for (size_t i = 0; i < data->n; i++) {
        const struct repro_benchmark *b = &data->benchmarks[i];
        names[i] = b->workload ? workload_family(b->workload) : b->name;
    }
    const int result = groups_init(out, names, data->n, err);
    free(names);
    return result;
}

void repro_bootstrap(const struct groups *groups, bootstrap_statistic *statistic, void *context, double ci[2])
{
    const struct bootstrap plan = {.groups = groups, .replicates = 2000, .level = 0.95, .seed = 1};
    struct error ignored;
    if (bootstrap_interval(&plan, statistic, context, ci, &ignored) < 0) ci[0] = ci[1] = NAN;
}

/* Another way of choosing, and what it loses in each row. */
struct regret_rival {
    const char *name;
    const double *losses; /* n */
};
struct regret_learned {
    const char *family; /* NULL: none could be fitted */
    double regret;      /* percent; NAN: none */
};
static struct regret_learned regret_learn(const struct regret_choice *choice, const struct groups *groups,
                                          const struct glm_data *data, const char *decided,
                                          const struct regret_rival *rival, struct repro_report *report)
{
    const size_t n = choice->n;
    struct regret_learned best = {NULL, NAN};
    struct folds folds = {0};
    struct error err;
    double *losses = calloc(n + 1, sizeof *losses), *least = calloc(2 * n + 1, sizeof *least);
    report->out_of_memory |= !losses || !least;
    if (!losses || !least) goto done;
    memcpy(least + n, rival->losses, n * sizeof *least);
    if (folds_leave_one_group_out(&folds, groups, &err) < 0)
        repro_deviation(report, "not cross-validated: %s", err.text);
    for (size_t f = 0; f < n_families && folds.n_folds; f++) {
        double agree;
        if (try_family(choice, families[f], groups, data, &folds, losses, &agree, &err) < 0) {
            repro_deviation(report, "family %s could not be fitted to every fold: %.200s", families[f]->name, err.text);
            continue;
        }
        const double own = regret_mean(choice->groups, losses, n);
        repro_row(report, NAN, own, "%", "regret, %s", families[f]->name);
        repro_row(report, NAN, 100 * agree, "%", "%s, %s", decided, families[f]->name);
        if (best.family && own >= best.regret) continue;
        best = (struct regret_learned){families[f]->name, own};
        memcpy(least, losses, n * sizeof *least);
    }
    if (best.family) judge(choice, groups, least, best.family, rival->name, report);
    folds_fini(&folds);
done:
    free(least);
    free(losses);
    return best;
}

void regret_against_rules(const struct regret_choice *choice, const struct glm_data *data, regret_rules *rules,
                          const char *rival, const char *decided, const char *where, struct repro_report *report)
{
    struct groups groups;
    struct error err;
    double *losses = calloc(choice->n + 1, sizeof *losses);
    if (!losses || groups_init(&groups, choice->groups, choice->n, &err) < 0) {
        report->out_of_memory = true;
        free(losses);
        return;
    }
    const double least = rules(choice, losses, report);
    const struct regret_learned best =
        regret_learn(choice, &groups, data, decided, &(struct regret_rival){rival, losses}, report);
    repro_check(report, best.regret < least, "the best learned throttler (%s) loses less than %s%s",
                best.family ? best.family : "none", rival, where);
    groups_fini(&groups);
    free(losses);
}
