/* The functions that kernels and their CPU references share, against libm: near enough to be what their names say. */
#include "rig.h"

#include "exact_math.h"

/* |got - want| over the spacing of floats at want (at `floor`, where want is near a zero of the function). */
static double ulps(float got, double want, double floor)
{
    double size = fabs(want) > floor ? fabs(want) : floor;
    return fabs((double)got - want) / (size * 0x1p-23);
}

static double worst(float (*f)(float), double (*g)(double), double from, double to, double floor)
{
    double most = 0.0;
    for (int i = 0; i <= 200000; i++) {
        float a = (float)(from + (to - from) * i / 200000.0);
        double error = ulps(f(a), g((double)a), floor);
        if (error > most) most = error;
    }
    return most;
}

static void single_precision_functions_are_within_4_units_of_libm(void **state)
{
    (void)state;
    assert_true(worst(exact_exp, exp, -87.0, 88.0, 0.0) < 4.0);
    assert_true(worst(exact_log, log, 1e-6, 3.0, 0.01) < 4.0);
    assert_true(worst(exact_log, log, 3.0, 1e9, 0.0) < 4.0);
    assert_true(worst(exact_sin, sin, -100.0, 100.0, 0.01) < 4.0);
    assert_true(worst(exact_cos, cos, -100.0, 100.0, 0.01) < 4.0);
    assert_true(worst(exact_atan, atan, -50.0, 50.0, 0.0) < 4.0);
}

static void sine_and_cosine_of_turns_are_within_2e_7(void **state)
{
    (void)state;
    for (int i = -300000; i <= 300000; i++) {
        const float turns = (float)i * 1e-3f;
        const double angle = 6.283185307179586 * fmod((double)turns, 1.0);
        float sine, cosine;
        exact_sincos_turns(turns, &sine, &cosine);
        if (fabs((double)sine - sin(angle)) > 2e-7 || fabs((double)cosine - cos(angle)) > 2e-7)
            fail_msg("%.9g turns: %.9g, %.9g", (double)turns, (double)sine, (double)cosine);
    }
}

static void the_double_exponential_is_within_4_units_of_libm(void **state)
{
    (void)state;
    for (int i = -70000; i <= 70000; i++) {
        double a = i * 0.01;
        if (fabs(exact_exp_double(a) / exp(a) - 1.0) > 4 * 0x1p-52) fail_msg("exp(%g) = %.17g", a, exact_exp_double(a));
    }
}

static void arguments_beyond_the_range_are_clamped(void **state)
{
    (void)state;
    assert_true(exact_exp(1e9f) == exact_exp(88.0f));
    assert_true(exact_exp(-1e9f) == exact_exp(-87.0f));
    assert_true(exact_exp_double(-1e9) == exact_exp_double(-700.0));
    assert_true(exact_exp(0.0f) == 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision_functions_are_within_4_units_of_libm),
        cmocka_unit_test(sine_and_cosine_of_turns_are_within_2e_7),
        cmocka_unit_test(the_double_exponential_is_within_4_units_of_libm),
        cmocka_unit_test(arguments_beyond_the_range_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
