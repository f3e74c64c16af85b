/* mov, cvta, comparisons and selections. */
#include <stdio.h>
#include <string.h>
#include "lower/lower.h"

/* The last modifier as a type; T_NONE if it is none. */
static enum ptx_type last_type(const struct lower *l)
{
    return l->inst->n_mods ? type_named(l->inst->mods[l->inst->n_mods - 1]) : T_NONE;
}

/* mov.b64 {lo, hi}, %rd and back: op = bits of an element. */
static bool mov_vector(struct lower *l, uint32_t width)
{
    const struct operand *d = operand_at(l, 0), *s = operand_at(l, 1);
    if (!d || !s || (d->kind != OPND_VECTOR && s->kind != OPND_VECTOR)) return false;
    const struct operand *v = d->kind == OPND_VECTOR ? d : s;
    if ((v->n != 2 && v->n != 4) || width / v->n < 16 || (d->kind == OPND_VECTOR && s->kind == OPND_VECTOR)) {
        lower_unknown(l);
        return true;
    }
    const uint32_t element = width / v->n;
    l->u.n_vec = (uint8_t)v->n;
    l->u.op = (uint8_t)element;
    l->u.width = (uint8_t)width;
    if (v == s) {
        for (uint32_t i = 0; i < v->n; i++) l->u.vec[i] = source(l, &v->items[i], element, false);
        l->u.d = dest(l, d, width);
        emit(l, UOP_PACK, TRACE_INT);
    } else {
        l->u.a = source(l, s, width, false);
        for (uint32_t i = 0; i < v->n; i++)
            l->u.vec[i] = v->items[i].kind == OPND_SINK ? NO_SLOT : dest(l, &v->items[i], element);
        emit(l, UOP_UNPACK, TRACE_INT);
    }
    return true;
}

void decode_mov(struct lower *l)
{
    const enum ptx_type type = last_type(l);
    const uint32_t width = type_bits(type);
    const struct operand *s = operand_at(l, 1);
    need_operands(l, 2, 2);
    if (l->failed) return;
    if (type == T_PRED) {
        decode_pred_logic(l);
        return;
    }
    if (l->inst->n_mods != 1 || width < 16) {
        lower_unknown(l);
        return;
    }
    if (mov_vector(l, width)) return;
    if (s->kind == OPND_SPECIAL && s->reg >= FIRST_DYNAMIC_SPECIAL) {
        l->u.d = dest_at(l, 0, width);
        l->u.op = (uint8_t)s->reg;
        l->u.width = (uint8_t)width;
        emit(l, UOP_CLOCK, TRACE_INT);
        return;
    }
    char name[16];
    l->u.a = source(l, s, width, type_kind(type) == 'f');
    l->u.d = dest_at(l, 0, width);
    snprintf(name, sizeof name, "mov_%u", width);
    lane_named(l, name);
    emit(l, UOP_LANE, TRACE_INT);
}

static bool space_mod(const struct lower *l, enum space *space)
{
    static const struct {
        const char *name;
        enum space space;
    } rows[] = {
        {"global", SP_GLOBAL}, {"shared", SP_SHARED}, {"shared::cta", SP_SHARED}, {"shared::cluster", SP_SHARED},
        {"local", SP_LOCAL},   {"const", SP_CONST},   {"param", SP_PARAM},        {"param::entry", SP_PARAM}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (has_mod(l, rows[i].name)) {
            *space = rows[i].space;
            return true;
        }
    return false;
}

static uint64_t window_of(enum space space)
{
    return space == SP_SHARED  ? PTX_SHARED_WINDOW
           : space == SP_LOCAL ? PTX_LOCAL_WINDOW
           : space == SP_PARAM ? PTX_PARAM_WINDOW
                               : 0;
}

/* cvta.shared adds the window of the space to an address, cvta.to.shared takes it away. Constants have their addresses
 * in global memory; one of 32 bits gets its upper half. */
void decode_cvta(struct lower *l)
{
    enum space space = SP_GENERIC;
    need_operands(l, 2, 2);
    if (l->failed) return;
    const enum ptx_type type = last_type(l);
    if (!space_mod(l, &space) || type_bits(type) != 64) {
        lower_unknown(l);
        return;
    }
    const uint64_t window = window_of(space);
    if (space == SP_PARAM) l->kernel->has_generic_params = true;
    l->u.a = source_at(l, 1, 64, false);
    if (window) l->u.b = const_slot(l, 64, has_mod(l, "to") ? 0 - window : window);
    const bool is_constant = space == SP_CONST && !has_mod(l, "to");
    if (is_constant) l->u.b = constants_slot(l);
    l->u.d = dest_at(l, 0, 64);
    lane_named(l, window ? "add_b64" : is_constant ? "or_b64" : "mov_64");
    emit(l, UOP_LANE, TRACE_INT);
}

void decode_isspacep(struct lower *l)
{
    enum space space = SP_GENERIC;
    need_operands(l, 2, 2);
    if (l->failed) return;
    if (!space_mod(l, &space)) {
        lower_unknown(l);
        return;
    }
    l->u.space = (uint8_t)space;
    l->u.a = source_at(l, 1, 64, false);
    l->u.d = dest_at(l, 0, 1);
    emit(l, UOP_ISSPACEP, TRACE_INT);
}

/* A comparison as a base function, operands exchanged or not, complemented or not. */
struct comparison {
    const char *name, *base;
    bool swap, invert;
};
static const struct comparison int_comparisons[] = {
    {"eq", "eq", false, false}, {"ne", "eq", false, true}, {"lt", "lt", false, false}, {"le", "le", false, false},
    {"gt", "lt", true, false},  {"ge", "le", true, false}, {"lo", "lt", false, false}, {"ls", "le", false, false},
    {"hi", "lt", true, false},  {"hs", "le", true, false}};
static const struct comparison float_comparisons[] = {
    {"eq", "eq", false, false},   {"ne", "lg", false, false}, {"lt", "lt", false, false}, {"le", "le", false, false},
    {"gt", "lt", true, false},    {"ge", "le", true, false},  {"equ", "lg", false, true}, {"neu", "eq", false, true},
    {"ltu", "le", true, true},    {"leu", "lt", true, true},  {"gtu", "le", false, true}, {"geu", "lt", false, true},
    {"num", "num", false, false}, {"nan", "num", false, true}};

/* The first modifier names the comparison; operands 1 and 2 are compared as `type`. */
static void compare_operands(struct lower *l, enum ptx_type type, bool is_flushed)
{
    const bool is_float = type_kind(type) == 'f' || type_kind(type) == 'h';
    const struct comparison *rows = is_float ? float_comparisons : int_comparisons, *c = NULL;
    const size_t n = is_float ? sizeof float_comparisons / sizeof *rows : sizeof int_comparisons / sizeof *rows;
    for (size_t i = 0; i < n && !c; i++)
        if (!strcmp(rows[i].name, l->inst->mods[0])) c = &rows[i];
    char name[32];
    const struct compare_op *op = NULL;
    if (c && type != T_PRED && type_bits(type) >= 16) {
        const bool bits = !is_float && (!strcmp(c->base, "eq") || type_kind(type) == 'b');
        const bool narrow = type_kind(type) == 'h';
        const char *text = narrow ? (type_name(type)[0] == 'b' ? "bf16" : "f16") : type_name(type) + (bits ? 1 : 0);
        const char *ftz = is_flushed && (type == T_F32 || type == T_F16 || type == T_F16X2) ? "_ftz" : "";
        snprintf(name, sizeof name, "%s%s_%s%s", c->base, ftz, bits ? "b" : "", text);
        op = compare_find(l->lanes, name);
    }
    if (!op) {
        lower_unknown(l);
        return;
    }
    const bool immediate = type_kind(type) == 'f';
    const uint32_t a = source_at(l, 1, type_bits(type), immediate), b = source_at(l, 2, type_bits(type), immediate);
    l->u.a = c->swap ? b : a;
    l->u.b = c->swap ? a : b;
    if (c->invert) l->u.flags |= UOP_INVERT;
    l->u.fn.compare = op->fn;
    l->u.width = op->width;
    l->u.n_vec = type_kind(type) == 'h' && type_bits(type) == 32; /* a pair */
}

static enum trace_class compare_class(enum ptx_type type)
{
    return type == T_F32 || type_kind(type) == 'h' ? TRACE_FP : type == T_F64 ? TRACE_DP : TRACE_INT;
}

/* .and .or .xor with a predicate: operand 3 */
static void combine_operand(struct lower *l)
{
    bool negated;
    l->u.op = has_mod(l, "and") ? PRED_AND : has_mod(l, "or") ? PRED_OR : has_mod(l, "xor") ? PRED_XOR : PRED_MOV;
    need_operands(l, l->u.op == PRED_MOV ? 3 : 4, l->u.op == PRED_MOV ? 3 : 4);
    if (l->u.op == PRED_MOV || l->failed) return;
    l->u.c = predicate_source(l, operand_at(l, 3), &negated);
    if (negated) l->u.flags |= UOP_C_NOT;
}

static bool known_mods(const struct lower *l, const char *const *allowed, size_t n)
{
    for (uint32_t i = 1; i + 1 < l->inst->n_mods; i++) {
        bool known = type_named(l->inst->mods[i]) != T_NONE;
        for (size_t k = 0; k < n; k++) known |= !strcmp(allowed[k], l->inst->mods[i]);
        if (!known) return false;
    }
    return true;
}
static const char *const compare_mods[] = {"and", "or", "xor", "ftz"};

void decode_setp(struct lower *l)
{
    const enum ptx_type type = last_type(l);
    if (l->inst->n_mods < 2 || !type || !known_mods(l, compare_mods, 4)) {
        lower_unknown(l);
        return;
    }
    combine_operand(l);
    compare_operands(l, type, has_mod(l, "ftz"));
    const struct operand *d = operand_at(l, 0);
    if (l->failed) return;
    l->u.d = dest(l, d, 1);
    if (d->n) l->u.d2 = dest(l, &d->items[0], 1);
    emit(l, UOP_SETP, compare_class(type));
}

/* set.lt.u32.f32: all ones or, for a .f32 destination, 1.0 */
void decode_set(struct lower *l)
{
    const enum ptx_type from = last_type(l);
    const enum ptx_type to = l->inst->n_mods > 2 ? type_named(l->inst->mods[l->inst->n_mods - 2]) : T_NONE;
    if (!from || (type_bits(to) != 32 && type_bits(to) != 16) || !known_mods(l, compare_mods, 4)) {
        lower_unknown(l);
        return;
    }
    combine_operand(l);
    compare_operands(l, from, has_mod(l, "ftz"));
    l->u.d = dest_at(l, 0, type_bits(to));
    l->u.imm = to == T_F32                         ? 0x3f800000
               : to == T_F16 || to == T_F16X2      ? 0x3c00
               : to == T_BF16 || to == T_BF16X2    ? 0x3f80
               : l->u.n_vec || type_bits(to) == 16 ? 0xffff
                                                   : 0xffffffff;
    emit(l, UOP_SET, compare_class(from));
}

void decode_selp(struct lower *l)
{
    const enum ptx_type type = last_type(l);
    char name[16];
    bool negated;
    need_operands(l, 4, 4);
    if (l->failed) return;
    if (l->inst->n_mods != 1 || type_bits(type) < 16) {
        lower_unknown(l);
        return;
    }
    const bool is_float = type_kind(type) == 'f';
    l->u.a = source_at(l, 1, type_bits(type), is_float);
    l->u.b = source_at(l, 2, type_bits(type), is_float);
    l->u.c = predicate_source(l, operand_at(l, 3), &negated);
    if (negated) { /* the same with the values exchanged */
        const uint32_t a = l->u.a;
        l->u.a = l->u.b;
        l->u.b = a;
    }
    l->u.d = dest_at(l, 0, type_bits(type));
    snprintf(name, sizeof name, "selp_%u", type_bits(type));
    lane_named(l, name);
    emit(l, UOP_LANE, TRACE_INT);
}

/* slct.u32.s32 d, a, b, c: c >= 0 ? a : b */
void decode_slct(struct lower *l)
{
    const enum ptx_type by = last_type(l);
    const enum ptx_type type = l->inst->n_mods > 1 ? type_named(l->inst->mods[0]) : T_NONE;
    char name[24];
    need_operands(l, 4, 4);
    if (l->failed) return;
    if ((by != T_S32 && by != T_F32) || type_bits(type) < 16) {
        lower_unknown(l);
        return;
    }
    l->u.a = source_at(l, 1, type_bits(type), type_kind(type) == 'f');
    l->u.b = source_at(l, 2, type_bits(type), type_kind(type) == 'f');
    l->u.c = source_at(l, 3, 32, by == T_F32);
    l->u.d = dest_at(l, 0, type_bits(type));
    snprintf(name, sizeof name, "slct_%s_%u", type_name(by), type_bits(type));
    lane_named(l, name);
    emit(l, UOP_LANE, TRACE_INT);
}

/* and.pred or.pred xor.pred not.pred */
void decode_pred_logic(struct lower *l)
{
    static const struct {
        const char *name;
        uint8_t op, n;
    } rows[] = {
        {"and", PRED_AND, 2}, {"or", PRED_OR, 2}, {"xor", PRED_XOR, 2}, {"not", PRED_NOT, 1}, {"mov", PRED_MOV, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, l->inst->mnemonic) != 0) continue;
        bool negated;
        need_operands(l, rows[i].n + 1u, rows[i].n + 1u);
        l->u.a = predicate_source(l, operand_at(l, 1), &negated);
        if (negated) l->u.flags |= UOP_A_NOT;
        l->u.b = l->u.a;
        if (rows[i].n == 2) {
            l->u.b = predicate_source(l, operand_at(l, 2), &negated);
            if (negated) l->u.flags |= UOP_B_NOT;
        }
        l->u.d = dest_at(l, 0, 1);
        l->u.op = rows[i].op;
        emit(l, UOP_PRED, TRACE_INT);
        return;
    }
    lower_unknown(l);
}
