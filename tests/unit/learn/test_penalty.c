/* Penalised fits: what holds at their maximum, units, weights, separation, and how penalties are written. */
#include "glm_sample.h"
#include "poise/table.h"

static double spread_of(const struct glm_data *data, size_t j)
{
    double total = 0, mean = 0, squares = 0;
    for (size_t i = 0; i < data->n; i++) {
        const double w = data->weight ? data->weight[i] : 1;
        total += w, mean += w * data->x[j * data->n + i];
    }
    mean /= total;
    for (size_t i = 0; i < data->n; i++) {
        const double d = data->x[j * data->n + i] - mean;
        squares += (data->weight ? data->weight[i] : 1) * d * d;
    }
    return sqrt(squares / total);
}

/* The gradient of the likelihood is that of the penalty; where a weight is 0, no larger. */
static void is_penalised_maximum(const struct glm_fit *fit, const struct glm_data *data, struct glm_penalty penalty)
{
    const double alpha = isinf(fit->theta) ? 0 : 1 / fit->theta;
    double total = 0;
    for (size_t i = 0; i < data->n; i++) total += data->weight ? data->weight[i] : 1;
    for (size_t j = 0; j < data->k; j++) {
        const double b = fit->coef[j].value, spread = j ? spread_of(data, j) : 0;
        const double smooth = total * penalty.lambda * (1 - penalty.mix) * spread * spread * b;
        const double bound = total * penalty.lambda * penalty.mix * spread;
        double score = 0;
        for (size_t i = 0; i < data->n; i++)
            score += (data->weight ? data->weight[i] : 1) * data->x[j * data->n + i] * (data->y[i] - fit->mu[i]) /
                     (1 + alpha * fit->mu[i]);
        const double scale = total * (spread + !j);
        if (b == 0) assert_true(fabs(score) <= bound + 1e-5 * scale);
        else assert_true(fabs(score - smooth - (b > 0 ? bound : -bound)) < 1e-5 * scale);
    }
}

static void a_penalised_fit_is_where_the_slopes_of_likelihood_and_penalty_meet(void **state)
{
    (void)state;
    static struct sample s;
    static const double lambdas[] = {1e-4, 0.01, 0.1, 1, 30}, mixes[] = {0, 0.3, 1}, thetas[] = {0, 2};
    struct error err;
    draw(&s, 11);
    for (size_t i = 0; i < ROWS; i++) s.x[2 * ROWS + i] *= 1e4, s.x[3 * ROWS + i] = 7 + 1e-3 * s.x[3 * ROWS + i];
    for (int family = 0; family < 2; family++)
        for (size_t at = 0; at < 60; at++) {
            const struct glm_penalty penalty = {lambdas[at % 5], mixes[at / 5 % 3]};
            struct glm_data data = data_of(&s);
            struct glm_options options = {.family = family ? GLM_POISSON : GLM_NB2, .penalty = penalty};
            struct glm_fit fit;
            options.theta = family ? 0 : thetas[at / 15 % 2];
            if (at / 30) data.weight = s.weight, data.offset = s.offset;
            assert_ok(glm_fit(&fit, &data, &options, &err), &err);
            assert_true(fit.converged);
            is_penalised_maximum(&fit, &data, penalty);
            assert_true(fit.effective > 0.99 && fit.effective < COLUMNS);
            assert_true(isnan(fit.coef[1].p) && fit.coef[0].se_expected > 0);
            if (penalty.lambda == 30) near(fit.coef[1].value, 0, 0.1);
            glm_fit_fini(&fit);
        }
}

static void a_penalty_of_next_to_nothing_changes_nothing_and_one_keeps_separated_weights_finite(void **state)
{
    (void)state;
    static struct sample s;
    struct glm_fit plain, fit;
    struct error err;
    draw(&s, 12);
    struct glm_data data = data_of(&s);
    fit_ok(&plain, &data, GLM_NB2);
    const struct glm_options tiny = {.family = GLM_NB2, .penalty = {1e-13, 0}};
    assert_ok(glm_fit(&fit, &data, &tiny, &err), &err);
    same_fit(&fit, &plain, 1e-7);
    near(fit.effective, COLUMNS, 1e-8);
    glm_fit_fini(&fit);
    glm_fit_fini(&plain);
    for (size_t i = 0; i < ROWS; i++) {
        s.x[ROWS + i] = i % 4 == 0;
        if (i % 4 == 0) s.y[i] = 0;
    }
    fit_ok(&plain, &data, GLM_NB2);
    assert_string_equal(GLM_STATUS_SEPARATION, plain.status);
    glm_fit_fini(&plain);
    const struct glm_options ridge = {.family = GLM_NB2, .penalty = {0.01, 0}};
    assert_ok(glm_fit(&fit, &data, &ridge, &err), &err);
    assert_string_equal(GLM_STATUS_OK, fit.status);
    assert_true(fit.coef[1].value < -2 && fit.coef[1].value > -20);
    glm_fit_fini(&fit);
}

static void rows_that_occur_twice_and_columns_in_other_units_are_penalised_alike(void **state)
{
    (void)state;
    static struct sample s;
    static double twice[2 * ROWS * (COLUMNS + 1)];
    struct glm_fit a, b, c;
    struct error err;
    draw(&s, 13);
    struct glm_data data = data_of(&s), copies = data_of(&s);
    const struct glm_options options = {.family = GLM_NB2, .penalty = {0.05, 0.4}};
    for (size_t i = 0; i < ROWS; i++) s.weight[i] = 2;
    data.weight = s.weight;
    for (size_t j = 0; j <= COLUMNS; j++)
        for (size_t i = 0; i < 2 * ROWS; i++)
            twice[j * 2 * ROWS + i] = (j < COLUMNS ? s.x + j * ROWS : s.y)[i % ROWS] * (j == 1 ? 1000 : 1);
    copies.n = 2 * ROWS, copies.x = twice, copies.y = twice + 2 * ROWS * COLUMNS;
    assert_ok(glm_fit(&a, &data, &options, &err), &err);
    assert_ok(glm_fit(&b, &copies, &options, &err), &err);
    near(a.coef[1].value, 1000 * b.coef[1].value, 1e-6);
    near(a.coef[2].value, b.coef[2].value, 1e-6);
    near(a.theta, b.theta, 1e-5);
    near(a.aic, b.aic, 1e-6);
    struct model_output output;
    assert_ok(glm_fit_output(&a, "N", &output, &err), &err);
    assert_true(output.penalty_lambda == 0.05 && output.penalty_mix == 0.4);
    const struct glm_options wrong = {.family = GLM_OLS, .penalty = {0.05, 0}},
                             beyond = {.family = GLM_NB2, .penalty = {0.05, 1.5}};
    assert_int_equal(-1, glm_fit(&c, &data, &wrong, &err));
    assert_int_equal(-1, glm_fit(&c, &data, &beyond, &err));
    glm_fit_fini(&a);
    glm_fit_fini(&b);
}

/* Where other columns, or fewer rows, say all that a column says: the maximum is one, and no column is dropped. */
static void fewer_rows_than_columns_and_columns_that_depend_on_others_are_fitted_with_a_penalty(void **state)
{
    (void)state;
    enum { FEW = COLUMNS - 1 };
    static struct sample s;
    static double few[FEW * COLUMNS];
    struct glm_fit fit;
    struct error err;
    draw(&s, 14);
    for (size_t i = 0; i < ROWS; i++) s.x[2 * ROWS + i] = s.x[ROWS + i];
    struct glm_data data = data_of(&s);
    const struct glm_options options = {.family = GLM_NB2, .penalty = {0.1, 0}};
    assert_ok(glm_fit(&fit, &data, &options, &err), &err);
    assert_int_equal(fit.rank, COLUMNS);
    near(fit.coef[1].value, fit.coef[2].value, 1e-6);
    is_penalised_maximum(&fit, &data, options.penalty);
    glm_fit_fini(&fit);
    draw(&s, 14);
    for (size_t j = 0; j < COLUMNS; j++) memcpy(few + FEW * j, s.x + ROWS * j, FEW * sizeof *few);
    data.n = FEW, data.x = few;
    assert_ok(glm_fit(&fit, &data, &options, &err), &err);
    assert_true(fit.converged && fit.rank == COLUMNS && fit.effective < FEW);
    is_penalised_maximum(&fit, &data, options.penalty);
    glm_fit_fini(&fit);
    /* a second constant column is no other than the first, and no penalty holds it */
    for (size_t i = 0; i < FEW; i++) few[FEW + i] = 7;
    assert_ok(glm_fit(&fit, &data, &options, &err), &err);
    assert_true(fit.coef[1].is_aliased && strstr(fit.warnings[0], "left out: 7 "));
    glm_fit_fini(&fit);
}

static void penalties_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double lambda, mix;
        bool chosen;
    } good[] = {{"none", 0, 0, false},
                {"ridge=0.25", 0.25, 0, false},
                {"lasso=1e-3", 1e-3, 1, false},
                {"elastic-net=2", 2, 0.5, false},
                {"elastic-net=2:0.25", 2, 0.25, false},
                {"ridge=cv", 0, 0, true},
                {"elastic-net=cv:0.1", 0, 0.1, true}};
    static const char *const bad[] = {
        "",         "ridge",           "ridge=",         "ridge=-1", "ridge=nan", "ridge=inf", "ridge=1:0.5",
        "lasso=1x", "elastic-net=1:2", "elastic-net=1:", "cv",       "ridge=cvx", "net=1"};
    struct glm_penalty penalty;
    struct error err;
    bool chosen;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_ok(glm_penalty_parse(&penalty, &chosen, good[i].text, &err), &err);
        assert_true(penalty.lambda == good[i].lambda && penalty.mix == good[i].mix && chosen == good[i].chosen);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(-1, glm_penalty_parse(&penalty, &chosen, bad[i], &err));
        assert_non_null(strstr(err.hint, "ridge=0.1"));
    }
    assert_int_equal(-1, glm_penalty_parse(&penalty, NULL, "ridge=cv", &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_penalised_fit_is_where_the_slopes_of_likelihood_and_penalty_meet),
        cmocka_unit_test(a_penalty_of_next_to_nothing_changes_nothing_and_one_keeps_separated_weights_finite),
        cmocka_unit_test(rows_that_occur_twice_and_columns_in_other_units_are_penalised_alike),
        cmocka_unit_test(fewer_rows_than_columns_and_columns_that_depend_on_others_are_fitted_with_a_penalty),
        cmocka_unit_test(penalties_are_read_as_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
