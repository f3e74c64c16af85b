/* Folds, nested tuning, resampling, selection: properties that have no oracle. */
#include "rig.h"

#include <math.h>
#include "poise/validate.h"

#define ROWS 180
#define COLUMNS 6
static const char *const names[COLUMNS] = {"intercept", "a", "b", "noise1", "noise2", "noise3"};
struct sample {
    double x[ROWS * COLUMNS], y[ROWS];
    const char *group[ROWS];
    char text[ROWS][8];
};

static void draw(struct sample *s, uint64_t seed, size_t groups)
{
    struct random random = {seed};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) s->x[j * ROWS + i] = j ? random_normal(&random) : 1;
        const double mu = exp(2 + 0.5 * s->x[1 * ROWS + i] - 0.3 * s->x[2 * ROWS + i]);
        double limit = exp(-mu), product = random_uniform(&random); /* Poisson by products of uniforms */
        for (s->y[i] = 1; product > limit; s->y[i]++) product *= random_uniform(&random);
        snprintf(s->text[i], sizeof s->text[i], "g%zu", (i * i + i / 7) % groups);
        s->group[i] = s->text[i];
    }
}
static struct glm_data data_of(const struct sample *s)
{
    return (struct glm_data){.n = ROWS, .k = COLUMNS, .x = s->x, .y = s->y, .names = names};
}

static void no_fold_splits_a_group_and_sizes_are_even(void **state)
{
    (void)state;
    static struct sample s;
    struct error err;
    draw(&s, 1, 9);
    struct groups groups;
    assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct folds folds;
        size_t fold_of[ROWS], rows[3] = {0};
        assert_ok(folds_of_groups(&folds, &groups, 3, seed, &err), &err);
        for (size_t g = 0; g < groups.n_groups; g++) fold_of[g] = 99;
        for (size_t i = 0; i < ROWS; i++) {
            size_t *fold = &fold_of[groups.of[i]];
            if (*fold == 99) *fold = folds.of[i];
            assert_int_equal(*fold, folds.of[i]);
            rows[folds.of[i]]++;
        }
        for (size_t f = 0; f < 3; f++) assert_true(rows[f] > ROWS / 6);
        folds_fini(&folds);
    }
    struct folds folds;
    assert_int_equal(-1, folds_of_groups(&folds, &groups, groups.n_groups + 1, 1, &err));
    assert_non_null(strstr(err.text, "do not make"));
    groups_fini(&groups);
}

static void a_held_out_prediction_does_not_depend_on_the_held_out_targets(void **state)
{
    (void)state;
    static struct sample s;
    struct error err;
    struct groups groups;
    struct folds folds;
    draw(&s, 2, 5);
    assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
    assert_ok(folds_leave_one_group_out(&folds, &groups, &err), &err);
    for (size_t f = 0; f < n_families; f++) {
        struct cv_result before, after;
        const bool tunes = families[f]->n_axes == 1;
        struct cv_options o = {
            .family = families[f], .axes = families[f]->axes, .n_axes = tunes ? 1 : 0, .inner_folds = 3};
        family_defaults(families[f], &o.settings);
        struct glm_data data = data_of(&s);
        assert_ok(cross_validate(&before, &data, &groups, &folds, &o, &err), &err);
        double y[ROWS];
        for (size_t i = 0; i < ROWS; i++) y[i] = groups.of[i] == 0 ? 1 + (double)(i % 40) : s.y[i];
        data.y = y;
        assert_ok(cross_validate(&after, &data, &groups, &folds, &o, &err), &err);
        for (size_t i = 0; i < ROWS; i++)
            if (groups.of[i] == 0 && before.predicted[i] != after.predicted[i])
                fail_msg("%s: row %zu leaks", families[f]->name, i);
        cv_result_fini(&before);
        cv_result_fini(&after);
    }
    folds_fini(&folds);
    groups_fini(&groups);
}

static void the_intervals_of_a_right_model_cover_95_in_100_and_its_pit_is_uniform(void **state)
{
    (void)state;
    struct error err;
    size_t covered = 0, n = 0, low = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        static struct sample s;
        struct groups groups;
        struct folds folds;
        struct cv_result r;
        draw(&s, 100 + seed, 6);
        for (size_t i = 0; i < ROWS; i++) s.y[i] -= 1; /* draw() adds one to a Poisson count */
        const struct glm_data data = data_of(&s);
        assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
        assert_ok(folds_of_groups(&folds, &groups, 3, seed, &err), &err);
        assert_ok(cross_validate(&r, &data, &groups, &folds,
                                 &(struct cv_options){.family = family_find("nb2"), .seed = seed}, &err),
                  &err);
        for (size_t i = 0; i < ROWS; i++, n++) {
            covered += r.low[i] <= s.y[i] && s.y[i] <= r.high[i];
            low += r.pit[i] < 0.5;
        }
        cv_result_fini(&r);
        folds_fini(&folds);
        groups_fini(&groups);
    }
    assert_true(covered > n * 94 / 100 && covered < n * 98 / 100); /* counts: a little above */
    assert_true(low > n * 47 / 100 && low < n * 53 / 100);
}

static double mean_of(const size_t *rows, size_t n, void *context) { return metric_mean(context, rows, n); }

static void bootstrap_intervals_cover_the_mean_about_95_times_in_100_when_groups_vary(void **state)
{
    (void)state;
    struct error err;
    size_t covered = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random random = {seed};
        double values[ROWS], interval[2];
        static struct sample s;
        struct groups groups;
        for (size_t i = 0; i < ROWS; i++) {
            snprintf(s.text[i], sizeof s.text[i], "g%zu", i % 30);
            s.group[i] = s.text[i];
        }
        double shift[30];
        for (size_t g = 0; g < 30; g++) shift[g] = random_normal(&random);
        for (size_t i = 0; i < ROWS; i++) values[i] = shift[i % 30] + 0.3 * random_normal(&random);
        assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
        const struct bootstrap plan = {.groups = &groups, .replicates = 300, .seed = seed};
        assert_true(bootstrap_draws_groups(&plan));
        assert_ok(bootstrap_interval(&plan, mean_of, values, interval, &err), &err);
        covered += interval[0] <= 0 && 0 <= interval[1];
        groups_fini(&groups);
    }
    assert_true(covered >= 180 && covered <= 199);
}

static void few_groups_of_a_row_each_have_no_interval(void **state)
{
    (void)state;
    struct error err;
    static const char *const few[] = {"a", "b", "c", "d", "e", "f"};
    double values[] = {1, 2, 3, 4, 5, 6}, interval[2];
    for (size_t n = 3; n <= 6; n++) {
        struct groups groups;
        assert_ok(groups_init(&groups, (const char **)(uintptr_t)few, n, &err), &err);
        const struct bootstrap plan = {.groups = &groups, .replicates = 100, .seed = 1};
        assert_ok(bootstrap_interval(&plan, mean_of, values, interval, &err), &err);
        assert_true(n < 6 ? isnan(interval[0]) && isnan(interval[1]) : interval[0] < interval[1]);
        groups_fini(&groups);
    }
}

static void comparing_a_model_with_itself_finds_nothing_and_a_worse_one_is_found(void **state)
{
    (void)state;
    struct error err;
    struct groups groups;
    struct paired same, worse;
    double a[ROWS], b[ROWS];
    static struct sample s;
    draw(&s, 3, 12);
    struct random random = {4};
    for (size_t i = 0; i < ROWS; i++) a[i] = random_uniform(&random), b[i] = a[i] + 0.2 + 0.1 * random_normal(&random);
    assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
    const struct bootstrap plan = {.groups = &groups, .replicates = 500, .seed = 1};
    assert_ok(paired_compare(&same, a, a, &plan, &err), &err);
    assert_true(same.difference == 0 && same.p == 1 && same.p_groups == 1);
    assert_ok(paired_compare(&worse, b, a, &plan, &err), &err);
    assert_true(worse.low > 0.1 && worse.high < 0.3 && worse.p < 0.01 && worse.p_groups < 0.01);
    groups_fini(&groups);
    for (size_t i = 0; i < ROWS; i++) s.group[i] = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
    assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
    const struct bootstrap few = {.groups = &groups, .replicates = 500, .seed = 1};
    assert_ok(paired_compare(&worse, b, a, &few, &err), &err);
    assert_true(worse.units == ROWS && worse.p < 0.01 && worse.p_groups == 0.25); /* three groups cannot say more */
    groups_fini(&groups);
}

static int support_loss(const size_t *columns, size_t n, double *loss, void *context, struct error *err)
{
    (void)context, (void)err;
    *loss = 10;
    for (size_t i = 0; i < n; i++) *loss -= columns[i] == 2 ? 3 : columns[i] == 1 ? 2 : -0.1;
    return 0;
}

static void forward_selection_takes_the_best_first_and_lasso_lets_noise_in_last(void **state)
{
    (void)state;
    struct error err;
    struct selection_step steps[COLUMNS + 1];
    size_t n;
    const bool forced[COLUMNS] = {true};
    assert_ok(select_forward(steps, &n, COLUMNS, forced, 4, support_loss, NULL, &err), &err);
    assert_int_equal(4, n);
    assert_int_equal(COLUMNS, steps[0].column);
    assert_int_equal(2, steps[1].column);
    assert_int_equal(1, steps[2].column);
    static struct sample s;
    struct lasso_point points[20];
    draw(&s, 5, 5);
    const struct glm_data data = data_of(&s);
    assert_ok(lasso_path(points, 20, &data, &err), &err);
    assert_int_equal(0, points[0].n_used);
    size_t first_a = 0, first_noise = 0;
    while (first_a < 20 && points[first_a].weights[1] == 0) first_a++;
    while (first_noise < 20 && points[first_noise].weights[3] == 0 && points[first_noise].weights[4] == 0)
        first_noise++;
    assert_true(first_a < first_noise);
    struct predictor *ols;
    assert_ok(predictor_fit(&ols, family_find("ols"), &data, NULL, &err), &err);
    for (size_t j = 0; j < COLUMNS; j++) /* at 1/1000 of the largest penalty the path is near least squares */
        assert_true(fabs(points[19].weights[j] - predictor_weights(ols)[j]) < 2e-3);
    predictor_free(ols);
    lasso_fini(points, 20);
}

static void tuning_chooses_the_penalty_that_predicts_best(void **state)
{
    (void)state;
    static struct sample s;
    struct error err;
    struct groups groups;
    struct family_settings settings;
    const struct family *ridge = family_find("ridge");
    draw(&s, 6, 6);
    const struct glm_data data = data_of(&s);
    assert_ok(groups_init(&groups, s.group, ROWS, &err), &err);
    family_defaults(ridge, &settings);
    assert_ok(tune_settings(&settings, ridge, &data, &groups, ridge->axes, 1, 5, LOSS_SQUARED, 1, &err), &err);
    char text[32];
    params_text(&ridge->settings->rows[0], &settings, text, sizeof text);
    assert_true(atof(text) < 100); /* 180 rows of real signal: no heavy penalty */
    struct glm_penalty penalty = {0};
    assert_ok(penalty_choose(&penalty, GLM_NB2, 0, &data, &groups, &err), &err);
    assert_true(penalty.lambda < 1);
    groups_fini(&groups);
    for (size_t i = 0; i < ROWS; i++) /* nothing but noise: the heaviest is best, or near it */
        s.y[i] = (double)((i * 7919 + i * i * 31) % 13);
    assert_ok(groups_init(&groups, s.group, 24, &err), &err);
    static double few[24 * COLUMNS];
    for (size_t j = 0; j < COLUMNS; j++) memcpy(few + 24 * j, s.x + ROWS * j, 24 * sizeof *few);
    const struct glm_data noise = {.n = 24, .k = COLUMNS, .x = few, .y = s.y, .names = data.names};
    assert_ok(penalty_choose(&penalty, GLM_NB2, 0, &noise, &groups, &err), &err);
    assert_true(penalty.lambda >= 0.1);
    groups_fini(&groups);
    /* folds of fewer rows than columns: without a penalty they have no fit */
    const struct glm_data short_of_rows = {.n = COLUMNS, .k = COLUMNS, .x = few, .y = s.y, .names = data.names};
    assert_ok(groups_init(&groups, NULL, COLUMNS, &err), &err);
    assert_ok(penalty_choose(&penalty, GLM_NB2, 0, &short_of_rows, &groups, &err), &err);
    assert_true(penalty.lambda > 0);
    groups_fini(&groups);
    assert_ok(groups_init(&groups, (const char *const[]){"one", "one"}, 2, &err), &err);
    assert_int_equal(-1, penalty_choose(&penalty, GLM_NB2, 0, &noise, &groups, &err));
    assert_non_null(strstr(err.text, "one group"));
    groups_fini(&groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fold_splits_a_group_and_sizes_are_even),
        cmocka_unit_test(a_held_out_prediction_does_not_depend_on_the_held_out_targets),
        cmocka_unit_test(the_intervals_of_a_right_model_cover_95_in_100_and_its_pit_is_uniform),
        cmocka_unit_test(few_groups_of_a_row_each_have_no_interval),
        cmocka_unit_test(bootstrap_intervals_cover_the_mean_about_95_times_in_100_when_groups_vary),
        cmocka_unit_test(comparing_a_model_with_itself_finds_nothing_and_a_worse_one_is_found),
        cmocka_unit_test(forward_selection_takes_the_best_first_and_lasso_lets_noise_in_last),
        cmocka_unit_test(tuning_chooses_the_penalty_that_predicts_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
