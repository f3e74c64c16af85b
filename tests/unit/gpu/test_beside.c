/* Two launches side by side: half of the SMs each, L2 and DRAM shared. */
#include <jansson.h>
#include "units.h"

#include "../../../sim/gpu/run/beside.h"

/* A launch with the stack that decides for it. */
struct half {
    struct trace *trace;
    const char *mechs[3];
};

static void set(const char *name, const char *value) { assert_ok(gpu_params_set(params, name, value, &err), &err); }

static struct plan *plan_of(const struct trace *t, unsigned which, uint64_t first_line)
{
    char sms[16];
    struct plan *plan;
    struct gpu_params *half = gpu_params_copy(params);
    snprintf(sms, sizeof sms, "%u", gpu_beside_sms(params, which));
    assert_ok(gpu_params_set(half, "core.sms", sms, &err), &err);
    assert_ok(plan_new_from(&plan, t, half, first_line, &err), &err);
    gpu_params_free(half);
    return plan;
}

static unsigned stack_of(struct mech_spec *stack, const char *const *mechs)
{
    unsigned n = 0;
    for (; mechs[n]; n++) assert_ok(mech_parse(&stack[n], mechs[n], &err), &err);
    return n;
}

/* 0, or -1 with the error in `err`. */
static int run_with(struct gpu_result *out, const struct half *a, const struct half *b, bool is_same_program,
                    struct gpu_limits limits)
{
    struct mech_spec first[3], second[3];
    const unsigned n = stack_of(first, a->mechs);
    uint64_t line = 0;
    struct plan *plans[2] = {plan_of(a->trace, 0, 0), plan_of(b->trace, 1, 0)};
    if (is_same_program) {
        const struct plan_lines lines[] = {plan_lines(plans[0]), plan_lines(plans[1])};
        assert_ok(plan_lines_join(&line, lines, 2, params, &err), &err);
        for (unsigned i = 0; i < 2; i++) plan_free(plans[i]);
        plans[0] = plan_of(a->trace, 0, line);
        plans[1] = plan_of(b->trace, 1, line);
    }
    struct gpu_beside beside = {.trace = b->trace->hash,
                                .plan = plans[1],
                                .stack = second,
                                .n_stack = stack_of(second, b->mechs),
                                .is_same_program = is_same_program};
    limits.beside = &beside;
    const int result = gpu_run(out, plans[0], params, first, n, &limits, &err);
    for (unsigned i = 0; i < n; i++) mech_free(&first[i]);
    for (unsigned i = 0; i < beside.n_stack; i++) mech_free(&second[i]);
    for (unsigned i = 0; i < 2; i++) plan_free(plans[i]);
    return result;
}

static double value(const struct gpu_stats *stats, const char *name) { return gpu_stats_value(stats, name); }

static void check_launch(const struct gpu_launch_result *l)
{
    double lost = 0;
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strncmp(gpu_stat_table.rows[i].name, "stall_", 6) == 0)
            lost += value(l->stats, gpu_stat_table.rows[i].name);
    assert_true(value(l->stats, "issue_slots") == (double)l->cycles * l->sms * 2);
    assert_true(value(l->stats, "issue_slots") == value(l->stats, "warp_insts") + lost);
}

/* With and without skipping: the same counters of both launches, of the run and of the mechanisms. */
static void run_both(struct gpu_result *out, const struct half *a, const struct half *b, bool is_same_program)
{
    struct gpu_result ticked;
    assert_ok(run_with(out, a, b, is_same_program, (struct gpu_limits){0}), &err);
    assert_ok(run_with(&ticked, a, b, is_same_program, (struct gpu_limits){.no_skip = true}), &err);
    assert_memory_equal(ticked.stats, out->stats, gpu_stat_table.size);
    assert_int_equal(2, out->n_launches);
    for (unsigned i = 0; i < 2; i++) {
        const struct gpu_launch_result *l = &out->launches[i], *k = &ticked.launches[i];
        assert_memory_equal(k->stats, l->stats, gpu_stat_table.size);
        assert_int_equal(k->cycles, l->cycles);
        assert_int_equal(k->n_mechs, l->n_mechs);
        for (unsigned m = 0; m < l->n_mechs; m++) assert_true(json_equal(k->mechs[m], l->mechs[m]));
        assert_true(l->complete);
        check_launch(l);
    }
    gpu_result_free(&ticked);
}

static void mixtures(struct half *a, struct half *b)
{
    *a = (struct half){synth_mixture(12, 4, 12, 3), {NULL}};
    *b = (struct half){synth_rows(3, 4, 24, 2), {NULL}};
}

static void close_both(struct half *a, struct half *b)
{
    trace_close(a->trace);
    trace_close(b->trace);
}

static void skipping_changes_nothing_whatever_decides_for_each_half(void **state)
{
    static const struct {
        const char *first[3], *second[3];
    } stacks[] = {{{NULL}, {NULL}},
                  {{"tuple,N=2,p=1", NULL}, {NULL}},
                  {{"tuple,N=1,p=1", NULL}, {"tuple,N=3,p=2", NULL}},
                  {{"ccws", NULL}, {"swl,N=2", "bucl", NULL}},
                  {{"mrpb", NULL}, {"pcal", NULL}},
                  {{"ladder", NULL}, {"ladder", NULL}}};
    static const char *const sms[] = {"4", "7"};
    struct half a, b;
    (void)state;
    mixtures(&a, &b);
    for (size_t i = 0; i < COUNT_OF(stacks); i++) {
        struct gpu_result r;
        set("core.sms", sms[i % 2]);
        memcpy(a.mechs, stacks[i].first, sizeof a.mechs);
        memcpy(b.mechs, stacks[i].second, sizeof b.mechs);
        run_both(&r, &a, &b, false);
        assert_int_equal(i % 2 ? 4 : 2, r.launches[0].sms); /* the larger half of an odd number */
        assert_int_equal(i % 2 ? 3 : 2, r.launches[1].sms);
        assert_true(value(r.stats, "warp_insts") ==
                    value(r.launches[0].stats, "warp_insts") + value(r.launches[1].stats, "warp_insts"));
        const uint64_t last = r.launches[0].cycles > r.launches[1].cycles ? r.launches[0].cycles : r.launches[1].cycles;
        assert_true(value(r.stats, "core_cycles") >= (double)last);
        gpu_result_free(&r);
    }
    close_both(&a, &b);
}

/* Behind a memory that answers each request after the same time, neither is seen by the other. */
static void a_launch_that_meets_nobody_does_what_it_does_alone_on_as_many_sms(void **state)
{
    struct half h[2];
    (void)state;
    set("core.sms", "5");
    set("ideal.memory", "fixed");
    mixtures(&h[0], &h[1]);
    h[0].mechs[0] = "tuple,N=2,p=1";
    h[1].mechs[0] = "ccws";
    struct gpu_result side_by_side;
    run_both(&side_by_side, &h[0], &h[1], false);
    for (unsigned i = 0; i < 2; i++) {
        struct gpu_params *half = gpu_params_copy(params);
        struct plan *plan = plan_of(h[i].trace, i, 0);
        struct mech_spec stack[3];
        const unsigned n = stack_of(stack, h[i].mechs);
        struct gpu_result alone;
        assert_ok(gpu_params_set(half, "core.sms", i ? "2" : "3", &err), &err);
        assert_ok(gpu_run(&alone, plan, half, stack, n, NULL, &err), &err);
        static const char *const names[] = {"warp_insts", "l1d_load_hits", "l1d_misses", "l1d_fail_mshr_cycles"};
        for (size_t k = 0; k < COUNT_OF(names); k++)
            assert_true(value(alone.stats, names[k]) == value(side_by_side.launches[i].stats, names[k]));
        assert_int_equal((uint64_t)value(alone.stats, "core_cycles"), side_by_side.launches[i].cycles);
        gpu_result_free(&alone);
        mech_free(&stack[0]);
        plan_free(plan);
        gpu_params_free(half);
    }
    gpu_result_free(&side_by_side);
    close_both(&h[0], &h[1]);
}

static double bursts(struct trace *t, bool is_same_program)
{
    const struct half a = {t, {NULL}};
    struct gpu_result r;
    run_both(&r, &a, &a, is_same_program);
    const double n = value(r.stats, "dram_reads");
    gpu_result_free(&r);
    return n;
}

static void memory_of_two_programs_is_apart_and_of_one_program_shared(void **state)
{
    struct trace *t = synth_shared(4, 4, 40, 64, 7);
    (void)state;
    set("core.sms", "4");
    const double shared = bursts(t, true), apart = bursts(t, false);
    assert_true(shared > 0 && apart >= 1.9 * shared);
    trace_close(t);
}

static void a_launch_that_ends_leaves_the_other_and_its_figures_are_of_its_end(void **state)
{
    struct half a = {synth_rows(8, 4, 32, 3), {NULL}}, b = {synth_chase(20, 128, 4096), {"tuple,N=1,p=1", NULL}};
    struct gpu_result r, limited;
    (void)state;
    set("core.sms", "4");
    run_both(&r, &a, &b, false);
    assert_true(2 * r.launches[1].cycles < r.launches[0].cycles);
    assert_ok(run_with(&limited, &a, &b, false, (struct gpu_limits){.max_cycles = r.launches[1].cycles + 500}), &err);
    assert_false(limited.complete);
    assert_false(limited.launches[0].complete);
    assert_true(limited.launches[1].complete);
    assert_memory_equal(r.launches[1].stats, limited.launches[1].stats, gpu_stat_table.size);
    assert_true(json_equal(r.launches[1].mechs[0], limited.launches[1].mechs[0])); /* nor does its mechanism count on */
    gpu_result_free(&limited);
    gpu_result_free(&r);
    close_both(&a, &b);
}

static void what_would_be_there_twice_is_refused_in_a_line(void **state)
{
    static const struct {
        const char *mech, *words;
    } refused[] = {{"srrip", "srrip decides about L2"},
                   {"ucp", "ucp decides about L2"},
                   {"ccn", "ccn connects all SMs"},
                   {"atomdir", "atomdir connects all SMs"},
                   {"oracle", "a run that tries futures has one launch"}};
    struct half a, b;
    struct gpu_result r;
    (void)state;
    mixtures(&a, &b);
    for (size_t i = 0; i < 2 * COUNT_OF(refused); i++) { /* of either launch */
        a.mechs[0] = i % 2 ? NULL : refused[i / 2].mech;
        b.mechs[0] = i % 2 ? refused[i / 2].mech : NULL;
        assert_int_equal(-1, run_with(&r, &a, &b, false, (struct gpu_limits){0}));
        assert_non_null(strstr(err.text, refused[i / 2].words));
        assert_null(strchr(err.text, '\n'));
    }
    a.mechs[0] = b.mechs[0] = NULL;
    assert_int_equal(-1, run_with(&r, &a, &b, false, (struct gpu_limits){.warmup_cycles = 100}));
    assert_int_equal(-1, run_with(&r, &a, &b, false, (struct gpu_limits){.early_end = 0.1}));
    assert_non_null(strstr(err.text, "no warm-up, no early end"));
    close_both(&a, &b);
}

static void the_key_has_both_traces_and_both_stacks(void **state)
{
    struct mech_spec stacks[3];
    struct gpu_beside beside = {.stack = stacks, .n_stack = 1};
    const struct gpu_limits alone = {0}, with = {.beside = &beside};
    const struct hash trace = {{1}};
    struct hash keys[6];
    (void)state;
    assert_ok(mech_parse(&stacks[0], "tuple,N=2,p=1", &err), &err);
    assert_ok(mech_parse(&stacks[1], "tuple,N=3,p=1", &err), &err);
    assert_ok(gpu_run_key(&keys[0], &trace, params, stacks, 1, &alone, &err), &err);
    assert_ok(gpu_run_key(&keys[1], &trace, params, stacks, 1, &with, &err), &err);
    beside.trace.bytes[3] = 9;
    assert_ok(gpu_run_key(&keys[2], &trace, params, stacks, 1, &with, &err), &err);
    beside.stack = &stacks[1];
    assert_ok(gpu_run_key(&keys[3], &trace, params, stacks, 1, &with, &err), &err);
    beside.is_same_program = true;
    assert_ok(gpu_run_key(&keys[4], &trace, params, stacks, 1, &with, &err), &err);
    assert_ok(gpu_run_key(&keys[5], &trace, params, &stacks[1], 1, &with, &err), &err);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        for (size_t k = 0; k < i; k++) assert_memory_not_equal(&keys[i], &keys[k], sizeof keys[0]);
    for (size_t i = 0; i < 2; i++) mech_free(&stacks[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(skipping_changes_nothing_whatever_decides_for_each_half),
        T(a_launch_that_meets_nobody_does_what_it_does_alone_on_as_many_sms),
        T(memory_of_two_programs_is_apart_and_of_one_program_shared),
        T(a_launch_that_ends_leaves_the_other_and_its_figures_are_of_its_end),
        T(what_would_be_there_twice_is_refused_in_a_line),
        T(the_key_has_both_traces_and_both_stacks),
    };
    return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
