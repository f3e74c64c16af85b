/* The log link and the warp tuple that comes of it, as the hardware inference engine evaluates them: single precision,
 * one rounding an operation.                                                                       [THESIS Eq. 5.13]
 *
 * libm's expf may differ between C libraries and processors; this one is add, subtract and multiply only, so that
 * every compiler makes the same bits of it as long as a*b+c is not contracted (the build sets -ffp-contract=off). */
#include "poise/tuple_predict.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* 2^k for -126 <= k <= 127 */
static float power_of_two(int k)
{
    const uint32_t bits = (uint32_t)(k + 127) << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* x = k ln 2 + r + e, |r| <= ln 2 / 2: the product k * ln2_hi has at most 23 bits and is exact, and e is what r lost
 * in rounding. exp x = 2^k (1 + r + r^2 q(r) + e), q = Taylor to r^6 (truncation 2e-10). 1 + r is summed with its
 * rounding error kept, so that the last addition is the only rounding that counts: 0.51 ulp, and 1 ulp where the
 * result is subnormal. */
float log_link_exp_f32(float x)
{
    static const float log2e = 0x1.715476p+0f, ln2_hi = 0x1.62e4p-1f, ln2_lo = 0x1.7f7d1cp-20f;
    if (x != x) return x;
    if (x > 89.0f) return INFINITY;
    if (x < -104.0f) return 0.0f;
    const int k = (int)(x * log2e + (x < 0.0f ? -0.5f : 0.5f));
    const float hi = x - (float)k * ln2_hi, lo = (float)k * ln2_lo;
    const float r = hi - lo, e = (hi - r) - lo;
    float q = 1.0f / 40320.0f;
    q = q * r + 1.0f / 5040.0f;
    q = q * r + 1.0f / 720.0f;
    q = q * r + 1.0f / 120.0f;
    q = q * r + 1.0f / 24.0f;
    q = q * r + 1.0f / 6.0f;
    q = q * r + 0.5f;
    const float head = 1.0f + r, tail = r - (head - 1.0f);
    const float y = head + (tail + (r * r * q + e));
    const int half = k / 2; /* two factors: 2^128 and 2^-150 are out of range, their halves are not */
    return y * power_of_two(half) * power_of_two(k - half);
}

float log_link_predict_f32(const double *weights, const float *x, size_t n)
{
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        const float product = (float)weights[i] * x[i];
        sum = sum + product;
    }
    return log_link_exp_f32(sum);
}

struct tuple_prediction tuple_predict(const struct tuple_regression outputs[2], float scale,
                                      const struct feature_counters *o, const struct feature_counters *a, uint32_t W)
{
    struct tuple_prediction t;
    for (int k = 0; k < 2; k++) {
        float x[TUPLE_FEATURES_MAX];
        features_vector_f32(outputs[k].rows, outputs[k].n, o, a, x);
        t.raw[k] = log_link_predict_f32(outputs[k].weights, x, outputs[k].n);
    }
    warps_unscale(t.raw[0], t.raw[1], W, scale, &t.N, &t.p);
    return t;
}
