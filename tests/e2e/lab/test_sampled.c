/* poise run --sample: the exact figures lie in the intervals, the bytes are the same at any number of threads and
 * ranks, and the report says that they are estimates. */
#include "ranks.h"
#include "where.h"

#include <jansson.h>
#include "poise/file.h"

#define RUN POISE_BINARY_DIR "/experiments/poise run"
#define SAMPLE "--sample error=0.05,whole=0"

static const char text[] = "schema: 1\nkind: pipeline\nname: sampled\nsize: test\ntraining: [gco, ccl]\n"
                           "evaluation: [gaussian, pagerank]\nconfig: kepler32\npoints: 12\n"
                           "dataset: {threshold_cycles: 500, threshold_speedup: 0, threshold_hit_rate: 0}\n"
                           "features: [h_o, h_prime, intercept]\ncontenders:\n"
                           "  - {name: pcal, mech: [\"pcal,N=@swl\"], stats: pcal}\n"
                           "  - {name: pcal_2, mech: [\"pcal,N=2\"], over: pcal}\n"
                           "  - {name: small, mech: gto, set: {l1.ways: 2}}\n"
                           "  - {name: one, mech: [\"tuple,N=1,p=1\"], launches: profiled}\n";

static void run(const char *options, const char *dir)
{
    if (shell(RUN " %s/sampled.yaml %s --out %s/%s >%s/out 2>%s/err", root, options, root, dir, root, root))
        fail_msg("%s", said("err"));
}

static json_t *summary_of(const char *dir)
{
    char *read = file_of(dir, "summary.json");
    json_t *json = json_loads(read, 0, NULL);
    free(read);
    assert_non_null(json);
    return json;
}

static int begin(void **state)
{
    struct error err;
    char path[128];
    if (lab_begin_with_mpi(state) < 0) return -1;
    snprintf(path, sizeof path, "%s/sampled.yaml", root);
    if (file_write(path, text, sizeof text - 1, &err) < 0) return -1;
    run("", "exact");
    run(SAMPLE " --threads 1", "one");
    return 0;
}

static double get(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

/* Every interval of a policy holds the exact figure. */
static void intervals_hold(const json_t *exact, const json_t *sampled)
{
    static const char *const figures[] = {"cycles", "speedup", "l1d_hit_rate", "aml_cycles"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *e = json_object_get(json_object_get(sampled, "estimate"), figures[i]);
        const double x = get(exact, figures[i]), slack = 1e-9 * x;
        assert_true(get(e, "low") <= x + slack && x - slack <= get(e, "high"));
        /* a benchmark's figure is of weighted counters; a ratio's interval has a middle of its own */
        assert_true(get(e, "low") <= get(sampled, figures[i]) + slack &&
                    get(sampled, figures[i]) - slack <= get(e, "high"));
    }
}

static void the_exact_figures_lie_in_the_intervals(void **state)
{
    (void)state;
    json_t *exact = summary_of("exact"), *sampled = summary_of("one"), *benchmark;
    size_t i;
    assert_null(json_object_get(exact, "sample"));
    json_array_foreach(json_object_get(exact, "benchmarks"), i, benchmark) {
        const json_t *mine = json_array_get(json_object_get(sampled, "benchmarks"), i);
        const char *name;
        json_t *policy;
        json_object_foreach(json_object_get(benchmark, "policies"), name, policy) {
            assert_null(json_object_get(policy, "estimate"));
            intervals_hold(policy, json_object_get(json_object_get(mine, "policies"), name));
        }
        assert_true(json_equal(json_object_get(benchmark, "profiled"), json_object_get(mine, "profiled")));
    }
    const json_t *sample = json_object_get(sampled, "sample"), *mean;
    const char *name;
    assert_true(get(sample, "share_of_work") < 0.7 && get(sample, "launches_simulated") < get(sample, "launches"));
    json_object_foreach(json_object_get(sample, "hmean"), name, mean)
        assert_true(get(mean, "low") <= get(mean, "value") && get(mean, "value") <= get(mean, "high"));
    assert_int_equal(8, json_object_size(json_object_get(sample, "hmean")));
    /* the same training, the same model */
    assert_true(json_equal(json_object_get(exact, "model"), json_object_get(sampled, "model")));
    json_decref(exact);
    json_decref(sampled);
}

static void the_bytes_are_the_same_at_any_number_of_threads(void **state)
{
    (void)state;
    run(SAMPLE " --threads 2", "two");
    assert_int_equal(0, shell("cmp %s/one/summary.json %s/two/summary.json", root, root));
    assert_int_equal(0,
                     shell("{ cat %s/sampled.yaml; echo 'sample: \"error=0.05,whole=0\"'; } >%s/key.yaml", root, root));
    if (shell(RUN " %s/key.yaml --out %s/key >%s/out 2>%s/err", root, root, root, root)) fail_msg("%s", said("err"));
    assert_int_equal(0, shell("cmp %s/one/summary.json %s/key/summary.json", root, root));
}

/* Of a command, up to its folder: one process, two at once that share a folder, and two ranks. `file` is the same of
 * all. */
static void same_at_any_number_of_processes(const char *command, const char *name, const char *file)
{
    if (shell("%s --out %s/%s-1 >%s/out 2>%s/err", command, root, name, root, root)) fail_msg("%s", said("err"));
    if (shell("%s --out %s/%s-2 >/dev/null 2>&1 & %s --out %s/%s-2 >%s/out 2>%s/err; mine=$?; wait $! && exit $mine",
              command, root, name, command, root, name, root, root))
        fail_msg("%s", said("err"));
    const bool has_ranks = *POISE_MPIRUN != '\0';
    if (has_ranks && shell(POISE_MPIRUN " --allow-run-as-root --oversubscribe --bind-to none -n 2 %s --out %s/%s-3 "
                                        ">%s/out 2>%s/err",
                           command, root, name, root, root))
        fail_msg("%s", said("err"));
    for (int i = 2; i <= 2 + has_ranks; i++)
        if (shell("cmp %s/%s-1/%s %s/%s-%d/%s >%s/out", root, name, file, root, name, i, file, root))
            fail_msg("%s", said("out"));
}

static void processes_that_share_the_work_estimate_the_same(void **state)
{
    static const char tune[] = "schema: 1\nkind: tune\nsize: test\nname: shared\nkernels: [gaussian]\nmech: swl\n"
                               "parameters: {N: [1, 24], l1.ways: [1, 4]}\nmethod: {name: grid}\n";
    char path[160], command[400];
    struct error err;
    (void)state;
    snprintf(command, sizeof command, RUN " %s/sampled.yaml " SAMPLE " --threads 1", root);
    same_at_any_number_of_processes(command, "run", "summary.json");
    snprintf(path, sizeof path, "%s/tune.yaml", root);
    assert_ok(file_write(path, tune, sizeof tune - 1, &err), &err);
    snprintf(command, sizeof command, POISE_BINARY_DIR "/experiments/poise tune %s " SAMPLE " --threads 1", path);
    same_at_any_number_of_processes(command, "tune", "tune.json");
}

/* The store has runs alone: an exact evaluation over it gives what it gives over none. */
static void an_estimate_is_never_taken_for_a_run(void **state)
{
    (void)state;
    run(SAMPLE, "both");
    run("", "both");
    assert_int_equal(0, shell("cmp %s/exact/summary.json %s/both/summary.json", root, root));
}

static void the_report_draws_the_intervals_and_calls_them_estimates(void **state)
{
    (void)state;
    assert_int_equal(0, shell(POISE_BINARY_DIR "/experiments/poise report %s/one --format csv >%s/out", root, root));
    assert_non_null(strstr(said("out"), "policies,speedup-intervals,2,pcal low,"));
    assert_non_null(strstr(said("out"), "speedup high"));
    assert_int_equal(0, shell(POISE_BINARY_DIR "/experiments/poise report %s/one --format json | grep -q "
                                               "'figures are estimates: '",
                              root));
    assert_int_equal(0, shell(POISE_BINARY_DIR "/experiments/poise report %s/exact --format csv >%s/out", root, root));
    assert_null(strstr(said("out"), "speedup-intervals"));
}

static void what_is_no_sample_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_int_equal(2, shell(RUN " %s/sampled.yaml --sample error=7 >%s/out 2>%s/err", root, root, root));
    assert_non_null(strstr(said("err"), "--sample error=7: a share from 0.0001 to 0.5 is needed"));
    assert_int_equal(0, shell("{ cat %s/sampled.yaml; echo 'sample: seed=3'; } >%s/key.yaml", root, root));
    assert_int_equal(2, shell(RUN " %s/key.yaml >%s/out 2>%s/err", root, root, root));
    assert_non_null(strstr(said("err"), "key.yaml:16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_figures_lie_in_the_intervals),
        cmocka_unit_test(the_bytes_are_the_same_at_any_number_of_threads),
        cmocka_unit_test(processes_that_share_the_work_estimate_the_same),
        cmocka_unit_test(an_estimate_is_never_taken_for_a_run),
        cmocka_unit_test(the_report_draws_the_intervals_and_calls_them_estimates),
        cmocka_unit_test(what_is_no_sample_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, begin, lab_end);
}
