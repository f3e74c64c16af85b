/* Features of a sampling: integers all the way, so that the engine and offline predictions agree to the bit. */
#include "rig.h"

#include <math.h>
#include "poise/sampling.h"
#include "poise/table.h"

static void log2_is_right_to_its_last_bit(void **state)
{
    (void)state;
    assert_int_equal(0, log2_q16(0));
    assert_int_equal(0, log2_q16(1));
    for (int e = 1; e < 64; e++) assert_int_equal(e << 16, log2_q16(1ull << e));
    uint64_t x = 3;
    for (int i = 0; i < 20000; i++, x = x * 6364136223846793005ull + 1442695040888963407ull) {
        const uint64_t v = (x >> (i % 60)) | 1;
        const double exact = log2((double)v) * 65536;
        assert_true(fabs(log2_q16(v) - exact) < 1.5); /* rounded down, from 31 bits of mantissa */
    }
}

static void a_sampling_is_read_round_by_round(void **state)
{
    (void)state;
    struct sampling_tuples t;
    struct error err;
    assert_ok(sampling_tuples_parse(&t, "4:1 / 2:2 W:8 / W:W", &err), &err);
    assert_int_equal(4, t.n);
    assert_int_equal(3, t.n_rounds);
    assert_int_equal(3, t.base);
    struct sampling_tuples light;
    assert_ok(sampling_tuples_parse(&light, "4:1 / 2:2", &err), &err);
    assert_int_equal(1, light.base); /* without (W, W) the last is what others are compared with */
    static const uint8_t want[4][3] = {{4, 1, 0}, {2, 2, 1}, {0, 8, 1}, {0, 0, 2}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(want[i][0], t.N[i]);
        assert_int_equal(want[i][1], t.p[i]);
        assert_int_equal(want[i][2], t.round[i]);
    }
}

static void what_is_no_sampling_is_refused_with_its_words(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"", "no tuple"},
                                         {"4:5 / W:W", "'4:5 / W:W' is no tuple"},
                                         {"0:1 W:W", "'0:1 W:W' is no"},
                                         {"4:1/W:W", "is no tuple"},
                                         {"/ W:W", "a round without a tuple"},
                                         {"W:W /", "a round without"},
                                         {"65:1 W:W", "is no tuple"},
                                         {"4:W W:W", "is no tuple"},
                                         {"1:1 1:1 1:1 1:1 1:1 1:1 1:1 1:1 W:W", "at most 8 tuples"},
                                         {"W:W / / 2:2", "a round without a tuple"}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct sampling_tuples t;
        struct error err;
        assert_int_equal(-1, sampling_tuples_parse(&t, bad[i][0], &err));
        if (!strstr(err.text, bad[i][1])) fail_msg("'%s': %s", bad[i][0], err.text);
    }
}

static void names_are_rows_and_groups(void **state)
{
    (void)state;
    static const char *const good[] = {"rate.2", "In", "W", "hit.0"}, *const bad[][2] = {
                                                                          {"rat.1", "did you mean 'rate'"},
                                                                          {"rate", "no sampling feature 'rate'"},
                                                                          {"In.0", "no sampling feature 'In.0'"},
                                                                          {"rate.3", "is of group 3, and 3 groups"},
                                                                          {"rate.x", "no sampling feature"},
                                                                          {"", "no sampling feature ''"}};
    struct sampling_feature f[4];
    struct error err;
    assert_ok(sampling_resolve(good, 4, 3, f, "here", &err), &err);
    assert_string_equal("rate", f[0].row->name);
    assert_int_equal(2, f[0].group);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(-1, sampling_resolve(&bad[i][0], 1, 3, f, "here", &err));
        if (!strstr(err.text, bad[i][1])) fail_msg("'%s': %s", bad[i][0], err.text);
    }
}

static float one(const char *name, const struct sampling *s)
{
    struct sampling_feature f;
    struct error err;
    float x;
    assert_ok(sampling_resolve(&name, 1, s->n, &f, "here", &err), &err);
    sampling_vector(&f, 1, s, &x);
    return x;
}

static void values_are_those_of_their_formulas(void **state)
{
    (void)state;
    const struct sampling s = {.W = 16,
                               .n = 2,
                               .base = 1,
                               .at = {{.cycles = 1000,
                                       .insts = 4000,
                                       .loads = 500,
                                       .l1_accesses = 1000,
                                       .l1_hits = 750,
                                       .l1_intra_hits = 250,
                                       .miss_latency_sum = 128000,
                                       .miss_count = 250},
                                      {.cycles = 1000,
                                       .insts = 1000,
                                       .loads = 250,
                                       .l1_accesses = 2000,
                                       .l1_hits = 0,
                                       .miss_latency_sum = 1024000,
                                       .miss_count = 2000}}};
    assert_true(one("rate.0", &s) == 2.0f && one("rate.1", &s) == 0.0f); /* four times the IPC */
    assert_true(one("hit.0", &s) == 0.75f && one("intra.0", &s) == 0.25f && one("hit.1", &s) == 0.0f);
    assert_true(fabsf(one("need.0", &s) - log2f(2001.0f / 4000 / (16001.0f / 1000))) < 1e-4f);
    assert_true(one("latency.0", &s) == 1.0f && one("latency.1", &s) == 1.0f); /* 512 cycles */
    assert_true(one("In", &s) == 2.0f && one("degree", &s) == 3.0f &&
                one("W", &s) == 4.0f); /* of the baseline, group 1 */
    assert_true(one("ipc.0", &s) == 2.0f);
}

static void empty_windows_give_numbers_and_no_errors(void **state)
{
    (void)state;
    const struct sampling s = {.W = 24, .n = 2, .base = 0};
    for (size_t r = 0; r < n_sampling_rows; r++)
        for (size_t g = 0; g < 2; g++) {
            const int32_t v = sampling_rows[r].value(&s, g);
            assert_true(v >= -8 * 65536 && v <= 8 * 65536);
        }
    const struct sampling stuck = {.W = 24, .n = 2, .base = 0, .at = {{.cycles = 9, .insts = 3}, {.cycles = 9}}};
    assert_true(one("rate.1", &stuck) == -8.0f);
}

static void counters_of_any_size_stay_in_range(void **state)
{
    (void)state;
    const uint64_t huge = UINT64_MAX / 16;
    const struct sampling s = {
        .W = 64,
        .n = 2,
        .base = 0,
        .at = {{huge, huge, huge, huge, huge, huge, huge, huge / 256}, {1, huge, 1, huge, huge - 1, 0, huge, 1}}};
    for (size_t r = 0; r < n_sampling_rows; r++)
        for (size_t g = 0; g < 2; g++) {
            const int32_t v = sampling_rows[r].value(&s, g);
            assert_true(v >= -64 * 65536 && v <= 64 * 65536);
        }
    assert_true(one("hit.0", &s) == 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log2_is_right_to_its_last_bit),
        cmocka_unit_test(a_sampling_is_read_round_by_round),
        cmocka_unit_test(what_is_no_sampling_is_refused_with_its_words),
        cmocka_unit_test(names_are_rows_and_groups),
        cmocka_unit_test(values_are_those_of_their_formulas),
        cmocka_unit_test(empty_windows_give_numbers_and_no_errors),
        cmocka_unit_test(counters_of_any_size_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
