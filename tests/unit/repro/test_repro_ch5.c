/* Chapter 5's studies on a summary made by hand: which figures they read, their means, and what they call published. */
#include "study_rig.h"

#include <math.h>
#include <string.h>
#include "poise/features.h"

static json_t *policy(double speedup, double hits, double aml)
{
    return json_pack("{s:f,s:f,s:f,s:{s:f,s:f,s:f,s:f,s:f,s:f},s:{s:i,s:i,s:i,s:i,s:i,s:i}}", "speedup", speedup,
                     "l1d_hit_rate", hits, "aml_cycles", aml, "tuples", "N", 3.0, "p", 2.0, "predicted_N", 4.0,
                     "predicted_p", 2.0, "corrected_N", 3.0, "corrected_p", 1.0, "locality", "p_accesses", 100,
                     "p_hits", 80, "np_accesses", 1000, "np_hits", 50, "intra_reuses", 10, "intra_distance", 2400);
}

/* Two benchmarks, bfs and ii; speedups of a policy are s and 2 s. */
static json_t *summary_with(const double *speedups, const char *const *names, size_t n)
{
    static const char *const benchmarks[] = {"bfs", "ii"};
    json_t *list = json_array();
    for (size_t b = 0; b < 2; b++) {
        json_t *policies = json_object();
        json_object_set_new(policies, "gto", policy(1, 0.2, 400));
        for (size_t i = 0; i < n; i++)
            json_object_set_new(policies, names[i], policy(speedups[i] * (double)(b + 1), 0.3 + 0.1 * (double)i, 440));
        json_t *launch = json_pack("{s:s,s:i,s:[ii],s:f,s:[ii],s:f,s:[ii],s:f,s:[ii],s:[ii],s:{s:f,s:f}}", "launch",
                                   benchmarks[b], "W", 24, "static_best", 3, 1, "best_speedup", 2.5, "diagonal", 2, 2,
                                   "diagonal_speedup", 2.0, "target", 4, 2, "target_speedup", 2.2, "predicted", 5, 2,
                                   "predicted_from_windows", 9, 7, "features", "I_n", 8.0, "intra_of_hits", 0.7);
        json_array_append_new(list,
                              json_pack("{s:s,s:{s:f,s:f,s:f},s:o,s:[o]}", "name", benchmarks[b], "features", "W", 24.0,
                                        "I_n", 4.0, "intra_of_hits", 0.9, "policies", policies, "profiled", launch));
    }
    return json_pack("{s:o,s:{s:{s:f,s:f},s:{s:f,s:f}},s:{s:{s:i}}}", "benchmarks", list, "prediction_error", "N",
                     "over_target", 0.5, "over_scale", 0.1, "p", "over_target", 0.25, "over_scale", 0.05, "config",
                     "core", "sms", 32);
}

static struct repro_report told(const char *id, const json_t *summary)
{
    const struct repro_study *study;
    struct repro_report report = {0};
    struct error err;
    assert_ok(repro_list_find(studies(), id, &study, &err), &err);
    assert_non_null(study->tell);
    study->tell(study, summary, &report);
    assert_false(report.out_of_memory);
    return report;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static const char *const rivals[] = {"lrr",      "ccws",        "swl",   "swl_launch",   "pcal",
                                     "pcal_swl", "static_best", "poise", "poise_thesis", "random_restart"};

static void performance_is_a_harmonic_mean_beside_the_papers(void **state)
{
    const double speedups[] = {0.8, 1.1, 1.2, 1.25, 1.15, 1.3, 1.6, 1.5, 1.4, 1.2};
    json_t *summary = summary_with(speedups, rivals, COUNT_OF(rivals));
    struct repro_report r = told("thesis-5.9", summary);
    (void)state;
    assert_true(near(study_row(&r, "Poise")->paper, 1.466) &&
                near(study_row(&r, "Poise")->ours, 2 / (1 / 1.5 + 1 / 3.0)));
    assert_true(near(study_row(&r, "bfs SWL")->ours, 1.2) && near(study_row(&r, "ii SWL")->ours, 2.4));
    assert_true(
        near(study_row(&r, "Poise's part of Static-Best's gain")->ours, (2.0 - 1) / (2 / (1 / 1.6 + 1 / 3.2) - 1)));
    assert_true(repro_direction_ok(&r));
    repro_report_fini(&r);
    json_decref(summary);
}

static void every_benchmark_of_a_long_summary_is_told(void **state)
{
    enum { COPIES = 98 };
    const double speedups[] = {0.8, 1.1, 1.2, 1.25, 1.15, 1.3, 1.6, 1.5, 1.4, 1.2};
    json_t *summary = summary_with(speedups, rivals, COUNT_OF(rivals));
    json_t *list = json_object_get(summary, "benchmarks");
    for (size_t i = 0; i < COPIES; i++) json_array_append_new(list, json_deep_copy(json_array_get(list, 0)));
    struct repro_report r = told("thesis-5.9", summary);
    (void)state;
    assert_true(near(study_row(&r, "Poise")->ours, (COPIES + 2) / ((COPIES + 1) / 1.5 + 1 / 3.0)));
    repro_report_fini(&r);
    json_decref(summary);
}

static void a_statement_that_does_not_hold_is_said_to(void **state)
{
    const double speedups[] = {0.8, 1.1, 1.9, 1.9, 1.15, 1.3, 1.9, 1.5, 1.4, 1.2}; /* SWL beats Poise */
    json_t *summary = summary_with(speedups, rivals, COUNT_OF(rivals));
    struct repro_report r = told("thesis-5.9", summary);
    (void)state;
    assert_false(study_check(&r, "Poise is faster than SWL"));
    assert_true(study_check(&r, "Poise is faster than PCAL-SWL"));
    assert_false(repro_direction_ok(&r));
    repro_report_fini(&r);
    json_decref(summary);
}

static void latency_is_a_change_and_hit_rates_are_percent(void **state)
{
    const double speedups[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    json_t *summary = summary_with(speedups, rivals, COUNT_OF(rivals));
    struct repro_report r = told("thesis-5.11", summary), h = told("thesis-5.10", summary);
    (void)state;
    assert_true(near(study_row(&r, "Poise")->ours, 10) && near(study_row(&r, "SWL")->paper, -10.7));
    assert_true(near(study_row(&h, "GTO")->ours, 20) && near(study_row(&h, "LRR")->ours, 30));
    repro_report_fini(&r);
    repro_report_fini(&h);
    json_decref(summary);
}

static void the_analytical_model_reads_the_split_hit_rates(void **state)
{
    const double speedups[] = {1.5, 1};
    static const char *const names[] = {"one_pollutes", "base"};
    json_t *summary = summary_with(speedups, names, 2);
    struct repro_report r = told("thesis-5.6", summary);
    (void)state;
    assert_true(near(study_row(&r, "ii h_p")->ours, 80) && near(study_row(&r, "ii h_np")->ours, 5) &&
                near(study_row(&r, "ii h_o")->ours, 20));
    assert_true(near(study_row(&r, "bfs reuse distance")->ours, 240));
    assert_true(near(study_row(&r, "ii intra-warp hits")->paper, 97) &&
                near(study_row(&r, "ii inter-warp hits")->ours, 10));
    repro_report_fini(&r);
    json_decref(summary);
}

static void errors_are_given_of_the_target_and_of_24_warps(void **state)
{
    json_t *summary = summary_with(NULL, NULL, 0);
    struct repro_report r = told("thesis-5.7.2", summary);
    (void)state;
    assert_true(near(study_row(&r, "N, of the target")->ours, 50) && near(study_row(&r, "p, of 24 warps")->ours, 5));
    assert_true(near(study_row(&r, "ii from windows N")->ours, 9));
    assert_false(study_check(&r, "p is predicted less well than N"));
    /* no other model was set beside */
    for (size_t i = 0; i < r.n_rows; i++) assert_null(strstr(r.rows[i].label, "published"));
    repro_report_fini(&r);
    json_object_set_new(summary, "prediction_error_beside",
                        json_pack("{s:{s:f},s:{s:f}}", "N", "over_target", 0.2, "p", "over_target", 0.1));
    json_t *launch =
        json_array_get(json_object_get(json_array_get(json_object_get(summary, "benchmarks"), 1), "profiled"), 0);
    json_object_set_new(launch, "predicted_beside", json_pack("[ii]", 3, 1));
    r = told("thesis-5.7.2", summary);
    assert_true(near(study_row(&r, "N with the published weights, of the target")->ours, 20) &&
                near(study_row(&r, "ii published weights N")->ours, 3));
    repro_report_fini(&r);
    json_decref(summary);
}

/* ii's profile along both lines: p = N rises to 2 at N = 2; p = 1 has a valley between N = 2 and `top`. */
static json_t *summary_of_ii(uint32_t W, uint32_t top)
{
    const double speedups[] = {1.1, 1.3, 1.2, 1.5};
    static const char *const names[] = {"swl", "pcal_swl", "ccws", "static_best"};
    json_t *summary = summary_with(speedups, names, COUNT_OF(names)), *points = json_array();
    json_t *launch =
        json_array_get(json_object_get(json_array_get(json_object_get(summary, "benchmarks"), 1), "profiled"), 0);
    for (uint32_t N = 1; N <= W; N++) {
        json_array_append_new(points, json_pack("[iif]", (int)N, (int)N, N == 2 ? 2.0 : 1.0));
        if (N > 1) json_array_append_new(points, json_pack("[iif]", (int)N, 1, N == top ? 2.5 : N == 2 ? 1.8 : 1.1));
    }
    json_object_set_new(launch, "W", json_integer(W));
    json_object_set_new(launch, "points_of_profile", points);
    return summary;
}

static void a_climb_along_p_1_is_trapped_where_a_valley_lies_before_the_peak(void **state)
{
    json_t *summary = summary_of_ii(6, 5);
    struct repro_report r = told("thesis-5.2", summary);
    (void)state;
    assert_true(near(study_row(&r, "N = 2 p = N")->ours, 2) && near(study_row(&r, "N = 2 p = 1")->paper, 1.35) &&
                near(study_row(&r, "N = 5 p = 1")->ours, 2.5));
    assert_true(near(study_row(&r, "N where a climb from there along p = 1 ends")->ours, 2) &&
                near(study_row(&r, "best with p = 1")->ours, 2.5));
    assert_true(study_check(&r, "ends in a local optimum"));
    repro_report_fini(&r);
    json_decref(summary);
    summary = summary_of_ii(6, 3); /* the next point is the peak */
    r = told("thesis-5.2", summary);
    assert_true(near(study_row(&r, "N where a climb from there along p = 1 ends")->ours, 3));
    assert_false(study_check(&r, "ends in a local optimum"));
    repro_report_fini(&r);
    json_decref(summary);
    summary = summary_of_ii(6, 5);
    json_t *launch =
        json_array_get(json_object_get(json_array_get(json_object_get(summary, "benchmarks"), 1), "profiled"), 0);
    json_array_remove(json_object_get(launch, "points_of_profile"), 4); /* (3,1) was not simulated */
    r = told("thesis-5.2", summary);
    for (size_t i = 0; i < r.n_rows; i++) assert_null(strstr(r.rows[i].label, "climb"));
    repro_report_fini(&r);
    json_decref(summary);
}

static void the_published_weights_have_their_intercepts(void **state)
{
    json_t *summary = summary_with(NULL, NULL, 0);
    json_object_set_new(
        summary, "model",
        json_pack("{s:{s:{s:f,s:f},s:s}}", "N", "weights", "h_o", 1.0, "intercept", -1.0, "status", "converged"));
    struct repro_report r = told("thesis-tab-5.3", summary);
    (void)state;
    assert_true(near(study_row(&r, "intercept N")->paper, 1.667111) &&
                near(study_row(&r, "intercept p")->paper, -2.189887));
    assert_false(study_check(&r, "most weights have the published sign (1 of 2)"));
    repro_report_fini(&r);
    json_decref(summary);
}

static void a_negative_objective_is_told_and_its_inverse_is_correlated(void **state)
{
    const double speedups[] = {1.5, 1};
    static const char *const names[] = {"one_pollutes", "base"};
    json_t *summary = summary_with(speedups, names, 2);
    /* h_o 0.2, L_o 400: m_o L_o = 320. Of bfs m_np L' = 0.95 * 440, of ii it is lowered below. */
    json_t *ii = json_object_get(json_object_get(json_array_get(json_object_get(summary, "benchmarks"), 1), "policies"),
                                 "one_pollutes");
    json_object_set_new(ii, "aml_cycles", json_real(300));
    struct repro_report r = told("thesis-5.5", summary);
    (void)state;
    const double top = 32.0 / 23 * 5 * 0.6; /* K_mshr p/(N-p) I_d (h_p - h_o) */
    assert_true(near(study_row(&r, "bfs mu_p/np")->ours, top / (0.95 * 440 - 320)) &&
                near(study_row(&r, "ii mu_p/np")->ours, top / (0.95 * 300 - 320)));
    assert_true(near(study_row(&r, "with a negative mu: memory time saved")->ours, 1));
    assert_true(near(study_row(&r, "Pearson correlation of both")->ours, -1) &&
                near(study_row(&r, "Pearson of 1/mu and speedup (less is better)")->ours, -1));
    repro_report_fini(&r);
    json_decref(summary);
}

/* One scope: the launch's own W and I_n are another kernel's than those of the hit rates and latencies. */
static void every_term_of_the_objective_is_the_whole_benchmarks(void **state)
{
    const double speedups[] = {1.5, 1};
    static const char *const names[] = {"one_pollutes", "base"};
    json_t *summary = summary_with(speedups, names, 2);
    json_t *ii = json_array_get(json_object_get(summary, "benchmarks"), 1);
    json_t *launch = json_array_get(json_object_get(ii, "profiled"), 0);
    (void)state;
    json_object_set_new(launch, "W", json_integer(12));
    json_object_set_new(json_object_get(launch, "features"), "I_n", json_real(99));
    struct repro_report r = told("thesis-5.5", summary);
    assert_true(near(study_row(&r, "ii mu_p/np")->ours, 32.0 / 23 * 5 * 0.6 / (0.95 * 440 - 320)));
    repro_report_fini(&r);
    json_object_set_new(json_object_get(ii, "features"), "W", json_real(16)); /* the benchmark's does count */
    r = told("thesis-5.5", summary);
    assert_true(near(study_row(&r, "ii mu_p/np")->ours, 32.0 / 15 * 5 * 0.6 / (0.95 * 440 - 320)));
    repro_report_fini(&r);
    json_decref(summary);
}

static void ablation_is_relative_to_all_features(void **state)
{
    const double speedups[] = {2, 1, 1.5, 1.8, 1.9, 2.2};
    static const char *const names[] = {"stride_0_0",    "without_eta_o",    "without_eta_prime",
                                        "without_deta2", "without_In_deta2", "without_dLm2"};
    json_t *summary = summary_with(speedups, names, COUNT_OF(names));
    struct repro_report r = told("thesis-5.14", summary);
    (void)state;
    assert_true(near(study_row(&r, "without x_3 eta_o")->ours, 0.5) && near(study_row(&r, "without x_7")->ours, 1.1));
    assert_true(near(study_row(&r, "without x_6")->paper, 0.783));
    assert_false(study_check(&r, "removing any feature loses (4 of 5 do)"));
    repro_report_fini(&r);
    json_decref(summary);
}

/* The thesis counts four registers an SM; its features need sums and counts, of which the rows know seven. */
static void the_engines_storage_follows_from_the_features_of_its_model(void **state)
{
    json_t *summary = summary_with(NULL, NULL, 0), *weights = json_object();
    (void)state;
    for (size_t i = 0; i < N_POISE_FEATURES; i++) json_object_set_new(weights, poise_feature_names[i], json_real(1));
    json_t *model = json_pack("{s:{s:O},s:{s:o}}", "N", "weights", weights, "p", "weights", weights);
    json_object_set_new(summary, "model", model);
    struct repro_report r = told("thesis-5.7.9", summary);
    static const struct {
        const char *label;
        double paper, ours;
    } rows[] = {{"performance counters of an SM", 128, 224}, {"state registers of an SM", 6, 6}, {"all SMs", 536, 920}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(near(study_row(&r, rows[i].label)->paper, rows[i].paper));
        assert_true(near(study_row(&r, rows[i].label)->ours, rows[i].ours));
    }
    assert_false(study_check(&r, "no more than the published"));
    repro_report_fini(&r);
    /* a model of one hit rate reads two counters: (64 + 6) bits x 32 SMs */
    json_object_clear(json_object_get(json_object_get(model, "N"), "weights"));
    json_object_set_new(json_object_get(json_object_get(model, "N"), "weights"), "h_o", json_real(1));
    r = told("thesis-5.7.9", summary);
    assert_true(near(study_row(&r, "all SMs")->ours, 280) && study_check(&r, "no more than the published"));
    repro_report_fini(&r);
    json_object_del(summary, "model");
    r = told("thesis-5.7.9", summary);
    assert_true(isnan(study_row(&r, "all SMs")->ours) && !repro_direction_ok(&r));
    repro_report_fini(&r);
    json_decref(summary);
}

static void a_summary_without_a_policy_gives_no_number(void **state)
{
    json_t *summary = summary_with(NULL, NULL, 0);
    struct repro_report r = told("thesis-5.12", summary);
    (void)state;
    assert_true(isnan(study_row(&r, "64 KB")->ours));
    assert_false(repro_direction_ok(&r));
    repro_report_fini(&r);
    json_decref(summary);
}

static void the_second_set_is_told_by_what_is_memory_sensitive_here(void **state)
{
    (void)state;
    static const char *const names[] = {"swl", "ccws", "pcal_swl", "static_best", "poise", "poise_thesis", "l1_64x"};
    const double speedups[] = {1.1, 1.05, 1.2, 1.6,
                               0.7, 1.3,  1.0}; /* of bfs; twice that of ii, which alone is
                                                 * sensitive */
    json_t *summary = summary_with(speedups, names, 7);
    struct repro_report r = told("thesis-5.9-further", summary);
    assert_true(fabs(study_row(&r, "Poise, memory-sensitive")->ours - 1.4) < 1e-12);
    assert_true(fabs(study_row(&r, "Static-Best, others")->ours - 1.6) < 1e-12);
    assert_true(fabs(study_row(&r, "Poise's part of Static-Best's gain, memory-sensitive")->ours - 0.4 / 2.2) < 1e-12);
    assert_true(study_check(&r, "Poise is faster than GTO"));
    assert_false(study_check(&r, "Poise is faster than SWL"));
    assert_false(study_check(&r, "Poise costs no other benchmark"));
    repro_report_fini(&r);
    json_decref(summary);
}

static void table_5_4_has_the_best_tuple_of_the_longest_launch_and_the_hit_rate_under_GTO(void **state)
{
    static const char *const names[] = {"l1_64x"};
    const double speedups[] = {1.5};
    (void)state;
    json_t *summary = summary_with(speedups, names, 1);
    json_t *launches = json_object_get(json_array_get(json_object_get(summary, "benchmarks"), 0), "profiled");
    json_object_set_new(json_array_get(launches, 0), "gto_cycles", json_integer(10));
    json_array_append_new(launches, json_pack("{s:i,s:[ii]}", "gto_cycles", 30, "static_best", 7, 6));
    json_array_append_new(launches, json_pack("{s:i,s:[ii]}", "gto_cycles", 20, "static_best", 9, 9));
    struct repro_report r = told("thesis-tab-5.4", summary);
    assert_true(near(study_row(&r, "mean L1 hit rate under GTO")->ours, 20));
    assert_true(near(study_row(&r, "bfs P_best")->ours, 1.5) && near(study_row(&r, "bfs P_best")->paper, 1.55));
    assert_true(near(study_row(&r, "bfs best N")->ours, 7) && near(study_row(&r, "bfs best p")->ours, 6));
    assert_true(near(study_row(&r, "bfs best N")->paper, 5) && near(study_row(&r, "ii best p")->paper, 1));
    repro_report_fini(&r);
    json_decref(summary);
}

static void our_best_policy_is_told_over_memory_sensitive_benchmarks_with_the_papers_margins(void **state)
{
    (void)state;
    static const char *const names[] = {"pcal_swl", "static_best", "poise", "ladder", "without_full", "l1_64x"};
    const double speedups[] = {1.2, 1.6, 0.7, 1.5, 1.1, 1.0}; /* of bfs; twice that of ii, which alone is sensitive */
    json_t *summary = summary_with(speedups, names, 6);
    struct repro_report r = told("thesis-5.9-best", summary);
    assert_true(near(study_row(&r, "ladder")->ours, 3) && near(study_row(&r, "Static-Best")->ours, 3.2));
    assert_true(near(study_row(&r, "part of Static-Best's gain (paper: Poise)")->ours, 2 / 2.2));
    assert_true(near(study_row(&r, "above PCAL-SWL (paper: Poise)")->ours, 0.6) &&
                near(study_row(&r, "above PCAL-SWL (paper: Poise)")->paper, 0.151));
    assert_true(near(study_row(&r, "over PCAL-SWL (paper: Poise)")->ours, 1.25) &&
                near(study_row(&r, "over PCAL-SWL (paper: Poise)")->paper, 1.466 / 1.315));
    assert_true(near(study_row(&r, "ladder, without_full: part of Static-Best's gain")->ours, 1.2 / 2.2));
    assert_false(study_check(&r, "0.95 of Static-Best's gain"));
    assert_true(study_check(&r, "over PCAL-SWL by at least the paper's ratio"));
    repro_report_fini(&r);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(performance_is_a_harmonic_mean_beside_the_papers),
        cmocka_unit_test(every_benchmark_of_a_long_summary_is_told),
        cmocka_unit_test(a_statement_that_does_not_hold_is_said_to),
        cmocka_unit_test(latency_is_a_change_and_hit_rates_are_percent),
        cmocka_unit_test(the_analytical_model_reads_the_split_hit_rates),
        cmocka_unit_test(errors_are_given_of_the_target_and_of_24_warps),
        cmocka_unit_test(a_climb_along_p_1_is_trapped_where_a_valley_lies_before_the_peak),
        cmocka_unit_test(the_published_weights_have_their_intercepts),
        cmocka_unit_test(a_negative_objective_is_told_and_its_inverse_is_correlated),
        cmocka_unit_test(every_term_of_the_objective_is_the_whole_benchmarks),
        cmocka_unit_test(ablation_is_relative_to_all_features),
        cmocka_unit_test(the_engines_storage_follows_from_the_features_of_its_model),
        cmocka_unit_test(a_summary_without_a_policy_gives_no_number),
        cmocka_unit_test(our_best_policy_is_told_over_memory_sensitive_benchmarks_with_the_papers_margins),
        cmocka_unit_test(table_5_4_has_the_best_tuple_of_the_longest_launch_and_the_hit_rate_under_GTO),
        cmocka_unit_test(the_second_set_is_told_by_what_is_memory_sensitive_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
