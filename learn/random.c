/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
#include <math.h>
#include "poise/validate.h"

uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

size_t random_below(struct random *random, size_t n)
{
    const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t v;
    do v = random_next(random);
    while (v >= limit);
    return (size_t)(v % n);
}

double random_uniform(struct random *random) { return ((double)(random_next(random) >> 12) + 0.5) * 0x1p-52; }

double random_normal(struct random *random)
{
    const double u = random_uniform(random), v = random_uniform(random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

void random_shuffle(struct random *random, size_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = random_below(random, i), item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
