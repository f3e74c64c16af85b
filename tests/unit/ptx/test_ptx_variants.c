/* The lane functions exist for the baseline, for AVX2 + FMA and for AVX-512. Which one runs must not be visible. */
#include <stdlib.h>
#include "ptx_rig.h"
#include "../../../sim/ptx/exec/access.h"
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

#define MEMORY_BYTES 4096u
#define MEMORY_AT 0x7f0000001000u
struct scene {
    _Alignas(64) unsigned char file[FILE_BYTES], memory[MEMORY_BYTES];
};

/* An instruction and the addresses of its lanes: side by side, all the same, apart, or anywhere; seldom one outside. */
static struct uop draw_access(unsigned char *file, uint64_t *state)
{
    struct uop u = {
        .a = 7 * SLOT64, .flags = UOP_WIDE_BASE, .space = SP_GLOBAL, .imm = (int64_t)(next(state) % 64) - 32};
    const uint64_t kind = next(state) % 5;
    u.bytes = (uint8_t)(1u << next(state) % 4);
    u.n_vec = (uint8_t)(1u << next(state) % 3);
    if (u.bytes * u.n_vec > 16) u.n_vec = (uint8_t)(16 / u.bytes);
    u.width = u.bytes == 8 || next(state) % 3 == 0 ? 64 : u.bytes < 4 && next(state) % 2 ? 16 : 32;
    u.sign = next(state) & 1;
    for (uint32_t v = 0; v < u.n_vec; v++) u.vec[v] = v * SLOT64;
    const uint64_t step = (uint64_t)u.bytes * u.n_vec, places = MEMORY_BYTES / step,
                   first = next(state) % (places - 31);
    for (uint64_t l = 0; l < LANES; l++) {
        const uint64_t place = kind == 0   ? first + l
                               : kind == 1 ? first
                               : kind == 2 ? l * (places / LANES)
                               : kind == 3 ? first + 31 - l
                                           : next(state) % places;
        const uint64_t address = MEMORY_AT + place * step - (uint64_t)u.imm;
        memcpy(file + u.a + l * 8, &address, 8);
    }
    if (next(state) % 8 == 0) {
        const uint64_t outside = MEMORY_AT - (uint64_t)u.imm + (next(state) & 1 ? MEMORY_BYTES : 0 - step);
        memcpy(file + u.a + next(state) % LANES * 8, &outside, 8);
    }
    return u;
}

/* The same, lane after lane and byte after byte. */
static bool plain_access(struct scene *s, const struct uop *u, uint32_t mask, bool is_load)
{
    uint64_t at[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        memcpy(&at[l], s->file + u->a + l * 8, 8);
        at[l] += (uint64_t)u->imm - MEMORY_AT;
        if (mask >> l & 1 && at[l] > MEMORY_BYTES - (uint64_t)u->bytes * u->n_vec) return false;
    }
    const uint32_t slot = u->width == 64 ? 8 : 4;
    for (uint32_t v = 0; v < u->n_vec; v++)
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(mask >> l & 1)) continue;
            unsigned char *lane = s->file + u->vec[v] + l * slot, *place = s->memory + at[l] + v * u->bytes;
            if (is_load) {
                const unsigned char top = u->sign && place[u->bytes - 1] & 0x80 ? 0xff : 0;
                for (uint32_t b = 0; b < slot; b++)
                    lane[b] = b < u->bytes ? place[b] : u->width == 16 && b >= 2 ? 0 : top;
            } else {
                memcpy(place, lane, u->bytes);
            }
        }
    return true;
}

static void usual_loads_and_stores_are_those_of_a_plain_model_in_every_variant(void **state)
{
    (void)state;
    uint64_t seed = 7, done = 0;
    const struct lane_variant *variants;
    const size_t n_variants = lane_variants(&variants);
    for (int round = 0; round < 6000; round++) {
        struct scene start, plain;
        fill(start.file, &seed);
        for (uint32_t i = 0; i < MEMORY_BYTES; i++) start.memory[i] = (unsigned char)next(&seed);
        const struct uop u = draw_access(start.file, &seed);
        const bool is_load = next(&seed) & 1;
        const uint32_t mask = round % 2 ? FULL_MASK : (uint32_t)next(&seed) | 1u << round % LANES;
        plain = start;
        const bool fits = plain_access(&plain, &u, mask, is_load);
        done += fits;
        for (size_t v = 0; v < n_variants; v++) {
            struct scene fast = start;
            uint64_t addresses[LANES];
            const struct access_span span = {MEMORY_AT, MEMORY_BYTES, (uint64_t)(uintptr_t)fast.memory - MEMORY_AT, 0};
            if (!variants[v].can_run()) continue;
            access_fn *const access = is_load ? variants[v].load : variants[v].store;
            assert_int_equal(fits, access(fast.file, &u, mask, &span, addresses));
            if (memcmp(&fast, &plain, sizeof fast) != 0)
                fail_msg("%s, %s of %u times %u bytes, width %u", variants[v].name, is_load ? "load" : "store", u.n_vec,
                         u.bytes, u.width);
        }
    }
    assert_true(done > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_loads_and_stores_are_those_of_a_plain_model_in_every_variant),
        cmocka_unit_test(every_lane_function_gives_the_same_bytes_in_every_variant),
        cmocka_unit_test(every_comparison_gives_the_same_mask_in_every_variant),
        cmocka_unit_test(the_environment_chooses_a_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
