/* Our CPU seconds for the reference's cases, on the traces and configurations of tests/reference/accelsim (its folder
 * `volta` has those of newer cards): what `poise sim` needs, that is opening the imported trace at rest, the plan, the
 * run. The reference's own seconds are not divided by these: a ratio to another simulator is measured with both in one
 * session (tests/README.md, Speed). */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/accelsim.h"
#include "poise/gpgpusim.h"
#include "where.h"

#define CASES POISE_SOURCE_DIR "/tests/reference/accelsim"
#define CARDS CASES "/volta"
enum { ARCHIVE_MAX = 1 << 30, MACHINES_MAX = 8 };

/* Imports the one kernel of a case and leaves it at rest in `path`. */
static int import(const char *folder, const char *name, const char *archive_name, const char *path, struct error *err)
{
    char archive_path[1024], file[300];
    struct accelsim_archive archive;
    struct accelsim_list list = {0};
    const struct accelsim_import how = {.save_path = path};
    snprintf(archive_path, sizeof archive_path, "%s/%s", folder, archive_name);
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
    uint32_t machine;
    bool is_case; /* every warp runs: not one of those with warps limited */
    double whole[REPS_MAX], run[REPS_MAX];
    uint64_t insts;
};
enum { RUNS_MAX = 32 };
/* Of the folder's one machine, which has no name, or of the cards that its cases.json names. */
struct reference_runs {
    const char *folder;
    json_t *root; /* cases.json */
    char dir[32]; /* of the traces at rest */
    size_t n, n_machines;
    char machines[MACHINES_MAX][16];
    struct gpu_params *params[MACHINES_MAX];
    struct reference_run runs[RUNS_MAX];
};

static int add_machine(struct reference_runs *all, const char *name, const char *config, const char *trace_config,
                       struct error *err)
{
    const char *const paths[] = {config, trace_config};
    if (all->n_machines == MACHINES_MAX)
        return error_set(err, ERR_LIMIT, "%s/cases.json: more than %d configurations", all->folder, MACHINES_MAX);
    snprintf(all->machines[all->n_machines], sizeof all->machines[0], "%s", name);
    struct gpu_params *params = all->params[all->n_machines++] = gpu_params_new();
    return params ? gpgpusim_load(params, paths, 2, NULL, err) : error_set(err, ERR_MEMORY, "no memory");
}

/* X.config goes with X.trace.config. */
static int add_machines(struct reference_runs *all, struct error *err)
{
    const char *name;
    const json_t *file, *configs = json_object_get(all->root, "configs");
    if (!configs) return add_machine(all, "", CASES "/gtx480_32sm_lx.config", CASES "/trace.config", err);
    json_object_foreach((json_t *)configs, name, file) {
        char config[1024], trace[1024];
        const char *text = json_string_value(file);
        snprintf(config, sizeof config, "%s/%s", all->folder, text);
        snprintf(trace, sizeof trace, "%s/%.*s.trace.config", all->folder, (int)(strlen(text) - strlen(".config")),
                 text);
        if (add_machine(all, name, config, trace, err) < 0) return -1;
    }
    return 0;
}

/* Which machine a run is of; n_machines if it is not repeated here: that of another network. */
static uint32_t machine_of(const struct reference_runs *all, const char *label)
{
    if (!*all->machines[0]) return strcmp(label, "xbar") == 0 || strstr(label, "+warp_limiting:") ? 0 : 1;
    uint32_t m = 0;
    while (m < all->n_machines && strcmp(all->machines[m], label) != 0) m++;
    return m;
}

/* Leaves a case's trace at rest and appends its runs. */
static int add_case(struct reference_runs *all, const char *name, const json_t *from, struct error *err)
{
    char path[64];
    const char *label;
    const json_t *run;
    snprintf(path, sizeof path, "%s/%s.ptrace", all->dir, name);
    if (import(all->folder, name, json_string_value(json_object_get(from, "trace")), path, err) < 0) return -1;
    json_object_foreach(json_object_get(from, "runs"), label, run) {
        const char *limit = strstr(label, "+warp_limiting:");
        const uint32_t machine = machine_of(all, label);
        if (machine == all->n_machines) continue;
        if (all->n == RUNS_MAX)
            return error_set(err, ERR_LIMIT, "%s/cases.json: more than %d runs", all->folder, RUNS_MAX);
        struct reference_run *to = &all->runs[all->n++];
        to->is_case = !limit;
        to->machine = machine;
        snprintf(to->name, sizeof to->name, "%s", name);
        snprintf(to->label, sizeof to->label, "%s", label);
        snprintf(to->path, sizeof to->path, "%s", path);
        snprintf(to->mech, sizeof to->mech, limit ? "swl,N=%s" : "gto", limit ? strrchr(limit, ':') + 1 : "");
    }
    return 0;
}

/* All runs once, then all of them again, as the kernels. */
static int time_runs(const struct bench *b, struct reference_runs *all, struct error *err)
{
    for (int r = 0; r < b->reps; r++)
        for (size_t i = 0; i < all->n; i++) {
            struct reference_run *run = &all->runs[i];
            bench_sample_machine(b->machine);
            if (once(run->path, all->params[run->machine], run->mech, &run->whole[r], &run->run[r], &run->insts, err) <
                0)
                return error_while(err, "%s, %s", run->name, run->label);
        }
    return 0;
}

/* Geometric means of seconds over a machine's cases, by the median and by the least of their times, and over all its
 * runs. */
struct means {
    double cases, least, runs;
};

/* Prints a machine's runs, and appends them. */
static struct means report_machine(const struct bench *b, struct reference_runs *all, uint32_t machine, json_t *rows)
{
    double log_cases = 0, log_runs = 0, log_least = 0, spread;
    size_t n_cases = 0, n_runs = 0;
    for (size_t i = 0; i < all->n; i++) {
        struct reference_run *run = &all->runs[i];
        if (run->machine != machine) continue;
        const double ours = median(run->whole, b->reps, &spread), alone = median(run->run, b->reps, NULL),
                     winst_s = (double)run->insts / alone;
        log_runs += log(ours), n_runs++;
        /* the median has sorted them */
        if (run->is_case) log_cases += log(ours), log_least += log(run->whole[0]), n_cases++;
        if (!b->json)
            printf("%-8s %-24s %9.4f %9.4f %10.0f %6.1f%%\n", run->name, run->label, ours, alone, winst_s,
                   100 * spread);
        json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f}", "case", run->name, "run", run->label,
                                              "cpu_s", ours, "cpu_s_least", run->whole[0], "run_cpu_s", alone,
                                              "winst_s", winst_s, "spread", spread));
    }
    return (struct means){exp(log_cases / (double)n_cases), exp(log_least / (double)n_cases),
                          exp(log_runs / (double)n_runs)};
}

static void print_head(const struct bench *b)
{
    if (!b->json) printf("\n%-8s %-24s %9s %9s %10s %7s\n", "case", "run", "CPU s", "run s", "winst/s", "spread");
}

static void report_reference(const struct bench *b, struct reference_runs *all, json_t *out)
{
    json_t *rows = json_array();
    print_head(b);
    const struct means m = report_machine(b, all, 0, rows);
    if (!b->json)
        printf(
            "geometric mean: %.4f s over the cases (%.4f s by the least of their times), %.4f s over all their runs\n",
            m.cases, m.least, m.runs);
    json_object_set_new(out, "reference",
                        json_pack("{s:o,s:f,s:f,s:f}", "rows", rows, "geomean_cpu_s", m.cases,
                                  "geomean_cpu_s_least_times", m.least, "geomean_cpu_s_all_runs", m.runs));
}

static void report_cards(const struct bench *b, struct reference_runs *all, json_t *out)
{
    json_t *rows = json_array(), *cards = json_object();
    print_head(b);
    for (uint32_t i = 0; i < all->n_machines; i++) {
        const struct means m = report_machine(b, all, i, rows);
        if (!b->json)
            printf("%s, geometric mean: %.4f s (%.4f s by the least of the times)\n", all->machines[i], m.cases,
                   m.least);
        json_object_set_new(cards, all->machines[i],
                            json_pack("{s:f,s:f}", "geomean_cpu_s", m.cases, "geomean_cpu_s_least_times", m.least));
    }
    json_object_set_new(out, "cards", json_pack("{s:o,s:o}", "rows", rows, "by_card", cards));
}

static int time_folder(const struct bench *b, struct reference_runs *all, struct error *err)
{
    const char *name;
    const json_t *from;
    if (add_machines(all, err) < 0) return -1;
    json_object_foreach(json_object_get(all->root, "cases"), name, from)
        if (add_case(all, name, from, err) < 0) return -1;
    return time_runs(b, all, err);
}

static int bench_folder(const struct bench *b, const char *folder, json_t *out, struct error *err)
{
    char path[1024];
    struct reference_runs *all = calloc(1, sizeof *all);
    if (!all) return error_set(err, ERR_MEMORY, "no memory");
    *all = (struct reference_runs){.folder = folder, .dir = "/tmp/poise-bench-XXXXXX"};
    snprintf(path, sizeof path, "%s/cases.json", folder);
    all->root = json_load_file(path, 0, NULL);
    int result = all->root ? 0 : error_set(err, ERR_INPUT, "%s: cannot be read", path);
    const bool has_dir = result == 0 && mkdtemp(all->dir);
    if (result == 0 && !has_dir) result = error_set(err, ERR_IO, "%s: %s", all->dir, strerror(errno));
    if (result == 0) result = time_folder(b, all, err);
    if (result == 0) (*all->machines[0] ? report_cards : report_reference)(b, all, out);
    for (size_t i = 0; i < all->n; i++) unlink(all->runs[i].path);
    for (size_t i = 0; i < all->n_machines; i++) gpu_params_free(all->params[i]);
    if (has_dir) rmdir(all->dir);
    json_decref(all->root);
    free(all);
    return result;
}

int bench_reference(const struct bench *b, json_t *out, struct error *err) { return bench_folder(b, CASES, out, err); }

int bench_cards(const struct bench *b, json_t *out, struct error *err) { return bench_folder(b, CARDS, out, err); }
