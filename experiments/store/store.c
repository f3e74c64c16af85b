#include "store/store_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/clock.h"
#include "poise/file.h"
#include "store/store_tidy.h"

void store_run_fini(struct store_run *run)
{
    free(run->mechs);
    free(run->stats);
    free(run->limits);
    free(run->message);
    memset(run, 0, sizeof *run);
}

static int connect(struct store *store, bool is_read_only, struct error *err)
{
    if (!is_read_only)
        return sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK
                   ? 0
                   : store_fail(store, err, "opening the store");
    /* A WAL file is read through a shared-memory file beside it. Where none can be made, the folder is read-only, so
     * that nobody writes: the file is read as it lies. */
    const char *slash = strrchr(store->path, '/');
    char folder[4096], uri[4200];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - store->path) + 1 : 2, slash ? store->path : "./");
    const bool is_frozen = access(folder, W_OK) != 0 && !strpbrk(store->path, "?#%");
    snprintf(uri, sizeof uri, "file:%s?immutable=1", store->path);
    return sqlite3_open_v2(is_frozen ? uri : store->path, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) ==
                   SQLITE_OK
               ? 0
               : store_fail(store, err, "opening the store");
}

enum { BUSY_MS = 20000 };

/* The switch to WAL needs the file alone. Where several processes open a new store at once, each holds it for
 * reading and wants more; SQLite then answers 'busy' without waiting, since waiting would be a deadlock. So the
 * reader's lock goes, and again. */
static int enter_wal(struct store *store, struct error *err)
{
    const double deadline = clock_s() + 1e-3 * BUSY_MS;
    for (long us = 500;; us = us < 20000 ? 2 * us : 20000) {
        const int code = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
        if (code == SQLITE_OK) return 0;
        if ((code != SQLITE_BUSY && code != SQLITE_PROTOCOL) || clock_s() > deadline)
            return store_fail(store, err, "opening the store");
        usleep((useconds_t)(us + getpid() % 500)); /* not all of them in step */
    }
}

static int open_as(struct store **out, const char *path, bool is_read_only, struct error *err)
{
    *out = NULL;
    if (file_check_regular(path, err) < 0) return -1;
    struct store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        free(store);
        return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    }
    const char *slash = strrchr(path, '/');
    int result = 0;
    store->is_read_only = is_read_only;
    if (slash && slash != path && !is_read_only) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        result = file_make_folders(folder, err);
    }
    if (result == 0) result = connect(store, is_read_only, err);
    if (result == 0) {
        sqlite3_busy_timeout(store->db, BUSY_MS);
        /* a file of another program stays as it is, its log beside it included */
        sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        result = store_identify(store, err);
        if (result == 0) sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        if (result == 0 && !is_read_only) result = enter_wal(store, err);
        /* NORMAL under WAL: a killed process loses nothing committed; a power cut may lose the last commits, no
         * more. */
        if (result == 0 && !is_read_only)
            result = store_execute(store, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;", err);
    }
    if (result == 0) result = store_add_checksum(store, err);
    if (result == 0) result = tidy_add_functions(store, err);
    if (result == 0) result = store_migrate(store, err);
    if (result == 0) result = store_add_sound_views(store, err);
    if (result == 0 && !is_read_only) result = tidy_open(store, err);
    if (result == 0 && !is_read_only) result = store_check_host(store, err);
    if (result < 0) {
        sqlite3_close(store->db);
        free(store->path);
        free(store);
        return -1;
    }
    store->last_commit = clock_s();
    *out = store;
    return 0;
}

const char *store_path(const struct store *store) { return store->path; }
int store_open(struct store **out, const char *path, struct error *err) { return open_as(out, path, false, err); }
int store_open_read(struct store **out, const char *path, struct error *err) { return open_as(out, path, true, err); }

int store_close(struct store *store, struct error *err)
{
    if (!store) return 0;
    struct error later;
    int result = store_flush(store, err);
    if (result == 0 && tidy_is_due(store)) {
        result = store_begin(store, err);
        if (result == 0) result = store_end(store, tidy_write(store, true, err), err);
    }
    if (store_session_end(store, &later) < 0 && result == 0) *err = later, result = -1;
    for (size_t i = 0; i < store->n_pending; i++) store_run_fini(&store->pending[i]);
    for (size_t i = 0; i < STORE_STATEMENTS; i++) sqlite3_finalize(store->statements[i]);
    tidy_free(store->tidy);
    sqlite3_close(store->db);
    free(store->path);
    free(store);
    return result;
}

static char *column_copy(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return strdup(text ? (const char *)text : "");
}

static void column_hash(sqlite3_stmt *statement, int column, char out[HASH_TEXT_SIZE])
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    snprintf(out, HASH_TEXT_SIZE, "%s", text ? (const char *)text : "");
}

static int run_copy(struct store_run *out, const struct store_run *from, struct error *err)
{
    *out = *from;
    out->mechs = strdup(from->mechs ? from->mechs : "[]");
    out->stats = strdup(from->stats ? from->stats : "{}");
    out->limits = strdup(from->limits ? from->limits : "{}");
    out->message = strdup(from->message ? from->message : "");
    if (out->mechs && out->stats && out->limits && out->message) return 0;
    store_run_fini(out);
    return error_set(err, ERR_MEMORY, "out of memory for a run's row");
}

int store_get(struct store *store, const char *key, struct store_run *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < store->n_pending; i++)
        if (strcmp(store->pending[i].key, key) == 0) return run_copy(out, &store->pending[i], err) < 0 ? -1 : 1;
    sqlite3_stmt *statement;
    if (store_statement(store, &statement, STORE_GET, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    int result = 0;
    if (step == SQLITE_ROW && !sqlite3_column_int(statement, 10)) {
        out->is_damaged = true;
    } else if (step == SQLITE_ROW) {
        column_hash(statement, 0, out->key);
        column_hash(statement, 1, out->trace);
        column_hash(statement, 2, out->config);
        out->mechs = column_copy(statement, 3);
        out->limits = column_copy(statement, 4);
        out->stats = column_copy(statement, 5);
        out->complete = sqlite3_column_int(statement, 6) != 0;
        out->code = (enum error_code)sqlite3_column_int(statement, 7);
        out->message = column_copy(statement, 8);
        out->seconds = sqlite3_column_double(statement, 9);
        result = out->mechs && out->limits && out->stats && out->message
                     ? 1
                     : error_set(err, ERR_MEMORY, "out of memory for a run's row");
        if (result < 0) store_run_fini(out);
    } else if (step != SQLITE_DONE) {
        result = store_fail(store, err, "looking a run up");
    }
    sqlite3_reset(statement);
    return result;
}

/* The claims that end with the pending rows. */
static int release_pending(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (!*store->owner) return 0;
    if (store_statement(store, &statement, STORE_RELEASE, err) < 0) return -1;
    for (size_t i = 0; i < store->n_pending; i++) {
        if (!*store->pending[i].claim) continue;
        sqlite3_bind_text(statement, 1, store->pending[i].claim, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, store->owner, -1, SQLITE_STATIC);
        if (store_step_done(store, statement, err) < 0) return -1;
    }
    sqlite3_clear_bindings(statement);
    return 0;
}

static int write_pending(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_statement(store, &statement, STORE_PUT, err) < 0) return -1;
    int result = 0;
    for (size_t i = 0; i < store->n_pending && result == 0; i++) {
        const struct store_run *run = &store->pending[i];
        const char *const texts[] = {run->key, run->trace, run->config, run->mechs, run->limits, run->stats};
        for (int c = 0; c < 6; c++) sqlite3_bind_text(statement, c + 1, texts[c], -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 7, run->complete);
        sqlite3_bind_int(statement, 8, (int)run->code);
        sqlite3_bind_text(statement, 9, run->message, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 10, run->seconds);
        if (sqlite3_step(statement) != SQLITE_DONE) result = store_fail(store, err, "writing a run");
        sqlite3_reset(statement);
    }
    sqlite3_clear_bindings(statement); /* they point into rows that go */
    if (result == 0) result = tidy_write(store, false, err);
    return result == 0 ? release_pending(store, err) : -1;
}

static void forget_pending(struct store *store)
{
    for (size_t i = 0; i < store->n_pending; i++) store_run_fini(&store->pending[i]);
    store->n_pending = 0;
    store->last_commit = clock_s();
}

int store_flush(struct store *store, struct error *err)
{
    if (store->n_pending == 0) return 0;
    if (store_begin(store, err) < 0 || store_end(store, write_pending(store, err), err) < 0) return -1;
    forget_pending(store);
    return 0;
}

int store_put(struct store *store, const struct store_run *run, struct error *err)
{
    if (store->n_pending == STORE_BATCH_MAX && store_flush(store, err) < 0) return -1;
    if (run_copy(&store->pending[store->n_pending], run, err) < 0) return -1;
    if (tidy_note(store, &store->pending[store->n_pending++], err) < 0) return -1;
    return store->n_pending == STORE_BATCH_MAX || clock_s() - store->last_commit > STORE_COMMIT_S
               ? store_flush(store, err)
               : 0;
}

int store_claim(struct store *store, const char (*keys)[HASH_TEXT_SIZE], size_t n, enum store_claim *out,
                struct error *err)
{
    if (store_begin(store, err) < 0) return -1;
    int result = write_pending(store, err);
    if (result == 0) result = store_claim_keys(store, keys, n, out, err);
    if (store_end(store, result, err) < 0) return -1;
    forget_pending(store);
    return 0;
}

int store_count(struct store *store, uint64_t *out, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_flush(store, err) < 0 || store_prepare(store, &statement, "SELECT count(*) FROM runs", err) < 0)
        return -1;
    const int step = sqlite3_step(statement);
    *out = step == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return step == SQLITE_ROW ? 0 : store_fail(store, err, "counting runs");
}
