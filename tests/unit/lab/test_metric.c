/* Formulas over statistics, against a calculator. */
#include "rig.h"

#include <math.h>
#include "studies/sweep/metric.h"
#include "poise/runner.h"

static const struct gpu_stats *reference; /* of another machine */
static struct gpu_params *machine;

static double value(const char *formula, const struct gpu_stats *stats, const struct gpu_stats *baseline)
{
    char text[512];
    struct yaml_file *file;
    struct metric m;
    struct error err;
    snprintf(text, sizeof text, "f: \"%s\"\n", formula);
    assert_ok(yaml_parse(&file, "m.yaml", text, strlen(text), &err), &err);
    assert_ok(metric_read(&m, "f", file, yaml_get(yaml_root(file), "f"), &err), &err);
    yaml_file_free(file);
    const struct metric_run run = {stats, {.params = machine}}, base = {baseline, {.params = machine}},
                            beside = {reference, {.params = machine}};
    return metric_value(&m, &run, &base, &beside);
}

static void precedence_parentheses_signs_and_blanks_are_those_of_a_calculator(void **state)
{
    (void)state;
    struct gpu_stats *s = stats_from_json("{\"warp_insts\": 1000, \"l1d_misses\": 30}"),
                     *b = stats_from_json("{\"warp_insts\": 500}");
    static const struct {
        const char *formula;
        double is;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"16 / 4 / 2", 2},
        {"-2 * -3", 6},
        {"2--1", 3},
        {" 1e3*.5 ", 500},
        {"1000 * l1d_misses / warp_insts", 30},
        {"warp_insts / baseline.warp_insts", 2},
        {"max(1, min(7, 3)) + 1", 4},
        {"-(l1d_misses - 1)", -29},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (fabs(value(cases[i].formula, s, b) - cases[i].is) > 1e-12)
            fail_msg("%s = %g", cases[i].formula, value(cases[i].formula, s, b));
    assert_true(isnan(value("1 / (warp_insts - 1000)", s, b)));
    assert_true(isnan(value("baseline.warp_insts", s, NULL)));
    assert_true(isnan(value("max(1, 0 / 0)", s, b)));
    assert_true(isnan(value("reference.warp_insts", s, b)));
    reference = b;
    assert_true(value("reference.warp_insts + baseline.warp_insts", s, s) == 1500);
    reference = NULL;
    free(s);
    free(b);
}

static void time_and_energy_are_figures_of_the_machine(void **state)
{
    (void)state;
    struct gpu_stats *s = stats_from_json("{\"core_cycles\": 2800, \"warp_insts\": 10}"),
                     *b = stats_from_json("{\"core_cycles\": 1400, \"warp_insts\": 10}");
    machine = gpu_params_new(); /* 1400 MHz */
    assert_true(value("time_us", s, b) == 2 && value("baseline.time_us / time_us", s, b) == 0.5);
    assert_true(value("energy_j", s, b) > 0 && fabs(value("energy / energy_j", s, b) - 1) < 1e-12);
    assert_true(fabs(value("edp / (energy_j * time_us / 1000000)", s, b) - 1) < 1e-12);
    assert_true(fabs(value("ed2p / (edp * time_us / 1000000)", s, b) - 1) < 1e-12);
    assert_true(fabs(value("energy_j / baseline.energy_j", s, b) - 2) < 1e-9);
    assert_true(value("energy_static_j + energy_constant_j", s, b) < value("energy_j", s, b));
    gpu_params_free(machine);
    machine = NULL;
    assert_true(isnan(value("energy_j", s, b))); /* nobody says of which machine */
    free(s);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_parentheses_signs_and_blanks_are_those_of_a_calculator),
        cmocka_unit_test(time_and_energy_are_figures_of_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
