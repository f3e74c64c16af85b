/* Knobs of a pattern: their rows, their texts, and which do not go together. */
#include "poise/pattern.h"

#include <stdlib.h>
#include <string.h>
#include "pattern_internal.h"

#define ROW(...) PARAM_ROW_OF(pattern_launch, __VA_ARGS__)
static const struct param_row launch_rows[] = {PATTERN_LAUNCH(ROW)};
#undef ROW
#define ROW(...) PARAM_ROW_OF(pattern_stream, __VA_ARGS__)
static const struct param_row stream_rows[] = {PATTERN_STREAM(ROW)};
#undef ROW
static const struct param_table launch_table = {"pattern", launch_rows, COUNT_OF(launch_rows),
                                                sizeof(struct pattern_launch)};
static const struct param_table stream_table = {"pattern", stream_rows, COUNT_OF(stream_rows),
                                                sizeof(struct pattern_stream)};

void pattern_defaults(struct pattern *p)
{
    params_defaults(&launch_table, &p->launch);
    for (size_t s = 0; s < PATTERN_STREAMS_MAX; s++) params_defaults(&stream_table, &p->streams[s]);
}

static int set_list(struct pattern *p, const char *name, const char *text, struct error *err)
{
    size_t s = 0;
    for (const char *at = text;; at++) {
        char value[64];
        const size_t n = strcspn(at, ",");
        if (s == PATTERN_STREAMS_MAX)
            return error_set(err, ERR_USAGE, "pattern: %s=%s: at most %d values, one a stream", name, text,
                             PATTERN_STREAMS_MAX);
        if (n >= sizeof value) return error_set(err, ERR_USAGE, "pattern: %s: '%.60s...' is no value", name, at);
        snprintf(value, sizeof value, "%.*s", (int)n, at);
        if (params_set(&stream_table, &p->streams[s++], name, value, err) < 0) return -1;
        at += n;
        if (!*at) break;
    }
    for (; s < PATTERN_STREAMS_MAX; s++) /* the last value stands for the rest */
        if (params_set(&stream_table, &p->streams[s], name, strrchr(text, ',') ? strrchr(text, ',') + 1 : text, err) <
            0)
            return -1;
    return 0;
}

int pattern_set(struct pattern *p, const char *name, const char *text, struct error *err)
{
    if (params_find(&stream_table, name)) return set_list(p, name, text, err);
    if (params_find(&launch_table, name)) return params_set(&launch_table, &p->launch, name, text, err);
    const char *near = nearest_name(name, &stream_rows[0].name, COUNT_OF(stream_rows), sizeof *stream_rows);
    if (!near) near = nearest_name(name, &launch_rows[0].name, COUNT_OF(launch_rows), sizeof *launch_rows);
    return error_set(err, ERR_USAGE, "pattern: no knob '%s'%s%s%s; poise trace synth --knobs lists them", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static size_t text_row(char *out, size_t used, size_t size, const char *name, const char *value, const char *before)
{
    const int n = snprintf(out + used, size - used, "%s%s%s%s", before, name, *name ? "=" : "", value);
    return used + (size_t)n < size ? used + (size_t)n : size - 1;
}

const char *pattern_text(const struct pattern *p, char text[PATTERN_TEXT_MAX])
{
    char value[64];
    size_t used = 0;
    for (size_t i = 0; i < COUNT_OF(launch_rows); i++)
        used = text_row(text, used, PATTERN_TEXT_MAX, launch_rows[i].name,
                        params_text(&launch_rows[i], &p->launch, value, sizeof value), i ? " " : "");
    for (size_t i = 0; i < COUNT_OF(stream_rows); i++)
        for (size_t s = 0; s < p->launch.streams; s++)
            used = text_row(text, used, PATTERN_TEXT_MAX, s ? "" : stream_rows[i].name,
                            params_text(&stream_rows[i], &p->streams[s], value, sizeof value), s ? "," : " ");
    return text;
}

void pattern_help(FILE *out)
{
    fprintf(out, "Of the launch:\n");
    params_help(&launch_table, out);
    fprintf(out, "Of each stream (a list has one value a stream; the last stands for the rest):\n");
    params_help(&stream_table, out);
}

/* ---- which knobs do not go together ---- */

/* Loads of a warp. */
static uint64_t loads_of(const struct pattern *p, size_t stream)
{
    uint64_t turn = 0, before = 0;
    for (size_t s = 0; s < p->launch.streams; s++) {
        if (s < stream) before += p->streams[s].share;
        turn += p->streams[s].share;
    }
    const uint64_t whole = p->launch.loads / turn, rest = p->launch.loads % turn, share = p->streams[stream].share;
    return whole * share + (rest <= before ? 0 : rest - before < share ? rest - before : share);
}

/* Sets that an owner walks one after another. */
static uint64_t sets_of(const struct pattern *p, size_t stream)
{
    const struct pattern_stream *s = &p->streams[stream];
    if (s->pattern == PATTERN_GATHER || s->passes == 0) return 1;
    const uint64_t loads_of_set = (uint64_t)(s->lines / s->degree) * s->passes * (128 / s->drift);
    const uint64_t loads = loads_of(p, stream);
    return loads ? (loads + loads_of_set - 1) / loads_of_set : 1;
}

uint64_t pattern_owners_of(const struct pattern *p, size_t stream)
{
    const uint64_t warps = (uint64_t)p->launch.blocks * p->launch.warps, sharers = p->streams[stream].sharers;
    return sharers ? (warps + sharers - 1) / sharers : 1;
}

uint64_t pattern_span_of(const struct pattern *p, size_t stream)
{
    const struct pattern_stream *s = &p->streams[stream];
    return s->pitch ? (uint64_t)s->pitch * s->degree : sets_of(p, stream) * s->lines;
}

static int check_stream(const struct pattern *p, size_t i, struct error *err)
{
    const struct pattern_stream *s = &p->streams[i];
    if (s->pattern == PATTERN_SCAN && s->lines % s->degree)
        return error_set(err, ERR_USAGE, "pattern: stream %zu: lines=%u must be a multiple of degree=%u", i,
                         (unsigned)s->lines, (unsigned)s->degree);
    if (128 % s->drift)
        return error_set(err, ERR_USAGE, "pattern: stream %zu: drift=%u does not divide 128, the bytes of a line", i,
                         (unsigned)s->drift);
    const uint64_t along = sets_of(p, i) * (s->lines / s->degree);
    if (s->pattern == PATTERN_GATHER && (s->passes || s->pitch))
        return error_set(err, ERR_USAGE, "pattern: stream %zu: %s is of scans alone, and this is a gather", i,
                         s->passes ? "passes" : "pitch");
    if (s->pattern == PATTERN_SCAN && s->skew > 0)
        return error_set(err, ERR_USAGE, "pattern: stream %zu: skew is of gathers alone, and this is a scan", i);
    if (s->pitch && s->pitch < along)
        return error_set(err, ERR_USAGE,
                         "pattern: stream %zu: pitch=%u, but a row is read over %llu lines: a larger pitch, fewer "
                         "loads or fewer lines",
                         i, (unsigned)s->pitch, (unsigned long long)along);
    return 0;
}

int pattern_check(const struct pattern *p, struct error *err)
{
    uint64_t lines = 0;
    for (size_t s = 0; s < p->launch.streams; s++) {
        if (check_stream(p, s, err) < 0) return -1;
        lines += pattern_owners_of(p, s) * pattern_span_of(p, s);
    }
    if (lines > PATTERN_LINES_MAX)
        return error_set(err, ERR_USAGE, "pattern: sets over %.1f GB: at most %.0f", (double)lines * 128 / 0x1p30,
                         PATTERN_LINES_MAX * 128.0 / 0x1p30);
    const double steps = (double)p->launch.blocks * p->launch.warps * p->launch.loads * (1.0 + p->launch.in);
    if (steps > 2e9)
        return error_set(err, ERR_USAGE, "pattern: %.2g warp instructions: at most 2e9; fewer loads, blocks or warps",
                         steps);
    return 0;
}
