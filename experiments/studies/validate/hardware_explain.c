/* One kernel in detail: counters, instruction classes and stalls beside each other. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "poise/hardware.h"
#include "poise/lab.h"
#include "poise/table.h"
#include "studies/validate/validate.h"

static const char *const class_names[] = {
#define X(id, doc) #id,
    TRACE_CLASSES(X)
#undef X
};
enum { LINES_MAX = 64, LINE_BYTES = 96 };
/* A column of text. */
struct column {
    char lines[LINES_MAX][LINE_BYTES];
    size_t n;
};

static void add(struct column *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct column *c, const char *format, ...)
{
    va_list args;
    if (c->n == LINES_MAX) return;
    va_start(args, format);
    vsnprintf(c->lines[c->n++], LINE_BYTES, format, args);
    va_end(args);
}

static bool is_meant(const struct hardware_row *row, const char *kernel)
{
    return strcasestr(row->name, kernel) || strcasestr(row->kernel, kernel) ||
           (*row->kernel && hardware_is_kernel(row->kernel, kernel));
}

int hardware_keep(struct hardware *hardware, const char *kernel, struct error *err)
{
    const char *names[256];
    size_t n = 0, n_names = 0;
    for (size_t i = 0; i < hardware->n; i++) {
        n += is_meant(&hardware->rows[i], kernel);
        if (n_names < COUNT_OF(names)) names[n_names++] = hardware->rows[i].name;
    }
    if (n == 0) {
        const char *near = nearest_name(kernel, names, n_names, sizeof *names);
        return error_set(err, ERR_USAGE, "--explain %s: %s has no such kernel; %s%s'", kernel, hardware->file,
                         near ? "did you mean '" : "the first is '", near ? near : names[0]);
    }
    n = 0;
    for (size_t i = 0; i < hardware->n; i++) {
        const struct hardware_row row = hardware->rows[i];
        if (is_meant(&row, kernel)) hardware->rows[n++] = row;
        else free(row.measured);
    }
    hardware->n = n;
    return 0;
}

/* Those that were measured, then what a profiler shows first. */
static size_t counters_of(const struct hardware_result *r, const char *out[LINES_MAX])
{
    static const char *const always[] = {"warp_insts",         "ipc",
                                         "l1d_load_accesses",  "l1d_hits_and_merges",
                                         "l1d_load_hits",      "l1d_mshr_merges",
                                         "l1d_misses",         "l1d_stores",
                                         "l2_accesses",        "l2_hits",
                                         "l2_misses",          "dram_read_sectors",
                                         "dram_write_sectors", "l2_dirty_lines_left",
                                         "dram_efficiency",    "shared_requests",
                                         "shared_passes",      "constant_requests",
                                         "aml_cycles"};
    size_t n = 0;
    for (size_t i = 0; i < r->row->n_measured && n < LINES_MAX; i++) out[n++] = r->row->measured[i].name;
    for (size_t i = 0; i < COUNT_OF(always) && n < LINES_MAX; i++) {
        size_t at = 0;
        while (at < n && strcmp(out[at], always[i]) != 0) at++;
        if (at == n) out[n++] = always[i];
    }
    return n;
}

static double measured_of(const struct hardware_result *r, const char *name)
{
    for (size_t i = 0; i < r->row->n_measured; i++)
        if (strcmp(r->row->measured[i].name, name) == 0) return r->row->measured[i].value;
    return NAN;
}

static void counter_line(struct column *out, const char *name, double ours, double measured)
{
    const double error = validate_error(ours, measured);
    char text[2][24] = {"-", "-"};
    if (!isnan(measured)) snprintf(text[0], sizeof text[0], "%.0f", measured);
    if (!isnan(error)) snprintf(text[1], sizeof text[1], "%+.1f%%", 100 * error);
    add(out, ours > 0 && ours < 100 ? "%-20.20s %12.3f %12s %8s" : "%-20.20s %12.0f %12s %8s", name, ours, text[0],
        text[1]);
}

static void fill(struct column columns[3], const struct hardware_result *r)
{
    const char *names[LINES_MAX];
    const size_t n = counters_of(r, names);
    const double launches = (double)r->n_launches, slots = hardware_ours(r, "issue_slots");
    add(&columns[0], "%-20s %12s %12s %8s", "counter", "ours", "measured", "error");
    counter_line(&columns[0], "cycles", r->cycles, r->row->cycles);
    for (size_t i = 0; i < n; i++)
        counter_line(&columns[0], names[i], hardware_ours(r, names[i]), measured_of(r, names[i]));
    add(&columns[1], "%-10s %12s %6s", "class", "warp insts", "share");
    for (size_t i = 0; i < TRACE_N_CLASSES; i++)
        if (r->counts.insts[i])
            add(&columns[1], "%-10s %12.0f %5.1f%%", class_names[i], (double)r->counts.insts[i] / launches,
                100 * (double)r->counts.insts[i] / (double)r->counts.warp_insts);
    add(&columns[2], "%-12s %14s %6s", "stall", "slots", "share");
    add(&columns[2], "%-12s %14.0f %5.1f%%", "(issued)", hardware_ours(r, "warp_insts"),
        100 * hardware_ours(r, "warp_insts") / slots);
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) {
        const char *name = gpu_stat_table.rows[i].name;
        if (strncmp(name, "stall_", 6) != 0) continue;
        const double value = hardware_ours(r, name);
        add(&columns[2], "%-12s %14.0f %5.1f%%", name + 6, value, 100 * value / slots);
    }
}

static int print_one(const struct hardware_result *r, FILE *out, struct error *err)
{
    if (r->state != HARDWARE_SIMULATED) {
        fprintf(out, "%s: %s: %s\n\n", r->row->name, hardware_states[r->state], r->why);
        return 0;
    }
    struct column *columns = calloc(3, sizeof *columns);
    if (!columns) return error_set(err, ERR_MEMORY, "out of memory for a table");
    fill(columns, r);
    fprintf(out, "%s: %s, means over %zu launches\n", r->row->name, r->row->program, r->n_launches);
    for (size_t i = 0; i < columns[0].n || i < columns[1].n || i < columns[2].n; i++)
        fprintf(out, "%-56s   %-31s   %s\n", columns[0].lines[i], columns[1].lines[i], columns[2].lines[i]);
    fputc('\n', out);
    free(columns);
    return 0;
}

int hardware_explain(const struct hardware_comparison *c, FILE *out, struct error *err)
{
    for (size_t i = 0; i < c->n; i++)
        if (print_one(&c->results[i], out, err) < 0) return -1;
    return 0;
}

static json_t *explain_one(const struct hardware_result *r)
{
    json_t *classes = json_object(), *stalls = json_object(), *counters = json_object();
    const char *names[LINES_MAX];
    const size_t n = r->stats ? counters_of(r, names) : 0;
    for (size_t i = 0; i < n; i++) {
        const double measured = measured_of(r, names[i]);
        json_object_set_new(counters, names[i],
                            json_pack("{s:f,s:o}", "ours", hardware_ours(r, names[i]), "hw", json_or_null(measured)));
    }
    for (size_t i = 0; i < TRACE_N_CLASSES && r->n_launches; i++)
        json_object_set_new(classes, class_names[i], json_real((double)r->counts.insts[i] / (double)r->n_launches));
    for (size_t i = 0; i < gpu_stat_table.n_rows && r->stats; i++)
        if (strncmp(gpu_stat_table.rows[i].name, "stall_", 6) == 0)
            json_object_set_new(stalls, gpu_stat_table.rows[i].name + 6,
                                json_real(hardware_ours(r, gpu_stat_table.rows[i].name)));
    return json_pack("{s:s,s:s,s:o,s:o,s:o}", "name", r->row->name, "state", hardware_states[r->state], "counters",
                     counters, "classes", classes, "stalls", stalls);
}

json_t *hardware_explain_json(const struct hardware_comparison *c)
{
    json_t *out = json_array();
    for (size_t i = 0; i < c->n; i++) json_array_append_new(out, explain_one(&c->results[i]));
    return out;
}
