/* A sweep over machines: each machine's cycles, and its speed over a reference machine and stack that can be chosen. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES_SHOWN_MAX = 16, STACKS_DRAWN_MAX = 4, STACKS_AVERAGED_MAX = 12, LAUNCHES_DRAWN_MAX = 40 };

/* The distinct launches, machines and stacks of sweep.csv in order of appearance, and the reference among them. */
struct machines {
    const struct table_csv *table;
    const char **launches, **configs, **stacks;
    size_t n_launches, n_configs, n_stacks, reference_config, reference_stack;
};

static size_t find(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0) return i;
    return n;
}

static void take(const char **list, size_t *n, const char *text)
{
    if (find(list, *n, text) == *n) list[(*n)++] = text;
}

static void machines_fini(struct machines *m)
{
    free(m->launches);
    free(m->configs);
    free(m->stacks);
}

static int machines_init(struct machines *m, const struct table_csv *t, struct error *err)
{
    *m = (struct machines){.table = t,
                           .launches = calloc(t->n_rows + 1, sizeof(char *)),
                           .configs = calloc(t->n_rows + 1, sizeof(char *)),
                           .stacks = calloc(t->n_rows + 1, sizeof(char *))};
    if (!m->launches || !m->configs || !m->stacks) {
        machines_fini(m);
        return error_set(err, ERR_MEMORY, "out of memory for %zu runs", t->n_rows);
    }
    for (size_t r = 0; r < t->n_rows; r++) {
        take(m->launches, &m->n_launches, report_cell_at(t, "launch", r));
        take(m->configs, &m->n_configs, report_cell_at(t, "config", r));
        take(m->stacks, &m->n_stacks, report_cell_at(t, "mechs", r));
    }
    return 0;
}

static const char *named(const char *config) { return *config ? config : "as configured"; }

static int no_machine(const struct machines *m, const char *wanted, struct error *err)
{
    char known[400] = "its machines are ";
    for (size_t i = 0; i < m->n_configs && strlen(known) + 150 < sizeof known; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s'%.80s'", i ? ", " : "", m->configs[i]);
    error_set(err, ERR_USAGE, "--relative-to %s: the sweep has no such machine", wanted);
    snprintf(known + strlen(known), sizeof known - strlen(known), "; a stack may follow, as in MACHINE:gto");
    return error_at(err, NULL, 0, -1, known);
}

/* MACHINE or MACHINE:STACK; the first of each where nothing is chosen. */
static int choose_reference(struct machines *m, const char *wanted, struct error *err)
{
    if (!wanted) return 0;
    m->reference_config = find(m->configs, m->n_configs, wanted);
    if (m->reference_config < m->n_configs) return 0;
    const char *colon = strchr(wanted, ':');
    char *config = strndup(wanted, colon ? (size_t)(colon - wanted) : strlen(wanted));
    if (!config) return error_set(err, ERR_MEMORY, "out of memory");
    m->reference_config = find(m->configs, m->n_configs, config);
    free(config);
    if (!colon || m->reference_config == m->n_configs) return no_machine(m, wanted, err);
    m->reference_stack = find(m->stacks, m->n_stacks, colon + 1);
    if (m->reference_stack < m->n_stacks) return 0;
    error_set(err, ERR_USAGE, "--relative-to %s: the sweep has no stack '%s'", wanted, colon + 1);
    return error_at(err, NULL, 0, -1, "name a stack as the report's table of runs does, as in MACHINE:gto");
}

/* Cycles of a launch on a machine under a stack: table columns are few and rows at most thousands, so they are
 * searched. */
static double *all_cycles(const struct machines *m)
{
    const struct table_csv *t = m->table;
    const size_t n = m->n_launches * m->n_configs * m->n_stacks;
    double *cycles = malloc((n + 1) * sizeof *cycles);
    for (size_t i = 0; cycles && i < n; i++) cycles[i] = NAN;
    for (size_t r = 0; cycles && r < t->n_rows; r++) {
        const size_t launch = find(m->launches, m->n_launches, report_cell_at(t, "launch", r));
        const size_t config = find(m->configs, m->n_configs, report_cell_at(t, "config", r));
        const size_t stack = find(m->stacks, m->n_stacks, report_cell_at(t, "mechs", r));
        if (!*report_cell_at(t, "error", r))
            cycles[(launch * m->n_configs + config) * m->n_stacks + stack] = report_number_at(t, "core_cycles", r);
    }
    return cycles;
}

static double at(const struct machines *m, const double *cycles, size_t launch, size_t config, size_t stack)
{
    return cycles[(launch * m->n_configs + config) * m->n_stacks + stack];
}

static double speed(const struct machines *m, const double *cycles, size_t launch, size_t config, size_t stack)
{
    return at(m, cycles, launch, m->reference_config, m->reference_stack) / at(m, cycles, launch, config, stack);
}

/* ---- charts: launches side by side, a bar a machine; one chart a stack ---- */

static void add_chart(json_t *section, const struct machines *m, const double *cycles, size_t stack, bool is_relative)
{
    char id[160], slug[80], title[240], caption[400];
    snprintf(id, sizeof id, "machines-%s-%s", is_relative ? "speed" : "cycles",
             report_slug(m->stacks[stack], slug, sizeof slug));
    snprintf(title, sizeof title, "%s of the machines under %.100s", is_relative ? "Speed" : "Cycles",
             m->stacks[stack]);
    if (is_relative)
        snprintf(caption, sizeof caption,
                 "Cycles of %.80s under %.80s over each machine's. poise report --relative-to MACHINE chooses another "
                 "reference.",
                 named(m->configs[m->reference_config]), m->stacks[m->reference_stack]);
    else snprintf(caption, sizeof caption, "Core cycles, as simulated. Where clocks differ, cycles are not time.");
    json_t *figure = report_figure(section, "bars", id, title, caption), *categories = json_array();
    const size_t n = m->n_launches < LAUNCHES_DRAWN_MAX ? m->n_launches : LAUNCHES_DRAWN_MAX;
    for (size_t l = 0; l < n; l++) json_array_append_new(categories, json_string(m->launches[l]));
    json_object_set_new(figure, "categories", categories);
    if (is_relative) json_object_set_new(figure, "reference", json_real(1));
    if (n * m->n_configs <= 24) json_object_set_new(figure, "size", json_string("half"));
    report_axis(figure, "y", is_relative ? "speed over the reference" : "core cycles", is_relative ? "ratio" : "whole");
    for (size_t c = 0; c < m->n_configs; c++) {
        json_t *values = json_array();
        for (size_t l = 0; l < n; l++)
            json_array_append_new(
                values, report_number(is_relative ? speed(m, cycles, l, c, stack) : at(m, cycles, l, c, stack)));
        report_series(figure, named(m->configs[c]), values);
    }
}

/* ---- means over the launches ---- */

/* Of a machine under a stack: launches with both runs, their cycles, and the harmonic means of the speed over the
 * reference and over the reference's stack on the same machine. */
struct machine_mean {
    size_t n;
    double cycles, speed, own;
};

static struct machine_mean mean_of(const struct machines *m, const double *cycles, size_t config, size_t stack)
{
    struct machine_mean mean = {0};
    double inverse = 0, own = 0;
    for (size_t l = 0; l < m->n_launches; l++) {
        const double mine = at(m, cycles, l, config, stack), relative = speed(m, cycles, l, config, stack);
        const double same = at(m, cycles, l, config, m->reference_stack);
        if (isnan(mine) || isnan(relative) || isnan(same)) continue;
        mean.cycles += mine;
        inverse += 1 / relative;
        own += mine / same;
        mean.n++;
    }
    mean.speed = mean.n ? (double)mean.n / inverse : NAN;
    mean.own = mean.n ? (double)mean.n / own : NAN;
    if (mean.n == 0) mean.cycles = NAN;
    return mean;
}

/* One chart for all machines: a bar a stack. */
static void add_means_chart(json_t *section, const struct machines *m, const double *cycles, bool is_own)
{
    char title[200];
    if (is_own)
        snprintf(title, sizeof title, "Mean speed over %.80s on the same machine", m->stacks[m->reference_stack]);
    else
        snprintf(title, sizeof title, "Mean speed over %.80s under %.80s", named(m->configs[m->reference_config]),
                 m->stacks[m->reference_stack]);
    json_t *figure = report_figure(section, "bars", is_own ? "machines-own" : "machines-mean", title,
                                   "Harmonic mean over the launches.");
    json_t *categories = json_array();
    for (size_t c = 0; c < m->n_configs; c++) json_array_append_new(categories, json_string(named(m->configs[c])));
    json_object_set_new(figure, "categories", categories);
    json_object_set_new(figure, "reference", json_real(1));
    report_axis(figure, "y", "mean speed", "ratio");
    for (size_t s = 0; s < m->n_stacks && s < STACKS_AVERAGED_MAX; s++) {
        json_t *values = json_array();
        for (size_t c = 0; c < m->n_configs; c++) {
            const struct machine_mean mean = mean_of(m, cycles, c, s);
            json_array_append_new(values, report_number(is_own ? mean.own : mean.speed));
        }
        report_series(figure, m->stacks[s], values);
    }
}

/* ---- table: a row for each machine and stack ---- */

static void add_row(json_t *table, const struct machines *m, const double *cycles, size_t config, size_t stack)
{
    const struct machine_mean mean = mean_of(m, cycles, config, stack);
    json_t *row = report_row(table);
    report_cell_text(row, "%s", named(m->configs[config]));
    report_cell_text(row, "%s", m->stacks[stack]);
    report_cell(row, (double)mean.n);
    report_cell(row, mean.cycles);
    report_cell(row, mean.speed);
    report_cell(row, mean.own);
}

static void add_table(json_t *section, const struct machines *m, const double *cycles)
{
    char over[200], own[200];
    json_t *table = report_table(section, "machine-table", "Machines");
    snprintf(over, sizeof over, "mean speed over %.80s, %.80s", named(m->configs[m->reference_config]),
             m->stacks[m->reference_stack]);
    snprintf(own, sizeof own, "mean speed over %.80s on the same machine", m->stacks[m->reference_stack]);
    report_column(table, "machine", "text");
    report_column(table, "stack", "text");
    report_column(table, "launches", "whole");
    report_column(table, "core cycles, all launches", "whole");
    report_column(table, over, "ratio");
    report_column(table, own, "ratio");
    for (size_t c = 0; c < m->n_configs; c++)
        for (size_t s = 0; s < m->n_stacks; s++) add_row(table, m, cycles, c, s);
    report_note(section, "Means of speeds are harmonic, over the launches that have both runs.");
}

static void add_charts(json_t *section, const struct machines *m, const double *cycles)
{
    if (m->n_configs > MACHINES_SHOWN_MAX) {
        report_note(section, "%zu machines are too many for charts; the tables have them all.", m->n_configs);
        return;
    }
    add_means_chart(section, m, cycles, false);
    if (m->n_stacks > 1) add_means_chart(section, m, cycles, true);
    for (size_t s = 0; s < m->n_stacks && s < STACKS_DRAWN_MAX; s++) {
        add_chart(section, m, cycles, s, false);
        add_chart(section, m, cycles, s, true);
    }
    if (m->n_stacks > STACKS_DRAWN_MAX)
        report_note(
            section,
            "Launches are drawn for the first %d of %zu stacks, means for at most %d; the tables have them all.",
            STACKS_DRAWN_MAX, m->n_stacks, STACKS_AVERAGED_MAX);
}

int report_add_machines(json_t *section, const struct table_csv *t, const char *relative_to, struct error *err)
{
    struct machines m;
    if (machines_init(&m, t, err) < 0) return -1;
    int result = choose_reference(&m, relative_to, err);
    const bool has_several = result == 0 && m.n_configs > 1;
    double *cycles = has_several ? all_cycles(&m) : NULL;
    if (has_several && !cycles) result = error_set(err, ERR_MEMORY, "out of memory for %zu runs", t->n_rows);
    if (cycles) {
        add_charts(section, &m, cycles);
        add_table(section, &m, cycles);
    }
    free(cycles);
    machines_fini(&m);
    return result < 0 ? result : has_several;
}
