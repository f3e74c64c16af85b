#include "rig.h"

#include "poise/policy.h"

static struct measure cycles(uint64_t n)
{
    return (struct measure){
        .cycles = n, .l1_accesses = 100, .l1_hits = n / 100, .latency_sum = 10 * n, .latency_count = 10};
}

/* Two profiled launches and one that is not. */
static const struct tuple_run a_points[] = {{{24, 24}, {.cycles = 1000}},
                                            {{8, 8}, {.cycles = 700}},
                                            {{3, 3}, {.cycles = 600}},
                                            {{8, 3}, {.cycles = 500}},
                                            {{8, 4}, {.cycles = 500}}};
static const struct tuple_run b_points[] = {
    {{12, 12}, {.cycles = 2000}}, {{8, 8}, {.cycles = 1500}}, {{3, 3}, {.cycles = 1900}}, {{3, 1}, {.cycles = 1400}}};
static void launches_of(struct launch_runs out[3])
{
    out[0] = (struct launch_runs){24, cycles(1000), cycles(550), a_points, 5};
    out[1] = (struct launch_runs){12, cycles(2000), cycles(1450), b_points, 4};
    out[2] = (struct launch_runs){24, cycles(300), cycles(350), NULL, 0};
}

static void swl_takes_one_N_with_the_fewest_summed_cycles(void **state)
{
    (void)state;
    struct launch_runs l[3];
    launches_of(l);
    assert_int_equal(8, policy_swl(l, 3)); /* 700 + 1500 against 600 + 1900 and 1000 + 2000 */
    assert_int_equal(3, policy_swl(l, 1)); /* the first launch alone: 600 */
    assert_int_equal(0, policy_swl(l + 2, 1));
}

static void the_best_constant_is_known_on_every_launch_and_weighs_benchmarks_alike(void **state)
{
    (void)state;
    static const struct tuple_run c_points[] = {
        {{24, 24}, {.cycles = 1000}}, {{8, 8}, {.cycles = 990}}, {{3, 3}, {.cycles = 100}}};
    static const uint32_t apart[] = {0, 1, 2, 3}, together[] = {0, 0, 2, 0};
    struct launch_runs l[4];
    launches_of(l);
    struct warp_tuple best = policy_constant(l, apart, 3); /* (8,3) is faster on the first launch, but not known on
                                                            * the second */
    assert_true(best.N == 8 && best.p == 8);               /* log 1000/700 + log 2000/1500 = 0.64; (3,3): 0.56 */
    best = policy_constant(l + 1, apart, 1);
    assert_true(best.N == 3 && best.p == 1);
    best = policy_constant(l + 2, apart, 1);
    assert_true(best.N == 0 && best.p == 0);
    l[3] = (struct launch_runs){24, cycles(1000), cycles(1000), c_points, 3}; /* loves (3,3): ten times */
    best = policy_constant(l, apart, 4);
    assert_true(best.N == 3 && best.p == 3);
    static const struct tuple_run d_points[] = {
        {{24, 24}, {.cycles = 1000}}, {{8, 8}, {.cycles = 400}}, {{3, 3}, {.cycles = 1000}}};
    struct launch_runs many[4] = {l[3],
                                  {24, cycles(1000), cycles(1000), d_points, 3},
                                  {24, cycles(1000), cycles(1000), d_points, 3},
                                  {24, cycles(1000), cycles(1000), d_points, 3}};
    static const uint32_t one_and_three[] = {0, 1, 1, 1}, four[] = {0, 1, 2, 3};
    best = policy_constant(many, one_and_three, 4); /* 2.30 / 2 against 0.92 / 2: three launches of one benchmark
                                                     * count once */
    assert_true(best.N == 3 && best.p == 3);
    best = policy_constant(many, four, 4); /* 2.30 against 3 x 0.92 */
    assert_true(best.N == 8 && best.p == 8);
    best = policy_constant(l, together, 2);
    assert_true(best.N == 8 && best.p == 8);
}

static void a_diagonal_above_W_stands_for_all_warps(void **state)
{
    (void)state;
    struct launch_runs l[3];
    launches_of(l);
    assert_int_equal(2000, launch_diagonal(&l[1], 24)->m.cycles);
    assert_null(launch_diagonal(&l[1], 5));
}

static void a_speedup_is_the_sum_of_baseline_cycles_over_the_sum_of_policy_cycles(void **state)
{
    (void)state;
    struct launch_runs l[3];
    struct policy_total t[N_POLICIES];
    launches_of(l);
    policy_totals(l, 3, t);
    assert_int_equal(3300, t[POLICY_gto].m.cycles);
    /* the launch without a profile counts with GTO */
    assert_int_equal(700 + 1500 + 300, t[POLICY_swl].m.cycles);
    assert_int_equal(500 + 1400 + 300, t[POLICY_static_best].m.cycles);
    assert_int_equal(550 + 1450 + 350, t[POLICY_poise].m.cycles);
    assert_true(t[POLICY_gto].speedup == 1.0);
    assert_true(t[POLICY_static_best].speedup == 3300.0 / 2200.0);
    assert_true(t[POLICY_swl].N == 8 && t[POLICY_swl].p == 8);
    assert_true(t[POLICY_static_best].N == 3 && t[POLICY_static_best].p == 1); /* of the launch with 2000 GTO cycles */
    assert_true(t[POLICY_gto].N == 12);
}

static void the_best_point_of_equal_cycles_has_fewer_warps(void **state)
{
    (void)state;
    struct launch_runs l[3];
    launches_of(l);
    assert_int_equal(3, launch_best(&l[0])->at.p); /* (8,3) before (8,4) */
    assert_null(launch_best(&l[2]));
}

static void rates_come_from_sums_not_from_means_of_rates(void **state)
{
    (void)state;
    struct measure a = {.l1_accesses = 100, .l1_hits = 50, .latency_sum = 1000, .latency_count = 10};
    const struct measure b = {.l1_accesses = 300, .l1_hits = 30, .latency_sum = 9000, .latency_count = 30};
    measure_add(&a, &b);
    assert_true(measure_hit_rate(&a) == 0.2);
    assert_true(measure_aml_cycles(&a) == 250);
    const struct measure none = {0};
    assert_true(measure_hit_rate(&none) == 0 && measure_aml_cycles(&none) == 0);
}

static void the_harmonic_mean_of_1_and_3_is_1_5(void **state)
{
    (void)state;
    const double v[] = {1, 3};
    assert_true(harmonic_mean(v, 2) == 1.5);
    assert_true(harmonic_mean(v, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swl_takes_one_N_with_the_fewest_summed_cycles),
        cmocka_unit_test(the_best_constant_is_known_on_every_launch_and_weighs_benchmarks_alike),
        cmocka_unit_test(a_diagonal_above_W_stands_for_all_warps),
        cmocka_unit_test(a_speedup_is_the_sum_of_baseline_cycles_over_the_sum_of_policy_cycles),
        cmocka_unit_test(the_best_point_of_equal_cycles_has_fewer_warps),
        cmocka_unit_test(rates_come_from_sums_not_from_means_of_rates),
        cmocka_unit_test(the_harmonic_mean_of_1_and_3_is_1_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
