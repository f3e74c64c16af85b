#include "rig.h"

#include <math.h>
#include <unistd.h>
#include "poise/dataset.h"
#include "poise/file.h"
#include "poise/table_csv.h"

static const char *const two[] = {"h_o", "deta2"};

static struct dataset_row row_of(double h_o, double deta2)
{
    return (struct dataset_row){.benchmark = "pvr",
                                .kernel = "emit",
                                .trace = "00ff",
                                .launch = 2,
                                .W = 24,
                                .N = 6,
                                .p = 3,
                                .cycles = 20000,
                                .speedup = 1.2,
                                .score = 1.1,
                                .x = {h_o, deta2}};
}

static void the_default_thresholds_are_tab_5_5s(void **state)
{
    (void)state;
    struct dataset_params p;
    params_defaults(&dataset_param_table, &p);
    assert_true(p.w0 == 1 && p.w1 == 0.5 && p.w2 == 0.25 && p.scale == 24);
    assert_true(p.threshold_speedup == 0.015 && p.threshold_cycles == 10000 && p.threshold_hit_rate == 0);
}

static void each_threshold_drops_at_its_own_value_and_counts_its_reason(void **state)
{
    (void)state;
    struct dataset d;
    struct dataset_params p;
    struct error err;
    enum dataset_drop drop;
    params_defaults(&dataset_param_table, &p);
    p.threshold_distance = 0.01;
    assert_ok(dataset_init(&d, two, 2, &err), &err);
    struct dataset_row row = row_of(0.2, 0.1);
#define OFFER(expected, hit_rate) \
    do { \
        assert_ok(dataset_offer(&d, &row, hit_rate, &p, &drop, &err), &err); \
        assert_string_equal(expected, dataset_drop_name(drop)); \
    } while (0)
    row.speedup = 1.0149;
    OFFER("no_speedup", 0.5);
    row.speedup = 1.015;
    OFFER("used", 0.5);
    row = row_of(0.3, 0.1);
    row.cycles = 9999;
    OFFER("short", 0.5);
    row.cycles = 10000;
    OFFER("used", 1e-9);
    row = row_of(0.4, 0.1);
    OFFER("no_hits", 0.0);
    row.x[1] = INFINITY;
    OFFER("not_finite", 0.5);
    row = row_of(0.4, 0.1);
    row.N = row.p = 0;
    row.speedup = NAN;
    OFFER("no_target", 0.5);
    row = row_of(0.4, 0.1);
    row.lacks_windows = true; /* its features would be those of no window at all, beside a real target */
    OFFER("no_windows", 0.5);
    row = row_of(0.2018, 0.1009); /* both within 1 % of the first row */
    OFFER("duplicate", 0.5);
    row = row_of(0.2018, 0.1021);
    OFFER("used", 0.5);
    p.threshold_distance = 0; /* off */
    OFFER("used", 0.5);
#undef OFFER
    assert_int_equal(11, d.offered);
    assert_int_equal(4, d.n);
    assert_int_equal(4, d.dropped[DROP_NONE]);
    for (int i = DROP_TARGET; i < N_DATASET_DROPS; i++) assert_int_equal(1, d.dropped[i]);
    strcpy(row.kernel, "a\nb");
    assert_int_equal(-1, dataset_offer(&d, &row, 0.5, &p, &drop, &err));
    assert_int_equal(11, d.offered);
    dataset_fini(&d);
}

static void a_dropped_row_names_its_threshold_and_what_it_has(void **state)
{
    (void)state;
    struct dataset_params params;
    params_defaults(&dataset_param_table, &params);
    const struct dataset_row row = {.cycles = 8123, .speedup = 1.008};
    char text[160];
    assert_string_equal("8123 baseline cycles, below 10000 (threshold_cycles)",
                        dataset_drop_why(DROP_CYCLES, &row, 0.5, &params, text, sizeof text));
    assert_string_equal("speedup 1.0080 at the target, below 1.0150 (threshold_speedup)",
                        dataset_drop_why(DROP_SPEEDUP, &row, 0.5, &params, text, sizeof text));
    assert_string_equal("L1 hit rate 0.0000 at (1, 1), not above 0.0000 (threshold_hit_rate)",
                        dataset_drop_why(DROP_HIT_RATE, &row, 0, &params, text, sizeof text));
}

static void a_profile_of_W_16_becomes_a_row_with_target_scaled_to_24(void **state)
{
    (void)state;
    static struct profile_point points[136];
    static double scores[136];
    size_t n = 0;
    struct dataset_params p;
    struct error err;
    struct dataset_row row = {0};
    const struct feature_row *rows[N_POISE_FEATURES];
    const struct feature_counters o = {.insts = 30, .loads = 10, .l1_accesses = 10, .l1_hits = 2},
                                  a = {.l1_accesses = 10, .l1_hits = 9};
    params_defaults(&dataset_param_table, &p);
    assert_ok(features_resolve(poise_feature_names, N_POISE_FEATURES, rows, "test", &err), &err);
    for (uint32_t N = 1; N <= 16; N++)
        for (uint32_t q = 1; q <= N; q++)
            points[n++] = (struct profile_point){N, q, 1.5 - 0.01 * (double)((N - 8) * (N - 8) + (q - 4) * (q - 4))};
    assert_int_equal(136, n);
    dataset_row_fill(&row, rows, N_POISE_FEATURES, &o, &a, points, n, 16, &p, scores);
    assert_int_equal(16, row.W);
    assert_int_equal(12, row.N);
    assert_int_equal(6, row.p);
    assert_true(row.speedup == 1.5);
    assert_true(fabs(row.score - (1.5 - 0.01 * (4 * 0.5 * 1 + 4 * 0.25 * 2) / 4)) < 1e-12);
    assert_true(row.x[0] == 0.2 && row.x[1] == 0.9 && row.x[7] == 1);
}

static void a_dataset_is_written_and_trained_on(void **state)
{
    (void)state;
    char path[] = "/tmp/poise-dataset-XXXXXX";
    struct dataset d;
    struct error err;
    close(mkstemp(path));
    assert_ok(dataset_init(&d, two, 2, &err), &err);
    for (int i = 0; i < 100; i++) {
        struct dataset_row row = row_of(1.0 / (i + 3), 0.1 * i * i);
        row.N = (uint32_t)(1 + i % 24);
        row.p = (uint32_t)(1 + i % (int)row.N);
        row.launch = (uint32_t)i;
        strcpy(row.kernel,
               i % 2 ? "f<int, \"x\">(float*)" : "=cmd|x!A1"); /* names as C++ and a spreadsheet have them */
        assert_ok(dataset_append(&d, &row, &err), &err);
    }
    assert_ok(dataset_write(&d, path, &err), &err);
    struct table_csv table;
    struct training_set set;
    struct glm_fit fit;
    const struct training_choice choice = {
        .target = "N", .roles = {dataset_outcome_columns, dataset_word_columns}, .add_intercept = true};
    const struct glm_options options = {.family = GLM_NB2};
    assert_ok(table_csv_read(&table, path, &err), &err);
    assert_ok(training_set_init(&set, &table, &choice, &err), &err);
    assert_int_equal(3, set.data.k); /* the two features and the intercept, no outcome */
    assert_ok(glm_fit(&fit, &set.data, &options, &err), &err);
    assert_true(fit.converged);
    glm_fit_fini(&fit);
    training_set_fini(&set);
    table_csv_fini(&table);
    dataset_fini(&d);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_thresholds_are_tab_5_5s),
        cmocka_unit_test(each_threshold_drops_at_its_own_value_and_counts_its_reason),
        cmocka_unit_test(a_dropped_row_names_its_threshold_and_what_it_has),
        cmocka_unit_test(a_profile_of_W_16_becomes_a_row_with_target_scaled_to_24),
        cmocka_unit_test(a_dataset_is_written_and_trained_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
