/* SMs that share a port of the crossbars. [ELASTIC Fig. 13] */
#include "units.h"

#include "net/xbar.h"
#include "synth.h"

enum { PORTS = 8, BANKS = 8, CLUSTERS = 4 };

/* SMs share the ports of side `sms`. */
static struct ports crossbar(uint32_t n_in, uint32_t n_out, uint32_t speedup, enum port_side sms)
{
    struct ports p;
    params->core.sms = PORTS;
    params->xbar.cluster_sms = PORTS / CLUSTERS;
    params->xbar.speedup = speedup;
    ports_init(&p, n_in, n_out, &arena);
    xbar_init(&p, params, sms, &arena);
    return p;
}

/* Grants every output that can be, packets of one flit. Returns how many, and counts each input that was served. */
static uint32_t grant_all(struct ports *x, cycle_t now, uint32_t served[PORTS])
{
    uint32_t n = 0;
    ports_begin(x, now, now);
    for (uint32_t out = 0; out < x->n_out; out++) {
        if (!(ports_grantable(x, 0) >> out & 1)) continue;
        const uint32_t in = ports_pick(x, out);
        assert_true(now + 1 == xbar_grant(x, in, out, 1, now, 0));
        served[in]++;
        n++;
    }
    return n;
}

static void a_packet_of_one_SM_holds_the_port_of_its_cluster(void **state)
{
    (void)state;
    uint32_t served[PORTS] = {0};
    struct ports x = crossbar(PORTS, BANKS, 1, PORT_IN);
    for (uint32_t i = 0; i < PORTS; i++) ports_want(&x, i, BANKS - 1 - i); /* every SM another bank */
    assert_int_equal(CLUSTERS, grant_all(&x, 1, served));
    for (uint32_t i = 0; i < CLUSTERS; i++) assert_int_equal(1, served[i] + served[i + CLUSTERS]);
    assert_int_equal(2, ports_next(&x, 2));
    assert_int_equal(CLUSTERS, grant_all(&x, 2, served)); /* the others, a cycle later */
    for (uint32_t i = 0; i < PORTS; i++) assert_int_equal(1, served[i]);
    assert_false(ports_wanted(&x));
}

/* Three flits hold the link for three cycles: for an SM of the same cluster too, for others not. */
static void a_long_packet_holds_it_for_its_length(void **state)
{
    (void)state;
    uint32_t served[PORTS] = {0};
    struct ports x = crossbar(PORTS, BANKS, 1, PORT_IN);
    ports_want(&x, 1, 0), ports_want(&x, 1 + CLUSTERS, 1), ports_want(&x, 2, 1);
    ports_begin(&x, 1, 1);
    assert_int_equal(4, xbar_grant(&x, 1, 0, 3, 1, 0));
    assert_true(ports_grantable(&x, 0) == 2); /* of bank 1, for cluster 2 alone */
    assert_int_equal(2, ports_pick(&x, 1));
    assert_int_equal(2, xbar_grant(&x, 2, 1, 1, 1, 0));
    assert_int_equal(0, grant_all(&x, 2, served));
    assert_int_equal(0, grant_all(&x, 3, served));
    assert_int_equal(1, grant_all(&x, 4, served));
    assert_int_equal(1, served[1 + CLUSTERS]);
}

static void one_reply_at_a_time_enters_a_cluster(void **state)
{
    (void)state;
    uint32_t served[PORTS] = {0};
    struct ports x = crossbar(BANKS, PORTS, 2, PORT_OUT); /* a switch twice as fast as its links */
    for (uint32_t i = 0; i < BANKS; i++) ports_want(&x, i, i);
    uint32_t n = 0;
    for (cycle_t now = 2; now < 4; now++) {
        ports_begin(&x, now, now / 2);
        for (uint32_t out = 0; out < PORTS; out++) {
            if (!(ports_grantable(&x, 0) >> out & 1)) continue;
            /* the link brings one packet a cycle, whichever SM of the cluster it is for */
            assert_int_equal(now, xbar_grant(&x, ports_pick(&x, out), out, 1, now, 0));
            served[out % CLUSTERS]++;
            n++;
        }
    }
    assert_int_equal(PORTS, n);
    for (uint32_t i = 0; i < CLUSTERS; i++) assert_int_equal(PORTS / CLUSTERS, served[i]);
}

/* A machine: more SMs at a port take longer, move the same packets, and do so with and without cycles being skipped. */
static void a_machine_with_fewer_ports_is_slower_and_moves_the_same(void **state)
{
    (void)state;
    struct trace *t = synth_rows(POISE_SANITIZED ? 12 : 48, 8, 16, 1);
    static const char *const sets[][4] = {{"core.sms=12", "xbar.cluster_sms=1", NULL},
                                          {"core.sms=12", "xbar.cluster_sms=4", NULL},
                                          {"core.sms=12", "xbar.cluster_sms=12", NULL},
                                          {"core.sms=12", "xbar.cluster_sms=12", "xbar.speedup=2", NULL}};
    double cycles[COUNT_OF(sets)], lanes = 0;
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        char *run = synth_run_both(t, (struct synth_run){.set = sets[i]});
        cycles[i] = synth_value(run, "core_cycles");
        if (i) assert_true(lanes == synth_value(run, "thread_insts"));
        lanes = synth_value(run, "thread_insts");
        /* a port moves a flit a cycle of its own clock, which is half the core's */
        const double ports = i == 0 ? 12 : i == 1 ? 3 : 1;
        assert_true(synth_value(run, "reply_flits") <= ports * (cycles[i] / 2 + 1));
        free(run);
    }
    assert_true(cycles[1] > cycles[0]);
    assert_true(cycles[2] > 1.5 * cycles[1]);
    trace_close(t);
}

static void clusters_are_whole(void **state)
{
    (void)state;
    assert_ok(gpu_params_set(params, "core.sms", "15", &err), &err);
    assert_ok(gpu_params_set(params, "xbar.cluster_sms", "4", &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
    assert_string_equal("core.sms = 15 is not a multiple of xbar.cluster_sms = 4", err.text);
    assert_ok(gpu_params_set(params, "xbar.cluster_sms", "5", &err), &err);
    assert_ok(gpu_params_check(params, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_packet_of_one_SM_holds_the_port_of_its_cluster),
        T(a_long_packet_holds_it_for_its_length),
        T(one_reply_at_a_time_enters_a_cluster),
        T(a_machine_with_fewer_ports_is_slower_and_moves_the_same),
        T(clusters_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
