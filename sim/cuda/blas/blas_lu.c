/* Batches of small systems: factors with partial pivoting (a = P L U, in place), inverses, solutions. Arrays of
 * pointers, pivots and codes lie on the device, columns after one another, and pivots count from 1, as LAPACK's. */
#include "blas/blas.h"

#include <math.h>
#include <string.h>

/* Where column j begins, and the address of element (i, j). */
#define AT(m, ld, i, j) ((m) + (size_t)(j) * (size_t)(ld) + (size_t)(i))

#define BLAS_LU(P, p, T, absolute) \
    static void p##swap_rows(T *a, int lda, int columns, int i, int k) \
    { \
        if (i != k) cblas_##p##swap(columns, AT(a, lda, i, 0), lda, AT(a, lda, k, 0), lda); \
    } \
    /* 0, or the number of the first pivot that is 0; without pivots rows stay where they are. */ \
    static int p##factor(int n, T *a, int lda, int *pivots) \
    { \
        int first = 0; \
        for (int k = 0; k < n; k++) { \
            int best = k; \
            for (int i = k + 1; pivots && i < n; i++) \
                if (absolute(*AT(a, lda, i, k)) > absolute(*AT(a, lda, best, k))) best = i; \
            if (pivots) pivots[k] = best + 1; \
            p##swap_rows(a, lda, n, best, k); \
            const T pivot = *AT(a, lda, k, k); \
            if (fpclassify(pivot) == FP_ZERO) { \
                if (first == 0) first = k + 1; \
                continue; \
            } \
            for (int i = k + 1; i < n; i++) *AT(a, lda, i, k) /= pivot; \
            if (k + 1 < n) \
                cblas_##p##ger(CblasColMajor, n - k - 1, n - k - 1, -1, AT(a, lda, k + 1, k), 1, AT(a, lda, k, k + 1), \
                               lda, AT(a, lda, k + 1, k + 1), lda); \
        } \
        return first; \
    } \
    /* b becomes what solves a x = b, or its transpose's, by the factors. */ \
    static void p##solve(cublasOperation_t op, int n, int columns, const T *a, int lda, const int *pivots, T *b, \
                         int ldb) \
    { \
        const bool is_plain = op == CUBLAS_OP_N; \
        for (int k = 0; is_plain && pivots && k < n; k++) p##swap_rows(b, ldb, columns, pivots[k] - 1, k); \
        for (int step = 0; step < 2; step++) { \
            const bool is_lower = is_plain == (step == 0); \
            cblas_##p##trsm(CblasColMajor, CblasLeft, is_lower ? CblasLower : CblasUpper, blas_op(op), \
                            is_lower ? CblasUnit : CblasNonUnit, n, columns, 1, a, lda, b, ldb); \
        } \
        for (int k = n - 1; !is_plain && pivots && k >= 0; k--) p##swap_rows(b, ldb, columns, pivots[k] - 1, k); \
    } \
    static bool p##pivots_are_rows(const int *pivots, int n) \
    { \
        for (int k = 0; pivots && k < n; k++) \
            if (pivots[k] < 1 || pivots[k] > n) return false; \
        return true; \
    } \
    /* c becomes the inverse; 0, or the number of the pivot that is 0. */ \
    static int p##invert(int n, const T *a, int lda, const int *pivots, T *c, int ldc) \
    { \
        for (int k = 0; k < n; k++) \
            if (fpclassify(*AT(a, lda, k, k)) == FP_ZERO) return k + 1; \
        for (int j = 0; j < n; j++) \
            for (int i = 0; i < n; i++) *AT(c, ldc, i, j) = i == j; \
        p##solve(CUBLAS_OP_N, n, n, a, lda, pivots, c, ldc); \
        return 0; \
    } \
    cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T *const *a, int lda, int *pivots, int *info, \
                                           int batches) \
    { \
        BLAS_BEGIN(n < 0 || batches < 0 || lda < n || lda < 1, 1ll * n * n * n * batches, A(n), A(a), A(lda), \
                   A(pivots), A(info), A(batches)); \
        T *const *as = blas_vector(a, batches, 1, sizeof *as); \
        int *ps = pivots ? poise_cuda_bytes(pivots, sizeof(int) * (size_t)n * (size_t)batches) : NULL; \
        int *codes = blas_vector(info, batches, 1, sizeof *codes); \
        BLAS_NEED(as &&codes && (ps || !pivots || n == 0 || batches == 0)); \
        for (int i = 0; i < batches; i++) { \
            T *m = blas_matrix(as[i], n, n, lda, sizeof(T)); \
            BLAS_NEED(m); \
            codes[i] = p##factor(n, m, lda, ps ? ps + (size_t)i * (size_t)n : NULL); \
        } \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T *const *a, int lda, \
                                           const int *pivots, T *const *c, int ldc, int *info, int batches) \
    { \
        BLAS_BEGIN(n < 0 || batches < 0 || lda < n || ldc < n || lda < 1 || ldc < 1, 2ll * n * n * n * batches, A(n), \
                   A(a), A(lda), A(pivots), A(c), A(ldc), A(info), A(batches)); \
        const T *const *as = blas_vector(a, batches, 1, sizeof *as); \
        T *const *cs = blas_vector(c, batches, 1, sizeof *cs); \
        const int *ps = pivots ? poise_cuda_bytes(pivots, sizeof(int) * (size_t)n * (size_t)batches) : NULL; \
        int *codes = blas_vector(info, batches, 1, sizeof *codes); \
        BLAS_NEED(as &&cs &&codes && (ps || !pivots || n == 0 || batches == 0)); \
        for (int i = 0; i < batches; i++) { \
            const T *m = blas_matrix(as[i], n, n, lda, sizeof(T)); \
            T *to = blas_matrix(cs[i], n, n, ldc, sizeof(T)); \
            const int *rows = ps ? ps + (size_t)i * (size_t)n : NULL; \
            BLAS_NEED(m &&to); \
            if (!p##pivots_are_rows(rows, n)) return CUBLAS_STATUS_INVALID_VALUE; \
            codes[i] = p##invert(n, m, lda, rows, to, ldc); \
        } \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    /* *info is on the host: 0, or minus the number of the argument that is wrong. */ \
    cublasStatus_t cublas##P##getrsBatched(cublasHandle_t handle, cublasOperation_t op, int n, int columns, \
                                           const T *const *a, int lda, const int *pivots, T *const *b, int ldb, \
                                           int *info, int batches) \
    { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; \
        if (!info) return CUBLAS_STATUS_INVALID_VALUE; \
        const int wrong[][2] = { \
            {n < 0, 2}, {columns < 0, 3}, {lda < n || lda < 1, 5}, {ldb < n || ldb < 1, 8}, {batches < 0, 10}}; \
        *info = 0; \
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) \
            if (wrong[i][0] && *info == 0) *info = -wrong[i][1]; \
        BLAS_BEGIN(*info != 0, 2ll * n * n * columns * batches, A(op), A(n), A(columns), A(a), A(lda), A(pivots), \
                   A(b), A(ldb), POISE_CUDA_ARGUMENT_AND(info, sizeof *info), A(batches)); \
        const T *const *as = blas_vector(a, batches, 1, sizeof *as); \
        T *const *bs = blas_vector(b, batches, 1, sizeof *bs); \
        const int *ps = pivots ? poise_cuda_bytes(pivots, sizeof(int) * (size_t)n * (size_t)batches) : NULL; \
        BLAS_NEED(as &&bs && (ps || !pivots || n == 0 || batches == 0)); \
        for (int i = 0; n && columns && i < batches; i++) { \
            const T *m = blas_matrix(as[i], n, n, lda, sizeof(T)); \
            T *right = blas_matrix(bs[i], n, columns, ldb, sizeof(T)); \
            const int *rows = ps ? ps + (size_t)i * (size_t)n : NULL; \
            BLAS_NEED(m &&right); \
            if (!p##pivots_are_rows(rows, n)) return CUBLAS_STATUS_INVALID_VALUE; \
            p##solve(op, n, columns, m, lda, rows, right, ldb); \
        } \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    /* Inverses at once, of up to 32 rows; the matrices stay. */ \
    cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T *const *a, int lda, T *const *c, \
                                            int ldc, int *info, int batches) \
    { \
        BLAS_BEGIN(n<0 || n> 32 || batches < 0 || lda < n || ldc < n || lda < 1 || ldc < 1, 3ll * n * n * n * batches, \
                   A(n), A(a), A(lda), A(c), A(ldc), A(info), A(batches)); \
        const T *const *as = blas_vector(a, batches, 1, sizeof *as); \
        T *const *cs = blas_vector(c, batches, 1, sizeof *cs); \
        int *codes = blas_vector(info, batches, 1, sizeof *codes); \
        BLAS_NEED(as &&cs &&codes); \
        for (int i = 0; i < batches; i++) { \
            const T *m = blas_matrix(as[i], n, n, lda, sizeof(T)); \
            T *to = blas_matrix(cs[i], n, n, ldc, sizeof(T)), copy[32 * 32]; \
            int pivots[32]; \
            BLAS_NEED(m &&to); \
            for (int j = 0; j < n; j++) memcpy(AT(copy, 32, 0, j), AT(m, lda, 0, j), (size_t)n * sizeof(T)); \
            codes[i] = p##factor(n, copy, 32, pivots); \
            if (codes[i] == 0) p##invert(n, copy, 32, pivots, to, ldc); \
        } \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t cublas##P##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
                                          cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha, \
                                          const T *const *a, int lda, T *const *b, int ldb, int batches) \
    { \
        const int of_a = side == CUBLAS_SIDE_LEFT ? m : n; \
        BLAS_BEGIN(m < 0 || n < 0 || batches < 0 || !alpha || lda < of_a || ldb < m || lda < 1 || ldb < 1, \
                   1ll * m * n * of_a * batches, A(side), A(fill), A(op), A(diag), A(m), A(n), N(alpha), A(a), A(lda), \
                   A(b), A(ldb), A(batches)); \
        const T *al = blas_scalar(handle, alpha, sizeof(T)), *const *as = blas_vector(a, batches, 1, sizeof *as); \
        T *const *bs = blas_vector(b, batches, 1, sizeof *bs); \
        BLAS_NEED(al &&as &&bs); \
        for (int i = 0; m && n && i < batches; i++) { \
            const T *u = blas_matrix(as[i], of_a, of_a, lda, sizeof(T)); \
            T *v = blas_matrix(bs[i], m, n, ldb, sizeof(T)); \
            BLAS_NEED(u &&v); \
            cblas_##p##trsm(CblasColMajor, blas_side(side), blas_fill(fill), blas_op(op), blas_diag(diag), m, n, *al, \
                            u, lda, v, ldb); \
        } \
        return CUBLAS_STATUS_SUCCESS; \
    }

BLAS_LU(S, s, float, fabsf)
BLAS_LU(D, d, double, fabs)
