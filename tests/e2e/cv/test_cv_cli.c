/* poise train, cv and model as a user calls them. */
#include "spawn.h"

#include <jansson.h>
#include <math.h>

#define DATA POISE_SOURCE_DIR "/tests/reference/nb/"
#define FEATURES POISE_SOURCE_DIR "/datasets/features/quickstart/dataset.csv"
#define THESIS POISE_SOURCE_DIR "/models/poise-thesis.json"

static json_t *json_of(const struct said *s)
{
    json_error_t why;
    if (s->status != 0) fail_msg("status %d: %s", s->status, s->err);
    json_t *json = json_loads(s->out, 0, &why);
    if (!json) fail_msg("%s in %.200s", why.text, s->out);
    return json;
}

static void train_fits_every_family_and_writes_a_file_that_can_be_read(void **state)
{
    (void)state;
    static const char *const families[] = {"nb2", "poisson", "ols", "ridge", "svr", "nusvr", "knn", "mean"};
    const char *dir = fresh_dir();
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, "train " DATA "shaped_N.csv --target y --family %s -o %s/%s.json --json",
                 families[f], dir, families[f]);
        json_t *json = json_of(poise(dir, arguments));
        static const char *const keys[] = {"schema",        "coef", "theta", "se_theta",  "loglik", "deviance",
                                           "null_deviance", "aic",  "bic",   "converged", "status", "warnings"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!json_object_get(json, keys[k])) fail_msg("%s: no %s", families[f], keys[k]);
        assert_true(json_is_true(json_object_get(json, "converged")));
        json_decref(json);
        snprintf(arguments, sizeof arguments, "model show %s/%s.json", dir, families[f]);
        const struct said *s = poise(dir, arguments);
        assert_int_equal(f < 4 ? 0 : 2, s->status); /* the engine's file, or a predictor that it cannot run */
    }
}

static void a_table_survives_libsvm_s_format_and_gives_the_same_fit(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "train " DATA "quine_main.csv --target y --write-libsvm %s/q.libsvm --rows %s/rows.csv --json", dir, dir);
    json_t *one = json_of(poise(dir, arguments));
    snprintf(arguments, sizeof arguments, "train %s/q.libsvm --target y --json", dir);
    json_t *two = json_of(poise(dir, arguments));
    assert_true(json_number_value(json_object_get(one, "loglik")) == json_number_value(json_object_get(two, "loglik")));
    json_decref(one);
    json_decref(two);
    snprintf(arguments, sizeof arguments, "%s/rows.csv", dir);
    FILE *rows = fopen(arguments, "r");
    int lines = 0, c;
    assert_non_null(rows);
    while ((c = fgetc(rows)) != EOF) lines += c == '\n';
    fclose(rows);
    assert_int_equal(147, lines);
}

static void cv_prints_the_contract_s_json_and_writes_the_files_that_reports_draw(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[512];
    static const char *const files[] = {"cv.json",       "models.csv",     "paired.csv",         "predictions.csv",
                                        "ablation.csv",  "importance.csv", "learning_curve.csv", "noise.csv",
                                        "stability.csv", "selection.csv",  "lasso.csv",          "calibration.csv"};
    snprintf(arguments, sizeof arguments, "cv " POISE_SOURCE_DIR "/experiments/specs/ci-cv.yaml --json --out %s/cv",
             dir);
    json_t *json = json_of(poise(dir, arguments));
    static const char *const keys[] = {"schema", "version", "model_version", "folds", "models", "paired"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!json_object_get(json, keys[k])) fail_msg("no %s", keys[k]);
    json_decref(json);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        snprintf(arguments, sizeof arguments, "%s/cv/%s", dir, files[f]);
        if (access(arguments, R_OK) != 0) fail_msg("no file %s", files[f]);
    }
    static char rows[1 << 20];
    snprintf(arguments, sizeof arguments, "%s/cv/predictions.csv", dir);
    slurp(arguments, rows, sizeof rows);
    assert_non_null(strstr(rows, ",10,1,")); /* whole numbers stay whole: row 10, repeat 1 */
}

static void model_commands_show_check_compare_export_and_quantise(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    assert_int_equal(0, poise(dir, "model check " THESIS)->status);
    assert_non_null(strstr(poise(dir, "model show " THESIS)->out, "(eta' - eta_o)^2"));
    assert_int_equal(0, poise(dir, "model diff " THESIS " " THESIS)->status);
    assert_non_null(
        strstr(poise(dir, "model export " THESIS " --bits 12")->out, "static const int32_t poise_N_fixed[8]"));
    json_t *json = json_of(poise(dir, "model quantise " THESIS " --dataset " FEATURES " --json"));
    assert_int_equal(2 * 29, json_array_size(json_object_get(json, "curve")));
    json_decref(json);
    char path[128], arguments[512];
    snprintf(path, sizeof path, "%s/bad.json", dir);
    FILE *out = fopen(path, "w");
    fputs("{\"schema\":1,\"name\":\"x\",\"scale\":24,\"outputs\":{\"N\":{\"family\":\"nb2\",\"link\":\"log\","
          "\"features\":[\"h_p\"],\"weights\":[1.5],"
          "\"theta\":\"inf\",\"status\":\"ok\"}}}",
          out);
    fclose(out);
    snprintf(arguments, sizeof arguments, "model check %s", path);
    const struct said *s = poise(dir, arguments);
    assert_int_equal(2, s->status);
    if (!strstr(s->err, "no feature 'h_p'")) fail_msg("%s", s->err);
    snprintf(arguments, sizeof arguments, "model diff %s " THESIS, path);
    assert_int_equal(1, poise(dir, arguments)->status);
    for (int is_unscaled = 0; is_unscaled < 2; is_unscaled++) {
        snprintf(arguments, sizeof arguments, "train " DATA "quine_main.csv --target y %s -o %s",
                 is_unscaled ? "--unscaled" : "", path);
        assert_int_equal(0, poise(dir, arguments)->status);
        snprintf(arguments, sizeof arguments, "model show %s", path);
        assert_non_null(
            strstr(poise(dir, arguments)->out, is_unscaled ? "targets not scaled" : "targets scaled to 24 warps"));
    }
}

static void predictions_come_with_intervals_that_hold_them(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[512];
    snprintf(arguments, sizeof arguments, "train " DATA "shaped_N.csv --target y --predictor %s/p.json", dir);
    assert_int_equal(0, poise(dir, arguments)->status);
    snprintf(arguments, sizeof arguments, "model predict %s/p.json --dataset " DATA "shaped_N.csv --json", dir);
    json_t *json = json_of(poise(dir, arguments)), *rows = json_object_get(json, "rows");
    assert_int_equal(277, json_array_size(rows));
    for (size_t i = 0; i < 277; i++) {
        const json_t *row = json_array_get(rows, i);
        const double low = json_number_value(json_object_get(row, "low")),
                     high = json_number_value(json_object_get(row, "high"));
        const double predicted = json_number_value(json_object_get(row, "predicted"));
        assert_true(low <= predicted && predicted <= high && low == floor(low) && high == floor(high));
    }
    json_decref(json);
}

static void mistakes_end_with_2_and_say_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"train " DATA "quine_main.csv --target y --family nb3", "no family 'nb3'"},
        {"train " DATA "quine_main.csv --target y --family svr --set K=3", "K"},
        {"train " DATA "quine_main.csv --target y --family svr --rows x.csv", "need a likelihood"},
        {"train " DATA "edge_allzero.csv --target y", "every target is 0"},
        {"cv", "poise cv needs one spec"},
        {"cv /nonexistent.yaml", "/nonexistent.yaml"},
        {"cv " POISE_SOURCE_DIR "/experiments/specs/ci-sweep.yaml", "ci-sweep.yaml"},
        {"model", "show, check, export or quantise"},
        {"model export " THESIS " --bits 40", "40 bits"},
        {"model quantise " THESIS, "--dataset"},
    };
    const char *dir = fresh_dir();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct said *s = poise(dir, cases[i].arguments);
        if (s->status != 2 || !strstr(s->err, cases[i].message))
            fail_msg("poise %s: status %d, %s", cases[i].arguments, s->status, s->err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_fits_every_family_and_writes_a_file_that_can_be_read),
        cmocka_unit_test(a_table_survives_libsvm_s_format_and_gives_the_same_fit),
        cmocka_unit_test(cv_prints_the_contract_s_json_and_writes_the_files_that_reports_draw),
        cmocka_unit_test(model_commands_show_check_compare_export_and_quantise),
        cmocka_unit_test(predictions_come_with_intervals_that_hold_them),
        cmocka_unit_test(mistakes_end_with_2_and_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
