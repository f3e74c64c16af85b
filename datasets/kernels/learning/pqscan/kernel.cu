// pqscan: distances of product-quantised vectors to queries (H. Jegou, M. Douze and C. Schmid, PAMI 2011). A vector is
// `parts` bytes, each the number of one of 256 centroids of its part; a query has a table with the distance to each
// centroid of each part. A thread owns a vector of the list that the query probes (blockIdx.y is the query) and adds
// the entries that its bytes name, four at a time.
#include "cuda_device.h"

extern "C" __global__ void pq_scan(const float *tables, const u32 *codes, const u32 *probes, float *distances, u32 n,
                                   u32 parts)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 *code = codes + (probes[blockIdx.y] * n + thread) * (parts / 4);
    const float *table = tables + blockIdx.y * parts * 256;
    float sum = 0.0f;
#pragma unroll 1
    for (const u32 *end = code + parts / 4; code != end; code++, table += 4 * 256) {
        u32 four = *code;
        sum += table[four & 255];
        sum += table[256 + (four >> 8 & 255)];
        sum += table[512 + (four >> 16 & 255)];
        sum += table[768 + (four >> 24)];
    }
    distances[blockIdx.y * n + thread] = sum;
}
