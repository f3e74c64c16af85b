/* The workloads `synth` and `synth_atomics` as trace generators, and what a trace's locality is. */
#include "cli/trace_synth.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/locality.h"
#include "poise/pattern.h"
#include "poise/workload.h"

enum { LINE_BYTES = 128, KNOBS_MAX = 32 };

/* The workload that a generator is: `trace synth atomics KEY=VALUE...` has knobs of its own. Its kernel has its
 * name. */
static const char *generator(const struct texts *arguments)
{
    return arguments->n > 1 && strcmp(arguments->items[1], "atomics") == 0 ? "synth_atomics" : "synth";
}

/* Its only launch is recorded beside `out`, then takes its name. */
static int record(const struct cli *cli, char *const argv[], const char *kernel, const char *out, struct error *err)
{
    char dir[1024], from[1200], file[1200];
    int status = 0;
    if (file_check_regular(out, err) < 0) return -1;
    if ((size_t)snprintf(dir, sizeof dir, "%s.%ld.tmp", out, (long)getpid()) >= sizeof dir)
        return error_set(err, ERR_INPUT, "%s: this path is too long", out);
    if (mkdir(dir, 0777) < 0 && errno != EEXIST) return error_set(err, ERR_IO, "%s: %s", out, strerror(errno));
    int result = record_program(argv, dir, 1, NULL, cli->stop, &status, err);
    snprintf(from, sizeof from, "%s/0000-%s.ptrace", dir, kernel);
    if (result == 0 && status)
        result = error_set(err, status == 2 ? ERR_USAGE : ERR_RUN, "%s ended with status %d", argv[0], status);
    if (result == 0 && rename(from, out) < 0) result = error_set(err, ERR_IO, "%s: %s", out, strerror(errno));
    unlink(from);
    snprintf(file, sizeof file, "%s/launches.jsonl", dir);
    unlink(file);
    rmdir(dir);
    return result;
}

/* The knob `pattern` asks for a trace that is written without a program. */
static bool is_pattern(const struct texts *arguments)
{
    for (size_t i = 1; i < arguments->n; i++)
        if (strncmp(arguments->items[i], "pattern=", 8) == 0) return true;
    return false;
}

static int synth_pattern(const struct texts *arguments, const char *out, const char *size, struct error *err)
{
    struct pattern pattern;
    if (size)
        return error_set(err, ERR_USAGE,
                         "poise trace synth pattern=...: the knobs blocks, warps and loads stand for --size");
    pattern_defaults(&pattern);
    for (size_t i = 1; i < arguments->n; i++) {
        char name[64];
        const char *value = strchr(arguments->items[i], '=');
        if (!value || value - arguments->items[i] >= (ptrdiff_t)sizeof name)
            return error_set(err, ERR_USAGE, "'%s': knobs are KEY=VALUE; poise trace synth --knobs lists them",
                             arguments->items[i]);
        snprintf(name, sizeof name, "%.*s", (int)(value - arguments->items[i]), arguments->items[i]);
        if (pattern_set(&pattern, name, value + 1, err) < 0) return -1;
    }
    return pattern_write(&pattern, out, NULL, err);
}

int trace_synth(const struct cli *cli, const struct texts *arguments, const char *out, const char *size,
                struct error *err)
{
    char program[700];
    char *argv[2 * KNOBS_MAX + 4];
    size_t n = 0;
    if (!out) return error_set(err, ERR_USAGE, "poise trace synth needs -o FILE");
    if (texts_check_pairs(arguments, 1, "poise trace synth", err) < 0) return -1;
    if (is_pattern(arguments)) return synth_pattern(arguments, out, size, err);
    if (arguments->n > KNOBS_MAX)
        return error_set(err, ERR_USAGE, "poise trace synth: at most %d knobs", KNOBS_MAX - 1);
    const char *kernel = generator(arguments);
    snprintf(program, sizeof program, "%s/%s", cli->paths.programs, kernel);
    argv[n++] = program;
    if (size) {
        argv[n++] = (char *)(uintptr_t) "--size";
        argv[n++] = (char *)(uintptr_t)size;
    }
    for (size_t i = strcmp(kernel, "synth") == 0 ? 1 : 2; i < arguments->n; i++) {
        if (!strchr(arguments->items[i], '='))
            return error_set(err, ERR_USAGE, "'%s': knobs are KEY=VALUE; %s --help lists them", arguments->items[i],
                             program);
        argv[n++] = (char *)(uintptr_t) "--set";
        argv[n++] = (char *)(uintptr_t)arguments->items[i];
    }
    argv[n] = NULL;
    return record(cli, argv, kernel, out, err);
}

int trace_print_locality(const struct trace *trace, struct error *err)
{
    struct trace_locality l;
    if (trace_locality(&l, trace, LINE_BYTES, err) < 0) return -1;
    const double touches = l.touches ? (double)l.touches : 1, reused = l.intra_touches ? (double)l.intra_touches : 1;
    printf("  global loads  %" PRIu64 ", I_n %.2f, %.2f lines of %d bytes each\n", l.loads, trace_locality_in(&l),
           trace_locality_divergence(&l), LINE_BYTES);
    printf("  lines         %" PRIu64 ", %.1f a warp, %" PRIu64 " shared by warps\n", l.lines,
           trace_locality_working_set(&l), l.shared_lines);
    printf("  touches       %" PRIu64 ": %.1f%% again by the warp, %.1f%% first by the warp but after another's\n",
           l.touches, 100 * (double)l.intra_touches / touches, 100 * (double)l.inter_touches / touches);
    printf("  distance      %.1f other lines of the warp between touches, at most %" PRIu64 "\n",
           (double)l.distance_sum / reused, l.distance_max);
    return 0;
}

json_t *trace_locality_json(const struct trace *trace, struct error *err)
{
    struct trace_locality l;
    if (trace_locality(&l, trace, LINE_BYTES, err) < 0) return NULL;
    json_t *degrees = json_array(), *distances = json_array();
    for (size_t i = 0; i < COUNT_OF(l.loads_of_degree); i++)
        json_array_append_new(degrees, json_integer((json_int_t)l.loads_of_degree[i]));
    for (size_t i = 0; i < COUNT_OF(l.distances); i++)
        json_array_append_new(distances, json_integer((json_int_t)l.distances[i]));
    json_t *out = json_pack("{s:i,s:I,s:f,s:f,s:f,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "line_bytes", LINE_BYTES,
                            "loads", (json_int_t)l.loads, "in", trace_locality_in(&l), "divergence",
                            trace_locality_divergence(&l), "working_set_lines", trace_locality_working_set(&l), "lines",
                            (json_int_t)l.lines, "shared_lines", (json_int_t)l.shared_lines, "touches",
                            (json_int_t)l.touches, "intra_touches", (json_int_t)l.intra_touches, "inter_touches",
                            (json_int_t)l.inter_touches, "distance_sum", (json_int_t)l.distance_sum, "distance_max",
                            (json_int_t)l.distance_max, "loads_of_degree", degrees, "distances_by_bits", distances);
    if (!out) error_set(err, ERR_MEMORY, "out of memory");
    return out;
}
