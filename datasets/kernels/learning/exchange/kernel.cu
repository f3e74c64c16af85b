// exchange: the exchange matrix of a Hartree-Fock step from integrals that were stored: K(i, j) is the sum over k and l
// of D(k, l) (i k | j l). Integrals of real orbitals are the same under every swap within and of their pairs, so they
// are kept as a packed triangle of packed triangles. A thread owns an element (x is j) for some of the k: the blocks of
// a whole matrix stand side by side in x, one matrix for every part of the sum.
#include "cuda_device.h"

static __device__ u32 packed(u32 a, u32 b)
{
    u32 high = a > b ? a : b, low = a > b ? b : a;
    return high * (high + 1) / 2 + low;
}

extern "C" __global__ void exchange_matrix(const float *integrals, const float *density, float *parts, u32 n, u32 of_k)
{
    u32 part = blockIdx.x / gridDim.y, j = blockIdx.x % gridDim.y * blockDim.x + threadIdx.x;
    u32 i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    u32 k = part * of_k, end = k + of_k < n ? k + of_k : n;
    float sum = 0.0f;
#pragma unroll 1
    for (; k < end; k++) {
        u32 row = packed(i, k);
        const float *d = density + k * n;
#pragma unroll 1
        for (u32 l = 0; l < n; l++) sum = fmaf(d[l], integrals[packed(row, packed(j, l))], sum);
    }
    parts[(part * n + i) * n + j] = sum;
}
