/* The associativity of an elastic L1 in flight: when an SM tries which ways, and what it then has. */
#include "stack.h"

extern const struct mech_type mech_elastic_ways;

struct counts {
    uint64_t choices, fewer, changes;
};

/* The machine: what the L1s of two SMs were told. */
struct told {
    uint32_t ways[2];
    uint32_t all; /* 0: L1s of another kind */
};
static uint32_t hear(void *machine, uint32_t sm, uint32_t ways, uint64_t now)
{
    struct told *t = machine;
    (void)now;
    return t->ways[sm] = t->all ? ways ? ways : t->all : 0;
}

static void *begin(struct mech_spec *spec, const char *text)
{
    struct error err;
    const struct mech_env env = {.sms = 2, .now = 0};
    assert_ok(mech_parse(spec, text, &err), &err);
    void *self = calloc(1, mech_elastic_ways.state_size + 2 * mech_elastic_ways.per_sm_size);
    assert_non_null(self);
    assert_ok(mech_elastic_ways.init(self, spec->params, &env, &err), &err);
    return self;
}

static uint64_t at(void *self, struct told *told, uint32_t sm, uint64_t insts, uint64_t now)
{
    const struct sm_view view = {.sm = sm, .machine = told, .set_ways = hear, .counters.insts = insts};
    return mech_elastic_ways.epoch(self, &view, now);
}

/* SM 0 retires more while it is direct mapped, SM 1 as much. */
static void each_sm_keeps_the_ways_with_which_it_retires_more(void **state)
{
    struct mech_spec spec;
    struct told told = {.all = 256};
    (void)state;
    void *self = begin(&spec, "elastic_ways,warmup=100,window=400,period=5000");
    for (uint32_t sm = 0; sm < 2; sm++) {
        assert_true(at(self, &told, sm, 0, 1) == 101);
        assert_int_equal(256, told.ways[sm]);
        assert_true(at(self, &told, sm, 50, 101) == 501);  /* the window of all ways */
        assert_true(at(self, &told, sm, 150, 501) == 601); /* 100 instructions */
        assert_int_equal(1, told.ways[sm]);
        assert_true(at(self, &told, sm, 160, 601) == 1001);
        assert_true(at(self, &told, sm, sm ? 260 : 261, 1001) == 5001); /* as many are not more */
        assert_int_equal(sm ? 256 : 1, told.ways[sm]);
    }
    assert_true(at(self, &told, 0, 9000, 5001) == 5101); /* again */
    assert_int_equal(256, told.ways[0]);
    mech_elastic_ways.end(self, 6000);
    const struct counts *c = mech_elastic_ways.stats_of(self);
    assert_true(c->choices == 2 && c->fewer == 1);
    assert_true(c->changes == 4); /* SM 0 to one way and back to all for the next try, SM 1 there and back */
    free(self);
    mech_free(&spec);
}

static void an_l1_of_another_kind_is_left_alone_and_short_periods_are_refused(void **state)
{
    struct mech_spec spec;
    struct told told = {.all = 0};
    struct error err;
    (void)state;
    void *self = begin(&spec, "elastic_ways,period=0");
    assert_true(at(self, &told, 0, 0, 1) == UINT64_MAX);
    free(self);
    assert_ok(mech_set(&spec, "period", "10000", &err), &err);
    assert_int_equal(-1, mech_elastic_ways.check(spec.params, &err));
    assert_non_null(strstr(err.text, "must be longer than 2 (warmup + window) = 10000"));
    mech_free(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sm_keeps_the_ways_with_which_it_retires_more),
        cmocka_unit_test(an_l1_of_another_kind_is_left_alone_and_short_periods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
