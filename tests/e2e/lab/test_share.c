/* Processes that share a store: each run once, whoever dies, and a run that crashes the simulator. */
#include "claims.h"
#include "where.h"
#include "ranks.h"

#define POISE POISE_BINARY_DIR "/experiments/poise"

/* The process of a sweep, with its output in root/out`name` and root/err`name`. */
static pid_t start(const char *of, const char *dir, const char *name, const char *threads)
{
    char out[160], path[160];
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        snprintf(path, sizeof path, "%s/out%s", root, name);
        dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
        snprintf(path, sizeof path, "%s/err%s", root, name);
        dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
        snprintf(out, sizeof out, "%s/%s", root, dir);
        execl(POISE, "poise", "sweep", of, "--threads", threads, "--out", out, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static int ended(pid_t pid)
{
    int status;
    assert_int_equal(pid, waitpid(pid, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Of "216 runs, 46 simulated now, ...". */
static int simulated(const char *name)
{
    char file[16];
    snprintf(file, sizeof file, "out%s", name);
    const char *at = strstr(said(file), "runs, ");
    return at ? atoi(at + 6) : -1;
}

static void assert_same(const char *a, const char *b)
{
    char *x = export_of(a), *y = export_of(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
    assert_int_equal(0, shell("cmp %s/%s/sweep.csv %s/%s/sweep.csv", root, a, root, b));
}

static int claims(const char *dir)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, dir);
    return claims_in(path);
}

static void three_processes_of_one_sweep_simulate_each_run_once_and_write_the_bytes_of_one(void **state)
{
    (void)state;
    static const char *const names[] = {"1", "2", "3"};
    pid_t pids[3];
    int sum = 0;
    free(sweep_export("whole"));
    for (int i = 0; i < 3; i++) pids[i] = start(spec, "shared", names[i], "1");
    for (int i = 0; i < 3; i++) assert_int_equal(0, ended(pids[i]));
    for (int i = 0; i < 3; i++) sum += simulated(names[i]);
    assert_int_equal(LAB_RUNS, sum);
    assert_same("whole", "shared");
    assert_int_equal(0, claims("shared"));
}

/* As srun starts them where it has no PMIx. */
static void tasks_of_an_srun_without_pmix_are_told_that_they_share_a_store(void **state)
{
    (void)state;
    free(sweep_export("whole"));
    setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    setenv("SLURM_PROCID", "0", 1);
    const pid_t first = start(spec, "tasks", "1", "1");
    setenv("SLURM_PROCID", "1", 1);
    const pid_t second = start(spec, "tasks", "2", "1");
    unsetenv("SLURM_STEP_NUM_TASKS");
    unsetenv("SLURM_PROCID");
    assert_int_equal(0, ended(first));
    assert_int_equal(0, ended(second));
    assert_int_equal(LAB_RUNS, simulated("1") + simulated("2"));
    assert_non_null(strstr(said("err1"), "2 tasks of srun without MPI"));
    assert_null(strstr(said("err2"), "without MPI"));
    assert_same("whole", "tasks");
}

static void what_a_killed_process_had_in_hand_another_takes_over(void **state)
{
    (void)state;
    free(sweep_export("whole"));
    const pid_t victim = start(spec, "killed", "1", "1"), heir = start(spec, "killed", "2", "1");
    wait_for_runs("killed", 4);
    kill(victim, SIGKILL); /* not reaped yet: a zombie is dead */
    assert_int_equal(0, ended(heir));
    ended(victim);
    assert_same("whole", "killed");
    assert_int_equal(0, claims("killed"));
}

/* Stops a process that has claimed runs and does not write to the store, so that nobody who opens the store waits. */
static int stop_at_work(pid_t pid, const char *dir)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, dir);
    for (int i = 0; i < 4000; i++) {
        usleep(1000);
        kill(pid, SIGSTOP);
        waitpid(pid, NULL, WUNTRACED);
        const int n = nobody_writes(path) ? claims_in(path) : 0;
        if (n > 0) return n;
        kill(pid, SIGCONT);
    }
    return 0;
}

static void who_waits_for_a_stopped_process_is_told(void **state)
{
    (void)state;
    assert_int_equal(0, shell("mkdir %s/stopped", root));
    const pid_t stopped = start(spec, "stopped", "1", "1");
    const int at_work = stop_at_work(stopped, "stopped");
    const pid_t other = start(spec, "stopped", "2", "1");
    for (int i = 0; i < 600 && !strstr(said("err2"), "is stopped: 'kill -CONT"); i++) usleep(50000);
    kill(stopped, SIGCONT);
    assert_int_equal(0, ended(other));
    assert_int_equal(0, ended(stopped));
    assert_true(at_work > 0);
    assert_non_null(strstr(said("err2"), "is stopped: 'kill -CONT"));
}

static void a_second_host_is_told_to_use_mpirun(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* its runtime must come before what is preloaded */
#endif
    char boot[128];
    struct error err;
    snprintf(boot, sizeof boot, "%s/boot", root);
    assert_ok(file_write(boot, "another-boot\n", 13, &err), &err);
    assert_int_equal(0, shell("mkdir %s/hosts", root));
    setenv("BOOT_ID_FILE", boot, 1);
    setenv("LD_PRELOAD", LAB_BOOT, 1);
    const pid_t other = start(spec, "hosts", "1", "1");
    unsetenv("LD_PRELOAD");
    unsetenv("BOOT_ID_FILE");
    const int at_work = stop_at_work(other, "hosts");
    const int status = ended(start(spec, "hosts", "2", "1"));
    kill(other, SIGCONT);
    assert_int_equal(0, ended(other));
    assert_true(at_work > 0);
    assert_int_equal(2, status);
    assert_non_null(strstr(said("err2"), "only processes of one host can share a store"));
    assert_non_null(strstr(said("err2"), "use mpirun"));
    assert_int_equal(0, ended(start(spec, "hosts", "2", "1"))); /* it is done: the store is free */
}

static char *crash_spec(void)
{
    static char path[128];
    static const char text[] = "schema: 1\nkind: sweep\nname: crash\nsize: test\nkernels: [{name: mvt, launches: [0]}, "
                               "{name: atax, launches: [0]}]\nconfig: kepler32\naxes: {l1.ways: [4, 128]}\n"
                               "stacks: [gto, \"tuple,N=2,p=1\"]\n";
    struct error err;
    snprintf(path, sizeof path, "%s/crash.yaml", root);
    assert_ok(file_write(path, text, sizeof text - 1, &err), &err);
    return path;
}

static int sweep_that_crashes(const char *of, const char *dir)
{
    return shell("CRASH_BYTES=8388608 LD_PRELOAD=" LAB_CRASH " " POISE
                 " sweep %s --threads 2 --out %s/%s >%s/out 2>%s/err",
                 of, root, dir, root, root);
}

static void a_crash_is_its_runs_result_and_the_others_go_on_and_the_same_build_skips_it(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* its runtime must come before what is preloaded */
#endif
    char *of = crash_spec();
    assert_int_equal(1, sweep_that_crashes(of, "crash"));
    assert_non_null(strstr(said("out"), "8 runs, 8 simulated now, 0 from the store, 4 failed"));
    assert_non_null(strstr(said("out"), "4 that crash this build"));
    assert_non_null(strstr(said("err"), "ended by signal 11"));
    char *rows = export_of("crash");
    int n = 0;
    for (const char *at = rows; (at = strstr(at, "ERR_CRASH")); at++) n++;
    assert_int_equal(4, n);
    free(rows);
    assert_int_equal(0, claims("crash"));
    /* again: skipped, said, and without a crash */
    assert_int_equal(1, sweep_that_crashes(of, "crash"));
    assert_non_null(strstr(said("out"), "8 runs, 0 simulated now, 8 from the store, 4 failed"));
    assert_non_null(strstr(said("err"), "this build crashed on it, so it is skipped"));
    assert_null(strstr(said("err"), "begins again"));
    assert_int_equal(0, shell(POISE " store ls --store %s/crash/store.sqlite >%s/out", root, root));
    assert_non_null(strstr(said("out"), "4 with a crash of the simulator"));
}

static void another_build_tries_a_crashed_run_again(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip();
#endif
    char *of = crash_spec();
    assert_int_equal(1, sweep_that_crashes(of, "builds"));
    assert_int_equal(0, shell("cp " POISE " %s/other && printf x >>%s/other", root, root));
    assert_int_equal(0, shell("%s/other sweep %s --out %s/builds >%s/out 2>%s/err", root, of, root, root, root));
    assert_non_null(strstr(said("out"), "8 runs, 4 simulated now, 4 from the store, 0 failed"));
    assert_int_equal(0, shell(POISE " sweep %s --out %s/sound >%s/out 2>%s/err", of, root, root, root));
    assert_same("sound", "builds");
}

/* Somebody's signal is no property of a run: it is simulated again, in a process of its own, and ends well. */
static void a_process_that_is_ended_by_a_fault_begins_again_and_loses_nothing(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* the sanitizer's handler ends it */
#endif
    free(sweep_export("whole"));
    const pid_t pid = start(spec, "fault", "1", "1");
    wait_for_runs("fault", 4);
    kill(pid, SIGSEGV);
    assert_int_equal(0, ended(pid));
    assert_same("whole", "fault");
}

static void sweep_csv_names_machine_benchmark_and_mechanism_and_has_a_column_a_parameter(void **state)
{
    (void)state;
    free(sweep_export("whole"));
    char *csv = file_of("whole", "sweep.csv");
    const char *head =
        "kernel,launch,trace,machine,benchmark,mechanism,l1.ways,N,admit,fetch,literal_rank,p,config,mechs,"
        "complete,error,core_cycles,";
    assert_int_equal(0, strncmp(csv, head, strlen(head)));
    assert_non_null(strstr(csv, ",time_us,energy_j,energy_low_j,energy_high_j,edp,"));
    assert_non_null(
        strstr(csv, ",kepler32 l1.ways=2,mvt,tuple,2,8,each,sectors,false,8,l1.ways=2,\"tuple,N=8,p=8\",1,,"));
    assert_non_null(strstr(csv, ",kepler32,atax,tuple,4,2,each,sectors,false,1,l1.ways=4,\"tuple,N=2,p=1\",1,,"));
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_processes_of_one_sweep_simulate_each_run_once_and_write_the_bytes_of_one),
        cmocka_unit_test(tasks_of_an_srun_without_pmix_are_told_that_they_share_a_store),
        cmocka_unit_test(what_a_killed_process_had_in_hand_another_takes_over),
        cmocka_unit_test(who_waits_for_a_stopped_process_is_told),
        cmocka_unit_test(a_second_host_is_told_to_use_mpirun),
        cmocka_unit_test(sweep_csv_names_machine_benchmark_and_mechanism_and_has_a_column_a_parameter),
        cmocka_unit_test(a_crash_is_its_runs_result_and_the_others_go_on_and_the_same_build_skips_it),
        cmocka_unit_test(another_build_tries_a_crashed_run_again),
        cmocka_unit_test(a_process_that_is_ended_by_a_fault_begins_again_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, lab_begin_with_mpi, lab_end);
}
