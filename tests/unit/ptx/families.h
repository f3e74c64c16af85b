/* Instruction families against oracles of their own. A case is one spelling of an instruction; it runs over many
 * operand triples (edge values, small integers, floats of near exponents, random bits; all 65536 values where the
 * first operand has 16 bits), and every result must have the oracle's bits. The number of triples is the first
 * argument of the program; 131072 take some seconds to a quarter of a minute a program. */
#ifndef PTX_FAMILIES_H
#define PTX_FAMILIES_H
#include "ptx_rig.h"

/* The operand's register: h 16 bits, w 32, l 64, p predicate (a random bit); n: an amount or length of 32 bits,
 * mostly below 80 */
struct triple {
    uint64_t a, b, c;
};
typedef uint64_t oracle_fn(const void *how, struct triple x);

static uint32_t n_samples = 1u << 14; /* a multiple of 1024 */
static unsigned n_cases, n_wrong;     /* n_wrong: since the last look */

static inline uint64_t mix(uint64_t x) /* splitmix64 */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint64_t edge(char kind, uint64_t r)
{
    static const uint64_t words[] = {0,          1,          2,          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                                     0xfffffffe, 31,         32,         0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff,
                                     0xffc12345, 0x7f800001, 0x00800000, 0x007fffff, 0x807fffff, 0x00000001, 0x3f800000,
                                     0xbf800000, 0x3f000000, 0x40200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000,
                                     0xdf000000, 0x5f800000, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3effffff, 0xc0200000,
                                     0x4b000001, 0x477fe000, 0x477ff000, 0x33000000};
    static const uint64_t doubles[] = {0,
                                       1,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       ~(uint64_t)0,
                                       0x7fffffff,
                                       0xffffffff,
                                       63,
                                       64,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0x7ff4000000000001,
                                       0x0010000000000000,
                                       0x000fffffffffffff,
                                       0x800fffffffffffff,
                                       0x3ff0000000000000,
                                       0xbff0000000000000,
                                       0x3fe0000000000000,
                                       0x4004000000000000,
                                       0x43e0000000000000,
                                       0xc3e0000000000000,
                                       0x43f0000000000000,
                                       0x41e0000000000000,
                                       0xc1e0000000000000,
                                       0x41dfffffffc00000,
                                       0x41efffffffe00000,
                                       0x7fefffffffffffff,
                                       0x47efffffe0000000,
                                       0x47effffff0000000,
                                       0x36a0000000000000,
                                       0x3690000000000000,
                                       0x380fffffe0000000,
                                       0x3fefffffffffffff,
                                       0xbfe0000000000000};
    return kind == 'l' ? doubles[r % (sizeof doubles / 8)] : words[r % (sizeof words / 8)];
}

static inline uint64_t sample(char kind, uint32_t i, uint32_t which)
{
    const uint64_t r = mix((uint64_t)i << 2 | which), s = mix(r);
    if (kind == 'p') return r & 1;
    if (kind == 'n') return s % 16 ? r % 80 : (uint32_t)r;
    if (kind == 'h') return which ? r & 0xffff : i & 0xffff;
    switch (s % 4) {
    case 0: return edge(kind, r);
    case 1: /* a small integer, of either sign */
        return kind == 'l' ? (uint64_t)((int64_t)(r % 2001) - 1000) : (uint32_t)((int32_t)(r % 2001) - 1000);
    case 2: /* a float whose exponent is near those of the other operands */
        if (kind == 'l') return (r & 0x800fffffffffffff) | (1023 - 60 + (s >> 8) % 120) << 52;
        return (uint32_t)((r & 0x807fffff) | (127 - 28 + (s >> 8) % 56) << 23);
    default: return kind == 'l' ? r : (uint32_t)r;
    }
}

#define FAMILY_BASE 0x700000000000ull
struct family_memory {
    unsigned char *bytes;
    struct ptx_extent all;
};
static inline struct ptx_extent family_find(void *self, uint64_t address)
{
    const struct family_memory *m = self;
    return address >= m->all.lo && address < m->all.hi ? m->all : (struct ptx_extent){0, 0, NULL};
}

static inline const char *register_of(char kind) { return kind == 'h' ? "b16" : kind == 'l' ? "b64" : "b32"; }
static inline uint32_t bytes_of(char kind) { return kind == 'h' ? 2 : kind == 'l' ? 8 : 4; }

/* A kernel of one thread an operand triple. kinds: of d, a, b, c. */
static inline struct ptx_module *family_module(const char *inst, const char *kinds, struct error *err)
{
    char text[4096];
    struct ptx_module *module = NULL;
    size_t at = (size_t)snprintf(text, sizeof text,
                                 ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 at_d, "
                                 ".param .u64 at_a, .param .u64 at_b, .param .u64 at_c)\n{\n"
                                 ".reg .b64 x, y; .reg .b32 i, j; .reg .pred p, q; .reg .%s d;\nmov.u32 i, %%ctaid.x; "
                                 "mov.u32 j, %%tid.x; mad.lo.u32 i, i, 256, j;\n",
                                 register_of(kinds[0]));
    for (int k = 1; kinds[k]; k++) {
        const char name = "dabc"[k];
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            ".reg .%s %c; ld.param.u64 x, [at_%c]; mul.wide.u32 y, i, %u; add.u64 x, x, y; ld.global.%s %c, [x];\n",
            register_of(kinds[k]), name, name, bytes_of(kinds[k]), register_of(kinds[k]), name);
        if (kinds[k] == 'p')
            at += (size_t)snprintf(text + at, sizeof text - at, ".reg .pred p%c; setp.ne.u32 p%c, %c, 0;\n", name, name,
                                   name);
    }
    snprintf(text + at, sizeof text - at,
             "%s;\nld.param.u64 x, [at_d]; mul.wide.u32 y, i, %u; add.u64 x, x, y; st.global.%s [x], d;\nret;\n}\n",
             inst, bytes_of(kinds[0]), register_of(kinds[0]));
    return ptx_module_new(&module, "case", text, strlen(text), err) < 0 ? NULL : module;
}

/* `inst` (registers d, a, b, c; predicates p, q, and pa, pb, pc of operands of kind p) gives the oracle's bits
 * everywhere. */
static inline void family_case(const char *inst, const char *kinds, oracle_fn *oracle, const void *how)
{
    /* all there are, of 16 bits */
    const size_t n_operands = strlen(kinds), n = !strcmp(kinds + 1, "h") ? 65536 : n_samples;
    uint64_t params[4] = {0}, top = 0;
    for (size_t k = 0; k < n_operands; k++)
        params[k] = FAMILY_BASE + top, top += (n * bytes_of(kinds[k]) + 511) / 256 * 256;
    struct family_memory m = {aligned_alloc(256, top), {FAMILY_BASE, FAMILY_BASE + top, NULL}};
    memset(m.bytes, 0, top);
    for (size_t k = 1; k < n_operands; k++)
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t x = sample(kinds[k], i, (uint32_t)k - 1);
            memcpy(m.bytes + (params[k] - FAMILY_BASE) + (size_t)i * bytes_of(kinds[k]), &x, bytes_of(kinds[k]));
        }
    struct error err = {0};
    struct ptx_module *module = family_module(inst, kinds, &err);
    if (!module) {
        print_error("%s: %s\n", inst, err.text);
        n_wrong++;
        free(m.bytes);
        return;
    }
    const struct ptx_memory memory = {m.bytes, FAMILY_BASE, top, family_find, &m};
    const struct ptx_grid grid = {{(uint32_t)n / 256, 1, 1}, {256, 1, 1}, 0};
    if (ptx_run(ptx_module_kernel(module, 0), &grid, params, 32, &memory, NULL, 0, NULL, &err) < 0)
        fail_msg("%s: %s", inst, err.text);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t in[4] = {0}, got = 0;
        for (size_t k = 0; k < n_operands; k++)
            memcpy(&in[k], m.bytes + (params[k] - FAMILY_BASE) + (size_t)i * bytes_of(kinds[k]), bytes_of(kinds[k]));
        got = in[0];
        const uint64_t wanted = oracle(how, (struct triple){in[1], in[2], in[3]}) &
                                (bytes_of(kinds[0]) == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * bytes_of(kinds[0])) - 1);
        if (got == wanted) continue;
        print_error("%s: a %llx b %llx c %llx: %llx, not %llx\n", inst, (unsigned long long)in[1],
                    (unsigned long long)in[2], (unsigned long long)in[3], (unsigned long long)got,
                    (unsigned long long)wanted);
        n_wrong++;
        break;
    }
    ptx_module_free(module);
    free(m.bytes);
    n_cases++;
}

/* After the cases of a test: every wrong one has been told. */
static inline void none_wrong(void)
{
    const unsigned wrong = n_wrong;
    n_wrong = 0;
    if (wrong) fail_msg("%u spellings are wrong", wrong);
}

static inline void family_arguments(int argc, char **argv)
{
    if (argc > 1) n_samples = (uint32_t)(strtoul(argv[1], NULL, 0) + 1023) / 1024 * 1024;
}

/* A row of a table whose oracle is an expression of a, b, c of the types A, B, C. */
#define ORACLE(id, A, B, C, expr) \
    static uint64_t id(const void *how, struct triple x) \
    { \
        const A a = (A)x.a; \
        const B b = (B)x.b; \
        const C c = (C)x.c; \
        (void)how, (void)a, (void)b, (void)c; \
        return (uint64_t)(expr); \
    }
#endif
