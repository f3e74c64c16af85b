/* The study of off-chip traffic, over measurements of our making. */
#include "study_rig.h"

#include <math.h>

static struct study_rig rig;
static struct repro_report report;

static double ours(const char *label) { return study_row(&report, label)->ours; }

static int begin(void **state)
{
    static const char *const names[] = {"fft", "hotspot"};
    static const char *const sizes[] = {"252 KB", "base", "2 MB", "4 MB"};
    static const struct study_counter usual[] = {{"dram_reads", 60000}, {"dram_writes", 40000}};
    (void)state;
    report = (struct repro_report){0};
    study_begin(&rig, study_of("tech-7"), names, COUNT_OF(names), usual, COUNT_OF(usual));
    for (size_t b = 0; b < COUNT_OF(names); b++)
        for (size_t p = 0; p < rig.spec.n_points; p++)
            study_set_mech(&rig, b, rig.spec.points[p], "write_buffer", "c_lost_reads", 7);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) assert_true(repro_point(&rig.data, sizes[i]) < rig.spec.n_points);
    return 0;
}

static int end(void **state)
{
    (void)state;
    repro_report_fini(&report);
    study_end(&rig);
    return 0;
}

static void what_marking_saves_is_reads_and_writes_together_over_those_under_lru(void **state)
{
    (void)state;
    study_set(&rig, 0, "768 KB marked", "dram_reads", 50000);
    study_set(&rig, 0, "768 KB marked", "dram_writes", 10000);
    study_set(&rig, 0, "2 MB marked", "dram_reads", 0);
    study_set(&rig, 0, "768 KB protected", "dram_reads", 50000);
    study_set(&rig, 1, "768 KB protected", "dram_writes", 30000);
    study_set(&rig, 0, "2 MB protected", "dram_writes", 0);
    study_set(&rig, 0, "768 KB by hand", "dram_reads", 59000);
    study_set(&rig, 1, "768 KB by hand", "dram_writes", 39000);
    study_set(&rig, 1, "2 MB by rule", "dram_writes", 60000);
    study_report("tech-7", &rig.data, &report);
    assert_true(fabs(ours("fft 768 KB saved") - 40) < 1e-9);
    assert_true(fabs(ours("hotspot 768 KB saved")) < 1e-9);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 768 KB") - 20) < 1e-9);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 2 MB") - 30) < 1e-9);
    assert_true(ours("fft 768 KB marked lost reads") == 7 && ours("fft 252 KB LRU reads") == 60);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 768 KB, protected from loads too") - 10) < 1e-9);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 768 KB, marked by hand") - 1) < 1e-9);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 2 MB, marked by rule") + 10) < 1e-9);
    assert_true(ours("reads of lost data, 2 MB, by hand") == 2 * 7);
    assert_true(repro_direction_ok(&report));
}

static void without_any_change_the_paper_is_not_borne_out(void **state)
{
    (void)state;
    study_report("tech-7", &rig.data, &report);
    assert_int_equal(report.n_checks, 8);
    for (size_t i = 0; i < report.n_checks; i++) assert_false(report.checks[i].holds);
}

static void programs_have_no_shards(void **state)
{
    (void)state;
    assert_true(study_of("tech-7")->runs_programs);
    assert_false(study_of("tech-8")->runs_programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_marking_saves_is_reads_and_writes_together_over_those_under_lru, begin,
                                        end),
        cmocka_unit_test_setup_teardown(without_any_change_the_paper_is_not_borne_out, begin, end),
        cmocka_unit_test(programs_have_no_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
