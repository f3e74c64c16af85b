// walks: random walks on a graph in compressed sparse rows. A thread owns a walk: at every step it draws one of its
// vertex's neighbours and goes there. The vertices of all walks at one step are stored side by side.
#include "cuda_device.h"

extern "C" __global__ void walks(const u32 *row, const u32 *col, const u32 *first, u32 *path, u32 n_walks, u32 steps)
{
    u32 walk = thread_index();
    if (walk >= n_walks) return;
    u32 vertex = first[walk], random = (walk + 1) * 2654435769u;
#pragma unroll 1
    for (u32 *to = path + walk; steps != 0; steps--, to += n_walks) {
        u32 start = row[vertex], degree = row[vertex + 1] - start;
        if (degree == 0) break;
        random ^= random << 13; // xorshift (G. Marsaglia, JSS 2003)
        random ^= random >> 17;
        random ^= random << 5;
        vertex = col[start + (u32)((unsigned long long)random * degree >> 32)];
        *to = vertex;
    }
}
