/* The part of mma.h, which includes it, for types of factors other than half: signed char, unsigned char,
 * __nv_bfloat16, precision::tf32 and double. A fragment has as many registers as PTX says; the elements are theirs. */
#ifndef POISE_MMA_TYPES_H
#define POISE_MMA_TYPES_H
#include <cuda_bf16.h>

namespace nvcuda
{
namespace wmma
{
namespace precision
{
struct tf32 {
};
} // namespace precision

#define POISE_FRAGMENT(use, m, n, k, type, element, count, registers) \
    template <class L> struct fragment<use, m, n, k, type, L> { \
        enum { num_elements = count }; \
        union { \
            element x[count]; \
            unsigned r[registers]; \
        }; \
        __device__ fragment() {} \
    };
template <int m, int n, int k> struct fragment<accumulator, m, n, k, int, void> {
    enum { num_elements = 8 };
    int x[8];
};
template <> struct fragment<accumulator, 8, 8, 4, double, void> {
    enum { num_elements = 2 };
    double x[2];
};
template <class L> struct fragment<matrix_a, 8, 8, 4, double, L> {
    enum { num_elements = 1 };
    double x[1];
};
template <class L> struct fragment<matrix_b, 8, 8, 4, double, L> {
    enum { num_elements = 1 };
    double x[1];
};

#define POISE_W static inline __device__ __attribute__((always_inline))
POISE_W float __float_to_tf32(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return __uint_as_float(r);
#else
    return x;
#endif
}

/* Operands of an instruction by name: x0, x1, ... */
#define POISE_NAMES1(x) "%[" #x "0]"
#define POISE_NAMES2(x) POISE_NAMES1(x) ", %[" #x "1]"
#define POISE_NAMES4(x) POISE_NAMES2(x) ", %[" #x "2], %[" #x "3]"
#define POISE_NAMES8(x) POISE_NAMES4(x) ", %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]"
#define POISE_LIST1(x, c, v) [x##0] c(v[0])
#define POISE_LIST2(x, c, v) POISE_LIST1(x, c, v), [x##1] c(v[1])
#define POISE_LIST4(x, c, v) POISE_LIST2(x, c, v), [x##2] c(v[2]), [x##3] c(v[3])
#define POISE_LIST8(x, c, v) POISE_LIST4(x, c, v), [x##4] c(v[4]), [x##5] c(v[5]), [x##6] c(v[6]), [x##7] c(v[7])

/* what: a.sync.aligned.row and the like; n registers of the kind c at `registers` */
#define POISE_LOAD_AS(what, shape, name, n, c, registers) \
    asm volatile("wmma.load." what "." shape "." name " {" POISE_NAMES##n(d) "}, [%[p]], %[s];" \
                 : POISE_LIST##n(d, "=" c, f.registers) \
                 : [p] "l"(p), [s] "r"(stride) \
                 : "memory")
#define POISE_STORE_AS(what, shape, name, n, c) \
    asm volatile("wmma.store.d.sync.aligned." what "." shape "." name " [%[p]], {" POISE_NAMES##n(d) "}, %[s];" \
                 : \
                 : POISE_LIST##n(d, c, f.x), [p] "l"(p), [s] "r"(stride) \
                 : "memory")
#define POISE_FACTOR(use, letter, m, n, k, type, element, shape, name, count, c, registers) \
    POISE_W void load_matrix_sync(fragment<use, m, n, k, type, row_major> &f, const element *p, unsigned stride) \
    { \
        POISE_LOAD_AS(letter ".sync.aligned.row", shape, name, count, c, registers); \
    } \
    POISE_W void load_matrix_sync(fragment<use, m, n, k, type, col_major> &f, const element *p, unsigned stride) \
    { \
        POISE_LOAD_AS(letter ".sync.aligned.col", shape, name, count, c, registers); \
    }
#define POISE_SUM(m, n, k, type, shape, name, count, c) \
    POISE_W void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p, unsigned stride, \
                                  layout_t layout) \
    { \
        if (layout == mem_row_major) POISE_LOAD_AS("c.sync.aligned.row", shape, name, count, c, x); \
        else POISE_LOAD_AS("c.sync.aligned.col", shape, name, count, c, x); \
    } \
    POISE_W void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f, unsigned stride, \
                                   layout_t layout) \
    { \
        if (layout == mem_row_major) POISE_STORE_AS("row", shape, name, count, c); \
        else POISE_STORE_AS("col", shape, name, count, c); \
    }
#define POISE_MMA_OF(m, n, k, type, sum, la, wa, lb, wb, shape, names, na, nb, nc, registers, c_factor, c_sum) \
    POISE_W void mma_sync(fragment<accumulator, m, n, k, sum> &d, const fragment<matrix_a, m, n, k, type, la> &a, \
                          const fragment<matrix_b, m, n, k, type, lb> &b, \
                          const fragment<accumulator, m, n, k, sum> &c) \
    { \
        asm volatile("wmma.mma.sync.aligned." wa "." wb "." shape "." names " {" POISE_NAMES##nc( \
                         d) "}, " \
                            "{" POISE_NAMES##na(a) "}, {" POISE_NAMES##nb(b) "}, {" POISE_NAMES##nc(c) "};" \
                     : POISE_LIST##nc(d, "=" c_sum, d.x) \
                     : POISE_LIST##na(a, c_factor, a.registers), POISE_LIST##nb(b, c_factor, b.registers), \
                       POISE_LIST##nc(c, c_sum, c.x)); \
    }
#define POISE_MMA_LAYOUTS(m, n, k, type, sum, ...) \
    POISE_MMA_OF(m, n, k, type, sum, row_major, "row", row_major, "row", __VA_ARGS__) \
    POISE_MMA_OF(m, n, k, type, sum, row_major, "row", col_major, "col", __VA_ARGS__) \
    POISE_MMA_OF(m, n, k, type, sum, col_major, "col", row_major, "row", __VA_ARGS__) \
    POISE_MMA_OF(m, n, k, type, sum, col_major, "col", col_major, "col", __VA_ARGS__)
/* na, nb: registers; each has `packed` elements */
#define POISE_KIND(m, n, k, type, element, shape, name, na, nb, packed) \
    POISE_FRAGMENT(matrix_a, m, n, k, type, element, na *packed, na) \
    POISE_FRAGMENT(matrix_b, m, n, k, type, element, nb *packed, nb) \
    POISE_FACTOR(matrix_a, "a", m, n, k, type, element, shape, name, na, "r", r) \
    POISE_FACTOR(matrix_b, "b", m, n, k, type, element, shape, name, nb, "r", r)
#define POISE_BYTES(m, n, k, type, shape, name, na, nb) \
    POISE_KIND(m, n, k, type, type, shape, name, na, nb, 4) \
    POISE_MMA_LAYOUTS(m, n, k, type, int, shape, "s32." name "." name ".s32", na, nb, 8, r, "r", "r")
#define POISE_BFLOATS(m, n, k, shape, na, nb) \
    POISE_KIND(m, n, k, __nv_bfloat16, __nv_bfloat16, shape, "bf16", na, nb, 2) \
    POISE_MMA_LAYOUTS(m, n, k, __nv_bfloat16, float, shape, "f32.bf16.bf16.f32", na, nb, 8, r, "r", "f")
POISE_BYTES(16, 16, 16, signed char, "m16n16k16", "s8", 2, 2)
POISE_BYTES(32, 8, 16, signed char, "m32n8k16", "s8", 4, 1)
POISE_BYTES(8, 32, 16, signed char, "m8n32k16", "s8", 1, 4)
POISE_BYTES(16, 16, 16, unsigned char, "m16n16k16", "u8", 2, 2)
POISE_BYTES(32, 8, 16, unsigned char, "m32n8k16", "u8", 4, 1)
POISE_BYTES(8, 32, 16, unsigned char, "m8n32k16", "u8", 1, 4)
POISE_SUM(16, 16, 16, int, "m16n16k16", "s32", 8, "r")
POISE_SUM(32, 8, 16, int, "m32n8k16", "s32", 8, "r")
POISE_SUM(8, 32, 16, int, "m8n32k16", "s32", 8, "r")
POISE_BFLOATS(16, 16, 16, "m16n16k16", 4, 4)
POISE_BFLOATS(32, 8, 16, "m32n8k16", 8, 2)
POISE_BFLOATS(8, 32, 16, "m8n32k16", 2, 8)
POISE_KIND(16, 16, 8, precision::tf32, float, "m16n16k8", "tf32", 4, 4, 1)
POISE_MMA_LAYOUTS(16, 16, 8, precision::tf32, float, "m16n16k8", "f32.tf32.tf32.f32", 4, 4, 8, r, "r", "f")
POISE_SUM(16, 16, 8, float, "m16n16k8", "f32", 8, "f")
POISE_FACTOR(matrix_a, "a", 8, 8, 4, double, double, "m8n8k4", "f64", 1, "d", x)
POISE_FACTOR(matrix_b, "b", 8, 8, 4, double, double, "m8n8k4", "f64", 1, "d", x)
POISE_SUM(8, 8, 4, double, "m8n8k4", "f64", 2, "d")
POISE_MMA_LAYOUTS(8, 8, 4, double, double, "m8n8k4", "f64.f64.f64.f64", 1, 1, 2, x, "d", "d")
} // namespace wmma
} // namespace nvcuda
#undef POISE_FRAGMENT
#undef POISE_NAMES1
#undef POISE_NAMES2
#undef POISE_NAMES4
#undef POISE_NAMES8
#undef POISE_LIST1
#undef POISE_LIST2
#undef POISE_LIST4
#undef POISE_LIST8
#undef POISE_LOAD_AS
#undef POISE_STORE_AS
#undef POISE_FACTOR
#undef POISE_SUM
#undef POISE_MMA_OF
#undef POISE_MMA_LAYOUTS
#undef POISE_KIND
#undef POISE_BYTES
#undef POISE_BFLOATS
#undef POISE_W
#endif
