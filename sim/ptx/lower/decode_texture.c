/* tex, tld4, txq, suld, sust. Textures and surfaces are bound to references, or come by the handle of an object. */
#include <string.h>
#include "lower/lower.h"
#include "lower/surface.h"

static const struct {
    const char *name;
    uint8_t dims, shape; /* coordinates besides the layer; enum texture_shape */
} geometries[] = {{"1d", 1, 0},
                  {"2d", 2, 0},
                  {"3d", 3, 0},
                  {"a1d", 1, TEXTURE_LAYERED},
                  {"a2d", 2, TEXTURE_LAYERED},
                  {"cube", 3, TEXTURE_CUBE},
                  {"acube", 3, TEXTURE_CUBE | TEXTURE_LAYERED}};

static void texture_at(struct lower *l, uint32_t k)
{
    const struct operand *o = operand_at(l, k);
    if (!o || l->failed) return;
    if (o->kind != OPND_ADDRESS || o->value) {
        lower_fail(l, "%s: operand %u must be a texture in brackets", l->inst->text, k + 1);
        return;
    }
    const struct operand *base = &o->items[0];
    if (base->kind == OPND_VAR && !base->var->is_opaque)
        lower_fail(l, "%s: %s is no texture", l->inst->text, base->var->name);
    l->u.a = source(l, base, 64, false);
}

/* What a tex or tld4 instruction says. */
struct fetch_spelling {
    enum ptx_type types[2];
    uint32_t n_types, extra; /* operands behind the texture: level, gradients */
    bool four;
};

static bool fetch_spell(struct lower *l, struct fetch_spelling *s)
{
    static const char *const components[] = {"r", "g", "b", "a"};
    const bool gathers = !strcmp(l->inst->mnemonic, "tld4");
    *s = (struct fetch_spelling){0};
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum ptx_type type = type_named(mod);
        bool known = true;
        if (type && s->n_types < 2) s->types[s->n_types++] = type;
        else if (!strcmp(mod, "v4")) s->four = true;
        else if (!strcmp(mod, "level")) s->extra = 1;
        else if (!strcmp(mod, "grad")) s->extra = 2;
        else if (strcmp(mod, "base") != 0) known = false;
        for (uint8_t k = 0; k < 4 && !known && gathers; k++)
            if (!strcmp(mod, components[k])) {
                l->u.proven = k + 1;
                known = true;
            }
        for (size_t g = 0; g < sizeof geometries / sizeof geometries[0] && !known; g++)
            if (!strcmp(geometries[g].name, mod)) {
                l->u.op = geometries[g].dims;
                l->u.aux = geometries[g].shape;
                known = true;
            }
        if (!known) return false;
    }
    if (gathers && (!l->u.proven || l->u.op != 2 || s->types[1] != T_F32)) return false;
    if (l->u.aux & TEXTURE_CUBE && s->types[1] != T_F32) return false; /* a direction has no integer form */
    return l->u.op && s->four && s->n_types == 2 && type_bits(s->types[0]) == 32 && type_kind(s->types[0]) != 'h' &&
           (s->types[1] == T_F32 || s->types[1] == T_S32);
}

/* The coordinates of operand k -> b, c, e and d2 (the layer first). */
static void coordinates_at(struct lower *l, uint32_t k, bool is_float)
{
    const struct operand *address = operand_at(l, k), *at = address && address->n > 1 ? &address->items[1] : NULL;
    const struct operand *items = at && at->kind == OPND_VECTOR ? at->items : at;
    const bool is_layered = l->u.aux & TEXTURE_LAYERED;
    const uint32_t n = !at ? 0 : at->kind == OPND_VECTOR ? at->n : 1, needed = l->u.op + (is_layered ? 1u : 0u);
    uint32_t *const slots[] = {&l->u.b, &l->u.c, &l->u.e, &l->u.d2};
    if (n < needed) {
        lower_fail(l, "%s: expected %u coordinates", l->inst->text, needed);
        return;
    }
    for (uint32_t i = 0; i < needed; i++) *slots[i] = source(l, &items[i], 32, is_float && !(is_layered && i == 0));
}

/* tex{.level}.2d.v4.f32.s32 {d0, d1, d2, d3}, [t, {x, y}]{, level}: op = dimensions, aux = enum texture_shape, sign =
 * integer coordinates; b, c, e and d2 = coordinates (the layer first) */
void decode_tex(struct lower *l)
{
    struct fetch_spelling s;
    if (!fetch_spell(l, &s)) {
        lower_unknown(l);
        return;
    }
    need_operands(l, 2 + s.extra, 2 + s.extra); /* there is one level, so levels and gradients choose nothing */
    texture_at(l, 1);
    if (l->failed) return;
    const struct operand *d = operand_at(l, 0);
    if (d->kind != OPND_VECTOR || d->n != 4) {
        lower_fail(l, "%s: expected four results", l->inst->text);
        return;
    }
    coordinates_at(l, 1, s.types[1] == T_F32);
    for (uint32_t i = 0; i < 4 && !l->failed; i++)
        l->u.vec[i] = d->items[i].kind == OPND_SINK ? NO_SLOT : dest(l, &d->items[i], 32);
    l->u.type = (uint8_t)s.types[0];
    l->u.sign = s.types[1] == T_S32;
    l->u.width = 32;
    l->u.space = SP_GLOBAL;
    l->t.space = TRACE_SPACE_TEXTURE;
    l->t.bytes = 4;
    emit(l, UOP_TEXTURE, TRACE_LOAD);
}

/* suld.b.2d.v2.b32.trap {a, b}, [s, {x, y}]
 * sust.b.2d.b32.zero [s, {x, y}], {a}
 * op and aux as for tex, proven = what happens outside, sign = a store */
void decode_surface(struct lower *l)
{
    static const char *const clamps[] = {"trap", "clamp", "zero"};
    const bool is_store = !strcmp(l->inst->mnemonic, "sust");
    enum ptx_type type = T_NONE;
    bool is_raw = false;
    l->u.n_vec = 1;
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        if (type_named(mod) && !type) type = type_named(mod);
        if (!strcmp(mod, "b")) is_raw = true;
        if (!strcmp(mod, "v2")) l->u.n_vec = 2;
        if (!strcmp(mod, "v4")) l->u.n_vec = 4;
        for (uint8_t k = 0; k < 3; k++)
            if (!strcmp(mod, clamps[k])) l->u.proven = k;
        for (size_t g = 0; g < sizeof geometries / sizeof geometries[0]; g++)
            if (!strcmp(geometries[g].name, mod)) {
                l->u.op = geometries[g].dims;
                l->u.aux = geometries[g].shape;
            }
    }
    need_operands(l, 2, 2);
    if (l->failed) return;
    if (!is_raw || !l->u.op || l->u.aux & TEXTURE_CUBE || type_kind(type) != 'b' ||
        type_bits(type) * l->u.n_vec > 128) {
        lower_unknown(l); /* the formatted sust.p and sured are not there; the faces of a cube are layers */
        return;
    }
    const struct operand *data = operand_at(l, is_store ? 1 : 0),
                         *items = data->kind == OPND_VECTOR ? data->items : data;
    const uint32_t width = type_bits(type) < 16 ? 16 : type_bits(type);
    texture_at(l, is_store ? 0 : 1);
    if (l->failed) return;
    if ((data->kind == OPND_VECTOR ? data->n : 1) != l->u.n_vec) {
        lower_fail(l, "%s: expected %u elements", l->inst->text, l->u.n_vec);
        return;
    }
    coordinates_at(l, is_store ? 0 : 1, false);
    for (uint32_t i = 0; i < l->u.n_vec && !l->failed; i++) {
        if (is_store) l->u.vec[i] = source(l, &items[i], width, false);
        else l->u.vec[i] = items[i].kind == OPND_SINK ? NO_SLOT : dest(l, &items[i], width);
    }
    l->u.bytes = (uint8_t)type_bytes(type);
    l->u.sign = is_store;
    l->u.width = (uint8_t)width;
    l->u.space = SP_GLOBAL;
    l->t.space = TRACE_SPACE_GLOBAL;
    l->t.bytes = (uint8_t)(type_bytes(type) * l->u.n_vec);
    emit(l, UOP_SURFACE, is_store ? TRACE_STORE : TRACE_LOAD);
}

/* txq.width.b32 d, [t] */
void decode_txq(struct lower *l)
{
    static const char *const queries[] = {"width",         "height",           "depth", "channel_data_type",
                                          "channel_order", "normalized_coords"};
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
