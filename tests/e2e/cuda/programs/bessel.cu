/* Bessel functions and lengths of vectors, against the host's. */
#include "program.h"

#ifndef PROGRAM_DRIVER
extern "C" __global__ void bessel_kernel(const double *at, double *out)
{
    const double x = at[threadIdx.x];
    double *r = out + 12 * threadIdx.x;
    r[0] = j0(x), r[1] = j1(-x), r[2] = jn(3, x), r[3] = y0(x), r[4] = y1(x), r[5] = yn(4, x), r[6] = jn(20, x);
    r[7] = rnorm3d(x, 1.0, 2.0), r[8] = rnorm4d(x, 1.0, 2.0, 3.0), r[9] = cyl_bessel_i1(x) / exp(x), r[10] = norm(2, r);
    r[11] = rnorm3df((float)x, 2.0f, 1.0f);
}
#endif

static bool bessel_near(double got, double exact, double bound)
{
    return std::fabs(got - exact) <= bound * std::fmax(1, std::fabs(exact));
}

PROGRAM(bessel)
{
    const int n = 64;
    Array<double> at(n), out(12 * n);
    for (int i = 0; i < n; i++) at[i] = 0.37 + 0.61 * i;
    at.up();
    CHECK(!LAUNCH(bessel_kernel, dim3(1), dim3(n), 0, (const double *)at.device, out.device));
    out.down();
    for (int i = 0; i < n; i++) {
        const double x = at[i], *r = &out[12 * i];
        double term = x / 2, i1 = term;
        for (int k = 1; k < 200; k++) i1 += term *= x * x / 4 / (k * (k + 1.0));
        CHECK(bessel_near(r[0], j0(x), 2e-11) && bessel_near(r[1], j1(-x), 2e-11) && bessel_near(r[2], jn(3, x), 2e-11));
        CHECK(bessel_near(r[3], y0(x), 2e-11) && bessel_near(r[4], y1(x), 2e-11) && bessel_near(r[5], yn(4, x), 2e-10));
        CHECK(bessel_near(r[6], jn(20, x), 2e-11) && bessel_near(r[9], i1 / std::exp(x), 1e-12));
        CHECK(bessel_near(r[7], 1 / std::sqrt(x * x + 5), 1e-14) && bessel_near(r[8], 1 / std::sqrt(x * x + 14), 1e-14));
        CHECK(bessel_near(r[10], std::hypot(r[0], r[1]), 1e-14) && bessel_near(r[11], 1 / std::sqrt(x * x + 5), 1e-6));
    }
    return 0;
}
