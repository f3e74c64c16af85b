/* The engine of the learned response surface, driven through its hooks on a machine of given rates; then in the real
 * one. */
#include "driven.h"
#include "where.h"
#include "stack.h"

#include <math.h>
#include <string.h>

extern const struct mech_type mech_learned;
/* A model that predicts (3,2) whatever it is given; sampling 4:1 / 2:2 8:8 / W:W. */
#define MODEL \
    "learned,model=" POISE_SOURCE_DIR "/tests/rig/" \
    "response.json,start=all,T_wait=0,T_warmup=100,T_sample=400,T_settle=100,T_try=200,T_monitor=500,floor=0.5"
/* The same, which samples few warps alone: what it knows of all of them it has seen in the wait. */
#define MODEL_OF_FEW \
    "learned,model=" POISE_SOURCE_DIR "/tests/rig/" \
    "response-few.json,start=all,T_wait=2000,T_warmup=100,T_sample=400,T_settle=100,T_try=200,T_monitor=500,floor=0.5"
enum { SMS = 16, W = 24 };
typedef double rate_of(uint32_t N, uint32_t p);
struct rig {
    struct driven it;
    uint64_t now, insts[SMS], loads[SMS], next[SMS];
    rate_of *rate;
    double loads_each;
};

static void rig_init(struct rig *r, const char *how, rate_of *rate)
{
    *r = (struct rig){.rate = rate, .loads_each = 0.25};
    driven_new(&r->it, &mech_learned, how, &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W});
}

static uint32_t N_of(const struct rig *r, uint32_t sm) { return driven_N(&r->it, sm, r->now); }
static uint32_t p_of(const struct rig *r, uint32_t sm) { return driven_p(&r->it, sm, r->now); }
static uint64_t stat(const struct rig *r, const char *name) { return driven_stat(&r->it, name); }

static void run(struct rig *r, uint64_t until)
{
    while (r->now <= until) {
        uint64_t soonest = UINT64_MAX;
        for (uint32_t i = 0; i < SMS; i++) {
            if (r->next[i] == r->now) {
                const struct sm_view view = {
                    .sm = i, .counters = {.cycles = r->now, .insts = r->insts[i], .loads = r->loads[i]}};
                r->next[i] = mech_learned.epoch(r->it.self, &view, r->now);
                assert_true(r->next[i] > r->now);
            }
            if (r->next[i] < soonest) soonest = r->next[i];
            assert_true(p_of(r, i) >= 1 && p_of(r, i) <= N_of(r, i) && N_of(r, i) <= W);
        }
        if (soonest > until) break;
        for (uint32_t i = 0; i < SMS; i++) {
            const double insts = (double)(soonest - r->now) * 100 * r->rate(N_of(r, i), p_of(r, i));
            r->insts[i] += (uint64_t)insts;
            r->loads[i] += (uint64_t)(insts * r->loads_each);
        }
        r->now = soonest;
    }
}

static void all_at(const struct rig *r, uint32_t N, uint32_t p)
{
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(N, N_of(r, i));
        assert_int_equal(p, p_of(r, i));
    }
}

static double top_at_3_2(uint32_t N, uint32_t p) { return 1 / (1 + fabs(N - 3.0) + fabs(p - 2.0)); }
static double top_at_6_2(uint32_t N, uint32_t p) { return 1 / (1 + 0.3 * fabs(N - 6.0) + fabs(p - 2.0)); }
static double all_warps_best(uint32_t N, uint32_t p) { return 0.1 + N / 30.0 + p / 60.0; }

static void rounds_come_in_order_and_groups_share_a_round(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL, top_at_3_2);
    run(&r, 50);
    all_at(&r, 4, 1);
    run(&r, 550);
    for (uint32_t i = 0; i < SMS; i++) assert_int_equal(i % 2 ? 8 : 2, N_of(&r, i));
    run(&r, 1060);
    all_at(&r, W, W);
    run(&r, 1600);
    all_at(&r, 3, 2); /* the prediction is run by all */
    assert_int_equal(1, stat(&r, "predictions"));
    driven_free(&r.it);
}

static void a_launch_that_ends_within_the_wait_runs_at_all_warps_throughout(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL ",T_wait=3000", top_at_3_2);
    for (uint64_t t = 50; t <= 3000; t += 50) {
        run(&r, t);
        all_at(&r, W, W);
    }
    assert_int_equal(0, stat(&r, "samplings"));
    assert_int_equal(0, stat(&r, "explore_cycles"));
    run(&r, 3050);
    all_at(&r, 4, 1); /* the first round, as without a wait */
    run(&r, 4650);
    all_at(&r, 3, 2);
    assert_int_equal(1, stat(&r, "samplings"));
    driven_free(&r.it);
}

static void a_good_prediction_stays(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL, top_at_3_2);
    run(&r, 30000);
    assert_int_equal(0, stat(&r, "moves") + stat(&r, "refuted"));
    assert_int_equal(1, stat(&r, "searches"));
    assert_int_equal(3, stat(&r, "corrected_N"));
    assert_true(stat(&r, "explore_cycles") < SMS * (uint64_t)12000);
    driven_free(&r.it);
}

static void tries_find_a_better_tuple(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL, top_at_6_2);
    run(&r, 100000);
    assert_true(stat(&r, "moves") >= 1);
    run(&r, 200000); /* close to the best, unless a try is under way */
    assert_true(N_of(&r, 0) >= 4 && N_of(&r, 0) <= 8 && p_of(&r, 0) <= 3);
    driven_free(&r.it);
}

static void a_prediction_slower_than_all_warps_does_no_harm(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL, all_warps_best);
    run(&r, 40000);
    run(&r, 100000);
    assert_true(N_of(&r, 0) >= 20);
    assert_true(stat(&r, "moves") >= 1);
    driven_free(&r.it);
}

/* A program that gets faster and slower as it goes, by the same factor at every tuple. */
static const uint64_t *clock_of;
static double waves(uint32_t N, uint32_t p) { return (1.5 + sin((double)*clock_of / 2000)) * top_at_3_2(N, p); }

static void what_the_program_does_is_not_taken_for_the_tuples_doing(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL ",drop=1,noise=0.1", waves);
    clock_of = &r.now;
    run(&r, 60000);
    all_at(&r, 3, 2);
    assert_int_equal(0, stat(&r, "moves"));
    assert_true(stat(&r, "tries") > 1);
    driven_free(&r.it);
}

static uint64_t turning_point;
static double turns(uint32_t N, uint32_t p)
{
    return *clock_of < turning_point ? top_at_3_2(N, p) : 0.2 * all_warps_best(N, p);
}

static void a_prediction_slower_than_the_wait_ends_without_a_try(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL_OF_FEW, all_warps_best);
    run(&r, 3500); /* wait, two rounds of the sampling, and the prediction's first window */
    all_at(&r, 3, 2);
    run(&r, 3650);
    all_at(&r, W, W);
    assert_int_equal(0, stat(&r, "tries"));
    driven_free(&r.it);
}

/* While memory is cold all warps look faster than they will be. */
static double flatters(uint32_t N, uint32_t p) { return *clock_of < turning_point && N == W ? 3 : top_at_3_2(N, p); }

static void what_the_wait_has_flattered_is_seen_anew(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL_OF_FEW, flatters);
    clock_of = &r.now;
    turning_point = 2000;
    run(&r, 3650);
    all_at(&r, W, W);
    run(&r, 20000);
    assert_true(stat(&r, "tries") > 0);
    run(&r, 40000);
    all_at(&r, 3, 2);
    driven_free(&r.it);
}

static void a_drop_of_IPC_makes_rates_old(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL, turns);
    clock_of = &r.now;
    turning_point = 20000;
    run(&r, 19000);
    assert_int_equal(0, stat(&r, "drops"));
    run(&r, 80000);
    assert_int_equal(1, stat(&r, "drops"));
    run(&r, 120000);
    assert_true(N_of(&r, 0) >= 16);
    driven_free(&r.it);
}

static void kernels_that_compute_stay_at_all_warps(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL, top_at_3_2);
    r.loads_each = 0.01;
    run(&r, 9000);
    all_at(&r, W, W);
    assert_int_equal(1, stat(&r, "early_outs"));
    assert_int_equal(0, stat(&r, "tries"));
    driven_free(&r.it);
}

static void observing_counts_the_sampling_asked_for_and_goes_back_to_its_tuple(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r,
             "learned,observe=1,T_wait=0,sample=2:2 / "
             "W:W,record=2,base_N=5,base_p=3,T_warmup=100,T_sample=400,T_monitor=500,T_period=3000",
             top_at_3_2);
    run(&r, 2000);
    all_at(&r, 5, 3);
    assert_int_equal(0, stat(&r, "recorded"));
    run(&r, 9000);
    assert_int_equal(1, stat(&r, "recorded"));
    assert_int_equal(400 * SMS, stat(&r, "g0_cycles"));
    assert_true(stat(&r, "g0_insts") > stat(&r, "g1_insts"));
    assert_int_equal(0, stat(&r, "predictions") + stat(&r, "g2_cycles"));
    driven_free(&r.it);
}

/* The next launch of a program, after one that has ended in this cycle. */
static void launch(struct rig *r, uint64_t end, const char *how, rate_of *rate, uint32_t kernel)
{
    struct driven before = r->it;
    mech_learned.end(before.self, end);
    *r = (struct rig){.rate = rate, .loads_each = 0.25};
    driven_new(&r->it, &mech_learned, how,
               &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W, .kernel = kernel, .warp_insts = 100000});
    driven_resume(&r->it, &before);
    driven_free(&before);
}

static void a_kernels_search_goes_on_in_its_next_launch(void **state)
{
    static const char *const how = MODEL ",T_kernel=0";
    struct rig r;
    (void)state;
    rig_init(&r, how, top_at_3_2);
    run(&r, 700); /* within the second round */
    launch(&r, 700, how, top_at_3_2, 0);
    run(&r, 50);
    for (uint32_t i = 0; i < SMS; i++) assert_int_equal(i % 2 ? 8 : 2, N_of(&r, i));
    run(&r, 560);
    all_at(&r, W, W);
    run(&r, 1200);
    all_at(&r, 3, 2);
    assert_int_equal(1, stat(&r, "resumed"));
    assert_int_equal(0, stat(&r, "samplings"));
    launch(&r, 1200, how, top_at_3_2, 7); /* another kernel begins anew */
    run(&r, 50);
    all_at(&r, 4, 1);
    assert_int_equal(0, stat(&r, "resumed"));
    launch(&r, 60, how, top_at_3_2, 0);
    run(&r, 50);
    all_at(&r, 3, 2); /* from the first cycle on */
    assert_int_equal(0, stat(&r, "predictions"));
    driven_free(&r.it);
}

static void kernels_that_have_run_little_or_shorter_than_a_round_are_left_alone(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, MODEL ",T_wait=1000,T_kernel=2500", top_at_3_2);
    for (int i = 0; i < 3; i++) {
        run(&r, 900);
        all_at(&r, W, W);
        launch(&r, 900, MODEL ",T_wait=1000,T_kernel=2500", top_at_3_2, 0);
    }
    run(&r, 50);
    all_at(&r, 4, 1); /* after 2,700 cycles in three launches */
    driven_free(&r.it);
    rig_init(&r, MODEL ",T_wait=1000,T_kernel=0", top_at_3_2);
    for (int i = 0; i < 9; i++) {
        run(&r, 400); /* a round takes 500 */
        all_at(&r, W, W);
        launch(&r, 400, MODEL ",T_wait=1000,T_kernel=0", top_at_3_2, 0);
    }
    driven_free(&r.it);
}

/* Launches too short for a try between two windows, each as long as its tuple makes it. */
static void short_launches_are_tries_themselves(void **state)
{
    static const char *const how = MODEL ",T_kernel=0,T_monitor=6000";
    struct rig r;
    uint32_t good = 0;
    (void)state;
    rig_init(&r, how, all_warps_best);
    for (int i = 0; i < 30; i++) {
        run(&r, 0);
        const uint32_t N = N_of(&r, 0), p = p_of(&r, 0);
        good += i >= 20 && N >= 16;
        const uint64_t end = (uint64_t)(1000 / all_warps_best(N, p));
        run(&r, end);
        launch(&r, end, how, all_warps_best, 0);
    }
    assert_true(good >= 7); /* of ten, though the prediction is (3,2) */
    driven_free(&r.it);
}

/* The start of today, in a hundredth of its time. */
#define START \
    "learned,model=" POISE_SOURCE_DIR "/tests/rig/response.json,starts=W:W 4:4 4:1 2:2,T_start=400,T_warmup=100," \
    "T_sample=400,T_settle=100,T_try=200,T_monitor=500,floor=0.5,pays="

static void a_launch_begins_at_several_tuples_and_goes_on_at_the_fastest(void **state)
{
    static const uint32_t N[] = {W, 4, 4, 2};
    struct rig r;
    (void)state;
    rig_init(&r, START "1000", top_at_3_2);
    run(&r, 100);
    for (uint32_t i = 0; i < SMS; i++) assert_int_equal(N[i % 4], N_of(&r, i));
    run(&r, 30000);
    all_at(&r, 2, 2);
    assert_int_equal(0, stat(&r, "samplings") + stat(&r, "all_faster"));
    driven_free(&r.it);
}

static void a_launch_that_few_warps_slow_down_goes_on_at_all_and_is_not_sampled_while_that_does_not_pay(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, START "10", all_warps_best);
    run(&r, 500);
    for (uint64_t t = 500; t < 14000; t += 500) { /* three rounds take 1,500 cycles: what has lasted ten of them, lasts
                                                   * as long again */
        run(&r, t);
        all_at(&r, W, W);
    }
    assert_int_equal(1, stat(&r, "all_faster"));
    assert_int_equal(0, stat(&r, "samplings"));
    run(&r, 16000);
    assert_int_equal(1, stat(&r, "samplings"));
    driven_free(&r.it);
}

/* Each warp runs as if it were alone: a sampling waits until it costs little. */
static double in_proportion(uint32_t N, uint32_t p)
{
    (void)p;
    return (double)N / W;
}
static void a_launch_whose_warps_are_not_in_each_others_way_is_sampled_late(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, START "2,pays_blind=10", in_proportion);
    run(&r, 14000); /* as above */
    assert_int_equal(1, stat(&r, "all_wanted"));
    assert_int_equal(0, stat(&r, "samplings"));
    run(&r, 16000);
    assert_int_equal(1, stat(&r, "samplings"));
    driven_free(&r.it);
}

static void a_launch_whose_kernel_was_short_before_is_not_sampled(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, START "10", all_warps_best);
    for (int i = 0; i < 9; i++) {
        run(&r, 9000); /* 81,000 cycles in all launches */
        assert_int_equal(0, stat(&r, "samplings"));
        launch(&r, 9000, START "10", all_warps_best, 0);
    }
    run(&r, 100);
    all_at(&r, W, W); /* which the first launch has found to be fastest */
    driven_free(&r.it);
}

static void two_warps_a_scheduler_are_left_alone(void **state)
{
    struct rig r = {.rate = top_at_3_2, .loads_each = 0.25};
    (void)state;
    driven_new(&r.it, &mech_learned, START "0", &(struct mech_env){.sms = SMS, .schedulers = 2, .W = 2});
    for (uint64_t t = 0; t < 20000; t += 250) {
        run(&r, t);
        all_at(&r, 2, 2);
    }
    driven_free(&r.it);
}

/* (4,2) promises most, by its interval within 0.28 of ln speedup. */
#define HINTED \
    "learned,hint=" POISE_SOURCE_DIR "/tests/fuzz/model/corpus_hint/" \
    "launches.json,T_settle=100,T_try=200,T_monitor=500"
static void hinted_init(struct rig *r, const char *how, uint32_t warps, uint64_t insts)
{
    *r = (struct rig){.rate = top_at_3_2, .loads_each = 0.25};
    driven_new(
        &r->it, &mech_learned, how,
        &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W, .kernel = 7, .warps = warps, .warp_insts = insts});
}

static void a_launch_with_a_hint_begins_at_its_tuple_without_a_sampling(void **state)
{
    struct rig r;
    (void)state;
    hinted_init(&r, HINTED ",sure=1000", 4096, 300000);
    for (uint64_t t = 0; t < 30000; t += 250) {
        run(&r, t);
        all_at(&r, 4, 2);
    }
    assert_int_equal(1, stat(&r, "hinted"));
    assert_int_equal(0, stat(&r, "hinted_by_kernel") + stat(&r, "samplings") + stat(&r, "explore_cycles"));
    driven_free(&r.it);
    hinted_init(&r, HINTED ",sure=1000", 4096, 310000);
    run(&r, 0);
    all_at(&r, 4, 2);
    assert_int_equal(1, stat(&r, "hinted_by_kernel"));
    driven_free(&r.it);
}

static void a_launch_that_goes_on_says_which_hint_was_found(void **state)
{
    struct rig r;
    (void)state;
    hinted_init(&r, HINTED, 4096, 310000);
    run(&r, 700);
    launch(&r, 700, HINTED, top_at_3_2, 7);
    assert_int_equal(1, stat(&r, "resumed"));
    assert_int_equal(1, stat(&r, "hinted"));
    assert_int_equal(1, stat(&r, "hinted_by_kernel"));
    driven_free(&r.it);
}

static void a_hint_is_tried_against_others_where_these_promise_more_than_it_is_doubted(void **state)
{
    struct rig r;
    (void)state;
    hinted_init(&r, HINTED, 8192, 600000); /* a surface that says nothing of other tuples */
    run(&r, 60000);
    assert_true(stat(&r, "tries") > 0);
    driven_free(&r.it);
    hinted_init(&r, HINTED ",sure=10", 8192, 600000);
    run(&r, 60000);
    assert_int_equal(0, stat(&r, "tries"));
    driven_free(&r.it);
    hinted_init(&r, HINTED, 8192, 600000);
    r.loads_each = 0.01; /* without loads rates say nothing */
    run(&r, 60000);
    all_at(&r, 8, 8);
    assert_int_equal(0, stat(&r, "tries"));
    driven_free(&r.it);
}

static void a_launch_that_no_hint_knows_begins_as_without_one(void **state)
{
    struct rig r = {.rate = all_warps_best, .loads_each = 0.25};
    (void)state;
    driven_new(&r.it, &mech_learned, HINTED, &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W, .kernel = 8});
    run(&r, 0);
    assert_int_equal(0, stat(&r, "hinted"));
    run(&r, 60000); /* there is no model: no sampling either */
    assert_int_equal(0, stat(&r, "samplings"));
    all_at(&r, W, W);
    driven_free(&r.it);
}

static void a_hint_and_the_start_take_bits_and_no_more_rows_than_there_are(void **state)
{
    static const char *const how[] = {"learned,start=all", "learned", HINTED};
    const struct mech_env env = {.sms = SMS, .schedulers = 2, .W = W};
    uint64_t bits[COUNT_OF(how)] = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(how); i++) {
        struct mech_spec spec;
        struct mech_cost rows[2 * MECH_COSTS_MAX];
        struct error err;
        assert_ok(mech_parse(&spec, how[i], &err), &err);
        const size_t n = mech_learned.cost(spec.params, &env, rows);
        assert_true(n <= MECH_COSTS_MAX);
        for (size_t r = 0; r < n; r++) bits[i] += rows[r].gpu_bits;
        mech_free(&spec);
    }
    assert_true(bits[0] < bits[1] && bits[1] + 55 * 16 < bits[2]);
}

static void models_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *how, *says;
    } cases[] = {
        {"learned", "model=FILE is needed"},
        {"learned,model=/nowhere.json", "/nowhere.json"},
        {"learned,model=" POISE_SOURCE_DIR "/models/poise-thesis.json", "which the mechanism poise runs"},
        {"learned,observe=1,sample=2:3", "is no tuple"},
        {START "1,starts=4:4 / 2:2", "one round"},
        {"learned,hint=/nowhere.json", "/nowhere.json"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mech_spec spec;
        struct error err;
        const struct mech_env env = {.sms = SMS, .schedulers = 2, .W = W};
        char once[1024];
        assert_ok(mech_parse(&spec, rig_later_wins(once, sizeof once, cases[i].how), &err), &err);
        void *self = calloc(1, mech_learned.state_size + SMS * mech_learned.per_sm_size);
        assert_int_equal(-1, mech_learned.init(self, spec.params, &env, &err));
        if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", cases[i].how, err.text);
        free(self);
        mech_free(&spec);
    }
}

static void the_old_name_is_read_until_simulation_model_5(void **state)
{
    struct mech_spec old, own;
    struct error err;
    char old_key[2048], own_key[2048];
    (void)state;
    assert_ok(mech_parse(&old, "surface,observe=1", &err), &err);
    assert_ok(mech_parse(&own, "learned,observe=1", &err), &err);
    assert_string_equal("surface", old.called);
    assert_null(own.called);
    assert_ok(mech_key(&old, old_key, sizeof old_key, &err), &err);
    assert_ok(mech_key(&own, own_key, sizeof own_key, &err), &err);
    assert_string_equal(own_key, old_key);
    mech_free(&old);
    mech_free(&own);
    assert_true(SIM_MODEL_VERSION <
                5); /* then 'surface' goes: mech.c, response_model.c, pipeline_spec.c, contenders.c */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_come_in_order_and_groups_share_a_round),
        cmocka_unit_test(a_launch_that_ends_within_the_wait_runs_at_all_warps_throughout),
        cmocka_unit_test(a_good_prediction_stays),
        cmocka_unit_test(tries_find_a_better_tuple),
        cmocka_unit_test(a_prediction_slower_than_all_warps_does_no_harm),
        cmocka_unit_test(what_the_program_does_is_not_taken_for_the_tuples_doing),
        cmocka_unit_test(a_prediction_slower_than_the_wait_ends_without_a_try),
        cmocka_unit_test(what_the_wait_has_flattered_is_seen_anew),
        cmocka_unit_test(a_drop_of_IPC_makes_rates_old),
        cmocka_unit_test(kernels_that_compute_stay_at_all_warps),
        cmocka_unit_test(observing_counts_the_sampling_asked_for_and_goes_back_to_its_tuple),
        cmocka_unit_test(a_kernels_search_goes_on_in_its_next_launch),
        cmocka_unit_test(kernels_that_have_run_little_or_shorter_than_a_round_are_left_alone),
        cmocka_unit_test(short_launches_are_tries_themselves),
        cmocka_unit_test(a_launch_begins_at_several_tuples_and_goes_on_at_the_fastest),
        cmocka_unit_test(a_launch_that_few_warps_slow_down_goes_on_at_all_and_is_not_sampled_while_that_does_not_pay),
        cmocka_unit_test(a_launch_whose_warps_are_not_in_each_others_way_is_sampled_late),
        cmocka_unit_test(a_launch_whose_kernel_was_short_before_is_not_sampled),
        cmocka_unit_test(two_warps_a_scheduler_are_left_alone),
        cmocka_unit_test(a_launch_with_a_hint_begins_at_its_tuple_without_a_sampling),
        cmocka_unit_test(a_launch_that_goes_on_says_which_hint_was_found),
        cmocka_unit_test(a_hint_is_tried_against_others_where_these_promise_more_than_it_is_doubted),
        cmocka_unit_test(a_launch_that_no_hint_knows_begins_as_without_one),
        cmocka_unit_test(a_hint_and_the_start_take_bits_and_no_more_rows_than_there_are),
        cmocka_unit_test(models_that_do_not_fit_are_refused),
        cmocka_unit_test(the_old_name_is_read_until_simulation_model_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
