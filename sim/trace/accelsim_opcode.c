/* SASS opcodes of the instruction sets that Accel-Sim knows, and what they are to the timing model.
 * [CUDA Binary Utilities, "Instruction Set Reference": Kepler, Maxwell and Pascal, Volta, Turing, Ampere]
 * What NVIDIA lists under "Uniform Datapath Instructions" has the class UDP. Half precision has none of its own: it
 * runs in the units of single precision, in their time. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "accelsim_internal.h"

#define K ARCH_KEPLER
#define P ARCH_PASCAL
#define V ARCH_VOLTA
#define T ARCH_TURING
#define A ARCH_AMPERE
#define VTA (V | T | A)
#define TA (T | A)
#define ALL (K | P | V | T | A)
#define OLD (K | P)
#define ROW(base, cls, archs) {#base, TRACE_##cls, SASS_NONE, archs},
#define MEM(base, cls, memory, archs) {#base, TRACE_##cls, SASS_##memory, archs},

/* Sorted by name: sass_opcode_find searches by halves. */
static const struct sass_opcode opcodes[] = {
    /* clang-format off */
    ROW(ARRIVES, INT, A) MEM(ATOM, ATOMIC, GENERIC, ALL) MEM(ATOMG, ATOMIC, GLOBAL, VTA)
    MEM(ATOMS, ATOMIC, SHARED, P | VTA) ROW(B2R, INT, ALL) ROW(BAR, BARRIER, ALL) ROW(BFE, INT, OLD) ROW(BFI, INT, OLD)
    ROW(BMMA, TENSOR, TA) ROW(BMOV, BRANCH, VTA) ROW(BMSK, INT, VTA) ROW(BPT, BRANCH, ALL) ROW(BRA, BRANCH, ALL)
    ROW(BREAK, BRANCH, VTA) ROW(BREV, INT, VTA) ROW(BRK, BRANCH, OLD) ROW(BRX, BRANCH, ALL) ROW(BRXU, BRANCH, TA)
    ROW(BSSY, BRANCH, VTA) ROW(BSYNC, BRANCH, VTA) ROW(CAL, BRANCH, OLD) ROW(CALL, BRANCH, VTA) ROW(CCTL, INT, ALL)
    ROW(CCTLL, INT, ALL) ROW(CCTLT, INT, P | VTA) ROW(CONT, BRANCH, OLD) ROW(CS2R, INT, P | VTA) ROW(CSET, INT, OLD)
    ROW(CSETP, INT, OLD) ROW(CSMTEST, INT, V | T) ROW(DADD, DP, ALL) ROW(DEPBAR, INT, P | VTA) ROW(DFMA, DP, ALL)
    ROW(DMMA, TENSOR, A) ROW(DMNMX, DP, OLD) ROW(DMUL, DP, ALL) ROW(DSET, DP, OLD) ROW(DSETP, DP, ALL)
    ROW(ERRBAR, FENCE, VTA) ROW(EXIT, EXIT, ALL) ROW(F2F, SFU, ALL) ROW(F2FP, FP, A) ROW(F2I, SFU, ALL)
    ROW(F2IP, SFU, A) ROW(FADD, FP, ALL) ROW(FADD32I, FP, ALL) ROW(FCHK, FP, ALL) ROW(FCMP, FP, OLD)
    ROW(FFMA, FP_MUL, ALL) ROW(FFMA32I, FP_MUL, ALL) ROW(FLO, INT, ALL) ROW(FMNMX, FP, ALL) ROW(FMUL, FP_MUL, ALL)
    ROW(FMUL32I, FP_MUL, ALL) ROW(FRND, SFU, VTA) ROW(FSEL, FP, VTA) ROW(FSET, FP, ALL) ROW(FSETP, FP, ALL)
    ROW(FSWZ, FP, K) ROW(FSWZADD, FP, P | VTA) ROW(GETCRSPTR, INT, P) ROW(GETLMEMBASE, INT, VTA) ROW(HADD2, FP, P | VTA)
    ROW(HADD2_32I, FP, P | VTA) ROW(HFMA2, FP_MUL, P | VTA) ROW(HFMA2_32I, FP_MUL, P | VTA) ROW(HMMA, TENSOR, VTA)
    ROW(HMNMX2, FP, A) ROW(HMUL2, FP_MUL, P | VTA) ROW(HMUL2_32I, FP_MUL, P | VTA) ROW(HSET2, FP, P | VTA)
    ROW(HSETP2, FP, P | VTA) ROW(I2F, SFU, ALL) ROW(I2FP, FP, A) ROW(I2I, INT, ALL) ROW(I2IP, INT, VTA)
    ROW(IABS, INT, VTA) ROW(IADD, INT, ALL) ROW(IADD3, INT, P | VTA) ROW(IADD32I, INT, ALL) ROW(ICMP, INT, OLD)
    ROW(IDE, INT, P) ROW(IDP, INT_MUL, P | VTA) ROW(IDP4A, INT_MUL, VTA) ROW(IMAD, INT_MUL, ALL)
    ROW(IMADSP, INT_MUL, OLD) ROW(IMMA, TENSOR, VTA) ROW(IMNMX, INT, ALL) ROW(IMUL, INT_MUL, ALL)
    ROW(IMUL32I, INT_MUL, ALL) ROW(IPA, SFU, OLD) ROW(ISAD, INT, OLD) ROW(ISCADD, INT, ALL) ROW(ISCADD32I, INT, ALL)
    ROW(ISET, INT, OLD) ROW(ISETP, INT, ALL) ROW(JCAL, BRANCH, OLD) ROW(JMP, BRANCH, ALL) ROW(JMX, BRANCH, ALL)
    ROW(JMXU, BRANCH, TA) ROW(KIL, EXIT, P) ROW(KILL, EXIT, VTA) MEM(LD, LOAD, GENERIC, ALL) MEM(LDC, LOAD, CONST, ALL)
    MEM(LDG, LOAD, GLOBAL, ALL) ROW(LDGDEPBAR, INT, A) MEM(LDGSTS, LOAD, ASYNC, A) MEM(LDL, LOAD, LOCAL, ALL)
    MEM(LDS, LOAD, SHARED, ALL) MEM(LDSLK, LOAD, SHARED, K) MEM(LDSM, LOAD, SHARED, TA) ROW(LEA, INT, P | VTA)
    ROW(LEPC, INT, ALL) ROW(LONGJMP, BRANCH, OLD) ROW(LOP, INT, ALL) ROW(LOP3, INT, P | VTA) ROW(LOP32I, INT, ALL)
    ROW(MATCH, INT, VTA) ROW(MEMBAR, FENCE, ALL) ROW(MOV, INT, ALL) ROW(MOV32I, INT, ALL) ROW(MOVM, INT, TA)
    ROW(MUFU, SFU, ALL) ROW(NANOSLEEP, INT, VTA) ROW(NOP, INT, ALL) ROW(P2R, INT, ALL) ROW(PBK, BRANCH, OLD)
    ROW(PCNT, BRANCH, OLD) ROW(PEXIT, BRANCH, P) ROW(PLONGJMP, BRANCH, OLD) ROW(PLOP3, INT, VTA) ROW(PMTRIG, INT, VTA)
    ROW(POPC, INT, ALL) ROW(PRET, BRANCH, OLD) ROW(PRMT, INT, ALL) ROW(PSET, INT, OLD) ROW(PSETP, INT, ALL)
    ROW(QSPC, INT, VTA) ROW(R2B, INT, P | VTA) ROW(R2P, INT, ALL) ROW(R2UR, UDP, TA) ROW(RAM, INT, P)
    MEM(RED, ATOMIC, GLOBAL, ALL) ROW(REDUX, UDP, A) ROW(RET, BRANCH, ALL) ROW(RPCMOV, INT, VTA) ROW(RRO, FP, OLD)
    ROW(RTT, BRANCH, VTA) ROW(S2R, INT, ALL) ROW(S2UR, UDP, TA) ROW(SAM, INT, P) ROW(SEL, INT, ALL)
    ROW(SETCRSPTR, INT, P) ROW(SETCTAID, INT, VTA) ROW(SETLMEMBASE, INT, VTA) ROW(SGXT, INT, VTA) ROW(SHF, INT, ALL)
    ROW(SHFL, INT, ALL) ROW(SHL, INT, ALL) ROW(SHR, INT, ALL) ROW(SSY, BRANCH, OLD) MEM(ST, STORE, GENERIC, ALL)
    MEM(STG, STORE, GLOBAL, P | VTA) MEM(STL, STORE, LOCAL, ALL) MEM(STS, STORE, SHARED, ALL)
    MEM(STSCUL, STORE, SHARED, K) ROW(SUATOM, TEXTURE, P | VTA) ROW(SUBFM, INT, K) ROW(SUCLAMP, INT, K)
    ROW(SUEAU, INT, K) ROW(SULD, TEXTURE, P | VTA) ROW(SULDGA, TEXTURE, K) ROW(SURED, TEXTURE, P | VTA)
    ROW(SUST, TEXTURE, P | VTA) ROW(SUSTGA, TEXTURE, K) ROW(SYNC, BRANCH, P) ROW(TEX, TEXTURE, ALL)
    ROW(TEXS, TEXTURE, P) ROW(TLD, TEXTURE, ALL) ROW(TLD4, TEXTURE, ALL) ROW(TLD4S, TEXTURE, P) ROW(TLDS, TEXTURE, P)
    ROW(TMML, TEXTURE, VTA) ROW(TXA, TEXTURE, P) ROW(TXD, TEXTURE, ALL) ROW(TXQ, TEXTURE, ALL) ROW(UBMSK, UDP, TA)
    ROW(UBREV, UDP, TA) ROW(UCLEA, UDP, TA) ROW(UF2FP, UDP, A) ROW(UFLO, UDP, TA) ROW(UIADD3, UDP, TA)
    ROW(UIMAD, UDP, TA) ROW(UISETP, UDP, TA) MEM(ULDC, LOAD, CONST, TA) ROW(ULEA, UDP, TA) ROW(ULOP, UDP, TA)
    ROW(ULOP3, UDP, TA) ROW(ULOP32I, UDP, TA) ROW(UMOV, UDP, TA) ROW(UP2UR, UDP, TA) ROW(UPLOP3, UDP, TA)
    ROW(UPOPC, UDP, TA) ROW(UPRMT, UDP, TA) ROW(UPSETP, UDP, TA) ROW(UR2UP, UDP, TA) ROW(USEL, UDP, TA)
    ROW(USGXT, UDP, TA) ROW(USHF, UDP, TA) ROW(USHL, UDP, TA) ROW(USHR, UDP, TA) ROW(VABSDIFF, INT, P | VTA)
    ROW(VABSDIFF4, INT, VTA) ROW(VADD, INT, P) ROW(VMAD, INT_MUL, P) ROW(VMNMX, INT, P) ROW(VOTE, INT, ALL)
    ROW(VOTEU, UDP, TA) ROW(VOTE_VTG, INT, VTA) ROW(VSET, INT, P) ROW(VSETP, INT, P) ROW(VSHL, INT, P) ROW(VSHR, INT, P)
    ROW(WARPSYNC, BRANCH, VTA) ROW(XMAD, INT_MUL, P) ROW(YIELD, BRANCH, VTA)
    /* clang-format on */
};
#undef K
#undef P
#undef V
#undef T
#undef A

unsigned sass_arch_of(uint32_t binary_version)
{
    switch (binary_version) {
    case 35: return ARCH_KEPLER;
    case 60:
    case 61: return ARCH_PASCAL;
    case 70: return ARCH_VOLTA;
    case 75: return ARCH_TURING;
    case 80:
    case 86: return ARCH_AMPERE;
    default: return 0;
    }
}

const struct sass_opcode *sass_opcodes(size_t *n)
{
    *n = sizeof opcodes / sizeof *opcodes;
    return opcodes;
}

struct opcode_name {
    const char *text;
    size_t length;
};
static int compare_opcode(const void *key, const void *row)
{
    const struct opcode_name *k = key;
    const char *base = ((const struct sass_opcode *)row)->base;
    const int order = strncmp(k->text, base, k->length);
    return order ? order : base[k->length] ? -1 : 0;
}

const struct sass_opcode *sass_opcode_find(const char *text, size_t length)
{
    const char *dot = memchr(text, '.', length);
    const struct opcode_name key = {text, dot ? (size_t)(dot - text) : length};
    return bsearch(&key, opcodes, sizeof opcodes / sizeof *opcodes, sizeof *opcodes, compare_opcode);
}

/* The next modifier of an opcode; NULL at the end. */
static const char *next_modifier(const char **at, const char *end, size_t *length)
{
    const char *dot = memchr(*at, '.', (size_t)(end - *at));
    if (!dot) return NULL;
    const char *begin = dot + 1, *stop = memchr(begin, '.', (size_t)(end - begin));
    *length = (size_t)((stop ? stop : end) - begin);
    *at = begin + *length;
    return begin;
}

uint32_t sass_opcode_bytes(const char *text, size_t length)
{
    const char *at = text, *end = text + length, *m;
    size_t n;
    while ((m = next_modifier(&at, end, &n)) != NULL) {
        const size_t letter = n > 1 && (*m == 'U' || *m == 'S');
        uint32_t bits = 0;
        size_t i = letter;
        while (i < n && isdigit((unsigned char)m[i]) && bits < 100000) bits = bits * 10 + (uint32_t)(m[i++] - '0');
        if (n && i == n && bits >= 8 && bits <= 512) return bits / 8;
    }
    return 4;
}

/* Modifiers that mean something to a memory model. */
static const struct {
    const char *text;
    uint8_t cache_op, atomic, scope;
} modifiers[] = {
    {"CA", TRACE_CACHE_CA, 0, 0},       {"CG", TRACE_CACHE_CG, 0, 0},      {"CS", TRACE_CACHE_CS, 0, 0},
    {"CV", TRACE_CACHE_CV, 0, 0},       {"LU", TRACE_CACHE_LU, 0, 0},      {"WT", TRACE_CACHE_WT, 0, 0},
    {"CONSTANT", TRACE_CACHE_NC, 0, 0}, {"EF", TRACE_CACHE_CS, 0, 0},      {"CTA", 0, 0, TRACE_SCOPE_CTA},
    {"SM", 0, 0, TRACE_SCOPE_CTA},      {"GPU", 0, 0, TRACE_SCOPE_GPU},    {"GL", 0, 0, TRACE_SCOPE_GPU},
    {"SYS", 0, 0, TRACE_SCOPE_SYS},     {"ADD", 0, TRACE_ATOMIC_ADD, 0},   {"MIN", 0, TRACE_ATOMIC_MIN, 0},
    {"MAX", 0, TRACE_ATOMIC_MAX, 0},    {"AND", 0, TRACE_ATOMIC_AND, 0},   {"OR", 0, TRACE_ATOMIC_OR, 0},
    {"XOR", 0, TRACE_ATOMIC_XOR, 0},    {"EXCH", 0, TRACE_ATOMIC_EXCH, 0}, {"CAS", 0, TRACE_ATOMIC_CAS, 0},
    {"CAST", 0, TRACE_ATOMIC_CAS, 0},   {"INC", 0, TRACE_ATOMIC_INC, 0},   {"DEC", 0, TRACE_ATOMIC_DEC, 0},
};

void sass_opcode_decode(struct trace_inst *inst, const struct sass_opcode *opcode, const char *text, size_t length,
                        bool has_dst)
{
    const char *at = text, *end = text + length, *m;
    size_t n;
    bool is_strong = false;
    inst->cls = opcode->cls;
    if (opcode->memory == SASS_NONE && opcode->cls != TRACE_FENCE) return;
    while ((m = next_modifier(&at, end, &n)) != NULL) {
        is_strong |= n == 6 && memcmp(m, "STRONG", 6) == 0;
        for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
            if (strlen(modifiers[i].text) != n || memcmp(modifiers[i].text, m, n) != 0) continue;
            if (modifiers[i].cache_op) inst->cache_op = modifiers[i].cache_op;
            if (modifiers[i].atomic && opcode->cls == TRACE_ATOMIC) inst->atomic = modifiers[i].atomic;
            if (modifiers[i].scope) inst->scope = modifiers[i].scope;
        }
    }
    if (opcode->cls == TRACE_FENCE) return;
    inst->bytes = opcode->memory == SASS_CONST ? 4 : (uint8_t)sass_opcode_bytes(text, length);
    /* .SYS alone is how Volta and Turing write weak accesses: LDG.E.SYS is an ordinary load. */
    if (!is_strong && opcode->cls != TRACE_ATOMIC) inst->scope = TRACE_SCOPE_NONE;
    /* .STRONG.GPU and wider go around L1, as the format's semantics say. */
    if (is_strong && inst->scope >= TRACE_SCOPE_GPU && opcode->cls == TRACE_LOAD) inst->cache_op = TRACE_CACHE_CG;
    if (opcode->cls == TRACE_ATOMIC && inst->atomic == TRACE_ATOMIC_NONE) inst->atomic = TRACE_ATOMIC_ADD;
    if (opcode->cls == TRACE_ATOMIC && has_dst) inst->flags |= TRACE_RESULT_USED;
}

/* ---- ours into SASS ---- */
static const char *atomic_modifier(const struct trace_inst *inst)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (modifiers[i].atomic && modifiers[i].atomic == inst->atomic) return modifiers[i].text;
    return "ADD";
}

static const char *memory_base(const struct trace_inst *inst, bool is_kepler)
{
    const bool is_load = inst->cls == TRACE_LOAD, is_atomic = inst->cls == TRACE_ATOMIC;
    switch (inst->space) {
    case TRACE_SPACE_SHARED: return is_atomic ? (is_kepler ? "LDS" : "ATOMS") : is_load ? "LDS" : "STS";
    case TRACE_SPACE_LOCAL: return is_load || is_atomic ? "LDL" : "STL";
    case TRACE_SPACE_CONST:
    case TRACE_SPACE_PARAM: return "LDC";
    case TRACE_SPACE_TEXTURE: return "LDG";
    default: break;
    }
    if (is_atomic) return inst->flags & TRACE_RESULT_USED ? (is_kepler ? "ATOM" : "ATOMG") : "RED";
    return is_load ? (is_kepler ? "LD" : "LDG") : is_kepler ? "ST" : "STG";
}

static void memory_text(char *text, const struct trace_inst *inst, bool is_kepler)
{
    const char *base = memory_base(inst, is_kepler);
    const bool is_global =
        inst->space == TRACE_SPACE_GLOBAL || inst->space == TRACE_SPACE_NONE || inst->space == TRACE_SPACE_TEXTURE;
    int n = snprintf(text, SASS_OPCODE_MAX, "%s%s", base, is_global ? ".E" : "");
    if (strncmp(base, "ATOM", 4) == 0 || strcmp(base, "RED") == 0)
        n += snprintf(text + n, SASS_OPCODE_MAX - (size_t)n, ".%s", atomic_modifier(inst));
    if (inst->bytes == 1 || inst->bytes == 2)
        n += snprintf(text + n, SASS_OPCODE_MAX - (size_t)n, ".U%u", inst->bytes * 8u);
    else if (inst->bytes != 4) n += snprintf(text + n, SASS_OPCODE_MAX - (size_t)n, ".%u", inst->bytes * 8u);
    if (!is_global) return;
    /* The reference's reader sends loads around L1 that have STRONG and GPU, whatever else they have. */
    const bool is_around = trace_load_passes_l1(inst);
    const char *more = is_around ? ".STRONG.GPU" : "";
    if (!is_around && inst->cache_op == TRACE_CACHE_CS) more = is_kepler ? ".CS" : ".EF";
    if (!is_around && inst->cache_op == TRACE_CACHE_NC && !is_kepler) more = ".CONSTANT";
    snprintf(text + n, SASS_OPCODE_MAX - (size_t)n, "%s", more);
}

void sass_opcode_text(char *text, const struct trace_inst *inst, enum accelsim_isa isa)
{
    const bool is_kepler = isa == ACCELSIM_KEPLER;
    const char *plain = "NOP";
    switch (inst->cls) {
    case TRACE_INT: plain = is_kepler ? "IADD" : "IADD3"; break;
    case TRACE_INT_MUL: plain = "IMAD"; break;
    case TRACE_FP: plain = "FADD"; break;
    case TRACE_FP_MUL: plain = "FFMA"; break;
    case TRACE_DP: plain = "DFMA"; break;
    case TRACE_DP_DIV: plain = "MUFU.RCP64H"; break;
    case TRACE_INT_DIV:
    case TRACE_FP_DIV: plain = "MUFU.RCP"; break;
    case TRACE_SFU: plain = "MUFU.EX2"; break;
    case TRACE_BRANCH: plain = "BRA"; break;
    case TRACE_BARRIER: plain = "BAR.SYNC"; break;
    case TRACE_FENCE:
        plain = inst->scope == TRACE_SCOPE_CTA   ? "MEMBAR.CTA"
                : inst->scope == TRACE_SCOPE_SYS ? "MEMBAR.SYS"
                                                 : "MEMBAR.GPU";
        break;
    case TRACE_EXIT: plain = "EXIT"; break;
    case TRACE_TENSOR: plain = is_kepler ? "FFMA" : "HMMA.884.F32.F32"; break; /* Kepler has no tensor cores, */
    case TRACE_UDP: plain = is_kepler ? "IADD" : "IADD3"; break;               /* and both no uniform datapath */
    case TRACE_TEXTURE: plain = "TEX"; break;
    default: memory_text(text, inst, is_kepler); return;
    }
    snprintf(text, SASS_OPCODE_MAX, "%s", plain);
}
