/* The Cooperative Caching Network on the simulated machine. Alone: test_mech_ccn.c. */
#include "stack.h"

#include <jansson.h>

static uint64_t counted(json_t *mech, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(mech, name));
}

static void runs_conserve_and_repeat(void **state)
{
    (void)state;
    static const char *const small[] = {"l1.miss_queue=2", "l1.mshrs=8", NULL};
    static const char *const sectored[] = {"l1.organisation=sectored", "l1.banks=4", "l1.bank_bytes=32", NULL};
    static const char *const late[] = {"l1.late_lookup=1", "l1.streaming=1", NULL};
    static const char *const tsc[] = {"l1.organisation=tsc", "l1.tsc_mode=duel", NULL};
    static const char *const dsc[] = {"l1.organisation=dsc", "l1.miss_queue=2", NULL};
    static const char *const ideal[] = {"ideal.memory=infinite", NULL};
    static const struct stack_run runs[] = {{.mechs = {"ccn,throttle=0,home_queue=4"}},
                                            {.mechs = {"ccn"}, .set = small},
                                            {.mechs = {"ccn,touches=1"}, .set = sectored},
                                            {.mechs = {"ccn,buffer=2,response_queue=2,request_queue=2"}, .set = late},
                                            {.mechs = {"ccn", "mrpb"}, .set = late},
                                            {.mechs = {"ccn,link_cycles=5,switching=cut_through", "swl,N=3"}},
                                            {.mechs = {"ccn", "bucl"}, .set = small},
                                            {.mechs = {"ccn,cluster=3", "tuple,N=4,p=1"}},
                                            {.mechs = {"ccn,direction=same", "ccws"}},
                                            {.mechs = {"ccn,cluster=2,hierarchy=1,throttle=0"}, .set = small},
                                            {.mechs = {"ccn,cluster=2,hierarchy=1", "swl,N=4"}, .set = tsc},
                                            {.mechs = {"ccn"}, .set = ideal},
                                            {.mechs = {"ccn", "swl,N=4"}, .set = tsc},
                                            {.mechs = {"ccn,touches=1"}, .set = tsc},
                                            {.mechs = {"ccn,throttle=0"}, .set = dsc},
                                            {.mechs = {"ccn"}, .set = dsc},
                                            {.mechs = {"ccn_ideal"}, .set = tsc},
                                            {.mechs = {"ccn_ideal"}},
                                            {.mechs = {"ccn_ideal,latency=90,cluster=2"}, .set = sectored},
                                            {.mechs = {"ccn_ideal", "mrpb"}, .set = small}};
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        struct trace *t = i % 2 ? synth_shared(24, 8, 12, 300, 3) : synth_mixture(16, 6, 8, 8);
        json_t *mech;
        struct gpu_stats *s = stack_run(t, &runs[i], &mech);
        stack_conserves(s);
        assert_true(counted(mech, "misses") == stack_value(s, "l1d_misses"));
        if (i < 16)
            assert_true(counted(mech, "entered") == counted(mech, "hits") + counted(mech, "returned") &&
                        counted(mech, "entered") > 100);
        if (i % 2) assert_true(counted(mech, "hits") > 100);
        stack_repeats_as(t, &runs[i], s);
        json_decref(mech);
        free(s);
        trace_close(t);
    }
}

/* Loads that L2 must serve, atomics and stores never enter, and what is not shared costs a round. */
static void only_misses_of_l1_enter(void **state)
{
    (void)state;
    struct trace *t = synth_operators(16, 6, 12, (struct synth_operator){.cache_op = TRACE_CACHE_CG});
    json_t *mech;
    struct gpu_stats *s = stack_run(t, &(struct stack_run){.mechs = {"ccn,throttle=0"}}, &mech);
    assert_true(stack_value(s, "l1d_passed") > 0 && counted(mech, "misses") == stack_value(s, "l1d_misses"));
    assert_true(stack_value(s, "l1d_misses") + stack_value(s, "l1d_bypassed") + stack_value(s, "l1d_stores") +
                    stack_value(s, "l1d_atomics") + stack_value(s, "l1i_misses") ==
                stack_value(s, "request_packets") + counted(mech, "hits"));
    json_decref(mech);
    free(s);
    trace_close(t);
}

/* What the observer sees at a miss is what the ideal network answers. */
static void the_observer_and_the_ideal_network_agree(void **state)
{
    (void)state;
    struct trace *t = synth_shared(24, 8, 20, 400, 5);
    json_t *seen, *answered;
    struct gpu_stats *a = stack_run(t, &(struct stack_run){.mechs = {"sharing", "ccn_ideal"}}, &seen);
    struct gpu_stats *b = stack_run(t, &(struct stack_run){.mechs = {"ccn_ideal", "sharing"}}, &answered);
    struct gpu_stats *c = stack_run(t, &(struct stack_run){.mechs = {"ccn_ideal"}}, NULL);
    assert_true(counted(seen, "reused") > 1000 && counted(seen, "reused") == counted(answered, "hits"));
    assert_true(counted(seen, "misses") == stack_value(a, "l1d_misses"));
    assert_memory_equal(a, b, gpu_stat_table.size);
    assert_memory_equal(a, c, gpu_stat_table.size);
    free(a);
    free(b);
    free(c);
    json_decref(seen);
    json_decref(answered);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_conserve_and_repeat),
        cmocka_unit_test(only_misses_of_l1_enter),
        cmocka_unit_test(the_observer_and_the_ideal_network_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
