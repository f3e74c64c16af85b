/* What CUDA 13 dropped and programs still use: members of cudaDeviceProp, old names of functions. The real nvcc
 * includes this in front of every file of a suite. */
#ifndef POISE_SUITE_DROPPED_H
#define POISE_SUITE_DROPPED_H
#include <cuda_runtime.h>

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaThreadSetLimit cudaDeviceSetLimit
#define cudaThreadGetLimit cudaDeviceGetLimit

#if defined __cplusplus && CUDART_VERSION >= 13000
struct poise_device_properties : cudaDeviceProp {
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, memoryClockRate, maxTexture1DLinear,
        singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
static inline cudaError_t cudaGetDeviceProperties(poise_device_properties *out, int device)
{
    const struct {
        int *member;
        cudaDeviceAttr attribute;
    } attributes[] = {{&out->clockRate, cudaDevAttrClockRate},
                      {&out->deviceOverlap, cudaDevAttrGpuOverlap},
                      {&out->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
                      {&out->computeMode, cudaDevAttrComputeMode},
                      {&out->memoryClockRate, cudaDevAttrMemoryClockRate},
                      {&out->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
                      {&out->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio}};
    out->cooperativeMultiDeviceLaunch = 0;
    const cudaError_t result = cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(out), device);
    if (result != cudaSuccess) return result;
    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        *attributes[i].member = 0;
        cudaDeviceGetAttribute(attributes[i].member, attributes[i].attribute, device);
    }
    return cudaSuccess;
}
#define cudaDeviceProp poise_device_properties
#endif

#if defined __cplusplus && defined __CUDACC__ && CUDART_VERSION >= 12000
#include "poise_texture_references.h"
#endif
#endif
