#include "rig.h"
#include "where.h"

#include <math.h>
#include "poise/features.h"
#include "poise/model.h"

/* o: 1000 accesses, 200 hits of which 50 intra; AML 400 / a: 500 accesses, 400 hits of which 300 intra; AML 250 */
static const struct feature_counters o = {.cycles = 10000,
                                          .insts = 3000,
                                          .loads = 500,
                                          .l1_accesses = 1000,
                                          .l1_hits = 200,
                                          .l1_intra_hits = 50,
                                          .miss_latency_sum = 240000,
                                          .miss_count = 600};
static const struct feature_counters a = {.cycles = 10000,
                                          .insts = 1500,
                                          .loads = 250,
                                          .l1_accesses = 500,
                                          .l1_hits = 400,
                                          .l1_intra_hits = 300,
                                          .miss_latency_sum = 20000,
                                          .miss_count = 80};

static double value(const char *name)
{
    const struct feature_row *row = feature_find(name);
    if (!row) fail_msg("no feature %s", name);
    return row->value(&o, &a);
}
static void assert_near(double x, double expected)
{
    if (!(fabs(x - expected) <= 1e-12 * (1 + fabs(expected)))) fail_msg("%.17g, expected %.17g", x, expected);
}

static void tab_5_3s_vector_is_computed_from_the_counters_by_hand(void **state)
{
    (void)state;
    assert_near(value("h_o"), 0.2);
    assert_near(value("h_prime"), 0.8);
    assert_near(value("eta_o"), 0.05);
    assert_near(value("eta_prime"), 0.6);
    assert_near(value("deta2"), 0.3025);
    assert_near(feature_In(&o), 5.0); /* 2500 compute instructions, 500 loads */
    assert_near(value("In_deta2"), 1.5125);
    assert_near(value("dLm2"), 0.729); /* (250 * 0.2 - 400 * 0.8)^2 / 1e5 = 270^2 / 1e5 */
    assert_near(value("intercept"), 1);
}

static void other_rows_follow_their_formulas(void **state)
{
    (void)state;
    assert_near(value("I_n"), 5);
    assert_near(value("m_o"), 0.8);
    assert_near(value("m_prime"), 0.2);
    assert_near(value("L_o"), 400);
    assert_near(value("L_prime"), 250);
    assert_near(value("inter_o"), 0.15);
    assert_near(value("inter_prime"), 0.2);
    assert_near(value("dLm"), -270);
    assert_near(value("Lm_o"), 320);
    assert_near(value("Lm_prime"), 50);
    assert_near(value("ipc_o"), 0.3);
    assert_near(value("dipc"), -0.15);
    assert_near(value("accesses_per_load"), 2);
}

static void every_row_is_complete_and_named_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_feature_rows; i++) {
        const struct feature_row *row = &feature_rows[i];
        assert_true(row->name && row->name[0] && row->formula && row->formula[0] && row->words && row->words[0] &&
                    row->source && row->source[0]);
        assert_non_null(row->value);
        assert_ptr_equal(row, feature_find(row->name));
        assert_true(row->hardware_bits % 32 == 0 && row->hardware_bits <= 256);
    }
    for (size_t i = 0; i < N_POISE_FEATURES; i++) assert_non_null(feature_find(poise_feature_names[i]));
    assert_null(feature_find("h"));
}

static void an_engines_counters_are_counted_once_and_its_state_besides(void **state)
{
    static const char *const rates[] = {"h_o", "h_prime", "m_o"}, *const none[] = {"intercept"};
    (void)state;
    struct engine_storage s = features_engine_storage(rates, 3);
    assert_true(s.counter_bits == 64 && s.state_bits == 6); /* hits and accesses */
    s = features_engine_storage(none, 1);
    assert_true(s.counter_bits == 0 && engine_storage_bytes(&s, 32) == 24);
    s = features_engine_storage(poise_feature_names, N_POISE_FEATURES);
    assert_true(s.counter_bits == 224 && engine_storage_bytes(&s, 32) == 920);
}

static void a_window_without_loads_gives_finite_tab_5_3_features_and_infinite_In(void **state)
{
    (void)state;
    const struct feature_counters none = {.cycles = 10000, .insts = 3000};
    assert_true(isinf(feature_In(&none)));
    for (size_t i = 0; i < N_POISE_FEATURES; i++) {
        const double x = feature_find(poise_feature_names[i])->value(&none, &none);
        assert_near(x, i == 7 ? 1 : 0);
    }
    const struct feature_counters nothing = {0};
    for (size_t i = 0; i < n_feature_rows; i++) assert_false(isnan(feature_rows[i].value(&nothing, &nothing)));
}

static void a_single_precision_vector_rounds_each_row_once_and_feeds_the_model(void **state)
{
    (void)state;
    const struct feature_row *rows[N_POISE_FEATURES];
    struct error err;
    float x[N_POISE_FEATURES];
    assert_ok(features_resolve(poise_feature_names, N_POISE_FEATURES, rows, "test", &err), &err);
    features_vector_f32(rows, N_POISE_FEATURES, &o, &a, x);
    for (size_t i = 0; i < N_POISE_FEATURES; i++) assert_true(x[i] == (float)rows[i]->value(&o, &a));
    struct model model;
    assert_ok(model_read(&model, POISE_SOURCE_DIR "/models/poise-thesis.json", &err), &err);
    double sum = 0;
    for (size_t i = 0; i < N_POISE_FEATURES; i++) sum += model.outputs[0].weights[i] * rows[i]->value(&o, &a);
    const double N = (double)model_predict_f32(&model.outputs[0], x);
    assert_true(fabs(N - exp(sum)) < 2e-6 * N);
}

static void an_unknown_feature_names_the_nearest(void **state)
{
    (void)state;
    const char *const names[] = {"h_o", "eta_prim"};
    const struct feature_row *rows[2];
    struct error err;
    assert_int_equal(-1, features_resolve(names, 2, rows, "m.json", &err));
    assert_string_equal("m.json: no feature 'eta_prim'; did you mean 'eta_prime'?", err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tab_5_3s_vector_is_computed_from_the_counters_by_hand),
        cmocka_unit_test(other_rows_follow_their_formulas),
        cmocka_unit_test(every_row_is_complete_and_named_once),
        cmocka_unit_test(an_engines_counters_are_counted_once_and_its_state_besides),
        cmocka_unit_test(a_window_without_loads_gives_finite_tab_5_3_features_and_infinite_In),
        cmocka_unit_test(a_single_precision_vector_rounds_each_row_once_and_feeds_the_model),
        cmocka_unit_test(an_unknown_feature_names_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
