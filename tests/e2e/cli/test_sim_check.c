/* poise sim --check: programs whose threads meet in atomics, executed in the order of simulated machines. */
#include "spawn.h"

#include <jansson.h>
#include <sys/stat.h>

static const char *root;
static const char *const machines[] = {"gto",
                                       "atomnaive",
                                       "atomdir",
                                       "atomdir,speculate=1,epoch_cycles=256",
                                       "atomdir,topology=rings,speculate=1",
                                       "atomdir,topology=rings,writes=back",
                                       "atomdir,writes=through"};
enum { MACHINES = sizeof machines / sizeof *machines };

static int setup(void **state)
{
    (void)state;
    root = fresh_dir();
    return setenv("POISE_TRACES", root, 1);
}

static int teardown(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static long count(const json_t *check, const char *name)
{
    return (long)json_integer_value(json_object_get(check, name));
}

static json_t *check_of(const char *kernel, const char *machine)
{
    const struct said *s =
        poisef(root, "sim --kernel %s --size test --config fermi15 --mech %s --check --json", kernel, machine);
    json_t *root_object = json_loads(s->out, 0, NULL), *check = json_object_get(root_object, "check");
    if (s->status != 0 || !json_is_true(json_object_get(check, "result_holds")))
        fail_msg("%s under %s: status %d: %s", kernel, machine, s->status, s->err);
    assert_true(count(check, "atomics") > 0);
    assert_int_equal(count(check, "atomics"), count(check, "in_order") + count(check, "left_out"));
    json_incref(check);
    json_decref(root_object);
    return check;
}

/* Who performs which atomics does not depend on what they return: all are performed in their turn. */
static void sums_and_counts_hold_in_the_order_of_every_machine(void **state)
{
    (void)state;
    static const char *const kernels[] = {"histogram", "reduction", "synth_atomics"};
    for (size_t k = 0; k < 3; k++)
        for (size_t m = 0; m < MACHINES; m++) {
            json_t *check = check_of(kernels[k], machines[m]);
            assert_int_equal(count(check, "atomics"), count(check, "in_order"));
            assert_int_equal(0, count(check, "beyond"));
            json_decref(check);
        }
}

/* Here it does; the lists, levels and buffers must be right all the same. */
static void locks_lists_and_barriers_hold_in_the_order_of_every_machine(void **state)
{
    (void)state;
    static const char *const kernels[] = {"lock", "worklist", "gridsync"};
    for (size_t k = 0; k < 3; k++)
        for (size_t m = 0; m < MACHINES; m++) json_decref(check_of(kernels[k], machines[m]));
}

static void what_is_noted_changes_no_figure(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m += 2) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "sim --kernel lock --size test --config fermi15 --mech %s --json",
                 machines[m]);
        json_t *plain = json_loads(poise(root, arguments)->out, 0, NULL);
        strcat(arguments, " --check");
        json_t *checked = json_loads(poise(root, arguments)->out, 0, NULL);
        assert_non_null(json_object_get(checked, "check"));
        json_object_del(checked, "check");
        assert_true(json_equal(plain, checked));
        json_decref(plain);
        json_decref(checked);
    }
}

/* A program that finds its result wrong when it follows an order. */
static void a_result_that_does_not_hold_is_said_and_ends_with_1(void **state)
{
    (void)state;
    char folder[200], path[300];
    snprintf(folder, sizeof folder, "%s/programs", root);
    snprintf(path, sizeof path, "%s/reduction", folder);
    assert_int_equal(0, mkdir(folder, 0777));
    FILE *out = fopen(path, "w");
    fprintf(out,
            "#!/bin/sh\nif [ -n \"$POISE_ATOMIC_ORDER\" ]; then echo 'sum 3 is wrong'; exit 1; fi\n"
            "exec %s/datasets/kernels/reduction \"$@\"\n",
            POISE_BINARY_DIR);
    fclose(out);
    assert_int_equal(0, chmod(path, 0755));
    setenv("POISE_PROGRAMS", folder, 1);
    const struct said *s = poise(root, "sim --kernel reduction --size test --config fermi15 --check");
    unsetenv("POISE_PROGRAMS");
    assert_int_equal(1, s->status);
    assert_non_null(strstr(s->out, "does not hold"));
    assert_non_null(strstr(s->out, "sum 3 is wrong"));
}

static void what_cannot_be_checked_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {{"--trace x.ptrace", "--check goes with --kernel"},
                 {"--kernel reduction --size test --max-cycles 50", "did not come to its end"},
                 {"--kernel reduction --size test --config volta80", "lsu.sector_requests=0"},
                 {"--kernel reduction --size test --warmup 10", "a warm-up cannot be watched or recorded"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct said *s = poisef(root, "sim %s --check", cases[i].arguments);
        if (s->status != 2 || !strstr(s->err, cases[i].message))
            fail_msg("%s: status %d: %s", cases[i].arguments, s->status, s->err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_counts_hold_in_the_order_of_every_machine),
        cmocka_unit_test(locks_lists_and_barriers_hold_in_the_order_of_every_machine),
        cmocka_unit_test(what_is_noted_changes_no_figure),
        cmocka_unit_test(a_result_that_does_not_hold_is_said_and_ends_with_1),
        cmocka_unit_test(what_cannot_be_checked_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
