#include "spawn.h"

#include <jansson.h>
#include "synth.h"

static const char *const commands[] = {"run",      "repro",   "cv",      "tune",  "model",    "cc",    "cuda",
                                       "validate", "compare", "sim",     "sweep", "features", "train", "eval",
                                       "trace",    "kernels", "configs", "mechs", "params",   "store"};

static void every_command_explains_itself_and_ends_with_0(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    struct said *s = poise(dir, "--help");
    assert_int_equal(0, s->status);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char text[64];
        assert_non_null(strstr(poise(dir, "--help")->out, commands[i]));
        snprintf(text, sizeof text, "%s --help", commands[i]);
        s = poise(dir, text);
        assert_int_equal(0, s->status);
        snprintf(text, sizeof text, "usage: poise %s", commands[i]);
        assert_non_null(strstr(s->out, text));
        assert_string_equal("", s->err);
    }
    s = poise(dir, "--version");
    assert_int_equal(0, s->status);
    assert_true(strncmp(s->out, "poise 0.", 8) == 0);
}

static void wrong_usage_ends_with_2_and_names_what_is_near(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"smi", "no command 'smi'; did you mean 'sim'?"},
        {"sim --kernal mm", "no option '--kernal'; did you mean '--kernel'?"},
        {"sim", "poise sim needs one of --kernel NAME, --trace FILE and --program FILE"},
        {"sim --trace x --config keplar32", "keplar32"},
        {"sim --trace /nonexistent.ptrace", "/nonexistent.ptrace"},
        {"sim --kernel mm --max-cycles many", "a whole number is needed"},
        {"sim --kernel mm --repeat 3", "--repeat R goes with --carry-l2"},
        {"sim --kernel mm --sample seed=1", "error=E is needed, as error=0.02"},
        {"sim --kernel mm --sample error=2", "a share from 0.0001 to 0.5 is needed"},
        {"sim --kernel mm --sample error=0.02,warn=all", "choose error, seed, warm or whole"},
        {"sim --kernel mm --sample error=0.02 --check", "--sample goes without --check"},
        {"policies --kernel mm --sample error=0.02 --map", "--sample compares the policies that --mech names"},
        {"mechs tupel", "did you mean 'tuple'?"},
        {"run", "poise run needs one spec"},
        {"run /nonexistent.yaml", "/nonexistent.yaml"},
        {"train x.csv", "--target"},
        {"trace inform", "choose record, synth, info"},
        {"store export csv --store x", "there is no such store"},
        {"kernels all", "takes no argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct said *s = poise(dir, cases[i].arguments);
        if (s->status != 2) fail_msg("poise %s: status %d, %s", cases[i].arguments, s->status, s->err);
        if (!strstr(s->err, cases[i].message)) fail_msg("poise %s: %s", cases[i].arguments, s->err);
        assert_string_equal("", s->out);
    }
    assert_int_equal(2, poise(dir, "")->status);
}

static void under_json_an_error_is_json_on_stderr(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    FILE *spec = fopen("/tmp/poise-cli-bad.yaml", "w");
    fputs("schema: 1\nkind: pipeline\nname: q\npoints: none\n", spec);
    fclose(spec);
    const struct said *s = poise(dir, "run /tmp/poise-cli-bad.yaml --json");
    assert_int_equal(2, s->status);
    json_t *json = json_loads(s->err, 0, NULL), *e = json_object_get(json, "error");
    assert_string_equal("ERR_INPUT", json_string_value(json_object_get(e, "code")));
    assert_string_equal("/tmp/poise-cli-bad.yaml", json_string_value(json_object_get(e, "file")));
    assert_int_equal(4, json_integer_value(json_object_get(e, "line")));
    assert_string_equal(
        "/tmp/poise-cli-bad.yaml:4:9: points: all, active, lattice, coarse-to-fine, or a number from 3 to 2080",
        json_string_value(json_object_get(e, "message")));
    assert_true(json_is_integer(json_object_get(e, "byte")) && json_is_string(json_object_get(e, "hint")));
    json_decref(json);
    unlink("/tmp/poise-cli-bad.yaml");
}

/* A small trace file in `dir`. */
static const char *trace_in(const char *dir)
{
    static char path[96];
    struct error err;
    struct synth s;
    snprintf(path, sizeof path, "%s/t.ptrace", dir);
    synth_begin(&s, 2, 4);
    for (int c = 0; c < 2; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < 50; k++)
            for (uint32_t w = 0; w < 4; w++) {
                synth_access(&s, w, SYNTH_LOAD_2, ~0u, (uint64_t)c * 65536 + w * 4096 + k * 128, 4);
                synth_op(&s, w, SYNTH_USE_2, ~0u);
            }
        synth_cta_end(&s);
    }
    assert_ok(trace_writer_finish(s.writer, path, "{\"program\":\"synth\"}", NULL, &err), &err);
    return path;
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
                                        "stalls"};
    const char *dir = fresh_dir();
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sim --trace %s --config kepler32 --mech tuple,N=2,p=1 --json",
             trace_in(dir));
    const struct said *s = poise(dir, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *object = json_object_get(json, "stats");
    assert_non_null(json);
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
        if (!json_object_get(object, stats[i])) fail_msg("stats has no %s", stats[i]);
    static const char *const top[] = {"schema", "version", "model_version", "trace",
                                      "config", "mech",    "launches",      "complete"};
    for (size_t i = 0; i < sizeof top / sizeof *top; i++)
        if (!json_object_get(json, top[i])) fail_msg("no key %s", top[i]);
    assert_true(json_is_true(json_object_get(json, "complete")));
    const json_t *mech = json_array_get(json_object_get(json, "mech"), 0);
    assert_string_equal("tuple", json_string_value(json_object_get(mech, "name")));
    assert_int_equal(2, json_integer_value(json_object_get(json_object_get(mech, "params"), "N")));
    /* 8 warps of 50 loads, 50 uses and an exit */
    assert_int_equal(808, json_integer_value(json_object_get(object, "warp_insts")));
    json_decref(json);
    snprintf(arguments, sizeof arguments, "sim --trace %s", trace_in(dir));
    s = poise(dir, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "l1d_hit_rate"));
    snprintf(arguments, sizeof arguments, "sim --trace %s --stats gpgpusim", trace_in(dir));
    assert_non_null(strstr(poise(dir, arguments)->out, "gpu_tot_ipc = "));
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
static char *figures_of(const char *dir, const char *options)
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
    char arguments[256], *one = figures_of(dir, "--threads 1"), *three = figures_of(dir, "--threads 3");
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

static void trace_info_counts_accesses_by_operator(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char path[96], arguments[256];
    struct error err;
    struct synth s;
    snprintf(path, sizeof path, "%s/o.ptrace", dir);
    synth_begin_operator(&s, 1, 1, (struct synth_operator){.cache_op = TRACE_CACHE_CG, .scope = TRACE_SCOPE_GPU});
    synth_cta(&s);
    for (int i = 0; i < 3; i++) synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 0, 4);
    for (int i = 0; i < 2; i++) synth_access(&s, 0, SYNTH_LOAD_OP, ~0u, 0, 4);
    synth_access(&s, 0, SYNTH_LOAD_OP, 0, 0, 4); /* by no lane */
    synth_access(&s, 0, SYNTH_STORE_OP, 1, 0, 4);
    synth_access(&s, 0, SYNTH_SHARED, 1, 0, 4);
    synth_cta_end(&s);
    assert_ok(trace_writer_finish(s.writer, path, "{}", NULL, &err), &err);
    snprintf(arguments, sizeof arguments, "trace info %s", path);
    assert_non_null(strstr(poise(dir, arguments)->out, "3 ld, 2 ld.cg.gpu, 1 st.cg.gpu; 2 loads pass L1\n"));
    snprintf(arguments, sizeof arguments, "trace info %s --json", path);
    json_t *json = json_loads(poise(dir, arguments)->out, 0, NULL), *counts = json_object_get(json, "global_accesses");
    assert_int_equal(3, json_object_size(counts));
    assert_int_equal(3, json_integer_value(json_object_get(counts, "ld")));
    assert_int_equal(2, json_integer_value(json_object_get(counts, "ld.cg.gpu")));
    assert_int_equal(1, json_integer_value(json_object_get(counts, "st.cg.gpu")));
    assert_int_equal(2, json_integer_value(json_object_get(json, "loads_past_l1")));
    json_decref(json);
}

static void trace_info_tells_what_is_in_the_file_and_where_it_is_damaged(void **state)
{
    (void)state;
    const char *dir = fresh_dir(), *path = trace_in(dir);
    char arguments[256];
    snprintf(arguments, sizeof arguments, "trace info %s --json", path);
    const struct said *s = poise(dir, arguments);
    json_t *json = json_loads(s->out, 0, NULL);
    static const char *const keys[] = {
        "hash",  "kernel",          "grid",       "block",           "regs",         "shared_bytes", "warp_insts",
        "bytes", "bytes_per_winst", "provenance", "global_accesses", "loads_past_l1"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(json, keys[i])) fail_msg("no key %s", keys[i]);
    assert_string_equal("synth", json_string_value(json_object_get(json_object_get(json, "provenance"), "program")));
    json_decref(json);
    assert_int_equal(0, truncate(path, 100));
    s = poise(dir, arguments);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, path));
}

static void ratios_of_a_mechanism_are_those_of_all_launches(void **state)
{
    (void)state;
    const struct said *s = poise(fresh_dir(), "sim --kernel kmeans --size test --mech lru --json");
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    assert_true(json_array_size(json_object_get(json, "launches")) > 1);
    const json_t *stats = json_object_get(json_array_get(json_object_get(json, "mech"), 0), "stats");
    const double hits = (double)json_integer_value(json_object_get(stats, "gpu_hits"));
    const double accesses = (double)json_integer_value(json_object_get(stats, "gpu_accesses"));
    assert_true(accesses > 0);
    const double off = json_real_value(json_object_get(stats, "gpu_hit_rate")) - hits / accesses;
    assert_true(off < 1e-12 && off > -1e-12); /* written with 15 digits */
    json_decref(json);
}

static void lists_come_from_the_tables(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    static const struct {
        const char *command, *key;
        size_t least;
    } lists[] = {{"kernels", "kernels", 2}, {"mechs", "mechs", 4}, {"params", "params", 40}};
    for (size_t i = 0; i < 3; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "%s --json", lists[i].command);
        const struct said *s = poise(dir, arguments);
        json_t *json = json_loads(s->out, 0, NULL);
        assert_true(json_array_size(json_object_get(json, lists[i].key)) >= lists[i].least);
        json_decref(json);
    }
    assert_non_null(strstr(poise(dir, "configs")->out, "kepler32\n"));
    assert_non_null(strstr(poise(dir, "params --assumed")->out, "assumed"));
}

static void train_fits_a_table_and_writes_a_model_that_the_engine_reads(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char path[96], arguments[512];
    snprintf(path, sizeof path, "%s/d.csv", dir);
    FILE *csv = fopen(path, "w");
    fputs("kernel,N,p,h_o,intercept\n", csv);
    for (int i = 0; i < 40; i++) fprintf(csv, "k%d,%d,%d,%.3f,1\n", i, 1 + (i * 7) % 20, 1 + i % 4, i / 40.0);
    fclose(csv);
    snprintf(arguments, sizeof arguments, "train %s --target N --family nb2 -o %s/m.json --json", path, dir);
    const struct said *s = poise(dir, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    assert_int_equal(2, json_array_size(json_object_get(json, "coef")));
    assert_true(json_is_true(json_object_get(json, "converged")));
    json_decref(json);
    snprintf(arguments, sizeof arguments, "%s/m.json", dir);
    assert_int_equal(0, access(arguments, R_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_explains_itself_and_ends_with_0),
        cmocka_unit_test(wrong_usage_ends_with_2_and_names_what_is_near),
        cmocka_unit_test(under_json_an_error_is_json_on_stderr),
        cmocka_unit_test(sim_of_a_trace_prints_the_keys_that_scripts_rely_on),
        cmocka_unit_test(a_limit_ends_with_6_and_still_prints),
        cmocka_unit_test(a_program_that_iterates_finds_its_data_in_l2),
        cmocka_unit_test(a_sample_of_a_program_has_an_interval_and_one_of_a_small_program_none),
        cmocka_unit_test(skipping_changes_nothing_but_its_own_counter),
        cmocka_unit_test(a_run_on_several_processors_gives_the_figures_of_one_and_says_where_it_cannot),
        cmocka_unit_test(trace_info_counts_accesses_by_operator),
        cmocka_unit_test(trace_info_tells_what_is_in_the_file_and_where_it_is_damaged),
        cmocka_unit_test(ratios_of_a_mechanism_are_those_of_all_launches),
        cmocka_unit_test(lists_come_from_the_tables),
        cmocka_unit_test(train_fits_a_table_and_writes_a_model_that_the_engine_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
