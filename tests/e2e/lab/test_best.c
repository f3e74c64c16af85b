/* poise sweep --only-best: the best stacks of the whole grid, at a part of its cost. */
#include "lab.h"

#include <jansson.h>
#include <math.h>

static const struct said *sweep(const char *options, const char *dir)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "sweep %s %s --out %s/%s --json", spec, options, root, dir);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    return s;
}

static unsigned long figure(const char *json, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(json, key);
    if (!at) fail_msg("no %s in %s", name, json);
    return strtoul(at + strlen(key), NULL, 10);
}

static void the_best_stack_and_its_cycles_are_those_of_the_whole_grid(void **state)
{
    (void)state;
    assert_int_equal(0, figure(sweep("", "whole")->out, "bounded"));
    const unsigned long bounded = figure(sweep("--only-best --threads 1", "best")->out, "bounded");
    assert_true(bounded > 72 && bounded < 216); /* more than a third of the runs have lost before they end */
    char *whole = file_of("whole", "best.csv"), *best = file_of("best", "best.csv");
    assert_string_equal(whole, best);
    size_t lines = 0;
    for (const char *at = whole; (at = strchr(at, '\n')); at++) lines++;
    assert_int_equal(1 + 2 * 3, lines); /* two launches under three configurations */
    free(whole);
    free(best);
}

/* A row of the store is the row of the whole grid, or says what it is worth. */
static void a_run_that_completes_has_the_row_of_the_whole_grid_and_one_that_lost_a_key_of_its_own(void **state)
{
    (void)state;
    char *whole = export_of("whole"), *best = export_of("best"), *rest = best;
    size_t same = 0, bounded = 0;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        char key[33];
        snprintf(key, sizeof key, "%.32s", line);
        const bool is_bounded = strstr(line, "bound_cycles") != NULL;
        if (strncmp(key, "key,", 4) == 0) continue;
        assert_int_equal(is_bounded, strstr(whole, key) == NULL);
        if (!is_bounded) assert_non_null(strstr(whole, line));
        same += !is_bounded;
        bounded += is_bounded;
    }
    assert_int_equal(216, same + bounded);
    assert_true(same >= 6 && bounded > 72);
    free(whole);
    free(best);
}

/* Cycles of different clocks are no measure of speed. */
static void a_machine_of_half_the_clock_is_judged_by_time(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/clocks.yaml", root);
    FILE *out = fopen(path, "w");
    fputs("schema: 1\nkind: sweep\nname: clocks\nsize: test\nkernels: [{name: mvt, launches: [0]}]\nconfig: kepler32\n"
          "axes: {clock.core_mhz: [1400, 700]}\nstacks: [gto]\n",
          out);
    assert_int_equal(0, fclose(out));
    const struct said *s = poisef(root, "sweep %s --out %s/clocks --json", path, root);
    if (s->status) fail_msg("%s", s->err);
    json_t *json = json_loads(s->out, 0, NULL), *rows = json_object_get(json_object_get(json, "machines"), "rows");
    double cycles[2], us[2], speed[2];
    for (size_t i = 0; i < 2; i++) {
        const json_t *row = json_array_get(rows, i);
        cycles[i] = json_number_value(json_object_get(row, "core_cycles"));
        us[i] = json_number_value(json_object_get(row, "time_us"));
        speed[i] = json_number_value(json_object_get(row, "speed"));
    }
    assert_true(fabs(us[0] - cycles[0] / 1400) < 1e-6 && fabs(us[1] - cycles[1] / 700) < 1e-6);
    assert_true(speed[0] == 1 && fabs(speed[1] - us[0] / us[1]) < 1e-9);
    json_decref(json);
}

/* A sweep that is killed between its first runs and its last, however fast the machine is. */
static void kill_a_sweep(const char *dir)
{
    for (int attempt = 0; attempt < 20; attempt++) {
        char command[160];
        int status;
        snprintf(command, sizeof command, "rm -rf %s/%s", root, dir);
        assert_int_equal(0, system(command));
        const pid_t pid = start_sweep(dir, "2", "--only-best");
        wait_for_runs(dir, 1);
        kill(pid, SIGKILL);
        assert_int_equal(pid, waitpid(pid, &status, 0));
        const uint64_t n = stored(dir);
        if (WIFSIGNALED(status) && n > 0 && n < LAB_RUNS) return;
    }
    fail_msg("%s: no kill fell between the first run and the last", dir);
}

static void the_same_rows_come_out_of_two_threads_of_a_killed_sweep_and_of_a_second_one(void **state)
{
    (void)state;
    char *one = export_of("best");
    sweep("--only-best --threads 2", "two");
    char *two = export_of("two");
    assert_string_equal(one, two);
    kill_a_sweep("killed");
    sweep("--only-best", "killed");
    char *killed = export_of("killed");
    assert_string_equal(one, killed);
    const struct said *again = sweep("--only-best", "killed");
    assert_int_equal(0, figure(again->out, "runs_simulated"));
    assert_int_equal(216, figure(again->out, "runs_reused"));
    free(one);
    free(two);
    free(killed);
}

/* A store of bounded runs does not stand in for the whole grid. */
static void a_whole_sweep_after_it_simulates_what_had_lost(void **state)
{
    (void)state;
    const unsigned long bounded = figure(sweep("--only-best", "best")->out, "bounded");
    const struct said *s = sweep("", "best");
    assert_int_equal(bounded, figure(s->out, "runs_simulated"));
    assert_int_equal(0, figure(s->out, "bounded"));
    char *whole = file_of("whole", "sweep.csv"), *now = file_of("best", "sweep.csv");
    assert_string_equal(whole, now);
    free(whole);
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_of_half_the_clock_is_judged_by_time),
        cmocka_unit_test(the_best_stack_and_its_cycles_are_those_of_the_whole_grid),
        cmocka_unit_test(a_run_that_completes_has_the_row_of_the_whole_grid_and_one_that_lost_a_key_of_its_own),
        cmocka_unit_test(the_same_rows_come_out_of_two_threads_of_a_killed_sweep_and_of_a_second_one),
        cmocka_unit_test(a_whole_sweep_after_it_simulates_what_had_lost),
    };
    return cmocka_run_group_tests(tests, lab_begin, lab_end);
}
