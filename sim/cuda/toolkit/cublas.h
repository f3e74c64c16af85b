/* cuBLAS as it was before CUDA 4, the part that libcublas of ours has: levels 1 to 3 in single and double precision.
 * There is no handle, options are letters, numbers are given by value, results are returned, and cublasGetError tells
 * what went wrong since it was last asked. The functions without results of their own are those of cublas_v2.h.
 * [cuBLAS Library, user guide, appendix B: Using the cuBLAS Legacy API] */
#ifndef CUBLAS_H_
#define CUBLAS_H_
#include "cublas_v2.h"
/* Under these names cublas_v2.h has functions with a handle. */
#undef cublasSaxpy
#undef cublasSscal
#undef cublasScopy
#undef cublasSswap
#undef cublasSdot
#undef cublasSnrm2
#undef cublasSasum
#undef cublasSrot
#undef cublasSgemv
#undef cublasSger
#undef cublasSsymv
#undef cublasStrsv
#undef cublasSgemm
#undef cublasSsymm
#undef cublasSsyrk
#undef cublasSsyr2k
#undef cublasStrsm
#undef cublasStrmm
#undef cublasDaxpy
#undef cublasDscal
#undef cublasDcopy
#undef cublasDswap
#undef cublasDdot
#undef cublasDnrm2
#undef cublasDasum
#undef cublasDrot
#undef cublasDgemv
#undef cublasDger
#undef cublasDsymv
#undef cublasDtrsv
#undef cublasDgemm
#undef cublasDsymm
#undef cublasDsyrk
#undef cublasDsyr2k
#undef cublasDtrsm
#undef cublasDtrmm
#undef cublasIsamax
#undef cublasIsamin
#undef cublasIdamax
#undef cublasIdamin
#ifdef __cplusplus
extern "C" {
#endif
typedef cublasStatus_t cublasStatus;
cublasStatus_t cublasInit(void);
cublasStatus_t cublasShutdown(void);
cublasStatus_t cublasGetError(void);
cublasStatus_t cublasAlloc(int n, int size, void **device);
cublasStatus_t cublasFree(void *device);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);
#define POISE_BLAS_LEGACY(P, p, T) \
    void cublas##P##axpy(int n, T alpha, const T *x, int incx, T *y, int incy); \
    void cublas##P##scal(int n, T alpha, T *x, int incx); \
    void cublas##P##copy(int n, const T *x, int incx, T *y, int incy); \
    void cublas##P##swap(int n, T *x, int incx, T *y, int incy); \
    T cublas##P##dot(int n, const T *x, int incx, const T *y, int incy); \
    T cublas##P##nrm2(int n, const T *x, int incx); \
    T cublas##P##asum(int n, const T *x, int incx); \
    void cublas##P##rot(int n, T *x, int incx, T *y, int incy, T c, T s); \
    int cublasI##p##amax(int n, const T *x, int incx); \
    int cublasI##p##amin(int n, const T *x, int incx); \
    void cublas##P##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, \
                         int incy); \
    void cublas##P##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda); \
    void cublas##P##symv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, \
                         int incy); \
    void cublas##P##trsv(char uplo, char op, char diag, int n, const T *a, int lda, T *x, int incx); \
    void cublas##P##gemm(char ta, char tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, \
                         T beta, T *c, int ldc); \
    void cublas##P##symm(char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, \
                         T beta, T *c, int ldc); \
    void cublas##P##syrk(char uplo, char op, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc); \
    void cublas##P##syr2k(char uplo, char op, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, \
                          T *c, int ldc); \
    void cublas##P##trsm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T *a, int lda, T *b, \
                         int ldb); \
    void cublas##P##trmm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T *a, int lda, T *b, \
                         int ldb);
POISE_BLAS_LEGACY(S, s, float)
POISE_BLAS_LEGACY(D, d, double)
#undef POISE_BLAS_LEGACY
#ifdef __cplusplus
}
#endif
#endif
