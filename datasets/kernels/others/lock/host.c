/* lock: a hash table with spin locks. */
#include "workload.h"

#define NONE UINT32_MAX

struct sizes {
    uint32_t n, buckets[2];
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {768, {64, 1024}},
    [WL_SMALL] = {49152, {4096, 65536}}, /* every SM full */
    [WL_FULL] = {1048576, {16384, 1048576}},
};

/* Every key is in exactly one list, that of its bucket; lengths tell how long each is; no lock is held. */
static void verify(struct wl *w, uint32_t n, uint32_t buckets, const uint32_t *keys, const CUdeviceptr from[4])
{
    uint32_t *arrays[4];
    bool *seen = WL_NEW(w, bool, n);
    for (int k = 0; k < 4; k++) {
        uint32_t words = k == 2 ? n : buckets;
        wl_output(w, arrays[k] = WL_NEW(w, uint32_t, words), from[k], words * sizeof(uint32_t));
    }
    const uint32_t *locks = arrays[0], *heads = arrays[1], *nexts = arrays[2], *lengths = arrays[3];
    for (uint32_t b = 0; b < buckets; b++) {
        uint32_t length = 0;
        wl_expect(w, locks[b] == 0, "lock", b);
        for (uint32_t i = heads[b]; i != NONE && length <= n; i = nexts[i], length++) {
            bool is_right = i < n && !seen[i] && (keys[i] & (buckets - 1)) == b;
            wl_expect(w, is_right, "entry of bucket", b);
            if (!is_right) break;
            seen[i] = true;
        }
        wl_expect(w, length == lengths[b], "length of bucket", b);
    }
    for (uint32_t i = 0; i < n; i++) wl_expect(w, seen[i], "key", i);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "lock", .doc = "a hash table with spin locks"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t *keys = WL_NEW(&w, uint32_t, s.n);
    struct wl_rng rng = {64};
    for (uint32_t i = 0; i < s.n; i++) keys[i] = wl_rng_below(&rng, UINT32_MAX);
    CUdeviceptr d_keys = wl_upload(&w, keys, s.n * sizeof *keys);
    for (int k = 0; k < 2; k++) {
        uint32_t buckets = s.buckets[k], mask = buckets - 1;
        size_t bytes = buckets * sizeof(uint32_t);
        CUdeviceptr d[4] = {wl_alloc(&w, bytes), wl_alloc(&w, bytes), wl_alloc(&w, s.n * sizeof(uint32_t)),
                            wl_alloc(&w, bytes)};
        WL_CU(&w, cuMemsetD32(d[1], NONE, buckets));
        void *args[] = {&d_keys, &d[0], &d[1], &d[2], &d[3], &mask, &s.n};
        wl_launch(&w, wl_function(&w, "lock_insert"), wl_blocks(s.n, 256), 1, 256, 1, args);
        verify(&w, s.n, buckets, keys, d);
    }
    return wl_end(&w);
}
