/* Accesses a little beyond an allocation, which a GPU's pages let pass: the last block's threads have no element, and the
 * neighbour on the right of the last element is read, and what lies before a program's first array. No result depends
 * on what is read there. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void bounds_kernel(const volatile int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, here = in[i], right = in[i + 1], before = in[i - 128];
    if (i < n) out[i] = here + (i + 1 < n ? right : 0) + (i < 128 ? 0 : before);
}
#endif

PROGRAM(bounds)
{
    const int n = 1000, threads = 256;
    Array<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = (int)(noise((uint32_t)i) % 1000);
    in.up();
    CHECK(!LAUNCH(bounds_kernel, dim3((n + threads - 1) / threads), dim3(threads), 0, (const volatile int *)in.device, out.device, n));
    CHECK(!synchronise());
    out.down();
    for (int i = 0; i < n; i++) CHECK(out[i] == in[i] + (i + 1 < n ? in[i + 1] : 0) + (i < 128 ? 0 : in[i - 128]));
    return 0;
}
