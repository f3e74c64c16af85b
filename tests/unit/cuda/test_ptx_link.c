/* Linking PTX texts: what files leave to each other, what they keep to themselves, what cannot be. */
#include "rig.h"
#include <stdlib.h>
#include "poise/ptx_link.h"

#define HEAD(version) ".version " version "\n.target sm_50\n.address_size 64\n"

static char *link_texts(const char *a, const char *b, struct error *err)
{
    const struct ptx_unit units[2] = {{a, strlen(a)}, {b, strlen(b)}};
    char *out;
    size_t size;
    if (ptx_link(&out, &size, units, 2, err) < 0) return NULL;
    assert_int_equal(strlen(out), size);
    return out;
}
static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

static void what_one_file_declares_is_what_the_other_defines_and_comes_before_its_use(void **state)
{
    struct error err = {0};
    (void)state;
    char *out = link_texts(
        "// compiler: c\n" HEAD(
            "6.3") ".extern .global .align 4 .u32 x;\n.extern .func (.param .b32 r) f(.param .b32 a);\n"
                   ".visible .entry k() { ret; }\n",
        HEAD("7.0") ".visible .global .align 4 .u32 x = 7;\n.visible .func (.param .b32 r) f(.param .b32 a) { ret; }\n",
        &err);
    assert_non_null(out);
    assert_int_equal(1, count(out, ".version 7.0"));
    assert_int_equal(0, count(out, ".version 6.3"));
    assert_int_equal(1, count(out, "// compiler: c"));
    assert_int_equal(0, count(out, ".extern .global"));
    assert_true(strstr(out, "x = 7") < strstr(out, ".entry k"));
    assert_true(strstr(out, ".extern .func (.param .b32 r) f") < strstr(out, ".entry k"));
    free(out);
}

static void what_files_keep_to_themselves_is_told_apart_and_texts_and_comments_stay_as_they_are(void **state)
{
    struct error err = {0};
    (void)state;
    char *out = link_texts(HEAD("6.0") ".global .u32 own = 1;\n.func own_f() { ret; }\n.visible .entry a() { .reg .u32 "
                                       "%own; /* own */ mov.u32 %own, own; ret; }\n",
                           HEAD("6.0") ".global .u32 own = 2;\n.visible .entry b() { mov.u32 %r1, own; call own_f; "
                                       "ret; }\n.func own_f() { ret; }\n",
                           &err);
    assert_non_null(out);
    assert_int_equal(1, count(out, "own$u1 = 1"));
    assert_int_equal(1, count(out, "own$u2 = 2"));
    assert_int_equal(1, count(out, "mov.u32 %own, own$u1;"));
    assert_int_equal(1, count(out, "/* own */"));
    assert_int_equal(1, count(out, "call own_f$u2;"));
    free(out);
}

static void of_weak_definitions_the_first_stays_and_gives_way_to_a_strong_one(void **state)
{
    struct error err = {0};
    (void)state;
    char *out = link_texts(HEAD("6.0") ".weak .func w() { first; }\n.weak .func v() { weak; }\n",
                           HEAD("6.0") ".weak .func w() { second; }\n.visible .func v() { strong; }\n", &err);
    assert_non_null(out);
    assert_int_equal(1, count(out, "first;"));
    assert_int_equal(0, count(out, "second;"));
    assert_int_equal(0, count(out, "weak;"));
    assert_int_equal(1, count(out, "strong;"));
    free(out);
}

static void what_two_files_define_and_what_none_does_are_errors_that_name_it(void **state)
{
    struct error err = {0};
    (void)state;
    assert_null(
        link_texts(HEAD("6.0") ".visible .global .u32 twice;\n", HEAD("6.0") ".visible .global .u32 twice;\n", &err));
    assert_non_null(strstr(err.text, "twice is defined by two files"));
    assert_null(link_texts(HEAD("6.0") ".extern .global .u32 nowhere;\n", HEAD("6.0"), &err));
    assert_non_null(strstr(err.text, "nowhere is declared extern and no file defines it"));
    /* dynamic shared memory has no definition, and a function may be one of the device's own */
    char *out = link_texts(HEAD("6.0") ".extern .shared .align 4 .b8 s[];\n.extern .func vprintf(.param .b64 f);\n",
                           HEAD("6.0") ".extern .shared .align 4 .b8 s[];\n", &err);
    assert_non_null(out);
    assert_int_equal(1, count(out, ".extern .shared"));
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_file_declares_is_what_the_other_defines_and_comes_before_its_use),
        cmocka_unit_test(what_files_keep_to_themselves_is_told_apart_and_texts_and_comments_stay_as_they_are),
        cmocka_unit_test(of_weak_definitions_the_first_stays_and_gives_way_to_a_strong_one),
        cmocka_unit_test(what_two_files_define_and_what_none_does_are_errors_that_name_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
