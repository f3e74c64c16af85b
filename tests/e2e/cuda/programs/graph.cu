/* Breadth-first search with a work list: atomics choose who adds a node, levels until the list is empty. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void graph_kernel(const int *first, const int *edges, int *level, const int *list, int n, int *next, int *n_next, int depth)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int e = first[list[i]]; e < first[list[i] + 1]; e++)
        if (atomicCAS(&level[edges[e]], -1, depth) == -1) next[atomicAdd(n_next, 1)] = edges[e];
}
#endif

PROGRAM(graph)
{
    const int n = 1500, degree = 4;
    Array<int> first(n + 1), edges(n * degree), level(n, -1), list(n), next(n), n_next(1);
    for (int i = 0; i <= n; i++) first[i] = i * degree;
    for (int i = 0; i < n * degree; i++) edges[i] = (int)((unsigned)(i / degree) + 1 + noise(i) % (i % degree ? 60u : 900u)) % n;
    level[0] = 0;
    first.up(), edges.up(), level.up();
    int *a = list.device, *b = next.device, count = 1, depth = 0;
    while (count) {
        n_next[0] = 0, n_next.up();
        CHECK(!LAUNCH(graph_kernel, dim3((count + 127) / 128), dim3(128), 0, (const int *)first.device, (const int *)edges.device, level.device, (const int *)a, count, b, n_next.device, ++depth));
        n_next.down(), count = n_next[0];
        int *const t = a;
        a = b, b = t;
    }
    level.down();
    std::vector<int> wanted(n, -1), queue(1, 0);
    wanted[0] = 0;
    for (size_t k = 0; k < queue.size(); k++)
        for (int e = first[queue[k]]; e < first[queue[k] + 1]; e++)
            if (wanted[edges[e]] < 0) wanted[edges[e]] = wanted[queue[k]] + 1, queue.push_back(edges[e]);
    for (int i = 0; i < n; i++) CHECK(level[i] == wanted[i]);
    return 0;
}
