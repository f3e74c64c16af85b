/* Where everything comes from: files, versions, specs, the machine's parameters, and every number without a source. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/gpu.h"
#include "store/run_columns.h"

static void add_files(json_t *section, const struct report_input *input)
{
    const json_t *file;
    size_t i;
    json_t *table = report_table(section, "files", "Files read");
    report_column(table, "file", "text");
    report_column(table, "what", "text");
    report_column(table, "bytes", "whole");
    report_column(table, "hash (XXH3, 128 bits)", "text");
    json_array_foreach(input->files, i, file) {
        json_t *row = report_row(table);
        report_cell_text(row, "%s", report_string(file, "file"));
        report_cell_text(row, "%s", report_string(file, "what"));
        report_cell(row, report_get(file, "bytes"));
        report_cell_text(row, "%s", report_string(file, "hash"));
    }
}

/* The configurations behind the results: the summary's, or the store's. */
static json_t *configurations(const struct report_input *input)
{
    const json_t *config = json_object_get(input->summary, "config");
    json_t *list = json_array();
    if (config) json_array_append(list, (json_t *)config);
    for (void *i = json_object_iter(input->store.configs); i && !config;
         i = json_object_iter_next(input->store.configs, i))
        json_array_append(list, json_object_iter_value(i));
    return list;
}

static void value_text(const json_t *configs, const char *group, const char *name, char *text, size_t size)
{
    const json_t *config;
    size_t i, used = 0;
    *text = '\0';
    json_array_foreach(configs, i, config) {
        char *value = json_dumps(json_object_get(json_object_get(config, group), name), JSON_ENCODE_ANY);
        const bool is_new = value && !strstr(text, value);
        if (is_new && used + strlen(value) + 4 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", value);
        free(value);
    }
}

static void add_machine(json_t *section, const json_t *configs)
{
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    json_t *table = report_table(section, "machine", "Parameters of the machine");
    static const char *const heads[] = {"parameter", "value", "unit", "source", "what"};
    for (size_t i = 0; i < COUNT_OF(heads); i++) report_column(table, heads[i], "text");
    for (size_t g = 0; g < n; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            char value[120];
            value_text(configs, groups[g].table.owner, row->name, value, sizeof value);
            if (!*value) continue;
            json_t *cells = report_row(table);
            report_cell_text(cells, "%s.%s", groups[g].table.owner, row->name);
            report_cell_text(cells, "%s", value);
            report_cell_text(cells, "%s", row->unit);
            report_cell_text(cells, "%s", row->source);
            report_cell_text(cells, "%s", row->doc);
        }
}

/* What machines differ in, told once: everywhere else they go by their names. */
static void add_machines(json_t *section, const struct run_columns *machines)
{
    enum { SHOWN_MAX = 8 };
    const char *name, *key;
    char value[PARAM_TEXT_MAX];
    struct run_column column;
    size_t n = 0, n_axes = 0;
    while (machines && run_columns_machine_at(machines, n, &key)) n++;
    if (n < 2) return;
    while (n_axes < run_columns_count(machines) && (run_columns_at(machines, n_axes, &column), column.is_axis))
        n_axes++;
    if (n > SHOWN_MAX) {
        report_note(section, "The %zu machines differ in %zu parameters: columns of runs_tidy in the store have them.",
                    n, n_axes);
        return;
    }
    json_t *table = report_table(section, "differences", "What the machines differ in");
    report_column(table, "parameter", "text");
    report_column(table, "unit", "text");
    for (size_t i = 0; (name = run_columns_machine_at(machines, i, &key)); i++) report_column(table, name, "text");
    for (size_t a = 0; a < n_axes; a++) {
        json_t *row = report_row(table);
        run_columns_at(machines, a, &column);
        report_cell_text(row, "%s", column.name);
        report_cell_text(row, "%s", strchr(column.row->unit, '|') ? "" : column.row->unit);
        for (size_t i = 0; run_columns_machine_at(machines, i, &key); i++)
            report_cell_text(row, "%s", run_columns_value(machines, key, a, value));
    }
}

static void assumed_row(json_t *table, const char *owner, const struct param_row *row, const char *value)
{
    json_t *cells = report_row(table);
    report_cell_text(cells, "%s.%s", owner, row->name);
    report_cell_text(cells, "%s", value);
    report_cell_text(cells, "%s", row->unit);
    report_cell_text(cells, "%s", row->doc);
}

/* Machine parameters with the values that the runs had, and those of the mechanisms that ran. */
static size_t add_assumed(json_t *section, const struct report_input *input, const json_t *configs)
{
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    json_t *table = report_table(section, "assumed", "Assumed: parameters that took part and that no source gives");
    static const char *const heads[] = {"parameter", "value", "unit", "what"};
    for (size_t i = 0; i < COUNT_OF(heads); i++) report_column(table, heads[i], "text");
    for (size_t g = 0; g < n; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            char value[120];
            value_text(configs, groups[g].table.owner, row->name, value, sizeof value);
            if (*value && strstr(row->source, "assumed")) assumed_row(table, groups[g].table.owner, row, value);
        }
    for (size_t i = 0; i < mech_count(); i++) {
        const struct param_table *params = mech_params(mech_at(i));
        if (!json_object_get(input->store.mechs, mech_name(mech_at(i)))) continue;
        for (size_t r = 0; r < params->n_rows; r++) {
            char value[40];
            report_format("number", params->rows[r].def, value, sizeof value);
            if (strstr(params->rows[r].source, "assumed")) assumed_row(table, params->owner, &params->rows[r], value);
        }
    }
    return json_array_size(json_object_get(table, "rows"));
}

static void add_versions(json_t *section, const struct report_input *input)
{
    const json_t *const with_version[] = {input->summary,  input->cv,       input->tune,
                                          input->validate, input->hardware, json_array_get(input->repros, 0),
                                          input->model};
    const json_t *info = input->run_info, *experiment;
    size_t i;
    for (i = 0; i < COUNT_OF(with_version); i++)
        if (with_version[i]) {
            report_note(section, "Made by poise %s, simulation model %.0f.", report_string(with_version[i], "version"),
                        report_get(with_version[i], "model_version"));
            if (report_get(with_version[i], "model_version") != SIM_MODEL_VERSION &&
                report_get(with_version[i], "model_version") > 0)
                report_note(section,
                            "This report was written by a build of simulation model %d: the same runs would give other "
                            "figures now.",
                            SIM_MODEL_VERSION);
            break;
        }
    if (info)
        report_note(section, "%.0f runs simulated, %.0f taken from the store, %.1f s on %.0f threads.",
                    report_get(info, "runs_simulated"), report_get(info, "runs_reused"), report_get(info, "wall_s"),
                    report_get(info, "threads"));
    if (input->has_store)
        report_note(section, "The store holds %zu runs of %zu traces; %zu failed, %zu stopped by a limit.",
                    input->store.n, input->store.n_traces, input->store.failed, input->store.incomplete);
    if (input->has_store && input->store.damaged)
        report_note(section, "%zu rows of the store do not match their checksums and are left out.",
                    input->store.damaged);
    const json_t *dataset = json_object_get(json_object_get(input->model, "training"), "dataset");
    if (dataset)
        report_note(section, "The model was fitted to the data set %s.",
                    json_string_value(dataset) ? json_string_value(dataset) : "");
    json_array_foreach(input->store.experiments, i, experiment)
        report_note(section, "Spec %s (%s):\n%s", report_string(experiment, "name"), report_string(experiment, "hash"),
                    report_string(experiment, "spec"));
}

int report_add_provenance(const struct report_context *c, struct error *err)
{
    (void)err;
    json_t *section = report_open(
        c, "provenance", "Provenance",
        "What this page was made from. The report holds no time and no host: the same files give the same bytes.");
    json_t *configs = configurations(c->input);
    add_versions(section, c->input);
    add_files(section, c->input);
    if (json_array_size(configs)) {
        const size_t n = add_assumed(section, c->input, configs);
        add_machines(section, c->input->machines);
        add_machine(section, configs);
        if (n && c->input->summary)
            report_finding(c->document,
                           "%zu parameters that took part have no source and are assumed; Provenance lists them.", n);
    }
    json_decref(configs);
    return 0;
}
