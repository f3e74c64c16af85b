/* Warp matrix functions: nvcuda::wmma for the shapes of half, in half and in single precision; mma_types.h has
 * the other types. */
#ifndef POISE_MMA_H
#define POISE_MMA_H
#include <cuda_fp16.h>

namespace nvcuda
{
namespace wmma
{
struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};
struct row_major {
};
struct col_major {
};
enum layout_t { mem_row_major, mem_col_major };

/* Registers of a fragment: 16 halves of a factor, 8 elements of a sum. */
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment;
template <int m, int n, int k, class L> struct fragment<matrix_a, m, n, k, __half, L> {
    enum { num_elements = 16 };
    union {
        __half x[16];
        unsigned r[8];
    };
    __device__ fragment() {}
};
template <int m, int n, int k, class L> struct fragment<matrix_b, m, n, k, __half, L> {
    enum { num_elements = 16 };
    union {
        __half x[16];
        unsigned r[8];
    };
    __device__ fragment() {}
};
template <int m, int n, int k> struct fragment<accumulator, m, n, k, float, void> {
    enum { num_elements = 8 };
    float x[8];
};
template <int m, int n, int k> struct fragment<accumulator, m, n, k, __half, void> {
    enum { num_elements = 8 };
    union {
        __half x[8];
        unsigned r[4];
    };
    __device__ fragment() {}
};

#define POISE_W static inline __device__ __attribute__((always_inline))
template <class F, class T> POISE_W void fill_fragment(F &f, T value)
{
#pragma unroll
    for (int i = 0; i < F::num_elements; i++) f.x[i] = value;
}
#define POISE_OUT8(f, c) \
    "=" c(f[0]), "=" c(f[1]), "=" c(f[2]), "=" c(f[3]), "=" c(f[4]), "=" c(f[5]), "=" c(f[6]), "=" c(f[7])
#define POISE_IN8(f, c) c(f[0]), c(f[1]), c(f[2]), c(f[3]), c(f[4]), c(f[5]), c(f[6]), c(f[7])
#define POISE_IN4(f, c) c(f[0]), c(f[1]), c(f[2]), c(f[3])
#define POISE_LOAD(use, letter, layout, word, shape, m, n, k) \
    POISE_W void load_matrix_sync(fragment<use, m, n, k, __half, layout> &f, const __half *p, unsigned stride) \
    { \
        asm volatile("wmma.load." letter ".sync.aligned." word "." shape \
                     ".f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" \
                     : POISE_OUT8(f.r, "r") \
                     : "l"(p), "r"(stride) \
                     : "memory"); \
    }
#define POISE_MMA(la, wa, lb, wb, shape, m, n, k) \
    POISE_W void mma_sync(fragment<accumulator, m, n, k, float> &d, const fragment<matrix_a, m, n, k, __half, la> &a, \
                          const fragment<matrix_b, m, n, k, __half, lb> &b, \
                          const fragment<accumulator, m, n, k, float> &c) \
    { \
        asm volatile("wmma.mma.sync.aligned." wa "." wb "." shape \
                     ".f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, " \
                     "{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" \
                     : POISE_OUT8(d.x, "f") \
                     : POISE_IN8(a.r, "r"), POISE_IN8(b.r, "r"), POISE_IN8(c.x, "f")); \
    } \
    POISE_W void mma_sync(fragment<accumulator, m, n, k, __half> &d, const fragment<matrix_a, m, n, k, __half, la> &a, \
                          const fragment<matrix_b, m, n, k, __half, lb> &b, \
                          const fragment<accumulator, m, n, k, __half> &c) \
    { \
        asm volatile("wmma.mma.sync.aligned." wa "." wb "." shape \
                     ".f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, " \
                     "{%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" \
                     : "=r"(d.r[0]), "=r"(d.r[1]), "=r"(d.r[2]), "=r"(d.r[3]) \
                     : POISE_IN8(a.r, "r"), POISE_IN8(b.r, "r"), POISE_IN4(c.r, "r")); \
    }
#define POISE_SHAPE(shape, m, n, k) \
    POISE_LOAD(matrix_a, "a", row_major, "row", shape, m, n, k) \
    POISE_LOAD(matrix_a, "a", col_major, "col", shape, m, n, k) \
    POISE_LOAD(matrix_b, "b", row_major, "row", shape, m, n, k) \
    POISE_LOAD(matrix_b, "b", col_major, "col", shape, m, n, k) \
    POISE_MMA(row_major, "row", row_major, "row", shape, m, n, k) \
    POISE_MMA(row_major, "row", col_major, "col", shape, m, n, k) \
    POISE_MMA(col_major, "col", row_major, "row", shape, m, n, k) \
    POISE_MMA(col_major, "col", col_major, "col", shape, m, n, k) \
    POISE_W void load_matrix_sync(fragment<accumulator, m, n, k, float> &f, const float *p, unsigned stride, \
                                  layout_t layout) \
    { \
        if (layout == mem_row_major) \
            asm volatile("wmma.load.c.sync.aligned.row." shape ".f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" \
                         : POISE_OUT8(f.x, "f") \
                         : "l"(p), "r"(stride) \
                         : "memory"); \
        else \
            asm volatile("wmma.load.c.sync.aligned.col." shape ".f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" \
                         : POISE_OUT8(f.x, "f") \
                         : "l"(p), "r"(stride) \
                         : "memory"); \
    } \
    POISE_W void store_matrix_sync(float *p, const fragment<accumulator, m, n, k, float> &f, unsigned stride, \
                                   layout_t layout) \
    { \
        if (layout == mem_row_major) \
            asm volatile("wmma.store.d.sync.aligned.row." shape ".f32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7}, %9;" \
                         : \
                         : POISE_IN8(f.x, "f"), "l"(p), "r"(stride) \
                         : "memory"); \
        else \
            asm volatile("wmma.store.d.sync.aligned.col." shape ".f32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7}, %9;" \
                         : \
                         : POISE_IN8(f.x, "f"), "l"(p), "r"(stride) \
                         : "memory"); \
    } \
    POISE_W void store_matrix_sync(__half *p, const fragment<accumulator, m, n, k, __half> &f, unsigned stride, \
                                   layout_t layout) \
    { \
        if (layout == mem_row_major) \
            asm volatile("wmma.store.d.sync.aligned.row." shape ".f16 [%4], {%0, %1, %2, %3}, %5;" \
                         : \
                         : POISE_IN4(f.r, "r"), "l"(p), "r"(stride) \
                         : "memory"); \
        else \
            asm volatile("wmma.store.d.sync.aligned.col." shape ".f16 [%4], {%0, %1, %2, %3}, %5;" \
                         : \
                         : POISE_IN4(f.r, "r"), "l"(p), "r"(stride) \
                         : "memory"); \
    }
POISE_SHAPE("m16n16k16", 16, 16, 16)
POISE_SHAPE("m32n8k16", 32, 8, 16)
POISE_SHAPE("m8n32k16", 8, 32, 16)
#undef POISE_SHAPE
#undef POISE_MMA
#undef POISE_LOAD
#undef POISE_W
} // namespace wmma
} // namespace nvcuda
#include "mma_types.h"
#endif
