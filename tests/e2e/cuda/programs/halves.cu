/* Half precision: conversions, arithmetic in ones and pairs, fused sums, comparisons, atomic sums; on the host as well. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cuda_fp16.h>
extern "C" __global__ void halves_kernel(const float *x, float *out, unsigned *pairs, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const __half a = __float2half(x[i]), b = __float2half(x[(i + 1) % n]), c = __float2half(x[(i + 2) % n]);
    float *r = out + 6 * i;
    r[0] = __half2float(a), r[1] = __half2float(__hadd(a, b)), r[2] = __half2float(__hmul(a, b)), r[3] = __half2float(__hfma(a, b, c));
    r[4] = __half2float(__hsub(a, b)), r[5] = (__hlt(a, b) ? 1.0f : 0.0f) + (__heq(a, a) ? 2.0f : 0.0f);
    const __half2 p = __hfma2(__halves2half2(a, b), __floats2half2_rn(2.0f, 0.5f), __half2half2(c));
    memcpy(&pairs[i], &p, 4);
}
extern "C" __global__ void halves_load_kernel(const unsigned *pairs, float *out)
{
    const __half2 v = __ldg((const __half2 *)pairs + threadIdx.x);
    out[threadIdx.x] = __low2float(v) + 2 * __half2float(__ldcg((const __half *)pairs + 2 * threadIdx.x + 1));
}
#endif

/* Nearest half of a value, ties to even. */
static double halves_round(double x)
{
    int e;
    if (x == 0 || std::isnan(x)) return x;
    std::frexp(x, &e);
    const double unit = std::ldexp(1.0, (e < -13 ? -13 : e) - 11), r = std::nearbyint(x / unit) * unit;
    return std::fabs(r) > 65504 ? std::copysign(INFINITY, x) : r;
}
static float halves_value(unsigned h)
{
    const int e = h >> 10 & 31, m = h & 1023;
    const double v = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24);
    return (float)(h & 0x8000 ? -v : v);
}

#ifndef PROGRAM_DRIVER
/* Templates that programs use on both sides: sums and comparisons of halves, halves of whole numbers of any type. */
template <class T> static __host__ __device__ T halves_sum(const T *x, int n)
{
    T sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * static_cast<T>(2u) - x[i] / static_cast<T>((unsigned long long)4);
    return sum > static_cast<T>((short)1000) ? -sum : sum;
}
static int halves_on_host()
{
    __half x[50];
    float wanted = 0;
    for (unsigned i = 0; i < 50; i++) x[i] = static_cast<__half>(i), wanted += 1.75f * (float)i;
    CHECK((float)halves_sum(x, 50) == -(float)halves_round(wanted) || std::fabs((float)halves_sum(x, 50) + wanted) <= 16);
    CHECK((float)halves_sum(x, 20) == 1.75f * 190 && (float)__half(65504u) == 65504.0f && std::isinf((float)__half(70000l)));
    x[0] = __half(1ull), x[0] -= __half((unsigned short)3), x[0] *= x[0];
    CHECK((float)x[0] == 4 && x[0] == __half(4) && !(x[0] < __half(4)));
    return 0;
}
#endif

PROGRAM(halves)
{
#ifndef PROGRAM_DRIVER
    CHECK(!halves_on_host());
#endif
    const int n = 800;
    Array<float> x(n), out(6 * n);
    Array<unsigned> pairs(n);
    for (int i = 0; i < n; i++) x[i] = (float)(int)noise(i) * std::ldexp(1.0f, -31 + (int)(noise(i + 99) % 36) - 20);
    x.up();
    CHECK(!LAUNCH(halves_kernel, dim3(7), dim3(128), 0, (const float *)x.device, out.device, pairs.device, n));
    out.down(), pairs.down();
    for (int i = 0; i < n; i++) {
        const double a = halves_round(x[i]), b = halves_round(x[(i + 1) % n]), c = halves_round(x[(i + 2) % n]);
        const float *r = &out[6 * i];
        CHECK(r[0] == (float)a && r[1] == (float)halves_round(a + b) && r[2] == (float)halves_round(a * b) && r[4] == (float)halves_round(a - b));
        const double exact = std::fma(a, b, c); /* rounded twice: right unless it falls on a tie by the first */
        CHECK(r[3] == (float)halves_round(exact) || std::fabs(r[3] - (float)halves_round(exact)) <= std::fabs(exact) * 1e-3 + 6e-8);
        CHECK(r[5] == (a < b ? 3.0f : 2.0f));
        CHECK(halves_value(pairs[i] & 0xffff) == (float)halves_round(2 * a + c) && halves_value(pairs[i] >> 16) == (float)halves_round(0.5 * b + c));
    }
    CHECK(!LAUNCH(halves_load_kernel, dim3(1), dim3(128), 0, (const unsigned *)pairs.device, out.device));
    out.down();
    for (int i = 0; i < 128; i++) {
        const float wanted = halves_value(pairs[i] & 0xffff) + 2 * halves_value(pairs[i] >> 16);
        CHECK(out[i] == wanted || (std::isnan(wanted) && std::isnan(out[i])));
    }
    return 0;
}
