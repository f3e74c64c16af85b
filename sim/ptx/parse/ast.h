/* What the parser hands to the decoder: functions as flat lists of instructions with resolved names. It lives in one
 * pool and dies when the module is decoded; variables live as long as the module. */
#ifndef PTX_AST_H
#define PTX_AST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/ptx.h"
#include "parse/pool.h"
#include "parse/types.h"

#define MAX_MODS 12
#define NO_INDEX UINT32_MAX

enum space { SP_GENERIC, SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_CONST, SP_PARAM };

/* Special registers: name, what they hold (one 32-lane register each; DYNAMIC ones are computed when read). The CTA's
 * place in the grid and in its cluster, from CTAID_X to CLUSTER_CTARANK, is filled in for each CTA. */
/* clang-format off */
#define SPECIALS(X) \
    X(TID_X, "%tid.x") X(TID_Y, "%tid.y") X(TID_Z, "%tid.z") X(NTID_X, "%ntid.x") X(NTID_Y, "%ntid.y") \
    X(NTID_Z, "%ntid.z") X(CTAID_X, "%ctaid.x") X(CTAID_Y, "%ctaid.y") X(CTAID_Z, "%ctaid.z") \
    X(CLUSTERID_X, "%clusterid.x") X(CLUSTERID_Y, "%clusterid.y") X(CLUSTERID_Z, "%clusterid.z") \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x") X(CLUSTER_CTAID_Y, "%cluster_ctaid.y") \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z") X(CLUSTER_CTARANK, "%cluster_ctarank") \
    X(NCLUSTERID_X, "%nclusterid.x") X(NCLUSTERID_Y, "%nclusterid.y") X(NCLUSTERID_Z, "%nclusterid.z") \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x") X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y") \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z") X(CLUSTER_NCTARANK, "%cluster_nctarank") \
    X(EXPLICIT_CLUSTER, "%is_explicit_cluster") \
    X(NCTAID_X, "%nctaid.x") X(NCTAID_Y, "%nctaid.y") X(NCTAID_Z, "%nctaid.z") X(LANEID, "%laneid") \
    X(WARPID, "%warpid") X(NWARPID, "%nwarpid") X(SMID, "%smid") X(NSMID, "%nsmid") X(GRIDID, "%gridid") \
    X(LANEMASK_EQ, "%lanemask_eq") X(LANEMASK_LE, "%lanemask_le") X(LANEMASK_LT, "%lanemask_lt") \
    X(LANEMASK_GE, "%lanemask_ge") X(LANEMASK_GT, "%lanemask_gt") X(DYNAMIC_SMEM, "%dynamic_smem_size") \
    X(TOTAL_SMEM, "%total_smem_size") X(AGGREGATE_SMEM, "%aggr_smem_size") X(GRAPH_EXEC, "%current_graph_exec") \
    X(ENVREG, "%envreg0") X(ENVREG1, "%envreg1") X(ENVREG2, "%envreg2") X(CLOCK, "%clock") \
    X(CLOCK_HI, "%clock_hi") X(CLOCK64, "%clock64") \
    X(GLOBALTIMER, "%globaltimer") X(GLOBALTIMER_LO, "%globaltimer_lo") X(GLOBALTIMER_HI, "%globaltimer_hi")
/* clang-format on */
enum special {
#define X(id, text) SPECIAL_##id,
    SPECIALS(X)
#undef X
        N_SPECIALS
};
#define FIRST_DYNAMIC_SPECIAL SPECIAL_CLOCK
static inline bool special_has_64_bits(uint32_t special)
{
    return special == SPECIAL_GRIDID || special == SPECIAL_GRAPH_EXEC;
}
/* Names of special registers that nothing here holds. */
#define REFUSED_SPECIALS(X) X("%pm")

struct func;
struct var {
    const char *name;
    struct func *owner; /* NULL at module scope */
    enum space space;
    enum ptx_type type;
    bool is_extern, is_opaque /* texture, sampler or surface */, has_init, is_managed;
    uint64_t bytes, align;
    unsigned char *init; /* pool of the module */
    uint64_t offset;     /* kernel parameter: in the bank; set while decoding: where in shared, local or register
                          * file */
    uint32_t stamp;      /* which instance `offset` belongs to */
    uint32_t index;      /* global and const: in ptx_module_variable order */
    bool is_kernel_param;
};

enum symbol_kind { SYM_REG, SYM_REG_RANGE, SYM_VAR, SYM_FUNC, SYM_LABEL, SYM_TARGETS, SYM_OTHER };
struct symbol {
    enum symbol_kind kind;
    enum ptx_type type; /* REG, REG_RANGE */
    uint32_t scope;     /* where it was declared */
    uint32_t index;     /* REG: register of its function; LABEL: instruction; */
    uint32_t count;     /* REG_RANGE */
    struct var *var;
    struct func *func;
    struct operand *targets; /* TARGETS: a LIST of labels */
};

enum operand_kind {
    OPND_REG,
    OPND_INT,
    OPND_F32,
    OPND_F64,
    OPND_VAR,
    OPND_SPECIAL,
    OPND_VECTOR,
    OPND_ADDRESS,
    OPND_LABEL,
    OPND_SINK,
    OPND_LIST,
    OPND_FUNC,
    OPND_PROTOTYPE
};
struct operand {
    enum operand_kind kind;
    uint32_t line, column;
    bool negated;       /* !p */
    uint8_t part;       /* REG: 1 + which of %r.b0 .. %r.b3, %r.h0, %r.h1; 0: the whole */
    uint32_t reg;       /* REG: register of its function; SPECIAL: enum special; LABEL: name until resolved,
                         * then instruction */
    enum ptx_type type; /* REG */
    uint32_t scope;     /* LABEL */
    struct var *var;    /* VAR; ADDRESS with a variable as base: items[0] */
    struct func *func;
    int64_t value;         /* INT; F32, F64: bits; VAR, ADDRESS: byte offset */
    struct operand *items; /* VECTOR, LIST: n of them; ADDRESS: the base; REG: what follows '|' */
    uint32_t n;
};

struct inst {
    uint32_t line, column;
    const char *text;     /* the whole opcode: "ld.global.f32" */
    const char *mnemonic; /* "ld" */
    const char *mods[MAX_MODS];
    uint8_t n_mods;
    struct operand *guard; /* NULL: none */
    struct operand *operands;
    uint32_t n_operands;
    bool keeps_loop; /* begins a loop that the assembler is not to unroll */
};

struct formal {
    struct var *var;
    uint32_t reg;
    enum ptx_type type;
}; /* var == NULL: passed in a register */

struct func {
    const char *name;
    uint32_t line, column;
    bool is_entry, has_body;
    struct formal *params, *rets;
    uint32_t n_params, n_rets;
    uint32_t param_bytes;
    struct inst *insts;
    size_t n_insts, cap_insts;
    enum ptx_type *regs;
    size_t n_regs, cap_regs;
    uint32_t maxnreg, maxntid;
    uint32_t cluster[3];  /* .reqnctapercluster */
    bool is_clustered;    /* that, or .explicitcluster */
    struct func *aliasee; /* .alias */
    /* while decoding */
    uint32_t reg_base, stamp;
    bool is_open;     /* being inlined */
    bool is_called;   /* with a frame, not inlined: recursive, its address is taken, or it has alloca */
    bool takes_stack; /* has alloca */
    uint32_t number;  /* where its address is taken: from 1 */
    uint32_t callee;  /* with a frame: index in the kernel's callees, if `callee_stamp` is the kernel's */
    uint32_t callee_stamp;
};

/* "// ptxas: <kernel> <n> registers" */
struct reg_note {
    const char *kernel;
    uint32_t n;
};
/* An initialiser that holds an address: bytes of `var` at `at` = address of `target` + addend. Functions need none:
 * their addresses are known. */
struct reloc {
    struct var *var, *target;
    uint64_t at;
    int64_t addend;
    bool generic;
    uint8_t bytes, shift; /* of the address: 8 from bit 0 on, or what a mask chose, 0xff00(name) */
};

struct ast {
    struct pool pool; /* of the text's life */
    struct func **funcs;
    size_t n_funcs, cap_funcs;
    uint32_t n_addressed; /* functions whose address is taken */
    struct reg_note *notes;
    size_t n_notes, cap_notes;
};
#endif
