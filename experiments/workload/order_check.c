#include "poise/order_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/trace.h"
#include "workload/recording.h"

static void path_of(char *out, size_t size, const char *dir, const struct launch *l, const char *ending)
{
    snprintf(out, size, "%s/%04" PRIu32 ".%s", dir, l->index, ending);
}

/* What the executed launch says of how it followed its order. */
static int read_followed(struct order_check *out, const char *dir, const struct launch *l, struct error *err)
{
    char path[1200], *text;
    size_t size;
    struct order_check one = {0};
    path_of(path, sizeof path, dir, l, "followed");
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int n = sscanf(text, "listed %" SCNu64 " in_order %" SCNu64 " left_out %" SCNu64 " beyond %" SCNu64,
                         &one.atomics, &one.in_order, &one.left_out, &one.beyond);
    free(text);
    if (n != 4) return error_set(err, ERR_RUN, "%s: the program did not say how it followed the order", path);
    out->atomics += one.atomics;
    out->in_order += one.in_order;
    out->left_out += one.left_out;
    out->beyond += one.beyond;
    return 0;
}

static int execute(struct order_check *out, const struct lab_paths *paths, const struct launch *l, const char *dir,
                   struct error *err)
{
    struct workload_command command;
    char log[1200], folder[1200];
    int status = 0;
    workload_command(&command, paths, l->workload, l->size, l->input);
    snprintf(log, sizeof log, "%s/log", dir);
    snprintf(folder, sizeof folder, "POISE_ATOMIC_ORDER=%s", dir);
    const char *const settings[] = {folder, "POISE_TRACE_DIR="};
    const struct recording r = {.argv = command.argv, .stop = paths->stop};
    const int result = recording_execute(&r, settings, 2, log, &status, err);
    out->holds = result == 0;
    if (result == 0 || err->code != ERR_RUN) return result;
    snprintf(out->said, sizeof out->said, "%.319s", err->text);
    *err = (struct error){0};
    return 0;
}

static void remove_folder(const char *dir, const struct launch *const *launches, size_t n)
{
    char path[1200];
    for (size_t i = 0; i < n; i++) {
        path_of(path, sizeof path, dir, launches[i], "order");
        unlink(path);
        path_of(path, sizeof path, dir, launches[i], "followed");
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/log", dir);
    unlink(path);
    rmdir(dir);
}

int order_check(struct order_check *out, const struct lab_paths *paths, const struct launch *const *launches,
                const struct gpu_atomic_order *const *orders, size_t n, struct error *err)
{
    char dir[1024], path[1200];
    const char *base = getenv("TMPDIR");
    int result = 0;
    *out = (struct order_check){0};
    snprintf(dir, sizeof dir, "%s/poise-order-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir)) return error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    for (size_t i = 0; i < n && result == 0; i++) {
        path_of(path, sizeof path, dir, launches[i], "order");
        result = gpu_atomic_order_write(orders[i], path, err);
    }
    if (result == 0 && n) result = execute(out, paths, launches[0], dir, err);
    for (size_t i = 0; i < n && result == 0 && out->holds; i++) result = read_followed(out, dir, launches[i], err);
    remove_folder(dir, launches, n);
    return result;
}

static int simulate(struct gpu_atomic_order **order, const struct launch *l, const struct gpu_params *params,
                    const struct mech_spec *stack, unsigned n_stack, struct error *err)
{
    struct trace *trace = NULL;
    struct plan *plan = NULL;
    struct gpu_result ran = {0};
    if (!(*order = gpu_atomic_order_new())) return error_set(err, ERR_MEMORY, "out of memory for the order of atomics");
    const struct gpu_limits limits = {.atomics = *order};
    int result = trace_open(&trace, l->path, NULL, err);
    if (result == 0) result = plan_new(&plan, trace, params, err);
    if (result == 0) result = gpu_run(&ran, plan, params, stack, n_stack, &limits, err);
    if (result == 0) gpu_result_free(&ran);
    plan_free(plan);
    trace_close(trace);
    return result < 0 ? error_while(err, "%s", l->label) : 0;
}

int order_check_workload(struct order_check *out, const struct lab_paths *paths, const struct workload *workload,
                         int size, const struct gpu_params *params, const struct mech_spec *stack, unsigned n_stack,
                         struct error *err)
{
    struct launches launches = {0};
    *out = (struct order_check){0};
    int result = workload_launches(&launches, paths, workload, size, workload->inputs[0], err);
    struct gpu_atomic_order **orders = calloc(launches.n + 1, sizeof *orders);
    const struct launch **pointers = calloc(launches.n + 1, sizeof *pointers);
    if (result == 0 && (!orders || !pointers)) result = error_set(err, ERR_MEMORY, "out of memory for launches");
    for (size_t i = 0; i < launches.n && result == 0; i++) {
        pointers[i] = &launches.items[i];
        result = simulate(&orders[i], pointers[i], params, stack, n_stack, err);
    }
    if (result == 0)
        result = order_check(out, paths, pointers, (const struct gpu_atomic_order *const *)orders, launches.n, err);
    for (size_t i = 0; i < launches.n && orders; i++) gpu_atomic_order_free(orders[i]);
    free(orders);
    free(pointers);
    launches_fini(&launches);
    return result;
}
