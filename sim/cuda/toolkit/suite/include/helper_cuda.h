/* The names of the samples' helper_cuda.h that programs take from it, for suites whose own copy is missing. A suite's
 * own header is found first. */
#ifndef POISE_SUITE_HELPER_CUDA_H
#define POISE_SUITE_HELPER_CUDA_H
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "helper_string.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

static inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
static inline int ftoi(float value) { return value >= 0 ? (int)(value + 0.5f) : (int)(value - 0.5f); }
static inline const char *_ConvertSMVer2ArchName(int major, int minor)
{
    static const char *const names[] = {"",       "Tesla", "Fermi",  "Kepler", "",         "Maxwell",
                                        "Pascal", "Volta", "Ampere", "Hopper", "Blackwell"};
    return major == 7 && minor == 5 ? "Turing" : major == 8 && minor == 9 ? "Ada" : names[major < 11 ? major : 10];
}
template <typename T> static inline void poise_check(T result, const char *call, const char *file, int line)
{
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%u \"%s\"\n", file, line, (unsigned)result, call);
    exit(EXIT_FAILURE);
}
static inline void poise_check_last(const char *what, const char *file, int line)
{
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%d): %s: %s\n", file, line, what, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) poise_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(what) poise_check_last(what, __FILE__, __LINE__)
#define printLastCudaError(what) poise_check_last(what, __FILE__, __LINE__)

static inline int _ConvertSMVer2Cores(int major, int minor)
{
    return major >= 9 || (major == 8 && minor > 0) ? 128 : major == 3 ? 192 : major == 2 ? 32 : major == 5 ? 128 : 64;
}
static inline int gpuDeviceInit(int device) { return cudaSetDevice(device) == cudaSuccess ? device : -1; }
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int findIntegratedGPU() { return -1; }
static inline int findCudaDevice(int argc, const char **argv)
{
    int device = 0;
    if (checkCmdLineFlag(argc, argv, "device")) device = getCmdLineArgumentInt(argc, argv, "device=");
    return gpuDeviceInit(device < 0 ? 0 : device);
}
static inline bool checkCudaCapabilities(int major, int minor)
{
    cudaDeviceProp properties;
    int device = 0;
    cudaGetDevice(&device);
    cudaGetDeviceProperties(&properties, device);
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}
#endif
