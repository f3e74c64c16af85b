/* Random-restart search, driven through its hooks on a machine of given rates; then in the real one. */
#include "driven.h"
#include "stack.h"

#include <jansson.h>
#include <math.h>

extern const struct mech_type mech_random_restart;
enum { SMS = 3, W = 24, WARM = 2000, SAMPLE = 4000, PERIOD = 200000 };
typedef double rate_of(uint32_t N, uint32_t p);

/* Every tuple that SM 0 was put at, and from when. */
struct rig {
    struct driven it;
    uint64_t now, insts[SMS], next[SMS];
    rate_of *rate;
    struct {
        uint32_t N, p;
        uint64_t at;
    } seen[2000];
    size_t n_seen;
};

static void rig_init(struct rig *r, const char *how, rate_of *rate, uint64_t from)
{
    *r = (struct rig){.rate = rate, .now = from};
    driven_new(&r->it, &mech_random_restart, how, &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W, .now = from});
    for (uint32_t i = 0; i < SMS; i++) r->next[i] = from;
}

static uint32_t N_of(const struct rig *r, uint32_t sm) { return driven_N(&r->it, sm, r->now); }
static uint32_t p_of(const struct rig *r, uint32_t sm) { return driven_p(&r->it, sm, r->now); }

static void run(struct rig *r, uint64_t until)
{
    while (r->now <= until) {
        uint64_t soonest = UINT64_MAX;
        for (uint32_t i = 0; i < SMS; i++) {
            if (r->next[i] == r->now) {
                const struct sm_view view = {.sm = i, .counters = {.cycles = r->now, .insts = r->insts[i]}};
                r->next[i] = mech_random_restart.epoch(r->it.self, &view, r->now);
                assert_true(r->next[i] > r->now);
            }
            if (r->next[i] < soonest) soonest = r->next[i];
        }
        const uint32_t N = N_of(r, 0), p = p_of(r, 0);
        assert_true(p >= 1 && p <= N && N <= W);
        if (!r->n_seen || r->seen[r->n_seen - 1].N != N || r->seen[r->n_seen - 1].p != p) {
            assert_true(r->n_seen < COUNT_OF(r->seen));
            r->seen[r->n_seen].N = N;
            r->seen[r->n_seen].p = p;
            r->seen[r->n_seen++].at = r->now;
        }
        if (soonest > until) break;
        for (uint32_t i = 0; i < SMS; i++)
            r->insts[i] += (uint64_t)((double)(soonest - r->now) * r->rate(N_of(r, i), p_of(r, i)));
        r->now = soonest;
    }
}

static uint64_t stat(const struct rig *r, const char *name) { return driven_stat(&r->it, name); }

static double hill(uint32_t N, uint32_t p) { return 1 / (1 + fabs(N - 9.0) + fabs(p - 4.0)); } /* one top, at (9,4) */
/* A low hill around (20,20), and a high one around (5,2) behind a valley. */
static double two_hills(uint32_t N, uint32_t p)
{
    const double low = 0.4 - 0.02 * (fabs(N - 20.0) + fabs(p - 20.0)),
                 high = 1 - 0.15 * (fabs(N - 5.0) + fabs(p - 2.0));
    return fmax(fmax(low, high), 0.01);
}

static void with_one_top_and_a_stride_of_1_every_SM_settles_there(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "random_restart,stride=1,restarts=3,budget=1,T_period=2000000", hill, 0);
    run(&r, 1999999);
    for (uint32_t i = 0; i < SMS; i++) assert_true(N_of(&r, i) == 9 && p_of(&r, i) == 4);
    assert_int_equal(stat(&r, "climbs"), 3 * SMS);
    assert_int_equal(stat(&r, "tops"), 3 * SMS);
    assert_int_equal(stat(&r, "settles"), SMS);
    assert_int_equal(stat(&r, "settled_N"), 9 * SMS);
    driven_free(&r.it);
}

static void steps_are_measured_after_the_warm_up_and_go_to_neighbours_of_the_best_so_far(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "random_restart,restarts=1,budget=1", hill, 0);
    run(&r, PERIOD - 1);
    uint32_t N = r.seen[0].N, p = r.seen[0].p;
    size_t steps = 0;
    for (size_t i = 1; i + 1 < r.n_seen; i++, steps++) {
        assert_int_equal(r.seen[i].at - r.seen[i - 1].at, WARM + SAMPLE);
        const uint32_t far = (r.seen[i].N > N ? r.seen[i].N - N : N - r.seen[i].N) +
                             (r.seen[i].p > p ? r.seen[i].p - p : p - r.seen[i].p);
        assert_int_equal(far, 2); /* the stride, along one axis */
        if (hill(r.seen[i].N, r.seen[i].p) > hill(N, p)) N = r.seen[i].N, p = r.seen[i].p;
    }
    assert_true(steps >= 3);
    assert_true(N_of(&r, 0) == N && p_of(&r, 0) == p); /* where nothing around is better */
    driven_free(&r.it);
}

static void restarts_find_what_one_climb_misses(void **state)
{
    (void)state;
    size_t found[2] = {0};
    for (int many = 0; many < 2; many++)
        for (int seed = 1; seed <= 8; seed++) {
            char how[128];
            struct rig r;
            snprintf(how, sizeof how, "random_restart,stride=1,budget=1,T_period=9000000,restarts=%d,seed=%d",
                     many ? 40 : 1, seed);
            rig_init(&r, how, two_hills, 0);
            run(&r, 8999999);
            for (uint32_t i = 0; i < SMS; i++) found[many] += N_of(&r, i) == 5 && p_of(&r, i) == 2;
            driven_free(&r.it);
        }
    assert_true(found[1] == 8 * SMS);
    assert_true(found[0] < found[1]);
}

static void the_budget_ends_the_search_and_a_new_period_begins_another(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "random_restart,restarts=1000,budget=0.25", two_hills, 0);
    run(&r, PERIOD / 4 + WARM + SAMPLE);
    assert_int_equal(stat(&r, "settles"), SMS);
    const uint64_t tries = stat(&r, "tries");
    assert_true(tries <= SMS * (PERIOD / 4 / (WARM + SAMPLE)));
    run(&r, PERIOD - 1);
    assert_int_equal(stat(&r, "tries"), tries); /* it runs at the best it has seen */
    run(&r, PERIOD + 10);
    assert_int_equal(stat(&r, "tries"), tries + SMS);
    mech_random_restart.end(r.it.self, r.now);
    assert_int_equal(stat(&r, "sm_cycles"), SMS * r.now);
    assert_true(stat(&r, "explore_cycles") <= SMS * (PERIOD / 4 + WARM + SAMPLE + 10));
    driven_free(&r.it);
}

static void seeds_and_SMs_draw_different_tuples_and_one_seed_the_same(void **state)
{
    (void)state;
    struct rig a, b, c;
    rig_init(&a, "random_restart", hill, 0);
    rig_init(&b, "random_restart", hill, 0);
    rig_init(&c, "random_restart,seed=2", hill, 0);
    run(&a, 50000);
    run(&b, 50000);
    run(&c, 50000);
    assert_int_equal(a.n_seen, b.n_seen);
    assert_memory_equal(a.seen, b.seen, sizeof a.seen);
    assert_true(a.seen[0].N != c.seen[0].N || a.seen[0].p != c.seen[0].p || a.seen[1].N != c.seen[1].N);
    driven_free(&a.it);
    driven_free(&b.it);
    driven_free(&c.it);
    size_t corners[2] = {0}; /* draws reach the whole triangle: of 400, some of each third */
    for (int seed = 1; seed <= 400; seed++) {
        char how[64];
        snprintf(how, sizeof how, "random_restart,seed=%d", seed);
        rig_init(&a, how, hill, 0);
        run(&a, 0);
        corners[0] += N_of(&a, 0) <= 14; /* 105 of 300 tuples */
        corners[1] += p_of(&a, 0) <= 5;  /* 110 of 300 */
        driven_free(&a.it);
    }
    assert_true(corners[0] > 100 && corners[0] < 180);
    assert_true(corners[1] > 107 && corners[1] < 187);
}

static void it_begins_when_it_is_put_in(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, "random_restart", hill, 70000);
    run(&r, 70000 + PERIOD - 1);
    mech_random_restart.end(r.it.self, r.now);
    assert_int_equal(stat(&r, "sm_cycles"), SMS * (r.now - 70000));
    driven_free(&r.it);
}

static void a_measurement_longer_than_a_period_is_refused(void **state)
{
    (void)state;
    struct error err;
    struct mech_spec spec;
    assert_int_equal(mech_parse(&spec, "random_restart,T_period=5000", &err), -1);
    assert_non_null(strstr(err.text, "takes longer than a period of 5000 cycles"));
}

static void in_the_machine_runs_repeat_with_and_without_skipping(void **state)
{
    (void)state;
    const struct stack_run how = {.mechs = {"random_restart,T_period=9000,T_warmup=100,T_sample=300"}};
    struct trace *t = synth_rows(40, 8, 24, 1);
    json_t *mech;
    struct gpu_stats *s = stack_run(t, &how, &mech);
    stack_repeats_as(t, &how, s);
    assert_int_equal(json_integer_value(json_object_get(mech, "sm_cycles")),
                     4 * (json_int_t)stack_value(s, "core_cycles"));
    assert_true(json_integer_value(json_object_get(mech, "moves")) > 0);
    json_decref(mech);
    free(s);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_one_top_and_a_stride_of_1_every_SM_settles_there),
        cmocka_unit_test(steps_are_measured_after_the_warm_up_and_go_to_neighbours_of_the_best_so_far),
        cmocka_unit_test(restarts_find_what_one_climb_misses),
        cmocka_unit_test(the_budget_ends_the_search_and_a_new_period_begins_another),
        cmocka_unit_test(seeds_and_SMs_draw_different_tuples_and_one_seed_the_same),
        cmocka_unit_test(it_begins_when_it_is_put_in),
        cmocka_unit_test(a_measurement_longer_than_a_period_is_refused),
        cmocka_unit_test(in_the_machine_runs_repeat_with_and_without_skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
