#include "accelsim_statics.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

int statics_init(struct statics *s, uint32_t max, struct error *err)
{
    *s = (struct statics){.max = max, .n_buckets = 4096, .last = NONE};
    s->buckets = malloc(s->n_buckets * sizeof *s->buckets);
    if (!s->buckets) return error_set(err, ERR_MEMORY, "no memory for static code");
    memset(s->buckets, 0xff, s->n_buckets * sizeof *s->buckets);
    return 0;
}

void statics_fini(struct statics *s)
{
    free(s->lines);
    free(s->buckets);
    free(s->shapes);
}

void statics_start_warp(struct statics *s) { s->last = NONE; }

static enum sass_memory generic_space(uint64_t address, const struct accelsim_header *h)
{
    if (!h->shared_base || !h->local_base) return SASS_SHARED;
    const uint64_t shared_end = h->shared_base < h->local_base ? h->local_base : h->shared_base + GENERIC_WINDOW_BYTES;
    if (address >= h->shared_base && address < shared_end) return SASS_SHARED;
    return address >= h->local_base && address - h->local_base < GENERIC_WINDOW_BYTES ? SASS_LOCAL : SASS_GLOBAL;
}

static enum sass_memory resolve(const struct sass_opcode *opcode, const struct sass_line *l,
                                const struct accelsim_header *h)
{
    if (opcode->memory != SASS_GENERIC) return opcode->memory;
    /* On Kepler the traces' LD and ST are global; a line that accessed nothing says nothing. */
    if (h->binary_version == 35 || !l->has_addresses) return SASS_GLOBAL;
    return generic_space(l->addresses[__builtin_ctz(l->mask)], h);
}

static uint32_t bucket_of(const struct statics *s, uint64_t pc)
{
    return (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> 52) & (s->n_buckets - 1);
}

static bool same_line(const struct statics *s, const struct static_line *e, const struct sass_line *l)
{
    return e->pc == l->pc && e->inst.line == l->line && e->shape_length == l->shape_length &&
           memcmp(s->shapes + e->shape, l->shape, l->shape_length) == 0;
}

static int add_shape(struct statics *s, const char *text, size_t length, uint32_t *at, struct error *err)
{
    if (s->n_shapes + length + 1 > s->shapes_capacity) {
        const size_t want = 2 * (s->n_shapes + length + 4096);
        char *more = want < UINT32_MAX ? realloc(s->shapes, want) : NULL;
        if (!more) return error_set(err, ERR_MEMORY, "no memory for opcode texts");
        s->shapes = more;
        s->shapes_capacity = want;
    }
    *at = (uint32_t)s->n_shapes;
    memcpy(s->shapes + s->n_shapes, text, length);
    s->n_shapes += length;
    s->shapes[s->n_shapes++] = '\0';
    return 0;
}

static void fill_registers(struct trace_inst *inst, const struct sass_line *l)
{
    memset(inst->dst, 0xff, sizeof inst->dst);
    memset(inst->src, 0xff, sizeof inst->src);
    for (unsigned i = 0; i < l->n_dst; i++)
        if (l->dst[i] != SASS_ZERO_REG) inst->dst[inst->n_dst++] = l->dst[i];
    for (unsigned i = 0; i < l->n_src; i++)
        if (l->src[i] != SASS_ZERO_REG) inst->src[inst->n_src++] = l->src[i];
}

static const uint8_t space_of[] = {
    [SASS_NONE] = TRACE_SPACE_NONE,     [SASS_GLOBAL] = TRACE_SPACE_GLOBAL,  [SASS_LOCAL] = TRACE_SPACE_LOCAL,
    [SASS_SHARED] = TRACE_SPACE_SHARED, [SASS_GENERIC] = TRACE_SPACE_GLOBAL, [SASS_CONST] = TRACE_SPACE_CONST,
    [SASS_ASYNC] = TRACE_SPACE_GLOBAL};

static int add_line(struct statics *s, const struct sass_line *l, const struct sass_opcode *opcode,
                    enum sass_memory memory, const struct text_source *source, struct error *err)
{
    if (s->n == s->max) return source_bad(source, err, "more than %u distinct instructions", s->max);
    if (s->n == s->capacity) {
        const uint32_t want = s->capacity ? 2 * s->capacity : 256;
        struct static_line *more = realloc(s->lines, want * sizeof *more);
        if (!more) return error_set(err, ERR_MEMORY, "no memory for %u instructions", want);
        s->lines = more;
        s->capacity = want;
    }
    struct static_line *e = &s->lines[s->n];
    *e = (struct static_line){.pc = l->pc, .guess = NONE, .memory = (uint8_t)memory, .is_pair = memory == SASS_ASYNC};
    e->inst.line = (uint32_t)l->line;
    e->inst.space = space_of[memory];
    fill_registers(&e->inst, l);
    sass_opcode_decode(&e->inst, opcode, l->opcode, l->opcode_length, e->inst.n_dst > 0);
    if (add_shape(s, l->shape, l->shape_length, &e->shape, err) < 0 ||
        add_shape(s, l->opcode, l->opcode_length, &e->opcode, err) < 0)
        return -1;
    e->shape_length = (uint32_t)l->shape_length;
    e->opcode_length = (uint32_t)l->opcode_length;
    const uint32_t bucket = bucket_of(s, l->pc);
    e->next = s->buckets[bucket];
    s->buckets[bucket] = s->n++;
    return 0;
}

/* The entry of this line, by what followed last time or by its PC; NONE. */
static uint32_t look_up(const struct statics *s, const struct sass_line *l, const struct accelsim_header *h)
{
    const uint32_t guess = s->last != NONE ? s->lines[s->last].guess : NONE;
    if (guess != NONE && same_line(s, &s->lines[guess], l)) {
        const uint8_t memory = s->lines[guess].memory;
        if (memory == SASS_NONE || memory == SASS_CONST || memory == SASS_ASYNC || h->binary_version == 35)
            return guess;
    }
    for (uint32_t i = s->buckets[bucket_of(s, l->pc)]; i != NONE; i = s->lines[i].next) {
        const struct static_line *e = &s->lines[i];
        if (!same_line(s, e, l)) continue;
        const struct sass_opcode *opcode = sass_opcode_find(l->opcode, l->opcode_length);
        if (opcode && (uint8_t)resolve(opcode, l, h) == e->memory) return i;
    }
    return NONE;
}

int statics_find(struct static_line **out, struct statics *s, const struct sass_line *l,
                 const struct accelsim_header *h, bool grow, const struct text_source *source, struct error *err)
{
    uint32_t found = look_up(s, l, h);
    if (found == NONE) {
        const struct sass_opcode *opcode = sass_opcode_find(l->opcode, l->opcode_length);
        if (!opcode) {
            source_bad(source, err, "opcode '%.*s' is in none of the instruction sets that are known",
                       (int)l->opcode_length, l->opcode);
            return error_at(err, source->name, source->line, -1,
                            "sim/trace/accelsim_opcode.c holds one row for each opcode");
        }
        if (!grow) return source_bad(source, err, "the file changed while it was read");
        if (add_line(s, l, opcode, resolve(opcode, l, h), source, err) < 0) return -1;
        found = s->n - 1;
    }
    struct static_line *e = &s->lines[found];
    if (s->last != NONE) {
        s->lines[s->last].guess = found;
        /* a jump led here */
        if (grow && (l->pc <= s->lines[s->last].pc || l->pc - s->lines[s->last].pc > SASS_PC_BYTES))
            e->is_leader = true;
    } else {
        e->is_leader = true;
    }
    s->last = found;
    *out = e;
    return 0;
}

struct ordered {
    uint64_t pc;
    uint32_t line;
};
static int by_pc(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* PCs count instructions in our traces: of 16 bytes, or of 8 where a Kepler or Pascal file shows such. */
static uint32_t pc_unit(const struct statics *s)
{
    uint32_t unit = 16;
    for (uint32_t i = 0; i < s->n; i++)
        while (s->lines[i].pc % unit) unit /= 2;
    return unit;
}

int statics_finish(struct statics *s, struct trace_inst **code, char **strings, size_t *n_strings, uint32_t *n_regs,
                   struct error *err)
{
    struct ordered *order = malloc((s->n + 1) * sizeof *order);
    struct trace_inst *out = calloc(s->n + 1, sizeof *out);
    char *text = malloc(s->n_shapes + 1);
    size_t n_text = 0;
    uint32_t block = 0;
    const uint32_t unit = pc_unit(s);
    *n_regs = 0;
    if (!order || !out || !text) {
        free(order);
        free(out);
        free(text);
        return error_set(err, ERR_MEMORY, "no memory for %u instructions", s->n);
    }
    for (uint32_t i = 0; i < s->n; i++) order[i] = (struct ordered){s->lines[i].pc, i};
    qsort(order, s->n, sizeof *order, by_pc);
    for (uint32_t i = 0; i < s->n; i++) {
        struct static_line *e = &s->lines[order[i].line];
        const bool is_after_jump = i > 0 && (out[i - 1].cls == TRACE_BRANCH || out[i - 1].cls == TRACE_EXIT);
        e->index = i;
        out[i] = e->inst;
        out[i].pc = (uint32_t)(e->pc / unit);
        if (i == 0 || e->is_leader || is_after_jump) {
            out[i].flags |= TRACE_BLOCK_START;
            block += i > 0;
        }
        out[i].block = block;
        const char *name = s->shapes + e->opcode;
        size_t at = 0;
        while (at < n_text && strcmp(text + at, name) != 0) at += strlen(text + at) + 1;
        if (at == n_text) {
            memcpy(text + n_text, name, strlen(name) + 1);
            n_text += strlen(name) + 1;
        }
        out[i].name = (uint32_t)at;
        for (unsigned r = 0; r < out[i].n_dst; r++)
            if (out[i].dst[r] >= *n_regs) *n_regs = out[i].dst[r] + 1u;
        for (unsigned r = 0; r < out[i].n_src; r++)
            if (out[i].src[r] >= *n_regs) *n_regs = out[i].src[r] + 1u;
    }
    free(order);
    *code = out;
    *strings = text;
    *n_strings = n_text;
    return 0;
}
