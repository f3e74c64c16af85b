/* Double precision, bit for bit, and conversions between it, single precision and whole numbers. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void doubles_kernel(const double *x, double *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
    double *r = out + 10 * i;
    r[0] = a + b, r[1] = a - b, r[2] = __dmul_rn(a, b), r[3] = a / b, r[4] = fma(a, b, c), r[5] = sqrt(fabs(a));
    r[6] = fmin(a, b) + fmax(b, c);
    r[7] = (double)(float)a, r[8] = (double)__double2ll_rn(a * 1e-3) + (double)__double2int_rz(b * 1e-6);
    r[9] = rint(a) + floor(b) - ceil(c) + trunc(a);
}
#endif

PROGRAM(doubles)
{
    const int n = 512;
    Array<double> x(n), out(10 * n);
    for (int i = 0; i < n; i++) x[i] = (double)(int)noise(i) * std::ldexp(1.0, (int)(noise(i + 7000) % 20) - 20);
    x.up();
    CHECK(!LAUNCH(doubles_kernel, dim3(4), dim3(128), 0, (const double *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const double a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n], *r = &out[10 * i];
        CHECK(r[0] == a + b && r[1] == a - b && r[2] == a * b && r[3] == a / b && r[4] == std::fma(a, b, c) && r[5] == std::sqrt(std::fabs(a)));
        CHECK(r[6] == std::fmin(a, b) + std::fmax(b, c) && r[7] == (double)(float)a);
        CHECK(r[8] == (double)std::llrint(a * 1e-3) + (double)(int)(b * 1e-6));
        CHECK(r[9] == std::rint(a) + std::floor(b) - std::ceil(c) + std::trunc(a));
    }
    return 0;
}
