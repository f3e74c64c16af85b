// b+tree: point and range queries. A block of 256 threads owns a query; at every level all threads compare the query's key with
// the node's keys, one each, and the one that finds its interval names the child. A node is an array of 517 words as Rodinia's
// structure: location, 257 indices, 257 keys, leaf flag, number of keys. Block variables live in global memory, as there.
#include "cuda_device.h"

#define ORDER 256
#define NODE_WORDS (2 * (ORDER + 1) + 3)
#define INDICES 1
#define KEYS (ORDER + 2)

// One level down: current[query] becomes the child whose interval holds the key.
static inline __device__ void descend(const int *nodes, u32 n_nodes, int key, u32 *current, u32 *offset)
{
    u32 thread = threadIdx.x, query = blockIdx.x;
    const int *node = nodes + current[query] * NODE_WORDS;
    if (node[KEYS + thread] <= key && node[KEYS + thread + 1] > key && (u32)node[INDICES + thread] < n_nodes)
        offset[query] = node[INDICES + thread];
}

extern "C" __global__ void btree_find(u32 height, const int *nodes, u32 n_nodes, const int *records, u32 *current, u32 *offset,
                                      const int *keys, int *answers)
{
    u32 thread = threadIdx.x, query = blockIdx.x;
#pragma unroll 1
    for (u32 level = 0; level < height; level++) {
        descend(nodes, n_nodes, keys[query], current, offset);
        __syncthreads();
        if (thread == 0) current[query] = offset[query];
        __syncthreads();
    }
    const int *leaf = nodes + current[query] * NODE_WORDS;
    if (leaf[KEYS + thread] == keys[query]) answers[query] = records[leaf[INDICES + thread]];
}

// The first record of a range and how many there are, between two keys that exist.
extern "C" __global__ void btree_find_range(u32 height, const int *nodes, u32 n_nodes, u32 *current, u32 *offset, u32 *last,
                                            u32 *last_offset, const int *starts, const int *ends, int *first, int *length)
{
    u32 thread = threadIdx.x, query = blockIdx.x;
#pragma unroll 1
    for (u32 level = 0; level < height; level++) {
        descend(nodes, n_nodes, starts[query], current, offset);
        descend(nodes, n_nodes, ends[query], last, last_offset);
        __syncthreads();
        if (thread == 0) {
            current[query] = offset[query];
            last[query] = last_offset[query];
        }
        __syncthreads();
    }
    const int *leaf = nodes + current[query] * NODE_WORDS;
    if (leaf[KEYS + thread] == starts[query]) first[query] = leaf[INDICES + thread];
    __syncthreads();
    leaf = nodes + last[query] * NODE_WORDS;
    if (leaf[KEYS + thread] == ends[query]) length[query] = leaf[INDICES + thread] - first[query] + 1;
}
