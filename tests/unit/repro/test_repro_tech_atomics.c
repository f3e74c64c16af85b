/* The studies of fast atomics, over measurements of our making. */
#include "study_rig.h"

#include <math.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static struct study_rig rig;
static void cycles(size_t b, const char *point, uint64_t n) { study_set(&rig, b, point, "core_cycles", n); }

static struct repro_report report;
static void tell(const struct repro_study *study)
{
    report = (struct repro_report){0};
    study_report(study->id, &rig.data, &report);
}

static void contributions_are_stacked_and_the_worst_program_is_found(void **state)
{
    static const char *const names[] = {"histcopies/0", "reduction/0"};
    (void)state;
    study_begin_even(&rig, study_of("tech-2"), names, 2);
    cycles(0, "AtomNaive", 1000), cycles(1, "AtomNaive", 2000);
    cycles(0, "AtomDir", 500), cycles(1, "AtomDir", 1250);
    cycles(0, "topology", 400), cycles(1, "topology", 1250);
    cycles(0, "speculation", 320), cycles(1, "speculation", 1250);
    study_set_mech(&rig, 0, "AtomDir", "atomdir", "self_satisfied", 10),
        study_set_mech(&rig, 0, "AtomDir", "atomdir", "acquisitions", 100);
    study_set_mech(&rig, 1, "AtomDir", "atomdir", "self_satisfied", 0),
        study_set_mech(&rig, 1, "AtomDir", "atomdir", "acquisitions", 100);
    study_set_mech(&rig, 0, "topology", "atomdir", "self_satisfied", 20),
        study_set_mech(&rig, 0, "topology", "atomdir", "acquisitions", 50);
    study_set_mech(&rig, 0, "AtomNaive", "atomnaive", "self_satisfied", 9),
        study_set_mech(&rig, 0, "AtomNaive", "atomnaive", "acquisitions", 10);
    study_set_mech(&rig, 0, "speculation", "atomdir", "speculative", 8),
        study_set_mech(&rig, 0, "speculation", "atomdir", "speculative_good", 2);
    tell(study_of("tech-2"));
    NEAR(study_row(&report, "AtomNaive over atomics at L2")->ours, 100 * (sqrt(0.5) - 1));
    NEAR(study_row(&report, "AtomDir over atomics at L2")->ours, 100 * (sqrt(2 * 0.8) - 1));
    NEAR(study_row(&report, "AtomNaive, its worst program")->ours, -50);
    NEAR(study_row(&report, "AtomDir: requests that the SM answers itself at once")->ours, 5);
    NEAR(study_row(&report, "AtomDir + topology: requests that the SM answers itself at once")->ours, 40);
    NEAR(study_row(&report, "speculative fetches that could be used")->ours, 25);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    study_set_mech(&rig, 1, "AtomNaive", "atomnaive", "lost_updates", 1);
    cycles(1, "speculation", 5000);
    tell(study_of("tech-2"));
    assert_false(study_check(&report, "every atomic sees all before it"));
    assert_false(study_check(&report, "speculative fetches gain on top"));
    repro_report_fini(&report);
    study_end(&rig);
}

/* Each against atomics at L2 at the same latency: it pays from the first latency on from which it does so at all larger
 * ones. */
static void a_scheme_pays_from_the_latency_on_that_it_never_loses_again(void **state)
{
    static const char *const names[] = {"histcopies/0"};
    (void)state;
    study_begin_even(&rig, study_of("tech-3"), names, 1);
    cycles(0, "base 60", 500), cycles(0, "AtomDir 60", 1000);
    cycles(0, "base 90", 1000), cycles(0, "AtomDir 90", 900);
    cycles(0, "base 120", 1000), cycles(0, "AtomDir 120", 1001);
    cycles(0, "base 180", 1500), cycles(0, "AtomDir 180", 1000);
    for (size_t i = 0; i < rig.data.n_points; i++)
        if (strncmp(rig.data.points[i], "AtomDir ", 8) == 0 && strtoul(rig.data.points[i] + 8, NULL, 10) > 180)
            cycles(0, rig.data.points[i], 800);
    tell(study_of("tech-3"));
    NEAR(study_row(&report, "AtomDir, L2 at 60 cycles")->ours, -50);
    NEAR(study_row(&report, "AtomDir, L2 at 180 cycles")->ours, 50);
    NEAR(study_row(&report, "AtomDir pays from this latency of L2 on")->ours, 180);
    assert_true(
        /* never more than atomics at L2 */
        isnan(study_row(&report, "topology pays from this latency of L2 on")->ours));
    assert_true(study_check(&report, "AtomDir gains less where L2 is near"));
    repro_report_fini(&report);
    study_end(&rig);
}

static void programs_that_differ_in_who_meets_are_set_side_by_side(void **state)
{
    static const char *const names[] = {"histcopies/0", "histcopies/4", "histogram/1"};
    (void)state;
    study_begin_even(&rig, study_of("tech-4"), names, 3);
    cycles(0, "AtomDir", 800), cycles(1, "AtomDir", 2000);
    tell(study_of("tech-4"));
    NEAR(study_row(&report, "AtomDir, histcopies/0")->ours, 25);
    assert_true(study_check(&report, "one a block against one for all"));
    assert_int_equal(report.n_checks, 1); /* the other pairs were not measured */
    repro_report_fini(&report);
    study_end(&rig);
}

static void sweeps_name_every_point_and_find_false_conflicts(void **state)
{
    static const char *const names[] = {"histcopies/0"};
    (void)state;
    study_begin_even(&rig, study_of("tech-5"), names, 1);
    cycles(0, "wires 1", 2000), cycles(0, "wires 64", 1000), cycles(0, "token 8", 1500);
    study_set_mech(&rig, 0, "wires 1", "atomnaive", "busy_waits", 100),
        study_set_mech(&rig, 0, "wires 1", "atomnaive", "busy_conflicts", 90);
    study_set_mech(&rig, 0, "wires 64", "atomnaive", "busy_waits", 10),
        study_set_mech(&rig, 0, "wires 64", "atomnaive", "busy_conflicts", 1);
    tell(study_of("tech-5"));
    NEAR(study_row(&report, "wires 1, over atomics at L2")->ours, -50);
    NEAR(study_row(&report, "wires 1: stalled acquisitions for an update of another mutex")->ours, 90);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    study_end(&rig);
    study_begin_even(&rig, study_of("tech-6"), names, 1);
    cycles(0, "hop 4", 900), cycles(0, "owner hop 4", 1000);
    study_set_mech(&rig, 0, "epoch 64", "atomdir", "speculative", 10),
        study_set_mech(&rig, 0, "epoch 64", "atomdir", "speculative_good", 1);
    study_set_mech(&rig, 0, "mutexes 256", "atomdir", "slowest_write", 700);
    tell(study_of("tech-6"));
    NEAR(study_row(&report, "epoch 64: speculative fetches that could be used")->ours, 10);
    NEAR(study_row(&report, "the slowest write to L2, which an epoch must exceed where releases do not wait for it")
             ->ours,
         700);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    study_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contributions_are_stacked_and_the_worst_program_is_found),
        cmocka_unit_test(a_scheme_pays_from_the_latency_on_that_it_never_loses_again),
        cmocka_unit_test(programs_that_differ_in_who_meets_are_set_side_by_side),
        cmocka_unit_test(sweeps_name_every_point_and_find_false_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
