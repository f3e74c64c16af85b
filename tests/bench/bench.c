/* Speed, kernel by kernel, on one thread: the longest profiled launch under GTO on kepler32, repeated; medians, with
 * the spread beside them. Besides: the reference's cases, the suite's traces, sweeps (--all), and the stored table
 * of the last landing. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *times, int n, double *spread)
{
    qsort(times, (size_t)n, sizeof *times, ascending);
    if (spread) *spread = (times[n - 1] - times[0]) / times[n / 2];
    return times[n / 2];
}

int time_run(const struct plan *plan, const struct gpu_params *params, const char *mech, struct gpu_result *result,
             double *seconds, struct error *err)
{
    struct mech_spec spec;
    const struct gpu_limits limits = {0};
    if (mech_parse(&spec, mech, err) < 0) return -1;
    const double start = thread_cpu_s();
    const int failed = gpu_run(result, plan, params, &spec, 1, &limits, err);
    *seconds = thread_cpu_s() - start;
    mech_free(&spec);
    return failed;
}

/* A kernel, what was timed of it, a place a round, and what its row is made of. */
struct kernel_row {
    const struct workload *workload;
    const struct launch *launch;
    struct launches all;
    double plans[REPS_MAX], runs[REPS_MAX], limits[REPS_MAX];
    double plan_s, run_s, run_s_least, limit_s, spread, insts, lines, cycles;
    size_t plan_bytes, run_bytes, rss_bytes; /* rss: growth of the process over the plan's own */
    struct exec_rates exec;
};

static size_t peak_rss(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

static int time_launch(const struct bench *b, struct kernel_row *row, int round, struct error *err)
{
    struct trace *trace;
    struct plan *plan = NULL;
    struct gpu_result result = {0};
    if (trace_open(&trace, row->launch->path, NULL, err) < 0) return -1;
    int failed = bench_limit(trace, &row->limits[round], err);
    const double start = thread_cpu_s();
    if (failed == 0) failed = plan_new(&plan, trace, b->params, err);
    row->plans[round] = thread_cpu_s() - start;
    if (failed == 0) failed = time_run(plan, b->params, "gto", &result, &row->runs[round], err);
    if (failed == 0) {
        row->insts = gpu_stats_value(result.stats, "warp_insts");
        row->lines = gpu_stats_value(result.stats, "line_requests");
        row->cycles = gpu_stats_value(result.stats, "core_cycles");
        row->run_bytes = result.arena_bytes;
        row->plan_bytes = plan_bytes(plan);
        row->rss_bytes = peak_rss();
    }
    gpu_result_free(&result);
    plan_free(plan);
    trace_close(trace);
    return failed;
}

static double limit_ratio(const struct kernel_row *r) { return (r->plan_s + r->run_s) / r->limit_s; }

static const char *const sets[WORKLOAD_SETS] = {"training", "evaluation", "further", "variant"};

static json_t *row_json(const struct bench *b, const struct kernel_row *r)
{
    const struct workload *w = r->workload;
    const struct launch *launch = r->launch;
    return json_pack("{s:s,s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:f,s:i,s:f}", "kernel", w->name,
                     "launch", launch->label, "set", sets[w->set], "warp_insts", (json_int_t)r->insts, "exec_winst_s",
                     r->exec.on, "exec_off_winst_s", r->exec.off, "exec_to_disk_winst_s", r->exec.to_disk,
                     "sim_winst_s", r->insts / r->run_s, "line_req_s", r->lines / r->run_s, "sim_winst_s_least_time",
                     r->insts / r->run_s_least, "line_req_s_least_time", r->lines / r->run_s_least, "cycles_s",
                     r->cycles / r->run_s, "limit_ratio", limit_ratio(r), "rss_bytes", (json_int_t)r->rss_bytes,
                     "run_bytes", (json_int_t)r->run_bytes, "plan_bytes", (json_int_t)r->plan_bytes,
                     "trace_bytes_per_winst", (double)launch->bytes / (double)launch->warp_insts, "reps", b->reps,
                     "spread", r->spread);
}

int bench_launches(const struct bench *b, const struct workload *w, int32_t input, struct launches *all,
                   const struct launch **longest, struct error *err)
{
    *longest = NULL;
    if (workload_launches(all, &b->paths, w, b->size, input, err) < 0) return -1;
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].is_profiled && (!*longest || all->items[i].warp_insts > (*longest)->warp_insts))
            *longest = &all->items[i];
    return 0;
}

static void print_row(const struct kernel_row *r)
{
    printf("%-8s %10.0f %10.3g %10.3g %10.3g %12.0f %12.0f %12.0f %8.1f %8.2f %8.2f %6.1f%%\n", r->workload->name,
           r->insts, r->exec.off, r->exec.on, r->exec.to_disk, r->insts / r->run_s, r->lines / r->run_s,
           r->cycles / r->run_s, limit_ratio(r), (double)r->run_bytes / 1048576,
           (double)r->launch->bytes / (double)r->launch->warp_insts, 100 * r->spread);
}

/* Finds the launch of each kernel that is wanted, and times the executor on it. */
static int begin_rows(const struct bench *b, const char *const *names, size_t n_names, struct kernel_row *rows,
                      size_t *n, struct error *err)
{
    for (size_t i = 0; i < b->registry.n; i++) {
        const struct workload *w = &b->registry.workloads[i];
        struct kernel_row *row = &rows[*n];
        bool is_wanted = n_names == 0;
        for (size_t k = 0; k < n_names; k++) is_wanted |= strcmp(names[k], w->name) == 0;
        if (!is_wanted) continue;
        row->workload = w;
        if (bench_launches(b, w, w->inputs[0], &row->all, &row->launch, err) < 0) return -1;
        ++*n;
        if (!row->launch) launches_fini(&rows[--*n].all);
        else if (!b->no_exec && bench_executor(b, w, &row->exec, err) < 0) return -1;
    }
    return 0;
}

static void end_row(const struct bench *b, struct kernel_row *row, json_t *rows)
{
    row->plan_s = median(row->plans, b->reps, NULL);
    row->limit_s = median(row->limits, b->reps, NULL);
    row->run_s = median(row->runs, b->reps, &row->spread);
    row->run_s_least = row->runs[0]; /* sorted by now */
    if (!b->json) print_row(row);
    json_array_append_new(rows, row_json(b, row));
}

/* Over the rows of the evaluation kernels; where there is none, over all. */
static double geomean(const json_t *rows, const char *key)
{
    double sum = 0;
    size_t i, n = 0;
    const json_t *row;
    for (int all = 0; all < 2 && n == 0; all++)
        json_array_foreach(rows, i, row)
            if (all || strcmp(json_string_value(json_object_get(row, "set")), "evaluation") == 0)
                sum += log(json_number_value(json_object_get(row, key))), n++;
    return n ? exp(sum / (double)n) : 0;
}

/* All kernels once, then all of them again: a kernel's times lie apart, so that a slow minute of the machine is not
 * all that it sees. */
static int bench_kernels(const struct bench *b, const char *const *names, size_t n_names, json_t *out,
                         struct error *err)
{
    json_t *rows = json_object_get(out, "rows");
    size_t n = 0;
    struct kernel_row *kernels = calloc(b->registry.n, sizeof *kernels);
    int result = kernels ? begin_rows(b, names, n_names, kernels, &n, err)
                         : error_set(err, ERR_MEMORY, "no memory for the table");
    for (int r = 0; r < b->reps; r++)
        for (size_t i = 0; i < n && result == 0; i++) {
            bench_sample_machine(b->machine);
            result = time_launch(b, &kernels[i], r, err);
        }
    if (result == 0 && !b->json)
        printf("%-8s %10s %10s %10s %10s %12s %12s %12s %8s %8s %8s %7s\n", "kernel", "warp insts", "exec/s",
               "record/s", "to disk/s", "sim winst/s", "sim lines/s", "cycles/s", "x limit", "MiB", "B/winst",
               "spread");
    for (size_t i = 0; i < n; i++) {
        if (result == 0) end_row(b, &kernels[i], rows);
        launches_fini(&kernels[i].all);
    }
    free(kernels);
    if (result < 0) return -1;
    const double insts = geomean(rows, "sim_winst_s"), insts_least = geomean(rows, "sim_winst_s_least_time"),
                 lines = geomean(rows, "line_req_s"), limit = geomean(rows, "limit_ratio");
    json_object_set_new(out, "geomean_sim_winst_s", json_real(insts));
    json_object_set_new(out, "geomean_sim_winst_s_least_times", json_real(insts_least));
    json_object_set_new(out, "geomean_line_req_s", json_real(lines));
    json_object_set_new(out, "geomean_limit_ratio", json_real(limit));
    if (!b->json)
        printf("geometric mean over the evaluation kernels: %.0f warp instructions (%.0f by the least of their times) "
               "and %.0f line requests a second, %.1f times the limit\n",
               insts, insts_least, lines, limit);
    return 0;
}

struct request {
    const char *names[64], *last;
    size_t n_names;
    bool reference, cards, suite, sweep;
};

static int parse(struct bench *b, struct request *q, int argc, char **argv, struct error *err)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) b->json = true;
        else if (strcmp(argv[i], "--no-exec") == 0) b->no_exec = true;
        else if (strcmp(argv[i], "--reference") == 0) q->reference = true;
        else if (strcmp(argv[i], "--cards") == 0) q->cards = true;
        else if (strcmp(argv[i], "--suite") == 0) q->suite = true;
        else if (strcmp(argv[i], "--sweep") == 0) q->sweep = true;
        else if (strcmp(argv[i], "--all") == 0) q->reference = q->suite = q->sweep = true;
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) b->size = workload_size(argv[++i]);
        else if (strcmp(argv[i], "--reps") == 0 && i + 1 < argc) b->reps = atoi(argv[++i]);
        else if (strcmp(argv[i], "--last") == 0 && i + 1 < argc) q->last = argv[++i];
        else if (argv[i][0] == '-' || q->n_names == 64)
            return error_set(
                err, ERR_USAGE,
                "%s: [--json] [--size test|small|full] [--reps N] [--no-exec] [--reference] [--cards] [--suite] "
                "[--sweep] [--all] [--last TABLE.json] [KERNEL...]",
                argv[i]);
        else q->names[q->n_names++] = argv[i];
    }
    if (b->size < 0 || b->reps < 1 || b->reps > REPS_MAX)
        return error_set(err, ERR_USAGE, "--size test|small|full, --reps 1..%d", REPS_MAX);
    return 0;
}

static int run(struct bench *b, const struct request *q, json_t *out, struct error *err)
{
    if (registry_load(&b->registry, b->paths.kernels, err) < 0 ||
        gpu_params_load(b->params, "kepler32", b->paths.configs, err) < 0)
        return -1;
    /* the parts alone */
    const bool others =
        (q->reference || q->cards || q->suite || q->sweep) && q->n_names == 1 && strcmp(q->names[0], "none") == 0;
    json_object_set_new(out, "rows", json_array());
    if (!others && bench_kernels(b, q->names, q->n_names, out, err) < 0) return -1;
    if (q->reference && bench_reference(b, out, err) < 0) return -1;
    if (q->cards && bench_cards(b, out, err) < 0) return -1;
    if (q->suite && bench_suite(b, out, err) < 0) return -1;
    if (q->sweep && bench_sweep(b, out, err) < 0) return -1;
    bench_machine(b, out);
    return q->last ? bench_compare(b, out, q->last, err) : 0;
}

int main(int argc, char **argv)
{
    struct bench b = {.size = 1, .reps = 5, .params = gpu_params_new(), .machine = calloc(1, sizeof *b.machine)};
    struct request request = {0};
    struct error err = {0};
    json_t *out = lab_json();
    lab_paths_init(&b.paths);
    int result =
        b.params && b.machine ? parse(&b, &request, argc, argv, &err) : error_set(&err, ERR_MEMORY, "no memory");
    if (result == 0) result = run(&b, &request, out, &err);
    if (result == 0 && b.json) {
        json_dumpf(out, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        putchar('\n');
    }
    if (result < 0) fprintf(stderr, "bench: %s\n", err.text);
    json_decref(out);
    registry_fini(&b.registry);
    gpu_params_free(b.params);
    free(b.machine);
    return result < 0 ? error_exit_status(&err) : 0;
}
