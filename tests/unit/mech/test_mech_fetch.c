/* What a load brings that fills no line of L1 (`fetch`), from mechanisms that clear pollute bits. The units of L1:
 * test_units. */
#include "stack.h"

/* ---- the parameter ---- */

static void every_mechanism_that_clears_pollute_bits_says_what_its_misses_fetch(void **state)
{
    static const char *const names[] = {"sectors", "line"};
    (void)state;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct mech_type *type = mech_at(i);
        struct mech_spec spec;
        struct error err;
        assert_true((type->warp_may_pollute != NULL) == (type->fetch != NULL));
        if (!type->fetch) continue;
        assert_ok(mech_new(&spec, type, &err), &err);
        for (int fetch = 0; fetch < 2; fetch++) {
            assert_ok(mech_set(&spec, "fetch", names[fetch], &err), &err);
            assert_int_equal(fetch == 0 ? FETCH_SECTORS : FETCH_LINE, hooks_fetch(&spec, 1));
        }
        mech_free(&spec);
    }
}

/* One reading of one simulator: GPGPU-Sim 3.2.2 widens to a line what takes a line of L1, and nothing else. */
static void by_default_no_load_brings_more_than_it_touches_unless_it_fills_a_line(void **state)
{
    unsigned n = 0;
    (void)state;
    for (size_t i = 0; i < mech_count(); i++) {
        const struct param_row *row = params_find(&mech_at(i)->params, "fetch");
        if (!row) continue;
        assert_int_equal(FETCH_SECTORS, (int)row->def);
        n++;
    }
    assert_int_equal(9, n); /* seven that clear pollute bits, bucl and mrpb */
}

static void a_stack_that_contradicts_itself_is_refused_by_name(void **state)
{
    struct mech_spec stack[3];
    struct error err;
    (void)state;
    assert_ok(mech_parse(&stack[0], "bucl,fetch=line", &err), &err); /* its own loads go around L1: another matter */
    assert_ok(mech_parse(&stack[1], "tuple,N=4,p=1,fetch=sectors", &err), &err);
    assert_ok(mech_parse(&stack[2], "pcal,fetch=line", &err), &err);
    assert_int_equal(hooks_check(stack, 2, &err), 0);
    assert_int_equal(hooks_fetch(stack, 2), FETCH_SECTORS);
    assert_int_equal(hooks_check(stack, 3, &err), -1);
    assert_string_equal(err.text, "tuple has fetch=sectors and pcal fetch=line: give both the same");
    for (int i = 0; i < 3; i++) mech_free(&stack[i]);
}

/* ---- whole runs ---- */

/* Rows of which each lane reads a word: the warps that may not pollute bring 128 bytes a lane, or 32. */
static void replies_shrink_to_what_is_touched_and_L2_still_fetches_lines(void **state)
{
    static const char *const wide[] = {"l1.mshr_merge=1", NULL};
    (void)state;
    struct trace *t = synth_rows(8, 8, 16, 2);
    struct gpu_stats *line = stack_run(t, &(struct stack_run){{"tuple,N=8,p=1,fetch=line"}, wide, false}, NULL);
    struct gpu_stats *sectors = stack_run(t, &(struct stack_run){{"tuple,N=8,p=1,fetch=sectors"}, wide, false}, NULL);
    assert_true(stack_value(line, "l1d_no_allocate") > 0 && stack_value(sectors, "l1d_no_allocate") > 0);
    assert_true(stack_value(sectors, "reply_flits") < stack_value(line, "reply_flits"));
    assert_true(stack_value(sectors, "l2_port_cycles") < stack_value(line, "l2_port_cycles"));
    assert_true(stack_value(sectors, "dram_reads") % 2 == 0); /* bursts of 64 bytes, lines of 128 */
    stack_conserves(line);
    stack_conserves(sectors);
    free(line);
    free(sectors);
    trace_close(t);
}

static void skipping_and_snapshots_change_no_byte(void **state)
{
    static const char *const tight[] = {"l1.mshrs=2", "l1.miss_queue=1", "l1.mshr_merge=2", NULL};
    static const char *const ideal[] = {"ideal.memory=infinite", "l1.mshrs=4", NULL};
    static const char *const streaming[] = {"l1.streaming=1", NULL};
    static const struct stack_run runs[] = {
        {{"tuple,N=6,p=1,fetch=sectors"}, NULL, false},
        {{"tuple,N=6,p=1,fetch=sectors"}, tight, false},
        {{"tuple,N=6,p=2,fetch=sectors"}, ideal, false},
        {{"tuple,N=6,p=1,fetch=sectors"}, streaming, false},
        {{"tuple,N=6,p=1,fetch=line"}, tight, false},
        {{"pcal,N=4,T_warmup=100,T_sample=300,fetch=sectors"}, tight, false},
        {{"tuple,N=6,p=1,fetch=sectors", "bucl"}, tight, false},
    };
    (void)state;
    stack_runs_hold(runs, COUNT_OF(runs));
}

/* All that may issue may pollute: there is no miss without a line, so nothing differs. */
static void on_the_diagonal_of_tuples_both_ways_to_fetch_are_one(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(16, 6, 10, 8);
    struct gpu_stats *line = stack_run(t, &(struct stack_run){.mechs = {"tuple,N=3,p=3,fetch=line"}}, NULL);
    struct gpu_stats *sectors = stack_run(t, &(struct stack_run){.mechs = {"tuple,N=3,p=3,fetch=sectors"}}, NULL);
    assert_memory_equal(line, sectors, gpu_stat_table.size);
    free(line);
    free(sectors);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_that_clears_pollute_bits_says_what_its_misses_fetch),
        cmocka_unit_test(by_default_no_load_brings_more_than_it_touches_unless_it_fills_a_line),
        cmocka_unit_test(a_stack_that_contradicts_itself_is_refused_by_name),
        cmocka_unit_test(replies_shrink_to_what_is_touched_and_L2_still_fetches_lines),
        cmocka_unit_test(skipping_and_snapshots_change_no_byte),
        cmocka_unit_test(on_the_diagonal_of_tuples_both_ways_to_fetch_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
