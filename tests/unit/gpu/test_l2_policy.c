/* L2's hooks: what mechanisms are asked and told, and what L2 does with their answers. */
#include "l2_rig.h"

#include <jansson.h>

#include "poise/simulation.h"
#include "poise/trace.h"
#include "synth.h"

static const char *const two_ways[] = {"l2.ways=2", NULL};

struct seen {
    uint64_t outcomes[5], insertions, hits, asked;
    struct l2_request last;
    struct l2_access access;
    uint32_t locked[4]; /* lines */
    enum l2_hit then;
    bool oldest;
    uint32_t victim_line;
};
static void see_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct seen *s = self;
    s->outcomes[access->outcome]++;
    s->last = *r;
    s->access = *access;
}
static enum l2_insertion see_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct seen *s = self;
    assert_true(set->at < set->n);
    s->insertions++;
    return s->oldest && r->requester == 1 ? L2_INSERT_OLDEST : L2_INSERT_NEWEST;
}
static enum l2_hit see_hit(void *self, const struct l2_request *r, const struct l2_hit_line *line)
{
    struct seen *s = self;
    assert_int_equal(r->line, line->way.line);
    s->hits++;
    return s->then;
}
static bool lock(void *self, const struct l2_request *r, const struct l2_set *set)
{
    const struct seen *s = self;
    assert_int_not_equal(r->line, set->ways[set->at].line);
    for (int i = 0; i < 4; i++)
        if (s->locked[i] && s->locked[i] == set->ways[set->at].line) return false;
    return true;
}
/* Loads with .cs go around. */
static bool streams(void *self, const struct l2_request *r, const struct l2_set *set)
{
    ((struct seen *)self)->asked += set->n;
    return r->kind == L2_LOAD && r->cache_op == TRACE_CACHE_CS;
}
static bool newest(void *self, const struct l2_request *r, const struct l2_set *set)
{
    uint32_t best = set->n;
    (void)self;
    (void)r;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->ways[i].may_go && (best == set->n || set->ways[i].age > set->ways[best].age)) best = i;
    return best == set->at;
}
#define TYPE(tag, ...) \
    static const struct mech_type tag = {.name = #tag, \
                                         .title = "a test's", \
                                         .source = "assumed", \
                                         .params = {.owner = #tag}, \
                                         .stats = {.owner = #tag}, \
                                         .state_size = sizeof(struct seen), \
                                         __VA_ARGS__}
TYPE(watcher, .l2_on_access = see_access);
TYPE(locker, .l2_may_evict = lock, .l2_on_access = see_access);
TYPE(freer, .l2_on_hit = see_hit);
TYPE(streamer, .l2_bypass = streams);
TYPE(inserter, .l2_insert = see_insert);
TYPE(mru, .l2_share = newest);
TYPE(mru_too, .l2_share = newest);
TYPE(locker_too, .l2_may_evict = lock, .l2_on_access = see_access);

static void two_owners_of_a_hook_are_refused_with_both_names_and_vetoes_stack(void **state)
{
    (void)state;
    struct error err;
    const struct mech_spec twice[] = {{.type = &mru}, {.type = &locker}, {.type = &mru_too}};
    const struct mech_spec fine[] = {{.type = &locker}, {.type = &mru}, {.type = &locker_too}, {.type = &streamer}};
    assert_int_equal(hooks_check(fine, 4, &err), 0);
    assert_int_equal(hooks_check(twice, 3, &err), -1);
    assert_string_equal(err.text, "mru and mru_too both want to decide 'l2_share'; a stack can have one of them");
}

static void hits_misses_and_requesters_are_told(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_of(&rig, two_ways, (const struct mech_type *const[]){&watcher, NULL});
    const struct seen *s = rig.self[0];
    assert_string_equal(l2_rig_load(&rig, 10, TRACE_CACHE_CA, 3), "LD:10 ");
    assert_true(s->access.outcome == L2_MISSED && s->access.frame == 0 && s->last.kind == L2_LOAD);
    assert_string_equal(l2_rig_store(&rig, 10, TRACE_CACHE_WT, 7), "");
    assert_true(s->access.outcome == L2_HIT && s->last.kind == L2_STORE && s->last.cache_op == TRACE_CACHE_WT);
    assert_int_equal(s->last.requester, 7);
    assert_string_equal(l2_rig_load(&rig, 11, TRACE_CACHE_CA, 3), "LD:11 ");
    assert_int_equal(s->access.frame, 1);
    assert_string_equal(l2_rig_load(&rig, 12, TRACE_CACHE_CA, 3), "WR:10 LD:12 ");
    assert_int_equal(s->access.frame, 0);
    assert_true(s->outcomes[L2_HIT] == 1 && s->outcomes[L2_MISSED] == 3);
    l2_rig_free(&rig);
}

static void a_locked_line_stays_and_with_all_locked_requests_go_around_but_an_atomic_does_not(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_of(&rig, two_ways, (const struct mech_type *const[]){&locker, NULL});
    struct seen *s = rig.self[0];
    l2_rig_load(&rig, 10, 0, 0);
    l2_rig_load(&rig, 11, 0, 0);
    s->locked[0] = 10;
    assert_string_equal(l2_rig_load(&rig, 12, 0, 0), "LD:12 ");
    assert_true(l2_rig_holds(&rig, 10) && !l2_rig_holds(&rig, 11));
    s->locked[1] = 12;
    assert_string_equal(l2_rig_load(&rig, 13, 0, 0), "LD:13 ");
    assert_true(s->access.outcome == L2_BYPASSED && s->access.frame == L2_NO_FRAME);
    assert_string_equal(l2_rig_store(&rig, 14, 0, 0), "WR:14 ");
    assert_int_equal(s->outcomes[L2_BYPASSED], 2);
    assert_string_equal(l2_rig_load(&rig, 13, 0, 0), "LD:13 "); /* it has left nothing */
    assert_true(l2_rig_holds(&rig, 10) && l2_rig_holds(&rig, 12));
    const uint64_t port = rig.bank.stats.l2_port_cycles;
    l2_rig_load(&rig, 13, 0, 0);
    assert_int_equal(port, rig.bank.stats.l2_port_cycles); /* the answer goes straight to the crossbar */
    const struct request atomic = {.line = 15, .kind = REQUEST_ATOMIC, .sectors = 1};
    assert_string_equal(l2_rig_do(&rig, &atomic), "LD:15 ");
    assert_true(!l2_rig_holds(&rig, 10) && l2_rig_holds(&rig, 15)); /* the least recently used goes after all */
    l2_rig_free(&rig);
}

static void a_request_waits_for_a_pending_line_that_nobody_locks_and_does_not_go_around(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_of(&rig, (const char *const[]){"l2.ways=1", NULL}, (const struct mech_type *const[]){&locker, NULL});
    struct l2 *bank = &rig.bank;
    for (uint32_t i = 0; i < 2; i++)
        request_fifo_push(&bank->from_xbar, (struct request){.line = 20 + i, .kind = REQUEST_READ, .sectors = 15}, 0);
    for (cycle_t now = 1; now < 20; now++) l2_tick(bank, now);
    assert_int_equal(bank->to_dram.count, 1);
    assert_int_equal(bank->cause, L2_WAITS_LINE);
    request_fifo_push(&bank->from_dram, request_fifo_pop(&bank->to_dram), 20);
    for (cycle_t now = 20; now < 40; now++) l2_tick(bank, now);
    assert_int_equal(bank->to_dram.count, 1);
    assert_int_equal(request_fifo_peek(&bank->to_dram)->line, 21);
    assert_int_equal(((struct seen *)rig.self[0])->outcomes[L2_BYPASSED], 0);
    l2_rig_free(&rig);
}

static void the_owner_of_bypassing_sends_loads_around_and_a_bypass_may_hit(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_of(&rig, two_ways, (const struct mech_type *const[]){&streamer, &watcher, NULL});
    const struct seen *s = rig.self[1];
    assert_string_equal(l2_rig_load(&rig, 10, TRACE_CACHE_CS, 0), "LD:10 ");
    assert_false(l2_rig_holds(&rig, 10));
    l2_rig_load(&rig, 10, TRACE_CACHE_CA, 0);
    assert_string_equal(l2_rig_load(&rig, 10, TRACE_CACHE_CS, 0), "");
    assert_true(s->outcomes[L2_BYPASSED] == 1 && s->outcomes[L2_HIT] == 1 && s->outcomes[L2_MISSED] == 1);
    l2_rig_free(&rig);
}

static void a_hit_may_free_the_line_with_or_without_writing_it_back(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_of(&rig, two_ways, (const struct mech_type *const[]){&freer, NULL});
    struct seen *s = rig.self[0];
    l2_rig_store(&rig, 10, 0, 0);
    assert_string_equal(l2_rig_load(&rig, 10, 0, 0), "");
    assert_true(l2_rig_holds(&rig, 10) && s->hits == 1);
    s->then = L2_FREE;
    assert_string_equal(l2_rig_load(&rig, 10, 0, 0), "");
    assert_false(l2_rig_holds(&rig, 10));
    l2_rig_store(&rig, 11, 0, 0);
    s->then = L2_WRITE_BACK_AND_FREE;
    assert_string_equal(l2_rig_load(&rig, 11, 0, 0), "WR:11 ");
    assert_false(l2_rig_holds(&rig, 11));
    l2_rig_free(&rig);
}

static void an_owner_chooses_the_victim_and_another_where_a_line_begins(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_of(&rig, two_ways, (const struct mech_type *const[]){&inserter, NULL});
    struct seen *s = rig.self[0];
    s->oldest = true;
    l2_rig_load(&rig, 10, 0, 0);
    l2_rig_load(&rig, 11, 0, 1); /* begins as the oldest, */
    l2_rig_load(&rig, 12, 0, 0); /* so it goes */
    assert_true(l2_rig_holds(&rig, 10) && !l2_rig_holds(&rig, 11) && s->insertions == 3);
    l2_rig_free(&rig);
    l2_rig_of(&rig, two_ways, (const struct mech_type *const[]){&mru, &locker, NULL});
    s = rig.self[1];
    l2_rig_load(&rig, 10, 0, 0);
    l2_rig_load(&rig, 11, 0, 0);
    l2_rig_load(&rig, 12, 0, 0);
    assert_true(l2_rig_holds(&rig, 10) && l2_rig_holds(&rig, 12));
    s->locked[0] = 12;
    l2_rig_load(&rig, 13, 0, 0);
    assert_true(!l2_rig_holds(&rig, 10) && l2_rig_holds(&rig, 12));
    l2_rig_free(&rig);
}

/* ---- whole launches ---- */

/* Locks every line of even number once it is there, until an epoch unlocks them all. */
struct flip {
    struct seen seen;
    uint64_t epochs;
    bool is_locked;
};
static bool flip_may_evict(void *self, const struct l2_request *r, const struct l2_set *set)
{
    (void)r;
    return !(((struct flip *)self)->is_locked && set->ways[set->at].line % 2 == 0);
}
static uint64_t flip_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct flip *f = self;
    if (sm->sm) return UINT64_MAX;
    f->is_locked = !f->is_locked;
    f->epochs++;
    sm->l2_ask_again(sm->machine);
    return now + 701;
}
static struct flip last;
static void flip_end(void *self, uint64_t now)
{
    (void)now;
    last = *(struct flip *)self;
}
static const struct mech_type flipper = {
    .name = "flipper",
    .title = "locks and unlocks",
    .source = "assumed",
    .params = {.owner = "flipper"},
    .stats = {.owner = "flipper"},
    .state_size = sizeof(struct flip),
    .l2_may_evict = flip_may_evict,
    .l2_on_access = see_access,
    .epoch = flip_epoch,
    .end = flip_end,
};

static char *run(const struct trace *t, const char *const *set, bool no_skip)
{
    struct error err;
    struct plan *plan;
    struct gpu_result result;
    struct gpu_params *params = gpu_params_new();
    const struct mech_spec stack[] = {{.type = &flipper}};
    for (; *set; set += 2) assert_ok(gpu_params_set(params, set[0], set[1], &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(gpu_run(&result, plan, params, stack, 1, &(struct gpu_limits){.no_skip = no_skip}, &err), &err);
    const struct gpu_stats *s = result.stats;
    assert_int_equal(last.seen.outcomes[L2_HIT], (uint64_t)gpu_stats_value(s, "l2_hits"));
    assert_int_equal(last.seen.outcomes[L2_MERGED], (uint64_t)gpu_stats_value(s, "l2_mshr_merges"));
    assert_int_equal(last.seen.outcomes[L2_SECTOR_MISSED] + last.seen.outcomes[L2_MISSED] +
                         last.seen.outcomes[L2_BYPASSED],
                     (uint64_t)gpu_stats_value(s, "l2_misses"));
    assert_int_equal((uint64_t)gpu_stats_value(s, "l2_responses"), (uint64_t)gpu_stats_value(s, "l2_accesses"));
    assert_true(last.epochs > 3 && last.seen.outcomes[L2_BYPASSED] > 0);
    json_t *stats = gpu_stats_json(s);
    char *text = json_dumps(stats, 0);
    json_decref(stats);
    gpu_result_free(&result);
    plan_free(plan);
    gpu_params_free(params);
    return text;
}

static void locks_that_come_and_go_lose_no_request_and_are_the_same_with_and_without_skipping(void **state)
{
    (void)state;
    static const char *const machines[][13] = {
        {"core.sms", "4", "l2.banks", "6", "l2.sets", "4", "l2.ways", "2", "l2.mshrs", "4", NULL},
        {"core.sms", "4", "l2.banks", "6", "l2.sets", "4", "l2.ways", "4", "l2.organisation", "sectored",
         "l1.organisation", "sectored", NULL},
    };
    struct trace *t = synth_mixture(24, 6, 12, 5);
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        char *skips = run(t, machines[i], false), *ticks = run(t, machines[i], true);
        assert_string_equal(skips, ticks);
        free(skips);
        free(ticks);
    }
    trace_close(t);
}

/* What waits at L2 then has a line, or a way around, from the stack that goes. */
static void a_policy_may_be_put_on_and_taken_off_while_requests_wait_at_l2(void **state)
{
    (void)state;
    struct error err;
    struct plan *plan;
    struct trace *t = synth_mixture(24, 6, 12, 5);
    struct gpu_params *params = gpu_params_new();
    static const char *const set[][2] = {
        {"core.sms", "4"}, {"l2.banks", "6"}, {"l2.sets", "4"}, {"l2.ways", "2"}, {"l2.miss_queue", "3"}};
    for (size_t i = 0; i < COUNT_OF(set); i++) assert_ok(gpu_params_set(params, set[i][0], set[i][1], &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    const struct mech_spec stack[] = {{.type = &flipper}};
    const struct gpu_limits limits = {.no_skip = false};
    struct simulation *s;
    assert_ok(simulation_new(&s, plan, params, NULL, 0, &limits, NULL, &err), &err);
    int done = 0;
    for (unsigned k = 1; !done; k++) {
        done = simulation_run(s, 97 * k, &err);
        assert_true(done >= 0);
        if (!done) assert_ok(simulation_switch(s, stack, k % 2, &err), &err);
    }
    simulation_free(s);
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
}

/* Lines that stores overwrite whole go to DRAM when more than two of them wait, the oldest first, and stay; stores that
 * miss, or that leave bytes out, wait for nothing. */
static void a_bank_cleans_the_oldest_of_its_overwritten_lines(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.clean_after=2", "l2.ways=8", "l2.organisation=sectored", NULL}, NULL);
    for (uint32_t line = 1; line <= 4; line++) l2_rig_load(&rig, line, 0, 0);
    assert_string_equal("", l2_rig_store(&rig, 1, 0, 0));
    assert_string_equal("", l2_rig_store(&rig, 1, 0, 0)); /* is dirty already */
    assert_string_equal("", l2_rig_store(&rig, 2, 0, 0));
    assert_string_equal("", l2_rig_store(&rig, 5, 0, 0)); /* misses */
    assert_string_equal("WR:1 ", l2_rig_store(&rig, 3, 0, 0));
    assert_string_equal("WR:2 ", l2_rig_store(&rig, 1, 0, 0)); /* was clean again */
    assert_string_equal("", l2_rig_load(&rig, 2, 0, 0));
    struct request some = {.line = 4, .kind = REQUEST_WRITE, .sectors = 15};
    assert_string_equal("", l2_rig_do(&rig, &some));
    assert_int_equal(2, rig.bank.stats.l2_writebacks);
    /* of what is noted, a line that has been replaced is forgotten: 3 goes with its dirty sectors, not again */
    char seen[256] = "";
    for (uint32_t line = 8; line < 16; line++) strcat(seen, l2_rig_load(&rig, line, 0, 0));
    assert_non_null(strstr(seen, "WR:3 "));
    assert_string_equal("", l2_rig_store(&rig, 15, 0, 0));
    assert_string_equal("", l2_rig_store(&rig, 14, 0, 0));
    l2_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_owners_of_a_hook_are_refused_with_both_names_and_vetoes_stack),
        cmocka_unit_test(hits_misses_and_requesters_are_told),
        cmocka_unit_test(a_locked_line_stays_and_with_all_locked_requests_go_around_but_an_atomic_does_not),
        cmocka_unit_test(a_request_waits_for_a_pending_line_that_nobody_locks_and_does_not_go_around),
        cmocka_unit_test(the_owner_of_bypassing_sends_loads_around_and_a_bypass_may_hit),
        cmocka_unit_test(a_hit_may_free_the_line_with_or_without_writing_it_back),
        cmocka_unit_test(an_owner_chooses_the_victim_and_another_where_a_line_begins),
        cmocka_unit_test(a_policy_may_be_put_on_and_taken_off_while_requests_wait_at_l2),
        cmocka_unit_test(locks_that_come_and_go_lose_no_request_and_are_the_same_with_and_without_skipping),
        cmocka_unit_test(a_bank_cleans_the_oldest_of_its_overwritten_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
