/* Which bank, set, channel and row a line lies in. */
#include "units.h"

#include <math.h>

static struct place place_of(uint32_t line)
{
    const struct address_map map = address_map_of(params);
    return address_l2(&map, line);
}

static void power_of_two_strides_reach_every_bank_when_hashed(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride <= 1024; stride *= 2) {
        uint32_t seen = 0;
        for (uint32_t k = 0; k < 600; k++) seen |= 1u << place_of(k * stride).bank;
        assert_int_equal(24, __builtin_popcount(seen));
    }
    params->l2.bank_index = LINEAR_INDEX;
    uint32_t seen = 0;
    for (uint32_t k = 0; k < 600; k++) seen |= 1u << place_of(k * 32).bank;
    assert_int_equal(3, __builtin_popcount(seen));
}

static uint32_t draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*seed * n >> 32);
}

/* The maps as they are defined, by division; every machine has its own divisors. */
static struct place divided_place(uint32_t line)
{
    const uint32_t n = params->l2.banks, chunk = line / params->l2.interleave_lines;
    uint32_t sum = 0;
    for (uint32_t rest = chunk; rest; rest = n > 1 ? rest / n : 0) sum += rest % n;
    return (struct place){params->l2.bank_index == HASHED_BANKS ? sum % n : chunk % n,
                          (chunk / n * params->l2.interleave_lines + line % params->l2.interleave_lines) %
                              params->l2.sets};
}

static struct dram_place divided_dram_place(uint32_t line, uint32_t bank)
{
    const uint32_t banks = params->l2.banks / params->dram.channels, n = params->dram.banks;
    const uint32_t index =
        (line / params->l2.banks * banks + bank % banks) / (params->dram.row_bytes / params->l1.line_bytes);
    return (struct dram_place){(uint32_t)(((uint64_t)index + index / n) % n), index / n};
}

static void lines_lie_where_divisions_put_them_on_any_machine(void **state)
{
    uint32_t seed = 7;
    (void)state;
    for (uint32_t machine = 0; machine < 300; machine++) {
        params->dram.channels = 1 + draw(&seed, 16);
        params->l2.banks = params->dram.channels * (1 + draw(&seed, 16));
        params->l2.interleave_lines = 1 + draw(&seed, 64);
        params->l2.sets = 1 + draw(&seed, 65535);
        params->dram.banks = 1 + draw(&seed, 64);
        params->dram.row_bytes = params->l1.line_bytes << draw(&seed, 6);
        params->l2.bank_index = draw(&seed, 2) ? HASHED_BANKS : LINEAR_BANKS;
        const struct address_map map = address_map_of(params);
        for (uint32_t k = 0; k < 300; k++) {
            const uint32_t line = k ? draw(&seed, UINT32_MAX) >> draw(&seed, 32) : UINT32_MAX;
            const struct place want = divided_place(line), got = address_l2(&map, line);
            const struct dram_place want_row = divided_dram_place(line, want.bank),
                                    got_row = address_dram(&map, line, want.bank);
            assert_true(got.bank == want.bank && got.set == want.set && got_row.bank == want_row.bank &&
                        got_row.row == want_row.row);
        }
    }
}

/* Banks are those of the addresses themselves, though a plan counts lines from its own first one. */
static void addresses_choose_banks_whatever_a_plan_counts_from(void **state)
{
    struct plan *plan;
    uint32_t seen = 0;
    (void)state;
    params->l2.bank_index = ADDRESSED_BANKS;
    params->l2.interleave_lines = 2;
    struct trace *t = synth_rows(64, 8, 32, 1);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    const struct address_map map = address_map_of(params);
    assert_true(plan->first_line > 0 && plan->first_line % address_period(params) == 0);
    for (uint64_t i = 0; i < plan->n_requests; i++) {
        const uint32_t line = REQUEST_LINE(plan->requests[i]);
        const uint64_t chunk = (plan->first_line + line) / 2, rest = chunk / 6;
        const struct place place = address_l2(&map, line);
        assert_int_equal(chunk % 6 * 4 + (rest >> 5 & 1) * 2 + (rest & 1), place.bank);
        assert_int_equal((rest & 1) + (rest >> 5 & 7) * 2, address_dram(&map, line, place.bank).bank);
        seen |= 1u << place.bank;
    }
    assert_true(__builtin_popcount(seen) == 24);
    assert_true(plan_fits(plan, params));
    params->l2.bank_index = CHUNKED_BANKS;
    assert_false(plan_fits(plan, params));
    plan_free(plan);
    trace_close(t);
}

static bool is_near(uint64_t a, uint64_t b, double share) { return fabs((double)a - (double)b) <= share * (double)b; }

/* CTAs that differ: every warp loads from a pool in an order of its own, and every third CTA is longer. */
static struct trace *uneven(uint32_t n_ctas)
{
    struct synth s;
    synth_begin(&s, n_ctas, 4);
    for (uint32_t cta = 0; cta < n_ctas; cta++) {
        synth_cta(&s);
        for (uint32_t warp = 0; warp < 4; warp++)
            for (uint32_t i = 0; i < (cta % 3 ? 2u : 8u); i++)
                synth_access(&s, warp, SYNTH_LOAD_2, ~0u, (1 << 16) + 128 * (uint64_t)(4 * cta + warp) + 4096 * i, 4);
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

/* What is counted over some CTAs is near what is counted over all, and the warps' lengths are those of all. */
static void some_ctas_show_what_all_do(void **state)
{
    static const uint32_t sizes[] = {100, 130, 1500};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct trace *t = uneven(sizes[i]);
        struct launch_counts some, all;
        struct plan *plan;
        assert_ok(plan_new(&plan, t, params, &err), &err);
        assert_ok(plan_counts(&all, plan, &err), &err);
        assert_ok(trace_counts(&some, t, params, &err), &err);
        assert_true(some.insts == all.insts && some.longest == all.longest && some.warps == all.warps);
        assert_true(some.ctas == all.ctas && some.kernel == all.kernel && some.resident_ctas == all.resident_ctas);
        assert_int_equal(some.requests, some.lines + some.near + some.far + some.others);
        assert_int_equal(all.requests, all.lines + all.near + all.far + all.others);
        assert_true(is_near(some.lanes, all.lanes, 0.1) && is_near(some.loads, all.loads, 0.1) &&
                    is_near(some.requests, all.requests, 0.1));
        if (i < 2) assert_memory_equal(&some, &all, sizeof all);
        else assert_true(some.others != all.others); /* it did not look at all */
        plan_free(plan);
        trace_close(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(power_of_two_strides_reach_every_bank_when_hashed),
        T(lines_lie_where_divisions_put_them_on_any_machine),
        T(addresses_choose_banks_whatever_a_plan_counts_from),
        T(some_ctas_show_what_all_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
