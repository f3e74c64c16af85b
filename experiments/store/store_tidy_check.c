/* Whether runs_tidy and the tables beside it say what the runs give: they have no checksums, as all of them can be
 * worked out again. Rows that are not there yet are no error: a killed process leaves such a store. */
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

/* Whether both views have the same text. */
static int has_same_text(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement,
                      "SELECT 1 FROM main.sqlite_master AS m JOIN temp.sqlite_master AS t USING(name, sql)"
                      " WHERE m.name = 'runs_tidy'",
                      err) < 0)
        return -1;
    const int found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

/* The column of `fresh` that has the name, or -1. */
static int find_column(sqlite3_stmt *fresh, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(fresh); i++)
        if (strcmp(sqlite3_column_name(fresh, i), name) == 0) return i;
    return -1;
}

static bool is_same_cell(sqlite3_stmt *a, int i, sqlite3_stmt *b, int k)
{
    const char *x = (const char *)sqlite3_column_text(a, i), *y = (const char *)sqlite3_column_text(b, k);
    return !x || (y && strcmp(x, y) == 0); /* names come after their runs */
}

/* The first column that is not what the runs give; "" where a run is missing; NULL: all is right. */
static const char *find_altered(sqlite3_stmt *here, sqlite3_stmt *fresh)
{
    for (;;) {
        const bool has_row = sqlite3_step(here) == SQLITE_ROW;
        if (has_row != (sqlite3_step(fresh) == SQLITE_ROW)) return "";
        if (!has_row) return NULL;
        for (int i = 0; i < sqlite3_column_count(here); i++) {
            const char *name = sqlite3_column_name(here, i);
            const int k = find_column(fresh, name);
            if (k >= 0 && !is_same_cell(here, i, fresh, k)) return name;
        }
    }
}

/* A view of an older build, or of a killed process, has other columns: what both have is compared. */
static int check_view(struct store *store, sqlite3_stmt *fresh, struct error *err)
{
    sqlite3_stmt *here = NULL;
    const int same = has_same_text(store, err);
    if (same != 0) return same < 0 ? -1 : 0;
    const char *altered = "";
    if (sqlite3_prepare_v2(store->db, "SELECT * FROM main.runs_tidy ORDER BY key", -1, &here, NULL) == SQLITE_OK)
        altered = find_altered(here, fresh);
    if (altered) {
        error_set(err, ERR_INPUT, "%s: the view runs_tidy is altered: %s%s not what the runs give", store->path,
                  *altered ? altered : "its rows", *altered ? " is" : " are");
        error_at(err, store->path, 0, -1, "'poise store gc' writes it again");
    }
    sqlite3_finalize(here);
    sqlite3_reset(fresh);
    return altered ? -1 : 0;
}

int tidy_check(struct store *store, struct error *err)
{
    struct tidy_table fresh;
    int result = tidy_begin(&fresh, store, err);
    for (size_t i = 0; result == 0 && i < sizeof derived / sizeof *derived; i++) {
        const int found = has_table(store, derived[i].table, err);
        result = found > 0 ? check_table(store, &derived[i], err) : found;
    }
    if (result == 0) result = has_table(store, "runs_tidy", err);
    if (result > 0) result = check_view(store, fresh.statement, err);
    tidy_end(&fresh, store);
    return result;
}
