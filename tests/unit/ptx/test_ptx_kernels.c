/* The same kernels compiled by clang and by nvcc (kernels/suite.cu), against plain C. Values are small integers, so
 * that every sum is exact and the compilers' choices of fused operations do not matter. */
#include <math.h>
#include <string.h>
#include "poise/file.h"
#include "ptx_rig.h"

static struct ptx_module *module;
static struct rig_device device;
static const char *const files[] = {"suite_clang.ptx", "suite_nvcc.ptx"};

static void open_module(const char *file)
{
    rig_init(&device);
    module = rig_module_file(file);
    for (size_t i = 0; i < ptx_module_n_variables(module); i++) {
        const struct ptx_variable *v = ptx_module_variable(module, i);
        ptx_module_place(module, i, rig_alloc(&device, v->bytes, v->init));
    }
}

static void close_module(void)
{
    ptx_module_free(module);
    rig_fini(&device);
}

static void launch(const char *kernel, struct ptx_grid grid, const void *params, size_t param_bytes)
{
    struct error err = {0};
    const struct ptx_kernel *k = ptx_kernel_find(module, kernel);
    assert_non_null(k);
    assert_ok(ptx_run(k, &grid, params, param_bytes, &device.memory, NULL, 0, NULL, &err), &err);
}
#define GRID(x, y, bx, by) ((struct ptx_grid){{x, y, 1}, {bx, by, 1}, 0})
#define FOR_BOTH for (const char *const *file = files; file < files + 2; file++)

static void syrk_is_exact(void **state)
{
    (void)state;
    enum { ROWS = 37, M = 19 };
    FOR_BOTH
    {
        float a[ROWS * M], c[ROWS * ROWS], expect[ROWS * ROWS];
        open_module(*file);
        for (int i = 0; i < ROWS * M; i++) a[i] = (float)(i % 11 - 5);
        for (int i = 0; i < ROWS * ROWS; i++) c[i] = (float)(i % 7);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++) {
                float sum = c[i * ROWS + j] * 3.0f;
                for (int k = 0; k < M; k++) sum += 2.0f * a[i * M + k] * a[j * M + k];
                expect[i * ROWS + j] = sum;
            }
        const struct {
            uint64_t c, a;
            int n, m;
            float alpha, beta;
        } p = {rig_alloc(&device, sizeof c, c), rig_alloc(&device, sizeof a, a), ROWS, M, 2.0f, 3.0f};
        launch("syrk", GRID(2, 5, 32, 8), &p, sizeof p);
        assert_memory_equal(rig_host(&device, p.c), expect, sizeof expect);
        close_module();
    }
}

static void reduction_calls_a_function_that_counts_in_local_memory(void **state)
{
    (void)state;
    enum { SIZE = 5000 };
    FOR_BOTH
    {
        float in[SIZE];
        open_module(*file);
        for (int i = 0; i < SIZE; i++) in[i] = i % 997 == 500 ? 101.0f : i % 13 == 0 ? -1.0f : (float)(i % 9);
        const struct {
            uint64_t out, in;
            int n;
        } p = {rig_alloc(&device, 16, NULL), rig_alloc(&device, sizeof in, in), SIZE};
        launch("reduce", GRID(4, 1, 256, 1), &p, 20);
        for (int block = 0; block < 4; block++) {
            float total = 0;
            for (int t = 0; t < 256; t++) {
                int count = 0;
                for (int i = block * 256 + t; i < SIZE; i += 1024) {
                    if (in[i] < 0) continue;
                    if (in[i] > 100) break;
                    if (in[i] > 3) total += in[i] * 2;
                    else total += in[i] - 1, count++;
                }
                total += (float)count;
            }
            assert_true(((const float *)rig_host(&device, p.out))[block] == total);
        }
        close_module();
    }
}

struct record {
    int a;
    double b;
    signed char c[5];
};

static void structs_local_arrays_and_switches(void **state)
{
    (void)state;
    FOR_BOTH
    {
        struct {
            struct record r;
            uint64_t out;
        } p;
        memset(&p, 0, sizeof p);
        p.r = (struct record){7, 2.25, {3, -1, 4, -100, 127}};
        open_module(*file);
        p.out = rig_alloc(&device, 40 * sizeof(struct record), NULL);
        launch("records", GRID(1, 1, 40, 1), &p, sizeof p);
        const struct record *out = rig_host(&device, p.out);
        for (int t = 0; t < 40; t++) {
            struct record e = p.r;
            const int i = (t * 5) & 7;
            e.a = p.r.a * i + p.r.c[i % 5];
            if ((t & 7) == 0) e.b = 1.0;
            else if ((t & 7) == 1) e.b = 2.5;
            else if ((t & 7) == 2) e.b *= 7.0;
            else if ((t & 7) == 3) e.b += (double)t / 3.0;
            else if ((t & 7) == 5) e.a ^= 0x55;
            else e.c[2] = (signed char)(t * 9);
            assert_int_equal(out[t].a, e.a);
            assert_true(out[t].b == e.b);
            assert_memory_equal(out[t].c, e.c, 5);
        }
        close_module();
    }
}

static void histogram_with_atomics_constants_and_64_bit_division(void **state)
{
    (void)state;
    enum { SIZE = 3000 };
    static const unsigned char weights[8] = {1, 2, 3, 5, 7, 11, 13, 17};
    FOR_BOTH
    {
        unsigned char data[SIZE];
        unsigned expect[64] = {0};
        const long long scale = -123456789012;
        open_module(*file);
        for (int i = 0; i < SIZE; i++) {
            data[i] = (unsigned char)(i * 37);
            const long long x = (long long)data[i] * scale - i;
            expect[(x % 64 + 64) % 64] += weights[(unsigned)(x / 3) & 7];
        }
        const struct {
            uint64_t bins, data;
            int n;
            long long scale;
        } p = {rig_alloc(&device, sizeof expect, NULL), rig_alloc(&device, sizeof data, data), SIZE, scale};
        launch("histogram", GRID(3, 1, 128, 1), &p, sizeof p);
        assert_memory_equal(rig_host(&device, p.bins), expect, sizeof expect);
        for (size_t i = 0; i < ptx_module_n_variables(module); i++)
            if (ptx_module_variable(module, i)->space == TRACE_SPACE_GLOBAL)
                assert_int_equal(SIZE, *(uint64_t *)rig_host(&device, device.allocations[i].lo));
        close_module();
    }
}

static void nested_loops_with_an_early_return(void **state)
{
    (void)state;
    enum { SIZE = 1000 };
    FOR_BOTH
    {
        open_module(*file);
        const struct {
            uint64_t steps;
            int n;
        } p = {rig_alloc(&device, SIZE * 4, NULL), SIZE};
        launch("collatz", GRID(8, 1, 128, 1), &p, 12);
        const int *steps = rig_host(&device, p.steps);
        for (int i = 0; i < SIZE; i++) {
            int count = 0;
            for (unsigned x = (unsigned)i + 1; x != 1; count++) x = x & 1 ? 3 * x + 1 : x / 2;
            assert_int_equal(steps[i], count);
        }
        close_module();
    }
}

static void single_and_double_precision_mixed(void **state)
{
    (void)state;
    enum { SIZE = 200 };
    FOR_BOTH
    {
        float x[SIZE], y[SIZE];
        open_module(*file);
        for (int i = 0; i < SIZE; i++) x[i] = (float)(i * 31 % 97), y[i] = (float)(i * 17 % 89);
        const struct {
            uint64_t out, x, y;
            int n;
        } p = {rig_alloc(&device, SIZE * 8, NULL), rig_alloc(&device, sizeof x, x), rig_alloc(&device, sizeof y, y),
               SIZE};
        launch("norms", GRID(2, 1, 128, 1), &p, 28);
        const double *out = rig_host(&device, p.out);
        for (int i = 0; i < SIZE; i++) {
            float nearest = 3.4e38f;
            double farthest = 0;
            for (int k = 0; k < SIZE; k++) {
                const float d = (x[i] - x[k]) * (x[i] - x[k]) + (y[i] - y[k]) * (y[i] - y[k]);
                if (k != i && d < nearest) nearest = d;
                if ((double)d > farthest) farthest = (double)d;
            }
            assert_true(out[i] == farthest / (1.0 + (double)sqrtf(nearest)) + (double)(int)(nearest * 10.0f));
        }
        close_module();
    }
}

static void register_estimates_are_near_what_ptxas_says(void **state)
{
    (void)state;
    /* ptxas 13.0 -arch=sm_75 -O3 for suite_nvcc.ptx; reduce is left out: the assembler counts a called function
     * apart */
    static const struct {
        const char *kernel;
        int regs;
    } rows[] = {{"syrk", 28}, {"records", 24}, {"histogram", 18}, {"collatz", 8}, {"norms", 28}};
    open_module(files[1]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int ours = (int)ptx_kernel_info(ptx_kernel_find(module, rows[i].kernel))->regs_per_thread;
        if (abs(ours - rows[i].regs) > 8)
            fail_msg("%s: %d registers, ptxas says %d", rows[i].kernel, ours, rows[i].regs);
    }
    close_module();
}

/* How often `what` stands in the text from `at` to `end`. */
static int count(const char *at, const char *end, const char *what)
{
    int n = 0;
    while ((at = strstr(at, what)) && at < end) n++, at += strlen(what);
    return n;
}

/* The body of the entry's last loop: from a label to a branch back to it. */
static void last_loop(const char *text, const char *entry, const char **body, const char **end)
{
    char name[64];
    snprintf(name, sizeof name, ".entry %s(", entry);
    const char *at = strstr(text, name);
    assert_non_null(at);
    const char *const from = at, *const to = strstr(at, "\n}");
    *body = NULL;
    while ((at = strstr(at, "bra")) && at < to) {
        char label[32];
        at += strcspn(at, " \t");
        at += strspn(at, " \t");
        snprintf(label, sizeof label, "\n%.*s:", (int)strcspn(at, ";"), at);
        const char *const target = strstr(from, label);
        if (target && target < at) *body = target, *end = at;
    }
    assert_non_null(*body);
}

/* Programs with a suite's name load and store in each turn what the suite does (datasets/kernels/LITERAL.md). */
static void sums_of_the_suites_kernels_are_stored_in_every_turn(void **state)
{
    (void)state;
    static const struct {
        const char *program, *entry;
        int loads, stores;
    } rows[] = {{"polybench/mvt", "mvt_rows", 2, 1},      {"polybench/mvt", "mvt_columns", 2, 1},
                {"polybench/atax", "atax_rows", 2, 1},    {"polybench/atax", "atax_columns", 2, 1},
                {"polybench/bicg", "bicg_columns", 2, 1}, {"polybench/bicg", "bicg_rows", 2, 1},
                {"polybench/gsmv", "gsmv", 6, 2},         {"polybench/syrk", "syrk", 2, 1},
                {"polybench/syr2k", "syr2k", 4, 1},       {"rodinia/kmeans", "kmeans_invert", 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512], *text;
        size_t size;
        struct error err = {0};
        const char *body = NULL, *end = NULL;
        snprintf(path, sizeof path, POISE_SOURCE_DIR "/datasets/kernels/%s/kernel.ptx", rows[i].program);
        assert_ok(file_read(&text, &size, path, &err), &err);
        last_loop(text, rows[i].entry, &body, &end);
        const int loads = count(body, end, "ld.global"), stores = count(body, end, "st.global");
        if (loads != rows[i].loads || stores != rows[i].stores)
            fail_msg("%s: %d loads and %d stores a turn, not %d and %d", rows[i].entry, loads, stores, rows[i].loads,
                     rows[i].stores);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syrk_is_exact),
        cmocka_unit_test(reduction_calls_a_function_that_counts_in_local_memory),
        cmocka_unit_test(structs_local_arrays_and_switches),
        cmocka_unit_test(histogram_with_atomics_constants_and_64_bit_division),
        cmocka_unit_test(nested_loops_with_an_early_return),
        cmocka_unit_test(single_and_double_precision_mixed),
        cmocka_unit_test(register_estimates_are_near_what_ptxas_says),
        cmocka_unit_test(sums_of_the_suites_kernels_are_stored_in_every_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
