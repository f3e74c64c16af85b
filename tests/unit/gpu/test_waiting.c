/* Warps that wait for writes of others (core.waiting=simulated): for as long as these take, and no write too few. */
#include "synth.h"
#include "waits.h"

#include <jansson.h>
#include "poise/simulation.h"

static struct waits_rig rig;
static const char *const recorded[] = {"core.sms=4", NULL}, *const simulated[] = {"core.sms=4",
                                                                                  "core.waiting=simulated", NULL};

/* With and without skipping cycles; asserts the same statistics. */
static double cycles_with(const struct trace *t, const char *preset, const char *mech, const char *const *set)
{
    char *json = synth_run_both(t, (struct synth_run){.preset = preset, .mech = mech, .set = set});
    const double cycles = synth_value(json, "core_cycles");
    free(json);
    return cycles;
}

static double cycles_of(const struct trace *t, const char *const *set) { return cycles_with(t, NULL, NULL, set); }

/* CTA 0 waits for word 0, and works for as long as a slow memory takes; CTA 1 writes the word after
 * three loads, each of which waits for the one before. */
static struct trace *handed_over(void)
{
    waits_begin(&rig, 2, 1, 0);
    waits_cta(&rig, 0);
    waits_wait(&rig, 0, 1, 1);
    waits_alu(&rig, 6000);
    waits_cta_end(&rig);
    waits_cta(&rig, 1);
    for (uint64_t i = 1; i < 4; i++) waits_access(&rig, W_LOAD, W_BASE + i * 8192);
    waits_write(&rig, W_STORE, 0);
    waits_cta_end(&rig);
    return waits_finish(&rig, true, NULL);
}

static void a_warp_waits_longer_where_memory_delays_the_write_that_it_waits_for(void **state)
{
    (void)state;
    const char *const slow[] = {"core.sms=4", "dram.extra_cycles=6000", "core.waiting=simulated", NULL},
                      *const as_recorded[] = {"core.sms=4", "dram.extra_cycles=6000", NULL};
    struct trace *t = handed_over();
    const double fast = cycles_of(t, simulated), late = cycles_of(t, slow);
    /* the producer's loads and then the consumer's work; as recorded the work goes on beside the loads, after one look
     * at the word */
    assert_true(fast >= 24000 && late >= 24000 + 3 * 6000);
    assert_true(late - fast >= 3 * 5000);
    assert_true(cycles_of(t, as_recorded) < late - 2 * 5000);
    trace_close(t);
}

enum { CTAS = 4, WORK = 1000 };

/* A counter barrier. As recorded CTA 3 came last; here CTA `late` does, which works before it. CTA 3 works after it. */
static struct trace *barrier(uint32_t late, enum waits_inst by)
{
    waits_begin(&rig, CTAS, 1, 0);
    for (uint32_t c = 0; c < CTAS; c++) {
        waits_cta(&rig, c);
        waits_alu(&rig, c == late ? WORK : 1);
        waits_write(&rig, by, 7);
        waits_wait(&rig, 7, CTAS, c == 3 ? 0 : 2);
        waits_alu(&rig, c == 3 ? WORK : 1);
        waits_cta_end(&rig);
    }
    return waits_finish(&rig, true, NULL);
}

static void a_barrier_does_not_open_before_another_cta_than_the_recorded_one_has_come(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < CTAS; late++) {
        struct trace *t = barrier(late, W_ATOMIC);
        const double one = 4.0 * WORK, both = cycles_of(t, simulated);
        if (both < 2 * one) fail_msg("CTA %u late: %.0f cycles", late, both);
        if (late != 3 && cycles_of(t, recorded) > 1.5 * one) fail_msg("recorded: CTA %u late", late);
        trace_close(t);
    }
}

static void other_machines_and_mechanisms_that_perform_atomics_count_the_same_writes(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *mech, *set[4];
    } rows[] = {{"volta80", NULL, {"core.waiting=simulated"}},
                {"fermi15", NULL, {"core.waiting=simulated"}},
                {NULL, NULL, {"core.waiting=simulated", "fetch.ideal=1"}},
                {NULL, NULL, {"core.waiting=simulated", "fetch.across_jumps=1"}},
                {NULL, NULL, {"core.waiting=simulated", "lsu.sector_requests=1", "l1.organisation=sectored"}},
                {NULL, NULL, {"core.waiting=simulated", "lsu.atomic_conflicts=1"}},
                {NULL, NULL, {"core.waiting=simulated", "l2.organisation=tsc", "l2.sets=64"}},
                {NULL, NULL, {"core.waiting=simulated", "ideal.memory=fixed"}},
                {NULL, NULL, {"core.waiting=simulated", "xbar.kind=ideal"}},
                {NULL, "atomnaive", {"core.waiting=simulated"}},
                {NULL, "atomdir", {"core.waiting=simulated"}},
                {NULL, "mrpb", {"core.waiting=simulated"}},
                {NULL, "ccws", {"core.waiting=simulated"}},
                {NULL, "drrip", {"core.waiting=simulated"}}};
    for (int by_store = 0; by_store < 2; by_store++) {
        struct trace *t = barrier(1, by_store ? W_STORE : W_ATOMIC);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (cycles_with(t, rows[i].preset, rows[i].mech, rows[i].set) < 8.0 * WORK) fail_msg("row %zu", i);
        trace_close(t);
    }
}

/* So many that the load-store unit is full of counted writes and of polls. */
static void a_full_load_store_unit_holds_counted_writes_back(void **state)
{
    (void)state;
    static const char *const set[] = {"core.sms=4", "core.waiting=simulated", "lsu.pipeline_width=1",
                                      "core.scheduler=lrr", NULL};
    enum { MANY = 24, WARPS = 4 };
    waits_begin(&rig, MANY, WARPS, 0);
    for (uint32_t c = 0; c < MANY; c++) {
        waits_cta(&rig, c);
        for (uint32_t i = 0; i < WARPS; i++) {
            waits_warp(&rig, i);
            waits_write(&rig, i % 2 ? W_ATOMIC : W_STORE, 7);
            waits_write(&rig, W_ATOMIC, 7);
            waits_wait(&rig, 7, 2 * MANY * WARPS, i);
        }
        waits_cta_end(&rig);
    }
    struct trace *t = waits_finish(&rig, true, NULL);
    char *json = synth_run_both(t, (struct synth_run){.set = set});
    assert_true(synth_value(json, "l1d_atomics") == 1.5 * MANY * WARPS);
    assert_true(synth_value(json, "l1d_stores") == 0.5 * MANY * WARPS);
    free(json);
    trace_close(t);
}

/* Warp 1 of each CTA waits for a word of its shared memory. */
static void warps_of_a_cta_wait_for_its_shared_memory(void **state)
{
    (void)state;
    waits_begin(&rig, 3, 2, 64);
    for (uint32_t c = 0; c < 3; c++) {
        waits_cta(&rig, c);
        waits_alu(&rig, WORK);
        waits_write(&rig, W_STORE_SHARED, W_SHARED);
        waits_warp(&rig, 1);
        waits_wait(&rig, W_SHARED, 1, c);
        waits_alu(&rig, WORK);
        waits_cta_end(&rig);
    }
    struct trace *t = waits_finish(&rig, true, NULL);
    assert_true(cycles_of(t, simulated) >= 8.0 * WORK);
    assert_true(cycles_of(t, recorded) < 6.0 * WORK);
    trace_close(t);
}

static void ctas_that_cannot_be_resident_together_are_told(void **state)
{
    (void)state;
    struct trace *t = barrier(0, W_ATOMIC);
    struct error err;
    struct gpu_params *params = gpu_params_new();
    struct plan *plan;
    struct gpu_result result;
    static const char *const set[][2] = {{"core.sms", "1"}, {"core.max_ctas", "3"}, {"core.waiting", "simulated"}};
    for (size_t i = 0; i < 3; i++) assert_ok(gpu_params_set(params, set[i][0], set[i][1], &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    for (int no_skip = 0; no_skip < 2; no_skip++) {
        const struct gpu_limits limits = {.watchdog_cycles = 100000, .no_skip = no_skip};
        assert_int_equal(-1, gpu_run(&result, plan, params, NULL, 0, &limits, &err));
        assert_int_equal(ERR_DEADLOCK, err.code);
        assert_non_null(strstr(err.text, "3 resident, 1 not begun"));
        assert_non_null(strstr(err.text, "warp 0 of CTA 0 waits for the word at 0x7f000000001c: 3 writes of 4"));
        assert_non_null(strstr(err.hint, "resident together"));
    }
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
}

/* In front of the wait, while it lasts, and behind it. */
static void a_run_goes_on_from_a_snapshot_as_if_it_had_not_stopped(void **state)
{
    (void)state;
    struct trace *t = barrier(2, W_ATOMIC);
    struct error err;
    struct gpu_params *params = gpu_params_new();
    struct plan *plan;
    char *whole = NULL;
    assert_ok(gpu_params_set(params, "core.sms", "4", &err), &err);
    assert_ok(gpu_params_set(params, "core.waiting", "simulated", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    for (uint64_t at = 0; at < 9000; at += 997) {
        struct simulation *s, *other;
        struct snapshot *copy = NULL;
        struct gpu_result result;
        assert_ok(simulation_new(&s, plan, params, NULL, 0, NULL, NULL, &err), &err);
        assert_ok(simulation_twin(&other, s, &err), &err);
        if (at) assert_ok(simulation_run(s, at, &err), &err);
        assert_ok(simulation_snapshot(s, &copy, &err), &err);
        assert_ok(simulation_restore(other, copy, &err), &err);
        simulation_free(s);
        assert_int_equal(1, simulation_run(other, 0, &err));
        assert_ok(simulation_end(other, &result, &err), &err);
        json_t *stats = stats_json(&gpu_stat_table, result.stats);
        char *text = json_dumps(stats, JSON_COMPACT);
        if (!whole) whole = strdup(text);
        assert_string_equal(whole, text);
        free(text);
        json_decref(stats);
        gpu_result_free(&result);
        snapshot_free(copy);
        simulation_free(other);
    }
    free(whole);
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
}

static void without_waits_in_the_trace_or_as_recorded_nothing_is_different(void **state)
{
    (void)state;
    struct trace *mixture = synth_mixture(6, 4, 30, 7), *with = barrier(1, W_ATOMIC);
    for (int i = 0; i < 2; i++) {
        char *a = synth_run_both(mixture, (struct synth_run){.set = recorded}),
             *b = synth_run_both(mixture, (struct synth_run){.set = simulated});
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    struct gpu_params *params = gpu_params_new();
    struct error err;
    char *key = gpu_key_config(params);
    assert_null(strstr(key, "waiting")); /* keys of stored results stay */
    free(key);
    struct plan *plan;
    assert_ok(plan_new(&plan, with, params, &err), &err);
    assert_int_equal(with->n_steps, plan_warp_insts(plan));
    assert_ok(gpu_params_set(params, "core.waiting", "simulated", &err), &err);
    assert_false(plan_fits(plan, params));
    plan_free(plan);
    assert_ok(plan_new(&plan, with, params, &err), &err);
    assert_int_equal(with->n_steps - 3 * 3, plan_warp_insts(plan)); /* one of two rounds that spun, of three CTAs */
    plan_free(plan);
    gpu_params_free(params);
    trace_close(mixture);
    trace_close(with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_waits_longer_where_memory_delays_the_write_that_it_waits_for),
        cmocka_unit_test(a_barrier_does_not_open_before_another_cta_than_the_recorded_one_has_come),
        cmocka_unit_test(other_machines_and_mechanisms_that_perform_atomics_count_the_same_writes),
        cmocka_unit_test(a_full_load_store_unit_holds_counted_writes_back),
        cmocka_unit_test(warps_of_a_cta_wait_for_its_shared_memory),
        cmocka_unit_test(ctas_that_cannot_be_resident_together_are_told),
        cmocka_unit_test(a_run_goes_on_from_a_snapshot_as_if_it_had_not_stopped),
        cmocka_unit_test(without_waits_in_the_trace_or_as_recorded_nothing_is_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
