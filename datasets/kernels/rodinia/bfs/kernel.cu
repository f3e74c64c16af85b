// bfs: level-synchronous breadth-first search with two kernels a level. As in Rodinia, a thread owns a node, a node is a
// record of where its edges start and how many they are, and flags are bytes. Every turn of the loop reads an edge, the
// neighbour's flag and, where that is not set, the node's own cost; then the record again, since the stores may have
// changed it as far as the compiler knows.
#include "cuda_device.h"

struct node {
    int first, n_edges;
};

extern "C" __global__ void bfs_expand(const node *nodes, const int *edges, u8 *frontier, u8 *next, const u8 *visited, int *cost, int n)
{
    int v = (int)thread_index();
    if (v >= n || !frontier[v]) return;
    frontier[v] = 0;
#pragma unroll 1
    for (int e = nodes[v].first; e < nodes[v].first + nodes[v].n_edges; e++) {
        int other = edges[e];
        if (visited[other]) continue;
        cost[other] = cost[v] + 1;
        next[other] = 1;
    }
}

extern "C" __global__ void bfs_advance(u8 *frontier, u8 *next, u8 *visited, u8 *again, int n)
{
    int v = (int)thread_index();
    if (v >= n || !next[v]) return;
    frontier[v] = 1;
    visited[v] = 1;
    *again = 1;
    next[v] = 0;
}
