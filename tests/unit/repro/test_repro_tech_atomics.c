/* The studies of fast atomics, over measurements of our making. */
#include "rig.h"

#include <jansson.h>
#include <math.h>
#include "poise/repro.h"

#define CONFIGS POISE_SOURCE_DIR "/experiments/configs"
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void set_counter(struct gpu_stats *stats, const char *name, uint64_t value)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            memcpy((char *)stats + gpu_stat_table.rows[i].offset, &value, sizeof value);
}

/* Every point of a study's spec takes 1000 cycles for 1000 instructions on each of the named benchmarks. */
static struct repro_spec spec;
static struct repro_benchmark benchmarks[4];
static struct repro_data data;
static void begin(const struct repro_study *study, const char *const *names, size_t n)
{
    char path[1024];
    struct error err;
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", study->spec);
    assert_ok(repro_spec_load(&spec, path, CONFIGS, NULL, &err), &err);
    data = (struct repro_data){.n_points = spec.n_points, .benchmarks = benchmarks, .n = n};
    memcpy(data.points, spec.points, sizeof data.points);
    for (size_t p = 0; p < spec.n_points; p++) data.params[p] = spec.params[p];
    for (size_t b = 0; b < n; b++) {
        benchmarks[b].name = names[b];
        for (size_t p = 0; p < spec.n_points; p++) {
            assert_non_null(benchmarks[b].stats[p] = calloc(1, gpu_stat_table.size));
            assert_non_null(benchmarks[b].mechs[p] = json_object());
            set_counter(benchmarks[b].stats[p], "core_cycles", 1000);
            set_counter(benchmarks[b].stats[p], "thread_insts", 1000);
        }
    }
}
static void end(void)
{
    for (size_t b = 0; b < data.n; b++)
        for (size_t p = 0; p < data.n_points; p++) {
            free(benchmarks[b].stats[p]);
            json_decref(benchmarks[b].mechs[p]);
        }
    repro_spec_fini(&spec);
}
static void cycles(size_t b, const char *point, uint64_t n)
{
    set_counter(benchmarks[b].stats[repro_point(&data, point)], "core_cycles", n);
}
static const struct repro_row *row_of(const struct repro_report *report, const char *label)
{
    for (size_t i = 0; i < report->n_rows; i++)
        if (strcmp(report->rows[i].label, label) == 0) return &report->rows[i];
    fail_msg("no row '%s'", label);
    return NULL;
}
static bool check_of(const struct repro_report *report, const char *text)
{
    for (size_t i = 0; i < report->n_checks; i++)
        if (strstr(report->checks[i].text, text)) return report->checks[i].holds;
    fail_msg("no check '%s'", text);
    return false;
}

/* A mechanism's counter at a point. */
static void mech_counter(size_t b, const char *point, const char *mech, const char *name, int value)
{
    json_t *all = benchmarks[b].mechs[repro_point(&data, point)], *own = json_object_get(all, mech);
    if (!own) json_object_set_new(all, mech, own = json_object());
    json_object_set_new(own, name, json_integer(value));
}

static struct repro_report report;
static void tell(const struct repro_study *study)
{
    report = (struct repro_report){0};
    study->report(study, &data, &report);
}

static void contributions_are_stacked_and_the_worst_program_is_found(void **state)
{
    static const char *const names[] = {"histcopies/0", "reduction/0"};
    (void)state;
    begin(&repro_tech_2, names, 2);
    cycles(0, "AtomNaive", 1000), cycles(1, "AtomNaive", 2000);
    cycles(0, "AtomDir", 500), cycles(1, "AtomDir", 1250);
    cycles(0, "topology", 400), cycles(1, "topology", 1250);
    cycles(0, "speculation", 320), cycles(1, "speculation", 1250);
    mech_counter(0, "AtomDir", "atomdir", "self_satisfied", 10),
        mech_counter(0, "AtomDir", "atomdir", "acquisitions", 100);
    mech_counter(1, "AtomDir", "atomdir", "self_satisfied", 0),
        mech_counter(1, "AtomDir", "atomdir", "acquisitions", 100);
    mech_counter(0, "topology", "atomdir", "self_satisfied", 20),
        mech_counter(0, "topology", "atomdir", "acquisitions", 50);
    mech_counter(0, "speculation", "atomdir", "speculative", 8),
        mech_counter(0, "speculation", "atomdir", "speculative_good", 2);
    tell(&repro_tech_2);
    NEAR(row_of(&report, "AtomNaive over atomics at L2")->ours, 100 * (sqrt(0.5) - 1));
    NEAR(row_of(&report, "AtomDir over atomics at L2")->ours, 100 * (sqrt(2 * 0.8) - 1));
    NEAR(row_of(&report, "AtomNaive, its worst program")->ours, -50);
    NEAR(row_of(&report, "AtomDir: requests that the SM answers itself at once")->ours, 5);
    NEAR(row_of(&report, "AtomDir + topology: requests that the SM answers itself at once")->ours, 40);
    NEAR(row_of(&report, "speculative fetches that could be used")->ours, 25);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    mech_counter(1, "AtomNaive", "atomnaive", "lost_updates", 1);
    cycles(1, "speculation", 5000);
    tell(&repro_tech_2);
    assert_false(check_of(&report, "every atomic sees all before it"));
    assert_false(check_of(&report, "speculative fetches gain on top"));
    repro_report_fini(&report);
    end();
}

/* Each against atomics at L2 at the same latency: it pays from the first latency on from which it does so at all larger
 * ones. */
static void a_scheme_pays_from_the_latency_on_that_it_never_loses_again(void **state)
{
    static const char *const names[] = {"histcopies/0"};
    (void)state;
    begin(&repro_tech_3, names, 1);
    cycles(0, "base 60", 500), cycles(0, "AtomDir 60", 1000);
    cycles(0, "base 90", 1000), cycles(0, "AtomDir 90", 900);
    cycles(0, "base 120", 1000), cycles(0, "AtomDir 120", 1001);
    cycles(0, "base 180", 1500), cycles(0, "AtomDir 180", 1000);
    for (size_t i = 0; i < data.n_points; i++)
        if (strncmp(data.points[i], "AtomDir ", 8) == 0 && strtoul(data.points[i] + 8, NULL, 10) > 180)
            cycles(0, data.points[i], 800);
    tell(&repro_tech_3);
    NEAR(row_of(&report, "AtomDir, L2 at 60 cycles")->ours, -50);
    NEAR(row_of(&report, "AtomDir, L2 at 180 cycles")->ours, 50);
    NEAR(row_of(&report, "AtomDir pays from this latency of L2 on")->ours, 180);
    assert_true(
        isnan(row_of(&report, "topology pays from this latency of L2 on")->ours)); /* never more than atomics at L2 */
    assert_true(check_of(&report, "AtomDir gains less where L2 is near"));
    repro_report_fini(&report);
    end();
}

static void programs_that_differ_in_who_meets_are_set_side_by_side(void **state)
{
    static const char *const names[] = {"histcopies/0", "histcopies/4", "histogram/1"};
    (void)state;
    begin(&repro_tech_4, names, 3);
    cycles(0, "AtomDir", 800), cycles(1, "AtomDir", 2000);
    tell(&repro_tech_4);
    NEAR(row_of(&report, "AtomDir, histcopies/0")->ours, 25);
    assert_true(check_of(&report, "one a block against one for all"));
    assert_int_equal(report.n_checks, 1); /* the other pairs were not measured */
    repro_report_fini(&report);
    end();
}

static void sweeps_name_every_point_and_find_false_conflicts(void **state)
{
    static const char *const names[] = {"histcopies/0"};
    (void)state;
    begin(&repro_tech_5, names, 1);
    cycles(0, "wires 1", 2000), cycles(0, "wires 64", 1000), cycles(0, "token 8", 1500);
    mech_counter(0, "wires 1", "atomnaive", "busy_waits", 100),
        mech_counter(0, "wires 1", "atomnaive", "busy_conflicts", 90);
    mech_counter(0, "wires 64", "atomnaive", "busy_waits", 10),
        mech_counter(0, "wires 64", "atomnaive", "busy_conflicts", 1);
    tell(&repro_tech_5);
    NEAR(row_of(&report, "wires 1, over atomics at L2")->ours, -50);
    NEAR(row_of(&report, "wires 1: stalled acquisitions for an update of another mutex")->ours, 90);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    end();
    begin(&repro_tech_6, names, 1);
    cycles(0, "hop 4", 900), cycles(0, "owner hop 4", 1000);
    mech_counter(0, "epoch 64", "atomdir", "speculative", 10),
        mech_counter(0, "epoch 64", "atomdir", "speculative_good", 1);
    mech_counter(0, "mutexes 256", "atomdir", "slowest_write", 700);
    tell(&repro_tech_6);
    NEAR(row_of(&report, "epoch 64: speculative fetches that could be used")->ours, 10);
    NEAR(row_of(&report, "the slowest write to L2, which an epoch must exceed where releases do not wait for it")->ours,
         700);
    assert_true(repro_direction_ok(&report));
    repro_report_fini(&report);
    end();
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
