#include "store/store_tidy.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/clock.h"
#include "poise/gpu.h"
#include "poise/kernel_name.h"
#include "poise/mech.h"
#include "store/run_columns.h"
#include "store/store_internal.h"

struct tidy {
    struct run_columns *of; /* machines and parameters */
    json_t *counters;       /* a set, in order of the table of counters, others by name */
    json_t *configs;        /* a set: machines that have runs */
    bool has_new_column, has_new_row;
    double last; /* seconds, monotonic */
};
enum { WAIT_S = 1 };

/* kernel_name(symbol) in SQL */
static void sql_kernel_name(sqlite3_context *context, int n, sqlite3_value **values)
{
    char name[512];
    const unsigned char *symbol = n == 1 ? sqlite3_value_text(values[0]) : NULL;
    if (symbol)
        sqlite3_result_text(context, kernel_name((const char *)symbol, name, sizeof name), -1, SQLITE_TRANSIENT);
}

int tidy_add_functions(struct store *store, struct error *err)
{
    const int code = sqlite3_create_function_v2(store->db, "kernel_name", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                                sql_kernel_name, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : store_fail(store, err, "opening the store");
}

/* ---- columns that every store has ---- */

static const struct {
    struct tidy_column column;
    const char *sql;
} fixed[] = {
    {{"key", "", "hash of all that decides the run's result", TIDY_RUN}, "runs.key"},
    {{"trace", "", "hash of the recorded launch", TIDY_RUN}, "runs.trace"},
    {{"workload", "", "the program", TIDY_RUN}, "traces.workload"},
    {{"kernel", "", "the kernel, as its source names it (traces.kernel has the symbol)", TIDY_RUN},
     "ifnull(kernel_names.kernel, traces.kernel)"},
    {{"size", "", "size of the program's input", TIDY_RUN}, "traces.size"},
    {{"input", "", "number of the program's input; -1: it has one", TIDY_RUN}, "traces.input"},
    {{"launch", "", "number of the launch in the program", TIDY_RUN}, "traces.launch"},
    {{"mechs", "", "JSON: the stack of mechanisms, with their statistics", TIDY_RUN}, "runs.mechs"},
    {{"limits", "", "JSON: what could end the run early", TIDY_RUN}, "runs.limits"},
    {{"complete", "1 or 0", "the launch came to its end", TIDY_RUN}, "runs.complete"},
    {{"error", "", "why the run failed", TIDY_RUN}, "ifnull(error_names.name, '')"},
    {{"message", "", "why the run failed, as a sentence", TIDY_RUN}, "runs.message"},
    {{"machine", "", "short name of the configuration", TIDY_NAME}, "ifnull(machine_names.machine, '')"},
    {{"benchmark", "", "group of the row in a cross-validation", TIDY_NAME}, "traces.workload"},
    {{"mechanism", "", "names of the mechanisms, joined by +", TIDY_NAME}, NULL},
};

/* Behind the counters: what one count of each takes on the machine, summed, as twelve digits, which every reader prints
 * alike. */
#define SUM_OF(what) \
    "(SELECT CAST(printf('%.12g', total) AS REAL) FROM (SELECT sum(e." what \
    " * json_extract(runs.stats, '$.' || e.counter)) AS total FROM machine_energy AS e WHERE e.config = runs.config)" \
    " WHERE total IS NOT NULL)"
static const struct {
    struct tidy_column column;
    const char *sql;
} figures[] = {
    {{"time_us", "us", "time of the run by the core clock", TIDY_FIGURE}, SUM_OF("microseconds")},
    {{"energy_j", "J", "energy of the board, but for what mechanisms take (poise stats --energy)", TIDY_FIGURE},
     SUM_OF("joules")},
};

static const char *text_of(sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    return text ? (const char *)text : "";
}

/* ---- gathering ---- */

void tidy_free(struct tidy *t)
{
    if (!t) return;
    run_columns_free(t->of);
    json_decref(t->counters);
    json_decref(t->configs);
    free(t);
}

static struct tidy *tidy_new(struct error *err)
{
    struct tidy *t = calloc(1, sizeof *t);
    if (!t || run_columns_new(&t->of, err) < 0) {
        tidy_free(t);
        error_set(err, ERR_MEMORY, "out of memory for columns");
        return NULL;
    }
    t->counters = json_object();
    t->configs = json_object();
    return t;
}

/* Every row of a statement, until one is an error. */
static int each(struct store *store, const char *sql, int take(struct tidy *, sqlite3_stmt *, struct error *),
                struct tidy *t, struct error *err)
{
    sqlite3_stmt *statement;
    int result = store_prepare(store, &statement, sql, err), step = SQLITE_DONE;
    if (result < 0) return -1;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) result = take(t, statement, err);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading columns");
    sqlite3_finalize(statement);
    return result;
}

static int take_machine(struct tidy *t, sqlite3_stmt *statement, struct error *err)
{
    if (run_columns_knows(t->of, text_of(statement, 0))) return 0;
    struct gpu_params *params = gpu_params_new();
    struct error unread; /* of a build that had other parameters: then the machine has no name here */
    const char *json = text_of(statement, 1);
    int result = params ? 0 : error_set(err, ERR_MEMORY, "out of memory for a machine");
    if (result == 0 && gpu_params_parse(params, text_of(statement, 0), json, strlen(json), ".", &unread) == 0)
        result = run_columns_machine(t->of, text_of(statement, 0), params, err);
    gpu_params_free(params);
    return result;
}

static int take_stack(struct tidy *t, sqlite3_stmt *statement, struct error *err)
{
    json_t *stack = json_loads(text_of(statement, 0), 0, NULL);
    const int result = run_columns_stack(t->of, stack, err);
    json_decref(stack);
    return result;
}

static int take_counters(struct tidy *t, sqlite3_stmt *statement, struct error *err)
{
    json_t *stats = json_loads(text_of(statement, 1), 0, NULL);
    const int result = json_is_object(stats) ? 0
                                             : error_set(err, ERR_INPUT, "run %s: its statistics are no JSON object",
                                                         text_of(statement, 0));
    if (stats) json_object_update(t->counters, stats);
    json_decref(stats);
    return result;
}

static int take_column(struct tidy *t, sqlite3_stmt *statement, struct error *err)
{
    const char *name = text_of(statement, 0), *kind = text_of(statement, 1);
    if (strcmp(kind, "counter") == 0) json_object_set_new(t->counters, name, json_true());
    return strcmp(kind, "parameter") == 0 ? run_columns_param(t->of, name, err) : 0;
}

static int take_config(struct tidy *t, sqlite3_stmt *statement, struct error *err)
{
    (void)err;
    json_object_set_new(t->configs, text_of(statement, 0), json_true());
    return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Those of the build's table in its order, so that equal stores have equal columns; then what it does not know. */
static void sort_counters(struct tidy *t)
{
    json_t *sorted = json_object(), *value;
    const char *name;
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (json_object_get(t->counters, gpu_stat_table.rows[i].name))
            json_object_set_new(sorted, gpu_stat_table.rows[i].name, json_true());
    const char **others = calloc(json_object_size(t->counters) + 1, sizeof *others);
    size_t n = 0;
    json_object_foreach(t->counters, name, value)
        if (others && !json_object_get(sorted, name)) others[n++] = name;
    if (n) qsort(others, n, sizeof *others, by_name);
    for (size_t i = 0; i < n; i++) json_object_set_new(sorted, others[i], json_true());
    free(others);
    json_decref(t->counters);
    t->counters = sorted;
}

static int scan(struct tidy *t, struct store *store, struct error *err)
{
    if (each(store, "SELECT hash, json FROM sound_configs WHERE hash IN (SELECT config FROM main.runs) ORDER BY hash",
             take_machine, t, err) < 0 ||
        each(store, "SELECT DISTINCT mechs FROM main.runs", take_stack, t, err) < 0 ||
        each(store, "SELECT key, stats FROM main.runs ORDER BY key", take_counters, t, err) < 0)
        return -1;
    sort_counters(t);
    return run_columns_finish(t->of, err);
}

/* ---- the view's text ---- */

/* A name in an SQL text between apostrophes, or in quotes. */
static void print_quoted(const char *text, char quote, FILE *out)
{
    fputc(quote, out);
    for (; *text; text++) {
        if (*text == quote) fputc(quote, out);
        fputc(*text, out);
    }
    fputc(quote, out);
}

/* json_extract or json_type of a member: '$[0].params."N"'. */
static void print_member(const char *function, const char *column, const char *before, const char *name, FILE *out)
{
    char path[400];
    snprintf(path, sizeof path, "$%s.\"%s\"", before, name);
    fprintf(out, "%s(%s,", function, column);
    print_quoted(path, '\'', out);
    fputc(')', out);
}

/* A value; truth as the words that a spec has for it. */
static void print_value(const char *column, const char *before, const char *name, const struct param_row *row,
                        FILE *out)
{
    if (!row || row->type == VALUE_FLAG) {
        fputs("CASE ", out);
        print_member("json_type", column, before, name, out);
        fputs(" WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE ", out);
    }
    print_member("json_extract", column, before, name, out);
    if (!row || row->type == VALUE_FLAG) fputs(" END", out);
}

static void print_axis(const struct run_column *c, FILE *out)
{
    char owner[100];
    snprintf(owner, sizeof owner, ".\"%.*s\"", (int)c->owner_length, c->owner);
    print_value("configs.json", owner, c->param, c->row, out);
}

/* A parameter that one mechanism of a stack has alone stands under its own name; else each under its mechanism's. */
static void print_parameter(const struct run_column *c, FILE *out)
{
    fputs("CASE ", out);
    if (!c->owner_length) {
        fputs("WHEN json_array_length(runs.mechs) = 1 THEN ", out);
        print_value("runs.mechs", "[0].params", c->param, c->row, out);
    }
    if (!c->is_taken) {
        fputs(" WHEN 0", out);
        for (int i = 0; i < MECH_STACK_MAX; i++) {
            char before[32];
            snprintf(before, sizeof before, "[%d].params", i);
            fputs(" + (", out);
            print_member("json_type", "runs.mechs", before, c->param, out);
            fputs(" IS NOT NULL)", out);
        }
        fputs(c->owner_length ? " < 2 THEN NULL" : " <> 1 THEN NULL", out);
    }
    for (int i = 0; i < MECH_STACK_MAX; i++) {
        char before[32], owner[100];
        snprintf(before, sizeof before, "[%d].params", i);
        snprintf(owner, sizeof owner, "%.*s", (int)c->owner_length, c->owner);
        fputs(" WHEN ", out);
        print_member("json_type", "runs.mechs", before, c->param, out);
        fputs(" IS NOT NULL", out);
        if (c->owner_length) {
            fprintf(out, " AND json_extract(runs.mechs,'$[%d].name') = ", i);
            print_quoted(owner, '\'', out);
        }
        fputs(" THEN ", out);
        print_value("runs.mechs", before, c->param, c->row, out);
    }
    fputs(" END", out);
}

static void print_mechanism(FILE *out)
{
    fputs("ifnull(nullif(ltrim(''", out);
    for (int i = 0; i < MECH_STACK_MAX; i++) /* 'cpu' is no mechanism: results of CPU programs beside the kernel */
        fprintf(out, "||ifnull('+'||nullif(json_extract(runs.mechs,'$[%d].name'),'cpu'),'')", i);
    fputs(",'+'),''),'gto')", out);
}

static void print_select(const struct tidy *t, FILE *out)
{
    const char *name;
    json_t *value;
    struct run_column c;
    fputs("SELECT ", out);
    for (size_t i = 0; i < COUNT_OF(fixed); i++) {
        if (fixed[i].sql) fputs(fixed[i].sql, out);
        else print_mechanism(out);
        fprintf(out, " AS %s%s", fixed[i].column.name, i + 1 < COUNT_OF(fixed) ? "," : "");
    }
    for (size_t i = 0; i < run_columns_count(t->of); i++) {
        run_columns_at(t->of, i, &c);
        fputs(",\n", out);
        if (c.is_axis) print_axis(&c, out);
        else print_parameter(&c, out);
        fputs(" AS ", out);
        print_quoted(c.name, '"', out);
    }
    json_object_foreach(t->counters, name, value) {
        fputs(",\nCAST(", out);
        print_member("json_extract", "runs.stats", "", name, out);
        fputs(" AS INTEGER) AS ", out);
        print_quoted(name, '"', out);
    }
    for (size_t i = 0; i < COUNT_OF(figures); i++) fprintf(out, ",\n%s AS %s", figures[i].sql, figures[i].column.name);
    fputs("\nFROM runs LEFT JOIN traces ON traces.hash = runs.trace LEFT JOIN configs ON configs.hash = runs.config"
          " LEFT JOIN machine_names ON machine_names.config = runs.config"
          " LEFT JOIN kernel_names ON kernel_names.symbol = traces.kernel"
          " LEFT JOIN error_names ON error_names.code = runs.code",
          out);
}

/* ---- writing ---- */

static int put_row(struct store *store, sqlite3_stmt *statement, const char *const *texts, int n, struct error *err)
{
    for (int i = 0; i < n; i++) sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_TRANSIENT);
    return store_step_done(store, statement, err);
}

static int put_machines(const struct tidy *t, struct store *store, const char *schema, struct error *err)
{
    sqlite3_stmt *statement;
    char sql[120];
    const char *texts[2];
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s.machine_names VALUES(?1, ?2)", schema);
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    int result = 0;
    for (size_t i = 0; result == 0 && (texts[1] = run_columns_machine_at(t->of, i, &texts[0])); i++)
        result = put_row(store, statement, texts, 2, err);
    sqlite3_finalize(statement);
    return result;
}

static int put_errors(struct store *store, const char *schema, struct error *err)
{
    char sql[160];
#define X(code, status, text) code,
    static const enum error_code codes[] = {ERROR_CODES(X)};
#undef X
    int result = 0;
    for (size_t i = 0; i < COUNT_OF(codes) && result == 0; i++) {
        snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s.error_names VALUES(%d, '%s')", schema, (int)codes[i],
                 error_name(codes[i]));
        result = store_execute(store, sql, err);
    }
    return result;
}

static const char *const kinds[] = {"run", "name", "axis", "parameter", "counter", "figure"};

static size_t list_columns(const struct tidy *t, struct tidy_column *out)
{
    size_t n = 0;
    const char *name;
    json_t *value;
    struct run_column c;
    for (size_t i = 0; i < COUNT_OF(fixed); i++) out[n++] = fixed[i].column;
    for (size_t i = 0; i < run_columns_count(t->of); i++) {
        run_columns_at(t->of, i, &c);
        out[n++] = (struct tidy_column){c.name, c.row ? c.row->unit : "", c.row ? c.row->doc : "",
                                        c.is_axis ? TIDY_AXIS : TIDY_PARAMETER};
    }
    json_object_foreach(t->counters, name, value) {
        out[n] = (struct tidy_column){name, "", "", TIDY_COUNTER};
        for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
            if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
                out[n].unit = gpu_stat_table.rows[i].unit, out[n].meaning = gpu_stat_table.rows[i].doc;
        n++;
    }
    for (size_t i = 0; i < COUNT_OF(figures); i++) out[n++] = figures[i].column;
    return n;
}

static size_t count_columns(const struct tidy *t)
{
    return COUNT_OF(fixed) + COUNT_OF(figures) + run_columns_count(t->of) + json_object_size(t->counters);
}

static int put_columns(const struct tidy *t, struct store *store, const char *schema, struct error *err)
{
    sqlite3_stmt *statement;
    char sql[120], position[24];
    struct tidy_column *list = calloc(count_columns(t), sizeof *list);
    if (!list) return error_set(err, ERR_MEMORY, "out of memory for columns");
    const size_t n = list_columns(t, list);
    snprintf(sql, sizeof sql, "INSERT INTO %s.runs_tidy_columns VALUES(?1, ?2, ?3, ?4, ?5)", schema);
    int result = store_prepare(store, &statement, sql, err);
    for (size_t i = 0; i < n && result == 0; i++) {
        snprintf(position, sizeof position, "%zu", i + 1);
        const char *const texts[] = {position, list[i].name, kinds[list[i].kind], list[i].unit, list[i].meaning};
        result = put_row(store, statement, texts, 5, err);
    }
    sqlite3_finalize(statement);
    free(list);
    return result;
}

/* The tables beside the view, and the view, in `schema`: "main" or "temp". */
static int make(const struct tidy *t, struct store *store, const char *schema, struct error *err)
{
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for a view");
    fprintf(out,
            "CREATE TABLE IF NOT EXISTS %1$s.machine_names(config TEXT PRIMARY KEY, machine TEXT NOT NULL)"
            " WITHOUT ROWID;"
            "CREATE TABLE IF NOT EXISTS %1$s.machine_energy(config TEXT NOT NULL, counter TEXT NOT NULL,"
            " joules REAL NOT NULL, microseconds REAL NOT NULL, PRIMARY KEY(config, counter)) WITHOUT ROWID;"
            "CREATE TABLE IF NOT EXISTS %1$s.kernel_names(symbol TEXT PRIMARY KEY, kernel TEXT NOT NULL)"
            " WITHOUT ROWID;"
            "CREATE TABLE IF NOT EXISTS %1$s.error_names(code INTEGER PRIMARY KEY, name TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS %1$s.runs_tidy_columns(position INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            " kind TEXT NOT NULL, unit TEXT NOT NULL, meaning TEXT NOT NULL);"
            "DELETE FROM %1$s.runs_tidy_columns; DELETE FROM %1$s.machine_names; DELETE FROM %1$s.machine_energy;"
            "INSERT INTO %1$s.kernel_names SELECT DISTINCT kernel, kernel_name(kernel) FROM main.traces"
            " WHERE kernel NOT IN (SELECT symbol FROM %1$s.kernel_names);"
            "DROP VIEW IF EXISTS %1$s.runs_tidy; CREATE VIEW %1$s.runs_tidy AS ",
            schema);
    print_select(t, out);
    const bool is_whole = fclose(out) == 0;
    int result = is_whole ? store_execute(store, sql, err) : error_set(err, ERR_MEMORY, "out of memory for a view");
    free(sql);
    if (result == 0) result = put_machines(t, store, schema, err);
    if (result == 0) result = tidy_put_energy(store, t->of, schema, err);
    if (result == 0) result = put_errors(store, schema, err);
    return result == 0 ? put_columns(t, store, schema, err) : -1;
}

static int has_view(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, "SELECT 1 FROM main.sqlite_master WHERE name = 'runs_tidy'", err) < 0)
        return -1;
    const int found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

int tidy_rewrite(struct store *store, struct error *err)
{
    struct tidy *t = tidy_new(err);
    int result = t ? scan(t, store, err) : -1;
    if (result == 0)
        result = store_execute(store, "DROP TABLE IF EXISTS main.kernel_names; DROP TABLE IF EXISTS main.error_names",
                               err); /* to the others rows are not only added */
    if (result == 0) result = make(t, store, "main", err);
    tidy_free(t);
    tidy_free(store->tidy); /* read anew when it is needed */
    store->tidy = NULL;
    return result;
}

int tidy_open(struct store *store, struct error *err)
{
    int found = has_view(store, err);
    if (found != 0) return found < 0 ? -1 : 0;
    if (store_execute(store, "BEGIN IMMEDIATE", err) < 0) return -1;
    found = has_view(store, err); /* another process may have made it just now */
    const int result = found < 0 ? -1 : found ? 0 : tidy_rewrite(store, err);
    return store_end(store, result, err);
}

/* ---- while runs are written ---- */

/* What the store has of columns and machines, by whichever process. */
static int read_written(struct tidy *t, struct store *store, struct error *err)
{
    if (each(store, "SELECT name, kind FROM main.runs_tidy_columns ORDER BY position", take_column, t, err) < 0)
        return -1;
    return each(store, "SELECT config FROM main.machine_names", take_config, t, err);
}

static struct tidy *load(struct store *store, struct error *err)
{
    if (store->tidy) return store->tidy;
    struct tidy *t = tidy_new(err);
    if (t && read_written(t, store, err) < 0) {
        tidy_free(t);
        return NULL;
    }
    return store->tidy = t;
}

int tidy_note(struct store *store, const struct store_run *run, struct error *err)
{
    struct tidy *t = load(store, err);
    if (!t) return -1;
    json_t *stats = json_loads(run->stats, 0, NULL), *stack = json_loads(run->mechs, 0, NULL), *value;
    const char *name;
    const size_t before = run_columns_count(t->of);
    json_object_foreach(stats, name, value)
        if (!json_object_get(t->counters, name)) {
            json_object_set_new(t->counters, name, json_true());
            t->has_new_column = true;
        }
    const int result = run_columns_stack(t->of, stack, err);
    t->has_new_column |= run_columns_count(t->of) > before;
    if (!json_object_get(t->configs, run->config)) {
        json_object_set_new(t->configs, run->config, json_true());
        t->has_new_row = true;
    }
    json_decref(stats);
    json_decref(stack);
    return result;
}

bool tidy_is_due(const struct store *store)
{
    return store->tidy && (store->tidy->has_new_column || store->tidy->has_new_row);
}

void tidy_expect(struct store *store)
{
    struct error ignored;
    struct tidy *t = load(store, &ignored);
    if (t) t->has_new_row = true;
}

/* The machines that have runs, by their hashes. */
static int take_machines(struct tidy *t, struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    const char *hash;
    json_t *value;
    if (store_prepare(store, &statement, "SELECT hash, json FROM sound_configs WHERE hash = ?1", err) < 0) return -1;
    int result = 0;
    json_object_foreach(t->configs, hash, value) {
        if (result < 0 || run_columns_knows(t->of, hash)) continue;
        sqlite3_bind_text(statement, 1, hash, -1, SQLITE_TRANSIENT);
        const int step = sqlite3_step(statement);
        if (step == SQLITE_ROW) result = take_machine(t, statement, err);
        else if (step != SQLITE_DONE) result = store_fail(store, err, "reading machines");
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return result;
}

int tidy_write(struct store *store, bool is_last, struct error *err)
{
    struct tidy *t = store->tidy;
    if (!t || !tidy_is_due(store)) return 0;
    if (!(t->has_new_column || (t->has_new_row && (is_last || clock_s() - t->last > WAIT_S)))) return 0;
    if (read_written(t, store, err) < 0 || take_machines(t, store, err) < 0) return -1;
    sort_counters(t);
    if (run_columns_finish(t->of, err) < 0) return -1;
    t->has_new_column = t->has_new_row = false;
    t->last = clock_s();
    return make(t, store, "main", err);
}

/* ---- reading ---- */

int tidy_view(struct store *store, struct error *err)
{
    const int found = has_view(store, err);
    if (found != 0) return found < 0 ? -1 : 0;
    struct tidy *t = tidy_new(err);
    int result = t ? scan(t, store, err) : -1;
    if (result == 0) result = make(t, store, "temp", err);
    tidy_free(t);
    return result;
}

int tidy_begin(struct tidy_table *out, struct store *store, struct error *err)
{
    *out = (struct tidy_table){.tidy = tidy_new(err)};
    if (!out->tidy || scan(out->tidy, store, err) < 0 || make(out->tidy, store, "temp", err) < 0) return -1;
    out->columns = calloc(count_columns(out->tidy), sizeof *out->columns);
    if (!out->columns) return error_set(err, ERR_MEMORY, "out of memory for columns");
    out->n = list_columns(out->tidy, out->columns);
    return store_prepare(store, &out->statement, "SELECT * FROM temp.runs_tidy ORDER BY key", err);
}

void tidy_end(struct tidy_table *table, struct store *store)
{
    sqlite3_finalize(table->statement);
    sqlite3_exec(
        store->db,
        "DROP VIEW IF EXISTS temp.runs_tidy; DROP TABLE IF EXISTS temp.machine_names; DROP TABLE IF EXISTS "
        "temp.machine_energy; DROP TABLE IF EXISTS "
        "temp.kernel_names; DROP TABLE IF EXISTS temp.error_names; DROP TABLE IF EXISTS temp.runs_tidy_columns",
        NULL, NULL, NULL);
    free(table->columns);
    tidy_free(table->tidy);
    *table = (struct tidy_table){0};
}
