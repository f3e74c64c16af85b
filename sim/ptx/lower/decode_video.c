/* vadd4.u32.s32.u32.sat d, a, b, c and its kin; vset2.s32.u32.ge{.add} d, a, b, c */
#include <string.h>
#include "lower/lower.h"
#include "lower/video.h"

static const struct {
    const char *name;
    uint8_t op;
} operations[] = {{"vadd", VIDEO_ADD}, {"vsub", VIDEO_SUB}, {"vavrg", VIDEO_AVRG}, {"vabsdiff", VIDEO_ABSDIFF},
                  {"vmin", VIDEO_MIN}, {"vmax", VIDEO_MAX}, {"eq", VIDEO_EQ},      {"ne", VIDEO_NE},
                  {"lt", VIDEO_LT},    {"le", VIDEO_LE},    {"gt", VIDEO_GT},      {"ge", VIDEO_GE}};

void decode_video(struct lower *l)
{
    const char *name = l->inst->mnemonic;
    const size_t n = strlen(name) - 1;
    const bool is_set = !strncmp(name, "vset", 4);
    uint8_t signs[3] = {0};
    uint32_t n_types = 0, n_operations = 0;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (strlen(operations[k].name) == n && !strncmp(operations[k].name, name, n)) {
            l->u.op = operations[k].op;
            n_operations++;
        }
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum ptx_type type = type_named(mod);
        bool known = true;
        if ((type == T_U32 || type == T_S32) && n_types < 3) signs[n_types++] = type == T_S32;
        else if (!strcmp(mod, "sat")) l->u.type |= VIDEO_SATURATES;
        else if (!strcmp(mod, "add")) l->u.type |= VIDEO_ADDS;
        else known = false;
        for (size_t k = 6; k < sizeof operations / sizeof operations[0] && !known && is_set; k++)
            if (!strcmp(mod, operations[k].name)) {
                l->u.op = operations[k].op;
                known = true;
                n_operations++;
            }
        if (!known) n_operations = 99;
    }
    const struct lane_op *op = lane_find(l->lanes, name[n] == '2' ? "video2" : "video4");
    need_operands(l, 4, 4);
    if (l->failed) return;
    if (n_operations != 1 || n_types != (is_set ? 2 : 3) || !op) {
        lower_unknown(l);
        return;
    }
    const uint8_t *inputs = is_set ? signs : signs + 1;
    l->u.type |= (uint8_t)((inputs[0] ? VIDEO_A_SIGNED : 0) | (inputs[1] ? VIDEO_B_SIGNED : 0) |
                           (!is_set && signs[0] ? VIDEO_D_SIGNED : 0));
    l->u.a = source_at(l, 1, 32, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.c = source_at(l, 3, 32, false);
    l->u.d = dest_at(l, 0, 32);
    l->u.fn.lane = op->fn;
    emit(l, UOP_LANE, TRACE_INT);
}

static bool scalar_modifier(struct video_spelling *v, const char *mod)
{
    static const struct {
        const char *name;
        uint8_t flags, second, shift;
    } rows[] = {{"sat", VIDEO_SATURATES, 0, 0},
                {"wrap", VIDEO_WRAPS, 0, 0},
                {"clamp", 0, 0, 0},
                {"po", VIDEO_PLUS_ONE, 0, 0},
                {"add", 0, 1, 0},
                {"min", 0, 2, 0},
                {"max", 0, 3, 0},
                {"shr7", 0, 0, 7},
                {"shr15", 0, 0, 15}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (!strcmp(mod, rows[k].name)) {
            v->flags |= rows[k].flags;
            if (rows[k].second) v->second = rows[k].second;
            if (rows[k].shift) v->shift = rows[k].shift;
            return true;
        }
    for (size_t k = 6; k < sizeof operations / sizeof operations[0] && v->op == SCALAR_SET; k++)
        if (!strcmp(mod, operations[k].name)) {
            v->compare = operations[k].op;
            return true;
        }
    return false;
}

/* vadd.s32.u32.s32.sat{.min} d{.h0}, a{.b0}, b{.h1}{, c}
 * vmad.u32.u32.u32.shr7 d, a, b, c
 * vset.u32.u32.lt d, a, b */
void decode_scalar_video(struct lower *l)
{
    static const char *const names[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset"};
    static const uint8_t bits[] = {VIDEO_D_SIGNED, VIDEO_A_SIGNED, VIDEO_B_SIGNED};
    struct video_spelling v = {0};
    for (uint8_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (!strcmp(names[k], l->inst->mnemonic)) v.op = k;
    uint32_t n_types = v.op == SCALAR_SET ? 1 : 0;
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const enum ptx_type type = type_named(l->inst->mods[i]);
        if ((type == T_U32 || type == T_S32) && n_types < 3)
            v.flags |= (uint8_t)(type == T_S32 ? bits[n_types] : 0), n_types++;
        else if (!scalar_modifier(&v, l->inst->mods[i])) n_types = 99;
    }
    const struct lane_op *op = lane_find(l->lanes, "video_scalar");
    need_operands(l, 3, 4);
    if (l->failed) return;
    const struct operand *d = operand_at(l, 0);
    v.d_part = d->part;
    v.a_part = operand_at(l, 1)->part;
    v.b_part = operand_at(l, 2)->part;
    if (n_types != 3 || !op || (l->inst->n_operands == 4) != (v.op == SCALAR_MAD || v.second || v.d_part)) {
        lower_unknown(l);
        return;
    }
    memcpy(&l->u.imm, &v, sizeof v);
    l->u.a = source_at(l, 1, 32, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.c = l->inst->n_operands == 4 ? source_at(l, 3, 32, false) : const_slot(l, 32, 0);
    l->u.d = dest(l, d, 32);
    l->u.fn.lane = op->fn;
    emit(l, UOP_LANE, v.op == SCALAR_MAD ? TRACE_INT_MUL : TRACE_INT);
}
