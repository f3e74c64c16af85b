/* rc4keys: first bytes of RC4's streams for many keys. */
#include "workload.h"

static const uint32_t n_keys[WL_N_SIZES] = {
    [WL_TEST] = 96,
    [WL_SMALL] = 8192,
    [WL_EVAL] = 24576, /* 96 blocks of 256, half the places of 32 SMs */
    [WL_FULL] = 1u << 20,
};
#define FIRST_KEY 0x5eed93u

static uint32_t first_bytes(uint64_t key)
{
    uint8_t state[256], bytes[5], keep;
    for (uint32_t i = 0; i < 5; i++) bytes[i] = (uint8_t)(key >> 8 * i);
    for (uint32_t i = 0; i < 256; i++) state[i] = (uint8_t)i;
    for (uint32_t i = 0, j = 0; i < 256; i++) {
        j = (j + state[i] + bytes[i % 5]) % 256;
        keep = state[i];
        state[i] = state[j];
        state[j] = keep;
    }
    uint32_t stream = 0;
    for (uint32_t i = 1, j = 0; i <= 4; i++) {
        j = (j + state[i]) % 256;
        keep = state[i];
        state[i] = state[j];
        state[j] = keep;
        stream = stream << 8 | state[(state[i] + state[j]) % 256];
    }
    return stream;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "rc4keys", .doc = "a search for keys of RC4", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = n_keys[w.size], first_key = FIRST_KEY;
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);

    CUdeviceptr d_states = wl_alloc(&w, (size_t)n * 256), d_streams = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_states, &d_streams, &first_key, &n};
    wl_launch(&w, wl_function(&w, "rc4_streams"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = first_bytes(UINT64_C(0x6500000000) | (first_key + i));
    wl_output(&w, got, d_streams, n * sizeof *got);
    wl_compare_u32(&w, "streams", got, want, n);
    return wl_end(&w);
}
