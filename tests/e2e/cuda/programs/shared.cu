/* Shared memory: a tiled matrix product, a transpose, arrays whose size comes with the launch, and indices
 * that wrap around: its addresses have 32 bits, so that end[~i] is the i-th element from the end. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void shared_product(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][17];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum = fmaf(ta[threadIdx.y][i], tb[i][threadIdx.x], sum);
        __syncthreads();
    }
    c[y * n + x] = sum;
}
extern "C" __global__ void shared_dynamic(const int *x, int *out, int n)
{
    extern __shared__ int shared_room[];
    int *counts = shared_room;
    short *order = (short *)(shared_room + n);
    const int t = threadIdx.x;
    counts[t] = x[t];
    order[t] = (short)t;
    for (int phase = 0; phase < n; phase++) { /* odd-even transposition */
        __syncthreads();
        if (t % 2 == phase % 2 && t + 1 < n && counts[t] > counts[t + 1]) {
            const int v = counts[t];
            const short o = order[t];
            counts[t] = counts[t + 1], counts[t + 1] = v;
            order[t] = order[t + 1], order[t + 1] = o;
        }
    }
    __syncthreads();
    out[t] = counts[t] * 1000 + order[t];
}
extern "C" __global__ void shared_wrapping(const int *x, int *out)
{
    __shared__ int room[64];
    room[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const int *end = room + blockDim.x;
    const unsigned i = threadIdx.x;
    out[i] = end[~i] + (i % 2 ? 0 : end[~i - 1]);
}
#endif

PROGRAM(shared)
{
    const int n = 64;
    Array<float> a(n * n), b(n * n), c(n * n);
    Array<int> x(n), out(n);
    for (int i = 0; i < n * n; i++) a[i] = (float)(int)(noise(i) % 21) - 10, b[i] = (float)(int)(noise(i + 5000) % 21) - 10;
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 100000);
    a.up(), b.up(), x.up();
    CHECK(!LAUNCH(shared_product, dim3(n / 16, n / 16), dim3(16, 16), 0, (const float *)a.device, (const float *)b.device, c.device, n));
    CHECK(!LAUNCH(shared_dynamic, dim3(1), dim3(n), n * 6u, (const int *)x.device, out.device, n));
    c.down(), out.down();
    Array<int> wrapped(n);
    CHECK(!LAUNCH(shared_wrapping, dim3(1), dim3(n), 0, (const int *)x.device, wrapped.device));
    wrapped.down();
    for (int i = 0; i < n; i++) CHECK(wrapped[i] == x[n - 1 - i] + (i % 2 ? 0 : x[n - 2 - i]));
    for (int y = 0; y < n; y++)
        for (int k = 0; k < n; k++) {
            float sum = 0;
            for (int i = 0; i < n; i++) sum += a[y * n + i] * b[i * n + k];
            CHECK(c[y * n + k] == sum);
        }
    for (int i = 0; i < n; i++) CHECK(out[i] / 1000 == x[out[i] % 1000] && (i == 0 || out[i - 1] / 1000 <= out[i] / 1000));
    return 0;
}
