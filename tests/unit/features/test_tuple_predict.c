/* Prediction of warp tuples from arrays of weights, linked without learn/ and without the simulator. */
#include "rig.h"

#include <math.h>
#include "poise/tuple_predict.h"

#define EXP_HASH 0x8cd54eed91060c31u

/* Results are never negative, so their bits are ordered as they are. */
static int64_t bits_of(float f)
{
    int32_t i;
    memcpy(&i, &f, sizeof i);
    return i;
}
static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void exp_is_within_1_ulp_of_the_rounded_value_and_never_decreases(void **state)
{
    (void)state;
    float before = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    /* every 97th float from -105 to -0, then from 0 to 90: 23 million; all 2.2 billion were run once with the same
     * outcome */
    for (int side = 0; side < 2; side++) {
        const uint32_t limit = (uint32_t)bits_of(side ? 90.0f : 105.0f);
        for (uint32_t k = 0; k <= limit; k += 97) {
            const float x = side ? float_of(k) : -float_of(limit - k), y = log_link_exp_f32(x);
            const int64_t off = bits_of(y) - bits_of((float)exp((double)x));
            if (off > 1 || off < -1) fail_msg("exp(%a) = %a is %ld ulp off", (double)x, (double)y, (long)off);
            if (y < before) fail_msg("exp decreases at %a", (double)x);
            before = y;
            hash = (hash ^ (uint32_t)bits_of(y)) * 0x100000001b3u;
        }
    }
    assert_int_equal(EXP_HASH, hash); /* the same bits from every compiler and with every sanitizer */
}

static void exp_handles_the_ends_of_the_range(void **state)
{
    (void)state;
    assert_true(isnan(log_link_exp_f32(NAN)));
    assert_true(isinf(log_link_exp_f32(INFINITY)));
    assert_true(isinf(log_link_exp_f32(88.7229f)));
    assert_true(isfinite(log_link_exp_f32(88.7228f)));
    assert_true(log_link_exp_f32(-INFINITY) == 0.0f);
    assert_true(log_link_exp_f32(-104.1f) == 0.0f);
    assert_true(log_link_exp_f32(-103.9f) > 0.0f);
    assert_true(log_link_exp_f32(0.0f) == 1.0f);
    assert_true(log_link_exp_f32(-0.0f) == 1.0f);
    assert_true(log_link_exp_f32(1.0f) == 0x1.5bf0a8p+1f);
}

static void prediction_rounds_each_product_and_each_sum_in_single_precision(void **state)
{
    (void)state;
    const double large[3] = {0.1, 1e8, -1e8}, small[2] = {0.5, 0.25};
    const float x[3] = {1.0f, 1.0f, 1.0f}, y[2] = {2.0f, 4.0f};
    assert_true(log_link_predict_f32(large, x, 3) == 1.0f); /* 0.1 drowns in 1e8, as in a single-precision register */
    assert_true(log_link_predict_f32(small, y, 2) == log_link_exp_f32(2.0f));
}

static void a_tuple_is_predicted_from_counters_by_hand(void **state)
{
    (void)state;
    static const char *const names[] = {"h_o", "intercept"};
    const double N[] = {4, 0.5}, p[] = {0, 1.25};
    const struct feature_counters o = {.l1_accesses = 8, .l1_hits = 4}, a = {.l1_accesses = 1};
    struct tuple_regression outputs[2] = {{.weights = N, .n = 2}, {.weights = p, .n = 2}};
    struct error err;
    for (int k = 0; k < 2; k++) assert_ok(features_resolve(names, 2, outputs[k].rows, "test", &err), &err);
    /* ln N = 4 * 0.5 + 0.5, ln p = 1.25: e^2.5 = 12.18 and e^1.25 = 3.49, of 24 warps */
    struct tuple_prediction t = tuple_predict(outputs, 24, &o, &a, 24);
    assert_true(t.raw[0] == log_link_exp_f32(2.5f) && t.raw[1] == log_link_exp_f32(1.25f));
    assert_int_equal(12, t.N);
    assert_int_equal(3, t.p);
    t = tuple_predict(outputs, 24, &o, &a, 48); /* twice the warps: 24.36 and 6.98 */
    assert_int_equal(24, t.N);
    assert_int_equal(7, t.p);
    t = tuple_predict(outputs, 0, &o, &a, 8); /* not scaled: no more than there are */
    assert_int_equal(8, t.N);
    assert_int_equal(3, t.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_1_ulp_of_the_rounded_value_and_never_decreases),
        cmocka_unit_test(exp_handles_the_ends_of_the_range),
        cmocka_unit_test(prediction_rounds_each_product_and_each_sum_in_single_precision),
        cmocka_unit_test(a_tuple_is_predicted_from_counters_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
