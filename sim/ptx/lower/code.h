/* Decoded kernels. */
#ifndef PTX_CODE_H
#define PTX_CODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/ptx.h"
#include "poise/trace.h"
#include "parse/ast.h"

#define LANES 32
#define FULL_MASK 0xffffffffu
#define NO_SLOT UINT32_MAX
#define SLOT32 (LANES * 4u)
#define SLOT64 (LANES * 8u)

struct uop;
typedef void lane_fn(unsigned char *regs, const struct uop *u, uint32_t mask);
struct access_span;
/* A load or a store of lanes in one span of memory (exec/access.h), and their addresses; false, and nothing is done:
 * they are not, or an address is not aligned. */
typedef bool access_fn(unsigned char *regs, const struct uop *u, uint32_t mask, const struct access_span *span,
                       uint64_t addresses[]);
typedef uint32_t compare_fn(const unsigned char *a, const unsigned char *b);

enum uop_kind {
    UOP_LANE,    /* fn(regs) */
    UOP_ROUNDED, /* the same under another rounding mode (aux) */
    UOP_SETP,    /* d, d2 = compare(a, b) combined with predicate c */
    UOP_SET,     /* d = compare(a, b) as all ones or 1.0f */
    UOP_PRED,    /* predicate logic */
    UOP_LOAD,
    UOP_STORE,
    UOP_ATOMIC,
    UOP_LOAD_ARG,
    UOP_STORE_ARG, /* parameters of device functions: they live in the register file */
    UOP_BRANCH,
    UOP_BRANCH_TABLE,
    UOP_EXIT,
    UOP_TRAP,
    UOP_BARRIER,
    UOP_NOP,
    UOP_PACK,
    UOP_UNPACK, /* mov between a register and a vector */
    UOP_CLOCK,
    UOP_VOTE,
    UOP_SHUFFLE,
    UOP_MATCH,
    UOP_REDUX,
    UOP_ACTIVE,
    UOP_ISSPACEP,
    UOP_ELECT,
    UOP_CALL,
    UOP_RETURN,  /* with a frame; a call of target, or (NO_INDEX) of the address in a */
    UOP_BUILTIN, /* vprintf and its like */
    UOP_STACK,   /* alloca, stacksave, stackrestore */
    UOP_TEXTURE,
    UOP_TEXTURE_QUERY,
    UOP_SURFACE,
    UOP_MMA,       /* matrix fragments: kernel->args from imm on */
    UOP_LOAD_PART, /* of a copy: of each lane as many bytes as c says (op: none where predicate c is set), then
                    * zeros */
    UOP_MBARRIER,  /* op: enum mbarrier_op; b: arrivals, state or parity; c: bytes */
    UOP_YIELD,     /* nanosleep: another warp's turn */
    UOP_SYNC_LANES /* bar.warp.sync: the lanes of mask b wait for one another */
};
enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY /* half away from zero */ };
enum pred_op { PRED_MOV, PRED_AND, PRED_OR, PRED_XOR, PRED_NOT };
enum vote_op { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum shuffle_op { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum barrier_op { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_DROP,
    MBARRIER_EXPECT,
    MBARRIER_COMPLETE,
    MBARRIER_WAIT,
    MBARRIER_WAIT_PARITY,
    MBARRIER_PENDING
};
enum { /* uop.flags */
       UOP_GUARD_NOT = 1,
       UOP_INVERT = 2, /* SETP, SET: the complement of the compare function */
       UOP_C_NOT = 4,  /* SETP: predicate c negated; VOTE and others: predicate a negated */
       UOP_A_NOT = 8,
       UOP_B_NOT = 16,
       UOP_SATURATE = 32,  /* LANE: clamp a float result to [0, 1] */
       UOP_WIDE_BASE = 64, /* memory: the base register has 64 bits */
       UOP_RECORD_GUARD = 128
};

enum uop_notes {
    NOTE_READS = 1,  /* in a loop that can only wait: what it reads may be waited for */
    NOTE_WRITES = 2, /* an atomic, or a volatile or stronger store: it may be what others wait for */
    NOTE_STORES = 4, /* another store: the same where the word is known to be waited for */
    NOTE_BLOCK = 8,  /* BRANCH back: the loop is one block without stores, */
    NOTE_ATOMIC = 16 /* and has atomics */
};

/* a..e, d, d2, vec: byte offsets in the warp's register file. */
struct uop {
    union {
        lane_fn *lane;
        compare_fn *compare;
        access_fn *access; /* LOAD, STORE */
    } fn;
    uint32_t d, a, b, c, e, d2;
    uint32_t guard; /* predicate, or NO_SLOT */
    uint32_t vec[4];
    uint32_t target, reconverge; /* BRANCH: instruction indices; BRANCH_TABLE: target = first entry of
                                  * kernel->tables, e = entries. BRANCH back of NOTE_BLOCK: what a round writes is
                                  * in kernel->written, d2 slots from d on */
    int64_t imm;                 /* memory: byte offset; others: immediate */
    uint8_t kind, flags, op, aux;
    uint8_t space;   /* enum space */
    uint8_t bytes;   /* of one element in memory */
    uint8_t n_vec;   /* elements */
    uint8_t sign;    /* LOAD: sign-extends */
    uint8_t width;   /* of the destination (or source) register: 16, 32, 64 */
    uint8_t type;    /* ATOMIC, REDUX: enum ptx_type */
    uint8_t proven;  /* generic access: the space its address provably lies in, or SP_GENERIC */
    uint8_t record;  /* trace: LOAD, STORE or ATOMIC is recorded with addresses */
    uint8_t gathers; /* it waits for other lanes of its warp: the mask is in b (SHUFFLE: e), of a BARRIER all of
                      * them */
    uint16_t round;  /* BRANCH back in a loop that can only wait (spin.c): instructions of a round; else 0 */
    uint8_t notes;   /* enum uop_notes, where the kernel has such a loop */
};

/* What fills a slot of the register file when a launch begins. */
enum slot_source {
    SLOT_VALUE,
    SLOT_VARIABLE,
    SLOT_DYNAMIC_SHARED,
    SLOT_SPECIAL,
    SLOT_FRAME,    /* address of a local variable of callee `index`: filled by the call */
    SLOT_ARGUMENT, /* address of a device function's parameter: of `index` bytes a lane at slot
                    * `value` */
    SLOT_STACK,    /* where the stack of a thread's local memory begins */
    SLOT_CONSTANTS /* the upper half of the addresses of the module's constants */
};
struct slot_init {
    uint32_t slot;
    uint8_t width; /* 1 (predicate), 32, 64 */
    uint8_t source;
    uint64_t value; /* VALUE; others: added */
    uint32_t index; /* VARIABLE: of the module; SPECIAL: enum special */
};
/* A function that is called with a frame. Its registers are [lo, hi) of the register file, once: a call saves them,
 * the end of the call restores them. */
struct call_arg {
    uint32_t slot, bytes;
}; /* `bytes` a lane at `slot` */
struct callee {
    const char *name;
    uint32_t number; /* struct func */
    uint32_t entry;  /* instruction */
    uint32_t lo, hi;
    uint32_t local_bytes;                 /* of a frame */
    uint32_t first_arg, n_params, n_rets; /* of kernel->args: parameters, then results */
    size_t first_init, end_init;          /* SLOT_FRAME ones are among these */
};
#define ARGUMENT_BASE ((uint64_t)1 << 32) /* such addresses, in .param space: behind those of the kernel's parameters */
#define STACK_BYTES 16384u                /* of local memory a thread, where a kernel has frames or alloca */
#define MAX_CALL_FRAMES 1024u
#define MAX_FRAME_BYTES ((size_t)16 << 20) /* saved registers of a warp */

enum builtin {
    BUILTIN_PRINTF,
    BUILTIN_ASSERT,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_LAUNCH_ROOM, /* of a kernel launched by a kernel */
    BUILTIN_LAUNCH,
    BUILTIN_HANDLE_NEW, /* of a stream or an event: all of a grid's work is done in order in any case */
    BUILTIN_MALLOC_AT,  /* cudaMalloc */
    BUILTIN_COPY,
    BUILTIN_COPY_ROWS,
    BUILTIN_SET,
    BUILTIN_SET_ROWS,
    BUILTIN_ATTRIBUTE,
    BUILTIN_DEVICE,        /* the current one, */
    BUILTIN_DEVICES,       /* and how many there are */
    BUILTIN_SET_CONDITION, /* of a graph's node: stores at the address that is its handle */
    BUILTIN_NOTHING        /* gives 0 */
};
enum stack_op { STACK_ALLOCA, STACK_SAVE, STACK_RESTORE };

struct slot_span {
    uint32_t slot, bytes;
};

struct mma; /* mma.h */

struct ptx_kernel {
    struct ptx_kernel_info info;
    const struct ptx_module *module;
    uint32_t number; /* struct func */
    struct uop *code;
    struct trace_inst *insts;
    uint32_t n_code;
    uint32_t cluster[3];     /* CTAs of a cluster */
    bool is_clustered;       /* .reqnctapercluster or .explicitcluster */
    bool may_wait;           /* it has a loop that can only wait */
    bool has_generic_params; /* it makes generic addresses of its parameters */
    char *strings;
    size_t n_strings, cap_strings;
    uint32_t n_regs;     /* of the trace */
    uint32_t file_bytes; /* register file of a warp */
    struct slot_init *inits;
    size_t n_inits, cap_inits;
    struct slot_span *zeros; /* read before they are written */
    size_t n_zeros, cap_zeros;
    struct slot_span *written; /* by rounds of loops that can only wait */
    size_t n_written, cap_written;
    uint32_t *tables; /* branch targets of brx.idx */
    size_t n_tables, cap_tables;
    struct callee *callees;
    size_t n_callees, cap_callees;
    struct call_arg *args;
    size_t n_args, cap_args;
    struct mma *mmas;
    size_t n_mmas, cap_mmas;
    uint32_t stack_slot; /* top of each lane's stack in local memory; NO_SLOT: none is needed */
    uint32_t stack_base;
    const char **messages; /* TRAP: what it says */
    size_t n_messages, cap_messages;
    struct ptx_param *params;
    _Atomic bool *runs_in_order; /* its CTAs were tried on several threads, in vain; of the module */
};

struct ptx_module {
    char *name;
    struct pool pool;
    struct var **vars;
    size_t n_vars;
    struct ptx_variable *variables;
    uint64_t *addresses;
    uint64_t constants; /* the upper half of the addresses of constants: one for all, as they also have 32-bit ones */
    struct var **texrefs;
    size_t n_texrefs;
    struct ptx_texture *textures; /* bound to them */
    bool *is_bound;
    struct reloc *relocs;
    size_t n_relocs;
    struct ptx_kernel *kernels;
    size_t n_kernels;
    _Atomic bool *run_in_order; /* by kernel */
};
#endif
