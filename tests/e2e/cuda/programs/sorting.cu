/* A bitonic sort of keys with their values, in global memory step after step, and a radix histogram by warps. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void sorting_step(unsigned long long *x, int j, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i) return;
    const unsigned long long a = x[i], b = x[other];
    if ((a > b) == ((i & k) == 0)) x[i] = b, x[other] = a;
}
#endif

PROGRAM(sorting)
{
    const int n = 1024;
    Array<unsigned long long> x(n);
    std::vector<int> seen(n);
    for (int i = 0; i < n; i++) x[i] = (unsigned long long)noise(i) << 32 | (unsigned)i;
    x.up();
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) CHECK(!LAUNCH(sorting_step, dim3(n / 256), dim3(256), 0, x.device, j, k));
    x.down();
    for (int i = 0; i < n; i++) {
        CHECK((i == 0 || x[i - 1] <= x[i]) && (x[i] >> 32) == noise((uint32_t)x[i]) && !seen[(uint32_t)x[i]]++);
    }
    return 0;
}
