/* PTX operations that are several instructions, or one of another unit: counted in what ptxas 13.0 makes of them for
 * sm_75 (sm_80 agrees within one; count.py prints them), the usual way alone where special cases are called apart.
 * A letter an instruction:
 *   i integer, logic, move     x multiply-add of integers     f add, compare of floats     F multiply-add of floats
 *   m MUFU, conversions, POPC, FLO, FCHK (a quarter of the rate)     d doubles     b branch
 * A letter waits for the one before it; behind a '|' stand instructions that wait for nothing in the row. */
#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"
#include "poise/table.h"
#include "sass/sass_ir.h"

static const struct {
    const char *begins, *pieces;
} rows[] = {
    {"div.s32", "immimxxxxxxixiixi|xiiiiii"},
    {"div.u32", "mmimxxxxiiiii|xxiii"},
    {"rem.s32", "immimixxxxxixixi|xiiiii"},
    {"rem.u32", "mmimxxxxxiiiii|xii"},
    {"div.s64", "bmmimxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxib|iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"},
    {"div.u64", "bmmimxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxib|iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"},
    {"rem.s64", "bmmimxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxib|iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"},
    {"rem.u64", "bmmimxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxib|iiiiiiiiiiiiiiiiiiiiiiiiiiiiii"},
    {"div.rn.f32", "mFFFFFb|m"},
    {"div.rn.ftz.f32", "mFFFFFb|m"},
    {"div.full.f32", "fFmFF|fFF"},
    {"div.approx.f32", "fFmF|F"},
    {"div.full.ftz.f32", "mF"},
    {"div.approx.ftz.f32", "mF"},
    {"rcp.rn.f32", "mFfF|iiib"},
    {"rcp.rn.ftz.f32", "mFfF|iiib"},
    {"sqrt.rn.f32", "mFFFF|iib"},
    {"sqrt.rn.ftz.f32", "mFFFF|iib"},
    {"rcp.approx.f32", "fiFmF|fix"},
    {"sqrt.approx.f32", "fFmF"},
    {"rsqrt.approx.f32", "fFmF"},
    {"ex2.approx.f32", "fFmF"},
    {"lg2.approx.f32", "fFmf"},
    {"sin.approx", "Fm"},
    {"cos.approx", "Fm"},
    {"div.rn.f64", "mddddddddFfb|xf"},
    {"rcp.rn.f64", "imdddddfb"},
    {"sqrt.rn.f64", "imddddddiddb|xxxi"},
    {"popc.b32", "m"},
    {"clz.b32", "mi"},
    {"brev.b32", "m"},
    {"bfind.", "m"},
    {"bfe.", "ii"},
    {"bfi.", "ii"},
    {"add.s64", "ii"},
    {"add.u64", "ii"},
    {"sub.s64", "ii"},
    {"sub.u64", "ii"},
    {"and.b64", "i|i"},
    {"or.b64", "i|i"},
    {"xor.b64", "i|i"},
    {"not.b64", "i|i"},
    {"shl.b64", "i|i"},
    {"shr.u64", "i|i"},
    {"shr.s64", "i|i"},
    {"shr.b64", "i|i"},
    {"lea.b64", "ii"},
    {"min.s64", "iii|i"},
    {"min.u64", "iii|i"},
    {"max.s64", "iii|i"},
    {"max.u64", "iii|i"},
    {"selp.b64", "i|i"},
    {"selp.s64", "i|i"},
    {"selp.u64", "i|i"},
    {"selp.f64", "i|i"},
    {"mul.lo.s64", "xxxi"},
    {"mul.lo.u64", "xxxi"},
    {"mad.lo.s64", "xxxi"},
    {"mad.lo.u64", "xxxi"},
    {"mul.hi.s64", "xxxxixixixixii|iii"},
    {"mul.hi.u64", "xxixix|i"},
    {"mad.wide", "x"},
    {"mul24.", "iix"},
    {"cvt.rn.f32.s32", "m"},
    {"cvt.rn.f32.u32", "m"},
    {"cvt.rzi.s32.f32", "m"},
    {"cvt.rzi.u32.f32", "m"},
    {"cvt.rni.", "m"},
    {"cvt.rmi.", "m"},
    {"cvt.rpi.", "m"},
    {"cvt.rzi.", "m"},
    {"cvt.f64.", "m"},
    {"cvt.rn.f64.", "m"},
    {"cvt.rn.f32.", "m"},
    {"cvt.f32.f16", "i"},
};
/* Comparisons of 64 bits, whatever they ask. */
static const char *pieces_of(const struct sass_op *op)
{
    const size_t n = strlen(op->name);
    if (sass_is(op->name, "setp.") && n > 4 &&
        (strcmp(op->name + n - 4, ".s64") == 0 || strcmp(op->name + n - 4, ".u64") == 0))
        return "ii";
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (sass_is(op->name, rows[i].begins)) return rows[i].pieces;
    return NULL;
}

static uint8_t class_of(char letter)
{
    switch (letter) {
    case 'x': return TRACE_INT_MUL;
    case 'f': return TRACE_FP;
    case 'F': return TRACE_FP_MUL;
    case 'm': return TRACE_SFU;
    case 'd': return TRACE_DP;
    case 'b': return TRACE_BRANCH;
    default: return TRACE_INT;
    }
}

static int more_values(struct sass_region *r, uint32_t more, struct error *err)
{
    if (array_reserve(&r->values, &r->cap_values, r->n_values + more, sizeof *r->values)) return 0;
    return error_set(err, ERR_MEMORY, "no memory for %u values", r->n_values + more);
}

/* The pieces of one operation: a chain whose last writes the result, and others beside it. */
static int expand_op(struct sass_region *to, const struct sass_op *op, const char *pieces, struct error *err)
{
    const char *bar = strchr(pieces, '|');
    const uint32_t n = (uint32_t)strlen(pieces), chain = bar ? (uint32_t)(bar - pieces) : n;
    if (sass_ops_room(to, n, err) < 0 || more_values(to, n, err) < 0) return -1;
    uint16_t before = SASS_NO_VALUE;
    for (uint32_t k = 0; k < n; k++) {
        /* those beside it first: they wait for the sources alone */
        const uint32_t at = bar ? k < n - chain - 1 ? chain + 1 + k : k - (n - chain - 1) : k;
        if (bar && k == n - 1) break;
        struct sass_op *piece = &to->ops[to->n_ops];
        *piece = *op;
        piece->inst.cls = class_of(pieces[at]);
        const bool is_last = at == chain - 1, is_beside = at > chain;
        if (before != SASS_NO_VALUE && !is_beside && at > 0) {
            if (piece->inst.n_src == TRACE_MAX_SRC) piece->inst.n_src--;
            piece->inst.src[piece->inst.n_src++] = before;
        }
        if (!is_last) {
            piece->inst.n_dst = !is_beside;
            piece->inst.dst[0] = is_beside ? SASS_NO_VALUE : (before = sass_value_new(to, SASS_NO_VALUE, to->n_ops));
            for (uint32_t d = 1; d < TRACE_MAX_DST; d++) piece->inst.dst[d] = SASS_NO_VALUE;
        }
        to->n_ops++;
    }
    return 0;
}

int sass_expand(struct sass_region *r, struct error *err)
{
    struct sass_op *from = r->ops;
    const uint32_t n = r->n_ops;
    int result = 0;
    r->ops = NULL;
    r->n_ops = 0;
    r->cap_ops = 0;
    for (uint32_t i = 0; i < n && result == 0; i++) {
        if (from[i].is_gone) continue;
        const bool is_memory = trace_class_is_memory(from[i].inst.cls);
        const char *pieces = is_memory ? NULL : pieces_of(&from[i]);
        if (pieces) result = expand_op(r, &from[i], pieces, err);
        else if ((result = sass_ops_room(r, 1, err)) == 0) r->ops[r->n_ops++] = from[i];
    }
    free(from);
    return result;
}
