/* Whether the tables beside runs_tidy say what the runs give: they have no checksums, as all of them can be worked out
 * again. Rows that are not there yet are no error: a killed process leaves such a store. */
#include <string.h>
#include "store/store_internal.h"
#include "store/store_tidy.h"

struct derived {
    const char *table, *keys, *first, *values_here, *values_there;
};
static const struct derived derived[] = {
    {"machine_names", "config", "config", "m.machine", "t.machine"},
    {"machine_energy", "config, counter", "counter", "m.joules, m.microseconds", "t.joules, t.microseconds"},
    /* under POISE_MANGLED a kernel's name is its symbol */
    {"kernel_names", "symbol", "symbol", "m.kernel NOT IN (t.kernel, symbol)", "0"},
    {"error_names", "code", "code", "m.name", "t.name"},
    {"runs_tidy_columns", "name", "name", "m.kind, m.unit, m.meaning", "t.kind, t.unit, t.meaning"},
};

static int check_table(struct store *store, const struct derived *d, struct error *err)
{
    sqlite3_stmt *statement;
    char sql[600];
    snprintf(sql, sizeof sql,
             "SELECT count(*), min(%s) FROM main.%s AS m JOIN temp.%s AS t USING(%s) WHERE (%s) IS NOT (%s)", d->first,
             d->table, d->table, d->keys, d->values_here, d->values_there);
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    int result = 0;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        result = store_fail(store, err, "checking names");
    } else if (sqlite3_column_int64(statement, 0)) {
        error_set(err, ERR_INPUT, "%s: %lld rows of %s are not what the runs give, the first is %s", store->path,
                  (long long)sqlite3_column_int64(statement, 0), d->table,
                  (const char *)sqlite3_column_text(statement, 1));
        result = error_at(err, store->path, 0, -1, "'poise store gc' writes them again");
    }
    sqlite3_finalize(statement);
    return result;
}

/* 1: the file has the table; older builds wrote fewer of them. */
static int has_table(struct store *store, const char *table, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, "SELECT 1 FROM main.sqlite_master WHERE name = ?1", err) < 0) return -1;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    const int found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

static int differs(struct store *store, const char *view, struct error *err)
{
    error_set(err, ERR_INPUT, "%s: the view %s does not say what the runs do", store->path, view);
    return error_at(err, store->path, 0, -1, "'poise store gc' writes it again");
}

/* One text, or NULL; it goes with the statement. */
static int text_of(struct store *store, sqlite3_stmt **statement, const char *sql, const char **out, struct error *err)
{
    *out = NULL;
    if (store_prepare(store, statement, sql, err) < 0) return -1;
    const int step = sqlite3_step(*statement);
    if (step == SQLITE_ROW) *out = (const char *)sqlite3_column_text(*statement, 0);
    return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : store_fail(store, err, "checking views");
}

/* runs_tidy of another build has another text, or fewer columns: then each value counts that both have. What a killed
 * process had no time to write, as the name of a machine, is NULL or empty. Names of kernels are checked above. */
static int check_tidy_view(struct store *store, struct error *err)
{
    static const char
        is_other[] = "SELECT 1 FROM main.sqlite_master AS m JOIN temp.sqlite_master AS t USING(name)"
                     " WHERE name = 'runs_tidy' AND m.sql IS NOT t.sql",
        comparison[] =
            "SELECT 'SELECT 1 FROM main.runs_tidy AS m LEFT JOIN temp.runs_tidy AS t ON m.key = t.key"
            " WHERE (' || group_concat('m.\"' || name || '\"') || ') IS NOT (' ||"
            " group_concat(replace('iif(ifnull(m.\"?\", '''') = '''', m.\"?\", t.\"?\")', '?', name)) || ') LIMIT 1'"
            " FROM pragma_table_info('runs_tidy', 'main') JOIN pragma_table_info('runs_tidy', 'temp') USING(name)"
            " WHERE name != 'kernel' HAVING sum(name = 'key') = 1";
    sqlite3_stmt *first, *second = NULL, *third = NULL;
    const char *found = NULL, *sql = NULL;
    int result = text_of(store, &first, is_other, &found, err);
    if (result == 0 && found) {
        result = text_of(store, &second, comparison, &sql, err);
        if (result == 0 && sql) result = text_of(store, &third, sql, &found, err);
        if (result == 0 && (!sql || found)) result = differs(store, "runs_tidy", err);
    }
    sqlite3_finalize(first);
    sqlite3_finalize(second);
    sqlite3_finalize(third);
    return result;
}

/* Those that a schema wrote have one text. */
static int check_views(struct store *store, struct error *err)
{
    for (size_t i = 0; i < STORE_VIEWS && store->schema >= 2; i++) {
        sqlite3_stmt *statement;
        const char *text;
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT sql FROM main.sqlite_master WHERE name = '%s'", store_views[i][0]);
        int result = text_of(store, &statement, sql, &text, err);
        if (result == 0 && !(text && strcmp(store_views[i][1], text) == 0))
            result = differs(store, store_views[i][0], err);
        sqlite3_finalize(statement);
        if (result < 0) return -1;
    }
    return check_tidy_view(store, err);
}

int tidy_check(struct store *store, struct error *err)
{
    struct tidy_table fresh;
    int result = tidy_begin(&fresh, store, err);
    for (size_t i = 0; result == 0 && i < sizeof derived / sizeof *derived; i++) {
        const int found = has_table(store, derived[i].table, err);
        result = found > 0 ? check_table(store, &derived[i], err) : found;
    }
    if (result == 0) result = check_views(store, err);
    tidy_end(&fresh, store);
    return result;
}
