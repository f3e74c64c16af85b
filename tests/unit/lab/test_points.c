#include "rig.h"

#include <math.h>
#include <stdbool.h>
#include "poise/points.h"

static void the_grid_of_24_warps_has_300_points(void **state)
{
    (void)state;
    struct warp_tuple all[300];
    assert_int_equal(300, points_grid_size(24));
    assert_int_equal(300, points_grid(24, all));
    assert_int_equal(1, all[0].N);
    assert_int_equal(24, all[299].p);
    assert_int_equal(1, points_grid_size(1));
}

static void the_coarse_triangle_of_24_warps_has_10_points_with_its_diagonal(void **state)
{
    (void)state;
    struct warp_tuple c[10];
    static const uint32_t want[10][2] = {{1, 1}, {3, 1}, {3, 3}, {8, 1}, {8, 3}, {8, 8}, {24, 1}, {24, 3}, {24, 8}, {24, 24}};
    assert_int_equal(10, points_coarse(24, c));
    for (int i = 0; i < 10; i++) {
        assert_int_equal(want[i][0], c[i].N);
        assert_int_equal(want[i][1], c[i].p);
    }
}

static void values_above_W_fall_away_and_duplicates_merge(void **state)
{
    (void)state;
    struct warp_tuple c[10];
    assert_int_equal(1, points_coarse(1, c));
    assert_int_equal(3, points_coarse(2, c));  /* (1,1) (2,1) (2,2) */
    assert_int_equal(3, points_coarse(3, c));
    assert_int_equal(6, points_coarse(8, c));
    assert_int_equal(8, c[5].p);
    assert_int_equal(10, points_coarse(12, c));
}

static void neighbours_stay_inside_the_triangle(void **state)
{
    (void)state;
    struct warp_tuple n[8];
    assert_int_equal(8, points_neighbours((struct warp_tuple){8, 3}, 24, n));
    assert_int_equal(2, points_neighbours((struct warp_tuple){1, 1}, 24, n)); /* (2,1) (2,2) */
    assert_int_equal(2, n[0].N);
    assert_int_equal(2, points_neighbours((struct warp_tuple){24, 24}, 24, n));
    assert_int_equal(3, points_neighbours((struct warp_tuple){24, 1}, 24, n));
    assert_int_equal(0, points_neighbours((struct warp_tuple){1, 1}, 1, n));
}

/* Simulates the profile of a made-up surface within the budget; returns the number of points. */
static size_t explore(double (*surface)(double N, double p), uint32_t W, size_t budget, struct profile_point *known)
{
    struct warp_tuple want[10];
    size_t n = 0, more = points_coarse(W, want);
    while (more) {
        for (size_t i = 0; i < more; i++) {
            for (size_t k = 0; k < n; k++) assert_false(known[k].N == want[i].N && known[k].p == want[i].p);
            known[n++] = (struct profile_point){want[i].N, want[i].p, surface(want[i].N, want[i].p)};
        }
        more = points_next(known, n, W, budget - n, want);
    }
    return n;
}

static double peak_at_8_3(double N, double p) { return 2 - 0.01 * (N - 8) * (N - 8) - 0.02 * (p - 3) * (p - 3); }
static double peak_at_9_4(double N, double p) { return 2 - 0.01 * (N - 9) * (N - 9) - 0.02 * (p - 4) * (p - 4); }
static double thrash(double N, double p) { return 1 + 1 / p - 0.001 * N; }
static double flat(double N, double p) { (void)N, (void)p; return 1; }

static void twenty_points_give_the_best_a_full_neighbourhood(void **state)
{
    (void)state;
    double (*const surfaces[])(double, double) = {peak_at_8_3, peak_at_9_4, thrash, flat};
    const double w[3] = {1, 0.5, 0.25};
    for (int s = 0; s < 4; s++)
        for (uint32_t W = 1; W <= 24; W++) {
            struct profile_point known[32];
            double scores[32];
            const size_t n = explore(surfaces[s], W, POINTS_BUDGET, known);
            assert_true(n <= POINTS_BUDGET);
            if (W >= 6) assert_int_equal(n, POINTS_BUDGET); /* the budget is spent */
            score_points(known, n, W, w, scores);
            assert_true(score_target(known, scores, n) < n);
        }
}

static void the_search_climbs_from_the_coarse_best_to_a_peak_beside_it(void **state)
{
    (void)state;
    struct profile_point known[32];
    const size_t n = explore(peak_at_9_4, 24, POINTS_BUDGET, known), best = points_best(known, n);
    assert_int_equal(9, known[best].N);
    assert_int_equal(4, known[best].p);
    const size_t m = explore(peak_at_8_3, 24, POINTS_BUDGET, known), top = points_best(known, m);
    const double w[3] = {1, 0.5, 0.25};
    double scores[32];
    score_points(known, m, 24, w, scores);
    assert_int_equal(8, known[top].N);
    assert_int_equal(3, known[top].p);
    assert_false(isnan(scores[top]));
}

static void a_spent_budget_or_a_full_grid_asks_for_nothing(void **state)
{
    (void)state;
    struct profile_point known[6];
    struct warp_tuple all[6], want[8];
    assert_int_equal(6, points_grid(3, all));
    for (int i = 0; i < 6; i++) known[i] = (struct profile_point){all[i].N, all[i].p, i};
    assert_int_equal(0, points_next(known, 6, 3, 14, want));
    assert_int_equal(0, points_next(known, 3, 3, 0, want));
    assert_int_equal(2, points_next(known, 1, 3, 2, want));
    assert_int_equal(0, points_best(known, 0));
}

static void ties_go_to_fewer_warps(void **state)
{
    (void)state;
    const struct profile_point known[] = {{8, 8, 1.5}, {3, 3, 1.5}, {3, 1, 1.5}, {24, 24, 1}};
    assert_int_equal(2, points_best(known, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_of_24_warps_has_300_points),
        cmocka_unit_test(the_coarse_triangle_of_24_warps_has_10_points_with_its_diagonal),
        cmocka_unit_test(values_above_W_fall_away_and_duplicates_merge),
        cmocka_unit_test(neighbours_stay_inside_the_triangle),
        cmocka_unit_test(twenty_points_give_the_best_a_full_neighbourhood),
        cmocka_unit_test(the_search_climbs_from_the_coarse_best_to_a_peak_beside_it),
        cmocka_unit_test(a_spent_budget_or_a_full_grid_asks_for_nothing),
        cmocka_unit_test(ties_go_to_fewer_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
