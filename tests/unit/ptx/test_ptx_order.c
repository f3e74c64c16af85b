/* A launch whose atomics are performed in an order that is given: what each thread sees, what the end is, and what
 * becomes of orders that the kernel does not fit. */
#include "ptx_rig.h"

static struct rig_device device;
static uint64_t words, out;

static int setup(void **state)
{
    (void)state;
    rig_init(&device);
    words = rig_alloc(&device, 4096, NULL);
    out = rig_alloc(&device, 4096, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_fini(&device);
    return 0;
}

/* Text of an order on lines of 128 bytes: "WARP WORD ..." with the word's index in `words`. */
static struct ptx_order *order_of(const int (*atomics)[2], size_t n)
{
    char text[4096];
    struct error err = {0};
    struct ptx_order *order;
    int at = snprintf(text, sizeof text, "poise order 1\nline 128\natomics %zu\n", n);
    for (size_t i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d %llu -\n", atomics[i][0],
                       (unsigned long long)(words / 128) + (unsigned)atomics[i][1] / 32);
    assert_ok(ptx_order_parse(&order, "test.order", text, (size_t)at, &err), &err);
    return order;
}
#define ORDER(...) order_of((const int[][2]){__VA_ARGS__}, sizeof((const int[][2]){__VA_ARGS__}) / sizeof(int[2]))

/* Runs the kernel with (words, out) in the order; the counts of how it was followed. */
static struct ptx_order_counts run(const char *body, uint32_t grid, uint32_t block, struct ptx_order *order)
{
    char text[4096];
    struct error err = {0};
    const uint64_t params[2] = {words, out};
    snprintf(text, sizeof text,
             HEADER ".entry k(.param .u64 w, .param .u64 o) { .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<4>;\n"
                    " ld.param.u64 %%rd0, [w];\n ld.param.u64 %%rd1, [o];\n mov.u32 %%r0, %%tid.x;\n"
                    " mov.u32 %%r1, %%ctaid.x;\n mov.u32 %%r2, %%ntid.x;\n mad.lo.u32 %%r3, %%r1, %%r2, %%r0;\n"
                    " mul.wide.u32 %%rd2, %%r3, 4;\n add.u64 %%rd1, %%rd1, %%rd2;\n%s ret;\n}",
             body);
    struct ptx_module *m = rig_module(text);
    const struct ptx_grid g = {{grid, 1, 1}, {block, 1, 1}, 0};
    const struct ptx_services services = {.order = order};
    assert_ok(ptx_run_with(ptx_module_kernel(m, 0), &g, params, sizeof params, &device.memory, &services, NULL, 1000000,
                           NULL, &err),
              &err);
    ptx_module_free(m);
    const struct ptx_order_counts counts = ptx_order_counts(order);
    ptx_order_free(order);
    return counts;
}

static uint32_t word(uint64_t base, uint32_t i)
{
    uint32_t value;
    memcpy(&value, (const char *)rig_host(&device, base) + 4 * i, 4);
    return value;
}

#define FETCH_ADD " atom.global.add.u32 %r4, [%rd0], 1;\n st.global.u32 [%rd1], %r4;\n"

static void each_thread_gets_what_those_before_it_in_the_order_have_left(void **state)
{
    (void)state;
    const struct ptx_order_counts c = run(FETCH_ADD, 3, 1, ORDER({2, 0}, {0, 0}, {1, 0}));
    assert_int_equal(3, c.listed);
    assert_int_equal(3, c.in_order);
    assert_int_equal(0, c.left_out + c.beyond);
    assert_int_equal(1, word(out, 0));
    assert_int_equal(2, word(out, 1));
    assert_int_equal(0, word(out, 2));
}

static void lanes_of_a_warp_go_together_line_by_line(void **state)
{
    (void)state;
    /* lanes 0 and 1 of both CTAs: one word on each of two lines, which have opposite orders */
    const struct ptx_order_counts c = run(" mul.wide.u32 %rd3, %r0, 128;\n add.u64 %rd0, %rd0, %rd3;\n" FETCH_ADD, 2, 2,
                                          ORDER({1, 0}, {0, 32}, {0, 0}, {1, 32}));
    assert_int_equal(4, c.in_order);
    assert_int_equal(1, word(out, 0)); /* CTA 0: second on line 0, first on line 1 */
    assert_int_equal(0, word(out, 1));
    assert_int_equal(0, word(out, 2));
    assert_int_equal(1, word(out, 3));
}

static void a_thread_that_reads_no_result_goes_on_and_its_atomic_is_performed_in_its_turn(void **state)
{
    (void)state;
    /* each CTA exchanges word 0 for its number and one, then word 32: program order is against the list's for CTA 0,
     * so that a warp that waited at its first would never come to its second */
    const struct ptx_order_counts c = run(" add.u32 %r4, %r1, 1;\n atom.global.exch.b32 %r5, [%rd0], %r4;\n"
                                          " atom.global.exch.b32 %r6, [%rd0+128], %r4;\n",
                                          2, 1, ORDER({1, 0}, {0, 32}, {0, 0}, {1, 32}));
    assert_int_equal(4, c.in_order);
    assert_int_equal(0, c.left_out + c.beyond);
    assert_int_equal(1, word(words, 0));
    assert_int_equal(2, word(words, 32));
}

static void a_fence_waits_for_the_atomics_before_it(void **state)
{
    (void)state;
    /* CTA 0 adds 1 and reads after a fence, when CTA 1's exchange is listed before the sum */
    run(" setp.ne.u32 %p1, %r1, 0;\n @%p1 bra W;\n red.global.add.u32 [%rd0], 1;\n membar.gl;\n"
        " ld.volatile.global.u32 %r4, [%rd0];\n st.global.u32 [%rd1], %r4;\n ret;\nW:\n mov.u32 %r5, 40;\n"
        " atom.global.exch.b32 %r6, [%rd0], %r5;\n",
        2, 1, ORDER({1, 0}, {0, 0}));
    assert_int_equal(41, word(out, 0));
}

static void an_order_that_the_kernel_does_not_fit_is_followed_as_far_as_it_goes(void **state)
{
    (void)state;
    /* warp 7 is not there; warp 1 comes twice, and is listed once */
    const struct ptx_order_counts c = run(" setp.eq.u32 %p1, %r1, 0;\n @%p1 bra L;\n" FETCH_ADD "L:\n" FETCH_ADD, 2, 1,
                                          ORDER({7, 0}, {1, 0}, {0, 0}));
    assert_int_equal(2, c.in_order);
    assert_int_equal(1, c.left_out);
    assert_int_equal(1, c.beyond);
    assert_int_equal(3, word(words, 0));
}

/* A barrier over the grid: in every order of arrivals all leave it. */
static void blocks_that_wait_for_one_another_follow_an_order(void **state)
{
    (void)state;
    const struct ptx_order_counts c =
        run(" atom.global.add.u32 %r4, [%rd0], 1;\n st.global.u32 [%rd1], %r4;\nL:\n ld.volatile.global.u32 %r5, "
            "[%rd0];\n setp.lt.u32 %p1, %r5, 3;\n @%p1 bra L;\n",
            3, 1, ORDER({1, 0}, {2, 0}, {0, 0}));
    assert_int_equal(3, c.in_order);
    assert_int_equal(2, word(out, 0));
    assert_int_equal(0, word(out, 1));
    assert_int_equal(1, word(out, 2));
}

/* A lock: the first in the order has it first. What fails comes again, and is in no list. */
static void a_lock_goes_to_whom_the_order_has_first(void **state)
{
    (void)state;
    const struct ptx_order_counts c =
        run("L:\n atom.global.cas.b32 %r4, [%rd0], 0, 1;\n setp.ne.u32 %p1, %r4, 0;\n @%p1 bra L;\n"
            " ld.volatile.global.u32 %r5, [%rd0+128];\n add.u32 %r6, %r5, 1;\n st.global.u32 [%rd1], %r5;\n"
            " st.volatile.global.u32 [%rd0+128], %r6;\n membar.gl;\n mov.u32 %r8, 0;\n"
            " atom.global.exch.b32 %r7, [%rd0], %r8;\n",
            3, 1, ORDER({2, 0}, {0, 0}, {1, 0}, {2, 0}, {0, 0}, {1, 0}));
    assert_int_equal(0, word(out, 2));
    assert_int_equal(3, word(words, 32)); /* nobody was in it with another */
    assert_int_equal(0, word(words, 0));
    assert_true(c.beyond > 0);
}

static void a_text_that_is_no_order_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
    } bad[] = {{"", 0},
               {"order\n", 1},
               {"poise order 2\nline 128\natomics 0\n", 1},
               {"poise order 1\nline 100\natomics 0\n", 2},
               {"poise order 1\nline 128\natomics x\n", 3},
               {"poise order 1\nline 128\natomics 99999999\n", 3},
               {"poise order 1\nline 128\natomics 1\n", 3},
               {"poise order 1\nline 128\natomics 1\n1 2\n", 4},
               {"poise order 1\nline 128\natomics 1\n1 2 -1\n", 4},
               {"poise order 1\nline 128\natomics 1\n1 2 3\n1 2 3\n", 5}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = {0};
        struct ptx_order *order;
        assert_int_equal(-1, ptx_order_parse(&order, "x.order", bad[i].text, strlen(bad[i].text), &err));
        assert_non_null(strstr(err.text, "x.order"));
        assert_int_equal(bad[i].line, err.line);
        assert_null(order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_thread_gets_what_those_before_it_in_the_order_have_left, setup, teardown),
        cmocka_unit_test_setup_teardown(lanes_of_a_warp_go_together_line_by_line, setup, teardown),
        cmocka_unit_test_setup_teardown(a_thread_that_reads_no_result_goes_on_and_its_atomic_is_performed_in_its_turn,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_fence_waits_for_the_atomics_before_it, setup, teardown),
        cmocka_unit_test_setup_teardown(an_order_that_the_kernel_does_not_fit_is_followed_as_far_as_it_goes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(blocks_that_wait_for_one_another_follow_an_order, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lock_goes_to_whom_the_order_has_first, setup, teardown),
        cmocka_unit_test_setup_teardown(a_text_that_is_no_order_is_refused_with_its_line, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
