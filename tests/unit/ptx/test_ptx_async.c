/* cp.async and mbarrier. */
#include "ptx_rig.h"

/* The body must fail with this text in its error. */
static void fails(const char *body, uint32_t threads, const char *message)
{
    char text[4096];
    struct rig_device d;
    struct error err = {0};
    rig_init(&d);
    const uint64_t at = rig_alloc(&d, 128, NULL);
    assert_int_equal(-1, rig_try(&d, rig_kernel(text, sizeof text, body), 1, threads, &at, 1, &err));
    if (!strstr(err.text, message)) fail_msg("%s\ninstead of: %s", err.text, message);
    rig_fini(&d);
}

#define WAIT_ALL "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0;\n"
#define MY_ADDRESS "mul.wide.u32 %rd1, %r0, 16; add.u64 %rd2, %rd0, %rd1;\n"

/* Lane i copies 4 i bytes, up to 16, of the words 16 i.. and gets zeros for the rest. */
static void a_copy_reads_as_many_bytes_as_it_is_told_and_fills_the_rest_with_zeros(void **state)
{
    (void)state;
    uint32_t out[20];
    rig_body("{ .shared .align 16 .b8 s[512]; .reg .b32 %v<4>;\n" MY_ADDRESS
             "mad.lo.u32 %r1, %r0, 16, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3;\n"
             "st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4}; mov.u64 %rd3, s; add.u64 %rd3, %rd3, %rd1; mul.lo.u32 "
             "%r5, %r0, 4;\n"
             "cp.async.cg.shared.global.L2::128B [%rd3], [%rd2], 16, %r5;\n" WAIT_ALL
             "ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%rd3]; st.global.v4.u32 [%rd2], {%v0, %v1, %v2, %v3}; }",
             5, out, 20);
    for (uint32_t i = 0; i < 20; i++) assert_int_equal(out[i], i % 4 < i / 4 ? i / 4 * 16 + 1 + i % 4 : 0);
}

static void a_copy_of_lanes_whose_predicate_is_set_is_zero(void **state)
{
    (void)state;
    uint32_t out[8];
    rig_body("{ .shared .align 4 .b8 s[64]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1; add.u32 %r1, %r0, "
             "100; st.global.u32 [%rd2], %r1;\n"
             "setp.lt.u32 %p1, %r0, 3; mov.u64 %rd3, s; add.u64 %rd3, %rd3, %rd1; cp.async.ca.shared.global [%rd3], "
             "[%rd2], 4, !%p1;\n" WAIT_ALL "ld.shared.u32 %r2, [%rd3]; st.global.u32 [%rd2], %r2; }",
             8, out, 8);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(out[i], i < 3 ? i + 100 : 0);
}

static void a_copy_under_a_guard_leaves_the_other_lanes_memory_as_it_was(void **state)
{
    (void)state;
    uint32_t out[8];
    rig_body("{ .shared .align 8 .b8 s[64]; mul.wide.u32 %rd1, %r0, 8; add.u64 %rd2, %rd0, %rd1; st.global.v2.u32 "
             "[%rd2], {7, %r0};\n"
             "mov.u64 %rd3, s; add.u64 %rd3, %rd3, %rd1; st.shared.v2.u32 [%rd3], {1, 2}; setp.eq.u32 %p1, %r0, 2;\n"
             "@%p1 cp.async.ca.shared.global [%rd3], [%rd2], 8;\n" WAIT_ALL
             "ld.shared.v2.u32 {%r2, %r3}, [%rd3]; st.global.v2.u32 [%rd2], {%r2, %r3}; }",
             4, out, 8);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(out[i], i == 4 ? 7 : i == 5 ? 2 : 1 + i % 2);
}

static void copies_of_other_sizes_and_to_other_memory_are_refused(void **state)
{
    (void)state;
    fails("{ .shared .align 16 .b8 s[64]; mov.u64 %rd1, s; mov.u32 %r1, 17; cp.async.cg.shared.global [%rd1], [%rd0], "
          "16, %r1; }",
          1, "17 bytes of a copy of 16");
    fails("{ .shared .align 16 .b8 s[64]; mov.u64 %rd1, s; cp.async.ca.shared.global [%rd1], [%rd0+4], 16; }", 1,
          "is not aligned to 16 bytes");
    fails("{ .shared .align 16 .b8 s[64]; mov.u64 %rd1, s; cp.async.ca.shared.global [%rd1], [%rd0+124], 8, 8; }", 1,
          "is outside every allocation");
}

/* The text must not be taken. */
static void is_no_ptx(const char *body, const char *message)
{
    char text[4096];
    struct ptx_module *m = NULL;
    struct error err = {0};
    rig_kernel(text, sizeof text, body);
    assert_int_equal(-1, ptx_module_new(&m, "module", text, strlen(text), &err));
    if (!strstr(err.text, message)) fail_msg("%s\ninstead of: %s", err.text, message);
}

static void what_is_no_copy_and_no_barrier_is_told(void **state)
{
    (void)state;
    is_no_ptx("cp.async.cg.shared.global [%rd0], [%rd0], 8;", "4, 8 or 16 bytes are copied at a time, by .cg 16");
    is_no_ptx("cp.async.ca.shared.global [%rd0], [%rd0], %r1;", "4, 8 or 16 bytes are copied at a time");
    is_no_ptx("cp.async.bulk.shared.global [%rd0], [%rd0], 16;", "cp.async.bulk is not supported");
    is_no_ptx("cp.reduce.async [%rd0], [%rd0], 16;", "is not supported");
    is_no_ptx("mbarrier.meet.b64 [%rd0];", "unknown instruction");
    is_no_ptx("mbarrier.init.u32 [%rd0], 1;", "unknown instruction");
    is_no_ptx("mbarrier.arrive.noComplete.b64 %rd1, [%rd0];", "operands");
}

/* 96 threads, in four rounds: what a thread wrote before it came the others see when they have waited. */
static void threads_meet_at_a_barrier_by_state_and_by_parity(void **state)
{
    (void)state;
    static const char *const waits[] = {"mbarrier.test_wait.shared.b64 %p1, [b], %rd4;",
                                        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [b], %r7, 100;",
                                        "mbarrier.test_wait.parity.acquire.cta.b64 %p1, [%rd6], %r7;"};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        char body[2048];
        uint32_t out[96];
        snprintf(body, sizeof body,
                 "{ .shared .align 8 .b64 b; .shared .align 4 .b8 s[384]; setp.ne.u32 %%p2, %%r0, 0; @!%%p2 "
                 "mbarrier.init.shared.b64 [b], 96; bar.sync 0;\n"
                 "mov.u64 %%rd6, b; cvta.shared.u64 %%rd6, %%rd6; mul.wide.u32 %%rd1, %%r0, 4; mov.u64 %%rd3, s; "
                 "add.u64 %%rd5, %%rd3, %%rd1;\n"
                 "mov.u32 %%r5, %%r0; mov.u32 %%r6, 0;\n"
                 "ROUND: st.shared.u32 [%%rd5], %%r5; mbarrier.arrive.release.cta.shared.b64 %%rd4, [b]; and.b32 "
                 "%%r7, %%r6, 1; shl.b32 %%r7, %%r7, 0;\n"
                 "WAIT: %s\n@!%%p1 bra WAIT;\n"
                 "add.u32 %%r8, %%r0, 33; rem.u32 %%r8, %%r8, 96; mul.wide.u32 %%rd7, %%r8, 4; add.u64 %%rd7, %%rd7, "
                 "%%rd3; ld.shared.u32 %%r9, [%%rd7];\n"
                 "add.u32 %%r5, %%r9, 1; bar.sync 0; add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p3, %%r6, 4; @%%p3 bra "
                 "ROUND;\n"
                 "add.u64 %%rd8, %%rd0, %%rd1; st.global.u32 [%%rd8], %%r5; @!%%p2 mbarrier.inval.shared.b64 [b]; }",
                 waits[i]);
        rig_body(body, 96, out, 96);
        for (uint32_t t = 0; t < 96; t++) assert_int_equal(out[t], (t + 4 * 33) % 96 + 4);
    }
}

/* One thread, step after step: whether the phase of parity 0 is over, and (state) how many arrivals were pending. */
static void a_phase_ends_when_arrivals_and_bytes_have_come(void **state)
{
    (void)state;
    static const struct {
        const char *step;
        uint32_t is_over, pending;
    } rows[] = {
        {"mbarrier.init.shared.b64 [b], 3;", 0, 0},
        {"mbarrier.arrive.noComplete.shared.b64 %rd1, [b], 2;", 0, 3},
        {"mbarrier.arrive.expect_tx.shared.b64 %rd1, [b], 64;", 0, 1},
        {"mbarrier.complete_tx.shared.b64 [b], 48;", 0, 1},
        {"mbarrier.complete_tx.shared.b64 [b], 16;", 1, 1},
        {"mbarrier.arrive_drop.shared.b64 _, [b];", 1, 1},
        {"mbarrier.arrive.shared.b64 %rd1, [b], 1;", 1, 2},
        {"cp.async.mbarrier.arrive.shared.b64 [b];", 1, 2},
        {"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [b];", 0, 2},
        {"mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 8;", 0, 2},
        {"mbarrier.arrive.shared.b64 %rd1, [b];", 0, 2},
        {"mbarrier.arrive.shared.b64 %rd1, [b];", 0, 1},
        {"mbarrier.complete_tx.shared.b64 [b], 8;", 1, 1},
    };
    enum { N = sizeof rows / sizeof *rows };
    char body[4096] = "{ .shared .align 8 .b64 b; mov.u64 %rd1, 0;\n";
    uint32_t out[2 * N];
    for (size_t i = 0; i < N; i++) {
        const size_t at = strlen(body);
        snprintf(body + at, sizeof body - at,
                 "%s mbarrier.test_wait.parity.shared.b64 %%p1, [b], 0; selp.u32 %%r1, 1, 0, %%p1; "
                 "mbarrier.pending_count.b64 %%r2, %%rd1; st.global.v2.u32 [%%rd0+%zu], {%%r1, %%r2};\n",
                 rows[i].step, 8 * i);
    }
    rig_body(strcat(body, "}"), 1, out, sizeof out / sizeof *out);
    for (size_t i = 0; i < N; i++)
        if (out[2 * i] != rows[i].is_over || out[2 * i + 1] != rows[i].pending)
            fail_msg("%s: %u and %u", rows[i].step, out[2 * i], out[2 * i + 1]);
}

static void impossible_counts_are_refused(void **state)
{
    (void)state;
#define BARRIER "{ .shared .align 8 .b64 b; "
    fails(BARRIER "mbarrier.init.shared.b64 [b], 0; }", 1, "a barrier of 0 arrivals, there are 1 to 1048575");
    fails(BARRIER "mbarrier.init.shared.b64 [b], 2; mbarrier.arrive.shared.b64 %rd1, [b], 3; }", 1,
          "3 arrivals at a barrier that waits for 2");
    fails(BARRIER "mbarrier.init.shared.b64 [b], 2; mbarrier.expect_tx.shared.b64 [b], 1048576; }", 1,
          "the barrier would wait for 1048576 bytes");
    fails("mbarrier.init.shared.b64 [%rd0], 1;", 1, "is outside the 0 bytes of shared memory");
#undef BARRIER
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_reads_as_many_bytes_as_it_is_told_and_fills_the_rest_with_zeros),
        cmocka_unit_test(a_copy_of_lanes_whose_predicate_is_set_is_zero),
        cmocka_unit_test(a_copy_under_a_guard_leaves_the_other_lanes_memory_as_it_was),
        cmocka_unit_test(copies_of_other_sizes_and_to_other_memory_are_refused),
        cmocka_unit_test(what_is_no_copy_and_no_barrier_is_told),
        cmocka_unit_test(threads_meet_at_a_barrier_by_state_and_by_parity),
        cmocka_unit_test(a_phase_ends_when_arrivals_and_bytes_have_come),
        cmocka_unit_test(impossible_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
