/* What a learner of surfaces is worth on groups of which it saw nothing. */
#ifndef POISE_RESPONSE_VALIDATE_H
#define POISE_RESPONSE_VALIDATE_H
#include "poise/response_distil.h"

/* Nested validation: each group is predicted by a learner that saw nothing of it; settings and rule are chosen inside
 * the training part, by the mean regret over its groups. */
struct response_cv_options {
    const struct response_family *family;
    struct family_settings settings;
    const struct family_axis *axes; /* searched inside; n_axes 0: settings as they are */
    size_t n_axes;
    const struct response_rule *rules;            /* searched inside; n_rules 0: no caution, no margin */
    size_t n_rules, inner_folds;                  /* folds of whole groups; 0: leave one group out */
    const struct response_distil_options *distil; /* also validate the distilled networks; NULL: do not */
    size_t replicates;                            /* of the bootstrap; 0: 2000 */
    uint64_t seed;
};
struct response_cv_group {
    bool is_used;                                /* some row has weight */
    double regret, regret_all_warps, regret_net; /* weighted means over its rows; regret_net NAN without distillation */
    struct family_settings settings;
    struct response_rule rule;
    size_t net_bytes;
};
struct response_cv {
    size_t n, m, n_groups, n_used;
    struct response_cv_group *groups; /* n_groups */
    double *predicted;                /* n x m held-out means */
    size_t *choice;                   /* n; m stands for all warps */
    double *regret;                   /* n; NAN in groups without weight, which are not predicted */
    double mean, interval[2];         /* of regret over groups, with its 95 % bootstrap interval over groups */
    double mean_all_warps, mean_net, interval_net[2];
};
int response_validate(struct response_cv *out, const struct response_data *data,
                      const struct response_cv_options *options, struct error *err);
void response_cv_fini(struct response_cv *cv);
/* The settings and rule with the least mean regret over groups left out, as used inside; also for the final fit. */
int response_tune(struct family_settings *settings, struct response_rule *rule, const struct response_data *data,
                  const struct response_cv_options *options, struct error *err);
#endif
