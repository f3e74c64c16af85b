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
    double *times; /* of each run, for speeds: microseconds, or cycles of a table that has no times */
    size_t *order; /* stacks as they are drawn: the reference's, then the fastest ones */
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
    free(m->order);
    free(m->times);
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
static double *all_cycles(struct machines *m)
{
    const struct table_csv *t = m->table;
    const size_t n = m->n_launches * m->n_configs * m->n_stacks;
    bool has_times = true;
    double *cycles = malloc((n + 1) * sizeof *cycles);
    m->times = malloc((n + 1) * sizeof *m->times);
    if (!m->times) {
        free(cycles);
        return NULL;
    }
    for (size_t i = 0; cycles && i < n; i++) cycles[i] = m->times[i] = NAN;
    for (size_t r = 0; cycles && r < t->n_rows; r++) {
        const size_t launch = find(m->launches, m->n_launches, report_cell_at(t, "launch", r));
        const size_t config = find(m->configs, m->n_configs, report_cell_at(t, "config", r));
        const size_t stack = find(m->stacks, m->n_stacks, report_cell_at(t, "mechs", r));
        const size_t cell = (launch * m->n_configs + config) * m->n_stacks + stack;
        if (*report_cell_at(t, "error", r)) continue;
        cycles[cell] = report_number_at(t, "core_cycles", r);
        m->times[cell] = report_number_at(t, "time_us", r);
        has_times &= isnan(cycles[cell]) || m->times[cell] > 0;
    }
    if (cycles && !has_times) memcpy(m->times, cycles, n * sizeof *cycles);
    return cycles;
}

static double at(const struct machines *m, const double *cycles, size_t launch, size_t config, size_t stack)
{
    return cycles[(launch * m->n_configs + config) * m->n_stacks + stack];
}

/* By time: clocks may differ. */
static double speed(const struct machines *m, size_t launch, size_t config, size_t stack)
{
    return at(m, m->times, launch, m->reference_config, m->reference_stack) / at(m, m->times, launch, config, stack);
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
                 "Time of %.80s under %.80s over each machine's. poise report --relative-to MACHINE chooses another "
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
            json_array_append_new(values,
                                  report_number(is_relative ? speed(m, l, c, stack) : at(m, cycles, l, c, stack)));
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
        const double mine = at(m, cycles, l, config, stack), relative = speed(m, l, config, stack);
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
    for (size_t k = 0; k < m->n_stacks && k < STACKS_AVERAGED_MAX; k++) {
        json_t *values = json_array();
        for (size_t c = 0; c < m->n_configs; c++) {
            const struct machine_mean mean = mean_of(m, cycles, c, m->order[k]);
            json_array_append_new(values, report_number(is_own ? mean.own : mean.speed));
        }
        report_series(figure, m->stacks[m->order[k]], values);
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
    for (size_t k = 0; k < m->n_stacks && k < STACKS_DRAWN_MAX; k++) {
        add_chart(section, m, cycles, m->order[k], false);
        add_chart(section, m, cycles, m->order[k], true);
    }
    if (m->n_stacks > STACKS_DRAWN_MAX)
        report_note(
            section,
            "Launches are drawn for %s and the %d fastest of the other %zu stacks, means for the %d fastest; the "
            "tables have them all.",
            m->stacks[m->reference_stack], STACKS_DRAWN_MAX - 1, m->n_stacks - 1, STACKS_AVERAGED_MAX - 1);
}

/* ---- which stacks are drawn, and what was found ---- */

/* The best mean speed that a stack has on any machine over the reference's stack there. */
static double merit(const struct machines *m, const double *cycles, size_t stack)
{
    double most = 0;
    for (size_t c = 0; c < m->n_configs; c++) most = fmax(most, mean_of(m, cycles, c, stack).own);
    return most;
}

/* The reference's stack first, then by merit; the order of the spec where they are equal. */
static int order_stacks(struct machines *m, const double *cycles, struct error *err)
{
    double *merits = calloc(m->n_stacks + 1, sizeof *merits);
    m->order = calloc(m->n_stacks + 1, sizeof *m->order);
    if (!merits || !m->order) {
        free(merits);
        return error_set(err, ERR_MEMORY, "out of memory for %zu stacks", m->n_stacks);
    }
    size_t n = 0;
    m->order[n++] = m->reference_stack;
    for (size_t s = 0; s < m->n_stacks; s++) merits[s] = merit(m, cycles, s);
    for (size_t s = 0; s < m->n_stacks; s++) {
        if (s == m->reference_stack) continue;
        size_t at = n++;
        for (; at > 1 && merits[m->order[at - 1]] < merits[s]; at--) m->order[at] = m->order[at - 1];
        m->order[at] = s;
    }
    free(merits);
    return 0;
}

static void say_what_was_found(json_t *document, const struct machines *m, const double *cycles)
{
    const char *over = m->stacks[m->reference_stack];
    for (size_t c = 0; c < m->n_configs && c < MACHINES_SHOWN_MAX && m->n_stacks > 1; c++) {
        size_t best = m->reference_stack;
        char where[140] = "";
        for (size_t s = 0; s < m->n_stacks; s++)
            if (mean_of(m, cycles, c, s).own > mean_of(m, cycles, c, best).own) best = s;
        const struct machine_mean mean = mean_of(m, cycles, c, best);
        if (*m->configs[c]) snprintf(where, sizeof where, "On %.120s ", m->configs[c]);
        if (best == m->reference_stack)
            report_finding(document, "%s%s of the other %zu stacks is faster than %s.", where, *where ? "none" : "None",
                           m->n_stacks - 1, over);
        else
            report_finding(
                document,
                "%s%s fastest of %zu stacks is %s: %.3f times the speed of %s, a harmonic mean over %zu launch%s.",
                where, *where ? "the" : "The", m->n_stacks, m->stacks[best], mean.own, over, mean.n,
                mean.n == 1 ? "" : "es");
    }
}

/* ---- one machine ---- */

/* Speedup over the first stack, by launch; maps show sweeps of tuples. */
static void add_stacks(json_t *section, const struct machines *m)
{
    char title[200], caption[240];
    if (m->n_stacks < 2) return;
    snprintf(title, sizeof title, "Speedup over %.60s", m->stacks[m->reference_stack]);
    snprintf(caption, sizeof caption, "Cycles of %.60s over cycles of each, launch by launch.%s",
             m->stacks[m->reference_stack],
             m->n_stacks > STACKS_AVERAGED_MAX ? " The fastest stacks by their harmonic means; the table has all."
                                               : "");
    json_t *figure = report_figure(section, "bars", "sweep-stacks", title, caption), *categories = json_array();
    for (size_t l = 0; l < m->n_launches && l < LAUNCHES_DRAWN_MAX; l++)
        json_array_append_new(categories, json_string(m->launches[l]));
    json_object_set_new(figure, "categories", categories);
    json_object_set_new(figure, "reference", json_real(1));
    report_axis(figure, "y", "speedup", "ratio");
    for (size_t k = 0; k < m->n_stacks && k < STACKS_AVERAGED_MAX; k++) {
        json_t *values = json_array();
        for (size_t l = 0; l < m->n_launches && l < LAUNCHES_DRAWN_MAX; l++)
            json_array_append_new(values, report_number(speed(m, l, 0, m->order[k])));
        report_series(figure, m->stacks[m->order[k]], values);
    }
}

int report_add_machines(json_t *document, json_t *section, const struct table_csv *t, const char *relative_to,
                        struct error *err)
{
    struct machines m;
    if (machines_init(&m, t, err) < 0) return -1;
    int result = choose_reference(&m, relative_to, err);
    double *cycles = result == 0 && m.n_configs ? all_cycles(&m) : NULL;
    if (result == 0 && m.n_configs && !cycles)
        result = error_set(err, ERR_MEMORY, "out of memory for %zu runs", t->n_rows);
    if (cycles && result == 0) result = order_stacks(&m, cycles, err);
    if (cycles && result == 0) {
        say_what_was_found(document, &m, cycles);
        if (m.n_configs > 1) {
            add_charts(section, &m, cycles);
            add_table(section, &m, cycles);
        } else {
            add_stacks(section, &m);
        }
    }
    free(cycles);
    machines_fini(&m);
    return result;
}
