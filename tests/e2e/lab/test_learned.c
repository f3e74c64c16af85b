/* response surfaces by way of the pipeline: sampled, learned, distilled, run by the engine; the same bytes at any
 * number of threads. */
#include "lab.h"

#include <glob.h>
#include <jansson.h>
#include <math.h>
#include "studies/repro/repro_internal.h"

#define SPEC POISE_SOURCE_DIR "/experiments/specs/ci-learned.yaml"

static int twice(void **state)
{
    if (lab_begin(state) < 0) return -1;
    for (int threads = 1; threads <= 2; threads++) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, "run " SPEC " --threads %d --out %s/%d%s", threads, root, threads,
                 threads == 2 ? " --no-skip" : "");
        const struct said *s = poise(root, arguments);
        if (s->status) fprintf(stderr, "%s\n", s->err);
        if (s->status) return s->status;
    }
    return 0;
}

static const char *text_of(int run, const char *name)
{
    static char text[2][1 << 20];
    char path[256];
    snprintf(path, sizeof path, "%s/%d/%s", root, run, name);
    slurp(path, text[run - 1], sizeof *text);
    return text[run - 1];
}

static void networks_and_results_are_the_same_bytes(void **state)
{
    static const char *const files[] = {"response.json", "response-row-scan.json", "response-neighbour-gather.json",
                                        "profile.csv",   "samplings.csv",          "summary.json"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_true(strlen(text_of(1, files[i])) > 100);
        assert_string_equal(text_of(1, files[i]), text_of(2, files[i]));
    }
}

/* A study of simulated points that names the pipeline: the same networks, without the pipeline's contenders. */
static void a_study_makes_the_same_networks(void **state)
{
    const struct repro_spec study = {.config = "kepler32", .networks = "ci-learned.yaml"};
    struct repro_options o = {.runner = {.threads = 2}};
    char store[300], dir[600], path[700];
    static char text[1 << 20];
    struct error err;
    (void)state;
    lab_paths_init(&o.paths);
    snprintf(store, sizeof store, "%s/store.sqlite", root);
    o.store = store;
    assert_ok(repro_networks_make(&study, &o, dir, sizeof dir, &err), &err);
    snprintf(path, sizeof path, "%s/ci-learned-networks/response-row-scan.json", root);
    slurp(path, text, sizeof text);
    assert_string_equal(text, text_of(1, "response-row-scan.json"));
}

static void each_family_has_a_network_that_did_not_see_it(void **state)
{
    json_t *all = json_loads(text_of(1, "response.json"), 0, NULL),
           *one = json_loads(text_of(1, "response-row-scan.json"), 0, NULL);
    (void)state;
    assert_non_null(all);
    assert_non_null(one);
    const json_t *a = json_object_get(all, "training"), *b = json_object_get(one, "training");
    const json_int_t rows = json_integer_value(json_object_get(a, "rows_used")),
                     fewer = json_integer_value(json_object_get(b, "rows_used"));
    assert_true(rows > 0 && fewer > 0 && fewer < rows); /* mvt and atax are row scans */
    const size_t families = json_array_size(json_object_get(a, "families"));
    assert_int_equal(families - 1, json_array_size(json_object_get(b, "families")));
    for (size_t i = 0; i + 1 < families; i++)
        assert_string_not_equal("row-scan", json_string_value(json_array_get(json_object_get(b, "families"), i)));
    assert_true(json_is_number(json_object_get(json_object_get(all, "validation"), "mean_log_regret")));
    assert_true(json_integer_value(json_object_get(all, "storage_bytes")) <= 1024);
    json_decref(all);
    json_decref(one);
}

/* What was learned from is kept as a table that the commands on it read. */
static void samplings_are_a_table(void **state)
{
    char arguments[600];
    const char *text = text_of(1, "samplings.csv");
    size_t rows = 0;
    (void)state;
    for (const char *c = text; *c; c++) rows += *c == '\n';
    assert_memory_equal(text, "launch,trace,family,split,sampling,state,W,weight,rate.0,need.0,In,z_1_1,z_2_1,", 78);
    assert_non_null(strstr(text, ",row-scan,development,4:1 / W:W,0,"));
    assert_true(rows > 5);
    snprintf(arguments, sizeof arguments, "features coverage %s/1/samplings.csv", root);
    const struct said *s = poise(root, arguments); /* all its families are development: there is no training to judge
                                                    * by */
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "a training set of 0 families"));
}

static void the_engine_ran_them(void **state)
{
    json_t *summary = json_loads(text_of(1, "summary.json"), 0, NULL);
    size_t i, n = 0;
    json_int_t hinted = 0, launches = 0;
    json_t *benchmark;
    (void)state;
    json_array_foreach(json_object_get(summary, "benchmarks"), i, benchmark) {
        const json_t *learned = json_object_get(json_object_get(benchmark, "policies"), "learned");
        assert_true(json_number_value(json_object_get(learned, "speedup")) > 0);
        n += json_integer_value(json_object_get(json_object_get(learned, "learned"), "samplings")) > 0;
        const json_t *hint = json_object_get(json_object_get(benchmark, "policies"), "hint");
        hinted += json_integer_value(json_object_get(json_object_get(hint, "learned"), "hinted"));
        launches += json_integer_value(json_object_get(benchmark, "launches"));
    }
    assert_true(launches >= 3 && hinted == launches); /* each by the quick model's hint of that launch */
    assert_int_equal(3, i);
    assert_int_equal(3, n);
    json_decref(summary);
}

static bool same_surface(const json_t *a, const json_t *b)
{
    const json_t *cell;
    size_t i;
    bool same = json_array_size(a) == json_array_size(b) && json_array_size(a) > 2;
    json_array_foreach(a, i, cell)
        same = same && fabs(json_number_value(json_object_get(cell, "log_speedup")) -
                            json_number_value(json_object_get(json_array_get(b, i), "log_speedup"))) < 1e-9;
    return same;
}

/* The word @hint_corrected stands for what `poise hint --model models/hint.json` says of the launch. */
static void a_corrected_hint_is_what_the_command_says(void **state)
{
    char pattern[256];
    glob_t files;
    size_t found = 0;
    (void)state;
    const struct said *s =
        poise(root, "hint --kernel mvt --size test --model " POISE_SOURCE_DIR "/models/hint.json --json");
    json_t *said = json_loads(s->out, 0, NULL), *launch;
    assert_non_null(said);
    snprintf(pattern, sizeof pattern, "%s/1/hint-corrected-*.json", root);
    assert_int_equal(0, glob(pattern, 0, NULL, &files));
    for (size_t f = 0, l; f < files.gl_pathc; f++) {
        json_t *file = json_load_file(files.gl_pathv[f], 0, NULL);
        json_array_foreach(json_object_get(said, "launches"), l, launch)
            found += same_surface(json_object_get(file, "surface"), json_object_get(launch, "surface")) &&
                     json_equal(json_object_get(file, "tuple"), json_object_get(launch, "tuple"));
        json_decref(file);
    }
    assert_true(json_array_size(json_object_get(said, "launches")) >= 1);
    assert_true(found >= json_array_size(json_object_get(said, "launches")));
    globfree(&files);
    json_decref(said);
}

/* Runs a pipeline with this text as its spec, NAME.yaml, into the folder NAME. */
static const struct said *run_spec(const char *name, const char *text)
{
    char path[256], arguments[600];
    snprintf(path, sizeof path, "%s/%s.yaml", root, name);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    snprintf(arguments, sizeof arguments, "run %s --out %s/%s", path, root, name);
    return poise(root, arguments);
}

/* bfs's launches are too short to be learned from, so no network has seen their family. The spec has the old words. */
static void families_that_were_too_short_to_be_learned_from_are_not_named(void **state)
{
    static const char text[] =
        "schema: 1\nkind: pipeline\nname: short\nsize: test\ntraining: [mvt]\nevaluation: [bfs]\nconfig: kepler32\n"
        "points: lattice\nfeatures: [intercept]\n"
        "dataset: {threshold_cycles: 500, threshold_speedup: 0, threshold_hit_rate: 0}\n"
        "surface: {sampling: \"4:1 / W:W\", features: [rate.0, need.0, In], learner: ridge, min_cycles: 10000, "
        "engine: \"T_wait=0,T_warmup=200,T_sample=500,T_monitor=500\", hidden: 4, coefs: 2}\n"
        "contenders:\n  - {name: learned, mech: [\"surface,model=@surface,start=all,T_wait=0\"], stats: surface}\n";
    char path[256];
    (void)state;
    const struct said *s = run_spec("short", text);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->err, "note: 'surface' is called 'response' now; the old name is read until"));
    assert_non_null(strstr(s->err, "note: 'surface' is called 'learned' now; the old name is read until"));
    snprintf(path, sizeof path, "%s/short/response.json", root);
    json_t *all = json_load_file(path, 0, NULL);
    const json_t *families = json_object_get(json_object_get(all, "training"), "families");
    const json_t *machine = json_object_get(json_object_get(all, "training"), "machine");
    assert_int_equal(32, json_integer_value(json_object_get(machine, "sms")));
    assert_int_equal(1, json_array_size(families));
    assert_string_equal("row-scan", json_string_value(json_array_get(families, 0)));
    assert_true(json_integer_value(json_object_get(
                    json_object_get(json_object_get(all, "validation"), "not_learned_from"), "short")) > 0);
    json_decref(all);
}

static void a_word_without_its_section_is_refused(void **state)
{
    static const char text[] =
        "schema: 1\nkind: pipeline\nname: none\nsize: test\ntraining: [gco]\nevaluation: [mvt]\npoints: "
        "12\nfeatures: [intercept]\n"
        "dataset: {threshold_cycles: 500, threshold_speedup: 0, threshold_hit_rate: 0}\n"
        "contenders:\n  - {name: learned, mech: [\"learned,model=@response\"]}\n";
    (void)state;
    const struct said *s = run_spec("none", text);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "@response (of response)"));
}

static void networks_of_a_table_of_samplings_leave_the_judged_family_out(void **state)
{
    (void)state;
    static const char text[] =
        "schema: 1\nkind: pipeline\nname: table\nsize: test\ntraining: [gco]\nevaluation: [mvt]\npoints: 14\n"
        "dataset: {threshold_cycles: 500, threshold_speedup: 0, threshold_hit_rate: 0}\n"
        "features: [h_o, intercept]\nresponse: {table: samplings.csv, hidden: 2, coefs: 2}\n"
        "contenders:\n  - {name: learned, mech: [\"learned,model=@response\"]}\n";
    char path[200];
    struct error err;
    snprintf(path, sizeof path, "%s/table.yaml", root);
    assert_ok(file_write(path, text, sizeof text - 1, &err), &err);
    const struct said *s = poisef(root, "run %s --out %s/table", path, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "Which to use: the learned response surface"));
    char *one = file_of("table", "response-row-scan.json"), *all = file_of("table", "response.json");
    json_t *a = json_loads(all, 0, NULL), *b = json_loads(one, 0, NULL), *family;
    const json_t *seen = json_object_get(json_object_get(b, "training"), "families");
    size_t i;
    assert_true(json_array_size(seen) >= 20);
    assert_int_equal(json_array_size(json_object_get(json_object_get(a, "training"), "families")),
                     json_array_size(seen) + 1);
    json_array_foreach(seen, i, family) assert_string_not_equal("row-scan", json_string_value(family));
    json_decref(a), json_decref(b);
    free(one), free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_and_results_are_the_same_bytes),
        cmocka_unit_test(a_study_makes_the_same_networks),
        cmocka_unit_test(each_family_has_a_network_that_did_not_see_it),
        cmocka_unit_test(samplings_are_a_table),
        cmocka_unit_test(the_engine_ran_them),
        cmocka_unit_test(a_corrected_hint_is_what_the_command_says),
        cmocka_unit_test(families_that_were_too_short_to_be_learned_from_are_not_named),
        cmocka_unit_test(a_word_without_its_section_is_refused),
        cmocka_unit_test(networks_of_a_table_of_samplings_leave_the_judged_family_out),
    };
    return cmocka_run_group_tests(tests, twice, lab_end);
}
