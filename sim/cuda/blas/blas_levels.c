/* Levels 1 to 3 in single and double precision. A result that the handle has on the device is written there. */
#include "blas/blas.h"

#include <math.h>

#define BLAS_LEVEL_1(P, p, T, absolute, Iamax, Iamin) \
    cublasStatus_t cublas##P##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, \
                                      int incy) \
    { \
        BLAS_BEGIN(!alpha, 2ll * n, A(n), N(alpha), A(x), A(incx), A(y), A(incy)); \
        const T *a = blas_scalar(handle, alpha, sizeof(T)), *u = blas_vector(x, n, incx, sizeof(T)); \
        T *v = blas_vector(y, n, incy, sizeof(T)); \
        BLAS_NEED(a &&u &&v); \
        if (n > 0) cblas_##p##axpy(n, *a, u, incx, v, incy); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x, int incx) \
    { \
        BLAS_BEGIN(!alpha, n, A(n), N(alpha), A(x), A(incx)); \
        const T *a = blas_scalar(handle, alpha, sizeof(T)); \
        T *u = blas_vector(x, n, incx, sizeof(T)); \
        BLAS_NEED(a &&u); \
        if (n > 0 && incx > 0) cblas_##p##scal(n, *a, u, incx); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy) \
    { \
        BLAS_BEGIN(false, n, A(n), A(x), A(incx), A(y), A(incy)); \
        const T *u = blas_vector(x, n, incx, sizeof(T)); \
        T *v = blas_vector(y, n, incy, sizeof(T)); \
        BLAS_NEED(u &&v); \
        if (n > 0) cblas_##p##copy(n, u, incx, v, incy); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy) \
    { \
        BLAS_BEGIN(false, n, A(n), A(x), A(incx), A(y), A(incy)); \
        T *u = blas_vector(x, n, incx, sizeof(T)), *v = blas_vector(y, n, incy, sizeof(T)); \
        BLAS_NEED(u &&v); \
        if (n > 0) cblas_##p##swap(n, u, incx, v, incy); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##dot_v2(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, \
                                     T *result) \
    { \
        BLAS_BEGIN(!result, 2ll * n, A(n), A(x), A(incx), A(y), A(incy), R(result)); \
        const T *u = blas_vector(x, n, incx, sizeof(T)), *v = blas_vector(y, n, incy, sizeof(T)); \
        T *r = blas_scalar(handle, result, sizeof(T)); \
        BLAS_NEED(u &&v &&r); \
        *r = n > 0 ? cblas_##p##dot(n, u, incx, v, incy) : 0; \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result) \
    { \
        BLAS_BEGIN(!result, 2ll * n, A(n), A(x), A(incx), R(result)); \
        const T *u = blas_vector(x, n, incx, sizeof(T)); \
        T *r = blas_scalar(handle, result, sizeof(T)); \
        BLAS_NEED(u &&r); \
        *r = n > 0 && incx > 0 ? cblas_##p##nrm2(n, u, incx) : 0; \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result) \
    { \
        BLAS_BEGIN(!result, n, A(n), A(x), A(incx), R(result)); \
        const T *u = blas_vector(x, n, incx, sizeof(T)); \
        T *r = blas_scalar(handle, result, sizeof(T)); \
        BLAS_NEED(u &&r); \
        *r = n > 0 && incx > 0 ? cblas_##p##asum(n, u, incx) : 0; \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##rot_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const T *c, \
                                     const T *s) \
    { \
        BLAS_BEGIN(!c || !s, 6ll * n, A(n), A(x), A(incx), A(y), A(incy), N(c), N(s)); \
        T *u = blas_vector(x, n, incx, sizeof(T)), *v = blas_vector(y, n, incy, sizeof(T)); \
        const T *cosine = blas_scalar(handle, c, sizeof(T)), *sine = blas_scalar(handle, s, sizeof(T)); \
        BLAS_NEED(u &&v &&cosine &&sine); \
        if (n > 0) cblas_##p##rot(n, u, incx, v, incy, *cosine, *sine); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    /* From 1, the first of equals; 0 where there is none. */ \
    static cublasStatus_t p##_extreme(cublasHandle_t handle, int n, const T *x, int incx, int *result, bool least) \
    { \
        const T *u = blas_vector(x, n, incx, sizeof(T)); \
        int *r = blas_scalar(handle, result, sizeof(int)), best = 0; \
        BLAS_NEED(u &&r); \
        for (int i = 1; incx > 0 && i < n; i++) { \
            const T here = absolute(u[(size_t)i * (size_t)incx]), there = absolute(u[(size_t)best * (size_t)incx]); \
            if (least ? here < there : here > there) best = i; \
        } \
        *r = n > 0 && incx > 0 ? best + 1 : 0; \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t Iamax##_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result) \
    { \
        BLAS_BEGIN(!result, n, A(n), A(x), A(incx), R(result)); \
        return p##_extreme(handle, n, x, incx, result, false); \
    } \
    cublasStatus_t Iamin##_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result) \
    { \
        BLAS_BEGIN(!result, n, A(n), A(x), A(incx), R(result)); \
        return p##_extreme(handle, n, x, incx, result, true); \
    }

#define BLAS_LEVEL_2(P, p, T) \
    cublasStatus_t cublas##P##gemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T *alpha, \
                                      const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) \
    { \
        BLAS_BEGIN(m < 0 || n < 0 || lda < m || lda < 1 || !incx || !incy || !alpha || !beta, 2ll * m * n, A(op), \
                   A(m), A(n), N(alpha), A(a), A(lda), A(x), A(incx), N(beta), A(y), A(incy)); \
        const int n_x = op == CUBLAS_OP_N ? n : m, n_y = op == CUBLAS_OP_N ? m : n; \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)), \
                *w = blas_matrix(a, m, n, lda, sizeof(T)), *u = blas_vector(x, n_x, incx, sizeof(T)); \
        T *v = blas_vector(y, n_y, incy, sizeof(T)); \
        BLAS_NEED(al &&be &&w &&u &&v); \
        if (m && n) cblas_##p##gemv(CblasColMajor, blas_op(op), m, n, *al, w, lda, u, incx, *be, v, incy); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, \
                                     const T *y, int incy, T *a, int lda) \
    { \
        BLAS_BEGIN(m < 0 || n < 0 || lda < m || lda < 1 || !incx || !incy || !alpha, 2ll * m * n, A(m), A(n), \
                   N(alpha), A(x), A(incx), A(y), A(incy), A(a), A(lda)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *u = blas_vector(x, m, incx, sizeof(T)), \
                *v = blas_vector(y, n, incy, sizeof(T)); \
        T *w = blas_matrix(a, m, n, lda, sizeof(T)); \
        BLAS_NEED(al &&u &&v &&w); \
        if (m && n) cblas_##p##ger(CblasColMajor, m, n, *al, u, incx, v, incy, w, lda); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##symv_v2(cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha, const T *a, \
                                      int lda, const T *x, int incx, const T *beta, T *y, int incy) \
    { \
        BLAS_BEGIN(n < 0 || lda < n || lda < 1 || !incx || !incy || !alpha || !beta, 2ll * n * n, A(fill), A(n), \
                   N(alpha), A(a), A(lda), A(x), A(incx), N(beta), A(y), A(incy)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)), \
                *w = blas_matrix(a, n, n, lda, sizeof(T)), *u = blas_vector(x, n, incx, sizeof(T)); \
        T *v = blas_vector(y, n, incy, sizeof(T)); \
        BLAS_NEED(al &&be &&w &&u &&v); \
        if (n) cblas_##p##symv(CblasColMajor, blas_fill(fill), n, *al, w, lda, u, incx, *be, v, incy); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##trsv_v2(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op, \
                                      cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx) \
    { \
        BLAS_BEGIN(n < 0 || lda < n || lda < 1 || !incx, 1ll * n * n, A(fill), A(op), A(diag), A(n), A(a), A(lda), \
                   A(x), A(incx)); \
        const T *w = blas_matrix(a, n, n, lda, sizeof(T)); \
        T *u = blas_vector(x, n, incx, sizeof(T)); \
        BLAS_NEED(w &&u); \
        if (n) cblas_##p##trsv(CblasColMajor, blas_fill(fill), blas_op(op), blas_diag(diag), n, w, lda, u, incx); \
        return CUBLAS_STATUS_SUCCESS; \
    }

/* Rows and columns of a matrix as it lies in memory, whose op() is rows by columns. */
#define ROWS(op, rows, columns) ((op) == CUBLAS_OP_N ? (rows) : (columns))
#define COLUMNS(op, rows, columns) ((op) == CUBLAS_OP_N ? (columns) : (rows))

#define BLAS_PRODUCTS(P, p, T) \
    static bool p##gemm_is_bad(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, \
                               int lda, int ldb, const T *beta, int ldc) \
    { \
        return m < 0 || n < 0 || k < 0 || !alpha || !beta || lda < 1 || ldb < 1 || ldc < 1 || lda < ROWS(ta, m, k) || \
               ldb < ROWS(tb, k, n) || ldc < m; \
    } \
    static cublasStatus_t p##gemm_one(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, T alpha, \
                                      const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) \
    { \
        const T *u = blas_matrix(a, ROWS(ta, m, k), COLUMNS(ta, m, k), lda, sizeof(T)), \
                *v = blas_matrix(b, ROWS(tb, k, n), COLUMNS(tb, k, n), ldb, sizeof(T)); \
        T *w = blas_matrix(c, m, n, ldc, sizeof(T)); \
        BLAS_NEED(u &&v &&w); \
        if (m && n) \
            cblas_##p##gemm(CblasColMajor, blas_op(ta), blas_op(tb), m, n, k, alpha, u, lda, v, ldb, beta, w, ldc); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##gemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
                                      int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, \
                                      T *c, int ldc) \
    { \
        BLAS_BEGIN(p##gemm_is_bad(ta, tb, m, n, k, alpha, lda, ldb, beta, ldc), 2ll * m * n * k, A(ta), A(tb), A(m), \
                   A(n), A(k), N(alpha), A(a), A(lda), A(b), A(ldb), N(beta), A(c), A(ldc)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)); \
        BLAS_NEED(al &&be); \
        return p##gemm_one(ta, tb, m, n, k, *al, a, lda, b, ldb, *be, c, ldc); \
    } \
    cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, \
                                          int n, int k, const T *alpha, const T *const *a, int lda, const T *const *b, \
                                          int ldb, const T *beta, T *const *c, int ldc, int batches) \
    { \
        BLAS_BEGIN(batches < 0 || p##gemm_is_bad(ta, tb, m, n, k, alpha, lda, ldb, beta, ldc), \
                   2ll * m * n * k * batches, A(ta), A(tb), A(m), A(n), A(k), N(alpha), A(a), A(lda), A(b), A(ldb), \
                   N(beta), A(c), A(ldc), A(batches)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)); \
        const T *const *as = blas_vector(a, batches, 1, sizeof *as), *const *bs = \
                                                                         blas_vector(b, batches, 1, sizeof *bs); \
        T *const *cs = blas_vector(c, batches, 1, sizeof *cs); \
        BLAS_NEED(al &&be &&as &&bs &&cs); \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS; \
        for (int i = 0; i < batches && status == CUBLAS_STATUS_SUCCESS; i++) \
            status = p##gemm_one(ta, tb, m, n, k, *al, as[i], lda, bs[i], ldb, *be, cs[i], ldc); \
        return status; \
    } \
    cublasStatus_t cublas##P##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, \
                                                 int m, int n, int k, const T *alpha, const T *a, int lda, \
                                                 long long int stride_a, const T *b, int ldb, long long int stride_b, \
                                                 const T *beta, T *c, int ldc, long long int stride_c, int batches) \
    { \
        BLAS_BEGIN(batches < 0 || p##gemm_is_bad(ta, tb, m, n, k, alpha, lda, ldb, beta, ldc), \
                   2ll * m * n * k * batches, A(ta), A(tb), A(m), A(n), A(k), N(alpha), A(a), A(lda), A(stride_a), \
                   A(b), A(ldb), A(stride_b), N(beta), A(c), A(ldc), A(stride_c), A(batches)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)); \
        BLAS_NEED(al &&be); \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS; \
        for (int i = 0; i < batches && status == CUBLAS_STATUS_SUCCESS; i++) \
            status = p##gemm_one(ta, tb, m, n, k, *al, a + i * stride_a, lda, b + i * stride_b, ldb, *be, \
                                 c + i * stride_c, ldc); \
        return status; \
    }

#define BLAS_LEVEL_3(P, p, T) \
    cublasStatus_t cublas##P##symm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, \
                                      int n, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, \
                                      T *c, int ldc) \
    { \
        const int of_a = side == CUBLAS_SIDE_LEFT ? m : n; \
        BLAS_BEGIN(m < 0 || n < 0 || !alpha || !beta || lda < of_a || ldb < m || ldc < m || lda < 1 || ldb < 1 || \
                       ldc < 1, \
                   2ll * m * n * of_a, A(side), A(fill), A(m), A(n), N(alpha), A(a), A(lda), A(b), A(ldb), N(beta), \
                   A(c), A(ldc)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)), \
                *u = blas_matrix(a, of_a, of_a, lda, sizeof(T)), *v = blas_matrix(b, m, n, ldb, sizeof(T)); \
        T *w = blas_matrix(c, m, n, ldc, sizeof(T)); \
        BLAS_NEED(al &&be &&u &&v &&w); \
        if (m && n) \
            cblas_##p##symm(CblasColMajor, blas_side(side), blas_fill(fill), m, n, *al, u, lda, v, ldb, *be, w, ldc); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##syrk_v2(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op, int n, \
                                      int k, const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc) \
    { \
        BLAS_BEGIN(n < 0 || k < 0 || !alpha || !beta || lda < ROWS(op, n, k) || ldc < n || lda < 1 || ldc < 1, \
                   1ll * n * n * k, A(fill), A(op), A(n), A(k), N(alpha), A(a), A(lda), N(beta), A(c), A(ldc)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)), \
                *u = blas_matrix(a, ROWS(op, n, k), COLUMNS(op, n, k), lda, sizeof(T)); \
        T *w = blas_matrix(c, n, n, ldc, sizeof(T)); \
        BLAS_NEED(al &&be &&u &&w); \
        if (n) cblas_##p##syrk(CblasColMajor, blas_fill(fill), blas_op(op), n, k, *al, u, lda, *be, w, ldc); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##syr2k_v2(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op, int n, \
                                       int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, \
                                       T *c, int ldc) \
    { \
        BLAS_BEGIN(n < 0 || k < 0 || !alpha || !beta || lda < ROWS(op, n, k) || ldb < ROWS(op, n, k) || ldc < n || \
                       lda < 1 || ldb < 1 || ldc < 1, \
                   2ll * n * n * k, A(fill), A(op), A(n), A(k), N(alpha), A(a), A(lda), A(b), A(ldb), N(beta), A(c), \
                   A(ldc)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)), \
                *u = blas_matrix(a, ROWS(op, n, k), COLUMNS(op, n, k), lda, sizeof(T)), \
                *v = blas_matrix(b, ROWS(op, n, k), COLUMNS(op, n, k), ldb, sizeof(T)); \
        T *w = blas_matrix(c, n, n, ldc, sizeof(T)); \
        BLAS_NEED(al &&be &&u &&v &&w); \
        if (n) cblas_##p##syr2k(CblasColMajor, blas_fill(fill), blas_op(op), n, k, *al, u, lda, v, ldb, *be, w, ldc); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
                                      cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha, \
                                      const T *a, int lda, T *b, int ldb) \
    { \
        const int of_a = side == CUBLAS_SIDE_LEFT ? m : n; \
        BLAS_BEGIN(m < 0 || n < 0 || !alpha || lda < of_a || ldb < m || lda < 1 || ldb < 1, 1ll * m * n * of_a, \
                   A(side), A(fill), A(op), A(diag), A(m), A(n), N(alpha), A(a), A(lda), A(b), A(ldb)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *u = blas_matrix(a, of_a, of_a, lda, sizeof(T)); \
        T *v = blas_matrix(b, m, n, ldb, sizeof(T)); \
        BLAS_NEED(al &&u &&v); \
        if (m && n) \
            cblas_##p##trsm(CblasColMajor, blas_side(side), blas_fill(fill), blas_op(op), blas_diag(diag), m, n, *al, \
                            u, lda, v, ldb); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    /* Out of place, other than BLAS: b goes to c first, unless it is c. */ \
    cublasStatus_t cublas##P##trmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
                                      cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha, \
                                      const T *a, int lda, const T *b, int ldb, T *c, int ldc) \
    { \
        const int of_a = side == CUBLAS_SIDE_LEFT ? m : n; \
        BLAS_BEGIN(m < 0 || n < 0 || !alpha || lda < of_a || ldb < m || ldc < m || lda < 1 || ldb < 1 || ldc < 1, \
                   1ll * m * n * of_a, A(side), A(fill), A(op), A(diag), A(m), A(n), N(alpha), A(a), A(lda), A(b), \
                   A(ldb), A(c), A(ldc)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *u = blas_matrix(a, of_a, of_a, lda, sizeof(T)), \
                *v = blas_matrix(b, m, n, ldb, sizeof(T)); \
        T *w = blas_matrix(c, m, n, ldc, sizeof(T)); \
        BLAS_NEED(al &&u &&v &&w); \
        for (int j = 0; m && v != w && j < n; j++) \
            cblas_##p##copy(m, v + (size_t)j * (size_t)ldb, 1, w + (size_t)j * (size_t)ldc, 1); \
        if (m && n) \
            cblas_##p##trmm(CblasColMajor, blas_side(side), blas_fill(fill), blas_op(op), blas_diag(diag), m, n, *al, \
                            u, lda, w, ldc); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    /* c = alpha op(a) + beta op(b); where a factor is 0 its matrix is not read. */ \
    cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
                                   const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, \
                                   int ldc) \
    { \
        BLAS_BEGIN(m < 0 || n < 0 || !alpha || !beta || ldc < m || ldc < 1, 3ll * m * n, A(ta), A(tb), A(m), A(n), \
                   N(alpha), A(a), A(lda), N(beta), A(b), A(ldb), A(c), A(ldc)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *be = blas_scalar(handle, beta, sizeof(T)); \
        T *w = blas_matrix(c, m, n, ldc, sizeof(T)); \
        BLAS_NEED(al &&be &&w); \
        const bool has_a = fpclassify(*al) != FP_ZERO, has_b = fpclassify(*be) != FP_ZERO; \
        if ((has_a && (lda < 1 || lda < ROWS(ta, m, n))) || (has_b && (ldb < 1 || ldb < ROWS(tb, m, n)))) \
            return CUBLAS_STATUS_INVALID_VALUE; \
        const T *u = has_a ? blas_matrix(a, ROWS(ta, m, n), COLUMNS(ta, m, n), lda, sizeof(T)) : w, \
                *v = has_b ? blas_matrix(b, ROWS(tb, m, n), COLUMNS(tb, m, n), ldb, sizeof(T)) : w; \
        BLAS_NEED(u &&v); \
        for (size_t j = 0; j < (size_t)n; j++) \
            for (size_t i = 0; i < (size_t)m; i++) { \
                T sum = 0; \
                if (has_a) sum += *al * (ta == CUBLAS_OP_N ? u[j * (size_t)lda + i] : u[i * (size_t)lda + j]); \
                if (has_b) sum += *be * (tb == CUBLAS_OP_N ? v[j * (size_t)ldb + i] : v[i * (size_t)ldb + j]); \
                w[j * (size_t)ldc + i] = sum; \
            } \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    /* Rows (left) or columns (right) times the elements of x. */ \
    cublasStatus_t cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T *a, int lda, \
                                   const T *x, int incx, T *c, int ldc) \
    { \
        const int n_x = side == CUBLAS_SIDE_LEFT ? m : n; \
        BLAS_BEGIN(m < 0 || n < 0 || lda < m || ldc < m || lda < 1 || ldc < 1, 1ll * m * n, A(side), A(m), A(n), A(a), \
                   A(lda), A(x), A(incx), A(c), A(ldc)); \
        const T *u = blas_matrix(a, m, n, lda, sizeof(T)), *v = blas_vector(x, n_x, incx, sizeof(T)); \
        T *w = blas_matrix(c, m, n, ldc, sizeof(T)); \
        BLAS_NEED(u &&v &&w); \
        const long long first = incx < 0 ? (long long)(1 - n_x) * incx : 0; \
        for (int j = 0; j < n; j++) \
            for (int i = 0; i < m; i++) \
                w[(size_t)j * (size_t)ldc + (size_t)i] = \
                    u[(size_t)j * (size_t)lda + (size_t)i] * \
                    v[first + (long long)(side == CUBLAS_SIDE_LEFT ? i : j) * incx]; \
        return CUBLAS_STATUS_SUCCESS; \
    }

BLAS_LEVEL_1(S, s, float, fabsf, cublasIsamax, cublasIsamin)
BLAS_LEVEL_1(D, d, double, fabs, cublasIdamax, cublasIdamin)
BLAS_LEVEL_2(S, s, float)
BLAS_LEVEL_2(D, d, double)
BLAS_PRODUCTS(S, s, float)
BLAS_PRODUCTS(D, d, double)
BLAS_LEVEL_3(S, s, float)
BLAS_LEVEL_3(D, d, double)
