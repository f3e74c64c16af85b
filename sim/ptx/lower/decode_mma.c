/* mma.sync, wmma.load, wmma.mma, wmma.store and ldmatrix. */
#include <stdio.h>
#include <string.h>
#include "lower/lower.h"
#include "lower/mma.h"

/* type of the multiplicands, shape, registers of a, b, and of c or d by its type. [PTX ISA 9.7.14, 9.7.15] */
struct shape_row {
    uint8_t type, m, n;
    uint16_t k;
    uint8_t a, b, c16, c32;
};
static const struct shape_row mma_shapes[] = {
    {MMA_F16, 16, 8, 8, 2, 1, 2, 4},   {MMA_F16, 16, 8, 16, 4, 2, 2, 4}, {MMA_BF16, 16, 8, 8, 2, 1, 0, 4},
    {MMA_BF16, 16, 8, 16, 4, 2, 0, 4}, {MMA_TF32, 16, 8, 4, 2, 1, 0, 4}, {MMA_TF32, 16, 8, 8, 4, 2, 0, 4},
    {MMA_F64, 8, 8, 4, 1, 1, 0, 2},    {MMA_S8, 8, 8, 16, 1, 1, 0, 2},   {MMA_S8, 16, 8, 16, 2, 1, 0, 4},
    {MMA_S8, 16, 8, 32, 4, 2, 0, 4},   {MMA_S4, 8, 8, 32, 1, 1, 0, 2},   {MMA_S4, 16, 8, 32, 2, 1, 0, 4},
    {MMA_S4, 16, 8, 64, 4, 2, 0, 4},   {MMA_B1, 8, 8, 128, 1, 1, 0, 2},  {MMA_B1, 16, 8, 128, 2, 1, 0, 4},
    {MMA_B1, 16, 8, 256, 4, 2, 0, 4},
};
static const struct shape_row wmma_shapes[] = {
    {MMA_F16, 16, 16, 16, 8, 8, 4, 8},  {MMA_F16, 32, 8, 16, 8, 8, 4, 8},  {MMA_F16, 8, 32, 16, 8, 8, 4, 8},
    {MMA_BF16, 16, 16, 16, 4, 4, 0, 8}, {MMA_BF16, 32, 8, 16, 8, 2, 0, 8}, {MMA_BF16, 8, 32, 16, 2, 8, 0, 8},
    {MMA_TF32, 16, 16, 8, 4, 4, 0, 8},  {MMA_S8, 16, 16, 16, 2, 2, 0, 8},  {MMA_S8, 32, 8, 16, 4, 1, 0, 8},
    {MMA_S8, 8, 32, 16, 1, 4, 0, 8},    {MMA_F64, 8, 8, 4, 1, 1, 0, 2},
};

static enum mma_type mma_type_named(const char *name)
{
    static const char *const names[] = {"", "f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32", "s4", "u4", "b1"};
    for (uint8_t i = 1; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i], name)) return (enum mma_type)i;
    return MMA_NONE;
}

struct mma_spelling {
    struct mma mma;
    enum mma_type types[4];
    bool columns[2];
    uint32_t n_types, n_layouts, n_bit_ops; /* .xor or .and, and .popc */
};

static bool mma_spell(const struct lower *l, struct mma_spelling *s)
{
    *s = (struct mma_spelling){.mma = {.space = SP_GENERIC}};
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum mma_type type = mma_type_named(mod);
        unsigned m, n, k;
        char end;
        bool known = true;
        if (type && s->n_types < 4) s->types[s->n_types++] = type;
        else if ((!strcmp(mod, "row") || !strcmp(mod, "col")) && s->n_layouts < 2)
            s->columns[s->n_layouts++] = mod[0] == 'c';
        else if (sscanf(mod, "m%un%uk%u%c", &m, &n, &k, &end) == 3 && m < 64 && n < 64 && k <= 256) {
            s->mma.m = (uint8_t)m;
            s->mma.n = (uint8_t)n;
            s->mma.k = (uint16_t)k;
        } else if (!strcmp(mod, "satfinite")) s->mma.saturates = true;
        else if (!strcmp(mod, "xor") || !strcmp(mod, "and")) s->mma.is_xor = mod[0] == 'x', s->n_bit_ops++;
        else if (!strcmp(mod, "popc")) s->n_bit_ops++;
        else if (!strcmp(mod, "global") || !strcmp(mod, "shared") || !strcmp(mod, "shared::cta"))
            s->mma.space = mod[0] == 'g' ? SP_GLOBAL : SP_SHARED;
        else
            known = !strcmp(mod, "sync") || !strcmp(mod, "aligned") || !strcmp(mod, "rn") || !strcmp(mod, "load") ||
                    !strcmp(mod, "store") || !strcmp(mod, "mma") || (strlen(mod) == 1 && strchr("abcd", mod[0]));
        if (!known) return false;
    }
    return true;
}

static enum mma_type signed_of(enum mma_type type) { return type == MMA_U8 ? MMA_S8 : type == MMA_U4 ? MMA_S4 : type; }

static bool find_shape(const struct lower *l, struct mma *m, enum mma_type type, bool is_wmma,
                       const struct shape_row **out)
{
    const struct shape_row *rows = is_wmma ? wmma_shapes : mma_shapes;
    const size_t n = is_wmma ? sizeof wmma_shapes / sizeof *rows : sizeof mma_shapes / sizeof *rows;
    type = signed_of(type);
    (void)l;
    for (size_t i = 0; i < n; i++)
        if (rows[i].type == type && rows[i].m == m->m && rows[i].n == m->n && rows[i].k == m->k)
            return *out = &rows[i], true;
    return false;
}

/* The registers of operand k -> kernel->args. A trace instruction names as many of them as it has room for. */
static void fragment_at(struct lower *l, uint32_t k, struct mma *m, enum mma_fragment f, bool is_result)
{
    struct ptx_kernel *kernel = l->kernel;
    const struct operand *o = operand_at(l, k);
    if (!o || l->failed) return;
    const struct operand *items = o->kind == OPND_VECTOR ? o->items : o;
    const uint32_t n = o->kind == OPND_VECTOR ? o->n : 1, width = m->type[f] == MMA_F64 ? 64 : 32;
    if (n != m->n_regs[f]) {
        lower_fail(l, "%s: operand %u has %u registers, expected %u", l->inst->text, k + 1, n, m->n_regs[f]);
        return;
    }
    for (uint32_t i = 0; i < n && !l->failed; i++) {
        struct uses kept = l->r;
        /* and an address, and its stride */
        const bool has_room = is_result ? kept.n_dst < TRACE_MAX_DST : kept.n_src + 2 < TRACE_MAX_SRC;
        if (!has_room) l->r = (struct uses){0};
        const uint32_t slot = is_result ? dest(l, &items[i], width)
                                        : source(l, &items[i], width, m->type[f] == MMA_F32 || m->type[f] == MMA_F64);
        if (!has_room) l->r = kept;
        if (ARRAY_ROOM(kernel->args, kernel->cap_args, kernel->n_args) < 0) lower_memory(l);
        else kernel->args[kernel->n_args++] = (struct call_arg){slot, width / 8};
    }
}

static void mma_add(struct lower *l, const struct mma *m)
{
    struct ptx_kernel *k = l->kernel;
    if (ARRAY_ROOM(k->mmas, k->cap_mmas, k->n_mmas) < 0) {
        lower_memory(l);
        return;
    }
    l->u.target = (uint32_t)k->n_mmas;
    k->mmas[k->n_mmas++] = *m;
}

static uint8_t accumulators(const struct shape_row *row, enum mma_type type)
{
    return type == MMA_F16 ? row->c16 : row->c32;
}

static void decode_multiply(struct lower *l, struct mma_spelling *s, bool is_wmma)
{
    struct mma *m = &s->mma;
    const struct shape_row *row;
    enum mma_type d = s->types[0], a = s->types[1], b = s->types[2], c = s->types[3];
    m->op = is_wmma ? MMA_WMMA : MMA_MMA;
    if (is_wmma && s->n_types == 2) c = s->types[1], a = b = MMA_F16; /* f16: only d and c are named */
    else if (s->n_types != 4) {
        lower_unknown(l);
        return;
    }
    const bool is_int = signed_of(a) == MMA_S8 || signed_of(a) == MMA_S4 || a == MMA_B1;
    if (s->n_layouts != 2 || !find_shape(l, m, a, is_wmma, &row) || signed_of(a) != signed_of(b) ||
        s->n_bit_ops != (a == MMA_B1 ? 2 : 0) || (!is_wmma && (s->columns[0] || !s->columns[1])) ||
        !accumulators(row, d) || !accumulators(row, c) || is_int != (d == MMA_S32) || is_int != (c == MMA_S32) ||
        (a == MMA_F64) != (d == MMA_F64) || (c == MMA_F64) != (d == MMA_F64)) {
        lower_unknown(l);
        return;
    }
    const enum mma_type types[] = {d, a, b, c};
    const uint8_t n[] = {accumulators(row, d), row->a, row->b, accumulators(row, c)};
    for (int f = 0; f < MMA_FRAGMENTS; f++) m->type[f] = (uint8_t)types[f], m->n_regs[f] = n[f];
    m->is_column[MMA_A] = s->columns[0];
    m->is_column[MMA_B] = s->columns[1];
    need_operands(l, 4, 4);
    l->u.imm = (int64_t)l->kernel->n_args;
    for (uint32_t f = 0; f < MMA_FRAGMENTS && !l->failed; f++) fragment_at(l, f, m, (enum mma_fragment)f, f == MMA_D);
    mma_add(l, m);
    emit(l, UOP_MMA, a == MMA_F64 ? TRACE_DP : TRACE_TENSOR);
}

void decode_mma(struct lower *l)
{
    struct mma_spelling s;
    if (!mma_spell(l, &s)) lower_unknown(l);
    else decode_multiply(l, &s, false);
}

/* wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {r}, [p], stride   wmma.store.d...f32 [p], {r}, stride */
static void decode_move(struct lower *l, struct mma_spelling *s, bool is_store)
{
    struct mma *m = &s->mma;
    const struct shape_row *row = NULL;
    const struct var *v;
    const enum mma_type type = s->types[0];
    const char *which = l->inst->n_mods > 1 ? l->inst->mods[1] : "";
    const enum mma_fragment f = which[0] == 'a' ? MMA_A : which[0] == 'b' ? MMA_B : MMA_C;
    const bool is_factor = f != MMA_C;
    /* whose accumulators have this shape */
    static const enum mma_type guesses[] = {MMA_F16, MMA_BF16, MMA_TF32, MMA_S8, MMA_F64};
    bool found = is_factor && find_shape(l, m, type, true, &row);
    for (size_t i = 0; i < 5 && !found && !is_factor; i++)
        found = find_shape(l, m, guesses[i], true, &row) && accumulators(row, type) &&
                (guesses[i] == MMA_F64) == (type == MMA_F64);
    need_operands(l, 2, 3);
    if (l->failed) return;
    if (!found || s->n_types != 1 || s->n_layouts != 1) {
        lower_unknown(l);
        return;
    }
    m->op = is_store ? MMA_STORE : MMA_LOAD;
    m->fragment = (uint8_t)f;
    m->type[MMA_D] = (uint8_t)type;
    m->is_column[MMA_D] = s->columns[0];
    m->n_regs[MMA_D] = f == MMA_A ? row->a : f == MMA_B ? row->b : accumulators(row, type);
    l->u.imm = (int64_t)l->kernel->n_args;
    const int64_t first = l->u.imm;
    fragment_at(l, is_store ? 1 : 0, m, MMA_D, !is_store);
    address_at(l, is_store ? 0 : 1, &v);
    if (v && v->space == SP_PARAM) lower_fail(l, "%s: not for parameters", l->inst->text);
    if (l->inst->n_operands == 3) l->u.b = source_at(l, 2, 32, false);
    l->u.e = (uint32_t)l->u.imm; /* the byte offset; registers are at imm */
    l->u.imm = first;
    l->u.space = (uint8_t)m->space;
    l->t.space = m->space == SP_SHARED ? TRACE_SPACE_SHARED : TRACE_SPACE_GLOBAL;
    l->t.bytes = 16;
    mma_add(l, m);
    emit(l, UOP_MMA, is_store ? TRACE_STORE : TRACE_LOAD);
}

void decode_wmma(struct lower *l)
{
    struct mma_spelling s;
    const char *what = l->inst->n_mods ? l->inst->mods[0] : "";
    if (!mma_spell(l, &s)) lower_unknown(l);
    else if (!strcmp(what, "mma")) decode_multiply(l, &s, true);
    else if (!strcmp(what, "load") || !strcmp(what, "store")) decode_move(l, &s, what[0] == 's');
    else lower_unknown(l);
}

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {a, b, c, d}, [p]; stmatrix has the operands in the other order */
static void decode_8_by_8(struct lower *l, bool is_store)
{
    struct mma m = {
        .op = is_store ? MMA_STMATRIX : MMA_LDMATRIX, .m = 8, .n = 8, .type = {MMA_F16}, .space = SP_GENERIC};
    const struct var *v;
    m.n_regs[MMA_D] = has_mod(l, "x4") ? 4 : has_mod(l, "x2") ? 2 : 1;
    m.transposes = has_mod(l, "trans");
    if (has_mod(l, "shared") || has_mod(l, "shared::cta")) m.space = SP_SHARED;
    if (!has_mod(l, "m8n8") || !has_mod(l, "b16")) {
        lower_unknown(l);
        return;
    }
    need_operands(l, 2, 2);
    const int64_t first = (int64_t)l->kernel->n_args;
    fragment_at(l, is_store, &m, MMA_D, !is_store);
    address_at(l, !is_store, &v);
    if (v && v->space == SP_PARAM) lower_fail(l, "%s: not for parameters", l->inst->text);
    l->u.e = (uint32_t)l->u.imm;
    l->u.imm = first;
    l->u.space = (uint8_t)m.space;
    l->t.space = TRACE_SPACE_SHARED;
    l->t.bytes = 16;
    mma_add(l, &m);
    emit(l, UOP_MMA, is_store ? TRACE_STORE : TRACE_LOAD);
}

void decode_ldmatrix(struct lower *l) { decode_8_by_8(l, false); }
void decode_stmatrix(struct lower *l) { decode_8_by_8(l, true); }
