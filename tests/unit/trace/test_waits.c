/* What a trace says of waits: it comes back from both forms, is part of the identity, and is refused where a simulation
 * could not rely on it. */
#include "folder.h"
#include "waits.h"

/* Warp 0 waits for three writes of word 2 by warps 1 and 2, and then for word 5. */
static struct waits_rig *record(void)
{
    static struct waits_rig r;
    waits_begin(&r, 3, 1, 0);
    waits_cta(&r, 0);
    waits_wait(&r, 2, 3, 2);
    waits_alu(&r, 2);
    waits_wait(&r, 5, 1, 0);
    waits_cta_end(&r);
    for (uint32_t c = 1; c < 3; c++) {
        waits_cta(&r, c);
        waits_write(&r, W_ATOMIC, 2);
        waits_alu(&r, 3);
        waits_write(&r, W_STORE, c == 1 ? 2 : 5);
        waits_cta_end(&r);
    }
    return &r;
}

static void waits_and_counted_writes_come_back_from_both_forms_and_are_part_of_the_hash(void **state)
{
    (void)state;
    char folder[] = "/tmp/poise-waits-XXXXXX", path[64];
    struct error err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.ptrace", folder);
    struct trace *made = waits_finish(record(), true, path), *bare = waits_finish(record(), false, NULL);
    assert_memory_not_equal(made->hash.bytes, bare->hash.bytes, sizeof made->hash.bytes);
    for (int form = 0; form < 3; form++) { /* at rest; decoded and kept; the kept one */
        struct trace *t;
        assert_ok(trace_open(&t, path, form ? folder : NULL, &err), &err);
        assert_memory_equal(made->hash.bytes, t->hash.bytes, sizeof t->hash.bytes);
        assert_int_equal(2, t->n_words);
        assert_int_equal(2, t->n_waits);
        assert_int_equal(4, t->n_writes);
        assert_memory_equal(made->words, t->words, 2 * sizeof *t->words);
        assert_memory_equal(made->waits, t->waits, 2 * sizeof *t->waits);
        assert_memory_equal(made->writes, t->writes, 4 * sizeof *t->writes);
        trace_close(t);
    }
    trace_close(made);
    trace_close(bare);
    assert_int_equal(0, folder_remove(folder));
}

/* One value changed in what is right otherwise. */
static void refused(const char *why, size_t part, size_t offset, uint64_t value, size_t size)
{
    struct waits_rig *r = record();
    struct trace_waited x = waits_list(r);
    struct trace *t;
    struct error err;
    unsigned char *const lists[] = {(void *)x.words, (void *)x.waits, (void *)x.writes, (void *)&x};
    memcpy(lists[part] + offset, &value, size);
    trace_writer_waited(r->writer, &x);
    assert_int_equal(-1, trace_writer_finish(r->writer, NULL, "{}", &t, &err));
    if (!strstr(err.text, why)) fail_msg("'%s' does not say '%s'", err.text, why);
}
#define REFUSED(why, part, type, i, field, is) \
    refused(why, part, (i) * sizeof(struct type) + offsetof(struct type, field), is, sizeof((struct type *)NULL)->field)

static void what_a_simulation_could_not_rely_on_is_refused(void **state)
{
    (void)state;
    REFUSED("no aligned word", 0, trace_word, 0, address, W_BASE + 9);
    REFUSED("in no memory", 0, trace_word, 0, cta, 1);
    REFUSED("in no memory", 0, trace_word, 1, address, TRACE_LOCAL_WINDOW);
    REFUSED("word: out of order", 0, trace_word, 1, address, W_BASE);
    REFUSED("wait: for no word", 1, trace_wait, 0, word, 2);
    REFUSED("more writes than its word gets", 1, trace_wait, 0, count, 4);
    REFUSED("more writes than its word gets", 1, trace_wait, 1, count, 0);
    REFUSED("no branch", 1, trace_wait, 0, step, 7);
    REFUSED("last of the steps that waited", 1, trace_wait, 0, step, 5);
    REFUSED("last of the steps that waited", 1, trace_wait, 0, round, 8);
    REFUSED("within its warp", 1, trace_wait, 0, round, 10);
    REFUSED("within its warp", 1, trace_wait, 1, round, 9);
    REFUSED("within its warp", 1, trace_wait, 0, round, 0);
    REFUSED("wait: beyond", 1, trace_wait, 1, step, 1000);
    REFUSED("no store and no atomic", 2, trace_write, 0, step, 0);
    REFUSED("counted write: of no word", 2, trace_write, 3, word, 2);
    REFUSED("counted write: of no word", 2, trace_write, 3, reserved, 1);
    REFUSED("counted write: beyond", 2, trace_write, 3, step, 1000);
    REFUSED("together or not at all", 3, trace_waited, 0, n_waits, 0);
    REFUSED("together or not at all", 3, trace_waited, 0, n_writes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_and_counted_writes_come_back_from_both_forms_and_are_part_of_the_hash),
        cmocka_unit_test(what_a_simulation_could_not_rely_on_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
