/* Single precision, bit for bit: four roundings of each operation, fused sums, minima with NaN, subnormals. */
#include "program.h"
#include <cfenv>
#ifndef PROGRAM_DRIVER
extern "C" __global__ void floats_kernel(const float *x, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = x[i], b = x[(i + 1) % n], c = x[(i + 3) % n];
    float *r = out + 24 * i;
    r[0] = __fadd_rn(a, b), r[1] = __fadd_rz(a, b), r[2] = __fadd_rd(a, b), r[3] = __fadd_ru(a, b);
    r[4] = __fmul_rn(a, b), r[5] = __fmul_rz(a, b), r[6] = __fmul_rd(a, b), r[7] = __fmul_ru(a, b);
    r[8] = __fdiv_rn(a, b), r[9] = __fdiv_rz(a, b), r[10] = __fdiv_rd(a, b), r[11] = __fdiv_ru(a, b);
    r[12] = __fmaf_rn(a, b, c), r[13] = __fmaf_rz(a, b, c), r[14] = __fmaf_rd(a, b, c), r[15] = __fmaf_ru(a, b, c);
    const float p = fabsf(a);
    r[16] = __fsqrt_rn(p), r[17] = __fsqrt_rz(p), r[18] = __fsqrt_rd(p), r[19] = __fsqrt_ru(p);
    r[20] = fminf(a, b), r[21] = fmaxf(a, b), r[22] = copysignf(a, b), r[23] = __frcp_rn(a);
}
#endif

static bool floats_same(float got, float wanted) { return memcmp(&got, &wanted, 4) == 0 || (std::isnan(got) && std::isnan(wanted)); }

PROGRAM(floats)
{
    const int n = 1024, modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    Array<float> x(n), out(24 * n);
    for (int i = 0; i < n; i++) x[i] = bits_as<float>(noise(i));
    x[5] = INFINITY, x[6] = 0.0f, x[7] = -0.0f, x[8] = NAN, x[9] = 1e-42f, x[10] = 3.4e38f;
    x.up();
    CHECK(!LAUNCH(floats_kernel, dim3(4), dim3(256), 0, (const float *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        volatile float a = x[i], b = x[(i + 1) % n], c = x[(i + 3) % n], p = fabsf(a), one = 1.0f;
        const float *r = &out[24 * i];
        for (int k = 0; k < 4; k++) {
            fesetround(modes[k]);
            const volatile float sum = a + b, product = a * b, quotient = a / b, fused = fmaf(a, b, c), root = sqrtf(p);
            fesetround(FE_TONEAREST);
            CHECK(floats_same(r[k], sum) && floats_same(r[4 + k], product) && floats_same(r[8 + k], quotient));
            CHECK(floats_same(r[12 + k], fused) && floats_same(r[16 + k], root));
        }
        if (a != b && !std::isnan(a) && !std::isnan(b)) CHECK(floats_same(r[20], fminf(a, b)) && floats_same(r[21], fmaxf(a, b)));
        CHECK(floats_same(r[22], copysignf(a, b)) && floats_same(r[23], one / a));
    }
    CHECK(out[24 * 8 + 20] == x[9] && out[24 * 8 + 21] == x[9]); /* a NaN and a number: the number */
    return 0;
}
