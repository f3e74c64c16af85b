/* The executor's rate: the workloads' programs, built a second time with a clock around ptx_run and
 * trace_writer_finish (clock.c), so that neither making the data nor the CPU's own answer counts. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* What clock.c leaves behind: warp instructions, seconds in ptx_run, seconds in trace_writer_finish. */
static int run_program(const struct bench *b, const struct workload *w, const char *dir, bool records, double out[3],
                       struct error *err)
{
    char command[700], clock_file[128], log[128], input[16];
    char *argv[6] = {command, (char *)(uintptr_t) "--size", (char *)(uintptr_t)workload_sizes[b->size]};
    int status = 0;
    snprintf(command, sizeof command, "%s/clocked_%s", POISE_CLOCKED_DIR, w->program);
    snprintf(clock_file, sizeof clock_file, "%s/clock", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    snprintf(input, sizeof input, "%d", (int)w->inputs[0]);
    if (w->inputs[0] >= 0) argv[3] = (char *)(uintptr_t) "--input", argv[4] = input;
    setenv("POISE_CLOCK_FILE", clock_file, 1);
    if (record_program(argv, records ? dir : "", 0, log, NULL, &status, err) < 0) return -1;
    if (status) return error_set(err, ERR_RUN, "%s: exit code %d; see %s", command, status, log);
    FILE *in = fopen(clock_file, "re");
    const bool is_read = in && fscanf(in, "%lf %lf %lf", &out[0], &out[1], &out[2]) == 3;
    if (in) fclose(in);
    return is_read && out[1] > 0 ? 0 : error_set(err, ERR_RUN, "%s: left no times", command);
}

static int remove_folder(const char *dir, struct error *err)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command) == 0 ? 0 : error_set(err, ERR_IO, "%s: cannot be removed", dir);
}

int bench_executor(const struct bench *b, const struct workload *w, struct exec_rates *out, struct error *err)
{
    double off[REPS_MAX], on[REPS_MAX], whole[REPS_MAX], got[3] = {0};
    char dir[] = "/tmp/poise-bench-XXXXXX";
    if (!mkdtemp(dir)) return error_set(err, ERR_IO, "%s: cannot be made", dir);
    int result = 0;
    for (int r = 0; r < b->reps && result == 0; r++) {
        result = run_program(b, w, dir, false, got, err);
        off[r] = got[1];
        if (result == 0) result = run_program(b, w, dir, true, got, err);
        on[r] = got[1];
        whole[r] = got[1] + got[2];
    }
    if (result < 0) return -1; /* the log stays */
    *out = (struct exec_rates){got[0] / median(off, b->reps, NULL), got[0] / median(on, b->reps, NULL),
                               got[0] / median(whole, b->reps, NULL)};
    return remove_folder(dir, err);
}
