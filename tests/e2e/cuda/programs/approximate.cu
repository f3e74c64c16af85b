/* Approximate functions within the errors that CUDA's programming guide states for them. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void approximate_kernel(const float *x, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = x[i];
    float *r = out + 8 * i;
    r[0] = __sinf(a), r[1] = __cosf(a), r[2] = __expf(a), r[3] = __logf(fabsf(a) + 0.001f), r[4] = __log2f(fabsf(a) + 0.001f);
    r[5] = rsqrtf(fabsf(a) + 0.001f), r[6] = __fdividef(a, 3.7f), r[7] = __powf(fabsf(a) + 0.5f, 1.3f);
}
#endif

PROGRAM(approximate)
{
    const int n = 4096;
    Array<float> x(n), out(8 * n);
    for (int i = 0; i < n; i++) x[i] = 3.14159f * (2.0f * (float)i / (float)n - 1.0f);
    x.up();
    CHECK(!LAUNCH(approximate_kernel, dim3(16), dim3(256), 0, (const float *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const double a = x[i], p = fabsf(x[i]) + 0.001f;
        const float *r = &out[8 * i];
        CHECK(std::fabs(r[0] - std::sin(a)) <= std::ldexp(1.0, -21) && std::fabs(r[1] - std::cos(a)) <= std::ldexp(1.0, -21));
        CHECK(ulps(r[2], std::exp(a)) <= 2 + std::floor(std::fabs(1.173 * a)));
        CHECK(p > 0.5 && p < 2 ? std::fabs(r[3] - std::log(p)) <= std::ldexp(1.0, -21) : ulps(r[3], std::log(p)) <= 3);
        CHECK(p > 0.5 && p < 2 ? std::fabs(r[4] - std::log2(p)) <= std::ldexp(1.0, -21) : ulps(r[4], std::log2(p)) <= 3);
        CHECK(ulps(r[5], 1 / std::sqrt(p)) <= 2 && ulps(r[6], a / (double)3.7f) <= 2);
        CHECK(std::fabs(r[7] / std::pow((double)(fabsf(x[i]) + 0.5f), (double)1.3f) - 1) < 2e-6);
    }
    return 0;
}
