#include "rig.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../../../sim/gpu/run/steady.h"
#include "../../../sim/gpu/run/waves.h"
#include "synth.h"

static uint64_t random_state;
/* Uniform in -1 .. 1. */
static double noise(void)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(random_state >> 11) / 4503599627370496.0 - 1;
}

/* Feeds rate(t) instructions a cycle, t counted in cycles, until the estimate comes or `cycles` are over; the cycle
 * where it came. */
static uint64_t feed(double (*rate)(double), uint64_t cycles, uint64_t total, double eps, struct gpu_estimate *out)
{
    struct steady s;
    double insts = 0;
    uint64_t now = 0;
    steady_begin(&s);
    *out = (struct gpu_estimate){0};
    while (now < cycles && !(out->cycles > 0)) {
        const uint64_t length = s.n == STEADY_BATCHES ? 2 * s.batch_cycles : s.batch_cycles;
        for (uint64_t i = 0; i < length; i++) insts += rate((double)now++);
        steady_add(&s, (uint64_t)insts);
        *out = steady_estimate(&s, total, eps);
    }
    return now;
}

static double level(double t) { return (void)t, 4 + noise(); }
static double warming(double t) { return (t < 20000 ? 12 : 4) + noise(); }
static double ramp(double t) { return 2 + t / 50000 + 0.1 * noise(); }
static double slow_waves(double t) { return 4 + 3 * sin(t / 100000); }

static void a_steady_series_is_cut_when_it_has_shown_as_much_as_is_left(void **state)
{
    (void)state;
    struct gpu_estimate e;
    random_state = 1;
    const uint64_t at = feed(level, 250000, 1000000, 0.02, &e);
    assert_true(at >= 124000 && at < 150000); /* half of 250,000 cycles */
    assert_true(fabs(e.cycles - 250000) < 0.02 * 250000);
    assert_true(e.error > 0 && e.error <= 0.02);
}

static void a_warm_up_does_not_bias_the_estimate(void **state)
{
    (void)state;
    struct gpu_estimate e;
    random_state = 2;
    /* 240,000 instructions at 12 a cycle, 760,000 at 4: 210,000 cycles. */
    const uint64_t at = feed(warming, 210000, 1000000, 0.02, &e);
    assert_true(at > 110000 && at < 150000);
    assert_true(fabs(e.cycles - 210000) < 0.03 * 210000);
}

static void a_trend_or_a_slow_wave_is_not_steady(void **state)
{
    (void)state;
    struct gpu_estimate e;
    random_state = 3;
    feed(ramp, 200000, 2 * 200000 + 200000ull * 200000 / 100000, 0.02, &e);
    assert_true(e.cycles == 0);
    feed(slow_waves, 300000, 1300000, 0.02, &e);
    assert_true(e.cycles == 0);
}

static void the_interval_covers_the_truth_of_independent_series_nearly_always(void **state)
{
    (void)state;
    int inside = 0, ended = 0;
    for (int i = 0; i < 200; i++) {
        struct gpu_estimate e;
        random_state = 1000 + (uint64_t)i * 77;
        feed(level, 100000, 400000, 0.05, &e);
        if (!(e.cycles > 0)) continue;
        ended++;
        inside += fabs(e.cycles / 100000 - 1) <= e.error;
    }
    assert_true(ended >= 190);
    /* 95 % of each look; several looks and the choice of a cut cost some of it */
    assert_true(inside >= 0.85 * ended);
}

static void nothing_is_gained_by_a_cut_near_the_end(void **state)
{
    (void)state;
    struct steady s;
    steady_begin(&s);
    for (uint64_t i = 1; i <= 100; i++) steady_add(&s, 1000 * i);
    assert_true(steady_estimate(&s, 100000, 0.05).cycles == 0); /* done */
    assert_true(steady_estimate(&s, 105000, 0.05).cycles == 0); /* a tenth is not left */
    assert_true(fabs(steady_estimate(&s, 150000, 0.05).cycles - 150 * 128) < 1);
    assert_true(steady_estimate(&s, 300000, 0.05).cycles == 0); /* more is left than was steady */
}

/* One CTA after another of the same loop over lines that miss. */
static struct trace *loop_trace(uint32_t ctas)
{
    struct synth s;
    struct trace *trace;
    struct error err;
    synth_begin(&s, ctas, 4);
    for (uint32_t c = 0; c < ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < 24; k++)
            for (uint32_t v = 0; v < 4; v++) {
                synth_access(&s, v, SYNTH_LOAD_2, ~0u, ((c * 24ull + k) * 4 + v) * 4096, 4);
                synth_op(&s, v, SYNTH_USE_2, ~0u);
            }
        synth_cta_end(&s);
    }
    assert_ok(trace_writer_finish(s.writer, NULL, "{}", &trace, &err), &err);
    return trace;
}

/* Waves of CTAs that only compute, as many slots as the machine has, and a last wave of `last` of them: the launch
 * takes as many cycles for a few as for all. No error may be told that does not hold. */
static struct trace *waves_trace(uint32_t ctas, uint32_t ops)
{
    struct synth s;
    struct trace *trace;
    struct error err;
    synth_begin(&s, ctas, 8);
    for (uint32_t c = 0; c < ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < ops; k++)
            for (uint32_t v = 0; v < 8; v++) synth_op(&s, v, SYNTH_USE_2, ~0u);
        synth_cta_end(&s);
    }
    assert_ok(trace_writer_finish(s.writer, NULL, "{}", &trace, &err), &err);
    return trace;
}

static void no_error_is_told_that_an_uneven_last_wave_breaks(void **state)
{
    static const uint32_t ctas[] = {17, 20, 40, 130}; /* 16 at a time */
    struct error err;
    struct gpu_params *params = gpu_params_new();
    uint32_t ended = 0;
    (void)state;
    assert_ok(gpu_params_set(params, "core.sms", "4", &err), &err);
    assert_ok(gpu_params_set(params, "core.max_ctas", "4", &err), &err);
    for (size_t i = 0; i < COUNT_OF(ctas); i++) {
        struct trace *trace = waves_trace(ctas[i], 800);
        struct plan *plan;
        struct gpu_result whole;
        const struct gpu_limits none = {0};
        assert_ok(plan_new(&plan, trace, params, &err), &err);
        assert_ok(gpu_run(&whole, plan, params, NULL, 0, &none, &err), &err);
        const double cycles = gpu_stats_value(whole.stats, "core_cycles");
        for (double eps = 0.01; eps < 0.5; eps *= 3) {
            struct gpu_result early;
            const struct gpu_limits limits = {.early_end = eps};
            assert_ok(gpu_run(&early, plan, params, NULL, 0, &limits, &err), &err);
            if (!early.complete) {
                const struct gpu_estimate e = early.estimate;
                if (fabs(cycles - e.cycles) > e.error * e.cycles)
                    fail_msg("%u CTAs: %.0f cycles, but %.0f within %.4f told", ctas[i], cycles, e.cycles, e.error);
                assert_true(e.error <= eps);
                ended++;
            }
            gpu_result_free(&early);
        }
        gpu_result_free(&whole);
        plan_free(plan);
        trace_close(trace);
    }
    assert_true(ended >= 4); /* it is still of use where a wave is a small part */
    gpu_params_free(params);
}

static void a_run_of_many_equal_ctas_ends_early_within_its_share_and_has_a_key_of_its_own(void **state)
{
    (void)state;
    struct error err;
    struct plan *plan;
    struct gpu_params *params = gpu_params_new();
    struct gpu_result whole, early;
    struct hash keys[2];
    const struct gpu_limits limits = {.early_end = 0.02}, none = {0};
    assert_ok(gpu_params_set(params, "core.sms", "2", &err), &err);
    struct trace *trace = loop_trace(600);
    assert_ok(plan_new(&plan, trace, params, &err), &err);
    assert_ok(gpu_run(&whole, plan, params, NULL, 0, &none, &err), &err);
    assert_ok(gpu_run(&early, plan, params, NULL, 0, &limits, &err), &err);
    assert_true(whole.complete && whole.estimate.cycles == 0);
    assert_true(!early.complete && early.estimate.cycles > 0 && early.estimate.error <= 0.02);
    const double cycles = gpu_stats_value(whole.stats, "core_cycles");
    assert_true(fabs(early.estimate.cycles / cycles - 1) < 0.04);
    assert_true(gpu_stats_value(early.stats, "core_cycles") < 0.8 * cycles);
    assert_ok(gpu_run_key(&keys[0], &trace->hash, params, NULL, 0, &none, &err), &err);
    assert_ok(gpu_run_key(&keys[1], &trace->hash, params, NULL, 0, &limits, &err), &err);
    assert_memory_not_equal(&keys[0], &keys[1], sizeof keys[0]);
    gpu_result_free(&whole);
    gpu_result_free(&early);
    plan_free(plan);
    trace_close(trace);
    gpu_params_free(params);
}

/* ---- by waves (run/waves.h) ---- */

static void waves_say_of_others_what_their_noise_correlation_and_trend_allow(void **state)
{
    (void)state;
    struct wave w[40];
    double quiet[40], slow[40], rising[40], smooth = 0;
    random_state = 5;
    for (uint32_t i = 0; i < 40; i++) {
        w[i] = (struct wave){i + 1, 1000, 0};
        smooth = 0.8 * smooth + 40 * noise();
        quiet[i] = 500 + 40 * noise();
        slow[i] = 500 + smooth;
        rising[i] = 500 + 4.0 * i + noise();
    }
    const struct wave_prediction a = waves_predict(w, quiet, 40, 100000, 100, 100),
                                 b = waves_predict(w, slow, 40, 100000, 100, 100),
                                 c = waves_predict(w, rising, 40, 100000, 100, 100);
    assert_true(fabs(a.value - 50000) < a.half && a.half < 0.03 * 50000);
    assert_true(b.half > 2 * a.half); /* waves side by side are alike: fewer say something */
    assert_true(c.half >= 100 * 4 * 79 && c.half < 2 * 100 * 4 * 79); /* the trend goes on for 79.5 waves */
    assert_true(isinf(waves_predict(w, quiet, 1, 1000, 1, 2).half));
    w[0].cycles = 5000;
    for (uint32_t i = 1; i < 40; i++) w[i].cycles = i < 6 ? 900 : 500;
    assert_int_equal(6, waves_warm_up(w, 40));
}

/* Loops of loads over so many pairs of lines; in the second half of the launch, `phase` times as long. */
static struct trace *phased_trace(uint32_t ctas, uint32_t loads, uint32_t phase, uint64_t lines)
{
    struct synth s;
    struct trace *trace;
    struct error err;
    synth_begin(&s, ctas, 2);
    for (uint32_t c = 0; c < ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < loads * (2 * c < ctas ? 1 : phase); k++)
            for (uint32_t v = 0; v < 2; v++) {
                synth_access(&s, v, SYNTH_LOAD_2, ~0u, ((c * 97ull + k * 13) % lines * 2 + v) * 128, 4);
                synth_op(&s, v, SYNTH_USE_2, ~0u);
            }
        synth_cta_end(&s);
    }
    assert_ok(trace_writer_finish(s.writer, NULL, "{}", &trace, &err), &err);
    return trace;
}

/* Simulates the trace whole and by a part of its waves; the share of instructions that the part is. Its interval
 * holds. */
static double part_of(struct trace *trace, const struct gpu_params *params, double eps)
{
    struct plan *plan;
    struct gpu_result whole, part, again;
    struct error err;
    const struct gpu_limits none = {0}, limits = {.sample = eps}, slowly = {.sample = eps, .no_skip = true};
    assert_ok(plan_new(&plan, trace, params, &err), &err);
    assert_ok(gpu_run(&whole, plan, params, NULL, 0, &none, &err), &err);
    assert_ok(gpu_run(&part, plan, params, NULL, 0, &limits, &err), &err);
    assert_ok(gpu_run(&again, plan, params, NULL, 0, &slowly, &err), &err);
    assert_memory_equal(part.stats, again.stats, gpu_stat_table.size);
    const double cycles = gpu_stats_value(whole.stats, "core_cycles"),
                 insts = gpu_stats_value(whole.stats, "warp_insts"), error = part.estimate.error,
                 off = fabs(part.estimate.cycles / cycles - 1);
    double share = 1;
    if (part.complete) {
        assert_memory_equal(part.stats, whole.stats, gpu_stat_table.size);
    } else {
        share =
            (double)json_integer_value(json_object_get(json_object_get(part.sampled, "params"), "warp_insts")) / insts;
        if (off > error * 1.001)
            fail_msg("%.0f cycles, but %.0f within %.4f told", cycles, part.estimate.cycles, error);
        assert_true(error >= 0.01 * (1 - share) && error <= eps); /* however quiet the waves were */
        assert_true(gpu_stats_value(part.stats, "warp_insts") == insts);
        assert_true(gpu_stats_value(part.stats, "core_cycles") == part.estimate.cycles);
        const double loads = gpu_stats_value(part.stats, "global_loads") / gpu_stats_value(whole.stats, "global_loads");
        assert_true(!(fabs(loads - 1) >= 0.01)); /* without loads it is no number */
    }
    gpu_result_free(&whole);
    gpu_result_free(&part);
    gpu_result_free(&again);
    plan_free(plan);
    return share;
}

static struct gpu_params *small_machine(void)
{
    struct error err;
    struct gpu_params *params = gpu_params_new();
    assert_ok(gpu_params_set(params, "core.sms", "2", &err), &err);
    assert_ok(gpu_params_set(params, "core.max_ctas", "4", &err), &err);
    return params;
}

static void a_launch_of_many_waves_is_known_from_a_part_of_them(void **state)
{
    struct gpu_params *params = small_machine();
    (void)state;
    struct trace *even = phased_trace(8 * 200, 12, 1, 1 << 20), *uneven = waves_trace(8 * 100 + 3, 60),
                 *short_one = phased_trace(8 * 20, 12, 1, 1 << 20);
    assert_true(part_of(even, params, 0.02) < 0.4);
    assert_true(part_of(uneven, params, 0.02) < 0.5); /* its last wave of three CTAs is simulated */
    assert_true(part_of(short_one, params, 0.02) == 1);
    trace_close(even);
    trace_close(uneven);
    trace_close(short_one);
    gpu_params_free(params);
}

static void a_phase_that_the_trace_shows_is_simulated_before_it_is_passed_over(void **state)
{
    struct gpu_params *params = small_machine();
    (void)state;
    struct trace *phases = phased_trace(8 * 200, 12, 3, 1 << 20);
    const double share = part_of(phases, params, 0.05);
    print_message("two phases: %.3f of the instructions simulated\n", share);
    trace_close(phases);
    gpu_params_free(params);
}

/* The first waves miss in L2, the others hit: no trait of the trace says so. */
static void a_change_of_pace_that_the_trace_does_not_show_is_seen_on_both_sides(void **state)
{
    struct gpu_params *params = small_machine();
    (void)state;
    struct trace *reuse = phased_trace(8 * 200, 12, 1, 4096);
    part_of(reuse, params, 0.02);
    part_of(reuse, params, 0.2);
    trace_close(reuse);
    gpu_params_free(params);
}

static void a_launch_simulated_in_part_has_a_key_of_its_own_and_no_limits(void **state)
{
    struct gpu_params *params = small_machine();
    struct hash keys[2];
    struct plan *plan;
    struct gpu_result result;
    struct error err;
    const struct gpu_limits limits = {.sample = 0.02}, none = {0}, both = {.sample = 0.02, .max_cycles = 100};
    (void)state;
    struct trace *trace = waves_trace(8, 10);
    assert_ok(plan_new(&plan, trace, params, &err), &err);
    assert_ok(gpu_run_key(&keys[0], &trace->hash, params, NULL, 0, &none, &err), &err);
    assert_ok(gpu_run_key(&keys[1], &trace->hash, params, NULL, 0, &limits, &err), &err);
    assert_memory_not_equal(&keys[0], &keys[1], sizeof keys[0]);
    assert_int_equal(-1, gpu_run(&result, plan, params, NULL, 0, &both, &err));
    assert_non_null(strstr(err.text, "in part only by itself"));
    plan_free(plan);
    trace_close(trace);
    gpu_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_series_is_cut_when_it_has_shown_as_much_as_is_left),
        cmocka_unit_test(a_warm_up_does_not_bias_the_estimate),
        cmocka_unit_test(a_trend_or_a_slow_wave_is_not_steady),
        cmocka_unit_test(the_interval_covers_the_truth_of_independent_series_nearly_always),
        cmocka_unit_test(nothing_is_gained_by_a_cut_near_the_end),
        cmocka_unit_test(no_error_is_told_that_an_uneven_last_wave_breaks),
        cmocka_unit_test(a_run_of_many_equal_ctas_ends_early_within_its_share_and_has_a_key_of_its_own),
        cmocka_unit_test(waves_say_of_others_what_their_noise_correlation_and_trend_allow),
        cmocka_unit_test(a_launch_of_many_waves_is_known_from_a_part_of_them),
        cmocka_unit_test(a_phase_that_the_trace_shows_is_simulated_before_it_is_passed_over),
        cmocka_unit_test(a_change_of_pace_that_the_trace_does_not_show_is_seen_on_both_sides),
        cmocka_unit_test(a_launch_simulated_in_part_has_a_key_of_its_own_and_no_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
