/* The elastic net of glm.h as quadratic penalties that poisson.c and nb2.c maximise under.      (private)
 * |b| is bounded by a parabola that touches it at the last estimate: each maximisation under those parabolas raises the
 * penalised likelihood (an MM algorithm; local quadratic approximation in Fan and Li, JASA 2001). */
#ifndef POISE_LEARN_PENALTY_H
#define POISE_LEARN_PENALTY_H
#include "design.h"
#include "poise/glm.h"

struct penalty {
    size_t r;
    double *ridge;             /* curvatures, for struct problem */
    double *smooth, *absolute; /* of the squares, by half; of the absolute values */
};
int penalty_init(struct penalty *penalty, const struct glm_penalty *options, const struct glm_data *data,
                 const struct design *design, struct error *err);
int penalty_check(const struct glm_penalty *options, enum glm_family family, struct error *err);
void penalty_fini(struct penalty *penalty);
/* The parabolas at `beta`. Returns how far the scaled estimates moved since `before`, which becomes beta; relative
 * where they are above 1. */
double penalty_touch(struct penalty *penalty, const double *beta, double *before);
/* Fixes at 0 what the lasso part holds there. */
void penalty_close(struct penalty *penalty, const double *beta);
#endif
