/* Vectors and products of matrices of other types: elements go to double precision, where the products and sums of the
 * others are as good as exact, and are rounded once at the end. Tensor cores sum in single precision in an order that
 * is not documented. */
#include "blas/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "shared/real_numbers.h"

struct operand {
    const void *device;
    cudaDataType type;
    int rows, columns, ld;
};

/* All of a matrix in double precision, without gaps; NULL: not on the device, or no memory. */
static double *widen(const struct operand *o)
{
    const size_t size = real_size(o->type), n = (size_t)o->rows * (size_t)o->columns;
    const unsigned char *bytes = blas_matrix(o->device, o->rows, o->columns, o->ld, size);
    double *out = bytes ? malloc((n ? n : 1) * sizeof *out) : NULL;
    for (size_t j = 0; out && j < (size_t)o->columns; j++)
        for (size_t i = 0; i < (size_t)o->rows; i++)
            out[j * (size_t)o->rows + i] = real_get(bytes + (j * (size_t)o->ld + i) * size, o->type);
    return out;
}

static cublasStatus_t product(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double alpha,
                              const struct operand *a, const struct operand *b, double beta, const struct operand *c)
{
    const size_t size = real_size(c->type);
    unsigned char *bytes = blas_matrix(c->device, m, n, c->ld, size);
    double *u = widen(a), *v = widen(b), *w = widen(c);
    const bool ready = bytes && u && v && w;
    if (ready && m && n) {
        cblas_dgemm(CblasColMajor, blas_op(ta), blas_op(tb), m, n, k, alpha, u, a->rows ? a->rows : 1, v,
                    b->rows ? b->rows : 1, beta, w, m);
        for (size_t j = 0; j < (size_t)n; j++)
            for (size_t i = 0; i < (size_t)m; i++)
                real_put(bytes + (j * (size_t)c->ld + i) * size, c->type, w[j * (size_t)m + i]);
    }
    free(u);
    free(v);
    free(w);
    return ready ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

/* The type of alpha and beta. */
static cudaDataType scale_type(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return CUDA_R_32I;
    default: return CUDA_R_32F;
    }
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType a_type, int lda,
                                          long long int stride_a, const void *b, cudaDataType b_type, int ldb,
                                          long long int stride_b, const void *beta, void *c, cudaDataType c_type,
                                          int ldc, long long int stride_c, int batches, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm)
{
    struct operand u = {a, a_type, ta == CUBLAS_OP_N ? m : k, ta == CUBLAS_OP_N ? k : m, lda},
                   v = {b, b_type, tb == CUBLAS_OP_N ? k : n, tb == CUBLAS_OP_N ? n : k, ldb},
                   w = {c, c_type, m, n, ldc};
    (void)algorithm;
    if (!real_size(a_type) || !real_size(b_type) || !real_size(c_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
    BLAS_BEGIN(m < 0 || n < 0 || k < 0 || batches < 0 || !alpha || !beta || lda < 1 || ldb < 1 || ldc < 1 ||
                   lda < u.rows || ldb < v.rows || ldc < m,
               2ll * m * n * k * batches, A(ta), A(tb), A(m), A(n), A(k), N_OF(alpha, real_size(scale_type(compute))),
               A(a), A(a_type), A(lda), A(stride_a), A(b), A(b_type), A(ldb), A(stride_b),
               N_OF(beta, real_size(scale_type(compute))), A(c), A(c_type), A(ldc), A(stride_c), A(batches), A(compute),
               A(algorithm));
    const cudaDataType scale = scale_type(compute);
    const void *al = blas_scalar(handle, alpha, real_size(scale)), *be = blas_scalar(handle, beta, real_size(scale));
    BLAS_NEED(al && be);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < batches && status == CUBLAS_STATUS_SUCCESS; i++) {
        u.device = (const char *)a + i * stride_a * (long long)real_size(a_type);
        v.device = (const char *)b + i * stride_b * (long long)real_size(b_type);
        w.device = (const char *)c + i * stride_c * (long long)real_size(c_type);
        status = product(ta, tb, m, n, k, real_get(al, scale), &u, &v, real_get(be, scale), &w);
    }
    return status;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType a_type, int lda, const void *b,
                            cudaDataType b_type, int ldb, const void *beta, void *c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c,
                                      c_type, ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType a_type, int lda, const void *b,
                             cudaDataType b_type, int ldb, const float *beta, void *c, cudaDataType c_type, int ldc)
{
    return cublasGemmEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const struct __half *alpha, const struct __half *a, int lda, const struct __half *b, int ldb,
                           const struct __half *beta, struct __half *c, int ldc)
{
    return cublasGemmEx(handle, ta, tb, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, beta, c, CUDA_R_16F,
                        ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

/* Arrays of pointers, which lie on the device, one for each product. */
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                   int k, const void *alpha, const void *const a[], cudaDataType a_type, int lda,
                                   const void *const b[], cudaDataType b_type, int ldb, const void *beta,
                                   void *const c[], cudaDataType c_type, int ldc, int batches,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (batches < 0) return CUBLAS_STATUS_INVALID_VALUE;
    const void *const *u = blas_vector(a, batches, 1, sizeof *u), *const *v = blas_vector(b, batches, 1, sizeof *v);
    void *const *w = blas_vector(c, batches, 1, sizeof *w);
    BLAS_NEED(u && v && w);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < batches && status == CUBLAS_STATUS_SUCCESS; i++)
        status = cublasGemmEx(handle, ta, tb, m, n, k, alpha, u[i], a_type, lda, v[i], b_type, ldb, beta, w[i], c_type,
                              ldc, compute, algorithm);
    return status;
}

cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                  int k, const struct __half *alpha, const struct __half *const a[], int lda,
                                  const struct __half *const b[], int ldb, const struct __half *beta,
                                  struct __half *const c[], int ldc, int batches)
{
    return cublasGemmBatchedEx(handle, ta, tb, m, n, k, alpha, (const void *const *)a, CUDA_R_16F, lda,
                               (const void *const *)b, CUDA_R_16F, ldb, beta, (void *const *)c, CUDA_R_16F, ldc,
                               batches, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                         int n, int k, const struct __half *alpha, const struct __half *a, int lda,
                                         long long int stride_a, const struct __half *b, int ldb,
                                         long long int stride_b, const struct __half *beta, struct __half *c, int ldc,
                                         long long int stride_c, int batches)
{
    return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, CUDA_R_16F, lda, stride_a, b, CUDA_R_16F, ldb,
                                      stride_b, beta, c, CUDA_R_16F, ldc, stride_c, batches, CUBLAS_COMPUTE_16F,
                                      CUBLAS_GEMM_DEFAULT);
}

/* The element of a vector of n elements, of which those with a negative stride are counted from the end. */
static size_t element(int i, int n, int stride)
{
    return (size_t)(stride < 0 ? (long long)(i + 1 - n) * stride : (long long)i * stride);
}

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, const void *y,
                           cudaDataType y_type, int incy, void *result, cudaDataType result_type,
                           cudaDataType execution)
{
    const size_t x_size = real_size(x_type), y_size = real_size(y_type);
    if (!x_size || !y_size || !real_size(result_type) || !real_size(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
    BLAS_BEGIN(!result, 2ll * n, A(n), A(x), A(x_type), A(incx), A(y), A(y_type), A(incy), R(result), A(result_type),
               A(execution));
    const unsigned char *u = blas_vector(x, n, incx, x_size), *v = blas_vector(y, n, incy, y_size);
    unsigned char *r = blas_scalar(handle, result, real_size(result_type));
    BLAS_NEED(u && v && r);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += real_get(u + element(i, n, incx) * x_size, x_type) * real_get(v + element(i, n, incy) * y_size, y_type);
    real_put(r, result_type, sum);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, const void *y,
                            cudaDataType y_type, int incy, void *result, cudaDataType result_type,
                            cudaDataType execution)
{
    return cublasDotEx(handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution);
}

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, const void *x,
                            cudaDataType x_type, int incx, void *y, cudaDataType y_type, int incy,
                            cudaDataType execution)
{
    const size_t x_size = real_size(x_type), y_size = real_size(y_type);
    if (!x_size || !y_size || !real_size(alpha_type) || !real_size(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
    BLAS_BEGIN(!alpha, 2ll * n, A(n), N_OF(alpha, real_size(alpha_type)), A(alpha_type), A(x), A(x_type), A(incx), A(y),
               A(y_type), A(incy), A(execution));
    const unsigned char *a = blas_scalar(handle, alpha, real_size(alpha_type)), *u = blas_vector(x, n, incx, x_size);
    unsigned char *v = blas_vector(y, n, incy, y_size);
    BLAS_NEED(a && u && v);
    const double factor = real_get(a, alpha_type);
    for (int i = 0; i < n; i++) {
        unsigned char *at = v + element(i, n, incy) * y_size;
        real_put(at, y_type, factor * real_get(u + element(i, n, incx) * x_size, x_type) + real_get(at, y_type));
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, void *x,
                            cudaDataType x_type, int incx, cudaDataType execution)
{
    const size_t x_size = real_size(x_type);
    if (!x_size || !real_size(alpha_type) || !real_size(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
    BLAS_BEGIN(!alpha, n, A(n), N_OF(alpha, real_size(alpha_type)), A(alpha_type), A(x), A(x_type), A(incx),
               A(execution));
    const unsigned char *a = blas_scalar(handle, alpha, real_size(alpha_type));
    unsigned char *u = blas_vector(x, n, incx, x_size);
    BLAS_NEED(a && u);
    const double factor = real_get(a, alpha_type);
    for (int i = 0; incx > 0 && i < n; i++) {
        unsigned char *at = u + element(i, n, incx) * x_size;
        real_put(at, x_type, factor * real_get(at, x_type));
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, void *result,
                            cudaDataType result_type, cudaDataType execution)
{
    const size_t x_size = real_size(x_type);
    if (!x_size || !real_size(result_type) || !real_size(execution)) return CUBLAS_STATUS_NOT_SUPPORTED;
    BLAS_BEGIN(!result, 2ll * n, A(n), A(x), A(x_type), A(incx), R(result), A(result_type), A(execution));
    const unsigned char *u = blas_vector(x, n, incx, x_size);
    unsigned char *r = blas_scalar(handle, result, real_size(result_type));
    BLAS_NEED(u && r);
    double sum = 0;
    for (int i = 0; incx > 0 && i < n; i++) sum = hypot(sum, real_get(u + element(i, n, incx) * x_size, x_type));
    real_put(r, result_type, sum);
    return CUBLAS_STATUS_SUCCESS;
}
