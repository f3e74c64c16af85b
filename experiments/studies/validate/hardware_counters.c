/* Counters as profilers name them, from a run's statistics and its trace. */
#include <math.h>
#include <string.h>
#include "poise/hardware.h"
#include "poise/sass.h"
#include "poise/trace.h"

/* Distinct addresses of an access, as the constant cache serves them one after another. */
static uint64_t distinct(const uint64_t addresses[TRACE_LANES], uint32_t mask)
{
    uint64_t n = 0;
    for (uint32_t lane = 0; lane < TRACE_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint32_t before = 0;
        while (before < lane && !((mask >> before & 1) && addresses[before] == addresses[lane])) before++;
        n += before == lane;
    }
    return n;
}

static void count_warp(struct hardware_counts *c, const struct trace_inst *code, const struct sass_warp *warp)
{
    const uint32_t *words = warp->accesses;
    for (uint64_t s = 0; s < warp->n_steps; s++) {
        const struct trace_step *step = &warp->steps[s];
        const struct trace_inst *inst = &code[step->inst];
        uint64_t addresses[TRACE_LANES];
        c->warp_insts++;
        c->insts[inst->cls]++;
        if (!trace_class_is_memory(inst->cls) || !step->mask) continue;
        words += trace_access_decode(words, step->mask, addresses);
        if (inst->space == TRACE_SPACE_SHARED) c->shared_requests++;
        if (inst->space == TRACE_SPACE_CONST) c->constant_requests += distinct(addresses, step->mask);
    }
}

int hardware_count(struct hardware_counts *out, const struct launch *launch, const struct gpu_params *params,
                   const char *decoded_dir, struct error *err)
{
    struct trace *t;
    struct sass *sass;
    *out = (struct hardware_counts){0};
    if (trace_open(&t, launch->path, decoded_dir, err) < 0) return -1;
    int result = sass_new(&sass, t, params, err);
    uint32_t n_code, n_regs;
    const struct trace_inst *code = sass ? sass_code(sass, &n_code, &n_regs) : t->code;
    for (uint64_t w = 0; w < t->n_warps && result == 0; w++) {
        const struct trace_warp *from = &t->warps[w];
        struct sass_warp warp = {t->steps + from->first_step, t->accesses + from->first_access, from->n_steps};
        if (sass) result = sass_read_warp(sass, from, &warp, err);
        if (result == 0) count_warp(out, code, &warp);
    }
    sass_free(sass);
    trace_close(t);
    return result;
}

#define STAT(name) gpu_stats_value(stats, #name)
/* clang-format off */
#define DERIVED(D) \
    D(l1d_hits_and_merges, "accesses", STAT(l1d_hits_and_merges), \
      "L1 hits as profilers count them: loads that found their data present or on its way") \
    D(l2_read_accesses, "accesses", STAT(l2_accesses) - STAT(l1d_stores) - STAT(l1d_atomics), \
      "accesses of L2 that read: those of SMs without stores and atomics") \
    D(l2_write_accesses, "accesses", STAT(l1d_stores) + STAT(l1d_atomics), "stores and atomics that reached L2") \
    D(dram_read_sectors, "32-byte sectors", 2 * STAT(dram_reads), "DRAM reads") \
    D(dram_write_sectors, "32-byte sectors", 2 * STAT(dram_writes), "DRAM writes") \
    D(shared_requests, "warp instructions", (double)counts->shared_requests, \
      "loads, stores and atomics of shared memory with at least one lane, vector accesses counted once") \
    D(constant_requests, "addresses", (double)counts->constant_requests, \
      "distinct addresses of each warp's load of constants")
/* clang-format on */
#define D(name, unit, value, doc) \
    static double value_##name(const struct gpu_stats *stats, const struct hardware_counts *counts) \
    { \
        (void)stats, (void)counts; \
        return value; \
    }
DERIVED(D)
#undef D
const struct hardware_counter hardware_counters[] = {
#define D(name, unit, value, doc) {#name, unit, doc, value_##name},
    DERIVED(D)
#undef D
};
const size_t n_hardware_counters = COUNT_OF(hardware_counters);

/* insts_INT and the like: warp instructions of a class. */
static const char *const class_counters[] = {
#define X(id, doc) "insts_" #id,
    TRACE_CLASSES(X)
#undef X
};

double hardware_value(const char *name, const struct gpu_stats *stats, const struct hardware_counts *counts)
{
    for (size_t i = 0; i < n_hardware_counters; i++)
        if (strcmp(hardware_counters[i].name, name) == 0) return hardware_counters[i].value(stats, counts);
    for (size_t i = 0; i < COUNT_OF(class_counters); i++)
        if (strcmp(class_counters[i], name) == 0) return (double)counts->insts[i];
    return gpu_stats_value(stats, name);
}

/* Calls `take` with each counter's name; 1 ends it. */
static int each_name(int (*take)(void *to, const char *name), void *to)
{
    int result = 0;
    for (size_t i = 0; i < n_hardware_counters && !result; i++) result = take(to, hardware_counters[i].name);
    for (size_t i = 0; i < COUNT_OF(class_counters) && !result; i++) result = take(to, class_counters[i]);
    for (size_t i = 0; i < gpu_stat_table.n_rows && !result; i++) result = take(to, gpu_stat_table.rows[i].name);
    for (size_t i = 0; i < n_gpu_ratio_rows && !result; i++) result = take(to, gpu_ratio_rows[i].name);
    for (size_t i = 0; i < n_energy_value_rows && !result; i++) result = take(to, energy_value_rows[i].name);
    return result;
}

static int is_it(void *to, const char *name) { return strcmp(to, name) == 0; }
bool hardware_has_counter(const char *name) { return each_name(is_it, (void *)(uintptr_t)name) == 1; }

struct names {
    const char *items[256];
    size_t n;
};
static int add_name(void *to, const char *name)
{
    struct names *names = to;
    if (names->n < COUNT_OF(names->items)) names->items[names->n++] = name;
    return 0;
}
struct near_text hardware_near_counter(const char *name)
{
    struct names names = {.n = 0};
    each_name(add_name, &names);
    return did_you_mean(name, names.items, names.n, sizeof *names.items);
}
