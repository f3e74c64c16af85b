/* What becomes of recorded PTX (sim/gpu/sass): each pass by itself on small kernels of one warp. */
#include "poise/sass.h"

#include <stdlib.h>
#include <string.h>
#include "config/params.h"
#include "rig.h"

enum { REGS = 64, CODE_MOST = 64 };
/* A kernel in the making: instructions with their texts, and the steps of its only warp. */
struct kernel {
    struct trace_inst code[CODE_MOST];
    uint32_t n_code;
    char strings[4096];
    size_t n_strings;
    struct trace_writer *writer;
    struct trace_warp_buffer *warp;
    struct trace *trace;
};

static struct trace_inst *put(struct kernel *k, const char *text, enum trace_class cls)
{
    struct trace_inst *i = &k->code[k->n_code];
    *i = (struct trace_inst){.pc = k->n_code++, .name = (uint32_t)k->n_strings, .cls = (uint8_t)cls};
    memset(i->dst, 0xff, sizeof i->dst);
    memset(i->src, 0xff, sizeof i->src);
    strcpy(k->strings + k->n_strings, text);
    k->n_strings += strlen(text) + 1;
    return i;
}

/* dst and up to three sources; -1: none. */
static struct trace_inst *op(struct kernel *k, const char *text, enum trace_class cls, int dst, int a, int b, int c)
{
    struct trace_inst *i = put(k, text, cls);
    const int src[] = {a, b, c};
    if (dst >= 0) i->dst[i->n_dst++] = (uint16_t)dst;
    for (int s = 0; s < 3; s++)
        if (src[s] >= 0) i->src[i->n_src++] = (uint16_t)src[s];
    return i;
}

static struct trace_inst *load(struct kernel *k, const char *text, enum trace_space space, int dst, int address)
{
    struct trace_inst *i = op(k, text, TRACE_LOAD, dst, address, -1, -1);
    i->space = (uint8_t)space;
    i->bytes = 4;
    return i;
}

static void begin(struct kernel *k)
{
    struct error err = {0};
    const struct trace_launch launch = {.grid = {1, 1, 1},
                                        .block = {32, 1, 1},
                                        .regs_per_thread = 32,
                                        .n_ctas = 1,
                                        .warps_per_cta = 1,
                                        .n_regs = REGS,
                                        .n_code = k->n_code};
    k->code[0].flags |= TRACE_BLOCK_START;
    for (uint32_t i = 0, block = 0; i < k->n_code; i++) {
        block += i && k->code[i].flags & TRACE_BLOCK_START;
        k->code[i].block = block;
    }
    assert_int_equal(trace_writer_new(&k->writer, "k", &launch, k->code, k->n_code, k->strings, k->n_strings, &err), 0);
    k->warp = trace_writer_cta_begin(k->writer);
    assert_non_null(k->warp);
}

/* The instruction is executed by all lanes; an access of lane l is at address + l * stride. */
static void step(struct kernel *k, uint32_t inst, uint64_t address, uint64_t stride)
{
    uint64_t at[TRACE_LANES];
    for (uint32_t l = 0; l < TRACE_LANES; l++) at[l] = address + l * stride;
    trace_record_step(k->warp, inst, UINT32_MAX);
    if (trace_class_is_memory(k->code[inst].cls)) trace_record_access(k->warp, UINT32_MAX, at);
}

static void end(struct kernel *k)
{
    struct error err = {0};
    assert_int_equal(trace_writer_cta_end(k->writer, &err), 0);
    assert_int_equal(trace_writer_finish(k->writer, NULL, "{}", &k->trace, &err), 0);
}

/* Steps as these passes leave them, copied, with their code. */
struct result {
    struct trace_step steps[512];
    struct trace_inst code[1024];
    uint32_t words[4096];
    uint64_t n;
    bool on_fma[1024];
    bool is_off;
};

static void apply(struct kernel *k, struct sass_params passes, struct result *out)
{
    struct error err = {0};
    struct gpu_params *params = gpu_params_new();
    struct sass *sass;
    struct sass_warp warp;
    uint32_t n, n_regs;
    params->sass = passes;
    assert_int_equal(sass_new(&sass, k->trace, params, &err), 0);
    gpu_params_free(params);
    *out = (struct result){.is_off = !sass};
    if (!sass) return;
    const struct trace_inst *code = sass_code(sass, &n, &n_regs);
    assert_int_equal(sass_read_warp(sass, &k->trace->warps[0], &warp, &err), 0);
    assert_true(warp.n_steps <= 512 && n <= 1024);
    memcpy(out->steps, warp.steps, warp.n_steps * sizeof *warp.steps);
    memcpy(out->code, code, n * sizeof *code);
    memcpy(out->words, warp.accesses, sizeof(uint32_t) * 64);
    for (uint32_t i = 0; i < n; i++) out->on_fma[i] = sass_on_fma(sass, i);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; d < code[i].n_dst; d++)
            assert_true(code[i].dst[d] < n_regs || code[i].dst[d] == UINT16_MAX);
    out->n = warp.n_steps;
    sass_free(sass);
}

static const struct trace_inst *at(const struct result *r, uint64_t step) { return &r->code[r->steps[step].inst]; }

static uint32_t count(const struct result *r, enum trace_class cls)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < r->n; i++) n += at(r, i)->cls == cls;
    return n;
}

static void done(struct kernel *k) { trace_close(k->trace); }

/* Four loads of neighbouring words behind one register, their sum, and the end. */
static void four_loads(struct kernel *k, enum trace_space space, const char *text)
{
    for (int i = 0; i < 4; i++) load(k, text, space, 10 + i, 1);
    op(k, "add.f32", TRACE_FP, 20, 10, 11, -1);
    op(k, "fma.rn.f32", TRACE_FP_MUL, 21, 20, 12, 13);
    struct trace_inst *store = op(k, "st.global.f32", TRACE_STORE, -1, 2, 21, -1);
    store->space = TRACE_SPACE_GLOBAL;
    store->bytes = 4;
    put(k, "exit", TRACE_EXIT);
}

static void run_four(struct kernel *k, uint64_t address, uint64_t stride)
{
    for (uint32_t i = 0; i < 4; i++) step(k, i, address + 4 * i, stride);
    for (uint32_t i = 4; i < 8; i++) step(k, i, 0x10000, 4);
}

static uint32_t loads_of(enum trace_space space, uint64_t address, uint64_t stride, uint32_t merge, struct result *out)
{
    struct kernel k = {0};
    four_loads(&k, space, "ld.f32");
    begin(&k);
    run_four(&k, address, stride);
    end(&k);
    apply(&k, (struct sass_params){.merge = merge}, out);
    done(&k);
    return count(out, TRACE_LOAD);
}

static void test_neighbouring_words_are_one_access_where_they_are_aligned(void **state)
{
    static struct result r;
    (void)state;
    assert_int_equal(loads_of(TRACE_SPACE_SHARED, 64, 16, SASS_MERGES_KNOWN, &r), 1);
    assert_int_equal(at(&r, 0)->bytes, 16);
    assert_int_equal(at(&r, 0)->n_dst, 4);
    assert_int_equal(r.words[1], 64); /* at the lowest of their addresses */
    assert_int_equal(loads_of(TRACE_SPACE_SHARED, 64, 8, SASS_MERGES_KNOWN, &r), 2); /* lanes 8 bytes apart: 64 bits */
    assert_int_equal(at(&r, 0)->bytes, 8);
    assert_int_equal(loads_of(TRACE_SPACE_SHARED, 68, 0, SASS_MERGES_KNOWN, &r), 3); /* 4, 8 and 4 */
    assert_int_equal(loads_of(TRACE_SPACE_SHARED, 64, 4, SASS_MERGES_KNOWN, &r), 4);
    assert_int_equal(loads_of(TRACE_SPACE_CONST, 64, 0, SASS_MERGES_KNOWN, &r), 2);   /* constants: 64 bits at most */
    assert_int_equal(loads_of(TRACE_SPACE_GLOBAL, 64, 16, SASS_MERGES_KNOWN, &r), 4); /* a pointer: ptxas cannot know */
    assert_int_equal(loads_of(TRACE_SPACE_GLOBAL, 64, 16, SASS_MERGES_ALL, &r), 1);
}

static void test_a_store_between_keeps_loads_apart(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    load(&k, "ld.shared.f32", TRACE_SPACE_SHARED, 10, 1);
    struct trace_inst *store = op(&k, "st.shared.f32", TRACE_STORE, -1, 3, 10, -1);
    store->space = TRACE_SPACE_SHARED;
    store->bytes = 4;
    load(&k, "ld.shared.f32", TRACE_SPACE_SHARED, 11, 1);
    put(&k, "exit", TRACE_EXIT);
    begin(&k);
    step(&k, 0, 64, 8), step(&k, 1, 1024, 4), step(&k, 2, 68, 8), step(&k, 3, 0, 0);
    end(&k);
    apply(&k, (struct sass_params){.merge = SASS_MERGES_KNOWN, .schedule = true}, &r);
    assert_int_equal(count(&r, TRACE_LOAD), 2);
    assert_int_equal(at(&r, 0)->cls, TRACE_LOAD);
    assert_int_equal(at(&r, 1)->cls, TRACE_STORE);
    done(&k);
}

/* More often than is looked at they are neighbours; then, once, they are not. */
static void test_accesses_that_lie_apart_this_time_are_made_apart(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    load(&k, "ld.shared.f32", TRACE_SPACE_SHARED, 10, 1);
    load(&k, "ld.shared.f32", TRACE_SPACE_SHARED, 11, 1);
    op(&k, "bra", TRACE_BRANCH, -1, 5, -1, -1);
    put(&k, "exit", TRACE_EXIT)->flags |= TRACE_BLOCK_START;
    begin(&k);
    for (uint32_t i = 0; i < 40; i++) step(&k, 0, 64, 8), step(&k, 1, i < 39 ? 68 : 96, 8), step(&k, 2, 0, 0);
    step(&k, 3, 0, 0);
    end(&k);
    apply(&k, (struct sass_params){.merge = SASS_MERGES_KNOWN}, &r);
    assert_int_equal(count(&r, TRACE_LOAD), 39 + 2);
    assert_int_equal(count(&r, TRACE_BRANCH), 40);
    done(&k);
}

static void test_moves_parameters_and_constants_of_addresses_cost_nothing(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    load(&k, "ld.param.u64", TRACE_SPACE_PARAM, 1, -1);
    op(&k, "cvta.to.global.u64", TRACE_INT, 2, 1, -1, -1);
    op(&k, "mul.wide.s32", TRACE_INT_MUL, 3, 9, -1, -1);
    op(&k, "add.s64", TRACE_INT, 4, 2, 3, -1); /* with the product: one multiply-add */
    load(&k, "ld.global.f32", TRACE_SPACE_GLOBAL, 10, 4);
    op(&k, "add.s64", TRACE_INT, 5, 4, -1, -1); /* a constant of the next address */
    load(&k, "ld.global.f32", TRACE_SPACE_GLOBAL, 11, 5);
    op(&k, "add.f32", TRACE_FP, 12, 10, 11, -1);
    struct trace_inst *store = op(&k, "st.global.f32", TRACE_STORE, -1, 5, 12, -1);
    store->space = TRACE_SPACE_GLOBAL;
    store->bytes = 4;
    put(&k, "exit", TRACE_EXIT);
    begin(&k);
    for (uint32_t i = 0; i < k.n_code; i++) step(&k, i, 4096, 4);
    end(&k);
    apply(&k, (struct sass_params){.fold = true}, &r);
    const uint8_t classes[] = {TRACE_INT_MUL, TRACE_LOAD, TRACE_LOAD, TRACE_FP, TRACE_STORE, TRACE_EXIT};
    assert_int_equal(r.n, sizeof classes);
    for (uint32_t i = 0; i < r.n; i++) assert_int_equal(at(&r, i)->cls, classes[i]);
    assert_int_equal(at(&r, 2)->src[0], at(&r, 1)->src[0]); /* both behind one register */
    done(&k);
}

static void test_rounds_of_a_loop_that_counts_are_one_block(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    op(&k, "mov.u32", TRACE_INT, 1, -1, -1, -1);
    load(&k, "ld.shared.f32", TRACE_SPACE_SHARED, 10, 1)->flags |= TRACE_BLOCK_START;
    op(&k, "fma.rn.f32", TRACE_FP_MUL, 20, 10, 20, -1);
    op(&k, "add.s32", TRACE_INT, 1, 1, -1, -1);
    op(&k, "setp.ne.s32", TRACE_INT, 2, 1, -1, -1);
    op(&k, "bra", TRACE_BRANCH, -1, 2, -1, -1);
    put(&k, "exit", TRACE_EXIT)->flags |= TRACE_BLOCK_START;
    begin(&k);
    step(&k, 0, 0, 0);
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t i = 1; i < 6; i++) step(&k, i, 4 * round, 0);
    step(&k, 6, 0, 0);
    end(&k);
    apply(&k, (struct sass_params){.fold = true, .unroll = true, .merge = SASS_MERGES_KNOWN, .schedule = true}, &r);
    assert_int_equal(count(&r, TRACE_BRANCH), 1);
    assert_int_equal(count(&r, TRACE_FP_MUL), 4);
    assert_int_equal(count(&r, TRACE_LOAD), 1);    /* 128 bits of four rounds */
    assert_int_equal(count(&r, TRACE_INT), 1 + 2); /* the first move, and counter and comparison once */
    apply(&k, (struct sass_params){.fold = true}, &r);
    assert_int_equal(count(&r, TRACE_BRANCH), 4);
    done(&k);
}

static void test_a_division_is_what_ptxas_makes_of_it(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    op(&k, "rem.s32", TRACE_INT_DIV, 3, 1, 2, -1);
    op(&k, "rcp.rn.f64", TRACE_DP_DIV, 4, 5, -1, -1);
    op(&k, "add.s64", TRACE_INT, 6, 7, 8, -1);
    put(&k, "exit", TRACE_EXIT);
    begin(&k);
    for (uint32_t i = 0; i < 4; i++) step(&k, i, 0, 0);
    end(&k);
    apply(&k, (struct sass_params){.expand = true}, &r);
    assert_int_equal(count(&r, TRACE_INT_DIV) + count(&r, TRACE_DP_DIV), 0);
    assert_int_equal(count(&r, TRACE_SFU), 3 + 1); /* I2F, MUFU.RCP, F2I; MUFU.RCP64H */
    assert_int_equal(count(&r, TRACE_DP), 5);
    /* each waits for the one before */
    assert_int_equal(at(&r, r.n - 2)->src[at(&r, r.n - 2)->n_src - 1], at(&r, r.n - 3)->dst[0]);
    done(&k);
}

/* ---- the order keeps what is computed ---- */

/* Registers as hashes of how they were made: what a load reads is known by its address. */
static void evaluate(const struct trace_inst *code, const struct trace_step *steps, uint64_t n, const char *strings,
                     uint64_t values[2 * REGS])
{
    for (uint32_t i = 0; i < 2 * REGS; i++) values[i] = i + 1;
    for (uint64_t i = 0; i < n; i++) {
        const struct trace_inst *inst = &code[steps[i].inst];
        uint64_t hash = inst->line;
        for (const char *c = strings + inst->name; *c; c++) hash = hash * 31 + (uint64_t)*c;
        for (uint32_t k = 0; k < inst->n_src; k++) hash = hash * 1000003 + values[inst->src[k]];
        for (uint32_t k = 0; k < inst->n_dst; k++) values[inst->dst[k]] = hash + k;
    }
}

static void test_a_schedule_computes_the_same(void **state)
{
    static struct result r;
    uint64_t before[2 * REGS], after[2 * REGS];
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        struct kernel k = {0};
        uint32_t x = seed * 2654435761u;
        for (uint32_t i = 0; i < 40; i++) {
            x = x * 1664525 + 1013904223;
            const int dst = (int)(x >> 8 & 7), a = (int)(x >> 12 & 7), b = (int)(x >> 16 & 7);
            const uint32_t kind = x >> 20 & 7;
            struct trace_inst *inst = kind < 2    ? load(&k, "ld.shared.f32", TRACE_SPACE_SHARED, dst, a)
                                      : kind == 2 ? op(&k, "st.shared.f32", TRACE_STORE, -1, a, b, -1)
                                                  : op(&k, "fma.rn.f32", TRACE_FP_MUL, dst, a, b, -1);
            if (kind == 2) inst->space = TRACE_SPACE_SHARED, inst->bytes = 4;
            inst->line = i;
            if (kind == 7) op(&k, "bar.sync", TRACE_BARRIER, -1, -1, -1, -1);
        }
        for (int d = 0; d < 8; d++) op(&k, "mov.f32", TRACE_INT, 40 + d, d, -1, -1)->flags |= d ? 0 : TRACE_BLOCK_START;
        put(&k, "exit", TRACE_EXIT);
        begin(&k);
        for (uint32_t i = 0; i < k.n_code; i++) step(&k, i, 4 * i, 0);
        end(&k);
        apply(&k, (struct sass_params){.schedule = true}, &r);
        assert_int_equal(r.n, k.trace->n_steps);
        evaluate(k.trace->code, k.trace->steps, k.trace->n_steps, k.trace->strings, before);
        evaluate(r.code, r.steps, r.n, k.trace->strings, after);
        for (uint32_t d = 0; d < 8; d++) assert_true(before[d] == after[d]);
        done(&k);
    }
}

static void test_a_load_is_issued_before_arithmetic_that_does_not_wait_for_it(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    for (int i = 0; i < 4; i++) op(&k, "fma.rn.f32", TRACE_FP_MUL, 10, 10, 11, -1);
    load(&k, "ld.global.f32", TRACE_SPACE_GLOBAL, 12, 1);
    op(&k, "add.f32", TRACE_FP, 13, 12, 10, -1);
    put(&k, "exit", TRACE_EXIT);
    begin(&k);
    for (uint32_t i = 0; i < 7; i++) step(&k, i, 4096, 4);
    end(&k);
    apply(&k, (struct sass_params){.schedule = true}, &r);
    assert_int_equal(at(&r, 0)->cls, TRACE_LOAD);
    assert_int_equal(at(&r, 6)->cls, TRACE_EXIT);
    done(&k);
}

static void test_the_multiply_add_pipe_takes_sums_while_the_other_is_busy(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    for (int i = 0; i < 4; i++) op(&k, "add.s32", TRACE_INT, 10 + i, 1, 2, -1);
    op(&k, "mul.lo.s32", TRACE_INT_MUL, 20, 1, 2, -1);
    put(&k, "exit", TRACE_EXIT);
    begin(&k);
    for (uint32_t i = 0; i < 6; i++) step(&k, i, 0, 0);
    end(&k);
    apply(&k, (struct sass_params){.balance = true}, &r);
    const bool shares[] = {false, true, false, true, true, false};
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(r.on_fma[r.steps[i].inst], shares[i]);
    done(&k);
}

static void test_code_of_another_instruction_set_stays(void **state)
{
    static struct result r;
    struct kernel k = {0};
    (void)state;
    op(&k, "IADD3", TRACE_INT, 1, 2, 3, -1);
    put(&k, "EXIT", TRACE_EXIT);
    begin(&k);
    step(&k, 0, 0, 0), step(&k, 1, 0, 0);
    end(&k);
    apply(&k, (struct sass_params){.fold = true, .schedule = true}, &r);
    assert_true(r.is_off);
    done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbouring_words_are_one_access_where_they_are_aligned),
        cmocka_unit_test(test_a_store_between_keeps_loads_apart),
        cmocka_unit_test(test_accesses_that_lie_apart_this_time_are_made_apart),
        cmocka_unit_test(test_moves_parameters_and_constants_of_addresses_cost_nothing),
        cmocka_unit_test(test_rounds_of_a_loop_that_counts_are_one_block),
        cmocka_unit_test(test_a_division_is_what_ptxas_makes_of_it),
        cmocka_unit_test(test_a_schedule_computes_the_same),
        cmocka_unit_test(test_a_load_is_issued_before_arithmetic_that_does_not_wait_for_it),
        cmocka_unit_test(test_the_multiply_add_pipe_takes_sums_while_the_other_is_busy),
        cmocka_unit_test(test_code_of_another_instruction_set_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
