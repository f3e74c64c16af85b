/* cuBLAS, the part that libcublas of ours has: levels 1 to 3 in single and double precision, products of half
 * precision and of mixed types. It runs on the host over BLAS; what it does is in no trace, which the provenance of
 * traces says. Names and values are those of CUDA 12 and 13. [cuBLAS Library, user guide] */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#define CUBLAS_API_H_ /* the guard that CUDA's header has; programs ask for it to know what is included */
#include <stddef.h>
#include <stdint.h>
#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#if defined __cplusplus && defined __CUDACC__
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef struct cublasContext *cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *device, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *device, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void *a, int lda, void *device, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void *device, int lda, void *b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int incx, void *device, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *device, int incx, void *y, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *device, int ldb,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int size, const void *device, int lda, void *b, int ldb,
                                    cudaStream_t stream);

/* P: S or D of the name, T: the type. The library's own names end in _v2 where CUDA's do. */
#define POISE_BLAS_FUNCTIONS(P, T, Iamax, Iamin) \
    cublasStatus_t cublas##P##axpy_v2(cublasHandle_t, int n, const T *alpha, const T *x, int incx, T *y, int incy); \
    cublasStatus_t cublas##P##scal_v2(cublasHandle_t, int n, const T *alpha, T *x, int incx); \
    cublasStatus_t cublas##P##copy_v2(cublasHandle_t, int n, const T *x, int incx, T *y, int incy); \
    cublasStatus_t cublas##P##swap_v2(cublasHandle_t, int n, T *x, int incx, T *y, int incy); \
    cublasStatus_t cublas##P##dot_v2(cublasHandle_t, int n, const T *x, int incx, const T *y, int incy, T *result); \
    cublasStatus_t cublas##P##nrm2_v2(cublasHandle_t, int n, const T *x, int incx, T *result); \
    cublasStatus_t cublas##P##asum_v2(cublasHandle_t, int n, const T *x, int incx, T *result); \
    cublasStatus_t cublas##P##rot_v2(cublasHandle_t, int n, T *x, int incx, T *y, int incy, const T *c, const T *s); \
    cublasStatus_t Iamax##_v2(cublasHandle_t, int n, const T *x, int incx, int *result); \
    cublasStatus_t Iamin##_v2(cublasHandle_t, int n, const T *x, int incx, int *result); \
    cublasStatus_t cublas##P##gemv_v2(cublasHandle_t, cublasOperation_t, int m, int n, const T *alpha, const T *a, \
                                      int lda, const T *x, int incx, const T *beta, T *y, int incy); \
    cublasStatus_t cublas##P##ger_v2(cublasHandle_t, int m, int n, const T *alpha, const T *x, int incx, const T *y, \
                                     int incy, T *a, int lda); \
    cublasStatus_t cublas##P##symv_v2(cublasHandle_t, cublasFillMode_t, int n, const T *alpha, const T *a, int lda, \
                                      const T *x, int incx, const T *beta, T *y, int incy); \
    cublasStatus_t cublas##P##trsv_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, int n, \
                                      const T *a, int lda, T *x, int incx); \
    cublasStatus_t cublas##P##gemm_v2(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
                                      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, \
                                      int ldc); \
    cublasStatus_t cublas##P##gemmBatched(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
                                          int k, const T *alpha, const T *const a[], int lda, const T *const b[], \
                                          int ldb, const T *beta, T *const c[], int ldc, int batches); \
    cublasStatus_t cublas##P##gemmStridedBatched(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, \
                                                 int n, int k, const T *alpha, const T *a, int lda, \
                                                 long long int stride_a, const T *b, int ldb, long long int stride_b, \
                                                 const T *beta, T *c, int ldc, long long int stride_c, int batches); \
    cublasStatus_t cublas##P##getrfBatched(cublasHandle_t, int n, T *const a[], int lda, int *pivots, int *info, \
                                           int batches); \
    cublasStatus_t cublas##P##getriBatched(cublasHandle_t, int n, const T *const a[], int lda, const int *pivots, \
                                           T *const c[], int ldc, int *info, int batches); \
    cublasStatus_t cublas##P##getrsBatched(cublasHandle_t, cublasOperation_t, int n, int columns, const T *const a[], \
                                           int lda, const int *pivots, T *const b[], int ldb, int *info, int batches); \
    cublasStatus_t cublas##P##matinvBatched(cublasHandle_t, int n, const T *const a[], int lda, T *const c[], int ldc, \
                                            int *info, int batches); \
    cublasStatus_t cublas##P##trsmBatched(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, \
                                          cublasDiagType_t, int m, int n, const T *alpha, const T *const a[], int lda, \
                                          T *const b[], int ldb, int batches); \
    cublasStatus_t cublas##P##symm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int m, int n, \
                                      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, \
                                      int ldc); \
    cublasStatus_t cublas##P##syrk_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, \
                                      const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc); \
    cublasStatus_t cublas##P##syr2k_v2(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int n, int k, \
                                       const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, \
                                       int ldc); \
    cublasStatus_t cublas##P##trsm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, \
                                      cublasDiagType_t, int m, int n, const T *alpha, const T *a, int lda, T *b, \
                                      int ldb); \
    cublasStatus_t cublas##P##trmm_v2(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, \
                                      cublasDiagType_t, int m, int n, const T *alpha, const T *a, int lda, const T *b, \
                                      int ldb, T *c, int ldc); \
    cublasStatus_t cublas##P##geam(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
                                   const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, \
                                   int ldc); \
    cublasStatus_t cublas##P##dgmm(cublasHandle_t, cublasSideMode_t, int m, int n, const T *a, int lda, const T *x, \
                                   int incx, T *c, int ldc);
POISE_BLAS_FUNCTIONS(S, float, cublasIsamax, cublasIsamin)
POISE_BLAS_FUNCTIONS(D, double, cublasIdamax, cublasIdamin)
#undef POISE_BLAS_FUNCTIONS

#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasSrot cublasSrot_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSger cublasSger_v2
#define cublasSsymv cublasSsymv_v2
#define cublasStrsv cublasStrsv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSsymm cublasSsymm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasSsyr2k cublasSsyr2k_v2
#define cublasStrsm cublasStrsm_v2
#define cublasStrmm cublasStrmm_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDscal cublasDscal_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDdot cublasDdot_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasDrot cublasDrot_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDger cublasDger_v2
#define cublasDsymv cublasDsymv_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDsymm cublasDsymm_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDsyr2k cublasDsyr2k_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasDtrmm cublasDtrmm_v2

/* c = alpha op(a) op(b) + beta c. Types: CUDA_R_16F, 16BF, 32F, 64F, 8I and 32I, in any mix; computed in double
 * precision, whatever `compute` says. alpha and beta have the type of `compute`. */
struct __half;
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType a_type, int lda, const void *b,
                            cudaDataType b_type, int ldb, const void *beta, void *c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType a_type, int lda,
                                          long long int stride_a, const void *b, cudaDataType b_type, int ldb,
                                          long long int stride_b, const void *beta, void *c, cudaDataType c_type,
                                          int ldc, long long int stride_c, int batches, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType a_type, int lda, const void *b,
                             cudaDataType b_type, int ldb, const float *beta, void *c, cudaDataType c_type, int ldc);
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const struct __half *alpha, const struct __half *a, int lda, const struct __half *b, int ldb,
                           const struct __half *beta, struct __half *c, int ldc);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                   int k, const void *alpha, const void *const a[], cudaDataType a_type, int lda,
                                   const void *const b[], cudaDataType b_type, int ldb, const void *beta,
                                   void *const c[], cudaDataType c_type, int ldc, int batches,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                  int k, const struct __half *alpha, const struct __half *const a[], int lda,
                                  const struct __half *const b[], int ldb, const struct __half *beta,
                                  struct __half *const c[], int ldc, int batches);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                         int n, int k, const struct __half *alpha, const struct __half *a, int lda,
                                         long long int stride_a, const struct __half *b, int ldb,
                                         long long int stride_b, const struct __half *beta, struct __half *c, int ldc,
                                         long long int stride_c, int batches);

/* Vectors of the same types, in any mix; `execution` is not looked at, since sums are made in double precision. */
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, const void *y,
                           cudaDataType y_type, int incy, void *result, cudaDataType result_type,
                           cudaDataType execution);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, const void *y,
                            cudaDataType y_type, int incy, void *result, cudaDataType result_type,
                            cudaDataType execution);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, const void *x,
                            cudaDataType x_type, int incx, void *y, cudaDataType y_type, int incy,
                            cudaDataType execution);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, void *x,
                            cudaDataType x_type, int incx, cudaDataType execution);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, void *result,
                            cudaDataType result_type, cudaDataType execution);
#ifdef __cplusplus
}
#endif
#endif
