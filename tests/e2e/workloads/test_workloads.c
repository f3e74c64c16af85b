/* Every workload program of the registry, run as a user runs it: its results must agree with its CPU reference, and
 * must be looked at. With a name: that workload's tests. Without: what holds for all of them together. */
#include "rig.h"
#include "where.h"

#include <glob.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/workload.h"

#define KERNELS POISE_SOURCE_DIR "/datasets/kernels"
#define REGISTERS_AT_FULL_OCCUPANCY 20 /* 32768 registers, 1536 threads, allocated in fours [THESIS Tab. 3.1] */

static struct registry registry;
static const struct workload *program; /* the one under test */

/* Runs a workload with up to three more arguments, silenced; returns its exit status, -1 for a signal. */
static int run(int32_t input, const char *a, const char *b)
{
    char path[4096], number[16];
    snprintf(path, sizeof path, "%s/datasets/kernels/%s", POISE_BINARY_DIR, program->program);
    snprintf(number, sizeof number, "%" PRId32, input);
    const char *argv[8] = {path, "--size", "test"};
    int n = 3;
    if (input >= 0) {
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

static void expect_exit(int32_t input, const char *a, const char *b, int want)
{
    int got = run(input, a, b);
    if (got != want)
        fail_msg("%s input %" PRId32 " %s %s: exit status %d, not %d", program->name, input, a ? a : "", b ? b : "",
                 got, want);
}

static void every_input_agrees_with_its_cpu_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < program->n_inputs; i++) expect_exit(program->inputs[i], NULL, NULL, 0);
}

static void a_flipped_output_bit_fails_the_comparison(void **state)
{
    (void)state;
    static const char *const bits[] = {"0", "31", "1234"};
    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++)
        expect_exit(program->inputs[0], "--flip-output-bit", bits[k], 1);
}

static void a_bit_beyond_the_results_is_bad_usage_not_success(void **state)
{
    (void)state;
    expect_exit(program->inputs[0], "--flip-output-bit", "1000000000000", 2);
}

/* An entry without inputs may be of a program of which another entry names some. */
static bool program_has_inputs(void)
{
    for (size_t i = 0; i < registry.n; i++)
        if (strcmp(registry.workloads[i].program, program->program) == 0 && registry.workloads[i].inputs[0] >= 0)
            return true;
    return false;
}

static void help_succeeds_and_unknown_arguments_are_bad_usage(void **state)
{
    (void)state;
    expect_exit(-1, "--help", NULL, 0);
    expect_exit(-1, "--frobnicate", NULL, 2);
    expect_exit(-1, "--flip-output-bit", "-1", 2);
    expect_exit(-1, "--size", NULL, 2);
    if (program_has_inputs()) expect_exit(1000, NULL, NULL, 2); /* listed and drawn inputs are fewer */
    else expect_exit(0, NULL, NULL, 2);                         /* there is no such option */
}

static bool is_registered(const char *folder)
{
    for (size_t i = 0; i < registry.n; i++) {
        char path[4096];
        snprintf(path, sizeof path, KERNELS "/%s/%s/", registry.workloads[i].suite, registry.workloads[i].program);
        if (strcmp(path, folder) == 0) return true;
    }
    return false;
}

static void every_folder_with_a_host_program_is_registered(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(0, glob(KERNELS "/*/*/host.c", 0, NULL, &found));
    assert_true(found.gl_pathc > 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *file = strrchr(found.gl_pathv[i], '/');
        file[1] = '\0';
        if (!is_registered(found.gl_pathv[i])) fail_msg("%s is not in list.yaml", found.gl_pathv[i]);
    }
    globfree(&found);
}

/* The committed PTX tells its compiler, its flags and the registers of each of its kernels; none of the training and
 * evaluation sets limits occupancy but syr2k, which its suite has like this: 20 of 24 warps a scheduler. */
static void every_kernel_has_a_register_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < registry.n; i++) {
        const struct workload *w = &registry.workloads[i];
        char path[4096], line[1024], kernel[128];
        snprintf(path, sizeof path, KERNELS "/%s/%s/kernel.ptx", w->suite, w->program);
        FILE *file = fopen(path, "r");
        if (!file) fail_msg("%s cannot be opened", path);
        int n_entries = 0, n_lines = 0, n_heads = 0, registers = 0;
        while (fgets(line, sizeof line, file)) {
            n_heads += strncmp(line, "// compiler: ", 13) == 0 || strncmp(line, "// flags: ", 10) == 0;
            n_entries += strstr(line, ".entry ") != NULL;
            if (sscanf(line, "// ptxas: %127s %d registers", kernel, &registers) != 2) continue;
            n_lines++;
            if (registers > (strcmp(w->name, "syr2k") == 0 ? 24 : REGISTERS_AT_FULL_OCCUPANCY) &&
                w->set != WORKLOAD_FURTHER && w->set != WORKLOAD_VARIANT)
                fail_msg("%s: %s uses %d registers", path, kernel, registers);
        }
        fclose(file);
        assert_int_equal(n_heads, 2);
        assert_true(n_entries > 0);
        if (n_entries != n_lines) fail_msg("%s: %d kernels, %d register lines", path, n_entries, n_lines);
    }
}

enum { MOST_SPELLINGS = 1024 };
struct spellings {
    char text[MOST_SPELLINGS][64]; /* of instructions, with types and modifiers */
    size_t n;
};

static bool has(const struct spellings *s, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->text[i], text) == 0) return true;
    return false;
}

/* Adds the instructions of a workload's PTX: a line that is indented and has no directive, after its predicate. */
static void add_spellings(struct spellings *s, const struct workload *w)
{
    char path[4096], line[4096], text[64];
    snprintf(path, sizeof path, KERNELS "/%s/%s/kernel.ptx", w->suite, w->program);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be opened", path);
    while (fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t");
        if (at == line) continue;
        if (*at == '@') at += strcspn(at, " \t"), at += strspn(at, " \t");
        if (sscanf(at, "%63[a-z0-9_.:]", text) != 1 || *text == '.' || has(s, text)) continue;
        assert_true(s->n < MOST_SPELLINGS);
        strcpy(s->text[s->n++], text);
    }
    fclose(file);
}

/* A build with sanitizers leaves the other workloads out, so none may have an instruction of its own. */
static void workloads_that_sanitizers_run_have_every_instruction(void **state)
{
    (void)state;
    static struct spellings sanitized, every;
    char names[] = SANITIZED_WORKLOADS, *rest = names;
    for (const char *name; (name = strtok_r(rest, " ", &rest));) {
        const struct workload *w;
        struct error err;
        if (registry_find(&registry, name, &w, &err) < 0) fail_msg("%s", err.text);
        add_spellings(&sanitized, w);
    }
    for (size_t i = 0; i < registry.n; i++) add_spellings(&every, &registry.workloads[i]);
    for (size_t i = 0; i < every.n; i++)
        if (!has(&sanitized, every.text[i])) fail_msg("%s: in no workload that sanitizers run", every.text[i]);
    assert_true(every.n > 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_folder_with_a_host_program_is_registered),
        cmocka_unit_test(every_kernel_has_a_register_line),
        cmocka_unit_test(workloads_that_sanitizers_run_have_every_instruction),
    };
    const struct CMUnitTest one[] = {
        cmocka_unit_test(every_input_agrees_with_its_cpu_reference),
        cmocka_unit_test(a_flipped_output_bit_fails_the_comparison),
        cmocka_unit_test(a_bit_beyond_the_results_is_bad_usage_not_success),
        cmocka_unit_test(help_succeeds_and_unknown_arguments_are_bad_usage),
    };
    struct error err;
    if (registry_load(&registry, KERNELS "/list.yaml", &err) < 0 ||
        (argc > 1 && registry_find(&registry, argv[1], &program, &err) < 0)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int failed = program ? cmocka_run_group_tests(one, NULL, NULL) : cmocka_run_group_tests(all, NULL, NULL);
    registry_fini(&registry);
    return failed;
}
