#include "ptx_rig.h"
#include <sys/time.h>

#define TID_ADDRESS "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"

static void nested_ifs_meet_again(void **state)
{
    (void)state;
    uint32_t out[64];
    rig_body(
        TID_ADDRESS
        "mov.u32 %r1, 0; and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;\n"
        "add.u32 %r1, %r1, 100; setp.gt.u32 %p2, %r0, 10; @!%p2 bra JOIN; add.u32 %r1, %r1, 1000; bra JOIN;\n"
        "EVEN: add.u32 %r1, %r1, 7;\nJOIN: activemask.b32 %r3; popc.b32 %r3, %r3; mad.lo.u32 %r1, %r3, 10000, %r1;\n"
        "st.global.u32 [%rd0], %r1;",
        64, out, 64);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], 320000 + (i % 2 == 0 ? 7u : i > 10 ? 1100u : 100u));
}

static void a_loop_runs_each_lane_its_own_number_of_times_and_breaks(void **state)
{
    (void)state;
    uint32_t out[40];
    rig_body(TID_ADDRESS
             "mov.u32 %r1, 0; mov.u32 %r2, 0;\nLOOP: setp.ge.u32 %p1, %r1, %r0; @%p1 bra DONE;\n"
             "add.u32 %r2, %r2, %r1; setp.gt.u32 %p2, %r2, 100; @%p2 bra DONE;\nadd.u32 %r1, %r1, 1; bra LOOP;\n"
             "DONE: activemask.b32 %r3; st.global.u32 [%rd0], %r2; setp.ne.u32 %p3, %r3, 0xffffffff; setp.lt.and.u32 "
             "%p3, %r0, 32, %p3;"
             " @%p3 trap;",
             40, out, 40);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < i && sum <= 100; k++) sum += k;
        assert_int_equal(out[i], sum);
    }
}

static void unstructured_flow_gives_each_lane_its_own_path(void **state)
{
    (void)state;
    uint32_t out[32];
    /* two entries into one loop body, a jump out of it, and a jump back across */
    rig_body(TID_ADDRESS
             "mov.u32 %r1, %r0; mov.u32 %r2, 0; and.b32 %r3, %r0, 3; setp.eq.u32 %p1, %r3, 0; @%p1 bra B;\n"
             "setp.eq.u32 %p2, %r3, 1; @%p2 bra C;\nA: add.u32 %r2, %r2, 1; setp.gt.u32 %p3, %r2, 20; @%p3 bra OUT;\n"
             "B: add.u32 %r2, %r2, 10; setp.gt.u32 %p3, %r2, 50; @%p3 bra OUT;\n"
             "C: add.u32 %r2, %r2, 3; setp.eq.u32 %p4, %r3, 2; @%p4 bra A; setp.lt.u32 %p5, %r2, 30; @%p5 bra B;\nOUT: "
             "st.global.u32 [%rd0], %r2;",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t s = 0, k = i & 3, at = k == 0 ? 'B' : k == 1 ? 'C' : 'A';
        for (;;) {
            if (at == 'A') {
                s += 1;
                if (s > 20) break;
                at = 'B';
            } else if (at == 'B') {
                s += 10;
                if (s > 50) break;
                at = 'C';
            } else {
                s += 3;
                if (k == 2) at = 'A';
                else if (s < 30) at = 'B';
                else break;
            }
        }
        assert_int_equal(out[i], s);
    }
}

static void lanes_that_exit_early_leave_the_others_running(void **state)
{
    (void)state;
    uint32_t out[64];
    rig_body(TID_ADDRESS
             "st.global.u32 [%rd0], 1; setp.lt.u32 %p1, %r0, 5; @%p1 exit; setp.lt.u32 %p2, %r0, 40; @!%p2 bra X;\n"
             "st.global.u32 [%rd0], 2; ret;\nX: st.global.u32 [%rd0], 3;",
             64, out, 64);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], i < 5 ? 1 : i < 40 ? 2 : 3);
}

static void an_indexed_branch_takes_each_lane_to_its_target(void **state)
{
    (void)state;
    uint32_t out[32];
    rig_body(TID_ADDRESS
             "T: .branchtargets L0, L1, L2; rem.u32 %r1, %r0, 3; mov.u32 %r2, 0;\nbrx.idx %r1, T;\n"
             "L0: add.u32 %r2, %r2, 1; bra J;\nL1: add.u32 %r2, %r2, 20;\nL2: add.u32 %r2, %r2, 300;\n"
             "J: activemask.b32 %r4; setp.ne.u32 %p1, %r4, 0xffffffff; @%p1 trap; st.global.u32 [%rd0], %r2;",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i % 3 == 0 ? 1 : i % 3 == 1 ? 320 : 300);
}

static void calls_pass_parameters_and_results_and_may_be_guarded(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64 * 4, NULL);
    rig_run(
        &d,
        HEADER
        ".func (.param .b32 r) twice(.param .b32 x);\n"
        ".func (.param .b32 r) once_more(.param .b32 x, .param .align 4 .b8 s[8]) { .reg .b32 %r<9>; .reg .pred p;\n"
        " ld.param.u32 %r1, [x]; ld.param.v2.u32 {%r5, %r6}, [s]; setp.lt.u32 p, %r1, 10; @p bra L; add.u32 %r1, %r1, "
        "%r6;\n"
        " st.param.b32 [r], %r1; ret;\n L: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, "
        "(a); ld.param.b32 %r2, [b]; }\n"
        " add.u32 %r2, %r2, %r5; st.param.b32 [r], %r2; }\n"
        ".func (.reg .b32 out) square(.reg .b32 in) { mul.lo.u32 out, in, in; ret; }\n"
        ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; shl.b32 %r2, %r1, 1; "
        "st.param.b32 [r], %r2; ret; }\n"
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred p;\n"
        " mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"
        " { .param .b32 a; .param .b32 b; .param .align 4 .b8 s[8]; st.param.b32 [a], %r0; st.param.v2.b32 [s], {1000, "
        "2000};"
        " call (b), once_more, (a, s); ld.param.b32 %r1, [b]; }\n setp.gt.u32 p, %r0, 60; @p call (%r1), square, "
        "(%r1);\n"
        " st.global.u32 [%rd0], %r1; ret; }\n"
        ".visible .entry unused() { ret; }",
        1, 64, &at, 1);
    const uint32_t *out = rig_host(&d, at);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t x = i < 10 ? 2 * i + 1000 : i + 2000;
        if (i > 60) x *= x;
        assert_int_equal(out[i], x);
    }
    rig_fini(&d);
}

/* In the place of .param variables; a result may go where an argument came from, or nowhere. */
static void calls_take_registers_and_constants_for_parameters_that_are_no_arrays(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64 * 4, NULL);
    rig_run(&d,
            HEADER
            ".func (.param .b32 r) less(.param .b32 x, .param .u64 y, .param .f32 z) { .reg .b32 %r<5>; .reg .b64 "
            "%l; .reg .f32 %f;\n"
            " mov.b32 %r3, 7; st.param.b32 [r], %r3; ld.param.u32 %r1, [x]; ld.param.u64 %l, [y]; cvt.u32.u64 "
            "%r2, %l; ld.param.f32 %f, [z]; cvt.rzi.u32.f32 %r4, %f;\n"
            " sub.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r4; st.param.b32 [r], %r1; ret; }\n"
            ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred p;\n"
            " mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, "
            "%rd1;\n"
            " mov.u32 %r1, %r0; setp.gt.u32 p, %r0, 30; mov.b64 %rd2, 2; call (%r1), less, (%r1, %rd2, 2.5);\n"
            " call (_), less, (%r1, 1, 0.0); @p call (%r1), less, (%r1, 5, 0f41200000);\n"
            " st.global.u32 [%rd0], %r1; ret; }",
            1, 64, &at, 1);
    const uint32_t *out = rig_host(&d, at);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], i > 30 ? i + 5 : i);
    rig_fini(&d);
}

static void warps_wait_for_each_other_at_barriers(void **state)
{
    (void)state;
    uint32_t out[256];
    /* a reduction across eight warps, then everyone reads the sum */
    rig_body("{ .shared .align 4 .b8 s[1024]; .reg .b64 %a; mov.u64 %a, s; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, "
             "%rd0, %rd1; add.u64 %rd2, %a, %rd1;\n"
             "st.shared.u32 [%rd2], %r0; mov.u32 %r1, 128;\nL: bar.sync 0; setp.ge.u32 %p1, %r0, %r1; @%p1 bra N; "
             "mul.wide.u32 %rd3, %r1, 4;\n"
             "add.u64 %rd3, %rd2, %rd3; ld.shared.u32 %r2, [%rd3]; ld.shared.u32 %r3, [%rd2]; add.u32 %r3, %r3, %r2; "
             "st.shared.u32 [%rd2], %r3;\n"
             "N: shr.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra L; barrier.sync 0; ld.shared.u32 %r4, [s]; "
             "st.global.u32 [%rd0], %r4; }",
             256, out, 256);
    for (uint32_t i = 0; i < 256; i++) assert_int_equal(out[i], 255 * 256 / 2);
}

static void named_barriers_with_counts_and_arrivals(void **state)
{
    (void)state;
    uint32_t out[64];
    /* warp 0 produces and only arrives, warp 1 consumes */
    rig_body(TID_ADDRESS
             "{ .shared .b32 s; setp.lt.u32 %p1, %r0, 32; @%p1 bra PRODUCE; bar.sync 3, 64; ld.shared.u32 %r1, [s]; "
             "bra END;\n"
             "PRODUCE: st.shared.u32 [s], 77; bar.arrive 3, 64; mov.u32 %r1, 5;\nEND: st.global.u32 [%rd0], %r1; }",
             64, out, 64);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], i < 32 ? 5 : 77);
    rig_body(TID_ADDRESS "setp.lt.u32 %p1, %r0, 10; bar.red.popc.u32 %r1, 0, %p1; bar.red.and.pred %p2, 0, %p1; "
                         "bar.red.or.pred %p3, 0, !%p1;\n"
                         "selp.u32 %r2, 100, 0, %p2; selp.u32 %r3, 1000, 0, %p3; add.u32 %r1, %r1, %r2; add.u32 %r1, "
                         "%r1, %r3; st.global.u32 [%rd0], %r1;",
             64, out, 64);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], 1010);
}

static void a_barrier_that_cannot_be_completed_is_a_deadlock(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    const char *text = HEADER ".entry k() { .reg .pred p; .reg .b32 r; mov.u32 r, %tid.x;\n setp.lt.u32 p, r, 32;\n @p "
                              "bra L;\n bar.sync 1;\n ret;\nL: bar.sync 2; }";
    assert_int_equal(-1, rig_try(&d, text, 1, 64, NULL, 0, &err));
    assert_int_equal(ERR_DEADLOCK, err.code);
    assert_string_equal(err.text, "kernel k: block (0,0,0): no barrier can be completed: warp 0 at barrier 2 (line 9), "
                                  "warp 1 at barrier 1 (line 7)");
    rig_fini(&d);
}

static void exited_warps_are_not_waited_for(void **state)
{
    (void)state;
    uint32_t out[96];
    rig_body(TID_ADDRESS "setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 0; st.global.u32 [%rd0], 9;", 96, out, 96);
    for (uint32_t i = 0; i < 96; i++) assert_int_equal(out[i], i < 32 ? 0 : 9);
}

static void votes_and_masks(void **state)
{
    (void)state;
    uint32_t out[32];
    rig_body(TID_ADDRESS
             "setp.lt.u32 %p1, %r0, 12; vote.sync.ballot.b32 %r1, %p1, 0xffffffff; vote.all.pred %p2, %p1; "
             "vote.any.pred %p3, %p1;\n"
             "vote.sync.uni.pred %p4, %p1, 0xfff; selp.u32 %r2, 0x10000, 0, %p2; selp.u32 %r3, 0x20000, 0, %p3; "
             "selp.u32 %r4, 0x40000, 0, %p4;\n"
             "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; st.global.u32 [%rd0], %r1;",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0xfff + 0x20000 + 0x40000);
    rig_body(TID_ADDRESS "mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_ge; xor.b32 %r1, %r1, %r2; mov.u32 %r3, "
                         "%laneid; add.u32 %r1, %r1, %r3;"
                         " add.u32 %r1, %r1, 1; st.global.u32 [%rd0], %r1;",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i);
}

static void shuffles_move_values_between_lanes(void **state)
{
    (void)state;
    uint32_t out[32];
#define SHUFFLE(mode, b, c) \
    TID_ADDRESS "shfl.sync." mode ".b32 %r1|%p1, %r0, " b ", " c \
                ", 0xffffffff; selp.u32 %r2, 100, 0, %p1; add.u32 %r1, %r1, %r2; st.global.u32 [%rd0], %r1;"
    rig_body(SHUFFLE("up", "3", "0"), 32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i >= 3 ? i - 3 + 100 : i);
    rig_body(SHUFFLE("down", "4", "31"), 32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i + 4 <= 31 ? i + 4 + 100 : i);
    rig_body(SHUFFLE("bfly", "1", "31"), 32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], (i ^ 1) + 100);
    rig_body(SHUFFLE("idx", "5", "31"), 32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 105);
    rig_body(SHUFFLE("idx", "2", "0x181f"), 32, out, 32); /* segments of eight lanes */
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i / 8 * 8 + 2 + 100);
    rig_body(TID_ADDRESS
             "shr.u32 %r1, %r0, 2; match.any.sync.b32 %r2, %r1, 0xffffffff; redux.sync.add.u32 %r3, %r0, 0xffffffff;"
             " popc.b32 %r2, %r2; add.u32 %r2, %r2, %r3; st.global.u32 [%rd0], %r2;",
             32, out, 32);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 4 + 31 * 32 / 2);
}

static void an_instruction_limit_stops_an_endless_loop(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    assert_int_equal(-1, rig_try(&d, HEADER ".entry k() {\nL: bra L;\n}", 1, 32, NULL, 0, &err));
    assert_int_equal(ERR_LIMIT, err.code);
    assert_string_equal(err.text, "kernel k: 1000000 warp instructions executed, the limit");
    rig_fini(&d);
}

/* Without a bound on the launch as a whole, as programs run that record nothing. */
static int run_idle(struct rig_device *d, const char *text, uint32_t grid, uint32_t block, uint64_t at, uint64_t most,
                    struct error *err)
{
    struct ptx_module *m = rig_module(text);
    const struct ptx_grid g = {{grid, 1, 1}, {block, 1, 1}, 0};
    const struct ptx_services services = {.max_idle_insts = most};
    const int rc =
        ptx_run_with(ptx_module_kernel(m, 0), &g, &at, at ? 8 : 0, &d->memory, &services, NULL, 0, NULL, err);
    ptx_module_free(m);
    return rc;
}

static void a_kernel_that_never_goes_on_ends_with_its_place_though_nothing_is_recorded(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    char text[4096];
    rig_init(&d);
    const struct itimerval limit = {.it_value = {60, 0}}, none = {.it_value = {0, 0}};
    setitimer(ITIMER_PROF, &limit, NULL); /* it would hang */
    assert_int_equal(-1, run_idle(&d, HEADER ".entry k() {\nL: bra L;\n}", 1, 64, 0, 50000, &err));
    assert_int_equal(ERR_LIMIT, err.code);
    assert_string_equal(
        err.text, "kernel k: no progress in 50000 warp instructions: no memory changed, no warp ended or came to a "
                  "barrier; block (0,0,0), warp 1 is at line 5");
    assert_int_equal(5, err.line);
    /* one warp ends, one waits at a barrier, and so do all other CTAs for what never comes */
    const uint64_t at = rig_alloc(&d, 64, NULL);
    rig_kernel(text, sizeof text,
               "setp.lt.u32 %p2, %r0, 32; @%p2 ret; setp.ge.u32 %p2, %r0, 64; @%p2 bra W;\n"
               "L: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;\nW: bar.sync 0;");
    assert_int_equal(-1, run_idle(&d, text, 5, 96, at, 3000000, &err));
    assert_non_null(strstr(err.text, "no progress in 3000000 warp instructions"));
    if (!strstr(err.text, "block (1,0,0), warp 1 is at line 9")) fail_msg("%s", err.text);
    setitimer(ITIMER_PROF, &none, NULL);
    rig_fini(&d);
}

static void a_kernel_that_goes_on_may_execute_any_number_of_instructions(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    char text[4096];
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 64, NULL);
    /* 200 times 300 instructions and a store; more than 1000 at a time would be none */
    rig_kernel(text, sizeof text,
               "mov.u32 %r1, 0;\nO: mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L;\n"
               "st.global.u32 [%rd0], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 200; @%p2 bra O;");
    if (run_idle(&d, text, 3, 96, at, 1000, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(-1, run_idle(&d, text, 3, 96, at, 250, &err));
    /* each warp ends in time, all of them together take longer */
    rig_kernel(text, sizeof text, "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L;");
    if (run_idle(&d, text, 50, 96, at, 1000, &err) < 0) fail_msg("%s", err.text);
    rig_fini(&d);
}

/* The first warp changes what the second one is yet to read, as a program does that lacks a barrier. */
static void warps_take_turns_of_as_many_instructions_as_are_asked_for(void **state)
{
    (void)state;
    static const uint64_t turns[] = {0, 1, 8, 1000};
    static const uint32_t expected[] = {1, 0, 0, 1};
    char text[4096];
    rig_kernel(
        text, sizeof text,
        ".shared .b32 flag; bar.sync 0; ld.volatile.shared.u32 %r1, [flag]; shl.b32 %r2, %r0, 2;"
        "cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd0, %rd1; setp.ge.u32 %p1, %r0, 32; @%p1 bra S; mov.u32 %r3, 0;\n"
        "L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 100; @%p2 bra L;\n st.volatile.shared.u32 [flag], 1;\n"
        "S: st.global.u32 [%rd1], %r1;");
    for (size_t i = 0; i < 4; i++) {
        struct rig_device d;
        struct error err = {0};
        uint32_t out[64];
        rig_init(&d);
        const uint64_t at = rig_alloc(&d, sizeof out, NULL);
        struct ptx_module *m = rig_module(text);
        const struct ptx_grid g = {{1, 1, 1}, {64, 1, 1}, 0};
        const struct ptx_services services = {.turn_insts = turns[i]};
        struct ptx_counts counts;
        if (ptx_run_with(ptx_module_kernel(m, 0), &g, &at, 8, &d.memory, &services, NULL, 0, &counts, &err) < 0)
            fail_msg("%s", err.text);
        ptx_module_free(m);
        memcpy(out, rig_host(&d, at), sizeof out);
        assert_int_equal(0, out[31]);
        assert_int_equal(expected[i], out[32]);
        assert_int_equal(expected[i], out[63]);
        assert_true(counts.warp_insts > 300 && counts.warp_insts < 340); /* no instruction twice */
        rig_fini(&d);
    }
}

static void trap_and_calls_without_body_are_errors_only_when_executed(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    const char *text = HEADER ".extern .func oops(.param .b32 x);\n.entry k() { .reg .pred p; .reg .b32 r; .param .b32 "
                              "a; mov.u32 r, %tid.x;\n"
                              " setp.eq.u32 p, r, 70; @p call oops, (a);\n ret; }";
    if (rig_try(&d, text, 1, 64, NULL, 0, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(-1, rig_try(&d, text, 1, 96, NULL, 0, &err));
    assert_string_equal(
        err.text,
        "kernel k: block (0,0,0) thread (70,0,0), line 6: the program called oops, which has no body in this module");
    assert_int_equal(-1, rig_try(&d, HEADER ".entry k() {\n trap; }", 1, 1, NULL, 0, &err));
    assert_string_equal(err.text, "kernel k: block (0,0,0) thread (0,0,0), line 5: the program executed trap");
    assert_int_equal(5, err.line);
    rig_fini(&d);
}

static void launches_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    struct ptx_module *m =
        rig_module(HEADER ".entry k(.param .u64 a) .maxntid 64 { .shared .b8 s[1000]; st.shared.u8 [s], 1; ret; }");
    const struct ptx_kernel *k = ptx_module_kernel(m, 0);
    const uint64_t param = 0;
    assert_int_equal(
        -1, ptx_run(k, &(struct ptx_grid){{1, 0, 1}, {32, 1, 1}, 0}, &param, 8, &d.memory, NULL, 0, NULL, &err));
    assert_string_equal(err.text, "kernel k: a grid of 1 x 0 x 1 blocks of 32 x 1 x 1 threads");
    assert_int_equal(
        -1, ptx_run(k, &(struct ptx_grid){{1, 1, 1}, {65, 1, 1}, 0}, &param, 8, &d.memory, NULL, 0, NULL, &err));
    assert_string_equal(err.text, "kernel k: 65 threads a CTA, at most 64");
    assert_int_equal(
        -1, ptx_run(k, &(struct ptx_grid){{1, 1, 1}, {64, 1, 1}, 0}, &param, 4, &d.memory, NULL, 0, NULL, &err));
    assert_string_equal(err.text, "kernel k: 4 bytes of parameters, it takes 8");
    assert_int_equal(
        -1, ptx_run(k, &(struct ptx_grid){{1, 1, 1}, {64, 1, 1}, 300000}, &param, 8, &d.memory, NULL, 0, NULL, &err));
    assert_string_equal(err.text, "kernel k: 301000 bytes of shared memory, at most 262144");
    assert_int_equal(1000, ptx_kernel_info(k)->static_shared_bytes);
    ptx_module_free(m);
    rig_fini(&d);
}

static void threads_know_where_they_are_in_three_dimensions(void **state)
{
    (void)state;
    struct rig_device d;
    rig_init(&d);
    struct error err = {0};
    const uint64_t at = rig_alloc(&d, 4 * 24 * 6, NULL);
    struct ptx_module *m = rig_module(HEADER ".entry k(.param .u64 out) { .reg .b32 %r<30>; .reg .b64 %rd<4>; mov.u32 "
                                             "%r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"
                                             "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mad.lo.u32 %r6, %r3, "
                                             "%r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;\n"
                                             "mov.u32 %r7, %tid.x; mov.u32 %r8, %tid.y; mov.u32 %r9, %tid.z; mov.u32 "
                                             "%r10, %ntid.x; mov.u32 %r11, %ntid.y; mov.u32 %r12, %ntid.z;\n"
                                             "mad.lo.u32 %r13, %r9, %r11, %r8; mad.lo.u32 %r13, %r13, %r10, %r7; "
                                             "mul.lo.u32 %r14, %r10, %r11; mul.lo.u32 %r14, %r14, %r12;\n"
                                             "mad.lo.u32 %r15, %r6, %r14, %r13; ld.param.u64 %rd1, [out]; mul.wide.u32 "
                                             "%rd2, %r15, 4; add.u64 %rd1, %rd1, %rd2;\n"
                                             "mov.u32 %r20, %nctaid.z; mad.lo.u32 %r21, %r3, 100, %r9; mad.lo.u32 "
                                             "%r21, %r20, 10000, %r21; st.global.u32 [%rd1], %r21; }");
    const struct ptx_grid grid = {{1, 2, 3}, {2, 3, 4}, 0};
    struct ptx_counts counts;
    if (ptx_run(ptx_module_kernel(m, 0), &grid, &at, 8, &d.memory, NULL, 0, &counts, &err) < 0)
        fail_msg("%s", err.text);
    const uint32_t *out = rig_host(&d, at);
    for (uint32_t i = 0; i < 24 * 6; i++) assert_int_equal(out[i], 30000 + i / 48 * 100 + i % 24 / 6);
    assert_int_equal(counts.warp_insts, 6 * 26);
    assert_int_equal(counts.thread_insts, 6 * 26 * 24);
    ptx_module_free(m);
    rig_fini(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_ifs_meet_again),
        cmocka_unit_test(a_loop_runs_each_lane_its_own_number_of_times_and_breaks),
        cmocka_unit_test(unstructured_flow_gives_each_lane_its_own_path),
        cmocka_unit_test(lanes_that_exit_early_leave_the_others_running),
        cmocka_unit_test(an_indexed_branch_takes_each_lane_to_its_target),
        cmocka_unit_test(calls_pass_parameters_and_results_and_may_be_guarded),
        cmocka_unit_test(calls_take_registers_and_constants_for_parameters_that_are_no_arrays),
        cmocka_unit_test(warps_wait_for_each_other_at_barriers),
        cmocka_unit_test(named_barriers_with_counts_and_arrivals),
        cmocka_unit_test(a_barrier_that_cannot_be_completed_is_a_deadlock),
        cmocka_unit_test(exited_warps_are_not_waited_for),
        cmocka_unit_test(votes_and_masks),
        cmocka_unit_test(shuffles_move_values_between_lanes),
        cmocka_unit_test(an_instruction_limit_stops_an_endless_loop),
        cmocka_unit_test(a_kernel_that_never_goes_on_ends_with_its_place_though_nothing_is_recorded),
        cmocka_unit_test(a_kernel_that_goes_on_may_execute_any_number_of_instructions),
        cmocka_unit_test(warps_take_turns_of_as_many_instructions_as_are_asked_for),
        cmocka_unit_test(trap_and_calls_without_body_are_errors_only_when_executed),
        cmocka_unit_test(launches_that_cannot_be_are_refused),
        cmocka_unit_test(threads_know_where_they_are_in_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
