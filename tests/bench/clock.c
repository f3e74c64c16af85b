/* Linked into a workload's program with --wrap: adds up the CPU time of executing and of finishing traces, and the page
 * faults of executing, and leaves them in POISE_CLOCK_FILE after every launch. Where other threads help,
 * POISE_CLOCK=wall asks for the time that passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "poise/ptx.h"
#include "poise/trace.h"

static struct {
    double insts, run_s, finish_s;
    long faults;
} total; /* a program of its own: one thread launches */

static double seconds(void)
{
    static clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    static bool is_chosen;
    struct timespec t;
    const char *which = is_chosen ? NULL : getenv("POISE_CLOCK");
    if (which && strcmp(which, "wall") == 0) clock = CLOCK_MONOTONIC;
    is_chosen = true;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of all threads. */
static long page_faults(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_minflt : 0;
}

static void leave(void)
{
    const char *path = getenv("POISE_CLOCK_FILE");
    FILE *out = path ? fopen(path, "we") : NULL;
    if (!out) return;
    fprintf(out, "%.0f %.9f %.9f %ld\n", total.insts, total.run_s, total.finish_s, total.faults);
    fclose(out);
}

/* Which of the two the library calls is its own affair; neither calls the other by its public name from another
 * file. */
#define RUN_ARGS \
    const struct ptx_kernel *kernel, const struct ptx_grid *grid, const void *params, size_t param_bytes, \
        const struct ptx_memory *memory
#define RUN_TAIL struct trace_writer *recorder, uint64_t max_warp_insts, struct ptx_counts *counts, struct error *err

static int account(int result, long faults, double start, const struct ptx_counts *counts)
{
    total.faults += page_faults() - faults;
    total.run_s += seconds() - start;
    total.insts += result == 0 ? (double)counts->warp_insts : 0;
    leave();
    return result;
}

int __real_ptx_run(RUN_ARGS, RUN_TAIL);
int __wrap_ptx_run(RUN_ARGS, RUN_TAIL);
int __wrap_ptx_run(RUN_ARGS, RUN_TAIL)
{
    const long faults = page_faults();
    const double start = seconds();
    return account(__real_ptx_run(kernel, grid, params, param_bytes, memory, recorder, max_warp_insts, counts, err),
                   faults, start, counts);
}

int __real_ptx_run_with(RUN_ARGS, const struct ptx_services *services, RUN_TAIL);
int __wrap_ptx_run_with(RUN_ARGS, const struct ptx_services *services, RUN_TAIL);
int __wrap_ptx_run_with(RUN_ARGS, const struct ptx_services *services, RUN_TAIL)
{
    const long faults = page_faults();
    const double start = seconds();
    return account(
        __real_ptx_run_with(kernel, grid, params, param_bytes, memory, services, recorder, max_warp_insts, counts, err),
        faults, start, counts);
}

int __real_trace_writer_finish(struct trace_writer *writer, const char *path, const char *provenance,
                               struct trace **out, struct error *err);
int __wrap_trace_writer_finish(struct trace_writer *writer, const char *path, const char *provenance,
                               struct trace **out, struct error *err);
int __wrap_trace_writer_finish(struct trace_writer *writer, const char *path, const char *provenance,
                               struct trace **out, struct error *err)
{
    const double start = seconds();
    const int result = __real_trace_writer_finish(writer, path, provenance, out, err);
    total.finish_s += seconds() - start;
    leave();
    return result;
}
