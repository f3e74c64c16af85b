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

static void write_text(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void a_predictor_trained_with_an_offset_is_used_with_one_or_not_at_all(void **state)
{
    (void)state;
    static const char *const families[] = {"nb2", "poisson", "ols", "ridge", "svr", "knn", "mean"};
    const char *dir = fresh_dir();
    char arguments[600];
    write_text(dir, "with.csv",
               "misses,depth,intercept,offset\n227,1,1,11.9\n2914,6,1,13.6\n749,3,1,12.9\n2339,6,1,13.4\n569,4,1,12.4\n"
               "1127,3,1,13.3\n1449,4,1,13.5\n234,3,1,11.7\n1088,3,1,13.2\n960,2,1,13.3\n");
    write_text(dir, "without.csv", "misses,depth,intercept\n227,1,1\n2914,6,1\n");
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        snprintf(arguments, sizeof arguments, "train %s/with.csv --target misses --family %s --predictor %s/p.json",
                 dir, families[f], dir);
        assert_int_equal(0, poise(dir, arguments)->status);
        snprintf(arguments, sizeof arguments, "model predict %s/p.json --dataset %s/without.csv", dir, dir);
        const struct said *s = poise(dir, arguments);
        if (s->status != 2 || !strstr(s->err, "without.csv: no column 'offset', with which the predictor was trained"))
            fail_msg("%s: status %d: %s", families[f], s->status, s->err);
        snprintf(arguments, sizeof arguments, "model predict %s/p.json --dataset %s/with.csv --json", dir, dir);
        json_decref(json_of(poise(dir, arguments)));
    }
    snprintf(arguments, sizeof arguments, "train %s/with.csv --target misses -o %s/m.json", dir, dir);
    assert_int_equal(0, poise(dir, arguments)->status);
    snprintf(arguments, sizeof arguments, "model export %s/m.json", dir);
    assert_non_null(strstr(poise(dir, arguments)->out, "poise_misses_predict(const float x[2], float offset)"));
    write_text(dir, "raw.csv", "misses,depth,offset\n227,1,159298\n2914,6,871720\n749,3,423104\n");
    snprintf(arguments, sizeof arguments, "train %s/raw.csv --target misses --intercept", dir);
    const struct said *s = poise(dir, arguments);
    if (s->status != 2 || !strstr(s->err, "raw.csv:3: the offset is 871720") ||
        !strstr(s->err, "did you mean log(offset)?"))
        fail_msg("status %d: %s", s->status, s->err);
}

static const char cv_head[] = "schema: 1\nkind: cv\nname: w\ngroup: group\ntargets: [stalls]\nfeatures: [divergence]\n"
                              "validation: {kind: kfold, folds: 3, bootstrap: 100}\n"
                              "models: [{family: ols}, {family: nb2}, {family: knn, tune: true}, {family: mean}]\n"
                              "studies: [ablation, calibration]\n";

static void frequency_weights_give_the_cross_validation_and_the_tuning_of_the_expanded_table(void **state)
{
    (void)state;
    static const struct {
        int y, tenths, weight;
        char group;
    } rows[] = {{1, 2, 3, 'a'},   {2, 9, 1, 'a'}, {8, 4, 2, 'b'},  {3, 7, 4, 'b'},   {16, 13, 1, 'c'}, {4, 1, 2, 'c'},
                {10, 11, 3, 'd'}, {1, 6, 1, 'd'}, {5, 16, 2, 'e'}, {23, 12, 1, 'e'}, {2, 3, 5, 'f'},   {7, 8, 1, 'f'}};
    const char *dir = fresh_dir();
    char text[2][2000], spec[1000];
    json_t *reports[2], *fits[2];
    for (int k = 0; k < 2; k++) {
        size_t used = (size_t)sprintf(text[k], "stalls,divergence,%sgroup\n", k ? "" : "weight,");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int w = 0; w < (k ? rows[i].weight : 1); w++) {
                used += (size_t)sprintf(text[k] + used, "%d,%g,", rows[i].y, rows[i].tenths / 10.0);
                if (k == 0) used += (size_t)sprintf(text[k] + used, "%d,", rows[i].weight);
                used += (size_t)sprintf(text[k] + used, "%c\n", rows[i].group);
            }
    }
    for (int k = 0; k < 2; k++) {
        char name[16], arguments[600];
        snprintf(name, sizeof name, "w%d.csv", k);
        write_text(dir, name, text[k]);
        snprintf(spec, sizeof spec, "%sdataset: %s\n%s", cv_head, name, k ? "" : "weights: frequency\n");
        write_text(dir, "cv.yaml", spec);
        snprintf(arguments, sizeof arguments, "cv %s/cv.yaml --json", dir);
        reports[k] = json_of(poise(dir, arguments));
        json_object_del(reports[k], "dataset");
        snprintf(arguments, sizeof arguments, "train %s/%s --target stalls --family knn --tune --json%s", dir, name,
                 k ? "" : " --weights frequency");
        fits[k] = json_of(poise(dir, arguments));
    }
    assert_int_equal(26, json_integer_value(json_object_get(reports[0], "rows")));
    assert_true(json_equal(reports[0], reports[1]));
    assert_true(json_equal(fits[0], fits[1]));
    snprintf(spec, sizeof spec, "%sdataset: w0.csv\nweights: precision\n", cv_head);
    write_text(dir, "cv.yaml", spec);
    snprintf(spec, sizeof spec, "cv %s/cv.yaml --json", dir);
    json_t *precision = json_of(poise(dir, spec));
    assert_int_equal(12, json_integer_value(json_object_get(precision, "rows")));
    json_decref(precision);
    for (int k = 0; k < 2; k++) json_decref(reports[k]), json_decref(fits[k]);
}

static void what_is_left_out_of_a_table_is_said_on_stderr_and_in_the_report(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[600];
    write_text(dir, "d.csv",
               "y,program,latency,x\n1,a,\"2,5\",3\n2,a,\"3,5\",4\n4,,\"4,1\",5\n3,b,\"5,0\",6\n5,NA,\"6,2\",7\n"
               "6,b,\"7,1\",8\n7,c,\"8,1\",7\n5,c,\"9,1\",5\n");
    snprintf(arguments, sizeof arguments, "train %s/d.csv --target y --intercept --json", dir);
    const struct said *s = poise(dir, arguments);
    static const char *const says[] = {"d.csv: column 'latency' left out: '2,5' (line 2)", "a decimal comma?",
                                       "column 'program' left out: 'a' (line 2) is a word"};
    for (size_t i = 0; i < 3; i++)
        if (!strstr(s->err, says[i])) fail_msg("no '%s' in %s", says[i], s->err);
    json_t *json = json_of(s);
    char *warnings = json_dumps(json_object_get(json, "warnings"), JSON_COMPACT);
    assert_non_null(strstr(warnings, "'latency' left out"));
    assert_non_null(strstr(warnings, "'program' left out"));
    free(warnings);
    json_decref(json);
    write_text(dir, "cv.yaml",
               "schema: 1\nkind: cv\nname: g\ndataset: d.csv\ngroup: program\ntargets: [y]\n"
               "models: [{family: ols}, {family: mean}]\n");
    snprintf(arguments, sizeof arguments, "cv %s/cv.yaml --json", dir);
    s = poise(dir, arguments);
    if (!strstr(s->err, "2 rows left out (line 4, 6): 'program' is empty or NA there")) fail_msg("%s", s->err);
    json = json_of(s);
    assert_int_equal(3, json_integer_value(json_object_get(json, "groups")));
    assert_int_equal(6, json_integer_value(json_object_get(json, "rows")));
    assert_int_equal(2, json_array_size(json_object_get(json, "warnings")));
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
        {"train " DATA "quine_weighted.csv --target y --weights counts", "no weights 'counts'"},
        {"train " DATA "quine_main.csv --target y --weights precision", "no column 'weight'"},
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
        cmocka_unit_test(a_predictor_trained_with_an_offset_is_used_with_one_or_not_at_all),
        cmocka_unit_test(frequency_weights_give_the_cross_validation_and_the_tuning_of_the_expanded_table),
        cmocka_unit_test(what_is_left_out_of_a_table_is_said_on_stderr_and_in_the_report),
        cmocka_unit_test(mistakes_end_with_2_and_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
