/* MRPB and the observer of divergence. */
#include "stack.h"

#include <jansson.h>
#include "net/msg.h"

/* ---- the FIFOs alone ---- */

static struct mech_spec spec;
static void *self;
static const struct order_ops *order;
static struct error err;

static void begin(const char *text)
{
    const struct mech_env env = {.sms = 1, .schedulers = 2, .W = 24, .l2_banks = 12};
    assert_ok(mech_parse(&spec, text, &err), &err);
    self = calloc(1, spec.type->state_size + spec.type->per_sm_size);
    assert_ok(spec.type->init(self, spec.params, &env, &err), &err);
    order = spec.type->request_order;
    for (uint32_t slot = 0; slot < 48; slot++) /* slot 0 has the youngest warp */
        spec.type->warp_start(self, &(struct warp_event){.slot = slot, .uid = 100 - slot});
}
static void end(void)
{
    free(self);
    mech_free(&spec);
}
static void push(uint32_t slot, uint32_t line)
{
    assert_true(order->has_room(self, 0, slot));
    order->push(self, 0, &(struct line_access){.warp = (uint8_t)slot, .access = {.line = line}}, 0);
}
static uint32_t take(void)
{
    const struct line_access *a = order->peek(self, 0);
    assert_ptr_equal(a, order->peek(self, 0)); /* the same until it is taken */
    const uint32_t line = a->access.line;
    order->take(self, 0);
    return line;
}
static void three_warps(const char *text)
{
    begin(text);
    push(1, 10), push(2, 20), push(3, 30), push(2, 21), push(1, 11), push(2, 22), push(3, 31);
    assert_int_equal(order->count(self, 0), 7);
}
static void expect(const uint32_t *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_int_equal(take(), lines[i]);
    assert_int_equal(order->count(self, 0), 0);
    end();
}

static void a_warp_is_drained_whole_and_in_order_by_each_policy(void **state)
{
    (void)state;
    three_warps("mrpb");
    expect((uint32_t[]){30, 31, 20, 21, 22, 10, 11}, 7); /* slot 3 has the oldest */
    three_warps("mrpb,drain=longest");
    expect((uint32_t[]){20, 21, 22, 30, 31, 10, 11}, 7); /* then the older of equals */
    three_warps("mrpb,drain=rotate");
    expect((uint32_t[]){10, 11, 20, 21, 22, 30, 31}, 7);
    three_warps("mrpb,drain=rotate,greedy=0");
    expect((uint32_t[]){10, 20, 30, 11, 21, 31, 22}, 7);
    three_warps("mrpb,drain=longest,greedy=0");
    expect((uint32_t[]){20, 30, 21, 10, 31, 22, 11}, 7);
}

static void requests_of_an_older_warp_do_not_interrupt_a_drain(void **state)
{
    (void)state;
    begin("mrpb");
    push(1, 10), push(1, 11), push(1, 12);
    assert_int_equal(take(), 10);
    push(5, 50);
    assert_int_equal(take(), 11);
    assert_int_equal(take(), 12);
    assert_int_equal(take(), 50);
    end();
}

static void a_full_FIFO_has_no_room_while_others_have(void **state)
{
    (void)state;
    begin("mrpb,depth=2");
    push(7, 1), push(7, 2);
    assert_false(order->has_room(self, 0, 7));
    assert_true(order->has_room(self, 0, 8));
    take();
    assert_true(order->has_room(self, 0, 7));
    end();
}

/* 32 lanes in 32 lines: the queue behind can go on to the next warp's load while this one waits in its FIFO. */
static void a_FIFO_holds_a_whole_divergent_load(void **state)
{
    (void)state;
    begin("mrpb");
    for (uint32_t k = 0; k < 32; k++) push(7, k);
    assert_false(order->has_room(self, 0, 7));
    push(8, 100); /* an older warp's */
    assert_int_equal(take(), 100);
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(take(), k);
    end();
}

static void stalls_of_the_chosen_kind_bypass(void **state)
{
    static const struct {
        const char *mech;
        enum route line, mshr, merge;
    } cases[] = {{"mrpb", ROUTE_BYPASS, ROUTE_BYPASS, ROUTE_BYPASS},
                 {"mrpb,bypass=line", ROUTE_BYPASS, ROUTE_ANY, ROUTE_ANY},
                 {"mrpb,bypass=never", ROUTE_ANY, ROUTE_ANY, ROUTE_ANY},
                 {"mrpb,fetch=line", ROUTE_BYPASS_LINE, ROUTE_BYPASS_LINE, ROUTE_BYPASS_LINE}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        begin(cases[i].mech);
        assert_int_equal(spec.type->on_reservation_fail(self, &(struct fail_event){.cause = FAIL_LINE}), cases[i].line);
        assert_int_equal(spec.type->on_reservation_fail(self, &(struct fail_event){.cause = FAIL_MSHR}), cases[i].mshr);
        assert_int_equal(spec.type->on_reservation_fail(self, &(struct fail_event){.cause = FAIL_MERGE}),
                         cases[i].merge);
        end();
    }
}

/* ---- whole runs ---- */

static void without_reordering_and_bypassing_no_byte_differs_from_the_baseline(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(24, 6, 12, 4);
    struct gpu_stats *a = stack_run(t, &(struct stack_run){.mechs = {"gto"}}, NULL),
                     *b = stack_run(t, &(struct stack_run){.mechs = {"mrpb,reorder=0,bypass=never"}}, NULL);
    assert_memory_equal(a, b, gpu_stat_table.size);
    free(a);
    free(b);
    trace_close(t);
}

static void requests_are_conserved_and_skipping_and_snapshots_change_no_byte(void **state)
{
    static const char *const late[] = {"l1.late_lookup=1", "l1.mshrs=4", NULL}, *const tight[] = {"l1.mshrs=2",
                                                                                                  "l1.miss_queue=1",
                                                                                                  NULL};
    static const struct stack_run runs[] = {
        {{"mrpb"}, tight, false},
        {{"mrpb,bypass=never,drain=longest"}, tight, false},
        {{"mrpb,depth=1,greedy=0,drain=rotate"}, NULL, false},
        {{"mrpb"}, late, false},
        {{"mrpb,reorder=0"}, tight, false},
        {{"divergence", "mrpb"}, tight, false},
    };
    (void)state;
    stack_runs_hold(runs, COUNT_OF(runs));
}

/* ---- divergence ---- */

static double number(const json_t *own, const char *name) { return json_number_value(json_object_get(own, name)); }

/* One warp: a load of 32 lines twice, then of one line twice. */
static void loads_are_counted_in_the_group_of_their_degree(void **state)
{
    struct synth s;
    json_t *own;
    (void)state;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (int k = 0; k < 2; k++) {
        synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 0, 128);
        synth_op(&s, 0, SYNTH_USE_2, ~0u);
    }
    for (int k = 0; k < 2; k++) {
        synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 1 << 20, 4);
        synth_op(&s, 0, SYNTH_USE_2, ~0u);
    }
    synth_access(&s, 0, SYNTH_LOAD_2, 0xfff, 1 << 21, 128);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    struct gpu_stats *stats = stack_run(t, &(struct stack_run){.mechs = {"divergence"}}, &own);
    assert_true(number(own, "loads_21_32") == 2 && number(own, "requests_21_32") == 64 &&
                number(own, "hits_21_32") == 32);
    assert_true(number(own, "all_hit_21_32") == 1 && number(own, "reused_21_32") == 32 &&
                number(own, "done_21_32") == 2);
    assert_true(number(own, "loads_1") == 2 && number(own, "hits_1") == 1 && number(own, "all_hit_rate_1") == 0.5 &&
                number(own, "reuse_1") == 0.5);
    assert_true(number(own, "loads_11_20") == 1 && number(own, "requests_11_20") == 12 &&
                number(own, "reused_11_20") == 0);
    assert_true(number(own, "loads_2") == 0 && number(own, "loads_3_10") == 0 && number(own, "untracked") == 0);
    assert_true(number(own, "latency_1") > 119 + 35 &&
                number(own, "mean_latency_21_32") > number(own, "mean_latency_1"));
    json_decref(own);
    free(stats);
    trace_close(t);
}

static void the_observer_changes_no_byte_and_adds_up_to_the_statistics(void **state)
{
    static const char *const groups[] = {"1", "2", "3_10", "11_20", "21_32"};
    (void)state;
    struct trace *t = synth_mixture(24, 6, 12, 6);
    json_t *own;
    struct gpu_stats *a = stack_run(t, &(struct stack_run){.mechs = {"divergence"}}, &own),
                     *b = stack_run(t, &(struct stack_run){.mechs = {"gto"}}, NULL);
    double loads = 0, looked = 0, hits = 0;
    assert_memory_equal(a, b, gpu_stat_table.size);
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        char name[32];
        snprintf(name, sizeof name, "done_%s", groups[i]);
        loads += number(own, name);
        snprintf(name, sizeof name, "looked_%s", groups[i]);
        looked += number(own, name);
        snprintf(name, sizeof name, "hits_%s", groups[i]);
        hits += number(own, name);
    }
    assert_true(loads == (double)stack_value(a, "global_loads") &&
                looked == (double)stack_value(a, "l1d_load_accesses") &&
                hits == (double)stack_value(a, "l1d_load_hits"));
    assert_true(number(own, "buffer_imbalance") >= 1 && number(own, "buffer_peak") <= 1e6);
    json_decref(own);
    free(a);
    free(b);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_is_drained_whole_and_in_order_by_each_policy),
        cmocka_unit_test(requests_of_an_older_warp_do_not_interrupt_a_drain),
        cmocka_unit_test(a_full_FIFO_has_no_room_while_others_have),
        cmocka_unit_test(a_FIFO_holds_a_whole_divergent_load),
        cmocka_unit_test(stalls_of_the_chosen_kind_bypass),
        cmocka_unit_test(without_reordering_and_bypassing_no_byte_differs_from_the_baseline),
        cmocka_unit_test(requests_are_conserved_and_skipping_and_snapshots_change_no_byte),
        cmocka_unit_test(loads_are_counted_in_the_group_of_their_degree),
        cmocka_unit_test(the_observer_changes_no_byte_and_adds_up_to_the_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
