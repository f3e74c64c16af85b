/* poise hint: a warp tuple for a kernel without a simulation, from its trace by the quick model (poise/quick.h). */
#include <jansson.h>
#include <stdlib.h>
#include <time.h>
#include "cli/cli_kernels.h"
#include "cli/options.h"
#include "cli/sim_print.h"
#include "cli/tuple_map.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "poise/points.h"
#include "poise/quick.h"
#include "poise/sweep.h"

#define STORE_DEFAULT "results/hint.sqlite"
enum { WORK_DEFAULT = 100000 };

struct hint_options {
    const char *program, *config, *store, *size;
    struct texts set, kernel, trace;
    uint64_t threads, sms, work;
    bool measure, json, lenient;
};
static const struct option_row rows[] = {
    OPTION(hint_options, kernel, 'k', OPTION_TEXTS, "NAME",
           "a workload of 'poise kernels' or a program of a suite; may be repeated"),
    OPTION(hint_options, trace, 't', OPTION_TEXTS, "TRACE", "a trace, or a folder of them; may be repeated"),
    OPTION(hint_options, program, 0, OPTION_TEXT, "FILE",
           "a program by poise cc: it is run, and its launches recorded"),
    OPTION(hint_options, size, 0, OPTION_TEXT, "SIZE", "of what --kernel names: test, small (default), eval or full"),
    OPTION(hint_options, config, 0, OPTION_TEXT, "C", "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(hint_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter; may be repeated"),
    OPTION(hint_options, sms, 0, OPTION_WHOLE, "N", "SMs that the quick model has (default: 4)"),
    OPTION(hint_options, work, 0, OPTION_WHOLE, "N",
           "instructions and line requests of an SM after which it ends a tuple's run (default: 100000)"),
    OPTION(hint_options, measure, 0, OPTION_FLAG, NULL,
           "simulate the same tuples as well: their map, and what the hint loses against the best of them"),
    OPTION(hint_options, store, 0, OPTION_TEXT, "FILE", "keeps what --measure simulates (default: " STORE_DEFAULT ")"),
    OPTION(hint_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(hint_options),
    OPTION(hint_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

struct hint {
    const struct hint_options *options;
    struct registry registry;
    struct launches launches;
    struct gpu_params *params;
    struct store *store;
    struct runner *runner;
    struct run_job *jobs; /* of the tuples of one launch */
};
/* Of a launch: each tuple by the quick model, and as simulated. */
struct hinted {
    struct warp_tuple tuples[RESPONSE_POINTS_MAX];
    struct tuple_speed quick[RESPONSE_POINTS_MAX], measured[RESPONSE_POINTS_MAX];
    struct quick_run runs[RESPONSE_POINTS_MAX];
    uint64_t cycles[RESPONSE_POINTS_MAX]; /* simulated */
    size_t n;
    uint32_t W;
    double seconds;
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double speed(const struct quick_run *r) { return r->cycles ? (double)r->insts / (double)r->cycles : 0; }

static int ask_quick(const struct hint *h, const struct trace *trace, struct hinted *out, struct error *err)
{
    struct plan *plan = NULL;
    struct quick *quick = NULL;
    const struct quick_options options = {.sms = (uint32_t)h->options->sms,
                                          .max_work = h->options->work ? h->options->work : WORK_DEFAULT};
    const double begin = seconds_now();
    if (plan_new(&plan, trace, h->params, err) < 0) return -1;
    if (quick_new(&quick, plan, h->params, &options, err) < 0) return plan_free(plan), -1;
    out->W = plan_warps_per_scheduler(plan);
    out->n = points_lattice(out->W, out->tuples);
    for (size_t i = 0; i < out->n; i++) quick_run(quick, out->tuples[i].N, out->tuples[i].p, &out->runs[i]);
    const double base = speed(&out->runs[out->n - 1]); /* (W, W) is the lattice's last */
    for (size_t i = 0; i < out->n; i++)
        out->quick[i] = (struct tuple_speed){out->tuples[i], base > 0 ? speed(&out->runs[i]) / base : 0};
    out->seconds = seconds_now() - begin;
    quick_free(quick);
    plan_free(plan);
    return 0;
}

static int measure(struct hint *h, const struct launch *launch, struct hinted *out, struct error *err)
{
    for (size_t i = 0; i < out->n; i++) {
        h->jobs[i] = (struct run_job){.launch = launch, .params = h->params};
        if (run_job_tuple(&h->jobs[i], out->tuples[i].N, out->tuples[i].p, err) < 0) return -1;
    }
    int result = runner_run(h->runner, "hint", h->jobs, out->n, err);
    for (size_t i = 0; i < out->n; i++) {
        struct measure m;
        if (result == 0 && h->jobs[i].result.err.code != ERR_NONE) *err = h->jobs[i].result.err, result = -1;
        if (result == 0) measure_stats(&m, h->jobs[i].result.stats);
        if (result == 0) out->cycles[i] = m.cycles;
        run_job_fini(&h->jobs[i]);
    }
    for (size_t i = 0; i < out->n && result == 0; i++)
        out->measured[i] =
            (struct tuple_speed){out->tuples[i], (double)out->cycles[out->n - 1] / (double)out->cycles[i]};
    return result;
}

static double part(uint64_t of, uint64_t all) { return all ? (double)of / (double)all : 0; }

/* What the quick model counted under each tuple. */
static json_t *runs_json(const struct hinted *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const struct quick_run *q = &r->runs[i];
        json_array_append_new(list, json_pack("{s:i,s:i,s:I,s:I,s:f,s:f,s:I,s:I}", "N", (int)r->tuples[i].N, "p",
                                              (int)r->tuples[i].p, "core_cycles", (json_int_t)q->cycles, "warp_insts",
                                              (json_int_t)q->insts, "l1d_hit_rate", part(q->l1_hits, q->l1_accesses),
                                              "l2_hit_rate", part(q->l2_hits, q->l2_accesses), "dram_reads",
                                              (json_int_t)q->dram_reads, "dram_writes", (json_int_t)q->dram_writes));
    }
    return list;
}

static json_t *row_of(const struct hint *h, const struct launch *launch, const struct hinted *r)
{
    const size_t best = tuple_map_best(r->quick, r->n);
    json_t *row =
        json_pack("{s:s,s:s,s:i,s:{s:i,s:i,s:f},s:f,s:o}", "launch", launch->label, "kernel", launch->kernel, "W",
                  (int)r->W, "hint", "N", (int)r->tuples[best].N, "p", (int)r->tuples[best].p, "speedup",
                  r->quick[best].speedup, "cpu_seconds", r->seconds, "map", tuple_map_json(r->quick, r->n, r->W));
    json_object_set_new(row, "tuples", runs_json(r));
    if (!h->options->measure) return row;
    const size_t top = tuple_map_best(r->measured, r->n);
    json_object_set_new(row, "measured",
                        json_pack("{s:i,s:i,s:f,s:f,s:o}", "N", (int)r->tuples[top].N, "p", (int)r->tuples[top].p,
                                  "speedup", r->measured[top].speedup, "hint_speedup", r->measured[best].speedup, "map",
                                  tuple_map_json(r->measured, r->n, r->W)));
    return row;
}

static void print_launch(const struct hint *h, const struct launch *launch, const struct hinted *r)
{
    const size_t best = tuple_map_best(r->quick, r->n);
    char label[200], kernel[200];
    printf("%s (%s): up to %u warps a scheduler\n", kernel_shown(launch->label, label, sizeof label),
           kernel_shown(launch->kernel, kernel, sizeof kernel), (unsigned)r->W);
    printf("  hint (N, p) = (%u, %u): %.2f times all warps' speed by the quick model, in %.2f CPU s\n",
           (unsigned)r->tuples[best].N, (unsigned)r->tuples[best].p, r->quick[best].speedup, r->seconds);
    tuple_map_print(r->quick, r->n, r->W, r->tuples[best], stdout);
    if (!h->options->measure) return;
    const size_t top = tuple_map_best(r->measured, r->n);
    printf("  simulated: best (%u, %u) %.3f times as fast as all warps, the hint %.3f\n", (unsigned)r->tuples[top].N,
           (unsigned)r->tuples[top].p, r->measured[top].speedup, r->measured[best].speedup);
    tuple_map_print(r->measured, r->n, r->W, r->tuples[best], stdout);
}

static int hint_launch(struct hint *h, const struct launch *launch, json_t *list, struct error *err)
{
    struct trace *trace;
    struct hinted *r = calloc(1, sizeof *r);
    if (!r) return error_set(err, ERR_MEMORY, "out of memory");
    int result = trace_open(&trace, launch->path, NULL, err);
    if (result == 0) {
        result = ask_quick(h, trace, r, err);
        trace_close(trace);
    }
    if (result == 0 && h->options->measure) result = measure(h, launch, r, err);
    if (result == 0 && h->options->json) json_array_append_new(list, row_of(h, launch, r));
    else if (result == 0) print_launch(h, launch, r);
    free(r);
    return result;
}

static int prepare(struct hint *h, struct cli *cli, const struct texts *arguments, struct error *err)
{
    const struct hint_options *o = h->options;
    const struct kernel_choice choice = {&o->kernel, &o->trace, o->program, arguments, o->size};
    struct runner_options options;
    if (cli_check_arguments("hint", o->program, arguments, err) < 0 ||
        sim_config(&h->params, cli, o->config, &o->set, err) < 0 ||
        cli_launches(&h->launches, &h->registry, cli, &choice, err) < 0)
        return -1;
    if (!o->measure) return 0;
    cli_runner_options(cli, &options, o->threads);
    if (cli_open_store(&h->store, o->store ? o->store : STORE_DEFAULT, err) < 0 ||
        runner_new(&h->runner, h->store, &options, err) < 0)
        return -1;
    h->jobs = calloc(RESPONSE_POINTS_MAX, sizeof *h->jobs);
    return h->jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory");
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    struct hint h = {.options = options};
    struct error later;
    json_t *list = json_array();
    int result = prepare(&h, cli, arguments, err);
    for (size_t i = 0; i < h.launches.n && result == 0; i++) result = hint_launch(&h, &h.launches.items[i], list, err);
    if (result == 0 && h.options->json) {
        json_t *out = lab_json();
        json_object_set(out, "launches", list);
        result = cli_print_json(out, err);
    }
    json_decref(list);
    runner_free(h.runner);
    if (store_close(h.store, &later) < 0 && result == 0) *err = later, result = -1;
    free(h.jobs);
    launches_fini(&h.launches);
    registry_fini(&h.registry);
    gpu_params_free(h.params);
    return result;
}

const struct command command_hint = {
    "hint",
    "a warp tuple for a kernel in seconds, without a simulation",
    "(--kernel NAME | --trace FILE | --program FILE [-- ARGUMENT...])",
    "The hint is profile guidance: it comes from the trace of the very launch that it is for. A quick model follows\n"
    "the trace through a few SMs and says how fast each warp tuple (N, p) is; nothing is simulated cycle by cycle.\n"
    "The map shows every tuple in percent of the speed of all warps. sim/quick/README.md says how far it can be "
    "trusted;\n"
    "--measure simulates the same tuples and prints both.\n"
    "Example: poise hint --kernel mvt --measure\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct hint_options),
    run,
};
