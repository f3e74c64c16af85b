/* Rows of hardware.yaml as launches, and their simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/hardware.h"
#include "poise/own_kernel.h"
#include "poise/sweep.h"
#include "studies/validate/microbench.h"
#include "studies/validate/validate.h"
#include "workload/recording.h"

const char *const hardware_states[] = {"simulated", "not found", "failed"};

/* What every row needs. */
struct context {
    const struct hardware *hardware;
    const struct gpu_params *params;
    struct registry *registry;
    const struct lab_paths *paths;
    const char *decoded_dir;
};

/* ---- a row's launches ---- */

static int not_found(struct hardware_result *r, const struct error *err)
{
    r->state = HARDWARE_NOT_FOUND;
    snprintf(r->why, sizeof r->why, "%.399s", err->text);
    return 0;
}

/* The executable beside the file, else from the current folder. */
static bool has_executable(const struct context *c, const char *path)
{
    char beside[1600];
    const char *slash = strrchr(c->hardware->file, '/');
    snprintf(beside, sizeof beside, "%.*s%s", *path == '/' || !slash ? 0 : (int)(slash - c->hardware->file + 1),
             c->hardware->file, path);
    return access(beside, X_OK) == 0 || access(path, X_OK) == 0;
}

static int executable_launches(struct launches *out, struct hardware_result *r, const struct context *c,
                               struct error *err)
{
    const struct hardware_row *row = r->row;
    struct own_kernel kernel;
    const char *args[128];
    size_t n = 0;
    if (!has_executable(c, row->program)) {
        struct error why;
        error_set(&why, ERR_INPUT, "there is no executable %s", row->program);
        return not_found(r, &why);
    }
    for (size_t at = 0; n < row->arguments.n && n < COUNT_OF(args); at += strlen(row->arguments.text + at) + 1)
        args[n++] = row->arguments.text + at;
    if (own_kernel_program(&kernel, row->program, args, n, err) < 0) return -1;
    snprintf(kernel.file, sizeof kernel.file, "%s", c->hardware->file);
    kernel.line = row->line;
    kernel.column = row->column;
    return own_launches(out, &c->registry->own, &kernel, 1, WORKLOAD_FURTHER, c->registry, c->paths, err);
}

static int named_launches(struct launches *out, struct hardware_result *r, const struct context *c, struct error *err)
{
    const struct hardware_row *row = r->row;
    const int size = workload_size(*row->size ? row->size : "small");
    const struct workload *w = &microbench_workload;
    struct error why = {0};
    const bool is_microbench = strcmp(row->program, w->name) == 0;
    if (!is_microbench && registry_find(c->registry, row->program, &w, &why) < 0) return not_found(r, &why);
    if (w->of_suite) {
        if (suite_is_built(w, c->paths))
            return suite_launches_with(out, c->paths, w, size, row->arguments.is_given ? &row->arguments : NULL, err);
        error_set(&why, ERR_INPUT, "it is not built; 'poise suite build %s' builds it, or says why it cannot",
                  w->suite);
        return not_found(r, &why);
    }
    struct workload_command command;
    workload_command(&command, c->paths, w, size, w->inputs[0]);
    if (access(command.path, X_OK) == 0 && is_microbench) return workload_launches(out, c->paths, w, size, -1, err);
    if (access(command.path, X_OK) == 0)
        return select_launches(out, c->registry, c->paths, w->name, size, w->inputs, 1, NULL, 0, false, err);
    error_set(&why, ERR_INPUT, "%s is not built", command.path);
    return not_found(r, &why);
}

/* The kernel's launches that the row asks for. */
static int choose(struct launches *out, struct hardware_result *r, const struct launches *from, struct error *err)
{
    const struct hardware_row *row = r->row;
    uint32_t of_kernel = 0;
    for (size_t i = 0; i < from->n; i++) {
        if (!hardware_is_kernel(from->items[i].kernel, row->kernel)) continue;
        bool is_asked = row->n_launches == 0;
        for (size_t k = 0; k < row->n_launches; k++) is_asked |= row->launches[k] == of_kernel;
        of_kernel++;
        if (is_asked && launches_add(out, &from->items[i], err) < 0) return -1;
    }
    struct error why;
    if (of_kernel == 0)
        error_set(&why, ERR_INPUT, "none of its %zu launches is of a kernel '%s'", from->n, row->kernel);
    else if (out->n < row->n_launches)
        error_set(&why, ERR_INPUT, "the kernel has %u launches, and not all of those that are asked for", of_kernel);
    else return 0;
    return not_found(r, &why);
}

static int find(struct launches *out, struct hardware_result *r, const struct context *c, struct error *err)
{
    struct launches all = {0};
    const char *program = r->row->program;
    const bool is_path = *program == '/' || *program == '.';
    int result = is_path ? executable_launches(&all, r, c, err) : named_launches(&all, r, c, err);
    if (result < 0 && err->code != ERR_INTERRUPTED && err->code != ERR_MEMORY) {
        r->state = HARDWARE_FAILED;
        snprintf(r->why, sizeof r->why, "%.399s", err->text);
        result = 0;
    } else if (result == 0 && r->state == HARDWARE_SIMULATED) {
        result = choose(out, r, &all, err);
    }
    launches_fini(&all);
    return result;
}

/* ---- the runs ---- */

static int take_result(struct hardware_result *r, const struct run_job *job, const struct context *c, struct error *err)
{
    struct hardware_counts counts;
    if (job->result.err.code != ERR_NONE) {
        r->state = HARDWARE_FAILED;
        snprintf(r->why, sizeof r->why, "%.399s", job->result.err.text);
        return 0;
    }
    if (!r->stats && !(r->stats = calloc(1, gpu_stat_table.size)))
        return error_set(err, ERR_MEMORY, "out of memory for statistics");
    stats_merge(&gpu_stat_table, r->stats, job->result.stats);
    if (hardware_count(&counts, job->launch, c->params, c->decoded_dir, err) < 0) return -1;
    r->counts.warp_insts += counts.warp_insts;
    r->counts.shared_requests += counts.shared_requests;
    r->counts.constant_requests += counts.constant_requests;
    for (size_t i = 0; i < TRACE_N_CLASSES; i++) r->counts.insts[i] += counts.insts[i];
    r->n_launches++;
    return 0;
}

static int simulate(struct hardware_comparison *out, const struct launches *launches, size_t n_jobs,
                    const struct context *c, struct runner *runner, struct error *err)
{
    struct run_job *jobs = calloc(n_jobs + 1, sizeof *jobs);
    size_t n = 0;
    int result = jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", n_jobs);
    for (size_t i = 0; i < out->n; i++)
        for (size_t k = 0; k < launches[i].n && out->results[i].state == HARDWARE_SIMULATED && result == 0; k++) {
            struct run_job *job = &jobs[n++];
            *job = (struct run_job){.launch = &launches[i].items[k], .params = c->params, .n_stack = 1, .index = i};
            result = mech_parse(&job->stack[0], "gto", err);
        }
    if (result == 0 && n) result = runner_run(runner, "hardware", jobs, n, err);
    for (size_t i = 0; i < n && result == 0; i++) result = take_result(&out->results[jobs[i].index], &jobs[i], c, err);
    for (size_t i = 0; i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

bool hardware_energy(const struct hardware_result *r, struct energy *out)
{
    const struct energy_run run = {.params = r->params};
    if (r->state != HARDWARE_SIMULATED || !r->stats) return false;
    energy_of(out, &run, r->stats);
    return true;
}

double hardware_ours(const struct hardware_result *r, const char *name)
{
    const struct energy_run run = {.params = r->params};
    if (r->state != HARDWARE_SIMULATED || !r->stats) return NAN;
    if (strcmp(name, "power_w") == 0) return run_value(&run, r->stats, name);
    if (energy_value_find(name)) return run_value(&run, r->stats, name) / (double)r->n_launches;
    const double value = hardware_value(name, r->stats, &r->counts);
    for (size_t i = 0; i < n_gpu_ratio_rows; i++)
        if (strcmp(gpu_ratio_rows[i].name, name) == 0) return value;
    return value / (double)r->n_launches;
}

int hardware_compare(struct hardware_comparison *out, const struct hardware *hardware, const struct gpu_params *params,
                     struct runner *runner, struct registry *registry, const struct lab_paths *paths,
                     const char *decoded_dir, struct error *err)
{
    const struct context c = {hardware, params, registry, paths, decoded_dir};
    struct launches *launches = calloc(hardware->n + 1, sizeof *launches);
    size_t n_jobs = 0;
    *out = (struct hardware_comparison){.hardware = hardware};
    out->results = calloc(hardware->n + 1, sizeof *out->results);
    int result = launches && out->results ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu rows", hardware->n);
    for (size_t i = 0; i < hardware->n && result == 0; i++, out->n++) {
        out->results[i] =
            (struct hardware_result){.row = &hardware->rows[i], .params = params, .cycles = NAN, .error = NAN};
        result = find(&launches[i], &out->results[i], &c, err);
        n_jobs += launches[i].n;
    }
    if (result == 0) result = simulate(out, launches, n_jobs, &c, runner, err);
    for (size_t i = 0; i < out->n && result == 0; i++) {
        struct hardware_result *r = &out->results[i];
        r->cycles = hardware_ours(r, "core_cycles");
        r->error = validate_error(r->cycles, r->row->cycles);
    }
    for (size_t i = 0; launches && i < hardware->n; i++) launches_fini(&launches[i]);
    free(launches);
    if (result < 0) hardware_comparison_fini(out);
    return result;
}

void hardware_comparison_fini(struct hardware_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n; i++) free(comparison->results[i].stats);
    free(comparison->results);
    *comparison = (struct hardware_comparison){0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

struct hardware_overall hardware_overall(const struct hardware_comparison *c)
{
    struct hardware_overall o = {.mape = NAN, .median = NAN, .log_pearson = NAN, .worst = NAN, .worst_name = ""};
    double *x = calloc(3 * c->n + 1, sizeof *x), *y = x ? x + c->n : NULL, *errors = x ? y + c->n : NULL, sum = 0;
    for (size_t i = 0; i < c->n && x; i++) {
        const struct hardware_result *r = &c->results[i];
        o.not_found += r->state == HARDWARE_NOT_FOUND;
        o.failed += r->state == HARDWARE_FAILED;
        if (isnan(r->error) || !(r->cycles > 0)) continue;
        const double error = fabs(r->error);
        x[o.kernels] = log(r->cycles);
        y[o.kernels] = log(r->row->cycles);
        errors[o.kernels++] = error;
        sum += error;
        if (!(error <= o.worst)) o.worst = error, o.worst_name = r->row->name;
    }
    if (o.kernels) {
        qsort(errors, o.kernels, sizeof *errors, ascending);
        o.mape = sum / (double)o.kernels;
        o.median = (errors[(o.kernels - 1) / 2] + errors[o.kernels / 2]) / 2;
        o.log_pearson = pearson_of(x, y, o.kernels);
    }
    free(x);
    return o;
}

struct hardware_power hardware_power(const struct hardware_comparison *c, bool is_fitted)
{
    struct hardware_power p = {.mape = 0};
    for (size_t i = 0; i < c->n; i++) {
        const struct hardware_row *row = c->results[i].row;
        struct energy e;
        for (size_t k = 0; k < row->n_measured && row->is_fitted == is_fitted; k++) {
            const double measured = row->measured[k].value;
            if (strcmp(row->measured[k].name, "power_w") != 0 || !hardware_energy(&c->results[i], &e)) continue;
            const double to_w = 1e6 / e.time_us;
            p.kernels++;
            p.within += measured >= e.total.low * to_w && measured <= e.total.high * to_w;
            p.mape += fabs(validate_error(e.total.value * to_w, measured));
        }
    }
    p.mape = p.kernels ? p.mape / (double)p.kernels : NAN;
    return p;
}
