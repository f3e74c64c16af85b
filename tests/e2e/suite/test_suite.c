/* poise suite: drafts, builds, traces and checks of a checkout, and its programs as kernels by name. */
#include "../cli/spawn.h"
#include "folder.h"

#include <jansson.h>
#include <math.h>
#include "poise/suite.h"
#include "poise/table.h"

#define TINY POISE_SOURCE_DIR "/tests/e2e/suite/tiny"
static char root[64];

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    return chdir(root) || system("cp -r " TINY " checkout") ? -1 : 0;
}

static int end(void **state)
{
    (void)state;
    return chdir("/") || folder_remove(root) ? -1 : 0;
}

static char *text_of(const char *path)
{
    static char text[1 << 16];
    slurp(path, text, sizeof text);
    return text;
}

/* ---- verdicts ---- */

static void words_of_an_output_say_right_wrong_or_nothing(void **state)
{
    static const struct {
        const char *output;
        enum suite_verdict verdict;
    } cases[] = {{"Test PASSED\n", SUITE_RIGHT},
                 {"PASS\n", SUITE_RIGHT},
                 {"PASS. ([51.70%] of the queries exist)\n", SUITE_RIGHT},
                 {"pass 3: 2 ms\n", SUITE_NOTHING},
                 {"Test passed", SUITE_RIGHT},
                 {"Result = PASS\ntime 3 ms\n", SUITE_RIGHT},
                 {"found 0 mismatches\n", SUITE_RIGHT},
                 {"Non-Matching CPU-GPU Outputs Beyond Error Threshold of 0.05 Percent: 0\n", SUITE_RIGHT},
                 {"Non-Matching CPU-GPU Outputs Beyond Error Threshold of 0.05 Percent: 4096\n", SUITE_WRONG},
                 {"no errors\n", SUITE_RIGHT},
                 {"Errors: 0\n", SUITE_RIGHT},
                 {"errors = 12\n", SUITE_WRONG},
                 {"FAIL\n", SUITE_WRONG},
                 {"PASS\nFAIL\n", SUITE_WRONG},
                 {"Test FAILED\n", SUITE_WRONG},
                 {"results do not match\n", SUITE_WRONG},
                 {"Results match\n", SUITE_RIGHT},
                 {"verification: ok\n", SUITE_RIGHT},
                 {"3 mismatches\n", SUITE_WRONG},
                 {"max error 1e-6\n", SUITE_NOTHING},
                 {"first pass: 3 ms\n", SUITE_NOTHING},
                 {"poise: CUDA_ERROR_INVALID_VALUE: x failed\n", SUITE_NOTHING},
                 {"checksum 42\n", SUITE_NOTHING},
                 {"", SUITE_NOTHING}};
    char why[200];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (suite_judge(cases[i].output, "", "", why, sizeof why) != cases[i].verdict)
            fail_msg("'%s' is not %s: %s", cases[i].output, suite_verdicts[cases[i].verdict], why);
}

static void lines_of_ones_own_decide_in_place_of_the_common_words(void **state)
{
    char why[200];
    (void)state;
    assert_int_equal(SUITE_RIGHT, suite_judge("FAIL of nothing\nsum 42\n", "^sum 42$", "", why, sizeof why));
    assert_int_equal(SUITE_WRONG, suite_judge("sum 41\nPASS\n", "^sum 42$", "", why, sizeof why));
    assert_int_equal(SUITE_WRONG, suite_judge("sum 42\nbad\n", "^sum 42$", "^bad", why, sizeof why));
}

static void outputs_are_equal_but_for_times_and_the_last_digits(void **state)
{
    char why[400];
    (void)state;
    assert_int_equal(SUITE_RIGHT, suite_compare("GPU time 3.1 ms\nsum 1.00001\n", "sum 1.00002\n", why, sizeof why));
    assert_int_equal(SUITE_WRONG, suite_compare("sum 1.0\n", "sum 1.1\n", why, sizeof why));
    assert_int_equal(SUITE_WRONG, suite_compare("sum 1\nsum 2\n", "sum 1\n", why, sizeof why));
    assert_int_equal(SUITE_NOTHING, suite_compare("done\n", "done\n", why, sizeof why));
    assert_int_equal(SUITE_NOTHING, suite_compare("took 1 s\n", "took 2 s\n", why, sizeof why));
}

static void the_first_error_of_a_log_has_a_kind(void **state)
{
    static const struct {
        const char *log, *kind, *why;
    } cases[] = {
        {"a.cu:3:10: fatal error: 'x.h' file not found\nmake: *** [a.o] Error 1\n", "header",
         "a.cu:3:10: fatal error: 'x.h' file not found"},
        {"warning: error\n/t/b.cu:1:2: error: use of undeclared identifier 'f'\n", "source",
         "b.cu:1:2: error: use of undeclared identifier 'f'"},
        {"main.o: undefined reference to `g'\n", "linker", "main.o: undefined reference to `g'"},
        {"/usr/bin/ld: cannot find -lfoo: No such file\n", "library", "/usr/bin/ld: cannot find -lfoo: No such file"},
        {"make: *** No rule to make target 'x'.  Stop.\n", "make", "make: *** No rule to make target 'x'.  Stop."},
        {"fine\n", "", ""}};
    char kind[32], why[200];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        suite_first_error(kind, sizeof kind, why, sizeof why, cases[i].log, "/t/");
        assert_string_equal(kind, cases[i].kind);
        assert_string_equal(why, cases[i].why);
    }
}

/* ---- drafts ---- */

static void a_draft_has_the_programs_and_arguments_of_every_shape_and_runs_nothing(void **state)
{
    static const char *const parts[] = {"  - name: \"shift\"\n    folder: \"cmake/shift\"\n    build: \"cmake\"\n",
                                        "  - name: \"scale\"\n    folder: \"loose/scale\"\n    build: \"sources\"\n    "
                                        "test: [\"../data/numbers.txt\"]\n"
                                        "    reference: \"loose/cpu\"\n",
                                        "  - name: \"saxpy\"\n    folder: \"made/saxpy\"\n    build: \"make\"\n    "
                                        "program: \"saxpy\"\n    test: [\"128\"]\n"};
    (void)state;
    assert_int_equal(0, poise(root, "suite add tiny checkout")->status);
    const char *text = text_of("tiny.suite.yaml");
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!strstr(text, parts[i])) fail_msg("no\n%s in\n%s", parts[i], text);
    assert_int_equal(0, system("diff -r " TINY " checkout"));
    const struct said *s = poise(root, "suite add tiny checkout");
    assert_int_equal(2, s->status); /* what the user edited stays */
    assert_non_null(strstr(s->err, "--force"));
    assert_int_equal(2, poise(root, "suite add empty /dev")->status);
}

static void a_folder_of_a_checkout_brings_what_its_programs_need_above_it(void **state)
{
    char line[400];
    (void)state;
    assert_int_equal(0, poise(root, "suite add part checkout/made")->status);
    snprintf(line, sizeof line, "folder: \"%s/checkout\" # programs of made alone", root);
    if (!strstr(text_of("part.suite.yaml"), line)) fail_msg("no %s in %s", line, text_of("part.suite.yaml"));
    assert_non_null(strstr(text_of("part.suite.yaml"), "folder: \"made/saxpy\""));
    assert_null(strstr(text_of("part.suite.yaml"), "loose"));
    assert_int_equal(0, remove("part.suite.yaml"));
}

/* Its kernels are compiled while it runs, or are those of a library. */
static void a_program_without_a_cu_file_is_found_by_the_headers_of_its_main(void **state)
{
    static const char *const sources[][2] = {{"hosts/linear/solve.cpp", "#include <cublas_v2.h>\nint main() {}\n"},
                                             {"hosts/late/run.c", "#include \"cuda.h\"\nint main(void) {}\n"},
                                             {"hosts/plain/tool.cpp", "#include <vector>\nint main() {}\n"},
                                             {"hosts/part/part.cpp", "#include <cuda_runtime.h>\nint f() {}\n"}};
    (void)state;
    assert_int_equal(0, system("mkdir -p hosts/linear hosts/late hosts/plain hosts/part"));
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        FILE *out = fopen(sources[i][0], "w");
        fputs(sources[i][1], out);
        fclose(out);
    }
    assert_int_equal(0, poise(root, "suite add hosts hosts")->status);
    const char *text = text_of("hosts.suite.yaml");
    assert_true(strstr(text, "\"linear\"") && strstr(text, "\"late\"") && !strstr(text, "plain") &&
                !strstr(text, "part\""));
    assert_int_equal(0, remove("hosts.suite.yaml"));
}

static void a_test_repeats_what_a_program_counts_as_repeats_once_and_the_full_size_as_the_suite_says(void **state)
{
    static const struct {
        const char *source, *arguments, *test, *full;
    } cases[] = {{"int repeat = atoi(argv[2]);", "512 1000", "\"512\", \"1\"", "\"512\", \"1000\""},
                 {"int numIterations = std::stoi(argv[1]);", "100", "\"4\"", "\"100\""},
                 {"printf(\"Usage: %s <rows> <repeat>\\n\", argv[0]);", "64 100", "\"64\", \"1\"", "\"64\", \"100\""},
                 {"std::cout << \"Usage: \" << argv[0] << \" [-n <size> -r <repeats>]\";", "-r 50 -n 7",
                  "\"-r\", \"1\", \"-n\", \"7\"", "\"-r\", \"50\", \"-n\", \"7\""},
                 {"printf(\"Usage: %s <block size> <rows>\\n\", argv[0]);", "64 100", "\"64\", \"100\"", NULL},
                 {"printf(\"Usage: %s <rows> <repeat>\\n\", argv[0]);", "64 64 100", "\"64\", \"64\", \"100\"", NULL},
                 {"int repeat = atoi(argv[1]);", "1", "\"1\"", NULL}};
    (void)state;
    assert_int_equal(0, system("mkdir -p often/a"));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char test[200], full[200];
        FILE *out = fopen("often/a/a.cu", "w"); /* main() begins and ends on its line */
        fprintf(out, "int main(int argc, char **argv) { %s return 0; }\n", cases[i].source);
        fclose(out);
        out = fopen("often/a/run.sh", "w");
        fprintf(out, "TABLES=t ./a %s\n", cases[i].arguments);
        fclose(out);
        assert_int_equal(0, poise(root, "suite add often often --force")->status);
        const char *text = text_of("often.suite.yaml");
        snprintf(test, sizeof test, "test: [%s]\n", cases[i].test);
        snprintf(full, sizeof full, "full: [%s]\n", cases[i].full ? cases[i].full : "");
        if (!strstr(text, test) || !strstr(text, full) != !cases[i].full) fail_msg("%zu: %s", i, text);
        assert_non_null(strstr(text, "environment: [\"TABLES=t\"]\n"));
    }
    assert_int_equal(0, remove("often.suite.yaml"));
}

static void names_that_mean_no_program_are_refused_and_say_why(void **state)
{
    (void)state;
    const struct said *s = poise(root, "sim --kernel tiny/saxpi");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "did you mean 'saxpy'"));
    s = poise(root, "sim --kernel nosuite/a");
    assert_non_null(strstr(s->err, "no suite 'nosuite'"));
    s = poise(root, "sim --kernel tiny/shift");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "tiny/shift is not built"));
    s = poise(root, "suite status other");
    assert_non_null(strstr(s->err, "poise suite add other DIR"));
}

/* ---- building and checking ---- */

static json_t *program(const struct said *s, const char *kernel)
{
    static json_t *json;
    json_decref(json);
    json = json_loads(s->out, 0, NULL);
    json_t *row;
    size_t i;
    json_array_foreach(json_object_get(json, "programs"), i, row) {
        if (strcmp(json_string_value(json_object_get(row, "kernel")), kernel) == 0) return row;
    }
    fail_msg("no %s in %s %s", kernel, s->out, s->err);
    return NULL;
}
static const char *key(const json_t *row, const char *name) { return json_string_value(json_object_get(row, name)); }

static void a_program_is_built_once_checked_and_simulated_by_its_name(void **state)
{
    (void)state;
    const struct said *s = poise(root, "suite check tiny --only saxpy --timeout 600 --json");
    assert_int_equal(0, s->status);
    const json_t *row = program(s, "tiny/saxpy");
    assert_string_equal("right", key(row, "check"));
    assert_string_equal("make", key(row, "how"));
    const double seconds = json_number_value(json_object_get(row, "seconds"));
    assert_int_equal(0, system("diff -r " TINY " checkout"));
    s = poise(root, "suite check tiny --only saxpy --json"); /* from what is kept */
    assert_true(seconds == json_number_value(json_object_get(program(s, "tiny/saxpy"), "seconds")));
    assert_int_equal(0, poise(root, "sim --kernel tiny/saxpy --json")->status);
    s = poise(root, "features --kernel tiny/saxpy --json");
    assert_non_null(strstr(s->out, "tiny/saxpy/0"));
    FILE *spec = fopen("s.yaml", "w");
    fputs("kind: sweep\nschema: 1\nname: s\nconfig: kepler32\nkernels: [\"tiny/*\"]\nstacks: [gto]\n", spec);
    fclose(spec);
    s = poise(root, "sweep s.yaml --dry-run");
    if (s->status || !strstr(s->out, "1 runs")) fail_msg("%d %s %s", s->status, s->out, s->err);
    assert_non_null(strstr(s->err, "leaves out 2 programs"));
}

/* What a run says of its cycles and of the instructions that it retired. */
static json_int_t figure(const char *command, const char *name)
{
    const struct said *s = poise(root, command);
    if (s->status) fail_msg("%s: %d %s", command, s->status, s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    const json_t *stats = json_object_get(json, "stats");
    if (!stats) stats = json_array_get(json_object_get(json, "policies"), 0);
    const json_int_t value = (json_int_t)json_number_value(json_object_get(stats, name));
    json_decref(json);
    return value;
}

static void a_cap_counts_over_a_programs_launches_in_every_command(void **state)
{
    enum { CAP = 2000, MARGIN = 200 };
    (void)state;
    assert_true(figure("sim --kernel bfs --size test --json", "warp_insts") > 2 * CAP);
    const char *const commands[] = {"sim --kernel bfs --size test --cap 2000 --json",
                                    "sim --kernel bfs --size test --cap 2000 --carry-l2 --json",
                                    "policies --kernel bfs --size test --cap 2000 --mech gto --json",
                                    "policies --kernel bfs --size test --cap 2000 --mech gto --carry-l2 --json"};
    json_int_t cycles[COUNT_OF(commands)];
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        const json_int_t insts = figure(commands[i], "warp_insts");
        if (insts < CAP || insts > CAP + MARGIN) fail_msg("%s: %lld", commands[i], (long long)insts);
        cycles[i] = figure(commands[i], "core_cycles");
    }
    assert_int_equal(cycles[0], cycles[2]);
    assert_int_equal(cycles[1], cycles[3]);
    assert_true(cycles[1] < cycles[0]); /* L2 has what the launches before left in it */
    FILE *spec = fopen("capped.yaml", "w");
    fputs("kind: sweep\nschema: 1\nname: capped\nsize: test\nkernels: [bfs]\ncap: 2000\nstacks: [gto]\n", spec);
    fclose(spec);
    assert_int_equal(0, poise(root, "sweep capped.yaml")->status);
    assert_int_equal(0, system("awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == \"warp_insts\") c = i; next} "
                               "{n += $c} END {exit !(n >= 2000 && n <= 2200)}' results/capped/sweep.csv"));
    assert_int_equal(2, poise(root, "sim --kernel bfs --size test --launch 0 --cap 2000")->status);
}

static double of_row(const json_t *json, const char *label, const char *what)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(json, "rows"), i, row)
        if (strcmp(json_string_value(json_object_get(row, "label")), label) == 0)
            return json_is_number(json_object_get(row, what)) ? json_number_value(json_object_get(row, what)) : -1;
    fail_msg("no row '%s'", label);
    return 0;
}

static void a_study_runs_on_the_programs_that_have_its_papers_names(void **state)
{
    (void)state;
    const struct said *s = poise(root, "repro thesis-3.6 --on tiny");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "tiny has no program of thesis-3.6"));
    assert_non_null(strstr(s->err, "names: {mm: PROGRAM}"));
    assert_int_equal(0, system("sed -i 's/^programs:/names: {bfs: saxpy, nw: shift, mm: [\"*\\/none*\"]}\\nprograms:/' "
                               "tiny.suite.yaml"));
    assert_int_equal(0, system("sed 's/^name: tiny/name: twin/' tiny.suite.yaml >twin.suite.yaml")); /* not built */
    s = poise(root, "repro thesis-3.6 --on twin --json");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "twin has no program"));
    assert_int_equal(2, poise(root, "repro thesis-3.6 --on , --json")->status);
    s = poise(root, "repro thesis-3.6 --on twin,none");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "no suite 'none'"));
    s = poise(root, "repro thesis-3.6 --on twin,tiny --cap 20000 --json"); /* the second has what the first lacks */
    assert_int_equal(0, s->status);
    json_t *json = json_loads(s->out, 0, NULL), *on = json_object_get(json, "on");
    assert_int_equal(1, json_array_size(json_object_get(on, "programs")));
    assert_int_equal(18, json_array_size(json_object_get(on, "missing")));
    assert_string_equal("tiny/saxpy", json_string_value(json_object_get(
                                          json_array_get(json_object_get(on, "programs"), 0), "program")));
    assert_true(of_row(json, "bfs str-MEM", "ours") > 10);
    assert_true(of_row(json, "bfs str-MEM", "suite") >= 0 && of_row(json, "bfs str-MEM", "suite") < 10);
    assert_true(of_row(json, "mean data-MEM", "suite") == of_row(json, "bfs data-MEM", "suite"));
    json_decref(json);
    s = poise(root, "repro thesis-3.6 --on tiny --carry-l2 --cap 3000 --results stored.csv");
    assert_int_equal(0, s->status);
    assert_null(strstr(s->out, "stopped after")); /* no launch was, by quick mode's limit of cycles */
    assert_non_null(strstr(s->out, "tiny/shift is not built"));
    assert_non_null(strstr(s->out, "no program matches */none*"));
    assert_non_null(strstr(s->out, "programs as a whole"));
    assert_non_null(strstr(text_of("stored.csv"), "thesis-3.6,program,tiny/saxpy,bfs,"));
    assert_non_null(
        strstr(text_of("stored.csv"), ",tiny,unknown,unknown,launches in order with L2 kept; first 3000 warp"));
    const char *row = strstr(text_of("stored.csv"), "thesis-3.6,value,mean data-MEM,,%,");
    double paper, ours, originals;
    char answers[80];
    assert_int_equal(4, sscanf(row, "thesis-3.6,value,mean data-MEM,,%%,%lf,%lf,%79[^0-9]4,%*[-0-9],%lf,tiny,", &paper,
                               &ours, answers, &originals));
    assert_true(originals >= 0 && fabs(ours - originals) > 0.01);
    assert_int_equal(0, system("sed -i 's/^programs:/revision: r7\\ndate: 2026-11-29\\nprograms:/' tiny.suite.yaml"));
    s = poise(root, "repro thesis-3.6 --on tiny --cap 3000 --results stored.csv"); /* in place of the rows before */
    assert_int_equal(0, s->status);
    assert_non_null(
        strstr(text_of("stored.csv"), ",tiny,r7,2026-11-29,each launch with empty caches; first 3000 warp"));
    assert_null(strstr(text_of("stored.csv"), "unknown"));
    s = poise(root, "repro --results stored.csv --count");
    assert_true(strncmp(s->out, "on original programs, of what they measure:\npaper ", 50) == 0); /* none of ours */
    assert_int_equal(0, system("sed '2s/,quick,/,slow,/' stored.csv >wrong.csv"));
    s = poise(root, "repro thesis-3.6 --on tiny --cap 3000 --results wrong.csv"); /* before anything runs */
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "wrong.csv:2: mode: quick or full"));
    assert_int_equal(0, strlen(s->out));
    s = poise(root, "repro thesis-3.6 --results stored.csv");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--results goes with --all, --on"));
    assert_int_equal(2, poise(root, "repro thesis-3.6 --on tiny --dry-run")->status);
}

/* Wherever the suite stands in --on; twin is what the test before made. */
static void names_of_a_suites_file_mean_its_own_programs_first(void **state)
{
    (void)state;
    assert_int_equal(0, system("sed -i '/^names:/d' tiny.suite.yaml"));
    assert_int_equal(0, poise(root, "suite record twin --only saxpy")->status);
    const struct said *s = poise(root, "repro thesis-3.6 --on tiny,twin --cap 3000 --json");
    assert_non_null(strstr(s->out, "\"twin/saxpy\""));
    assert_null(strstr(s->out, "\"tiny/saxpy\""));
}

static void an_input_is_written_by_the_command_line_and_what_is_wrong_is_bad_usage(void **state)
{
    (void)state;
    assert_int_equal(0, poise(root, "make-input graph --form dimacs --shape rmat --size 500 --seed 3 -o a.gr")->status);
    assert_int_equal(0, poise(root, "make-input graph --form dimacs --shape rmat --size 500 --seed 3 -o b.gr")->status);
    assert_int_equal(0, system("cmp -s a.gr b.gr && grep -q '^p sp 500 4000$' a.gr"));
    static const char *const wrong[] = {"make-input",
                                        "make-input grahp --size 5 -o x",
                                        "make-input graph -o x",
                                        "make-input graph --size 5",
                                        "make-input graph --size -5 -o x",
                                        "make-input graph --size 50 --shape ring -o x",
                                        "make-input keys --size 50 --degree 4 -o x"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) assert_int_equal(2, poise(root, wrong[i])->status);
    assert_int_not_equal(0, access("x", F_OK));
}

/* The program as it is, with arguments that let it wait for ever behind its third launch. */
static void what_is_recorded_before_a_limit_is_kept_and_the_last_wanted_launch_ends_a_program(void **state)
{
    (void)state;
    assert_int_equal(0, system("cp tiny.suite.yaml tiny.whole && sed -i '/name: \"saxpy\"/,$s/test: .*/"
                               "test: [128, 3, wait]\\n    seconds: 3/' tiny.suite.yaml"));
    const struct said *s = poise(root, "suite record tiny --only saxpy --json");
    assert_int_equal(1, s->status);
    assert_string_equal("time", key(program(s, "tiny/saxpy"), "kind"));
    const json_t *row = program(poise(root, "suite status tiny --only saxpy --json"), "tiny/saxpy");
    assert_int_equal(3, json_integer_value(json_object_get(row, "launches")));
    assert_non_null(strstr(key(row, "why"), "3 whole launches are kept, 'max_launches: 3' takes them"));
    assert_int_equal(0, system("sed -i 's/seconds: 3/&\\n    max_launches: 2/' tiny.suite.yaml"));
    for (int i = 0; i < 2; i++) { /* from what was kept; then by a run that ends behind its second launch */
        s = poise(root, "suite record tiny --only saxpy --again --json");
        if (s->status) fail_msg("%d: %s", i, s->out);
        assert_int_equal(2, json_integer_value(json_object_get(program(s, "tiny/saxpy"), "launches")));
        assert_int_equal(0, system("rm -r own-tiny-saxpy-*"));
        assert_int_equal(0, system("rm suites/tiny-*/states/saxpy-test.json"));
    }
    s = poise(root, "suite check tiny --only saxpy --json");
    assert_int_equal(0, s->status);
    row = program(s, "tiny/saxpy");
    assert_string_equal("nothing to check", key(row, "check"));
    assert_non_null(strstr(key(row, "why"), "it had not ended"));
    assert_int_equal(2, json_integer_value(json_object_get(row, "launches")));
    assert_int_equal(0, system("sed -i 's/, wait//' tiny.suite.yaml"));
    s = poise(root, "suite check tiny --only saxpy --json"); /* the result is that of the whole run */
    assert_string_equal("right", key(program(s, "tiny/saxpy"), "check"));
    assert_int_equal(2, json_integer_value(json_object_get(program(s, "tiny/saxpy"), "launches")));
    assert_int_equal(0, system("mv tiny.whole tiny.suite.yaml"));
}

static void a_program_with_a_broken_kernel_is_wrong_although_it_ends_with_0(void **state)
{
    (void)state;
    assert_int_equal(0, system("sed -i 's/a \\* x\\[i\\] + y\\[i\\]/a * x[i] - y[i]/' checkout/made/saxpy/saxpy.cu"));
    const struct said *s = poise(root, "suite check tiny --only saxpy --timeout 600 --json");
    assert_int_equal(1, s->status);
    assert_string_equal("wrong", key(program(s, "tiny/saxpy"), "check"));
    assert_string_equal("yes", key(program(s, "tiny/saxpy"), "ran"));
}

static void a_source_that_does_not_compile_is_named_with_its_kind(void **state)
{
    (void)state;
    assert_int_equal(0, system("sed -i 's/#include \"host.h\"/#include \"nowhere.h\"/' checkout/made/saxpy/saxpy.cu"));
    assert_int_equal(0, system("cp tiny.suite.yaml tiny.whole && sed -i '/name: \"saxpy\"/,$s/build: .*/"
                               "build: make \\\"CC=nvcc -DA -DB\\\"/' tiny.suite.yaml"));
    const struct said *s = poise(root, "suite build tiny --only saxpy --timeout 600 --json");
    assert_int_equal(1, s->status);
    const json_t *row = program(s, "tiny/saxpy");
    assert_int_equal(0, system("grep -q -e '-DA -DB' suites/tiny-*/clang/logs/saxpy.make.log"));
    assert_int_equal(0, system("mv tiny.whole tiny.suite.yaml"));
    assert_string_equal("header", key(row, "kind"));
    assert_non_null(strstr(key(row, "why"), "nowhere.h"));
    assert_string_equal("no", key(row, "built"));
}

/* The other shapes: CMake and loose files (e2e_suite_shapes). */
static void every_shape_is_right_and_a_broken_kernel_differs_from_the_version_for_the_CPU(void **state)
{
    (void)state;
    if (!getenv("SUITE_SHAPES")) skip();
    assert_int_equal(0, system("rm -rf checkout && cp -r " TINY " checkout"));
    const struct said *s = poise(root, "suite check tiny --timeout 600 --json");
    assert_int_equal(0, s->status);
    assert_string_equal("cmake", key(program(s, "tiny/shift"), "how"));
    assert_string_equal("right", key(program(s, "tiny/scale"), "check"));
    assert_non_null(strstr(key(program(s, "tiny/scale"), "why"), "version for the CPU"));
    assert_int_equal(0, system("sed -i s/1.5f/1.6f/ checkout/loose/scale/kernel.cu"));
    s = poise(root, "suite check tiny --only scale --timeout 600 --json");
    assert_int_equal(1, s->status);
    assert_string_equal("wrong", key(program(s, "tiny/scale"), "check"));
    /* Mended, and both draw a number by the clock. */
    assert_int_equal(0, system("sed -i 's/^int main/#include <ctime>\\n&/; s/    return 0;/timespec t;\\n"
                               "clock_gettime(CLOCK_REALTIME, \\&t);\\nprintf(\"drawn %ld %ld\\\\n\", t.tv_nsec % "
                               "1000, t.tv_nsec \\/ 1000 % 1000);\\n&/' "
                               "checkout/loose/scale/scale.cu checkout/loose/cpu/scale.cpp && sed -i s/1.6f/1.5f/ "
                               "checkout/loose/scale/kernel.cu"));
    s = poise(root, "suite check tiny --only scale --timeout 600 --json");
    assert_int_equal(0, s->status);
    const bool has_faketime = system("ls /usr/lib*/*/faketime/libfaketime.so.1 >/dev/null 2>&1") == 0;
    assert_string_equal(has_faketime ? "right" : "nothing to check", key(program(s, "tiny/scale"), "check"));
    assert_non_null(strstr(key(program(s, "tiny/scale"), "why"),
                           has_faketime ? "with a stopped clock" : "two runs of the same program differ"));
    /* The second warp is late for the first, unless they take turns. */
    assert_int_equal(0,
                     system("sed -i 's/    if (i < n) y.*/__shared__ int ready;\\nif (threadIdx.x >= 32) ready = 1;\\n"
                            "for (volatile int k = 0; k < 300; k++) {}\\n"
                            "if (i < n) y[i] = a * x[i] + (*(volatile int *)\\&ready ? y[i] : 0);/' "
                            "checkout/made/saxpy/saxpy.cu"));
    s = poise(root, "suite check tiny --only saxpy --timeout 600 --json");
    assert_string_equal("wrong", key(program(s, "tiny/saxpy"), "check"));
    assert_non_null(
        strstr(key(program(s, "tiny/saxpy"), "why"), "race: right with environment: [POISE_TURN_INSTS=64]"));
    assert_int_equal(
        0, system("sed -i 's/  - name: \"saxpy\"/&\\n    environment: [POISE_TURN_INSTS=64]/' tiny.suite.yaml"));
    s = poise(root, "suite check tiny --only saxpy --timeout 600 --json");
    assert_string_equal("right", key(program(s, "tiny/saxpy"), "check"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_an_output_say_right_wrong_or_nothing),
        cmocka_unit_test(lines_of_ones_own_decide_in_place_of_the_common_words),
        cmocka_unit_test(outputs_are_equal_but_for_times_and_the_last_digits),
        cmocka_unit_test(the_first_error_of_a_log_has_a_kind),
        cmocka_unit_test(a_draft_has_the_programs_and_arguments_of_every_shape_and_runs_nothing),
        cmocka_unit_test(a_folder_of_a_checkout_brings_what_its_programs_need_above_it),
        cmocka_unit_test(a_program_without_a_cu_file_is_found_by_the_headers_of_its_main),
        cmocka_unit_test(a_test_repeats_what_a_program_counts_as_repeats_once_and_the_full_size_as_the_suite_says),
        cmocka_unit_test(names_that_mean_no_program_are_refused_and_say_why),
        cmocka_unit_test(a_program_is_built_once_checked_and_simulated_by_its_name),
        cmocka_unit_test(a_cap_counts_over_a_programs_launches_in_every_command),
        cmocka_unit_test(a_study_runs_on_the_programs_that_have_its_papers_names),
        cmocka_unit_test(names_of_a_suites_file_mean_its_own_programs_first),
        cmocka_unit_test(an_input_is_written_by_the_command_line_and_what_is_wrong_is_bad_usage),
        cmocka_unit_test(what_is_recorded_before_a_limit_is_kept_and_the_last_wanted_launch_ends_a_program),
        cmocka_unit_test(a_program_with_a_broken_kernel_is_wrong_although_it_ends_with_0),
        cmocka_unit_test(a_source_that_does_not_compile_is_named_with_its_kind),
        cmocka_unit_test(every_shape_is_right_and_a_broken_kernel_differs_from_the_version_for_the_CPU),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
