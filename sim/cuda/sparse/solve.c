/* Triangular systems, and incomplete factors of a matrix in its own pattern. [Saad, Iterative Methods for Sparse
 * Linear Systems, 2003, 10.3] */
#include "sparse/sparse.h"

#include <stdlib.h>
#include <string.h>

struct cusparseSpSVDescr {
    bool is_analysed;
};
struct cusparseSpSMDescr {
    bool is_analysed;
};
#define DESCRIPTOR(Name) \
    cusparseStatus_t cusparse##Name##_createDescr(cusparse##Name##Descr_t *solve) \
    { \
        if (!solve) return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "there is no place for it"); \
        *solve = calloc(1, sizeof **solve); \
        return *solve ? CUSPARSE_STATUS_SUCCESS : SPARSE_NO_MEMORY(__func__); \
    } \
    cusparseStatus_t cusparse##Name##_destroyDescr(cusparse##Name##Descr_t solve) \
    { \
        free(solve); \
        return CUSPARSE_STATUS_SUCCESS; \
    }
DESCRIPTOR(SpSV)
DESCRIPTOR(SpSM)

/* One column x of the system, in place; elements of the other triangle are not read. */
static void substitute(const struct sparse_rows *a, double complex *x, bool is_lower, bool is_unit)
{
    for (int64_t step = 0; step < a->n; step++) {
        const int64_t i = is_lower ? step : a->n - 1 - step;
        double complex sum = x[i], pivot = is_unit ? 1 : 0;
        for (int64_t k = a->offsets[i]; k < a->offsets[i + 1]; k++) {
            const int64_t j = a->index[k];
            if (j == i && !is_unit) pivot = a->value[k];
            if (is_lower ? j < i : j > i) sum -= complex_times(a->value[k], x[j]);
        }
        x[i] = cimag(pivot) == 0 && cimag(sum) == 0 ? creal(sum) / creal(pivot) : sum / pivot;
    }
}
/* op(a) to = alpha from. */
static cusparseStatus_t solve_all(const char *function, const struct cusparseSpMatDescr *a, cusparseOperation_t op,
                                  double complex alpha, const struct sparse_dense *from, const struct sparse_dense *to)
{
    struct sparse_rows rows;
    cusparseStatus_t status = sparse_rows_read(function, &rows, a, op);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    double complex *x = malloc(((size_t)rows.n + 1) * sizeof *x);
    const bool is_turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (!x) status = SPARSE_NO_MEMORY(function);
    for (int64_t j = 0; x && j < to->columns; j++) {
        for (int64_t i = 0; i < rows.n; i++) x[i] = complex_times(alpha, sparse_at(from, i, j));
        substitute(&rows, x, (a->fill == CUSPARSE_FILL_MODE_LOWER) != is_turned, a->diag == CUSPARSE_DIAG_TYPE_UNIT);
        for (int64_t i = 0; i < rows.n; i++) sparse_put(to, i, j, x[i]);
    }
    free(x);
    sparse_rows_fini(&rows);
    return status;
}
#define ANALYSE(bad) \
    do { \
        if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle"); \
        if (!solve || (bad)) \
            return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, \
                                 "something is missing, or the matrix is not square"); \
        solve->is_analysed = true; \
        return CUSPARSE_STATUS_SUCCESS; \
    } while (0)

POISE_SPSV(_bufferSize, cusparseSpSVDescr_t solve, size_t *bytes)
{
    (void)op, (void)alpha, (void)a, (void)x, (void)y, (void)compute, (void)algorithm, (void)solve;
    return sparse_no_buffer(__func__, handle, bytes);
}
POISE_SPSV(_analysis, cusparseSpSVDescr_t solve, void *buffer)
{
    (void)op, (void)alpha, (void)x, (void)y, (void)compute, (void)algorithm, (void)buffer;
    ANALYSE(!a || a->rows != a->columns);
}
POISE_SPSV(_solve, cusparseSpSVDescr_t solve)
{
    (void)algorithm;
    struct sparse_dense from, to;
    double complex factor;
    SPARSE_BEGIN_CAPTURED(!a || !x || !y || !alpha || !solve || !solve->is_analysed || !sparse_size(compute) ||
                              a->rows != a->columns || x->size != a->rows || y->size != a->rows,
                          "something is missing or not analysed, or sizes do not fit", 2 * a->nnz, A(op),
                          N(alpha, compute), D(a), D(x), D(y), A(compute), A(algorithm), A(solve));
    if (!sparse_column_of(&from, x) || !sparse_column_of(&to, y) || !sparse_scalar(handle, alpha, compute, &factor))
        return SPARSE_NOT_DEVICE(__func__);
    return solve_all(__func__, a, op, factor, &from, &to);
}
POISE_SPSM(_bufferSize, cusparseSpSMDescr_t solve, size_t *bytes)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)c, (void)compute, (void)algorithm, (void)solve;
    return sparse_no_buffer(__func__, handle, bytes);
}
POISE_SPSM(_analysis, cusparseSpSMDescr_t solve, void *buffer)
{
    (void)op_a, (void)op_b, (void)alpha, (void)b, (void)c, (void)compute, (void)algorithm, (void)buffer;
    ANALYSE(!a || a->rows != a->columns);
}
POISE_SPSM(_solve, cusparseSpSMDescr_t solve)
{
    (void)algorithm;
    struct sparse_dense from, to;
    double complex factor;
    SPARSE_BEGIN_CAPTURED(!a || !b || !c || !alpha || !solve || !solve->is_analysed || !sparse_size(compute) ||
                              a->rows != a->columns,
                          "something is missing or not analysed", 2 * a->nnz * c->columns, A(op_a), A(op_b),
                          N(alpha, compute), D(a), D(b), D(c), A(compute), A(algorithm), A(solve));
    if (!sparse_dense_of(&from, b, op_b) || !sparse_dense_of(&to, c, CUSPARSE_OPERATION_NON_TRANSPOSE) ||
        !sparse_scalar(handle, alpha, compute, &factor))
        return SPARSE_NOT_DEVICE(__func__);
    if (from.rows != a->rows || to.rows != a->rows || from.columns != to.columns)
        return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "the matrices' sizes do not fit");
    return solve_all(__func__, a, op_a, factor, &from, &to);
}

/* ---- incomplete factors of CSR matrices whose rows are sorted ---- */
struct csrilu02Info {
    int position; /* of the first pivot that is zero or missing, with the matrix's base; -1: none */
};
struct csric02Info {
    int position;
};
#define INFO(Name, name) \
    cusparseStatus_t cusparseCreate##Name##Info(name##Info_t *info) \
    { \
        if (!info) return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "there is no place for it"); \
        *info = malloc(sizeof **info); \
        if (!*info) return SPARSE_NO_MEMORY(__func__); \
        (*info)->position = -1; \
        return CUSPARSE_STATUS_SUCCESS; \
    } \
    cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info) \
    { \
        free(info); \
        return CUSPARSE_STATUS_SUCCESS; \
    } \
    cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info, int *position) \
    { \
        if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle"); \
        if (!info || !position) \
            return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "there is no place for the position"); \
        int *to = position; \
        if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) to = sparse_indices(position, 1, CUSPARSE_INDEX_32I); \
        if (!to) return SPARSE_NOT_DEVICE(__func__); \
        *to = info->position; \
        return info->position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT; \
    }
INFO(Csrilu02, csrilu02)
INFO(Csric02, csric02)

/* The element of row i in column j, or -1. */
static int64_t find(const struct sparse_rows *a, int64_t i, int64_t j)
{
    int64_t from = a->offsets[i], end = a->offsets[i + 1];
    while (from < end) {
        const int64_t middle = from + (end - from) / 2;
        if (a->index[middle] == j) return middle;
        if (a->index[middle] < j) from = middle + 1;
        else end = middle;
    }
    return -1;
}
/* L with ones on its diagonal and U. Returns the first row without a pivot, or -1. */
static int64_t factor_lu(struct sparse_rows *a)
{
    int64_t zero = -1;
    for (int64_t i = 0; i < a->n; i++) {
        for (int64_t k = a->offsets[i]; k < a->offsets[i + 1] && a->index[k] < i; k++) {
            const int64_t row = a->index[k], pivot = find(a, row, row);
            if (pivot < 0) continue;
            a->value[k] /= a->value[pivot];
            for (int64_t l = pivot + 1; l < a->offsets[row + 1]; l++) {
                const int64_t at = find(a, i, a->index[l]);
                if (at >= 0) a->value[at] -= complex_times(a->value[k], a->value[l]);
            }
        }
        const int64_t own = find(a, i, i);
        if (zero < 0 && (own < 0 || a->value[own] == 0)) zero = i;
    }
    return zero;
}
/* L with L L^H = A in the lower triangle; the upper one is left as it is. */
static int64_t factor_cholesky(struct sparse_rows *a)
{
    int64_t zero = -1;
    for (int64_t i = 0; i < a->n; i++) {
        for (int64_t k = a->offsets[i]; k < a->offsets[i + 1] && a->index[k] <= i; k++) {
            const int64_t row = a->index[k], pivot = find(a, row, row);
            double complex sum = a->value[k];
            for (int64_t l = a->offsets[i]; l < k; l++) {
                const int64_t at = find(a, row, a->index[l]);
                if (at >= 0) sum -= complex_times(a->value[l], conj(a->value[at]));
            }
            if (row < i) a->value[k] = pivot < 0 ? sum : sum / a->value[pivot];
            else a->value[k] = csqrt(sum);
            if (row == i && creal(sum) <= 0 && zero < 0) zero = i;
        }
        if (zero < 0 && find(a, i, i) < 0) zero = i;
    }
    return zero;
}

static cusparseStatus_t incomplete(const char *function, int m, int nnz, cusparseMatDescr_t descriptor, void *values,
                                   cudaDataType type, const int *offsets, const int *columns,
                                   int64_t (*factor)(struct sparse_rows *), int *position)
{
    const struct cusparseSpMatDescr a = {.format = CUSPARSE_FORMAT_CSR,
                                         .rows = m,
                                         .columns = m,
                                         .nnz = nnz,
                                         .offsets = (void *)(uintptr_t)offsets,
                                         .indices = (void *)(uintptr_t)columns,
                                         .values = values,
                                         .offset = CUSPARSE_INDEX_32I,
                                         .index = CUSPARSE_INDEX_32I,
                                         .base = descriptor->base,
                                         .type = type};
    struct sparse_rows rows;
    cusparseStatus_t status = sparse_rows_read(function, &rows, &a, CUSPARSE_OPERATION_NON_TRANSPOSE);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    for (int64_t i = 0; i < rows.n; i++)
        for (int64_t k = rows.offsets[i] + 1; k < rows.offsets[i + 1]; k++)
            if (rows.index[k - 1] >= rows.index[k]) status = CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS) {
        const int64_t zero = factor(&rows);
        *position = zero < 0 ? -1 : (int)zero + (int)descriptor->base;
        void *bytes = sparse_values(values, nnz, type);
        for (int64_t k = 0; k < nnz; k++) sparse_store(bytes, type, k, rows.value[k]);
    } else sparse_refuse(function, status, "columns of a row do not rise");
    sparse_rows_fini(&rows);
    return status;
}

#define INCOMPLETE(P, T, name, type, factor) \
    cusparseStatus_t cusparse##P##name##_bufferSize(cusparseHandle_t handle, int m, int nnz, \
                                                    const cusparseMatDescr_t a, T *values, const int *offsets, \
                                                    const int *columns, name##Info_t info, int *bytes) \
    { \
        size_t size = 0; \
        (void)m, (void)nnz, (void)a, (void)values, (void)offsets, (void)columns, (void)info; \
        const cusparseStatus_t status = sparse_no_buffer(__func__, handle, bytes ? &size : NULL); \
        if (bytes) *bytes = (int)size; \
        return status; \
    } \
    cusparseStatus_t cusparse##P##name##_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a, \
                                                  const T *values, const int *offsets, const int *columns, \
                                                  name##Info_t info, cusparseSolvePolicy_t policy, void *buffer) \
    { \
        (void)values, (void)offsets, (void)columns, (void)policy, (void)buffer; \
        if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle"); \
        if (!a || !info || m < 0 || nnz < 0) \
            return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "a size or an argument is none"); \
        info->position = -1; \
        return CUSPARSE_STATUS_SUCCESS; \
    } \
    cusparseStatus_t cusparse##P##name(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a, T *values, \
                                       const int *offsets, const int *columns, name##Info_t info, \
                                       cusparseSolvePolicy_t policy, void *buffer) \
    { \
        (void)policy, (void)buffer; \
        SPARSE_BEGIN(!a || !info || m < 0 || nnz < 0, "a size or an argument is none", 8ll * nnz); \
        return incomplete(__func__, m, nnz, a, values, type, offsets, columns, factor, &info->position); \
    }
INCOMPLETE(S, float, csrilu02, CUDA_R_32F, factor_lu)
INCOMPLETE(D, double, csrilu02, CUDA_R_64F, factor_lu)
INCOMPLETE(C, cuComplex, csrilu02, CUDA_C_32F, factor_lu)
INCOMPLETE(Z, cuDoubleComplex, csrilu02, CUDA_C_64F, factor_lu)
INCOMPLETE(S, float, csric02, CUDA_R_32F, factor_cholesky)
INCOMPLETE(D, double, csric02, CUDA_R_64F, factor_cholesky)
INCOMPLETE(C, cuComplex, csric02, CUDA_C_32F, factor_cholesky)
INCOMPLETE(Z, cuDoubleComplex, csric02, CUDA_C_64F, factor_cholesky)
