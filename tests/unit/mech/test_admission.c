/* Warps that a limit lets in one by one, or in gangs: the rule by itself, and in machines. */
#include "synth.h"

#include "poise/sys/admission.h"

enum { N_SCHEDULERS = 2, N_WARPS = 6 };

/* A scheduler of an SM as the rule sees it. */
struct side {
    uint32_t n, ended;
    uint64_t waiting, asked_again;
};
static const uint8_t slots[N_WARPS] = {0, 1, 2, 3, 4, 5};

/* How many warps may issue under a limit of n. */
static int let_in(struct admission *a, struct side *s, uint32_t scheduler, uint32_t n)
{
    s->asked_again = UINT64_MAX;
    const struct warp_set set = {.scheduler = scheduler,
                                 .n = s->n,
                                 .ended = s->ended,
                                 .waiting = s->waiting,
                                 .slots = slots,
                                 .now = 100,
                                 .ask_at = &s->asked_again};
    return __builtin_popcountll(admission_mask(a, &set, n, false) & ~s->waiting);
}

static void one_ends(struct side *s)
{
    s->n--;
    s->ended++;
}

static void each_warp_that_ends_lets_the_next_in(void **state)
{
    (void)state;
    struct admission a;
    struct side s = {.n = N_WARPS};
    admission_init(&a, ADMIT_EACH, N_WARPS);
    for (; s.n >= 2; one_ends(&s)) assert_int_equal(2, let_in(&a, &s, 0, 2));
}

static void a_gang_enters_when_all_of_the_last_have_ended_on_every_scheduler(void **state)
{
    (void)state;
    struct admission a;
    struct side s[N_SCHEDULERS] = {{.n = N_WARPS}, {.n = N_WARPS}};
    admission_init(&a, ADMIT_GANG, N_WARPS);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(2, let_in(&a, &s[i], i, 2));
    one_ends(&s[0]);
    assert_int_equal(1, let_in(&a, &s[0], 0, 2));
    one_ends(&s[0]);
    assert_int_equal(0, let_in(&a, &s[0], 0, 2)); /* the other scheduler's gang still runs */
    one_ends(&s[1]);
    assert_int_equal(1, let_in(&a, &s[1], 1, 2));
    one_ends(&s[1]);
    assert_int_equal(2, let_in(&a, &s[1], 1, 2));
    assert_int_equal(101, s[1].asked_again); /* and the first, which waited, is asked in the next cycle */
    assert_int_equal(2, let_in(&a, &s[0], 0, 2));
}

static void a_gang_whose_warps_wait_holds_nobody_back(void **state)
{
    (void)state;
    struct admission a;
    struct side s[N_SCHEDULERS] = {{.n = N_WARPS}, {.n = 2}};
    admission_init(&a, ADMIT_GANG, N_WARPS);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(2, let_in(&a, &s[i], i, 2));
    s[0].waiting = 1; /* its place goes to the next: two of five run */
    assert_int_equal(2, let_in(&a, &s[0], 0, 2));
    s[0].waiting = 0;
    one_ends(&s[0]);
    one_ends(&s[0]);
    assert_int_equal(0, let_in(&a, &s[0], 0, 2));
    s[1].waiting = 3; /* at a barrier, for a warp of the first scheduler */
    assert_int_equal(0, let_in(&a, &s[1], 1, 2));
    assert_int_equal(101, s[1].asked_again);
    assert_int_equal(2, let_in(&a, &s[0], 0, 2));
}

static void a_limit_of_all_warps_and_a_change_of_the_limit_begin_anew(void **state)
{
    (void)state;
    struct admission a;
    struct side s = {.n = N_WARPS, .ended = 7};
    admission_init(&a, ADMIT_GANG, N_WARPS);
    assert_int_equal(N_WARPS, let_in(&a, &s, 0, N_WARPS));
    one_ends(&s);
    assert_int_equal(s.n, let_in(&a, &s, 0, N_WARPS));
    assert_int_equal(3, let_in(&a, &s, 0, 3)); /* what ended before is of no gang */
    one_ends(&s);
    assert_int_equal(2, let_in(&a, &s, 0, 3));
    assert_int_equal(3, let_in(&a, &s, 0, 4));     /* a wider gang has a place more */
    assert_int_equal(4, let_in(&a, &s, 0, 1) + 3); /* a narrower one has ended */
}

/* ---- in machines ---- */

/* Under every mechanism with such a limit, on every number of schedulers, with CTAs wider than the limit and barriers:
 * all warps end, and skipping changes nothing. */
static void launches_end_under_gangs_with_the_same_bytes_ticking_and_skipping(void **state)
{
    static const char *const mechs[] = {"tuple,N=1,p=1,admit=gang",
                                        "tuple,N=3,p=1,admit=gang",
                                        "tuple,N=5,admit=gang",
                                        "swl,N=2,admit=gang",
                                        "pcal,N=2,T_warmup=50,T_sample=90,admit=gang",
                                        "random_restart,T_period=2000,T_warmup=50,T_sample=90,admit=gang",
                                        "ladder,T_first=1000,T_warmup=50,T_sample=90,admit=gang"};
    static const char *const schedulers[] = {"core.schedulers=1", "core.schedulers=2", "core.schedulers=4"};
    (void)state;
    struct trace *t = synth_any(POISE_SANITIZED ? 12 : 40, 9, 12, 3);
    for (size_t i = 0; i < COUNT_OF(mechs) * COUNT_OF(schedulers); i++) {
        const char *const set[] = {"core.sms=2", schedulers[i % COUNT_OF(schedulers)], NULL};
        char *stats = synth_run_both(t, (struct synth_run){.set = set, .mech = mechs[i / COUNT_OF(schedulers)]});
        assert_true(synth_value(stats, "warp_insts") == (double)t->n_steps);
        free(stats);
    }
    trace_close(t);
}

static double cycles_under(const struct trace *t, const char *mech)
{
    char *stats =
        synth_run_json(t, &(struct synth_run){.set = (const char *const[]){"core.sms=2", NULL}, .mech = mech});
    const double cycles = synth_value(stats, "core_cycles");
    free(stats);
    return cycles;
}

static void a_limit_of_all_warps_is_no_limit_and_gangs_are_another_run_than_one_by_one(void **state)
{
    (void)state;
    if (POISE_SANITIZED) skip(); /* figures of runs that the function above makes */
    struct trace *t = synth_rows(64, 4, 32, 2);
    assert_true(cycles_under(t, "tuple,N=24,p=24,admit=gang") == cycles_under(t, NULL));
    assert_true(cycles_under(t, "tuple,N=3,admit=gang") != cycles_under(t, "tuple,N=3"));
    assert_true(cycles_under(t, "swl,N=3,admit=gang") == cycles_under(t, "tuple,N=3,admit=gang"));
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_warp_that_ends_lets_the_next_in),
        cmocka_unit_test(a_gang_enters_when_all_of_the_last_have_ended_on_every_scheduler),
        cmocka_unit_test(a_gang_whose_warps_wait_holds_nobody_back),
        cmocka_unit_test(a_limit_of_all_warps_and_a_change_of_the_limit_begin_anew),
        cmocka_unit_test(launches_end_under_gangs_with_the_same_bytes_ticking_and_skipping),
        cmocka_unit_test(a_limit_of_all_warps_is_no_limit_and_gangs_are_another_run_than_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
