/* Factors, systems, eigenvalues and singular values of dense matrices, of every type, over LAPACK. */
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(cudaDataType type)
{
    switch (type) {
    case CUDA_R_32F: return 4;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
    }
}
static size_t real_size(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_C_32F ? 4 : 8; }
static bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

static char nothing[16];
static void *array(const void *device, int64_t n, size_t size)
{
    return n <= 0 ? nothing : poise_cuda_bytes(device, (size_t)n * size);
}
static void *matrix(const struct solver_call *c, const void *device, int64_t rows, int64_t columns, int64_t ld)
{
    return array(device, rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0, size_of(c->type));
}

#define BEGIN(bad, operations) \
    int *info; \
    lapack_int answer = 0; \
    do { \
        if (!c->handle) return solver_refuse(c->function, CUSOLVER_STATUS_NOT_INITIALIZED, "there is no handle"); \
        if (bad) return solver_refuse(c->function, CUSOLVER_STATUS_INVALID_VALUE, "a size or an argument is none"); \
        if (!size_of(c->type)) \
            return solver_refuse(c->function, CUSOLVER_STATUS_NOT_SUPPORTED, \
                                 "elements are real or complex, in single or double precision"); \
        if (poise_cuda_skip(c->function, c->handle->stream, (uint64_t)(operations), NULL, 0) != 0) \
            return CUSOLVER_STATUS_NOT_SUPPORTED; \
        info = array(c->info, 1, sizeof *info); \
    } while (0)
#define NEED(pointers) \
    do { \
        if (!info || !(pointers)) \
            return solver_refuse(c->function, CUSOLVER_STATUS_EXECUTION_FAILED, \
                                 "an array is not the device's from its start to its end"); \
    } while (0)
#define END \
    do { \
        *info = (int)answer; \
        if (answer == LAPACK_WORK_MEMORY_ERROR || answer == LAPACK_TRANSPOSE_MEMORY_ERROR) \
            return solver_refuse(c->function, CUSOLVER_STATUS_ALLOC_FAILED, "out of memory"); \
        return CUSOLVER_STATUS_SUCCESS; \
    } while (0)
/* The function of LAPACK's for the type; names that real and complex matrices do not share are two. */
#define LAPACK_OF(real, whole, ...) \
    do { \
        if (c->type == CUDA_R_32F) answer = LAPACKE_s##real(LAPACK_COL_MAJOR, __VA_ARGS__); \
        if (c->type == CUDA_R_64F) answer = LAPACKE_d##real(LAPACK_COL_MAJOR, __VA_ARGS__); \
        if (c->type == CUDA_C_32F) answer = LAPACKE_c##whole(LAPACK_COL_MAJOR, __VA_ARGS__); \
        if (c->type == CUDA_C_64F) answer = LAPACKE_z##whole(LAPACK_COL_MAJOR, __VA_ARGS__); \
    } while (0)

/* Sizes of a matrix of at most 2^36 elements. */
static bool is_short(int64_t m, int64_t n)
{
    return m >= 0 && n >= 0 && m <= INT32_MAX && n <= INT32_MAX && m * n <= 1ll << 36;
}
static bool is_ld(int64_t ld, int64_t rows) { return ld >= 1 && ld >= rows && ld <= INT32_MAX; }
static char fill_of(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U'; }
static char op_of(cublasOperation_t op) { return op == CUBLAS_OP_N ? 'N' : op == CUBLAS_OP_T ? 'T' : 'C'; }
#define INT(x) ((lapack_int)(x))

cusolverStatus_t solver_lu(const struct solver_call *c, int64_t m, int64_t n, void *a, int64_t lda, void *pivots,
                           bool is_wide)
{
    const int64_t least = m < n ? m : n;
    BEGIN(!is_short(m, n) || !is_ld(lda, m), 2 * m * n * least / 3);
    if (!pivots)
        return solver_refuse(c->function, CUSOLVER_STATUS_NOT_SUPPORTED, "factors without pivots are not offered");
    void *x = matrix(c, a, m, n, lda), *to = array(pivots, least, is_wide ? 8 : 4);
    NEED(x && to);
    lapack_int *rows = malloc(((size_t)least + 1) * sizeof *rows);
    if (!rows) return solver_refuse(c->function, CUSOLVER_STATUS_ALLOC_FAILED, "out of memory");
    LAPACK_OF(getrf, getrf, INT(m), INT(n), x, INT(lda), rows);
    for (int64_t i = 0; i < least; i++) {
        if (is_wide) ((int64_t *)to)[i] = rows[i];
        else ((int *)to)[i] = (int)rows[i];
    }
    free(rows);
    END;
}

cusolverStatus_t solver_lu_solve(const struct solver_call *c, cublasOperation_t op, int64_t n, int64_t columns,
                                 const void *a, int64_t lda, const void *pivots, bool is_wide, void *b, int64_t ldb)
{
    BEGIN(!is_short(n, n) || !is_short(n, columns) || !is_ld(lda, n) || !is_ld(ldb, n) || !pivots, 2 * n * n * columns);
    void *x = matrix(c, a, n, n, lda), *y = matrix(c, b, n, columns, ldb), *from = array(pivots, n, is_wide ? 8 : 4);
    NEED(x && y && from);
    lapack_int *rows = malloc(((size_t)n + 1) * sizeof *rows);
    if (!rows) return solver_refuse(c->function, CUSOLVER_STATUS_ALLOC_FAILED, "out of memory");
    bool is_good = true;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = is_wide ? ((const int64_t *)from)[i] : ((const int *)from)[i];
        is_good &= row >= 1 && row <= n;
        rows[i] = INT(row);
    }
    if (is_good) LAPACK_OF(getrs, getrs, op_of(op), INT(n), INT(columns), x, INT(lda), rows, y, INT(ldb));
    free(rows);
    if (!is_good) return solver_refuse(c->function, CUSOLVER_STATUS_EXECUTION_FAILED, "a pivot is no row");
    END;
}

cusolverStatus_t solver_cholesky(const struct solver_call *c, cublasFillMode_t fill, int64_t n, void *a, int64_t lda)
{
    BEGIN(!is_short(n, n) || !is_ld(lda, n), n * n * n / 3);
    void *x = matrix(c, a, n, n, lda);
    NEED(x);
    LAPACK_OF(potrf, potrf, fill_of(fill), INT(n), x, INT(lda));
    END;
}
cusolverStatus_t solver_cholesky_solve(const struct solver_call *c, cublasFillMode_t fill, int64_t n, int64_t columns,
                                       const void *a, int64_t lda, void *b, int64_t ldb)
{
    BEGIN(!is_short(n, n) || !is_short(n, columns) || !is_ld(lda, n) || !is_ld(ldb, n), 2 * n * n * columns);
    void *x = matrix(c, a, n, n, lda), *y = matrix(c, b, n, columns, ldb);
    NEED(x && y);
    LAPACK_OF(potrs, potrs, fill_of(fill), INT(n), INT(columns), x, INT(lda), y, INT(ldb));
    END;
}
cusolverStatus_t solver_cholesky_inverse(const struct solver_call *c, cublasFillMode_t fill, int64_t n, void *a,
                                         int64_t lda)
{
    BEGIN(!is_short(n, n) || !is_ld(lda, n), 2 * n * n * n / 3);
    void *x = matrix(c, a, n, n, lda);
    NEED(x);
    LAPACK_OF(potri, potri, fill_of(fill), INT(n), x, INT(lda));
    END;
}

cusolverStatus_t solver_qr(const struct solver_call *c, int64_t m, int64_t n, void *a, int64_t lda, void *tau)
{
    BEGIN(!is_short(m, n) || !is_ld(lda, m), 2 * m * n * (m < n ? m : n));
    void *x = matrix(c, a, m, n, lda), *t = array(tau, m < n ? m : n, size_of(c->type));
    NEED(x && t);
    LAPACK_OF(geqrf, geqrf, INT(m), INT(n), x, INT(lda), t);
    END;
}
cusolverStatus_t solver_q_times(const struct solver_call *c, cublasSideMode_t side, cublasOperation_t op, int m, int n,
                                int k, const void *a, int lda, const void *tau, void *to, int ldc)
{
    const int of_q = side == CUBLAS_SIDE_LEFT ? m : n;
    BEGIN(!is_short(m, n) || k < 0 || k > of_q || !is_short(of_q, k) || !is_ld(lda, of_q) || !is_ld(ldc, m),
          4ll * m * n * k);
    void *x = matrix(c, a, of_q, k, lda), *t = array(tau, k, size_of(c->type)), *y = matrix(c, to, m, n, ldc);
    NEED(x && t && y);
    LAPACK_OF(ormqr, unmqr, side == CUBLAS_SIDE_LEFT ? 'L' : 'R', op_of(op), m, n, k, x, lda, t, y, ldc);
    END;
}
cusolverStatus_t solver_q(const struct solver_call *c, int m, int n, int k, void *a, int lda, const void *tau)
{
    BEGIN(!is_short(m, n) || n > m || k < 0 || k > n || !is_ld(lda, m), 4ll * m * n * k);
    void *x = matrix(c, a, m, n, lda), *t = array(tau, k, size_of(c->type));
    NEED(x && t);
    LAPACK_OF(orgqr, ungqr, m, n, k, x, lda, t);
    END;
}

/* v (n x rows) := vt (rows x n) conjugated and turned. */
static void turn(cudaDataType type, void *v, int64_t ldv, const void *vt, int64_t rows, int64_t n)
{
    const size_t size = size_of(type), half = real_size(type);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            unsigned char *to = (unsigned char *)v + (size_t)(j + i * ldv) * size;
            memcpy(to, (const unsigned char *)vt + (size_t)(i + j * rows) * size, size);
            if (is_complex(type)) to[2 * half - 1] ^= 0x80; /* the sign of the imaginary part */
        }
}
cusolverStatus_t solver_svd(const struct solver_call *c, char jobu, char jobvt, int m, int n, void *a, int lda, void *s,
                            void *u, int ldu, void *vt, int ldvt, bool is_turned)
{
    const int least = m < n ? m : n,
              columns_u = jobu == 'A'   ? m
                          : jobu == 'S' ? least
                                        : 0,
              rows_v = jobvt == 'A'   ? n
                       : jobvt == 'S' ? least
                                      : 0;
    const bool is_job =
        strchr("ASON", jobu) && strchr("ASON", jobvt) && jobu && jobvt && !(jobu == 'O' && jobvt == 'O');
    BEGIN(!is_short(m, n) || !is_ld(lda, m) || !is_job || (columns_u && !is_ld(ldu, m)) ||
              (rows_v && !is_ld(ldvt, is_turned ? n : rows_v)),
          8ll * m * n * least);
    void *x = matrix(c, a, m, n, lda), *values = array(s, least, real_size(c->type)),
         *left = matrix(c, u, columns_u ? m : 0, columns_u, ldu),
         *right = is_turned ? matrix(c, vt, rows_v ? n : 0, rows_v, ldvt) : matrix(c, vt, rows_v, rows_v ? n : 0, ldvt);
    NEED(x && values && left && right);
    void *rest = malloc(((size_t)least + 1) * 8), *own = malloc((size_t)rows_v * (size_t)n * size_of(c->type) + 1);
    if (!rest || !own) {
        free(rest);
        free(own);
        return solver_refuse(c->function, CUSOLVER_STATUS_ALLOC_FAILED, "out of memory");
    }
    const int ld_left = columns_u ? ldu : 1, ld_right = !rows_v ? 1 : is_turned ? rows_v : ldvt;
    if (least)
        LAPACK_OF(gesvd, gesvd, jobu, jobvt, m, n, x, lda, values, left, ld_left, is_turned ? own : right, ld_right,
                  rest);
    if (is_turned) turn(c->type, right, ldvt, own, rows_v, n);
    free(rest);
    free(own);
    END;
}

cusolverStatus_t solver_eigen(const struct solver_call *c, int type, cusolverEigMode_t mode, cublasFillMode_t fill,
                              int64_t n, void *a, int64_t lda, void *b, int64_t ldb, void *w)
{
    const char job = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N';
    BEGIN(!is_short(n, n) || !is_ld(lda, n) || (b && !is_ld(ldb, n)) || type < 1 || type > 3, 9 * n * n * n);
    void *x = matrix(c, a, n, n, lda), *values = array(w, n, real_size(c->type)),
         *y = b ? matrix(c, b, n, n, ldb) : nothing;
    NEED(x && values && y);
    if (b) LAPACK_OF(sygvd, hegvd, type, job, fill_of(fill), INT(n), x, INT(lda), y, INT(ldb), values);
    else LAPACK_OF(syevd, heevd, job, fill_of(fill), INT(n), x, INT(lda), values);
    END;
}
