/* The observer of how much of a line is reused: it counts lines that go by their reused quarters, and loads with a
 * miss, and changes nothing. */
#include "stack.h"

#include <jansson.h>

extern const struct mech_type mech_utilisation;

static uint64_t of(const json_t *stats, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(stats, name));
}

/* In the order of its rows. */
struct counts {
    uint64_t lines[5], loads, loads_missed, untracked;
};
static const struct counts *counts_of(const void *self) { return mech_utilisation.stats_of(self); }

static void access(void *self, uint32_t line, uint32_t load, uint32_t sectors, enum access_outcome outcome)
{
    mech_utilisation.on_access(
        self, &(struct access_event){
                  .line = line, .load = load, .sectors = (uint8_t)sectors, .outcome = outcome, .may_pollute = true});
}

static void a_line_is_counted_by_the_quarters_that_later_accesses_find(void **state)
{
    (void)state;
    void *self = calloc(1, mech_utilisation.state_size + mech_utilisation.per_sm_size);
    assert_non_null(self);
    mech_utilisation.on_load(self, &(struct load_event){.load = 7});
    access(self, 100, 7, 1, ACCESS_MISS);
    access(self, 200, 7, 15, ACCESS_MISS); /* the same load: one more miss, no more loads */
    mech_utilisation.on_load(self, &(struct load_event){.load = 8});
    access(self, 100, 8, 2, ACCESS_MERGED);
    mech_utilisation.on_load(self, &(struct load_event){.load = 9});
    access(self, 100, 9, 1 | 2, ACCESS_HIT);
    access(self, 200, 9, 15, ACCESS_HIT);
    access(self, 100, 9, 8, ACCESS_MISS); /* a partial miss: the line is the same one */
    access(self, 300, 9, 1, ACCESS_MISS);
    for (uint32_t line = 100; line <= 300; line += 100)
        mech_utilisation.on_evict(self, &(struct line_event){.line = line});
    mech_utilisation.on_evict(self, &(struct line_event){.line = 400}); /* brought by nobody that it has seen */
    const struct counts expected = {.lines = {1, 0, 1, 0, 1}, .loads = 3, .loads_missed = 2};
    assert_memory_equal(&expected, counts_of(self), sizeof expected);
    access(self, 100, 9, 1, ACCESS_MISS); /* it is new again */
    mech_utilisation.on_evict(self, &(struct line_event){.line = 100});
    assert_int_equal(2, counts_of(self)->lines[0]);
    free(self);
}

static void it_counts_what_the_machine_counts_and_changes_nothing(void **state)
{
    (void)state;
    struct trace *t = synth_mixture(40, 6, 10, 3);
    json_t *own;
    struct gpu_stats *with = stack_run(t, &(struct stack_run){.mechs = {"utilisation"}}, &own);
    struct gpu_stats *without = stack_run(t, &(struct stack_run){.mechs = {"gto"}}, NULL);
    assert_memory_equal(with, without, gpu_stat_table.size);
    uint64_t lines = 0;
    for (int i = 0; i < 5; i++) {
        const char name[] = {'l', 'i', 'n', 'e', 's', '_', (char)('0' + i), '\0'};
        lines += of(own, name);
    }
    assert_true(lines == stack_value(with, "l1d_evictions") + stack_value(with, "l1d_store_evicts"));
    assert_true(of(own, "loads") > of(own, "loads_missed") && of(own, "loads_missed") > 0 && of(own, "untracked") == 0);
    json_decref(own);
    free(with);
    free(without);
    stack_repeats(t, &(struct stack_run){.mechs = {"utilisation"}});
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_counted_by_the_quarters_that_later_accesses_find),
        cmocka_unit_test(it_counts_what_the_machine_counts_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
