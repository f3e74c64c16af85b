/* libcublas: CUDA's BLAS on the host. A call checks its arguments, finds the host's bytes behind the device's, notes
 * itself as skipped (poise/cuda_shim.h) and calls CBLAS. One thread computes, so that results are the same in every
 * run. */
#ifndef CUDA_BLAS_H
#define CUDA_BLAS_H
#include <cblas.h>
#include <stdbool.h>
#include "toolkit/cublas_v2.h"
#include "poise/cuda_shim.h"

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
};

/* The host's bytes of a vector of n elements `stride` apart, or of a column-major matrix; NULL where they lie in no
 * allocation. Of nothing (n, rows or columns 0): any pointer. */
void *blas_vector(const void *device, int n, int stride, size_t size);
void *blas_matrix(const void *device, int rows, int columns, int ld, size_t size);
/* A number of which the handle says whether it is on the host or on the device. */
void *blas_scalar(cublasHandle_t handle, const void *pointer, size_t size);

static inline CBLAS_TRANSPOSE blas_op(cublasOperation_t op) { return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans; }
static inline CBLAS_UPLO blas_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
static inline CBLAS_SIDE blas_side(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight; }
static inline CBLAS_DIAG blas_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

/* At the start of a call: the handle, its sizes (all that must not be negative), what it costs, and its other
 * arguments: A() an integer or a pointer to the device, N() a number and R() a result that lie where the handle
 * says. */
#define A(name) POISE_CUDA_ARGUMENT(name)
#define N_OF(name, size) \
    POISE_CUDA_ARGUMENT_AND(name, handle->pointers == CUBLAS_POINTER_MODE_HOST ? (size) : (size_t)0)
#define N(name) N_OF(name, sizeof *(name))
#define R(name) N_OF(name, POISE_CUDA_RESULT_ON_HOST)
#define BLAS_BEGIN(bad, operations, ...) \
    do { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; \
        if (bad) return CUBLAS_STATUS_INVALID_VALUE; \
        const struct poise_cuda_argument arguments[] = {POISE_CUDA_ARGUMENT_AND(handle, sizeof *handle), __VA_ARGS__}; \
        const int skipped = poise_cuda_skip(__func__, handle->stream, (uint64_t)(operations), arguments, \
                                            sizeof arguments / sizeof *arguments); \
        if (skipped) return skipped < 0 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS; \
    } while (0)
/* After the pointers were looked up. */
#define BLAS_NEED(pointers) \
    do { \
        if (!(pointers)) return CUBLAS_STATUS_MAPPING_ERROR; \
    } while (0)
#endif
