/* The hooks: an observer that counts what it is told, and one that holds loads back. */
#include "synth.h"

#include "poise/simulation.h"
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
    .name = "observer",
    .title = "counts",
    .source = "assumed",
    .params = {.owner = "observer"},
    .stats = {.owner = "observer"},
    .state_size = sizeof(struct seen),
    .end = keep,
    .warp_start = see_start,
    .warp_exit = see_exit,
    .on_access = see_access,
    .on_fill = see_fill,
    .on_evict = see_evict,
};
static const struct mech_type holder = {
    .name = "holder",
    .title = "holds",
    .source = "assumed",
    .params = {.owner = "holder"},
    .stats = {.owner = "holder"},
    .state_size = sizeof(struct seen),
    .end = keep,
    .on_access = see_access,
    .warp_may_load = hold,
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
    .name = "router",
    .title = "routes",
    .source = "assumed",
    .params = {.owner = "router"},
    .stats = {.owner = "router"},
    .state_size = sizeof(struct seen),
    .end = keep,
    .load_route = route,
    .on_reservation_fail = never_wait,
    .on_load = see_load,
    .on_load_done = see_load_done,
    .on_access = see_access,
};
static const struct order_ops some_order;
static const struct mech_type orderer = {
    .name = "orderer",
    .title = "orders",
    .source = "assumed",
    .params = {.owner = "orderer"},
    .stats = {.owner = "orderer"},
    .state_size = 1,
    .request_order = &some_order,
};

/* A network of one queue: it holds misses of odd lines for DETOUR cycles. What another SM has by then is delivered, at
 * the price of a cycle of that one's port; the rest goes to L2. */
enum { DETOUR = 37, DETOUR_ROOM = 5 };
struct held {
    struct miss miss;
    uint32_t sm;
    uint64_t at;
};
struct detour {
    uint64_t taken, full, asked, delivered, resumed, waits;
    uint32_t head, n;
    struct held queue[64];
};
static struct detour end_of_detour;
static bool detour_has_room(const void *self, const struct miss_event *what)
{
    const struct detour *d = self;
    return what->miss.line % 2 && d->n < DETOUR_ROOM;
}
static bool detour_take(void *self, const struct miss_event *what)
{
    struct detour *d = self;
    if (what->miss.line % 2 == 0) return false;
    d->full += d->n == DETOUR_ROOM;
    if (d->n == DETOUR_ROOM) return false;
    d->queue[(d->head + d->n++) % 64] = (struct held){what->miss, what->sm, what->now + DETOUR};
    d->taken++;
    return true;
}
static bool give_back(struct detour *d, const struct machine_ports *m, const struct held *h, uint64_t now)
{
    for (uint32_t sm = 0; sm < 4; sm++) {
        if (sm == h->sm || m->snoop(m->machine, sm, h->miss.line, h->miss.chunks) != SNOOP_PRESENT) continue;
        m->steal_port(m->machine, sm, now);
        m->touch(m->machine, sm, h->miss.line);
        m->deliver_fill(m->machine, h->sm, &h->miss, now);
        d->delivered++;
        return true;
    }
    if (!m->resume_to_l2(m->machine, h->sm, &h->miss, now)) return false;
    d->resumed++;
    return true;
}
static void detour_tick(void *self, const struct machine_ports *m, uint64_t now)
{
    struct detour *d = self;
    if (!d->n || d->queue[d->head].at > now) return;
    if (!give_back(d, m, &d->queue[d->head], now)) {
        d->waits++;
        return;
    }
    d->head = (d->head + 1) % 64;
    if (d->n-- == DETOUR_ROOM)
        for (uint32_t sm = 0; sm < 4; sm++) m->has_room(m->machine, sm, now);
}
static uint64_t detour_next(const void *self, uint64_t now)
{
    const struct detour *d = self;
    if (!d->n) return UNIT_NEVER;
    return d->queue[d->head].at > now ? d->queue[d->head].at : now + 1;
}
static bool detour_idle(const void *self) { return ((const struct detour *)self)->n == 0; }
static void detour_dump(const void *self, char *text, size_t size)
{
    snprintf(text, size, "detour: %u misses", ((const struct detour *)self)->n);
}
static void keep_detour(void *self, uint64_t now)
{
    (void)now;
    end_of_detour = *(struct detour *)self;
}
static const struct miss_ops detour_misses = {detour_has_room, detour_take};
static const struct unit_ops detour_unit = {detour_tick, detour_next, detour_idle, detour_dump, NULL};
static const struct unit_ops restless_unit = {detour_tick, NULL, detour_idle, NULL, NULL};
#define DETOUR_TYPE(tag, its_unit) \
    static const struct mech_type tag = {.name = #tag, \
                                         .title = "a longer way", \
                                         .source = "assumed", \
                                         .params = {.owner = #tag}, \
                                         .stats = {.owner = #tag}, \
                                         .state_size = sizeof(struct detour), \
                                         .end = keep_detour, \
                                         .miss_route = &detour_misses, \
                                         .unit = &its_unit}
DETOUR_TYPE(detour, detour_unit);
DETOUR_TYPE(restless, restless_unit);

static struct gpu_stats *run(const struct trace *t, const struct mech_type *type, const char *second, bool no_skip,
                             struct gpu_result *result)
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
    struct trace *t = synth_rows(24, 8, POISE_SANITIZED ? 16 : 64, 2);
    struct gpu_result skipping, every;
    const struct gpu_stats *s = run(t, &holder, NULL, false, &skipping);
    assert_true(last.early == 0 && last.late > 0);
    /* slots alternate: one scheduler has the odd ones */
    assert_true(VALUE("stall_throttled") > 4 * 2000 && VALUE("stall_throttled") < 4 * 3000);
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
    /* every request of every load */
    assert_true(last.outcomes[0] + last.outcomes[1] + last.outcomes[2] + VALUE("l1d_bypassed") == last.starts);
    assert_true(VALUE("line_requests") == last.starts + VALUE("l1d_stores") + VALUE("l1d_atomics"));
    assert_true(last.exits == VALUE("global_loads"));
    run(t, &router, NULL, true, &every);
    assert_memory_equal(result.stats, every.stats, gpu_stat_table.size);
    gpu_result_free(&result);
    gpu_result_free(&every);
    trace_close(t);
}

static void two_owners_of_one_hook_and_a_mechanism_twice_are_refused_by_name(void **state)
{
    (void)state;
    struct error err;
    const struct mech_spec stack[] = {{.type = &orderer}, {.type = &router}, {.type = &router}};
    assert_int_equal(hooks_check(stack, 2, &err), 0);
    assert_int_equal(hooks_check(stack, 3, &err), -1);
    assert_string_equal(err.text, "router is in the stack twice; a stack has each mechanism once");
    const struct mech_spec networks[] = {{.type = &detour}, {.type = &restless}};
    assert_int_equal(hooks_check(networks, 2, &err), -1);
    assert_non_null(strstr(err.text, "detour and restless both want to decide 'miss_route'"));
}

static void a_miss_that_a_mechanism_takes_ends_once_and_skipping_changes_nothing(void **state)
{
    (void)state;
    static const char *const others[] = {NULL, "swl,N=3", "tuple,N=6,p=2", "mrpb"};
    struct trace *t = synth_shared(24, 8, 20, 400, 5);
    for (int k = 0; k < 4; k++) {
        struct gpu_result skipping, every, ticked;
        const struct gpu_stats *s = run(t, &detour, others[k], false, &skipping);
        const struct detour *d = &end_of_detour;
        assert_true(d->taken > 500 && d->taken == d->delivered + d->resumed && d->n == 0);
        assert_true(d->full > 0);
        assert_true(VALUE("l1d_misses") + VALUE("l1d_bypassed") == VALUE("l1d_fills"));
        run(t, &detour, others[k], true, &every);
        run(t, &restless, others[k], false, &ticked);
        assert_memory_equal(skipping.stats, every.stats, gpu_stat_table.size);
        assert_memory_equal(skipping.stats, ticked.stats, gpu_stat_table.size);
        gpu_result_free(&skipping);
        gpu_result_free(&every);
        gpu_result_free(&ticked);
    }
    trace_close(t);
}

static void what_other_sms_hold_is_delivered_without_l2(void **state)
{
    (void)state;
    struct trace *t = synth_shared(24, 8, 20, 400, 5);
    struct gpu_result with;
    const struct gpu_stats *s = run(t, &detour, NULL, false, &with);
    const struct detour *d = &end_of_detour;
    assert_true(d->delivered > 100 && d->resumed > 100);
    assert_true(VALUE("l1d_misses") + VALUE("l1d_stores") + VALUE("l1d_atomics") + VALUE("l1i_misses") ==
                VALUE("request_packets") + d->delivered);
    gpu_result_free(&with);
    trace_close(t);
}

static void a_network_that_holds_misses_is_not_taken_off_a_running_launch(void **state)
{
    (void)state;
    struct error err;
    struct plan *plan;
    struct trace *t = synth_shared(24, 8, 20, 400, 5);
    struct gpu_params *params = gpu_params_new();
    const struct mech_spec stack[] = {{.type = &detour}};
    struct simulation *s;
    assert_ok(gpu_params_set(params, "core.sms", "4", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(simulation_new(&s, plan, params, stack, 1, NULL, NULL, &err), &err);
    assert_int_equal(simulation_run(s, 1000, &err), 0);
    assert_true(((struct detour *)simulation_mech(s, 0))->n > 0);
    assert_int_equal(simulation_switch(s, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "requests are on their way in its network"));
    simulation_free(s);
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_adds_up_to_the_statistics),
        cmocka_unit_test(an_observer_changes_no_byte),
        cmocka_unit_test(warps_held_back_issue_no_load_until_cycle_3000_and_count_as_throttled),
        cmocka_unit_test(loads_around_l1_are_counted_once_and_skipping_changes_nothing),
        cmocka_unit_test(two_owners_of_one_hook_and_a_mechanism_twice_are_refused_by_name),
        cmocka_unit_test(a_miss_that_a_mechanism_takes_ends_once_and_skipping_changes_nothing),
        cmocka_unit_test(what_other_sms_hold_is_delivered_without_l2),
        cmocka_unit_test(a_network_that_holds_misses_is_not_taken_off_a_running_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
