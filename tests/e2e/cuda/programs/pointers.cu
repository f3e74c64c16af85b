/* Function pointers: a table in device memory, calls that differ from lane to lane. */
#include "program.h"
#ifndef PROGRAM_DRIVER
typedef float (*pointers_function)(float, int);
static __device__ float pointers_add(float x, int k) { return x + (float)k; }
static __device__ float pointers_scale(float x, int k) { return x * (float)k; }
static __device__ float pointers_power(float x, int k)
{
    float r = 1;
    for (int i = 0; i < k % 4; i++) r *= x;
    return r;
}
__device__ pointers_function pointers_table[3] = {pointers_add, pointers_scale, pointers_power};
extern "C" __global__ void pointers_kernel(const float *x, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = pointers_table[i % 3](x[i], i % 11) + pointers_table[(i / 32) % 3](x[i], 2);
}
#endif

PROGRAM(pointers)
{
    const int n = 300;
    Array<float> x(n), out(n);
    for (int i = 0; i < n; i++) x[i] = (float)(noise(i) % 100) / 8;
    x.up();
    CHECK(!LAUNCH(pointers_kernel, dim3(3), dim3(128), 0, (const float *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int call = 0; call < 2; call++) {
            const int which = call ? i / 32 % 3 : i % 3, k = call ? 2 : i % 11;
            float power = 1;
            for (int p = 0; p < k % 4; p++) power *= x[i];
            sum += which == 0 ? x[i] + (float)k : which == 1 ? x[i] * (float)k : power;
        }
        CHECK(out[i] == sum);
    }
    return 0;
}
