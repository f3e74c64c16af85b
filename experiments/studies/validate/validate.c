/* The reference's cases: its traces imported in memory, every run of its built-in crossbar repeated here. */
#include "studies/validate/validate.h"

#include <jansson.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "poise/accelsim.h"
#include "poise/gpgpusim.h"
#include "poise/trace.h"

#define ARCHIVE_MAX (4ull << 30)

/* The kernels of a case, in order, with their plans. */
struct kernels { struct trace **traces; struct plan **plans; size_t n; };

static void kernels_fini(struct kernels *k)
{
    for (size_t i = 0; i < k->n; i++) {
        plan_free(k->plans[i]);
        trace_close(k->traces[i]);
    }
    free(k->plans);
    free(k->traces);
}

static int add_kernel(struct kernels *k, const struct accelsim_archive *archive, const char *folder, const char *file, const struct gpu_params *params,
                      struct error *err)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", folder, file);
    const struct accelsim_member *member = accelsim_archive_find(archive, name);
    if (!member) return error_set(err, ERR_INPUT, "the archive has no %s", name);
    if (accelsim_import_text(&k->traces[k->n], name, member->data, member->size, NULL, err) < 0) return -1;
    k->plans[k->n] = NULL;
    const int result = plan_new(&k->plans[k->n], k->traces[k->n], params, err);
    k->n++;
    return result;
}

static int load_kernels(struct kernels *out, const char *path, const char *name, const struct gpu_params *params, struct error *err)
{
    struct accelsim_archive archive;
    struct accelsim_list list = {0};
    char folder[256], file[300];
    *out = (struct kernels){0};
    if (accelsim_archive_open(&archive, path, ARCHIVE_MAX, err) < 0) return -1;
    snprintf(folder, sizeof folder, "%s/", name);
    snprintf(file, sizeof file, "%skernelslist.g", folder);
    const struct accelsim_member *member = accelsim_archive_find(&archive, file);
    int result = member ? accelsim_list_parse(&list, file, member->data, member->size, err) : error_set(err, ERR_INPUT, "%s: no %s in it", path, file);
    out->traces = calloc(list.n + 1, sizeof *out->traces);
    out->plans = calloc(list.n + 1, sizeof *out->plans);
    if (result == 0 && (!out->traces || !out->plans)) result = error_set(err, ERR_MEMORY, "%s: no memory for %zu kernels", path, list.n);
    for (size_t i = 0; i < list.n && result == 0; i++)
        if (list.commands[i].is_kernel) result = add_kernel(out, &archive, folder, list.commands[i].file, params, err);
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

/* Kernels run one after another, each with cold caches. */
static int simulate(struct validate_run *run, const struct kernels *kernels, const struct gpu_params *params, struct error *err)
{
    char text[40] = "gto";
    struct mech_spec spec;
    const struct gpu_limits limits = {0};
    struct validate_figures *f = &run->ours;
    const double line_bytes = line_bytes_of(params);
    if (run->limit) snprintf(text, sizeof text, "swl,N=%u", run->limit);
    if (mech_parse(&spec, text, err) < 0) return -1;
    int result = 0;
    for (size_t i = 0; i < kernels->n && result == 0; i++) {
        struct gpu_result r = {0};
        if ((result = gpu_run(&r, kernels->plans[i], params, &spec, 1, &limits, err)) < 0) break;
#define VALUE(name) gpu_stats_value(r.stats, name)
        f->cycles += VALUE("core_cycles");
        f->l1d_loads += VALUE("l1d_load_accesses");
        f->l1d_hits += VALUE("l1d_load_hits");
        f->l1d_merges += VALUE("l1d_mshr_merges");
        f->l1d_misses += VALUE("l1d_misses");
        f->l2_accesses += VALUE("l2_accesses");
        f->l2_misses += VALUE("l2_misses");
        /* The reference counts reads of lines that a store allocates apart; its commands are 64 bytes, as our bursts. */
        f->dram_reads += VALUE("dram_reads") - VALUE("l2_allocate_reads") * line_bytes / 64;
        f->dram_writes += VALUE("dram_writes");
#undef VALUE
        gpu_result_free(&r);
    }
    mech_free(&spec);
    return result;
}

static double figure(const json_t *run, const char *name)
{
    const json_t *value = json_object_get(run, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int read_run(struct validate_run *out, const char *name, const json_t *run, const char *path, struct error *err)
{
    const char *limit = strstr(name, "warp_limiting:");
    const struct validate_figures f = {
        .cycles = figure(run, "core_cycles"), .l1d_hits = figure(run, "core_GLOBAL_ACC_R_HIT"), .l1d_merges = figure(run, "core_GLOBAL_ACC_R_HIT_RESERVED"),
        .l1d_misses = figure(run, "core_GLOBAL_ACC_R_MISS"), .l2_accesses = figure(run, "l2_accesses"), .l2_misses = figure(run, "l2_misses"),
        .dram_reads = figure(run, "dram_read_cmds"), .dram_writes = figure(run, "dram_write_cmds"),
        .l1d_loads = figure(run, "core_GLOBAL_ACC_R_HIT") + figure(run, "core_GLOBAL_ACC_R_HIT_RESERVED") + figure(run, "core_GLOBAL_ACC_R_MISS")};
    *out = (struct validate_run){.reference = f, .limit = limit && strrchr(limit, ':') ? (uint32_t)strtoul(strrchr(limit, ':') + 1, NULL, 10) : 0};
    snprintf(out->run, sizeof out->run, "%s", name);
    return f.cycles > 0 ? 0 : error_set(err, ERR_INPUT, "%s: run '%s' has no core_cycles", path, name);
}

/* Runs of the built-in crossbar: "xbar" and "xbar+...". */
static int read_case(struct validate_case *out, const char *name, const json_t *from, const char *path, struct error *err)
{
    const char *run_name;
    json_t *runs = json_object_get(from, "runs"), *run;
    if (!json_is_object(runs) || !json_is_string(json_object_get(from, "trace"))) return error_set(err, ERR_INPUT, "%s: case '%s' lacks 'runs' or 'trace'", path, name);
    snprintf(out->name, sizeof out->name, "%s", name);
    out->runs = calloc(json_object_size(runs) + 1, sizeof *out->runs);
    if (!out->runs) return error_set(err, ERR_MEMORY, "%s: no memory for its runs", path);
    json_object_foreach(runs, run_name, run) {
        if (strcmp(run_name, "xbar") != 0 && strncmp(run_name, "xbar+warp_limiting:", 19) != 0) continue;
        if (read_run(&out->runs[out->n_runs], run_name, run, path, err) < 0) return -1;
        out->n_runs++;
    }
    return out->n_runs ? 0 : error_set(err, ERR_INPUT, "%s: case '%s' has no run of the built-in crossbar", path, name);
}

static int by_limit(const void *a, const void *b)
{
    const uint32_t x = ((const struct validate_run *)a)->limit - 1, y = ((const struct validate_run *)b)->limit - 1; /* 0, all, comes last */
    return x < y ? -1 : x > y;
}

static void find_best(struct validate_case *c)
{
    const struct validate_run *ours = NULL, *theirs = NULL;
    qsort(c->runs, c->n_runs, sizeof *c->runs, by_limit);
    c->swl_loss = NAN;
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

static int run_case(struct validate_case *c, const struct validation *v, const char *trace, int threads, struct error *err)
{
    char path[4096];
    struct kernels kernels;
    int failed = 0;
    snprintf(path, sizeof path, "%s/%s", v->dir, trace);
    int result = load_kernels(&kernels, path, c->name, v->params, err);
    for (size_t i = 0; i < kernels.n && result == 0; i++) c->warp_insts += plan_warp_insts(kernels.plans[i]);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (result == 0 && c->n_runs > 1)
    for (size_t i = 0; i < c->n_runs; i++) {
        struct error own = {0};
        if (result == 0 && simulate(&c->runs[i], &kernels, v->params, &own) < 0) {
#pragma omp critical(validate_error)
            if (!failed++) *err = own;
        }
    }
    kernels_fini(&kernels);
    find_best(c);
    if (failed) result = error_while(err, "%s", c->name);
    return result;
}

static void overall(struct validation *v)
{
    size_t n = 0, n_all = 0, most = 0;
    for (size_t i = 0; i < v->n; i++) most += v->cases[i].n_runs;
    double *x = calloc(4 * most + 1, sizeof *x), *y = x ? x + most : NULL, *all_x = x ? y + most : NULL, *all_y = x ? all_x + most : NULL;
    v->mape = v->mape_all = v->max_swl_loss = v->pearson = v->kendall = v->pearson_all = v->kendall_all = NAN;
    double sum = 0, sum_all = 0;
    for (size_t i = 0; i < v->n && x; i++) {
        const struct validate_case *c = &v->cases[i];
        for (size_t k = 0; k < c->n_runs; k++) {
            all_x[n_all] = c->runs[k].ours.cycles;
            all_y[n_all++] = c->runs[k].reference.cycles;
            sum_all += fabs(validate_error(c->runs[k].ours.cycles, c->runs[k].reference.cycles));
        }
        if (!isnan(c->swl_loss) && !(v->max_swl_loss >= c->swl_loss)) v->max_swl_loss = c->swl_loss;
        if (!c->gto) continue;
        x[n] = c->gto->ours.cycles;
        y[n++] = c->gto->reference.cycles;
        sum += fabs(validate_error(c->gto->ours.cycles, c->gto->reference.cycles));
    }
    if (n) v->mape = sum / (double)n;
    if (n_all) v->mape_all = sum_all / (double)n_all;
    if (x) {
        v->pearson = pearson_of(x, y, n);
        v->kendall = kendall_of(x, y, n);
        v->pearson_all = pearson_of(all_x, all_y, n_all);
        v->kendall_all = kendall_of(all_x, all_y, n_all);
    }
    free(x);
}

/* The folder's configuration, with the trace front end's where there is one. */
static int load_config(struct validation *v, struct error *err)
{
    char config[4096], trace[4096];
    struct stat st;
    snprintf(config, sizeof config, "%s/gtx480_32sm_lx.config", v->dir);
    snprintf(trace, sizeof trace, "%s/trace.config", v->dir);
    const char *const paths[] = {config, trace};
    if (!(v->params = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    return gpgpusim_load(v->params, paths, stat(trace, &st) == 0 ? 2 : 1, NULL, err);
}

int validate_cases(struct validation *out, const char *dir, unsigned threads, struct error *err)
{
    char path[4096];
    json_error_t why;
    const char *name;
    json_t *from;
    *out = (struct validation){.dir = strdup(dir)};
    snprintf(path, sizeof path, "%s/cases.json", dir);
    json_t *root = json_load_file(path, 0, &why), *cases = json_object_get(root, "cases");
    int result = root ? 0 : error_set(err, ERR_INPUT, "%s:%d: %s", path, why.line, why.text);
    if (result == 0 && !json_is_object(cases)) result = error_set(err, ERR_INPUT, "%s: no object 'cases'", path);
    if (result == 0 && !(out->cases = calloc(json_object_size(cases) + 1, sizeof *out->cases))) result = error_set(err, ERR_MEMORY, "%s: no memory", path);
    if (result == 0) result = load_config(out, err);
    if (result == 0)
        json_object_foreach(cases, name, from) {
            struct validate_case *c = &out->cases[out->n++];
            result = read_case(c, name, from, path, err);
            if (result == 0) result = run_case(c, out, json_string_value(json_object_get(from, "trace")), threads ? (int)threads : omp_get_num_procs(), err);
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
    free(v->dir);
    gpu_params_free(v->params);
    *v = (struct validation){0};
}
