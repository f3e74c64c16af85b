/* The whole loop on kernels of size test: from CUDA programs to summary.json. */
#include "folder.h"
#include "spawn.h"

#include <math.h>

#include <jansson.h>
#include "poise/table_csv.h"

static char root[64];

static int once(void **state)
{
    (void)state;
    char arguments[256];
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    snprintf(arguments, sizeof arguments,
             "run " POISE_SOURCE_DIR "/experiments/specs/ci-quickstart.yaml --threads 2 --out %s/a", root);
    const struct said *s = poise(root, arguments);
    if (s->status) fprintf(stderr, "%s\n%s\n", s->out, s->err);
    return s->status;
}

static int clean(void **state)
{
    (void)state;
    return folder_remove(root);
}

static json_t *result(const char *dir, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s/%s", root, dir, name);
    json_t *json = json_load_file(path, 0, NULL);
    if (!json) fail_msg("%s cannot be read", path);
    return json;
}

static char *text_of(const char *dir, const char *name)
{
    char path[128], *text = calloc(1, 1 << 20);
    snprintf(path, sizeof path, "%s/%s/%s", root, dir, name);
    slurp(path, text, 1 << 20);
    assert_true(*text);
    return text;
}

static void a_penalty_is_chosen_for_each_output_and_the_fit_without_one_is_kept_beside(void **state)
{
    (void)state;
    json_t *model = result("a", "model.json"), *plain = result("a", "model-unpenalised.json");
    json_t *p = json_object_get(json_object_get(model, "outputs"), "p"),
           *without = json_object_get(json_object_get(plain, "outputs"), "p");
    assert_true(json_number_value(json_object_get(json_object_get(p, "penalty"), "lambda")) > 0);
    assert_null(json_object_get(without, "penalty"));
    const json_t *weights = json_object_get(p, "weights"), *others = json_object_get(without, "weights");
    for (size_t j = 0; j < 2; j++) /* h_o, h': both are shrunk */
        assert_true(fabs(json_number_value(json_array_get(weights, j))) <
                    fabs(json_number_value(json_array_get(others, j))));
    json_decref(model);
    json_decref(plain);
}

static void the_summary_has_the_keys_that_scripts_rely_on(void **state)
{
    (void)state;
    json_t *json = result("a", "summary.json");
    static const char *const keys[] = {"schema", "version",           "model_version",  "config",     "training",
                                       "model",  "points_per_kernel", "sim_warp_insts", "benchmarks", "hmean",
                                       "paper"};
    static const char *const policies[] = {"gto", "swl", "static_best", "poise"};
    static const char *const figures[] = {"cycles", "speedup", "l1d_hit_rate", "aml_cycles", "N", "p"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(json, keys[i])) fail_msg("no key %s", keys[i]);
    const json_t *training = json_object_get(json, "training"), *benchmarks = json_object_get(json, "benchmarks");
    const json_int_t launches = json_integer_value(json_object_get(training, "launches")),
                     used = json_integer_value(json_object_get(training, "used"));
    json_int_t dropped = 0, rows = 0;
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(training, "dropped"), name, value) dropped += json_integer_value(value);
    json_object_foreach(json_object_get(training, "rows_per_benchmark"), name, value) rows += json_integer_value(value);
    assert_int_equal(launches, used + dropped);
    assert_int_equal(used, rows);
    assert_true(json_array_size(benchmarks) >= 2);
    for (size_t i = 0; i < json_array_size(benchmarks); i++)
        for (int k = 0; k < 4; k++) {
            const json_t *policy =
                json_object_get(json_object_get(json_array_get(benchmarks, i), "policies"), policies[k]);
            for (size_t f = 0; f < 6; f++)
                if (!json_is_number(json_object_get(policy, figures[f])))
                    fail_msg("%s has no %s", policies[k], figures[f]);
            if (k == 0) assert_true(json_real_value(json_object_get(policy, "speedup")) == 1.0);
        }
    json_decref(json);
}

static void it_stays_below_2_million_warp_instructions(void **state)
{
    (void)state;
    json_t *json = result("a", "summary.json");
    assert_in_range(json_integer_value(json_object_get(json, "sim_warp_insts")), 1000, 2000000);
    json_decref(json);
}

static void static_best_is_never_slower_than_swl_or_gto(void **state)
{
    (void)state;
    json_t *json = result("a", "summary.json");
    const json_t *benchmarks = json_object_get(json, "benchmarks");
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *p = json_object_get(json_array_get(benchmarks, i), "policies");
        const json_int_t best = json_integer_value(json_object_get(json_object_get(p, "static_best"), "cycles"));
        const json_int_t swl = json_integer_value(json_object_get(json_object_get(p, "swl"), "cycles"));
        assert_true(best <= swl && swl <= json_integer_value(json_object_get(json_object_get(p, "gto"), "cycles")));
    }
    json_decref(json);
}

static const json_t *policy_of(const json_t *benchmark, const char *name)
{
    return json_object_get(json_object_get(benchmark, "policies"), name);
}
static json_int_t cycles_of(const json_t *benchmark, const char *name)
{
    return json_integer_value(json_object_get(policy_of(benchmark, name), "cycles"));
}

static void contenders_are_measured_against_what_they_name(void **state)
{
    json_t *json = result("a", "summary.json"), *benchmark;
    const json_t *contenders = json_object_get(json, "contenders");
    size_t i;
    (void)state;
    assert_int_equal(7, json_array_size(contenders));
    json_array_foreach(json_object_get(json, "benchmarks"), i, benchmark) {
        const json_t *tuples = json_object_get(policy_of(benchmark, "poise_big_l1"), "tuples");
        const double speedup = json_number_value(json_object_get(policy_of(benchmark, "poise_big_l1"), "speedup"));
        /* the launch's own best diagonal point */
        assert_true(cycles_of(benchmark, "swl_launch") <= cycles_of(benchmark, "gto"));
        /* offsets of @best_N and @predicted_N end at W and at 1 */
        assert_int_equal(cycles_of(benchmark, "all_warps"), cycles_of(benchmark, "gto"));
        assert_true(cycles_of(benchmark, "one_warp") != cycles_of(benchmark, "gto"));
        assert_true(1e-9 > fabs(speedup -
                                (double)cycles_of(benchmark, "big_l1") / (double)cycles_of(benchmark, "poise_big_l1")));
        assert_true(json_number_value(json_object_get(tuples, "N")) >= 1 &&
                    json_number_value(json_object_get(tuples, "exploring")) > 0);
    }
    double inverse = 0;
    json_array_foreach(json_object_get(json, "benchmarks"), i, benchmark)
        inverse += 1 / json_number_value(json_object_get(policy_of(benchmark, "big_l1"), "speedup"));
    assert_true(1e-9 >
                fabs(json_number_value(json_object_get(json_array_get(contenders, 2), "hmean")) - (double)i / inverse));
    json_decref(json);
}

static void a_second_invocation_simulates_nothing_and_writes_the_same_bytes(void **state)
{
    (void)state;
    static const char *const files[] = {"summary.json", "model.json", "profile.csv", "dataset.csv"};
    char *before[4], arguments[256];
    for (int i = 0; i < 4; i++) before[i] = text_of("a", files[i]);
    snprintf(arguments, sizeof arguments,
             "run " POISE_SOURCE_DIR "/experiments/specs/ci-quickstart.yaml --threads 1 --out %s/a", root);
    assert_int_equal(0, poise(root, arguments)->status);
    json_t *info = result("a", "run_info.json");
    assert_int_equal(0, json_integer_value(json_object_get(info, "runs_simulated")));
    assert_true(json_integer_value(json_object_get(info, "runs_reused")) > 0);
    json_decref(info);
    for (int i = 0; i < 4; i++) {
        char *after = text_of("a", files[i]);
        assert_string_equal(before[i], after);
        free(before[i]);
        free(after);
    }
}

static void one_thread_gives_the_bytes_of_two(void **state)
{
    (void)state;
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "run " POISE_SOURCE_DIR "/experiments/specs/ci-quickstart.yaml --threads 1 --out %s/b", root);
    assert_int_equal(0, poise(root, arguments)->status);
    static const char *const files[] = {"summary.json", "model.json", "profile.csv", "dataset.csv"};
    for (int i = 0; i < 4; i++) {
        char *a = text_of("a", files[i]), *b = text_of("b", files[i]);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
}

static void profile_and_dataset_have_their_columns(void **state)
{
    (void)state;
    struct error err;
    struct table_csv d;
    char *profile = text_of("a", "profile.csv"), path[128];
    assert_true(strncmp(profile, "benchmark,launch,trace,N,p,cycles,warp_insts,speedup,score\n", 58) == 0);
    snprintf(path, sizeof path, "%s/a/dataset.csv", root);
    assert_ok(table_csv_read(&d, path, &err), &err);
    const struct table_column *N = table_csv_find(&d, "N"), *p = table_csv_find(&d, "p");
    assert_non_null(N);
    assert_non_null(p);
    json_t *json = result("a", "summary.json");
    assert_int_equal(d.n_rows, json_integer_value(json_object_get(json_object_get(json, "training"), "used")));
    for (size_t i = 0; i < d.n_rows; i++)
        assert_true(1 <= p->values[i] && p->values[i] <= N->values[i] && N->values[i] <= 24);
    json_decref(json);
    table_csv_fini(&d);
    free(profile);
}

/* The loop is closed: another training row, another model; another model, other decisions of the engine. */
static void poise_train_on_the_data_set_gives_the_pipelines_weights(void **state)
{
    (void)state;
    char arguments[256];
    snprintf(arguments, sizeof arguments, "train %s/a/dataset.csv --target N --json", root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(0, s->status);
    json_t *fit = json_loads(s->out, 0, NULL), *summary = result("a", "summary.json");
    const json_t *weights = json_object_get(json_object_get(json_object_get(summary, "model"), "N"), "weights");
    const json_t *coef = json_object_get(fit, "coef");
    assert_int_equal(json_object_size(weights), json_array_size(coef));
    for (size_t i = 0; i < json_array_size(coef); i++) {
        const json_t *c = json_array_get(coef, i);
        const double a = json_number_value(json_object_get(c, "value"));
        const double b = json_number_value(json_object_get(weights, json_string_value(json_object_get(c, "name"))));
        assert_true(a - b < 1e-9 && b - a < 1e-9);
    }
    json_decref(fit);
    json_decref(summary);
}

static void a_sweep_goes_on_where_it_was_and_exports_the_same_table(void **state)
{
    (void)state;
    char arguments[256], *first;
    snprintf(arguments, sizeof arguments,
             "sweep " POISE_SOURCE_DIR "/experiments/specs/ci-sweep.yaml --out %s/s --json", root);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    const json_int_t runs = json_integer_value(json_object_get(json, "runs"));
    assert_int_equal(runs, json_integer_value(json_object_get(json_object_get(json, "run_info"), "runs_simulated")));
    json_decref(json);
    char export_arguments[128];
    snprintf(export_arguments, sizeof export_arguments, "store export csv --store %s/s/store.sqlite", root);
    first = strdup(poise(root, export_arguments)->out);
    json = json_loads(poise(root, arguments)->out, 0, NULL);
    assert_int_equal(0, json_integer_value(json_object_get(json_object_get(json, "run_info"), "runs_simulated")));
    json_decref(json);
    assert_string_equal(first, poise(root, export_arguments)->out);
    free(first);
}

/* The table is explained by its own figures, and what to type next is a command that is there. */
static void the_table_ends_with_what_it_says_and_the_next_command(void **state)
{
    (void)state;
    char arguments[256], expected[200];
    snprintf(arguments, sizeof arguments,
             "run " POISE_SOURCE_DIR "/experiments/specs/ci-quickstart.yaml --threads 2 --out %s/a", root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(0, s->status);
    json_t *summary = result("a", "summary.json"), *benchmark;
    size_t i, equal = 0;
    json_array_foreach(json_object_get(summary, "benchmarks"), i, benchmark) {
        const json_t *policies = json_object_get(benchmark, "policies");
        equal += json_integer_value(json_object_get(json_object_get(policies, "swl"), "cycles")) ==
                 json_integer_value(json_object_get(json_object_get(policies, "static_best"), "cycles"));
    }
    if (equal) snprintf(expected, sizeof expected, "On %zu of %zu SWL equals S-Best", equal, i);
    else snprintf(expected, sizeof expected, "On none of %zu does SWL equal S-Best", i);
    assert_non_null(strstr(s->out, expected));
    snprintf(expected, sizeof expected, "runs them at %.3f times the speed of GTO",
             json_real_value(json_object_get(json_object_get(summary, "hmean"), "poise")));
    assert_non_null(strstr(s->out, expected));
    assert_non_null(strstr(s->out, "Next:\n"));
    assert_non_null(strstr(s->out, " report "));
    json_decref(summary);
}

/* The script says its six stages and one time for all of them before it does anything. */
static void the_script_announces_its_plan(void **state)
{
    (void)state;
    static const char *const stages[] = {"install", "build", "record", "simulate", "train", "evaluate"};
    char text[4096] = "";
    FILE *plan = popen(POISE_SOURCE_DIR "/experiments/quickstart.sh --plan 2>&1", "r");
    assert_non_null(plan);
    const size_t n = fread(text, 1, sizeof text - 1, plan);
    assert_int_equal(0, pclose(plan));
    text[n] = '\0';
    const char *at = text;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        at = strstr(at, stages[i]);
        if (!at) fail_msg("no stage %s in its place: %s", stages[i], text);
    }
    assert_non_null(strstr(at, " min in all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_has_the_keys_that_scripts_rely_on),
        cmocka_unit_test(a_penalty_is_chosen_for_each_output_and_the_fit_without_one_is_kept_beside),
        cmocka_unit_test(it_stays_below_2_million_warp_instructions),
        cmocka_unit_test(static_best_is_never_slower_than_swl_or_gto),
        cmocka_unit_test(contenders_are_measured_against_what_they_name),
        cmocka_unit_test(a_second_invocation_simulates_nothing_and_writes_the_same_bytes),
        cmocka_unit_test(one_thread_gives_the_bytes_of_two),
        cmocka_unit_test(profile_and_dataset_have_their_columns),
        cmocka_unit_test(poise_train_on_the_data_set_gives_the_pipelines_weights),
        cmocka_unit_test(a_sweep_goes_on_where_it_was_and_exports_the_same_table),
        cmocka_unit_test(the_table_ends_with_what_it_says_and_the_next_command),
        cmocka_unit_test(the_script_announces_its_plan),
    };
    return cmocka_run_group_tests(tests, once, clean);
}
