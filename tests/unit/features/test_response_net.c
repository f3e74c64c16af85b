/* The integer network against a reference that is written from its page alone, its limits, and the choice of a tuple.
 */
#include "rig.h"

#include <fenv.h>
#include <math.h>
#include "poise/response_net.h"

static uint64_t state = 1;
static uint32_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}
static int draw_between(int low, int high) { return low + (int)(draw() % (uint32_t)(high - low + 1)); }

static void random_net(struct response_net *net)
{
    memset(net, 0, sizeof *net);
    *net = (struct response_net){.n_features = (uint32_t)draw_between(1, 20),
                                 .n_hidden = (uint32_t)draw_between(1, 16),
                                 .n_coefs = (uint32_t)draw_between(1, 4),
                                 .n_levels = 10,
                                 .mean_shift = (uint8_t)draw_between(0, 14),
                                 .margin = draw_between(0, 5000)};
    memcpy(net->levels, response_levels, sizeof net->levels);
    for (size_t i = 0; i < net->n_features; i++) {
        net->scale[i] = (float)draw_between(-40000, 40000) / 64.0f;
        net->offset[i] = (float)draw_between(-4000, 4000) / 32.0f;
        for (size_t u = 0; u < net->n_hidden; u++) net->w1[u][i] = (int8_t)draw_between(-127, 127);
    }
    for (size_t u = 0; u < net->n_hidden; u++) {
        net->b1[u] = draw_between(-20000, 20000);
        net->shift1[u] = (uint8_t)draw_between(0, 12);
        for (size_t r = 0; r < net->n_coefs; r++) net->w2[r][u] = (int8_t)draw_between(-127, 127);
    }
    for (size_t r = 0; r < net->n_coefs; r++) {
        net->b2[r] = draw_between(-40000, 40000);
        net->shift2[r] = (uint8_t)draw_between(0, 8);
        for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++) net->basis[r][j] = (int8_t)draw_between(-127, 127);
    }
    for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++) net->mean[j] = (int8_t)draw_between(-127, 127);
}

/* The same sums in 64-bit integers, with division that floors, and rounding by the C library. */
static int64_t floor_divide(int64_t v, int64_t by) { return v >= 0 ? v / by : -((-v + by - 1) / by); }
static void reference(const struct response_net *net, const float *x, int64_t *z)
{
    int64_t h[RESPONSE_HIDDEN_MAX], c[RESPONSE_COEFS_MAX];
    for (size_t u = 0; u < net->n_hidden; u++) {
        h[u] = net->b1[u];
        for (size_t i = 0; i < net->n_features; i++) {
            volatile float product = x[i] * net->scale[i];
            const float t = product + net->offset[i];
            const double q = isnan(t) ? 0 : nearbyint(fmin(127, fmax(-127, (double)t)));
            h[u] += net->w1[u][i] * (int64_t)q;
        }
        h[u] = h[u] < 0 ? 0 : floor_divide(h[u], (int64_t)1 << net->shift1[u]);
        if (h[u] > 255) h[u] = 255;
    }
    for (size_t r = 0; r < net->n_coefs; r++) {
        c[r] = net->b2[r];
        for (size_t u = 0; u < net->n_hidden; u++) c[r] += net->w2[r][u] * h[u];
        c[r] = floor_divide(c[r], (int64_t)1 << net->shift2[r]);
        c[r] = c[r] > 32767 ? 32767 : c[r] < -32767 ? -32767 : c[r];
    }
    for (size_t j = 0; j < response_points(net->n_levels); j++) {
        z[j] = net->mean[j] * ((int64_t)1 << net->mean_shift);
        for (size_t r = 0; r < net->n_coefs; r++) z[j] += net->basis[r][j] * c[r];
    }
}

static void ten_thousand_random_evaluations_equal_the_plain_reference(void **unused)
{
    (void)unused;
    struct error err;
    for (int n = 0; n < 100; n++) {
        struct response_net net;
        random_net(&net);
        assert_ok(response_net_check(&net, &err), &err);
        for (int v = 0; v < 100; v++) {
            float x[RESPONSE_FEATURES_MAX];
            int32_t z[RESPONSE_POINTS_MAX];
            int64_t expected[RESPONSE_POINTS_MAX];
            for (size_t i = 0; i < net.n_features; i++) x[i] = (float)draw_between(-4000, 4000) / 8192.0f;
            if (v == 0) x[0] = NAN;
            if (v == 1) x[0] = INFINITY;
            response_net_eval(&net, x, z);
            reference(&net, x, expected);
            for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++) assert_int_equal(expected[j], z[j]);
        }
    }
}

static void halves_are_rounded_to_the_even_integer_whatever_the_rounding_mode(void **unused)
{
    (void)unused;
    struct response_net net = {.n_features = 8};
    const float x[8] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 126.5f, 1e9f, -1e9f};
    const int8_t expected[8] = {0, 2, 2, 0, -2, 126, 127, -127};
    const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < 8; i++) net.scale[i] = 1;
    for (size_t m = 0; m < 4; m++) {
        int8_t q[RESPONSE_FEATURES_MAX];
        fesetround(modes[m]);
        response_net_quantise(&net, x, q);
        fesetround(FE_TONEAREST);
        assert_memory_equal(expected, q, sizeof expected);
    }
}

static void the_largest_network_that_is_accepted_does_not_overflow(void **unused)
{
    (void)unused;
    struct response_net net;
    struct error err;
    random_net(&net);
    net.n_features = 20, net.n_hidden = 16, net.n_coefs = 4, net.mean_shift = RESPONSE_MEAN_SHIFT_MAX;
    memset(net.w1, 127, sizeof net.w1);
    memset(net.w2, 127, sizeof net.w2);
    memset(net.basis, 127, sizeof net.basis);
    memset(net.mean, 127, sizeof net.mean);
    memset(net.shift1, 0, sizeof net.shift1);
    memset(net.shift2, 0, sizeof net.shift2);
    for (size_t u = 0; u < 16; u++) net.b1[u] = RESPONSE_BIAS_MAX;
    for (size_t r = 0; r < 4; r++) net.b2[r] = RESPONSE_BIAS_MAX;
    for (size_t i = 0; i < 20; i++) net.scale[i] = 1, net.offset[i] = 200;
    assert_ok(response_net_check(&net, &err), &err);
    float x[RESPONSE_FEATURES_MAX] = {0};
    int32_t z[RESPONSE_POINTS_MAX];
    response_net_eval(&net, x, z);
    for (size_t j = 0; j < RESPONSE_POINTS_MAX; j++) assert_int_equal(127 * (1 << 14) + 4 * 127 * 32767, z[j]);
}

static void points_are_ordered_by_N_then_p_and_cut_at_W(void **unused)
{
    (void)unused;
    assert_int_equal(55, response_points(10));
    size_t at = 0;
    for (size_t N = 0; N < 10; N++)
        for (size_t p = 0; p <= N; p++, at++) {
            const struct response_tuple tuple = response_point(response_levels, at);
            assert_int_equal(response_levels[N], tuple.N);
            assert_int_equal(response_levels[p], tuple.p);
        }
    assert_int_equal(55, response_points_within(response_levels, 10, 24));
    assert_int_equal(55, response_points_within(response_levels, 10, 48));
    assert_int_equal(55, response_points_within(response_levels, 10, 21));
    assert_int_equal(36, response_points_within(response_levels, 10, 16));
    assert_int_equal(28, response_points_within(response_levels, 10, 10)); /* (12, p) stands for (10, p) */
    assert_int_equal(1, response_points_within(response_levels, 10, 1));
}

static void assert_tuple(const struct response_net *net, const int32_t *z, uint32_t W, uint32_t N, uint32_t p)
{
    const struct response_tuple best = response_net_best(net, z, W);
    if (best.N != N || best.p != p) fail_msg("W %u: (%u, %u), not (%u, %u)", W, best.N, best.p, N, p);
}

static void the_best_point_within_W_is_chosen_where_it_beats_all_warps_by_the_margin(void **unused)
{
    (void)unused;
    struct response_net net = {.n_levels = 10, .margin = 100};
    int32_t z[RESPONSE_POINTS_MAX] = {0};
    memcpy(net.levels, response_levels, sizeof net.levels);
    assert_tuple(&net, z, 24, 24, 24);
    z[0] = 100; /* (1, 1): no more than the margin */
    assert_tuple(&net, z, 24, 24, 24);
    z[0] = 101;
    assert_tuple(&net, z, 24, 1, 1);
    z[54] = 2; /* (24, 24) moves up: the margin is over it */
    assert_tuple(&net, z, 24, 24, 24);
    assert_tuple(&net, z, 48, 1, 1); /* but with 48 warps all warps are not on the lattice, and worth 0 */
    z[54] = 0;
    z[2] = 101; /* (2, 2): a tie goes to the larger N */
    assert_tuple(&net, z, 24, 2, 2);
    z[1] = 101; /* (2, 1): then to the larger p */
    assert_tuple(&net, z, 24, 2, 2);
    assert_tuple(&net, z, 1, 1, 1);
    z[response_points(6) + 1] = 500; /* (12, 2) */
    assert_tuple(&net, z, 24, 12, 2);
    assert_tuple(&net, z, 10, 10, 2); /* clamped */
    assert_tuple(&net, z, 8, 2, 2);   /* not a tuple of such a launch */
}

static void networks_out_of_their_bounds_are_refused_with_the_part(void **unused)
{
    (void)unused;
    struct response_net net, bad;
    struct error err;
    random_net(&net);
    net.n_features = 16, net.n_hidden = 16, net.n_coefs = 4;
    assert_int_equal(16 * 8 + 16 * 21 + 4 * 21 + 5 * 55 + 1 + 10 + 4, response_net_bytes(&net));
    assert_ok(response_net_check(&net, &err), &err);
#define REFUSED(change, says) \
    bad = net; \
    change; \
    assert_int_equal(-1, response_net_check(&bad, &err)); \
    if (!strstr(err.text, says)) fail_msg("%s", err.text)
    REFUSED(bad.n_features = 0, "0 features, must be 1 to 32");
    REFUSED(bad.n_hidden = 17, "17 hidden units, must be 1 to 16");
    REFUSED(bad.n_coefs = 9, "9 coefficients, must be 1 to 8");
    REFUSED(bad.levels[3] = 2, "levels must ascend");
    REFUSED(bad.scale[2] = INFINITY, "scale and offset of feature 2");
    REFUSED(bad.b1[5] = RESPONSE_BIAS_MAX + 1, "hidden unit 5");
    REFUSED(bad.shift2[1] = 25, "coefficient 1");
    REFUSED(bad.w1[0][0] = -128, "weights must be -127 to 127");
    REFUSED(bad.mean_shift = 15, "mean shift 15");
    REFUSED(bad.margin = -1, "margin -1");
    REFUSED((bad.n_features = 32, memset(bad.scale, 0, sizeof bad.scale), memset(bad.offset, 0, sizeof bad.offset)),
            "1222 bytes, at most 1024");
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_random_evaluations_equal_the_plain_reference),
        cmocka_unit_test(halves_are_rounded_to_the_even_integer_whatever_the_rounding_mode),
        cmocka_unit_test(the_largest_network_that_is_accepted_does_not_overflow),
        cmocka_unit_test(points_are_ordered_by_N_then_p_and_cut_at_W),
        cmocka_unit_test(the_best_point_within_W_is_chosen_where_it_beats_all_warps_by_the_margin),
        cmocka_unit_test(networks_out_of_their_bounds_are_refused_with_the_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
