/* Sweeps: what two threads do against two independent processes, and what the store and the scheduling of runs cost. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char spec[] = "schema: 1\nkind: sweep\nname: bench\nsize: test\n"
                           "kernels: [{name: mm, launches: [2]}, {name: kmeans, launches: [0]}, {name: mvt, launches: "
                           "[0]}]\nconfig: kepler32\n"
                           /* 85 tuples a launch */
                           "stacks: [{mech: tuple, axes: {N: {from: 1, to: 24}, p: [1, 2, 4, 8]}, where: p <= N}]\n";

struct work {
    struct sweep *sweep;
    struct launches launches;
    char dir[64], decoded[600];
};

/* All runs of the sweep. `store`: keep them in a fresh store. *in_runs: CPU seconds of the runs themselves. */
static int run_all(const struct work *w, unsigned threads, bool store, double *in_runs, struct error *err)
{
    char path[160];
    struct store *kept = NULL;
    struct runner *runner = NULL;
    struct run_job *jobs = NULL;
    size_t n = 0;
    struct error ignored;
    const struct runner_options options = {.threads = threads, .decoded_dir = w->decoded};
    snprintf(path, sizeof path, "%s/%d.sqlite", w->dir, (int)getpid());
    int result = sweep_jobs(w->sweep, &w->launches, &jobs, &n, err);
    if (result == 0 && store) result = store_open(&kept, path, err);
    if (result == 0) result = runner_new(&runner, kept, &options, err);
    if (result == 0) result = runner_run(runner, "bench", jobs, n, err);
    if (result == 0) *in_runs = runner_totals(runner)->run_cpu_s;
    for (size_t i = 0; i < n; i++) {
        if (result == 0 && jobs[i].result.err.code) *err = jobs[i].result.err, result = -1;
        run_job_fini(&jobs[i]);
    }
    runner_free(runner);
    if (kept && store_close(kept, result == 0 ? err : &ignored) < 0) result = -1;
    for (const char *const *end = (const char *const[]){"", "-wal", "-shm", NULL}; *end; end++) {
        char file[200];
        snprintf(file, sizeof file, "%s%s", path, *end);
        unlink(file);
    }
    free(jobs);
    return result;
}

/* Wall seconds of `processes` children, each with `threads`, that start together; each does the whole sweep. */
static int time_children(const struct work *w, int processes, unsigned threads, double *seconds, struct error *err)
{
    pid_t children[2];
    int failed = 0, status;
    double ignored;
    const double start = clock_s();
    for (int i = 0; i < processes; i++) {
        children[i] = fork();
        if (children[i] < 0) return error_set(err, ERR_IO, "fork: %s", strerror(errno));
        if (children[i] == 0) _exit(run_all(w, threads, false, &ignored, err) < 0);
    }
    for (int i = 0; i < processes; i++)
        failed |= waitpid(children[i], &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    *seconds = clock_s() - start;
    return failed ? error_set(err, ERR_RUN, "a sweep of the benchmark failed") : 0;
}

static int measure(const struct bench *b, const struct work *w, double *efficiency, double *overhead, struct error *err)
{
    double ratios[REPS_MAX], costs[REPS_MAX], in_runs = 0, start, threads = 1, processes = 1;
    for (int r = 0; r < b->reps; r++) { /* pairs, so that what else the machine does is shared */
        /* Two processes do the sweep twice, two threads once. */
        if (time_children(w, 1, 2, &threads, err) < 0 || time_children(w, 2, 1, &processes, err) < 0) return -1;
        ratios[r] = processes / (2 * threads);
        start = thread_cpu_s();
        if (run_all(w, 1, true, &in_runs, err) < 0) return -1;
        costs[r] = (thread_cpu_s() - start) / in_runs - 1; /* of one sweep: two of them differ by more, where
                                                            * processors are shared */
    }
    *efficiency = median(ratios, b->reps, NULL);
    *overhead = median(costs, b->reps, NULL);
    return 0;
}

int bench_sweep(const struct bench *b, json_t *out, struct error *err)
{
    struct work w = {.dir = "/tmp/poise-bench-XXXXXX"};
    double efficiency = NAN, overhead = NAN;
    if (!mkdtemp(w.dir)) return error_set(err, ERR_IO, "%s: %s", w.dir, strerror(errno));
    snprintf(w.decoded, sizeof w.decoded, "%s/decoded", b->paths.traces);
    int result = sweep_parse(&w.sweep, "bench", spec, sizeof spec - 1, b->paths.configs, err);
    if (result == 0) result = sweep_launches(w.sweep, &b->registry, &b->paths, &w.launches, err);
    if (result == 0) result = measure(b, &w, &efficiency, &overhead, err);
    if (result == 0) {
        if (!b->json)
            printf("\nsweeps: 2 threads do %.3f of the work of 2 processes (wall clock); store and scheduling add %.2f "
                   "%% CPU time\n",
                   efficiency, 100 * overhead);
        json_object_set_new(
            out, "sweep",
            json_pack("{s:f,s:f}", "two_threads_over_two_processes", efficiency, "store_overhead", overhead));
    }
    launches_fini(&w.launches);
    sweep_free(w.sweep);
    rmdir(w.dir);
    return result;
}
