// ccl: connected component labelling. Rounds of hooking (a vertex hooks its component's root below the smallest label among
// its neighbours) and pointer jumping (every label is replaced by its root) until nothing changes. A thread owns a vertex
// and walks its adjacency list (uncoalesced). A vertex's property record is `words` words long (an entry of col is
// where a neighbour's record starts): label, inner. A vertex all
// of whose neighbours have its own label is inner: its component never has to look at it again. Labels stand still while
// components hook, for an inner vertex must have seen labels that are those of whole components.
#include "cuda_device.h"

#define LABEL 0
#define INNER 1

extern "C" __global__ void ccl_hook(const u32 *row, const u32 *col, u32 *records, u32 words, u32 *parent, u32 n, u32 *changed)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 *mine = records + v * words;
    if (mine[INNER]) return;
    u32 label = mine[LABEL], smallest = label, largest = label;
#pragma unroll 1
    for (const u32 *edge = col + row[v], *end = col + row[v + 1]; edge != end; edge++) {
        u32 other = records[*edge + LABEL];
        smallest = other < smallest ? other : smallest;
        largest = other > largest ? other : largest;
    }
    if (smallest == largest) mine[INNER] = 1;
    else *changed = 1;
    if (smallest < label) atomicMin(&parent[label], smallest);
}

extern "C" __global__ void ccl_jump(u32 *records, u32 words, const u32 *parent, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 label = records[v * words + LABEL];
    for (;;) {
        u32 next = parent[label];
        if (next == label) break;
        label = next;
    }
    records[v * words + LABEL] = label;
}
