/* atom and red: every operation and type that the ISA has, in global, shared and generic addressing, with all lanes
 * of a warp on one address, in the order of the lanes; what each lane gets back and what stays in memory, bit for
 * bit. */
#include "families.h"
#include "quad.h"

struct atomic {
    const char *op, *type;
    int bits;
    char space; /* g s and *, generic */
    bool red;
};

static uint64_t low(uint64_t x, int bits) { return bits == 64 ? x : x & (((uint64_t)1 << bits) - 1); }
static uint64_t flushed(uint64_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }
static uint64_t sum(struct format f, uint64_t a, uint64_t b)
{
    return quad_round(f, quad_sum(quad_of(f, a), quad_of(f, b), TO_NEAREST), TO_NEAREST);
}

static uint64_t apply(const struct atomic *a, uint64_t old, uint64_t b, uint64_t c)
{
    const bool is_signed = a->type[0] == 's';
    const int64_t x = (int64_t)(old << (64 - a->bits)) >> (64 - a->bits),
                  y = (int64_t)(b << (64 - a->bits)) >> (64 - a->bits);
    const bool less = is_signed ? y < x : b < old;
    if (!strcmp(a->op, "min")) return less ? b : old;
    if (!strcmp(a->op, "max")) return less || b == old ? old : b;
    if (!strcmp(a->op, "and")) return old & b;
    if (!strcmp(a->op, "or")) return old | b;
    if (!strcmp(a->op, "xor")) return old ^ b;
    if (!strcmp(a->op, "exch")) return b;
    if (!strcmp(a->op, "cas")) return old == b ? c : old;
    if (!strcmp(a->op, "inc")) return old >= b ? 0 : old + 1;
    if (!strcmp(a->op, "dec")) return old == 0 || old > b ? b : old - 1;
    if (!strcmp(a->type, "f32"))
        return a->space != 's' ? flushed(sum(single_format, flushed(old), flushed(b))) : sum(single_format, old, b);
    if (!strcmp(a->type, "f64")) return sum(double_format, old, b);
    if (!strcmp(a->type, "f16")) return sum(half_format, old, b);
    if (!strcmp(a->type, "bf16")) return sum(bf16_format, old, b);
    if (!strcmp(a->type, "f16x2"))
        return sum(half_format, old & 0xffff, b & 0xffff) | sum(half_format, old >> 16, b >> 16) << 16;
    if (!strcmp(a->type, "bf16x2"))
        return sum(bf16_format, old & 0xffff, b & 0xffff) | sum(bf16_format, old >> 16, b >> 16) << 16;
    return low(old + b, a->bits);
}

/* 32 lanes on one element; rounds are as many warps' worth, each with values of its own. */
static void run_case(const struct atomic *a)
{
    enum { ROUNDS = 64 };
    const uint32_t bytes = (uint32_t)a->bits / 8;
    const char kind = a->bits == 16 ? 'h' : a->bits == 32 ? 'w' : 'l';
    static uint64_t first[ROUNDS], b[ROUNDS * 32], c[ROUNDS * 32];
    char text[4096], op[64];
    struct rig_device d;
    rig_init(&d);
    for (uint32_t i = 0; i < ROUNDS * 32; i++) {
        b[i] = sample(kind, i, 1), c[i] = sample(kind, i, 2);
        /* so that some succeed */
        if (!strcmp(a->op, "cas") && i % 3) b[i] = i % 32 ? c[i - 1] : sample(kind, i / 32, 3);
        if (a->op[0] == 'i' || a->op[0] == 'd') b[i] &= i % 2 ? 7 : ~(uint64_t)0;
        if (i % 32 == 0) first[i / 32] = sample(kind, i / 32, 3);
    }
    const uint64_t memory = rig_alloc(&d, ROUNDS * 8, first), in_b = rig_alloc(&d, sizeof b, b),
                   in_c = rig_alloc(&d, sizeof c, c), out = rig_alloc(&d, sizeof b, NULL);
    const char *reg = register_of(kind),
               *space = a->space == 'g'   ? ".global"
                        : a->space == 's' ? ".shared"
                                          : "",
               *hint =
                   strchr("fb", a->type[0]) && a->bits < 64 && strcmp(a->op, "add") == 0 && strcmp(a->type, "f32") != 0
                       ? ".noftz"
                       : "";
    snprintf(op, sizeof op, "%s%s.%s%s.%s", a->red ? "red" : "atom", space, a->op, hint, a->type);
    snprintf(
        text, sizeof text,
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 pm, .param .u64 pb, .param .u64 pc, "
        ".param .u64 po) {\n.reg .b64 m, x, y, z, o; .reg .b32 i, w; .reg .%s d, b, c;\n"
        ".shared .align 8 .b8 s[8]; mov.u32 i, %%tid.x; mov.u32 w, %%ctaid.x; ld.param.u64 m, [pm]; mul.wide.u32 x, w, "
        "8; add.u64 m, m, x;\n"
        "mad.lo.u32 i, w, 32, i; mul.wide.u32 y, i, 8; ld.param.u64 x, [pb]; add.u64 x, x, y; ld.global.%s b, [x]; "
        "ld.param.u64 x, [pc]; add.u64 x, x, y; ld.global.%s c, [x];\n"
        "ld.param.u64 o, [po]; add.u64 o, o, y; mov.%s d, %s;\n%s\n%s %s[%s], b%s;\n%s\nst.global.%s [o], d; ret; }\n",
        reg, reg, reg, reg, "b", a->space == 's' ? "ld.global.b64 z, [m]; st.shared.b64 [s], z; bar.sync 0;" : "", op,
        a->red ? "" : "d, ", a->space == 's' ? "s" : "m", !strcmp(a->op, "cas") ? ", c" : "",
        a->space == 's' ? "bar.sync 0; ld.shared.b64 z, [s]; st.global.b64 [m], z;" : "", reg);
    const uint64_t params[] = {memory, in_b, in_c, out};
    rig_run(&d, text, ROUNDS, 32, params, 4);
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint64_t value = low(first[r], a->bits), got = 0;
        for (uint32_t l = 0; l < 32; l++) {
            const uint32_t i = r * 32 + l;
            memcpy(&got, (unsigned char *)rig_host(&d, out) + 8 * i, bytes);
            if (!a->red && got != value) fail_msg("%s round %u lane %u gives back %lx, not %lx", op, r, l, got, value);
            value = apply(a, value, low(b[i], a->bits), low(c[i], a->bits));
        }
        memcpy(&got, (unsigned char *)rig_host(&d, memory) + 8 * r, bytes);
        if (got != value) fail_msg("%s round %u leaves %lx, not %lx", op, r, got, value);
    }
    rig_fini(&d);
    n_cases++;
}

static void every_operation_and_type_in_every_space(void **state)
{
    static const struct {
        const char *op, *types;
    } rows[] = {{"add", "u32 s32 u64 s64 f32 f64 f16 bf16 f16x2 bf16x2"},
                {"min", "u32 s32 u64 s64"},
                {"max", "u32 s32 u64 s64"},
                {"and", "b32 b64"},
                {"or", "b32 b64"},
                {"xor", "b32 b64"},
                {"exch", "b16 b32 b64 u32 f32 u64"},
                {"cas", "b16 b32 b64 u64"},
                {"inc", "u32"},
                {"dec", "u32"}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char types[80], *save, *type;
        snprintf(types, sizeof types, "%s", rows[k].types);
        for (type = strtok_r(types, " ", &save); type; type = strtok_r(NULL, " ", &save))
            for (int space = 0; space < 3; space++)
                for (int red = 0; red < (!strcmp(rows[k].op, "cas") || !strcmp(rows[k].op, "exch") ? 1 : 2); red++) {
                    const int bits = strstr(type, "x2") ? 32 : atoi(type + (type[0] == 'b' && type[1] == 'f' ? 2 : 1));
                    run_case(&(struct atomic){rows[k].op, type, bits, "gs*"[space], red});
                }
    }
}

static void vectors_are_added_element_by_element(void **state)
{
    struct rig_device d;
    char text[1024];
    (void)state;
    rig_init(&d);
    const float begin[4] = {1, 2, 3, 1e-40f};
    const uint32_t halves[2] = {0x3c003c00, 0x40003c00}; /* 1 1 and 1 2 */
    const uint64_t at = rig_alloc(&d, 16, begin), pairs = rig_alloc(&d, 8, halves), out = rig_alloc(&d, 512, NULL),
                   params[] = {at, pairs, out};
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 pa, .param .u64 pb, .param .u64 po) "
             "{ .reg .b64 a, b, o, x; .reg .b32 i, h<4>; .reg .f32 f<8>;\n"
             "mov.u32 i, %%tid.x; ld.param.u64 a, [pa]; ld.param.u64 b, [pb]; ld.param.u64 o, [po]; mul.wide.u32 x, i, "
             "16; add.u64 o, o, x; cvt.rn.f32.u32 f0, i;\n"
             "atom.global.v4.f32.add {f4, f5, _, f7}, [a], {f0, 1.0, f0, 0f00000001}; mov.b32 f6, 0; st.global.v4.f32 "
             "[o], {f4, f5, f6, f7};\n"
             "mov.b32 h0, 0x3c000000; red.relaxed.gpu.global.add.noftz.v2.f16x2 [b], {h0, h0}; ret; }\n");
    rig_run(&d, text, 1, 32, params, 3);
    const float *after = rig_host(&d, at), *got = rig_host(&d, out);
    assert_true(after[0] == 1 + 31 * 32 / 2 && after[1] == 2 + 32 && after[2] == 3 + 31 * 32 / 2);
    assert_true(after[3] == 0); /* in global memory subnormals are flushed */
    for (uint32_t i = 0; i < 32; i++)
        assert_true(got[4 * i] == 1 + (float)(i * (i - 1) / 2) && got[4 * i + 1] == 2 + (float)i &&
                    (i ? got[4 * i + 3] == 0 : got[3] == 1e-40f));
    assert_int_equal(0x50203c00, *(uint32_t *)rig_host(&d, pairs));     /* 1 + 32 = 33 above, 1 + 0 below */
    assert_int_equal(0x50403c00, ((uint32_t *)rig_host(&d, pairs))[1]); /* 2 + 32 = 34 */
    rig_fini(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_and_type_in_every_space),
        cmocka_unit_test(vectors_are_added_element_by_element),
    };
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u spellings\n", n_cases);
    return rc;
}
