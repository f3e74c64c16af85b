/* The warp trace: what one kernel launch executed, independent of timing.              [DESIGN §3.2]
 *
 * Canonical content (its hash is the trace's identity): the launch, the static code, and per warp the executed
 * instructions with their lane masks and a byte address for every lane of every memory access. Provenance (compiler,
 * program, arguments, launch index) rides along and is not part of the identity.
 *
 * Two forms of the same content: *at rest* (columns, delta coded, zstd frames, checksummed) and *decoded* (the arrays
 * below, laid out to be mmapped and shared by every thread of a sweep). */
#ifndef POISE_TRACE_H
#define POISE_TRACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/hash.h"

#define TRACE_VERSION 1u
#define TRACE_LANES 32
/* An access through a generic pointer whose space the compiler does not know is recorded as global; lanes that go to
 * shared memory have addresses from here on (4 GiB), those that go to local memory from there up to the end. No
 * device address lies so. */
#define TRACE_SHARED_WINDOW 0x0000010000000000ull
#define TRACE_LOCAL_WINDOW 0x0000020000000000ull
#define TRACE_LOCAL_WINDOW_END 0x0000030000000000ull
#define TRACE_NO_REG 0xffffu
#define TRACE_MAX_DST 4
#define TRACE_MAX_SRC 8

/* Operation classes: what the timing model's pipelines distinguish.  class, pipeline doc */
#define TRACE_CLASSES(X) \
    X(INT, "integer, logic, move, compare, select, convert") \
    X(INT_MUL, "integer multiply, multiply-add") \
    X(INT_DIV, "integer divide, remainder") \
    X(FP, "single-precision add, compare, convert") \
    X(FP_MUL, "single-precision multiply, fused multiply-add") \
    X(FP_DIV, "single-precision divide, square root (IEEE)") \
    X(DP, "double-precision add, multiply, fused multiply-add") \
    X(DP_DIV, "double-precision divide, square root") \
    X(SFU, "approximate reciprocal, square root, logarithm, exponential, sine, cosine") \
    X(BRANCH, "branch, call, return within a kernel") \
    X(BARRIER, "CTA barrier") \
    X(FENCE, "memory fence") \
    X(EXIT, "the executing lanes end") \
    X(LOAD, "load") \
    X(STORE, "store") \
    X(ATOMIC, "atomic or reduction") \
    X(TENSOR, "matrix multiply-accumulate of tensor cores") \
    X(UDP, "uniform datapath: one operation for the whole warp") \
    X(TEXTURE, "texture or surface access of which the trace has no addresses")
enum trace_class {
#define X(id, doc) TRACE_##id,
    TRACE_CLASSES(X)
#undef X
        TRACE_N_CLASSES
};
static inline bool trace_class_is_memory(uint32_t cls) { return cls >= TRACE_LOAD && cls <= TRACE_ATOMIC; }
/* Memory spaces. Generic accesses are resolved when recorded; PARAM is the kernel's parameter bank. */
#define TRACE_SPACES(X) X(NONE) X(GLOBAL) X(SHARED) X(LOCAL) X(CONST) X(PARAM) X(TEXTURE)
enum trace_space {
#define X(id) TRACE_SPACE_##id,
    TRACE_SPACES(X)
#undef X
        TRACE_N_SPACES
};
/* Cache operators as in PTX; CC and CP are write-buffering's and read-bypassing's own. */
#define TRACE_CACHE_OPS(X) X(DEFAULT) X(CA) X(CG) X(CS) X(CV) X(LU) X(WB) X(WT) X(NC) X(CC) X(CP)
enum trace_cache_op {
#define X(id) TRACE_CACHE_##id,
    TRACE_CACHE_OPS(X)
#undef X
        TRACE_N_CACHE_OPS
};
#define TRACE_ATOMICS(X) X(NONE) X(ADD) X(MIN) X(MAX) X(AND) X(OR) X(XOR) X(EXCH) X(CAS) X(INC) X(DEC)
enum trace_atomic {
#define X(id) TRACE_ATOMIC_##id,
    TRACE_ATOMICS(X)
#undef X
        TRACE_N_ATOMICS
};
enum trace_scope { TRACE_SCOPE_NONE, TRACE_SCOPE_CTA, TRACE_SCOPE_GPU, TRACE_SCOPE_SYS, TRACE_N_SCOPES };
enum { /* trace_inst.flags */
       TRACE_VOLATILE = 1,
       TRACE_GUARDED = 2,     /* has a guard predicate: the executing lanes may be fewer than the active ones */
       TRACE_RESULT_USED = 4, /* an atomic whose old value is read */
       TRACE_BLOCK_START = 8, /* first instruction of a basic block */
       TRACE_UNIFORM = 16,    /* bra.uni and the like */
       TRACE_FLAGS_ALL = 31
};

/* A static instruction. 64 bytes, no padding: it is hashed and written as it is (little-endian). */
struct trace_inst {
    uint32_t pc;    /* index of the instruction in the kernel */
    uint32_t line;  /* line of the PTX (or SASS) text, 0 if unknown */
    uint32_t name;  /* offset of the opcode's text in trace.strings, e.g. "ld.global.f32" */
    uint32_t block; /* basic block */
    uint8_t cls;    /* enum trace_class */
    uint8_t space;  /* enum trace_space; memory classes only */
    uint8_t bytes;  /* bytes a lane moves, the whole vector included (v4.f32: 16) */
    uint8_t cache_op, atomic, scope, flags;
    uint8_t barrier; /* barrier id (BARRIER) */
    uint8_t n_dst, n_src;
    uint8_t reserved[6];
    uint16_t dst[TRACE_MAX_DST]; /* dense register numbers below trace_launch.n_regs (predicates included) */
    uint16_t src[TRACE_MAX_SRC]; /* unused entries TRACE_NO_REG */
    uint32_t threads;            /* BARRIER with a thread count: that count; else 0 */
    uint32_t reserved2;
};
_Static_assert(sizeof(struct trace_inst) == 64, "trace_inst is a file format");
/* How far an access is to be seen. A volatile one is as one of relaxed order at system scope. [PTX ISA: ld.volatile] */
static inline enum trace_scope trace_inst_scope(const struct trace_inst *inst)
{
    return inst->flags & TRACE_VOLATILE ? TRACE_SCOPE_SYS : (enum trace_scope)inst->scope;
}
/* A load of global memory that L2 must serve, and that neither hits nor leaves a line in L1: .cg caches in L2 alone,
 * .cv fetches again, and as L1s are not coherent with one another, so is a scope wider than the CTA, whose threads
 * share an SM. .cs and .lu are .ca with a hint. [PTX ISA: cache operators, scope; MECHANISMS 'Memory operators'] */
static inline bool trace_load_passes_l1(const struct trace_inst *inst)
{
    const uint8_t op = inst->cache_op;
    if (inst->cls != TRACE_LOAD || inst->space != TRACE_SPACE_GLOBAL) return false;
    return op == TRACE_CACHE_CG || op == TRACE_CACHE_CV || trace_inst_scope(inst) > TRACE_SCOPE_CTA;
}

/* One launch. All counts are for the whole launch. */
struct trace_launch {
    uint32_t grid[3], block[3];
    uint32_t regs_per_thread;       /* hardware registers, for occupancy */
    uint32_t shared_bytes;          /* static + dynamic, per CTA */
    uint32_t local_bytes;           /* per thread */
    uint32_t n_ctas, warps_per_cta; /* warp w of CTA c is warp c * warps_per_cta + w; CTA c is x-major */
    uint32_t n_regs;                /* trace registers a thread (scoreboard size) */
    uint32_t n_code;                /* static instructions */
    uint32_t kernel;                /* offset of the kernel's name in strings */
    uint32_t reserved[2];
};
_Static_assert(sizeof(struct trace_launch) == 64, "trace_launch is a file format");

/* An executed warp instruction. `mask` = lanes that executed (active and guard true; may be 0). */
struct trace_step {
    uint32_t inst, mask;
};

struct trace_warp {
    uint64_t first_step, first_access, first_guard; /* into steps, accesses (words), guards */
    uint64_t n_steps;
};

/* Steps [first, first + n) of one warp that only waited: rounds of a loop after which the warp's state and memory
 * were as before. */
struct trace_spun {
    uint64_t first, n;
};

/* What was waited for. A word is four aligned bytes: of global memory by its device address, or of a CTA's shared
 * memory by TRACE_SHARED_WINDOW + its offset. */
struct trace_word {
    uint64_t address;
    uint32_t cta; /* whose shared memory; 0 of global memory */
    uint32_t reserved;
};
/* The store or atomic at `step` changed a word that some wait names. */
struct trace_write {
    uint64_t step;
    uint32_t word, reserved;
};
/* The branch at `step` ends a round of `round` steps of a loop that can only wait. The warp went on once the word had
 * been changed by `count` writes: while there are fewer, it runs the round again. */
struct trace_wait {
    uint64_t step, count;
    uint32_t word, round;
};

/* Accesses: one entry for each executed LOAD, STORE or ATOMIC with mask != 0, in order, in 32-bit words. The first word
 * is the kind; the first kind in this order that can express the addresses is the one used, so the bytes are unique.
 * `base` is two words, low first. Lanes are those of the step's mask, ascending. */
enum trace_access_kind {
    TRACE_ACCESS_UNIFORM = 0,   /* kind, base            : every lane at base */
    TRACE_ACCESS_STRIDED = 1,   /* kind, base, stride    : lane l at base + (l - first lane) * (int32_t)stride */
    TRACE_ACCESS_SCATTER32 = 2, /* kind, base, n offsets : lane k at base + offset k; base = the lowest address */
    TRACE_ACCESS_SCATTER64 = 3  /* kind, 2n words        : lane k at its own 64-bit address */
};
/* Words of the entry of these lanes; 0: of a kind that does not exist. */
static inline uint32_t trace_access_words(const uint32_t *words, uint32_t mask)
{
    switch (words[0]) {
    case TRACE_ACCESS_UNIFORM: return 3;
    case TRACE_ACCESS_STRIDED: return 4;
    case TRACE_ACCESS_SCATTER32: return 3 + (uint32_t)__builtin_popcount(mask);
    case TRACE_ACCESS_SCATTER64: return 1 + 2 * (uint32_t)__builtin_popcount(mask);
    default: return 0;
    }
}
/* Reads one entry at `words` into addresses[lane] for the lanes of mask; returns the words it took. */
uint32_t trace_access_decode(const uint32_t *words, uint32_t mask, uint64_t addresses[TRACE_LANES]);
/* Writes one entry (at most 65 words); returns the words it took. */
uint32_t trace_access_encode(uint32_t *words, uint32_t mask, const uint64_t addresses[TRACE_LANES]);

/* A trace that can be read: every pointer is const and shared by all threads. `guards` holds the active mask of every
 * executed instruction that is TRACE_GUARDED, in order of execution within its warp. */
struct trace {
    struct trace_launch launch;
    const struct trace_inst *code; /* launch.n_code */
    const char *strings;
    uint64_t n_strings; /* bytes */
    const struct trace_warp *warps;
    uint64_t n_warps;
    const struct trace_step *steps;
    uint64_t n_steps;
    const uint32_t *accesses;
    uint64_t n_accesses; /* words */
    const uint32_t *guards;
    uint64_t n_guards;
    const struct trace_spun *spun; /* ascending, apart, each within a warp; no part of the trace where nothing
                                    * waited */
    uint64_t n_spun;
    /* All three or none. Words ascend by address and CTA, waits and writes by step and word. */
    const struct trace_word *words;
    const struct trace_wait *waits;
    const struct trace_write *writes;
    uint64_t n_words, n_waits, n_writes;
    const char *provenance; /* a JSON object */
    struct hash hash;
    uint64_t file_bytes;       /* size of the form it was opened from */
    struct trace_owner *owner; /* what trace_close frees */
};
/* Opens either form. At rest: reads, checks every checksum, decodes and validates. With a cache folder (may be NULL)
 * the decoded form is kept there and mmapped the next time. Errors name the file and the byte. */
int trace_open(struct trace **out, const char *path, const char *cache_dir, struct error *err);
/* The same from memory (fuzzing, tests). */
int trace_parse(struct trace **out, const char *name, const void *data, size_t size, struct error *err);
void trace_close(struct trace *trace); /* accepts NULL */
const char *trace_kernel(const struct trace *trace);

/* ---- recording ---- */
struct trace_writer;
#define TRACE_ACCESS_WORDS_MOST 65u /* of one entry */
/* A warp's growing columns; the executor appends to it, inline. */
struct trace_warp_buffer {
    struct trace_step *steps;
    uint32_t *accesses, *guards;
    struct trace_spun *spun; /* steps of this warp */
    size_t n_steps, n_accesses, n_guards, n_spun, cap_steps, cap_accesses, cap_guards, cap_spun;
    bool failed; /* out of memory; trace_writer_cta_end reports it */
    struct buffer_pool *pool;
};
int trace_writer_new(struct trace_writer **out, const char *kernel, const struct trace_launch *launch,
                     const struct trace_inst *code, uint32_t n_code, const char *strings, size_t n_strings,
                     struct error *err);
/* The trace will be written to a file: while CTAs are recorded, up to threads - 1 other threads compress its columns.
 * 1, as it is without this: all is done in trace_writer_finish. The file's bytes are the same. */
void trace_writer_threads(struct trace_writer *writer, unsigned threads);
/* The buffers of the next CTA's warps (warps_per_cta of them), empty. CTAs are recorded in ascending order. */
struct trace_warp_buffer *trace_writer_cta_begin(struct trace_writer *writer);
int trace_writer_cta_end(struct trace_writer *writer, struct error *err);
/* Buffers of a CTA that is recorded beside others, empty; NULL without memory. They are given back with their CTA, when
 * its turn among the CTAs has come, or without. */
struct trace_warp_buffer *trace_writer_buffers(struct trace_writer *writer);
int trace_writer_cta_put(struct trace_writer *writer, struct trace_warp_buffer *buffers, struct error *err);
void trace_writer_buffers_free(struct trace_writer *writer, struct trace_warp_buffer *buffers); /* accepts NULL */
/* Of a warp (of all CTAs) that has been recorded: its first step's number in the trace. */
uint64_t trace_writer_first_step(const struct trace_writer *writer, uint64_t warp);
/* What was waited for; the blocks come from malloc and are the writer's from here on. After the last CTA. */
struct trace_waited {
    struct trace_word *words;
    struct trace_wait *waits;
    struct trace_write *writes;
    uint64_t n_words, n_waits, n_writes;
};
void trace_writer_waited(struct trace_writer *writer, const struct trace_waited *waited);
/* For a thread of its own: a writer of some CTAs of the same launch that follow each other. It is never finished, but
 * joined: what the parts have recorded comes behind what the writer has, in their order, and the parts are empty. The
 * writer outlives its parts. */
int trace_writer_part(struct trace_writer **out, const struct trace_writer *of, struct error *err);
void trace_writer_part_clear(struct trace_writer *part); /* what it has recorded is given up */
int trace_writer_join(struct trace_writer *writer, struct trace_writer *const *parts, unsigned n, struct error *err);
/* Validates, writes the at-rest form (temporary name, rename) and frees the writer, also on failure. `path` may be
 * NULL: then nothing is written. *out (may be NULL) receives the trace in memory. provenance: JSON text of an
 * object. */
int trace_writer_finish(struct trace_writer *writer, const char *path, const char *provenance, struct trace **out,
                        struct error *err);
void trace_writer_free(struct trace_writer *writer);
void trace_buffer_grow(struct trace_warp_buffer *b); /* makes room for one more of everything */

static inline void trace_record_step(struct trace_warp_buffer *b, uint32_t inst, uint32_t mask)
{
    if (b->n_steps == b->cap_steps) trace_buffer_grow(b);
    if (b->failed) return;
    b->steps[b->n_steps].inst = inst;
    b->steps[b->n_steps++].mask = mask;
}
static inline void trace_record_guard(struct trace_warp_buffer *b, uint32_t active)
{
    if (b->n_guards == b->cap_guards) trace_buffer_grow(b);
    if (b->failed) return;
    b->guards[b->n_guards++] = active;
}
/* The last n steps only waited. */
void trace_record_spun(struct trace_warp_buffer *b, uint64_t n);
static inline void trace_record_access(struct trace_warp_buffer *b, uint32_t mask,
                                       const uint64_t addresses[TRACE_LANES])
{
    if (b->n_accesses + TRACE_ACCESS_WORDS_MOST > b->cap_accesses) trace_buffer_grow(b);
    if (b->failed) return;
    b->n_accesses += trace_access_encode(b->accesses + b->n_accesses, mask, addresses);
}
#endif
