/* The oracle: each window goes to its best tuple, whatever the number of threads, and the launch goes on from that
 * window's end. */
#include "synth.h"
#include "where.h"

#include <jansson.h>
#include "poise/simulation.h"

static struct error err;

struct rig {
    struct trace *trace;
    struct gpu_params *params;
    struct plan *plan;
};

static int setup(void **state)
{
    static struct rig r;
    r.trace = synth_rows(14, 8, 8, 2);
    r.params = gpu_params_new();
    assert_ok(gpu_params_load(r.params, "kepler32", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(gpu_params_set(r.params, "core.sms", "2", &err), &err);
    assert_ok(gpu_params_set(r.params, "l2.banks", "6", &err), &err);
    assert_ok(plan_new(&r.plan, r.trace, r.params, &err), &err);
    *state = &r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;
    plan_free(r->plan);
    gpu_params_free(r->params);
    trace_close(r->trace);
    return 0;
}

struct ran {
    uint64_t cycles;
    bool complete;
    json_t *mech;
    char *text;
};

static struct ran run(const struct rig *r, const char *mech, const struct gpu_limits *limits)
{
    struct mech_spec spec;
    struct gpu_result result;
    struct ran out;
    assert_ok(mech_parse(&spec, mech, &err), &err);
    assert_ok(gpu_run(&result, r->plan, r->params, &spec, 1, limits, &err), &err);
    json_t *all = json_pack("[o,O]", stats_json(&gpu_stat_table, result.stats), result.mechs[0]);
    out = (struct ran){(uint64_t)gpu_stats_value(result.stats, "core_cycles"), result.complete,
                       json_incref(result.mechs[0]), json_dumps(all, JSON_COMPACT)};
    json_decref(all);
    gpu_result_free(&result);
    mech_free(&spec);
    return out;
}

static void drop(struct ran *r)
{
    json_decref(r->mech);
    free(r->text);
}

static json_int_t stat(const struct ran *r, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(r->mech, "stats"), name));
}
static json_int_t field(const json_t *decision, const char *name)
{
    return json_integer_value(json_object_get(decision, name));
}

static struct simulation *begin(const struct rig *r)
{
    struct simulation *s;
    assert_ok(simulation_new(&s, r->plan, r->params, NULL, 0, NULL, NULL, &err), &err);
    return s;
}

static void put(struct simulation *s, json_int_t N, json_int_t p)
{
    static struct mech_spec specs[64];
    static size_t n;
    char text[64];
    snprintf(text, sizeof text, "tuple,N=%d,p=%d", (int)N, (int)p);
    if (n == COUNT_OF(specs)) n = 0;
    mech_free(&specs[n]); /* one that no simulation holds any more */
    assert_ok(mech_parse(&specs[n], text, &err), &err);
    assert_ok(simulation_switch(s, &specs[n++], 1, &err), &err);
}

/* Found again without the oracle: every candidate of every window by hand, from where the decisions so far have led. */
static void each_window_goes_to_the_tuple_with_most_instructions(void **state)
{
    const struct rig *r = *state;
    static const int axis[] = {1, 2, 4, 8, 16, 24};
    struct ran o = run(r, "oracle,window=2000,min_cycles=0", NULL);
    struct snapshot *at = NULL;
    struct simulation *s = begin(r);
    const json_t *decisions = json_object_get(o.mech, "decisions"), *d;
    size_t i;
    assert_true(o.complete && json_array_size(decisions) >= 3);
    assert_ok(simulation_snapshot(s, &at, &err), &err);
    json_array_foreach(decisions, i, d) {
        const uint64_t from = snapshot_cycle(at);
        uint64_t most = 0, soonest = 0, base = 0;
        int tries = 0;
        assert_ok(simulation_restore(s, at, &err), &err);
        const uint64_t before = simulation_insts(s);
        assert_int_equal(field(d, "cycle"), from);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b <= a; b++) {
                if (axis[a] == 16 && axis[b] == 16) continue;
                assert_ok(simulation_restore(s, at, &err), &err);
                put(s, axis[a], axis[b]);
                assert_true(simulation_run(s, from + 2000, &err) >= 0);
                const uint64_t insts = simulation_insts(s) - before;
                if (insts > most || (insts == most && simulation_now(s) < soonest))
                    most = insts, soonest = simulation_now(s);
                if (axis[b] == 24) base = insts;
                tries++;
            }
        assert_int_equal(tries, 20);
        assert_int_equal(field(d, "warp_insts"), most);
        assert_int_equal(field(d, "cycles"), soonest - from);
        assert_int_equal(field(d, "baseline_warp_insts"), base);
        assert_ok(simulation_restore(s, at, &err), &err);
        put(s, field(d, "N"), field(d, "p"));
        assert_true(simulation_run(s, from + 2000, &err) >= 0);
        assert_int_equal(simulation_insts(s) - before, most); /* the tuple it names is one of the best */
        assert_ok(simulation_snapshot(s, &at, &err), &err);
    }
    assert_true(simulation_is_done(s));
    assert_int_equal(simulation_now(s), o.cycles);
    assert_int_equal(stat(&o, "windows"), json_array_size(decisions));
    assert_int_equal(stat(&o, "forks"), 20 * json_array_size(decisions));
    assert_int_equal(stat(&o, "sm_cycles"), 2 * o.cycles);
    simulation_free(s);
    snapshot_free(at);
    drop(&o);
}

static void any_number_of_threads_and_no_skipping_give_the_same_bytes(void **state)
{
    const struct rig *r = *state;
    const struct gpu_limits limits[] = {
        {.threads = 1}, {.threads = 2}, {.threads = 5}, {.threads = 2, .no_skip = true}};
    struct ran first = run(r, "oracle,window=3000,min_cycles=0", NULL);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct ran other = run(r, "oracle,window=3000,min_cycles=0", &limits[i]);
        assert_string_equal(first.text, other.text);
        drop(&other);
    }
    drop(&first);
}

static void one_window_is_the_best_static_tuple(void **state)
{
    const struct rig *r = *state;
    static const int axis[] = {1, 2, 4, 8, 16, 24};
    struct ran o = run(r, "oracle,window=100000000,min_cycles=0", NULL);
    uint64_t best = UINT64_MAX;
    for (int a = 0; a < 6; a++)
        for (int b = 0; b <= a; b++) {
            char text[64];
            if (axis[a] == 16 && axis[b] == 16) continue;
            snprintf(text, sizeof text, "tuple,N=%d,p=%d", axis[a], axis[b]);
            struct ran t = run(r, text, NULL);
            if (t.cycles < best) best = t.cycles;
            drop(&t);
        }
    assert_int_equal(o.cycles, best);
    assert_int_equal(stat(&o, "windows"), 1);
    drop(&o);
}

static void short_launches_are_left_alone(void **state)
{
    const struct rig *r = *state;
    struct ran o = run(r, "oracle", NULL), gto = run(r, "gto", NULL);
    assert_int_equal(o.cycles, gto.cycles);
    assert_int_equal(stat(&o, "short_launches"), 1);
    assert_int_equal(stat(&o, "forks"), 0);
    assert_int_equal(json_array_size(json_object_get(o.mech, "decisions")), 0);
    assert_int_equal(stat(&o, "N_cycles"), 24 * stat(&o, "sm_cycles"));
    drop(&o);
    drop(&gto);
}

static void a_given_tuple_is_one_more_candidate(void **state)
{
    const struct rig *r = *state;
    struct ran more = run(r, "oracle,window=3000,min_cycles=0,N=3,p=2", NULL),
               same = run(r, "oracle,window=3000,min_cycles=0,N=4,p=2", NULL);
    struct mech_spec spec;
    assert_int_equal(stat(&more, "forks"), 21 * stat(&more, "windows"));
    assert_int_equal(stat(&same, "forks"), 20 * stat(&same, "windows")); /* it is there already */
    drop(&more);
    drop(&same);
    assert_int_equal(mech_parse(&spec, "oracle,N=2,p=3", &err), -1);
    assert_non_null(strstr(err.text, "oracle: p = 3 exceeds N = 2"));
}

static void limits_recording_and_warm_ups_go_with_it_and_carried_caches_do_not(void **state)
{
    const struct rig *r = *state;
    static const char mech[] = "oracle,window=3000,min_cycles=0";
    struct gpu_timeline *timeline = gpu_timeline_new(5000);
    struct gpu_carry *carry = gpu_carry_new(r->params);
    struct mech_spec spec;
    struct gpu_result result;
    struct ran plain = run(r, mech, NULL), recorded = run(r, mech, &(struct gpu_limits){.timeline = timeline});
    struct ran cut = run(r, mech, &(struct gpu_limits){.max_cycles = 4000}),
               warm = run(r, mech, &(struct gpu_limits){.warmup_cycles = 1500});
    assert_string_equal(plain.text, recorded.text); /* recording changes nothing */
    static const char path[] = POISE_BINARY_DIR "/test_mech_oracle.json";
    assert_ok(gpu_timeline_write(timeline, path, &err), &err);
    json_t *events = json_load_file(path, 0, NULL), *event;
    size_t i, n = 0;
    json_array_foreach(json_object_get(events, "traceEvents"), i, event)
        n += strncmp(json_string_value(json_object_get(event, "name")), "WINDOW (", 8) == 0;
    assert_int_equal(n, 2 * stat(&plain, "windows")); /* a state an SM and window */
    json_decref(events);
    remove(path);
    assert_true(!cut.complete && cut.cycles == 4000);
    assert_true(warm.complete && field(json_array_get(json_object_get(warm.mech, "decisions"), 0), "cycle") == 1500);
    assert_ok(mech_parse(&spec, mech, &err), &err);
    assert_int_equal(gpu_run_carry(&result, r->plan, r->params, &spec, 1, NULL, carry, &err), -1);
    assert_non_null(strstr(err.text, "carries caches over or has two launches cannot be forked"));
    mech_free(&spec);
    gpu_carry_free(carry);
    gpu_timeline_free(timeline);
    drop(&plain);
    drop(&recorded);
    drop(&cut);
    drop(&warm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_window_goes_to_the_tuple_with_most_instructions),
        cmocka_unit_test(any_number_of_threads_and_no_skipping_give_the_same_bytes),
        cmocka_unit_test(one_window_is_the_best_static_tuple),
        cmocka_unit_test(short_launches_are_left_alone),
        cmocka_unit_test(a_given_tuple_is_one_more_candidate),
        cmocka_unit_test(limits_recording_and_warm_ups_go_with_it_and_carried_caches_do_not),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
