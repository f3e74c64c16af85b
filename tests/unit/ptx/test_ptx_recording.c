#include "folder.h"
#include "ptx_rig.h"

static struct trace *trace;
static const char *file; /* NULL: it is not written */
static struct rig_device device;

/* Runs the text's first kernel, recorded; the trace is in `trace`. */
static void record(const char *text, const struct ptx_grid *grid, const void *params, size_t param_bytes)
{
    struct error err = {0};
    struct ptx_module *m = rig_module(text);
    const struct ptx_kernel *k = ptx_module_kernel(m, 0);
    const uint32_t threads = grid->block[0] * grid->block[1] * grid->block[2];
    struct trace_launch launch = {.regs_per_thread = ptx_kernel_info(k)->regs_per_thread,
                                  .n_ctas = grid->grid[0] * grid->grid[1] * grid->grid[2],
                                  .warps_per_cta = (threads + 31) / 32,
                                  .shared_bytes = ptx_kernel_info(k)->static_shared_bytes + grid->dynamic_shared_bytes,
                                  .local_bytes = ptx_kernel_info(k)->local_bytes};
    const struct trace_inst *code;
    const char *strings;
    size_t n_strings;
    struct trace_writer *writer;
    memcpy(launch.grid, grid->grid, sizeof launch.grid);
    memcpy(launch.block, grid->block, sizeof launch.block);
    ptx_kernel_code(k, &code, &launch.n_code, &strings, &n_strings, &launch.n_regs);
    assert_ok(trace_writer_new(&writer, "k", &launch, code, launch.n_code, strings, n_strings, &err), &err);
    assert_ok(ptx_run(k, grid, params, param_bytes, &device.memory, writer, 0, NULL, &err), &err);
    assert_ok(trace_writer_finish(writer, file, "{}", &trace, &err), &err);
    ptx_module_free(m);
}

static int setup(void **state)
{
    (void)state;
    rig_init(&device);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trace_close(trace);
    trace = NULL;
    rig_fini(&device);
    return 0;
}

static const char *name_of(uint32_t inst) { return trace->strings + trace->code[inst].name; }

static void every_step_has_its_lanes_and_guards_their_active_mask(void **state)
{
    (void)state;
    record(HEADER ".entry k() { .reg .b32 %r<4>; .reg .pred p;\n mov.u32 %r1, %tid.x;\n setp.lt.u32 p, %r1, 8;\n @p "
                  "mov.u32 %r2, 1;\n"
                  " @!p bra L;\n mov.u32 %r2, 2;\n @p exit;\nL:\n mov.u32 %r3, 3;\n ret;\n}",
           &(struct ptx_grid){{1, 1, 1}, {40, 1, 1}, 0}, NULL, 0);
    /* warp 0: all lanes meet again only at the end; warp 1 has lanes 0-7 (threads 32-39), none below 8 */
    const struct trace_step expect0[] = {{0, ~0u},  {1, ~0u},  {2, 0xff},       {3, ~0u},
                                         {4, 0xff}, {5, 0xff}, {6, 0xffffff00}, {7, 0xffffff00}};
    const struct trace_step expect1[] = {{0, 0xff}, {1, 0xff}, {2, 0}, {3, 0xff}, {6, 0xff}, {7, 0xff}};
    assert_int_equal(2, trace->n_warps);
    assert_int_equal(8, trace->warps[0].n_steps);
    assert_memory_equal(trace->steps + trace->warps[0].first_step, expect0, sizeof expect0);
    assert_int_equal(6, trace->warps[1].n_steps);
    assert_memory_equal(trace->steps + trace->warps[1].first_step, expect1, sizeof expect1);
    const uint32_t guards[] = {~0u, 0xff, 0xff}; /* mov and exit of warp 0, mov of warp 1 */
    assert_int_equal(3, trace->n_guards);
    assert_memory_equal(trace->guards, guards, sizeof guards);
    assert_true(trace->code[2].flags & TRACE_GUARDED);
    assert_false(trace->code[3].flags & TRACE_GUARDED); /* a branch: its mask is who reaches it */
    assert_int_equal(TRACE_BRANCH, trace->code[3].cls);
    assert_int_equal(1, trace->code[3].n_src);
}

/* Warp 0 waits for what warp 1 writes; without `waits` it does not look before that. */
#define WAITING(loop) \
    HEADER ".shared .b32 flag;\n.entry k() { .reg .b32 %r<4>; .reg .pred p, q;\n mov.u32 %r1, %tid.x;\n " \
           "st.shared.u32 [flag], 0;\n bar.sync 0;\n" \
           " setp.ge.u32 p, %r1, 32;\n @p bra W;\nL:\n ld.volatile.shared.u32 %r2, [flag];\n setp.eq.s32 q, %r2, " \
           "0;\n" loop " ret;\nW:\n st.volatile.shared.u32 [flag], 7;\n ret;\n}"

static void rounds_of_a_loop_that_only_waits_are_marked_and_come_back_from_both_forms(void **state)
{
    (void)state;
    char folder[] = "/tmp/poise-spun-XXXXXX", path[64];
    struct trace *again;
    struct error err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.ptrace", folder);
    file = path;
    record(WAITING(" @q bra L;\n"), &(struct ptx_grid){{1, 1, 1}, {64, 1, 1}, 0}, NULL, 0);
    file = NULL;
    /* mov st bar setp bra | ld setp bra, the same again, which shows that it waits, and once more when the flag is
     * there */
    assert_int_equal(5 + 3 * 3 + 1, trace->warps[0].n_steps);
    assert_int_equal(1, trace->n_spun);
    assert_int_equal(5 + 3, trace->spun[0].first);
    assert_int_equal(3, trace->spun[0].n);
    /* what it waited for: the second change of the flag, after the round that spun */
    assert_int_equal(1, trace->n_words);
    assert_true(trace->words[0].address == TRACE_SHARED_WINDOW && trace->words[0].cta == 0);
    assert_int_equal(1, trace->n_waits);
    assert_int_equal(5 + 2 * 3 - 1, trace->waits[0].step);
    assert_int_equal(3, trace->waits[0].round);
    assert_int_equal(1, trace->waits[0].count); /* the first store wrote the zero that was there */
    assert_int_equal(1, trace->n_writes);
    assert_int_equal(TRACE_STORE, trace->code[trace->steps[trace->writes[0].step].inst].cls);
    assert_true(trace->writes[0].step > trace->warps[1].first_step + 4);
    for (int form = 0; form < 3; form++) { /* at rest; decoded and kept; the kept one */
        assert_ok(trace_open(&again, path, form ? folder : NULL, &err), &err);
        assert_int_equal(1, again->n_spun);
        assert_memory_equal(trace->spun, again->spun, sizeof *trace->spun);
        assert_memory_equal(trace->hash.bytes, again->hash.bytes, sizeof trace->hash.bytes);
        trace_close(again);
    }
    trace_close(trace);
    assert_int_equal(0, folder_remove(folder));
    /* a count of the rounds is carried along: the loop does more than wait */
    record(WAITING(" add.u32 %r3, %r3, 1;\n setp.lt.and.u32 q, %r3, 50, q;\n @q bra L;\n"),
           &(struct ptx_grid){{1, 1, 1}, {64, 1, 1}, 0}, NULL, 0);
    assert_int_equal(5 + 50 * 5 + 1, trace->warps[0].n_steps);
    assert_int_equal(0, trace->n_spun);
    assert_int_equal(0, trace->n_waits + trace->n_writes + trace->n_words);
}

/* Each CTA counts itself, waits until all have come, and does so again: those that come later find more than they wait
 * for. */
static const char barriers[] =
    HEADER ".entry k(.param .u64 o) { .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred p;\n ld.param.u64 %rd1, [o];\n"
           " mov.u32 %r1, %nctaid.x;\n mov.u32 %r2, 0;\nA:\n add.u32 %r2, %r2, %r1;\n"
           " red.global.add.u32 [%rd1], 1;\nL:\n ld.volatile.global.u32 %r3, [%rd1];\n"
           " setp.lt.u32 p, %r3, %r2;\n @p bra L;\n mul.lo.u32 %r4, %r1, 3;\n"
           " setp.lt.u32 p, %r2, %r4;\n @p bra A;\n ret;\n}";

static void a_wait_asks_for_the_write_that_ended_it_and_not_for_those_that_came_before_it_was_seen(void **state)
{
    (void)state;
    enum { CTAS = 7, ROUNDS = 3 };
    const uint64_t at = rig_alloc(&device, 64, NULL);
    record(barriers, &(struct ptx_grid){{CTAS, 1, 1}, {1, 1, 1}, 0}, &at, 8);
    assert_int_equal(1, trace->n_words);
    assert_true(trace->words[0].address == at);
    assert_int_equal(CTAS * ROUNDS, trace->n_writes);
    assert_int_equal(CTAS * ROUNDS, trace->n_waits); /* also of the CTA that came last, which did not have to */
    for (uint64_t i = 0; i < trace->n_waits; i++) {
        assert_true(trace->waits[i].count == CTAS * (i % ROUNDS + 1));
        assert_int_equal(3, trace->waits[i].round);
    }
}

/* Rounds are tried with older values of the word: of 32 bits, of 64, and what a predicate says of it. */
static void registers_that_a_waiting_loop_writes_are_the_same_whether_it_is_recorded_or_not(void **state)
{
    (void)state;
    enum { CTAS = 7, WORDS = 1 + 4 * CTAS };
    static const char text[] = HEADER
        ".entry k(.param .u64 o) { .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred p, q;\n ld.param.u64 %rd1, [o];\n"
        " mov.u32 %r1, %nctaid.x;\n mov.u32 %r2, %ctaid.x;\n mul.wide.u32 %rd2, %r2, 16;\n add.u64 %rd2, %rd2, %rd1;\n"
        " mov.u32 %r2, 0;\n mov.u32 %r5, 0;\n mov.u64 %rd4, 0;\nA:\n add.u32 %r2, %r2, %r1;\n"
        " red.global.add.u32 [%rd1], 1;\nL:\n ld.volatile.global.u32 %r3, [%rd1];\n mul.wide.u32 %rd3, %r3, 3;\n"
        " setp.gt.u32 q, %r3, %r2;\n setp.lt.u32 p, %r3, %r2;\n @p bra L;\n add.u32 %r5, %r5, %r3;\n"
        " add.u64 %rd4, %rd4, %rd3;\n @q add.u32 %r6, %r6, 1;\n mul.lo.u32 %r4, %r1, 3;\n"
        " setp.lt.u32 p, %r2, %r4;\n @p bra A;\n st.global.u32 [%rd2+4], %r5;\n st.global.u32 [%rd2+8], %r6;\n"
        " cvt.u32.u64 %r7, %rd4;\n st.global.u32 [%rd2+12], %r7;\n ret;\n}";
    const uint64_t a = rig_alloc(&device, WORDS * 4, NULL), b = rig_alloc(&device, WORDS * 4, NULL);
    record(text, &(struct ptx_grid){{CTAS, 1, 1}, {1, 1, 1}, 0}, &a, 8);
    rig_run(&device, text, CTAS, 1, &b, 1);
    const uint32_t *recorded = rig_host(&device, a), *plain = rig_host(&device, b);
    uint32_t late = 0;
    for (uint32_t i = 0; i < CTAS; i++) late += plain[1 + 4 * i + 1];
    assert_true(late > 0); /* some have seen more than they waited for */
    assert_int_equal(3 * CTAS, trace->n_waits);
    assert_memory_equal(plain, recorded, WORDS * 4);
}

/* A CTA waits for the one before it, which has ended when it begins. */
static void a_wait_for_what_has_come_already_is_noted_and_a_look_at_what_nobody_waits_for_is_not(void **state)
{
    (void)state;
    const uint64_t at = rig_alloc(&device, 64, NULL);
    record(HEADER ".entry k(.param .u64 o) { .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .pred p;\n"
                  " ld.param.u64 %rd1, [o];\n mov.u32 %r1, %ctaid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"
                  " add.u64 %rd2, %rd2, %rd1;\n setp.eq.u32 p, %r1, 0;\n @p bra D;\nL:\n"
                  " ld.volatile.global.u32 %r3, [%rd2+-4];\n ld.volatile.global.u32 %r2, [%rd1+32];\n"
                  " setp.eq.s32 p, %r3, 0;\n @p bra L;\nD:\n st.volatile.global.u32 [%rd2], 5;\n"
                  " st.volatile.global.u32 [%rd2], 6;\n st.volatile.global.u32 [%rd1+32], %r1;\n ret;\n}",
           &(struct ptx_grid){{4, 1, 1}, {1, 1, 1}, 0}, &at, 8);
    assert_int_equal(0, trace->n_spun);
    assert_int_equal(3, trace->n_words);
    assert_int_equal(3, trace->n_waits);
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(trace->words[i].address == at + 4 * i);
        assert_int_equal(i, trace->waits[i].word);
        assert_int_equal(1, trace->waits[i].count); /* the second store is not needed */
        assert_int_equal(4, trace->waits[i].round);
    }
    assert_int_equal(6, trace->n_writes);
}

/* A lock taken by compare-and-swap: a try that fails writes nothing. */
static void who_waits_for_a_lock_waits_for_the_stores_that_free_it(void **state)
{
    (void)state;
    const uint64_t at = rig_alloc(&device, 64, NULL);
    record(HEADER ".entry k(.param .u64 o) { .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .pred p;\n"
                  " ld.param.u64 %rd1, [o];\n mov.u32 %r2, %tid.x;\n and.b32 %r2, %r2, 31;\n"
                  " setp.ne.u32 p, %r2, 0;\n @p exit;\nL:\n atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"
                  " setp.ne.s32 p, %r1, 0;\n @p bra L;\n nanosleep.u32 20;\n" /* others have their turn */
                  " st.volatile.global.u32 [%rd1], 0;\n ret;\n}",
           &(struct ptx_grid){{1, 1, 1}, {96, 1, 1}, 0}, &at, 8);
    uint64_t atomics = 0;
    for (uint64_t i = 0; i < trace->n_writes; i++)
        atomics += trace->code[trace->steps[trace->writes[i].step].inst].cls == TRACE_ATOMIC;
    assert_int_equal(2 * atomics, trace->n_writes); /* each time it is taken, it is freed */
    assert_int_equal(3, atomics);
    assert_int_equal(2, trace->n_waits);
    for (uint64_t i = 0; i < 2; i++) assert_int_equal(0, trace->waits[i].count % 2);
}

static void addresses_of_every_space_are_in_the_trace(void **state)
{
    (void)state;
    const uint64_t at = rig_alloc(&device, 4096, NULL);
    const struct ptx_grid grid = {{2, 1, 1}, {32, 1, 1}, 0};
    record(HEADER ".shared .b32 pad[4];\n.shared .align 8 .b8 s[256];\n.entry k(.param .u32 x, .param .u64 o) { .reg "
                  ".b32 %r<9>; .reg .b64 %rd<9>; .local .align 4 .b8 t[24];\n"
                  "st.shared.u32 [pad], 1;\n ld.param.u64 %rd1, [o];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, "
                  "8;\n add.u64 %rd3, %rd1, %rd2;\n"
                  "st.global.u32 [%rd3+4], %r1;\n ld.local.u16 %r2, [t+6];\n mov.u64 %rd4, s;\n add.u64 %rd4, %rd4, "
                  "%rd2;\n ld.shared.v2.u32 {%r3, %r4}, [%rd4];\n"
                  "{ .reg .pred p; setp.gt.u32 p, %r1, 29;\n @p ld.volatile.global.u8 %r5, [%rd1]; }\n ret; }",
           &grid, &(const struct {
               uint32_t x;
               uint64_t o;
           }){1, at},
           16);
    uint64_t a[TRACE_LANES];
    for (int warp = 0; warp < 2; warp++) {
        const uint32_t *words = trace->accesses + trace->warps[warp].first_access;
        words += trace_access_decode(words, ~0u, a);
        assert_true(a[0] == 0 && a[31] == 0); /* shared: offset in the CTA's window */
        words += trace_access_decode(words, ~0u, a);
        assert_true(a[0] == 8 && a[31] == 8); /* param: offset in the bank */
        words += trace_access_decode(words, ~0u, a);
        for (uint64_t l = 0; l < 32; l++) assert_true(a[l] == at + 8 * l + 4);
        words += trace_access_decode(words, ~0u, a); /* local: interleaved by lane, a place for each warp */
        for (uint64_t l = 0; l < 32; l++)
            assert_true(a[l] == PTX_LOCAL_WINDOW + (uint64_t)warp * 32 * 32 + 128 + 4 * l + 2);
        words += trace_access_decode(words, ~0u, a);
        for (uint64_t l = 0; l < 32; l++) assert_true(a[l] == 16 + 8 * l);
        words += trace_access_decode(words, 0xc0000000, a);
        assert_true(a[30] == at && a[31] == at);
    }
    static const struct {
        uint32_t inst;
        uint8_t cls, space, bytes;
    } rows[] = {{0, TRACE_STORE, TRACE_SPACE_SHARED, 4}, {1, TRACE_LOAD, TRACE_SPACE_PARAM, 8},
                {5, TRACE_STORE, TRACE_SPACE_GLOBAL, 4}, {6, TRACE_LOAD, TRACE_SPACE_LOCAL, 2},
                {9, TRACE_LOAD, TRACE_SPACE_SHARED, 8},  {11, TRACE_LOAD, TRACE_SPACE_GLOBAL, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct trace_inst *t = &trace->code[rows[i].inst];
        assert_int_equal(t->cls, rows[i].cls);
        assert_int_equal(t->space, rows[i].space);
        assert_int_equal(t->bytes, rows[i].bytes);
    }
    assert_int_equal(TRACE_VOLATILE | TRACE_GUARDED, trace->code[11].flags & (TRACE_VOLATILE | TRACE_GUARDED));
    assert_string_equal("ld.shared.v2.u32", name_of(9));
    assert_int_equal(2, trace->code[9].n_dst);
}

static void parameters_read_by_generic_address_are_no_global_memory(void **state)
{
    (void)state;
    const uint64_t at = rig_alloc(&device, 256, NULL);
    const struct ptx_grid grid = {{1, 1, 1}, {32, 1, 1}, 0};
    record(HEADER ".entry k(.param .u64 o, .param .align 8 .b8 s[16]) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred "
                  "p; .local .align 4 .b8 t[8];\n ld.param.u64 %rd1, [o]; mov.u64 %rd2, s; cvta.param.u64 %rd3, %rd2; "
                  "mov.u32 %r1, %tid.x; setp.gt.u32 p, %r1, 15;\n selp.b64 %rd4, %rd1, %rd3, p;\n"
                  "ld.u32 %r2, [%rd3+4];\n ld.u32 %r3, [%rd4];\n st.local.u32 [t], %r2;\n ret; }",
           &grid, &(const uint64_t[]){at, 1, 2}, 24);
    const uint32_t *words = trace->accesses + trace->warps[0].first_access;
    uint64_t a[TRACE_LANES];
    words += trace_access_decode(words, ~0u, a);
    words += trace_access_decode(words, ~0u, a); /* provably a parameter: offset in the bank */
    assert_true(a[0] == 12 && a[31] == 12);
    assert_int_equal(trace->code[6].space, TRACE_SPACE_PARAM);
    words += trace_access_decode(words, ~0u, a); /* by address: in front of local memory */
    assert_true(a[0] == PTX_LOCAL_WINDOW + 8 && a[15] == a[0] && a[16] == at && a[31] == at);
    assert_int_equal(trace->code[7].space, TRACE_SPACE_GLOBAL);
    trace_access_decode(words, ~0u, a);
    for (uint64_t l = 0; l < 32; l++) assert_true(a[l] == PTX_LOCAL_WINDOW + 65536 + 4 * l);
}

static void static_code_names_registers_blocks_and_lines(void **state)
{
    (void)state;
    record(HEADER ".entry k() {\n .reg .b32 a, b, c; .reg .b64 d; .reg .pred p;\n mov.u32 a, 1;\n mov.u32 b, a;\n "
                  "mul.wide.u32 d, a, b;\n"
                  " setp.lt.u32 p, a, b;\n @p bra L;\n mad.lo.u32 c, a, b, a;\nL: bar.sync 2, 64;\n @!p add.u32 c, c, "
                  "1;\n membar.gl;\n}",
           &(struct ptx_grid){{1, 1, 1}, {64, 1, 1}, 0}, NULL, 0);
    const struct trace_inst *t = trace->code;
    assert_int_equal(10, trace->launch.n_code);
    assert_int_equal(5, trace->launch.n_regs); /* a b d p c */
    assert_int_equal(t[0].dst[0], 0);
    assert_int_equal(t[0].n_src, 0);
    assert_int_equal(t[1].dst[0], 1);
    assert_int_equal(t[1].src[0], 0);
    assert_int_equal(t[2].dst[0], 2);
    assert_int_equal(t[2].n_src, 2);
    assert_int_equal(t[2].cls, TRACE_INT_MUL);
    assert_int_equal(t[2].line, 8);
    assert_int_equal(t[3].dst[0], 3);
    assert_int_equal(t[4].src[0], 3);
    assert_int_equal(t[5].n_src, 2); /* a once */
    assert_int_equal(t[5].src[2], TRACE_NO_REG);
    assert_int_equal(t[6].cls, TRACE_BARRIER);
    assert_int_equal(t[6].barrier, 2);
    assert_int_equal(t[6].threads, 64);
    assert_int_equal(t[7].n_src, 2); /* the guard and c */
    assert_int_equal(t[8].cls, TRACE_FENCE);
    assert_int_equal(t[8].scope, TRACE_SCOPE_GPU);
    assert_int_equal(t[9].cls, TRACE_EXIT);
    static const uint32_t blocks[10] = {0, 0, 0, 0, 0, 1, 2, 2, 2, 2};
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(t[i].pc, i);
        assert_int_equal(t[i].block, blocks[i]);
        assert_int_equal(!!(t[i].flags & TRACE_BLOCK_START), i == 0 || i == 5 || i == 6);
    }
}

static void atomics_say_whether_their_result_is_used(void **state)
{
    (void)state;
    const uint64_t at = rig_alloc(&device, 64, NULL);
    record(
        HEADER
        ".entry k(.param .u64 o) { .reg .b32 a, b; .reg .b64 d; ld.param.u64 d, [o];\n atom.global.add.u32 a, [d], 1;\n"
        " atom.global.gpu.cas.b32 b, [d], 0, 1;\n red.global.max.u32 [d], 3;\n st.global.cg.u32 [d], a; bra.uni L; L: "
        "ret; }",
        &(struct ptx_grid){{1, 1, 1}, {1, 1, 1}, 0}, &at, 8);
    const struct trace_inst *t = trace->code;
    assert_int_equal(t[1].atomic, TRACE_ATOMIC_ADD);
    assert_true(t[1].flags & TRACE_RESULT_USED);
    assert_int_equal(t[2].atomic, TRACE_ATOMIC_CAS);
    assert_int_equal(t[2].scope, TRACE_SCOPE_GPU);
    assert_false(t[2].flags & TRACE_RESULT_USED); /* b is never read */
    assert_int_equal(t[3].atomic, TRACE_ATOMIC_MAX);
    assert_int_equal(t[3].n_dst, 0);
    assert_int_equal(t[4].cache_op, TRACE_CACHE_CG);
    assert_true(t[5].flags & TRACE_UNIFORM);
}

static void classes_follow_operation_and_type(void **state)
{
    (void)state;
    static const struct {
        const char *inst;
        uint8_t cls;
    } rows[] = {{"add.s32 %r1, %r2, %r3", TRACE_INT},
                {"mul.lo.s32 %r1, %r2, %r3", TRACE_INT_MUL},
                {"div.s32 %r1, %r2, %r3", TRACE_INT_DIV},
                {"rem.u64 %rd1, %rd2, %rd3", TRACE_INT_DIV},
                {"add.f32 %f1, %f2, %f3", TRACE_FP},
                {"fma.rn.f32 %f1, %f2, %f3, %f1", TRACE_FP_MUL},
                {"div.rn.f32 %f1, %f2, %f3", TRACE_FP_DIV},
                {"sqrt.rn.f32 %f1, %f2", TRACE_FP_DIV},
                {"rcp.approx.f32 %f1, %f2", TRACE_SFU},
                {"div.approx.f32 %f1, %f2, %f3", TRACE_SFU},
                {"sin.approx.f32 %f1, %f2", TRACE_SFU},
                {"add.f64 %fd1, %fd2, %fd3", TRACE_DP},
                {"div.rn.f64 %fd1, %fd2, %fd3", TRACE_DP_DIV},
                {"cvt.rn.f32.s32 %f1, %r1", TRACE_FP},
                {"cvt.f64.f32 %fd1, %f1", TRACE_DP},
                {"cvt.s64.s32 %rd1, %r1", TRACE_INT},
                {"setp.lt.f32 %p1, %f1, %f2", TRACE_FP},
                {"selp.f32 %f1, %f2, %f3, %p1", TRACE_INT},
                {"mov.f64 %fd1, %fd2", TRACE_INT},
                {"mad.lo.cc.u32 %r1, %r2, %r3, %r4", TRACE_INT_MUL},
                {"xor.pred %p1, %p2, %p3", TRACE_INT}};
    char text[4096], body[3000] = "";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        strcat(body, rows[i].inst);
        strcat(body, ";\n");
    }
    const uint64_t at = rig_alloc(&device, 8, NULL);
    record(rig_kernel(text, sizeof text, body), &(struct ptx_grid){{1, 1, 1}, {1, 1, 1}, 0}, &at, 8);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (trace->code[2 + i].cls != rows[i].cls) fail_msg("%s: class %u", rows[i].inst, trace->code[2 + i].cls);
}

static void the_same_launch_gives_the_same_trace_and_the_address_of_host_memory_does_not_matter(void **state)
{
    (void)state;
    struct hash first = {{0}};
    char text[2000];
    rig_kernel(text, sizeof text,
               "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; "
               "st.global.u32 [%rd1], %r1;");
    for (int pass = 0; pass < 2; pass++) {
        rig_fini(&device);
        unsigned char *gap = malloc(100000); /* another place in host memory */
        rig_init(&device);
        const uint64_t at = rig_alloc(&device, 4096, NULL);
        record(text, &(struct ptx_grid){{4, 1, 1}, {250, 1, 1}, 0}, &at, 8);
        if (pass == 0) {
            first = trace->hash;
            trace_close(trace);
        } else {
            assert_memory_equal(&first, &trace->hash, sizeof first);
        }
        free(gap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_step_has_its_lanes_and_guards_their_active_mask, setup, teardown),
        cmocka_unit_test_setup_teardown(rounds_of_a_loop_that_only_waits_are_marked_and_come_back_from_both_forms,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_wait_asks_for_the_write_that_ended_it_and_not_for_those_that_came_before_it_was_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(registers_that_a_waiting_loop_writes_are_the_same_whether_it_is_recorded_or_not,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_wait_for_what_has_come_already_is_noted_and_a_look_at_what_nobody_waits_for_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(who_waits_for_a_lock_waits_for_the_stores_that_free_it, setup, teardown),
        cmocka_unit_test_setup_teardown(addresses_of_every_space_are_in_the_trace, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_read_by_generic_address_are_no_global_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(static_code_names_registers_blocks_and_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(atomics_say_whether_their_result_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(classes_follow_operation_and_type, setup, teardown),
        cmocka_unit_test_setup_teardown(
            the_same_launch_gives_the_same_trace_and_the_address_of_host_memory_does_not_matter, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
