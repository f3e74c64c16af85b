/* BUCL: the update logic, the two decisions, and what they do to a launch. */
#include "stack.h"
#include "where.h"

#include <jansson.h>

/* ---- the mechanism alone, driven through its hooks ---- */

enum { SMS = 15, BANKS = 12, BUFFER = 8 };
static struct mech_spec spec;
static const struct mech_type *bucl;
static void *self;
static struct buffer_gauge buffers[BANKS];
static struct feature_counters counters[SMS];
static uint64_t merges;
static struct error err;

static void begin(const char *text)
{
    const struct mech_env env = {.sms = SMS, .schedulers = 2, .W = 24, .l2_banks = BANKS};
    memset(buffers, 0, sizeof buffers);
    memset(counters, 0, sizeof counters);
    merges = 0;
    assert_ok(mech_parse(&spec, text, &err), &err);
    bucl = spec.type;
    self = calloc(1, bucl->state_size + SMS * bucl->per_sm_size);
    assert_ok(bucl->init(self, spec.params, &env, &err), &err);
}
static void end(void)
{
    free(self);
    mech_free(&spec);
}
static void read_buffers(const void *machine, struct buffer_gauge *out)
{
    (void)machine;
    memcpy(out, buffers, sizeof buffers);
}
/* All SMs in a cycle; returns when they want to be called again. */
static uint64_t epoch(uint64_t now)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < SMS; i++) {
        const struct sm_view view = {.sm = i, .counters = counters[i], .l1_merges = merges, .buffers = read_buffers};
        next = bucl->epoch(self, &view, now);
    }
    return next;
}
/* A period of `hits` in `accesses` on every SM, each bank's buffer used to `taken` of 1000. */
static void pass(uint64_t hits, uint64_t accesses, uint64_t taken)
{
    for (uint32_t i = 0; i < SMS; i++) {
        counters[i].l1_hits += hits;
        counters[i].l1_accesses += accesses;
    }
    for (uint32_t i = 0; i < BANKS; i++) {
        buffers[i].taken += taken;
        buffers[i].total += 1000;
    }
}
static enum route load(uint32_t sm, uint32_t degree)
{
    return bucl->load_route(self, &(struct load_event){.sm = sm, .degree = degree});
}
static enum route refused(uint32_t bank)
{
    return bucl->on_reservation_fail(self, &(struct fail_event){.bank = bank, .has_room = true, .cause = FAIL_MSHR});
}
/* The largest degree that L1 still gets. */
static uint32_t threshold(uint32_t sm)
{
    uint32_t degree = 0;
    while (degree < 64 && load(sm, degree + 1) == ROUTE_ANY) degree++;
    return degree;
}

static void TUCD_starts_at_5_and_steps_by_one_a_period_within_2_and_25(void **state)
{
    (void)state;
    begin("bucl");
    assert_int_equal(epoch(0), 1000);
    assert_int_equal(threshold(3), 5);
    for (uint64_t k = 1; k <= 25; k++) {
        pass(81, 100, 0);
        epoch(1000 * k);
        assert_int_equal(threshold(3), 5 + k < 25 ? 5 + k : 25);
    }
    for (uint64_t k = 1; k <= 30; k++) {
        pass(80, 100, 0); /* not above 0.8 */
        epoch(25000 + 1000 * k);
        assert_int_equal(threshold(0), k < 23 ? 25 - k : 2);
    }
    end();
}

static void a_period_without_loads_keeps_the_last_hit_rate(void **state)
{
    (void)state;
    begin("bucl");
    pass(90, 100, 0);
    epoch(1000);
    pass(0, 0, 0);
    epoch(2000);
    assert_int_equal(threshold(0), 7);
    assert_int_equal(refused(0), ROUTE_L1); /* 0.9 is still no less than 0.8 */
    end();
}

static void loads_that_join_a_pending_miss_are_hits_for_L1DHR_if_so_wanted(void **state)
{
    static const char *const mechs[] = {"bucl", "bucl,L1DHR_merges=miss", "bucl,L1DHR_merges=hit"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(mechs[i]);
        pass(70, 100, 0);
        merges += 20;
        epoch(1000);
        assert_int_equal(refused(4), i == 2 ? ROUTE_L1 : ROUTE_BYPASS); /* 0.9, or 0.7 of 0.8 */
        pass(70, 100, 0);                                               /* none in this period */
        epoch(2000);
        assert_int_equal(refused(4), ROUTE_BYPASS);
        end();
    }
}

static void
an_access_goes_around_if_both_rates_are_below_their_thresholds_and_the_buffers_arrive_4_cycles_later(void **state)
{
    (void)state;
    begin("bucl");
    assert_int_equal(refused(3), ROUTE_BYPASS); /* nothing is known yet */
    pass(10, 100, 699);
    buffers[3].taken += 1; /* 0.7 */
    assert_int_equal(epoch(1000), 1004);
    assert_int_equal(refused(3), ROUTE_BYPASS); /* not there yet */
    assert_int_equal(epoch(1004), 2000);
    assert_int_equal(refused(3), ROUTE_L1);
    assert_int_equal(refused(4), ROUTE_BYPASS);
    pass(80, 100, 0);
    epoch(2000);
    assert_int_equal(refused(4), ROUTE_L1); /* the hit rate is there at once: 0.8 is not below */
    end();
    begin("bucl,access=0");
    assert_int_equal(refused(4), ROUTE_ANY);
    end();
    struct fail_event merge = {.bank = 4, .has_room = true, .cause = FAIL_MERGE};
    begin("bucl");
    assert_int_equal(bucl->on_reservation_fail(self, &merge), ROUTE_BYPASS);
    end();
    begin("bucl,twice=0"); /* what is on its way is waited for */
    assert_int_equal(bucl->on_reservation_fail(self, &merge), ROUTE_ANY);
    assert_int_equal(refused(4), ROUTE_BYPASS);
    end();
    begin("bucl,instruction=0,fetch=line");
    assert_int_equal(load(0, 32), ROUTE_ANY);
    assert_int_equal(refused(4), ROUTE_BYPASS_LINE);
    end();
}

static void profiling_gives_each_SM_the_value_of_the_table_and_then_all_that_of_the_fastest(void **state)
{
    static const uint32_t tucds[SMS] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 25};
    (void)state;
    begin("bucl,mode=prf,period=100000");
    assert_int_equal(epoch(0), 5000);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(threshold(i), tucds[i]);
        counters[i].insts = i == 7 || i == 11 ? 900 : 800;
    }
    assert_int_equal(epoch(5000), 5001);
    assert_int_equal(threshold(0), 2);
    counters[0].insts = 5000; /* after the window */
    assert_int_equal(epoch(5001), 100000);
    for (uint32_t i = 0; i < SMS; i++) assert_int_equal(threshold(i), 10); /* of equals the smaller */
    end();
}

static void settings_that_contradict_each_other_are_refused(void **state)
{
    static const char *const wrong[] = {"bucl,TUCD_min=9,TUCD_max=8", "bucl,TUCD=1", "bucl,period=4",
                                        "bucl,uib_delay=1000"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct mech_spec s;
        assert_int_equal(mech_parse(&s, wrong[i], &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
    assert_ok(mech_parse(&spec, "bucl,mode=fixed,TUCD=1", &err), &err);
    mech_free(&spec);
}

static void the_hardware_for_15_SMs_and_12_banks_is_under_100_bytes(void **state)
{
    struct mech_cost parts[MECH_COSTS_MAX];
    uint64_t bits = 0;
    uint32_t sms;
    (void)state;
    struct gpu_params *machine = gpu_params_new();
    assert_ok(gpu_params_load(machine, "fermi15-hash", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(mech_parse(&spec, "bucl", &err), &err);
    const size_t n = mech_costs(&spec, machine, parts, &sms);
    for (size_t i = 0; i < n; i++) bits += parts[i].sm_bits * sms + parts[i].gpu_bits;
    assert_true(n > 0 && sms == 15 && bits > 0 && bits < 800);
    mech_free(&spec);
    gpu_params_free(machine);
}

/* ---- whole runs ---- */

static void without_either_level_no_byte_differs_from_the_baseline(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 3; seed++) {
        struct trace *t = synth_mixture(24, 6, 12, seed);
        struct gpu_stats *a = stack_run(t, &(struct stack_run){.mechs = {"gto"}}, NULL);
        struct gpu_stats *b = stack_run(t, &(struct stack_run){.mechs = {"bucl,mode=fixed,TUCD=32,access=0"}}, NULL);
        struct gpu_stats *c = stack_run(t, &(struct stack_run){.mechs = {"bucl,instruction=0,access=0"}}, NULL);
        assert_memory_equal(a, b, gpu_stat_table.size);
        assert_memory_equal(a, c, gpu_stat_table.size);
        free(a);
        free(b);
        free(c);
        trace_close(t);
    }
}

static void every_request_goes_one_way_and_is_counted_where_it_went(void **state)
{
    static const char *const mechs[] = {"bucl",
                                        "bucl,mode=prf,profile_cycles=700",
                                        "bucl,mode=fixed,TUCD=0",
                                        "bucl,instruction=0",
                                        "bucl,access=0",
                                        "bucl,fetch=line"};
    static const char *const tight[] = {"l1.mshrs=4", "l1.miss_queue=2", "l2.access_queue=2", NULL};
    (void)state;
    struct trace *t = synth_mixture(24, 6, 12, 5);
    for (size_t i = 0; i < 2 * COUNT_OF(mechs); i++) {
        json_t *own;
        struct gpu_stats *s = stack_run(t, &(struct stack_run){{mechs[i / 2]}, i % 2 ? tight : NULL, false}, &own);
        const json_int_t requests = json_integer_value(json_object_get(own, "bypassed_requests")),
                         accesses = json_integer_value(json_object_get(own, "bypassed_accesses"));
        stack_conserves(s);
        assert_true(stack_value(s, "l1d_bypassed") == (uint64_t)(requests + accesses));
        assert_true(json_integer_value(json_object_get(own, "UIB_peak")) <= 1000000);
        if (i / 2 == 2) assert_true(stack_value(s, "l1d_load_accesses") == 0);
        if (i == 7) assert_true(requests == 0 && accesses > 0);
        if (i == 8) assert_true(requests > 0 && accesses == 0);
        json_decref(own);
        free(s);
    }
    trace_close(t);
}

static void input_buffers_fill_under_load_and_never_past_1(void **state)
{
    static const char *const slow[] = {"dram.channels=1", "l2.banks=2", "l2.mshrs=2", "l2.access_queue=2", NULL};
    (void)state;
    struct trace *t = synth_rows(8, 8, 16, 2);
    json_t *own;
    struct gpu_stats *s = stack_run(t, &(struct stack_run){{"bucl,period=100"}, slow, false}, &own);
    const json_int_t peak = json_integer_value(json_object_get(own, "UIB_peak"));
    assert_true(peak > 700000 && peak <= 1000000);
    json_decref(own);
    free(s);
    trace_close(t);
}

static void skipping_and_snapshots_change_no_byte(void **state)
{
    static const char *const queues[] = {"l1.mshrs=2", "l1.miss_queue=1", NULL}, *const late[] = {"l1.late_lookup=1",
                                                                                                  "l1.mshrs=4", NULL};
    static const char *const ideal[] = {"ideal.memory=infinite", "l1.mshrs=4", NULL};
    static const struct stack_run runs[] = {
        {{"bucl"}, queues, false},
        {{"bucl,mode=prf,profile_cycles=500,period=333,uib_delay=100"}, NULL, false},
        {{"bucl,instruction=0,period=64"}, queues, false},
        {{"bucl"}, late, false},
        {{"bucl"}, ideal, false},
        {{"swl,N=2", "bucl"}, queues, false},
        {{"bucl", "mrpb"}, queues, false},
        {{"tuple,N=3,p=1", "bucl,instruction=0"}, NULL, false},
        {{"ccws", "bucl"}, queues, false},
    };
    (void)state;
    struct trace *t = synth_mixture(16, 6, 10, 8);
    for (size_t i = 0; i < COUNT_OF(runs); i++) stack_repeats(t, &runs[i]);
    trace_close(t);
}

/* One lane's dependent loads: nothing is congested, and what a load around L1 brings makes the difference. */
static void a_lone_load_around_L1_takes_as_long_as_a_miss_of_as_many_bytes(void **state)
{
    (void)state;
    struct trace *t = synth_chase(64, 128, 128 * 64);
    struct gpu_stats *miss = stack_run(t, &(struct stack_run){.mechs = {"gto"}}, NULL);
    struct gpu_stats *line = stack_run(t, &(struct stack_run){.mechs = {"bucl,mode=fixed,TUCD=0,fetch=line"}}, NULL);
    struct gpu_stats *sector = stack_run(t, &(struct stack_run){.mechs = {"bucl,mode=fixed,TUCD=0"}}, NULL);
    assert_true(stack_value(line, "l1d_bypassed") == 64 && stack_value(line, "l1d_fills") == 64);
    assert_true(stack_value(line, "core_cycles") == stack_value(miss, "core_cycles"));
    assert_true(stack_value(line, "miss_latency_sum") == stack_value(miss, "miss_latency_sum"));
    assert_true(stack_value(sector, "miss_latency_sum") < stack_value(miss, "miss_latency_sum"));
    /* 8 + 128 bytes against 8 + 32 */
    assert_true(stack_value(line, "reply_flits") - stack_value(sector, "reply_flits") == 64 * 3);
    free(miss);
    free(line);
    free(sector);
    trace_close(t);
}

static void the_tightest_machine_still_finishes(void **state)
{
    static const char *const tight[] = {
        "l1.mshrs=1",          "l1.mshr_merge=1", "l1.miss_queue=1",      "l2.mshrs=1",         "l2.access_queue=1",
        "l2.response_queue=1", "dram.queue=1",    "lsu.pipeline_width=1", "xbar.reply_queue=1", NULL};
    (void)state;
    struct trace *t = synth_mixture(8, 4, 6, 2);
    struct gpu_stats *s = stack_run(t, &(struct stack_run){{"swl,N=1", "bucl", "mrpb,depth=1"}, tight, false}, NULL);
    stack_conserves(s);
    free(s);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TUCD_starts_at_5_and_steps_by_one_a_period_within_2_and_25),
        cmocka_unit_test(a_period_without_loads_keeps_the_last_hit_rate),
        cmocka_unit_test(loads_that_join_a_pending_miss_are_hits_for_L1DHR_if_so_wanted),
        cmocka_unit_test(
            an_access_goes_around_if_both_rates_are_below_their_thresholds_and_the_buffers_arrive_4_cycles_later),
        cmocka_unit_test(profiling_gives_each_SM_the_value_of_the_table_and_then_all_that_of_the_fastest),
        cmocka_unit_test(settings_that_contradict_each_other_are_refused),
        cmocka_unit_test(the_hardware_for_15_SMs_and_12_banks_is_under_100_bytes),
        cmocka_unit_test(without_either_level_no_byte_differs_from_the_baseline),
        cmocka_unit_test(every_request_goes_one_way_and_is_counted_where_it_went),
        cmocka_unit_test(input_buffers_fill_under_load_and_never_past_1),
        cmocka_unit_test(skipping_and_snapshots_change_no_byte),
        cmocka_unit_test(a_lone_load_around_L1_takes_as_long_as_a_miss_of_as_many_bytes),
        cmocka_unit_test(the_tightest_machine_still_finishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
