/* Where generic addresses come from. A value that cvta.shared, cvta.local or cvta.param made, and whatever is copied
 * from it or moved along in its space, leads to shared or local memory or to the kernel's parameters; so do the generic
 * accesses through it, and the trace says so. The analysis looks at registers as a whole: one definition of another
 * origin and nothing is said. */
#include <stdlib.h>
#include <string.h>
#include "lower/lower.h"

#define MAX_PASSES 100 /* loops need two or three; beyond that nothing is said */

enum origin { NOT_YET, INTEGER, FROM_SHARED, FROM_LOCAL, FROM_PARAM, ANYWHERE };

static bool named(const struct lower *l, size_t i, const char *text)
{
    return !strncmp(l->kernel->strings + l->insts[i].name, text, strlen(text));
}

static enum origin join(enum origin a, enum origin b)
{
    return a == NOT_YET || a == b ? b : b == NOT_YET ? a : ANYWHERE;
}

static bool is_pointer(enum origin o) { return o == FROM_SHARED || o == FROM_LOCAL || o == FROM_PARAM; }

/* A sum or difference of a pointer and something that is none stays in the pointer's space. */
static enum origin sum(enum origin a, enum origin b)
{
    if (a == NOT_YET || b == NOT_YET) return NOT_YET;
    const bool pa = is_pointer(a), pb = is_pointer(b);
    if (pa && pb) return ANYWHERE;
    if (pa || pb) return (pa ? b : a) == INTEGER ? (pa ? a : b) : ANYWHERE;
    return a == INTEGER && b == INTEGER ? INTEGER : ANYWHERE;
}

/* The origin of what instruction i computes. */
static enum origin computed(const struct lower *l, const uint8_t *origin, size_t i)
{
    const struct uop *u = &l->code[i];
    const struct uses *r = &l->uses[i];
    enum origin all = NOT_YET;
    if (u->kind == UOP_LANE && named(l, i, "cvta.shared")) return FROM_SHARED;
    if (u->kind == UOP_LANE && named(l, i, "cvta.local")) return FROM_LOCAL;
    if (u->kind == UOP_LANE && named(l, i, "cvta.param")) return FROM_PARAM;
    const bool copies =
        (u->kind == UOP_LANE && (named(l, i, "mov.") || named(l, i, "selp."))) ||
        ((u->kind == UOP_LOAD_ARG || u->kind == UOP_STORE_ARG) && u->b == 8 && u->bytes == 8 && u->n_vec == 1);
    if (copies) {
        for (uint32_t k = 0; k < r->n_src; k++)
            if (l->regs[r->src[k]].type != T_PRED) all = join(all, (enum origin)origin[r->src[k]]);
        return r->n_src ? all : INTEGER; /* a constant */
    }
    if (u->kind == UOP_LANE && (named(l, i, "add.") || named(l, i, "sub."))) {
        if (!r->n_src) return INTEGER;
        return sum((enum origin)origin[r->src[0]], r->n_src > 1 ? (enum origin)origin[r->src[1]] : INTEGER);
    }
    /* what multiplies, shifts or widens makes integers, not pointers */
    if (u->kind == UOP_LANE &&
        (named(l, i, "mul.") || named(l, i, "shl.") || named(l, i, "cvt.") || named(l, i, "mad.")))
        return INTEGER;
    if (u->kind != UOP_LANE) return ANYWHERE;
    for (uint32_t k = 0; k < r->n_src; k++) { /* and, or, shr ...: integers of integers */
        if (origin[r->src[k]] == NOT_YET) return NOT_YET;
        if (origin[r->src[k]] != INTEGER && type_bits(l->regs[r->src[k]].type) == 64) return ANYWHERE;
    }
    return INTEGER;
}

/* The window of parameters lies within that of global memory, so ld.global may read them. [PTX ISA, generic
 * addressing] */
static void loads_of_parameters(struct lower *l)
{
    for (size_t i = 0; i < l->n_code; i++) {
        struct uop *u = &l->code[i];
        if (u->kind != UOP_LOAD || u->space != SP_GLOBAL) continue;
        u->space = SP_GENERIC;
        u->proven = SP_GLOBAL;
    }
}

int provenance(struct lower *l)
{
    static const struct { /* by origin */
        enum space space;
        enum trace_space shown;
    } spaces[] = {[FROM_SHARED] = {SP_SHARED, TRACE_SPACE_SHARED},
                  [FROM_LOCAL] = {SP_LOCAL, TRACE_SPACE_LOCAL},
                  [FROM_PARAM] = {SP_PARAM, TRACE_SPACE_PARAM}};
    bool any = l->kernel->has_generic_params;
    if (any) loads_of_parameters(l);
    for (size_t i = 0; i < l->n_code && !any; i++) any = named(l, i, "cvta.shared") || named(l, i, "cvta.local");
    if (!any || l->kernel->n_callees) return 0; /* with frames, arguments come from many places */
    uint8_t *origin = calloc(l->n_regs + 1, 1);
    if (!origin) return lower_memory(l), -1;
    bool changed = true;
    for (int pass = 0; changed && pass < MAX_PASSES; pass++) {
        changed = false;
        for (size_t i = 0; i < l->n_code; i++) {
            const struct uses *r = &l->uses[i];
            if (!r->n_dst) continue;
            const enum origin from = computed(l, origin, i);
            for (uint32_t k = 0; k < r->n_dst; k++) {
                const bool wide = type_bits(l->regs[r->dst[k]].type) == 64; /* a pointer needs 64 bits */
                const enum origin now = join((enum origin)origin[r->dst[k]], wide ? from : INTEGER);
                changed |= now != origin[r->dst[k]];
                origin[r->dst[k]] = (uint8_t)now;
            }
        }
    }
    for (size_t i = 0; i < l->n_code && !changed; i++) {
        struct uop *u = &l->code[i];
        if ((u->kind != UOP_LOAD && u->kind != UOP_STORE && u->kind != UOP_ATOMIC) || u->space != SP_GENERIC) continue;
        uint32_t base = NO_INDEX;
        for (uint32_t k = 0; k < l->uses[i].n_src; k++)
            if (l->regs[l->uses[i].src[k]].slot == u->a) base = l->uses[i].src[k];
        if (base == NO_INDEX || !is_pointer((enum origin)origin[base])) continue;
        if (origin[base] == FROM_PARAM && u->kind != UOP_LOAD) continue; /* an error, if it is ever executed */
        u->proven = (uint8_t)spaces[origin[base]].space;
        l->insts[i].space = (uint8_t)spaces[origin[base]].shown;
    }
    free(origin);
    return 0;
}
