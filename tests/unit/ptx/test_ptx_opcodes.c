/* Every opcode that two or more public programs use, and those of the wider set, one by one in 32 threads against C.
 * A body reads %a %b %c (32 bits), %A %B %C (64), %m %n %o (16), %f %g %h (f32), %x %y %z (f64), %tid, and the
 * memory %m0 (global), %s0 (shared), lo (local), cv (const), pv (param); it leaves its result in %d, %D, %hd, %fd,
 * %gd or %p. The C expressions beside it read the same values under the names a .. z; s t v, S T U and i j k are the
 * signed ones. */
#include <fenv.h>
#include <math.h>
#include "ptx_rig.h"
#include "opcodes.h"

struct inputs {
    uint32_t w[4];
    uint64_t l[3];
    float f[3];
    double g[3];
    uint32_t thread;
};
struct result {
    uint64_t i;
    double f;
};

static float fma_downf(float a, float b, float c)
{
    volatile float x = a, y = b, z = c;
    fesetround(FE_DOWNWARD);
    volatile float r = fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}
static uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++) r |= (x >> k & 1) << (31 - k);
    return r;
}
static double const64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static int32_t clamp_s32(double x)
{
    return x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}
static uint32_t clamp_u32(double x) { return x <= 0 ? 0 : (uint32_t)x; }
static uint32_t texel(uint32_t thread) { return thread * 3 + 1; }
static float texel_float(uint32_t thread) { return (float)thread * 0.5f; }

#define REF(id, kind, op, body, e) \
    static struct result ref_##id(const struct inputs *q) \
    { \
        const uint32_t a = q->w[0], b = q->w[1], c = q->w[2], thread = q->thread; \
        const int32_t s = (int32_t)a, t = (int32_t)b, v = (int32_t)c; \
        const uint64_t A = q->l[0], B = q->l[1], C = q->l[2]; \
        const int64_t S = (int64_t)A, T = (int64_t)B, U = (int64_t)C; \
        const uint16_t m = (uint16_t)a, n = (uint16_t)b, o = (uint16_t)c; \
        const int16_t i = (int16_t)m, j = (int16_t)n, k = (int16_t)o; \
        const float f = q->f[0], g = q->f[1], h = q->f[2]; \
        const double x = q->g[0], y = q->g[1], z = q->g[2]; \
        (void)a, (void)b, (void)c, (void)thread, (void)s, (void)t, (void)v, (void)A, (void)B, (void)C, (void)S; \
        (void)T, (void)U, (void)m, (void)n, (void)o, (void)i, (void)j, (void)k, (void)f, (void)g, (void)h; \
        (void)x, (void)y, (void)z; \
        const bool is_float = _Generic((e), float : true, double : true, default : false); \
        return (struct result){is_float ? 0 : (uint64_t)(e), (double)(e)}; \
    }
ROWS(REF)

struct row {
    const char *op, *body;
    char kind;
    struct result (*ref)(const struct inputs *q);
};
#define ROW(id, kind, op, body, e) {op, body, kind, ref_##id},
static const struct row rows[] = {ROWS(ROW)};

static const char head[] =
    HEADER ".const .align 16 .u32 cv[8] = {1, 2, 3, 4, 0x40a00000, 0x40020000, 7, 8};\n.global .texref image;\n"
           ".func (.param .b64 r) pass(.param .align 8 .b8 t[16]) { .reg .b64 x; ld.param.b64 x, [t+8]; st.param.b64 "
           "[r], x; ret; }\n"
           ".entry k(.param .u64 in, .param .u64 out, .param .u64 mem, .param .align 16 .b8 pv[32])\n{\n"
           ".reg .pred %p, %q; .reg .b16 %m, %n, %o, %hd, %he, %he1, %he2; .reg .b32 %a, %b, %c, %d, %e, %e1, %e2, "
           "%tid, %s0;\n"
           ".reg .b64 %A, %B, %C, %D, %E, %E1, %E2, %i, %out, %m0; .reg .f32 %f, %g, %h, %fd, %fe, %fe1, %fe2, %t0;\n"
           ".reg .f64 %x, %y, %z, %gd, %ge, %ge1, %ge2; .shared .align 16 .b8 sh[1024]; .local .align 16 .b8 lo[32];\n"
           "mov.u32 %tid, %tid.x; mul.wide.u32 %i, %tid, 80; ld.param.u64 %E, [in]; add.u64 %i, %i, %E;\n"
           "ld.param.u64 %out, [out]; mul.wide.u32 %E, %tid, 8; add.u64 %out, %out, %E;\n"
           "ld.param.u64 %m0, [mem]; mul.wide.u32 %E, %tid, 64; add.u64 %m0, %m0, %E; shl.b32 %s0, %tid, 5; mov.u32 "
           "%e, sh; add.u32 %s0, %s0, %e;\n"
           "cvt.rn.f32.u32 %t0, %tid; add.f32 %t0, %t0, 0f3F000000;\n"
           "ld.global.u32 %a, [%i]; ld.global.u32 %b, [%i+4]; ld.global.u32 %c, [%i+8];\n"
           "ld.global.u16 %m, [%i]; ld.global.u16 %n, [%i+4]; ld.global.u16 %o, [%i+8];\n"
           "ld.global.u64 %A, [%i+16]; ld.global.u64 %B, [%i+24]; ld.global.u64 %C, [%i+32];\n"
           "ld.global.f32 %f, [%i+40]; ld.global.f32 %g, [%i+44]; ld.global.f32 %h, [%i+48];\n"
           "ld.global.f64 %x, [%i+56]; ld.global.f64 %y, [%i+64]; ld.global.f64 %z, [%i+72];\n";

static void make_inputs(struct inputs in[32], unsigned char bytes[32 * 80])
{
    static const uint32_t edges[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 0x8000, 0xfffe};
    uint64_t seed = 7;
    for (uint32_t t = 0; t < 32; t++) {
        struct inputs *q = &in[t];
        q->thread = t;
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            q->w[k] = t < 24 ? edges[(t * (uint32_t)(k + 1) + t / 8) % 8] : (uint32_t)(seed >> 32);
            q->l[k] = t < 16 ? (uint64_t)((int64_t)(int32_t)q->w[k] * (k ? 1 : 3)) : seed ^ seed << 21;
            q->f[k] = (float)((int)(t * 7 + (uint32_t)k * 13) % 41 - 20) * 0.37f + 0.11f;
            q->g[k] = (double)((int)(t * 5 + (uint32_t)k * 11) % 37 - 18) * 1.73 + 0.07;
        }
        memcpy(bytes + t * 80, q->w, 12);
        memcpy(bytes + t * 80 + 16, q->l, 24);
        memcpy(bytes + t * 80 + 40, q->f, 12);
        memcpy(bytes + t * 80 + 56, q->g, 24);
    }
}

static const char *store_of(char kind)
{
    switch (kind) {
    case 'w': return "st.global.u32 [%out], %d;";
    case 'l': return "st.global.u64 [%out], %D;";
    case 'h': return "st.global.u16 [%out], %hd;";
    case 'f':
    case '~': return "st.global.f32 [%out], %fd;";
    case 'p': return "selp.u32 %d, 1, 0, %p; st.global.u32 [%out], %d;";
    default: return "st.global.f64 [%out], %gd;";
    }
}

static bool right(char kind, const unsigned char *got, struct result r)
{
    uint64_t bits;
    float f;
    double g;
    memcpy(&bits, got, 8);
    memcpy(&f, got, 4);
    memcpy(&g, got, 8);
    switch (kind) {
    case 'w': return (uint32_t)bits == (uint32_t)r.i;
    case 'h': return (uint16_t)bits == (uint16_t)r.i;
    case 'p': return (uint32_t)bits == (r.i != 0);
    case 'l': return bits == r.i;
    case 'f': return f == (float)r.f;
    case '~': return fabs((double)f - r.f) <= 1e-6 * fabs(r.f);
    case 'G': return fabs(g - r.f) <= 1e-5 * fabs(r.f);
    default: return g == r.f;
    }
}

static void run_row(const struct row *row)
{
    struct inputs in[32];
    unsigned char bytes[32 * 80] = {0};
    char text[8192];
    struct rig_device d;
    struct error err = {0};
    uint32_t image[32];
    rig_init(&d);
    make_inputs(in, bytes);
    snprintf(text, sizeof text, "%s%s\n%s\nret;\n}\n", head, row->body, store_of(row->kind));
    struct ptx_module *m = rig_module(text);
    struct {
        uint64_t in, out, mem, pad;
        uint32_t pv[8];
    } p = {rig_alloc(&d, sizeof bytes, bytes),
           rig_alloc(&d, 256, NULL),
           rig_alloc(&d, 2048, NULL),
           0,
           {1, 2, 3, 4, 0x40a00000, 0x40020000, 7, 8}};
    ptx_module_place(m, 0, rig_alloc(&d, 32, ptx_module_variable(m, 0)->init));
    const bool floats = strstr(row->op, ".v4.f32") != NULL;
    for (uint32_t t = 0; t < 32; t++) {
        const float f = texel_float(t);
        if (floats) memcpy(&image[t], &f, 4);
        else image[t] = texel(t);
    }
    const struct ptx_texture texture = {.address = rig_alloc(&d, sizeof image, image),
                                        .width = 32,
                                        .height = 1,
                                        .channels = 1,
                                        .pitch = 128,
                                        .channel_bits = 32,
                                        .kind = floats ? 'f' : 'u',
                                        .address_mode = {1, 1, 1}};
    ptx_module_bind_texture(m, 0, &texture);
    const struct ptx_grid grid = {{1, 1, 1}, {32, 1, 1}, 0};
    if (ptx_run(ptx_module_kernel(m, 0), &grid, &p, sizeof p, &d.memory, NULL, 10000, NULL, &err) < 0)
        fail_msg("%s: %s", row->op, err.text);
    for (uint32_t t = 0; t < 32; t++) {
        const unsigned char *got = (unsigned char *)rig_host(&d, p.out) + 8 * t;
        const struct result r = row->ref(&in[t]);
        uint64_t bits;
        memcpy(&bits, got, 8);
        if (!right(row->kind, got, r)) fail_msg("%s in thread %u: %lx, not %lx (%g)", row->op, t, bits, r.i, r.f);
    }
    ptx_module_free(m);
    rig_fini(&d);
}

static void all_259_opcodes_of_the_public_programs_give_what_C_gives(void **state)
{
    (void)state;
    const size_t n = sizeof rows / sizeof rows[0];
    assert_int_equal(259, n);
    for (size_t i = 0; i < n; i++) run_row(&rows[i]);
}

static void each_body_contains_its_opcode(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strstr(rows[i].body, rows[i].op) && strcmp(rows[i].op, "ret") != 0)
            fail_msg("%s is not in its body", rows[i].op);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_259_opcodes_of_the_public_programs_give_what_C_gives),
        cmocka_unit_test(each_body_contains_its_opcode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
