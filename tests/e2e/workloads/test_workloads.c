/* Every workload program, run as a user runs it: its results must agree with its CPU reference, and must be looked at. */
#include "rig.h"

#include <sys/wait.h>
#include <unistd.h>

struct program { const char *suite, *name; int n_inputs; };
static const struct program programs[] = {
    {"polybench", "atax", 1}, {"rodinia", "bfs", 1}, {"polybench", "bicg", 1}, {"graph", "ccl", 6}, {"graph", "gco", 6},
    {"polybench", "gsmv", 1}, {"mars", "ii", 1},     {"rodinia", "kmeans", 1}, {"mars", "mm", 1},   {"polybench", "mvt", 1},
    {"mars", "pvr", 12},       {"mars", "ss", 1},     {"polybench", "syr2k", 1}, {"polybench", "syrk", 1},
};
#define N_PROGRAMS (sizeof programs / sizeof programs[0])
#define REGISTERS_AT_FULL_OCCUPANCY 20 /* 32768 registers, 1536 threads, allocated in fours [THESIS Tab. 3.1] */

/* Runs a workload with up to three more arguments, silenced; returns its exit status, -1 for a signal. */
static int run(const struct program *p, int input, const char *a, const char *b)
{
    char path[4096], number[16];
    snprintf(path, sizeof path, "%s/datasets/kernels/%s", POISE_BINARY_DIR, p->name);
    snprintf(number, sizeof number, "%d", input);
    const char *argv[8] = {path, "--size", "test"};
    int n = 3;
    if (p->n_inputs > 1) {
        argv[n++] = "--input";
        argv[n++] = number;
    }
    if (a) argv[n++] = a;
    if (b) argv[n++] = b;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsetenv("POISE_TRACE_DIR");
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(126);
        execv(path, (char *const *)argv);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_exit(const struct program *p, int input, const char *a, const char *b, int want)
{
    int got = run(p, input, a, b);
    if (got != want) fail_msg("%s input %d %s %s: exit status %d, not %d", p->name, input, a ? a : "", b ? b : "", got, want);
}

static void every_program_and_input_agrees_with_its_cpu_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROGRAMS; i++)
        for (int input = 0; input < programs[i].n_inputs; input++) expect_exit(&programs[i], input, NULL, NULL, 0);
}

static void one_flipped_output_bit_fails_the_comparison_of_every_program(void **state)
{
    (void)state;
    static const char *const bits[] = {"0", "31", "1234", "8191"};
    for (size_t i = 0; i < N_PROGRAMS; i++)
        for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) expect_exit(&programs[i], 0, "--flip-output-bit", bits[k], 1);
}

static void a_bit_beyond_the_results_is_bad_usage_not_success(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROGRAMS; i++) expect_exit(&programs[i], 0, "--flip-output-bit", "1000000000000", 2);
}

static void help_succeeds_and_unknown_arguments_are_bad_usage(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        expect_exit(&programs[i], 0, "--help", NULL, 0);
        expect_exit(&programs[i], 0, "--frobnicate", NULL, 2);
        expect_exit(&programs[i], 0, "--flip-output-bit", "-1", 2);
        expect_exit(&programs[i], 0, "--size", NULL, 2);
    }
    expect_exit(&programs[4], 6, NULL, NULL, 2); /* gco has inputs 0 to 5 */
}

/* The committed PTX tells its compiler, its flags and the registers of each of its kernels; none limits occupancy. */
static void every_kernel_has_a_register_line_of_at_most_20_registers(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        char path[4096], line[512], kernel[128];
        snprintf(path, sizeof path, "%s/datasets/kernels/%s/%s/kernel.ptx", POISE_SOURCE_DIR, programs[i].suite, programs[i].name);
        FILE *file = fopen(path, "r");
        if (!file) fail_msg("%s cannot be opened", path);
        int n_entries = 0, n_lines = 0, n_heads = 0, registers = 0;
        while (fgets(line, sizeof line, file)) {
            n_heads += strncmp(line, "// compiler: ", 13) == 0 || strncmp(line, "// flags: ", 10) == 0;
            n_entries += strstr(line, ".entry ") != NULL;
            if (sscanf(line, "// ptxas: %127s %d registers", kernel, &registers) != 2) continue;
            n_lines++;
            if (registers > REGISTERS_AT_FULL_OCCUPANCY) fail_msg("%s: %s uses %d registers", path, kernel, registers);
        }
        fclose(file);
        assert_int_equal(n_heads, 2);
        assert_true(n_entries > 0);
        if (n_entries != n_lines) fail_msg("%s: %d kernels, %d register lines", path, n_entries, n_lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_and_input_agrees_with_its_cpu_reference),
        cmocka_unit_test(one_flipped_output_bit_fails_the_comparison_of_every_program),
        cmocka_unit_test(a_bit_beyond_the_results_is_bad_usage_not_success),
        cmocka_unit_test(help_succeeds_and_unknown_arguments_are_bad_usage),
        cmocka_unit_test(every_kernel_has_a_register_line_of_at_most_20_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
