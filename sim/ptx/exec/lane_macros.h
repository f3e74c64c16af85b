/* How a lane function is made: a row names it, its operand types and its expression over a, b, c, e. Every file of
 * rows is read twice, once for the functions and once for the table. Results go through a local array, so that the
 * loop has no aliasing to fear and vectorises; lanes outside the mask keep their old value. */
#ifndef PTX_LANE_MACROS_H
#define PTX_LANE_MACROS_H
#include <math.h>
#include <string.h>
#include "lower/lanes.h"

#if defined PTX_LANES_AVX512
#define VARIANT(id) id##_avx512
#elif defined PTX_LANES_AVX2
#define VARIANT(id) id##_avx2
#else
#define VARIANT(id) id##_base
#endif

/* w16: a 16-bit value, zero-extended */
typedef uint32_t w16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
#define ALIASING(t) typedef t __attribute__((may_alias)) t##_any;
/* clang-format off */
ALIASING(w16) ALIASING(u32) ALIASING(s32) ALIASING(u64) ALIASING(s64) ALIASING(f32) ALIASING(f64)
/* clang-format on */
#define WIDTH_w16 16
#define WIDTH_u32 32
#define WIDTH_s32 32
#define WIDTH_u64 64
#define WIDTH_s64 64
#define WIDTH_f32 32
#define WIDTH_f64 64
#define FLOAT_w16 0
#define FLOAT_u32 0
#define FLOAT_s32 0
#define FLOAT_u64 0
#define FLOAT_s64 0
#define FLOAT_f32 1
#define FLOAT_f64 1
#define PUT_w16 put32
#define PUT_u32 put32
#define PUT_s32 put32
#define PUT_u64 put64
#define PUT_s64 put64
#define PUT_f32 put32
#define PUT_f64 put64

#define EACH_LANE for (int l = 0; l < LANES; l++)

    static const uint32_t lane_bits[LANES] = {
        1u,       1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
        1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

static inline void put32(unsigned char *to, const void *from, uint32_t mask)
{
    if (mask == FULL_MASK) {
        memcpy(to, from, SLOT32);
        return;
    }
    u32_any *d = (u32_any *)(void *)to;
    const u32_any *t = from;
    EACH_LANE d[l] = mask & lane_bits[l] ? t[l] : d[l];
}

static inline void put64(unsigned char *to, const void *from, uint32_t mask)
{
    if (mask == FULL_MASK) {
        memcpy(to, from, SLOT64);
        return;
    }
    u64_any *d = (u64_any *)(void *)to;
    const u64_any *t = from;
    EACH_LANE d[l] = mask & lane_bits[l] ? t[l] : d[l];
}

#define SRC(T, field) const T##_any *p##field = (const T##_any *)(const void *)(regs + u->field)
#define FN1(name, D, A, expr) \
    static void name(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(A, a); \
        D t[LANES]; \
        EACH_LANE \
        { \
            const A a = pa[l]; \
            t[l] = (D)(expr); \
        } \
        PUT_##D(regs + u->d, t, mask); \
    }
#define FN2(name, D, A, B, expr) \
    static void name(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(A, a); \
        SRC(B, b); \
        D t[LANES]; \
        EACH_LANE \
        { \
            const A a = pa[l]; \
            const B b = pb[l]; \
            t[l] = (D)(expr); \
        } \
        PUT_##D(regs + u->d, t, mask); \
    }
#define FN3(name, D, A, B, C, expr) \
    static void name(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(A, a); \
        SRC(B, b); \
        SRC(C, c); \
        D t[LANES]; \
        EACH_LANE \
        { \
            const A a = pa[l]; \
            const B b = pb[l]; \
            const C c = pc[l]; \
            t[l] = (D)(expr); \
        } \
        PUT_##D(regs + u->d, t, mask); \
    }
#define FN4(name, D, A, B, C, E, expr) \
    static void name(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(A, a); \
        SRC(B, b); \
        SRC(C, c); \
        SRC(E, e); \
        D t[LANES]; \
        EACH_LANE \
        { \
            const A a = pa[l]; \
            const B b = pb[l]; \
            const C c = pc[l]; \
            const E e = pe[l]; \
            t[l] = (D)(expr); \
        } \
        PUT_##D(regs + u->d, t, mask); \
    }
#define ROW1(id, D, A, expr) {#id, id, 1, {WIDTH_##D, WIDTH_##A, 0, 0, 0}, FLOAT_##D | FLOAT_##A << 1},
#define ROW2(id, D, A, B, expr) \
    {#id, id, 2, {WIDTH_##D, WIDTH_##A, WIDTH_##B, 0, 0}, FLOAT_##D | FLOAT_##A << 1 | FLOAT_##B << 2},
#define ROW3(id, D, A, B, C, expr) \
    {#id, \
     id, \
     3, \
     {WIDTH_##D, WIDTH_##A, WIDTH_##B, WIDTH_##C, 0}, \
     FLOAT_##D | FLOAT_##A << 1 | FLOAT_##B << 2 | FLOAT_##C << 3},
#define ROW4(id, D, A, B, C, E, expr) \
    {#id, \
     id, \
     4, \
     {WIDTH_##D, WIDTH_##A, WIDTH_##B, WIDTH_##C, WIDTH_##E}, \
     FLOAT_##D | FLOAT_##A << 1 | FLOAT_##B << 2 | FLOAT_##C << 3 | FLOAT_##E << 4},
#endif
