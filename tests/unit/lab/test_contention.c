/* Many processes that meet at one store. */
#include "claims.h"
#include "folder.h"
#include "rig.h"

#include <sys/wait.h>
#include <unistd.h>
#include "poise/store.h"

enum { PROCESSES = 16, STORES = 20 };

/* Opens the store, puts one run, closes; as a sweep does. The first byte from `start` is the signal for all. */
static int visitor(const char *path, int number, int start)
{
    struct store *s;
    struct error err;
    char byte, key[16], stats[] = "{\"core_cycles\":1}", list[] = "[]", none[] = "";
    struct store_run run = {.mechs = list, .limits = list, .message = none, .stats = stats, .complete = true};
    const struct store_trace trace = {"t", "mm", "mm", "test", -1, 0, 1};
    snprintf(key, sizeof key, "k%02d", number);
    snprintf(run.key, sizeof run.key, "%s", key);
    snprintf(run.trace, sizeof run.trace, "t");
    snprintf(run.config, sizeof run.config, "c");
    if (read(start, &byte, 1) != 0) return 2;
    if (store_open(&s, path, &err) < 0 || store_put_trace(s, &trace, &err) < 0 ||
        store_put_config(s, "c", "{}", &err) < 0 || store_put(s, &run, &err) < 0 || store_close(s, &err) < 0) {
        fprintf(stderr, "process %d: %s\n", number, err.text);
        return 1;
    }
    return 0;
}

static void sixteen_processes_open_a_new_store_at_once_20_times_and_each_keeps_its_run(void **state)
{
    (void)state;
    char dir[] = "/tmp/poise-contention-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    for (int round = 0; round < STORES; round++) {
        pid_t pids[PROCESSES];
        int start[2], failed = 0;
        struct store *s;
        struct error err;
        uint64_t n;
        snprintf(path, sizeof path, "%s/%d.sqlite", dir, round);
        assert_int_equal(0, pipe(start));
        for (int i = 0; i < PROCESSES; i++)
            if ((pids[i] = fork()) == 0) {
                close(start[1]);
                _exit(visitor(path, i, start[0]));
            }
        close(start[0]);
        close(start[1]); /* the end of the pipe is the signal */
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            assert_int_equal(pids[i], waitpid(pids[i], &status, 0));
            failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        }
        assert_int_equal(0, failed);
        assert_ok(store_open(&s, path, &err), &err);
        assert_ok(store_check_file(s, &err), &err);
        assert_ok(store_verify(s, &n, &err), &err);
        assert_int_equal(PROCESSES, n);
        assert_ok(store_close(s, &err), &err);
    }
    assert_int_equal(0, folder_remove(dir));
}

/* Claims two runs, the first of which is stored, and dies. */
static int claims_and_dies(const char *path)
{
    struct store *s;
    struct error err;
    enum store_claim got[2];
    const char keys[2][HASH_TEXT_SIZE] = {"k00", "k01"};
    return store_open(&s, path, &err) < 0 || store_session_begin(s, &err) < 0 ||
           store_claim(s, keys, 2, got, &err) < 0 || got[0] != STORE_CLAIM_MINE || got[1] != STORE_CLAIM_MINE;
}

static void of_a_dead_process_only_claims_of_missing_runs_are_left(void **state)
{
    (void)state;
    char dir[] = "/tmp/poise-contention-XXXXXX", path[64];
    const char missing[1][HASH_TEXT_SIZE] = {"k01"};
    enum store_claim got;
    struct store *s;
    struct error err;
    int start[2], status;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/s.sqlite", dir);
    assert_int_equal(0, pipe(start));
    close(start[1]);
    assert_int_equal(0, visitor(path, 0, start[0]));
    close(start[0]);
    const pid_t pid = fork();
    if (pid == 0) _exit(claims_and_dies(path));
    assert_int_equal(pid, waitpid(pid, &status, 0));
    assert_int_equal(0, status);
    assert_int_equal(2, claims_in(path));
    assert_ok(store_open(&s, path, &err), &err);
    assert_ok(store_session_begin(s, &err), &err);
    assert_ok(store_session_end(s, &err), &err);
    assert_int_equal(1, claims_in(path));
    assert_ok(store_session_begin(s, &err), &err);
    assert_ok(store_claim(s, missing, 1, &got, &err), &err);
    assert_int_equal(STORE_CLAIM_LEFT_OVER, got);
    assert_ok(store_close(s, &err), &err);
    assert_int_equal(0, claims_in(path));
    assert_int_equal(0, folder_remove(dir));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_processes_open_a_new_store_at_once_20_times_and_each_keeps_its_run),
        cmocka_unit_test(of_a_dead_process_only_claims_of_missing_runs_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
