/* PCAL: the vote, the climb and the watch, driven through its hooks; then in the machine. */
#include "synth.h"

#include <jansson.h>
#include "driven.h"
#include "poise/sys/hooks.h"

extern const struct mech_type mech_pcal;
enum { SMS = 8, SCHEDULERS = 2, W = 24 };

/* A machine whose SMs issue as many instructions a window as the test says. */
struct rig {
    struct driven it;
    uint64_t now, insts[SMS], rate[SMS]; /* rate: warp instructions a cycle */
    struct gauges gauges;
    double utilisation;
};

static void read_gauges(void *machine, struct gauges *out) { *out = ((const struct rig *)machine)->gauges; }

static void rig_init(struct rig *r, const char *how)
{
    memset(r, 0, sizeof *r);
    driven_new(&r->it, &mech_pcal, how, &(struct mech_env){.sms = SMS, .schedulers = SCHEDULERS, .W = W});
}

static uint32_t N_of(const struct rig *r, uint32_t sm) { return driven_N(&r->it, sm, r->now); }
static uint32_t p_of(const struct rig *r, uint32_t sm) { return driven_p(&r->it, sm, r->now); }

/* Until the next decision: rates hold for the whole step. */
static void step(struct rig *r)
{
    const uint64_t warm = 1000, window = 4000;
    for (int k = 0; k < 3; k++) {
        const uint64_t cycles = k == 0 ? 0 : k == 1 ? warm : window;
        r->now += cycles;
        for (int g = 0; g < N_GAUGES; g++) {
            r->gauges.total[g] += cycles * 100;
            r->gauges.busy[g] += (uint64_t)((double)cycles * 100 * r->utilisation);
        }
        for (uint32_t i = 0; i < SMS; i++) {
            r->insts[i] += cycles * r->rate[i];
            const struct sm_view view = {
                .sm = i, .counters = {.cycles = r->now, .insts = r->insts[i]}, .machine = r, .gauges = read_gauges};
            const uint64_t next = mech_pcal.epoch(r->it.self, &view, r->now);
            assert_true(next == (k == 0 ? r->now + warm : k == 1 ? r->now + window : r->now + 1));
        }
    }
    r->now++;
}
/* The first SM decides for all at the cycle after the window. */
static void decide(struct rig *r)
{
    const struct sm_view view = {
        .sm = 0, .counters = {.cycles = r->now, .insts = r->insts[0]}, .machine = r, .gauges = read_gauges};
    mech_pcal.epoch(r->it.self, &view, r->now);
}
/* A window of the watch: no warm-up. */
static void watch(struct rig *r)
{
    for (uint64_t cycles = 0; cycles <= 4000; cycles += 4000) {
        r->now += cycles;
        for (uint32_t i = 0; i < SMS; i++) {
            r->insts[i] += cycles * r->rate[i];
            const struct sm_view view = {
                .sm = i, .counters = {.insts = r->insts[i]}, .machine = r, .gauges = read_gauges};
            mech_pcal.epoch(r->it.self, &view, r->now);
        }
    }
    r->now++;
    decide(r);
}
static uint64_t stat(const struct rig *r, const char *name) { return driven_stat(&r->it, name); }

static void with_N_4_and_8_SMs_each_p_has_two_voters_and_the_best_sum_wins(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "pcal,N=4");
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == 4 && p_of(&r, i) == i % 4 + 1);
    const uint64_t rate[SMS] = {1, 2, 5, 1, 1, 5, 1, 1}; /* sums 2, 7, 6, 2 */
    memcpy(r.rate, rate, sizeof rate);
    step(&r);
    decide(&r);
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == 4 && p_of(&r, i) == 2);
    assert_true(stat(&r, "votes") == 1 && stat(&r, "voted_p") == 2);
    driven_free(&r.it);
}

static void a_tie_goes_to_the_smaller_p_and_SMs_left_over_do_not_vote(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "pcal,N=3"); /* two voters each, SMs 6 and 7 left over */
    assert_true(p_of(&r, 6) == 3 && p_of(&r, 7) == 3);
    const uint64_t rate[SMS] = {1, 3, 1, 1, 1, 3, 99, 99}; /* sums 2, 4, 4 */
    memcpy(r.rate, rate, sizeof rate);
    step(&r);
    decide(&r);
    assert_true(p_of(&r, 0) == 2);
    driven_free(&r.it);
}

static void with_24_candidates_and_8_SMs_every_third_p_is_tried(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "pcal");
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == 24 && p_of(&r, i) == 3 * (i + 1));
    driven_free(&r.it);
}

static void all_rates(struct rig *r, uint64_t rate)
{
    for (uint32_t i = 0; i < SMS; i++) r->rate[i] = rate;
}

static void N_climbs_while_a_step_gains_2_percent_and_steps_back_from_the_first_that_does_not(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "pcal,N=1"); /* nothing to vote on */
    assert_true(N_of(&r, 0) == 1 && p_of(&r, 7) == 1);
    const uint64_t rate[] = {100, 110, 120, 121};
    for (uint32_t k = 0; k < 4; k++) {
        assert_true(N_of(&r, 3) == k + 1);
        all_rates(&r, rate[k]);
        step(&r);
        if (k < 3) decide(&r);
        else break;
    }
    decide(&r);
    assert_true(N_of(&r, 3) == 3 && p_of(&r, 3) == 1);
    assert_true(stat(&r, "tries") == 3 && stat(&r, "moves") == 2 && stat(&r, "settled_N") == 3);
    driven_free(&r.it);
}

static void a_shared_resource_that_is_90_percent_full_ends_the_climb(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "pcal,N=1");
    all_rates(&r, 100);
    r.utilisation = 0.95;
    step(&r);
    decide(&r);
    assert_true(N_of(&r, 0) == 1 && stat(&r, "tries") == 0 && stat(&r, "full_stops") == 1);
    driven_free(&r.it);
}

static void an_SM_that_loses_more_than_30_percent_calls_another_vote(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, "pcal,N=2,T_monitor=4000");
    all_rates(&r, 100);
    r.utilisation = 1;
    step(&r); /* vote */
    step(&r); /* base; the climb ends at once */
    step(&r); /* the first window says what to expect */
    assert_true(stat(&r, "drops") == 0);
    decide(&r);
    assert_true(stat(&r, "settles") == 1 && stat(&r, "drops") == 0);
    r.rate[5] = 71;
    watch(&r);
    assert_true(stat(&r, "drops") == 0); /* 29 percent is not enough */
    r.rate[5] = 69;
    watch(&r);
    assert_true(stat(&r, "drops") == 1);
    assert_true(p_of(&r, 0) == 1 && p_of(&r, 1) == 2); /* they vote again */
    driven_free(&r.it);
}

/* Where another vote starts once the climb has come from N = 2 to 3. */
static uint32_t N_after_a_drop(const char *how)
{
    struct rig r;
    rig_init(&r, how);
    all_rates(&r, 100);
    step(&r); /* vote */
    decide(&r);
    step(&r); /* base */
    decide(&r);
    assert_true(N_of(&r, 0) == 3);
    all_rates(&r, 110);
    step(&r); /* it gains: 4 is tried */
    decide(&r);
    assert_true(N_of(&r, 0) == 4);
    step(&r); /* no gain: back to 3 */
    decide(&r);
    assert_true(N_of(&r, 0) == 3 && stat(&r, "settles") == 1);
    step(&r);
    decide(&r);
    all_rates(&r, 50);
    watch(&r);
    assert_true(stat(&r, "drops") == 1);
    const uint32_t N = N_of(&r, 0);
    driven_free(&r.it);
    return N;
}

static void another_vote_starts_where_the_first_did_or_stays(void **state)
{
    (void)state;
    assert_int_equal(2, N_after_a_drop("pcal,N=2,T_monitor=4000"));
    assert_int_equal(3, N_after_a_drop("pcal,N=2,T_monitor=4000,again=stay"));
}

/* Dynamic PCAL: 10 warps on each of 8 SMs, five a scheduler. They all may load; or from a cycle on only the one that
 * lost a line. */
static uint64_t point_of_ccws(uint64_t lost_at)
{
    struct rig r;
    uint64_t ask_at = UINT64_MAX;
    rig_init(&r, "pcal,start=ccws,T_start=2000");
    for (uint32_t i = 0; i < SMS; i++) {
        assert_true(N_of(&r, i) == W && p_of(&r, i) == W); /* only loads are held back */
        for (uint32_t k = 0; k < 10; k++)
            mech_pcal.warp_start(
                r.it.self, &(struct warp_event){.sm = i, .scheduler = k % 2, .slot = k, .uid = k, .ask_at = &ask_at});
        driven_warps(&r.it, i, r.now, mech_pcal.warp_may_load);
    }
    for (uint64_t now = 0; now <= 2000; now += 1000) {
        r.now = now;
        for (uint32_t i = 0; i < SMS; i++) {
            const struct sm_view view = {.sm = i, .machine = &r, .gauges = read_gauges};
            assert_true(mech_pcal.epoch(r.it.self, &view, now) == (now < 2000 ? now + 1000 : 2001));
            if (now != lost_at) continue;
            mech_pcal.on_evict(r.it.self, &(struct line_event){.sm = i, .line = 7, .allocator = 0, .ask_at = &ask_at});
            /* 8000 points */
            mech_pcal.on_access(
                r.it.self, &(struct access_event){
                               .sm = i, .line = 7, .outcome = ACCESS_MISS, .insts = 1, .now = now, .ask_at = &ask_at});
            r.now = now + 1;
            driven_warps(&r.it, i, r.now, mech_pcal.warp_may_load);
            r.now = now;
        }
    }
    r.now = 2001;
    decide(&r);
    const uint64_t N = stat(&r, "start_N");
    driven_free(&r.it);
    return N;
}

static void dynamic_PCAL_starts_at_the_mean_of_the_warps_that_CCWS_lets_load(void **state)
{
    (void)state;
    assert_int_equal(5, point_of_ccws(UINT64_MAX));
    assert_int_equal(1, point_of_ccws(1000)); /* one warp for two schedulers, which is at least one each */
    assert_int_equal(1, point_of_ccws(0));    /* and from the start */
}

/* ---- in the machine ---- */

static double mech_stat(const char *text, const char *name)
{
    json_error_t why;
    json_t *json = json_loads(text, 0, &why);
    const double v = json_number_value(json_object_get(json_object_get(json_object_get(json, "mech"), "stats"), name));
    json_decref(json);
    return v;
}

static const char *const small_gpu[] = {"core.sms=4", "l2.banks=6", NULL};
#define QUICK ",T_start=2000,T_warmup=200,T_sample=400,T_monitor=600"
static const char *const kinds[] = {"pcal,N=3" QUICK, "pcal" QUICK, "pcal,start=ccws" QUICK,
                                    "pcal,N=2,again=stay,T_warmup=0,T_sample=100,T_monitor=100,drop=0.05"};

static void skipping_cycles_changes_no_byte_and_tuples_stay_legal(void **state)
{
    (void)state;
    struct trace *traces[] = {synth_mixture(32, 6, 12, 3), synth_rows(24, 8, 32, 1)};
    for (size_t i = 0; i < COUNT_OF(traces); i++) {
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            char *a = synth_run_both(traces[i], (struct synth_run){.set = small_gpu, .mech = kinds[k]});
            const double N = mech_stat(a, "mean_N"), p = mech_stat(a, "mean_p");
            assert_true(p >= 1 && p <= N && N <= 24);
            assert_true(mech_stat(a, "sm_cycles") == 4 * synth_value(a, "core_cycles"));
            free(a);
        }
        trace_close(traces[i]);
    }
}

static void on_a_launch_that_thrashes_the_vote_from_4_warps_beats_SWL_with_4(void **state)
{
    (void)state;
    struct trace *t = synth_rows(24, 8, 64, 2);
    char *a = synth_run_json(t, &(struct synth_run){.set = small_gpu, .mech = "swl,N=4"});
    char *b = synth_run_json(t, &(struct synth_run){.set = small_gpu, .mech = "pcal,N=4,T_warmup=500,T_sample=2000"});
    print_message("cycles: swl %.0f, pcal %.0f at (%.1f, %.1f) on average\n", synth_value(a, "core_cycles"),
                  synth_value(b, "core_cycles"), mech_stat(b, "mean_N"), mech_stat(b, "mean_p"));
    assert_true(mech_stat(b, "votes") >= 1);
    assert_true(synth_value(b, "core_cycles") < synth_value(a, "core_cycles"));
    free(a);
    free(b);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_N_4_and_8_SMs_each_p_has_two_voters_and_the_best_sum_wins),
        cmocka_unit_test(a_tie_goes_to_the_smaller_p_and_SMs_left_over_do_not_vote),
        cmocka_unit_test(with_24_candidates_and_8_SMs_every_third_p_is_tried),
        cmocka_unit_test(N_climbs_while_a_step_gains_2_percent_and_steps_back_from_the_first_that_does_not),
        cmocka_unit_test(a_shared_resource_that_is_90_percent_full_ends_the_climb),
        cmocka_unit_test(an_SM_that_loses_more_than_30_percent_calls_another_vote),
        cmocka_unit_test(another_vote_starts_where_the_first_did_or_stays),
        cmocka_unit_test(dynamic_PCAL_starts_at_the_mean_of_the_warps_that_CCWS_lets_load),
        cmocka_unit_test(skipping_cycles_changes_no_byte_and_tuples_stay_legal),
        cmocka_unit_test(on_a_launch_that_thrashes_the_vote_from_4_warps_beats_SWL_with_4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
