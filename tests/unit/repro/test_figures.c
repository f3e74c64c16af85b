/* Files of figures: what they may say, what is wrong in them, and a report of one, whole; what a row answers. */
#include "study_rig.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "poise/file.h"

/* A file of one figure with these lines behind its head. */
static int try_lines(const char *lines, struct error *err)
{
    static const char *const points[] = {"base", "TSC", "SWL 2", "SWL 4"};
    char text[4096];
    snprintf(text, sizeof text,
             "schema: 1\nkind: figures\ngroups: {UC: [kmn, bfs]}\ndefs: {gain: 100 * (speedup - 1), loop: loop + 1}\n"
             "figures:\n  - id: f-1\n    title: a figure\n    at: THESIS Fig. 3.1\n    spec: tsc/schemes.yaml\n%s",
             lines);
    return repro_figures_try("f.yaml", text, strlen(text), points, COUNT_OF(points), err);
}

static void a_wrong_file_says_where_and_what_to_do(void **state)
{
    static const struct {
        const char *lines, *said;
    } rows[] = {
        {"    rows: [{label: a, value: mean(gian)}]",
         "f.yaml:10:30: formula 'mean(gian)', character 6: nothing is called"},
        {"    rows: [{label: a, value: \"mean(gain['TCS'])\"}]", "no point 'TCS' in tsc/schemes.yaml"},
        {"    rows: [{label: a, value: gain}]", "say over which, as in mean(...)"},
        {"    rows: [{label: a, value: \"mean(gain, UX)\"}]", "no group 'UX'"},
        {"    rows: [{label: a, value: mean(loop)}]", "may stand for itself"},
        {"    rows: [{label: a, value: (1 + 2}]", "')' is needed here"},
        {"    rows: [{label: a, value: mean(ccn.hit)}]", "'poise mechs ccn' lists them"},
        {"    rows: [{label: a}]", "f.yaml:10:12: a row needs 'label' and 'value'"},
        {"    rows: [{label: a, vlaue: 1}]", "did you mean 'value'"},
        {"    rows: [{label: $point, value: 1}]", "'$' names a list of 'each'"},
        {"    rows: [{each: {a: [1, 2], b: [1]}, do: []}]", "lists of one length"},
        {"    rows: [{each: {a: points X*}, do: []}]", "no point of the spec has such a name"},
        {"    rows: [{table: UC}]", "a table needs 'columns'"},
        {"    checks: [{text: a}]", "one of 'holds', 'order', 'direction', 'magnitude'"},
        {"    checks: [{text: a, direction: 1, is: up}]", "is: above or below"},
        {"    checks: [{text: a, order: [1]}]", "two formulas or more"},
        {"    checks: [{text: a, magnitude: 1}]", "needs the paper's value"},
        {"    notes: [\"${1 + }\"]", "a number, a name or '(' is needed here"},
        {"    groups: {low: count(speedup > 1) > 0}", "a group's formula is of one benchmark"},
        {"    over: UX", "name a group"},
        {"    mean: median", "mean: arithmetic, harmonic or geometric"},
        {"    rwos: []", "did you mean 'rows'"},
        {"    rows: [{label: a, value: \"summary('model.N')\"}]", "summary() is of figures with 'pipeline'"},
        {"    rows: [{label: a, value: low(speedup)}]", "a value over benchmarks is needed here"},
        {"    rows: [{label: a, value: mean(speedup), interval: no}]", "interval: true, or [LOW, HIGH], or leave it"},
        {"    learn: {a: {from: UX, target: 1, features: {b: 2}}}", "'from' names the group"},
        {"    learn: {a: {from: UC, target: 1}}", "'learn' has {from, target, features}"},
        {"    learn: {a: {from: UC, target: 1, features: {b: 2}, families: [rigde]}}", "families of models"},
        {"    learn: {a: {from: UC, target: gian, features: {b: 2}}}", "nothing is called 'gian'"},
        {"    choose: {a: {from: UC, among: 3, lose: 1}}", "among: \"points GLOB\""},
        {"    choose: {a: {from: UC, among: [1], lose: 1, of_equals: frist}}", "of_equals: last"},
        {"    rows: [{label: a, value: \"amean(predicted('b'))\"}]", "has nothing of this name"},
        {"    rows: [{each: {f: best b}, do: []}]", "'learn' has nothing of this name"},
        {"    windows: {of: sharing}", "windows: {of: MECHANISM"},
        {"    rows: [{label: a, value: \"crosses('SWL *', speedup, 1)\"}]", "',' is needed here"},
        {"    rows: [{label: a, value: mean(ours)}]", "nothing is called 'ours'"},
        {"    maps: [{map: UC, counts: sharing.heat_map, point: X, of: a, x: b, y: c, out_of: 1}]", "no point of the"},
        {"    maps: [{map: UC, counts: sharnig.heat_map, point: TSC, of: a, x: b, y: c}]", "MECHANISM.DETAIL"},
        {"    maps: [{map: UC, counts: sharing.heat_map, point: TSC, of: a, x: b, y: c}]", "needs 'out_of'"},
        {"    pipeline: maybe", "pipeline: true or launches"},
        {"    mixes: no", "mixes: true, or leave it out"},
    };
    struct error err;
    (void)state;
    assert_ok(try_lines("    rows: [{label: a, value: mean(gain)}]", &err), &err);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(-1, try_lines(rows[i].lines, &err));
        assert_int_equal(2, error_exit_status(&err));
        if (!strstr(err.text, rows[i].said) || strncmp(err.text, "f.yaml:", 7) != 0)
            fail_msg("%s\nsays: %s", rows[i].lines, err.text);
    }
}

/* The fuzzer's seed has every construct of the language once. */
static void the_seed_of_the_language_can_be_read(void **state)
{
    static const char *const points[] = {"base", "TSC", "SWL 2", "SWL 4"};
    struct error err;
    char *text;
    size_t size;
    (void)state;
    assert_ok(file_read(&text, &size, POISE_SOURCE_DIR "/tests/fuzz/spec/corpus/figures-language.yaml", &err), &err);
    assert_ok(repro_figures_try("seed", text, size, points, COUNT_OF(points), &err), &err);
    free(text);
}

static void loops_in_loops_have_an_end(void **state)
{
    char lines[2048] = "    rows:\n      - each: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n        do: ";
    struct error err;
    (void)state;
    for (char b = 'b'; b < 'h'; b++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines),
                 "[{each: {%c: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, do: ", b);
    strcat(lines, "[{label: x, value: 1}]");
    for (char b = 'b'; b < 'h'; b++) strcat(lines, "}]");
    assert_int_equal(-1, try_lines(lines, &err));
    assert_non_null(strstr(err.text, "more than 20000 items"));
}

/* Every figure of every file over the points of its spec, on all that formulas can name. */
static void every_figure_of_the_tree_can_be_read(void **state)
{
    static const char *const chosen[] = {"chosen alone", "chosen together", "one for both", "first limited",
                                         "second limited"};
    size_t figures = 0;
    (void)state;
    for (size_t i = 0; i < repro_list_n(studies()); i++) {
        const struct repro_study *study = repro_list_at(studies(), i);
        struct study_rig rig;
        struct repro_report report = {0};
        figures++;
        if (study->tell) { /* of a pipeline, which measured no benchmark; the points are policies */
            json_t *summary = json_pack("{s:[]}", "benchmarks");
            study->tell(study, summary, &report);
            for (size_t k = 0; k < report.n_deviations; k++)
                if (strstr(report.deviations[k], ".yaml:")) fail_msg("%s", report.deviations[k]);
            assert_true(report.n_checks + report.n_deviations > 0);
            repro_report_fini(&report);
            json_decref(summary);
            continue;
        }
        study_begin(&rig, study, NULL, 0, NULL, 0);
        if (study->has_pairs) /* what it chooses are points besides */
            for (size_t k = 0; k < COUNT_OF(chosen); k++)
                snprintf(rig.data.points[rig.data.n_points++], sizeof rig.data.points[0], "%s", chosen[k]);
        study_report(study->id, &rig.data, &report);
        if (report.n_checks + report.n_deviations == 0 && !study->has_combinations)
            fail_msg("%s states nothing", study->id);
        repro_report_fini(&report);
        study_end(&rig);
    }
    assert_true(figures > 80);
}

/* The page's words and figures of one study, over counters of our making: what a reader sees stays as it is. */
static void a_figures_report_is_as_it_was(void **state)
{
    static const char *const names[] = {"kmn", "bfs", "stencil"};
    static const struct study_counter usual[] = {{"core_cycles", 1000}, {"thread_insts", 1000}, {"warp_insts", 1000}};
    struct study_rig rig;
    struct repro_result result = {.config = "fermi15-tsc"};
    const struct repro_options options = {.mode = REPRO_QUICK};
    char *text = NULL, *golden;
    size_t size = 0, golden_size;
    struct error err;
    (void)state;
    study_begin(&rig, study_of("tsc-10b"), names, 3, usual, COUNT_OF(usual));
    study_set(&rig, 0, "TSC", "core_cycles", 800), study_set(&rig, 1, "TSC", "core_cycles", 900);
    study_set(&rig, 2, "TSC", "core_cycles", 870), study_set(&rig, 0, "LAMAR", "core_cycles", 700);
    study_set(&rig, 1, "DSC-4", "core_cycles", 950), study_set(&rig, 2, "TSC+", "core_cycles", 1100);
    study_report("tsc-10b", &rig.data, &result.report);
    FILE *out = open_memstream(&text, &size);
    repro_print(study_of("tsc-10b"), &options, &result, 120, out);
    fclose(out);
    assert_ok(file_read(&golden, &golden_size, POISE_SOURCE_DIR "/tests/golden/tsc-10b.txt", &err), &err);
    if (strcmp(golden, text) != 0) fail_msg("tests/golden/tsc-10b.txt differs from:\n%s", text);
    free(golden);
    free(text);
    repro_report_fini(&result.report);
    study_end(&rig);
}

/* Curves that cross a level, a correlation, and a count of rows: of thesis-3.2 and thesis-tab-5.3, worked out by
 * hand. */
static void a_curve_meets_a_level_on_a_straight_line(void **state)
{
    static const char *const names[] = {"nn", "mm"};
    struct study_rig rig;
    struct repro_report report = {0};
    (void)state;
    study_begin_even(&rig, study_of("thesis-3.2"), names, 2); /* every point is as fast as the base: no crossing */
    for (size_t p = 1; p < rig.data.n_points; p++) {
        const uint64_t slow = p <= 6 ? 500 : 2000; /* nn: twice as fast up to 300 cycles, half as fast from 400 on */
        study_set(&rig, 0, rig.data.points[p], "core_cycles", slow);
    }
    study_report("thesis-3.2", &rig.data, &report);
    assert_true(fabs(study_row(&report, "nn at baseline performance")->ours - (300 + 100 / 1.5)) < 1e-9);
    assert_true(fabs(study_row(&report, "nn plateau's end")->ours - (300 + 100 * 0.1 / 1.5)) < 1e-9);
    assert_true(isnan(study_row(&report, "mm at baseline performance")->ours));
    assert_true(fabs(study_row(&report, "mean latency at baseline performance")->ours - (300 + 100 / 1.5)) < 1e-9);
    assert_true(fabs(study_row(&report, "nn at 0 cycles")->paper - 3.3) < 1e-12 &&
                isnan(study_row(&report, "mm at 0 cycles")->paper));
    assert_true(study_check(&report, "performance falls") && !study_check(&report, "the baseline lies beyond"));
    repro_report_fini(&report);
    study_end(&rig);
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
    json_t *json = repro_json(study_of("thesis-3.1"), &options, &result), *rows = json_object_get(json, "rows");
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

#define RESULTS POISE_SOURCE_DIR "/experiments/results/studies.csv"
#define ORIGINALS POISE_SOURCE_DIR "/experiments/results/originals.csv"
static const char results_head[] =
    "study,kind,what,benchmark,unit,paper,ours,direction,order,magnitude,met,mode,model_version,date\n";

/* No rerun: the page holds what the committed table says, with a mark where a figure is of an older model. */
static void the_page_of_studies_has_every_study_and_is_made_from_the_stored_results(void **state)
{
    struct repro_results *results;
    struct error err;
    char *text, *filled;
    size_t size, filled_size;
    (void)state;
    assert_ok(repro_results_read(&results, RESULTS, &err), &err);
    for (size_t i = 0; i < repro_list_n(studies()); i++)
        if (!repro_results_has(results, repro_list_at(studies(), i)))
            fail_msg("%s has no stored result: poise repro --all %s --results experiments/results/studies.csv",
                     repro_list_at(studies(), i)->id, repro_list_at(studies(), i)->id);
    struct repro_count counts[REPRO_PAPERS_MAX]; /* goals read our table by its columns: suites have one of their own */
    assert_int_equal(0, repro_results_count(results, studies(), OF_SUITE, counts));
    repro_results_free(results);
    assert_ok(repro_results_read(&results, ORIGINALS, &err), &err);
    assert_true(repro_results_count(results, studies(), OF_SUITE, counts) > 0);
    assert_int_equal(0, repro_results_count(results, studies(), OF_OURS, counts)); /* not: measured by older versions */
    for (size_t i = 0; i < repro_list_n(studies()); i++)
        assert_false(repro_results_has(results, repro_list_at(studies(), i)));
    repro_results_free(results);
    assert_ok(repro_results_read(&results, RESULTS, &err), &err);
    assert_ok(file_read(&text, &size, POISE_SOURCE_DIR "/experiments/STUDIES.md", &err), &err);
    assert_ok(repro_results_fill(results, studies(), "STUDIES.md", text, &filled, &filled_size, &err), &err);
    if (strcmp(text, filled) != 0)
        fail_msg("experiments/STUDIES.md is not what the stored results say: poise repro --results "
                 "experiments/results/studies.csv --page experiments/STUDIES.md");
    free(filled);
    free(text);
    repro_results_free(results);
}

static void figures_of_an_older_model_are_marked_and_rows_without_one_refused(void **state)
{
    char text[2048], *page;
    size_t size;
    struct repro_results *results;
    struct error err;
    (void)state;
    snprintf(text, sizeof text,
             "%stsc-10b,value,GM TSC,,%%,15.6,28.7,yes,no,no,no,quick,%d,2026-11-23\n"
             "tsc-10b,statement,TSC gains | most,,,,,,,,no,quick,%d,2026-11-23\n"
             "tsc-9,value,GM 8 bits,,%%,15.6,16,yes,yes,yes,yes,quick,%d,2026-11-27\n"
             "tsc-11,statement,it falls,,,,,,,,no,full,%d,2026-11-27\n",
             results_head, SIM_MODEL_VERSION - 1, SIM_MODEL_VERSION - 1, SIM_MODEL_VERSION, SIM_MODEL_VERSION);
    assert_ok(repro_results_parse(&results, "r.csv", text, strlen(text), &err), &err);
    assert_ok(repro_results_fill(results, studies(), "p.md",
                                 "a\n<!-- results: studies -->\nold\n<!-- /results -->\nb\n"
                                 "<!-- results: values tsc-9 tsc-10b -->\n<!-- /results -->\n",
                                 &page, &size, &err),
              &err);
    snprintf(text, sizeof text,
             "| `tsc-10b`, **version %d** | The tag-split cache and its rivals | 0/1 (1/0/0) | 0/1 |\n",
             SIM_MODEL_VERSION - 1);
    assert_non_null(strstr(page, text));
    snprintf(text, sizeof text, "| `tsc-10b`, **version %d** | GM TSC (%%) | 15.6 | 28.7 | order, magnitude |\n",
             SIM_MODEL_VERSION - 1);
    assert_non_null(strstr(page, text));
    assert_non_null(strstr(page, "| `tsc-9` | GM 8 bits (%) | 15.6 | 16 |  |\n"));
    assert_non_null(strstr(page, "- `tsc-11`, full: L1 misses an instruction over those of whole lines (0/1)\n"));
    snprintf(text, sizeof text, "Measured in quick mode under model version %d unless", SIM_MODEL_VERSION);
    assert_non_null(strstr(page, text));
    assert_non_null(strstr(page, "| `tsc-13` | **not measured** |"));
    assert_null(strstr(page, "old\n"));
    assert_true(strncmp(page, "a\n<!-- results: studies -->\n", 28) == 0);
    free(page);
    assert_int_equal(-1,
                     repro_results_fill(results, studies(), "p.md", "<!-- results: studies -->", &page, &size, &err));
    free(page);
    repro_results_free(results);
    static const char *const wrong[] = {"tsc-9,value,a,,%,1,1,yes,yes,yes,yes,quick,,2026-11-27",
                                        "tsc-9,value,a,,%,1,1,yes,yes,yes,yes,quick,99,2026-11-27",
                                        "tsc-9,value,a,,%,1,1,yes,yes,yes,yes,quick,4,today",
                                        "tsc-9,guess,a,,%,1,1,yes,yes,yes,yes,quick,4,2026-11-27"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        snprintf(text, sizeof text, "%s%s\n", results_head, wrong[i]);
        assert_int_equal(-1, repro_results_parse(&results, "r.csv", text, strlen(text), &err));
        assert_int_equal(2, error_exit_status(&err));
        assert_non_null(strstr(err.text, "r.csv:2: "));
    }
}

/* Of two modes the newest version's counts; what an older version measured is asked for and does not hold. */
static void statements_are_counted_by_paper_and_chapter(void **state)
{
    struct repro_count counts[REPRO_PAPERS_MAX], originals[REPRO_PAPERS_MAX], *thesis = NULL, *tsc = NULL;
    struct repro_results *results;
    struct error err;
    char text[1024];
    (void)state;
    snprintf(text, sizeof text,
             "%stsc-9,value,a,,%%,1,1,yes,no,yes,no,quick,%d,2026-11-27\n"
             "tsc-9,statement,b,,,,,,,,yes,quick,%d,2026-11-27\n"
             "tsc-9,statement,b,,,,,,,,no,full,%d,2026-11-27\n"
             "tsc-10b,value,a,,%%,1,1,yes,yes,yes,yes,quick,%d,2026-11-20\n"
             "tsc-10b,statement,b,,,,,,,,yes,quick,%d,2026-11-20\n"
             "thesis-3.2,statement,c,,,,,,,,no,quick,%d,2026-11-20\n"
             "thesis-3.2,statement,c,,,,,,,,yes,full,%d,2026-11-27\n",
             results_head, SIM_MODEL_VERSION, SIM_MODEL_VERSION, SIM_MODEL_VERSION - 1, SIM_MODEL_VERSION - 1,
             SIM_MODEL_VERSION - 1, SIM_MODEL_VERSION - 1, SIM_MODEL_VERSION);
    assert_ok(repro_results_parse(&results, "r.csv", text, strlen(text), &err), &err);
    const size_t n = repro_results_count(results, studies(), OF_OURS, counts);
    assert_int_equal(0, repro_results_count(results, studies(), OF_SUITE, originals));
    repro_results_free(results);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(counts[i].paper, "TSC") == 0) tsc = &counts[i];
        if (strncmp(counts[i].paper, "THESIS ", 7) == 0 && counts[i].paper[7] == '3') thesis = &counts[i];
        if (i) assert_true(strcmp(counts[i - 1].paper, counts[i].paper) < 0);
    }
    assert_true(tsc && thesis);
    assert_int_equal(2, tsc->values);
    assert_int_equal(1, tsc->direction);
    assert_int_equal(0, tsc->order);
    assert_int_equal(1, tsc->magnitude);
    assert_int_equal(0, tsc->met);
    assert_int_equal(2, tsc->statements);
    assert_int_equal(1, tsc->held);
    assert_int_equal(tsc->studies - 1, tsc->old);
    assert_int_equal(1, thesis->statements);
    assert_int_equal(1, thesis->held);
}

static void a_study_measured_anew_takes_the_place_of_its_old_rows_in_its_mode(void **state)
{
    char path[] = "/tmp/poise-results-XXXXXX", text[1024], *now;
    size_t size;
    struct error err;
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    snprintf(text, sizeof text,
             "%stsc-9,value,a,,%%,1,1,yes,yes,yes,yes,quick,2,2026-11-20\n"
             "tsc-9,value,a,,%%,1,3,yes,yes,no,no,full,2,2026-11-20\n"
             "tsc-13,statement,b,,,,,,,,yes,quick,2,2026-11-20\n",
             results_head);
    assert_ok(repro_results_merge(path, text, strlen(text), false, &err), &err);
    snprintf(text, sizeof text, "%stsc-9,value,a,,%%,1,2,yes,yes,no,no,quick,4,2026-11-27\n", results_head);
    assert_ok(repro_results_merge(path, text, strlen(text), true, &err), &err);
    assert_ok(file_read(&now, &size, path, &err), &err);
    snprintf(text, sizeof text,
             "%stsc-9,value,a,,%%,1,3,yes,yes,no,no,full,2,2026-11-20\n"
             "tsc-9,value,a,,%%,1,2,yes,yes,no,no,quick,4,2026-11-27\n"
             "tsc-13,statement,b,,,,,,,,yes,quick,2,2026-11-20\n",
             results_head);
    assert_string_equal(text, now);
    free(now);
    unlink(path);
}

/* Rows of one label are told apart by their order, as thesis-5.2's "its N" of two tuples; what ours lacks is last. */
static void a_suites_values_stand_in_the_rows_of_the_same_label_and_order(void **state)
{
    (void)state;
    struct repro_report own = {0}, suite = {0};
    repro_row(&own, 2, 3, "warps", "its N");
    repro_cell(&own, 4.9, 3, "x", "mm", "P_inf");
    repro_row(&own, 15, 5, "warps", "its N");
    repro_row(&suite, 2, 2, "warps", "its N");
    repro_row(&suite, 15, 4, "warps", "its N");
    repro_row(&suite, 1.45, 1.8, "x", "best with p = 1");
    repro_add_suite(&own, &suite);
    assert_int_equal(4, own.n_rows);
    assert_true(own.rows[0].suite == 2);
    assert_true(isnan(own.rows[1].suite));
    assert_true(own.rows[2].suite == 4);
    assert_true(own.rows[3].suite == 1.8);
    assert_true(isnan(own.rows[3].ours));
    assert_string_equal("best with p = 1", own.rows[3].label);
    repro_report_fini(&own);
    repro_report_fini(&suite);
}

/* A suite's rows are told beside ours, and are none of ours: not in our tables, counts and merges. */
static void what_a_suite_measured_stands_beside_ours_and_is_not_counted_among_it(void **state)
{
    static const char more[] = ",originals,suite,revision,revised,run,arguments\n",
                      of_suite[] = ",tiny,9c10d3e,2023-04-13,whole,\n";
    char path[] = "/tmp/poise-originals-XXXXXX", text[2048], *page;
    struct repro_count counts[REPRO_PAPERS_MAX];
    struct repro_results *results;
    struct error err;
    size_t size;
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    snprintf(text, sizeof text,
             "%.*s%stsc-9,program,tiny/scale,bfs,,,,,,,,quick,%d,2026-11-29,,tiny,9c10d3e,2023-04-13,whole,7 2\n"
             "tsc-9,value,speedup,bfs,x,1.5,2,yes,yes,yes,yes,quick,%d,2026-11-29,1.75%s"
             "tsc-9,value,GM 8 bits,,%%,15.6,3,yes,yes,yes,yes,quick,%d,2026-11-29,14.25%s"
             "tsc-9,value,GM 20 bits,,%%,16,4,,,,no,quick,%d,2026-11-29,%s"
             "tsc-9,statement,it falls,,,,no,,,,yes,quick,%d,2026-11-29,yes%s"
             "tsc-9,statement,it rises,,,,yes,,,,yes,quick,%d,2026-11-29,yes%s",
             (int)sizeof results_head - 2, results_head, more, SIM_MODEL_VERSION, SIM_MODEL_VERSION, of_suite,
             SIM_MODEL_VERSION, of_suite, SIM_MODEL_VERSION, of_suite, SIM_MODEL_VERSION, of_suite, SIM_MODEL_VERSION,
             of_suite);
    assert_ok(repro_results_merge(path, text, strlen(text), false, &err), &err);
    snprintf(text, sizeof text, "%stsc-9,value,GM 8 bits,,%%,15.6,16,yes,yes,yes,yes,quick,%d,2026-11-27\n",
             results_head, SIM_MODEL_VERSION);
    assert_ok(repro_results_parse(&results, "r.csv", text, strlen(text), &err), &err);
    static const char marks[] = "<!-- results: values tsc-9 -->\n<!-- /results -->\n<!-- results: originals tsc-* "
                                "-->\n<!-- /results -->\n<!-- results: originals tsc-9! -->\n<!-- /results -->\n";
    assert_int_equal(-1, repro_results_fill(results, studies(), "p.md", marks, &page, &size, &err));
    assert_non_null(strstr(err.text, "has no row of a suite"));
    free(page);
    assert_ok(repro_results_add(&results, path, &err), &err); /* both stay: the study is the same, the suite is not */
    assert_ok(repro_results_fill(results, studies(), "p.md", marks, &page, &size, &err), &err);
    const char *const lines[] = {
        "| `tsc-9` | GM 8 bits (%) | 15.6 | 16 |  |\n\n<!--",
        ("| `tsc-9`, 1 programs of tiny 9c10d3e (2023-04-13), whole: statements | | 1/2 | 2/2 |\n"
         "| GM 8 bits (%) | 15.6 | 3 | 14.25 |\n\n"),
        "| `tsc-9` | it falls | the originals |\n\n<!--", "2/2 |\n| bfs speedup (x) | 1.5 | 2 | 1.75 |\n| GM"};
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        if (!strstr(page, lines[i])) fail_msg("no %s in %s", lines[i], page);
    free(page);
    for (enum repro_of of = OF_OURS; of <= OF_SUITE; of++) {
        const size_t n = repro_results_count(results, studies(), of, counts);
        size_t tsc = 0;
        while (tsc < n && strcmp(counts[tsc].paper, "TSC") != 0) tsc++;
        assert_true(tsc < n && (of == OF_OURS || n == 1));
        assert_int_equal(of == OF_OURS ? 1 : 2, counts[tsc].values);
        assert_int_equal(of == OF_OURS ? 0 : 2, counts[tsc].statements);
        assert_int_equal(of == OF_OURS ? 0 : 2, counts[tsc].held);
    }
    repro_results_free(results);
    snprintf(text, sizeof text, "%.*s%stsc-9,value,a,,%%,1,1,yes,yes,yes,yes,quick,4,2026-11-29,2,tiny,,,,\n",
             (int)sizeof results_head - 2, results_head, more);
    assert_int_equal(-1, repro_results_parse(&results, "r.csv", text, strlen(text), &err));
    assert_non_null(strstr(err.text, "r.csv:2: revision"));
    snprintf(text, sizeof text, "%stsc-9,program,tiny/scale,bfs,,,,,,,,quick,4,2026-11-29\n", results_head);
    assert_int_equal(-1, repro_results_parse(&results, "r.csv", text, strlen(text), &err));
    assert_non_null(strstr(err.text, "r.csv:2: kind")); /* of ours there are no programs */
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_file_says_where_and_what_to_do),
        cmocka_unit_test(the_seed_of_the_language_can_be_read),
        cmocka_unit_test(loops_in_loops_have_an_end),
        cmocka_unit_test(every_figure_of_the_tree_can_be_read),
        cmocka_unit_test(a_figures_report_is_as_it_was),
        cmocka_unit_test(the_page_of_studies_has_every_study_and_is_made_from_the_stored_results),
        cmocka_unit_test(figures_of_an_older_model_are_marked_and_rows_without_one_refused),
        cmocka_unit_test(statements_are_counted_by_paper_and_chapter),
        cmocka_unit_test(a_study_measured_anew_takes_the_place_of_its_old_rows_in_its_mode),
        cmocka_unit_test(a_suites_values_stand_in_the_rows_of_the_same_label_and_order),
        cmocka_unit_test(what_a_suite_measured_stands_beside_ours_and_is_not_counted_among_it),
        cmocka_unit_test(a_curve_meets_a_level_on_a_straight_line),
        cmocka_unit_test(a_suites_values_are_judged_by_side_rank_and_factor_of_the_gain),
        cmocka_unit_test(a_row_is_met_by_direction_order_and_magnitude_of_its_gain_alone),
        cmocka_unit_test(order_is_asked_of_rivals_alone_and_denominators_have_what_was_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
