/* Comparisons and video instructions: every spelling against plain C, written from the ISA's definitions and not from
 * the executor. */
#include "families.h"

typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

static s64 clamp(s64 x, s64 least, s64 most) { return x < least ? least : x > most ? most : x; }

/* ---- comparisons ---- */
struct compare {
    const char *op, *type;
    bool is_set, swapped;
    const char *with;
};
static bool compared(const char *op, const char *type, u64 a, u64 b)
{
    const int n = type[1] == '1' ? 16 : type[1] == '3' ? 32 : 64;
    const s64 x = type[0] == 's' ? (s64)(a << (64 - n)) >> (64 - n) : 0,
              y = type[0] == 's' ? (s64)(b << (64 - n)) >> (64 - n) : 0;
    const int order = type[0] == 's' ? (x > y) - (x < y) : (a > b) - (a < b);
    if (!strcmp(op, "eq")) return order == 0;
    if (!strcmp(op, "ne")) return order != 0;
    if (!strcmp(op, "lt") || !strcmp(op, "lo")) return order < 0;
    if (!strcmp(op, "le") || !strcmp(op, "ls")) return order <= 0;
    if (!strcmp(op, "gt") || !strcmp(op, "hi")) return order > 0;
    return order >= 0;
}
static uint64_t comparison(const void *how, struct triple x)
{
    const struct compare *c = how;
    const bool is = compared(c->op, c->type, x.a, x.b), p = x.c & 1;
    const bool with = !strcmp(c->with, "and")   ? is && p
                      : !strcmp(c->with, "or")  ? is || !p
                      : !strcmp(c->with, "xor") ? is != p
                                                : is;
    const bool other = !strcmp(c->with, "and")   ? !is && p
                       : !strcmp(c->with, "or")  ? !is || !p
                       : !strcmp(c->with, "xor") ? !is != p
                                                 : !is;
    return c->is_set ? (with ? 0xffffffff : 0) : with + 2u * other;
}
static void comparisons_of_every_integer_type_with_predicates(void **state)
{
    static const char *const ops[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    static const char *const types[] = {"u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64"};
    static const char *const withs[] = {"", "and", "or", "xor"};
    (void)state;
    const uint32_t keep = n_samples;
    n_samples = n_samples / 4 / 256 * 256; /* 300 cases */
    for (size_t t = 0; t < 9; t++)
        for (size_t o = 0; o < 10; o++)
            for (size_t w = 0; w < 4; w++) {
                if (o >= (types[t][0] == 'u' ? 10 : types[t][0] == 's' ? 6 : 2)) continue;
                const struct compare c = {ops[o], types[t], w == 1, false, withs[w]};
                char inst[200], kinds[5] = "w";
                const char kind = types[t][1] == '1' ? 'h' : types[t][1] == '3' ? 'w' : 'l';
                snprintf(kinds, sizeof kinds, "w%c%cp", kind, kind);
                const char *dot = *withs[w] ? "." : "", *third = w == 0 ? "" : w == 2 ? ", !pc" : ", pc";
                if (c.is_set) snprintf(inst, sizeof inst, "set.%s.and.u32.%s d, a, b, pc", ops[o], types[t]);
                else
                    snprintf(inst, sizeof inst,
                             "setp.%s%s%s.%s p|q, a, b%s; { .reg .b32 t; selp.u32 d, 1, 0, p; selp.u32 t, 2, 0, q; "
                             "or.b32 d, d, t; }",
                             ops[o], dot, withs[w], types[t], third);
                family_case(inst, kinds, comparison, &c);
            }
    n_samples = keep;
    none_wrong();
}

/* ---- video: parts, saturation, second operation, SIMD ---- */
struct video {
    const char *name;
    int lanes;
    bool d_signed, a_signed, b_signed, sat, add;
    const char *compare;
    int a_part, b_part, d_part, second;
};
static const char *const parts[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
static s64 part(u64 x, int which, bool is_signed)
{
    const int bits_of = which == 0  ? 32
                        : which < 5 ? 8
                                    : 16,
              at = which == 0  ? 0
                   : which < 5 ? 8 * (which - 1)
                               : 16 * (which - 5);
    const u64 raw = x >> at & (((u64)1 << bits_of) - 1);
    return is_signed && raw >> (bits_of - 1) ? (s64)raw - ((s64)1 << bits_of) : (s64)raw;
}
static s64 video_operate(const struct video *v, s64 a, s64 b)
{
    if (v->compare) return compared(v->compare, "s64", (u64)a, (u64)b);
    if (!strcmp(v->name, "vadd")) return a + b;
    if (!strcmp(v->name, "vsub")) return a - b;
    if (!strcmp(v->name, "vabsdiff")) return a > b ? a - b : b - a;
    if (!strcmp(v->name, "vmin")) return a < b ? a : b;
    if (!strcmp(v->name, "vmax")) return a > b ? a : b;
    const s64 doubled = 2 * (a + b);
    return (doubled + (doubled < 0 ? -2 : 2)) / 4; /* vavrg: the half away from zero, as nvcc 13's __vavgs2 has it */
}
static uint64_t video_simd(const void *how, struct triple x)
{
    const struct video *v = how;
    const int bits_of = 32 / v->lanes;
    u32 packed = 0, sum = (u32)x.c;
    for (int k = 0; k < v->lanes; k++) {
        const int which = v->lanes == 4 ? 1 + k : 5 + k;
        s64 r = video_operate(v, part(x.a, which, v->a_signed), part(x.b, which, v->b_signed));
        if (v->sat && !v->add)
            r = v->d_signed ? clamp(r, -(1 << (bits_of - 1)), (1 << (bits_of - 1)) - 1)
                            : clamp(r, 0, (1 << bits_of) - 1);
        packed |= ((u32)r & ((1u << bits_of) - 1)) << k * bits_of;
        sum += (u32)r;
    }
    return v->add ? sum : packed;
}
static uint64_t video_scalar(const void *how, struct triple x)
{
    const struct video *v = how;
    s64 r = video_operate(v, part(x.a, v->a_part, v->a_signed), part(x.b, v->b_part, v->b_signed));
    const int bits_of = v->d_part == 0  ? 32
                        : v->d_part < 5 ? 8
                                        : 16,
              at = v->d_part == 0  ? 0
                   : v->d_part < 5 ? 8 * (v->d_part - 1)
                                   : 16 * (v->d_part - 5);
    if (v->sat)
        r = v->d_signed ? clamp(r, -((s64)1 << (bits_of - 1)), ((s64)1 << (bits_of - 1)) - 1)
                        : clamp(r, 0, ((s64)1 << bits_of) - 1);
    if (v->d_part) {
        const u64 mask = (((u64)1 << bits_of) - 1) << at;
        return (x.c & ~mask) | ((u64)r << at & mask);
    }
    const u32 value = (u32)r, c = (u32)x.c;
    if (v->second == 1) return value + c;
    if (v->second) return (v->d_signed ? (s32)value < (s32)c : value < c) == (v->second == 2) ? value : c;
    return value;
}
static void video_instructions_on_parts_and_vectors(void **state)
{
    static const char *const names[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"}, *const compares[] = {
                                                                                                  "eq", "ne", "lt",
                                                                                                  "le", "gt", "ge"};
    static const char *const seconds[] = {"", ".add", ".min", ".max"};
    (void)state;
    const uint32_t keep = n_samples;
    n_samples = n_samples / 4 / 256 * 256;
    for (u32 i = 0; i < 384; i++) { /* combinations drawn by number */
        const u64 r = mix(i + 1000);
        struct video v = {names[i % 6],
                          i & 8 ? 4 : 2,
                          r & 1,
                          r >> 1 & 1,
                          r >> 2 & 1,
                          r >> 3 & 1,
                          i % 3 == 0,
                          NULL,
                          (int)(r >> 8) % 7 & 7,
                          (int)(r >> 16 & 0xff) % 7,
                          0,
                          0};
        v.a_part = (int)(r >> 8 & 0xff) % 7;
        char inst[160];
        if (i % 2) { /* SIMD */
            if (i % 10 == 1) v.compare = compares[i / 10 % 6], v.sat = v.d_signed = false;
            if (v.compare)
                snprintf(inst, sizeof inst, "vset%d.%s32.%s32.%s%s d, a, b, c", v.lanes, v.a_signed ? "s" : "u",
                         v.b_signed ? "s" : "u", v.compare, v.add ? ".add" : "");
            else
                snprintf(inst, sizeof inst, "%s%d.%s32.%s32.%s32%s d, a, b, c", v.name, v.lanes, v.d_signed ? "s" : "u",
                         v.a_signed ? "s" : "u", v.b_signed ? "s" : "u",
                         v.add   ? ".add"
                         : v.sat ? ".sat"
                                 : "");
            family_case(inst, "wwww", video_simd, &v);
            continue;
        }
        if (!strcmp(v.name, "vavrg")) v.name = "vadd";
        v.second = (int)(r >> 24 & 3);
        if (!v.second && r >> 27 & 1) v.d_part = (int)(r >> 28 & 0xff) % 6 + 1;
        if (i % 10 == 2) v.compare = compares[i / 10 % 6], v.sat = false, v.d_signed = v.a_signed;
        const char *const types = v.a_signed ? "s" : "u";
        if (v.compare) {
            v.d_part = 0; /* the second operation of a comparison is unsigned here: the values are 0 and 1 */
            if (v.second > 1) v.second = 1;
            snprintf(inst, sizeof inst, "vset.%s32.%s32.%s%s d, a%s, b%s%s", types, v.b_signed ? "s" : "u", v.compare,
                     seconds[v.second], parts[v.a_part], parts[v.b_part], v.second ? ", c" : "");
        } else {
            snprintf(inst, sizeof inst, "%s.%s32.%s32.%s32%s%s d%s, a%s, b%s%s", v.name, v.d_signed ? "s" : "u", types,
                     v.b_signed ? "s" : "u", v.sat ? ".sat" : "", seconds[v.second], parts[v.d_part], parts[v.a_part],
                     parts[v.b_part], v.second || v.d_part ? ", c" : "");
        }
        family_case(inst, "wwww", video_scalar, &v);
    }
    n_samples = keep;
    none_wrong();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_of_every_integer_type_with_predicates),
        cmocka_unit_test(video_instructions_on_parts_and_vectors),
    };
    family_arguments(argc, argv);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u spellings\n", n_cases);
    return rc;
}
