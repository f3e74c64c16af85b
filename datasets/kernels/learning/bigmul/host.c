/* bigmul: products of long integers. */
#include "workload.h"

struct sizes {
    uint32_t products, limbs;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {300, 6},
    [WL_SMALL] = {8192, 16},
    [WL_EVAL] = {32768, 32}, /* 256 blocks of 128, two thirds of the places of 32 SMs */
    [WL_FULL] = {262144, 64},
};

/* Row by row, where the kernel goes column by column. */
static void multiply(const uint32_t *a, const uint32_t *b, uint32_t *product, struct sizes s)
{
    size_t n = s.products;
    for (uint32_t i = 0; i < s.limbs; i++) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < s.limbs; j++) {
            carry += (uint64_t)a[i * n] * b[j * n] + product[(i + j) * n];
            product[(i + j) * n] = (uint32_t)carry;
            carry >>= 32;
        }
        product[(i + s.limbs) * n] = (uint32_t)carry;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "bigmul", .doc = "products of long integers", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.products * s.limbs;
    uint32_t *a = WL_NEW(&w, uint32_t, n), *b = WL_NEW(&w, uint32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, 2 * n), *want = WL_NEW(&w, uint32_t, 2 * n);
    struct wl_rng rng = {96};
    for (size_t i = 0; i < n; i++) {
        uint64_t drawn = wl_rng_next(&rng);
        a[i] = (uint32_t)drawn;
        b[i] = (uint32_t)(drawn >> 32);
    }

    CUdeviceptr d_a = wl_upload(&w, a, n * sizeof *a), d_b = wl_upload(&w, b, n * sizeof *b);
    CUdeviceptr d_products = wl_alloc(&w, 2 * n * sizeof *got);
    void *args[] = {&d_a, &d_b, &d_products, &s.limbs, &s.products};
    wl_launch(&w, wl_function(&w, "big_mul"), wl_blocks(s.products, 128), 1, 128, 1, args);

    for (uint32_t i = 0; i < s.products; i++) multiply(a + i, b + i, want + i, s);
    wl_output(&w, got, d_products, 2 * n * sizeof *got);
    wl_compare_u32(&w, "products", got, want, 2 * n);
    return wl_end(&w);
}
