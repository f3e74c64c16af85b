/* cuRAND's interface for hosts against its device functions: number i of XORWOW's is number i / 4096 of subsequence
 * i % 4096, and Philox's are one sequence; moments of the distributions; a generator of the host and one of the device
 * give the same numbers, at any offset. */
#include <cmath>
#include <cstdio>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>

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
    std::printf("rand ok\n");
    return 0;
}
