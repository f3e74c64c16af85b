/* A sweep that is killed again and again loses nothing that was committed. */
#include "lab.h"

#include <time.h>

enum { KILLS = 50 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 33;
}

static uint64_t sound_runs(const char *path)
{
    struct store *store;
    struct error err;
    uint64_t n = 0;
    if (access(path, F_OK) != 0) return 0;
    assert_ok(store_open(&store, path, &err), &err);
    assert_ok(store_check_file(store, &err), &err);
    assert_ok(store_verify(store, &n, &err), &err);
    assert_ok(store_close(store, &err), &err);
    return n;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void a_sweep_killed_at_50_random_moments_ends_with_exactly_the_full_set_of_runs(void **state)
{
    (void)state;
    const double started = seconds();
    char *whole = sweep_export("whole"), path[160], dir[32];
    /* Kills fall anywhere in a sweep, however busy the machine is: up to half of what one takes, a quarter of a
     * second at least. */
    const double window = (seconds() - started) / 2 > 0.25 ? (seconds() - started) / 2 : 0.25;
    uint64_t random = 42, runs = 0;
    int killed = 0, stores = 0, partial = 0;
    for (int round = 0; killed < KILLS && round < 2000; round++) {
        int status;
        snprintf(dir, sizeof dir, "killed%d", stores);
        snprintf(path, sizeof path, "%s/%s/store.sqlite", root, dir);
        const pid_t pid = start_sweep(dir, "1", NULL);
        const double pause = window * (double)(next_random(&random) % 250000) / 250000;
        const struct timespec wait = {(time_t)pause, (long)(1e9 * (pause - (double)(time_t)pause))};
        nanosleep(&wait, NULL);
        kill(pid, SIGKILL);
        assert_int_equal(pid, waitpid(pid, &status, 0));
        const uint64_t now = sound_runs(path);
        assert_true(now >= runs); /* what was committed stays */
        runs = now;
        if (WIFSIGNALED(status)) {
            killed++;
            partial += now > 0 && now < LAB_RUNS;
            continue;
        }
        assert_int_equal(0, WEXITSTATUS(status)); /* it was faster: its result counts, and a new store begins */
        char *text = exported(path);
        assert_string_equal(whole, text);
        free(text);
        stores++;
        runs = 0;
    }
    assert_int_equal(KILLS, killed);
    assert_true(partial >= 5); /* kills did fall between the first run and the last */
    char *text = sweep_export(dir);
    assert_string_equal(whole, text);
    print_message("%d kills, %d of them with a part of the runs stored, %d stores completed on the way\n", killed,
                  partial, stores);
    free(text);
    free(whole);
}

static void an_interrupted_sweep_exits_with_130_and_goes_on_where_it_stopped(void **state)
{
    (void)state;
    int status = 0;
    char *whole = sweep_export("whole");
    const pid_t pid = start_sweep("interrupted", "2", NULL);
    const struct timespec wait = {0, 100000000};
    nanosleep(&wait, NULL);
    kill(pid, SIGINT);
    assert_int_equal(pid, waitpid(pid, &status, 0));
    /* before the handler is there, or after the last run, it ends in another way */
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 130 || WEXITSTATUS(status) == 0);
    char *text = sweep_export("interrupted");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

static void four_processes_share_one_store_and_none_loses_a_run(void **state)
{
    (void)state;
    char *whole = sweep_export("whole");
    pid_t pids[4];
    for (int i = 0; i < 4; i++) pids[i] = start_sweep("shared", "2", NULL);
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(pids[i], waitpid(pids[i], &status, 0));
        assert_true(WIFEXITED(status));
        assert_int_equal(0, WEXITSTATUS(status));
    }
    char *text = export_of("shared");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

static void three_shards_merge_into_the_store_of_the_whole_sweep(void **state)
{
    (void)state;
    char *whole = sweep_export("whole"), arguments[512];
    for (int i = 1; i <= 3; i++) {
        snprintf(arguments, sizeof arguments, "sweep %s --shard %d/3 --out %s/shard%d", spec, i, root, i);
        assert_int_equal(0, poise(root, arguments)->status);
    }
    snprintf(arguments, sizeof arguments,
             "store merge %s/merged.sqlite %s/shard1/store.sqlite %s/shard2/store.sqlite %s/shard3/store.sqlite --json",
             root, root, root, root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "\"added\": 216"));
    snprintf(arguments, sizeof arguments, "%s/merged.sqlite", root);
    char *text = exported(arguments);
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

static void a_dry_run_counts_216_runs_and_writes_nothing(void **state)
{
    (void)state;
    char arguments[256];
    snprintf(arguments, sizeof arguments, "sweep %s --dry-run --json --out %s/dry", spec, root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(0, s->status);
    assert_non_null(strstr(s->out, "\"runs\": 216"));
    assert_non_null(strstr(s->out, "\"missing\": 216"));
    assert_non_null(strstr(s->out, "\"is_measured\": false"));
    snprintf(arguments, sizeof arguments, "%s/dry", root);
    assert_int_equal(-1, access(arguments, F_OK));
    snprintf(arguments, sizeof arguments, "sweep %s --dry-run --json --out %s/whole", spec, root);
    assert_non_null(strstr(poise(root, arguments)->out, "\"missing\": 0"));
}

static void runs_in_processes_of_their_own_give_the_same_bytes_and_a_timeout_is_recorded(void **state)
{
    (void)state;
    char *whole = sweep_export("whole"), arguments[256];
    snprintf(arguments, sizeof arguments, "sweep %s --timeout 60 --out %s/isolated", spec, root);
    assert_int_equal(0, poise(root, arguments)->status);
    char *text = export_of("isolated");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
    snprintf(arguments, sizeof arguments, "sweep %s --timeout 0.000001 --out %s/late", spec, root);
    const struct said *s = poise(root, arguments);
    assert_int_equal(6, s->status);
    assert_non_null(strstr(s->err, "216 of 216 runs failed"));
    assert_non_null(strstr(s->err, "not done after --timeout 1e-06 seconds"));
    snprintf(arguments, sizeof arguments, "store gc --json --store %s/late/store.sqlite", root);
    assert_non_null(strstr(poise(root, arguments)->out, "\"removed\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_killed_at_50_random_moments_ends_with_exactly_the_full_set_of_runs),
        cmocka_unit_test(an_interrupted_sweep_exits_with_130_and_goes_on_where_it_stopped),
        cmocka_unit_test(four_processes_share_one_store_and_none_loses_a_run),
        cmocka_unit_test(three_shards_merge_into_the_store_of_the_whole_sweep),
        cmocka_unit_test(a_dry_run_counts_216_runs_and_writes_nothing),
        cmocka_unit_test(runs_in_processes_of_their_own_give_the_same_bytes_and_a_timeout_is_recorded),
    };
    return cmocka_run_group_tests(tests, lab_begin, lab_end);
}
