/* Studies as a table: specs, points as configurations, shares, means and reports. */
#include "study_rig.h"

#include <math.h>
#include <string.h>
#include "poise/pipeline.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void load_spec(const struct repro_study *study, const char *config, struct repro_spec *spec)
{
    char path[1024];
    struct error err;
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", study->spec);
    assert_ok(repro_spec_load(spec, path, CONFIGS, config, &err), &err);
}

static struct repro_data data_of(const struct repro_spec *spec)
{
    struct repro_data data = {.n_points = spec->n_points};
    for (size_t p = 0; p < spec->n_points; p++) data.params[p] = spec->params[p];
    memcpy(data.points, spec->points, sizeof data.points);
    return data;
}

/* Chunks and lines of other sizes are for an L1 that takes lines when they miss: on one that streams, a study of
 * these says so. */
static void is_refused(const struct repro_study *study, const char *config)
{
    char path[1024];
    struct error err;
    struct repro_spec spec;
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", study->spec);
    assert_int_equal(-1, repro_spec_load(&spec, path, CONFIGS, config, &err));
    assert_int_equal(2, error_exit_status(&err));
    assert_non_null(strstr(err.text, "point "));
    assert_true(strstr(err.text, "l1.") || strstr(err.text, "l2."));
}

/* Names that a look opens one by one, since patterns mean nothing sealed: all are sealed, or all are of the split
 * development after the look; each has a launch to profile, and no two are of one family. */
static void the_look_is_at_workloads_of_one_split_and_different_families(void **state)
{
    struct pipeline_spec *spec = malloc(sizeof *spec);
    struct registry registry;
    struct error err;
    const struct workload *at[COUNT_OF(spec->evaluation)];
    (void)state;
    assert_ok(pipeline_spec_load(spec, POISE_SOURCE_DIR "/experiments/specs/learned/sealed.yaml", &err), &err);
    assert_ok(registry_load(&registry, POISE_SOURCE_DIR "/datasets/kernels/list.yaml", &err), &err);
    assert_true(spec->n_evaluation >= 8);
    for (size_t i = 0; i < spec->n_evaluation; i++) {
        bool is_profiled = false;
        assert_ok(registry_find(&registry, spec->evaluation[i], &at[i], &err), &err);
        assert_true(at[i]->split == SPLIT_SEALED || at[i]->split == SPLIT_DEVELOPMENT);
        assert_int_equal(at[0]->split, at[i]->split);
        for (size_t k = 0; k < at[i]->n_profiled; k++) is_profiled |= at[i]->profiled[k].size == spec->size;
        if (!is_profiled) fail_msg("%s has no launch to profile", at[i]->name);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(at[k]->family, at[i]->family);
    }
    registry_fini(&registry);
    free(spec);
}

static void every_study_names_its_source_and_a_spec_that_loads_on_other_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_repro_studies; i++) {
        struct repro_spec spec;
        assert_true(strlen(repro_studies[i]->title) && strlen(repro_studies[i]->source));
        for (size_t k = 0; k < i; k++) assert_string_not_equal(repro_studies[i]->id, repro_studies[k]->id);
        if (repro_studies[i]->tell) { /* a pipeline's spec */
            struct pipeline_spec *pipeline = malloc(sizeof *pipeline);
            struct error err;
            char path[512];
            snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", repro_studies[i]->spec);
            assert_ok(pipeline_spec_load(pipeline, path, &err), &err);
            assert_string_equal("kepler32", pipeline->config);
            if (strncmp(repro_studies[i]->id, "learned", 7) == 0)
                assert_int_equal(POINTS_LATTICE, pipeline->points.kind);
            else assert_true(pipeline->points.kind == POINTS_COARSE_TO_FINE && pipeline->n_training == 3);
            free(pipeline);
            continue;
        }
        load_spec(repro_studies[i], NULL, &spec);
        const bool is_elastic = strncmp(repro_studies[i]->id, "elastic-", 8) == 0;
        if (is_elastic) /* the rivals are of the TSC paper's machine first */
            assert_string_equal(repro_studies[i] == &repro_elastic_rivals ? "fermi15-tsc" : "titanv", spec.config);
        else if (strncmp(repro_studies[i]->id, "learned-", 8) == 0) assert_string_equal("kepler32", spec.config);
        /* or its hashed sister */
        else if (strncmp(spec.config, "apu", 3) != 0 && strcmp(spec.config, "thesis-ch3") != 0)
            assert_memory_equal("fermi15", spec.config, 7);
        assert_string_equal("base", spec.points[0]);
        repro_spec_fini(&spec);
        static const char *const others[] = {"kepler32", "volta80", "titanv", "titanx"};
        for (size_t k = 0; k < COUNT_OF(others); k++) {
            const bool is_tsc =
                strncmp(repro_studies[i]->id, "tsc-", 4) == 0 || repro_studies[i] == &repro_elastic_rivals;
            if (is_tsc && strcmp(others[k], "kepler32") != 0) {
                is_refused(repro_studies[i], others[k]);
                continue;
            }
            /* In proportion, L2 has a number of sets that the polynomial hash of newer machines is not defined for. */
            if (repro_studies[i] == &repro_tech_7 && strcmp(others[k], "kepler32") != 0) {
                is_refused(repro_studies[i], others[k]);
                continue;
            }
            /* In proportion, a direct-mapped L1 of kepler32 has more sets than its hash is published for, and its L2 a
             * number of sets that no tag can be split for. */
            if (strcmp(others[k], "kepler32") == 0 &&
                (repro_studies[i] == &repro_elastic_12 || repro_studies[i] == &repro_elastic_16 ||
                 repro_studies[i] == &repro_elastic_assoc || repro_studies[i] == &repro_tsc_l2 ||
                 repro_studies[i] == &repro_elastic_11)) {
                is_refused(repro_studies[i], others[k]);
                continue;
            }
            /* Where stores stay in L1, or take a line of it, an elastic L1 is refused. */
            if (is_elastic && (strcmp(others[k], "titanx") == 0 || strcmp(others[k], "volta80") == 0)) continue;
            load_spec(repro_studies[i], others[k], &spec);
            assert_string_equal(others[k], spec.config);
            repro_spec_fini(&spec);
        }
    }
}

static void an_unknown_study_names_the_nearest(void **state)
{
    (void)state;
    const struct repro_study *study;
    struct error err;
    assert_ok(repro_find("thesis-3.12", &study, &err), &err);
    assert_ptr_equal(&repro_thesis_3_12, study);
    assert_int_equal(-1, repro_find("thesis-tab3.2", &study, &err));
    assert_string_equal("no study 'thesis-tab3.2'; did you mean 'thesis-tab-3.2'?", err.text);
    assert_int_equal(2, error_exit_status(&err));
}

static void the_point_all_multiplies_every_row_of_table_3_3_by_4_and_keeps_L2_at_768_KB(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"dram", "queue"},
                                          {"dram", "banks"},
                                          {"dram", "bus_bytes"},
                                          {"l2", "miss_queue"},
                                          {"l2", "response_queue"},
                                          {"l2", "mshrs"},
                                          {"l2", "access_queue"},
                                          {"l2", "data_port_bytes"},
                                          {"xbar", "request_flit_bytes"},
                                          {"xbar", "reply_flit_bytes"},
                                          {"l2", "banks"},
                                          {"l1", "miss_queue"},
                                          {"l1", "mshrs"},
                                          {"lsu", "pending_requests"}};
    struct repro_spec spec;
    load_spec(&repro_thesis_3_10, NULL, &spec);
    const struct repro_data data = data_of(&spec);
    const size_t all = repro_point(&data, "all");
    assert_true(all < data.n_points);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        NEAR(4, repro_param(&data, all, rows[i][0], rows[i][1]) / repro_param(&data, 0, rows[i][0], rows[i][1]));
    for (size_t p = 0; p < data.n_points; p++)
        NEAR(768 * 1024, repro_param(&data, p, "l2", "banks") * repro_param(&data, p, "l2", "sets") *
                             repro_param(&data, p, "l2", "ways") * 128);
    repro_spec_fini(&spec);
}

/* Rows of THESIS Tab. 3.1 and 3.3: where the parameter is, the baseline, the cost-effective value of 16+48. */
static void every_row_of_tables_3_1_and_3_3_is_a_parameter_of_fermi15(void **state)
{
    (void)state;
    static const struct {
        const char *row, *group, *name;
        double base, cost_effective;
    } rows[] = {{"SMs", "core", "sms", 15, 15},
                {"core clock", "clock", "core_mhz", 1400, 1400},
                {"crossbar clock", "clock", "xbar_mhz", 700, 700},
                {"L2 clock", "clock", "l2_mhz", 700, 700},
                {"command clock", "clock", "dram_mhz", 924, 924},
                {"threads per SM", "core", "max_threads", 1536, 1536},
                {"registers per SM", "core", "registers", 32768, 32768},
                {"shared memory", "core", "shared_bytes", 49152, 49152},
                {"L1 sets (16 KB)", "l1", "sets", 32, 32},
                {"L1 ways", "l1", "ways", 4, 4},
                {"L1 line", "l1", "line_bytes", 128, 128},
                {"L1 MSHRs", "l1", "mshrs", 32, 48},
                {"L1 miss queue", "l1", "miss_queue", 8, 32},
                {"request flit", "xbar", "request_flit_bytes", 32, 16},
                {"reply flit", "xbar", "reply_flit_bytes", 32, 48},
                {"L2 ways", "l2", "ways", 8, 8},
                {"L2 banks", "l2", "banks", 12, 12},
                {"L2 sets (768 KB)", "l2", "sets", 64, 64},
                {"L2 MSHRs", "l2", "mshrs", 32, 32},
                {"L2 miss queue", "l2", "miss_queue", 8, 32},
                {"L2 data port", "l2", "data_port_bytes", 32, 32},
                {"L2 request queue", "l2", "access_queue", 8, 32},
                {"L2 response queue", "l2", "response_queue", 8, 32},
                {"partitions", "dram", "channels", 6, 6},
                {"bus of a partition", "dram", "bus_bytes", 8, 8},
                {"burst", "dram", "burst", 8, 8},
                {"banks a chip", "dram", "banks", 16, 16},
                {"scheduler queue", "dram", "queue", 16, 16},
                {"CCD", "dram", "tCCD", 2, 2},
                {"RRD", "dram", "tRRD", 6, 6},
                {"RCD", "dram", "tRCD", 12, 12},
                {"RAS", "dram", "tRAS", 28, 28},
                {"RP", "dram", "tRP", 12, 12},
                {"RC", "dram", "tRC", 40, 40},
                {"CL", "dram", "tCL", 12, 12},
                {"WL", "dram", "tWL", 4, 4},
                {"CDLR", "dram", "tCDLR", 5, 5},
                {"WR", "dram", "tWR", 12, 12},
                {"memory pipeline width", "lsu", "pending_requests", 10, 40},
                {"its instructions", "lsu", "pipeline_width", 10, 10}};
    struct repro_spec spec;
    load_spec(&repro_thesis_3_12, NULL, &spec);
    const struct repro_data data = data_of(&spec);
    const size_t cheap = repro_point(&data, "16+48");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double base = repro_param(&data, 0, rows[i].group, rows[i].name),
                     scaled = repro_param(&data, cheap, rows[i].group, rows[i].name);
        if (base != rows[i].base || scaled != rows[i].cost_effective)
            fail_msg("%s: %g and %g", rows[i].row, base, scaled);
    }
    repro_spec_fini(&spec);
}

static void what_cannot_follow_in_proportion_is_told(void **state)
{
    (void)state;
    struct repro_spec spec;
    load_spec(&repro_thesis_3_10, "volta80", &spec);
    const struct repro_data data = data_of(&spec);
    NEAR(256, repro_param(&data, repro_point(&data, "L2"), "l2", "banks"));
    bool is_told = false;
    for (size_t i = 0; i < spec.n_kept; i++)
        is_told |= strstr(spec.kept[i], "point DRAM: dram.tCCD is 1, in proportion it would be 0.5") != NULL;
    assert_true(is_told && spec.n_kept < COUNT_OF(spec.kept));
    repro_spec_fini(&spec);
    load_spec(&repro_thesis_3_10, NULL, &spec);
    assert_int_equal(0, spec.n_kept);
    repro_spec_fini(&spec);
}

static void on_another_configuration_a_point_keeps_its_ratios(void **state)
{
    (void)state;
    struct repro_spec spec;
    load_spec(&repro_thesis_3_10, "kepler32", &spec);
    const struct repro_data data = data_of(&spec);
    const size_t l2 = repro_point(&data, "L2");
    NEAR(32, repro_param(&data, l2, "core", "sms"));
    NEAR(96, repro_param(&data, l2, "l2", "banks"));
    NEAR(21, repro_param(&data, l2, "l2", "sets")); /* 85 / 4 = 21.25 */
    repro_spec_fini(&spec);
    load_spec(&repro_thesis_3_2, "kepler32", &spec);
    const struct repro_data latency = data_of(&spec);
    NEAR(300, repro_param(&latency, repro_point(&latency, "300 cycles"), "ideal", "latency_cycles"));
    repro_spec_fini(&spec);
}

static void a_wrong_spec_names_its_line(void **state)
{
    (void)state;
    const char *text = "schema: 1\nkind: repro\nname: t\nconfig: fermi15\nquick: {size: test}\nfull: {size: small}\n"
                       "points:\n  - {name: a, set: {l2.bankz: 3}}\n";
    struct repro_spec spec;
    struct error err;
    assert_int_equal(-1, repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err));
    assert_int_equal(8, err.line);
    assert_non_null(strstr(err.text, "banks"));
    text = "schema: 1\nkind: repro\nname: t\nconfig: fermi15\nquick: {size: test}\nfull: {size: small}\npoints: "
           "[{name: base}]\n";
    assert_int_equal(-1, repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err));
    assert_non_null(strstr(err.text, "a second point 'base'"));
    text = "schema: 1\nkind: repro\nname: t\nconfig: fermi15\nquick: {size: test}\nfull: {size: small}\npoints:\n  - "
           "{name: a, mech: [swl, bukl]}\n";
    assert_int_equal(-1, repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err));
    assert_int_equal(8, err.line);
    assert_non_null(strstr(err.text, "did you mean 'bucl'"));
}

static void a_point_runs_its_own_stack_or_the_specs_or_gto(void **state)
{
    (void)state;
    const char *text =
        "schema: 1\nkind: repro\nname: t\nconfig: fermi15\nquick: {size: test}\nfull: {size: small}\nmech: divergence\n"
        "points: [{name: a, mech: [\"swl,N=3\", bucl]}, {name: b}]\n";
    struct repro_spec spec;
    struct error err;
    assert_ok(repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err), &err);
    assert_true(spec.n_stacks[0] == 1 && spec.n_stacks[1] == 2 && spec.n_stacks[2] == 1);
    assert_string_equal("divergence", mech_name(spec.stacks[0][0].type));
    assert_string_equal("swl", mech_name(spec.stacks[1][0].type));
    assert_string_equal("bucl", mech_name(spec.stacks[1][1].type));
    assert_string_equal("divergence", mech_name(spec.stacks[2][0].type));
    repro_spec_fini(&spec);
    load_spec(&repro_thesis_3_1, NULL, &spec);
    assert_string_equal("gto", mech_name(spec.stacks[0][0].type));
    repro_spec_fini(&spec);
}

static void shares_sum_to_100_percent_and_a_benchmark_without_stalls_is_left_out_of_the_mean(void **state)
{
    (void)state;
    static const struct repro_share shares[] = {{"queue", {"l1d_fail_queue_cycles", NULL}, 48},
                                                {"MSHR", {"l1d_fail_mshr_cycles", "l1d_fail_merge_cycles"}, 41},
                                                {"line", {"l1d_fail_line_cycles", NULL}, 11}};
    struct repro_benchmark benchmarks[3] = {{.name = "a"}, {.name = "b"}, {.name = "none"}};
    struct repro_data data = {.n_points = 1, .benchmarks = benchmarks, .n = 3};
    struct repro_report report = {0};
    double out[3], means[3];
    for (size_t b = 0; b < 3; b++) assert_non_null(benchmarks[b].stats[0] = calloc(1, gpu_stat_table.size));
    set_counter(benchmarks[0].stats[0], "l1d_fail_queue_cycles", 50);
    set_counter(benchmarks[0].stats[0], "l1d_fail_mshr_cycles", 20);
    set_counter(benchmarks[0].stats[0], "l1d_fail_merge_cycles", 10);
    set_counter(benchmarks[0].stats[0], "l1d_fail_line_cycles", 20);
    set_counter(benchmarks[1].stats[0], "l1d_fail_queue_cycles", 7);
    assert_true(repro_shares_of(benchmarks[0].stats[0], shares, 3, out));
    NEAR(50, out[0]);
    NEAR(30, out[1]);
    NEAR(100, out[0] + out[1] + out[2]);
    repro_shares(&data, shares, 3, means, &report);
    NEAR(75, means[0]);
    NEAR(15, means[1]);
    NEAR(100, means[0] + means[1] + means[2]);
    assert_int_equal(12, report.n_rows);
    assert_string_equal("mean queue", report.rows[0].label);
    assert_true(isnan(report.rows[9].ours));
    assert_int_equal(1, report.n_deviations);
    repro_report_fini(&report);
    for (size_t b = 0; b < 3; b++) free(benchmarks[b].stats[0]);
}

static void means_leave_out_what_is_not_a_number(void **state)
{
    (void)state;
    const double values[] = {1, NAN, 4};
    NEAR(2.5, repro_mean(MEAN_ARITHMETIC, values, 3));
    NEAR(1.6, repro_mean(MEAN_HARMONIC, values, 3));
    NEAR(2, repro_mean(MEAN_GEOMETRIC, values, 3));
    assert_true(isnan(repro_mean(MEAN_ARITHMETIC, values + 1, 1)));
}

static void speedup_counts_instructions_a_second_so_a_clock_10_percent_higher_at_the_same_ipc_is_1_1(void **state)
{
    (void)state;
    struct repro_spec spec;
    load_spec(&repro_thesis_3_11, NULL, &spec);
    struct repro_benchmark benchmark = {.name = "a"};
    struct repro_data data = data_of(&spec);
    data.benchmarks = &benchmark;
    data.n = 1;
    for (size_t p = 0; p < data.n_points; p++) {
        assert_non_null(benchmark.stats[p] = calloc(1, gpu_stat_table.size));
        set_counter(benchmark.stats[p], "core_cycles", 100);
        set_counter(benchmark.stats[p], "thread_insts", 3200);
    }
    NEAR(1, repro_speedup(&data, 0, 0));
    NEAR(1.1, repro_speedup(&data, 0, repro_point(&data, "core 1540 MHz")));
    for (size_t p = 0; p < data.n_points; p++) free(benchmark.stats[p]);
    repro_spec_fini(&spec);
}

static void a_check_that_fails_turns_direction_ok_off(void **state)
{
    (void)state;
    struct repro_report report = {0};
    const struct repro_options options = {0};
    assert_false(repro_direction_ok(&report));
    repro_row(&report, NAN, 1.5, "x", "row %d", 1);
    repro_check(&report, true, "one");
    assert_true(repro_direction_ok(&report));
    repro_check(&report, false, "two of %d", 3);
    assert_false(repro_direction_ok(&report));
    assert_int_equal(0, report.n_deviations); /* a statement that does not hold stands among the statements */
    assert_string_equal("two of 3", report.checks[1].text);
    repro_deviation(&report, "known: %d", 4);
    assert_string_equal("known: 4", report.deviations[0]);
    const struct repro_result result = {.report = report, .config = "fermi15"};
    json_t *json = repro_json(&repro_thesis_3_1, &options, &result);
    static const char *const keys[] = {"id", "rows", "direction_ok", "deviations", "mode", "points"};
    for (size_t i = 0; i < COUNT_OF(keys); i++) assert_non_null(json_object_get(json, keys[i]));
    json_t *row = json_array_get(json_object_get(json, "rows"), 0);
    assert_true(json_is_null(json_object_get(row, "paper")));
    NEAR(1.5, json_real_value(json_object_get(row, "ours")));
    json_decref(json);
    repro_report_fini(&report);
}

static char *table(const struct repro_report *report, unsigned width)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    repro_print_table(report, width, out);
    fclose(out);
    return text;
}

static void a_run_that_failed_is_a_row_that_says_so(void **state)
{
    (void)state;
    struct repro_report report = {0};
    repro_cell(&report, NAN, 2, "x", "mm", "PerfX");
    repro_cell(&report, 1.5, 0.39, "x", "mvt", "PerfX");
    repro_failed(&report, "nothing goes on any more (core cycle 150000)\nsm 0: 8 CTAs");
    assert_true(isnan(report.rows[1].ours));
    char *text = table(&report, 100);
    assert_non_null(strstr(text, "mvt           1.50    failed\n"));
    assert_non_null(strstr(text, "mvt, PerfX, failed: nothing goes on any more (core cycle 150000)\n"));
    free(text);
    text = table(&report, 0);
    assert_non_null(strstr(text, "| mvt | 1.5 | failed |"));
    free(text);
    const struct repro_options options = {0};
    const struct repro_result result = {.report = report};
    json_t *json = repro_json(&repro_ccn_tab_4_2, &options, &result);
    const json_t *row = json_array_get(json_object_get(json, "rows"), 1);
    assert_true(json_is_null(json_object_get(row, "ours")));
    assert_string_equal("nothing goes on any more (core cycle 150000)",
                        json_string_value(json_object_get(row, "failed")));
    assert_null(json_object_get(json_array_get(json_object_get(json, "rows"), 0), "failed"));
    json_decref(json);
    repro_report_fini(&report);
}

/* Means of the paper's programs have the others' beside them; benchmarks stand behind each other. */
static void other_programs_have_a_column_of_their_own(void **state)
{
    (void)state;
    struct repro_report own = {0}, others = {0};
    repro_row(&own, 2.37, 2.5, "x", "mean P_inf");
    repro_cell(&own, 4.9, 3, "x", "mm", "P_inf");
    assert_false(repro_has_others(&own));
    repro_row(&others, 2.37, 3.5, "x", "mean P_inf");
    repro_cell(&others, NAN, 4, "x", "mvt", "P_inf");
    repro_add_others(&own, &others);
    assert_true(repro_has_others(&own));
    assert_int_equal(3, own.n_rows);
    NEAR(2.5, own.rows[0].ours);
    NEAR(3.5, own.rows[0].others);
    assert_string_equal("mvt P_inf", own.rows[2].label);
    struct repro_result result = {.report = own};
    struct repro_options options = {0};
    json_t *json = repro_json(&repro_thesis_tab_3_2, &options, &result),
           *row = json_array_get(json_object_get(json, "rows"), 0);
    NEAR(3.5, json_number_value(json_object_get(row, "others")));
    json_decref(json);
    repro_report_fini(&own);
    repro_report_fini(&others);
}

static void every_study_of_chapter_3_names_the_19_programs_of_table_3_2(void **state)
{
    (void)state;
    const struct repro_study *const studies[] = {&repro_thesis_3_1,  &repro_thesis_3_2,  &repro_thesis_tab_3_2,
                                                 &repro_thesis_3_10, &repro_thesis_3_11, &repro_thesis_3_12};
    for (size_t i = 0; i < COUNT_OF(studies); i++) {
        struct repro_spec spec;
        load_spec(studies[i], NULL, &spec);
        assert_int_equal(19, spec.n_paper_kernels);
        assert_string_equal("leukocyte", spec.paper_kernels[18]);
        repro_spec_fini(&spec);
    }
}

static void values_of_benchmarks_become_a_table_with_the_papers_beside_ours(void **state)
{
    (void)state;
    struct repro_report report = {0};
    char *text = table(&report, 100);
    assert_string_equal("", text); /* nothing of benchmarks */
    free(text);
    repro_row(&report, 1, 2, "x", "mean");
    repro_cell(&report, NAN, 1.5, "x", "mm", "SWL per kernel");
    repro_cell(&report, 6.2, 6.25, "x", "mm", "P_best");
    repro_cell(&report, NAN, 0.0625, "x", "mvt/0", "SWL per kernel");
    assert_string_equal("mvt/0 SWL per kernel", report.rows[3].label);
    text = table(&report, 100);
    assert_string_equal("\nIn x:\n\n           SWL per    P_best          \n            kernel     paper    P_best\n"
                        "mm            1.50      6.20      6.25\nmvt/0         0.06         -         -\n",
                        text);
    free(text);
    text = table(&report, 20); /* room for one column at a time */
    assert_non_null(strstr(text, "\n            P_best\n             paper\nmm            6.20\nmvt/0            -\n"));
    free(text);
    text = table(&report, 0);
    assert_string_equal("\n| | SWL per kernel, x | P\\_best, x, paper | P\\_best, x |\n|---|---|---|---|\n| mm | 1.5 | "
                        "6.2 | 6.25 |\n| mvt/0 | 0.0625 | | |\n",
                        text);
    free(text);
    repro_cell(&report, NAN, 3, "warps", "mm", "N");
    text = table(&report, 100);
    assert_non_null(strstr(text, "N warps\n")); /* units that differ stand above their columns */
    free(text);
    const struct repro_options options = {0};
    const struct repro_result result = {.report = report, .config = "fermi15"};
    json_t *json = repro_json(&repro_thesis_3_1, &options, &result), *rows = json_object_get(json, "rows");
    assert_null(json_object_get(json_array_get(rows, 0), "benchmark"));
    assert_string_equal("mvt/0", json_string_value(json_object_get(json_array_get(rows, 3), "benchmark")));
    json_decref(json);
    repro_report_fini(&report);
}

static void a_suites_values_are_judged_by_side_rank_and_factor_of_the_gain(void **state)
{
    struct repro_report report = {0};
    static const struct {
        const char *name;
        double paper, suite;
        int direction, order, magnitude;
    } rows[] = {{"mvt", 3, 4, 1, 1, 1}, {"mm", 6, 20, 1, 1, 0}, {"bfs", 1.5, 0.8, 0, 0, 0}, {"ss", 1.2, 0.9, 0, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        repro_cell(&report, rows[i].paper, 1, "x", rows[i].name, "P_best");
        report.rows[i].suite = rows[i].suite;
    }
    repro_row(&report, 20.6, 12, "%", "mean");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(rows[i].direction, repro_row_direction(&report, i, OF_SUITE));
        assert_int_equal(rows[i].order, repro_row_order(&report, i, OF_SUITE));
        assert_int_equal(rows[i].magnitude, repro_row_magnitude(&report, i, OF_SUITE));
    }
    assert_int_equal(-1, repro_row_direction(&report, 4, OF_SUITE));
    assert_int_equal(-1, repro_row_order(&report, 4, OF_SUITE));
    assert_int_equal(-1, repro_row_magnitude(&report, 4, OF_SUITE)); /* nothing was measured */
    repro_report_fini(&report);
}

/* Pairs of a paper's value and ours, alone in a report. */
static int answer_of(double paper, double ours, const char *unit,
                     int (*answer)(const struct repro_report *, size_t, enum repro_of))
{
    struct repro_report report = {0};
    repro_row(&report, paper, ours, unit, "row");
    const int is = answer(&report, 0, OF_OURS);
    repro_report_fini(&report);
    return is;
}

static void a_row_is_met_by_direction_order_and_magnitude_of_its_gain_alone(void **state)
{
    static const struct {
        double paper, ours;
        const char *unit;
        int direction, magnitude;
    } rows[] = {
        {20, 0.26, "%", 1, 0}, {7.4, 24.1, "%", 1, 0},     {21.5, 62.8, "%", 1, 0},    {15.6, 12, "%", 1, 1},
        {1, -0.5, "%", 0, 1},  {-1.7, 2.7, "%", 0, 0},     {-6.2, -1.6, "%", 1, 0},    {0, 1.9, "%", 1, 1},
        {0, 2.1, "%", 0, 0},   {1.1, 1.13, "x", 1, 1},     {1.2, 1.1, "x", 1, 0},      {1.1, 0.99, "x", 0, 0},
        {1, 1.01, "x", 1, 1},  {2.37, 2.09, "x", 1, 1},    {452, 301, "cycles", 1, 0}, {452, 302, "cycles", 1, 1},
        {2, 1, "of 15", 1, 0}, {40, 20, "clusters", 1, 0}, {10, -1, "points", 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const int direction = answer_of(rows[i].paper, rows[i].ours, rows[i].unit, repro_row_direction),
                  magnitude = answer_of(rows[i].paper, rows[i].ours, rows[i].unit, repro_row_magnitude),
                  met = answer_of(rows[i].paper, rows[i].ours, rows[i].unit, repro_row_met);
        if (direction != rows[i].direction || magnitude != rows[i].magnitude)
            fail_msg("%g for %g %s: direction %d, magnitude %d", rows[i].ours, rows[i].paper, rows[i].unit, direction,
                     magnitude);
        assert_int_equal(direction && magnitude, met);
    }
    /* A miss in sign is never met, whatever the distance. */
    for (double paper = -3; paper <= 3; paper += 0.25)
        for (double ours = -3; ours <= 3; ours += 0.25)
            if (paper * ours < 0) assert_int_equal(0, answer_of(paper, ours, "%", repro_row_met));
    assert_int_equal(-1, answer_of(NAN, 1, "%", repro_row_met));
    assert_int_equal(0, answer_of(1, NAN, "%", repro_row_met)); /* not measured is not met */
    assert_int_equal(-1, answer_of(1, NAN, "%", repro_row_direction));
}

static void order_is_asked_of_rivals_alone_and_denominators_have_what_was_not_measured(void **state)
{
    struct repro_report report = {0};
    (void)state;
    repro_row(&report, 7.4, 8, "%", "LAMAR");
    repro_row(&report, 10.4, 9, "%", "DSC-2");
    repro_row(&report, 15.6, 15, "%", "TSC");
    repro_row(&report, 15.6, 14, "%", "TSC again");  /* as in the paper: no order between the two */
    repro_row(&report, 452, 1, "cycles", "latency"); /* of another unit */
    for (size_t i = 0; i < report.n_rows; i++) assert_int_equal(1, repro_row_order(&report, i, OF_OURS));
    report.rows[0].ours = 9.5; /* above DSC-2 now: the order of both is wrong, of the others not */
    assert_int_equal(0, repro_row_order(&report, 0, OF_OURS));
    assert_int_equal(0, repro_row_order(&report, 1, OF_OURS));
    assert_int_equal(1, repro_row_order(&report, 2, OF_OURS));
    snprintf(report.rows[0].rivals, sizeof report.rows[0].rivals, "area"); /* its study compares it with others */
    assert_int_equal(1, repro_row_order(&report, 1, OF_OURS));
    report.rows[1].within = 1.1; /* and has a band of its own for this one */
    report.rows[1].points = 0.5;
    repro_row(&report, 17.2, NAN, "%", "TSC+");
    repro_row(&report, NAN, 3, "%", "ours");
    const struct repro_answers a = repro_answers(&report, OF_OURS);
    assert_int_equal(6, a.rows);
    assert_int_equal(5, a.measured);
    assert_int_equal(5, a.direction);
    assert_int_equal(5, a.order);
    assert_int_equal(3, a.magnitude); /* not the latency, and not DSC-2, 1.16 times apart */
    assert_int_equal(3, a.met);
    const struct repro_options options = {0};
    const struct repro_result result = {.report = report, .config = "fermi15"};
    json_t *json = repro_json(repro_studies[0], &options, &result), *rows = json_object_get(json, "rows");
    assert_true(json_is_true(json_object_get(json_array_get(rows, 2), "met")));
    assert_true(json_is_false(json_object_get(json_array_get(rows, 4), "magnitude")));
    assert_true(json_is_false(json_object_get(json_array_get(rows, 5), "met")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 5), "direction")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 6), "met")));
    assert_int_equal(6, json_integer_value(json_object_get(json_object_get(json, "answers"), "rows")));
    assert_int_equal(3, json_integer_value(json_object_get(json_object_get(json, "answers"), "met")));
    json_decref(json);
    repro_report_fini(&report);
}

static void a_cap_keeps_each_programs_launches_up_to_the_one_that_reaches_it(void **state)
{
    static const struct workload a = {.name = "a"}, b = {.name = "b"};
    static const struct {
        const struct workload *workload;
        int32_t input;
        uint64_t warp_insts;
        bool is_kept;
    } rows[] = {{&a, 0, 60, true}, {&a, 0, 40, true}, {&a, 0, 10, false}, {&a, 1, 99, true},
                {&a, 1, 1, true},  {&a, 1, 1, false}, {&b, 1, 500, true}, {&b, 1, 5, false}};
    struct launches list = {0};
    struct error err;
    size_t kept = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct launch launch = {.workload = rows[i].workload,
                                      .input = rows[i].input,
                                      .index = (uint32_t)i,
                                      .warp_insts = rows[i].warp_insts};
        assert_ok(launches_add(&list, &launch, &err), &err);
    }
    launches_cap(&list, 0);
    assert_int_equal(COUNT_OF(rows), list.n);
    launches_cap(&list, 100);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].is_kept) assert_int_equal(i, list.items[kept++].index);
    assert_int_equal(kept, list.n);
    launches_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_failed_is_a_row_that_says_so),
        cmocka_unit_test(a_suites_values_are_judged_by_side_rank_and_factor_of_the_gain),
        cmocka_unit_test(a_row_is_met_by_direction_order_and_magnitude_of_its_gain_alone),
        cmocka_unit_test(order_is_asked_of_rivals_alone_and_denominators_have_what_was_not_measured),
        cmocka_unit_test(a_cap_keeps_each_programs_launches_up_to_the_one_that_reaches_it),
        cmocka_unit_test(other_programs_have_a_column_of_their_own),
        cmocka_unit_test(every_study_of_chapter_3_names_the_19_programs_of_table_3_2),
        cmocka_unit_test(values_of_benchmarks_become_a_table_with_the_papers_beside_ours),
        cmocka_unit_test(the_look_is_at_workloads_of_one_split_and_different_families),
        cmocka_unit_test(every_study_names_its_source_and_a_spec_that_loads_on_other_machines),
        cmocka_unit_test(an_unknown_study_names_the_nearest),
        cmocka_unit_test(the_point_all_multiplies_every_row_of_table_3_3_by_4_and_keeps_L2_at_768_KB),
        cmocka_unit_test(every_row_of_tables_3_1_and_3_3_is_a_parameter_of_fermi15),
        cmocka_unit_test(what_cannot_follow_in_proportion_is_told),
        cmocka_unit_test(on_another_configuration_a_point_keeps_its_ratios),
        cmocka_unit_test(a_wrong_spec_names_its_line),
        cmocka_unit_test(a_point_runs_its_own_stack_or_the_specs_or_gto),
        cmocka_unit_test(shares_sum_to_100_percent_and_a_benchmark_without_stalls_is_left_out_of_the_mean),
        cmocka_unit_test(means_leave_out_what_is_not_a_number),
        cmocka_unit_test(speedup_counts_instructions_a_second_so_a_clock_10_percent_higher_at_the_same_ipc_is_1_1),
        cmocka_unit_test(a_check_that_fails_turns_direction_ok_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
