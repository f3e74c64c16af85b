#include "rig.h"

#include <math.h>
#include "poise/features.h"

static const double w[3] = {1, 0.5, 0.25}; /* THESIS Tab. 5.5 */
static void assert_near(double x, double expected)
{
    if (!(fabs(x - expected) <= 1e-12 * (1 + fabs(expected)))) fail_msg("%.17g, expected %.17g", x, expected);
}

/* The whole triangle of W = 3:   p=3            1.0
 *                                p=2       1.2  1.1
 *                                p=1  0.8  1.4  1.3
 *                                N =  1    2    3   */
static const struct profile_point full[] = {{1, 1, 0.8}, {2, 1, 1.4}, {2, 2, 1.2},
                                            {3, 1, 1.3}, {3, 2, 1.1}, {3, 3, 1.0}};

static void a_triangle_of_6_points_scores_as_by_hand(void **state)
{
    (void)state;
    double s[6];
    score_points(full, 6, 3, w, s);
    /* (1,1): itself, (2,1) beside, (2,2) diagonal */
    assert_near(s[0], (0.8 + 0.5 * 1.4 + 0.25 * 1.2) / 1.75);
    /* (2,1): (1,1) (3,1) (2,2) beside, (3,2) diagonal; (1,2) is outside the triangle */
    assert_near(s[1], (1.4 + 0.5 * (0.8 + 1.3 + 1.2) + 0.25 * 1.1) / 2.75);
    /* (2,2): (2,1) (3,2) beside, (1,1) (3,1) (3,3) diagonal */
    assert_near(s[2], (1.2 + 0.5 * (1.4 + 1.1) + 0.25 * (0.8 + 1.3 + 1.0)) / 2.75);
    assert_near(s[3], (1.3 + 0.5 * (1.4 + 1.1) + 0.25 * 1.2) / 2.25);
    assert_near(s[4], (1.1 + 0.5 * (1.2 + 1.3 + 1.0) + 0.25 * 1.4) / 2.75);
    assert_near(s[5], (1.0 + 0.5 * 1.1 + 0.25 * 1.2) / 1.75);
    assert_int_equal(3, score_target(full, s, 6)); /* 1.256 at (3,1), although (2,1) is fastest: 1.209 */
}

static void a_point_whose_neighbour_was_not_simulated_is_no_target(void **state)
{
    (void)state;
    double s[5];
    score_points(full, 5, 3, w, s); /* without (3,3) */
    assert_true(isnan(s[2]) && isnan(s[4]));
    assert_false(isnan(s[0]) || isnan(s[1]) || isnan(s[3]));
    assert_int_equal(3, score_target(full, s, 5));
    score_points(full, 5, 4, w, s); /* W = 4: column 4 is missing, so only N = 1, 2 can score, and (2,2) lacks (3,3) */
    assert_true(isnan(s[3]));
    assert_int_equal(1, score_target(full, s, 5));
}

static void a_lone_point_is_no_target_unless_the_triangle_is_that_point(void **state)
{
    (void)state;
    double s[1];
    score_points(full, 1, 24, w, s);
    assert_true(isnan(s[0]));
    assert_int_equal(1, score_target(full, s, 1)); /* n: none */
    score_points(full, 1, 1, w, s);
    assert_near(s[0], 0.8);
    assert_int_equal(0, score_target(full, NULL, 0)); /* n = 0 points have no target */
}

static void a_tie_goes_to_smaller_N_then_smaller_p(void **state)
{
    (void)state;
    struct profile_point flat[6];
    double s[6];
    for (int i = 0; i < 6; i++) {
        flat[i] = full[5 - i];
        flat[i].speedup = 1.0;
    }
    score_points(flat, 6, 3, w, s);
    for (int i = 0; i < 6; i++) assert_true(s[i] == 1.0);
    assert_int_equal(5, score_target(flat, s, 6)); /* (1,1), last in this order */
    s[5] = 0;
    assert_int_equal(4, score_target(flat, s, 6)); /* (2,1) before (2,2) */
}

static void a_point_beside_a_cliff_loses_to_a_plateau(void **state)
{
    (void)state;
    struct profile_point points[300];
    double s[300];
    size_t n = 0;
    for (uint32_t N = 1; N <= 24; N++)
        for (uint32_t p = 1; p <= N; p++) {
            double S = 0.7;
            if (N >= 7 && N <= 9 && p >= 7) S = 1.06;
            if (N == 6 && p == 5) S = 1.08; /* Fig. 5.7a: the peak at (6, 5) stands beside cliffs, (8, 8) is safe */
            points[n++] = (struct profile_point){N, p, S};
        }
    assert_int_equal(300, n);
    score_points(points, n, 24, w, s);
    const size_t t = score_target(points, s, n);
    assert_int_equal(8, points[t].N);
    assert_int_equal(8, points[t].p);
}

static void targets_scale_to_24_and_predictions_back(void **state)
{
    (void)state;
    assert_int_equal(24, warps_scale(16, 16, 24));
    assert_int_equal(8, warps_scale(5, 16, 24)); /* 7.5 */
    assert_int_equal(2, warps_scale(1, 16, 24)); /* 1.5 */
    assert_int_equal(7, warps_scale(7, 24, 24));
    assert_int_equal(1, warps_scale(1, 64, 24)); /* 0.375: a warp count is at least 1 */
    uint32_t N, p;
    warps_unscale(24, 2, 16, 24, &N, &p);
    assert_int_equal(16, N);
    assert_int_equal(1, p); /* 1.33 */
    warps_unscale(3, 9, 24, 24, &N, &p);
    assert_int_equal(3, N);
    assert_int_equal(3, p); /* p <= N */
    warps_unscale(100.0f, 0.01f, 24, 24, &N, &p);
    assert_int_equal(24, N);
    assert_int_equal(1, p);
    warps_unscale(INFINITY, NAN, 24, 24, &N, &p);
    assert_int_equal(24, N);
    assert_int_equal(24, p);
    warps_unscale(6.5f, 6.49f, 24, 24, &N, &p);
    assert_int_equal(7, N);
    assert_int_equal(6, p);
    for (uint32_t W = 1; W <= 24; W++)
        for (uint32_t n = 1; n <= W; n++) {
            warps_unscale((float)warps_scale(n, W, 24), 1, W, 24, &N, &p);
            assert_int_equal(n, N); /* there and back is the identity while W <= 24 */
        }
}

static void targets_of_scale_0_are_warps_as_they_are(void **state)
{
    (void)state;
    uint32_t N, p;
    for (uint32_t W = 1; W <= 64; W++)
        for (uint32_t n = 1; n <= W; n++) {
            assert_int_equal(n, warps_scale(n, W, 0));
            warps_unscale((float)n, 1, W, 0, &N, &p);
            assert_int_equal(n, N);
        }
    warps_unscale(5.5f, 5.49f, 8, 0, &N, &p);
    assert_int_equal(6, N);
    assert_int_equal(5, p);
    warps_unscale(9, 8.6f, 8, 0, &N, &p); /* more than there are */
    assert_int_equal(8, N);
    assert_int_equal(8, p);
    warps_unscale(0.01f, NAN, 8, 0, &N, &p);
    assert_int_equal(1, N);
    assert_int_equal(1, p); /* all, but p <= N */
    assert_int_equal(0, warps_scale(3, 0, 0));
    warps_unscale(3, 3, 0, 0, &N, &p);
    assert_int_equal(1, N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_of_6_points_scores_as_by_hand),
        cmocka_unit_test(a_point_whose_neighbour_was_not_simulated_is_no_target),
        cmocka_unit_test(a_lone_point_is_no_target_unless_the_triangle_is_that_point),
        cmocka_unit_test(a_tie_goes_to_smaller_N_then_smaller_p),
        cmocka_unit_test(a_point_beside_a_cliff_loses_to_a_plateau),
        cmocka_unit_test(targets_scale_to_24_and_predictions_back),
        cmocka_unit_test(targets_of_scale_0_are_warps_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
