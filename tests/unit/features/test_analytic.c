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

static void the_objective_is_as_by_hand(void **state)
{
    (void)state;
    const double busy_p = 6 * 0.6 * 20, mem_np = 18 * (0.9 * 380 - 320) / 8; /* 72; 49.5 */
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
        cmocka_unit_test(the_objective_is_as_by_hand),
        cmocka_unit_test(the_objective_rises_with_h_p_and_falls_with_more_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
