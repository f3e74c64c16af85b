#include "studies/repro/repro_regret.h"

#include <math.h>
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
