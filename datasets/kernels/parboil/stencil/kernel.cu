// stencil: one Jacobi step of a 7-point stencil on a 3D grid, as Parboil's hybrid of 2D blocks: a block owns a 64 x 4 tile of a
// plane and walks up the third dimension; a thread computes two elements of a row. The current plane's tile is in shared
// memory, the planes below and above in registers; neighbours outside the tile are loads.
#include "cuda_device.h"

#define TX 32
#define TY 4

extern "C" __global__ void stencil_step(const float *in, float *out, float c0, float c1, u32 nx, u32 ny, u32 nz)
{
    __shared__ volatile float plane[TY][2 * TX]; // volatile: else the compiler merges its loads with those of global memory
    u32 tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 2 * TX + tx, x1 = x0 + TX, y = blockIdx.y * TY + ty;
    u32 layer = nx * ny;
    bool inside0 = x0 > 0 && x0 < nx - 1 && y > 0 && y < ny - 1, inside1 = x1 > 0 && x1 < nx - 1 && y > 0 && y < ny - 1;
    const float *p = in + y * nx + x0;
    float below0 = p[0], below1 = p[TX], now0 = p[layer], now1 = p[layer + TX];
    p += layer;
    float *q = out + layer + y * nx + x0;
#pragma unroll 1
    for (u32 z = 1; z < nz - 1; z++, p += layer, q += layer) {
        float above0 = p[layer], above1 = p[layer + TX];
        plane[ty][tx] = now0;
        plane[ty][tx + TX] = now1;
        __syncthreads();
        if (inside0) {
            float left = tx > 0 ? plane[ty][tx - 1] : p[-1], right = plane[ty][tx + 1];
            float up = ty > 0 ? plane[ty - 1][tx] : *(p - nx), down = ty < TY - 1 ? plane[ty + 1][tx] : p[nx];
            q[0] = fmaf(c1, above0 + below0 + down + up + right + left, -now0 * c0);
        }
        if (inside1) {
            float left = plane[ty][tx + TX - 1], right = tx < TX - 1 ? plane[ty][tx + TX + 1] : p[TX + 1];
            float up = ty > 0 ? plane[ty - 1][tx + TX] : *(p - nx + TX), down = ty < TY - 1 ? plane[ty + 1][tx + TX] : p[nx + TX];
            q[TX] = fmaf(c1, above1 + below1 + down + up + right + left, -now1 * c0);
        }
        __syncthreads();
        below0 = now0;
        below1 = now1;
        now0 = above0;
        now1 = above1;
    }
}
