/* Kernels of the user's own in sweeps, tunings, pipelines and evaluations: traces and programs where names of the
 * registry stand. */
#include "lab.h"

#include <jansson.h>

static const char source[] = "#include <stdlib.h>\n"
                             "__global__ void gather(const float *x, float *y, int n) {\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    float sum = 0;\n"
                             "    for (int k = 0; k < 8; k++) sum += x[(i * 33 + k * 97) % n];\n"
                             "    y[i] = sum;\n"
                             "}\n"
                             "int main(int argc, char **argv) {\n"
                             "    const int n = argc > 1 ? atoi(argv[1]) : 1024;\n"
                             "    float *x, *y;\n"
                             "    cudaMalloc(&x, n * sizeof *x);\n"
                             "    cudaMalloc(&y, n * sizeof *y);\n"
                             "    for (int launch = 0; launch < 2; launch++) gather<<<n / 128, 128>>>(x, y, n);\n"
                             "    return cudaDeviceSynchronize() != cudaSuccess;\n"
                             "}\n";
static bool has_program;

static void write_text(const char *name, const char *text)
{
    char path[128];
    struct error err;
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_ok(file_write(path, text, strlen(text), &err), &err);
}

static const struct said *good(const struct said *s)
{
    if (s->status) fail_msg("status %d: %s", s->status, s->err);
    return s;
}

/* Three synthetic traces, and a program where there is a clang. */
static int begin(void **state)
{
    if (lab_begin(state) < 0) return -1;
    int failed = poisef(root, "trace synth --size test divergence=4 -o %s/a.ptrace", root)->status;
    failed |= poisef(root, "trace synth --size test divergence=1 -o %s/b1.ptrace", root)->status;
    failed |= poisef(root, "trace synth --size test divergence=2 -o %s/b2.ptrace", root)->status;
    write_text("own.cu", source);
    has_program = system("clang --version >/dev/null 2>&1") == 0 && !POISE_SANITIZED &&
                  poisef(root, "cc %s/own.cu -o %s/own", root, root)->status == 0;
    if (failed)
        fprintf(stderr, "no synthetic traces: %s\n",
                poisef(root, "trace synth --size test divergence=2 -o %s/b2.ptrace", root)->err);
    return failed ? -1 : 0;
}

#define SWEEP "schema: 1\nkind: sweep\nname: t\nsize: test\nstacks: [gto, 'swl,N=1']\n"
#define TUNE "schema: 1\nkind: tune\nname: t\nsize: test\nmech: swl\nparameters: {N: [1, 4]}\nmethod: {name: grid}\n"
#define RUN \
    "schema: 1\nkind: pipeline\nname: t\nsize: test\npoints: 12\nfeatures: [intercept]\ndataset: {threshold_cycles: " \
    "1, threshold_speedup: 0, threshold_hit_rate: 0}\n"

static const struct said *run(const char *command, const char *head, const char *rest)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, rest);
    write_text("spec.yaml", text);
    return poisef(root, "%s %s/spec.yaml --threads 2 --out %s/%s", command, root, root, command);
}

static void a_sweep_takes_traces_beside_its_spec_by_name_by_glob_and_by_group(void **state)
{
    (void)state;
    good(run("sweep", SWEEP,
             "kernels: [{trace: a.ptrace}, {trace: 'b*.ptrace', benchmark: mine}, {name: mvt, launches: [0]}, {name: "
             "'mv?', launches: [0]}]\n"));
    char *csv = file_of("sweep", "sweep.csv");
    assert_true(count_of(csv, ",a/0,") > 0);
    assert_int_equal(count_of(csv, ",a/0,"), count_of(csv, ",mvt/0,")); /* which two entries name */
    assert_non_null(strstr(csv, ",mine/0,"));
    assert_non_null(strstr(csv, ",mine/1,"));
    assert_null(strstr(csv, ",b1"));
    free(csv);
    good(run("sweep", SWEEP, "kernels: [{trace: .}]\n")); /* a folder's traces; each is a group of its own */
    csv = file_of("sweep", "sweep.csv");
    assert_non_null(strstr(csv, ",b1/0,"));
    assert_non_null(strstr(csv, ",b2/0,"));
    free(csv);
    const struct said *s = run("sweep", SWEEP, "kernels:\n  - {trace: none.ptrace}\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "spec.yaml:7:5: no trace 'none.ptrace'"));
    assert_non_null(strstr(s->err, "--trace-dir"));
}

static void a_trace_with_the_name_of_a_workload_is_called_otherwise(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "mkdir -p %s/named && cp %s/a.ptrace %s/named/mvt.ptrace", root, root, root);
    assert_int_equal(0, system(command));
    good(run("sweep", SWEEP, "kernels: [{trace: named}]\n"));
    char *csv = file_of("sweep", "sweep.csv");
    assert_non_null(strstr(csv, ",mvt~"));
    assert_null(strstr(csv, ",mvt/"));
    free(csv);
}

static void a_tuning_judges_own_kernels_by_their_groups_and_refuses_what_overlaps(void **state)
{
    (void)state;
    good(run("tune", TUNE, "kernels: [{trace: 'b*.ptrace', benchmark: b}, {trace: a.ptrace}]\nfolds: benchmark\n"));
    char *report = file_of("tune", "tune.json");
    json_t *json = json_loads(report, 0, NULL), *groups = json_object_get(json_object_get(json, "folds"), "groups");
    assert_int_equal(2, json_array_size(groups));
    assert_string_equal("b", json_string_value(json_object_get(json_array_get(groups, 0), "name")));
    assert_int_equal(2, json_integer_value(json_object_get(json_array_get(groups, 0), "launches")));
    json_decref(json);
    free(report);
    const struct said *s =
        run("tune", TUNE, "kernels: [{trace: a.ptrace}]\nheldout: [{trace: '[a]*.ptrace', benchmark: other}]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "other/0 is tuned on and held out (a/0, the same trace)"));
    s = run("tune", TUNE, "kernels: [{trace: b1.ptrace, benchmark: b}]\nheldout: [{trace: b2.ptrace, benchmark: b}]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "b/0 is tuned on and b/0 is held out, both of benchmark b"));
}

static void a_pipeline_learns_from_own_lists_and_names_rows_that_overlap(void **state)
{
    (void)state;
    /* names of other sets, where they are named, stand in either list */
    good(run("run", RUN, "training: [{trace: a.ptrace}, {trace: 'b*.ptrace', benchmark: b}]\nevaluation: [mvt]\n"));
    char *rows = file_of("run", "dataset.csv");
    assert_int_equal(0, strncmp(strchr(rows, '\n') + 1, "a,", 2));
    assert_non_null(strstr(rows, "\nb,"));
    free(rows);
    const struct said *s = good(poisef(
        root, "eval --model %s/run/model.json --trace %s/b1.ptrace --trace %s/named --kernel atax --size test --json",
        root, root, root));
    assert_non_null(strstr(s->err, "b1/0 is not unseen: line 3 of the dataset.csv"));
    assert_non_null(strstr(s->err, "mvt~"));
    assert_null(strstr(s->err, "atax/0 is not unseen"));
    json_t *json = json_loads(s->out, 0, NULL), *trained = json_object_get(json, "trained_on");
    assert_int_equal(2, json_array_size(trained));
    json_decref(json);
    s = run("run", RUN, "training: [{trace: a.ptrace}]\nevaluation: [mvt, {trace: '[a-b]*.ptrace'}]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "training row a/0 and evaluation row a"));
    assert_non_null(strstr(s->err, "the same trace"));
    s = run("run", RUN,
            "training: [{trace: b1.ptrace, benchmark: b}]\nevaluation: [{trace: b2.ptrace, benchmark: b}]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "both are of benchmark b"));
    s = run("run", RUN, "training: [atax]\nevaluation: [atax, mvt]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "training row atax/0 and evaluation row atax/0 overlap"));
}

static void a_data_set_of_own_kernels_is_cross_validated_by_their_groups(void **state)
{
    (void)state;
    good(run("run", RUN, "training: [{trace: a.ptrace}, {trace: 'b*.ptrace', benchmark: b}]\nevaluation: [mvt]\n"));
    write_text("cv.yaml", "schema: 1\nkind: cv\nname: t\ndataset: run/dataset.csv\nprofile: run/profile.csv\nfeatures: "
                          "[intercept]\nmodels: [{family: mean}]\n");
    const struct said *s = good(poisef(root, "cv %s/cv.yaml --json", root));
    json_t *json = json_loads(s->out, 0, NULL), *folds = json_object_get(json, "folds");
    assert_int_equal(2, json_array_size(folds));
    assert_string_equal("a", json_string_value(json_object_get(json_array_get(folds, 0), "group")));
    assert_string_equal("b", json_string_value(json_object_get(json_array_get(folds, 1), "group")));
    json_decref(json);
}

static void features_of_a_trace_are_those_of_its_kernel(void **state)
{
    (void)state;
    const struct said *s = good(poisef(root, "features --trace %s/a.ptrace --trace %s/named", root, root));
    const char *first = strstr(s->out, "\na/0,"), *again = strstr(s->out, "\nmvt~");
    assert_non_null(first);
    assert_non_null(again);
    first = strchr(first, ',');
    again = strchr(again, ',');
    assert_int_equal(0, strncmp(first, again, strcspn(first, "\n"))); /* the same trace under another name */
    assert_int_equal(2, poisef(root, "features --trace %s/a.ptrace --kernel mvt", root)->status);
}

/* Patterns stand in pipelines and sweeps alike; a table of their profile is taken over as those of workloads are. */
static void patterns_are_profiled_and_their_table_is_taken_over(void **state)
{
    (void)state;
    static const char lists[] =
        "training: [{name: rows, synth: {pattern: scan, degree: 8, lines: 32, loads: 40, in: 2, blocks: 8}}]\n"
        "evaluation: [{name: mix, synth: {pattern: [scan, gather], streams: 2, loads: 40, blocks: 8, seed: 2}}]\n";
    char text[1024], command[1200];
    good(run("run", RUN, lists));
    char *first = file_of("run", "profile.csv");
    assert_non_null(strstr(first, "rows/0"));
    assert_non_null(strstr(first, "mix/0"));
    good(poisef(root, "profile export %s/spec.yaml --store %s/run/store.sqlite -o %s/p.csv", root, root, root));
    snprintf(command, sizeof command,
             "mkdir -p %s/tree/experiments %s/tree/datasets/profiles && cp -r " POISE_SOURCE_DIR
             "/experiments/configs %s/tree/experiments/ && cp %s/p.csv %s/tree/datasets/profiles/ && rm -r %s/run",
             root, root, root, root, root, root);
    assert_int_equal(0, system(command));
    snprintf(command, sizeof command, "%s/tree/experiments/configs", root);
    setenv("POISE_CONFIGS", command, 1);
    snprintf(text, sizeof text, "profiles: [p.csv]\n%s", lists);
    good(run("run", RUN, text));
    unsetenv("POISE_CONFIGS");
    char *again = file_of("run", "profile.csv"), *info = file_of("run", "run_info.json");
    json_t *json = json_loads(info, 0, NULL);
    assert_string_equal(first, again);
    assert_true(json_integer_value(json_object_get(json, "runs_reused")) >= 20);
    json_decref(json);
    free(first), free(again), free(info);
    const struct said *s = run("run", RUN, "training: [{name: a, synth: {divergence: 4}}]\nevaluation: [mvt]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "a pipeline's synthetic kernels have a pattern"));
    good(run("sweep", SWEEP, "kernels: [{name: p, synth: {pattern: scan, loads: 20, blocks: 4}}]\n"));
    char *csv = file_of("sweep", "sweep.csv");
    assert_non_null(strstr(csv, ",p/0,"));
    free(csv);
}

static void a_program_is_recorded_once_for_the_same_arguments(void **state)
{
    (void)state;
    if (!has_program) skip();
    good(run("sweep", SWEEP,
             "kernels: [{program: own, args: [2048]}, {program: own, args: 4096, benchmark: more, launches: [1]}]\n"));
    char *csv = file_of("sweep", "sweep.csv"), command[400];
    assert_non_null(strstr(csv, ",own/1,"));
    assert_non_null(strstr(csv, ",more/0,"));
    assert_null(strstr(csv, ",more/1,"));
    free(csv);
    snprintf(command, sizeof command, "test $(ls -d %s/own-own-*/ | wc -l) = 2", root);
    assert_int_equal(0, system(command));
    const struct said *s = good(run("sweep", SWEEP, "kernels: [{program: own, args: [2048]}]\n"));
    assert_non_null(strstr(s->out, "0 simulated now"));
    assert_int_equal(0, system(command));
    setenv("POISE_TRACE_SKIP", "1", 1); /* what is recorded under other settings is something else */
    s = good(run("sweep", SWEEP, "kernels: [{program: own, args: [2048]}]\n"));
    unsetenv("POISE_TRACE_SKIP");
    assert_int_not_equal(0, system(command));
    s = run("sweep", SWEEP, "kernels: [{program: own, args: [2048], launches: [7]}]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "launch 7"));
    s = run("sweep", SWEEP, "kernels: [{program: a.ptrace}]\n");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "program 'a.ptrace'"));
    s = good(poisef(root, "eval --model " POISE_SOURCE_DIR "/models/poise-thesis.json --program %s/own -- 2048", root));
    assert_non_null(strstr(s->out, "own "));
}

static void the_example_of_the_readme_compiles_and_is_compared_under_every_policy(void **state)
{
    (void)state;
    if (!has_program) skip();
    good(poisef(root, "cc " POISE_SOURCE_DIR "/sim/cuda/example.cu -o %s/example", root));
    const struct said *s =
        good(poisef(root, "policies --program %s/example --store %s/policies.sqlite -- 512 16", root, root));
    assert_non_null(strstr(s->out, "example, 1 launch,"));
    assert_non_null(strstr(s->out, "ccws "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_takes_traces_beside_its_spec_by_name_by_glob_and_by_group),
        cmocka_unit_test(a_trace_with_the_name_of_a_workload_is_called_otherwise),
        cmocka_unit_test(a_tuning_judges_own_kernels_by_their_groups_and_refuses_what_overlaps),
        cmocka_unit_test(a_pipeline_learns_from_own_lists_and_names_rows_that_overlap),
        cmocka_unit_test(a_data_set_of_own_kernels_is_cross_validated_by_their_groups),
        cmocka_unit_test(features_of_a_trace_are_those_of_its_kernel),
        cmocka_unit_test(patterns_are_profiled_and_their_table_is_taken_over),
        cmocka_unit_test(a_program_is_recorded_once_for_the_same_arguments),
        cmocka_unit_test(the_example_of_the_readme_compiles_and_is_compared_under_every_policy),
    };
    return cmocka_run_group_tests(tests, begin, lab_end);
}
