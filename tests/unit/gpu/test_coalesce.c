/* Coalescing and bank conflicts, of accesses as the trace encodes them, against what their definitions say lane by
 * lane. */
#include "rig.h"

#include "../../../sim/gpu/plan/coalesce.h"
#include "poise/table.h"

static struct lanes lanes_of(const uint64_t addresses[TRACE_LANES], uint32_t mask)
{
    uint32_t words[65];
    struct lanes lanes;
    const uint32_t n = trace_access_encode(words, mask, addresses);
    assert_int_equal(n, lanes_read(&lanes, words, mask));
    return lanes;
}

/* By definition: lanes in order, each byte in order. */
static uint32_t lines_by_definition(const uint64_t *addresses, uint32_t mask, uint32_t bytes, uint32_t line_bytes,
                                    uint32_t chunk_bytes, uint64_t *lines, uint32_t *chunks)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < TRACE_LANES; l++)
        for (uint32_t b = 0; b < bytes && mask >> l & 1; b++) {
            const uint64_t line = (addresses[l] + b) / line_bytes;
            uint32_t k = 0;
            while (k < n && lines[k] != line) k++;
            if (k == n) lines[n] = line, chunks[n++] = 0;
            chunks[k] |= 1u << (addresses[l] + b) % line_bytes / chunk_bytes;
        }
    return n;
}

static int n_counted;

/* No more than the bound, and `low` and `high` are the first bytes of two lanes. */
static void assert_bounded(const uint64_t *addresses, uint32_t mask, uint32_t bytes, uint32_t line_bytes, uint32_t n)
{
    struct lanes lanes = lanes_of(addresses, mask);
    const uint32_t bound = coalesce_bound(&lanes, bytes, line_bytes);
    bool has_low = false, has_high = false;
    for (uint32_t l = 0; l < TRACE_LANES; l++)
        if (mask >> l & 1) {
            has_low |= addresses[l] == lanes.low;
            has_high |= addresses[l] == lanes.high;
            assert_true(addresses[l] >= lanes.low && addresses[l] <= lanes.high);
        }
    assert_true(has_low && has_high && bound >= n);
}

static void assert_as_defined(const uint64_t addresses[TRACE_LANES], uint32_t mask, uint32_t bytes, uint32_t line_bytes,
                              uint32_t chunk_bytes)
{
    struct coalesced found, expected;
    struct lanes lanes = lanes_of(addresses, mask);
    for (uint32_t l = 0; l < TRACE_LANES; l++)
        if (mask >> l & 1) assert_true(addresses[l] >= lanes.low && addresses[l] <= lanes.high);
    const uint32_t counted = coalesce_count(&lanes, bytes, line_bytes);
    const uint32_t parts = coalesce_count(&lanes, bytes, chunk_bytes); /* of lines, as a plan counts sectors */
    const uint32_t n = coalesce(&found, &lanes, bytes, line_bytes, chunk_bytes);
    assert_int_equal(
        lines_by_definition(addresses, mask, bytes, line_bytes, chunk_bytes, expected.lines, expected.chunks), n);
    assert_memory_equal(expected.lines, found.lines, n * sizeof *found.lines);
    assert_memory_equal(expected.chunks, found.chunks, n * sizeof *found.chunks);
    uint32_t chunks = 0;
    for (uint32_t i = 0; i < n; i++) chunks += (uint32_t)__builtin_popcount(found.chunks[i]);
    if (parts) assert_int_equal(chunks, parts);
    assert_bounded(addresses, mask, bytes, line_bytes, n);
    assert_bounded(addresses, mask, bytes, chunk_bytes, chunks);
    if (counted == 0) return; /* not seen without going over the lanes */
    n_counted++;
    assert_int_equal(n, counted);
    for (uint32_t i = 0; i < n; i++)
        assert_true(found.lines[i] >= lanes.low / line_bytes &&
                    found.lines[i] <= (lanes.high + bytes - 1) / line_bytes);
}

static uint32_t random_state = 9;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static uint32_t any_mask(void)
{
    static const uint32_t masks[] = {~0u, 0xffff, 0xffff0000u, 1, 0x80000000u, 0x7ffffffe, 0x55555555};
    const uint32_t i = any(2 * COUNT_OF(masks)), m = i < COUNT_OF(masks) ? masks[i] : any(1 << 16) | any(1 << 16) << 16;
    return m ? m : 1;
}

static void straight_accesses_have_the_lines_of_their_bytes_in_the_order_of_lanes(void **state)
{
    (void)state;
    for (int i = 0; i < 40000; i++) {
        static const int64_t strides[] = {0, 1, 2, 4, 8, 12, 16, 20, 31, 32, 33, 64, 100, 128, 132, 256, 4096};
        const int64_t stride = strides[any(COUNT_OF(strides))] * (any(3) ? 1 : -1);
        uint64_t addresses[TRACE_LANES];
        for (int l = 0; l < TRACE_LANES; l++) addresses[l] = 0x700000000 + (uint64_t)(l * stride);
        const uint64_t shift = any(300);
        for (int l = 0; l < TRACE_LANES; l++) addresses[l] += shift;
        assert_as_defined(addresses, any_mask(), 1u << any(7), 32u << any(4), 8u << any(3));
    }
    assert_true(n_counted > 10000);
}

static void scattered_accesses_too(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const uint32_t range = 1u << (4 + any(20));
        uint64_t addresses[TRACE_LANES];
        for (int l = 0; l < TRACE_LANES; l++) addresses[l] = 0x10000 + any(range) + (any(64) ? 0 : 1ull << 40);
        assert_as_defined(addresses, any_mask(), 1u << any(7), 32u << any(4), 8u << any(3));
    }
}

static void an_access_at_the_end_of_all_addresses_is_none_too_many(void **state)
{
    (void)state;
    uint64_t addresses[TRACE_LANES];
    struct coalesced found;
    for (uint64_t l = 0; l < TRACE_LANES; l++) addresses[l] = UINT64_MAX - 255 + 128 * l;
    struct lanes lanes = lanes_of(addresses, ~0u);
    assert_int_equal(TRACE_LANES, coalesce(&found, &lanes, 4, 128, 32));
    for (uint32_t l = 0; l < TRACE_LANES; l++) addresses[l] = UINT64_MAX - l;
    lanes = lanes_of(addresses, ~0u);
    lanes_spread(&lanes);
    assert_int_equal(0, coalesce_bound(&lanes, 4, 128));
}

static uint32_t lines_of(uint64_t base, int64_t stride, uint32_t mask, uint32_t bytes, uint32_t *first_sectors)
{
    uint64_t addresses[TRACE_LANES];
    struct coalesced found;
    for (int l = 0; l < TRACE_LANES; l++) addresses[l] = (uint64_t)((int64_t)base + l * stride);
    struct lanes lanes = lanes_of(addresses, mask);
    const uint32_t n = coalesce(&found, &lanes, bytes, 128, 32);
    if (first_sectors) *first_sectors = found.chunks[0];
    return n;
}

static void consecutive_words_are_1_line_misaligned_2_strided_32(void **state)
{
    uint32_t sectors;
    (void)state;
    assert_int_equal(1, lines_of(0x1000, 4, ~0u, 4, &sectors));
    assert_int_equal(15, sectors);
    assert_int_equal(2, lines_of(0x1004, 4, ~0u, 4, NULL));
    assert_int_equal(32, lines_of(0x1000, 128, ~0u, 4, &sectors));
    assert_int_equal(1, sectors);
    assert_int_equal(1, lines_of(0x1020, 0, ~0u, 4, &sectors));
    assert_int_equal(2, sectors);
    assert_int_equal(3, lines_of(0x1000, 128, 0x80010001u, 4, NULL));
    assert_int_equal(2, lines_of(0x107c, 0, 1, 8, NULL)); /* one lane across a line boundary */
}

static void lanes_of_an_atomic_on_the_same_bytes_go_one_by_one(void **state)
{
    (void)state;
    uint64_t addresses[TRACE_LANES];
    struct coalesced found;
    for (uint32_t l = 0; l < TRACE_LANES; l++) addresses[l] = 4 * (l / 2); /* pairs */
    struct lanes pairs = lanes_of(addresses, ~0u);
    assert_int_equal(2, coalesce_atomic(&found, &pairs, 4, 128, 32));
    for (uint32_t l = 0; l < TRACE_LANES; l++) addresses[l] = l < 3 ? 0 : 128ull * l;
    struct lanes three = lanes_of(addresses, ~0u);
    assert_int_equal(32, coalesce_atomic(&found, &three, 4, 128, 32)); /* three on one word, 29 lines more */
}

/* Some lane before this one reads the word, or this lane as an earlier one of its own. */
static bool is_given(const uint64_t *addresses, uint32_t mask, uint32_t words, uint32_t lane, uint64_t at)
{
    for (uint32_t k = 0; k < lane; k++)
        if (mask >> k & 1 && addresses[k] / 4 <= at && at < addresses[k] / 4 + words) return true;
    return false;
}

static uint32_t passes_by_definition(const uint64_t *addresses, uint32_t mask, uint32_t bytes, uint32_t banks)
{
    const uint32_t words = bytes > 4 ? (bytes + 3) / 4 : 1, part = TRACE_LANES / words;
    uint32_t passes = 0;
    for (uint32_t first = 0; first < TRACE_LANES; first += part) {
        uint32_t worst = 0;
        for (uint32_t bank = 0; bank < banks; bank++) {
            uint32_t n = 0;
            for (uint32_t l = first; l < first + part; l++)
                for (uint64_t at = addresses[l] / 4; at < addresses[l] / 4 + words; at++)
                    n += (mask >> l & 1) && at % banks == bank && !is_given(addresses, mask, words, l, at);
            if (n > worst) worst = n;
        }
        passes += worst;
    }
    return passes;
}

static void shared_memory_passes_follow_the_worst_bank(void **state)
{
    uint64_t a[TRACE_LANES];
    (void)state;
    static const struct {
        int64_t stride;
        uint32_t passes;
    } cases[] = {{4, 1}, {8, 2}, {128, 32}, {0, 1}, {132, 1}, {64, 16}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int l = 0; l < TRACE_LANES; l++) a[l] = (uint64_t)(l * cases[i].stride);
        struct lanes lanes = lanes_of(a, ~0u);
        assert_int_equal(cases[i].passes, shared_passes(&lanes, 4, 32));
    }
    for (int i = 0; i < 3000; i++) {
        const uint32_t stride = any(40), mask = any_mask(), bytes = 1u << any(5), banks = 1u << any(6);
        for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = 64 + stride * l + (i % 2 ? any(200) : 0);
        struct lanes lanes = lanes_of(a, mask);
        assert_int_equal(passes_by_definition(a, mask, bytes, banks), shared_passes(&lanes, bytes, banks));
    }
}

/* Doubles in a row go half a warp at a time, four words a quarter; what all lanes share is given once. */
static void wide_lanes_of_shared_memory_go_in_parts_and_share_words(void **state)
{
    (void)state;
    static const struct {
        int64_t stride;
        uint32_t bytes, sharers, passes;
    } cases[] = {{0, 4, 1, 1},  {0, 8, 1, 1},   {0, 16, 1, 1},   {8, 8, 1, 2},    {16, 16, 1, 4},
                 {16, 8, 1, 4}, {16, 16, 8, 4}, {16, 16, 16, 2}, {128, 16, 1, 32}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t a[TRACE_LANES];
        for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = l / cases[i].sharers * (uint64_t)cases[i].stride;
        struct lanes lanes = lanes_of(a, ~0u);
        assert_int_equal(cases[i].passes, shared_passes(&lanes, cases[i].bytes, 32));
    }
}

/* A register a pass; two where lanes beside each other, or beside their neighbours, name one address. */
static void shared_memory_returns_a_register_a_pass_or_two_to_pairs(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes, sharers, every, passes; /* lane l names (l / sharers) % every */
    } cases[] = {{4, 1, 32, 1},  {8, 1, 32, 2},   {16, 1, 32, 4}, {4, 32, 1, 1}, {8, 32, 1, 1},
                 {16, 32, 1, 2}, {16, 2, 32, 2},  {8, 2, 32, 1},  {16, 1, 2, 2}, {16, 1, 4, 4},
                 {16, 4, 32, 2}, {12, 32, 32, 2}, {12, 1, 32, 3}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int some = 0; some < 2; some++) {
            uint64_t a[TRACE_LANES];
            for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = 64ull * (l / cases[i].sharers % cases[i].every);
            struct lanes lanes = lanes_of(a, some ? 0x00ff00ffu : ~0u);
            assert_int_equal(cases[i].passes, shared_return_passes(&lanes, cases[i].bytes));
        }
}

/* By definition: of each sector that some byte is in, all bytes are. Lanes here go up. */
static void lanes_cover_sectors_if_no_byte_of_any_is_left_out(void **state)
{
    (void)state;
    uint32_t covered = 0;
    for (int i = 0; i < 4000; i++) {
        static const uint32_t sizes[] = {4, 8, 16};
        const uint32_t bytes = sizes[any(3)], row = 1 + any(32), mask = i % 4 ? ~0u >> any(4) * 8 : any_mask();
        uint64_t a[TRACE_LANES], at = 1024 + (any(3) ? 0 : 4 * any(8));
        uint8_t touched[TRACE_LANES * 64 + 2048] = {0};
        for (uint32_t l = 0; l < TRACE_LANES; l++, at += bytes) {
            if (l && l % row == 0) at += any(2) ? 32 : 4 * any(9);
            a[l] = at;
            for (uint32_t b = 0; b < bytes && mask >> l & 1; b++) touched[at + b] = 1;
        }
        bool covers = true;
        for (uint32_t sector = 0; sector < sizeof touched / 32; sector++) {
            uint32_t n = 0;
            for (uint32_t b = 0; b < 32; b++) n += touched[sector * 32 + b];
            covers &= n == 0 || n == 32;
        }
        struct lanes lanes = lanes_of(a, mask);
        struct coalesced found;
        coalesce(&found, &lanes, bytes, 128, 32);
        assert_int_equal(covers, lanes_cover_sectors(&lanes, bytes));
        covered += covers;
    }
    assert_in_range(covered, 400, 3600);
}

static void addresses_of_a_constant_access_are_counted_once_each(void **state)
{
    uint64_t a[TRACE_LANES];
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const uint32_t mask = any_mask(), sharers = 1 + any(8), stride = 4 * any(3);
        uint32_t n = 0;
        for (uint32_t l = 0; l < TRACE_LANES; l++) a[l] = 64 + stride * (l / sharers) + (i % 2 ? 4 * any(3) : 0);
        for (uint32_t l = 0; l < TRACE_LANES; l++) {
            bool is_new = mask >> l & 1;
            for (uint32_t k = 0; k < l; k++) is_new &= !(mask >> k & 1) || a[k] != a[l];
            n += is_new;
        }
        struct lanes lanes = lanes_of(a, mask);
        assert_int_equal(n, distinct_addresses(&lanes));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_accesses_have_the_lines_of_their_bytes_in_the_order_of_lanes),
        cmocka_unit_test(scattered_accesses_too),
        cmocka_unit_test(an_access_at_the_end_of_all_addresses_is_none_too_many),
        cmocka_unit_test(consecutive_words_are_1_line_misaligned_2_strided_32),
        cmocka_unit_test(lanes_of_an_atomic_on_the_same_bytes_go_one_by_one),
        cmocka_unit_test(shared_memory_passes_follow_the_worst_bank),
        cmocka_unit_test(wide_lanes_of_shared_memory_go_in_parts_and_share_words),
        cmocka_unit_test(shared_memory_returns_a_register_a_pass_or_two_to_pairs),
        cmocka_unit_test(lanes_cover_sectors_if_no_byte_of_any_is_left_out),
        cmocka_unit_test(addresses_of_a_constant_access_are_counted_once_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
