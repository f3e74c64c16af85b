#include "rig.h"

#include <math.h>
#include "poise/analytic.h"

/* N = 24, p = 6; m_o = 0.8, m_p = 0.2, m_np = 0.9 */
static const struct analytic a = {.N = 24,
                                  .p = 6,
                                  .h_o = 0.2,
                                  .h_p = 0.8,
                                  .h_np = 0.1,
                                  .L_o = 400,
                                  .L_prime = 380,
                                  .I_d = 5,
                                  .T_pipe = 4,
                                  .K_mshr = 8};

static void near(double x, double expected)
{
    if (!(fabs(x - expected) <= 1e-12 * (1 + fabs(expected)))) fail_msg("%.17g, expected %.17g", x, expected);
}

static void stall_cycles_of_the_baseline_and_of_a_tuple_are_as_by_hand(void **state)
{
    (void)state;
    near(analytic_T_mem(&a), 400 * 3);           /* ceil(19.2 / 8) */
    near(analytic_T_busy(&a), 24 * 0.2 * 5 * 4); /* 96 */
    near(analytic_T_stall(&a), 1104);
    near(analytic_T_mem_tuple(&a), 380 * 3);                    /* 0.9 * 18 + 0.2 * 6 = 17.4; ceil(17.4 / 8) */
    near(analytic_T_busy_tuple(&a), (6 * 0.8 + 18 * 0.1) * 20); /* 132 */
    near(analytic_T_stall_tuple(&a), 1140 - 132);
    assert_true(analytic_is_faster(&a));
    struct analytic busy = a;
    busy.I_d = 500;
    near(analytic_T_stall(&busy), 0); /* never negative */
}

static void the_coefficient_of_goodness_is_as_by_hand(void **state)
{
    (void)state;
    const double busy_p = 6 * 0.6 * 20, busy_np = 18 * -0.1 * 20;                        /* 72, -36 */
    const double mem_p = 6 * (0.2 * 380 - 320) / 8, mem_np = 18 * (0.9 * 380 - 320) / 8; /* -183, 49.5 */
    near(analytic_mu(&a), (busy_p + busy_np) / (mem_p + mem_np));
    near(analytic_mu_np_p(&a), busy_np / mem_p);
    near(analytic_mu_p_np(&a), busy_p / mem_np); /* Eq. 5.11 is Eq. 5.10's quotient, simplified */
}

static void the_objective_rises_with_h_p_and_falls_with_more_latency(void **state)
{
    (void)state;
    struct analytic b = a;
    b.h_p = 0.9;
    assert_true(analytic_mu_p_np(&b) > analytic_mu_p_np(&a));
    b = a;
    b.L_prime = 400;
    assert_true(analytic_mu_p_np(&b) < analytic_mu_p_np(&a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_cycles_of_the_baseline_and_of_a_tuple_are_as_by_hand),
        cmocka_unit_test(the_coefficient_of_goodness_is_as_by_hand),
        cmocka_unit_test(the_objective_rises_with_h_p_and_falls_with_more_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
