#include "rig.h"
#include <zstd.h>
#include "poise/cuda_program.h"
#include "poise/fatbin.h"

#define HEADER 16
#define ENTRY 64

static void put(unsigned char *p, uint64_t value, size_t bytes) { memcpy(p, &value, bytes); }

/* An entry with these payload bytes at `p`; its length. */
static size_t entry(unsigned char *p, int kind, unsigned arch, unsigned flags, const void *payload, size_t stored,
                    size_t expanded)
{
    const size_t padded = (stored + 7) / 8 * 8;
    memset(p, 0, ENTRY + padded);
    put(p, (uint64_t)kind, 2);
    put(p + 4, ENTRY, 4);
    put(p + 8, padded, 8);
    put(p + 16, flags & 0xa000 ? stored : 0, 4);
    put(p + 28, arch, 4);
    put(p + 40, flags, 8);
    put(p + 56, expanded, 8);
    memcpy(p + ENTRY, payload, stored);
    return ENTRY + padded;
}
static size_t close_binary(unsigned char *data, size_t end)
{
    put(data, FATBIN_MAGIC, 4);
    put(data + 4, 1, 2);
    put(data + 6, HEADER, 2);
    put(data + 8, end - HEADER, 8);
    return end;
}

static void ptx_of_the_highest_architecture_up_to_the_devices_is_chosen_else_the_lowest(void **state)
{
    (void)state;
    unsigned char data[1024];
    size_t at = HEADER, size;
    char *text;
    struct error err = {0};
    at += entry(data + at, FATBIN_PTX, 30, 0x11, "p30", 3, 0);
    at += entry(data + at, FATBIN_MACHINE_CODE, 35, 0x11, "code", 4, 0);
    at += entry(data + at, FATBIN_PTX, 75, 0x11, "p75", 3, 0);
    at += entry(data + at, FATBIN_PTX, 60, 0x11, "p60", 3, 0);
    close_binary(data, at);
    static const struct {
        unsigned capability;
        const char *text;
    } cases[] = {{35, "p30"}, {20, "p30"}, {60, "p60"}, {74, "p60"}, {90, "p75"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(0, fatbin_ptx(&text, &size, data, at, cases[i].capability, &err));
        assert_string_equal(cases[i].text, text);
        assert_int_equal(3, size);
        free(text);
    }
}

static void lz4_and_zstd_entries_expand_to_their_text(void **state)
{
    (void)state;
    /* "abcd", then 12 bytes from 4 back, then "xyzzy": token 0x48, literals, distance 4; token 0x50, literals. */
    static const unsigned char lz4[] = {0x48, 'a', 'b', 'c', 'd', 4, 0, 0x50, 'x', 'y', 'z', 'z', 'y'};
    unsigned char data[1024], packed[256];
    char *text;
    size_t size;
    struct error err = {0};
    size_t at = close_binary(data, HEADER + entry(data + HEADER, FATBIN_PTX, 35, 0x2011, lz4, sizeof lz4, 21));
    assert_int_equal(0, fatbin_ptx(&text, &size, data, at, 35, &err));
    assert_string_equal("abcdabcdabcdabcdxyzzy", text);
    free(text);
    const size_t n = ZSTD_compress(packed, sizeof packed, "abcdabcdabcdabcdxyzzy", 21, 3);
    at = close_binary(data, HEADER + entry(data + HEADER, FATBIN_PTX, 35, 0x8011, packed, n, 21));
    assert_int_equal(0, fatbin_ptx(&text, &size, data, at, 35, &err));
    assert_string_equal("abcdabcdabcdabcdxyzzy", text);
    free(text);
    /* Any other length, and a match from before the beginning, are damage. */
    at = close_binary(data, HEADER + entry(data + HEADER, FATBIN_PTX, 35, 0x2011, lz4, sizeof lz4, 20));
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, at, 35, &err));
    assert_non_null(strstr(err.text, "LZ4"));
    data[HEADER + ENTRY + 5] = 5;
    put(data + HEADER + 56, 21, 8);
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, at, 35, &err));
}

static void what_is_cut_or_too_large_is_an_error_with_its_byte(void **state)
{
    (void)state;
    unsigned char data[256];
    char *text;
    size_t size;
    struct error err = {0};
    const size_t end = close_binary(data, HEADER + entry(data + HEADER, FATBIN_PTX, 35, 0x11, "ptx", 3, 0));
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, end - 1, 35, &err));
    assert_non_null(strstr(err.text, "byte 8"));
    put(data + HEADER + 8, 1000, 8);
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, end, 35, &err));
    assert_non_null(strstr(err.text, "byte 24"));
    put(data, 0, 4);
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, end, 35, &err));
    const size_t huge =
        close_binary(data, HEADER + entry(data + HEADER, FATBIN_PTX, 35, 0x8011, "x", 1, (size_t)1 << 40));
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, huge, 35, &err));
    assert_non_null(strstr(err.text, "at most"));
}

static void machine_code_alone_names_the_flag_to_add(void **state)
{
    (void)state;
    unsigned char data[256];
    char *text;
    size_t size;
    struct error err = {0};
    const size_t end = close_binary(data, HEADER + entry(data + HEADER, FATBIN_MACHINE_CODE, 86, 0x11, "code", 4, 0));
    assert_int_equal(-1, fatbin_ptx(&text, &size, data, end, 35, &err));
    assert_int_equal(ERR_INPUT, err.code);
    assert_non_null(strstr(err.text, "sm_86"));
    assert_non_null(strstr(err.hint, "-gencode arch=compute_86,code=compute_86"));
}

static void what_is_wrapped_is_found_again(void **state)
{
    (void)state;
    unsigned char *data;
    char *text;
    size_t size, n;
    struct error err = {0};
    assert_int_equal(0, fatbin_from_ptx(&data, &size, ".version 6.3", 12, 75, &err));
    assert_int_equal(size, fatbin_bytes(data));
    assert_int_equal(0, fatbin_ptx(&text, &n, data, size, 35, &err));
    assert_string_equal(".version 6.3", text);
    free(text);
    free(data);
}

static void this_test_is_a_program_without_cuda(void **state)
{
    (void)state;
    struct error err = {0};
    assert_int_equal(-1, cuda_program_check("/proc/self/exe", &err));
    assert_non_null(strstr(err.text, "no CUDA library"));
    assert_non_null(strstr(err.hint, "-cudart shared"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_of_the_highest_architecture_up_to_the_devices_is_chosen_else_the_lowest),
        cmocka_unit_test(lz4_and_zstd_entries_expand_to_their_text),
        cmocka_unit_test(what_is_cut_or_too_large_is_an_error_with_its_byte),
        cmocka_unit_test(machine_code_alone_names_the_flag_to_add),
        cmocka_unit_test(what_is_wrapped_is_found_again),
        cmocka_unit_test(this_test_is_a_program_without_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
