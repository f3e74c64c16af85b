/* What the tests of the store share: stores in /tmp with rows k000, k001, .. */
#ifndef TEST_STORE_H
#define TEST_STORE_H
#include "folder.h"
#include "rig.h"

#include <sqlite3.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/store.h"

static inline char *fresh_path(void)
{
    static char path[64];
    assert_non_null(folder_fresh(path, sizeof path));
    strcat(path, "/s.sqlite");
    return path;
}

static inline struct store_run row(const char *key, const char *stats)
{
    static char mechs[] = "[{\"name\":\"gto\",\"params\":{},\"stats\":{}}]", limits[] = "{\"max_cycles\":0}",
                message[] = "";
    struct store_run r = {.mechs = mechs,
                          .limits = limits,
                          .message = message,
                          .stats = (char *)(uintptr_t)stats,
                          .complete = true,
                          .seconds = 0.5};
    snprintf(r.key, sizeof r.key, "%s", key);
    snprintf(r.trace, sizeof r.trace, "t1");
    snprintf(r.config, sizeof r.config, "c1");
    return r;
}

static inline struct store *filled(const char *path, int from, int to)
{
    struct store *s;
    struct error err;
    assert_ok(store_open(&s, path, &err), &err);
    const struct store_trace trace = {"t1", "mm", "mm_kernel, one", "test", -1, 3, 1000};
    assert_ok(store_put_trace(s, &trace, &err), &err);
    assert_ok(store_put_config(s, "c1", "{}", &err), &err);
    for (int i = from; i != to; i += from < to ? 1 : -1) {
        char key[16], stats[64];
        snprintf(key, sizeof key, "k%03d", i);
        snprintf(stats, sizeof stats, "{\"core_cycles\":%d,\"hits\":%d}", 1000 + i, i);
        const struct store_run r = row(key, stats);
        assert_ok(store_put(s, &r, &err), &err);
    }
    return s;
}

static inline char *exported(struct store *s, size_t *size)
{
    struct error err;
    char *text;
    FILE *out = open_memstream(&text, size);
    assert_ok(store_export_csv(s, out, &err), &err);
    fclose(out);
    return text;
}

/* Past the store, as a person or a failing disk would. */
static inline void alter(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_open(path, &db);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}
#endif
