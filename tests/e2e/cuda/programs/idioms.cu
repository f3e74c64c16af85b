/* What public programs write without a thought: headers of the C++ library, min and max of mixed types, <cmath>'s functions in
 * single precision, shared memory of several types under templates, cache operators, copies in a pipeline, complex numbers. */
#include "program.h"
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#ifndef PROGRAM_DRIVER
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <math_constants.h>
template <class T> struct IdiomsShared {
    __device__ operator T *() const { extern __shared__ int idioms_ints[]; return (T *)idioms_ints; }
};
template <> struct IdiomsShared<double> {
    __device__ operator double *() const { extern __shared__ double idioms_doubles[]; return idioms_doubles; }
};
template <class T, unsigned size> __device__ T idioms_sum(T mine)
{
    T *all = IdiomsShared<T>();
    all[threadIdx.x] = mine;
    __syncthreads();
    if (size >= 128) { if (threadIdx.x < 64) all[threadIdx.x] += all[threadIdx.x + 64]; __syncthreads(); }
    if (size >= 64) { if (threadIdx.x < 32) all[threadIdx.x] += all[threadIdx.x + 32]; __syncthreads(); }
    for (unsigned by = 16; by; by >>= 1) { if (threadIdx.x < by) all[threadIdx.x] += all[threadIdx.x + by]; __syncthreads(); }
    return all[0];
}
struct IdiomsFunctor {
    int k;
    __host__ __device__ IdiomsFunctor(int k_) : k(k_) {}
    __host__ __device__ int operator()(int x) const { return x * k; }
};
template <class F> __device__ int idioms_apply(F f, int x) { return f(x); }
extern "C" __global__ void __launch_bounds__(128, 2) idioms_minima(const float *in, float *out, int n)
{
    const int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const float v = in[i];
    float *o = out + 16 * i;
    o[0] = max(v, 0.75f), o[1] = min((double)v, 0.5), o[2] = (float)max(v, 0.25), o[3] = (float)min(-3l * i, 5l), o[4] = (float)max(7u, i);
    o[5] = round(v) + trunc(v * 3) + rint(v * 5), o[6] = fma(v, v, 1.0f), o[7] = hypot(v, 4.0f), o[8] = fmax(v, 0.125f) - fmin(v, 0.125f);
    o[9] = cbrt(v) * exp2(v), o[10] = erf(v), o[11] = (float)idioms_apply(IdiomsFunctor(3), i), o[12] = copysign(v, -1.0f), o[13] = (float)lround(v * 10);
    int quotient;
    o[14] = remquo(v, 0.25f, &quotient) + log2(v + 1), o[15] = (float)abs(-i) + fabs(-v) + sqrt(v) + pow(v, 2);
}
extern "C" __global__ void idioms_memory(const float *in, float *out, double *sums, int *counts)
{
    __shared__ float staged[128];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&staged[t], &in[t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    __stcs(&out[t], staged[127 - t] + __ldcg(&in[t]) + __ldcs(&in[t]) + __ldg(&in[t]));
    const float4 four = __ldcg((const float4 *)in + t % 4);
    const double sum = idioms_sum<double, 128>((double)in[t]);
    const int whole = idioms_sum<int, 128>((int)t);
    if (t == 0) sums[0] = sum, sums[1] = whole, sums[2] = four.x + four.w;
    const cuFloatComplex z = cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, -1)), w = cuCdivf(z, make_cuFloatComplex(3, -1));
    if (t == 1) sums[3] = cuCrealf(z), sums[4] = cuCimagf(z), sums[5] = cuCabs(make_cuDoubleComplex(3, 4)), sums[6] = cuCrealf(w), sums[7] = cuCimagf(w);
    const __half2 pair = __hmul2(__floats2half2_rn(1.5f, 2), __half2half2(__float2half(2)));
    if (t == 2) sums[8] = __low2float(__hmax2(pair, pair)), sums[9] = __half2float(hsqrt(__high2half(pair))), sums[10] = CUDART_PI_F;
    atomicAdd_block(&counts[0], 1);
    atomicMax_system(&counts[1], (int)t);
    atomicCAS_block(&counts[2], 0, 5);
}
#endif

PROGRAM(idioms)
{
    const int n = 200;
    Array<float> in(n), out(16 * n), moved(128);
    Array<double> sums(11);
    Array<int> counts(3);
    std::map<std::string, std::shared_ptr<int>> names;
    names["a"] = std::make_shared<int>(3);
    std::ostringstream text;
    text << *names["a"] << std::accumulate(in.host.begin(), in.host.end(), 0.0f);
    CHECK(text.str() == "30" && std::thread::hardware_concurrency() < 100000);
    for (int i = 0; i < n; i++) in[i] = (float)i * 0.0078125f;
    in.up();
    CHECK(!LAUNCH(idioms_minima, 2, 128, 0, (const float *)in.device, out.device, n));
    CHECK(!LAUNCH(idioms_memory, 1, 128, 128 * sizeof(double), (const float *)in.device, moved.device, sums.device, counts.device));
    CHECK(!synchronise());
    out.down(), moved.down(), sums.down(), counts.down();
    for (int i = 0; i < n; i++) {
        const float v = in[i], *o = &out[16 * i];
        CHECK(o[0] == std::max(v, 0.75f) && o[1] == std::min(v, 0.5f) && o[2] == std::max(v, 0.25f) && o[3] == (float)std::min(-3l * i, 5l));
        CHECK(o[4] == (float)std::max(7u, (unsigned)i) && o[5] == roundf(v) + truncf(v * 3) + rintf(v * 5) && o[6] == fmaf(v, v, 1));
        CHECK(ulps(o[7], hypot((double)v, 4)) <= 4 && o[8] == fmaxf(v, 0.125f) - fminf(v, 0.125f) && std::fabs(o[9] - cbrt((double)v) * exp2((double)v)) < 1e-5);
        CHECK(ulps(o[10], erf((double)v)) <= 2 && o[11] == 3.0f * (float)i && o[12] == -v && o[13] == (float)lroundf(v * 10));
        int quotient;
        CHECK(std::fabs(o[14] - (remquof(v, 0.25f, &quotient) + log2f(v + 1))) < 1e-6f && std::fabs(o[15] - ((float)i + v + sqrtf(v) + v * v)) < 1e-4f);
    }
    for (int t = 0; t < 128; t++) CHECK(moved[t] == in[127 - t] + in[t] + in[t] + in[t]);
    CHECK(sums[0] == 127 * 64 * 0.0078125 && sums[1] == 127 * 64 && sums[2] == 3 * 0.0078125 && sums[3] == 5 && sums[4] == 5 && sums[5] == 5);
    CHECK(std::fabs(sums[6] - 1) < 1e-6 && std::fabs(sums[7] - 2) < 1e-6 && sums[8] == 3 && sums[9] == 2 && std::fabs(sums[10] - 3.14159265) < 1e-6);
    CHECK(counts[0] == 128 && counts[1] == 127 && counts[2] == 5);
    return 0;
}
