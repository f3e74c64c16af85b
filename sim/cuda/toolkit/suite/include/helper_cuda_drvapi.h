/* The samples' helper_cuda_drvapi.h: devices and errors of the driver API. */
#ifndef POISE_SUITE_HELPER_CUDA_DRVAPI_H
#define POISE_SUITE_HELPER_CUDA_DRVAPI_H
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include "helper_string.h"

static inline void poise_check_driver(CUresult result, const char *file, int line)
{
    const char *text = NULL;
    if (result == CUDA_SUCCESS) return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "CUDA driver error %d from file <%s>, line %i: %s\n", (int)result, file, line, text ? text : "");
    exit(EXIT_FAILURE);
}
#ifndef checkCudaErrors
#define checkCudaErrors(call) poise_check_driver((call), __FILE__, __LINE__)
#endif
static inline int gpuDeviceInitDRV(int argc, const char **argv)
{
    int device = 0;
    poise_check_driver(cuInit(0), __FILE__, __LINE__);
    if (checkCmdLineFlag(argc, argv, "device=")) device = getCmdLineArgumentInt(argc, argv, "device=");
    return device < 0 ? 0 : device;
}
static inline CUdevice findCudaDeviceDRV(int argc, const char **argv)
{
    CUdevice device;
    poise_check_driver(cuDeviceGet(&device, gpuDeviceInitDRV(argc, argv)), __FILE__, __LINE__);
    return device;
}
static inline int gpuGetMaxGflopsDeviceIdDRV(void) { return poise_check_driver(cuInit(0), __FILE__, __LINE__), 0; }
static inline int getCudaAttributePoise(CUdevice_attribute attribute, int device)
{
    int value = 0;
    poise_check_driver(cuDeviceGetAttribute(&value, attribute, device), __FILE__, __LINE__);
    return value;
}
template <class T> static inline void getCudaAttribute(T *out, CUdevice_attribute attribute, int device)
{
    *out = (T)getCudaAttributePoise(attribute, device);
}
static inline bool checkCudaCapabilitiesDRV(int major, int minor, int device)
{
    const int mine = getCudaAttributePoise(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return mine > major ||
           (mine == major && getCudaAttributePoise(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) >= minor);
}
#endif
