#include "mapreduce.h"

#define MR_THREADS 256u
#define MR_BLOCK_ITEMS 2048u

void mr_scan(struct wl *w, CUdeviceptr in, CUdeviceptr out, uint32_t n)
{
    CUfunction block = wl_function(w, "mr_scan_block"), add = wl_function(w, "mr_scan_add");
    uint32_t n_blocks = wl_blocks(n, MR_BLOCK_ITEMS), one = 1;
    if (n_blocks > MR_BLOCK_ITEMS) wl_fail(w, "a scan of %u items needs more than two levels", n);
    CUdeviceptr sums = wl_alloc(w, n_blocks * sizeof(uint32_t)), total = wl_alloc(w, one * sizeof(uint32_t));
    void *first[] = {&in, &out, &sums, &n};
    wl_launch(w, block, n_blocks, 1, MR_THREADS, 1, first);
    if (n_blocks == 1) return;
    void *second[] = {&sums, &sums, &total, &n_blocks}; /* in place: a thread reads its items before it writes them */
    wl_launch(w, block, 1, 1, MR_THREADS, 1, second);
    void *third[] = {&out, &sums, &n};
    wl_launch(w, add, wl_blocks(n, MR_THREADS), 1, MR_THREADS, 1, third);
}

struct mr_groups mr_group(struct wl *w, CUdeviceptr keys, uint32_t n, uint32_t n_slots)
{
    struct mr_groups g = {.n = n, .mask = n_slots - 1};
    g.table = wl_alloc(w, n_slots * sizeof(uint32_t));
    g.counts = wl_alloc(w, (n_slots + 1) * sizeof(uint32_t));
    g.slots = wl_alloc(w, n * sizeof(uint32_t));
    g.start = wl_alloc(w, (n_slots + 1) * sizeof(uint32_t));
    g.order = wl_alloc(w, n * sizeof(uint32_t));
    void *group[] = {&keys, &g.n, &g.table, &g.counts, &g.slots, &g.mask};
    wl_launch(w, wl_function(w, "mr_group"), wl_blocks(n, MR_THREADS), 1, MR_THREADS, 1, group);
    mr_scan(w, g.counts, g.start, n_slots + 1);
    void *scatter[] = {&g.slots, &g.n, &g.start, &g.counts, &g.order};
    wl_launch(w, wl_function(w, "mr_scatter"), wl_blocks(n, MR_THREADS), 1, MR_THREADS, 1, scatter);
    return g;
}

uint32_t mr_find(const uint32_t *table, uint32_t mask, uint32_t key)
{
    for (uint32_t tries = 0, slot = key & mask; tries <= mask && table[slot] != 0; tries++, slot = (slot + 1) & mask)
        if (table[slot] == key) return slot;
    return mask + 1;
}
