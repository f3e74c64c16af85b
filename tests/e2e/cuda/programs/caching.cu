/* Cache operators of loads and stores, read-only loads, volatile accesses, prefetches, scoped relaxed accesses. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void caching_kernel(const int *x, int *out, volatile int *flags, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v[8];
    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(v[0]) : "l"(x + i) : "memory");
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v[1]) : "l"(x + (i + 1) % n) : "memory");
    asm volatile("ld.global.cs.s32 %0, [%1];" : "=r"(v[2]) : "l"(x + (i + 2) % n) : "memory");
    asm volatile("ld.global.cv.s32 %0, [%1];" : "=r"(v[3]) : "l"(x + (i + 3) % n) : "memory");
    v[4] = __ldg(x + (i + 4) % n);
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v[5]) : "l"(x + (i + 5) % n) : "memory");
    asm volatile("prefetch.global.L2 [%0];" : : "l"(x + i));
    v[6] = flags[i & 31];
    asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v[7]) : "l"(x + i) : "memory");
    int sum = 0;
    for (int k = 0; k < 8; k++) sum = sum * 3 + v[k];
    asm volatile("st.global.wb.s32 [%0], %1;" : : "l"(out + 4 * i), "r"(sum) : "memory");
    asm volatile("st.global.cg.s32 [%0], %1;" : : "l"(out + 4 * i + 1), "r"(sum + 1) : "memory");
    asm volatile("st.global.cs.s32 [%0], %1;" : : "l"(out + 4 * i + 2), "r"(sum + 2) : "memory");
    asm volatile("st.global.wt.s32 [%0], %1;" : : "l"(out + 4 * i + 3), "r"(sum + 3) : "memory");
}
#endif

PROGRAM(caching)
{
    const int n = 500;
    Array<int> x(n), out(4 * n), flags(32, 9);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 1000);
    x.up();
    CHECK(!LAUNCH(caching_kernel, dim3(4), dim3(128), 0, (const int *)x.device, out.device, (volatile int *)flags.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const int v[] = {x[i], x[(i + 1) % n], x[(i + 2) % n], x[(i + 3) % n], x[(i + 4) % n], x[(i + 5) % n], 9, x[i]};
        int sum = 0;
        for (int k = 0; k < 8; k++) sum = sum * 3 + v[k];
        for (int k = 0; k < 4; k++) CHECK(out[4 * i + k] == sum + k);
    }
    return 0;
}
