/* Atomics: lane after lane, ascending, which is one of the orders that the hardware may choose. [PTX ISA 9.7.13.4] */
#include <string.h>
#include "exec/exec.h"
#include "exec/half.h"

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

/* 16-bit registers have elements of 4 bytes */
static uint32_t stride_of(uint32_t bytes) { return bytes == 8 ? 8 : 4; }

static uint64_t lane_value(const struct warp *w, uint32_t slot, uint32_t l, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, w->regs + slot + l * stride_of(bytes), bytes);
    return value;
}

/* Element i of an addition of vectors; the results' slots are d, c, e, d2. */
static void vector_element(struct warp *w, const struct uop *u, uint32_t l, uint32_t i, unsigned char *at, bool flushes)
{
    const uint32_t results[] = {u->d, u->c, u->e, u->d2}, bytes = u->bytes;
    uint64_t old = 0, b = lane_value(w, u->vec[i], l, bytes);
    memcpy(&old, at, bytes);
    const uint64_t sum = flushes ? flush_single(atomic_add(T_F32, flush_single(old), flush_single(b)))
                                 : atomic_add((enum ptx_type)u->type, old, b);
    memcpy(at, &sum, bytes);
    if (results[i] != NO_SLOT) memcpy(w->regs + results[i] + l * stride_of(bytes), &old, stride_of(bytes));
}

static int atomic_space(struct run *r, struct warp *w, const struct uop *u, enum space space, uint32_t mask,
                        uint64_t addresses[LANES])
{
    const uint32_t bytes = u->bytes, n = u->n_vec;
    const bool flushes = u->op == TRACE_ATOMIC_ADD && u->type == T_F32 && space == SP_GLOBAL;
    if (to_host(r, w, u, space, mask, bytes * n, addresses) < 0) return -1;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        unsigned char *at = (unsigned char *)(uintptr_t)addresses[l];
        uint64_t old = 0;
        if (n > 1) {
            for (uint32_t i = 0; i < n; i++) vector_element(w, u, l, i, at + i * bytes, flushes);
            r->changed = r->counts.warp_insts;
            continue;
        }
        memcpy(&old, at, bytes);
        const uint64_t b = lane_value(w, u->b, l, bytes), c = u->c == NO_SLOT ? 0 : lane_value(w, u->c, l, bytes);
        const uint64_t result = flushes
                                    ? flush_single(atomic_apply(u->op, T_F32, flush_single(old), flush_single(b), 0))
                                    : atomic_apply(u->op, (enum ptx_type)u->type, old, b, c);
        memcpy(at, &result, bytes);
        if (result != old) r->changed = r->counts.warp_insts;
        if (u->d != NO_SLOT) memcpy(w->regs + u->d + l * stride_of(bytes), &old, stride_of(bytes));
    }
    return 0;
}

int exec_atomic(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES];
    lane_addresses(w, u, mask, addresses);
    record_addresses(w, u, mask, addresses);
    return each_space(r, w, u, mask, addresses, atomic_space);
}
