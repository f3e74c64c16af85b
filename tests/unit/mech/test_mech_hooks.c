/* The hooks: an observer that counts what it is told, and one that holds loads back. */
#include "synth.h"

#include "poise/sys/hooks.h"

struct seen {
    uint64_t starts, exits, outcomes[3], fills, evicts, store_evicts, early, late;
    uint64_t pcs; /* bits */
};
#define OBSERVER(hook, event) static void see_##hook(void *self, const struct event *what)
OBSERVER(start, warp_event)
{
    assert_non_null(what->ask_at);
    ((struct seen *)self)->starts++;
}
OBSERVER(exit, warp_event) { ((struct seen *)self)->exits += what->uid < UINT32_MAX; }
OBSERVER(access, access_event)
{
    struct seen *s = self;
    s->outcomes[what->outcome]++;
    s->pcs |= 1ull << what->pc;
    if (what->slot % 2) ++*(what->now < 3000 ? &s->early : &s->late);
}
OBSERVER(fill, line_event) { ((struct seen *)self)->fills += what->line < UINT32_MAX; }
OBSERVER(evict, line_event)
{
    struct seen *s = self;
    ++*(what->by_store ? &s->store_evicts : &s->evicts);
    s->pcs |= 1ull << what->pc; /* of the load that brought the line */
}
/* Odd slots may not load before cycle 3000. */
static uint64_t hold(void *self, const struct warp_set *set)
{
    uint64_t mask = 0;
    (void)self;
    if (set->now >= 3000) return ~0ull;
    mask_again(set->ask_at, 3000);
    for (uint32_t i = 0; i < set->n; i++) mask |= (uint64_t)(set->slots[i] % 2 == 0) << i;
    return mask;
}
static struct seen last;
static void keep(void *self, uint64_t now)
{
    (void)now;
    last = *(struct seen *)self;
}
static const struct mech_type observer = {
    .name = "observer", .title = "counts", .source = "assumed", .params = {.owner = "observer"}, .stats = {.owner = "observer"},
    .state_size = sizeof(struct seen), .end = keep, .warp_start = see_start, .warp_exit = see_exit, .on_access = see_access,
    .on_fill = see_fill, .on_evict = see_evict,
};
static const struct mech_type holder = {
    .name = "holder", .title = "holds", .source = "assumed", .params = {.owner = "holder"}, .stats = {.owner = "holder"},
    .state_size = sizeof(struct seen), .end = keep, .on_access = see_access, .warp_may_load = hold,
};

/* Sends loads of more than 2 requests around L1, and all that L1 cannot take. */
static enum route route(void *self, const struct load_event *what)
{
    (void)self;
    return what->degree > 2 ? ROUTE_BYPASS : ROUTE_ANY;
}
static enum route never_wait(void *self, const struct fail_event *what)
{
    ((struct seen *)self)->early++;
    return what->bank % 2 ? ROUTE_BYPASS_LINE : ROUTE_BYPASS;
}
static void see_load(void *self, const struct load_event *what) { ((struct seen *)self)->starts += what->degree; }
static void see_load_done(void *self, const struct load_event *what) { ((struct seen *)self)->exits += what->now > 0; }
static const struct mech_type router = {
    .name = "router", .title = "routes", .source = "assumed", .params = {.owner = "router"}, .stats = {.owner = "router"},
    .state_size = sizeof(struct seen), .end = keep, .load_route = route, .on_reservation_fail = never_wait, .on_load = see_load,
    .on_load_done = see_load_done, .on_access = see_access,
};
static const struct order_ops some_order;
static const struct mech_type orderer = {
    .name = "orderer", .title = "orders", .source = "assumed", .params = {.owner = "orderer"}, .stats = {.owner = "orderer"},
    .state_size = 1, .request_order = &some_order,
};

static struct gpu_stats *run(const struct trace *t, const struct mech_type *type, const char *second, bool no_skip, struct gpu_result *result)
{
    struct error err;
    struct plan *plan;
    struct gpu_params *params = gpu_params_new();
    struct mech_spec stack[2] = {{.type = type}};
    const unsigned n = second ? 2 : type ? 1 : 0;
    const struct gpu_limits limits = {.no_skip = no_skip};
    assert_ok(gpu_params_set(params, "core.sms", "4", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    if (second) assert_ok(mech_parse(&stack[1], second, &err), &err);
    assert_ok(gpu_run(result, plan, params, stack, n, &limits, &err), &err);
    if (second) mech_free(&stack[1]);
    plan_free(plan);
    gpu_params_free(params);
    return result->stats;
}
#define VALUE(name) ((uint64_t)gpu_stats_value(s, name))

static void what_is_told_adds_up_to_the_statistics(void **state)
{
    (void)state;
    static const char *const others[] = {NULL, "tuple,N=4,p=1"};
    for (int k = 0; k < 2; k++) {
        struct trace *t = synth_mixture(32, 6, 12, 3);
        struct gpu_result result;
        const struct gpu_stats *s = run(t, &observer, others[k], false, &result);
        assert_true(last.starts == 192 && last.exits == 192 && VALUE("warps") == 192);
        assert_true(last.outcomes[ACCESS_HIT] == VALUE("l1d_load_hits"));
        assert_true(last.outcomes[ACCESS_MERGED] == VALUE("l1d_mshr_merges"));
        assert_true(last.outcomes[ACCESS_MISS] == VALUE("l1d_misses"));
        assert_true(last.fills == VALUE("l1d_fills") - VALUE("l1d_no_allocate"));
        assert_true((VALUE("l1d_no_allocate") > 0) == (k == 1));
        assert_true(last.evicts == VALUE("l1d_evictions") && last.evicts > 0);
        assert_true(last.store_evicts == VALUE("l1d_store_evicts") && last.store_evicts > 0);
        assert_true(last.pcs == 1ull << SYNTH_LOAD_2);
        gpu_result_free(&result);
        trace_close(t);
    }
}

static void an_observer_changes_no_byte(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(32, 6, 12, 3);
    struct gpu_result with, without;
    run(t, &observer, NULL, false, &with);
    run(t, NULL, NULL, false, &without);
    assert_memory_equal(with.stats, without.stats, gpu_stat_table.size);
    gpu_result_free(&with);
    gpu_result_free(&without);
    trace_close(t);
}

static void warps_held_back_issue_no_load_until_cycle_3000_and_count_as_throttled(void **state)
{
    (void)state;
    struct trace *t = synth_rows(24, 8, 64, 2);
    struct gpu_result skipping, every;
    const struct gpu_stats *s = run(t, &holder, NULL, false, &skipping);
    assert_true(last.early == 0 && last.late > 0);
    assert_true(VALUE("stall_throttled") > 4 * 2000 && VALUE("stall_throttled") < 4 * 3000); /* slots alternate: one scheduler has the odd ones */
    run(t, &holder, NULL, true, &every);
    assert_memory_equal(skipping.stats, every.stats, gpu_stat_table.size);
    gpu_result_free(&skipping);
    gpu_result_free(&every);
    trace_close(t);
}

static void loads_around_l1_are_counted_once_and_skipping_changes_nothing(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(32, 6, 12, 3);
    struct gpu_result result, every;
    const struct gpu_stats *s = run(t, &router, NULL, false, &result);
    assert_true(VALUE("l1d_bypassed") > 1000 && VALUE("l1d_load_accesses") > 0);
    assert_true(last.outcomes[0] + last.outcomes[1] + last.outcomes[2] + VALUE("l1d_bypassed") == last.starts); /* every request of every load */
    assert_true(VALUE("line_requests") == last.starts + VALUE("l1d_stores") + VALUE("l1d_atomics"));
    assert_true(last.exits == VALUE("global_loads"));
    run(t, &router, NULL, true, &every);
    assert_memory_equal(result.stats, every.stats, gpu_stat_table.size);
    gpu_result_free(&result);
    gpu_result_free(&every);
    trace_close(t);
}

static void two_owners_of_one_hook_are_refused_by_name(void **state)
{
    (void)state;
    struct error err;
    const struct mech_spec stack[] = {{.type = &orderer}, {.type = &router}, {.type = &orderer}};
    assert_int_equal(hooks_check(stack, 2, &err), 0);
    assert_int_equal(hooks_check(stack, 3, &err), -1);
    assert_non_null(strstr(err.text, "orderer and orderer both want to decide 'request_order'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_adds_up_to_the_statistics),
        cmocka_unit_test(an_observer_changes_no_byte),
        cmocka_unit_test(warps_held_back_issue_no_load_until_cycle_3000_and_count_as_throttled),
        cmocka_unit_test(loads_around_l1_are_counted_once_and_skipping_changes_nothing),
        cmocka_unit_test(two_owners_of_one_hook_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
