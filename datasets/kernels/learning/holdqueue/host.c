/* holdqueue: simulations of discrete events, each with its own heap. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

/* `events` is odd, so that an entry has both children or none. */
struct sizes {
    uint32_t simulations, events, holds;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {300, 31, 4},
    [WL_SMALL] = {8192, 127, 8},
    [WL_EVAL] = {32768, 255, 12}, /* 256 blocks of 128: the places of 32 SMs */
    [WL_FULL] = {131072, 1023, 64},
};

static int by_time(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Entries of one heap, in order of i: a simulation that has run for a while, its events drawn. */
static void draw_heap(uint32_t *heap, uint32_t events, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < events; i++) heap[i] = wl_rng_below(rng, 65536);
    for (uint32_t i = events; i-- > 0;)
        for (uint32_t at = i, child; (child = 2 * at + 1) < events; at = child) {
            if (heap[child + 1] < heap[child]) child++;
            if (heap[at] <= heap[child]) break;
            uint32_t keep = heap[at];
            heap[at] = heap[child];
            heap[child] = keep;
        }
}

/* What a simulation comes to whatever its queue is: events in a sorted list. */
static void reference(uint32_t *sorted, uint32_t events, uint32_t *seed, uint32_t holds)
{
    qsort(sorted, events, sizeof *sorted, by_time);
    for (; holds != 0; holds--) {
        *seed = *seed * 1664525u + 1013904223u;
        uint32_t time = sorted[0] + 1 + (*seed >> 16), at = 0;
        for (; at + 1 < events && sorted[at + 1] < time; at++) sorted[at] = sorted[at + 1];
        sorted[at] = time;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "holdqueue", .doc = "simulations of discrete events, a heap each", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.simulations;
    size_t n_entries = (size_t)n * s.events;
    uint32_t *heaps = WL_NEW(&w, uint32_t, n_entries), *want = WL_NEW(&w, uint32_t, n_entries);
    uint32_t *seeds = WL_NEW(&w, uint32_t, n), *want_seeds = WL_NEW(&w, uint32_t, n), *got = WL_NEW(&w, uint32_t, n);
    uint32_t *heap = WL_NEW(&w, uint32_t, s.events);
    struct wl_rng rng = {82};
    for (uint32_t q = 0; q < n; q++) {
        draw_heap(heap, s.events, &rng);
        want_seeds[q] = seeds[q] = (uint32_t)wl_rng_next(&rng);
        for (uint32_t i = 0; i < s.events; i++) heaps[(size_t)i * n + q] = heap[i];
        memcpy(want + (size_t)q * s.events, heap, s.events * sizeof *heap);
    }

    CUdeviceptr d_heaps = wl_upload(&w, heaps, n_entries * sizeof *heaps);
    CUdeviceptr d_seeds = wl_upload(&w, seeds, n * sizeof *seeds);
    void *args[] = {&d_heaps, &d_seeds, &s.events, &s.holds, &n};
    wl_launch(&w, wl_function(&w, "hold_events"), wl_blocks(n, 128), 1, 128, 1, args);

    wl_output(&w, heaps, d_heaps, n_entries * sizeof *heaps);
    wl_output(&w, got, d_seeds, n * sizeof *got);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t *mine = want + (size_t)q * s.events;
        reference(mine, s.events, &want_seeds[q], s.holds);
        for (uint32_t i = 0; i < s.events; i++) heap[i] = heaps[(size_t)i * n + q];
        for (uint32_t i = 1; i < s.events; i++)
            wl_expect(&w, heap[(i - 1) / 2] <= heap[i], "order of heap", (size_t)q * s.events + i);
        qsort(heap, s.events, sizeof *heap, by_time);
        wl_compare_u32(&w, "events", heap, mine, s.events);
    }
    wl_compare_u32(&w, "seeds", got, want_seeds, n);
    return wl_end(&w);
}
