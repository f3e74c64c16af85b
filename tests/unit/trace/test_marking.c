/* Markings of traces: what is proposed of a program, which instructions a mark selects, and what is written. */
#include "rig.h"

#include <unistd.h>
#include "poise/marking.h"

enum { MINE = 0x10000, THEIRS = 0x20000, ALL = 0x30000, N_CTAS = 4 };
/* The static code of every launch. */
enum { OWN_STORE, SHARED_STORE, OWN_LOAD, SHARED_LOAD, CG_LOAD, LAST, N_CODE };

static struct trace *launch(const char *kernel, const uint64_t base[LAST])
{
    static const char names[] = "st.a\0st.b\0ld.a\0ld.b\0ld.cg\0exit";
    static const uint32_t name_at[N_CODE] = {0, 5, 10, 15, 20, 26};
    struct trace_inst code[N_CODE];
    struct error err;
    struct trace_writer *writer;
    struct trace *out;
    const struct trace_launch l = {.grid = {N_CTAS, 1, 1},
                                   .block = {TRACE_LANES, 1, 1},
                                   .n_ctas = N_CTAS,
                                   .warps_per_cta = 1,
                                   .n_regs = 1,
                                   .n_code = N_CODE};
    memset(code, 0, sizeof code);
    for (uint32_t i = 0; i < N_CODE; i++) {
        code[i].pc = code[i].line = i;
        code[i].name = name_at[i];
        memset(code[i].dst, 0xff, sizeof code[i].dst);
        memset(code[i].src, 0xff, sizeof code[i].src);
        code[i].cls = i < OWN_LOAD ? TRACE_STORE : i < LAST ? TRACE_LOAD : TRACE_EXIT;
        code[i].space = i < LAST ? TRACE_SPACE_GLOBAL : TRACE_SPACE_NONE;
        code[i].bytes = i < LAST ? 4 : 0;
        code[i].cache_op = i == CG_LOAD ? TRACE_CACHE_CG : TRACE_CACHE_DEFAULT;
    }
    assert_ok(trace_writer_new(&writer, kernel, &l, code, N_CODE, names, sizeof names, &err), &err);
    for (uint32_t c = 0; c < N_CTAS; c++) {
        struct trace_warp_buffer *b = trace_writer_cta_begin(writer);
        for (uint32_t i = 0; i < LAST; i++) {
            uint64_t addresses[TRACE_LANES];
            const bool is_shared = i == SHARED_LOAD || i == SHARED_STORE || i == CG_LOAD;
            if (!base[i]) continue;
            for (uint32_t k = 0; k < TRACE_LANES; k++) addresses[k] = base[i] + 4 * k + (is_shared ? 0 : 128 * c);
            trace_record_step(b, i, ~0u);
            trace_record_access(b, ~0u, addresses);
        }
        trace_record_step(b, LAST, ~0u);
        assert_ok(trace_writer_cta_end(writer, &err), &err);
    }
    assert_ok(trace_writer_finish(writer, NULL, "{}", &out, &err), &err);
    return out;
}

/* Launch 0 writes MINE (each CTA its own) and ALL (one line); launch 1 reads each CTA's own of MINE, and ALL by every
 * CTA; it writes what nobody reads. */
struct program {
    struct trace *launches[2];
    struct trace_uses uses;
};
static void begin(struct program *p)
{
    struct error err;
    p->launches[0] = launch("first", (uint64_t[LAST]){MINE, ALL, THEIRS, 0, 0});
    p->launches[1] = launch("second", (uint64_t[LAST]){THEIRS + 0x8000, 0, MINE, ALL, ALL});
    assert_ok(trace_uses_find(&p->uses, (const struct trace *const *)(const void *)p->launches, 2, &err), &err);
}
static void end(struct program *p)
{
    trace_uses_free(&p->uses);
    trace_close(p->launches[0]);
    trace_close(p->launches[1]);
}

static bool holds(const struct program *p, size_t launch, uint32_t inst, enum trace_rule rule)
{
    return trace_rule_holds(&p->uses.insts[launch][inst], rule);
}

static void rules_say_what_launches_hand_over_and_what_one_cta_reads(void **state)
{
    struct program p;
    (void)state;
    begin(&p);
    assert_int_equal(N_CTAS * 4, p.uses.insts[0][OWN_STORE].touched);
    assert_true(holds(&p, 0, OWN_STORE, RULE_HANDED_OVER) && holds(&p, 0, OWN_STORE, RULE_HANDED_ONCE));
    assert_true(holds(&p, 0, SHARED_STORE, RULE_HANDED_OVER) && !holds(&p, 0, SHARED_STORE, RULE_HANDED_ONCE));
    assert_true(holds(&p, 0, OWN_LOAD, RULE_ONE_CTA));
    assert_false(holds(&p, 1, OWN_LOAD, RULE_ONE_CTA));      /* launch 0 wrote it */
    assert_false(holds(&p, 1, SHARED_LOAD, RULE_ONE_CTA));   /* and this all CTAs read */
    assert_int_equal(0, p.uses.insts[1][OWN_STORE].touched); /* nobody comes after it */
    end(&p);
}

static void launches_of_one_kernel_are_counted_together(void **state)
{
    struct error err;
    struct trace_uses uses;
    struct trace *t[3];
    (void)state;
    for (size_t i = 0; i < 3; i++) t[i] = launch("k", (uint64_t[LAST]){i == 1 ? THEIRS : MINE, 0, MINE, 0, 0});
    assert_ok(trace_uses_find(&uses, (const struct trace *const *)(const void *)t, 3, &err), &err);
    assert_ptr_equal(uses.insts[0], uses.insts[2]);
    assert_int_equal(2 * N_CTAS * 4, uses.insts[0][OWN_STORE].touched); /* of launches 0 and 1 */
    assert_int_equal(N_CTAS * 4, uses.insts[0][OWN_STORE].fulfils[RULE_HANDED_OVER]);
    assert_false(trace_rule_holds(&uses.insts[0][OWN_STORE], RULE_HANDED_OVER)); /* half of it is not enough */
    trace_uses_free(&uses);
    for (size_t i = 0; i < 3; i++) trace_close(t[i]);
}

static int apply(const struct program *p, size_t launch, const char *text, uint8_t ops[N_CODE],
                 struct trace_marked *marked, struct error *err)
{
    static struct trace_marking marking;
    assert_ok(trace_marking_parse(&marking, text, strlen(text), "m.json", err), err);
    return trace_marking_ops(ops, marked, p->launches[launch], launch, &marking, &p->uses, err);
}

static void marks_select_by_instruction_array_rule_kernel_and_launch(void **state)
{
    static const struct {
        const char *text;
        size_t launch;
        uint32_t n_cc, n_cp, n_shared;
        int inst; /* one of those that are marked, or -1 */
    } rows[] = {
        {"{\"marking\": [{\"operator\": \"cc\", \"kernel\": \"first\", \"pc\": 1}]}", 0, 1, 0, 0, SHARED_STORE},
        {"{\"marking\": [{\"operator\": \"cc\", \"kernel\": \"first\", \"pc\": 1}]}", 1, 0, 0, 0, -1},
        {"{\"marking\": [{\"operator\": \"cc\", \"kernel\": \"f*\", \"rule\": \"handed_over\"}]}", 0, 2, 0, 0,
         OWN_STORE},
        {"{\"marking\": [{\"operator\": \"cc\", \"rule\": \"handed_once\"}]}", 0, 1, 0, 0, OWN_STORE},
        {"{\"marking\": [{\"operator\": \"cp\", \"rule\": \"one_cta\", \"launch\": 0}]}", 0, 0, 1, 0, OWN_LOAD},
        {"{\"marking\": [{\"operator\": \"cp\", \"rule\": \"one_cta\", \"launch\": 1}]}", 0, 0, 0, 0, -1},
        /* all of the array, half of it; what chose .cg keeps it */
        {"{\"marking\": [{\"operator\": \"cp\", \"from\": 65536, \"to\": 66048}]}", 1, 0, 1, 0, OWN_LOAD},
        {"{\"marking\": [{\"operator\": \"cp\", \"from\": 65536, \"to\": 65792}]}", 1, 0, 0, 1, -1},
        {"{\"marking\": [{\"operator\": \"cp\", \"from\": 196608, \"to\": 262144}]}", 1, 0, 1, 0, SHARED_LOAD},
    };
    struct program p;
    (void)state;
    begin(&p);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error err;
        struct trace_marked marked;
        uint8_t ops[N_CODE];
        assert_ok(apply(&p, rows[i].launch, rows[i].text, ops, &marked, &err), &err);
        if (marked.n_cc != rows[i].n_cc || marked.n_cp != rows[i].n_cp || marked.n_shared != rows[i].n_shared)
            fail_msg("row %zu: %u .cc, %u .cp, %u shared", i, marked.n_cc, marked.n_cp, marked.n_shared);
        if (rows[i].inst >= 0) assert_int_equal(rows[i].n_cc ? TRACE_CACHE_CC : TRACE_CACHE_CP, ops[rows[i].inst]);
        assert_int_equal(TRACE_CACHE_CG, ops[CG_LOAD]);
    }
    end(&p);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"[", "m.json:1"},
        {"{}", "no array \"marking\""},
        {"{\"marking\": [7]}", "mark 0"},
        {"{\"marking\": [{\"operator\": \"cg\", \"pc\": 1}]}", "\"cc\" or \"cp\""},
        {"{\"marking\": [{\"operator\": \"cc\"}]}", "which instructions"},
        {"{\"marking\": [{\"operator\": \"cc\", \"pc\": 1, \"rule\": \"handed_over\"}]}", "which instructions"},
        {"{\"marking\": [{\"operator\": \"cc\", \"pc\": -1}]}", "whole numbers"},
        {"{\"marking\": [{\"operator\": \"cc\", \"from\": 8, \"to\": 8}]}", "before"},
        {"{\"marking\": [{\"operator\": \"cp\", \"rule\": \"handed_over\"}]}", "one_cta is one for"},
        {"{\"marking\": [{\"operator\": \"cp\", \"rule\": \"often\"}]}", "handed_once"},
        {"{\"marking\": [{\"operator\": \"cc\", \"pcs\": 1}]}", "its keys are"},
    };
    static struct trace_marking marking;
    struct error err;
    struct program p;
    struct trace_marked marked;
    uint8_t ops[N_CODE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(-1, trace_marking_parse(&marking, rows[i].text, strlen(rows[i].text), "m.json", &err));
        if (!strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
    }
    begin(&p);
    assert_int_equal(-1, apply(&p, 0, "{\"marking\": [{\"operator\": \"cc\", \"pc\": 2}]}", ops, &marked, &err));
    assert_non_null(strstr(err.text, "instruction 2 is no store"));
    end(&p);
}

static void a_marked_trace_is_the_recorded_one_with_other_operators(void **state)
{
    struct program p;
    struct error err;
    struct trace *back;
    char path[] = "/tmp/marked-XXXXXX";
    uint8_t ops[N_CODE];
    struct trace_marked marked;
    (void)state;
    begin(&p);
    const struct trace *t = p.launches[0];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(apply(&p, 0, "{\"marking\": [{\"operator\": \"cc\", \"pc\": 0}]}", ops, &marked, &err), &err);
    assert_ok(trace_write_with_ops(t, ops, path, &err), &err);
    assert_ok(trace_open(&back, path, NULL, &err), &err);
    assert_int_equal(TRACE_CACHE_CC, back->code[OWN_STORE].cache_op);
    assert_int_equal(TRACE_CACHE_DEFAULT, back->code[SHARED_STORE].cache_op);
    assert_true(back->n_steps == t->n_steps && back->n_accesses == t->n_accesses);
    assert_memory_equal(back->accesses, t->accesses, t->n_accesses * sizeof *t->accesses);
    assert_true(memcmp(&back->hash, &t->hash, sizeof t->hash) != 0);
    trace_close(back);
    unlink(path);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_say_what_launches_hand_over_and_what_one_cta_reads),
        cmocka_unit_test(launches_of_one_kernel_are_counted_together),
        cmocka_unit_test(marks_select_by_instruction_array_rule_kernel_and_launch),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_marked_trace_is_the_recorded_one_with_other_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
