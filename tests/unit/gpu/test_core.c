/* The core's own resources: register banks and write-back ports, fetches across jumps; and generic accesses to
 * shared and local memory. */
#include "synth.h"

static double run_value(const struct trace *t, const char *name, const char *const *set)
{
    char *text = synth_run_json(t, &(struct synth_run){.set = set});
    const double v = synth_value(text, name);
    free(text);
    return v;
}

/* 16 warps of `n` additions each, r1 = r0. */
static struct trace *additions(uint32_t n)
{
    struct synth s;
    synth_begin(&s, 1, 16);
    synth_cta(&s);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t w = 0; w < 16; w++) synth_op(&s, w, SYNTH_ADD, ~0u);
    synth_cta_end(&s);
    return synth_end(&s);
}

/* Two schedulers issue two additions a cycle: 800 cycles for 1600. One bank gives one register a cycle: a read and a
 * write each. */
static void registers_of_one_bank_are_read_and_written_one_a_cycle(void **state)
{
    (void)state;
    static const char *const ideal[] = {"fetch.ideal=1", NULL}, *const one[] = {"fetch.ideal=1",
                                                                                "core.register_banks=1",
                                                                                "core.sp_collectors=6", NULL};
    static const char *const many[] = {"fetch.ideal=1", "core.register_banks=32", "core.sp_collectors=6",
                                       "core.result_ports=2", NULL};
    static const char *const port[] = {"fetch.ideal=1", "core.register_banks=32", "core.sp_collectors=6",
                                       "core.result_ports=1", NULL};
    struct trace *t = additions(100);
    const double free_cycles = run_value(t, "core_cycles", ideal);
    assert_true(free_cycles > 800 && free_cycles < 900);
    assert_true(run_value(t, "core_cycles", one) > 3100 && run_value(t, "core_cycles", one) < 3400);
    assert_true(run_value(t, "core_cycles", many) < 1.3 * free_cycles);
    assert_true(run_value(t, "core_cycles", port) > 1500);
    trace_close(t);
}

/* THESIS Fig. 4.15 widens an SM to six times its lanes: as many schedulers and units issue as many instructions. 48
 * warps, each with an addition in every four cycles. */
static void twelve_schedulers_with_twelve_units_issue_twelve_additions_a_cycle(void **state)
{
    struct synth s;
    (void)state;
    static const char *const four[] = {"fetch.ideal=1", "core.sms=1", "core.schedulers=4", "core.sp_units=4", NULL};
    static const char *const twelve[] = {"fetch.ideal=1", "core.sms=1", "core.schedulers=12", "core.sp_units=12", NULL};
    static const char *const starved[] = {"fetch.ideal=1", "core.sms=1", "core.schedulers=12", "core.sp_units=1", NULL};
    synth_begin(&s, 3, 16);
    for (uint32_t cta = 0; cta < 3; cta++) {
        synth_cta(&s);
        for (uint32_t i = 0; i < 400; i++)
            for (uint32_t w = 0; w < 16; w++) synth_op(&s, w, SYNTH_ADD, ~0u);
        synth_cta_end(&s);
    }
    struct trace *t = synth_end(&s);
    const double of_four = run_value(t, "core_cycles", four), of_twelve = run_value(t, "core_cycles", twelve);
    assert_true(of_four > 4800 && of_four < 4900 && of_twelve > 1600 && of_twelve < 1650);
    assert_true(run_value(t, "core_cycles", starved) > 19200);
    assert_true(run_value(t, "issue_slots", twelve) == 12 * of_twelve);
    trace_close(t);
}

/* Additions and loads alternate between two places of the code: every second instruction is a jump's target. */
static void a_fetch_across_jumps_brings_two_instructions_where_others_bring_one(void **state)
{
    struct synth s;
    (void)state;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint32_t i = 0; i < 200; i++) synth_op(&s, 0, i % 2 ? SYNTH_USE_2 : SYNTH_ADD, ~0u);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    static const char *const across[] = {"fetch.across_jumps=1", NULL};
    assert_true(run_value(t, "fetches", NULL) == 201);
    assert_true(run_value(t, "fetches", across) == 101);
    trace_close(t);
}

static void a_generic_access_goes_to_the_memory_that_its_address_names(void **state)
{
    struct synth s;
    (void)state;
    const uint64_t base = 0x7f0000000000ull; /* synth_access adds it */
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, TRACE_SHARED_WINDOW - base, 128); /* one bank: 32 passes */
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, TRACE_LOCAL_WINDOW - base, 4);
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 4096, 4);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    assert_true(run_value(t, "shared_passes", NULL) == 32);
    assert_true(run_value(t, "l1d_load_accesses", NULL) == 2);
    trace_close(t);
}

static void expect_same_run(const struct trace *t, const char *const *set, const char *const *other, bool is_same)
{
    char *a = synth_run_both(t, (struct synth_run){.set = set}),
         *b = synth_run_both(t, (struct synth_run){.set = other});
    assert_int_equal(is_same, strcmp(a, b) == 0);
    free(a);
    free(b);
}

/* One lane at a time a place is an instruction; a load of 32 lines enters in parts, and what comes behind it waits. */
static void the_load_store_unit_holds_as_many_requests_as_it_has_places(void **state)
{
    (void)state;
    static const char *const requests[] = {"lsu.pending_requests=3", NULL},
                             *const instructions[] = {"lsu.pending_requests=0", "lsu.pipeline_width=3", NULL},
                             *const any[] = {"lsu.pending_requests=0", NULL},
                             *const many[] = {"lsu.pending_requests=4096", NULL},
                             *const one[] = {"lsu.pending_requests=1", NULL};
    for (int64_t stride = 0; stride <= 128; stride += 128) {
        struct synth s;
        synth_begin(&s, 1, 8);
        synth_cta(&s);
        for (uint32_t i = 0; i < 30; i++)
            for (uint32_t w = 0; w < 8; w++)
                synth_access(&s, w, w % 3 ? SYNTH_LOAD_2 : SYNTH_STORE, ~0u, 4096ull * ((i * 7 + w) % 40), stride);
        synth_cta_end(&s);
        struct trace *t = synth_end(&s);
        expect_same_run(t, requests, instructions, stride == 0);
        expect_same_run(t, any, many, true);
        assert_true(run_value(t, "line_requests", one) == run_value(t, "line_requests", any));
        if (stride) assert_true(run_value(t, "core_cycles", one) > run_value(t, "core_cycles", any));
        trace_close(t);
    }
    struct trace *t = synth_any(3, 4, 40, 11);
    free(synth_run_both(t, (struct synth_run){.set = requests}));
    free(synth_run_both(t, (struct synth_run){.preset = "volta80", .set = requests}));
    trace_close(t);
}

static void two_partitions_that_keep_copies_leave_half_of_the_ways(void **state)
{
    (void)state;
    static const char *const copies[] = {"l2.sets=4", "l2.ways=8", "l2.copies=2", NULL},
                             *const half[] = {"l2.sets=4", "l2.ways=4", NULL},
                             *const whole[] = {"l2.sets=4", "l2.ways=8", NULL};
    struct trace *t = synth_mixture(6, 4, 12, 5);
    expect_same_run(t, copies, half, true);
    expect_same_run(t, whole, half, false);
    trace_close(t);
    struct gpu_params *params = gpu_params_new();
    struct error err;
    const uint64_t lines = gpu_launch_machine(params).l2_lines;
    assert_ok(gpu_params_set(params, "l2.copies", "2", &err), &err);
    assert_int_equal(gpu_launch_machine(params).l2_lines, lines / 2);
    assert_ok(gpu_params_set(params, "l2.organisation", "tsc", &err), &err); /* its sectors have no copies */
    assert_int_equal(gpu_launch_machine(params).l2_lines, lines);
    gpu_params_free(params);
}

static double cycles_of(const struct trace *t, const char *const *set)
{
    char *json = synth_run_both(t, (struct synth_run){.preset = "volta80-ptx", .set = set});
    const double cycles = synth_value(json, "core_cycles");
    free(json);
    return cycles;
}

static void a_result_that_is_forwarded_is_there_earlier(void **state)
{
    (void)state;
    static const char *const forwarded[] = {"core.write_cycles=0", NULL}, *const late[] = {"core.write_cycles=9", NULL};
    struct trace *t = synth_mixture(2, 2, 6, 7);
    const double usual = cycles_of(t, NULL);
    assert_true(cycles_of(t, forwarded) < usual && usual < cycles_of(t, late));
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_partitions_that_keep_copies_leave_half_of_the_ways),
        cmocka_unit_test(a_result_that_is_forwarded_is_there_earlier),
        cmocka_unit_test(registers_of_one_bank_are_read_and_written_one_a_cycle),
        cmocka_unit_test(twelve_schedulers_with_twelve_units_issue_twelve_additions_a_cycle),
        cmocka_unit_test(a_fetch_across_jumps_brings_two_instructions_where_others_bring_one),
        cmocka_unit_test(a_generic_access_goes_to_the_memory_that_its_address_names),
        cmocka_unit_test(the_load_store_unit_holds_as_many_requests_as_it_has_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
