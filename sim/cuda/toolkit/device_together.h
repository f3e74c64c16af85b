/* What lanes and warps do together, in place of clang's own, which are wrong in two ways. To its optimiser an intrinsic
 * whose arguments are none, or results of calls, changes no variable of shared memory whose address is not taken, so
 * that it moves loads over such barriers; one with a constant may change all of memory. And its shuffles of unsigned
 * 64-bit values call themselves without end (both are mended in later versions). So barriers with a constant are
 * intrinsics, others assembly that clobbers memory: the optimiser does not estimate what a loop costs that holds
 * assembly, and unrolls fewer of them. */
#ifndef POISE_DEVICE_TOGETHER_H
#define POISE_DEVICE_TOGETHER_H
#define POISE_D static inline __device__ __attribute__((always_inline))

POISE_D void poise_syncthreads() { __nvvm_bar_sync(0); }
#define __syncthreads() poise_syncthreads() /* a builtin function for clang: it cannot be defined again */
#define POISE_VOTE(name, op) \
    POISE_D int name(int vote) \
    { \
        int r; \
        asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.s32 p, %1, 0;\n\tbar.red." op \
                     ".pred q, 0, p;\n\tselp.s32 %0, 1, 0, q;\n\t}" \
                     : "=r"(r) \
                     : "r"(vote) \
                     : "memory"); \
        return r; \
    }
POISE_VOTE(__syncthreads_and, "and")
POISE_VOTE(__syncthreads_or, "or")
#undef POISE_VOTE
POISE_D int __syncthreads_count(int vote)
{
    int r;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\tbar.red.popc.u32 %0, 0, p;\n\t}"
                 : "=r"(r)
                 : "r"(vote)
                 : "memory");
    return r;
}
POISE_D void __syncwarp(unsigned lanes = 0xffffffffu) __attribute__((enable_if(lanes == 0xffffffffu, "all lanes")))
{
    __nvvm_bar_warp_sync(0xffffffffu);
}
POISE_D void __syncwarp(unsigned lanes) { asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory"); }
POISE_D void __barrier_sync(unsigned barrier) { asm volatile("barrier.sync %0;" ::"r"(barrier) : "memory"); }
POISE_D void __barrier_sync_count(unsigned barrier, unsigned threads)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
POISE_D void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
POISE_D void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
POISE_D void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

/* Shuffles of 32 bits by instruction, of 64 bits by halves. */
#define POISE_SHUFFLES(name, Where, op, last) \
    POISE_D int name(unsigned lanes, int v, Where where, int width = 32) \
    { \
        return __nvvm_shfl_sync_##op##_i32(lanes, v, (int)where, (32 - width) << 8 | (last)); \
    } \
    POISE_D float name(unsigned lanes, float v, Where where, int width = 32) \
    { \
        return __nvvm_shfl_sync_##op##_f32(lanes, v, (int)where, (32 - width) << 8 | (last)); \
    } \
    POISE_D unsigned name(unsigned lanes, unsigned v, Where where, int width = 32) \
    { \
        return (unsigned)name(lanes, (int)v, where, width); \
    } \
    POISE_D unsigned long long name(unsigned lanes, unsigned long long v, Where where, int width = 32) \
    { \
        const unsigned low = name(lanes, (unsigned)v, where, width); \
        const unsigned high = name(lanes, (unsigned)(v >> 32), where, width); \
        return (unsigned long long)high << 32 | low; \
    } \
    POISE_D long long name(unsigned lanes, long long v, Where where, int width = 32) \
    { \
        return (long long)name(lanes, (unsigned long long)v, where, width); \
    } \
    POISE_D unsigned long name(unsigned lanes, unsigned long v, Where where, int width = 32) \
    { \
        return name(lanes, (unsigned long long)v, where, width); \
    } \
    POISE_D long name(unsigned lanes, long v, Where where, int width = 32) \
    { \
        return (long)name(lanes, (unsigned long long)v, where, width); \
    } \
    POISE_D double name(unsigned lanes, double v, Where where, int width = 32) \
    { \
        unsigned long long bits; \
        __builtin_memcpy(&bits, &v, 8); \
        bits = name(lanes, bits, where, width); \
        __builtin_memcpy(&v, &bits, 8); \
        return v; \
    }
POISE_SHUFFLES(__shfl_sync, int, idx, 31)
POISE_SHUFFLES(__shfl_up_sync, unsigned, up, 0)
POISE_SHUFFLES(__shfl_down_sync, unsigned, down, 31)
POISE_SHUFFLES(__shfl_xor_sync, int, bfly, 31)
#undef POISE_SHUFFLES
#undef POISE_D
#endif
