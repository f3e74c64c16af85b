/* libcusolver: the dense part of CUDA's solvers on the host. A call checks its arguments, finds the host's bytes behind
 * the device's, notes itself as skipped (poise/cuda_shim.h) and calls LAPACK with one thread. */
#ifndef CUDA_SOLVER_H
#define CUDA_SOLVER_H
#include <complex.h>
#include <stdbool.h>
#include <lapacke.h>
#include "toolkit/cusolverDn.h"
#include "poise/cuda_shim.h"

struct cusolverDnContext {
    cudaStream_t stream;
};
/* One line on stderr; the status again. */
cusolverStatus_t solver_refuse(const char *function, cusolverStatus_t status, const char *why);

/* A call in progress: its name, its handle and the type of its elements, CUDA_R_32F, CUDA_R_64F, CUDA_C_32F or
 * CUDA_C_64F. `info` is the device's. */
struct solver_call {
    const char *function;
    cusolverDnHandle_t handle;
    cudaDataType type;
    int *info;
};
cusolverStatus_t solver_lu(const struct solver_call *c, int64_t m, int64_t n, void *a, int64_t lda, void *pivots,
                           bool is_wide);
cusolverStatus_t solver_lu_solve(const struct solver_call *c, cublasOperation_t op, int64_t n, int64_t columns,
                                 const void *a, int64_t lda, const void *pivots, bool is_wide, void *b, int64_t ldb);
cusolverStatus_t solver_cholesky(const struct solver_call *c, cublasFillMode_t fill, int64_t n, void *a, int64_t lda);
cusolverStatus_t solver_cholesky_solve(const struct solver_call *c, cublasFillMode_t fill, int64_t n, int64_t columns,
                                       const void *a, int64_t lda, void *b, int64_t ldb);
cusolverStatus_t solver_cholesky_inverse(const struct solver_call *c, cublasFillMode_t fill, int64_t n, void *a,
                                         int64_t lda);
cusolverStatus_t solver_qr(const struct solver_call *c, int64_t m, int64_t n, void *a, int64_t lda, void *tau);
cusolverStatus_t solver_q_times(const struct solver_call *c, cublasSideMode_t side, cublasOperation_t op, int m, int n,
                                int k, const void *a, int lda, const void *tau, void *to, int ldc);
cusolverStatus_t solver_q(const struct solver_call *c, int m, int n, int k, void *a, int lda, const void *tau);
/* vt is V^H, or V where is_turned. */
cusolverStatus_t solver_svd(const struct solver_call *c, char jobu, char jobvt, int m, int n, void *a, int lda, void *s,
                            void *u, int ldu, void *vt, int ldvt, bool is_turned);
/* b: NULL, or the other matrix of a generalised problem of type 1, 2 or 3. */
cusolverStatus_t solver_eigen(const struct solver_call *c, int type, cusolverEigMode_t mode, cublasFillMode_t fill,
                              int64_t n, void *a, int64_t lda, void *b, int64_t ldb, void *w);
#endif
