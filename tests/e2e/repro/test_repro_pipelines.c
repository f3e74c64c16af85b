/* poise repro on chapter 5: the shipped specs' contenders on a pipeline that takes seconds. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/repro.h"

static char root[64];
static struct repro_list *all_studies;

/* ci-quickstart's kernels and thresholds in place of the shipped spec's: everything before "contenders", and what
 * must be retrained. */
static int write_spec(const char *folder, const char *name, struct error *err)
{
    static const char surface[] = "response: {sampling: \"4:1 / W:W\", features: [rate.0, need.0, In], learner: ridge, "
                                  "engine: \"T_wait=0,T_warmup=200,T_sample=500,T_monitor=500\", "
                                  "hidden: 4, coefs: 2}\n";
    static const char head[] = "schema: 1\nkind: pipeline\nsize: test\ntraining: [gco, ccl]\nevaluation: [mvt, "
                               "bfs]\nconfig: kepler32\nwindows: true\n"
                               "beside: poise-thesis.json\ndataset: {threshold_cycles: 500, threshold_speedup: 0, "
                               "threshold_hit_rate: 0}\nfeatures: [eta_o, eta_prime, intercept]\n";
    char path[256], *text, *spec;
    size_t size;
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/experiments/specs/%s/%s.yaml", folder, name);
    if (file_read(&text, &size, path, err) < 0) return -1;
    const char *contenders = strstr(text, "contenders:");
    const char *also = strcmp(name, "sensitivity") == 0 ? "retrain: [eta_o, eta_prime]\n"
                       : strcmp(name, "further") == 0   ? "whole: {training: [pvr]}\n"
                                                        : "";
    const bool is_learned = strcmp(folder, "learned") == 0;
    if (!contenders || asprintf(&spec, "%spoints: %s\nname: %s\n%s%s%s", head, is_learned ? "lattice" : "12", name,
                                is_learned ? surface : "", also, contenders) < 0)
        return -1;
    for (char *line = strstr(spec, "  - {name: without_"); line;) { /* of the features that are learnt here */
        char *end = strchr(line, '\n') + 1, *next = end;
        if (strstr(line, "@without:eta_") == NULL || strstr(line, "@without:eta_") > end) {
            memmove(line, end, strlen(end) + 1);
            next = line;
        }
        line = strstr(next, "  - {name: without_");
    }
    snprintf(path, sizeof path, "%s/experiments/specs/%s/%s.yaml", root, folder, name);
    const int result = file_write(path, spec, strlen(spec), err);
    free(spec);
    free(text);
    return result;
}

static int make(void **state)
{
    static const char *const specs[] = {"evaluation", "oracle", "analysis",  "sensitivity",
                                        "further",    "best",   "correction"};
    char command[900];
    struct error err;
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    snprintf(command, sizeof command,
             "cd %s && mkdir -p experiments/specs/thesis-ch5 experiments/specs/learned && ln -s %s/models models && cp "
             "-r %s/experiments/configs %s/experiments/figures experiments && cp "
             "%s/experiments/specs/learned/lengths.yaml experiments/specs/learned && sed 's/^points:/kernels: [mvt, "
             "bfs]\\n&/' "
             "%s/experiments/specs/learned/programs.yaml >experiments/specs/learned/programs.yaml",
             root, POISE_SOURCE_DIR, POISE_SOURCE_DIR, POISE_SOURCE_DIR, POISE_SOURCE_DIR, POISE_SOURCE_DIR);
    if (system(command) != 0) return -1;
    for (size_t i = 0; i < COUNT_OF(specs); i++)
        if (write_spec("thesis-ch5", specs[i], &err) < 0) return -1;
    if (write_spec("learned", "learned", &err) < 0 || write_spec("learned", "hints", &err) < 0 ||
        repro_list_load(&all_studies, POISE_SOURCE_DIR "/experiments/configs", &err) < 0)
        return -1;
    snprintf(command, sizeof command, "%s/experiments/configs", root);
    setenv("POISE_CONFIGS", command, 1);
    snprintf(command, sizeof command, "%s/traces", root);
    return setenv("POISE_TRACES", command, 1);
}

static int clean(void **state)
{
    (void)state;
    repro_list_free(all_studies);
    return folder_remove(root);
}

static json_t *study(const char *id)
{
    char arguments[256];
    json_error_t why;
    snprintf(arguments, sizeof arguments, "repro %s --json --threads 2 --store %s/store.sqlite", id, root);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s: %s", id, s->err);
    json_t *json = json_loads(s->out, 0, &why);
    if (!json) fail_msg("%s", why.text);
    return json;
}

static void every_pipeline_study_has_rows_of_ours_and_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < repro_list_n(all_studies); i++) {
        const struct repro_study *s = repro_list_at(all_studies, i);
        if (!s->tell || repro_opens_sealed(s)) continue;
        json_t *json = study(s->id), *row;
        size_t k, ours = 0;
        const bool is_for_ii = strcmp(s->id, "thesis-5.2") == 0; /* not among these kernels */
        json_array_foreach(json_object_get(json, "rows"), k, row) ours += json_is_number(json_object_get(row, "ours"));
        if (ours == 0 && !is_for_ii) fail_msg("%s measures nothing", s->id);
        assert_true(json_array_size(json_object_get(json, "checks")) > 0 || is_for_ii);
        assert_true(json_array_size(json_object_get(json, "deviations")) > 0);
        json_decref(json);
    }
}

/* Here is no file of looks, and so no look. */
static void sealed_workloads_stay_closed_where_a_look_cannot_be_recorded(void **state)
{
    (void)state;
    const struct said *s = poise(root, "repro learned-sealed --json --store none.sqlite");
    assert_int_not_equal(0, s->status);
    assert_non_null(strstr(s->err, "the file of evaluations"));
}

/* A registry of one open and one sealed workload. */
static void use_sealed_registry(void)
{
    static const char registry[] = "schema: 1\nworkloads:\n"
                                   "  - {name: mvt, suite: s, set: further, program: mvt, family: row-scan, split: "
                                   "training, profiled: {test: [0]}}\n"
                                   "  - {name: bfs, suite: s, set: further, program: bfs, family: walk, split: sealed, "
                                   "profiled: {test: [8]}}\n"
                                   "  - {name: gco, suite: s, set: further, program: gco, profiled: {test: [0]}}\n";
    char path[256];
    struct error err;
    snprintf(path, sizeof path, "%s/sealed-list.yaml", root);
    if (file_write(path, registry, sizeof registry - 1, &err) < 0) fail_msg("%s", err.text);
    setenv("POISE_KERNELS", path, 1);
}

/* The study's spec, and a file of looks: nothing else opens bfs. */
static void lengths_are_measured_of_sealed_launches_and_recorded(void **state)
{
    char path[256], *looks;
    size_t size;
    struct error err;
    (void)state;
    use_sealed_registry();
    const struct said *s = poisef(root, "repro learned-lengths --json --store %s/lengths.sqlite", root);
    assert_int_not_equal(0, s->status);
    assert_non_null(strstr(s->err, "the file of evaluations"));
    snprintf(path, sizeof path, "%s/datasets", root);
    if (file_make_folders(path, &err) < 0) fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/datasets/sealed.csv", root);
    if (file_write(path, "date\n", 5, &err) < 0) fail_msg("%s", err.text);
    json_error_t why;
    s = poisef(root, "repro learned-lengths --json --store %s/lengths.sqlite", root);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, &why), *row;
    size_t i, cycles = 0;
    double of_bfs = 0;
    json_array_foreach(json_object_get(json, "rows"), i, row) {
        const char *label = json_string_value(json_object_get(row, "label"));
        cycles += strcmp(json_string_value(json_object_get(row, "unit")), "k cycles") == 0;
        if (strcmp(label, "bfs/8 GTO") == 0) of_bfs = 1000 * json_number_value(json_object_get(row, "ours"));
        if (!strstr(label, "mvt/0 ") && !strstr(label, "bfs/8 ") && !strstr(label, "launches"))
            fail_msg("a row %s", label);
    }
    assert_int_equal(2, cycles);
    assert_true(of_bfs > 1000);
    assert_int_equal(10, json_array_size(json_object_get(json, "rows"))); /* four a launch, two sums */
    if (file_read(&looks, &size, path, &err) < 0) fail_msg("%s", err.text);
    char line[128];
    snprintf(line, sizeof line, ",bfs/8 at size test under GTO,%.0f,,,cycles\n", of_bfs);
    if (count_of(looks, line) != 1 || count_of(looks, "GTO") != 1) fail_msg("%s", looks);
    free(looks);
    json_decref(json);
    snprintf(path, sizeof path, "%s/lengths.sqlite", root);
    assert_int_not_equal(0, access(path, F_OK));                                         /* no store */
    assert_int_not_equal(0, poisef(root, "repro learned-lengths --kernel gco")->status); /* in no split */
    assert_int_equal(2, poisef(root, "repro learned-lengths --config fermi15")->status);
    s = poisef(root, "sim --kernel bfs --size test");
    assert_int_not_equal(0, s->status);
    assert_non_null(strstr(s->err, "kernel bfs is sealed"));
    s = poisef(root, "repro learned-1 --kernel mvt");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--kernel goes with learned-lengths"));
    unsetenv("POISE_KERNELS");
}

static void lengths_are_stored_where_the_study_is_named_in_full(void **state)
{
    char path[256], *stored;
    size_t size;
    struct error err;
    (void)state;
    use_sealed_registry();
    const struct said *s =
        poisef(root, "repro --all learned-lengths --kernel mvt --results %s/lengths.csv --out %s/lengths", root, root);
    if (s->status) fail_msg("%s", s->err);
    snprintf(path, sizeof path, "%s/lengths.csv", root);
    if (file_read(&stored, &size, path, &err) < 0) fail_msg("%s", err.text);
    if (!strstr(stored, "learned-lengths,value,launches,,1,,1,")) fail_msg("%s", stored);
    free(stored);
    s = poisef(root, "repro --all 'learned-l*' --out %s/lengths", root);
    assert_non_null(strstr(s->err, "no study has such a name"));
    unsetenv("POISE_KERNELS");
}

/* The shipped model was judged by leaving text-scan out, so it has seen that family when all are in; and mvt is open,
 * as a sealed workload is after its look. */
static void a_look_at_what_was_seen_before_is_refused(void **state)
{
    static const char registry[] = "schema: 1\nworkloads:\n"
                                   "  - {name: mvt, suite: s, set: further, program: mvt, family: rows, split: "
                                   "training, profiled: {eval: [0]}}\n"
                                   "  - {name: bfs, suite: s, set: further, program: bfs, family: text-scan, split: "
                                   "sealed, profiled: {eval: [8]}}\n";
#define SPEC_OF(name) \
    "schema: 1\nkind: pipeline\nname: learned-sealed\nsize: eval\ntraining: [mvt]\n" \
    "evaluation: [" name "]\nconfig: kepler32\npoints: lattice\ncontenders:\n" \
    "  - {name: learned, mech: [\"learned,model=@models/poise-best.json,horizon=0\"]}\n"
    static const char spec[] = SPEC_OF("bfs"), opened[] = SPEC_OF("mvt");
#undef SPEC_OF
    char path[256], *looks;
    size_t size;
    struct error err;
    (void)state;
    snprintf(path, sizeof path, "%s/experiments/specs/learned/sealed.yaml", root);
    if (file_write(path, spec, sizeof spec - 1, &err) < 0) fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/seen-list.yaml", root);
    if (file_write(path, registry, sizeof registry - 1, &err) < 0) fail_msg("%s", err.text);
    setenv("POISE_KERNELS", path, 1);
    snprintf(path, sizeof path, "%s/datasets", root);
    if (file_make_folders(path, &err) < 0) fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/datasets/sealed.csv", root);
    if (file_write(path, "date\n", 5, &err) < 0) fail_msg("%s", err.text);
    const struct said *s = poise(root, "repro learned-sealed --store none.sqlite");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "poise-best.json has learned from family text-scan, which is sealed (bfs)"));
    snprintf(path, sizeof path, "%s/experiments/specs/learned/sealed.yaml", root);
    if (file_write(path, opened, sizeof opened - 1, &err) < 0) fail_msg("%s", err.text);
    s = poise(root, "repro learned-sealed --store none.sqlite");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "mvt is not sealed any more"));
    snprintf(path, sizeof path, "%s/datasets/sealed.csv", root);
    if (file_read(&looks, &size, path, &err) < 0) fail_msg("%s", err.text);
    assert_string_equal("date\n", looks); /* no look was taken */
    free(looks);
    unsetenv("POISE_KERNELS");
}

static void the_learned_policy_has_its_interval_and_its_families(void **state)
{
    (void)state;
    json_t *json = study("learned-1"), *row;
    size_t k, with = 0;
    json_array_foreach(json_object_get(json, "rows"), k, row)
        with += json_array_size(json_object_get(row, "ci95")) == 2;
    assert_int_equal(16, with); /* six parts, four of hints, the worst benchmark, five differences */
    assert_int_equal(2, json_integer_value(json_object_get(json, "n_families"))); /* row-scan, neighbour-gather */
    json_decref(json);
}

/* Each program with the network of its own family, which the pipeline has made beside the store first. */
static void whole_programs_run_with_networks_of_other_families(void **state)
{
    static const char *const networks[] = {"response.json", "response-row-scan.json", "response-neighbour-gather.json"};
    char path[200];
    size_t k, with = 0;
    (void)state;
    json_t *json = study("learned-programs"), *row;
    json_array_foreach(json_object_get(json, "rows"), k, row)
        with += json_array_size(json_object_get(row, "ci95")) == 2;
    assert_int_equal(13, with); /* seven means, six ratios */
    assert_int_equal(2, json_integer_value(json_object_get(json, "n_families")));
    json_decref(json);
    for (k = 0; k < COUNT_OF(networks); k++) {
        snprintf(path, sizeof path, "%s/learned-networks/%s", root, networks[k]);
        assert_int_equal(0, access(path, R_OK));
    }
    const struct said *s = poisef(root, "repro learned-programs --shard 1/2 --store %s/shard.sqlite", root);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--shard goes with single launches"));
}

static void studies_of_one_spec_share_their_runs(void **state)
{
    (void)state;
    json_t *again = study("thesis-5.10");
    assert_int_equal(0, json_integer_value(json_object_get(json_object_get(again, "run_info"), "runs_simulated")));
    json_decref(again);
}

static json_t *as_json(const struct said *s)
{
    json_error_t why;
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, &why);
    if (!json) fail_msg("%s", why.text);
    return json;
}

static json_int_t whole(const json_t *json, const char *group, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(json, group), key));
}

static json_int_t dry_runs(const char *id, const char *mode)
{
    json_t *json = as_json(poisef(root, "repro %s --mode %s --dry-run --json --store %s/dry.sqlite", id, mode, root));
    const json_int_t missing = whole(json, "dry_run", "missing");
    json_decref(json);
    return missing;
}

/* further.yaml here and analysis.yaml are the same but for pvr, which joins the one of them. */
static void full_mode_has_the_training_launches_that_join_and_quick_mode_has_not(void **state)
{
    (void)state;
    assert_int_equal(dry_runs("thesis-tab-5.4", "quick"), dry_runs("thesis-5.9-further", "quick"));
    const json_int_t without = dry_runs("thesis-tab-5.4", "full"), with = dry_runs("thesis-5.9-further", "full");
    /* a triangle of 12 at the least */
    if (with < without + 78) fail_msg("%lld runs, %lld with pvr", (long long)without, (long long)with);
}

/* A dry run of full mode counts the grids that shards then simulate, and leaves no store behind. */
static void full_mode_is_estimated_and_dealt_out_in_shards(void **state)
{
    char path[128];
    (void)state;
    json_t *before =
        as_json(poisef(root, "repro thesis-tab-5.4 --mode full --dry-run --json --store %s/full.sqlite", root));
    snprintf(path, sizeof path, "%s/full.sqlite", root);
    assert_int_not_equal(0, access(path, F_OK));
    const json_int_t grid = whole(before, "dry_run", "missing");
    if (grid < 100 || whole(before, "dry_run", "stored") != 0 || whole(before, "dry_run", "later") < 8)
        fail_msg("%lld runs", (long long)grid);
    json_t *halves[2];
    for (int i = 0; i < 2; i++)
        halves[i] = as_json(
            poisef(root, "repro thesis-tab-5.4 --mode full --shard %d/2 --threads 2 --json --store %s/half-%d.sqlite",
                   i + 1, root, i));
    assert_true(whole(halves[0], "run_info", "runs_simulated") + whole(halves[1], "run_info", "runs_simulated") ==
                grid);
    if (poisef(root, "store merge %s/full.sqlite %s/half-0.sqlite %s/half-1.sqlite", root, root, root)->status)
        fail_msg("stores that do not merge");
    json_t *after =
        as_json(poisef(root, "repro thesis-tab-5.4 --mode full --dry-run --json --store %s/full.sqlite", root));
    assert_true(whole(after, "dry_run", "missing") == 0 && whole(after, "dry_run", "stored") == grid);
    json_t *report =
        as_json(poisef(root, "repro thesis-tab-5.4 --mode full --threads 2 --json --store %s/full.sqlite", root));
    assert_true(whole(report, "run_info", "runs_simulated") <= whole(after, "dry_run", "later"));
    assert_true(json_number_value(json_object_get(json_object_get(report, "run_info"), "core_seconds")) > 0);
    json_decref(before);
    json_decref(halves[0]);
    json_decref(halves[1]);
    json_decref(after);
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pipeline_study_has_rows_of_ours_and_statements),
        cmocka_unit_test(sealed_workloads_stay_closed_where_a_look_cannot_be_recorded),
        cmocka_unit_test(lengths_are_measured_of_sealed_launches_and_recorded),
        cmocka_unit_test(lengths_are_stored_where_the_study_is_named_in_full),
        cmocka_unit_test(a_look_at_what_was_seen_before_is_refused),
        cmocka_unit_test(the_learned_policy_has_its_interval_and_its_families),
        cmocka_unit_test(whole_programs_run_with_networks_of_other_families),
        cmocka_unit_test(studies_of_one_spec_share_their_runs),
        cmocka_unit_test(full_mode_has_the_training_launches_that_join_and_quick_mode_has_not),
        cmocka_unit_test(full_mode_is_estimated_and_dealt_out_in_shards),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
