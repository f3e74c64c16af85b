/* Random numbers in device code: the generators step, skip and split as they are defined. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <curand_kernel.h>
extern "C" __global__ void random_xorwow(unsigned *out, unsigned long long seed)
{
    curandState s;
    curand_init(seed, 0, threadIdx.x, &s);
    out[threadIdx.x] = curand(&s);
    curand_init(seed, threadIdx.x, 3, &s);
    out[threadIdx.x + 64] = curand(&s);
}
extern "C" __global__ void random_philox(unsigned *out, unsigned long long seed)
{
    curandStatePhilox4_32_10_t s;
    curand_init(seed, 5, threadIdx.x, &s);
    out[threadIdx.x] = curand(&s);
    curand_init(seed, threadIdx.x, 0, &s);
    const uint4 four = curand4(&s);
    out[threadIdx.x + 64] = four.w;
}
extern "C" __global__ void random_spread(double *out, int n)
{
    curandState s;
    curand_init(7, threadIdx.x, 0, &s);
    double sum = 0, squares = 0, level = 0, least = 1;
    for (int i = 0; i < n; i++) {
        const float x = curand_normal(&s), u = curand_uniform(&s);
        const double d = curand_uniform_double(&s);
        sum += x, squares += (double)x * x, level += u + d;
        if (u < least) least = u;
    }
    out[4 * threadIdx.x] = sum, out[4 * threadIdx.x + 1] = squares, out[4 * threadIdx.x + 2] = level, out[4 * threadIdx.x + 3] = least;
}
#endif
/* Marsaglia's generator as CUDA seeds it, one step at a time. */
static unsigned random_step(unsigned v[5], unsigned &d)
{
    const unsigned t = v[0] ^ v[0] >> 2;
    for (int i = 0; i < 4; i++) v[i] = v[i + 1];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
    return v[4] + (d += 362437u);
}
static void random_round(unsigned c[4], const unsigned k[2])
{
    const uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
    const unsigned r[4] = {(unsigned)(b >> 32) ^ c[1] ^ k[0], (unsigned)b, (unsigned)(a >> 32) ^ c[3] ^ k[1], (unsigned)a};
    memcpy(c, r, sizeof r);
}

PROGRAM(random)
{
    const unsigned long long seed = 0x123456789abcdefull;
    Array<unsigned> out(128);
    Array<double> spread(4 * 64);
    CHECK(!LAUNCH(random_xorwow, 1, 64, 0, out.device, seed) && !synchronise());
    out.down();
    const unsigned a = 1099087573u * ((unsigned)seed ^ 0xaad26b49u), b = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    unsigned v[5] = {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a}, d = 6615241u + a + b;
    for (int i = 0; i < 64; i++) CHECK(out[i] == random_step(v, d));
    CHECK(out[64] == out[3] && out[65] != out[66]);
    CHECK(!LAUNCH(random_xorwow, 1, 64, 0, out.device, 1234ull) && !synchronise());
    out.down();
    CHECK(out[64] == 1954919316u && out[64 + 63] == 3403465950u); /* sequences 0 and 63, three skipped, of NVIDIA's library in CUDA 13.0 */
    CHECK(!LAUNCH(random_philox, 1, 64, 0, out.device, seed) && !synchronise());
    out.down();
    for (unsigned i = 0; i < 64; i++) {
        unsigned c[4] = {i / 4, 0, 5, 0}, first[4] = {0, 0, i, 0};
        for (unsigned r = 0; r < 10; r++) {
            const unsigned k[2] = {(unsigned)seed + r * 0x9e3779b9u, (unsigned)(seed >> 32) + r * 0xbb67ae85u};
            random_round(c, k), random_round(first, k);
        }
        CHECK(out[i] == c[i % 4] && out[i + 64] == first[3]);
    }
    const int n = 200;
    CHECK(!LAUNCH(random_spread, 1, 64, 0, spread.device, n) && !synchronise());
    spread.down();
    double sum = 0, squares = 0, level = 0;
    for (int i = 0; i < 64; i++) {
        sum += spread[4 * i], squares += spread[4 * i + 1], level += spread[4 * i + 2];
        CHECK(spread[4 * i + 3] > 0);
    }
    const double m = 64.0 * n;
    CHECK(std::fabs(sum / m) < 0.05 && std::fabs(squares / m - 1) < 0.05 && std::fabs(level / m - 1) < 0.03);
    return 0;
}
