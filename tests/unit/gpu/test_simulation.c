/* Runs in pieces: a run that goes on from a snapshot, here or elsewhere, alone or under other mechanisms, gives the
 * same bytes. */
#include "synth.h"
#include "where.h"

#include <jansson.h>
#include <pthread.h>
#include "poise/simulation.h"

static const char model[] = POISE_SOURCE_DIR "/models/poise-thesis.json";
static struct error err;
enum { SOME_CTAS = POISE_SANITIZED ? 9 : 18 };

struct rig {
    struct trace *trace;
    struct gpu_params *params;
    struct plan *plan;
    struct mech_spec stack[2];
    unsigned n;
};

static void rig_init(struct rig *r, struct trace *trace, const char *preset, bool is_small)
{
    *r = (struct rig){.trace = trace, .params = gpu_params_new()};
    assert_non_null(r->params);
    assert_ok(gpu_params_load(r->params, preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    if (is_small) assert_ok(gpu_params_set(r->params, "core.sms", "3", &err), &err);
    assert_ok(plan_new(&r->plan, trace, r->params, &err), &err);
}

static void rig_stack(struct rig *r, const char *a, const char *b)
{
    for (unsigned i = 0; i < r->n; i++) mech_free(&r->stack[i]);
    r->n = 0;
    if (a) assert_ok(mech_parse(&r->stack[r->n++], a, &err), &err);
    if (b) assert_ok(mech_parse(&r->stack[r->n++], b, &err), &err);
}

static void rig_fini(struct rig *r)
{
    rig_stack(r, NULL, NULL);
    plan_free(r->plan);
    gpu_params_free(r->params);
}

static struct simulation *begin(const struct rig *r)
{
    struct simulation *s;
    assert_ok(simulation_new(&s, r->plan, r->params, r->stack, r->n, NULL, NULL, &err), &err);
    return s;
}

/* Runs to the end; the statistics of machine and mechanisms as text. */
static char *finish(struct simulation *s, uint64_t *cycles)
{
    struct gpu_result result;
    assert_ok(simulation_run(s, 0, &err) == 1 ? 0 : -1, &err);
    assert_ok(simulation_end(s, &result, &err), &err);
    json_t *all = json_array();
    json_array_append_new(all, stats_json(&gpu_stat_table, result.stats));
    for (unsigned i = 0; i < result.n_mechs; i++) json_array_append(all, result.mechs[i]);
    char *text = json_dumps(all, JSON_COMPACT);
    if (cycles) *cycles = (uint64_t)gpu_stats_value(result.stats, "core_cycles");
    json_decref(all);
    gpu_result_free(&result);
    simulation_free(s);
    return text;
}

static void same(char *a, char *b, const char *what)
{
    if (strcmp(a, b) != 0) fail_msg("%s: %s\nis not %s", what, a, b);
    free(b);
}

static void windows(char *text, size_t size, const struct mech_type *type)
{
    const char *name = mech_name(type);
    snprintf(text, size, "%s", name);
    if (strcmp(name, "poise") == 0)
        snprintf(text, size, "poise,model=%s,T_period=9000,T_warmup=200,T_feature=700,T_correct=300", model);
    if (strcmp(name, "learned") == 0)
        snprintf(text, size,
                 "learned,model=" POISE_SOURCE_DIR
                 "/tests/rig/response.json,start=all,T_wait=300,T_warmup=200,T_sample=300,T_try=200,T_monitor=400");
    if (strcmp(name, "pcal") == 0)
        snprintf(text, size, "pcal,start=ccws,T_start=1500,T_warmup=200,T_sample=300,T_monitor=500");
}

/* Cold; then copied at T, gone on, gone on again from the copy, and once more in another instance while the first is
 * gone. */
static void check_resumes(const struct rig *r, const char *what)
{
    uint64_t cycles;
    struct snapshot *copy = NULL;
    char *cold = finish(begin(r), &cycles);
    for (uint64_t part = 2; part < 8; part += 4) {
        struct simulation *run = begin(r), *other = begin(r);
        assert_int_equal(simulation_run(run, cycles * part / 8, &err), 0);
        assert_int_equal(simulation_now(run), cycles * part / 8);
        assert_ok(simulation_snapshot(run, &copy, &err), &err);
        assert_int_equal(snapshot_cycle(copy), cycles * part / 8);
        assert_int_equal(simulation_run(run, 0, &err), 1);
        assert_ok(simulation_restore(run, copy, &err), &err);
        same(cold, finish(run, NULL), what);
        simulation_run(other, cycles / 2, &err); /* whatever it did before is forgotten */
        assert_ok(simulation_restore(other, copy, &err), &err);
        same(cold, finish(other, NULL), what);
    }
    snapshot_free(copy);
    free(cold);
}

static void every_mechanism_goes_on_from_a_snapshot_as_if_nothing_had_been(void **state)
{
    (void)state;
    struct rig r;
    struct trace *t = synth_mixture(SOME_CTAS, 6, 5, 4);
    rig_init(&r, t, "kepler32", true);
    for (size_t i = 0; i < mech_count(); i++) {
        char text[600];
        windows(text, sizeof text, mech_at(i));
        rig_stack(&r, text, strcmp(text, "gto") == 0 ? NULL : "gto");
        check_resumes(&r, text);
    }
    rig_fini(&r);
    trace_close(t);
}

static void every_kind_of_machine_goes_on_from_a_snapshot(void **state)
{
    static const char *const presets[] = {"fermi15-hash", "kepler32-x4l1", "accelsim32",
                                          "volta80",      "titanx",        "apu-llc"};
    (void)state;
    struct trace *t = synth_mixture(24, 6, 3, 9);
    for (size_t i = 0; i < COUNT_OF(presets); i++) {
        struct rig r;
        rig_init(&r, t, presets[i], i > 0);
        rig_stack(&r, "tuple,N=4,p=2", "bucl,mode=prf,profile_cycles=700");
        check_resumes(&r, presets[i]);
        rig_fini(&r);
    }
    trace_close(t);
}

/* An L1 whose organisation has state of its own, and one decision for all SMs. */
static void every_organisation_of_L1_goes_on_from_a_snapshot(void **state)
{
    (void)state;
    static const char *const machines[][4][2] = {
        {{"l1.organisation", "tsc"}, {"l1.tsc_mode", "duel"}, {"l1.tsc_delay", "50"}},
        {{"l1.organisation", "tsc"}, {"l1.chunk_bytes", "8"}, {"l1.mshrs", "6"}},
        {{"l1.organisation", "dsc"}, {"l1.dsc_tags", "4"}, {"l1.ways", "2"}},
        {{"l1.organisation", "elastic"}, {"l1.streaming", "0"}, {"l1.elastic_victims", "line"}},
        {{"l1.organisation", "elastic"}, {"l1.streaming", "1"}, {"l1.elastic_victims", "all"}},
        {{"l2.line_bytes", "128"}, {"l1.line_bytes", "256"}, {"l1.set_index", "linear"}},
        {{"l1.organisation", "tsc"}, {"l1.line_bytes", "64"}, {"l1.chunk_bytes", "16"}},
        {{"l1.organisation", "dsc"}, {"l2.line_bytes", "32"}, {"l1.line_bytes", "64"}, {"l1.chunk_bytes", "64"}},
    };
    struct trace *t = synth_mixture(24, 6, 5, 3);
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        struct rig r;
        rig_init(&r, t, "fermi15-tsc", true);
        for (size_t k = 0; k < 4 && machines[i][k][0]; k++)
            assert_ok(gpu_params_set(r.params, machines[i][k][0], machines[i][k][1], &err), &err);
        assert_ok(gpu_params_check(r.params, &err), &err);
        plan_free(r.plan);
        assert_ok(plan_new(&r.plan, t, r.params, &err), &err);
        check_resumes(&r, machines[i][0][1]);
        rig_fini(&r);
    }
    trace_close(t);
}

/* A run that skips leaves DRAM behind for a while; one that ticks every cycle must find it where it is. */
static void a_snapshot_goes_on_ticking_or_skipping_whichever_run_left_it(void **state)
{
    (void)state;
    struct rig r;
    struct snapshot *copies[2] = {NULL, NULL};
    struct trace *t = synth_rows(24, 8, 16, 1);
    uint64_t cycles;
    rig_init(&r, t, "kepler32", true);
    rig_stack(&r, "tuple,N=4,p=2", NULL);
    char *cold = finish(begin(&r), &cycles);
    for (uint64_t at = 211; at < cycles && at < 3200; at += POISE_SANITIZED ? 582 : 194) {
        for (int ticks = 0; ticks < 2; ticks++) {
            const struct gpu_limits limits = {.no_skip = ticks};
            struct simulation *from;
            assert_ok(simulation_new(&from, r.plan, r.params, r.stack, r.n, &limits, NULL, &err), &err);
            assert_int_equal(simulation_run(from, at, &err), 0);
            assert_ok(simulation_snapshot(from, &copies[ticks], &err), &err);
            simulation_free(from);
        }
        for (int way = 0; way < 4; way++) {
            const struct gpu_limits limits = {.no_skip = way & 1};
            struct simulation *to;
            char what[64];
            snprintf(what, sizeof what, "%s to %s at %d", way & 2 ? "ticking" : "skipping",
                     way & 1 ? "ticking" : "skipping", (int)at);
            assert_ok(simulation_new(&to, r.plan, r.params, r.stack, r.n, &limits, NULL, &err), &err);
            assert_ok(simulation_restore(to, copies[way >> 1], &err), &err);
            same(cold, finish(to, NULL), what);
        }
    }
    free(cold);
    snapshot_free(copies[0]);
    snapshot_free(copies[1]);
    rig_fini(&r);
    trace_close(t);
}

/* L2 and DRAM have several cycles in that of the cores in which the last instruction is counted: all of them are
 * run. */
static void a_limit_on_instructions_ends_with_a_whole_core_cycle(void **state)
{
    static const char *const fast[][2] = {{"clock.core_mhz", "200"},  {"clock.l2_mhz", "1400"},
                                          {"clock.dram_mhz", "1848"}, {"l2.data_port_bytes", "16"},
                                          {"dram.channels", "1"},     {"l2.banks", "1"}};
    (void)state;
    struct rig r;
    struct trace *t = synth_rows(24, 6, 8, 1);
    rig_init(&r, t, "fermi15", true);
    plan_free(r.plan);
    for (size_t i = 0; i < COUNT_OF(fast); i++) assert_ok(gpu_params_set(r.params, fast[i][0], fast[i][1], &err), &err);
    assert_ok(plan_new(&r.plan, t, r.params, &err), &err);
    for (uint64_t max = 1; max < 1000; max += 29) {
        struct gpu_result results[2];
        for (int ticks = 0; ticks < 2; ticks++) {
            const struct gpu_limits limits = {.max_insts = max, .no_skip = ticks};
            assert_ok(gpu_run(&results[ticks], r.plan, r.params, NULL, 0, &limits, &err), &err);
            assert_false(results[ticks].complete);
            assert_true(gpu_stats_value(results[ticks].stats, "warp_insts") >= (double)max);
        }
        assert_memory_equal(results[1].stats, results[0].stats, gpu_stat_table.size);
        gpu_result_free(&results[0]);
        gpu_result_free(&results[1]);
    }
    rig_fini(&r);
    trace_close(t);
}

/* ---- other mechanisms from T on ---- */

static void switch_to(struct simulation *s, const struct rig *r)
{
    assert_ok(simulation_switch(s, r->stack, r->n, &err), &err);
}

static void a_switch_to_what_holds_already_changes_nothing_of_the_machine(void **state)
{
    static const char *const same_as[][2] = {{NULL, NULL},
                                             {NULL, "gto"},
                                             {"gto", NULL},
                                             {NULL, "tuple"},
                                             {"tuple,N=3,p=2", "tuple,N=3,p=2"},
                                             {"swl,N=4", "tuple,N=4"}};
    (void)state;
    struct rig from, to;
    struct trace *t = synth_mixture(24, 6, 6, 5);
    rig_init(&from, t, "kepler32", true);
    rig_init(&to, t, "kepler32", true);
    for (size_t i = 0; i < COUNT_OF(same_as); i++) {
        uint64_t cycles, switched;
        rig_stack(&from, same_as[i][0], NULL);
        rig_stack(&to, same_as[i][1], NULL);
        free(finish(begin(&from), &cycles));
        struct simulation *s = begin(&from);
        for (uint64_t at = cycles / 5; at < cycles; at += cycles / 5) {
            assert_int_equal(simulation_run(s, at, &err), 0);
            switch_to(s, &to);
        }
        free(finish(s, &switched));
        assert_int_equal(switched, cycles);
    }
    rig_fini(&from);
    rig_fini(&to);
    trace_close(t);
}

/* A warm-up of the baseline to T, then each mechanism: in one run, and from one shared snapshot in instances of
 * other stacks. */
static void a_snapshot_under_another_policy_equals_a_run_that_switched_then(void **state)
{
    (void)state;
    struct rig base, r;
    struct snapshot *warm = NULL;
    struct trace *t = synth_mixture(SOME_CTAS, 6, 5, 6);
    uint64_t cycles;
    rig_init(&base, t, "kepler32", true);
    free(finish(begin(&base), &cycles));
    struct simulation *warming = begin(&base);
    assert_int_equal(simulation_run(warming, cycles / 3, &err), 0);
    assert_ok(simulation_snapshot(warming, &warm, &err), &err);
    simulation_free(warming);
    r = base;
    size_t n_differ = 0;
    for (size_t i = 0; i < mech_count() + 2; i++) {
        char text[600] = "tuple,N=1,p=1";
        if (i < mech_count()) windows(text, sizeof text, mech_at(i));
        rig_stack(&r, text, i == mech_count() ? "bucl,TUCD=2" : NULL);
        uint64_t took, cold;
        struct simulation *whole = begin(&base);
        assert_int_equal(simulation_run(whole, cycles / 3, &err), 0);
        switch_to(whole, &r);
        char *in_one = finish(whole, &took);
        struct simulation *other = begin(i % 2 ? &r : &base); /* laid out for either stack */
        assert_ok(simulation_restore(other, warm, &err), &err);
        switch_to(other, &r);
        same(in_one, finish(other, NULL), text);
        struct gpu_result result;
        const struct gpu_limits limits = {
            .warmup_cycles = cycles / 3, .warm = i % 2 ? warm : NULL, .no_skip = i % 3 == 0};
        assert_ok(gpu_run(&result, r.plan, r.params, r.stack, r.n, &limits, &err), &err);
        assert_int_equal(gpu_stats_value(result.stats, "core_cycles"), took);
        gpu_result_free(&result);
        free(finish(begin(&r), &cold));
        n_differ += took != cold;
        free(in_one);
    }
    assert_true(n_differ >= 5); /* a warm start is another run */
    snapshot_free(warm);
    rig_stack(&r, NULL, NULL);
    rig_fini(&base);
    trace_close(t);
}

static void a_mechanism_that_comes_late_counts_from_then(void **state)
{
    (void)state;
    struct rig r;
    struct trace *t = synth_rows(48, 8, 32, 1);
    uint64_t cycles;
    rig_init(&r, t, "kepler32", true);
    struct simulation *s = begin(&r);
    assert_int_equal(simulation_run(s, 2000, &err), 0);
    char text[600];
    windows(text, sizeof text, mech_find("poise"));
    rig_stack(&r, text, "ccws");
    switch_to(s, &r);
    char *result = finish(s, &cycles);
    json_t *all = json_loads(result, 0, NULL);
    const json_t *poise = json_object_get(json_array_get(all, 1), "stats"),
                 *ccws = json_object_get(json_array_get(all, 2), "stats");
    assert_int_equal(json_integer_value(json_object_get(poise, "sm_cycles")), 3 * (cycles - 2000));
    assert_true(json_integer_value(json_object_get(ccws, "sm_cycles")) <= 3 * (json_int_t)(cycles - 2000));
    assert_true(json_integer_value(json_object_get(ccws, "victims")) > 0); /* it knows the warps that were there */
    json_decref(all);
    free(result);
    rig_fini(&r);
    trace_close(t);
}

static void what_would_be_lost_is_refused(void **state)
{
    (void)state;
    struct rig r, plain;
    struct trace *t = synth_rows(24, 8, 16, 1);
    struct snapshot *copy = NULL;
    struct simulation *s, *watched;
    rig_init(&r, t, "kepler32", true);
    rig_init(&plain, t, "kepler32", true);
    rig_stack(&r, "mrpb", NULL);
    s = begin(&r);
    assert_int_equal(simulation_run(s, 1500, &err), 0);
    assert_int_equal(simulation_switch(s, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "mrpb cannot be taken off at cycle 1500"));
    simulation_free(s);
    struct gpu_watch watch;
    const struct gpu_limits limits = {.watch = &watch};
    assert_ok(simulation_new(&watched, r.plan, r.params, NULL, 0, &limits, NULL, &err), &err);
    assert_int_equal(simulation_snapshot(watched, &copy, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    simulation_free(watched);
    s = begin(&plain);
    assert_ok(simulation_snapshot(s, &copy, &err), &err);
    simulation_free(s);
    s = begin(&r);
    assert_int_equal(simulation_restore(s, copy, &err), -1); /* another plan */
    assert_non_null(strstr(err.text, "another launch or machine"));
    simulation_free(s);
    snapshot_free(copy);
    rig_fini(&r);
    rig_fini(&plain);
    trace_close(t);
}

/* ---- threads and cost ---- */

struct worker {
    const struct rig *rig;
    const struct snapshot *from;
    char *result;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    struct error mine;
    struct simulation *s;
    if (simulation_new(&s, w->rig->plan, w->rig->params, w->rig->stack, w->rig->n, NULL, NULL, &mine) < 0 ||
        simulation_restore(s, w->from, &mine) < 0)
        return NULL;
    w->result = finish(s, NULL);
    return NULL;
}

static void threads_share_a_snapshot(void **state)
{
    (void)state;
    struct rig r;
    struct snapshot *copy = NULL;
    struct worker workers[4];
    pthread_t threads[4];
    struct trace *t = synth_mixture(24, 6, 4, 8);
    uint64_t cycles;
    rig_init(&r, t, "kepler32", true);
    rig_stack(&r, "tuple,N=5,p=3", NULL);
    char *cold = finish(begin(&r), &cycles);
    struct simulation *s = begin(&r);
    assert_int_equal(simulation_run(s, cycles / 2, &err), 0);
    assert_ok(simulation_snapshot(s, &copy, &err), &err);
    simulation_free(s);
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){.rig = &r, .from = copy};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_non_null(workers[i].result);
        same(cold, workers[i].result, "a thread's run");
    }
    free(cold);
    snapshot_free(copy);
    rig_fini(&r);
    trace_close(t);
}

/* ---- one run on several threads ---- */

static char *on_cores(const struct rig *r, unsigned cores, bool ticks)
{
    struct simulation *s;
    const struct gpu_limits limits = {.cores = cores, .cores_always = true, .no_skip = ticks};
    assert_ok(simulation_new(&s, r->plan, r->params, r->stack, r->n, &limits, NULL, &err), &err);
    return finish(s, NULL);
}

static void threads_that_share_a_run_change_none_of_its_bytes(void **state)
{
    static const char *const presets[] = {"kepler32", "volta80"}, *const stacks[] = {NULL, "swl,N=3", "ccws", "drrip",
                                                                                     "bucl"};
    char engine[300];
    (void)state;
    snprintf(engine, sizeof engine, "poise,model=%s,T_period=3000,T_warmup=100,T_feature=300,T_correct=200,whole_gpu=1",
             model);
    for (size_t p = 0; p < COUNT_OF(presets); p++)
        for (size_t m = 0; m <= COUNT_OF(stacks); m++) {
            struct rig r;
            struct trace *t = synth_mixture(40, 4, 2, 8);
            rig_init(&r, t, presets[p], false);
            rig_stack(&r, m < COUNT_OF(stacks) ? stacks[m] : engine, NULL);
            char *alone = finish(begin(&r), NULL);
            const unsigned cores[] = {2, 3, 8};
            for (size_t i = 0; i < COUNT_OF(cores); i++) {
                char *shared = on_cores(&r, cores[i], m == i);
                same(alone, shared, presets[p]);
            }
            free(alone);
            rig_fini(&r);
            trace_close(t);
        }
}

static const char *shared_by(const char *mech, const char *setting, const char *value)
{
    static char text[100];
    struct rig r;
    struct trace *t = synth_mixture(2, 2, 1, 8);
    rig_init(&r, t, "kepler32", true);
    rig_stack(&r, mech, NULL);
    if (setting) assert_ok(gpu_params_set(r.params, setting, value, &err), &err);
    const char *why = gpu_sms_share(r.params, r.stack, r.n, NULL, text, sizeof text);
    rig_fini(&r);
    trace_close(t);
    return why;
}

static void what_sms_share_is_named(void **state)
{
    (void)state;
    assert_null(shared_by(NULL, NULL, NULL));
    assert_null(shared_by("tuple,N=4,p=2", NULL, NULL));
    assert_null(shared_by("lockdown", NULL, NULL)); /* it has nothing to do with SMs */
    assert_string_equal("ccn keeps state that SMs share", shared_by("ccn", NULL, NULL));
    assert_non_null(shared_by(NULL, "core.waiting", "simulated"));
    assert_non_null(shared_by(NULL, "ideal.memory", "infinite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_goes_on_from_a_snapshot_as_if_nothing_had_been),
        cmocka_unit_test(every_kind_of_machine_goes_on_from_a_snapshot),
        cmocka_unit_test(every_organisation_of_L1_goes_on_from_a_snapshot),
        cmocka_unit_test(a_snapshot_goes_on_ticking_or_skipping_whichever_run_left_it),
        cmocka_unit_test(a_limit_on_instructions_ends_with_a_whole_core_cycle),
        cmocka_unit_test(a_switch_to_what_holds_already_changes_nothing_of_the_machine),
        cmocka_unit_test(a_snapshot_under_another_policy_equals_a_run_that_switched_then),
        cmocka_unit_test(a_mechanism_that_comes_late_counts_from_then),
        cmocka_unit_test(what_would_be_lost_is_refused),
        cmocka_unit_test(threads_share_a_snapshot),
        cmocka_unit_test(threads_that_share_a_run_change_none_of_its_bytes),
        cmocka_unit_test(what_sms_share_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
