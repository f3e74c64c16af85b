#include "synth.h"

static void round_trip(uint32_t mask, const uint64_t addresses[TRACE_LANES], uint32_t kind, uint32_t words_expected)
{
    uint32_t words[65];
    uint64_t back[TRACE_LANES] = {0};
    const uint32_t n = trace_access_encode(words, mask, addresses);
    assert_int_equal(words[0], kind);
    assert_int_equal(n, words_expected);
    assert_int_equal(n, trace_access_decode(words, mask, back));
    for (uint32_t l = 0; l < TRACE_LANES; l++)
        if (mask >> l & 1) assert_true(back[l] == addresses[l]);
}

static void one_address_for_all_lanes_takes_3_words(void **state)
{
    (void)state;
    uint64_t a[TRACE_LANES];
    for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = 0x7f0000001234;
    round_trip(UINT32_MAX, a, TRACE_ACCESS_UNIFORM, 3);
    round_trip(0x80000001, a, TRACE_ACCESS_UNIFORM, 3);
    a[7] = 1;
    round_trip(1u << 7, a, TRACE_ACCESS_UNIFORM, 3);
    round_trip(~(1u << 7), a, TRACE_ACCESS_UNIFORM, 3);
}

static void a_stride_of_32_bits_takes_4_words_whatever_lanes_execute(void **state)
{
    (void)state;
    static const int64_t strides[] = {4, -4, 1, 4096, INT32_MAX, INT32_MIN};
    static const uint32_t masks[] = {UINT32_MAX, 0x80000001, 0x00ff0000, 0x55555555, 0xfffffffe};
    for (size_t s = 0; s < 6; s++)
        for (size_t m = 0; m < 5; m++) {
            uint64_t a[TRACE_LANES];
            for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = 0x7f0000000000u + l * (uint64_t)strides[s];
            round_trip(masks[m], a, TRACE_ACCESS_STRIDED, 4);
        }
}

static void other_patterns_take_one_word_a_lane_within_4_GB_and_two_beyond(void **state)
{
    (void)state;
    uint64_t a[TRACE_LANES];
    for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = 0x7f0000000000u + (uint64_t)l * l * 4;
    round_trip(UINT32_MAX, a, TRACE_ACCESS_SCATTER32, 35);
    round_trip(0x00000007, a, TRACE_ACCESS_SCATTER32, 6);
    a[3] = a[0] + UINT32_MAX;
    round_trip(UINT32_MAX, a, TRACE_ACCESS_SCATTER32, 35);
    a[3]++;
    round_trip(UINT32_MAX, a, TRACE_ACCESS_SCATTER64, 65);
    round_trip(0x0000000b, a, TRACE_ACCESS_SCATTER64, 7);
    /* a stride that needs 33 bits is no stride */
    for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = l * 0x80000000ull;
    round_trip(3, a, TRACE_ACCESS_SCATTER32, 5);
    round_trip(UINT32_MAX, a, TRACE_ACCESS_SCATTER64, 65);
}

static void random_addresses_and_masks_come_back_100000_times(void **state)
{
    (void)state;
    struct rng r = {42};
    for (int i = 0; i < 100000; i++) {
        uint64_t a[TRACE_LANES], back[TRACE_LANES];
        uint32_t words[65];
        const uint32_t mask = i & 1 ? UINT32_MAX : rng_next(&r) | 1u << rng_below(&r, 32);
        synth_addresses(&r, (int)rng_below(&r, 4), a);
        const uint32_t n = trace_access_encode(words, mask, a);
        assert_true(n <= 65);
        assert_int_equal(n, trace_access_decode(words, mask, back));
        for (uint32_t l = 0; l < TRACE_LANES; l++)
            if (mask >> l & 1) assert_true(back[l] == a[l]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_address_for_all_lanes_takes_3_words),
        cmocka_unit_test(a_stride_of_32_bits_takes_4_words_whatever_lanes_execute),
        cmocka_unit_test(other_patterns_take_one_word_a_lane_within_4_GB_and_two_beyond),
        cmocka_unit_test(random_addresses_and_masks_come_back_100000_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
