/* poise repro tech-7 over one program: profile, marking and runs with L2 kept between launches. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>
#include <unistd.h>
#include "poise/file.h"

static void a_program_is_profiled_marked_and_run_and_shards_are_refused(void **state)
{
    (void)state;
    static const char registry[] = "schema: 1\nworkloads:\n"
                                   "  - {name: hotspot-large, suite: rodinia, set: further, program: hotspot}\n";
    char root[64], path[128], text[256];
    struct error err;
    json_error_t why;
    snprintf(root, sizeof root, "%s", fresh_dir());
    snprintf(path, sizeof path, "%s/list.yaml", root);
    assert_ok(file_write(path, registry, sizeof registry - 1, &err), &err);
    setenv("POISE_KERNELS", path, 1);
    snprintf(path, sizeof path, "%s/traces", root);
    setenv("POISE_TRACES", path, 1);
    snprintf(text, sizeof text, "repro tech-7 --mode quick --json --store %s/store.sqlite", root);
    const struct said *s = poise(root, text);
    if (s->status) fail_msg("%s", s->err);
    json_t *out = json_loads(s->out, 0, &why);
    assert_int_equal(json_integer_value(json_object_get(out, "points")), 54);
    size_t i, ours = 0;
    json_t *row;
    json_array_foreach(json_object_get(out, "rows"), i, row) ours += json_is_number(json_object_get(row, "ours"));
    assert_true(ours > 0);
    assert_true(json_array_size(json_object_get(out, "checks")) > 0);
    assert_true(json_array_size(json_object_get(out, "deviations")) > 0);
    json_decref(out);
    snprintf(path, sizeof path, "%s/marking-hotspot-large-768-KB-marked.json", root);
    assert_int_equal(access(path, R_OK), 0);
    snprintf(path, sizeof path, "%s/marked-hotspot-large-768-KB-by-hand/0001.ptrace", root);
    assert_int_equal(access(path, R_OK), 0);
    snprintf(text, sizeof text, "repro tech-7 --shard 1/2 --store %s/store.sqlite", root);
    assert_int_equal(poise(root, text)->status, 2);
    assert_int_equal(folder_remove(root), 0);
}

/* ---- a sample of a program's launches ---- */

static const char figures[] = "schema: 1\nkind: figures\nfigures:\n  - id: own-1\n    title: one warp a scheduler\n"
                              "    at: THESIS Fig. 3.1\n    spec: own.yaml\n    rows:\n"
                              "      - {label: speedup, value: \"hmean(speedup['one'])\", paper: 0.5, unit: x}\n"
                              "      - {label: instructions, value: sum(warp_insts)}\n";
static const char spec[] = "schema: 1\nkind: repro\nname: own\nconfig: kepler32\nkernels: [gaussian]\n"
                           "quick: {size: test, launches: profiled, inputs: first, max_cycles: 20000}\n"
                           "full: {size: test, launches: all, inputs: all}\n"
                           "points:\n  - {name: one, mech: \"swl,N=1\"}\n";

static json_t *sampled(const char *root, const char *options)
{
    char text[256];
    json_error_t why;
    snprintf(text, sizeof text, "repro own-1 --mode full --json %s --store %s/store.sqlite", options, root);
    const struct said *s = poise(root, text);
    if (s->status) fail_msg("%s", s->err);
    json_t *out = json_loads(s->out, 0, &why);
    assert_non_null(out);
    return out;
}

/* The rows of a spec with `sample`: in full mode those of the option, in quick mode and of --all those of runs. */
static void the_key_is_the_option(const char *root, const json_t *rows)
{
    char text[sizeof spec + 64];
    char path[300];
    struct error err;
    snprintf(path, sizeof path, "%s/experiments/specs/own.yaml", root);
    snprintf(text, sizeof text, "%ssample: \"error=0.05,whole=0\"\n", spec);
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    json_t *keyed = sampled(root, "");
    assert_true(json_equal(rows, json_object_get(keyed, "rows")));
    json_decref(keyed);
    snprintf(text, sizeof text, "repro own-1 --json --store %s/store.sqlite", root);
    const struct said *s = poise(root, text);
    assert_true(s->status == 0 && !strstr(s->out, "\"sample\"") && !strstr(s->out, "\"estimate\""));
    snprintf(text, sizeof text, "repro --all own-1 --mode full --out %s/all --store %s/store.sqlite", root, root);
    assert_int_equal(poise(root, text)->status, 0);
    snprintf(path, sizeof path, "%s/all/own-1.json", root);
    json_t *all = file_read_json(path, &err);
    assert_non_null(all);
    assert_null(json_object_get(all, "sample"));
    assert_null(json_object_get(json_array_get(json_object_get(all, "rows"), 0), "estimate"));
    json_decref(all);
    snprintf(text, sizeof text, "%ssample: error=9\n", spec);
    snprintf(path, sizeof path, "%s/experiments/specs/own.yaml", root);
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    snprintf(text, sizeof text, "repro own-1 --mode full --store %s/store.sqlite", root);
    s = poise(root, text);
    assert_int_equal(s->status, 2);
    assert_non_null(strstr(s->err, "own.yaml:10:9: --sample error=9: a share from 0.0001 to 0.5"));
    assert_ok(file_write(path, spec, sizeof spec - 1, &err), &err);
}

/* Its rows hold the exact ones, and the exact runs that follow are not taken from it. */
static void rows_of_a_sample_have_intervals_with_the_exact_values_in_them(void **state)
{
    char root[64], path[300];
    struct error err;
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    snprintf(path, sizeof path, "mkdir -p %s/experiments/figures %s/experiments/specs", root, root);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "cp -r %s/experiments/configs %s/experiments", POISE_SOURCE_DIR, root);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/experiments/figures/own.yaml", root);
    assert_ok(file_write(path, figures, sizeof figures - 1, &err), &err);
    snprintf(path, sizeof path, "%s/experiments/specs/own.yaml", root);
    assert_ok(file_write(path, spec, sizeof spec - 1, &err), &err);
    snprintf(path, sizeof path, "%s/traces", root);
    setenv("POISE_TRACES", path, 1);
    snprintf(path, sizeof path, "%s/experiments/configs", root);
    setenv("POISE_CONFIGS", path, 1);
    unsetenv("POISE_KERNELS");
    json_t *estimates = sampled(root, "--sample error=0.05,whole=0"), *exact = sampled(root, "");
    const json_t *rows = json_object_get(estimates, "rows"), *work = json_object_get(estimates, "sample");
    assert_null(json_object_get(exact, "sample"));
    assert_true(json_number_value(json_object_get(work, "share_of_work")) < 0.9);
    for (size_t i = 0; i < 2; i++) {
        const json_t *row = json_array_get(rows, i), *estimate = json_object_get(row, "estimate"),
                     *truth = json_array_get(json_object_get(exact, "rows"), i);
        const double low = json_number_value(json_array_get(estimate, 0)),
                     high = json_number_value(json_array_get(estimate, 1)),
                     value = json_number_value(json_object_get(truth, "ours"));
        print_message("%s: %g to %g, exactly %g\n", json_string_value(json_object_get(row, "label")), low, high, value);
        assert_null(json_object_get(truth, "estimate"));
        assert_true(low < high && low <= value && value <= high);
    }
    assert_true(json_integer_value(json_object_get(json_object_get(exact, "run_info"), "runs_simulated")) > 0);
    the_key_is_the_option(root, rows);
    json_decref(estimates);
    json_decref(exact);
    snprintf(path, sizeof path, "repro own-1 --sample error=0.05 --store %s/store.sqlite", root);
    const struct said *s = poise(root, path);
    assert_int_equal(s->status, 2);
    assert_non_null(strstr(s->err, "add --mode full"));
    assert_int_equal(folder_remove(root), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_is_profiled_marked_and_run_and_shards_are_refused),
                                       cmocka_unit_test(rows_of_a_sample_have_intervals_with_the_exact_values_in_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
