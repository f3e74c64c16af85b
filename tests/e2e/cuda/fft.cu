/* cuFFT against the sum that defines a transform: lengths of every kind, batches, dimensions, layouts, in place, real
 * data, and what must fail. Prints the number of checks. */
#include <cufft.h>
#include <cufftXt.h>
#include <cmath>
#include "library_checks.h"

#define OK(call) CHECK((call) == CUFFT_SUCCESS)

static std::vector<Number> numbers(size_t n)
{
    std::vector<Number> x(n);
    for (Number &z : x) z = Number((float)noise(), (float)noise()); /* as single precision has them */
    return x;
}
/* The definition: X[k] = sum of x[j] exp(sign 2 pi i (j, k / n)) of a x b x c numbers. */
static std::vector<Number> dft(const std::vector<Number> &x, int a, int b, int c, int sign)
{
    std::vector<Number> y(x.size());
    for (int k = 0; k < a * b * c; k++)
        for (int j = 0; j < a * b * c; j++) {
            const double turns = (double)((long)(k / (b * c)) * (j / (b * c)) % a) / a +
                                 (double)((long)(k / c % b) * (j / c % b) % b) / b +
                                 (double)((long)(k % c) * (j % c) % c) / c;
            y[k] += x[j] * std::polar(1.0, sign * 2 * M_PI * turns);
        }
    return y;
}
template <class C> static std::vector<C> narrow(const std::vector<Number> &x)
{
    std::vector<C> y(x.size());
    for (size_t i = 0; i < x.size(); i++) y[i].x = x[i].real(), y[i].y = x[i].imag();
    return y;
}
template <class C> static bool near(const C &z, const Number &wanted, double tolerance)
{
    return std::abs(Number(z.x, z.y) - wanted) < tolerance;
}

static void lines()
{
    const int lengths[] = {1, 2, 3, 8, 15, 49, 61, 64, 67, 100, 127, 134, 169};
    for (int n : lengths)
        for (int sign = -1; sign <= 1; sign += 2) {
            const std::vector<Number> x = numbers(n), wanted = dft(x, 1, 1, n, sign);
            Device<cufftComplex> in(narrow<cufftComplex>(x)), out((size_t)n);
            Device<cufftDoubleComplex> both(narrow<cufftDoubleComplex>(x));
            cufftHandle single, twice;
            OK(cufftPlan1d(&single, n, CUFFT_C2C, 1));
            OK(cufftPlan1d(&twice, n, CUFFT_Z2Z, 1));
            OK(cufftExecC2C(single, in.p, out.p, sign));
            OK(cufftExecZ2Z(twice, both.p, both.p, sign)); /* in place */
            for (int k = 0; k < n; k++)
                CHECK(near(out.back()[k], wanted[k], 1e-5) && near(both.back()[k], wanted[k], 1e-12));
            OK(cufftDestroy(single));
            OK(cufftDestroy(twice));
        }
}

/* Real data forward and back in 1, 2 and 3 dimensions, in place with padded rows and out of place. */
static void real_data()
{
    const int sizes[][3] = {{1, 1, 10}, {1, 1, 9}, {1, 6, 8}, {4, 5, 7}, {3, 2, 6}};
    for (const auto &s : sizes) {
        const int a = s[0], b = s[1], c = s[2], half = c / 2 + 1, total = a * b * c, rank = a > 1 ? 3 : b > 1 ? 2 : 1;
        std::vector<Number> x = numbers(total);
        std::vector<double> dense(total), padded(a * b * 2 * half, -1.0);
        for (int i = 0; i < total; i++)
            x[i] = x[i].real(), dense[i] = x[i].real(), padded[i / c * 2 * half + i % c] = x[i].real();
        const std::vector<Number> wanted = dft(x, a, b, c, -1);
        Device<double> in(dense), back((size_t)total), place(padded);
        Device<cufftDoubleComplex> spectrum((size_t)(a * b * half));
        int dimensions[] = {a, b, c};
        cufftHandle forward, backward;
        OK(cufftPlanMany(&forward, rank, dimensions + 3 - rank, NULL, 1, 0, NULL, 1, 0, CUFFT_D2Z, 1));
        OK(rank == 1   ? cufftPlan1d(&backward, c, CUFFT_Z2D, 1)
           : rank == 2 ? cufftPlan2d(&backward, b, c, CUFFT_Z2D)
                       : cufftPlan3d(&backward, a, b, c, CUFFT_Z2D));
        OK(cufftExecD2Z(forward, in.p, spectrum.p));
        OK(cufftExecD2Z(forward, place.p, (cufftDoubleComplex *)place.p));
        const auto got = spectrum.back();
        const auto rows = place.back();
        for (int i = 0; i < a * b; i++)
            for (int k = 0; k < half; k++) {
                CHECK(near(got[i * half + k], wanted[i * c + k], 1e-12));
                CHECK(rows[2 * (i * half + k)] == got[i * half + k].x);
            }
        OK(cufftExecZ2D(backward, spectrum.p, back.p));
        OK(cufftExecZ2D(backward, (cufftDoubleComplex *)place.p, place.p));
        const auto again = back.back(), in_place = place.back();
        for (int i = 0; i < total; i++) {
            CHECK(std::fabs(again[i] / total - dense[i]) < 1e-14);
            CHECK(in_place[i / c * 2 * half + i % c] == again[i]);
        }
        OK(cufftDestroy(forward));
        OK(cufftDestroy(backward));
    }
}

/* Two transforms of 3 x 4 numbers that lie among others, given in 32 and 64 bits; results by columns. */
static void layouts()
{
    const int batch = 2, rows = 3, columns = 4, stride = 2, dist = 50;
    int n[] = {rows, columns}, in_embed[] = {rows, 6}, out_embed[] = {rows, columns};
    long long n_64[] = {rows, columns}, in_64[] = {rows, 6}, out_64[] = {rows, columns};
    const std::vector<Number> x = numbers(batch * dist);
    Device<cufftComplex> in(narrow<cufftComplex>(x)), out((size_t)(2 * rows * columns)), other((size_t)(2 * rows * columns));
    cufftHandle plan, extended;
    size_t bytes = 0, estimated = 0, of_type = 0;
    OK(cufftPlanMany(&plan, 2, n, in_embed, stride, dist, out_embed, batch, 1, CUFFT_C2C, batch));
    OK(cufftCreate(&extended));
    OK(cufftSetAutoAllocation(extended, 0));
    OK(cufftXtMakePlanMany(extended, 2, n_64, in_64, stride, dist, CUDA_C_32F, out_64, batch, 1, CUDA_C_32F, batch, &bytes,
                           CUDA_C_32F));
    OK(cufftGetSize(extended, &of_type));
    OK(cufftEstimateMany(2, n, in_embed, stride, dist, out_embed, batch, 1, CUFFT_C2C, batch, &estimated));
    CHECK(bytes == of_type && bytes == estimated);
    OK(cufftSetWorkArea(extended, out.p));
    OK(cufftExecC2C(plan, in.p, out.p, CUFFT_FORWARD));
    OK(cufftXtExec(extended, in.p, other.p, CUFFT_FORWARD));
    const auto got = out.back(), same = other.back();
    for (int b = 0; b < batch; b++) {
        std::vector<Number> one(rows * columns);
        for (int i = 0; i < rows * columns; i++) one[i] = x[b * dist + (i / columns * 6 + i % columns) * stride];
        const std::vector<Number> wanted = dft(one, 1, rows, columns, -1);
        for (int i = 0; i < rows * columns; i++) {
            CHECK(near(got[i * batch + b], wanted[i], 1e-5));
            CHECK(got[i * batch + b].x == same[i * batch + b].x);
        }
    }
    OK(cufftDestroy(plan));
    OK(cufftDestroy(extended));
}

__global__ void product(cufftComplex *a, const cufftComplex *b, float scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = cuCmulf(make_cuFloatComplex(a[i].x * scale, a[i].y * scale), b[i]);
}
/* A kernel between transforms in one stream: a circular convolution. */
static void convolution()
{
    const int n = 50;
    const std::vector<Number> x = numbers(n), y = numbers(n);
    Device<cufftComplex> u(narrow<cufftComplex>(x)), v(narrow<cufftComplex>(y));
    cufftHandle plan;
    cudaStream_t stream;
    CHECK(!cudaStreamCreate(&stream));
    OK(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
    OK(cufftSetStream(plan, stream));
    OK(cufftExecC2C(plan, u.p, u.p, CUFFT_FORWARD));
    OK(cufftExecC2C(plan, v.p, v.p, CUFFT_FORWARD));
    product<<<1, 64, 0, stream>>>(u.p, v.p, 1.0f / n, n);
    OK(cufftExecC2C(plan, u.p, u.p, CUFFT_INVERSE));
    CHECK(!cudaStreamSynchronize(stream));
    const auto got = u.back();
    for (int k = 0; k < n; k++) {
        Number sum = 0;
        for (int j = 0; j < n; j++) sum += x[j] * y[(k - j + n) % n];
        CHECK(near(got[k], sum, 1e-4));
    }
    OK(cufftDestroy(plan));
}

static void captured()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cufftHandle plan;
    Device<cufftReal> x(std::vector<cufftReal>{1, 2, 3, 4});
    Device<cufftComplex> y((size_t)3);
    OK(cufftPlan1d(&plan, 4, CUFFT_R2C, 1));
    CHECK(!cudaStreamCreate(&stream) && !cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cufftSetStream(plan, stream));
    OK(cufftExecR2C(plan, x.p, y.p));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    CHECK(!cudaMemset(y.p, 0, 3 * sizeof(cufftComplex)));
    CHECK(!cudaGraphLaunch(ready, 0) && !cudaDeviceSynchronize() && y.back()[0].x == 10);
    OK(cufftDestroy(plan));
}

static void what_must_fail()
{
    cufftHandle plan, empty;
    int version = 0;
    CHECK(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
    OK(cufftGetVersion(&version));
    CHECK(version > 8000);
    Device<cufftComplex> x((size_t)8);
    OK(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
    CHECK(cufftExecC2C(plan, NULL, x.p, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
#ifdef POISE_OURS /* a GPU's own library reads beyond the allocation */
    OK(cufftCreate(&empty));
    CHECK(cufftExecC2C(empty, x.p, x.p, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecC2C(plan, x.p, x.p, 7) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecC2C(plan, x.p, x.p + 1, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
    OK(cufftDestroy(empty));
#else
    (void)empty;
#endif
    OK(cufftDestroy(plan));
    CHECK(cufftDestroy(plan) == CUFFT_INVALID_PLAN);
}

int main()
{
    lines();
    real_data();
    layouts();
    convolution();
    captured();
    what_must_fail();
    printf("%d checks\n", checks);
    return 0;
}
