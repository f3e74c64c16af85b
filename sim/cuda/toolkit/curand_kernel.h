/* Random numbers in device code: the generators XORWOW (Marsaglia, "Xorshift RNGs", 2003) and Philox4x32-10 (Salmon
 * et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011), seeded, skipped and transformed so that the
 * sequences of whole numbers and uniform ones are those of NVIDIA's library, and Sobol sequences over the direction
 * vectors that a program gives. MRG32k3a and MTGP32 are not here. */
#ifndef POISE_CURAND_KERNEL_H
#define POISE_CURAND_KERNEL_H
#define CURAND_KERNEL_H_
#include <cuda_runtime.h>
#include "curand.h"
#define POISE_R static inline __device__
#define QUALIFIERS static inline __device__ __attribute__((always_inline))

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double; /* the second number of a pair waits */
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
template <class T, int bits> struct poise_sobol {
    T i, x, c, direction_vectors[bits];
};
typedef struct curandStateSobol32 : poise_sobol<unsigned, 32> {
} curandStateSobol32_t;
typedef struct curandStateSobol64 : poise_sobol<unsigned long long, 64> {
} curandStateSobol64_t;
typedef struct curandStateScrambledSobol32 : poise_sobol<unsigned, 32> {
} curandStateScrambledSobol32_t;
typedef struct curandStateScrambledSobol64 : poise_sobol<unsigned long long, 64> {
} curandStateScrambledSobol64_t;
#ifdef __CUDACC__ /* files of the host that include this have the types alone */

/* ---- XORWOW ---- */
POISE_R void poise_xorshift(unsigned v[5])
{
    const unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}
/* The five words' step is linear over GF(2), with this characteristic polynomial of degree 160 (its leading term
 * left out), so that n steps are x^n modulo it, applied to the state [Haramoto et al., INFORMS J. on Computing 20
 * (2008)]. */
static __device__ const unsigned poise_xorwow_modulus[5] = {0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e};
/* x^(2^67) */
static __device__ const unsigned poise_xorwow_sequence[5] = {0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4,
                                                             0x947e6dd2};
/* p := p^2: the bits spread out, and the upper half brought down from the top. */
POISE_R void poise_xorwow_square(unsigned p[5])
{
    unsigned w[10];
    for (int i = 0; i < 10; i++) {
        unsigned x = p[i / 2] >> (i % 2 ? 16 : 0) & 0xffff;
        x = (x | x << 8) & 0x00ff00ff;
        x = (x | x << 4) & 0x0f0f0f0f;
        x = (x | x << 2) & 0x33333333;
        w[i] = (x | x << 1) & 0x55555555;
    }
    for (int i = 4; i >= 0; i--)
        for (int bit = 31; bit >= 0; bit--) {
            if (!(w[i + 5] >> bit & 1)) continue;
            for (int k = 0; k < 5; k++) {
                w[i + k] ^= poise_xorwow_modulus[k] << bit;
                if (bit) w[i + k + 1] ^= poise_xorwow_modulus[k] >> (32 - bit);
            }
        }
    for (int i = 0; i < 5; i++) p[i] = w[i];
}
POISE_R void poise_xorwow_apply(unsigned v[5], const unsigned p[5])
{
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; i++) {
        const unsigned mask = 0u - (p[i / 32] >> i % 32 & 1);
        for (int k = 0; k < 5; k++) sum[k] ^= v[k] & mask;
        poise_xorshift(v);
    }
    for (int k = 0; k < 5; k++) v[k] = sum[k];
}
/* n times the steps that p stands for. */
static __device__ __attribute__((noinline)) void poise_xorwow_skip(unsigned v[5], const unsigned base[5],
                                                                   unsigned long long n)
{
    unsigned p[5];
    for (int k = 0; k < 5; k++) p[k] = base[k];
    for (; n; n >>= 1) {
        if (n & 1) poise_xorwow_apply(v, p);
        if (n > 1) poise_xorwow_square(p);
    }
}
POISE_R void skipahead(unsigned long long n, curandStateXORWOW_t *s)
{
    const unsigned one[5] = {2, 0, 0, 0, 0}; /* x */
    if (n) poise_xorwow_skip(s->v, one, n);
    s->d += 362437u * (unsigned)n;
}
POISE_R void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s)
{
    if (n) poise_xorwow_skip(s->v, poise_xorwow_sequence, n);
}
POISE_R void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStateXORWOW_t *s)
{
    const unsigned a = 1099087573u * ((unsigned)seed ^ 0xaad26b49u),
                   b = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    s->d = 6615241u + a + b;
    s->v[0] = 123456789u + a, s->v[1] = 362436069u ^ a, s->v[2] = 521288629u + b, s->v[3] = 88675123u ^ b,
    s->v[4] = 5783321u + a;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
}
QUALIFIERS unsigned curand(curandStateXORWOW_t *s)
{
    poise_xorshift(s->v);
    s->d += 362437u;
    return s->v[4] + s->d;
}

/* ---- Philox4x32-10 ---- */
POISE_R uint4 poise_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const unsigned low0 = 0xd2511f53u * c.x, high0 = __umulhi(0xd2511f53u, c.x), low1 = 0xcd9e8d57u * c.z,
                       high1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}
POISE_R void poise_philox_count(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    const unsigned long long low = ((unsigned long long)s->ctr.y << 32 | s->ctr.x), sum = low + n;
    s->ctr.x = (unsigned)sum, s->ctr.y = (unsigned)(sum >> 32);
    if (sum < low && ++s->ctr.z == 0) ++s->ctr.w;
}
POISE_R void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    const unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
    s->ctr.z = (unsigned)high, s->ctr.w = (unsigned)(high >> 32);
    s->output = poise_philox(s->ctr, s->key);
}
POISE_R void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    s->STATE += (unsigned)(n & 3);
    n /= 4;
    if (s->STATE > 3) n++, s->STATE -= 4;
    poise_philox_count(s, n);
    s->output = poise_philox(s->ctr, s->key);
}
POISE_R void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStatePhilox4_32_10_t *s)
{
    s->ctr = make_uint4(0, 0, 0, 0);
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    s->STATE = 0;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}
POISE_R unsigned poise_philox_part(uint4 v, unsigned i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }
POISE_R unsigned curand(curandStatePhilox4_32_10_t *s)
{
    const unsigned r = poise_philox_part(s->output, s->STATE++);
    if (s->STATE == 4) {
        poise_philox_count(s, 1);
        s->output = poise_philox(s->ctr, s->key);
        s->STATE = 0;
    }
    return r;
}
POISE_R uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    const uint4 a = s->output;
    poise_philox_count(s, 1);
    const uint4 b = s->output = poise_philox(s->ctr, s->key);
    return s->STATE == 0   ? a
           : s->STATE == 1 ? make_uint4(a.y, a.z, a.w, b.x)
           : s->STATE == 2 ? make_uint4(a.z, a.w, b.x, b.y)
                           : make_uint4(a.w, b.x, b.y, b.z);
}

/* ---- distributions: (0, 1], so that a logarithm is finite ---- */
#define POISE_2POW32 2.3283064e-10f
#define POISE_2POW53 1.1102230246251565e-16
QUALIFIERS float poise_uniform(unsigned x) { return x * POISE_2POW32 + POISE_2POW32 / 2; }
QUALIFIERS double poise_uniform_double(unsigned x, unsigned y)
{
    return ((unsigned long long)x ^ (unsigned long long)y << 21) * POISE_2POW53 + POISE_2POW53 / 2;
}
QUALIFIERS float2 poise_normal_pair(unsigned x, unsigned y)
{
    const float length = sqrtf(-2 * logf(poise_uniform(x))),
                angle = y * (POISE_2POW32 * 6.2831855f) + POISE_2POW32 * 6.2831855f / 2;
    float2 r;
    __sincosf(angle, &r.x, &r.y);
    return make_float2(r.x * length, r.y * length);
}
QUALIFIERS double2 poise_normal_pair_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    const double length = sqrt(-2 * log(poise_uniform_double(x0, x1))), angle = 2 * poise_uniform_double(y0, y1);
    double2 r;
    sincospi(angle, &r.x, &r.y);
    return make_double2(r.x * length, r.y * length);
}
template <class S> QUALIFIERS float curand_uniform(S *s) { return poise_uniform(curand(s)); }
template <class S> QUALIFIERS double curand_uniform_double(S *s)
{
    const unsigned x = curand(s), y = curand(s);
    return poise_uniform_double(x, y);
}
template <class S> QUALIFIERS float2 curand_normal2(S *s)
{
    const unsigned x = curand(s), y = curand(s);
    return poise_normal_pair(x, y);
}
template <class S> QUALIFIERS double2 curand_normal2_double(S *s)
{
    const unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s), y1 = curand(s);
    return poise_normal_pair_double(x0, x1, y0, y1);
}
template <class S> QUALIFIERS float curand_normal(S *s)
{
    if (s->boxmuller_flag) return s->boxmuller_flag = 0, s->boxmuller_extra;
    const float2 pair = curand_normal2(s);
    s->boxmuller_flag = 1;
    s->boxmuller_extra = pair.y;
    return pair.x;
}
template <class S> QUALIFIERS double curand_normal_double(S *s)
{
    if (s->boxmuller_flag_double) return s->boxmuller_flag_double = 0, s->boxmuller_extra_double;
    const double2 pair = curand_normal2_double(s);
    s->boxmuller_flag_double = 1;
    s->boxmuller_extra_double = pair.y;
    return pair.x;
}
template <class S> QUALIFIERS float curand_log_normal(S *s, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(s));
}
template <class S> QUALIFIERS double curand_log_normal_double(S *s, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(s));
}
QUALIFIERS float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    const uint4 v = curand4(s);
    return make_float4(poise_uniform(v.x), poise_uniform(v.y), poise_uniform(v.z), poise_uniform(v.w));
}
QUALIFIERS double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    const uint4 v = curand4(s);
    return make_double2(poise_uniform_double(v.x, v.y), poise_uniform_double(v.z, v.w));
}
QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    const uint4 v = curand4(s);
    const float2 a = poise_normal_pair(v.x, v.y), b = poise_normal_pair(v.z, v.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class S> QUALIFIERS float2 curand_log_normal2(S *s, float mean, float deviation)
{
    const float2 pair = curand_normal2(s);
    return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <class S> QUALIFIERS double2 curand_log_normal2_double(S *s, double mean, double deviation)
{
    const double2 pair = curand_normal2_double(s);
    return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
QUALIFIERS float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float deviation)
{
    const float4 v = curand_normal4(s);
    return make_float4(expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z),
                       expf(mean + deviation * v.w));
}
/* Knuth's product of uniform numbers, in steps of a mean that exp does not lose; from a mean of 4000 on the normal
 * distribution. The numbers are not those of NVIDIA's library, their distribution is. */
template <class S> static __device__ unsigned curand_poisson(S *s, double mean)
{
    if (mean > 4000) {
        const double v = mean + sqrt(mean) * curand_normal_double(s) + 0.5;
        return v > 0 ? (unsigned)v : 0u;
    }
    unsigned n = 0;
    for (double left = mean, product = 1;;) {
        product *= curand_uniform_double(s);
        while (product < 1 && left > 0) {
            const double step = left < 500 ? left : 500;
            product *= exp(step);
            left -= step;
        }
        if (product <= 1) return n;
        n++;
    }
}

/* ---- Sobol sequences in the order of Gray codes; scrambled ones begin at a number that the program gives ---- */
POISE_R int poise_lowest_zero(unsigned x) { return __ffs((int)~x) - 1; }
POISE_R int poise_lowest_zero(unsigned long long x) { return __ffsll((long long)~x) - 1; }
template <class T, int bits> QUALIFIERS T poise_sobol_next(poise_sobol<T, bits> *s)
{
    const T x = s->x;
    const int k = poise_lowest_zero(s->i++);
    if (k >= 0) s->x ^= s->direction_vectors[k];
    return x;
}
template <class T, int bits> QUALIFIERS void poise_sobol_skip(poise_sobol<T, bits> *s, T n)
{
    s->i += n;
    s->x = s->c;
    const T gray = s->i ^ s->i >> 1;
    for (int k = 0; k < bits; k++)
        if (gray >> k & 1) s->x ^= s->direction_vectors[k];
}
template <class T, int bits>
QUALIFIERS void poise_sobol_begin(poise_sobol<T, bits> *s, const T *directions, T scramble, T offset)
{
    for (int k = 0; k < bits; k++) s->direction_vectors[k] = directions[k];
    s->i = 0;
    s->c = scramble;
    poise_sobol_skip(s, offset);
}
POISE_R double poise_sobol_uniform(unsigned x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
POISE_R double poise_sobol_uniform(unsigned long long x) { return (x >> 11) * POISE_2POW53 + POISE_2POW53 / 2; }
/* What of the normal distribution lies below: the upper half by symmetry, which keeps its precision. */
POISE_R float poise_sobol_normal(unsigned x)
{
    const bool is_upper = x > 0x80000000u;
    const float z = 1.4142135f * erfcinvf(2 * poise_uniform(is_upper ? ~x : x));
    return is_upper ? z : -z;
}
POISE_R double poise_sobol_normal_double(unsigned x)
{
    const bool is_upper = x > 0x80000000u;
    const double u = (is_upper ? ~x : x) * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2,
                 z = 1.4142135623730951 * erfcinv(2 * u);
    return is_upper ? z : -z;
}
POISE_R double poise_sobol_normal_double(unsigned long long y)
{
    const unsigned long long x = y >> 11;
    const bool is_upper = x > 0x10000000000000ull;
    const double u = (is_upper ? 0x1fffffffffffffull - x : x) * POISE_2POW53 + POISE_2POW53 / 2,
                 z = 1.4142135623730951 * erfcinv(2 * u);
    return is_upper ? z : -z;
}
#define POISE_SOBOL(Name, T, bits) \
    POISE_R void skipahead(T n, curandState##Name##_t *s) { poise_sobol_skip<T, bits>(s, n); } \
    POISE_R T curand(curandState##Name##_t *s) { return poise_sobol_next<T, bits>(s); } \
    POISE_R float curand_uniform(curandState##Name##_t *s) \
    { \
        return poise_uniform((unsigned)(curand(s) >> (bits - 32))); \
    } \
    POISE_R double curand_uniform_double(curandState##Name##_t *s) { return poise_sobol_uniform(curand(s)); } \
    POISE_R float curand_normal(curandState##Name##_t *s) \
    { \
        return poise_sobol_normal((unsigned)(curand(s) >> (bits - 32))); \
    } \
    POISE_R double curand_normal_double(curandState##Name##_t *s) { return poise_sobol_normal_double(curand(s)); }
POISE_SOBOL(Sobol32, unsigned, 32)
POISE_SOBOL(Sobol64, unsigned long long, 64)
POISE_SOBOL(ScrambledSobol32, unsigned, 32)
POISE_SOBOL(ScrambledSobol64, unsigned long long, 64)
#undef POISE_SOBOL
POISE_R void curand_init(const unsigned *directions, unsigned offset, curandStateSobol32_t *s)
{
    poise_sobol_begin<unsigned, 32>(s, directions, 0, offset);
}
POISE_R void curand_init(const unsigned *directions, unsigned scramble, unsigned offset,
                         curandStateScrambledSobol32_t *s)
{
    poise_sobol_begin<unsigned, 32>(s, directions, scramble, offset);
}
POISE_R void curand_init(const unsigned long long *directions, unsigned long long offset, curandStateSobol64_t *s)
{
    poise_sobol_begin<unsigned long long, 64>(s, directions, 0, offset);
}
POISE_R void curand_init(const unsigned long long *directions, unsigned long long scramble, unsigned long long offset,
                         curandStateScrambledSobol64_t *s)
{
    poise_sobol_begin<unsigned long long, 64>(s, directions, scramble, offset);
}
#undef POISE_R
#undef POISE_2POW32
#undef POISE_2POW53
#endif
#endif
