/* Against the other cycle-level simulator: CPU seconds on the same traces (tests/reference/accelsim). Ours are what `poise sim` needs: opening
 * the imported trace at rest, the plan, the run. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/accelsim.h"
#include "poise/gpgpusim.h"

#define CASES POISE_SOURCE_DIR "/tests/reference/accelsim"
enum { ARCHIVE_MAX = 1 << 30 };

/* Imports the one kernel of a case and leaves it at rest in `path`. */
static int import(const char *name, const char *archive_name, const char *path, struct error *err)
{
    char archive_path[1024], file[300];
    struct accelsim_archive archive;
    struct accelsim_list list = {0};
    const struct accelsim_import how = {.save_path = path};
    snprintf(archive_path, sizeof archive_path, "%s/%s", CASES, archive_name);
    if (accelsim_archive_open(&archive, archive_path, ARCHIVE_MAX, err) < 0) return -1;
    snprintf(file, sizeof file, "%s/kernelslist.g", name);
    const struct accelsim_member *member = accelsim_archive_find(&archive, file);
    int result = member ? accelsim_list_parse(&list, file, member->data, member->size, err) : error_set(err, ERR_INPUT, "%s: no %s", archive_path, file);
    for (size_t i = 0; i < list.n && result == 0; i++) {
        if (!list.commands[i].is_kernel) continue;
        snprintf(file, sizeof file, "%s/%s", name, list.commands[i].file);
        member = accelsim_archive_find(&archive, file);
        result = member ? accelsim_import_text(NULL, file, member->data, member->size, &how, err) : error_set(err, ERR_INPUT, "%s: no %s", archive_path, file);
    }
    accelsim_list_fini(&list);
    accelsim_archive_close(&archive);
    return result;
}

/* Open, plan, run: *whole is all of it, *run the last part. */
static int once(const char *path, const struct gpu_params *params, const char *mech, double *whole, double *run, uint64_t *insts, struct error *err)
{
    struct trace *trace;
    struct plan *plan = NULL;
    struct gpu_result result = {0};
    const double start = cpu_seconds();
    if (trace_open(&trace, path, NULL, err) < 0) return -1;
    int failed = plan_new(&plan, trace, params, err);
    if (failed == 0) failed = time_run(plan, params, mech, &result, run, err);
    *whole = cpu_seconds() - start;
    if (failed == 0) *insts = (uint64_t)gpu_stats_value(result.stats, "warp_insts");
    gpu_result_free(&result);
    plan_free(plan);
    trace_close(trace);
    return failed;
}

static int bench_case(const struct bench *b, const char *name, const char *run_name, const char *path, const struct gpu_params *params, double theirs,
                      json_t *rows, double *log_sum, struct error *err)
{
    double whole[REPS_MAX], run[REPS_MAX], spread;
    uint64_t insts = 0;
    char mech[40] = "gto";
    const char *limit = strstr(run_name, "warp_limiting:");
    if (limit) snprintf(mech, sizeof mech, "swl,N=%s", strrchr(limit, ':') + 1);
    for (int r = 0; r < b->reps; r++)
        if (once(path, params, mech, &whole[r], &run[r], &insts, err) < 0) return error_while(err, "%s", name);
    const double ours = median(whole, b->reps, &spread), alone = median(run, b->reps, NULL);
    *log_sum += log(theirs / ours);
    if (!b->json) printf("%-8s %-24s %9.2f %9.4f %9.4f %8.0fx %6.1f%%\n", name, run_name, theirs, ours, alone, theirs / ours, 100 * spread);
    json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f}", "case", name, "run", run_name, "reference_cpu_s", theirs, "cpu_s", ours, "run_cpu_s",
                                          alone, "ratio", theirs / ours, "winst_s", (double)insts / alone, "spread", spread));
    return 0;
}

static int bench_archive(const struct bench *b, const char *name, const json_t *from, const char *path, const struct gpu_params *params, json_t *rows,
                         double log_sums[2], size_t n[2], struct error *err)
{
    const char *run_name;
    const json_t *run;
    if (import(name, json_string_value(json_object_get(from, "trace")), path, err) < 0) return -1;
    json_object_foreach(json_object_get(from, "runs"), run_name, run) {
        const bool is_gto = strcmp(run_name, "xbar") == 0;
        if (!is_gto && strncmp(run_name, "xbar+warp_limiting:", 19) != 0) continue;
        double log_ratio = 0;
        if (bench_case(b, name, run_name, path, params, json_number_value(json_object_get(run, "cpu_seconds")), rows, &log_ratio, err) < 0) return -1;
        for (int all = !is_gto; all < 2; all++) log_sums[all] += log_ratio, n[all]++; /* [0]: the cases; [1]: every run of them */
    }
    return 0;
}

int bench_reference(const struct bench *b, json_t *out, struct error *err)
{
    const char *const configs[] = {CASES "/gtx480_32sm_lx.config", CASES "/trace.config"};
    char dir[] = "/tmp/poise-bench-XXXXXX", path[64];
    const char *name;
    json_t *root = json_load_file(CASES "/cases.json", 0, NULL), *from, *rows = json_array();
    struct gpu_params *params = gpu_params_new();
    double log_sums[2] = {0};
    size_t n[2] = {0};
    int result = root && params ? gpgpusim_load(params, configs, 2, NULL, err) : error_set(err, ERR_INPUT, CASES "/cases.json: cannot be read");
    if (result == 0 && !mkdtemp(dir)) result = error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    snprintf(path, sizeof path, "%s/case.ptrace", dir);
    if (!b->json) printf("\n%-8s %-24s %9s %9s %9s %9s %7s\n", "case", "run", "theirs s", "ours s", "run s", "ratio", "spread");
    if (result == 0)
        json_object_foreach(json_object_get(root, "cases"), name, from)
            if (result == 0) result = bench_archive(b, name, from, path, params, rows, log_sums, n, err);
    unlink(path);
    rmdir(dir);
    if (result == 0) {
        const double cases = exp(log_sums[0] / (double)n[0]), runs = exp(log_sums[1] / (double)n[1]);
        if (!b->json) printf("geometric mean: %.0fx over the cases, %.0fx over all their runs\n", cases, runs);
        json_object_set_new(out, "reference", json_pack("{s:O,s:f,s:f}", "rows", rows, "geomean_ratio", cases, "geomean_ratio_all_runs", runs));
    }
    json_decref(rows);
    json_decref(root);
    gpu_params_free(params);
    return result;
}
