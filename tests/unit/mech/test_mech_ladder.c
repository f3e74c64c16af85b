/* Ladder: rungs, waiting, refinement, duels and the corrections of what SMs in mixed company show, driven through
 * its hooks; then in the machine. */
#include "driven.h"
#include "stack.h"

#include <jansson.h>

extern const struct mech_type mech_ladder;
/* What the tests drive begins at one warp, has two voters a neighbour and a price, whatever the defaults are. */
#define LOW "ladder,first=1,voters=2,price=0.2"
enum { SMS = 32, W = 24, STEP = 3001, LATER = 5001 };

/* A machine whose SMs issue and miss by their tuple and by how many SMs share it. */
struct rig {
    struct driven it;
    uint64_t now;
    double insts[SMS], misses[SMS], busy, in_use; /* in_use: utilisation of L2's ports */
    double (*rate)(uint32_t N, uint32_t p, uint32_t sharers);
    double (*need)(uint32_t N, uint32_t p); /* L1 misses an instruction, of half an access */
    double (*full)(uint32_t N, uint32_t p); /* utilisation if all SMs were at it */
    double insts_a_load;
    bool is_idle[SMS];
};

static double few_misses(uint32_t N, uint32_t p) { return 0.05 + 0 * (N + p); }
static double hardly_used(uint32_t N, uint32_t p) { return 0.1 + 0 * (N + p); }
static double peak_at_4(uint32_t N, uint32_t p, uint32_t sharers)
{
    return 1.0 / (1 + abs((int)N - 4) + 0.5 * abs((int)p - 4)) + 0 * sharers;
}
static double peak_at_3_1(uint32_t N, uint32_t p, uint32_t sharers)
{
    return 1.0 / (1 + abs((int)N - 3) + 2 * abs((int)p - 1)) + 0 * sharers;
}
static double more_is_better(uint32_t N, uint32_t p, uint32_t sharers) { return 0.1 * N + 0.01 * p + 0 * sharers; }

static void rig_init(struct rig *r, const char *how, double (*rate)(uint32_t, uint32_t, uint32_t))
{
    *r = (struct rig){.rate = rate, .need = few_misses, .full = hardly_used, .insts_a_load = 4};
    driven_new(&r->it, &mech_ladder, how, &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W});
}

static uint32_t N_of(const struct rig *r, uint32_t sm) { return driven_N(&r->it, sm, r->now); }
static uint32_t p_of(const struct rig *r, uint32_t sm) { return driven_p(&r->it, sm, r->now); }
static uint32_t at(const struct rig *r, uint32_t N, uint32_t p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SMS; i++) n += N_of(r, i) == N && p_of(r, i) == p;
    return n;
}

static void gauges(void *machine, struct gauges *out)
{
    const struct rig *r = machine;
    *out = (struct gauges){0};
    for (int i = 0; i < N_GAUGES; i++) out->total[i] = r->now, out->busy[i] = (uint64_t)r->busy;
}

static void advance(struct rig *r, uint64_t cycles)
{
    for (uint32_t i = 0; i < SMS; i++) {
        const uint32_t N = N_of(r, i), p = p_of(r, i);
        const double done = r->is_idle[i] ? 0 : (double)cycles * r->rate(N, p, at(r, N, p));
        r->insts[i] += done;
        r->misses[i] += done * r->need(N, p);
        r->busy += (double)cycles * r->full(N, p) / SMS;
    }
    r->now += cycles;
}

/* To the cycle `until`, calling every SM whenever it asked to be called. */
static void run(struct rig *r, uint64_t until)
{
    uint64_t next[SMS];
    for (uint32_t i = 0; i < SMS; i++) next[i] = r->now;
    while (r->now <= until) {
        uint64_t soonest = UINT64_MAX;
        for (uint32_t i = 0; i < SMS; i++) {
            if (next[i] == r->now) {
                const uint64_t accesses = (uint64_t)(r->insts[i] * 0.5);
                const struct feature_counters c = {.cycles = r->now,
                                                   .insts = (uint64_t)r->insts[i],
                                                   .loads = (uint64_t)(r->insts[i] / r->insts_a_load),
                                                   .l1_accesses = accesses,
                                                   .l1_hits = accesses - (uint64_t)r->misses[i]};
                const struct sm_view view = {.sm = i, .counters = c, .machine = r, .gauges = gauges};
                next[i] = mech_ladder.epoch(r->it.self, &view, r->now);
                assert_true(next[i] > r->now);
            }
            if (next[i] < soonest) soonest = next[i];
        }
        if (soonest > until) break;
        advance(r, soonest - r->now);
    }
}

static uint64_t stat(const struct rig *r, const char *name) { return driven_stat(&r->it, name); }

static void it_begins_at_the_two_lowest_rungs_and_climbs(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, more_is_better);
    const uint32_t rungs[][2] = {{1, 2}, {2, 4}, {4, 8}, {8, 16}, {16, 24}};
    for (uint64_t i = 0; i < COUNT_OF(rungs); i++) {
        run(&r, i * STEP + 10);
        for (int k = 0; k < 2; k++) assert_int_equal(at(&r, rungs[i][k], rungs[i][k]), SMS / 2);
    }
    run(&r, 6 * STEP + 10);
    assert_true(stat(&r, "rungs") == 6); /* the last: all at (24,24) */
    run(&r, 30000);
    assert_int_equal(at(&r, W, W), SMS);
    driven_free(&r.it);
}

static double fewer_is_better(uint32_t N, uint32_t p, uint32_t sharers) { return 1.0 / N + 0 * (p + sharers); }

static void from_a_higher_first_rung_it_climbs_or_descends(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW ",first=4", more_is_better);
    const uint32_t up[][2] = {{4, 8}, {8, 16}, {16, 24}};
    for (uint64_t i = 0; i < COUNT_OF(up); i++) {
        run(&r, i * STEP + 10);
        for (int k = 0; k < 2; k++) assert_int_equal(at(&r, up[i][k], up[i][k]), SMS / 2);
    }
    driven_free(&r.it);
    rig_init(&r, LOW ",first=4", fewer_is_better);
    const uint32_t down[][2] = {{4, 8}, {2, 4}, {1, 2}};
    for (uint64_t i = 0; i < COUNT_OF(down); i++) {
        run(&r, i * STEP + 10);
        for (int k = 0; k < 2; k++) assert_int_equal(at(&r, down[i][k], down[i][k]), SMS / 2);
    }
    run(&r, 4 * STEP);
    assert_int_equal(stat(&r, "rungs"), 3);
    driven_free(&r.it);
    rig_init(&r, LOW ",first=4", peak_at_4); /* (2,2) does not win against (4,4): no further down */
    run(&r, 2 * STEP + 10);
    assert_true(stat(&r, "rungs") == 2 && stat(&r, "refinements") == 1 && at(&r, 4, 4) >= SMS / 2);
    driven_free(&r.it);
    rig_init(&r, LOW ",first=64", more_is_better); /* no more than the SM has */
    run(&r, 10);
    assert_int_equal(at(&r, W, W), SMS);
    driven_free(&r.it);
}

static double slowly_better(uint32_t N, uint32_t p, uint32_t sharers) { return 1 + 0.06 * N + 0 * (p + sharers); }

static void rungs_are_nearer_where_the_last_gained_little(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, slowly_better);
    const uint32_t rungs[][2] = {{1, 2}, {2, 3}, {3, 5}, {5, 8}};
    for (uint64_t i = 0; i < COUNT_OF(rungs); i++) {
        run(&r, i * STEP + 10);
        for (int k = 0; k < 2; k++) assert_int_equal(at(&r, rungs[i][k], rungs[i][k]), SMS / 2);
    }
    driven_free(&r.it);
}

static void it_settles_at_a_peak_on_the_diagonal_and_beside_it(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, peak_at_4);
    run(&r, 27000);
    assert_true(at(&r, 4, 4) == SMS && stat(&r, "searches") == 1 && stat(&r, "corrected_N") == 4 &&
                stat(&r, "corrected_p") == 4);
    driven_free(&r.it);
    rig_init(&r, LOW, peak_at_3_1);
    run(&r, 100000);
    assert_true(at(&r, 3, 1) >= SMS / 2); /* the greater part, in whatever state */
    assert_true(stat(&r, "moves") >= 2 && stat(&r, "duels") >= stat(&r, "moves"));
    driven_free(&r.it);
}

static void voters_leave_most_sms_at_the_best(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, peak_at_4);
    run(&r, 3 * STEP + 10); /* 1 | 2, 2 | 3, 3 | 5: the first refinement */
    assert_int_equal(stat(&r, "refinements"), 1);
    assert_int_equal(at(&r, 3, 3), SMS - 4 * 2);
    assert_true(at(&r, 4, 4) == 2 && at(&r, 2, 2) == 2 && at(&r, 3, 2) == 2 && at(&r, 4, 3) == 2);
    run(&r, 4 * STEP + 10); /* the winner and the best so far */
    assert_true(at(&r, 3, 3) == SMS / 2 && at(&r, 4, 4) == SMS / 2 && stat(&r, "duels") == 1);
    driven_free(&r.it);
}

static double nothing_hits(uint32_t N, uint32_t p) { return 0.5 + 0 * (N + p); }
static double all_used(uint32_t N, uint32_t p) { return 0.95 + 0 * (N + p); }

static void cold_caches_are_waited_for_with_patience(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW ",patience=3", peak_at_4);
    r.need = nothing_hits;
    r.full = all_used;
    for (uint64_t i = 1; i <= 3; i++) {
        run(&r, i * STEP + 10);
        assert_true(at(&r, 1, 1) == SMS && stat(&r, "waits") == i);
    }
    run(&r, 4 * STEP + 10);
    assert_true(at(&r, 1, 1) == SMS / 2 && at(&r, 2, 2) == SMS / 2);
    driven_free(&r.it);

    rig_init(&r, LOW ",first=4,patience=1", peak_at_4); /* at (1,1), wherever it would have begun, and from there */
    r.need = nothing_hits;
    r.full = all_used;
    run(&r, STEP + 10);
    assert_true(at(&r, 1, 1) == SMS && stat(&r, "waits") == 1);
    run(&r, 2 * STEP + 10);
    assert_true(at(&r, 1, 1) == SMS / 2 && at(&r, 2, 2) == SMS / 2);
    driven_free(&r.it);

    rig_init(&r, LOW, peak_at_4); /* memory is not busy: no locality, rather than cold */
    r.need = nothing_hits;
    run(&r, 2 * STEP + 10);
    assert_true(at(&r, 1, 1) == SMS / 2 && stat(&r, "waits") == 1);
    driven_free(&r.it);
}

/* (5,4) looks well while few SMs are there. */
static double flatters(uint32_t N, uint32_t p, uint32_t sharers)
{
    return N == 5 && p == 4 ? sharers <= SMS / 2 ? 1.3 : 0.5 : peak_at_4(N, p, sharers);
}

static void what_only_a_few_sms_gain_is_given_up_for_good(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, flatters);
    run(&r, 400000);
    assert_true(stat(&r, "moves") >= 1);
    assert_true(stat(&r, "N_cycles") < 44 * stat(&r, "sm_cycles") / 10);
    run(&r, 600000);
    assert_true(at(&r, 4, 4) >= SMS / 2);
    driven_free(&r.it);
}

static double thrashes(uint32_t N, uint32_t p) { return 0.05 * N * N + 0 * p; }
static double filled(uint32_t N, uint32_t p) { return N >= 3 ? 1.0 : N == 2 ? 0.97 : 0.5 + 0 * p; }
/* In crowded company one warp is a little slower than two; alone it would be faster. */
static double crowded(uint32_t N, uint32_t p, uint32_t sharers)
{
    return N == 1 ? sharers > SMS / 2 ? 0.4 : 0.28 : N == 2 ? 0.3 : 0.1 + 0 * p;
}

static void full_shared_resources_are_relieved(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, crowded);
    r.need = thrashes;
    r.full = filled;
    run(&r, 100000);
    assert_true(at(&r, 1, 1) >= SMS / 2);
    driven_free(&r.it);
    rig_init(&r, LOW ",full=100,price=0", crowded); /* without it, it stays in the crowd */
    r.need = thrashes;
    r.full = filled;
    run(&r, 100000);
    assert_true(at(&r, 2, 2) + at(&r, 2, 1) >= SMS / 2);
    assert_true(stat(&r, "relieved") == 0);
    driven_free(&r.it);
}

static double tenth_better(uint32_t N, uint32_t p, uint32_t sharers)
{
    return N == 5 && p == 4 ? 1.1 : peak_at_4(N, p, sharers);
}
static double doubled(uint32_t N, uint32_t p) { return N == 5 && p == 4 ? 0.1 : 0.05; }

static void new_misses_have_a_price(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, tenth_better);
    r.need = doubled; /* 10 % faster, but half of its misses are new: 3 + 10 % are asked for */
    run(&r, 60000);
    assert_true(at(&r, 4, 4) >= SMS / 2 && stat(&r, "duels") == 1);
    driven_free(&r.it);
    rig_init(&r, LOW ",price=0", tenth_better);
    r.need = doubled;
    run(&r, 60000);
    assert_true(at(&r, 5, 4) >= SMS / 2);
    driven_free(&r.it);
}

static double drop_factor = 1;
static double dropping(uint32_t N, uint32_t p, uint32_t sharers) { return drop_factor * peak_at_4(N, p, sharers); }

static void a_drop_of_the_fastest_sm_begins_again(void **state)
{
    struct rig r;
    (void)state;
    drop_factor = 1;
    rig_init(&r, LOW ",T_first=100000000,T_period=100000000", dropping);
    run(&r, 50000);
    const uint64_t rungs = stat(&r, "rungs");
    for (int i = 1; i < SMS; i++) r.is_idle[i] = true; /* the others have no work left */
    run(&r, 80000);
    drop_factor = 0.8;
    run(&r, 110000);
    assert_true(stat(&r, "drops") == 0 && stat(&r, "rungs") == rungs);
    drop_factor = 0.5;
    run(&r, 140000);
    assert_true(stat(&r, "drops") == 1 && stat(&r, "rungs") > rungs);
    driven_free(&r.it);
}

static void a_kernel_with_few_loads_stays_at_all_warps(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW, peak_at_4);
    r.insts_a_load = 100;
    run(&r, 100000);
    assert_true(at(&r, W, W) == SMS && stat(&r, "early_outs") == 1);
    driven_free(&r.it);
}

static void periods_double(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, LOW ",T_first=20000,T_period=80000,T_monitor=1000,later=1", peak_at_4);
    uint64_t begins[5] = {0}, n = 0, before = 0;
    for (uint64_t t = 0; t <= 400000 && n < 5; t += 500) {
        run(&r, t);
        const uint64_t now = stat(&r, "searches");
        if (now > before) begins[n++] = t;
        before = now;
    }
    assert_true(n == 5);
    for (int i = 1; i < 5; i++) { /* 20, 40, 80, 80 thousand cycles in RUN, and a refinement */
        const uint64_t length = begins[i] - begins[i - 1], least = i == 1 ? 20000 : i == 2 ? 40000 : 80000;
        assert_true(length >= least && length <= least + STEP + 2500);
    }
    driven_free(&r.it);
}

static void in_the_machine_it_repeats_and_counts_every_cycle_once(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(60, 6, 40, 5);
    const struct stack_run how = {
        .mechs = {"ladder,T_warmup=100,T_sample=200,T_first=2000,T_period=4000,T_monitor=500"}};
    json_t *own;
    struct gpu_stats *stats = stack_run(t, &how, &own);
    const uint64_t sm_cycles = (uint64_t)json_integer_value(json_object_get(own, "sm_cycles"));
    assert_true(sm_cycles == 4 * stack_value(stats, "core_cycles"));
    assert_true((uint64_t)json_integer_value(json_object_get(own, "p_cycles")) <=
                (uint64_t)json_integer_value(json_object_get(own, "N_cycles")));
    assert_true((uint64_t)json_integer_value(json_object_get(own, "explore_cycles")) <= sm_cycles);
    assert_true(json_integer_value(json_object_get(own, "searches")) >= 2);
    stack_conserves(stats);
    stack_repeats_as(t, &how, stats);
    json_decref(own);
    free(stats);
    trace_close(t);
}

static void its_storage_is_of_the_order_of_poises(void **state)
{
    struct mech_cost parts[MECH_COSTS_MAX];
    uint64_t bits = 0;
    (void)state;
    const size_t n = mech_ladder.cost(NULL, &(struct mech_env){.sms = SMS, .schedulers = 2, .W = W}, parts);
    assert_true(n > 0 && n <= MECH_COSTS_MAX);
    for (size_t i = 0; i < n; i++) bits += SMS * parts[i].sm_bits + parts[i].gpu_bits;
    assert_int_equal(bits, 5630); /* models/ladder.md, which says what Poise's 536 B and 920 B count */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_at_the_two_lowest_rungs_and_climbs),
        cmocka_unit_test(from_a_higher_first_rung_it_climbs_or_descends),
        cmocka_unit_test(rungs_are_nearer_where_the_last_gained_little),
        cmocka_unit_test(it_settles_at_a_peak_on_the_diagonal_and_beside_it),
        cmocka_unit_test(voters_leave_most_sms_at_the_best),
        cmocka_unit_test(cold_caches_are_waited_for_with_patience),
        cmocka_unit_test(what_only_a_few_sms_gain_is_given_up_for_good),
        cmocka_unit_test(full_shared_resources_are_relieved),
        cmocka_unit_test(new_misses_have_a_price),
        cmocka_unit_test(a_drop_of_the_fastest_sm_begins_again),
        cmocka_unit_test(a_kernel_with_few_loads_stays_at_all_warps),
        cmocka_unit_test(periods_double),
        cmocka_unit_test(in_the_machine_it_repeats_and_counts_every_cycle_once),
        cmocka_unit_test(its_storage_is_of_the_order_of_poises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
