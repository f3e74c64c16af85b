/* The studies of Elastic-Cache, over measurements of our making. */
#include "study_rig.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Every point of a study's spec takes 1000 cycles for 1000 instructions on each of the named benchmarks, with 100
 * accesses and 50 misses of L1. */
static struct study_rig rig;
static struct workload workloads[STUDY_BENCHMARKS_MAX];
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
    begin(study_of("elastic-11"), names, 3);
    set(0, "sector", "core_cycles", 1500), set(0, "elastic", "core_cycles", 1000); /* 1.5 */
    set(1, "elastic", "core_cycles", 800), set(2, "elastic", "core_cycles", 1250);
    set(0, "elastic", "l1d_chunk_probes", 250), set(1, "elastic lines", "core_cycles", 500);
    set(0, "both elastic", "core_cycles", 1250);
    study_report("elastic-11", &rig.data, &report);
    NEAR(row_of("nw, L1 elastic over sector")->ours, 50);
    NEAR(row_of("nw, L1 elastic over sector")->paper, 20);
    NEAR(row_of("bfs, L1 elastic over sector")->ours, 25);
    NEAR(row_of("mean of hotspot, lud, pathfinder, srad")->ours, -20);
    NEAR(row_of("nw probes an access")->ours, 2.5);
    NEAR(row_of("bfs a request a line")->ours, 100);
    NEAR(row_of("nw, L1 and L2 elastic over sector")->ours, 20); /* 1500 cycles over 1250 */
    NEAR(row_of("bfs L1 and L2")->ours, 0);
    NEAR(row_of("mean of all, L1 and L2 elastic over L1 alone")->ours, (-20 - 20 + 25) / 3.0);
    assert_true(check_of("and less than with L1 alone"));
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
    begin(study_of("elastic-12"), names, 3);
    set(0, "elastic 1", "core_cycles", 500), set(1, "elastic 256", "core_cycles", 800),
        set(2, "elastic 1", "core_cycles", 2000);
    set(1, "elastic 1", "core_cycles", 1000), set(2, "elastic 16", "core_cycles", 800);
    study_report("elastic-12", &rig.data, &report);
    NEAR(row_of("bfs, direct mapped, elastic over sector")->ours, 100);
    NEAR(row_of("bfs best")->ours, 1);
    NEAR(row_of("nw best")->ours, 256);
    NEAR(row_of("lud best")->ours, 16);
    NEAR(row_of("mean, elastic and fully associative over sector")->ours, 25.0 / 3);
    NEAR(row_of("mean, elastic at the best associativity of each over sector")->ours, (100 + 25 + 25) / 3.0);
    NEAR(row_of("most that associativity changes of a sectored L1")->ours, 0);
    assert_true(check_of("bfs is fastest direct mapped") &&
                check_of("bfs gains more over a sectored L1 direct mapped"));
    assert_true(check_of("associativity changes an elastic L1"));
    assert_false(check_of("a benchmark that loses fully associative")); /* none loses */
    end();
    begin(study_of("elastic-12"), names, 3);
    set(0, "sector 4", "core_cycles", 1250);
    study_report("elastic-12", &rig.data, &report);
    NEAR(row_of("most that associativity changes of a sectored L1")->ours, 20);
    assert_false(check_of("less than 2 %"));
    assert_false(check_of("nw is fastest fully associative"));
    end();
}

static void a_programs_miss_rate_is_that_of_its_worst_launch(void **state)
{
    static const char *const names[] = {"bfs", "bfs", "nw"};
    (void)state;
    begin(study_of("elastic-16"), names, 3);
    set(0, "elastic 1", "l1d_misses", 20),
        set(1, "elastic 1", "l1d_misses", 25); /* of 100, where sectored ones have 50 */
    set(2, "sector 256", "l1d_misses", 80), set(2, "elastic 256", "l1d_misses", 60);
    study_report("elastic-16", &rig.data, &report);
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
    begin(study_of("elastic-13"), names, 2);
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
    study_report("elastic-13", &rig.data, &report);
    NEAR(row_of("nw, clusters with which an elastic L1 gains most")->ours, 40); /* 80 is none of the paper's */
    NEAR(row_of("nw, clusters with which an elastic L1 gains most")->paper, 40);
    NEAR(row_of("bfs, clusters with which an elastic L1 gains most")->ours, 10);
    NEAR(row_of("nw, clusters with which an elastic L1 is fastest")->ours, 40);
    NEAR(row_of("bfs, clusters with which an elastic L1 is fastest")->ours, 20); /* 20 and 40 alike: the fewer */
    NEAR(row_of("nw 10 over sector")->ours, 0);
    NEAR(row_of("nw 10 over 80 clusters")->ours, 100 * (500.0 / 4000 - 1));
    NEAR(row_of("bfs 10 over sector")->ours, 50);
    assert_true(check_of("nw gains most with 40 clusters"));
    assert_false(check_of("bfs gains most with 20 clusters"));
    assert_true(check_of("nw is fastest with 40 clusters") && check_of("bfs is fastest with 20 clusters"));
    end();
}

/* Each machine's elastic L1 beside its own sectored one, whatever their clocks. */
static void machines_are_compared_by_their_own_gains(void **state)
{
    static const char *const names[] = {"nw", "streamcluster"};
    (void)state;
    begin(study_of("elastic-14"), names, 2);
    set(0, "QV100 sector", "core_cycles", 1500), set(0, "TITAN V elastic", "core_cycles", 800);
    set(1, "TITAN X elastic", "core_cycles", 500), set(1, "QV100 elastic", "core_cycles", 2000);
    set(0, "TITAN X two arrays", "core_cycles", 800);
    NEAR(2, repro_param(&rig.data, repro_point(&rig.data, "TITAN X two arrays"), "l1", "elastic_banks"));
    NEAR(4, repro_param(&rig.data, repro_point(&rig.data, "TITAN X elastic"), "l1", "elastic_banks"));
    NEAR(2, repro_param(&rig.data, repro_point(&rig.data, "TITAN V elastic"), "xbar", "cluster_sms"));
    NEAR(1, repro_param(&rig.data, repro_point(&rig.data, "QV100 elastic"), "xbar", "cluster_sms"));
    NEAR(4, repro_param(&rig.data, repro_point(&rig.data, "QV100 elastic"), "l1", "elastic_banks"));
    NEAR(28, repro_param(&rig.data, repro_point(&rig.data, "TITAN X sector"), "core", "sms"));
    study_report("elastic-14", &rig.data, &report);
    NEAR(row_of("nw, gain on QV100 above that on TITAN V")->ours, 25);
    NEAR(row_of("streamcluster, gain on TITAN X above that on TITAN V")->ours, 100);
    NEAR(row_of("streamcluster QV100")->ours, -50);
    assert_true(check_of("nw gains more on QV100"));
    assert_false(check_of("streamcluster gains more"));
    repro_report_fini(&report);
    report = (struct repro_report){0};
    study_report("elastic-15", &rig.data, &report);
    NEAR(row_of("nw, L1 elastic over sector")->ours, 0);
    NEAR(row_of("nw, L1 elastic over sector")->paper, 10);
    NEAR(row_of("nw, the same with two arrays of chunk tags")->ours, 25);
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
    begin(study_of("elastic-12"), names, 1);
    assert_int_equal(20, rig.data.n_points);
    for (size_t p = 1; p < rig.data.n_points; p++) {
        struct error err;
        assert_ok(gpu_params_check(rig.spec.params[p], &err), &err);
        NEAR(32768, repro_param(&rig.data, p, "l1", "sets") * repro_param(&rig.data, p, "l1", "ways") *
                        repro_param(&rig.data, p, "l1", "line_bytes"));
        NEAR(0, repro_param(&rig.data, p, "l1", "unified_bytes"));
    }
    end();
}

/* Two launches of many accesses a load are twice as fast direct mapped, two of few twice as slow: a rule fitted to any
 * three of them chooses well for the fourth, one associativity for all does not. */
static void a_rule_for_associativity_is_judged_on_benchmarks_that_it_has_not_seen(void **state)
{
    static const char *const names[] = {"bfs", "nn", "lud", "nw"};
    (void)state;
    begin(study_of("elastic-assoc"), names, 4);
    for (size_t b = 0; b < 4; b++) {
        set(b, "elastic 1", "core_cycles", b < 2 ? 500 : 2000);
        set(b, "elastic 256", "global_loads", b < 2 ? 10 : 100); /* of 100 accesses */
    }
    study_report("elastic-assoc", &rig.data, &report);
    NEAR(row_of("that load anything")->ours, 4);
    NEAR(row_of("regret, fully associative")->ours, 25);
    NEAR(row_of("regret, direct mapped")->ours, 25);
    /* the three others always hold two of the other kind */
    NEAR(row_of("regret, one associativity for all, of the other benchmarks")->ours, 50);
    NEAR(row_of("regret, the rule, fitted to the other benchmarks")->ours, 0);
    NEAR(row_of("regret, the best of each launch")->ours, 0);
    NEAR(row_of("gain over sector, the rule, fitted to the other benchmarks")->ours, 50);
    NEAR(row_of("bfs chosen, not seen")->ours, 1);
    NEAR(row_of("nw chosen, not seen")->ours, 256);
    NEAR(row_of("nw best")->ours, 256); /* of equals the highest */
    NEAR(row_of("bfs accesses a load")->ours, 10);
    assert_true(repro_direction_ok(&report));
    bool is_said = false;
    for (size_t i = 0; i < report.n_deviations; i++)
        is_said |=
            strstr(report.deviations[i], "elastic 1 where accesses a load is above 5.5, otherwise elastic 256") != NULL;
    assert_true(is_said);
    end();
    /* Launches of one benchmark count as one, and are left out together. */
    begin(study_of("elastic-assoc"), names, 3);
    rig.benchmarks[1].workload = &workloads[0];
    set(0, "elastic 1", "core_cycles", 2000), set(2, "elastic 1", "core_cycles", 500);
    study_report("elastic-assoc", &rig.data, &report);
    NEAR(row_of("regret, direct mapped")->ours, 100 * (0.5 + 0) / 2 / 2);
    NEAR(row_of("regret, fully associative")->ours, 25);
    assert_false(check_of("loses less than full associativity"));
    end();
}

/* No point takes more bits than the one that sets its budget, nor could take a bit a chunk more. */
static void rivals_have_the_bits_of_one_of_them(void **state)
{
    static const char *const names[] = {"nw", "bfs"}, *const whose[] = {"DSC-2", "TSC", "elastic", "DSC-4"},
                             *const sets_it[] = {"DSC", "TSC", "elastic", "DSC"},
                             *const organisations[] = {"LAMAR", "DSC", "TSC", "elastic"};
    static const struct {
        const char *machine;
        double budgets[4], most[4]; /* bytes; of LAMAR and of the longest tags that the machine can have */
        unsigned lines;
    } machines[] = {{"Fermi 16 KB", {464, 592, 992, 1360}, {64, 1360, 1168, 1232}, 128},
                    {"Volta 32 KB", {1024, 1120, 1984, 3008}, {128, 3008, 2272, 2560}, 256}};
    (void)state;
    begin(study_of("elastic-rivals"), names, 2);
    for (size_t p = 0; p < rig.data.n_points; p++) {
        struct error err;
        assert_ok(gpu_params_check(rig.spec.params[p], &err), &err);
    }
    set(0, "Fermi elastic 16", "core_cycles", 500), set(0, "Volta plain", "core_cycles", 3000);
    study_report("elastic-rivals", &rig.data, &report);
    for (size_t m = 0; m < COUNT_OF(machines); m++)
        for (size_t k = 0; k < 4; k++)
            for (size_t o = 0; o < 4; o++) {
                char label[96];
                snprintf(label, sizeof label, "%s, bits of %s %s, storage", machines[m].machine, whose[k],
                         organisations[o]);
                const double bytes = row_of(label)->ours, budget = machines[m].budgets[k];
                assert_true(bytes <= budget);
                if (strcmp(organisations[o], sets_it[k]) == 0) NEAR(bytes, budget);
                if (o == 1) assert_true(bytes == budget || k == 1 || k == 2); /* twice the tags are too many */
                else assert_true(bytes + 3 * machines[m].lines / 8.0 > budget || bytes == machines[m].most[o]);
            }
    NEAR(row_of("Fermi 16 KB, bits of elastic elastic")->ours, 100 * (sqrt(2) - 1));
    NEAR(row_of("Fermi 16 KB, nw elastic")->ours, 100);
    NEAR(row_of("Fermi 16 KB, bits of TSC elastic")->ours, 0);
    NEAR(row_of("Volta 32 KB, nw DSC")->ours, 200);
    assert_true(check_of("Fermi 16 KB: than TSC"));
    assert_false(check_of("Volta 32 KB: than TSC"));
    end();
}

static void locking_is_set_beside_the_same_L1_without(void **state)
{
    static const char *const names[] = {"bfs", "nw"};
    (void)state;
    begin(study_of("elastic-17"), names, 2);
    for (size_t b = 0; b < 2; b++)
        for (size_t p = 0; p < rig.data.n_points; p++)
            study_set_mech(&rig, b, rig.data.points[p], "lockdown", "bypassed", 0);
    set(1, "in flight p50", "core_cycles", 800), set(1, "relaxed p50", "core_cycles", 500);
    set(0, "decay p99", "core_cycles", 2000), set(0, "elastic", "core_cycles", 500);
    study_set_mech(&rig, 0, "decay p99", "lockdown", "bypassed", 7);
    study_set_mech(&rig, 1, "in flight p90", "lockdown", "threshold", 12);
    study_report("elastic-17", &rig.data, &report);
    NEAR(row_of("nw, locked in flight at a low threshold (p50), over sector")->ours, 25);
    NEAR(row_of("the same over relaxed")->ours, -37.5);
    NEAR(row_of("most that any program changes at the highest (p99)")->ours, 50);
    NEAR(row_of("around L2 at p99, all programs and algorithms")->ours, 7);
    NEAR(row_of("most that a program gains by locking beside an elastic L1")->ours, 0);
    NEAR(row_of("nw threshold p90")->ours, 12);
    NEAR(row_of("bfs decay p99")->ours, -50);
    NEAR(row_of("bfs elastic L1, in flight p50")->ours, 0);
    assert_true(check_of("nw gains at a low threshold"));
    assert_false(check_of("at a high threshold nothing changes"));
    assert_false(check_of("there no set is ever locked")); /* decay went around */
    assert_true(check_of("beside an elastic L1 locking gains nothing"));
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
        cmocka_unit_test(a_rule_for_associativity_is_judged_on_benchmarks_that_it_has_not_seen),
        cmocka_unit_test(rivals_have_the_bits_of_one_of_them),
        cmocka_unit_test(locking_is_set_beside_the_same_L1_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
