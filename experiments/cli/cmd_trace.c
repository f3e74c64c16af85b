/* poise trace record, synth, info, marking, mark, import, export, check. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/kernel_name.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/pattern.h"
#include "poise/say.h"
#include "poise/threads.h"
#include "poise/trace.h"
#include "poise/text.h"
#include "cli/trace_accelsim.h"
#include "cli/trace_marking.h"
#include "cli/trace_operators.h"
#include "cli/trace_synth.h"

struct trace_options {
    const char *out, *accelsim, *isa, *size, *marking, *rule;
    uint64_t threads;
    bool json, locality, knobs;
};
static const struct option_row rows[] = {
    OPTION(trace_options, out, 'o', OPTION_OUT, "DIR",
           "folder of the traces (default: traces) or of the marked ones; FILE for a marking, for synth and for an "
           "import of one kernel",
           .modes = "record, mark, import, marking, synth"),
    OPTION(trace_options, threads, 0, OPTION_WHOLE, "N",
           "threads that a launch's CTAs and its trace may use; the traces are the same with any number (default: "
           "CTAs one after another, and as many as there are processors for the trace)",
           .modes = "record"),
    OPTION(trace_options, marking, 0, OPTION_TEXT, "FILE", "which instructions get .cc and .cp", .modes = "mark"),
    OPTION(trace_options, rule, 0, OPTION_TEXT, "RULE",
           "which stores get .cc: handed_over (the next launch reads it; default) or handed_once (one CTA of "
           "it)",
           .modes = "marking"),
    OPTION(trace_options, accelsim, 0, OPTION_TEXT, "DIR", "folder for Accel-Sim's .traceg files and kernelslist.g",
           .modes = "export"),
    OPTION(trace_options, isa, 0, OPTION_TEXT, "ISA", "kepler (default) or volta opcodes", .modes = "export"),
    OPTION(trace_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default) or full", .modes = "synth"),
    OPTION(trace_options, knobs, 0, OPTION_FLAG, NULL, "list the knobs of pattern=scan and pattern=gather",
           .modes = "synth"),
    OPTION(trace_options, locality, 0, OPTION_FLAG, NULL, "divergence, I_n, working set and reuse of the global loads",
           .modes = "info"),
    OPTION(trace_options, json, 0, OPTION_FLAG, NULL, "print what was found or done as JSON"),
};

/* The list of launches in a folder, which the first launch of a program begins anew; zeros: none. */
struct listing {
    uint64_t inode, bytes, seconds, nanoseconds;
};
static struct listing listing_of(const char *dir)
{
    char path[1200];
    struct stat st;
    snprintf(path, sizeof path, "%s/launches.jsonl", dir);
    if (stat(path, &st) < 0) return (struct listing){0};
    return (struct listing){st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
}

static int record(const struct cli *cli, const struct trace_options *o, const struct texts *arguments, json_t *json,
                  struct error *err)
{
    char *argv[TEXTS_MAX + 1];
    const char *dir = o->out ? o->out : "traces";
    int status = 0;
    if (arguments->n < 2)
        return error_set(err, ERR_USAGE,
                         "poise trace record needs a program: poise trace record [--out DIR] -- PROGRAM ARGS");
    for (size_t i = 1; i < arguments->n; i++) argv[i - 1] = (char *)(uintptr_t)arguments->items[i];
    argv[arguments->n - 1] = NULL;
    if (o->threads > HOST_THREADS_MAX)
        return error_set(err, ERR_USAGE, "--threads %" PRIu64 ": at most %u", o->threads, HOST_THREADS_MAX);
    char threads[24];
    snprintf(threads, sizeof threads, "%" PRIu64, o->threads);
    if (o->threads && setenv("POISE_THREADS", threads, 1) < 0) return error_set(err, ERR_MEMORY, "out of memory");
    const struct listing before = listing_of(dir);
    if (file_make_folders(dir, err) < 0 || record_program(argv, dir, 0, NULL, cli->stop, &status, err) < 0) return -1;
    if (status)
        return error_set(err, ERR_RUN, "%s ended with status %d; traces up to there are in %s", argv[0], status, dir);
    const struct listing after = listing_of(dir);
    if (memcmp(&before, &after, sizeof before) == 0) {
        error_set(err, ERR_RUN, "%s launched no kernel on our CUDA library: nothing was recorded", argv[0]);
        return error_at(err, NULL, 0, -1,
                        "poise cc builds a program that does; poise cuda --trace-dir runs one of nvcc's");
    }
    if (json) json_object_update_new(json, json_pack("{s:s,s:s}", "program", argv[0], "dir", dir));
    else say_line(stderr, "traces of %s are in %s", argv[0], dir);
    return 0;
}

static uint64_t spun_insts(const struct trace *t)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < t->n_spun; i++) n += t->spun[i].n;
    return n;
}

/* Of traces in which a warp waits in a loop alone. */
static void put_waiting(json_t *out, const struct trace *t)
{
    if (t->n_spun) json_object_set_new(out, "spun_insts", json_integer((json_int_t)spun_insts(t)));
    if (!t->n_waits) return;
    json_object_set_new(out, "waits",
                        json_pack("{s:I, s:I, s:I}", "words", (json_int_t)t->n_words, "waits", (json_int_t)t->n_waits,
                                  "counted_writes", (json_int_t)t->n_writes));
}

static void print_waiting(const struct trace *t)
{
    if (t->n_spun)
        printf("  waiting       %" PRIu64 " of them were rounds of loops that only waited for memory to change\n",
               spun_insts(t));
    if (t->n_waits)
        printf("  waited for    %" PRIu64 " waits for %" PRIu64 " words, which %" PRIu64
               " writes change ('poise sim --set core.waiting=simulated')\n",
               t->n_waits, t->n_words, t->n_writes);
}

static int print_info(const struct trace *t, const char *path, bool as_json, bool locality, struct error *err)
{
    char hash[HASH_TEXT_SIZE];
    const struct trace_launch *l = &t->launch;
    const double per_inst = t->n_steps ? (double)t->file_bytes / (double)t->n_steps : 0;
    hash_text(&t->hash, hash);
    if (as_json) {
        json_t *out = lab_json(), *provenance = json_loads(t->provenance ? t->provenance : "{}", 0, NULL);
        json_object_set_new(out, "hash", json_string(hash));
        json_object_set_new(out, "kernel", json_string(trace_kernel(t)));
        json_object_set_new(out, "grid",
                            json_pack("[III]", (json_int_t)l->grid[0], (json_int_t)l->grid[1], (json_int_t)l->grid[2]));
        json_object_set_new(
            out, "block",
            json_pack("[III]", (json_int_t)l->block[0], (json_int_t)l->block[1], (json_int_t)l->block[2]));
        json_object_set_new(out, "regs", json_integer(l->regs_per_thread));
        json_object_set_new(out, "shared_bytes", json_integer(l->shared_bytes));
        json_object_set_new(out, "ctas", json_integer(l->n_ctas));
        json_object_set_new(out, "warps", json_integer((json_int_t)t->n_warps));
        json_object_set_new(out, "static_insts", json_integer(l->n_code));
        json_object_set_new(out, "warp_insts", json_integer((json_int_t)t->n_steps));
        put_waiting(out, t);
        json_object_set_new(out, "bytes", json_integer((json_int_t)t->file_bytes));
        json_object_set_new(out, "bytes_per_winst", json_real(per_inst));
        json_object_set_new(out, "provenance", provenance ? provenance : json_object());
        uint64_t past_l1;
        json_t *operators = trace_operators_json(t, &past_l1, err);
        if (!operators) {
            json_decref(out);
            return -1;
        }
        json_object_set_new(out, "global_accesses", operators);
        json_object_set_new(out, "loads_past_l1", json_integer((json_int_t)past_l1));
        json_t *reuse = locality ? trace_locality_json(t, err) : NULL;
        if (locality && !reuse) {
            json_decref(out);
            return -1;
        }
        if (reuse) json_object_set_new(out, "locality", reuse);
        return cli_print_json(out, err);
    }
    char shown[4096], kernel[400];
    printf("%s\n  kernel        %s\n", text_shown(path, shown, sizeof shown),
           kernel_shown(trace_kernel(t), kernel, sizeof kernel));
    if (strcmp(kernel, trace_kernel(t)) != 0) printf("  symbol        %s\n", trace_kernel(t));
    printf("  hash          %s\n", hash);
    printf("  grid          %u x %u x %u, block %u x %u x %u\n", l->grid[0], l->grid[1], l->grid[2], l->block[0],
           l->block[1], l->block[2]);
    printf("  resources     %u registers a thread, %u bytes of shared memory a CTA\n", l->regs_per_thread,
           l->shared_bytes);
    printf("  warps         %" PRIu64 " in %u CTAs\n", t->n_warps, l->n_ctas);
    printf("  instructions  %" PRIu64 " executed by warps, %u in the code\n", t->n_steps, l->n_code);
    print_waiting(t);
    if (trace_print_operators(t, err) < 0) return -1;
    printf("  size          %" PRIu64 " bytes, %.2f an instruction\n", t->file_bytes, per_inst);
    char *about = strdup(t->provenance ? t->provenance : "{}");
    printf("  provenance    %s\n", about ? text_clean(about) : "");
    free(about);
    return locality ? trace_print_locality(t, err) : 0;
}

static int info(const struct trace_options *o, const struct texts *arguments, struct error *err)
{
    struct trace *trace;
    if (arguments->n != 2) return error_set(err, ERR_USAGE, "poise trace info needs one file");
    if (trace_open(&trace, arguments->items[1], NULL, err) < 0) return -1;
    const int result = print_info(trace, arguments->items[1], o->json, o->locality, err);
    trace_close(trace);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct trace_options *o = options;
    const char *verb = arguments->n ? arguments->items[0] : "";
    if (strcmp(verb, "info") == 0) return info(o, arguments, err);
    if (strcmp(verb, "synth") == 0 && o->knobs) {
        pattern_help(stdout);
        return 0;
    }
    json_t *json = o->json ? lab_json() : NULL;
    const int own = json ? dup(STDOUT_FILENO) : -1; /* what a recorded program prints is no JSON */
    int result;
    if (own >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    if (strcmp(verb, "record") == 0) result = record(cli, o, arguments, json, err);
    else if (strcmp(verb, "import") == 0) result = trace_import(arguments, o->out, json, err);
    else if (strcmp(verb, "export") == 0) result = trace_export(arguments, o->accelsim, o->isa, json, err);
    else if (strcmp(verb, "check") == 0) result = trace_check(arguments, json, err);
    else if (strcmp(verb, "synth") == 0) result = trace_synth(cli, arguments, o->out, o->size, err);
    else if (strcmp(verb, "marking") == 0) result = trace_propose_marking(arguments, o->rule, o->out, json, err);
    else if (strcmp(verb, "mark") == 0) result = trace_mark_files(arguments, o->marking, o->out, json, err);
    else
        result = error_set(
            err, ERR_USAGE,
            "poise trace: choose record, synth, info, marking or mark, or import, export or check for Accel-Sim "
            "traces");
    if (own >= 0) {
        dup2(own, STDOUT_FILENO);
        close(own);
    }
    if (result == 0 && json) return cli_print_json(json, err);
    json_decref(json);
    return result;
}

const struct command command_trace = {
    "trace",
    "record the launches of a CUDA program; look at, import and export traces",
    "record [--out DIR] -- PROGRAM ARGS | info FILE [--locality] [--json] | synth [atomics] KEY=VALUE... -o FILE\n     "
    "              | import KERNELSLIST.g -o FILE|DIR\n"
    "                   | export --accelsim DIR [--isa kepler|volta] TRACE... | check KERNELSLIST.g|FILE.traceg...\n"
    "                   | marking TRACE... [--rule RULE] [-o FILE] | mark --marking FILE -o DIR TRACE...",
    "info counts the loads and stores of global memory by operator and scope, and the loads that pass L1 by them.\n"
    "synth records a kernel with the locality, divergence and intensity asked for: divergence=8 distance=32 in=20 ...\n"
    "synth atomics records one of atomics, with contention and locality: words=16 own=90 sharers=4 repeats=8 ...\n"
    "With pattern=scan or pattern=gather it writes the trace itself, without a program: I_n from 1, rows, mixtures "
    "(--knobs).\n"
    "marking looks at a program's launches, in order, and proposes which stores are written to L2 alone (.cc: the next "
    "launch\nreads their data) and which loads go around L2 (.cp: one CTA alone reads it); mark puts a marking on "
    "traces, "
    "by\ninstruction, address range or rule. The mechanism write_buffer does what the operators say.\n"
    "record runs a program that was linked with our CUDA library and writes one trace for each launch.\n"
    "import reads Accel-Sim's traces (.traceg, .traceg.xz), export writes them, check says whether Accel-Sim would "
    "read them.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct trace_options),
    run};
