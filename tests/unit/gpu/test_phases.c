/* A policy that changes within a launch: whatever the policies and the cycle, each instruction is executed once, all
 * that was asked for is answered, and skipping or threads change no byte. */
#include "synth.h"
#include "where.h"

#include <jansson.h>
#include "poise/simulation.h"

static struct error err;

struct policy {
    const char *name, *mech, *set[2][2];
};
static const struct policy policies[] = {
    {"baseline", "gto", {{0}}},
    {"swl", "swl,N=2", {{0}}},
    {"ccws", "ccws", {{0}}},
    {"pcal", "pcal,start=ccws", {{0}}},
    {"bucl", "bucl", {{0}}},
    {"mrpb", "mrpb", {{0}}},
    {"prefetch", "prefetch", {{0}}},
    {"atomdir", "atomdir", {{0}}},
    {"ccn", "ccn", {{0}}},
    {"lockdown", "lockdown", {{0}}},
    {"tsc", "gto", {{"l1.organisation", "tsc"}, {"l1.tsc_mode", "duel"}}},
    {"elastic", "gto", {{"l1.organisation", "elastic"}, {"l1.write_miss", "around"}}},
    {"lamar", "gto", {{"l1.organisation", "lamar_tsc"}}},
    {"tsc-ccn", "ccn", {{"l1.organisation", "tsc"}, {"l1.tsc_mode", "duel"}}},
    {"back", "swl,N=3", {{"l1.local_stores", "back_allocate"}}},
};
enum { N = sizeof policies / sizeof *policies };

/* A launch on a small machine under each policy. */
struct rig {
    struct trace *trace;
    struct gpu_params *params[N];
    struct plan *plans[N];
    struct mech_spec stacks[N];
};

static void rig_init(struct rig *r, struct trace *trace, const char *preset)
{
    r->trace = trace;
    for (size_t i = 0; i < N; i++) {
        r->params[i] = gpu_params_new();
        assert_ok(gpu_params_load(r->params[i], preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
        assert_ok(gpu_params_set(r->params[i], "core.sms", "3", &err), &err);
        for (size_t k = 0; k < 2 && policies[i].set[k][0]; k++)
            assert_ok(gpu_params_set(r->params[i], policies[i].set[k][0], policies[i].set[k][1], &err), &err);
        assert_ok(plan_new(&r->plans[i], trace, r->params[i], &err), &err);
        assert_ok(mech_parse(&r->stacks[i], policies[i].mech, &err), &err);
    }
}

static void rig_fini(struct rig *r)
{
    for (size_t i = 0; i < N; i++) {
        mech_free(&r->stacks[i]);
        plan_free(r->plans[i]);
        gpu_params_free(r->params[i]);
    }
    trace_close(r->trace);
}

static struct gpu_phase phase(const struct rig *r, size_t policy, uint64_t cycles)
{
    return (struct gpu_phase){
        policies[policy].name, r->params[policy], r->plans[policy], &r->stacks[policy], 1, cycles};
}

static int run(struct gpu_result *out, const struct gpu_phases *phases, struct gpu_limits limits)
{
    limits.phases = phases;
    const struct gpu_phase *first = phases->items;
    return gpu_run(out, first->plan, first->params, first->stack, first->n_stack, &limits, &err);
}

static uint64_t counter(const struct gpu_result *r, const char *name)
{
    return (uint64_t)gpu_stats_value(r->stats, name);
}

static char *bytes_of(const struct gpu_result *r)
{
    json_t *all = json_pack("[o,O]", stats_json(&gpu_stat_table, r->stats), r->phases);
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(all);
    return text;
}

static void check_run(const struct gpu_phases *phases, const struct gpu_result *whole)
{
    static const struct gpu_limits ways[] = {{.no_skip = false}, {.no_skip = true}, {.cores = 2, .cores_always = true}};
    static const char *const executed[] = {"warp_insts", "thread_insts",  "warps",
                                           "ctas",       "line_requests", "global_loads"};
    char *first = NULL;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct gpu_result result;
        if (run(&result, phases, ways[i]) < 0)
            fail_msg("%s, %s, %s at %d, %d, way %d: %s", phases->items[0].name, phases->items[1].name,
                     phases->items[2].name, (int)phases->items[0].cycles, (int)phases->items[1].cycles, (int)i,
                     err.text);
        assert_true(result.complete);
        for (size_t c = 0; c < COUNT_OF(executed); c++)
            if (counter(&result, executed[c]) != counter(whole, executed[c]))
                fail_msg("%s then %s at %d: %s is %d, not %d", phases->items[0].name, phases->items[1].name,
                         (int)phases->items[0].cycles, executed[c], (int)counter(&result, executed[c]),
                         (int)counter(whole, executed[c]));
        char *text = bytes_of(&result);
        if (first) assert_string_equal(first, text);
        if (first) free(text);
        else first = text;
        gpu_result_free(&result);
    }
    free(first);
}

/* What it executes by itself, which no policy changes. */
static void run_whole(struct gpu_result *out, const struct rig *r)
{
    assert_ok(gpu_run(out, r->plans[0], r->params[0], &r->stacks[0], 1, NULL, &err), &err);
    assert_int_equal(counter(out, "warp_insts"), plan_warp_insts(r->plans[0]));
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Every policy is left and begun, and each kernel has its own pairs. */
static void check_pairs(struct trace *trace, const char *preset, uint64_t seed)
{
    struct rig r;
    struct gpu_result whole;
    rig_init(&r, trace, preset);
    run_whole(&whole, &r);
    const uint64_t cycles = counter(&whole, "core_cycles");
    for (size_t i = 0; i < N; i++) {
        const size_t other = (i + 1 + next_random(&seed) % (N - 1)) % N;
        const struct gpu_phase items[] = {phase(&r, i, 1 + next_random(&seed) % cycles),
                                          phase(&r, other, 1 + next_random(&seed) % (cycles / 2)), phase(&r, i, 0)};
        check_run(&(struct gpu_phases){.items = items, .n = 3}, &whole);
    }
    gpu_result_free(&whole);
    rig_fini(&r);
}

static void each_instruction_is_executed_once_whatever_policies_follow_each_other(void **state)
{
    (void)state;
    check_pairs(synth_mixture(18, 6, 3, 4), "kepler32", 11);
    check_pairs(synth_any(12, 4, 3, 5), "kepler32", 12);
    check_pairs(synth_rows(18, 4, 6, 1), "fermi15", 13);
}

/* ---- who decides, and what cannot be ---- */

static unsigned the_first(const void *self, const struct gpu_phase_seen *seen)
{
    struct gpu_phase_seen *kept = (struct gpu_phase_seen *)(uintptr_t)self;
    kept[0] = seen[0], kept[1] = seen[1];
    return 0;
}

static size_t phases_of(const struct gpu_result *r) { return json_array_size(json_object_get(r->phases, "phases")); }

static void what_has_been_seen_decides_and_a_short_launch_ends_in_its_first_phase(void **state)
{
    (void)state;
    struct rig r;
    struct gpu_result result;
    struct gpu_phase_seen seen[2] = {{0}};
    rig_init(&r, synth_rows(18, 4, 6, 1), "kepler32");
    struct gpu_phase items[] = {phase(&r, 0, 700), phase(&r, 11, 600)};
    const struct gpu_phases phases = {items, 2, the_first, seen, "the first"};
    assert_ok(run(&result, &phases, (struct gpu_limits){0}), &err);
    assert_int_equal(3, phases_of(&result));
    assert_string_equal("baseline", json_string_value(json_object_get(result.phases, "chosen")));
    assert_int_equal(700, seen[0].cycles);
    assert_int_equal(600, seen[1].cycles);
    const json_t *first = json_array_get(json_object_get(result.phases, "phases"), 0);
    assert_int_equal(seen[0].insts, json_integer_value(json_object_get(first, "warp_insts")));
    assert_true(json_integer_value(json_object_get(first, "drain_cycles")) > 0);
    gpu_result_free(&result);
    assert_ok(run(&result, &phases, (struct gpu_limits){.max_cycles = 900}), &err);
    assert_false(result.complete);
    assert_int_equal(900, counter(&result, "core_cycles"));
    gpu_result_free(&result);
    items[0].cycles = 1000000;
    assert_ok(run(&result, &phases, (struct gpu_limits){0}), &err);
    assert_true(result.complete);
    assert_int_equal(1, phases_of(&result));
    gpu_result_free(&result);
    rig_fini(&r);
}

static void what_no_run_can_do_is_refused(void **state)
{
    (void)state;
    struct rig r;
    struct gpu_result result;
    rig_init(&r, synth_rows(6, 4, 4, 1), "kepler32");
    struct gpu_phase items[] = {phase(&r, 0, 0), phase(&r, 1, 0)};
    const struct gpu_phases phases = {.items = items, .n = 2};
    assert_int_equal(-1, run(&result, &phases, (struct gpu_limits){0}));
    assert_non_null(strstr(err.text, "policy 1 ('baseline') lasts 0 cycles"));
    items[0].cycles = items[1].cycles = 5;
    assert_int_equal(-1, run(&result, &phases, (struct gpu_limits){0}));
    assert_non_null(strstr(err.text, "policy 2 ('swl') is the last one"));
    items[1].cycles = 0;
    assert_int_equal(-1, run(&result, &phases, (struct gpu_limits){.warmup_cycles = 9}));
    assert_non_null(strstr(err.text, "without a warm-up"));
    assert_ok(gpu_params_set(r.params[1], "core.max_warps", "16", &err), &err);
    assert_int_equal(-1, run(&result, &phases, (struct gpu_limits){0}));
    assert_non_null(strstr(err.text, "policies 'baseline' and 'swl': core.max_warps is 48, then 16"));
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_is_executed_once_whatever_policies_follow_each_other),
        cmocka_unit_test(what_has_been_seen_decides_and_a_short_launch_ends_in_its_first_phase),
        cmocka_unit_test(what_no_run_can_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
