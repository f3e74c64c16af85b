/* Networks: at their ports, packet by packet, and as the machine's. */
#include "machine/network.h"
#include "net/ideal.h"
#include "net/xbar.h"

#include "units.h"

/* ---- a crossbar ---- */

static struct ports crossbar(uint32_t n_in, uint32_t n_out)
{
    struct ports p;
    ports_init(&p, n_in, n_out, &arena);
    xbar_init(&p, params, PORT_IN, &arena);
    return p;
}

static uint32_t pick_at(struct ports *p, uint32_t out, cycle_t now)
{
    ports_begin(p, now, now);
    return ports_grantable(p, out / 64) >> out % 64 & 1 ? ports_pick(p, out) : PORT_NONE;
}

static void a_packet_holds_both_ports_for_its_flits_and_inputs_take_turns(void **state)
{
    (void)state;
    struct ports x = crossbar(80, 4);
    ports_want(&x, 70, 2);
    ports_want(&x, 3, 2);
    ports_want(&x, 79, 2);
    assert_int_equal(3, pick_at(&x, 2, 0));
    xbar_grant(&x, 3, 2, 5, 0, 0);
    assert_int_equal(PORT_NONE, pick_at(&x, 2, 4));
    ports_want(&x, 3, 2);
    assert_int_equal(70, pick_at(&x, 2, 5)); /* not 3 again */
    xbar_grant(&x, 70, 2, 1, 5, 0);
    assert_int_equal(79, pick_at(&x, 2, 6));
    xbar_grant(&x, 79, 2, 1, 6, 0);
    bits_clear(&x.room, 2);
    assert_int_equal(PORT_NONE, pick_at(&x, 2, 7)); /* nowhere to go */
    bits_set(&x.room, 2);
    assert_int_equal(3, pick_at(&x, 2, 7)); /* around the end */
    xbar_grant(&x, 3, 2, 5, 7, 0);
    ports_want(&x, 3, 1);
    assert_int_equal(PORT_NONE, pick_at(&x, 1, 11)); /* its input port is busy */
    assert_int_equal(3, pick_at(&x, 1, 12));
}

static void a_long_packet_frees_its_ports_after_its_last_flit_even_beyond_the_wheel(void **state)
{
    (void)state;
    struct ports x = crossbar(2, 2);
    ports_want(&x, 1, 0);
    assert_int_equal(1, pick_at(&x, 0, 0));
    xbar_grant(&x, 1, 0, 136, 0, 0);
    ports_want(&x, 1, 0);
    for (cycle_t now = 1; now < 136; now += 5) assert_int_equal(PORT_NONE, pick_at(&x, 0, now));
    assert_int_equal(1, pick_at(&x, 0, 136));
}

static void a_packet_that_is_still_to_come_is_not_granted_before_and_the_switch_says_when_to_look(void **state)
{
    (void)state;
    struct ports x = crossbar(2, 2);
    assert_int_equal(NEVER, ports_next(&x, 0));
    ports_hold(&x, 1, 7);
    ports_want(&x, 1, 0);
    assert_int_equal(PORT_NONE, pick_at(&x, 0, 0));
    assert_int_equal(7, ports_next(&x, 1));
    assert_int_equal(PORT_NONE, pick_at(&x, 0, 6));
    assert_int_equal(1, pick_at(&x, 0, 7));
    assert_int_equal(8, ports_next(&x, 8));               /* it waits for its output alone */
    assert_int_equal(10, xbar_grant(&x, 1, 0, 3, 7, 20)); /* the next one comes in cycle 20 */
    ports_want(&x, 1, 1);
    for (cycle_t now = 8; now < 20; now++) assert_int_equal(PORT_NONE, pick_at(&x, 1, now));
    assert_int_equal(1, pick_at(&x, 1, 20));
    xbar_grant(&x, 1, 1, 2, 20, 0);
    ports_hold(&x, 1, 90); /* while its last packet goes out */
    ports_want(&x, 1, 0);
    for (cycle_t now = 21; now < 90; now++) {
        assert_true(ports_next(&x, now) <= 90);
        assert_int_equal(PORT_NONE, pick_at(&x, 0, now));
    }
    assert_int_equal(1, pick_at(&x, 0, 90));
}

/* ---- an ideal network ---- */

static void packets_of_an_ideal_network_hold_no_port(void **state)
{
    struct ports p;
    (void)state;
    ports_init(&p, 80, 4, &arena);
    ideal_init(&p, params, PORT_IN, &arena);
    ports_want(&p, 70, 2), ports_want(&p, 3, 2), ports_want(&p, 79, 1);
    assert_int_equal(3, pick_at(&p, 2, 5));
    assert_int_equal(5 + 136, ideal_grant(&p, 3, 2, 136, 5, 0));
    assert_int_equal(70, ports_pick(&p, 2)); /* into the same output, in the same cycle */
    ports_want(&p, 3, 1);                    /* and from the same input */
    assert_int_equal(3, ports_pick(&p, 1));
    assert_int_equal(5 + 1, ideal_grant(&p, 3, 1, 1, 5, 0));
    assert_int_equal(79, ports_pick(&p, 1)); /* outputs take inputs in turn */
    assert_int_equal(5 + 1, ideal_grant(&p, 79, 1, 1, 5, 0));
    assert_false(ports_grantable(&p, 0) & 2);
    bits_clear(&p.room, 2);
    assert_false(ports_grantable(&p, 0)); /* nowhere to go */
    bits_set(&p.room, 2);
    assert_int_equal(5 + 1, ideal_grant(&p, 70, 2, 1, 5, 9)); /* the next one comes in cycle 9 */
    ports_want(&p, 70, 2);
    assert_int_equal(PORT_NONE, pick_at(&p, 2, 8));
    assert_int_equal(9, ports_next(&p, 9));
    assert_int_equal(70, pick_at(&p, 2, 9));
}

/* ---- machines with one and the other ---- */

static double run(const struct trace *t, const char *kind, const char *const more[3], const char *value)
{
    const char *const set[] = {kind, more[0], more[1], more[2], NULL};
    char *json = synth_run_both(t, (struct synth_run){.set = set});
    const double v = synth_value(json, value);
    free(json);
    return v;
}

static void a_packet_that_meets_nobody_takes_as_long_in_every_network(void **state)
{
    (void)state;
    static const char *const one[3] = {"core.sms=1"};
    struct trace *t = synth_chase(200, 4096, 1 << 20);
    const double cycles = run(t, "xbar.kind=crossbar", one, "core_cycles");
    assert_true(cycles > 200 * 100);
    assert_true(cycles == run(t, "xbar.kind=ideal", one, "core_cycles"));
    trace_close(t);
}

/* What the links of a crossbar hold back an ideal network lets through; what is done stays the same. */
static void no_link_of_an_ideal_network_is_ever_busy(void **state)
{
    (void)state;
    static const char *const narrow[3] = {"core.sms=12", "xbar.reply_flit_bytes=8"},
                             *const shared[3] = {"xbar.speedup=2", "xbar.cluster_sms=4", "core.sms=12"},
                             *const alone[3] = {"core.sms=12"};
    struct trace *t = synth_rows(POISE_SANITIZED ? 24 : 48, 8, 16, 2);
    const double busy = run(t, "xbar.kind=crossbar", narrow, "core_cycles"),
                 ideal = run(t, "xbar.kind=ideal", narrow, "core_cycles");
    assert_true(ideal < 0.8 * busy);
    assert_true(run(t, "xbar.kind=crossbar", narrow, "thread_insts") ==
                run(t, "xbar.kind=ideal", narrow, "thread_insts"));
    /* more than all links of a crossbar carry, at one flit in two core cycles */
    assert_true(run(t, "xbar.kind=ideal", narrow, "reply_flits") > 12 * ideal / 2);
    assert_true(run(t, "xbar.kind=ideal", alone, "core_cycles") == run(t, "xbar.kind=ideal", shared, "core_cycles"));
    trace_close(t);
}

/* A mechanism that reads the gauge of the reply network again and again. */
struct reader {
    struct gauges last;
    uint32_t epochs, beyond; /* times it was read; times that it said more busy flits than there could be */
};
static struct reader has_read;
static uint64_t read_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct reader *r = self;
    struct gauges next;
    if (sm->sm) return UINT64_MAX;
    sm->gauges(sm->machine, &next);
    /* flits are counted when their packet is granted: one of 17 flits may be under way at each of 12 ports */
    r->beyond += next.busy[GAUGE_REPLY_XBAR] > next.total[GAUGE_REPLY_XBAR] + 12 * 17;
    r->last = next;
    r->epochs++;
    return now + 199;
}
static void read_end(void *self, uint64_t now)
{
    (void)now;
    has_read = *(struct reader *)self;
}
static const struct mech_type reader = {
    .name = "reader",
    .title = "reads gauges",
    .source = "assumed",
    .params = {.owner = "reader"},
    .stats = {.owner = "reader"},
    .state_size = sizeof(struct reader),
    .epoch = read_epoch,
    .end = read_end,
};

static void the_reply_network_is_never_busier_than_all_of_its_links_and_an_ideal_one_never_at_all(void **state)
{
    (void)state;
    static const char *const kinds[] = {"crossbar", "ideal"};
    struct trace *t = synth_rows(48, 8, 16, 2);
    assert_ok(gpu_params_set(params, "core.sms", "12", &err), &err);
    assert_ok(gpu_params_set(params, "xbar.reply_flit_bytes", "8", &err), &err);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct plan *plan;
        struct gpu_result result;
        const struct mech_spec stack[] = {{.type = &reader}};
        assert_ok(gpu_params_set(params, "xbar.kind", kinds[i], &err), &err);
        assert_ok(plan_new(&plan, t, params, &err), &err);
        assert_ok(gpu_run(&result, plan, params, stack, 1, &(struct gpu_limits){.max_cycles = 0}, &err), &err);
        assert_true(has_read.epochs > 10 && has_read.last.busy[GAUGE_DRAM_BUS] > 0);
        assert_int_equal(0, has_read.beyond);
        /* the last reading is within an epoch of the end */
        if (i == 0) assert_true(has_read.last.busy[GAUGE_REPLY_XBAR] * 2 > has_read.last.total[GAUGE_REPLY_XBAR]);
        else assert_int_equal(0, has_read.last.busy[GAUGE_REPLY_XBAR]);
        gpu_result_free(&result);
        plan_free(plan);
    }
    trace_close(t);
}

static void every_network_gives_the_same_bytes_with_and_without_skipping(void **state)
{
    (void)state;
    static const char *const more[] = {"xbar.speedup=2",      "xbar.cluster_sms=3",  "l2.access_queue=1",
                                       "xbar.reply_queue=1",  "l2.response_queue=1", "l1.miss_queue=1",
                                       "clock.xbar_mhz=1131", "cpu.cores=2"};
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        const char *const set[3] = {"core.sms=3", more[i]};
        struct trace *t = synth_mixture(12, 4, 12, (uint32_t)i + 1);
        const double insts = run(t, "xbar.kind=crossbar", set, "thread_insts");
        assert_true(insts > 0 && insts == run(t, "xbar.kind=ideal", set, "thread_insts"));
        trace_close(t);
    }
}

static void a_machine_has_the_network_that_its_parameters_name(void **state)
{
    (void)state;
    static const char *const kinds[] = {"crossbar", "ideal"};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct gpu g = {0};
        assert_ok(gpu_params_set(params, "xbar.kind", kinds[i], &err), &err);
        network_init(&g, params, &arena);
        assert_string_equal(kinds[i], g.net->name);
        assert_int_equal(params->core.sms, g.replies.n_out);
    }
    assert_int_equal(-1, gpu_params_set(params, "xbar.kind", "torus", &err));
    assert_non_null(strstr(err.text, "ideal"));
}

static void no_link_moves_more_than_its_arithmetic_limit(void **state)
{
    (void)state;
    if (POISE_SANITIZED) skip(); /* figures of a machine that the test above runs */
    struct trace *t = synth_rows(256, 8, 32, 1);
    char *a = synth_run_json(t, &(struct synth_run){0});
    const double cycles = synth_value(a, "core_cycles");
    const double dram = synth_value(a, "dram_bus_cycles") / (6 * cycles * 924 / 1400),
                 port = synth_value(a, "l2_port_cycles") / (24 * cycles / 2);
    const double reply = synth_value(a, "reply_flits") / (24 * cycles / 2);
    print_message("of the limit: DRAM bus %.3f, L2 port %.3f, reply crossbar %.3f\n", dram, port, reply);
    assert_true(dram <= 1 && port <= 1 && reply <= 1);
    assert_true(dram > 0.5 || port > 0.5 || reply > 0.5);
    free(a);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_packet_holds_both_ports_for_its_flits_and_inputs_take_turns),
        T(a_long_packet_frees_its_ports_after_its_last_flit_even_beyond_the_wheel),
        T(a_packet_that_is_still_to_come_is_not_granted_before_and_the_switch_says_when_to_look),
        T(packets_of_an_ideal_network_hold_no_port),
        T(a_packet_that_meets_nobody_takes_as_long_in_every_network),
        T(no_link_of_an_ideal_network_is_ever_busy),
        T(the_reply_network_is_never_busier_than_all_of_its_links_and_an_ideal_one_never_at_all),
        T(every_network_gives_the_same_bytes_with_and_without_skipping),
        T(a_machine_has_the_network_that_its_parameters_name),
        T(no_link_moves_more_than_its_arithmetic_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
