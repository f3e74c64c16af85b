/* Elements and indices of every type, and matrices as rows of numbers. */
#include "sparse/sparse.h"

#include <stdlib.h>
#include <string.h>
#include "shared/real_numbers.h"

size_t sparse_size(cudaDataType type) { return type == CUDA_C_32F ? 8 : type == CUDA_C_64F ? 16 : real_size(type); }

double complex sparse_load(const void *values, cudaDataType type, int64_t at)
{
    const float *f = values;
    const double *d = values;
    switch (type) {
    case CUDA_C_32F: return CMPLX((double)f[2 * at], (double)f[2 * at + 1]);
    case CUDA_C_64F: return CMPLX(d[2 * at], d[2 * at + 1]);
    default: return real_get((const unsigned char *)values + (size_t)at * real_size(type), type);
    }
}

void sparse_store(void *values, cudaDataType type, int64_t at, double complex value)
{
    float *f = values;
    double *d = values;
    switch (type) {
    case CUDA_C_32F: f[2 * at] = (float)creal(value), f[2 * at + 1] = (float)cimag(value); return;
    case CUDA_C_64F: d[2 * at] = creal(value), d[2 * at + 1] = cimag(value); return;
    default: real_put((unsigned char *)values + (size_t)at * real_size(type), type, creal(value)); return;
    }
}

size_t sparse_index_size(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}
int64_t sparse_index(const void *indices, cusparseIndexType_t type, int64_t at)
{
    if (type == CUSPARSE_INDEX_64I) return ((const int64_t *)indices)[at];
    return type == CUSPARSE_INDEX_32I ? ((const int32_t *)indices)[at] : ((const uint16_t *)indices)[at];
}
void sparse_index_store(void *indices, cusparseIndexType_t type, int64_t at, int64_t value)
{
    if (type == CUSPARSE_INDEX_64I) ((int64_t *)indices)[at] = value;
    if (type == CUSPARSE_INDEX_32I) ((int32_t *)indices)[at] = (int32_t)value;
    if (type == CUSPARSE_INDEX_16U) ((uint16_t *)indices)[at] = (uint16_t)value;
}

static void *bytes_of(const void *device, int64_t n, size_t size)
{
    static char nothing[16];
    return n == 0 ? nothing : poise_cuda_bytes(device, (size_t)n * size);
}
void *sparse_values(const void *device, int64_t n, cudaDataType type) { return bytes_of(device, n, sparse_size(type)); }
void *sparse_indices(const void *device, int64_t n, cusparseIndexType_t type)
{
    return bytes_of(device, n, sparse_index_size(type));
}
bool sparse_scalar(cusparseHandle_t handle, const void *pointer, cudaDataType type, double complex *value)
{
    const void *bytes = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE ? sparse_values(pointer, 1, type) : pointer;
    if (bytes) *value = sparse_load(bytes, type, 0);
    return bytes != NULL;
}

bool sparse_dense_of(struct sparse_dense *out, const struct cusparseDnMatDescr *m, cusparseOperation_t op)
{
    const bool is_turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE, by_column = m->order == CUSPARSE_ORDER_COL;
    const int64_t lines = by_column ? m->columns : m->rows, length = by_column ? m->rows : m->columns;
    const int64_t extent = lines && length ? (lines - 1) * m->ld + length : 0;
    *out = (struct sparse_dense){.bytes = sparse_values(m->values, extent, m->type),
                                 .type = m->type,
                                 .rows = is_turned ? m->columns : m->rows,
                                 .columns = is_turned ? m->rows : m->columns,
                                 .row_step = by_column != is_turned ? 1 : m->ld,
                                 .column_step = by_column != is_turned ? m->ld : 1,
                                 .is_conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    return out->bytes != NULL;
}
bool sparse_column_of(struct sparse_dense *out, const struct cusparseDnVecDescr *v)
{
    *out = (struct sparse_dense){.bytes = sparse_values(v->values, v->size, v->type),
                                 .type = v->type,
                                 .rows = v->size,
                                 .columns = 1,
                                 .row_step = 1,
                                 .column_step = v->size};
    return out->bytes != NULL;
}

void sparse_rows_fini(struct sparse_rows *r)
{
    free(r->offsets);
    free(r->index);
    free(r->place);
    free(r->value);
    *r = (struct sparse_rows){0};
}

cusparseStatus_t sparse_rows_sort(struct sparse_rows *out, int64_t n_rows, int64_t n_columns, int64_t n,
                                  const int64_t *row, const int64_t *column)
{
    *out = (struct sparse_rows){.n = n_rows, .columns = n_columns};
    out->offsets = calloc((size_t)n_rows + 2, sizeof *out->offsets);
    out->index = malloc(((size_t)n + 1) * sizeof *out->index);
    out->place = malloc(((size_t)n + 1) * sizeof *out->place);
    out->value = calloc((size_t)n + 1, sizeof *out->value);
    if (!out->offsets || !out->index || !out->place || !out->value) {
        sparse_rows_fini(out);
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    int64_t *next = out->offsets + 1; /* of a row: where its next element goes; in the end where the row ends */
    for (int64_t k = 0; k < n; k++) next[row[k] + 1]++;
    for (int64_t i = 1; i <= n_rows; i++) next[i] += next[i - 1];
    for (int64_t k = 0; k < n; k++) {
        const int64_t to = next[row[k]]++;
        out->index[to] = column[k];
        out->place[to] = k;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

/* Row and column of each element, from 0; false: an index or an offset is none. */
static bool decode(const struct cusparseSpMatDescr *m, const void *offsets, const void *indices, int64_t *row,
                   int64_t *column)
{
    const bool by_column = m->format == CUSPARSE_FORMAT_CSC;
    const int64_t lines = by_column ? m->columns : m->rows, across = by_column ? m->rows : m->columns;
    int64_t *line = by_column ? column : row, *other = by_column ? row : column;
    if (m->format == CUSPARSE_FORMAT_COO)
        for (int64_t k = 0; k < m->nnz; k++) line[k] = sparse_index(offsets, m->offset, k) - m->base;
    else
        for (int64_t i = 0, k = 0; i < lines; i++) {
            const int64_t from = sparse_index(offsets, m->offset, i) - m->base,
                          end = sparse_index(offsets, m->offset, i + 1) - m->base;
            if (from != k || end < from || end > m->nnz || (i == lines - 1 && end != m->nnz)) return false;
            for (; k < end; k++) line[k] = i;
        }
    for (int64_t k = 0; k < m->nnz; k++) {
        other[k] = sparse_index(indices, m->index, k) - m->base;
        if (other[k] < 0 || other[k] >= across || line[k] < 0 || line[k] >= lines) return false;
    }
    return true;
}

cusparseStatus_t sparse_rows_read(const char *function, struct sparse_rows *out, const struct cusparseSpMatDescr *m,
                                  cusparseOperation_t op)
{
    const bool is_turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int64_t n_offsets = m->format == CUSPARSE_FORMAT_COO   ? m->nnz
                              : m->format == CUSPARSE_FORMAT_CSC ? m->columns + 1
                                                                 : m->rows + 1;
    const void *offsets = sparse_indices(m->offsets, n_offsets, m->offset),
               *indices = sparse_indices(m->indices, m->nnz, m->index),
               *values = sparse_values(m->values, m->nnz, m->type);
    *out = (struct sparse_rows){0};
    if (!offsets || !indices || !values) return SPARSE_NOT_DEVICE(function);
    int64_t *row = malloc(2 * ((size_t)m->nnz + 1) * sizeof *row), *column = row + m->nnz;
    if (!row) return SPARSE_NO_MEMORY(function);
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    if (!decode(m, offsets, indices, row, column))
        status = sparse_refuse(function, CUSPARSE_STATUS_EXECUTION_FAILED,
                               "offsets of the matrix do not rise to its number of elements, or an index is beyond it");
    else if (sparse_rows_sort(out, is_turned ? m->columns : m->rows, is_turned ? m->rows : m->columns, m->nnz,
                              is_turned ? column : row, is_turned ? row : column) != CUSPARSE_STATUS_SUCCESS)
        status = SPARSE_NO_MEMORY(function);
    free(row);
    for (int64_t k = 0; status == CUSPARSE_STATUS_SUCCESS && k < m->nnz; k++) {
        const double complex z = sparse_load(values, m->type, out->place[k]);
        out->value[k] = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(z) : z;
    }
    return status;
}
