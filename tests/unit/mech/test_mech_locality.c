/* The observer of locality: it sees every access once, splits them by the pollute bit, and changes nothing. */
#include "stack.h"

#include <jansson.h>

static uint64_t of(const json_t *stats, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(stats, name));
}

static void it_counts_what_the_machine_counts_and_changes_nothing(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(40, 6, 10, 3);
    json_t *own;
    struct gpu_stats *with = stack_run(t, &(struct stack_run){.mechs = {"locality", "tuple,N=3,p=1"}}, &own);
    struct gpu_stats *without = stack_run(t, &(struct stack_run){.mechs = {"tuple,N=3,p=1"}}, NULL);
    const uint64_t accesses =
        stack_value(with, "l1d_load_hits") + stack_value(with, "l1d_mshr_merges") + stack_value(with, "l1d_misses");
    assert_memory_equal(with, without, gpu_stat_table.size);
    assert_true(of(own, "p_accesses") + of(own, "np_accesses") == accesses);
    assert_true(of(own, "p_hits") + of(own, "np_hits") == stack_value(with, "l1d_load_hits"));
    assert_true(of(own, "p_accesses") > 0 && of(own, "np_accesses") > 0);
    json_decref(own);
    free(with);
    free(without);
    trace_close(t);
}

static void lines_are_reused_within_warps_at_the_distance_of_the_sweep(void **state)
{
    enum { COLUMNS = 8, PASSES = 4 };
    (void)state;
    struct trace *t = synth_rows(1, 1, COLUMNS, PASSES); /* one warp: every reuse is its own */
    json_t *own;
    struct gpu_stats *stats = stack_run(t, &(struct stack_run){.mechs = {"locality"}}, &own);
    assert_true(of(own, "inter_reuses") == 0 && of(own, "np_accesses") == 0);
    assert_true(of(own, "intra_reuses") > 0 && of(own, "intra_reuses") < of(own, "p_accesses"));
    assert_true(of(own, "intra_distance") / of(own, "intra_reuses") < of(own, "p_accesses"));
    json_decref(own);
    free(stats);
    trace_close(t);
}

static void it_repeats(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(20, 4, 6, 9);
    stack_repeats(t, &(struct stack_run){.mechs = {"locality"}});
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_what_the_machine_counts_and_changes_nothing),
        cmocka_unit_test(lines_are_reused_within_warps_at_the_distance_of_the_sweep),
        cmocka_unit_test(it_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
