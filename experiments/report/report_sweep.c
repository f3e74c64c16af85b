/* A sweep's runs: every one in a table, and what each stack of mechanisms gains over the baseline. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/policy.h"

enum { STACKS_SHOWN_MAX = 12, ROWS_SHOWN_MAX = 5000 };

static void add_table(json_t *section, const struct table_csv *t)
{
    static const char *const heads[][3] = {{"kernel", "text", "kernel"},
                                           {"launch", "text", "launch"},
                                           {"configuration", "text", "config"},
                                           {"mechanisms", "text", "mechs"},
                                           {"cycles", "whole", "core_cycles"},
                                           {"IPC", "number", "ipc"},
                                           {"L1 hit rate", "percent", "l1d_hit_rate"},
                                           {"L2 hit rate", "percent", "l2_hit_rate"},
                                           {"AML (cycles)", "number", "aml_cycles"},
                                           {"complete", "whole", "complete"},
                                           {"error", "text", "error"}};
    json_t *table = report_table(section, "sweep-table", "Runs");
    for (size_t k = 0; k < COUNT_OF(heads); k++) report_column(table, heads[k][0], heads[k][1]);
    for (size_t r = 0; r < t->n_rows && r < ROWS_SHOWN_MAX; r++) {
        json_t *row = report_row(table);
        for (size_t k = 0; k < COUNT_OF(heads); k++)
            if (strcmp(heads[k][1], "text") == 0) report_cell_text(row, "%s", report_cell_at(t, heads[k][2], r));
            else report_cell(row, report_number_at(t, heads[k][2], r));
    }
    if (t->n_rows > ROWS_SHOWN_MAX)
        report_note(section, "The first %d of %zu runs are shown; sweep.csv has all.", ROWS_SHOWN_MAX, t->n_rows);
}

static const char *intern(const char **list, size_t *n, size_t most, const char *text)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i], text) == 0) return list[i];
    return *n < most ? list[(*n)++] = text : NULL;
}

static double cycles_of(const struct table_csv *t, const char *launch, const char *config, const char *mechs)
{
    for (size_t r = 0; r < t->n_rows; r++)
        if (strcmp(report_cell_at(t, "launch", r), launch) == 0 &&
            strcmp(report_cell_at(t, "config", r), config) == 0 && strcmp(report_cell_at(t, "mechs", r), mechs) == 0 &&
            !*report_cell_at(t, "error", r))
            return report_number_at(t, "core_cycles", r);
    return NAN;
}

/* Speedup over the first stack, by launch, for sweeps of few stacks on one machine; maps show sweeps of tuples. */
static void add_stacks(json_t *section, const struct table_csv *t)
{
    const char *stacks[STACKS_SHOWN_MAX + 1], *launches[40];
    size_t n_stacks = 0, n_launches = 0;
    char title[200];
    for (size_t r = 0; r < t->n_rows; r++) {
        intern(stacks, &n_stacks, COUNT_OF(stacks), report_cell_at(t, "mechs", r));
        intern(launches, &n_launches, COUNT_OF(launches), report_cell_at(t, "launch", r));
    }
    if (n_stacks < 2 || n_stacks > STACKS_SHOWN_MAX) return;
    const char *config = report_cell_at(t, "config", 0);
    snprintf(title, sizeof title, "Speedup over %.60s", stacks[0]);
    json_t *figure = report_figure(section, "bars", "sweep-stacks", title,
                                   "Cycles of the first stack over cycles of each, launch by launch.");
    json_t *categories = json_array();
    for (size_t l = 0; l < n_launches; l++) json_array_append_new(categories, json_string(launches[l]));
    json_object_set_new(figure, "categories", categories);
    json_object_set_new(figure, "reference", json_real(1));
    report_axis(figure, "y", "speedup", "ratio");
    for (size_t s = 0; s < n_stacks; s++) {
        json_t *values = json_array();
        for (size_t l = 0; l < n_launches; l++)
            json_array_append_new(values, report_number(cycles_of(t, launches[l], config, stacks[0]) /
                                                        cycles_of(t, launches[l], config, stacks[s])));
        report_series(figure, stacks[s], values);
    }
}

int report_add_sweep(const struct report_context *c, struct error *err)
{
    const struct table_csv *t = &c->input->sweep;
    if (t->n_columns == 0) return 0;
    char text[200];
    snprintf(text, sizeof text, "%zu runs; %zu in the store, %zu failed, %zu stopped by a limit.", t->n_rows,
             c->input->store.n, c->input->store.failed, c->input->store.incomplete);
    json_t *section = report_open(c, "sweep", "The sweep", text);
    const int has_machines = report_add_machines(section, t, c->choice->relative_to, err);
    if (has_machines < 0) return -1;
    if (!has_machines) add_stacks(section, t);
    add_table(section, t);
    if (c->input->store.damaged)
        report_finding(c->document, "%zu rows of %s's store do not match their checksums and are left out.",
                       c->input->store.damaged, c->input->name);
    if (c->input->store.failed)
        report_finding(c->document, "%zu runs of %s failed.", c->input->store.failed, c->input->name);
    return 0;
}
