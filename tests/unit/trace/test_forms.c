#include "folder.h"
#include "synth.h"

#include <unistd.h>
#include "poise/file.h"

static char folder[] = "/tmp/poise-trace-XXXXXX";
static const char *in_folder(const char *name)
{
    static char path[8][256];
    static unsigned next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static struct trace *reopen(const char *path, const char *cache)
{
    struct trace *t;
    struct error err;
    assert_ok(trace_open(&t, path, cache, &err), &err);
    return t;
}

static void random_traces_come_back_from_both_forms_60_times(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const char *path = in_folder("random.trace"), *cache = in_folder("cache");
        struct trace *made = synth_finish(synth_random(seed), path, "{\"seed\": 1}");
        struct trace *rest = reopen(path, NULL), *decoded = reopen(path, cache), *cached = reopen(path, cache);
        assert_same_content(made, rest);
        assert_same_content(made, decoded);
        assert_same_content(made, cached);
        assert_string_equal("synthetic", trace_kernel(rest));
        assert_string_equal("{\"seed\": 1}", cached->provenance);
        assert_int_equal(rest->file_bytes, cached->file_bytes);
        trace_close(made);
        trace_close(rest);
        trace_close(decoded);
        trace_close(cached);
    }
}

static void identity_ignores_provenance_and_changes_with_one_lane_of_one_address(void **state)
{
    (void)state;
    struct trace *a = synth_finish(synth_regular(2, 8), NULL, "{\"program\": \"a\"}");
    struct trace *b = synth_finish(synth_regular(2, 8), in_folder("b.trace"), "{\"program\": \"b\"}");
    struct trace *c = synth_finish(synth_regular(2, 9), NULL, "{}");
    assert_same_content(a, b);
    assert_memory_not_equal(a->hash.bytes, c->hash.bytes, sizeof a->hash.bytes);
    assert_string_equal("{\"program\": \"b\"}", b->provenance);
    trace_close(a);
    trace_close(b);
    trace_close(c);
}

/* Their warps' buffers grow at once, and take blocks that others have grown out of. */
static void ctas_recorded_at_once_give_the_trace_of_one_after_another(void **state)
{
    (void)state;
    for (uint32_t trips = 1; trips < 3000; trips = trips * 5 + 3) {
        struct trace *a = synth_finish(synth_regular(5, trips), NULL, "{}");
        struct trace *b = synth_finish(synth_regular_together(5, trips), NULL, "{}");
        assert_same_content(a, b);
        trace_close(a);
        trace_close(b);
    }
}

static void a_cache_is_shared_by_traces_that_differ_in_provenance_only(void **state)
{
    (void)state;
    const char *cache = in_folder("shared");
    trace_close(synth_finish(synth_regular(3, 8), in_folder("one.trace"), "{\"program\": \"one\"}"));
    trace_close(synth_finish(synth_regular(3, 8), in_folder("two.trace"), "{\"program\": \"two\"}"));
    struct trace *one = reopen(in_folder("one.trace"), cache), *two = reopen(in_folder("two.trace"), cache);
    assert_string_equal("{\"program\": \"one\"}", one->provenance);
    assert_string_equal("{\"program\": \"two\"}", two->provenance);
    assert_same_content(one, two);
    trace_close(one);
    trace_close(two);
}

static void a_regular_kernel_takes_at_most_3_bytes_a_warp_instruction(void **state)
{
    (void)state;
    struct trace *t = synth_finish(synth_regular(32, 64), in_folder("regular.trace"), "{}");
    const double each = (double)t->file_bytes / (double)t->n_steps;
    printf("%llu steps, %llu bytes: %.4f bytes each\n", (unsigned long long)t->n_steps,
           (unsigned long long)t->file_bytes, each);
    assert_int_equal(t->n_steps, 32 * 8 * (4 + 64 * 8 + 2));
    assert_true(each <= 3.0);
    trace_close(t);
}

static void the_same_content_gives_the_same_bytes_on_disk(void **state)
{
    (void)state;
    char *a, *b;
    size_t n_a, n_b;
    struct error err;
    trace_close(synth_finish(synth_random(7), in_folder("a.trace"), "{}"));
    trace_close(synth_finish(synth_random(7), in_folder("b.trace"), "{}"));
    assert_ok(file_read(&a, &n_a, in_folder("a.trace"), &err), &err);
    assert_ok(file_read(&b, &n_b, in_folder("b.trace"), &err), &err);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, n_a);
    free(a);
    free(b);
}

static void a_writer_refuses_what_the_format_cannot_hold(void **state)
{
    (void)state;
    struct error err;
    struct trace_writer *w;
    struct trace *t;
    struct trace_inst code = {.cls = TRACE_N_CLASSES};
    memset(code.dst, 0xff, sizeof code.dst);
    memset(code.src, 0xff, sizeof code.src);
    struct trace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .n_regs = 4};
    assert_int_equal(-1, trace_writer_new(&w, "k", &launch, &code, 1, "", 1, &err));
    assert_string_equal("k: static instruction 0: class is out of range (0)", err.text);
    launch.block[0] = 1025;
    assert_int_equal(-1, trace_writer_new(&w, "k", &launch, &code, 1, "", 1, &err));
    launch.block[0] = 32;
    code.cls = TRACE_INT;
    assert_ok(trace_writer_new(&w, "k", &launch, &code, 1, "", 1, &err), &err);
    assert_int_equal(-1, trace_writer_finish(w, NULL, NULL, &t, &err));
    assert_string_equal("k: 0 of 1 CTAs were recorded", err.text);
    assert_null(t);
    assert_ok(trace_writer_new(&w, "k", &launch, &code, 1, "", 1, &err), &err);
    trace_record_step(trace_writer_cta_begin(w), 1, 1);
    assert_ok(trace_writer_cta_end(w, &err), &err);
    assert_int_equal(-1, trace_writer_finish(w, NULL, NULL, &t, &err));
    assert_string_equal("k: step 0: instruction is out of range (1)", err.text);
}

static int make_folder(void **state) { return (void)state, mkdtemp(folder) ? 0 : -1; }
static int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_come_back_from_both_forms_60_times),
        cmocka_unit_test(identity_ignores_provenance_and_changes_with_one_lane_of_one_address),
        cmocka_unit_test(ctas_recorded_at_once_give_the_trace_of_one_after_another),
        cmocka_unit_test(a_cache_is_shared_by_traces_that_differ_in_provenance_only),
        cmocka_unit_test(a_regular_kernel_takes_at_most_3_bytes_a_warp_instruction),
        cmocka_unit_test(the_same_content_gives_the_same_bytes_on_disk),
        cmocka_unit_test(a_writer_refuses_what_the_format_cannot_hold),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
