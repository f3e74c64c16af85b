/* The rows beside the runs: what traces, configurations and plans are, what was asked for, where it was done. */
#include "store/store_internal.h"
#include "store/store_tidy.h"

#include <string.h>

/* An equal row is left alone: a second invocation writes nothing and waits for nobody. */
static int put_pair(struct store *store, const char *sql, const char *a, const char *b, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, a, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, b, -1, SQLITE_STATIC);
    const int result = store_step_done(store, statement, err);
    sqlite3_finalize(statement);
    return result;
}

int store_put_config(struct store *store, const char *hash, const char *json, struct error *err)
{
    return put_pair(store,
                    "INSERT OR REPLACE INTO configs SELECT ?1, ?2, row_checksum(?1, ?2) WHERE NOT EXISTS"
                    " (SELECT 1 FROM sound_configs WHERE hash = ?1)",
                    hash, json, err);
}

int store_put_provenance(struct store *store, const char *name, const char *value, struct error *err)
{
    return put_pair(store, "INSERT OR REPLACE INTO provenance VALUES(?1, ?2, row_checksum(?1, ?2))", name, value, err);
}

static int has_row(struct store *store, enum store_statement which, const char *hash, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_statement(store, &statement, which, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, hash, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement), result = step == SQLITE_ROW ? 1
                                                       : step == SQLITE_DONE
                                                           ? 0
                                                           : store_fail(store, err, "looking a row up");
    sqlite3_reset(statement);
    return result;
}

int store_has_config(struct store *store, const char *hash, struct error *err)
{
    return has_row(store, STORE_HAS_CONFIG, hash, err);
}

int store_has_trace(struct store *store, const char *hash, struct error *err)
{
    return has_row(store, STORE_HAS_TRACE, hash, err);
}

int store_put_trace(struct store *store, const struct store_trace *trace, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_statement(store, &statement, STORE_PUT_TRACE, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, trace->hash, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, trace->workload, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, trace->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, trace->size, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 5, trace->input);
    sqlite3_bind_int64(statement, 6, trace->launch);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)trace->warp_insts);
    const int before = sqlite3_total_changes(store->db), result = store_step_done(store, statement, err);
    if (sqlite3_total_changes(store->db) > before) tidy_expect(store);
    return result;
}

int store_get_plan(struct store *store, const char *trace, const char *config, struct store_plan *out,
                   struct error *err)
{
    sqlite3_stmt *statement;
    if (store_statement(store, &statement, STORE_GET_PLAN, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, config, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    const bool is_sound = step == SQLITE_ROW && sqlite3_column_int(statement, 3);
    if (is_sound) {
        out->warps_per_scheduler = (uint32_t)sqlite3_column_int64(statement, 0);
        out->warp_insts = (uint64_t)sqlite3_column_int64(statement, 1);
        out->line_requests = (uint64_t)sqlite3_column_int64(statement, 2);
    }
    const int result = is_sound              ? 1
                       : step == SQLITE_ROW  ? STORE_REFUSED
                       : step == SQLITE_DONE ? 0
                                             : store_fail(store, err, "looking a plan up");
    sqlite3_reset(statement);
    return result;
}

int store_put_plan(struct store *store, const char *trace, const char *config, const struct store_plan *plan,
                   struct error *err)
{
    sqlite3_stmt *statement;
    if (store_statement(store, &statement, STORE_PUT_PLAN, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, config, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, plan->warps_per_scheduler);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)plan->warp_insts);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)plan->line_requests);
    return store_step_done(store, statement, err);
}

/* Of the trace's runs a hundred are enough; of all runs, a thousand: a store may hold millions. */
int store_history(struct store *store, const char *trace, double *seconds_per_inst, struct error *err)
{
    sqlite3_stmt *statement;
    *seconds_per_inst = 0;
    if (trace ? store_statement(store, &statement, STORE_HISTORY, err) < 0
              : store_prepare(store, &statement,
                              "SELECT total(seconds), total(warp_insts) FROM"
                              " (SELECT seconds, warp_insts FROM runs JOIN traces ON traces.hash = runs.trace WHERE "
                              "complete AND code = 0 LIMIT 1000)",
                              err) < 0)
        return -1;
    if (trace) sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement),
              result = step == SQLITE_ROW ? 0 : store_fail(store, err, "reading the history");
    if (step == SQLITE_ROW && sqlite3_column_double(statement, 1) > 0)
        *seconds_per_inst = sqlite3_column_double(statement, 0) / sqlite3_column_double(statement, 1);
    if (trace) sqlite3_reset(statement);
    else sqlite3_finalize(statement);
    return result;
}

int store_put_experiment(struct store *store, const char *name, const char *spec, struct error *err)
{
    sqlite3_stmt *statement;
    char text[HASH_TEXT_SIZE];
    const struct hash hash = hash_bytes(spec, strlen(spec));
    if (store_prepare(store, &statement,
                      "INSERT OR REPLACE INTO experiments SELECT ?1, ?2, ?3, row_checksum(?1, ?2, ?3) WHERE NOT EXISTS"
                      " (SELECT 1 FROM sound_experiments WHERE name = ?1 AND hash = ?2)",
                      err) < 0)
        return -1;
    hash_text(&hash, text);
    const char *const values[] = {name, text, spec};
    for (int i = 0; i < 3; i++) sqlite3_bind_text(statement, i + 1, values[i], -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    const int result = step == SQLITE_DONE ? 0 : store_fail(store, err, "writing the store");
    sqlite3_finalize(statement);
    return result;
}

int store_count_failed(struct store *store, uint64_t *failed, uint64_t *crashed, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, "SELECT total(code != 0), total(code = ?) FROM runs", err) < 0) return -1;
    sqlite3_bind_int(statement, 1, (int)ERR_CRASH);
    const int step = sqlite3_step(statement);
    *failed = (uint64_t)sqlite3_column_int64(statement, 0);
    *crashed = (uint64_t)sqlite3_column_int64(statement, 1);
    sqlite3_finalize(statement);
    return step == SQLITE_ROW ? 0 : store_fail(store, err, "counting runs");
}
