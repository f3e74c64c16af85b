#include "rig.h"
#include "where.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/model.h"
#include "poise/quantise.h"
#include "poise/tuple_model.h"

/* THESIS Tab. 5.3, as printed: feature, formulation, alpha (for output N), beta (for output p). */
static const struct {
    const char *feature;
    double N, p;
} tab_5_3[] = {
    {"h_o", 0.517687, 3.786126},         {"h_prime", -0.000261, 0.483576},   {"eta_o", 7.209138, -6.386444},
    {"eta_prime", -5.977480, 10.320107}, {"deta2", -8.906397, -6.533500},    {"In_deta2", 1.976725, -0.900944},
    {"dLm2", 0.004668, 0.079856},        {"intercept", 1.667111, -2.189887},
};

static void the_published_model_holds_every_number_of_tab_5_3(void **state)
{
    (void)state;
    struct model model;
    struct error err;
    assert_ok(model_read(&model, POISE_SOURCE_DIR "/models/poise-thesis.json", &err), &err);
    assert_true(model.scale == 24);
    assert_int_equal(2, model.n_outputs);
    const struct model_output *N = model_find(&model, "N"), *p = model_find(&model, "p");
    assert_non_null(N);
    assert_non_null(p);
    assert_int_equal(8, N->n_features);
    assert_int_equal(8, p->n_features);
    for (size_t i = 0; i < 8; i++) {
        assert_string_equal(tab_5_3[i].feature, N->features[i]);
        assert_string_equal(tab_5_3[i].feature, p->features[i]);
        assert_true(tab_5_3[i].N == N->weights[i]);
        assert_true(tab_5_3[i].p == p->weights[i]);
    }
    assert_string_equal("published", N->status);
    assert_true(isinf(N->theta));
    /* in print, to a digit: the file's own text, not only its doubles */
    char *text;
    size_t size;
    assert_ok(file_read(&text, &size, POISE_SOURCE_DIR "/models/poise-thesis.json", &err), &err);
    assert_non_null(strstr(text, "0.517687, -0.000261, 7.209138, -5.977480, -8.906397, 1.976725, 0.004668, 1.667111"));
    assert_non_null(
        strstr(text, "3.786126, 0.483576, -6.386444, 10.320107, -6.533500, -0.900944, 0.079856, -2.189887"));
    free(text);
}

static void a_model_of_warp_tuples_is_bound_to_the_feature_table_and_predicts_as_its_weights_say(void **state)
{
    (void)state;
    struct model model, copy;
    struct tuple_model at_work;
    struct error err;
    assert_ok(model_read(&model, POISE_SOURCE_DIR "/models/poise-thesis.json", &err), &err);
    assert_ok(tuple_model_init(&at_work, &model, "thesis", &err), &err);
    const struct feature_counters o = {1000, 3000, 400, 1600, 400, 200, 120000, 1200},
                                  a = {1000, 900, 120, 480, 360, 300, 24000, 120};
    const struct tuple_prediction t = tuple_model_predict(&at_work, &o, &a, 24);
    for (int k = 0; k < 2; k++) {
        float x[MODEL_FEATURES_MAX];
        features_vector_f32(at_work.out[k].rows, N_POISE_FEATURES, &o, &a, x);
        assert_true(t.raw[k] == model_predict_f32(model_find(&model, k ? "p" : "N"), x));
    }
    assert_in_range(t.p, 1, t.N);
    assert_in_range(t.N, 1, 24);
    copy = model;
    memset(&model, 0, sizeof model); /* the copy alone is left */
    tuple_model_rebind(&at_work, &copy);
    const struct tuple_prediction again = tuple_model_predict(&at_work, &o, &a, 24);
    assert_memory_equal(&t, &again, sizeof t);
}

static void a_model_without_an_output_or_with_an_unknown_feature_is_no_model_of_warp_tuples(void **state)
{
    (void)state;
    struct model model;
    struct tuple_model at_work;
    struct error err;
    assert_ok(model_read(&model, POISE_SOURCE_DIR "/models/poise-thesis.json", &err), &err);
    strcpy(model.outputs[1].features[0], "h_oo");
    assert_int_equal(-1, tuple_model_init(&at_work, &model, "m.json", &err));
    assert_string_equal("m.json: no feature 'h_oo'; did you mean 'h_o'?", err.text);
    model.n_outputs = 1;
    assert_int_equal(-1, tuple_model_init(&at_work, &model, "m.json", &err));
    assert_string_equal("m.json: no output p: a model of warp tuples has outputs N and p", err.text);
}

static struct model sample(void)
{
    struct model model = {.name = "sample", .scale = 24, .model_version = 3, .n_outputs = 1};
    struct model_output *out = &model.outputs[0];
    *out = (struct model_output){
        .name = "N", .n_features = 2, .theta = 3.8615639664811851, .status = "ok", .family = "nb2"};
    strcpy(out->features[0], "h_o");
    strcpy(out->features[1], "intercept");
    out->weights[0] = 0.1;
    out->weights[1] = -1.0 / 3.0;
    return model;
}

static void written_and_read_back(struct model model)
{
    struct error err;
    struct model again;
    char path[] = "/tmp/poise-model-XXXXXX", *one, *two;
    size_t size_one, size_two;
    close(mkstemp(path));
    json_t *training = json_pack("{s:i}", "rows", 30);
    assert_ok(model_write(&model, training, NULL, path, &err), &err);
    assert_ok(file_read(&one, &size_one, path, &err), &err);
    assert_ok(model_read(&again, path, &err), &err);
    assert_memory_equal(&model, &again, sizeof model);
    assert_ok(model_write(&again, training, NULL, path, &err), &err);
    assert_ok(file_read(&two, &size_two, path, &err), &err);
    assert_int_equal(size_one, size_two);
    assert_memory_equal(one, two, size_one);
    assert_non_null(strstr(one, "\"weights\": [\n        0.10000000000000001,\n        -0.33333333333333331\n      ]"));
    assert_true(strstr(one, "\"schema\"") < strstr(one, "\"outputs\"") &&
                strstr(one, "\"scale\"") < strstr(one, "\"training\""));
    json_decref(training);
    free(one);
    free(two);
    unlink(path);
}

static void a_model_is_written_and_read_back_to_the_same_bits_and_bytes(void **state)
{
    (void)state;
    struct model model = sample();
    written_and_read_back(model);
    model.scale = 0; /* targets are not scaled */
    written_and_read_back(model);
}

static void a_model_that_was_trained_with_an_offset_says_so_and_is_none_for_the_engine(void **state)
{
    (void)state;
    struct model model, again;
    struct tuple_model at_work;
    struct error err;
    char *text;
    size_t size;
    assert_ok(model_read(&model, POISE_SOURCE_DIR "/models/poise-thesis.json", &err), &err);
    assert_false(model.outputs[0].has_offset);
    model.outputs[0].has_offset = true;
    assert_ok(model_write(&model, NULL, NULL, POISE_BINARY_DIR "/test_model_offset.json", &err), &err);
    assert_ok(model_read(&again, POISE_BINARY_DIR "/test_model_offset.json", &err), &err);
    remove(POISE_BINARY_DIR "/test_model_offset.json");
    assert_true(again.outputs[0].has_offset && !again.outputs[1].has_offset);
    assert_int_equal(-1, tuple_model_init(&at_work, &again, "m.json", &err));
    assert_non_null(strstr(err.text, "m.json: output N was trained with an offset"));
    FILE *out = open_memstream(&text, &size);
    assert_ok(model_write_header(&again, 8, out, &err), &err);
    fclose(out);
    assert_non_null(strstr(text, "poise_N_predict(const float x[8], float offset)\n{\n    float sum = offset;"));
    assert_non_null(strstr(text, "poise_N_predict_fixed(const float x[8], float offset)"));
    assert_non_null(strstr(text, "poise_p_predict(const float x[8])\n{\n    float sum = 0.0f;"));
    free(text);
}

static void a_model_with_a_nan_weight_is_not_written(void **state)
{
    (void)state;
    struct error err;
    struct model model = sample();
    model.outputs[0].weights[1] = NAN;
    assert_int_equal(-1, model_write(&model, NULL, NULL, "/tmp/poise-no-such-model.json", &err));
    assert_int_equal(-1, access("/tmp/poise-no-such-model.json", F_OK));
    model = sample();
    model.outputs[0].weights[0] = 1e39;
    assert_int_equal(-1, model_write(&model, NULL, NULL, "/tmp/poise-no-such-model.json", &err));
    assert_non_null(strstr(err.text, "outputs.N.weights[0]"));
}

#define HEAD \
    "{\"schema\":1,\"name\":\"m\",\"scale\":24,\"outputs\":{\"N\":{\"family\":\"nb2\",\"link\":\"log\",\"status\":" \
    "\"ok\","

static void a_wrong_file_is_refused_with_file_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "m.json:1:0: not a JSON file"},
        {"{\"schema\":1,\n\"name\":}", "m.json:2:8: not a JSON file"},
        {"[]", "m.json: the file: must hold one JSON object"},
        {"{\"schema\":2}", "m.json: schema: must be 1"},
        {"{\"schema\":1}", "m.json: name: must be a text"},
        {"{\"schema\":1,\"name\":\"m\",\"scale\":-1}", "m.json: scale: must be a number of warps"},
        {"{\"schema\":1,\"name\":\"m\",\"scale\":0.5}", "m.json: scale: must be a number of warps"},
        {"{\"schema\":1,\"name\":\"m\",\"scale\":\"0\"}", "m.json: scale: must be a number of warps"},
        {"{\"schema\":1,\"name\":\"m\",\"scale\":24,\"outputs\":{}}", "m.json: outputs: must be an object"},
        {"{\"schema\":1,\"name\":\"\\u001b[31mm\"}", "m.json: a text or a key in it has a control character"},
        {HEAD "\"features\":[\"a\\u009bm\"]}}}", "m.json: a text or a key in it has a control character"},
        {HEAD "\"features\":[],\"weights\":[],\"theta\":1}}}", "m.json: outputs.N.features: must be a list"},
        {HEAD "\"features\":[\"a\",\"a\"],\"weights\":[1,2],\"theta\":1}}}",
         "m.json: outputs.N.features[1]: 'a' is given twice"},
        {HEAD "\"features\":[\"a\"],\"weights\":[1,2],\"theta\":1}}}",
         "m.json: outputs.N.weights: must be a list of 1 numbers"},
        {HEAD "\"features\":[\"a\"],\"weights\":[\"1\"],\"theta\":1}}}",
         "m.json: outputs.N.weights[0]: the weight of 'a' must be a number"},
        {HEAD "\"features\":[\"a\"],\"weights\":[1e300],\"theta\":1}}}",
         "m.json: outputs.N.weights[0]: the weight of 'a' is not finite"},
        {HEAD "\"features\":[\"a\"],\"weights\":[1],\"theta\":\"big\"}}}",
         "m.json: outputs.N.theta: must be a number above 0"},
        {HEAD "\"features\":[\"a\"],\"weights\":[1],\"theta\":-1}}}",
         "m.json: outputs.N.theta: must be a number above 0"},
        {HEAD "\"features\":[\"a\"],\"weights\":[1e999],\"theta\":1}}}", "not a JSON file"},
        {HEAD "\"features\":[\"a\"],\"features\":[\"a\"]}}}", "not a JSON file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model model;
        struct error err = {0};
        assert_int_equal(-1, model_parse(&model, "m.json", cases[i].text, strlen(cases[i].text), &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        assert_int_equal(2, error_exit_status(&err));
        assert_string_equal("m.json", err.file);
        assert_int_equal(0, model.n_outputs);
    }
    struct error err;
    struct model model;
    assert_int_equal(-1, model_read(&model, "/nowhere/m.json", &err));
    assert_non_null(strstr(err.text, "/nowhere/m.json"));
    const char *good = HEAD "\"features\":[\"a\"],\"weights\":[1],\"theta\":\"inf\"}}}";
    assert_ok(model_parse(&model, "m.json", good, strlen(good), &err), &err);
    assert_null(model_find(&model, "p"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_model_holds_every_number_of_tab_5_3),
        cmocka_unit_test(a_model_of_warp_tuples_is_bound_to_the_feature_table_and_predicts_as_its_weights_say),
        cmocka_unit_test(a_model_without_an_output_or_with_an_unknown_feature_is_no_model_of_warp_tuples),
        cmocka_unit_test(a_model_is_written_and_read_back_to_the_same_bits_and_bytes),
        cmocka_unit_test(a_model_that_was_trained_with_an_offset_says_so_and_is_none_for_the_engine),
        cmocka_unit_test(a_model_with_a_nan_weight_is_not_written),
        cmocka_unit_test(a_wrong_file_is_refused_with_file_and_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
