/* Whether the tables beside runs_tidy say what the runs give: they have no checksums, as all of them can be worked out
 * again. Rows that are not there yet are no error: a killed process leaves such a store. */
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

int tidy_check(struct store *store, struct error *err)
{
    struct tidy_table fresh;
    int result = tidy_begin(&fresh, store, err);
    for (size_t i = 0; result == 0 && i < sizeof derived / sizeof *derived; i++) {
        const int found = has_table(store, derived[i].table, err);
        result = found > 0 ? check_table(store, &derived[i], err) : found;
    }
    tidy_end(&fresh, store);
    return result;
}
