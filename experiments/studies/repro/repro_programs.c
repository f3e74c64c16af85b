/* Runs of whole programs for a study: the launches of a workload in order, L2 kept between them, under each point.
 * Where a point has the mechanism write_buffer without a marking, or lockdown with profile=measured, a run under
 * l2_profile on the point's own machine finds that first; it is left beside the store as marking-WORKLOAD-POINT.json.
 * Points of one machine share it. Where a point names a marking of traces, the program's traces get it before the runs
 * (poise/marking.h); they are left in marked-WORKLOAD-POINT/. */
#include "studies/repro/repro_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/marking.h"
#include "poise/order_check.h"
#include "poise/pipeline.h"

/* The launches of one workload, under one point: jobs at `first`, one in every `stride`. */
struct program {
    struct run_job *first;
    size_t n, stride;
    const char *name, *point;
    const char *marking;   /* of its traces: path, or empty */
    struct launch *marked; /* the launches with marked traces in place of the recorded ones, or NULL */
};

static const char *workload_of(const struct run_job *job) { return job->launch->workload->name; }

/* Runs the program under its jobs' own stacks, or under `stack` in their place. */
static int run_program(struct runner *runner, const struct program *p, const struct mech_spec *stack,
                       struct run_job *copies, struct error *err)
{
    for (size_t i = 0; i < p->n; i++) {
        copies[i] = p->first[i * p->stride];
        copies[i].result = (struct run_result){0};
        if (p->marked) copies[i].launch = &p->marked[i];
        if (!stack) continue;
        copies[i].stack[0] = *stack;
        copies[i].n_stack = 1;
    }
    return runner_run_program(runner, copies, p->n, err);
}

/* What l2_profile found, as a file. */
static int write_marking(const struct run_job *last, const char *path, struct error *err)
{
    const json_t *detail = json_object_get(json_array_get(last->result.mechs, 0), "detail");
    json_t *out = json_pack("{s:O,s:O}", "marking", json_object_get(detail, "marking"), "lines",
                            json_object_get(detail, "lines"));
    char *text = out ? json_dumps(out, JSON_COMPACT) : NULL;
    const int result =
        text ? file_write(path, text, strlen(text), err) : error_set(err, ERR_MEMORY, "%s: no marking to write", path);
    free(text);
    json_decref(out);
    return result;
}

static int profile(struct runner *runner, const struct program *p, const char *path, struct error *err)
{
    struct mech_spec stack;
    struct run_job *copies = calloc(p->n, sizeof *copies);
    if (!copies) return error_set(err, ERR_MEMORY, "out of memory for a profile");
    int result = mech_parse(&stack, "l2_profile", err);
    if (result == 0) {
        result = run_program(runner, p, &stack, copies, err);
        const struct run_job *last = &copies[p->n - 1];
        if (result == 0 && last->result.is_done) result = write_marking(last, path, err);
        else if (result == 0) result = error_set(err, ERR_RUN, "the profile of %s did not come to its end", p->name);
        mech_free(&stack);
    }
    for (size_t i = 0; i < p->n; i++) run_result_fini(&copies[i].result);
    free(copies);
    return result;
}

int repro_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

void repro_path_beside(char *out, size_t size, const char *store, const char *what, const char *name, const char *point,
                       const char *suffix)
{
    const int folder = repro_folder_length(store),
              from = snprintf(out, size, "%.*s", folder ? folder : 2, folder ? store : "./");
    snprintf(out + from, size - (size_t)from, "%s-%s-%s%s", what, name, point, suffix);
    for (char *at = out + from; *at; at++)
        if (*at == ' ') *at = '-';
}

/* ---- markings of traces ---- */

static bool has_rule(const struct trace_marking *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->marks[i].by == MARK_BY_RULE) return true;
    return false;
}

/* Writes the i-th launch with the marking's operators, and has `out` name it. */
static int mark_launch(struct launch *out, const struct launch *from, const struct trace *trace, size_t i,
                       const struct trace_marking *marking, const struct trace_uses *uses, const char *dir,
                       struct error *err)
{
    struct trace_marked marked;
    struct launch again;
    uint8_t *ops = calloc(trace->launch.n_code + 1, 1);
    char path[sizeof out->path];
    int result = ops ? 0 : error_set(err, ERR_MEMORY, "out of memory for a marking");
    snprintf(path, sizeof path, "%s/%04zu.ptrace", dir, i);
    if (result == 0) result = trace_marking_ops(ops, &marked, trace, i, marking, uses, err);
    if (result == 0) result = trace_write_with_ops(trace, ops, path, err);
    if (result == 0) result = launch_from_file(&again, path, err);
    free(ops);
    if (result < 0) return -1;
    *out = *from; /* the same launch by name */
    memcpy(out->path, again.path, sizeof out->path);
    out->hash = again.hash;
    out->bytes = again.bytes;
    return 0;
}

int repro_mark_launches(struct launch *out, const struct launch *const *from, size_t n, const char *marking_path,
                        const char *dir, struct error *err)
{
    struct trace_uses uses = {0};
    struct trace_marking *marking = malloc(sizeof *marking);
    struct trace **traces = calloc(n + 1, sizeof *traces);
    int result = marking && traces ? 0 : error_set(err, ERR_MEMORY, "out of memory for a marking");
    if (result == 0) result = trace_marking_read(marking, marking_path, err);
    if (result == 0) result = file_make_folders(dir, err);
    for (size_t i = 0; i < n && result == 0; i++) result = trace_open(&traces[i], from[i]->path, NULL, err);
    if (result == 0 && has_rule(marking))
        result = trace_uses_find(&uses, (const struct trace *const *)(const void *)traces, n, err);
    for (size_t i = 0; i < n && result == 0; i++)
        result = mark_launch(&out[i], from[i], traces[i], i, marking, &uses, dir, err);
    trace_uses_free(&uses);
    for (size_t i = 0; traces && i < n; i++) trace_close(traces[i]);
    free(traces);
    free(marking);
    return result;
}

static int mark_traces(struct program *p, const char *store, struct error *err)
{
    char dir[600];
    const struct launch **from = calloc(p->n, sizeof *from);
    p->marked = calloc(p->n, sizeof *p->marked);
    if (!from || !p->marked) {
        free(from);
        return error_set(err, ERR_MEMORY, "out of memory for a marking");
    }
    for (size_t i = 0; i < p->n; i++) from[i] = p->first[i * p->stride].launch;
    repro_path_beside(dir, sizeof dir, store, "marked", p->name, p->point, "");
    const int result = repro_mark_launches(p->marked, from, p->n, p->marking, dir, err);
    free(from);
    return result;
}

/* ---- markings of addresses ---- */

/* The latest profile of a program, and whose machine it was taken on. */
struct profile_taken {
    char machine[HASH_TEXT_SIZE], path[PARAM_TEXT_MAX];
};

static int take_profile(struct runner *runner, const struct program *p, const char *store, struct profile_taken *taken,
                        struct error *err)
{
    char machine[HASH_TEXT_SIZE], *json;
    if (config_hash(p->first->params, machine, &json, err) < 0) return -1;
    free(json);
    if (*taken->path && strcmp(machine, taken->machine) == 0) return 0;
    repro_path_beside(taken->path, sizeof taken->path, store, "marking", p->name, p->point, ".json");
    memcpy(taken->machine, machine, sizeof machine);
    return profile(runner, p, taken->path, err);
}

/* The parameter of a mechanism that the profile is for; NULL: it has none, or a file of its own. */
static const char *wants_profile(const struct mech_spec *mech)
{
    char text[PARAM_TEXT_MAX] = "";
    const char *name = mech_name(mech->type);
    const bool is_lockdown = strcmp(name, "lockdown") == 0;
    if (!is_lockdown && strcmp(name, "write_buffer") != 0) return NULL;
    const char *param = is_lockdown ? "profile" : "marking";
    params_text(params_find(mech_params(mech->type), param), mech->params, text, sizeof text);
    return strcmp(text, is_lockdown ? "measured" : "") == 0 ? param : NULL;
}

static int mark(struct runner *runner, const struct program *p, const char *store, struct profile_taken *taken,
                struct error *err)
{
    for (size_t i = 0; i < p->n; i++) {
        struct run_job *job = &p->first[i * p->stride];
        for (unsigned k = 0; k < job->n_stack; k++) {
            const char *param = wants_profile(&job->stack[k]);
            if (!param) continue;
            if (take_profile(runner, p, store, taken, err) < 0) return -1;
            if (mech_set(&job->stack[k], param, taken->path, err) < 0) return -1;
        }
    }
    return 0;
}

static int run_marked(struct runner *runner, struct program *p, const char *store, struct profile_taken *taken,
                      struct error *err)
{
    struct run_job *copies = calloc(p->n, sizeof *copies);
    int result = copies ? 0 : error_set(err, ERR_MEMORY, "out of memory for a program");
    if (result == 0) result = *p->marking ? mark_traces(p, store, err) : mark(runner, p, store, taken, err);
    if (result == 0) result = run_program(runner, p, NULL, copies, err);
    for (size_t i = 0; i < p->n && result == 0; i++) p->first[i * p->stride].result = copies[i].result;
    free(p->marked);
    free(copies);
    return result;
}

/* What other programs need not share. */
static bool is_of_one_program(enum error_code code)
{
    return code == ERR_RUN || code == ERR_DEADLOCK || code == ERR_LIMIT || code == ERR_CRASH;
}

int repro_run_programs(struct runner *runner, const struct repro_spec *spec, const char *store, struct run_job *jobs,
                       size_t n_launches, struct error *err)
{
    for (size_t from = 0, to; from < n_launches; from = to) {
        for (to = from + 1; to < n_launches; to++)
            if (strcmp(workload_of(&jobs[to * spec->n_points]), workload_of(&jobs[from * spec->n_points])) != 0) break;
        struct profile_taken taken = {0};
        for (size_t p = 0; p < spec->n_points; p++) {
            struct program program = {.first = &jobs[from * spec->n_points + p],
                                      .n = to - from,
                                      .stride = spec->n_points,
                                      .name = workload_of(&jobs[from * spec->n_points]),
                                      .point = spec->points[p],
                                      .marking = spec->markings[p]};
            if (run_marked(runner, &program, store, &taken, err) == 0) continue;
            if (!is_of_one_program(err->code)) return error_while(err, "%s, %s", program.name, program.point);
            program.first->result.err = *err; /* fails its row */
        }
    }
    return 0;
}

/* ---- networks of learned response surfaces: a pipeline makes them, each workload gets the one that saw nothing of
 * its family ---- */

int repro_networks_make(const struct repro_spec *spec, const struct repro_options *o, char *dir, size_t size,
                        struct error *err)
{
    char path[1200];
    *dir = 0;
    if (!*spec->networks) return 0;
    struct pipeline_spec *pipeline = malloc(sizeof *pipeline);
    if (!pipeline) return error_set(err, ERR_MEMORY, "out of memory for a pipeline");
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, spec->networks);
    int result = pipeline_spec_load(pipeline, path, err);
    if (result == 0) {
        snprintf(dir, size, "%.*s%s-networks", repro_folder_length(o->store), o->store, pipeline->name);
        pipeline->n_contenders = 0;
        const struct pipeline_options p = {.runner = o->runner, .paths = o->paths, .out_dir = dir, .store = o->store};
        result = pipeline_run(pipeline, &p, err);
    }
    free(pipeline);
    return result;
}

int repro_networks_fill(struct run_job *job, const char *dir, struct error *err)
{
    if (!*dir) return 0;
    for (unsigned k = 0; k < job->n_stack; k++) {
        const struct param_row *row = params_find(mech_params(job->stack[k].type), "model");
        char text[PARAM_TEXT_MAX] = "", path[PARAM_TEXT_MAX];
        if (row) params_text(row, job->stack[k].params, text, sizeof text);
        if (strcmp(text, "@network") != 0) continue;
        pipeline_response_file(dir, workload_family(job->launch->workload), path, sizeof path);
        if (access(path, F_OK) != 0) pipeline_response_file(dir, NULL, path, sizeof path);
        if (mech_set(&job->stack[k], "model", path, err) < 0) return -1;
    }
    return 0;
}

/* ---- whether programs' results hold in the order of a machine's atomics ---- */

/* Several launches of a program stand side by side. */
static bool is_new(const struct repro_data *data, size_t b)
{
    for (size_t i = 0; i < b; i++)
        if (data->benchmarks[i].workload == data->benchmarks[b].workload) return false;
    return data->benchmarks[b].workload != NULL;
}

/* 1: it holds; 0: it does not; -1: it could not be tried, and why is in *err. */
static int holds(struct order_check *found, const struct lab_paths *paths, const struct workload *w,
                 const struct gpu_params *params, const char *mech, struct error *err)
{
    struct mech_spec stack;
    if (mech_parse(&stack, mech, err) < 0) return -1;
    const int result = order_check_workload(found, paths, w, workload_size("test"), params, &stack, 1, err);
    mech_free(&stack);
    return result < 0 ? -1 : found->holds;
}

/* A machine's column of the table: the share of a program's atomics whose turn came as in the simulated run. The rest
 * depends on what results decide. */
static void tell_share(const struct repro_data *data, const struct workload *w, const char *machine,
                       const struct order_check *found, struct repro_report *report)
{
    for (size_t b = 0; b < data->n; b++)
        if (data->benchmarks[b].workload == w)
            repro_cell(report, NAN, 100.0 * (double)found->in_order / (double)found->atomics, "%",
                       data->benchmarks[b].name, "in turn, %s", machine);
}

void results_hold_in_order(const struct repro_data *data, const struct ordered_machine *machines, size_t n,
                           struct repro_report *report)
{
    struct lab_paths paths;
    size_t tried = 0, held = 0;
    lab_paths_init(&paths);
    for (size_t m = 0; m < n; m++)
        for (size_t b = 0; b < data->n; b++) {
            const struct workload *w = data->benchmarks[b].workload;
            struct order_check found;
            struct error err = {0};
            if (!is_new(data, b)) continue;
            const int it_holds = holds(&found, &paths, w, data->params[0], machines[m].mech, &err);
            tried++;
            held += it_holds == 1;
            if (it_holds < 0) repro_deviation(report, "%s in the order of %s: %s", w->name, machines[m].name, err.text);
            if (it_holds == 0)
                repro_deviation(report, "%s in the order of %s: %s", w->name, machines[m].name, found.said);
            if (it_holds == 1 && found.atomics) tell_share(data, w, machines[m].name, &found, report);
        }
    if (!tried) return; /* launches of no program */
    repro_row(report, NAN, 100.0 * (double)held / (double)tried, "%",
              "functional result holds in the machine's order, test size");
    repro_check(report, held == tried, "every program's result holds in the order of each machine");
}
