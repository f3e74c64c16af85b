/* The studies of the tag-split cache, over measurements of our making. */
#include "study_rig.h"

#include <jansson.h>
#include "studies/repro/repro_sums.h"

#include <math.h>
#include <string.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Every point of a study's spec takes 1000 cycles for 1000 instructions, 100 misses and 200 flits each way on each of
 * the named benchmarks. */
static struct study_rig rig;
static struct repro_report report;
static void begin(const struct repro_study *study, const char *const *names, size_t n)
{
    static const struct study_counter usual[] = {{"core_cycles", 1000}, {"thread_insts", 1000}, {"warp_insts", 1000},
                                                 {"l1d_misses", 100},   {"request_flits", 200}, {"reply_flits", 200}};
    report = (struct repro_report){0};
    study_begin(&rig, study, names, n, usual, COUNT_OF(usual));
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
static void observe(size_t b, const char *point, const char *counter, uint64_t value)
{
    study_set_mech(&rig, b, point, "utilisation", counter, value);
}
static const struct repro_row *row_of(const char *label) { return study_row(&report, label); }
static bool check_of(const char *text) { return study_check(&report, text); }

static void gains_are_geometric_means_over_the_papers_benchmarks_and_losers_are_counted(void **state)
{
    static const char *const names[] = {"kmn", "histo", "mvt"};
    (void)state;
    begin(study_of("tsc-10a"), names, 3);
    set(0, "TSC", "core_cycles", 250), set(1, "TSC", "core_cycles", 1250),
        set(2, "TSC", "core_cycles", 1); /* mvt is not of the paper's */
    set(0, "TSC+", "core_cycles", 250), set(0, "32B", "core_cycles", 500);
    study_report("tsc-10a", &rig.data, &report);
    NEAR(row_of("GM TSC")->ours, 100 * (sqrt(4 * 0.8) - 1));
    NEAR(row_of("GM TSC")->paper, 15.6);
    NEAR(row_of("GM TSC+")->ours, 100);
    NEAR(row_of("GM 32B")->ours, 100 * (sqrt(2) - 1));
    NEAR(row_of("benchmarks that TSC slows down by half a percent or more")->ours, 1);
    assert_true(check_of("TSC+ gains more than TSC"));
    assert_true(check_of("TSC loses on srad_v1 and histo")); /* srad1 was not measured, and is named as such */
    size_t unmeasured = 0;
    for (size_t i = 0; i < report.n_deviations; i++)
        unmeasured += strncmp(report.deviations[i], "not measured here: ", 19) == 0;
    assert_int_equal(13, unmeasured);
    end();
}

static void misses_and_traffic_are_of_an_instruction_and_over_the_baseline(void **state)
{
    static const char *const names[] = {"kmn", "bfs"};
    (void)state;
    begin(study_of("tsc-11"), names, 2);
    set(0, "TSC", "l1d_misses", 50), set(0, "TSC", "warp_insts", 2000);
    set(0, "DSC-4", "l1d_misses", 20), set(1, "DSC-4", "l1d_misses", 90), set(1, "LAMAR", "l1d_misses", 99);
    study_report("tsc-11", &rig.data, &report);
    NEAR(row_of("kmeans misses, TSC")->ours, -75);
    NEAR(row_of("GM misses an instruction, TSC")->ours, -50);
    assert_true(check_of("DSC-4 has fewer misses than TSC"));
    assert_false(check_of("LAMAR has as many misses"));
    end();
    begin(study_of("tsc-12"), names, 2);
    set(0, "LAMAR", "request_flits", 400), set(0, "TSC", "request_flits", 300), set(0, "LAMAR", "reply_flits", 100),
        set(0, "TSC", "reply_flits", 50);
    study_report("tsc-12", &rig.data, &report);
    NEAR(row_of("kmeans, L1 to L2 below LAMAR")->ours, 25);
    NEAR(row_of("kmeans, L2 to L1 below LAMAR")->ours, 50);
    NEAR(row_of("kmeans, L2 to L1 below LAMAR")->paper, 71.8);
    assert_true(check_of("TSC sends fewer requests than LAMAR") && check_of("kmeans is where it saves most"));
    assert_false(check_of("of most benchmarks TSC sends less than LAMAR in both directions (1 of 2)"));
    assert_false(check_of("most of the traffic is from L2 to L1"));
    end();
}

static void storage_is_worked_out_from_the_points_parameters(void **state)
{
    static const char *const names[] = {"kmn"};
    (void)state;
    begin(study_of("tsc-tab-3"), names, 1);
    set(0, "TSC 5 bits", "core_cycles", 900);
    study_report("tsc-tab-3", &rig.data, &report);
    NEAR(row_of("storage an L1, TSC")->ours, 592.0 / 1024);
    NEAR(row_of("storage an L1, DSC-4")->ours, 1360.0 / 1024);
    NEAR(row_of("storage an L1, MRPB, FIFOs of 8 line numbers")->ours, 48 * (8 * 25 + 6) / 8.0 / 1024);
    NEAR(row_of("storage an L1, MRPB as it is simulated")->ours, 58944 / 8.0 / 1024); /* sim/mech/mrpb.c */
    assert_true(repro_direction_ok(&report));
    end();
    begin(study_of("tsc-9"), names, 1);
    study_report("tsc-9", &rig.data, &report);
    NEAR(row_of("storage, 0 bits")->ours, (512 * 4 + 128 * 20 - 128 * 23) / 8.0 / 1024);
    NEAR(row_of("storage, 20 bits")->ours, (512 * 24 - 128 * 23) / 8.0 / 1024);
    end();
}

static void a_benchmark_prefers_small_lines_where_they_are_faster(void **state)
{
    static const char *const names[] = {"kmn", "stencil", "gaussian"};
    (void)state;
    begin(study_of("tsc-tab-1"), names, 3);
    set(0, "32B", "core_cycles", 400), set(1, "32B", "core_cycles", 1200), set(2, "32B", "core_cycles", 900);
    study_report("tsc-tab-1", &rig.data, &report);
    NEAR(row_of("benchmarks of the paper's class")->ours, 2);
    NEAR(row_of("kmeans gain of lines of 32 bytes")->ours, 150);
    NEAR(row_of("kmeans gain of lines of 32 bytes")->paper, 165);
    assert_false(check_of("three quarters"));
    end();
    static const char *const variants[] = {"cfd", "cfd-shuffled", "b+tree"};
    begin(study_of("tsc-tab-1"), variants, 3);
    set(0, "32B", "core_cycles", 1250), set(1, "32B", "core_cycles", 800), set(2, "32B", "core_cycles", 900);
    set(2, "header aside", "core_cycles", 1000), set(2, "32B and header aside", "core_cycles", 1250);
    study_report("tsc-tab-1", &rig.data, &report);
    NEAR(row_of("benchmarks of the paper's class")->ours, 0);
    NEAR(row_of("with cfd-shuffled, gaussian-1024 and srad2-round")->ours, 1);
    NEAR(row_of("with these, and the header of a reply aside")->ours, 1); /* b+tree; cfd-shuffled is level there */
    NEAR(row_of("cfd-shuffled gain of lines of 32 bytes")->ours, 25);
    NEAR(row_of("b+tree the same, header aside")->ours, -20);
    end();
    begin(study_of("tsc-10a"), variants, 3);
    set(0, "TSC", "core_cycles", 1250), set(1, "TSC", "core_cycles", 250);
    study_report("tsc-10a", &rig.data, &report);
    NEAR(row_of("GM TSC, inputs of the paper's class")->ours, 100);
    NEAR(row_of("GM TSC")->ours, 100 * (sqrt(0.8) - 1));
    end();
    begin(study_of("tsc-2"), names, 3);
    set(0, "32B", "core_cycles", 400), set(1, "32B", "core_cycles", 1600), set(0, "256B", "core_cycles", 2000);
    study_report("tsc-2", &rig.data, &report);
    NEAR(row_of("GM CLN, 32B")->ours, 150);
    NEAR(row_of("GM CLP, 32B")->ours, 100 * (sqrt(0.625) - 1));
    assert_true(check_of("CLP benchmarks lose by them") && check_of("CLN benchmarks lose by lines of 256"));
    assert_false(check_of("each CLP benchmark loses by lines of 32 bytes (1 of 2)"));
    end();
    begin(study_of("tsc-5"), names, 3);
    set(1, "32B", "request_flits", 500);
    study_report("tsc-5", &rig.data, &report);
    NEAR(row_of("stencil, 32B")->ours, 150);
    NEAR(row_of("stencil, 32B")->paper, 103);
    end();
}

static void latencies_and_chunks_are_compared_with_what_they_belong_to(void **state)
{
    static const char *const names[] = {"kmn", "bfs"};
    (void)state;
    begin(study_of("tsc-latency"), names, 2);
    set(0, "extra 3", "core_cycles", 1250), set(0, "plain 90", "core_cycles", 2000),
        set(1, "plain 90", "core_cycles", 2000);
    study_report("tsc-latency", &rig.data, &report);
    NEAR(row_of("GM tag-split 90 over plain 90")->ours, 100);
    NEAR(row_of("most that a benchmark loses by 3 cycles in place of 1 (paper: less than 1)")->ours, 20);
    assert_false(check_of("no benchmark loses a percent"));
    end();
    begin(study_of("tsc-13"), names, 2);
    set(0, "16 bytes", "core_cycles", 500), set(0, "64 bytes", "core_cycles", 2000);
    study_report("tsc-13", &rig.data, &report);
    NEAR(row_of("GM 16 bytes")->ours, 100 * (sqrt(2) - 1));
    assert_true(check_of("chunks of 16 bytes gain most") && !check_of("kmeans loses by smaller chunks"));
    repro_report_fini(&report);
    report = (struct repro_report){0};
    set(0, "8 bytes", "core_cycles", 1250);
    study_report("tsc-13", &rig.data, &report);
    assert_true(repro_direction_ok(&report));
    end();
    begin(study_of("tsc-10b"), names, 2);
    study_report("tsc-10b", &rig.data, &report);
    NEAR(row_of("GM DSC-4")->paper, 11.7);
    assert_false(check_of("gains more than MRPB"));
    end();
    begin(study_of("tsc-plus-mrpb"), names, 2);
    set(0, "TSC MRPB", "core_cycles", 500);
    study_report("tsc-plus-mrpb", &rig.data, &report);
    assert_true(repro_direction_ok(&report));
    end();
}

static void lines_are_shared_out_by_what_was_reused_of_them_and_loads_by_a_miss(void **state)
{
    static const char *const names[] = {"mummer", "kmn"};
    static const int lines[2][5] = {{50, 40, 5, 4, 1}, {10, 10, 10, 20, 50}};
    (void)state;
    begin(study_of("tsc-1"), names, 2);
    for (size_t b = 0; b < 2; b++)
        for (int q = 0; q < 5; q++) {
            char name[16];
            snprintf(name, sizeof name, "lines_%d", q);
            observe(b, "base", name, lines[b][q]);
        }
    study_report("tsc-1", &rig.data, &report);
    NEAR(row_of("mummer 0 % reused")->ours, 50);
    NEAR(row_of("mummer a quarter, of the reused")->ours, 80);
    NEAR(row_of("mummer a quarter, of the reused")->paper, 90.3);
    assert_false(check_of("of no benchmark but histo"));
    end();
    begin(study_of("tsc-4"), names, 2);
    for (size_t b = 0; b < 2; b++)
        for (size_t p = 0; p < rig.data.n_points; p++)
            observe(b, rig.data.points[p], "loads", 200),
                observe(b, rig.data.points[p], "loads_missed", b && p ? 50 : 150);
    study_report("tsc-4", &rig.data, &report);
    NEAR(row_of("kmeans 128B")->ours, 75);
    NEAR(row_of("kmeans 128B")->paper, 95.5);
    NEAR(row_of("kmeans 32B")->ours, 25);
    assert_true(check_of("of kmeans far fewer do") && check_of("of most benchmarks no more loads miss"));
    assert_false(check_of("of CLN benchmarks fewer do (1 of 2)"));
    end();
}

static void l2_points_are_compared_with_what_they_belong_to(void **state)
{
    static const char *const names[] = {"mummer", "kmn"};
    (void)state;
    begin(study_of("tsc-l2"), names, 2);
    for (size_t p = 0; p < rig.data.n_points; p++)
        for (size_t b = 0; b < 2; b++) set(b, rig.data.points[p], "l2_misses", 100);
    set(0, "sectored L2", "core_cycles", 500), set(1, "TSC L2", "core_cycles", 250), set(1, "TSC", "core_cycles", 500);
    set(0, "quarter TSC", "l2_misses", 25), set(0, "TSC L2", "l2_writebacks", 50);
    study_report("tsc-l2", &rig.data, &report);
    NEAR(row_of("GM speed, sectored L2 over TSC")->ours, 0); /* twice as fast on one, half as fast on the other */
    NEAR(row_of("GM speed, TSC L2 over sectored L2")->ours, 100 * (sqrt(2) - 1));
    NEAR(row_of("GM L2 misses, quarter TSC over quarter sectored")->ours, -50);
    assert_true(check_of("an L2 of split tags gains over a sectored one"));
    assert_false(check_of("so it does where L2 is a quarter"));
    end();
}

static void window(const char *point, size_t b, uint64_t sectors, uint64_t misses, uint64_t spared)
{
    const struct study_counter counts[] = {
        {"accesses", 1000}, {"sectors", sectors}, {"misses", misses}, {"spared", spared}};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        study_set_mech(&rig, b, point, "tsc_learned", counts[i].name, counts[i].value);
}

/* Two kernels gain by whole lines, and those are the ones whose misses lines would have spared. */
static void a_rule_is_judged_by_what_its_modes_lose(void **state)
{
    static const char *const names[] = {"mummer", "lbm", "histo", "stencil"};
    (void)state;
    begin(study_of("tsc-learned"), names, 4);
    const char *const seen = "observed";
    window(seen, 0, 1000, 500, 0), window(seen, 1, 1000, 500, 20), window(seen, 2, 1000, 500, 480),
        window(seen, 3, 1000, 500, 500);
    for (size_t b = 0; b < 4; b++) window("wide observed", b, 1000, 500, 10 * b);
    set(3, "wide coarse", "core_cycles", 800);
    for (size_t b = 0; b < 4; b++) {
        set(b, "coarse", "core_cycles", b < 2 ? 2000 : 500);
        set(b, "duel", "core_cycles", b < 2 ? 1000 : 800);
        set(b, "learned", "core_cycles", b < 2 ? 1000 : 500);
    }
    study_report("tsc-learned", &rig.data, &report);
    NEAR(row_of("regret, always fine")->ours, 25);
    NEAR(row_of("regret, always coarse")->ours, 25);
    NEAR(row_of("regret, TSC+")->ours, 18.75);
    NEAR(row_of("regret on histo, TSC+")->ours, 37.5);
    NEAR(row_of("of 4, on which coarse mode gains 1 % or more")->ours, 2);
    NEAR(row_of("wide of 4, on which coarse mode gains 1 % or more")->ours, 1);
    NEAR(row_of("wide regret, always fine")->ours, 5);
    NEAR(row_of("wide regret, always coarse")->ours, 0);
    NEAR(row_of("both machines, regret, always fine")->ours, 15);
    NEAR(row_of("regret, learned, families left out")->ours, 0);
    NEAR(row_of("regret, the engine, fitted to these")->ours, 0);
    NEAR(row_of("of 4, on which the rule left out takes the better mode")->ours, 4);
    NEAR(row_of("of 4, on which whole numbers decide as the regression")->ours, 4);
    assert_true(row_of("weight of spared, all benchmarks")->ours > 0);
    assert_true(check_of("on families not seen the learned rule loses less than set duelling"));
    assert_true(check_of("it loses less there than either mode alone"));
    assert_false(check_of("wide it loses less there than either mode alone")); /* coarse mode loses nothing there */
    assert_true(check_of("on both machines together the learned rule loses less"));
    end();
}

static void the_best_limit_on_warps_is_each_benchmarks_own(void **state)
{
    static const char *const names[] = {"mummer", "kmn"};
    (void)state;
    begin(study_of("tsc-throttled"), names, 2);
    set(0, "SWL 2", "core_cycles", 500), set(1, "SWL 8", "core_cycles", 500), set(1, "SWL 2", "core_cycles", 2000);
    set(0, "TSC SWL 4", "core_cycles", 250), set(1, "TSC SWL 4", "core_cycles", 250);
    study_report("tsc-throttled", &rig.data, &report);
    NEAR(row_of("GM best of SWL")->ours, 100);
    NEAR(row_of("GM TSC and best of SWL")->ours, 300);
    assert_true(check_of("a throttled kernel still gains"));
    assert_false(check_of("where loads go around L1"));
    end();
    begin(study_of("tsc-5bit"), names, 2);
    set(0, "TSC 5 bits", "core_cycles", 500), set(0, "TSC", "core_cycles", 400);
    study_report("tsc-5bit", &rig.data, &report);
    NEAR(row_of("storage an L1, TSC 5 bits")->ours, 448.0 / 1024);
    assert_true(repro_direction_ok(&report));
    end();
}

static uint64_t *counter(void *stats, const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            return (uint64_t *)(void *)((char *)stats + gpu_stat_table.rows[i].offset);
    fail_msg("no counter %s", name);
    return NULL;
}

/* 300 of 1000 cycles are left out, unless the launch had ended within them. */
static void what_a_run_did_before_a_cycle_is_left_out(void **state)
{
    (void)state;
    for (int ended = 0; ended < 2; ended++) {
        void *whole = calloc(1, gpu_stat_table.size), *early = calloc(1, gpu_stat_table.size),
             *sum = calloc(1, gpu_stat_table.size);
        struct run_result r = {.stats = whole}, before = {.stats = early, .complete = ended};
        *counter(whole, "core_cycles") = 1000, *counter(early, "core_cycles") = 300;
        /* counted at the end: fewer than there were then */
        *counter(whole, "l2_dirty_lines_left") = 4, *counter(early, "l2_dirty_lines_left") = 9;
        json_t *later = json_pack("[{s:s,s:{s:i}}]", "name", "ccn", "stats", "hits", 50),
               *sooner = json_pack("[{s:s,s:{s:i}}]", "name", "ccn", "stats", "hits", 20), *mechs = json_object();
        r.mechs = later, before.mechs = sooner;
        repro_add_run(sum, mechs, &r, &before);
        assert_int_equal(*counter(sum, "core_cycles"), ended ? 1000 : 700);
        assert_int_equal(*counter(sum, "l2_dirty_lines_left"), ended ? 4 : 0);
        assert_true(json_number_value(json_object_get(json_object_get(mechs, "ccn"), "hits")) == (ended ? 50 : 30));
        json_decref(later);
        json_decref(sooner);
        json_decref(mechs);
        free(whole);
        free(early);
        free(sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_run_did_before_a_cycle_is_left_out),
        cmocka_unit_test(gains_are_geometric_means_over_the_papers_benchmarks_and_losers_are_counted),
        cmocka_unit_test(misses_and_traffic_are_of_an_instruction_and_over_the_baseline),
        cmocka_unit_test(storage_is_worked_out_from_the_points_parameters),
        cmocka_unit_test(a_benchmark_prefers_small_lines_where_they_are_faster),
        cmocka_unit_test(lines_are_shared_out_by_what_was_reused_of_them_and_loads_by_a_miss),
        cmocka_unit_test(l2_points_are_compared_with_what_they_belong_to),
        cmocka_unit_test(a_rule_is_judged_by_what_its_modes_lose),
        cmocka_unit_test(the_best_limit_on_warps_is_each_benchmarks_own),
        cmocka_unit_test(latencies_and_chunks_are_compared_with_what_they_belong_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
