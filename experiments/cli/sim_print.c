#include "cli/sim_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/notes.h"
#include "cli/sim_phases.h"
#include "poise/kernel_name.h"
#include "poise/csv.h"
#include "poise/lab.h"

struct gpu_stats *sim_total(const struct run_job *jobs, size_t n)
{
    void *total = calloc(1, gpu_stat_table.size);
    for (size_t i = 0; i < n && total; i++) stats_merge(&gpu_stat_table, total, jobs[i].result.stats);
    return total;
}

/* Sums a mechanism's counters over launches, as its rows say. */
static json_t *merge_mech(const struct mech_type *type, const struct run_job *jobs, size_t n, size_t k)
{
    json_t *out = json_deep_copy(json_array_get(jobs[0].result.mechs, k)), *stats = json_object_get(out, "stats");
    const struct stat_table *table = mech_stats(type);
    for (size_t r = 0; r < table->n_rows && n > 1; r++) {
        json_int_t value = 0;
        for (size_t i = 0; i < n; i++) {
            const json_t *from = json_object_get(json_array_get(jobs[i].result.mechs, k), "stats");
            const json_int_t v = json_integer_value(json_object_get(from, table->rows[r].name));
            value = table->rows[r].kind == STAT_SUM ? value + v : v > value ? v : value;
        }
        json_object_set_new(stats, table->rows[r].name, json_integer(value));
    }
    if (n > 1) mech_set_ratios(type, stats);
    return out;
}

static json_t *counters_json(const struct gpu_stats *stats)
{
    struct feature_counters c;
    json_t *out = json_object();
    gpu_stats_features(stats, &c);
#define C(field, doc) json_object_set_new(out, #field, json_integer((json_int_t)c.field));
    FEATURE_COUNTERS(C)
#undef C
    return out;
}

json_t *sim_mechs(const struct run_job *jobs, size_t n)
{
    json_t *out = json_array();
    for (size_t k = 0; k < jobs[0].n_stack; k++)
        json_array_append_new(out, merge_mech(jobs[0].stack[k].type, jobs, n, k));
    return out;
}

/* Counters, and before the stalls their sums, time and energy. */
static json_t *all_stats_json(const struct gpu_stats *stats, const struct energy_run *run)
{
    json_t *out = gpu_stats_json(stats), *stalls = json_incref(json_object_get(out, "stalls"));
    json_object_del(out, "stalls");
    for (size_t i = 0; i < n_gpu_sum_rows; i++) {
        const char *name = gpu_sum_rows[i].name;
        json_object_set_new(out, name, json_integer((json_int_t)gpu_stats_value(stats, name)));
    }
    energy_into_json(out, run, stats);
    json_object_set_new(out, "stalls", stalls);
    return out;
}

static json_t *shape_json(const struct launch *l)
{
    char hash[HASH_TEXT_SIZE];
    hash_text(&l->hash, hash);
    return json_pack("{s:s,s:I,s:s,s:[III],s:[III]}", "name", l->kernel, "index", (json_int_t)l->index, "trace", hash,
                     "grid", (json_int_t)l->grid[0], (json_int_t)l->grid[1], (json_int_t)l->grid[2], "block",
                     (json_int_t)l->block[0], (json_int_t)l->block[1], (json_int_t)l->block[2]);
}

/* Of launches side by side: what each of them did. */
static const struct launch *launch_of(const struct run_job *job, size_t which)
{
    return which ? job->beside : job->launch;
}

static size_t n_launches_of(const struct run_job *job) { return job->beside ? 2 : 1; }

static json_t *launch_json(const struct run_job *job, size_t which)
{
    json_t *out = shape_json(launch_of(job, which)), *own = (json_t *)(uintptr_t)run_result_launch(&job->result, which);
    if (own) {
        json_object_update(out, own);
        return out;
    }
    json_object_set_new(out, "complete", json_boolean(job->result.complete));
    const struct energy_run run = run_energy(job);
    json_object_set_new(out, "stats", all_stats_json(job->result.stats, &run));
    const struct gpu_estimate *e = &job->result.estimate;
    json_object_set(out, "mech", job->result.mechs);
    if (e->cycles > 0)
        json_object_set_new(out, "estimate", json_pack("{s:f,s:f}", "core_cycles", e->cycles, "error", e->error));
    return out;
}

int sim_print_json(const struct gpu_params *params, const struct runner *runner, const struct run_job *jobs, size_t n,
                   struct json_t *check, struct json_t *sampled, struct error *err)
{
    json_t *out = lab_json(), *launches = json_array(), *mechs = sim_mechs(jobs, n), *info = json_object();
    const struct energy_run run = {params, jobs[0].stack, jobs[0].n_stack, mechs};
    struct energy energy;
    bool is_complete = true;
    char hash[HASH_TEXT_SIZE];
    struct gpu_stats *total = sim_total(jobs, n);
    if (!total) return error_set(err, ERR_MEMORY, "out of memory for statistics");
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_launches_of(&jobs[i]); k++) json_array_append_new(launches, launch_json(&jobs[i], k));
        is_complete &= jobs[i].result.complete;
    }
    energy_of(&energy, &run, total);
    hash_text(&jobs[0].launch->hash, hash);
    json_object_set_new(out, "trace", json_array_size(launches) == 1 ? json_string(hash) : json_null());
    json_object_set_new(out, "config", gpu_params_json(params));
    if (jobs[0].limits.warmup_cycles)
        json_object_set_new(out, "warmup_cycles", json_integer((json_int_t)jobs[0].limits.warmup_cycles));
    const int noted = note_run_info(info, jobs, n, err);
    runner_note_into(runner, info);
    if (runner_has_store(runner)) {
        const struct runner_totals *t = runner_totals(runner);
        json_object_set_new(info, "runs_simulated", json_integer((json_int_t)t->simulated));
        json_object_set_new(info, "runs_reused", json_integer((json_int_t)t->reused));
    }
    if (json_object_size(info)) json_object_set(out, "run_info", info); /* absent where there is nothing to say */
    json_decref(info);
    json_object_set_new(out, "energy", energy_json(&energy, params));
    json_object_set_new(out, "mech", mechs);
    json_object_set_new(out, "launches", launches);
    json_object_set_new(out, "complete", json_boolean(is_complete));
    json_object_set_new(out, "stats", all_stats_json(total, &run));
    json_object_set_new(out, "feature_counters", counters_json(total));
    if (check) json_object_set_new(out, "check", check);
    if (sampled) {
        json_object_update(out, sampled);
        if (!json_is_true(json_object_get(json_object_get(sampled, "sample"), "is_whole")))
            json_object_set_new(out, "complete", json_false());
        json_decref(sampled);
    }
    free(total);
    if (noted < 0) return json_decref(out), -1;
    return cli_print_json(out, err);
}

static void print_object(const json_t *object, int indent)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        char text[40];
        if (json_is_object(value)) {
            printf("%*s%s\n", indent, "", name);
            print_object(value, indent + 2);
        } else if (json_is_real(value)) {
            printf("%*s%-*s %s\n", indent, "", 30 - indent, name,
                   number_text(round(json_real_value(value) * 1e4) / 1e4, text, sizeof text));
        } else if (json_is_integer(value)) {
            printf("%*s%-*s %" JSON_INTEGER_FORMAT "\n", indent, "", 30 - indent, name, json_integer_value(value));
        } else if (json_is_string(value)) {
            printf("%*s%-*s %s\n", indent, "", 30 - indent, name, json_string_value(value));
        }
    }
}

/* What answers most questions: how long, what L1 did, what the memory behind it did. 'poise stats' explains each. */
static const struct {
    const char *title, *names[6];
} summary[] = {
    {"time", {"core_cycles", "ipc", "warp_insts"}},
    {"L1", {"l1d_load_accesses", "l1d_hit_rate", "l1d_misses", "l1d_bypassed", "l1d_reservation_fails"}},
    {"memory", {"aml_cycles", "l2_hit_rate", "dram_reads", "dram_writes", "dram_efficiency"}},
};

static const char *unit_of(const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0) return gpu_stat_table.rows[i].unit;
    return strcmp(name, "ipc") == 0          ? "thread instructions a cycle"
           : strcmp(name, "aml_cycles") == 0 ? "core cycles"
                                             : "of 1";
}

/* Shares of the issue slots: an instruction, or why there was none. */
static void print_slots(const struct gpu_stats *stats)
{
    const double slots = gpu_stats_value(stats, "issue_slots");
    if (!(slots > 0)) return;
    printf("issue slots\n  issued %.1f %%", 100 * gpu_stats_value(stats, "warp_insts") / slots);
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) {
        const struct stat_row *row = &gpu_stat_table.rows[i];
        const double share = (double)stats_get(row, stats) / slots;
        if (strncmp(row->name, "stall_", 6) == 0 && share >= 0.0005) printf(", %s %.1f %%", row->name + 6, 100 * share);
    }
    putchar('\n');
}

static void print_summary(const struct gpu_stats *stats)
{
    for (size_t g = 0; g < COUNT_OF(summary); g++) {
        printf("%s\n", summary[g].title);
        for (size_t i = 0; i < COUNT_OF(summary[g].names) && summary[g].names[i]; i++) {
            const char *name = summary[g].names[i];
            const double v = gpu_stats_value(stats, name);
            printf("  %-28s %-14.*f %s\n", name, v == floor(v) ? 0 : 4, v, unit_of(name));
        }
    }
    print_slots(stats);
}

/* The first of a mechanism's counters that counted anything. */
static void print_counted(const json_t *stats, size_t most)
{
    json_t *shown = json_object();
    const char *name;
    json_t *counter;
    json_object_foreach((json_t *)(uintptr_t)stats, name, counter)
        if (json_object_size(shown) < most && json_number_value(counter) != 0) json_object_set(shown, name, counter);
    print_object(shown, 2);
    json_decref(shown);
}

enum { MECH_COUNTERS_SHOWN = 12 };

/* Parts from a hundredth of the whole on. */
static void print_energy(const struct run_job *jobs, size_t n, const struct gpu_stats *total)
{
    json_t *mechs = sim_mechs(jobs, n);
    const struct energy_run run = {jobs[0].params, jobs[0].stack, jobs[0].n_stack, mechs};
    struct energy e;
    energy_of(&e, &run, total);
    json_decref(mechs);
    printf("energy: ");
    for (int i = 0, told = 0; i < N_ENERGY_PARTS; i++) {
        const double share = e.parts[i].value / e.total.value;
        if (share >= 0.01) printf("%s%s %.0f %%", told++ ? ", " : "", energy_part_names[i], 100 * share);
    }
    printf("\n  %-28s %-14.6g us; power_w %.4g, edp %.4g J s\n", "time_us", e.time_us, e.total.value / e.time_us * 1e6,
           e.total.value * e.time_us * 1e-6);
    printf("  %-28s %-14.4g J, from %.4g to %.4g by the sources\n", "energy_j", e.total.value, e.total.low,
           e.total.high);
}

static void print_mechs(const struct run_job *jobs, size_t n, bool all)
{
    for (size_t k = 0; k < jobs[0].n_stack; k++) {
        json_t *mech = merge_mech(jobs[0].stack[k].type, jobs, n, k), *stats = json_object_get(mech, "stats");
        if (json_object_size(stats)) {
            printf("%s%s\n", all ? "\n" : "", mech_name(jobs[0].stack[k].type));
            if (all) print_object(stats, 2);
            else print_counted(stats, MECH_COUNTERS_SHOWN);
        }
        json_decref(mech);
    }
}

/* Columns of the names: as wide as these, and no wider than the terminal lets the table be. */
struct name_widths {
    int launch, kernel;
};

static struct name_widths name_widths(const struct run_job *jobs, size_t n)
{
    enum { NUMBERS = 48 };
    const int room = (int)cli_width(true) > NUMBERS + 24 ? (int)cli_width(true) - NUMBERS : 24;
    struct name_widths w = {6, 6};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_launches_of(&jobs[i]); k++) {
            char text[200];
            const struct launch *l = launch_of(&jobs[i], k);
            const int label = (int)strlen(kernel_shown(l->label, text, sizeof text)),
                      kernel = (int)strlen(kernel_shown(l->kernel, text, sizeof text));
            if (label > w.launch) w.launch = label;
            if (kernel > w.kernel) w.kernel = kernel;
        }
    if (w.launch + w.kernel > room && w.launch > room / 2)
        w.launch = room - w.kernel > room / 2 ? room - w.kernel : room / 2;
    if (w.launch + w.kernel > room) w.kernel = room - w.launch;
    return w;
}

static void print_names(const struct launch *l, const struct name_widths *w)
{
    char label[200], kernel[200];
    printf("%-*.*s %-*.*s", w->launch, w->launch, kernel_shown(l->label, label, sizeof label), w->kernel, w->kernel,
           kernel_shown(l->kernel, kernel, sizeof kernel));
}

/* Of launches side by side. */
static void print_side_by_side(const struct run_job *job, const struct name_widths *w)
{
    for (size_t k = 0; k < n_launches_of(job); k++) {
        const json_t *own = run_result_launch(&job->result, k), *s = json_object_get(own, "stats");
#define VALUE(key) json_number_value(json_object_get(s, key))
        print_names(launch_of(job, k), w);
        printf(" %11.0f %11.0f %7.2f %6.1f%% %7.1f%s  (%lld SMs)\n", VALUE("core_cycles"), VALUE("warp_insts"),
               VALUE("ipc"), 100 * VALUE("l1d_hit_rate"), VALUE("aml_cycles"),
               json_is_true(json_object_get(own, "complete")) ? "" : "  (limit)",
               (long long)json_integer_value(json_object_get(own, "sms")));
#undef VALUE
    }
}

int sim_print_table(const struct run_job *jobs, size_t n, bool all, struct error *err)
{
    struct gpu_stats *total = sim_total(jobs, n);
    if (!total) return error_set(err, ERR_MEMORY, "out of memory for statistics");
    const struct name_widths w = name_widths(jobs, n);
    printf("%-*s %-*s %11s %11s %7s %7s %7s\n", w.launch, "launch", w.kernel, "kernel", "cycles", "warp insts", "IPC",
           "L1 hit", "AML");
    for (size_t i = 0; i < n; i++) {
        const struct gpu_stats *s = jobs[i].result.stats;
        if (jobs[i].beside) {
            print_side_by_side(&jobs[i], &w);
            continue;
        }
        print_names(jobs[i].launch, &w);
        printf(" %11.0f %11.0f %7.2f %6.1f%% %7.1f%s\n", gpu_stats_value(s, "core_cycles"),
               gpu_stats_value(s, "warp_insts"), gpu_stats_value(s, "ipc"), 100 * gpu_stats_value(s, "l1d_hit_rate"),
               gpu_stats_value(s, "aml_cycles"),
               jobs[i].result.complete              ? ""
               : jobs[i].result.estimate.cycles > 0 ? "  (ended early)"
                                                    : "  (limit)");
        sim_phases_print(&jobs[i]);
        if (jobs[i].result.estimate.cycles > 0)
            printf("%-16s the whole launch: about %.0f cycles, within %.1f %% if it goes on as it did (95 %%)\n", "",
                   jobs[i].result.estimate.cycles, 100 * jobs[i].result.estimate.error);
    }
    printf("\n");
    json_t *mechs = all ? sim_mechs(jobs, n) : NULL;
    const struct energy_run run = {jobs[0].params, jobs[0].stack, jobs[0].n_stack, mechs};
    json_t *stats = all ? all_stats_json(total, &run) : NULL;
    if (all) print_object(stats, 0);
    else print_summary(total);
    json_decref(stats);
    json_decref(mechs);
    if (gpu_stats_value(total, "core_cycles") > 0) print_energy(jobs, n, total);
    print_mechs(jobs, n, all);
    if (!all) printf("\nAll counters: --all; what they mean: poise stats.\n");
    free(total);
    return 0;
}
