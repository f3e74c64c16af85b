/* Loads, stores, atomics, fences. */
#include <stdio.h>
#include <string.h>
#include "lower/lower.h"

/* What the modifiers of a memory instruction say. */
struct access {
    enum space space;
    enum ptx_type types[2];
    uint32_t n_types, n_vec;
    uint8_t cache_op, scope, atomic;
    bool is_volatile;
};

/* clang-format off */
#define CACHE(name, id) {name, TRACE_CACHE_##id}
/* clang-format on */
static const struct {
    const char *name;
    uint8_t op;
} cache_ops[] = {CACHE("ca", CA), CACHE("cg", CG), CACHE("cs", CS), CACHE("cv", CV), CACHE("lu", LU),
                 CACHE("wb", WB), CACHE("wt", WT), CACHE("nc", NC), CACHE("cc", CC), CACHE("cp", CP)};
static const struct {
    const char *name;
    enum space space;
} spaces[] = {
    {"global", SP_GLOBAL},    {"shared", SP_SHARED}, {"shared::cta", SP_SHARED}, {"shared::cluster", SP_SHARED},
    {"local", SP_LOCAL},      {"const", SP_CONST},   {"param", SP_PARAM},        {"param::entry", SP_PARAM},
    {"param::func", SP_PARAM}};
static const struct {
    const char *name;
    uint8_t scope;
} scopes[] = {{"cta", TRACE_SCOPE_CTA},
              {"cluster", TRACE_SCOPE_GPU},
              {"gpu", TRACE_SCOPE_GPU},
              {"gl", TRACE_SCOPE_GPU},
              {"sys", TRACE_SCOPE_SYS}};
/* clang-format off */
#define ATOMIC(name, id) {name, TRACE_ATOMIC_##id}
/* clang-format on */
static const struct {
    const char *name;
    uint8_t op;
} atomics[] = {ATOMIC("add", ADD), ATOMIC("min", MIN),   ATOMIC("max", MAX), ATOMIC("and", AND), ATOMIC("or", OR),
               ATOMIC("xor", XOR), ATOMIC("exch", EXCH), ATOMIC("cas", CAS), ATOMIC("inc", INC), ATOMIC("dec", DEC)};
/* Ordering (taken for granted here: lanes execute in order), and hints that do not change what is accessed. */
static const char *const plain[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "mmio", "unified", "noftz"};

static bool is_hint(const char *mod)
{
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (!strcmp(plain[i], mod)) return true;
    return !strncmp(mod, "L1::", 4) || !strncmp(mod, "L2::", 4) || !strncmp(mod, "level::", 7);
}

#define LOOK_UP(rows, field, target) \
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) \
        if (!strcmp(rows[k].name, mod)) { \
            target = rows[k].field; \
            return true; \
        }

static bool access_mod(struct access *a, const char *mod, bool is_atomic)
{
    const enum ptx_type type = type_named(mod);
    if (type && type != T_PRED) {
        if (a->n_types == 2) return false;
        a->types[a->n_types++] = type;
        return true;
    }
    LOOK_UP(spaces, space, a->space)
    LOOK_UP(scopes, scope, a->scope)
    if (!strcmp(mod, "v2") || !strcmp(mod, "v4") || !strcmp(mod, "v8")) {
        a->n_vec = (uint32_t)(mod[1] - '0');
        return true;
    }
    if (is_atomic) {
        LOOK_UP(atomics, op, a->atomic)
    } else {
        LOOK_UP(cache_ops, op, a->cache_op)
        if (!strcmp(mod, "volatile")) {
            a->is_volatile = true;
            return true;
        }
    }
    return is_hint(mod);
}

static bool access_spell(struct lower *l, struct access *a, bool is_atomic)
{
    *a = (struct access){.space = SP_GENERIC, .n_vec = 1};
    for (uint32_t i = 0; i < l->inst->n_mods; i++)
        if (!access_mod(a, l->inst->mods[i], is_atomic)) return false;
    if (a->n_types != 1) return false;
    const uint32_t bytes = type_bytes(a->types[0]) * a->n_vec;
    return bytes <= 16 || (bytes == 32 && type_bytes(a->types[0]) >= 4 && a->space == SP_GLOBAL && !is_atomic);
}

/* An access with .L2::cache_hint has its policy as a last operand, which execution does not need. */
static uint32_t n_hints(const struct lower *l) { return has_mod(l, "L2::cache_hint"); }

/* createpolicy.fractional.L2::evict_last.b64 d, 1.0: some value, for those hints alone */
void decode_policy(struct lower *l)
{
    need_operands(l, 1, 4);
    l->u.a = const_slot(l, 64, 0);
    l->u.d = dest_at(l, 0, 64);
    lane_named(l, "mov_64");
    emit(l, UOP_LANE, TRACE_INT);
}

static uint8_t trace_space_of(enum space space)
{
    switch (space) {
    case SP_SHARED: return TRACE_SPACE_SHARED;
    case SP_LOCAL: return TRACE_SPACE_LOCAL;
    case SP_CONST: return TRACE_SPACE_CONST;
    case SP_PARAM: return TRACE_SPACE_PARAM;
    default: return TRACE_SPACE_GLOBAL;
    }
}

static void access_fill(struct lower *l, const struct access *a)
{
    l->u.space = (uint8_t)a->space;
    l->u.bytes = (uint8_t)type_bytes(a->types[0]);
    l->u.n_vec = (uint8_t)a->n_vec;
    l->u.type = (uint8_t)a->types[0];
    l->u.sign = type_kind(a->types[0]) == 's';
    l->t.space = trace_space_of(a->space);
    l->t.bytes = (uint8_t)(type_bytes(a->types[0]) * a->n_vec);
    l->t.cache_op = a->cache_op;
    l->t.scope = a->scope;
    l->t.atomic = a->atomic;
    if (a->is_volatile) l->t.flags |= TRACE_VOLATILE;
}

/* The registers a load fills or a store reads, n of them: all of one width, at least that of the type. */
static void access_registers(struct lower *l, const struct access *a, const struct operand *items, uint32_t n,
                             bool is_load)
{
    const uint32_t bits = type_bits(a->types[0]);
    uint32_t width = bits < 16 ? 16 : bits;
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == OPND_REG) width = type_bits(items[i].type);
    if (width < bits) {
        lower_fail(l, "%s: a register of %u bits for a type of %u bits", l->inst->text, width, bits);
        return;
    }
    for (uint32_t i = 0; i < n && !l->failed; i++) {
        if (!is_load) l->u.vec[i] = source(l, &items[i], width, type_kind(a->types[0]) == 'f');
        else l->u.vec[i] = items[i].kind == OPND_SINK ? NO_SLOT : dest(l, &items[i], width);
    }
    l->u.width = (uint8_t)(width == 8 ? 16 : width);
}

/* ld.param / st.param of a device function's or a call's parameter: a move within the register file. */
static void access_argument(struct lower *l, const struct access *a, const struct var *v, bool is_load)
{
    uint32_t reg;
    const uint64_t bytes = (uint64_t)type_bytes(a->types[0]) * a->n_vec;
    if (l->u.imm < 0 || (uint64_t)l->u.imm + bytes > v->bytes) {
        lower_fail(l, "%s: byte %lld of parameter %s, which has %llu bytes", l->inst->text, (long long)l->u.imm,
                   v->name, (unsigned long long)v->bytes);
        return;
    }
    l->u.a = arg_slot(l, (struct var *)(uintptr_t)v, &reg);
    l->u.b = (uint32_t)v->bytes;
    if (is_load) use_src(l, reg);
    else use_dst(l, reg);
    emit(l, is_load ? UOP_LOAD_ARG : UOP_STORE_ARG, TRACE_INT);
}

/* The space of a variable that an address names must be that of the instruction. */
static bool variable_fits(struct lower *l, const struct access *a, const struct var *v)
{
    if (l->failed) return false;
    if (!v || v->space == a->space) return true;
    if (a->space != SP_GENERIC) lower_fail(l, "%s: %s is a variable of another space", l->inst->text, v->name);
    else if (v->space == SP_GLOBAL || v->space == SP_CONST) return true;
    else lower_fail(l, "%s: %s is not a generic address; name its space", l->inst->text, v->name);
    return false;
}

/* ld.global.v8.f32, ld.global.v4.b64: 32 bytes are two accesses of 16. A half that loads the base of the address comes
 * last. */
static void decode_halves(struct lower *l, const struct access *a, const struct operand *items, bool is_load)
{
    const struct uop guard = l->u;
    const struct uses guard_uses = l->r;
    struct access half = *a;
    const struct operand *o = operand_at(l, is_load ? 1 : 0);
    const struct operand *base = o && o->kind == OPND_ADDRESS ? &o->items[0] : NULL;
    const uint32_t n = half.n_vec /= 2;
    bool swaps = false;
    for (uint32_t i = 0; i < n && base && base->kind == OPND_REG; i++)
        swaps |= items[i].kind == OPND_REG && items[i].reg == base->reg;
    for (uint32_t k = 0; k < 2 && !l->failed; k++) {
        const uint32_t which = swaps ? 1 - k : k;
        const struct var *v;
        if (k > 0) {
            begin(l);
            l->u.guard = guard.guard;
            l->u.flags = guard.flags;
            l->r = guard_uses;
        }
        access_fill(l, &half);
        access_registers(l, &half, items + which * n, n, is_load);
        address_at(l, is_load ? 1 : 0, &v);
        if (!variable_fits(l, a, v)) return;
        l->u.imm += 16 * which;
        emit(l, is_load ? UOP_LOAD : UOP_STORE, is_load ? TRACE_LOAD : TRACE_STORE);
    }
}

static void decode_access(struct lower *l, bool is_load)
{
    struct access a;
    const struct var *v;
    need_operands(l, 2 + n_hints(l), 2 + n_hints(l));
    if (l->failed) return;
    if (!access_spell(l, &a, false)) {
        lower_unknown(l);
        return;
    }
    const struct operand *o = operand_at(l, is_load ? 0 : 1);
    const struct operand *items = o->kind == OPND_VECTOR ? o->items : o;
    const uint32_t n = o->kind == OPND_VECTOR ? o->n : 1;
    if (n != a.n_vec) {
        lower_fail(l, "%s: %u registers for %u elements", l->inst->text, n, a.n_vec);
        return;
    }
    if (type_bytes(a.types[0]) * a.n_vec > 16) {
        decode_halves(l, &a, items, is_load);
        return;
    }
    access_fill(l, &a);
    access_registers(l, &a, items, n, is_load);
    address_at(l, is_load ? 1 : 0, &v);
    if (!variable_fits(l, &a, v)) return;
    if (v && v->space == SP_PARAM && !v->is_kernel_param) {
        access_argument(l, &a, v, is_load);
        return;
    }
    if (!is_load && (a.space == SP_PARAM || a.space == SP_CONST)) {
        lower_fail(l, "%s: this space cannot be written", l->inst->text);
        return;
    }
    emit(l, is_load ? UOP_LOAD : UOP_STORE, is_load ? TRACE_LOAD : TRACE_STORE);
}

void decode_ld(struct lower *l) { decode_access(l, true); }
void decode_st(struct lower *l) { decode_access(l, false); }

/* Which operations exist for which types: u unsigned, s signed, b bits, f float. [PTX ISA 9.7.13] */
static bool atomic_exists(uint8_t op, enum ptx_type type)
{
    static const struct {
        uint8_t op;
        const char *kinds;
    } rows[] = {{TRACE_ATOMIC_ADD, "usfh"},  {TRACE_ATOMIC_MIN, "us"},  {TRACE_ATOMIC_MAX, "us"},
                {TRACE_ATOMIC_AND, "b"},     {TRACE_ATOMIC_OR, "b"},    {TRACE_ATOMIC_XOR, "b"},
                {TRACE_ATOMIC_EXCH, "busf"}, {TRACE_ATOMIC_CAS, "bus"}, {TRACE_ATOMIC_INC, "u"},
                {TRACE_ATOMIC_DEC, "u"}};
    if (type_bits(type) == 16)
        return (op == TRACE_ATOMIC_CAS && type == T_B16) || (op == TRACE_ATOMIC_EXCH && type == T_B16) ||
               (op == TRACE_ATOMIC_ADD && type_kind(type) == 'h');
    if (type_bits(type) < 32 || (type_bits(type) == 64 && (op == TRACE_ATOMIC_INC || op == TRACE_ATOMIC_DEC)))
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op) return strchr(rows[i].kinds, type_kind(type)) != NULL;
    return false;
}

/* atom.global.v2.f32.add d, [a], b: each element an atomic of its own. Sources in vec; results in d, c, e, d2. */
static void atomic_vector(struct lower *l, const struct access *a, bool returns)
{
    uint32_t *const results[] = {&l->u.d, &l->u.c, &l->u.e, &l->u.d2};
    const struct operand *sources = operand_at(l, returns ? 2 : 1), *d = operand_at(l, 0);
    const uint32_t width = type_bits(a->types[0]), n = a->n_vec;
    l->u.d = NO_SLOT;
    if (l->failed) return;
    if (sources->kind != OPND_VECTOR || sources->n != n ||
        (returns && d->kind != OPND_SINK && (d->kind != OPND_VECTOR || d->n != n))) {
        lower_fail(l, "%s: vectors of %u registers are expected", l->inst->text, n);
        return;
    }
    for (uint32_t i = 0; i < n && !l->failed; i++) {
        l->u.vec[i] = source(l, &sources->items[i], width, type_kind(a->types[0]) == 'f');
        *results[i] =
            returns && d->kind == OPND_VECTOR && d->items[i].kind != OPND_SINK ? dest(l, &d->items[i], width) : NO_SLOT;
    }
    emit(l, UOP_ATOMIC, TRACE_ATOMIC);
}

static void decode_atomic(struct lower *l, bool returns)
{
    struct access a;
    const struct var *v;
    if (!access_spell(l, &a, true) || !atomic_exists(a.atomic, a.types[0]) ||
        (a.atomic == TRACE_ATOMIC_CAS && !returns) ||
        (a.n_vec > 1 && (a.atomic != TRACE_ATOMIC_ADD || a.space == SP_SHARED ||
                         (a.types[0] != T_F32 && type_kind(a.types[0]) != 'h'))) ||
        (a.space != SP_GENERIC && a.space != SP_GLOBAL && a.space != SP_SHARED)) {
        lower_unknown(l);
        return;
    }
    const uint32_t first = returns ? 1 : 0, width = type_bits(a.types[0]);
    const uint32_t n = first + (a.atomic == TRACE_ATOMIC_CAS ? 3 : 2);
    const bool is_float = type_kind(a.types[0]) == 'f';
    need_operands(l, n + n_hints(l), n + n_hints(l));
    if (l->failed) return;
    access_fill(l, &a);
    l->u.op = a.atomic;
    l->u.width = (uint8_t)width;
    address_at(l, first, &v);
    if (!variable_fits(l, &a, v)) return;
    if (a.n_vec > 1) {
        atomic_vector(l, &a, returns);
        return;
    }
    l->u.b = source_at(l, first + 1, width, is_float);
    if (a.atomic == TRACE_ATOMIC_CAS) l->u.c = source_at(l, first + 2, width, is_float);
    const struct operand *d = &l->inst->operands[0];
    l->u.d = returns && d->kind != OPND_SINK ? dest(l, d, width) : NO_SLOT;
    emit(l, UOP_ATOMIC, TRACE_ATOMIC);
}

void decode_atom(struct lower *l) { decode_atomic(l, true); }
void decode_red(struct lower *l) { decode_atomic(l, false); }

/* membar.gl, fence.acq_rel.gpu: nothing to do in order, but the timing model waits. */
void decode_fence(struct lower *l)
{
    l->t.scope = TRACE_SCOPE_SYS;
    for (uint32_t i = 0; i < l->inst->n_mods; i++)
        for (size_t k = 0; k < sizeof scopes / sizeof scopes[0]; k++)
            if (!strcmp(scopes[k].name, l->inst->mods[i])) l->t.scope = scopes[k].scope;
    need_operands(l, 0, 0);
    emit(l, UOP_NOP, TRACE_FENCE);
}
