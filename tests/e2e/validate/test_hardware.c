/* poise validate --hardware and --microbench as used. */
#include "spawn.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static json_t *json_of(const char *text)
{
    json_error_t why;
    json_t *json = json_loads(text, 0, &why);
    if (!json) fail_msg("%s: %.200s", why.text, text);
    return json;
}

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }
static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

#define HEAD "kind: hardware\nschema: 1\ngpu: a test\nmachine: fermi15\nrows:\n"

static void write_hardware(const char *dir, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_hardware(const char *dir, const char *format, ...)
{
    char path[256];
    va_list args;
    snprintf(path, sizeof path, "%s/hardware.yaml", dir);
    FILE *out = fopen(path, "w");
    fputs(HEAD, out);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    assert_int_equal(fclose(out), 0);
}

/* Two rows that are here, and two whose programs are not. */
static void write_rows(const char *dir, double first, double second, double bursts)
{
    static const char rows[] =
        "  - {name: first, program: atax, size: test, kernel: 'atax_r*', launches: [0], fitted: true, measured: "
        "{cycles: %.3f, l1d_hits_and_merges: 7, dram_read_sectors: %.0f, power_w: 100}}\n"
        "  - {name: second, program: atax, size: test, kernel: atax_columns, measured: {cycles: %.3f}}\n"
        "  - {name: lost, program: nosuite/lost, measured: {cycles: 10}}\n"
        "  - {name: gone, program: ./gone, arguments: [1], measured: {cycles: 10, l1d_misses: 3}}\n";
    write_hardware(dir, rows, first, bursts, second);
}

static const json_t *kernel_of(const json_t *root, const char *name)
{
    const json_t *kernel;
    size_t i;
    json_array_foreach(json_object_get(root, "kernels"), i, kernel)
        if (strcmp(text(kernel, "name"), name) == 0) return kernel;
    fail_msg("no kernel %s", name);
    return NULL;
}

static void measurements_stand_beside_ours_and_what_is_missing_is_named_and_in_no_mean(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char path[256], content[1 << 14];
    write_rows(dir, 1, 1, 1);
    const struct said *s = poisef(dir, "validate --hardware %s --json", dir);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out);
    const double a = number(kernel_of(root, "first"), "cycles"), b = number(kernel_of(root, "second"), "cycles"),
                 sectors =
                     number(json_object_get(json_object_get(kernel_of(root, "first"), "counters"), "dram_read_sectors"),
                            "ours");
    assert_true(a > 0 && b > 0 && a != b && sectors > 0);
    json_decref(root);
    write_rows(dir, 2 * a, b / 1.1, sectors);
    s = poisef(dir, "validate --hardware %s --out %s/plot --json", dir, dir);
    if (s->status) fail_msg("%s", s->err);
    root = json_of(s->out);
    const json_t *overall = json_object_get(root, "overall"), *first = kernel_of(root, "first"),
                 *reads = json_object_get(json_object_get(first, "counters"), "dram_read_sectors");
    assert_true(fabs(number(first, "error") + 0.5) < 1e-4);
    assert_true(fabs(number(overall, "mape") - 0.3) < 1e-4 && fabs(number(overall, "median") - 0.3) < 1e-4);
    assert_true(fabs(number(overall, "worst") - 0.5) < 1e-4);
    assert_true(fabs(fabs(number(overall, "log_pearson")) - 1) < 1e-9);
    assert_int_equal(number(overall, "kernels"), 2);
    assert_int_equal(number(overall, "not_found"), 2);
    assert_true(number(reads, "ours") == sectors && number(reads, "hw") == sectors && number(reads, "error") == 0);
    const json_t *power = json_object_get(json_object_get(first, "counters"), "power_w"),
                 *fitted = json_object_get(json_object_get(overall, "power"), "fitted"),
                 *others = json_object_get(json_object_get(overall, "power"), "others");
    assert_true(number(power, "low") < number(power, "ours") && number(power, "ours") < number(power, "high"));
    assert_true(fabs(number(fitted, "mape") - fabs(number(power, "ours") / 100 - 1)) < 1e-9);
    assert_int_equal(number(fitted, "within"), number(power, "low") <= 100 && number(power, "high") >= 100);
    assert_true(number(fitted, "kernels") == 1 && number(others, "kernels") == 0);
    assert_string_equal(text(kernel_of(root, "lost"), "state"), "not found");
    assert_non_null(strstr(text(kernel_of(root, "gone"), "why"), "./gone"));
    assert_true(json_is_null(json_object_get(kernel_of(root, "lost"), "cycles")));
    json_decref(root);
    snprintf(path, sizeof path, "%s/plot/hardware.csv", dir);
    slurp(path, content, sizeof content);
    assert_non_null(strstr(content, "gone,not found,l1d_misses,,3,\n"));
    snprintf(path, sizeof path, "%s/plot/hardware-cycles.svg", dir);
    slurp(path, content, sizeof content);
    assert_non_null(strstr(content, "stroke-dasharray=\"1 2\""));
    s = poisef(dir, "validate --hardware %s", dir);
    assert_int_equal(s->status, 0);
    assert_non_null(strstr(s->out, "lost                                      not found"));
    assert_non_null(strstr(s->out, "2 kernels: mean absolute error of cycles 30.0%"));
}

static void one_kernel_is_explained_by_counters_classes_and_stalls(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    write_rows(dir, 1000, 1000, 1);
    const struct said *s = poisef(dir, "validate --hardware %s --explain FIRST --json", dir);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *one = json_array_get(json_object_get(root, "explain"), 0);
    const json_t *counters = json_object_get(one, "counters"), *hits = json_object_get(counters, "l1d_hits_and_merges");
    double sum = 0;
    const char *name;
    json_t *value;
    assert_int_equal(json_array_size(json_object_get(root, "explain")), 1);
    assert_true(number(hits, "hw") == 7);
    assert_true(number(hits, "ours") == number(json_object_get(counters, "l1d_load_hits"), "ours") +
                                            number(json_object_get(counters, "l1d_mshr_merges"), "ours"));
    json_object_foreach(json_object_get(one, "classes"), name, value) sum += json_number_value(value);
    assert_true(sum > 0 && sum == number(json_object_get(counters, "warp_insts"), "ours"));
    assert_true(number(json_object_get(one, "stalls"), "data_mem") > 0);
    json_decref(root);
    s = poisef(dir, "validate --hardware %s --explain frist", dir);
    assert_int_equal(s->status, 2);
    assert_non_null(strstr(s->err, "did you mean 'first'"));
}

static void a_fault_of_hardware_yaml_is_told_with_its_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *says;
    } cases[] = {
        {"  - {program: atax, measured: {cycles: 1, l1d_hit_and_merges: 2}}\n",
         "hardware.yaml:6:63: measured: no counter 'l1d_hit_and_merges'; did you mean "
         "'l1d_hits_and_merges'?"},
        {"  - {program: atax}\n", "hardware.yaml:6:"},
        {"  - {program: atax, arguments: [3], measured: {cycles: 1}}\n", "arguments: 'atax' is a workload"},
        {"  - {program: ./b, size: test, measured: {cycles: 1}}\n", "size: './b' is an executable"},
        {"  - {program: a/b, measured: {cycles: 0}}\n", "cycles: a number above 0"},
        {"  - {program: a/b, measured: {cycles: 1}}\n  - {program: a/b, measured: {cycles: 2}}\n", "at line 6 already"},
        {"  - {program: a/b, launches: [1, 1], measured: {cycles: 1}}\n", "1 is given twice"},
    };
    const char *dir = fresh_dir();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_hardware(dir, "%s", cases[i].rows);
        const struct said *s = poisef(dir, "validate --hardware %s", dir);
        assert_int_equal(s->status, 2);
        if (!strstr(s->err, cases[i].says) || !strstr(s->err, "hardware.yaml")) fail_msg("%s", s->err);
    }
    const struct said *s = poisef(dir, "validate --hardware %s/none", dir);
    assert_int_equal(s->status, 2);
    assert_int_equal(poise(dir, "validate --explain x")->status, 2);
}

/* Every second by name, from the first on, is what our constants were fitted on. */
static void powers_are_as_published(const json_t *kernels)
{
    char line[256];
    FILE *csv = fopen(POISE_SOURCE_DIR "/tests/reference/silicon/power.csv", "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    size_t found = 0;
    for (size_t n = 0; fgets(line, sizeof line, csv); n++) {
        char *comma = strchr(line, ',');
        *comma = '\0';
        const char *name = strncmp(line, "parboil_", 8) == 0 ? line + 8 : line;
        const json_t *k;
        size_t i;
        json_array_foreach(kernels, i, k) {
            const json_t *power = json_object_get(json_object_get(k, "counters"), "power_w");
            if (strcmp(text(k, "name"), strcmp(name, "mriq_k1") == 0 ? "mri-q_k1" : name) != 0) continue;
            found++;
            assert_true(fabs(number(power, "hw") - strtod(comma + 1, NULL)) < 1e-9);
            assert_true(json_is_true(json_object_get(power, "fitted")) == (n % 2 == 0));
        }
    }
    fclose(csv);
    assert_int_equal(found, 14); /* pathfinder has no counters */
}

/* hardware.yaml of the Quadro has the figures of the published table. */
static void the_quadro_is_as_published(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char line[1024];
    unsetenv("POISE_SUITES");
    const struct said *s = poisef(dir, "validate --hardware " POISE_SOURCE_DIR "/tests/reference/silicon --json");
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *kernels = json_object_get(root, "kernels");
    FILE *csv = fopen(POISE_SOURCE_DIR "/tests/reference/silicon/qv100.csv", "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    size_t n = 0;
    for (; fgets(line, sizeof line, csv); n++) {
        double v[17] = {0};
        char *at = strchr(strchr(line, ',') + 1, ',');
        for (size_t i = 0; i < 16 && at; i++, at = strchr(at, ',')) v[i] = strtod(at + 1, &at);
        const json_t *k = json_array_get(kernels, n), *c = json_object_get(k, "counters");
        const struct {
            const char *name;
            double value;
        } want[] = {{"l1d_hits_and_merges", v[0]},       {"l1d_misses", v[1]},
                    {"l1d_stores", v[2] + v[3]},         {"constant_requests", v[4]},
                    {"shared_requests", v[5]},           {"dram_read_sectors", v[6]},
                    {"dram_write_sectors", v[7]},        {"l2_read_accesses", v[8] + v[9]},
                    {"l2_write_accesses", v[10] + v[11]}};
        for (size_t i = 0; i < sizeof want / sizeof *want; i++)
            if (fabs(number(json_object_get(c, want[i].name), "hw") - want[i].value) > 1e-3)
                fail_msg("%s: %s", text(k, "name"), want[i].name);
        assert_true(fabs(number(k, "hw_cycles") - v[15]) < 1e-3);
        assert_string_equal(text(k, "state"), "not found");
    }
    fclose(csv);
    powers_are_as_published(kernels);
    assert_int_equal(n, 14);
    assert_int_equal(json_array_size(kernels), 14);
    assert_true(json_is_null(json_object_get(json_object_get(root, "overall"), "mape")));
    json_decref(root);
}

static const json_t *figure_of(const json_t *root, const char *name)
{
    const json_t *figure;
    size_t i;
    json_array_foreach(json_object_get(root, "microbench"), i, figure)
        if (strcmp(text(figure, "name"), name) == 0) return figure;
    fail_msg("no figure %s", name);
    return NULL;
}

static void microbenchmarks_find_the_machine_that_the_preset_describes(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    write_hardware(
        dir, "  - {name: a, program: microbench, kernel: lat_shared, launches: [0], measured: {cycles: 100}}\n"
             "  - {name: b, program: microbench, kernel: lat_shared, launches: [1], measured: {cycles: 15460}}\n");
    const struct said *s = poisef(dir, "validate --microbench --hardware %s --machine fermi15 --json", dir);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out);
    const json_t *l1 = figure_of(root, "lat_l1"), *volta = json_object_get(json_object_get(l1, "published"), "volta"),
                 *figure;
    size_t i;
    assert_true(number(figure_of(root, "size_l1"), "value") == 16);
    assert_true(number(figure_of(root, "size_l2"), "value") == 768);
    for (unsigned degree = 2; degree <= 32; degree *= 2) {
        char name[40];
        snprintf(name, sizeof name, "shared_conflict_%u", degree);
        const double cycles = number(figure_of(root, name), "value");
        if (fabs(cycles / degree - 1) > 0.1) fail_msg("%s: %g", name, cycles);
    }
    assert_true(number(l1, "value") < number(figure_of(root, "lat_l2"), "value"));
    assert_true(number(figure_of(root, "lat_l2"), "value") < number(figure_of(root, "lat_dram"), "value"));
    assert_true(number(volta, "value") == 28);
    assert_true(number(figure_of(root, "lat_shared"), "measured") == 30);
    assert_true(json_is_null(json_object_get(l1, "measured")));
    assert_non_null(json_object_get(json_object_get(root, "sources"), text(volta, "source")));
    json_array_foreach(json_object_get(root, "microbench"), i, figure)
        if (!(number(figure, "value") > 0)) fail_msg("%s is not measured", text(figure, "name"));
    json_decref(root);
}

static void write_script(const char *dir, const char *name, const char *script)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    fprintf(out, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void a_program_that_cannot_be_recorded_is_a_failed_row_and_makes_the_status_1(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    write_script(dir, "broken", "exit 1");
    write_hardware(dir, "  - {name: broken, program: ./broken, measured: {cycles: 10}}\n");
    const struct said *s = poisef(dir, "validate --hardware %s --json", dir);
    assert_int_equal(s->status, 1);
    json_t *root = json_of(s->out);
    assert_string_equal(text(kernel_of(root, "broken"), "state"), "failed");
    assert_true(strlen(text(kernel_of(root, "broken"), "why")) > 0);
    assert_int_equal(number(json_object_get(root, "overall"), "failed"), 1);
    assert_int_equal(number(json_object_get(root, "overall"), "kernels"), 0);
    json_decref(root);
}

static int measure(const char *dir)
{
    char command[1024];
    snprintf(command, sizeof command,
             "PATH=%s:$PATH POISE_HARDWARE_ONLY=1 POISE_HARDWARE_PROGRAMS=%s " POISE_SOURCE_DIR
             "/tests/hardware/measure.sh --machine fermi15 --size test -o %s/m atax >%s/said 2>&1",
             dir, dir, dir, dir);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_gpu_is_measured_and_without_one_the_script_says_what_it_would_do(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char path[256], content[1 << 12];
    write_script(dir, "nvidia-smi", "exit 1");
    assert_int_equal(measure(dir), 77);
    snprintf(path, sizeof path, "%s/said", dir);
    slurp(path, content, sizeof content);
    assert_non_null(strstr(content, "NVIDIA GPU"));
    assert_non_null(strstr(content, "wl_atax"));
    /* What a profiler prints: notes, names, units, and a line a launch. */
    write_script(dir, "nvidia-smi", "echo 'A GPU'");
    write_script(dir, "ncu",
                 "[ \"$1\" = --version ] && exec echo Version 1\n"
                 "echo '==PROF== Connected'\n"
                 "echo '\"ID\",\"Kernel Name\",\"sm__cycles_elapsed.max\",\"smsp__inst_executed_op_shared_ld.sum\","
                 "\"smsp__inst_executed_op_shared_st.sum\"'\n"
                 "echo '\"\",\"\",\"cycle\",\"inst\",\"inst\"'\n"
                 "echo '\"0\",\"atax_rows(float *, int)\",\"1,000\",\"3\",\"4\"'\n"
                 "echo '\"1\",\"atax_rows(float *, int)\",\"3,000\",\"3\",\"4\"'");
    assert_int_equal(measure(dir), 0);
    const struct said *s = poisef(dir, "validate --hardware %s/m --json", dir);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out);
    const json_t *rows = kernel_of(root, "atax atax_rows");
    assert_string_equal(text(root, "gpu"), "A GPU");
    assert_true(number(rows, "hw_cycles") == 2000 && number(rows, "cycles") > 0);
    assert_true(number(json_object_get(json_object_get(rows, "counters"), "shared_requests"), "hw") == 7);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measurements_stand_beside_ours_and_what_is_missing_is_named_and_in_no_mean),
        cmocka_unit_test(one_kernel_is_explained_by_counters_classes_and_stalls),
        cmocka_unit_test(a_fault_of_hardware_yaml_is_told_with_its_file_and_line),
        cmocka_unit_test(the_quadro_is_as_published),
        cmocka_unit_test(a_program_that_cannot_be_recorded_is_a_failed_row_and_makes_the_status_1),
        cmocka_unit_test(a_gpu_is_measured_and_without_one_the_script_says_what_it_would_do),
        cmocka_unit_test(microbenchmarks_find_the_machine_that_the_preset_describes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
