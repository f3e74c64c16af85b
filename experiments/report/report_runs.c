/* The runs of a store, as far as reports need them: read-only, in one pass. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/runner.h"
#include "store/run_columns.h"
#include "store/store_internal.h"

static const char *const metric_names[N_REPORT_METRICS] = {
#define M(counter) #counter,
    REPORT_METRICS(M)
#undef M
};

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

static void *grown(void *items, size_t n, size_t size)
{
    return n & (n - 1) ? items : realloc(items, (n ? 2 * n : 1) * size);
}

/* The stack's names joined by '+', and the tuple where it is one lone tuple or swl. */
static void read_stack(struct report_run *run, struct report_runs *all)
{
    json_t *list = json_loads(run->params, 0, NULL), *mech;
    size_t i, used = 0;
    json_array_foreach(list, i, mech) {
        const char *name = report_string(mech, "name");
        const json_t *params = json_object_get(mech, "params");
        const bool is_tuple = strcmp(name, "tuple") == 0 || strcmp(name, "swl") == 0;
        if (used + 40 < sizeof run->mech)
            used += (size_t)snprintf(run->mech + used, sizeof run->mech - used, "%s%.30s", used ? "+" : "", name);
        json_object_set_new(all->mechs, name, json_true());
        run->is_poise |= strcmp(name, "poise") == 0;
        if (!is_tuple || json_array_size(list) != 1) continue;
        run->is_tuple = true;
        run->N = (uint32_t)json_integer_value(json_object_get(params, "N"));
        run->p = (uint32_t)json_integer_value(json_object_get(params, "p"));
        if (run->p == 0) run->p = run->N;
    }
    if (used == 0) snprintf(run->mech, sizeof run->mech, "gto");
    json_decref(list);
}

static int by_machine(const void *key, const void *machine)
{
    return strcmp(key, ((const struct report_machine *)machine)->hash);
}

static void read_energy(struct report_run *run, const struct report_runs *all, const struct gpu_stats *stats)
{
    const struct report_machine *m =
        all->n_machines ? bsearch(run->config, all->machines, all->n_machines, sizeof *m, by_machine) : NULL;
    struct energy e;
    run->time_us = NAN;
    for (int i = 0; i < N_ENERGY_PARTS; i++) run->joules[i] = NAN;
    if (!m || !m->params) return;
    energy_of(&e, &(struct energy_run){.params = m->params}, stats);
    run->time_us = e.time_us;
    for (int i = 0; i < N_ENERGY_PARTS; i++) run->joules[i] = e.parts[i].value;
}

static int read_run(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    struct report_run *runs = grown(all->runs, all->n, sizeof *runs);
    struct gpu_stats *stats = stats_from_json(text_of(statement, 3));
    if (runs) all->runs = runs;
    if (!runs || !stats) {
        free(stats);
        return error_set(err, ERR_INPUT, "run %s: its statistics cannot be read", text_of(statement, 5));
    }
    struct report_run *run = &all->runs[all->n++];
    *run = (struct report_run){.params = strdup(text_of(statement, 2)), .complete = sqlite3_column_int(statement, 4)};
    snprintf(run->trace, sizeof run->trace, "%s", text_of(statement, 0));
    snprintf(run->config, sizeof run->config, "%s", text_of(statement, 1));
    for (size_t i = 0; i < N_REPORT_METRICS; i++) run->metrics[i] = gpu_stats_value(stats, metric_names[i]);
    read_energy(run, all, stats);
    free(stats);
    if (!run->params) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", all->n);
    all->incomplete += !run->complete;
    read_stack(run, all);
    return 0;
}

static int read_trace(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    struct report_trace *traces = grown(all->traces, all->n_traces, sizeof *traces);
    if (!traces) return error_set(err, ERR_MEMORY, "out of memory for %zu traces", all->n_traces);
    all->traces = traces;
    struct report_trace *t = &traces[all->n_traces++];
    *t = (struct report_trace){.launch = (uint32_t)sqlite3_column_int64(statement, 4),
                               .input = sqlite3_column_int(statement, 5)};
    snprintf(t->hash, sizeof t->hash, "%s", text_of(statement, 0));
    snprintf(t->workload, sizeof t->workload, "%s", text_of(statement, 1));
    snprintf(t->kernel, sizeof t->kernel, "%s", text_of(statement, 2));
    snprintf(t->size, sizeof t->size, "%s", text_of(statement, 3));
    return 0;
}

static int read_config(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    const char *json = text_of(statement, 1);
    struct error unread;
    json_object_set_new(all->configs, text_of(statement, 0), json_loads(json, 0, NULL));
    struct report_machine *machines = grown(all->machines, all->n_machines, sizeof *machines);
    if (!machines) return error_set(err, ERR_MEMORY, "out of memory for %zu machines", all->n_machines);
    all->machines = machines;
    struct report_machine *m = &machines[all->n_machines++];
    *m = (struct report_machine){.params = gpu_params_new()};
    snprintf(m->hash, sizeof m->hash, "%s", text_of(statement, 0));
    if (!m->params || gpu_params_parse(m->params, m->hash, json, strlen(json), ".", &unread) == 0) return 0;
    gpu_params_free(m->params);
    m->params = NULL;
    return 0;
}

static int read_plan(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    (void)err;
    json_object_set_new(all->warps, text_of(statement, 0), json_integer(sqlite3_column_int64(statement, 1)));
    return 0;
}

static int read_experiment(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    (void)err;
    json_array_append_new(all->experiments, json_pack("{s:s,s:s,s:s}", "name", text_of(statement, 0), "hash",
                                                      text_of(statement, 1), "spec", text_of(statement, 2)));
    return 0;
}

static int count_failed(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    (void)err;
    all->failed = (size_t)sqlite3_column_int64(statement, 0);
    return 0;
}

static int count_damaged(struct report_runs *all, sqlite3_stmt *statement, struct error *err)
{
    (void)err;
    all->damaged = (size_t)sqlite3_column_int64(statement, 0);
    return 0;
}

static int each(struct store *store, const char *sql, int take(struct report_runs *, sqlite3_stmt *, struct error *),
                struct report_runs *all, struct error *err)
{
    sqlite3_stmt *statement;
    int result = store_prepare(store, &statement, sql, err), step = SQLITE_DONE;
    if (result < 0) return -1;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) result = take(all, statement, err);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading for a report");
    sqlite3_finalize(statement);
    return result;
}

/* Stores of schema 1 have no table of experiments. */
static int has_experiments(struct store *store)
{
    sqlite3_stmt *statement;
    struct error ignored;
    if (store_prepare(store, &statement, "SELECT 1 FROM sqlite_master WHERE name = 'experiments'", &ignored) < 0)
        return 0;
    const int found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

int report_runs_read(struct report_runs *out, const char *path, struct error *err)
{
    struct store *store;
    struct error later;
    *out = (struct report_runs){
        .configs = json_object(), .warps = json_object(), .experiments = json_array(), .mechs = json_object()};
    if (store_open_read(&store, path, err) < 0) return -1;
    int result = each(store, "SELECT hash, json FROM sound_configs ORDER BY hash", read_config, out, err);
    if (result == 0)
        result = each(
            store,
            "SELECT trace, config, mechs, stats, complete, key FROM sound_runs WHERE code = 0 ORDER BY trace, config, "
            "key",
            read_run, out, err);
    if (result == 0)
        result = each(store, "SELECT hash, workload, kernel, size, launch, input FROM sound_traces ORDER BY hash",
                      read_trace, out, err);
    if (result == 0)
        result =
            each(store, "SELECT trace || ' ' || config, warps_per_scheduler FROM sound_plans", read_plan, out, err);
    if (result == 0) result = each(store, "SELECT count(*) FROM runs WHERE code != 0", count_failed, out, err);
    if (result == 0)
        result = each(store, "SELECT (SELECT count(*) FROM runs) - (SELECT count(*) FROM sound_runs)", count_damaged,
                      out, err);
    if (result == 0 && has_experiments(store))
        result = each(store, "SELECT name, hash, spec FROM sound_experiments ORDER BY name, hash", read_experiment, out,
                      err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    return result < 0 ? error_while(err, "%s", path) : 0;
}

void report_runs_fini(struct report_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++) free(runs->runs[i].params);
    for (size_t i = 0; i < runs->n_machines; i++) gpu_params_free(runs->machines[i].params);
    free(runs->machines);
    free(runs->runs);
    free(runs->traces);
    json_decref(runs->configs);
    json_decref(runs->warps);
    json_decref(runs->experiments);
    json_decref(runs->mechs);
}

static int by_hash(const void *key, const void *trace)
{
    return strcmp(key, ((const struct report_trace *)trace)->hash);
}
const struct report_trace *report_trace_find(const struct report_runs *runs, const char *hash)
{
    return runs->n_traces ? bsearch(hash, runs->traces, runs->n_traces, sizeof *runs->traces, by_hash) : NULL;
}

const struct report_run *report_runs_of(const struct report_runs *runs, const char *trace, size_t *n)
{
    size_t low = 0, high = runs->n, end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(runs->runs[middle].trace, trace) < 0) low = middle + 1;
        else high = middle;
    }
    for (end = low; end < runs->n && strcmp(runs->runs[end].trace, trace) == 0;) end++;
    *n = end - low;
    return *n ? &runs->runs[low] : NULL;
}

void report_metrics_add(double *into, const struct report_run *run)
{
    for (size_t i = 0; i < N_REPORT_METRICS; i++) into[i] += run->metrics[i];
}

double report_ratio(const double *metrics, enum report_metric num, enum report_metric den)
{
    return metrics[den] > 0 ? metrics[num] / metrics[den] : NAN;
}

uint32_t report_warps_of(const struct report_runs *runs, const char *trace, const char *config)
{
    char key[100];
    snprintf(key, sizeof key, "%s %s", trace, config);
    return (uint32_t)json_integer_value(json_object_get(runs->warps, key));
}

int report_machines_read(struct run_columns **out, const struct report_runs *runs, struct error *err)
{
    const char *hash;
    json_t *config;
    int result = run_columns_new(out, err);
    json_object_foreach(runs->configs, hash, config) {
        struct gpu_params *params = result == 0 ? gpu_params_new() : NULL;
        char *text = params ? json_dumps(config, JSON_COMPACT) : NULL;
        struct error unread;
        if (text && gpu_params_parse(params, hash, text, strlen(text), ".", &unread) == 0)
            result = run_columns_machine(*out, hash, params, err);
        free(text);
        gpu_params_free(params);
    }
    return result == 0 ? run_columns_finish(*out, err) : -1;
}
