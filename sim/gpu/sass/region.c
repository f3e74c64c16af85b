/* Regions: from instructions and registers to operations and values, and back. */
#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"
#include "sass/sass_ir.h"

int sass_ops_room(struct sass_region *r, uint32_t more, struct error *err)
{
    if (array_reserve(&r->ops, &r->cap_ops, r->n_ops + more, sizeof *r->ops)) return 0;
    return error_set(err, ERR_MEMORY, "no memory for a block of %u instructions", r->n_ops + more);
}

uint16_t sass_value_new(struct sass_region *r, uint16_t reg, uint32_t def)
{
    const uint16_t v = (uint16_t)r->n_values++;
    r->values[v] = (struct sass_value){.reg = reg, .root = v, .def = def, .weight = 1};
    return v;
}

void sass_count_uses(struct sass_region *r)
{
    for (uint32_t v = 0; v < r->n_values; v++) r->values[v].uses = 0;
    for (uint32_t i = 0; i < r->n_ops; i++)
        for (uint32_t k = 0; k < r->ops[i].inst.n_src && !r->ops[i].is_gone; k++)
            if (r->ops[i].inst.src[k] != SASS_NO_VALUE) r->values[r->ops[i].inst.src[k]].uses++;
}

void sass_drop_gone(struct sass_region *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_ops; i++)
        if (!r->ops[i].is_gone) r->ops[n++] = r->ops[i];
    r->n_ops = n;
    sass_count_uses(r);
}

static uint8_t weight_of(const char *name)
{
    if (sass_is(name, "setp")) return 0;
    const size_t n = strlen(name);
    return (n > 2 && strcmp(name + n - 2, "64") == 0) || strstr(name, ".wide") ? 2 : 1;
}

uint8_t sass_latency(const struct trace_inst *inst)
{
    switch (inst->cls) {
    case TRACE_INT_MUL: return 5;
    case TRACE_DP: return 8;
    case TRACE_SFU:
    case TRACE_FP_DIV: return 20;
    case TRACE_INT_DIV:
    case TRACE_DP_DIV: return 100;
    case TRACE_TENSOR: return 16;
    case TRACE_ATOMIC:
    case TRACE_TEXTURE: return 100;
    case TRACE_LOAD: return inst->space == TRACE_SPACE_GLOBAL || inst->space == TRACE_SPACE_LOCAL ? 100 : 24;
    default: return 4;
    }
}

/* While the region is built: the value of each register, and what is known of it. */
struct building {
    uint16_t *now;  /* n registers */
    uint8_t *flags; /* n registers */
    uint32_t *own;  /* reads within the block */
};
enum { READ_FIRST = 1, IN_PART = 2 };

static void read_registers(struct sass_region *r, struct building *b, struct sass_op *op)
{
    for (uint32_t k = 0; k < op->inst.n_src; k++) {
        const uint16_t reg = op->inst.src[k];
        if (reg == TRACE_NO_REG) continue;
        if (b->now[reg] == SASS_NO_VALUE) {
            b->now[reg] = sass_value_new(r, reg, SASS_BEFORE);
            r->values[b->now[reg]].stays = true;
            b->flags[reg] |= READ_FIRST;
        }
        op->inst.src[k] = b->now[reg];
    }
}

static void write_registers(struct sass_region *r, struct building *b, struct sass_op *op, uint32_t index)
{
    for (uint32_t k = 0; k < op->inst.n_dst; k++) {
        const uint16_t reg = op->inst.dst[k];
        if (reg == TRACE_NO_REG) continue;
        b->now[reg] = op->inst.dst[k] = sass_value_new(r, reg, index);
        r->values[b->now[reg]].weight = weight_of(op->name);
        if (op->inst.flags & TRACE_GUARDED) b->flags[reg] |= IN_PART;
    }
}

static void add_steps(struct sass_region *r, const struct trace *trace, struct building *b)
{
    for (uint32_t p = 0; p < r->length * r->copies; p++) {
        struct sass_op *op = &r->ops[r->n_ops];
        *op = (struct sass_op){.inst = trace->code[r->first + p % r->length], .n_members = 1};
        op->name = trace->strings + op->inst.name;
        op->member[0] = (uint16_t)p;
        read_registers(r, b, op);
        write_registers(r, b, op, r->n_ops++);
    }
}

int sass_region_build(struct sass_region *r, const struct trace *trace, const struct sass_registers *registers,
                      struct error *err)
{
    const uint32_t steps = r->length * r->copies, n = registers->n + 1;
    r->cap_values = steps * (TRACE_MAX_DST + TRACE_MAX_SRC) + 1;
    r->values = calloc(r->cap_values, sizeof *r->values);
    struct building b = {malloc(n * sizeof *b.now), calloc(n, 1), calloc(n, sizeof *b.own)};
    int result = 0;
    if (!r->values || !b.now || !b.flags || !b.own || sass_ops_room(r, steps, err) < 0) {
        result = error_set(err, ERR_MEMORY, "no memory for a block of %u instructions", steps);
        goto done;
    }
    memset(b.now, 0xff, n * sizeof *b.now);
    add_steps(r, trace, &b);
    for (uint32_t i = r->first; i < r->first + r->length; i++)
        for (uint32_t k = 0; k < trace->code[i].n_src; k++)
            if (trace->code[i].src[k] != TRACE_NO_REG) b.own[trace->code[i].src[k]]++;
    for (uint32_t v = 0; v < r->n_values; v++) {
        struct sass_value *value = &r->values[v];
        if (b.flags[value->reg] & IN_PART) value->stays = true;
        if (b.now[value->reg] != v) continue;
        value->leaves = b.flags[value->reg] & READ_FIRST || registers->uses[value->reg] > b.own[value->reg];
        value->stays |= value->leaves;
    }
done:
    free(b.now);
    free(b.flags);
    free(b.own);
    return result;
}

void sass_region_free(struct sass_region *r)
{
    free(r->ops);
    free(r->values);
    for (uint32_t i = 0; i < r->n_instances; i++) free(r->instances[i].accesses);
    *r = (struct sass_region){0};
}

int sass_address(const struct sass_op *op)
{
    const struct trace_inst *inst = &op->inst;
    if (inst->flags & TRACE_GUARDED) return -1;
    if (inst->cls == TRACE_LOAD) return inst->n_src == 1 ? 0 : -1;
    if (inst->cls != TRACE_STORE) return -1;
    const char *vector = strstr(op->name, ".v");
    const uint32_t data = vector && (vector[2] == '2' || vector[2] == '4') ? (uint32_t)(vector[2] - '0') : 1;
    return inst->n_src == data + 1 ? 0 : -1; /* the address is named first; data may be numbers, or stand twice */
}

static uint64_t base_of(const uint32_t *access) { return (uint64_t)access[2] << 32 | access[1]; }

bool sass_apart(const uint32_t *a, const uint32_t *b, uint32_t mask, int64_t *bytes)
{
    if (a[0] != b[0] || a[0] == TRACE_ACCESS_SCATTER64) return false;
    *bytes = (int64_t)(base_of(b) - base_of(a));
    return memcmp(a + 3, b + 3, (trace_access_words(a, mask) - 3) * sizeof *a) == 0; /* behind the base */
}

bool sass_aligned(const uint32_t *access, uint32_t mask, uint32_t bytes)
{
    uint32_t bits = access[1];
    if (access[0] == TRACE_ACCESS_SCATTER64) return false;
    if (access[0] == TRACE_ACCESS_STRIDED) bits |= access[3];
    if (access[0] == TRACE_ACCESS_SCATTER32)
        for (int k = __builtin_popcount(mask); k-- > 0;) bits |= access[3 + k];
    return bits % bytes == 0;
}

/* ---- registers of values ---- */

/* Names of values that do not keep theirs: the lowest that is free, above those of the trace. */
struct naming {
    uint16_t *name;    /* of each value */
    uint32_t *last;    /* the operation that reads it last */
    uint8_t *is_taken; /* n_values */
    uint32_t n_regs, most;
};

static void name_op(struct sass_region *r, struct naming *n, uint32_t i)
{
    struct trace_inst *inst = &r->ops[i].inst;
    for (uint32_t k = 0; k < inst->n_src; k++) {
        const uint16_t v = inst->src[k];
        if (v == SASS_NO_VALUE) continue;
        inst->src[k] = n->name[v];
        if (n->last[v] == i && n->name[v] >= n->n_regs) n->is_taken[n->name[v] - n->n_regs] = 0;
    }
    for (uint32_t k = 0; k < inst->n_dst; k++) {
        const uint16_t v = inst->dst[k];
        if (v == SASS_NO_VALUE) continue;
        if (!r->values[v].stays && n->name[v] == SASS_NO_VALUE) {
            uint32_t at = 0;
            while (n->is_taken[at]) at++;
            n->is_taken[at] = n->last[v] > i;
            n->name[v] = (uint16_t)(n->n_regs + at);
            if (at >= n->most) n->most = at + 1;
        }
        inst->dst[k] = n->name[v];
    }
}

int sass_name(struct sass_region *r, uint32_t n_regs, uint32_t *most, struct error *err)
{
    struct naming n = {malloc((r->n_values + 1) * sizeof *n.name), calloc(r->n_values + 1, sizeof *n.last),
                       calloc(r->n_values + 1, 1), n_regs, *most};
    int result = 0;
    if (!n.name || !n.last || !n.is_taken) {
        result = error_set(err, ERR_MEMORY, "no memory for %u registers", r->n_values);
        goto done;
    }
    for (uint32_t v = 0; v < r->n_values; v++) n.name[v] = r->values[v].stays ? r->values[v].reg : SASS_NO_VALUE;
    for (uint32_t i = 0; i < r->n_ops; i++)
        for (uint32_t k = 0; k < r->ops[i].inst.n_src; k++)
            if (r->ops[i].inst.src[k] != SASS_NO_VALUE) n.last[r->ops[i].inst.src[k]] = i;
    for (uint32_t i = 0; i < r->n_ops; i++) name_op(r, &n, i);
    *most = n.most;
done:
    free(n.name);
    free(n.last);
    free(n.is_taken);
    return result;
}
