/* What an atomic does to the bytes in memory, whoever performs it and when. */
#include <string.h>
#include "exec/exec.h"
#include "poise/half.h"

static double as_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static float as_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}

static uint64_t atomic_add(enum ptx_type type, uint64_t old, uint64_t b)
{
    uint64_t bits = 0;
    if (type == T_F32) {
        const float sum = as_float(old) + as_float(b);
        if (sum != sum) return 0x7fffffff;
        memcpy(&bits, &sum, 4);
        return bits;
    }
    if (type == T_F64) {
        const double sum = as_double(old) + as_double(b);
        if (sum != sum) return 0x7ff8000000000000u;
        memcpy(&bits, &sum, 8);
        return bits;
    }
    if (type == T_F16 || type == T_F16X2)
        return f16_put(odd_sum(f16_get(old & 0xffff), f16_get(b & 0xffff))) |
               (uint64_t)f16_put(odd_sum(f16_get(old >> 16 & 0xffff), f16_get(b >> 16 & 0xffff))) << 16;
    if (type == T_BF16 || type == T_BF16X2)
        return bf16_put(odd_sum(bf16_get(old & 0xffff), bf16_get(b & 0xffff))) |
               (uint64_t)bf16_put(odd_sum(bf16_get(old >> 16 & 0xffff), bf16_get(b >> 16 & 0xffff))) << 16;
    return old + b;
}

static bool is_less(enum ptx_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case T_S32: return (int32_t)a < (int32_t)b;
    case T_S64: return (int64_t)a < (int64_t)b;
    default: return a < b;
    }
}

/* Operands are zero-extended to 64 bits; the caller keeps as many bits as the type has. */
uint64_t atomic_apply(uint8_t op, enum ptx_type type, uint64_t old, uint64_t b, uint64_t c)
{
    switch (op) {
    case TRACE_ATOMIC_ADD: return atomic_add(type, old, b);
    case TRACE_ATOMIC_MIN: return is_less(type, b, old) ? b : old;
    case TRACE_ATOMIC_MAX: return is_less(type, old, b) ? b : old;
    case TRACE_ATOMIC_AND: return old & b;
    case TRACE_ATOMIC_OR: return old | b;
    case TRACE_ATOMIC_XOR: return old ^ b;
    case TRACE_ATOMIC_EXCH: return b;
    case TRACE_ATOMIC_CAS: return old == b ? c : old;
    case TRACE_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case TRACE_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    default: return old;
    }
}

/* atom.add.f32 flushes subnormals in global memory, and there alone. [PTX ISA 9.7.13.5] */
static uint64_t flush_single(uint64_t bits) { return bits & 0x7f800000u ? bits : bits & 0x80000000u; }

bool atomic_perform(const struct atomic_op *x, uint64_t *old)
{
    *old = zero_extended(x->at, x->bytes);
    const uint64_t result = x->flushes
                                ? flush_single(atomic_apply(x->op, T_F32, flush_single(*old), flush_single(x->b), 0))
                                : atomic_apply(x->op, (enum ptx_type)x->type, *old, x->b, x->c);
    copy_bytes(x->at, &result, x->bytes);
    return result != *old;
}
