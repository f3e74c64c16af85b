/* Warp tuples from counters: two regressions with a log link, whose weights are plain arrays. The hardware inference
 * engine and every offline prediction go through here, so that they agree to the bit. learn/ reads the weights from
 * model files ("poise/tuple_model.h").                                                            [THESIS Eq. 5.13] */
#ifndef POISE_TUPLE_PREDICT_H
#define POISE_TUPLE_PREDICT_H
#include <stddef.h>
#include <stdint.h>
#include "poise/features.h"

#define TUPLE_FEATURES_MAX 32

/* One output: the sum of n features, each times its weight, is the logarithm of a number of warps. */
struct tuple_regression {
    const double *weights; /* n of them; borrowed, and rounded to single precision where they are used */
    const struct feature_row *rows[TUPLE_FEATURES_MAX];
    size_t n; /* at most TUPLE_FEATURES_MAX */
};
struct tuple_prediction {
    float raw[2];  /* N, p of `scale` warps (0: of the kernel's), as the log link gives them */
    uint32_t N, p; /* of W warps, whole, 1 <= p <= N <= W */
};
/* The tuple of a kernel with W warps a scheduler. outputs: of N, then of p. scale: warps a scheduler that the outputs
 * were trained for; 0: the kernel's own. o: counters at (W, W); a: at (1, 1). */
struct tuple_prediction tuple_predict(const struct tuple_regression outputs[2], float scale,
                                      const struct feature_counters *o, const struct feature_counters *a, uint32_t W);

/* exp(w . x) as the hardware computes it: single precision, features in the order of the weights, products and sums
 * rounded one by one, and an exponential of our own that every compiler evaluates to the same bits. */
float log_link_predict_f32(const double *weights, const float *x, size_t n);
/* e to the x, at most 1 ulp from the correctly rounded value and never decreasing; infinity, 0 and NaN as in C. */
float log_link_exp_f32(float x);
#endif
