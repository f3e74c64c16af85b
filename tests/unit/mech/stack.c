#include "stack.h"

#include <jansson.h>
#include "machine.h"

struct made { struct gpu_params *params; struct plan *plan; struct mech_spec stack[4]; unsigned n; };

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
    for (m->n = 0; m->n < COUNT_OF(how->mechs) && how->mechs[m->n]; m->n++) assert_ok(mech_parse(&m->stack[m->n], how->mechs[m->n], &err), &err);
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
    const uint64_t loads = stack_value(s, "line_requests") - stack_value(s, "l1d_stores") - stack_value(s, "l1d_atomics");
    assert_true(stack_value(s, "l1d_load_hits") + stack_value(s, "l1d_mshr_merges") + stack_value(s, "l1d_misses") + stack_value(s, "l1d_bypassed") == loads);
}

static void run_to_end(struct gpu *g, struct gpu_stats *stats)
{
    while (!gpu_done(g)) assert_true(gpu_tick(g));
    gpu_finish(g, g->clocks.time / g->clocks.period[DOMAIN_CORE] + 1, stats);
}

void stack_repeats(const struct trace *trace, const struct stack_run *how)
{
    struct stack_run every = *how;
    struct arena arena = {0};
    struct error err;
    struct made m;
    struct gpu_stats first, second;
    every.no_skip = true;
    struct gpu_stats *a = stack_run(trace, how, NULL), *b = stack_run(trace, &every, NULL);
    assert_memory_equal(a, b, sizeof *a);
    make(&m, trace, how);
    gpu_layout(&arena, m.plan, m.params, m.stack, m.n, false);
    assert_ok(arena_new(&arena, arena.used, &err), &err);
    struct gpu *g = gpu_layout(&arena, m.plan, m.params, m.stack, m.n, false);
    assert_ok(gpu_start(g, m.stack, &err), &err);
    for (int i = 0; i < 3000; i++) gpu_tick(g);
    void *copy = malloc(arena.used);
    gpu_snapshot(&arena, copy);
    run_to_end(g, &first);
    gpu_restore(&arena, copy);
    run_to_end(g, &second);
    assert_memory_equal(&first, &second, sizeof first);
    assert_memory_equal(&first, a, sizeof first);
    free(copy);
    free(a);
    free(b);
    arena_free(&arena);
    drop(&m);
}
