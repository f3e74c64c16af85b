/* poise stats: every counter and ratio, from the rows that the simulator counts by. */
#include <jansson.h>
#include <string.h>
#include "cli/options.h"
#include "cli/config_load.h"
#include "poise/energy.h"
#include "poise/lab.h"

struct stats_options {
    const char *config;
    bool json, energy, lenient;
};
static const struct option_row rows[] = {
    OPTION(stats_options, energy, 0, OPTION_FLAG, NULL, "list what each event takes: picojoules, range and source"),
    OPTION(stats_options, config, 0, OPTION_TEXT, "C", "on this machine (default: kepler32)", .modes = "--energy"),
    OPTION_LENIENT(stats_options),
    OPTION(stats_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

/* A counter as all kinds of them are shown. */
struct counter {
    const char *group, *name, *unit, *doc, *source;
    bool is_peak;
};

static void show(const struct counter *c, json_t *list)
{
    if (!list) {
        printf("  %-30s %-20s %s\n", c->name, c->unit, c->doc);
        return;
    }
    json_array_append_new(list,
                          json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "group", c->group, "name", c->name, "unit", c->unit,
                                    "doc", c->doc, "source", c->source, "merge", c->is_peak ? "largest" : "sum"));
}

static bool is_wanted(const struct texts *names, const char *group, const char *name)
{
    bool is_named = names->n == 0;
    for (size_t i = 0; i < names->n; i++)
        is_named |= strcmp(names->items[i], group) == 0 || strcmp(names->items[i], name) == 0;
    return is_named;
}

/* The rows first .. first + n - 1 of a table under one heading; how many were shown. */
static size_t show_rows(const struct stat_table *table, size_t first, size_t n, const char *group, const char *doc,
                        const char *source, const struct texts *names, json_t *list)
{
    size_t shown = 0;
    for (size_t i = first; i < first + n; i++) {
        const struct stat_row *row = &table->rows[i];
        if (!is_wanted(names, group, row->name)) continue;
        if (shown++ == 0 && !list) printf("%s: %s [%s]\n", group, doc, source);
        show(&(struct counter){group, row->name, row->unit, row->doc, source, row->kind != STAT_SUM}, list);
    }
    if (shown && !list) putchar('\n');
    return shown;
}

static size_t show_ratios(const struct texts *names, json_t *list)
{
    size_t shown = 0;
    for (size_t i = 0; i < n_gpu_ratio_rows; i++) {
        const struct ratio_row *row = &gpu_ratio_rows[i];
        const struct stat_row *num, *den;
        char formula[160];
        if (!is_wanted(names, "ratios", row->name)) continue;
        gpu_ratio_parts(row, &num, &den);
        snprintf(formula, sizeof formula, "%s / %s", num->name, den->name);
        if (shown++ == 0 && !list)
            printf("ratios: quotients of counters, computed when they are printed and never averaged\n");
        if (list) show(&(struct counter){"ratios", row->name, "1", row->doc, formula, false}, list);
        else printf("  %-30s %-40s %s\n", row->name, formula, row->doc);
    }
    if (shown && !list) putchar('\n');
    return shown;
}

static size_t show_sums(const struct texts *names, json_t *list)
{
    size_t shown = 0;
    for (size_t i = 0; i < n_gpu_sum_rows; i++) {
        const struct gpu_sum_row *s = &gpu_sum_rows[i];
        char formula[160];
        if (!is_wanted(names, "sums", s->name)) continue;
        snprintf(formula, sizeof formula, "%s + %s", s->terms[0], s->terms[1]);
        if (shown++ == 0 && !list) printf("sums: of counters, computed when they are printed\n");
        if (list) show(&(struct counter){"sums", s->name, s->unit, s->doc, formula, false}, list);
        else printf("  %-30s %-40s %s\n", s->name, formula, s->doc);
    }
    if (shown && !list) putchar('\n');
    return shown;
}

/* Figures of time and energy. */
static size_t show_figures(const struct texts *names, json_t *list)
{
    size_t shown = 0;
    for (size_t i = 0; i < n_energy_value_rows; i++) {
        const struct energy_value_row *r = &energy_value_rows[i];
        if (!is_wanted(names, "energy", r->name)) continue;
        if (shown++ == 0 && !list) printf("energy: figures of a run on its machine, computed when they are printed\n");
        if (list) show(&(struct counter){"energy", r->name, r->unit, r->doc, r->formula, false}, list);
        else printf("  %-30s %-40s %s\n", r->name, r->unit, r->doc);
    }
    if (shown && !list) putchar('\n');
    return shown;
}

static void print_event(const struct energy_event_shown *e)
{
    printf("%s: %s\n  %s\n  %.3g (%.3g to %.3g) pJ a count; %g (%g to %g) %s", e->part, e->name, e->counts,
           e->here.value, e->here.low, e->here.high, e->published.value, e->published.low, e->published.high, e->unit);
    if (e->node_nm > 0) printf(" at %g nm", e->node_nm);
    printf(" [%s]\n", e->source);
}

static json_t *event_json(const struct energy_event_shown *e)
{
    return json_pack("{s:s,s:s,s:s,s:{s:f,s:f,s:f},s:{s:f,s:f,s:f,s:s,s:f},s:s}", "part", e->part, "name", e->name,
                     "counters", e->counts, "pj", "value", e->here.value, "low", e->here.low, "high", e->here.high,
                     "published", "value", e->published.value, "low", e->published.low, "high", e->published.high,
                     "unit", e->unit, "node_nm", e->node_nm, "source", e->source);
}

static int list_events(struct cli *cli, const struct stats_options *o, struct error *err)
{
    struct gpu_params *params = gpu_params_new();
    struct energy_event_shown e;
    json_t *list = json_array(), *out = lab_json();
    int result = params ? 0 : error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (result == 0 && o->config) result = config_load(params, o->config, cli, err);
    for (size_t i = 0; result == 0 && energy_event_at(&e, i, params); i++) {
        if (o->json) json_array_append_new(list, event_json(&e));
        else if (e.here.value > 0) print_event(&e);
    }
    if (result == 0) json_object_set_new(out, "node_nm", json_real(energy_node_nm(params)));
    json_object_set_new(out, "events", list);
    gpu_params_free(params);
    if (result == 0 && o->json) return cli_print_json(out, err);
    json_decref(out);
    return result;
}

static int unknown(const struct texts *names, struct error *err)
{
    const char *known[512];
    size_t n = 0;
    for (size_t i = 0; i < gpu_stat_table.n_rows && n < COUNT_OF(known); i++) known[n++] = gpu_stat_table.rows[i].name;
    for (size_t i = 0; i < n_gpu_stat_groups && n < COUNT_OF(known); i++) known[n++] = gpu_stat_groups[i].name;
    for (size_t i = 0; i < n_gpu_ratio_rows && n < COUNT_OF(known); i++) known[n++] = gpu_ratio_rows[i].name;
    for (size_t i = 0; i < n_gpu_sum_rows && n < COUNT_OF(known); i++) known[n++] = gpu_sum_rows[i].name;
    for (size_t i = 0; i < n_energy_value_rows && n < COUNT_OF(known); i++) known[n++] = energy_value_rows[i].name;
    error_set(err, ERR_USAGE, "no counter, ratio or group '%s'%s", names->items[0],
              did_you_mean(names->items[0], known, n, sizeof *known).text);
    return error_at(
        err, NULL, 0, -1,
        "poise stats lists them all; groups: run core lsu l1 xbar l2 dram ratios sums energy, or a mechanism's name");
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct stats_options *o = options;
    if (o->energy) return list_events(cli, o, err);
    json_t *list = o->json ? json_array() : NULL;
    size_t shown = 0;
    for (size_t i = 0; i < n_gpu_stat_groups; i++) {
        const struct gpu_stat_group *g = &gpu_stat_groups[i];
        shown += show_rows(&gpu_stat_table, g->first, g->n, g->name, g->doc, g->source, arguments, list);
    }
    shown += show_ratios(arguments, list);
    shown += show_sums(arguments, list);
    shown += show_figures(arguments, list);
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *type = mech_at(i);
        const struct stat_table *table = mech_stats(type);
        shown +=
            show_rows(table, 0, table->n_rows, mech_name(type), mech_title(type), mech_source(type), arguments, list);
    }
    if (shown == 0) {
        json_decref(list);
        return unknown(arguments, err);
    }
    if (!o->json) return 0;
    json_t *out = lab_json();
    json_object_set_new(out, "stats", list);
    return cli_print_json(out, err);
}

const struct command command_stats = {
    "stats",
    "list the counters: unit, meaning and where each is counted",
    "[NAME | GROUP]... [--energy [--config C]] [--json]",
    "Groups are the machine's units (run core lsu l1 xbar l2 dram), ratios, sums, energy, and "
    "mechanisms by name. In JSON and in formulas of specs the\n"
    "counters have these names; those that begin with stall_ stand under \"stalls\" "
    "without it. 'poise sim --all' prints them all.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct stats_options),
    run};
