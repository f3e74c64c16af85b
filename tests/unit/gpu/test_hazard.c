/* THESIS Fig. 3.5, cycle by cycle: a load that finds no MSHR holds up a hit behind it and, in order, the
 * multiplication behind that.
 *
 *   t            1  2  3  4  5  6  7  8  9
 *   two MSHRs    I1 I2 .  .  .  .  I3 I4 I5       I1, I2, I3 miss (6 cycles), I4 hits, I5 multiplies (4 cycles)
 *   many         I1 I2 I3 I4 I5
 *
 * t is the cycle in which a load looks L1 up, and the first of the multiplication's four. */
#include "rig.h"

#include "../../../sim/gpu/machine/machine.h"
#include "synth.h"

enum { I1, I2, I3, I4, I5, N_EVENTS };

/* A line is loaded and waited for; then the figure's five instructions, with an addition in the multiplication's
 * place. */
static struct trace *figure(void)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 0, 4);
    synth_op(&s, 0, SYNTH_FENCE, ~0u);
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 128, 4);
    synth_access(&s, 0, SYNTH_LOAD_4, ~0u, 256, 4);
    synth_access(&s, 0, SYNTH_LOAD_5, ~0u, 384, 4);
    synth_access(&s, 0, SYNTH_LOAD_7, ~0u, 0, 4);
    synth_op(&s, 0, SYNTH_ADD, ~0u);
    synth_cta_end(&s);
    return synth_end(&s);
}

/* The cycle of each event, counted from the one before I1's. */
static void watch(const struct trace *t, const char *mshrs, cycle_t at[N_EVENTS], cycle_t *mul_done)
{
    static const char *const settings[][2] = {{"fetch.ideal", "1"},      {"lsu.pipeline_width", "1"},
                                              {"ideal.memory", "fixed"}, {"ideal.latency_cycles", "6"},
                                              {"core.int_latency", "4"}, {"l1.hit_latency", "1"}};
    struct arena arena = {0};
    struct error err;
    struct plan *plan;
    struct gpu_params *params = gpu_params_new();
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        assert_ok(gpu_params_set(params, settings[i][0], settings[i][1], &err), &err);
    assert_ok(gpu_params_set(params, "l1.mshrs", mshrs, &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    gpu_layout(&arena, plan, params, NULL, 0, false);
    assert_ok(arena_new(&arena, arena.used, &err), &err);
    struct gpu *g = gpu_layout(&arena, plan, params, NULL, 0, false);
    assert_ok(gpu_start(g, &(struct launched){0}, &err), &err);
    const struct sm *sm = &g->sms[0];
    cycle_t start = 0;
    bool has_issued = false;
    for (uint64_t seen = 0; !gpu_done(g);) {
        assert_true(gpu_tick(g));
        const cycle_t now = clocks_cycle(&g->clocks, DOMAIN_CORE, g->clocks.time);
        const uint64_t looked_up = l1_load_accesses(&sm->l1.stats);
        if (looked_up != seen && looked_up == 2) start = now - 1;
        if (looked_up != seen && looked_up >= 2) at[I1 + looked_up - 2] = now - start;
        seen = looked_up;
        if (has_issued || sm->stats.warp_insts != 7) continue; /* load, fence, four loads, the addition */
        has_issued = true;
        at[I5] = now + 1 - start; /* issued now, executes from the next cycle on */
        *mul_done = SCORE_CYCLE(sm->warps[0].score[1]) - start;
    }
    arena_free(&arena);
    plan_free(plan);
    gpu_params_free(params);
}

static void two_mshrs_delay_the_hit_to_8_and_the_multiplication_to_9(void **state)
{
    struct trace *t = figure();
    cycle_t at[N_EVENTS], done = 0;
    (void)state;
    watch(t, "2", at, &done);
    static const cycle_t published[N_EVENTS] = {1, 2, 7, 8, 9};
    for (int i = 0; i < N_EVENTS; i++) assert_int_equal(published[i], at[i]);
    assert_int_equal(12, done);
    trace_close(t);
}

static void without_the_hazard_the_hit_is_at_4_and_the_multiplication_at_5(void **state)
{
    struct trace *t = figure();
    cycle_t at[N_EVENTS], done = 0;
    (void)state;
    watch(t, "32", at, &done);
    static const cycle_t published[N_EVENTS] = {1, 2, 3, 4, 5};
    for (int i = 0; i < N_EVENTS; i++) assert_int_equal(published[i], at[i]);
    assert_int_equal(8, done);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_mshrs_delay_the_hit_to_8_and_the_multiplication_to_9),
        cmocka_unit_test(without_the_hazard_the_hit_is_at_4_and_the_multiplication_at_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
