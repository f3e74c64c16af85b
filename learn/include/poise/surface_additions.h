/* Which further groups of training rows help a learner of surfaces on groups that it has not seen.
 *
 * A judged group is predicted by a learner that was trained on the base without it, and on the further groups that are
 * on trial; settings and rule are chosen inside that training part. What is accepted was chosen on the judged groups,
 * so its regret on them is optimistic: other groups say what it is worth. */
#ifndef POISE_SURFACE_ADDITIONS_H
#define POISE_SURFACE_ADDITIONS_H
#include "poise/surface_validate.h"

/* by_group[n_groups]: mean regret of each judged group under a learner trained on the groups of `train` but that one;
 * NAN for the others. `train` and `judged` have n_groups entries. *mean: over judged groups. */
int surface_held_out(double *by_group, double *mean, const struct surface_data *data, const bool *train,
                     const bool *judged, const struct surface_cv_options *options, struct error *err);

struct surface_addition { /* of one further group on its own */
    bool is_candidate;
    double mean;          /* regret with it */
    size_t better, worse; /* judged groups whose regret falls, rises by more than 0.001 */
};
struct surface_addition_step {
    size_t group;
    double mean; /* with this group and those of the steps before */
};
struct surface_additions {
    double base;                         /* mean regret without any */
    struct surface_addition *single;     /* n_groups */
    struct surface_addition_step *steps; /* accepted, in this order */
    size_t n_steps;
    size_t rejected;      /* the group that would have been next, or SIZE_MAX: no candidate was left */
    double rejected_mean; /* with it */
};
/* Greedy: the group with the least mean regret joins as long as it gains more than `least`; `most` steps at most. */
int surface_additions_judge(struct surface_additions *out, const struct surface_data *data, const bool *base,
                            const bool *judged, const bool *candidates, double least, size_t most,
                            const struct surface_cv_options *options, struct error *err);
/* The whole procedure judged: what is accepted is chosen anew without each judged group, which is then predicted with
 * it. by_group as in surface_held_out(), chosen[n_groups] (may be NULL): how often a candidate was accepted. */
int surface_additions_validate(double *by_group, double *mean, size_t *chosen, const struct surface_data *data,
                               const bool *base, const bool *judged, const bool *candidates, double least, size_t most,
                               const struct surface_cv_options *options, struct error *err);
void surface_additions_fini(struct surface_additions *additions);
#endif
