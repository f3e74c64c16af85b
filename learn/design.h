/* The design before fitting: checks of every value, scaling, rank.      (private) */
#ifndef POISE_LEARN_DESIGN_H
#define POISE_LEARN_DESIGN_H
#include <stddef.h>
#include "poise/glm.h"

struct design {
    size_t n, k, r;
    size_t *kept;           /* r column indices, in order */
    const double **columns; /* r */
    double *scales;         /* r powers of two: scaled columns have length 0.5 .. 1 */
    double condition;
};
/* Without a penalty there are at least as many rows of positive weight as columns. */
int glm_check(const struct glm_data *data, enum glm_family family, bool is_penalised, struct error *err);
/* Finds the columns to keep; each dropped one is a warning of `fit` that says on which columns it depends. With a
 * penalty these stay, but for a second constant column. */
int design_init(struct design *design, const struct glm_data *data, bool is_penalised, struct glm_fit *fit,
                struct error *err);
/* What every family asks of weights: none is negative, and a frequency weight is a whole number. */
int weights_check(const struct glm_data *data, struct error *err);
void design_fini(struct design *design);
void fit_warn(struct glm_fit *fit, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
