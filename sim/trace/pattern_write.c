/* A pattern's warps, step by step. */
#include "poise/pattern.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pattern_internal.h"

enum { LINE = 128, FLIGHT_MAX = 16, PLAIN = 64 /* computing operations before the code repeats */ };
#define FIRST_BYTE 0x10000000ull

/* Static code: the loads of each stream, one for each place in the flight; the operations that use them; further
 * computing; EXIT. */
struct code {
    struct trace_inst insts[PATTERN_STREAMS_MAX * FLIGHT_MAX + FLIGHT_MAX + PLAIN + 1];
    uint32_t n, n_regs, use, plain, exit;
};
struct place { /* of a stream */
    uint64_t base, owners, span, step, start;
    double *chances; /* gather: of a rank up to this one; NULL where all are as likely */
    uint64_t mix;    /* gather: from a rank to a line */
};
struct cursor { /* of a warp in a stream */
    uint64_t i, at, state, drawn[TRACE_LANES];
};

/* splitmix64 [Steele, Lea, Flood 2014] */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t gcd(uint64_t a, uint64_t b) { return b ? gcd(b, a % b) : a; }

/* A step that visits all of 0 .. n - 1. */
static uint64_t draw_step(uint64_t *state, uint64_t n)
{
    for (uint64_t step;;)
        if (gcd(step = 1 + draw(state) % n, n) == 1) return step % n;
}

/* ---- code ---- */

static const char strings[] = "ld.global.f32\0fma.rn.f32\0exit";
enum { NAME_LOAD = 0, NAME_FMA = 14, NAME_EXIT = 25 };

static struct trace_inst *add_inst(struct code *code, uint8_t cls, uint32_t name)
{
    struct trace_inst *i = &code->insts[code->n];
    *i = (struct trace_inst){.pc = code->n, .line = 1 + code->n, .name = name, .cls = cls};
    memset(i->dst, 0xff, sizeof i->dst);
    memset(i->src, 0xff, sizeof i->src);
    if (code->n++ == 0) i->flags = TRACE_BLOCK_START;
    return i;
}

/* Registers: the address, a value for each load in flight, an accumulator for each chain. */
static void make_code(struct code *code, const struct pattern_launch *l)
{
    *code = (struct code){.n_regs = 1 + l->flight + l->chains};
    for (uint32_t s = 0; s < l->streams; s++)
        for (uint32_t f = 0; f < l->flight; f++) {
            struct trace_inst *i = add_inst(code, TRACE_LOAD, NAME_LOAD);
            i->space = TRACE_SPACE_GLOBAL;
            i->bytes = 4;
            i->n_dst = i->n_src = 1;
            i->dst[0] = (uint16_t)(1 + f);
            i->src[0] = 0;
        }
    code->use = code->n;
    for (uint32_t f = 0; f < l->flight + PLAIN; f++) {
        struct trace_inst *i = add_inst(code, TRACE_FP_MUL, NAME_FMA);
        i->n_dst = i->n_src = 1;
        i->dst[0] = i->src[0] = (uint16_t)(1 + l->flight + f % l->chains);
        if (f < l->flight) i->src[i->n_src++] = (uint16_t)(1 + f);
    }
    code->plain = code->use + l->flight;
    code->exit = code->n;
    add_inst(code, TRACE_EXIT, NAME_EXIT);
}

/* ---- addresses ---- */

static int place_stream(struct place *place, const struct pattern *p, size_t s, uint64_t *line, uint64_t *state,
                        struct error *err)
{
    const struct pattern_stream *stream = &p->streams[s];
    *place = (struct place){.base = *line, .owners = pattern_owners_of(p, s), .span = pattern_span_of(p, s)};
    place->step = draw_step(state, place->owners);
    place->start = draw(state) % place->owners;
    place->mix = draw_step(state, stream->lines);
    *line += place->owners * place->span;
    if (stream->pattern == PATTERN_SCAN || stream->skew <= 0) return 0;
    if (!(place->chances = calloc(stream->lines, sizeof *place->chances)))
        return error_set(err, ERR_MEMORY, "out of memory for %u lines", (unsigned)stream->lines);
    double sum = 0;
    for (uint32_t r = 0; r < stream->lines; r++) place->chances[r] = sum += pow(r + 1.0, -stream->skew);
    for (uint32_t r = 0; r < stream->lines; r++) place->chances[r] /= sum;
    return 0;
}

static uint64_t draw_line(const struct place *place, uint64_t lines, uint64_t *state)
{
    if (!place->chances) return draw(state) % lines;
    const double u = (double)(draw(state) >> 11) * 0x1p-53;
    uint64_t low = 0, high = lines - 1;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (place->chances[middle] > u) high = middle;
        else low = middle + 1;
    }
    return low * place->mix % lines; /* the likely lines are not neighbours */
}

/* The line of part g, counted from the owner's place. */
static uint64_t line_of(const struct pattern_stream *s, const struct cursor *c, uint32_t g)
{
    if (s->pattern == PATTERN_GATHER) return c->drawn[g];
    const uint64_t per_set = s->lines / s->degree, j = c->i / (LINE / s->drift), q = j % per_set;
    const uint64_t set = s->passes ? j / per_set / s->passes : 0;
    return s->pitch ? (uint64_t)g * s->pitch + set * per_set + q : set * s->lines + q * s->degree + g;
}

static void next_addresses(const struct pattern_stream *s, const struct place *place, struct cursor *c,
                           uint64_t addresses[TRACE_LANES])
{
    const uint64_t hold = LINE / s->drift, within = c->i % hold * s->drift;
    if (s->pattern == PATTERN_GATHER && within == 0)
        for (uint32_t g = 0; g < s->degree; g++) c->drawn[g] = draw_line(place, s->lines, &c->state);
    uint32_t first = 0; /* lane of the part */
    for (uint32_t l = 0, part = 0; l < TRACE_LANES; l++) {
        const uint32_t g = l * s->degree / TRACE_LANES;
        if (g != part) part = g, first = l;
        addresses[l] = FIRST_BYTE + (c->at + line_of(s, c, g)) * LINE + (within + (l - first) * 4u) % LINE;
    }
    c->i++;
}

/* ---- warps ---- */

static void begin_warp(struct cursor *cursors, const struct pattern *p, const struct place *places, uint64_t warp)
{
    for (size_t s = 0; s < p->launch.streams; s++) {
        const uint64_t owner = p->streams[s].sharers ? warp / p->streams[s].sharers : 0;
        const uint64_t at = (owner * places[s].step + places[s].start) % places[s].owners;
        uint64_t state = p->launch.seed ^ (warp * PATTERN_STREAMS_MAX + s + 1) << 32;
        cursors[s] = (struct cursor){.at = places[s].base + at * places[s].span, .state = draw(&state)};
    }
}

/* The stream of load i of a turn. */
static size_t stream_of(const struct pattern *p, uint64_t i)
{
    uint64_t turn = 0;
    for (size_t s = 0; s < p->launch.streams; s++) turn += p->streams[s].share;
    size_t s = 0;
    for (i %= turn; i >= p->streams[s].share; s++) i -= p->streams[s].share;
    return s;
}

static void write_warp(struct trace_warp_buffer *b, const struct pattern *p, const struct code *code,
                       const struct place *places, uint64_t warp)
{
    struct cursor cursors[PATTERN_STREAMS_MAX];
    uint64_t addresses[TRACE_LANES];
    begin_warp(cursors, p, places, warp);
    for (uint64_t i = 0; i < p->launch.loads;) {
        const uint64_t left = p->launch.loads - i;
        const uint32_t n = left < p->launch.flight ? (uint32_t)left : p->launch.flight;
        for (uint32_t f = 0; f < n; f++, i++) {
            const size_t s = stream_of(p, i);
            next_addresses(&p->streams[s], &places[s], &cursors[s], addresses);
            trace_record_step(b, (uint32_t)s * p->launch.flight + f, UINT32_MAX);
            trace_record_access(b, UINT32_MAX, addresses);
        }
        const uint64_t others = (uint64_t)n * p->launch.in - (i == p->launch.loads); /* EXIT is one of them */
        for (uint64_t k = 0; k < others; k++)
            trace_record_step(b, k < n ? code->use + (uint32_t)k : code->plain + (uint32_t)((k - n) % PLAIN),
                              UINT32_MAX);
    }
    trace_record_step(b, code->exit, UINT32_MAX);
}

static int write_all(struct trace_writer *writer, const struct pattern *p, const struct code *code,
                     const struct place *places, struct error *err)
{
    for (uint64_t cta = 0; cta < p->launch.blocks; cta++) {
        struct trace_warp_buffer *buffers = trace_writer_cta_begin(writer);
        if (!buffers) return error_set(err, ERR_MEMORY, "out of memory for a block");
        for (uint64_t w = 0; w < p->launch.warps; w++)
            write_warp(&buffers[w], p, code, places, cta * p->launch.warps + w);
        if (trace_writer_cta_end(writer, err) < 0) return -1;
    }
    return 0;
}

static char *provenance_of(const struct pattern *p)
{
    char text[PATTERN_TEXT_MAX];
    json_t *json = json_pack("{s:s,s:s}", "generator", "poise trace synth", "knobs", pattern_text(p, text));
    char *out = json ? json_dumps(json, 0) : NULL;
    json_decref(json);
    return out;
}

static int write_trace(const struct pattern *p, const struct code *code, const struct place *places, const char *path,
                       struct trace **out, struct error *err)
{
    const struct pattern_launch *l = &p->launch;
    const struct trace_launch launch = {.grid = {l->blocks, 1, 1},
                                        .block = {l->warps * TRACE_LANES, 1, 1},
                                        .regs_per_thread = l->registers,
                                        .n_ctas = l->blocks,
                                        .warps_per_cta = l->warps,
                                        .n_regs = code->n_regs,
                                        .n_code = code->n};
    struct trace_writer *writer;
    char *provenance = provenance_of(p);
    if (!provenance) return error_set(err, ERR_MEMORY, "out of memory for a trace");
    int result = trace_writer_new(&writer, "pattern", &launch, code->insts, code->n, strings, sizeof strings, err);
    if (result == 0 && (result = write_all(writer, p, code, places, err)) < 0) trace_writer_free(writer);
    else if (result == 0) result = trace_writer_finish(writer, path, provenance, out, err);
    free(provenance);
    return result;
}

int pattern_write(const struct pattern *p, const char *path, struct trace **out, struct error *err)
{
    struct place places[PATTERN_STREAMS_MAX] = {{0}};
    struct code code;
    uint64_t line = 0, state = p->launch.seed;
    if (pattern_check(p, err) < 0) return -1;
    int result = 0;
    for (size_t s = 0; s < p->launch.streams && result == 0; s++)
        result = place_stream(&places[s], p, s, &line, &state, err);
    make_code(&code, &p->launch);
    if (result == 0) result = write_trace(p, &code, places, path, out, err);
    for (size_t s = 0; s < PATTERN_STREAMS_MAX; s++) free(places[s].chances);
    return result;
}
