#include "synth.h"

uint32_t rng_next(struct rng *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)(r->state >> 16);
}

unsigned synth_threads = 1;

static uint64_t rng_wide(struct rng *r) { return (uint64_t)rng_next(r) << 32 | rng_next(r); }

void synth_addresses(struct rng *r, int kind, uint64_t addresses[TRACE_LANES])
{
    const uint64_t base = rng_below(r, 4) ? 0x7f0000000000u + rng_next(r) : rng_wide(r);
    const int32_t stride = (int32_t)(rng_below(r, 3) ? rng_below(r, 300) - 150u : rng_next(r)) | 1;
    for (uint32_t l = 0; l < TRACE_LANES; l++) {
        if (kind == TRACE_ACCESS_UNIFORM) addresses[l] = base;
        if (kind == TRACE_ACCESS_STRIDED) addresses[l] = base + l * (uint64_t)(int64_t)stride;
        if (kind == TRACE_ACCESS_SCATTER32)
            addresses[l] = base + (rng_below(r, 2) ? rng_below(r, 4096) : rng_next(r) / 2);
        if (kind == TRACE_ACCESS_SCATTER64) addresses[l] = rng_wide(r);
    }
}

static struct trace_inst blank(uint32_t pc, uint8_t cls)
{
    struct trace_inst i = {.pc = pc, .line = 10 + pc, .cls = cls};
    memset(i.dst, 0xff, sizeof i.dst);
    memset(i.src, 0xff, sizeof i.src);
    return i;
}

static struct trace_writer *writer(const struct trace_launch *launch, const struct trace_inst *code, uint32_t n_code)
{
    static const char strings[] = "ld.global.f32\0fma.rn.f32\0bra";
    struct trace_writer *w;
    struct error err;
    assert_ok(trace_writer_new(&w, "synthetic", launch, code, n_code, strings, sizeof strings, &err), &err);
    trace_writer_threads(w, synth_threads);
    return w;
}

/* y[row] += a[row][k] * x[k]: a is walked with a stride of one row between lanes, x is the same for all lanes. */
static void regular_warp(struct trace_warp_buffer *b, uint32_t row, uint32_t trips)
{
    uint64_t addresses[TRACE_LANES];
    for (uint32_t i = 0; i < 4; i++) trace_record_step(b, i, UINT32_MAX);
    for (uint32_t k = 0; k < trips; k++) {
        for (uint32_t i = 4; i < 12; i++) {
            trace_record_step(b, i, i == 11 && k + 1 == trips ? 0 : UINT32_MAX);
            for (uint32_t l = 0; l < TRACE_LANES; l++)
                addresses[l] =
                    i == 5 ? 0x7f0000000000u + ((uint64_t)(row + l) * trips + k) * 4 : 0x7f0010000000u + k * 4;
            if (i == 5 || i == 6) trace_record_access(b, UINT32_MAX, addresses);
            if (i == 11) trace_record_guard(b, UINT32_MAX);
        }
    }
    trace_record_step(b, 12, UINT32_MAX);
    for (uint32_t l = 0; l < TRACE_LANES; l++) addresses[l] = 0x7f0020000000u + (uint64_t)(row + l) * 4;
    trace_record_access(b, UINT32_MAX, addresses);
    trace_record_step(b, 13, UINT32_MAX);
}

static struct trace_writer *regular_writer(uint32_t ctas)
{
    struct trace_inst code[14];
    for (uint32_t i = 0; i < 14; i++) {
        code[i] = blank(i, i == 5 || i == 6 ? TRACE_LOAD
                           : i == 11        ? TRACE_BRANCH
                           : i == 12        ? TRACE_STORE
                           : i == 13        ? TRACE_EXIT
                                            : TRACE_FP_MUL);
        code[i].flags = i == 11 ? TRACE_GUARDED : 0;
        if (i == 5 || i == 6 || i == 12) {
            code[i].space = TRACE_SPACE_GLOBAL;
            code[i].bytes = 4;
        }
    }
    const struct trace_launch launch = {
        .grid = {ctas, 1, 1}, .block = {256, 1, 1}, .regs_per_thread = 20, .n_regs = 40};
    return writer(&launch, code, 14);
}

struct trace_writer *synth_regular_together(uint32_t ctas, uint32_t trips)
{
    struct trace_writer *w = regular_writer(ctas);
    struct trace_warp_buffer **buffers = calloc(ctas, sizeof *buffers);
    struct error err;
    assert_non_null(buffers);
    for (uint32_t c = 0; c < ctas; c++) assert_non_null(buffers[c] = trace_writer_buffers(w));
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t c = ctas; c-- > 0;) regular_warp(&buffers[c][i], (c * 8 + i) * 32, trips);
    for (uint32_t c = 0; c < ctas; c++) assert_ok(trace_writer_cta_put(w, buffers[c], &err), &err);
    struct trace_warp_buffer *left = trace_writer_buffers(w); /* some that are given back without a CTA */
    regular_warp(&left[7], 0, trips);
    trace_writer_buffers_free(w, left);
    free(buffers);
    return w;
}

struct trace_writer *synth_regular(uint32_t ctas, uint32_t trips)
{
    struct trace_writer *w = regular_writer(ctas);
    struct error err;
    for (uint32_t c = 0; c < ctas; c++) {
        struct trace_warp_buffer *warps = trace_writer_cta_begin(w);
        for (uint32_t i = 0; i < 8; i++) regular_warp(&warps[i], (c * 8 + i) * 32, trips);
        assert_ok(trace_writer_cta_end(w, &err), &err);
    }
    return w;
}

static void random_warp(struct rng *r, struct trace_warp_buffer *b, const struct trace_inst *code, uint32_t n_code,
                        uint32_t lanes)
{
    uint64_t addresses[TRACE_LANES];
    const uint32_t n = rng_below(r, 200);
    for (uint32_t s = 0; s < n; s++) {
        const uint32_t inst = rng_below(r, n_code), active = rng_below(r, 3) ? lanes : rng_next(r) & lanes;
        const bool guarded = code[inst].flags & TRACE_GUARDED;
        const uint32_t mask = guarded && rng_below(r, 2) ? active & rng_next(r) : active;
        trace_record_step(b, inst, mask);
        if (guarded) trace_record_guard(b, active);
        if (!trace_class_is_memory(code[inst].cls) || mask == 0) continue;
        synth_addresses(r, (int)rng_below(r, 4), addresses);
        trace_record_access(b, mask, addresses);
    }
}

struct trace_writer *synth_random(uint64_t seed) { return synth_random_of(seed, 1); }

struct trace_writer *synth_random_of(uint64_t seed, uint32_t times)
{
    struct rng r = {seed * 0x9e3779b97f4a7c15u + 1};
    struct trace_inst code[64];
    struct error err;
    const uint32_t n_code = 1 + rng_below(&r, 64), n_regs = 1 + rng_below(&r, 100), threads = 1 + rng_below(&r, 200);
    for (uint32_t i = 0; i < n_code; i++) {
        code[i] = blank(i, (uint8_t)rng_below(&r, TRACE_N_CLASSES));
        code[i].name = rng_below(&r, 20);
        code[i].flags = (uint8_t)rng_below(&r, TRACE_FLAGS_ALL + 1);
        code[i].n_dst = (uint8_t)rng_below(&r, TRACE_MAX_DST + 1);
        for (uint32_t k = 0; k < code[i].n_dst; k++) code[i].dst[k] = (uint16_t)rng_below(&r, n_regs);
        code[i].space = (uint8_t)(1 + rng_below(&r, TRACE_N_SPACES - 1));
        code[i].bytes = (uint8_t)(1 << rng_below(&r, 5));
    }
    const struct trace_launch launch = {
        .grid = {times * (1 + rng_below(&r, 3)), 1 + rng_below(&r, 2), 1}, .block = {threads, 1, 1}, .n_regs = n_regs};
    struct trace_writer *w = writer(&launch, code, n_code);
    for (uint32_t c = 0; c < launch.grid[0] * launch.grid[1]; c++) {
        struct trace_warp_buffer *warps = trace_writer_cta_begin(w);
        for (uint32_t i = 0; i * 32 < threads; i++) {
            const uint32_t lanes = threads - i * 32 >= 32 ? UINT32_MAX : (1u << (threads - i * 32)) - 1;
            random_warp(&r, &warps[i], code, n_code, lanes);
        }
        assert_ok(trace_writer_cta_end(w, &err), &err);
    }
    return w;
}

struct trace *synth_finish(struct trace_writer *w, const char *path, const char *provenance)
{
    struct trace *t;
    struct error err;
    assert_ok(trace_writer_finish(w, path, provenance, &t, &err), &err);
    return t;
}

void assert_same_content(const struct trace *a, const struct trace *b)
{
    assert_memory_equal(&a->launch, &b->launch, sizeof a->launch);
    assert_memory_equal(a->hash.bytes, b->hash.bytes, sizeof a->hash.bytes);
    assert_int_equal(a->n_strings, b->n_strings);
    assert_int_equal(a->n_warps, b->n_warps);
    assert_int_equal(a->n_steps, b->n_steps);
    assert_int_equal(a->n_accesses, b->n_accesses);
    assert_int_equal(a->n_guards, b->n_guards);
    assert_memory_equal(a->code, b->code, a->launch.n_code * sizeof *a->code);
    assert_memory_equal(a->strings, b->strings, a->n_strings);
    assert_memory_equal(a->warps, b->warps, a->n_warps * sizeof *a->warps);
    if (a->n_steps) assert_memory_equal(a->steps, b->steps, a->n_steps * sizeof *a->steps);
    if (a->n_accesses) assert_memory_equal(a->accesses, b->accesses, a->n_accesses * sizeof *a->accesses);
    if (a->n_guards) assert_memory_equal(a->guards, b->guards, a->n_guards * sizeof *a->guards);
}
