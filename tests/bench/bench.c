/* Speed, kernel by kernel, on one thread: the longest profiled launch under GTO on kepler32, repeated; the median is
 * reported and the spread beside it. `exec` times the whole host program while it records: data, functional execution,
 * compression of the trace and the CPU reference, so the executor itself is faster. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/sweep.h"

enum { REPS_MAX = 99 };
struct bench {
    struct lab_paths paths;
    struct registry registry;
    struct gpu_params *params;
    int size, reps;
    json_t *rows;
    double log_sum;
    size_t n;
    bool json;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int n, double *spread)
{
    qsort(times, (size_t)n, sizeof *times, ascending);
    *spread = (times[n - 1] - times[0]) / times[n / 2];
    return times[n / 2];
}

/* Records the workload anew into a folder of its own. */
static int time_program(const struct bench *b, const struct workload *w, uint64_t warp_insts, double *rate, struct error *err)
{
    char dir[64], command[1100], log[128], input[16];
    char *argv[6] = {command, (char *)(uintptr_t)"--size", (char *)(uintptr_t)workload_sizes[b->size]};
    int status;
    snprintf(dir, sizeof dir, "/tmp/poise-bench-XXXXXX");
    if (!mkdtemp(dir)) return error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    snprintf(command, sizeof command, "%s/%s", b->paths.programs, w->program);
    snprintf(log, sizeof log, "%s/log", dir);
    snprintf(input, sizeof input, "%d", (int)w->inputs[0]);
    if (w->inputs[0] >= 0) argv[3] = (char *)(uintptr_t)"--input", argv[4] = input;
    const double start = seconds();
    const int result = record_program(argv, dir, log, &status, err);
    *rate = (double)warp_insts / (seconds() - start);
    char clean[128];
    snprintf(clean, sizeof clean, "rm -rf %s", dir);
    if (system(clean) != 0) fprintf(stderr, "%s: not removed\n", dir);
    return result;
}

static int time_runs(struct bench *b, const struct launch *launch, double *times, struct gpu_result *result, struct error *err)
{
    struct trace *trace;
    struct plan *plan = NULL;
    struct mech_spec gto;
    const struct gpu_limits limits = {0};
    if (trace_open(&trace, launch->path, NULL, err) < 0) return -1;
    int failed = plan_new(&plan, trace, b->params, err) < 0 || mech_parse(&gto, "gto", err) < 0;
    for (int r = 0; r < b->reps && !failed; r++) {
        if (r) gpu_result_free(result);
        const double start = seconds();
        failed = gpu_run(result, plan, b->params, &gto, 1, &limits, err) < 0;
        times[r] = seconds() - start;
    }
    if (plan) mech_free(&gto);
    plan_free(plan);
    trace_close(trace);
    return failed ? -1 : 0;
}

static int bench_kernel(struct bench *b, const struct workload *w, struct error *err)
{
    struct launches all = {0};
    const struct launch *longest = NULL;
    struct gpu_result result;
    struct rusage usage;
    double times[REPS_MAX], spread, exec_rate = 0;
    uint64_t total = 0;
    int failed = workload_launches(&all, &b->paths, w, b->size, w->inputs[0], err);
    for (size_t i = 0; i < all.n; i++) {
        total += all.items[i].warp_insts;
        if (all.items[i].is_profiled && (!longest || all.items[i].warp_insts > longest->warp_insts)) longest = &all.items[i];
    }
    if (!failed && longest) failed = time_program(b, w, total, &exec_rate, err);
    if (!failed && longest && (failed = time_runs(b, longest, times, &result, err)) == 0) {
        const double t = median(times, b->reps, &spread), insts = gpu_stats_value(result.stats, "warp_insts");
        const double lines = gpu_stats_value(result.stats, "line_requests"), cycles = gpu_stats_value(result.stats, "core_cycles");
        getrusage(RUSAGE_SELF, &usage);
        b->log_sum += log(insts / t);
        b->n++;
        if (!b->json)
            printf("%-8s %10.0f %12.0f %12.0f %12.0f %12.0f %8.2f %6.1f%%\n", w->name, insts, exec_rate, insts / t, lines / t, cycles / t,
                   (double)longest->bytes / (double)longest->warp_insts, 100 * spread);
        json_array_append_new(b->rows, json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:I,s:f,s:i,s:f}", "kernel", w->name, "launch", longest->label,
                                                 "warp_insts", (json_int_t)insts, "exec_winst_s", exec_rate, "sim_winst_s", insts / t,
                                                 "line_req_s", lines / t, "cycles_s", cycles / t, "rss_bytes",
                                                 (json_int_t)usage.ru_maxrss * 1024, "trace_bytes_per_winst",
                                                 (double)longest->bytes / (double)longest->warp_insts, "reps", b->reps, "spread", spread));
        gpu_result_free(&result);
    }
    launches_fini(&all);
    return failed;
}

static int run(struct bench *b, int argc, char **argv, struct error *err)
{
    bool is_named = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) b->json = true;
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) b->size = workload_size(argv[++i]);
        else if (strcmp(argv[i], "--reps") == 0 && i + 1 < argc) b->reps = atoi(argv[++i]);
        else if (argv[i][0] == '-') return error_set(err, ERR_USAGE, "%s: [--json] [--size test|small|full] [--reps N] [KERNEL...]", argv[i]);
        else is_named = true;
    }
    if (b->size < 0 || b->reps < 1 || b->reps > REPS_MAX) return error_set(err, ERR_USAGE, "--size test|small|full, --reps 1..%d", REPS_MAX);
    if (registry_load(&b->registry, b->paths.kernels, err) < 0 || gpu_params_load(b->params, "kepler32", b->paths.configs, err) < 0) return -1;
    if (!b->json)
        printf("%-8s %10s %12s %12s %12s %12s %8s %7s\n", "kernel", "warp insts", "exec winst/s", "sim winst/s", "sim lines/s", "cycles/s", "B/winst",
               "spread");
    for (size_t i = 0; i < b->registry.n; i++) {
        bool is_wanted = !is_named;
        for (int k = 1; k < argc; k++) is_wanted |= strcmp(argv[k], b->registry.workloads[i].name) == 0;
        if (is_wanted && bench_kernel(b, &b->registry.workloads[i], err) < 0) return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct bench b = {.size = 1, .reps = 3, .rows = json_array(), .params = gpu_params_new()};
    struct error err = {0};
    lab_paths_init(&b.paths);
    const int result = run(&b, argc, argv, &err);
    const double geomean = b.n ? exp(b.log_sum / (double)b.n) : 0;
    if (result == 0 && b.json) {
        json_t *out = lab_json();
        json_object_set(out, "rows", b.rows);
        json_object_set_new(out, "geomean_sim_winst_s", json_real(geomean));
        json_dumpf(out, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(out);
    } else if (result == 0) {
        printf("geometric mean of sim winst/s: %.0f\n", geomean);
    } else {
        fprintf(stderr, "bench: %s\n", err.text);
    }
    json_decref(b.rows);
    registry_fini(&b.registry);
    gpu_params_free(b.params);
    return result < 0 ? error_exit_status(&err) : 0;
}
