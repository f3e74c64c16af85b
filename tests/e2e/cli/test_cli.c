#include "spawn.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include "poise/file.h"
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
        {"sim --kernel mm --beside-mech gto", "go with --beside"},
        {"sim --kernel mm --beside mvt --carry-l2", "--beside goes with --kernel or --trace"},
        {"sim --kernel mm --beside mvtt", "did you mean 'mvt'"},
        {"sim --kernel mm --plugin none.so", "none.so"},
        {"--plugin", "--plugin needs FILE"},
        {"sim --kernel mm --store x.sqlite --carry-l2", "--store goes without --carry-l2"},
        {"sim --kernel mm --store x.sqlite --timeline t", "--store goes without --timeline"},
        {"sim --kernel mm --store x.sqlite --check", "--store goes without --check"},
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
    const double joules = json_number_value(json_object_get(object, "energy_j"));
    const json_t *parts = json_object_get(json_object_get(json, "energy"), "parts"), *part;
    double sum = 0;
    size_t k;
    json_array_foreach(parts, k, part) sum += json_number_value(json_object_get(part, "joules"));
    assert_true(joules > 0 && fabs(sum - joules) < 1e-9 * joules);
    assert_true(json_number_value(json_object_get(object, "energy_low_j")) < joules);
    assert_true(json_number_value(json_object_get(object, "energy_high_j")) > joules);
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

static void costs_of_mechanisms_have_bits_areas_and_the_papers_figures(void **state)
{
    (void)state;
    const struct said *s = poise(fresh_dir(), "mechs --cost --config fermi15 --json");
    assert_int_equal(0, s->status);
    json_t *json = json_loads(s->out, 0, NULL), *mech;
    size_t i, found = 0;
    json_array_foreach(json_object_get(json, "mechs"), i, mech) {
        const char *name = json_string_value(json_object_get(mech, "name"));
        const double at40 = json_number_value(json_object_get(json_object_get(mech, "mm2_40nm"), "value")),
                     at45 = json_number_value(json_object_get(json_object_get(mech, "mm2_45nm"), "value"));
        assert_true(at45 >= at40);
        if (strcmp(name, "ccn") != 0) continue;
        found++;
        /* 8 requests of 30 bits twice, 8 lines of 1028, 9,600 bits of tags, 65 bits in each SM, and 64 once */
        assert_int_equal(15 * (2 * 240 + 8224 + 9600 + 65) + 64, json_integer_value(json_object_get(mech, "bits")));
        assert_true(at40 > 1 && at40 < 4.38 + 4.82 && json_array_size(json_object_get(mech, "paper")) == 3);
    }
    assert_int_equal(1, found);
    json_array_foreach(json_object_get(json, "organisations"), i, mech)
        if (strcmp(json_string_value(json_object_get(mech, "name")), "tsc") == 0) {
            found++;
            assert_int_equal(592 * 8, json_integer_value(json_object_get(mech, "bits_per_sm")));
        }
    assert_int_equal(2, found);
    json_decref(json);
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

/* Six copies of a trace, each a benchmark and a family of its own, and a file of tuples for them. */
static void predict_six(const char *dir, const char *last_row)
{
    char path[120], *text;
    struct error err;
    size_t size;
    assert_ok(file_read(&text, &size, trace_in(dir), &err), &err);
    snprintf(path, sizeof path, "%s/traces", dir);
    mkdir(path, 0777);
    for (char name = 'a'; name <= 'f'; name++) {
        snprintf(path, sizeof path, "%s/traces/%c.ptrace", dir, name);
        assert_ok(file_write(path, text, size, &err), &err);
    }
    free(text);
    snprintf(path, sizeof path, "%s/p.csv", dir);
    FILE *out = fopen(path, "w");
    fputs("benchmark,launch,N,p,note\na,0,1,1,\nb,b/0,2,1,x\nc,0,2.0,2,\nd,0,1,1,\ne,0,2,2,\n", out);
    fputs(last_row, out);
    fclose(out);
}

static const json_t *policy_of(const json_t *kernel, const char *name)
{
    size_t i;
    const json_t *policy;
    json_array_foreach(json_object_get(kernel, "policies"), i, policy)
        if (strcmp(json_string_value(json_object_get(policy, "mech")), name) == 0) return policy;
    fail_msg("no policy %s", name);
    return NULL;
}

static json_int_t cycles_with(const json_t *kernel, const char *name)
{
    return json_integer_value(json_object_get(policy_of(kernel, name), "cycles"));
}

static void tuples_of_an_outside_model_are_judged_beside_static_best_and_constants(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    predict_six(dir, "f,0,1,1,\n");
    const struct said *s = poisef(dir, "eval --predictions %s/p.csv --trace %s/traces --mech ccws --json", dir, dir);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *kernels = json_object_get(json, "kernels"), *row;
    assert_int_equal(6, json_array_size(kernels));
    assert_int_equal(6, json_integer_value(json_object_get(json, "families")));
    const json_t *a = json_array_get(kernels, 0), *c = json_array_get(kernels, 2);
    assert_true(cycles_with(a, "predictions") == cycles_with(a, "constant_1"));
    assert_true(cycles_with(c, "predictions") == cycles_with(c, "constant_2"));
    assert_true(cycles_with(c, "static_best") <= cycles_with(c, "predictions"));
    assert_true(cycles_with(c, "static_best") <= cycles_with(c, "swl"));
    assert_true(cycles_with(c, "ccws") > 0 && cycles_with(c, "constant_others") > 0);
    static const char *const means[] = {"gto",        "predictions",   "static_best",     "swl", "constant_1",
                                        "constant_2", "constant_best", "constant_others", "ccws"};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        assert_true(json_number_value(json_object_get(json_object_get(json, "hmean"), means[i])) > 0);
    const json_t *ci = json_object_get(json_array_get(json_object_get(json, "ci95"), 0), "hmean");
    assert_string_equal("predictions",
                        json_string_value(json_object_get(json_array_get(json_object_get(json, "ci95"), 0), "mech")));
    assert_true(json_number_value(json_array_get(ci, 0)) < json_number_value(json_array_get(ci, 1)));
    row = json_array_get(json_object_get(json, "launches"), 1);
    assert_int_equal(3, json_integer_value(json_object_get(row, "line")));
    assert_true(json_number_value(json_object_get(row, "regret")) >= 0);
    /* what sim says of the tuple */
    s = poisef(dir, "sim --trace %s/traces/b.ptrace --mech tuple,N=2,p=1 --json", dir);
    json_t *sim = json_loads(s->out, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(sim, "stats"), "core_cycles")),
                     json_integer_value(json_object_get(row, "cycles")));
    json_decref(sim);
    json_decref(json);
    /* one family: no interval, and no others to choose a constant on */
    char path[120];
    struct error err;
    static const char one[] = "benchmark,launch,N,p\na,0,1,1\n";
    snprintf(path, sizeof path, "%s/one.csv", dir);
    assert_ok(file_write(path, one, sizeof one - 1, &err), &err);
    s = poisef(dir, "eval --predictions %s --trace %s/traces/a.ptrace", path, dir);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "too few families for an interval"));
    assert_null(strstr(s->out, "others "));
}

static void a_row_of_predictions_that_fits_no_launch_is_named_by_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *row, *message;
    } cases[] = {
        {"", "p.csv: no row for 1 of 6 launches: f/0"},
        {"g,0,1,1,\n", "p.csv:7: no benchmark 'g'"},
        {"f,1,1,1,\n", "p.csv:7: f has no launch 1"},
        {"f,0,33,1,\n", "p.csv:7: N = 33: a scheduler has"},
        {"f,0,0,0,\n", "p.csv:7: N: '0' is no number of warps"},
        {"f,0,1,2,\n", "p.csv:7: p = 2 is above N = 1"},
        {"f,0,1.5,1,\n", "p.csv:7: N: '1.5' is no number of warps"},
        {"f,0,1,1,\nf,0,2,1,\n", "p.csv:8: a second row of f, launch 0; the first is line 7"},
        {"f,0,1,1,\nf,f/0,2,1,\n", "p.csv:8: a second row of f/0; the first is line 7"},
    };
    const char *dir = fresh_dir();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        predict_six(dir, cases[i].row);
        const struct said *s = poisef(dir, "eval --predictions %s/p.csv --trace %s/traces", dir, dir);
        if (s->status != 2 || !strstr(s->err, cases[i].message)) fail_msg("%s: %d %s", cases[i].row, s->status, s->err);
        assert_string_equal("", s->out);
    }
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
    assert_non_null(strstr(s->out, "these columns explain nothing that chance would not"));
    snprintf(arguments, sizeof arguments,
             "train " POISE_SOURCE_DIR
             "/datasets/features/quickstart/dataset.csv --target N --features h_o,h_prime,intercept");
    assert_null(strstr(poise(dir, arguments)->out, "explain nothing"));
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
        cmocka_unit_test(two_traces_side_by_side_are_two_launches_and_the_same_bytes_without_skipping),
        cmocka_unit_test(sim_takes_a_run_from_a_store_and_keeps_a_new_one_with_the_same_output),
        cmocka_unit_test(costs_of_mechanisms_have_bits_areas_and_the_papers_figures),
        cmocka_unit_test(a_limit_ends_with_6_and_still_prints),
        cmocka_unit_test(a_program_that_iterates_finds_its_data_in_l2),
        cmocka_unit_test(a_sample_of_a_program_has_an_interval_and_one_of_a_small_program_none),
        cmocka_unit_test(skipping_changes_nothing_but_its_own_counter),
        cmocka_unit_test(a_run_on_several_processors_gives_the_figures_of_one_and_says_where_it_cannot),
        cmocka_unit_test(trace_info_counts_accesses_by_operator),
        cmocka_unit_test(trace_info_tells_what_is_in_the_file_and_where_it_is_damaged),
        cmocka_unit_test(ratios_of_a_mechanism_are_those_of_all_launches),
        cmocka_unit_test(tuples_of_an_outside_model_are_judged_beside_static_best_and_constants),
        cmocka_unit_test(a_row_of_predictions_that_fits_no_launch_is_named_by_its_line),
        cmocka_unit_test(lists_come_from_the_tables),
        cmocka_unit_test(train_fits_a_table_and_writes_a_model_that_the_engine_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
