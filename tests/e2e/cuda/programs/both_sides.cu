/* Mathematical functions that CUDA's headers give to the host too, on both sides. */
#include "program.h"
#define BOTH_SIDES 9
#ifndef PROGRAM_DRIVER
static __host__ __device__ void both_sides(double x, double *r)
{
    double s, c;
    sincospi(x, &s, &c);
    r[0] = rsqrt(x), r[1] = rcbrt(x), r[2] = s, r[3] = c, r[4] = normcdf(x), r[5] = normcdfinv(x / 4), r[6] = erfcx(x), r[7] = erfinv(x / 4), r[8] = erfcinv(x);
}
static __host__ __device__ void both_sides(float x, float *r)
{
    r[0] = rsqrtf(x), r[1] = rcbrtf(x), r[2] = sinpif(x), r[3] = cospi(x), r[4] = normcdff(x), r[5] = normcdfinv(x / 4), r[6] = erfcxf(x), r[7] = erfinvf(x / 4), r[8] = erfcinv(x);
}
extern "C" __global__ void both_sides_kernel(const double *x, double *out, float *narrow, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    both_sides(x[i], out + BOTH_SIDES * i);
    both_sides((float)x[i], narrow + BOTH_SIDES * i);
    if (i == 0) out[BOTH_SIDES * n] = erfcx(x[n]), out[BOTH_SIDES * n + 1] = erfcinv(x[n + 1]); /* far tails */
}
#endif

static bool both_sides_near(double got, double wanted, double relative) { return std::fabs(got - wanted) <= relative * (std::fabs(wanted) + 1e-3); }

PROGRAM(both_sides)
{
    const int n = 96;
    const double pi = 3.141592653589793;
    Array<double> x(n + 2), out(BOTH_SIDES * n + 2);
    Array<float> narrow(BOTH_SIDES * n);
    for (int i = 0; i < n; i++) x[i] = 0.015625 * (i + 1); /* single precision has them too */
    x[n] = 50, x[n + 1] = 1e-200;
    x.up();
    CHECK(!LAUNCH(both_sides_kernel, dim3(3), dim3(32), 0, (const double *)x.device, out.device, narrow.device, n));
    out.down(), narrow.down();
    for (int i = 0; i < n; i++) {
        const double a = x[i], *r = &out[BOTH_SIDES * i];
        const double wanted[BOTH_SIDES] = {1 / std::sqrt(a),        1 / std::cbrt(a),       std::sin(pi * a), std::cos(pi * a), 0.5 * std::erfc(-a / std::sqrt(2.0)), r[5],
                                           std::exp(a * a) * std::erfc(a), r[7], r[8]};
        for (int k = 0; k < BOTH_SIDES; k++) {
            CHECK(both_sides_near(r[k], wanted[k], 1e-11));
            CHECK(both_sides_near(narrow[BOTH_SIDES * i + k], wanted[k], 1e-5));
        }
        /* The inverses, by what they are the inverses of. */
        CHECK(both_sides_near(0.5 * std::erfc(-r[5] / std::sqrt(2.0)), a / 4, 1e-11));
        CHECK(both_sides_near(std::erf(r[7]), a / 4, 1e-11) && both_sides_near(std::erfc(r[8]), a, 1e-11));
#ifndef PROGRAM_DRIVER
        double host[BOTH_SIDES];
        float single[BOTH_SIDES];
        both_sides(a, host);
        both_sides((float)a, single);
        for (int k = 0; k < BOTH_SIDES; k++) CHECK(both_sides_near(host[k], r[k], 1e-11) && both_sides_near(single[k], r[k], 1e-5));
#endif
    }
    CHECK(both_sides_near(out[BOTH_SIDES * n], 0.011281536265323772, 1e-11) && both_sides_near(std::erfc(out[BOTH_SIDES * n + 1]) * 1e200, 1, 1e-9));
#ifndef PROGRAM_DRIVER
    /* Far tails and whole numbers, on the host. */
    CHECK(both_sides_near(std::erfc(erfcinv(1e-200)) * 1e200, 1, 1e-9) && both_sides_near(erfcx(50.0), 0.011281536265323772, 1e-11));
    CHECK(sinpi(1e9) == 0 && cospi(1e9 + 1) == -1 && sinpi(-2.5) == -1 && erfinv(1.0) == HUGE_VAL && erfcinv(2.0) == -HUGE_VAL && std::isnan(erfinv(1.5)));
    CHECK(umax(3u, 4u) == 4 && umin(3u, 4u) == 3 && llmin(-3, 4) == -3 && llmax(-3, 4) == 4 && ullmin(3, ~0ull) == 3 && ullmax(3, ~0ull) == ~0ull);
#endif
    return 0;
}
