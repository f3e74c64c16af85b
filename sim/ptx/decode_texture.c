/* tex and txq. Textures are bound to references, or come by the handle of a texture object. */
#include <string.h>
#include "lower.h"

static const struct { const char *name; uint8_t dims, layered; } geometries[] = {{"1d", 1, 0}, {"2d", 2, 0}, {"3d", 3, 0},
    {"a1d", 1, 1}, {"a2d", 2, 1}};

static void texture_at(struct lower *l, uint32_t k)
{
    const struct operand *o = operand_at(l, k);
    if (!o || l->failed) return;
    if (o->kind != OPND_ADDRESS || o->value) {
        lower_fail(l, "%s: operand %u must be a texture in brackets", l->inst->text, k + 1);
        return;
    }
    const struct operand *base = &o->items[0];
    if (base->kind == OPND_VAR && !base->var->is_opaque) lower_fail(l, "%s: %s is no texture", l->inst->text, base->var->name);
    l->u.a = source(l, base, 64, false);
}

/* tex{.level}.2d.v4.f32.s32 {d0, d1, d2, d3}, [t, {x, y}]{, level}: op = dimensions, aux = layered, sign = integer
 * coordinates; b, c, e and d2 = coordinates (the layer first) */
void decode_tex(struct lower *l)
{
    enum ptx_type types[2] = {T_NONE, T_NONE};
    uint32_t n_types = 0;
    bool four = false, level = false;
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum ptx_type type = type_named(mod);
        bool known = true;
        if (type && n_types < 2) types[n_types++] = type;
        else if (!strcmp(mod, "v4")) four = true;
        else if (!strcmp(mod, "level")) level = true;
        else if (strcmp(mod, "base") != 0) known = false;
        for (size_t g = 0; g < sizeof geometries / sizeof geometries[0] && !known; g++)
            if (!strcmp(geometries[g].name, mod)) {
                l->u.op = geometries[g].dims;
                l->u.aux = geometries[g].layered;
                known = true;
            }
        if (!known) {
            lower_unknown(l);
            return;
        }
    }
    if (!l->u.op || !four || n_types != 2 || type_bits(types[0]) != 32 || type_kind(types[0]) == 'h' ||
        (types[1] != T_F32 && types[1] != T_S32)) {
        lower_unknown(l);
        return;
    }
    need_operands(l, level ? 3 : 2, level ? 3 : 2);
    if (l->failed) return;
    const struct operand *d = operand_at(l, 0), *address = operand_at(l, 1);
    texture_at(l, 1);
    if (l->failed) return;
    const struct operand *at = address->n > 1 ? &address->items[1] : NULL;
    const struct operand *items = at && at->kind == OPND_VECTOR ? at->items : at;
    const uint32_t n = !at ? 0 : at->kind == OPND_VECTOR ? at->n : 1, needed = l->u.op + (l->u.aux ? 1u : 0u);
    if (d->kind != OPND_VECTOR || d->n != 4 || n < needed) {
        lower_fail(l, "%s: expected four results and %u coordinates", l->inst->text, needed);
        return;
    }
    uint32_t *const slots[] = {&l->u.b, &l->u.c, &l->u.e, &l->u.d2};
    for (uint32_t i = 0; i < needed; i++) *slots[i] = source(l, &items[i], 32, types[1] == T_F32);
    for (uint32_t i = 0; i < 4 && !l->failed; i++) l->u.vec[i] = d->items[i].kind == OPND_SINK ? NO_SLOT : dest(l, &d->items[i], 32);
    l->u.type = (uint8_t)types[0];
    l->u.sign = types[1] == T_S32;
    l->u.width = 32;
    l->u.space = SP_GLOBAL;
    l->t.space = TRACE_SPACE_TEXTURE;
    l->t.bytes = 4;
    emit(l, UOP_TEXTURE, TRACE_LOAD);
}

/* txq.width.b32 d, [t] */
void decode_txq(struct lower *l)
{
    static const char *const queries[] = {"width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords"};
    l->u.op = 255;
    for (uint8_t i = 0; i < 6; i++)
        if (has_mod(l, queries[i])) l->u.op = i;
    need_operands(l, 2, 2);
    if (l->failed) return;
    if (l->u.op == 255 || l->u.op == 3 || l->u.op == 4) {
        lower_unknown(l);
        return;
    }
    texture_at(l, 1);
    l->u.d = dest_at(l, 0, 32);
    emit(l, UOP_TEXTURE_QUERY, TRACE_INT);
}
