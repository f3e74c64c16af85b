/* The microbenchmarks' launches (datasets/kernels/microbench) as figures: what the longer of two runs costs beyond the
 * shorter. */
#include "studies/validate/microbench.h"
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "microbench/microbench.h"
#include "poise/lab.h"
#include "poise/say.h"
#include "poise/table.h"

/* ---- the launches' cycles ---- */

struct timed {
    const char *kernel;
    double cycles; /* NAN: none */
};
/* Each kernel's launches in order. */
struct measured {
    struct timed *items;
    size_t n;
};

/* The `at`-th launch of a kernel; NAN: there is none. */
static double cycles_at(const struct measured *m, const char *kernel, size_t at)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->items[i].kernel, kernel) == 0 && at-- == 0) return m->items[i].cycles;
    return NAN;
}

/* What the longer run of a kernel's `pair` costs beyond the shorter. */
static double beyond(const struct measured *m, const char *kernel, size_t pair)
{
    return cycles_at(m, kernel, 2 * pair + 1) - cycles_at(m, kernel, 2 * pair);
}

/* ---- figures ---- */

static void add(struct micro_result *out, const char *name, double value, const char *unit, const char *doc, ...)
    __attribute__((format(printf, 5, 6)));
static void add(struct micro_result *out, const char *name, double value, const char *unit, const char *doc, ...)
{
    va_list args;
    if (out->n == MICRO_FIGURES_MAX) return;
    struct micro_figure *f = &out->figures[out->n++];
    *f = (struct micro_figure){.value = value};
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->unit, sizeof f->unit, "%s", unit);
    va_start(args, doc);
    vsnprintf(f->doc, sizeof f->doc, doc, args);
    va_end(args);
}

static double figure_of(const struct micro_result *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->figures[i].name, name) == 0) return r->figures[i].value;
    return NAN;
}

static void add_operations(struct micro_result *out, const struct measured *m)
{
    static const struct {
        const char *name, *latency, *throughput;
        double insts;
    } ops[] = {
#define M(name, insts) {#name, "lat_" #name, "thr_" #name, insts},
        MICRO_OPS(M)
#undef M
    };
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        add(out, ops[i].latency, beyond(m, ops[i].latency, 0) / (MICRO_ROUNDS * MICRO_LATENCY_LINES * ops[i].insts),
            "cycles", "latency of a dependent %s", ops[i].name);
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        add(out, ops[i].throughput,
            MICRO_ROUNDS * MICRO_THROUGHPUT_LINES * ops[i].insts * MICRO_THREADS / beyond(m, ops[i].throughput, 0),
            "results/cycle/SM", "throughput of %s", ops[i].name);
    add(out, "lat_barrier_1", beyond(m, "lat_barrier", 0) / (MICRO_ROUNDS * MICRO_BARRIER_LINES), "cycles",
        "barrier of one warp");
    add(out, "lat_barrier_cta", beyond(m, "lat_barrier", 1) / (MICRO_ROUNDS * MICRO_BARRIER_LINES), "cycles",
        "barrier of %d warps", MICRO_WARPS);
}

static void add_shared(struct micro_result *out, const struct measured *m)
{
    static const unsigned strides[] = {
#define M(words) words,
        MICRO_STRIDES(M)
#undef M
    };
    char name[40];
    const double loads = MICRO_ROUNDS * MICRO_SHARED_LINES * MICRO_WARPS;
    add(out, "lat_shared", beyond(m, "lat_shared", 0) / (MICRO_ROUNDS * MICRO_SHARED_LATENCY_LINES), "cycles",
        "a load of shared memory to the next");
    for (size_t i = 0; i < COUNT_OF(strides); i++) {
        snprintf(name, sizeof name, "shared_conflict_%u", strides[i]);
        add(out, name, beyond(m, "thr_shared", i) / loads, "cycles/access",
            "shared load of a warp, lanes %u words apart", strides[i]);
    }
    add(out, "bw_shared", loads * 128 / beyond(m, "thr_shared", 0), "bytes/cycle/SM", "shared loads of 4 bytes a lane");
    add(out, "bw_shared_v4",
        (double)MICRO_ROUNDS * MICRO_SHARED_V4_LINES * MICRO_WARPS * 512 / beyond(m, "thr_shared_v4", 0),
        "bytes/cycle/SM", "shared loads of 16 bytes a lane");
}

static void add_constants(struct micro_result *out, const struct measured *m)
{
    static const unsigned distinct[] = {
#define M(addresses) addresses,
        MICRO_DISTINCT(M)
#undef M
    };
    char name[40];
    /* Each load is followed by an addition of 64 bits. */
    add(out, "lat_const",
        beyond(m, "lat_const", 0) / (MICRO_ROUNDS * MICRO_CONST_LINES) - figure_of(out, "lat_int_alu64"), "cycles",
        "a load of constants to its use");
    for (size_t i = 0; i < COUNT_OF(distinct); i++) {
        snprintf(name, sizeof name, "const_distinct_%u", distinct[i]);
        add(out, name, beyond(m, "thr_const", i) / (MICRO_ROUNDS * MICRO_CONST_LINES * MICRO_WARPS), "cycles/access",
            "constant load of a warp, %u distinct addresses", distinct[i]);
    }
}

static void add_atomics(struct micro_result *out, const struct measured *m)
{
    static const char *const which[] = {"same", "apart"};
    const double each = MICRO_ROUNDS * MICRO_ATOMIC_LINES, lanes = each * MICRO_THREADS;
    char name[40];
    add(out, "lat_atom_shared", beyond(m, "lat_atom_shared", 0) / each, "cycles", "atomic add in shared memory");
    add(out, "lat_atom_global", beyond(m, "lat_atom_global", 0) / each, "cycles", "atomic add in global memory");
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "atom_shared_%s", which[i]);
        add(out, name, lanes / beyond(m, "thr_atom_shared", i), "lanes/cycle/SM", "atomics of shared memory, %s",
            i ? "a word a lane" : "one word");
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "atom_global_%s", which[i]);
        add(out, name, lanes / beyond(m, "thr_atom_global", i), "lanes/cycle", "atomics of global memory by one SM, %s",
            i ? "a word a lane" : "one word");
    }
}

static void read_curve(struct micro_curve *out, const struct measured *m, const char *kernel, const uint32_t *kb,
                       size_t n)
{
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        out->kb[i] = kb[i];
        out->cycles[i] = beyond(m, kernel, i) / (kb[i] * 1024 / MICRO_LINE);
    }
}

/* The largest footprint whose loads take as long as those of the smallest. */
static double size_of(const struct micro_curve *c)
{
    size_t i = 0;
    while (i + 1 < c->n && c->cycles[i + 1] <= 1.25 * c->cycles[0]) i++;
    return c->n ? (double)c->kb[i] : (double)NAN;
}

static void add_caches(struct micro_result *out, const struct measured *m)
{
    static const uint32_t l1[] = {
#define M(kb) kb,
        MICRO_L1_KB(M)
#undef M
    };
    static const uint32_t l2[] = {
#define M(kb) kb,
        MICRO_L2_KB(M)
#undef M
    };
    const size_t last = COUNT_OF(l2) - 1;
    read_curve(&out->l1, m, "chase_ca", l1, COUNT_OF(l1));
    read_curve(&out->l2, m, "chase_cg", l2, COUNT_OF(l2));
    add(out, "lat_l1", out->l1.cycles[0], "cycles", "a load that hits L1, by pointer chase");
    add(out, "lat_l2", out->l2.cycles[0], "cycles", "a load that hits L2");
    /* First rounds miss everywhere. */
    add(out, "lat_dram",
        (cycles_at(m, "chase_cg", 2 * last) - cycles_at(m, "chase_cg", 2 * (last - 1))) /
            ((l2[last] - l2[last - 1]) * 1024 / MICRO_LINE),
        "cycles", "a load from DRAM, lines in order");
    add(out, "size_l1", size_of(&out->l1), "KB", "largest footprint that stays in L1, of those tried");
    add(out, "size_l2", size_of(&out->l2), "KB", "largest footprint that stays in L2, of those tried");
}

static void add_bandwidths(struct micro_result *out, const struct measured *m, double core_mhz)
{
    const double threads = (double)MICRO_GRID * MICRO_GRID_THREADS,
                 l2 = MICRO_ROUNDS * threads * 4 / beyond(m, "bw_l2", 0),
                 dram = MICRO_ROUNDS * threads * 16 / beyond(m, "bw_dram", 0);
    add(out, "bw_l1", (double)MICRO_ROUNDS * MICRO_L1_LINES * MICRO_WARPS * 128 / beyond(m, "bw_l1", 0),
        "bytes/cycle/SM", "loads that hit L1");
    add(out, "bw_l2", l2, "bytes/cycle", "loads that hit L2, all SMs");
    add(out, "bw_l2_gb", l2 * core_mhz / 1000, "GB/s", "the same at this machine's clock");
    add(out, "bw_dram", dram, "bytes/cycle", "loads from DRAM, all SMs");
    add(out, "bw_dram_gb", dram * core_mhz / 1000, "GB/s", "the same at this machine's clock");
}

/* ---- the runs ---- */

static double core_mhz_of(const struct gpu_params *params)
{
    json_t *json = gpu_params_json(params);
    const double mhz = json_number_value(json_object_get(json_object_get(json, "clock"), "core_mhz"));
    json_decref(json);
    return mhz;
}

static int simulate(struct run_job *jobs, const struct launches *launches, const struct gpu_params *params,
                    struct runner *runner, struct error *err)
{
    for (size_t i = 0; i < launches->n; i++) {
        jobs[i] = (struct run_job){.launch = &launches->items[i], .params = params, .n_stack = 1};
        if (mech_parse(&jobs[i].stack[0], "gto", err) < 0) return -1;
    }
    if (runner_run(runner, "microbenchmarks", jobs, launches->n, err) < 0) return -1;
    /* A launch that this machine cannot take leaves its figure blank. */
    for (size_t i = 0; i < launches->n; i += 2)
        if (jobs[i].result.err.code != ERR_NONE) say_note(stderr, "%s", jobs[i].result.err.text);
    return 0;
}

const struct workload microbench_workload = {
    .name = "microbench", .program = "microbench", .inputs = {-1}, .n_inputs = 1};

static void add_all(struct micro_result *out, const struct measured *m, double core_mhz)
{
    add_operations(out, m);
    add_shared(out, m);
    add_constants(out, m);
    add_atomics(out, m);
    add_caches(out, m);
    add_bandwidths(out, m, core_mhz);
}

int microbench(struct micro_result *out, const struct gpu_params *params, struct runner *runner,
               const struct lab_paths *paths, struct error *err)
{
    struct launches launches = {0};
    *out = (struct micro_result){0};
    int result = workload_launches(&launches, paths, &microbench_workload, workload_size("small"), -1, err);
    struct run_job *jobs = calloc(launches.n + 1, sizeof *jobs);
    const struct measured m = {calloc(launches.n + 1, sizeof *m.items), launches.n};
    if ((!jobs || !m.items) && result == 0)
        result = error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches.n);
    if (result == 0) result = simulate(jobs, &launches, params, runner, err);
    for (size_t i = 0; i < launches.n && result == 0; i++)
        m.items[i] = (struct timed){launches.items[i].kernel, jobs[i].result.err.code == ERR_NONE
                                                                  ? gpu_stats_value(jobs[i].result.stats, "core_cycles")
                                                                  : NAN};
    if (result == 0) add_all(out, &m, core_mhz_of(params));
    for (size_t i = 0; jobs && i < launches.n; i++) run_job_fini(&jobs[i]);
    free(m.items);
    free(jobs);
    launches_fini(&launches);
    return result;
}

void microbench_measured(struct micro_result *out, const struct hardware *hardware)
{
    const struct measured m = {calloc(hardware->n + 1, sizeof *m.items), hardware->n};
    *out = (struct micro_result){0};
    for (size_t i = 0; i < hardware->n && m.items; i++) {
        const bool is_ours = strcmp(hardware->rows[i].program, microbench_workload.name) == 0;
        m.items[i] = (struct timed){is_ours ? hardware->rows[i].kernel : "", hardware->rows[i].cycles};
    }
    if (m.items) add_all(out, &m, NAN);
    free(m.items);
}

/* ---- what is printed ---- */

static json_t *figure_json(double value) { return isfinite(value) ? json_figure(value) : json_null(); }

static json_t *curve_json(const struct micro_curve *c)
{
    json_t *out = json_array();
    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(out,
                              json_pack("{s:I,s:o}", "kb", (json_int_t)c->kb[i], "cycles", figure_json(c->cycles[i])));
    return out;
}

json_t *microbench_json(const struct micro_result *r, const struct micro_result *measured)
{
    json_t *list = json_array(), *sources = json_object();
    for (size_t i = 0; i < r->n; i++) {
        const struct micro_figure *f = &r->figures[i];
        json_t *published = json_object();
        for (int gpu = 0; gpu < MICRO_GPUS; gpu++) {
            const struct micro_published *p = micro_published_of(f->name, (enum micro_gpu)gpu);
            if (p)
                json_object_set_new(published, micro_gpus[gpu],
                                    json_pack("{s:f,s:s}", "value", p->value, "source", p->source));
        }
        json_t *one = json_pack("{s:s,s:s,s:s,s:o,s:o}", "name", f->name, "unit", f->unit, "doc", f->doc, "value",
                                figure_json(f->value), "published", published);
        if (measured) json_object_set_new(one, "measured", figure_json(figure_of(measured, f->name)));
        json_array_append_new(list, one);
    }
    for (size_t i = 0; i < n_micro_sources; i++)
        json_object_set_new(sources, micro_sources[i].key, json_string(micro_sources[i].text));
    return json_pack("{s:o,s:{s:o,s:o},s:o}", "microbench", list, "chase", "l1", curve_json(&r->l1), "l2",
                     curve_json(&r->l2), "sources", sources);
}

static void print_curve(const char *what, const struct micro_curve *c, FILE *out)
{
    fprintf(out, "%s\n  KB    ", what);
    for (size_t i = 0; i < c->n; i++) fprintf(out, " %7u", c->kb[i]);
    fprintf(out, "\n  cycles");
    for (size_t i = 0; i < c->n; i++) fprintf(out, " %7.1f", c->cycles[i]);
    fputc('\n', out);
}

static void print_value(double value, FILE *out)
{
    if (isfinite(value)) fprintf(out, " %10.2f", value);
    else fprintf(out, " %10s", "-");
}

void microbench_print(const struct micro_result *r, const struct micro_result *measured, FILE *out)
{
    fprintf(out, "%-20s %10s%s  %-18s", "figure", "here", measured ? "   measured" : "", "unit");
    for (int gpu = 0; gpu < MICRO_GPUS; gpu++) fprintf(out, " %8s", micro_gpus[gpu]);
    fprintf(out, "  what\n");
    for (size_t i = 0; i < r->n; i++) {
        const struct micro_figure *f = &r->figures[i];
        fprintf(out, "%-20s", f->name);
        print_value(f->value, out);
        if (measured) print_value(figure_of(measured, f->name), out);
        fprintf(out, "  %-18s", f->unit);
        for (int gpu = 0; gpu < MICRO_GPUS; gpu++) {
            const struct micro_published *p = micro_published_of(f->name, (enum micro_gpu)gpu);
            if (p) fprintf(out, " %8g", p->value);
            else fprintf(out, " %8s", "");
        }
        fprintf(out, "  %s\n", f->doc);
    }
    fputc('\n', out);
    print_curve("Pointer chase through L1, a load of the second round:", &r->l1, out);
    print_curve("Pointer chase that passes L1:", &r->l2, out);
    fprintf(out, "\nColumns behind the unit are published; a blank: no source that was read has it.\n");
    for (size_t i = 0; i < n_micro_sources; i++)
        fprintf(out, "  %s: %s\n", micro_sources[i].key, micro_sources[i].text);
}
