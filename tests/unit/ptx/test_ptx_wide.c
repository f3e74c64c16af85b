/* What looks beyond one lane or one register: scalar video, matrices, surfaces, warps and CTAs that wait for one
 * another. */
#include "ptx_rig.h"

static uint32_t video(const char *inst, uint32_t a, uint32_t b, uint32_t c)
{
    char text[64 + 128];
    uint32_t out;
    snprintf(text, sizeof text, "%s", inst);
    rig_op(text, "b32", "b32", "b32", "b32", 1, &out, 4, &a, &b, &c);
    return out;
}

static void scalar_video_instructions_take_parts_saturate_and_merge(void **state)
{
    (void)state;
    assert_int_equal(0x80 + 5, video("vadd.u32.u32.u32 d, a.b1, b.h0", 0x8000, 5, 0));
    assert_int_equal((uint32_t)(-128 + 5), video("vadd.s32.s32.s32 d, a.b1, b.h0", 0x8000, 5, 0));
    assert_int_equal(UINT32_MAX, video("vadd.u32.u32.u32.sat d, a, b", 0xfffffff0, 0x100, 0));
    assert_int_equal(0, video("vsub.u32.u32.u32.sat d, a, b", 3, 5, 0));
    assert_int_equal(0x7fffffff, video("vsub.s32.s32.s32.sat d, a, b", 0x7fffffff, (uint32_t)-1, 0));
    assert_int_equal(0x11ff3344, video("vadd.u32.u32.u32.sat d.b2, a, b, c", 200, 200, 0x11223344));
    assert_int_equal(0x7fff3344, video("vmax.s32.s32.s32.sat d.h1, a, b, c", 1u << 20, 4, 0x11223344));
    assert_int_equal(12 + 30, video("vabsdiff.u32.s32.s32.add d, a, b, c", (uint32_t)-5, 7, 30));
    assert_int_equal(7, video("vmin.u32.u32.u32.min d, a, b, c", 9, 8, 7));
    assert_int_equal(0, video("vshl.u32.u32.u32.clamp d, a, b", 1, 40, 0));
    assert_int_equal(1u << 8, video("vshl.u32.u32.u32.wrap d, a, b", 1, 40, 0));
    assert_int_equal((uint32_t)-1, video("vshr.s32.s32.u32.clamp d, a, b", 0x80000000, 32, 0));
    assert_int_equal((uint32_t)((0xffffull * 0xff + 9) >> 7),
                     video("vmad.u32.u32.u32.shr7 d, a.h0, b.b0, c", 0xffff, 0xff, 9));
    assert_int_equal((uint32_t)((-6 * 7 + 2 + 1) >> 15),
                     video("vmad.s32.s32.s32.po.shr15 d, a, b, c", (uint32_t)-6, 7, 2));
    assert_int_equal(1 + 10, video("vset.s32.s32.lt.add d, a, b, c", (uint32_t)-1, 0, 10));
    assert_int_equal(0, video("vset.u32.u32.lt d, a, b", (uint32_t)-1, 0, 0));
}

static void mixed_byte_dot_products_are_exact(void **state)
{
    (void)state;
    assert_int_equal((uint32_t)(255 * -128 + 1 * 127), video("dp4a.u32.s32 d, a, b, c", 0x0100 | 0xff, 0x7f80, 0));
    assert_int_equal((uint32_t)(-128 * 255 + 5), video("dp4a.s32.u32 d, a, b, c", 0x80, 0xff, 5));
}

/* d = a b + c with a[i][k] = i + k, b[k][j] = k - j, c = 100: every lane holds its own elements. */
static void mma_m16n8k8_tf32_and_m16n8k32_s8_follow_the_published_layouts(void **state)
{
    uint32_t out[128];
    (void)state;
    rig_body("shr.u32 %r1, %r0, 2; and.b32 %r2, %r0, 3; /* group, in group */\n"
             "add.u32 %r3, %r1, %r2; cvt.rn.f32.u32 %f1, %r3; add.u32 %r4, %r3, 8; cvt.rn.f32.u32 %f2, %r4; add.u32 "
             "%r5, %r3, 4; cvt.rn.f32.u32 %f3, %r5;\n"
             "add.u32 %r6, %r3, 12; cvt.rn.f32.u32 %f4, %r6; sub.s32 %r7, %r2, %r1; cvt.rn.f32.s32 %f5, %r7; add.s32 "
             "%r8, %r7, 4; cvt.rn.f32.s32 %f6, %r8;\n"
             "mov.b32 %r11, %f1; mov.b32 %r12, %f2; mov.b32 %r13, %f3; mov.b32 %r14, %f4; mov.b32 %r15, %f5; mov.b32 "
             "%r16, %f6; mov.f32 %f10, 0f42C80000;\n"
             "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f11, %f12, %f13, %f14}, {%r11, %r12, %r13, %r14}, "
             "{%r15, %r16}, {%f10, %f10, %f10, %f10};\n"
             "cvt.rni.s32.f32 %r21, %f11; cvt.rni.s32.f32 %r22, %f12; cvt.rni.s32.f32 %r23, %f13; cvt.rni.s32.f32 "
             "%r24, %f14;\n"
             "mul.wide.u32 %rd1, %r0, 16; add.u64 %rd2, %rd0, %rd1; st.global.v4.u32 [%rd2], {%r21, %r22, %r23, %r24};",
             32, out, 128);
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 4; i++) {
            const int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
            int sum = 100;
            for (int k = 0; k < 8; k++) sum += (row + k) * (k - column);
            assert_int_equal(sum, (int)out[4 * lane + i]);
        }
    rig_body("mov.b32 %r1, 0x01010101; mov.b32 %r2, 0x02020202; mov.b32 %r3, 0xffffffff;\n"
             "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r11, %r12, %r13, %r14}, {%r1, %r2, %r1, %r2}, {%r3, "
             "%r3}, {%r0, %r0, %r0, %r0};\n"
             "mul.wide.u32 %rd1, %r0, 16; add.u64 %rd2, %rd0, %rd1; st.global.v4.u32 [%rd2], {%r11, %r12, %r13, %r14};",
             32, out, 128);
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 4; i++) assert_int_equal(lane - 32 * (i < 2 ? 1 : 2), (int)out[4 * lane + i]);
}

static void matrices_need_the_whole_warp_and_known_shapes(void **state)
{
    struct rig_device d;
    struct error err = {0};
    struct ptx_module *m;
    char text[4096];
    (void)state;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64, NULL);
    rig_kernel(text, sizeof text,
               "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};");
    assert_int_equal(-1, rig_try(&d, text, 1, 31, &at, 1, &err));
    assert_non_null(strstr(err.text, "all 32 lanes"));
    rig_kernel(
        text, sizeof text,
        "mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r3}, {%r4}, {%f1, %f2, %f3, %f4};");
    assert_int_equal(-1, ptx_module_new(&m, "t", text, strlen(text), &err));
    assert_non_null(strstr(err.text, "unknown instruction 'mma.sync.aligned.m16n8k12"));
    rig_kernel(
        text, sizeof text,
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd0], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 16;");
    assert_int_equal(-1, rig_try(&d, text, 1, 32, &at, 1, &err));
    assert_non_null(strstr(err.text, "outside every allocation"));
    rig_fini(&d);
}

static struct ptx_texture plane;
static const struct ptx_texture *find_plane(void *self, uint64_t handle)
{
    return (void)self, handle == 77 ? &plane : NULL;
}

static int run_surface(struct rig_device *d, const char *body, uint64_t out, struct error *err)
{
    char text[4096];
    struct ptx_module *m = rig_module(rig_kernel(text, sizeof text, body));
    const struct ptx_grid g = {{1, 1, 1}, {4, 1, 1}, 0};
    const struct ptx_services services = {.texture = find_plane};
    const int rc = ptx_run_with(ptx_module_kernel(m, 0), &g, &out, 8, &d->memory, &services, NULL, 1000, NULL, err);
    ptx_module_free(m);
    return rc;
}

static void surfaces_trap_clamp_or_give_zero_outside(void **state)
{
    struct rig_device d;
    struct error err = {0};
    const uint32_t texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, sizeof texels, texels), out = rig_alloc(&d, 64, NULL);
    plane = (struct ptx_texture){.address = at,
                                 .pitch = 16,
                                 .slice_pitch = 32,
                                 .width = 4,
                                 .height = 2,
                                 .channels = 1,
                                 .channel_bits = 32,
                                 .kind = 'u'};
    const char *body = "mov.u64 %rd1, 77; shl.b32 %r1, %r0, 2; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2;\n"
                       "suld.b.2d.b32.zero {%r2}, [%rd1, {%r1, 1}]; suld.b.2d.b32.clamp {%r3}, [%rd1, {%r1, 9}]; "
                       "suld.b.2d.b32.zero {%r4}, [%rd1, {%r1, 2}];\n"
                       "suq.width.b32 %r6, [%rd1]; add.u32 %r5, %r2, %r3; add.u32 %r5, %r5, %r4; add.u32 %r5, %r5, "
                       "%r6; st.global.u32 [%rd3], %r5;\n"
                       "sust.b.2d.b32.trap [%rd1, {%r1, 0}], {%r5}; sust.b.2d.b32.zero [%rd1, {%r1, -1}], {%r5};";
    if (run_surface(&d, body, out, &err) < 0) fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(2 * (5 + i) + 4, ((uint32_t *)rig_host(&d, out))[i]);
        assert_int_equal(2 * (5 + i) + 4, ((uint32_t *)rig_host(&d, at))[i]);
    }
    assert_int_equal(-1, run_surface(&d, "mov.u64 %rd1, 77; suld.b.2d.b32.trap {%r2}, [%rd1, {%r0, 0}];", out, &err));
    assert_non_null(strstr(err.text, "not aligned"));
    assert_int_equal(-1, run_surface(&d, "mov.u64 %rd1, 77; suld.b.2d.b64.trap {%rd2}, [%rd1, {16, 0}];", out, &err));
    assert_non_null(strstr(err.text, "coordinate x = 16 is outside"));
    rig_fini(&d);
}

/* One texel a face: 10 and 11 for x, 12 and 13 for y, 14 and 15 for z, and 100 more in the second cube. */
static void a_direction_finds_its_face_of_a_cube(void **state)
{
    static const struct {
        float x, y, z;
        uint32_t face;
    } rows[] = {{2, 1, -1, 0},    {-2, 1, 1, 1},          {0.5f, 3, 0, 2}, {1, -4, 3, 3},
                {0, 0, 0.25f, 4}, {0.1f, 0.2f, -0.3f, 5}, {1, 1, 1, 4}, /* of equal ones z, then y */
                {-1, 1, 0, 2}};
    struct rig_device d;
    struct error err = {0};
    char body[700];
    float texels[12];
    (void)state;
    rig_init(&d);
    for (uint32_t i = 0; i < 12; i++) texels[i] = (float)(10 + i % 6 + 100 * (i / 6));
    const uint64_t at = rig_alloc(&d, sizeof texels, texels), out = rig_alloc(&d, 64, NULL);
    plane = (struct ptx_texture){.address = at,
                                 .pitch = 4,
                                 .slice_pitch = 4,
                                 .width = 1,
                                 .height = 1,
                                 .depth = 12,
                                 .channels = 1,
                                 .channel_bits = 32,
                                 .kind = 'f',
                                 .filters = true,
                                 .is_normalised = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t bits[3];
        memcpy(bits, &rows[i], sizeof bits);
        snprintf(body, sizeof body,
                 "mov.u64 %%rd1, 77; mov.f32 %%f1, 0f%08X; mov.f32 %%f2, 0f%08X; mov.f32 %%f3, 0f%08X;\n"
                 "tex.cube.v4.f32.f32 {%%f4, %%f8, %%f8, %%f8}, [%%rd1, {%%f1, %%f2, %%f3, %%f3}];\n"
                 "tex.acube.v4.f32.f32 {%%f5, %%f8, %%f8, %%f8}, [%%rd1, {1, %%f1, %%f2, %%f3}];\n"
                 "tex.level.acube.v4.f32.f32 {%%f6, %%f8, %%f8, %%f8}, [%%rd1, {9, %%f1, %%f2, %%f3}], %%f1;\n"
                 "st.global.f32 [%%rd0], %%f4; st.global.f32 [%%rd0+4], %%f5; st.global.f32 [%%rd0+8], %%f6;",
                 bits[0], bits[1], bits[2]);
        if (run_surface(&d, body, out, &err) < 0) fail_msg("%s", err.text);
        const float *got = (const float *)rig_host(&d, out), face = (float)(10 + rows[i].face);
        if (got[0] != face || got[1] != 100 + face || got[2] != 100 + face) /* there is no tenth cube */
            fail_msg("row %zu: %g, %g and %g, not %g", i, got[0], got[1], got[2], face);
    }
    plane.depth = 5;
    assert_int_equal(-1, run_surface(&d, body, out, &err));
    assert_non_null(strstr(err.text, "the texture is no cube map: it has 1 x 1 texels and 5 layers"));
    rig_fini(&d);
}

static void a_lane_that_waits_for_another_of_its_warp_gets_what_it_waits_for(void **state)
{
    uint32_t out[32];
    (void)state;
    /* a lock taken lane by lane, the critical section behind the loop */
    rig_body("L: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
             "ld.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, %r0; st.global.u32 [%rd0+4], %r2; atom.global.exch.b32 "
             "%r3, [%rd0], 0;",
             32, out, 32);
    assert_int_equal(31 * 32 / 2, out[1]);
    assert_int_equal(0, out[0]);
}

static void CTAs_that_wait_for_later_ones_get_what_they_wait_for(void **state)
{
    struct rig_device d;
    struct error err = {0};
    char text[4096];
    (void)state;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64, NULL);
    rig_kernel(text, sizeof text,
               "mov.u32 %r1, %nctaid.x; atom.global.add.u32 %r2, [%rd0], 1;\nL: ld.volatile.global.u32 %r3, [%rd0]; "
               "setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n"
               "atom.global.add.u32 %r2, [%rd0+4], 1;");
    struct ptx_module *m = rig_module(text);
    const struct ptx_grid g = {{6, 1, 1}, {1, 1, 1}, 0};
    if (ptx_run(ptx_module_kernel(m, 0), &g, &at, 8, &d.memory, NULL, 10000000, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(6, ((uint32_t *)rig_host(&d, at))[1]);
    /* what never comes is a limit, not a hang */
    memset(rig_host(&d, at), 0, 8);
    const struct ptx_services alone = {.grid_workspace = at};
    rig_kernel(text, sizeof text, "L: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;");
    struct ptx_module *endless = rig_module(text);
    assert_int_equal(
        -1, ptx_run_with(ptx_module_kernel(endless, 0), &g, &at, 8, &d.memory, &alone, NULL, 100000, NULL, &err));
    assert_int_equal(ERR_LIMIT, err.code);
    ptx_module_free(endless);
    ptx_module_free(m);
    rig_fini(&d);
}

static void managed_variables_are_told_and_prototypes_may_repeat(void **state)
{
    (void)state;
    struct ptx_module *m =
        rig_module(HEADER ".visible .global .attribute(.managed) .align 4 .u32 x = 5;\n.global .attribute(.managed, "
                          ".unified(1, 2)) .f32 y;\n.global .u32 z;\n"
                          ".func f();\n.func f() { ret; }\n.extern .func f();\n.entry k() { call f; ret; }\n");
    assert_true(ptx_module_variable(m, 0)->is_managed && ptx_module_variable(m, 1)->is_managed &&
                !ptx_module_variable(m, 2)->is_managed);
    ptx_module_free(m);
}

static void the_address_of_a_device_functions_parameter_reads_what_was_passed(void **state)
{
    struct rig_device d;
    uint32_t *out;
    (void)state;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 128, NULL);
    rig_run(
        &d,
        HEADER
        ".func (.param .b32 r) f(.param .align 4 .b8 s[12], .param .b32 n) { .reg .b32 a, b; .reg .b64 p, q; "
        "ld.param.b32 a, [n]; mov.b64 p, s;\n"
        "mul.wide.u32 q, a, 4; add.u64 p, p, q; ld.param.u32 b, [p]; st.param.b32 [r], b; ret; }\n"
        ".entry k(.param .u64 out) { .reg .b32 a, b, c; .reg .b64 o, q; .param .align 4 .b8 s[12]; .param .b32 n, r;\n"
        "ld.param.u64 o, [out]; mov.u32 a, %tid.x; mul.wide.u32 q, a, 4; add.u64 o, o, q; mul.lo.u32 b, a, 10; "
        "st.param.b32 [s], b; add.u32 b, b, 1;\n"
        "st.param.b32 [s+4], b; add.u32 b, b, 1; st.param.b32 [s+8], b; rem.u32 c, a, 3; st.param.b32 [n], c; call "
        "(r), f, (s, n); ld.param.b32 b, [r];\n"
        "st.global.u32 [o], b; ret; }\n",
        1, 32, &at, 1);
    out = rig_host(&d, at);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(10 * i + i % 3, out[i]);
    rig_fini(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_video_instructions_take_parts_saturate_and_merge),
        cmocka_unit_test(mixed_byte_dot_products_are_exact),
        cmocka_unit_test(mma_m16n8k8_tf32_and_m16n8k32_s8_follow_the_published_layouts),
        cmocka_unit_test(matrices_need_the_whole_warp_and_known_shapes),
        cmocka_unit_test(surfaces_trap_clamp_or_give_zero_outside),
        cmocka_unit_test(a_direction_finds_its_face_of_a_cube),
        cmocka_unit_test(a_lane_that_waits_for_another_of_its_warp_gets_what_it_waits_for),
        cmocka_unit_test(CTAs_that_wait_for_later_ones_get_what_they_wait_for),
        cmocka_unit_test(managed_variables_are_told_and_prototypes_may_repeat),
        cmocka_unit_test(the_address_of_a_device_functions_parameter_reads_what_was_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
