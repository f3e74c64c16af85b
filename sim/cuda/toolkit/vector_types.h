/* CUDA's vector types, their alignments and make_ functions. */
#ifndef POISE_VECTOR_TYPES
#define POISE_VECTOR_TYPES
#define POISE_HD static inline __host__ __device__ __attribute__((always_inline))

#define POISE_VECTOR(type, base, align2, align4)                                                                      \
    struct type##1 { base x; };                                                                                       \
    struct __attribute__((aligned(align2))) type##2 { base x, y; };                                                   \
    struct type##3 { base x, y, z; };                                                                                 \
    struct __attribute__((aligned(align4))) type##4 { base x, y, z, w; };                                             \
    POISE_HD type##1 make_##type##1(base x) { return {x}; }                                                           \
    POISE_HD type##2 make_##type##2(base x, base y) { return {x, y}; }                                                \
    POISE_HD type##3 make_##type##3(base x, base y, base z) { return {x, y, z}; }                                     \
    POISE_HD type##4 make_##type##4(base x, base y, base z, base w) { return {x, y, z, w}; }
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

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
#endif
