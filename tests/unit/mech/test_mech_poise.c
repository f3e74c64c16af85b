/* The inference engine by itself, on performance that is a function of the tuple: which windows end an inference, and
 * where its search can go. */
#include "driven.h"

#include <string.h>
#include <unistd.h>
#include "current_tuple.h"
#include "poise/model.h"

enum { W = 24, WARMUP = 100, FEATURE = 1000, CORRECT = 200, PERIOD = 20000, LAST = 40 /* windows a period at most */ };
extern const struct mech_type mech_poise;

/* One SM: `ipc` warp instructions a cycle at a tuple, a load every `per_load` instructions (0: none). */
struct rig {
    struct driven it;
    struct sm_view view;
    uint64_t now;
    double (*ipc)(uint32_t N, uint32_t p), insts;
    uint64_t per_load;
    struct tuple seen[LAST];
    size_t n_seen;
};

/* A model that predicts (N, p) whatever the features are. */
static void write_model(char *path, double N, double p)
{
    struct error err;
    struct model m = {.name = "constant", .scale = W, .n_outputs = 2};
    for (int k = 0; k < 2; k++) {
        struct model_output *o = &m.outputs[k];
        *o = (struct model_output){.n_features = 1, .theta = 10, .weights = {__builtin_log(k ? p : N)}};
        strcpy(o->name, k ? "p" : "N");
        strcpy(o->features[0], "intercept");
        strcpy(o->status, "ok");
        strcpy(o->family, "nb2");
    }
    close(mkstemp(path));
    assert_ok(model_write(&m, NULL, NULL, path, &err), &err);
}

static void begin(struct rig *r, double (*ipc)(uint32_t, uint32_t), double N, double p, const char *more)
{
    char path[] = "/tmp/poise-model-XXXXXX", how[512];
    write_model(path, N, p);
    snprintf(how, sizeof how, "poise,model=%s,T_period=%d,T_warmup=%d,T_feature=%d,T_correct=%d%s", path, PERIOD,
             WARMUP, FEATURE, CORRECT, more);
    *r = (struct rig){.ipc = ipc, .per_load = 4};
    driven_new(&r->it, &mech_poise, how, &(struct mech_env){.sms = 1, .schedulers = 2, .W = W});
    unlink(path);
}

static struct tuple current_tuple(const struct rig *r)
{
    return (struct tuple){driven_N(&r->it, 0, r->now), driven_p(&r->it, 0, r->now)};
}

/* The machine until cycle `end`; new current tuples are written down. */
static void run_until(struct rig *r, uint64_t end)
{
    while (r->now < end) {
        uint64_t next = mech_poise.epoch(r->it.self, &r->view, r->now);
        const struct tuple t = current_tuple(r);
        const struct tuple *last = r->n_seen ? &r->seen[r->n_seen - 1] : NULL;
        if (r->n_seen < LAST && (!last || last->N != t.N || last->p != t.p)) r->seen[r->n_seen++] = t;
        assert_true(next > r->now);
        if (next > end) next = end;
        r->insts += r->ipc(t.N, t.p) * (double)(next - r->now);
        r->now = next;
        r->view.counters.cycles = r->now;
        r->view.counters.insts = (uint64_t)r->insts;
        r->view.counters.loads = r->per_load ? r->view.counters.insts / r->per_load : 0;
    }
}

static bool was_seen(const struct rig *r, uint32_t N, uint32_t p)
{
    for (size_t i = 2; i < r->n_seen; i++) /* after the two reference points */
        if (r->seen[i].N == N && r->seen[i].p == p) return true;
    return false;
}

static double idle(uint32_t N, uint32_t p) { return (void)N, (void)p, 0; }
static double one(uint32_t N, uint32_t p) { return (void)N, (void)p, 1; }

/* An SM without warps issues nothing: its I_n of no loads is not that of a compute-bound kernel. */
static void an_idle_sm_is_not_compute_bound_and_is_sampled_again(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, idle, 4, 2, "");
    run_until(&r, WARMUP + 5 * FEATURE + 1);
    assert_int_equal(driven_stat(&r.it, "early_outs"), 0);
    assert_int_equal(driven_stat(&r.it, "windows_without_loads"), 5);
    assert_int_equal(driven_stat(&r.it, "predictions"), 0);
    assert_true(current_tuple(&r).N == W && current_tuple(&r).p == W);
    r.ipc = one; /* its CTAs come: the next whole window is one to predict from */
    run_until(&r, PERIOD);
    assert_int_equal(driven_stat(&r.it, "early_outs"), 0);
    assert_int_equal(driven_stat(&r.it, "predictions"), 1);
    driven_free(&r.it);
}

static void a_window_that_issues_but_does_not_load_is_sampled_again_at_all_warps(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, one, 4, 2, "");
    r.per_load = 0;
    run_until(&r, PERIOD);
    assert_int_equal(driven_stat(&r.it, "early_outs"), 0);
    assert_int_equal(driven_stat(&r.it, "predictions"), 0);
    assert_true(r.n_seen == 1 && r.seen[0].N == W && r.seen[0].p == W);
    driven_free(&r.it);
}

static void more_than_I_max_instructions_a_load_end_the_inference(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, one, 4, 2, "");
    r.per_load = 100; /* I_n = 99 */
    run_until(&r, PERIOD);
    assert_int_equal(driven_stat(&r.it, "early_outs"), 1);
    assert_int_equal(driven_stat(&r.it, "predictions"), 0);
    driven_free(&r.it);
}

/* Fewer of both is better, along the diagonal alone: a tuple off it is worse than its neighbours on it. */
static double ridge(uint32_t N, uint32_t p) { return 3.0 / (1 + N) - 0.01 * (N - p); }

static double alike(uint32_t N, uint32_t p)
{
    (void)N, (void)p;
    return 0.5;
}

static void a_given_prediction_stands_in_place_of_the_models_and_is_clamped_to_what_there_is(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, alike, 4, 4, ",epsilon_N=0,epsilon_p=0,given_N=6,given_p=3");
    run_until(&r, PERIOD - 1);
    assert_true(current_tuple(&r).N == 6 && current_tuple(&r).p == 3);
    driven_free(&r.it);
    begin(&r, alike, 4, 4, ",epsilon_N=0,epsilon_p=0,given_N=40,given_p=50");
    run_until(&r, PERIOD - 1);
    assert_true(current_tuple(&r).N == W && current_tuple(&r).p == W);
    driven_free(&r.it);
}

static void the_search_of_the_thesis_never_leaves_2_2_for_1_1(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, ridge, 2, 2, "");
    run_until(&r, PERIOD - 1);
    assert_int_equal(driven_stat(&r.it, "searches"), 1);
    assert_false(was_seen(&r, 1, 1));
    assert_int_equal(driven_stat(&r.it, "corrected_N"), 2);
    assert_int_equal(driven_stat(&r.it, "corrected_p"), 2);
    driven_free(&r.it);
}

static void with_p_following_N_the_search_comes_from_2_2_to_1_1(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, ridge, 2, 2, ",p_follows=1");
    run_until(&r, PERIOD - 1);
    assert_true(was_seen(&r, 1, 1));
    assert_int_equal(driven_stat(&r.it, "corrected_N"), 1);
    assert_int_equal(driven_stat(&r.it, "corrected_p"), 1);
    driven_free(&r.it);
}

/* From (8, 8) to (6, 6): with p the old centre is not the upper neighbour (8, 6), which has to be measured. */
static double best_at_8_6(uint32_t N, uint32_t p) { return N == 8 && p == 6 ? 3 : N == 6 && p == 6 ? 2 : 1; }
static void after_p_followed_the_neighbour_above_is_measured_not_taken_from_the_old_centre(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, best_at_8_6, 8, 8, ",p_follows=1,epsilon_p=0");
    run_until(&r, PERIOD - 1);
    assert_true(was_seen(&r, 8, 6));
    assert_int_equal(driven_stat(&r.it, "corrected_N"), 8);
    assert_int_equal(driven_stat(&r.it, "corrected_p"), 6);
    driven_free(&r.it);
}

static void a_diagonal_search_comes_from_2_2_to_1_1_and_stays_on_the_diagonal_while_it_climbs(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, ridge, 6, 6, ",epsilon_d=2,epsilon_N=0,epsilon_p=0");
    run_until(&r, PERIOD - 1);
    assert_int_equal(driven_stat(&r.it, "corrected_N"), 1);
    assert_int_equal(driven_stat(&r.it, "corrected_p"), 1);
    for (size_t i = 0; i < r.n_seen; i++) assert_true(r.seen[i].N == r.seen[i].p && r.seen[i].p >= 1);
    driven_free(&r.it);
    begin(&r, ridge, 2, 2, ",epsilon_d=1");
    run_until(&r, PERIOD - 1);
    assert_int_equal(driven_stat(&r.it, "corrected_N"), 1);
    assert_int_equal(driven_stat(&r.it, "corrected_p"), 1);
    driven_free(&r.it);
}

static void a_diagonal_step_keeps_the_distance_of_N_and_p_and_the_triangle(void **state)
{
    (void)state;
    struct rig r;
    begin(&r, ridge, 5, 3, ",epsilon_d=4,epsilon_N=0,epsilon_p=0");
    run_until(&r, PERIOD - 1);
    assert_int_equal(driven_stat(&r.it, "corrected_N"), 3);
    assert_int_equal(driven_stat(&r.it, "corrected_p"), 1);
    for (size_t i = 2; i < r.n_seen; i++) assert_int_equal(r.seen[i].N - r.seen[i].p, 2); /* after (W, W) and (1, 1) */
    driven_free(&r.it);
}

/* Lower at every further window: the first sample of a centre flatters it. */
static double falling;
static double fading(uint32_t N, uint32_t p)
{
    (void)N, (void)p;
    return falling *= 0.9;
}

static void with_again_the_centre_is_measured_at_each_stride(void **state)
{
    (void)state;
    struct rig r;
    uint64_t tries[2];
    for (int again = 0; again < 2; again++) {
        falling = 1;
        begin(&r, fading, 12, 6, again ? ",again=1,epsilon_p=0" : ",epsilon_p=0");
        run_until(&r, PERIOD - 1);
        tries[again] = driven_stat(&r.it, "tries");
        assert_int_equal(driven_stat(&r.it, "searches"), 1);
        driven_free(&r.it);
    }
    assert_int_equal(tries[0], 5); /* the centre; strides 2 and 1, two neighbours each */
    assert_int_equal(tries[1], 6);
}

static void one_decision_for_all_SMs_is_made_from_their_sums(void **state)
{
    (void)state;
    struct rig r = {.now = 0};
    char path[] = "/tmp/poise-model-XXXXXX", how[512];
    write_model(path, 6, 3);
    snprintf(how, sizeof how, "poise,model=%s,epsilon_N=0,epsilon_p=0,whole_gpu=1,I_max=10,T_warmup=100,T_feature=1000",
             path);
    driven_new(&r.it, &mech_poise, how, &(struct mech_env){.sms = 2, .schedulers = 2, .W = W});
    unlink(path);
    uint64_t due[2] = {0, 0};
    struct sm_view views[2] = {{.sm = 0}, {.sm = 1}};
    for (uint64_t now = 0; now < 3000; now++)
        for (uint32_t i = 0; i < 2; i++) {
            /* alone, the first has 49 instructions a load and would end its inference; of both it is 7 */
            views[i].counters.cycles = now;
            views[i].counters.insts = now;
            views[i].counters.loads = i ? now / 4 : now / 50;
            if (now < due[i]) continue;
            due[i] = mech_poise.epoch(r.it.self, &views[i], now);
            assert_true(due[i] > now);
        }
    assert_int_equal(driven_stat(&r.it, "early_outs"), 0);
    assert_int_equal(driven_stat(&r.it, "predictions"), 1);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(driven_N(&r.it, i, 2999), 6);
        assert_int_equal(driven_p(&r.it, i, 2999), 3);
    }
    mech_poise.end(r.it.self, 3000);
    assert_int_equal(driven_stat(&r.it, "sm_cycles"), 2 * 3000);
    driven_free(&r.it);
}

static void its_storage_is_that_of_tab_5_3s_features(void **state)
{
    struct mech_cost parts[MECH_COSTS_MAX];
    const struct engine_storage s = features_engine_storage(poise_feature_names, N_POISE_FEATURES);
    uint64_t bits = 0;
    (void)state;
    const size_t n = mech_poise.cost(NULL, &(struct mech_env){.sms = 32, .schedulers = 2, .W = W}, parts);
    for (size_t i = 0; i < n; i++) bits += 32 * parts[i].sm_bits + parts[i].gpu_bits;
    assert_true((double)bits == 8 * engine_storage_bytes(&s, 32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_sm_is_not_compute_bound_and_is_sampled_again),
        cmocka_unit_test(a_window_that_issues_but_does_not_load_is_sampled_again_at_all_warps),
        cmocka_unit_test(more_than_I_max_instructions_a_load_end_the_inference),
        cmocka_unit_test(a_given_prediction_stands_in_place_of_the_models_and_is_clamped_to_what_there_is),
        cmocka_unit_test(the_search_of_the_thesis_never_leaves_2_2_for_1_1),
        cmocka_unit_test(with_p_following_N_the_search_comes_from_2_2_to_1_1),
        cmocka_unit_test(after_p_followed_the_neighbour_above_is_measured_not_taken_from_the_old_centre),
        cmocka_unit_test(a_diagonal_search_comes_from_2_2_to_1_1_and_stays_on_the_diagonal_while_it_climbs),
        cmocka_unit_test(a_diagonal_step_keeps_the_distance_of_N_and_p_and_the_triangle),
        cmocka_unit_test(with_again_the_centre_is_measured_at_each_stride),
        cmocka_unit_test(one_decision_for_all_SMs_is_made_from_their_sums),
        cmocka_unit_test(its_storage_is_that_of_tab_5_3s_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
