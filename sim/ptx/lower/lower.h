/* From parsed functions to a kernel's micro-operations: device functions are inlined at their calls, operands become
 * slots of the register file. Helpers note the first error and go on with harmless values; lower_inst looks once. */
#ifndef PTX_LOWER_H
#define PTX_LOWER_H
#include "parse/ast.h"
#include "lower/code.h"
#include "lower/lanes.h"

#define MAX_KERNEL_CODE (1u << 18)          /* micro-operations of a kernel, inlined functions included */
#define MAX_MODULE_CODE ((uint64_t)1 << 22) /* of all kernels of a module */
#define MAX_TABLES ((size_t)1 << 20)        /* branch targets of a kernel's tables */
#define MAX_CALL_DEPTH 64

/* Registers of the kernel (of all inlined instances) that an instruction writes and reads. */
struct uses {
    uint32_t dst[TRACE_MAX_DST], src[TRACE_MAX_SRC];
    uint8_t n_dst, n_src;
    bool keeps_loop; /* struct inst */
};
struct reg {
    enum ptx_type type;
    uint32_t slot; /* NO_SLOT until it is used */
};
/* Where a register lies that has a slot. */
static inline struct slot_span span_of(const struct reg *r)
{
    return (struct slot_span){r->slot, r->type == T_PRED ? 4 : type_bits(r->type) == 64 ? SLOT64 : SLOT32};
}
struct fixup {
    uint32_t index;  /* of a micro-operation, or of kernel->tables */
    uint32_t target; /* instruction of the function */
    bool is_table;
};

struct lower {
    struct ptx_module *module;
    struct ast *ast;
    struct ptx_kernel *kernel;
    const struct lane_index *lanes;
    struct error *err;
    bool failed;
    /* the kernel */
    struct reg *regs;
    size_t n_regs, cap_regs;
    struct uop *code;
    size_t n_code, cap_code;
    struct trace_inst *insts;
    size_t n_insts, cap_insts;
    struct uses *uses;
    size_t n_uses, cap_uses;
    struct fixup *fixups;
    size_t n_fixups, cap_fixups;
    struct scope_table strings; /* opcode text -> offset + 1 */
    uint64_t file_bytes, shared_bytes;
    uint64_t module_code; /* micro-operations of the kernels before */
    uint32_t stamp, kernel_stamp, depth;
    uint32_t special_slots[N_SPECIALS][2]; /* of 32 bits, of 64 */
    uint32_t cc;                           /* register of the carry flag, or NO_INDEX */
    uint32_t callee;                       /* being lowered: index in kernel->callees, or NO_INDEX: the kernel itself */
    struct func **queue;                   /* functions called with a frame, by index in kernel->callees */
    size_t cap_queue;
    bool calls_by_address;
    /* the instruction in hand */
    const struct func *func;
    const struct inst *inst;
    uint32_t index; /* of inst in func */
    struct uop u;
    struct trace_inst t;
    struct uses r;
};

int lower_kernel(struct lower *l, struct func *entry, struct ptx_kernel *kernel);
int open_function(struct lower *l, struct func *f);  /* a fresh instance: registers, private variables */
int lower_function(struct lower *l, struct func *f); /* its body, where we stand; then it is closed */
void lower_fini(struct lower *l);

/* emit.c */
int lower_fail(struct lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
int lower_unknown(struct lower *l); /* "unknown instruction 'x'" */
void lower_memory(struct lower *l);
void emit(struct lower *l, enum uop_kind kind, enum trace_class cls); /* the instruction in hand */
void fixup_add(struct lower *l, uint32_t index, uint32_t target, bool is_table);
void begin(struct lower *l); /* a clean slate for the next micro-operation */
uint32_t message_add(struct lower *l, const char *text);
bool has_mod(const struct lower *l, const char *mod);
void lane_named(struct lower *l, const char *name); /* the function of the instruction in hand */

/* operands.c: k is the index of an operand; slots are byte offsets in the register file */
uint32_t slot_new(struct lower *l, uint32_t width);
uint32_t const_slot(struct lower *l, uint32_t width, uint64_t value);
uint32_t constants_slot(struct lower *l); /* the upper half of the addresses of constants */
uint32_t reg_slot(struct lower *l, uint32_t reg);
uint32_t new_register(struct lower *l, enum ptx_type type); /* one that the program does not name */
void use_src(struct lower *l, uint32_t reg);
void use_dst(struct lower *l, uint32_t reg);
uint32_t carry_slot(struct lower *l, bool reads, bool writes);
const struct operand *operand_at(struct lower *l, uint32_t k); /* NULL: told */
uint32_t width_of_reg(const struct lower *l, const struct operand *o);
uint32_t source(struct lower *l, const struct operand *o, uint32_t width, bool is_float);
uint32_t source_at(struct lower *l, uint32_t k, uint32_t width, bool is_float);
uint32_t dest(struct lower *l, const struct operand *o, uint32_t width);
uint32_t dest_at(struct lower *l, uint32_t k, uint32_t width);
uint32_t predicate_source(struct lower *l, const struct operand *o, bool *negated);
void address_at(struct lower *l, uint32_t k, const struct var **var);
void need_operands(struct lower *l, uint32_t least, uint32_t most);
uint32_t arg_slot(struct lower *l, struct var *v, uint32_t *reg);
uint32_t stack_slot(struct lower *l);

/* decode*.c */
void decode_inst(struct lower *l);
/* clang-format off */
#define DECODERS(X) \
    X(pred_logic) X(mov) X(cvt) X(cvta) X(setp) X(set) X(selp) X(slct) X(isspacep) X(ld) X(st) \
    X(atom) X(red) X(fence) X(ignored) X(bra) X(brx) X(call) X(ret) X(exit) X(trap) X(bar) X(vote) X(activemask) \
    X(shfl) X(match) X(redux) X(elect) X(stack) X(tex) X(txq) X(video) X(nanosleep) X(surface) X(mma) X(wmma) \
    X(ldmatrix) X(stmatrix) X(scalar_video) X(policy) X(cp) X(mbarrier)
/* clang-format on */
#define X(id) void decode_##id(struct lower *l);
DECODERS(X)
#undef X

/* decode_call.c */
int find_called(struct lower *l);    /* functions that need frames, in the whole module */
void lower_callees(struct lower *l); /* those that the kernel calls, behind its own code */

/* provenance.c: generic accesses that can only go to shared or to local memory */
int provenance(struct lower *l);

/* cfg.c */
struct block {
    uint32_t first, end, ipdom;
};
struct cfg {
    struct block *blocks;
    uint32_t n_blocks;
    uint32_t *block_of;          /* by instruction */
    uint32_t *pred, *pred_start; /* predecessors of block b: pred[pred_start[b] .. pred_start[b + 1]) */
};
int cfg_build(struct cfg *cfg, struct lower *l);
void cfg_fini(struct cfg *cfg);
uint32_t cfg_n_succ(const struct lower *l, const struct block *b);
uint32_t cfg_succ(const struct cfg *cfg, const struct lower *l, const struct block *b, uint32_t i);

/* liveness.c: registers read before they are written, and how many are live at once */
int liveness(struct lower *l, const struct cfg *cfg, uint32_t *max_live);

/* spin.c: branches back of loops that can only wait. is_live: whether a register may be read before it is written
 * from a block on */
typedef bool live_fn(const void *live, uint32_t block, uint32_t reg);
void spin_mark(struct lower *l, const struct cfg *cfg, live_fn *is_live, const void *live);
#endif
