/* The plan: a trace made ready for replay on machines with one line size and one number of shared-memory banks.
 * Coalescing depends on neither timing nor mechanism, so it is done once per trace and shared by every run of a
 * sweep. */
#ifndef GPU_PLAN_H
#define GPU_PLAN_H
#include "config/params.h"
#include "net/msg.h"
#include "poise/gpu.h"

/* Only SP, SFU and LSU are on every machine; where there are no others, these do their work: sm.unit_map. They are in
 * the order in which the issue registers of sub-cores are emptied (core/subcore.c). */
enum unit {
    UNIT_SP,
    UNIT_SFU,
    UNIT_LSU,
    UNIT_DP,
    UNIT_INT,
    UNIT_BRANCH,
    UNIT_TEXTURE,
    UNIT_TENSOR,
    UNIT_UDP, /* uniform datapath */
    N_UNITS
};
enum action {
    ACT_ALU,
    ACT_LOAD,
    ACT_STORE,
    ACT_ATOMIC,
    ACT_SHARED,
    ACT_CONST,
    ACT_TEXTURE,
    ACT_COUNTED_STORE, /* somebody waits for it: as the plain action, and it is counted where it is performed */
    ACT_COUNTED_ATOMIC,
    ACT_COUNTED_SHARED,
    ACT_BARRIER,
    ACT_FENCE,
    ACT_NOTHING,
    ACT_WAIT /* a branch that may go back: the steps of its round are repeated until what they wait for is there */
};

/* A static instruction as the core sees it. Few have more registers than PLAN_USUAL_REGS. */
enum { PLAN_USUAL_REGS = 4, PLAN_USUAL_BANKS = 4 };
/* Register banks for a machine of up to 32 of them, a byte each: of the first sources and, last, of the first
 * destination. */
struct plan_banks {
    uint32_t numbers;  /* of warp 0; other warps are further on, modulo the number of banks. PLAN_MORE_BANKS: it has
                        * more registers */
    uint32_t is_there; /* all bits of the bytes that the instruction has */
    uint32_t stand_in; /* for the others: a number of no bank, another for each byte */
};
#define PLAN_MORE_BANKS (1u << 31)
struct plan_inst {
    uint8_t unit, cls, n_regs, n_dst; /* regs: the n_dst destinations first, then sources */
    uint8_t is_memory, is_global_load, barrier, wants_result;
    uint8_t op : 6;        /* MEMORY_OP */
    uint8_t passes_l1 : 1; /* a load that L2 must serve: trace_load_passes_l1() */
    uint8_t sources;       /* those that do not name a register a second time: a bit each */
    uint32_t pc;
    uint32_t result; /* the first destination; launch.n_regs + 1 if there is none */
    struct plan_banks banks;
    uint16_t regs[TRACE_MAX_DST + TRACE_MAX_SRC]; /* the rest name one that no instruction has: launch.n_regs */
    uint32_t barrier_warps;                       /* 0 = all warps of the CTA */
};
_Static_assert(TRACE_MAX_SRC <= 8, "sources are a byte");
_Static_assert(TRACE_N_CACHE_OPS <= 16 && TRACE_N_SCOPES <= 4, "MEMORY_OP has 4 and 2 bits for them");
/* Works out the banks from the registers. */
void plan_inst_banks(struct plan_inst *inst);
/* An executed instruction. For global, local, texture and cached constant accesses, requests [first, first + n) are
 * its lines; for shared memory n is the number of bank-conflict passes; for constants that always hit, of
 * addresses; of a wait, waits [first, first + n) are all asked for. */
struct plan_step {
    uint16_t inst;
    uint8_t action, lanes;
    uint32_t first;
    uint8_t n;
    uint8_t degree; /* its lines: fewer than requests where these are sectors; of constants, its addresses */
    bool covers;    /* a store: all bytes of each sector that it touches */
    uint8_t pad;
};
/* Line numbers of a plan have 28 bits: global memory below 2^27, local memory above, constants, parameters and code
 * at the very top. */
enum {
    LOCAL_LINES = 1u << 27,
    CONST_LINES = (1u << 28) - (1u << 17),
    PARAM_LINES = CONST_LINES + (1u << 15),
    CODE_LINES = (1u << 28) - (1u << 16)
};
static inline bool line_is_local(uint32_t line) { return line >= LOCAL_LINES && line < CONST_LINES; }
/* A line request: line number relative to plan.first_line, and the 32-byte sectors touched in its low 4 bits. Where
 * L1's chunks are smaller, or its lines have more than four sectors, `chunks` of the plan has a mask a request
 * instead. */
typedef uint32_t plan_request;
#define REQUEST_LINE(r) ((r) >> 4)
#define REQUEST_SECTORS(r) ((r)&15u)

/* What a warp waits for (poise/trace.h), and a step that changes a word: steps as the plan counts them. */
struct plan_wait {
    uint64_t count;
    uint32_t word, round;
};
struct plan_write {
    uint64_t step;
    uint32_t word, line;
    bool is_shared; /* else of global memory, and in this line of L1's */
};

struct plan_warp {
    uint64_t first_step;
    uint32_t n_steps;
};
struct plan {
    struct trace_launch launch;
    struct hash trace;
    uint32_t kernel; /* tells kernels of a program apart: a hash of its name */
    struct plan_inst *insts;
    struct plan_step *steps;
    plan_request *requests;
    uint32_t *chunks; /* of each request, those of chunk_bytes that it touches; NULL: its sectors say it */
    struct plan_warp *warps;
    uint32_t n_warps, n_insts;
    uint64_t n_steps, n_requests, first_line, address_period;
    uint64_t low_line, high_line;                 /* touched in global memory; low > high: none */
    bool counts_from_own;                         /* first_line is the launch's own choice */
    uint32_t line_bytes, chunk_bytes, send_bytes; /* L1's lines and what is told of them; a line of both L1 and L2,
                                                   * at most */
    bool shared_returns_registers;
    uint32_t shared_banks, ctas_per_sm, warps_per_scheduler;
    bool caches_constants, caches_textures, splits_atomics, splits_sectors; /* what requests are made for */
    bool skips_l1;                                                          /* global loads do */
    /* some load does, by what it is or as all do */
    bool passes_l1;
    bool reads_textures; /* else no SM needs a cache for them */
    /* What is waited for, where waiting is simulated; else none. writes: in the order of steps. */
    bool simulates_waits;
    struct sass_params sass; /* what became of the trace's instructions */
    struct trace_word *words;
    struct plan_wait *waits;
    struct plan_write *writes;
    uint32_t n_words, n_waits, n_writes;
    size_t bytes;
};
/* Its requests [first, first + n) are for lines of global or local memory, or of constants and textures that are
 * cached. */
static inline bool plan_step_has_lines(const struct plan *plan, const struct plan_step *step)
{
    switch (step->action) {
    case ACT_LOAD:
    case ACT_STORE:
    case ACT_ATOMIC:
    case ACT_COUNTED_STORE:
    case ACT_COUNTED_ATOMIC: return true;
    case ACT_CONST: return plan->caches_constants;
    case ACT_TEXTURE: return plan->caches_textures;
    default: return false;
    }
}
/* plan_code.c: the static instructions, of the trace or of `sass` (NULL: the trace). */
struct sass;
void plan_code(struct plan *plan, const struct trace_inst *code, const struct sass *sass);
/* A load that L2 must serve: by what it is, or as all loads of global memory pass L1. */
bool plan_load_passes_l1(const struct plan *plan, const struct trace_inst *inst);
/* What an instruction that some lane executes does: enum action. */
uint8_t plan_action(const struct plan *plan, const struct trace_inst *inst);

/* plan_waits.c: room for what is waited for. */
int plan_waits_new(struct plan *plan, const struct trace *trace, struct error *err);
/* A walk over the trace's steps, in order. */
struct plan_waits_walk {
    uint64_t wait, write, spun;
};
/* The step is of a round that is repeated from another one: it is left out. */
bool plan_leaves_out(struct plan_waits_walk *at, const struct trace *trace, uint64_t step);
/* The trace's step `from` is step `to` of the plan. */
void plan_note_step(struct plan *plan, struct plan_waits_walk *at, const struct trace *trace, uint64_t from,
                    uint64_t to);
#endif
