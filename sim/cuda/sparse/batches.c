/* Batches: several matrices of one shape, each a stride behind the one before. */
#include "sparse/sparse.h"

static cusparseStatus_t is_wrong(const char *function)
{
    return sparse_refuse(function, CUSPARSE_STATUS_INVALID_VALUE, "no matrix, no number of them, or a negative stride");
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t stride)
{
    if (!m || count < 1 || stride < 0) return is_wrong(__func__);
    m->batches = count, m->stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int *count, int64_t *stride)
{
    if (!m || !count || !stride) return is_wrong(__func__);
    *count = m->batches ? m->batches : 1, *stride = m->stride;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set(const char *function, struct cusparseSpMatDescr *m, cusparseFormat_t format, int count,
                            int64_t offsets_stride, int64_t elements_stride)
{
    if (!m || count < 1 || offsets_stride < 0 || elements_stride < 0) return is_wrong(function);
    if (m->format != format)
        return sparse_refuse(function, CUSPARSE_STATUS_INVALID_VALUE, "the matrix has another format");
    m->batches = count, m->offsets_stride = offsets_stride, m->elements_stride = elements_stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets_stride,
                                            int64_t columns_values_stride)
{
    return set(__func__, m, CUSPARSE_FORMAT_CSR, count, offsets_stride, columns_values_stride);
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t stride)
{
    return set(__func__, m, CUSPARSE_FORMAT_COO, count, stride, stride);
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int *count)
{
    if (!m || !count) return is_wrong(__func__);
    *count = m->batches ? m->batches : 1;
    return CUSPARSE_STATUS_SUCCESS;
}

static void *behind(void *array, int64_t elements, size_t size)
{
    return (unsigned char *)array + elements * (int64_t)size;
}

struct cusparseDnMatDescr sparse_dense_in_batch(const struct cusparseDnMatDescr *m, int k)
{
    struct cusparseDnMatDescr one = *m;
    if (m->batches > 1) one.values = behind(m->values, k * m->stride, sparse_size(m->type));
    return one;
}

struct cusparseSpMatDescr sparse_matrix_in_batch(const struct cusparseSpMatDescr *m, int k)
{
    struct cusparseSpMatDescr one = *m;
    if (m->batches <= 1) return one;
    one.offsets = behind(m->offsets, k * m->offsets_stride, sparse_index_size(m->offset));
    one.indices = behind(m->indices, k * m->elements_stride, sparse_index_size(m->index));
    one.values = behind(m->values, k * m->elements_stride, sparse_size(m->type));
    return one;
}

int sparse_batches(int a, int b, int c)
{
    int n = 1;
    const int counts[] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (counts[i] > 1 && n > 1 && counts[i] != n) return 0;
        else if (counts[i] > 1) n = counts[i];
    return n;
}
