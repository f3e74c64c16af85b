/* cuSOLVER's dense part: names and values are those of CUDA 12 and 13. The library of ours (sim/cuda/solver) computes
 * on the host over LAPACK; what it does is in no trace, which the provenance of traces says. Matrices are column-major;
 * no work area is used, and each size asked for is one element or 16 bytes. `info` lies on the device: 0, or what
 * LAPACK says of the matrix. [cuSOLVER Library, user guide] */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "cuComplex.h"
#include "cublas_v2.h"
#include "cusolver_common.h"
#include "library_types.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1, CUSOLVERDN_SYEVBATCHED = 2 } cusolverDnFunction_t;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm);
/* What Jacobi's method would be told; LAPACK's methods, which stand in its place, have no such settings. */
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int is_sorted);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int is_sorted);

/* P: S, D, C or Z; T: its elements, R: its real numbers; mqr, gqr, sy: names that real and complex have apart. */
#define POISE_SOLVER(P, T, R, mqr, gqr, sy) \
    /* A = P L U; solving with it. Pivots from 1. */ \
    cusolverStatus_t cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *a, int lda, \
                                                     int *size); \
    cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *work, \
                                          int *pivots, int *info); \
    cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int columns, \
                                          const T *a, int lda, const int *pivots, T *b, int ldb, int *info); \
    /* A = L L^H or U^H U; solving with it; the inverse */ \
    cusolverStatus_t cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, \
                                                     int lda, int *size); \
    cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, \
                                          T *work, int size, int *info); \
    cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int columns, \
                                          const T *a, int lda, T *b, int ldb, int *info); \
    cusolverStatus_t cusolverDn##P##potri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, \
                                                     int lda, int *size); \
    cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, \
                                          T *work, int size, int *info); \
    /* A = Q R; products with Q; Q */ \
    cusolverStatus_t cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *a, int lda, \
                                                     int *size); \
    cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *tau, T *work, \
                                          int size, int *info); \
    cusolverStatus_t cusolverDn##P##mqr##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, \
                                                     cublasOperation_t op, int m, int n, int k, const T *a, int lda, \
                                                     const T *tau, const T *c, int ldc, int *size); \
    cusolverStatus_t cusolverDn##P##mqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m, \
                                        int n, int k, const T *a, int lda, const T *tau, T *c, int ldc, T *work, \
                                        int size, int *info); \
    cusolverStatus_t cusolverDn##P##gqr##_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T *a, \
                                                     int lda, const T *tau, int *size); \
    cusolverStatus_t cusolverDn##P##gqr(cusolverDnHandle_t handle, int m, int n, int k, T *a, int lda, const T *tau, \
                                        T *work, int size, int *info); \
    /* A = U S V^H, where m >= n; the last with V instead of V^H */ \
    cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int *size); \
    cusolverStatus_t cusolverDn##P##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, \
                                          int n, T *a, int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work, \
                                          int size, R *rwork, int *info); \
    cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, \
                                                      int m, int n, const T *a, int lda, const R *s, const T *u, \
                                                      int ldu, const T *v, int ldv, int *size, gesvdjInfo_t settings); \
    cusolverStatus_t cusolverDn##P##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, int m, int n, \
                                           T *a, int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int size, \
                                           int *info, gesvdjInfo_t settings); \
    /* A x = w x and A x = w B x: eigenvalues rise, vectors replace A */ \
    cusolverStatus_t cusolverDn##P##sy##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t mode, \
                                                       cublasFillMode_t fill, int n, const T *a, int lda, const R *w, \
                                                       int *size); \
    cusolverStatus_t cusolverDn##P##sy##evd(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, \
                                            int n, T *a, int lda, R *w, T *work, int size, int *info); \
    cusolverStatus_t cusolverDn##P##sy##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t mode, \
                                                       cublasFillMode_t fill, int n, const T *a, int lda, const R *w, \
                                                       int *size, syevjInfo_t settings); \
    cusolverStatus_t cusolverDn##P##sy##evj(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, \
                                            int n, T *a, int lda, R *w, T *work, int size, int *info, \
                                            syevjInfo_t settings); \
    cusolverStatus_t cusolverDn##P##sy##gvd_bufferSize( \
        cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t mode, cublasFillMode_t fill, int n, \
        const T *a, int lda, const T *b, int ldb, const R *w, int *size); \
    cusolverStatus_t cusolverDn##P##sy##gvd(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t mode, \
                                            cublasFillMode_t fill, int n, T *a, int lda, T *b, int ldb, R *w, T *work, \
                                            int size, int *info);
POISE_SOLVER(S, float, float, ormqr, orgqr, sy)
POISE_SOLVER(D, double, double, ormqr, orgqr, sy)
POISE_SOLVER(C, cuComplex, float, unmqr, ungqr, he)
POISE_SOLVER(Z, cuDoubleComplex, double, unmqr, ungqr, he)

/* The same with 64-bit sizes and types by name. */
#define POISE_SOLVER_BYTES size_t *device_bytes, size_t *host_bytes
#define POISE_SOLVER_WORK void *work, size_t bytes, void *host_work, size_t host_bytes, int *info
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType type, const void *a, int64_t lda, cudaDataType compute,
                                             POISE_SOLVER_BYTES);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType type, void *a, int64_t lda, int64_t *pivots, cudaDataType compute,
                                  POISE_SOLVER_WORK);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t op, int64_t n,
                                  int64_t columns, cudaDataType type, const void *a, int64_t lda, const int64_t *pivots,
                                  cudaDataType type_b, void *b, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t fill, int64_t n, cudaDataType type, const void *a,
                                             int64_t lda, cudaDataType compute, POISE_SOLVER_BYTES);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t fill,
                                  int64_t n, cudaDataType type, void *a, int64_t lda, cudaDataType compute,
                                  POISE_SOLVER_WORK);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t fill,
                                  int64_t n, int64_t columns, cudaDataType type, const void *a, int64_t lda,
                                  cudaDataType type_b, void *b, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType type, const void *a, int64_t lda, cudaDataType type_tau,
                                             const void *tau, cudaDataType compute, POISE_SOLVER_BYTES);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType type, void *a, int64_t lda, cudaDataType type_tau, void *tau,
                                  cudaDataType compute, POISE_SOLVER_WORK);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                             cudaDataType type, const void *a, int64_t lda, cudaDataType type_w,
                                             const void *w, cudaDataType compute, POISE_SOLVER_BYTES);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int64_t n, cudaDataType type, void *a, int64_t lda,
                                  cudaDataType type_w, void *w, cudaDataType compute, POISE_SOLVER_WORK);
#ifdef __cplusplus
}
#endif
#endif
