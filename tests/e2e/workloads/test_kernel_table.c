/* poise kernels --table: measured once, then taken from the store; figures that hold of any machine. */
#include "../cli/spawn.h"

#include <jansson.h>

static json_t *table_of(const char *dir, const char *names)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "kernels --table %s --size test --store %s/t.sqlite --json", names, dir);
    const struct said *s = poise(dir, arguments);
    if (s->status != 0) fail_msg("poise %s: status %d, %s", arguments, s->status, s->err);
    json_t *root = json_loads(s->out, 0, NULL);
    assert_non_null(root);
    return root;
}

static double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    if (!json_is_number(value)) fail_msg("no number '%s'", key);
    return json_number_value(value);
}

static void the_table_measures_five_runs_a_launch_and_reuses_them(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    json_t *first = table_of(dir, "2dconv gaussian"), *again = table_of(dir, "2dconv gaussian");
    assert_true(number(json_object_get(first, "run_info"), "runs_simulated") == 10);
    assert_true(number(json_object_get(again, "run_info"), "runs_simulated") == 0);
    assert_true(json_equal(json_object_get(first, "kernels"), json_object_get(again, "kernels")));
    const json_t *list = json_object_get(first, "kernels"), *conv = json_array_get(list, 0),
                 *gaussian = json_array_get(list, 1);
    assert_int_equal(2, json_array_size(list));
    assert_string_equal("2dconv", json_string_value(json_object_get(conv, "name")));
    /* 94 of the 96 columns and rows have a result: a warp's tap is one line, or two where it straddles, never three. */
    assert_true(number(conv, "divergence_degree") >= 1 && number(conv, "divergence_degree") <= 2);
    assert_string_equal("coherent", json_string_value(json_object_get(conv, "coalescing")));
    assert_true(number(conv, "launches") == 1 && number(conv, "profiled_launches") == 1);
    assert_true(number(conv, "l1d_hit_rate_max") > 0.3 && number(conv, "perfx") > 1 && number(conv, "p_best") > 0.9);
    const double parts = number(conv, "intra_warp") + number(conv, "inter_warp");
    assert_true(parts > number(conv, "l1d_hit_rate_max") - 1e-9 && parts < number(conv, "l1d_hit_rate_max") + 1e-9);
    /* Lanes of a 4 x 4 block go down four rows. */
    assert_string_equal("un-coalesced", json_string_value(json_object_get(gaussian, "coalescing")));
    assert_string_equal("un-coalesced [BUCL Tab. I]; CLP [TSC Tab. 1]",
                        json_string_value(json_object_get(gaussian, "class")));
    assert_true(number(gaussian, "launches") == 38);
    json_decref(first);
    json_decref(again);
}

static void what_belongs_to_the_table_is_refused_without_it(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"kernels --store x", "belong to poise kernels --table"},
        {"kernels 2dcnov", "did you mean '2dconv'?"},
        {"kernels --table 2dcnov", "did you mean '2dconv'?"},
        {"kernels --table --size tiny", "choose test, small, eval or full"},
        {"kernels --table --size test nothing*", "no workload has such a name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct said *s = poise(dir, cases[i].arguments);
        if (s->status != 2 || !strstr(s->err, cases[i].message))
            fail_msg("poise %s: %d %s", cases[i].arguments, s->status, s->err);
    }
}

/* Every program of the registry is described: who adds one is reminded here. */
static void every_workload_says_what_it_computes(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    json_t *root = json_loads(poise(dir, "kernels --json")->out, 0, NULL), *workload;
    const json_t *list = json_object_get(root, "kernels");
    size_t i;
    char *arguments = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&arguments, &size);
    fputs("kernels", out);
    json_array_foreach(list, i, workload) fprintf(out, " %s", json_string_value(json_object_get(workload, "name")));
    fclose(out);
    assert_true(json_array_size(list) > 100);
    const struct said *s = poise(dir, arguments);
    if (s->status != 0) fail_msg("poise kernels NAME...: %d %s", s->status, s->err);
    size_t described = 0;
    for (const char *at = s->out; (at = strstr(at, "\n  Algorithm ")); at++) described++;
    assert_int_equal(json_array_size(list), described);
    assert_non_null(strstr(s->out, "  Differs         the graph is undirected and drawn from a seed.\n"));
    json_t *one = json_loads(poise(dir, "kernels pagerank --json")->out, 0, NULL), *about;
    about = json_array_get(json_object_get(one, "kernels"), 0);
    assert_string_equal("the graph is undirected and drawn from a seed.",
                        json_string_value(json_object_get(about, "differs")));
    json_decref(one);
    free(arguments);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_measures_five_runs_a_launch_and_reuses_them),
        cmocka_unit_test(what_belongs_to_the_table_is_refused_without_it),
        cmocka_unit_test(every_workload_says_what_it_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
