/* Against the other cycle-level simulator: CPU seconds on the same traces (tests/reference/accelsim). Ours are what
 * `poise sim` needs: opening the imported trace at rest, the plan, the run. */
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
    int result = member ? accelsim_list_parse(&list, file, member->data, member->size, err)
                        : error_set(err, ERR_INPUT, "%s: no %s", archive_path, file);
    for (size_t i = 0; i < list.n && result == 0; i++) {
        if (!list.commands[i].is_kernel) continue;
        snprintf(file, sizeof file, "%s/%s", name, list.commands[i].file);
        member = accelsim_archive_find(&archive, file);
        result = member ? accelsim_import_text(NULL, file, member->data, member->size, &how, err)
                        : error_set(err, ERR_INPUT, "%s: no %s", archive_path, file);
    }
    accelsim_list_fini(&list);
    accelsim_archive_close(&archive);
    return result;
}

/* Open, plan, run: *whole is all of it, *run the last part. */
static int once(const char *path, const struct gpu_params *params, const char *mech, double *whole, double *run,
                uint64_t *insts, struct error *err)
{
    struct trace *trace;
    struct plan *plan = NULL;
    struct gpu_result result = {0};
    const double start = thread_cpu_s();
    if (trace_open(&trace, path, NULL, err) < 0) return -1;
    int failed = plan_new(&plan, trace, params, err);
    if (failed == 0) failed = time_run(plan, params, mech, &result, run, err);
    *whole = thread_cpu_s() - start;
    if (failed == 0) *insts = (uint64_t)gpu_stats_value(result.stats, "warp_insts");
    gpu_result_free(&result);
    plan_free(plan);
    trace_close(trace);
    return failed;
}

/* A run of a case, and what was timed of it, a place a round. */
struct reference_run {
    char name[16], label[40], mech[40], path[64];
    bool is_gto;
    double theirs, whole[REPS_MAX], run[REPS_MAX];
    uint64_t insts;
};
enum { RUNS_MAX = 32 };
struct reference_runs {
    size_t n;
    struct reference_run runs[RUNS_MAX];
};

/* Leaves a case's trace at rest in `dir` and appends its runs: under GTO, and with warps limited. */
static int add_case(struct reference_runs *all, const char *dir, const char *name, const json_t *from,
                    struct error *err)
{
    char path[64];
    const char *label;
    const json_t *run;
    snprintf(path, sizeof path, "%s/%s.ptrace", dir, name);
    if (import(name, json_string_value(json_object_get(from, "trace")), path, err) < 0) return -1;
    json_object_foreach(json_object_get(from, "runs"), label, run) {
        const char *limit = strstr(label, "+warp_limiting:");
        if (!limit && strcmp(label, "xbar") != 0) continue;
        if (all->n == RUNS_MAX) return error_set(err, ERR_LIMIT, CASES "/cases.json: more than %d runs", RUNS_MAX);
        struct reference_run *to = &all->runs[all->n++];
        to->is_gto = !limit;
        to->theirs = json_number_value(json_object_get(run, "cpu_seconds"));
        snprintf(to->name, sizeof to->name, "%s", name);
        snprintf(to->label, sizeof to->label, "%s", label);
        snprintf(to->path, sizeof to->path, "%s", path);
        snprintf(to->mech, sizeof to->mech, limit ? "swl,N=%s" : "gto", limit ? strrchr(limit, ':') + 1 : "");
    }
    return 0;
}

/* All runs once, then all of them again, as the kernels. */
static int time_runs(const struct bench *b, struct reference_runs *all, const struct gpu_params *params,
                     struct error *err)
{
    for (int r = 0; r < b->reps; r++)
        for (size_t i = 0; i < all->n; i++) {
            struct reference_run *run = &all->runs[i];
            bench_sample_machine(b->machine);
            if (once(run->path, params, run->mech, &run->whole[r], &run->run[r], &run->insts, err) < 0)
                return error_while(err, "%s", run->name);
        }
    return 0;
}

static void report(const struct bench *b, struct reference_runs *all, json_t *out)
{
    double log_cases = 0, log_runs = 0, log_least = 0, spread;
    size_t n_cases = 0;
    json_t *rows = json_array();
    if (!b->json)
        printf("\n%-8s %-24s %9s %9s %9s %9s %7s\n", "case", "run", "theirs s", "ours s", "run s", "ratio", "spread");
    for (size_t i = 0; i < all->n; i++) {
        struct reference_run *run = &all->runs[i];
        const double ours = median(run->whole, b->reps, &spread), alone = median(run->run, b->reps, NULL),
                     ratio = run->theirs / ours;
        log_runs += log(ratio);
        /* the median has sorted them */
        if (run->is_gto) log_cases += log(ratio), log_least += log(run->theirs / run->whole[0]), n_cases++;
        if (!b->json)
            printf("%-8s %-24s %9.2f %9.4f %9.4f %8.0fx %6.1f%%\n", run->name, run->label, run->theirs, ours, alone,
                   ratio, 100 * spread);
        json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "case", run->name, "run",
                                              run->label, "reference_cpu_s", run->theirs, "cpu_s", ours, "cpu_s_least",
                                              run->whole[0], "run_cpu_s", alone, "ratio", ratio, "winst_s",
                                              (double)run->insts / alone, "spread", spread));
    }
    const double cases = exp(log_cases / (double)n_cases), runs = exp(log_runs / (double)all->n),
                 least = exp(log_least / (double)n_cases);
    if (!b->json)
        printf("geometric mean: %.0fx over the cases (%.0fx by the least of their times), %.0fx over all their runs\n",
               cases, least, runs);
    json_object_set_new(out, "reference",
                        json_pack("{s:o,s:f,s:f,s:f}", "rows", rows, "geomean_ratio", cases,
                                  "geomean_ratio_least_times", least, "geomean_ratio_all_runs", runs));
}

int bench_reference(const struct bench *b, json_t *out, struct error *err)
{
    const char *const configs[] = {CASES "/gtx480_32sm_lx.config", CASES "/trace.config"};
    char dir[] = "/tmp/poise-bench-XXXXXX";
    const char *name;
    json_t *root = json_load_file(CASES "/cases.json", 0, NULL), *from;
    struct gpu_params *params = gpu_params_new();
    struct reference_runs *all = calloc(1, sizeof *all);
    int result = root && params && all ? gpgpusim_load(params, configs, 2, NULL, err)
                                       : error_set(err, ERR_INPUT, CASES "/cases.json: cannot be read");
    if (result == 0 && !mkdtemp(dir)) result = error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    if (result == 0)
        json_object_foreach(json_object_get(root, "cases"), name, from)
            if (result == 0) result = add_case(all, dir, name, from, err);
    if (result == 0) result = time_runs(b, all, params, err);
    if (result == 0) report(b, all, out);
    for (size_t i = 0; all && i < all->n; i++) unlink(all->runs[i].path);
    rmdir(dir);
    free(all);
    json_decref(root);
    gpu_params_free(params);
    return result;
}
