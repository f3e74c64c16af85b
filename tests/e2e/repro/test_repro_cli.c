/* poise repro as it is used, over two workloads. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/repro.h"

static char root[64];
static struct repro_list *all_studies;

static int make(void **state)
{
    (void)state;
    static const char registry[] = "schema: 1\nworkloads:\n"
                                   "  - {name: mvt, suite: polybench, set: evaluation, program: mvt, profiled: {small: "
                                   "[0], test: [0]}}\n"
                                   "  - {name: bfs, suite: rodinia, set: evaluation, program: bfs, profiled: {small: "
                                   "[6], test: [8]}}\n"; /* short, all SMs busy */
    /* Its studies name the benchmarks of two groups: one of each. */
    static const char chapter_4[] =
        "schema: 1\nworkloads:\n"
        "  - {name: km, suite: mars, set: further, program: km, profiled: {small: [0], test: [0]}}\n"
        "  - {name: histo, suite: parboil, set: further, program: histo, profiled: {small: [0], test: [0]}}\n";
    static const char techniques[] =
        "schema: 1\nworkloads:\n"
        "  - {name: hotspot, suite: rodinia, set: further, program: hotspot, profiled: {small: [0], test: [0]}}\n"
        "  - {name: reduction, suite: others, set: further, program: reduction, profiled: {small: [0], test: [0]}}\n";
    /* elastic-16 and -17 run whole programs 19 and 24 times: here a program of one launch has their names. */
    static const char one_launch[] =
        "schema: 1\nworkloads:\n"
        "  - {name: bfs, suite: rodinia, set: further, program: nn, profiled: {small: [0], test: [0]}}\n";
    /* Pairs of kernels side by side are simulated some fifty times: short launches have their names. */
    static const char beside[] =
        "schema: 1\nworkloads:\n"
        "  - {name: syrk, suite: polybench, set: evaluation, program: nn, profiled: {small: [0], test: [0]}}\n"
        "  - {name: ii, suite: mars, set: evaluation, program: nn, profiled: {small: [0], test: [0]}}\n"
        "  - {name: syr2k, suite: polybench, set: evaluation, program: nn, profiled: {small: [0], test: [0]}}\n"
        "  - {name: kmeans, suite: rodinia, set: evaluation, program: nn, profiled: {small: [0], test: [0]}}\n"
        "  - {name: kmn, suite: rodinia, set: further, program: nn, profiled: {small: [0], test: [0]}}\n";
    /* The other studies of elastic caches have whole machines of 80 SMs: a short launch alone. */
    static const char elastic[] =
        "schema: 1\nworkloads:\n"
        "  - {name: nn, suite: rodinia, set: further, program: bfs, profiled: {small: [6], test: [0]}}\n";
    char path[128];
    struct error err;
    snprintf(root, sizeof root, "%s", fresh_dir());
    snprintf(path, sizeof path, "%s/list.yaml", root);
    setenv("POISE_KERNELS", path, 1);
    if (file_write(path, registry, sizeof registry - 1, &err) < 0) return -1;
    snprintf(path, sizeof path, "%s/chapter4.yaml", root);
    if (file_write(path, chapter_4, sizeof chapter_4 - 1, &err) < 0) return -1;
    snprintf(path, sizeof path, "%s/techniques.yaml", root);
    if (file_write(path, techniques, sizeof techniques - 1, &err) < 0) return -1;
    snprintf(path, sizeof path, "%s/one_launch.yaml", root);
    if (file_write(path, one_launch, sizeof one_launch - 1, &err) < 0) return -1;
    snprintf(path, sizeof path, "%s/elastic.yaml", root);
    if (file_write(path, elastic, sizeof elastic - 1, &err) < 0) return -1;
    snprintf(path, sizeof path, "%s/beside.yaml", root);
    if (file_write(path, beside, sizeof beside - 1, &err) < 0) return -1;
    if (repro_list_load(&all_studies, POISE_SOURCE_DIR "/experiments/configs", &err) < 0) return -1;
    snprintf(path, sizeof path, "%s/traces", root);
    return setenv("POISE_TRACES", path, 1);
}

static int clean(void **state)
{
    (void)state;
    repro_list_free(all_studies);
    return folder_remove(root);
}

static void use_registry(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.yaml", root, name);
    setenv("POISE_KERNELS", path, 1);
}

static const char *registry_of(const char *id)
{
    if (strcmp(id, "elastic-16") == 0 || strcmp(id, "elastic-17") == 0) return "one_launch";
    if (strncmp(id, "elastic-", 8) == 0) return "elastic";
    if (strncmp(id, "tech-", 5) == 0) return "techniques";
    if (strncmp(id, "ccn-", 4) == 0 || strcmp(id, "thesis-4.5.4") == 0) return "chapter4";
    if (strcmp(id, "thesis-5.7.10") == 0 || strcmp(id, "bucl-kmn") == 0) return "beside";
    return "list";
}

static json_t *study(const char *id)
{
    char arguments[256];
    json_error_t why;
    use_registry(registry_of(id));
    snprintf(arguments, sizeof arguments, "repro %s --mode quick --json --threads 2 --store %s/store.sqlite", id, root);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, &why);
    if (!json) fail_msg("%s", why.text);
    return json;
}

static double ours(json_t *json, const char *label)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(json, "rows"), i, row)
        if (strcmp(json_string_value(json_object_get(row, "label")), label) == 0)
            return json_number_value(json_object_get(row, "ours"));
    fail_msg("no row %s", label);
    return 0;
}

static void figures_of_one_spec_simulate_each_launch_once(void **state)
{
    (void)state;
    json_t *first = study("thesis-3.1"), *second = study("thesis-3.6");
    assert_int_equal(2, json_integer_value(json_object_get(first, "points")));
    assert_int_equal(2, json_integer_value(json_object_get(json_object_get(first, "run_info"), "runs_simulated")));
    assert_int_equal(0, json_integer_value(json_object_get(json_object_get(second, "run_info"), "runs_simulated")));
    const double sum = ours(second, "mean data-MEM") + ours(second, "mean data-ALU") + ours(second, "mean str-MEM") +
                       ours(second, "mean str-ALU") + ours(second, "mean fetch");
    assert_true(sum > 99.999 && sum < 100.001);
    json_decref(first);
    json_decref(second);
}

/* Both halves of a study, in stores of their own, are the whole when merged. */
static void shards_of_a_study_make_up_the_whole(void **state)
{
    (void)state;
    const struct said *s = poisef(root, "repro thesis-tab-3.2 --dry-run --store %s/dry.sqlite", root);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "thesis-tab-3.2: 6 runs, 6 distinct, 0 in the store, 6 to simulate"));
    for (int i = 1; i <= 2; i++) {
        s = poisef(root, "repro thesis-tab-3.2 --shard %d/2 --threads 1 --store %s/shard-%d.sqlite", i, root, i);
        if (s->status) fail_msg("%s", s->err);
        assert_non_null(strstr(s->out, "3 runs simulated now"));
    }
    s = poisef(root, "store merge %s/both.sqlite %s/shard-1.sqlite %s/shard-2.sqlite", root, root, root);
    if (s->status) fail_msg("%s", s->err);
    s = poisef(root, "repro thesis-tab-3.2 --dry-run --store %s/both.sqlite", root);
    assert_non_null(strstr(s->out, "6 in the store, 0 to simulate"));
    s = poisef(root, "repro thesis-tab-3.2 --shard 3/2 --store %s/dry.sqlite", root);
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "I/N"));
    s = poisef(root, "repro thesis-5.10 --shard 1/2 --store %s/dry.sqlite", root); /* points that follow from others */
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "--mode full"));
}

static void infinite_memory_is_at_least_as_fast_as_infinite_DRAM(void **state)
{
    (void)state;
    json_t *json = study("thesis-tab-3.2");
    assert_int_equal(6, json_integer_value(json_object_get(json, "points")));
    assert_true(ours(json, "bfs P_inf") >= ours(json, "bfs P_dram"));
    assert_true(ours(json, "bfs P_inf") > 1);
    json_decref(json);
}

static bool is_run_here(const struct repro_study *s)
{
    static const char *const others[] = {
        "tech-7",           /* test_repro_programs.c runs it */
        "learned-programs", /* a pipeline comes first: test_repro_pipelines.c */
        "combinations",     /* 214 points: combinations-strongest is a part of it */
        "ccn-inputs",       /* ccn-programs' report on inputs that take minutes */
        "tsc-inputs",       /* tsc-10a's report on launches of size eval */
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(s->id, others[i]) == 0) return false;
    /* Whole pipelines and the sealed set: test_repro_pipelines.c; mixes have recorded CPU programs: test_mix.c */
    return !s->tell && !repro_opens_sealed(s) && !s->has_mixes;
}

static void check_study(const char *id)
{
    char path[256];
    size_t k, ours = 0, unmeasured = 0;
    json_t *row;
    snprintf(path, sizeof path, "%s/every/%s.json", root, id);
    json_t *json = json_load_file(path, 0, NULL);
    if (!json) fail_msg("no %s", path);
    json_array_foreach(json_object_get(json, "rows"), k, row) ours += json_is_number(json_object_get(row, "ours"));
    json_array_foreach(json_object_get(json, "deviations"), k, row)
        unmeasured += strncmp(json_string_value(row), "not measured", 12) == 0;
    if (ours == 0) fail_msg("%s measures nothing", id);
    assert_true(json_array_size(json_object_get(json, "checks")) + unmeasured > 0);
    assert_true(json_array_size(json_object_get(json, "deviations")) > 0);
    assert_true(json_is_boolean(json_object_get(json, "direction_ok")));
    assert_string_equal("quick", json_string_value(json_object_get(json, "mode")));
    json_decref(json);
}

/* One command a registry: reading all studies' figures takes as long as a fifth of what a study simulates here. */
static void every_study_has_rows_of_ours_beside_the_papers_and_statements_checked_or_told_unmeasured(void **state)
{
    static const char *const registries[] = {"one_launch", "elastic", "techniques", "chapter4", "beside", "list"};
    static char ids[8192];
    size_t n = 0, wanted = 0;
    (void)state;
    for (size_t r = 0; r < sizeof registries / sizeof *registries; r++) {
        char *at = ids;
        for (size_t i = 0; i < repro_list_n(all_studies); i++) {
            const struct repro_study *s = repro_list_at(all_studies, i);
            if (!is_run_here(s) || strcmp(registry_of(s->id), registries[r]) != 0) continue;
            assert_true(at - ids < (ptrdiff_t)sizeof ids - 64);
            at += sprintf(at, " %s", s->id);
            n++;
        }
        use_registry(registries[r]);
        const struct said *s = poisef(
            root, "repro --all%s --mode quick --threads 2 --store %s/store.sqlite --out %s/every", ids, root, root);
        if (s->status) fail_msg("%s", s->err);
        for (const char *id = strtok(ids, " "); id; id = strtok(NULL, " ")) check_study(id);
    }
    for (size_t i = 0; i < repro_list_n(all_studies); i++) wanted += is_run_here(repro_list_at(all_studies, i));
    assert_int_equal(wanted, n); /* none names a registry that is not in the list above */
}

static void the_list_has_every_study_and_an_unknown_one_names_the_nearest(void **state)
{
    (void)state;
    const struct said *s = poise(root, "repro --list");
    assert_int_equal(0, s->status);
    for (size_t i = 0; i < repro_list_n(all_studies); i++)
        assert_non_null(strstr(s->out, repro_list_at(all_studies, i)->id));
    s = poise(root, "repro thesis-3.13");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "did you mean 'thesis-3.1"));
    s = poise(root, "repro thesis-3.1 --mode slow");
    assert_int_equal(2, s->status);
    assert_non_null(strstr(s->err, "choose quick or full"));
}

static void all_studies_make_one_page_that_says_what_could_not_run(void **state)
{
    (void)state;
    char arguments[256], path[128];
    static char page[1 << 16];
    use_registry("list"); /* 5.5 needs training benchmarks, and this registry has none */
    snprintf(arguments, sizeof arguments,
             "repro --all 'thesis-3.[16]' thesis-5.5 --threads 2 --json --store %s/store.sqlite --out %s/studies", root,
             root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(1, s->status);
    assert_non_null(strstr(s->err, "1 of 3 studies could not run"));
    assert_non_null(strstr(s->out, "\"studies\":3") ? s->out : strstr(s->out, "\"studies\": 3"));
    snprintf(path, sizeof path, "%s/studies/studies.md", root);
    slurp(path, page, sizeof page);
    assert_non_null(strstr(page, "Could not run:\n\n- thesis-5.5: "));
    assert_non_null(strstr(page, "all of them: `poise repro --all --mode quick`."));
    assert_non_null(strstr(page, "## thesis-3.1: "));
    assert_non_null(strstr(page, "## thesis-3.6: "));
    assert_non_null(strstr(page, "| | paper | ours | others | direction | order | magnitude | |"));
    assert_non_null(strstr(page, "\n| | issue stall, % | L2-AHL, cycles | AML, cycles |\n")); /* a line a benchmark */
    assert_non_null(strstr(page, "\n| mvt |"));
    if (strstr(s->out, "\"html\"")) { /* a build with Vega */
        snprintf(path, sizeof path, "%s/studies/studies.html", root);
        assert_int_equal(0, access(path, R_OK));
    }
    snprintf(path, sizeof path, "%s/studies/thesis-3.6.json", root);
    json_t *json = json_load_file(path, 0, NULL);
    assert_string_equal("thesis-3.6", json_string_value(json_object_get(json, "id")));
    json_decref(json);
    snprintf(arguments, sizeof arguments,
             "repro --all 'thesis-3.[16]' --threads 2 --json --store %s/store.sqlite --out %s/studies", root, root);
    s = poise(root, arguments);
    assert_int_equal(0, s->status);
    json = json_loads(s->out, 0, NULL);
    assert_int_equal(0, json_integer_value(json_object_get(json_object_get(json, "run_info"), "runs_simulated")));
    json_decref(json);
    s = poise(root, "repro --all no-such-study");
    assert_int_equal(2, s->status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_one_spec_simulate_each_launch_once),
        cmocka_unit_test(shards_of_a_study_make_up_the_whole),
        cmocka_unit_test(infinite_memory_is_at_least_as_fast_as_infinite_DRAM),
        cmocka_unit_test(every_study_has_rows_of_ours_beside_the_papers_and_statements_checked_or_told_unmeasured),
        cmocka_unit_test(the_list_has_every_study_and_an_unknown_one_names_the_nearest),
        cmocka_unit_test(all_studies_make_one_page_that_says_what_could_not_run),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
