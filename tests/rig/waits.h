/* Traces whose warps wait for each other, step by step: tests/unit/trace and tests/unit/gpu. */
#ifndef POISE_RIG_WAITS_H
#define POISE_RIG_WAITS_H
#include "rig.h"
#include "poise/trace.h"

enum waits_inst { W_ALU, W_POLL, W_BRANCH, W_STORE, W_ATOMIC, W_EXIT, W_LOAD, W_POLL_SHARED, W_STORE_SHARED, W_INSTS };
enum { WAITS_MOST = 4096, W_SHARED = 1000 }; /* words from W_SHARED on are of the CTA's shared memory */
#define W_BASE 0x7f0000000000ull
struct waits_rig {
    struct trace_writer *writer;
    struct trace_warp_buffer *buffers, *b; /* of the CTA, of the warp in hand */
    uint32_t ctas, warps, cta;             /* warps: of a CTA */
    struct {
        uint64_t warp, step, count;
        uint32_t word, cta, round;
    } waits[WAITS_MOST], writes[WAITS_MOST];
    uint32_t n_waits, n_writes;
};

static inline void waits_begin(struct waits_rig *r, uint32_t ctas, uint32_t warps, uint32_t shared_bytes)
{
    static const struct {
        uint8_t cls, space, flags, n_dst, n_src;
    } rows[W_INSTS] = {[W_ALU] = {.cls = TRACE_INT, .n_dst = 1, .n_src = 1},
                       [W_POLL] = {TRACE_LOAD, TRACE_SPACE_GLOBAL, TRACE_VOLATILE, 1, 0},
                       [W_BRANCH] = {.cls = TRACE_BRANCH, .n_src = 1},
                       [W_STORE] = {TRACE_STORE, TRACE_SPACE_GLOBAL, TRACE_VOLATILE, 0, 1},
                       [W_ATOMIC] = {TRACE_ATOMIC, TRACE_SPACE_GLOBAL, 0, 0, 1},
                       [W_EXIT] = {.cls = TRACE_EXIT},
                       [W_LOAD] = {TRACE_LOAD, TRACE_SPACE_GLOBAL, 0, 1, 1},
                       [W_POLL_SHARED] = {TRACE_LOAD, TRACE_SPACE_SHARED, TRACE_VOLATILE, 1, 0},
                       [W_STORE_SHARED] = {TRACE_STORE, TRACE_SPACE_SHARED, TRACE_VOLATILE, 0, 1}};
    const struct trace_launch launch = {.grid = {ctas, 1, 1},
                                        .block = {32 * warps, 1, 1},
                                        .regs_per_thread = 16,
                                        .shared_bytes = shared_bytes,
                                        .n_regs = 1};
    struct trace_inst code[W_INSTS];
    struct error err;
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < W_INSTS; i++) {
        code[i] = (struct trace_inst){.pc = i, .cls = rows[i].cls, .space = rows[i].space, .flags = rows[i].flags};
        code[i].bytes = rows[i].space ? 4 : 0;
        code[i].atomic = rows[i].cls == TRACE_ATOMIC ? TRACE_ATOMIC_ADD : TRACE_ATOMIC_NONE;
        code[i].n_dst = rows[i].n_dst;
        code[i].n_src = rows[i].n_src;
        memset(code[i].dst, 0xff, sizeof code[i].dst);
        memset(code[i].src, 0xff, sizeof code[i].src);
        if (rows[i].n_dst) code[i].dst[0] = 0;
        if (rows[i].n_src) code[i].src[0] = 0;
    }
    r->ctas = ctas;
    r->warps = warps;
    assert_ok(trace_writer_new(&r->writer, "waits", &launch, code, W_INSTS, "x", 2, &err), &err);
}

/* The next CTA; its warps are recorded one after another. */
static inline void waits_cta(struct waits_rig *r, uint32_t cta)
{
    r->cta = cta;
    r->buffers = trace_writer_cta_begin(r->writer);
    r->b = r->buffers;
}

static inline void waits_warp(struct waits_rig *r, uint32_t warp) { r->b = &r->buffers[warp]; }

static inline void waits_step(struct waits_rig *r, enum waits_inst inst) { trace_record_step(r->b, inst, UINT32_MAX); }

static inline void waits_access(struct waits_rig *r, enum waits_inst inst, uint64_t address)
{
    uint64_t addresses[TRACE_LANES];
    for (int l = 0; l < TRACE_LANES; l++) addresses[l] = address;
    waits_step(r, inst);
    trace_record_access(r->b, UINT32_MAX, addresses);
}

static inline uint64_t waits_warp_number(const struct waits_rig *r)
{
    return (uint64_t)r->cta * r->warps + (uint64_t)(r->b - r->buffers);
}

/* n instructions, each of which waits for the one before. */
static inline void waits_alu(struct waits_rig *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) waits_step(r, W_ALU);
}

static inline uint64_t waits_address(uint32_t word)
{
    return word >= W_SHARED ? (uint64_t)(word - W_SHARED) * 4 : W_BASE + (uint64_t)word * 4;
}

/* A counted write to a word. */
static inline void waits_write(struct waits_rig *r, enum waits_inst inst, uint32_t word)
{
    waits_access(r, inst, waits_address(word));
    r->writes[r->n_writes].warp = waits_warp_number(r);
    r->writes[r->n_writes].step = r->b->n_steps - 1;
    r->writes[r->n_writes].cta = r->cta;
    r->writes[r->n_writes++].word = word;
}

static inline void waits_round(struct waits_rig *r, uint32_t word)
{
    waits_access(r, word >= W_SHARED ? W_POLL_SHARED : W_POLL, waits_address(word));
    waits_step(r, W_ALU);
    waits_step(r, W_BRANCH);
}

/* A loop that waits until the word has been written `count` times. `spun`: rounds that were recorded of it besides the
 * first and the last; 0: the first was the last. */
static inline void waits_wait(struct waits_rig *r, uint32_t word, uint64_t count, uint32_t spun)
{
    waits_round(r, word);
    for (uint32_t i = 0; i < spun; i++) {
        waits_round(r, word);
        trace_record_spun(r->b, 3);
    }
    r->waits[r->n_waits].warp = waits_warp_number(r);
    r->waits[r->n_waits].step = r->b->n_steps - 1;
    r->waits[r->n_waits].count = count;
    r->waits[r->n_waits].cta = r->cta;
    r->waits[r->n_waits].round = 3;
    r->waits[r->n_waits++].word = word;
    if (spun) waits_round(r, word);
}

static inline void waits_cta_end(struct waits_rig *r)
{
    struct error err;
    for (uint32_t i = 0; i < r->warps; i++) trace_record_step(&r->buffers[i], W_EXIT, UINT32_MAX);
    assert_ok(trace_writer_cta_end(r->writer, &err), &err);
}

static inline uint32_t waits_word(struct trace_waited *x, uint32_t word, uint32_t cta)
{
    const bool is_shared = word >= W_SHARED;
    const uint64_t address = (is_shared ? TRACE_SHARED_WINDOW : 0) + waits_address(word);
    uint32_t i = 0;
    cta = is_shared ? cta : 0;
    while (i < x->n_words && (x->words[i].address != address || x->words[i].cta != cta)) i++;
    if (i == x->n_words) x->words[x->n_words++] = (struct trace_word){address, cta, 0};
    return i;
}

/* Words are named in the order of the writes: a test that wants them in order writes them so. */
static inline struct trace_waited waits_list(struct waits_rig *r)
{
    struct trace_waited x = {0};
    x.words = calloc(r->n_writes + r->n_waits + 1, sizeof *x.words);
    x.waits = calloc(r->n_waits + 1, sizeof *x.waits);
    x.writes = calloc(r->n_writes + 1, sizeof *x.writes);
    for (uint32_t i = 0; i < r->n_writes; i++)
        x.writes[x.n_writes++] =
            (struct trace_write){trace_writer_first_step(r->writer, r->writes[i].warp) + r->writes[i].step,
                                 waits_word(&x, r->writes[i].word, r->writes[i].cta), 0};
    for (uint32_t i = 0; i < r->n_waits; i++)
        x.waits[x.n_waits++] = (struct trace_wait){
            trace_writer_first_step(r->writer, r->waits[i].warp) + r->waits[i].step, r->waits[i].count,
            waits_word(&x, r->waits[i].word, r->waits[i].cta), r->waits[i].round};
    return x;
}

/* with_waits: else as if nothing were known of what was waited for. */
static inline struct trace *waits_finish(struct waits_rig *r, bool with_waits, const char *path)
{
    struct trace *t;
    struct error err;
    if (with_waits) {
        const struct trace_waited x = waits_list(r);
        trace_writer_waited(r->writer, &x);
    }
    assert_ok(trace_writer_finish(r->writer, path, "{}", &t, &err), &err);
    return t;
}
#endif
