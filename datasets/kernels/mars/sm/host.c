/* sm: string match. */
#include "mapreduce.h"

#include <string.h>

struct sizes {
    uint32_t lines, chars_min, chars_max;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {600, 8, 40},
    [WL_SMALL] = {24576, 6, 13}, /* 96 blocks */
    [WL_FULL] = {1048576, 20, 100},
    [WL_EVAL] = {57344, 20, 100}, /* 224 blocks */
};
static const char keyword[] = "abab";
#define LENGTH (sizeof keyword - 1)

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "sm", .doc = "string match, a MapReduce pipeline (Mars)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.lines, n_matches = 0, n_found = 0, length = LENGTH, *lines = WL_NEW(&w, uint32_t, n + 1);
    struct wl_rng rng = {51};
    for (uint32_t i = 0; i < n; i++)
        lines[i + 1] = lines[i] + s.chars_min + wl_rng_below(&rng, s.chars_max - s.chars_min + 1);
    uint32_t n_text = lines[n], *want = WL_NEW(&w, uint32_t, n_text);
    char *text = WL_NEW(&w, char, n_text);
    for (uint32_t i = 0; i < n_text; i++) text[i] = (char)('a' + wl_rng_below(&rng, 6));
    for (uint32_t i = 0; i < n; i++) /* every eighth line or so has it */
        if (wl_rng_below(&rng, 8) == 0 && lines[i + 1] - lines[i] >= LENGTH)
            memcpy(text + lines[i] + wl_rng_below(&rng, lines[i + 1] - lines[i] - (uint32_t)LENGTH + 1), keyword,
                   LENGTH);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t at = lines[i]; at + LENGTH <= lines[i + 1]; at++)
            if (memcmp(text + at, keyword, LENGTH) == 0) want[n_matches++] = at;

    CUdeviceptr d_text = wl_upload(&w, text, n_text), d_keyword = wl_upload(&w, keyword, LENGTH);
    CUdeviceptr d_lines = wl_upload(&w, lines, (n + 1) * sizeof *lines);
    CUdeviceptr d_counts = wl_alloc(&w, (n + 1) * sizeof(uint32_t)),
                d_offsets = wl_alloc(&w, (n + 1) * sizeof(uint32_t));
    void *count[] = {&d_text, &d_lines, &d_keyword, &length, &d_counts, &n};
    wl_launch(&w, wl_function(&w, "sm_count"), wl_blocks(n, 256), 1, 256, 1, count);
    mr_scan(&w, d_counts, d_offsets, n + 1);
    wl_output(&w, &n_found, d_offsets + n * sizeof(uint32_t), sizeof n_found);
    wl_compare_u32(&w, "number of matches", &n_found, &n_matches, 1);
    if (n_found != n_matches) return wl_end(&w);

    uint32_t *out = WL_NEW(&w, uint32_t, n_found + 1);
    CUdeviceptr d_positions = wl_alloc(&w, (n_found + 1) * sizeof(uint32_t));
    void *emit[] = {&d_text, &d_lines, &d_keyword, &length, &d_counts, &d_offsets, &d_positions, &n};
    wl_launch(&w, wl_function(&w, "sm_emit"), wl_blocks(n, 256), 1, 256, 1, emit);
    wl_output(&w, out, d_positions, n_found * sizeof *out);
    wl_compare_u32(&w, "position", out, want, n_found);
    return wl_end(&w);
}
