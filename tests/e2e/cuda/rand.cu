/* cuRAND's interface for hosts against its device functions: number i of XORWOW's is number i / 4096 of subsequence
 * i % 4096, and Philox's are one sequence; moments of the distributions; a generator of the host and one of the device
 * give the same numbers, at any offset. Sobol's are those of the device functions, dimension after dimension. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>

#ifndef CURAND_H_
#error "programs ask for the guard of CUDA's header"
#endif
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1; \
        } \
    } while (0)
__global__ void words(unsigned *xorwow, unsigned *philox, unsigned long long seed)
{
    curandStateXORWOW_t x;
    curand_init(seed, threadIdx.x, 0, &x);
    xorwow[2 * threadIdx.x] = curand(&x);
    xorwow[2 * threadIdx.x + 1] = curand(&x);
    curandStatePhilox4_32_10_t p;
    curand_init(seed, 0, threadIdx.x, &p);
    philox[threadIdx.x] = curand(&p);
}
template <class T> static std::vector<T> down(const T *p, size_t n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
static int moments(curandGenerator_t generator, double *room, int n)
{
    double sum[2] = {0, 0}, squares[2] = {0, 0};
    CHECK(curandGenerateUniformDouble(generator, room, n) == 0);
    for (double x : down(room, n)) {
        CHECK(x > 0 && x <= 1);
        sum[0] += x, squares[0] += x * x;
    }
    CHECK(curandGenerateNormalDouble(generator, room, n, 3, 2) == 0);
    for (double x : down(room, n)) sum[1] += x, squares[1] += x * x;
    CHECK(std::fabs(sum[0] / n - 0.5) < 0.02 && std::fabs(squares[0] / n - 1.0 / 3) < 0.02);
    CHECK(std::fabs(sum[1] / n - 3) < 0.1 && std::fabs(squares[1] / n - 13) < 0.6);
    return 0;
}

/* Numbers from..from + n - 1 of one dimension, four ways. */
__global__ void sobol(curandDirectionVectors32_t *v32, curandDirectionVectors64_t *v64, unsigned from, int n,
                      unsigned *words, unsigned long long *longs, double *uniform, float *normal)
{
    const int each = n / blockDim.x, at = each * threadIdx.x;
    curandStateSobol32_t a, c;
    curandStateSobol64_t b, d;
    curand_init(v32[blockIdx.x], from + at, &a), c = a;
    curand_init(v64[blockIdx.x], (unsigned long long)(from + at), &b), d = b;
    for (int i = blockIdx.x * n + at; i < (int)(blockIdx.x * n) + at + each; i++) {
        words[i] = curand(&a), longs[i] = curand(&b);
        uniform[i] = curand_uniform_double(&d), normal[i] = curand_normal(&c);
    }
}
template <class T> static T *room_for(int n)
{
    T *p = NULL;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
static int quasirandom()
{
    const int dimensions = 30, n = 256, all = dimensions * n;
    const unsigned from = 4711;
    curandDirectionVectors32_t *v32, *d32 = room_for<curandDirectionVectors32_t>(dimensions);
    curandDirectionVectors64_t *v64, *d64 = room_for<curandDirectionVectors64_t>(dimensions);
    CHECK(!curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    CHECK(!curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    CHECK(curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_64_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE);
    /* By hand: van der Corput's sequence, the polynomials x + 1 and x^2 + x + 1 with m = 1 and m = 1, 3. */
    CHECK(v32[0][0] == 0x80000000u && v32[0][31] == 1 && v64[0][63] == 1);
    CHECK(v32[1][1] == 0xc0000000u && v32[1][2] == 0xa0000000u && v32[1][3] == 0xf0000000u);
    CHECK(v32[2][1] == 0xc0000000u && v32[2][2] == 0x60000000u && v64[2][2] == 0x6000000000000000ull);
    CHECK(!cudaMemcpy(d32, v32, dimensions * sizeof *v32, cudaMemcpyHostToDevice));
    CHECK(!cudaMemcpy(d64, v64, dimensions * sizeof *v64, cudaMemcpyHostToDevice));
    unsigned *words = room_for<unsigned>(all);
    unsigned long long *longs = room_for<unsigned long long>(all);
    double *uniform = room_for<double>(all);
    float *normal = room_for<float>(all);
    sobol<<<dimensions, 32>>>(d32, d64, from, n, words, longs, uniform, normal);
    const auto w = down(words, all);
    const auto l = down(longs, all);
    const auto u = down(uniform, all);
    const auto z = down(normal, all);

    curandGenerator_t g32, g64;
    CHECK(!curandCreateGenerator(&g32, CURAND_RNG_QUASI_DEFAULT) && !curandCreateGenerator(&g64, CURAND_RNG_QUASI_SOBOL64));
    CHECK(curandSetPseudoRandomGeneratorSeed(g32, 1) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g32, 20001) == CURAND_STATUS_OUT_OF_RANGE);
    CHECK(!curandSetQuasiRandomGeneratorDimensions(g32, dimensions) && !curandSetQuasiRandomGeneratorDimensions(g64, dimensions));
    CHECK(!curandSetGeneratorOffset(g32, from) && !curandSetGeneratorOffset(g64, from));
    CHECK(curandGenerate(g32, words, all - 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGenerate(g64, words, all) == CURAND_STATUS_TYPE_ERROR && curandGenerateLongLong(g32, longs, all) == CURAND_STATUS_TYPE_ERROR);
    /* in two parts, of 100 and of 156 numbers of each dimension */
    CHECK(!curandGenerate(g32, words, dimensions * 100) && !curandGenerate(g32, words + dimensions * 100, dimensions * 156));
    CHECK(!curandGenerateLongLong(g64, longs, all));
    const auto ours = down(words, all);
    CHECK(down(longs, all) == l);
    for (int d = 0; d < dimensions; d++)
        for (int i = 0; i < n; i++) {
            CHECK(w[d * n + i] == (i < 100 ? ours[d * 100 + i] : ours[dimensions * 100 + d * 156 + i - 100]));
            CHECK(w[d * n + i] == (unsigned)(l[d * n + i] >> 32));
        }
    CHECK(!curandSetGeneratorOffset(g64, from) && !curandGenerateUniformDouble(g64, uniform, all));
    CHECK(!curandSetGeneratorOffset(g32, from) && !curandGenerateNormal(g32, normal, all, 0, 1));
    CHECK(down(uniform, all) == u);
    const auto normals = down(normal, all);
    for (int i = 0; i < all; i++) CHECK(std::fabs(normals[i] - z[i]) < 1e-5 * (1 + std::fabs(z[i])));
    /* The first 256 numbers of every dimension are one in each 256th part. */
    CHECK(!curandSetGeneratorOffset(g32, 0) && !curandGenerate(g32, words, all));
    auto even = down(words, all);
    for (int d = 0; d < dimensions; d++) {
        std::sort(even.begin() + d * n, even.begin() + (d + 1) * n);
        for (int i = 0; i < n; i++) CHECK(even[d * n + i] >> 24 == (unsigned)i);
    }
    CHECK(!curandGeneratePoisson(g32, words, all, 4));
    double sum = 0;
    for (unsigned count : down(words, all)) sum += count;
    CHECK(std::fabs(sum / all - 4) < 0.05);
    CHECK(!curandDestroyGenerator(g32) && !curandDestroyGenerator(g64));
    return 0;
}

int main()
{
    const int n = 10000;
    unsigned *device, *xorwow, *philox;
    double *room;
    std::vector<unsigned> host(n);
    CHECK(!cudaMalloc(&device, n * 4) && !cudaMalloc(&xorwow, 512) && !cudaMalloc(&philox, 256));
    CHECK(!cudaMalloc(&room, n * 8));
    words<<<1, 64>>>(xorwow, philox, 1234567890123ull);
    const auto x = down(xorwow, 128), p = down(philox, 64);
    const curandRngType_t types[] = {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                                     CURAND_RNG_PSEUDO_MRG32K3A};
    for (curandRngType_t type : types) {
        curandGenerator_t generator, of_host;
        CHECK(!curandCreateGenerator(&generator, type) && !curandCreateGeneratorHost(&of_host, type));
        CHECK(!curandSetPseudoRandomGeneratorSeed(generator, 1234567890123ull));
        CHECK(!curandSetPseudoRandomGeneratorSeed(of_host, 1234567890123ull));
        CHECK(!curandGenerate(generator, device, n));
        const auto all = down(device, n);
        for (int i = 0; i < 64; i++) {
            if (type == CURAND_RNG_PSEUDO_DEFAULT) CHECK(all[i] == x[2 * i] && all[4096 + i] == x[2 * i + 1]);
            if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) CHECK(all[i] == p[i]);
        }
        /* the second half first, the host's generator from its offset */
        CHECK(!curandSetGeneratorOffset(of_host, 4999) && !curandGenerate(of_host, &host[4999], n - 4999));
        for (int i = 4999; i < n; i++) CHECK(host[i] == all[i]);
        CHECK(moments(generator, room, n) == 0);
        CHECK(curandGenerateNormal(generator, (float *)device, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
        CHECK(!curandGeneratePoisson(generator, device, n, 4));
        double sum = 0;
        for (unsigned count : down(device, n)) sum += count;
        CHECK(std::fabs(sum / n - 4) < 0.15);
        CHECK(!curandDestroyGenerator(generator) && !curandDestroyGenerator(of_host));
    }
    CHECK(quasirandom() == 0);
    std::printf("rand ok\n");
    return 0;
}
