/* Instructions -> micro-operations: the table of mnemonics, and arithmetic. An arithmetic instruction is spelled as
 * the name of its lane function (add.s32 -> add_b32, mul.wide.s32 -> mul_wide_s32, fma.rn.ftz.f32 -> fma_ftz_f32),
 * so that a new lane function needs a row there and nothing here. */
#include <stdio.h>
#include <string.h>
#include "lower/lower.h"
#include "parse/parse.h"

static void decode_arith(struct lower *l);
static void decode_carry(struct lower *l);

struct mnemonic {
    const char *name;
    void (*decode)(struct lower *l);
    uint8_t cls_int, cls_single, cls_double, cls_approx; /* arithmetic: by type; approx: single precision,
                                                          * approximate */
};

/* clang-format off */
#define ARITH(name, i, s, d, a) {name, decode_arith, TRACE_##i, TRACE_##s, TRACE_##d, TRACE_##a}
#define OTHER(name, decode) {name, decode, TRACE_INT, TRACE_INT, TRACE_INT, TRACE_INT}
/* clang-format on */
static const struct mnemonic mnemonics[] = {
    ARITH("abs", INT, FP, DP, FP),
    ARITH("add", INT, FP, DP, FP),
    ARITH("and", INT, INT, INT, INT),
    ARITH("bfe", INT, INT, INT, INT),
    ARITH("bfi", INT, INT, INT, INT),
    ARITH("bfind", INT, INT, INT, INT),
    ARITH("bmsk", INT, INT, INT, INT),
    ARITH("brev", INT, INT, INT, INT),
    ARITH("clz", INT, INT, INT, INT),
    ARITH("cnot", INT, INT, INT, INT),
    ARITH("copysign", INT, FP, DP, FP),
    ARITH("cos", SFU, SFU, SFU, SFU),
    ARITH("div", INT_DIV, FP_DIV, DP_DIV, SFU),
    ARITH("dp2a", INT_MUL, INT, INT, INT),
    ARITH("dp4a", INT_MUL, INT, INT, INT),
    ARITH("ex2", SFU, SFU, SFU, SFU),
    ARITH("fns", INT, INT, INT, INT),
    ARITH("fma", INT_MUL, FP_MUL, DP, FP_MUL),
    ARITH("lg2", SFU, SFU, SFU, SFU),
    ARITH("lop3", INT, INT, INT, INT),
    ARITH("mad", INT_MUL, FP_MUL, DP, FP_MUL),
    ARITH("mad24", INT_MUL, INT, INT, INT),
    ARITH("max", INT, FP, DP, FP),
    ARITH("min", INT, FP, DP, FP),
    ARITH("mul", INT_MUL, FP_MUL, DP, FP_MUL),
    ARITH("mul24", INT_MUL, INT, INT, INT),
    ARITH("neg", INT, FP, DP, FP),
    ARITH("not", INT, INT, INT, INT),
    ARITH("or", INT, INT, INT, INT),
    ARITH("popc", INT, INT, INT, INT),
    ARITH("prmt", INT, INT, INT, INT),
    ARITH("rcp", SFU, FP_DIV, DP_DIV, SFU),
    ARITH("rem", INT_DIV, INT, INT, INT),
    ARITH("rsqrt", SFU, SFU, DP_DIV, SFU),
    ARITH("sad", INT, INT, INT, INT),
    ARITH("shf", INT, INT, INT, INT),
    ARITH("shl", INT, INT, INT, INT),
    ARITH("shr", INT, INT, INT, INT),
    ARITH("sin", SFU, SFU, SFU, SFU),
    ARITH("sqrt", SFU, FP_DIV, DP_DIV, SFU),
    ARITH("sub", INT, FP, DP, FP),
    ARITH("szext", INT, INT, INT, INT),
    ARITH("tanh", SFU, SFU, SFU, SFU),
    ARITH("testp", INT, FP, DP, FP),
    ARITH("xor", INT, INT, INT, INT),
    OTHER("activemask", decode_activemask),
    OTHER("alloca", decode_stack),
    OTHER("elect", decode_elect),
    OTHER("stacksave", decode_stack),
    OTHER("stackrestore", decode_stack),
    OTHER("tex", decode_tex),
    OTHER("tld4", decode_tex),
    OTHER("txq", decode_txq),
    OTHER("suld", decode_surface),
    OTHER("sust", decode_surface),
    OTHER("suq", decode_txq),
    OTHER("wmma", decode_wmma),
    OTHER("mma", decode_mma),
    OTHER("ldmatrix", decode_ldmatrix),
    OTHER("stmatrix", decode_stmatrix),
    OTHER("applypriority", decode_ignored),
    OTHER("discard", decode_ignored),
    OTHER("griddepcontrol", decode_ignored),
    OTHER("setmaxnreg", decode_ignored),
    OTHER("createpolicy", decode_policy),
    OTHER("cp", decode_cp),
    OTHER("mbarrier", decode_mbarrier),
    OTHER("addc", decode_carry),
    OTHER("atom", decode_atom),
    OTHER("bar", decode_bar),
    OTHER("barrier", decode_bar),
    OTHER("bra", decode_bra),
    OTHER("brkpt", decode_trap),
    OTHER("brx", decode_brx),
    OTHER("call", decode_call),
    OTHER("cvt", decode_cvt),
    OTHER("cvta", decode_cvta),
    OTHER("exit", decode_exit),
    OTHER("fence", decode_fence),
    OTHER("isspacep", decode_isspacep),
    OTHER("ld", decode_ld),
    OTHER("ldu", decode_ld),
    OTHER("madc", decode_carry),
    OTHER("match", decode_match),
    OTHER("membar", decode_fence),
    OTHER("mov", decode_mov),
    OTHER("nanosleep", decode_nanosleep),
    OTHER("pmevent", decode_ignored),
    OTHER("prefetch", decode_ignored),
    OTHER("prefetchu", decode_ignored),
    OTHER("red", decode_red),
    OTHER("redux", decode_redux),
    OTHER("ret", decode_ret),
    OTHER("selp", decode_selp),
    OTHER("set", decode_set),
    OTHER("setp", decode_setp),
    OTHER("shfl", decode_shfl),
    OTHER("slct", decode_slct),
    OTHER("st", decode_st),
    OTHER("subc", decode_carry),
    OTHER("trap", decode_trap),
    OTHER("vote", decode_vote),
    OTHER("vadd2", decode_video),
    OTHER("vadd4", decode_video),
    OTHER("vsub2", decode_video),
    OTHER("vsub4", decode_video),
    OTHER("vavrg2", decode_video),
    OTHER("vavrg4", decode_video),
    OTHER("vabsdiff2", decode_video),
    OTHER("vabsdiff4", decode_video),
    OTHER("vmin2", decode_video),
    OTHER("vmin4", decode_video),
    OTHER("vmax2", decode_video),
    OTHER("vmax4", decode_video),
    OTHER("vset2", decode_video),
    OTHER("vset4", decode_video),
    OTHER("vadd", decode_scalar_video),
    OTHER("vsub", decode_scalar_video),
    OTHER("vabsdiff", decode_scalar_video),
    OTHER("vmin", decode_scalar_video),
    OTHER("vmax", decode_scalar_video),
    OTHER("vshl", decode_scalar_video),
    OTHER("vshr", decode_scalar_video),
    OTHER("vmad", decode_scalar_video),
    OTHER("vset", decode_scalar_video),
};

static const struct mnemonic *mnemonic_find(const char *name)
{
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
        if (!strcmp(mnemonics[i].name, name)) return &mnemonics[i];
    return NULL;
}

bool mnemonic_exists(const char *name) { return mnemonic_find(name) != NULL; }

void decode_inst(struct lower *l)
{
    const struct mnemonic *m = mnemonic_find(l->inst->mnemonic);
    const char *refused = ptx_refused(l->inst->mnemonic, l->inst->mods, l->inst->n_mods);
    const char *clash[2];
    if (refused) lower_fail(l, "%s: %s is not supported", l->inst->text, refused);
    else if (!m) lower_unknown(l);
    else if (!ptx_modifiers_clash(l->inst->mnemonic, l->inst->mods, l->inst->n_mods, clash)) m->decode(l);
    else if (clash[1]) lower_fail(l, "%s: .%s and .%s exclude each other", l->inst->text, clash[0], clash[1]);
    else lower_fail(l, "%s: .%s is no modifier of %s", l->inst->text, clash[0], l->inst->mnemonic);
}

/* What the modifiers of an arithmetic instruction say. */
struct spelling {
    char key[96]; /* mnemonic and the modifiers that choose a function */
    enum ptx_type types[4];
    uint32_t n_types;
    bool is_flushed, is_saturated, is_approx, is_carry;
    uint8_t rounding;
};

static void key_add(struct spelling *s, const char *part)
{
    const size_t n = strlen(s->key);
    snprintf(s->key + n, sizeof s->key - n, "%s%s", n ? "_" : "", part);
}

static void spell(const struct lower *l, struct spelling *s)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    *s = (struct spelling){0};
    key_add(s, l->inst->mnemonic);
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        const char *mod = l->inst->mods[i];
        const enum ptx_type type = type_named(mod);
        bool known = false;
        for (uint8_t k = 0; k < 4; k++)
            if (!strcmp(mod, roundings[k])) {
                s->rounding = k;
                known = true;
            }
        if (known) continue;
        if (type && s->n_types < 4) s->types[s->n_types++] = type;
        else if (!strcmp(mod, "ftz")) s->is_flushed = true;
        else if (!strcmp(mod, "sat")) s->is_saturated = true;
        else if (!strcmp(mod, "approx") || !strcmp(mod, "full")) s->is_approx = true;
        else if (!strcmp(mod, "cc")) s->is_carry = true;
        else key_add(s, mod);
    }
}

/* The function for exactly this type, or for any type of its width. */
static const struct lane_op *find_typed(const struct lower *l, const struct spelling *s, const char *prefix,
                                        enum ptx_type type)
{
    char name[192];
    snprintf(name, sizeof name, "%s%s_%s", s->key, prefix, type_name(type));
    const struct lane_op *op = lane_find(l->lanes, name);
    if (op || type_kind(type) == 'f' || type_kind(type) == 'h') return op;
    snprintf(name, sizeof name, "%s%s_b%u", s->key, prefix, type_bits(type));
    return lane_find(l->lanes, name);
}

static enum trace_class class_of(const struct mnemonic *m, enum ptx_type type, bool is_approx)
{
    if (type == T_F64) return (enum trace_class)m->cls_double;
    if (type == T_F32 || type_kind(type) == 'h') return (enum trace_class)(is_approx ? m->cls_approx : m->cls_single);
    return (enum trace_class)m->cls_int;
}

/* max.f32 d, a, b, c is max of max of a and b, and c. */
static bool first_of_three(struct lower *l, const struct lane_op *op)
{
    const char *name = l->inst->mnemonic;
    if ((strcmp(name, "max") != 0 && strcmp(name, "min") != 0) || l->inst->n_operands != 4 || !has_mod(l, "f32"))
        return false;
    const struct uop guard = l->u;
    const struct uses guard_uses = l->r;
    const uint32_t between = new_register(l, T_F32), slot = reg_slot(l, between);
    l->u.a = source_at(l, 1, 32, true);
    l->u.b = source_at(l, 2, 32, true);
    l->u.d = slot;
    l->u.type = T_F32;
    l->u.fn.lane = op->fn;
    use_dst(l, between);
    emit(l, UOP_LANE, TRACE_FP);
    begin(l);
    l->u.guard = guard.guard;
    l->u.flags = guard.flags;
    l->r = guard_uses;
    use_src(l, between);
    l->u.a = slot;
    l->u.b = source_at(l, 3, 32, true);
    l->u.d = dest_at(l, 0, 32);
    l->u.fn.lane = op->fn;
    return true;
}

static void lane_operands(struct lower *l, const struct lane_op *op)
{
    uint32_t *const slots[] = {&l->u.a, &l->u.b, &l->u.c, &l->u.e};
    need_operands(l, op->n_src + 1u, op->n_src + 1u);
    for (uint32_t k = 0; k < op->n_src && !l->failed; k++)
        *slots[k] = source_at(l, k + 1, op->width[k + 1], op->is_float >> (k + 1) & 1);
    l->u.d = dest_at(l, 0, op->width[0]);
    l->u.fn.lane = op->fn;
}

/* The first bit and the length of a field that are numbers: ptxas refuses those above 255, which hardware would cut. */
static void check_field(struct lower *l, uint32_t first)
{
    for (uint32_t k = first; k < first + 2 && !l->failed; k++) {
        const struct operand *o = operand_at(l, k);
        if (o && o->kind == OPND_INT && (uint64_t)o->value > 255)
            lower_fail(l, "%s: operand %u is %lld: a field's first bit and its length are 0 to 255", l->inst->text,
                       k + 1, (long long)o->value);
    }
}

static void decode_arith(struct lower *l)
{
    const struct mnemonic *m = mnemonic_find(l->inst->mnemonic);
    struct spelling s;
    spell(l, &s);
    const enum ptx_type type = s.types[0];
    if (!type || (s.n_types > 1 && strncmp(s.key, "dp", 2) != 0)) {
        lower_unknown(l);
        return;
    }
    if (type == T_PRED) {
        decode_pred_logic(l);
        return;
    }
    if (s.is_carry) {
        decode_carry(l);
        return;
    }
    const bool is_float = type_kind(type) == 'f', is_half = type_kind(type) == 'h';
    if (is_float && !strcmp(s.key, "mad")) strcpy(s.key, "fma"); /* mad.f32 has been fused since sm_20 */
    if (is_half && s.is_approx) key_add(&s, "approx");
    if (type == T_F32 && !strcmp(s.key, "div") && has_mod(l, "approx")) key_add(&s, "approx");
    if (type == T_F64 && s.is_approx && s.is_flushed) key_add(&s, "approx_ftz");
    const char *prefix = is_half                         ? (s.is_flushed     ? (s.is_saturated ? "_ftz_sat" : "_ftz")
                                                            : s.is_saturated ? "_sat"
                                                                             : "")
                         : s.is_flushed && type == T_F32 ? "_ftz"
                         : s.is_saturated && !is_float   ? "_sat"
                                                         : "";
    char dp4a[16] = "";
    if (s.n_types == 2) {
        snprintf(dp4a, sizeof dp4a, "_%s", type_name(s.types[0]));
        prefix = dp4a;
    }
    const struct lane_op *op = find_typed(l, &s, prefix, s.types[s.n_types - 1]);
    if (!op || ((s.is_flushed || s.is_approx) && !is_float && !is_half) || (is_half && s.rounding)) {
        lower_unknown(l);
        return;
    }
    if (!first_of_three(l, op)) lane_operands(l, op);
    if (strcmp(s.key, "bfe") == 0 || strcmp(s.key, "bfi") == 0) check_field(l, s.key[2] == 'e' ? 2 : 3);
    l->u.aux = s.rounding;
    if (s.is_saturated && is_float) l->u.flags |= UOP_SATURATE;
    l->u.type = (uint8_t)type;
    emit(l, s.rounding ? UOP_ROUNDED : UOP_LANE, class_of(m, type, s.is_approx));
}

/* add.cc addc sub.cc subc mad.lo.cc madc.hi.cc: the carry is a predicate of its own. op: 1 = takes it, 2 = gives it */
static void decode_carry(struct lower *l)
{
    struct spelling s;
    spell(l, &s);
    const enum ptx_type type = s.types[0];
    const size_t n = strlen(l->inst->mnemonic);
    const bool takes = l->inst->mnemonic[n - 1] == 'c';
    if (s.n_types != 1 || type_kind(type) == 'f' || type_bits(type) < 32) {
        lower_unknown(l);
        return;
    }
    char key[sizeof s.key + 8];
    snprintf(key, sizeof key, "carry_%.3s%s", s.key, s.key + n); /* addc -> carry_add, madc_lo -> carry_mad_lo */
    memcpy(s.key, key, sizeof s.key);
    const struct lane_op *op = find_typed(l, &s, "", type);
    if (!op) {
        lower_unknown(l);
        return;
    }
    lane_operands(l, op);
    l->u.d2 = carry_slot(l, takes, s.is_carry);
    l->u.op = (uint8_t)((takes ? 1 : 0) | (s.is_carry ? 2 : 0));
    emit(l, UOP_LANE, !strncmp(key, "carry_mad", 9) ? TRACE_INT_MUL : TRACE_INT);
}
