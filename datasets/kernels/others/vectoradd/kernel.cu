// vectoradd: c = a + b, one element a thread; every access is coalesced and used once.
#include "cuda_device.h"

extern "C" __global__ void vectoradd(const float *a, const float *b, float *c, u32 n)
{
    u32 i = thread_index();
    if (i < n) c[i] = a[i] + b[i];
}
