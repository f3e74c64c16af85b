#include "cli_trace.h"
#include "spawn.h"

#include <jansson.h>
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
        {"repro --count", "--count goes with --results"},
        {"repro --results x.csv --count tsc-9", "--count goes with --results and no study"},
        {"sim --kernel mm --repeat 3", "--repeat R goes with --carry-l2"},
        {"sim --kernel mm --sample seed=1", "error=E is needed, as error=0.02"},
        {"sim --kernel mm --sample error=2", "a share from 0.0001 to 0.5 is needed"},
        {"sim --kernel mm --sample error=0.02,warn=all", "choose error, seed, warm or whole"},
        {"sim --kernel mm --sample error=0.02 --check", "--sample goes without --check"},
        {"sim --kernel mm --beside-mech gto", "go with --beside"},
        {"sim --kernel mm --beside mvt --carry-l2", "--beside goes with --kernel or --trace"},
        {"sim --kernel bfs --launch 0 --size test --beside mvtt", "did you mean 'mvt'"},
        {"sim --kernel mm --phase '0 --mech gto'", "core cycles from 1 to 2147483647 and a policy are needed"},
        {"sim --kernel mm --phase '9 --mech swk'", "--phase '9 --mech swk': no mechanism 'swk'; did you mean 'swl'?"},
        {"sim --kernel mm --phase '9 gto'", "the policy is --mech M, --set K=V, or several of them"},
        {"sim --kernel mm --choice fastest", "--choice fastest chooses among two --phase or more"},
        {"sim --kernel mm --choice none.json", "none.json"},
        {"sim --kernel mm --phase '9 --mech ccn' --mech gto", "they go without --mech"},
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
        {"kernels all", "no kernel 'all'"},
        {"configs all", "takes no argument"},
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
        cmocka_unit_test(costs_of_mechanisms_have_bits_areas_and_the_papers_figures),
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
