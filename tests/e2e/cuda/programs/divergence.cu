/* Divergence: nested loops with break and continue, early returns, conditions that depend on the lane. */
#include "program.h"
#ifdef PROGRAM_DRIVER
#define DIVERGENCE_BOTH
#else
#define DIVERGENCE_BOTH __host__ __device__
#endif
static inline DIVERGENCE_BOTH unsigned divergence_work(unsigned x)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < (x & 15); i++) {
        if ((x >> i & 3) == 3) continue;
        for (unsigned j = i; j < 20; j++) {
            if ((x ^ j) % 7 == 0) break;
            sum += j * i + (x & 1 ? 3 : 5);
            if (sum > 400) return sum;
        }
        while (sum % 5 && sum < 300) sum++;
    }
    do sum = sum * 3 + 1;
    while (sum % 8 && sum < 100000);
    return sum;
}
#ifndef PROGRAM_DRIVER
extern "C" __global__ void divergence_kernel(const unsigned *x, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || x[i] % 13 == 0) return;
    out[i] = divergence_work(x[i]);
}
#endif

PROGRAM(divergence)
{
    const int n = 3000;
    Array<unsigned> x(n), out(n, 77u);
    for (int i = 0; i < n; i++) x[i] = noise(i);
    x.up();
    CHECK(!LAUNCH(divergence_kernel, dim3(24), dim3(128), 0, (const unsigned *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) CHECK(out[i] == (x[i] % 13 == 0 ? 77u : divergence_work(x[i])));
    return 0;
}
