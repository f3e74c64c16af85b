#include "stack.h"
#include "where.h"

#include <jansson.h>
#include "poise/simulation.h"
#include "config/stats.h"

struct made {
    struct gpu_params *params;
    struct plan *plan;
    struct mech_spec stack[4];
    unsigned n;
};

static void make(struct made *m, const struct trace *trace, const struct stack_run *how)
{
    struct error err;
    m->params = gpu_params_new();
    assert_ok(gpu_params_load(m->params, "fermi15-hash", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(gpu_params_set(m->params, "core.sms", "4", &err), &err);
    for (const char *const *set = how->set; set && *set; set++) {
        char name[64], *value;
        snprintf(name, sizeof name, "%s", *set);
        value = strchr(name, '=');
        *value++ = '\0';
        assert_ok(gpu_params_set(m->params, name, value, &err), &err);
    }
    assert_ok(plan_new(&m->plan, trace, m->params, &err), &err);
    for (m->n = 0; m->n < COUNT_OF(how->mechs) && how->mechs[m->n]; m->n++)
        assert_ok(mech_parse(&m->stack[m->n], how->mechs[m->n], &err), &err);
}

static void drop(struct made *m)
{
    for (unsigned i = 0; i < m->n; i++) mech_free(&m->stack[i]);
    plan_free(m->plan);
    gpu_params_free(m->params);
}

struct gpu_stats *stack_run(const struct trace *trace, const struct stack_run *how, struct json_t **mech)
{
    struct error err;
    struct gpu_result result;
    struct made m;
    const struct gpu_limits limits = {.no_skip = how->no_skip};
    make(&m, trace, how);
    assert_ok(gpu_run(&result, m.plan, m.params, m.stack, m.n, &limits, &err), &err);
    assert_true(result.complete);
    struct gpu_stats *stats = result.stats;
    result.stats = NULL;
    if (mech) *mech = json_incref(json_object_get(result.mechs[0], "stats"));
    gpu_result_free(&result);
    drop(&m);
    return stats;
}

void stack_conserves(const struct gpu_stats *s)
{
    const uint64_t loads =
        stack_value(s, "line_requests") - stack_value(s, "l1d_stores") - stack_value(s, "l1d_atomics");
    assert_true(stack_value(s, "l1d_load_hits") + stack_value(s, "l1d_mshr_merges") + stack_value(s, "l1d_misses") +
                    stack_value(s, "l1d_bypassed") ==
                loads);
}

static void run_to_end(struct simulation *s, struct gpu_result *out)
{
    struct error err;
    assert_int_equal(simulation_run(s, 0, &err), 1);
    assert_ok(simulation_end(s, out, &err), &err);
}

void stack_repeats_as(const struct trace *trace, const struct stack_run *how, const struct gpu_stats *a)
{
    struct stack_run every = *how;
    struct error err;
    struct made m;
    struct simulation *run, *again;
    struct snapshot *copy = NULL;
    struct gpu_result first, second;
    every.no_skip = true;
    struct gpu_stats *b = stack_run(trace, &every, NULL);
    assert_memory_equal(a, b, sizeof *a);
    make(&m, trace, how);
    assert_ok(simulation_new(&run, m.plan, m.params, m.stack, m.n, NULL, NULL, &err), &err);
    assert_ok(simulation_new(&again, m.plan, m.params, m.stack, m.n, NULL, NULL, &err), &err);
    assert_int_equal(simulation_run(run, stack_value(a, "core_cycles") / 3, &err), 0);
    assert_ok(simulation_snapshot(run, &copy, &err), &err);
    run_to_end(run, &first);
    simulation_free(run);
    assert_ok(simulation_restore(again, copy, &err), &err);
    run_to_end(again, &second);
    assert_memory_equal(first.stats, a, sizeof *a);
    assert_memory_equal(second.stats, a, sizeof *a);
    simulation_free(again);
    snapshot_free(copy);
    gpu_result_free(&first);
    gpu_result_free(&second);
    free(b);
    drop(&m);
}

void stack_repeats(const struct trace *trace, const struct stack_run *how)
{
    struct gpu_stats *a = stack_run(trace, how, NULL);
    stack_repeats_as(trace, how, a);
    free(a);
}

void stack_runs_hold(const struct stack_run *runs, size_t n)
{
    struct trace *t = synth_mixture(16, 6, 10, 8);
    for (size_t i = 0; i < n; i++) {
        struct gpu_stats *s = stack_run(t, &runs[i], NULL);
        stack_conserves(s);
        stack_repeats_as(t, &runs[i], s);
        free(s);
    }
    trace_close(t);
}
