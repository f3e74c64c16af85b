/* cuBLAS as it was before CUDA 4 (toolkit/cublas.h). As CUDA's own, it has process-wide state: one handle, and the
 * error of the last call that failed. */
#include "blas/blas.h"
#include "toolkit/cublas.h"

#include <ctype.h>

#define API __attribute__((visibility("default")))
static struct {
    cublasHandle_t handle;
    cublasStatus_t error;
} legacy;

static cublasStatus_t note(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS) legacy.error = status;
    return status;
}
/* What a letter means; -1, which no function takes: none of them. */
static int letter(char given, const char *letters, const int *values)
{
    for (int i = 0; letters[i]; i++)
        if (toupper((unsigned char)given) == letters[i]) return values[i];
    return -1;
}
static cublasOperation_t op_of(char c)
{
    return (cublasOperation_t)letter(c, "NTC", (const int[]){CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C});
}
static cublasFillMode_t fill_of(char c)
{
    return (cublasFillMode_t)letter(c, "LU", (const int[]){CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER});
}
static cublasSideMode_t side_of(char c)
{
    return (cublasSideMode_t)letter(c, "LR", (const int[]){CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT});
}
static cublasDiagType_t diag_of(char c)
{
    return (cublasDiagType_t)letter(c, "NU", (const int[]){CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT});
}
#define NEED(options) \
    if (!(options)) { \
        note(CUBLAS_STATUS_INVALID_VALUE); \
        return; \
    }
#define IS(option) ((int)(option) >= 0)

API cublasStatus_t cublasInit(void)
{
    return legacy.handle ? CUBLAS_STATUS_SUCCESS : note(cublasCreate(&legacy.handle));
}
API cublasStatus_t cublasShutdown(void)
{
    const cublasStatus_t status = note(cublasDestroy(legacy.handle));
    legacy.handle = NULL;
    return status;
}
API cublasStatus_t cublasGetError(void)
{
    const cublasStatus_t error = legacy.error;
    legacy.error = CUBLAS_STATUS_SUCCESS;
    return error;
}
API cublasStatus_t cublasAlloc(int n, int size, void **device)
{
    if (!legacy.handle) return note(CUBLAS_STATUS_NOT_INITIALIZED);
    if (n <= 0 || size <= 0 || !device) return note(CUBLAS_STATUS_INVALID_VALUE);
    const cudaError_t error = cudaMalloc(device, (size_t)n * (size_t)size);
    return note(error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED);
}
API cublasStatus_t cublasFree(void *device)
{
    return note(cudaFree(device) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR);
}
API cublasStatus_t cublasSetKernelStream(cudaStream_t stream) { return note(cublasSetStream(legacy.handle, stream)); }

#define LEVEL_1(P, p, T) \
    API void cublas##P##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) \
    { \
        note(cublas##P##axpy_v2(legacy.handle, n, &alpha, x, incx, y, incy)); \
    } \
    API void cublas##P##scal(int n, T alpha, T *x, int incx) \
    { \
        note(cublas##P##scal_v2(legacy.handle, n, &alpha, x, incx)); \
    } \
    API void cublas##P##copy(int n, const T *x, int incx, T *y, int incy) \
    { \
        note(cublas##P##copy_v2(legacy.handle, n, x, incx, y, incy)); \
    } \
    API void cublas##P##swap(int n, T *x, int incx, T *y, int incy) \
    { \
        note(cublas##P##swap_v2(legacy.handle, n, x, incx, y, incy)); \
    } \
    API T cublas##P##dot(int n, const T *x, int incx, const T *y, int incy) \
    { \
        T result = 0; \
        note(cublas##P##dot_v2(legacy.handle, n, x, incx, y, incy, &result)); \
        return result; \
    } \
    API T cublas##P##nrm2(int n, const T *x, int incx) \
    { \
        T result = 0; \
        note(cublas##P##nrm2_v2(legacy.handle, n, x, incx, &result)); \
        return result; \
    } \
    API T cublas##P##asum(int n, const T *x, int incx) \
    { \
        T result = 0; \
        note(cublas##P##asum_v2(legacy.handle, n, x, incx, &result)); \
        return result; \
    } \
    API void cublas##P##rot(int n, T *x, int incx, T *y, int incy, T c, T s) \
    { \
        note(cublas##P##rot_v2(legacy.handle, n, x, incx, y, incy, &c, &s)); \
    } \
    API int cublasI##p##amax(int n, const T *x, int incx) \
    { \
        int result = 0; \
        note(cublasI##p##amax_v2(legacy.handle, n, x, incx, &result)); \
        return result; \
    } \
    API int cublasI##p##amin(int n, const T *x, int incx) \
    { \
        int result = 0; \
        note(cublasI##p##amin_v2(legacy.handle, n, x, incx, &result)); \
        return result; \
    }
LEVEL_1(S, s, float)
LEVEL_1(D, d, double)

#define LEVELS_2_AND_3(P, T) \
    API void cublas##P##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, \
                             int incy) \
    { \
        NEED(IS(op_of(op))) \
        note(cublas##P##gemv_v2(legacy.handle, op_of(op), m, n, &alpha, a, lda, x, incx, &beta, y, incy)); \
    } \
    API void cublas##P##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) \
    { \
        note(cublas##P##ger_v2(legacy.handle, m, n, &alpha, x, incx, y, incy, a, lda)); \
    } \
    API void cublas##P##symv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, \
                             int incy) \
    { \
        NEED(IS(fill_of(uplo))) \
        note(cublas##P##symv_v2(legacy.handle, fill_of(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy)); \
    } \
    API void cublas##P##trsv(char uplo, char op, char diag, int n, const T *a, int lda, T *x, int incx) \
    { \
        NEED(IS(fill_of(uplo)) && IS(op_of(op)) && IS(diag_of(diag))) \
        note(cublas##P##trsv_v2(legacy.handle, fill_of(uplo), op_of(op), diag_of(diag), n, a, lda, x, incx)); \
    } \
    API void cublas##P##gemm(char ta, char tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, \
                             T beta, T *c, int ldc) \
    { \
        NEED(IS(op_of(ta)) && IS(op_of(tb))) \
        note(cublas##P##gemm_v2(legacy.handle, op_of(ta), op_of(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)); \
    } \
    API void cublas##P##symm(char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, \
                             T beta, T *c, int ldc) \
    { \
        NEED(IS(side_of(side)) && IS(fill_of(uplo))) \
        note(cublas##P##symm_v2(legacy.handle, side_of(side), fill_of(uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, \
                                ldc)); \
    } \
    API void cublas##P##syrk(char uplo, char op, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc) \
    { \
        NEED(IS(fill_of(uplo)) && IS(op_of(op))) \
        note(cublas##P##syrk_v2(legacy.handle, fill_of(uplo), op_of(op), n, k, &alpha, a, lda, &beta, c, ldc)); \
    } \
    API void cublas##P##syr2k(char uplo, char op, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, \
                              T beta, T *c, int ldc) \
    { \
        NEED(IS(fill_of(uplo)) && IS(op_of(op))) \
        note(cublas##P##syr2k_v2(legacy.handle, fill_of(uplo), op_of(op), n, k, &alpha, a, lda, b, ldb, &beta, c, \
                                 ldc)); \
    } \
    API void cublas##P##trsm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T *a, int lda, \
                             T *b, int ldb) \
    { \
        NEED(IS(side_of(side)) && IS(fill_of(uplo)) && IS(op_of(op)) && IS(diag_of(diag))) \
        note(cublas##P##trsm_v2(legacy.handle, side_of(side), fill_of(uplo), op_of(op), diag_of(diag), m, n, &alpha, \
                                a, lda, b, ldb)); \
    } \
    API void cublas##P##trmm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T *a, int lda, \
                             T *b, int ldb) /* in place, which today's function does when both matrices are one */ \
    { \
        NEED(IS(side_of(side)) && IS(fill_of(uplo)) && IS(op_of(op)) && IS(diag_of(diag))) \
        note(cublas##P##trmm_v2(legacy.handle, side_of(side), fill_of(uplo), op_of(op), diag_of(diag), m, n, &alpha, \
                                a, lda, b, ldb, b, ldb)); \
    }
LEVELS_2_AND_3(S, float)
LEVELS_2_AND_3(D, double)
