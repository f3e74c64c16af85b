/* The functions that programs call: handles and settings, and each solver by the name of its type. */
#include "solver/solver.h"

#include <stdlib.h>

void openblas_set_num_threads(int threads) __attribute__((weak)); /* LAPACK may stand on another BLAS */

cusolverStatus_t solver_refuse(const char *function, cusolverStatus_t status, const char *why)
{
    static const char *const names[] = {[CUSOLVER_STATUS_NOT_INITIALIZED] = "CUSOLVER_STATUS_NOT_INITIALIZED",
                                        [CUSOLVER_STATUS_ALLOC_FAILED] = "CUSOLVER_STATUS_ALLOC_FAILED",
                                        [CUSOLVER_STATUS_INVALID_VALUE] = "CUSOLVER_STATUS_INVALID_VALUE",
                                        [CUSOLVER_STATUS_EXECUTION_FAILED] = "CUSOLVER_STATUS_EXECUTION_FAILED",
                                        [CUSOLVER_STATUS_NOT_SUPPORTED] = "CUSOLVER_STATUS_NOT_SUPPORTED"};
    poise_cuda_refuse(function, names[status], why);
    return status;
}
#define NEED(condition) \
    do { \
        if (!(condition)) \
            return solver_refuse(__func__, CUSOLVER_STATUS_INVALID_VALUE, "an argument is NULL or out of its range"); \
    } while (0)
#define NEED_HANDLE \
    do { \
        if (!handle) return solver_refuse(__func__, CUSOLVER_STATUS_NOT_INITIALIZED, "there is no handle"); \
    } while (0)

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    NEED(handle);
    if (cudaFree(NULL) != cudaSuccess)
        return solver_refuse(__func__, CUSOLVER_STATUS_NOT_INITIALIZED, "there is no device");
    if (openblas_set_num_threads) openblas_set_num_threads(1); /* several add up in another order elsewhere */
    LAPACKE_set_nancheck(0); /* a matrix with NaN has results with NaN, as on a device */
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSOLVER_STATUS_SUCCESS : solver_refuse(__func__, CUSOLVER_STATUS_ALLOC_FAILED, "out of memory");
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    NEED_HANDLE;
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    NEED_HANDLE;
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream)
{
    NEED_HANDLE;
    NEED(stream);
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetVersion(int *version)
{
    NEED(version);
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    const int values[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
    NEED(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
    *value = values[type];
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- settings: remembered, and without effect ---- */
struct cusolverDnParams {
    cusolverAlgMode_t algorithm;
};
struct syevjInfo {
    double tolerance;
    int sweeps, is_sorted;
};
struct gesvdjInfo {
    double tolerance;
    int sweeps, is_sorted;
};
#define OBJECT(Name, type) \
    cusolverStatus_t cusolverDnCreate##Name(type *it) \
    { \
        NEED(it); \
        *it = calloc(1, sizeof **it); \
        return *it ? CUSOLVER_STATUS_SUCCESS : solver_refuse(__func__, CUSOLVER_STATUS_ALLOC_FAILED, "out of memory"); \
    } \
    cusolverStatus_t cusolverDnDestroy##Name(type it) \
    { \
        free(it); \
        return CUSOLVER_STATUS_SUCCESS; \
    }
#define SETTING(Name, object, type, member) \
    cusolverStatus_t cusolverDn##Name(object it, type value) \
    { \
        NEED(it); \
        it->member = value; \
        return CUSOLVER_STATUS_SUCCESS; \
    }
OBJECT(Params, cusolverDnParams_t)
OBJECT(SyevjInfo, syevjInfo_t)
OBJECT(GesvdjInfo, gesvdjInfo_t)
SETTING(XsyevjSetTolerance, syevjInfo_t, double, tolerance)
SETTING(XsyevjSetMaxSweeps, syevjInfo_t, int, sweeps)
SETTING(XsyevjSetSortEig, syevjInfo_t, int, is_sorted)
SETTING(XgesvdjSetTolerance, gesvdjInfo_t, double, tolerance)
SETTING(XgesvdjSetMaxSweeps, gesvdjInfo_t, int, sweeps)
SETTING(XgesvdjSetSortEig, gesvdjInfo_t, int, is_sorted)
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm)
{
    (void)function;
    NEED(params);
    params->algorithm = algorithm;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- by type ---- */
static cusolverStatus_t one_element(const char *function, cusolverDnHandle_t handle, int *size)
{
    if (!handle) return solver_refuse(function, CUSOLVER_STATUS_NOT_INITIALIZED, "there is no handle");
    if (!size) return solver_refuse(function, CUSOLVER_STATUS_INVALID_VALUE, "there is no place for the size");
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}
#define CALL(type) \
    &(const struct solver_call) { __func__, handle, type, info }
#define SIZE(name, ...) \
    cusolverStatus_t name##_bufferSize(cusolverDnHandle_t handle, __VA_ARGS__, int *size) \
    { \
        return one_element(__func__, handle, size); \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter" /* sizes and work areas: nothing of them is used */
#define SOLVER(P, T, R, mqr, gqr, sy, type) \
    SIZE(cusolverDn##P##getrf, int m, int n, T *a, int lda) \
    SIZE(cusolverDn##P##potrf, cublasFillMode_t fill, int n, T *a, int lda) \
    SIZE(cusolverDn##P##potri, cublasFillMode_t fill, int n, T *a, int lda) \
    SIZE(cusolverDn##P##geqrf, int m, int n, T *a, int lda) \
    SIZE(cusolverDn##P##mqr, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T *a, int lda, \
         const T *tau, const T *c, int ldc) \
    SIZE(cusolverDn##P##gqr, int m, int n, int k, const T *a, int lda, const T *tau) \
    SIZE(cusolverDn##P##gesvd, int m, int n) \
    SIZE(cusolverDn##P##sy##evd, cusolverEigMode_t mode, cublasFillMode_t fill, int n, const T *a, int lda, \
         const R *w) \
    SIZE(cusolverDn##P##sy##gvd, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, int n, \
         const T *a, int lda, const T *b, int ldb, const R *w) \
    cusolverStatus_t cusolverDn##P##sy##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t mode, \
                                                       cublasFillMode_t fill, int n, const T *a, int lda, const R *w, \
                                                       int *size, syevjInfo_t settings) \
    { \
        return one_element(__func__, handle, size); \
    } \
    cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, \
                                                      int m, int n, const T *a, int lda, const R *s, const T *u, \
                                                      int ldu, const T *v, int ldv, int *size, gesvdjInfo_t settings) \
    { \
        return one_element(__func__, handle, size); \
    } \
    cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *work, \
                                          int *pivots, int *info) \
    { \
        return solver_lu(CALL(type), m, n, a, lda, pivots, false); \
    } \
    cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int columns, \
                                          const T *a, int lda, const int *pivots, T *b, int ldb, int *info) \
    { \
        return solver_lu_solve(CALL(type), op, n, columns, a, lda, pivots, false, b, ldb); \
    } \
    cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, \
                                          T *work, int size, int *info) \
    { \
        return solver_cholesky(CALL(type), fill, n, a, lda); \
    } \
    cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int columns, \
                                          const T *a, int lda, T *b, int ldb, int *info) \
    { \
        return solver_cholesky_solve(CALL(type), fill, n, columns, a, lda, b, ldb); \
    } \
    cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, \
                                          T *work, int size, int *info) \
    { \
        return solver_cholesky_inverse(CALL(type), fill, n, a, lda); \
    } \
    cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *tau, T *work, \
                                          int size, int *info) \
    { \
        return solver_qr(CALL(type), m, n, a, lda, tau); \
    } \
    cusolverStatus_t cusolverDn##P##mqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m, \
                                        int n, int k, const T *a, int lda, const T *tau, T *c, int ldc, T *work, \
                                        int size, int *info) \
    { \
        return solver_q_times(CALL(type), side, op, m, n, k, a, lda, tau, c, ldc); \
    } \
    cusolverStatus_t cusolverDn##P##gqr(cusolverDnHandle_t handle, int m, int n, int k, T *a, int lda, const T *tau, \
                                        T *work, int size, int *info) \
    { \
        return solver_q(CALL(type), m, n, k, a, lda, tau); \
    } \
    cusolverStatus_t cusolverDn##P##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, \
                                          int n, T *a, int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work, \
                                          int size, R *rwork, int *info) \
    { \
        NEED(m >= n); /* as CUDA documents it */ \
        return solver_svd(CALL(type), (char)jobu, (char)jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, false); \
    } \
    cusolverStatus_t cusolverDn##P##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, int m, int n, \
                                           T *a, int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int size, \
                                           int *info, gesvdjInfo_t settings) \
    { \
        NEED(settings); \
        const char job = mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : econ ? 'S' : 'A'; \
        return solver_svd(CALL(type), job, job, m, n, a, lda, s, u, ldu, v, ldv, true); \
    } \
    cusolverStatus_t cusolverDn##P##sy##evd(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, \
                                            int n, T *a, int lda, R *w, T *work, int size, int *info) \
    { \
        return solver_eigen(CALL(type), 1, mode, fill, n, a, lda, NULL, 1, w); \
    } \
    cusolverStatus_t cusolverDn##P##sy##evj(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, \
                                            int n, T *a, int lda, R *w, T *work, int size, int *info, \
                                            syevjInfo_t settings) \
    { \
        NEED(settings); \
        return solver_eigen(CALL(type), 1, mode, fill, n, a, lda, NULL, 1, w); \
    } \
    cusolverStatus_t cusolverDn##P##sy##gvd(cusolverDnHandle_t handle, cusolverEigType_t kind, cusolverEigMode_t mode, \
                                            cublasFillMode_t fill, int n, T *a, int lda, T *b, int ldb, R *w, T *work, \
                                            int size, int *info) \
    { \
        NEED(b); \
        return solver_eigen(CALL(type), (int)kind, mode, fill, n, a, lda, b, ldb, w); \
    }
SOLVER(S, float, float, ormqr, orgqr, sy, CUDA_R_32F)
SOLVER(D, double, double, ormqr, orgqr, sy, CUDA_R_64F)
SOLVER(C, cuComplex, float, unmqr, ungqr, he, CUDA_C_32F)
SOLVER(Z, cuDoubleComplex, double, unmqr, ungqr, he, CUDA_C_64F)

/* ---- types by name and 64-bit sizes ---- */
#define BYTES(name, ...) \
    cusolverStatus_t name##_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, __VA_ARGS__, \
                                       POISE_SOLVER_BYTES) \
    { \
        NEED_HANDLE; \
        NEED(device_bytes &&host_bytes); \
        *device_bytes = *host_bytes = 16; \
        return CUSOLVER_STATUS_SUCCESS; \
    }
BYTES(cusolverDnXgetrf, int64_t m, int64_t n, cudaDataType type, const void *a, int64_t lda, cudaDataType compute)
BYTES(cusolverDnXpotrf, cublasFillMode_t fill, int64_t n, cudaDataType type, const void *a, int64_t lda,
      cudaDataType compute)
BYTES(cusolverDnXgeqrf, int64_t m, int64_t n, cudaDataType type, const void *a, int64_t lda, cudaDataType type_tau,
      const void *tau, cudaDataType compute)
BYTES(cusolverDnXsyevd, cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n, cudaDataType type, const void *a,
      int64_t lda, cudaDataType type_w, const void *w, cudaDataType compute)

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType type, void *a, int64_t lda, int64_t *pivots, cudaDataType compute,
                                  POISE_SOLVER_WORK)
{
    return solver_lu(CALL(type), m, n, a, lda, pivots, true);
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t op, int64_t n,
                                  int64_t columns, cudaDataType type, const void *a, int64_t lda, const int64_t *pivots,
                                  cudaDataType type_b, void *b, int64_t ldb, int *info)
{
    NEED(type == type_b);
    return solver_lu_solve(CALL(type), op, n, columns, a, lda, pivots, true, b, ldb);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t fill,
                                  int64_t n, cudaDataType type, void *a, int64_t lda, cudaDataType compute,
                                  POISE_SOLVER_WORK)
{
    return solver_cholesky(CALL(type), fill, n, a, lda);
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t fill,
                                  int64_t n, int64_t columns, cudaDataType type, const void *a, int64_t lda,
                                  cudaDataType type_b, void *b, int64_t ldb, int *info)
{
    NEED(type == type_b);
    return solver_cholesky_solve(CALL(type), fill, n, columns, a, lda, b, ldb);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType type, void *a, int64_t lda, cudaDataType type_tau, void *tau,
                                  cudaDataType compute, POISE_SOLVER_WORK)
{
    NEED(type == type_tau);
    return solver_qr(CALL(type), m, n, a, lda, tau);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int64_t n, cudaDataType type, void *a, int64_t lda,
                                  cudaDataType type_w, void *w, cudaDataType compute, POISE_SOLVER_WORK)
{
    NEED(type_w == (type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_R_32F : CUDA_R_64F));
    return solver_eigen(CALL(type), 1, mode, fill, n, a, lda, NULL, 1, w);
}
