/* The studies of Elastic-Cache, over measurements of our making. */
#include "study_rig.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Every point of a study's spec takes 1000 cycles for 1000 instructions on each of the named benchmarks, with 100
 * accesses and 50 misses of L1. */
static struct study_rig rig;
static struct workload workloads[3];
static struct repro_report report;
static void begin(const struct repro_study *study, const char *const *names, size_t n)
{
    static const struct study_counter usual[] = {
        {"core_cycles", 1000}, {"thread_insts", 1000}, {"l1d_load_accesses", 100}, {"l1d_misses", 50}};
    report = (struct repro_report){0};
    study_begin(&rig, study, names, n, usual, COUNT_OF(usual));
    for (size_t b = 0; b < n; b++) {
        snprintf(workloads[b].name, sizeof workloads[b].name, "%s", names[b]);
        rig.benchmarks[b].workload = &workloads[b];
    }
}
static void end(void)
{
    repro_report_fini(&report);
    study_end(&rig);
}
static void set(size_t b, const char *point, const char *counter, uint64_t value)
{
    study_set(&rig, b, point, counter, value);
}
static const struct repro_row *row_of(const char *label) { return study_row(&report, label); }
static bool check_of(const char *text) { return study_check(&report, text); }

static void an_elastic_L1_is_set_beside_a_sectored_one_of_the_same_stores(void **state)
{
    static const char *const names[] = {"nw", "bfs", "srad2"};
    (void)state;
    begin(&repro_elastic_11, names, 3);
    set(0, "sector", "core_cycles", 1500), set(0, "elastic", "core_cycles", 1000); /* 1.5 */
    set(1, "elastic", "core_cycles", 800), set(2, "elastic", "core_cycles", 1250);
    set(0, "elastic", "l1d_chunk_probes", 250);
    repro_elastic_11.report(&repro_elastic_11, &rig.data, &report);
    NEAR(row_of("nw, L1 elastic over sector")->ours, 50);
    NEAR(row_of("nw, L1 elastic over sector")->paper, 20);
    NEAR(row_of("bfs, L1 elastic over sector")->ours, 25);
    NEAR(row_of("mean of hotspot, lud, pathfinder, srad")->ours, -20);
    NEAR(row_of("nw probes an access")->ours, 2.5);
    assert_true(isnan(row_of("nw, L1 and L2 elastic over sector")->ours)); /* not modelled */
    assert_true(isnan(row_of("mean of backprop, heartwall, kmeans, nn, streamcluster")->ours));
    assert_true(check_of("nw gains more than bfs"));
    assert_false(check_of("hotspot, lud, pathfinder and srad gain"));
    size_t unmeasured = 0;
    for (size_t i = 0; i < report.n_deviations; i++)
        unmeasured += strncmp(report.deviations[i], "not measured here: ", 19) == 0;
    assert_int_equal(8, unmeasured);
    end();
}

static void the_best_associativity_is_that_at_which_a_benchmark_is_fastest(void **state)
{
    static const char *const names[] = {"bfs", "nw", "lud"};
    (void)state;
    begin(&repro_elastic_12, names, 3);
    set(0, "elastic 1", "core_cycles", 500), set(1, "elastic 256", "core_cycles", 800),
        set(2, "elastic 1", "core_cycles", 2000);
    set(1, "elastic 1", "core_cycles", 1000), set(2, "elastic 16", "core_cycles", 800);
    repro_elastic_12.report(&repro_elastic_12, &rig.data, &report);
    NEAR(row_of("bfs, direct mapped, elastic over sector")->ours, 100);
    NEAR(row_of("bfs best")->ours, 1);
    NEAR(row_of("nw best")->ours, 256);
    NEAR(row_of("lud best")->ours, 16);
    NEAR(row_of("mean, elastic and fully associative over sector")->ours, 25.0 / 3);
    NEAR(row_of("mean, elastic at the best associativity of each over sector")->ours, (100 + 25 + 25) / 3.0);
    NEAR(row_of("most that associativity changes of a sectored L1")->ours, 0);
    assert_true(repro_direction_ok(&report));
    end();
    begin(&repro_elastic_12, names, 3);
    set(0, "sector 4", "core_cycles", 1250);
    repro_elastic_12.report(&repro_elastic_12, &rig.data, &report);
    NEAR(row_of("most that associativity changes of a sectored L1")->ours, 20);
    assert_false(check_of("less than 2 %"));
    assert_false(check_of("nw is fastest fully associative"));
    end();
}

static void a_programs_miss_rate_is_that_of_its_worst_launch(void **state)
{
    static const char *const names[] = {"bfs", "bfs", "nw"};
    (void)state;
    begin(&repro_elastic_16, names, 3);
    set(0, "elastic 1", "l1d_misses", 20),
        set(1, "elastic 1", "l1d_misses", 25); /* of 100, where sectored ones have 50 */
    set(2, "sector 256", "l1d_misses", 80), set(2, "elastic 256", "l1d_misses", 60);
    repro_elastic_16.report(&repro_elastic_16, &rig.data, &report);
    NEAR(row_of("bfs, direct mapped, miss rate elastic over sector")->ours, -50);
    NEAR(row_of("bfs, direct mapped, miss rate elastic over sector")->paper, -28);
    NEAR(row_of("bfs, fully associative, miss rate elastic over sector")->ours, 0);
    NEAR(row_of("nw, fully associative, miss rate elastic over sector")->ours, -25);
    NEAR(row_of("nw sector 256")->ours, 80);
    assert_true(check_of("nw misses less"));
    assert_false(check_of("so does bfs"));
    end();
}

/* Fig. 13: 10, 20 and 40 clusters of one machine's 80 SMs; 80 ports stand beside them. */
static void clusters_are_judged_by_the_gain_over_a_sectored_L1_with_as_many(void **state)
{
    static const char *const names[] = {"nw", "bfs"};
    static const unsigned sizes[][2] = {{10, 8}, {20, 4}, {40, 2}, {80, 1}};
    (void)state;
    begin(&repro_elastic_13, names, 2);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        char point[32];
        snprintf(point, sizeof point, "%u elastic", sizes[i][0]);
        const size_t p = repro_point(&rig.data, point);
        struct error err;
        NEAR(sizes[i][1], repro_param(&rig.data, p, "xbar", "cluster_sms"));
        NEAR(80, sizes[i][0] * repro_param(&rig.data, p, "xbar", "cluster_sms"));
        assert_ok(gpu_params_check(rig.spec.params[p], &err), &err);
    }
    set(0, "10 sector", "core_cycles", 4000), set(0, "10 elastic", "core_cycles", 4000); /* slow, and gains nothing */
    set(0, "40 elastic", "core_cycles", 800), set(0, "80 elastic", "core_cycles", 500);
    set(1, "10 sector", "core_cycles", 3000), set(1, "10 elastic", "core_cycles", 2000);
    repro_elastic_13.report(&repro_elastic_13, &rig.data, &report);
    NEAR(row_of("nw, clusters with which an elastic L1 gains most")->ours, 40); /* 80 is none of the paper's */
    NEAR(row_of("nw, clusters with which an elastic L1 gains most")->paper, 40);
    NEAR(row_of("bfs, clusters with which an elastic L1 gains most")->ours, 10);
    NEAR(row_of("nw 10 over sector")->ours, 0);
    NEAR(row_of("nw 10 over 80 clusters")->ours, 100 * (500.0 / 4000 - 1));
    NEAR(row_of("bfs 10 over sector")->ours, 50);
    assert_true(check_of("nw gains most with 40 clusters"));
    assert_false(check_of("bfs gains most with 20 clusters"));
    end();
}

/* Each machine's elastic L1 beside its own sectored one, whatever their clocks. */
static void machines_are_compared_by_their_own_gains(void **state)
{
    static const char *const names[] = {"nw", "streamcluster"};
    (void)state;
    begin(&repro_elastic_14, names, 2);
    set(0, "QV100 sector", "core_cycles", 1500), set(0, "TITAN V elastic", "core_cycles", 800);
    set(1, "TITAN X elastic", "core_cycles", 500), set(1, "QV100 elastic", "core_cycles", 2000);
    NEAR(2, repro_param(&rig.data, repro_point(&rig.data, "TITAN X elastic"), "l1", "elastic_banks"));
    NEAR(4, repro_param(&rig.data, repro_point(&rig.data, "QV100 elastic"), "l1", "elastic_banks"));
    NEAR(28, repro_param(&rig.data, repro_point(&rig.data, "TITAN X sector"), "core", "sms"));
    repro_elastic_14.report(&repro_elastic_14, &rig.data, &report);
    NEAR(row_of("nw, gain on QV100 above that on TITAN V")->ours, 25);
    NEAR(row_of("streamcluster, gain on TITAN X above that on TITAN V")->ours, 100);
    NEAR(row_of("streamcluster QV100")->ours, -50);
    assert_true(check_of("nw gains more on QV100"));
    assert_false(check_of("streamcluster gains more"));
    repro_report_fini(&report);
    report = (struct repro_report){0};
    repro_elastic_15.report(&repro_elastic_15, &rig.data, &report);
    NEAR(row_of("nw, L1 elastic over sector")->ours, 0);
    NEAR(row_of("nw, L1 elastic over sector")->paper, 10);
    NEAR(row_of("streamcluster elastic over sector")->ours, 100);
    assert_true(isnan(row_of("bfs, L1 elastic over sector")->ours));
    assert_false(check_of("nw gains"));
    end();
}

/* 32 KB at every associativity, and machines that can be. */
static void every_point_is_of_32_kilobytes(void **state)
{
    static const char *const names[] = {"nw"};
    (void)state;
    begin(&repro_elastic_12, names, 1);
    assert_int_equal(19, rig.data.n_points);
    for (size_t p = 1; p < rig.data.n_points; p++) {
        struct error err;
        assert_ok(gpu_params_check(rig.spec.params[p], &err), &err);
        NEAR(32768, repro_param(&rig.data, p, "l1", "sets") * repro_param(&rig.data, p, "l1", "ways") *
                        repro_param(&rig.data, p, "l1", "line_bytes"));
        NEAR(0, repro_param(&rig.data, p, "l1", "unified_bytes"));
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elastic_L1_is_set_beside_a_sectored_one_of_the_same_stores),
        cmocka_unit_test(the_best_associativity_is_that_at_which_a_benchmark_is_fastest),
        cmocka_unit_test(a_programs_miss_rate_is_that_of_its_worst_launch),
        cmocka_unit_test(clusters_are_judged_by_the_gain_over_a_sectored_L1_with_as_many),
        cmocka_unit_test(machines_are_compared_by_their_own_gains),
        cmocka_unit_test(every_point_is_of_32_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
