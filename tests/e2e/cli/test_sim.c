/* poise sim: what it prints, what it takes from a store, what its options leave as it is. */
#include "cli_trace.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include "poise/file.h"
#include "where.h"

static void has_keys(const json_t *object, const char *const keys[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!json_object_get(object, keys[i])) fail_msg("no key %s", keys[i]);
}

/* Its parts are the whole, which lies between low and high. */
static void energy_adds_up(const json_t *json)
{
    const json_t *stats = json_object_get(json, "stats"), *part,
                 *parts = json_object_get(json_object_get(json, "energy"), "parts");
    const double joules = json_number_value(json_object_get(stats, "energy_j"));
    double sum = 0;
    size_t k;
    json_array_foreach(parts, k, part) sum += json_number_value(json_object_get(part, "joules"));
    assert_true(joules > 0 && fabs(sum - joules) < 1e-9 * joules);
    assert_true(json_number_value(json_object_get(stats, "energy_low_j")) < joules);
    assert_true(json_number_value(json_object_get(stats, "energy_high_j")) > joules);
}

static void sim_of_a_trace_prints_the_keys_that_scripts_rely_on(void **state)
{
    (void)state;
    static const char *const stats[] = {"core_cycles",
                                        "warp_insts",
                                        "thread_insts",
                                        "ipc",
                                        "l1d_load_accesses",
                                        "l1d_load_hits",
                                        "l1d_hit_rate",
                                        "l1d_mshr_merges",
                                        "l1d_hits_and_merges",
                                        "l1d_misses",
                                        "l1d_bypassed",
                                        "l1d_intra_warp_hits",
                                        "l1d_reservation_fails",
                                        "l2_accesses",
                                        "l2_hits",
                                        "l2_hit_rate",
                                        "dram_reads",
                                        "dram_writes",
                                        "aml_cycles",
                                        "time_us",
                                        "energy_j",
                                        "energy_low_j",
                                        "energy_high_j",
                                        "edp",
                                        "stalls"};
    const char *dir = fresh_dir();
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sim --trace %s --config kepler32 --mech tuple,N=2,p=1 --json",
             trace_in(dir));
    const struct said *s = poise(dir, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *object = json_object_get(json, "stats");
    assert_non_null(json);
    has_keys(object, stats, sizeof stats / sizeof *stats);
    static const char *const top[] = {"schema", "version", "model_version", "trace",
                                      "config", "mech",    "launches",      "complete"};
    has_keys(json, top, sizeof top / sizeof *top);
    assert_true(json_is_true(json_object_get(json, "complete")));
    const json_t *mech = json_array_get(json_object_get(json, "mech"), 0);
    assert_string_equal("tuple", json_string_value(json_object_get(mech, "name")));
    assert_int_equal(2, json_integer_value(json_object_get(json_object_get(mech, "params"), "N")));
    /* 8 warps of 50 loads, 50 uses and an exit */
    assert_int_equal(808, json_integer_value(json_object_get(object, "warp_insts")));
    energy_adds_up(json);
    json_decref(json);
    snprintf(arguments, sizeof arguments, "sim --trace %s", trace_in(dir));
    s = poise(dir, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "l1d_hit_rate"));
    assert_non_null(strstr(s->out, "power_w"));
    snprintf(arguments, sizeof arguments, "sim --trace %s --stats gpgpusim", trace_in(dir));
    assert_non_null(strstr(poise(dir, arguments)->out, "gpu_tot_ipc = "));
}

/* Another launch on the other half of the SMs, under mechanisms of its own. */
static void two_traces_side_by_side_are_two_launches_and_the_same_bytes_without_skipping(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[512], *first = NULL;
    const char *const ways[] = {"", " --no-skip"};
    struct said *s;
    trace_in(dir);
    for (size_t i = 0; i < 2; i++) {
        snprintf(arguments, sizeof arguments,
                 "sim --trace %s --beside %s --mech tuple,N=2,p=1 --beside-mech swl,N=1 --json%s", trace_in(dir),
                 trace_in(dir), ways[i]);
        s = poise(dir, arguments);
        if (s->status) fail_msg("%s", s->err);
        if (i) assert_string_equal(first, s->out);
        else first = strdup(s->out);
    }
    json_t *json = json_loads(first, 0, NULL), *launches = json_object_get(json, "launches"), *launch;
    size_t i;
    assert_int_equal(2, json_array_size(launches));
    json_array_foreach(launches, i, launch) {
        const json_t *stats = json_object_get(launch, "stats"), *mech = json_object_get(launch, "mech");
        assert_int_equal(808, json_integer_value(json_object_get(stats, "warp_insts")));
        assert_true(json_integer_value(json_object_get(stats, "l1d_hits_and_merges")) > 0);
        assert_null(json_object_get(stats, "l2_hits")); /* both share it: it is in the run's */
        assert_true(json_is_true(json_object_get(launch, "complete")));
        assert_int_equal(16, json_integer_value(json_object_get(launch, "sms")));
        assert_string_equal(i ? "swl" : "tuple", json_string_value(json_object_get(json_array_get(mech, 0), "name")));
    }
    assert_int_equal(1616, json_integer_value(json_object_get(json_object_get(json, "stats"), "warp_insts")));
    json_decref(json);
    free(first);
    snprintf(arguments, sizeof arguments, "sim --trace %s --beside %s", trace_in(dir), trace_in(dir));
    s = poise(dir, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(strstr(s->out, "(16 SMs)") + 1, "(16 SMs)"));
    snprintf(arguments, sizeof arguments, "sim --trace %s --beside %s --set core.sms=1", trace_in(dir), trace_in(dir));
    s = poise(dir, arguments);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "two launches side by side need an SM each"));
}

/* What poise sim prints as JSON but for run_info; the number there, or -1. */
static char *figures_of(const char *dir, const char *arguments, json_int_t *reused)
{
    const struct said *s = poise(dir, arguments);
    if (s->status) fail_msg("poise %s: %s", arguments, s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    const json_t *n = json_object_get(json_object_get(json, "run_info"), "runs_reused");
    *reused = n ? json_integer_value(n) : -1;
    json_object_del(json, "run_info");
    char *text = json_dumps(json, 0);
    json_decref(json);
    return text;
}

static void sim_takes_a_run_from_a_store_and_keeps_a_new_one_with_the_same_output(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char sim[300], stored[400], path[120];
    json_int_t reused[3];
    snprintf(sim, sizeof sim, "sim --trace %s --mech tuple,N=2,p=1 --set l1.ways=8", trace_in(dir));
    snprintf(stored, sizeof stored, "%s --json --store %s/new/store.sqlite", sim, dir);
    char *first = figures_of(dir, stored, &reused[0]), *again = figures_of(dir, stored, &reused[1]);
    strncat(sim, " --json", sizeof sim - strlen(sim) - 1);
    char *without = figures_of(dir, sim, &reused[2]);
    assert_string_equal(without, first);
    assert_string_equal(without, again);
    assert_true(reused[0] == 0 && reused[1] == 1 && reused[2] == -1);
    free(first), free(again), free(without);
    /* a table has no run_info: all its bytes are the same */
    snprintf(sim, sizeof sim, "sim --trace %s --mech bucl --all", trace_in(dir));
    char *table = strdup(poise(dir, sim)->out);
    for (int i = 0; i < 2; i++) {
        const struct said *s = poisef(dir, "%s --store %s/new/store.sqlite", sim, dir);
        assert_string_equal(table, s->out);
        assert_non_null(strstr(s->err, i ? "1 of 1 runs were there" : "0 of 1 runs were there, 1 simulated"));
    }
    free(table);
    /* a sweep's store is one of these */
    snprintf(path, sizeof path, "%s/s.yaml", dir);
    FILE *spec = fopen(path, "w");
    fprintf(spec, "schema: 1\nkind: sweep\nname: s\nkernels: [{trace: t.ptrace}]\nstacks: [\"gto\"]\n");
    fclose(spec);
    assert_int_equal(0, poisef(dir, "sweep %s --out %s/sweep", path, dir)->status);
    snprintf(stored, sizeof stored, "sim --trace %s --json --store %s/sweep/store.sqlite", trace_in(dir), dir);
    free(figures_of(dir, stored, &reused[0]));
    assert_int_equal(1, reused[0]);
}

/* A policy after another in one launch, the last one chosen by their trials. */
static void policies_one_after_another_execute_the_launch_once(void **state)
{
    (void)state;
    const char *dir = fresh_dir(), *const ways[] = {"", " --no-skip", " --threads 2", " --store %s/p.sqlite"};
    char sim[300], way[400], *first = NULL;
    json_int_t reused = -1;
    snprintf(
        sim, sizeof sim,
        "sim --trace %s --phase '400 --mech ccn' --phase '300 --set l1.organisation=elastic' --choice fastest --json",
        trace_in(dir));
    for (size_t i = 0; i < 5; i++) {
        const int n = snprintf(way, sizeof way, "%s", sim);
        snprintf(way + n, sizeof way - (size_t)n, i < 3 ? ways[i] : ways[3], dir);
        char *text = figures_of(dir, way, &reused);
        if (first) assert_string_equal(first, text);
        if (first) free(text);
        else first = text;
    }
    assert_int_equal(1, reused);
    json_t *json = json_loads(first, 0, NULL);
    const json_t *launch = json_array_get(json_object_get(json, "launches"), 0),
                 *all = json_array_get(json_object_get(launch, "mech"), 1), *phases = json_object_get(all, "phases");
    assert_string_equal("phases", json_string_value(json_object_get(all, "name")));
    assert_true(json_array_size(phases) >= 2);
    assert_string_equal("--mech ccn", json_string_value(json_object_get(json_array_get(phases, 0), "policy")));
    assert_non_null(json_string_value(json_object_get(all, "chosen")));
    assert_int_equal(808, json_integer_value(json_object_get(json_object_get(json, "stats"), "warp_insts")));
    json_decref(json);
    free(first);
    const struct said *s =
        poisef(dir, "sim --trace %s --choice " POISE_SOURCE_DIR "/models/choice.json", trace_in(dir));
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "tsc-ccn, start"));
    s = poisef(dir, "sim --trace %s --phase '9 --mech gto' --phase '--set l2.sets=1'", trace_in(dir));
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "then 1: within a launch a policy may change mechanisms and parameters of l1 and"));
}

static void a_limit_ends_with_6_and_still_prints(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sim --trace %s --max-cycles 300 --json", trace_in(dir));
    const struct said *s = poise(dir, arguments);
    assert_int_equal(6, s->status);
    json_t *json = json_loads(s->out, 0, NULL);
    assert_true(json_is_false(json_object_get(json, "complete")));
    assert_int_equal(300, json_integer_value(json_object_get(json_object_get(json, "stats"), "core_cycles")));
    json_decref(json);
}

static void a_program_that_iterates_finds_its_data_in_l2(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[256];
    json_int_t cycles[3];
    snprintf(arguments, sizeof arguments, "sim --trace %s --carry-l2 --repeat 3 --json", trace_in(dir));
    const struct said *s = poise(dir, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *launches = json_object_get(json, "launches");
    assert_int_equal(3, json_array_size(launches));
    for (size_t i = 0; i < 3; i++) {
        const json_t *stats = json_object_get(json_array_get(launches, i), "stats");
        cycles[i] = json_integer_value(json_object_get(stats, "core_cycles"));
        assert_int_equal(808, json_integer_value(json_object_get(stats, "warp_insts")));
    }
    assert_true(cycles[1] < cycles[0] && cycles[2] < cycles[0]);
    json_decref(json);
    snprintf(arguments, sizeof arguments, "sim --trace %s --carry-l2 --repeat 0", trace_in(dir));
    s = poise(dir, arguments);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--repeat 0: a whole number from 1 to 10000 is needed"));
}

static json_t *sampled(const char *dir, const char *options)
{
    char arguments[320];
    snprintf(arguments, sizeof arguments, "sim --trace %s --json %s", trace_in(dir), options);
    const struct said *s = poise(dir, arguments);
    if (s->status) fail_msg("%s", s->err);
    return json_loads(s->out, 0, NULL);
}

static double cycles_at(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json_object_get(json_object_get(json, "estimate"), "core_cycles"), key));
}

static void a_sample_of_a_program_has_an_interval_and_one_of_a_small_program_none(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    json_t *whole = sampled(dir, "--sample error=0.02");
    const double exact = json_number_value(json_object_get(json_object_get(whole, "stats"), "core_cycles"));
    assert_true(exact > 0 && cycles_at(whole, "low") == exact && cycles_at(whole, "high") == exact);
    assert_true(json_is_true(json_object_get(whole, "complete")));
    assert_true(json_number_value(json_object_get(whole, "share_of_work")) == 1);
    json_decref(whole);
    json_t *exactly = sampled(dir, "--carry-l2 --repeat 60"),
           *some = sampled(dir, "--carry-l2 --repeat 60 --sample error=0.05,whole=0");
    const double all = json_number_value(json_object_get(json_object_get(exactly, "stats"), "core_cycles"));
    assert_true(cycles_at(some, "low") < cycles_at(some, "high"));
    assert_true(cycles_at(some, "value") > 0.97 * all && cycles_at(some, "value") < 1.03 * all);
    assert_true(json_is_false(json_object_get(some, "complete")));
    assert_true(json_number_value(json_object_get(some, "share_of_work")) < 0.7);
    json_decref(exactly);
    json_decref(some);
}

static void skipping_changes_nothing_but_its_own_counter(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[256], *first;
    snprintf(arguments, sizeof arguments, "sim --trace %s --json | grep -v skipped", trace_in(dir));
    first = strdup(poise(dir, arguments)->out);
    snprintf(arguments, sizeof arguments, "sim --trace %s --json --no-skip | grep -v skipped", trace_in(dir));
    assert_string_equal(first, poise(dir, arguments)->out);
    free(first);
}

/* What a run prints but how it was made. */
static char *figures_on_volta80(const char *dir, const char *options)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sim --trace %s --config volta80 --json %s", trace_in(dir), options);
    const struct said *s = poise(dir, arguments);
    json_t *json = json_loads(s->out, 0, NULL);
    assert_int_equal(0, s->status);
    json_object_del(json, "run_info");
    char *text = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    return text;
}

static void a_run_on_several_processors_gives_the_figures_of_one_and_says_where_it_cannot(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char arguments[256], *one = figures_on_volta80(dir, "--threads 1"), *three = figures_on_volta80(dir, "--threads 3");
    assert_string_equal(one, three);
    free(one);
    free(three);
    snprintf(arguments, sizeof arguments, "sim --trace %s --threads 2 --mech ccn", trace_in(dir));
    const struct said *s = poise(dir, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->err, "note: one thread simulates the SMs: ccn keeps state that SMs share"));
    snprintf(arguments, sizeof arguments, "sim --trace %s --mech ccn", trace_in(dir));
    assert_null(strstr(poise(dir, arguments)->err, "one thread"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_of_a_trace_prints_the_keys_that_scripts_rely_on),
        cmocka_unit_test(two_traces_side_by_side_are_two_launches_and_the_same_bytes_without_skipping),
        cmocka_unit_test(sim_takes_a_run_from_a_store_and_keeps_a_new_one_with_the_same_output),
        cmocka_unit_test(policies_one_after_another_execute_the_launch_once),
        cmocka_unit_test(a_limit_ends_with_6_and_still_prints),
        cmocka_unit_test(a_program_that_iterates_finds_its_data_in_l2),
        cmocka_unit_test(a_sample_of_a_program_has_an_interval_and_one_of_a_small_program_none),
        cmocka_unit_test(skipping_changes_nothing_but_its_own_counter),
        cmocka_unit_test(a_run_on_several_processors_gives_the_figures_of_one_and_says_where_it_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
