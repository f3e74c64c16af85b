/* nvstd::function in kernels: lambdas, functions, large callables and copies of them; and of cuda::std what is more than the
 * host's header: exchanges, products and quotients of complex numbers, views. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cuda/std/complex>
#include <cuda/std/span>
#include <cuda/std/utility>
#if __has_include(<nvfunctional>)
#include <nvfunctional>
#else /* some packages of nvcc leave it out; ours is plain CUDA */
#include "../../../../sim/cuda/toolkit/nvfunctional"
#endif
static __device__ int wrappers_twice(int x) { return 2 * x; }
struct WrappersTable {
    int values[32];
    __host__ __device__ int operator()(int x) const { return values[x % 32] + x; }
};
static __device__ int wrappers_apply(const nvstd::function<int(int)> &f, int x) { return f ? f(x) : -1; }
extern "C" __global__ void wrappers_kernel(int *out, float *parts)
{
    const int t = threadIdx.x, bias = t * 10;
    nvstd::function<int(int)> f, g = [=](int x) { return x + bias; };
    WrappersTable table;
    for (int i = 0; i < 32; i++) table.values[i] = i * i;
    if (t % 4 == 1) f = wrappers_twice;
    if (t % 4 == 2) f = table;
    if (t % 4 == 3) f = g;
    const nvstd::function<int(int)> copy = f;
    f = nullptr;
    f.swap(g);
    int room[4] = {wrappers_apply(copy, t), wrappers_apply(f, t), g == nullptr, t};
    cuda::std::swap(room[0], room[1]);
    const cuda::std::span<int> view(room);
    int sum = 0;
    for (int x : view.subspan(1)) sum += x;
    out[t] = view[0] * 1000 + sum;
    const cuda::std::complex<float> a(1.0f + t, 2.0f), b(0.5f, -1.0f);
    parts[2 * t] = (a * b).real();
    parts[2 * t + 1] = (a / b).imag();
}
static int host_side()
{
    int seen = 0;
    nvstd::function<void(int)> f = [&](int x) { seen += x; }, g = f;
    f(3), g(4);
    return seen != 7;
}
#endif

PROGRAM(wrappers)
{
    const int n = 64;
    Array<int> out(n);
    Array<float> parts(2 * n);
#ifndef PROGRAM_DRIVER
    CHECK(!host_side());
#endif
    CHECK(!LAUNCH(wrappers_kernel, dim3(1), dim3(n), 0, out.device, parts.device));
    CHECK(!synchronise());
    out.down(), parts.down();
    for (int t = 0; t < n; t++) {
        const int by[] = {-1, 2 * t, t % 32 * (t % 32) + t, 11 * t};
        CHECK(out[t] == 11 * t * 1000 + by[t % 4] + 1 + t);
        CHECK(std::fabs(parts[2 * t] - (0.5 * (1 + t) + 2)) < 1e-4);
        CHECK(std::fabs(parts[2 * t + 1] - (1 + (1 + t)) / 1.25) < 1e-4);
    }
    return 0;
}
