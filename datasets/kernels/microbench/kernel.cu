// Microbenchmarks: one instruction over and over, in the text that the machine sees. See README.md. Nobody calls a kernel
// with KEPT rounds, but its compiler cannot know, so that nothing is left out.
#include "cuda_device.h"
#include "microbench.h"

typedef unsigned long long u64;
#define KEPT 0xffffffffu
#define KEEP(value) \
    if (n == KEPT) *(__typeof__(value) *)out = (value)

#define R2(x) x x
#define R8(x) R2(R2(R2(x)))
#define R16(x) R2(R8(x))
#define R32(x) R2(R16(x))
#define R64(x) R2(R32(x))

// By turns, as two additions would become one of three operands.
#define LINE_int_alu(x, b) "add.s32 " x ", " x ", " b ";\n\txor.b32 " x ", " x ", " b ";\n\t"
#define LINE_int_shift(x, b) "shl.b32 " x ", " x ", " b ";\n\t"
#define LINE_int_mad(x, b) "mad.lo.s32 " x ", " x ", " b ", " b ";\n\t"
#define LINE_int_alu64(x, b) "add.s64 " x ", " x ", " b ";\n\txor.b64 " x ", " x ", " b ";\n\t"
#define LINE_int_mul64(x, b) "mul.lo.s64 " x ", " x ", " b ";\n\t"
#define LINE_int_div(x, b) "div.s32 " x ", " x ", " b ";\n\t"
#define LINE_int_rem(x, b) "rem.s32 " x ", " x ", " b ";\n\t"
#define LINE_popc(x, b) "popc.b32 " x ", " x ";\n\t"
#define LINE_clz(x, b) "clz.b32 " x ", " x ";\n\t"
#define LINE_cvt(x, b) "cvt.rni.f32.f32 " x ", " x ";\n\t"
#define LINE_shfl(x, b) "shfl.sync.down.b32 " x ", " x ", 1, 31, -1;\n\t"
#define LINE_fp_add(x, b) "add.rn.f32 " x ", " x ", " b ";\n\t"
#define LINE_fp_mul(x, b) "mul.rn.f32 " x ", " x ", " b ";\n\t"
#define LINE_fp_fma(x, b) "fma.rn.f32 " x ", " x ", " b ", " b ";\n\t"
#define LINE_fp_rcp(x, b) "rcp.rn.f32 " x ", " x ";\n\t"
#define LINE_fp_div(x, b) "div.rn.f32 " x ", " x ", " b ";\n\t"
#define LINE_fp_sqrt(x, b) "sqrt.rn.f32 " x ", " x ";\n\t"
#define LINE_sfu_rsqrt(x, b) "rsqrt.approx.ftz.f32 " x ", " x ";\n\t"
#define LINE_sfu_sin(x, b) "sin.approx.ftz.f32 " x ", " x ";\n\t"
#define LINE_sfu_ex2(x, b) "ex2.approx.ftz.f32 " x ", " x ";\n\t"
#define LINE_dp_add(x, b) "add.rn.f64 " x ", " x ", " b ";\n\t"
#define LINE_dp_fma(x, b) "fma.rn.f64 " x ", " x ", " b ", " b ";\n\t"
#define LINE_dp_rcp(x, b) "rcp.rn.f64 " x ", " x ";\n\t"
#define LINE_dp_div(x, b) "div.rn.f64 " x ", " x ", " b ";\n\t"

#define EIGHT(LINE) \
    LINE("%0", "%8") LINE("%1", "%8") LINE("%2", "%8") LINE("%3", "%8") LINE("%4", "%8") LINE("%5", "%8") LINE("%6", "%8") \
    LINE("%7", "%8")
#define KERNELS(name, type, con) \
    extern "C" __global__ void lat_##name(u32 n, u32 *out) \
    { \
        type a = (type)(n + threadIdx.x), b = (type)(n | 1); \
        for (u32 i = 0; i < n; i++) asm volatile(R64(LINE_##name("%0", "%1")) : "+" con(a) : con(b)); \
        KEEP(a); \
    } \
    extern "C" __global__ void thr_##name(u32 n, u32 *out) \
    { \
        const u32 t = n + threadIdx.x; \
        type a = (type)(t + 1), b = (type)(n | 1), c = (type)(t + 2), d = (type)(t + 3), e = (type)(t + 4), \
             f = (type)(t + 5), g = (type)(t + 6), h = (type)(t + 7), k = (type)(t + 8); \
        for (u32 i = 0; i < n; i++) \
            asm volatile(R16(EIGHT(LINE_##name)) \
                         : "+" con(a), "+" con(c), "+" con(d), "+" con(e), "+" con(f), "+" con(g), "+" con(h), "+" con(k) \
                         : con(b)); \
        KEEP(a + c + d + e + f + g + h + k); \
    }
KERNELS(int_alu, u32, "r")
KERNELS(int_shift, u32, "r")
KERNELS(int_mad, u32, "r")
KERNELS(int_alu64, u64, "l")
KERNELS(int_mul64, u64, "l")
KERNELS(int_div, u32, "r")
KERNELS(int_rem, u32, "r")
KERNELS(popc, u32, "r")
KERNELS(clz, u32, "r")
KERNELS(cvt, float, "f")
KERNELS(shfl, u32, "r")
KERNELS(fp_add, float, "f")
KERNELS(fp_mul, float, "f")
KERNELS(fp_fma, float, "f")
KERNELS(fp_rcp, float, "f")
KERNELS(fp_div, float, "f")
KERNELS(fp_sqrt, float, "f")
KERNELS(sfu_rsqrt, float, "f")
KERNELS(sfu_sin, float, "f")
KERNELS(sfu_ex2, float, "f")
KERNELS(dp_add, double, "d")
KERNELS(dp_fma, double, "d")
KERNELS(dp_rcp, double, "d")
KERNELS(dp_div, double, "d")

// 32 loads 128 bytes apart into registers of their own, all of which count: LOAD is the opcode, AT the address.
#define ONE(load, at, to, offset) load " t" #to ", [" at "+" #offset "];\n\t"
#define FOUR(load, at, a, oa, b, ob, c, oc, d, od) \
    ONE(load, at, a, oa) ONE(load, at, b, ob) ONE(load, at, c, oc) ONE(load, at, d, od)
#define ADD(x, a, b, c, d) \
    "xor.b32 t" #a ", t" #a ", t" #b ";\n\txor.b32 t" #c ", t" #c ", t" #d ";\n\txor.b32 t" #a ", t" #a ", t" #c \
    ";\n\txor.b32 " x ", " x ", t" #a ";\n\t"
#define LOADS_32(load, x, at) \
    "{ .reg .b32 t<32>;\n\t" FOUR(load, at, 0, 0, 1, 128, 2, 256, 3, 384) FOUR(load, at, 4, 512, 5, 640, 6, 768, 7, 896) \
        FOUR(load, at, 8, 1024, 9, 1152, 10, 1280, 11, 1408) FOUR(load, at, 12, 1536, 13, 1664, 14, 1792, 15, 1920) \
        FOUR(load, at, 16, 2048, 17, 2176, 18, 2304, 19, 2432) FOUR(load, at, 20, 2560, 21, 2688, 22, 2816, 23, 2944) \
        FOUR(load, at, 24, 3072, 25, 3200, 26, 3328, 27, 3456) FOUR(load, at, 28, 3584, 29, 3712, 30, 3840, 31, 3968) \
        ADD(x, 0, 1, 2, 3) ADD(x, 4, 5, 6, 7) ADD(x, 8, 9, 10, 11) ADD(x, 12, 13, 14, 15) ADD(x, 16, 17, 18, 19) \
        ADD(x, 20, 21, 22, 23) ADD(x, 24, 25, 26, 27) ADD(x, 28, 29, 30, 31) "}"

// ---- shared memory ----
__shared__ u32 words[3072];
static inline __device__ u32 shared_base()
{
    u32 at;
    asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(at) : "l"(words));
    return at;
}
extern "C" __global__ void lat_shared(u32 n, u32 *out)
{
    u32 at = shared_base();
    asm volatile("st.shared.u32 [%0], %0;" : : "r"(at) : "memory");
    for (u32 i = 0; i < n; i++) asm volatile(R64("ld.shared.u32 %0, [%0];\n\t") : "+r"(at) : : "memory");
    KEEP(at);
}
// Zero, which the compiler cannot know.
static inline __device__ void clear_words()
{
    for (u32 i = threadIdx.x; i < 3072; i += blockDim.x) words[i] = 0;
    __syncthreads();
}
extern "C" __global__ void thr_shared(u32 n, u32 stride, u32 *out)
{
    u32 at = shared_base() + threadIdx.x % 32 * stride * 4, a = 0;
    clear_words();
    for (u32 i = 0; i < n; i++, at += a) asm volatile(LOADS_32("ld.shared.u32", "%0", "%1") : "+r"(a) : "r"(at) : "memory");
    KEEP(at);
}
#define LOAD_V4(a, b, c, d, offset) "ld.shared.v4.u32 {t" #a ", t" #b ", t" #c ", t" #d "}, [%1+" #offset "];\n\t"
extern "C" __global__ void thr_shared_v4(u32 n, u32 *out)
{
    u32 at = shared_base() + threadIdx.x % 32 * 16, a = 0;
    clear_words();
    for (u32 i = 0; i < n; i++, at += a)
        asm volatile("{ .reg .b32 t<32>;\n\t" LOAD_V4(0, 1, 2, 3, 0) LOAD_V4(4, 5, 6, 7, 512) LOAD_V4(8, 9, 10, 11, 1024)
                         LOAD_V4(12, 13, 14, 15, 1536) LOAD_V4(16, 17, 18, 19, 2048) LOAD_V4(20, 21, 22, 23, 2560)
                             LOAD_V4(24, 25, 26, 27, 3072) LOAD_V4(28, 29, 30, 31, 3584) ADD("%0", 0, 1, 2, 3)
                                 ADD("%0", 4, 5, 6, 7) ADD("%0", 8, 9, 10, 11) ADD("%0", 12, 13, 14, 15)
                                     ADD("%0", 16, 17, 18, 19) ADD("%0", 20, 21, 22, 23) ADD("%0", 24, 25, 26, 27)
                                         ADD("%0", 28, 29, 30, 31) "}"
                     : "+r"(a)
                     : "r"(at)
                     : "memory");
    KEEP(at);
}
extern "C" __global__ void lat_atom_shared(u32 n, u32 *out)
{
    u32 at = shared_base() + threadIdx.x * 4, a = n;
    for (u32 i = 0; i < n; i++) asm volatile(R16("atom.shared.add.u32 %0, [%1], %0;\n\t") : "+r"(a) : "r"(at) : "memory");
    KEEP(a);
}
extern "C" __global__ void thr_atom_shared(u32 n, u32 stride)
{
    u32 at = shared_base() + threadIdx.x % 32 * stride * 4;
    for (u32 i = 0; i < n; i++) asm volatile(R16("red.shared.add.u32 [%0], %1;\n\t") : : "r"(at), "r"(n) : "memory");
}

// ---- constants: the table is zero ----
__constant__ u64 table[1024];
static inline __device__ u64 constant_base()
{
    u64 at;
    asm volatile("cvta.to.const.u64 %0, %1;" : "=l"(at) : "l"(table));
    return at;
}
extern "C" __global__ void lat_const(u32 n, u32 *out)
{
    u64 at = constant_base() + threadIdx.x % 32 / 32, a = 0;
    for (u32 i = 0; i < n; i++)
        asm volatile(R32("ld.const.u64 %0, [%1];\n\tadd.s64 %1, %1, %0;\n\t") : "+l"(a), "+l"(at));
    KEEP(a);
}
extern "C" __global__ void thr_const(u32 n, u32 distinct, u32 *out)
{
    u64 at = constant_base() + threadIdx.x % distinct * 4;
    u32 a = 0;
    for (u32 i = 0; i < n; i++, at += a) asm volatile(LOADS_32("ld.const.u32", "%0", "%1") : "+r"(a) : "l"(at));
    KEEP(at);
}

// ---- global memory ----
extern "C" __global__ void chase_ca(u64 at, u32 n, u32 *out)
{
    for (u32 i = 0; i < n; i++) asm volatile(R16("ld.global.ca.u64 %0, [%0];\n\t") : "+l"(at) : : "memory");
    KEEP(at);
}
extern "C" __global__ void chase_cg(u64 at, u32 n, u32 *out)
{
    for (u32 i = 0; i < n; i++) asm volatile(R16("ld.global.cg.u64 %0, [%0];\n\t") : "+l"(at) : : "memory");
    KEEP(at);
}
extern "C" __global__ void bw_l1(u64 base, u32 n, u32 *out)
{
    u64 at = base + threadIdx.x * 4;
    u32 a = 0;
    for (u32 i = 0; i < n; i++, at += a)
        asm volatile(LOADS_32("ld.global.ca.u32", "%0", "%1") : "+r"(a) : "l"(at) : "memory");
    KEEP(at);
}
extern "C" __global__ void bw_l2(u64 base, u32 n, u32 *out)
{
    u64 at = base + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * 4;
    u32 a = 0, b;
    for (u32 i = 0; i < n; i++) {
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(b) : "l"(at) : "memory");
        a ^= b;
    }
    KEEP(a);
}
extern "C" __global__ void bw_dram(u64 base, u32 n, u32 *out)
{
    u64 at = base + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * 16;
    u32 a, c, d, e, sum = 0;
    for (u32 i = 0; i < n; i++) {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(c), "=r"(d), "=r"(e) : "l"(at) : "memory");
        sum ^= a ^ c ^ d ^ e;
        at += (u64)MICRO_GRID * MICRO_GRID_THREADS * 16;
    }
    KEEP(sum);
}
extern "C" __global__ void lat_atom_global(u64 at, u32 n, u32 *out)
{
    u32 a = n;
    at += threadIdx.x * 4;
    for (u32 i = 0; i < n; i++) asm volatile(R16("atom.global.add.u32 %0, [%1], %0;\n\t") : "+r"(a) : "l"(at) : "memory");
    KEEP(a);
}
extern "C" __global__ void thr_atom_global(u64 base, u32 n, u32 stride)
{
    u64 at = base + (u64)threadIdx.x * stride * 4;
    for (u32 i = 0; i < n; i++) asm volatile(R16("red.global.add.u32 [%0], %1;\n\t") : : "l"(at), "r"(n) : "memory");
}

// ---- barriers ----
extern "C" __global__ void lat_barrier(u32 n)
{
    for (u32 i = 0; i < n; i++) asm volatile(R16("bar.sync 0;\n\t") : : : "memory");
}
