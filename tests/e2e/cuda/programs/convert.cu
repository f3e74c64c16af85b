/* Conversions: every rounding, saturation of narrow types, both signs, limits and NaN. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void convert_kernel(const float *x, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = x[i];
    int *r = out + 12 * i;
    r[0] = __float2int_rn(a), r[1] = __float2int_rz(a), r[2] = __float2int_rd(a), r[3] = __float2int_ru(a);
    r[4] = (int)__float2uint_rn(a), r[5] = (int)__float2uint_rz(a);
    short s;
    unsigned short u;
    asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(s) : "f"(a));
    asm("cvt.rni.u16.f32 %0, %1;" : "=h"(u) : "f"(a));
    r[6] = s, r[7] = u;
    const int whole = __float2int_rz(a * 0.001f);
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r[8]) : "r"(whole));
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r[9]) : "r"(whole));
    float f;
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(f) : "f"(a * 1e-5f));
    r[10] = __float_as_int(f), r[11] = __float_as_int((float)(unsigned)whole + (float)(long long)whole * 3.0f);
}
#endif

static int convert_to(double x, double lo, double hi) { return std::isnan(x) ? 0 : x < lo ? (int)(int64_t)lo : x > hi ? (int)(int64_t)hi : (int)(int64_t)x; }

PROGRAM(convert)
{
    const int n = 512;
    Array<float> x(n);
    Array<int> out(12 * n);
    for (int i = 0; i < n; i++) x[i] = (float)(int)noise(i) * std::ldexp(1.0f, -(i % 34));
    x[0] = INFINITY, x[1] = -INFINITY, x[2] = NAN, x[3] = 0.5f, x[4] = -2.5f, x[5] = 4294967296.0f, x[6] = -0.0f, x[7] = 1e-40f;
    x.up();
    CHECK(!LAUNCH(convert_kernel, dim3(2), dim3(256), 0, (const float *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const double a = x[i];
        const int *r = &out[12 * i];
        const double low = -2147483648.0, high = 2147483647.0;
        CHECK(r[0] == convert_to(std::rint(a), low, high) && r[1] == convert_to(std::trunc(a), low, high));
        CHECK(r[2] == convert_to(std::floor(a), low, high) && r[3] == convert_to(std::ceil(a), low, high));
        CHECK(r[4] == convert_to(std::rint(a), 0, 4294967295.0) && r[5] == convert_to(std::trunc(a), 0, 4294967295.0));
        CHECK(r[6] == convert_to(std::trunc(a), -32768, 32767) && r[7] == convert_to(std::rint(a), 0, 65535));
        const int whole = convert_to(std::trunc((double)(x[i] * 0.001f)), low, high);
        CHECK(r[8] == (whole < -128 ? -128 : whole > 127 ? 127 : whole) && r[9] == (whole < 0 ? 0 : whole > 255 ? 255 : whole));
        const float scaled = x[i] * 1e-5f, clamped = scaled > 0 ? (scaled < 1 ? scaled : 1.0f) : 0.0f;
        CHECK(bits_as<float>((uint32_t)r[10]) == clamped);
        CHECK(bits_as<float>((uint32_t)r[11]) == (float)(unsigned)whole + (float)(long long)whole * 3.0f);
    }
    return 0;
}
