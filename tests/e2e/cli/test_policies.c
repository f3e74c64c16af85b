/* poise policies and poise predict --measure: every policy on one kernel, maps of tuples, what is stored and taken up
 * again; and a gain of a paper that none can have on our program. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>
#include "poise/file.h"
#include <stdbool.h>

static char root[64];

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    return poisef(root, "trace synth --size test divergence=4 -o %s/a.ptrace", root)->status;
}

static int end(void **state)
{
    (void)state;
    return folder_remove(root);
}

static const struct said *good(const struct said *s)
{
    if (s->status) fail_msg("status %d: %s", s->status, s->err);
    return s;
}

static const json_t *policy(const json_t *json, const char *starts)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(json, "policies"), i, row) {
        const char *mech = json_string_value(json_object_get(row, "mech"));
        if (strncmp(mech, starts, strlen(starts)) == 0) return row;
    }
    return NULL;
}

static double number(const json_t *row, const char *key) { return json_number_value(json_object_get(row, key)); }

static void every_mechanism_has_a_row_or_a_reason(void **state)
{
    (void)state;
    const struct said *s = good(poisef(root, "policies --kernel mvt --size test --store %s/p.sqlite --json", root));
    assert_non_null(strstr(s->err, "policies: "));
    json_t *json = json_loads(s->out, 0, NULL);
    json_t *mechs = json_loads(poise(root, "mechs --json")->out, 0, NULL), *mech;
    size_t i, k;
    assert_true(json_array_size(json_object_get(mechs, "mechs")) >= 13);
    json_array_foreach(json_object_get(mechs, "mechs"), i, mech) {
        const char *name = json_string_value(json_object_get(mech, "name"));
        json_t *skipped;
        bool is_skipped = false;
        json_array_foreach(json_object_get(json, "left_out"), k, skipped) {
            is_skipped |= strcmp(name, json_string_value(json_object_get(skipped, "mech"))) == 0;
        }
        if (!policy(json, name) == !is_skipped)
            fail_msg("%s: a row %d, a reason %d", name, policy(json, name) != NULL, is_skipped);
    }
    json_decref(mechs);
    /* SWL's row is what its best limit gives, and PCAL starts there */
    const char *swl = json_string_value(json_object_get(policy(json, "swl,N="), "mech"));
    assert_string_equal(swl + 4, json_string_value(json_object_get(policy(json, "pcal,N="), "mech")) + 5);
    s = good(poisef(root, "sim --kernel mvt --size test --mech %s --json", swl));
    json_t *alone = json_loads(s->out, 0, NULL);
    assert_true(number(policy(json, "swl"), "core_cycles") == number(json_object_get(alone, "stats"), "core_cycles"));
    assert_true(number(policy(json, "gto"), "speedup") == 1);
    assert_true(number(policy(json, "swl"), "speedup") >= 1);
    const json_t *gto = policy(json, "gto"), *ratio = json_object_get(policy(json, "swl"), "energy_ratio");
    assert_true(number(gto, "energy_j") > 0 && number(gto, "energy_low_j") < number(gto, "energy_j"));
    assert_true(number(json_object_get(gto, "energy_ratio"), "value") == 1);
    assert_true(number(ratio, "low") <= number(ratio, "value") && number(ratio, "value") <= number(ratio, "high"));
    assert_true(number(gto, "edp") > 0 && number(gto, "time_us") > 0);
    json_decref(alone);
    json_decref(json);
}

/* Columns of the longest line, UTF-8 counted by characters. */
static size_t widest(const char *text)
{
    size_t most = 0, n = 0;
    for (; *text; text++) {
        if (*text == '\n') n = 0;
        else n += ((unsigned char)*text & 0xc0) != 0x80;
        most = n > most ? n : most;
    }
    return most;
}

static void what_does_as_gto_does_is_named_below_a_table_of_80_columns(void **state)
{
    (void)state;
    setenv("COLUMNS", "80", 1);
    const struct said *s = good(poisef(root, "policies --trace %s/a.ptrace --store %s/p.sqlite", root, root));
    const char *hidden = strstr(s->out, "not shown");
    assert_non_null(hidden);
    assert_non_null(strstr(hidden, "lru"));
    if (strstr(s->out, "\nlru ")) fail_msg("lru is gto here, and has a row: %s", s->out);
    if (widest(s->out) > 80) fail_msg("%zu columns: %s", widest(s->out), s->out);
    s = good(poisef(root, "policies --trace %s/a.ptrace --store %s/p.sqlite --all", root, root));
    unsetenv("COLUMNS");
    assert_non_null(strstr(s->out, "\nlru "));
    assert_null(strstr(s->out, "not shown"));
}

static void a_list_is_what_is_run_and_runs_are_not_repeated(void **state)
{
    (void)state;
    const struct said *s = good(poisef(
        root,
        "policies --trace %s/a.ptrace --mech 'tuple,N=2,p=1 + mrpb' --mech pcal,N=@swl --mech swl --store %s/q.sqlite",
        root, root));
    assert_non_null(strstr(s->out, "tuple,N=2,p=1 + mrpb "));
    assert_non_null(strstr(s->out, "pcal,N="));
    assert_null(strstr(s->out, "ccws"));
    assert_non_null(strstr(s->out, "\xe2\x96\x88")); /* a bar */
    assert_non_null(strstr(s->err, "swl without N limits no warp"));
    s = good(
        poisef(root, "policies --trace %s/a.ptrace --mech mrpb --mech gto --store %s/q.sqlite --json", root, root));
    json_t *json = json_loads(s->out, 0, NULL);
    assert_int_equal(2, json_array_size(json_object_get(json, "policies"))); /* the reference is gto already */
    json_decref(json);
    s = poisef(root, "policies --trace %s/a.ptrace --mech mrbp --store %s/q.sqlite", root, root);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "did you mean 'mrpb'?"));
    assert_int_equal(2, poise(root, "policies")->status);
}

static void a_map_has_every_tuple_and_its_best(void **state)
{
    (void)state;
    const struct said *s =
        good(poisef(root, "policies --trace %s/a.ptrace --mech gto --map --store %s/m.sqlite --json", root, root));
    json_t *json = json_loads(s->out, 0, NULL), *map = json_object_get(json, "map"), *cell;
    const json_int_t W = json_integer_value(json_object_get(map, "W"));
    size_t i;
    double most = 0;
    assert_int_equal(W * (W + 1) / 2, json_array_size(json_object_get(map, "tuples")));
    json_array_foreach(json_object_get(map, "tuples"), i, cell) {
        most = number(cell, "speedup") > most ? number(cell, "speedup") : most;
    }
    assert_true(most > 0 && most == number(policy(json, "tuple"), "speedup"));
    json_decref(json);
    s = good(poisef(root, "policies --trace %s/a.ptrace --mech gto --map --store %s/m.sqlite", root, root));
    assert_non_null(strstr(s->out, "* the fastest, ("));
}

static void a_measured_prediction_shows_its_map_and_is_stored(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && %s/experiments/poise predict a.ptrace --model " POISE_SOURCE_DIR
             "/models/poise-quickstart.json --measure >out1 2>err1",
             root, POISE_BINARY_DIR);
    assert_int_equal(0, system(command));
    char path[128], first[1 << 14], again[1 << 14];
    snprintf(path, sizeof path, "%s/out1", root);
    slurp(path, first, sizeof first);
    assert_non_null(strstr(first, "* the fastest, ("));
    assert_non_null(strstr(first, "predicted, "));
    snprintf(path, sizeof path, "%s/results/predict.sqlite", root);
    assert_int_equal(0, access(path, R_OK));
    assert_int_equal(0, system(command));
    snprintf(path, sizeof path, "%s/out1", root);
    slurp(path, again, sizeof again);
    assert_string_equal(first, again);
    snprintf(path, sizeof path, "%s/err1", root);
    slurp(path, again, sizeof again);
    assert_null(strstr(again, "warp inst/s")); /* nothing was left to simulate */
}

/* As CONTRACTS has it; times stand apart. */
static void a_hint_says_tuple_gain_and_surface_of_a_launch_by_any_rule_of_admission(void **state)
{
    (void)state;
    json_t *each = json_loads(good(poise(root, "hint --kernel mvt --size test --launch 0 --json"))->out, 0, NULL);
    assert_true(json_is_integer(json_object_get(json_object_get(each, "tuple"), "N")));
    assert_true(json_is_integer(json_object_get(json_object_get(each, "tuple"), "p")));
    const json_t *gain = json_object_get(each, "gain");
    assert_true(number(gain, "low") < number(gain, "value") && number(gain, "value") < number(gain, "high"));
    const size_t n = json_array_size(json_object_get(each, "surface"));
    assert_true(n > 0);
    assert_true(json_is_number(json_object_get(json_array_get(json_object_get(each, "surface"), 0), "log_speedup")));
    assert_true(json_is_number(json_object_get(json_object_get(each, "run_info"), "cpu_seconds")));
    json_t *all = json_loads(good(poise(root, "hint --kernel mvt --size test --launch 0 --all --json"))->out, 0, NULL);
    assert_true(json_equal(json_object_get(all, "tuple"), json_object_get(each, "tuple")));
    assert_true(n <= json_array_size(json_object_get(all, "surface")));
    json_decref(all);
    const struct said *s = good(poisef(root,
                                       "hint --kernel mvt --size test --launch 0 --gangs --measure --json --store "
                                       "%s/hint.sqlite",
                                       root));
    json_t *gangs = json_loads(s->out, 0, NULL);
    assert_true(2 * n <= json_array_size(json_object_get(gangs, "surface"))); /* every tuple, under both rules */
    const json_t *measured = json_object_get(json_array_get(json_object_get(gangs, "launches"), 0), "measured");
    assert_true(number(measured, "speedup") >= number(measured, "hint_speedup"));
    assert_non_null(json_object_get(measured, "map_in_gangs"));
    s = poise(root, "hint --kernel mvt --size test --launch 7");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--launch 7: there is no such launch among the 2"));
    json_decref(each);
    json_decref(gangs);
}

static void a_hint_steers_a_run_and_is_corrected_by_a_model(void **state)
{
    static const char *const correction = POISE_SOURCE_DIR "/tests/fuzz/model/corpus_hint/correction.json";
    const char *dir = fresh_dir();
    char path[256];
    struct error err;
    (void)state;
    const struct said *s = good(poise(dir, "hint --kernel mvt --size test --json"));
    snprintf(path, sizeof path, "%s/hint.json", dir);
    assert_ok(file_write(path, s->out, strlen(s->out), &err), &err);
    json_t *hints = json_loads(s->out, 0, NULL);
    const json_t *first = json_array_get(json_object_get(hints, "launches"), 0);
    s = good(poisef(dir, "sim --kernel mvt --size test --launch 0 --mech learned,hint=%s,sure=1000 --json", path));
    json_t *run = json_loads(s->out, 0, NULL);
    const json_t *stats = json_object_get(json_array_get(json_object_get(run, "mech"), 0), "stats");
    assert_int_equal(1, json_integer_value(json_object_get(stats, "hinted")));
    assert_int_equal(0, json_integer_value(json_object_get(stats, "hinted_by_kernel")));
    assert_true(number(stats, "mean_N") == number(json_object_get(first, "tuple"), "N"));
    json_decref(run);
    s = good(poisef(dir, "hint --kernel mvt --size test --launch 0 --json --model %s", correction));
    run = json_loads(s->out, 0, NULL);
    assert_false(json_equal(json_object_get(run, "surface"), json_object_get(first, "surface")));
    json_decref(run);
    json_decref(hints);
    s = good(poisef(dir, "hint --kernel mvt --size test --launch 0 --table %s/t.csv", dir));
    s = poisef(dir, "train %s/t.csv --family correction", dir); /* nothing was measured */
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "log_speedup"));
    s = poise(dir, "hint --kernel mvt --size test --model " POISE_SOURCE_DIR "/models/poise-best.json");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "correction"));
}

static void a_model_of_another_machine_is_said_to_be_one(void **state)
{
    static const char *const run =
        "sim --kernel mvt --size test --launch 0 --max-cycles 500 --model " POISE_SOURCE_DIR "/models/poise-best.json";
    (void)state;
    assert_null(strstr(poisef(root, "%s", run)->err, "another machine"));
    const struct said *s = poisef(root, "%s --set l1.sets=64", run);
    assert_non_null(strstr(s->err, "was trained on another machine (here l1_lines 256, not 128)"));
}

static void any_shipped_model_goes_wherever_a_model_goes(void **state)
{
    (void)state;
    static const char *const models[] = {"poise-best", "poise-quickstart", "poise-thesis"};
    const char *dir = fresh_dir();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char model[256], store[128];
        const char *mech = i == 0 ? "learned" : "poise";
        snprintf(model, sizeof model, "--model " POISE_SOURCE_DIR "/models/%s.json", models[i]);
        snprintf(store, sizeof store, "%s/runs.sqlite", dir);
        const struct said *s = poisef(dir, "sim --kernel mvt --size test --store %s --json %s", store, model);
        if (s->status) fail_msg("%s", s->err);
        json_t *json = json_loads(s->out, 0, NULL);
        const json_int_t cycles = json_integer_value(json_object_get(json_object_get(json, "stats"), "core_cycles"));
        assert_string_equal(
            mech, json_string_value(json_object_get(json_array_get(json_object_get(json, "mech"), 0), "name")));
        json_decref(json);
        s = poisef(dir, "eval --kernel mvt --size test --store %s --json %s", store, model);
        if (s->status) fail_msg("%s", s->err);
        json = json_loads(s->out, 0, NULL);
        const json_t *policy =
            json_array_get(json_object_get(json_array_get(json_object_get(json, "kernels"), 0), "policies"), 1);
        assert_string_equal(mech, json_string_value(json_object_get(policy, "mech")));
        assert_int_equal(cycles, json_integer_value(json_object_get(policy, "cycles")));
        json_decref(json);
        s = poisef(dir, "policies --kernel mvt --size test --store %s --mech swl,N=2 %s", store, model);
        if (s->status || !strstr(s->out, mech)) fail_msg("%s", s->err);
        s = poisef(dir, "predict --kernel mvt --size test --store %s --json %s", store, model);
        if (s->status) fail_msg("%s", s->err);
        json = json_loads(s->out, 0, NULL);
        const json_t *row = json_array_get(json_object_get(json, "launches"), 1),
                     *tuple = json_object_get(row, "predicted");
        const json_int_t N = json_integer_value(json_object_get(tuple, "N")),
                         p = json_integer_value(json_object_get(tuple, "p"));
        assert_true(p >= 1 && p <= N && N <= json_integer_value(json_object_get(row, "W")));
        assert_int_equal(i == 0, json_is_object(json_object_get(row, "engine")));
        json_decref(json);
    }
}

static void a_file_that_is_no_model_is_told_by_what_it_is(void **state)
{
    (void)state;
    static const char *const commands[] = {"predict --kernel mvt", "eval --kernel mvt", "sim --kernel mvt",
                                           "policies --kernel mvt"};
    static const struct {
        const char *path, *what;
    } files[] = {{"datasets/features/quickstart/dataset.csv", "this is a table (CSV)"},
                 {"experiments/specs/ci-tune.yaml", "this is a spec"}};
    const char *dir = fresh_dir();
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            const struct said *s =
                poisef(dir, "%s --size test --model " POISE_SOURCE_DIR "/%s", commands[c], files[f].path);
            if (s->status != 2 || !strstr(s->err, files[f].what)) fail_msg("%s: %s", commands[c], s->err);
        }
    static const char *const swapped[][2] = {{"learned", "quickstart"}, {"poise", "best"}};
    for (size_t i = 0; i < 2; i++) {
        const struct said *s =
            poisef(dir, "sim --kernel mvt --size test --mech %s,model=" POISE_SOURCE_DIR "/models/poise-%s.json",
                   swapped[i][0], swapped[i][1]);
        if (!strstr(s->err, i ? "which the mechanism learned runs" : "which the mechanism poise runs"))
            fail_msg("%s", s->err);
    }
}

static void a_hint_is_given_for_a_launch_that_has_not_run(void **state)
{
    static const char *const wrong[][2] = {
        {"--for-grid 4,0", "one to three whole numbers"}, {"--for-grid 4,1,1,1", "one to three whole numbers"},
        {"--for-grid 4,", "one to three whole numbers"},  {"--for-block 32", "needs --for-grid"},
        {"--for-grid 4 --measure", "cannot be measured"}, {"--for-grid 4 --for-block 4096", "does not fit an SM"}};
    (void)state;
    const char *said = good(poisef(root, "hint --trace %s/a.ptrace --for-grid 32,16 --for-block 64 --json", root))->out;
    json_t *json = json_loads(said, 0, NULL);
    const json_t *launch = json_array_get(json_object_get(json, "launches"), 0);
    assert_int_equal(json_integer_value(json_object_get(launch, "warps")), 32 * 16 * 2);
    assert_int_equal(json_integer_value(json_object_get(launch, "W")), 8); /* 8 of its CTAs fit an SM */
    json_decref(json);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct said *s = poisef(root, "hint --trace %s/a.ptrace %s", root, wrong[i][0]);
        assert_int_equal(s->status, 2);
        assert_non_null(strstr(s->err, wrong[i][1]));
    }
}

/* ---- a bound ---- */

struct counts {
    json_int_t cycles, accesses, hits, misses;
};

static json_int_t counter(const json_t *stats, const char *name)
{
    return json_integer_value(json_object_get(stats, name));
}

/* nw on eight SMs of TITAN V, in the situation of ELASTIC's studies. */
static struct counts nw_with(const char *l1)
{
    const struct said *s = good(poisef(root,
                                       "sim --kernel nw --size test --config titanv --set core.sms=8 --set "
                                       "l1.local_stores=through --set l1.write_miss=around %s --json",
                                       l1));
    json_t *json = json_loads(s->out, 0, NULL);
    const json_t *stats = json_object_get(json, "stats");
    const struct counts c = {counter(stats, "core_cycles"), counter(stats, "l1d_load_accesses"),
                             counter(stats, "l1d_load_hits"), counter(stats, "l1d_misses")};
    json_decref(json);
    return c;
}

/* [ELASTIC Fig. 11]: +20 %. nw's loads touch nearly every sector once, so an L1 of 256 KB hits as often as one of 32 to
 * 128 KB, in as many cycles; a cache that keeps other chunks than a sectored one can save no miss more. */
static void nw_gains_nothing_by_a_larger_l1_and_so_nothing_by_an_elastic_one(void **state)
{
    (void)state;
    const struct counts sectored = nw_with(""),
                        large = nw_with("--set l1.unified_bytes=0 --set l1.sets=1 --set l1.ways=2048"),
                        elastic = nw_with("--set l1.organisation=elastic");
    assert_true(sectored.accesses > 1000 && sectored.hits * 50 < sectored.accesses);
    assert_int_equal(sectored.accesses, large.accesses);
    assert_int_equal(sectored.hits, large.hits);
    assert_int_equal(sectored.misses, large.misses);
    assert_int_equal(sectored.cycles, large.cycles);
    assert_int_equal(large.misses, elastic.misses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nw_gains_nothing_by_a_larger_l1_and_so_nothing_by_an_elastic_one),
        cmocka_unit_test(every_mechanism_has_a_row_or_a_reason),
        cmocka_unit_test(what_does_as_gto_does_is_named_below_a_table_of_80_columns),
        cmocka_unit_test(a_list_is_what_is_run_and_runs_are_not_repeated),
        cmocka_unit_test(a_map_has_every_tuple_and_its_best),
        cmocka_unit_test(a_measured_prediction_shows_its_map_and_is_stored),
        cmocka_unit_test(a_hint_steers_a_run_and_is_corrected_by_a_model),
        cmocka_unit_test(a_model_of_another_machine_is_said_to_be_one),
        cmocka_unit_test(a_hint_says_tuple_gain_and_surface_of_a_launch_by_any_rule_of_admission),
        cmocka_unit_test(any_shipped_model_goes_wherever_a_model_goes),
        cmocka_unit_test(a_file_that_is_no_model_is_told_by_what_it_is),
        cmocka_unit_test(a_hint_is_given_for_a_launch_that_has_not_run),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
