// triangles: how many common neighbours the two ends of each edge have. Every edge leads from the end of lower degree
// to that of higher degree, so lists are short and a triangle is found once, at one of its edges. A thread owns an edge
// and merges the sorted lists of its ends. Edges come in the order in which they were added to the graph, so the lanes
// of a warp read unrelated lists.
#include "cuda_device.h"

struct __attribute__((aligned(8))) edge { u32 from, to; };

extern "C" __global__ void triangles_merge(const u32 *row, const u32 *col, const edge *edges, u32 *common, u32 n_edges)
{
    u32 i = thread_index();
    if (i >= n_edges) return;
    edge e = edges[i];
    const u32 *a = col + row[e.from], *a_end = col + row[e.from + 1];
    const u32 *b = col + row[e.to], *b_end = col + row[e.to + 1];
    u32 count = 0;
#pragma unroll 1
    while (a < a_end && b < b_end) {
        u32 x = *a, y = *b;
        a += x <= y;
        b += y <= x;
        count += x == y;
    }
    common[i] = count;
}
