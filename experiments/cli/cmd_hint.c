/* poise hint: a warp tuple for a kernel without a simulation, from its trace by the quick model (poise/quick.h). */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cli/cli_kernels.h"
#include "cli/hint_table.h"
#include "cli/options.h"
#include "cli/sim_print.h"
#include "cli/tuple_map.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "poise/number.h"
#include "poise/points.h"
#include "poise/quick_response.h"
#include "poise/say.h"
#include "poise/sweep.h"
#include "workload/hint_correction.h"

#define STORE_DEFAULT "results/hint.sqlite"

struct hint_options {
    const char *program, *config, *store, *size, *table, *model;
    struct texts set, kernel, trace, profile;
    uint64_t threads, sms, work;
    const char *launch, *for_grid, *for_block;
    bool all, gangs, measure, json, lenient;
};
static const struct option_row rows[] = {
    OPTION(hint_options, kernel, 'k', OPTION_TEXTS, "NAME",
           "a workload of 'poise kernels' or a program of a suite; may be repeated"),
    OPTION(hint_options, trace, 't', OPTION_TEXTS, "TRACE", "a trace, or a folder of them; may be repeated"),
    OPTION(hint_options, program, 0, OPTION_TEXT, "FILE",
           "a program by poise cc: it is run, and its launches recorded"),
    OPTION(hint_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full", .modes = "--kernel"),
    OPTION(hint_options, launch, 0, OPTION_TEXT, "I", "one launch of them (default: all)"),
    OPTION_NAMED(hint_options, for_grid, "for-grid", 0, OPTION_TEXT, "X[,Y[,Z]]",
                 "the hint is for a launch with this grid of CTAs, which has not run; those named are of other inputs"),
    OPTION_NAMED(hint_options, for_block, "for-block", 0, OPTION_TEXT, "X[,Y[,Z]]",
                 "with --for-grid: its CTAs' threads (default: as in the other launch)"),
    OPTION(hint_options, config, 0, OPTION_TEXT, "C", "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(hint_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter; may be repeated"),
    OPTION(hint_options, sms, 0, OPTION_COUNT, "N", "SMs that the quick model has (default: 4)"),
    OPTION(hint_options, work, 0, OPTION_COUNT, "N",
           "instructions and line requests of an SM after which it ends a tuple's run (default: 100000)"),
    OPTION(
        hint_options, all, 0, OPTION_FLAG, NULL,
        "the quick model runs every tuple to its end, in three times the time; so do --gangs, --measure and --table"),
    OPTION(hint_options, gangs, 0, OPTION_FLAG, NULL,
           "each tuple as well with admit=gang: the next N warps enter together when the last N have ended"),
    OPTION(hint_options, measure, 0, OPTION_FLAG, NULL,
           "simulate the same tuples as well: their map, and what the hint loses against the best of them"),
    OPTION(
        hint_options, model, 0, OPTION_TEXT, "FILE",
        "corrects the quick model by what it lacked on other programs: models/hint.json, or your own by 'poise train "
        "--family correction'"),
    OPTION(hint_options, table, 0, OPTION_OUT, "FILE.csv",
           "write what the quick model shows of each tuple, for 'poise train --family correction'"),
    OPTION(hint_options, profile, 0, OPTION_TEXTS, "FILE.csv",
           "how fast the tuples are, as in datasets/profiles; may be repeated", .modes = "--table"),
    OPTION(hint_options, store, 0, OPTION_TEXT, "FILE", "keeps what is simulated (default: " STORE_DEFAULT ")",
           .modes = "--measure"),
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
    struct hint_table table;
    struct quick_shape shape;          /* with --for-grid */
    struct hint_correction correction; /* of --model */
};
/* Of a launch under one rule of admission: each tuple by the quick model, and as simulated. */
struct surface {
    struct tuple_speed quick[RESPONSE_POINTS_MAX], measured[RESPONSE_POINTS_MAX];
    struct quick_run runs[RESPONSE_POINTS_MAX];
};
enum { N_ADMITS = 2 };
static const char *admit_name(size_t admit) { return admit ? "gang" : "each"; } /* as in admit=.. */
struct hinted {
    struct warp_tuple tuples[RESPONSE_POINTS_MAX];
    size_t n, n_admits;
    struct surface of[N_ADMITS];
    uint32_t W, kernel;
    uint64_t warps, insts;
    double waves, seconds;
    size_t corrected_best; /* with a model: the tuple to take */
};
/* A tuple of a surface. */
struct place {
    size_t admit, tuple;
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double low_of(const struct hint *h, double gain)
{
    return h->correction.model.k ? hint_correction_low(&h->correction, gain) : quick_gain_low(gain);
}
static double high_of(const struct hint *h, double gain)
{
    return h->correction.model.k ? hint_correction_high(&h->correction, gain) : quick_gain_high(gain);
}

static int read_correction(struct hint *h, struct error *err)
{
    const char *path = h->options->model;
    if (!path) return 0;
    if (h->options->gangs) return error_set(err, ERR_USAGE, "--model has not learned gangs: leave out --gangs");
    if (hint_correction_read(&h->correction, path, err) < 0) return -1;
    if (h->correction.model.model_version != SIM_MODEL_VERSION)
        say_note(stderr, "%s was learned from model version %u, this is %d", path, h->correction.model.model_version,
                 SIM_MODEL_VERSION);
    return 0;
}

static void take_surface(struct hinted *out, size_t admit, const struct quick_response *s)
{
    for (size_t i = 0; i < s->n; i++) {
        out->tuples[i] = s->tuples[i];
        out->of[admit].runs[i] = s->runs[i];
        out->of[admit].quick[i] = (struct tuple_speed){s->tuples[i], s->speedup[i]};
    }
}

static int ask_quick(const struct hint *h, const struct trace *trace, struct hinted *out, struct error *err)
{
    struct plan *plan = NULL;
    const struct hint_options *o = h->options;
    const struct quick_ask ask = {.sms = (uint32_t)o->sms,
                                  .work = o->work,
                                  .all = o->all || o->gangs || o->measure || o->table,
                                  .shape = o->for_grid ? &h->shape : NULL};
    struct quick_response *s = calloc(N_ADMITS, sizeof *s);
    if (!s) return error_set(err, ERR_MEMORY, "out of memory");
    int failed = plan_new(&plan, trace, h->params, err);
    if (!failed) failed = quick_response_new(s, h->options->gangs ? s + 1 : NULL, plan, h->params, &ask, err);
    for (size_t i = 0; i < s->n && !failed; i++)
        if (!(s->speedup[i] > 0))
            failed = error_set(err, ERR_USAGE, "--work %" PRIu64 ": so little ends a run before an instruction is done",
                               o->work);
    if (!failed) {
        out->W = s->W, out->kernel = s->kernel, out->warps = s->warps, out->insts = s->insts, out->waves = s->waves;
        out->n = s->n;
        out->n_admits = h->options->gangs ? N_ADMITS : 1;
        if (h->correction.model.k) out->corrected_best = hint_correct(&h->correction, s);
        for (size_t a = 0; a < out->n_admits; a++) take_surface(out, a, &s[a]);
    }
    plan_free(plan);
    free(s);
    return failed;
}

static int measure(struct hint *h, const struct launch *launch, struct hinted *out, struct error *err)
{
    const size_t n = out->n * out->n_admits;
    for (size_t i = 0; i < n; i++) {
        const struct warp_tuple at = out->tuples[i % out->n];
        h->jobs[i] = (struct run_job){.launch = launch, .params = h->params};
        if (run_job_tuple(&h->jobs[i], at.N, at.p, err) < 0 ||
            mech_set(&h->jobs[i].stack[0], "admit", admit_name(i / out->n), err) < 0)
            return -1;
    }
    int result = runner_run(h->runner, "hint", h->jobs, n, err);
    double base = 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        struct measure m;
        if (h->jobs[i].result.err.code != ERR_NONE) {
            *err = h->jobs[i].result.err;
            result = -1;
            break;
        }
        measure_stats(&m, h->jobs[i].result.stats);
        if (i + 1 == out->n) base = (double)m.cycles;
        out->of[i / out->n].measured[i % out->n] = (struct tuple_speed){out->tuples[i % out->n], (double)m.cycles};
    }
    for (size_t i = 0; i < n; i++) {
        struct tuple_speed *t = &out->of[i / out->n].measured[i % out->n];
        t->speedup = t->speedup > 0 ? base / t->speedup : 0;
        run_job_fini(&h->jobs[i]);
    }
    return result;
}

/* The fastest tuple under any rule of admission, of several the first; of what the quick model says, all warps where
 * the gain is within its error. */
static struct place best_of(const struct hint *h, const struct hinted *r, bool measured)
{
    struct place best = {0};
    double top = -1;
    if (h->correction.model.k && !measured) return (struct place){0, r->corrected_best};
    for (size_t a = 0; a < r->n_admits; a++) {
        const struct tuple_speed *cells = measured ? r->of[a].measured : r->of[a].quick;
        const size_t i = tuple_map_best(cells, r->n);
        if (cells[i].speedup > top) top = cells[i].speedup, best = (struct place){a, i};
    }
    if (!measured && !quick_gain_counts(top)) best = (struct place){0, r->n - 1};
    return best;
}

static double part(uint64_t of, uint64_t all) { return all ? (double)of / (double)all : 0; }

/* What the quick model counted under each tuple. */
static json_t *runs_json(const struct hinted *r, const struct quick_run *runs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n; i++) {
        const struct quick_run *q = &runs[i];
        json_array_append_new(list, json_pack("{s:i,s:i,s:I,s:I,s:f,s:f,s:I,s:I}", "N", (int)r->tuples[i].N, "p",
                                              (int)r->tuples[i].p, "core_cycles", (json_int_t)q->cycles, "warp_insts",
                                              (json_int_t)q->insts, "l1d_hit_rate", part(q->l1_hits, q->l1_accesses),
                                              "l2_hit_rate", part(q->l2_hits, q->l2_accesses), "dram_reads",
                                              (json_int_t)q->dram_reads, "dram_writes", (json_int_t)q->dram_writes));
    }
    return list;
}

static json_t *surface_json(const struct hinted *r)
{
    json_t *list = json_array();
    for (size_t a = 0; a < r->n_admits; a++)
        for (size_t i = 0; i < r->n; i++) {
            const double speedup = r->of[a].quick[i].speedup;
            json_t *cell = json_pack("{s:i,s:i,s:f}", "N", (int)r->tuples[i].N, "p", (int)r->tuples[i].p, "log_speedup",
                                     speedup > 0 ? log(speedup) : -HUGE_VAL);
            if (r->n_admits > 1) json_object_set_new(cell, "admit", json_string(admit_name(a)));
            json_array_append_new(list, cell);
        }
    return list;
}

static json_t *gain_json(const struct hint *h, double gain)
{
    return json_pack("{s:f,s:f,s:f,s:i}", "value", gain, "low", low_of(h, gain), "high", high_of(h, gain), "percent",
                     QUICK_GAIN_PERCENT);
}

static json_t *row_of(const struct hint *h, const struct launch *launch, const struct hinted *r)
{
    const struct place best = best_of(h, r, false);
    const struct warp_tuple at = r->tuples[best.tuple];
    const double gain = r->of[best.admit].quick[best.tuple].speedup;
    json_t *row =
        json_pack("{s:s,s:s,s:i,s:{s:i,s:i},s:s,s:o,s:o,s:{s:i,s:i,s:f,s:s},s:o,s:o,s:I,s:I,s:I}", "launch",
                  launch->label, "kernel", launch->kernel, "W", (int)r->W, "tuple", "N", (int)at.N, "p", (int)at.p,
                  "admit", admit_name(best.admit), "gain", gain_json(h, gain), "surface", surface_json(r), "hint", "N",
                  (int)at.N, "p", (int)at.p, "speedup", gain, "admit", admit_name(best.admit), "map",
                  tuple_map_json(r->of[0].quick, r->n, r->W), "tuples", runs_json(r, r->of[0].runs), "kernel_id",
                  (json_int_t)r->kernel, "warps", (json_int_t)r->warps, "warp_insts", (json_int_t)r->insts);
    if (r->n_admits > 1) json_object_set_new(row, "tuples_in_gangs", runs_json(r, r->of[1].runs));
    if (!h->options->measure) return row;
    const struct place top = best_of(h, r, true);
    json_t *measured = json_pack(
        "{s:i,s:i,s:s,s:f,s:f,s:o}", "N", (int)r->tuples[top.tuple].N, "p", (int)r->tuples[top.tuple].p, "admit",
        admit_name(top.admit), "speedup", r->of[top.admit].measured[top.tuple].speedup, "hint_speedup",
        r->of[best.admit].measured[best.tuple].speedup, "map", tuple_map_json(r->of[0].measured, r->n, r->W));
    if (r->n_admits > 1) json_object_set_new(measured, "map_in_gangs", tuple_map_json(r->of[1].measured, r->n, r->W));
    json_object_set_new(row, "measured", measured);
    return row;
}

static const char *in_gangs(struct place at) { return at.admit ? " in gangs" : ""; }

static void print_maps(const struct hinted *r, struct place best, bool measured)
{
    for (size_t a = 0; a < r->n_admits; a++) {
        const struct warp_tuple marked = best.admit == a ? r->tuples[best.tuple] : (struct warp_tuple){0, 0};
        if (r->n_admits > 1) printf("  admit=%s:\n", admit_name(a));
        tuple_map_print(measured ? r->of[a].measured : r->of[a].quick, r->n, r->W, marked, stdout);
    }
}

static void print_launch(const struct hint *h, const struct launch *launch, const struct hinted *r)
{
    const struct place best = best_of(h, r, false);
    const double gain = r->of[best.admit].quick[best.tuple].speedup;
    char label[200], kernel[200];
    printf("%s (%s): up to %u warps a scheduler\n", kernel_shown(launch->label, label, sizeof label),
           kernel_shown(launch->kernel, kernel, sizeof kernel), (unsigned)r->W);
    printf("  hint (N, p) = (%u, %u)%s: %.2f (%.2f to %.2f) times all warps' speed, in %.2f CPU s\n",
           (unsigned)r->tuples[best.tuple].N, (unsigned)r->tuples[best.tuple].p, in_gangs(best), gain, low_of(h, gain),
           high_of(h, gain), r->seconds);
    const size_t top_quick = tuple_map_best(r->of[best.admit].quick, r->n);
    if (best.tuple == r->n - 1 && top_quick != best.tuple)
        printf("  all warps stay: (%u, %u) promises less than the model errs by\n", (unsigned)r->tuples[top_quick].N,
               (unsigned)r->tuples[top_quick].p);
    print_maps(r, best, false);
    if (!h->options->measure) return;
    const struct place top = best_of(h, r, true);
    printf("  simulated: best (%u, %u)%s %.3f times as fast as all warps, the hint %.3f\n",
           (unsigned)r->tuples[top.tuple].N, (unsigned)r->tuples[top.tuple].p, in_gangs(top),
           r->of[top.admit].measured[top.tuple].speedup, r->of[best.admit].measured[best.tuple].speedup);
    print_maps(r, best, true);
}

static int hint_launch(struct hint *h, const struct launch *launch, json_t *list, double *seconds, struct error *err)
{
    struct trace *trace;
    struct hinted *r = calloc(1, sizeof *r);
    if (!r) return error_set(err, ERR_MEMORY, "out of memory");
    const double begin = seconds_now();
    int result = trace_open(&trace, launch->path, NULL, err);
    if (result == 0) {
        result = ask_quick(h, trace, r, err);
        trace_close(trace);
    }
    r->seconds = seconds_now() - begin;
    if (result == 0 && h->options->measure) result = measure(h, launch, r, err);
    if (result == 0 && h->options->table) {
        const struct hint_surface surface = {r->tuples, r->of[0].runs, r->n, r->W, r->waves};
        hint_table_add(&h->table, launch, &h->registry, &surface);
    }
    if (result == 0 && h->options->json) json_array_append_new(list, row_of(h, launch, r));
    else if (result == 0) print_launch(h, launch, r);
    *seconds += r->seconds;
    free(r);
    return result;
}

static int check_sms(const struct hint *h, struct error *err)
{
    const uint32_t sms = gpu_launch_machine(h->params).sms;
    if (h->options->sms <= sms) return 0;
    return error_set(err, ERR_USAGE, "--sms %" PRIu64 ": the machine has %u SMs", h->options->sms, (unsigned)sms);
}

/* "X[,Y[,Z]]", the rest 1. */
static int read_dims(uint32_t out[3], const char *option, const char *text, struct error *err)
{
    const char *at = text;
    out[0] = out[1] = out[2] = 1;
    for (int d = 0; d < 3; d++) {
        char part[12];
        uint64_t value;
        const size_t n = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)n, at);
        if (n >= sizeof part || !whole_parse(part, 1, INT32_MAX, &value)) break;
        out[d] = (uint32_t)value;
        if (!at[n]) return 0;
        at += n + 1;
    }
    return error_set(err, ERR_USAGE, "--%s %s: one to three whole numbers above 0 are needed, such as 192 or 32,8",
                     option, text);
}

static int check_other(struct hint *h, struct error *err)
{
    const struct hint_options *o = h->options;
    if (o->for_block && !o->for_grid) return error_set(err, ERR_USAGE, "--for-block needs --for-grid");
    if (!o->for_grid) return 0;
    if (o->measure || o->table)
        return error_set(err, ERR_USAGE, "--for-grid: a launch that has not run cannot be measured: leave out --%s",
                         o->measure ? "measure" : "table");
    if (read_dims(h->shape.grid, "for-grid", o->for_grid, err) < 0) return -1;
    return o->for_block ? read_dims(h->shape.block, "for-block", o->for_block, err) : 0;
}

static int prepare(struct hint *h, struct cli *cli, const struct texts *arguments, struct error *err)
{
    const struct hint_options *o = h->options;
    const struct kernel_choice choice = {&o->kernel, &o->trace, o->program, arguments, o->size};
    struct runner_options options;
    if (!o->kernel.n && !o->trace.n && !o->program)
        return error_set(err, ERR_USAGE, "poise hint needs --kernel NAME, --trace FILE or --program FILE");
    if (cli_check_arguments("hint", o->program, arguments, err) < 0 || check_other(h, err) < 0 ||
        sim_config(&h->params, cli, o->config, &o->set, err) < 0 || check_sms(h, err) < 0 ||
        cli_launches(&h->launches, &h->registry, cli, &choice, err) < 0)
        return -1;
    if (read_correction(h, err) < 0) return -1;
    if (o->table && hint_table_open(&h->table, o->profile.items, o->profile.n, err) < 0) return -1;
    if (!o->measure) return 0;
    cli_runner_options(cli, &options, o->threads);
    if (cli_open_store(&h->store, o->store ? o->store : STORE_DEFAULT, err) < 0 ||
        runner_new(&h->runner, h->store, &options, err) < 0)
        return -1;
    h->jobs = calloc(N_ADMITS * RESPONSE_POINTS_MAX, sizeof *h->jobs);
    return h->jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory");
}

/* The number that --launch names. */
static int the_launch(const struct hint *h, uint64_t *out, struct error *err)
{
    const char *text = h->options->launch;
    if (!whole_parse(text, 0, UINT32_MAX, out))
        return error_set(err, ERR_USAGE, "--launch %s: a whole number is needed", text);
    for (size_t i = 0; i < h->launches.n; i++)
        if (h->launches.items[i].index == *out) return 0;
    return error_set(err, ERR_USAGE, "--launch %s: there is no such launch among the %zu that are named", text,
                     h->launches.n);
}

/* One launch's answer stands at the top as well. */
static json_t *answer(json_t *list, double seconds)
{
    static const char *const keys[] = {"tuple", "admit", "gain", "surface"};
    json_t *out = lab_json();
    for (size_t k = 0; k < COUNT_OF(keys) && json_array_size(list) == 1; k++)
        json_object_set(out, keys[k], json_object_get(json_array_get(list, 0), keys[k]));
    json_object_set(out, "launches", list);
    json_object_set_new(out, "run_info", json_pack("{s:f}", "cpu_seconds", seconds));
    return out;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    struct hint h = {.options = options};
    struct error later;
    json_t *list = json_array();
    double seconds = 0;
    uint64_t only = 0;
    int result = prepare(&h, cli, arguments, err);
    if (result == 0 && h.options->launch) result = the_launch(&h, &only, err);
    for (size_t i = 0; i < h.launches.n && result == 0; i++)
        if (*cli->stop)
            result = error_set(err, ERR_INTERRUPTED, "interrupted: %zu of %zu launches were done", i, h.launches.n);
        else if (!h.options->launch || h.launches.items[i].index == only)
            result = hint_launch(&h, &h.launches.items[i], list, &seconds, err);
    if (result == 0 && h.options->table) result = hint_table_write(&h.table, h.options->table, err);
    hint_table_close(&h.table);
    correction_fini(&h.correction.model);
    if (result == 0 && h.options->json) result = cli_print_json(answer(list, seconds), err);
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
