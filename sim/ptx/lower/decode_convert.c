/* cvt: from the two types, the rounding and the widths of the registers to a lane function of exec_convert.c or
 * exec_half.c. */
#include <stdio.h>
#include <string.h>
#include "lower/lower.h"

/* cvt.{rounding}{.ftz}{.sat}.D.S d, a: the two types may be narrower than the registers. */
struct conversion {
    enum ptx_type to, from;
    uint32_t to_width, from_width; /* of the registers */
    bool is_flushed, is_saturated, is_integral, is_relu;
    uint8_t rounding;
};

static bool cvt_spell(const struct lower *l, struct conversion *c)
{
    static const struct {
        const char *name;
        uint8_t rounding;
        bool integral;
    } rows[] = {{"rn", ROUND_NEAREST, false}, {"rz", ROUND_ZERO, false},    {"rm", ROUND_DOWN, false},
                {"rp", ROUND_UP, false},      {"rni", ROUND_NEAREST, true}, {"rzi", ROUND_ZERO, true},
                {"rmi", ROUND_DOWN, true},    {"rpi", ROUND_UP, true}};
    *c = (struct conversion){0};
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum ptx_type type = type_named(mod);
        bool known = true;
        if (type && !c->to) c->to = type;
        else if (type && !c->from) c->from = type;
        else if (!strcmp(mod, "ftz")) c->is_flushed = true;
        else if (!strcmp(mod, "sat")) c->is_saturated = true;
        else if (!strcmp(mod, "relu")) c->is_relu = true;
        else known = false;
        for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !known; k++)
            if (!strcmp(mod, rows[k].name)) {
                c->rounding = rows[k].rounding;
                c->is_integral = rows[k].integral;
                known = true;
            }
        if (!known) return false;
    }
    return c->from && c->to != T_PRED && c->from != T_PRED;
}

static void cvt_integers(struct lower *l, const struct conversion *c, char *name, size_t size)
{
    const uint32_t from = type_bits(c->from), to = type_bits(c->to), slot = c->from_width == 64 ? 64 : 32;
    const bool to_signed = type_kind(c->to) == 's', from_signed = type_kind(c->from) == 's';
    if (c->is_saturated) {
        l->u.imm = to;
        l->u.sign = to_signed;
        snprintf(name, size, "sat_%c%u_%u", from_signed ? 's' : 'u', from, slot);
        return;
    }
    /* the narrower of the two says how many bits count, and its sign how they extend */
    const uint32_t bits = to <= from ? to : from;
    const bool is_signed = to <= from ? to_signed : from_signed;
    /* a signed value for an unsigned type stops at that type: cvt.u16.s8 into 32 bits */
    const bool stops = to > from && from_signed && !to_signed && to < c->to_width;
    const uint32_t written = stops ? to : c->to_width;
    if (stops && c->to_width == 64) snprintf(name, size, "i_%us%u_%u_64", bits, to, slot);
    else snprintf(name, size, "i_%u%c_%u_%u", bits, is_signed && bits < written ? 's' : 'z', slot, written);
    if (bits > slot) lower_unknown(l);
}

/* cvt to or from .f16 and .bf16; cvt.rn.f16x2.f32 d, a, b packs two. */
static void cvt_narrow(struct lower *l, struct conversion *c)
{
    const bool pack = type_kind(c->to) == 'h' && type_bits(c->to) == 32;
    char name[32] = "cvt_small";
    need_operands(l, pack ? 3 : 2, pack ? 3 : 2);
    if (l->failed) return;
    if (pack ? c->from != T_F32 : type_kind(c->from) == 'h' && type_bits(c->from) == 32) {
        lower_unknown(l);
        return;
    }
    l->u.aux = c->rounding;
    l->u.type = (uint8_t)c->to;
    if (pack) {
        snprintf(name, sizeof name, "cvt%s_%s_f32", c->is_relu ? "_relu" : "", type_name(c->to));
        l->u.a = source_at(l, 1, 32, true);
        l->u.b = source_at(l, 2, 32, true);
        l->u.d = dest_at(l, 0, 32);
        l->u.width = 32;
    } else {
        const struct operand *s = operand_at(l, 1);
        const uint32_t from = type_bits(c->from) < 16 ? 16 : type_bits(c->from), to = width_of_reg(l, operand_at(l, 0));
        const uint32_t from_width = s->kind == OPND_REG ? type_bits(s->type) : from;
        if (from_width < from || to < type_bits(c->to) ||
            (type_kind(c->to) != 's' && type_kind(c->to) != 'u' && to != type_bits(c->to))) {
            lower_fail(l, "%s: the registers do not fit the types", l->inst->text);
            return;
        }
        l->u.op = (uint8_t)c->from;
        l->u.e = c->is_integral && (type_kind(c->to) == 'h' || type_kind(c->to) == 'f') ? 1 : 0;
        l->u.n_vec = c->is_relu;
        l->u.sign = c->is_flushed;
        l->u.imm = from_width == 64 ? 64 : 32;
        l->u.width = (uint8_t)to;
        if (c->is_saturated && (type_kind(c->to) == 'h' || type_kind(c->to) == 'f')) l->u.flags |= UOP_SATURATE;
        l->u.a = source(l, s, from_width, type_kind(c->from) == 'f');
        l->u.d = dest_at(l, 0, to);
    }
    lane_named(l, name);
    emit(l, UOP_LANE, c->to == T_F64 || c->from == T_F64 ? TRACE_DP : TRACE_FP);
}

/* cvt.pack.sat.t.s32 d, a, b   cvt.pack.sat.t.s32.b32 d, a, b, c */
static void cvt_pack(struct lower *l)
{
    static const struct {
        const char *name;
        uint8_t bits;
        bool is_signed;
    } rows[] = {{"s16", 16, true}, {"u16", 16, false}, {"s8", 8, true}, {"u8", 8, false},
                {"s4", 4, true},   {"u4", 4, false},   {"s2", 2, true}, {"u2", 2, false}};
    const struct inst *inst = l->inst;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (inst->n_mods > 3 && !strcmp(rows[k].name, inst->mods[2]))
            l->u.imm = rows[k].bits, l->u.sign = rows[k].is_signed;
    const uint32_t n = l->u.imm == 16 ? 3 : 4;
    if (!l->u.imm || inst->n_mods != n + 1u || strcmp(inst->mods[0], "pack") != 0 ||
        strcmp(inst->mods[1], "sat") != 0 || strcmp(inst->mods[3], "s32") != 0 ||
        (n == 4 && strcmp(inst->mods[4], "b32") != 0)) {
        lower_unknown(l);
        return;
    }
    need_operands(l, n, n);
    l->u.a = source_at(l, 1, 32, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.c = n == 4 ? source_at(l, 3, 32, false) : const_slot(l, 32, 0);
    l->u.d = dest_at(l, 0, 32);
    lane_named(l, "cvt_pack");
    emit(l, UOP_LANE, TRACE_INT);
}

/* cvt.rna.tf32.f32 d, a */
static void cvt_tf32(struct lower *l)
{
    const struct inst *inst = l->inst;
    const bool relu = has_mod(l, "relu");
    l->u.aux = has_mod(l, "rn") ? ROUND_NEAREST : has_mod(l, "rz") ? ROUND_ZERO : ROUND_AWAY;
    l->u.op = relu;
    if ((l->u.aux == ROUND_AWAY && !has_mod(l, "rna")) || inst->n_mods != 3u + relu ||
        strcmp(inst->mods[inst->n_mods - 1], "f32") != 0) {
        lower_unknown(l);
        return;
    }
    need_operands(l, 2, 2);
    l->u.a = source_at(l, 1, 32, true);
    l->u.d = dest_at(l, 0, 32);
    lane_named(l, "cvt_tf32");
    emit(l, UOP_LANE, TRACE_FP);
}

/* Writes the name of the function of a lane, and what it is told besides its sources. Is `directed` where the rounding
 * of a floating-point result is not to the nearest. */
static void cvt_lane(struct lower *l, const struct conversion *c, char *name, size_t size, bool *directed)
{
    const bool to_float = type_kind(c->to) == 'f', from_float = type_kind(c->from) == 'f';
    const char *ftz = c->is_flushed && (c->to == T_F32 || c->from == T_F32) && from_float ? "_ftz" : "";
    *directed = false;
    if (!to_float && !from_float) {
        cvt_integers(l, c, name, size);
        return;
    }
    l->u.aux = c->rounding;
    if (!to_float) {
        snprintf(name, size, "to_int%s_%s", c->from == T_F32 ? ftz : "", type_name(c->from));
        l->u.imm = type_bits(c->to);
        l->u.sign = type_kind(c->to) == 's';
    } else if (from_float && c->is_integral && c->from == c->to) {
        snprintf(name, size, "integral%s_%s", c->from == T_F32 ? ftz : "", type_name(c->from));
    } else {
        snprintf(name, size, "cvt%s_%s_%s", ftz, type_name(c->to), type_name(c->from));
        *directed = c->rounding != ROUND_NEAREST;
    }
}

void decode_cvt(struct lower *l)
{
    struct conversion c;
    char name[48];
    if (has_mod(l, "pack") || has_mod(l, "tf32")) {
        if (has_mod(l, "pack")) cvt_pack(l);
        else cvt_tf32(l);
        return;
    }
    if (!cvt_spell(l, &c)) {
        lower_unknown(l);
        return;
    }
    if (type_kind(c.to) == 'h' || type_kind(c.from) == 'h') {
        cvt_narrow(l, &c);
        return;
    }
    need_operands(l, 2, 2);
    if (l->failed) return;
    if (c.is_relu) {
        lower_unknown(l);
        return;
    }
    const bool to_float = type_kind(c.to) == 'f', from_float = type_kind(c.from) == 'f';
    const struct operand *d = operand_at(l, 0), *s = operand_at(l, 1);
    c.to_width = width_of_reg(l, d);
    c.from_width = s->kind == OPND_REG || s->kind == OPND_SPECIAL ? width_of_reg(l, s)
                   : type_bits(c.from) < 16                       ? 16
                                                                  : type_bits(c.from);
    if (c.to_width == 8) c.to_width = 16;
    if (c.to_width < type_bits(c.to) || c.from_width < type_bits(c.from) ||
        (to_float && c.to_width != type_bits(c.to))) {
        lower_fail(l, "%s: the registers are narrower than the types", l->inst->text);
        return;
    }
    bool directed = false;
    cvt_lane(l, &c, name, sizeof name, &directed);
    if (c.is_saturated && to_float) l->u.flags |= UOP_SATURATE;
    if ((to_float || from_float) && c.from_width == 64 && type_bits(c.from) < 64) {
        lower_fail(l, "%s: the source register is wider than its type", l->inst->text);
        return;
    }
    l->u.type = (uint8_t)c.to;
    l->u.width = (uint8_t)(c.to_width == 8 ? 16 : c.to_width);
    l->u.a = source(l, s, c.from_width, from_float);
    l->u.d = dest(l, d, width_of_reg(l, d));
    lane_named(l, name);
    const bool is_double = c.to == T_F64 || c.from == T_F64;
    emit(l, directed ? UOP_ROUNDED : UOP_LANE, is_double ? TRACE_DP : to_float || from_float ? TRACE_FP : TRACE_INT);
}
