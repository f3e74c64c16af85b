/* Generic addresses: one function reads global, shared and local memory; isspacep tells which is which. */
#include "program.h"
#ifndef PROGRAM_DRIVER
static __device__ __noinline__ int generic_sum(const int *p, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) sum += p[k];
    return sum;
}
static __device__ int generic_space(const void *p)
{
    int is_global, is_shared, is_local;
    asm("{\n\t.reg .pred p;\n\tisspacep.global p, %1;\n\tselp.s32 %0, 1, 0, p;\n\t}" : "=r"(is_global) : "l"(p));
    asm("{\n\t.reg .pred p;\n\tisspacep.shared p, %1;\n\tselp.s32 %0, 1, 0, p;\n\t}" : "=r"(is_shared) : "l"(p));
    asm("{\n\t.reg .pred p;\n\tisspacep.local p, %1;\n\tselp.s32 %0, 1, 0, p;\n\t}" : "=r"(is_local) : "l"(p));
    return is_global + 2 * is_shared + 4 * is_local;
}
extern "C" __global__ void generic_kernel(const int *x, int *out)
{
    __shared__ int room[64];
    int mine[8];
    const int t = threadIdx.x;
    room[t] = x[t] * 2;
    for (int k = 0; k < 8; k++) mine[k] = x[(t + k) % 64] * 3;
    __syncthreads();
    const int *const places[] = {x, room, mine};
    const int *p = places[t % 3];
    out[t] = generic_sum(p, 8) * 8 + generic_space(p);
}
#endif

PROGRAM(generic)
{
    const int n = 64;
    Array<int> x(n), out(n);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 500);
    x.up();
    CHECK(!LAUNCH(generic_kernel, dim3(1), dim3(n), 0, (const int *)x.device, out.device));
    out.down();
    for (int t = 0; t < n; t++) {
        int sum = 0;
        for (int k = 0; k < 8; k++) sum += t % 3 == 0 ? x[k] : t % 3 == 1 ? x[k] * 2 : x[(t + k) % n] * 3;
        CHECK(out[t] == sum * 8 + (t % 3 == 0 ? 1 : t % 3 == 1 ? 2 : 4));
    }
    return 0;
}
