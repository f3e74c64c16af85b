#include <math.h>
#include "ptx_rig.h"

#define TID_ADDRESS "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"

/* The body must fail with exactly this text. 64 bytes are allocated for `out`. */
static void fails(const char *body, uint32_t threads, const char *message)
{
    char text[4096];
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64, NULL);
    assert_int_equal(-1, rig_try(&d, rig_kernel(text, sizeof text, body), 1, threads, &at, 1, &err));
    assert_string_equal(err.text, message);
    assert_int_equal(ERR_RUN, err.code);
    rig_fini(&d);
}

static void an_access_outside_every_allocation_names_kernel_block_thread_line_and_address(void **state)
{
    (void)state;
    fails(
        TID_ADDRESS "ld.global.f32 %f1, [%rd0];", 17,
        "kernel k: block (0,0,0) thread (16,0,0), line 9: ld.global.f32 at 0x7f0000000040 is outside every allocation");
    fails(
        "\n\nst.global.u32 [%rd0+-4], 1;", 1,
        "kernel k: block (0,0,0) thread (0,0,0), line 10: st.global.u32 at 0x7efffffffffc is outside every allocation");
    fails("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd0+64];", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.global.v4.u32 at 0x7f0000000040 is outside every "
          "allocation");
    fails("atom.global.add.u32 %r1, [%rd0+128], 1;", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: atom.global.add.u32 at 0x7f0000000080 is outside every "
          "allocation");
    fails("ld.u32 %r1, [0];", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.u32 at 0x0 is outside every allocation");
}

static void only_active_lanes_are_checked(void **state)
{
    (void)state;
    uint32_t out[16];
    rig_body(TID_ADDRESS "setp.lt.u32 %p1, %r0, 16; @%p1 st.global.u32 [%rd0], %r0;", 64, out, 16);
    for (uint32_t i = 0; i < 16; i++) assert_int_equal(out[i], i);
}

static void shared_and_local_memory_have_bounds(void **state)
{
    (void)state;
    fails("{ .shared .b8 s[100]; ld.shared.u32 %r1, [s+100]; }", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.shared.u32 at byte 100 is outside the 100 bytes of "
          "shared memory");
    fails("{ .shared .b8 s[64]; mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd1; st.shared.u32 "
          "[%rd2], 1; }",
          20,
          "kernel k: block (0,0,0) thread (16,0,0), line 8: st.shared.u32 at byte 64 is outside the 64 bytes of shared "
          "memory");
    fails("{ .local .b8 s[8]; st.local.u64 [s+8], 1; }", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: st.local.u64 at byte 8 is outside the 8 bytes of local "
          "memory");
    fails("{ .shared .b8 s[64]; mov.u64 %rd1, s; ld.shared.u32 %r1, [%rd1+-4]; }", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.shared.u32 at byte -4 is outside the 64 bytes of shared "
          "memory");
    fails(
        "mov.u64 %rd1, out; ld.param.u64 %rd2, [%rd1+8];", 1,
        "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.param.u64 at byte 8 is outside the 8 bytes of parameters");
}

/* As hardware computes them, whatever the register holds above. */
static void addresses_of_shared_memory_have_32_bits(void **state)
{
    (void)state;
    uint32_t out[32];
    rig_body("{ .shared .align 4 .b8 s[128]; not.b32 %r1, %r0; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, s; add.u64 "
             "%rd2, %rd2, %rd1; st.shared.u32 [%rd2+128], %r0; bar.warp.sync -1;\n"
             "mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd1; ld.shared.u32 %r2, [%rd2]; "
             "add.u64 %rd9, %rd0, %rd1; st.global.u32 [%rd9], %r2; }",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 31 - i);
}

static void a_misaligned_access_is_an_error(void **state)
{
    (void)state;
    fails("ld.global.u32 %r1, [%rd0+2];", 1,
          "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.global.u32 at 0x7f0000000002 is not aligned to 4 bytes");
    fails(
        "ld.global.v2.f32 {%f1, %f2}, [%rd0+4];", 1,
        "kernel k: block (0,0,0) thread (0,0,0), line 8: ld.global.v2.f32 at 0x7f0000000004 is not aligned to 8 bytes");
}

static void lanes_may_touch_different_allocations_at_once(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    const uint32_t x[2] = {11, 22}, y[2] = {33, 44};
    const uint64_t params[3] = {rig_alloc(&d, 8, x), rig_alloc(&d, 8, y), rig_alloc(&d, 128, NULL)};
    rig_run(
        &d,
        HEADER
        ".entry k(.param .u64 a, .param .u64 b, .param .u64 c) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred p;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; mov.u32 %r0, %tid.x; and.b32 %r1, "
        "%r0, 1;\n"
        "setp.eq.u32 p, %r1, 0; selp.b64 %rd4, %rd1, %rd2, p; ld.global.u32 %r2, [%rd4+4]; mul.wide.u32 %rd5, %r0, 4;\n"
        "add.u64 %rd3, %rd3, %rd5; st.global.u32 [%rd3], %r2; }",
        1, 32, params, 3);
    const uint32_t *out = rig_host(&d, params[2]);
    for (int i = 0; i < 32; i++) assert_int_equal(out[i], i % 2 ? 44 : 22);
    rig_fini(&d);
}

static void the_owner_of_memory_is_asked_once_for_each_instruction_and_allocation(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 4096 * 4, NULL);
    rig_run(&d,
            HEADER ".entry k(.param .u64 a) { .reg .b64 %rd<9>; .reg .b32 %r<9>; ld.param.u64 %rd1, [a]; mov.u32 %r1, "
                   "%ctaid.x; shl.b32 %r1, %r1, 9;\n"
                   "mov.u32 %r0, %tid.x; add.u32 %r1, %r1, %r0; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; "
                   "ld.global.u32 %r2, [%rd1];\n"
                   "add.u32 %r2, %r2, 3; st.global.u32 [%rd1], %r2; }",
            8, 512, &at, 1);
    assert_int_equal(2, d.finds);
    rig_fini(&d);
}

static void narrow_loads_extend_and_narrow_stores_truncate(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    const uint8_t in[16] = {0x80, 0x7f, 0xff, 0x01, 0x34, 0x92, 0, 0, 0xff, 0xff, 0xff, 0x8f};
    const uint64_t params[2] = {rig_alloc(&d, 16, in), rig_alloc(&d, 128, NULL)};
    rig_run(
        &d,
        HEADER
        ".entry k(.param .u64 a, .param .u64 o) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %rs<9>; ld.param.u64 "
        "%rd1, [a]; ld.param.u64 %rd2, [o];\n"
        "ld.global.s8 %r1, [%rd1]; st.global.u32 [%rd2], %r1; ld.global.u8 %r1, [%rd1]; st.global.u32 [%rd2+4], %r1;\n"
        "ld.global.s16 %r1, [%rd1+4]; st.global.u32 [%rd2+8], %r1; ld.global.s8 %rs1, [%rd1+2]; cvt.u32.u16 %r2, %rs1; "
        "st.global.u32 [%rd2+12], %r2;\n"
        "ld.global.s32 %rd3, [%rd1+8]; st.global.u64 [%rd2+16], %rd3; ld.global.u32 %rd3, [%rd1+8]; st.global.u64 "
        "[%rd2+24], %rd3;\n"
        "ld.global.v4.u8 {%rs1, %rs2, _, %rs4}, [%rd1]; st.global.v2.u16 [%rd2+32], {%rs4, %rs2}; mov.u32 %r4, "
        "0x12345678; st.global.u8 [%rd2+36], %r4; }",
        1, 1, params, 2);
    const uint32_t *o = rig_host(&d, params[1]);
    assert_int_equal(o[0], 0xffffff80);
    assert_int_equal(o[1], 0x80);
    assert_int_equal(o[2], 0xffff9234);
    assert_int_equal(o[3], 0xffff);
    assert_true(o[4] == 0x8fffffff && o[5] == 0xffffffff && o[6] == 0x8fffffff && o[7] == 0);
    assert_int_equal(o[8], 0x007f0001);
    assert_int_equal(o[9], 0x78);
    rig_fini(&d);
}

static void generic_addresses_reach_every_space(void **state)
{
    (void)state;
    uint32_t out[32];
    /* lanes 0-9 through shared, 10-19 through local, the rest through global, by one instruction */
    rig_body("{ .shared .align 4 .b8 s[256]; .local .align 4 .b8 t[16]; .reg .b64 %a<9>; mul.wide.u32 %rd1, %r0, 4; "
             "add.u64 %rd9, %rd0, %rd1;\n"
             "mov.u64 %a1, s; cvta.shared.u64 %a1, %a1; add.u64 %a1, %a1, %rd1; mov.u64 %a2, t; cvta.local.u64 %a2, "
             "%a2; add.u64 %a2, %a2, 8;\n"
             "setp.lt.u32 %p1, %r0, 10; setp.lt.u32 %p2, %r0, 20; cvta.to.global.u64 %a3, %rd9; selp.b64 %a4, %a2, "
             "%a3, %p2; selp.b64 %a4, %a1, %a4, %p1;\n"
             "add.u32 %r1, %r0, 500; st.u32 [%a4], %r1; ld.u32 %r2, [%a4]; cvta.to.shared.u64 %a5, %a1; "
             "cvta.to.local.u64 %a6, %a2;\n"
             "@%p1 ld.shared.u32 %r3, [%a5]; @!%p1 ld.local.u32 %r3, [t+8]; setp.ge.u32 %p3, %r0, 20; @%p3 "
             "ld.global.u32 %r3, [%rd9];\n"
             "add.u32 %r2, %r2, %r3; isspacep.shared %p4, %a4; isspacep.local %p5, %a4; isspacep.global %p6, %a4;\n"
             "@%p4 add.u32 %r2, %r2, 10000; @%p5 add.u32 %r2, %r2, 20000; @%p6 add.u32 %r2, %r2, 40000; st.global.u32 "
             "[%rd9], %r2; }",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 2 * (i + 500) + (i < 10 ? 10000u : i < 20 ? 20000u : 40000u));
}

/* A kernel of one pointer and a parameter of 16 bytes, by whose generic address half of its lanes read. */
#define PARAM_KERNEL \
    HEADER ".entry k(.param .u64 out, .param .align 8 .b8 s[16]) { .reg .b64 %a<9>; .reg .b32 %r<9>; .reg .pred " \
           "%p<5>;\n ld.param.u64 %a1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.u64 %a1, %a1, " \
           "%a2;\n mov.b64 %a3, s; cvta.param.u64 %a4, %a3; and.b64 %a5, %a2, 12; add.u64 %a6, %a4, %a5;\n"

static void parameters_have_generic_addresses(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    uint32_t start[32], params[6];
    for (uint32_t i = 0; i < 32; i++) start[i] = 100 + i;
    const uint64_t at = rig_alloc(&d, sizeof start, start);
    memcpy(params, &at, sizeof at);
    for (uint32_t i = 2; i < 6; i++) params[i] = 1000 * i;
    uint64_t words[3];
    memcpy(words, params, sizeof words);
    rig_run(&d,
            PARAM_KERNEL "setp.lt.u32 %p1, %r1, 16; selp.b64 %a7, %a6, %a1, %p1; ld.u32 %r2, [%a7]; isspacep.param "
                         "%p2, %a7; isspacep.global %p3, %a7;\n"
                         "cvta.to.param.u64 %a8, %a6; ld.param.u32 %r3, [%a8]; cvta.to.global.u64 %a8, %a6; "
                         "ld.global.u32 %r4, [%a8]; sub.u32 %r3, %r3, "
                         "%r4; add.u32 %r2, %r2, %r3;\n"
                         "@%p2 add.u32 %r2, %r2, 10000; @%p3 add.u32 %r2, %r2, 20000; st.global.u32 [%a1], %r2; ret; }",
            1, 32, words, 3);
    const uint32_t *out = rig_host(&d, at);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i < 16 ? 1000 * (2 + i % 4) + 30000 : 100 + i + 20000);
    struct error err = {0};
    assert_int_equal(rig_try(&d, PARAM_KERNEL "st.u32 [%a6], %r1; ret; }", 1, 32, words, 3, &err), -1);
    assert_non_null(strstr(err.text, "the kernel's parameters cannot be written"));
    assert_int_equal(rig_try(&d, PARAM_KERNEL "atom.add.u32 %r2, [%a6], %r1; ret; }", 1, 32, words, 3, &err), -1);
    assert_non_null(strstr(err.text, "the kernel's parameters cannot be written"));
    assert_int_equal(rig_try(&d, PARAM_KERNEL "ld.u32 %r2, [%a6+8]; ret; }", 1, 32, words, 3, &err), -1);
    assert_non_null(strstr(err.text, "byte 24 is outside the 24 bytes of parameters"));
    rig_fini(&d);
}

static void static_and_dynamic_shared_memory_are_apart_and_cleared_for_each_CTA(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64, NULL);
    struct ptx_module *m = rig_module(
        HEADER ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 fixed[20];\n"
               ".entry k(.param .u64 o) { .reg .b64 %rd<9>; .reg .b32 %r<9>; ld.param.u64 %rd1, [o]; mov.u32 %r1, "
               "%ctaid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;\n"
               "ld.shared.u32 %r2, [dyn+60]; ld.shared.u32 %r3, [fixed+16]; add.u32 %r2, %r2, %r3; st.global.u32 "
               "[%rd1], %r2; st.shared.u32 [dyn+60], 5; st.shared.u32 [fixed+16], 6;\n"
               "mov.u64 %rd3, dyn; cvt.u32.u64 %r4, %rd3; st.global.u32 [%rd1+4], %r4; ld.shared.u32 %r5, [fixed+16]; "
               "st.global.u32 [%rd1+8], %r5; mov.u32 %r6, %dynamic_smem_size; st.global.u32 [%rd1+12], %r6; }");
    const struct ptx_grid grid = {{2, 1, 1}, {1, 1, 1}, 64};
    assert_ok(ptx_run(ptx_module_kernel(m, 0), &grid, &at, 8, &d.memory, NULL, 0, NULL, &err), &err);
    assert_memory_equal(rig_host(&d, at), ((const uint32_t[]){0, 32, 6, 64, 0, 32, 6, 64}), 32);
    assert_int_equal(20, ptx_kernel_info(ptx_module_kernel(m, 0))->static_shared_bytes);
    ptx_module_free(m);
    rig_fini(&d);
}

static void module_variables_are_found_where_they_were_placed(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64, NULL);
    struct ptx_module *m = rig_module(
        HEADER ".global .align 4 .u32 g[4] = {1, 2, 3, 4};\n.const .align 4 .f32 c[2] = {0f3F800000, 2.5};\n.global "
               ".align 8 .u64 p = g+8;\n.global .b32 z;\n"
               ".entry k(.param .u64 o) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; ld.param.u64 %rd1, [o]; "
               "ld.global.u32 %r1, [g+4]; st.global.u32 [%rd1], %r1;\n"
               "ld.const.f32 %f1, [c+4]; st.global.f32 [%rd1+4], %f1; mov.u64 %rd2, g; ld.u32 %r2, [%rd2+12]; "
               "st.global.u32 [%rd1+8], %r2;\n"
               "ld.global.u64 %rd3, [p]; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd1+12], %r3; st.global.u32 [z], "
               "9; mov.u64 %rd4, g+4; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd1+16], %r4; }");
    for (size_t pass = 0; pass < 2; pass++) /* place all, then copy: initialisers may hold addresses */
        for (size_t i = 0; i < ptx_module_n_variables(m); i++) {
            const struct ptx_variable *v = ptx_module_variable(m, i);
            if (pass == 0) ptx_module_place(m, i, rig_alloc(&d, v->bytes, NULL));
            else if (v->init) memcpy(rig_host(&d, d.allocations[i + 1].lo), v->init, v->bytes);
        }
    const struct ptx_grid grid = {{1, 1, 1}, {1, 1, 1}, 0};
    assert_ok(ptx_run(ptx_module_kernel(m, 0), &grid, &at, 8, &d.memory, NULL, 0, NULL, &err), &err);
    assert_memory_equal(rig_host(&d, at), ((const uint32_t[]){2, 0x40200000, 4, 3, 2}), 20);
    assert_int_equal(9, *(uint32_t *)rig_host(&d, d.allocations[4].lo));
    ptx_module_free(m);
    rig_fini(&d);
}

/* 40 lanes apply an operation to one word that starts as `start`; each keeps the old value. */
static void atomic(const char *inst, uint32_t start, uint32_t last, const char *space)
{
    char body[1000];
    uint32_t out[42];
    snprintf(body, sizeof body,
             "{ .shared .b32 s; mul.wide.u32 %%rd1, %%r0, 4; add.u64 %%rd9, %%rd0, %%rd1; mov.u64 %%rd2, %s; "
             "setp.eq.u32 %%p1, %%r0, 0; @%%p1 st.%s.u32 [%%rd2], %u;\n"
             "bar.sync 0; %s; bar.sync 0; st.global.u32 [%%rd9+8], %%r1; ld.%s.u32 %%r2, [%%rd2]; @%%p1 st.global.u32 "
             "[%%rd0+4], %%r2; }",
             *space == 's' ? "s" : "0; add.u64 %rd2, %rd0, 0", space, start, inst, space);
    rig_body(body, 40, out, 42);
    if (out[1] != last) fail_msg("%s from %u: %u, not %u", inst, start, out[1], last);
}

static void atomics_apply_lane_after_lane(void **state)
{
    (void)state;
    atomic("atom.global.add.u32 %r1, [%rd2], %r0", 5, 5 + 39 * 40 / 2, "global");
    atomic("atom.shared.add.u32 %r1, [%rd2], %r0", 5, 5 + 39 * 40 / 2, "shared");
    atomic("red.global.add.u32 [%rd2], 2", 5, 85, "global");
    atomic("atom.add.u32 %r1, [%rd2], 2", 5, 85, "global");
    atomic("atom.global.relaxed.gpu.max.s32 %r1, [%rd2], %r0", 0, 39, "global");
    atomic("atom.global.min.s32 %r1, [%rd2], -7", 3, (uint32_t)-7, "global");
    atomic("atom.shared.min.u32 %r1, [%rd2], %r0", 17, 0, "shared");
    atomic("atom.global.or.b32 %r1, [%rd2], %r0", 0, 63, "global");
    atomic("atom.global.and.b32 %r1, [%rd2], 0xf0", 0xff, 0xf0, "global");
    atomic("atom.shared.xor.b32 %r1, [%rd2], %r0", 0, 0, "shared");
    atomic("atom.global.exch.b32 %r1, [%rd2], %r0", 1, 39, "global");
    atomic("atom.global.inc.u32 %r1, [%rd2], 6", 0, 40 % 7, "global");
    atomic("atom.global.dec.u32 %r1, [%rd2], 6", 0, 2, "global");
    atomic("atom.global.cas.b32 %r1, [%rd2], %r0, 3; @%p1 mov.u32 %r5, 1", 0, 3, "global");
    uint32_t out[34];
    rig_body("mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; atom.global.add.u32 %r1, [%rd0], 1; st.global.u32 "
             "[%rd1+8], %r1;",
             32, out, 34);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[2 + i], i);
    rig_body("atom.global.add.f32 %f1, [%rd0], 0f3F000000; red.global.add.u64 [%rd0+8], 0x100000001; "
             "atom.global.add.f64 %fd1, [%rd0+16], 0.25;"
             " atom.global.cas.b64 %rd1, [%rd0+24], 0, 0xabcdef0123456789; atom.global.max.s64 %rd2, [%rd0+32], 5;",
             32, out, 10);
    assert_int_equal(out[0], 0x41800000); /* 16.0 */
    assert_true(out[2] == 32 && out[3] == 32);
    assert_memory_equal(out + 4, &(const double){8.0}, 8);
    assert_true(out[6] == 0x23456789 && out[7] == 0xabcdef01 && out[8] == 5 && out[9] == 0);
}

static void every_cache_operator_and_ordering_is_accepted(void **state)
{
    (void)state;
    uint32_t out[4];
    rig_body("ld.global.ca.u32 %r1, [%rd0]; ld.global.cg.u32 %r1, [%rd0]; ld.global.cs.u32 %r1, [%rd0]; "
             "ld.global.cv.u32 %r1, [%rd0]; ld.global.lu.u32 %r1, [%rd0];\n"
             "ld.global.nc.u32 %r1, [%rd0]; ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%rd0]; ld.global.cp.u32 "
             "%r1, [%rd0]; ld.volatile.global.u32 %r1, [%rd0];\n"
             "ld.relaxed.gpu.global.u32 %r1, [%rd0]; ld.acquire.sys.global.u32 %r1, [%rd0]; st.global.wb.u32 [%rd0], "
             "1; st.global.wt.u32 [%rd0], 1; st.global.cc.u32 [%rd0], 1;\n"
             "st.release.cta.global.u32 [%rd0], 1; st.volatile.u32 [%rd0], 1; st.weak.global.u32 [%rd0], 1; membar.gl; "
             "membar.cta; fence.acq_rel.gpu; fence.sc.sys;\n"
             "bar.warp.sync 0xffffffff; nanosleep.u32 100; prefetch.global.L2 [%rd0]; mov.u64 %rd5, %clock64; mov.u32 "
             "%r9, %clock; mov.u32 %r8, %smid;",
             1, out, 1);
    assert_int_equal(1, out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_outside_every_allocation_names_kernel_block_thread_line_and_address),
        cmocka_unit_test(only_active_lanes_are_checked),
        cmocka_unit_test(shared_and_local_memory_have_bounds),
        cmocka_unit_test(addresses_of_shared_memory_have_32_bits),
        cmocka_unit_test(a_misaligned_access_is_an_error),
        cmocka_unit_test(lanes_may_touch_different_allocations_at_once),
        cmocka_unit_test(the_owner_of_memory_is_asked_once_for_each_instruction_and_allocation),
        cmocka_unit_test(narrow_loads_extend_and_narrow_stores_truncate),
        cmocka_unit_test(generic_addresses_reach_every_space),
        cmocka_unit_test(parameters_have_generic_addresses),
        cmocka_unit_test(static_and_dynamic_shared_memory_are_apart_and_cleared_for_each_CTA),
        cmocka_unit_test(module_variables_are_found_where_they_were_placed),
        cmocka_unit_test(atomics_apply_lane_after_lane),
        cmocka_unit_test(every_cache_operator_and_ordering_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
