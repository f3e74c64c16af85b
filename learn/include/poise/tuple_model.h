/* A model file of warp tuples, bound to the feature table: its outputs N and p as the regressions that
 * "poise/tuple_predict.h" evaluates.                                                               [THESIS Eq. 5.13] */
#ifndef POISE_TUPLE_MODEL_H
#define POISE_TUPLE_MODEL_H
#include "poise/model.h"
#include "poise/tuple_predict.h"

struct tuple_model {
    float scale;                    /* warps per scheduler that the targets were scaled to; 0: not scaled */
    struct tuple_regression out[2]; /* N, p; the weights are borrowed from the model */
};
/* `model` must outlive `out`. Errors name `where` and the output or feature that is missing. */
int tuple_model_init(struct tuple_model *out, const struct model *model, const char *where, struct error *err);
/* The model that `m` was made of now lies here: a copy, with its copy. */
void tuple_model_rebind(struct tuple_model *m, const struct model *model);
/* The tuple for W warps a scheduler. o: counters at (W, W); a: at (1, 1). */
struct tuple_prediction tuple_model_predict(const struct tuple_model *m, const struct feature_counters *o,
                                            const struct feature_counters *a, uint32_t W);
#endif
