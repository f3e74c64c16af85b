/* CUDA's vector types, their alignments and make_ functions. */
#ifndef POISE_VECTOR_TYPES
#define POISE_VECTOR_TYPES
#include "host_defines.h"
#define POISE_HD static inline __host__ __device__ __attribute__((always_inline))

#define POISE_VECTOR(type, base, align2, align4) \
    typedef struct type##1 { base x; } \
    type##1; \
    typedef struct __attribute__((aligned(align2))) type##2 { base x, y; } \
    type##2; \
    typedef struct type##3 { base x, y, z; } \
    type##3; \
    typedef struct __attribute__((aligned(align4))) type##4 { base x, y, z, w; } \
    type##4; \
    POISE_HD type##1 make_##type##1(base x) \
    { \
        const type##1 v = {x}; \
        return v; \
    } \
    POISE_HD type##2 make_##type##2(base x, base y) \
    { \
        const type##2 v = {x, y}; \
        return v; \
    } \
    POISE_HD type##3 make_##type##3(base x, base y, base z) \
    { \
        const type##3 v = {x, y, z}; \
        return v; \
    } \
    POISE_HD type##4 make_##type##4(base x, base y, base z, base w) \
    { \
        const type##4 v = {x, y, z, w}; \
        return v; \
    }
POISE_VECTOR(char, signed char, 2, 4)
POISE_VECTOR(uchar, unsigned char, 2, 4)
POISE_VECTOR(short, short, 4, 8)
POISE_VECTOR(ushort, unsigned short, 4, 8)
POISE_VECTOR(int, int, 8, 16)
POISE_VECTOR(uint, unsigned int, 8, 16)
POISE_VECTOR(long, long, 16, 16)
POISE_VECTOR(ulong, unsigned long, 16, 16)
POISE_VECTOR(longlong, long long, 16, 16)
POISE_VECTOR(ulonglong, unsigned long long, 16, 16)
POISE_VECTOR(float, float, 8, 16)
POISE_VECTOR(double, double, 16, 16)
#undef POISE_VECTOR

#ifdef __cplusplus
#if __cplusplus >= 201103L
#define POISE_CONSTEXPR constexpr
#else
#define POISE_CONSTEXPR
#endif
struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ POISE_CONSTEXPR dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    __host__ __device__ POISE_CONSTEXPR dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ operator uint3() const { return make_uint3(x, y, z); }
};
#else
typedef struct dim3 {
    unsigned int x, y, z;
} dim3;
#endif
#endif
