/* Cross-validation, ablation, standardisation and support vector regression against
 * tests/reference/nb/shaped_*.cv_svr.json. */
#include "oracle.h"

#include <gsl/gsl_cdf.h>
#include <jansson.h>
#include <math.h>
#include "poise/table_csv.h"
#include "poise/validate.h"

static const char *const names[] = {"shaped_N", "shaped_p"};

static double number(const json_t *json, const char *key)
{
    const json_t *item = json_object_get(json, key);
    if (!json_is_number(item)) fail_msg("no number %s", key);
    return json_number_value(item);
}
static double item(const json_t *list, size_t i) { return json_number_value(json_array_get(list, i)); }
static void near(const char *name, const char *what, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance))
        fail_msg("%s: %s is %.12g, the reference says %.12g", name, what, ours, theirs);
}

/* Of all rows, as the oracle pools them. */
static double rmse_of(const struct glm_data *data, const double *predicted)
{
    double sum = 0;
    for (size_t i = 0; i < data->n; i++) sum += loss_of(LOSS_SQUARED, data->y[i], predicted[i]);
    return sqrt(sum / (double)data->n);
}

static void compare_folds(const struct oracle *o, const char *block, const struct folds *folds)
{
    const json_t *json = json_object_get(o->json, block), *list = json_object_get(json, "folds"),
                 *pred = json_object_get(json, "pred");
    const json_t *pooled = json_object_get(json, "metrics_pooled");
    struct cv_result r;
    struct error err;
    const struct cv_options options = {.family = family_find("nb2")};
    const struct glm_data *data = &o->set.data;
    assert_ok(cross_validate(&r, data, &o->groups, folds, &options, &err), &err);
    assert_int_equal(json_array_size(list), folds->n_folds);
    for (size_t i = 0; i < data->n; i++)
        near(o->name, "held-out prediction", r.predicted[i], item(pred, i), 2e-7 * (1 + item(pred, i)));
    for (size_t f = 0; f < folds->n_folds; f++) {
        const json_t *coef = json_object_get(json_array_get(list, f), "coef");
        /* groups by appearance */
        const size_t fold = folds->n_folds == 14 ? (size_t)strtoul(folds->names[f], NULL, 10) : f;
        coef = json_object_get(json_array_get(list, fold), "coef");
        for (size_t j = 0; j < data->k; j++)
            near(o->name, "fold's weight", predictor_weights(r.predictors[f])[j], item(coef, j),
                 1e-6 * (1 + fabs(item(coef, j))));
    }
    near(o->name, "rmse", rmse_of(data, r.predicted), number(pooled, "rmse"), 1e-6);
    near(o->name, "mae", metric_mae(data->y, r.predicted, NULL, data->n), number(pooled, "mae"), 1e-6);
    near(o->name, "mean relative error", metric_relative(data->y, r.predicted, NULL, data->n), number(pooled, "mape"),
         1e-6);
    cv_result_fini(&r);
}

static void leaving_one_of_14_groups_out_equals_the_oracle_in_weights_predictions_and_metrics(void **state)
{
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        struct oracle o;
        struct folds folds;
        struct error err;
        oracle_load(&o, names[d], ".cv_svr.json");
        assert_ok(folds_leave_one_group_out(&folds, &o.groups, &err), &err);
        compare_folds(&o, "logo", &folds);
        folds_fini(&folds);
        oracle_unload(&o);
    }
}

static void ten_folds_by_row_equal_the_oracle(void **state)
{
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        struct oracle o;
        struct folds folds;
        struct error err;
        oracle_load(&o, names[d], ".cv_svr.json");
        const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
        const char **texts = calloc(o.set.data.n, sizeof *texts);
        for (size_t i = 0; i < o.set.data.n; i++) texts[i] = digits[i % 10];
        struct groups by_row;
        assert_ok(groups_init(&by_row, texts, o.set.data.n, &err), &err);
        assert_ok(folds_leave_one_group_out(&folds, &by_row, &err), &err);
        groups_fini(&by_row);
        free(texts);
        compare_folds(&o, "kfold10_row_index_mod_10", &folds);
        folds_fini(&folds);
        oracle_unload(&o);
    }
}

static void dropping_each_feature_gives_the_oracle_s_likelihood_ratio(void **state)
{
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        struct oracle o;
        struct glm_fit full;
        struct error err;
        const struct glm_options options = {.family = GLM_NB2};
        oracle_load(&o, names[d], ".cv_svr.json");
        const json_t *list = json_object_get(o.json, "ablation_theta_reestimated");
        assert_ok(glm_fit(&full, &o.set.data, &options, &err), &err);
        for (size_t a = 0; a < json_array_size(list); a++) {
            const json_t *row = json_array_get(list, a);
            const char *dropped = json_string_value(json_object_get(row, "dropped"));
            struct glm_subset part;
            struct glm_fit fit;
            size_t columns[16], k = 0;
            for (size_t j = 0; j < o.set.data.k; j++)
                if (strcmp(o.set.data.names[j], dropped) != 0) columns[k++] = j;
            assert_int_equal(k, o.set.data.k - 1);
            assert_ok(glm_subset_init(&part, &o.set.data, NULL, 0, columns, k, &err), &err);
            assert_ok(glm_fit(&fit, &part.data, &options, &err), &err);
            const double lr = 2 * (full.loglik - fit.loglik);
            near(o.name, dropped, lr, number(row, "lr"), 1e-7);
            near(o.name, "p", gsl_cdf_chisq_Q(lr, 1), number(row, "lr_p_chi2_1"), 1e-8);
            near(o.name, "difference of AIC", fit.aic - full.aic, number(row, "delta_aic"), 1e-6);
            glm_fit_fini(&fit);
            glm_subset_fini(&part);
        }
        glm_fit_fini(&full);
        oracle_unload(&o);
    }
}

static struct predictor *fit_svr(const struct oracle *o, const json_t *row, struct cv_result *cv)
{
    struct family_settings settings;
    struct predictor *p;
    struct folds folds;
    struct glm_subset part;
    struct error err;
    char text[64];
    size_t columns[16], k = 0;
    const struct family *family = family_find("svr");
    static const char *const keys[][2] = {{"C", "C"}, {"gamma", "gamma"}, {"epsilon", "epsilon"}, {"tolerance", "tol"}};
    family_defaults(family, &settings);
    assert_ok(family_set(family, &settings, "kernel", json_string_value(json_object_get(row, "kernel")), &err), &err);
    assert_ok(family_set(family, &settings, "residual_folds", "0", &err), &err);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        snprintf(text, sizeof text, "%.17g", number(row, keys[i][1]));
        assert_ok(family_set(family, &settings, keys[i][0], text, &err), &err);
    }
    for (size_t j = 0; j < o->set.data.k; j++)
        if (strcmp(o->set.data.names[j], "intercept") != 0) columns[k++] = j;
    assert_ok(glm_subset_init(&part, &o->set.data, NULL, 0, columns, k, &err), &err);
    assert_ok(predictor_fit(&p, family, &part.data, &settings, &err), &err);
    assert_ok(folds_leave_one_group_out(&folds, &o->groups, &err), &err);
    assert_ok(cross_validate(cv, &part.data, &o->groups, &folds,
                             &(struct cv_options){.family = family, .settings = settings}, &err),
              &err);
    folds_fini(&folds);
    glm_subset_fini(&part);
    return p;
}

static void support_vector_machines_equal_libsvm_s_oracle_to_1e_6_at_tolerance_1e_8(void **state)
{
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        struct oracle o;
        size_t compared = 0;
        oracle_load(&o, names[d], ".cv_svr.json");
        const json_t *list = json_object_get(o.json, "svr");
        for (size_t s = 0; s < json_array_size(list); s++) {
            const json_t *row = json_array_get(list, s), *pred = json_object_get(row, "pred"),
                         *logo = json_object_get(row, "logo_pred");
            struct cv_result cv;
            const double C = number(row, "C");
            struct predictor *p = fit_svr(&o, row, &cv);
            json_t *json = predictor_json(p), *machine = json_object_get(json, "state");
            const double loose = pred ? 1e-5 : 1e-2 * fmax(1, C / 10);
            near(o.name, "rho", number(machine, "rho"), number(row, "rho"), loose);
            near(o.name, "support vectors", (double)json_array_size(json_object_get(machine, "coef")),
                 number(row, "n_sv"), pred ? 0 : 2);
            for (size_t i = 0; pred && i < o.set.data.n; i++) {
                double x[16];
                for (size_t j = 1; j < o.set.data.k; j++) x[j - 1] = o.set.data.x[j * o.set.data.n + i];
                near(o.name, "prediction", predictor_predict(p, x, 0), item(pred, i), 1e-6);
                near(o.name, "held-out prediction", cv.predicted[i], item(logo, i), 2e-6);
            }
            near(o.name, "held-out rmse", rmse_of(&o.set.data, cv.predicted),
                 number(json_object_get(row, "logo_metrics_pooled"), "rmse"), pred ? 1e-6 : 1e-2);
            compared += pred != NULL;
            json_decref(json);
            predictor_free(p);
            cv_result_fini(&cv);
        }
        assert_int_equal(5, compared);
        oracle_unload(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_one_of_14_groups_out_equals_the_oracle_in_weights_predictions_and_metrics),
        cmocka_unit_test(ten_folds_by_row_equal_the_oracle),
        cmocka_unit_test(dropping_each_feature_gives_the_oracle_s_likelihood_ratio),
        cmocka_unit_test(support_vector_machines_equal_libsvm_s_oracle_to_1e_6_at_tolerance_1e_8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
