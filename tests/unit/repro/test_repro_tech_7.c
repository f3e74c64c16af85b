/* The study of off-chip traffic, over measurements of our making. */
#include "rig.h"

#include <jansson.h>
#include <math.h>
#include "poise/repro.h"

#define CONFIGS POISE_SOURCE_DIR "/experiments/configs"

static struct repro_spec spec;
static struct repro_benchmark benchmarks[2];
static struct repro_data data;
static struct repro_report report;

static void set_counter(size_t b, const char *point, const char *name, uint64_t value)
{
    struct gpu_stats *stats = benchmarks[b].stats[repro_point(&data, point)];
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            memcpy((char *)stats + gpu_stat_table.rows[i].offset, &value, sizeof value);
}

static double ours(const char *label)
{
    for (size_t i = 0; i < report.n_rows; i++)
        if (strcmp(report.rows[i].label, label) == 0) return report.rows[i].ours;
    fail_msg("no row %s", label);
    return 0;
}

static int begin(void **state)
{
    static const char *const names[] = {"fft", "hotspot"};
    static const char *const sizes[] = {"252 KB", "base", "2 MB", "4 MB"};
    struct error err;
    (void)state;
    assert_ok(repro_spec_load(&spec, POISE_SOURCE_DIR "/experiments/specs/techniques/write-buffer.yaml", CONFIGS, NULL, &err), &err);
    data = (struct repro_data){.n_points = spec.n_points, .benchmarks = benchmarks, .n = 2};
    report = (struct repro_report){0};
    memcpy(data.points, spec.points, sizeof data.points);
    for (size_t b = 0; b < 2; b++) {
        benchmarks[b].name = names[b];
        for (size_t p = 0; p < spec.n_points; p++) {
            benchmarks[b].stats[p] = calloc(1, gpu_stat_table.size);
            benchmarks[b].mechs[p] = json_pack("{s:{s:i}}", "write_buffer", "c_lost_reads", 7);
            data.params[p] = spec.params[p];
            set_counter(b, spec.points[p], "dram_reads", 60000);
            set_counter(b, spec.points[p], "dram_writes", 40000);
        }
    }
    for (size_t i = 0; i < COUNT_OF(sizes); i++) assert_true(repro_point(&data, sizes[i]) < spec.n_points);
    return 0;
}

static int end(void **state)
{
    (void)state;
    repro_report_fini(&report);
    for (size_t b = 0; b < 2; b++)
        for (size_t p = 0; p < spec.n_points; p++) {
            free(benchmarks[b].stats[p]);
            json_decref(benchmarks[b].mechs[p]);
        }
    repro_spec_fini(&spec);
    return 0;
}

static void what_marking_saves_is_reads_and_writes_together_over_those_under_lru(void **state)
{
    (void)state;
    set_counter(0, "768 KB marked", "dram_reads", 50000);
    set_counter(0, "768 KB marked", "dram_writes", 10000);
    set_counter(0, "4 MB marked", "dram_reads", 0);
    repro_tech_7.report(&repro_tech_7, &data, &report);
    assert_true(fabs(ours("fft 768 KB saved") - 40) < 1e-9);
    assert_true(fabs(ours("hotspot 768 KB saved")) < 1e-9);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 768 KB") - 20) < 1e-9);
    assert_true(fabs(ours("off-chip traffic saved, mean, L2 of 4 MB") - 30) < 1e-9);
    assert_true(ours("fft 768 KB lost reads") == 7 && ours("fft 252 KB LRU reads") == 60);
    assert_true(repro_direction_ok(&report));
}

static void without_any_change_the_paper_is_not_borne_out(void **state)
{
    (void)state;
    repro_tech_7.report(&repro_tech_7, &data, &report);
    assert_int_equal(report.n_checks, 3);
    for (size_t i = 0; i < report.n_checks; i++) assert_false(report.checks[i].holds);
}

static void programs_have_no_shards(void **state)
{
    (void)state;
    assert_true(repro_has_programs(&repro_tech_7));
    assert_false(repro_has_programs(&repro_tech_8));
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
