/* The generators XORWOW (Marsaglia, "Xorshift RNGs", 2003), MRG32k3a (L'Ecuyer, Operations Research 47, 1999) and
 * Philox4x32-10 (Salmon et al., SC 2011), seeded as CUDA's are, in their streams. */
#include "rand/rand.h"

#include <stdlib.h>
#include <string.h>

/* ---- XORWOW: n steps of the five words are x^n modulo the step's characteristic polynomial, applied to them ---- */
static void xorshift(uint32_t v[5])
{
    const uint32_t t = v[0] ^ v[0] >> 2;
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}
static const uint32_t modulus[5] = {0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e};
static const uint32_t next_stream[5] = {0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2}; /* x^(2^67) */

static void apply(uint32_t v[5], const uint32_t p[5])
{
    uint32_t sum[5] = {0}, at[5];
    memcpy(at, v, sizeof at);
    for (unsigned i = 0; i < 160; i++, xorshift(at))
        if (p[i / 32] >> i % 32 & 1)
            for (unsigned k = 0; k < 5; k++) sum[k] ^= at[k];
    memcpy(v, sum, sizeof sum);
}
/* p := p * q modulo the polynomial. */
static void multiply(uint32_t p[5], const uint32_t q[5])
{
    uint32_t product[5] = {0};
    for (unsigned i = 160; i-- > 0;) {
        const uint32_t top = product[4] >> 31;
        for (unsigned k = 4; k > 0; k--) product[k] = product[k] << 1 | product[k - 1] >> 31;
        product[0] <<= 1;
        for (unsigned k = 0; k < 5; k++) product[k] ^= (top ? modulus[k] : 0) ^ (q[i / 32] >> i % 32 & 1 ? p[k] : 0);
    }
    memcpy(p, product, sizeof product);
}
static void steps(uint32_t p[5], uint64_t n)
{
    uint32_t square[5] = {2};
    memcpy(p, (const uint32_t[5]){1}, 5 * sizeof *p);
    for (; n; n >>= 1) {
        const uint32_t *factor = square;
        uint32_t copy[5];
        if (n & 1) multiply(p, factor);
        memcpy(copy, square, sizeof copy);
        multiply(square, copy);
    }
}
static void xorwow_begin(struct rand_streams *s)
{
    const uint32_t a = 1099087573u * ((uint32_t)s->seed ^ 0xaad26b49u),
                   b = 2591861531u * ((uint32_t)(s->seed >> 32) ^ 0xf7dcefddu);
    uint32_t v[5] = {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a}, here[5], more[5];
    const uint64_t round = s->next / s->streams;
    steps(here, round);
    steps(more, round + 1);
    for (unsigned k = 0; k < s->streams; k++) {
        const bool is_ahead = k < s->next % s->streams;
        memcpy(s->state[k], v, sizeof v);
        apply(s->state[k], is_ahead ? more : here);
        s->state[k][5] = 6615241u + a + b + 362437u * (uint32_t)(round + is_ahead);
        apply(v, next_stream);
    }
}

/* ---- MRG32k3a: two linear recurrences of three numbers each ---- */
static const uint64_t moduli[2] = {4294967087u, 4294944443u};
struct matrix {
    uint64_t a[3][3];
};
static struct matrix product(const struct matrix *x, const struct matrix *y, uint64_t m)
{
    struct matrix r = {{{0}}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++)
            for (unsigned k = 0; k < 3; k++) r.a[i][j] = (r.a[i][j] + x->a[i][k] * y->a[k][j] % m) % m;
    return r;
}
/* The matrix of one step, from the oldest number to the youngest. */
static struct matrix one_step(unsigned which)
{
    const struct matrix first = {{{0, 1, 0}, {0, 0, 1}, {moduli[0] - 810728, 1403580, 0}}},
                        second = {{{0, 1, 0}, {0, 0, 1}, {moduli[1] - 1370589, 0, 527612}}};
    return which == 0 ? first : second;
}
static struct matrix power(struct matrix x, uint64_t n, unsigned doublings, uint64_t m)
{
    struct matrix r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (; doublings; doublings--) x = product(&x, &x, m);
    for (; n; n >>= 1, x = product(&x, &x, m))
        if (n & 1) r = product(&r, &x, m);
    return r;
}
static void transform(uint32_t v[3], const struct matrix *x, uint64_t m)
{
    uint64_t r[3] = {0};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++) r[i] = (r[i] + x->a[i][k] * v[k] % m) % m;
    for (unsigned i = 0; i < 3; i++) v[i] = (uint32_t)r[i];
}
static void mrg_begin(struct rand_streams *s)
{
    const uint64_t low = (uint32_t)s->seed ^ 0x55555555u, high = (uint32_t)(s->seed >> 32) ^ 0xaaaaaaaau;
    const uint64_t round = s->next / s->streams;
    for (unsigned which = 0; which < 2; which++) {
        const uint64_t m = moduli[which];
        uint32_t v[3];
        for (unsigned i = 0; i < 3; i++)
            v[i] = s->seed ? (uint32_t)(((i + which) % 2 ? high : low) * 12345 % m) : 12345;
        const struct matrix stream = power(one_step(which), 1, 76, m), here = power(one_step(which), round, 0, m),
                            more = power(one_step(which), round + 1, 0, m);
        for (unsigned k = 0; k < s->streams; k++) {
            memcpy(&s->state[k][3 * which], v, sizeof v);
            transform(&s->state[k][3 * which], k < s->next % s->streams ? &more : &here, m);
            transform(v, &stream, m);
        }
    }
}
static uint32_t mrg_next(uint32_t v[6])
{
    const uint64_t x = (1403580 * (uint64_t)v[1] + 810728 * (moduli[0] - v[0])) % moduli[0];
    const uint64_t y = (527612 * (uint64_t)v[5] + 1370589 * (moduli[1] - v[3])) % moduli[1];
    v[0] = v[1], v[1] = v[2], v[2] = (uint32_t)x;
    v[3] = v[4], v[4] = v[5], v[5] = (uint32_t)y;
    return (uint32_t)(x > y ? x - y : x + moduli[0] - y);
}

/* ---- Philox: a function of the number's place ---- */
static uint32_t philox(uint64_t seed, uint64_t at)
{
    uint32_t c[4] = {(uint32_t)(at / 4), (uint32_t)(at / 4 >> 32), 0, 0};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (unsigned round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53u * (uint64_t)c[0], b = 0xcd9e8d57u * (uint64_t)c[2];
        const uint32_t r[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key[1],
                               (uint32_t)a};
        memcpy(c, r, sizeof c);
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c[at % 4];
}

int rand_begin(struct rand_streams *s)
{
    if (s->state) return 0;
    s->state = calloc(s->streams, sizeof *s->state);
    if (!s->state) return -1;
    if (s->type == CURAND_RNG_PSEUDO_XORWOW) xorwow_begin(s);
    if (s->type == CURAND_RNG_PSEUDO_MRG32K3A) mrg_begin(s);
    return 0;
}

uint32_t rand_next(struct rand_streams *s)
{
    uint32_t *v = s->state[s->next % s->streams];
    const uint64_t at = s->next++;
    if (s->type == CURAND_RNG_PSEUDO_PHILOX4_32_10) return philox(s->seed, at);
    if (s->type == CURAND_RNG_PSEUDO_MRG32K3A) return mrg_next(v);
    xorshift(v);
    v[5] += 362437u;
    return v[4] + v[5];
}
