/* poise under mpirun: the same bytes at 1, 2 and 4 ranks, and ranks that are lost. */
#include "ranks.h"
#include "where.h"

#include <dirent.h>

#define MPIRUN POISE_MPIRUN " --allow-run-as-root --oversubscribe --bind-to none"

static void one_two_and_four_ranks_give_the_bytes_of_a_plain_run(void **state)
{
    (void)state;
    static const int ranks[] = {1, 2, 4};
    char *whole = sweep_export("whole");
    for (size_t i = 0; i < 3; i++) {
        char dir[16];
        snprintf(dir, sizeof dir, "ranks%d", ranks[i]);
        if (shell(MPIRUN " -n %d %s/experiments/poise sweep %s --out %s/%s --json >%s/out 2>%s/err", ranks[i],
                  POISE_BINARY_DIR, spec, root, dir, root, root))
            fail_msg("%d ranks: %s", ranks[i], said("err"));
        char *text = export_of(dir);
        assert_string_equal(whole, text);
        free(text);
        assert_int_equal(0, shell("cmp %s/whole/sweep.csv %s/%s/sweep.csv", root, root, dir));
        if (ranks[i] > 1) assert_non_null(strstr(said("out"), "\"coordinator_busy_s\""));
    }
    free(whole);
}

/* A sweep with these arguments, plain and under `n` ranks, stores the same rows, and `column` is among them. */
static void ranks_store_what_a_plain_run_stores(int n, const char *sweep, const char *column)
{
    assert_int_equal(0, shell("%s/experiments/poise sweep %s --out %s/plain-%s >%s/out 2>%s/err", POISE_BINARY_DIR,
                              sweep, root, column, root, root));
    assert_int_equal(0, shell(MPIRUN " -n %d %s/experiments/poise sweep %s --out %s/ranks-%s >%s/out 2>%s/err", n,
                              POISE_BINARY_DIR, sweep, root, column, root, root));
    char dir[64];
    snprintf(dir, sizeof dir, "plain-%s", column);
    char *plain = export_of(dir);
    snprintf(dir, sizeof dir, "ranks-%s", column);
    char *ranks = export_of(dir);
    assert_non_null(strstr(plain, column));
    assert_string_equal(plain, ranks);
    free(plain);
    free(ranks);
}

/* The warm-up is simulated where its runs are; it travels as a number. */
static void two_ranks_warm_up_as_a_plain_run_does(void **state)
{
    char warm[128];
    (void)state;
    snprintf(warm, sizeof warm, "%s/warm.yaml", root);
    assert_int_equal(0, shell("{ cat %s; echo 'warmup: 2000'; } >%s", spec, warm));
    ranks_store_what_a_plain_run_stores(2, warm, "warmup_cycles");
}

static void three_ranks_bound_runs_as_a_plain_run_does(void **state)
{
    char bounded[128];
    (void)state;
    snprintf(bounded, sizeof bounded, "%s --only-best", spec);
    ranks_store_what_a_plain_run_stores(3, bounded, "bound_cycles");
}

/* The race of a sampled sweep, under one plain process, two that share a store at once, and three ranks. */
static void a_sampled_race_is_the_same_at_any_number_of_processes(void **state)
{
    static const char text[] =
        "schema: 1\nkind: sweep\nname: race\nsize: test\nkernels: [pagerank]\n"
        "sample: \"error=0.05,whole=0\"\nstacks:\n  - mech: tuple\n    axes: {N: [1, 2, 4, 8], p: "
        "[1, 2, 4, 8]}\n    where: p <= N\n";
    char race[128], command[300];
    struct error err;
    (void)state;
    snprintf(race, sizeof race, "%s/race.yaml", root);
    assert_ok(file_write(race, text, sizeof text - 1, &err), &err);
    snprintf(command, sizeof command, "%s/experiments/poise sweep %s --only-best --points active --threads 1",
             POISE_BINARY_DIR, race);
    if (shell("%s --out %s/race1 >%s/out 2>%s/err", command, root, root, root)) fail_msg("%s", said("err"));
    assert_int_equal(
        0, shell("%s --out %s/race2 >/dev/null 2>&1 & %s --out %s/race2 >%s/out 2>%s/err; mine=$?; wait $! && "
                 "exit $mine",
                 command, root, command, root, root, root));
    assert_int_equal(0, shell(MPIRUN " -n 3 %s --out %s/race3 >%s/out 2>%s/err", command, root, root, root));
    char *one = file_of("race1", "estimates.csv"), *exported_one = export_of("race1");
    assert_non_null(strstr(one, ",best\n"));
    assert_non_null(strstr(one, ",untried\n"));
    for (int i = 2; i <= 3; i++) {
        char dir[16];
        snprintf(dir, sizeof dir, "race%d", i);
        char *other = file_of(dir, "estimates.csv"), *exported_other = export_of(dir);
        assert_string_equal(one, other);
        assert_string_equal(exported_one, exported_other);
        free(other);
        free(exported_other);
    }
    assert_int_equal(0, shell("test ! -e %s/race1/sweep.csv", root)); /* an estimate is no run */
    free(one);
    free(exported_one);
}

static void a_timeout_reaches_the_other_ranks_and_an_error_comes_once(void **state)
{
    (void)state;
    assert_int_equal(6, shell(MPIRUN
                              " -n 3 %s/experiments/poise sweep %s --timeout 0.000001 --out %s/late >%s/out 2>%s/err",
                              POISE_BINARY_DIR, spec, root, root, root));
    assert_non_null(strstr(said("err"), "216 of 216 runs failed"));
    assert_int_equal(2, shell(MPIRUN " -n 3 %s/experiments/poise sweep %s/none.yaml >%s/out 2>%s/err", POISE_BINARY_DIR,
                              root, root, root));
    const char *first = strstr(said("err"), "none.yaml: No such file");
    assert_non_null(first);
    assert_null(strstr(first + 1, "none.yaml: No such file"));
}

static void a_tuning_under_three_ranks_reports_the_same(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* 136 points twice take a minute there, and go the way of the other tests */
#endif
    const char *tune = POISE_SOURCE_DIR "/experiments/specs/ci-tune.yaml";
    assert_int_equal(0, shell("%s/experiments/poise tune %s --out %s/tune1 >%s/out 2>%s/err", POISE_BINARY_DIR, tune,
                              root, root, root));
    assert_int_equal(0, shell(MPIRUN " -n 3 %s/experiments/poise tune %s --out %s/tune3 >%s/out 2>%s/err",
                              POISE_BINARY_DIR, tune, root, root, root));
    assert_int_equal(0, shell("cmp %s/tune1/tune.json %s/tune3/tune.json", root, root));
}

/* The process with this rank whose command line names `dir`; 0: none. */
static pid_t find_rank(const char *rank, const char *dir)
{
    DIR *proc = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *e; !found && (e = readdir(proc));) {
        char path[300], text[1 << 15] = "", wanted[64];
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        FILE *in = fopen(path, "r");
        size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
        if (in) fclose(in);
        if (n == 0 || !strstr(text, "experiments/poise") || !memmem(text, n, dir, strlen(dir))) continue;
        snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
        in = fopen(path, "r");
        n = in ? fread(text, 1, sizeof text - 1, in) : 0;
        if (in) fclose(in);
        snprintf(wanted, sizeof wanted, "OMPI_COMM_WORLD_RANK=%s", rank);
        if (memmem(text, n, wanted, strlen(wanted) + 1)) found = atoi(e->d_name);
    }
    closedir(proc);
    return found;
}

static int exit_status(pid_t launcher)
{
    int status;
    assert_int_equal(launcher, waitpid(launcher, &status, 0));
    return WEXITSTATUS(status);
}

/* Starts four ranks; returns the launcher when the first runs are stored and others are still to come, and the third
 * rank in *victim. A job that was done before that begins anew; a launcher that hangs is ended. */
static pid_t start_ranks(const char *dir, const char *option, pid_t *victim)
{
    for (int attempt = 0; attempt < 20; attempt++) {
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0)
            _exit(shell("rm -rf %s/%s; timeout -k 5 300 " MPIRUN
                        " %s -n 4 %s/experiments/poise sweep %s --out %s/%s --json >%s/out 2>%s/err",
                        root, dir, option, POISE_BINARY_DIR, spec, root, dir, root, root));
        for (int i = 0; i < 60000 && !(*victim = find_rank("2", dir)); i++) usleep(1000);
        if (wait_for_runs(dir, 8) < LAB_RUNS && *victim > 0) return pid;
        exit_status(pid);
    }
    fail_msg("%s: the job was done before its first runs were seen, each time", dir);
    return 0;
}

static int lose_a_rank(const char *dir, const char *option)
{
    pid_t victim;
    const pid_t launcher = start_ranks(dir, option, &victim);
    if (victim > 0) kill(victim, SIGKILL);
    const int status = exit_status(launcher);
    assert_true(victim > 0);
    return status;
}

static void a_lost_rank_s_runs_are_given_out_again_where_the_launcher_lets_the_others_live(void **state)
{
    (void)state;
    char *whole = sweep_export("whole");
    setenv("POISE_RANK_TIMEOUT", "1.5", 1);
    const int status = lose_a_rank("recovered", "--enable-recovery");
    unsetenv("POISE_RANK_TIMEOUT");
    if (status) fail_msg("status %d: %s", status, said("err"));
    char *text = export_of("recovered");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

/* Not in MPI_Finalize either: the others have ended while it still stands. When it goes on it is sent home as well. */
static void a_rank_that_stands_still_holds_no_other_up(void **state)
{
    (void)state;
    pid_t victim, first = 1;
    char *whole = sweep_export("whole");
    setenv("POISE_RANK_TIMEOUT", "1.5", 1);
    const pid_t launcher = start_ranks("still", "--enable-recovery", &victim);
    unsetenv("POISE_RANK_TIMEOUT");
    if (victim > 0) kill(victim, SIGSTOP);
    for (int i = 0; i < 12000 && (first = find_rank("0", "still")); i++) usleep(10000);
    char *text = export_of("still");
    if (victim > 0) kill(victim, SIGCONT);
    const int status = exit_status(launcher);
    if (status) fail_msg("status %d: %s", status, said("err"));
    assert_true(victim > 0 && first == 0);
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

/* How long it takes until no rank of the job is there any more, in seconds; they are ended after 120. */
static double seconds_to_end(const char *dir, pid_t launcher, int *status)
{
    int waits;
    for (waits = 0; waits < 12000 && (find_rank("1", dir) || find_rank("2", dir) || find_rank("3", dir)); waits++)
        usleep(10000);
    for (int i = 1; i < 4; i++) {
        char rank[2] = {(char)('0' + i), 0};
        const pid_t left = find_rank(rank, dir);
        if (left) kill(left, SIGKILL);
    }
    *status = exit_status(launcher);
    return waits / 100.0;
}

static void ranks_whose_first_is_killed_say_so_and_end(void **state)
{
    pid_t other;
    int status; /* mpirun --enable-recovery ends with 0 whatever its processes end with */
    (void)state;
    setenv("POISE_RANK_TIMEOUT", "1.5", 1);
    const pid_t launcher = start_ranks("headless", "--enable-recovery", &other);
    unsetenv("POISE_RANK_TIMEOUT");
    const pid_t first = find_rank("0", "headless");
    if (first > 0) kill(first, SIGKILL);
    const double seconds = seconds_to_end("headless", launcher, &status);
    assert_true(first > 0);
    if (seconds > 100) fail_msg("after %g s ranks were still waiting: %s", seconds, said("err"));
    if (!strstr(said("err"), "rank 0 has not been heard of for 1.5 s and is lost")) fail_msg("%s", said("err"));
    /* nothing but what was in hand is lost */
    char *whole = sweep_export("whole");
    assert_int_equal(0, shell("%s/experiments/poise sweep %s --out %s/headless >%s/out 2>%s/err", POISE_BINARY_DIR,
                              spec, root, root, root));
    char *text = export_of("headless");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

/* Three times as long as the others would wait, without a word to them but the signs of life. */
static void a_first_rank_that_is_busy_for_long_is_not_taken_for_lost(void **state)
{
    (void)state;
    char *whole = sweep_export("whole");
#if POISE_SANITIZED
    skip(); /* its runtime must come before what is preloaded */
#endif
    if (shell("POISE_RANK_TIMEOUT=1 " MPIRUN " -x POISE_RANK_TIMEOUT -x BUSY_S=3 -x LD_PRELOAD=" LAB_BUSY
              " -n 3 %s/experiments/poise sweep %s --out %s/busy >%s/out 2>%s/err",
              POISE_BINARY_DIR, spec, root, root, root))
        fail_msg("%s", said("err"));
    assert_null(strstr(said("err"), "lost"));
    char *text = export_of("busy");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

static void without_recovery_the_job_ends_and_the_same_command_resumes(void **state)
{
    (void)state;
    char *whole = sweep_export("whole");
    assert_int_not_equal(0, lose_a_rank("ended", ""));
    const uint64_t before = stored("ended");
    assert_int_equal(0, shell(MPIRUN " -n 2 %s/experiments/poise sweep %s --out %s/ended --json >%s/out 2>%s/err",
                              POISE_BINARY_DIR, spec, root, root, root));
    char reused[64];
    snprintf(reused, sizeof reused, "\"runs_reused\": %llu", (unsigned long long)before);
    assert_true(before >= 8 && strstr(said("out"), reused));
    char *text = export_of("ended");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

static void a_second_command_in_one_rank_is_refused_in_our_words(void **state)
{
    (void)state;
    free(sweep_export("whole"));
    assert_int_equal(2, shell(MPIRUN " -n 2 sh -c '%s/experiments/poise sweep %s --out %s/whole && "
                                     "%s/experiments/poise sweep %s --out %s/whole' >%s/out 2>%s/err",
                              POISE_BINARY_DIR, spec, root, POISE_BINARY_DIR, spec, root, root, root));
    const char *first = strstr(said("err"), "a second command of poise in one rank");
    assert_non_null(first);
    assert_null(strstr(first + 1, "a second command of poise in one rank"));
    assert_null(strstr(said("err"), "MPI_Init"));
}

/* The others simulate for the first, which claims like any process. */
static void ranks_and_a_plain_process_share_a_store(void **state)
{
    (void)state;
    char *whole = sweep_export("whole");
    const pid_t plain = start_sweep("both", "1", NULL);
    assert_int_equal(0, shell(MPIRUN " -n 2 %s/experiments/poise sweep %s --out %s/both >%s/out 2>%s/err",
                              POISE_BINARY_DIR, spec, root, root, root));
    assert_int_equal(0, exit_status(plain));
    char *text = export_of("both");
    assert_string_equal(whole, text);
    free(text);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_two_and_four_ranks_give_the_bytes_of_a_plain_run),
        cmocka_unit_test(two_ranks_warm_up_as_a_plain_run_does),
        cmocka_unit_test(three_ranks_bound_runs_as_a_plain_run_does),
        cmocka_unit_test(a_sampled_race_is_the_same_at_any_number_of_processes),
        cmocka_unit_test(a_timeout_reaches_the_other_ranks_and_an_error_comes_once),
        cmocka_unit_test(a_tuning_under_three_ranks_reports_the_same),
        cmocka_unit_test(a_lost_rank_s_runs_are_given_out_again_where_the_launcher_lets_the_others_live),
        cmocka_unit_test(a_rank_that_stands_still_holds_no_other_up),
        cmocka_unit_test(ranks_whose_first_is_killed_say_so_and_end),
        cmocka_unit_test(a_first_rank_that_is_busy_for_long_is_not_taken_for_lost),
        cmocka_unit_test(a_second_command_in_one_rank_is_refused_in_our_words),
        cmocka_unit_test(ranks_and_a_plain_process_share_a_store),
        cmocka_unit_test(without_recovery_the_job_ends_and_the_same_command_resumes),
    };
    if (*POISE_MPIRUN == '\0') {
        printf("no mpirun, or a build without MPI: skipped (Debian: libopenmpi-dev openmpi-bin)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, lab_begin_with_mpi, lab_end);
}
