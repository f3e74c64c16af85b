/* What a running sweep has done so far, read from its store without writing a byte. The store holds what is done;
 * what was planned, and when it began, the sweep leaves in it as provenance "plan:NAME". */
#include "poise/watch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "poise/gpu.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "report/report_internal.h"
#include "store/run_columns.h"
#include "store/store_internal.h"
#include "poise/text.h"

#define BOUND "json_extract(limits, '$.bound_cycles')"
/* Runs by what they simulate, whatever bound ended them: one that was bounded and later completed counts once. */
#define RUNS_EVEN_BOUNDED \
    "count(DISTINCT trace || config || json_remove(limits, '$.bound_cycles') ||" \
    " ifnull((SELECT group_concat(json_extract(value, '$.name') || json_extract(value, '$.params')) FROM " \
    "json_each(mechs)), ''))"
#define RUNS_WHOLE "total(" BOUND " IS NULL)"

struct best {
    char trace[40], config[40], label[200], mechs[240];
    double cycles, baseline, widest;
};
struct bests {
    struct best *items;
    size_t n;
    struct run_columns *machines;
};

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

/* Its name, and the tuple of a lone mechanism that has one. */
static void stack_text(const char *mechs, char *out, size_t size, double *N, double *p)
{
    json_t *list = json_loads(mechs, 0, NULL);
    const json_t *params = json_object_get(json_array_get(list, 0), "params");
    const double n_at = report_get(params, "N"), p_at = report_get(params, "p");
    *N = n_at > 0 ? n_at : 0;
    *p = p_at > 0 ? p_at : 0;
    run_columns_policy(list, out, size);
    json_decref(list);
}

static struct best *best_of(struct bests *all, const char *trace, const char *config)
{
    if (all->n && strcmp(all->items[all->n - 1].trace, trace) == 0 &&
        strcmp(all->items[all->n - 1].config, config) == 0)
        return &all->items[all->n - 1];
    struct best *items =
        all->n & (all->n - 1) ? all->items : realloc(all->items, (all->n ? 2 * all->n : 1) * sizeof *items);
    if (!items) return NULL;
    all->items = items;
    struct best *best = &items[all->n++];
    *best = (struct best){.cycles = INFINITY, .baseline = NAN};
    snprintf(best->trace, sizeof best->trace, "%s", trace);
    text_shown(config, best->config, sizeof best->config);
    return best;
}

/* The baseline is the run with all warps: GTO, or the widest diagonal tuple. */
static int take_run(struct bests *all, sqlite3_stmt *statement, struct error *err)
{
    struct best *best = best_of(all, text_of(statement, 0), text_of(statement, 1));
    const double cycles = sqlite3_column_double(statement, 3);
    char stack[240];
    double N, p;
    if (!best) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", all->n);
    stack_text(text_of(statement, 2), stack, sizeof stack, &N, &p);
    if (!*best->label) {
        const int input = sqlite3_column_int(statement, 6);
        if (input >= 0)
            snprintf(best->label, sizeof best->label, "%.60s.%d/%d", text_of(statement, 4), input,
                     sqlite3_column_int(statement, 5));
        else
            snprintf(best->label, sizeof best->label, "%.60s/%d", text_of(statement, 4),
                     sqlite3_column_int(statement, 5));
    }
    if (strcmp(stack, "gto") == 0) best->baseline = cycles, best->widest = INFINITY;
    else if (strncmp(stack, "tuple", 5) == 0 && (N == p || p == 0) && N > best->widest)
        best->baseline = cycles, best->widest = N;
    if (cycles < best->cycles ||
        (cycles <= best->cycles && strcmp(stack, "gto") == 0)) { /* what gains nothing is gto */
        best->cycles = cycles;
        char label[200];
        snprintf(best->label, sizeof best->label, "%s", kernel_shown(text_clean(best->label), label, sizeof label));
        text_shown(stack, best->mechs, sizeof best->mechs);
    }
    return 0;
}

static void add_best(json_t *list, const struct bests *all, const struct best *best)
{
    char machine[120], shown[120];
    run_columns_label(all->machines, best->config, machine, sizeof machine);
    text_shown(machine, shown, sizeof shown);
    json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:o,s:o}", "launch", best->label, "config", best->config,
                                          "machine", shown, "mechs", best->mechs, "cycles", report_number(best->cycles),
                                          "speedup", report_number(best->baseline / best->cycles)));
}

static int take_config(struct run_columns *machines, sqlite3_stmt *statement, struct error *err)
{
    struct error unread;
    struct gpu_params *params = gpu_params_new();
    const char *json = text_of(statement, 1);
    int result = params ? 0 : error_set(err, ERR_MEMORY, "out of memory for a machine");
    if (result == 0 && gpu_params_parse(params, text_of(statement, 0), json, strlen(json), ".", &unread) == 0)
        result = run_columns_machine(machines, text_of(statement, 0), params, err);
    gpu_params_free(params);
    return result;
}

static int read_machines(struct store *store, struct run_columns **out, struct error *err)
{
    sqlite3_stmt *statement;
    int step = SQLITE_DONE;
    if (run_columns_new(out, err) < 0 ||
        store_prepare(store, &statement, "SELECT hash, json FROM sound_configs ORDER BY hash", err) < 0)
        return -1;
    int result = 0;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) result = take_config(*out, statement, err);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading machines");
    sqlite3_finalize(statement);
    return result == 0 ? run_columns_finish(*out, err) : -1;
}

static int read_bests(struct store *store, json_t *out, struct error *err)
{
    struct bests all = {0};
    json_t *list = json_array();
    sqlite3_stmt *statement;
    int step = SQLITE_DONE;
    int result = store_prepare(
        store, &statement,
        "SELECT r.trace, r.config, r.mechs, json_extract(r.stats, '$.core_cycles'), t.workload, t.launch, t.input"
        " FROM sound_runs AS r JOIN sound_traces AS t ON t.hash = r.trace WHERE r.code = 0 AND r.complete ORDER BY "
        "r.trace, "
        "r.config",
        err);
    json_object_set_new(out, "best", list);
    if (result < 0) return -1;
    result = read_machines(store, &all.machines, err);
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) result = take_run(&all, statement, err);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading the best runs");
    sqlite3_finalize(statement);
    for (size_t i = 0; i < all.n; i++) add_best(list, &all, &all.items[i]);
    free(all.items);
    run_columns_free(all.machines);
    return result;
}

static int each_row(struct store *store, const char *sql, json_t *out, void take(json_t *, sqlite3_stmt *),
                    struct error *err)
{
    sqlite3_stmt *statement;
    int step;
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) take(out, statement);
    const int result = step == SQLITE_DONE ? 0 : store_fail(store, err, "reading what was done");
    sqlite3_finalize(statement);
    return result;
}

static void take_counts(json_t *out, sqlite3_stmt *statement)
{
    static const char *const names[] = {"runs", "failed", "limited", "bounded", "warp_insts"};
    for (int i = 0; i < 5; i++) json_object_set_new(out, names[i], json_integer(sqlite3_column_int64(statement, i)));
    json_object_set_new(out, "thread_s", json_real(sqlite3_column_double(statement, 5)));
}

static void take_failure(json_t *out, sqlite3_stmt *statement)
{
    json_array_append_new(json_object_get(out, "failures"),
                          json_pack("{s:s,s:i,s:s}", "workload", text_of(statement, 0), "launch",
                                    sqlite3_column_int(statement, 1), "message", text_of(statement, 2)));
}

/* A store can have had several sweeps: the one that began last counts. */
static void take_plan(json_t *out, sqlite3_stmt *statement)
{
    json_t *plan = json_loads(text_of(statement, 1), 0, NULL);
    if (report_get(plan, "began") >= fmax(0, report_get(json_object_get(out, "plan"), "began"))) {
        json_object_set_new(plan, "name", json_string(text_of(statement, 0) + strlen(WATCH_PLAN)));
        json_object_set(out, "plan", plan);
    }
    json_decref(plan);
}

/* Rates since the sweep began; the time left is what the runs left would take at that rate. */
static void add_rates(json_t *out)
{
    const json_t *plan = json_object_get(out, "plan");
    const double began = report_get(plan, "began"), planned = report_get(plan, "runs"),
                 stored = report_get(plan, "stored"), runs = report_get(out, "runs");
    const double thread_s = report_get(out, "thread_s"), done = runs - stored, left = fmax(0, planned - runs),
                 passed = (double)time(NULL) - began;
    const double rate = passed > 0 && done > 0 ? done / passed : NAN;
    json_object_set_new(out, "insts_per_thread_s",
                        report_number(thread_s > 0 ? report_get(out, "warp_insts") / thread_s : NAN));
    json_object_set_new(out, "planned", report_number(planned));
    json_object_set_new(out, "left", report_number(isnan(planned) ? NAN : left));
    /* of a sweep that is over, time tells nothing */
    json_object_set_new(out, "runs_per_s", report_number(left > 0 ? rate : NAN));
    json_object_set_new(out, "eta_s", report_number(left > 0 ? left / rate : isnan(planned) ? NAN : 0));
}

/* Failed runs are tried again, so they are not among those that it has. */
int watch_keep_plan(struct store *store, const char *sweep, uint64_t missing, bool only_best, struct error *err)
{
    char name[200];
    json_t *counted = json_array();
    int result = store_query(
        store, "SELECT " RUNS_WHOLE " AS whole, " RUNS_EVEN_BOUNDED " AS bounded FROM sound_runs WHERE code = 0", NULL,
        counted, err);
    const json_t *row = json_array_get(counted, 0);
    const uint64_t whole = (uint64_t)json_number_value(json_object_get(row, "whole")),
                   bounded = (uint64_t)json_number_value(json_object_get(row, "bounded"));
    json_t *plan = json_pack("{s:I,s:I,s:I,s:b}", "runs", (json_int_t)(whole + missing), "stored",
                             (json_int_t)(only_best ? bounded : whole), "began", (json_int_t)time(NULL), "only_best",
                             (int)only_best);
    char *text = json_dumps(plan, JSON_COMPACT);
    snprintf(name, sizeof name, WATCH_PLAN "%.150s", sweep);
    if (result == 0)
        result = text ? store_put_provenance(store, name, text, err)
                      : error_set(err, ERR_MEMORY, "out of memory for a plan");
    free(text);
    json_decref(plan);
    json_decref(counted);
    return result;
}

int watch_read(json_t **out, const char *dir, struct error *err)
{
    char path[1200];
    struct store *store;
    struct error later;
    snprintf(path, sizeof path, "%.1100s%s", dir,
             strlen(dir) > 7 && strcmp(dir + strlen(dir) - 7, ".sqlite") == 0 ? "" : "/store.sqlite");
    *out = NULL;
    if (store_open_read(&store, path, err) < 0) return -1;
    json_t *now = lab_json();
    json_object_set_new(now, "store", json_string(path));
    json_object_set_new(now, "plan", json_null());
    json_object_set_new(now, "failures", json_array());
    int result = each_row(store, "SELECT name, value FROM sound_provenance WHERE name LIKE '" WATCH_PLAN "%'", now,
                          take_plan, err);
    const json_t *only_best = json_object_get(json_object_get(now, "plan"), "only_best");
#define COUNTS(runs) \
    "SELECT " runs ", total(code != 0), total(code = 0 AND NOT complete AND " BOUND " IS NULL)," \
    " total(" BOUND " IS NOT NULL), total(json_extract(stats, '$.warp_insts')), total(seconds) FROM sound_runs"
    if (result == 0)
        result = each_row(store, json_is_false(only_best) ? COUNTS(RUNS_WHOLE) : COUNTS(RUNS_EVEN_BOUNDED), now,
                          take_counts, err);
#undef COUNTS
    if (result == 0)
        result = each_row(
            store,
            "SELECT t.workload, t.launch, r.message FROM sound_runs AS r JOIN sound_traces AS t ON t.hash = r.trace "
            "WHERE r.code != 0 ORDER BY r.key LIMIT 5",
            now, take_failure, err);
    if (result == 0) result = read_bests(store, now, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    if (result == 0) add_rates(now);
    if (result < 0) json_decref(now);
    else *out = now;
    return result;
}

/* ---- for people ---- */

static void print_time(double seconds, FILE *out)
{
    const long s = (long)seconds;
    if (s >= 3600) fprintf(out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else fprintf(out, "%ld:%02ld", s / 60, s % 60);
}

static void print_head(const json_t *now, const struct report_style *style, FILE *out)
{
    const double runs = report_get(now, "runs"), planned = report_get(now, "planned"), left = report_get(now, "left"),
                 eta = report_get(now, "eta_s"), rate = report_get(now, "runs_per_s");
    fprintf(out, "%.*s: %.0f", (int)style->width - 30,
            *report_string(json_object_get(now, "plan"), "name") ? report_string(json_object_get(now, "plan"), "name")
                                                                 : report_string(now, "store"),
            runs);
    if (!isnan(planned)) fprintf(out, " of %.0f", fmax(planned, runs));
    fprintf(out, " runs\n");
    if (planned > 0) {
        const size_t width = style->width - 10, full = (size_t)((double)width * fmin(1, 1 - left / planned));
        for (size_t i = 0; i < width; i++) fputs(i < full ? "\u2588" : "\u2591", out);
        fprintf(out, " %3.0f %%\n", 100 * (1 - left / planned));
    }
    if (!isnan(rate)) fprintf(out, "%.2f runs/s  ", rate);
    if (!isnan(report_get(now, "insts_per_thread_s")))
        fprintf(out, "%.2f M warp inst/s a thread  ", 1e-6 * report_get(now, "insts_per_thread_s"));
    if (eta > 0) fputs("ETA ", out), print_time(eta, out);
    else if (eta == 0) fputs("done", out);
    fprintf(out, "\n%.0f failed, %.0f stopped by a limit", report_get(now, "failed"), report_get(now, "limited"));
    if (report_get(now, "bounded") > 0) fprintf(out, ", %.0f once they had lost", report_get(now, "bounded"));
    fputc('\n', out);
}

static int by_speedup(const void *a, const void *b)
{
    const double x = report_get(*(json_t *const *)a, "speedup"), y = report_get(*(json_t *const *)b, "speedup");
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x < y) - (x > y);
}

/* Whether a launch stands here under several configurations. */
static bool has_configs(const json_t *list)
{
    const char *first = report_string(json_array_get(list, 0), "config");
    const json_t *best;
    size_t i;
    json_array_foreach(list, i, best)
        if (strcmp(report_string(best, "config"), first) != 0) return true;
    return false;
}

/* A machine's column is as wide as their names, up to a third of the line; what is left is the stack's. */
static void print_bests(json_t *const *order, size_t n, bool names_machines, const struct report_style *style,
                        FILE *out)
{
    size_t wide = strlen("machine");
    char text[40];
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(report_string(order[i], "machine"));
        if (length > wide) wide = length;
    }
    const size_t most = style->width > 60 ? (style->width - 50) / 2 + 4 : 8;
    if (wide > most) wide = most;
    const size_t taken = 20 + 1 + 8 + 1 + 11 + 2 + (names_machines ? wide + 2 : 0);
    fprintf(out, "\n%-20s %8s %11s  ", "launch", "speedup", "cycles");
    if (names_machines) fprintf(out, "%-*s  ", (int)wide, "machine");
    fputs("best so far\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%-20.20s %8s %11.0f  ", report_string(order[i], "launch"),
                report_format("ratio", report_get(order[i], "speedup"), text, sizeof text),
                report_get(order[i], "cycles"));
        if (names_machines) fprintf(out, "%-*.*s  ", (int)wide, (int)wide, report_string(order[i], "machine"));
        fprintf(out, "%.*s\n", style->width > taken + 2 ? (int)(style->width - taken) : 2,
                report_string(order[i], "mechs"));
    }
}

void watch_print(const json_t *now, const struct report_style *style, size_t lines, FILE *out)
{
    const json_t *list = json_object_get(now, "best"), *failure;
    const size_t n = json_array_size(list), shown = n < lines ? n : lines;
    char text[200];
    json_t **order = calloc(n + 1, sizeof *order);
    size_t i;
    print_head(now, style, out);
    json_array_foreach(json_object_get(now, "failures"), i, failure)
        fprintf(out, "  %.40s/%d: %.*s\n", kernel_shown(report_string(failure, "workload"), text, sizeof text),
                (int)report_get(failure, "launch"), (int)style->width - 30, report_string(failure, "message"));
    if (!order) return;
    for (i = 0; i < n; i++) order[i] = json_array_get(list, i);
    qsort(order, n, sizeof *order, by_speedup);
    print_bests(order, shown, has_configs(list), style, out);
    if (n > shown) fprintf(out, "... and %zu more\n", n - shown);
    free(order);
}
