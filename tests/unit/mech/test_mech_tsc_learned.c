/* The learned mode of a tag-split cache: what one window counts, what the rule makes of it, and that L1s then fetch as
 * it says. */
#include "stack.h"

#include <jansson.h>

extern const struct mech_type mech_tsc_learned;

struct counts {
    uint64_t windows, coarse_windows, accesses, sectors, misses, spared;
};
static const struct counts *counts_of(const void *self) { return mech_tsc_learned.stats_of(self); }

/* What the mechanism tells the machine. */
struct told {
    unsigned n;
    bool whole;
    uint64_t at;
};
static void hear(void *machine, bool whole, uint64_t now)
{
    struct told *t = machine;
    *t = (struct told){t->n + 1, whole, now};
}

static void access(void *self, uint32_t sm, uint64_t now, uint32_t line, uint32_t sectors, enum access_outcome outcome)
{
    mech_tsc_learned.on_access(
        self,
        &(struct access_event){.sm = sm, .now = now, .line = line, .sectors = (uint8_t)sectors, .outcome = outcome});
}

static void *begin(struct mech_spec *spec, const char *text)
{
    struct error err;
    const struct mech_env env = {.sms = 2, .now = 0};
    assert_ok(mech_parse(spec, text, &err), &err);
    void *self = calloc(1, mech_tsc_learned.state_size);
    assert_non_null(self);
    assert_ok(mech_tsc_learned.init(self, spec->params, &env, &err), &err);
    return self;
}

static void a_window_counts_what_sm_0_does_and_decides_by_the_sign(void **state)
{
    (void)state;
    for (int coarse = 0; coarse < 2; coarse++) {
        struct mech_spec spec;
        struct told told = {0};
        const struct sm_view sm = {.machine = &told, .fetch_lines = hear};
        /* 5 accesses, 11 sectors, 4 misses, 1 spared: 5 - 22 + 8 + 9 = 0, and with a weight of 10 it is 1 */
        void *self = begin(&spec, coarse ? "tsc_learned,warmup=100,window=400,w_accesses=1,w_sectors=-2,w_misses=2,"
                                           "w_spared=10"
                                         : "tsc_learned,warmup=100,window=400,w_accesses=1,w_sectors=-2,w_misses=2,"
                                           "w_spared=9");
        assert_true(100 == mech_tsc_learned.epoch(self, &sm, 1));
        access(self, 0, 99, 5, 15, ACCESS_MISS); /* before it begins */
        assert_true(500 == mech_tsc_learned.epoch(self, &sm, 100));
        assert_int_equal(1, told.n);
        assert_false(told.whole);
        access(self, 0, 100, 7, 1, ACCESS_MISS);
        access(self, 0, 200, 7, 2 | 4, ACCESS_MISS); /* other sectors of a line that has missed */
        access(self, 0, 300, 7, 2 | 4, ACCESS_MISS); /* these have been asked for: a whole line spares nothing */
        access(self, 0, 400, 7 + 256, 3, ACCESS_MISS);
        access(self, 0, 499, 7, 15, ACCESS_HIT);
        access(self, 1, 499, 7, 15, ACCESS_MISS); /* another SM */
        assert_true(UINT64_MAX == mech_tsc_learned.epoch(self, &sm, 500));
        assert_int_equal(2, told.n);
        assert_int_equal(coarse, told.whole);
        assert_true(told.at == 500);
        access(self, 0, 501, 7, 15, ACCESS_MISS);
        const struct counts expected = {1, (uint64_t)coarse, 5, 11, 4, 1};
        assert_memory_equal(&expected, counts_of(self), sizeof expected);
        free(self);
        mech_free(&spec);
    }
}

static void with_a_period_every_window_begins_in_fine_mode(void **state)
{
    (void)state;
    struct mech_spec spec;
    struct told told = {0};
    const struct sm_view sm = {.machine = &told, .fetch_lines = hear}, other = {.sm = 1, .machine = &told};
    void *self =
        begin(&spec, "tsc_learned,warmup=0,window=100,period=1000,w_accesses=1,w_sectors=0,w_misses=0,w_spared=0");
    assert_true(UINT64_MAX == mech_tsc_learned.epoch(self, &other, 1));
    assert_true(100 == mech_tsc_learned.epoch(self, &sm, 1));
    access(self, 0, 50, 1, 1, ACCESS_MISS);
    assert_true(1000 == mech_tsc_learned.epoch(self, &sm, 100));
    assert_true(told.whole);
    assert_true(1100 == mech_tsc_learned.epoch(self, &sm, 1000));
    assert_false(told.whole);
    assert_true(2000 == mech_tsc_learned.epoch(self, &sm, 1100)); /* nothing was seen: 0 is not above 0 */
    assert_false(told.whole);
    assert_int_equal(4, told.n);
    free(self);
    mech_free(&spec);
}

static void weights_are_whole_numbers_and_a_period_is_longer_than_its_window(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"tsc_learned,w_misses=1.5", "whole numbers"},
                                           {"tsc_learned,window=500,period=500", "longer than window"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mech_spec spec;
        struct error err = {0};
        const struct mech_env env = {.sms = 1};
        assert_ok(mech_parse(&spec, wrong[i][0], &err), &err);
        void *self = calloc(1, mech_tsc_learned.state_size);
        assert_int_equal(-1, mech_tsc_learned.init(self, spec.params, &env, &err));
        assert_non_null(strstr(err.text, wrong[i][1]));
        free(self);
        mech_free(&spec);
    }
}

/* A rule that never wants lines leaves the machine in fine mode; one that always does makes it fetch more. */
static void machines_fetch_as_the_rule_says(void **state)
{
    (void)state;
    static const char *const fine[] = {"l1.organisation=tsc", NULL}, *const told[] = {"l1.organisation=tsc",
                                                                                      "l1.tsc_mode=told", NULL};
    struct trace *t = synth_chase(200, 4096, 1 << 22); /* a sector of a line each */
    const struct stack_run always = {
        .mechs = {"tsc_learned,warmup=0,window=5000,w_accesses=1,w_sectors=0,w_misses=0,w_spared=0"}, .set = told};
    json_t *own;
    struct gpu_stats *a = stack_run(t, &(struct stack_run){.mechs = {"gto"}, .set = fine}, NULL);
    struct gpu_stats *b =
        stack_run(t,
                  &(struct stack_run){
                      .mechs = {"tsc_learned,window=200,w_accesses=0,w_sectors=0,w_misses=0,w_spared=0"}, .set = told},
                  NULL);
    struct gpu_stats *c = stack_run(t, &always, &own);
    assert_memory_equal(a, b, gpu_stat_table.size);
    assert_true(stack_value(c, "reply_flits") > stack_value(a, "reply_flits"));
    assert_int_equal(1, json_integer_value(json_object_get(own, "coarse_windows")));
    json_decref(own);
    free(a);
    free(b);
    free(c);
    stack_runs_hold(&always, 1);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_counts_what_sm_0_does_and_decides_by_the_sign),
        cmocka_unit_test(with_a_period_every_window_begins_in_fine_mode),
        cmocka_unit_test(weights_are_whole_numbers_and_a_period_is_longer_than_its_window),
        cmocka_unit_test(machines_fetch_as_the_rule_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
