#include "folder.h"
#include "synth.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>
#include "container.h"
#include "poise/file.h"

static char folder[] = "/tmp/poise-files-XXXXXX";
static char trace_path[300], cache_path[300];

static char *decoded_path(void)
{
    static char path[600];
    DIR *dir = opendir(cache_path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s", cache_path, e->d_name);
    closedir(dir);
    return path;
}

static void every_truncation_is_refused_with_file_and_byte(const char *path)
{
    char *data;
    size_t size;
    struct error err;
    struct trace *t;
    assert_ok(file_read(&data, &size, path, &err), &err);
    for (size_t n = 0; n < size; n += n < 4096 ? 1 : 97) {
        assert_int_equal(-1, trace_parse(&t, "cut.trace", data, n, &err));
        assert_int_equal(ERR_INPUT, err.code);
        assert_string_equal("cut.trace", err.file);
        assert_true(err.byte >= 0 && strncmp(err.text, "cut.trace: byte ", 16) == 0);
    }
    free(data);
}

static void every_flipped_bit_is_refused(const char *path)
{
    char *data;
    size_t size;
    struct error err;
    struct trace *t;
    assert_ok(file_read(&data, &size, path, &err), &err);
    for (size_t n = 0; n < size; n += n < 4096 ? 1 : 31) {
        data[n] ^= (char)(1 << n % 8);
        assert_int_equal(-1, trace_parse(&t, "flipped.trace", data, size, &err));
        data[n] ^= (char)(1 << n % 8);
    }
    assert_ok(trace_parse(&t, "whole.trace", data, size, &err), &err);
    trace_close(t);
    free(data);
}

static void truncated_files_of_both_forms_are_refused(void **state)
{
    (void)state;
    every_truncation_is_refused_with_file_and_byte(trace_path);
    every_truncation_is_refused_with_file_and_byte(decoded_path());
}

static void flipped_bits_in_both_forms_are_refused(void **state)
{
    (void)state;
    every_flipped_bit_is_refused(trace_path);
    every_flipped_bit_is_refused(decoded_path());
}

/* A file whose checksums are right and whose content is not: what is left is range checks and the identity. */
static void wrong_content_under_right_checksums_is_refused(void **state)
{
    (void)state;
    char *data;
    size_t size;
    struct error err;
    struct trace *t;
    struct rng r = {3};
    int accepted = 0;
    assert_ok(file_read(&data, &size, decoded_path(), &err), &err);
    for (int i = 0; i < 3000; i++) {
        struct container_header h;
        char *bad = malloc(size);
        memcpy(bad, data, size);
        memcpy(&h, bad, sizeof h);
        struct section *s = (struct section *)(void *)(bad + sizeof h);
        const uint32_t which = rng_below(&r, h.n_sections);
        if (s[which].stored && s[which].type != SECTION_PROVENANCE) {
            bad[s[which].offset + rng_next(&r) % s[which].stored] ^= (char)(1 << rng_below(&r, 8));
            s[which].checksum = hash_checksum(bad + s[which].offset, s[which].stored);
            h.checksum = 0;
            memcpy(bad, &h, sizeof h);
            h.checksum = hash_checksum(bad, sizeof h + h.n_sections * sizeof *s);
            memcpy(bad, &h, sizeof h);
            accepted += trace_parse(&t, "wrong.trace", bad, size, &err) == 0;
        }
        free(bad);
    }
    assert_int_equal(0, accepted);
    free(data);
}

/* The file with a changed header under a right checksum. */
static int parse_with_header(const struct container_header *changed, struct error *err)
{
    char *data;
    size_t size;
    struct trace *t;
    struct container_header h = *changed;
    assert_ok(file_read(&data, &size, trace_path, err), err);
    h.checksum = 0;
    memcpy(data, &h, sizeof h);
    h.checksum = hash_checksum(data, sizeof h + h.n_sections * sizeof(struct section));
    memcpy(data, &h, sizeof h);
    const int result = trace_parse(&t, "x.trace", data, size, err);
    if (result == 0) trace_close(t);
    free(data);
    return result;
}

static void counts_beyond_memory_and_other_versions_are_refused(void **state)
{
    (void)state;
    char *data;
    size_t size;
    struct error err;
    struct container_header whole, h;
    assert_ok(file_read(&data, &size, trace_path, &err), &err);
    memcpy(&whole, data, sizeof whole);
    free(data);
    assert_ok(parse_with_header(&whole, &err), &err);
    uint64_t *const counts[] = {&h.n_warps, &h.n_steps, &h.n_accesses, &h.n_guards};
    for (int i = 0; i < 4; i++) {
        h = whole;
        *counts[i] = 1ull << (40 + 7 * i);
        assert_int_equal(-1, parse_with_header(&h, &err));
        assert_non_null(strstr(err.text, "larger than this machine's memory"));
        h = whole;
        ++*counts[i];
        assert_int_equal(-1, parse_with_header(&h, &err));
        h = whole;
        --*counts[i];
        assert_int_equal(-1, parse_with_header(&h, &err));
    }
    h = whole;
    h.version = 2;
    assert_int_equal(-1, parse_with_header(&h, &err));
    assert_string_equal("x.trace: byte 8: trace version 2, this build reads version 1", err.text);
}

static void a_damaged_cache_file_is_made_again(void **state)
{
    (void)state;
    struct error err;
    struct trace *t, *whole;
    assert_ok(trace_open(&whole, trace_path, NULL, &err), &err);
    assert_ok(file_write(decoded_path(), "half a header", 13, &err), &err);
    assert_ok(trace_open(&t, trace_path, cache_path, &err), &err);
    assert_same_content(whole, t);
    trace_close(t);
    assert_ok(trace_open(&t, decoded_path(), NULL, &err), &err);
    assert_same_content(whole, t);
    trace_close(t);
    trace_close(whole);
}

static void eight_processes_may_fill_one_cache_at_once(void **state)
{
    (void)state;
    struct error err;
    pid_t pid[8];
    unlink(decoded_path());
    for (int i = 0; i < 8; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            struct trace *t;
            const int failed = trace_open(&t, trace_path, cache_path, &err) < 0;
            if (!failed) trace_close(t);
            _exit(failed);
        }
    }
    for (int i = 0; i < 8; i++) {
        int status;
        assert_int_equal(pid[i], waitpid(pid[i], &status, 0));
        assert_int_equal(0, status);
    }
    DIR *dir = opendir(cache_path);
    int files = 0;
    for (struct dirent *e; (e = readdir(dir));) files += e->d_name[0] != '.';
    closedir(dir);
    assert_int_equal(1, files);
}

static void a_missing_file_and_a_folder_are_errors_not_crashes(void **state)
{
    (void)state;
    struct error err;
    struct trace *t;
    assert_int_equal(-1, trace_open(&t, "/nonexistent.trace", NULL, &err));
    assert_int_equal(ERR_INPUT, err.code);
    assert_int_equal(-1, trace_open(&t, folder, NULL, &err));
    assert_null(t);
    trace_close(NULL);
}

/* What is recorded has several batches of what threads encode, and its arrays move several times. */
static void any_number_of_threads_writes_the_same_file(void **state)
{
    (void)state;
    char path[2][400], *data[2];
    size_t size[2];
    struct error err;
    for (int kind = 0; kind < 4; kind++) {
        for (unsigned threads = 1; threads <= 4; threads++) {
            const int i = threads > 1;
            snprintf(path[i], sizeof path[i], "%s/threads-%d", folder, i);
            synth_threads = threads;
            struct trace_writer *w = kind == 0 ? synth_regular(40, 60) : synth_random_of((uint64_t)kind + 10, 300);
            struct trace *t = synth_finish(w, path[i], "{}");
            if (kind == 0) assert_true(t->n_steps > 150000);
            assert_ok(file_read(&data[i], &size[i], path[i], &err), &err);
            assert_int_equal(size[i], t->file_bytes);
            trace_close(t);
            if (threads == 1) continue;
            assert_int_equal(size[0], size[1]);
            assert_memory_equal(data[0], data[1], size[0]);
            free(data[1]);
        }
        free(data[0]);
    }
    synth_threads = 1;
}

static void threads_that_compress_end_with_a_trace_that_is_given_up_or_not_written(void **state)
{
    (void)state;
    struct error err;
    synth_threads = 3;
    trace_writer_free(synth_regular(40, 60));
    trace_close(synth_finish(synth_regular(40, 60), NULL, NULL));
    assert_int_equal(-1, trace_writer_finish(synth_regular(40, 60), "/nonexistent/x.trace", "{}", NULL, &err));
    assert_int_equal(ERR_IO, err.code);
    assert_non_null(strstr(err.text, "/nonexistent/x.trace"));
    synth_threads = 1;
}

static int setup(void **state)
{
    (void)state;
    struct error err;
    struct trace *t;
    if (!mkdtemp(folder)) return -1;
    snprintf(trace_path, sizeof trace_path, "%s/x.trace", folder);
    snprintf(cache_path, sizeof cache_path, "%s/cache", folder);
    trace_close(synth_finish(synth_random(4), trace_path, "{\"program\": \"x\"}"));
    if (trace_open(&t, trace_path, cache_path, &err) < 0) return -1;
    trace_close(t);
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    return folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_files_of_both_forms_are_refused),
        cmocka_unit_test(flipped_bits_in_both_forms_are_refused),
        cmocka_unit_test(wrong_content_under_right_checksums_is_refused),
        cmocka_unit_test(counts_beyond_memory_and_other_versions_are_refused),
        cmocka_unit_test(a_damaged_cache_file_is_made_again),
        cmocka_unit_test(eight_processes_may_fill_one_cache_at_once),
        cmocka_unit_test(any_number_of_threads_writes_the_same_file),
        cmocka_unit_test(threads_that_compress_end_with_a_trace_that_is_given_up_or_not_written),
        cmocka_unit_test(a_missing_file_and_a_folder_are_errors_not_crashes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
