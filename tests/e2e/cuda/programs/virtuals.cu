/* Classes with virtual functions, made and deleted by device code. */
#include "program.h"
#ifndef PROGRAM_DRIVER
struct virtuals_shape {
    __device__ virtual ~virtuals_shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct virtuals_circle : virtuals_shape {
    float r;
    __device__ explicit virtuals_circle(float r_) : r(r_) {}
    __device__ float area() const override { return 3.0f * r * r; }
};
struct virtuals_square : virtuals_shape {
    float side;
    __device__ explicit virtuals_square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};
extern "C" __global__ void virtuals_kernel(float *out, int n)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    virtuals_shape *s = i % 3 ? (virtuals_shape *)new virtuals_circle((float)i) : new virtuals_square((float)i + 1);
    out[i] = s->area() + 100000.0f * (float)s->corners();
    delete s;
}
#endif

PROGRAM(virtuals)
{
    const int n = 50;
    Array<float> out(n);
    CHECK(!LAUNCH(virtuals_kernel, dim3(1), dim3(64), 0, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) CHECK(out[i] == (i % 3 ? 3.0f * (float)i * (float)i : ((float)i + 1) * ((float)i + 1) + 400000.0f));
    return 0;
}
