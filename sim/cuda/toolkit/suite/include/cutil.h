/* cutil.h of CUDA 2 to 4, by the helpers that came after it. */
#ifndef POISE_SUITE_CUTIL_H
#define POISE_SUITE_CUTIL_H
#include "helper_cuda.h"
#include "helper_functions.h"

#define CUT_DEVICE_INIT(argc, argv) ((void)cudaSetDevice(0))
#define CUT_EXIT(argc, argv) exit(EXIT_SUCCESS)
#define CUDA_SAFE_CALL(call) checkCudaErrors(call)
#define CUDA_SAFE_CALL_NO_SYNC(call) checkCudaErrors(call)
#define CUT_SAFE_CALL(call) ((void)(call))
#define CUT_CHECK_ERROR(what) getLastCudaError(what)
#define CUFFT_SAFE_CALL(call) checkCudaErrors(call)
#define CU_SAFE_CALL(call) checkCudaErrors(call)
#define cutilSafeCall(call) checkCudaErrors(call)
#define cutilSafeCallNoSync(call) checkCudaErrors(call)
#define cutilCheckError(call) ((void)(call))
#define cutilCheckMsg(what) getLastCudaError(what)
#define cutilDeviceInit(argc, argv) ((void)cudaSetDevice(0))
#define cutilExit(argc, argv) ((void)0)
#define cutilThreadSynchronize() cudaDeviceSynchronize()
#define cutilSafeThreadSync() checkCudaErrors(cudaDeviceSynchronize())
#define cutilDeviceSynchronize() checkCudaErrors(cudaDeviceSynchronize())
#define cutilDeviceReset() checkCudaErrors(cudaDeviceReset())
#define cutilGetLastError(what) getLastCudaError(what)
#define cutilCheckCtxSync(what) getLastCudaError(what)
#define cutilDrvSafeCall(call) ((void)(call))
#define cutilDrvSafeCallNoSync(call) ((void)(call))
#define cufftSafeCall(call) checkCudaErrors(call)
#define cutilChooseCudaDevice(argc, argv) ((void)cudaSetDevice(0))
#define cutilBankChecker(array, index) array[index]
#define CUT_CONDITION(what) ((what) ? (void)0 : exit(EXIT_FAILURE))
#define CUT_DEVICE_INIT_DRV(device, argc, argv) (cuInit(0), cuDeviceGet(&device, 0))
#define cutGetMaxGflopsDeviceId() 0
#define CUT_BANK_CHECKER(array, index) array[index]

typedef int CUTBoolean;
#define CUTTrue 1
#define CUTFalse 0

/* Timers by number. */
enum { POISE_TIMERS = 64 };
static StopWatchInterface *poise_timers[POISE_TIMERS];
static inline CUTBoolean cutCreateTimer(unsigned *timer)
{
    for (unsigned i = 1; i < POISE_TIMERS; i++)
        if (!poise_timers[i]) return *timer = i, sdkCreateTimer(&poise_timers[i]);
    return CUTFalse;
}
static inline CUTBoolean cutDeleteTimer(unsigned timer) { return sdkDeleteTimer(&poise_timers[timer]); }
static inline CUTBoolean cutStartTimer(unsigned timer) { return sdkStartTimer(&poise_timers[timer]); }
static inline CUTBoolean cutStopTimer(unsigned timer) { return sdkStopTimer(&poise_timers[timer]); }
static inline CUTBoolean cutResetTimer(unsigned timer) { return sdkResetTimer(&poise_timers[timer]); }
static inline float cutGetTimerValue(unsigned timer) { return sdkGetTimerValue(&poise_timers[timer]); }
static inline float cutGetAverageTimerValue(unsigned timer) { return sdkGetAverageTimerValue(&poise_timers[timer]); }

static inline CUTBoolean cutCheckCmdLineFlag(int argc, const char **argv, const char *name)
{
    return checkCmdLineFlag(argc, argv, name);
}
static inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char **argv, const char *name, int *out)
{
    if (!checkCmdLineFlag(argc, argv, name)) return CUTFalse;
    *out = getCmdLineArgumentInt(argc, argv, name);
    return CUTTrue;
}
static inline CUTBoolean cutGetCmdLineArgumentf(int argc, const char **argv, const char *name, float *out)
{
    if (!checkCmdLineFlag(argc, argv, name)) return CUTFalse;
    *out = getCmdLineArgumentFloat(argc, argv, name);
    return CUTTrue;
}
static inline CUTBoolean cutGetCmdLineArgumentstr(int argc, const char **argv, const char *name, char **out)
{
    return getCmdLineArgumentString(argc, argv, name, out);
}
static inline char *cutFindFilePath(const char *name, const char *program) { return sdkFindFilePath(name, program); }
static inline void cutFree(void *memory) { free(memory); }

/* The type stands in a letter of the name. */
#define POISE_CUTIL_TYPE(letter, type) \
    static inline CUTBoolean cutCompare##letter(const type *reference, const type *data, unsigned n) \
    { \
        return poise_compare(reference, data, n, 0); \
    } \
    static inline CUTBoolean cutCompare##letter##e(const type *reference, const type *data, unsigned n, float epsilon) \
    { \
        return poise_compare(reference, data, n, epsilon); \
    } \
    static inline CUTBoolean cutCompare##letter##t(const type *reference, const type *data, unsigned n, float epsilon, \
                                                   float threshold) \
    { \
        return poise_is_near(reference, data, n, epsilon, threshold); \
    } \
    static inline CUTBoolean cutReadFile##letter(const char *path, type **data, unsigned *n, bool verbose = false) \
    { \
        return sdkReadFile(path, data, n, verbose); \
    } \
    static inline CUTBoolean cutWriteFile##letter(const char *path, const type *data, unsigned n, float epsilon, \
                                                  bool verbose = false) \
    { \
        return sdkWriteFile(path, data, n, epsilon, verbose); \
    }
POISE_CUTIL_TYPE(f, float)
POISE_CUTIL_TYPE(d, double)
POISE_CUTIL_TYPE(i, int)
POISE_CUTIL_TYPE(ui, unsigned)
POISE_CUTIL_TYPE(ub, unsigned char)
static inline CUTBoolean cutComparefet(const float *reference, const float *data, unsigned n, float epsilon,
                                       float threshold)
{
    return poise_is_near(reference, data, n, epsilon, threshold);
}
static inline CUTBoolean cutCompareL2fe(const float *reference, const float *data, unsigned n, float epsilon)
{
    return sdkCompareL2fe(reference, data, n, epsilon);
}
#define POISE_CUTIL_IMAGE(letter, type) \
    static inline CUTBoolean cutLoadPGM##letter(const char *path, type **data, unsigned *width, unsigned *height) \
    { \
        return sdkLoadPGM(path, data, width, height); \
    } \
    static inline CUTBoolean cutSavePGM##letter(const char *path, type *data, unsigned width, unsigned height) \
    { \
        return sdkSavePGM(path, data, width, height); \
    }
POISE_CUTIL_IMAGE(f, float)
POISE_CUTIL_IMAGE(ub, unsigned char)
static inline CUTBoolean cutLoadPPMub(const char *path, unsigned char **data, unsigned *width, unsigned *height)
{
    return sdkLoadPPMub(path, data, width, height);
}
static inline CUTBoolean cutLoadPPM4ub(const char *path, unsigned char **data, unsigned *width, unsigned *height)
{
    return sdkLoadPPM4ub(path, data, width, height);
}
static inline CUTBoolean cutSavePPM4ub(const char *path, unsigned char *data, unsigned width, unsigned height)
{
    return sdkSavePPM4ub(path, data, width, height);
}
static inline CUTBoolean cutComparePPM(const char *source, const char *reference, float epsilon, float threshold,
                                       bool verbose = false)
{
    return sdkComparePPM(source, reference, epsilon, threshold, verbose);
}
#endif
