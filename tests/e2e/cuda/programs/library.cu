/* The mathematical library in both precisions against the host's. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void library_kernel(const double *x, double *out, float *narrow, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double a = x[i], p = fabs(a) + 0.01;
    double *r = out + 12 * i;
    r[0] = exp(a), r[1] = log(p), r[2] = sin(a), r[3] = cos(a), r[4] = tan(a), r[5] = pow(p, 2.3);
    r[6] = atan(a), r[7] = cbrt(a), r[8] = erf(a), r[9] = tanh(a), r[10] = fmod(a * 100, 3.3), r[11] = hypot(a, 2.0);
    const float f = (float)a, g = (float)p;
    float *s = narrow + 8 * i;
    s[0] = expf(f), s[1] = logf(g), s[2] = sinf(f), s[3] = cosf(f), s[4] = powf(g, 1.7f), s[5] = atan2f(f, 0.7f), s[6] = tanhf(f), s[7] = sqrtf(g);
}
#endif

static bool library_near(double got, double wanted, double relative) { return std::fabs(got - wanted) <= relative * (std::fabs(wanted) + 1e-3); }

PROGRAM(library)
{
    const int n = 256;
    Array<double> x(n), out(12 * n);
    Array<float> narrow(8 * n);
    for (int i = 0; i < n; i++) x[i] = (double)(int)noise(i) * 4e-9;
    x.up();
    CHECK(!LAUNCH(library_kernel, dim3(2), dim3(128), 0, (const double *)x.device, out.device, narrow.device, n));
    out.down(), narrow.down();
    for (int i = 0; i < n; i++) {
        const double a = x[i], p = std::fabs(a) + 0.01;
        const double wanted[] = {std::exp(a), std::log(p), std::sin(a), std::cos(a), std::tan(a), std::pow(p, 2.3), std::atan(a), std::cbrt(a),
                                 std::erf(a), std::tanh(a), std::fmod(a * 100, 3.3), std::hypot(a, 2.0)};
        for (int k = 0; k < 12; k++) CHECK(library_near(out[12 * i + k], wanted[k], 1e-12));
        const double f = (float)a, g = (float)p;
        const double singles[] = {std::exp(f), std::log(g), std::sin(f), std::cos(f), std::pow(g, (double)1.7f), std::atan2(f, (double)0.7f), std::tanh(f), std::sqrt(g)};
        for (int k = 0; k < 8; k++) CHECK(library_near(narrow[8 * i + k], singles[k], 1e-6));
    }
    return 0;
}
