/* What the files of the Accel-Sim importer and exporter share: opcodes, header, one instruction line. */
#ifndef ACCELSIM_INTERNAL_H
#define ACCELSIM_INTERNAL_H
#include "accelsim_source.h"
#include "poise/accelsim.h"

enum { SASS_ZERO_REG = 255, SASS_MAX_DST = 1, SASS_MAX_SRC = 4, SASS_OPCODE_MAX = 96, SASS_PC_BYTES = 16 };
#define LOCAL_WINDOW_BASE 0x0000020000000000ull /* where our traces show local memory, as the PTX executor does */
#define GENERIC_WINDOW_BYTES (16ull << 20)      /* the hardware's generic window of shared and of local memory */
enum { SHAPE_MAX = 256 };
#define CODE_MARK " poise-code="

/* ---- numbers; each moves *at behind what it took ---- */
bool scan_decimal(const char **at, uint64_t *out);
bool scan_hex(const char **at, uint64_t *out); /* 0x optional */
void skip_blanks(const char **at);

/* ---- opcodes ---- */
enum sass_arch { ARCH_KEPLER = 1, ARCH_PASCAL = 2, ARCH_VOLTA = 4, ARCH_TURING = 8, ARCH_AMPERE = 16 };
unsigned sass_arch_of(uint32_t binary_version); /* 0: unknown */
/* What addresses mean. GENERIC is resolved by address. */
enum sass_memory { SASS_NONE, SASS_GLOBAL, SASS_LOCAL, SASS_SHARED, SASS_GENERIC, SASS_CONST, SASS_ASYNC /* LDGSTS */ };
struct sass_opcode {
    const char *base;
    uint8_t cls;    /* enum trace_class */
    uint8_t memory; /* enum sass_memory */
    uint8_t archs;
};
const struct sass_opcode *sass_opcodes(size_t *n);                           /* all rows, sorted by name */
const struct sass_opcode *sass_opcode_find(const char *text, size_t length); /* by what stands before the first dot */
/* Fills class, space, bytes, cache operator, atomic, scope and flags from an opcode's text. */
void sass_opcode_decode(struct trace_inst *inst, const struct sass_opcode *opcode, const char *text, size_t length,
                        bool has_dst);
/* Bytes a lane moves: the first modifier that is a number of bits, or U and S with one; else 4. */
uint32_t sass_opcode_bytes(const char *text, size_t length);
/* The opcode of one of our instructions; `text` holds SASS_OPCODE_MAX bytes. */
void sass_opcode_text(char *text, const struct trace_inst *inst, enum accelsim_isa isa);

/* ---- header ---- */
struct sass_header {
    struct accelsim_header h;
    struct trace_launch launch; /* grid, block, resources */
    char *kernel, *code;        /* name; base64 of the static code, NULL without one */
};
int sass_header_read(struct sass_header *out, struct text_source *s, struct error *err);
void sass_header_fini(struct sass_header *header);

/* ---- one instruction ---- */
struct sass_line {
    uint64_t pc, line, imm;
    uint32_t mask, width;
    uint8_t n_dst, n_src;
    bool has_addresses;
    uint16_t dst[TRACE_MAX_DST], src[TRACE_MAX_SRC];
    const char *opcode, *shape; /* into the line: the opcode; what stands between the mask and the addresses */
    size_t opcode_length, shape_length;
    uint64_t addresses[TRACE_LANES];
};
int sass_line_parse(struct sass_line *out, const struct text_source *s, const struct accelsim_header *header,
                    const char *text, struct error *err);
/* n_dst dsts opcode n_src srcs width of one of our instructions, as exported. Returns its length. */
size_t sass_shape_text(char *text, size_t size, const struct trace_inst *inst, enum accelsim_isa isa);

/* ---- static code in the header ---- */
struct sass_code {
    struct trace_launch launch;
    struct trace_inst *code;
    char *strings;
    size_t n_strings;
    bool has_raw_local; /* local addresses stand in the file as they are in the trace */
};
/* base64; the caller's to free() */
char *sass_code_pack(const struct trace *trace, bool has_raw_local, struct error *err);
int sass_code_unpack(struct sass_code *out, const char *text, const char *name, struct error *err);
void sass_code_fini(struct sass_code *code);
#endif
