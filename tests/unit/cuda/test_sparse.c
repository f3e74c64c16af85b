/* Sparse matrices: triangular systems against products of the same triangle, pivots that are zero, halves, and
 * matrices that are none. */
#include "rig.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sparse/sparse.h"

static void *device_of(const void *host, size_t bytes)
{
    void *p = NULL;
    assert_int_equal(cudaSuccess, cudaMalloc(&p, bytes));
    assert_int_equal(cudaSuccess, cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice));
    return p;
}
static void fetch(void *host, const void *device, size_t bytes)
{
    assert_int_equal(cudaSuccess, cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}
#define OK(call) assert_int_equal(CUSPARSE_STATUS_SUCCESS, call)

enum { N = 5 };
static const double dense[N][N] = {{4, 1, 0, 2, 0}, {1, 5, 1, 0, 0}, {0, 3, 4, 0, 1}, {2, 0, 0, 8, 1}, {0, 0, 1, 2, 2}};

/* `dense` in CSR, from 1. */
static cusparseSpMatDescr_t csr(void **values)
{
    int offsets[N + 1], columns[N * N], n = 0;
    double elements[N * N];
    cusparseSpMatDescr_t m;
    for (int i = 0; i < N; i++) {
        offsets[i] = n + 1;
        for (int j = 0; j < N; j++)
            if (dense[i][j] != 0) columns[n] = j + 1, elements[n++] = dense[i][j];
    }
    offsets[N] = n + 1;
    *values = device_of(elements, (size_t)n * sizeof *elements);
    OK(cusparseCreateCsr(&m, N, N, n, device_of(offsets, sizeof offsets),
                         device_of(columns, (size_t)n * sizeof *columns), *values, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F));
    return m;
}
static void drop(cusparseSpMatDescr_t m)
{
    cudaFree(m->offsets);
    cudaFree(m->indices);
    cudaFree(m->values);
    OK(cusparseDestroySpMat(m));
}

static void a_triangle_is_solved_whichever_way_it_is_turned(void **state)
{
    const double right[N] = {1, -2, 3, 5, -7}, alpha = 2;
    cusparseHandle_t h;
    void *values, *x = device_of(right, sizeof right), *y = device_of(right, sizeof right);
    (void)state;
    OK(cusparseCreate(&h));
    cusparseSpMatDescr_t m = csr(&values);
    cusparseDnVecDescr_t u, v;
    cusparseSpSVDescr_t solve;
    OK(cusparseCreateDnVec(&u, N, x, CUDA_R_64F));
    OK(cusparseCreateDnVec(&v, N, y, CUDA_R_64F));
    OK(cusparseSpSV_createDescr(&solve));
    assert_int_equal(CUSPARSE_STATUS_INVALID_VALUE,
                     cusparseSpSV_solve(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, m, u, v, CUDA_R_64F,
                                        CUSPARSE_SPSV_ALG_DEFAULT, solve));
    for (int way = 0; way < 8; way++) {
        cusparseFillMode_t fill = way & 1 ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
        cusparseDiagType_t diag = way & 2 ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
        const cusparseOperation_t op = way & 4 ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
        double got[N];
        OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
        OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
        OK(cusparseSpSV_analysis(h, op, &alpha, m, u, v, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, solve, NULL));
        OK(cusparseSpSV_solve(h, op, &alpha, m, u, v, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, solve));
        fetch(got, y, sizeof got);
        for (int i = 0; i < N; i++) {
            double sum = way & 2 ? got[i] : dense[i][i] * got[i];
            for (int j = 0; j < N; j++) {
                const int row = way & 4 ? j : i, column = way & 4 ? i : j;
                if (way & 1 ? column > row : column < row) sum += dense[row][column] * got[j];
            }
            assert_true(fabs(sum - alpha * right[i]) < 1e-12);
        }
    }
    OK(cusparseSpSV_destroyDescr(solve));
    OK(cusparseDestroyDnVec(u));
    OK(cusparseDestroyDnVec(v));
    drop(m);
    cudaFree(x);
    cudaFree(y);
    OK(cusparseDestroy(h));
}

static void a_pivot_that_is_zero_is_named_by_its_row(void **state)
{
    const int offsets[] = {1, 3, 5, 6}, columns[] = {1, 2, 1, 2, 3}; /* 1 2 / 2 4 / 3: the second pivot is 4 - 2 * 2 */
    const float values[] = {1, 2, 2, 4, 3};
    void *a = device_of(offsets, sizeof offsets), *b = device_of(columns, sizeof columns),
         *v = device_of(values, sizeof values);
    cusparseHandle_t h;
    cusparseMatDescr_t m;
    csrilu02Info_t info;
    int position = 0;
    float got[5];
    (void)state;
    OK(cusparseCreate(&h));
    OK(cusparseCreateMatDescr(&m));
    OK(cusparseSetMatIndexBase(m, CUSPARSE_INDEX_BASE_ONE));
    OK(cusparseCreateCsrilu02Info(&info));
    OK(cusparseScsrilu02(h, 3, 5, m, v, a, b, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));
    assert_int_equal(CUSPARSE_STATUS_ZERO_PIVOT, cusparseXcsrilu02_zeroPivot(h, info, &position));
    assert_int_equal(2, position);
    fetch(got, v, sizeof got);
    assert_true(got[2] == 2 && got[3] == 0 && got[4] == 3);
    OK(cusparseDestroyCsrilu02Info(info));
    OK(cusparseDestroyMatDescr(m));
    OK(cusparseDestroy(h));
    cudaFree(a);
    cudaFree(b);
    cudaFree(v);
}

static void matrices_that_are_none_are_refused_and_nothing_is_written(void **state)
{
    static const int offsets[][4] = {{0, 2, 1, 3}, {1, 2, 2, 3}, {0, 1, 2, 2}, {0, 1, 2, 9}};
    const int columns[] = {0, 2, 1};
    const float values[] = {1, 2, 3}, ones[] = {1, 1, 1}, one = 1;
    cusparseHandle_t h;
    void *b = device_of(columns, sizeof columns), *v = device_of(values, sizeof values),
         *x = device_of(ones, sizeof ones);
    float got[3];
    (void)state;
    OK(cusparseCreate(&h));
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        void *a = device_of(offsets[i], sizeof offsets[i]);
        cusparseSpMatDescr_t m;
        cusparseDnVecDescr_t u;
        OK(cusparseCreateCsr(&m, 3, 3, 3, a, b, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_32F));
        OK(cusparseCreateDnVec(&u, 3, x, CUDA_R_32F));
        assert_int_equal(CUSPARSE_STATUS_EXECUTION_FAILED,
                         cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, u, &one, u, CUDA_R_32F,
                                      CUSPARSE_SPMV_ALG_DEFAULT, NULL));
        OK(cusparseDestroySpMat(m));
        OK(cusparseDestroyDnVec(u));
        cudaFree(a);
    }
    fetch(got, x, sizeof got);
    assert_memory_equal(ones, got, sizeof got);
    assert_int_equal(CUSPARSE_STATUS_INVALID_VALUE, cusparseCreateDnVec(NULL, 3, x, CUDA_R_32F));
    assert_string_equal("CUSPARSE_STATUS_ZERO_PIVOT", cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT));
    OK(cusparseDestroy(h));
    cudaFree(b);
    cudaFree(v);
    cudaFree(x);
}

/* The matrix gets arrays for two, the second `stride` elements behind the first: the same pattern, and zeros. */
static void lay_twice(cusparseSpMatDescr_t m, double *zeros, int stride)
{
    const size_t bytes = 2 * (size_t)stride * sizeof *zeros;
    int *columns = calloc(2 * (size_t)stride, sizeof *columns);
    memset(zeros, 0, bytes);
    fetch(columns, m->indices, (size_t)m->nnz * sizeof *columns);
    memcpy(columns + stride, columns, (size_t)m->nnz * sizeof *columns);
    m->indices = device_of(columns, 2 * (size_t)stride * sizeof *columns);
    m->values = device_of(zeros, bytes);
    free(columns);
}

/* Two products of dense matrices at the places of one pattern; the right factor is the same for both. */
static void a_batch_is_its_matrices_one_by_one(void **state)
{
    enum { K = 2, STRIDE = 16 };
    double left[2][N][K], right[K][N], got[2 * STRIDE];
    const double alpha = 2, beta = 1;
    void *values;
    cusparseHandle_t h;
    cusparseDnMatDescr_t a, b, c;
    (void)state;
    OK(cusparseCreate(&h));
    for (int i = 0; i < 2 * N * K; i++) (&left[0][0][0])[i] = i + 1;
    for (int i = 0; i < K * N; i++) (&right[0][0])[i] = i - 3;
    void *u = device_of(left, sizeof left), *v = device_of(right, sizeof right), *w = device_of(left, sizeof left);
    cusparseSpMatDescr_t m = csr(&values);
    OK(cusparseCreateDnMat(&a, N, K, K, u, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    OK(cusparseCreateDnMat(&b, K, N, N, v, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    OK(cusparseCreateDnMat(&c, N, K, K, w, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    void *old_indices = m->indices;
    lay_twice(m, got, STRIDE);
    OK(cusparseDnMatSetStridedBatch(a, 2, (int64_t)N * K));
    OK(cusparseCsrSetStridedBatch(m, 2, 0, STRIDE));
    OK(cusparseSDDMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, b, &beta, m,
                     CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, NULL));
    fetch(got, m->values, sizeof got);
    for (int k = 0; k < 2; k++)
        for (int i = 0, n = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (dense[i][j] != 0)
                    assert_true(got[k * STRIDE + n++] ==
                                2 * (left[k][i][0] * right[0][j] + left[k][i][1] * right[1][j]));
    /* c := 2 m a + c, a batch of two */
    double sums[2][N][K];
    OK(cusparseDnMatSetStridedBatch(c, 2, (int64_t)N * K));
    OK(cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, m, a, &beta, c,
                    CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    fetch(sums, w, sizeof sums);
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        for (int j = 0, n = k * STRIDE; j < N; j++)
            if (dense[0][j] != 0) sum += got[n++] * left[k][j][1];
        assert_true(sums[k][0][1] == 2 * sum + left[k][0][1]);
    }
    OK(cusparseDnMatSetStridedBatch(c, 3, (int64_t)N * K));
    assert_int_equal(CUSPARSE_STATUS_INVALID_VALUE,
                     cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, m, a,
                                  &beta, c, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    assert_int_equal(CUSPARSE_STATUS_INVALID_VALUE, cusparseCooSetStridedBatch(m, 2, STRIDE));
    cudaFree(old_indices);
    cudaFree(values);
    drop(m);
    OK(cusparseDestroyDnMat(a));
    OK(cusparseDestroyDnMat(b));
    OK(cusparseDestroyDnMat(c));
    OK(cusparseDestroy(h));
    cudaFree(u);
    cudaFree(v);
    cudaFree(w);
}

static void elements_of_every_type_come_back(void **state)
{
    static const cudaDataType types[] = {CUDA_R_8I,  CUDA_R_16F, CUDA_R_16BF, CUDA_R_32I,
                                         CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,  CUDA_C_64F};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double room[4] = {0};
        const bool is_complex = types[i] == CUDA_C_32F || types[i] == CUDA_C_64F;
        const double complex z = CMPLX(-3, is_complex ? 0.5 : 0);
        assert_int_not_equal(0, sparse_size(types[i]));
        sparse_store(room, types[i], 1, z);
        assert_true(sparse_load(room, types[i], 1) == z);
        assert_true(sparse_load(room, types[i], 0) == 0);
    }
    assert_int_equal(0, sparse_size(CUDA_R_4I));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_is_solved_whichever_way_it_is_turned),
        cmocka_unit_test(a_pivot_that_is_zero_is_named_by_its_row),
        cmocka_unit_test(matrices_that_are_none_are_refused_and_nothing_is_written),
        cmocka_unit_test(a_batch_is_its_matrices_one_by_one),
        cmocka_unit_test(elements_of_every_type_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
