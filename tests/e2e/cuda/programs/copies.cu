/* Copies and fills: pitched rows, boxes in three dimensions, kinds by address, asynchronous, memory to memory. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void copies_kernel(char *rows, unsigned long long pitch, int width, int height)
{
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) rows[y * pitch + x] = (char)(rows[y * pitch + x] + y);
}
#endif

PROGRAM(copies)
{
    const int width = 50, height = 7;
    std::vector<char> x(width * height), y(width * height), z(width * height);
    size_t pitch = 0;
    for (int i = 0; i < width * height; i++) x[i] = (char)(noise(i) % 90);
#ifdef PROGRAM_DRIVER
    CUdeviceptr rows = 0, other = 0;
    driver_module();
    CHECK(!cuMemAllocPitch(&rows, &pitch, width, height, 4) && pitch >= (size_t)width && pitch % 64 == 0 && !cuMemAlloc(&other, pitch * height));
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = x.data(), c.srcPitch = width, c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = rows, c.dstPitch = pitch;
    c.WidthInBytes = width, c.Height = height;
    CHECK(!cuMemcpy2D(&c) && !LAUNCH(copies_kernel, dim3(height), dim3(64), 0, (char *)rows, (unsigned long long)pitch, width, height));
    CHECK(!cuMemcpyDtoD(other, rows, pitch * height) && !cuMemsetD8(rows, 9, pitch * height));
    CUDA_MEMCPY3D d = {};
    d.srcMemoryType = CU_MEMORYTYPE_DEVICE, d.srcDevice = other, d.srcPitch = pitch, d.srcHeight = height, d.dstMemoryType = CU_MEMORYTYPE_HOST, d.dstHost = y.data();
    d.dstPitch = width, d.dstHeight = height, d.WidthInBytes = width, d.Height = height, d.Depth = 1;
    CHECK(!cuMemcpy3D(&d));
    for (int k = 0; k < height; k++) CHECK(!cuMemcpy((CUdeviceptr)&z[k * width], rows + k * pitch, width));
    CHECK(cuMemcpyHtoD(rows, x.data(), pitch * height + 1) == CUDA_ERROR_INVALID_VALUE);
#else
    char *rows, *other;
    CHECK(!cudaMallocPitch(&rows, &pitch, width, height) && pitch >= (size_t)width && pitch % 64 == 0 && !cudaMalloc(&other, pitch * height));
    CHECK(!cudaMemcpy2D(rows, pitch, x.data(), width, width, height, cudaMemcpyHostToDevice));
    CHECK(!LAUNCH(copies_kernel, dim3(height), dim3(64), 0, rows, (unsigned long long)pitch, width, height));
    CHECK(!cudaMemcpy(other, rows, pitch * height, cudaMemcpyDeviceToDevice) && !cudaMemset2D(rows, pitch, 9, width, height));
    cudaMemcpy3DParms d = {};
    d.srcPtr = make_cudaPitchedPtr(other, pitch, width, height), d.dstPtr = make_cudaPitchedPtr(y.data(), width, width, height);
    d.extent = make_cudaExtent(width, height, 1), d.kind = cudaMemcpyDeviceToHost;
    CHECK(!cudaMemcpy3D(&d) && !cudaMemcpy2DAsync(z.data(), width, rows, pitch, width, height, cudaMemcpyDefault, 0));
    CHECK(cudaMemcpy(rows, x.data(), pitch * height + 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(!cudaMemcpyPeer(other, 0, rows, 0, 16) && cudaGetLastError() == cudaSuccess);
#endif
    for (int k = 0; k < height; k++)
        for (int i = 0; i < width; i++) CHECK(y[k * width + i] == (char)(x[k * width + i] + k) && z[k * width + i] == 9);
    return 0;
}
