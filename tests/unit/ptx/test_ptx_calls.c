/* Frames, the stack in local memory, and what ends a hostile program. */
#include "ptx_rig.h"

#define FUNCTION \
    ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 a, b; .reg .pred p; .param .b32 x, y;\nld.param.b32 a, [n];\n"
#define KERNEL \
    ".entry k(.param .u64 out) { .reg .b32 a, b, c; .reg .b64 o, q; .reg .pred p; .param .b32 x, y;\n" \
    "ld.param.u64 o, [out]; mov.u32 a, %%tid.x; mul.wide.u32 q, a, 4; add.u64 o, o, q; st.param.b32 [x], a;\n"

static void run(const char *functions, const char *body, uint32_t out[32])
{
    char text[4096];
    struct rig_device d;
    rig_init(&d);
    snprintf(text, sizeof text, HEADER "%s" KERNEL "%s st.global.u32 [o], a; ret; }\n", functions, body);
    const uint64_t at = rig_alloc(&d, 128, NULL);
    rig_run(&d, text, 1, 32, &at, 1);
    memcpy(out, rig_host(&d, at), 128);
    rig_fini(&d);
}

static void refused(const char *functions, const char *body, enum error_code code, const char *why)
{
    char text[4096];
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    snprintf(text, sizeof text, HEADER "%s" KERNEL "%s st.global.u32 [o], a; ret; }\n", functions, body);
    const uint64_t at = rig_alloc(&d, 128, NULL);
    assert_int_equal(-1, rig_try(&d, text, 1, 32, &at, 1, &err));
    if (!strstr(err.text, why)) fail_msg("%s", err.text);
    assert_int_equal(code, err.code);
    rig_fini(&d);
}

static void a_call_without_end_is_stopped_at_1024_frames(void **state)
{
    (void)state;
    refused(FUNCTION "st.param.b32 [x], a; call (y), f, (x); ret; }\n", "call (y), f, (x);", ERR_LIMIT,
            "1024 calls of functions are open");
}

static void the_stack_of_16384_bytes_cannot_overflow(void **state)
{
    (void)state;
    refused(FUNCTION ".local .b8 l[1000]; .reg .b64 z; mov.u64 z, l; st.local.u8 [z], 0; st.param.b32 [x], a; call "
                     "(y), f, (x); ret; }\n",
            "call (y), f, (x);", ERR_RUN, "the stack of 16384 bytes overflows in f");
    refused("", "alloca.u64 q, 16385;", ERR_RUN, "overflows");
    refused("", "alloca.u64 q, -1;", ERR_RUN, "overflows");
    refused("", "stackrestore.u64 40000; alloca.u64 q, 4;", ERR_RUN, "not in the stack");
}

static void a_call_of_no_function_is_told_with_its_address(void **state)
{
    (void)state;
    refused("", "mov.u64 q, 0x1234; t: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), q, (x), t;", ERR_RUN,
            "0x1234 is not the address of a function");
    refused(FUNCTION "st.param.b32 [r], a; ret; }\n",
            "mov.u64 q, f; t: .callprototype _ (.param .b32 _); call q, (x), t;", ERR_RUN,
            "f has other parameters than this call");
}

static void lanes_return_and_exit_from_a_recursion_at_their_own_depth(void **state)
{
    (void)state;
    uint32_t out[32];
    run(FUNCTION "setp.eq.u32 p, a, 0; @p bra done; sub.u32 b, a, 1; st.param.b32 [x], b; call (y), f, (x); "
                 "ld.param.b32 b, [y];\n"
                 "add.u32 a, a, b; done: st.param.b32 [r], a; ret; }\n",
        "call (y), f, (x); ld.param.b32 a, [y];", out);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(i * (i + 1) / 2, out[i]);
    /* odd lanes leave the kernel at the bottom of the recursion; even lanes come back */
    run(FUNCTION "setp.lt.u32 p, a, 2; @p bra bottom; sub.u32 b, a, 2; st.param.b32 [x], b; call (y), f, (x); "
                 "ld.param.b32 b, [y];\n"
                 "add.u32 a, b, 1; st.param.b32 [r], a; ret; bottom: setp.eq.u32 p, a, 1; @p exit; st.param.b32 [r], "
                 "a; ret; }\n",
        "call (y), f, (x); ld.param.b32 a, [y];", out);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(i % 2 ? 0 : i / 2, out[i]);
}

static void parameters_may_change_places_in_a_recursive_call(void **state)
{
    (void)state;
    uint32_t out[32];
    run(".func (.param .b32 r) g(.param .b32 a, .param .b32 b, .param .b32 n) { .reg .b32 t, u, v; .reg .pred p; "
        ".param .b32 m, y;\n"
        "ld.param.b32 t, [n]; setp.eq.u32 p, t, 0; @p bra end; sub.u32 t, t, 1; st.param.b32 [m], t; call (y), g, (b, "
        "a, m);\n"
        "ld.param.b32 u, [y]; st.param.b32 [r], u; ret; end: ld.param.b32 u, [a]; ld.param.b32 v, [b]; mad.lo.u32 u, "
        "u, 100, v;\n"
        "st.param.b32 [r], u; ret; }\n",
        ".param .b32 one, two; st.param.b32 [one], 1; st.param.b32 [two], 2; call (y), g, (one, two, x); ld.param.b32 "
        "a, [y];",
        out);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(i % 2 ? 201 : 102, out[i]);
}

static void alloca_gives_each_lane_and_each_frame_its_own_memory(void **state)
{
    (void)state;
    uint32_t out[32];
    run(FUNCTION
        ".reg .b64 s, e; setp.eq.u32 p, a, 0; @p bra done; cvt.u64.u32 e, a; shl.b64 e, e, 2; alloca.u64 s, e, 16;\n"
        "st.local.u32 [s], a; sub.u32 b, a, 1; st.param.b32 [x], b; call (y), f, (x); ld.param.b32 b, [y]; "
        "ld.local.u32 a, [s];\n"
        "add.u32 a, a, b; done: st.param.b32 [r], a; ret; }\n",
        "call (y), f, (x); ld.param.b32 a, [y];", out);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(i * (i + 1) / 2, out[i]);
    run("",
        ".reg .b64 s, t; stacksave.u64 s; alloca.u64 q, 64; stackrestore.u64 s; alloca.u64 t, 64; sub.u64 q, t, q; "
        "cvt.u32.u64 a, q;",
        out);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(0, out[i]);
}

static void lanes_that_call_different_functions_take_turns_inside_a_recursion(void **state)
{
    (void)state;
    uint32_t out[32];
    run(".func (.param .b32 r) even(.param .b32 n);\n.func (.param .b32 r) odd(.param .b32 n);\n.global .u64 both[2] = "
        "{even, odd};\n"
        ".func (.param .b32 r) even(.param .b32 n) { .reg .b32 a; .reg .pred p; .param .b32 x, y; ld.param.b32 a, [n]; "
        "setp.eq.u32 p, a, 0;\n"
        "@p bra z; sub.u32 a, a, 1; st.param.b32 [x], a; call (y), odd, (x); ld.param.b32 a, [y]; st.param.b32 [r], a; "
        "ret;\n"
        "z: st.param.b32 [r], 1; ret; }\n"
        ".func (.param .b32 r) odd(.param .b32 n) { .reg .b32 a; .reg .pred p; .param .b32 x, y; ld.param.b32 a, [n]; "
        "setp.eq.u32 p, a, 0;\n"
        "@p bra z; sub.u32 a, a, 1; st.param.b32 [x], a; call (y), even, (x); ld.param.b32 a, [y]; st.param.b32 [r], "
        "a; ret;\n"
        "z: st.param.b32 [r], 0; ret; }\n",
        ".reg .b64 u, w; and.b32 b, a, 1; mov.u64 u, even; setp.eq.u32 p, b, 1; @p mov.u64 u, odd;\n"
        "t: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), u, (x), t; ld.param.b32 a, [y];",
        out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(1, out[i]); /* even lanes ask whether they are even, odd ones
                                      * odd */
}

static void one_lane_is_elected_and_the_nth_bit_is_found(void **state)
{
    (void)state;
    uint32_t out[32];
    run("",
        "mov.u32 b, 0; setp.lt.u32 p, a, 5; @p bra no; elect.sync b|p, -1; selp.u32 c, 100, 0, p; add.u32 b, b, c; no: "
        "mov.u32 a, b;",
        out);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(i < 5 ? 0 : i == 5 ? 105 : 5, out[i]);
    run("", "fns.b32 b, 0x12345678, 4, 2; fns.b32 c, 0x12345678, 31, -1; mad.lo.u32 a, b, 100, c;", out);
    assert_int_equal(528, out[0]);
}

static void kernels_that_inline_more_than_four_million_instructions_are_refused(void **state)
{
    (void)state;
    if (POISE_SANITIZED) skip(); /* it would take as long as all of the others */
    enum { SIZE = 64 << 10 };
    char *text = malloc(SIZE);
    size_t n = (size_t)snprintf(text, SIZE, HEADER ".func f0() { .reg .b32 a; mov.u32 a, 1; mov.u32 a, 2; ret; }\n");
    for (int i = 1; i < 17; i++)
        n += (size_t)snprintf(text + n, SIZE - n, ".func f%d() { call f%d; call f%d; ret; }\n", i, i - 1, i - 1);
    for (int i = 0; i < 40; i++) n += (size_t)snprintf(text + n, SIZE - n, ".entry k%d() { call f15; ret; }\n", i);
    struct ptx_module *m;
    struct error err = {0};
    assert_int_equal(-1, ptx_module_new(&m, "t.ptx", text, n, &err));
    assert_non_null(strstr(err.text, "instructions"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_without_end_is_stopped_at_1024_frames),
        cmocka_unit_test(the_stack_of_16384_bytes_cannot_overflow),
        cmocka_unit_test(a_call_of_no_function_is_told_with_its_address),
        cmocka_unit_test(lanes_return_and_exit_from_a_recursion_at_their_own_depth),
        cmocka_unit_test(parameters_may_change_places_in_a_recursive_call),
        cmocka_unit_test(alloca_gives_each_lane_and_each_frame_its_own_memory),
        cmocka_unit_test(lanes_that_call_different_functions_take_turns_inside_a_recursion),
        cmocka_unit_test(one_lane_is_elected_and_the_nth_bit_is_found),
        cmocka_unit_test(kernels_that_inline_more_than_four_million_instructions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
