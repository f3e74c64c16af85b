/* Device functions that came with compute capability 6.1 and later, and those about address spaces. */
#ifndef POISE_DEVICE_NEWER_H
#define POISE_DEVICE_NEWER_H
#define POISE_D static inline __device__ __attribute__((always_inline))

/* ---- dot products of bytes and halfwords ---- */
#define POISE_DOT(name, op, type, words) \
    POISE_D type name(words a, words b, type c) \
    { \
        type d; \
        asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
        return d; \
    }
POISE_DOT(__dp4a, "dp4a.s32.s32", int, int)
POISE_DOT(__dp4a, "dp4a.u32.u32", unsigned, unsigned)
POISE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int)
POISE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned)
POISE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int)
POISE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned)
#undef POISE_DOT
template <class V> POISE_D unsigned poise_bytes(V v)
{
    unsigned r;
    __builtin_memcpy(&r, &v, 4);
    return r;
}
POISE_D int __dp4a(char4 a, char4 b, int c) { return __dp4a((int)poise_bytes(a), (int)poise_bytes(b), c); }
POISE_D unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(poise_bytes(a), poise_bytes(b), c); }
POISE_D int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo((int)poise_bytes(a), (int)poise_bytes(b), c); }
POISE_D int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi((int)poise_bytes(a), (int)poise_bytes(b), c); }
POISE_D unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return __dp2a_lo(poise_bytes(a), poise_bytes(b), c); }
POISE_D unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return __dp2a_hi(poise_bytes(a), poise_bytes(b), c); }

/* ---- which space a generic address lies in, and its address there ---- */
#define POISE_SPACE(Name, name) \
    POISE_D unsigned __is##Name(const void *p) \
    { \
        unsigned r; \
        asm("{\n\t.reg .pred p;\n\tisspacep." #name " p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(r) : "l"(p)); \
        return r; \
    } \
    POISE_D void *__cvta_##name##_to_generic(size_t at) \
    { \
        void *p; \
        asm("cvta." #name ".u64 %0, %1;" : "=l"(p) : "l"(at)); \
        return p; \
    }
POISE_SPACE(Global, global)
POISE_SPACE(Shared, shared)
POISE_SPACE(Local, local)
POISE_SPACE(Constant, const)
#undef POISE_SPACE
POISE_D void *__cvta_constant_to_generic(size_t at) { return __cvta_const_to_generic(at); }
POISE_D size_t __cvta_generic_to_local(const void *p)
{
    size_t r;
    asm("cvta.to.local.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}
POISE_D size_t __cvta_generic_to_constant(const void *p)
{
    size_t r;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}

/* ---- the built-in variables as values: clang declares these conversions and leaves their bodies to its own
 * wrapper ---- */
#define POISE_BUILTIN(name) \
    __device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); } \
    __device__ inline __cuda_builtin_##name##_t::operator uint3() const { return make_uint3(x, y, z); }
POISE_BUILTIN(threadIdx)
POISE_BUILTIN(blockIdx)
POISE_BUILTIN(blockDim)
POISE_BUILTIN(gridDim)
#undef POISE_BUILTIN

/* ---- the least and the greatest of three, of a sum and a number, and not below zero ---- */
#define POISE_EXTREMES(name, op, type, letter) \
    POISE_D type __vi##name##3_##letter##32(type a, type b, type c) { return op(op(a, b), c); } \
    POISE_D type __viadd##name##_##letter##32(type a, type b, type c) \
    { \
        return op((type)((unsigned)a + (unsigned)b), c); \
    } \
    POISE_D type __vib##name##_##letter##32(type a, type b, bool *is_first) \
    { \
        const type r = op(a, b); \
        *is_first = r == a; \
        return r; \
    }
#define POISE_RELU(name, op) \
    POISE_D int __vi##name##_s32_relu(int a, int b) { return ::max(op(a, b), 0); } \
    POISE_D int __vi##name##3_s32_relu(int a, int b, int c) { return ::max(op(op(a, b), c), 0); } \
    POISE_D int __viadd##name##_s32_relu(int a, int b, int c) \
    { \
        return ::max(op((int)((unsigned)a + (unsigned)b), c), 0); \
    }
POISE_EXTREMES(max, ::max, int, s)
POISE_EXTREMES(min, ::min, int, s)
POISE_EXTREMES(max, ::max, unsigned, u)
POISE_EXTREMES(min, ::min, unsigned, u)
POISE_RELU(max, ::max)
POISE_RELU(min, ::min)
/* The same for the halves of a word, whose sums stay in 16 bits. */
#define POISE_HALVES(expression) \
    unsigned r = 0; \
    for (int k = 0; k < 32; k += 16) { \
        const half x = (half)(a >> k), y = (half)(b >> k); \
        r |= (unsigned)(unsigned short)(half)(expression) << k; \
    } \
    return r
#define POISE_HALVES3(expression) \
    unsigned r = 0; \
    for (int k = 0; k < 32; k += 16) { \
        const half x = (half)(a >> k), y = (half)(b >> k), z = (half)(c >> k); \
        r |= (unsigned)(unsigned short)(half)(expression) << k; \
    } \
    return r
#define POISE_EXTREMES2(name, op, type, letter) \
    POISE_D unsigned __vi##name##3_##letter##16x2(unsigned a, unsigned b, unsigned c) \
    { \
        typedef type half; \
        POISE_HALVES3(op(op((int)x, (int)y), (int)z)); \
    } \
    POISE_D unsigned __viadd##name##_##letter##16x2(unsigned a, unsigned b, unsigned c) \
    { \
        typedef type half; \
        POISE_HALVES3(op((int)(half)(x + y), (int)z)); \
    } \
    POISE_D unsigned __vib##name##_##letter##16x2(unsigned a, unsigned b, bool *is_high_first, bool *is_low_first) \
    { \
        typedef type half; \
        *is_high_first = op((int)(half)(a >> 16), (int)(half)(b >> 16)) == (half)(a >> 16); \
        *is_low_first = op((int)(half)a, (int)(half)b) == (half)a; \
        POISE_HALVES(op((int)x, (int)y)); \
    }
#define POISE_RELU2(name, op) \
    POISE_D unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) \
    { \
        typedef short half; \
        POISE_HALVES(::max(op((int)x, (int)y), 0)); \
    } \
    POISE_D unsigned __vi##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c) \
    { \
        typedef short half; \
        POISE_HALVES3(::max(op(op((int)x, (int)y), (int)z), 0)); \
    } \
    POISE_D unsigned __viadd##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) \
    { \
        typedef short half; \
        POISE_HALVES3(::max(op((int)(half)(x + y), (int)z), 0)); \
    }
POISE_EXTREMES2(max, ::max, short, s)
POISE_EXTREMES2(min, ::min, short, s)
POISE_EXTREMES2(max, ::max, unsigned short, u)
POISE_EXTREMES2(min, ::min, unsigned short, u)
POISE_RELU2(max, ::max)
POISE_RELU2(min, ::min)
#undef POISE_HALVES
#undef POISE_HALVES3
#undef POISE_EXTREMES2
#undef POISE_RELU2
#undef POISE_EXTREMES
#undef POISE_RELU
#undef POISE_D
#endif
