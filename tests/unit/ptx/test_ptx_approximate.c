/* Approximate functions against long double, over inputs strided through all 2^32 encodings: the largest error of
 * each, in the unit in which the PTX ISA states its bound, must be within that bound. Special values as the ISA's
 * tables have them.
 *     test_ptx_approximate [STRIDE [NAME]]
 * STRIDE 1 looks at every encoding (an hour and a half for all functions on one core); the default takes a second. */
#include <float.h>
#include "families.h"
#include "quad.h"

typedef long double wide;
enum unit { RELATIVE, ABSOLUTE, ULP };
struct function {
    const char *inst;
    enum unit unit;
    double bound;    /* [PTX ISA 9.7.3] */
    double from, to; /* magnitudes of the inputs for which it is stated */
    wide (*exact)(wide a, wide b);
    const char *binary; /* the other operand, where there is one */
};

static wide exact_rcp(wide a, wide b) { return (void)b, 1 / a; }
static wide exact_sqrt(wide a, wide b) { return (void)b, sqrtl(a); }
static wide exact_rsqrt(wide a, wide b) { return (void)b, 1 / sqrtl(a); }
static wide exact_ex2(wide a, wide b) { return (void)b, exp2l(a); }
static wide exact_lg2(wide a, wide b) { return (void)b, log2l(a); }
static wide exact_sin(wide a, wide b) { return (void)b, sinl(a); }
static wide exact_cos(wide a, wide b) { return (void)b, cosl(a); }
static wide exact_tanh(wide a, wide b) { return (void)b, tanhl(a); }
static wide exact_div(wide a, wide b) { return b / a; }

#define ALL_FLOATS 0.0, FLT_MAX
static const struct function functions[] = {
    {"rcp.approx.f32 d, a", ULP, 1.0, ALL_FLOATS, exact_rcp, NULL},
    {"rcp.approx.ftz.f32 d, a", ULP, 1.0, FLT_MIN, 0x1p126, exact_rcp, NULL},
    {"sqrt.approx.f32 d, a", RELATIVE, 0x1p-23, ALL_FLOATS, exact_sqrt, NULL},
    {"rsqrt.approx.f32 d, a", RELATIVE, 1.2761e-07, ALL_FLOATS, exact_rsqrt, NULL}, /* 2^-22.9 */
    {"ex2.approx.f32 d, a", ULP, 2.0, ALL_FLOATS, exact_ex2, NULL},
    {"lg2.approx.f32 d, a", ABSOLUTE, 0x1p-22, 0.5, 2.0, exact_lg2, NULL},
    {"lg2.approx.f32 d, a", RELATIVE, 0x1p-22, 2.0, FLT_MAX, exact_lg2, NULL},
    {"sin.approx.f32 d, a", ABSOLUTE, 6.7435e-07, 0.0, 3.14159265358979, exact_sin, NULL}, /* 2^-20.5 */
    {"cos.approx.f32 d, a", ABSOLUTE, 6.7435e-07, 0.0, 3.14159265358979, exact_cos, NULL},
    {"tanh.approx.f32 d, a", RELATIVE, 0x1p-11, ALL_FLOATS, exact_tanh, NULL},
    {"div.approx.f32 d, b, a", ULP, 2.0, 0x1p-126, 0x1p126, exact_div, "b"},
    {"div.full.f32 d, b, a", ULP, 2.0, ALL_FLOATS, exact_div, "b"},
};
#define N_FUNCTIONS (sizeof functions / sizeof functions[0])

static uint32_t stride = 4099;
static const char *only;

/* Distance of the result from the exact value; infinity where one is a NaN and the other is not. */
static double error_of(const struct function *f, float got, wide exact)
{
    const float nearest = (float)exact;
    if (exact != exact || got != got) return exact != exact && got != got ? 0.0 : HUGE_VAL;
    /* overflow and underflow round like everybody's */
    const bool is_extreme = fabsf(nearest) > FLT_MAX || fabsf(nearest) < FLT_MIN;
    if (got == nearest && is_extreme) return 0.0;
    const wide off = fabsl((wide)got - exact);
    if (f->unit == ABSOLUTE) return (double)off;
    if (f->unit == RELATIVE) return (double)(off / fabsl(exact));
    int exponent;
    frexpl(exact, &exponent);
    return (double)(off / ldexpl(1, (exponent - 1 < -126 ? -126 : exponent - 1) - 23));
}

static double worst_of(const struct function *f, float *where)
{
    enum { CHUNK = 1 << 18 };
    struct error err = {0};
    struct ptx_module *module = family_module(f->inst, f->binary ? "www" : "ww", &err);
    if (!module) fail_msg("%s", err.text);
    const size_t bytes = (size_t)CHUNK * 4;
    struct family_memory m = {aligned_alloc(256, 3 * bytes), {FAMILY_BASE, FAMILY_BASE + 3 * bytes, NULL}};
    float *d = (float *)(void *)m.bytes, *a = d + CHUNK, *b = a + CHUNK;
    const uint64_t params[4] = {FAMILY_BASE, FAMILY_BASE + bytes, FAMILY_BASE + 2 * bytes, 0};
    const struct ptx_memory memory = {m.bytes, FAMILY_BASE, 3 * bytes, family_find, &m};
    double worst = 0.0;
    for (uint64_t next = 0; next <= UINT32_MAX;) {
        uint32_t n = 0;
        for (; n < CHUNK && next <= UINT32_MAX; next += stride) {
            const uint32_t bits = (uint32_t)next, other = (uint32_t)mix(next) & 0x807fffffu;
            float x;
            memcpy(&x, &bits, 4);
            if (!((double)fabsf(x) >= f->from && (double)fabsf(x) <= f->to)) continue;
            memcpy(&a[n], &bits, 4);
            const uint32_t numerator = other | (uint32_t)(127 - 40 + mix(next + 1) % 80) << 23;
            memcpy(&b[n++], &numerator, 4);
        }
        for (uint32_t i = n; i < CHUNK; i++) a[i] = b[i] = 1.0f;
        const struct ptx_grid grid = {{CHUNK / 256, 1, 1}, {256, 1, 1}, 0};
        if (ptx_run(ptx_module_kernel(module, 0), &grid, params, 32, &memory, NULL, 0, NULL, &err) < 0)
            fail_msg("%s", err.text);
        for (uint32_t i = 0; i < n; i++) {
            const double e = error_of(f, d[i], f->exact(a[i], b[i]));
            if (e > worst) worst = e, *where = a[i];
        }
    }
    ptx_module_free(module);
    free(m.bytes);
    return worst;
}

static void errors_are_within_the_stated_bounds(void **state)
{
    static const char *const units[] = {"relative", "absolute", "ulp"};
    (void)state;
    unsigned wrong = 0;
    printf("%-26s %-9s %12s %12s  at\n", "instruction", "unit", "largest", "stated");
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        float where = 0;
        if (only && strncmp(only, functions[i].inst, strlen(only)) != 0) continue;
        const double worst = worst_of(&functions[i], &where);
        printf("%-26s %-9s %12.4g %12.4g  %a\n", functions[i].inst, units[functions[i].unit], worst, functions[i].bound,
               (double)where);
        wrong += !(worst <= functions[i].bound);
    }
    assert_int_equal(0, wrong);
}

/* What the ISA's tables give for zeros, infinities, NaN, negative numbers and subnormals. */
static void special_values_as_the_tables_have_them(void **state)
{
    const float nan = NAN, inf = INFINITY, tiny = 1e-40f;
    const struct {
        const char *inst;
        float in, out;
    } rows[] = {{"rcp.approx.f32 d, a", inf, 0.0f},
                {"rcp.approx.f32 d, a", -inf, -0.0f},
                {"rcp.approx.f32 d, a", -0.0f, -inf},
                {"rcp.approx.ftz.f32 d, a", tiny, inf},
                {"sqrt.approx.f32 d, a", -1.0f, nan},
                {"sqrt.approx.f32 d, a", -0.0f, -0.0f},
                {"sqrt.approx.ftz.f32 d, a", -tiny, -0.0f},
                {"sqrt.approx.f32 d, a", inf, inf},
                {"rsqrt.approx.f32 d, a", -1.0f, nan},
                {"rsqrt.approx.f32 d, a", 0.0f, inf},
                {"rsqrt.approx.f32 d, a", -0.0f, -inf},
                {"rsqrt.approx.f32 d, a", inf, 0.0f},
                {"rsqrt.approx.ftz.f32 d, a", -tiny, -inf},
                {"rsqrt.approx.f32 d, a", -inf, nan},
                {"ex2.approx.f32 d, a", -inf, 0.0f},
                {"ex2.approx.f32 d, a", inf, inf},
                {"ex2.approx.f32 d, a", -0.0f, 1.0f},
                {"ex2.approx.ftz.f32 d, a", -130.0f, 0.0f},
                {"lg2.approx.f32 d, a", 0.0f, -inf},
                {"lg2.approx.f32 d, a", -0.0f, -inf},
                {"lg2.approx.f32 d, a", -1.0f, nan},
                {"lg2.approx.f32 d, a", inf, inf},
                {"lg2.approx.ftz.f32 d, a", tiny, -inf},
                {"sin.approx.f32 d, a", inf, nan},
                {"sin.approx.f32 d, a", -0.0f, -0.0f},
                {"sin.approx.ftz.f32 d, a", -tiny, -0.0f},
                {"cos.approx.f32 d, a", -inf, nan},
                {"cos.approx.f32 d, a", -0.0f, 1.0f},
                {"tanh.approx.f32 d, a", inf, 1.0f},
                {"tanh.approx.f32 d, a", -inf, -1.0f},
                {"tanh.approx.f32 d, a", -0.0f, -0.0f},
                {"tanh.approx.f32 d, a", nan, nan},
                {"div.approx.f32 d, a, 0f7F7FFFFF", 1.0f, 0.0f},
                {"div.approx.f32 d, a, 0fFF7FFFFF", 1.0f, -0.0f},
                {"div.approx.f32 d, a, 0f7F7FFFFF", inf, nan},
                {"div.full.f32 d, a, 0f7F7FFFFF", FLT_MAX, 1.0f}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float got;
        rig_op(rows[i].inst, "f32", "f32", "", "", 1, &got, 4, &rows[i].in, NULL, NULL);
        if (rows[i].out != rows[i].out ? got == got : memcmp(&got, &rows[i].out, 4) != 0)
            fail_msg("%s of %a: %a, not %a", rows[i].inst, (double)rows[i].in, (double)got, (double)rows[i].out);
    }
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper 32 bits and give those: 20 bits of significand. */
static uint64_t upper(uint64_t x) { return (x & 0x7ff0000000000000) ? x >> 32 << 32 : x >> 63 << 63; }
static uint64_t gross(const void *how, struct triple x)
{
    const quad v = quad_of(double_format, upper(x.a));
    if (quad_of(double_format, x.a) != quad_of(double_format, x.a)) return 0x7ff8000000000000;
    return upper(quad_round(double_format, how ? 1 / quad_root(v) : 1 / v, TO_NEAREST));
}
static void gross_approximations_of_doubles_have_twenty_bits(void **state)
{
    (void)state;
    family_case("rcp.approx.ftz.f64 d, a", "ll", gross, NULL);
    none_wrong();
    double worst = 0;
    uint64_t seed = 1;
    for (int i = 0; i < 64; i++) { /* the reciprocal root is rounded twice there, so it is held by its error */
        double in[32], out[32];
        for (int k = 0; k < 32; k++, seed += 2)
            in[k] = ldexp(1.0 + (double)(mix(seed) >> 12) * 0x1p-52, (int)(mix(seed + 1) % 2000) - 1000);
        rig_op("rsqrt.approx.ftz.f64 d, a", "f64", "f64", "", "", 32, out, 8, in, NULL, NULL);
        for (int k = 0; k < 32; k++) worst = fmax(worst, (double)fabsl(out[k] * sqrtl(in[k]) - 1));
    }
    assert_true(worst > 0 && worst < 0x1p-19);
}

/* Half precision and bfloat: all 65536 encodings. */
static void small_formats_are_within_their_bounds(void **state)
{
    static const struct {
        const char *inst;
        struct format f;
        double bound;
        wide (*exact)(wide a, wide b);
    } rows[] = {/* 2^-9.9, 2^-10.987 */
                {"ex2.approx.f16 d, a", {16, 10}, 1.0469e-3, exact_ex2},
                {"tanh.approx.f16 d, a", {16, 10}, 4.9275e-4, exact_tanh},
                {"ex2.approx.ftz.bf16 d, a", {16, 7}, 0x1p-7, exact_ex2},
                {"tanh.approx.bf16 d, a", {16, 7}, 0x1p-8, exact_tanh}};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (uint32_t base = 0; base < 65536; base += 1024) {
            uint16_t in[1024], out[1024];
            for (uint32_t k = 0; k < 1024; k++) in[k] = (uint16_t)(base + k);
            rig_op(rows[i].inst, "b16", "b16", "", "", 1024, out, 2, in, NULL, NULL);
            for (uint32_t k = 0; k < 1024; k++) {
                const wide x = (wide)quad_of(rows[i].f, in[k]), y = (wide)quad_of(rows[i].f, out[k]),
                           exact = rows[i].exact(x, 0);
                const wide least = ldexpl(1, i < 2 ? -14 : -126),
                           most = (wide)quad_of(rows[i].f, i < 2 ? 0x7bff : 0x7f7f);
                if (exact != exact) assert_true(y != y);
                else if (fabsl(exact) > most) assert_true(fabsl(y) >= most);
                else if (fabsl(exact) < least) assert_true(fabsl(y - exact) <= least); /* subnormal, or flushed */
                else if (fabsl(y - exact) > rows[i].bound * fabsl(exact))
                    fail_msg("%s of %Lg: %Lg, not %Lg", rows[i].inst, x, y, exact);
            }
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_the_stated_bounds),
        cmocka_unit_test(special_values_as_the_tables_have_them),
        cmocka_unit_test(gross_approximations_of_doubles_have_twenty_bits),
        cmocka_unit_test(small_formats_are_within_their_bounds),
    };
    if (argc > 1) stride = (uint32_t)strtoul(argv[1], NULL, 0);
    if (!stride) stride = 1;
    if (argc > 2) only = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
