/* The report of a fit against R (residuals, influence, intervals, inflation, rootogram) and the 40-digit tests of
 * overdispersion. */
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include <math.h>
#include "poise/glm_report.h"
#include "poise/table_csv.h"

#define FOLDER POISE_SOURCE_DIR "/tests/reference/nb/"

struct fixture {
    const char *name;
    struct table_csv table, rows;
    struct training_set set;
    struct glm_fit fit;
    struct glm_report report;
    json_t *json;
};

static void load(struct fixture *f, const char *name, bool with_rows, bool profile)
{
    char path[512];
    struct error err;
    json_error_t why;
    f->name = name;
    snprintf(path, sizeof path, FOLDER "%s.csv", name);
    assert_ok(table_csv_read(&f->table, path, &err), &err);
    assert_ok(training_set_init(&f->set, &f->table, &(struct training_choice){.target = "y"}, &err), &err);
    snprintf(path, sizeof path, FOLDER "%s.rows.csv", name);
    if (with_rows) assert_ok(table_csv_read(&f->rows, path, &err), &err);
    snprintf(path, sizeof path, FOLDER "%s.json", name);
    f->json = json_load_file(path, 0, &why);
    if (!f->json) fail_msg("%s: %s", path, why.text);
    const struct glm_options options = {.family = GLM_NB2};
    assert_ok(glm_fit(&f->fit, &f->set.data, &options, &err), &err);
    const struct glm_report_options want = {.profile = profile, .groups = f->set.groups, .seed = 1};
    assert_ok(glm_report_init(&f->report, &f->fit, &f->set.data, &options, &want, &err), &err);
}

static void unload(struct fixture *f, bool with_rows)
{
    glm_report_fini(&f->report);
    glm_fit_fini(&f->fit);
    json_decref(f->json);
    training_set_fini(&f->set);
    if (with_rows) table_csv_fini(&f->rows);
    table_csv_fini(&f->table);
}

static void near(const char *name, const char *what, size_t row, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance * (1 + fabs(theirs))))
        fail_msg("%s: %s, row %zu: %.12g, the reference says %.12g", name, what, row, ours, theirs);
}

static void residuals_leverage_and_influence_equal_r_s(void **state)
{
    (void)state;
    static const char *const names[] = {"quine_main", "shaped_N", "shaped_p"};
    for (size_t d = 0; d < 3; d++) {
        struct fixture f;
        load(&f, names[d], true, false);
        for (size_t i = 0; i < f.report.n; i++) {
            const struct glm_report_row *r = &f.report.rows[i];
            const struct {
                const char *name;
                double value;
            } columns[] = {{"eta", r->eta},           {"mu", r->mu},           {"pearson", r->pearson},
                           {"deviance", r->deviance}, {"working", r->working}, {"response", r->response},
                           {"hat", r->hat},           {"cooks", r->cooks},     {"rstandard", r->rstandard},
                           {"rstudent", r->rstudent}, {"dffits", r->dffits}};
            for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
                near(names[d], columns[c].name, i, columns[c].value,
                     table_csv_find(&f.rows, columns[c].name)->values[i], 2e-6);
        }
        unload(&f, true);
    }
}

static void intervals_inflation_and_the_rootogram_equal_r_s(void **state)
{
    (void)state;
    static const char *const names[] = {"quine_main", "shaped_N", "shaped_p"};
    for (size_t d = 0; d < 3; d++) {
        struct fixture f;
        load(&f, names[d], false, true);
        const json_t *r = json_object_get(f.json, "R"), *wald = json_object_get(r, "confint_wald95");
        const json_t *profile = json_object_get(r, "confint_profile95_theta_fixed"),
                     *car = json_object_get(r, "car_vif_glmnb");
        const json_t *ols = json_object_get(r, "vif_ols_no_weights"),
                     *root = json_object_get(json_object_get(r, "rootogram"), "expected_nb");
        for (size_t j = 0; j < f.report.k; j++) {
            const struct glm_report_coef *c = &f.report.coef[j];
            const double se = f.fit.coef[j].se_expected, ends[4] = {c->low, c->high, c->profile_low, c->profile_high};
            for (int e = 0; e < 4; e++) {
                const json_t *pair = json_array_get(e < 2 ? wald : profile, j);
                const double theirs = json_number_value(json_array_get(pair, (size_t)e % 2));
                if (pair && !(fabs(ends[e] - theirs) <= (e < 2 ? 1e-4 : 5e-3) * se)) /* R's profile is a spline */
                    fail_msg("%s: end %d of %s is %.9g, R says %.9g", names[d], e, f.fit.coef[j].name, ends[e], theirs);
            }
            if (json_object_get(car, f.fit.coef[j].name))
                near(names[d], "vif", j, c->vif, json_number_value(json_object_get(car, f.fit.coef[j].name)), 1e-6);
            if (json_object_get(ols, f.fit.coef[j].name))
                near(names[d], "vif of the design", j, c->vif_design,
                     json_number_value(json_object_get(ols, f.fit.coef[j].name)), 1e-8);
        }
        for (size_t b = 0; b < f.report.n_bins && b < json_array_size(root); b++)
            near(names[d], "rootogram", b, f.report.expected[b], json_number_value(json_array_get(root, b)), 1e-6);
        unload(&f, false);
    }
}

static void tests_of_overdispersion_equal_the_40_digit_oracle(void **state)
{
    (void)state;
    static const char *const names[] = {"quine_main", "biochemists", "nmes1988",        "shaped_N",
                                        "shaped_p",   "syn_theta2",  "insurance_offset"};
    for (size_t d = 0; d < 7; d++) {
        struct fixture f;
        load(&f, names[d], false, false);
        const json_t *reference = json_object_get(f.json, "reference"),
                     *o = json_object_get(reference, "overdispersion_tests");
        const struct {
            const char *key;
            double value;
        } tests[] = {{"ct_nb1_z", f.report.nb1_z},
                     {"ct_nb1_z_p_greater", f.report.nb1_p},
                     {"ct_nb1_dispersion", f.report.nb1_alpha + 1},
                     {"ct_nb2_alpha", f.report.nb2_alpha},
                     {"ct_nb2_t", f.report.nb2_t},
                     {"ct_nb2_t_p_greater", f.report.nb2_p},
                     {"dean_A_no_leverage", f.report.dean},
                     {"dean_A_no_leverage_p_greater", f.report.dean_p}};
        for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++)
            near(names[d], tests[t].key, 0, tests[t].value, json_number_value(json_object_get(o, tests[t].key)), 1e-8);
        if (json_is_true(json_object_get(reference, "nb_mle_exists"))) {
            const json_t *nb = json_object_get(reference, "nb");
            near(names[d], "lr_vs_poisson", 0, f.report.lr_poisson,
                 json_number_value(json_object_get(nb, "lr_vs_poisson")), 1e-9);
            near(names[d], "its p", 0, f.report.lr_poisson_p,
                 json_number_value(json_object_get(nb, "lr_vs_poisson_p_half_chi2_1")), 1e-9);
        }
        unload(&f, false);
    }
}

static void quantile_residuals_of_a_right_model_are_standard_normal(void **state)
{
    (void)state;
    struct fixture f;
    double sum = 0, squares = 0;
    load(&f, "syn_theta2", false, false);
    for (size_t i = 0; i < f.report.n; i++)
        sum += f.report.rows[i].quantile, squares += f.report.rows[i].quantile * f.report.rows[i].quantile;
    const double n = (double)f.report.n, mean = sum / n, variance = squares / n - mean * mean;
    assert_true(fabs(mean) < 4 / sqrt(n));
    assert_true(fabs(variance - 1) < 4 * sqrt(2 / n));
    unload(&f, false);
}

static void with_every_row_its_own_group_cluster_errors_are_hc0_s(void **state)
{
    (void)state;
    struct fixture f;
    struct glm_report own;
    struct error err;
    load(&f, "shaped_N", false, false);
    char(*texts)[32] = calloc(f.report.n, sizeof *texts);
    const char **groups = calloc(f.report.n, sizeof *groups);
    for (size_t i = 0; i < f.report.n; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu", i);
        groups[i] = texts[i];
    }
    const struct glm_report_options want = {.groups = groups};
    assert_ok(glm_report_init(&own, &f.fit, &f.set.data, &(struct glm_options){.family = GLM_NB2}, &want, &err), &err);
    for (size_t j = 0; j < own.k; j++) {
        near("shaped_N", "se_cluster", j, own.coef[j].se_cluster, own.coef[j].se_hc0, 1e-12);
        assert_true(f.report.coef[j].se_cluster > 0 && f.report.coef[j].se_cluster != own.coef[j].se_cluster);
    }
    glm_report_fini(&own);
    free(groups);
    free(texts);
    unload(&f, false);
}

static void the_report_names_every_item_in_json_text_and_csv(void **state)
{
    (void)state;
    static const char *const keys[] = {"coef",
                                       "theta",
                                       "se_theta",
                                       "loglik",
                                       "deviance",
                                       "null_deviance",
                                       "aic",
                                       "bic",
                                       "converged",
                                       "status",
                                       "warnings",
                                       "mcfadden",
                                       "dispersion",
                                       "nb1_z",
                                       "nb2_t",
                                       "dean",
                                       "condition",
                                       "rootogram",
                                       "deviance_residual_quantiles",
                                       "lr_null_p",
                                       "theta_low"};
    struct fixture f;
    char *text;
    size_t size;
    load(&f, "quine_main", false, true);
    json_t *json = glm_report_json(&f.report, &f.fit);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (!json_object_get(json, keys[k])) fail_msg("no key %s", keys[k]);
    json_decref(json);
    FILE *out = open_memstream(&text, &size);
    glm_report_print(&f.report, &f.fit, out);
    glm_report_coef_csv(&f.report, &f.fit, out);
    glm_report_rows_csv(&f.report, &f.fit, &f.set.data, out);
    fclose(out);
    assert_non_null(strstr(text, "McFadden R2"));
    assert_non_null(
        strstr(text, "row,y,eta,mu,response,pearson,deviance,working,hat,cooks,rstandard,rstudent,dffits,quantile\n"));
    free(text);
    unload(&f, false);
}

/* Every number of two reports; what is random by row and the list of residuals itself are no part of them. */
static void same_json(const char *name, const char *where, const json_t *a, const json_t *b)
{
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_number(a) && json_is_number(b)) {
        const double x = json_number_value(a), y = json_number_value(b);
        if (!(fabs(x - y) <= 1e-9 * (1e-3 + fmax(fabs(x), fabs(y)))))
            fail_msg("%s: %s: %.15g, expanded %.15g", name, where, x, y);
    } else if (json_is_array(a)) {
        assert_int_equal(json_array_size(a), json_array_size(b));
        json_array_foreach((json_t *)(uintptr_t)a, i, item) same_json(name, where, item, json_array_get(b, i));
    } else if (json_is_object(a)) {
        assert_int_equal(json_object_size(a), json_object_size(b));
        json_object_foreach((json_t *)(uintptr_t)a, key, item) same_json(name, key, item, json_object_get(b, key));
    } else if (!json_equal(a, b)) {
        fail_msg("%s: %s differs", name, where);
    }
}

static const char weighted_text[] =
    "stalls,divergence,weight,group,intercept\n1,0.2,3,a,1\n2,0.9,1,a,1\n8,0.4,2,b,1\n3,0.7,4,b,1\n16,1.3,1,c,1\n"
    "4,0.1,2,c,1\n10,1.1,3,d,1\n1,0.6,1,d,1\n5,1.6,2,e,1\n23,1.2,1,e,1\n2,0.3,5,f,1\n7,0.8,1,f,1\n9,0.5,0,f,1\n";

/* The report of the table above, its rows repeated or weighted. */
static json_t *report_of(enum glm_family family, enum glm_weights weights, double factor, bool is_repeated)
{
    struct table_csv table;
    struct training_set set;
    struct glm_fit fit;
    struct glm_report report;
    struct error err;
    assert_ok(table_csv_parse(&table, "w.csv", weighted_text, sizeof weighted_text - 1, &err), &err);
    if (is_repeated) assert_ok(table_csv_repeat(&table, "weight", &err), &err);
    const struct training_choice choice = {.target = "stalls", .weights = weights, .is_repeated = is_repeated};
    assert_ok(training_set_init(&set, &table, &choice, &err), &err);
    for (size_t i = 0; factor > 0 && i < set.data.n; i++) ((double *)(uintptr_t)set.data.weight)[i] = factor;
    const struct glm_options options = {.family = family};
    assert_ok(glm_fit(&fit, &set.data, &options, &err), &err);
    const struct glm_report_options want = {.profile = true, .groups = set.groups, .seed = 1};
    assert_ok(glm_report_init(&report, &fit, &set.data, &options, &want, &err), &err);
    json_t *json = glm_report_json(&report, &fit);
    if (!is_repeated && !(factor > 0)) { /* of one observation each: leverages add up to the rank */
        double hats = 0;
        for (size_t i = 0; i < report.n; i++) hats += report.rows[i].copies * report.rows[i].hat;
        assert_true(fabs(hats - 2) < 1e-9);
    }
    glm_report_fini(&report);
    glm_fit_fini(&fit);
    training_set_fini(&set);
    table_csv_fini(&table);
    return json;
}

static void frequency_weights_give_every_figure_of_the_expanded_table(void **state)
{
    (void)state;
    for (int family = GLM_NB2; family <= GLM_OLS; family++) {
        json_t *weighted = report_of((enum glm_family)family, WEIGHTS_FREQUENCY, 0, false),
               *repeated = report_of((enum glm_family)family, WEIGHTS_FREQUENCY, 0, true);
        assert_int_equal(26, json_integer_value(json_object_get(weighted, "rows")));
        same_json(glm_family_name((enum glm_family)family), "report", weighted, repeated);
        json_decref(weighted);
        json_decref(repeated);
    }
}

/* Weights that are all 4: of least squares nothing changes; a count's likelihood is four times as high, its variance a
 * quarter, while rows, degrees of freedom and robust errors stay. */
static void precision_weights_count_rows_and_leave_robust_errors_alone(void **state)
{
    (void)state;
    for (int family = GLM_NB2; family <= GLM_OLS; family++) {
        json_t *four = report_of((enum glm_family)family, WEIGHTS_PRECISION, 4, false),
               *one = report_of((enum glm_family)family, WEIGHTS_PRECISION, 1, false);
        static const char *const same[] = {"rows", "df_residual", "theta"};
        for (size_t i = 0; i < 3; i++)
            same_json("precision", same[i], json_object_get(four, same[i]), json_object_get(one, same[i]));
        const json_t *a = json_array_get(json_object_get(four, "coef"), 0),
                     *b = json_array_get(json_object_get(one, "coef"), 0);
        static const char *const of_coef[] = {"value", "se_hc0", "se_cluster"};
        for (size_t i = 0; i < 3; i++)
            same_json("precision", of_coef[i], json_object_get(a, of_coef[i]), json_object_get(b, of_coef[i]));
        const double factor = family == GLM_OLS ? 1 : 4;
        assert_true(fabs(json_number_value(json_object_get(four, "loglik")) /
                             json_number_value(json_object_get(one, "loglik")) -
                         factor) < 1e-9);
        assert_true(fabs(json_number_value(json_object_get(b, "se_expected")) /
                             json_number_value(json_object_get(a, "se_expected")) -
                         sqrt(factor)) < 1e-6);
        json_decref(four);
        json_decref(one);
    }
}

static void a_separated_weight_has_no_finite_robust_error(void **state)
{
    (void)state;
    struct fixture f;
    load(&f, "edge_separation", false, false);
    size_t separated = 0;
    for (size_t j = 0; j < f.fit.k; j++) {
        separated += f.fit.coef[j].is_separated;
        assert_true(isinf(f.report.coef[j].se_hc0) == f.fit.coef[j].is_separated);
    }
    assert_true(separated > 0 && separated < f.fit.k);
    assert_non_null(strstr(f.fit.warnings[0], "no finite robust error"));
    json_t *json = glm_report_json(&f.report, &f.fit);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_non_null(strstr(text, "\"se_hc0\":\"inf\""));
    free(text);
    json_decref(json);
    unload(&f, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_leverage_and_influence_equal_r_s),
        cmocka_unit_test(intervals_inflation_and_the_rootogram_equal_r_s),
        cmocka_unit_test(tests_of_overdispersion_equal_the_40_digit_oracle),
        cmocka_unit_test(quantile_residuals_of_a_right_model_are_standard_normal),
        cmocka_unit_test(with_every_row_its_own_group_cluster_errors_are_hc0_s),
        cmocka_unit_test(the_report_names_every_item_in_json_text_and_csv),
        cmocka_unit_test(frequency_weights_give_every_figure_of_the_expanded_table),
        cmocka_unit_test(precision_weights_count_rows_and_leave_robust_errors_alone),
        cmocka_unit_test(a_separated_weight_has_no_finite_robust_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
