/* sasearch: where patterns stand in a text, by its suffix array. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

struct sizes {
    uint32_t text, patterns;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2000, 700},
    [WL_SMALL] = {1u << 16, 6144},
    [WL_EVAL] = {1u << 19, 49152}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {1u << 22, 1u << 20},
};
enum { END = 4, SHORTEST = 12, LONGEST = 32, COPY_MIN = 32, COPY_MAX = 256 };

/* Random bases, and between them copies of what came before with one base of 32 changed. */
static void draw_text(uint8_t *text, uint32_t n, struct wl_rng *rng)
{
    for (uint32_t at = 0; at < n;) {
        uint32_t length = COPY_MIN + wl_rng_below(rng, COPY_MAX - COPY_MIN + 1), from = 0;
        bool is_copy = at > COPY_MAX && wl_rng_below(rng, 4) == 0;
        if (length > n - at) length = n - at;
        if (is_copy) from = wl_rng_below(rng, at - COPY_MAX);
        for (uint32_t k = 0; k < length; k++, at++) {
            bool is_same = is_copy && wl_rng_below(rng, 32) != 0;
            text[at] = is_same ? text[from + k] : (uint8_t)wl_rng_below(rng, 4);
        }
    }
    text[n] = END;
}

static const uint8_t *sorted_text; /* of the comparison below */

static int by_suffix(const void *a, const void *b)
{
    const uint8_t *x = sorted_text + *(const uint32_t *)a, *y = sorted_text + *(const uint32_t *)b;
    if (x == y) return 0;
    while (*x == *y) x++, y++; /* only one of them ends here, in the symbol above all others */
    return *x < *y ? -1 : 1;
}

/* Cut from the text, half of them with one base changed. */
static void draw_pattern(const uint8_t *text, uint32_t n, uint8_t *bases, uint32_t *length, struct wl_rng *rng)
{
    *length = SHORTEST + wl_rng_below(rng, LONGEST - SHORTEST + 1);
    memcpy(bases, text + wl_rng_below(rng, n - LONGEST), *length);
    if (wl_rng_below(rng, 2)) bases[wl_rng_below(rng, *length)] = (uint8_t)wl_rng_below(rng, 4);
}

/* The number of suffixes below the pattern: one pass over sorted suffixes for sorted patterns would do; this bisects by
 * whole comparisons. */
static uint32_t reference(const uint8_t *text, const uint32_t *suffix, uint32_t n, const uint8_t *bases,
                          uint32_t length)
{
    uint32_t below = 0;
    for (uint32_t step = 1u << 31; step != 0; step /= 2)
        if (below + step <= n) {
            const uint8_t *at = text + suffix[below + step - 1];
            if (memcmp(at, bases, length) < 0) below += step;
        }
    return below;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "sasearch", .doc = "patterns searched in a suffix array", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.patterns, n_suffixes = s.text + 1;
    /* memcmp of the last suffixes reads past the end */
    uint8_t *text = WL_NEW(&w, uint8_t, n_suffixes + LONGEST), *lengths = WL_NEW(&w, uint8_t, n), bases[LONGEST];
    uint32_t *suffix = WL_NEW(&w, uint32_t, n_suffixes), *got = WL_NEW(&w, uint32_t, n),
             *want = WL_NEW(&w, uint32_t, n);
    uint64_t *patterns = WL_NEW(&w, uint64_t, n);
    struct wl_rng rng = {81};
    draw_text(text, s.text, &rng);
    for (uint32_t i = 0; i < n_suffixes; i++) suffix[i] = i;
    sorted_text = text;
    qsort(suffix, n_suffixes, sizeof *suffix, by_suffix);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t length;
        draw_pattern(text, s.text, bases, &length, &rng);
        lengths[i] = (uint8_t)length;
        for (uint32_t k = length; k-- > 0;) patterns[i] = patterns[i] << 2 | bases[k];
        want[i] = reference(text, suffix, n_suffixes, bases, length);
    }

    CUdeviceptr d_text = wl_upload(&w, text, n_suffixes), d_suffix = wl_upload(&w, suffix, n_suffixes * sizeof *suffix);
    CUdeviceptr d_patterns = wl_upload(&w, patterns, n * sizeof *patterns), d_lengths = wl_upload(&w, lengths, n);
    CUdeviceptr d_smaller = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_text, &d_suffix, &n_suffixes, &d_patterns, &d_lengths, &d_smaller, &n};
    wl_launch(&w, wl_function(&w, "sa_search"), wl_blocks(n, 256), 1, 256, 1, args);

    wl_output(&w, got, d_smaller, n * sizeof *got);
    wl_compare_u32(&w, "smaller", got, want, n);
    return wl_end(&w);
}
