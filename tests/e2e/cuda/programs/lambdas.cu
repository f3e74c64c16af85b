/* Templates and lambdas of device code: transform, scan and reduction over a block, written once for all operations. */
#include "program.h"
#ifndef PROGRAM_DRIVER
template <class T, class F> static __device__ T lambdas_reduce(T v, T *room, F combine)
{
    const unsigned t = threadIdx.x;
    room[t] = v;
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (t < half) room[t] = combine(room[t], room[t + half]);
    }
    __syncthreads();
    const T result = room[0];
    __syncthreads();
    return result;
}
template <class T, class F> static __device__ T lambdas_scan(T v, T *room, F combine)
{
    const unsigned t = threadIdx.x;
    room[t] = v;
    __syncthreads();
    for (unsigned by = 1; by < blockDim.x; by *= 2) {
        const T other = t >= by ? room[t - by] : T();
        __syncthreads();
        if (t >= by) room[t] = combine(other, room[t]);
        __syncthreads();
    }
    return room[t];
}
template <class F, class... A> static __device__ auto lambdas_apply(F f, A... a) -> decltype(f(a...)) { return f(a...); }
extern "C" __global__ void lambdas_kernel(const int *x, int *sums, int *most, double *scans)
{
    __shared__ int room[128];
    __shared__ double wide[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, bias = 3;
    const int v = lambdas_apply([=](int a, int b) { return a * b + bias; }, x[i], 2);
    sums[blockIdx.x] = lambdas_reduce(v, room, [](int a, int b) { return a + b; });
    most[blockIdx.x] = lambdas_reduce(v, room, [](int a, int b) { return a > b ? a : b; });
    scans[i] = lambdas_scan((double)v, wide, [](double a, double b) { return a + b; });
}
#endif

PROGRAM(lambdas)
{
    const int n = 1024, block = 128;
    Array<int> x(n), sums(n / block), most(n / block);
    Array<double> scans(n);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 2001) - 1000;
    x.up();
    CHECK(!LAUNCH(lambdas_kernel, dim3(n / block), dim3(block), 0, (const int *)x.device, sums.device, most.device, scans.device));
    sums.down(), most.down(), scans.down();
    for (int b = 0; b < n / block; b++) {
        int sum = 0, top = -1000000;
        for (int i = b * block; i < (b + 1) * block; i++) {
            const int v = 2 * x[i] + 3;
            sum += v;
            if (v > top) top = v;
            CHECK(scans[i] == sum);
        }
        CHECK(sums[b] == sum && most[b] == top);
    }
    return 0;
}
