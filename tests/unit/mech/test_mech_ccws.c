/* CCWS: victim tags, scores, the stack, and what they do to a launch that thrashes. */
#include "synth.h"

#include <jansson.h>
#include "ccws.h"

static struct ccws_params params;
static struct ccws_stats stats;
static struct ccws_sm *sm;
static uint64_t ask_at;

static int setup(void **state)
{
    (void)state;
    params_defaults(mech_params(mech_find("ccws")), &params);
    memset(&stats, 0, sizeof stats);
    ask_at = UINT64_MAX;
    sm = calloc(1, sizeof *sm);
    return sm ? 0 : -1;
}
static int teardown(void **state)
{
    (void)state;
    free(sm);
    return 0;
}
static void start(struct ccws_sm *c, uint32_t slot, uint32_t uid, uint64_t now)
{
    ccws_start(c, &(struct warp_event){.slot = slot, .uid = uid, .now = now, .ask_at = &ask_at});
}
static void stop(struct ccws_sm *c, uint32_t slot, uint64_t now)
{
    ccws_exit(c, &stats, &(struct warp_event){.slot = slot, .now = now, .ask_at = &ask_at});
}
static void lose(struct ccws_sm *c, uint32_t uid, uint32_t line)
{
    ccws_evict(c, &params, &stats, &(struct line_event){.line = line, .allocator = uid, .ask_at = &ask_at});
}
static void miss(struct ccws_sm *c, uint32_t slot, uint32_t line, uint64_t insts, uint64_t now)
{
    ccws_access(c, &params, &stats,
                &(struct access_event){
                    .slot = slot, .line = line, .outcome = ACCESS_MISS, .insts = insts, .now = now, .ask_at = &ask_at});
}
static uint64_t may_load(uint64_t now)
{
    ask_at = UINT64_MAX;
    return ccws_may_load(sm, &params, &stats, now, &ask_at);
}

static void without_lost_locality_all_48_warps_may_load(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 48; i++) start(sm, i, i, 0);
    assert_true(may_load(1) == (1ull << 48) - 1);
    assert_true(ask_at == UINT64_MAX); /* and nothing will change that by itself */
    miss(sm, 3, 77, 1000, 5);
    assert_true(stats.vta_probes == 1 && stats.vta_hits == 0);
    assert_true(may_load(6) == (1ull << 48) - 1);
}

static void one_lost_hit_in_4_warps_and_16_instructions_scores_200_and_holds_the_youngest_for_100_cycles(void **state)
{
    (void)state;
    params.on_hit = CCWS_SET;
    for (uint32_t i = 0; i < 4; i++) start(sm, i, 10 + i, 0);
    lose(sm, 12, 500);
    miss(sm, 2, 500, 16, 99); /* 1 x 8 x 400 / 16 = 200 */
    assert_true(stats.vta_hits == 1 && stats.peak_score == 200);
    assert_true(ask_at == 1);        /* since the warps started */
    assert_true(may_load(100) == 7); /* 200 + 100 + 100 is the cutoff; warp 3 is past it */
    assert_true(ask_at == 200);
    assert_true(may_load(199) == 7);
    assert_true(may_load(200) == 15);
}

static void the_first_of_the_stack_may_always_load(void **state)
{
    (void)state;
    params.on_hit = CCWS_SET;
    for (uint32_t i = 0; i < 4; i++) start(sm, i, i, 0);
    lose(sm, 3, 500);
    miss(sm, 3, 500, 1, 9); /* 3200, far above the cutoff of 400 */
    assert_true(may_load(10) == 8);
    assert_true(ask_at == 10 + 3200 + 100 - 400); /* the second fits when the first has 300 */
    params.cap = true;
    lose(sm, 3, 501);
    miss(sm, 3, 501, 1, 9);
    assert_true(may_load(10) == 8);
    assert_true(ask_at == 110);
}

/* [THESIS §5.3.1]: the score is incremented. */
static void a_lost_hit_adds_to_the_score_and_with_the_option_replaces_it(void **state)
{
    (void)state;
    start(sm, 0, 0, 0);
    lose(sm, 0, 1);
    miss(sm, 0, 1, 8, 0); /* 100 + 1 x 8 x 100 / 8 */
    assert_true(stats.peak_score == 200);
    lose(sm, 0, 1);
    miss(sm, 0, 1, 16, 50); /* 150 (50 decayed) + 2 x 8 x 100 / 16 */
    assert_true(stats.peak_score == 250);
    params.on_hit = CCWS_SET;
    lose(sm, 0, 1);
    miss(sm, 0, 1, 8, 60); /* 3 x 8 x 100 / 8, whatever it was */
    assert_true(stats.peak_score == 300);
}

static void a_set_of_victim_tags_keeps_8_lines_and_gives_each_back_once(void **state)
{
    (void)state;
    start(sm, 0, 0, 0);
    for (uint32_t i = 0; i < 9; i++) lose(sm, 0, 2 * i); /* all in one set of two */
    lose(sm, 0, 1);
    miss(sm, 0, 0, 100, 1); /* the oldest was pushed out */
    assert_true(stats.vta_hits == 0);
    for (uint32_t i = 1; i < 9; i++) miss(sm, 0, 2 * i, 100, 1);
    miss(sm, 0, 1, 100, 1);
    assert_true(stats.vta_hits == 9);
    for (uint32_t i = 1; i < 9; i++) miss(sm, 0, 2 * i, 100, 1);
    assert_true(stats.vta_hits == 9);
}

static void a_line_is_forgotten_when_its_warp_has_ended_though_the_slot_is_used_again(void **state)
{
    (void)state;
    start(sm, 0, 0, 0);
    start(sm, 1, 1, 0);
    lose(sm, 1, 40);
    stop(sm, 1, 10);
    start(sm, 1, 99, 11);
    lose(sm, 1, 41); /* brought by the warp that ended */
    miss(sm, 1, 40, 100, 12);
    miss(sm, 1, 41, 100, 12);
    assert_true(stats.vta_hits == 0 && stats.orphans == 1 && stats.victims == 1);
}

/* Only locality that contention took counts: not a hit, not a miss that merges, not a line that a store took. */
static void hits_merges_and_lines_lost_to_stores_leave_the_score_alone(void **state)
{
    (void)state;
    start(sm, 0, 0, 0);
    lose(sm, 0, 500);
    for (int outcome = ACCESS_HIT; outcome <= ACCESS_MERGED; outcome++)
        ccws_access(sm, &params, &stats,
                    &(struct access_event){
                        .line = 500, .outcome = (enum access_outcome)outcome, .insts = 1, .now = 5, .ask_at = &ask_at});
    assert_true(stats.vta_probes == 0 && stats.vta_hits == 0);
    ccws_evict(sm, &params, &stats,
               &(struct line_event){.line = 600, .allocator = 0, .by_store = true, .ask_at = &ask_at});
    miss(sm, 0, 600, 1, 6);
    assert_true(stats.vta_probes == 1 && stats.vta_hits == 0 && stats.victims == 1);
    miss(sm, 0, 500, 1, 7);
    assert_true(stats.vta_hits == 1);
}

/* LLDS = hits x K x cutoff / instructions, and the cutoff is of the warps that are there. */
static void the_cutoff_falls_when_warps_end_and_so_does_what_a_lost_hit_scores(void **state)
{
    (void)state;
    params.on_hit = CCWS_SET;
    for (uint32_t i = 0; i < 6; i++) start(sm, i, i, 0);
    lose(sm, 0, 1);
    miss(sm, 0, 1, 16, 9); /* 8 x 600 / 16 = 300: 300 + 3 x 100 is the cutoff */
    assert_true(stats.peak_score == 300);
    assert_true(may_load(10) == 15);
    stop(sm, 4, 10);
    stop(sm, 5, 10);
    assert_true(may_load(11) == 3); /* the cutoff is 400, the score 299 */
    assert_true(ask_at == 110);     /* at 200 the third fits */
    assert_true(may_load(110) == 7);
    lose(sm, 1, 2);
    miss(sm, 1, 2, 32, 120); /* 2 x 8 x 400 / 32 = 200 */
    assert_true(stats.vta_hits == 2);
    assert_true(may_load(121) == 3); /* 200 of warp 1 and 189 of warp 0: a third would be past 400 */
}

/* What the stack says, worked out anew in every cycle. */
static uint64_t by_the_book(const uint64_t score[8], const bool live[8], const uint32_t uid[8])
{
    uint64_t n = 0, sum = 0, mask = 0, done = 0;
    for (int i = 0; i < 8; i++) n += live[i];
    for (uint64_t k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < 8; i++)
            if (live[i] && !(done >> i & 1) &&
                (best < 0 || score[i] > score[best] || (score[i] == score[best] && uid[i] < uid[best])))
                best = i;
        done |= 1ull << best;
        sum += score[best];
        if (k > 0 && sum > n * 100) break;
        mask |= 1ull << best;
    }
    return mask;
}

static void is_right_in_each_of_20000_cycles(uint32_t on_hit)
{
    params.on_hit = on_hit;
    uint64_t score[8] = {0}, hits = 0, mask = 0, next = 0;
    bool live[8] = {false};
    uint32_t uid[8] = {0}, fresh = 0, r = 7;
    for (uint64_t now = 1; now < 20000; now++) {
        for (int i = 0; i < 8; i++) score[i] -= score[i] > 100;
        if (now >= next) {
            mask = may_load(now);
            next = ask_at;
        }
        assert_true(mask == by_the_book(score, live, uid));
        r = r * 1664525u + 1013904223u;
        const uint32_t slot = r >> 8 & 7;
        ask_at = next;
        if ((r >> 12 & 63) == 0) {
            if (live[slot]) stop(sm, slot, now);
            else start(sm, slot, uid[slot] = fresh++, now);
            live[slot] = !live[slot];
            score[slot] = 100;
            mask = may_load(now); /* the set changed: asked at once */
        } else if ((r >> 12 & 63) < 3 && live[slot]) {
            uint64_t n = 0;
            for (int i = 0; i < 8; i++) n += live[i];
            lose(sm, uid[slot], slot);
            miss(sm, slot, slot, 30 + now, now);
            hits++;
            const uint64_t llds = hits * 8 * n * 100 / (30 + now), kept = score[slot] > 100 ? score[slot] - 1 : 100;
            score[slot] = llds + (on_hit == CCWS_ADD ? kept : 0);
            score[slot] = score[slot] <= 100 ? 100 : score[slot] + 1; /* counts from the next cycle */
        }
        next = ask_at < next ? ask_at : next;
    }
    assert_true(stats.changes > 100);
}

static void asked_only_when_it_says_so_the_stack_is_right_in_each_of_20000_cycles(void **state)
{
    is_right_in_each_of_20000_cycles(CCWS_ADD);
    teardown(state);
    setup(state);
    is_right_in_each_of_20000_cycles(CCWS_SET);
}

/* ---- in the machine ---- */

static const char *const small_gpu[] = {"core.sms=4", "l2.banks=6", NULL};
static const char *const kinds[] = {"ccws", "ccws,on_hit=set", "ccws,cap=1",
                                    "ccws,vta_entries=4,vta_ways=4,K_throttle=64"};

static void skipping_cycles_changes_no_byte(void **state)
{
    (void)state;
    struct trace *traces[] = {synth_mixture(16, 6, 12, 3), synth_rows(12, 8, 32, 1)};
    for (size_t i = 0; i < COUNT_OF(traces); i++) {
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            char *a = synth_run_both(traces[i], (struct synth_run){.set = small_gpu, .mech = kinds[k]});
            free(a);
        }
        trace_close(traces[i]);
    }
}

static double value(const struct trace *t, const char *mech, const char *name)
{
    char *text = synth_run_json(t, &(struct synth_run){.set = small_gpu, .mech = mech});
    const double v = synth_value(text, name);
    free(text);
    return v;
}

static void a_launch_that_thrashes_runs_faster_than_under_GTO_and_slower_than_under_the_best_SWL(void **state)
{
    (void)state;
    struct trace *t = synth_rows(24, 8, 64, 2);
    double best = 1e300;
    for (int N = 1; N <= 4; N++) {
        char mech[16];
        snprintf(mech, sizeof mech, "swl,N=%d", N);
        const double cycles = value(t, mech, "core_cycles");
        if (cycles < best) best = cycles;
    }
    const double gto = value(t, "gto", "core_cycles"), ccws = value(t, "ccws", "core_cycles");
    print_message("cycles: gto %.0f, ccws %.0f, best swl %.0f\n", gto, ccws, best);
    assert_true(ccws < 0.9 * gto && ccws > best);
    assert_true(value(t, "ccws", "l1d_hit_rate") > value(t, "gto", "l1d_hit_rate"));
    trace_close(t);
}

static void with_a_throttle_of_0_it_is_GTO(void **state)
{
    (void)state;
    struct trace *t = synth_rows(24, 8, 32, 1);
    assert_true(value(t, "gto", "core_cycles") == value(t, "ccws,K_throttle=0", "core_cycles"));
    trace_close(t);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(without_lost_locality_all_48_warps_may_load),
        T(one_lost_hit_in_4_warps_and_16_instructions_scores_200_and_holds_the_youngest_for_100_cycles),
        T(the_first_of_the_stack_may_always_load),
        T(a_lost_hit_adds_to_the_score_and_with_the_option_replaces_it),
        T(a_set_of_victim_tags_keeps_8_lines_and_gives_each_back_once),
        T(a_line_is_forgotten_when_its_warp_has_ended_though_the_slot_is_used_again),
        T(hits_merges_and_lines_lost_to_stores_leave_the_score_alone),
        T(the_cutoff_falls_when_warps_end_and_so_does_what_a_lost_hit_scores),
        T(asked_only_when_it_says_so_the_stack_is_right_in_each_of_20000_cycles),
        T(skipping_cycles_changes_no_byte),
        T(a_launch_that_thrashes_runs_faster_than_under_GTO_and_slower_than_under_the_best_SWL),
        T(with_a_throttle_of_0_it_is_GTO),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
