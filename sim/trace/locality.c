/* Reuse of lines by walking each warp's loads: a hash table of the warp's lines with the time of their last touch,
 * and a Fenwick tree over times that marks which of them are a line's last. The marks after a line's last touch are
 * the other lines since. [R. Mattson et al., Evaluation techniques for storage hierarchies, IBM Syst. J. 9, 1970] */
#include "poise/locality.h"
#include "poise/log2.h"

#include <stdlib.h>
#include <string.h>

struct line_table { /* open addressing; a slot is free where `value` is 0 */
    uint64_t *keys;
    uint32_t *values;
    size_t mask, n;
};

static int table_grow(struct line_table *t, size_t slots, struct error *err)
{
    struct line_table bigger = {.keys = calloc(slots, sizeof *bigger.keys),
                                .values = calloc(slots, sizeof *bigger.values),
                                .mask = slots - 1,
                                .n = t->n};
    if (!bigger.keys || !bigger.values) {
        free(bigger.keys);
        free(bigger.values);
        return error_set(err, ERR_MEMORY, "out of memory for %zu lines", slots);
    }
    for (size_t i = 0; t->values && i <= t->mask; i++) {
        if (!t->values[i]) continue;
        size_t at = (size_t)(t->keys[i] * 0x9e3779b97f4a7c15u >> 20) & bigger.mask;
        while (bigger.values[at]) at = (at + 1) & bigger.mask;
        bigger.keys[at] = t->keys[i];
        bigger.values[at] = t->values[i];
    }
    free(t->keys);
    free(t->values);
    *t = bigger;
    return 0;
}

/* The value of a line, 0 if it is new; NULL when out of memory. A caller that finds 0 sets it. */
static uint32_t *table_at(struct line_table *t, uint64_t line, struct error *err)
{
    if (2 * (t->n + 1) > t->mask && table_grow(t, t->mask ? 2 * (t->mask + 1) : 64, err) < 0) return NULL;
    size_t at = (size_t)(line * 0x9e3779b97f4a7c15u >> 20) & t->mask;
    while (t->values[at] && t->keys[at] != line) at = (at + 1) & t->mask;
    if (!t->values[at]) {
        t->keys[at] = line;
        t->n++;
    }
    return &t->values[at];
}

static void table_clear(struct line_table *t)
{
    if (t->values) memset(t->values, 0, (t->mask + 1) * sizeof *t->values);
    t->n = 0;
}

/* Times start at 1. */
static void mark(int32_t *tree, size_t n, size_t time, int32_t by)
{
    for (; time <= n; time += time & -time) tree[time] += by;
}
static int64_t marks_until(const int32_t *tree, size_t time)
{
    int64_t sum = 0;
    for (; time; time -= time & -time) sum += tree[time];
    return sum;
}

struct walk {
    struct trace_locality *out;
    struct line_table mine, all; /* line -> time of the last touch; line -> warps that touched it */
    int32_t *tree;
    size_t n_tree, room, time;
};

static int touch(struct walk *w, uint64_t line, struct error *err)
{
    uint32_t *last = table_at(&w->mine, line, err);
    if (!last) return -1;
    w->time++;
    w->out->touches++;
    if (*last) {
        const uint64_t others = w->mine.n - (uint64_t)marks_until(w->tree, *last);
        mark(w->tree, w->n_tree, *last, -1);
        w->out->intra_touches++;
        w->out->distance_sum += others;
        if (others > w->out->distance_max) w->out->distance_max = others;
        const uint32_t width = bit_width(others);
        w->out->distances[width < 32 ? width : 32]++;
    } else {
        uint32_t *warps = table_at(&w->all, line, err);
        if (!warps) return -1;
        if (++*warps == 2) w->out->shared_lines++;
    }
    *last = (uint32_t)w->time;
    mark(w->tree, w->n_tree, w->time, 1);
    return 0;
}

/* The lines of one load, each once, in the order of the lanes. */
static int touch_load(struct walk *w, const struct trace_inst *inst, uint32_t mask, const uint64_t *addresses,
                      unsigned line_shift, struct error *err)
{
    uint64_t lines[2 * TRACE_LANES];
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t address = addresses[__builtin_ctz(m)];
        const uint64_t last = (address + (inst->bytes ? inst->bytes - 1u : 0)) >> line_shift;
        for (uint64_t line = address >> line_shift; line <= last && n < 2 * TRACE_LANES; line++) {
            uint32_t k = 0;
            while (k < n && lines[k] != line) k++;
            if (k == n) lines[n++] = line;
        }
    }
    w->out->loads++;
    w->out->loads_of_degree[n < TRACE_LANES ? n : TRACE_LANES]++;
    for (uint32_t k = 0; k < n; k++)
        if (touch(w, lines[k], err) < 0) return -1;
    return 0;
}

/* Room for every touch that the warp can make. */
static int warp_begin(struct walk *w, const struct trace *trace, const struct trace_warp *warp, struct error *err)
{
    size_t touches = 0;
    for (uint64_t i = 0; i < warp->n_steps; i++) {
        const struct trace_step *s = &trace->steps[warp->first_step + i];
        const struct trace_inst *inst = &trace->code[s->inst];
        if (inst->cls == TRACE_LOAD && inst->space == TRACE_SPACE_GLOBAL)
            touches += 2 * (size_t)__builtin_popcount(s->mask);
    }
    if (touches >= UINT32_MAX) return error_set(err, ERR_LIMIT, "a warp with %zu touches: at most 2^32", touches);
    if (touches > w->room) {
        free(w->tree);
        w->tree = malloc((touches + 1) * sizeof *w->tree);
        w->room = w->tree ? touches : 0;
        if (!w->tree) return error_set(err, ERR_MEMORY, "out of memory for %zu touches", touches);
    }
    if (w->tree) memset(w->tree, 0, (touches + 1) * sizeof *w->tree);
    w->n_tree = touches;
    w->time = 0;
    table_clear(&w->mine);
    return 0;
}

static int walk_warp(struct walk *w, const struct trace *trace, const struct trace_warp *warp, unsigned line_shift,
                     struct error *err)
{
    const uint32_t *words = trace->accesses + warp->first_access;
    uint64_t addresses[TRACE_LANES];
    if (warp_begin(w, trace, warp, err) < 0) return -1;
    for (uint64_t i = 0; i < warp->n_steps; i++) {
        const struct trace_step *s = &trace->steps[warp->first_step + i];
        const struct trace_inst *inst = &trace->code[s->inst];
        const bool is_access = inst->cls == TRACE_LOAD || inst->cls == TRACE_STORE || inst->cls == TRACE_ATOMIC;
        if (!is_access || !s->mask) continue;
        words += trace_access_decode(words, s->mask, addresses);
        if (inst->cls == TRACE_LOAD && inst->space == TRACE_SPACE_GLOBAL &&
            touch_load(w, inst, s->mask, addresses, line_shift, err) < 0)
            return -1;
    }
    w->out->warps += w->mine.n > 0;
    w->out->warp_lines += w->mine.n;
    return 0;
}

int trace_locality(struct trace_locality *out, const struct trace *trace, uint32_t line_bytes, struct error *err)
{
    *out = (struct trace_locality){.insts = trace->n_steps};
    if (line_bytes == 0 || (line_bytes & (line_bytes - 1)))
        return error_set(err, ERR_INPUT, "lines of %u bytes: a power of two is needed", (unsigned)line_bytes);
    struct walk w = {.out = out};
    int result = 0;
    for (uint64_t i = 0; i < trace->n_warps && result == 0; i++)
        result = walk_warp(&w, trace, &trace->warps[i], (unsigned)__builtin_ctz(line_bytes), err);
    out->lines = w.all.n;
    out->inter_touches = out->warp_lines - out->lines;
    free(w.mine.keys);
    free(w.mine.values);
    free(w.all.keys);
    free(w.all.values);
    free(w.tree);
    return result;
}

double trace_locality_in(const struct trace_locality *l)
{
    return l->loads ? (double)(l->insts - l->loads) / (double)l->loads : 0;
}
double trace_locality_divergence(const struct trace_locality *l)
{
    return l->loads ? (double)l->touches / (double)l->loads : 0;
}
double trace_locality_working_set(const struct trace_locality *l)
{
    return l->warps ? (double)l->warp_lines / (double)l->warps : 0;
}
