/* Looking tuples up in a profile and searching around them. */
#include "rig.h"

#include <math.h>
#include "poise/regret.h"

/* A smooth hill with its top at (7, 3): the whole triangle of W = 24. */
static size_t hill(struct profile_point *points)
{
    size_t n = 0;
    for (uint32_t N = 1; N <= 24; N++)
        for (uint32_t p = 1; p <= N; p++) {
            const double dN = (double)N - 7, dp = (double)p - 3;
            points[n++] = (struct profile_point){N, p, 2 - 0.002 * dN * dN - 0.004 * dp * dp};
        }
    return n;
}

static void a_simulated_tuple_has_its_own_value_and_another_its_nearest_neighbour_s(void **state)
{
    (void)state;
    static const struct profile_point points[] = {{1, 1, 1.5}, {3, 1, 1.7}, {8, 8, 1.2}, {24, 24, 1}};
    const struct tuple_value own = profile_value(points, 4, 3, 1), near = profile_value(points, 4, 2, 1),
                             far = profile_value(points, 4, 20, 19);
    assert_true(own.is_exact && own.speedup == 1.7);
    assert_true(!near.is_exact && near.speedup == 1.5); /* both at distance 1: the smaller N */
    assert_true(!far.is_exact && far.speedup == 1);
    assert_true(profile_best(points, 4).N == 3);
    assert_true(fabs(profile_regret(points, 4, 1) - (1 - 1 / 1.7)) < 1e-15);
    assert_true(profile_regret(points, 4, 1.7) == 0);
}

static void the_search_reaches_the_top_of_a_hill_and_never_loses(void **state)
{
    (void)state;
    struct profile_point points[300];
    const size_t n = hill(points);
    assert_int_equal(300, n);
    for (uint32_t N = 1; N <= 24; N++)
        for (uint32_t p = 1; p <= N; p++) {
            const struct tuple_value at = profile_search(points, n, 24, N, p, 2, 4);
            assert_true(at.speedup >= profile_value(points, n, N, p).speedup);
            assert_true(at.p >= 1 && at.p <= at.N && at.N <= 24);
            if (p <= 7 && N >= p && N >= 7) assert_true(at.N == 7 && at.p == 3);
        }
}

static void strides_of_0_search_nothing(void **state)
{
    (void)state;
    struct profile_point points[300];
    const size_t n = hill(points);
    const struct tuple_value at = profile_search(points, n, 24, 20, 10, 0, 0);
    assert_true(at.N == 20 && at.p == 10 && at.is_exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_simulated_tuple_has_its_own_value_and_another_its_nearest_neighbour_s),
        cmocka_unit_test(the_search_reaches_the_top_of_a_hill_and_never_loses),
        cmocka_unit_test(strides_of_0_search_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
