/* lzcopy: decodes text that was coded block by block with back-references. */
#include "workload.h"

#include <stdio.h>
#include <string.h>

struct sizes {
    uint32_t blocks, block_bytes;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {300, 96},
    [WL_SMALL] = {3072, 128},
    [WL_EVAL] = {16384, 192}, /* 256 blocks of 64 threads: the places of 32 SMs */
    [WL_FULL] = {262144, 192},
};
enum { LITERALS_MAX = 15, COPY_MIN = 3, COPY_MAX = 17, DISTANCE_MAX = 255 };

static const char *const words[] = {"time",  "value", "state", "open",  "closed", "user",  "error",  "warning",
                                    "level", "host",  "north", "south", "sensor", "ready", "offset", "count",
                                    "true",  "false", "none",  "name",  "left",   "right"};
#define N_WORDS (sizeof words / sizeof words[0])

/* Records of one kind, of 2 to 5 fields each, with slowly rising numbers and words from a few; they fill a block. */
static void draw_text(char *text, uint32_t bytes, struct wl_rng *rng)
{
    uint32_t n_fields = 2 + wl_rng_below(rng, 4), key[5], number = wl_rng_below(rng, 1000000), at = 0;
    key[0] = wl_rng_below(rng, N_WORDS);
    for (uint32_t f = 1; f < n_fields; f++) key[f] = (key[f - 1] + 5) % N_WORDS; /* no key twice */
    for (uint32_t f = 0; at < bytes; f = (f + 1) % n_fields) {
        char field[48];
        const char *open = f == 0 ? "{" : "", *close = f + 1 == n_fields ? "}\n" : ",";
        if (key[f] % 2)
            snprintf(field, sizeof field, "%s\"%s\":%u%s", open, words[key[f]], number += wl_rng_below(rng, 40), close);
        else
            snprintf(field, sizeof field, "%s\"%s\":\"%s\"%s", open, words[key[f]],
                     words[(key[f] + wl_rng_below(rng, 4)) % N_WORDS], close);
        uint32_t length = (uint32_t)strlen(field);
        if (length > bytes - at) length = bytes - at;
        memcpy(text + at, field, length);
        at += length;
    }
}

/* The longest copy for text[at..]: its length, 0 if it is too short, and the distance. */
static uint32_t find_copy(const char *text, uint32_t bytes, uint32_t at, uint32_t *distance)
{
    uint32_t longest = COPY_MIN - 1, most = bytes - at < COPY_MAX ? bytes - at : COPY_MAX;
    for (uint32_t d = 1; d <= at && d <= DISTANCE_MAX && longest < most; d++) {
        uint32_t length = 0;
        while (length < most && text[at + length] == text[at + length - d]) length++;
        if (length <= longest) continue;
        longest = length;
        *distance = d;
    }
    return longest < COPY_MIN ? 0 : longest;
}

/* Codes a block, taking the longest copy at every place; returns the number of bytes. */
static uint32_t code(const char *text, uint32_t bytes, uint8_t *to)
{
    uint32_t n = 0, first = 0; /* of the literals that wait */
    for (uint32_t at = 0; at < bytes;) {
        uint32_t distance = 0, length = find_copy(text, bytes, at, &distance);
        if (length == 0) at++;
        if (length == 0 && at - first < LITERALS_MAX && at < bytes) continue;
        to[n++] = (uint8_t)((at - first) << 4 | (length ? length - (COPY_MIN - 1) : 0));
        memcpy(to + n, text + first, at - first);
        n += at - first;
        if (length) to[n++] = (uint8_t)distance;
        first = at += length;
    }
    return n;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "lzcopy", .doc = "decoding of text with back-references", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.blocks * s.block_bytes;
    char *text = WL_NEW(&w, char, n);
    uint8_t *coded = WL_NEW(&w, uint8_t, 2 * n);
    uint32_t *start = WL_NEW(&w, uint32_t, s.blocks + 1), *got = WL_NEW(&w, uint32_t, n / 4),
             *want = WL_NEW(&w, uint32_t, n / 4);
    struct wl_rng rng = {67};
    for (uint32_t b = 0; b < s.blocks; b++) {
        char *block = text + (size_t)b * s.block_bytes;
        draw_text(block, s.block_bytes, &rng);
        start[b + 1] = start[b] + code(block, s.block_bytes, coded + start[b]);
    }

    CUdeviceptr d_coded = wl_upload(&w, coded, start[s.blocks]),
                d_start = wl_upload(&w, start, s.blocks * sizeof *start);
    CUdeviceptr d_text = wl_alloc(&w, n);
    void *args[] = {&d_coded, &d_start, &d_text, &s.blocks, &s.block_bytes};
    wl_launch(&w, wl_function(&w, "lz_decode"), wl_blocks(s.blocks, 64), 1, 64, 1, args);

    memcpy(want, text, n);
    wl_output(&w, got, d_text, n);
    wl_compare_u32(&w, "text", got, want, n / 4);
    return wl_end(&w);
}
