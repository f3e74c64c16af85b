/* Scout: candidates, the choice, refinement, growing periods and the watch, driven through its hooks; then in the machine. */
#include "driven.h"
#include "stack.h"

#include <jansson.h>

extern const struct mech_type mech_scout;
enum { SMS = 22, W = 24, WARM = 2000, SAMPLE = 4000 };
typedef double rate_of(uint32_t N, uint32_t p); /* warp instructions a cycle at a tuple */

/* A machine whose SMs issue at a rate that depends on their tuple. */
struct rig { struct driven it; uint64_t now, insts[SMS], loads[SMS]; rate_of *rate; uint64_t insts_a_load; };

static void rig_init(struct rig *r, const char *how, rate_of *rate)
{
    *r = (struct rig){.rate = rate, .insts_a_load = 4};
    driven_new(&r->it, &mech_scout, how, &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W});
}

static uint32_t N_of(const struct rig *r, uint32_t sm) { return driven_N(&r->it, sm, r->now); }
static uint32_t p_of(const struct rig *r, uint32_t sm) { return driven_p(&r->it, sm, r->now); }

/* To the cycle `until`, calling every SM whenever it asked to be called. */
static void run(struct rig *r, uint64_t until)
{
    uint64_t next[SMS];
    for (uint32_t i = 0; i < SMS; i++) next[i] = r->now;
    while (r->now <= until) {
        uint64_t soonest = UINT64_MAX;
        for (uint32_t i = 0; i < SMS; i++) {
            if (next[i] == r->now) {
                const struct sm_view view = {.sm = i, .counters = {.cycles = r->now, .insts = r->insts[i], .loads = r->loads[i]}};
                next[i] = mech_scout.epoch(r->it.self, &view, r->now);
                assert_true(next[i] > r->now);
            }
            if (next[i] < soonest) soonest = next[i];
        }
        if (soonest > until) break;
        for (uint32_t i = 0; i < SMS; i++) {
            const uint64_t done = (uint64_t)((double)(soonest - r->now) * r->rate(N_of(r, i), p_of(r, i)));
            r->insts[i] += done;
            r->loads[i] += done / r->insts_a_load;
        }
        r->now = soonest;
    }
}

static uint64_t stat(const struct rig *r, const char *name) { return driven_stat(&r->it, name); }

static double few_are_best(uint32_t N, uint32_t p) { return 1.0 / (1 + abs((int)N - 4) + 2 * abs((int)p - 2)); }
static double all_are_best(uint32_t N, uint32_t p) { return 0.01 * (N + p); }

static void the_coarse_triangle_comes_first_with_both_feature_points_in_front(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "scout", few_are_best);
    const uint32_t expected[][2] = {{24, 24}, {1, 1}, {3, 1}, {3, 3}, {8, 1}, {8, 3}, {8, 8}, {24, 1}, {24, 3}, {24, 8}};
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(N_of(&r, i), expected[i % 10][0]);
        assert_int_equal(p_of(&r, i), expected[i % 10][1]);
    }
    driven_free(&r.it);
}

static void refinement_reaches_the_peak_between_the_coarse_points(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "scout", few_are_best);
    run(&r, 3 * (WARM + SAMPLE + 1) + 10); /* coarse, stride 2, stride 1 */
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == 4 && p_of(&r, i) == 2);
    assert_true(stat(&r, "steps") == 3 && stat(&r, "searches") == 1 && stat(&r, "corrected_N") == 4 && stat(&r, "corrected_p") == 2);
    driven_free(&r.it);
}

static void without_a_stride_the_best_coarse_point_stays(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "scout,stride=0", all_are_best);
    run(&r, WARM + SAMPLE + 10);
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == W && p_of(&r, i) == W);
    assert_true(stat(&r, "steps") == 1);
    driven_free(&r.it);
}

static void periods_double_up_to_the_longest(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "scout,stride=0,T_first=20000,T_period=80000,T_monitor=1000", few_are_best);
    uint64_t begins[5] = {0}, n = 0, steps = 0;
    for (uint64_t t = 0; t <= 300000 && n < 5; t += 500) {
        run(&r, t);
        const uint64_t now = stat(&r, "steps");
        if (now > steps) begins[n++] = t;
        steps = now;
    }
    assert_true(n == 5);
    for (int i = 1; i < 5; i++) { /* 20, 40, 80, 80 thousand cycles, and at most a watch window more */
        const uint64_t length = begins[i] - begins[i - 1], least = i == 1 ? 20000 : i == 2 ? 40000 : 80000;
        assert_true(length + 500 >= least && length <= least + 2500);
    }
    driven_free(&r.it);
}

static double drop_factor = 1;
static double dropping(uint32_t N, uint32_t p) { return drop_factor * few_are_best(N, p); }

static void a_drop_begins_a_search_and_a_smaller_one_does_not(void **state)
{
    struct rig r;
    (void)state;
    drop_factor = 1;
    rig_init(&r, "scout,stride=0,T_first=200000", dropping);
    run(&r, 50000);
    assert_true(stat(&r, "steps") == 1);
    drop_factor = 0.8;
    run(&r, 80000);
    assert_true(stat(&r, "steps") == 1 && stat(&r, "drops") == 0);
    drop_factor = 0.5;
    run(&r, 110000);
    assert_true(stat(&r, "drops") >= 1 && stat(&r, "steps") >= 2);
    driven_free(&r.it);
}

static void a_kernel_with_few_loads_stays_at_all_warps(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "scout", few_are_best);
    r.insts_a_load = 100;
    run(&r, 30000);
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == W && p_of(&r, i) == W);
    assert_true(stat(&r, "early_outs") == 1);
    driven_free(&r.it);
}

static void in_the_machine_it_repeats_and_counts_every_cycle_once(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(60, 6, 40, 5);
    const struct stack_run how = {.mechs = {"scout,T_warmup=100,T_sample=200,T_first=2000,T_period=4000,T_monitor=500"}};
    json_t *own;
    struct gpu_stats *stats = stack_run(t, &how, &own);
    const uint64_t sm_cycles = (uint64_t)json_integer_value(json_object_get(own, "sm_cycles"));
    assert_true(sm_cycles == 4 * stack_value(stats, "core_cycles"));
    assert_true((uint64_t)json_integer_value(json_object_get(own, "p_cycles")) <= (uint64_t)json_integer_value(json_object_get(own, "N_cycles")));
    assert_true((uint64_t)json_integer_value(json_object_get(own, "explore_cycles")) <= sm_cycles);
    assert_true(json_integer_value(json_object_get(own, "searches")) >= 2);
    stack_conserves(stats);
    stack_repeats(t, &how);
    json_decref(own);
    free(stats);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_coarse_triangle_comes_first_with_both_feature_points_in_front),
        cmocka_unit_test(refinement_reaches_the_peak_between_the_coarse_points),
        cmocka_unit_test(without_a_stride_the_best_coarse_point_stays),
        cmocka_unit_test(periods_double_up_to_the_longest),
        cmocka_unit_test(a_drop_begins_a_search_and_a_smaller_one_does_not),
        cmocka_unit_test(a_kernel_with_few_loads_stays_at_all_warps),
        cmocka_unit_test(in_the_machine_it_repeats_and_counts_every_cycle_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
