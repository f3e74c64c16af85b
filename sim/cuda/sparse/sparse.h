/* libcusparse: CUDA's sparse matrices on the host. A call checks its arguments, notes itself as skipped
 * (poise/cuda_shim.h), reads a matrix into rows of numbers in double precision, computes with one thread in the order
 * of rows, and rounds results once to the program's type. */
#ifndef CUDA_SPARSE_H
#define CUDA_SPARSE_H
#include <stdbool.h>
#include "shared/complex_double.h"
#include "toolkit/cusparse.h"
#include "poise/cuda_shim.h"

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointers;
};
struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
};
struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};
struct cusparseSpVecDescr {
    int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    int64_t rows, columns, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int batches; /* 0: one */
    int64_t stride;
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, nnz;
    void *offsets; /* of rows (CSR) or columns (CSC); COO: the row of each element */
    void *indices; /* columns (CSR, COO) or rows (CSC) */
    void *values;
    cusparseIndexType_t offset, index;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    int batches; /* 0: one */
    int64_t offsets_stride, elements_stride;
};

/* One line on stderr; the status again. */
cusparseStatus_t sparse_refuse(const char *function, cusparseStatus_t status, const char *why);

/* ---- elements ---- */
/* Bytes of an element; 0: a type that is not here. */
size_t sparse_size(cudaDataType type);
double complex sparse_load(const void *values, cudaDataType type, int64_t at);
void sparse_store(void *values, cudaDataType type, int64_t at, double complex value);
size_t sparse_index_size(cusparseIndexType_t type);
int64_t sparse_index(const void *indices, cusparseIndexType_t type, int64_t at);
void sparse_index_store(void *indices, cusparseIndexType_t type, int64_t at, int64_t value);
/* The host's bytes of n elements or indices; of none: any. NULL, told, where the device has no such memory. */
void *sparse_values(const void *device, int64_t n, cudaDataType type);
void *sparse_indices(const void *device, int64_t n, cusparseIndexType_t type);
/* A number of which the handle says whether it is on the host or on the device; false, told, where there is none. */
bool sparse_scalar(cusparseHandle_t handle, const void *pointer, cudaDataType type, double complex *value);

/* ---- a dense matrix on the host; a vector is one column ---- */
struct sparse_dense {
    unsigned char *bytes;
    cudaDataType type;
    int64_t rows, columns, row_step, column_step;
    bool is_conjugate;
};
/* op of a matrix; false, told, where the device has no such memory. */
bool sparse_dense_of(struct sparse_dense *out, const struct cusparseDnMatDescr *m, cusparseOperation_t op);
bool sparse_column_of(struct sparse_dense *out, const struct cusparseDnVecDescr *v);
static inline double complex sparse_at(const struct sparse_dense *m, int64_t row, int64_t column)
{
    const double complex z = sparse_load(m->bytes, m->type, row * m->row_step + column * m->column_step);
    return m->is_conjugate ? conj(z) : z;
}
static inline void sparse_put(const struct sparse_dense *m, int64_t row, int64_t column, double complex value)
{
    sparse_store(m->bytes, m->type, row * m->row_step + column * m->column_step, value);
}

/* ---- op of a sparse matrix as rows; elements of a row in the order in which they are stored ---- */
struct sparse_rows {
    int64_t n, columns;
    int64_t *offsets;       /* n + 1 */
    int64_t *index, *place; /* column, and number in the program's arrays */
    double complex *value;
};
cusparseStatus_t sparse_rows_read(const char *function, struct sparse_rows *out, const struct cusparseSpMatDescr *m,
                                  cusparseOperation_t op);
void sparse_rows_fini(struct sparse_rows *r);
/* n elements of rows and columns, from 0, by row: the order in which each row has them is kept. */
cusparseStatus_t sparse_rows_sort(struct sparse_rows *out, int64_t n_rows, int64_t n_columns, int64_t n,
                                  const int64_t *row, const int64_t *column);

/* ---- batches ---- */
/* The k-th matrix of a batch, as a descriptor of itself. */
struct cusparseDnMatDescr sparse_dense_in_batch(const struct cusparseDnMatDescr *m, int k);
struct cusparseSpMatDescr sparse_matrix_in_batch(const struct cusparseSpMatDescr *m, int k);
/* How many there are, of the numbers of three matrices; 0: the numbers differ, and none of them is one. */
int sparse_batches(int a, int b, int c);

/* At the start of a call: the handle, what must not be, what it costs. A call that a stream can capture adds its other
 * arguments: A() an integer or a pointer to the device, D() a descriptor, N() a number and R() a result that lie where
 * the handle says. */
#define A(name) POISE_CUDA_ARGUMENT(name)
#define D(name) POISE_CUDA_ARGUMENT_AND(name, sizeof *(name))
#define ON_HOST(name, bytes) \
    POISE_CUDA_ARGUMENT_AND(name, handle->pointers == CUSPARSE_POINTER_MODE_HOST ? (bytes) : (size_t)0)
#define N(name, type) ON_HOST(name, sparse_size(type))
#define R(name) ON_HOST(name, POISE_CUDA_RESULT_ON_HOST)
#define SPARSE_SKIP(bad, why, operations, arguments, n) \
    do { \
        if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle"); \
        if (bad) return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, why); \
        const int skipped = poise_cuda_skip(__func__, handle->stream, (uint64_t)(operations), arguments, n); \
        if (skipped) return skipped < 0 ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS; \
    } while (0)
#define SPARSE_BEGIN(bad, why, operations) SPARSE_SKIP(bad, why, operations, NULL, 0)
#define SPARSE_BEGIN_CAPTURED(bad, why, operations, ...) \
    SPARSE_SKIP( \
        bad, why, operations, ((const struct poise_cuda_argument[]){D(handle), __VA_ARGS__}), \
        (sizeof((const struct poise_cuda_argument[]){D(handle), __VA_ARGS__}) / sizeof(struct poise_cuda_argument)))
#define SPARSE_NOT_DEVICE(function) \
    sparse_refuse(function, CUSPARSE_STATUS_EXECUTION_FAILED, "an array is not the device's from its start to its end")
#define SPARSE_NO_MEMORY(function) sparse_refuse(function, CUSPARSE_STATUS_ALLOC_FAILED, "out of memory")
/* What every call for the size of a buffer answers. */
static inline cusparseStatus_t sparse_no_buffer(const char *function, cusparseHandle_t handle, size_t *bytes)
{
    if (!handle) return sparse_refuse(function, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle");
    if (!bytes) return sparse_refuse(function, CUSPARSE_STATUS_INVALID_VALUE, "there is no place for the size");
    *bytes = 8;
    return CUSPARSE_STATUS_SUCCESS;
}
#endif
