/* Memory operators and scopes: which loads go past L1, and what becomes of a line that is there; which stores leave it.
 * [PTX ISA: cache operators, ld, st; MECHANISMS 'Memory operators'] */
#include "units.h"
#include "where.h"

#include "poise/simulation.h"

static const struct row {
    const char *name;
    struct synth_operator op;
    bool passes; /* loads: past L1 */
} rows[] = {
    {"none", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_NONE, false, 0}, false},
    {".ca", {TRACE_CACHE_CA, TRACE_SCOPE_NONE, false, 0}, false},
    {".cs", {TRACE_CACHE_CS, TRACE_SCOPE_NONE, false, 0}, false},
    {".lu", {TRACE_CACHE_LU, TRACE_SCOPE_NONE, false, 0}, false},
    {".nc", {TRACE_CACHE_NC, TRACE_SCOPE_NONE, false, 0}, false},
    {".cta", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_CTA, false, 0}, false},
    {".cg", {TRACE_CACHE_CG, TRACE_SCOPE_NONE, false, 0}, true},
    {".cv", {TRACE_CACHE_CV, TRACE_SCOPE_NONE, false, 0}, true},
    {".gpu", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_GPU, false, 0}, true},
    {".sys", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_SYS, false, 0}, true},
    {".volatile", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_NONE, true, 0}, true},
};
/* Plain, sectored and streaming, sectored in banks, plain with a late lookup. */
static const char *const presets[] = {"kepler32", "fermi15", "volta80", "titanx", "accelsim32"};

static void expect(const char *json, const char *counter, double value, const char *op, const char *preset)
{
    if (synth_value(json, counter) != value)
        fail_msg("%s on %s: %s is %g, not %g", op, preset, counter, synth_value(json, counter), value);
}

static char *run_on(const struct trace *t, const char *preset, const char *mech)
{
    static const char *const alone[] = {"fetch.ideal=1", NULL}; /* no requests but those of data */
    return synth_run_both(t, (struct synth_run){.preset = preset, .set = alone, .mech = mech});
}

/* One lane's access, and what waits for it. */
static void access_line(struct synth *s, enum synth_inst inst, uint32_t line)
{
    synth_access(s, 0, inst, 1, 128 * line, 0);
    synth_op(s, 0, SYNTH_USE_2, ~0u);
    synth_op(s, 0, SYNTH_FENCE, ~0u);
}

/* A line that is there: loaded with the operator it goes, loaded without it misses. One that is not comes by no such
 * load. */
static void a_load_past_L1_neither_hits_nor_leaves_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t p = 0; p < COUNT_OF(presets); p++) {
            const bool passes = rows[i].passes;
            struct synth s;
            synth_begin_operator(&s, 1, 1, rows[i].op);
            synth_cta(&s);
            access_line(&s, SYNTH_LOAD_2, 0);  /* misses */
            access_line(&s, SYNTH_LOAD_2, 0);  /* hits */
            access_line(&s, SYNTH_LOAD_OP, 0); /* hits, or goes to L2, which has it */
            access_line(&s, SYNTH_LOAD_2, 0);  /* hits, or misses in L1 */
            access_line(&s, SYNTH_LOAD_OP, 1); /* misses, or goes to L2, which has it not */
            access_line(&s, SYNTH_LOAD_OP, 1); /* hits, or goes to L2 */
            synth_cta_end(&s);
            struct trace *t = synth_end(&s);
            char *json = run_on(t, presets[p], NULL);
            expect(json, "l1d_load_hits", passes ? 1 : 4, rows[i].name, presets[p]);
            expect(json, "l1d_misses", 2, rows[i].name, presets[p]);
            expect(json, "l1d_load_accesses", passes ? 3 : 6, rows[i].name, presets[p]);
            expect(json, "l1d_bypassed", passes ? 3 : 0, rows[i].name, presets[p]);
            expect(json, "l1d_passed", passes ? 3 : 0, rows[i].name, presets[p]);
            expect(json, "l1d_load_evicts", passes, rows[i].name, presets[p]);
            expect(json, "l1d_evictions", 0, rows[i].name, presets[p]);
            expect(json, "l1d_store_evicts", 0, rows[i].name, presets[p]);
            expect(json, "l1d_fills", passes ? 5 : 2, rows[i].name, presets[p]);
            expect(json, "l2_accesses", passes ? 5 : 2, rows[i].name, presets[p]);
            expect(json, "l2_hits", passes ? 3 : 0, rows[i].name, presets[p]);
            free(json);
            trace_close(t);
        }
}

/* A global store leaves no line in a write-evict L1, whatever its operator; one written through loses it to .cg
 * alone. */
static void a_store_evicts_whatever_its_operator(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) + 2; i++)
        for (size_t p = 0; p < COUNT_OF(presets); p++) {
            const struct synth_operator of_store[] = {{.cache_op = TRACE_CACHE_WB}, {.cache_op = TRACE_CACHE_WT}};
            const struct synth_operator op = i < COUNT_OF(rows) ? rows[i].op : of_store[i - COUNT_OF(rows)];
            const char *name = i < COUNT_OF(rows) ? rows[i].name : "a store's own";
            const bool stays = strcmp(presets[p], "volta80") == 0 && op.cache_op != TRACE_CACHE_CG;
            struct synth s;
            synth_begin_operator(&s, 1, 1, op);
            synth_cta(&s);
            access_line(&s, SYNTH_LOAD_2, 0);
            access_line(&s, SYNTH_STORE_OP, 0);
            access_line(&s, SYNTH_LOAD_2, 0);
            synth_cta_end(&s);
            struct trace *t = synth_end(&s);
            char *json = run_on(t, presets[p], NULL);
            expect(json, "l1d_store_evicts", !stays, name, presets[p]);
            expect(json, "l1d_load_hits", stays, name, presets[p]);
            expect(json, "l1d_misses", stays ? 1 : 2, name, presets[p]);
            expect(json, "l1d_stores", 1, name, presets[p]);
            expect(json, "l1d_load_evicts", 0, name, presets[p]);
            expect(json, "l2_accesses", stays ? 2 : 3, name, presets[p]);
            free(json);
            trace_close(t);
        }
}

/* Warps 0 and 1 ask for one line at once, warp 2 for another twice: only loads that may hit wait for one another's
 * miss, and on Volta ask L2 too, as they come close behind it. */
static void a_load_past_L1_waits_for_no_miss_of_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t p = 0; p < COUNT_OF(presets); p++) {
            struct synth s;
            synth_begin_operator(&s, 1, 3, rows[i].op);
            synth_cta(&s);
            synth_access(&s, 0, SYNTH_LOAD_2, 1, 0, 0);
            synth_access(&s, 1, SYNTH_LOAD_OP, 1, 0, 0);
            synth_access(&s, 2, SYNTH_LOAD_OP, 1, 128, 0);
            synth_access(&s, 2, SYNTH_LOAD_5, 1, 128, 0);
            synth_cta_end(&s);
            struct trace *t = synth_end(&s);
            char *json = run_on(t, presets[p], NULL);
            expect(json, "l1d_mshr_merges", rows[i].passes ? 0 : 2, rows[i].name, presets[p]);
            expect(json, "l1d_misses", 2, rows[i].name, presets[p]);
            expect(json, "l1d_passed", rows[i].passes ? 2 : 0, rows[i].name, presets[p]);
            expect(json, "l1d_load_evicts", 0, rows[i].name, presets[p]); /* what is on its way still comes */
            const double again = !rows[i].passes && strcmp(presets[p], "volta80") == 0 ? 2 : 0; /* l1.tag_cycles */
            expect(json, "l1d_asked_again", again, rows[i].name, presets[p]);
            expect(json, "l2_accesses", rows[i].passes ? 4 : 2 + again, rows[i].name, presets[p]);
            free(json);
            trace_close(t);
        }
}

/* By address: the static instruction is one of global memory. L1 may hold the only copy of what a thread stored. */
static void a_volatile_generic_load_of_local_memory_stays_in_L1(void **state)
{
    const struct synth_operator is_volatile = {.is_volatile = true};
    const uint64_t local = TRACE_LOCAL_WINDOW - 0x7f0000000000ull;
    struct synth s;
    (void)state;
    synth_begin_operator(&s, 1, 1, is_volatile);
    synth_cta(&s);
    synth_access(&s, 0, SYNTH_STORE, 1, local, 0);
    synth_op(&s, 0, SYNTH_FENCE, ~0u);
    synth_access(&s, 0, SYNTH_LOAD_OP, 1, local, 0);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    static const char *const keeps[] = {"fetch.ideal=1", "l1.local_stores=back_allocate", NULL};
    char *json = synth_run_both(t, (struct synth_run){.preset = "volta80", .set = keeps});
    expect(json, "l1d_local_stores_kept", 1, ".volatile", "volta80");
    expect(json, "l1d_load_hits", 1, ".volatile", "volta80");
    expect(json, "l1d_passed", 0, ".volatile", "volta80");
    expect(json, "l2_accesses", 0, ".volatile", "volta80");
    free(json);
    trace_close(t);
}

/* The same of loads that a mechanism would send around L1, when they enter (bucl) or when they are stuck (mrpb). */
static void mechanisms_send_no_generic_load_of_local_memory_around_L1(void **state)
{
    static const char *const tight[] = {"fetch.ideal=1", "l1.mshrs=1", NULL};
    static const char *const mechs[] = {"bucl,mode=fixed,TUCD=5,access=0", "mrpb,reorder=0"};
    (void)state;
    for (int is_local = 0; is_local < 2; is_local++) {
        struct synth s;
        synth_begin(&s, 1, 1);
        synth_cta(&s);
        const uint64_t base = is_local ? TRACE_LOCAL_WINDOW - 0x7f0000000000ull : 0;
        synth_access(&s, 0, SYNTH_LOAD_2, ~0u, base, 128);
        synth_cta_end(&s);
        struct trace *t = synth_end(&s);
        for (size_t m = 0; m < COUNT_OF(mechs); m++) {
            char *json =
                synth_run_both(t, (struct synth_run){.preset = "fermi15-hash", .set = tight, .mech = mechs[m]});
            assert_int_equal(is_local, synth_value(json, "l1d_bypassed") == 0);
            free(json);
        }
        trace_close(t);
    }
}

/* A perfect L1 is one for the loads that go through it. */
static void a_perfect_L1_is_passed_too(void **state)
{
    static const char *const perfect[] = {"fetch.ideal=1", "ideal.perfect_l1=1", NULL};
    struct synth s;
    (void)state;
    synth_begin_operator(&s, 1, 1, (struct synth_operator){.cache_op = TRACE_CACHE_CG});
    synth_cta(&s);
    access_line(&s, SYNTH_LOAD_2, 0);
    access_line(&s, SYNTH_LOAD_OP, 0);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    char *json = synth_run_both(t, (struct synth_run){.preset = "fermi15", .set = perfect});
    expect(json, "l1d_load_hits", 1, ".cg", "a perfect L1");
    expect(json, "l1d_passed", 1, ".cg", "a perfect L1");
    expect(json, "l2_accesses", 1, ".cg", "a perfect L1");
    free(json);
    trace_close(t);
}

/* A mechanism has no say in where such a load goes, and counts none as its own. */
static void mechanisms_are_not_asked_where_it_goes(void **state)
{
    (void)state;
    for (int passes = 0; passes < 2; passes++) {
        struct synth s;
        synth_begin_operator(&s, 1, 1, (struct synth_operator){.cache_op = passes ? TRACE_CACHE_CG : TRACE_CACHE_CA});
        synth_cta(&s);
        for (uint32_t i = 0; i < 4; i++) synth_access(&s, 0, SYNTH_LOAD_OP, ~0u, 0, 128);
        synth_cta_end(&s);
        struct trace *t = synth_end(&s);
        char *json = run_on(t, "fermi15-hash", "bucl,mode=fixed,TUCD=5,access=0");
        const char *loads = strstr(json, passes ? "\"bypassed_loads\":0" : "\"bypassed_loads\":4");
        if (!loads) fail_msg("%s", json);
        expect(json, "l1d_bypassed", 128, "loads of 32 lines", "fermi15-hash");
        expect(json, "l1d_passed", passes ? 128 : 0, "loads of 32 lines", "fermi15-hash");
        free(json);
        trace_close(t);
    }
}

/* ---- single units ---- */

static uint32_t evicted;
static void note_eviction(void *self, const struct line_event *event)
{
    (void)self;
    assert_true(event->by_store);
    evicted = event->line;
}

static void operator_and_scope_travel_with_each_request(void **state)
{
    struct l1 l1 = {0};
    (void)state;
    l1_init(&l1, params, 0, 0, &arena);
    bypasses_place(&l1.bypasses, &arena, true);
    bypasses_init(&l1.bypasses);
    const struct l1_access load = {
        .line = 3, .sectors = 2, .may_pollute = true, .op = MEMORY_OP(TRACE_CACHE_CS, TRACE_SCOPE_CTA)};
    const struct l1_access past = {.line = 4, .sectors = 2, .op = MEMORY_OP(TRACE_CACHE_CV, TRACE_SCOPE_SYS)};
    const struct l1_access store = {.line = 5, .sectors = 2, .op = MEMORY_OP(TRACE_CACHE_WT, TRACE_SCOPE_GPU)};
    assert_int_equal(L1_MISS, l1_load(&l1, &load, 0));
    assert_int_equal(L1_SENT, l1_bypass(&l1, &past, past.sectors, true, 0));
    assert_int_equal(L1_SENT, l1_send(&l1, REQUEST_WRITE, &store, 0, false, 0));
    const struct l1_access *const sent[] = {&load, &past, &store};
    for (size_t i = 0; i < COUNT_OF(sent); i++) {
        const struct request r = request_fifo_pop(&l1.to_xbar);
        assert_int_equal(sent[i]->line, r.line);
        assert_int_equal(sent[i]->op, r.op);
        assert_int_equal(i == 0 ? l1.tags.all : 2, r.sectors); /* past L1 it asks for what it touches */
    }
}

static void a_line_goes_with_the_request_and_is_told_as_for_a_store(void **state)
{
    struct hooks hooks = {0};
    struct l1 l1 = {0};
    const uint32_t *targets;
    (void)state;
    params->l1.miss_queue = 1;
    l1_init(&l1, params, 0, 0, &arena);
    bypasses_place(&l1.bypasses, &arena, true);
    bypasses_init(&l1.bypasses);
    hooks.on_evict.n = 1;
    hooks.on_evict.at[0].tell = note_eviction;
    l1.hooks = &hooks;
    const struct l1_access ordinary = {.line = 3, .sectors = 1, .may_pollute = true};
    const struct l1_access past = {.line = 3, .sectors = 1, .op = MEMORY_OP(TRACE_CACHE_CG, TRACE_SCOPE_NONE)};
    assert_int_equal(L1_MISS, l1_load(&l1, &ordinary, 0));
    assert_int_equal(L1_FAIL_QUEUE, l1_bypass(&l1, &past, 1, true, 0));
    const struct request r = request_fifo_pop(&l1.to_xbar);
    l1_fill(&l1, &(struct reply){.token = r.token, .kind = r.kind, .sectors = r.sectors}, &targets, 9);
    const struct l1_access another = {.line = 8, .sectors = 1};
    assert_int_equal(L1_SENT, l1_bypass(&l1, &another, 1, true, 9));     /* the queue is full again */
    assert_int_equal(L1_FAIL_QUEUE, l1_bypass(&l1, &past, 1, true, 10)); /* and what fails changes nothing */
    assert_int_equal(L1_HIT, l1_load(&l1, &ordinary, 11));
    assert_int_equal(0, evicted);
    request_fifo_pop(&l1.to_xbar);
    assert_int_equal(L1_SENT, l1_bypass(&l1, &past, 1, true, 12));
    assert_int_equal(3, evicted);
    assert_int_equal(1, l1.stats.l1d_load_evicts);
    request_fifo_pop(&l1.to_xbar);
    assert_int_equal(L1_MISS, l1_load(&l1, &ordinary, 13));
}

/* ---- whole runs ---- */

static void runs_with_operators_are_the_same_with_every_cycle_ticked(void **state)
{
    static const char *const mechs[] = {NULL, "bucl", "mrpb", "ccws", "tuple,N=3,p=1"};
    static const char *const tight[] = {"l1.miss_queue=1", "lsu.pipeline_width=1", NULL};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i += 5) { /* none, .cta and .volatile: the others go the same ways */
        struct trace *t = synth_operators(24, 6, 12, rows[i].op);
        for (size_t p = 0; p < COUNT_OF(presets); p++)
            for (size_t m = 0; m < COUNT_OF(mechs); m++)
                free(synth_run_both(t, (struct synth_run){.preset = presets[p], .mech = mechs[m]}));
        free(synth_run_both(t, (struct synth_run){.set = tight}));
        trace_close(t);
    }
}

/* Requests past L1 belong to the machine: a snapshot holds them, and another stack may take over meanwhile. */
static void a_launch_with_loads_past_L1_can_be_copied_and_given_other_mechanisms(void **state)
{
    struct trace *t = synth_operators(24, 6, 12, (struct synth_operator){.is_volatile = true});
    struct plan *plan;
    struct mech_spec swl;
    struct simulation *whole, *copied;
    struct snapshot *snapshot = NULL;
    struct gpu_result a, b;
    (void)state;
    assert_ok(gpu_params_load(params, "kepler32", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(mech_parse(&swl, "swl,N=2", &err), &err);
    assert_ok(simulation_new(&whole, plan, params, NULL, 0, NULL, NULL, &err), &err);
    assert_ok(simulation_new(&copied, plan, params, NULL, 0, NULL, NULL, &err), &err);
    assert_int_equal(0, simulation_run(whole, 400, &err));
    assert_ok(simulation_snapshot(whole, &snapshot, &err), &err);
    assert_ok(simulation_restore(copied, snapshot, &err), &err);
    assert_ok(simulation_switch(whole, &swl, 1, &err), &err);
    assert_ok(simulation_switch(copied, &swl, 1, &err), &err);
    assert_int_equal(1, simulation_run(whole, 0, &err));
    assert_int_equal(1, simulation_run(copied, 0, &err));
    assert_ok(simulation_end(whole, &a, &err), &err);
    assert_ok(simulation_end(copied, &b, &err), &err);
    assert_memory_equal(a.stats, b.stats, gpu_stat_table.size);
    assert_true(gpu_stats_value(a.stats, "l1d_passed") > 0);
    gpu_result_free(&a);
    gpu_result_free(&b);
    simulation_free(whole);
    simulation_free(copied);
    snapshot_free(snapshot);
    mech_free(&swl);
    plan_free(plan);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_past_L1_neither_hits_nor_leaves_a_line),
        cmocka_unit_test(a_store_evicts_whatever_its_operator),
        cmocka_unit_test(a_load_past_L1_waits_for_no_miss_of_another),
        cmocka_unit_test(a_volatile_generic_load_of_local_memory_stays_in_L1),
        cmocka_unit_test(mechanisms_send_no_generic_load_of_local_memory_around_L1),
        cmocka_unit_test(a_perfect_L1_is_passed_too),
        cmocka_unit_test(mechanisms_are_not_asked_where_it_goes),
        T(operator_and_scope_travel_with_each_request),
        T(a_line_goes_with_the_request_and_is_told_as_for_a_store),
        cmocka_unit_test(runs_with_operators_are_the_same_with_every_cycle_ticked),
        T(a_launch_with_loads_past_L1_can_be_copied_and_given_other_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
