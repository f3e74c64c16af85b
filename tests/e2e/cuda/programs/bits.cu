/* Bit fields, counts, permutations, three-input logic, funnel shifts. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void bits_kernel(const unsigned *x, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n], from = a & 31, length = b % 40;
    unsigned r;
    int s;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(c), "r"(from), "r"(length));
    out[i] = r;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(s) : "r"((int)c), "r"(from), "r"(length));
    out[n + i] = (unsigned)s;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(from), "r"(length));
    out[2 * n + i] = r;
    out[3 * n + i] = __brev(a) ^ (unsigned)__popc(b) ^ (unsigned)__clz((int)c) << 8 ^ (unsigned)__ffs((int)a) << 16;
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a >> from));
    out[4 * n + i] = r;
    out[5 * n + i] = __byte_perm(a, b, c & 0x7777);
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    out[6 * n + i] = r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    out[7 * n + i] = r;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c & 63));
    out[8 * n + i] = r;
    const unsigned long long w = (unsigned long long)a << 32 | b;
    out[9 * n + i] = (unsigned)__popcll(w) | (unsigned)__clzll((long long)(w >> from)) << 8 | (unsigned)__ffsll((long long)w) << 16;
    out[10 * n + i] = (unsigned)(__brevll(w) >> 20);
}
/* A shift register with feedback: what is added depends on the sign alone. */
extern "C" __global__ void bits_feedback_kernel(unsigned long long *wide, int *narrow)
{
    unsigned long long w = wide[threadIdx.x];
    int v = narrow[threadIdx.x];
    for (int i = 0; i < 100; i++) {
        w = w << 1 ^ ((long long)w < 0 ? 7 : 0);
        v = (int)((unsigned)v << 1) ^ (v < 0 ? 0x1d : 0) ^ (v >> 29 & 0xff);
    }
    wide[threadIdx.x] = w;
    narrow[threadIdx.x] = v;
}
#endif

static uint32_t bits_field(uint32_t c, unsigned from, unsigned length, bool is_signed)
{
    uint32_t r = 0;
    const unsigned top = from + length > 32 ? 31 : from + length ? from + length - 1 : 0;
    const uint32_t sign = is_signed && length ? c >> (top > 31 ? 31 : top) & 1 : 0;
    for (unsigned k = 0; k < 32; k++) r |= (k < length && from + k < 32 ? c >> (from + k) & 1 : sign) << k;
    return r;
}

PROGRAM(bits)
{
    const int n = 999;
    Array<unsigned> x(n), out(11 * n);
    for (int i = 0; i < n; i++) x[i] = noise(i) >> (i % 5 * 6);
    x.up();
    CHECK(!LAUNCH(bits_kernel, dim3(8), dim3(128), 0, (const unsigned *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const uint32_t a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n], from = a & 31, length = b % 40;
        CHECK(out[i] == bits_field(c, from, length, false));
        CHECK(out[n + i] == bits_field(c, from, length, true));
        uint32_t r = b;
        for (uint32_t k = 0; k < length && from + k < 32; k++) r = (r & ~(1u << (from + k))) | (a >> k & 1) << (from + k);
        CHECK(out[2 * n + i] == r);
        r = 0;
        for (int k = 0; k < 32; k++) r |= (a >> k & 1) << (31 - k);
        const uint32_t leading = c ? (uint32_t)__builtin_clz(c) : 32, first = (uint32_t)__builtin_ffs((int)a);
        CHECK(out[3 * n + i] == (r ^ (uint32_t)__builtin_popcount(b) ^ leading << 8 ^ first << 16));
        CHECK(out[4 * n + i] == (a >> from ? 31u - (uint32_t)__builtin_clz(a >> from) : ~0u));
        const uint64_t both = (uint64_t)b << 32 | a;
        for (int k = 0; k < 4; k++) CHECK((out[5 * n + i] >> 8 * k & 255) == (both >> 8 * (c >> 4 * k & 7) & 255));
        CHECK(out[6 * n + i] == (a ^ b ^ c));
        CHECK(out[7 * n + i] == (uint32_t)(both << (c & 31) >> 32));
        CHECK(out[8 * n + i] == ((c & 63) >= 32 ? b : (uint32_t)(both >> (c & 63))));
        const uint64_t w = (uint64_t)a << 32 | b;
        CHECK(out[9 * n + i] == ((uint32_t)__builtin_popcountll(w) | (w >> from ? (uint32_t)__builtin_clzll(w >> from) : 64u) << 8 | (uint32_t)__builtin_ffsll((long long)w) << 16));
        uint64_t v = 0;
        for (int k = 0; k < 64; k++) v |= (w >> k & 1) << (63 - k);
        CHECK(out[10 * n + i] == (uint32_t)(v >> 20));
    }
    Array<unsigned long long> wide(64);
    Array<int> narrow(64);
    for (int i = 0; i < 64; i++) wide[i] = (unsigned long long)noise(i) << 32 | noise(i + 64), narrow[i] = (int)noise(i);
    wide.up(), narrow.up();
    CHECK(!LAUNCH(bits_feedback_kernel, dim3(1), dim3(64), 0, wide.device, narrow.device));
    wide.down(), narrow.down();
    for (int i = 0; i < 64; i++) {
        unsigned long long w = (unsigned long long)noise(i) << 32 | noise(i + 64);
        int v = (int)noise(i);
        for (int k = 0; k < 100; k++) {
            w = w << 1 ^ ((long long)w < 0 ? 7 : 0);
            v = (int)((unsigned)v << 1) ^ (v < 0 ? 0x1d : 0) ^ (v >> 29 & 0xff);
        }
        CHECK(wide[i] == w && narrow[i] == v);
    }
    return 0;
}
