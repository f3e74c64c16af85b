/* Conversions to and from half and bfloat16 with a direction of rounding, comparisons that are true of what is not a
 * number, and arithmetic that stays within bounds. */
#include "program.h"

#ifndef PROGRAM_DRIVER
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void roundings_kernel(const float *x, float *out, int *whole, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *r = out + 8 * i;
    int *w = whole + 8 * i;
    r[0] = __half2float(__float2half_rz(x[i])), r[1] = __half2float(__float2half_rd(x[i]));
    r[2] = __half2float(__float2half_ru(x[i])), r[3] = __bfloat162float(__float2bfloat16_rz(x[i]));
    r[4] = __bfloat162float(__float2bfloat16_rd(x[i])), r[5] = __bfloat162float(__float2bfloat16_ru(x[i]));
    const int k = (int)x[i];
    r[6] = __half2float(__int2half_rd(k)), r[7] = __bfloat162float(__ll2bfloat16_rn((long long)k << 20));
    const __half h = __float2half(x[i]), none = __ushort_as_half(0x7e00);
    w[0] = __half2int_rd(h), w[1] = __half2int_ru(h), w[2] = __half2short_rz(h), w[3] = __half2uchar_rz(h);
    w[4] = __hequ(h, none) + 2 * __hltu(h, none) + 4 * __hne(h, h) + 8 * __hbgeu2(__half2half2(none), __half2half2(h));
    w[5] = (int)__hlt2_mask(__halves2half2(h, none), __half2half2(__float2half(1.0f)));
    w[6] = __half_as_ushort(__hmax_nan(h, none)) & 0x7c00;
    w[7] = (int)(64 * __half2float(__low2half(__hadd2_sat(__half2half2(h), __half2half2(__float2half(0.25f))))));
}
#endif

/* The neighbour of x among numbers of `bits` bits whose smallest exponent is `least`: down, up or towards zero. */
static double roundings_grid(double x, int bits, int least, char way)
{
    int e;
    if (x == 0) return x;
    std::frexp(x, &e);
    const double unit = std::ldexp(1.0, (e < least ? least : e) - bits), q = x / unit;
    return unit * (way == 'd' ? std::floor(q) : way == 'u' ? std::ceil(q) : way == 'z' ? std::trunc(q) : std::nearbyint(q));
}

PROGRAM(roundings)
{
    const int n = 192;
    Array<float> x(n), out(8 * n);
    Array<int> whole(8 * n);
    for (int i = 0; i < n; i++) x[i] = (float)(int)noise(i) * std::ldexp(1.0f, -31 + (int)(noise(i + 77) % 28) - 12);
    x[0] = 1e-9f, x[1] = -1e-9f, x[2] = 2.5f, x[3] = -2.5f;
    x.up();
    CHECK(!LAUNCH(roundings_kernel, dim3(2), dim3(96), 0, (const float *)x.device, out.device, whole.device, n));
    out.down(), whole.down();
    for (int i = 0; i < n; i++) {
        const double v = x[i], h = roundings_grid(v, 11, -13, 'n'), k = std::trunc(v);
        const float *r = &out[8 * i];
        const int *w = &whole[8 * i];
        const char ways[] = "zdu";
        for (int j = 0; j < 3; j++) {
            CHECK(r[j] == roundings_grid(v, 11, -13, ways[j]));
            CHECK(r[3 + j] == roundings_grid(v, 8, -125, ways[j]));
        }
        CHECK(r[6] == roundings_grid(k, 11, -13, 'd') && r[7] == roundings_grid(k * 1048576, 8, -125, 'n'));
        const double low = std::trunc(h), byte = low < 0 ? 0 : low > 255 ? 255 : low, sum = h + 0.25;
        CHECK(w[0] == std::floor(h) && w[1] == std::ceil(h));
        CHECK(w[2] == (low > 32767 ? 32767 : low < -32768 ? -32768 : low) && w[3] == byte);
        CHECK(w[4] == 11 && w[5] == (h < 1 ? 0xffff : 0) && w[6] == 0x7c00);
        CHECK(w[7] == (int)(64 * (sum < 0 ? 0 : sum > 1 ? 1 : roundings_grid(sum, 11, -13, 'n'))));
    }
    return 0;
}
