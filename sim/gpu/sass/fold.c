/* What ptxas leaves out or joins: moves and parameters, constants in the offsets of addresses, and pairs of operations
 * for which there is one instruction. */
#include <string.h>
#include "poise/table.h"
#include "sass/sass_ir.h"

static bool is_plain(const struct sass_op *op) /* one result, and all lanes write it */
{
    return !op->is_gone && op->inst.n_dst == 1 && op->inst.dst[0] != SASS_NO_VALUE && !(op->inst.flags & TRACE_GUARDED);
}

/* The result is the source, or stands in the constant bank: no instruction where its register need not have it. */
static bool is_move(const struct sass_op *op)
{
    static const char *const names[] = {"mov.", "cvta.", "cvt.u32.u64", "cvt.s32.s64", "cvt.u32.s64", "cvt.s32.u64"};
    if (!is_plain(op) || op->inst.n_src != 1) return false;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (sass_is(op->name, names[i])) return true;
    return false;
}

static bool is_parameter(const struct sass_op *op)
{
    return op->inst.cls == TRACE_LOAD && op->inst.space == TRACE_SPACE_PARAM && !(op->inst.flags & TRACE_GUARDED);
}

/* In place of value v, from operation i on: others. Registers that keep their names must not have been written. */
static void replace(struct sass_region *r, uint32_t i, uint16_t v, uint16_t by)
{
    for (; i < r->n_ops; i++)
        for (uint32_t k = 0; k < r->ops[i].inst.n_src; k++)
            if (r->ops[i].inst.src[k] == v) r->ops[i].inst.src[k] = by;
}

/* The register of this value is written again by operation i, or before it. */
static bool is_lost(const struct sass_region *r, uint16_t v, uint32_t i)
{
    if (!r->values[v].stays) return false;
    for (uint32_t w = 0; w < r->n_values; w++)
        if (w != v && r->values[w].reg == r->values[v].reg && r->values[w].stays && r->values[w].def != SASS_BEFORE &&
            (r->values[v].def == SASS_BEFORE || r->values[w].def > r->values[v].def) && r->values[w].def <= i)
            return true;
    return false;
}

/* The last operation that reads it. */
static uint32_t last_use(const struct sass_region *r, uint16_t v, uint32_t i)
{
    uint32_t last = i;
    for (; i < r->n_ops; i++)
        for (uint32_t k = 0; k < r->ops[i].inst.n_src; k++)
            if (r->ops[i].inst.src[k] == v) last = i;
    return last;
}

static void drop_moves(struct sass_region *r)
{
    for (uint32_t i = 0; i < r->n_ops; i++) {
        struct sass_op *op = &r->ops[i];
        if (is_parameter(op)) {
            for (uint32_t k = 0; k < op->inst.n_dst; k++) {
                if (op->inst.dst[k] == SASS_NO_VALUE) continue;
                replace(r, i + 1, op->inst.dst[k], SASS_NO_VALUE);
                r->values[op->inst.dst[k]].leaves = false;
            }
            op->is_gone = true;
            continue;
        }
        if (!is_move(op)) continue;
        const uint16_t to = op->inst.dst[0], from = op->inst.src[0];
        if (from != SASS_NO_VALUE && is_lost(r, from, last_use(r, to, i))) continue;
        replace(r, i + 1, to, from);
        op->is_gone = !r->values[to].stays;
    }
}

/* ---- constants in addresses ---- */

static bool same_roots(const struct sass_region *r, const struct sass_op *a, const struct sass_op *b)
{
    if (a->inst.n_src != b->inst.n_src || strcmp(a->name, b->name) != 0) return false;
    for (uint32_t k = 0; k < a->inst.n_src; k++) {
        const uint16_t x = a->inst.src[k], y = b->inst.src[k];
        if (x == y) continue;
        if (x == SASS_NO_VALUE || y == SASS_NO_VALUE || r->values[x].root != r->values[y].root) return false;
    }
    return true;
}

static bool is_add(const struct sass_op *op)
{
    return is_plain(op) && (sass_is(op->name, "add.s32") || sass_is(op->name, "add.u32") ||
                            sass_is(op->name, "add.s64") || sass_is(op->name, "add.u64"));
}

/* Sums that differ by a constant have one root: x + 4, and a + (x + 4) of a + x. */
static void find_roots(struct sass_region *r)
{
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const struct sass_op *op = &r->ops[i];
        if (!is_add(op)) continue;
        struct sass_value *to = &r->values[op->inst.dst[0]];
        if (op->inst.n_src == 1 && op->inst.src[0] != SASS_NO_VALUE) to->root = r->values[op->inst.src[0]].root;
        for (uint32_t k = 0; k < i && op->inst.n_src == 2; k++)
            if (is_add(&r->ops[k]) && same_roots(r, &r->ops[k], op)) {
                to->root = r->values[r->ops[k].inst.dst[0]].root;
                break;
            }
    }
}

static void shorten_addresses(struct sass_region *r)
{
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const int k = r->ops[i].is_gone ? -1 : sass_address(&r->ops[i]);
        if (k < 0 || r->ops[i].inst.src[k] == SASS_NO_VALUE) continue;
        const uint16_t root = r->values[r->ops[i].inst.src[k]].root;
        if (!is_lost(r, root, i)) r->ops[i].inst.src[k] = root;
    }
}

/* Sums of which only a constant is added go back to the root themselves: x + 4 + 4 is x + 8. */
static void shorten_sums(struct sass_region *r)
{
    for (uint32_t i = 0; i < r->n_ops; i++) {
        struct trace_inst *inst = &r->ops[i].inst;
        if (!is_add(&r->ops[i]) || inst->n_src != 1 || inst->src[0] == SASS_NO_VALUE) continue;
        const uint16_t root = r->values[inst->src[0]].root;
        const uint32_t def = r->values[root].def;
        /* that of the same register, before its write */
        if (root != inst->dst[0] && (def == SASS_BEFORE || def < i) && (i == 0 || !is_lost(r, root, i - 1)))
            inst->src[0] = root;
    }
}

/* ---- pairs that are one instruction ---- */

static const struct {
    const char *first, *second, *to; /* what the first begins with, its only reader, and the instruction's name */
    uint8_t cls;
} pairs[] = {
    {"mul.wide.", "add.s64", "mad.wide", TRACE_INT_MUL},
    {"mul.wide.", "add.u64", "mad.wide", TRACE_INT_MUL},
    {"mul.lo.s32", "add.s32", "mad.lo.s32", TRACE_INT_MUL},
    {"mul.lo.u32", "add.u32", "mad.lo.s32", TRACE_INT_MUL},
    {"shl.b32", "add.s32", "lea.b32", TRACE_INT},
    {"shl.b32", "add.u32", "lea.b32", TRACE_INT},
    {"shl.b64", "add.s64", "lea.b64", TRACE_INT},
    {"shl.b64", "add.u64", "lea.b64", TRACE_INT},
    {"add.s32", "add.s32", "add3.s32", TRACE_INT},
    {"and.b32", "and.b32", "lop3.b32", TRACE_INT},
    {"and.b32", "or.b32", "lop3.b32", TRACE_INT},
    {"and.b32", "xor.b32", "lop3.b32", TRACE_INT},
    {"or.b32", "and.b32", "lop3.b32", TRACE_INT},
    {"or.b32", "or.b32", "lop3.b32", TRACE_INT},
    {"xor.b32", "and.b32", "lop3.b32", TRACE_INT},
    {"xor.b32", "xor.b32", "lop3.b32", TRACE_INT},
    {"not.b32", "and.b32", "lop3.b32", TRACE_INT},
    {"not.b32", "or.b32", "lop3.b32", TRACE_INT},
    {"neg.f32", "", NULL, 0},
    {"abs.f32", "", NULL, 0}, /* signs of a source */
    {"neg.s32", "add.", NULL, 0},
};

/* Its sources take the place of the value that it made. */
static bool take_sources(struct trace_inst *into, const struct trace_inst *from)
{
    uint32_t n = 0, k;
    uint16_t src[TRACE_MAX_SRC];
    for (k = 0; k < into->n_src; k++)
        if (into->src[k] != from->dst[0]) src[n++] = into->src[k];
    if (n + from->n_src > TRACE_MAX_SRC) return false;
    for (k = 0; k < from->n_src; k++) src[n++] = from->src[k];
    memcpy(into->src, src, n * sizeof *src);
    into->n_src = (uint8_t)n;
    return true;
}

static bool fits_pair(const struct sass_region *r, uint32_t i, const struct sass_op *second, size_t p)
{
    const struct sass_op *first = &r->ops[i];
    if (!sass_is(first->name, pairs[p].first) || !sass_is(second->name, pairs[p].second)) return false;
    if (second->inst.flags & TRACE_GUARDED || trace_class_is_memory(second->inst.cls)) return false;
    const uint32_t at = (uint32_t)(second - r->ops);
    for (uint32_t k = 0; k < first->inst.n_src; k++)
        if (first->inst.src[k] != SASS_NO_VALUE && at && is_lost(r, first->inst.src[k], at - 1)) return false;
    /* three sources at most: of sums, two registers and a third */
    return pairs[p].to == NULL || first->inst.n_src + second->inst.n_src <= 4;
}

static void join(struct sass_region *r, uint32_t i)
{
    struct sass_op *first = &r->ops[i];
    const uint16_t v = first->inst.dst[0];
    if (r->values[v].uses != 1 || r->values[v].stays) return;
    uint32_t k = i + 1;
    const struct sass_op *reader = NULL;
    for (; k < r->n_ops && !reader; k++)
        for (uint32_t s = 0; s < r->ops[k].inst.n_src && !r->ops[k].is_gone; s++)
            if (r->ops[k].inst.src[s] == v) reader = &r->ops[k];
    if (!reader) return;
    struct sass_op *second = &r->ops[reader - r->ops];
    for (size_t p = 0; p < COUNT_OF(pairs); p++) {
        if (!fits_pair(r, i, second, p) || !take_sources(&second->inst, &first->inst)) continue;
        first->is_gone = true;
        if (!pairs[p].to) return;
        second->name = pairs[p].to;
        second->inst.cls = pairs[p].cls;
        return;
    }
}

/* Results that nobody reads. */
static void drop_unread(struct sass_region *r)
{
    for (uint32_t i = r->n_ops; i-- > 0;) {
        struct sass_op *op = &r->ops[i];
        if (op->is_gone || op->inst.cls > TRACE_SFU || op->inst.n_dst == 0) continue;
        bool is_read = false;
        for (uint32_t k = 0; k < op->inst.n_dst; k++)
            is_read |= op->inst.dst[k] == SASS_NO_VALUE || r->values[op->inst.dst[k]].uses ||
                       r->values[op->inst.dst[k]].stays || op->inst.flags & TRACE_GUARDED;
        if (is_read) continue;
        op->is_gone = true;
        for (uint32_t k = 0; k < op->inst.n_src; k++)
            if (op->inst.src[k] != SASS_NO_VALUE) r->values[op->inst.src[k]].uses--;
    }
}

/* Between the rounds of a loop nobody jumps. */
static void drop_jumps(struct sass_region *r)
{
    for (uint32_t i = 0; i + 1 < r->n_ops; i++) r->ops[i].is_gone |= r->ops[i].inst.cls == TRACE_BRANCH;
}

void sass_fold(struct sass_region *r)
{
    drop_jumps(r);
    drop_moves(r);
    find_roots(r);
    shorten_addresses(r);
    shorten_sums(r);
    sass_count_uses(r);
    drop_unread(r);
    for (uint32_t i = 0; i < r->n_ops; i++)
        if (is_plain(&r->ops[i])) join(r, i);
}
