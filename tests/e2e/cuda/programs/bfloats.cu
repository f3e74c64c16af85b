/* bfloat16: conversions, arithmetic in ones and pairs, fused sums, comparisons, atomic sums, shuffles. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cuda_bf16.h>
/* The toolkit's header has fused sums from compute capability 8.0 on. */
static __device__ __nv_bfloat16 bfloats_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return __float2bfloat16(fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
#else
    return __hfma(a, b, c);
#endif
}
extern "C" __global__ void bfloats_kernel(const float *x, float *out, unsigned *pairs, unsigned *sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const __nv_bfloat16 a = __float2bfloat16(x[i]), b = __float2bfloat16(x[(i + 1) % n]), c = __float2bfloat16(x[(i + 2) % n]);
    float *r = out + 7 * i;
    r[0] = __bfloat162float(a), r[1] = __bfloat162float(__hadd(a, b)), r[2] = __bfloat162float(a * b);
    r[3] = __bfloat162float(bfloats_fma(a, b, c)), r[4] = __bfloat162float(a - b);
    r[5] = (__hlt(a, b) ? 1.0f : 0.0f) + (a == a ? 2.0f : 0.0f) + (__hmax(a, b) == b ? 4.0f : 0.0f);
    r[6] = __bfloat162float(__shfl_xor_sync(__activemask(), a, 1));
    const __nv_bfloat162 q = __hmul2(__halves2bfloat162(a, b), __floats2bfloat162_rn(2.0f, 0.5f)), p = q + __bfloat162bfloat162(c);
    memcpy(&pairs[i], &p, 4);
    atomicAdd((__nv_bfloat162 *)&sums[0], __floats2bfloat162_rn(1.0f, i < 100 ? 2.0f : 0.0f));
    atomicAdd((__nv_bfloat16 *)&sums[1] + 1, __float2bfloat16(i < 64 ? 1.0f : 0.0f));
}
#endif

/* Nearest bfloat16 of a value, ties to even. */
static double bfloats_round(double x)
{
    int e;
    if (x == 0) return x;
    std::frexp(x, &e);
    const double unit = std::ldexp(1.0, (e < -125 ? -125 : e) - 8), r = std::nearbyint(x / unit) * unit;
    return std::fabs(r) >= std::ldexp(1.0, 128) ? std::copysign(INFINITY, x) : r;
}
static double bfloats_value(unsigned b)
{
    const uint32_t u = b << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

PROGRAM(bfloats)
{
    const int n = 256;
    Array<float> x(n), out(7 * n);
    Array<unsigned> pairs(n), sums(2);
    for (int i = 0; i < n; i++) x[i] = (float)(int)noise(i) * std::ldexp(1.0f, -31 + (int)(noise(i + 99) % 36) - 20);
    sums[0] = sums[1] = 0;
    x.up(), sums.up();
    CHECK(!LAUNCH(bfloats_kernel, dim3(2), dim3(128), 0, (const float *)x.device, out.device, pairs.device, sums.device, n));
    out.down(), pairs.down(), sums.down();
    for (int i = 0; i < n; i++) {
        const double a = bfloats_round(x[i]), b = bfloats_round(x[(i + 1) % n]), c = bfloats_round(x[(i + 2) % n]);
        const float *r = &out[7 * i];
        CHECK(r[0] == a && r[1] == bfloats_round(a + b) && r[2] == bfloats_round(a * b) && r[4] == bfloats_round(a - b));
        const double exact = a * b + c; /* below compute capability 8.0 rounded twice: right unless it falls on a tie by the first */
        CHECK(r[3] == bfloats_round(exact) || std::fabs(r[3] - bfloats_round(exact)) <= std::fabs(exact) * 8e-3);
        CHECK(r[5] == (a < b ? 7.0f : a == b ? 6.0f : 2.0f) && r[6] == bfloats_round(x[i ^ 1]));
        CHECK(std::fabs(bfloats_value(pairs[i] & 0xffff) - bfloats_round(2 * a + c)) <= std::fabs(2 * a + c) * 8e-3);
        CHECK(std::fabs(bfloats_value(pairs[i] >> 16) - bfloats_round(0.5 * b + c)) <= std::fabs(0.5 * b + c) * 8e-3);
    }
    CHECK(bfloats_value(sums[0] & 0xffff) == 256 && bfloats_value(sums[0] >> 16) == 200);
    CHECK(bfloats_value(sums[1] >> 16) == 64 && (sums[1] & 0xffff) == 0);
    return 0;
}
