/* Accel-Sim's trace format as its specification says it: every version, address mode and rule. */
#include "rig.h"
#include "poise/accelsim.h"
#include "poise/trace.h"
#include "accelsim_internal.h"

#define HEADER(binary, version, lineinfo) \
    "-kernel name = demo\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n" \
    "-binary version = " #binary "\n-cuda stream id = 0\n-shmem base_addr = 0x00007e0000000000\n" \
    "-local mem base_addr = 0x00007e0100000000\n-nvbit version = none\n-accelsim tracer version = " #version "\n" \
    "-enable lineinfo = " #lineinfo "\n\n#traces format = free text\n\n"
#define BLOCK(n, lines) "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " #n "\n" lines "\n#END_TB\n\n"
#define EXIT "0020 ffffffff 0 EXIT 0 0\n"

/* The specification's own example. */
static const char example[] =
    HEADER(70, 4, 0) BLOCK(3, "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n"
                              "0010 0000000f 0 STG.E.64 2 R4 R2 8 2 0x7f0000001000 8 256 8\n" EXIT);

static struct trace *parse(const char *text)
{
    struct trace *trace;
    struct error err = {0};
    assert_ok(accelsim_import_text(&trace, "k.traceg", text, strlen(text), NULL, &err), &err);
    return trace;
}

/* Addresses of the n-th access of warp 0. */
static void addresses_of(const struct trace *t, unsigned n, uint64_t out[TRACE_LANES])
{
    const uint32_t *at = t->accesses;
    for (uint64_t s = 0;; s++) {
        if (!trace_class_is_memory(t->code[t->steps[s].inst].cls) || !t->steps[s].mask) continue;
        at += trace_access_decode(at, t->steps[s].mask, out);
        if (n-- == 0) return;
    }
}

static void the_example_of_the_specification_gives_3_steps_a_coalesced_load_and_a_store_of_4_lanes(void **state)
{
    (void)state;
    struct trace *t = parse(example);
    uint64_t a[TRACE_LANES];
    assert_string_equal(trace_kernel(t), "demo");
    assert_int_equal(t->n_steps, 3);
    assert_int_equal(t->launch.regs_per_thread, 8);
    assert_int_equal(t->launch.n_regs, 5);
    assert_int_equal(t->code[0].cls, TRACE_LOAD);
    assert_int_equal(t->code[0].space, TRACE_SPACE_GLOBAL);
    assert_int_equal(t->code[0].bytes, 4);
    assert_int_equal(t->code[0].dst[0], 2);
    assert_int_equal(t->code[0].src[0], 4);
    assert_int_equal(t->code[1].cls, TRACE_STORE);
    assert_int_equal(t->code[1].bytes, 8);
    assert_int_equal(t->code[1].n_dst, 0);
    assert_int_equal(t->code[2].cls, TRACE_EXIT);
    assert_int_equal(t->code[2].pc, 2);
    addresses_of(t, 0, a);
    for (uint64_t l = 0; l < 32; l++) assert_int_equal(a[l], 0x7f0000000000 + 4 * l);
    addresses_of(t, 1, a);
    assert_int_equal(t->steps[1].mask, 0xf);
    assert_int_equal(a[0], 0x7f0000001000);
    assert_int_equal(a[1], 0x7f0000001008);
    assert_int_equal(a[2], 0x7f0000001108);
    assert_int_equal(a[3], 0x7f0000001110);
    trace_close(t);
}

static void the_three_address_modes_give_the_same_addresses_and_the_same_hash(void **state)
{
    (void)state;
    struct trace *list =
        parse(HEADER(70, 4, 0) BLOCK(2, "0000 00000070 1 R2 LDG.E 1 R4 4 0 0x1000 1010 0x1020\n" EXIT));
    struct trace *stride = parse(HEADER(70, 4, 0) BLOCK(2, "0000 00000070 1 R2 LDG.E 1 R4 4 1 0x1000 16\n" EXIT));
    struct trace *delta = parse(
        HEADER(70, 5, 0) BLOCK(2, "0000 00000070 1 R2 LDG.E 1 R4 4 2 0x1000 16 16 0 \n0020 ffffffff 0 EXIT 0 0 0 \n"));
    assert_memory_equal(&list->hash, &stride->hash, sizeof list->hash);
    assert_memory_equal(&list->hash, &delta->hash, sizeof list->hash);
    trace_close(list);
    trace_close(stride);
    trace_close(delta);
}

static void versions_below_3_have_4_columns_more_and_line_information_is_one_more(void **state)
{
    (void)state;
    struct trace *old = parse(HEADER(35, 2, 0) BLOCK(
        2, "0 0 0 0 0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x1000 4\n0 0 0 0 0020 ffffffff 0 EXIT 0 0\n"));
    struct trace *plain = parse(HEADER(35, 3, 0) BLOCK(2, "0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x1000 4\n" EXIT));
    assert_memory_equal(&old->hash, &plain->hash, sizeof old->hash);
    struct trace *lines = parse(
        HEADER(35, 4, 1) BLOCK(2, "17 0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x1000 4 0\n18 0020 ffffffff 0 EXIT 0 0 0\n"));
    assert_int_equal(lines->code[0].line, 17);
    assert_int_equal(lines->code[1].line, 18);
    trace_close(old);
    trace_close(plain);
    trace_close(lines);
}

static void generic_accesses_are_told_apart_by_address_but_global_on_kepler(void **state)
{
    (void)state;
#define GENERIC \
    "0000 ffffffff 1 R2 LD.E 1 R4 4 1 0x7e0000000100 4\n0010 ffffffff 1 R2 LD.E 1 R4 4 1 0x7e0100000000 0\n0030 " \
    "ffffffff 1 R2 LD.E 1 R4 4 1 0x7f0000000000 4\n"
    struct trace *volta = parse(HEADER(70, 4, 0) BLOCK(4, GENERIC EXIT)),
                 *kepler = parse(HEADER(35, 4, 0) BLOCK(4, GENERIC EXIT));
    const uint8_t expected[] = {TRACE_SPACE_SHARED, TRACE_SPACE_LOCAL, TRACE_SPACE_GLOBAL};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(volta->code[volta->steps[i].inst].space, expected[i]);
        assert_int_equal(kepler->code[kepler->steps[i].inst].space, TRACE_SPACE_GLOBAL);
    }
    uint64_t a[TRACE_LANES];
    addresses_of(volta, 1, a); /* one word of every lane: a line of 128 bytes once interleaved */
    for (uint64_t l = 0; l < 32; l++) assert_int_equal(a[l] - a[0], 4 * l);
    assert_int_equal(volta->launch.local_bytes, 16);
    trace_close(volta);
    trace_close(kepler);
}

static void opcodes_give_width_cache_operator_atomic_and_scope(void **state)
{
    (void)state;
    struct trace *t = parse(HEADER(80, 4, 0) BLOCK(
        9, "0000 ffffffff 1 R8 LDG.E.128.STRONG.GPU 1 R4 16 1 0x1000 16\n"
           "0010 ffffffff 1 R2 LDG.E.U8 1 R4 1 1 0x1000 1\n"
           "0020 ffffffff 1 R2 ATOMG.E.ADD.STRONG.GPU 2 R4 R255 4 1 0x1000 4\n"
           "0030 ffffffff 0 RED.E.MAX.STRONG.SYS 2 R4 R5 4 1 0x1000 4\n"
           "0040 ffffffff 1 R2 ATOMS.CAS 2 R4 R5 4 1 0x10 4\n"
           "0050 ffffffff 0 BAR.SYNC 0 0\n0060 ffffffff 0 MEMBAR.SC.GPU 0 0\n0070 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0\n"
           "0080 ffffffff 0 EXIT 0 0\n"));
    const struct trace_inst *c = t->code;
    assert_int_equal(c[0].bytes, 16);
    assert_int_equal(c[0].cache_op, TRACE_CACHE_CG);
    assert_int_equal(c[1].bytes, 1);
    assert_int_equal(c[2].atomic, TRACE_ATOMIC_ADD);
    assert_true(c[2].flags & TRACE_RESULT_USED);
    assert_int_equal(c[2].n_src, 1); /* R255 is the zero register */
    assert_int_equal(c[3].atomic, TRACE_ATOMIC_MAX);
    assert_int_equal(c[3].scope, TRACE_SCOPE_SYS);
    assert_false(c[3].flags & TRACE_RESULT_USED);
    assert_int_equal(c[4].space, TRACE_SPACE_SHARED);
    assert_int_equal(c[4].atomic, TRACE_ATOMIC_CAS);
    assert_int_equal(c[5].cls, TRACE_BARRIER);
    assert_int_equal(c[6].cls, TRACE_FENCE);
    assert_int_equal(c[6].scope, TRACE_SCOPE_GPU);
    assert_int_equal(t->steps[7].mask, 0);
    trace_close(t);
}

static void the_second_record_of_an_ldgsts_is_dropped_and_constants_need_no_address(void **state)
{
    (void)state;
    struct trace *t = parse(HEADER(80, 4, 0) BLOCK(
        5, "0000 ffffffff 0 LDGSTS.E 2 R4 R6 4 1 0x1000 4\n0000 ffffffff 0 LDGSTS.E 2 R4 R6 4 1 0x20 4\n"
           "0010 ffffffff 0 ULDC.64 0 0\n0018 ffffffff 1 R2 LDC 0 0\n" EXIT));
    assert_int_equal(t->n_steps, 4);
    assert_int_equal(t->code[0].cls, TRACE_LOAD);
    assert_int_equal(t->code[0].space, TRACE_SPACE_GLOBAL);
    assert_int_equal(t->code[1].space, TRACE_SPACE_CONST);
    assert_int_equal(t->code[1].pc, 2); /* a PC that is no multiple of 16: units of 8 bytes */
    trace_close(t);
}

static void a_wrong_line_is_told_with_file_line_and_rule(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long line;
        const char *says;
    } rows[] = {
        {HEADER(36, 4, 0) BLOCK(1, EXIT), 15, "binary version 36"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffffffff 1 R2 FROB.X 1 R4 0\n" EXIT), 23, "FROB.X"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffffffff 1 R2 LDG.E 1 R4 0\n" EXIT), 23, "width must not be 0"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffff00ff 1 R2 LDG.E 1 R4 4 1 0x1000 4\n" EXIT), 23, "without gaps"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 00000007 1 R2 LDG.E 1 R4 4 0 0x1000 0x1004\n" EXIT), 23, "3 active lanes"},
        {HEADER(70, 4, 0) BLOCK(3, EXIT), 25, "1 instructions, not 3"},
        {HEADER(70, 4, 0) "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n", 19, "warp 1 of a block of 1 warps"},
        {HEADER(70, 4, 0) "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n", 19, "0 warps, not 1"},
        {HEADER(70, 4, 0), 16, "0 blocks, the grid 1"},
        {HEADER(70, 4, 0) BLOCK(1, EXIT) BLOCK(1, EXIT), 27, "more than the grid's 1"},
        {"-kernel name = demo\n#x\n", 2, "lacks '-grid dim'"},
        {"-grid dim = (0,1,1)\n", 1, "positive dimensions"},
        {"0 0 0 0 0000 ffffffff\n", 1, "post-processed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *t;
        struct error err = {0};
        assert_int_equal(accelsim_import_text(&t, "k.traceg", rows[i].text, strlen(rows[i].text), NULL, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        if (!strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
        assert_string_equal(err.file, "k.traceg");
        if (err.line != rows[i].line) fail_msg("row %zu: line %ld, not %ld: %s", i, err.line, rows[i].line, err.text);
    }
}

/* The same kernel with a grid of 2 x 3 blocks. */
static char *six_blocks(const char *const ids[6])
{
    static const char head[] = HEADER(70, 4, 0), before[] = "(1,1,1)";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *grid = strstr(head, before);
    fprintf(out, "%.*s(2,3,1)%s", (int)(grid - head), head, grid + strlen(before));
    for (int i = 0; i < 6; i++)
        fprintf(out, "#BEGIN_TB\n\nthread block = %s\n\nwarp = 0\ninsts = 1\n" EXIT "\n#END_TB\n\n", ids[i]);
    fclose(out);
    return text;
}

static void every_block_of_the_grid_comes_once_in_any_order(void **state)
{
    (void)state;
    static const struct {
        const char *ids[6];
        long line;
        const char *says;
    } rows[] = {
        {{"0,0,0", "1,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,0"}, 0, NULL},
        {{"1,2,0", "1,0,0", "0,1,0", "0,2,0", "1,1,0", "0,0,0"}, 0, NULL},
        {{"2,0,0", "1,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,0"}, 19, "block (2,0,0) lies outside the grid of (2,3,1)"},
        {{"0,0,0", "1,0,0", "0,3,0", "1,1,0", "0,2,0", "1,2,0"}, 39, "block (0,3,0) lies outside"},
        {{"0,0,0", "1,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,1"}, 69, "block (1,2,1) lies outside"},
        {{"0,0,0", "4294967297,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,0"}, 29, "block (4294967297,0,0) lies outside"},
        {{"0,0,0", "1,0,0", "1,0,0", "1,1,0", "0,2,0", "1,2,0"}, 39, "block (1,0,0) comes twice"},
        {{"0,0,0", "0,1,0", "0,0,0", "1,1,0", "0,2,0", "1,2,0"}, 39, "block (0,0,0) comes twice"},
        {{"0,0", "1,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,0"}, 19, "'thread block = x,y,z' is needed"},
        {{"-1,0,0", "1,0,0", "0,1,0", "1,1,0", "0,2,0", "1,2,0"}, 19, "'thread block = x,y,z' is needed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *t;
        struct error err = {0};
        char *text = six_blocks(rows[i].ids);
        const int result = accelsim_import_text(&t, "k.traceg", text, strlen(text), NULL, &err);
        if (result != (rows[i].says ? -1 : 0)) fail_msg("row %zu: %d, %s", i, result, err.text);
        if (result == 0) {
            assert_int_equal(t->n_steps, 6);
            trace_close(t);
        } else if (!strstr(err.text, rows[i].says) || err.line != rows[i].line || strcmp(err.file, "k.traceg") != 0) {
            fail_msg("row %zu: %s, line %ld", i, err.text, err.line);
        }
        free(text);
    }
}

static void the_strict_checker_accepts_the_example_and_refuses_what_the_other_simulator_would_misread(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {HEADER(35, 4, 0) BLOCK(2, "0000 ffffffff 1 R2 IADD3 1 R4 0\n" EXIT), "not in this architecture"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffffffff 2 R2 R3 IADD3 1 R4 0\n" EXIT), "destinations"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffffffff 1 R2 IADD3 5 R1 R2 R3 R4 R5 0\n" EXIT), "sources"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 00000001 1 R2 LDG.E 1 R4 4 1 0x1000 4\n" EXIT), "not a single one"},
        {HEADER(70, 4, 0) BLOCK(1, "0000 0fffffff 0 EXIT 0 0\n"), "does not end with EXIT"},
        {HEADER(70, 4, 0) BLOCK(2, EXIT "0030 00000001 0 IADD3 0 0\n"), "that have ended"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffffffff 0 NOP 0 0\n0010 ffffffff 0 NOP 0 0\n"), "does not end with EXIT"},
        {HEADER(70, 4, 0) "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n" EXIT "#END_TB", "newline"},
        {"-kernel  name = x\n", "one blank"},
    };
    struct accelsim_report report;
    struct error err = {0};
    assert_ok(accelsim_check_text(&report, "k.traceg", example, strlen(example), &err), &err);
    assert_int_equal(report.lines, 3);
    assert_int_equal(report.memory_lines, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        err = (struct error){0};
        assert_int_equal(accelsim_check_text(&report, "k.traceg", rows[i].text, strlen(rows[i].text), &err), -1);
        if (!strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
    }
}

static void a_list_gives_copies_and_kernels_in_order_and_skips_other_lines(void **state)
{
    (void)state;
    static const char text[] = "MemcpyHtoD,0x00007fc841500000,32768\n\nkernel-1.traceg\nMemcpyDtoH,0x1,2\nsomething "
                               "else\nkernel-2.traceg.xz\n";
    struct accelsim_list list;
    struct error err = {0};
    assert_ok(accelsim_list_parse(&list, "kernelslist.g", text, strlen(text), &err), &err);
    assert_int_equal(list.n, 3);
    assert_false(list.commands[0].is_kernel);
    assert_int_equal(list.commands[0].copy.address, 0x7fc841500000);
    assert_int_equal(list.commands[0].copy.bytes, 32768);
    assert_string_equal(list.commands[1].file, "kernel-1.traceg");
    assert_int_equal(list.commands[2].line, 6);
    accelsim_list_fini(&list);
    assert_int_equal(accelsim_list_parse(&list, "kernelslist.g", "MemcpyHtoD,12\n", 14, &err), -1);
    assert_non_null(strstr(err.text, "kernelslist.g:1"));
    static const char slip[] = "\xef\xbb\xbfkernel-1.traceg\n#kernel-2.traceg\nkernl-3.traceg\n";
    assert_int_equal(accelsim_list_parse(&list, "kernelslist.g", slip, strlen(slip), &err), -1);
    assert_string_equal(err.text, "kernelslist.g:3: 'kernl-3.traceg' names a trace: such a line begins with 'kernel'");
    assert_ok(accelsim_list_parse(&list, "kernelslist.g", slip, strlen("BOMkernel-1.traceg\n"), &err), &err);
    assert_int_equal(list.n, 1);
    accelsim_list_fini(&list);
}

static void a_limit_on_instructions_is_kept(void **state)
{
    (void)state;
    const struct accelsim_limits limits = {.max_steps = 2};
    const struct accelsim_import how = {.limits = &limits};
    struct trace *t;
    struct error err = {0};
    assert_int_equal(accelsim_import_text(&t, "k.traceg", example, strlen(example), &how, &err), -1);
    assert_non_null(strstr(err.text, "more than 2 instructions"));
}

static struct trace_inst decode(const char *text)
{
    struct trace_inst inst = {.space = TRACE_SPACE_GLOBAL};
    sass_opcode_decode(&inst, sass_opcode_find(text, strlen(text)), text, strlen(text), true);
    return inst;
}

static void loads_that_are_strong_beyond_the_SM_or_cached_in_L2_alone_pass_L1(void **state)
{
    static const struct {
        const char *text;
        bool passes_l1;
        uint8_t cache_op, scope;
    } opcodes[] = {
        {"LDG.E", false, TRACE_CACHE_DEFAULT, TRACE_SCOPE_NONE},
        {"LDG.E.SYS", false, TRACE_CACHE_DEFAULT, TRACE_SCOPE_NONE}, /* weak */
        {"LDG.E.EF", false, TRACE_CACHE_CS, TRACE_SCOPE_NONE},
        {"LDG.E.CONSTANT.SYS", false, TRACE_CACHE_NC, TRACE_SCOPE_NONE},
        {"LDG.E.STRONG.CTA", false, TRACE_CACHE_DEFAULT, TRACE_SCOPE_CTA},
        {"LDG.E.STRONG.SM", false, TRACE_CACHE_DEFAULT, TRACE_SCOPE_CTA},
        {"LDG.E.STRONG.GPU", true, TRACE_CACHE_CG, TRACE_SCOPE_GPU},
        {"LDG.E.64.STRONG.SYS", true, TRACE_CACHE_CG, TRACE_SCOPE_SYS},
        {"LD.E.CG", true, TRACE_CACHE_CG, TRACE_SCOPE_NONE},
        {"LD.E.CV", true, TRACE_CACHE_CV, TRACE_SCOPE_NONE},
        {"STG.E.STRONG.GPU", false, TRACE_CACHE_DEFAULT, TRACE_SCOPE_GPU},
        {"STG.E.SYS", false, TRACE_CACHE_DEFAULT, TRACE_SCOPE_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        const struct trace_inst inst = decode(opcodes[i].text);
        const bool is_same = inst.cache_op == opcodes[i].cache_op && inst.scope == opcodes[i].scope;
        if (!is_same || trace_load_passes_l1(&inst) != opcodes[i].passes_l1)
            fail_msg("%s: operator %u, scope %u", opcodes[i].text, inst.cache_op, inst.scope);
    }
}

static void what_passes_L1_does_so_when_it_comes_back_from_an_export(void **state)
{
    (void)state;
    for (uint8_t op = 0; op < TRACE_N_CACHE_OPS; op++)
        for (uint8_t scope = 0; scope < TRACE_N_SCOPES; scope++)
            for (uint8_t flags = 0; flags <= TRACE_VOLATILE; flags++)
                for (int volta = 0; volta < 2; volta++) {
                    const struct trace_inst from = {.cls = TRACE_LOAD,
                                                    .space = TRACE_SPACE_GLOBAL,
                                                    .bytes = 4,
                                                    .cache_op = op,
                                                    .scope = scope,
                                                    .flags = flags};
                    char text[SASS_OPCODE_MAX];
                    sass_opcode_text(text, &from, volta ? ACCELSIM_VOLTA : ACCELSIM_KEPLER);
                    const struct trace_inst back = decode(text);
                    if (trace_load_passes_l1(&back) != trace_load_passes_l1(&from))
                        fail_msg("operator %u, scope %u, flags %u: %s", op, scope, flags, text);
                }
}

static void every_opcode_of_the_table_is_found_and_widths_come_from_modifiers(void **state)
{
    (void)state;
    size_t n;
    const struct sass_opcode *rows = sass_opcodes(&n);
    for (size_t i = 0; i < n; i++)
        if (sass_opcode_find(rows[i].base, strlen(rows[i].base)) != &rows[i])
            fail_msg("%s is out of order", rows[i].base);
    assert_null(sass_opcode_find("IAD", 3));
    static const struct {
        const char *text;
        uint32_t bytes;
    } widths[] = {{"LDG.E", 4},     {"LDG.E.64", 8}, {"LD.E.128", 16},
                  {"STG.E.U16", 2}, {"LDG.E.S8", 1}, {"ATOM.E.ADD.64.STRONG.GPU", 8},
                  {"LDG.E.96", 12}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        assert_int_equal(sass_opcode_bytes(widths[i].text, strlen(widths[i].text)), widths[i].bytes);
}

/* The instruction sets that NVIDIA lists, group by group. [CUDA Binary Utilities, "Instruction Set Reference"] */
static const char volta[] =
    "FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD MUFU HADD2 HADD2_32I HFMA2 HFMA2_32I "
    "HMMA HMUL2 HMUL2_32I HSET2 HSETP2 DADD DFMA DMUL DSETP BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMMA "
    "IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 F2F F2I I2F I2I "
    "I2IP FRND MOV MOV32I PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P LD LDC LDG LDL LDS ST STG STL STS MATCH QSPC ATOM "
    "ATOMS ATOMG RED CCTL CCTLL ERRBAR MEMBAR CCTLT TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED SUST BMOV BPT BRA "
    "BREAK BRX BSSY BSYNC CALL EXIT JMP JMX KILL NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD B2R BAR CS2R DEPBAR "
    "GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID SETLMEMBASE VOTE",
                  turing[] = "BMMA MOVM LDSM R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 "
                             "ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU BRXU "
                             "JMXU",
                  ampere[] = "HMNMX2 DMMA F2FP I2FP F2IP LDGSTS LDGDEPBAR ARRIVES REDUX UF2FP";

static void assert_listed(const char *names, unsigned arch)
{
    while (*names) {
        const size_t n = strcspn(names, " ");
        const struct sass_opcode *row = sass_opcode_find(names, n);
        if (!row || !(row->archs & arch)) fail_msg("%.*s is not in the table of architecture %u", (int)n, names, arch);
        names += n + (names[n] == ' ');
    }
}

static void every_instruction_that_nvidia_lists_is_in_the_table_of_its_architecture(void **state)
{
    (void)state;
    const unsigned archs[] = {sass_arch_of(70), sass_arch_of(75), sass_arch_of(80), sass_arch_of(86)};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        assert_listed(volta, archs[i]);
        if (i > 0) assert_listed(turing, archs[i]);
        if (i > 1) assert_listed(ampere, archs[i]);
    }
}

static void tensor_uniform_and_texture_opcodes_have_classes_of_their_own(void **state)
{
    static const struct {
        const char *text;
        enum trace_class cls;
    } rows[] = {{"HMMA.16816.F32.BF16", TRACE_TENSOR},
                {"IMMA.8816.S8.S8", TRACE_TENSOR},
                {"DMMA.884", TRACE_TENSOR},
                {"BMMA.88128.POPC", TRACE_TENSOR},
                {"UIMAD.WIDE.U32", TRACE_UDP},
                {"S2UR", TRACE_UDP},
                {"REDUX.SUM", TRACE_UDP},
                {"VOTEU.ANY", TRACE_UDP},
                {"ULDC.64", TRACE_LOAD},
                {"TEX.SCR.LL", TRACE_TEXTURE},
                {"SUST.D.BA.2D", TRACE_TEXTURE},
                {"MOVM.16.MT88", TRACE_INT},
                {"HFMA2.MMA", TRACE_FP_MUL},
                {"HMNMX2", TRACE_FP}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (decode(rows[i].text).cls != rows[i].cls) fail_msg("%s: class %u", rows[i].text, decode(rows[i].text).cls);
    assert_false(trace_class_is_memory(TRACE_TENSOR) || trace_class_is_memory(TRACE_UDP) ||
                 trace_class_is_memory(TRACE_TEXTURE) || trace_class_is_memory(TRACE_EXIT));
}

/* What `trace check` refuses of a warp. */
static void a_warp_without_instructions_or_without_its_exit_is_not_imported(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {HEADER(70, 4, 0) BLOCK(0, ""), "warp 0 has no instructions"},
        {HEADER(70, 4, 0) BLOCK(1, "0000 ffffffff 1 R2 MOV 1 R4 0\n"), "warp 0 does not end with EXIT"},
        {HEADER(70, 4, 0) BLOCK(2, "0000 ffffffff 1 R2 MOV 1 R4 0\n0020 0000ffff 0 EXIT 0 0\n"), "(ffff0000)"},
        {HEADER(70, 4, 0) BLOCK(2, EXIT "0030 ffffffff 1 R2 MOV 1 R4 0\n"), "lanes of warp 0 that have ended"},
        {HEADER(70, 4, 0) BLOCK(1, "0020 ffffff 0 EXIT 0 0\n"), "8"},
        {HEADER(70, 4, 0) "#BEGIN_TB\n\nwarp = 0\ninsts = 1\n" EXIT "#END_TB\n", "'thread block = x,y,z' is needed"},
        {"-nregs = 8\n" HEADER(70, 4, 0) BLOCK(1, EXIT), "-nregs"},
        {"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 8\n-binary version = 70\n"
         "-cuda stream id = 0\n-accelsim tracer version = 4\n\n#traces format = free text\n\n" BLOCK(1, EXIT),
         "-shmem"},
        {HEADER(70, 4, 0)
             BLOCK(3, "0020 0000ffff 0 EXIT 0 0\n0030 ffff0000 1 R2 MOV 1 R4 0\n0040 ffff0000 0 EXIT 0 0\n"),
         NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = NULL;
        struct accelsim_report report;
        struct error err = {0};
        const size_t n = strlen(rows[i].text);
        assert_int_equal(rows[i].says ? -1 : 0, accelsim_check_text(&report, "k.traceg", rows[i].text, n, &err));
        assert_int_equal(rows[i].says ? -1 : 0, accelsim_import_text(&trace, "k.traceg", rows[i].text, n, NULL, &err));
        if (rows[i].says && !strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
        trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_specification_gives_3_steps_a_coalesced_load_and_a_store_of_4_lanes),
        cmocka_unit_test(the_three_address_modes_give_the_same_addresses_and_the_same_hash),
        cmocka_unit_test(versions_below_3_have_4_columns_more_and_line_information_is_one_more),
        cmocka_unit_test(generic_accesses_are_told_apart_by_address_but_global_on_kepler),
        cmocka_unit_test(opcodes_give_width_cache_operator_atomic_and_scope),
        cmocka_unit_test(loads_that_are_strong_beyond_the_SM_or_cached_in_L2_alone_pass_L1),
        cmocka_unit_test(what_passes_L1_does_so_when_it_comes_back_from_an_export),
        cmocka_unit_test(the_second_record_of_an_ldgsts_is_dropped_and_constants_need_no_address),
        cmocka_unit_test(a_wrong_line_is_told_with_file_line_and_rule),
        cmocka_unit_test(every_block_of_the_grid_comes_once_in_any_order),
        cmocka_unit_test(the_strict_checker_accepts_the_example_and_refuses_what_the_other_simulator_would_misread),
        cmocka_unit_test(a_list_gives_copies_and_kernels_in_order_and_skips_other_lines),
        cmocka_unit_test(a_limit_on_instructions_is_kept),
        cmocka_unit_test(every_opcode_of_the_table_is_found_and_widths_come_from_modifiers),
        cmocka_unit_test(every_instruction_that_nvidia_lists_is_in_the_table_of_its_architecture),
        cmocka_unit_test(tensor_uniform_and_texture_opcodes_have_classes_of_their_own),
        cmocka_unit_test(a_warp_without_instructions_or_without_its_exit_is_not_imported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
