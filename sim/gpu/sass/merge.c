/* Neighbouring accesses become one of 64 or 128 bits: those of one root in their addresses that lay side by side each
 * time that was looked at, and so aligned. ptxas knows the alignment of shared memory and of constants, and not that of
 * a pointer. */
#include <string.h>
#include "sass/sass_ir.h"

/* At a time: where the access of an operation stands. */
static const uint32_t *access_of(const struct sass_instance *at, const struct sass_op *op)
{
    return at->accesses[op->member[0]];
}

static bool may_merge(const struct sass_op *op, bool global)
{
    const struct trace_inst *i = &op->inst;
    const bool is_constant = i->space == TRACE_SPACE_CONST, is_shared = i->space == TRACE_SPACE_SHARED;
    if (op->is_gone || (i->cls != TRACE_LOAD && i->cls != TRACE_STORE) || i->flags & (TRACE_GUARDED | TRACE_VOLATILE))
        return false;
    return is_shared || (is_constant && i->cls == TRACE_LOAD) || (global && i->space == TRACE_SPACE_GLOBAL);
}

static uint16_t root_of(const struct sass_op *op)
{
    const int k = sass_address(op);
    return k < 0 ? SASS_NO_VALUE : op->inst.src[k];
}

/* b lies `bytes` behind a, each time. */
static bool lies_behind(const struct sass_region *r, const struct sass_op *a, const struct sass_op *b, int64_t bytes)
{
    for (uint32_t t = 0; t < r->n_instances; t++) {
        const struct sass_instance *at = &r->instances[t];
        const uint32_t mask = at->steps[a->member[0]].mask;
        const uint32_t *x = access_of(at, a), *y = access_of(at, b);
        int64_t apart;
        if (mask == 0) continue;
        if (!x || !y || at->steps[b->member[0]].mask != mask || !sass_apart(x, y, mask, &apart) || apart != bytes)
            return false;
    }
    return r->n_instances > 0;
}

static bool is_aligned(const struct sass_region *r, const struct sass_op *op, uint32_t bytes)
{
    for (uint32_t t = 0; t < r->n_instances; t++) {
        const struct sass_instance *at = &r->instances[t];
        const uint32_t mask = at->steps[op->member[0]].mask;
        if (mask && (!access_of(at, op) || !sass_aligned(access_of(at, op), mask, bytes))) return false;
    }
    return true;
}

/* Between a and b nothing orders memory, or writes to the same (for stores: reads it). */
static bool may_meet(const struct sass_region *r, uint32_t a, uint32_t b)
{
    const struct trace_inst *inst = &r->ops[a].inst;
    for (uint32_t i = a + 1; i < b; i++) {
        const struct trace_inst *x = &r->ops[i].inst;
        if (r->ops[i].is_gone) continue;
        if (sass_orders(x)) return false;
        if (!trace_class_is_memory(x->cls) || (x->space != inst->space && x->space != TRACE_SPACE_GLOBAL)) continue;
        if (inst->cls == TRACE_LOAD ? x->cls != TRACE_LOAD : x->cls != TRACE_STORE) return false;
    }
    return true;
}

/* The operation that lies `bytes` behind `op`, and can be done together with it; or none. */
static uint32_t neighbour(const struct sass_region *r, uint32_t op, int64_t bytes, bool global)
{
    const struct sass_op *a = &r->ops[op];
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const struct sass_op *b = &r->ops[i];
        if (i == op || !may_merge(b, global) || b->n_members != 1 || b->inst.cls != a->inst.cls ||
            b->inst.space != a->inst.space || b->inst.bytes != a->inst.bytes || b->inst.cache_op != a->inst.cache_op ||
            root_of(a) != root_of(b))
            continue;
        if (lies_behind(r, a, b, bytes) && may_meet(r, op < i ? op : i, op < i ? i : op)) return i;
    }
    return SASS_BEFORE;
}

static bool add_member(struct sass_op *to, const struct sass_op *from)
{
    struct trace_inst *inst = &to->inst;
    const uint32_t shared = root_of(from) != SASS_NO_VALUE; /* its address is that of `to` */
    if (inst->n_dst + from->inst.n_dst > TRACE_MAX_DST || inst->n_src + from->inst.n_src - shared > TRACE_MAX_SRC)
        return false;
    for (uint32_t k = 0; k < from->inst.n_dst; k++) inst->dst[inst->n_dst++] = from->inst.dst[k];
    for (uint32_t k = shared; k < from->inst.n_src; k++) inst->src[inst->n_src++] = from->inst.src[k];
    inst->bytes = (uint8_t)(inst->bytes + from->inst.bytes);
    to->member[to->n_members++] = from->member[0];
    return true;
}

/* Loads go where the first of them stood, stores where the last did. */
static void merge_at(struct sass_region *r, uint32_t first, const uint32_t *at, uint32_t n)
{
    struct sass_op merged = r->ops[first];
    uint32_t place = first;
    for (uint32_t k = 0; k + 1 < n; k++) {
        if (!add_member(&merged, &r->ops[at[k]])) return;
        if (merged.inst.cls == TRACE_LOAD ? at[k] < place : at[k] > place) place = at[k];
    }
    r->ops[first].is_gone = true;
    for (uint32_t k = 0; k + 1 < n; k++) r->ops[at[k]].is_gone = true;
    r->ops[place] = merged;
    for (uint32_t k = 0; k < merged.inst.n_dst; k++)
        if (merged.inst.dst[k] != SASS_NO_VALUE) r->values[merged.inst.dst[k]].def = place;
}

static void merge_from(struct sass_region *r, uint32_t i, uint32_t width, bool global)
{
    const uint32_t bytes = r->ops[i].inst.bytes, n = width / bytes;
    uint32_t at[SASS_MEMBERS];
    if (n < 2 || n > SASS_MEMBERS || !is_aligned(r, &r->ops[i], width)) return;
    for (uint32_t k = 1; k < n; k++)
        if ((at[k - 1] = neighbour(r, i, (int64_t)k * bytes, global)) == SASS_BEFORE) return;
    merge_at(r, i, at, n);
}

void sass_merge(struct sass_region *r, bool global)
{
    for (uint32_t width = 16; width >= 8; width /= 2)
        for (uint32_t i = 0; i < r->n_ops; i++) {
            const struct sass_op *op = &r->ops[i];
            if (!may_merge(op, global) || op->n_members != 1 || op->inst.bytes < 4 || op->inst.bytes >= width) continue;
            if (op->inst.space == TRACE_SPACE_CONST && width > 8) continue; /* LDC has no 128 bits [Volta] */
            merge_from(r, i, width, global);
        }
}
