/* Handles, copies of vectors and matrices, and names of errors. */
#include "blas/blas.h"

#include <stdlib.h>

static size_t extent(int n, int stride, size_t size)
{
    const size_t step = (size_t)(stride < 0 ? -(long long)stride : stride);
    return ((size_t)(n - 1) * step + 1) * size;
}

void *blas_vector(const void *device, int n, int stride, size_t size)
{
    static char nothing[8];
    return n <= 0 ? nothing : poise_cuda_bytes(device, extent(n, stride, size));
}

void *blas_matrix(const void *device, int rows, int columns, int ld, size_t size)
{
    static char nothing[8];
    if (rows <= 0 || columns <= 0) return nothing;
    return poise_cuda_bytes(device, ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) * size);
}

void *blas_scalar(cublasHandle_t handle, const void *pointer, size_t size)
{
    if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) return poise_cuda_bytes(pointer, size);
    return (void *)(uintptr_t)pointer;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    if (cudaFree(NULL) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED; /* the device is there from here on */
    openblas_set_num_threads(1); /* several would add up in another order on another machine */
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version)
{
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

#define SETTING(what, type, member) \
    cublasStatus_t cublasSet##what(cublasHandle_t handle, type value) \
    { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; \
        handle->member = value; \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublasGet##what(cublasHandle_t handle, type *value) \
    { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; \
        if (!value) return CUBLAS_STATUS_INVALID_VALUE; \
        *value = handle->member; \
        return CUBLAS_STATUS_SUCCESS; \
    }
SETTING(Stream_v2, cudaStream_t, stream)
SETTING(PointerMode_v2, cublasPointerMode_t, pointers)
SETTING(AtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(MathMode, cublasMath_t, math)

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes; /* nothing here needs room on the device */
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

/* clang-format off */
#define STATUSES(S) \
    S(SUCCESS, "success") S(NOT_INITIALIZED, "the library was not initialised") S(ALLOC_FAILED, "no memory") \
    S(INVALID_VALUE, "an argument is out of its range") S(ARCH_MISMATCH, "not on this device") \
    S(MAPPING_ERROR, "memory that the device does not have") S(EXECUTION_FAILED, "the call failed") \
    S(INTERNAL_ERROR, "internal error") S(NOT_SUPPORTED, "not supported") S(LICENSE_ERROR, "no licence")
/* clang-format on */
const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define S(name, text) \
    case CUBLAS_STATUS_##name: return "CUBLAS_STATUS_" #name;
        STATUSES(S)
#undef S
    default: return "unknown";
    }
}
const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
#define S(name, text) \
    case CUBLAS_STATUS_##name: return text;
        STATUSES(S)
#undef S
    default: return "unknown status";
    }
}

/* Rows of one element: a vector whose elements are `stride` apart is a matrix of n columns of one. */
static cublasStatus_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes, int columns,
                           enum cudaMemcpyKind kind)
{
    if (columns == 0 || bytes == 0) return CUBLAS_STATUS_SUCCESS;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, bytes, (size_t)columns, kind) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *device, int incy)
{
    if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    return copy(device, (size_t)incy * (size_t)size, x, (size_t)incx * (size_t)size, (size_t)size, n,
                cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int size, const void *device, int incx, void *y, int incy)
{
    if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    return copy(y, (size_t)incy * (size_t)size, device, (size_t)incx * (size_t)size, (size_t)size, n,
                cudaMemcpyDeviceToHost);
}
static bool is_matrix(int rows, int cols, int size, int lda, int ldb)
{
    return rows >= 0 && cols >= 0 && size > 0 && lda >= rows && ldb >= rows;
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void *a, int lda, void *device, int ldb)
{
    if (!is_matrix(rows, cols, size, lda, ldb)) return CUBLAS_STATUS_INVALID_VALUE;
    return copy(device, (size_t)ldb * (size_t)size, a, (size_t)lda * (size_t)size, (size_t)rows * (size_t)size, cols,
                cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void *device, int lda, void *b, int ldb)
{
    if (!is_matrix(rows, cols, size, lda, ldb)) return CUBLAS_STATUS_INVALID_VALUE;
    return copy(b, (size_t)ldb * (size_t)size, device, (size_t)lda * (size_t)size, (size_t)rows * (size_t)size, cols,
                cudaMemcpyDeviceToHost);
}
/* Copies are over when the call returns, in every stream. */
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int incx, void *device, int incy,
                                    cudaStream_t stream)
{
    return (void)stream, cublasSetVector(n, size, x, incx, device, incy);
}
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *device, int incx, void *y, int incy,
                                    cudaStream_t stream)
{
    return (void)stream, cublasGetVector(n, size, device, incx, y, incy);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *device, int ldb,
                                    cudaStream_t stream)
{
    return (void)stream, cublasSetMatrix(rows, cols, size, a, lda, device, ldb);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int size, const void *device, int lda, void *b, int ldb,
                                    cudaStream_t stream)
{
    return (void)stream, cublasGetMatrix(rows, cols, size, device, lda, b, ldb);
}
