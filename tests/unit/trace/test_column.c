/* Numbers of a column written many at once are the bytes of one after the other. */
#include "synth.h"

#include <string.h>
#include "column.h"

static uint64_t number_of_bits(struct rng *r, uint32_t bits)
{
    const uint64_t any = (uint64_t)rng_next(r) << 32 | rng_next(r);
    return bits ? (any | 1ull << 63) >> (64 - bits) : 0;
}

static unsigned bytes_by_division(uint64_t value)
{
    unsigned n = 1;
    for (; value >= 128; value >>= 7) n++;
    return n;
}

static void a_varint_of_any_length_has_the_bytes_that_one_at_a_time_gives(void **state)
{
    (void)state;
    struct rng r = {7};
    for (uint32_t bits = 0; bits <= 64; bits++)
        for (uint32_t i = 0; i < 64; i++) {
            uint8_t wanted[16] = {0}, got[16] = {0};
            struct column_out c = {.frame = wanted};
            const uint64_t value = i ? number_of_bits(&r, bits) : bits ? UINT64_MAX >> (64 - bits) : 0;
            column_plain(&c, value);
            assert_int_equal(bytes_by_division(value), varint_bytes(value));
            assert_int_equal(c.n_frame, varint_write(got, value) - got);
            assert_memory_equal(wanted, got, c.n_frame);
        }
}

/* Over three frames, whose ends fall within groups. */
static void groups_of_numbers_break_into_frames_as_single_ones_do(void **state)
{
    (void)state;
    struct rng r = {11};
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    struct column_out one, many;
    column_out_init(&one, zstd);
    column_out_init(&many, zstd);
    while (one.raw < 3 * (COLUMN_FRAME - 10)) {
        uint64_t values[TRACE_LANES], all = 0;
        const uint32_t n = 2 + rng_below(&r, TRACE_LANES - 1), most = rng_below(&r, 4) ? 1 + rng_below(&r, 64) : 7;
        for (uint32_t k = 0; k < n; k++) all |= values[k] = number_of_bits(&r, rng_below(&r, most + 1));
        for (uint32_t k = 0; k < n; k++) column_plain(&one, values[k]);
        column_plain_many(&many, values, n, all);
        assert_int_equal(one.n_frame, many.n_frame);
        assert_memory_equal(one.frame, many.frame, one.n_frame);
    }
    column_end(&one);
    column_end(&many);
    assert_false(one.failed || many.failed);
    assert_int_equal(one.n_stored, many.n_stored);
    assert_memory_equal(one.stored, many.stored, one.n_stored);
    column_out_fini(&one);
    column_out_fini(&many);
    ZSTD_freeCCtx(zstd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_varint_of_any_length_has_the_bytes_that_one_at_a_time_gives),
        cmocka_unit_test(groups_of_numbers_break_into_frames_as_single_ones_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
