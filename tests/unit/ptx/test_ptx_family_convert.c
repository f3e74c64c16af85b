/* cvt: every pair of types, rounding, .sat, .ftz and .relu that the ISA allows, bit for bit. Integers and floats are
 * values in binary128 here, where all of them are exact, and are rounded or clamped once. [PTX ISA 9.7.9.22] Half
 * precision and bfloat sources are exhaustive. */
#include "families.h"
#include "quad.h"

struct type {
    const char *name;
    char kind;
    int bits;
    struct format format;
};
static const struct type types[] = {{"u8", 'u', 8, {0, 0}},     {"s8", 's', 8, {0, 0}},     {"u16", 'u', 16, {0, 0}},
                                    {"s16", 's', 16, {0, 0}},   {"u32", 'u', 32, {0, 0}},   {"s32", 's', 32, {0, 0}},
                                    {"u64", 'u', 64, {0, 0}},   {"s64", 's', 64, {0, 0}},   {"f16", 'f', 16, {16, 10}},
                                    {"bf16", 'f', 16, {16, 7}}, {"f32", 'f', 32, {32, 23}}, {"f64", 'f', 64, {64, 52}}};
#define N_TYPES (sizeof types / sizeof types[0])
struct conversion {
    const struct type *to, *from;
    enum quad_mode mode;
    bool integral, sat, ftz, relu;
    int register_bits;
};

static uint64_t low(uint64_t x, int bits) { return bits == 64 ? x : x & (((uint64_t)1 << bits) - 1); }
static int64_t signed_low(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
static uint64_t flush32(uint64_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }

static quad value(const struct conversion *c, uint64_t x)
{
    const struct type *t = c->from;
    if (t->kind == 'u') return (quad)low(x, t->bits);
    if (t->kind == 's') return (quad)signed_low(x, t->bits);
    x = low(x, t->bits);
    if (c->ftz && !strcmp(t->name, "f32")) x = flush32(x);
    return quad_of(t->format, x);
}

/* The integer, extended to the register that takes it. NaN: 0, but where a 64-bit type takes part the lone top bit. */
static uint64_t to_integer(const struct conversion *c, quad x)
{
    const int bits = c->to->bits;
    const bool is_signed = c->to->kind == 's';
    uint64_t code;
    if (is_nan(x)) code = c->from->bits == 64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
    else {
        const quad top = quad_power(bits - is_signed), bottom = is_signed ? -top : (quad)0;
        x = c->from->kind == 'f' ? quad_integral(x, c->mode) : x;
        if (x >= top) code = ((uint64_t)1 << (bits - 1 - is_signed)) * 2 - 1;
        else if (x <= bottom) code = is_signed ? (uint64_t)1 << (bits - 1) : 0;
        else code = low(is_signed ? (uint64_t)(int64_t)x : (uint64_t)x, bits);
    }
    return is_signed ? (uint64_t)signed_low(code, bits) : code;
}

static uint64_t converted(const void *how, struct triple in)
{
    const struct conversion *c = how;
    if (c->to->kind != 'f' && c->from->kind != 'f' && !c->sat) { /* bits: cut or extended */
        const uint64_t x = c->from->kind == 's' ? (uint64_t)signed_low(in.a, c->from->bits) : low(in.a, c->from->bits);
        return low(c->to->kind == 's' ? (uint64_t)signed_low(x, c->to->bits) : low(x, c->to->bits), c->register_bits);
    }
    quad x = value(c, in.a);
    if (c->to->kind != 'f') return low(to_integer(c, x), c->register_bits);
    if (c->integral) x = quad_integral(x, c->mode);
    if (c->sat) x = is_nan(x) || !(x > 0) ? 0 : x < 1 ? x : 1;
    if (c->relu && !is_nan(x) && !(x > 0)) x = 0;
    const uint64_t code = quad_round(c->to->format, x, c->integral ? TO_NEAREST : c->mode);
    return c->ftz && !strcmp(c->to->name, "f32") ? flush32(code) : code;
}

static char register_kind(int bits) { return bits <= 16 ? 'h' : bits == 32 ? 'w' : 'l'; }

static void one(const char *mods, struct conversion c)
{
    char inst[64], kinds[3] = {register_kind(c.register_bits), register_kind(c.from->bits), 0};
    snprintf(inst, sizeof inst, "cvt%s.%s.%s d, a", mods, c.to->name, c.from->name);
    family_case(inst, kinds, converted, &c);
}

static const char *const modes[] = {"rn", "rz", "rm", "rp"}, *const integral_modes[] = {"rni", "rzi", "rmi", "rpi"};
static bool is(const struct type *t, const char *name) { return !strcmp(t->name, name); }

static void integers_to_integers_cut_extend_and_saturate(void **state)
{
    (void)state;
    for (size_t to = 0; to < 8; to++)
        for (size_t from = 0; from < 8; from++) /* registers may be wider than the type */
            for (int wider = types[to].bits < 16 ? 16 : types[to].bits; wider <= 64; wider *= 2) {
                one("", (struct conversion){&types[to], &types[from], TO_NEAREST, false, false, false, false, wider});
                if (wider == types[to].bits || (wider == 16 && types[to].bits == 8))
                    one(".sat",
                        (struct conversion){&types[to], &types[from], TO_NEAREST, false, true, false, false, wider});
            }
    none_wrong();
}

static void floats_to_integers_round_and_clamp(void **state)
{
    (void)state;
    for (size_t to = 0; to < 8; to++)
        for (size_t from = 8; from < N_TYPES; from++)
            for (int mode = 0; mode < 4; mode++)
                for (int more = 0; more < 4; more++) {
                    char mods[24];
                    const bool ftz = more & 1, sat = more & 2;
                    if (ftz && !is(&types[from], "f32")) continue;
                    snprintf(mods, sizeof mods, ".%s%s%s", integral_modes[mode], ftz ? ".ftz" : "", sat ? ".sat" : "");
                    one(mods, (struct conversion){&types[to], &types[from], (enum quad_mode)mode, false, sat, ftz,
                                                  false, types[to].bits < 16 ? 16 : types[to].bits});
                }
    none_wrong();
}

static void integers_to_floats_round_once(void **state)
{
    (void)state;
    for (size_t to = 8; to < N_TYPES; to++)
        for (size_t from = 0; from < 8; from++)
            for (int mode = 0; mode < 4; mode++)
                for (int sat = 0; sat < 2; sat++) {
                    char mods[16];
                    if (sat && is(&types[to], "bf16")) continue;
                    snprintf(mods, sizeof mods, ".%s%s", modes[mode], sat ? ".sat" : "");
                    one(mods, (struct conversion){&types[to], &types[from], (enum quad_mode)mode, false, sat, false,
                                                  false, types[to].bits});
                }
    none_wrong();
}

static void floats_to_floats_narrow_widen_and_become_integral(void **state)
{
    (void)state;
    for (size_t to = 8; to < N_TYPES; to++)
        for (size_t from = 8; from < N_TYPES; from++)
            for (int mode = 0; mode < 4; mode++)
                for (int more = 0; more < 8; more++) {
                    char mods[32];
                    const bool ftz = more & 1, sat = more & 2, relu = more & 4,
                               widens = types[to].bits > types[from].bits;
                    const bool same = to == from;
                    if (widens && mode) continue;
                    if (ftz && !is(&types[from], "f32") && !is(&types[to], "f32")) continue;
                    if (relu && (sat || ftz || mode > 1 || !is(&types[from], "f32") || types[to].bits != 16)) continue;
                    if (sat && is(&types[to], "bf16")) continue;
                    if (!same && types[to].bits == 16 && types[from].bits == 16 && (mode || relu || sat)) continue;
                    snprintf(mods, sizeof mods, "%s%s%s%s%s", widens ? "" : ".",
                             widens ? ""
                             : same ? integral_modes[mode]
                                    : modes[mode],
                             ftz ? ".ftz" : "", relu ? ".relu" : "", sat ? ".sat" : "");
                    one(mods, (struct conversion){&types[to], &types[from], (enum quad_mode)mode, same, sat, ftz, relu,
                                                  types[to].bits});
                }
    one("", (struct conversion){&types[10], &types[10], TO_NEAREST, false, false, false, false, 32});
    one(".sat", (struct conversion){&types[10], &types[10], TO_NEAREST, false, true, false, false, 32});
    one(".ftz.sat", (struct conversion){&types[10], &types[10], TO_NEAREST, false, true, true, false, 32});
    one(".sat", (struct conversion){&types[11], &types[11], TO_NEAREST, false, true, false, false, 64});
    none_wrong();
}

/* cvt.pack: two (or with c four, eight, sixteen) saturated integers in one register. */
static uint64_t clamp_to(int64_t x, int bits, bool is_signed)
{
    const int64_t top = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1,
                  bottom = is_signed ? -top - 1 : 0;
    return low((uint64_t)(x > top ? top : x < bottom ? bottom : x), bits);
}
static uint64_t packed(const void *how, struct triple x)
{
    const struct conversion *c = how;
    const int bits = c->register_bits; /* of an element */
    const uint64_t ta = clamp_to((int32_t)x.a, bits, c->sat), tb = clamp_to((int32_t)x.b, bits, c->sat);
    return ta << bits | tb | (bits < 16 ? x.c << 2 * bits : 0);
}
static uint64_t pair_of(const void *how, struct triple x)
{
    struct conversion one_of = *(const struct conversion *)how;
    return converted(&one_of, (struct triple){x.a, 0, 0}) << 16 | converted(&one_of, (struct triple){x.b, 0, 0});
}
static void two_values_are_packed_into_one_register(void **state)
{
    static const struct {
        const char *type;
        int bits;
        bool is_signed;
    } elements[] = {{"s16", 16, true}, {"u16", 16, false}, {"s8", 8, true}, {"u8", 8, false},
                    {"s4", 4, true},   {"u4", 4, false},   {"s2", 2, true}, {"u2", 2, false}};
    (void)state;
    for (size_t k = 0; k < 8; k++) {
        char inst[64];
        const struct conversion c = {.sat = elements[k].is_signed, .register_bits = elements[k].bits};
        snprintf(inst, sizeof inst, k < 2 ? "cvt.pack.sat.%s.s32 d, a, b" : "cvt.pack.sat.%s.s32.b32 d, a, b, c",
                 elements[k].type);
        family_case(inst, k < 2 ? "www" : "wwww", packed, &c);
    }
    for (int to = 8; to < 10; to++)
        for (int more = 0; more < 4; more++) {
            char inst[64];
            const struct conversion c = {&types[to], &types[10], more & 1 ? TO_ZERO : TO_NEAREST, false, false, false,
                                         more & 2,   16};
            snprintf(inst, sizeof inst, "cvt.%s%s.%sx2.f32 d, a, b", more & 1 ? "rz" : "rn", more & 2 ? ".relu" : "",
                     types[to].name);
            family_case(inst, "www", pair_of, &c);
        }
    none_wrong();
}

/* .tf32: 10 bits of significand in a .b32 register, the rest zero. */
static uint64_t tf32(const void *how, struct triple x)
{
    const struct conversion *c = how;
    const struct format f = {19, 10};
    quad v = quad_of(single_format, x.a);
    if (is_nan(v)) return 0x7fffffff;
    if (c->relu && !(v > 0)) v = 0;
    return quad_round(f, v, c->mode) << 13;
}
static void tf32_keeps_ten_bits(void **state)
{
    (void)state;
    family_case("cvt.rna.tf32.f32 d, a", "ww", tf32, &(struct conversion){.mode = TO_AWAY});
    family_case("cvt.rn.tf32.f32 d, a", "ww", tf32, &(struct conversion){.mode = TO_NEAREST});
    family_case("cvt.rz.tf32.f32 d, a", "ww", tf32, &(struct conversion){.mode = TO_ZERO});
    family_case("cvt.rn.relu.tf32.f32 d, a", "ww", tf32, &(struct conversion){.mode = TO_NEAREST, .relu = true});
    none_wrong();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_to_integers_cut_extend_and_saturate),
        cmocka_unit_test(floats_to_integers_round_and_clamp),
        cmocka_unit_test(integers_to_floats_round_once),
        cmocka_unit_test(floats_to_floats_narrow_widen_and_become_integral),
        cmocka_unit_test(two_values_are_packed_into_one_register),
        cmocka_unit_test(tf32_keeps_ten_bits),
    };
    family_arguments(argc, argv);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u spellings\n", n_cases);
    return rc;
}
