/* Laws that energy and area keep, and the published points they are from. */
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/energy.h"

static struct error err;

static struct gpu_params *machine(const char *preset, const char *key, const char *value)
{
    struct gpu_params *p = gpu_params_new();
    assert_ok(gpu_params_load(p, preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    if (key) assert_ok(gpu_params_set(p, key, value, &err), &err);
    return p;
}

static uint64_t *counter(struct gpu_stats *s, const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            return (uint64_t *)(void *)((char *)s + gpu_stat_table.rows[i].offset);
    fail_msg("no counter %s", name);
    return NULL;
}

/* Counters of any size that keep the laws of a run: classes add up, and no SM idles for longer than there are slots. */
static struct gpu_stats *any_run(uint32_t seed)
{
    char *s = calloc(1, gpu_stat_table.size);
    uint64_t insts = 0;
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) {
        seed = seed * 1664525u + 1013904223u;
        const struct stat_row *row = &gpu_stat_table.rows[i];
        *(uint64_t *)(void *)(s + row->offset) = seed >> 12;
        if (strncmp(row->name, "insts_", 6) == 0) insts += seed >> 12;
    }
    struct gpu_stats *stats = (struct gpu_stats *)(void *)s;
    *counter(stats, "thread_insts") = insts;
    *counter(stats, "issue_slots") = 3 * *counter(stats, "stall_idle") + 7;
    return stats;
}

static struct energy energy_on(const struct gpu_params *p, const struct gpu_stats *s)
{
    struct energy e;
    energy_of(&e, &(struct energy_run){.params = p}, s);
    return e;
}

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

static const char *const presets[] = {"kepler32", "fermi15", "accelsim32", "titanx", "volta80", "thesis-ch3-all"};
enum { N_PRESETS = sizeof presets / sizeof *presets };

static void low_is_at_most_the_value_and_that_at_most_high_in_every_part(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PRESETS; i++)
        for (uint32_t seed = 1; seed < 20; seed++) {
            struct gpu_params *p = machine(presets[i], NULL, NULL);
            struct gpu_stats *s = any_run(seed);
            const struct energy e = energy_on(p, s);
            double sum = 0;
            for (int k = 0; k < N_ENERGY_PARTS; k++) {
                assert_true(e.parts[k].low >= 0 && e.parts[k].low <= e.parts[k].value);
                assert_true(e.parts[k].value <= e.parts[k].high);
                sum += e.parts[k].value;
            }
            assert_true(e.total.low > 0 && e.total.low < e.total.value && e.total.value < e.total.high);
            assert_true(is_near(sum, e.total.value));
            free(s);
            gpu_params_free(p);
        }
}

static void twice_the_counts_take_twice_the_energy_and_time(void **state)
{
    (void)state;
    struct gpu_params *p = machine("volta80", NULL, NULL);
    struct gpu_stats *one = any_run(3), *two = any_run(3);
    stats_merge(&gpu_stat_table, two, one);
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) /* peaks too */
        *counter(two, gpu_stat_table.rows[i].name) = 2 * *counter(one, gpu_stat_table.rows[i].name);
    const struct energy a = energy_on(p, one), b = energy_on(p, two);
    assert_true(is_near(2 * a.total.value, b.total.value) && is_near(2 * a.total.low, b.total.low));
    assert_true(is_near(2 * a.total.high, b.total.high) && is_near(2 * a.time_us, b.time_us));
    const struct energy_run run = {.params = p};
    assert_true(is_near(4 * run_value(&run, one, "edp"), run_value(&run, two, "edp")));
    assert_true(is_near(8 * run_value(&run, one, "ed2p"), run_value(&run, two, "ed2p")));
    assert_true(is_near(run_value(&run, one, "power_w"), run_value(&run, two, "power_w")));
    free(one);
    free(two);
    gpu_params_free(p);
}

static void take(void *sum, const char *name, double joules)
{
    struct {
        struct gpu_stats *stats;
        double joules;
    } *to = sum;
    to->joules += joules * (double)*counter(to->stats, name);
}

static void energy_is_the_sum_of_counters_at_what_one_count_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PRESETS; i++) {
        struct gpu_params *p = machine(presets[i], NULL, NULL);
        struct {
            struct gpu_stats *stats;
            double joules;
        } to = {any_run(5), 0};
        energy_coefficients(p, take, &to);
        assert_true(is_near(to.joules, energy_on(p, to.stats).total.value));
        free(to.stats);
        gpu_params_free(p);
    }
}

static void nothing_counted_is_no_energy_and_no_quotient_of_zeros(void **state)
{
    (void)state;
    struct gpu_params *p = machine("kepler32", NULL, NULL);
    struct gpu_stats *s = calloc(1, gpu_stat_table.size);
    const struct energy_run run = {.params = p};
    for (size_t i = 0; i < n_energy_value_rows; i++) {
        const double v = run_value(&run, s, energy_value_rows[i].name);
        assert_true(v >= 0 && v <= 0);
    }
    const struct energy e = energy_on(p, s);
    assert_true(isnan(energy_ratio(&e, &e).value));
    assert_true(isnan(run_value(NULL, s, "energy_j")) && isnan(run_value(&run, s, "no such figure")));
    free(s);
    gpu_params_free(p);
}

static void time_is_cycles_over_the_core_clock(void **state)
{
    (void)state;
    struct gpu_params *p = machine("kepler32", "clock.core_mhz", "700");
    struct gpu_stats *s = calloc(1, gpu_stat_table.size);
    *counter(s, "core_cycles") = 1400;
    assert_true(is_near(2, run_value(&(struct energy_run){.params = p}, s, "time_us")));
    free(s);
    gpu_params_free(p);
}

static void a_smaller_process_takes_less_and_dram_keeps_its_own(void **state)
{
    (void)state;
    static const char *const nodes[] = {"45", "28", "16", "7"};
    struct gpu_stats *s = any_run(9);
    struct energy before = {.time_us = 0};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct gpu_params *p = machine("kepler32", "energy.node_nm", nodes[i]);
        const struct energy e = energy_on(p, s);
        for (int k = 0; k < N_ENERGY_PARTS && i; k++) {
            const bool is_process = k != ENERGY_dram && k != ENERGY_constant && k != ENERGY_mechanism;
            if (is_process) assert_true(e.parts[k].value < before.parts[k].value);
            else assert_true(is_near(e.parts[k].value, before.parts[k].value));
        }
        before = e;
        gpu_params_free(p);
    }
    struct gpu_params *gddr = machine("kepler32", NULL, NULL), *hbm = machine("kepler32", "energy.memory", "hbm2");
    assert_true(energy_on(hbm, s).parts[ENERGY_dram].value < energy_on(gddr, s).parts[ENERGY_dram].value / 2);
    gpu_params_free(gddr);
    gpu_params_free(hbm);
    free(s);
}

static void a_constant_that_the_configuration_names_is_taken_as_it_is(void **state)
{
    (void)state;
    struct gpu_params *p = machine("volta80", "energy.constant_w", "50");
    struct gpu_stats *s = calloc(1, gpu_stat_table.size);
    *counter(s, "core_cycles") = 1132000000; /* a second */
    const struct energy_range constant = energy_on(p, s).parts[ENERGY_constant];
    assert_true(is_near(50, constant.value) && is_near(50, constant.low) && is_near(50, constant.high));
    free(s);
    gpu_params_free(p);
}

static void what_is_uncertain_in_both_runs_does_not_make_their_ratio_uncertain(void **state)
{
    (void)state;
    struct gpu_params *p = machine("volta80", NULL, NULL);
    struct gpu_stats *s = any_run(11);
    const struct energy a = energy_on(p, s);
    *counter(s, "dram_reads") *= 2;
    const struct energy b = energy_on(p, s);
    const struct energy_range same = energy_ratio(&a, &a), more = energy_ratio(&b, &a);
    assert_true(is_near(same.low, 1) && is_near(same.value, 1) && is_near(same.high, 1));
    assert_true(more.value > 1 && more.low >= 1 && more.low < more.value && more.high > more.value);
    assert_true(more.high - more.low < b.total.high / a.total.low - b.total.low / a.total.high);
    free(s);
    gpu_params_free(p);
}

static void a_run_of_before_classes_were_counted_has_a_mean_of_them(void **state)
{
    (void)state;
    struct gpu_params *p = machine("volta80", NULL, NULL);
    struct gpu_stats *s = calloc(1, gpu_stat_table.size);
    *counter(s, "thread_insts") = *counter(s, "insts_int") = 1000000;
    const double adds = energy_on(p, s).parts[ENERGY_core].value;
    *counter(s, "insts_int") = 0;
    const double unknown = energy_on(p, s).parts[ENERGY_core].value;
    *counter(s, "insts_fp_mul") = 1000000;
    const double multiplies = energy_on(p, s).parts[ENERGY_core].value;
    assert_true(adds < unknown && unknown < multiplies);
    free(s);
    gpu_params_free(p);
}

static void every_row_has_a_source_and_a_range_around_its_value(void **state)
{
    (void)state;
    struct gpu_params *p = machine("volta80", NULL, NULL);
    struct energy_event_shown e;
    size_t i = 0;
    for (; energy_event_at(&e, i, p); i++) {
        assert_true(*e.part && *e.name && *e.counts && *e.unit && *e.source);
        assert_true(e.published.low <= e.published.value && e.published.value <= e.published.high);
        assert_true(e.published.low > 0 && e.here.low <= e.here.value && e.here.value <= e.here.high);
    }
    assert_true(i > 40);
    gpu_params_free(p);
}

static void what_energy_is_worked_out_for_changes_no_run(void **state)
{
    (void)state;
    struct gpu_params *plain = machine("kepler32", NULL, NULL), *set = machine("kepler32", "energy.node_nm", "28");
    char *a = gpu_key_config(plain), *b = gpu_key_config(set);
    json_t *text = gpu_params_json(plain), *other = gpu_params_json(set);
    assert_string_equal(a, b);
    assert_null(json_object_get(text, "energy"));
    assert_int_equal(28, json_integer_value(json_object_get(json_object_get(other, "energy"), "node_nm")));
    json_decref(text);
    json_decref(other);
    free(a);
    free(b);
    gpu_params_free(plain);
    gpu_params_free(set);
}

static void areas_go_through_the_published_points_and_with_the_square_of_the_process(void **state)
{
    (void)state;
    assert_true(is_near(0.002, storage_mm2(STORAGE_ARRAY, 4736, 45).value));    /* TSC 5.6 */
    assert_true(is_near(6.9, storage_mm2(STORAGE_QUEUE, 94 * 8192, 40).low));   /* THESIS 3.7.3 */
    assert_true(is_near(0.1186, storage_mm2(STORAGE_QUEUE, 8192, 40).value));   /* GPUWattch */
    assert_true(is_near(4.82, storage_mm2(STORAGE_QUEUE, 15 * 8704, 40).high)); /* THESIS 4.5.4 */
    assert_true(is_near(11.6, crossbar_mm2(64 * 8 * 180, 40)));                 /* the same */
    assert_true(is_near(3.625, crossbar_mm2(20 * 8 * 180, 40)));
    assert_true(is_near(0.0268, storage_mm2(STORAGE_SWITCH, 2 * 2 * 256, 40).value)); /* GPUWattch */
    for (int kind = STORAGE_ARRAY; kind <= STORAGE_SWITCH; kind++) {
        const struct energy_range at40 = storage_mm2((enum storage_kind)kind, 1000, 40),
                                  at45 = storage_mm2((enum storage_kind)kind, 1000, 45),
                                  twice = storage_mm2((enum storage_kind)kind, 2000, 40);
        assert_true(at40.low > 0 && at40.low <= at40.value && at40.value <= at40.high);
        assert_true(is_near(at45.value / at40.value, 45.0 * 45 / 40 / 40));
        assert_true(is_near(twice.value, 2 * at40.value));
        assert_true(storage_mm2((enum storage_kind)kind, 0, 40).high <= 0);
    }
    assert_true(is_near(0.5e-3, storage_leakage_w(STORAGE_ARRAY, 4736, 45).value)); /* TSC 5.6 */
    assert_true(storage_leakage_w(STORAGE_WIRES, 4736, 45).high <= 0);
}

/* Wires to a neighbour are as long as SMs are far apart; they and switches hold nothing. */
static void a_ring_of_more_sms_has_shorter_links(void **state)
{
    (void)state;
    const struct mech_cost links = {"links", 256, 0, STORAGE_WIRES}, nodes = {"nodes", 1024, 0, STORAGE_SWITCH};
    const struct storage_cost of15 = storage_of(&links, 1, 15, 40), of60 = storage_of(&links, 1, 60, 40);
    assert_true(is_near(15 * 256 * 3.5 * 177e-6, of15.mm2.value)); /* THESIS 4.5.5: 3.5 mm; GPUWattch: 177 um2 */
    assert_true(is_near(2 * of15.mm2.value, of60.mm2.value));      /* four times as many, each half as long */
    assert_true(is_near(4 * 0.0268, storage_of(&nodes, 1, 4, 40).mm2.value));
    assert_int_equal(0, of15.bits + storage_of(&nodes, 1, 4, 40).bits);
}

static void a_mechanism_takes_energy_for_its_storage_and_for_what_it_does(void **state)
{
    (void)state;
    struct gpu_params *p = machine("fermi15", NULL, NULL);
    struct gpu_stats *s = any_run(13);
    struct mech_spec ccn;
    assert_ok(mech_parse(&ccn, "ccn", &err), &err);
    json_t *mechs = json_pack("[{s:s,s:{s:I,s:I}}]", "name", "ccn", "stats", "lookups", (json_int_t)1000000, "hit_hops",
                              (json_int_t)1000);
    struct energy without, kept, busy;
    energy_of(&without, &(struct energy_run){.params = p}, s);
    energy_of(&kept, &(struct energy_run){p, &ccn, 1, NULL}, s);
    energy_of(&busy, &(struct energy_run){p, &ccn, 1, mechs}, s);
    assert_true(without.parts[ENERGY_mechanism].value <= 0);
    assert_true(kept.parts[ENERGY_mechanism].value > 0);
    assert_true(busy.parts[ENERGY_mechanism].value > kept.parts[ENERGY_mechanism].value);
    assert_true(busy.total.value - without.total.value > 0 && is_near(without.parts[0].value, busy.parts[0].value));
    json_decref(mechs);
    mech_free(&ccn);
    gpu_params_free(p);
    p = machine("fermi15-tsc", "l1.organisation", "tsc");
    energy_of(&kept, &(struct energy_run){.params = p}, s);
    assert_true(kept.parts[ENERGY_mechanism].value > 0 && kept.parts[ENERGY_mechanism].value < 0.01 * kept.total.value);
    gpu_params_free(p);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_is_at_most_the_value_and_that_at_most_high_in_every_part),
        cmocka_unit_test(twice_the_counts_take_twice_the_energy_and_time),
        cmocka_unit_test(energy_is_the_sum_of_counters_at_what_one_count_takes),
        cmocka_unit_test(nothing_counted_is_no_energy_and_no_quotient_of_zeros),
        cmocka_unit_test(time_is_cycles_over_the_core_clock),
        cmocka_unit_test(a_smaller_process_takes_less_and_dram_keeps_its_own),
        cmocka_unit_test(a_constant_that_the_configuration_names_is_taken_as_it_is),
        cmocka_unit_test(what_is_uncertain_in_both_runs_does_not_make_their_ratio_uncertain),
        cmocka_unit_test(a_run_of_before_classes_were_counted_has_a_mean_of_them),
        cmocka_unit_test(every_row_has_a_source_and_a_range_around_its_value),
        cmocka_unit_test(what_energy_is_worked_out_for_changes_no_run),
        cmocka_unit_test(areas_go_through_the_published_points_and_with_the_square_of_the_process),
        cmocka_unit_test(a_ring_of_more_sms_has_shorter_links),
        cmocka_unit_test(a_mechanism_takes_energy_for_its_storage_and_for_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
