/* The surrogate against closed forms, and what is wrong in a spec. */
#include "rig.h"

#include <math.h>
#include "studies/tune/tune_internal.h"

static void the_surrogate_passes_through_what_it_was_fitted_to_and_is_unsure_elsewhere(void **state)
{
    (void)state;
    struct error err;
    struct gp *gp;
    double x[10], y[10], mean, variance;
    for (int i = 0; i < 10; i++) x[i] = 0.05 + 0.1 * i, y[i] = sin(6 * x[i]);
    assert_ok(gp_fit(&gp, x, y, 10, 1, GP_EXACT, &err), &err);
    for (int i = 0; i < 10; i++) {
        gp_predict(gp, &x[i], &mean, &variance);
        assert_true(fabs(mean - y[i]) < 1e-3 && variance < 1e-3);
    }
    const double between = 0.5, far = 3;
    gp_predict(gp, &between, &mean, &variance);
    assert_true(fabs(mean - sin(3)) < 0.02);
    gp_predict(gp, &far, &mean, &variance);
    assert_true(variance > 0.1);
    gp_free(gp);
}

static void one_point_gives_the_closed_forms_of_mean_variance_and_improvement(void **state)
{
    (void)state;
    struct error err;
    struct gp *gp;
    const double x = 0.5, y = 2, far = 1e6;
    double mean, variance;
    assert_ok(gp_fit(&gp, &x, &y, 1, 1, GP_EXACT, &err), &err);
    gp_predict(gp, &far, &mean, &variance); /* the prior: mean 2, variance 1 */
    assert_true(fabs(mean - 2) < 1e-12 && fabs(variance - 1) < 1e-5);
    /* (m - b) Phi(0) + s phi(0) with m = b */
    assert_true(fabs(gp_expected_improvement(gp, &far, 2) - 1 / sqrt(2 * acos(-1))) < 1e-5);
    assert_true(gp_expected_improvement(gp, &x, 2) < 1e-2);
    gp_free(gp);
}

static const char head[] = "schema: 1\nkind: tune\nname: t\nsize: test\nkernels: [mvt]\n";
static int parse(struct tune **out, const char *rest, struct error *err)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, rest);
    return tune_parse(out, "t.yaml", text, strlen(text), POISE_SOURCE_DIR "/experiments/configs", err);
}

static void points_and_coordinates_are_inverse_over_a_grid_of_24_by_3(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    assert_ok(parse(&t, "mech: swl\nparameters: {N: {from: 1, to: 24}, l1.ways: [2, 4, 8]}\n", &err), &err);
    assert_true(tune_grid_size(t) == 72);
    for (size_t p = 0; p < 72; p++) {
        double x[AXES_MAX];
        point_coordinates(&t->axes, p, x);
        assert_int_equal(p, point_at(&t->axes, x));
        assert_int_equal(p / 3, point_level(&t->axes, p, 0));
        assert_int_equal(p % 3, point_level(&t->axes, p, 1));
    }
    const double outside[] = {1.5, -2};
    assert_int_equal(69, point_at(&t->axes, outside));
    assert_int_equal(0, t->target[0]);
    assert_int_equal(-1, t->target[1]);
    tune_free(t);
}

static void the_stacks_own_values_are_a_point_where_they_are_levels(void **state)
{
    (void)state;
    struct error err;
    struct tune *t;
    size_t point, axis;
    assert_ok(parse(&t,
                    "mech: 'ladder,gain=0.06'\nparameters: {gain: [0.03, 0.06], steps: [3, 6], l1.ways: [2, 4, 8]}\n",
                    &err),
              &err);
    assert_true(tune_own_point(t, &point, &axis));
    assert_string_equal("0.06", axes_value(&t->axes, point, 0));
    assert_string_equal("6", axes_value(&t->axes, point, 1));
    assert_string_equal("4", axes_value(&t->axes, point, 2)); /* kepler32 */
    tune_free(t);
    assert_ok(parse(&t, "mech: ladder\nparameters: {gain: [0.03, 0.06], steps: [3, 5]}\n", &err), &err);
    assert_false(tune_own_point(t, &point, &axis));
    assert_int_equal(1, axis);
    tune_free(t);
}

static void a_wrong_spec_is_refused_with_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *says;
    } cases[] = {
        {"mech: swl\nparameters: {M: [1, 2]}\n", "'M'"},
        {"mech: swl\nparameters: {N: {from: 1, to: 999}}\n", "allowed 0 .. 64"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmethod: {name: sobl}\n", "did you mean 'sobol'?"},
        {"mech: swl\nparameters: {N: [1, 2]}\nmetric: sped\n", "no statistic 'sped'"},
        {"mech: swl\nparameters: {N: [1, 2]}\nfolds: kernel\n", "folds: benchmark"},
        {"mech: 'pcal,@swl'\nparameters: {gain: [0.1, 0.2]}\n", "@swl"},
        {"mech: 'pcal,n=@swl'\nparameters: {gain: [0.1, 0.2]}\n", "'n'"},
        {"mech: swl\nparameters: {N: [1, 2]}\nheldout: [{name: s, synth: {}}]\n", "one to 16 knobs"},
        {"mech: swl\nparameters: {N: [1, 2]}\nheldout: [{name: s, synth: {reuse: [4, {a: 1}]}}]\n",
         "reuse: a number is needed here"},
        {"mech: swl\nparameters: {N: [1, 2]}\nheldout: [{synth: {reuse: 4}}]\n", "'name' is missing"},
        {"mech: swl\nparameters: {N: [1, 2]}\ngoal: most\n", "goal: max or min"},
        {"mech: swl\n", "'parameters' must be a map"},
        {"parameters: {N: [1, 2]}\n", "'mech' is missing"},
        {"mech: swl\nparameters: {l1.wys: [1, 2]}\n", "wys"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err;
        struct tune *t;
        assert_int_equal(-1, parse(&t, cases[i].rest, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("'%s' is not in '%s'", cases[i].says, err.text);
        if (err.line < 1) fail_msg("no line in '%s'", err.text);
        assert_int_equal(ERR_INPUT, err.code);
    }
}

static void less_time_and_energy_is_better_unless_the_goal_says_otherwise(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        bool is_min;
    } cases[] = {{"metric: speedup\n", false}, {"metric: ipc\n", false},
                 {"metric: edp\n", true},      {"metric: energy\n", true},
                 {"metric: ed2p\n", true},     {"metric: time_us\n", true},
                 {"metric: power_w\n", true},  {"metric: edp\ngoal: max\n", false},
                 {"metric: 1 / edp\n", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err;
        struct tune *t;
        char text[200];
        snprintf(text, sizeof text, "mech: swl\nparameters: {N: [1, 2]}\n%s", cases[i].rest);
        assert_ok(parse(&t, text, &err), &err);
        if (t->is_min != cases[i].is_min) fail_msg("%s", cases[i].rest);
        tune_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surrogate_passes_through_what_it_was_fitted_to_and_is_unsure_elsewhere),
        cmocka_unit_test(one_point_gives_the_closed_forms_of_mean_variance_and_improvement),
        cmocka_unit_test(points_and_coordinates_are_inverse_over_a_grid_of_24_by_3),
        cmocka_unit_test(the_stacks_own_values_are_a_point_where_they_are_levels),
        cmocka_unit_test(a_wrong_spec_is_refused_with_line_and_column),
        cmocka_unit_test(less_time_and_energy_is_better_unless_the_goal_says_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
