/* The inference engine: the loop from weights to decisions. */
#include "synth.h"

#include <jansson.h>
#include <unistd.h>
#include "poise/features.h"
#include "poise/file.h"
#include "poise/model.h"

/* A model whose N and p depend on the intercept alone, written to a temporary file. */
static void scaled_model(char *path, double scale, double N, double p)
{
    struct error err;
    struct model m = {.name = "constant", .scale = scale, .n_outputs = 2};
    const double y[2] = {N, p};
    for (int k = 0; k < 2; k++) {
        struct model_output *o = &m.outputs[k];
        strcpy(o->name, k ? "p" : "N");
        strcpy(o->features[0], "intercept");
        strcpy(o->status, "ok");
        strcpy(o->family, "nb2");
        o->weights[0] = __builtin_log(y[k]);
        o->n_features = 1;
        o->theta = 10;
    }
    strcpy(path, "/tmp/poise-model-XXXXXX");
    close(mkstemp(path));
    assert_ok(model_write(&m, NULL, NULL, path, &err), &err);
}

static void constant_model(char *path, double N, double p) { scaled_model(path, 24, N, p); }

static char *run_model(const struct trace *t, double scale, double N, double p, const char *more)
{
    char path[64], mech[512];
    scaled_model(path, scale, N, p);
    snprintf(mech, sizeof mech, "poise,model=%s,T_period=40000,T_warmup=400,T_feature=2000,T_correct=800%s", path,
             more);
    char *text = synth_run_json(t, &(struct synth_run){.mech = mech});
    unlink(path);
    return text;
}
static char *run_with(const struct trace *t, double N, double p, const char *more)
{
    return run_model(t, 24, N, p, more);
}

static double mech_stat(const char *text, const char *name)
{
    json_error_t why;
    json_t *json = json_loads(text, 0, &why);
    const double v = json_number_value(json_object_get(json_object_get(json_object_get(json, "mech"), "stats"), name));
    json_decref(json);
    return v;
}

static void the_prediction_is_scaled_back_and_clamped(void **state)
{
    (void)state;
    struct trace *t = synth_rows(192, 8, 12, 1); /* W = 24 */
    static const struct {
        double N, p, to_N, to_p;
    } cases[] = {{6, 2, 6, 2}, {7.4, 3.6, 7, 4}, {100, 50, 24, 24}, {3, 9, 3, 3}, {0.01, 0.01, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *a = run_with(t, cases[i].N, cases[i].p, ",epsilon_N=0,epsilon_p=0");
        assert_true(mech_stat(a, "mean_predicted_N") == cases[i].to_N);
        assert_true(mech_stat(a, "mean_predicted_p") == cases[i].to_p);
        assert_true(mech_stat(a, "moves") == 0 && mech_stat(a, "tries") == 0);
        assert_true(mech_stat(a, "mean_corrected_N") == cases[i].to_N);
        free(a);
    }
    trace_close(t);
    t = synth_rows(96, 8, 20, 1); /* W = 12: half of 24 */
    char *a = run_with(t, 10, 4, ",epsilon_N=0,epsilon_p=0");
    assert_true(mech_stat(a, "mean_predicted_N") == 5);
    assert_true(mech_stat(a, "mean_predicted_p") == 2);
    free(a);
    /* of a model whose targets are not scaled */
    static const struct {
        double N, to_N;
    } plain[] = {{10, 10}, {4.4, 4}, {20, 12}};
    for (size_t i = 0; i < COUNT_OF(plain); i++) {
        a = run_model(t, 0, plain[i].N, 4, ",epsilon_N=0,epsilon_p=0");
        assert_true(mech_stat(a, "mean_predicted_N") == plain[i].to_N);
        assert_true(mech_stat(a, "mean_predicted_p") == 4);
        free(a);
    }
    trace_close(t);
}

static void other_weights_give_other_decisions_and_cycles(void **state)
{
    (void)state;
    struct trace *t = synth_rows(192, 8, 32, 1);
    char *a = run_with(t, 2, 2, ""), *b = run_with(t, 20, 20, "");
    assert_true(mech_stat(a, "mean_predicted_N") != mech_stat(b, "mean_predicted_N"));
    assert_true(synth_value(a, "core_cycles") != synth_value(b, "core_cycles"));
    free(a);
    free(b);
    trace_close(t);
}

static void the_search_leaves_a_bad_prediction_towards_more_performance(void **state)
{
    (void)state;
    struct trace *t = synth_rows(192, 8, 32, 1);
    char *fixed = run_with(t, 5, 5, ",epsilon_N=0,epsilon_p=0"), *searched = run_with(t, 5, 5, "");
    assert_true(mech_stat(searched, "tries") > 0);
    assert_true(mech_stat(searched, "moves") > 0);
    print_message("mean after correction from (5,5): (%.2f, %.2f); cycles %.0f uncorrected, %.0f corrected\n",
                  mech_stat(searched, "mean_corrected_N"), mech_stat(searched, "mean_corrected_p"),
                  synth_value(fixed, "core_cycles"), synth_value(searched, "core_cycles"));
    assert_true(mech_stat(searched, "mean_corrected_N") <= 24 && mech_stat(searched, "mean_corrected_p") >= 1);
    assert_true(mech_stat(searched, "mean_corrected_p") <= mech_stat(searched, "mean_corrected_N"));
    free(fixed);
    free(searched);
    trace_close(t);
}

static void compute_bound_launches_end_early_and_stay_at_all_warps(void **state)
{
    (void)state;
    struct synth s;
    synth_begin(&s, 192, 8);
    for (uint32_t c = 0; c < 192; c++) {
        synth_cta(&s);
        for (uint32_t w = 0; w < 8; w++)
            for (uint32_t k = 0; k < 12; k++) {
                synth_access(&s, w, SYNTH_LOAD_2, ~0u, 4096ull * k, 4);
                for (uint32_t i = 0; i < 120; i++) synth_op(&s, w, SYNTH_ADD, ~0u);
            }
        synth_cta_end(&s);
    }
    struct trace *t = synth_end(&s);
    char *a = run_with(t, 2, 1, ",T_feature=10000"); /* long enough that a wave of loads does not fill a window */
    assert_true(mech_stat(a, "early_outs") > 0);
    assert_true(mech_stat(a, "predictions") == 0);
    assert_true(mech_stat(a, "mean_N") == 24);
    free(a);
    trace_close(t);
}

/* What one SM counted until cycle `end` with all warps. */
static struct feature_counters counters_until(const struct plan *plan, const struct gpu_params *params, uint64_t end)
{
    struct error err;
    struct gpu_result result;
    struct feature_counters counters;
    const struct gpu_limits limits = {.max_cycles = end};
    assert_ok(gpu_run(&result, plan, params, NULL, 0, &limits, &err), &err);
    gpu_stats_features(result.stats, &counters);
    gpu_result_free(&result);
    return counters;
}

/* The engine's window, taken from outside: the same features give the same prediction as offline. */
static void the_engine_predicts_what_is_predicted_offline_from_its_window(void **state)
{
    (void)state;
    enum { WARM = 2000, FEATURE = 10000 };
    static const char *const names[] = {"h_o", "eta_o", "intercept"};
    struct error err;
    struct plan *plan;
    const struct feature_row *rows[3];
    float x[3];
    struct gpu_params *params = gpu_params_new();
    struct trace *t = synth_rows(6, 8, 8, 60); /* one SM, 24 warps a scheduler */
    assert_ok(gpu_params_set(params, "core.sms", "1", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_int_equal(24, plan_warps_per_scheduler(plan));
    struct feature_counters window = counters_until(plan, params, WARM + FEATURE);
    const struct feature_counters before = counters_until(plan, params, WARM);
#define C(field, doc) window.field -= before.field;
    FEATURE_COUNTERS(C)
#undef C
    print_message("window: %lu accesses, %lu hits, %lu intra\n", (unsigned long)window.l1_accesses,
                  (unsigned long)window.l1_hits, (unsigned long)window.l1_intra_hits);
    assert_true(window.l1_hits > 0 && window.l1_intra_hits > 0);
    assert_ok(features_resolve(names, 3, rows, "test", &err), &err);
    features_vector_f32(rows, 3, &window, &window, x);
    for (int i = 0; i < 6; i++) {
        struct model m = {.name = "linear", .scale = 24, .n_outputs = 2};
        for (int k = 0; k < 2; k++) {
            struct model_output *o = &m.outputs[k];
            *o = (struct model_output){.n_features = 3, .theta = 10, .weights = {3.0 + i, -1.5 * i, 0.4 * i - k}};
            for (int f = 0; f < 3; f++) strcpy(o->features[f], names[f]);
            strcpy(o->name, k ? "p" : "N");
            strcpy(o->status, "ok");
            strcpy(o->family, "nb2");
        }
        char path[] = "/tmp/poise-model-XXXXXX", mech[512];
        close(mkstemp(path));
        assert_ok(model_write(&m, NULL, NULL, path, &err), &err);
        snprintf(mech, sizeof mech, "poise,model=%s,T_warmup=%d,T_feature=%d,I_max=1e9,epsilon_N=0,epsilon_p=0", path,
                 WARM, FEATURE);
        static const char *const one_sm[] = {"core.sms=1", NULL};
        char *a = synth_run_json(
            t, &(struct synth_run){.mech = mech, .set = one_sm, .max_cycles = 2 * (WARM + FEATURE) + 100});
        unlink(path);
        uint32_t N, p;
        warps_unscale(model_predict_f32(&m.outputs[0], x), model_predict_f32(&m.outputs[1], x), 24, 24, &N, &p);
        assert_true(mech_stat(a, "predictions") == 1);
        assert_true(mech_stat(a, "mean_predicted_N") == N);
        assert_true(mech_stat(a, "mean_predicted_p") == p);
        print_message("predicted %u, %u\n", N, p);
        free(a);
    }
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
}

static void a_model_with_an_unknown_feature_is_refused_by_name(void **state)
{
    (void)state;
    struct error err;
    char path[64], text[256];
    struct mech_spec spec;
    struct plan *plan;
    struct gpu_result result;
    constant_model(path, 4, 4);
    char *data;
    size_t size;
    assert_ok(file_read(&data, &size, path, &err), &err);
    char *at = strstr(data, "intercept");
    memcpy(at, "interzept", 9);
    assert_ok(file_write(path, data, size, &err), &err);
    free(data);
    snprintf(text, sizeof text, "poise,model=%s", path);
    assert_ok(mech_parse(&spec, text, &err), &err);
    struct trace *t = synth_mixture(4, 4, 4, 1);
    struct gpu_params *params = gpu_params_new();
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_int_equal(-1, gpu_run(&result, plan, params, &spec, 1, NULL, &err));
    assert_non_null(strstr(err.text, "interzept"));
    plan_free(plan);
    gpu_params_free(params);
    mech_free(&spec);
    trace_close(t);
    unlink(path);
}

static void a_run_key_follows_the_models_content_not_its_path(void **state)
{
    (void)state;
    struct error err;
    char a[64], b[64], c[64], text[256];
    struct hash key[3], trace = {{1}};
    struct gpu_params *params = gpu_params_new();
    constant_model(a, 4, 4);
    constant_model(b, 4, 4);
    constant_model(c, 5, 4);
    const char *paths[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        struct mech_spec spec;
        snprintf(text, sizeof text, "poise,model=%s", paths[i]);
        assert_ok(mech_parse(&spec, text, &err), &err);
        assert_ok(gpu_run_key(&key[i], &trace, params, &spec, 1, NULL, &err), &err);
        mech_free(&spec);
        unlink(paths[i]);
    }
    assert_memory_equal(&key[0], &key[1], sizeof key[0]);
    assert_memory_not_equal(&key[0], &key[2], sizeof key[0]);
    gpu_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prediction_is_scaled_back_and_clamped),
        cmocka_unit_test(other_weights_give_other_decisions_and_cycles),
        cmocka_unit_test(the_search_leaves_a_bad_prediction_towards_more_performance),
        cmocka_unit_test(compute_bound_launches_end_early_and_stay_at_all_warps),
        cmocka_unit_test(the_engine_predicts_what_is_predicted_offline_from_its_window),
        cmocka_unit_test(a_model_with_an_unknown_feature_is_refused_by_name),
        cmocka_unit_test(a_run_key_follows_the_models_content_not_its_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
