/* cuSOLVER's dense part: what is factored is multiplied again, systems are put in, vectors are orthogonal, for each
 * type of elements; and what must fail. Prints the number of checks. */
#include <cusolverDn.h>
#include <cmath>
#include "library_checks.h"

#define OK(call) CHECK((call) == CUSOLVER_STATUS_SUCCESS)

static Number number(float x) { return x; }
static Number number(double x) { return x; }
static Number number(cuComplex z) { return Number(z.x, z.y); }
static Number number(cuDoubleComplex z) { return Number(z.x, z.y); }
static void set(float &to, double x, double) { to = (float)x; }
static void set(double &to, double x, double) { to = x; }
static void set(cuComplex &to, double x, double y) { to = make_cuComplex((float)x, (float)y); }
static void set(cuDoubleComplex &to, double x, double y) { to = make_cuDoubleComplex(x, y); }
template <class T> static std::vector<T> numbers(size_t n)
{
    std::vector<T> x(n);
    for (T &z : x) {
        const double re = noise(), im = noise();
        set(z, re, im);
    }
    return x;
}
/* b b^H + 1: Hermitian and positive definite. */
template <class T> static std::vector<T> positive(int n)
{
    const std::vector<T> b = numbers<T>(n * n);
    std::vector<T> a(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Number sum = i == j;
            for (int k = 0; k < n; k++) sum += number(b[k * n + i]) * std::conj(number(b[k * n + j]));
            set(a[j * n + i], sum.real(), sum.imag());
        }
    return a;
}
static int info_of(const Device<int> &info) { return info.back()[0]; }

/* One type: P its letter, T its elements, R its real numbers, the others as its functions are named. */
#define TYPE(P, T, R, mqr, gqr, sy, tolerance) \
    static void systems_##P(cusolverDnHandle_t h) \
    { \
        const int n = 7, columns = 2, lda = 9; \
        const std::vector<T> a = numbers<T>(lda * n), b = numbers<T>(n * columns), s = positive<T>(n); \
        Device<T> u(a), x(b), l(s), y(b), work((size_t)64); \
        Device<int> pivots((size_t)n), info((size_t)1); \
        int size = 0; \
        OK(cusolverDn##P##getrf_bufferSize(h, n, n, u.p, lda, &size)); \
        CHECK(size > 0 && size <= 64); \
        OK(cusolverDn##P##getrf(h, n, n, u.p, lda, work.p, pivots.p, info.p)); \
        CHECK(info_of(info) == 0); \
        OK(cusolverDn##P##getrs(h, CUBLAS_OP_N, n, columns, u.p, lda, pivots.p, x.p, n, info.p)); \
        OK(cusolverDn##P##potrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, n, l.p, n, &size)); \
        OK(cusolverDn##P##potrf(h, CUBLAS_FILL_MODE_LOWER, n, l.p, n, work.p, size, info.p)); \
        OK(cusolverDn##P##potrs(h, CUBLAS_FILL_MODE_LOWER, n, columns, l.p, n, y.p, n, info.p)); \
        CHECK(info_of(info) == 0); \
        const std::vector<T> solved = x.back(), other = y.back(); \
        for (int j = 0; j < columns; j++) \
            for (int i = 0; i < n; i++) { \
                Number left = 0, right = 0; \
                for (int k = 0; k < n; k++) left += number(a[k * lda + i]) * number(solved[j * n + k]); \
                for (int k = 0; k < n; k++) right += number(s[k * n + i]) * number(other[j * n + k]); \
                CHECK(std::abs(left - number(b[j * n + i])) < tolerance); \
                CHECK(std::abs(right - number(b[j * n + i])) < tolerance); \
            } \
    } \
    /* Q as a matrix and Q^H A = R. */ \
    static void least_squares_##P(cusolverDnHandle_t h) \
    { \
        const int m = 8, n = 5; \
        const std::vector<T> a = numbers<T>(m * n); \
        Device<T> q(a), c(a), tau((size_t)n), work((size_t)64); \
        Device<int> info((size_t)1); \
        OK(cusolverDn##P##geqrf(h, m, n, q.p, m, tau.p, work.p, 64, info.p)); \
        const std::vector<T> r = q.back(); \
        OK(cusolverDn##P##mqr(h, CUBLAS_SIDE_LEFT, sizeof(T) > sizeof(R) ? CUBLAS_OP_C : CUBLAS_OP_T, m, n, n, q.p, m, \
                                  tau.p, c.p, m, work.p, 64, info.p)); \
        OK(cusolverDn##P##gqr(h, m, n, n, q.p, m, tau.p, work.p, 64, info.p)); \
        const std::vector<T> product = c.back(), vectors = q.back(); \
        for (int j = 0; j < n; j++) \
            for (int i = 0; i < m; i++) { \
                Number sum = 0; \
                for (int k = 0; k <= j; k++) sum += number(vectors[k * m + i]) * number(r[j * m + k]); \
                CHECK(std::abs(sum - number(a[j * m + i])) < tolerance); \
                CHECK(std::abs(number(product[j * m + i]) - (i <= j ? number(r[j * m + i]) : Number(0))) < tolerance); \
            } \
    } \
    static void values_##P(cusolverDnHandle_t h) \
    { \
        const int m = 8, n = 5; \
        const std::vector<T> a = numbers<T>(m * n), s = positive<T>(n); \
        Device<T> x(a), z(a), u((size_t)(m * n)), vt((size_t)(n * n)), v((size_t)(n * n)), e(s), f(s), work((size_t)64); \
        Device<R> values((size_t)n), same((size_t)n), w((size_t)n), again((size_t)n); \
        Device<int> info((size_t)1); \
        gesvdjInfo_t settings; \
        syevjInfo_t rotations; \
        OK(cusolverDn##P##gesvd(h, 'S', 'A', m, n, x.p, m, values.p, u.p, m, vt.p, n, work.p, 64, NULL, info.p)); \
        CHECK(info_of(info) == 0); \
        const std::vector<T> left = u.back(), right = vt.back(); \
        const std::vector<R> sizes = values.back(); \
        OK(cusolverDnCreateGesvdjInfo(&settings)); \
        OK(cusolverDnXgesvdjSetTolerance(settings, 1e-7)); \
        OK(cusolverDn##P##gesvdj(h, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, z.p, m, same.p, u.p, m, v.p, n, work.p, 64, info.p, \
                                 settings)); \
        OK(cusolverDnDestroyGesvdjInfo(settings)); \
        const std::vector<T> turned = v.back(), also = u.back(); \
        for (int j = 0; j < n; j++) \
            for (int i = 0; i < m; i++) { \
                Number sum = 0, second = 0; \
                for (int k = 0; k < n; k++) { \
                    sum += number(left[k * m + i]) * (double)sizes[k] * number(right[j * n + k]); \
                    second += number(also[k * m + i]) * (double)same.back()[k] * std::conj(number(turned[k * n + j])); \
                } \
                CHECK(std::abs(sum - number(a[j * m + i])) < tolerance); \
                CHECK(std::abs(second - number(a[j * m + i])) < tolerance); \
            } \
        OK(cusolverDn##P##sy##evd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, e.p, n, w.p, work.p, 64, info.p)); \
        OK(cusolverDnCreateSyevjInfo(&rotations)); \
        OK(cusolverDn##P##sy##evj(h, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, f.p, n, again.p, work.p, 64, \
                                  info.p, rotations)); \
        OK(cusolverDnDestroySyevjInfo(rotations)); \
        const std::vector<T> vectors = e.back(); \
        const std::vector<R> roots = w.back(); \
        for (int j = 0; j < n; j++) { \
            CHECK(std::fabs(roots[j] - again.back()[j]) < tolerance && (j == 0 || roots[j] >= roots[j - 1])); \
            for (int i = 0; i < n; i++) { \
                Number sum = 0; \
                for (int k = 0; k < n; k++) sum += number(s[k * n + i]) * number(vectors[j * n + k]); \
                CHECK(std::abs(sum - (double)roots[j] * number(vectors[j * n + i])) < tolerance); \
            } \
        } \
    }
TYPE(S, float, float, ormqr, orgqr, sy, 1e-4)
TYPE(D, double, double, ormqr, orgqr, sy, 1e-12)
TYPE(C, cuComplex, float, unmqr, ungqr, he, 1e-4)
TYPE(Z, cuDoubleComplex, double, unmqr, ungqr, he, 1e-12)

static void sizes_of_64_bits(cusolverDnHandle_t h)
{
    const int64_t n = 6;
    const std::vector<double> a = numbers<double>(n * n), b = numbers<double>(n), s = positive<double>(n);
    Device<double> u(a), x(b), e(s), w((size_t)n);
    Device<int64_t> pivots((size_t)n);
    Device<int> info((size_t)1);
    cusolverDnParams_t params;
    size_t device_bytes, host_bytes;
    void *work;
    OK(cusolverDnCreateParams(&params));
    OK(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
    OK(cusolverDnXgetrf_bufferSize(h, params, n, n, CUDA_R_64F, u.p, n, CUDA_R_64F, &device_bytes, &host_bytes));
    CHECK(!cudaMalloc(&work, device_bytes));
    std::vector<char> host(host_bytes + 1);
    OK(cusolverDnXgetrf(h, params, n, n, CUDA_R_64F, u.p, n, pivots.p, CUDA_R_64F, work, device_bytes, host.data(), host_bytes, info.p));
    OK(cusolverDnXgetrs(h, params, CUBLAS_OP_T, n, 1, CUDA_R_64F, u.p, n, pivots.p, CUDA_R_64F, x.p, n, info.p));
    const std::vector<double> solved = x.back();
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += a[i * n + k] * solved[k];
        CHECK(std::fabs(sum - b[i]) < 1e-12);
    }
    OK(cusolverDnXsyevd_bufferSize(h, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, e.p, n, CUDA_R_64F,
                                   w.p, CUDA_R_64F, &device_bytes, &host_bytes));
    CHECK(!cudaFree(work) && !cudaMalloc(&work, device_bytes));
    host.resize(host_bytes + 1);
    OK(cusolverDnXsyevd(h, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, e.p, n, CUDA_R_64F, w.p,
                        CUDA_R_64F, work, device_bytes, host.data(), host_bytes, info.p));
    double trace = 0, sum = 0;
    for (int i = 0; i < n; i++) trace += s[i * n + i], sum += w.back()[i];
    CHECK(std::fabs(trace - sum) < 1e-12 * trace);
    OK(cusolverDnDestroyParams(params));
}

static void what_must_fail(cusolverDnHandle_t h)
{
    const std::vector<float> singular = {1, 2, 2, 4}, indefinite = {1, 0, 0, -1};
    Device<float> a(singular), b(indefinite), work((size_t)64);
    Device<int> pivots((size_t)2), info((size_t)1);
    OK(cusolverDnSgetrf(h, 2, 2, a.p, 2, work.p, pivots.p, info.p));
    CHECK(info_of(info) == 2);
    OK(cusolverDnSpotrf(h, CUBLAS_FILL_MODE_LOWER, 2, b.p, 2, work.p, 64, info.p));
    CHECK(info_of(info) == 2);
    CHECK(cusolverDnSgetrf(NULL, 2, 2, a.p, 2, work.p, pivots.p, info.p) == CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK(cusolverDnSgetrf(h, 2, 2, a.p, 1, work.p, pivots.p, info.p) == CUSOLVER_STATUS_INVALID_VALUE);
#ifdef POISE_OURS /* a GPU's own library reads beyond the allocation, and captures */
    cudaStream_t stream;
    cudaGraph_t graph;
    CHECK(cusolverDnSgetrf(h, 3, 3, a.p, 3, work.p, pivots.p, info.p) == CUSOLVER_STATUS_EXECUTION_FAILED);
    CHECK(!cudaStreamCreate(&stream) && !cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cusolverDnSetStream(h, stream));
    CHECK(cusolverDnSgetrf(h, 2, 2, a.p, 2, work.p, pivots.p, info.p) == CUSOLVER_STATUS_NOT_SUPPORTED);
    CHECK(!cudaStreamEndCapture(stream, &graph));
    OK(cusolverDnSetStream(h, 0));
#endif
}

int main()
{
    cusolverDnHandle_t h;
    OK(cusolverDnCreate(&h));
#define RUN(P) systems_##P(h), least_squares_##P(h), values_##P(h)
    RUN(S), RUN(D), RUN(C), RUN(Z);
    sizes_of_64_bits(h);
    what_must_fail(h);
    OK(cusolverDnDestroy(h));
    printf("%d checks\n", checks);
    return 0;
}
