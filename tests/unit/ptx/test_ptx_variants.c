/* The lane functions exist for the baseline, for AVX2 + FMA and for AVX-512. Which one runs must not be visible. */
#include <stdlib.h>
#include "ptx_rig.h"
#include "../../../sim/ptx/lower/lanes.h"

#define FILE_BYTES (8 * SLOT64)

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11 ^ *state >> 40;
}

/* Random bits, with many values at the edges: small, all ones, NaN, infinity, subnormal. */
static void fill(unsigned char *file, uint64_t *state)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     ~(uint64_t)0,
                                     0x7ff0000000000000,
                                     0x7f8000007f800000,
                                     0x8000000080000000,
                                     0x0000000100000001,
                                     0x3f8000003f800000,
                                     0x3ff0000000000000,
                                     0x7fc000007fc00000,
                                     0x4f0000004f000000,
                                     0x1f0000001f};
    for (size_t i = 0; i < FILE_BYTES; i += 8) {
        const uint64_t r = next(state), x = r % 3 == 0 ? edges[next(state) % 12] : next(state) << 32 ^ next(state);
        memcpy(file + i, &x, 8);
    }
}

static void compare(const struct lane_op *base, const struct lane_op *fast, uint64_t *state)
{
    _Alignas(64) unsigned char one[FILE_BYTES], two[FILE_BYTES];
    static const uint8_t bits[] = {8, 16, 32, 64}, widths[] = {16, 32, 64};
    for (int round = 0; round < 60; round++) {
        fill(one, state);
        memcpy(two, one, sizeof one);
        struct uop u = {.d = 0, .a = SLOT64, .b = 2 * SLOT64, .c = 3 * SLOT64, .e = 4 * SLOT64, .d2 = 5 * SLOT64};
        u.imm = bits[next(state) % 4];
        u.width = widths[next(state) % 3];
        u.sign = next(state) & 1;
        u.aux = next(state) & 3;
        u.op = next(state) & 3;
        const uint32_t mask = round % 2 ? FULL_MASK : (uint32_t)next(state);
        base->fn(one, &u, mask);
        fast->fn(two, &u, mask);
        if (memcmp(one, two, sizeof one) != 0) fail_msg("%s differs", base->name);
    }
}

static void every_lane_function_gives_the_same_bytes_in_every_variant(void **state)
{
    (void)state;
    uint64_t seed = 42;
    const struct lane_variant *variants;
    const size_t n_variants = lane_variants(&variants);
    assert_true(variants[0].can_run());
    for (size_t v = 1; v < n_variants; v++) {
        size_t n = 0;
        if (!variants[v].can_run()) print_message("not run: this processor has no %s\n", variants[v].name);
        for (size_t t = 0; variants[v].can_run() && t < N_LANE_TABLES; t++)
            for (const struct lane_op *base = variants[0].tables[t], *fast = variants[v].tables[t]; base->name;
                 base++, fast++, n++) {
                assert_string_equal(base->name, fast->name);
                compare(base, fast, &seed);
            }
        assert_true(!variants[v].can_run() || (n > 250 && n < MAX_LANE_OPS / 2));
    }
}

static void every_comparison_gives_the_same_mask_in_every_variant(void **state)
{
    (void)state;
    uint64_t seed = 43;
    _Alignas(64) unsigned char file[FILE_BYTES];
    const struct lane_variant *variants;
    const size_t n_variants = lane_variants(&variants);
    for (size_t v = 1; v < n_variants; v++)
        for (size_t i = 0; variants[v].can_run() && variants[0].compares[i].name; i++)
            for (int round = 0; round < 60; round++) {
                fill(file, &seed);
                assert_int_equal(variants[0].compares[i].fn(file, file + SLOT64),
                                 variants[v].compares[i].fn(file, file + SLOT64));
            }
}

static void the_environment_chooses_a_variant(void **state)
{
    (void)state;
    static struct lane_index index;
    const struct lane_variant *variants;
    const size_t n = lane_variants(&variants);
    for (size_t v = 0; v < n; v++) {
        setenv("POISE_LANES", variants[v].name, 1);
        lane_index_init(&index);
        if (variants[v].can_run()) assert_ptr_equal(index.compares, variants[v].compares);
    }
    setenv("POISE_LANES", "none such", 1);
    lane_index_init(&index);
    const struct lane_op *best = index.slots[0];
    unsetenv("POISE_LANES");
    lane_index_init(&index); /* a name that there is not chooses nothing */
    assert_ptr_equal(index.slots[0], best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lane_function_gives_the_same_bytes_in_every_variant),
        cmocka_unit_test(every_comparison_gives_the_same_mask_in_every_variant),
        cmocka_unit_test(the_environment_chooses_a_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
