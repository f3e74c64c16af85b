/* The timing model as a whole: latency ladders, conservation (checked inside every run), determinism, monotonicity,
 * limits. */
#include "synth.h"
#include "where.h"

static double run_value(const struct trace *t, const char *name, const char *mech, const char *const *set)
{
    char *text = synth_run_json(t, &(struct synth_run){.mech = mech, .set = set});
    const double v = synth_value(text, name);
    free(text);
    return v;
}

/* [THESIS §2.2.2] The slowest clock's period is two core cycles. */
static void a_pointer_chase_sees_35_120_and_220_cycles(void **state)
{
    (void)state;
    struct trace *hits = synth_chase(2000, 128, 4096);            /* fits L1 */
    struct trace *l2 = synth_chase(4000, 128, 64 * 1024);         /* fits L2: after the first pass every miss hits
                                                                   * there */
    struct trace *dram = synth_chase(16, 128 * 24 * 8, 1u << 30); /* every access opens another bank's first row */
    const double per_hit = (run_value(hits, "core_cycles", NULL, NULL) - 32 * 220) / (2000 - 32);
    assert_true(per_hit >= 35 && per_hit <= 37);
    const double hit_latency = run_value(l2, "l2_hit_latency_cycles", NULL, NULL);
    print_message("L1 hit %.2f, L2 hit %.2f, DRAM %.2f cycles\n", per_hit, hit_latency,
                  run_value(dram, "aml_cycles", NULL, NULL));
    assert_true(hit_latency >= 118 && hit_latency <= 122);
    const double dram_latency = run_value(dram, "aml_cycles", NULL, NULL);
    assert_true(dram_latency >= 218 && dram_latency <= 222);
    assert_true(run_value(dram, "dram_activates", NULL, NULL) <= 18); /* with the code's own line */
    trace_close(hits);
    trace_close(l2);
    trace_close(dram);
}

static void skipping_cycles_changes_no_byte(void **state)
{
    (void)state;
    static const char *const mechs[] = {
        NULL, "tuple,N=3,p=1", "swl,N=2",
        "poise,model=" POISE_SOURCE_DIR
        "/models/poise-thesis.json,T_period=20000,T_warmup=200,T_feature=1000,T_correct=400"};
    for (uint32_t seed = 1; seed <= (POISE_SANITIZED ? 1 : 2); seed++) {
        struct trace *t = synth_mixture(POISE_SANITIZED ? 24 : 64, 6, 12, seed);
        for (size_t i = 0; i < COUNT_OF(mechs); i++) {
            char *a = synth_run_both(t, (struct synth_run){.mech = mechs[i]});
            free(a);
        }
        trace_close(t);
    }
}

static void other_clocks_and_sizes_keep_conservation_and_determinism(void **state)
{
    (void)state;
    static const char *const odd[] = {"clock.core_mhz=1000",
                                      "clock.xbar_mhz=633",
                                      "clock.l2_mhz=451",
                                      "clock.dram_mhz=1201",
                                      "core.sms=3",
                                      "l1.mshrs=3",
                                      "l1.miss_queue=1",
                                      "l1.mshr_merge=2",
                                      "l2.mshrs=2",
                                      "l2.response_queue=1",
                                      "l2.access_queue=1",
                                      "l2.miss_queue=2",
                                      "l2.sets=3",
                                      "dram.queue=1",
                                      "lsu.pipeline_width=1",
                                      "lsu.pending_loads=16",
                                      NULL};
    struct trace *t = synth_mixture(20, 6, 16, 7);
    char *a = synth_run_both(t, (struct synth_run){.set = odd});
    assert_true(synth_value(a, "warps") == 120);
    free(a);
    trace_close(t);
}

static void every_kind_of_machine_skips_cycles_without_changing_a_byte(void **state)
{
    (void)state;
    static const char *const machines[][8] = {
        {"core.scheduler=lrr", NULL},
        {"core.scheduler=two_level", "core.active_warps=3", NULL},
        {"l1.late_lookup=1", "l1.set_index=fermi", "l2.write_miss=fetch", NULL},
        {"l2.write_miss=through", "fetch.ideal=1", NULL},
        {"xbar.whole_packets=1", "l2.fill_port=1", "l2.round_trip_cycles=0", "l2.added_cycles=120", NULL},
        {"dram.bank_groups=4", "dram.tCCDL=3", "dram.tRTPL=2", "dram.extra_cycles=0", "dram.added_cycles=100", NULL},
        {"ideal.memory=infinite", NULL},
        {"ideal.memory=dram", NULL},
        {"ideal.memory=fixed", "ideal.latency_cycles=77", NULL},
        {"ideal.perfect_l1=1", NULL},
        {"l2.bank_index=chunked", "l2.interleave_lines=2", "l1.set_index=linear", NULL},
        {"l2.bank_index=linear", "core.operand_cycles=6", NULL},
        {"xbar.speedup=2", NULL},
        {"xbar.speedup=2", "xbar.output_buffer=7", NULL},
        {"dram.outstanding=40", "dram.added_cycles=100", "dram.paired_commands=1", "dram.tRTW=12", "dram.tRCDWR=7",
         "dram.channels=2", NULL},
        {"l2.bank_index=addresses", "l2.interleave_lines=2", "l2.merge_touches=1", NULL},
        {"l2.set_index=fermi", "l2.sets=64", "dram.bank_groups=4", "dram.tCCDL=3", "dram.group_index=high", NULL},
        {"dram.part=hbm2", "dram.channels=2", "dram.tREFI=700", NULL},
        {"dram.part=gddr6_pc", "dram.refresh=bank", "dram.channels=2", "dram.extra_cycles=0", NULL},
        {"dram.tREFI=400", "dram.tRFC=90", "dram.queue=4", NULL},
    };
    const uint32_t n_ctas = POISE_SANITIZED ? 8 : 40;
    struct trace *t = synth_mixture(n_ctas, 6, 10, 21);
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        char *a = synth_run_both(t, (struct synth_run){.set = machines[i]});
        assert_true(synth_value(a, "warps") == 6 * n_ctas);
        free(a);
    }
    trace_close(t);
}

static void idealised_memories_are_ordered_and_have_the_latency_they_name(void **state)
{
    (void)state;
    static const char *const infinite[] = {"ideal.memory=infinite", NULL}, *const dram[] = {"ideal.memory=dram", NULL};
    static const char *const fixed[] = {"ideal.memory=fixed", "ideal.latency_cycles=77", NULL},
                             *const perfect[] = {"ideal.perfect_l1=1", NULL};
    struct trace *t = synth_rows(128, 8, 32, 1), *chase = synth_chase(200, 128, 1 << 20);
    const double base = run_value(t, "core_cycles", NULL, NULL);
    /* L1 thrashes: another order of arrival may cost a little */
    assert_true(run_value(t, "core_cycles", NULL, dram) <= 1.02 * base);
    assert_true(run_value(t, "core_cycles", NULL, infinite) < run_value(t, "core_cycles", NULL, dram));
    assert_true(run_value(t, "core_cycles", NULL, perfect) < run_value(t, "core_cycles", NULL, infinite));
    assert_true(run_value(chase, "aml_cycles", NULL, fixed) == 77);
    assert_true(run_value(chase, "aml_cycles", NULL, infinite) == 220);
    assert_true(run_value(t, "l1d_hit_rate", NULL, perfect) == 1);
    trace_close(t);
    trace_close(chase);
}

static void queues_are_metered_over_their_usage_lifetime(void **state)
{
    (void)state;
    struct trace *t = synth_rows(192, 8, 32, 1);
    char *a = synth_run_json(t, &(struct synth_run){0});
    const double cycles = synth_value(a, "core_cycles");
    static const char *const bins[] = {"le25", "le50", "le75", "lt100", "full"};
    double l2 = 0, dram = 0;
    for (size_t i = 0; i < COUNT_OF(bins); i++) {
        char name[64];
        snprintf(name, sizeof name, "l2_access_queue_%s_cycles", bins[i]);
        l2 += synth_value(a, name);
        snprintf(name, sizeof name, "dram_queue_%s_cycles", bins[i]);
        dram += synth_value(a, name);
    }
    assert_true(l2 > 0 && l2 <= 24 * (cycles / 2 + 1));
    assert_true(dram > 0 && dram <= 6 * (cycles * 0.66 + 1));
    assert_true(synth_value(a, "dram_efficiency") > 0 && synth_value(a, "dram_efficiency") <= 1);
    free(a);
    trace_close(t);
    t = synth_chase(400, 128, 1 << 20); /* lone requests: the bus is busy for a part of each one's time */
    a = synth_run_json(t, &(struct synth_run){0});
    assert_true(synth_value(a, "dram_efficiency") > 0.1 && synth_value(a, "dram_efficiency") <= 1);
    free(a);
    trace_close(t);
}

static void a_second_launch_finds_in_L2_what_the_first_left(void **state)
{
    (void)state;
    struct error err;
    struct plan *plan;
    struct gpu_result first, second, cold;
    struct gpu_params *params = gpu_params_new();
    struct trace *t = synth_rows(32, 8, 32, 1); /* 1 MB: fits L2 */
    assert_ok(plan_new(&plan, t, params, &err), &err);
    struct gpu_carry *carry = gpu_carry_new(params);
    assert_ok(gpu_run_carry(&first, plan, params, NULL, 0, NULL, carry, &err), &err);
    assert_ok(gpu_run_carry(&second, plan, params, NULL, 0, NULL, carry, &err), &err);
    assert_ok(gpu_run(&cold, plan, params, NULL, 0, NULL, &err), &err);
    assert_true(gpu_stats_value(first.stats, "core_cycles") == gpu_stats_value(cold.stats, "core_cycles"));
    assert_true(gpu_stats_value(second.stats, "dram_reads") < 0.05 * gpu_stats_value(first.stats, "dram_reads"));
    assert_true(gpu_stats_value(second.stats, "l2_hit_rate") > gpu_stats_value(first.stats, "l2_hit_rate"));
    gpu_result_free(&first);
    gpu_result_free(&second);
    gpu_result_free(&cold);
    gpu_carry_free(carry);
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
}

/* A launch that loads 32 words from an offset on; INT64_MAX: none. */
static struct trace *loads_at(int64_t offset)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    if (offset != INT64_MAX) synth_access(&s, 0, SYNTH_LOAD_2, ~0u, (uint64_t)offset, 4);
    synth_op(&s, 0, SYNTH_USE_2, ~0u);
    synth_cta_end(&s);
    return synth_end(&s);
}

/* Memory from a multiple of 16 GB on, a little before it (as programs that read before their first array), and none. */
static void launches_that_count_lines_from_different_ones_carry_L2_over_from_one_that_all_share(void **state)
{
    static const int64_t offsets[] = {0, -64, INT64_MAX, 0};
    enum { N = COUNT_OF(offsets) };
    (void)state;
    struct error err;
    struct trace *traces[N];
    struct plan *plans[N];
    struct plan_lines lines[N];
    uint64_t first = 1;
    double reads[N];
    struct gpu_params *params = gpu_params_new();
    assert_ok(gpu_params_set(params, "l1.flush_between", "true", &err), &err);
    for (size_t i = 0; i < N; i++) {
        traces[i] = loads_at(offsets[i]);
        assert_ok(plan_new(&plans[i], traces[i], params, &err), &err);
        lines[i] = plan_lines(plans[i]);
        assert_true(lines[i].is_own && (lines[i].low <= lines[i].high) == (offsets[i] != INT64_MAX));
        plan_free(plans[i]);
    }
    assert_true(lines[0].first != lines[1].first);
    assert_ok(plan_lines_join(&first, lines, 1, params, &err), &err);
    assert_true(first == lines[0].first);
    assert_ok(plan_lines_join(&first, lines, N, params, &err), &err);
    assert_true(first && first <= lines[1].low && first < lines[0].first);
    struct gpu_carry *carry = gpu_carry_new(params);
    for (size_t i = 0; i < N; i++) {
        struct gpu_result result;
        assert_ok(plan_new_from(&plans[i], traces[i], params, first, &err), &err);
        assert_ok(gpu_run_carry(&result, plans[i], params, NULL, 0, NULL, carry, &err), &err);
        reads[i] = gpu_stats_value(result.stats, "dram_reads");
        gpu_result_free(&result);
        plan_free(plans[i]);
        trace_close(traces[i]);
    }
    gpu_carry_free(carry);
    assert_true(reads[0] > 0 && reads[1] > 0 && reads[1] <= reads[0]); /* one line before the first launch's */
    assert_true(reads[2] == 0 && reads[3] == 0);                       /* which the last finds in L2 */
    lines[1].low = lines[1].high = lines[0].low + (1u << 27);
    lines[1].first = lines[1].low;
    assert_int_equal(plan_lines_join(&first, lines, N, params, &err), -1);
    assert_non_null(strstr(err.text, "more than 16 GB apart"));
    gpu_params_free(params);
}

/* Lines that were on their way when a limit ended the first launch have not come: nobody may wait for them. */
static void a_launch_behind_one_that_a_limit_ended_misses_what_had_not_arrived(void **state)
{
    (void)state;
    struct error err;
    struct trace *t = synth_mixture(8, 4, 6, 5);
    static const char *const machines[] = {"kepler32", "volta80", "titanx"}; /* plain and sectored lines */
    for (size_t m = 0; m < COUNT_OF(machines); m++) {
        struct plan *plan;
        struct gpu_params *params = gpu_params_new();
        assert_ok(gpu_params_load(params, machines[m], POISE_SOURCE_DIR "/experiments/configs", &err), &err);
        assert_ok(gpu_params_set(params, "core.sms", "2", &err), &err);
        assert_ok(gpu_params_set(params, "l1.flush_between", "false", &err), &err);
        assert_ok(plan_new(&plan, t, params, &err), &err);
        const uint64_t most = m == 0 ? 3000 : 1500; /* all before the launch is over */
        for (uint64_t limit = 60; limit < most; limit += most / (POISE_SANITIZED ? 7 : 17)) {
            double cycles[2];
            for (int ticks = 0; ticks < 2; ticks++) {
                struct gpu_result first, second;
                struct gpu_carry *carry = gpu_carry_new(params);
                const struct gpu_limits part = {.max_cycles = limit, .no_skip = ticks},
                                        whole = {.watchdog_cycles = 70000, .no_skip = ticks};
                assert_ok(gpu_run_carry(&first, plan, params, NULL, 0, &part, carry, &err), &err);
                assert_false(first.complete);
                assert_ok(gpu_run_carry(&second, plan, params, NULL, 0, &whole, carry, &err), &err);
                assert_true(second.complete);
                cycles[ticks] = gpu_stats_value(second.stats, "core_cycles");
                gpu_result_free(&first);
                gpu_result_free(&second);
                gpu_carry_free(carry);
            }
            assert_true(cycles[0] == cycles[1]);
        }
        plan_free(plan);
        gpu_params_free(params);
    }
    trace_close(t);
}

static void every_instruction_of_the_trace_is_issued_once(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(64, 8, 12, 3);
    uint64_t lanes = 0;
    for (uint64_t i = 0; i < t->n_steps; i++) lanes += (uint64_t)__builtin_popcount(t->steps[i].mask);
    char *a = synth_run_json(t, &(struct synth_run){0});
    assert_true(synth_value(a, "warp_insts") == (double)t->n_steps);
    assert_true(synth_value(a, "thread_insts") == (double)lanes);
    free(a);
    trace_close(t);
}

static void barriers_do_not_deadlock_at_N_1(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(40, 12, 16, 11);
    assert_true(run_value(t, "warps", "tuple,N=1,p=1", NULL) == 480);
    assert_true(run_value(t, "warps", "swl,N=1", NULL) == 480);
    trace_close(t);
}

/* CTA 7's warps wait at two barriers, each for the other; `limit` 0: none. */
static struct error deadlock_of(const struct trace *t, const char *mech, const char *set, bool no_skip, uint64_t limit)
{
    struct error err = {0};
    struct plan *plan;
    struct gpu_result result;
    struct mech_spec spec;
    struct gpu_params *params = gpu_params_new();
    const struct gpu_limits limits = {.no_skip = no_skip, .max_cycles = limit};
    if (set) assert_ok(gpu_params_set(params, set, "fixed", &err), &err);
    if (mech) assert_ok(mech_parse(&spec, mech, &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_int_equal(-1, gpu_run(&result, plan, params, &spec, mech ? 1 : 0, &limits, &err));
    gpu_result_free(&result);
    plan_free(plan);
    if (mech) mech_free(&spec);
    gpu_params_free(params);
    return err;
}

/* Warp 3 of CTA 7 waits at another barrier than the others. */
static struct trace *never_complete(void)
{
    struct synth s;
    synth_begin(&s, 200, 4);
    for (uint32_t c = 0; c < 200; c++) {
        synth_cta(&s);
        for (uint32_t w = 0; w < 4; w++) {
            synth_access(&s, w, SYNTH_LOAD_2, ~0u, 65536ull * c + 4096 * w, 128);
            synth_access(&s, w, SYNTH_STORE, ~0u, 65536ull * c + 4096 * w, 128);
            synth_op(&s, w, c == 7 && w == 3 ? SYNTH_BARRIER_1 : SYNTH_BARRIER, ~0u);
            synth_op(&s, w, SYNTH_USE_2, ~0u);
        }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

static void a_barrier_that_is_never_complete_is_the_same_deadlock_with_and_without_skipping(void **state)
{
    (void)state;
    struct trace *t = never_complete();
    static const struct {
        const char *mech, *set;
        uint64_t limit;
    } cases[] = {{NULL, NULL, 0},
                 {NULL, NULL, 200000},
                 {"swl,N=1", NULL, 200000},
                 {"tuple,N=2,p=1", NULL, 200000},
                 {NULL, "ideal.memory", 200000},
                 {"ccws", NULL, 200000},
                 {"pcal", NULL, 200000},
                 {"random_restart", NULL, 200000},
                 {"mrpb", NULL, 200000},
                 {"bucl", NULL, 200000}};
    for (size_t i = 0; i < COUNT_OF(cases); i += POISE_SANITIZED ? 4 : 1) { /* a million cycles, ticked: slow there */
        const struct error skipping = deadlock_of(t, cases[i].mech, cases[i].set, false, cases[i].limit);
        const struct error ticking = deadlock_of(t, cases[i].mech, cases[i].set, true, cases[i].limit);
        assert_int_equal(ERR_DEADLOCK, skipping.code);
        assert_int_equal(5, error_exit_status(&ticking));
        assert_string_equal(skipping.text, ticking.text);
        assert_non_null(strstr(ticking.text, "199 of 200 CTAs done"));
    }
    trace_close(t);
}

/* Replies come faster than a warp's turn, and a line has no place but one. */
static void a_line_serves_who_asked_for_it_though_another_replaces_it_before_their_turn(void **state)
{
    (void)state;
    struct trace *t = synth_any(12, 8, 40, 5);
    for (uint32_t latency = 0; latency <= 6; latency++) {
        char text[40];
        snprintf(text, sizeof text, "ideal.latency_cycles=%u", latency);
        const char *const set[] = {"ideal.memory=fixed", text, "fetch.sets=1", "fetch.ways=1", "fetch.inst_bytes=16",
                                   "fetch.mshrs=1",      NULL};
        char *stats = synth_run_both(t, (struct synth_run){.set = set});
        assert_true(synth_value(stats, "warp_insts") == (double)t->n_steps);
        assert_true(synth_value(stats, "l1i_misses") <= synth_value(stats, "fetches"));
        free(stats);
    }
    trace_close(t);
}

/* What would be printed as a figure is a hang. Epochs go on all the while. */
static void a_limit_in_a_run_that_stands_is_a_deadlock_and_one_in_a_run_that_goes_on_is_not(void **state)
{
    (void)state;
    struct trace *t = never_complete();
    static const char *const mechs[] = {"ccws", "pcal"};
    for (size_t i = 0; i < COUNT_OF(mechs); i++) {
        const struct error skipping = deadlock_of(t, mechs[i], NULL, false, 150000),
                           ticking = deadlock_of(t, mechs[i], NULL, true, 150000);
        assert_int_equal(ERR_DEADLOCK, skipping.code);
        assert_non_null(strstr(skipping.text, "199 of 200 CTAs done"));
        assert_string_equal(skipping.text, ticking.text);
    }
    char *stats = synth_run_json(t, &(struct synth_run){.max_cycles = 600});
    assert_true(synth_value(stats, "core_cycles") == 600);
    free(stats);
    trace_close(t);
}

static void rows_that_thrash_are_faster_with_fewer_warps(void **state)
{
    (void)state;
    struct trace *t = synth_rows(64, 8, 32, 2);
    const double all = run_value(t, "core_cycles", NULL, NULL),
                 few = run_value(t, "core_cycles", "tuple,N=2,p=2", NULL);
    const double all_hits = run_value(t, "l1d_hit_rate", NULL, NULL),
                 few_hits = run_value(t, "l1d_hit_rate", "tuple,N=2,p=2", NULL);
    print_message("thrashing rows: %.0f cycles with all warps (L1 hits %.3f), %.0f with two (%.3f)\n", all, all_hits,
                  few, few_hits);
    assert_true(few < 0.9 * all);
    assert_true(few_hits > all_hits);
    trace_close(t);
}

static void a_64_times_larger_L1_costs_at_most_2_percent(void **state)
{
    (void)state;
    static const char *const large[] = {"l1.ways=256", NULL};
    struct trace *traces[] = {synth_rows(64, 8, 32, 1), synth_mixture(64, 8, 16, 5), synth_chase(500, 128, 1 << 20)};
    for (size_t i = 0; i < COUNT_OF(traces); i++) {
        assert_true(run_value(traces[i], "core_cycles", NULL, large) <=
                    1.02 * run_value(traces[i], "core_cycles", NULL, NULL));
        trace_close(traces[i]);
    }
}

static void a_tuple_of_all_warps_equals_no_mechanism(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(64, 6, 12, 9);
    const double a = run_value(t, "core_cycles", NULL, NULL);
    assert_true(a == run_value(t, "core_cycles", "gto", NULL));
    assert_true(a == run_value(t, "core_cycles", "tuple,N=24,p=24", NULL));
    assert_true(a == run_value(t, "core_cycles", "swl", NULL));
    trace_close(t);
}

static void warps_that_may_not_pollute_reserve_no_line(void **state)
{
    (void)state;
    struct trace *t = synth_rows(64, 8, 16, 1);
    char *a = synth_run_json(t, &(struct synth_run){.mech = "tuple,N=8,p=1"});
    assert_true(synth_value(a, "l1d_no_allocate") > 0);
    assert_true(synth_value(a, "l1d_no_allocate") < synth_value(a, "l1d_misses"));
    free(a);
    assert_true(run_value(t, "l1d_no_allocate", "tuple,N=8,p=8", NULL) == 0);
    trace_close(t);
}

/* Coalesced loads of neighbouring lines by every warp: DRAM binds, and FR-FCFS keeps its bus busy. */
static void streaming_reaches_80_percent_of_the_DRAM_limit(void **state)
{
    (void)state;
    struct synth s;
    synth_begin(&s, 192, 8);
    for (uint32_t c = 0; c < 192; c++) {
        synth_cta(&s);
        for (uint32_t w = 0; w < 8; w++)
            for (uint32_t k = 0; k < 24; k++) {
                synth_access(&s, w, SYNTH_LOAD_2, ~0u, ((k * 192ull + c) * 8 + w) * 128, 4);
                if (k % 4 == 3) synth_op(&s, w, SYNTH_USE_2, ~0u);
            }
        synth_cta_end(&s);
    }
    struct trace *t = synth_end(&s);
    char *a = synth_run_json(t, &(struct synth_run){0});
    const double bus = synth_value(a, "dram_bus_cycles") / (6 * synth_value(a, "core_cycles") * 924 / 1400);
    print_message("streaming: %.3f of the DRAM limit, efficiency %.3f\n", bus, synth_value(a, "dram_efficiency"));
    assert_true(bus >= 0.8 && bus <= 1);
    free(a);
    trace_close(t);
}

/* synth_access counts from 0x7f0000000000. */
static void lanes_of_a_generic_access_that_go_to_shared_memory_ask_for_no_line(void **state)
{
    (void)state;
    const int64_t window = (int64_t)TRACE_SHARED_WINDOW - 0x7f0000000000,
                  local = (int64_t)TRACE_LOCAL_WINDOW - 0x7f0000000000;
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, (uint64_t)window, 4); /* all lanes: one shared pass */
    synth_op(&s, 0, SYNTH_USE_2, ~0u);
    synth_access(&s, 0, SYNTH_LOAD_2, 3u, 0, window); /* lane 0 goes to global memory, lane 1 to shared */
    synth_op(&s, 0, SYNTH_USE_2, ~0u);
    synth_access(&s, 0, SYNTH_LOAD_2, 3u, 0, local); /* lane 1 goes to local memory */
    synth_op(&s, 0, SYNTH_USE_2, ~0u);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    char *a = synth_run_json(t, &(struct synth_run){0});
    assert_true(synth_value(a, "shared_passes") == 1);
    assert_true(synth_value(a, "line_requests") == 3);
    /* lane 0's line twice, one of local memory */
    assert_true(synth_value(a, "l1d_misses") == 2 && synth_value(a, "l1d_load_hits") == 1);
    free(a);
    trace_close(t);
}

static void a_cycle_limit_ends_the_run_incomplete_at_that_cycle(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(64, 6, 24, 2);
    char *a = synth_run_both(t, (struct synth_run){.max_cycles = 2000});
    assert_true(synth_value(a, "core_cycles") == 2000);
    assert_true(synth_value(a, "warps") < 384);
    free(a);
    trace_close(t);
}

static void a_cta_that_fits_no_SM_is_refused(void **state)
{
    (void)state;
    struct error err;
    struct plan *plan;
    struct gpu_params *params = gpu_params_new();
    struct trace *t = synth_mixture(1, 8, 1, 1);
    assert_ok(gpu_params_set(params, "core.max_threads", "128", &err), &err);
    assert_int_equal(-1, plan_new(&plan, t, params, &err));
    assert_non_null(strstr(err.text, "does not fit an SM (threads: it needs 256, an SM has 128)"));
    assert_non_null(strstr(err.hint, "--set core.max_threads=256"));
    gpu_params_free(params);
    trace_close(t);
}

/* A header of no bytes leaves requests and acknowledgements without payload empty: they hold their ports for a flit all
 * the same. */
static void a_packet_without_header_and_payload_is_still_one_flit(void **state)
{
    static const char *const without[] = {"core.sms=2", "xbar.header_bytes=0", NULL}, *const with[] = {
                                                                                          "core.sms=2",
                                                                                          "xbar.header_bytes=8", NULL};
    (void)state;
    struct trace *t = synth_mixture(8, 4, 8, 3);
    char *empty = synth_run_both(t, (struct synth_run){.set = without}),
         *whole = synth_run_both(t, (struct synth_run){.set = with});
    assert_true(synth_value(empty, "request_flits") >= synth_value(empty, "request_packets"));
    assert_true(synth_value(empty, "reply_flits") >= synth_value(empty, "reply_packets"));
    assert_true(synth_value(empty, "core_cycles") <=
                1.01 * synth_value(whole, "core_cycles")); /* another order may cost a little */
    free(empty);
    free(whole);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pointer_chase_sees_35_120_and_220_cycles),
        cmocka_unit_test(skipping_cycles_changes_no_byte),
        cmocka_unit_test(other_clocks_and_sizes_keep_conservation_and_determinism),
        cmocka_unit_test(every_kind_of_machine_skips_cycles_without_changing_a_byte),
        cmocka_unit_test(a_second_launch_finds_in_L2_what_the_first_left),
        cmocka_unit_test(launches_that_count_lines_from_different_ones_carry_L2_over_from_one_that_all_share),
        cmocka_unit_test(a_launch_behind_one_that_a_limit_ended_misses_what_had_not_arrived),
        cmocka_unit_test(every_instruction_of_the_trace_is_issued_once),
        cmocka_unit_test(barriers_do_not_deadlock_at_N_1),
        cmocka_unit_test(a_barrier_that_is_never_complete_is_the_same_deadlock_with_and_without_skipping),
        cmocka_unit_test(a_line_serves_who_asked_for_it_though_another_replaces_it_before_their_turn),
        cmocka_unit_test(a_limit_in_a_run_that_stands_is_a_deadlock_and_one_in_a_run_that_goes_on_is_not),
        cmocka_unit_test(a_tuple_of_all_warps_equals_no_mechanism),
        cmocka_unit_test(warps_that_may_not_pollute_reserve_no_line),
        cmocka_unit_test(streaming_reaches_80_percent_of_the_DRAM_limit),
        cmocka_unit_test(lanes_of_a_generic_access_that_go_to_shared_memory_ask_for_no_line),
        cmocka_unit_test(a_cycle_limit_ends_the_run_incomplete_at_that_cycle),
        cmocka_unit_test(a_cta_that_fits_no_SM_is_refused),
        cmocka_unit_test(a_packet_without_header_and_payload_is_still_one_flit),
    };
    const struct CMUnitTest figures[] = {
        /* of machines that the tests above run: sanitizers would find nothing in them */
        cmocka_unit_test(idealised_memories_are_ordered_and_have_the_latency_they_name),
        cmocka_unit_test(queues_are_metered_over_their_usage_lifetime),
        cmocka_unit_test(rows_that_thrash_are_faster_with_fewer_warps),
        cmocka_unit_test(a_64_times_larger_L1_costs_at_most_2_percent),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return POISE_SANITIZED ? failed : failed + cmocka_run_group_tests(figures, NULL, NULL);
}
