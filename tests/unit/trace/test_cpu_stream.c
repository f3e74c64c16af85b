/* Access streams of CPU programs: what lackey prints becomes one, and a file gives back what was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/cpu_stream.h"
#include "poise/file.h"

static int from_text(struct cpu_stream **out, const char *text, uint64_t skip, uint64_t insts, struct error *err)
{
    FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(f);
    const int result = cpu_stream_from_lackey(out, "text", f, skip, insts, "{}", err);
    fclose(f);
    return result;
}

/* Two pages, a modify, an instruction with two accesses, one without any, and Valgrind's own lines. */
static const char text[] = "==12== Lackey, an example Valgrind tool\n"
                           "I  0401ab70,3\n"
                           "I  0401ab73,5\n"
                           " S 1fff0006c8,8\n"
                           "I  0401b770,1\n"
                           " L 00402010,4\n"
                           " S 1fff000ff0,16\n"
                           "==12== a remark\n"
                           "I  0401b771,7\n"
                           "I  0401b778,7\n"
                           " M 00402fff,1\n"
                           "I  0401b77f,2\n";

static void lackeys_lines_become_accesses_with_pages_numbered_by_first_touch(void **state)
{
    (void)state;
    struct error err;
    struct cpu_stream *s;
    assert_int_equal(from_text(&s, text, 0, 1000, &err), 0);
    const struct cpu_access expected[] = {
        {0x6c8, 2, 1, 8, 0}, {0x1010, 1, 0, 4, 0}, {0xff0, 0, 1, 16, 0}, {0x1fff, 2, 0, 1, 0}, {0x1fff, 0, 1, 1, 0}};
    assert_int_equal(s->counts.insts, 6);
    assert_int_equal(s->counts.pages, 2);
    assert_int_equal(s->counts.accesses, 5);
    assert_memory_equal(s->accesses, expected, sizeof expected);
    cpu_stream_free(s);
}

static void skipping_and_stopping_count_instructions(void **state)
{
    (void)state;
    struct error err;
    struct cpu_stream *s;
    assert_int_equal(from_text(&s, text, 2, 2, &err), 0);
    assert_int_equal(s->counts.insts, 2);
    assert_int_equal(s->counts.skipped, 2);
    assert_int_equal(s->counts.accesses, 2);
    assert_int_equal(s->accesses[0].begun, 1);
    assert_int_equal(s->accesses[0].address, 0x010); /* the first page of what is recorded */
    cpu_stream_free(s);
    assert_int_equal(from_text(&s, text, 6, 2, &err), -1);
    assert_non_null(strstr(err.text, "ended after 6 instructions"));
}

static void a_line_that_is_not_lackeys_is_named(void **state)
{
    (void)state;
    static const char *const bad[] = {"I  xyz,3\n", "I  0401,\n",  " L 0401\n",    " Q 0401,4\n",
                                      "hello\n",    " S 0401,0\n", " L 0401,4x\n", "I 0401,4\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char whole[64];
        struct error err;
        struct cpu_stream *s;
        snprintf(whole, sizeof whole, "I  0401ab70,3\n%s", bad[i]);
        assert_int_equal(from_text(&s, whole, 0, 9, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_int_equal(err.line, 2);
    }
}

static void temporary(char path[32])
{
    strcpy(path, "/tmp/poise-cpu-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static struct cpu_stream *many(uint64_t n)
{
    struct error err;
    struct cpu_stream *s;
    struct cpu_access *a = calloc(n, sizeof *a);
    uint64_t x = 1, insts = 3;
    for (uint64_t i = 0; i < n; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        a[i] = (struct cpu_access){x >> 40, (uint32_t)(i ? x >> 20 & 3 : 1), x >> 30 & 1,
                                   (uint8_t)(1u << (x >> 33 & 3)), 0};
        insts += a[i].begun;
    }
    assert_int_equal(
        cpu_stream_new(&s, &(struct cpu_stream_counts){insts, n, 1 << 12, 5}, a, "{\"command\":\"none\"}", &err), 0);
    return s;
}

static void a_file_gives_back_the_stream(void **state)
{
    (void)state;
    char path[32];
    struct error err;
    temporary(path);
    for (uint64_t n = 0; n <= 300000; n = n ? n * 300000 : 1) {
        struct cpu_stream *s = many(n), *back;
        assert_int_equal(cpu_stream_write(s, path, &err), 0);
        assert_int_equal(cpu_stream_open(&back, path, &err), 0);
        assert_memory_equal(&s->counts, &back->counts, sizeof s->counts);
        if (n) assert_memory_equal(s->accesses, back->accesses, n * sizeof *s->accesses);
        assert_memory_equal(&s->hash, &back->hash, sizeof s->hash);
        assert_string_equal(back->provenance, "{\"command\":\"none\"}");
        assert_true(back->file_bytes > 0);
        cpu_stream_free(s);
        cpu_stream_free(back);
    }
    unlink(path);
}

static void every_damaged_byte_is_noticed(void **state)
{
    (void)state;
    char path[32], *data;
    size_t size;
    struct error err;
    struct cpu_stream *s = many(50), *back;
    temporary(path);
    assert_int_equal(cpu_stream_write(s, path, &err), 0);
    assert_int_equal(file_read(&data, &size, path, &err), 0);
    for (size_t i = 0; i < size; i++) {
        data[i] ^= 0x20;
        assert_int_equal(cpu_stream_parse(&back, "damaged", data, size, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        data[i] ^= 0x20;
    }
    for (size_t cut = 0; cut < size; cut += 7) assert_int_equal(cpu_stream_parse(&back, "cut", data, cut, &err), -1);
    free(data);
    unlink(path);
    cpu_stream_free(s);
}

static void a_stream_that_no_program_has_is_refused(void **state)
{
    (void)state;
    const struct {
        struct cpu_stream_counts counts;
        struct cpu_access access;
        const char *says;
    } cases[] = {
        {{4, 1, 1, 0}, {4096, 1, 0, 4, 0}, "behind the last page"},
        {{4, 1, 1, 0}, {0, 1, 0, 0, 0}, "size"},
        {{4, 1, 1, 0}, {0, 0, 0, 4, 0}, "of no instruction"},
        {{4, 1, 1, 0}, {0, 5, 0, 4, 0}, "behind the last one"},
        {{4, 1, 1, 0}, {0, 1, 2, 4, 0}, "unknown flags"},
        {{0, 0, 0, 0}, {0, 0, 0, 0, 0}, "no instruction"},
        {{4, 1, 1ull << 40, 0}, {0, 1, 0, 4, 0}, "pages"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err;
        struct cpu_stream *s;
        struct cpu_access *a = malloc(sizeof *a);
        *a = cases[i].access;
        assert_int_equal(cpu_stream_new(&s, &cases[i].counts, a, "{}", &err), -1);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lackeys_lines_become_accesses_with_pages_numbered_by_first_touch),
        cmocka_unit_test(skipping_and_stopping_count_instructions),
        cmocka_unit_test(a_line_that_is_not_lackeys_is_named),
        cmocka_unit_test(a_file_gives_back_the_stream),
        cmocka_unit_test(every_damaged_byte_is_noticed),
        cmocka_unit_test(a_stream_that_no_program_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
