/* Handles, descriptors of vectors and matrices, names of errors. */
#include "sparse/sparse.h"

#include <stdlib.h>

/* clang-format off */
#define STATUSES(S) \
    S(SUCCESS, "success") S(NOT_INITIALIZED, "the library was not initialised") S(ALLOC_FAILED, "no memory") \
    S(INVALID_VALUE, "an argument is out of its range") S(ARCH_MISMATCH, "not on this device") \
    S(MAPPING_ERROR, "memory that the device does not have") S(EXECUTION_FAILED, "the call failed") \
    S(INTERNAL_ERROR, "internal error") S(MATRIX_TYPE_NOT_SUPPORTED, "a type of matrix that is not supported") \
    S(ZERO_PIVOT, "a pivot is zero") S(NOT_SUPPORTED, "not supported") \
    S(INSUFFICIENT_RESOURCES, "not enough resources")
/* clang-format on */
const char *cusparseGetErrorName(cusparseStatus_t status)
{
    switch (status) {
#define S(name, text) \
    case CUSPARSE_STATUS_##name: return "CUSPARSE_STATUS_" #name;
        STATUSES(S)
#undef S
    default: return "unrecognized error code";
    }
}
const char *cusparseGetErrorString(cusparseStatus_t status)
{
    switch (status) {
#define S(name, text) \
    case CUSPARSE_STATUS_##name: return text;
        STATUSES(S)
#undef S
    default: return "unrecognized error code";
    }
}
cusparseStatus_t sparse_refuse(const char *function, cusparseStatus_t status, const char *why)
{
    poise_cuda_refuse(function, cusparseGetErrorName(status), why);
    return status;
}

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "there is no place for the handle");
    if (cudaFree(NULL) != cudaSuccess)
        return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no device");
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSPARSE_STATUS_SUCCESS : SPARSE_NO_MEMORY(__func__);
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle");
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

/* A function that writes what it is asked for, and where it may be left out. */
#define NEED(condition) \
    do { \
        if (!(condition)) \
            return sparse_refuse(__func__, CUSPARSE_STATUS_INVALID_VALUE, "an argument is NULL or out of its range"); \
    } while (0)
#define GIVE(to, value) \
    do { \
        if (to) *(to) = (value); \
    } while (0)

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle");
    NEED(version);
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    const int values[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
    NEED(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
    *value = values[type];
    return CUSPARSE_STATUS_SUCCESS;
}
#define SETTING(What, Type, member) \
    cusparseStatus_t cusparseSet##What(cusparseHandle_t handle, Type value) \
    { \
        if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle"); \
        handle->member = value; \
        return CUSPARSE_STATUS_SUCCESS; \
    } \
    cusparseStatus_t cusparseGet##What(cusparseHandle_t handle, Type *value) \
    { \
        if (!handle) return sparse_refuse(__func__, CUSPARSE_STATUS_NOT_INITIALIZED, "there is no handle"); \
        NEED(value); \
        *value = handle->member; \
        return CUSPARSE_STATUS_SUCCESS; \
    }
SETTING(Stream, cudaStream_t, stream)
SETTING(PointerMode, cusparsePointerMode_t, pointers)

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *matrix)
{
    NEED(matrix);
    *matrix = calloc(1, sizeof **matrix);
    return *matrix ? CUSPARSE_STATUS_SUCCESS : SPARSE_NO_MEMORY(__func__);
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t matrix) { return free(matrix), CUSPARSE_STATUS_SUCCESS; }
#define MATRIX_SETTING(What, Type, member) \
    cusparseStatus_t cusparseSetMat##What(cusparseMatDescr_t matrix, Type value) \
    { \
        NEED(matrix); \
        matrix->member = value; \
        return CUSPARSE_STATUS_SUCCESS; \
    } \
    Type cusparseGetMat##What(const cusparseMatDescr_t matrix) { return matrix->member; }
MATRIX_SETTING(Type, cusparseMatrixType_t, type)
MATRIX_SETTING(FillMode, cusparseFillMode_t, fill)
MATRIX_SETTING(DiagType, cusparseDiagType_t, diag)
MATRIX_SETTING(IndexBase, cusparseIndexBase_t, base)

/* ---- generic descriptors: one that is made of constant arrays is the same ---- */
static void *taken(const void *array) { return (void *)(uintptr_t)array; }
static bool is_index(cusparseIndexType_t type) { return type >= CUSPARSE_INDEX_16U && type <= CUSPARSE_INDEX_64I; }

#define MAKE(kind, to, ...) \
    do { \
        struct cusparse##kind##Descr *made = malloc(sizeof *made); \
        if (!made) return SPARSE_NO_MEMORY(__func__); \
        *made = (struct cusparse##kind##Descr){__VA_ARGS__}; \
        *(to) = made; \
        return CUSPARSE_STATUS_SUCCESS; \
    } while (0)
#define DESTROY(kind) \
    cusparseStatus_t cusparseDestroy##kind(cusparseConst##kind##Descr_t it) \
    { \
        free(taken(it)); \
        return CUSPARSE_STATUS_SUCCESS; \
    }
#define VALUES(kind) \
    cusparseStatus_t cusparse##kind##GetValues(cusparse##kind##Descr_t it, void **values) \
    { \
        NEED(it &&values); \
        *values = it->values; \
        return CUSPARSE_STATUS_SUCCESS; \
    } \
    cusparseStatus_t cusparse##kind##SetValues(cusparse##kind##Descr_t it, void *values) \
    { \
        NEED(it &&values); \
        it->values = values; \
        return CUSPARSE_STATUS_SUCCESS; \
    }
DESTROY(SpVec)
DESTROY(DnVec)
DESTROY(SpMat)
DESTROY(DnMat)
VALUES(SpVec)
VALUES(DnVec)
VALUES(SpMat)
VALUES(DnMat)

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vector, int64_t size, int64_t nnz,
                                          const void *indices, const void *values, cusparseIndexType_t index,
                                          cusparseIndexBase_t base, cudaDataType type)
{
    NEED(vector && size >= 0 && nnz >= 0 && nnz <= size && is_index(index) && sparse_size(type));
    MAKE(SpVec, vector, size, nnz, taken(indices), taken(values), index, base, type);
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vector, int64_t size, int64_t nnz, void *indices,
                                     void *values, cusparseIndexType_t index, cusparseIndexBase_t base,
                                     cudaDataType type)
{
    return cusparseCreateConstSpVec((cusparseConstSpVecDescr_t *)vector, size, nnz, indices, values, index, base, type);
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector, int64_t size, const void *values,
                                          cudaDataType type)
{
    NEED(vector && size >= 0 && sparse_size(type));
    MAKE(DnVec, vector, size, taken(values), type);
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values, cudaDataType type)
{
    return cusparseCreateConstDnVec((cusparseConstDnVecDescr_t *)vector, size, values, type);
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t ld,
                                          const void *values, cudaDataType type, cusparseOrder_t order)
{
    NEED(matrix && rows >= 0 && columns >= 0 && sparse_size(type));
    NEED(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW);
    NEED(ld >= (order == CUSPARSE_ORDER_COL ? rows : columns));
    MAKE(DnMat, matrix, rows, columns, ld, taken(values), type, order, 0, 0);
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t ld,
                                     void *values, cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateConstDnMat((cusparseConstDnMatDescr_t *)matrix, rows, columns, ld, values, type, order);
}
#define COMPRESSED(format) \
    NEED(matrix &&rows >= 0 && columns >= 0 && nnz >= 0 && is_index(offset) && is_index(index) && sparse_size(type)); \
    MAKE(SpMat, matrix, format, rows, columns, nnz, taken(offsets), taken(indices), taken(values), offset, index, \
         base, type, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT, 0, 0, 0)
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t nnz,
                                        const void *offsets, const void *indices, const void *values,
                                        cusparseIndexType_t offset, cusparseIndexType_t index, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    COMPRESSED(CUSPARSE_FORMAT_CSR);
}
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t nnz,
                                        const void *offsets, const void *indices, const void *values,
                                        cusparseIndexType_t offset, cusparseIndexType_t index, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    COMPRESSED(CUSPARSE_FORMAT_CSC);
}
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t nnz,
                                        const void *offsets, const void *indices, const void *values,
                                        cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    const cusparseIndexType_t offset = index;
    COMPRESSED(CUSPARSE_FORMAT_COO);
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t nnz,
                                   void *offsets, void *indices, void *values, cusparseIndexType_t offset,
                                   cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateConstCsr((cusparseConstSpMatDescr_t *)matrix, rows, columns, nnz, offsets, indices, values,
                                  offset, index, base, type);
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t nnz,
                                   void *offsets, void *indices, void *values, cusparseIndexType_t offset,
                                   cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateConstCsc((cusparseConstSpMatDescr_t *)matrix, rows, columns, nnz, offsets, indices, values,
                                  offset, index, base, type);
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t nnz,
                                   void *row_indices, void *column_indices, void *values, cusparseIndexType_t index,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateConstCoo((cusparseConstSpMatDescr_t *)matrix, rows, columns, nnz, row_indices, column_indices,
                                  values, index, base, type);
}

/* ---- what a descriptor says, and what is set in it ---- */
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t v, int64_t *size, int64_t *nnz, void **indices, void **values,
                                  cusparseIndexType_t *index, cusparseIndexBase_t *base, cudaDataType *type)
{
    NEED(v);
    GIVE(size, v->size);
    GIVE(nnz, v->nnz);
    GIVE(indices, v->indices);
    GIVE(values, v->values);
    GIVE(index, v->index);
    GIVE(base, v->base);
    GIVE(type, v->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t v, cusparseIndexBase_t *base)
{
    NEED(v && base);
    *base = v->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *size, void **values, cudaDataType *type)
{
    NEED(v);
    GIVE(size, v->size);
    GIVE(values, v->values);
    GIVE(type, v->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *ld, void **values,
                                  cudaDataType *type, cusparseOrder_t *order)
{
    NEED(m);
    GIVE(rows, m->rows);
    GIVE(columns, m->columns);
    GIVE(ld, m->ld);
    GIVE(values, m->values);
    GIVE(type, m->type);
    GIVE(order, m->order);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *nnz, void **offsets,
                                void **indices, void **values, cusparseIndexType_t *offset, cusparseIndexType_t *index,
                                cusparseIndexBase_t *base, cudaDataType *type)
{
    NEED(m);
    GIVE(rows, m->rows);
    GIVE(columns, m->columns);
    GIVE(nnz, m->nnz);
    GIVE(offsets, m->offsets);
    GIVE(indices, m->indices);
    GIVE(values, m->values);
    GIVE(offset, m->offset);
    GIVE(index, m->index);
    GIVE(base, m->base);
    GIVE(type, m->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *nnz, void **offsets,
                                void **indices, void **values, cusparseIndexType_t *offset, cusparseIndexType_t *index,
                                cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseCsrGet(m, rows, columns, nnz, offsets, indices, values, offset, index, base, type);
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *nnz,
                                void **row_indices, void **column_indices, void **values, cusparseIndexType_t *index,
                                cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseCsrGet(m, rows, columns, nnz, row_indices, column_indices, values, NULL, index, base, type);
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *indices, void *values)
{
    NEED(m);
    m->offsets = offsets, m->indices = indices, m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void *offsets, void *indices, void *values)
{
    return cusparseCsrSetPointers(m, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void *rows, void *columns, void *values)
{
    return cusparseCsrSetPointers(m, rows, columns, values);
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *format)
{
    NEED(m && format);
    *format = m->format;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t *base)
{
    NEED(m && base);
    *base = m->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *nnz)
{
    NEED(m);
    GIVE(rows, m->rows);
    GIVE(columns, m->columns);
    GIVE(nnz, m->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    NEED(m && data && size == sizeof(int));
    *(int *)data = attribute == CUSPARSE_SPMAT_FILL_MODE ? (int)m->fill : (int)m->diag;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    NEED(m && data && size == sizeof(int));
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) m->fill = *(const cusparseFillMode_t *)data;
    if (attribute == CUSPARSE_SPMAT_DIAG_TYPE) m->diag = *(const cusparseDiagType_t *)data;
    return CUSPARSE_STATUS_SUCCESS;
}
