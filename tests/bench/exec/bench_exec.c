/* How fast the executor runs syrk (n x n), with and without recording.   bench_exec [n] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "poise/file.h"
#include "poise/ptx.h"
#include "where.h"

#define BASE 0x7f0000000000ull

static struct ptx_extent find(void *self, uint64_t address)
{
    const uint64_t size = *(const uint64_t *)self;
    if (address - BASE < size) return (struct ptx_extent){BASE, BASE + size, NULL};
    return (struct ptx_extent){0, 0, NULL};
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_once(const struct ptx_kernel *kernel, uint32_t n, bool records, struct error *err)
{
    uint64_t bytes = (uint64_t)n * n * 8;
    float *host = calloc(1, bytes);
    const struct ptx_memory memory = {(unsigned char *)host, BASE, bytes, find, &bytes};
    const struct ptx_grid grid = {{(n + 31) / 32, (n + 7) / 8, 1}, {32, 8, 1}, 0};
    struct {
        uint64_t c, a;
        int32_t n, m;
        float alpha, beta;
    } params = {BASE, BASE + bytes / 2, (int32_t)n, (int32_t)n, 1.5f, 2.0f};
    struct trace_writer *recorder = NULL;
    struct ptx_counts counts;
    if (!host) return -1;
    for (uint32_t i = 0; i < n * n * 2; i++) host[i] = (float)(i % 17);
    if (records) {
        struct trace_launch launch = {.grid = {grid.grid[0], grid.grid[1], 1},
                                      .block = {32, 8, 1},
                                      .regs_per_thread = 32,
                                      .n_ctas = grid.grid[0] * grid.grid[1],
                                      .warps_per_cta = 8};
        const struct trace_inst *code;
        const char *strings;
        size_t n_strings;
        uint32_t n_code;
        ptx_kernel_code(kernel, &code, &n_code, &strings, &n_strings, &launch.n_regs);
        launch.n_code = n_code;
        if (trace_writer_new(&recorder, "syrk", &launch, code, n_code, strings, n_strings, err) < 0) return -1;
    }
    const double start = now();
    int rc = ptx_run(kernel, &grid, &params, sizeof params, &memory, recorder, 0, &counts, err);
    const double seconds = now() - start;
    if (rc == 0)
        printf("%-14s %10llu warp instructions %8.3f s %8.2f M/s\n", records ? "recording" : "not recording",
               (unsigned long long)counts.warp_insts, seconds, (double)counts.warp_insts / seconds / 1e6);
    trace_writer_free(recorder);
    free(host);
    return rc;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct ptx_module *module;
    char *text;
    size_t size;
    const char *path = POISE_SOURCE_DIR "/tests/unit/ptx/kernels/suite_clang.ptx";
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    if (n < 32 || n > 4096) return fprintf(stderr, "usage: bench_exec [n], 32 to 4096\n"), 2;
    int rc = file_read(&text, &size, path, &err);
    if (rc == 0) rc = ptx_module_new(&module, path, text, size, &err);
    if (rc == 0) {
        const struct ptx_kernel *kernel = ptx_kernel_find(module, "syrk");
        if (!kernel) rc = error_set(&err, ERR_INPUT, "%s: no kernel syrk", path);
        for (int i = 0; i < 2 && rc == 0; i++) rc = run_once(kernel, (uint32_t)n, false, &err);
        for (int i = 0; i < 2 && rc == 0; i++) rc = run_once(kernel, (uint32_t)n, true, &err);
        ptx_module_free(module);
        free(text);
    }
    if (rc < 0) fprintf(stderr, "%s\n", err.text);
    return rc < 0 ? error_exit_status(&err) : 0;
}
