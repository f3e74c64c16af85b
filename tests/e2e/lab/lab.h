/* What the tests of the lab share: a folder with recorded traces, a spec of 216 short runs, exports. */
#ifndef TEST_LAB_H
#define TEST_LAB_H
#include "folder.h"
#include "where.h"
#include "spawn.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include "poise/file.h"
#include "poise/store.h"

enum { LAB_RUNS = 216 }; /* of the spec that lab_begin writes */

static char root[64], spec[96];

static inline int lab_begin(void **state)
{
    (void)state;
    struct error err;
    static const char text[] = "schema: 1\nkind: sweep\nname: many\nsize: test\nkernels: [{name: mvt, launches: [0]}, "
                               "{name: atax, launches: [0]}]\n"
                               "config: kepler32\naxes: {l1.ways: [2, 4, 8]}\nstacks:\n  - mech: tuple\n    axes: {N: "
                               "{from: 1, to: 8}, p: {from: 1, to: 8}}\n"
                               "    where: p <= N\n";
    snprintf(root, sizeof root, "%s", fresh_dir());
    snprintf(spec, sizeof spec, "%s/many.yaml", root);
    setenv("POISE_TRACES", root, 1);
    return file_write(spec, text, sizeof text - 1, &err);
}

static inline int lab_end(void **state)
{
    (void)state;
    return folder_remove(root);
}

/* Its store as CSV, the caller's. */
static inline char *exported(const char *path)
{
    struct store *store;
    struct error err;
    char *text;
    size_t size;
    assert_ok(store_open(&store, path, &err), &err);
    FILE *out = open_memstream(&text, &size);
    assert_ok(store_export_csv(store, out, &err), &err);
    fclose(out);
    assert_ok(store_close(store, &err), &err);
    return text;
}

/* The store that a sweep left in a folder, as CSV; the text of a file there. Both are the caller's. */
static inline char *export_of(const char *dir)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, dir);
    return exported(path);
}

static inline char *file_of(const char *dir, const char *name)
{
    char path[160], *text;
    size_t size;
    struct error err;
    snprintf(path, sizeof path, "%s/%s/%s", root, dir, name);
    assert_ok(file_read(&text, &size, path, &err), &err);
    return text;
}

static inline char *sweep_export(const char *dir)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sweep %s --threads 2 --out %s/%s", spec, root, dir);
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("%s", s->err);
    return export_of(dir);
}

/* The runs in the store of a folder, which others may be writing. */
static inline uint64_t stored(const char *dir)
{
    char path[160];
    struct store *store;
    struct error err;
    uint64_t n = 0;
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, dir);
    if (access(path, F_OK) != 0 || store_open(&store, path, &err) < 0) return 0;
    if (store_count(store, &n, &err) < 0) n = 0;
    store_close(store, &err);
    return n;
}

/* Waits, a minute at most, until `n` runs are stored; returns how many are. */
static inline uint64_t wait_for_runs(const char *dir, uint64_t n)
{
    uint64_t now = 0;
    for (int i = 0; i < 30000 && (now = stored(dir)) < n; i++) usleep(2000);
    return now;
}

/* `poise sweep` without a shell in between, so that signals reach it; `option` may be NULL. */
static inline pid_t start_sweep(const char *dir, const char *threads, const char *option)
{
    char out[128];
    snprintf(out, sizeof out, "%s/%s", root, dir);
    const pid_t pid = fork();
    if (pid == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        execl(POISE_BINARY_DIR "/experiments/poise", "poise", "sweep", spec, "--threads", threads, "--out", out, option,
              (char *)NULL);
        _exit(127);
    }
    return pid;
}
#endif
