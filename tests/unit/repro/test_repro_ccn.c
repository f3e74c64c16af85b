/* The studies of THESIS chapter 4, over measurements of our making. */
#include "rig.h"

#include <jansson.h>
#include <math.h>
#include "poise/repro.h"

#define CONFIGS POISE_SOURCE_DIR "/experiments/configs"
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static struct repro_spec spec;
static struct repro_benchmark benchmarks[2];
static struct repro_data data;

static void counter(size_t b, const char *point, const char *name, uint64_t value)
{
    const size_t p = repro_point(&data, point);
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            memcpy((char *)benchmarks[b].stats[p] + gpu_stat_table.rows[i].offset, &value, sizeof value);
}
static void seen(size_t b, const char *point, const char *mech, const char *name, uint64_t value)
{
    json_t *all = benchmarks[b].mechs[repro_point(&data, point)];
    if (!json_object_get(all, mech)) json_object_set_new(all, mech, json_object());
    json_object_set_new(json_object_get(all, mech), name, json_integer((json_int_t)value));
}
/* Every point takes 1000 cycles for 1000 instructions, with 100 requests to L2, on two benchmarks. */
static void begin(const struct repro_study *study)
{
    static const char *const names[] = {"cutcp", "b+tree"};
    char path[1024];
    struct error err;
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", study->spec);
    assert_ok(repro_spec_load(&spec, path, CONFIGS, NULL, &err), &err);
    data = (struct repro_data){.n_points = spec.n_points, .benchmarks = benchmarks, .n = 2};
    memcpy(data.points, spec.points, sizeof data.points);
    for (size_t p = 0; p < spec.n_points; p++) data.params[p] = spec.params[p];
    for (size_t b = 0; b < 2; b++) {
        benchmarks[b].name = names[b];
        for (size_t p = 0; p < spec.n_points; p++) {
            assert_non_null(benchmarks[b].stats[p] = calloc(1, gpu_stat_table.size));
            assert_non_null(benchmarks[b].mechs[p] = json_object());
            counter(b, spec.points[p], "core_cycles", 1000);
            counter(b, spec.points[p], "thread_insts", 1000);
            counter(b, spec.points[p], "warp_insts", 1000);
            counter(b, spec.points[p], "request_packets", 100);
        }
    }
}
static void end(struct repro_report *report)
{
    repro_report_fini(report);
    for (size_t b = 0; b < 2; b++)
        for (size_t p = 0; p < data.n_points; p++) {
            free(benchmarks[b].stats[p]);
            json_decref(benchmarks[b].mechs[p]);
        }
    repro_spec_fini(&spec);
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

static void gains_have_an_arithmetic_mean_beside_the_papers(void **state)
{
    struct repro_report report = {0};
    (void)state;
    begin(&repro_ccn_4_6);
    counter(0, "CCN-RT", "core_cycles", 500);
    counter(1, "CCN-RT", "core_cycles", 800);
    counter(0, "CCN-B", "core_cycles", 500);
    counter(0, "ideal", "core_cycles", 250);
    repro_ccn_4_6.report(&repro_ccn_4_6, &data, &report);
    NEAR(row_of(&report, "mean gain, CCN-RT")->ours, (100 + 25) / 2.0);
    NEAR(row_of(&report, "mean gain, CCN-RT")->paper, 14.7);
    NEAR(row_of(&report, "cutcp ideal")->ours, 300);
    assert_true(check_of(&report, "the ideal network gains more") && check_of(&report, "CCN-B and CCN-RT gain"));
    end(&report);
}

/* The network is judged against SMs of the same width. */
static void wider_sms_are_compared_with_their_like(void **state)
{
    struct repro_report report = {0};
    (void)state;
    begin(&repro_ccn_4_15);
    for (size_t b = 0; b < 2; b++) counter(b, "64 lanes", "core_cycles", 800);
    counter(0, "64 lanes CCN-RT", "core_cycles", 400);
    counter(1, "64 lanes CCN-RT", "core_cycles", 800);
    counter(0, "CCN-RT", "core_cycles", 500);
    repro_ccn_4_15.report(&repro_ccn_4_15, &data, &report);
    NEAR(row_of(&report, "mean gain over the same width without it, 64 lanes CCN-RT")->ours, 50);
    NEAR(row_of(&report, "cutcp CCN-RT")->ours, 100);
    NEAR(row_of(&report, "cutcp 64 lanes CCN-RT")->ours, 100);
    NEAR(row_of(&report, "cutcp 64 units CCN-RT")->ours, 0);
    end(&report);
}

/* Runs that a limit of cycles stopped are compared by what an instruction asks for. */
static void traffic_is_an_instructions(void **state)
{
    struct repro_report report = {0};
    (void)state;
    begin(&repro_ccn_4_8);
    counter(0, "CCN-RT", "warp_insts", 2000); /* as many requests for twice the instructions */
    counter(1, "CCN-RT", "request_packets", 90);
    repro_ccn_4_8.report(&repro_ccn_4_8, &data, &report);
    NEAR(row_of(&report, "cutcp CCN-RT")->ours, -50);
    NEAR(row_of(&report, "mean change of requests to L2, CCN-RT")->ours, -30);
    NEAR(row_of(&report, "mean change of requests to L2, CCN-RT")->paper, -29);
    end(&report);
}

/* The thesis's own terms give its own latency: 300, 29 %, 42, 54 and 78 are 208 cycles. */
static void the_terms_of_the_model_are_those_of_equation_4_3(void **state)
{
    static const char *const both[] = {"base", "2x banks", "2x banks CCN-RT", "same direction", "CCN-RT"};
    struct repro_report report = {0};
    (void)state;
    begin(&repro_ccn_model);
    for (size_t i = 0; i < COUNT_OF(both); i++) counter(0, both[i], "l1d_fills", 1000);
    counter(0, "base", "miss_latency_sum", 300 * 1000);
    counter(0, "2x banks", "miss_latency_sum", 220 * 1000);
    counter(0, "2x banks CCN-RT", "miss_latency_sum", 180 * 1000);
    counter(0, "CCN-RT", "miss_latency_sum", (300 - 78 + 54) * 710 + 42 * 290);
    seen(0, "CCN-RT", "ccn", "hits", 290);
    seen(0, "CCN-RT", "ccn", "hit_cycles", 42 * 290);
    seen(0, "CCN-RT", "ccn", "hit_hops", 10 * 290);
    seen(0, "CCN-RT", "ccn", "returned", 710);
    seen(0, "CCN-RT", "ccn", "round_cycles", 54 * 710);
    repro_ccn_model.report(&repro_ccn_model, &data, &report);
    NEAR(row_of(&report, "l_O: L1 miss to data without the network")->ours, 300);
    NEAR(row_of(&report, "h_reuse: misses that other L1s answer")->ours, 29);
    NEAR(row_of(&report, "l_reuse: L1 miss to data of these")->ours, 42);
    NEAR(row_of(&report, "delta_overhead: a round without a hit")->ours, 54);
    NEAR(row_of(&report, "delta_cong: what L2 is faster with the network")->ours, 78);
    NEAR(row_of(&report, "delta_cong with twice the banks")->ours, 80);
    NEAR(row_of(&report, "l_C with the network, measured (Eq. 4.3)")->ours, 208.14);
    NEAR(row_of(&report, "l_C with the network by Eq. 4.1 from our terms")->ours, 208.14);
    NEAR(row_of(&report, "links of a request that hits and its response")->ours, 10);
    NEAR(row_of(&report, "misses that go straight to L2")->ours, 0);
    assert_true(check_of(&report, "a round costs less than L2 gains") &&
                check_of(&report, "both together have the lowest latency"));
    end(&report);
}

static void reuse_is_told_by_benchmark_and_by_distance(void **state)
{
    struct repro_report report = {0};
    (void)state;
    begin(&repro_ccn_tab_4_2);
    for (size_t b = 0; b < 2; b++) seen(b, "sharing", "sharing", "misses", 200);
    seen(0, "sharing", "sharing", "reused", 150);
    seen(1, "sharing", "sharing", "reused", 50);
    seen(0, "sharing", "sharing", "copies", 80);
    seen(0, "sharing", "sharing", "distance_4", 60);
    repro_ccn_tab_4_2.report(&repro_ccn_tab_4_2, &data, &report);
    NEAR(row_of(&report, "mean reuse coefficient")->ours, 50);
    NEAR(row_of(&report, "cutcp mu_RC")->ours, 75);
    NEAR(row_of(&report, "cutcp mu_RC")->paper, 78);
    NEAR(row_of(&report, "b+tree PerfX")->paper, 2.21);
    repro_report_fini(&report);
    repro_ccn_4_2.report(&repro_ccn_4_2, &data, &report);
    NEAR(row_of(&report, "cutcp, four SMs away")->ours, 75);
    assert_true(isnan(row_of(&report, "b+tree distance 4")->ours));
    end(&report);
}

/* What the network adds to a mechanism is against that mechanism alone, benchmark by benchmark. */
static void stacks_are_compared_with_what_stands_alone(void **state)
{
    struct repro_report report = {0};
    (void)state;
    begin(&repro_ccn_stacks);
    for (size_t b = 0; b < 2; b++) counter(b, "TSC", "core_cycles", 500);
    counter(0, "TSC CCN-RT", "core_cycles", 250);
    counter(1, "TSC CCN-RT", "core_cycles", 500);
    for (size_t b = 0; b < 2; b++)
        seen(b, "all pollute", "sharing", "misses", 10), seen(b, "all pollute", "sharing", "reused", 6);
    for (size_t b = 0; b < 2; b++)
        seen(b, "1 pollutes", "sharing", "misses", 10), seen(b, "1 pollutes", "sharing", "reused", 7);
    repro_ccn_stacks.report(&repro_ccn_stacks, &data, &report);
    NEAR(row_of(&report, "mean gain, TSC")->ours, 100);
    NEAR(row_of(&report, "mean gain, TSC CCN-RT")->ours, 200);
    NEAR(row_of(&report, "mean gain of CCN-RT over TSC alone")->ours, 50);
    NEAR(row_of(&report, "mean mu_RC, 1 pollutes")->ours, 70);
    assert_true(check_of(&report, "the network adds to TSC") && !check_of(&report, "the network adds to Poise"));
    assert_false(check_of(&report, "L1s share less"));
    end(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_have_an_arithmetic_mean_beside_the_papers),
        cmocka_unit_test(wider_sms_are_compared_with_their_like),
        cmocka_unit_test(traffic_is_an_instructions),
        cmocka_unit_test(the_terms_of_the_model_are_those_of_equation_4_3),
        cmocka_unit_test(reuse_is_told_by_benchmark_and_by_distance),
        cmocka_unit_test(stacks_are_compared_with_what_stands_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
