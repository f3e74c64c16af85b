/* Behaviour of fits that has no oracle: properties, refusals, warnings, reports, recovery of known parameters. */
#include "glm_sample.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <jansson.h>
#include <math.h>
#include "poise/glm.h"
#include "poise/table.h"

static void the_order_of_rows_does_not_matter(void **state)
{
    (void)state;
    static struct sample s, t;
    struct glm_fit one, two;
    draw(&s, 1);
    for (size_t i = 0; i < ROWS; i++) { /* 7 and 240 have no common divisor */
        const size_t to = (i * 7 + 3) % ROWS;
        t.y[to] = s.y[i];
        t.offset[to] = s.offset[i];
        for (size_t j = 0; j < COLUMNS; j++) t.x[j * ROWS + to] = s.x[j * ROWS + i];
    }
    struct glm_data a = data_of(&s), b = data_of(&t);
    a.offset = s.offset, b.offset = t.offset;
    fit_ok(&one, &a, GLM_NB2);
    fit_ok(&two, &b, GLM_NB2);
    same_fit(&one, &two, 1e-11);
    glm_fit_fini(&one);
    glm_fit_fini(&two);
}

static void scaling_a_column_scales_its_weight_and_error_and_nothing_else(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit one, two;
    draw(&s, 2);
    const struct glm_data data = data_of(&s);
    fit_ok(&one, &data, GLM_NB2);
    for (size_t i = 0; i < ROWS; i++) s.x[1 * ROWS + i] *= 1e7, s.x[2 * ROWS + i] *= -3e-6;
    fit_ok(&two, &data, GLM_NB2);
    near(two.coef[1].value * 1e7, one.coef[1].value, 1e-11);
    near(two.coef[1].se_joint * 1e7, one.coef[1].se_joint, 1e-11);
    near(two.coef[2].value * -3e-6, one.coef[2].value, 1e-11);
    near(two.coef[0].value, one.coef[0].value, 1e-11);
    near(two.loglik, one.loglik, 1e-12);
    near(two.theta, one.theta, 1e-9);
    near(two.condition, one.condition, 1e-9);
    glm_fit_fini(&one);
    glm_fit_fini(&two);
}

static void an_offset_is_a_column_whose_weight_is_1(void **state)
{
    (void)state;
    static struct sample s, shifted;
    struct glm_fit one, two;
    draw(&s, 3);
    shifted = s;
    for (size_t i = 0; i < ROWS; i++) shifted.offset[i] = s.offset[i] + 0.5 * s.x[3 * ROWS + i] + 2;
    struct glm_data a = data_of(&s), b = data_of(&shifted);
    a.offset = s.offset, b.offset = shifted.offset;
    fit_ok(&one, &a, GLM_NB2);
    fit_ok(&two, &b, GLM_NB2);
    near(two.coef[3].value, one.coef[3].value - 0.5, 1e-10);
    near(two.coef[0].value, one.coef[0].value - 2, 1e-10);
    near(two.loglik, one.loglik, 1e-11);
    glm_fit_fini(&one);
    glm_fit_fini(&two);
}

static void a_weight_of_2_is_the_row_twice(void **state)
{
    (void)state;
    static struct sample s;
    static double x[3 * ROWS * COLUMNS], y[3 * ROWS];
    struct glm_fit one, two;
    size_t n = 0;
    draw(&s, 4);
    for (size_t i = 0; i < ROWS; i++) n += (size_t)s.weight[i];
    size_t to = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (double w = 0; w < s.weight[i]; w++, to++) {
            y[to] = s.y[i];
            for (size_t j = 0; j < COLUMNS; j++) x[j * n + to] = s.x[j * ROWS + i];
        }
    struct glm_data weighted = data_of(&s);
    weighted.weight = s.weight;
    const struct glm_data repeated = {.n = n, .k = COLUMNS, .x = x, .y = y, .names = names};
    for (int family = GLM_NB2; family <= GLM_POISSON; family++) {
        fit_ok(&one, &weighted, (enum glm_family)family);
        fit_ok(&two, &repeated, (enum glm_family)family);
        same_fit(&one, &two, 1e-10);
        glm_fit_fini(&one);
        glm_fit_fini(&two);
    }
}

static void changing_one_row_changes_every_weight(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit one, two;
    draw(&s, 5);
    const struct glm_data data = data_of(&s);
    fit_ok(&one, &data, GLM_NB2);
    s.y[17] += 5;
    fit_ok(&two, &data, GLM_NB2);
    for (size_t j = 0; j < COLUMNS; j++) assert_true(one.coef[j].value != two.coef[j].value);
    glm_fit_fini(&one);
    glm_fit_fini(&two);
}

static void the_same_data_gives_the_same_bytes(void **state)
{
    (void)state;
    static struct sample s;
    char *text[2];
    draw(&s, 6);
    const struct glm_data data = data_of(&s);
    for (int i = 0; i < 2; i++) {
        struct glm_fit fit;
        fit_ok(&fit, &data, GLM_NB2);
        json_t *json = glm_fit_json(&fit);
        text[i] = json_dumps(json, 0);
        json_decref(json);
        glm_fit_fini(&fit);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

static void known_parameters_lie_within_4_standard_errors_in_20_samples(void **state)
{
    (void)state;
    static struct sample s;
    double bias[COLUMNS] = {0};
    for (unsigned long seed = 100; seed < 120; seed++) {
        struct glm_fit fit;
        draw(&s, seed);
        struct glm_data data = data_of(&s);
        data.offset = s.offset;
        fit_ok(&fit, &data, GLM_NB2);
        for (size_t j = 0; j < COLUMNS; j++) {
            const double z = (fit.coef[j].value - truth[j]) / fit.coef[j].se_joint;
            assert_true(fabs(z) < 4);
            bias[j] += z / 20;
        }
        assert_true(fabs(fit.theta - 3) < 4 * fit.se_theta);
        glm_fit_fini(&fit);
    }
    for (size_t j = 0; j < COLUMNS; j++) assert_true(fabs(bias[j]) < 4 / sqrt(20));
}

static void theta_can_be_held_and_the_likelihood_is_then_lower(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit free_fit, held;
    struct error err;
    draw(&s, 7);
    const struct glm_data data = data_of(&s);
    fit_ok(&free_fit, &data, GLM_NB2);
    const struct glm_options options = {.family = GLM_NB2, .theta = 1};
    assert_ok(glm_fit(&held, &data, &options, &err), &err);
    assert_true(held.converged && held.theta == 1 && !held.theta_is_fitted && isnan(held.se_theta));
    assert_true(held.loglik < free_fit.loglik);
    near(held.aic, -2 * held.loglik + 2 * COLUMNS, 1e-12); /* theta was not fitted and does not count */
    const struct glm_options same = {.family = GLM_NB2, .theta = free_fit.theta};
    glm_fit_fini(&held);
    assert_ok(glm_fit(&held, &data, &same, &err), &err);
    near(held.loglik, free_fit.loglik, 1e-12);
    for (size_t j = 0; j < COLUMNS; j++) near(held.coef[j].value, free_fit.coef[j].value, 1e-8);
    glm_fit_fini(&free_fit);
    glm_fit_fini(&held);
    const struct glm_options wrong = {.family = GLM_POISSON, .theta = 2};
    assert_int_equal(-1, glm_fit(&held, &data, &wrong, &err));
}

/* log y = 2 + 3 x exactly at four points moved by +d, -d, -d, +d: the weights stay, the residuals are d. */
static void least_squares_of_the_logarithm_is_as_by_hand(void **state)
{
    (void)state;
    const double d = 0.1, t[4] = {0, 1, 2, 3}, e[4] = {d, -d, -d, d}, x[8] = {1, 1, 1, 1, 0, 1, 2, 3};
    double y[4];
    struct glm_fit fit;
    for (int i = 0; i < 4; i++) y[i] = exp(2 + 3 * t[i] + e[i]);
    const struct glm_data data = {.n = 4, .k = 2, .x = x, .y = y, .names = names};
    fit_ok(&fit, &data, GLM_OLS);
    near(fit.coef[0].value, 2, 1e-13);
    near(fit.coef[1].value, 3, 1e-13);
    near(fit.deviance, 4 * d * d, 1e-13);
    near(fit.sigma, sqrt(4 * d * d / 2), 1e-13);
    near(fit.coef[1].se_expected, fit.sigma / sqrt(5), 1e-13); /* sum of (x - mean)^2 is 5 */
    near(fit.null_deviance, 45 + 4 * d * d, 1e-12);
    near(fit.mu[0], exp(2), 1e-12);
    assert_true(isinf(fit.theta));
    glm_fit_fini(&fit);
}

static void counts_of_a_billion_agree_with_the_gamma_form_of_the_likelihood(void **state)
{
    (void)state;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double x[200], y[100], check = 0;
    struct glm_fit fit;
    for (int i = 0; i < 100; i++) {
        x[i] = 1;
        x[100 + i] = i / 100.0;
        y[i] = floor(exp(20 + x[100 + i]) * gsl_ran_gamma(rng, 2, 0.5));
    }
    gsl_rng_free(rng);
    const struct glm_data data = {.n = 100, .k = 2, .x = x, .y = y, .names = names};
    fit_ok(&fit, &data, GLM_NB2);
    for (int i = 0; i < 100; i++) {
        const double mu = fit.mu[i], t = fit.theta;
        check +=
            lgamma(y[i] + t) - lgamma(t) - lgamma(y[i] + 1) + t * log(t) + y[i] * log(mu) - (y[i] + t) * log(mu + t);
    }
    near(fit.loglik, check, 1e-6); /* the gamma form is the less exact of the two */
    assert_true(fabs(fit.theta - 2) < 4 * fit.se_theta);
    assert_string_equal("ok", fit.status);
    glm_fit_fini(&fit);
}

static void a_wrong_value_is_refused_with_row_and_column(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit fit;
    struct error err;
    const struct {
        double *cell, value;
        const char *says;
        enum glm_family family;
    } cases[] = {
        {&s.y[4], NAN, "row 5: the target is nan: it must be a finite number", GLM_NB2},
        {&s.y[4], INFINITY, "row 5: the target is inf", GLM_POISSON},
        {&s.y[0], 2.5, "row 1: the target is 2.5: a count must be a whole number", GLM_NB2},
        {&s.y[9], -1, "row 10: the target is -1: a count cannot be negative", GLM_NB2},
        {&s.y[9], 1e300, "counts above 2^53", GLM_NB2},
        {&s.y[9], 0, "row 10: the target is 0: least squares of its logarithm needs it above 0", GLM_OLS},
        {&s.x[2 * ROWS + 7], NAN, "row 8: column 'b' is nan", GLM_NB2},
        {&s.x[2 * ROWS + 7], -INFINITY, "row 8: column 'b' is -inf", GLM_OLS},
        {&s.offset[3], NAN, "row 4: the offset is nan", GLM_NB2},
        {&s.weight[3], -1, "row 4: the weight is -1", GLM_NB2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        draw(&s, 8);
        if (cases[i].family == GLM_OLS)
            for (size_t k = 0; k < ROWS; k++) s.y[k] += 1;
        *cases[i].cell = cases[i].value;
        struct glm_data data = data_of(&s);
        data.offset = s.offset, data.weight = s.weight;
        const struct glm_options options = {.family = cases[i].family};
        assert_int_equal(-1, glm_fit(&fit, &data, &options, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        assert_int_equal(2, error_exit_status(&err));
    }
}

static void fewer_rows_than_columns_are_refused_and_as_many_are_a_warning(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit fit;
    struct error err;
    double x[12], y[4] = {3, 1, 4, 2}, weight[4] = {1, 1, 0, 0};
    draw(&s, 9);
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 4; i++) x[j * 4 + i] = s.x[j * ROWS + i];
    struct glm_data data = {.n = 4, .k = 3, .x = x, .y = y, .weight = weight, .names = names, .source = "d.csv"};
    const struct glm_options options = {.family = GLM_NB2};
    assert_int_equal(-1, glm_fit(&fit, &data, &options, &err));
    assert_string_equal("d.csv: 2 rows of positive weight are fewer than the 3 columns to fit without a penalty",
                        err.text);
    assert_non_null(strstr(err.hint, "penalty"));
    weight[2] = 1;
    fit_ok(&fit, &data, GLM_NB2);
    assert_non_null(strstr(fit.warnings[0], "as many weights as rows"));
    assert_string_equal("poisson-limit: no overdispersion", fit.status);
    glm_fit_fini(&fit);
}

static void columns_of_zeros_and_dependent_columns_get_weight_0_and_are_named(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit fit;
    draw(&s, 10);
    for (size_t i = 0; i < ROWS; i++) s.x[1 * ROWS + i] = 0, s.x[3 * ROWS + i] = 2 * s.x[2 * ROWS + i] - 1;
    const struct glm_data data = data_of(&s);
    fit_ok(&fit, &data, GLM_NB2);
    assert_int_equal(2, fit.rank);
    assert_int_equal(2, fit.n_warnings);
    assert_string_equal("column 'a' is 0 in every row; left out", fit.warnings[0]);
    assert_string_equal("column 'c' is a linear combination of others and was left out: -1 intercept + 2 b",
                        fit.warnings[1]);
    assert_true(fit.coef[1].is_aliased && fit.coef[3].is_aliased && fit.coef[1].value == 0 &&
                isnan(fit.coef[1].se_expected));
    glm_fit_fini(&fit);
}

static void a_fit_becomes_json_with_the_keys_of_the_contract_a_table_and_a_model(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit fit;
    struct error err;
    draw(&s, 11);
    const struct glm_data data = data_of(&s);
    fit_ok(&fit, &data, GLM_NB2);
    json_t *json = glm_fit_json(&fit);
    static const char *const keys[] = {"coef", "theta", "se_theta",  "loglik", "deviance", "null_deviance",
                                       "aic",  "bic",   "converged", "status", "warnings"};
    for (size_t i = 0; i < COUNT_OF(keys); i++) assert_non_null(json_object_get(json, keys[i]));
    const json_t *first = json_array_get(json_object_get(json, "coef"), 1);
    static const char *const coef_keys[] = {"name", "value", "se_expected", "se_joint", "z", "p"};
    for (size_t i = 0; i < COUNT_OF(coef_keys); i++) assert_non_null(json_object_get(first, coef_keys[i]));
    assert_string_equal("a", json_string_value(json_object_get(first, "name")));
    assert_true(json_real_value(json_object_get(first, "value")) == fit.coef[1].value);
    json_decref(json);

    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    glm_fit_print(&fit, out);
    fclose(out);
    assert_non_null(strstr(text, "nb2, log link: 240 rows, 4 columns, rank 4"));
    assert_non_null(strstr(text, "status: ok"));
    free(text);

    struct model_output output;
    assert_ok(glm_fit_output(&fit, "N", &output, &err), &err);
    assert_int_equal(4, output.n_features);
    assert_string_equal("c", output.features[3]);
    assert_true(output.weights[3] == fit.coef[3].value && output.theta == fit.theta);
    assert_string_equal("nb2", output.family);
    glm_fit_fini(&fit);

    enum glm_family family;
    assert_ok(glm_family_parse(&family, "poisson", &err), &err);
    assert_int_equal(GLM_POISSON, family);
    assert_int_equal(-1, glm_family_parse(&family, "gamma", &err));
    fit_ok(&fit, &data, GLM_POISSON);
    json = glm_fit_json(&fit);
    assert_string_equal("inf", json_string_value(json_object_get(json, "theta")));
    assert_true(json_is_null(json_object_get(json, "se_theta")));
    json_decref(json);
    glm_fit_fini(&fit);
}

/* 80000 rows start from a part of themselves; a dummy that only 48 rows have is missing from many such parts. */
static void a_large_table_with_a_rare_column_has_one_maximum_whatever_its_order(void **state)
{
    (void)state;
    enum { N = 80000, K = 3 };
    static const char *const own[K] = {"intercept", "a", "rare"};
    double *memory = calloc(2 * N * (K + 1), sizeof *memory), *const x[2] = {memory, memory + N * (K + 1)};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    struct glm_fit fits[2];
    assert_non_null(memory);
    for (size_t i = 0; i < N; i++) {
        const double a = gsl_ran_gaussian(rng, 1), rare = i < 48, mu = exp(0.7 + 0.4 * a + 0.9 * rare);
        const double row[K + 1] = {1, a, rare, (double)gsl_ran_poisson(rng, mu * gsl_ran_gamma(rng, 2, 0.5))};
        for (size_t j = 0; j <= K; j++) x[0][j * N + i] = row[j], x[1][j * N + (i * 16 + i / (N / 16)) % N] = row[j];
    }
    for (int o = 0; o < 2; o++) {
        const struct glm_data data = {.n = N, .k = K, .x = x[o], .y = x[o] + N * K, .names = own};
        fit_ok(&fits[o], &data, GLM_NB2);
        assert_string_equal("ok", fits[o].status);
        assert_true(fabs(fits[o].theta - 2) < 5 * fits[o].se_theta);
    }
    for (size_t j = 0; j < K; j++)
        assert_true(fabs(fits[0].coef[j].value - fits[1].coef[j].value) < 1e-7 * fits[0].coef[j].se_expected);
    near(fits[0].loglik, fits[1].loglik, 1e-11);
    glm_fit_fini(&fits[0]);
    glm_fit_fini(&fits[1]);
    gsl_rng_free(rng);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(scaling_a_column_scales_its_weight_and_error_and_nothing_else),
        cmocka_unit_test(an_offset_is_a_column_whose_weight_is_1),
        cmocka_unit_test(a_weight_of_2_is_the_row_twice),
        cmocka_unit_test(changing_one_row_changes_every_weight),
        cmocka_unit_test(the_same_data_gives_the_same_bytes),
        cmocka_unit_test(known_parameters_lie_within_4_standard_errors_in_20_samples),
        cmocka_unit_test(theta_can_be_held_and_the_likelihood_is_then_lower),
        cmocka_unit_test(least_squares_of_the_logarithm_is_as_by_hand),
        cmocka_unit_test(counts_of_a_billion_agree_with_the_gamma_form_of_the_likelihood),
        cmocka_unit_test(a_wrong_value_is_refused_with_row_and_column),
        cmocka_unit_test(fewer_rows_than_columns_are_refused_and_as_many_are_a_warning),
        cmocka_unit_test(columns_of_zeros_and_dependent_columns_get_weight_0_and_are_named),
        cmocka_unit_test(a_fit_becomes_json_with_the_keys_of_the_contract_a_table_and_a_model),
        cmocka_unit_test(a_large_table_with_a_rare_column_has_one_maximum_whatever_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
