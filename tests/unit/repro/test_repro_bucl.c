/* The studies of BUCL, over measurements of our making. */
#include "study_rig.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static struct study_rig rig;
static void cycles(size_t b, const char *point, uint64_t n) { study_set(&rig, b, point, "core_cycles", n); }

static void the_best_number_of_warps_is_the_fastest_and_of_equals_the_largest(void **state)
{
    static const char *const names[] = {"kmn"};
    (void)state;
    study_begin_even(&rig, study_of("bucl-tab-3"), names, 1);
    struct repro_report report = {0};
    study_report("bucl-tab-3", &rig.data, &report);
    NEAR(study_row(&report, "KMN SWL-Best")->ours, 48); /* two schedulers of 24 warps */
    repro_report_fini(&report);
    cycles(0, "SWL 2", 700), cycles(0, "SWL 3", 700), cycles(0, "SWL 4", 800), cycles(0, "SWBU 6", 500);
    study_report("bucl-tab-3", &rig.data, &report);
    NEAR(study_row(&report, "KMN SWL-Best")->ours, 6); /* two schedulers */
    NEAR(study_row(&report, "KMN SWL-Best")->paper, 3);
    NEAR(study_row(&report, "KMN SWBU")->ours, 12);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    study_end(&rig);
}

static void groups_have_geometric_means_and_a_group_without_benchmarks_is_told_unmeasured(void **state)
{
    static const char *const names[] = {"kmn", "bfs", "mvt"};
    (void)state;
    study_begin_even(&rig, study_of("bucl-7"), names, 3);
    cycles(0, "BUCL-Dyn", 250), cycles(1, "BUCL-Dyn", 1000), cycles(2, "BUCL-Dyn", 1); /* mvt is not of the paper's */
    cycles(0, "MRPB", 500);
    struct repro_report report = {0};
    study_report("bucl-7", &rig.data, &report);
    NEAR(study_row(&report, "GMUC BUCL-Dyn")->ours, 100);
    NEAR(study_row(&report, "GMUC BUCL-Dyn")->paper, 36);
    NEAR(study_row(&report, "GMUC MRPB")->ours, 100 * (sqrt(2) - 1));
    NEAR(study_row(&report, "KMN BUCL-Dyn over MRPB")->ours, 100);
    assert_true(isnan(study_row(&report, "GMCH BUCL-Dyn")->ours));
    assert_true(study_check(&report, "gains more than MRPB there"));
    assert_false(study_check(&report, "both profiled flavours"));
    size_t unmeasured = 0;
    for (size_t i = 0; i < report.n_deviations; i++)
        unmeasured += strncmp(report.deviations[i], "not measured: ", 14) == 0;
    assert_int_equal(unmeasured, 9);
    repro_report_fini(&report);
    study_end(&rig);
}

static void observe(size_t b, const char *counter, int value)
{
    json_t *sums = json_object_get(rig.benchmarks[b].mechs[0], "divergence");
    if (!sums) json_object_set_new(rig.benchmarks[b].mechs[0], "divergence", sums = json_object());
    json_object_set_new(sums, counter, json_integer(value));
}

static void loads_are_shared_out_over_degrees_and_groups_follow_from_10_percent(void **state)
{
    static const char *const names[] = {"kmn", "nw"}, *const groups[] = {"1", "2", "3_10", "11_20", "21_32"};
    static const int loads[2][5] = {{50, 0, 0, 10, 40}, {60, 30, 10, 0, 0}}; /* just 10 % is not more than 10 % */
    (void)state;
    study_begin_even(&rig, study_of("bucl-2"), names, 2);
    for (size_t b = 0; b < 2; b++)
        for (size_t g = 0; g < 5; g++) {
            char name[32];
            snprintf(name, sizeof name, "loads_%s", groups[g]);
            observe(b, name, loads[b][g]);
            snprintf(name, sizeof name, "requests_%s", groups[g]);
            observe(b, name, loads[b][g] * (g == 4 ? 32 : 1));
        }
    NEAR(repro_mech_value(&rig.data, 0, 0, "divergence", "loads_1"), 50);
    assert_true(isnan(repro_mech_value(&rig.data, 0, 0, "divergence", "loads_99")) &&
                isnan(repro_mech_value(&rig.data, 0, 0, "bucl", "loads_1")));
    struct repro_report report = {0};
    study_report("bucl-2", &rig.data, &report);
    NEAR(study_row(&report, "KMN loads of 21-32 requests")->ours, 40);
    NEAR(study_row(&report, "KMN loads of 11-20 requests")->ours, 10);
    NEAR(study_row(&report, "KMN requests of loads of 21-32")->ours, 100.0 * 1280 / 1340);
    assert_true(study_check(&report, "in just the un-coalesced group (2 of 2)"));
    repro_report_fini(&report);
    observe(1, "loads_3_10", 11);
    study_report("bucl-2", &rig.data, &report);
    assert_false(study_check(&report, "in just the un-coalesced group (1 of 2)"));
    repro_report_fini(&report);
    study_end(&rig);
}

/* KMN is the program that turns its points first (Rodinia's invert_mapping); the thesis's kmeans is not of the
 * group. */
static void the_papers_KMN_turns_its_points_before_it_assigns_them(void **state)
{
    struct registry registry;
    struct error err;
    const struct workload *kmn;
    (void)state;
    static const char *const names[] = {"kmeans"};
    struct repro_report report = {0};
    size_t missing = 0;
    study_begin_even(&rig, study_of("bucl-3"), names, 1);
    study_report("bucl-3", &rig.data, &report);
    for (size_t i = 0; i < report.n_deviations; i++)
        missing += strcmp(report.deviations[i], "not measured here: KMN") == 0;
    assert_int_equal(1, missing);
    repro_report_fini(&report);
    study_end(&rig);
    assert_ok(registry_load(&registry, POISE_SOURCE_DIR "/datasets/kernels/list.yaml", &err), &err);
    assert_ok(registry_find(&registry, "kmn", &kmn, &err), &err);
    assert_int_equal(kmn->set, WORKLOAD_FURTHER); /* neither trained on nor among the thesis's eleven */
    assert_non_null(strstr(kmn->class, "BUCL Tab. I"));
    registry_fini(&registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_KMN_turns_its_points_before_it_assigns_them),
        cmocka_unit_test(the_best_number_of_warps_is_the_fastest_and_of_equals_the_largest),
        cmocka_unit_test(groups_have_geometric_means_and_a_group_without_benchmarks_is_told_unmeasured),
        cmocka_unit_test(loads_are_shared_out_over_degrees_and_groups_follow_from_10_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
