/* A model of warp tuples at work: its outputs N and p over rows of the feature table. The hardware inference engine
 * and every offline prediction go through here, so that they agree to the bit.
 * [THESIS Eq. 5.13] */
#ifndef POISE_TUPLE_MODEL_H
#define POISE_TUPLE_MODEL_H
#include "poise/features.h"
#include "poise/model.h"

struct tuple_model {
    float scale;                       /* warps per scheduler that the targets were scaled to; 0: not scaled */
    const struct model_output *out[2]; /* N, p; borrowed */
    const struct feature_row *rows[2][MODEL_FEATURES_MAX];
};
struct tuple_prediction {
    float raw[2];  /* N, p of `scale` warps (0: of the kernel's), as the link function gives them */
    uint32_t N, p; /* of W warps, whole, 1 <= p <= N <= W */
};
/* `model` must outlive `out`. Errors name `where` and the output or feature that is missing. */
int tuple_model_init(struct tuple_model *out, const struct model *model, const char *where, struct error *err);
/* The model that `m` was made of now lies here: a copy, with its copy. */
void tuple_model_rebind(struct tuple_model *m, const struct model *model);
/* o: counters at (W, W); a: at (1, 1). */
struct tuple_prediction tuple_model_predict(const struct tuple_model *m, const struct feature_counters *o,
                                            const struct feature_counters *a, uint32_t W);
#endif
