/* Full disks, read-only folders, damaged files: what is committed stays, and the message says what to do. */
#include "lab.h"

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sqlite3.h>

/* Runs `body` in a child, so that what it changes about its process ends with it; its exit status. */
static int in_child(int (*body)(void))
{
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) _exit(body());
    assert_int_equal(pid, waitpid(pid, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int sweep_to(const char *dir)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sweep %s --threads 2 --out %s/%s", spec, root, dir);
    return poise(root, arguments)->status;
}

static int says(const char *words)
{
    char path[96], text[4096];
    snprintf(path, sizeof path, "%s/err", root);
    slurp(path, text, sizeof text);
    if (strstr(text, words)) return 1;
    fprintf(stderr, "'%s' is not in: %s\n", words, text);
    return 0;
}

static int sound(const char *dir)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "store verify --store %s/%s/store.sqlite", root, dir);
    return poise(root, arguments)->status == 0;
}

static int size_limited(void)
{
    const struct rlimit limit = {40960, 40960};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (sweep_to("limited") != 1) return 1;
    return says("disk may be full or a file at its size limit") ? 0 : 2;
}

static void a_store_at_the_file_size_limit_keeps_what_was_committed_and_a_later_sweep_completes_it(void **state)
{
    (void)state;
    char *whole = sweep_export("whole");
    assert_int_equal(0, in_child(size_limited));
    assert_true(sound("limited"));
    char *text = sweep_export("limited");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

/* A file system of 160 KiB of our own; 77 where the system forbids mounting. */
static int small_disk(void)
{
    char dir[96], arguments[256];
    snprintf(dir, sizeof dir, "%s/full", root);
    mkdir(dir, 0777);
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", dir, "tmpfs", 0, "size=160k") < 0)
        return 77;
    if (sweep_to("full") != 1) return 1;
    if (!says("free some disk space") && !says("disk may be full")) return 2;
    if (mount("tmpfs", dir, "tmpfs", MS_REMOUNT, "size=64m") < 0) return 3;
    if (!sound("full")) return 4;
    if (sweep_to("full") != 0) return 5;
    snprintf(arguments, sizeof arguments, "store export csv --store %s/full/store.sqlite", root);
    const struct said *s = poise(root, arguments);
    if (s->status) return 6;
    snprintf(arguments, sizeof arguments, "cp %s/out %s/full.csv", root, root);
    return system(arguments) == 0 ? 0 : 7;
}

static void a_sweep_that_fills_a_disk_of_160_kib_goes_on_when_there_is_space_again(void **state)
{
    (void)state;
    char *whole = sweep_export("whole"), path[96], *text;
    size_t size;
    struct error err;
    const int status = in_child(small_disk);
    if (status == 77) {
        free(whole);
        print_message("no right to mount a file system here: the file size limit stands in for it\n");
        skip();
    }
    assert_int_equal(0, status);
    snprintf(path, sizeof path, "%s/full.csv", root);
    assert_ok(file_read(&text, &size, path, &err), &err);
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

static void a_damaged_store_is_refused_with_a_hint_and_left_as_it_is(void **state)
{
    (void)state;
    char path[160], *text, *after;
    size_t size, size_after;
    struct error err;
    free(sweep_export("damaged"));
    snprintf(path, sizeof path, "%s/damaged/store.sqlite", root);
    assert_ok(file_read(&text, &size, path, &err), &err);
    for (size_t i = 4096; i < size; i++) text[i] = (char)(i * 37);
    assert_ok(file_write(path, text, size, &err), &err);
    assert_int_equal(1, sweep_to("damaged"));
    assert_true(says("malformed") && says("move it away and run again"));
    memset(text, 'x', 100);
    assert_ok(file_write(path, text, size, &err), &err);
    assert_int_equal(2, sweep_to("damaged"));
    assert_true(says("not a database") && says("move it away and run again"));
    assert_ok(file_read(&after, &size_after, path, &err), &err);
    assert_int_equal(size, size_after);
    assert_memory_equal(text, after, size);
    free(text);
    free(after);
}

/* One statement on the store of a folder, past the program; how many rows it changed. */
static int alter(const char *dir, const char *sql)
{
    char path[160];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, dir);
    assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const int changes = sqlite3_changes(db);
    sqlite3_close(db);
    return changes;
}

/* What a sweep leaves for people and programs: its store, sweep.csv and best.csv, one after another. */
static char *all_of(const char *dir)
{
    char *store = export_of(dir), *csv = file_of(dir, "sweep.csv"), *best = file_of(dir, "best.csv"), *all;
    assert_true(asprintf(&all, "%s%s%s", store, csv, best) > 0);
    free(store);
    free(csv);
    free(best);
    return all;
}

/* The sweep says once whose row it refuses, and simulates that run alone. */
static void refuses_and_simulates_again(const char *key)
{
    char arguments[256], words[96];
    assert_false(sound("altered"));
    assert_true(says(key));
    snprintf(arguments, sizeof arguments, "sweep %s --threads 2 --out %s/altered", spec, root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "216 runs, 1 simulated now, 215 from the store"));
    snprintf(words, sizeof words, "run %s: its row does not match its checksum", key);
    const char *told = strstr(s->err, words);
    assert_non_null(told);
    assert_null(strstr(told + strlen(words), "checksum"));
    assert_true(sound("altered"));
}

static void rows_whose_statistics_were_altered_or_emptied_are_refused_by_name_and_simulated_again(void **state)
{
    (void)state;
    static const char *const changes[] = {"stats = json_set(stats, '$.core_cycles', 1)", "stats = '{}'", "stats = ''",
                                          "complete = 0", "mechs = '[]'"};
    free(sweep_export("altered"));
    char *whole = all_of("altered"), key[HASH_TEXT_SIZE], sql[160];
    snprintf(key, sizeof key, "%.32s", strchr(whole, '\n') + 1);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        snprintf(sql, sizeof sql, "UPDATE runs SET %s WHERE key = '%s'", changes[i], key);
        assert_int_equal(1, alter("altered", sql));
        refuses_and_simulates_again(key);
        char *after = all_of("altered");
        assert_string_equal(whole, after);
        free(after);
    }
    free(whole);
}

static int as_nobody(void)
{
    char arguments[256];
    if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)) return 77;
    if (access(POISE_BINARY_DIR "/experiments/poise", X_OK) < 0) return 77; /* a checkout that others may not enter */
    if (sweep_to("readonly") != 1) return 1;
    if (!says("read-only") && !says("can be written")) return 2;
    snprintf(arguments, sizeof arguments,
             "store query 'SELECT count(*) AS n FROM runs' --store %s/readonly/store.sqlite", root);
    const struct said *s = poise(root, arguments);
    if (s->status || !strstr(s->out, "216")) return 3;
    snprintf(arguments, sizeof arguments, "sweep %s --out %s/readonly/new", spec, root);
    return poise(root, arguments)->status == 1 ? 0 : 4;
}

static void a_read_only_folder_can_be_queried_and_writing_there_says_so(void **state)
{
    (void)state;
    char dir[96], file[640];
    free(sweep_export("readonly"));
    snprintf(dir, sizeof dir, "%s/readonly", root);
    snprintf(file, sizeof file, "chmod -R a+rwX %s; chmod a-w %s/*; chmod 0555 %s", root, dir, dir);
    assert_int_equal(0, system(file));
    const int status = in_child(as_nobody);
    assert_int_equal(0, chmod(dir, 0755));
    if (status == 77) {
        print_message("skipped: nobody may not run this build\n");
        skip();
    }
    assert_int_equal(0, status);
}

static void a_query_is_one_select_and_writes_nothing(void **state)
{
    (void)state;
    char arguments[256];
    free(sweep_export("whole"));
    snprintf(arguments, sizeof arguments, "store query 'DELETE FROM runs' --store %s/whole/store.sqlite", root);
    assert_int_equal(2, poise(root, arguments)->status);
    snprintf(arguments, sizeof arguments,
             "store query \"SELECT DISTINCT value FROM parameters WHERE name = 'N' ORDER BY value\" --store "
             "%s/whole/store.sqlite",
             root);
    const struct said *s = poise(root, arguments);
    assert_string_equal("value\n1\n2\n3\n4\n5\n6\n7\n8\n", s->out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_at_the_file_size_limit_keeps_what_was_committed_and_a_later_sweep_completes_it),
        cmocka_unit_test(a_sweep_that_fills_a_disk_of_160_kib_goes_on_when_there_is_space_again),
        cmocka_unit_test(a_damaged_store_is_refused_with_a_hint_and_left_as_it_is),
        cmocka_unit_test(rows_whose_statistics_were_altered_or_emptied_are_refused_by_name_and_simulated_again),
        cmocka_unit_test(a_read_only_folder_can_be_queried_and_writing_there_says_so),
        cmocka_unit_test(a_query_is_one_select_and_writes_nothing),
    };
    return cmocka_run_group_tests(tests, lab_begin, lab_end);
}
