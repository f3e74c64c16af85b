/* The reference's cases: its traces imported in memory, its runs repeated here. */
#include "studies/validate/validate.h"

#include <jansson.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/accelsim.h"
#include "poise/file.h"
#include "poise/trace.h"

#define ARCHIVE_MAX (4ull << 30)

/* The kernels of a case, in order. */
struct kernels {
    struct trace **traces;
    size_t n;
};

static void kernels_fini(struct kernels *k)
{
    for (size_t i = 0; i < k->n; i++) trace_close(k->traces[i]);
    free(k->traces);
}

static int add_kernel(struct kernels *k, const struct accelsim_archive *archive, const char *folder, const char *file,
                      struct error *err)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", folder, file);
    const struct accelsim_member *member = accelsim_archive_find(archive, name);
    if (!member) return error_set(err, ERR_INPUT, "the archive has no %s", name);
    if (accelsim_import_text(&k->traces[k->n], name, member->data, member->size, NULL, err) < 0) return -1;
    k->n++;
    return 0;
}

static int load_kernels(struct kernels *out, const char *path, const char *name, struct error *err)
{
    struct accelsim_archive archive;
    struct accelsim_list list = {0};
    char folder[256], file[300];
    *out = (struct kernels){0};
    if (accelsim_archive_open(&archive, path, ARCHIVE_MAX, err) < 0) return -1;
    snprintf(folder, sizeof folder, "%s/", name);
    snprintf(file, sizeof file, "%skernelslist.g", folder);
    const struct accelsim_member *member = accelsim_archive_find(&archive, file);
    int result = member ? accelsim_list_parse(&list, file, member->data, member->size, err)
                        : error_set(err, ERR_INPUT, "%s: no %s in it", path, file);
    out->traces = calloc(list.n + 1, sizeof *out->traces);
    if (result == 0 && !out->traces) result = error_set(err, ERR_MEMORY, "%s: no memory for %zu kernels", path, list.n);
    for (size_t i = 0; i < list.n && result == 0; i++)
        if (list.commands[i].is_kernel) result = add_kernel(out, &archive, folder, list.commands[i].file, err);
    if (result == 0 && out->n == 0) result = error_set(err, ERR_INPUT, "%s: %s names no kernel", path, file);
    accelsim_list_fini(&list);
    accelsim_archive_close(&archive);
    return result;
}

static double line_bytes_of(const struct gpu_params *params)
{
    json_t *json = gpu_params_json(params);
    const double bytes = json_number_value(json_object_get(json_object_get(json, "l1"), "line_bytes"));
    json_decref(json);
    return bytes;
}

/* One kernel on one machine, added to the run's figures. */
static int simulate_kernel(struct validate_figures *f, const struct trace *trace, const struct gpu_params *params,
                           const struct mech_spec *spec, struct error *err)
{
    const struct gpu_limits limits = {0};
    const double line_bytes = line_bytes_of(params);
    struct plan *plan;
    struct gpu_result r = {0};
    if (plan_new(&plan, trace, params, err) < 0) return -1;
    const int result = gpu_run(&r, plan, params, spec, 1, &limits, err);
    if (result == 0) {
#define VALUE(name) gpu_stats_value(r.stats, name)
        f->cycles += VALUE("core_cycles");
        f->l1d_loads += VALUE("l1d_load_accesses");
        f->l1d_hits += VALUE("l1d_load_hits");
        f->l1d_merges += VALUE("l1d_mshr_merges");
        f->l1d_misses += VALUE("l1d_misses");
        f->l2_accesses += VALUE("l2_accesses");
        f->l2_misses += VALUE("l2_misses");
        /* The reference counts reads of lines that a store allocates apart; commands are 64 bytes, as our bursts. */
        f->dram_reads += VALUE("dram_reads") - VALUE("l2_allocate_reads") * line_bytes / 64;
        f->dram_writes += VALUE("dram_writes");
#undef VALUE
    }
    gpu_result_free(&r);
    plan_free(plan);
    return result;
}

/* Kernels run one after another, each with cold caches. */
static int simulate(struct validate_run *run, const struct kernels *kernels, const struct validation *v,
                    struct error *err)
{
    const struct gpu_params *params = v->machines[run->machine].params;
    char text[40] = "gto";
    struct mech_spec spec;
    if (run->limit) snprintf(text, sizeof text, "swl,N=%u", run->limit);
    if (mech_parse(&spec, text, err) < 0) return -1;
    int result = 0;
    for (size_t i = 0; i < kernels->n && result == 0; i++)
        result = simulate_kernel(&run->ours, kernels->traces[i], params, &spec, err);
    mech_free(&spec);
    return result < 0 ? error_while(err, "%s", run->run) : 0;
}

static double figure(const json_t *run, const char *name)
{
    const json_t *value = json_object_get(run, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The sum of those figures that are there, times `scale`; NAN if none is. */
static double figures(const json_t *run, const char *const *names, double scale)
{
    double sum = NAN;
    for (; *names; names++) {
        const double value = figure(run, *names);
        if (!isnan(value)) sum = isnan(sum) ? scale * value : sum + scale * value;
    }
    return sum;
}
#define FIGURES(run, scale, ...) figures(run, (const char *const[]){__VA_ARGS__, NULL}, scale)

/* Loads of sectored caches are counted by 32-byte sector, misses of further sectors of a line apart, and DRAM in
 * transfers of 32 bytes. */
static int read_run(struct validate_run *out, const char *name, const json_t *run, const char *path, struct error *err)
{
    const char *limit = strstr(name, "warp_limiting:");
    struct validate_figures f = {.cycles = figure(run, "core_cycles"),
                                 .l1d_hits = figure(run, "core_GLOBAL_ACC_R_HIT"),
                                 .l1d_merges = figure(run, "core_GLOBAL_ACC_R_HIT_RESERVED"),
                                 .l1d_misses =
                                     FIGURES(run, 1, "core_GLOBAL_ACC_R_MISS", "core_GLOBAL_ACC_R_SECTOR_MISS"),
                                 .l2_accesses = figure(run, "l2_accesses"),
                                 .l2_misses = figure(run, "l2_misses"),
                                 .dram_reads = figure(run, "dram_read_cmds"),
                                 .dram_writes = figure(run, "dram_write_cmds")};
    if (isnan(f.dram_reads)) f.dram_reads = FIGURES(run, 0.5, "dram_reads_32B");
    if (isnan(f.dram_writes)) f.dram_writes = FIGURES(run, 0.5, "dram_writes_32B");
    f.l1d_loads = f.l1d_hits + f.l1d_merges + f.l1d_misses;
    *out = (struct validate_run){
        .reference = f,
        .limit = limit && strrchr(limit, ':') ? (uint32_t)strtoul(strrchr(limit, ':') + 1, NULL, 10) : 0};
    snprintf(out->run, sizeof out->run, "%s", name);
    return f.cycles > 0 ? 0 : error_set(err, ERR_INPUT, "%s: run '%s' has no core_cycles", path, name);
}

/* The machine that a run belongs to; v->n_machines if it is one that is not repeated: of another network than the
 * built-in crossbar. */
static size_t machine_of(const struct validation *v, const char *run)
{
    if (!v->is_by_config) return strcmp(run, "xbar") == 0 || strncmp(run, "xbar+warp_limiting:", 19) == 0 ? 0 : 1;
    size_t i = 0;
    while (i < v->n_machines && strcmp(v->machines[i].name, run) != 0) i++;
    return i;
}

static int read_case(struct validate_case *out, const struct validation *v, const char *name, const json_t *from,
                     const char *path, struct error *err)
{
    const char *run_name;
    json_t *runs = json_object_get(from, "runs"), *run;
    if (!json_is_object(runs) || !json_is_string(json_object_get(from, "trace")))
        return error_set(err, ERR_INPUT, "%s: case '%s' lacks 'runs' or 'trace'", path, name);
    snprintf(out->name, sizeof out->name, "%s", name);
    out->runs = calloc(json_object_size(runs) + 1, sizeof *out->runs);
    if (!out->runs) return error_set(err, ERR_MEMORY, "%s: no memory for its runs", path);
    json_object_foreach(runs, run_name, run) {
        const size_t machine = machine_of(v, run_name);
        if (machine == v->n_machines && v->is_by_config)
            return error_set(err, ERR_INPUT, "%s: case '%s' has a run of '%s', which 'configs' does not name", path,
                             name, run_name);
        if (machine == v->n_machines) continue;
        if (read_run(&out->runs[out->n_runs], run_name, run, path, err) < 0) return -1;
        out->runs[out->n_runs++].machine = (uint32_t)machine;
    }
    if (out->n_runs) return 0;
    return error_set(err, ERR_INPUT,
                     v->is_by_config ? "%s: case '%s' has no run" : "%s: case '%s' has no run of the built-in crossbar",
                     path, name);
}

static int by_limit(const void *a, const void *b)
{
    /* 0, all, comes last */
    const uint32_t x = ((const struct validate_run *)a)->limit - 1, y = ((const struct validate_run *)b)->limit - 1;
    return x < y ? -1 : x > y;
}

static int by_machine(const void *a, const void *b)
{
    const struct validate_run *x = a, *y = b;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* The curve of limits on warps, which folders with one machine have. */
static void find_best(struct validate_case *c, bool is_by_config)
{
    const struct validate_run *ours = NULL, *theirs = NULL;
    qsort(c->runs, c->n_runs, sizeof *c->runs, is_by_config ? by_machine : by_limit);
    c->swl_loss = NAN;
    if (is_by_config) return;
    for (size_t i = 0; i < c->n_runs; i++) {
        const struct validate_run *r = &c->runs[i];
        if (!r->limit) c->gto = r;
        if (!ours || r->ours.cycles < ours->ours.cycles) ours = r;
        if (!theirs || r->reference.cycles < theirs->reference.cycles) theirs = r;
    }
    if (c->n_runs < 2) return;
    c->best_limit = ours->limit;
    c->reference_best_limit = theirs->limit;
    c->swl_loss = 1 - theirs->reference.cycles / ours->reference.cycles;
}

static int run_case(struct validate_case *c, const struct validation *v, const char *trace, int threads,
                    struct error *err)
{
    char path[4096];
    struct kernels kernels;
    int failed = 0;
    snprintf(path, sizeof path, "%s/%s", v->dir, trace);
    int result = load_kernels(&kernels, path, c->name, err);
    for (size_t i = 0; i < kernels.n && result == 0; i++) c->warp_insts += kernels.traces[i]->n_steps;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (result == 0 && c->n_runs > 1)
    for (size_t i = 0; i < c->n_runs; i++) {
        struct error own = {0};
        if (result == 0 && simulate(&c->runs[i], &kernels, v, &own) < 0) {
#pragma omp critical(validate_error)
            if (!failed++) *err = own;
        }
    }
    kernels_fini(&kernels);
    find_best(c, v->is_by_config);
    if (failed) result = error_while(err, "%s", c->name);
    return result;
}

enum { ANY_MACHINE = UINT32_MAX };
/* Of the runs of a machine, or of all; has_limits: those with a limit on warps too. */
static struct validate_agreement agreement_of(const struct validation *v, uint32_t machine, bool has_limits)
{
    size_t n = 0, most = 0;
    double sum = 0;
    for (size_t i = 0; i < v->n; i++) most += v->cases[i].n_runs;
    double *x = calloc(2 * most + 1, sizeof *x), *y = x ? x + most : NULL;
    for (size_t i = 0; i < v->n && x; i++)
        for (size_t k = 0; k < v->cases[i].n_runs; k++) {
            const struct validate_run *run = &v->cases[i].runs[k];
            if ((machine != ANY_MACHINE && run->machine != machine) || (run->limit && !has_limits)) continue;
            x[n] = run->ours.cycles;
            y[n++] = run->reference.cycles;
            sum += fabs(validate_error(run->ours.cycles, run->reference.cycles));
        }
    const struct validate_agreement out = {n ? sum / (double)n : NAN, x ? pearson_of(x, y, n) : NAN,
                                           x ? kendall_of(x, y, n) : NAN};
    free(x);
    return out;
}

static void overall(struct validation *v)
{
    v->max_swl_loss = NAN;
    for (size_t i = 0; i < v->n; i++)
        if (!isnan(v->cases[i].swl_loss) && !(v->max_swl_loss >= v->cases[i].swl_loss))
            v->max_swl_loss = v->cases[i].swl_loss;
    v->gto = agreement_of(v, ANY_MACHINE, false);
    v->all = agreement_of(v, ANY_MACHINE, true);
    for (size_t i = 0; i < v->n_machines; i++) v->machines[i].agreement = agreement_of(v, (uint32_t)i, true);
}

int validate_cases(struct validation *out, const char *dir, unsigned threads, bool is_lenient, struct error *err)
{
    char path[4096];
    const char *name;
    json_t *from;
    *out = (struct validation){.dir = strdup(dir), .is_lenient = is_lenient};
    snprintf(path, sizeof path, "%s/cases.json", dir);
    json_t *root = file_read_json(path, err), *cases = json_object_get(root, "cases");
    int result = root ? 0 : -1;
    if (result == 0 && !json_is_object(cases)) result = error_set(err, ERR_INPUT, "%s: no object 'cases'", path);
    if (result == 0 && !(out->cases = calloc(json_object_size(cases) + 1, sizeof *out->cases)))
        result = error_set(err, ERR_MEMORY, "%s: no memory", path);
    if (result == 0) result = validate_load_machines(out, root, path, err);
    if (result == 0)
        json_object_foreach(cases, name, from) {
            struct validate_case *c = &out->cases[out->n++];
            result = read_case(c, out, name, from, path, err);
            if (result == 0)
                result = run_case(c, out, json_string_value(json_object_get(from, "trace")),
                                  threads ? (int)threads : omp_get_num_procs(), err);
            if (result < 0) break;
        }
    json_decref(root);
    if (result < 0) validation_fini(out);
    else overall(out);
    return result;
}

void validation_fini(struct validation *v)
{
    for (size_t i = 0; i < v->n; i++) free(v->cases[i].runs);
    free(v->cases);
    for (size_t i = 0; i < v->n_machines; i++) gpu_params_free(v->machines[i].params);
    free(v->machines);
    free(v->dir);
    *v = (struct validation){0};
}
