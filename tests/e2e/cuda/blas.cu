/* cuBLAS against loops on the host: vectors, products, solving, factors, batches, half precision, results on the
 * device, and what must fail. Prints the number of checks. */
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstring>
#include "library_checks.h"

#ifndef CUBLAS_API_H_
#error "programs ask for the guard of CUDA's header"
#endif
#define OK(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

template <class T> static std::vector<T> numbers(size_t n, unsigned seed)
{
    std::vector<T> x(n);
    for (size_t i = 0; i < n; i++) seed = seed * 1664525u + 1013904223u, x[i] = (T)((int)(seed >> 20) % 17 - 8);
    return x;
}

__global__ void doubled(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

static void vectors(cublasHandle_t h)
{
    const int n = 100;
    const std::vector<double> x = numbers<double>(n, 1), y = numbers<double>(n, 2);
    Device<double> u(x), v(y);
    double dot = 0, sum = 0, square = 0, got, alpha = 3;
    int largest = 0, place;
    for (int i = 0; i < n; i++) {
        dot += x[i] * y[i], sum += std::fabs(x[i]), square += x[i] * x[i];
        if (std::fabs(x[i]) > std::fabs(x[largest])) largest = i;
    }
    OK(cublasDdot(h, n, u.p, 1, v.p, 1, &got));
    CHECK(got == dot);
    OK(cublasDasum(h, n, u.p, 1, &got));
    CHECK(got == sum);
    OK(cublasDnrm2(h, n, u.p, 1, &got));
    CHECK(std::fabs(got - std::sqrt(square)) < 1e-12 * got);
    OK(cublasIdamax(h, n, u.p, 1, &place));
    CHECK(place == largest + 1);
    OK(cublasDaxpy(h, n / 2, &alpha, u.p, 2, v.p, -1)); /* every second of x onto y backwards */
    const std::vector<double> w = v.back();
    for (int i = 0; i < n / 2; i++) CHECK(w[n / 2 - 1 - i] == y[n / 2 - 1 - i] + 3 * x[2 * i]);
    double *result;
    CHECK(!cudaMalloc(&result, sizeof *result));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasDdot(h, n, u.p, 1, u.p, 1, result));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    CHECK(!cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost) && got == square);
}

static void products(cublasHandle_t h)
{
    const int m = 7, n = 5, k = 9, lda = 11, ldb = 12, ldc = 8, batches = 3;
    const std::vector<float> a = numbers<float>(lda * 9 * batches, 3), b = numbers<float>(ldb * 9 * batches, 4),
                             c = numbers<float>(ldc * n * batches, 5);
    const float alpha = 2, beta = -1;
    for (int t = 0; t < 4; t++) {
        const bool ta = t & 1, tb = t & 2;
        Device<float> u(a), v(b), w(c);
        OK(cublasSgemmStridedBatched(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, u.p, lda,
                                     lda * 9, v.p, ldb, ldb * 9, &beta, w.p, ldc, ldc * n, batches));
        const std::vector<float> got = w.back();
        for (int s = 0; s < batches; s++)
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++) {
                    float sum = 0;
                    for (int l = 0; l < k; l++)
                        sum += a[s * lda * 9 + (ta ? i * lda + l : l * lda + i)] * b[s * ldb * 9 + (tb ? l * ldb + j : j * ldb + l)];
                    const int at = s * ldc * n + j * ldc + i;
                    CHECK(got[at] == alpha * sum + beta * c[at]);
                }
    }
    Device<float> u(a), x(b), y(c);
    OK(cublasSgemv(h, CUBLAS_OP_T, m, n, &alpha, u.p, lda, x.p, 1, &beta, y.p, 2));
    const std::vector<float> got = y.back();
    for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int i = 0; i < m; i++) sum += a[j * lda + i] * b[i];
        CHECK(got[2 * j] == alpha * sum + beta * c[2 * j]);
    }
    doubled<<<1, 64>>>(y.p, 10); /* recorded after library calls: its provenance names them */
    CHECK(!cudaDeviceSynchronize() && y.back()[0] == 2 * got[0]);
}

static void solving(cublasHandle_t h)
{
    const int n = 6, m = 4;
    std::vector<double> a = numbers<double>(n * n, 6);
    for (int i = 0; i < n; i++) a[i * n + i] = 20;
    const std::vector<double> b = numbers<double>(n * m, 7);
    Device<double> u(a), v(b), w(b);
    const double one = 1, zero = 0;
    OK(cublasDtrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, m, &one, u.p, n, v.p, n));
    OK(cublasDtrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, m, &one, u.p, n, v.p, n, w.p, n));
    const std::vector<double> got = w.back();
    for (int i = 0; i < n * m; i++) CHECK(std::fabs(got[i] - b[i]) < 1e-12);
    Device<double> t(std::vector<double>(n * n, 0.0));
    OK(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, u.p, n, &zero, NULL, n, t.p, n));
    const std::vector<double> transposed = t.back();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) CHECK(transposed[i * n + j] == a[j * n + i]);
}

static void halves(cublasHandle_t h)
{
    const int n = 8;
    std::vector<__half> a(n * n), b(n * n);
    std::vector<float> c(n * n, 0.0f);
    for (int i = 0; i < n * n; i++) a[i] = __float2half((float)(i % 5 - 2)), b[i] = __float2half((float)(i % 7) * 0.25f);
    Device<__half> u(a), v(b), w(std::vector<__half>(n * n, __float2half(0.0f)));
    Device<float> x(c);
    const float one = 1, zero = 0;
    const __half half_one = __float2half(1.0f), half_zero = __float2half(0.0f);
    OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, u.p, CUDA_R_16F, n, v.p, CUDA_R_16F, n, &zero, x.p, CUDA_R_32F, n,
                    CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    OK(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &half_one, u.p, n, v.p, n, &half_zero, w.p, n));
    const std::vector<float> got = x.back();
    const std::vector<__half> rounded = w.back();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += __half2float(a[k * n + i]) * __half2float(b[j * n + k]);
            CHECK(got[j * n + i] == sum && __half2float(rounded[j * n + i]) == sum);
        }
}

/* Vectors of one type and results of another, batches of halves, products of bytes. */
static void mixed(cublasHandle_t h)
{
    const int n = 40;
    std::vector<__half> x(n), y(n);
    float dot = 0, square = 0, got, two = 2;
    for (int i = 0; i < n; i++) {
        x[i] = __float2half((float)(i % 7 - 3)), y[i] = __float2half((float)(i % 5) * 0.5f);
        square += __half2float(x[i]) * __half2float(x[i]);
    }
    for (int i = 0; i < n / 2; i++) dot += __half2float(x[2 * i]) * __half2float(y[n / 2 - 1 - i]);
    Device<__half> u(x), v(y);
    OK(cublasDotEx(h, n / 2, u.p, CUDA_R_16F, 2, v.p, CUDA_R_16F, -1, &got, CUDA_R_32F, CUDA_R_32F));
    CHECK(got == dot);
    OK(cublasNrm2Ex(h, n, u.p, CUDA_R_16F, 1, &got, CUDA_R_32F, CUDA_R_32F));
    CHECK(std::fabs(got - std::sqrt(square)) < 1e-5f * got);
    OK(cublasAxpyEx(h, n, &two, CUDA_R_32F, u.p, CUDA_R_16F, 1, v.p, CUDA_R_16F, 1, CUDA_R_32F));
    OK(cublasScalEx(h, n / 2, &two, CUDA_R_32F, u.p, CUDA_R_16F, 2, CUDA_R_32F));
    const std::vector<__half> scaled = u.back(), sum = v.back();
    for (int i = 0; i < n; i++) {
        CHECK(__half2float(sum[i]) == 2 * __half2float(x[i]) + __half2float(y[i]));
        CHECK(__half2float(scaled[i]) == __half2float(x[i]) * (i % 2 ? 1 : 2));
    }
    const int m = 3, batches = 2;
    const __half one = __float2half(1.0f), zero = __float2half(0.0f);
    Device<__half> a(x), b(y), c(std::vector<__half>(m * m * batches, one)), d(std::vector<__half>(m * m * batches, one));
    Device<const __half *> as({a.p, a.p + 9}), bs({b.p, b.p + 9});
    Device<__half *> cs({c.p, c.p + 9});
    OK(cublasHgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, m, m, m, &one, as.p, m, bs.p, m, &zero, cs.p, m, batches));
    OK(cublasHgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, m, m, m, &one, a.p, m, 9, b.p, m, 9, &one, d.p, m, 9, batches));
    const std::vector<__half> by_pointers = c.back(), by_stride = d.back();
    for (int s = 0; s < batches; s++)
        for (int j = 0; j < m; j++)
            for (int i = 0; i < m; i++) {
                float wanted = 0;
                for (int k = 0; k < m; k++) wanted += __half2float(x[9 * s + k * m + i]) * __half2float(y[9 * s + k * m + j]);
                const int at = 9 * s + j * m + i;
                CHECK(__half2float(by_pointers[at]) == wanted && __half2float(by_stride[at]) == wanted + 1);
            }
    const std::vector<signed char> bytes = numbers<signed char>(16, 9);
    Device<signed char> e(bytes);
    Device<int> f(std::vector<int>(16, 5));
    const int three = 3, minus = -1;
    OK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, 4, &three, e.p, CUDA_R_8I, 4, e.p, CUDA_R_8I, 4, &minus, f.p, CUDA_R_32I, 4,
                    CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    const std::vector<int> whole = f.back();
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            int wanted = 0;
            for (int k = 0; k < 4; k++) wanted += bytes[4 * i + k] * bytes[4 * j + k];
            CHECK(whole[4 * j + i] == 3 * wanted - 5);
        }
}

/* Batches of systems: factors with and without pivots, solutions, inverses. The first matrix has a zero in its corner,
 * the last is singular. */
static void factors(cublasHandle_t h)
{
    const int n = 6, ld = 7, columns = 2, batches = 3, size = ld * n;
    std::vector<double> a = numbers<double>(size * batches, 21);
    const std::vector<double> b = numbers<double>(size * batches, 22);
    a[0] = 0;
    for (int j = 0; j < n; j++) a[2 * size + j * ld + 4] = 2 * a[2 * size + j * ld + 1];
    Device<double> u(a), right(b), flipped(b), inverse(b), at_once(b), kept(a);
    Device<int> pivots(std::vector<int>(n * batches, 0)), codes(std::vector<int>(batches, 99));
    const auto places = [&](const Device<double> &m) { return std::vector<double *>{m.p, m.p + size, m.p + 2 * size}; };
    const auto sources = [&](const Device<double> &m) { return std::vector<const double *>{m.p, m.p + size, m.p + 2 * size}; };
    Device<double *> us(places(u)), rights(places(right)), flips(places(flipped)), inverses(places(inverse)), onces(places(at_once));
    Device<const double *> factored(sources(u)), originals(sources(kept));
    int wrong = 99;
    OK(cublasDgetrfBatched(h, n, us.p, ld, pivots.p, codes.p, batches));
    const std::vector<int> code = codes.back(), pivot = pivots.back();
    CHECK(code[0] == 0 && code[1] == 0 && pivot[0] > 1);
    OK(cublasDgetrsBatched(h, CUBLAS_OP_N, n, columns, factored.p, ld, pivots.p, rights.p, ld, &wrong, 2));
    CHECK(wrong == 0);
    OK(cublasDgetrsBatched(h, CUBLAS_OP_T, n, columns, factored.p, ld, pivots.p, flips.p, ld, &wrong, 2));
    CHECK(cublasDgetrsBatched(h, CUBLAS_OP_N, n, columns, factored.p, 1, pivots.p, rights.p, ld, &wrong, 2) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(wrong == -5);
    OK(cublasDgetriBatched(h, n, factored.p, ld, pivots.p, inverses.p, ld, codes.p, 2));
    OK(cublasDmatinvBatched(h, n, originals.p, ld, onces.p, ld, codes.p, batches));
    CHECK(codes.back()[0] == 0 && codes.back()[1] == 0);
    const std::vector<double> x = right.back(), y = flipped.back(), c = inverse.back(), d = at_once.back();
    for (int s = 0; s < 2; s++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const int row = s * size + i, column = s * size + j * ld;
                double product = 0, solved = 0, transposed = 0;
                for (int k = 0; k < n; k++) {
                    product += a[row + k * ld] * c[column + k];
                    solved += a[row + k * ld] * x[column + k];
                    transposed += a[s * size + i * ld + k] * y[column + k];
                }
                CHECK(std::fabs(product - (i == j)) < 1e-9 && std::fabs(c[column + i] - d[column + i]) < 1e-9);
                if (j < columns) CHECK(std::fabs(solved - b[column + i]) < 1e-9 && std::fabs(transposed - b[column + i]) < 1e-9);
            }
    /* without pivots, in single precision, of a matrix with a heavy diagonal; then L and U one after the other */
    std::vector<float> m = numbers<float>(9, 23), rhs = {1, 2, 3};
    for (int i = 0; i < 3; i++) m[4 * i] = 40;
    Device<float> v(m), z(rhs);
    Device<float *> vs({v.p}), zs({z.p});
    Device<const float *> const_vs({v.p});
    const float one = 1;
    OK(cublasSgetrfBatched(h, 3, vs.p, 3, NULL, codes.p, 1));
    CHECK(codes.back()[0] == 0);
    OK(cublasStrsmBatched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 3, 1, &one, const_vs.p, 3, zs.p, 3, 1));
    OK(cublasStrsmBatched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, 1, &one, const_vs.p, 3, zs.p, 3, 1));
    const std::vector<float> w = z.back();
    for (int i = 0; i < 3; i++) CHECK(std::fabs(m[i] * w[0] + m[3 + i] * w[1] + m[6 + i] * w[2] - rhs[i]) < 1e-5f);
    /* a matrix of zeros has its first pivot wrong */
    Device<float> nothing(std::vector<float>(4, 0.0f));
    Device<float *> nothings({nothing.p});
    OK(cublasSgetrfBatched(h, 2, nothings.p, 2, pivots.p, codes.p, 1));
    CHECK(codes.back()[0] == 1);
}

/* A captured call happens at each launch, with the number and the pointer mode that it was captured with. */
static void captured(cublasHandle_t h)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    size_t nodes = 0;
    Device<float> x(std::vector<float>{1, 2, 3, 4}), y(std::vector<float>(4, 1.0f)), sum(std::vector<float>{9}), a(std::vector<float>{1, 0, 0, 1});
    CHECK(!cudaStreamCreate(&stream) && !cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cublasSetStream(h, stream));
    float factor = 2, none = 0;
    OK(cublasSaxpy(h, 4, &factor, x.p, 1, y.p, 1));
    factor = 100;
    OK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &factor, a.p, 2, y.p, 2, &none, x.p, 2));
    factor = 7;
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasSdot(h, 4, y.p, 1, y.p, 1, sum.p));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphGetNodes(graph, NULL, &nodes));
    OK(cublasSetStream(h, 0));
    CHECK(nodes == 3 && y.back()[3] == 1 && sum.back()[0] == 9); /* nothing happened yet */
    CHECK(!cudaGraphInstantiate(&ready, graph, NULL, NULL, 0) && !cudaGraphDestroy(graph) && !cudaStreamDestroy(stream));
    CHECK(!cudaGraphLaunch(ready, 0) && !cudaDeviceSynchronize());
    CHECK(y.back()[3] == 9 && x.back()[3] == 900 && sum.back()[0] == 9 + 25 + 49 + 81);
    CHECK(!cudaGraphLaunch(ready, 0) && !cudaDeviceSynchronize());
    CHECK(y.back()[3] == 1809 && x.back()[3] == 180900 && !cudaGraphExecDestroy(ready));
}

static void what_must_fail(cublasHandle_t h)
{
    float x[4] = {1, 2, 3, 4}, *device, one = 1;
    CHECK(!cudaMalloc(&device, sizeof x));
    CHECK(cublasSscal(NULL, 4, &one, device, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, device, 1, device, 2, &one, device, 2) == CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasSetVector(4, sizeof(float), x, 1, device, 1));
    memset(x, 0, sizeof x);
    OK(cublasGetVector(2, sizeof(float), device, 2, x, 1));
    CHECK(x[0] == 1 && x[1] == 3 && x[2] == 0);
#ifdef POISE_BLAS_OURS /* a GPU's own library reads beyond the allocation */
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cublasSscal(h, 5, &one, device, 1) == CUBLAS_STATUS_MAPPING_ERROR);
    CHECK(!cudaStreamCreate(&stream) && !cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cublasSetStream(h, stream));
    CHECK(cublasSdot(h, 4, device, 1, device, 1, x) == CUBLAS_STATUS_NOT_SUPPORTED); /* a result on the host */
    OK(cublasSscal(h, 5, &one, device, 1));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    CHECK(cudaGraphLaunch(ready, 0) == cudaErrorLaunchFailure); /* the call fails where it happens */
    OK(cublasSetStream(h, 0));
#endif
}

int main()
{
    cublasHandle_t h;
    OK(cublasCreate(&h));
    vectors(h);
    products(h);
    solving(h);
    halves(h);
    factors(h);
    mixed(h);
    captured(h);
    what_must_fail(h);
    OK(cublasDestroy(h));
    printf("%d checks\n", checks);
    return 0;
}
