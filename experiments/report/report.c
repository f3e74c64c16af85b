/* The report as a table of sections over the inputs. */
#include "report/report_internal.h"

#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "poise/terms.h"

static int (*const sections[])(const struct report_context *, struct error *) = {
#define S(section) report_add_##section,
    REPORT_SECTIONS(S)
#undef S
};

static bool holds_something(const struct report_input *input)
{
    return input->summary || input->cv || input->tune || input->validate || input->hardware || input->model ||
           input->has_store || input->profile.n_columns || input->dataset.n_columns || input->sweep.n_columns ||
           input->estimates.n_columns || json_array_size(input->repros) || json_array_size(input->fits) ||
           json_array_size(input->sims);
}

/* What an input is called in the title: its study's own name, machine and size where its results say them, else its
 * folder. */
static const char *title_of(const struct report_input *input, char *text, size_t size)
{
    const json_t *summary = input->summary, *machine = json_object_get(summary, "config");
    const json_t *experiment = json_array_get(input->store.experiments, 0);
    const char *own = report_string(summary       ? summary
                                    : input->cv   ? input->cv
                                    : input->tune ? input->tune
                                                  : experiment,
                                    "name");
    if (summary && *own && *report_string(machine, "name"))
        snprintf(text, size, "%.80s on %.60s, size %.20s", own, report_string(machine, "name"),
                 report_string(summary, "size"));
    else if (input->cv && *own) snprintf(text, size, "%.80s: cross-validation", own);
    else if (input->tune && *own) snprintf(text, size, "%.80s: tuning", own);
    else if (input->sweep.n_columns && *own) snprintf(text, size, "%.80s: sweep", own);
    else snprintf(text, size, "%.120s", input->name);
    return text;
}

static json_t *new_document(const struct report_input *inputs, size_t n, const char *title)
{
    json_t *document = lab_json(), *sources = json_array();
    char name[512] = "", one[200];
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(sources, json_pack("{s:s,s:O}", "name", inputs[i].name, "files", inputs[i].files));
        if (i < 2)
            snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", i ? "; " : "",
                     title_of(&inputs[i], one, sizeof one));
    }
    if (n > 2) snprintf(name + strlen(name), sizeof name - strlen(name), " and %zu more", n - 2);
    json_object_set_new(document, "title", json_string(title ? title : name));
    json_object_set_new(document, "sources", sources);
    json_object_set_new(document, "headline", json_array());
    json_object_set_new(document, "findings", json_array());
    json_object_set_new(document, "sections", json_array());
    return document;
}

/* What the page's words mean; once, behind the sections of all inputs. */
static void add_terms(json_t *document)
{
    json_t *section = report_section(document, "terms", "Terms", "", "The words of this page.");
    json_t *table = report_table(section, "term-table", "Glossary");
    report_column(table, "term", "text");
    report_column(table, "meaning", "text");
    report_column(table, "source", "text");
    for (size_t i = 0; i < n_terms; i++) {
        json_t *row = report_row(table);
        report_cell_text(row, "%s", terms[i].name);
        report_cell_text(row, "%s", terms[i].meaning);
        report_cell_text(row, "%s", terms[i].source);
    }
}

static int add_sections(json_t *document, const struct report_input *inputs, const struct report_launches *launches,
                        size_t n, const struct report_choice *choice, struct error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < COUNT_OF(sections); s++) {
            const struct report_context c = {.document = document,
                                             .input = &inputs[i],
                                             .launches = &launches[i],
                                             .choice = choice,
                                             .is_alone = n == 1};
            if (sections[s](&c, err) < 0) return error_while(err, "%s", inputs[i].path);
        }
    return 0;
}

static void refuse_empty(const struct report_input *input, struct error *err)
{
    const json_t *file;
    size_t i;
    error_set(err, ERR_INPUT, "%s: nothing here that a report shows", input->path);
    json_array_foreach(input->files, i, file)
        if (json_object_get(file, "unread")) {
            error_set(err, ERR_INPUT, "%s: nothing here that a report shows; %s was not read: %s", input->path,
                      report_string(file, "file"), report_string(file, "unread"));
            return;
        }
}

int report_build(json_t **document, const char *const *paths, size_t n, const struct report_choice *choice,
                 struct error *err)
{
    static const struct report_choice none;
    struct report_input *inputs = calloc(n + 1, sizeof *inputs);
    struct report_launches *launches = calloc(n + 1, sizeof *launches);
    int result = inputs && launches ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu folders", n);
    bool has_sweep = false;
    *document = NULL;
    for (size_t i = 0; i < n && result == 0; i++) {
        result = report_input_read(&inputs[i], paths[i], err);
        if (result == 0 && !holds_something(&inputs[i])) {
            refuse_empty(&inputs[i], err);
            result = error_at(err, paths[i], 0, -1,
                              "results of run, sweep, cv, tune or validate, or the JSON of repro or train, are needed");
        }
        if (result == 0) result = report_launches_init(&launches[i], &inputs[i], err);
        has_sweep |= result == 0 && inputs[i].sweep.n_columns;
    }
    if (result == 0 && choice && choice->relative_to && !has_sweep) {
        error_set(err, ERR_USAGE, "--relative-to %s: no sweep is among what the report reads", choice->relative_to);
        result = error_at(err, NULL, 0, -1, "name a folder of poise sweep");
    }
    if (result == 0) {
        *document = new_document(inputs, n, choice ? choice->title : NULL);
        result = add_sections(*document, inputs, launches, n, choice ? choice : &none, err);
        if (result == 0) add_terms(*document);
        report_finish(*document);
    }
    for (size_t i = 0; inputs && launches && i < n; i++) {
        report_launches_fini(&launches[i]);
        report_input_fini(&inputs[i]);
    }
    free(inputs);
    free(launches);
    if (result < 0) json_decref(*document), *document = NULL;
    return result;
}
