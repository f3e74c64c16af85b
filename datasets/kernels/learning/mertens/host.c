/* mertens: sums of Mertens' function over n / i. */
#include "workload.h"

enum { STEPS_MAX = 4096 };
struct sizes {
    uint32_t first, steps, numbers; /* numbers from `first`, quotients by 2 to `steps` - 1 */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2000, 30, 200},
    [WL_SMALL] = {100000, 128, 12288},
    [WL_EVAL] = {900000, 950, 49152}, /* 192 blocks of 256: the places of 32 SMs; steps to the root of the numbers */
    [WL_FULL] = {1000000, 1000, 1u << 18},
};

/* Mertens' function by a sieve of Moebius'. */
static void sieve(int32_t *mertens, uint32_t n)
{
    mertens[1] = 1;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 2 * i; j < n; j += i) mertens[j] -= mertens[i];
    for (uint32_t i = 1; i < n; i++) mertens[i] += mertens[i - 1];
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "mertens", .doc = "sums of Mertens' function over n / i", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const uint32_t n = s.numbers, entries = (s.first + n) / 2 + 1;
    int32_t *mertens = WL_NEW(&w, int32_t, entries), *got = WL_NEW(&w, int32_t, n), *want = WL_NEW(&w, int32_t, n);
    uint32_t *reciprocals = WL_NEW(&w, uint32_t, STEPS_MAX);
    sieve(mertens, entries);
    /* Rounding adds less than number / 2^32 to a quotient, whose fraction is at least 1 / i short of a whole: exact. */
    for (uint32_t i = 2; i < s.steps; i++) reciprocals[i] = (uint32_t)((((uint64_t)1 << 32) + i - 1) / i);

    wl_symbol(&w, "reciprocals", reciprocals, STEPS_MAX * sizeof *reciprocals);
    CUdeviceptr d_mertens = wl_upload(&w, mertens, entries * sizeof *mertens), d_sums = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_mertens, &d_sums, &s.first, &s.steps, (void *)&n};
    wl_launch(&w, wl_function(&w, "hyperbola_sums"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 2; k < s.steps; k++) want[i] += mertens[(s.first + i) / k];
    wl_output(&w, got, d_sums, n * sizeof *got);
    wl_compare_u32(&w, "sums", (const uint32_t *)got, (const uint32_t *)want, n);
    return wl_end(&w);
}
