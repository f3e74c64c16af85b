/* Conversions between formats, and sorting. */
#include "sparse/sparse.h"

#include <stdlib.h>
#include <string.h>

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t algorithm,
                                                  size_t *bytes)
{
    (void)a, (void)b, (void)algorithm;
    return sparse_no_buffer(__func__, handle, bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    struct sparse_rows rows;
    struct sparse_dense to;
    SPARSE_BEGIN_CAPTURED(!a || !b || a->rows != b->rows || a->columns != b->columns, "the matrices have several sizes",
                          b->rows * b->columns, D(a), D(b), A(algorithm), A(buffer));
    if (!sparse_dense_of(&to, b, CUSPARSE_OPERATION_NON_TRANSPOSE)) return SPARSE_NOT_DEVICE(__func__);
    const cusparseStatus_t status = sparse_rows_read(__func__, &rows, a, CUSPARSE_OPERATION_NON_TRANSPOSE);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    for (int64_t i = 0; i < to.rows; i++)
        for (int64_t j = 0; j < to.columns; j++) sparse_put(&to, i, j, 0);
    for (int64_t i = 0; i < rows.n; i++)
        for (int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; k++)
            sparse_put(&to, i, rows.index[k], rows.value[k]);
    sparse_rows_fini(&rows);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                                  size_t *bytes)
{
    (void)a, (void)b, (void)algorithm;
    return sparse_no_buffer(__func__, handle, bytes);
}
/* Goes through a dense matrix by the lines of b's format. Offsets are written where `offsets` is given, elements where
 * `indices` is; returns the number of elements that are not zero. */
static int64_t compress(const struct sparse_dense *from, const struct cusparseSpMatDescr *b, void *offsets,
                        void *indices, void *values)
{
    const bool by_column = b->format == CUSPARSE_FORMAT_CSC, is_coo = b->format == CUSPARSE_FORMAT_COO;
    const int64_t lines = by_column ? b->columns : b->rows, across = by_column ? b->rows : b->columns;
    int64_t n = 0;
    for (int64_t i = 0; i < lines; i++) {
        if (offsets && !is_coo) sparse_index_store(offsets, b->offset, i, n + b->base);
        for (int64_t j = 0; j < across; j++) {
            const double complex z = by_column ? sparse_at(from, j, i) : sparse_at(from, i, j);
            if (z == 0) continue;
            if (indices) sparse_index_store(indices, b->index, n, j + b->base), sparse_store(values, b->type, n, z);
            if (indices && is_coo) sparse_index_store(offsets, b->offset, n, i + b->base);
            n++;
        }
    }
    if (offsets && !is_coo) sparse_index_store(offsets, b->offset, lines, n + b->base);
    return n;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                                void *buffer)
{
    (void)algorithm, (void)buffer;
    struct sparse_dense from;
    void *offsets = NULL;
    SPARSE_BEGIN(!a || !b || a->rows != b->rows || a->columns != b->columns, "the matrices have several sizes",
                 a->rows * a->columns);
    if (!sparse_dense_of(&from, a, CUSPARSE_OPERATION_NON_TRANSPOSE)) return SPARSE_NOT_DEVICE(__func__);
    if (b->format != CUSPARSE_FORMAT_COO) {
        const int64_t lines = b->format == CUSPARSE_FORMAT_CSC ? b->columns : b->rows;
        offsets = sparse_indices(b->offsets, lines + 1, b->offset);
        if (!offsets) return SPARSE_NOT_DEVICE(__func__);
    }
    b->nnz = compress(&from, b, offsets, NULL, NULL);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                               void *buffer)
{
    (void)algorithm, (void)buffer;
    struct sparse_dense from;
    SPARSE_BEGIN(!a || !b || a->rows != b->rows || a->columns != b->columns, "the matrices have several sizes",
                 a->rows * a->columns);
    const int64_t n_offsets = b->format == CUSPARSE_FORMAT_COO   ? b->nnz
                              : b->format == CUSPARSE_FORMAT_CSC ? b->columns + 1
                                                                 : b->rows + 1;
    void *offsets = sparse_indices(b->offsets, n_offsets, b->offset),
         *indices = sparse_indices(b->indices, b->nnz, b->index), *values = sparse_values(b->values, b->nnz, b->type);
    if (!offsets || !indices || !values || !sparse_dense_of(&from, a, CUSPARSE_OPERATION_NON_TRANSPOSE))
        return SPARSE_NOT_DEVICE(__func__);
    if (compress(&from, b, NULL, NULL, NULL) != b->nnz)
        return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "the matrix has changed since its analysis");
    compress(&from, b, offsets, indices, values);
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- offsets and rows ---- */
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
                                  cusparseIndexBase_t base)
{
    SPARSE_BEGIN_CAPTURED(nnz < 0 || m < 0, "a size is negative", nnz, A(rows), A(nnz), A(m), A(offsets), A(base));
    const int *from = sparse_indices(rows, nnz, CUSPARSE_INDEX_32I);
    int *to = sparse_indices(offsets, m + 1ll, CUSPARSE_INDEX_32I), k = 0;
    if (!from || !to) return SPARSE_NOT_DEVICE(__func__);
    for (int i = 0; i <= m; i++) {
        while (k < nnz && from[k] - (int)base < i) k++;
        to[i] = k + (int)base;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
                                  cusparseIndexBase_t base)
{
    SPARSE_BEGIN_CAPTURED(nnz < 0 || m < 0, "a size is negative", nnz, A(offsets), A(nnz), A(m), A(rows), A(base));
    const int *from = sparse_indices(offsets, m + 1ll, CUSPARSE_INDEX_32I);
    int *to = sparse_indices(rows, nnz, CUSPARSE_INDEX_32I);
    if (!from || !to) return SPARSE_NOT_DEVICE(__func__);
    for (int i = 0; i < m; i++)
        for (int k = from[i] - (int)base; k < from[i + 1] - (int)base; k++) {
            if (k < 0 || k >= nnz)
                return sparse_refuse(__func__, CUSPARSE_STATUS_EXECUTION_FAILED, "an offset is beyond the elements");
            to[k] = i + (int)base;
        }
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
                                               const int *offsets, const int *columns, void *csc_values,
                                               int *csc_offsets, int *csc_rows, cudaDataType type,
                                               cusparseAction_t action, cusparseIndexBase_t base,
                                               cusparseCsr2CscAlg_t algorithm, size_t *bytes)
{
    (void)m, (void)n, (void)nnz, (void)values, (void)offsets, (void)columns, (void)csc_values, (void)csc_offsets;
    (void)csc_rows, (void)type, (void)action, (void)base, (void)algorithm;
    return sparse_no_buffer(__func__, handle, bytes);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
                                    const int *offsets, const int *columns, void *csc_values, int *csc_offsets,
                                    int *csc_rows, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    const bool has_values = action == CUSPARSE_ACTION_NUMERIC;
    SPARSE_BEGIN_CAPTURED(m < 0 || n < 0 || nnz < 0 || !sparse_size(type), "a size is negative, or a type is not here",
                          2ll * nnz, A(m), A(n), A(nnz), A(values), A(offsets), A(columns), A(csc_values),
                          A(csc_offsets), A(csc_rows), A(type), A(action), A(base), A(algorithm), A(buffer));
    /* Values that are not asked for may be missing: the pattern is read with the columns in their place. */
    const struct cusparseSpMatDescr a = {.format = CUSPARSE_FORMAT_CSR,
                                         .rows = m,
                                         .columns = n,
                                         .nnz = nnz,
                                         .offsets = (void *)(uintptr_t)offsets,
                                         .indices = (void *)(uintptr_t)columns,
                                         .values = (void *)(uintptr_t)(has_values ? values : (const void *)columns),
                                         .offset = CUSPARSE_INDEX_32I,
                                         .index = CUSPARSE_INDEX_32I,
                                         .base = base,
                                         .type = has_values ? type : CUDA_R_32I};
    void *to_values = has_values ? sparse_values(csc_values, nnz, type) : NULL;
    int *to_offsets = sparse_indices(csc_offsets, n + 1ll, CUSPARSE_INDEX_32I),
        *to_rows = sparse_indices(csc_rows, nnz, CUSPARSE_INDEX_32I);
    if (!to_offsets || !to_rows || (has_values && !to_values)) return SPARSE_NOT_DEVICE(__func__);
    struct sparse_rows turned;
    const cusparseStatus_t status = sparse_rows_read(__func__, &turned, &a, CUSPARSE_OPERATION_TRANSPOSE);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    for (int j = 0; j <= n; j++) to_offsets[j] = (int)turned.offsets[j] + (int)base;
    for (int k = 0; k < nnz; k++) {
        to_rows[k] = (int)turned.index[k] + (int)base;
        if (has_values) sparse_store(to_values, type, k, turned.value[k]);
    }
    sparse_rows_fini(&turned);
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- sorting; a permutation goes along, and equal elements keep their order ---- */
struct element {
    int major, minor, place, number;
};
static int by_indices(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->major != y->major) return x->major < y->major ? -1 : 1;
    if (x->minor != y->minor) return x->minor < y->minor ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *permutation)
{
    SPARSE_BEGIN(n < 0, "a size is negative", n);
    int *to = sparse_indices(permutation, n, CUSPARSE_INDEX_32I);
    if (!to) return SPARSE_NOT_DEVICE(__func__);
    for (int i = 0; i < n; i++) to[i] = i;
    return CUSPARSE_STATUS_SUCCESS;
}
/* Sorts n elements by major, then minor index, and writes both back; `major` may be given by offsets instead. */
static cusparseStatus_t sort(const char *function, int n, int *major, const int *offsets, int m, int base, int *minor,
                             int *numbers)
{
    struct element *e = calloc((size_t)n + 1, sizeof *e);
    if (!e) return SPARSE_NO_MEMORY(function);
    for (int k = 0, row = 0; k < n; k++) {
        while (offsets && row < m && k >= offsets[row + 1] - base) row++;
        e[k] = (struct element){major ? major[k] : row, minor[k], k, numbers ? numbers[k] : 0};
    }
    qsort(e, (size_t)n, sizeof *e, by_indices);
    for (int k = 0; k < n; k++) {
        if (major) major[k] = e[k].major;
        minor[k] = e[k].minor;
        if (numbers) numbers[k] = e[k].number;
    }
    free(e);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *offsets,
                                                const int *columns, size_t *bytes)
{
    (void)m, (void)n, (void)nnz, (void)offsets, (void)columns;
    return sparse_no_buffer(__func__, handle, bytes);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a,
                                  const int *offsets, int *columns, int *permutation, void *buffer)
{
    (void)n, (void)buffer;
    SPARSE_BEGIN(!a || m < 0 || nnz < 0, "a size or an argument is none", 8ll * nnz);
    const int *from = sparse_indices(offsets, m + 1ll, CUSPARSE_INDEX_32I);
    int *minor = sparse_indices(columns, nnz, CUSPARSE_INDEX_32I),
        *numbers = permutation ? sparse_indices(permutation, nnz, CUSPARSE_INDEX_32I) : NULL;
    if (!from || !minor || (permutation && !numbers)) return SPARSE_NOT_DEVICE(__func__);
    return sort(__func__, nnz, NULL, from, m, (int)a->base, minor, numbers);
}
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *rows,
                                                const int *columns, size_t *bytes)
{
    (void)m, (void)n, (void)nnz, (void)rows, (void)columns;
    return sparse_no_buffer(__func__, handle, bytes);
}
static cusparseStatus_t sort_pairs(const char *function, int nnz, int *major, int *minor, int *permutation)
{
    int *first = sparse_indices(major, nnz, CUSPARSE_INDEX_32I),
        *second = sparse_indices(minor, nnz, CUSPARSE_INDEX_32I),
        *numbers = permutation ? sparse_indices(permutation, nnz, CUSPARSE_INDEX_32I) : NULL;
    if (!first || !second || (permutation && !numbers)) return SPARSE_NOT_DEVICE(function);
    return sort(function, nnz, first, NULL, 0, 0, second, numbers);
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *rows, int *columns,
                                       int *permutation, void *buffer)
{
    (void)buffer;
    SPARSE_BEGIN(m < 0 || n < 0 || nnz < 0, "a size is negative", 8ll * nnz);
    return sort_pairs(__func__, nnz, rows, columns, permutation);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *rows, int *columns,
                                          int *permutation, void *buffer)
{
    (void)buffer;
    SPARSE_BEGIN(m < 0 || n < 0 || nnz < 0, "a size is negative", 8ll * nnz);
    return sort_pairs(__func__, nnz, columns, rows, permutation);
}
