/* Profiles as tables: out of one store, into another, and what is refused. */
#include "lab.h"

#include <jansson.h>
#include <math.h>
#include <sqlite3.h>

#include "poise/features.h"
#include "poise/gpu.h"
#include "poise/profile_csv.h"
#include "poise/table_csv.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(SIM_MODEL_VERSION)
#define SPEC POISE_SOURCE_DIR "/experiments/specs/ci-quickstart.yaml"

static const struct said *run(const char *format, const char *a, const char *b)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, format, a, b);
    return poise(root, arguments);
}

static int profiled(void **state)
{
    if (lab_begin(state) < 0) return -1;
    const struct said *s = run("run " SPEC " --threads 2 --out %s/first", root, NULL);
    if (s->status) fprintf(stderr, "%s\n", s->err);
    return s->status;
}

static char *file_text(const char *name)
{
    char path[128];
    static char text[1 << 20];
    snprintf(path, sizeof path, "%s/%s", root, name);
    slurp(path, text, sizeof text);
    return text;
}

static json_int_t said_of(const char *dir, const char *key)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s/run_info.json", root, dir);
    json_t *info = json_load_file(path, 0, NULL);
    const json_int_t value = json_integer_value(json_object_get(info, key));
    json_decref(info);
    return value;
}

static void an_imported_profile_is_not_simulated_again_and_changes_no_result(void **state)
{
    (void)state;
    const struct said *s = run("profile export " SPEC " --store %s/first/store.sqlite -o %s/p.csv", root, root);
    if (s->status) fail_msg("%s", s->err);
    s = run("profile import %s/p.csv --store %s/second/store.sqlite", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "0 missing"));
    const long imported = strtol(strstr(s->out, "launches, ") + 10, NULL, 10);
    assert_true(imported > 100);
    assert_int_equal(0, run("run " SPEC " --threads 2 --out %s/second", root, NULL)->status);
    assert_int_equal(imported, said_of("second", "runs_reused"));
    assert_int_equal(said_of("first", "runs_simulated") - imported, said_of("second", "runs_simulated"));
    static const char *const same[] = {"summary.json", "profile.csv", "dataset.csv", "model.json"};
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        char name[64];
        snprintf(name, sizeof name, "first/%s", same[i]);
        char *first = strdup(file_text(name));
        snprintf(name, sizeof name, "second/%s", same[i]);
        assert_string_equal(first, file_text(name));
        free(first);
    }
    /* and what was imported exports again as the same bytes */
    assert_int_equal(0,
                     run("profile export " SPEC " --store %s/second/store.sqlite -o %s/again.csv", root, root)->status);
    char *first = strdup(file_text("p.csv"));
    assert_string_equal(first, file_text("again.csv"));
    free(first);
}

static void a_run_that_needs_other_counters_is_simulated(void **state)
{
    (void)state;
    const char *sweep_text = "schema: 1\nkind: sweep\nname: one\nsize: test\nkernels: [{name: mvt, launches: "
                             "[0]}]\nconfig: kepler32\nstacks:\n  - {mech: 'tuple,N=1,p=1'}\n";
    char path[128], arguments[300];
    struct error err;
    snprintf(path, sizeof path, "%s/one.yaml", root);
    assert_ok(file_write(path, sweep_text, strlen(sweep_text), &err), &err);
    snprintf(arguments, sizeof arguments, "sweep %s --out %s/second", path, root);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "1 simulated now, 0 from the store"));
    s = poise(root, arguments);
    assert_non_null(strstr(s->out, "0 simulated now, 1 from the store"));
}

static void stores_with_imported_and_simulated_runs_merge_into_whole_ones(void **state)
{
    (void)state;
    char arguments[300];
    assert_int_equal(0, run("profile import %s/p.csv --store %s/third/store.sqlite", root, root)->status);
    snprintf(arguments, sizeof arguments, "store merge %s/third/store.sqlite %s/first/store.sqlite", root, root);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    snprintf(arguments, sizeof arguments, "%s/third/store.sqlite", root);
    char *third = exported(arguments);
    snprintf(arguments, sizeof arguments, "%s/first/store.sqlite", root);
    char *first = exported(arguments);
    assert_string_equal(first, third);
    free(first);
    free(third);
}

/* A table of an older version is today's where its runs come out the same; where one differs it stays as it was. */
static void a_table_that_a_change_does_not_touch_is_stamped_with_the_new_version(void **state)
{
    (void)state;
    char path[128];
    struct error err;
    const char *now = "# model_version: " VERSION;
    char *text = strdup(file_text("p.csv")), *at = strstr(text, now);
    assert_non_null(at);
    at[strlen("# model_version: ")] = '1';
    snprintf(path, sizeof path, "%s/old.csv", root);
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    const struct said *s = run("profile recheck %s/old.csv --seed 7", root, NULL);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "all as before: version 1 of the simulation model is now version " VERSION));
    char *stamped = strdup(file_text("old.csv"));
    assert_string_equal(file_text("p.csv"), stamped);
    free(stamped);
    /* one cycle more in every row: whichever rows are drawn, it is seen, and the file is left alone */
    char *changed = NULL, *row = strstr(strstr(text, "core_cycles"), "\n") + 1;
    size_t size;
    FILE *out = open_memstream(&changed, &size);
    fwrite(text, 1, (size_t)(row - text), out);
    char *save = NULL;
    for (char *line = strtok_r(row, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *cell = line;
        for (int i = 0; i < 7; i++) cell = strchr(cell, ',') + 1; /* behind workload .. ms stands core_cycles */
        char *end;
        const unsigned long long cycles = strtoull(cell, &end, 10);
        if (end == cell) fprintf(out, "%s\n", line); /* as in the row above */
        else fprintf(out, "%.*s%llu%s\n", (int)(cell - line), line, cycles + 1, end);
    }
    fclose(out);
    assert_ok(file_write(path, changed, size, &err), &err);
    s = run("profile recheck %s/old.csv --percent 5", root, NULL);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "core_cycles was"));
    assert_string_equal(changed, file_text("old.csv"));
    free(changed);
    free(text);
}

/* The table with `from` replaced, imported into a new store. */
static const struct said *import_with(const char *from, const char *to)
{
    char *text = file_text("p.csv"), *at = strstr(text, from), path[128];
    struct error err;
    char *changed = NULL;
    assert_non_null(at);
    assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    snprintf(path, sizeof path, "%s/changed.csv", root);
    assert_ok(file_write(path, changed, strlen(changed), &err), &err);
    free(changed);
    return run("profile import %s/changed.csv --store %s/none.sqlite", root, root);
}

static void another_model_configuration_or_trace_is_refused(void **state)
{
    (void)state;
    const struct said *s = import_with("# model_version: " VERSION, "# model_version: 1");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "version 1 of the simulation model, this program simulates version " VERSION));
    s = import_with("# size: test", "# set: l1.sets=64\n# size: test");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "its configuration has hash"));
    const char *first = strstr(file_text("p.csv"), "gco,0,0,") + 8;
    char hash[33], other[33];
    snprintf(hash, sizeof hash, "%s", first);
    snprintf(other, sizeof other, "%s", hash);
    other[0] = other[0] == '0' ? '1' : '0';
    s = import_with(hash, other);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "the profile is of"));
    s = import_with("gco,0,0,", "gco,0,77,");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "gco has no launch 77"));
    s = run("store query 'SELECT count(*) FROM runs' --store %s/none.sqlite", root, NULL);
    assert_string_equal("count(*)\n0\n", s->out);
}

static void a_model_chooses_a_tenth_of_the_points_and_the_pipeline_learns_from_them(void **state)
{
    (void)state;
    const struct said *s = run("run " SPEC " --threads 2 --points active --out %s/active", root, NULL);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(file_text("active/summary.json"), "\"points_per_kernel\": \"active, "));
    char *first = strdup(file_text("active/profile.csv"));
    assert_int_equal(0, run("run " SPEC " --threads 1 --points active --out %s/again", root, NULL)->status);
    assert_string_equal(first, file_text("again/profile.csv"));
    free(first);
}

static void benchmarks_of_the_further_set_are_evaluated_and_trained_on_where_they_are_named(void **state)
{
    (void)state;
    const char *named = "schema: 1\nkind: pipeline\nname: t\nsize: test\ntraining: [gco]\nevaluation: [reduction, "
                        "pagerank]\npoints: 4\nmodel: " POISE_SOURCE_DIR "/models/poise-thesis.json\n";
    const char *trained = "schema: 1\nkind: pipeline\nname: t\nsize: test\ntraining: [pagerank]\nevaluation: "
                          "[mvt]\npoints: 12\nfeatures: [intercept]\n"
                          "dataset: {threshold_cycles: 1, threshold_speedup: 0, threshold_hit_rate: 0}\n";
    char path[128];
    struct error err;
    snprintf(path, sizeof path, "%s/named.yaml", root);
    assert_ok(file_write(path, named, strlen(named), &err), &err);
    const struct said *s = run("run %s/named.yaml --threads 1 --out %s/named", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "reduction"));
    /* all is known now, that of launches with one trace as well: a dry run follows the points to their end */
    s = run("run %s/named.yaml --threads 1 --dry-run --out %s/named", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, " 0 to simulate"));
    assert_ok(file_write(path, trained, strlen(trained), &err), &err);
    s = run("run %s/named.yaml --threads 1 --out %s/trained", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(file_text("trained/dataset.csv"), "\npagerank,"));
}

/* Rows of results' dataset.csv: W and the target's N. */
static size_t targets_of(const char *dir, uint32_t (*out)[2], size_t room)
{
    char path[128];
    struct table_csv table;
    struct error err;
    snprintf(path, sizeof path, "%s/%s/dataset.csv", root, dir);
    assert_ok(table_csv_read(&table, path, &err), &err);
    const size_t n = table.n_rows;
    assert_true(n <= room);
    for (size_t i = 0; i < n; i++) {
        out[i][0] = (uint32_t)table_csv_find(&table, "W")->values[i];
        out[i][1] = (uint32_t)table_csv_find(&table, "N")->values[i];
    }
    table_csv_fini(&table);
    return n;
}

/* A benchmark's features are of all its launches, as its policies' figures are. */
static void features_are_of_all_launches(const json_t *summary)
{
    json_t *benchmark;
    size_t b;
    json_array_foreach(json_object_get(summary, "benchmarks"), b, benchmark) {
        const json_t *features = json_object_get(benchmark, "features");
        const json_t *gto = json_object_get(json_object_get(benchmark, "policies"), "gto");
        const double h_o = json_number_value(json_object_get(features, "h_o"));
        const double L_o = json_number_value(json_object_get(features, "L_o"));
        assert_true(L_o > 0 && fabs(h_o - json_number_value(json_object_get(gto, "l1d_hit_rate"))) < 1e-12);
        assert_true(fabs(L_o - json_number_value(json_object_get(gto, "aml_cycles"))) < 1e-9);
        const double W = json_number_value(json_object_get(features, "W"));
        assert_true(W >= 1 && W <= 24 && json_number_value(json_object_get(features, "I_n")) > 0);
    }
}

/* poise predict: a tuple with its interval, within the kernel's warps. */
static void predicts_within_the_warps_of_a_kernel(void)
{
    char command[512];
    snprintf(command, sizeof command, "cp \"$(find %s -name '*.ptrace' | sort | head -n 1)\" %s/one.ptrace", root,
             root);
    assert_int_equal(0, system(command));
    const struct said *s = run("predict %s/one.ptrace --model %s/plain/model.json --json", root, root);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *row = json_array_get(json_object_get(json, "launches"), 0);
    const double W = json_number_value(json_object_get(row, "W"));
    for (int k = 0; k < 2; k++) {
        const json_t *interval = json_object_get(json_object_get(row, "interval"), k ? "p" : "N");
        const double low = json_number_value(json_object_get(interval, "low")),
                     mean = json_number_value(json_object_get(interval, "mean"));
        assert_true(low >= 1 && low <= json_number_value(json_object_get(interval, "high")) &&
                    json_number_value(json_object_get(interval, "high")) <= W);
        const double at = json_number_value(json_object_get(json_object_get(row, "predicted"), k ? "p" : "N"));
        if (k == 0) assert_true(fabs(at - fmin(fmax(mean, 1), W)) <= 0.501);
    }
    json_decref(json);
}

/* The first test's runs once more: only what is learnt from them is another. */
static void targets_of_scale_0_are_learnt_and_predicted_in_warps_as_they_are(void **state)
{
    (void)state;
    char command[512], path[128];
    uint32_t scaled[64][2], plain[64][2];
    snprintf(command, sizeof command,
             "mkdir %s/plain && cp %s/first/store.sqlite %s/plain/ && sed 's/^dataset: {/dataset: {scale: 0, /' " SPEC
             " >%s/plain.yaml",
             root, root, root, root);
    assert_int_equal(0, system(command));
    const struct said *s = run("run %s/plain.yaml --threads 2 --out %s/plain", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->out, "on unseen kernels N is wrong by "));
    const size_t n = targets_of("first", scaled, COUNT_OF(scaled));
    size_t differ = 0;
    assert_int_equal(n, targets_of("plain", plain, COUNT_OF(plain)));
    for (size_t i = 0; i < n; i++) {
        assert_true(plain[i][1] >= 1 && plain[i][1] <= plain[i][0]);
        assert_int_equal(scaled[i][1], warps_scale(plain[i][1], plain[i][0], 24));
        differ += scaled[i][1] != plain[i][1];
    }
    assert_true(differ > 0);
    /* the error over the scale is over each launch's own W, and what is predicted is the rounded output of the model */
    snprintf(path, sizeof path, "%s/plain/summary.json", root);
    json_t *summary = json_load_file(path, 0, NULL), *benchmark, *launch;
    double sum = 0, launches = 0;
    size_t b, l;
    json_array_foreach(json_object_get(summary, "benchmarks"), b, benchmark)
        json_array_foreach(json_object_get(benchmark, "profiled"), l, launch) {
            const double W = json_number_value(json_object_get(launch, "W")),
                         N = json_number_value(json_array_get(json_object_get(launch, "predicted"), 0));
            const double raw = json_number_value(json_array_get(json_object_get(launch, "predicted_raw"), 0));
            const json_t *target = json_array_get(json_object_get(launch, "target"), 0);
            assert_true(fabs(N - fmin(fmax(raw, 1), W)) <= 0.501);
            if (!target) continue;
            sum += fabs(N - json_number_value(target)) / W;
            launches++;
        }
    assert_true(launches > 0);
    features_are_of_all_launches(summary);
    assert_true(fabs(sum / launches -
                     json_number_value(json_object_get(
                         json_object_get(json_object_get(summary, "prediction_error"), "N"), "over_scale"))) < 1e-9);
    json_decref(summary);
    s = run("model show %s/plain/model.json", root, NULL);
    assert_non_null(strstr(s->out, "targets not scaled"));
    s = run("model export %s/plain/model.json", root, NULL);
    assert_non_null(strstr(s->out, "Targets are warps per scheduler, not scaled."));
    predicts_within_the_warps_of_a_kernel();
}

static void a_spec_that_names_a_table_simulates_none_of_its_points(void **state)
{
    (void)state;
    char command[1024], path[160];
    struct error err;
    /* a tree of its own: tables stand beside the presets' folder */
    snprintf(command, sizeof command,
             "mkdir -p %s/tree/experiments %s/tree/datasets/profiles && cp -r " POISE_SOURCE_DIR
             "/experiments/configs %s/tree/experiments/ && "
             "cp %s/p.csv %s/tree/datasets/profiles/ && sed 's/^points: 12/points: 12\\nprofiles: [p.csv]/' " SPEC
             " >%s/tabled.yaml",
             root, root, root, root, root, root);
    assert_int_equal(0, system(command));
    snprintf(path, sizeof path, "%s/tree/experiments/configs", root);
    setenv("POISE_CONFIGS", path, 1);
    const struct said *s = run("run %s/tabled.yaml --threads 2 --out %s/tabled", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_int_equal(said_of("second", "runs_reused"), said_of("tabled", "runs_reused"));
    char *first = strdup(file_text("first/profile.csv"));
    assert_string_equal(first, file_text("tabled/profile.csv"));
    free(first);
    /* of another model: said, and simulated */
    snprintf(path, sizeof path, "%s/tree/datasets/profiles/p.csv", root);
    char *text = file_text("p.csv"), *at = strstr(text, "model_version: " VERSION);
    at[strlen("model_version: ")] = '1';
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    s = run("run %s/tabled.yaml --threads 2 --out %s/other", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(
        strstr(s->err, "p.csv: 30 of 30 launches are of another model, configuration or trace: simulated here"));
    assert_int_equal(0, said_of("other", "runs_reused"));
    unsetenv("POISE_CONFIGS");
}

/* As if the profile had been stopped before one of the points of a training launch. */
static int delete_one_run(const char *store)
{
    char path[160];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/%s", root, store);
    int code = sqlite3_open(path, &db);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db,
                            "DELETE FROM runs WHERE key = (SELECT min(key) FROM runs JOIN traces ON traces.hash = "
                            "runs.trace WHERE workload = 'gco')",
                            NULL, NULL, NULL);
    const int changes = sqlite3_changes(db);
    sqlite3_close(db);
    return code == SQLITE_OK && changes == 1 ? 0 : -1;
}

static json_t *training_of(const char *summary)
{
    json_t *json = json_loads(file_text(summary), 0, NULL), *training = json_incref(json_object_get(json, "training"));
    json_decref(json);
    return training;
}

/* ci-quickstart with mvt alone evaluated, to which ccl comes with whole grids, in a tree whose only table is
 * `table`. */
static int join_ccl(const char *table)
{
    char command[2048], configs[160];
    snprintf(command, sizeof command,
             "mkdir -p %s/wtree/experiments %s/wtree/datasets/profiles && cp -r " POISE_SOURCE_DIR
             "/experiments/configs %s/wtree/experiments/ && "
             "cp %s/%s %s/wtree/datasets/profiles/ && sed 's/^training: .*/training: [gco]\\nwhole: {training: [ccl], "
             "profiles: [%s]}/; s/^evaluation: .*/evaluation: [mvt]/; /^penalty:/d; /^retrain:/,$d' " SPEC
             " >%s/joined.yaml",
             root, root, root, root, table, root, table, root);
    snprintf(configs, sizeof configs, "%s/wtree/experiments/configs", root);
    return system(command) == 0 ? setenv("POISE_CONFIGS", configs, 1) : -1;
}

/* Of a store that an interrupted profile left: launches with all of their points make a table, and what a spec
 * trains on besides where points are all comes from it, but for what it lacks. */
static void whole_grids_alone_are_exported_and_join_where_points_are_all(void **state)
{
    (void)state;
    char path[160];
    struct profile_table t;
    struct error err;
    size_t gco = 0, ccl = 0, runs = 0;
    const struct said *s = run("run " SPEC " --points all --threads 2 --shard 1/1 --out %s/grids", root, NULL);
    if (s->status) fail_msg("%s", s->err);
    assert_int_equal(0, delete_one_run("grids/store.sqlite"));
    s = run("profile export " SPEC " --store %s/grids/store.sqlite --whole -o %s/whole.csv", root, root);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->err, "; 1 launches with a part of their grid left out"));
    snprintf(path, sizeof path, "%s/whole.csv", root);
    assert_ok(profile_table_read(&t, path, &err), &err);
    for (size_t l = 0; l < t.n_launches; l++) {
        /* GTO of a launch that is not profiled */
        assert_true(profile_table_warps(&t, &t.launches[l]) > 0 || t.launches[l].n == 1);
        gco += strcmp(t.launches[l].workload, "gco") == 0;
        ccl += strcmp(t.launches[l].workload, "ccl") == 0;
        if (strcmp(t.launches[l].workload, "atax") != 0 && strcmp(t.launches[l].workload, "bfs") != 0)
            runs += t.launches[l].n;
    }
    profile_table_fini(&t);
    assert_int_equal(0, join_ccl("whole.csv"));
    s = run("run %s/joined.yaml --threads 2 --out %s/part", root, root); /* 12 points: neither ccl nor its table */
    if (s->status) fail_msg("%s", s->err);
    json_t *part = training_of("part/summary.json"), *whole;
    assert_int_equal(gco + 1, json_integer_value(json_object_get(part, "launches")));
    assert_null(json_object_get(json_object_get(part, "rows_per_benchmark"), "ccl"));
    assert_int_equal(0, said_of("part", "runs_reused"));
    s = run("run %s/joined.yaml --points all --threads 2 --out %s/whole", root, root);
    if (s->status) fail_msg("%s", s->err);
    whole = training_of("whole/summary.json");
    assert_int_equal(gco + 1 + ccl, json_integer_value(json_object_get(whole, "launches")));
    assert_int_equal(ccl, json_integer_value(json_object_get(json_object_get(whole, "rows_per_benchmark"), "ccl")));
    assert_int_equal(runs, said_of("whole", "runs_reused")); /* the launch that was left out of the table is
                                                              * simulated */
    json_decref(part);
    json_decref(whole);
    unsetenv("POISE_CONFIGS");
    /* the tree's own tables have no such file */
    s = run("run %s/joined.yaml --points all --threads 2 --out %s/none", root, root);
    assert_int_not_equal(0, s->status);
    assert_non_null(strstr(s->err, "whole.csv"));
}

/* The tables of the repository are what this simulator gives: a point of each, in full. One of another version of the
 * model is refused. */
static void the_shipped_tables_are_what_is_simulated(void **state)
{
    (void)state;
    static const struct {
        const char *file, *workload;
        int32_t input;
        uint32_t launch;
        struct warp_tuple at;
    } cases[] = {{"training.csv", "gco", 0, 0, {4, 2}},
                 {"further.csv", "sssp", -1, 2, {4, 2}},
                 {"evaluation.csv", "bfs", -1, 12, {3, 1}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct profile_table t;
        struct error err;
        char path[256], arguments[400], input[32] = "";
        snprintf(path, sizeof path, POISE_SOURCE_DIR "/datasets/profiles/%s", cases[i].file);
        assert_ok(profile_table_read(&t, path, &err), &err);
        if (t.model_version != SIM_MODEL_VERSION) {
            const struct said *refused = run("profile import %s --store %s/other-version.sqlite", path, root);
            assert_int_equal(2, refused->status);
            assert_non_null(strstr(refused->err, "of the simulation model, this program simulates version " VERSION));
            profile_table_fini(&t);
            continue;
        }
        size_t l = 0;
        while (l < t.n_launches && !(strcmp(t.launches[l].workload, cases[i].workload) == 0 &&
                                     t.launches[l].input == cases[i].input && t.launches[l].index == cases[i].launch))
            l++;
        assert_true(l < t.n_launches);
        assert_true(profile_table_warps(&t, &t.launches[l]) > 0);
        size_t row = t.launches[l].first;
        while (t.rows[row].at.N != cases[i].at.N || t.rows[row].at.p != cases[i].at.p) row++;
        if (cases[i].input >= 0) snprintf(input, sizeof input, "--input %d", (int)cases[i].input);
        snprintf(arguments, sizeof arguments, "sim --kernel %s %s --launch %u --mech tuple,N=%u,p=%u --json",
                 cases[i].workload, input, cases[i].launch, cases[i].at.N, cases[i].at.p);
        const struct said *s = poise(root, arguments);
        if (s->status) fail_msg("%s", s->err);
        json_t *json = json_loads(s->out, 0, NULL), *stats = json_object_get(json, "stats");
        assert_string_equal(t.launches[l].trace, json_string_value(json_object_get(json, "trace")));
        assert_int_equal(json_integer_value(json_object_get(stats, "core_cycles")),
                         profile_table_value(&t, row, "core_cycles"));
        assert_int_equal(json_integer_value(json_object_get(stats, "l1d_load_hits")),
                         profile_table_value(&t, row, "l1d_load_hits"));
        assert_int_equal(json_integer_value(json_object_get(stats, "dram_reads")),
                         profile_table_value(&t, row, "dram_reads"));
        json_decref(json);
        profile_table_fini(&t);
    }
}

static void shards_of_whole_grids_merge_into_what_one_run_simulates(void **state)
{
    (void)state;
    char arguments[400];
    const struct said *s = run("run " SPEC " --points all --threads 2 --shard 1/2 --out %s/shard1", root, NULL);
    if (s->status) fail_msg("%s", s->err);
    assert_int_equal(0, run("run " SPEC " --points all --threads 2 --shard 2/2 --out %s/shard2", root, NULL)->status);
    const json_int_t one = said_of("shard1", "runs_simulated"), two = said_of("shard2", "runs_simulated");
    assert_true(one > 50 && two > 50 && one - two <= 1 && two - one <= 1);
    snprintf(arguments, sizeof arguments,
             "store merge %s/merged/store.sqlite %s/shard1/store.sqlite %s/shard2/store.sqlite", root, root, root);
    assert_int_equal(0, poise(root, arguments)->status);
    s = run("run " SPEC " --points all --threads 2 --out %s/merged", root, NULL);
    if (s->status) fail_msg("%s", s->err);
    assert_int_equal(one + two, said_of("merged", "runs_reused"));
    s = run("run " SPEC " --shard 1/2 --out %s/shard1", root, NULL);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--shard deals out whole grids: it needs --points all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_imported_profile_is_not_simulated_again_and_changes_no_result),
        cmocka_unit_test(a_table_that_a_change_does_not_touch_is_stamped_with_the_new_version),
        cmocka_unit_test(a_run_that_needs_other_counters_is_simulated),
        cmocka_unit_test(stores_with_imported_and_simulated_runs_merge_into_whole_ones),
        cmocka_unit_test(a_model_chooses_a_tenth_of_the_points_and_the_pipeline_learns_from_them),
        cmocka_unit_test(targets_of_scale_0_are_learnt_and_predicted_in_warps_as_they_are),
        cmocka_unit_test(a_spec_that_names_a_table_simulates_none_of_its_points),
        cmocka_unit_test(whole_grids_alone_are_exported_and_join_where_points_are_all),
        cmocka_unit_test(the_shipped_tables_are_what_is_simulated),
        cmocka_unit_test(shards_of_whole_grids_merge_into_what_one_run_simulates),
        cmocka_unit_test(benchmarks_of_the_further_set_are_evaluated_and_trained_on_where_they_are_named),
        cmocka_unit_test(another_model_configuration_or_trace_is_refused),
    };
    return cmocka_run_group_tests(tests, profiled, lab_end);
}
