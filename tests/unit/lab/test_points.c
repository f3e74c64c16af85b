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
    static const uint32_t want[10][2] = {{1, 1}, {3, 1},  {3, 3},  {8, 1},  {8, 3},
                                         {8, 8}, {24, 1}, {24, 3}, {24, 8}, {24, 24}};
    assert_int_equal(10, points_coarse(24, c));
    for (int i = 0; i < 10; i++) {
        assert_int_equal(want[i][0], c[i].N);
        assert_int_equal(want[i][1], c[i].p);
    }
}

static void the_lattice_is_clamped_to_W_and_refined_around_its_best(void **state)
{
    (void)state;
    const struct points_way way = {POINTS_LATTICE, 0};
    struct warp_tuple lattice[RESPONSE_POINTS_MAX], want[300];
    struct profile_point known[100];
    struct error err;
    size_t n;
    assert_int_equal(55, points_lattice(24, lattice));
    assert_int_equal(36, points_lattice(16, lattice));
    assert_int_equal(15, points_lattice(5, lattice)); /* levels 1 2 3 4 5 */
    assert_int_equal(5, lattice[14].N);
    assert_int_equal(1, points_lattice(1, lattice));
    assert_int_equal(55, points_lattice(64, lattice)); /* no level beyond the last */
    assert_ok(points_want(&way, NULL, 0, 16, want, &n, &err), &err);
    assert_int_equal(36, n);
    for (size_t i = 0; i < n; i++)
        known[i] = (struct profile_point){want[i].N, want[i].p, want[i].N == 6 && want[i].p == 2 ? 2.0 : 1.0};
    assert_ok(points_want(&way, known, 36, 16, want, &n, &err), &err);
    assert_int_equal(6, n); /* around (6,2): (5,1..3) and (7,1..3) */
    assert_int_equal(5, want[0].N);
    assert_int_equal(1, want[0].p);
    for (size_t i = 0; i < n; i++) known[36 + i] = (struct profile_point){want[i].N, want[i].p, 1.5};
    assert_ok(points_want(&way, known, 42, 16, want, &n, &err), &err);
    assert_int_equal(0, n);
}

static void values_above_W_fall_away_and_duplicates_merge(void **state)
{
    (void)state;
    struct warp_tuple c[10];
    assert_int_equal(1, points_coarse(1, c));
    assert_int_equal(3, points_coarse(2, c)); /* (1,1) (2,1) (2,2) */
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
static size_t explore(double (*response)(double N, double p), uint32_t W, size_t budget, struct profile_point *known)
{
    struct warp_tuple want[10];
    size_t n = 0, more = points_coarse(W, want);
    while (more) {
        for (size_t i = 0; i < more; i++) {
            for (size_t k = 0; k < n; k++) assert_false(known[k].N == want[i].N && known[k].p == want[i].p);
            known[n++] = (struct profile_point){want[i].N, want[i].p, response(want[i].N, want[i].p)};
        }
        more = points_next(known, n, W, budget - n, want);
    }
    return n;
}

static double peak_at_8_3(double N, double p) { return 2 - 0.01 * (N - 8) * (N - 8) - 0.02 * (p - 3) * (p - 3); }
static double peak_at_9_4(double N, double p) { return 2 - 0.01 * (N - 9) * (N - 9) - 0.02 * (p - 4) * (p - 4); }
static double thrash(double N, double p) { return 1 + 1 / p - 0.001 * N; }
static double flat(double N, double p)
{
    (void)N, (void)p;
    return 1;
}

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

/* Speedups with one hill at (N, p), as steep as `width` is small, and a slope towards fewer warps. */
static double hill(uint32_t N, uint32_t p, double at_N, double at_p, double width)
{
    return 1 + 2 * exp(-(pow(log(N / at_N), 2) + pow(log(p / at_p), 2)) / width) + 0.2 / N;
}

static void a_tenth_of_the_grid_finds_a_hill_to_one_percent_wherever_it_stands(void **state)
{
    (void)state;
    static const struct {
        uint32_t W;
        double N, p, width;
    } cases[] = {{24, 6, 3, 0.5}, {24, 20, 2, 0.7}, {24, 2, 2, 0.3},  {24, 24, 24, 1},
                 {16, 5, 4, 0.6}, {16, 1, 1, 0.5},  {24, 11, 10, 0.4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t W = cases[c].W;
        struct profile_point known[300];
        struct warp_tuple next[POINTS_ACTIVE_LEAST], all[300];
        struct error err;
        double best = 0;
        size_t n = 0, n_next;
        for (size_t i = 0; i < points_grid(W, all); i++)
            best = fmax(best, hill(all[i].N, all[i].p, cases[c].N, cases[c].p, cases[c].width));
        for (;;) {
            assert_ok(points_active(known, n, W, next, &n_next, &err), &err);
            if (n_next == 0) break;
            for (size_t i = 0; i < n_next; i++) {
                for (size_t k = 0; k < n; k++) assert_false(known[k].N == next[i].N && known[k].p == next[i].p);
                known[n++] = (struct profile_point){next[i].N, next[i].p,
                                                    hill(next[i].N, next[i].p, cases[c].N, cases[c].p, cases[c].width)};
            }
        }
        assert_int_equal(points_active_budget(W), n);
        assert_true(10 * n <= points_grid_size(W));
        if (known[points_best(known, n)].speedup < 0.99 * best)
            fail_msg("hill at (%g, %g): found (%u, %u)", cases[c].N, cases[c].p, known[points_best(known, n)].N,
                     known[points_best(known, n)].p);
    }
}

static void every_way_ends_with_a_point_that_has_all_its_neighbours(void **state)
{
    (void)state;
    static const char *const ways[] = {"all", "active", "coarse-to-fine"};
    for (size_t w = 0; w < 3; w++)
        for (uint32_t W = 1; W <= 24; W += W < 4 ? 1 : 10) {
            struct points_way way;
            struct profile_point known[300];
            struct warp_tuple next[300], missing[8];
            struct error err;
            size_t n = 0, n_next;
            assert_int_equal(0, points_way_parse(&way, ways[w]));
            for (int rounds = 0;; rounds++) {
                assert_true(rounds < 40);
                assert_ok(points_want(&way, known, n, W, next, &n_next, &err), &err);
                if (n_next == 0) break;
                for (size_t i = 0; i < n_next; i++, n++)
                    known[n] = (struct profile_point){next[i].N, next[i].p, hill(next[i].N, next[i].p, 5, 3, 0.5)};
            }
            assert_int_equal(0, points_surround(known, n, W, missing));
            bool has_base = false, has_one = false;
            for (size_t i = 0; i < n; i++)
                has_base |= known[i].N == W && known[i].p == W, has_one |= known[i].N == 1 && known[i].p == 1;
            assert_true(has_base && has_one);
        }
}

static void ways_are_words_or_budgets(void **state)
{
    (void)state;
    struct points_way way;
    char text[64];
    assert_int_equal(0, points_way_parse(&way, "19"));
    assert_true(way.kind == POINTS_COARSE_TO_FINE && way.budget == 19);
    assert_string_equal("19 of 300", points_way_text(&way, 24, text, sizeof text));
    assert_string_equal("10 of 10", points_way_text(&way, 4, text, sizeof text));
    assert_int_equal(0, points_way_parse(&way, "active"));
    assert_string_equal("active, 30 of 300", points_way_text(&way, 24, text, sizeof text));
    assert_int_equal(0, points_way_parse(&way, "all"));
    assert_string_equal("300 of 300", points_way_text(&way, 24, text, sizeof text));
    static const char *const wrong[] = {"", "2", "2081", "-5", "20x", "activ", "+20"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(-1, points_way_parse(&way, wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_of_24_warps_has_300_points),
        cmocka_unit_test(the_coarse_triangle_of_24_warps_has_10_points_with_its_diagonal),
        cmocka_unit_test(the_lattice_is_clamped_to_W_and_refined_around_its_best),
        cmocka_unit_test(values_above_W_fall_away_and_duplicates_merge),
        cmocka_unit_test(neighbours_stay_inside_the_triangle),
        cmocka_unit_test(twenty_points_give_the_best_a_full_neighbourhood),
        cmocka_unit_test(the_search_climbs_from_the_coarse_best_to_a_peak_beside_it),
        cmocka_unit_test(a_spent_budget_or_a_full_grid_asks_for_nothing),
        cmocka_unit_test(ties_go_to_fewer_warps),
        cmocka_unit_test(a_tenth_of_the_grid_finds_a_hill_to_one_percent_wherever_it_stands),
        cmocka_unit_test(every_way_ends_with_a_point_that_has_all_its_neighbours),
        cmocka_unit_test(ways_are_words_or_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
