#include "rig.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/model.h"

#define EXP_HASH 0x8cd54eed91060c31u

/* Results are never negative, so their bits are ordered as they are. */
static int64_t bits_of(float f)
{
    int32_t i;
    memcpy(&i, &f, sizeof i);
    return i;
}
static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void exp_is_within_1_ulp_of_the_rounded_value_and_never_decreases(void **state)
{
    (void)state;
    float before = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    /* every 97th float from -105 to -0, then from 0 to 90: 23 million; all 2.2 billion were run once with the same
     * outcome */
    for (int side = 0; side < 2; side++) {
        const uint32_t limit = (uint32_t)bits_of(side ? 90.0f : 105.0f);
        for (uint32_t k = 0; k <= limit; k += 97) {
            const float x = side ? float_of(k) : -float_of(limit - k), y = model_exp_f32(x);
            const int64_t off = bits_of(y) - bits_of((float)exp((double)x));
            if (off > 1 || off < -1) fail_msg("exp(%a) = %a is %ld ulp off", (double)x, (double)y, (long)off);
            if (y < before) fail_msg("exp decreases at %a", (double)x);
            before = y;
            hash = (hash ^ (uint32_t)bits_of(y)) * 0x100000001b3u;
        }
    }
    assert_int_equal(EXP_HASH, hash); /* the same bits from every compiler and with every sanitizer */
}

static void exp_handles_the_ends_of_the_range(void **state)
{
    (void)state;
    assert_true(isnan(model_exp_f32(NAN)));
    assert_true(isinf(model_exp_f32(INFINITY)));
    assert_true(isinf(model_exp_f32(88.7229f)));
    assert_true(isfinite(model_exp_f32(88.7228f)));
    assert_true(model_exp_f32(-INFINITY) == 0.0f);
    assert_true(model_exp_f32(-104.1f) == 0.0f);
    assert_true(model_exp_f32(-103.9f) > 0.0f);
    assert_true(model_exp_f32(0.0f) == 1.0f);
    assert_true(model_exp_f32(-0.0f) == 1.0f);
    assert_true(model_exp_f32(1.0f) == 0x1.5bf0a8p+1f);
}

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

static void prediction_rounds_each_product_and_each_sum_in_single_precision(void **state)
{
    (void)state;
    struct model_output out = {.n_features = 3, .weights = {0.1, 1e8, -1e8}};
    const float x[3] = {1.0f, 1.0f, 1.0f};
    assert_true(model_predict_f32(&out, x) == 1.0f); /* 0.1 drowns in 1e8, as in a single-precision register */
    out = (struct model_output){.n_features = 2, .weights = {0.5, 0.25}};
    const float y[2] = {2.0f, 4.0f};
    assert_true(model_predict_f32(&out, y) == model_exp_f32(2.0f));
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
        {HEAD "\"features\":[],\"weights\":[],\"theta\":1}}}", "m.json: outputs.N.features: must be a list"},
        {HEAD "\"features\":[\"a\",\"a\"],\"weights\":[1,2],\"theta\":1}}}",
         "m.json: outputs.N.features[1]: 'a' stands here twice"},
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
        cmocka_unit_test(exp_is_within_1_ulp_of_the_rounded_value_and_never_decreases),
        cmocka_unit_test(exp_handles_the_ends_of_the_range),
        cmocka_unit_test(the_published_model_holds_every_number_of_tab_5_3),
        cmocka_unit_test(prediction_rounds_each_product_and_each_sum_in_single_precision),
        cmocka_unit_test(a_model_is_written_and_read_back_to_the_same_bits_and_bytes),
        cmocka_unit_test(a_model_with_a_nan_weight_is_not_written),
        cmocka_unit_test(a_wrong_file_is_refused_with_file_and_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
