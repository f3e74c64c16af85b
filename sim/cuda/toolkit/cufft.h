/* cuFFT: names and values are those of CUDA 12 and 13. The library of ours (sim/cuda/fft) transforms on the host; what
 * it does is in no trace, which the provenance of traces says. Transforms are not scaled: forward and back again
 * multiplies by the number of elements. [cuFFT Library, user guide] */
#ifndef _CUFFT_H_
#define _CUFFT_H_
#include <cuda_runtime_api.h>
#include <stddef.h>
#include "cuComplex.h"
#include "library_types.h"
#define CUFFTAPI
#define CUFFT_VER_MAJOR 11
#define CUFFT_VER_MINOR 0
#define CUFFT_VER_PATCH 0
#define CUFFT_VER_BUILD 0
#define CUFFT_VERSION 11000
#ifdef __cplusplus
extern "C" {
#endif
/* clang-format off */
typedef enum cufftResult_t {
    CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN = 1, CUFFT_ALLOC_FAILED = 2, CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4, CUFFT_INTERNAL_ERROR = 5, CUFFT_EXEC_FAILED = 6, CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8, CUFFT_UNALIGNED_DATA = 9, CUFFT_INCOMPLETE_PARAMETER_LIST = 10,
    CUFFT_INVALID_DEVICE = 11, CUFFT_PARSE_ERROR = 12, CUFFT_NO_WORKSPACE = 13, CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_LICENSE_ERROR = 15, CUFFT_NOT_SUPPORTED = 16, CUFFT_MISSING_DEPENDENCY = 17, CUFFT_NVRTC_FAILURE = 18,
    CUFFT_NVJITLINK_FAILURE = 19, CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;
typedef enum cufftType_t {
    CUFFT_C2C = 0x29, CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_Z2Z = 0x69, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c
} cufftType;
/* clang-format on */
typedef enum cufftCompatibility_t { CUFFT_COMPATIBILITY_FFTW_PADDING = 1 } cufftCompatibility;
#define CUFFT_COMPATIBILITY_DEFAULT CUFFT_COMPATIBILITY_FFTW_PADDING
#define MAX_CUFFT_ERROR 0x15
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1
#define CUFFT_PLAN_NULL (-1)
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

/* Plans. Of the sizes the first changes slowest. Layouts: element (x, y, z) of transform b of a batch lies at
 * b * dist + ((x * embed[1] + y) * embed[2] + z) * stride; without embed, one after another, where half spectra have
 * n / 2 + 1 elements in the last dimension and real data in place 2 * (n / 2 + 1). */
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                          int ostride, int odist, cufftType type, int batch);
cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work_bytes);
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work_bytes);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
                                long long batch, size_t *work_bytes);
/* Bytes of a work area: those of the batch as complex numbers. None is used here. */
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *work_bytes);
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *work_bytes);
cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                              int odist, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work_bytes);
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work_bytes);
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                             int ostride, int odist, cufftType type, int batch, size_t *work_bytes);
cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
                               long long batch, size_t *work_bytes);
cufftResult cufftGetSize(cufftHandle plan, size_t *work_bytes);
cufftResult cufftSetWorkArea(cufftHandle plan, void *area);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int is_automatic);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftDestroy(cufftHandle plan);

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out);

cufftResult cufftGetVersion(int *version);
cufftResult cufftGetProperty(libraryPropertyType type, int *value);
#ifdef __cplusplus
}
#endif
#endif
