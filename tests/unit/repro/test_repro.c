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
    for (size_t i = 0; i < repro_list_n(studies()); i++) {
        struct repro_spec spec;
        const struct repro_study *study = repro_list_at(studies(), i);
        assert_true(strlen(study->title) && strlen(study->source));
        for (size_t k = 0; k < i; k++) assert_string_not_equal(study->id, repro_list_at(studies(), k)->id);
        if (study->tell) { /* a pipeline's spec */
            struct pipeline_spec *pipeline = malloc(sizeof *pipeline);
            struct error err;
            char path[512];
            snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s", study->spec);
            assert_ok(pipeline_spec_load(pipeline, path, &err), &err);
            assert_string_equal("kepler32", pipeline->config);
            if (strncmp(study->id, "learned", 7) == 0) assert_int_equal(POINTS_LATTICE, pipeline->points.kind);
            else assert_true(pipeline->points.kind == POINTS_COARSE_TO_FINE && pipeline->n_training == 3);
            free(pipeline);
            continue;
        }
        load_spec(study, NULL, &spec);
        const bool is_elastic = strncmp(study->id, "elastic-", 8) == 0;
        if (is_elastic) /* the rivals are of the TSC paper's machine first */
            assert_string_equal(study == study_of("elastic-rivals") ? "fermi15-tsc" : "titanv", spec.config);
        else if (strncmp(study->id, "learned-", 8) == 0 || strncmp(study->id, "thesis-5.", 9) == 0 ||
                 strncmp(study->id, "thesis-5-", 9) == 0 || strcmp(study->id, "combinations") == 0 ||
                 strcmp(study->id, "prefetch") == 0)
            assert_string_equal("kepler32", spec.config);
        /* or its hashed sister */
        else if (strncmp(spec.config, "apu", 3) != 0 && strcmp(spec.config, "thesis-ch3") != 0)
            assert_memory_equal("fermi15", spec.config, 7);
        assert_string_equal("base", spec.points[0]);
        repro_spec_fini(&spec);
        static const char *const others[] = {"kepler32", "volta80", "titanv", "titanx"};
        for (size_t k = 0; k < COUNT_OF(others); k++) {
            const bool is_tsc = strncmp(study->id, "tsc-", 4) == 0 || study == study_of("elastic-rivals");
            if (is_tsc && strcmp(others[k], "kepler32") != 0) {
                is_refused(study, others[k]);
                continue;
            }
            /* In proportion, L2 has a number of sets that the polynomial hash of newer machines is not defined for. */
            if (study == study_of("tech-7") && strcmp(others[k], "kepler32") != 0) {
                is_refused(study, others[k]);
                continue;
            }
            /* In proportion, a direct-mapped L1 of kepler32 has more sets than its hash is published for, and its L2 a
             * number of sets that no tag can be split for. */
            if (strcmp(others[k], "kepler32") == 0 &&
                (study == study_of("elastic-12") || study == study_of("elastic-16") ||
                 study == study_of("elastic-assoc") || study == study_of("tsc-l2") ||
                 study == study_of("elastic-11"))) {
                is_refused(study, others[k]);
                continue;
            }
            /* Where stores stay in L1, or take a line of it, an elastic L1 is refused. */
            if (is_elastic && (strcmp(others[k], "titanx") == 0 || strcmp(others[k], "volta80") == 0)) continue;
            load_spec(study, others[k], &spec);
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
    assert_ok(repro_list_find(studies(), "thesis-3.12", &study, &err), &err);
    assert_ptr_equal(study_of("thesis-3.12"), study);
    assert_int_equal(-1, repro_list_find(studies(), "thesis-tab3.2", &study, &err));
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
    load_spec(study_of("thesis-3.10"), NULL, &spec);
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
    load_spec(study_of("thesis-3.12"), NULL, &spec);
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
    load_spec(study_of("thesis-3.10"), "volta80", &spec);
    const struct repro_data data = data_of(&spec);
    NEAR(256, repro_param(&data, repro_point(&data, "L2"), "l2", "banks"));
    bool is_told = false;
    for (size_t i = 0; i < spec.n_kept; i++)
        is_told |= strstr(spec.kept[i], "point DRAM: dram.banks is 64, in proportion it would be 128") != NULL;
    assert_true(is_told && spec.n_kept < COUNT_OF(spec.kept));
    repro_spec_fini(&spec);
    load_spec(study_of("thesis-3.10"), NULL, &spec);
    assert_int_equal(0, spec.n_kept);
    repro_spec_fini(&spec);
}

static void on_another_configuration_a_point_keeps_its_ratios(void **state)
{
    (void)state;
    struct repro_spec spec;
    load_spec(study_of("thesis-3.10"), "kepler32", &spec);
    const struct repro_data data = data_of(&spec);
    const size_t l2 = repro_point(&data, "L2");
    NEAR(32, repro_param(&data, l2, "core", "sms"));
    NEAR(96, repro_param(&data, l2, "l2", "banks"));
    NEAR(21, repro_param(&data, l2, "l2", "sets")); /* 85 / 4 = 21.25 */
    repro_spec_fini(&spec);
    load_spec(study_of("thesis-3.2"), "kepler32", &spec);
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
    text = "schema: 1\nkind: repro\nname: t\nconfig: fermi15\nquick: {max_cycles: 90, from_cycle: 90}\nfull: {size: "
           "small}\n";
    assert_int_equal(-1, repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err));
    assert_non_null(strstr(err.text, "from_cycle must be below max_cycles"));
}

static void a_spec_of_mixes_says_which_programs_and_how_much_of_each(void **state)
{
    (void)state;
    const char *text = "schema: 1\nkind: repro\nname: t\nconfig: apu-llc\nquick: {insts: 5000}\nfull: {size: small}\n"
                       "programs: [scan, perl]\n";
    struct repro_spec spec;
    struct error err;
    assert_ok(repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err), &err);
    assert_true(spec.n_programs == 2 && strcmp(spec.programs[1], "perl") == 0);
    assert_true(spec.scopes[0].insts == 5000 && spec.scopes[1].insts == REPRO_INSTS_DEFAULT);
    repro_spec_fini(&spec);
    text = "schema: 1\nkind: repro\nname: t\nconfig: apu-llc\nquick: {insts: 5}\nfull: {size: small}\n";
    assert_int_equal(-1, repro_spec_parse(&spec, "t.yaml", text, strlen(text), CONFIGS, NULL, &err));
    assert_int_equal(5, err.line);
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
    load_spec(study_of("thesis-3.1"), NULL, &spec);
    assert_string_equal("gto", mech_name(spec.stacks[0][0].type));
    repro_spec_fini(&spec);
}

static void shares_sum_to_100_percent_and_a_benchmark_without_stalls_is_left_out_of_the_mean(void **state)
{
    static const char *const names[] = {"mvt", "bfs", "none"};
    struct study_rig rig;
    struct repro_report report = {0};
    (void)state;
    study_begin(&rig, study_of("thesis-3.9"), names, 3, NULL, 0);
    study_set(&rig, 0, "base", "l1d_fail_queue_cycles", 50);
    study_set(&rig, 0, "base", "l1d_fail_mshr_cycles", 20);
    study_set(&rig, 0, "base", "l1d_fail_merge_cycles", 10);
    study_set(&rig, 0, "base", "l1d_fail_line_cycles", 20);
    study_set(&rig, 1, "base", "l1d_fail_queue_cycles", 7);
    study_report("thesis-3.9", &rig.data, &report);
    NEAR(50, study_row(&report, "mvt bp-L2")->ours);
    NEAR(30, study_row(&report, "mvt MSHR")->ours);
    NEAR(75, study_row(&report, "mean bp-L2")->ours);
    NEAR(15, study_row(&report, "mean MSHR")->ours);
    NEAR(10, study_row(&report, "mean cache line")->ours);
    assert_int_equal(12, report.n_rows);
    assert_true(isnan(study_row(&report, "none bp-L2")->ours));
    assert_int_equal(1, report.n_deviations);
    assert_string_equal("1 of 3 benchmarks have none of these cycles and are left out of the means",
                        report.deviations[0]);
    repro_report_fini(&report);
    study_end(&rig);
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
    load_spec(study_of("thesis-3.11"), NULL, &spec);
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
    json_t *json = repro_json(study_of("thesis-3.1"), &options, &result);
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
    repro_failed(&report, "nothing can continue (core cycle 150000)\nsm 0: 8 CTAs");
    assert_true(isnan(report.rows[1].ours));
    char *text = table(&report, 100);
    assert_non_null(strstr(text, "mvt           1.50    failed\n"));
    assert_non_null(strstr(text, "mvt, PerfX, failed: nothing can continue (core cycle 150000)\n"));
    free(text);
    text = table(&report, 0);
    assert_non_null(strstr(text, "| mvt | 1.5 | failed |"));
    free(text);
    const struct repro_options options = {0};
    const struct repro_result result = {.report = report};
    json_t *json = repro_json(study_of("ccn-tab-4.2"), &options, &result);
    const json_t *row = json_array_get(json_object_get(json, "rows"), 1);
    assert_true(json_is_null(json_object_get(row, "ours")));
    assert_string_equal("nothing can continue (core cycle 150000)", json_string_value(json_object_get(row, "failed")));
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
    json_t *json = repro_json(study_of("thesis-tab-3.2"), &options, &result),
           *row = json_array_get(json_object_get(json, "rows"), 0);
    NEAR(3.5, json_number_value(json_object_get(row, "others")));
    json_decref(json);
    repro_report_fini(&own);
    repro_report_fini(&others);
}

static void every_study_of_chapter_3_names_the_19_programs_of_table_3_2(void **state)
{
    (void)state;
    const struct repro_study *const studies[] = {study_of("thesis-3.1"),     study_of("thesis-3.2"),
                                                 study_of("thesis-tab-3.2"), study_of("thesis-3.10"),
                                                 study_of("thesis-3.11"),    study_of("thesis-3.12")};
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
    json_t *json = repro_json(study_of("thesis-3.1"), &options, &result), *rows = json_object_get(json, "rows");
    assert_null(json_object_get(json_array_get(rows, 0), "benchmark"));
    assert_string_equal("mvt/0", json_string_value(json_object_get(json_array_get(rows, 3), "benchmark")));
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
        uint64_t left;
    } rows[] = {{&a, 0, 60, true, 0}, {&a, 0, 40, true, 0},  {&a, 0, 10, false, 0},   {&a, 1, 99, true, 0},
                {&a, 1, 1, true, 0},  {&a, 1, 1, false, 0},  {&b, 1, 500, true, 100}, {&b, 1, 5, false, 0},
                {&b, 2, 70, true, 0}, {&b, 2, 70, true, 30}, {&a, 0, 60, true, 0},    {&a, 0, 41, true, 40}};
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
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!rows[i].is_kept) continue;
        assert_int_equal(0, launches_left(&list, kept, 0));
        assert_int_equal(rows[i].left, launches_left(&list, kept, 100));
        assert_int_equal(i, list.items[kept++].index);
    }
    assert_int_equal(kept, list.n);
    launches_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_failed_is_a_row_that_says_so),
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
        cmocka_unit_test(a_spec_of_mixes_says_which_programs_and_how_much_of_each),
        cmocka_unit_test(a_point_runs_its_own_stack_or_the_specs_or_gto),
        cmocka_unit_test(shares_sum_to_100_percent_and_a_benchmark_without_stalls_is_left_out_of_the_mean),
        cmocka_unit_test(means_leave_out_what_is_not_a_number),
        cmocka_unit_test(speedup_counts_instructions_a_second_so_a_clock_10_percent_higher_at_the_same_ipc_is_1_1),
        cmocka_unit_test(a_check_that_fails_turns_direction_ok_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
