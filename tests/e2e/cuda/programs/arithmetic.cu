/* Whole numbers of 32 and 64 bits: products, quotients, minima, absolute differences. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void arithmetic_32(const int *x, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, stride = n;
    if (i >= n) return;
    const int a = x[i], b = x[(i * 7 + 3) % n] | 1;
    out[i] = a * b + 5;
    out[stride + i] = __mulhi(a, b);
    out[2 * stride + i] = a / b;
    out[3 * stride + i] = a % b;
    out[4 * stride + i] = min(a, b) - max(a, b);
    out[5 * stride + i] = abs(a % 1000003) + (int)((unsigned)a / (unsigned)b);
    out[6 * stride + i] = (int)__sad(a >> 2, b >> 2, 7u) + __mul24(a, b) + (int)__umul24((unsigned)a, (unsigned)b);
    out[7 * stride + i] = (int)((short)a * (short)b) + ((signed char)a << 3) + (b >> 5) + (int)((unsigned)b >> 7);
}
extern "C" __global__ void arithmetic_64(const int *x, long long *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long a = (long long)x[i] * x[(i + 1) % n] + i, b = x[(i * 5 + 2) % n] | 1;
    out[i] = a / b + a % b * 3;
    out[n + i] = __mul64hi(a, b << 20) + (long long)__umul64hi((unsigned long long)a, (unsigned long long)b);
    out[2 * n + i] = (long long)((unsigned long long)a / (unsigned long long)(b & 0xffff)) ^ (a << 7) ^ (a >> 9);
}
#endif

static long long arithmetic_mul24(long long a, long long b) { return (int)(uint32_t)((((int32_t)((uint32_t)a << 8)) >> 8) * (long long)(((int32_t)((uint32_t)b << 8)) >> 8)); }

PROGRAM(arithmetic)
{
    const int n = 1000;
    Array<int> x(n), out(8 * n);
    Array<long long> wide(3 * n);
    for (int i = 0; i < n; i++) x[i] = (int)noise(i);
    x.up();
    CHECK(!LAUNCH(arithmetic_32, dim3(4), dim3(256), 0, (const int *)x.device, out.device, n));
    CHECK(!LAUNCH(arithmetic_64, dim3(4), dim3(256), 0, (const int *)x.device, wide.device, n));
    out.down(), wide.down();
    for (int i = 0; i < n; i++) {
        const int32_t a = x[i], b = x[(i * 7 + 3) % n] | 1;
        CHECK(out[i] == (int)((uint32_t)a * (uint32_t)b + 5));
        CHECK(out[n + i] == (int)((int64_t)a * b >> 32));
        CHECK(out[2 * n + i] == a / b && out[3 * n + i] == a % b);
        CHECK(out[4 * n + i] == (int)((uint32_t)(a < b ? a : b) - (uint32_t)(a < b ? b : a)));
        CHECK(out[5 * n + i] == (int)((uint32_t)abs(a % 1000003) + (uint32_t)a / (uint32_t)b));
        const uint32_t sad = 7u + (uint32_t)(a >> 2 > b >> 2 ? (a >> 2) - (b >> 2) : (b >> 2) - (a >> 2));
        CHECK(out[6 * n + i] == (int)(sad + (uint32_t)arithmetic_mul24(a, b) + ((uint32_t)a & 0xffffff) * ((uint32_t)b & 0xffffff)));
        CHECK(out[7 * n + i] == (int)((uint32_t)((int16_t)a * (int16_t)b) + (uint32_t)((int32_t)(int8_t)a * 8) + (uint32_t)(b >> 5) + ((uint32_t)b >> 7)));
        const int64_t p = (int64_t)x[i] * x[(i + 1) % n] + i, q = x[(i * 5 + 2) % n] | 1;
        CHECK(wide[i] == p / q + p % q * 3);
        const int64_t high = (int64_t)((__int128)p * (q * 1048576) >> 64), uhigh = (int64_t)((unsigned __int128)(uint64_t)p * (uint64_t)q >> 64);
        CHECK(wide[n + i] == (int64_t)((uint64_t)high + (uint64_t)uhigh));
        CHECK(wide[2 * n + i] == ((int64_t)((uint64_t)p / (uint64_t)(q & 0xffff)) ^ (int64_t)((uint64_t)p << 7) ^ p >> 9));
    }
    return 0;
}
