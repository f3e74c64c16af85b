/* PTX's fundamental types as rows. */
#ifndef PTX_TYPES_H
#define PTX_TYPES_H
#include <stdint.h>

/* name in PTX, bits, kind: u unsigned, s signed, b untyped bits, f float, h narrow float (and pairs), p predicate */
/* clang-format off */
#define PTX_TYPES(X) \
    X(U8, "u8", 8, 'u') X(U16, "u16", 16, 'u') X(U32, "u32", 32, 'u') X(U64, "u64", 64, 'u') \
    X(S8, "s8", 8, 's') X(S16, "s16", 16, 's') X(S32, "s32", 32, 's') X(S64, "s64", 64, 's') \
    X(B8, "b8", 8, 'b') X(B16, "b16", 16, 'b') X(B32, "b32", 32, 'b') X(B64, "b64", 64, 'b') \
    X(F32, "f32", 32, 'f') X(F64, "f64", 64, 'f') X(PRED, "pred", 1, 'p') \
    X(F16, "f16", 16, 'h') X(F16X2, "f16x2", 32, 'h') X(BF16, "bf16", 16, 'h') X(BF16X2, "bf16x2", 32, 'h') \
    X(U16X2, "u16x2", 32, 'x') X(S16X2, "s16x2", 32, 'x')
/* clang-format on */
enum ptx_type {
    T_NONE,
#define X(id, text, bits, kind) T_##id,
    PTX_TYPES(X)
#undef X
};

enum ptx_type type_named(const char *name); /* T_NONE if there is no such type */
const char *type_name(enum ptx_type type);
uint32_t type_bits(enum ptx_type type);
char type_kind(enum ptx_type type);
static inline uint32_t type_bytes(enum ptx_type type) { return type_bits(type) / 8; }
#endif
