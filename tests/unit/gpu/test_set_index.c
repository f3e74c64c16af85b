/* Which set of a cache a line belongs to: the functions, where they are defined, and what banks of L2 make of them. */
#include "units.h"

#include "../../../sim/gpu/cache/l1_parts.h"

static void the_hashed_set_index_folds_every_bit(void **state)
{
    (void)state;
    assert_int_equal(1 ^ 3 ^ 31, hash_index(1 | 3 << 5 | 31 << 10, 32));
    assert_int_equal(0, hash_index(12345, 1));
    uint32_t seen = 0;
    for (uint32_t k = 0; k < 32; k++) seen |= 1u << hash_index(k * 32, 32); /* of a linear index it is one set */
    assert_int_equal(UINT32_MAX, seen);
}

/* Of the address, of which seven bits choose the byte: bits 13, 14, 15, 17 and 19 are XORed into bits 7 to 11; bit 12
 * is the sixth of 64 sets. */
static void fermis_set_index_is_the_one_that_nugteren_measured(void **state)
{
    static const uint32_t moves[32] = {
        [0] = 1, [1] = 2, [2] = 4, [3] = 8, [4] = 16, [6] = 1, [7] = 2, [8] = 4, [10] = 8, [12] = 16};
    (void)state;
    for (uint32_t bit = 0; bit < 32; bit++) {
        assert_int_equal(moves[bit], fermi_index(1u << bit, 32));
        assert_int_equal(bit == 5 ? 32 : moves[bit], fermi_index(1u << bit, 64));
    }
    assert_int_equal((21 ^ 2) & 15, fermi_index(21 | 1 << 7, 16));               /* of fewer sets it is cut, */
    assert_int_equal((21 ^ 3) | 3 << 5, fermi_index(21 | 3 << 5 | 1 << 7, 128)); /* of more it is longer */
    assert_int_equal(21 ^ 2, fermi_index(21 | 1 << 7, 32));
    assert_int_equal(32 | (21 ^ 2), fermi_index(21 | 1 << 5 | 1 << 7, 64));
}

/* The number of a line among those of its bank is what is hashed: neighbouring lines go round twelve banks. */
static void a_bank_of_l2_hashes_its_own_lines_and_banks_stay_where_they_were(void **state)
{
    static const char *const indices[] = {"linear", "hash", "fermi"};
    (void)state;
    params->l2.banks = 12;
    params->l2.sets = 64;
    assert_ok(gpu_params_set(params, "l2.bank_index", "linear", &err), &err);
    for (uint32_t i = 0; i < COUNT_OF(indices); i++) {
        assert_ok(gpu_params_set(params, "l2.set_index", indices[i], &err), &err);
        assert_ok(gpu_params_check(params, &err), &err);
        const struct address_map map = address_map_of(params);
        for (uint32_t line = 0; line < 1u << 20; line += 97) {
            const uint32_t own = line / 12, sets[] = {own % 64, hash_index(own, 64), fermi_index(own, 64)};
            const struct place place = address_l2(&map, line);
            assert_int_equal(line % 12, place.bank);
            assert_int_equal(sets[i], place.set);
        }
    }
    params->l2.bank_index = CHUNKED_BANKS;
    params->l2.interleave_lines = 2;
    const struct address_map map = address_map_of(params); /* of chunk 64 of channel 0, bit 0 chooses the bank */
    assert_int_equal(fermi_index(2 * 32 + 1, 64), address_l2(&map, 2 * 6 * 64 + 1).set);
}

static void refused(const char *dotted, const char *value, const char *says)
{
    char was[32];
    snprintf(was, sizeof was, "%u", dotted[1] == '1' ? params->l1.sets : params->l2.sets);
    assert_ok(gpu_params_set(params, dotted, value, &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
    assert_int_equal(2, error_exit_status(&err));
    assert_string_equal(says, err.text);
    assert_ok(gpu_params_set(params, dotted, was, &err), &err);
}

static void a_set_index_without_a_definition_for_so_many_sets_is_refused(void **state)
{
    (void)state;
    assert_ok(gpu_params_set(params, "l1.set_index", "fermi", &err), &err);
    assert_ok(gpu_params_set(params, "l2.sets", "64", &err), &err);
    assert_ok(gpu_params_set(params, "l2.set_index", "fermi", &err), &err);
    assert_ok(gpu_params_check(params, &err), &err);
    refused("l1.sets", "2048",
            "l1.sets = 2048: Fermi's set index is published for 32 and 64 sets; change l1.ways instead, or choose "
            "l1.set_index=linear or hash");
    refused("l2.sets", "85",
            "l2.sets = 85: Fermi's set index is published for 32 and 64 sets; change l2.ways instead, or choose "
            "l2.set_index=linear or hash");
    assert_ok(gpu_params_set(params, "l2.set_index", "hash", &err), &err);
    refused("l2.sets", "85", "l2.sets = 85: l2.set_index=hash needs a power of two");
    assert_ok(gpu_params_set(params, "l2.set_index", "linear", &err), &err);
    params->l2.sets = 85;
    assert_ok(gpu_params_check(params, &err), &err);
}

/* 48 KB in four ways are 96 sets [THESIS §4.4.3]: linear is modulo then, and four lines of one set stay. */
static void an_l1_of_96_sets_takes_lines_modulo(void **state)
{
    struct l1 l1;
    (void)state;
    assert_ok(gpu_params_set(params, "l1.set_index", "linear", &err), &err);
    assert_ok(gpu_params_set(params, "l1.sets", "96", &err), &err);
    assert_ok(gpu_params_check(params, &err), &err);
    l1_init(&l1, params, 0, 0, &arena);
    assert_int_equal(96 * 4, l1.tags.sets * l1.tags.ways);
    for (uint32_t line = 0; line < 100000; line += 31) assert_int_equal(line % 96, l1_set_of(&l1, line));
    assert_ok(gpu_params_set(params, "l1.set_index", "hash", &err), &err);
    refused("l1.sets", "96",
            "l1.sets = 96: a power of two is needed, but for l1.organisation=plain or sectored with "
            "l1.set_index=linear");
    assert_ok(gpu_params_set(params, "l1.set_index", "linear", &err), &err);
    assert_ok(gpu_params_set(params, "l1.organisation", "tsc", &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_hashed_set_index_folds_every_bit),
        T(fermis_set_index_is_the_one_that_nugteren_measured),
        T(a_bank_of_l2_hashes_its_own_lines_and_banks_stay_where_they_were),
        T(a_set_index_without_a_definition_for_so_many_sets_is_refused),
        T(an_l1_of_96_sets_takes_lines_modulo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
