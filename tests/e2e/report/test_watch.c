/* poise watch on a sweep that is over, on one that is going on, and where there is none. */
#include "results.h"

#include <sys/wait.h>
#include <time.h>
#include "poise/file.h"

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    return 0;
}

static json_t *watched(const char *dir)
{
    char line[200];
    snprintf(line, sizeof line, "watch %s/%s --once --json", root, dir);
    const struct said *s = poise(root, line);
    return s->status == 0 ? json_loads(s->out, 0, NULL) : NULL;
}

static double number(const json_t *json, const char *key) { return json_number_value(json_object_get(json, key)); }

static void a_finished_sweep_has_all_its_runs_nothing_left_and_the_best_of_each_launch(void **state)
{
    (void)state;
    char line[300];
    snprintf(line, sizeof line, "sweep " POISE_SOURCE_DIR "/experiments/specs/ci-sweep.yaml --out %s/done", root);
    must(line);
    json_t *now = watched("done");
    assert_non_null(now);
    assert_int_equal(28, (int)number(now, "runs"));
    assert_int_equal(28, (int)number(now, "planned"));
    assert_int_equal(0, (int)number(now, "left"));
    assert_int_equal(0, (int)number(now, "eta_s"));
    assert_true(number(now, "insts_per_thread_s") > 1000);
    assert_int_equal(4, json_array_size(json_object_get(now, "best"))); /* two launches, two configurations */
    const json_t *best;
    size_t i;
    json_array_foreach(json_object_get(now, "best"), i, best) assert_true(number(best, "speedup") >= 1);
    snprintf(line, sizeof line, "watch %s/done", root); /* it ends by itself */
    const struct said *s = poise(root, line);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "28 of 28 runs"));
    assert_null(strchr(s->out, '\033'));
    assert_non_null(strstr(s->out, "machine    best so far")); /* each launch stands there twice */
    assert_non_null(strstr(s->out, "  l1.ways="));
    json_decref(now);
}

static void a_running_sweep_is_seen_to_grow_and_its_runs_left_to_shrink(void **state)
{
    (void)state;
    /* as a sweep that is half done leaves it: of 56 runs planned 14 seconds ago 28 are there */
    char line[400];
    snprintf(line, sizeof line, "cp -r %s/done %s/half", root, root);
    assert_int_equal(0, system(line));
    snprintf(line, sizeof line, "%s/half/store.sqlite", root);
    struct error err;
    struct store *store;
    assert_ok(store_open(&store, line, &err), &err);
    char text[120];
    snprintf(text, sizeof text, "{\"runs\": 56, \"stored\": 0, \"began\": %lld}", (long long)time(NULL) - 14);
    assert_ok(store_put_provenance(store, "plan:ci-sweep", text, &err), &err);
    assert_ok(store_close(store, &err), &err);
    json_t *now = watched("half");
    assert_int_equal(28, (int)number(now, "left"));
    assert_true(number(now, "runs_per_s") > 1 && number(now, "runs_per_s") <= 2);
    assert_true(number(now, "eta_s") >= 14 && number(now, "eta_s") < 28);
    assert_string_equal("ci-sweep", json_string_value(json_object_get(json_object_get(now, "plan"), "name")));
    json_decref(now);
}

/* Runs that had lost have rows of their own: a sweep of whole runs after them does not take them for its own, nor
 * plan them twice. */
static void runs_that_stopped_once_they_had_lost_count_once(void **state)
{
    (void)state;
    static const char text[] =
        "schema: 1\nkind: sweep\nname: grid\nsize: test\nkernels: [{name: mvt, launches: [0]}]\nconfig: kepler32\n"
        "stacks:\n  - gto\n  - mech: tuple\n    axes: {N: {from: 1, to: 8}, p: {from: 1, to: 8}}\n    where: p <= N\n";
    static const char *const sweeps[] = {"--only-best", "--only-best", "", "--only-best"};
    char line[300];
    struct error err;
    snprintf(line, sizeof line, "%s/grid.yaml", root);
    assert_ok(file_write(line, text, sizeof text - 1, &err), &err);
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        snprintf(line, sizeof line, "sweep %s/grid.yaml %s --out %s/best", root, sweeps[i], root);
        must(line);
        json_t *now = watched("best");
        assert_true(number(now, "bounded") > 10);
        assert_int_equal(0, (int)number(now, "limited"));
        assert_int_equal(37, (int)number(now, "runs"));
        assert_int_equal(37, (int)number(now, "planned"));
        assert_int_equal(0, (int)number(now, "left"));
        json_decref(now);
    }
    snprintf(line, sizeof line, "watch %s/best", root);
    const struct said *s = poise(root, line);
    assert_non_null(strstr(s->out, "37 of 37 runs"));
    assert_non_null(strstr(s->out, "once they had lost"));
    assert_null(strstr(s->out, "config    best so far"));
}

static void a_folder_without_a_store_is_refused_and_nothing_is_made_there(void **state)
{
    (void)state;
    char line[200];
    assert_null(watched("nothing"));
    snprintf(line, sizeof line, "test ! -e %s/nothing", root);
    assert_int_equal(0, system(line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_sweep_has_all_its_runs_nothing_left_and_the_best_of_each_launch),
        cmocka_unit_test(a_running_sweep_is_seen_to_grow_and_its_runs_left_to_shrink),
        cmocka_unit_test(runs_that_stopped_once_they_had_lost_count_once),
        cmocka_unit_test(a_folder_without_a_store_is_refused_and_nothing_is_made_there),
    };
    return cmocka_run_group_tests(tests, begin, results_end);
}
