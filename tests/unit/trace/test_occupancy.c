#include "rig.h"
#include "poise/occupancy.h"

static void kepler32_occupancy_follows_the_tightest_limit(void **state)
{
    (void)state;
    const struct sm_limits sm = SM_LIMITS_KEPLER32;
    static const struct {
        uint32_t block[3], regs, shared, ctas, warps;
        enum occupancy_limit limit;
    } rows[] = {
        {{256, 1, 1}, 16, 0, 6, 48, OCCUPANCY_THREADS},
        {{128, 1, 1}, 16, 0, 8, 32, OCCUPANCY_CTAS},
        {{192, 1, 1}, 16, 0, 8, 48, OCCUPANCY_CTAS},
        {{256, 1, 1}, 21, 0, 5, 40, OCCUPANCY_REGISTERS}, /* 32 * 21 = 672 -> 704 a warp, 48 * 704 = 33792 > 32768 */
        {{256, 1, 1}, 32, 0, 4, 32, OCCUPANCY_REGISTERS},
        {{256, 1, 1}, 63, 0, 2, 16, OCCUPANCY_REGISTERS},
        {{1024, 1, 1}, 33, 0, 0, 0, OCCUPANCY_REGISTERS},
        {{256, 1, 1}, 0, 8192, 6, 48, OCCUPANCY_THREADS},
        {{256, 1, 1}, 0, 8193, 5, 40, OCCUPANCY_SHARED},
        {{32, 1, 1}, 0, 49152, 1, 1, OCCUPANCY_SHARED},
        {{32, 1, 1}, 0, 49153, 0, 0, OCCUPANCY_SHARED},
        {{33, 1, 1}, 0, 0, 8, 16, OCCUPANCY_CTAS},
        {{16, 16, 2}, 0, 0, 3, 48, OCCUPANCY_THREADS},
        {{1000, 1, 1}, 0, 0, 1, 32, OCCUPANCY_THREADS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct trace_launch l = {.grid = {1000, 1, 1}, .regs_per_thread = rows[i].regs, .shared_bytes = rows[i].shared};
        memcpy(l.block, rows[i].block, sizeof l.block);
        const struct occupancy o = trace_occupancy(&l, &sm);
        if (o.ctas != rows[i].ctas || o.warps != rows[i].warps || o.limit != rows[i].limit)
            fail_msg("row %zu: %u CTAs, %u warps, %s", i, o.ctas, o.warps, occupancy_limit_text(o.limit));
    }
}

static void a_small_grid_limits_occupancy(void **state)
{
    (void)state;
    const struct sm_limits sm = SM_LIMITS_KEPLER32;
    struct trace_launch l = {.grid = {33, 1, 1}, .block = {256, 1, 1}, .regs_per_thread = 16};
    struct occupancy o = trace_occupancy_of_grid(&l, &sm, 32);
    assert_int_equal(2, o.ctas);
    assert_int_equal(16, o.warps);
    assert_int_equal(OCCUPANCY_GRID, o.limit);
    l.grid[0] = 1000;
    o = trace_occupancy_of_grid(&l, &sm, 32);
    assert_int_equal(6, o.ctas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler32_occupancy_follows_the_tightest_limit),
        cmocka_unit_test(a_small_grid_limits_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
