/* import(export(t)) = t, and what is exported passes the strict checker. */
#include "synth.h"
#include "where.h"
#include "poise/accelsim.h"

#define REFERENCE POISE_SOURCE_DIR "/tests/reference/accelsim/traces/"

static struct trace *round_trip(const struct trace *trace, enum accelsim_isa isa, bool is_strict)
{
    char *text = NULL;
    size_t size;
    struct trace *back;
    struct error err = {0};
    struct accelsim_report report;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_ok(accelsim_export_stream(trace, out, "k.traceg", isa, 1, &err), &err);
    assert_int_equal(fclose(out), 0);
    if (is_strict) {
        assert_ok(accelsim_check_text(&report, "k.traceg", text, size, &err), &err);
        assert_int_equal(report.warps, trace->n_warps);
    }
    assert_ok(accelsim_import_text(&back, "k.traceg", text, size, NULL, &err), &err);
    free(text);
    return back;
}

static void assert_lossless(const struct trace *trace, bool is_strict)
{
    const enum accelsim_isa isas[] = {ACCELSIM_KEPLER, ACCELSIM_VOLTA};
    for (int i = 0; i < 2; i++) {
        struct trace *back = round_trip(trace, isas[i], is_strict);
        assert_same_content(trace, back);
        assert_memory_equal(&trace->hash, &back->hash, sizeof back->hash);
        trace_close(back);
    }
}

static void our_own_regular_launch_comes_back_with_its_hash(void **state)
{
    (void)state;
    struct trace *t = synth_finish(synth_regular(4, 10), NULL, "{}");
    assert_lossless(t, false);
    trace_close(t);
}

static void random_launches_with_guards_wide_accesses_and_eight_sources_come_back_with_their_hash(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct trace *t = synth_finish(synth_random(seed), NULL, "{}");
        assert_lossless(t, false);
        trace_close(t);
    }
}

static struct trace *from_archive(const char *archive_name, const char *member)
{
    char path[4096];
    struct accelsim_archive archive;
    struct error err = {0};
    struct trace *t;
    snprintf(path, sizeof path, REFERENCE "%s", archive_name);
    assert_ok(accelsim_archive_open(&archive, path, 256u << 20, &err), &err);
    const struct accelsim_member *m = accelsim_archive_find(&archive, member);
    assert_non_null(m);
    assert_ok(accelsim_import_text(&t, member, m->data, m->size, NULL, &err), &err);
    accelsim_archive_close(&archive);
    return t;
}

static void the_reference_traces_import_with_their_instruction_counts_and_come_back_losslessly(void **state)
{
    (void)state;
    static const struct {
        const char *archive, *member;
        uint64_t steps;
    } rows[] = {
        {"vecadd.tar.xz", "vecadd/kernel-1.traceg", 282624},
        {"mvt.tar.xz", "mvt/kernel-1.traceg", 84480},
        {"compute.tar.xz", "compute/kernel-1.traceg", 626688},
        {"stencil.tar.xz", "stencil/kernel-1.traceg", 239616},
        {"real.tar.xz", "simple/kernel-1.traceg", 26601},
        {"real.tar.xz", "bfs-rodinia-2.0-ft/kernel-7.traceg", 29545},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *t = from_archive(rows[i].archive, rows[i].member);
        assert_int_equal(t->n_steps, rows[i].steps);
        assert_lossless(t, true);
        trace_close(t);
    }
}

static void a_changed_line_of_an_export_is_refused_with_its_line(void **state)
{
    (void)state;
    struct trace *t = from_archive("real.tar.xz", "simple/kernel-1.traceg"), *back;
    char *text = NULL;
    size_t size;
    struct error err = {0};
    FILE *out = open_memstream(&text, &size);
    assert_ok(accelsim_export_stream(t, out, "k.traceg", ACCELSIM_VOLTA, 1, &err), &err);
    fclose(out);
    char *fadd = strstr(text, "FADD");
    memcpy(fadd, "FMUL", 4);
    assert_int_equal(accelsim_import_text(&back, "k.traceg", text, size, NULL, &err), -1);
    assert_non_null(strstr(err.text, "disagrees"));
    /* Without the static code it is a trace like any other. */
    memcpy(strstr(text, "poise-code="), "poise_code_", 11);
    assert_ok(accelsim_import_text(&back, "k.traceg", text, size, NULL, &err), &err);
    assert_int_equal(back->n_steps, t->n_steps);
    trace_close(back);
    trace_close(t);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_regular_launch_comes_back_with_its_hash),
        cmocka_unit_test(random_launches_with_guards_wide_accesses_and_eight_sources_come_back_with_their_hash),
        cmocka_unit_test(the_reference_traces_import_with_their_instruction_counts_and_come_back_losslessly),
        cmocka_unit_test(a_changed_line_of_an_export_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
