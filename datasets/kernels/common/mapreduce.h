/* Host side of mapreduce.cuh. */
#ifndef MAPREDUCE_H
#define MAPREDUCE_H
#include "workload.h"

/* Exclusive scan of `in` (n items) into `out`: three launches, or one where a block covers everything. */
void mr_scan(struct wl *w, CUdeviceptr in, CUdeviceptr out, uint32_t n);

/* Records grouped by key. The table has mask + 1 slots; start has one more. */
struct mr_groups {
    uint32_t n, mask;
    CUdeviceptr table, counts, slots, start, order;
};
/* keys: n device words, none 0. n_slots: a power of two above the number of distinct keys. Launches group, scan,
 * scatter. */
struct mr_groups mr_group(struct wl *w, CUdeviceptr keys, uint32_t n, uint32_t n_slots);
/* The slot of a key in a table copied back, or mask + 1 if it is not there. */
uint32_t mr_find(const uint32_t *table, uint32_t mask, uint32_t key);
#endif
