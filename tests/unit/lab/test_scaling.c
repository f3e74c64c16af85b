/* The simulated schedule against cases that a pencil can check. */
#include "rig.h"

#include <math.h>
#include "poise/scaling.h"

static struct scaling_result simulated(const struct scaling_input *in)
{
    struct scaling_result r;
    struct error err;
    assert_ok(scaling_simulate(&r, in, &err), &err);
    return r;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9 * (1 + fabs(b)); }

static void equal_runs_on_free_messages_keep_all_threads_busy(void **state)
{
    (void)state;
    const double t = 2;
    struct scaling_input in = {
        .seconds = &t, .estimates = &t, .n = 1, .runs = 24, .nodes = 1, .threads = 6, .factor = 1};
    struct scaling_result r = simulated(&in); /* 24 runs of 2 s on 6 threads */
    assert_true(near(r.ideal_s, 8) && near(r.makespan_s, 8) && near(r.shards_s, 8));
    assert_true(near(r.messages_hz, 6) && near(r.coordinator_share, 0));
    in.nodes = 2, in.threads = 3; /* a run that waits at one node while the other has a free thread costs one more
                                   * round */
    r = simulated(&in);
    assert_true(near(r.ideal_s, 8) && near(r.makespan_s, 10) && near(r.shards_s, 8));
}

static void a_slow_coordinator_is_all_that_counts(void **state)
{
    (void)state;
    const double t = 1e-6;
    const struct scaling_input in = {.seconds = &t,
                                     .estimates = &t,
                                     .n = 1,
                                     .runs = 1000,
                                     .nodes = 4,
                                     .threads = 4,
                                     .factor = 1,
                                     .run_cost_s = 0.01};
    const struct scaling_result r = simulated(&in);
    /* 20 places filled at half the cost each, then 1000 results */
    assert_true(r.makespan_s > 10 && r.makespan_s < 10.2 && r.coordinator_share > 0.99);
    assert_true(r.shards_s < 1e-3);
}

static void one_long_run_bounds_the_end_and_longest_first_starts_it_at_once(void **state)
{
    (void)state;
    const double seconds[] = {1, 1, 1, 1, 1, 1, 1, 64};
    struct scaling_input in = {.seconds = seconds,
                               .estimates = seconds,
                               .n = 8,
                               .runs = 64,
                               .nodes = 8,
                               .threads = 4,
                               .factor = 1,
                               .latency_s = 0.001};
    const struct scaling_result r = simulated(&in);
    const double ends = 64 + in.latency_s;
    assert_true(r.makespan_s >= ends && r.ideal_s <= r.makespan_s && r.ideal_s <= r.shards_s &&
                r.first_idle_s <= r.makespan_s);
    const double flat[] = {1, 1, 1, 1, 1, 1, 1, 1}; /* estimates that know nothing can only do worse or as well */
    in.estimates = flat;
    assert_true(simulated(&in).makespan_s >= r.makespan_s - 1e-9);
}

static void the_same_input_gives_the_same_figures_and_a_factor_scales_free_messages(void **state)
{
    (void)state;
    const double seconds[] = {0.5, 1.25, 3, 0.75, 2};
    struct scaling_input in = {
        .seconds = seconds, .estimates = seconds, .n = 5, .runs = 5000, .nodes = 7, .threads = 5, .factor = 1};
    const struct scaling_result a = simulated(&in), b = simulated(&in);
    assert_memory_equal(&a, &b, sizeof a);
    in.factor = 8;
    assert_true(near(simulated(&in).makespan_s, 8 * a.makespan_s));
    in.nodes = 0;
    struct scaling_result r;
    struct error err;
    assert_int_equal(-1, scaling_simulate(&r, &in, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_on_free_messages_keep_all_threads_busy),
        cmocka_unit_test(a_slow_coordinator_is_all_that_counts),
        cmocka_unit_test(one_long_run_bounds_the_end_and_longest_first_starts_it_at_once),
        cmocka_unit_test(the_same_input_gives_the_same_figures_and_a_factor_scales_free_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
