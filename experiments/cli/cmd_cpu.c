/* poise cpu list, record, info, run. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/config_load.h"
#include "cli/cpu_run.h"
#include "poise/cpu_locality.h"
#include "poise/cpu_programs.h"
#include "poise/lab.h"
#include "poise/say.h"

enum { INSTS_DEFAULT = 2000000 };
struct cpu_options {
    const char *out, *config, *input, *kernel, *launch, *size;
    struct texts set, mech;
    uint64_t insts, skip, threads;
    bool json, no_skip, lenient;
};
static const struct option_row rows[] = {
    OPTION(cpu_options, insts, 'n', OPTION_COUNT, "N", "instructions to record (default: 2000000)"),
    OPTION(cpu_options, skip, 0, OPTION_WHOLE, "N", "instructions before them, of a command of your own",
           .modes = "record"),
    OPTION(cpu_options, input, 0, OPTION_TEXT, "FILE", "standard input of a command of your own", .modes = "record"),
    OPTION(cpu_options, out, 'o', OPTION_OUT, "FILE", "the access stream of a command of your own", .modes = "record"),
    OPTION(cpu_options, config, 'c', OPTION_TEXT, "CONFIG", "the machine, whose caches count (default of run: apu6)",
           .modes = "info, run"),
    OPTION(cpu_options, kernel, 0, OPTION_TEXT, "NAME", "the kernel on the SMs ('poise kernels')", .modes = "run"),
    OPTION(cpu_options, launch, 0, OPTION_TEXT, "I", "which launch of it (default: 0)", .modes = "run"),
    OPTION(cpu_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full", .modes = "run"),
    OPTION(cpu_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter, as cpu.mshrs=8; may be repeated",
           .modes = "run"),
    OPTION(cpu_options, mech, 0, OPTION_TEXTS, "M,K=V..",
           "a mechanism, as drrip or tap_ucp; repeated: a stack (default: none, LRU)", .modes = "run"),
    OPTION(cpu_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)",
           .modes = "run"),
    OPTION_NAMED(cpu_options, no_skip, "no-skip", 0, OPTION_FLAG, NULL,
                 "tick every unit in every cycle: slower, same bytes", .modes = "run"),
    OPTION_LENIENT(cpu_options),
    OPTION(cpu_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

static int list(const struct cpu_options *o, struct error *err)
{
    json_t *programs = json_array();
    for (size_t i = 0; i < n_cpu_programs; i++) {
        const struct cpu_program *p = &cpu_programs[i];
        if (o->json)
            json_array_append_new(programs, json_pack("{s:s,s:s,s:s,s:s}", "name", p->name, "class",
                                                      cpu_class_names[p->class], "package", p->package, "doc", p->doc));
        else printf("%-11s %-15s %-10s %s\n", p->name, cpu_class_names[p->class], p->package, p->doc);
    }
    if (!o->json) {
        for (size_t i = 0; i < N_CPU_CLASSES; i++)
            printf("%s%s: %s\n", i ? "" : "\n", cpu_class_names[i], cpu_class_docs[i]);
        json_decref(programs);
        return 0;
    }
    json_t *json = lab_json();
    json_object_set_new(json, "programs", programs);
    return cli_print_json(json, err);
}

static int record_named(const struct cli *cli, const struct texts *arguments, uint64_t insts, struct error *err)
{
    for (size_t i = 1; i < arguments->n; i++)
        if (!cpu_program_find(arguments->items[i])) {
            error_set(err, ERR_USAGE, "no CPU program '%s'", arguments->items[i]);
            return error_at(err, NULL, 0, -1,
                            "`poise cpu list` names them; a command of your own is recorded with -o FILE -- COMMAND");
        }
    for (size_t i = 1; i < arguments->n; i++) {
        struct cpu_stream *stream;
        char path[1024];
        if (cpu_program_open(&stream, cpu_program_find(arguments->items[i]), insts, &cli->paths, path, err) < 0)
            return -1;
        say_line(stderr, "%s: %s, %" PRIu64 " instructions, %" PRIu64 " bytes", arguments->items[i], path,
                 stream->counts.insts, stream->file_bytes);
        cpu_stream_free(stream);
    }
    return 0;
}

static int record(const struct cli *cli, const struct cpu_options *o, const struct texts *arguments, struct error *err)
{
    const uint64_t insts = o->insts ? o->insts : INSTS_DEFAULT;
    if (arguments->n < 2)
        return error_set(err, ERR_USAGE,
                         "poise cpu record needs names of programs (poise cpu list), or -o FILE -- COMMAND ARGS");
    if (!o->out) return record_named(cli, arguments, insts, err);
    const char *argv[TEXTS_MAX];
    struct cpu_stream *stream;
    for (size_t i = 1; i < arguments->n; i++) argv[i - 1] = arguments->items[i];
    argv[arguments->n - 1] = NULL;
    const struct cpu_command command = {.argv = argv,
                                        .shown = argv,
                                        .input = o->input,
                                        .shown_input = o->input,
                                        .skip = o->skip,
                                        .insts = insts,
                                        .stop = cli->paths.stop};
    if (cpu_record(&stream, &command, err) < 0) return -1;
    const int result = cpu_stream_write(stream, o->out, err);
    if (result == 0)
        say_line(stderr, "%s: %" PRIu64 " instructions, %" PRIu64 " accesses", o->out, stream->counts.insts,
                 stream->counts.accesses);
    cpu_stream_free(stream);
    return result;
}

static double per_thousand(uint64_t n, uint64_t insts) { return 1000 * (double)n / (double)insts; }

static json_t *info_json(const char *name, const struct cpu_stream *s, const struct cpu_locality *l,
                         enum cpu_class class)
{
    char hash[HASH_TEXT_SIZE];
    json_t *misses = json_array(), *provenance = json_loads(s->provenance, 0, NULL);
    hash_text(&s->hash, hash);
    for (int i = 0; i < CPU_CAPACITIES; i++)
        json_array_append_new(misses, json_pack("{s:I,s:I}", "capacity_bytes", (json_int_t)l->capacity_bytes[i],
                                                "misses", (json_int_t)l->misses[i]));
    return json_pack("{s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "name", name, "hash", hash, "class",
                     cpu_class_names[class], "insts", (json_int_t)s->counts.insts, "skipped",
                     (json_int_t)s->counts.skipped, "accesses", (json_int_t)s->counts.accesses, "pages",
                     (json_int_t)s->counts.pages, "bytes", (json_int_t)s->file_bytes, "l1_misses",
                     (json_int_t)l->l1_misses, "l2_misses", (json_int_t)l->l2_misses, "first_touches",
                     (json_int_t)l->first_touches, "accesses_per_1000", (json_int_t)per_thousand(l->accesses, l->insts),
                     "llc_misses", misses, "provenance", provenance ? provenance : json_object());
}

static void print_info(const char *name, const struct cpu_stream *s, const struct cpu_locality *l, enum cpu_class class)
{
    printf("%-11s %-15s %9" PRIu64 " %7.1f %7.2f %7.2f %7.2f", name, cpu_class_names[class], s->counts.insts,
           per_thousand(l->accesses, l->insts), per_thousand(l->l1_misses, l->insts),
           per_thousand(l->l2_misses, l->insts), per_thousand(l->first_touches, l->insts));
    for (int i = 0; i < CPU_CAPACITIES; i++) printf(" %7.2f", per_thousand(l->misses[i], l->insts));
    printf(" %8" PRIu64 "\n", s->file_bytes);
}

static void print_head(void)
{
    printf("of 1000 instructions                      ------- misses of the private -------   misses of a last-level "
           "cache of\n");
    printf("%-11s %-15s %9s %7s %7s %7s %7s", "program", "class", "insts", "access", "L1", "L2", "first");
    for (int i = 0; i < CPU_CAPACITIES; i++) printf(" %4u KB", 256u << i);
    printf(" %8s\n", "bytes");
}

static int info_one(const struct cli *cli, const struct cpu_options *o, const char *name,
                    const struct gpu_params *params, bool is_first, json_t *programs, struct error *err)
{
    struct cpu_stream *stream;
    struct cpu_locality locality;
    if (cpu_open(&stream, name, o->insts ? o->insts : INSTS_DEFAULT, &cli->paths, err) < 0) return -1;
    const int result = cpu_locality_of(&locality, stream, params, err);
    if (result == 0) {
        const enum cpu_class class = cpu_class_of(&locality);
        if (o->json) {
            json_array_append_new(programs, info_json(name, stream, &locality, class));
        } else {
            if (is_first) print_head();
            print_info(name, stream, &locality, class);
        }
    }
    cpu_stream_free(stream);
    return result;
}

static int info(const struct cli *cli, const struct cpu_options *o, const struct texts *arguments, struct error *err)
{
    struct gpu_params *params = gpu_params_new();
    json_t *programs = json_array();
    int result = params ? config_load(params, o->config ? o->config : "apu6", cli, err)
                        : error_set(err, ERR_MEMORY, "out of memory");
    if (arguments->n == 1)
        for (size_t i = 0; i < n_cpu_programs && result == 0; i++)
            result = info_one(cli, o, cpu_programs[i].name, params, i == 0, programs, err);
    for (size_t i = 1; i < arguments->n && result == 0; i++)
        result = info_one(cli, o, arguments->items[i], params, i == 1, programs, err);
    gpu_params_free(params);
    if (result < 0 || !o->json) {
        json_decref(programs);
        return result;
    }
    json_t *json = lab_json();
    json_object_set_new(json, "programs", programs);
    return cli_print_json(json, err);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct cpu_options *o = options;
    const char *verb = arguments->n ? arguments->items[0] : "";
    if (strcmp(verb, "list") == 0) return list(o, err);
    if (strcmp(verb, "record") == 0) return record(cli, o, arguments, err);
    if (strcmp(verb, "info") == 0) return info(cli, o, arguments, err);
    if (strcmp(verb, "run") == 0) {
        const struct cpu_run how = {
            o->kernel,  o->launch, o->size,   o->config, &o->set, &o->mech, o->insts ? o->insts : INSTS_DEFAULT,
            o->threads, o->json,   o->no_skip};
        return cpu_run(cli, &how, arguments->items + 1, arguments->n - 1, err);
    }
    return error_set(err, ERR_USAGE, "poise cpu: choose list, record, info or run");
}

const struct command command_cpu = {
    "cpu",
    "record CPU programs that share the last-level cache with a GPU, and simulate both",
    "list [--json] | record NAME... [-n N] | record -o FILE [--skip N] [-n N] [--input FILE] -- COMMAND ARGS\n"
    "                 | info [NAME|FILE]... [-n N] [--json] | run --kernel NAME [--mech M] PROGRAM|FILE...",
    "list names the programs of Debian packages that are known. record runs one under Valgrind's lackey and keeps its "
    "loads and\n"
    "stores: by name in the folder of recorded traces, or a command of your own in a .cpu file; it needs valgrind, and "
    "takes about a second\n"
    "for a million instructions, the skipped ones included. info counts, of each 1000 instructions, what misses in a "
    "core's private caches,\n"
    "and in a last-level cache of its own of each capacity; it records what has not been recorded yet.\n"
    "run simulates each program alone, a kernel alone, and all of them together on one machine: what sharing costs "
    "each.\n"
    "Example: poise cpu run --kernel mvt --mech tap_rrip perl scan\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct cpu_options),
    run};
