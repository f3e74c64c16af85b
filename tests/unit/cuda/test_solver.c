/* Dense solvers against LAPACK called directly: the same numbers, whatever the number of threads that the environment
 * gives OpenBLAS; singular values by all jobs; NaN. */
#include "rig.h"
#include <math.h>
#include <string.h>
#include "solver/solver.h"

enum { N = 40 };
#define OK(call) assert_int_equal(CUSOLVER_STATUS_SUCCESS, call)

static void fill(double *a, int n)
{
    unsigned seed = 7;
    for (int i = 0; i < n; i++) seed = seed * 1664525u + 1013904223u, a[i] = (double)(seed >> 8) / (1 << 23) - 1;
}
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

static void factors_are_those_of_lapack_bit_by_bit(void **state)
{
    static double a[N * N], got[N * N];
    int pivots[N], wanted[N], zero = 0;
    cusolverDnHandle_t h;
    (void)state;
    fill(a, N * N);
    OK(cusolverDnCreate(&h));
    void *x = device_of(a, sizeof a), *p = device_of(pivots, sizeof pivots), *info = device_of(&zero, sizeof zero);
    OK(cusolverDnDgetrf(h, N, N, x, N, NULL, p, info));
    fetch(got, x, sizeof got);
    fetch(pivots, p, sizeof pivots);
    assert_int_equal(0, LAPACKE_dgetrf(LAPACK_COL_MAJOR, N, N, a, N, wanted));
    assert_memory_equal(a, got, sizeof a);
    assert_memory_equal(wanted, pivots, sizeof wanted);
    OK(cusolverDnDestroy(h));
    cudaFree(x);
    cudaFree(p);
    cudaFree(info);
}

static void singular_values_are_the_same_for_every_job(void **state)
{
    static double a[N * N], s[N], first[N];
    const int m = N, n = N / 2;
    int zero = 0;
    cusolverDnHandle_t h;
    (void)state;
    fill(a, N * N);
    OK(cusolverDnCreate(&h));
    void *u = device_of(a, sizeof a), *v = device_of(a, sizeof a), *w = device_of(s, sizeof s),
         *info = device_of(&zero, sizeof zero);
    for (const char *job = "NSAO"; *job; job++) {
        void *x = device_of(a, sizeof a);
        OK(cusolverDnDgesvd(h, *job, *job == 'O' ? 'S' : *job, m, n, x, m, w, u, m, v, n, NULL, 0, NULL, info));
        fetch(s, w, sizeof s);
        if (*job == 'N') memcpy(first, s, sizeof s);
        for (int i = 0; i < n; i++) assert_true(s[i] > 0 && fabs(s[i] - first[i]) < 1e-13 * first[0]);
        cudaFree(x);
    }
    assert_int_equal(CUSOLVER_STATUS_INVALID_VALUE,
                     cusolverDnDgesvd(h, 'X', 'N', m, n, u, m, w, u, m, v, n, NULL, 0, NULL, info));
    assert_int_equal(CUSOLVER_STATUS_INVALID_VALUE,
                     cusolverDnDgesvd(h, 'N', 'N', n, m, u, m, w, u, m, v, n, NULL, 0, NULL, info));
    OK(cusolverDnDestroy(h));
    cudaFree(u);
    cudaFree(v);
    cudaFree(w);
    cudaFree(info);
}

static void a_matrix_with_nan_is_no_error_and_pivots_that_are_no_rows_are(void **state)
{
    const double a[4] = {NAN, 1, 2, 3};
    const int pivots[2] = {1, 9};
    double got[4];
    int zero = 0;
    cusolverDnHandle_t h;
    (void)state;
    OK(cusolverDnCreate(&h));
    void *x = device_of(a, sizeof a), *p = device_of(pivots, sizeof pivots), *info = device_of(&zero, sizeof zero);
    assert_int_equal(CUSOLVER_STATUS_EXECUTION_FAILED, cusolverDnDgetrs(h, CUBLAS_OP_N, 2, 1, x, 2, p, x, 2, info));
    OK(cusolverDnDgetrf(h, 2, 2, x, 2, NULL, p, info));
    fetch(got, x, sizeof got);
    assert_true(isnan(got[0]) || isnan(got[1]) || isnan(got[3]));
    OK(cusolverDnDestroy(h));
    cudaFree(x);
    cudaFree(p);
    cudaFree(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_those_of_lapack_bit_by_bit),
        cmocka_unit_test(singular_values_are_the_same_for_every_job),
        cmocka_unit_test(a_matrix_with_nan_is_no_error_and_pivots_that_are_no_rows_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
