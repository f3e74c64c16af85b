/* Floating point of every width: all roundings, .ftz, .sat, .relu, .NaN, .xorsign.abs, comparisons and classes, bit
 * for bit against arithmetic in binary128 with one rounding. */
#include "families.h"
#include "quad.h"

static const char *const modes[] = {"rn", "rz", "rm", "rp"};

struct spelling {
    struct format format;
    char op; /* + - * / r(eciprocal) q (root) f(ma) < (minimum) > (maximum) */
    enum quad_mode mode;
    bool ftz, sat, relu, nan_wins, xorsign, pair;
    const char *compare, *type;
};

static uint64_t flushed(struct format f, uint64_t code)
{
    const uint64_t exponent = (((uint64_t)1 << (f.bits - 1)) - 1) >> f.fraction << f.fraction;
    return code & exponent ? code : code & (uint64_t)1 << (f.bits - 1);
}

static quad least(quad a, quad b)
{
    return is_nan(a) ? b : is_nan(b) ? a : a < b ? a : b < a ? b : is_negative(a) ? a : b;
}
static quad most(quad a, quad b)
{
    return is_nan(a) ? b : is_nan(b) ? a : a > b ? a : b > a ? b : is_negative(a) ? b : a;
}

static quad operate(const struct spelling *s, quad a, quad b, quad c)
{
    switch (s->op) {
    case '+': return quad_sum(a, b, s->mode);
    case '-': return quad_sum(a, is_nan(b) ? b : with_sign(b, !is_negative(b)), s->mode);
    case '*': return a * b;
    case '/': return a / b;
    case 'r': return 1 / a;
    case 'q': return quad_root(a);
    case 'f': return quad_sum(a * b, c, s->mode);
    case '<': return s->nan_wins && (is_nan(a) || is_nan(b)) ? quad_nan() : least(a, b);
    default: return s->nan_wins && (is_nan(a) || is_nan(b)) ? quad_nan() : most(a, b);
    }
}

static uint64_t one_result(const struct spelling *s, uint64_t a, uint64_t b, uint64_t c)
{
    const struct format f = s->format;
    if (s->ftz) a = flushed(f, a), b = flushed(f, b), c = flushed(f, c);
    const quad x = quad_of(f, a), y = quad_of(f, b);
    quad r = s->xorsign ? operate(s, with_sign(x, false), with_sign(y, false), 0) : operate(s, x, y, quad_of(f, c));
    if (s->xorsign && !is_nan(r)) r = with_sign(r, is_negative(x) != is_negative(y));
    if (s->sat) r = is_nan(r) || !(r > 0) ? 0 : r < 1 ? r : 1;
    if (s->relu && !is_nan(r) && !(r > 0)) r = 0;
    const uint64_t code = quad_round(f, r, s->mode);
    return s->ftz ? flushed(f, code) : code;
}

static uint64_t result(const void *how, struct triple x)
{
    const struct spelling *s = how;
    if (!s->pair) return one_result(s, x.a, x.b, x.c);
    return one_result(s, x.a & 0xffff, x.b & 0xffff, x.c & 0xffff) |
           one_result(s, x.a >> 16 & 0xffff, x.b >> 16 & 0xffff, x.c >> 16 & 0xffff) << 16;
}

/* OP{.rnd}{mods}.type over one, two or three operands */
static void arithmetic_case(const char *name, const char *mods, const char *type, int n_operands, struct spelling s)
{
    char inst[96], kinds[5] = "";
    const char kind = s.format.bits == 64 ? 'l' : s.format.bits == 32 || s.pair ? 'w' : 'h';
    for (int k = 0; k <= n_operands; k++) kinds[k] = kind;
    snprintf(inst, sizeof inst, "%s%s.%s d, a%s%s", name, mods, type, n_operands > 1 ? ", b" : "",
             n_operands > 2 ? ", c" : "");
    family_case(inst, kinds, result, &s);
}

static const struct {
    const char *name;
    char op;
    int n;
    bool directed;
} operations[] = {{"add", '+', 2, false}, {"sub", '-', 2, false}, {"mul", '*', 2, false}, {"fma", 'f', 3, true},
                  {"div", '/', 2, true},  {"rcp", 'r', 1, true},  {"sqrt", 'q', 1, true}};

static void single_precision_in_four_roundings_flushed_and_saturated(void **state)
{
    (void)state;
    for (size_t o = 0; o < 7; o++)
        for (int mode = 0; mode < 4; mode++)
            for (int more = 0; more < (o < 4 ? 4 : 2); more++) {
                char mods[32];
                snprintf(mods, sizeof mods, ".%s%s%s", modes[mode], more & 1 ? ".ftz" : "", more & 2 ? ".sat" : "");
                arithmetic_case(operations[o].name, mods, "f32", operations[o].n,
                                (struct spelling){.format = single_format,
                                                  .op = operations[o].op,
                                                  .mode = (enum quad_mode)mode,
                                                  .ftz = more & 1,
                                                  .sat = more & 2});
            }
    for (int more = 0; more < 4; more++) { /* what says no rounding rounds to nearest */
        char mods[32];
        snprintf(mods, sizeof mods, "%s%s", more & 1 ? ".ftz" : "", more & 2 ? ".sat" : "");
        for (size_t o = 0; o < 3; o++)
            arithmetic_case(
                operations[o].name, mods, "f32", 2,
                (struct spelling){.format = single_format, .op = operations[o].op, .ftz = more & 1, .sat = more & 2});
        arithmetic_case("mad", mods, "f32", 3,
                        (struct spelling){.format = single_format, .op = 'f', .ftz = more & 1, .sat = more & 2});
        snprintf(mods, sizeof mods, ".rz%s%s", more & 1 ? ".ftz" : "", more & 2 ? ".sat" : "");
        arithmetic_case(
            "mad", mods, "f32", 3,
            (struct spelling){.format = single_format, .op = 'f', .mode = TO_ZERO, .ftz = more & 1, .sat = more & 2});
    }
    none_wrong();
}

static void double_precision_in_four_roundings(void **state)
{
    (void)state;
    for (size_t o = 0; o < 7; o++)
        for (int mode = 0; mode < 4; mode++) {
            char mods[8];
            snprintf(mods, sizeof mods, ".%s", modes[mode]);
            arithmetic_case(
                operations[o].name, mods, "f64", operations[o].n,
                (struct spelling){.format = double_format, .op = operations[o].op, .mode = (enum quad_mode)mode});
        }
    arithmetic_case("mad", ".rp", "f64", 3, (struct spelling){.format = double_format, .op = 'f', .mode = TO_PLUS});
    none_wrong();
}

static void half_precision_and_bfloat_and_their_pairs(void **state)
{
    (void)state;
    for (int pair = 0; pair < 2; pair++)
        for (int more = 0; more < 6; more++) {
            const bool ftz = more & 1, sat = more / 2 == 1, relu = more / 2 == 2;
            for (size_t o = 0; o < 4; o++) {
                char mods[32];
                if (relu && operations[o].op != 'f') continue;
                snprintf(mods, sizeof mods, "%s%s%s%s", operations[o].op == 'f' || more == 0 ? ".rn" : "",
                         ftz ? ".ftz" : "", sat ? ".sat" : "", relu ? ".relu" : "");
                arithmetic_case(operations[o].name, mods, pair ? "f16x2" : "f16", operations[o].n,
                                (struct spelling){.format = half_format,
                                                  .op = operations[o].op,
                                                  .ftz = ftz,
                                                  .sat = sat,
                                                  .relu = relu,
                                                  .pair = pair});
                if (!ftz && !sat)
                    arithmetic_case(
                        operations[o].name, mods, pair ? "bf16x2" : "bf16", operations[o].n,
                        (struct spelling){.format = bf16_format, .op = operations[o].op, .relu = relu, .pair = pair});
            }
        }
    none_wrong();
}

static void minima_and_maxima_know_NaN_signed_zero_and_xorsign(void **state)
{
    static const struct {
        const char *type;
        struct format f;
        bool pair, may_flush;
    } types[] = {{"f32", {32, 23}, false, true},
                 {"f16", {16, 10}, false, true},
                 {"f16x2", {16, 10}, true, true},
                 {"bf16", {16, 7}, false, false},
                 {"bf16x2", {16, 7}, true, false}};
    (void)state;
    for (size_t t = 0; t < 5; t++)
        for (int more = 0; more < 16; more++) {
            char mods[48];
            const struct spelling s = {.format = types[t].f,
                                       .op = more & 8 ? '>' : '<',
                                       .ftz = more & 1,
                                       .nan_wins = more & 2,
                                       .xorsign = more & 4,
                                       .pair = types[t].pair};
            if (s.ftz && !types[t].may_flush) continue;
            snprintf(mods, sizeof mods, "%s%s%s", s.ftz ? ".ftz" : "", s.nan_wins ? ".NaN" : "",
                     s.xorsign ? ".xorsign.abs" : "");
            arithmetic_case(more & 8 ? "max" : "min", mods, types[t].type, 2, s);
        }
    arithmetic_case("min", "", "f64", 2, (struct spelling){.format = double_format, .op = '<'});
    arithmetic_case("max", "", "f64", 2, (struct spelling){.format = double_format, .op = '>'});
    none_wrong();
}

/* abs and neg change the sign bit alone, whatever the rest means; copysign(a, b) is b with the sign of a. */
#define FLUSH32(x) flushed(single_format, x)
#define FLUSH16(x) flushed(half_format, (x)&0xffff)
#define SIGNS(R) \
    R(abs32, "abs.f32 d, a", "ww", a & 0x7fffffff) \
    R(neg32, "neg.f32 d, a", "ww", a ^ 0x80000000) \
    R(absftz32, "abs.ftz.f32 d, a", "ww", FLUSH32(a) & 0x7fffffff) \
    R(negftz32, "neg.ftz.f32 d, a", "ww", FLUSH32(a) ^ 0x80000000) \
    R(abs64, "abs.f64 d, a", "ll", a << 1 >> 1) \
    R(neg64, "neg.f64 d, a", "ll", a ^ (uint64_t)1 << 63) \
    R(copysign32, "copysign.f32 d, a, b", "www", (a & 0x80000000) | (b & 0x7fffffff)) \
    R(copysign64, "copysign.f64 d, a, b", "lll", a >> 63 << 63 | b << 1 >> 1) \
    R(abs16, "abs.f16 d, a", "hh", a & 0x7fff) \
    R(neg16, "neg.f16 d, a", "hh", a ^ 0x8000) \
    R(absftz16, "abs.ftz.f16 d, a", "hh", FLUSH16(a) & 0x7fff) \
    R(negftz16, "neg.ftz.f16 d, a", "hh", FLUSH16(a) ^ 0x8000) \
    R(absb16, "abs.bf16 d, a", "hh", a & 0x7fff) \
    R(negb16, "neg.bf16 d, a", "hh", a ^ 0x8000) \
    R(abs16x2, "abs.f16x2 d, a", "ww", a & 0x7fff7fff) \
    R(neg16x2, "neg.f16x2 d, a", "ww", a ^ 0x80008000) \
    R(absftz16x2, "abs.ftz.f16x2 d, a", "ww", (FLUSH16(a) | FLUSH16(a >> 16) << 16) & 0x7fff7fff) \
    R(negftz16x2, "neg.ftz.f16x2 d, a", "ww", (FLUSH16(a) | FLUSH16(a >> 16) << 16) ^ 0x80008000) \
    R(absb16x2, "abs.bf16x2 d, a", "ww", a & 0x7fff7fff) \
    R(negb16x2, "neg.bf16x2 d, a", "ww", a ^ 0x80008000)
#define DEFINE_SIGN(id, inst, kinds, expr) ORACLE(sign_##id, uint64_t, uint64_t, uint64_t, expr)
#define ROW_SIGN(id, inst, kinds, expr) {inst, kinds, sign_##id},
SIGNS(DEFINE_SIGN)
static const struct {
    const char *inst, *kinds;
    oracle_fn *oracle;
} signs[] = {SIGNS(ROW_SIGN)};

static void signs_are_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        family_case(signs[i].inst, signs[i].kinds, signs[i].oracle, NULL);
    none_wrong();
}

static bool compares(const char *op, quad a, quad b)
{
    const bool unordered = is_nan(a) || is_nan(b);
    if (!strcmp(op, "num")) return !unordered;
    if (!strcmp(op, "nan")) return unordered;
    const bool or_unordered = strlen(op) == 3;
    if (unordered) return or_unordered;
    return op[0] == 'e'   ? a == b
           : op[0] == 'n' ? a != b
           : op[0] == 'l' ? (op[1] == 't' ? a < b : a <= b)
           : op[1] == 't' ? a > b
                          : a >= b;
}
static uint64_t comparison(const void *how, struct triple x)
{
    const struct spelling *s = how;
    uint64_t d = 0;
    for (int k = 0; k <= s->pair; k++) {
        uint64_t a = s->pair ? x.a >> 16 * k & 0xffff : x.a, b = s->pair ? x.b >> 16 * k & 0xffff : x.b;
        if (s->ftz) a = flushed(s->format, a), b = flushed(s->format, b);
        const bool is = compares(s->compare, quad_of(s->format, a), quad_of(s->format, b));
        if (!s->type) d |= (uint64_t)is << k; /* setp: p, and of pairs q */
        else if (!strcmp(s->type, "f32")) d = is ? 0x3f800000 : 0;
        else if (s->pair) d |= (uint64_t)(is ? 0x3c00 : 0) << 16 * k;
        else d = is ? 0xffffffff : 0;
    }
    return d;
}
static void comparisons_ordered_and_unordered(void **state)
{
    static const char *const ops[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                      "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const struct {
        const char *type;
        struct format f;
        char kind;
        bool pair, may_flush;
    } types[] = {{"f32", {32, 23}, 'w', false, true},  {"f64", {64, 52}, 'l', false, false},
                 {"f16", {16, 10}, 'h', false, true},  {"bf16", {16, 7}, 'h', false, false},
                 {"f16x2", {16, 10}, 'w', true, true}, {"bf16x2", {16, 7}, 'w', true, false}};
    (void)state;
    const uint32_t keep = n_samples;
    n_samples = n_samples / 4 / 256 * 256;
    for (size_t t = 0; t < 6; t++)
        for (size_t o = 0; o < 14; o++)
            for (int ftz = 0; ftz <= types[t].may_flush; ftz++)
                for (int set = 0; set < 3; set++) {
                    struct spelling s = {.format = types[t].f, .ftz = ftz, .pair = types[t].pair, .compare = ops[o]};
                    char inst[160], kinds[4] = {'w', types[t].kind, types[t].kind};
                    const char *const flush = ftz ? ".ftz" : "";
                    if (set && s.pair && (set == 1 || strcmp(types[t].type, "f16x2") != 0)) continue;
                    if (set && !s.pair && types[t].kind == 'h') continue;
                    if (!set)
                        snprintf(inst, sizeof inst, "setp.%s%s.%s p%s, a, b; selp.u32 d, 1, 0, p%s", ops[o], flush,
                                 types[t].type, s.pair ? "|q" : "",
                                 s.pair ? "; { .reg .b32 t; selp.u32 t, 2, 0, q; or.b32 d, d, t; }" : "");
                    else
                        s.type = set == 1 ? "f32"
                                 : s.pair ? "f16x2"
                                          : "u32",
                        snprintf(inst, sizeof inst, "set.%s%s.%s.%s d, a, b", ops[o], flush, s.type, types[t].type);
                    family_case(inst, kinds, comparison, &s);
                }
    n_samples = keep;
    none_wrong();
}

static uint64_t class_of(const void *how, struct triple x)
{
    const struct spelling *s = how;
    const int exponent_bits = s->format.bits - 1 - s->format.fraction;
    const uint64_t fraction = x.a & (((uint64_t)1 << s->format.fraction) - 1),
                   exponent = x.a >> s->format.fraction & (((uint64_t)1 << exponent_bits) - 1);
    const bool top = exponent == ((uint64_t)1 << exponent_bits) - 1;
    if (!strcmp(s->compare, "finite")) return !top;
    if (!strcmp(s->compare, "infinite")) return top && !fraction;
    if (!strcmp(s->compare, "number")) return !(top && fraction);
    if (!strcmp(s->compare, "notanumber")) return top && fraction;
    if (!strcmp(s->compare, "normal")) return exponent && !top;
    return !exponent && fraction;
}
static void classes(void **state)
{
    static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    (void)state;
    for (size_t k = 0; k < 6; k++)
        for (int wide = 0; wide < 2; wide++) {
            char inst[80];
            const struct spelling s = {.format = wide ? double_format : single_format, .compare = names[k]};
            snprintf(inst, sizeof inst, "testp.%s.f%d p, a; selp.u32 d, 1, 0, p", names[k], wide ? 64 : 32);
            family_case(inst, wide ? "wl" : "ww", class_of, &s);
        }
    none_wrong();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision_in_four_roundings_flushed_and_saturated),
        cmocka_unit_test(double_precision_in_four_roundings),
        cmocka_unit_test(half_precision_and_bfloat_and_their_pairs),
        cmocka_unit_test(minima_and_maxima_know_NaN_signed_zero_and_xorsign),
        cmocka_unit_test(signs_are_bits),
        cmocka_unit_test(comparisons_ordered_and_unordered),
        cmocka_unit_test(classes),
    };
    family_arguments(argc, argv);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u spellings\n", n_cases);
    return rc;
}
