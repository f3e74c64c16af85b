/* Products of sparse and dense vectors and matrices. */
#include "sparse/sparse.h"

#include <stdlib.h>

/* ---- a sparse vector on the host ---- */
struct pairs {
    const void *indices;
    void *values;
};
/* False, told: no memory of the device, or an index that the vector does not have. */
static bool pairs_of(const char *function, struct pairs *out, const struct cusparseSpVecDescr *x)
{
    out->indices = sparse_indices(x->indices, x->nnz, x->index);
    out->values = sparse_values(x->values, x->nnz, x->type);
    if (!out->indices || !out->values) return SPARSE_NOT_DEVICE(function), false;
    for (int64_t k = 0; k < x->nnz; k++) {
        const int64_t at = sparse_index(out->indices, x->index, k) - x->base;
        if (at >= 0 && at < x->size) continue;
        sparse_refuse(function, CUSPARSE_STATUS_EXECUTION_FAILED, "an index is beyond the vector");
        return false;
    }
    return true;
}
static int64_t index_at(const struct pairs *p, const struct cusparseSpVecDescr *x, int64_t k)
{
    return sparse_index(p->indices, x->index, k) - x->base;
}
/* Both vectors of a call; from here on y's element of x's k-th is dense.bytes at index_at. */
#define BOTH(must, cost, ...) \
    struct pairs pairs; \
    struct sparse_dense dense; \
    SPARSE_BEGIN_CAPTURED(!x || !y || x->size != y->size || !(must), \
                          "vectors or numbers are missing, or of several sizes", cost, __VA_ARGS__); \
    if (!pairs_of(__func__, &pairs, x)) return CUSPARSE_STATUS_EXECUTION_FAILED; \
    if (!sparse_column_of(&dense, y)) return SPARSE_NOT_DEVICE(__func__)

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y)
{
    double complex a, b;
    BOTH(alpha && beta, 2 * y->size, N(alpha, y->type), D(x), N(beta, y->type), D(y));
    if (!sparse_scalar(handle, alpha, y->type, &a) || !sparse_scalar(handle, beta, y->type, &b))
        return SPARSE_NOT_DEVICE(__func__);
    if (b != 1)
        for (int64_t i = 0; i < y->size; i++) sparse_put(&dense, i, 0, complex_times(b, sparse_at(&dense, i, 0)));
    for (int64_t k = 0; k < x->nnz; k++) {
        const int64_t at = index_at(&pairs, x, k);
        const double complex product = complex_times(a, sparse_load(pairs.values, x->type, k));
        sparse_put(&dense, at, 0, sparse_at(&dense, at, 0) + product);
    }
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
    BOTH(true, x->nnz, D(y), D(x));
    for (int64_t k = 0; k < x->nnz; k++)
        sparse_store(pairs.values, x->type, k, sparse_at(&dense, index_at(&pairs, x, k), 0));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
    BOTH(true, x->nnz, D(x), D(y));
    for (int64_t k = 0; k < x->nnz; k++)
        sparse_put(&dense, index_at(&pairs, x, k), 0, sparse_load(pairs.values, x->type, k));
    return CUSPARSE_STATUS_SUCCESS;
}
/* x := c x + s y, y := c y - conj(s) x, where x has elements. */
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y)
{
    double complex cosine, sine;
    BOTH(c && s, 6 * x->nnz, N(c, y->type), N(s, y->type), D(x), D(y));
    if (!sparse_scalar(handle, c, y->type, &cosine) || !sparse_scalar(handle, s, y->type, &sine))
        return SPARSE_NOT_DEVICE(__func__);
    for (int64_t k = 0; k < x->nnz; k++) {
        const int64_t at = index_at(&pairs, x, k);
        const double complex u = sparse_load(pairs.values, x->type, k), v = sparse_at(&dense, at, 0);
        sparse_store(pairs.values, x->type, k, complex_times(cosine, u) + complex_times(sine, v));
        sparse_put(&dense, at, 0, complex_times(cosine, v) - complex_times(conj(sine), u));
    }
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void *result, cudaDataType compute,
                                         size_t *bytes)
{
    (void)op, (void)x, (void)y, (void)result, (void)compute;
    return sparse_no_buffer(__func__, handle, bytes);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType compute, void *buffer)
{
    (void)buffer;
    BOTH(result && sparse_size(compute), 2 * x->nnz, A(op), D(x), D(y), R(result), A(compute), A(buffer));
    void *to = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE ? sparse_values(result, 1, compute) : result;
    if (!to) return SPARSE_NOT_DEVICE(__func__);
    double complex sum = 0;
    for (int64_t k = 0; k < x->nnz; k++) {
        const double complex u = sparse_load(pairs.values, x->type, k);
        sum += complex_times(op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(u) : u,
                             sparse_at(&dense, index_at(&pairs, x, k), 0));
    }
    sparse_store(to, compute, 0, sum);
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- matrices: c := alpha a b + beta c; where beta is 0, c is not read ---- */
struct scalars {
    double complex alpha, beta;
};
static double complex combined(struct scalars s, double complex product, double complex old)
{
    const double complex scaled = complex_times(s.alpha, product);
    return s.beta == 0 ? scaled : scaled + complex_times(s.beta, old);
}
static void multiply(const struct sparse_rows *a, const struct sparse_dense *b, const struct sparse_dense *c,
                     struct scalars s)
{
    for (int64_t j = 0; j < c->columns; j++)
        for (int64_t i = 0; i < a->n; i++) {
            double complex sum = 0;
            for (int64_t k = a->offsets[i]; k < a->offsets[i + 1]; k++)
                sum += complex_times(a->value[k], sparse_at(b, a->index[k], j));
            sparse_put(c, i, j, combined(s, sum, s.beta == 0 ? 0 : sparse_at(c, i, j)));
        }
}
static bool scalars_of(struct scalars *s, cusparseHandle_t handle, const void *alpha, const void *beta,
                       cudaDataType compute)
{
    return sparse_scalar(handle, alpha, compute, &s->alpha) && sparse_scalar(handle, beta, compute, &s->beta);
}

POISE_SPMV(_bufferSize, size_t *bytes)
{
    (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)compute, (void)algorithm;
    return sparse_no_buffer(__func__, handle, bytes);
}
POISE_SPMV(_preprocess, void *buffer)
{
    (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)compute, (void)algorithm, (void)buffer;
    return handle ? CUSPARSE_STATUS_SUCCESS
                  : sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle");
}
POISE_SPMV(, void *buffer)
{
    (void)algorithm, (void)buffer;
    const bool is_turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    struct sparse_rows rows;
    struct sparse_dense from, to;
    struct scalars s;
    SPARSE_BEGIN_CAPTURED(!a || !x || !y || !alpha || !beta || !sparse_size(compute) ||
                              x->size != (is_turned ? a->rows : a->columns) ||
                              y->size != (is_turned ? a->columns : a->rows),
                          "matrix, vectors or numbers are missing, or their sizes do not fit", 2 * a->nnz, A(op),
                          N(alpha, compute), D(a), D(x), N(beta, compute), D(y), A(compute), A(algorithm), A(buffer));
    if (!sparse_column_of(&from, x) || !sparse_column_of(&to, y) || !scalars_of(&s, handle, alpha, beta, compute))
        return SPARSE_NOT_DEVICE(__func__);
    const cusparseStatus_t status = sparse_rows_read(__func__, &rows, a, op);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    multiply(&rows, &from, &to, s);
    sparse_rows_fini(&rows);
    return CUSPARSE_STATUS_SUCCESS;
}

POISE_SPMM(_bufferSize, size_t *bytes)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute, (void)algorithm;
    return sparse_no_buffer(__func__, handle, bytes);
}
POISE_SPMM(_preprocess, void *buffer)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute, (void)algorithm;
    (void)buffer;
    return handle ? CUSPARSE_STATUS_SUCCESS
                  : sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle");
}
static cusparseStatus_t spmm_one(const char *function, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                 const struct cusparseSpMatDescr *a, const struct cusparseDnMatDescr *b,
                                 const struct cusparseDnMatDescr *c, struct scalars s)
{
    struct sparse_rows rows;
    struct sparse_dense from, to;
    if (!sparse_dense_of(&from, b, op_b) || !sparse_dense_of(&to, c, CUSPARSE_OPERATION_NON_TRANSPOSE))
        return SPARSE_NOT_DEVICE(function);
    const cusparseStatus_t status = sparse_rows_read(function, &rows, a, op_a);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    const bool fits = rows.columns == from.rows && rows.n == to.rows && from.columns == to.columns;
    if (fits) multiply(&rows, &from, &to, s);
    sparse_rows_fini(&rows);
    return fits ? CUSPARSE_STATUS_SUCCESS
                : sparse_refuse(function, CUSPARSE_STATUS_INVALID_VALUE, "the matrices' sizes do not fit");
}
static cusparseStatus_t refuse_batches(const char *function)
{
    return sparse_refuse(function, CUSPARSE_STATUS_INVALID_VALUE, "batches of different numbers of matrices");
}
POISE_SPMM(, void *buffer)
{
    (void)algorithm, (void)buffer;
    struct scalars s;
    SPARSE_BEGIN_CAPTURED(!a || !b || !c || !alpha || !beta || !sparse_size(compute), "matrices or numbers are missing",
                          2 * a->nnz * c->columns * sparse_batches(a->batches, b->batches, c->batches), A(op_a),
                          A(op_b), N(alpha, compute), D(a), D(b), N(beta, compute), D(c), A(compute), A(algorithm),
                          A(buffer));
    const int n = sparse_batches(a->batches, b->batches, c->batches);
    if (n == 0 || (n > 1 && c->batches != n)) return refuse_batches(__func__);
    if (!scalars_of(&s, handle, alpha, beta, compute)) return SPARSE_NOT_DEVICE(__func__);
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    for (int k = 0; k < n && status == CUSPARSE_STATUS_SUCCESS; k++) {
        const struct cusparseSpMatDescr a_k = sparse_matrix_in_batch(a, k);
        const struct cusparseDnMatDescr b_k = sparse_dense_in_batch(b, k), c_k = sparse_dense_in_batch(c, k);
        status = spmm_one(__func__, op_a, op_b, &a_k, &b_k, &c_k, s);
    }
    return status;
}

/* c := alpha (a b, where c has elements) + beta c. */
POISE_SDDMM(_bufferSize, size_t *bytes)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute, (void)algorithm;
    return sparse_no_buffer(__func__, handle, bytes);
}
POISE_SDDMM(_preprocess, void *buffer)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute, (void)algorithm;
    (void)buffer;
    return handle ? CUSPARSE_STATUS_SUCCESS
                  : sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle");
}
static cusparseStatus_t sddmm_one(const char *function, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                  const struct cusparseDnMatDescr *a, const struct cusparseDnMatDescr *b,
                                  const struct cusparseSpMatDescr *c, struct scalars s)
{
    struct sparse_rows rows;
    struct sparse_dense u, v;
    if (!sparse_dense_of(&u, a, op_a) || !sparse_dense_of(&v, b, op_b)) return SPARSE_NOT_DEVICE(function);
    if (u.rows != c->rows || v.columns != c->columns || u.columns != v.rows)
        return sparse_refuse(function, CUSPARSE_STATUS_INVALID_VALUE, "the matrices' sizes do not fit");
    const cusparseStatus_t status = sparse_rows_read(function, &rows, c, CUSPARSE_OPERATION_NON_TRANSPOSE);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    void *values = sparse_values(c->values, c->nnz, c->type);
    for (int64_t i = 0; i < rows.n; i++)
        for (int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; k++) {
            double complex sum = 0;
            for (int64_t l = 0; l < u.columns; l++)
                sum += complex_times(sparse_at(&u, i, l), sparse_at(&v, l, rows.index[k]));
            sparse_store(values, c->type, rows.place[k], combined(s, sum, rows.value[k]));
        }
    sparse_rows_fini(&rows);
    return CUSPARSE_STATUS_SUCCESS;
}
POISE_SDDMM(, void *buffer)
{
    (void)algorithm, (void)buffer;
    struct scalars s;
    SPARSE_BEGIN_CAPTURED(!a || !b || !c || !alpha || !beta || !sparse_size(compute), "matrices or numbers are missing",
                          2 * c->nnz * a->columns * sparse_batches(a->batches, b->batches, c->batches), A(op_a),
                          A(op_b), N(alpha, compute), D(a), D(b), N(beta, compute), D(c), A(compute), A(algorithm),
                          A(buffer));
    const int n = sparse_batches(a->batches, b->batches, c->batches);
    if (n == 0 || (n > 1 && c->batches != n)) return refuse_batches(__func__);
    if (!scalars_of(&s, handle, alpha, beta, compute)) return SPARSE_NOT_DEVICE(__func__);
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    for (int k = 0; k < n && status == CUSPARSE_STATUS_SUCCESS; k++) {
        const struct cusparseDnMatDescr a_k = sparse_dense_in_batch(a, k), b_k = sparse_dense_in_batch(b, k);
        const struct cusparseSpMatDescr c_k = sparse_matrix_in_batch(c, k);
        status = sddmm_one(__func__, op_a, op_b, &a_k, &b_k, &c_k, s);
    }
    return status;
}

/* ---- a sparse product of sparse matrices ---- */
struct cusparseSpGEMMDescr {
    int64_t rows, nnz, room;
    int64_t *offsets, *index;
    double complex *value;
};
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *product)
{
    if (!product) return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "there is no place for it");
    *product = calloc(1, sizeof **product);
    return *product ? CUSPARSE_STATUS_SUCCESS : SPARSE_NO_MEMORY(__func__);
}
static void product_clear(cusparseSpGEMMDescr_t p)
{
    free(p->offsets);
    free(p->index);
    free(p->value);
    *p = (struct cusparseSpGEMMDescr){0};
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product)
{
    if (product) product_clear(product);
    free(product);
    return CUSPARSE_STATUS_SUCCESS;
}
POISE_SPGEMM(_workEstimation, cusparseSpGEMMDescr_t product, size_t *bytes, void *buffer)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)compute, (void)algorithm;
    (void)product, (void)buffer;
    return sparse_no_buffer(__func__, handle, bytes);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
/* The columns of one row of the product, in their order, with their sums; -1: out of memory. */
static int append_row(cusparseSpGEMMDescr_t p, const struct sparse_rows *a, const struct sparse_rows *b, int64_t i,
                      double complex *sums, int64_t *seen)
{
    const int64_t first = p->nnz;
    for (int64_t k = a->offsets[i]; k < a->offsets[i + 1]; k++)
        for (int64_t l = b->offsets[a->index[k]]; l < b->offsets[a->index[k] + 1]; l++) {
            const int64_t column = b->index[l];
            if (seen[column] != i + 1) {
                if (p->nnz == p->room) {
                    const int64_t room = 2 * p->room + 64;
                    int64_t *index = realloc(p->index, (size_t)room * sizeof *index);
                    if (!index) return -1;
                    p->index = index;
                    p->room = room;
                }
                seen[column] = i + 1;
                sums[column] = 0;
                p->index[p->nnz++] = column;
            }
            sums[column] += complex_times(a->value[k], b->value[l]);
        }
    if (p->nnz > first) qsort(p->index + first, (size_t)(p->nnz - first), sizeof *p->index, by_value);
    double complex *value = realloc(p->value, ((size_t)p->nnz + 1) * sizeof *value);
    if (!value) return -1;
    p->value = value;
    for (int64_t k = first; k < p->nnz; k++) value[k] = sums[p->index[k]];
    p->offsets[i + 1] = p->nnz;
    return 0;
}
static int product_of(cusparseSpGEMMDescr_t p, const struct sparse_rows *a, const struct sparse_rows *b)
{
    double complex *sums = malloc(((size_t)b->columns + 1) * sizeof *sums);
    int64_t *seen = calloc((size_t)b->columns + 1, sizeof *seen);
    int result = sums && seen ? 0 : -1;
    p->rows = a->n;
    p->offsets = calloc((size_t)a->n + 1, sizeof *p->offsets);
    if (!p->offsets) result = -1;
    for (int64_t i = 0; result == 0 && i < a->n; i++) result = append_row(p, a, b, i, sums, seen);
    free(sums);
    free(seen);
    return result;
}
POISE_SPGEMM(_compute, cusparseSpGEMMDescr_t product, size_t *bytes, void *buffer)
{
    (void)algorithm;
    struct sparse_rows u = {0}, v = {0};
    struct scalars s;
    if (!buffer) return sparse_no_buffer(__func__, handle, bytes);
    SPARSE_BEGIN(!a || !b || !c || !product || !alpha || !beta || !sparse_size(compute) || a->columns != b->rows ||
                     c->rows != a->rows || c->columns != b->columns,
                 "matrices or numbers are missing, or their sizes do not fit", 4 * (a->nnz + b->nnz));
    if (!scalars_of(&s, handle, alpha, beta, compute)) return SPARSE_NOT_DEVICE(__func__);
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b != CUSPARSE_OPERATION_NON_TRANSPOSE || s.beta != 0 ||
        c->format != CUSPARSE_FORMAT_CSR)
        return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_SUPPORTED,
                             "products are of matrices that are not transposed, in CSR, with beta 0");
    cusparseStatus_t status = sparse_rows_read(__func__, &u, a, op_a);
    if (status == CUSPARSE_STATUS_SUCCESS) status = sparse_rows_read(__func__, &v, b, op_b);
    product_clear(product);
    if (status == CUSPARSE_STATUS_SUCCESS && product_of(product, &u, &v) < 0) status = SPARSE_NO_MEMORY(__func__);
    for (int64_t k = 0; status == CUSPARSE_STATUS_SUCCESS && k < product->nnz; k++)
        product->value[k] = complex_times(s.alpha, product->value[k]);
    sparse_rows_fini(&u);
    sparse_rows_fini(&v);
    c->nnz = product->nnz;
    return status;
}
POISE_SPGEMM(_copy, cusparseSpGEMMDescr_t product)
{
    (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)compute, (void)algorithm;
    SPARSE_BEGIN(!c || !product || !product->offsets || c->rows != product->rows || c->nnz != product->nnz,
                 "the product is not computed, or the matrix is another", product->nnz);
    void *offsets = sparse_indices(c->offsets, c->rows + 1, c->offset),
         *indices = sparse_indices(c->indices, c->nnz, c->index), *values = sparse_values(c->values, c->nnz, c->type);
    if (!offsets || !indices || !values) return SPARSE_NOT_DEVICE(__func__);
    for (int64_t i = 0; i <= c->rows; i++) sparse_index_store(offsets, c->offset, i, product->offsets[i] + c->base);
    for (int64_t k = 0; k < c->nnz; k++) {
        sparse_index_store(indices, c->index, k, product->index[k] + c->base);
        sparse_store(values, c->type, k, product->value[k]);
    }
    return CUSPARSE_STATUS_SUCCESS;
}
