/* Every data set of tests/reference/nb against its 40-digit answers, within the tolerances of
 * tests/reference/README.md. */
#include "oracle.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "count_terms.h"
#include "poise/glm.h"
#include "poise/table.h"
#include "poise/table_csv.h"

static const json_t *at(const json_t *json, const char *key)
{
    const json_t *item = json_object_get(json, key);
    if (!item) fail_msg("no key %s", key);
    return item;
}
static double number(const json_t *json, const char *key) { return json_number_value(at(json, key)); }

static void near(const char *name, const char *what, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance))
        fail_msg("%s: %s is %.17g, the reference says %.17g: off by %.2g, allowed %.2g", name, what, ours, theirs,
                 fabs(ours - theirs), tolerance);
}
static void near_relative(const char *name, const char *what, double ours, double theirs, double tolerance)
{
    near(name, what, ours, theirs, tolerance * fabs(theirs));
}

static bool is_ill_scaled(const char *name)
{
    return strcmp(name, "syn_nearcollinear") == 0 || strcmp(name, "syn_scales") == 0;
}

/* Weights and one kind of standard error; the reference lists kept columns only. */
static void compare_weights(const struct oracle *o, const struct glm_fit *fit, const json_t *block, const char *se_key)
{
    const json_t *coef = at(block, "coef"), *se = at(block, se_key);
    const double tolerance = is_ill_scaled(o->name) ? 1e-4 : 1e-6;
    size_t kept = 0;
    for (size_t j = 0; j < fit->k; j++) {
        if (fit->coef[j].is_aliased) continue;
        const double error = json_number_value(json_array_get(se, kept));
        near(o->name, fit->coef[j].name, fit->coef[j].value, json_number_value(json_array_get(coef, kept)),
             tolerance * error);
        near_relative(o->name, se_key, fit->coef[j].se_expected, error, 1e-6);
        kept++;
    }
    assert_int_equal(kept, json_array_size(coef));
    assert_int_equal(kept, fit->rank);
}

static void compare_poisson(const struct oracle *o, const struct glm_fit *fit, const json_t *block)
{
    const double l = number(block, "loglik");
    compare_weights(o, fit, block, "se");
    near(o->name, "loglik", fit->loglik, l, 1e-9 * (1 + fabs(l)));
    near(o->name, "deviance", fit->deviance, number(block, "deviance"), 1e-8 * number(block, "deviance") + 1e-9);
    near(o->name, "pearson", fit->pearson, number(block, "pearson_chi2"), 1e-8 * number(block, "pearson_chi2") + 1e-9);
    near(o->name, "null_deviance", fit->null_deviance, number(block, "null_deviance"),
         1e-8 * number(block, "null_deviance") + 1e-9);
    if (fit->family == GLM_POISSON) /* an NB2 fit's null model has a theta of its own, at the Poisson limit too */
        near(o->name, "loglik_null", fit->loglik_null, number(block, "loglik_null"), 1e-9 * (1 + fabs(l)));
    near(o->name, "aic", fit->aic, number(block, "aic"), 1e-6);
    near(o->name, "bic", fit->bic, number(block, "bic"), 1e-6);
    near(o->name, "df_residual", fit->df_residual, number(block, "df_residual"), 0);
    assert_true(isinf(fit->theta));
}

static void compare_nb2(const struct oracle *o, const struct glm_fit *fit, const json_t *block)
{
    const double l = number(block, "loglik"), theta = number(block, "theta");
    const json_t *joint = at(block, "se_observed_joint"), *z = at(block, "z_expected"), *p = at(block, "p_expected");
    compare_weights(o, fit, block, "se_expected_info");
    for (size_t j = 0, kept = 0; j < fit->k; j++) {
        if (fit->coef[j].is_aliased) continue;
        const double p_ref = json_number_value(json_array_get(p, kept)),
                     z_ref = json_number_value(json_array_get(z, kept));
        near_relative(o->name, "se_observed_joint", fit->coef[j].se_joint,
                      json_number_value(json_array_get(joint, kept)), 1e-6);
        near(o->name, "z", fit->coef[j].z, z_ref, is_ill_scaled(o->name) ? 1e-4 : 2e-6 * (1 + fabs(z_ref)));
        near(o->name, "p", fit->coef[j].p, p_ref, fmax(1e-9, (is_ill_scaled(o->name) ? 1e-4 : 2e-6) * p_ref));
        kept++;
    }
    near(o->name, "loglik", fit->loglik, l, 1e-9 * (1 + fabs(l)));
    near_relative(o->name, "theta", fit->theta, theta, theta > 20 ? 1e-6 : 1e-7);
    near_relative(o->name, "se_theta_joint", fit->se_theta, number(block, "se_theta_joint"), 1e-6);
    near_relative(o->name, "se_theta_mu_fixed", fit->se_theta_mu_fixed, number(block, "se_theta_mu_fixed"), 1e-6);
    near_relative(o->name, "deviance", fit->deviance, number(block, "deviance"), 1e-8);
    near_relative(o->name, "pearson", fit->pearson, number(block, "pearson_chi2"), 1e-8);
    near_relative(o->name, "null_deviance", fit->null_deviance, number(block, "null_deviance_theta_fixed"), 1e-8);
    near(o->name, "loglik_null", fit->loglik_null, number(block, "loglik_null_own_theta"), 1e-9 * (1 + fabs(l)));
    near(o->name, "aic", fit->aic, number(block, "aic"), 1e-6);
    near(o->name, "bic", fit->bic, number(block, "bic"), 1e-6);
}

static const char *const names[] = {
    "biochemists",    "insurance_offset",  "medpar1",     "nmes1988",          "quine_main",    "quine_nested",
    "quine_weighted", "randhie_every5th",  "shaped_N",    "shaped_N_lownoise", "shaped_p",      "syn_bigmean",
    "syn_intercept",  "syn_nearcollinear", "syn_poisson", "syn_rankdef",       "syn_scales",    "syn_theta0p5",
    "syn_theta2",     "syn_theta50",       "syn_tiny12",  "syn_underdisp",     "edge_allequal", "edge_saturated",
};

static void every_poisson_fit_equals_its_40_digit_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct oracle o;
        struct glm_fit fit;
        struct error err;
        const struct glm_options options = {.family = GLM_POISSON};
        oracle_load(&o, names[i], ".json");
        assert_ok(glm_fit(&fit, &o.set.data, &options, &err), &err);
        assert_true(fit.converged);
        compare_poisson(&o, &fit, at(at(o.json, "reference"), "poisson"));
        glm_fit_fini(&fit);
        oracle_unload(&o);
    }
}

static void every_nb2_fit_equals_its_40_digit_oracle_or_is_the_poisson_limit(void **state)
{
    (void)state;
    size_t interior = 0, limits = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct oracle o;
        struct glm_fit fit;
        struct error err;
        const struct glm_options options = {.family = GLM_NB2};
        oracle_load(&o, names[i], ".json");
        assert_ok(glm_fit(&fit, &o.set.data, &options, &err), &err);
        const json_t *reference = at(o.json, "reference");
        const double score = number(reference, "score_alpha_at_zero");
        if (!fit.converged) fail_msg("%s: not converged, %d iterations", names[i], fit.iterations);
        near(names[i], "score at alpha = 0", fit.score_alpha_at_zero, score, 1e-6 * (1 + fabs(score)));
        if (json_is_true(at(reference, "nb_mle_exists"))) {
            compare_nb2(&o, &fit, at(reference, "nb"));
            assert_string_equal("ok", fit.status);
            interior++;
        } else {
            compare_poisson(&o, &fit, at(reference, "poisson"));
            assert_string_equal("poisson-limit: no overdispersion", fit.status);
            limits++;
        }
        glm_fit_fini(&fit);
        oracle_unload(&o);
    }
    assert_int_equal(18, interior);
    assert_int_equal(6, limits);
}

static void a_dependent_column_is_named_with_its_combination(void **state)
{
    (void)state;
    struct oracle o;
    struct glm_fit fit;
    struct error err;
    const struct glm_options options = {.family = GLM_NB2};
    oracle_load(&o, "syn_rankdef", ".json");
    assert_ok(glm_fit(&fit, &o.set.data, &options, &err), &err);
    assert_int_equal(3, fit.rank);
    assert_true(fit.coef[3].is_aliased && !fit.coef[0].is_aliased && !fit.coef[1].is_aliased &&
                !fit.coef[2].is_aliased);
    assert_true(fit.coef[3].value == 0);
    if (fit.n_warnings != 1 ||
        !strstr(fit.warnings[0], "column 'x3' is a linear combination of others and was left out: "))
        fail_msg("%s", fit.warnings[0]);
    glm_fit_fini(&fit);
    oracle_unload(&o);
}

static void a_separated_group_is_a_warning_and_the_rest_equals_the_fit_without_it(void **state)
{
    (void)state;
    struct oracle o;
    struct glm_fit fit;
    struct error err;
    const struct glm_options options = {.family = GLM_NB2};
    oracle_load(&o, "edge_separation", ".json");
    assert_ok(glm_fit(&fit, &o.set.data, &options, &err), &err);
    const json_t *nb = at(at(at(o.json, "reference"), "fit_on_indicator_0_rows"), "nb"), *coef = at(nb, "coef");
    near(o.name, "loglik", fit.loglik, number(nb, "loglik"), 1e-7);
    near_relative(o.name, "theta", fit.theta, number(nb, "theta"), 1e-6);
    near(o.name, "intercept", fit.coef[0].value, json_number_value(json_array_get(coef, 0)), 1e-6);
    near(o.name, "x2", fit.coef[2].value, json_number_value(json_array_get(coef, 1)), 1e-6);
    assert_true(fit.coef[1].value < -15);
    assert_string_equal("separation: the maximum is at infinity", fit.status);
    if (!strstr(fit.warnings[0], "no finite estimate for 'x1'")) fail_msg("%s", fit.warnings[0]);
    glm_fit_fini(&fit);
    oracle_unload(&o);
}

static void targets_that_are_all_0_are_refused_with_the_file(void **state)
{
    (void)state;
    struct oracle o;
    struct glm_fit fit;
    struct error err;
    const struct glm_options options = {.family = GLM_NB2};
    oracle_load(&o, "edge_allzero", ".json");
    assert_int_equal(-1, glm_fit(&fit, &o.set.data, &options, &err));
    assert_non_null(strstr(err.text, "edge_allzero.csv: every target is 0"));
    assert_int_equal(2, error_exit_status(&err));
    oracle_unload(&o);
}

/* ---- large.json: fifty digits as text, the nearest double of which is what we should have ---- */

static double digits(const json_t *item) { return strtod(json_string_value(item), NULL); }

static json_t *load_large(void)
{
    json_error_t why;
    json_t *json = json_load_file(ORACLE_FOLDER "large.json", 0, &why);
    if (!json) fail_msg("large.json:%d: %s", why.line, why.text);
    return json;
}

static void terms_of_the_likelihood_have_ten_digits_for_counts_to_1e15_and_theta_to_1e12(void **state)
{
    (void)state;
    json_t *json = load_large(), *row;
    double worst = 0;
    size_t i;
    json_array_foreach(at(json, "terms"), i, row) {
        char name[96];
        double own[2], far[2], value[3], want[4];
        for (size_t k = 0; k < 3; k++) value[k] = json_number_value(json_array_get(row, k));
        for (size_t k = 0; k < 4; k++) want[k] = digits(json_array_get(row, 3 + k));
        const double y = value[0], mu = value[1], alpha = 1 / value[2], deviance = count_half_deviance(y, mu, alpha);
        snprintf(name, sizeof name, "y %g, mean %g, theta %g", y, mu, value[2]);
        count_own_derivatives(y, alpha, own);
        count_deviance_derivatives(y, mu, alpha, far);
        near_relative(name, "log-likelihood", count_own(y, alpha) - deviance, want[0], 1e-12);
        near_relative(name, "deviance", 2 * deviance, want[1], 1e-12);
        worst = fmax(worst, fabs((count_own(y, alpha) - deviance) / want[0] - 1));
        /* a score crosses 0: against the size of its parts */
        const double share = alpha * y / (1 + alpha * y), score = alpha * (own[0] + far[0]);
        near(name, "score", score, want[2], 1e-12 * (fabs(want[2]) + share));
        near(name, "curvature", alpha * alpha * (own[1] + far[1]) + score, want[3], 1e-12 * (fabs(want[3]) + share));
    }
    assert_true(i >= 60);
    print_message("worst relative error of a log-likelihood: %.2g\n", worst);
    json_decref(json);
}

static double compare_large(const char *name, const struct glm_fit *fit, const json_t *row)
{
    near_relative(name, "theta", fit->theta, digits(at(row, "theta")), 1e-9);
    near_relative(name, "log-likelihood", fit->loglik, digits(at(row, "loglik")), 1e-10);
    near_relative(name, "deviance", fit->deviance, digits(at(row, "deviance")), 1e-10);
    near_relative(name, "Pearson", fit->pearson, digits(at(row, "pearson")), 1e-9);
    near_relative(name, "error of theta", fit->se_theta, digits(at(row, "se_theta")), 1e-8);
    for (size_t j = 0; j < fit->k; j++) {
        const double joint = digits(json_array_get(at(row, "se_joint"), j));
        near(name, "weight", fit->coef[j].value, digits(json_array_get(at(row, "weights"), j)), 1e-7 * joint);
        near_relative(name, "error", fit->coef[j].se_expected, digits(json_array_get(at(row, "se_expected"), j)), 1e-8);
        near_relative(name, "joint error", fit->coef[j].se_joint, joint, 1e-8);
    }
    return fmax(fabs(fit->theta / digits(at(row, "theta")) - 1), fabs(fit->loglik / digits(at(row, "loglik")) - 1));
}

static void fits_of_means_from_1e2_to_1e13_converge_to_their_fifty_digit_oracles(void **state)
{
    (void)state;
    json_t *json = load_large(), *row;
    double worst = 0;
    size_t i;
    json_array_foreach(at(json, "fits"), i, row) {
        enum { ROWS = 24 };
        static const char *const columns[] = {"intercept", "x1", "x2"};
        double x[3 * ROWS], y[ROWS];
        struct glm_fit fit;
        struct error err;
        char name[64];
        assert_int_equal(ROWS, json_array_size(at(row, "y")));
        for (size_t r = 0; r < ROWS; r++) {
            y[r] = json_number_value(json_array_get(at(row, "y"), r));
            x[r] = 1;
            for (size_t j = 1; j < 3; j++) x[j * ROWS + r] = json_number_value(json_array_get(at(row, columns[j]), r));
        }
        snprintf(name, sizeof name, "scale %g, theta %.3g", number(row, "scale"), digits(at(row, "theta")));
        const struct glm_data data = {.n = ROWS, .k = 3, .x = x, .y = y, .names = columns};
        assert_ok(glm_fit(&fit, &data, &(struct glm_options){.family = GLM_NB2}, &err), &err);
        if (!fit.converged || strcmp(fit.status, GLM_STATUS_OK) != 0) fail_msg("%s: %s", name, fit.status);
        worst = fmax(worst, compare_large(name, &fit, row));
        glm_fit_fini(&fit);
        /* its Poisson fit converges, too */
        assert_ok(glm_fit(&fit, &data, &(struct glm_options){.family = GLM_POISSON}, &err), &err);
        if (!fit.converged || !isfinite(fit.loglik)) fail_msg("%s: Poisson: %s", name, fit.status);
        glm_fit_fini(&fit);
    }
    assert_int_equal(30, i);
    print_message("worst relative error of theta or the log-likelihood: %.2g\n", worst);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_poisson_fit_equals_its_40_digit_oracle),
        cmocka_unit_test(every_nb2_fit_equals_its_40_digit_oracle_or_is_the_poisson_limit),
        cmocka_unit_test(a_dependent_column_is_named_with_its_combination),
        cmocka_unit_test(a_separated_group_is_a_warning_and_the_rest_equals_the_fit_without_it),
        cmocka_unit_test(targets_that_are_all_0_are_refused_with_the_file),
        cmocka_unit_test(terms_of_the_likelihood_have_ten_digits_for_counts_to_1e15_and_theta_to_1e12),
        cmocka_unit_test(fits_of_means_from_1e2_to_1e13_converge_to_their_fifty_digit_oracles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
