/* Bounds: gains that a paper reports and that no organisation of a cache can have on our program of that name. */
#include "folder.h"
#include "spawn.h"

#include <jansson.h>

static char root[64];

static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return folder_remove(root);
}

struct counts {
    json_int_t cycles, accesses, hits, misses;
};

static json_int_t counter(const json_t *stats, const char *name)
{
    return json_integer_value(json_object_get(stats, name));
}

/* nw on eight SMs of TITAN V, in the situation of ELASTIC's studies. */
static struct counts nw_with(const char *l1)
{
    const struct said *s = poisef(root,
                                  "sim --kernel nw --size test --config titanv --set core.sms=8 --set "
                                  "l1.local_stores=through --set l1.write_miss=around %s --json",
                                  l1);
    if (s->status) fail_msg("status %d: %s", s->status, s->err);
    json_t *json = json_loads(s->out, 0, NULL);
    const json_t *stats = json_object_get(json, "stats");
    const struct counts c = {counter(stats, "core_cycles"), counter(stats, "l1d_load_accesses"),
                             counter(stats, "l1d_load_hits"), counter(stats, "l1d_misses")};
    json_decref(json);
    return c;
}

/* [ELASTIC Fig. 11]: +20 %. nw's loads touch nearly every sector once, so an L1 of 256 KB hits as often as one of 32 to
 * 128 KB, in as many cycles; a cache that keeps other chunks than a sectored one can save no miss more. */
static void nw_gains_nothing_by_a_larger_l1_and_so_nothing_by_an_elastic_one(void **state)
{
    (void)state;
    const struct counts sectored = nw_with(""),
                        large = nw_with("--set l1.unified_bytes=0 --set l1.sets=1 --set l1.ways=2048"),
                        elastic = nw_with("--set l1.organisation=elastic");
    assert_true(sectored.accesses > 1000 && sectored.hits * 50 < sectored.accesses);
    assert_int_equal(sectored.accesses, large.accesses);
    assert_int_equal(sectored.hits, large.hits);
    assert_int_equal(sectored.misses, large.misses);
    assert_int_equal(sectored.cycles, large.cycles);
    assert_int_equal(large.misses, elastic.misses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nw_gains_nothing_by_a_larger_l1_and_so_nothing_by_an_elastic_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
