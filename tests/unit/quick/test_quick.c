/* The quick model against the cycle-level one, and laws that any model of a machine keeps. */
#include "synth.h"
#include "where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/quick.h"

static struct error err;

struct rig {
    struct trace *trace;
    struct gpu_params *params;
    struct plan *plan;
    struct quick *quick;
    uint32_t W;
};

static void rig_init(struct rig *r, struct trace *trace, const char *preset, const char *const *set,
                     struct quick_options options)
{
    *r = (struct rig){.trace = trace, .params = gpu_params_new()};
    assert_ok(gpu_params_load(r->params, preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    for (; set && *set; set += 2) assert_ok(gpu_params_set(r->params, set[0], set[1], &err), &err);
    assert_ok(plan_new(&r->plan, trace, r->params, &err), &err);
    assert_ok(quick_new(&r->quick, r->plan, r->params, &options, &err), &err);
    r->W = plan_warps_per_scheduler(r->plan);
}
static void rig_fini(struct rig *r)
{
    quick_free(r->quick);
    plan_free(r->plan);
    gpu_params_free(r->params);
    trace_close(r->trace);
}
static struct quick_run ask_admitting(struct rig *r, uint32_t N, uint32_t p, bool in_gangs)
{
    struct quick_run run;
    quick_run(r->quick, (struct quick_limit){N, p, in_gangs, 0}, &run);
    return run;
}
static struct quick_run ask(struct rig *r, uint32_t N, uint32_t p) { return ask_admitting(r, N, p, false); }
/* Core cycles; `rate`: of hits in L1, or NULL. */
static double simulated(struct rig *r, uint32_t N, uint32_t p, double *rate)
{
    struct mech_spec stack;
    struct gpu_result result;
    const struct gpu_limits limits = {0};
    char text[48];
    snprintf(text, sizeof text, "tuple,N=%u,p=%u", N, p);
    assert_ok(mech_parse(&stack, text, &err), &err);
    assert_ok(gpu_run(&result, r->plan, r->params, &stack, 1, &limits, &err), &err);
    const double value = gpu_stats_value(result.stats, "core_cycles");
    if (rate) *rate = gpu_stats_value(result.stats, "l1d_hit_rate");
    gpu_result_free(&result);
    mech_free(&stack);
    return value;
}

static const struct quick_options whole = {.sms = 128};
static const char *const presets[] = {"kepler32", "fermi15", "volta80"};

static void every_instruction_is_issued_on_every_preset_at_any_tuple(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (uint32_t seed = 1; seed <= 4; seed++) {
            struct rig r;
            rig_init(&r, synth_any(37, 3, 12, seed), presets[i], NULL, whole);
            const uint32_t tuples[][2] = {{1, 1}, {2, 1}, {3, 3}, {r.W, r.W}, {64, 64}};
            for (size_t k = 0; k < (seed == 1 ? 10 : 5); k++) { /* those from 5 on in gangs */
                const struct quick_run run = ask_admitting(&r, tuples[k % 5][0], tuples[k % 5][1], k >= 5);
                assert_true(run.complete);
                assert_int_equal(run.insts, plan_warp_insts(r.plan));
                assert_true(run.l1_hits <= run.l1_accesses && run.l2_hits <= run.l2_accesses);
                assert_true(run.dram_reads <= run.l2_accesses);
            }
            rig_fini(&r);
        }
}

static void warps_without_instructions_take_no_part(void **state)
{
    struct synth s;
    struct rig r;
    (void)state;
    synth_begin(&s, 70, 3);
    for (uint32_t cta = 0; cta < 70; cta++) {
        synth_cta(&s);
        for (uint32_t warp = cta % 2; warp < 2 && cta != 69; warp++) { /* none of warp 2, nor of the last CTA */
            for (uint32_t i = 0; i < 4; i++) synth_access(&s, warp, SYNTH_LOAD_2, ~0u, 4096 * (cta + i), 4);
            synth_op(&s, warp, SYNTH_BARRIER, ~0u);
            synth_op(&s, warp, SYNTH_EXIT, ~0u);
        }
        assert_ok(trace_writer_cta_end(s.writer, &err), &err);
    }
    rig_init(&r, synth_end(&s), "kepler32", NULL, whole);
    const struct quick_run run = ask(&r, 2, 1);
    assert_true(run.complete);
    assert_int_equal(run.insts, plan_warp_insts(r.plan));
    rig_fini(&r);
}

/* CTAs wider than the limit, whose warps end at different times and meet at barriers; gangs of all warps are none. */
static void gangs_end_and_those_of_all_warps_change_nothing(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, synth_mixture(96, 6, 20, 3), "kepler32", NULL, whole);
    const struct quick_run each = ask(&r, 2, 2), gangs = ask_admitting(&r, 2, 2, true);
    assert_int_equal(gangs.insts, each.insts);
    assert_true(gangs.complete && gangs.cycles != each.cycles);
    const struct quick_run all = ask(&r, r.W, r.W), all_in_gangs = ask_admitting(&r, r.W, r.W, true);
    assert_memory_equal(&all, &all_in_gangs, sizeof all);
    rig_fini(&r);
}

static void a_run_after_others_is_the_same_run(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, synth_mixture(96, 4, 20, 3), "kepler32", NULL, (struct quick_options){0});
    const struct quick_run first = ask(&r, 2, 1);
    (void)ask(&r, 12, 12);
    const struct quick_run again = ask(&r, 2, 1);
    assert_memory_equal(&first, &again, sizeof first);
    rig_fini(&r);
}

static void a_run_ends_at_its_most_work(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, synth_mixture(96, 4, 20, 3), "kepler32", NULL, (struct quick_options){.sms = 2, .max_work = 500});
    const double insts = (double)plan_warp_insts(r.plan), lines = (double)plan_line_requests(r.plan);
    const struct quick_run run = ask(&r, 4, 4);
    assert_false(run.complete);
    assert_true(fabs((double)run.insts - 2 * 500 * insts / (insts + lines)) < 5);
    rig_fini(&r);
}

/* The least number of cycles that lets a run end, and one less. */
static void a_run_that_others_have_beaten_ends_and_is_slower(void **state)
{
    struct rig r;
    struct quick_run run;
    (void)state;
    rig_init(&r, synth_mixture(96, 4, 20, 3), "kepler32", NULL, (struct quick_options){.sms = 2, .max_work = 500});
    const struct quick_run whole_run = ask(&r, 4, 4);
    quick_run(r.quick, (struct quick_limit){4, 4, 0, whole_run.cycles}, &run);
    assert_memory_equal(&run, &whole_run, sizeof run);
    quick_run(r.quick, (struct quick_limit){4, 4, 0, whole_run.cycles / 2}, &run);
    assert_int_equal(whole_run.cycles / 2 + 1, run.cycles);
    assert_true(run.insts < whole_run.insts && run.insts > 0 && !run.complete);
    rig_fini(&r);
    rig_init(&r, synth_mixture(96, 4, 20, 3), "kepler32", NULL, whole);
    const struct quick_run to_the_end = ask(&r, 4, 4);
    quick_run(r.quick, (struct quick_limit){4, 4, 0, to_the_end.cycles}, &run);
    assert_memory_equal(&run, &to_the_end, sizeof run);
    rig_fini(&r);
}

/* Rows of a matrix, a thread each: L1 holds those of few warps. The tuple that the quick model calls best is among the
 * simulator's best, and hit rates are its own. */
static void where_warps_thrash_it_finds_what_the_simulator_finds(void **state)
{
    (void)state;
    if (POISE_SANITIZED) skip(); /* figures of runs that other functions make */
    for (size_t i = 0; i < 1; i++) {
        const char *const few[] = {"core.sms", "4", NULL};
        struct rig r;
        rig_init(&r, synth_rows(32, 8, 96, 2), presets[i], few, whole);
        double best = INFINITY, chosen = 0, fastest = INFINITY, xy = 0, xx = 0, yy = 0, x1 = 0, y1 = 0, n = 0,
               apart = 0;
        for (uint32_t N = 1; N <= r.W; N = N < 4 ? N + 1 : 2 * N) {
            const struct quick_run run = ask(&r, N, N);
            double rate;
            const double cycles = simulated(&r, N, N, &rate);
            const double x = log((double)run.cycles), y = log(cycles);
            apart += fabs((double)run.l1_hits / (double)run.l1_accesses - rate);
            if ((double)run.cycles < fastest) fastest = (double)run.cycles, chosen = cycles;
            if (cycles < best) best = cycles;
            xy += x * y, xx += x * x, yy += y * y, x1 += x, y1 += y, n++;
        }
        const double correlation = (n * xy - x1 * y1) / sqrt((n * xx - x1 * x1) * (n * yy - y1 * y1));
        assert_true(apart / n < 0.08);
        assert_true(correlation > 0.9);
        assert_true(chosen < 1.1 * best);
        rig_fini(&r);
    }
}

static void a_chain_of_misses_takes_the_latencies_of_the_machine(void **state)
{
    (void)state;
    const char *const sets[][3] = {{"l2.round_trip_cycles", "120", NULL}, {"l2.round_trip_cycles", "420", NULL}};
    double cycles[2];
    for (size_t i = 0; i < 2; i++) {
        struct rig r;
        rig_init(&r, synth_chase(1000, 128, 1 << 20), "kepler32", sets[i], whole);
        cycles[i] = (double)ask(&r, 1, 1).cycles;
        const double exact = simulated(&r, 1, 1, NULL);
        assert_true(fabs(cycles[i] / exact - 1) < 0.05);
        rig_fini(&r);
    }
    assert_true(fabs((cycles[1] - cycles[0]) / 1000 - 300) < 3);
}

static void no_launch_is_faster_than_its_bytes_allow(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, synth_rows(64, 8, 64, 1), "kepler32", NULL, whole);
    const struct quick_run run = ask(&r, r.W, r.W);
    /* six channels, 64 bytes in two cycles of 924 MHz */
    const double most = 6 * 32.0 * 924 / 1400, bytes = 128.0 * (double)(run.dram_reads + run.dram_writes);
    assert_true(bytes / (double)run.cycles < 1.02 * most);
    rig_fini(&r);
}

static void two_partitions_that_keep_copies_leave_half_of_the_ways(void **state)
{
    (void)state;
    static const char *const sets[][7] = {{"l2.sets", "4", "l2.ways", "8", "l2.copies", "2"},
                                          {"l2.sets", "4", "l2.ways", "4"},
                                          {"l2.sets", "4", "l2.ways", "8"}};
    struct quick_run runs[3];
    for (size_t i = 0; i < 3; i++) {
        struct rig r;
        rig_init(&r, synth_rows(64, 8, 64, 1), "kepler32", sets[i], whole);
        runs[i] = ask(&r, r.W, r.W);
        rig_fini(&r);
    }
    assert_memory_equal(&runs[0], &runs[1], sizeof runs[0]);
    assert_true(runs[1].l2_hits < runs[2].l2_hits);
}

/* A launch like the rig's, of another grid. */
static struct plan *like(const struct rig *r, uint32_t x, uint32_t y, uint64_t work, struct launch_counts *counts)
{
    struct plan *plan;
    uint64_t warps;
    const struct quick_shape shape = {.grid = {x, y, 1}, .work = work};
    assert_ok(quick_like(&plan, &warps, r->plan, &shape, r->params, &err), &err);
    if (counts) assert_ok(plan_counts(counts, plan, &err), &err);
    assert_true(warps >= plan_warps(plan));
    return plan;
}

static void a_launch_made_of_itself_is_itself(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, synth_mixture(96, 4, 20, 3), "kepler32", NULL, whole);
    const struct quick_run own = ask(&r, 4, 2);
    struct plan *plan = like(&r, 96, 1, 1, NULL), *of_trace = r.plan;
    quick_free(r.quick);
    r.plan = plan;
    assert_ok(quick_new(&r.quick, r.plan, r.params, &whole, &err), &err);
    const struct quick_run made = ask(&r, 4, 2);
    assert_memory_equal(&own, &made, sizeof own);
    plan_free(of_trace);
    rig_fini(&r);
}

/* Four CTAs of two warps: each warp loads a line of its own, one that its CTA's share and one that all share. */
static void copies_move_what_differs_and_share_what_all_share(void **state)
{
    struct synth s;
    struct rig r;
    struct launch_counts c;
    (void)state;
    synth_begin(&s, 4, 2);
    for (uint32_t cta = 0; cta < 4; cta++) {
        synth_cta(&s);
        for (uint32_t warp = 0; warp < 2; warp++) {
            synth_access(&s, warp, SYNTH_LOAD_2, ~0u, 1 << 16, 4);
            synth_access(&s, warp, SYNTH_LOAD_4, ~0u, (1 << 16) + 128 * (cta + 1), 4);
            synth_access(&s, warp, SYNTH_LOAD_5, ~0u, (1 << 16) + 128 * (2 * cta + warp + 5), 4);
        }
        synth_cta_end(&s);
    }
    rig_init(&r, synth_end(&s), "kepler32", NULL, whole);
    plan_free(like(&r, 12, 1, 1, &c));
    assert_int_equal(c.ctas, 12);
    assert_int_equal(c.insts, 12 * 2 * 4);
    assert_int_equal(c.lines, 12 * (1 + 2) + 1);
    plan_free(like(&r, 4, 3, 1, &c)); /* along y nothing is known: what changes along x changes */
    assert_int_equal(c.lines, 3 * 4 * (1 + 2) + 1);
    const struct quick_shape wide = {.grid = {2, 1, 1}, .block = {128, 1, 1}, .work = 1};
    struct plan *plan;
    uint64_t warps;
    assert_ok(quick_like(&plan, &warps, r.plan, &wide, r.params, &err), &err);
    assert_ok(plan_counts(&c, plan, &err), &err);
    plan_free(plan);
    assert_int_equal(warps, 2 * 4); /* the same warps in wider CTAs */
    assert_int_equal(c.lines, 4 * (1 + 2) + 1);
    plan_free(like(&r, 2, 1, 140, &c)); /* a CTA has 14 instructions and requests: ten times each */
    assert_int_equal(c.insts, 10 * 2 * 2 * 4);
    assert_int_equal(c.lines, 10 * 2 * (1 + 2) + 1);
    plan_free(like(&r, 1000, 1, 140, &c)); /* of so many CTAs the first, which have that work */
    assert_int_equal(c.ctas, 140 * 32 / 14);
    rig_fini(&r);
}

/* Rows of 24 floats: 32 lanes read 24 or 25 lines, and in a launch that is far larger a line each. */
static void rows_of_a_small_input_are_spread(void **state)
{
    struct rig r;
    struct launch_counts own, other;
    (void)state;
    rig_init(&r, synth_rows(2, 4, 24, 1), "kepler32", NULL, whole);
    assert_ok(plan_counts(&own, r.plan, &err), &err);
    assert_true(own.requests < 26 * own.loads);
    plan_free(like(&r, 64, 1, 10000, &other));
    assert_int_equal(other.requests, 32 * other.loads);
    plan_free(like(&r, 64, 1, 1, &other));
    assert_true(other.requests < 26 * other.loads);
    rig_fini(&r);
}

static void grids_that_there_cannot_be_are_refused(void **state)
{
    struct rig r;
    struct plan *plan;
    uint64_t warps;
    (void)state;
    rig_init(&r, synth_rows(2, 4, 24, 1), "kepler32", NULL, whole);
    const struct quick_shape none = {.grid = {4, 0, 1}, .work = 1}, most = {.grid = {1 << 20, 1 << 20, 1}, .work = 1};
    assert_int_equal(quick_like(&plan, &warps, r.plan, &none, r.params, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_int_equal(quick_like(&plan, &warps, r.plan, &most, r.params, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_null(plan);
    rig_fini(&r);
}

static void machines_that_it_does_not_know_are_refused(void **state)
{
    (void)state;
    const char *const organisations[] = {"tsc", "dsc", "elastic", "lamar_tsc"};
    for (size_t i = 0; i < 4; i++) {
        struct trace *trace = synth_mixture(4, 2, 4, 1);
        struct gpu_params *params = gpu_params_new();
        struct plan *plan;
        struct quick *quick;
        const struct quick_options options = {0};
        assert_ok(gpu_params_set(params, "l1.organisation", organisations[i], &err), &err);
        assert_ok(plan_new(&plan, trace, params, &err), &err);
        assert_int_equal(quick_new(&quick, plan, params, &options, &err), -1);
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.text, "l1.organisation=plain or sectored"));
        plan_free(plan);
        gpu_params_free(params);
        trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_is_issued_on_every_preset_at_any_tuple),
        cmocka_unit_test(warps_without_instructions_take_no_part),
        cmocka_unit_test(gangs_end_and_those_of_all_warps_change_nothing),
        cmocka_unit_test(a_run_after_others_is_the_same_run),
        cmocka_unit_test(a_run_ends_at_its_most_work),
        cmocka_unit_test(a_run_that_others_have_beaten_ends_and_is_slower),
        cmocka_unit_test(where_warps_thrash_it_finds_what_the_simulator_finds),
        cmocka_unit_test(a_chain_of_misses_takes_the_latencies_of_the_machine),
        cmocka_unit_test(no_launch_is_faster_than_its_bytes_allow),
        cmocka_unit_test(two_partitions_that_keep_copies_leave_half_of_the_ways),
        cmocka_unit_test(a_launch_made_of_itself_is_itself),
        cmocka_unit_test(copies_move_what_differs_and_share_what_all_share),
        cmocka_unit_test(rows_of_a_small_input_are_spread),
        cmocka_unit_test(grids_that_there_cannot_be_are_refused),
        cmocka_unit_test(machines_that_it_does_not_know_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
