/* Nested validation of learners of response surfaces: nothing of a group is seen before it is predicted. */
#include "rig.h"

#include <math.h>
#include <omp.h>
#include "poise/response_validate.h"
#include "response_problem.h"

static struct response_cv_options options_of(const char *name)
{
    struct response_cv_options o = {.family = response_family_find(name), .seed = 1};
    response_defaults(o.family, &o.settings);
    return o;
}

static void a_group_is_predicted_by_a_fit_on_all_others(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_cv cv;
    const struct response_cv_options options = options_of("ridge");
    problem_init(&p, 8, 3, 0.1, 1);
    assert_ok(response_validate(&cv, &p.data, &options, &err), &err);
    for (size_t g = 0; g < 8; g++) {
        struct response_subset part;
        struct response_predictor *own;
        size_t rows[24], n = 0;
        double mean[PROBLEM_M];
        for (size_t i = 0; i < 24; i++)
            if (i / 3 != g) rows[n++] = i;
        assert_ok(response_subset_init(&part, &p.data, rows, n, &err), &err);
        assert_ok(response_fit(&own, options.family, &part.data, NULL, &err), &err);
        for (size_t i = 3 * g; i < 3 * g + 3; i++) {
            response_predict(own, p.x + i * PROBLEM_K, mean, NULL);
            assert_memory_equal(mean, cv.predicted + i * PROBLEM_M, sizeof mean);
        }
        response_predictor_free(own);
        response_subset_fini(&part);
    }
    response_cv_fini(&cv);
    problem_fini(&p);
}

static void targets_of_a_group_do_not_reach_its_own_prediction_or_settings(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_cv before, after;
    const struct response_rule rules[] = {{0, 0}, {1, 0}, {0, 0.05}};
    struct response_cv_options options = options_of("forest");
    const struct family_axis axes[] = {{"trees", 2, {"5", "20"}}, {"depth", 2, {"1", "3"}}};
    options.axes = axes, options.n_axes = 2, options.rules = rules, options.n_rules = 3;
    problem_init(&p, 7, 3, 0.1, 2);
    assert_ok(response_validate(&before, &p.data, &options, &err), &err);
    for (size_t i = 6; i < 9; i++) /* group 2 */
        for (size_t j = 0; j < PROBLEM_M; j++) p.z[i * PROBLEM_M + j] = 5 - 3 * (double)(j % 7);
    assert_ok(response_validate(&after, &p.data, &options, &err), &err);
    const size_t bytes = 3 * PROBLEM_M * sizeof(double);
    assert_memory_equal(before.predicted + 6 * PROBLEM_M, after.predicted + 6 * PROBLEM_M, bytes);
    assert_memory_equal(&before.groups[2].settings, &after.groups[2].settings, sizeof before.groups[2].settings);
    assert_memory_equal(&before.groups[2].rule, &after.groups[2].rule, sizeof before.groups[2].rule);
    assert_memory_not_equal(before.predicted, after.predicted, bytes); /* others learn from it */
    response_cv_fini(&before);
    response_cv_fini(&after);
    problem_fini(&p);
}

static const struct response_tuple three[3] = {{1, 1}, {2, 1}, {2, 2}};
static const char *const one_name[1] = {"a"};

static void the_regret_of_the_best_constant_is_what_is_worked_out_by_hand(void **state)
{
    (void)state;
    /* groups 0, 1 and 2; group 0 has two rows, of which the second counts three times */
    const double x[4] = {0}, w[4] = {1, 3, 1, 1};
    const double z[12] = {1.0, 0.2, 0, 0.6, 0.3, 0, 0.1, 0.5, 0, -1, -2, 0};
    const size_t group[4] = {0, 0, 1, 2};
    const struct response_data data = {4, 1, 3, x, z, w, group, 3, NULL, three, one_name};
    struct error err;
    struct response_cv cv;
    const struct response_cv_options options = options_of("constant");
    assert_ok(response_validate(&cv, &data, &options, &err), &err);
    /* left out 0: means of groups 1, 2 are (-0.45, -0.75, 0): all warps; regrets 1 and 0.6: (1 + 1.8) / 4 = 0.7
     * left out 1: (0.7 - 1) / 2 and (0.275 - 2) / 2 and 0: all warps; regret 0.5
     * left out 2: (0.4, 0.3875, 0): (1, 1); regret 1 */
    assert_true(fabs(cv.groups[0].regret - 0.7) < 1e-12);
    assert_true(fabs(cv.groups[1].regret - 0.5) < 1e-12);
    assert_true(fabs(cv.groups[2].regret - 1.0) < 1e-12);
    assert_true(fabs(cv.mean - 2.2 / 3) < 1e-12);
    assert_true(fabs(cv.mean_all_warps - (0.7 + 0.5 + 0) / 3) < 1e-12);
    assert_true(cv.interval[0] >= 0.5 && cv.interval[0] < cv.mean && cv.interval[1] > cv.mean && cv.interval[1] <= 1.0);
    assert_true(isnan(cv.mean_net) && isnan(cv.groups[0].regret_net));
    assert_int_equal(2, cv.choice[0]);
    assert_int_equal(0, cv.choice[3]);
    response_cv_fini(&cv);
}

static void settings_that_are_best_on_groups_left_out_are_chosen(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct family_settings settings, expected;
    struct response_rule rule;
    struct response_cv_options options = options_of("ridge");
    const struct family_axis axes[] = {{"lambda", 3, {"1e6", "0.1", "1e8"}}};
    options.axes = axes, options.n_axes = 1, options.inner_folds = 4;
    problem_init(&p, 20, 3, 0.02, 3);
    assert_ok(response_tune(&settings, &rule, &p.data, &options, &err), &err);
    expected = options.settings;
    assert_ok(response_set(options.family, &expected, "lambda", "0.1", &err), &err);
    assert_memory_equal(&expected, &settings, sizeof settings);
    problem_fini(&p);
}

static void a_margin_is_chosen_where_predicted_gains_are_false(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_cv cv;
    const struct response_rule rules[] = {{0, 0}, {0, 10}};
    struct response_cv_options options = options_of("forest");
    assert_ok(response_set(options.family, &options.settings, "trees", "20", &err), &err);
    options.rules = rules, options.n_rules = 2;
    problem_init(&p, 10, 3, 0, 4);
    struct random random = {6};
    for (size_t i = 0; i < p.data.n; i++) /* no tuple gains in the mean, and features say nothing */
        for (size_t j = 0; j + 1 < PROBLEM_M; j++) p.z[i * PROBLEM_M + j] = random_normal(&random) - 0.3;
    assert_ok(response_validate(&cv, &p.data, &options, &err), &err);
    size_t chosen = 0; /* by chance a gain may hold on nine groups */
    for (size_t g = 0; g < 10; g++) {
        chosen += cv.groups[g].rule.margin == 10;
        if (cv.groups[g].rule.margin == 10) assert_true(cv.groups[g].regret == cv.groups[g].regret_all_warps);
    }
    assert_true(chosen >= 8);
    response_cv_fini(&cv);
    problem_fini(&p);
}

static void results_are_the_same_bytes_at_any_number_of_threads_with_distillation(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_cv one, other;
    const struct response_distil_options distil = {
        .samples = 100, .iterations = 40, .sweeps = 1, .restarts = 2, .seed = 2};
    struct response_cv_options options = options_of("gp");
    options.axes = options.family->axes, options.n_axes = options.family->n_axes, options.inner_folds = 3,
    options.distil = &distil;
    const int before = omp_get_max_threads();
    problem_init(&p, 8, 3, 0.05, 5);
    omp_set_num_threads(1);
    assert_ok(response_validate(&one, &p.data, &options, &err), &err);
    omp_set_num_threads(5);
    assert_ok(response_validate(&other, &p.data, &options, &err), &err);
    omp_set_num_threads(before);
    assert_memory_equal(one.predicted, other.predicted, one.n * one.m * sizeof(double));
    assert_memory_equal(one.regret, other.regret, one.n * sizeof(double));
    assert_memory_equal(&one.mean, &other.mean, sizeof one - offsetof(struct response_cv, mean));
    for (size_t g = 0; g < 8; g++) {
        assert_true(one.groups[g].regret_net == other.groups[g].regret_net && one.groups[g].regret_net >= 0);
        assert_int_equal(one.groups[g].net_bytes, other.groups[g].net_bytes);
        assert_true(one.groups[g].net_bytes > 300 && one.groups[g].net_bytes < 1024);
    }
    assert_true(one.interval_net[0] <= one.mean_net && one.mean_net <= one.interval_net[1]);
    response_cv_fini(&one);
    response_cv_fini(&other);
    problem_fini(&p);
}

static void fewer_than_two_groups_and_wrong_settings_are_refused(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    struct response_cv cv;
    struct response_cv_options options = options_of("ridge");
    problem_init(&p, 1, 5, 0.02, 7);
    assert_int_equal(-1, response_validate(&cv, &p.data, &options, &err));
    if (!strstr(err.text, "1 group with weight: two are needed")) fail_msg("%s", err.text);
    problem_fini(&p);
    problem_init(&p, 4, 2, 0.02, 7);
    const struct family_axis axes[] = {{"lamda", 2, {"1", "2"}}};
    options.axes = axes, options.n_axes = 1;
    assert_int_equal(-1, response_validate(&cv, &p.data, &options, &err));
    if (!strstr(err.text, "group 0 left out") || !strstr(err.text, "lambda")) fail_msg("%s", err.text);
    problem_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_predicted_by_a_fit_on_all_others),
        cmocka_unit_test(targets_of_a_group_do_not_reach_its_own_prediction_or_settings),
        cmocka_unit_test(the_regret_of_the_best_constant_is_what_is_worked_out_by_hand),
        cmocka_unit_test(settings_that_are_best_on_groups_left_out_are_chosen),
        cmocka_unit_test(a_margin_is_chosen_where_predicted_gains_are_false),
        cmocka_unit_test(results_are_the_same_bytes_at_any_number_of_threads_with_distillation),
        cmocka_unit_test(fewer_than_two_groups_and_wrong_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
